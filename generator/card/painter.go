//go:build !js

package card

import (
	"image"
	"image/color"
	"image/draw"
	"slices"
	"strings"
	"sync"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"
)

// A letter is one of the three fonts.
type letter int

const (
	sans letter = iota
	bold
	mono
)

// fonts are the Go fonts, which the program carries: a card has the same letters
// on every machine.
var fonts = sync.OnceValue(func() (list [3]*sfnt.Font) {
	for k, src := range [][]byte{sans: goregular.TTF, bold: gobold.TTF, mono: gomono.TTF} {
		f, err := opentype.Parse(src)
		if err != nil {
			panic(err) // they are part of the program
		}
		list[k] = f
	}
	return list
})

// known reports whether the fonts have every letter of a text.
func known(text string) bool {
	var b sfnt.Buffer
	for _, r := range text {
		if i, err := fonts()[sans].GlyphIndex(&b, r); err != nil || i == 0 {
			return false
		}
	}
	return true
}

// painter draws on a picture.
type painter struct {
	img     *image.RGBA
	colours Colours
	faces   map[style]font.Face
	shape   vector.Rasterizer
}

type style struct {
	letter letter
	size   float64
}

func newPainter(c Colours) *painter {
	return &painter{img: image.NewRGBA(image.Rect(0, 0, Width, Height)), colours: c, faces: map[style]font.Face{}}
}

// face is a font in a size of whole pixels.
func (p *painter) face(l letter, size int) font.Face { return p.scaled(l, float64(size)) }

func (p *painter) scaled(l letter, size float64) font.Face {
	s := style{l, size}
	f := p.faces[s]
	if f == nil {
		var err error
		if f, err = opentype.NewFace(fonts()[l], &opentype.FaceOptions{Size: size, DPI: 72}); err != nil {
			panic(err) // no option is wrong
		}
		p.faces[s] = f
	}
	return f
}

// measure is the width of a text in pixels.
func measure(f font.Face, text string) float64 { return float64(font.MeasureString(f, text)) / 64 }

func (p *painter) wide(l letter, size int, text string) int {
	return int(measure(p.face(l, size), text)) + 1
}

// text writes from a place on the foot line of its letters.
func (p *painter) text(l letter, size, x, y int, text string, c color.RGBA) {
	p.write(p.face(l, size), float64(x), float64(y), text, c)
}

func (p *painter) write(f font.Face, x, y float64, text string, c color.RGBA) {
	d := font.Drawer{Dst: p.img, Src: image.NewUniform(c), Face: f, Dot: fixed.Point26_6{X: fixed.Int26_6(x * 64), Y: fixed.Int26_6(y * 64)}}
	d.DrawString(text)
}

// fill fills a rectangle of whole pixels.
func (p *painter) fill(r image.Rectangle, c color.RGBA) {
	draw.Draw(p.img, r, image.NewUniform(c), image.Point{}, draw.Src)
}

// box fills a rectangle with round corners.
func (p *painter) box(x, y, w, h, radius float64, c color.RGBA) {
	const k = 0.5523 // of a cubic curve that is a quarter of a circle
	r := min(radius, w/2, h/2)
	p.path(c, func(z *vector.Rasterizer, left, top float32) {
		to := func(dx, dy float64) (float32, float32) { return float32(x+dx) - left, float32(y+dy) - top }
		curve := func(a, b, c, d, e, f float64) {
			bx, by := to(a, b)
			cx, cy := to(c, d)
			dx, dy := to(e, f)
			z.CubeTo(bx, by, cx, cy, dx, dy)
		}
		z.MoveTo(to(r, 0))
		z.LineTo(to(w-r, 0))
		curve(w-r+k*r, 0, w, r-k*r, w, r)
		z.LineTo(to(w, h-r))
		curve(w, h-r+k*r, w-r+k*r, h, w-r, h)
		z.LineTo(to(r, h))
		curve(r-k*r, h, 0, h-r+k*r, 0, h-r)
		z.LineTo(to(0, r))
		curve(0, r-k*r, r-k*r, 0, r, 0)
		z.ClosePath()
	}, image.Rect(int(x)-1, int(y)-1, int(x+w)+2, int(y+h)+2))
}

// path fills what is drawn within some bounds of the picture.
func (p *painter) path(c color.RGBA, outline func(z *vector.Rasterizer, left, top float32), bounds image.Rectangle) {
	if bounds = bounds.Intersect(p.img.Rect); bounds.Empty() {
		return
	}
	p.shape.Reset(bounds.Dx(), bounds.Dy())
	outline(&p.shape, float32(bounds.Min.X), float32(bounds.Min.Y))
	p.shape.Draw(p.img, bounds, image.NewUniform(c), image.Point{})
}

// veil lays a colour over a rectangle, as strong at each pixel as share says.
func (p *painter) veil(r image.Rectangle, c color.RGBA, share func(x, y int) float64) {
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			p.img.SetRGBA(x, y, mix(c, p.img.RGBAAt(x, y), share(x, y)))
		}
	}
}

// wrap breaks a text into lines of a width, and says with … that it goes on.
func wrap(f font.Face, text string, room, most int) (lines []string) {
	words := strings.Fields(text)
	for len(words) > 0 && len(lines) < most {
		n := 1
		for n < len(words) && measure(f, strings.Join(words[:n+1], " ")) <= float64(room) {
			n++
		}
		if len(lines) == most-1 {
			n = len(words)
		}
		lines = append(lines, cut(f, strings.Join(words[:n], " "), room))
		words = words[n:]
	}
	return lines
}

// fits reports whether no line was cut.
func fits(lines []string) bool {
	return !slices.ContainsFunc(lines, func(s string) bool { return strings.HasSuffix(s, "…") })
}

// cut shortens a text to a width.
func cut(f font.Face, text string, room int) string {
	if measure(f, text) <= float64(room) {
		return text
	}
	runes := []rune(text)
	for n := len(runes) - 1; n > 0; n-- {
		if short := strings.TrimRight(string(runes[:n]), " ,.;:") + "…"; measure(f, short) <= float64(room) {
			return short
		}
	}
	return "…"
}

// flat is a picture with at most 256 colours: cards have few, and the shades at
// the edges of letters. It is a third as large.
func flat(img *image.RGBA) *image.Paletted {
	counts := map[color.RGBA]int{}
	for i := 0; i < len(img.Pix); i += 4 {
		counts[color.RGBA{img.Pix[i], img.Pix[i+1], img.Pix[i+2], 255}]++
	}
	list := make([]color.RGBA, 0, len(counts))
	for c := range counts {
		list = append(list, c)
	}
	number := func(c color.RGBA) int { return int(c.R)<<16 | int(c.G)<<8 | int(c.B) }
	slices.SortFunc(list, func(a, b color.RGBA) int {
		if counts[a] != counts[b] {
			return counts[b] - counts[a]
		}
		return number(a) - number(b)
	})
	palette := make(color.Palette, min(len(list), 256))
	index := make(map[color.RGBA]uint8, len(list))
	for k, c := range list {
		if k < len(palette) {
			palette[k], index[c] = c, uint8(k)
		} else {
			index[c] = uint8(palette.Index(c))
		}
	}
	out := image.NewPaletted(img.Rect, palette)
	for i := range out.Pix {
		out.Pix[i] = index[color.RGBA{img.Pix[4*i], img.Pix[4*i+1], img.Pix[4*i+2], 255}]
	}
	return out
}
