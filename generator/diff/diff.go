package diff

import (
	"sync"

	"github.com/strata-catalog/strata/generator/cost"
	"github.com/strata-catalog/strata/generator/infer"
	"github.com/strata-catalog/strata/generator/layer"
	"github.com/strata-catalog/strata/generator/shape"
)

// A Subject is a model to compare. Its plan holds the analysed graph and the
// estimates. Both plans should assume the same, training data aside.
type Subject struct {
	ID, Name string
	Plan     *cost.Plan

	once *once
}

// once is what comparisons find of one model alone.
type once struct {
	side    func() *Side
	classes func() []int32
}

// Shared is the subject for several comparisons, which find out once what does
// not depend on the other model.
func (s Subject) Shared() Subject {
	of := s
	s.once = &once{side: sync.OnceValue(func() *Side { return of.side() })}
	s.once.classes = sync.OnceValue(func() []int32 { return s.once.side().classes() })
	return s
}

// A Side is what stands of one model above the rows.
type Side struct {
	Subject
	Layers  int // components other than inputs and outputs
	Params  int64
	Counted bool // false: Params is a lower bound
	// Open are the kinds of layers of which some weight has no known size.
	Open          map[layer.Part]bool
	Inputs        []shape.Shape // declared
	Outputs       []shape.Shape // nil where one is not known
	ForwardPasses bool
	Order         []int // nodes in the order of the rows
}

// A Status says what became of a layer.
type Status string

// The statuses.
const (
	Same    Status = "same"
	Changed Status = "changed"
	Added   Status = "added"   // in B only
	Removed Status = "removed" // in A only
)

// A Row is one layer of A, of B, or of both.
type Row struct {
	Status  Status
	Changed []string // parameters that differ, by their declared names
	A, B    int      // nodes of the models, -1 for none
}

// A Diff is what changed from A to B.
type Diff struct {
	A, B  Side
	Rows  []Row
	Folds []Fold // all rows once more, with repeats folded

	Added, Removed, Changed, Same int   // rows
	Layers                        int   // more in B
	Params                        int64 // more in B
	ParamsBound                   Bound // of Params
	// Rewired says that every layer has its counterpart, and some are connected
	// in another way; Identical that nothing at all differs.
	Rewired, Identical bool

	Headline string
	Caveats  []Caveat
	Bill     Bill
}

// Compare aligns two models.
func Compare(a, b Subject) *Diff {
	if a.once == nil {
		a = a.Shared()
	}
	if b.once == nil {
		b = b.Shared()
	}
	d := &Diff{A: *a.once.side(), B: *b.once.side()}
	d.A.Subject, d.B.Subject = a, b
	d.Layers = d.B.Layers - d.A.Layers
	d.Params = d.B.Params - d.A.Params
	d.rows()
	d.Rewired = d.rewired()
	d.Identical = d.Added+d.Removed+d.Changed == 0 && !d.Rewired && !d.reshared()
	d.ParamsBound = Exact
	if !d.Identical {
		d.ParamsBound = BoundOf(d.A.Counted, d.B.Counted)
	}
	d.Folds = d.fold()
	d.Headline = d.headline()
	d.Caveats = d.caveats()
	d.Bill = d.bill()
	return d
}

func (s Subject) side() *Side {
	m := s.Plan.Model
	open := map[layer.Part]bool{}
	for i := range m.Nodes {
		if !m.Nodes[i].Result.Counted {
			open[cost.PartOf(&m.Nodes[i])] = true
		}
	}
	return &Side{
		Open: open, Subject: s, Layers: m.Layers(), Params: m.Params, Counted: m.Counted,
		Inputs: shapes(s, m.Inputs()), Outputs: shapes(s, m.Outputs()),
		ForwardPasses: m.ForwardPasses(), Order: m.Graph.FIFO(),
	}
}

func shapes(s Subject, nodes []int) []shape.Shape {
	list := make([]shape.Shape, len(nodes))
	for k, i := range nodes {
		list[k] = s.Plan.Model.Nodes[i].Out()
	}
	return list
}

