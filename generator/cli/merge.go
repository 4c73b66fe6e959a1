package cli

import (
	"flag"
	"fmt"

	"github.com/strata-catalog/strata/generator/site"
)

var mergeCommand = &Command{
	Name:  "merge",
	Args:  "PART…",
	Short: "make a site of the parts that several machines built",
	Long: `Joins the folders that strata build --shard 1/N to N/N made, in any order, to the
site that one build would have made, to the byte. All parts must be there, and be
of the same catalog, theme, settings and program.

Exit code 0: published. 2: a part is missing, damaged or of another site, or a
folder cannot be read or written.`,
	Setup: func(fs *flag.FlagSet) func(*Session, []string) error {
		out := fs.String("out", "public", "`DIR` to write to")
		return func(s *Session, parts []string) error { return merge(s, *out, parts) }
	},
}

func merge(s *Session, out string, parts []string) error {
	if len(parts) == 0 {
		return usage("merge: names no part; give the folders that strata build --shard made")
	}
	sink, err := output(s, out)
	if err != nil {
		return err
	}
	result, err := site.Merge(parts, sink)
	if err != nil {
		return &Failure{2, err.Error()}
	}
	if sink.Report.Note != "" {
		fmt.Fprintf(s.Stderr, "note: %s\n", printable(sink.Report.Note))
	}
	published(s, out, result, sink.Report)
	return nil
}
