package page

import (
	"encoding/json"
	"fmt"

	"github.com/strata-catalog/strata/generator/catalog"
	"github.com/strata-catalog/strata/generator/content"
	"github.com/strata-catalog/strata/generator/cost"
	"github.com/strata-catalog/strata/generator/facts"
	"github.com/strata-catalog/strata/generator/layer"
)

// The page that checks, changes and compares graphs in the browser, and the same
// page opened empty.
const (
	WorkbenchPath = "workbench.html"
	CheckPath     = "check.html"
	Program       = "strata.wasm" // the asset that makes its pages
)

// Workbench is the page on which a reader changes a graph. What stands on it is
// made in the browser, by this package, from a Frame and a Written.
type Workbench struct {
	Base
	Empty     bool   // opened without a template
	Frame     string // JSON of a Frame
	Index     string // the list of all templates for the script
	Schema    string // of graph documents
	Templates bool   // the site has some to choose from
	Sections  []string
}

// BenchSections are the parts of a template page that the workbench shows, by the
// names of their layouts.
var BenchSections = []string{"facts", "findings", "diagram", "structure", "tensors", "memory", "pytorch"}

// A Frame is what the pages of one model take from the site around them.
type Frame struct {
	Title       string           `json:"title"`
	Language    string           `json:"language"`
	BaseURL     string           `json:"base_url"`
	Version     string           `json:"version"`
	Cards       []string         `json:"cards"` // that estimates show, none for all
	Assumptions cost.Assumptions `json:"assumptions"`
}

// Written is a template as it is kept: templates/<id>/written.json, from which
// the page of the template can be made again, to the unit.
type Written struct {
	ID       string `json:"id" doc:"name of the template in addresses"`
	Document string `json:"document" doc:"the graph document as it is written, with its blocks"`
	Note     *Note  `json:"note" doc:"what is known beside the graph, null for nothing"`
}

// A Note is what a content file says of a template, but for its body.
type Note struct {
	Summary        string            `json:"summary"`
	PickWhen       string            `json:"pick_when"`
	Tags           []string          `json:"tags"`
	Organisation   string            `json:"organisation"`
	Links          []content.Link    `json:"links"`
	Published      content.Published `json:"published"`
	Implementation string            `json:"implementation"`
	License        string            `json:"license"`
	Accept         []content.Accept  `json:"accept"`
	TrainingTokens int64             `json:"training_tokens"`
	Images         int64             `json:"images"`
	Released       string            `json:"released"`
	MaskedLanguage bool              `json:"masked_language_model"`
}

// WrittenPath is the address of a template as it is kept.
func WrittenPath(id string) string { return "templates/" + id + "/written.json" }

func written(e *catalog.Entry) *Written {
	w := &Written{ID: e.ID, Document: e.Doc.Source.Text}
	if n := e.Note; n != nil {
		w.Note = &Note{
			n.Summary, n.PickWhen, n.Tags, n.Organisation, n.Links, n.Published, n.Implementation, n.License, n.Accept,
			n.TrainingTokens, n.Images, n.Released, n.MaskedLanguage,
		}
	}
	return w
}

// Content is the note as catalogs have it, nil for none.
func (w *Written) Content() *content.Note {
	n := w.Note
	if n == nil {
		return nil
	}
	return &content.Note{
		Summary: n.Summary, PickWhen: n.PickWhen, Tags: n.Tags, Organisation: n.Organisation, Links: n.Links,
		Published: n.Published, Implementation: n.Implementation, License: n.License, Accept: n.Accept,
		TrainingTokens: n.TrainingTokens, Images: n.Images, Released: n.Released, MaskedLanguage: n.MaskedLanguage,
	}
}

// workbench adds the page under both of its addresses.
func (s *Site) workbench(add adder) {
	for _, path := range []string{WorkbenchPath, CheckPath} {
		add(path, func() (any, error) { return s.workbenchPage(path) }, s.framed)
	}
}

func (s *Site) workbenchPage(path string) (any, error) {
	frame, err := json.Marshal(Frame{s.Title, s.Language, s.BaseURL, s.Version, s.catalog.Settings.GPUs, s.assumptions})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	w := &Workbench{
		Base: Base{
			Site: s, Path: path, Title: "Workbench",
			Description: "Check, change and compare an architecture in the browser. The graph stays there.",
		},
		Empty: path == CheckPath, Frame: string(frame), Index: IndexJSON, Schema: GraphSchema, Templates: len(s.catalog.Entries) > 0, Sections: BenchSections,
	}
	if w.Empty {
		w.Title, w.Description = "Check a graph", "Shapes, exact parameter counts and findings of a graph of yours, in the browser. The graph stays there."
	}
	return w, nil
}

// WorkbenchURL is where a template is changed, as a link on its page; "" when
// the site has no workbench.
func (t *Template) WorkbenchURL() string {
	if !t.Site.has(WorkbenchPath) {
		return ""
	}
	return t.URL(WorkbenchPath) + "?template=" + t.Data.ID
}

// WorkbenchURL is where either model is compared with any other one, as a link
// on the page of a diff; "" when the site has no workbench.
func (d *Diff) WorkbenchURL() string {
	if !d.Site.has(WorkbenchPath) {
		return ""
	}
	return d.URL(WorkbenchPath) + "?template=" + d.Data.B + "&with=" + d.Data.A
}

// Framed is a site of its references alone, around models that it does not have.
func Framed(f Frame) *Site {
	settings := content.Defaults()
	settings.GPUs = f.Cards
	files := map[string]int{RulesPath: noPage}
	for _, t := range layer.All {
		files[LayerPath(t.Name)] = noPage
	}
	return &Site{
		Title: f.Title, Language: f.Language, BaseURL: f.BaseURL, Version: f.Version,
		catalog: catalog.Empty(settings), assumptions: f.Assumptions, known: &Known{}, files: files,
	}
}

// Single is the page of a model, as the site would have it were the model one of
// its templates and had no relatives.
func (s *Site) Single(e *catalog.Entry) (*Template, error) {
	s.share([]*catalog.Entry{e})
	data, err := s.template(e, urls(e))
	if err != nil {
		return nil, err
	}
	return data.(*Template), nil
}

// Broken is the page of a graph whose structure leaves nothing to analyse: its
// findings are all that stands on it.
func (s *Site) Broken(c *facts.Check) *Template {
	return &Template{
		Base: Base{Site: s, Path: WorkbenchPath, Title: c.Name},
		Data: &Document{Model: facts.Model{Totals: c.Totals, Summary: c.Summary, Findings: c.Findings}},
	}
}

// Between is the diff of two models, without addresses.
func (s *Site) Between(a, b *catalog.Entry) (*Diff, error) {
	s.share([]*catalog.Entry{a, b})
	compared, err := s.compared(a, b)
	if err != nil {
		return nil, err
	}
	d := NewDiff(facts.Compared(compared), s.catalog.Settings.GPUs)
	d.Site, d.Path = s, WorkbenchPath
	return d, nil
}

// Unpublished is the page on the workbench, without links to files that the
// site does not have.
func (t *Template) Unpublished() *Template {
	u, d := *t, *t.Data
	u.Path, u.Data, u.Machine = WorkbenchPath, &d, nil
	u.Facts = nil
	for _, f := range t.Facts {
		if len(f.Links) != 1 || f.Links[0].Path != d.URLs.Graph {
			u.Facts = append(u.Facts, f)
		}
	}
	if t.Code != nil {
		code := *t.Code
		code.Path, u.Code = "", &code
	}
	d.URLs = URLs{}
	return &u
}
