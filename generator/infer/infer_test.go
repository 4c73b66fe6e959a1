package infer_test

import (
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/strata-catalog/strata/generator/expand"
	"github.com/strata-catalog/strata/generator/graph"
	"github.com/strata-catalog/strata/generator/infer"
	"github.com/strata-catalog/strata/generator/internal/testfiles"
)

var update = flag.Bool("update", false, "write the golden files")

// TestInfer analyses each graph of testdata/*.txtar and compares what is known
// of it with the section beside it: a line a layer, the runs, the ledger, the
// totals, the problems.
func TestInfer(t *testing.T) {
	testfiles.Golden(t, *update, func(t *testing.T, src []byte) string { return describe(model(t, src)) })
}

func model(t *testing.T, src []byte) *infer.Model {
	t.Helper()
	doc, err := graph.Decode("graph.json", src)
	if err != nil {
		t.Fatal(err)
	}
	g, err := expand.Expand(doc)
	if err != nil {
		t.Fatal(err)
	}
	return infer.Infer(g)
}

func describe(m *infer.Model) string {
	var b strings.Builder
	for p, i := range m.Order {
		n := &m.Nodes[i]
		fmt.Fprintf(&b, "%d %s %v", p, n.ID, n.Out())
		if n.Params > 0 {
			fmt.Fprintf(&b, " params %d", n.Params)
		}
		if n.Head {
			b.WriteString(" head")
		}
		b.WriteByte('\n')
		for _, q := range append(append(n.Problems[:0:0], n.Result.Problems...), n.Problems...) {
			fmt.Fprintf(&b, "\t%s: %s\n", q.Rule, q.Message)
		}
	}
	runs(&b, m, m.Runs, "")
	for e := range m.Ledger() {
		fmt.Fprintf(&b, "%s %v", e.Name, e.Dims)
		if e.Copies > 1 {
			fmt.Fprintf(&b, " ×%d", e.Copies)
		}
		if e.Buffer {
			b.WriteString(" buffer")
		}
		if e.TiedTo != "" {
			b.WriteString(" = " + e.TiedTo)
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "params %d active %d buffers %d counted %v macs %v causal %v worked %v layers %d passes %v\n",
		m.Params, m.Active, m.Buffers, m.Counted, m.MACs, m.CausalMACs, m.Worked, m.Layers(), m.ForwardPasses())
	return b.String()
}

func runs(b *strings.Builder, m *infer.Model, list []infer.Run, indent string) {
	for _, r := range list {
		fmt.Fprintf(b, "%srun %d+%d ×%d %s\n", indent, r.Start, r.Period, r.Count, m.Block(r))
		runs(b, m, r.Children, indent+"  ")
	}
}

// TestPlainNames checks that a name which is a Python identifier already keeps
// its spelling, and that any other becomes one.
func TestPlainNames(t *testing.T) {
	for id, want := range map[string]string{
		"fc": "fc", "0": "0", "model.layers.0.fc": "model.layers.0.fc", "_a": "_a", "A_1": "A_1",
		"1st": "_1st", "_": "layer_", "__a": "a_", "class": "class_", "a-b": "a_b", "a.b-0": "a.b-0", "a-b.c-d": "a_b.c-d", "a.-b": "a._b", "a.1-0": "a._1_0", "a..b": "a.layer.b", "é": "layer_",
	} {
		m := model(t, []byte(`{"components":[{"id":"`+id+`","type":"input","params":{"shape":[1]}}]}`))
		if got := m.Module(0); got != want {
			t.Errorf("module of %q is %q, want %q", id, got, want)
		}
	}
}
