package export

import (
	"slices"
	"strconv"
	"strings"

	"github.com/strata-catalog/strata/generator/infer"
	"github.com/strata-catalog/strata/generator/layer"
)

// A part is a step of the module tree: a layer, or what stands below a path.
type part struct {
	name     string // last step of the path
	depth    int    // steps of the path
	parent   *part
	children []*part // in the order of their first layers
	byName   map[string]*part
	node     int   // the layer that has this very path, -1 for none
	nodes    []int // every layer from here down, in order of computation
	kind     kind
	// parameter says that a single part is a tensor, not a module; buffer that
	// it is one that is not learned.
	parameter, buffer bool

	// What feeds it and what it yields, where it is used as one.
	call   bool
	ins    []int // nodes outside, in order of use
	out    int
	slot   int           // of a stack: which of the inputs each instance takes from the one before
	inputs []layer.Input // what the layers take beside the graph
}

// A kind is what a part is in Python.
type kind int

const (
	function   kind = iota // nothing: its layers have no modules
	single                 // one module, or one parameter
	nested                 // one module that holds others beside its own
	class                  // a class of its own
	sequential             // nn.Sequential of single modules
	stack                  // nn.ModuleList that is run through in a loop
	list                   // nn.ModuleList of which each module is used by itself
	dict                   // nn.ModuleDict, for names that are numbers
)

// grow arranges the layers by their module paths.
func (w *writer) grow() {
	w.root = &part{node: -1, out: -1, kind: class}
	w.parts = make([]*part, len(w.m.Nodes))
	position := 0
	w.position = make([]int, len(w.m.Nodes))
	for _, i := range w.m.Order {
		if w.silent(i) {
			continue
		}
		w.position[i] = position
		position++
		at := w.root
		at.nodes = append(at.nodes, i)
		for step := range strings.SplitSeq(w.m.Module(i), ".") {
			at = at.child(step)
			at.nodes = append(at.nodes, i)
		}
		at.node = i
		w.parts[i] = at
	}
	for _, c := range w.root.children {
		w.inspect(c)
	}
	w.root.collect()
}

// silent reports a node that is no step of its own: an input, a side input,
// which is said where it is used, or an output, which is what it takes.
func (w *writer) silent(i int) bool {
	n := &w.m.Nodes[i]
	return side(w.m, i) || n.Is("input") || passes(n)
}

// stored reports a node that is there for its weights alone: nothing takes what
// it yields, and nothing feeds it.
func (w *writer) stored(i int) bool {
	return len(w.args[i]) == 0 && len(w.users[i]) == 0 && !w.yielded[i]
}

// passes reports an output of one operand: it is that operand.
func passes(n *infer.Node) bool { return n.Is("output") && len(n.Operands) == 1 }

// side reports a node that yields no tensor of its own.
func side(m *infer.Model, i int) bool { return m.Nodes[i].Type != nil && m.Nodes[i].Type.Side }

// source is the node whose result a node stands for: outputs are their input.
func source(m *infer.Model, i int) int {
	for passes(&m.Nodes[i]) {
		i = m.Nodes[i].Operands[0]
	}
	return i
}

func (p *part) child(name string) *part {
	if c, ok := p.byName[name]; ok {
		return c
	}
	if p.byName == nil {
		p.byName = map[string]*part{}
	}
	c := &part{name: name, depth: p.depth + 1, parent: p, node: -1, out: -1}
	p.byName[name] = c
	p.children = append(p.children, c)
	return c
}

// leaf reports a part that is a layer and nothing else.
func (p *part) leaf() bool { return p.node >= 0 && len(p.children) == 0 }

// inspect finds what each part is, from the leaves up.
func (w *writer) inspect(p *part) {
	for _, c := range p.children {
		w.inspect(c)
	}
	p.collect()
	if p.node >= 0 {
		w.inspectLayer(p)
	}
	if p.kind != function || p.leaf() {
		return
	}
	w.border(p)
	p.kind = w.kind(p)
	p.call = p.call && (p.kind == class || p.kind == sequential)
}

// inspectLayer says how a layer can be used: as one of a stack where it takes
// one operand as it is.
func (w *writer) inspectLayer(p *part) {
	t := &w.torches[p.node]
	for _, in := range t.Inputs {
		p.takes(in)
	}
	switch {
	case t.Module == "":
		return
	case w.holds(p):
		p.kind = nested
		return
	}
	p.kind, p.out, p.ins, p.buffer = single, p.node, w.args[p.node], strings.HasPrefix(t.Module, "nn.Buffer(")
	p.parameter = isTensor(t)
	p.call = p.leaf() && t.Call == "" && len(p.ins) == 1 && !p.parameter && len(t.Inputs) == 0
}

// isTensor reports a layer that is a tensor and no module.
func isTensor(t *layer.Torch) bool {
	return strings.HasPrefix(t.Module, "nn.Parameter(") || strings.HasPrefix(t.Module, "nn.Buffer(")
}

// holds reports whether any child has a module.
func (w *writer) holds(p *part) bool {
	for _, c := range p.children {
		if c.kind != function {
			return true
		}
	}
	return false
}

// collect gathers what the layers take beside the graph.
func (p *part) collect() {
	for _, c := range p.children {
		for _, in := range c.inputs {
			p.takes(in)
		}
	}
}

