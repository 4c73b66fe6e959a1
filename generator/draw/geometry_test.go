package draw

import (
	"fmt"
	"path/filepath"
	"testing"
)

// graphs are all templates, and the public graphs of the tests where those are
// at hand.
func graphs(t *testing.T) (files []string) {
	t.Helper()
	for _, pattern := range []string{"../../templates/*/model.json", "../../../shared/zoo/*/model.json"} {
		list, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, list...)
	}
	return files
}

// TestGeometry: no picture has what nobody wants to see.
func TestGeometry(t *testing.T) {
	files := graphs(t)
	if len(files) < 100 {
		t.Fatalf("%d graphs; the templates are not where they should be", len(files))
	}
	for _, file := range files {
		p := New(read(t, file).Model)
		if p == nil {
			t.Errorf("%s: no picture", file)
			continue
		}
		for k, what := range faults(p) {
			if k > 5 {
				break
			}
			t.Errorf("%s: %s", file, what)
		}
	}
}

// faults are what nobody wants to see in a picture.
func faults(p *Picture) (list []string) {
	add := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	whole := Rect{0, 0, p.W, p.H}
	for i, a := range p.Boxes {
		if !within(a.Rect, whole) {
			add("box %s leaves the picture", a.ID)
		}
		for _, b := range p.Boxes[:i] {
			if overlap(a.Rect, b.Rect) {
				add("boxes %s and %s overlap", a.ID, b.ID)
			}
		}
	}
	for i, a := range p.Shapes {
		if !within(a.Rect, whole) {
			add("label %s leaves the picture", a.Text)
		}
		for _, b := range p.Boxes {
			if overlap(a.Rect, b.Rect) {
				add("label %s overlaps box %s", a.Text, b.ID)
			}
		}
		for _, b := range p.Shapes[:i] {
			if overlap(a.Rect, b.Rect) {
				add("labels %s and %s overlap", a.Text, b.Text)
			}
		}
		for _, f := range p.Frames {
			title := Rect{f.X, f.Y, f.W, headHeight}
			if overlap(a.Rect, title) {
				add("label %s overlaps the title of a frame", a.Text)
			}
			if overlap(a.Rect, f.Rect) && !within(a.Rect, f.Rect) {
				add("label %s lies across the border of frame %d", a.Text, f.Start)
			}
		}
	}
	for i, f := range p.Frames {
		for _, b := range p.Boxes {
			inside := f.Start <= b.At && b.At < f.Start+f.Period
			if inside != within(b.Rect, f.Rect) || !inside && overlap(b.Rect, f.Rect) {
				add("box %s and the frame at %d", b.ID, f.Start)
			}
		}
		for _, g := range p.Frames[:i] {
			if overlap(f.Rect, g.Rect) && !within(f.Rect, g.Rect) && !within(g.Rect, f.Rect) {
				add("frames at %d and %d overlap", f.Start, g.Start)
			}
		}
	}
	list = append(list, loose(p)...)
	for _, l := range p.Lines {
		for k := 1; k < len(l.Points); k++ {
			a, b := l.Points[k-1], l.Points[k]
			if a.X != b.X && a.Y != b.Y {
				add("a line from %d is not at right angles", l.Source)
			}
			for _, box := range p.Boxes {
				if through(a, b, box.Rect) {
					add("a line from %d runs through box %s", l.Source, box.ID)
				}
			}
			for _, s := range p.Shapes {
				if through(a, b, s.Rect) {
					add("a line from %d runs through label %s", l.Source, s.Text)
				}
			}
		}
	}
	return list
}

func overlap(a, b Rect) bool {
	return a.X < b.X+b.W && b.X < a.X+a.W && a.Y < b.Y+b.H && b.Y < a.Y+a.H
}

func within(a, b Rect) bool {
	return a.X >= b.X && a.Y >= b.Y && a.X+a.W <= b.X+b.W && a.Y+a.H <= b.Y+b.H
}

// through reports whether a line enters a box: touching its border is an end.
func through(a, b Point, r Rect) bool {
	return max(a.X, b.X) > r.X && min(a.X, b.X) < r.X+r.W && max(a.Y, b.Y) > r.Y && min(a.Y, b.Y) < r.Y+r.H
}

// loose are lines that begin or end nowhere: a line begins at a box, at the
// border of a frame, or on another line, and ends so.
func loose(p *Picture) (list []string) {
	for i, l := range p.Lines {
		first, last := l.Points[0], l.Points[len(l.Points)-1]
		held := func(at Point) bool {
			for _, b := range p.Boxes {
				if on(at, b.Rect) {
					return true
				}
			}
			for k, o := range p.Lines {
				for n := 1; n < len(o.Points) && k != i && o.Source == l.Source; n++ {
					a, b := o.Points[n-1], o.Points[n]
					if within(Rect{at.X, at.Y, 0, 0}, Rect{min(a.X, b.X), min(a.Y, b.Y), max(a.X, b.X) - min(a.X, b.X), max(a.Y, b.Y) - min(a.Y, b.Y)}) {
						return true
					}
				}
			}
			return false
		}
		if !held(first) {
			list = append(list, fmt.Sprintf("a line from %d begins at %v, where nothing is", l.Source, first))
		}
		if !held(last) {
			list = append(list, fmt.Sprintf("a line from %d ends at %v, where nothing is", l.Source, last))
		}
	}
	return list
}

// on reports whether a point is on the border of a box.
func on(p Point, r Rect) bool {
	return within(Rect{p.X, p.Y, 0, 0}, r) && (p.X == r.X || p.X == r.X+r.W || p.Y == r.Y || p.Y == r.Y+r.H)
}

// The test finds what it is meant to find.
func TestFaults(t *testing.T) {
	good := func() *Picture {
		return &Picture{W: 300, H: 300,
			Boxes: []Box{{Rect: Rect{10, 10, 50, 20}, ID: "a"}, {Rect: Rect{10, 100, 50, 20}, At: 1, ID: "b"}},
			Lines: []Line{{Points: []Point{{35, 30}, {35, 100}}}}, Shapes: []Text{{Rect{40, 35, 30, 11}, "4"}}}
	}
	if list := faults(good()); len(list) > 0 {
		t.Errorf("nothing is wrong, but %v", list)
	}
	for name, spoil := range map[string]func(*Picture){
		"overlapping boxes":      func(p *Picture) { p.Boxes[1].Y = 25 },
		"a label on a box":       func(p *Picture) { p.Shapes[0].Y = 95 },
		"a label on a label":     func(p *Picture) { p.Shapes = append(p.Shapes, p.Shapes[0]) },
		"a line through a box":   func(p *Picture) { p.Lines[0].Points[1].Y = 110 },
		"a line through a label": func(p *Picture) { p.Shapes[0].X = 30 },
		"a crooked line":         func(p *Picture) { p.Lines[0].Points[1].X++ },
		"a loose line":           func(p *Picture) { p.Lines[0].Points[1].Y = 90 },
		"a box outside":          func(p *Picture) { p.W = 50 },
		"a frame across a box":   func(p *Picture) { p.Frames = []Frame{{Rect: Rect{5, 5, 40, 40}, Period: 1}} },
	} {
		p := good()
		spoil(p)
		if len(faults(p)) == 0 {
			t.Errorf("%s: not found", name)
		}
	}
}
