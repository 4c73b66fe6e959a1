package export

import (
	"strconv"
	"strings"

	"github.com/strata-catalog/strata/generator/layer"
)

// scope writes the forward of one part.
type scope struct {
	w    *writer
	part *part
	vars map[int]string // expression of each node's result
	used map[string]int // names, and how often each was asked for
	done map[*part]bool // what is written
	// looped are the results that stand in a variable of a loop.
	looped map[int]bool
	body   *lines
}

func (w *writer) scope(p *part) *scope {
	s := &scope{w: w, part: p, vars: map[int]string{}, used: map[string]int{}, done: map[*part]bool{}, looped: map[int]bool{}}
	for _, name := range []string{"self", "torch", "nn", "F", "Tensor", "layer", "math"} {
		s.used[name] = 1
	}
	for _, in := range p.inputs {
		s.used[in.Name] = 1
	}
	return s
}

// shadowing are names that no variable should have: Python's own functions and
// types, and letters that look like digits.
var shadowing = wordSet(`abs all any ascii bin bool breakpoint bytearray bytes
	callable chr classmethod compile complex delattr dict dir divmod enumerate eval
	exec exit filter float format frozenset getattr globals hasattr hash help hex id
	input int isinstance issubclass iter len list locals map max memoryview min next
	object oct open ord pow print property quit range repr reversed round set setattr
	slice sorted staticmethod str sum super tuple type vars zip l I O`)

// unique makes a name that this forward does not use yet.
func (s *scope) unique(want string) string {
	if shadowing[want] {
		want += "_"
	}
	name := want
	for s.used[name] > 0 {
		s.used[want]++
		name = want + "_" + strconv.Itoa(s.used[want])
	}
	s.used[name] = 1
	return name
}

// variable is the name for what a part yields: the last step of its path that
// is no number.
func variable(p *part) string {
	for digitsOnly(p.name) && p.parent.parent != nil {
		p = p.parent
	}
	if digitsOnly(p.name) {
		return "h"
	}
	return layer.Identifier(p.name)
}

// parameters names what a part takes, and lists it as the arguments of forward.
func (s *scope) parameters(p *part) string {
	given := s.w.given(p)
	args := make([]string, 0, len(p.ins)+len(p.inputs))
	for k, in := range p.ins {
		name, ok := given[in]
		if !ok {
			name = [...]string{"x", "y", "z"}[min(k, 2)]
		}
		s.vars[in] = s.unique(name)
		args = append(args, s.vars[in]+": Tensor")
	}
	for _, in := range p.inputs {
		args = append(args, in.Name+": Tensor")
	}
	return strings.Join(args, ", ")
}

// given are the names that a block gives what it takes, by node.
func (w *writer) given(p *part) map[int]string {
	names := map[int]string{}
	for _, i := range p.nodes {
		n := &w.m.Nodes[i]
		if n.Frame == nil || len(n.Component.Inputs) != len(n.Inputs) {
			continue
		}
		for k, ref := range n.Component.Inputs {
			in := source(w.m, n.Inputs[k])
			if w.blocks[n.Frame.Block][ref.ID] && layer.Identifier(ref.ID) == ref.ID && !digitsOnly(ref.ID) && names[in] == "" {
				names[in] = ref.ID
			}
		}
	}
	return names
}

// statements writes every step of the part, in order.
func (s *scope) statements() {
	for _, i := range s.part.nodes {
		if s.w.stored(i) {
			continue
		}
		p := s.locate(i)
		if s.done[p] {
			continue
		}
		s.done[p] = true
		switch {
		case p == s.part:
			s.leaf(p)
		case p.kind == stack:
			s.loop(p)
		case p.kind == sequential, p.kind == class && p.call:
			s.call(p)
		default:
			s.leaf(p)
		}
	}
}

// locate finds what is written for a node: the outermost part below this one
// that is used as one, or the layer itself.
func (s *scope) locate(i int) *part {
	leaf := s.w.parts[i]
	found := leaf
	for p := leaf; p != s.part; p = p.parent {
		if p.kind == stack || p.kind == sequential || p.kind == class && p.call {
			found = p
		}
	}
	return found
}

