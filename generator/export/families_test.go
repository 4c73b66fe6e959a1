package export_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/strata-catalog/strata/generator/expand"
	"github.com/strata-catalog/strata/generator/export"
	"github.com/strata-catalog/strata/generator/graph"
	"github.com/strata-catalog/strata/generator/infer"
)

// TestFamilies exports the graphs that make verify loads reference weights
// into. Here they only have to be written, with every tensor's own name.
func TestFamilies(t *testing.T) {
	files, err := filepath.Glob("testdata/families/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d graphs below testdata/families (%v)", len(files), err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		t.Run(name, func(t *testing.T) {
			m := model(t, file)
			if m.Graph.Doc.ID != name {
				t.Errorf("the id is %q, want the name of the file", m.Graph.Doc.ID)
			}
			python, err := export.Python(m)
			if err != nil {
				t.Fatal(err)
			}
			for e := range m.Ledger() {
				own := strings.Split(e.Name, ".")
				if i := slices.Index(own, "parametrizations"); i > 0 {
					own = own[:i] // what torch.nn.utils adds
				}
				step := own[len(own)-1]
				if step == "weight" || step == "bias" || e.Buffer && len(own) > 1 {
					step = own[len(own)-2]
				}
				if step != "{}" && !strings.Contains(string(python), step) {
					t.Errorf("the tensor %s is not in the code", e.Name)
				}
			}
		})
	}
}

// model analyses a graph.
func model(t *testing.T, file string) *infer.Model {
	t.Helper()
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := graph.Decode(file, src)
	if err != nil {
		t.Fatal(err)
	}
	g, err := expand.Expand(doc)
	if err != nil {
		t.Fatal(err)
	}
	m := infer.Infer(g)
	if !m.Counted || !m.ForwardPasses() {
		t.Fatalf("%s is not derived throughout", file)
	}
	return m
}
