// Package infer computes what a model is: the shape of every tensor between
// its layers, the weights each layer learns, and the work each layer does.
//
// Infer takes an expanded graph and returns a Model. When a layer cannot take
// its input, the Model says at which node and why, and holds everything that
// can be told all the same; rules in package verify turn that into findings.
//
// Counts follow PyTorch: a weight is what named_parameters lists, tied and
// shared tensors once. Equal uses of a layer (same type, parameters, operands)
// are analysed once and share a Result, so a repeated block costs one block.
//
// A Model is immutable, and Infer is safe for concurrent use. The package
// knows nothing of files, pages or output formats.
package infer

import (
	"encoding/binary"
	"fmt"
	"math/big"
	"slices"
	"sync"

	"github.com/strata-catalog/strata/generator/expand"
	"github.com/strata-catalog/strata/generator/graph"
	"github.com/strata-catalog/strata/generator/layer"
	"github.com/strata-catalog/strata/generator/shape"
	"github.com/strata-catalog/strata/generator/words"
)

// A Model is an analysed graph.
type Model struct {
	Graph *expand.Graph
	Nodes []Node // by the indices of the graph
	Order []int  // node indices as pages list them; nil when the graph has faults

	Params  int64 // distinct parameters; a lower bound unless Counted
	Active  int64 // of these, what works on one token
	Buffers int64 // distinct stored elements that are no parameters
	Counted bool
	// MACs of one forward pass at the declared input, over the full square of
	// attention; CausalMACs what causal and windowed kernels must do. They
	// cover the layers whose work is known: all of them if Worked.
	MACs, CausalMACs *big.Int
	Elementwise      *big.Int // element-wise operations, which are no MACs
	Worked           bool

	Runs []Run // what repeats, over the positions of Order

	paths func() []string // module path of each node
}

// A Node is one analysed layer.
type Node struct {
	*expand.Node
	Type     *layer.Type   // nil: unknown
	Result   *layer.Result // never nil
	Operands []int         // nodes, without side inputs
	Side     []int         // side inputs: rope, alibi
	// Tie is the weight that this node takes from another, nil for none.
	Tie *Tie
	// Params, Active and Buffers are what this node adds to the totals: without
	// tied weights, and nothing where another node has the same weights.
	Params, Active, Buffers int64
	Head                    bool // a linear layer whose result leaves the model
	// Kind is equal for equal uses of a layer: same type, parameters and
	// shapes. What repeats is found by it.
	Kind     int
	Problems []layer.Problem // beside those of the Result
}

// Tie says that a node's tensor is another node's.
type Tie struct {
	Tensor int // index in the node's weights
	Node   int // the owner
	Of     int // index in the owner's weights
}

// Rules that this package reports to, beside those of the layers.
const (
	UnknownType = "unknown-type"
	TiedShape   = "tied-shape"
	TiedTo      = "tied-to"
)

// Infer analyses an expanded graph. A graph with structural faults yields a
// Model without an order, in which nothing is known.
func Infer(g *expand.Graph) *Model {
	m := &Model{Graph: g, Order: g.Order, Nodes: make([]Node, len(g.Nodes)), MACs: new(big.Int), CausalMACs: new(big.Int), Elementwise: new(big.Int)}
	m.paths = sync.OnceValue(m.modules)
	a := &analyser{m: m, memo: make(map[string]use, 32), kinds: make(map[string]int, 32)}
	for i := range m.Nodes {
		n := &m.Nodes[i]
		n.Node = &g.Nodes[i]
		n.Type, _ = layer.Lookup(n.Component.Type)
		n.Result = unknown
	}
	if m.Order == nil {
		return m
	}
	a.operands()
	for _, i := range m.Order {
		a.node(i)
	}
	a.ties()
	m.heads()
	m.total()
	m.Runs = m.fold()
	return m
}

var unknown = &layer.Result{}

// Type names: the canonical name of a node's type, as written when unknown.
func (n *Node) TypeName() string {
	if n.Type == nil {
		return n.Component.Type
	}
	return n.Type.Name
}

// Display is the type's name as pages show it.
func (n *Node) Display() string {
	if n.Type == nil {
		return n.Component.Type
	}
	return n.Type.Display
}

// Out is the shape of a node's result; nil when it is not known or has none.
func (n *Node) Out() shape.Shape { return n.Result.Out.Dims }

// CrossAttends reports whether a node attends over another sequence than its
// own. One that is given the same tensor as queries, keys and values does not.
func (n *Node) CrossAttends() bool {
	a := n.Result.Attn
	if a == nil || !a.Cross {
		return false
	}
	for _, in := range n.Operands {
		if in != n.Operands[0] {
			return true
		}
	}
	return len(n.Operands) < 2
}