// loop writes a stack. Where nothing else takes what comes in from the loop
// before, its variable goes on.
func (s *scope) loop(p *part) {
	args := s.arguments(p)
	h := args[p.slot]
	if from := p.ins[p.slot]; !s.looped[from] || len(s.w.outside(from, p)) > 0 || s.w.yielded[from] {
		h = s.unique("h")
		s.body.add(h + " = " + args[p.slot])
	}
	at := p.path(s.part)
	if strings.ContainsAny(at, "[(") {
		at += ".children()" // to a type checker it is a module of some class, and no list
	}
	s.body.add("for layer in self" + at + ":")
	args[p.slot] = h
	s.body.indent++
	s.assign(h, "layer("+strings.Join(args, ", ")+")", s.w.shapes(p))
	s.body.indent--
	s.vars[p.out], s.looped[p.out] = h, true
}

// arguments are the expressions of what a part takes.
func (s *scope) arguments(p *part) []string {
	args := make([]string, 0, len(p.ins)+len(p.inputs))
	for _, in := range p.ins {
		args = append(args, s.vars[in])
	}
	for _, in := range p.inputs {
		args = append(args, in.Name)
	}
	return args
}

// shapes is the shape that each instance of a stack yields, or those of the
// first and the last.
func (w *writer) shapes(p *part) string {
	first := w.m.Nodes[p.children[0].out].Out()
	last := w.m.Nodes[p.out].Out()
	for _, c := range p.children {
		if !w.m.Nodes[c.out].Out().Equal(first) {
			return first.Brackets() + " to " + last.Brackets()
		}
	}
	return last.Brackets()
}

// call writes the call of a part.
func (s *scope) call(p *part) {
	name := s.name(p, p.out)
	s.assign(name, "self"+p.path(s.part)+"("+strings.Join(s.arguments(p), ", ")+")", s.w.m.Nodes[p.out].Out().Brackets())
}

// name makes the name of a result; "_" for one that nothing uses.
func (s *scope) name(p *part, i int) string {
	name := "_"
	if len(s.w.users[i]) > 0 || s.w.yielded[i] {
		name = s.unique(variable(p))
	}
	s.vars[i] = name
	return name
}

// leaf writes the step of one layer. Operands that are to be joined are joined
// by a step before.
func (s *scope) leaf(p *part) {
	i := p.node
	n, t := &s.w.m.Nodes[i], &s.w.torches[i]
	operands := make([]string, len(s.w.args[i]))
	for j, in := range s.w.args[i] {
		operands[j] = s.vars[in]
	}
	if joined := joined(n); joined > 0 {
		x := n.Result.In[0]
		s.vars[i] = s.unique(variable(p))
		s.assign(s.vars[i], "torch.cat(("+strings.Join(s.lifted(i, joined), ", ")+"), dim="+strconv.Itoa(x.Feature-x.Rank())+")", x.Dims.Brackets())
		operands = append([]string{s.vars[i]}, operands[joined:]...)
	}
	call := t.Call
	if call == "" {
		call = "$m($*)"
	}
	expr := substitute(call, "self"+p.path(s.part), operands)
	if expr == s.vars[i] {
		return // what was joined is all there is
	}
	s.assign(s.name(p, i), expr, n.Out().Brackets())
}

// lifted are the first operands of a layer, with the leading axes of size 1
// that they lack to be joined.
func (s *scope) lifted(i, operands int) []string {
	list := make([]string, operands)
	for k, in := range s.w.args[i][:operands] {
		list[k] = s.vars[in]
		if lacks := s.w.m.Nodes[i].Result.In[0].Rank() - len(s.w.m.Nodes[in].Out()); lacks > 0 {
			list[k] += "[None" + strings.Repeat(", None", lacks-1) + "]"
		}
	}
	return list
}

// assign writes a step, with the shape of its result behind it or above it.
func (s *scope) assign(name, expr, out string) { s.body.add(name + " = " + expr + "  # " + out) }

// substitute puts operands and module into a call.
func substitute(call, module string, operands []string) string {
	var b strings.Builder
	for i := 0; i < len(call); i++ {
		if call[i] != '$' || i+1 == len(call) {
			b.WriteByte(call[i])
			continue
		}
		i++
		switch c := call[i]; {
		case c == 'm':
			b.WriteString(module)
		case c == '*':
			b.WriteString(strings.Join(operands, ", "))
		case c >= '0' && c <= '9':
			end := i
			for end < len(call) && call[end] >= '0' && call[end] <= '9' {
				end++
			}
			if k, err := strconv.Atoi(call[i:end]); err == nil && k < len(operands) {
				b.WriteString(operands[k])
			}
			i = end - 1
		}
	}
	return b.String()
}
