package draw

import (
	"cmp"
	"slices"
)

// An end is where a line meets a gap between two rows.
type end struct {
	item  *item
	x     int
	above bool // the item stands above the gap
	last  bool // the line ends at the item
	aside bool // and enters at its side
	dy    int
	// The line is that of a second sequence.
	context bool
}

// A place is where a source has a point, or a net.
type place struct{ source, row int }

// A net is the line of one source in one gap: from its root to its ends.
type net struct {
	source    int
	root      end
	ends      []end
	low, high int // what it takes from left to right
	track     int // -1: it goes straight
	y         int // of the track
	after     []*net
}

// A slab is what takes a part of the height: an item, or the level part of a
// line. What overlaps from left to right keeps its order from top to bottom.
type slab struct {
	item        *item
	net         *net
	left, right int
	y           int
}

// bottom is where the slab ends, with the shape that stands under it.
func (b *slab) bottom() int {
	if b.item == nil {
		return b.y
	}
	if b.item.labelled() {
		return b.y + b.item.h + labelRoom
	}
	return b.y + b.item.h
}

// labelled reports whether a shape stands under an item.
func (it *item) labelled() bool { return (it.kind == stack || it.kind == frame) && len(it.outs) > 0 }

// below is how far a slab keeps from one above it.
func (b *slab) below(above *slab) int {
	switch {
	case b.net != nil && above.net != nil:
		return trackGap
	case b.net != nil:
		return trackPad
	case b.item.kind != stack && b.item.kind != frame:
		return 0
	case above.net != nil:
		return trackPad + arrowRoom
	case above.item.kind == entry:
		return 2 * arrowRoom
	}
	return arrowRoom
}

// route gives everything in a scope its y, and draws the lines.
func (s *scope) route() {
	gaps := s.nets()
	for _, nets := range gaps {
		assign(nets)
	}
	s.h = s.pile(gaps, 0, len(s.rows), nil)
	if s.parent == nil {
		s.wrap(gaps)
	}
	for _, row := range s.rows {
		for _, it := range row {
			switch it.kind {
			case entry:
				s.lines = append(s.lines, Line{Source: it.source, Into: -1, Points: []Point{{it.x, -headHeight}, {it.x, it.y}}})
			case exit:
				it.y = s.h + border
			}
		}
	}
	s.passing(gaps)
	for _, nets := range gaps {
		for _, n := range nets {
			s.draw(n)
		}
	}
	for _, c := range s.turns {
		s.lines = append(s.lines, c.line())
	}
}

// pile gives the rows from one to another their y, each as high as it may be,
// and says how high they are. first is where a line enters, nil for none.
func (s *scope) pile(gaps [][]*net, from, to int, first *item) (height int) {
	var slabs []*slab
	add := func(it *item) {
		slabs = append(slabs, &slab{item: it, left: it.x - it.l - tight/2, right: it.x + it.r + tight/2})
	}
	if first != nil {
		add(first)
	}
	for g := from; g < to || g == to && to == len(s.rows); g++ {
		turning := slices.DeleteFunc(slices.Clone(gaps[g]), func(n *net) bool { return n.track < 0 })
		slices.SortStableFunc(turning, func(a, b *net) int { return cmp.Compare(a.track, b.track) })
		for _, n := range turning {
			slabs = append(slabs, &slab{net: n, left: n.low - trackGap/2, right: n.high + trackGap/2})
		}
		if g == len(s.rows) {
			break
		}
		for _, it := range s.rows[g] {
			if it.kind != point && it.kind != exit {
				add(it)
			}
		}
	}
	for k, b := range slabs {
		b.y = 0
		for _, a := range slabs[:k] {
			if a.left < b.right && b.left < a.right {
				b.y = max(b.y, a.bottom()+b.below(a))
			}
		}
		if b.net != nil {
			b.y = max(b.y, trackPad)
		}
		height = max(height, b.bottom())
	}
	// What takes nothing stands as near as may be to what takes it.
	for k := len(slabs) - 1; k >= 0; k-- {
		b := slabs[k]
		if b.item == nil || b.item.kind != stack || len(b.item.ins) > 0 || b.item.row == 0 {
			continue
		}
		down, free := height, true
		for _, a := range slabs[k+1:] {
			if a.left < b.right && b.left < a.right {
				down, free = min(down, a.y-a.below(b)-(b.bottom()-b.y)), false
			}
		}
		if !free {
			b.y = max(b.y, down)
		}
	}
	for _, b := range slabs {
		if b.item != nil {
			b.item.y = b.y
		} else {
			b.net.y = b.y
		}
	}
	return height
}

