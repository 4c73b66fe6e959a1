package draw

import (
	"fmt"
	"strings"
	"testing"
)

// whole checks that every layer has its box, and that the boxes add up.
func whole(t *testing.T, name string, p *Picture, layers int, params int64) (modules int) {
	t.Helper()
	boxes := map[int]bool{}
	times, sum := 0, int64(0)
	for _, b := range p.Boxes {
		boxes[b.At] = true
		times, sum = times+b.Times, sum+b.Params
		if b.Last > b.At {
			modules++
			if want := fmt.Sprintf("%d layers", b.Last-b.At+1); b.Name != want || b.Type != "Module" {
				t.Errorf("%s: the box of %s is a %s and says %q, want %q", name, b.ID, b.Type, b.Name, want)
			}
		}
	}
	for at, shown := range p.Shown {
		if !boxes[shown] {
			t.Errorf("%s: layer %d has no box", name, at)
		}
	}
	if times != layers || sum != params || len(p.Shown) != layers {
		t.Errorf("%s: boxes for %d layers with %d parameters, want %d and %d", name, times, sum, layers, params)
	}
	return modules
}

// TestModules: the largest models are drawn by their modules, the others layer
// by layer, and nothing is left out.
func TestModules(t *testing.T) {
	large := map[string]int{"sd-v1-5-unet": 5000, "sdxl-unet": 3600, "densenet-121": 1400, "densenet-201": 2200}
	for _, file := range graphs(t) {
		id := strings.Split(file, "/")[len(strings.Split(file, "/"))-2]
		m := read(t, file).Model
		p := New(m)
		n := whole(t, file, p, len(m.Order), m.Params)
		high, is := large[id]
		if is != (n > 0) {
			t.Errorf("%s: %d modules among %d boxes", file, n, len(p.Boxes))
		}
		if is && (len(p.Boxes) > fewBoxes || p.H > high) {
			t.Errorf("%s: %d boxes, %d px high; want at most %d, %d px", id, len(p.Boxes), p.H, fewBoxes, high)
		}
	}
}

// chain is a model of n blocks with a residual, by the names that a format makes
// of the number of the block and of the layer.
func chain(n int, name func(block int, layer string) string) string {
	var b strings.Builder
	b.WriteString(`{"components": [{"id": "x", "type": "input", "params": {"shape": [1, 8]}}`)
	last := "x"
	for k := range n {
		wide := 16 + k // no two blocks are equal
		up, act, down, add := name(k, "up"), name(k, "act"), name(k, "down"), name(k, "add")
		fmt.Fprintf(&b, `, {"id": %q, "type": "linear", "params": {"outFeatures": %d}, "inputs": [%q]}`, up, wide, last)
		fmt.Fprintf(&b, `, {"id": %q, "type": "gelu", "inputs": [%q]}`, act, up)
		fmt.Fprintf(&b, `, {"id": %q, "type": "linear", "params": {"outFeatures": 8}, "inputs": [%q]}`, down, act)
		fmt.Fprintf(&b, `, {"id": %q, "type": "add", "inputs": [%q, %q]}`, add, last, down)
		last = add
	}
	fmt.Fprintf(&b, `, {"id": "y", "type": "output", "inputs": [%q]}]}`, last)
	return b.String()
}

// TestModulesByName: a module is what has a path of its own, without a gap.
func TestModulesByName(t *testing.T) {
	for _, c := range []struct {
		what           string
		blocks         int
		name           func(block int, layer string) string
		boxes, modules int
	}{
		{"few layers", 74, func(k int, l string) string { return fmt.Sprintf("blocks.%d.%s", k, l) }, 298, 0},
		{"many", 100, func(k int, l string) string { return fmt.Sprintf("blocks.%d.%s", k, l) }, 102, 100},
		{"deeper names", 100, func(k int, l string) string { return fmt.Sprintf("net.blocks.%d.part.%s", k, l) }, 102, 100},
		{"too many blocks", 130, func(k int, l string) string { return fmt.Sprintf("blocks.%d.%s", k, l) }, 132, 130},
		{"no names", 100, func(k int, l string) string { return fmt.Sprintf("%s%d", l, k) }, 402, 0},
		{"names with a gap", 100, func(k int, l string) string { return fmt.Sprintf("%s.%d", l, k) }, 402, 0},
	} {
		m := analyse(t, c.what, []byte(chain(c.blocks, c.name))).Model
		p := New(m)
		if n := whole(t, c.what, p, len(m.Order), m.Params); n != c.modules || len(p.Boxes) != c.boxes {
			t.Errorf("%s: %d modules among %d boxes, want %d among %d", c.what, n, len(p.Boxes), c.modules, c.boxes)
		}
		for _, what := range faults(p) {
			t.Errorf("%s: %s", c.what, what)
		}
	}
}
