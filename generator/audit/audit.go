// Package audit reads a finished site before it is published: every link leads
// to a file and every anchor to an element, HTML is well formed, XML and JSON
// can be read, and no page is heavier than its budget. A Sink stands before the
// one that publishes; with a fault, nothing is published.
package audit

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// Budgets in bytes, compressed with gzip: what a reader waits for. Lists grow
// with the catalog, and have more.
const (
	pageBudget   = 60 << 10
	listBudget   = 160 << 10
	scriptBudget = 30 << 10 // all scripts of a page
)

// lists are the pages that grow with the catalog.
var lists = []string{"index.html", "diff/index.html", "compare.html"}

// missing is the page that a host shows at any address.
const missing = "404.html"

// A Fault is something wrong with a file of the site.
type Fault struct {
	File         string
	Line, Column int // 0: it is of the whole file
	Text         string
}

func (f Fault) Error() string {
	if f.Line == 0 {
		return f.File + ": " + f.Text
	}
	return fmt.Sprintf("%s:%d:%d: %s", f.File, f.Line, f.Column, f.Text)
}

// Faults is the error of a site with faults, by file and place.
type Faults []Fault

func (f Faults) Error() string {
	lines := make([]string, len(f))
	for i := range f {
		lines[i] = f[i].Error()
	}
	return strings.Join(lines, "\n")
}

// A Target is where the files of a site go to.
type Target interface {
	Put(path string, data []byte) error
	Commit() error
	Discard() error
}

// A Sink reads each file on its way to a Target. Its Commit returns Faults, and
// discards, where there are any.
type Sink struct {
	Target
	root *url.URL // where the site is published

	mu     sync.Mutex
	pages  map[string]*document
	sizes  map[string]int // of every file, compressed where that is asked for
	faults Faults
}

// NewSink makes a Sink for a site at a base URL, "" where it has none.
func NewSink(to Target, base string) (*Sink, error) {
	root, err := url.Parse(cmp.Or(base, "http://localhost/"))
	if err != nil {
		return nil, err
	}
	root.Path = strings.TrimSuffix(root.Path, "/") + "/"
	return &Sink{Target: to, root: root, pages: map[string]*document{}, sizes: map[string]int{}}, nil
}

// Put implements Target.
func (s *Sink) Put(path string, data []byte) error {
	size, d, faults := read(path, data)
	s.mu.Lock()
	s.sizes[path] = size
	s.faults = append(s.faults, faults...)
	if d != nil {
		s.pages[path] = d
	}
	s.mu.Unlock()
	return s.Target.Put(path, data)
}

// read looks at one file.
func read(name string, data []byte) (size int, d *document, faults Faults) {
	switch path.Ext(name) {
	case ".html":
		size, d = packed(data), parse(name, data)
		return size, d, d.faults
	case ".js":
		return packed(data), nil, nil
	case ".xml", ".svg":
		if err := wellFormed(data); err != nil {
			faults = append(faults, Fault{File: name, Text: err.Error()})
		}
	case ".json":
		if !jsontext.Value(data).IsValid() {
			faults = append(faults, Fault{File: name, Text: "found something that is no JSON, expected one value"})
		}
	}
	return len(data), nil, faults
}

func wellFormed(data []byte) error {
	d := xml.NewDecoder(bytes.NewReader(data))
	for {
		if _, err := d.Token(); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// packed is the size of a file as hosts send it.
func packed(data []byte) int {
	var n counter
	z := gzip.NewWriter(&n)
	_, err1 := z.Write(data)
	if err := errors.Join(err1, z.Close()); err != nil {
		panic(err) // a counter takes everything
	}
	return int(n)
}

type counter int

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

// Commit implements Target.
func (s *Sink) Commit() error {
	for name, d := range s.pages {
		s.follow(name, d)
		s.weigh(name, d)
	}
	if len(s.faults) == 0 {
		return s.Target.Commit()
	}
	slices.SortFunc(s.faults, func(a, b Fault) int {
		return cmp.Or(strings.Compare(a.File, b.File), a.Line-b.Line, a.Column-b.Column, strings.Compare(a.Text, b.Text))
	})
	if err := s.Target.Discard(); err != nil {
		return errors.Join(s.faults, err)
	}
	return s.faults
}

// weigh compares a page with its budget.
func (s *Sink) weigh(name string, d *document) {
	over := func(what string, size, budget int) {
		if size > budget {
			s.faults = append(s.faults, Fault{File: name, Text: fmt.Sprintf("found %s of %.1f KB compressed, expected at most %d KB", what, float64(size)/1024, budget>>10)})
		}
	}
	budget := pageBudget
	if slices.Contains(lists, name) {
		budget = listBudget
	}
	over("a page", s.sizes[name], budget)
	scripts := 0
	for _, l := range d.links {
		if l.script {
			if target, _, ok := s.target(name, l.address); ok {
				scripts += s.sizes[target]
			}
		}
	}
	over("scripts", scripts, scriptBudget)
}

// follow looks for what the links of a page lead to.
func (s *Sink) follow(name string, d *document) {
	for _, l := range d.links {
		if text := s.dead(name, l.address); text != "" {
			s.faults = append(s.faults, Fault{name, l.line, l.column, text})
		}
	}
}

// target is the file that an address on a page leads to, if it is of this site.
func (s *Sink) target(from, address string) (file, fragment string, ok bool) {
	at := s.root.JoinPath(from)
	if from == missing {
		if strings.HasPrefix(address, "#") {
			return from, address[1:], true
		}
		at = s.root.JoinPath("no", "such", "page")
	}
	u, err := at.Parse(address)
	if err != nil || u.Host != s.root.Host || u.Scheme != s.root.Scheme {
		return "", "", false
	}
	file, ok = strings.CutPrefix(u.Path, s.root.Path)
	if file == "" || strings.HasSuffix(file, "/") {
		file += "index.html"
	}
	return file, u.Fragment, ok
}

// dead says what is wrong with an address on a page, "" when nothing is.
func (s *Sink) dead(from, address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return fmt.Sprintf("link %q is no address", address)
	}
	if u.Host != "" && u.Host != s.root.Host || u.Scheme != "" && u.Host == "" {
		if !slices.Contains([]string{"http", "https", "mailto", "data", ""}, u.Scheme) {
			return fmt.Sprintf("link %q has the scheme %q, expected http, https or mailto", address, u.Scheme)
		}
		return ""
	}
	file, fragment, ok := s.target(from, address)
	if !ok {
		return fmt.Sprintf("link %q leaves the site, which is at %s", address, s.root.Path)
	}
	if _, ok := s.sizes[file]; !ok {
		return fmt.Sprintf("link %q leads to %s, which is not there", address, file)
	}
	if d := s.pages[file]; fragment != "" && (d == nil || !d.ids[fragment]) {
		return fmt.Sprintf("link %q leads to no element of %s with that id", address, file)
	}
	return ""
}
