package draw

import (
	"encoding/xml"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/strata-catalog/strata/generator/pipeline"
)

var update = flag.Bool("update", false, "write the golden files")

func analyse(t testing.TB, name string, src []byte) *pipeline.Report {
	t.Helper()
	r, err := pipeline.Run(name, src)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func read(t testing.TB, file string) *pipeline.Report {
	t.Helper()
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return analyse(t, file, src)
}

func options(name string) Options {
	return Options{ID: "d", Title: name, Link: func(at int) string { return fmt.Sprintf("#row-%d", at+1) }}
}

// The pictures of a few small graphs.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no graphs: %v", err)
	}
	for _, file := range files {
		p := New(read(t, file).Model)
		for _, what := range faults(p) {
			t.Errorf("%s: %s", file, what)
		}
		svg := p.SVG(options(filepath.Base(file)))
		if err := xml.Unmarshal(svg, new(struct{})); err != nil {
			t.Errorf("%s: %v", file, err)
		}
		got := strings.ReplaceAll(string(svg), "><", ">\n<") + "\n"
		golden := strings.TrimSuffix(file, ".json") + ".svg"
		if *update {
			if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatalf("%v; run go test ./generator/draw -update", err)
		}
		if diff := cmp.Diff(string(want), got); diff != "" {
			t.Errorf("%s (-want +got; go test ./generator/draw -update writes it anew):\n%s", golden, diff)
		}
	}
}

func box(t *testing.T, p *Picture, id string) Rect {
	t.Helper()
	for _, b := range p.Boxes {
		if b.ID == id {
			return b.Rect
		}
	}
	t.Fatalf("no box %s", id)
	return Rect{}
}

// A repeat is drawn once, within a frame; side inputs stand at the left, and
// what passes layers by at their right.
func TestDecoder(t *testing.T) {
	p := New(read(t, "testdata/decoder.json").Model)
	if len(p.Frames) != 1 || p.Frames[0].Count != 6 || p.Frames[0].Times != "×6" || p.Frames[0].Name != "layer" {
		t.Fatalf("frames %+v, want one, six times", p.Frames)
	}
	if len(p.Boxes) != 12 {
		t.Errorf("%d boxes, want 12", len(p.Boxes))
	}
	for _, b := range p.Boxes {
		if b.ID == "layers.0.mlp" && (b.Times != 6 || b.Params != 6*3*64*128) {
			t.Errorf("the box of layers.0.mlp stands for %d layers of %d parameters", b.Times, b.Params)
		}
	}
	attn, add := box(t, p, "layers.0.attn"), box(t, p, "layers.0.res1")
	sides, passing := 0, 0
	for _, l := range p.Lines {
		end := l.Points[len(l.Points)-1]
		if l.Side && end == (Point{attn.X, attn.Y + attn.H/2}) {
			sides++
		}
		if l.Bypass && end == (Point{add.X + add.W, add.Y + add.H/2}) {
			passing++
		}
	}
	if sides != 1 || passing != 1 {
		t.Errorf("%d lines enter attention at the left, %d the sum at the right; want one each", sides, passing)
	}
}

// An encoder stands beside its decoder, and one tower beside the other.
func TestBeside(t *testing.T) {
	p := New(read(t, "testdata/encoder-decoder.json").Model)
	if len(p.Frames) != 2 {
		t.Fatalf("%d frames, want 2", len(p.Frames))
	}
	a, b := p.Frames[0].Rect, p.Frames[1].Rect
	if a.X+a.W > b.X || a.Y >= b.Y+b.H || b.Y >= a.Y+a.H {
		t.Errorf("the encoder at %v is not beside the decoder at %v", a, b)
	}
	p = New(read(t, "testdata/towers.json").Model)
	q, i := box(t, p, "query"), box(t, p, "item")
	if q.Y != i.Y || q.X+q.W > i.X {
		t.Errorf("one tower begins at %v, the other at %v", q, i)
	}
}

// What cannot be drawn has no picture, and takes no time.
func TestDrawable(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"components": [{"id": "c0", "type": "input", "params": {"shape": [1, 4]}}`)
	for i := 1; i < 20_000; i++ {
		fmt.Fprintf(&b, `, {"id": "c%d", "type": "linear", "params": {"outFeatures": %d}, "inputs": ["c%d"]}`, i, i%997+1, i-1)
	}
	b.WriteString("]}")
	for name, src := range map[string]string{
		"too many":  b.String(),
		"no layers": `{"components": []}`,
		"faults":    `{"components": [{"id": "a", "type": "relu", "inputs": ["nothing"]}]}`,
	} {
		m := analyse(t, name, []byte(src)).Model
		if Drawable(m) || New(m) != nil {
			t.Errorf("%s: drawn", name)
		}
	}
}

// Marks stand on their boxes, in the same place as in the picture itself.
func TestMarked(t *testing.T) {
	p := New(read(t, "testdata/towers.json").Model)
	o := options("towers")
	o.Link = func(row int) string { return fmt.Sprintf("#r-%d", row) }
	svg := string(p.Marked(o, "../a/towers.svg", []Mark{{At: p.Boxes[0].At, Row: 7, Class: "removed", Sign: "−", Word: "removed"}}))
	for _, part := range []string{`<image href="../a/towers.svg"`, `<a class="mark removed" href="#r-7"><title>removed: Input query</title>`, ">−</text>"} {
		if !strings.Contains(svg, part) {
			t.Errorf("%s lacks %s", svg, part)
		}
	}
	size := func(svg string) string { return svg[strings.Index(svg, " width="):strings.Index(svg, " fill=")] }
	if a, b := size(svg), size(string(p.SVG(o))); a != b {
		t.Errorf("with marks the picture has the size %s, without %s", a, b)
	}
}

func BenchmarkNew(b *testing.B) {
	for _, name := range []string{"qwen3-8b", "resnet-50", "densenet-201"} {
		m := read(b, "../../templates/"+name+"/model.json").Model
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				New(m)
			}
		})
	}
}