func (p *part) takes(in layer.Input) {
	for _, have := range p.inputs {
		if sameInput(have, in) {
			return
		}
	}
	p.inputs = append(p.inputs, in)
}

// border finds what a part takes and yields, and whether it can be called: its
// layers stand together in the order of computation, and one result leaves.
func (w *writer) border(p *part) {
	within := make(map[int]bool, len(p.nodes))
	for _, i := range p.nodes {
		within[i] = true
	}
	seen := map[int]bool{}
	yields := 0
	for _, i := range p.nodes {
		for _, in := range w.args[i] {
			if !within[in] && !seen[in] {
				seen[in] = true
				p.ins = append(p.ins, in)
			}
		}
		leaves := w.yielded[i]
		for _, u := range w.users[i] {
			leaves = leaves || !within[u]
		}
		if leaves {
			yields++
			p.out = i
		}
	}
	first, last := w.position[p.nodes[0]], w.position[p.nodes[len(p.nodes)-1]]
	p.call = yields == 1 && last-first+1 == len(p.nodes)
}

// kind says what holds the children of a part.
func (w *writer) kind(p *part) kind {
	numbers, modules, statements := 0, 0, 0 // statements: children that no expression makes
	counted := true                         // the children are 0, 1, 2 …
	for i, c := range p.children {
		if c.kind == function {
			counted = false
			continue
		}
		modules++
		counted = counted && c.name == strconv.Itoa(i)
		if digitsOnly(c.name) {
			numbers++
		}
		if c.kind == nested || c.parameter {
			statements++
		}
	}
	switch {
	case modules == 0:
		return function
	case statements > 0 || p.node >= 0:
		return class
	case counted && w.chain(p):
		for _, c := range p.children {
			if c.kind != single {
				return stack
			}
		}
		return sequential
	case counted:
		return list
	case numbers > 0 && !p.call && keys(p.children):
		return dict
	}
	return class
}

// keys reports whether an nn.ModuleDict takes the names of the children.
func keys(children []*part) bool {
	for _, c := range children {
		if c.kind != function && !layer.DictKey(c.name) {
			return false
		}
	}
	return true
}

// chain reports whether the children of a part are a stack: each takes what
// the one before it yields and the rest from outside, the same for all, and
// nothing else uses what is between them.
func (w *writer) chain(p *part) bool {
	if len(p.children) < 2 || !p.children[0].call {
		return false
	}
	first, slot := p.children[0], -1
	for k, c := range p.children[1:] {
		before := p.children[k]
		if !c.call || len(c.ins) != len(first.ins) || !slices.EqualFunc(c.inputs, first.inputs, sameInput) ||
			w.yielded[before.out] || len(w.outside(before.out, c)) > 0 {
			return false
		}
		at := slices.Index(c.ins, before.out)
		if at < 0 || slot >= 0 && slot != at {
			return false
		}
		slot = at
		for j, in := range c.ins {
			if j != slot && in != first.ins[j] {
				return false
			}
		}
	}
	p.slot, p.ins, p.out = slot, first.ins, p.children[len(p.children)-1].out
	return true
}

func sameInput(a, b layer.Input) bool { return a.Name == b.Name }

// outside are the users of a node's result that are not within a part.
func (w *writer) outside(i int, p *part) (list []int) {
	first, last := w.position[p.nodes[0]], w.position[p.nodes[len(p.nodes)-1]]
	for _, u := range w.users[i] {
		if at := w.position[u]; at < first || at > last {
			list = append(list, u)
		}
	}
	return list
}

// path is how a part is reached from the part at: .model.layers[0]. What an
// index yields is a module of some class to a type checker, so what is below it
// is got by its name.
func (p *part) path(at *part) string {
	var steps []*part
	for ; p != at; p = p.parent {
		steps = append(steps, p)
	}
	var b strings.Builder
	var got []string // names that one call gets
	known := true    // the class of what is reached so far
	for i, s := range slices.Backward(steps) {
		if known && !s.got() {
			b.WriteString(s.step())
			known = s.parent.attributes()
			continue
		}
		known = false
		got = append(got, s.name)
		if i == 0 {
			b.WriteString(".get_" + s.noun() + "(" + quote(strings.Join(got, ".")) + ")")
		}
	}
	return b.String()
}

// attributes reports a part whose children are attributes, not elements.
func (p *part) attributes() bool {
	switch p.kind {
	case sequential, stack, list, dict:
		return false
	}
	return true
}

// got reports a part that no attribute of Python can name: a number, a name
// with hyphens, or what a module holds beside its own.
func (p *part) got() bool {
	return p.parent.attributes() && (p.parent.kind == nested || digitsOnly(p.name) || layer.Identifier(p.name) != p.name)
}

// noun is what torch.nn.Module calls a part.
func (p *part) noun() string {
	switch {
	case p.buffer:
		return "buffer"
	case p.parameter:
		return "parameter"
	}
	return "submodule"
}

// step is how a part that need not be got is reached from its parent.
func (p *part) step() string {
	switch p.parent.kind {
	case sequential, stack, list:
		return "[" + p.name + "]"
	case dict:
		return "[" + quote(p.name) + "]"
	}
	return "." + p.name
}
