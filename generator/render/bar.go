package render

import (
	"html/template"
	"strconv"

	"github.com/strata-catalog/strata/generator/cost"
	"github.com/strata-catalog/strata/generator/format"
)

// bar shows how the parameters divide among the kinds of layers.
func bar(parts []cost.Part, total int64) template.HTML {
	if total == 0 {
		return ""
	}
	w := &writer{}
	w.strip(parts, total)
	w.raw(`<ul class="legend">`)
	for _, p := range parts {
		if p.Params == 0 {
			continue
		}
		w.raw(`<li class="part-`, string(p.Part), `"><span>`)
		w.text(string(p.Part))
		w.raw(`</span> <b title="`, format.Exact64(p.Params), `">`, format.Count64(p.Params), "</b> ", format.Share(p.Params, total), "</li>")
	}
	w.raw("</ul>")
	return w.html()
}

// strip is the bar alone, for a page that has the numbers in a table.
func strip(parts []cost.Part, total int64) template.HTML {
	w := &writer{}
	w.strip(parts, total)
	return w.html()
}

func (w *writer) strip(parts []cost.Part, total int64) {
	w.raw(`<svg class="bar" viewBox="0 0 1000 10" preserveAspectRatio="none" aria-hidden="true">`)
	at := 0.0
	for _, p := range parts {
		width := 1000 * float64(p.Params) / float64(max(total, 1))
		if width > 0 {
			w.raw(`<rect class="part-`, string(p.Part), `" x="`, fixed(at), `" width="`, fixed(width), `" height="10"/>`)
		}
		at += width
	}
	w.raw("</svg>")
}

func fixed(x float64) string { return strconv.FormatFloat(x, 'f', 1, 64) }
