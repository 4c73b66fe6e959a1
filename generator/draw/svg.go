package draw

import (
	"fmt"
	"html"
	"slices"
	"strconv"
	"strings"

	"github.com/strata-catalog/strata/generator/format"
	"github.com/strata-catalog/strata/generator/layer"
)

// Options say how a picture is written.
type Options struct {
	ID    string // begins the ids of the picture, which stand once on a page
	Title string
	Desc  string // "" takes that of the picture
	Style string // a style sheet to stand in the file, for one on its own
	// Link is the address of the layer at a position, "" for none.
	Link func(at int) string
}

// A Mark tells the box of a layer from others, by its outline and its sign.
type Mark struct {
	At    int // position of the layer, one that has a box
	Row   int // number of the row that says what it became
	Class string
	Sign  string
	Word  string
}

// margin is around a picture.
const margin = 8

// SVG writes the picture.
func (p *Picture) SVG(o Options) []byte {
	w := &writer{Picture: p, Options: o}
	w.b = make([]byte, 0, 512*len(p.Boxes)+4096)
	legend := w.open()
	if o.Style != "" {
		w.raw("<style>", strings.ReplaceAll(o.Style, "<", ""), "</style>")
	}
	legend.write(w, margin, margin)
	w.shift(legend)
	w.frames()
	w.lines()
	w.raw(`<g class="shapes" fill="#666">`)
	for _, t := range p.Shapes {
		w.label("", t.X, t.Y+9, t.Text)
	}
	w.raw("</g>")
	w.raw(`<g fill="#222">`)
	for k := range p.Boxes {
		w.box(&p.Boxes[k])
	}
	w.raw("</g></g></svg>")
	return w.b
}

// open begins the picture, of the size that it has with its legend.
func (w *writer) open() *legend {
	legend := w.legend()
	width, height := max(w.W, legend.w)+2*margin, legend.h+w.H+3*margin
	w.raw(`<svg xmlns="http://www.w3.org/2000/svg" class="diagram" role="group" aria-labelledby="`, w.ID, `-title" aria-describedby="`, w.ID, `-desc"`)
	w.attr("width", width)
	w.attr("height", height)
	w.raw(` viewBox="0 0 `)
	w.ints(width, height)
	w.raw(`" fill="none" stroke="none" font-size="11" font-family="sans-serif"><title id="`, w.ID, `-title">`)
	w.text(w.Title)
	w.raw(`</title><desc id="`, w.ID, `-desc">`)
	if w.Desc == "" {
		w.Desc = w.about()
	}
	w.text(w.Desc)
	w.raw("</desc>")
	return legend
}

// shift begins the group of what stands under the legend, in the middle.
func (w *writer) shift(l *legend) {
	w.raw(`<g transform="translate(`)
	w.ints(margin+max(0, l.w-w.W)/2, l.h+2*margin)
	w.raw(`)">`)
}

// Marked writes marks upon the picture that is the file at an address.
func (p *Picture) Marked(o Options, file string, marks []Mark) []byte {
	w := &writer{Picture: p, Options: o}
	w.b = make([]byte, 0, 512*len(marks)+2048)
	legend := w.open()
	w.raw(`<image href="`, html.EscapeString(file), `"`)
	w.attr("width", max(w.W, legend.w)+2*margin)
	w.attr("height", legend.h+w.H+3*margin)
	w.raw("/>")
	w.shift(legend)
	at := make(map[int]*Box, len(p.Boxes))
	for k := range p.Boxes {
		at[p.Boxes[k].At] = &p.Boxes[k]
	}
	for _, m := range marks {
		x := at[m.At]
		w.raw(`<a class="mark `, m.Class, `" href="`, html.EscapeString(w.Link(m.Row)), `"><title>`)
		w.text(m.Word + ": " + x.about(p.Total))
		w.raw("</title>")
		w.rect("", Rect{x.X - 1, x.Y - 1, x.W + 2, x.H + 2}, 6)
		w.label("sign", x.X+x.W-boxPad+4, x.Y+16, m.Sign)
		w.raw("</a>")
	}
	w.raw("</g></svg>")
	return w.b
}

