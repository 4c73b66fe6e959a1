package draw

import (
	"slices"

	"github.com/strata-catalog/strata/generator/cost"
	"github.com/strata-catalog/strata/generator/infer"
	"github.com/strata-catalog/strata/generator/layer"
)

// A Point is a place in a picture.
type Point struct{ X, Y int }

// A Rect is a part of a picture.
type Rect struct{ X, Y, W, H int }

// A Picture is a model, laid out.
type Picture struct {
	W, H   int
	Boxes  []Box
	Frames []Frame
	Shapes []Text // of what the layers yield
	Lines  []Line
	Parts  []layer.Part // kinds of layers that occur, in the order of charts
	Total  int64        // parameters of the model
	Shown  []int        // for each position of the order, the one whose box stands for it
}

// A Box is a layer or a module, or the same of every instance of what repeats.
type Box struct {
	Rect
	At     int   // position of the layer in the order of the model
	Last   int   // position of the last layer of a module, else At
	Times  int   // how many layers it stands for
	Params int64 // that all of them add to the total
	Part   layer.Part
	Title  string // its type and its name, as far as there is room
	Name   string
	Count  string
	Full   bool // in two lines
	ID     string
	Type   string
}

// A Frame is drawn around what repeats.
type Frame struct {
	Rect
	Start, Period, Count int // over the positions of the order
	Times, Name          string
}

// A Text stands beside a line.
type Text struct {
	Rect
	Text string
}

// A Line goes from layer to layer, or a part of the way.
type Line struct {
	Points []Point
	Source int // position of the layer that it comes from
	Into   int // position of the layer that it enters, -1 when it goes on elsewhere
	Side   bool
	Bypass bool
	Arrow  bool // ends in the head of an arrow
}

// most is how many boxes a picture has room for.
const most = 900

// Drawable reports whether a model can be drawn: it has no faults, and not too
// many layers that do not repeat.
func Drawable(m *infer.Model) bool {
	if len(m.Order) == 0 {
		return false
	}
	b := &builder{m: m}
	_, drawn := b.positions(infer.Worth(m.Runs))
	return drawn <= most
}

// New lays a model out; nil for one that is not Drawable.
func New(m *infer.Model) *Picture {
	if len(m.Order) == 0 {
		return nil
	}
	b := &builder{m: m}
	b.sizes = &sizes{b: b, boxes: map[int]textBox{}}
	runs, drawn := b.positions(infer.Worth(m.Runs))
	if drawn > most {
		return nil
	}
	root := b.fold(runs)
	root.each(func(s *scope) {
		s.rank(b)
		s.order()
		s.place(b)
		s.route()
	})
	p := &Picture{W: root.w, H: root.h, Total: m.Params, Shown: b.shown}
	p.add(b, root, 0, 0)
	for _, part := range layer.Parts {
		if slices.ContainsFunc(p.Boxes, func(x Box) bool { return x.Part == part }) {
			p.Parts = append(p.Parts, part)
		}
	}
	return p
}

// add draws a scope from a place on.
func (p *Picture) add(b *builder, s *scope, x, y int) {
	for _, row := range s.rows {
		for _, it := range row {
			switch it.kind {
			case frame:
				p.frame(b, it, x, y)
			case stack:
				p.stack(b, it, x, y)
			}
		}
	}
	for _, l := range s.lines {
		for k := range l.Points {
			l.Points[k].X += x
			l.Points[k].Y += y
		}
		l.Side = b.aside[l.Source]
		p.Lines = append(p.Lines, l)
	}
}

func (p *Picture) frame(b *builder, it *item, x, y int) {
	f := Frame{Rect: Rect{x + it.x, y + it.y, it.width, it.h}, Start: it.run.Start, Period: it.run.Period, Count: it.run.Count}
	f.Times, f.Name = b.sizes.title(it)
	p.Frames = append(p.Frames, f)
	for _, e := range it.outs {
		p.shape(b, e.source, f.X+it.leaves(e.source), f.Y+f.H)
	}
	p.add(b, it.inner, f.X+border+it.inner.shift(), f.Y+headHeight)
}

func (p *Picture) stack(b *builder, it *item, x, y int) {
	at := y + it.y
	for _, pos := range it.boxes {
		h := b.sizes.box(pos).h
		p.box(b, pos, Rect{x + it.x - it.width/2, at, it.width, h})
		at += h
	}
	if it.beside >= 0 {
		t, first := b.sizes.box(it.beside), p.Boxes[len(p.Boxes)-len(it.boxes)].Rect
		r := Rect{X: x + it.x - it.l, Y: first.Y + (first.H-t.h)/2, W: t.w, H: t.h}
		p.box(b, it.beside, r)
		p.Lines = append(p.Lines, Line{Source: it.beside, Into: it.boxes[0], Side: true, Arrow: true,
			Points: []Point{{r.X + r.W, r.Y + r.H/2}, {first.X, r.Y + r.H/2}}})
	}
	if len(it.outs) > 0 {
		p.shape(b, it.boxes[len(it.boxes)-1], x+it.x, at)
	}
}

func (p *Picture) shape(b *builder, source, x, y int) {
	text := b.sizes.shape(source)
	if text == "" {
		return
	}
	r := Rect{X: x + labelAside, Y: y + labelDown - 9, W: monoOf(text), H: 11}
	if !slices.ContainsFunc(p.Shapes, func(t Text) bool { return t.Rect == r }) {
		p.Shapes = append(p.Shapes, Text{r, text})
	}
}

func (p *Picture) box(b *builder, pos int, r Rect) {
	n, t := b.node(pos), b.sizes.box(pos)
	x := Box{
		Rect: r, At: pos, Last: pos, Times: b.times[pos], Params: b.sums[pos], Part: cost.PartOf(n),
		Title: t.title, Name: t.name, Count: t.count, Full: t.full, ID: n.ID, Type: n.Display(),
	}
	if m := b.module[pos]; m != nil {
		x.Last, x.Part, x.ID, x.Type = m.last, m.part, m.path, "Module"
	}
	p.Boxes = append(p.Boxes, x)
}
