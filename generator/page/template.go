package page

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/strata-catalog/strata/generator/catalog"
	"github.com/strata-catalog/strata/generator/content"
	"github.com/strata-catalog/strata/generator/draw"
	"github.com/strata-catalog/strata/generator/facts"
	"github.com/strata-catalog/strata/generator/format"
	"github.com/strata-catalog/strata/generator/graph"
	"github.com/strata-catalog/strata/generator/infer"
	"github.com/strata-catalog/strata/generator/verify"
)

// Template is the page of a template. Its Markdown twin has the same data, its
// JSON is the Document, and the graph that it links to is Graph.
type Template struct {
	Base
	Data      *Document
	PickWhen  string          // a sentence, "" when the note has none
	Sections  []Section       // what the page has, in order
	Facts     []Fact          // what to know first
	Picture   *draw.Picture   // nil when it cannot be drawn
	Structure []Column        // the columns of the layer table
	Tensors   []Column        // the columns of the ledger
	Reckoning []Sum           // from the parameters to the elements that a checkpoint stores
	Parts     Table           // parameters and work by kind of layer
	Planner   *Planner        // memory and cost, to be asked again
	Estimates []Table         // memory, fit and cost
	Notes     []string        // how the estimates come about
	Code      *Code           // as PyTorch; nil when a layer cannot be written,
	Reasons   []Reason        // and then why
	Machine   []Item          // addresses for programs
	Asks      []Ask           // what else they can ask
	Body      string          // of the note, HTML
	Markdown  string          // of the note, as written
	Graph     *graph.Document // flat
	Written   *Written        // for the workbench; nil when the site has none
}

// Document is a/<id>.json.
type Document struct {
	Schema string `json:"schema" doc:"address of the schema"`
	facts.Model
	PickWhen     string `json:"pick_when" doc:"when to pick the model, empty when nothing is said of it"`
	Links        []Link `json:"links" doc:"paper, code, checkpoint"`
	Organisation string `json:"organisation" doc:"who made the model, empty when nobody is named"`
	License      string `json:"license" doc:"licence of the published weights, an SPDX identifier, empty when not known"`
	Released     string `json:"released" doc:"release date, YYYY-MM-DD or YYYY-MM, empty when not known"`
	// Implementation is what backs the names in the tensor ledger.
	Implementation string      `json:"implementation" doc:"class or builder of a Python library whose tensors have the names and shapes of these, empty when none has been compared"`
	Checkpoint     *Checkpoint `json:"checkpoint" doc:"what is published of a checkpoint, null when nothing is known"`
	Diffs          []DiffEntry `json:"diffs" doc:"diffs with its nearest relatives, and those that somebody wrote about"`
	URLs           URLs        `json:"urls" doc:"addresses of the template, from the root of the site"`
}

// A Link is a named address of another site.
type Link struct {
	Title string `json:"title" doc:"what it is"`
	URL   string `json:"url" doc:"its address"`
}

// A Checkpoint is what its authors publish.
type Checkpoint struct {
	Parameters *int64 `json:"parameters" doc:"published number of parameters, null when not known"`
	Source     string `json:"source" doc:"where that is said"`
	Stored     *int64 `json:"stored" doc:"elements that the checkpoint's file stores, null when not known"`
	Lines      []Sum  `json:"lines" doc:"from the parameters of the graph to the stored elements: what stands between two totals adds up to the second"`
}

// A Sum is a line of an addition.
type Sum struct {
	What     string `json:"what" doc:"what is counted"`
	Elements int64  `json:"elements" doc:"how many elements"`
	Total    bool   `json:"total" doc:"the sum of what stands above"`
}

// A Section is a part of a page that can be linked to.
type Section struct{ ID, Title string }

// The sections of a template page.
var (
	Diagram     = Section{"diagram", "Diagram"}
	Structure   = Section{"structure", "Structure"}
	Tensors     = Section{"tensors", "Tensors"}
	Memory      = Section{"memory", "Memory and cost"}
	Findings    = Section{"findings", "Verifier findings"}
	PyTorch     = Section{"pytorch", "Exported PyTorch"}
	Related     = Section{"diffs", "Related diffs"}
	Machine     = Section{"machine", "Machine access"}
	Notes       = Section{"notes", "Notes"}
	allSections = []Section{Diagram, Structure, Tensors, Memory, Findings, PyTorch, Related, Machine, Notes}
	templateIDs = idsOf(allSections)
)

