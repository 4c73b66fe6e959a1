package draw

import (
	"slices"

	"github.com/strata-catalog/strata/generator/infer"
	"github.com/strata-catalog/strata/generator/layer"
)

// A scope is a part of the picture that is laid out by itself: the model, or
// one instance of what repeats.
type scope struct {
	parent *item   // the frame that it fills, nil for the model
	items  []*item // each behind all that it takes, but for lines that go up
	edges  []*edge
	passes map[int]bool // sources whose lines pass by rows, to enter at a side
	rows   [][]*item
	w, h   int

	lines []Line
	turns []turn // from column to column
}

// A kind says what an item is.
type kind uint8

const (
	stack kind = iota // boxes one upon the other
	frame             // what repeats
	entry             // where a line enters a frame
	exit              // where it leaves one
	point             // where a line passes a row
)

// An item is what has a place in a row.
type item struct {
	kind   kind
	in     *scope // where it stands
	boxes  []int  // of a stack: positions of its layers in the order of the model
	beside int    // position of the side input that stands at its left, -1 for none
	run    infer.Run
	inner  *scope // of a frame
	source int    // of entries, exits and points: the position of what the line comes from

	ins, outs []*edge
	row, col  int
	up        bool // a point of a line that goes up
	side      bool // a side input, or a line of one

	ports map[int]port // where the line of each source enters
	// What it takes to the left and right of its x, and down.
	l, r, h int
	width   int // of the boxes of a stack, and of a frame
	head    int // width of the title of a frame
	chain   int
	offset  int // from the chain
	x, y    int
}

// A port is where a line enters an item: dx beside its x. One at the side is dy
// below its top.
type port struct {
	dx, dy int
	side   int // -1 left, 1 right, 0: at the top
}

// An edge is a line from one item of a scope to another.
type edge struct {
	from, to *item
	source   int  // position of the layer whose result it is
	context  bool // a second sequence, as the decoder takes the encoder's
	aside    bool // enters at the side
}

// builder makes the scopes of a model.
type builder struct {
	m      *infer.Model
	pos    []int         // position of each node
	shown  []int         // for each position, the one that is drawn for it
	times  []int         // how many positions each one that is drawn stands for
	sums   []int64       // and what those add to the parameters
	aside  map[int]bool  // those that are side inputs: positions, masks
	users  map[int]int   // how many others take the result of a position that is drawn
	at     map[int]*item // by position
	joined map[joint]*edge
	module map[int]*module // by the position of their first layer
	sizes  *sizes
}

type joint struct {
	from, to *item
	source   int
}

// positions says what is drawn, and for which layers. It returns the runs that
// are framed, and how many boxes there are.
func (b *builder) positions(runs []infer.Run) (framed []infer.Run, drawn int) {
	m := b.m
	n := len(m.Order)
	b.pos, b.shown, b.times = make([]int, len(m.Nodes)), make([]int, n), make([]int, n)
	for p, i := range m.Order {
		b.pos[i] = p
	}
	framed = b.modules(runs)
	b.sums = make([]int64, n)
	for p, shown := range b.shown {
		b.times[shown]++
		b.sums[shown] += b.node(p).Params
	}
	return framed, b.drawn()
}

// fold makes the scopes.
func (b *builder) fold(runs []infer.Run) *scope {
	m, n := b.m, len(b.m.Order)
	b.users, b.aside = map[int]int{}, map[int]bool{}
	ins := make([][]int, n)
	for p, i := range m.Order {
		if !b.drawnAt(p) {
			continue
		}
		node, at := &m.Nodes[i], b.shown[p]
		for _, k := range node.Result.Masks {
			b.side(b.shown[b.pos[node.Operands[k]]])
		}
		for _, in := range node.Inputs {
			q := b.shown[b.pos[in]]
			if node := b.node(q); node.Type != nil && node.Type.Side {
				b.side(q)
			}
			if q < at && !slices.Contains(ins[at], q) {
				ins[at] = append(ins[at], q)
				b.users[q]++
			}
		}
	}
	// What is taken by a later instance alone leaves its frame, too.
	for p, i := range m.Order {
		if b.drawnAt(p) {
			continue
		}
		for _, in := range m.Nodes[i].Inputs {
			if q := b.shown[b.pos[in]]; !slices.Contains(ins[b.shown[p]], q) {
				b.users[q]++
			}
		}
	}
	b.at, b.joined = map[int]*item{}, map[joint]*edge{}
	s := b.scope(nil, 0, n, runs, ins)
	for p := range n {
		for _, q := range ins[p] {
			b.connect(q, p)
		}
	}
	return s
}

// side says that what a layer yields is a side input. A module yields more.
func (b *builder) side(p int) {
	if b.module[p] == nil {
		b.aside[p] = true
	}
}

// show says which position is drawn for those from one to another.
func (b *builder) show(from, to int, runs []infer.Run) {
	for _, r := range runs {
		for ; from < r.Start; from++ {
			b.shown[from] = from
		}
		b.show(r.Start, r.Start+r.Period, r.Children)
		for p := r.Start + r.Period; p < r.End(); p++ {
			b.shown[p] = b.shown[p-r.Period]
		}
		from = r.End()
	}
	for ; from < to; from++ {
		b.shown[from] = from
	}
}

