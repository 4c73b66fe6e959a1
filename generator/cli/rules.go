package cli

import (
	"flag"
	"fmt"
	"slices"
	"strings"

	"github.com/strata-catalog/strata/generator/reference"
	"github.com/strata-catalog/strata/generator/verify"
	"github.com/strata-catalog/strata/generator/words"
)

var rulesCommand = &Command{
	Name:  "rules",
	Args:  "[RULE]",
	Short: "list the rules of the verifier, or explain one of them",
	Long: `Lists the rules by which graphs are judged, by group. With a RULE, which is the
word in brackets at the end of a finding, explains it: when it fires, why that
matters, what to do, how it has worked so far, and two graphs, of which it fires
on the first. With --format json the answer is a list of rules, or the rule.

--source adds to the record the templates of a catalog: which have a finding, and
which accept one, with the reason.

Exit code 0: listed. 2: a rule that does not exist, a catalog that cannot be read,
or wrong usage.`,
	Setup: func(fs *flag.FlagSet) func(*Session, []string) error {
		c := &rules{}
		choose(fs, &c.format, "format", "`FORMAT` of the answer", "text", "json")
		fs.StringVar(&c.source, "source", "", "`DIR` that holds templates/ and content/, for the record; none when not given")
		widthFlag(fs, &c.width)
		return c.run
	},
}

type rules struct {
	format, source string
	width          int
}

func (c *rules) run(s *Session, args []string) error {
	if len(args) > 1 {
		return onlyOne("rules", "rule", args)
	}
	if len(args) == 1 {
		if _, ok := verify.Lookup(args[0]); !ok {
			return usage("rules: %q is no rule%s (see strata rules)", args[0], words.DidYouMean(args[0], ruleIDs()))
		}
	}
	models, err := c.judged()
	if err != nil {
		return err
	}
	list := reference.Rules(models)
	if len(args) == 1 {
		return c.one(s, list[slices.Index(ruleIDs(), args[0])])
	}
	if c.format == "json" {
		return s.json(list)
	}
	return listRules(s.screen(c.width), list)
}

// judged is the templates of the catalog with their findings; none without one.
func (c *rules) judged() ([]verify.Judged, error) {
	if c.source == "" {
		return nil, nil
	}
	found, err := load(c.source)
	switch {
	case err != nil:
		return nil, err
	case len(found.Problems) > 0:
		return nil, &Failure{2, listed(found.Problems)}
	}
	return found.Judged(), nil
}

func ruleIDs() []string {
	ids := make([]string, len(verify.All))
	for i, r := range verify.All {
		ids[i] = r.ID
	}
	return ids
}

var severityStyle = map[verify.Severity]style{verify.Error: red, verify.Warning: yellow, verify.Advice: cyan}

// listRules lists the rules of each group.
func listRules(sc *screen, list []reference.Rule) error {
	var groups []verify.Group
	for _, r := range list {
		if !slices.Contains(groups, r.Group) {
			groups = append(groups, r.Group)
		}
	}
	t := &table{columns: []column{{}, {}, {least: 24, wraps: true}}}
	for k, group := range groups {
		if k > 0 {
			t.add(ordinary, "", "", "")
		}
		t.add(bold, string(group), "", "")
		for _, r := range list {
			if r.Group == group {
				t.add(severityStyle[r.Severity], "  "+r.ID, string(r.Severity), r.Title)
			}
		}
	}
	return t.write(sc)
}

// one explains a rule.
func (c *rules) one(s *Session, r reference.Rule) error {
	if c.format == "json" {
		return s.json(r)
	}
	sc := s.screen(c.width)
	sc.title(r.Title, r.ID)
	sc.paragraph("severity  ", string(r.Severity))
	sc.paragraph("group     ", string(r.Group))
	sc.paragraph("fires     ", r.Trigger)
	sc.paragraph("why       ", r.Why)
	sc.paragraph("fix       ", r.Fix)
	sc.paragraph("source    ", r.Source)
	c.record(sc, r.Record)
	fmt.Fprintln(sc)
	sc.paragraph("example   ", r.Example.About)
	sc.listing("It fires on", string(r.Example.Bad))
	sc.listing("It does not fire on", string(r.Example.Good))
	return nil
}

// record says how a rule has worked so far.
func (c *rules) record(sc *screen, r reference.Record) {
	sc.paragraph("record    ", strings.Join(r.Sentences(), " "))
	if c.source == "" {
		return
	}
	fired := "no template of the catalog"
	if len(r.Templates) > 0 {
		fired = strings.Join(r.Templates, ", ")
	}
	sc.paragraph("catalog   ", "fires on "+fired)
	for _, x := range r.Accepted {
		sc.paragraph("accepted  ", x.Template+": "+x.Why)
	}
}

// listing prints a text as it stands, set in.
func (sc *screen) listing(title, text string) {
	fmt.Fprintf(sc, "\n%s:\n\n", title)
	for line := range strings.Lines(strings.TrimSpace(text)) {
		fmt.Fprintf(sc, "    %s\n", strings.TrimRight(line, "\n"))
	}
}