func idsOf(sections []Section) map[string]bool {
	ids := map[string]bool{}
	for _, s := range sections {
		ids[s.ID] = true
	}
	return ids
}

// notesPrefix begins the ids of a note's headings, so that they are none of
// the page's.
const notesPrefix = "note-"

// The columns of the structure table and of the ledger.
var (
	structureColumns = []Column{{"#", true}, {"Layer", false}, {"Type", false}, {"Parameters", false}, {"Output shape", false}, {"Weights", true}, {"Share", true}}
	tensorColumns    = []Column{{"Tensor", false}, {"Shape", false}, {"×", true}, {"Parameters", true}, {"fp32", true}, {"bf16", true}, {"Tied to", false}}
)

// A Fact is one thing to know of a template.
type Fact struct {
	Label string
	Text  string
	Exact string // the exact number behind a shortened one
	Note  string // what to know about it
	Links []Item // instead of a text
	// Verdict is set on the fact that is the verdict.
	Verdict verify.Verdict
}

func (s *Site) templatePage(add adder, e *catalog.Entry) {
	s.shared[e].left.Add(1)
	urls := s.urls(e)
	files := urls.all()
	if s.has(WorkbenchPath) {
		files = append(files, WrittenPath(e.ID))
	}
	added := add(urls.HTML, func() (any, error) { return s.template(e, urls) }, func() needs { return s.templateNeeds(e) }, files...)
	if e.Note != nil {
		added.Check = func() error { return s.checked(noteText(e)) }
	}
	if urls.Card != nil {
		s.shared[e].left.Add(1)
		add(*urls.Card, func() (any, error) { return s.card(e, urls) }, func() needs { return append(s.framed(), e.Sum) })
	}
}

// noteText is what the note of a template says.
func noteText(e *catalog.Entry) prose {
	n := e.Note
	return prose{TemplateURLs(e.ID).HTML, content.Options{File: n.File, Line: n.BodyLine, Prefix: notesPrefix}, n.Body, templateIDs}
}

func (s *Site) template(e *catalog.Entry, urls URLs) (any, error) {
	defer s.shared[e].done()
	plan, err := s.plan(e)
	if err != nil {
		return nil, err
	}
	d := &Document{Schema: s.schemaURL(TemplateSchema), Model: *facts.Of(e.Report, plan, e.Published().Parameters), URLs: urls}
	d.ID, d.Description, d.Tags = e.ID, e.Summary(), e.Tags()
	t := &Template{
		Base: Base{
			Site: s, Path: urls.HTML, Title: d.Name, Description: d.Description,
			Alternates: []Alternate{{"text/markdown", "Markdown", urls.Markdown}, {"application/json", "JSON", urls.JSON}},
			Card:       urls.Card,
		},
		Data: d, Picture: s.picture(e), Structure: structureColumns, Tensors: tensorColumns,
		Machine: s.machine(urls), Asks: s.asks(Ask{"Check it on the command line", "strata check " + urls.Graph, ""}, Ask{"Plan it", "strata plan " + e.ID, ""}),
		Graph: e.Model.Graph.Flat(),
	}
	if t.Code, err = code(e, urls); err != nil {
		return nil, err
	}
	if t.Code == nil {
		t.Reasons = reasons(e)
	}
	if s.has(WorkbenchPath) {
		t.Written = written(e)
	}
	if d.Diffs, err = s.related(e); err != nil {
		return nil, err
	}
	err = s.note(t, e)
	d.Checkpoint = checkpoint(e)
	if d.Checkpoint != nil {
		t.Reckoning = d.Checkpoint.Lines
	}
	t.Facts = t.facts(e)
	t.Parts = kinds(plan.Parts)
	var fault error
	if t.Planner, fault = planner(plan); fault != nil {
		return nil, fmt.Errorf("%s: %w", e.File, fault)
	}
	t.Estimates, t.Notes = s.estimates(plan, t.Planner.Memory), notes(plan)
	t.Sections = slices.DeleteFunc(slices.Clone(allSections), func(sec Section) bool {
		return sec == Diagram && t.Picture == nil || sec == Related && len(d.Diffs) == 0 || sec == Notes && t.Body == ""
	})
	return t, err
}

