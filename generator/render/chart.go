package render

import (
	"fmt"
	"html/template"
	"math/big"
	"slices"
	"strconv"

	"github.com/strata-catalog/strata/generator/facts"
	"github.com/strata-catalog/strata/generator/format"
	"github.com/strata-catalog/strata/generator/layer"
	"github.com/strata-catalog/strata/generator/page"
)

// The plane that lines and bars are drawn in. It is stretched to the size of
// the picture; text stands outside of it, in places that are percentages, so
// that it keeps its size.
const plane = 1000

// memoryChart draws memory against context. The script of the page moves the
// lines; axes and places are those of the data attributes.
func memoryChart(c *page.Chart) template.HTML {
	w := &writer{}
	w.raw(`<svg class="chart" role="img" aria-label="Memory to serve against context; the numbers stand in a table at the end of the section"`)
	for _, a := range []struct {
		name string
		n    int
	}{{"from", c.From}, {"to", c.To}, {"low", c.Low}, {"high", c.High}} {
		w.raw(" data-", a.name, `="`)
		w.int(a.n)
		w.raw(`"`)
	}
	w.raw(`><g class="axes">`)
	for n := c.Low + 1; n < c.High; n++ {
		y := percent(float64(c.High-n) / float64(c.High-c.Low) * plotted)
		w.raw(`<line x1="0" x2="100%" y1="`, y, `" y2="`, y, `"/><text x="0" y="`, y, `" dy="-3">`)
		w.text(format.ShortBytes(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil)))
		w.raw("</text>")
	}
	for n := c.From; n <= c.To; n += 2 {
		if n == c.From { // a label there would leave the picture
			continue
		}
		x := percent(float64(n-c.From) / float64(c.To-c.From))
		w.raw(`<line x1="`, x, `" x2="`, x, `" y1="0" y2="`, percent(plotted), `"/><text class="below" x="`, x, `" y="100%" dy="-4"`)
		if n == c.To {
			w.raw(` text-anchor="end"`)
		} else {
			w.raw(` text-anchor="middle"`)
		}
		w.raw(">", tokens(n), "</text>")
	}
	w.raw(`</g><svg class="lines" height="`, percent(plotted), `" viewBox="0 0 1000 1000" preserveAspectRatio="none">`)
	for _, l := range slices.Backward(c.Lines) { // the first one on top
		w.raw(`<polyline class="line-`, l.Name, `" points="`, points(c, l), `"/>`)
	}
	w.raw("</svg></svg>")
	w.raw(`<ul class="keys">`)
	for _, l := range c.Lines {
		w.raw(`<li><svg width="28" height="10" aria-hidden="true"><line class="line-`, l.Name, `" x1="0" x2="28" y1="5" y2="5"/></svg>`)
		w.text(l.Label)
		w.raw("</li>")
	}
	w.raw("</ul>")
	return w.html()
}

// plotted is the share of a chart's height above the labels of its axis.
const plotted = 0.92

func points(c *page.Chart, l page.Line) string {
	var b []byte
	for i, v := range l.Values {
		y, ok := c.At(v)
		if !ok {
			continue
		}
		if len(b) > 0 {
			b = append(b, ' ')
		}
		b = append(append(append(b, fixed(plane*float64(i)/float64(c.To-c.From))...), ','), fixed(plane*(1-y))...)
	}
	return string(b)
}

func percent(x float64) string { return strconv.FormatFloat(100*x, 'f', 2, 64) + "%" }

// tokens is a power of two as people say it: 512, 4k, 1M.
func tokens(n int) string {
	for _, unit := range []string{"", "k", "M", "G"} {
		if n < 10 {
			return strconv.Itoa(1<<n) + unit
		}
		n -= 10
	}
	return "2^" + strconv.Itoa(n+40)
}

// profile draws the parameters and the work of each component, in the order of
// the table below it: where a model is heavy.
func profile(rows []facts.Row) template.HTML {
	w := &writer{}
	for _, p := range []struct {
		what string
		of   func(*facts.Row) *big.Int
	}{
		{"Parameters", func(r *facts.Row) *big.Int { return big.NewInt(r.Parameters) }},
		{"MACs", func(r *facts.Row) *big.Int { return r.MACs }},
	} {
		w.profile(rows, p.what, p.of)
	}
	if len(w.b) == 0 {
		return ""
	}
	return "<div class=\"profiles\">" + w.html() + "</div>"
}

// profile has one path for each kind of layers, of bars one unit wide.
func (w *writer) profile(rows []facts.Row, what string, of func(*facts.Row) *big.Int) {
	heights := make([]float64, len(rows))
	most, largest := 0.0, 0
	for i := range rows {
		if n := of(&rows[i]); n != nil {
			heights[i], _ = new(big.Float).SetInt(n).Float64()
		}
		if heights[i] > most {
			most, largest = heights[i], i
		}
	}
	if most == 0 {
		return
	}
	paths := map[layer.Part][]byte{}
	for i, h := range heights {
		tall := int(plane*h/most + 0.5)
		if tall == 0 {
			continue
		}
		paths[rows[i].Part] = fmt.Appendf(paths[rows[i].Part], "M%d %dv-%dh1v%dz", i, plane, tall, tall)
	}
	r := &rows[largest]
	w.raw(`<figure><figcaption>`, what, ` of each component, in order; most in <a href="#row-`)
	w.int(r.Number)
	w.raw(`">`)
	w.text(r.Name)
	w.raw(`</a></figcaption><svg class="profile" aria-hidden="true" viewBox="0 0 `)
	w.int(len(rows))
	w.raw(` 1000" preserveAspectRatio="none">`)
	for _, part := range layer.Parts {
		if d := paths[part]; d != nil {
			w.raw(`<path class="part-`, string(part), `" d="`, string(d), `"/>`)
		}
	}
	w.raw("</svg></figure>")
}
