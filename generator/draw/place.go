package draw

import (
	"cmp"
	"slices"
)

// Distances, in pixels.
const (
	space      = 24 // between boxes of a row
	tight      = 11 // between lines that pass a row
	slotGap    = 9  // between lines that enter a box at one side
	border     = 14 // of a frame, around what it holds
	headHeight = 24 // of the title of a frame
	labelDown  = 13 // from a box to the foot of the shape under it
	labelRoom  = 17
	labelAside = 6 // from a line to its shape
	trackGap   = 8
	trackPad   = 7
	arrowRoom  = 11
	besideGap  = 18 // between a side input and the box that it enters
)

// place gives each item of a scope its x, and the scope its width.
func (s *scope) place(b *builder) {
	for _, row := range s.rows {
		for _, it := range row {
			it.measure(b.sizes)
		}
	}
	s.chains()
	s.compact()
	s.straighten()
	left, right := 0, 0
	for k, it := range s.all() {
		if k == 0 {
			left, right = it.x-it.l, it.x+it.r
		}
		left, right = min(left, it.x-it.l), max(right, it.x+it.r)
	}
	for _, it := range s.all() {
		it.x -= left
	}
	s.w = right - left
}

func (s *scope) all() []*item { return slices.Concat(s.rows...) }

// measure says what an item takes around its x, and where lines enter it.
func (it *item) measure(z *sizes) {
	it.ports = map[int]port{}
	switch it.kind {
	case entry, exit, point:
		it.l, it.r = 0, 0
		for _, e := range it.ins {
			it.ports[e.source] = port{}
		}
		return
	case frame:
		z.frame(it)
		return
	}
	it.width, it.h = 0, 0
	for _, p := range it.boxes {
		it.width = max(it.width, z.box(p).w)
		it.h += z.box(p).h
	}
	var top, left, right []*edge
	main := it.col
	for _, e := range it.ins {
		if !e.aside {
			top = append(top, e)
			main = it.in.before(e).col
		}
	}
	for _, e := range it.ins {
		switch {
		case !e.aside:
		case len(top) > 0 && it.in.before(e).col < main:
			left = append(left, e)
		default:
			right = append(right, e)
		}
	}
	byColumn := func(sign int) func(a, b *edge) int {
		return func(a, b *edge) int {
			return sign * cmp.Compare(it.in.before(a).col, it.in.before(b).col)
		}
	}
	slices.SortStableFunc(top, byColumn(1))
	slices.SortStableFunc(left, byColumn(-1))
	slices.SortStableFunc(right, byColumn(1))
	it.width = max(it.width, (len(top)-1)*6+24)
	first := z.box(it.boxes[0]).h
	for k, e := range top {
		gap := 0
		if len(top) > 1 {
			gap = min(40, (it.width-24)/(len(top)-1))
		}
		it.ports[e.source] = port{dx: gap*k - gap*(len(top)-1)/2}
	}
	for _, side := range []struct {
		sign int
		list []*edge
	}{{-1, left}, {1, right}} {
		for k, e := range side.list {
			it.ports[e.source] = port{dx: side.sign * (it.width/2 + slotGap*(k+1)), dy: first * (k + 1) / (len(side.list) + 1), side: side.sign}
		}
	}
	it.l, it.r = it.width/2, it.width/2
	if n := len(left); n > 0 {
		it.l += slotGap * n
	}
	if n := len(right); n > 0 {
		it.r += slotGap * n
	}
	if it.beside >= 0 {
		it.l += besideGap + z.box(it.beside).w
	}
	if len(it.outs) > 0 {
		it.r = max(it.r, labelAside+monoOf(z.shape(it.boxes[len(it.boxes)-1])))
	}
}

// before is the item that a line comes from in the row above the one that it
// enters: its source, or a point on its way. A line from below has its last
// point in the same row.
func (s *scope) before(e *edge) *item {
	if e.from.row == e.to.row-1 {
		return e.from
	}
	row := e.to.row - 1
	if e.from.row >= e.to.row {
		row = e.to.row
	}
	for _, it := range s.rows[row] {
		if it.kind == point && it.source == e.source {
			return it
		}
	}
	return e.from
}

// leaves is where the line of a source leaves an item, beside its x.
func (it *item) leaves(source int) int {
	if it.kind == frame {
		return border + it.inner.port(exit, source, false).x + it.inner.shift()
	}
	return 0
}

