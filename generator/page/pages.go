package page

import (
	"errors"
	"fmt"

	"github.com/strata-catalog/strata/generator/content"
)

// Content is a page of text: content/<path>.md.
type Content struct {
	Base
	Body string // HTML
}

func contentPath(p *content.Page) string { return p.Path + ".html" }

// contentPages adds the pages of text. Each needs an address of its own.
func (s *Site) contentPages(add adder) error {
	var errs []error
	for _, p := range s.catalog.Pages {
		path := contentPath(p)
		if s.has(path) {
			errs = append(errs, fmt.Errorf("%s would become %s, which the site has already; rename it", p.File, path))
			continue
		}
		text := prose{page: path, Options: content.Options{File: p.File, Line: p.BodyLine}, text: p.Body}
		add(path, func() (any, error) { return s.content(p, text) }, func() needs {
			return append(s.framed(), s.linked(text)...)
		}).Check = func() error { return s.checked(text) }
	}
	return errors.Join(errs...)
}

func (s *Site) content(p *content.Page, text prose) (any, error) {
	c := &Content{Base: Base{Site: s, Path: text.page, Title: p.Title, Description: p.Description}}
	var err error
	c.Body, err = s.body(&c.Base, text)
	return c, err
}

// NotFound is shown for an address that the site does not have.
type NotFound struct{ Base }

func (s *Site) notFound() (any, error) {
	return &NotFound{Base{Site: s, Path: NotFoundPath, Title: "Page not found", Rooted: true}}, nil
}

// Text is a file that is written as it stands.
type Text struct {
	Path string
	Body string
}

func (s *Site) robots() (any, error) {
	t := &Text{Path: Robots, Body: "User-agent: *\nAllow: /\n"}
	if s.BaseURL != "" {
		t.Body += "\nSitemap: " + s.absolute(SiteMap) + "\n"
	}
	return t, nil
}

// headers are what hosts that read such a file send beside each file: assets
// have a checksum in their address and never change, anything else may.
func (s *Site) headers() (any, error) {
	root := s.root()
	return &Text{Path: HeadersPath, Body: root + AssetFolder + `*
  Cache-Control: public, max-age=31536000, immutable
` + root + `*
  X-Content-Type-Options: nosniff
  Referrer-Policy: strict-origin-when-cross-origin
`}, nil
}

// A Map lists the pages for search engines.
type Map struct {
	URLs []string // absolute, in order
}

func (s *Site) siteMap() (any, error) {
	m := &Map{}
	for _, path := range sorted(s.files) {
		if isPage(path) {
			m.URLs = append(m.URLs, s.absolute(path))
		}
	}
	return m, nil
}

func isPage(path string) bool {
	return len(path) > 5 && path[len(path)-5:] == ".html" && path != NotFoundPath
}
