package render

import (
	"encoding/xml"
	"io"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/strata-catalog/strata/generator/layer"
	"github.com/strata-catalog/strata/generator/page"
)

// TestPlot: dots and bars stand where their numbers put them, within the
// picture, and names that look like markup stay text.
func TestPlot(t *testing.T) {
	scatter := &page.Plot{
		ID: "p", Title: "A & B", Text: "<b>", Names: []string{"one"},
		X:    page.Axis{Label: "x<y", Marks: []page.Mark{{At: 0, Text: "1"}, {At: 1, Text: "10"}}},
		Y:    page.Axis{Label: "y", Marks: []page.Mark{{At: 0.5, Text: "3"}}},
		Dots: []page.Dot{{Row: 3, X: 0, Y: 0}, {Row: 5, X: 1, Y: 1}, {Row: 7, Series: 2, X: 0.5, Y: 0.5}},
	}
	var dots [][2]float64
	for _, e := range elements(t, string(plot(scatter))) {
		if e.name == "circle" {
			dots = append(dots, [2]float64{e.number(t, "cx"), e.number(t, "cy")})
		}
	}
	want := [][2]float64{{plotLeft, plotBottom}, {plotRight, plotTop}, {(plotLeft + plotRight) / 2., (plotBottom + plotTop) / 2.}}
	if len(dots) != len(want) || dots[0] != want[0] || dots[1] != want[1] || dots[2] != want[2] {
		t.Errorf("dots at %v, want %v", dots, want)
	}
	for _, part := range []string{"A &amp; B", "&lt;b&gt;", "x&lt;y", `data-i="7"`, `class="s2"`} {
		if !strings.Contains(string(plot(scatter)), part) {
			t.Errorf("the plot lacks %s: %s", part, plot(scatter))
		}
	}

	bars := &page.Plot{
		ID: "q", Parts: []layer.Part{layer.AttnPart, layer.FeedFwd, layer.Other},
		Bars: []page.Bar{{Text: "a", Pieces: []float64{0.25, 0.75, 0}}, {Text: "b", Pieces: []float64{0, 0, 1}}},
	}
	var height float64
	right := map[string]float64{} // end of each bar, by its place
	for _, e := range elements(t, string(plot(bars))) {
		switch e.name {
		case "svg":
			height, _ = strconv.ParseFloat(strings.Fields(e.attrs["viewBox"])[3], 64)
		case "rect":
			y := e.attrs["y"]
			if at := e.number(t, "x"); right[y] != 0 && math.Abs(at-right[y]) > 0.1 {
				t.Errorf("a piece begins at %v, and the one before ends at %v", at, right[y])
			}
			right[y] = e.number(t, "x") + e.number(t, "width")
			if bottom := e.number(t, "y") + e.number(t, "height"); bottom > height {
				t.Errorf("a bar ends at %v of %v", bottom, height)
			}
		}
	}
	for y, end := range right {
		if math.Abs(end-plotRight) > 0.1 {
			t.Errorf("the bar at %s ends at %v, want %d", y, end, plotRight)
		}
	}
	if len(right) != 2 {
		t.Errorf("%d bars, want 2", len(right))
	}
}

type element struct {
	name  string
	attrs map[string]string
}

func (e element) number(t *testing.T, name string) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(e.attrs[name], 64)
	if err != nil {
		t.Fatalf("%s of a %s: %v", name, e.name, err)
	}
	return x
}

// elements reads a picture, which must be well-formed.
func elements(t *testing.T, src string) (list []element) {
	t.Helper()
	for d := xml.NewDecoder(strings.NewReader(src)); ; {
		token, err := d.Token()
		if err == io.EOF {
			return list
		}
		if err != nil {
			t.Fatalf("%v in %s", err, src)
		}
		if start, ok := token.(xml.StartElement); ok {
			e := element{start.Name.Local, map[string]string{}}
			for _, a := range start.Attr {
				e.attrs[a.Name.Local] = a.Value
			}
			list = append(list, e)
		}
	}
}