// note fills in what the content file says.
func (s *Site) note(t *Template, e *catalog.Entry) (err error) {
	n, d := e.Note, t.Data
	d.Links = []Link{}
	d.Organisation, d.License, d.Released = e.Organisation(), e.License(), e.Released()
	if n == nil {
		return nil
	}
	t.PickWhen = pickWhen(n.PickWhen)
	d.PickWhen, d.Implementation = t.PickWhen, n.Implementation
	for _, l := range n.Links {
		d.Links = append(d.Links, Link{l.Title, l.URL})
	}
	t.Markdown = s.relink(&t.Base, strings.TrimSpace(n.Body))
	t.Body, err = s.body(&t.Base, noteText(e))
	return err
}

// pickWhen is the sentence that a note's words complete.
func pickWhen(words string) string {
	words = strings.TrimSpace(words)
	if words == "" {
		return ""
	}
	if !strings.HasPrefix(strings.ToLower(words), "pick ") {
		words = "Pick " + words
	}
	if !strings.HasSuffix(words, ".") {
		words += "."
	}
	return words
}

// checkpoint sets what is published against what the graph has.
func checkpoint(e *catalog.Entry) *Checkpoint {
	steps, p := e.Reconciliation(), e.Published()
	if len(steps) == 0 {
		return nil
	}
	c := &Checkpoint{Source: p.Source}
	if p.Parameters > 0 {
		c.Parameters = &p.Parameters
	}
	if p.Stored > 0 {
		c.Stored = &p.Stored
	}
	for _, step := range steps {
		c.Lines = append(c.Lines, Sum{step.What, step.Elements, step.Sum})
	}
	return c
}

// facts lists what to know first.
func (t *Template) facts(e *catalog.Entry) (list []Fact) {
	d, m := t.Data, e.Model
	text := func(label, text string) {
		if text != "" {
			list = append(list, Fact{Label: label, Text: text})
		}
	}
	count := func(label string, n int64, note string) {
		list = append(list, Fact{Label: label, Text: format.Count64(n), Exact: exact(n), Note: note})
	}
	work := func(label string, n *big.Int, unit, note string) {
		if !d.MACsWhole {
			note = strings.TrimPrefix(note+"; a lower bound: the work of some layer is not known", "; ")
		}
		f := Fact{Label: label, Text: format.Metric(n, unit), Note: note}
		if !n.IsInt64() || n.Int64() >= 1000 {
			f.Exact = format.Exact(n)
		}
		list = append(list, f)
	}
	text("Category", d.Category)
	text("Organisation", d.Organisation)
	text("Tags", strings.Join(d.Tags, ", "))
	text("Layers", fmt.Sprint(d.Layers))
	text("Components", fmt.Sprint(d.Components))
	whole := ""
	if !d.ParametersWhole {
		whole = "a lower bound: some weight has no known size"
	}
	count("Parameters", d.Parameters, whole)
	if d.ActiveParameters != d.Parameters {
		count("Active parameters", d.ActiveParameters, "of these, what works on one token")
	}
	if known := e.Published().Parameters; known > 0 {
		count("Published parameters", known, difference(d.Parameters, known))
	}
	switch {
	case d.Implementation != "":
		list = append(list, Fact{Label: "Implementation", Text: d.Implementation, Note: "has the same tensors, by name and shape"})
	case e.Published().Parameters > 0:
		list = append(list, Fact{Label: "Implementation", Text: "count only", Note: "names and shapes of the tensors are not compared with one"})
	}
	if d.Buffers > 0 {
		count("Buffers", d.Buffers, "stored elements that are no parameters")
	}
	t.shapes(text, "Input shape", m.Inputs(), e)
	t.shapes(text, "Output shape", m.Outputs(), e)
	if d.MACs.Sign() > 0 {
		work("MACs", d.MACs, "MACs", forwardPass(m))
		if d.CausalMACs.Cmp(d.MACs) != 0 {
			work("MACs, causal", d.CausalMACs, "MACs", "what causal and windowed kernels must do")
		}
		work("FLOPs", new(big.Int).Lsh(d.MACs, 1), "FLOPs", "2 for each MAC")
	}
	text("Licence of the weights", licence(d.License))
	text("Released", d.Released)
	list = append(list, Fact{Label: "Verifier verdict", Text: string(d.Verdict), Verdict: d.Verdict, Note: counted(facts.Tallied(e.Findings))})
	list = append(list, Fact{Label: "Graph JSON", Links: []Item{{Text: d.URLs.Graph, Path: d.URLs.Graph}}})
	links := Fact{Label: "Links"}
	for _, l := range d.Links {
		links.Links = append(links.Links, Item{Text: l.Title, Path: l.URL})
	}
	if len(links.Links) > 0 {
		list = append(list, links)
	}
	return list
}

