package draw

import (
	"strings"

	"github.com/strata-catalog/strata/generator/cost"
	"github.com/strata-catalog/strata/generator/infer"
	"github.com/strata-catalog/strata/generator/layer"
)

// A picture of more boxes than a reader can take in has one for each module: the
// layers whose names begin with a path, where they follow one another.
const (
	manyBoxes   = 300 // of layers
	fewBoxes    = 120 // of modules and layers, if the names allow it
	leastBoxes  = 20  // of fewer, a reader learns nothing: rather many than those
	leastModule = 3   // layers of a module; of fewer, each has its own box
)

// A module is drawn as one box. It goes from one position to another, and at
// that of its first layer.
type module struct {
	first, last int
	path        string
	part        layer.Part // that learns the most
}

// modules decides what is drawn: every layer, or modules where those would be too
// many. It returns the runs that are framed.
func (b *builder) modules(runs []infer.Run) []infer.Run {
	n := len(b.m.Order)
	if b.show(0, n, runs); b.drawn() <= manyBoxes {
		return runs
	}
	deepest := 0
	under := map[string]int{} // how many layers a path begins the names of
	for p := range n {
		id := b.node(p).ID
		deepest = max(deepest, strings.Count(id, "."))
		for at, c := range id {
			if c == '.' {
				under[id[:at]]++
			}
		}
	}
	fold := func(depth int) []infer.Run {
		b.module = map[int]*module{}
		kept := b.gather(0, n, runs, depth, under)
		b.show(0, n, kept)
		b.stand()
		return kept
	}
	for depth := deepest; depth > 0; depth-- {
		runs := fold(depth)
		switch n := b.drawn(); {
		case n < leastBoxes && depth < deepest:
			return fold(depth + 1)
		case n <= fewBoxes || depth == 1:
			return runs
		}
	}
	return runs
}

// drawn counts the boxes.
func (b *builder) drawn() (n int) {
	for p, shown := range b.shown {
		if p == shown {
			n++
		}
	}
	return n
}

// path is the module of a layer, at most so deep; "" for a layer that is in none.
func (b *builder) path(p, depth int) string {
	id, end := b.node(p).ID, 0
	for at, c := range id {
		if c == '.' && depth > 0 {
			end, depth = at, depth-1
		}
	}
	return id[:end]
}

// gather finds the modules from one position to another: their layers follow one
// another, and are all that their path begins the names of. A run within a
// module is not framed; the others are returned.
func (b *builder) gather(from, to int, runs []infer.Run, depth int, under map[string]int) (kept []infer.Run) {
	var m *module
	end := func() {
		if m != nil && m.last-m.first+1 >= leastModule && under[m.path] == m.last-m.first+1 {
			b.module[m.first] = m
		}
		m = nil
	}
	add := func(first, last int) bool {
		path := b.path(first, depth)
		for p := first + 1; p <= last; p++ {
			if b.path(p, depth) != path {
				return false
			}
		}
		if path == "" {
			return false
		}
		if m == nil || m.path != path {
			end()
			m = &module{first: first, path: path}
		}
		m.last = last
		return true
	}
	single := func(to int) {
		for ; from < to; from++ {
			if !add(from, from) {
				end()
			}
		}
	}
	for _, r := range runs {
		single(r.Start)
		if !add(r.Start, r.End()-1) {
			end()
			r.Children = b.gather(r.Start, r.Start+r.Period, r.Children, depth, under)
			kept = append(kept, r)
		}
		from = r.End()
	}
	single(to)
	end()
	return kept
}

// stand lets the box of a module stand for all its layers.
func (b *builder) stand() {
	of := make([]int, len(b.shown))
	for p := range of {
		of[p] = p
	}
	for _, m := range b.module {
		params := map[layer.Part]int64{}
		for p := m.first; p <= m.last; p++ {
			of[p] = m.first
			n := b.node(p)
			part := cost.PartOf(n)
			if params[part] += n.Params; m.part == "" || params[part] > params[m.part] {
				m.part = part
			}
		}
	}
	for p, shown := range b.shown {
		b.shown[p] = of[shown]
	}
}

// drawnAt reports whether a layer is drawn itself, or as a part of its module,
// and not as an instance of what repeats.
func (b *builder) drawnAt(p int) bool {
	m := b.module[b.shown[p]]
	return b.shown[p] == p || m != nil && p <= m.last
}

// title is as much of the end of a module's path as has room.
func (m *module) title(room int) string {
	title := m.path
	for nameWidth(title) > room {
		_, rest, ok := strings.Cut(strings.TrimPrefix(title, "…"), ".")
		if !ok {
			return cut(title, room, nameWidth)
		}
		title = "…" + rest
	}
	return title
}