// scope makes the items of the positions from one to another.
func (b *builder) scope(parent *item, from, to int, runs []infer.Run, ins [][]int) *scope {
	s := &scope{parent: parent, passes: map[int]bool{}}
	single := func(end int) {
		for ; from < end; from++ {
			if b.shown[from] == from {
				b.layer(s, from, ins[from])
			}
		}
	}
	for _, r := range runs {
		single(r.Start)
		f := &item{kind: frame, in: s, run: r, beside: -1}
		s.items = append(s.items, f)
		f.inner = b.scope(f, r.Start, r.Start+r.Period, r.Children, ins)
		from = r.End()
	}
	single(to)
	return s
}

// layer adds a layer to a scope: upon the layer that it follows, where it
// belongs to that, or as an item of its own.
func (b *builder) layer(s *scope, p int, ins []int) {
	if len(ins) == 1 && b.users[ins[0]] == 1 {
		if on := b.at[ins[0]]; on != nil && on.in == s && on.boxes[len(on.boxes)-1] == ins[0] && b.follows(ins[0], p) {
			on.boxes = append(on.boxes, p)
			b.at[p] = on
			return
		}
	}
	it := &item{kind: stack, in: s, boxes: []int{p}, beside: -1, side: b.aside[p]}
	s.items = append(s.items, it)
	b.at[p] = it
	for _, q := range ins {
		side := b.at[q]
		if b.aside[q] && b.users[q] == 1 && side.in == s && len(side.ins) == 0 && len(b.node(q).Inputs) == 0 && it.beside < 0 {
			it.beside = q
			s.items = slices.DeleteFunc(s.items, func(x *item) bool { return x == side })
			b.at[q] = it
		}
	}
}

func (b *builder) node(p int) *infer.Node { return &b.m.Nodes[b.m.Order[p]] }

// mostStacked is how many layers stand one upon the other.
const mostStacked = 5

// follows reports whether a layer is so small a step after another that it
// stands upon it: a norm or an activation that leaves the shape as it is.
func (b *builder) follows(q, p int) bool {
	if b.module[q] != nil || b.module[p] != nil {
		return false
	}
	on, n := b.node(q), b.node(p)
	if n.Type == nil || on.Type == nil || on.Type.Side || on.Type.Part == layer.Ends || len(b.at[q].boxes) == mostStacked {
		return false
	}
	small := n.Type.Part == layer.Norm || n.Type.Part == layer.Activation || n.Type.Name == "dropout"
	return small && n.Out() != nil && n.Out().Equal(on.Out())
}

// connect draws the result of the layer at q to the layer at p, through the
// borders of the frames between them.
func (b *builder) connect(q, p int) {
	from, to := b.at[q], b.at[p]
	if from == to {
		return
	}
	context := b.context(q, p)
	var down []*item // the frames around p, innermost first
	for s := to.in; s.parent != nil; s = s.parent.in {
		down = append(down, s.parent)
	}
	inside := func(s *scope) int { // how many frames around p are not around s
		for k := range len(down) + 1 {
			if k == len(down) && s.parent == nil || k < len(down) && s == down[k].inner {
				return k
			}
		}
		return -1
	}
	for inside(from.in) < 0 {
		s := from.in
		b.join(from, s.port(exit, q, b.aside[q]), q, context)
		from = s.parent
	}
	for k := inside(from.in) - 1; k >= 0; k-- {
		b.join(from, down[k], q, context)
		from = down[k].inner.port(entry, q, b.aside[q])
	}
	b.join(from, to, q, context)
}

// port is where the line of a source enters or leaves a scope.
func (s *scope) port(k kind, source int, side bool) *item {
	for _, it := range s.items {
		if it.kind == k && it.source == source {
			return it
		}
	}
	it := &item{kind: k, in: s, source: source, beside: -1, side: side}
	if k == entry {
		s.items = append([]*item{it}, s.items...)
	} else {
		s.items = append(s.items, it)
	}
	return it
}

func (b *builder) join(from, to *item, source int, context bool) {
	key := joint{from, to, source}
	if e := b.joined[key]; e != nil {
		e.context = e.context && context
		return
	}
	e := &edge{from: from, to: to, source: source, context: context}
	b.joined[key] = e
	from.in.edges = append(from.in.edges, e)
	from.outs, to.ins = append(from.outs, e), append(to.ins, e)
}

// context reports whether the layer at p takes the result of that at q as a
// second sequence.
func (b *builder) context(q, p int) bool {
	n := b.node(p)
	if b.module[p] != nil || n.Type == nil || !n.Type.Ports.Context && !n.CrossAttends() {
		return false
	}
	for k, in := range n.Operands {
		if b.shown[b.pos[in]] == q {
			return k > 0
		}
	}
	return false
}

// each does something for every scope, from the innermost on.
func (s *scope) each(do func(*scope)) {
	for _, it := range s.items {
		if it.kind == frame {
			it.inner.each(do)
		}
	}
	do(s)
}
