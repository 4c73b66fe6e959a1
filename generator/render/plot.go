package render

import (
	"html/template"
	"strconv"

	"github.com/strata-catalog/strata/generator/page"
)

// The sizes of a plot, in units of its view box. A plot is as wide as a phone,
// so that its letters are never much smaller than those around it.
const (
	plotWidth  = 360
	plotHeight = 280
	plotLeft   = 44 // for the labels of the vertical axis
	plotRight  = 342
	plotTop    = 22
	plotBottom = 242

	barLeft = 164 // for the names of the bars
	barStep = 15
	barSize = 10
)

// plot draws a picture of the catalog.
func plot(p *page.Plot) template.HTML {
	w := &writer{}
	height := plotHeight
	if len(p.Bars) > 0 {
		height = 2*barStep + len(p.Bars)*barStep
	}
	w.raw(`<svg class="plot" viewBox="0 0 `, strconv.Itoa(plotWidth), " ", strconv.Itoa(height), `" role="img" aria-labelledby="plot-`, p.ID, `-t" aria-describedby="plot-`, p.ID, `-d"><title id="plot-`, p.ID, `-t">`)
	w.text(p.Title)
	w.raw(`</title><desc id="plot-`, p.ID, `-d">`)
	w.text(p.Text)
	w.raw(" The numbers stand in the table below.</desc>")
	if len(p.Bars) > 0 {
		w.bars(p)
	} else {
		w.dots(p)
	}
	w.raw("</svg>")
	return w.html()
}

// dots draws the two axes, and the dots over them.
func (w *writer) dots(p *page.Plot) {
	w.raw(`<g class="grid">`)
	for _, m := range p.Y.Marks {
		y := fixed(plotY(m.At))
		w.raw(`<path d="M`, strconv.Itoa(plotLeft), " ", y, "H", strconv.Itoa(plotRight), `"/>`)
		w.label(strconv.Itoa(plotLeft-6), fixed(plotY(m.At)+4), "end", m.Text)
	}
	for _, m := range p.X.Marks {
		x := fixed(plotX(m.At))
		w.raw(`<path d="M`, x, " ", strconv.Itoa(plotTop), "V", strconv.Itoa(plotBottom), `"/>`)
		w.label(x, strconv.Itoa(plotBottom+16), "middle", m.Text)
	}
	w.label("0", "12", "start", p.Y.Label)
	w.label(strconv.Itoa(plotRight), strconv.Itoa(plotBottom+33), "end", p.X.Label)
	w.raw(`</g><g class="dots">`)
	for _, d := range p.Dots {
		w.raw(`<circle class="s`, strconv.Itoa(d.Series), `" data-i="`, strconv.Itoa(d.Row), `" cx="`, fixed(plotX(d.X)), `" cy="`, fixed(plotY(d.Y)), `" r="4"/>`)
	}
	w.raw("</g>")
}

// label is a text of an axis.
func (w *writer) label(x, y, anchor, text string) {
	w.raw(`<text x="`, x, `" y="`, y, `" text-anchor="`, anchor, `">`)
	w.text(text)
	w.raw("</text>")
}

func plotX(at float64) float64 { return plotLeft + at*(plotRight-plotLeft) }
func plotY(at float64) float64 { return plotBottom - at*(plotBottom-plotTop) }

// bars draws a line for each bar, over marks of quarters.
func (w *writer) bars(p *page.Plot) {
	bottom := barStep + len(p.Bars)*barStep
	at := func(share float64) float64 { return barLeft + share*(plotRight-barLeft) }
	w.raw(`<g class="grid">`)
	for _, percent := range []int{0, 25, 50, 75, 100} {
		x := fixed(at(float64(percent) / 100))
		w.raw(`<path d="M`, x, ` 0V`, strconv.Itoa(bottom), `"/>`)
		w.label(x, strconv.Itoa(bottom+14), "middle", strconv.Itoa(percent)+"%")
	}
	w.raw(`</g><g class="names">`)
	for i, b := range p.Bars {
		w.label(strconv.Itoa(barLeft-6), strconv.Itoa(i*barStep+barSize+3), "end", b.Text)
	}
	w.raw("</g>")
	for i, b := range p.Bars {
		y, from := strconv.Itoa(i*barStep+4), 0.0
		for k, share := range b.Pieces {
			if share > 0 {
				w.raw(`<rect class="part-`, string(p.Parts[k]), `" x="`, fixed(at(from)), `" y="`, y, `" width="`, fixed(at(share)-barLeft), `" height="`, strconv.Itoa(barSize), `"/>`)
			}
			from += share
		}
	}
}