// Is reports whether a node is of the named type.
func (n *Node) Is(name string) bool { return n.Type != nil && n.Type.Name == name }

type analyser struct {
	m     *Model
	memo  map[string]use
	kinds map[string]int
	near  map[string]layer.Problem // what to say of an unknown type
	last  map[*graph.Component]lastUse
	key   []byte
	in    []shape.Tensor
	raw   []bool
}

// lastUse is how a component of a block was used in the instance before.
type lastUse struct {
	params   *graph.Param
	operands [2]*layer.Result
	count    int
	inputs   [2]bool // operands that are inputs
	use      use
}

// again finds the use of a component of a block whose instance before took the
// same: then nothing has to be compared in full. The key is for remember.
func (a *analyser) again(n *Node) (key lastUse, u use, ok bool) {
	if n.Frame == nil || len(n.Operands) > 2 {
		return key, u, false
	}
	if len(n.Node.Params) > 0 {
		key.params = &n.Node.Params[0]
	}
	key.count = len(n.Operands)
	for k, in := range n.Operands {
		from := &a.m.Nodes[in]
		key.operands[k], key.inputs[k] = from.Result, from.Is("input")
	}
	before, ok := a.last[n.Component]
	ok = ok && before.params == key.params && before.operands == key.operands && before.count == key.count && before.inputs == key.inputs
	return key, before.use, ok
}

// remember keeps a use for the next instance.
func (a *analyser) remember(n *Node, key lastUse, u use) {
	if n.Frame == nil || len(n.Operands) > 2 {
		return
	}
	if a.last == nil {
		a.last = make(map[*graph.Component]lastUse, 16)
	}
	key.use = u
	a.last[n.Component] = key
}

// A use is one distinct use of a layer.
type use struct {
	result *layer.Result
	kind   int
}

// operands divides the inputs of each node into operands and side inputs.
func (a *analyser) operands() {
	m := a.m
	var slab []int
	for i := range m.Nodes {
		n := &m.Nodes[i]
		side := 0
		for _, in := range n.Inputs {
			if m.side(in) {
				side++
			}
		}
		if side == 0 {
			n.Operands = n.Inputs
			continue
		}
		if cap(slab)-len(slab) < len(n.Inputs) {
			slab = make([]int, 0, max(256, len(n.Inputs)))
		}
		both := slab[len(slab):len(slab):cap(slab)]
		for _, in := range n.Inputs {
			if !m.side(in) {
				both = append(both, in)
			}
		}
		cut := len(both)
		for _, in := range n.Inputs {
			if m.side(in) {
				both = append(both, in)
			}
		}
		slab = slab[:len(slab)+len(both)]
		n.Operands, n.Side = both[:cut:cut], both[cut:len(both):len(both)]
	}
}

func (m *Model) side(i int) bool { return m.Nodes[i].Type != nil && m.Nodes[i].Type.Side }

// node analyses one node, or finds the Result of an equal one.
func (a *analyser) node(i int) {
	n := &a.m.Nodes[i]
	last, u, ok := a.again(n)
	if ok {
		n.Result, n.Kind = u.result, u.kind
		return
	}
	a.in, a.raw = a.in[:0], a.raw[:0]
	for _, in := range n.Operands {
		from := &a.m.Nodes[in]
		a.in = append(a.in, from.Result.Out)
		a.raw = append(a.raw, from.Is("input"))
	}
	a.describe(n)
	if u, ok = a.memo[string(a.key)]; !ok {
		key := string(a.key)
		u = a.use(n)
		a.memo[key] = u
	}
	a.remember(n, last, u)
	n.Result, n.Kind = u.result, u.kind
}

// use analyses a use that is not known yet.
func (a *analyser) use(n *Node) use {
	var r *layer.Result
	if n.Type == nil {
		r = &layer.Result{Problems: []layer.Problem{a.unknownType(n.Component.Type)}}
	} else {
		r = layer.Analyse(n.Type, n.Node.Params, append([]shape.Tensor(nil), a.in...), append([]bool(nil), a.raw...))
	}
	// Where the operands come from makes no difference to what repeats.
	a.raw = a.raw[:0]
	for i := range a.in {
		a.in[i].Batch, a.in[i].IDs = shape.Undecided, false
		a.raw = append(a.raw, false)
	}
	a.in = append(a.in, shape.Tensor{Dims: r.Out.Dims, Feature: r.Out.Feature})
	a.raw = append(a.raw, false)
	a.describe(n)
	for _, p := range r.Problems {
		a.key = append(append(a.key, 2), p.Message...)
	}
	kind, ok := a.kinds[string(a.key)]
	if !ok {
		kind = len(a.kinds)
		a.kinds[string(a.key)] = kind
	}
	return use{r, kind}
}

