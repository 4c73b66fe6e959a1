package facts

import (
	"fmt"
	"slices"
	"strings"

	"github.com/strata-catalog/strata/generator/cost"
	"github.com/strata-catalog/strata/generator/diff"
	"github.com/strata-catalog/strata/generator/format"
	"github.com/strata-catalog/strata/generator/infer"
	"github.com/strata-catalog/strata/generator/layer"
	"github.com/strata-catalog/strata/generator/shape"
)

// A Difference is the facts that an index lists for each diff.
type Difference struct {
	A               string     `json:"a" doc:"id of the template that the diff reads from"`
	B               string     `json:"b" doc:"id of the template that it reads to"`
	Headline        string     `json:"headline" doc:"the difference in one sentence"`
	ParametersDelta int64      `json:"parameters_delta" doc:"parameters of b less those of a"`
	ParametersBound diff.Bound `json:"parameters_bound" enum:"exact,at_least,at_most,not_known" doc:"how parameters_delta stands to the true difference: a count of b that is only a lower bound makes it at_least, one of a at_most"`
	LayersDelta     int        `json:"layers_delta" doc:"layers of b less those of a"`
	Added           int        `json:"added" doc:"components in b only"`
	Removed         int        `json:"removed" doc:"components in a only"`
	Changed         int        `json:"changed" doc:"components that match by type, with other parameters"`
	Unchanged       int        `json:"unchanged" doc:"components that match by type, with equal parameters"`
}

// A Diff is all that is known of what sets two models apart.
type Diff struct {
	Difference
	Identical bool       `json:"identical" doc:"nothing at all differs"`
	Rewired   bool       `json:"rewired" doc:"every layer has its counterpart, and some are connected in another way"`
	Sides     Sides      `json:"sides" doc:"the two models"`
	Rows      []DiffRow  `json:"rows" doc:"every component of both, aligned by type; both sides stand in topological order"`
	Folded    []DiffFold `json:"folded" doc:"all rows once more, with repeats in one; they cover the rows in order"`
	Bill      Bill       `json:"bill" doc:"what each change adds to the differences; the lines of each list add up to the total"`
	Caveats   []Caveat   `json:"caveats" doc:"what the figures do not say"`

	NameA, NameB string `json:"-"` // told apart by their ids where they are equal
}

// Sides are the two models of a diff.
type Sides struct {
	A Side `json:"a" doc:"the model that the diff reads from"`
	B Side `json:"b" doc:"the model that it reads to"`
}

// A Side is what stands of one model above the rows.
type Side struct {
	ID               string            `json:"id" doc:"id of the template"`
	Name             string            `json:"name" doc:"name of the model"`
	Components       int               `json:"components" doc:"components of the flat graph, inputs and outputs included"`
	Layers           int               `json:"layers" doc:"components without inputs and outputs"`
	Parameters       int64             `json:"parameters" doc:"learned elements, every distinct tensor once"`
	ParametersWhole  bool              `json:"parameters_complete" doc:"false: some weight has no known size, and parameters is a lower bound"`
	ActiveParameters int64             `json:"active_parameters" doc:"parameters that work on one token: with experts, less than all"`
	Inputs           []shape.Shape     `json:"input_shapes" doc:"declared shape of each input"`
	Outputs          []shape.Shape     `json:"output_shapes" doc:"shape of each output, null when it does not follow"`
	ForwardPasses    bool              `json:"forward_passes" doc:"every layer has the shape of its result"`
	Parts            []cost.Part       `json:"parts" doc:"parameters and work by kind of layer"`
	LowerBound       bool              `json:"lower_bound" doc:"a weight or the work of a layer is not known: the price of training and what a card needs may be larger, and only a fit of false is certain"`
	Pretraining      *cost.Pretraining `json:"pretraining" doc:"estimate of the price of training from nothing; null when the work is not known"`
	TrainingFits     []cost.Fit        `json:"training_fits" doc:"which cards hold it for training at the declared input"`
	Assumptions      cost.Assumptions  `json:"assumptions" doc:"what the estimates assume; the two sides differ in the data and the context alone"`

	Open map[layer.Part]bool `json:"-"` // kinds of which some weight has no known size
}

