package verify

import (
	"slices"

	"github.com/strata-catalog/strata/generator/graph"
)

// row is layers that follow each other, as long as something is counted.
type row struct {
	first  int // layer
	length int // what was counted
	layers int // that counted
}

// longest is the longest row along the edges: counts says what a layer adds to
// it, ends which layers it does not go through.
func (p *Pass) longest(counts func(i int) int, ends func(i int) bool) row {
	rows := make([]row, len(p.Nodes))
	best := row{first: none}
	for _, i := range p.Order {
		if ends(i) {
			continue
		}
		r := row{first: none}
		for _, in := range p.Nodes[i].Operands {
			if rows[in].length > r.length {
				r = rows[in]
			}
		}
		if n := counts(i); n > 0 {
			if r.layers == 0 {
				r.first = i
			}
			r.length, r.layers = r.length+n, r.layers+1
		}
		rows[i] = r
		if r.length > best.length {
			best = r
		}
	}
	return best
}

// one counts the layers that have a trait.
func (f *flow) one(t trait) func(i int) int {
	return func(i int) int {
		if f.is(i, t) {
			return 1
		}
		return 0
	}
}

// bypassed reports whether a path leads around layers to node i, or past all
// within it.
func (p *Pass) bypassed(i int) bool {
	if p.flow().is(i, sums|skips) {
		return true
	}
	return p.flow().is(i, merges) && (p.Nodes[i].Is("concatenate") || p.Nodes[i].Is("stack"))
}

// manyConvolutions is how many make a stack.
const manyConvolutions = 5

func convolutionsWithoutNorm(p *Pass) {
	f := p.flow()
	if len(f.convolutions) < manyConvolutions || p.normalisesConvolutions() {
		return
	}
	r := p.longest(f.one(convolves), func(i int) bool {
		return p.bypassed(i) || f.is(i, tokenwise) || f.is(i, activates) && p.Nodes[i].Is("selu")
	})
	if r.length >= manyConvolutions {
		p.report(r.first, "%d convolutions follow each other from here on, and none is normalised", r.length)
	}
}

// normalisesConvolutions reports whether any convolution has a norm behind or
// before it, with nothing but an activation or a dropout between.
func (p *Pass) normalisesConvolutions() bool {
	f := p.flow()
	for _, i := range f.norms {
		if f.is(p.straightPast(i, activates|drops), convolves) || f.is(f.userPast(i, activates|drops), convolves) {
			return true
		}
	}
	return false
}

// manyLayers is how many make a deep stack.
const manyLayers = 20

func noResidual(p *Pass) {
	f := p.flow()
	if len(f.works) < manyLayers {
		return
	}
	if r := p.longest(f.one(works), p.bypassed); r.length >= manyLayers {
		p.report(r.first, "%d layers with weights follow each other from here on, and no residual path leads around any of them", r.length)
	}
}

// A hidden sigmoid weighs as much as two hidden tanh; so many make a deep stack.
const (
	sigmoidWeight = 2
	tanhWeight    = 1
	manySaturate  = 10
)

func saturatingStack(p *Pass) {
	f := p.flow()
	if len(f.activations)*sigmoidWeight < manySaturate {
		return
	}
	weight := func(i int) int {
		switch {
		case !f.is(i, saturates) || !f.is(f.userPast(i, drops|shapes), works):
			return 0
		case p.Nodes[i].Is("sigmoid"):
			return sigmoidWeight
		}
		return tanhWeight
	}
	r := p.longest(weight, func(i int) bool {
		return p.bypassed(i) || f.is(i, normalises) || f.is(i, activates) && !f.is(i, saturates)
	})
	if r.length >= manySaturate {
		p.report(r.first, "hidden layers in a row have a sigmoid or a tanh from here on, %d of them", r.layers)
	}
}

func emptyResidual(p *Pass) {
	var list []int
	for _, i := range p.flow().sums {
		if p.addsNothing(i) {
			list = append(list, i)
		}
	}
	p.layers(list, "%d sums add a tensor to itself, with no layer with weights beside the path", "adds a tensor to itself, with no layer with weights beside the path")
}

// addsNothing reports whether a sum has operands of which one is made of
// another by a few norms, activations and dropout alone, or is that other one.
func (p *Pass) addsNothing(i int) bool {
	in := p.Nodes[i].Operands
	if len(in) > reach {
		return false
	}
	for k, at := range in {
		if slices.Contains(in[:k], at) {
			return true
		}
		for range reach {
			if !p.flow().is(at, passes) || len(p.Nodes[at].Operands) != 1 {
				break
			}
			if at = p.Nodes[at].Operands[0]; slices.Contains(in, at) {
				return true
			}
		}
	}
	return false
}

