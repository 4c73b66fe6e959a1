package catalog

import (
	"cmp"
	"slices"

	"github.com/strata-catalog/strata/generator/content"
)

// A Pair is two templates that get a diff, read from A to B.
type Pair struct {
	A, B *Entry
	Note *content.DiffNote // nil: nobody wrote about it
}

// Pairs lists the diffs that the site shows, by ids: those written up, and by
// the settings each template with its nearest relatives, or every pair. What
// nobody wrote up reads from the id that sorts first, and stands once.
func (c *Catalog) Pairs() []Pair {
	type places struct{ a, b int }
	var list []places
	notes := map[places]*content.DiffNote{}
	written := map[places]bool{} // in either order
	for _, d := range c.Diffs {
		a, okA := c.place(d.A)
		b, okB := c.place(d.B)
		if okA && okB {
			list = append(list, places{a, b})
			notes[places{a, b}] = d
			written[places{a, b}], written[places{b, a}] = true, true
		}
	}
	add := func(a, b int) {
		if p := (places{min(a, b), max(a, b)}); !written[p] {
			list = append(list, p)
		}
	}
	for i := range c.Entries {
		if c.Settings.Diffs != content.DiffsAll {
			for _, o := range c.relations.of(i, c.Settings.Relatives) {
				add(i, o)
			}
			continue
		}
		for o := i + 1; o < len(c.Entries); o++ {
			add(i, o)
		}
	}
	slices.SortFunc(list, func(p, q places) int { return cmp.Or(p.a-q.a, p.b-q.b) })
	list = slices.Compact(list)
	pairs := make([]Pair, len(list))
	for i, p := range list {
		pairs[i] = Pair{c.Entries[p.a], c.Entries[p.b], notes[p]}
	}
	return pairs
}