// forwardPass says what the work of a forward pass is for.
func forwardPass(m *infer.Model) string {
	for i := range m.Nodes {
		if m.Nodes[i].Result.Attn != nil {
			return "one forward pass at the declared input, attention over the full square"
		}
	}
	return "one forward pass at the declared input"
}

// shapes adds the shapes of inputs or outputs, with their names where there are
// several.
func (t *Template) shapes(add func(label, text string), label string, nodes []int, e *catalog.Entry) {
	parts := make([]string, len(nodes))
	for k, i := range nodes {
		n := &e.Model.Nodes[i]
		parts[k] = facts.ShapeText(n.Out())
		if len(nodes) > 1 {
			parts[k] = n.Node.Name() + ": " + parts[k]
		}
	}
	add(label, strings.Join(parts, "; "))
}

// exact is a number to stand beside its short form, "" when that is exact.
func exact(n int64) string {
	if -1000 < n && n < 1000 {
		return ""
	}
	return format.Exact64(n)
}

// difference says how a graph's count differs from the published one.
func difference(derived, known int64) string {
	d := derived - known
	switch {
	case d == 0:
		return "the graph has exactly as many"
	case d > 0:
		return fmt.Sprintf("the graph has %s more, %s", format.Exact64(d), format.Percent(d, known))
	}
	return fmt.Sprintf("the graph has %s fewer, %s", format.Exact64(-d), format.Percent(d, known))
}

// counted says how many findings there are.
func counted(t facts.Tally) string {
	var parts []string
	add := func(n int, one, more string) {
		switch {
		case n == 1:
			parts = append(parts, "1 "+one)
		case n > 1:
			parts = append(parts, fmt.Sprintf("%d %s", n, more))
		}
	}
	add(t.Error, "error", "errors")
	add(t.Warning, "warning", "warnings")
	add(t.Advice, "advice", "advice")
	return strings.Join(parts, ", ")
}

// machine lists the addresses that programs read.
func (s *Site) machine(u URLs) []Item {
	list := []Item{
		{"This page as Markdown", u.Markdown, ""},
		{"This page as JSON", u.JSON, "every row, tensor, finding and estimate"},
		{"The graph", u.Graph, "flat and fully expanded"},
	}
	if u.Diagram != nil {
		list = append(list, Item{"The diagram", *u.Diagram, "SVG"})
	}
	if u.PyTorch != nil {
		list = append(list, Item{"The model as PyTorch", *u.PyTorch, "one file, with the same names and counts"})
	}
	if u.Card != nil {
		list = append(list, Item{"The card for links to this page", *u.Card, "PNG"})
	}
	list = append(list, []Item{
		{"Every architecture as JSON", IndexJSON, ""},
		{"Every architecture as Markdown", IndexMarkdown, ""},
		{"JSON Schema of this page", TemplateSchema, ""},
		{"JSON Schema of the index", IndexSchema, ""},
		{"Guide for language models", LLMs, ""},
	}...)
	return append(list, s.howToAsk()...)
}

// Where lists the components of a finding as links to their rows. Names without
// a row have no address.
func (t *Template) Where(f facts.Finding) []Item {
	const most = 6
	var list []Item
	for _, id := range f.Components {
		if len(list) == most {
			return append(list, Item{Text: fmt.Sprintf("and %d more", len(f.Components)-most)})
		}
		list = append(list, t.component(id))
	}
	return list
}

// RuleURL is the address of a rule in the reference, as a link on this page.
func (t *Template) RuleURL(id string) string { return t.URL(RulesPath) + "#" + id }

// component links to the row of a component, if it has one.
func (t *Template) component(id string) Item {
	for i := range t.Data.Rows {
		r := &t.Data.Rows[i]
		if r.ID != id {
			continue
		}
		text := id
		if r.Name != id {
			text = r.Name + " (" + id + ")"
		}
		return Item{Text: text, Path: fmt.Sprintf("#row-%d", r.Number)}
	}
	return Item{Text: id}
}
