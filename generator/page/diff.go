package page

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/strata-catalog/strata/generator/cost"
	"github.com/strata-catalog/strata/generator/diff"
	"github.com/strata-catalog/strata/generator/facts"
	"github.com/strata-catalog/strata/generator/format"
	"github.com/strata-catalog/strata/generator/layer"
	"github.com/strata-catalog/strata/generator/shape"
)

// Diff is the page of a diff. Its Markdown twin has the same data, and its JSON
// is the Document.
type Diff struct {
	Base
	Data        *DiffDocument
	Story       string        // what the diff shows, "" when nobody wrote about it
	Sides       Table         // the two models
	Deltas      []Fact        // what B has more
	Parts       Table         // where the parameters sit
	Bill        []Table       // what the changes cost, by kind of layer and by row
	Pictures    []DiffPicture // of both, none where one cannot be drawn
	Rows        []Column      // of the table of rows in Markdown
	Assumptions Table         // of the estimates
	Notes       []string      // how the estimates and the bill come about
	Templates   []Item        // the pages of the two models
	Graphs      []Item        // the two documents
	Machine     []Item        // addresses for programs
	Asks        []Ask         // what else they can ask
	Body        string        // of the note, HTML
	Markdown    string        // of the note, as written
}

// DiffDocument is diff/<a>-vs-<b>.json.
type DiffDocument struct {
	Schema string `json:"schema" doc:"address of the schema"`
	facts.Diff
	Story  string      `json:"story" doc:"what the diff shows, empty when nobody wrote about it"`
	URLs   DiffURLs    `json:"urls" doc:"addresses of the diff, from the root of the site"`
	Graphs *GraphPaths `json:"graphs" doc:"the graph documents, from the root of the site"`
}

// GraphPaths are the addresses of two graphs.
type GraphPaths struct {
	A string `json:"a" doc:"the graph of a, flat and fully expanded"`
	B string `json:"b" doc:"the graph of b, flat and fully expanded"`
}

// The sections of a diff.
var (
	DiffSides    = Section{"sides", "Sides"}
	DiffDeltas   = Section{"deltas", "Deltas"}
	DiffParts    = Section{"parameters", "Where the parameters sit"}
	DiffBill     = Section{"bill", "The bill"}
	DiffFolded   = Section{"folded", "In short"}
	DiffLayers   = Section{"layers", "Layer by layer"}
	DiffPictures = Section{"pictures", "Diagrams"}
	DiffLimits   = Section{"limits", "What this is not"}
	DiffGraphs   = Section{"graphs", "Graphs"}
	DiffHow      = Section{"assumptions", "Assumptions"}
)

// diffSections are those that the page has; the Markdown twin has DiffFolded too.
var diffSections = []Section{DiffSides, DiffDeltas, DiffParts, DiffBill, DiffLayers, DiffPictures, DiffLimits, DiffGraphs, DiffHow, Machine, Notes}

var diffIDs = idsOf(diffSections)

// sideCards are the cards that a diff tells the fit on, where the settings name
// none: a small, a middle and a large one.
var sideCards = []string{"T4 16GB", "A100 40GB", "H100 80GB"}

// NewDiff makes the tables of a diff, for a page or for an answer without
// addresses. cards are those to tell the fit on; none stands for three sizes.
func NewDiff(f *facts.Diff, cards []string) *Diff {
	if len(cards) == 0 {
		cards = sideCards
	}
	d := &Diff{
		Base: Base{Site: &Site{}, Title: f.NameA + " vs " + f.NameB, Description: f.Headline},
		Data: &DiffDocument{Diff: *f}, Deltas: deltas(f), Sides: sides(f, cards), Parts: parts(f), Assumptions: assumedBy(f),
	}
	d.Bill = []Table{kindBill(f), rowBill(f)}
	for _, name := range []string{f.NameA, f.NameB} {
		d.Rows = append(d.Rows, Column{name, false}, Column{"Params", true}, Column{"Output", false})
	}
	d.Rows = append([]Column{{"#", true}, {"Status", false}}, d.Rows...)
	for _, n := range cost.Notes {
		if slices.Contains([]string{"cache", "training", "training_fits", "pretraining"}, n.Of) {
			d.Notes = append(d.Notes, n.Text)
		}
	}
	d.Notes = append(d.Notes, headNote)
	return d
}

