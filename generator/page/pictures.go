package page

import (
	"fmt"
	"slices"
	"strings"

	"github.com/strata-catalog/strata/generator/diff"
	"github.com/strata-catalog/strata/generator/draw"
	"github.com/strata-catalog/strata/generator/facts"
)

// A DiffPicture is one side of a diff, drawn, with its differences.
type DiffPicture struct {
	ID      string // begins the ids of the picture
	Name    string // of the model
	Path    string // of the picture without marks
	Picture *draw.Picture
	Marks   []draw.Mark
}

// pictures draws both sides of a diff; none where one of them cannot be drawn.
func (s *Site) pictures(p *pair, d *diff.Diff) []DiffPicture {
	a, b := s.picture(p.A), s.picture(p.B)
	if a == nil || b == nil {
		return nil
	}
	nameA, nameB := d.Names()
	return []DiffPicture{
		{"picture-a", nameA, *s.known.urlsOf(p.A).Diagram, a, marks(d, &d.A, a, func(r diff.Row) int { return r.A })},
		{"picture-b", nameB, *s.known.urlsOf(p.B).Diagram, b, marks(d, &d.B, b, func(r diff.Row) int { return r.B })},
	}
}

// statuses are those of layers, in the order in which marks name them.
var statuses = []diff.Status{diff.Changed, diff.Removed, diff.Added, diff.Same}

// marks are what became of the layers of one side, by the boxes that stand for
// them. Boxes of which nothing differs have none.
func marks(d *diff.Diff, side *diff.Side, p *draw.Picture, node func(diff.Row) int) (list []draw.Mark) {
	m := side.Plan.Model
	pos := make([]int, len(m.Nodes))
	for at, i := range m.Order {
		pos[i] = at
	}
	type tally struct {
		row   int    // the first that differs
		count [4]int // of each of the statuses
	}
	of := make([]tally, len(m.Order)) // by the layer that the box shows
	for k, r := range d.Rows {
		i := node(r)
		if i < 0 {
			continue
		}
		t := &of[p.Shown[pos[i]]]
		if t.count[slices.Index(statuses, r.Status)]++; r.Status != diff.Same && t.row == 0 {
			t.row = k + 1
		}
	}
	for k := range p.Boxes {
		t := &of[p.Boxes[k].At]
		if t.row == 0 {
			continue
		}
		kinds := 0
		for _, n := range t.count {
			if n > 0 {
				kinds++
			}
		}
		var words []string
		status := diff.Changed // of several
		for k, n := range t.count {
			if s := statuses[k]; n > 0 && kinds > 1 {
				words = append(words, fmt.Sprintf("%d %s", n, s))
			} else if n > 0 {
				words, status = []string{string(s)}, s
			}
		}
		list = append(list, draw.Mark{
			At: p.Boxes[k].At, Row: t.row, Class: string(status), Sign: facts.Sign(status), Word: strings.Join(words, ", "),
		})
	}
	return list
}
