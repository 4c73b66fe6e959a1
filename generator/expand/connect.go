package expand

import (
	"fmt"

	"github.com/strata-catalog/strata/generator/graph"
)

// connected is the document's components with the edges of its connections:
// the union of both lists, inputs first. Where they disagree, that is noted.
func (x *expander) connected(index map[string]int) []graph.Component {
	doc := x.g.Doc
	if len(doc.Connections) == 0 {
		return doc.Components
	}
	into, start := x.arriving(index)
	out := doc.Components
	copied := false
	for i := range doc.Components {
		c := &doc.Components[i]
		extra, missing := compare(c.Inputs, into[start[i]:start[i+1]], doc.Connections)
		if len(extra) == 0 && len(missing) == 0 {
			continue
		}
		if len(extra) > 0 {
			if !copied {
				out, copied = append([]graph.Component(nil), doc.Components...), true
			}
			inputs := append([]graph.Ref(nil), c.Inputs...)
			for _, k := range extra {
				inputs = append(inputs, graph.Ref{ID: doc.Connections[k].From, Pos: doc.Connections[k].FromPos})
			}
			out[i].Inputs = inputs
		}
		if c.HasInputs || len(c.Inputs) > 0 {
			x.g.Disagreements = append(x.g.Disagreements, Disagreement{Node: c.ID, Message: disagreement(doc, extra, missing), Pos: c.Pos})
		}
	}
	return out
}

// arriving groups the connections by the component they lead to: those of
// component i are into[start[i]:start[i+1]]. One to nowhere is a fault.
func (x *expander) arriving(index map[string]int) (into, start []int) {
	doc := x.g.Doc
	to := make([]int, len(doc.Connections))
	start = make([]int, len(doc.Components)+2)
	for k := range doc.Connections {
		c := &doc.Connections[k]
		i, ok := index[c.To]
		if !ok {
			f := Fault{
				Rule: UnknownEdge, Nodes: []string{c.From}, Pos: c.ToPos,
				Message: fmt.Sprintf("connection %q → %q leads to no component", c.From, c.To),
				Fix:     "correct the id, or add the component",
			}
			if len(x.g.Faults) < suggestions {
				f.suggest(c.To, keys(index))
			}
			x.g.Faults = append(x.g.Faults, f)
			i = -1
		} else {
			start[i+2]++
		}
		to[k] = i
	}
	for i := 2; i < len(start); i++ {
		start[i] += start[i-1]
	}
	into = make([]int, start[len(start)-1])
	for k, i := range to {
		if i >= 0 {
			into[start[i+1]] = k
			start[i+1]++
		}
	}
	return into, start
}

// compare takes both edge lists of one component as bags: extra are the
// connections that inputs lack, missing the inputs that connections lack.
func compare(inputs []graph.Ref, into []int, all []graph.Connection) (extra []int, missing []string) {
	if len(inputs) == len(into) { // the usual case: the same edges in the same order
		same := true
		for j, k := range into {
			same = same && all[k].From == inputs[j].ID
		}
		if same {
			return nil, nil
		}
	}
	count := make(map[string]int, len(inputs))
	for _, r := range inputs {
		count[r.ID]++
	}
	for _, k := range into {
		if count[all[k].From] > 0 {
			count[all[k].From]--
		} else {
			extra = append(extra, k)
		}
	}
	for i := len(inputs) - 1; i >= 0; i-- {
		if id := inputs[i].ID; count[id] > 0 {
			count[id]--
			missing = append(missing, id)
		}
	}
	return extra, missing
}

func disagreement(doc *graph.Document, extra []int, missing []string) string {
	if len(extra) > 0 {
		return fmt.Sprintf("connections has an edge from %q that inputs lacks; it is taken as a further operand", doc.Connections[extra[0]].From)
	}
	return fmt.Sprintf("inputs has an edge from %q that connections lacks; it is kept", missing[len(missing)-1])
}
