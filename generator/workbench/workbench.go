// Package workbench is one graph that a reader changes: each answer is what the
// site would say were the graph one of its templates. Command strata-wasm gives
// it to browsers.
//
// A Bench holds the text of the graph, what is known beside it, and its
// analysis. Check takes a new text and says quickly what was found; the parts of
// the page, and the files to keep, are made when they are asked for.
package workbench

import (
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"

	"github.com/strata-catalog/strata/generator/catalog"
	"github.com/strata-catalog/strata/generator/content"
	"github.com/strata-catalog/strata/generator/facts"
	"github.com/strata-catalog/strata/generator/graph"
	"github.com/strata-catalog/strata/generator/page"
	"github.com/strata-catalog/strata/generator/pipeline"
	"github.com/strata-catalog/strata/generator/render"
	"github.com/strata-catalog/strata/generator/verify"
	"github.com/strata-catalog/strata/themes"
)

// File is the name of the graph in messages.
const File = "model.json"

// A Bench is a graph on the workbench. It serves one caller at a time.
type Bench struct {
	site   *page.Site
	render *render.Renderer
	note   *content.Note
	id     string          // of the template it began with, "" for none
	doc    *graph.Document // the last that could be read
	entry  *catalog.Entry
	broken *facts.Check   // of an entry without a page
	page   *page.Template // made when first asked for
}

// New is an empty workbench in a frame, JSON of a page.Frame.
func New(frame string) (*Bench, error) {
	var f page.Frame
	if err := json.Unmarshal([]byte(frame), &f); err != nil {
		return nil, fmt.Errorf("the frame of the workbench: %w", err)
	}
	theme, err := render.New(themes.Default())
	if err != nil {
		return nil, err
	}
	return &Bench{site: page.Framed(f), render: theme}, nil
}

// written reads a template as the site keeps it, JSON of a page.Written.
func written(src string) (*page.Written, error) {
	w := &page.Written{}
	if err := json.Unmarshal([]byte(src), w); err != nil {
		return nil, fmt.Errorf("the template: %w", err)
	}
	return w, nil
}

// Know takes what is known beside the graph of a template, JSON of a
// page.Written; "" is of none.
func (b *Bench) Know(src string) error {
	b.id, b.note = "", nil
	if src == "" {
		return nil
	}
	w, err := written(src)
	if err == nil {
		b.id, b.note = w.ID, w.Content()
	}
	return err
}

// An Answer is what is said of a text. One of the two is there.
type Answer struct {
	Fault *Fault       `json:"fault,omitempty"` // why it cannot be read
	Check *facts.Check `json:"check,omitempty"`
	Page  bool         `json:"page"` // there are parts of a page
}

// A Fault is a place in a text with what is wrong there.
type Fault struct {
	Line    int    `json:"line"`   // from 1, 0 for the text as a whole
	Column  int    `json:"column"` // in characters, from 1
	Message string `json:"message"`
}

func fault(err error) *Fault {
	var at *graph.Error
	if !errors.As(err, &at) {
		return &Fault{Message: err.Error()}
	}
	message := at.Msg
	if at.Path != "" {
		message = at.Path + ": " + message
	}
	return &Fault{at.Line, at.Column, message}
}

// Check analyses a text. What could not be read leaves the page of the last
// text that could.
func (b *Bench) Check(text string) Answer {
	doc, err := b.decode(text)
	if err != nil {
		return Answer{Fault: fault(err)}
	}
	e, err := b.analyse(doc, b.id, b.note)
	if err != nil {
		return Answer{Fault: fault(err)}
	}
	b.entry, b.page = e, nil
	check := facts.Checked(e.Report)
	if b.broken = nil; e.Broken() {
		b.broken = check
	}
	return Answer{Check: check, Page: !e.Broken()}
}

// decode reads a text: as a rule the last one with a change in one component, so
// that not all of it has to be read.
func (b *Bench) decode(text string) (doc *graph.Document, err error) {
	ok := false
	if b.doc != nil {
		doc, ok = b.doc.Again(text)
	}
	if !ok {
		doc, err = graph.Decode(File, []byte(text))
	}
	if err == nil {
		b.doc = doc
	}
	return doc, err
}

// options are what the rules know beside a graph.
func (b *Bench) options(id string, note *content.Note) verify.Options {
	o := verify.Options{Folder: id, Costly: true}
	if note != nil {
		o.MaskedLanguage, o.Published, o.Source = note.MaskedLanguage, note.Published.Parameters, note.Published.Source
	}
	return o
}

// analyse makes the entry that a catalog would have.
func (b *Bench) analyse(doc *graph.Document, id string, note *content.Note) (*catalog.Entry, error) {
	r, err := pipeline.Analyse(doc, b.options(id, note))
	if err != nil {
		return nil, err
	}
	if id == "" {
		id = r.Doc.ID
	}
	e := &catalog.Entry{ID: id, File: File, Note: note, Report: r}
	e.Accept()
	return e, nil
}

// made is the page of the graph.
func (b *Bench) made() (*page.Template, error) {
	switch {
	case b.entry == nil || b.broken != nil:
		return nil, errors.New("the graph has no page: mend its structure first")
	case b.page == nil:
		var err error
		if b.page, err = b.site.Single(b.entry); err != nil {
			return nil, err
		}
	}
	return b.page, nil
}

// Section is a part of the page as HTML, by its name in page.BenchSections. A graph
// without a page has its findings alone.
func (b *Bench) Section(name string) (string, error) {
	if b.broken != nil && name == "findings" {
		html, err := b.render.Section(name, b.site.Broken(b.broken))
		return string(html), err
	}
	t, err := b.made()
	if err != nil {
		return "", err
	}
	html, err := b.render.Section(name, t.Unpublished())
	return string(html), err
}

// File is the graph in a form to keep, by the ending of its name: json is the
// analysis, graph.json the document without blocks.
func (b *Bench) File(form string) (string, error) {
	t, err := b.made()
	if err != nil {
		return "", err
	}
	switch form {
	case "md":
		return string(b.render.Markdown(t)), nil
	case "json":
		src, err := b.render.Data(t)
		return string(src), err
	case "py":
		if t.Code == nil {
			return "", errors.New("a layer of this graph cannot be written in PyTorch; the page says which")
		}
		return t.Code.Source, nil
	case "svg":
		src := b.render.Drawing(t)
		if src == nil {
			return "", errors.New("the graph is too large to be drawn")
		}
		return string(src), nil
	case "graph.json":
		return string(graph.Encode(t.Graph)), nil
	}
	return "", fmt.Errorf("%q is no form of a graph; forms are json, md, py, svg, graph.json", form)
}

// Compare is what sets the graph apart from another one, JSON of a page.Written,
// as HTML.
func (b *Bench) Compare(src string) (string, error) {
	if _, err := b.made(); err != nil {
		return "", err
	}
	with, err := written(src)
	if err != nil {
		return "", err
	}
	doc, err := graph.Decode(File, []byte(with.Document))
	if err != nil {
		return "", err
	}
	a, err := b.analyse(doc, with.ID, with.Content())
	if err != nil {
		return "", err
	}
	if a.Broken() {
		return "", errors.New("the other graph has no page: its structure is broken")
	}
	d, err := b.site.Between(a, b.entry)
	if err != nil {
		return "", err
	}
	html, err := b.render.Differences(d)
	return string(html), err
}