// A DiffRow is one component of a, of b, or of both.
type DiffRow struct {
	Number  int         `json:"number" doc:"place in the table, from 1"`
	Status  diff.Status `json:"status" enum:"same,changed,added,removed" doc:"what became of the component; one that was added is in b only"`
	Changed []string    `json:"changed" doc:"parameters that differ, by their declared names: those of a in its order, then those of b alone"`
	A       *DiffCell   `json:"a" doc:"the component of a, null where it has none"`
	B       *DiffCell   `json:"b" doc:"the component of b, null where it has none"`
}

// A DiffCell is the component of one side of a row.
type DiffCell struct {
	ID         string      `json:"id" doc:"id of the component: the path of its module"`
	Name       string      `json:"name" doc:"name to show"`
	Type       string      `json:"type" doc:"canonical layer type"`
	Params     Params      `json:"params" doc:"parameters as declared, under their declared names"`
	Output     shape.Shape `json:"output_shape" doc:"shape of its result, null when it has none or it is not known"`
	Parameters int64       `json:"parameters" doc:"what the component adds to the total"`
	Whole      bool        `json:"parameters_complete" doc:"false: a size is not known, and parameters is a lower bound"`

	Display string `json:"-"` // the type as pages show it
	Side    bool   `json:"-"` // has no tensor of its own
}

// A DiffFold is rows that repeat, or one row that does not.
type DiffFold struct {
	Label       string      `json:"label" doc:"the layers of the first instance, how often they repeat, and their status"`
	Status      diff.Status `json:"status" enum:"same,changed,added,removed," doc:"status of all of its rows, empty where they differ"`
	Row         int         `json:"row" doc:"number of its first row"`
	Period      int         `json:"period" doc:"rows of one instance"`
	Count       int         `json:"count" doc:"instances"`
	ParametersA int64       `json:"parameters_a" doc:"what all of its rows add to the total of a"`
	ParametersB int64       `json:"parameters_b" doc:"what all of its rows add to the total of b"`
	Folds       []DiffFold  `json:"folds" doc:"the rows of the first instance, with what repeats among them in one; empty where an instance is one row"`

	Each  string     `json:"-"` // the statuses in one instance: "1 changed, 2 same"
	Bound diff.Bound `json:"-"` // of the difference of the parameters

	WholeA, WholeB bool `json:"-"` // false: the sum is a lower bound
}

// Sign tells a status without words and without colour.
func Sign(s diff.Status) string {
	switch s {
	case diff.Added:
		return "+"
	case diff.Removed:
		return "−"
	case diff.Changed:
		return "~"
	}
	return "="
}

// StatusText is the status with the parameters that differ: "changed
// (numHeads, headDim)".
func (r *DiffRow) StatusText() string {
	if len(r.Changed) == 0 {
		return string(r.Status)
	}
	return fmt.Sprintf("%s (%s)", r.Status, strings.Join(r.Changed, ", "))
}

// Closed reports whether a reader misses nothing when the rows of a fold are
// hidden behind its label: all were added, removed, or stayed the same.
func (f *DiffFold) Closed() bool { return f.Status != "" && f.Status != diff.Changed }

// Worth reports whether folding hides enough rows to be worth a reader's while.
func (f *DiffFold) Worth() bool { return f.Period*(f.Count-1) >= infer.WorthFolding }

// Last is the number of the last row.
func (f *DiffFold) Last() int { return f.Row + f.Period*f.Count - 1 }

// A Bill attributes the differences to what changed.
type Bill struct {
	UnitsA cost.Units      `json:"units_a" doc:"what unit_macs counts the work of a by"`
	UnitsB cost.Units      `json:"units_b" doc:"what unit_macs counts the work of b by"`
	Total  diff.Delta      `json:"total" doc:"the differences of the models"`
	Rows   []BillLine      `json:"rows" doc:"by rows, equal ones of a fold in one line"`
	Kinds  []diff.KindLine `json:"kinds" doc:"by kind of layer"`
}

// A BillLine is the line of a row, or of the equal rows of a fold.
type BillLine struct {
	Row   int    `json:"row" doc:"number of the first of its rows"`
	Count int    `json:"count" doc:"how many rows it stands for"`
	What  string `json:"what" doc:"the layer, and what became of it"`
	diff.Delta
}

// A Caveat is what the figures do not say.
type Caveat struct {
	ID   string `json:"id" doc:"inputs, where the declared inputs differ; data, where the prices are for different training data; counts; estimates"`
	Text string `json:"text" doc:"the caveat in words"`
}

