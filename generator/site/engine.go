package site

import (
	"cmp"
	"errors"
	"path"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/strata-catalog/strata/generator/catalog"
	"github.com/strata-catalog/strata/generator/page"
	"github.com/strata-catalog/strata/generator/render"
)

// An Engine builds one site again and again, and does no work twice: a file is
// parsed and analysed anew when its text changed, and a page is rendered anew
// when something that it is made of did (see page.Page.Key). What it publishes
// is, to the byte, what a build from nothing would.
//
// An Engine serves one Build at a time.
type Engine struct {
	Config
	kept   *catalog.Kept
	known  *page.Known
	render *render.Renderer
	pages  map[string]made   // of earlier builds, by path
	sums   map[string]string // SHA-256 of each published file
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
	return &Engine{Config: c, kept: &catalog.Kept{}, known: &page.Known{}, render: &render.Renderer{}}
}

// Build makes the site (see the function Build). changed lists files and folders
// that may have changed since the Build before, by paths that begin with
// TemplatesName or ContentName; other files are not read again. Nil: every file
// may have, and is looked at. Folders are listed and the theme is read in either
// case. A file behind a symbolic link has the link's path.
//
// Files that are as they were are kept in a sink that is a Keeper, and has them.
func (e *Engine) Build(sink Sink, changed []string) (Result, error) {
	b := &builder{Engine: e, sink: sink, sums: make(map[string]string, len(e.sums)), made: make(map[string]made, len(e.pages))}
	b.keeper, _ = sink.(Keeper)
	err := b.build(changed)
	if err == nil && len(b.result.Problems) > 0 && !e.KeepGoing {
		err = Problems(b.result.Problems)
	}
	if err != nil {
		return b.result, errors.Join(err, sink.Discard())
	}
	if err := sink.Commit(); err != nil {
		return b.result, err
	}
	b.compare()
	e.pages, e.sums = b.made, b.sums
	return b.result, nil
}

// compare lists what is other than in the build before.
func (b *builder) compare() {
	before := b.Engine.sums
	for path, sum := range b.sums {
		if before[path] != sum {
			b.result.Changed = append(b.result.Changed, path)
		}
	}
	for path := range before {
		if _, ok := b.sums[path]; !ok {
			b.result.Removed = append(b.result.Removed, path)
		}
	}
	slices.Sort(b.result.Changed)
	slices.Sort(b.result.Removed)
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
