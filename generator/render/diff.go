package render

import (
	"fmt"
	"html/template"
	"math/big"
	"slices"
	"strings"

	"github.com/strata-catalog/strata/generator/diff"
	"github.com/strata-catalog/strata/generator/facts"
	"github.com/strata-catalog/strata/generator/format"
	"github.com/strata-catalog/strata/generator/page"
)

// diff makes the page of a diff, its Markdown twin and its data.
func (r *Renderer) diff(d *page.Diff) ([]File, error) {
	files, err := r.html(diffLayout, d.Path, d.Cut(mostRows))
	if err != nil {
		return nil, err
	}
	data, err := facts.AppendJSON(room(768*len(d.Data.Rows)), d.Data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.Data.URLs.JSON, err)
	}
	return append(files, File{d.Data.URLs.Markdown, DiffMarkdown(d)}, File{d.Data.URLs.JSON, data}), nil
}

// diffColumns is how many columns the table of rows has.
const diffColumns = 10

// diffRows is the table of rows. What repeats is one line that opens; where the
// rows of an instance became different things, the first instance is shown. A
// very large diff has its first rows alone; where others would stand, a line
// says where they are, and takes the links to them.
func diffRows(d *page.Diff) template.HTML {
	w := &diffTable{Diff: d, whole: len(d.Data.Rows) <= mostRows, room: mostRows}
	w.b = room(320*min(len(d.Data.Rows), mostRows) + 4096)
	w.raw(`<table class="diff">`)
	w.columns(diffColumns)
	w.raw(`<thead><tr><th scope="col" class="num">#</th><th scope="col">Status</th><th scope="col">Type</th>`)
	for _, name := range []string{d.Data.NameA, d.Data.NameB} {
		w.raw(`<th scope="col" class="side">`)
		w.text(name)
		w.raw(`</th><th scope="col" class="num">Params</th><th scope="col">Output</th>`)
	}
	w.raw(`<th scope="col">What changed</th></tr></thead><tbody>`)
	w.folds(d.Data.Folded, "")
	if w.rest > 0 {
		w.left(w.rest, d.Data.Rows[len(d.Data.Rows)-1].Number)
	}
	w.raw("</tbody></table>")
	return w.html()
}

// diffTable writes the table of rows.
type diffTable struct {
	writer
	*page.Diff
	whole bool // show the rows of every instance
	room  int  // lines that may still be written
	rest  int  // the first row that found no room, 0 for none
}

// full reports whether there is no room for a line of the row with a number and
// those after it.
func (w *diffTable) full(row int) bool {
	if w.whole || w.rest > 0 {
		return w.rest > 0
	}
	if w.room--; w.room < 0 {
		w.rest = row
	}
	return w.rest > 0
}

// left writes the line of the rows that found no room.
func (w *diffTable) left(from, to int) {
	w.raw(`<tr class="more"><td colspan="`)
	w.int(diffColumns)
	w.raw(`">`)
	w.behind(from, to, 1, func() {
		w.text(fmt.Sprintf("rows %s to %s", format.Exact64(int64(from)), format.Exact64(int64(to))))
	})
	w.raw("</td></tr>")
}

// targets marks the place that links from the bill to rows without a line of
// their own lead to.
func (w *diffTable) targets(from, to int) {
	lines := w.Data.Bill.Rows
	at, _ := slices.BinarySearchFunc(lines, from, func(l facts.BillLine, row int) int { return l.Row - row })
	for ; at < len(lines) && lines[at].Row <= to; at++ {
		w.raw(`<span id="r-`)
		w.int(lines[at].Row)
		w.raw(`"></span>`)
	}
}

// folds writes rows; within is the class of those that stand in an open fold.
func (w *diffTable) folds(list []facts.DiffFold, within string) {
	for i := range list {
		f := &list[i]
		switch {
		case !f.Worth():
			for n := f.Row; n <= f.Last() && !w.full(n); n++ {
				w.row(n, within)
			}
		case w.full(f.Row):
			return
		case f.Closed():
			w.closed(f, within)
		default:
			w.open(f)
		}
	}
}

// closed writes a fold as one line, with its rows behind it.
func (w *diffTable) closed(f *facts.DiffFold, within string) {
	w.raw(`<tr class="fold `, string(f.Status), within, `"><td colspan="`)
	w.int(diffColumns)
	w.raw(`">`)
	w.behind(f.Row, f.Last(), f.Period, func() { w.label(f, f.Label) })
	w.raw("</td></tr>")
}