// unknownType says that a type is not known, and what may be meant.
func (a *analyser) unknownType(name string) layer.Problem {
	if p, ok := a.near[name]; ok {
		return p
	}
	p := layer.Problem{Rule: UnknownType, Message: fmt.Sprintf("%s is no known layer type", words.Quote(name)), Fix: "use a type of the layer reference"}
	if near, _ := layer.NearestType(name); near != "" {
		p.Message += fmt.Sprintf("; nearest is %q", near)
		p.Fix = fmt.Sprintf("write %q, if that is meant", near)
	}
	if a.near == nil {
		a.near = map[string]layer.Problem{}
	}
	a.near[name] = p
	return p
}

// describe writes all that a Result depends on to the key.
func (a *analyser) describe(n *Node) {
	k := append(a.key[:0], n.Component.Type...)
	for _, p := range n.Node.Params {
		k = append(append(append(append(k, 0), p.Name...), '='), p.Value...)
	}
	for j, x := range a.in {
		flags := byte(x.Batch) << 2
		if x.IDs {
			flags |= 1
		}
		if a.raw[j] {
			flags |= 2
		}
		if x.Known() {
			flags |= 1 << 5
		}
		if x.Arranged {
			flags |= 1 << 6
		}
		if x.Scores {
			flags |= 1 << 7
		}
		k = append(k, 1, flags, byte(x.Feature))
		for _, d := range x.Dims {
			k = binary.LittleEndian.AppendUint64(k, uint64(d))
		}
	}
	a.key = k
}

// ties finds the owner of each tied weight.
func (a *analyser) ties() {
	m := a.m
	var tables map[string][2]int
	for _, i := range m.Order {
		n := &m.Nodes[i]
		tier, ok := n.Result.Layer.(layer.Tier)
		if !ok {
			continue
		}
		id, same := tier.Ties()
		if id == "" && !same || len(n.Result.Weights) == 0 {
			continue
		}
		if id == "" && tables == nil {
			tables = m.tables()
		}
		m.tie(n, i, id, tables)
	}
}

// tables finds the first two embeddings of each size.
func (m *Model) tables() map[string][2]int {
	first := map[string][2]int{}
	for _, j := range m.Order {
		o := &m.Nodes[j]
		if !o.Is("embedding") || len(o.Result.Weights) == 0 {
			continue
		}
		size := o.Result.Weights[0].Dims.Brackets()
		if two, ok := first[size]; !ok {
			first[size] = [2]int{j, -1}
		} else if two[1] < 0 {
			first[size] = [2]int{two[0], j}
		}
	}
	return first
}

// tie gives node n the weight of the component id, or of the first other
// embedding of the same size when id is "".
func (m *Model) tie(n *Node, i int, id string, tables map[string][2]int) {
	report := func(rule, fix, format string, args ...any) {
		n.Problems = append(n.Problems, layer.Problem{Rule: rule, Message: fmt.Sprintf(format, args...), Fix: fix})
	}
	dims := n.Result.Weights[0].Dims
	if id == "" {
		two, ok := tables[dims.Brackets()]
		j := two[0]
		if j == i {
			j = two[1]
		}
		if ok && j >= 0 && (m.Nodes[j].Tie == nil || m.Nodes[j].Tie.Node != i) {
			n.Tie = &Tie{0, j, 0}
			if t := m.Nodes[j].Tie; t != nil {
				n.Tie = &Tie{0, t.Node, t.Of}
			}
			return
		}
		report(TiedTo, "say with tiedTo which component is meant, or remove tied", "tied, but no embedding has the size %s; the weight counts on its own", dims.Brackets())
		return
	}
	j, ok := m.Graph.Resolve(n.Node, id)
	if !ok {
		report(TiedTo, "give the id of an embedding or a linear layer", "tiedTo is %s, which is no component", words.Quote(id))
		return
	}
	j = m.owner(j)
	o := &m.Nodes[j]
	switch {
	case j == i:
		report(TiedTo, "remove tiedTo", "tied to itself")
	case o.Tie != nil && o.Tie.Node == i:
		report(TiedTo, "keep one of the two", "tied to %q, which is tied to this one", id)
	case len(o.Result.Weights) == 0:
		report(TiedTo, "give the id of an embedding or a linear layer", "tiedTo is %q, which has no weight", id)
	case !o.Result.Weights[0].Dims.Equal(dims):
		report(TiedShape, "give both layers the same sizes, or remove tiedTo", "weight is %s, but that of %q is %s; it counts on its own", dims.Brackets(), id, o.Result.Weights[0].Dims.Brackets())
	case o.Tie != nil:
		n.Tie = &Tie{0, o.Tie.Node, o.Tie.Of}
	default:
		n.Tie = &Tie{0, j, 0}
	}
}