// shift is how far what a frame holds moves to the right, so that the title of
// the frame has its place beside the lines that enter.
func (s *scope) shift() int {
	first, any := 0, false
	for _, it := range s.items {
		if it.kind == entry && (!any || it.x < first) {
			first, any = it.x, true
		}
	}
	if !any {
		return 0
	}
	return max(0, s.parent.head-border-first)
}

// chains joins items into chains, which are straight: the points of one line,
// and layers of which each is the main operand of the next.
func (s *scope) chains() {
	up := map[*item]link2{}   // the main operand of each item
	down := map[*item]*item{} // the item that goes on below each
	height := map[*item]int{} // of what stands above
	for _, row := range s.rows {
		for _, it := range row {
			var best *item
			var source int
			consider := func(from *item, src int) {
				better := best == nil || (from.kind != point) && best.kind == point ||
					(from.kind == point) == (best.kind == point) && height[from] > height[best]
				if better {
					best, source = from, src
				}
			}
			if it.kind == point {
				if it.row > 0 {
					if from := s.above(it); from != nil {
						consider(from, it.source)
					}
				}
			}
			for _, e := range it.ins {
				if from := s.before(e); !e.aside && from.row == it.row-1 {
					consider(from, e.source)
				}
			}
			if best != nil {
				up[it] = link2{best, source}
				height[it] = height[best] + 1
			}
		}
	}
	depth := map[*item]int{}
	for r := len(s.rows) - 1; r >= 0; r-- {
		for _, it := range s.rows[r] {
			if l, ok := up[it]; ok {
				// A line that passes goes straight on; a layer goes on with what
				// has the most below.
				old := down[l.item]
				straight := func(x *item) int {
					if l.item.kind == point && x.kind == point {
						return 1
					}
					if l.item.kind != point && x.kind != point {
						return 1
					}
					return 0
				}
				if old == nil || straight(it) > straight(old) || straight(it) == straight(old) && depth[it] > depth[old] {
					down[l.item] = it
				}
				depth[l.item] = max(depth[l.item], depth[it]+1)
			}
		}
	}
	n := 0
	for _, row := range s.rows {
		for _, it := range row {
			if l, ok := up[it]; ok && down[l.item] == it {
				it.chain = l.item.chain
				it.offset = l.item.offset + l.item.leaves(l.source) - it.ports[l.source].dx
				continue
			}
			it.chain, it.offset = n, 0
			n++
		}
	}
	s.untangle(n)
}

// link2 is an item and the source of the line that comes from it.
type link2 struct {
	item   *item
	source int
}

// above is the item that the line of a point comes from in the row above; nil
// for one that comes from below.
func (s *scope) above(p *item) *item {
	for _, it := range s.rows[p.row-1] {
		if it.source == p.source && (it.kind == point || it.kind == entry) {
			return it
		}
	}
	for _, e := range s.edges {
		if e.source == p.source && e.from.row == p.row-1 {
			return e.from
		}
	}
	return nil
}

// untangle cuts chains so that no two stand to the left of each other, and
// numbers them from left to right.
func (s *scope) untangle(n int) {
	right := make([][]int, n) // the chains to the right of each
	reaches := func(from, to int) bool {
		seen := map[int]bool{from: true}
		list := []int{from}
		for len(list) > 0 {
			c := list[len(list)-1]
			if list = list[:len(list)-1]; c == to {
				return true
			}
			for _, next := range right[c] {
				if !seen[next] {
					seen[next] = true
					list = append(list, next)
				}
			}
		}
		return false
	}
	for r, row := range s.rows {
		for k := 1; k < len(row); k++ {
			a, b := row[k-1], row[k]
			if a.chain == b.chain || reaches(b.chain, a.chain) {
				old := b.chain
				for _, below := range s.rows[r:] {
					for _, it := range below {
						if it.chain == old && it != a {
							it.chain = len(right)
						}
					}
				}
				right = append(right, nil)
			}
			if !slices.Contains(right[a.chain], b.chain) {
				right[a.chain] = append(right[a.chain], b.chain)
			}
		}
	}
	s.number(right)
}

// number numbers chains so that each stands behind those to its left.
func (s *scope) number(right [][]int) {
	before := make([]int, len(right))
	for _, list := range right {
		for _, c := range list {
			before[c]++
		}
	}
	var ready []int
	for c := range right {
		if before[c] == 0 {
			ready = append(ready, c)
		}
	}
	as := make([]int, len(right))
	for k := 0; k < len(ready); k++ {
		c := ready[k]
		as[c] = k
		for _, next := range right[c] {
			if before[next]--; before[next] == 0 {
				ready = append(ready, next)
			}
		}
	}
	for _, it := range s.all() {
		it.chain = as[it.chain]
	}
}

