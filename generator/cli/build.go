package cli

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"math/big"
	"path/filepath"

	"github.com/strata-catalog/strata/generator/audit"
	"github.com/strata-catalog/strata/generator/format"
	"github.com/strata-catalog/strata/generator/site"
	"github.com/strata-catalog/strata/themes"
)

var buildCommand = &Command{
	Name:  "build",
	Short: "build the site",
	Long: `Reads the graphs under templates/, analyses them, and writes the site. All
folders are taken from --source unless they are given themselves. Only a folder
templates/ is needed: without content/ there are no texts and no settings, and
without a theme of its own a site has the one that the program carries. With
--templates and without --content, no content is read.

What has not changed since the last build is not made again: .strata-cache/ in the
source folder remembers what it was made of, and can be deleted at any time. The
new site takes the place of the old one in one step; what no build wrote stays.
Where that cannot be, for a folder that is a mount point, files are changed one by
one and a note says so. A second build into the same folder waits for the first.

All problems of the input are reported at once, and nothing is published then,
unless --keep-going publishes the rest.

--cards draws a picture of 1200 × 630 for each template, from the diagram on its
page. With a base URL, pages name it in og:image and twitter:card for sites that
show one beside a link.

--check reads every file before anything is published: each link has to lead to a
file and each anchor to an element, elements to be closed in order, ids to stand
once, XML and JSON to be readable, and a page to weigh no more than 60 KB
compressed (160 KB for the lists of all templates and diffs) with 30 KB of
scripts.

Exit code 0: built. 1: problems in the input, or faults that --check found. 2: wrong usage, or a folder that
cannot be read or written.`,
	Setup: func(fs *flag.FlagSet) func(*Session, []string) error {
		b := &build{}
		b.flags(fs)
		fs.StringVar(&b.out, "out", "", "`DIR` to write to (default public/ in the source folder)")
		fs.StringVar(&b.base, "base-url", "", "`URL` where the site is published, with its path")
		fs.StringVar(&b.shard, "shard", "", "build one part of the site, `I/N`; strata merge makes the site of all parts")
		fs.IntVar(&b.jobs, "jobs", 0, "`N` pages worked on at once (default: one for each processor)")
		fs.BoolVar(&b.keepGoing, "keep-going", false, "publish what is good although there are problems")
		fs.BoolVar(&b.noCache, "no-cache", false, "neither use nor write .strata-cache/ in the source folder")
		fs.BoolVar(&b.cards, "cards", false, "draw a social card for each template, a/<id>.png, the picture that is shown beside a link to its page")
		fs.BoolVar(&b.compress, "compress", false, "put a .br and a .gz beside each text, for hosts that send them as they are")
		fs.BoolVar(&b.check, "check", false, "publish only if links, anchors, HTML and the size of pages are in order")
		fs.BoolVar(&b.inPlace, "in-place", false, "change the files of the output folder one by one, for a folder that is mounted elsewhere")
		fs.BoolVar(&b.strict, "strict", false, "a verdict of fail is a problem too")
		return b.run
	},
}

type build struct {
	sources
	out, base, shard string

	jobs              int
	inPlace, noCache  bool
	compress, check   bool
	cards             bool
	keepGoing, strict bool
}

