package cli

import (
	"flag"
	"fmt"
	"strings"

	"github.com/strata-catalog/strata/generator/format"
	"github.com/strata-catalog/strata/generator/ops"
)

var templatesCommand = &Command{
	Name:  "templates",
	Args:  "[WORD…]",
	Short: "list the templates of a catalog, or find some of them",
	Long: `Lists the templates of a catalog, or those that have every WORD in their id, name,
category, tags, organisation or layer types. Those that have them in their id or
name come first. With --full and --format json the answer has all that the index
of the site lists of each.

Exit code 0: listed. 1: no template has these words. 2: a catalog that cannot be
read, or wrong usage.`,
	Setup: func(fs *flag.FlagSet) func(*Session, []string) error {
		c := &listing{}
		choose(fs, &c.format, "format", "`FORMAT` of the answer", "text", "json")
		fs.BoolVar(&c.Full, "full", false, "in JSON, all that the index lists of each")
		fs.Var(&natural{&c.Limit}, "limit", "`N` templates at most; 0 is all of them")
		fs.Var(&natural{&c.Offset}, "offset", "`N` templates to leave out first")
		sourceFlag(fs, &c.source)
		widthFlag(fs, &c.width)
		return c.run
	},
}

// listing is a search of a catalog.
type listing struct {
	ops.TemplatesParams
	format, source string
	width          int
}

func (c *listing) run(s *Session, args []string) error {
	if c.Full && c.format != "json" {
		return usage("templates: --full goes with --format json")
	}
	env, err := catalogued(c.source)
	if err != nil {
		return err
	}
	c.Query = strings.Join(args, " ")
	found, err := ops.Templates(s, env, c.TemplatesParams)
	if err != nil {
		return &Failure{2, printable(err.Error())}
	}
	switch {
	case c.format == "json":
		err = s.json(found)
	case found.Count > 0:
		err = briefs(found).write(s.screen(c.width))
	}
	if err == nil && found.Count == 0 {
		err = &Failure{1, fmt.Sprintf("no template has %s", printable(c.Query))}
	}
	return err
}

// briefs has a line for each template.
func briefs(found *ops.Found) *table {
	t := &table{columns: []column{{head: "ID"}, {head: "Name", least: 14, cut: cutEnd}, {head: "Category", goes: 1}, {head: "Parameters", right: true}, {head: "Verdict"}}}
	for _, l := range found.Templates {
		if b, ok := l.Value.(*ops.Brief); ok {
			t.add(ordinary, b.ID, printable(b.Name), printable(b.Category), format.Exact64(b.Parameters), string(b.Verdict))
		}
	}
	return t
}
