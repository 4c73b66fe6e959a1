package site

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/strata-catalog/strata/generator/catalog"
	"github.com/strata-catalog/strata/generator/facts"
	"github.com/strata-catalog/strata/generator/page"
	"github.com/strata-catalog/strata/generator/render"
	"github.com/strata-catalog/strata/generator/verify"
)

// Config says what to build. Templates is all it needs.
type Config struct {
	Templates fs.FS // <id>/model.json
	Content   fs.FS // texts and settings; nil: none, and default settings
	Theme     fs.FS // files that replace those of the default theme; nil: none
	Workbench fs.FS // what the theme has for the page that changes graphs in the browser; nil: no such page

	// TemplatesName and ContentName are the two folders in messages;
	// "templates" and "content" when empty.
	TemplatesName, ContentName string

	BaseURL string // where the site is published; "" takes that of the settings
	Version string // of the generator
	Jobs    int    // files worked on at once; 0: as many as there are processors
	Shard   *Shard // the part to build; nil: the whole site

	Cards    bool // draw a social card for each template
	Compress bool // put a .gz and a .br beside each text, for hosts that send them as they are

	Strict    bool // a verdict of fail is a problem
	KeepGoing bool // publish what is good although there are problems

	// Progress is told how many of the pages are finished, one call at a time.
	// Nil: nobody is.
	Progress func(done, total int)
}

// A Result says what was built.
type Result struct {
	Templates int // published
	Pages     int // of HTML
	Files     int
	Bytes     int64
	// Problems is everything that is wrong with the input, also where the rest
	// was published.
	Problems []error
	Notes    []string // what to know although nothing is wrong
	Rendered int      // pages that were made, and not kept from an earlier build
}

// Problems is the error of a build that published nothing because of its
// input: one line for each problem.
type Problems []error

func (p Problems) Error() string {
	lines := make([]string, len(p))
	for i, err := range p {
		lines[i] = err.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap gives errors.Is and errors.As the problems.
func (p Problems) Unwrap() []error { return p }

// Build makes a site. With problems in its input it publishes nothing and
// returns Problems, unless it is to keep going. Any other error means that the
// catalog, the theme or the sink could not be used at all. The Result lists the
// problems in either case.
func Build(c Config, sink Sink) (Result, error) { return NewEngine(c).Build(sink) }

// failures makes problems of failed verdicts.
func failures(cat *catalog.Catalog) (problems []error) {
	for _, e := range cat.Entries {
		if e.Verdict == verify.Fail {
			problems = append(problems, fmt.Errorf("%s: the verdict is %s; run check on the file for its findings", e.File, e.Verdict))
		}
	}
	return problems
}

// A builder makes all files of a draft.
type builder struct {
	*draft
	sink   Sink
	keeper Keeper          // the sink, if it is one
	known  map[string]made // pages of earlier builds, by path
	result Result

	mu   sync.Mutex
	sums map[string]string // SHA-256 of each file
	made map[string]made   // pages, by path
}

func newBuilder(d *draft, sink Sink) *builder {
	b := &builder{draft: d, sink: sink, sums: map[string]string{}, made: map[string]made{}}
	b.keeper, _ = sink.(Keeper)
	return b
}

// publish renders every page, each worker one at a time.
func (b *builder) publish() error {
	b.result.Templates = len(b.catalog.Entries)
	if b.site.BaseURL == "" {
		note := "no base URL is given: the site map and the feed hold addresses without a host"
		if b.Cards {
			note += ", and pages do not name their cards, whose addresses have to be whole"
		}
		b.result.Notes = append(b.result.Notes, note)
	}
	all := b.site.Pages()
	var pages []page.Page
	for i, p := range all {
		if b.Shard.has(i) {
			pages = append(pages, p)
		}
	}
	for i, f := range b.forms(b.theme.Assets()) {
		if !b.Shard.has(i) {
			continue
		}
		if _, err := b.put(f); err != nil {
			return err
		}
	}
	problems := make([]error, len(pages)) // by page, so that their order does not depend on the workers
	failed := make([]error, len(pages))
	var next atomic.Int64
	var stop atomic.Bool
	var wg sync.WaitGroup
	done := 0
	for range min(b.Jobs, len(pages)) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(pages) && !stop.Load(); i = int(next.Add(1)) - 1 {
				if problems[i], failed[i] = b.page(pages[i]); failed[i] != nil {
					stop.Store(true)
				}
				b.mu.Lock()
				done++
				if b.Progress != nil {
					b.Progress(done, len(pages))
				}
				b.mu.Unlock()
			}
		})
	}
	wg.Wait()
	if err := errors.Join(failed...); err != nil {
		return err
	}
	for _, err := range problems {
		b.result.Problems = append(b.result.Problems, split(err)...)
	}
	return b.manifest(b.planned(all))
}