// rows aligns the layers by their canonical types.
func (d *Diff) rows() {
	symbols := map[string]int32{}
	path := align(d.A.types(symbols), d.B.types(symbols))
	d.Rows = make([]Row, len(path))
	for k, p := range path {
		r := Row{A: -1, B: -1}
		if p.a >= 0 {
			r.A = d.A.Order[p.a]
		}
		if p.b >= 0 {
			r.B = d.B.Order[p.b]
		}
		switch {
		case r.A < 0:
			r.Status = Added
			d.Added++
		case r.B < 0:
			r.Status = Removed
			d.Removed++
		default:
			r.Changed = changed(d.A.Plan.Model.Nodes[r.A].Node.Params, d.B.Plan.Model.Nodes[r.B].Node.Params)
			r.Status = Same
			if len(r.Changed) > 0 {
				r.Status = Changed
				d.Changed++
			} else {
				d.Same++
			}
		}
		d.Rows[k] = r
	}
}

// types are the layers' types as symbols, which both sides share.
func (s *Side) types(symbols map[string]int32) []int32 {
	list := make([]int32, len(s.Order))
	for k, i := range s.Order {
		name := s.Plan.Model.Nodes[i].TypeName()
		n, ok := symbols[name]
		if !ok {
			n = int32(len(symbols))
			symbols[name] = n
		}
		list[k] = n
	}
	return list
}

// rewired reports whether matched layers take their operands from layers that
// do not match, or in another order. It is only asked where every layer has a
// counterpart: elsewhere the rows say so.
func (d *Diff) rewired() bool {
	if d.Added+d.Removed > 0 {
		return false
	}
	partner := d.partners()
	for _, r := range d.Rows {
		a, b := d.A.Plan.Model.Nodes[r.A].Inputs, d.B.Plan.Model.Nodes[r.B].Inputs
		if len(a) != len(b) {
			return true
		}
		for k := range a {
			if partner[a[k]] != b[k] {
				return true
			}
		}
	}
	return false
}

// partners are the nodes of B by those of A, where every layer has one.
func (d *Diff) partners() []int {
	partner := make([]int, len(d.A.Order))
	for _, r := range d.Rows {
		partner[r.A] = r.B
	}
	return partner
}

// reshared reports whether matched layers add other counts to the models, or
// have their weights from layers that do not match. It is only asked where
// every layer has a counterpart.
func (d *Diff) reshared() bool {
	if d.Added+d.Removed > 0 {
		return false
	}
	partner := d.partners()
	for _, r := range d.Rows {
		if d.A.Plan.Model.Nodes[r.A].Params != d.B.Plan.Model.Nodes[r.B].Params {
			return true
		}
		a, b := owners(d.A.Plan.Model, r.A), owners(d.B.Plan.Model, r.B)
		if partner[a.layer] != b.layer || (a.tie == nil) != (b.tie == nil) {
			return true
		}
		if a.tie != nil && (partner[a.tie.Node] != b.tie.Node || a.tie.Tensor != b.tie.Tensor || a.tie.Of != b.tie.Of) {
			return true
		}
	}
	return false
}

// owned says where a layer has its weights from.
type owned struct {
	layer int        // the node that all of them count with
	tie   *infer.Tie // the one that counts elsewhere, nil for none
}

// owners finds the owner of a node's weights: the node itself, unless it shares
// those of another one. A layer without weights has nothing to share.
func owners(m *infer.Model, i int) owned {
	n := &m.Nodes[i]
	o := owned{i, n.Tie}
	if len(n.Result.Weights) == 0 || n.Params > 0 || n.Buffers > 0 {
		return o
	}
	for m.Nodes[o.layer].SharedBy >= 0 {
		o.layer = m.Nodes[o.layer].SharedBy
	}
	return o
}

// A Cell is what a row shows of one side.
type Cell struct {
	ID, Name string
	Type     string // canonical
	Display  string // the type as pages show it
	Params   int64  // that the layer adds to the model
	Counted  bool   // false: Params is a lower bound
	Output   shape.Shape
}

// Cell is what a row shows of one of the side's nodes. A layer of a block is
// named by its path, since each instance has the same names.
func (s *Side) Cell(node int) Cell {
	n := &s.Plan.Model.Nodes[node]
	c := Cell{
		ID: n.ID, Name: n.Component.Name, Type: n.TypeName(), Display: n.Display(),
		Params: n.Params, Counted: n.Result.Counted, Output: n.Out(),
	}
	if n.Frame != nil {
		c.Name = n.ID
	}
	return c
}