// A branch is the way from a source to the sum that adds the source to what
// became of it. Only those are looked at that work on tokens: attention,
// feed-forward networks, linear and recurrent layers.
type branch struct {
	source, start, sum int
	stack              int
	place              normed
}

// normed is where a branch is normalised, as bits.
type normed uint8

const (
	inside normed = 1 << iota // where it begins, or ends
	behind                    // the sum goes to a norm and nowhere else
	fed                       // the source is a norm's result
)

// stacks is the residual branches of a model. Those of one stack follow each
// other along the residual stream.
type stacks struct {
	branches []branch
	of       []int // by node: the stack of a sum, plus one
	tally    []tally
}

// tally counts the branches of one stack by where they are normalised.
type tally struct {
	inside, behind, bare int
	last                 int // the sum that ends it
}

// pre and post report which of the two most branches of a stack are.
func (t tally) pre() bool  { return t.inside > 0 && t.inside >= t.behind+t.bare }
func (t tally) post() bool { return t.behind > t.inside+t.bare }

// final reports whether the norm behind a branch is that of the whole stack.
func (t tally) final(b branch) bool { return b.sum == t.last && t.behind == 0 }

// stacks finds the residual branches once.
func (p *Pass) stacks() *stacks {
	if p.stacked != nil {
		return p.stacked
	}
	s := &stacks{}
	p.stacked = s
	f := p.flow()
	if len(f.sums) == 0 || len(f.norms) == 0 {
		return s
	}
	s.of = make([]int, len(p.Nodes))
	s.branches = make([]branch, 0, len(f.sums))
	for _, i := range f.sums {
		p.sum(s, i)
	}
	for _, b := range s.branches {
		s.tally[b.stack].last = b.sum
	}
	for _, b := range s.branches {
		switch t := &s.tally[b.stack]; {
		case b.place&inside != 0:
			t.inside++
		case b.sum == t.last: // the norm behind it may be the final one
		case b.place&behind != 0:
			t.behind++
		case b.place&fed == 0:
			t.bare++
		}
	}
	return s
}

// sum adds the branches that end in a sum. The source is its operand that
// stands first in the order.
func (p *Pass) sum(s *stacks, i int) {
	f := p.flow()
	in := p.Nodes[i].Operands
	if len(in) < 2 {
		return
	}
	source := in[0]
	for _, at := range in {
		if f.place[at] < f.place[source] {
			source = at
		}
	}
	if at := p.past(source, passes|shapes); s.of[at] > 0 {
		s.of[i] = s.of[at]
	} else {
		s.tally = append(s.tally, tally{})
		s.of[i] = len(s.tally)
	}
	for _, at := range in {
		if b, ok := p.branch(source, at); ok {
			b.source, b.sum, b.stack = source, i, s.of[i]-1
			if f.is(f.userPast(i, drops), normalises) {
				b.place |= behind
			}
			s.branches = append(s.branches, b)
		}
	}
}

// How far past and branch look, so that time stays linear.
const (
	reach     = 8
	maxBranch = 256
)

// past goes back from a node over layers of one operand that have a trait.
func (p *Pass) past(i int, t trait) int {
	for k := 0; k < reach && p.flow().is(i, t) && len(p.Nodes[i].Operands) == 1; k++ {
		i = p.Nodes[i].Operands[0]
	}
	return i
}

// branch follows the first operands from the end of a branch to its source.
func (p *Pass) branch(source, end int) (b branch, ok bool) {
	f := p.flow()
	ends := true // nothing but dropout and scales stands behind
	for at, n := end, 0; at != source; at, n = p.Nodes[at].Operands[0], n+1 {
		if f.place[at] < f.place[source] || len(p.Nodes[at].Operands) == 0 || f.is(at, skips) || n == maxBranch {
			return branch{}, false
		}
		ok = ok || f.is(at, tokenwise)
		if ends && f.is(at, normalises) {
			b.place |= inside
		}
		light := f.is(at, drops) || p.Nodes[at].Is("layerScale")
		ends = ends && light
		if !light {
			b.start = at
		}
	}
	if f.is(b.start, normalises) {
		b.place |= inside
	}
	if f.is(p.past(source, drops), normalises) {
		b.place |= fed
	}
	return b, ok
}