// A limit keeps a chain right of another.
type limit struct{ chain, distance int }

// compact moves the chains of a scope as near to each other as they may be,
// and to what they are connected with.
func (s *scope) compact() {
	n := 0
	for _, it := range s.all() {
		n = max(n, it.chain+1)
	}
	left, right := make([][]limit, n), make([][]limit, n)
	for _, row := range s.rows {
		for k := 1; k < len(row); k++ {
			a, b := row[k-1], row[k]
			d := a.offset + a.r + apart(a, b) - b.offset + b.l
			left[b.chain] = append(left[b.chain], limit{a.chain, d})
			right[a.chain] = append(right[a.chain], limit{b.chain, d})
		}
	}
	x := make([]int, n)
	for c := range x {
		for _, l := range left[c] {
			x[c] = max(x[c], x[l.chain]+l.distance)
		}
	}
	pulls := s.pulls(n)
	for round := range 16 {
		for k := range x {
			c := k
			if round%2 == 0 {
				c = n - 1 - k
			}
			sum, weight := 0, 0
			for _, p := range pulls[c] {
				sum += (x[p.chain] + p.distance) * p.weight
				weight += p.weight
			}
			if weight == 0 {
				continue
			}
			want := sum / weight
			for _, l := range right[c] {
				want = min(want, x[l.chain]-l.distance)
			}
			for _, l := range left[c] {
				want = max(want, x[l.chain]+l.distance)
			}
			x[c] = want
		}
	}
	for _, it := range s.all() {
		it.x = x[it.chain] + it.offset
	}
}

// straighten moves the ports at the sides of boxes out to where their lines
// come down, as far as there is room.
func (s *scope) straighten() {
	for _, row := range s.rows {
		for k, it := range row {
			if it.kind != stack {
				continue
			}
			for _, sign := range []int{-1, 1} {
				room := 1 << 20
				if k+sign >= 0 && k+sign < len(row) {
					next := row[k+sign]
					room = sign*(next.x-it.x) - space/2
					if sign > 0 {
						room -= next.l
					} else {
						room -= next.r
					}
				}
				if sign < 0 && it.beside >= 0 {
					continue
				}
				it.widen(sign, room)
			}
		}
	}
}

// widen moves the ports at one side, from the outermost in.
func (it *item) widen(sign, room int) {
	var list []*edge
	for _, e := range it.ins {
		if it.ports[e.source].side == sign {
			list = append(list, e)
		}
	}
	slices.SortFunc(list, func(a, b *edge) int { return sign * (it.ports[b.source].dx - it.ports[a.source].dx) })
	for _, e := range list {
		p, last := it.ports[e.source], it.in.before(e)
		if last == e.from && last.kind == frame {
			break
		}
		if want := sign * (last.x - it.x); want > sign*p.dx && want <= room {
			p.dx = sign * want
			it.ports[e.source] = p
			if sign > 0 {
				it.r = max(it.r, want)
			} else {
				it.l = max(it.l, want)
			}
		}
		room = sign*p.dx - slotGap
	}
}

// A pull is where a line to another chain would have a chain stand.
type pull struct{ chain, distance, weight int }

func (s *scope) pulls(n int) [][]pull {
	list := make([][]pull, n)
	add := func(a *item, ax int, b *item, bx, weight int) {
		if a.chain != b.chain {
			list[a.chain] = append(list[a.chain], pull{b.chain, b.offset + bx - a.offset - ax, weight})
			list[b.chain] = append(list[b.chain], pull{a.chain, a.offset + ax - b.offset - bx, weight})
		}
	}
	for _, e := range s.edges {
		if last := s.before(e); last != e.to {
			out := 0
			if last == e.from {
				out = last.leaves(e.source)
			}
			add(last, out, e.to, e.to.ports[e.source].dx, 2)
		}
	}
	for _, row := range s.rows {
		for _, it := range row {
			if it.kind == point && it.row > 0 {
				if from := s.above(it); from != nil {
					add(from, from.leaves(it.source), it, 0, 1)
				}
			}
		}
	}
	return list
}

// apart is the distance that two neighbours keep.
func apart(a, b *item) int {
	thin := func(it *item) bool { return it.kind != stack && it.kind != frame }
	switch {
	case thin(a) && thin(b):
		return tight
	case thin(a) || thin(b):
		return tight + 1
	}
	return space
}
