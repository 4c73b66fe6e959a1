package site

import (
	"cmp"
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"runtime"

	"github.com/strata-catalog/strata/generator/catalog"
	"github.com/strata-catalog/strata/generator/page"
	"github.com/strata-catalog/strata/generator/render"
	"github.com/strata-catalog/strata/themes"
)

// An Engine makes one site again and again, and does no work twice: a file is
// parsed and analysed anew when its text changed, and a page is rendered anew
// when something that it is made of did (see page.Page.Key). What it publishes
// is, to the byte, what a build from nothing would.
//
// An Engine serves one Build at a time.
type Engine struct {
	Config
	kept  *catalog.Kept
	known *page.Known
	theme *render.Renderer
	pages map[string]made // of earlier builds, by path
}

// made is what came of a page.
type made struct {
	Key   string   `json:"key"` // what it was made of
	Files []output `json:"files"`
}

type output struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
	Size   int64  `json:"size"`
}

// NewEngine makes an Engine that has built nothing yet.
func NewEngine(c Config) *Engine {
	c.Jobs = cmp.Or(c.Jobs, runtime.GOMAXPROCS(0))
	return &Engine{Config: c, kept: &catalog.Kept{}, known: &page.Known{}, theme: &render.Renderer{}}
}

// Build makes the site (see the function Build). Files that are as they were are
// kept in a sink that is a Keeper, and has them.
func (e *Engine) Build(sink Sink) (Result, error) {
	d, err := e.plan(nil)
	b := newBuilder(d, sink)
	b.known, b.result.Problems = e.pages, d.problems
	if err == nil {
		err = b.publish()
	}
	if err == nil && len(b.result.Problems) > 0 && !e.KeepGoing {
		err = Problems(b.result.Problems)
	}
	if err != nil {
		return b.result, errors.Join(err, sink.Discard())
	}
	if err := sink.Commit(); err != nil {
		return b.result, err
	}
	e.pages = b.made
	return b.result, nil
}

// A draft is a site whose pages are not made yet. It is immutable and safe for
// concurrent use.
type draft struct {
	Config
	site     *page.Site
	catalog  *catalog.Catalog
	theme    *render.Renderer
	problems []error // of the input
}

// plan reads what the site is made of, and analyses what changed: files and
// folders by paths that begin with TemplatesName or ContentName; other files are
// not read again. Nil: every file may have changed, and is looked at. Folders are
// listed and the theme is read in either case. A file behind a symbolic link has
// the link's path.
//
// The draft has the problems of the input even with an error; without one it has
// a site too.
func (e *Engine) plan(changed []string) (*draft, error) {
	cat, err := catalog.Load(catalog.Options{
		Templates: e.Templates, Content: e.Content, Jobs: e.Jobs,
		TemplatesName: e.TemplatesName, ContentName: e.ContentName,
		Kept: e.kept, Changed: among(changed),
	})
	if err != nil {
		return &draft{Config: e.Config}, err
	}
	d := &draft{Config: e.Config, catalog: cat, problems: cat.Problems}
	if e.Strict {
		d.problems = append(d.problems, failures(cat)...)
	}
	if len(d.problems) > 0 && !e.KeepGoing {
		return d, Problems(d.problems)
	}
	layers := []fs.FS{themes.Default()}
	if e.Workbench != nil {
		layers = append(layers, e.Workbench)
	}
	if e.Theme != nil {
		layers = append(layers, e.Theme)
	}
	if d.theme, err = e.theme.Again(layers...); err != nil {
		return d, err
	}
	e.theme = d.theme
	if d.site, err = page.New(cat, page.Options{BaseURL: e.BaseURL, Version: e.Version, Cards: e.Cards, Known: e.known, Workbench: e.Workbench != nil}); err != nil {
		d.problems = append(d.problems, split(err)...)
		return d, Problems(d.problems)
	}
	return d, nil
}

// among reports whether a file is one of the changed ones, or below one. Nil:
// each may be.
func among(changed []string) func(string) bool {
	if changed == nil {
		return nil
	}
	set := map[string]bool{}
	for _, name := range changed {
		set[path.Clean(filepath.ToSlash(name))] = true
	}
	return func(file string) bool {
		for !set[file] {
			above := path.Dir(file)
			if above == file {
				return false
			}
			file = above
		}
		return true
	}
}

// keyed is the key of a page under a theme, with its compressed forms or without.
func keyed(theme, key string, compress bool) string {
	if compress {
		theme += " compressed"
	}
	return theme + " " + key
}
