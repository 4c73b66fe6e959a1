package infer

import (
	"strings"

	"github.com/strata-catalog/strata/generator/graph"
)

// A Run is a part of the model that repeats: Count instances of Period layers
// each, from position Start of the order on. Children are the runs within the
// first instance.
type Run struct {
	Start, Period, Count int
	Children             []Run
}

// End is the position after the last instance.
func (r Run) End() int { return r.Start + r.Period*r.Count }

// WorthFolding is how many rows a repeat must hide: to fold fewer costs a
// reader more than it saves.
const WorthFolding = 4

// Worth drops the runs that are too short to fold.
func Worth(list []Run) (kept []Run) {
	for _, r := range list {
		if r.Period*(r.Count-1) >= WorthFolding {
			r.Children = Worth(r.Children)
			kept = append(kept, r)
		}
	}
	return kept
}

// Block is the block that the run repeats, "" when it was found in a flat list.
func (m *Model) Block(r Run) string {
	first := m.Nodes[m.Order[r.Start]].Frame
	last := m.Nodes[m.Order[r.Start+r.Period-1]].Frame
	for ; first != nil; first = first.Parent {
		for f := last; f != nil; f = f.Parent {
			if f == first {
				return f.Block
			}
		}
	}
	return ""
}

// candidates is how many distances to an equal layer are tried as the period:
// within one block, that many layers may be equal to its first.
const candidates = 24

// folder looks for runs. Two layers are alike when they are of one Kind and at
// the same place of the same block.
type folder struct {
	m    *Model
	pos  []int // position of each node
	next []int // position of the next layer alike, len(order) for none
	left int   // comparisons that may still be made, so that time stays linear
}

// fold finds the maximal runs of structurally identical consecutive
// sub-sequences, from left to right, each as long as it goes.
func (m *Model) fold() []Run {
	n := len(m.Order)
	f := &folder{m: m, pos: make([]int, n), next: make([]int, n), left: 256*n + 4096}
	type like struct {
		kind      int
		component *graph.Component
	}
	last := make(map[like]int, 64)
	for p := n - 1; p >= 0; p-- {
		i := m.Order[p]
		f.pos[i] = p
		k := like{kind: m.Nodes[i].Kind}
		if m.Nodes[i].Frame != nil {
			k.component = m.Nodes[i].Component
		}
		f.next[p] = n
		if q, ok := last[k]; ok {
			f.next[p] = q
		}
		last[k] = p
	}
	return f.runs(0, n)
}

// runs folds the positions from start to end.
func (f *folder) runs(start, end int) []Run {
	var runs []Run
	for p := start; p < end; {
		period, count := f.longest(p, end)
		if count < 2 {
			p++
			continue
		}
		p, count = f.aligned(p, end, period, count)
		r := Run{Start: p, Period: period, Count: count}
		if period > 1 {
			r.Children = f.runs(p, p+period)
		}
		runs = append(runs, r)
		p = r.End()
	}
	return runs
}

// aligned moves the start of a run of a flat document to where an instance has
// a path in common, as in encoder.layer.0: a layer before the first instance may
// look like the last of one. The run must not get shorter by it.
func (f *folder) aligned(p, end, period, count int) (start, times int) {
	start, times = p, count
	if f.m.Nodes[f.m.Order[p]].Frame != nil || period == 1 {
		return start, times
	}
	depth := f.common(p, period)
	for s := p + 1; s < p+period && s+2*period <= end; s++ {
		if d := f.common(s, period); d > depth {
			if n := f.times(s, end, period); n >= times {
				start, times, depth = s, n, d
			}
		}
	}
	return start, times
}

// common is how many steps the paths of the layers of one period have in common.
func (f *folder) common(p, period int) int {
	first := f.m.Nodes[f.m.Order[p]].ID
	steps := strings.Count(first, ".")
	for q := p + 1; q < p+period && steps > 0; q++ {
		id := f.m.Nodes[f.m.Order[q]].ID
		n, at := 0, 0
		for n < steps {
			cut := strings.IndexByte(first[at:], '.') + 1
			if !strings.HasPrefix(id[min(at, len(id)):], first[at:at+cut]) {
				break
			}
			n, at = n+1, at+cut
		}
		steps = n
	}
	return steps
}

// times is how often the period at p stands there.
func (f *folder) times(p, end, period int) int {
	n := 1
	for at := p; at+2*period <= end && f.repeats(p, at, period); at += period {
		n++
	}
	return n
}

// longest is the run at p that covers the most layers; of equal ones the one
// with the shortest period.
func (f *folder) longest(p, end int) (period, count int) {
	for q, tries := f.next[p], 0; q < end && tries < candidates; q, tries = f.next[q], tries+1 {
		d := q - p
		if p+2*d > end {
			break
		}
		if (end-p)/d*d <= period*count {
			continue // it cannot cover more
		}
		n := f.times(p, end, d)
		if n > 1 && n*d > period*count {
			period, count = d, n
		}
	}
	return period, count
}

// repeats reports whether the layers of one period at position at stand again
// one period later, with edges to match. from is where the run begins.
func (f *folder) repeats(from, at, period int) bool {
	m := f.m
	if f.left -= period; f.left < 0 {
		return false
	}
	for p := at; p < at+period; p++ {
		a, b := &m.Nodes[m.Order[p]], &m.Nodes[m.Order[p+period]]
		if a.Kind != b.Kind || len(a.Inputs) != len(b.Inputs) || (a.Frame == nil) != (b.Frame == nil) {
			return false
		}
		if a.Frame != nil && a.Component != b.Component {
			return false
		}
		for k := range a.Inputs {
			x, y := f.pos[a.Inputs[k]], f.pos[b.Inputs[k]]
			// What the first instance takes from before the run, the second
			// takes from the same place, or from within the first.
			entry := x < from && (x == y || at == from && y >= from && y < from+period)
			if x+period != y && !entry {
				return false
			}
		}
	}
	return true
}