// interruptedResidual looks at what branches start from.
func interruptedResidual(p *Pass) {
	var list []int
	seen := map[int]bool{}
	for _, b := range p.stacks().branches {
		if at := p.inStream(b.source); at != none && !seen[at] {
			seen[at] = true
			list = append(list, at)
		}
	}
	p.layers(list, "%d layers stand in the residual stream itself, with no path around them", "stands in the residual stream itself, with no path around it")
}

// inStream is the layer between the source of a branch and the sum before it,
// none where there is no such sum or no such layer: attention, a feed-forward
// network, or one that is drawn as two linear layers and keeps the width.
func (p *Pass) inStream(source int) (layer int) {
	f := p.flow()
	layer = none
	linears, at := 0, source
	for range 2 * reach {
		switch n := &p.Nodes[at]; {
		case f.is(at, sums):
			if linears > 1 && layer == none && n.Result.Out.Width() == p.Nodes[source].Result.Out.Width() {
				return source
			}
			return layer
		case f.is(at, skips) || len(n.Operands) == 0:
			return none
		case f.is(at, attends|feedsForward):
			layer = at
		case f.is(at, multiplies):
			linears++
		case !f.is(at, passes|shapes):
			return none
		}
		at = p.Nodes[at].Operands[0]
	}
	return none
}

func mixedNorms(p *Pass) {
	s := p.stacks()
	var before, after []int
	for _, b := range s.branches {
		switch t := s.tally[b.stack]; {
		case t.pre() && b.place&(inside|behind) == behind && !t.final(b):
			before = append(before, b.sum)
		case t.post() && b.place&inside != 0:
			after = append(after, b.start)
		}
	}
	p.layers(before, "%d residual sums are normalised behind them, in a stack whose branches are normalised inside", "is normalised behind the sum, in a stack whose branches are normalised inside")
	p.layers(after, "%d residual branches are normalised inside, in a stack with norms behind its sums", "is normalised inside its residual branch, in a stack with norms behind its sums")
}

func missingNorm(p *Pass) {
	s := p.stacks()
	var list []int
	for _, b := range s.branches {
		switch t := s.tally[b.stack]; {
		case t.pre() && b.place&(inside|fed) == 0 && (b.place&behind == 0 || t.final(b)):
			list = append(list, b.start)
		case t.post() && b.place&(inside|behind) == 0:
			list = append(list, b.start)
		}
	}
	p.layers(list, "%d residual branches have no norm, unlike the others of their stack", "its residual branch has no norm, unlike the others of the stack")
	p.mildly(p.oddConvolutions(), "%d convolutions have no norm, unlike all others", "has no norm, unlike all other convolutions")
}

// oddConvolutions lists the uses of the one convolution that alone leads to
// another without a norm; none where there are several of that kind, or few of
// the other.
func (p *Pass) oddConvolutions() (list []int) {
	f := p.flow()
	var odd *graph.Component
	normalised := map[*graph.Component]bool{}
	for _, i := range f.convolutions {
		c := p.Nodes[i].Component
		switch {
		case f.is(f.userPast(i, activates|drops), normalises):
			normalised[c] = true
		case p.endsStack(i):
		case odd != nil && odd != c:
			return nil
		default:
			odd = c
			list = append(list, i)
		}
	}
	if len(normalised) < manyConvolutions || normalised[odd] {
		return nil
	}
	return list
}

// endsStack reports whether a convolution is the first or the last of its
// stack, or works on a single pixel.
func (p *Pass) endsStack(i int) bool {
	f := p.flow()
	if f.leaves(i) {
		return true
	}
	if n, ok := p.Nodes[i].Result.Out.Positions().Elems(); !ok || n <= 1 {
		return true
	}
	for _, in := range p.Nodes[i].Operands {
		if p.Nodes[p.past(in, passes|shapes)].Is("input") {
			return true
		}
	}
	return false
}

func noFinalNorm(p *Pass) {
	f, s := p.flow(), p.stacks()
	for _, i := range p.who().heads {
		if len(p.Nodes[i].Operands) != 1 {
			continue
		}
		at := p.past(p.Nodes[i].Operands[0], drops|shapes)
		pre := f.is(at, skips) && p.param(at, "norm") != `"post"`
		if s.of != nil && s.of[at] > 0 {
			pre = s.tally[s.of[at]-1].pre()
		}
		if !pre {
			continue
		}
		finding := p.report(i, "reads the residual stream after %q, which no norm has scaled", p.Nodes[at].ID)
		if !p.overVocabulary(i) {
			finding.Severity = Advice
		}
	}
}
