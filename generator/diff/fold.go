package diff

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/strata-catalog/strata/generator/cost"
	"github.com/strata-catalog/strata/generator/graph"
	"github.com/strata-catalog/strata/generator/layer"
)

// A Fold is Count times Period rows from row Start on, each time the same: the
// same layers, with the same status. A row that does not repeat is a fold of
// its own. The folds of a diff cover its rows in order, so that nothing is lost.
type Fold struct {
	Start, Period, Count int
	// Status is that of all rows, "" when they differ.
	Status Status
	// Children are the folds within the first Period rows.
	Children []Fold
}

// End is the row after the last one.
func (f Fold) End() int { return f.Start + f.Period*f.Count }

// places are, for each row of the first instance, the offset of the row that it
// stands for: of what repeats among them, the first.
func (f Fold) places() []int {
	list := make([]int, f.Period)
	for i := range list {
		list[i] = i
	}
	for _, c := range f.Children {
		at, inner := c.Start-f.Start, c.places()
		for p := range c.Period * c.Count {
			list[at+p] = at + inner[p%c.Period]
		}
	}
	return list
}

// A likeness is all that a diff shows of a layer, and what its bill adds up.
// The place in a block tells layers apart that are alike by chance, so that
// folds begin where blocks do.
type likeness struct {
	kind                int
	place               *graph.Component // nil for a layer outside of blocks
	part                layer.Part
	params, active      int64
	macs, cache, states number
}

// A number is an integer that can be compared.
type number struct {
	small int64
	large string // where it has more than 64 bits
}

func numberOf(n *big.Int) number {
	if n.IsInt64() {
		return number{small: n.Int64()}
	}
	return number{large: n.Text(62)}
}

// classes numbers the layers of a side so that equal numbers are equal layers.
// They follow from the layers alone, and not from the order of the document.
func (s *Side) classes() []int32 {
	m := s.Plan.Model
	class := make([]int32, len(m.Nodes))
	of := make(map[likeness]int32, 64)
	for _, i := range s.Order {
		n, x := &m.Nodes[i], s.Plan.Node(i)
		like := likeness{
			kind: n.Kind, part: cost.PartOf(n), params: x.Params, active: x.Active,
			macs: numberOf(x.MACs), cache: numberOf(x.CacheBytes), states: numberOf(x.TrainingBytes),
		}
		if n.Frame != nil {
			like.place = n.Component
		}
		c, ok := of[like]
		if !ok {
			c = int32(len(of))
			of[like] = c
		}
		class[i] = c
	}
	return class
}

// kind is what makes two rows fold: the classes of both sides, -1 for none.
// Equal classes have equal parameters, so that the status and what changed
// follow.
type kind struct{ a, b int32 }

// candidates is how many distances to an equal row are tried as the period.
const candidates = 24

// folder looks for repeats among the kinds of rows.
type folder struct {
	d     *Diff
	kinds []kind
	next  []int // the next row of the same kind, len(kinds) for none
	left  int   // comparisons that may still be made, so that time stays linear
}

func (d *Diff) fold() []Fold {
	n := len(d.Rows)
	f := &folder{d: d, kinds: d.kinds(), next: make([]int, n), left: 256*n + 4096}
	last := make(map[kind]int, 64)
	for p := n - 1; p >= 0; p-- {
		f.next[p] = n
		if q, ok := last[f.kinds[p]]; ok {
			f.next[p] = q
		}
		last[f.kinds[p]] = p
	}
	return f.folds(0, n)
}

// kinds are the kinds of the rows.
func (d *Diff) kinds() []kind {
	a, b := d.A.once.classes(), d.B.once.classes()
	kinds := make([]kind, len(d.Rows))
	for k, r := range d.Rows {
		kinds[k] = kind{-1, -1}
		if r.A >= 0 {
			kinds[k].a = a[r.A]
		}
		if r.B >= 0 {
			kinds[k].b = b[r.B]
		}
	}
	return kinds
}

