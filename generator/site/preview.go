package site

import (
	"bytes"
	"errors"
	"io/fs"
	"slices"
	"sync"

	"github.com/strata-catalog/strata/generator/catalog"
	"github.com/strata-catalog/strata/generator/page"
	"github.com/strata-catalog/strata/generator/render"
)

// A Preview is a site that is looked at while it is written. It makes a file when
// it is asked for, so that a change costs what somebody looks at, whatever the
// size of the site. What it gives is, to the byte, what a build would publish.
//
// One Update is made at a time; all else is safe for concurrent use.
type Preview struct {
	engine *Engine

	mu   sync.Mutex
	now  *draft           // nil: nothing was good yet
	made map[string]piece // by path of the page
}

// piece is what came of a page.
type piece struct {
	key   string
	files func() ([]render.File, error) // made when first asked for
}

// mostMade is how many pages are kept once they were made.
const mostMade = 1000

// NewPreview shows the site of an engine, which does not build meanwhile.
func NewPreview(e *Engine) *Preview { return &Preview{engine: e, made: map[string]piece{}} }

// Update reads what changed, nil for everything (see Engine.plan), and shows the
// site as it is now. Pages that are open, given by their files, are made first,
// and with another theme one of each kind, so that what is wrong with a layout is
// known. With an error everything stays as it was. problems is all that is wrong
// with the input in either case.
func (p *Preview) Update(changed, open []string) (problems []error, err error) {
	d, err := p.engine.plan(changed)
	problems = d.problems
	if err == nil {
		problems = append(slices.Clip(problems), d.deadLinks()...)
		if len(problems) > 0 && !p.engine.KeepGoing {
			err = Problems(problems)
		}
	}
	if err == nil {
		err = p.try(d, open)
	}
	if err != nil {
		return problems, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now = d
	return problems, nil
}

// Catalog is what the site that is shown is made of; nil where nothing was good
// yet.
func (p *Preview) Catalog() *catalog.Catalog {
	if d := p.shown(); d != nil {
		return d.catalog
	}
	return nil
}

// deadLinks are the links in texts that lead nowhere.
func (d *draft) deadLinks() (problems []error) {
	for _, p := range d.site.Pages() {
		if p.Check != nil {
			problems = append(problems, split(p.Check())...)
		}
	}
	return problems
}

// try makes some pages before anybody asks for them. Its error is why one cannot
// be made that could before, or that is of another theme.
func (p *Preview) try(d *draft, open []string) error {
	was := p.shown()
	for _, file := range open {
		if _, err := p.file(d, file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			if _, before := p.file(was, file); before == nil {
				return err
			}
		}
	}
	if was != nil && was.theme == d.theme {
		return nil
	}
	for _, sample := range d.site.Samples() {
		if _, err := p.files(d, sample); err != nil {
			return err
		}
	}
	return nil
}

func (p *Preview) shown() *draft {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.now
}

// Has reports whether a file is part of the site.
func (p *Preview) Has(path string) bool {
	d := p.shown()
	return d != nil && d.site.Has(path)
}

// File makes the file at a path. The error is fs.ErrNotExist where the site has
// none; any other says why it cannot be made.
func (p *Preview) File(path string) ([]byte, error) { return p.file(p.shown(), path) }

func (p *Preview) file(d *draft, path string) ([]byte, error) {
	if d == nil {
		return nil, fs.ErrNotExist
	}
	if path == page.BuildPath {
		return p.manifest(d)
	}
	files := d.theme.Assets()
	if made, ok := d.site.Of(path); ok {
		var err error
		if files, err = p.files(d, made); err != nil {
			return nil, err
		}
	}
	for _, f := range files {
		if f.Path == path {
			return f.Data, nil
		}
	}
	return nil, fs.ErrNotExist
}

// files makes a page, unless it was made of the same before.
func (p *Preview) files(d *draft, of page.Page) ([]render.File, error) {
	key := keyed(d.theme.Sum(), of.Key(), false)
	p.mu.Lock()
	made, ok := p.made[of.Path]
	if !ok || made.key != key {
		if len(p.made) >= mostMade {
			clear(p.made)
		}
		made = piece{key, sync.OnceValues(func() ([]render.File, error) {
			data, problem := of.Data()
			if data == nil {
				return nil, problem
			}
			return d.theme.Render(data)
		})}
		p.made[of.Path] = made
	}
	p.mu.Unlock()
	return made.files()
}

// manifest is build.json. It takes making every page.
func (p *Preview) manifest(d *draft) ([]byte, error) {
	var s single
	err := newBuilder(d, &s).publish()
	return s.data, err
}

// single is a Sink for build.json alone.
type single struct{ data []byte }

func (s *single) Put(path string, data []byte) error {
	if path == page.BuildPath {
		s.data = bytes.Clone(data)
	}
	return nil
}

func (s *single) Commit() error  { return nil }
func (s *single) Discard() error { return nil }
