//go:build !js

package card

import (
	"image"
	"image/color"
	"strings"

	"golang.org/x/image/vector"

	"github.com/strata-catalog/strata/generator/draw"
)

// The scales of a diagram: letters can be read in the smallest, and boxes do
// not look blown up in the largest.
const (
	smallest = 0.72
	largest  = 1.5
	inset    = 28 // of a diagram in its panel
	fade     = 96 // of a diagram that goes on beyond it
)

// diagram draws a model in a panel: as a whole where it can be read so, else
// from its first layer on, fading out where it goes on.
func (p *painter) diagram(m *draw.Picture, panel image.Rectangle) {
	back := p.colours["raised"]
	p.fill(panel, back)
	w, h := float64(panel.Dx()-2*inset), float64(panel.Dy()-2*inset)
	scale := max(smallest, min(largest, w/float64(m.W), h/float64(m.H)))
	d := &diagram{painter: p, scale: scale, x: float64(panel.Min.X) + inset, y: float64(panel.Min.Y) + inset}
	if room := w - float64(m.W)*scale; room > 0 {
		d.x += room / 2
	} else {
		// What the inputs lead to stands in the middle.
		first := m.Boxes[0].Rect
		d.x += max(room, min(0, w/2-(float64(first.X)+float64(first.W)/2)*scale))
	}
	if room := h - float64(m.H)*scale; room > 0 {
		d.y += room / 2
	}
	all := p.img
	p.img = all.SubImage(panel).(*image.RGBA)
	d.draw(m)
	p.img = all
	d.veils(m, panel, back)
}

// veils lets a diagram fade out where it goes on beyond its panel.
func (d *diagram) veils(m *draw.Picture, panel image.Rectangle, back color.RGBA) {
	left, _ := d.at(0, 0)
	right, below := d.at(m.W, m.H)
	if int(below) > panel.Max.Y {
		r := panel
		r.Min.Y = r.Max.Y - fade
		d.veil(r, back, func(x, y int) float64 { return float64(y-r.Min.Y) / fade })
	}
	if int(left) < panel.Min.X {
		r := panel
		r.Max.X = r.Min.X + fade
		d.veil(r, back, func(x, y int) float64 { return float64(r.Max.X-1-x) / fade })
	}
	if int(right) > panel.Max.X {
		r := panel
		r.Min.X = r.Max.X - fade
		d.veil(r, back, func(x, y int) float64 { return float64(x-r.Min.X) / fade })
	}
}

// A diagram is drawn from a place on, in a scale.
type diagram struct {
	*painter
	scale, x, y float64
}

func (d *diagram) at(x, y int) (float64, float64) {
	return d.x + float64(x)*d.scale, d.y + float64(y)*d.scale
}

func (d *diagram) draw(m *draw.Picture) {
	paper, ink, soft, rule, accent := d.colours["raised"], d.colours["ink"], d.colours["soft"], d.colours["rule"], d.colours["accent"]
	for _, f := range m.Frames {
		d.rect(f.Rect, 8, rule, mix(ink, paper, 0.05), 1)
		for _, l := range f.Titles() {
			d.label(l, 0, 0, map[string]color.RGBA{"times": accent}, soft)
		}
	}
	for _, l := range m.Lines {
		c, wide := rule, 1.25
		switch {
		case l.Side:
			c, wide = d.colours["part-embedding"], 1.5
		case l.Bypass:
			c, wide = accent, 1.75
		}
		d.line(l.Points, c, wide, l.Side)
		if l.Arrow {
			d.arrow(l.Points, rule)
		}
	}
	for _, t := range m.Shapes {
		d.label(draw.Label{Class: "shape", X: t.X, Y: t.Y + 9, Text: t.Text}, 0, 0, nil, soft)
	}
	for k := range m.Boxes {
		b := &m.Boxes[k]
		of := d.colours.part(b.Part)
		d.rect(b.Rect, 5, of, mix(of, d.colours["paper"], 0.16), 1)
		for _, l := range b.Labels() {
			d.label(l, b.X, b.Y, map[string]color.RGBA{"type": ink}, soft)
		}
		if r, ok := b.Share(m.Total); ok {
			x, y := d.at(b.X+r.X, b.Y+r.Y)
			d.box(x, y, float64(r.W)*d.scale, float64(r.H)*d.scale, 0, of)
		}
	}
}

// rect is a box with a border.
func (d *diagram) rect(r draw.Rect, radius float64, border, fill color.RGBA, wide float64) {
	x, y := d.at(r.X, r.Y)
	w, h := float64(r.W)*d.scale, float64(r.H)*d.scale
	d.box(x-wide/2, y-wide/2, w+wide, h+wide, radius*d.scale+wide/2, border)
	d.box(x+wide/2, y+wide/2, w-wide, h-wide, radius*d.scale-wide/2, fill)
}

// label writes a text of the diagram, from the corner of its box.
func (d *diagram) label(l draw.Label, x, y int, special map[string]color.RGBA, usual color.RGBA) {
	class, small := strings.CutSuffix(l.Class, " small")
	of, size := mono, 11.0
	switch class {
	case "type", "times":
		of = bold
		if size = 13; small {
			size = 11
		}
	case "block":
		of = sans
	}
	c, ok := special[class]
	if !ok {
		c = usual
	}
	face := d.scaled(of, size*d.scale)
	ax, ay := d.at(x+l.X, y+l.Y)
	if class == "count" {
		ax -= measure(face, l.Text)
	}
	d.write(face, ax, ay, l.Text, c)
}

// line draws the straight pieces of a line, each as a thin box. They overlap by
// the width of the line, so that corners are whole.
func (d *diagram) line(points []draw.Point, c color.RGBA, wide float64, dashed bool) {
	for k := 1; k < len(points); k++ {
		ax, ay := d.at(points[k-1].X, points[k-1].Y)
		bx, by := d.at(points[k].X, points[k].Y)
		if ax > bx || ay > by {
			ax, ay, bx, by = bx, by, ax, ay
		}
		if !dashed {
			d.box(ax-wide/2, ay-wide/2, bx-ax+wide, by-ay+wide, 0, c)
			continue
		}
		const on, off = 5, 3
		for at, long := 0.0, bx-ax+by-ay; at < long; at += on + off {
			n := min(on, long-at)
			if ax == bx {
				d.box(ax-wide/2, ay+at, wide, n, 0, c)
			} else {
				d.box(ax+at, ay-wide/2, n, wide, 0, c)
			}
		}
	}
}

// arrow draws the head of an arrow at the end of a line.
func (d *diagram) arrow(points []draw.Point, c color.RGBA) {
	from, to := points[len(points)-2], points[len(points)-1]
	x, y := d.at(to.X, to.Y)
	long, half := 7*d.scale, 4*d.scale
	var a, b [2]float64
	switch {
	case from.Y < to.Y:
		a, b = [2]float64{x - half, y - long}, [2]float64{x + half, y - long}
	case from.X < to.X:
		a, b = [2]float64{x - long, y - half}, [2]float64{x - long, y + half}
	default:
		a, b = [2]float64{x + long, y - half}, [2]float64{x + long, y + half}
	}
	r := int(long) + 2
	d.path(c, func(z *vector.Rasterizer, left, top float32) {
		z.MoveTo(float32(x)-left, float32(y)-top)
		z.LineTo(float32(a[0])-left, float32(a[1])-top)
		z.LineTo(float32(b[0])-left, float32(b[1])-top)
		z.ClosePath()
	}, image.Rect(int(x)-r, int(y)-r, int(x)+r, int(y)+r))
}
