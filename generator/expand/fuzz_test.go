package expand_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/strata-catalog/strata/generator/expand"
	"github.com/strata-catalog/strata/generator/graph"
	"github.com/strata-catalog/strata/generator/internal/testfiles"
)

// FuzzExpand expands anything that decodes: it never panics, every edge leads
// to a node, an order places every node after its inputs, and the limit holds.
func FuzzExpand(f *testing.F) {
	for _, a := range testfiles.Archives(f) {
		f.Add(a.Files[0].Data)
	}
	for _, pattern := range []string{"../../../shared/reference/graphs/*/model.json", "../../templates/*/model.json"} {
		files, _ := filepath.Glob(pattern)
		for _, file := range files {
			if src, err := os.ReadFile(file); err == nil && len(src) < 20_000 {
				f.Add(src)
			}
		}
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		doc, err := graph.Decode("fuzz.json", src)
		if err != nil {
			return
		}
		g, err := expand.Expand(doc)
		if err != nil {
			return
		}
		if len(g.Nodes) > graph.MaxComponents {
			t.Fatalf("%d nodes", len(g.Nodes))
		}
		if (g.Order == nil) != (len(g.Faults) > 0) {
			t.Fatalf("order %v with faults %v", g.Order, g.Faults)
		}
		for _, order := range [][]int{g.Order, fifo(g)} {
			placed := make([]bool, len(g.Nodes))
			for _, i := range order {
				for _, in := range g.Nodes[i].Inputs {
					if !placed[in] {
						t.Fatalf("%s stands before its input %s", g.Nodes[i].ID, g.Nodes[in].ID)
					}
				}
				placed[i] = true
			}
			if order != nil && len(order) != len(g.Nodes) {
				t.Fatalf("order places %d of %d nodes", len(order), len(g.Nodes))
			}
		}
	})
}

func fifo(g *expand.Graph) []int {
	if g.Order == nil {
		return nil
	}
	return g.FIFO()
}