// Compared is everything that a diff says.
func Compared(d *diff.Diff) *Diff {
	f := &Diff{
		Difference: Listed(d), Identical: d.Identical, Rewired: d.Rewired,
		Sides: Sides{sideOf(&d.A), sideOf(&d.B)}, Rows: make([]DiffRow, len(d.Rows)),
	}
	f.NameA, f.NameB = d.Names()
	a, b := newCells(&d.A), newCells(&d.B)
	for k, r := range d.Rows {
		f.Rows[k] = DiffRow{k + 1, r.Status, r.Changed, a.of(r.A), b.of(r.B)}
	}
	f.Folded = f.folds(d, d.Folds)
	f.Bill = f.bill(&d.Bill)
	for _, c := range d.Caveats {
		f.Caveats = append(f.Caveats, Caveat(c))
	}
	return f
}

// Listed is what an index lists of a diff.
func Listed(d *diff.Diff) Difference {
	return Difference{
		A: d.A.ID, B: d.B.ID, Headline: d.Headline, ParametersDelta: d.Params, ParametersBound: d.ParamsBound, LayersDelta: d.Layers,
		Added: d.Added, Removed: d.Removed, Changed: d.Changed, Unchanged: d.Same,
	}
}

func sideOf(s *diff.Side) Side {
	p := s.Plan
	return Side{
		ID: s.ID, Name: s.Name, Components: len(s.Order), Layers: s.Layers,
		Parameters: s.Params, ParametersWhole: s.Counted, ActiveParameters: p.Model.Active,
		Inputs: s.Inputs, Outputs: s.Outputs, ForwardPasses: s.ForwardPasses,
		Parts: p.Parts, Open: s.Open, LowerBound: p.LowerBound, Pretraining: p.Pretraining, TrainingFits: p.TrainingFits, Assumptions: p.Assumptions,
	}
}

// cells makes the cells of one side.
type cells struct {
	side   *diff.Side
	list   []DiffCell
	params map[int]Params // by kind of component
}

func newCells(s *diff.Side) *cells {
	return &cells{s, make([]DiffCell, 0, len(s.Order)), map[int]Params{}}
}

// of is the cell of a component, which is asked for once; nil for none.
func (l *cells) of(node int) *DiffCell {
	if node < 0 {
		return nil
	}
	n, c := &l.side.Plan.Model.Nodes[node], l.side.Cell(node)
	params, ok := l.params[n.Kind]
	if !ok {
		params = make(Params, len(n.Node.Params))
		for k, p := range n.Node.Params {
			params[k] = Param{p.Name, Value(p.Value)}
		}
		l.params[n.Kind] = params
	}
	l.list = append(l.list, DiffCell{
		ID: c.ID, Name: c.Name, Type: c.Type, Output: c.Output, Parameters: c.Params, Whole: c.Counted,
		Display: c.Display, Side: n.Type != nil && n.Type.Side, Params: params,
	})
	return &l.list[len(l.list)-1]
}

// Shape is the output shape as tables show it.
func (c *DiffCell) Shape() string {
	var room [64]byte
	return string(c.AppendShape(room[:0]))
}

// AppendShape appends what Shape returns.
func (c *DiffCell) AppendShape(b []byte) []byte {
	if c.Side && c.Output == nil {
		return b
	}
	return appendShape(b, c.Output)
}

// Weights is what the component adds to the total, as diffs show it: nothing
// for one that adds nothing.
func (c *DiffCell) Weights() string { return Weights(c.Parameters, c.Whole) }

// Weights is a number of parameters as the rows of a diff show it: nothing for
// none.
func Weights(params int64, whole bool) string {
	switch {
	case !whole && params == 0:
		return "not known"
	case !whole:
		return "≥ " + format.Short64(params)
	case params == 0:
		return ""
	}
	return format.Short64(params)
}

// Display is the type of the row's layer, which both sides have in common.
func (r *DiffRow) Display() string {
	if r.A == nil {
		return r.B.Display
	}
	return r.A.Display
}