// headNote says why the bill and the table of the parameters may differ.
const headNote = "A linear layer that is the head of one model and stands within the other counts as linear on both sides of the bill, so that what stays the same costs nothing; where the parameters sit, it counts as each model has it."

// sides sets the two models side by side.
func sides(f *facts.Diff, cards []string) Table {
	a, b := &f.Sides.A, &f.Sides.B
	t := Table{Caption: "The two models", Columns: []Column{{"", false}, {f.NameA, false}, {f.NameB, false}}}
	add := func(name string, of func(*facts.Side) Cell) {
		t.Rows = append(t.Rows, row(name, of(a), of(b)))
	}
	add("Layers", func(s *facts.Side) Cell { return Cell{Text: format.Exact64(int64(s.Layers))} })
	add("Parameters", func(s *facts.Side) Cell { return short(s.Parameters, s.ParametersWhole) })
	if a.ActiveParameters != a.Parameters || b.ActiveParameters != b.Parameters {
		add("Active parameters", func(s *facts.Side) Cell { return short(s.ActiveParameters, s.ParametersWhole) })
	}
	add("Input", func(s *facts.Side) Cell { return Cell{Text: shapeList(s.Inputs)} })
	add("Output", func(s *facts.Side) Cell { return Cell{Text: shapeList(s.Outputs)} })
	add("Forward-passes", func(s *facts.Side) Cell {
		if s.ForwardPasses {
			return Cell{Text: "yes", Mark: "yes"}
		}
		return Cell{Text: "no", Mark: "no"}
	})
	add("Est. train cost", price)
	add("Trained on", trainedOn)
	for _, card := range cards {
		add(card, func(s *facts.Side) Cell { return trainingFit(s, card) })
	}
	return t
}

// short is a count as diffs show it, with the exact number behind it.
func short(n int64, whole bool) Cell {
	return Cell{Text: atLeast(!whole) + format.Short64(n), Exact: exact(n)}
}

func shapeList(list []shape.Shape) string {
	if len(list) == 0 {
		return "none"
	}
	texts := make([]string, len(list))
	for i, s := range list {
		texts[i] = facts.ShapeText(s)
	}
	return strings.Join(texts, ", ")
}

// atLeast stands before a lower bound.
func atLeast(lower bool) string {
	if lower {
		return "≥ "
	}
	return ""
}

// price is what training costs.
func price(s *facts.Side) Cell {
	if s.Pretraining == nil {
		return Cell{Text: "not known"}
	}
	return Cell{Text: atLeast(s.LowerBound) + format.Money(s.Pretraining.USD)}
}

// trainedOn is the data that the price of training is for.
func trainedOn(s *facts.Side) Cell {
	p := s.Pretraining
	if p == nil {
		return Cell{}
	}
	derived := p.Unit == "token" && s.Assumptions.Tokens == 0 // from the parameters
	return Cell{Text: fmt.Sprintf("%s%s %ss, %s", atLeast(derived && !s.ParametersWhole), format.Short(p.Units), p.Unit, p.Source), Exact: format.Exact(p.Units)}
}

// trainingFit tells whether a card holds the training. That it does cannot be
// told of one whose need is only a lower bound; that it does not can.
func trainingFit(s *facts.Side, card string) Cell {
	for _, f := range s.TrainingFits {
		if f.Card != card {
			continue
		}
		need := "needs " + format.Exact(f.Bytes) + " bytes"
		if s.LowerBound {
			need = "needs at least " + format.Exact(f.Bytes) + " bytes"
		}
		switch {
		case !f.Known:
			return Cell{Text: "not known", Exact: need}
		case !f.Fits:
			return Cell{Text: "no", Mark: "no", Exact: need}
		}
		return Cell{Text: "fits", Mark: "yes", Exact: need}
	}
	return Cell{Text: "not known"}
}