// folds covers the rows from start to end.
func (f *folder) folds(start, end int) []Fold {
	var folds []Fold
	for p := start; p < end; {
		fold := Fold{Start: p, Period: 1, Count: 1}
		if period, count := f.longest(p, end); count > 1 {
			fold.Period, fold.Count = period, count
		}
		if fold.Period > 1 {
			fold.Children = f.folds(p, p+fold.Period)
		}
		fold.Status = f.d.status(fold)
		folds = append(folds, fold)
		p = fold.End()
	}
	return folds
}

// longest is the repeat at p that covers the most rows; of equal ones the one
// with the shortest period.
func (f *folder) longest(p, end int) (period, count int) {
	for q, tries := f.next[p], 0; q < end && tries < candidates; q, tries = f.next[q], tries+1 {
		d := q - p
		if p+2*d > end {
			break
		}
		n := 1
		for at := p; at+2*d <= end && f.equal(at, d); at += d {
			n++
		}
		if n > 1 && n*d > period*count {
			period, count = d, n
		}
	}
	return period, count
}

// equal reports whether the rows of one period stand again one period later.
func (f *folder) equal(at, period int) bool {
	if f.left -= period; f.left < 0 {
		return false
	}
	for p := at; p < at+period; p++ {
		if f.kinds[p] != f.kinds[p+period] {
			return false
		}
	}
	return true
}

// status is the status that all rows of a fold have, "" when they differ.
func (d *Diff) status(f Fold) Status {
	s := d.Rows[f.Start].Status
	for _, r := range d.Rows[f.Start : f.Start+f.Period] {
		if r.Status != s {
			return ""
		}
	}
	return s
}

// Label is a fold in words: "RMSNorm → Linear → Add, ×35 removed". Where
// statuses differ, + and − mark what is added and removed.
func (d *Diff) Label(f Fold) string {
	text := d.chain(f, f.Status == "")
	switch {
	case f.Count == 1:
		return fmt.Sprintf("%s, %s", text, f.Status)
	case f.Status != "":
		return fmt.Sprintf("%s, ×%d %s", text, f.Count, f.Status)
	}
	return fmt.Sprintf("%s, ×%d: %s in each", text, f.Count, d.Tally(f))
}

// chain names the layers of a fold's first instance, repeats in it folded.
func (d *Diff) chain(f Fold, signs bool) string {
	if f.Children == nil {
		return d.typeOf(d.Rows[f.Start], signs)
	}
	parts := make([]string, len(f.Children))
	for i, c := range f.Children {
		parts[i] = d.chain(c, signs)
		switch {
		case c.Count > 1 && c.Period > 1:
			parts[i] = fmt.Sprintf("(%s) ×%d", parts[i], c.Count)
		case c.Count > 1:
			parts[i] = fmt.Sprintf("%s ×%d", parts[i], c.Count)
		}
	}
	return strings.Join(parts, " → ")
}

func (d *Diff) typeOf(r Row, signs bool) string {
	switch {
	case r.A < 0 && signs:
		return "+ " + d.B.Plan.Model.Nodes[r.B].Display()
	case r.A < 0:
		return d.B.Plan.Model.Nodes[r.B].Display()
	case r.B < 0 && signs:
		return "− " + d.A.Plan.Model.Nodes[r.A].Display()
	}
	return d.A.Plan.Model.Nodes[r.A].Display()
}

// Tally counts the statuses of one instance: "1 added, 2 changed, 3 same".
func (d *Diff) Tally(f Fold) string {
	n := map[Status]int{}
	for _, r := range d.Rows[f.Start : f.Start+f.Period] {
		n[r.Status]++
	}
	var parts []string
	for _, s := range []Status{Added, Removed, Changed, Same} {
		if n[s] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n[s], s))
		}
	}
	return strings.Join(parts, ", ")
}
