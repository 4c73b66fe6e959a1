package draw

import (
	"slices"
)

// rank gives each item of a scope its row: below all that it takes. What a
// second sequence brings may come from below, so that a decoder stands beside
// its encoder.
func (s *scope) rank(b *builder) {
	s.contexts()
	last := 0
	for _, it := range s.items {
		it.row = 0
		for _, e := range it.ins {
			if !e.context {
				it.row = max(it.row, e.from.row+1)
			}
		}
		if it.kind != exit {
			last = max(last, it.row)
		}
	}
	s.sink(b)
	exits := 0
	for _, it := range s.items {
		if it.kind == exit {
			it.row, exits = last+1, 1
		}
	}
	last += exits
	s.rows = make([][]*item, last+1)
	s.asides(b.aside)
	for _, it := range s.items {
		s.rows[it.row] = append(s.rows[it.row], it)
	}
	s.pass(b.aside)
}

// bus is how many take a result whose line may run down for each of them, as
// that of the time step of a diffusion model does.
const bus = 8

// sink moves chains down, to where what comes of them is taken: those that take
// nothing, and those whose source goes as far down by another line. Inputs stay
// at the top, with what is made of them alone.
func (s *scope) sink(b *builder) {
	for k := len(s.items) - 1; k >= 0; k-- {
		tail := s.items[k]
		if tail.kind == entry || tail.kind == exit || len(tail.outs) == 0 {
			continue
		}
		room := 1 << 20
		for _, e := range tail.outs {
			if e.to.kind == exit {
				room = 0
			} else if !e.context {
				room = min(room, e.to.row-1-tail.row)
			}
		}
		chain := []*item{tail}
		head := tail
		for len(head.ins) == 1 && len(head.ins[0].from.outs) == 1 && head.ins[0].from.kind != entry {
			head = head.ins[0].from
			chain = append(chain, head)
		}
		for _, e := range head.ins {
			deepest := 0
			if len(e.from.outs) >= bus {
				deepest = len(s.items)
			}
			for _, o := range e.from.outs {
				if o != e && o.source == e.source {
					deepest = max(deepest, o.to.row)
				}
			}
			room = min(room, deepest-head.row)
		}
		if room <= 0 || room == 1<<20 || len(head.ins) == 0 && len(chain) > 1 && head.kind == stack && b.node(head.boxes[0]).Is("input") {
			continue
		}
		for _, it := range chain {
			it.row += room
		}
	}
}

// contexts lets one second sequence alone come from below: where several
// sequences take from each other, none of them stands beside the others.
func (s *scope) contexts() {
	sources := map[int]bool{}
	for _, e := range s.edges {
		if e.context {
			sources[e.source] = true
		}
	}
	for _, e := range s.edges {
		e.context = e.context && len(sources) == 1
	}
}

// asides says which lines enter their box at its side: side inputs, second
// sequences, and those that pass by what another operand went through.
func (s *scope) asides(side map[int]bool) {
	number := make(map[*item]int, len(s.items))
	for k, it := range s.items {
		number[it] = k
	}
	above := make([]set, len(s.items)) // what each item depends on
	for k, it := range s.items {
		above[k] = make(set, len(s.items)/64+1)
		for _, e := range it.ins {
			f := number[e.from]
			above[k].add(f)
			above[k].join(above[f])
		}
	}
	for _, it := range s.items {
		if it.kind != stack {
			continue
		}
		for _, e := range it.ins {
			e.aside = e.context || side[e.source]
			for _, o := range it.ins {
				passed := o != e && above[number[o.from]].has(number[e.from])
				long := len(it.ins) == 2 && o != e && o.from.row == it.row-1 && e.from.row < it.row-1
				e.aside = e.aside || passed || long
			}
		}
		// One operand at least comes from above.
		if !slices.ContainsFunc(it.ins, func(e *edge) bool { return !e.aside }) && len(it.ins) > 0 {
			it.ins[0].aside = false
		}
	}
}

// pass puts a point into every row that the line of a source passes. All lines
// of one source share their points.
func (s *scope) pass(side map[int]bool) {
	points := map[place]*item{}
	at := func(e *edge, row int) *item {
		key := place{e.source, row}
		p := points[key]
		if p == nil {
			p = &item{kind: point, in: s, source: e.source, row: row, beside: -1, side: side[e.source]}
			points[key] = p
			s.rows[row] = append(s.rows[row], p)
		}
		return p
	}
	for _, e := range s.edges {
		s.passes[e.source] = s.passes[e.source] || e.aside && !e.context
		for row := e.from.row + 1; row < e.to.row; row++ {
			at(e, row)
		}
		for row := e.to.row; row <= e.from.row; row++ {
			at(e, row).up = true
		}
	}
}

// A set of small numbers.
type set []uint64

func (s set) add(n int)      { s[n/64] |= 1 << (n % 64) }
func (s set) has(n int) bool { return s[n/64]>>(n%64)&1 == 1 }

func (s set) join(other set) {
	for i := range s {
		s[i] |= other[i]
	}
}