func (b *build) run(s *Session, args []string) error {
	if len(args) > 0 {
		return usage("build: takes no argument, found %q; folders are given with flags (see strata help build)", args[0])
	}
	if b.jobs < 0 {
		return usage("build: --jobs is %d, want 0 or more", b.jobs)
	}
	c := site.Config{BaseURL: b.base, Version: Version, Jobs: b.jobs, Strict: b.strict, KeepGoing: b.keepGoing, Cards: b.cards, Compress: b.compress, Workbench: themes.Workbench()}
	if b.check && b.shard != "" {
		return usage("build: --check reads a whole site, and --shard builds a part; leave one of them out")
	}
	if b.shard != "" {
		var err error
		if c.Shard, err = site.ParseShard(b.shard); err != nil {
			return usage("build: --shard: %v", err)
		}
	}
	if err := b.open(&c); err != nil {
		return err
	}
	defer b.close()
	out := b.out
	if out == "" {
		out = filepath.Join(b.source, "public")
	}
	sink, err := output(s, out)
	if err != nil {
		return err
	}
	sink.InPlace = b.inPlace
	var target site.Sink = sink
	if b.check {
		if target, err = checked(sink, cmp.Or(b.base, b.baseURL)); err != nil {
			return err
		}
	}
	if c.Workbench == nil {
		fmt.Fprintln(s.Stderr, "note: no workbench: this program was compiled without it, and make site builds it first")
	}
	if Terminal(s.Stderr) {
		c.Progress = func(done, total int) { fmt.Fprintf(s.Stderr, "\r%d of %d pages", done, total) }
	}
	defer collectRarely()()
	cache := b.cache()
	engine := site.NewEngine(c)
	if !b.noCache {
		engine.Recall(cache)
	}
	result, err := engine.Build(target)
	if c.Progress != nil {
		fmt.Fprint(s.Stderr, "\r\x1b[K")
	}
	for _, problem := range result.Problems {
		fmt.Fprintf(s.Stderr, "%s\n", printable(problem.Error()))
	}
	if err := faulty(s, err); err != nil {
		return err
	}
	var problems site.Problems
	switch {
	case errors.As(err, &problems):
		return &Failure{1, fmt.Sprintf("nothing published: %s (--keep-going publishes the rest)", count(len(problems), "problem"))}
	case err != nil:
		return &Failure{2, err.Error()}
	}
	if !b.noCache {
		if err := engine.Remember(cache); err != nil {
			result.Notes = append(result.Notes, "the next build starts from nothing: "+err.Error())
		}
	}
	if sink.Report.Note != "" {
		result.Notes = append(result.Notes, sink.Report.Note)
	}
	for _, note := range result.Notes {
		fmt.Fprintf(s.Stderr, "note: %s\n", printable(note))
	}
	published(s, out, result, sink.Report)
	if len(result.Problems) > 0 {
		return &Failure{1, fmt.Sprintf("published in spite of %s", count(len(result.Problems), "problem"))}
	}
	return nil
}

// output opens the folder to publish into.
func output(s *Session, out string) (*site.Folder, error) {
	sink, err := site.NewFolder(out, func() { fmt.Fprintf(s.Stderr, "another build is writing %s; waiting for it\n", out) })
	if err != nil {
		return nil, &Failure{2, err.Error()}
	}
	return sink, nil
}

// checked is a folder with a check before it.
func checked(to *site.Folder, base string) (site.Sink, error) {
	sink, err := audit.NewSink(to, base)
	if err != nil {
		return nil, errors.Join(&Failure{2, err.Error()}, to.Discard())
	}
	return sink, nil
}

// faulty prints what a check found; nil when it was not that.
func faulty(s *Session, err error) error {
	var faults audit.Faults
	if !errors.As(err, &faults) {
		return nil
	}
	for _, fault := range faults {
		fmt.Fprintf(s.Stderr, "%s\n", printable(fault.Error()))
	}
	return &Failure{1, fmt.Sprintf("nothing published: the site has %s", count(len(faults), "fault"))}
}

// published says what was.
func published(s *Session, out string, r site.Result, did site.FolderReport) {
	fmt.Fprintf(s.Stdout, "%s: %s, %s, %s, %s (%d written, %d unchanged, %d removed)\n", out,
		count(r.Templates, "template"), count(r.Pages, "page"), count(r.Files, "file"), format.Bytes(big.NewInt(r.Bytes)),
		did.Written, did.Unchanged, did.Removed)
}

// count is a number with its noun.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return format.Exact64(int64(n)) + " " + noun + "s"
}
