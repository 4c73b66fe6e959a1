//go:build !js

package card

import (
	"bytes"
	"image"
	"image/png"

	"github.com/strata-catalog/strata/generator/cost"
)

// The size of a card in pixels, which is what sites that show one ask for.
const (
	Width  = 1200
	Height = 630
)

// Distances of a card.
const (
	edge    = 64           // to the left and the top of the text
	split   = 752          // where the panel of the diagram begins
	barTall = 16           // of the bar at the foot
	foot    = Height - 150 // where the numbers stand
)

// PNG draws a card.
func (c *Card) PNG(colours Colours) ([]byte, error) {
	p := newPainter(colours)
	p.fill(image.Rect(0, 0, Width, Height), colours["paper"])
	right := Width - edge
	if c.Picture != nil {
		p.diagram(c.Picture, image.Rect(split, 0, Width, Height-barTall))
		right = split - edge/2
	}
	p.words(c, right)
	p.bar(c.Parts)
	var b bytes.Buffer
	e := png.Encoder{CompressionLevel: png.DefaultCompression}
	if err := e.Encode(&b, flat(p.img)); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// words are the left side of a card: the site, the name, what the model is, and
// its numbers.
func (p *painter) words(c *Card, right int) {
	ink, soft, accent := p.colours["ink"], p.colours["soft"], p.colours["accent"]
	for k, long := range []int{28, 24, 16} { // the mark of the site
		p.fill(image.Rect(edge, edge+k*10, edge+long, edge+k*10+6), accent)
	}
	p.text(sans, 26, edge+42, edge+24, cut(p.face(sans, 26), c.Site, right-edge-42), soft)

	name := c.Name
	if !known(name) {
		name = c.ID
	}
	room := right - edge
	size, lines := 0, []string(nil)
	for _, size = range []int{72, 64, 56, 48} {
		if lines = wrap(p.face(bold, size), name, room, 2); len(lines) == 1 || fits(lines) && size <= 56 {
			break
		}
	}
	y := edge + 84
	for _, line := range lines {
		y += size
		p.text(bold, size, edge, y, line, ink)
		y += size / 6
	}
	y += 22
	if known(c.Summary) {
		most := (foot - 70 - y) / 38
		for _, line := range wrap(p.face(sans, 28), c.Summary, room, min(most, 4)) {
			y += 38
			p.text(sans, 28, edge, y, line, soft)
		}
	}
	x := edge
	for k, f := range c.Facts {
		p.text(bold, 40, x, foot+36, f.Value, ink)
		p.text(sans, 24, x, foot+74, f.Label, soft)
		if wide := max(p.wide(bold, 40, f.Value), p.wide(sans, 24, f.Label)); k < len(c.Facts)-1 {
			x += max(wide+44, room/3)
		}
	}
}

// bar shows across the foot how the parameters divide among the kinds of
// layers.
func (p *painter) bar(parts []cost.Part) {
	var total, sum int64
	for _, x := range parts {
		total += x.Params
	}
	p.fill(image.Rect(0, Height-barTall, Width, Height), p.colours["raised"])
	at := func(sum int64) int { return int(float64(Width)*float64(sum)/float64(max(total, 1)) + 0.5) }
	for _, x := range parts {
		p.fill(image.Rect(at(sum), Height-barTall, at(sum+x.Params), Height), p.colours.part(x.Part))
		sum += x.Params
	}
}
