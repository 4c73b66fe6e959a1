package render

import (
	"fmt"
	"html/template"
	"strconv"

	"github.com/strata-catalog/strata/generator/facts"
	"github.com/strata-catalog/strata/generator/format"
	"github.com/strata-catalog/strata/generator/page"
)

// mostRows is how many rows a page shows of its repeats: a browser is slow with
// more, and the Markdown and the JSON have them all.
const mostRows = 4000

// structure is the table of layers. Each component has one row; of a part that
// repeats the first instance is shown, and the others open below it.
func structure(t *page.Template) template.HTML {
	w := &table{Template: t, whole: len(t.Data.Rows) <= mostRows, links: map[string]string{}}
	w.b = room(256*min(len(t.Data.Rows), mostRows) + 4096)
	w.raw(`<table class="rows">`)
	w.columns(len(t.Structure))
	w.head(t.Structure)
	w.raw("<tbody>")
	w.spans(t.Data.Spans, 0)
	w.raw(`</tbody><tfoot><tr><td></td><th scope="row">Total</th><td colspan="3">`)
	w.text(layerCount(t.Data))
	w.raw(`</td><td class="num">`, total(t.Data), `</td><td class="num">`, share(t.Data.Parameters, t.Data.Parameters), "</td></tr></tfoot></table>")
	return w.html()
}

// table writes the structure table.
type table struct {
	writer
	*page.Template
	whole bool              // show the rows of every instance
	links map[string]string // to the pages of layer types
}

// layer writes the type of a row as a link to its page, where it has one.
func (w *table) layer(r *facts.Row) {
	link, ok := w.links[r.Type]
	if !ok {
		if path := page.LayerPath(r.Type); w.Site.Has(path) {
			link = w.URL(path)
		}
		w.links[r.Type] = link
	}
	if link == "" {
		w.text(r.Display)
		return
	}
	w.raw(`<a href="`, link, `">`)
	w.text(r.Display)
	w.raw(`</a>`)
}

func (w *table) spans(list []facts.Span, depth int) {
	class := ""
	if depth > 0 {
		class = "d" + strconv.Itoa(depth)
	}
	for i := range list {
		s := &list[i]
		if s.Repeat == 0 {
			for k := range s.Rows {
				w.row(&s.Rows[k], class, true)
			}
			continue
		}
		w.run(s, depth+1)
	}
}

// run writes what repeats: a line that sums it up, the first instance, and the
// others behind a summary.
func (w *table) run(s *facts.Span, depth int) {
	columns := len(w.Structure)
	w.raw(`<tr class="run d`)
	w.int(depth)
	w.raw(`"><td colspan="`)
	w.int(columns)
	w.raw(`"><b>×`)
	w.int(s.Repeat)
	w.raw("</b> ")
	if s.Block != "" {
		w.raw("<code>")
		w.text(s.Block)
		w.raw("</code> ")
	}
	w.raw(`<span>`)
	w.text(s.Types)
	w.raw(`</span> <span class="sum">`, sumOf(s))
	if part := share(s.All, w.Data.Parameters); part != "" {
		w.raw(" · ", part)
	}
	w.raw("</span></td></tr>")
	w.spans(s.First, depth)
	w.raw(`<tr class="more d`)
	w.int(depth)
	w.raw(`"><td colspan="`)
	w.int(columns)
	w.raw(`">`)
	w.rest(s)
	w.raw("</td></tr>")
}

// sumOf says what the instances add to the total.
func sumOf(s *facts.Span) string {
	switch {
	case s.All == 0:
		return "no weights of its own"
	case s.All == s.Each*int64(s.Repeat):
		return fmt.Sprintf("%d × %s = %s", s.Repeat, format.Exact64(s.Each), format.Exact64(s.All))
	}
	return format.Exact64(s.All) + " in all"
}

func (w *table) rest(s *facts.Span) {
	first, last := s.Rest[0].Number, s.Rest[len(s.Rest)-1].Number
	label := fmt.Sprintf("%s more, rows %s to %s", plural(s.Repeat-1, "instance"), format.Exact64(int64(first)), format.Exact64(int64(last)))
	if !w.whole && w.Data.URLs.Markdown == "" {
		w.text(label + ": in the Markdown and the JSON to download")
		return
	}
	if !w.whole {
		w.text(label + ": in the ")
		w.raw(`<a href="`, w.URL(w.Data.URLs.Markdown), `">Markdown</a> and the <a href="`, w.URL(w.Data.URLs.JSON), `">JSON</a> of this page`)
		return
	}
	w.raw("<details><summary>", label, `</summary><table class="rows" aria-label="`, label, `">`)
	w.columns(len(w.Structure))
	w.raw("<tbody>")
	for k := range s.Rest {
		class := ""
		if k%s.Period == 0 {
			class = "first"
		}
		w.row(&s.Rest[k], class, false)
	}
	w.raw("</tbody></table></details>")
}

// row writes one component. link makes a link of its type; the further
// instances of a repeat do without, since there may be thousands.
func (w *table) row(r *facts.Row, class string, link bool) {
	w.raw(`<tr id="row-`)
	w.int(r.Number)
	w.raw(`"`)
	if class != "" {
		w.raw(` class="`, class, `"`)
	}
	w.raw(`><td class="num">`)
	w.int(r.Number)
	w.raw(`</td><th scope="row">`)
	w.text(r.Name)
	w.raw(`</th><td>`)
	if link {
		w.layer(r)
	} else {
		w.text(r.Display)
	}
	w.raw(`</td><td>`)
	w.text(declared(r))
	w.raw(`</td><td>`)
	w.b = r.AppendShape(w.b)
	w.raw(`</td><td class="num">`)
	w.b = appendWeights(w.b, r)
	w.raw(`</td><td class="num`)
	if r.Parameters > 0 {
		w.raw(" share")
		w.int(int(20 * float64(r.Parameters) / float64(w.Data.Parameters)))
	}
	w.raw(`">`)
	w.b = appendShare(w.b, r.Parameters, w.Data.Parameters)
	w.raw("</td></tr>")
}
