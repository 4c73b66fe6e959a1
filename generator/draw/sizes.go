package draw

import (
	"fmt"
	"strings"

	"github.com/strata-catalog/strata/generator/format"
	"github.com/strata-catalog/strata/generator/infer"
	"github.com/strata-catalog/strata/generator/layer"
)

// Sizes of boxes, in pixels.
const (
	fullHeight  = 42
	smallHeight = 24
	minWidth    = 92
	mostWidth   = 264
	boxPad      = 11
	signRoom    = 16 // for the sign of a difference
)

// sizes are the texts of a model and the boxes that they need.
type sizes struct {
	b     *builder
	boxes map[int]textBox
}

// A textBox is the text of a layer, cut to its box.
type textBox struct {
	title, name, count string
	full               bool // in two lines, with the share of the parameters
	w, h               int
}

// box is the box of the layer at a position.
func (z *sizes) box(p int) textBox {
	if t, ok := z.boxes[p]; ok {
		return t
	}
	n, room := z.b.node(p), mostWidth-2*boxPad-signRoom
	t := textBox{h: smallHeight, full: full(n)}
	t.title = cut(n.Display(), room, nameWidth)
	if m := z.b.module[p]; m != nil {
		t.full, t.title, t.name = true, m.title(room), fmt.Sprintf("%d layers", m.last-m.first+1)
	} else if name := n.Component.Name; !strings.EqualFold(name, n.Display()) && !strings.EqualFold(name, n.TypeName()) {
		t.name = name
	}
	t.name = tail(t.name)
	if t.full {
		t.h = fullHeight
		if z.b.params(p) > 0 {
			t.count = format.Short64(z.b.params(p))
		}
		most := mostWidth - 2*boxPad - monoOf(t.count+"  ")
		t.name = cut(t.name, most, monoOf)
		t.w = max(nameWidth(t.title)+signRoom, monoOf(t.name+"  "+t.count))
	} else {
		if t.name = cut(t.name, room-8-smallWidth(t.title), monoOf); t.name == "…" {
			t.name = ""
		}
		t.w = smallWidth(t.title) + 8 + monoOf(t.name) + signRoom
	}
	t.w = max(minWidth, min(mostWidth, t.w+2*boxPad))
	t.w += t.w % 2
	z.boxes[p] = t
	return t
}

// tail is the end of a long path, which says more than its beginning.
func tail(name string) string {
	const long = 24
	if len(name) <= long {
		return name
	}
	if at := strings.IndexByte(name[len(name)-long:], '.'); at >= 0 {
		return "…" + name[len(name)-long+at+1:]
	}
	return name
}

func nameWidth(s string) int  { return widthOf(s, nameSize) }
func smallWidth(s string) int { return widthOf(s, smallSize) }

// full reports whether a layer gets a box of two lines: one that learns, or may.
func full(n *infer.Node) bool {
	if n.Type == nil || n.Params > 0 && n.Type.Part != layer.Norm {
		return true
	}
	switch n.Type.Part {
	case layer.Embedding, layer.AttnPart, layer.FeedFwd, layer.Convolution, layer.Recurrent, layer.Linear:
		return true
	}
	return false
}

// params is what all layers that a box stands for add to the total.
func (b *builder) params(p int) int64 { return b.sums[p] }

// shape is the shape of what a layer yields, as the lines from it show it.
func (z *sizes) shape(p int) string {
	n := z.b.node(p)
	if m := z.b.module[p]; m != nil {
		n = z.b.node(m.last)
	}
	if n.Type != nil && n.Type.Side || n.Out() == nil {
		return ""
	}
	if len(n.Out()) == 0 {
		return "scalar"
	}
	return cut(strings.ReplaceAll(n.Out().String(), " ", ""), mostWidth, monoOf)
}

// title is what stands at the head of a frame.
func (z *sizes) title(it *item) (times, name string) {
	times = fmt.Sprintf("×%d", it.run.Count)
	return times, cut(z.b.m.Block(it.run), mostWidth-40, smallWidth)
}

// frame measures a frame. Its x is its left border.
func (z *sizes) frame(it *item) {
	times, name := z.title(it)
	it.head = border + nameWidth(times) + 8 + smallWidth(name) + 8
	shift := it.inner.shift()
	for _, in := range it.inner.items {
		if in.kind == entry {
			it.ports[in.source] = port{dx: border + shift + in.x}
		}
	}
	it.width = max(it.head, it.inner.w+shift+2*border)
	it.l, it.r, it.h = 0, it.width, headHeight+it.inner.h+border
	for _, e := range it.outs {
		it.r = max(it.r, it.leaves(e.source)+labelAside+monoOf(z.shape(e.source)))
	}
}
