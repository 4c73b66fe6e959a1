package expand_test

import (
	"bytes"
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/strata-catalog/strata/generator/expand"
	"github.com/strata-catalog/strata/generator/graph"
	"github.com/strata-catalog/strata/generator/internal/testfiles"
)

var update = flag.Bool("update", false, "write the golden files")

// TestExpand expands each graph of testdata/*.txtar and compares the nodes with
// the section beside it: path, parameters, operands, and whose weights it has.
func TestExpand(t *testing.T) { testfiles.Golden(t, *update, nodes) }

func nodes(t *testing.T, src []byte) string {
	doc, err := graph.Decode("graph.json", src)
	if err != nil {
		t.Fatal(err)
	}
	g, err := expand.Expand(doc)
	if err != nil {
		return err.Error() + "\n"
	}
	var b strings.Builder
	order := g.Order
	if order == nil {
		for i := range g.Nodes {
			order = append(order, i)
		}
	}
	for _, i := range order {
		n := &g.Nodes[i]
		b.WriteString(n.ID)
		for _, p := range n.Params {
			fmt.Fprintf(&b, " %s=%s", p.Name, p.Value)
		}
		for k, in := range n.Inputs {
			if k == 0 {
				b.WriteString(" <-")
			}
			b.WriteString(" " + g.Nodes[in].ID)
		}
		if n.SharedBy >= 0 {
			b.WriteString(" shares " + g.Nodes[n.SharedBy].ID)
		}
		b.WriteByte('\n')
	}
	for _, d := range g.Disagreements {
		fmt.Fprintf(&b, "%s: %s\n", d.Node, d.Message)
	}
	for _, f := range g.Faults {
		fmt.Fprintf(&b, "%s: %s\n", f.Rule, f.Message)
	}
	return b.String()
}

// TestFlat checks that the flat form of a graph expands to the same nodes.
func TestFlatNodes(t *testing.T) {
	for name, a := range testfiles.Archives(t) {
		doc, err := graph.Decode("graph.json", a.Files[0].Data)
		if err != nil {
			t.Fatal(err)
		}
		g, err := expand.Expand(doc)
		if err != nil || g.Order == nil || len(g.Disagreements) > 0 {
			continue
		}
		want, got := nodes(t, a.Files[0].Data), nodes(t, graph.Encode(g.Flat()))
		if got != want {
			t.Errorf("%s: flat form:\n%swant:\n%s", name, got, want)
		}
	}
}

// TestFIFO is Kahn's order on a graph whose declared order is another one.
func TestFIFO(t *testing.T) {
	doc, err := graph.Decode("graph.json", []byte(`{"components":[
		{"id":"b","type":"relu","inputs":["a"]},
		{"id":"a","type":"input","params":{"shape":[1]}},
		{"id":"c","type":"relu","inputs":["b","d"]},
		{"id":"d","type":"rope"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	g, err := expand.Expand(doc)
	if err != nil {
		t.Fatal(err)
	}
	name := func(order []int) string {
		var b bytes.Buffer
		for _, i := range order {
			b.WriteString(g.Nodes[i].ID)
		}
		return b.String()
	}
	if got := name(g.FIFO()); got != "adbc" {
		t.Errorf("FIFO order %s, want adbc", got)
	}
	if got := name(g.Order); got != "abdc" {
		t.Errorf("page order %s, want abdc: the smallest declared index that is ready", got)
	}
}
