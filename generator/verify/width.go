package verify

import (
	"fmt"
	"math"
	"strconv"

	"github.com/strata-catalog/strata/generator/layer"
)

// widths reports the widths that do not fit, each where it breaks first. Where
// layers after it expect the same, the cause lies before it.
func widths(p *Pass) {
	type start struct {
		finding  int
		expected int64 // the declared width
		more     int   // layers after it that expect it too
	}
	starts := map[int]*start{} // by node
	for _, r := range p.problems[layer.WidthMismatch] {
		if p.misdivided(r.node) {
			continue
		}
		at := p.breaks().cause[r.node]
		expected := p.integer(r.node, r.problem.Param)
		switch s := starts[at]; {
		case s != nil && p.found[s.finding].Message == r.problem.Message:
			f := &p.found[s.finding]
			f.Repeat++
			f.Patch = append(f.Patch, p.replace(r.node, r.problem.Param, r.problem.Replace)...)
		case at == r.node:
			starts[at] = &start{finding: len(p.found), expected: expected}
			p.problem(r)
		case s != nil && s.expected == expected:
			s.more++
		}
	}
	for at, s := range starts {
		f := &p.found[s.finding]
		switch {
		case p.has(at, layer.JoinedOperands):
			f.Message += fmt.Sprintf(" (that of %d inputs, joined)", len(p.Nodes[at].Operands))
			f.Fix, f.Patch = "Draw the merge that was meant, or correct the declared width.", nil
		case s.more > 0:
			f.Message += fmt.Sprintf("; layers after it that expect %d too: %d", s.expected, s.more)
			f.Fix, f.Patch = "Correct the width of what feeds it.", nil
		}
	}
}

// misdivided reports whether a node's width is wrong because attention before it
// has heads that do not divide theirs.
func (p *Pass) misdivided(i int) bool {
	for _, in := range p.Nodes[i].Operands {
		if p.has(in, layer.HeadsDivide) {
			return true
		}
	}
	return false
}

// breaks is where widths break, and how far that reaches: along the layers that
// have one of the two widths, which the residual sum may have from either side.
type breaks struct {
	pair   []pair      // by node
	cause  []int       // by node: where it broke
	blamed map[int]int // readers that break, by the node they read
}

// pair is two widths that should be one, the smaller first. Zero stands for
// any width, and two of them for no break.
type pair [2]int64

func pairOf(a, b int64) pair { return pair{min(a, b), max(a, b)} }

// explains reports whether a difference of widths follows from a break.
func (broken pair) explains(other pair) bool {
	if broken[0] == 0 {
		return broken[1] != 0 && (broken[1] == other[0] || broken[1] == other[1])
	}
	return broken == other
}

// breaks follows the widths that do not fit along the edges.
func (p *Pass) breaks() *breaks {
	if p.broken != nil {
		return p.broken
	}
	b := &breaks{pair: make([]pair, len(p.Nodes)), cause: make([]int, len(p.Nodes))}
	p.broken = b
	b.blamed = p.blame()
	for _, i := range p.Order {
		p.breakAt(b, i)
	}
	return b
}

// blame finds the tensors that some layer cannot read: what else reads them
// breaks for the same reason, wherever it stands in the order.
func (p *Pass) blame() map[int]int {
	if p.problems[layer.WidthMismatch] == nil {
		return nil
	}
	first := map[int]int{} // the first reader that breaks, by the node it reads
	for _, i := range p.Order {
		n := &p.Nodes[i]
		if len(n.Operands) == 0 || p.ownBreak(i)[0] == 0 {
			continue
		}
		if _, ok := first[n.Operands[0]]; !ok {
			first[n.Operands[0]] = i
		}
	}
	return first
}

func (p *Pass) breakAt(b *breaks, i int) {
	n := &p.Nodes[i]
	own := p.ownBreak(i)
	b.pair[i], b.cause[i] = own, i
	for _, in := range n.Operands {
		if handed := p.handed(i, in, b.pair[in]); handed != (pair{}) && own == (pair{}) || b.pair[in].explains(own) {
			b.pair[i], b.cause[i] = handed, b.cause[in]
			break
		}
	}
	if w := n.Result.Out.Width(); w != 0 && w != b.pair[i][0] && w != b.pair[i][1] {
		b.pair[i] = pair{} // the layer has a width of its own
	}
	if reader, ok := b.blamed[i]; ok && b.pair[i] == (pair{}) {
		b.pair[i], b.cause[i] = p.ownBreak(reader), reader
	}
}

// ownBreak is the declared and the incoming width of a node where they differ.
// A concatenation that lacks an operand may have any other width.
func (p *Pass) ownBreak(i int) pair {
	n := &p.Nodes[i]
	for _, q := range n.Result.Problems {
		switch q.Rule {
		case layer.FewOperands:
			if n.Is("concatenate") {
				return pairOf(0, n.Result.Out.Width())
			}
		case layer.WidthMismatch:
			got, err := strconv.ParseInt(q.Replace, 10, 64)
			if declared := p.integer(i, q.Param); err == nil && declared > 0 {
				return pairOf(declared, got)
			}
		}
	}
	return pair{}
}

// handed is what becomes of an operand's break: concatenating and flattening
// make other widths of both.
func (p *Pass) handed(i, in int, broken pair) pair {
	n := &p.Nodes[i]
	from, to := p.Nodes[in].Result.Out.Width(), n.Result.Out.Width()
	if broken == (pair{}) || broken[0] == 0 || from == 0 || to == 0 {
		return broken
	}
	other := broken[0] + broken[1] - from
	switch {
	case n.Is("concatenate") && to != from:
		return pairOf(to, to-from+other)
	case n.Is("flatten") && to%from == 0 && other < math.MaxInt64/(to/from):
		return pairOf(to, to/from*other)
	}
	return broken
}

// follows reports whether operands differ only because a width broke before.
func (p *Pass) follows(i int) bool {
	if p.problems[layer.WidthMismatch] == nil {
		return false
	}
	in := p.Nodes[i].Result.In
	for k, from := range p.Nodes[i].Operands {
		if p.breaks().pair[from] == (pair{}) || k >= len(in) {
			continue
		}
		others := in[:1] // the first is what the others are compared with
		if k == 0 {
			others = in
		}
		for _, x := range others {
			if w := x.Width(); w != in[k].Width() && p.breaks().pair[from].explains(pairOf(w, in[k].Width())) {
				return true
			}
		}
	}
	return false
}
