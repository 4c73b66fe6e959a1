package draw

// Sizes of columns, in pixels.
const (
	tall       = 1300 // what is no higher stands in one column
	shortest   = 860  // columns are at least so high
	pageWidth  = 1200 // and stand beside each other in this width
	channel    = 40   // between two columns
	turnHeight = 18   // above and below columns, for the line from one to the next
)

// A turn is a line from the foot of a column to the head of the next.
type turn struct {
	source     int
	from       end
	to         *item
	foot, head int // the y that it takes below and above the columns
	x          int // and the x between them
}

func (t turn) line() Line {
	from := Point{t.from.x, t.from.item.y}
	if t.from.item.kind != point {
		from.Y += t.from.item.h
	}
	return Line{Source: t.source, Into: -1, Points: []Point{
		from, {from.X, t.foot}, {t.x, t.foot}, {t.x, t.head}, {t.to.x, t.head}, {t.to.x, t.to.y}}}
}

// A column is the rows from one to another.
type column struct {
	from, to int
	moved    int // how far to the right
}

// wrap puts a high picture into columns, as a newspaper does. It is cut where
// the line of one layer alone goes on.
func (s *scope) wrap(gaps [][]*net) {
	columns := s.columns(gaps)
	if len(columns) < 2 {
		return
	}
	x, height := 0, 0
	for k, c := range columns {
		left, right := s.sides(gaps, c)
		s.move(gaps, c, x-left)
		var first *item
		if k > 0 {
			n := gaps[c.from][0]
			first = &item{kind: entry, in: s, x: n.root.x, source: n.source}
			before := n.root
			before.x -= x - left
			before.x += columns[k-1].moved
			s.turns = append(s.turns, turn{source: n.source, from: before, to: first, x: x - channel/2})
			n.root.item = first
		}
		columns[k].moved = x - left
		height = max(height, s.pile(gaps, c.from, c.to, first))
		x += right - left + channel
	}
	s.w, s.h = x-channel, height+2*turnHeight
	for _, it := range s.all() {
		it.y += turnHeight
	}
	for _, nets := range gaps {
		for _, n := range nets {
			n.y += turnHeight
		}
	}
	for k := range s.turns {
		t := &s.turns[k]
		t.to.y += turnHeight
		t.head, t.foot = turnHeight/2, height+turnHeight+turnHeight/2
	}
}

// columns cuts the rows of a scope into as many columns as fit on a page, of
// about the same height.
func (s *scope) columns(gaps [][]*net) []column {
	if s.h <= tall {
		return nil
	}
	fit := max(1, (pageWidth+channel)/(s.w+channel))
	high := max(shortest, s.h/fit)
	list := s.cuts(gaps, high)
	for len(list) > fit && high < s.h {
		high += high/20 + 1
		list = s.cuts(gaps, high)
	}
	return list
}

// cuts are columns that are no higher than need be.
func (s *scope) cuts(gaps [][]*net, high int) (list []column) {
	start, startY, cut, cutY := 0, 0, 0, 0
	end := func() {
		list = append(list, column{from: start, to: cut})
		start, startY = cut, cutY
	}
	for g := 1; g < len(s.rows); g++ {
		if len(gaps[g]) != 1 || gaps[g][0].root.item.kind == point {
			continue
		}
		y := gaps[g][0].root.item.foot()
		if y-startY > high && cut > start {
			end()
		}
		cut, cutY = g, y
	}
	if s.h-startY > high && cut > start {
		end()
	}
	return append(list, column{from: start, to: len(s.rows)})
}

// foot is where an item ends.
func (it *item) foot() int { return it.y + it.h }

// sides are where the rows of a column begin and end, from left to right.
func (s *scope) sides(gaps [][]*net, c column) (left, right int) {
	first := true
	add := func(a, b int) {
		if first {
			left, right, first = a, b, false
		}
		left, right = min(left, a), max(right, b)
	}
	for g := c.from; g < c.to; g++ {
		for _, it := range s.rows[g] {
			add(it.x-it.l, it.x+it.r)
		}
		for _, n := range gaps[g] {
			add(n.low, n.high)
		}
	}
	return left, right
}

// move moves the rows of a column, and the lines above each.
func (s *scope) move(gaps [][]*net, c column, by int) {
	for g := c.from; g < c.to; g++ {
		for _, it := range s.rows[g] {
			it.x += by
		}
	}
	for g := c.from; g < c.to || g == c.to && c.to == len(s.rows); g++ {
		for _, n := range gaps[g] {
			n.root.x += by
			n.low += by
			n.high += by
			for k := range n.ends {
				n.ends[k].x += by
			}
		}
	}
}
