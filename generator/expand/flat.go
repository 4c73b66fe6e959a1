package expand

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/strata-catalog/strata/generator/graph"
)

// Flat is the graph as a document without blocks: every layer a component
// under its full id, edges as inputs, outputs and connections, all of which
// agree. It means what the graph means, and is the form that a site publishes.
// The graph must be free of faults.
func (g *Graph) Flat() *graph.Document {
	doc := g.Doc
	flat := &graph.Document{
		ID: doc.ID, Name: doc.Name, Description: doc.Description, Category: doc.Category,
		Tags: doc.Tags, RealParamCount: doc.RealParamCount, Extra: doc.Extra,
		Components: make([]graph.Component, len(g.Nodes)),
	}
	outputs := make([][]int, len(g.Nodes))
	for i := range g.Nodes {
		for _, in := range g.Nodes[i].Inputs {
			outputs[in] = append(outputs[in], i)
		}
	}
	for i := range g.Nodes {
		flat.Components[i] = g.component(i, outputs[i])
		for _, in := range g.Nodes[i].Inputs {
			flat.Connections = append(flat.Connections, graph.Connection{From: g.Nodes[in].ID, To: g.Nodes[i].ID})
		}
	}
	return flat
}

// component is node i as a component of a flat document.
func (g *Graph) component(i int, outputs []int) graph.Component {
	n := &g.Nodes[i]
	c := graph.Component{
		ID: n.ID, Type: n.Component.Type, Name: n.Name(), Params: n.Params,
		HasInputs: true, Inputs: make([]graph.Ref, len(n.Inputs)),
	}
	if n.SharedBy >= 0 {
		c.SharedWith.ID = g.Nodes[n.SharedBy].ID
	}
	for k, in := range n.Inputs {
		c.Inputs[k] = graph.Ref{ID: g.Nodes[in].ID}
	}
	c.Extra = append(c.Extra, graph.Param{Name: "outputs", Value: g.ids(outputs)})
	for _, e := range n.Component.Extra {
		if e.Name != "outputs" {
			c.Extra = append(c.Extra, e)
		}
	}
	return c
}

// ids is a JSON list of the ids of some nodes.
func (g *Graph) ids(nodes []int) string {
	b := []byte{'['}
	for k, i := range nodes {
		if k > 0 {
			b = append(b, ',')
		}
		b, _ = jsontext.AppendQuote(b, g.Nodes[i].ID) // ids were read from JSON, so they are valid UTF-8
	}
	return string(append(b, ']'))
}

// Name is the name that a layer is shown under: as written, behind the path of
// the block instance it stands in.
func (n *Node) Name() string {
	path, _ := strings.CutSuffix(n.ID, n.Component.ID)
	return path + n.Component.Name
}