// writer appends SVG.
type writer struct {
	*Picture
	Options
	b []byte
}

func (w *writer) raw(s ...string) {
	for _, x := range s {
		w.b = append(w.b, x...)
	}
}

func (w *writer) text(s string) { w.raw(html.EscapeString(s)) }

func (w *writer) ints(list ...int) {
	for k, n := range list {
		if k > 0 {
			w.raw(" ")
		}
		w.b = strconv.AppendInt(w.b, int64(n), 10)
	}
}

// attr writes an attribute that is a number.
func (w *writer) attr(name string, n int) {
	w.raw(" ", name, `="`)
	w.ints(n)
	w.raw(`"`)
}

func (w *writer) rect(class string, r Rect, radius int) {
	w.raw("<rect")
	if class != "" {
		w.raw(` class="`, class, `"`)
	}
	if r.X != 0 {
		w.attr("x", r.X)
	}
	if r.Y != 0 {
		w.attr("y", r.Y)
	}
	w.attr("width", r.W)
	w.attr("height", r.H)
	if class != "share" {
		w.raw(` fill="#fff" stroke="#777"`) // where there is no style sheet
	}
	if radius > 0 {
		w.attr("rx", radius)
	}
	w.raw("/>")
}

func (w *writer) label(class string, x, y int, text string) {
	w.raw("<text")
	if class != "" {
		w.raw(` class="`, class, `"`)
	}
	w.attr("x", x)
	w.attr("y", y)
	w.raw(">")
	w.text(text)
	w.raw("</text>")
}

func (w *writer) frames() {
	for _, f := range w.Frames {
		w.raw(`<g class="frame" data-run="`)
		w.ints(f.Start+1, f.Period, f.Count)
		w.raw(`" fill="#222">`)
		w.rect("", f.Rect, 8)
		for _, l := range f.Titles() {
			w.label(l.Class, l.X, l.Y, l.Text)
		}
		w.raw("</g>")
	}
}

// lines writes all lines of a kind as one path, and the heads of arrows as another.
func (w *writer) lines() {
	var flow, bypass, side, heads []byte
	for _, l := range w.Lines {
		to := &flow
		switch {
		case l.Side:
			to = &side
		case l.Bypass:
			to = &bypass
		}
		*to = path(*to, l.Points)
		if l.Arrow {
			heads = arrow(heads, l.Points)
		}
	}
	for _, x := range []struct {
		class string
		d     []byte
	}{{"flow", flow}, {"bypass", bypass}, {"side", side}} {
		if len(x.d) > 0 {
			w.raw(`<path class="`, x.class, `" stroke="#777" d="`, string(x.d), `"/>`)
		}
	}
	if len(heads) > 0 {
		w.raw(`<path class="heads" fill="#777" d="`, string(heads), `"/>`)
	}
}

// bend is the radius of a turn.
const bend = 6

// path appends a line with round turns.
func path(d []byte, points []Point) []byte {
	at := points[0]
	d = fmt.Appendf(d, "M%d %d", at.X, at.Y)
	for k := 1; k < len(points)-1; k++ {
		a, p, b := points[k-1], points[k], points[k+1]
		r := min(bend, far(a, p)/2, far(p, b)/2)
		if k == 1 {
			r = min(bend, far(a, p), far(p, b)/2)
		}
		if r == 0 {
			continue
		}
		turn, q := toward(p, a, r), toward(p, b, r)
		d = step(d, at, turn)
		d = fmt.Appendf(d, "q%d %d %d %d", p.X-turn.X, p.Y-turn.Y, q.X-turn.X, q.Y-turn.Y)
		at = q
	}
	return step(d, at, points[len(points)-1])
}