// open writes the line of a fold, its first instance, and the others behind
// another line.
func (w *diffTable) open(f *facts.DiffFold) {
	w.raw(`<tr class="fold open"><td colspan="`)
	w.int(diffColumns)
	w.raw(`">`)
	w.label(f, fmt.Sprintf("×%d: %s in each", f.Count, f.Each))
	w.raw("</td></tr>")
	if len(f.Folds) == 0 {
		w.row(f.Row, " in")
	}
	w.folds(f.Folds, " in")
	if w.rest > 0 {
		return
	}
	w.raw(`<tr class="more"><td colspan="`)
	w.int(diffColumns)
	w.raw(`">`)
	first := f.Row + f.Period
	w.behind(first, f.Last(), f.Period, func() {
		w.text(fmt.Sprintf("%s more, rows %s to %s", plural(f.Count-1, "instance"), format.Exact64(int64(first)), format.Exact64(int64(f.Last()))))
	})
	w.raw("</td></tr>")
}

// label says which rows a fold is, what it is, and what it adds.
func (w *diffTable) label(f *facts.DiffFold, text string) {
	w.raw(`<span class="at">`, format.Exact64(int64(f.Row)), "–", format.Exact64(int64(f.Last())), `</span> `)
	if f.Status != "" {
		w.raw(`<span class="sign">`, facts.Sign(f.Status), "</span> ")
	}
	w.text(text)
	if n := f.ParametersB - f.ParametersA; n != 0 || f.Bound != diff.Exact {
		w.raw(` <b title="`, format.Exact64(n), ` parameters">`, page.Bounded(format.Signed(big.NewInt(n)), f.Bound), "</b>")
	}
}

// behind writes the rows from one to another behind a line. A page does without
// the rows of a very large diff.
func (w *diffTable) behind(from, to, period int, line func()) {
	if !w.whole {
		w.targets(from, to)
		line()
		w.raw(`: in the <a href="`, w.URL(w.Data.URLs.Markdown), `">Markdown</a> and the <a href="`, w.URL(w.Data.URLs.JSON), `">JSON</a> of this page`)
		return
	}
	w.raw("<details><summary>")
	line()
	w.raw(`</summary><table class="diff" aria-label="rows `)
	w.int(from)
	w.raw(" to ")
	w.int(to)
	w.raw(`">`)
	w.columns(diffColumns)
	w.raw("<tbody>")
	for n := from; n <= to; n++ {
		class := ""
		if period > 1 && (n-from)%period == 0 {
			class = " first"
		}
		w.row(n, class)
	}
	w.raw("</tbody></table></details>")
}

// row writes the row with a number.
func (w *diffTable) row(n int, class string) {
	r := w.Data.Row(n)
	w.raw(`<tr id="r-`)
	w.int(n)
	w.raw(`" class="`, string(r.Status), class, `"><td class="num"><a href="#r-`)
	w.int(n)
	w.raw(`">`)
	w.int(n)
	w.raw("</a></td><td>", facts.Sign(r.Status), " ", string(r.Status), `</td><th scope="row">`)
	w.text(r.Display())
	w.raw("</th>")
	w.cell(r.A)
	w.cell(r.B)
	w.raw("<td>")
	if len(r.Changed) > 0 {
		w.text(strings.Join(r.Changes(), ", "))
	}
	w.raw("</td></tr>")
}

// longName is the length of a name from which it may be cut on a screen.
const longName = 16

func (w *diffTable) cell(c *facts.DiffCell) {
	if c == nil {
		w.raw(`<td colspan="3"></td>`)
		return
	}
	w.raw("<td")
	if len(c.Name) > longName {
		w.raw(` title="`)
		w.text(c.Name)
		w.raw(`"`)
	}
	w.raw("><bdi>")
	w.text(c.Name)
	w.raw("</bdi></td><td")
	if weights := c.Weights(); weights != "" {
		w.raw(` class="num"`)
		if c.Parameters >= 1000 {
			w.raw(` title="`)
			w.exact(c.Parameters)
			w.raw(`"`)
		}
		w.raw(">", weights)
	} else {
		w.raw(">") // most rows of a page may weigh nothing
	}
	w.raw("</td><td>")
	w.b = c.AppendShape(w.b)
	w.raw("</td>")
}