// deltas is what B has more.
func deltas(f *facts.Diff) []Fact {
	n := f.ParametersDelta
	params := bounded(signed(n), f.ParametersBound)
	if f.ParametersBound == diff.Exact {
		params.Text += fmt.Sprintf(" (%s)", format.Percent(n, f.Sides.A.Parameters))
	}
	return []Fact{
		{Label: "Parameters", Text: params.Text, Exact: params.Exact},
		{Label: "Layers", Text: format.Signed(big.NewInt(int64(f.LayersDelta)))},
	}
}

// Bounded is the text of a difference that may be a bound of the true one, or
// leave it open.
func Bounded(text string, b diff.Bound) string {
	switch b {
	case diff.AtLeast:
		return "≥ " + text
	case diff.AtMost:
		return "≤ " + text
	case diff.Unknown:
		return "not known"
	}
	return text
}

// bounded is Bounded for a cell.
func bounded(c Cell, b diff.Bound) Cell {
	c.Text = Bounded(c.Text, b)
	if c.Exact != "" {
		c.Exact = Bounded(c.Exact, b)
	}
	return c
}

// parts says where the parameters of both sit.
func parts(f *facts.Diff) Table {
	t := Table{Caption: "Parameters by kind of layer", Columns: []Column{
		{"Kind", false}, {f.NameA, true}, {"Share", true}, {f.NameB, true}, {"Share", true}, {"Difference", true}}}
	a, b := &f.Sides.A, &f.Sides.B
	paramsA, paramsB := byPart(a.Parts), byPart(b.Parts)
	add := func(name string, nA, nB int64, wholeA, wholeB bool, bound diff.Bound) {
		t.Rows = append(t.Rows, row(name, short(nA, wholeA), shareOf(nA, a), short(nB, wholeB), shareOf(nB, b), bounded(signed(nB-nA), bound)))
	}
	for _, p := range layer.Parts {
		if paramsA[p] == 0 && paramsB[p] == 0 && !a.Open[p] && !b.Open[p] {
			continue
		}
		bound := diff.Exact
		if !f.Identical {
			bound = diff.BoundOf(!a.Open[p], !b.Open[p])
		}
		add(string(p), paramsA[p], paramsB[p], !a.Open[p], !b.Open[p], bound)
		t.Rows[len(t.Rows)-1].Part = p
	}
	add("Total", a.Parameters, b.Parameters, a.ParametersWhole, b.ParametersWhole, f.ParametersBound)
	t.Rows[len(t.Rows)-1].Total = true
	return t
}

// shareOf is a share of a model's parameters, nothing where their number is
// only a lower bound.
func shareOf(n int64, s *facts.Side) Cell {
	if !s.ParametersWhole {
		return Cell{}
	}
	return Cell{Text: format.Share(n, s.Parameters)}
}

func byPart(list []cost.Part) map[layer.Part]int64 {
	of := make(map[layer.Part]int64, len(list))
	for _, p := range list {
		of[p.Part] = p.Params
	}
	return of
}

func signed(n int64) Cell { return signedBig(big.NewInt(n)) }

// signedBig is a difference, with the exact number behind it.
func signedBig(n *big.Int) Cell {
	c := Cell{Text: format.Signed(n)}
	if n.CmpAbs(big.NewInt(1000)) >= 0 {
		c.Exact = plus(n.Sign(), format.Exact(n))
	}
	return c
}

func plus(sign int, text string) string {
	if sign > 0 {
		return "+" + text
	}
	return text
}

// signedRat is a difference that need not be whole.
func signedRat(r *big.Rat) Cell {
	if r.IsInt() || new(big.Rat).Abs(r).Cmp(big.NewRat(10, 1)) >= 0 {
		c := signedBig(format.Whole(r))
		if !r.IsInt() {
			c.Exact = plus(r.Sign(), r.FloatString(3))
		}
		return c
	}
	return Cell{Text: plus(r.Sign(), r.FloatString(1)), Exact: plus(r.Sign(), r.FloatString(3))}
}