// nets are the lines in each gap; gap g is above row g.
func (s *scope) nets() [][]*net {
	gaps := make([][]*net, len(s.rows)+1)
	at := map[place]*net{}
	points := map[place]*item{}
	for _, it := range s.all() {
		if it.kind == point {
			points[place{it.source, it.row}] = it
		}
	}
	add := func(source, gap int, root, to end) {
		key := place{source, gap}
		n := at[key]
		if n == nil {
			n = &net{source: source, root: root}
			at[key] = n
			gaps[gap] = append(gaps[gap], n)
		}
		if to.item != n.root.item && !slices.ContainsFunc(n.ends, func(e end) bool { return e.item == to.item }) {
			n.ends = append(n.ends, to)
		}
	}
	for _, e := range s.edges {
		port := e.to.ports[e.source]
		to := end{item: e.to, x: e.to.x + port.dx, last: true, aside: port.side != 0, dy: port.dy, context: e.context}
		from := end{item: e.from, x: e.from.x + e.from.leaves(e.source), above: true}
		pass := func(row int, above bool) end {
			p := points[place{e.source, row}]
			return end{item: p, x: p.x, above: above}
		}
		if e.to.row > e.from.row {
			for row := e.from.row + 1; row < e.to.row; row++ {
				add(e.source, row, from, pass(row, false))
				from = pass(row, true)
			}
			add(e.source, e.to.row, from, to)
			continue
		}
		add(e.source, e.from.row+1, from, pass(e.from.row, true))
		for row := e.from.row; row > e.to.row; row-- {
			add(e.source, row, pass(row, false), pass(row-1, true))
		}
		add(e.source, e.to.row, pass(e.to.row, false), to)
	}
	for _, nets := range gaps {
		for _, n := range nets {
			n.low, n.high = n.root.x, n.root.x
			n.track = -1
			for _, e := range n.ends {
				n.low, n.high = min(n.low, e.x), max(n.high, e.x)
				if e.x != n.root.x || e.above == n.root.above {
					n.track = 0
				}
			}
		}
	}
	return gaps
}

// assign gives each net that turns a track, counted from the top. Where one comes down on a place from which another goes on down,
// it has to turn above that.
func assign(nets []*net) {
	var turning []*net
	for _, n := range nets {
		if n.track >= 0 {
			turning = append(turning, n)
		}
	}
	near := func(a, b int) bool { return a-b < 5 && b-a < 5 }
	all := func(n *net) []end { return append([]end{n.root}, n.ends...) }
	waits := map[*net]int{}
	for _, a := range turning {
		for _, b := range turning {
			if a == b || slices.Contains(a.after, b) {
				continue
			}
			for _, x := range all(a) {
				for _, y := range all(b) {
					if x.above && !y.above && near(x.x, y.x) && !slices.Contains(a.after, b) {
						a.after = append(a.after, b)
						waits[b]++
					}
				}
			}
		}
	}
	// Short ones first, so that wide ones run around them.
	slices.SortStableFunc(turning, func(a, b *net) int { return cmp.Compare(a.high-a.low, b.high-b.low) })
	var used [][]*net
	for len(turning) > 0 {
		at := slices.IndexFunc(turning, func(n *net) bool { return waits[n] == 0 })
		at = max(at, 0) // in a circle, none can be right
		n := turning[at]
		turning = slices.Delete(turning, at, at+1)
		for k := n.track; ; k++ {
			if k == len(used) {
				used = append(used, nil)
			}
			if !slices.ContainsFunc(used[k], func(o *net) bool { return o.low <= n.high+4 && n.low <= o.high+4 }) {
				used[k] = append(used[k], n)
				n.track = k
				break
			}
		}
		for _, o := range n.after {
			waits[o]--
			o.track = max(o.track, n.track+1)
		}
	}
}

// passing gives the points of lines that pass their y: behind the turn that the
// line takes before them.
func (s *scope) passing(gaps [][]*net) {
	at := map[place]*net{}
	for g, nets := range gaps {
		for _, n := range nets {
			at[place{n.source, g}] = n
		}
	}
	set := func(it *item, gap, step int) {
		n := at[place{it.source, gap}]
		switch {
		case n.track >= 0:
			it.y = n.y + step*bend
		case n.root.item.kind == point:
			it.y = n.root.item.y
		default:
			it.y = n.root.item.y + n.root.item.h
		}
	}
	for r, row := range s.rows {
		for _, it := range row {
			if it.kind == point && !it.up {
				set(it, r, 1)
			}
		}
	}
	for r := len(s.rows) - 1; r >= 0; r-- {
		for _, it := range s.rows[r] {
			if it.kind == point && it.up {
				set(it, r+1, -1)
			}
		}
	}
}

// draw makes the lines of a net.
func (s *scope) draw(n *net) {
	y := func(e end) int {
		switch {
		case e.item.kind == point:
			return e.item.y
		case e.above:
			return e.item.y + e.item.h
		case e.aside:
			return e.item.y + e.dy
		}
		return e.item.y
	}
	drawn := false // the way from the root to the track
	for _, e := range n.ends {
		from, to := Point{n.root.x, y(n.root)}, Point{e.x, y(e)}
		l := Line{Source: n.source, Into: -1, Points: []Point{from}}
		if e.x != n.root.x || e.above == n.root.above {
			if drawn {
				l.Points[0].Y = n.y + max(-bend, min(bend, from.Y-n.y))
			}
			drawn = true
			l.Points = append(l.Points, Point{from.X, n.y}, Point{to.X, n.y})
		}
		if l.Points = append(l.Points, to); len(l.Points) == 2 && from == to {
			continue
		}
		l.Bypass = e.aside && !e.context || e.item.kind == point && s.passes[n.source]
		if e.aside {
			wall := e.item.x - e.item.width/2
			if e.x > e.item.x {
				wall = e.item.x + e.item.width/2
			}
			l.Points = append(l.Points, Point{wall, to.Y})
		}
		if e.last && e.item.kind == stack {
			l.Into, l.Arrow = e.item.boxes[0], true
		}
		s.lines = append(s.lines, l)
	}
}
