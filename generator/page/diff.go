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
	Story       string   // what the diff shows, "" when nobody wrote about it
	Sides       Table    // the two models
	Deltas      []Fact   // what B has more
	Parts       Table    // where the parameters sit
	Bill        []Table  // what the changes cost, by kind of layer and by row
	Rows        []Column // of the table of rows in Markdown
	Assumptions Table    // of the estimates
	Notes       []string // how the estimates come about
	Templates   []Item   // the pages of the two models
	Graphs      []Item   // the two documents, then addresses for programs
	Body        string   // of the note, HTML
	Markdown    string   // of the note, as written
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
	DiffSides  = Section{"sides", "Sides"}
	DiffDeltas = Section{"deltas", "Deltas"}
	DiffParts  = Section{"parameters", "Where the parameters sit"}
	DiffBill   = Section{"bill", "The bill"}
	DiffFolded = Section{"folded", "In short"}
	DiffLayers = Section{"layers", "Layer by layer"}
	DiffLimits = Section{"limits", "What this is not"}
	DiffGraphs = Section{"graphs", "Graphs"}
	DiffHow    = Section{"assumptions", "Assumptions"}
)

// diffSections are those that the page has; the Markdown twin has DiffFolded too.
var diffSections = []Section{DiffSides, DiffDeltas, DiffParts, DiffBill, DiffLayers, DiffLimits, DiffGraphs, DiffHow, Notes}

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
	return d
}

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
	c := Cell{Text: format.Short64(n), Exact: exact(n)}
	if !whole {
		c.Text = "≥ " + c.Text
	}
	return c
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

// price is what training costs.
func price(s *facts.Side) Cell {
	if s.Pretraining == nil {
		return Cell{Text: "not known"}
	}
	return Cell{Text: format.Money(s.Pretraining.USD)}
}

// trainedOn is the data that the price of training is for.
func trainedOn(s *facts.Side) Cell {
	p := s.Pretraining
	if p == nil {
		return Cell{}
	}
	return Cell{Text: fmt.Sprintf("%s %ss, %s", format.Short(p.Units), p.Unit, p.Source), Exact: format.Exact(p.Units)}
}

func trainingFit(s *facts.Side, card string) Cell {
	for _, f := range s.TrainingFits {
		if f.Card != card {
			continue
		}
		c := Cell{Text: "no", Mark: "no", Exact: "needs " + format.Exact(f.Bytes) + " bytes"}
		if f.Fits {
			c.Text, c.Mark = "fits", "yes"
		}
		return c
	}
	return Cell{Text: "not known"}
}

// deltas is what B has more.
func deltas(f *facts.Diff) []Fact {
	n := f.ParametersDelta
	return []Fact{
		{Label: "Parameters", Text: fmt.Sprintf("%s (%s)", format.Signed(big.NewInt(n)), format.Percent(n, f.Sides.A.Parameters)), Exact: exact(n)},
		{Label: "Layers", Text: format.Signed(big.NewInt(int64(f.LayersDelta)))},
	}
}

// parts says where the parameters of both sit.
func parts(f *facts.Diff) Table {
	t := Table{Caption: "Parameters by kind of layer", Columns: []Column{
		{"Kind", false}, {f.NameA, true}, {"Share", true}, {f.NameB, true}, {"Share", true}, {"Difference", true}}}
	a, b := byPart(f.Sides.A.Parts), byPart(f.Sides.B.Parts)
	totalA, totalB := f.Sides.A.Parameters, f.Sides.B.Parameters
	add := func(name string, a, b int64) {
		t.Rows = append(t.Rows, row(name, short(a, true), Cell{Text: format.Share(a, totalA)}, short(b, true), Cell{Text: format.Share(b, totalB)}, signed(b-a)))
	}
	for _, p := range layer.Parts {
		if a[p] != 0 || b[p] != 0 {
			add(string(p), a[p], b[p])
			t.Rows[len(t.Rows)-1].Part = p
		}
	}
	add("Total", totalA, totalB)
	t.Rows[len(t.Rows)-1].Total = true
	return t
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
	return Cell{Text: plus(n.Sign(), format.Bytes(n)), Exact: plus(n.Sign(), format.Exact(n)) + " bytes"}
}

// A figure is a column of the bill.
type figure struct {
	name string
	of   func(diff.Delta) Cell
	ever bool // a line has it
}

// figures are the columns of a bill: what differs in some line.
func figures(b *facts.Bill) []figure {
	unit := b.UnitsA.Name
	if b.UnitsB.Name != unit {
		unit = fmt.Sprintf("%s, less those per %s", b.UnitsB.Name, unit)
	}
	params := figure{"Parameters", func(d diff.Delta) Cell { return signed(d.Params) }, true}
	active := figure{"Active parameters", func(d diff.Delta) Cell { return signed(d.Active) }, false}
	macs := figure{"MACs per " + unit, func(d diff.Delta) Cell { return signedRat(d.UnitMACs) }, false}
	cache := figure{"Cache per token", func(d diff.Delta) Cell { return signedBytes(d.CacheBytes) }, false}
	training := figure{"Training memory", func(d diff.Delta) Cell { return signedBytes(d.TrainingBytes) }, false}
	for _, l := range b.Rows {
		active.ever = active.ever || l.Active != l.Params
		macs.ever = macs.ever || l.UnitMACs.Sign() != 0
		cache.ever = cache.ever || l.CacheBytes.Sign() != 0
		training.ever = training.ever || l.TrainingBytes.Sign() != 0
	}
	return slices.DeleteFunc([]figure{params, active, macs, cache, training}, func(f figure) bool { return !f.ever })
}

// bill is a table of n lines and the total.
func bill(b *facts.Bill, caption, first string, n int, line func(i int) (Cell, diff.Delta)) Table {
	list := figures(b)
	t := Table{Caption: caption, Columns: []Column{{first, false}}}
	for _, f := range list {
		t.Columns = append(t.Columns, Column{f.name, true})
	}
	add := func(head Cell, d diff.Delta, total bool) {
		r := TableRow{Cells: []Cell{head}, Total: total}
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
		return Cell{Text: b.Rows[i].What, Anchor: fmt.Sprintf("#r-%d", b.Rows[i].Row)}, b.Rows[i].Delta
	})
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
