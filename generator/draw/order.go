package draw

import (
	"cmp"
	"slices"
)

// A link joins two items in rows one below the other.
type link struct{ up, down *item }

// links are the lines of a scope between neighbouring rows, by the lower one.
func (s *scope) links() [][]link {
	points := map[place]*item{}
	for _, row := range s.rows {
		for _, it := range row {
			if it.kind == point {
				points[place{it.source, it.row}] = it
			}
		}
	}
	seen := map[link]bool{}
	list := make([][]link, len(s.rows))
	add := func(up, down *item) {
		if l := (link{up, down}); up != nil && down != nil && !seen[l] {
			seen[l] = true
			list[down.row] = append(list[down.row], l)
		}
	}
	for _, e := range s.edges {
		from := e.from
		for row := e.from.row + 1; row < e.to.row; row++ {
			p := points[place{e.source, row}]
			add(from, p)
			from = p
		}
		if e.to.row > e.from.row {
			add(from, e.to)
			continue
		}
		for row := e.to.row; row < e.from.row; row++ {
			add(points[place{e.source, row}], points[place{e.source, row + 1}])
		}
	}
	return list
}

// sweeps is how often the rows are ordered by their neighbours.
const sweeps = 12

// order gives each item of a row its place from left to right.
func (s *scope) order() {
	links := s.links()
	ups, downs := map[*item][]*item{}, map[*item][]*item{}
	for _, row := range links {
		for _, l := range row {
			ups[l.down] = append(ups[l.down], l.up)
			downs[l.up] = append(downs[l.up], l.down)
		}
	}
	for _, row := range s.rows {
		slices.SortStableFunc(row, func(a, b *item) int { return cmp.Compare(a.rankInRow(), b.rankInRow()) })
		number(row)
	}
	s.beside()
	s.sweep(1, ups)
	best, crossings := s.snapshot(), s.crossings(links)
	for k := 0; k < sweeps && crossings > 0; k++ {
		if k%2 == 0 {
			s.sweep(-1, downs)
		} else {
			s.sweep(1, ups)
		}
		if c := s.crossings(links); c < crossings {
			best, crossings = s.snapshot(), c
		}
	}
	s.rows = best
	for _, row := range s.rows {
		number(row)
	}
}

// rankInRow puts side inputs to the left of boxes, and the lines that pass them
// to their right.
func (it *item) rankInRow() int {
	switch {
	case it.side, it.kind == entry && len(it.outs) > 0 && it.outs[0].context:
		return -1
	case it.kind == point && it.up:
		return 2
	case it.kind == point:
		return 1
	}
	return 0
}

// beside puts the points of a line that goes up next to where it comes from.
func (s *scope) beside() {
	for _, e := range s.edges {
		if e.to.row > e.from.row {
			continue
		}
		row := s.rows[e.from.row]
		k := slices.IndexFunc(row, func(it *item) bool { return it.kind == point && it.source == e.source })
		p := row[k]
		row = slices.Delete(row, k, k+1)
		s.rows[e.from.row] = slices.Insert(row, slices.Index(row, e.from)+1, p)
		number(s.rows[e.from.row])
	}
}

func number(row []*item) {
	for k, it := range row {
		it.col = k
	}
}

// sweep orders each row by where its neighbours in the row before it stand.
func (s *scope) sweep(step int, neighbours map[*item][]*item) {
	for k := range s.rows {
		row := s.rows[k]
		if step < 0 {
			row = s.rows[len(s.rows)-1-k]
		}
		centre := make(map[*item]float64, len(row))
		for _, it := range row {
			near := neighbours[it]
			centre[it] = float64(it.col)
			if len(near) > 0 {
				sum := 0
				for _, n := range near {
					sum += n.col
				}
				centre[it] = float64(sum) / float64(len(near))
			}
		}
		slices.SortStableFunc(row, func(a, b *item) int { return cmp.Compare(centre[a], centre[b]) })
		number(row)
	}
}

func (s *scope) snapshot() [][]*item {
	rows := make([][]*item, len(s.rows))
	for k, row := range s.rows {
		rows[k] = slices.Clone(row)
	}
	return rows
}

// crossings counts the pairs of links that cross.
func (s *scope) crossings(links [][]link) (n int) {
	for _, row := range links {
		slices.SortFunc(row, func(a, b link) int {
			return cmp.Or(cmp.Compare(a.up.col, b.up.col), cmp.Compare(a.down.col, b.down.col))
		})
		for i, a := range row {
			for _, b := range row[:i] {
				if b.up.col < a.up.col && b.down.col > a.down.col {
					n++
				}
			}
		}
	}
	return n
}