// page makes one page: it keeps the files that an earlier build made of the same
// input, or renders them. problem is what is wrong with its text, err what is
// wrong with the theme or the sink.
func (b *builder) page(p page.Page) (problem, err error) {
	key := keyed(b.theme.Sum(), p.Key(), b.Compress)
	if m, ok := b.known[p.Path]; ok && m.Key == key && b.keep(m) {
		b.remember(p.Path, m)
		return nil, nil
	}
	data, problem := p.Data()
	if data == nil {
		return problem, nil
	}
	files, err := b.theme.Render(data)
	if err != nil {
		return problem, err
	}
	m := made{Key: key}
	for _, f := range b.forms(files) {
		sum, err := b.put(f)
		if err != nil {
			return problem, err
		}
		m.Files = append(m.Files, output{f.Path, sum, int64(len(f.Data))})
	}
	render.Release(files)
	b.mu.Lock()
	b.result.Rendered++
	b.mu.Unlock()
	if problem == nil {
		b.remember(p.Path, m)
	}
	return problem, nil
}

// keep takes over the files of a page, if the sink has them all.
func (b *builder) keep(m made) bool {
	if b.keeper == nil {
		return false
	}
	for _, f := range m.Files {
		if !b.keeper.Keep(f.Path, f.SHA256) {
			return false
		}
	}
	for _, f := range m.Files {
		b.count(f) // no two pages make one file: they were made once
	}
	return true
}

func (b *builder) remember(path string, m made) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.made[path] = m
}

// split takes joined errors apart.
func split(err error) []error {
	if err == nil {
		return nil
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var list []error
		for _, e := range joined.Unwrap() {
			list = append(list, split(e)...)
		}
		return list
	}
	return []error{err}
}

// put hands a file to the sink, once.
func (b *builder) put(f render.File) (sum string, err error) {
	sum = sumOf(f.Data)
	if !b.count(output{f.Path, sum, int64(len(f.Data))}) {
		return "", fmt.Errorf("two pages would become %s", f.Path)
	}
	return sum, b.sink.Put(f.Path, f.Data)
}

// count notes a file of the site. It reports whether it is the first at its
// path.
func (b *builder) count(f output) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	_, twice := b.sums[f.Path]
	b.sums[f.Path] = f.SHA256
	b.result.Files++
	b.result.Bytes += f.Size
	if strings.HasSuffix(f.Path, ".html") {
		b.result.Pages++
	}
	return !twice
}

// Manifest is build.json.
type Manifest struct {
	Generator page.Generator `json:"generator"`
	Templates int            `json:"templates"`
	Pages     int            `json:"pages"`
	Count     int            `json:"count"` // of files
	Shard     *Shard         `json:"shard,omitzero"`
	Files     []Sum          `json:"files"` // by path; build.json itself is not among them
}

// A Sum is a file with its checksum.
type Sum struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
}

// manifest writes build.json, which says what the others are.
func (b *builder) manifest(shard *Shard) error {
	m := Manifest{Generator: page.Generator{Name: page.GeneratorName, Version: b.Version}, Templates: b.result.Templates, Pages: b.result.Pages, Count: len(b.sums), Shard: shard}
	for path, sum := range b.sums {
		m.Files = append(m.Files, Sum{path, sum})
	}
	slices.SortFunc(m.Files, func(a, b Sum) int { return strings.Compare(a.Path, b.Path) })
	data, err := facts.JSON(m)
	if err != nil {
		return err
	}
	_, err = b.put(render.File{Path: page.BuildPath, Data: data})
	return err
}