// owner is the node whose weights a shared node has.
func (m *Model) owner(i int) int {
	for m.Nodes[i].SharedBy >= 0 {
		i = m.Nodes[i].SharedBy
	}
	return i
}

// heads marks the linear layers whose result leaves the model as it is, or
// through activations and constant factors alone.
func (m *Model) heads() {
	for i := range m.Nodes {
		if !m.Nodes[i].Is("output") {
			continue
		}
		for at := i; len(m.Nodes[at].Operands) == 1; {
			at = m.Nodes[at].Operands[0]
			n := &m.Nodes[at]
			if n.Is("linear") || n.Is("projection") {
				n.Head = true
			}
			if n.Type == nil || n.Type.Part != layer.Activation && n.Type.Part != layer.Ends && !n.Is("scale") {
				break
			}
		}
	}
}

// total adds up the model, each distinct tensor once.
func (m *Model) total() {
	m.Counted, m.Worked = true, true
	for _, i := range m.Order {
		n := &m.Nodes[i]
		r := n.Result
		m.Counted = m.Counted && r.Counted
		m.Worked = m.Worked && (r.Worked || n.Type != nil && n.Type.Side)
		addBig(m.MACs, r.Work.Full)
		if r.Work.Causal != nil {
			addBig(m.CausalMACs, r.Work.Causal)
		} else {
			addBig(m.CausalMACs, r.Work.Full)
		}
		addBig(m.Elementwise, r.Work.Elem)
		if !m.own(n, i) {
			continue
		}
		n.Params, n.Active, n.Buffers = r.Params, r.Active, r.Buffers
		if n.Tie != nil && r.Counted {
			w := r.Weights[n.Tie.Tensor]
			count, _ := w.Count()
			n.Params -= count
			n.Active -= w.Active()
		}
		m.sum(n)
	}
}

// own reports whether a node's weights are its own. A shared node whose
// weights have other sizes than its owner's keeps its own, with a problem.
func (m *Model) own(n *Node, i int) bool {
	j := m.owner(i)
	if j == i {
		return true
	}
	same := m.alike(i, j)
	if !same {
		n.Problems = append(n.Problems, layer.Problem{Rule: TiedShape, Message: fmt.Sprintf("shares the weights of %q, but they have other sizes; they count on their own", m.Nodes[j].ID), Fix: "give every instance of a shared block the same sizes"})
	}
	return !same
}

// alike reports whether the weights of two nodes have the same sizes.
func (m *Model) alike(i, j int) bool {
	return slices.EqualFunc(m.Nodes[i].Result.Weights, m.Nodes[j].Result.Weights, func(a, b layer.Tensor) bool {
		return a.Dims.Equal(b.Dims) && a.Copies == b.Copies
	})
}

func (m *Model) sum(n *Node) {
	params, ok1 := shape.Add(m.Params, n.Params)
	buffers, ok2 := shape.Add(m.Buffers, n.Buffers)
	if !ok1 || !ok2 {
		if m.Counted {
			n.Problems = append(n.Problems, layer.Problem{Rule: layer.CountOverflow, Message: "with this layer the model has more parameters than a signed 64-bit integer holds"})
		}
		m.Counted = false
		n.Params, n.Active, n.Buffers = 0, 0, 0
		return
	}
	m.Params, m.Buffers = params, buffers
	m.Active += n.Active
}

func addBig(sum, n *big.Int) {
	if n != nil {
		sum.Add(sum, n)
	}
}

// Inputs and Outputs list the nodes of those types, in page order.
func (m *Model) Inputs() []int  { return m.ofType("input") }
func (m *Model) Outputs() []int { return m.ofType("output") }

func (m *Model) ofType(name string) (list []int) {
	for _, i := range m.Order {
		if m.Nodes[i].Is(name) {
			list = append(list, i)
		}
	}
	return list
}

// Layers is the number of components other than inputs and outputs.
func (m *Model) Layers() int {
	n := len(m.Nodes)
	for i := range m.Nodes {
		if t := m.Nodes[i].Component.Type; t == "input" || t == "output" {
			n--
		}
	}
	return n
}

// ForwardPasses reports whether every layer runs as it is drawn and has the
// shape of its result.
func (m *Model) ForwardPasses() bool {
	for _, i := range m.Order {
		n := &m.Nodes[i]
		if !n.Result.Out.Known() && (n.Type == nil || !n.Type.Side) {
			return false
		}
		for _, p := range n.Result.Problems {
			if layer.Breaks(p.Rule) {
				return false
			}
		}
	}
	return m.Order != nil
}

// Module is the path of a node in exported code and in the names of its
// tensors.
func (m *Model) Module(i int) string { return m.paths()[i] }

// At is the position of a node in the source.
func (m *Model) At(i int) graph.Position { return m.Graph.At(i) }