// step appends a straight line. Steps are relative, and so mostly the same few,
// which compresses well.
func step(d []byte, from, to Point) []byte {
	switch {
	case from == to:
		return d
	case from.X == to.X:
		return fmt.Appendf(d, "v%d", to.Y-from.Y)
	}
	return fmt.Appendf(d, "h%d", to.X-from.X)
}

func far(a, b Point) int { return max(a.X-b.X, b.X-a.X) + max(a.Y-b.Y, b.Y-a.Y) }

// toward is the point at a distance from one on the way to another.
func toward(from, to Point, distance int) Point {
	sign := func(n int) int { return max(-1, min(1, n)) }
	return Point{from.X + sign(to.X-from.X)*distance, from.Y + sign(to.Y-from.Y)*distance}
}

// arrow appends the head of an arrow at the end of a line.
func arrow(d []byte, points []Point) []byte {
	p, from := points[len(points)-1], points[len(points)-2]
	switch {
	case from.Y < p.Y:
		return fmt.Appendf(d, "M%d %dh8l-4 7z", p.X-4, p.Y-7)
	case from.X < p.X:
		return fmt.Appendf(d, "M%d %dv8l7-4z", p.X-7, p.Y-4)
	}
	return fmt.Appendf(d, "M%d %dv8l-7-4z", p.X+7, p.Y-4)
}

func (w *writer) box(x *Box) {
	link := ""
	if w.Link != nil {
		link = w.Link(x.At)
	}
	tag := "g"
	if link != "" {
		tag = "a"
	}
	w.raw("<", tag, ` class="part-`, string(x.Part), `"`)
	if link != "" {
		w.raw(` href="`, html.EscapeString(link), `"`)
	}
	if x.Last > x.At {
		w.attr("data-last", x.Last+1)
	}
	w.raw(` transform="translate(`)
	w.ints(x.X, x.Y)
	w.raw(`)"><title>`)
	w.text(x.about(w.Total))
	w.raw("</title>")
	w.rect("", Rect{0, 0, x.W, x.H}, 5)
	for _, l := range x.Labels() {
		w.label(l.Class, l.X, l.Y, l.Text)
	}
	if r, ok := x.Share(w.Total); ok {
		w.rect("share", r, 0)
	}
	w.raw("</", tag, ">")
}

// A Label is a text in a box, from the upper left corner of the box to where
// the text begins, or ends, on its foot line.
type Label struct {
	Class string // type, name or count, and small
	X, Y  int
	Text  string
}

// Labels are the texts of a box. A count ends at its place, others begin there.
func (x *Box) Labels() (list []Label) {
	add := func(class string, at, y int, text string) {
		if text != "" {
			list = append(list, Label{class, at, y, text})
		}
	}
	if !x.Full {
		add("type small", boxPad, 16, x.Title)
		add("name", boxPad+smallWidth(x.Title)+8, 16, x.Name)
		return list
	}
	add("type", boxPad, 17, x.Title)
	add("name", boxPad, 32, x.Name)
	add("count", x.W-boxPad, 32, x.Count)
	return list
}

// Share is the bar at the foot of a box that shows what part of all parameters
// it has; false for a box without one.
func (x *Box) Share(total int64) (Rect, bool) {
	if x.Params == 0 || total == 0 || !x.Full {
		return Rect{}, false
	}
	long := max(1, int(float64(x.W-2*boxPad)*float64(x.Params)/float64(total)))
	return Rect{boxPad, x.H - 5, long, 3}, true
}

// Titles are the texts at the head of a frame, from the upper left corner of
// the picture.
func (f *Frame) Titles() []Label {
	x, y := f.X+border, f.Y+16
	list := []Label{{"times", x, y, f.Times}}
	if f.Name != "" {
		list = append(list, Label{"block", x + nameWidth(f.Times) + 8, y, f.Name})
	}
	return list
}

