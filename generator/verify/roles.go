package verify

import (
	"fmt"
	"slices"

	"github.com/strata-catalog/strata/generator/layer"
)

// roles is what several rules want to know of a model: who does what, in page
// order. It is found once.
type roles struct {
	inputs, outputs int
	attention       []int // layers that attend
	sides           []int // layers with side inputs
	lookups         []int // embeddings of ids
	heads           []int // linear layers whose result leaves the model

	used    []bool // nodes whose result goes into another
	loose   []int  // nodes that lack an edge, and
	lacks   []lack // what each node lacks
	partner []int  // of a node that lacks an operand: the one that it may have been, plus one; nil: none can be told
}

// lack is the edge that a node lacks.
type lack byte

const (
	nothing  lack = iota
	anyEdge       // it stands alone
	operand       // it needs a tensor and has none
	consumer      // its result goes nowhere
)

func (p *Pass) who() *roles {
	if p.roles != nil {
		return p.roles
	}
	r := &roles{used: make([]bool, len(p.Nodes)), lacks: make([]lack, len(p.Nodes))}
	p.roles = r
	lent := map[int]bool{} // nodes whose weight another has too
	for _, i := range p.Order {
		n := &p.Nodes[i]
		for _, in := range n.Inputs {
			r.used[in] = true
		}
		if n.Tie != nil {
			lent[n.Tie.Node] = true
		}
		if n.Result.Attn != nil {
			r.attention = append(r.attention, i)
		}
		if len(n.Side) > 0 {
			r.sides = append(r.sides, i)
		}
		if n.Head {
			r.heads = append(r.heads, i)
		}
		switch {
		case n.Is("input"):
			r.inputs++
		case n.Is("output"):
			r.outputs++
		case n.Is("embedding") && len(n.Operands) > 0:
			r.lookups = append(r.lookups, i)
		}
	}
	for _, i := range p.Order {
		if r.lacks[i] = p.lacks(i, r.used[i]); r.lacks[i] == anyEdge && lent[i] {
			r.lacks[i] = nothing
		}
		if r.lacks[i] != nothing {
			r.loose = append(r.loose, i)
		}
	}
	p.pair(r)
	return r
}

// lacks is the edge that a node lacks. An output without one is the end of a
// model that returns nothing; a merge without operands is a matter of
// few-operands.
func (p *Pass) lacks(i int, used bool) lack {
	n := &p.Nodes[i]
	switch t := n.Type; {
	case len(n.Inputs) == 0 && !used && !n.Is("output"):
		if len(p.Nodes) > 1 {
			return anyEdge
		}
	case t == nil:
	case !t.Source && len(n.Operands) == 0 && t.Ports.Min == 1:
		return operand
	case len(n.Inputs) > 0 && !used && !n.Is("output"):
		return consumer
	}
	return nothing
}

// pair finds the two ends of missing edges: where as many layers lack an
// operand as there are results that go nowhere, each is taken as the other's.
func (p *Pass) pair(r *roles) {
	var starved, idle []int
	for _, i := range r.loose {
		switch r.lacks[i] {
		case operand:
			starved = append(starved, i)
		case consumer:
			idle = append(idle, i)
		case anyEdge:
			if p.Nodes[i].Is("input") {
				idle = append(idle, i)
			}
		}
	}
	for _, rule := range []string{layer.FewOperands, layer.MissingContext} {
		for _, q := range p.problems[rule] {
			if r.lacks[q.node] != anyEdge && r.lacks[q.node] != operand {
				starved = append(starved, q.node)
			}
		}
	}
	if len(starved) != len(idle) || len(idle) == 0 || r.inputs == 0 || r.outputs == 0 {
		return
	}
	slices.Sort(starved)
	slices.Sort(idle)
	r.partner = make([]int, len(p.Nodes))
	for k, i := range starved {
		r.partner[i] = idle[k] + 1
	}
}

// starve completes the finding on a layer that lacks an operand: where the
// other end of the missing edge can be told, it is that one's finding too.
func (p *Pass) starve(f *found) {
	if p.who().partner == nil {
		return
	}
	other := &p.Nodes[p.who().partner[f.node]-1]
	f.Message += ", while the result of another goes nowhere"
	f.Components = append(f.Components, other.ID)
	f.Fix = fmt.Sprintf("Feed it from %q, or from what else is meant.", other.ID)
}

// selfAttends reports whether a layer attends over its own sequence.
func (p *Pass) selfAttends(i int) bool {
	n := &p.Nodes[i]
	return n.Result.Attn != nil && len(n.Operands) > 0 && !n.CrossAttends()
}

// takesFrom lists the operands that a node's result is made of token by token:
// all but the context of cross-attention.
func (p *Pass) takesFrom(i int) []int {
	n := &p.Nodes[i]
	if n.CrossAttends() && len(n.Operands) > 0 {
		return n.Operands[:1]
	}
	return n.Operands
}

// attends reports whether a node is attention of any kind, known in full or not.
func (p *Pass) attends(i int) bool {
	_, ok := p.Nodes[i].Result.Layer.(layer.Attender)
	return ok
}