// Changes says how each parameter changed: "numKVHeads 8 → 32", "− dim 128" for
// one that b does not declare, "+ headDim 96" for one that a does not.
func (r *DiffRow) Changes() []string {
	list := make([]string, len(r.Changed))
	for k, key := range r.Changed {
		before, declared := r.A.value(key)
		after, kept := r.B.value(key)
		switch {
		case !kept:
			list[k] = fmt.Sprintf("− %s %s", key, before)
		case !declared:
			list[k] = fmt.Sprintf("+ %s %s", key, after)
		default:
			list[k] = fmt.Sprintf("%s %s → %s", key, before, after)
		}
	}
	return list
}

// value is a parameter as text; null is as good as none.
func (c *DiffCell) value(key string) (text string, declared bool) {
	at := c.Params.index(key)
	if at < 0 || c.Params[at].Value == "null" {
		return "", false
	}
	return c.Params[at].Value.plain(), true
}

func (f *Diff) folds(d *diff.Diff, folds []diff.Fold) []DiffFold {
	list := make([]DiffFold, len(folds))
	for k, x := range folds {
		list[k] = DiffFold{
			Label: d.Label(x), Status: x.Status, Row: x.Start + 1, Period: x.Period, Count: x.Count,
			Folds: f.folds(d, x.Children), Each: d.Tally(x),
		}
		list[k].sum(f.Rows[x.Start:x.End()])
		if d.Identical {
			list[k].Bound = diff.Exact
		}
	}
	return list
}

// sum adds up the parameters of the rows of a fold.
func (f *DiffFold) sum(rows []DiffRow) {
	f.WholeA, f.WholeB = true, true
	for _, r := range rows {
		if r.A != nil {
			f.ParametersA += r.A.Parameters
			f.WholeA = f.WholeA && r.A.Whole
		}
		if r.B != nil {
			f.ParametersB += r.B.Parameters
			f.WholeB = f.WholeB && r.B.Whole
		}
	}
	f.Bound = diff.BoundOf(f.WholeA, f.WholeB)
}

func (f *Diff) bill(b *diff.Bill) Bill {
	bill := Bill{UnitsA: b.UnitsA, UnitsB: b.UnitsB, Total: b.Total, Kinds: b.Kinds, Rows: make([]BillLine, len(b.Rows))}
	for k, l := range b.Rows {
		bill.Rows[k] = BillLine{l.Row + 1, l.Count, f.Rows[l.Row].what(l.Count), l.Delta}
	}
	return bill
}

// Title is the line in words, with the number of the first of its rows: "4: 35 ×
// RMSNorm, removed".
func (l *BillLine) Title() string { return fmt.Sprintf("%d: %s", l.Row, l.What) }

// Cut is the bill with so many lines by row, and the sum of those after them in
// one more.
func (b Bill) Cut(most int) Bill {
	rest := BillLine{What: fmt.Sprintf("%s lines more", format.Exact64(int64(len(b.Rows)-most))), Delta: b.Rows[most].Delta}
	for k, l := range b.Rows[most:] {
		rest.Count += l.Count
		if k > 0 {
			rest.Delta = rest.Plus(l.Delta)
		}
	}
	b.Rows = append(slices.Clip(b.Rows[:most]), rest)
	return b
}

// what says what became of count equal layers.
func (r *DiffRow) what(count int) string {
	text := r.Display()
	if count > 1 {
		text = fmt.Sprintf("%d × %s", count, text)
	}
	switch r.Status {
	case diff.Changed:
		return text + ": " + strings.Join(r.Changes(), ", ")
	case diff.Same:
		return text + ", unchanged in its parameters"
	}
	return text + ", " + string(r.Status)
}

// Row is the row with a number, nil where it is left out.
func (f *Diff) Row(number int) *DiffRow {
	i, ok := slices.BinarySearchFunc(f.Rows, number, func(r DiffRow, n int) int { return r.Number - n })
	if !ok {
		return nil
	}
	return &f.Rows[i]
}

// Differences is the diff without the rows, and the folds, that are the same.
// Rows keep their numbers.
func (f *Diff) Differences() *Diff {
	d := *f
	d.Rows = nil
	for _, r := range f.Rows {
		if r.Status != diff.Same {
			d.Rows = append(d.Rows, r)
		}
	}
	d.Folded = differing(f.Folded)
	return &d
}

func differing(folds []DiffFold) (list []DiffFold) {
	for _, f := range folds {
		if f.Status != diff.Same {
			f.Folds = differing(f.Folds)
			list = append(list, f)
		}
	}
	return list
}
