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
of the same catalog, theme, settings and program. --check reads every file before
anything is published, as that of build does.

Exit code 0: published. 1: faults that --check found. 2: a part is missing,
damaged or of another site, or a folder cannot be read or written.`,
	Setup: func(fs *flag.FlagSet) func(*Session, []string) error {
		out := fs.String("out", "public", "`DIR` to write to")
		check := fs.Bool("check", false, "publish only if links, anchors, HTML and the size of pages are in order")
		return func(s *Session, parts []string) error { return merge(s, *out, *check, parts) }
	},
}

func merge(s *Session, out string, check bool, parts []string) error {
	if len(parts) == 0 {
		return usage("merge: names no part; give the folders that strata build --shard made")
	}
	first, err := site.ReadShard(parts[0])
	if err != nil {
		return &Failure{2, err.Error()}
	}
	sink, err := output(s, out)
	if err != nil {
		return err
	}
	var target site.Sink = sink
	if check {
		if target, err = checked(sink, first.BaseURL); err != nil {
			return err
		}
	}
	result, err := site.Merge(parts, target)
	if err := faulty(s, err); err != nil {
		return err
	}
	if err != nil {
		return &Failure{2, err.Error()}
	}
	if sink.Report.Note != "" {
		fmt.Fprintf(s.Stderr, "note: %s\n", printable(sink.Report.Note))
	}
	published(s, out, result, sink.Report)
	return nil
}