// about is a box in words.
func (x *Box) about(total int64) string {
	s := x.Type
	if x.ID != "" {
		s += " " + x.ID
	}
	if x.Times > 1 {
		s += fmt.Sprintf(", for %s layers", format.Exact64(int64(x.Times)))
	}
	if x.Params > 0 {
		s += fmt.Sprintf(": %s parameters, %s", format.Exact64(x.Params), format.Share(x.Params, total))
	}
	return s
}

// about is the picture in words.
func (p *Picture) about() string {
	layers := 0
	for _, x := range p.Boxes {
		layers += x.Times
	}
	s := ""
	if slices.ContainsFunc(p.Boxes, func(x Box) bool { return x.Last > x.At }) {
		s = "Modules of several layers are one box each. "
	}
	s += fmt.Sprintf("%s boxes for %s components, from the inputs at the top to the outputs at the bottom.", format.Exact64(int64(len(p.Boxes))), format.Exact64(int64(layers)))
	for _, f := range p.Frames {
		var types []string
		for _, x := range p.Boxes {
			if f.Start <= x.At && x.At < f.Start+f.Period {
				types = append(types, x.Type)
			}
		}
		if len(types) > 8 {
			types = append(types[:7], "…")
		}
		name := f.Name
		if name != "" {
			name = " " + name
		}
		s += fmt.Sprintf(" %d times%s: %s.", f.Count, name, strings.Join(types, ", "))
	}
	return s
}

// A legend tells what colours, lines and marks there are.
type legend struct {
	w, h  int
	items []legendItem
}

type legendItem struct {
	x, y        int
	class, text string
	line        bool
}

const (
	legendWidth = 560
	legendRow   = 20
)

func (w *writer) legend() *legend {
	l := &legend{}
	for _, part := range w.Parts {
		l.items = append(l.items, legendItem{class: "part-" + string(part), text: partName(part)})
	}
	has := func(of func(Line) bool) bool {
		for _, x := range w.Lines {
			if of(x) {
				return true
			}
		}
		return false
	}
	if has(func(x Line) bool { return x.Bypass && !x.Side }) {
		l.items = append(l.items, legendItem{class: "bypass", text: "passes layers by", line: true})
	}
	if has(func(x Line) bool { return x.Side }) {
		l.items = append(l.items, legendItem{class: "side", text: "side input", line: true})
	}
	if w.Total > 0 {
		l.items = append(l.items, legendItem{class: "share", text: "share of the parameters", line: true})
	}
	x, y := 0, 0
	wide := max(legendWidth, min(w.W, 2*legendWidth))
	for k := range l.items {
		it := &l.items[k]
		need := 22 + smallWidth(it.text) + 14
		if x > 0 && x+need > wide {
			x, y = 0, y+legendRow
		}
		it.x, it.y = x, y
		x += need
		l.w = max(l.w, x)
	}
	l.h = y + legendRow
	return l
}

// partName is a kind of layers as readers know it.
func partName(p layer.Part) string {
	if p == layer.Ends {
		return "input, output"
	}
	return string(p)
}

func (l *legend) write(w *writer, x, y int) {
	w.raw(`<g class="key" fill="#222" aria-hidden="true">`)
	for _, it := range l.items {
		at := Rect{x + it.x, y + it.y, 15, 13}
		switch {
		case it.class == "share":
			w.rect("share", Rect{at.X, at.Y + 5, at.W, 3}, 0)
		case it.line:
			w.raw(`<path class="`, it.class, `" stroke="#777" d="M`)
			w.ints(at.X, at.Y+6)
			w.raw("h")
			w.ints(at.W)
			w.raw(`"/>`)
		default:
			w.raw(`<g class="`, it.class, `">`)
			w.rect("", at, 3)
			w.raw("</g>")
		}
		w.label("", at.X+22, at.Y+11, it.text)
	}
	w.raw("</g>")
}
