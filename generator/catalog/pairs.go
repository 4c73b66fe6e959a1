package catalog

import (
	"cmp"
	"slices"
	"strings"

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
	var pairs []Pair
	done := map[[2]*Entry]bool{}
	for _, d := range c.Diffs {
		a, okA := c.Entry(d.A)
		b, okB := c.Entry(d.B)
		if okA && okB {
			pairs = append(pairs, Pair{a, b, d})
			done[[2]*Entry{a, b}], done[[2]*Entry{b, a}] = true, true
		}
	}
	add := func(a, b *Entry) {
		if a.ID > b.ID {
			a, b = b, a
		}
		if key := [2]*Entry{a, b}; !done[key] {
			done[key] = true
			pairs = append(pairs, Pair{A: a, B: b})
		}
	}
	for i, e := range c.Entries {
		others := c.Entries[i+1:]
		if c.Settings.Diffs != content.DiffsAll {
			others = c.Relatives(e, c.Settings.Relatives)
		}
		for _, o := range others {
			add(e, o)
		}
	}
	slices.SortFunc(pairs, func(a, b Pair) int {
		return cmp.Or(strings.Compare(a.A.ID, b.A.ID), strings.Compare(a.B.ID, b.B.ID))
	})
	return pairs
}
