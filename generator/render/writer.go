package render

import (
	"html/template"
	"strconv"

	"github.com/strata-catalog/strata/generator/format"
	"github.com/strata-catalog/strata/generator/page"
)

// writer appends HTML.
type writer struct{ b []byte }

func (w *writer) raw(s ...string) {
	for _, x := range s {
		w.b = append(w.b, x...)
	}
}

func (w *writer) text(s string) { w.b = appendText(w.b, s) }
func (w *writer) int(n int)     { w.b = strconv.AppendInt(w.b, int64(n), 10) }
func (w *writer) exact(n int64) { w.b = format.AppendExact64(w.b, n) }

// html is what was written, after which nothing more is.
func (w *writer) html() template.HTML {
	s := template.HTML(w.b)
	Release([]File{{Data: w.b}})
	w.b = nil
	return s
}

// head writes the columns of a table and their headings.
func (w *writer) head(columns []page.Column) {
	w.raw("<thead><tr>")
	for _, c := range columns {
		w.raw(`<th scope="col"`)
		if c.Number {
			w.raw(` class="num"`)
		}
		w.raw(">")
		w.text(c.Text)
		w.raw("</th>")
	}
	w.raw("</tr></thead>")
}

// columns writes the widths, so that the tables within a table line up with it.
func (w *writer) columns(n int) {
	w.raw("<colgroup>")
	for range n {
		w.raw("<col>")
	}
	w.raw("</colgroup>")
}