func signedBytes(n *big.Int) Cell {
	if n.Sign() == 0 {
		return Cell{Text: "0"}
	}
	return Cell{Text: plus(n.Sign(), format.ShortBytes(n)), Exact: plus(n.Sign(), format.Exact(n)) + " bytes"}
}

// A figure is a column of the bill.
type figure struct {
	name string
	of   func(diff.Delta) Cell
}

// figures are the columns of a bill, the same on every diff.
func figures(b *facts.Bill) []figure {
	unit := b.UnitsA.Name
	if b.UnitsB.Name != unit {
		unit = fmt.Sprintf("%s, less those per %s", b.UnitsB.Name, unit)
	}
	return []figure{
		{"Parameters", func(d diff.Delta) Cell { return bounded(signed(d.Params), d.ParamsBound) }},
		{"Active parameters", func(d diff.Delta) Cell { return bounded(signed(d.Active), d.ParamsBound) }},
		{"MACs per " + unit, func(d diff.Delta) Cell { return bounded(signedRat(d.UnitMACs), d.WorkBound) }},
		{"KV cache per token", func(d diff.Delta) Cell { return bounded(signedBytes(d.CacheBytes), d.WorkBound) }},
		{"Training memory", func(d diff.Delta) Cell { return bounded(signedBytes(d.TrainingBytes), d.TrainingBound) }},
	}
}

// bill is a table of n lines and the total.
func bill(b *facts.Bill, caption, first string, n int, line func(i int) (Cell, diff.Delta)) Table {
	list := figures(b)
	t := Table{Caption: caption, Columns: []Column{{first, false}}, Rows: make([]TableRow, 0, n+1)}
	for _, f := range list {
		t.Columns = append(t.Columns, Column{f.name, true})
	}
	add := func(head Cell, d diff.Delta, total bool) {
		r := TableRow{Cells: make([]Cell, 1, 1+len(list)), Total: total}
		r.Cells[0] = head
		for _, f := range list {
			r.Cells = append(r.Cells, f.of(d))
		}
		t.Rows = append(t.Rows, r)
	}
	for i := range n {
		head, d := line(i)
		add(head, d, false)
	}
	add(Cell{Text: "Total"}, b.Total, true)
	return t
}

func kindBill(f *facts.Diff) Table {
	b := &f.Bill
	t := bill(b, "By kind of layer", "Kind", len(b.Kinds), func(i int) (Cell, diff.Delta) {
		return Cell{Text: string(b.Kinds[i].Part)}, b.Kinds[i].Delta
	})
	for i, k := range b.Kinds {
		t.Rows[i].Part = k.Part
	}
	return t
}

func rowBill(f *facts.Diff) Table {
	b := &f.Bill
	return bill(b, "By row", "What", len(b.Rows), func(i int) (Cell, diff.Delta) {
		return Cell{Text: b.Rows[i].Title(), Anchor: fmt.Sprintf("#r-%d", b.Rows[i].Row)}, b.Rows[i].Delta
	})
}

// Cut is the diff with a bill of at most so many lines by row; the lines that
// are left out stand together in one.
func (d *Diff) Cut(most int) *Diff {
	if len(d.Data.Bill.Rows) <= most {
		return d
	}
	cut := *d
	f := d.Data.Diff
	f.Bill = f.Bill.Cut(most)
	cut.Bill = []Table{d.Bill[0], rowBill(&f)}
	last := &cut.Bill[1].Rows[most].Cells[0]
	last.Text, last.Anchor = f.Bill.Rows[most].What, ""
	return &cut
}

// assumedBy lists what the estimates of both sides assume.
func assumedBy(f *facts.Diff) Table {
	t := Table{Caption: "Assumptions of the estimates", Columns: []Column{
		{"Assumption", false}, {f.NameA, true}, {f.NameB, true}, {"Unit", false}, {"What it is", false}}}
	other := f.Sides.B.Assumptions.List()
	for k, x := range f.Sides.A.Assumptions.List() {
		t.Rows = append(t.Rows, TableRow{Cells: cells(x.Key, x.Value, other[k].Value, x.Unit, x.Doc)})
	}
	return t
}
