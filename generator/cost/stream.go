package cost

import (
	"github.com/strata-catalog/strata/generator/infer"
)

// stream marks the nodes that work on every token while the model generates:
// what is fed by the tokens, without an encoder whose result is attended to,
// and without a tower for images beside them. The tokens enter at the inputs
// that lead to a layer that keeps a sequence; where some of these are embedded
// as ids, at those alone. A model without such a layer generates nothing, and
// no node is marked.
func stream(m *infer.Model) []bool {
	leads := make([]bool, len(m.Nodes)) // to a layer that keeps a sequence
	fed := make([]bool, len(m.Nodes))
	ids := false
	for k := len(m.Order) - 1; k >= 0; k-- {
		i := m.Order[k]
		n := &m.Nodes[i]
		leads[i] = leads[i] || keeps(n)
		for _, in := range ownOperands(n) {
			leads[in] = leads[in] || leads[i]
		}
		if leads[i] && embedsInput(m, n) {
			ids = true
			fed[n.Operands[0]] = true
		}
	}
	for _, i := range m.Order {
		n := &m.Nodes[i]
		if !ids && leads[i] && n.Is("input") {
			fed[i] = true
		}
		for _, in := range ownOperands(n) {
			fed[i] = fed[i] || fed[in]
		}
	}
	return fed
}

// ownOperands are a node's operands without the context of a cross-attention.
func ownOperands(n *infer.Node) []int {
	if n.CrossAttends() && len(n.Operands) > 1 {
		return n.Operands[:1]
	}
	return n.Operands
}

// embedsInput reports whether a node embeds ids straight from an input.
func embedsInput(m *infer.Model, n *infer.Node) bool {
	return n.Is("embedding") && len(n.Operands) > 0 && m.Nodes[n.Operands[0]].Is("input")
}

// keeps reports whether a layer holds something of the sequence while the
// model generates.
func keeps(n *infer.Node) bool {
	a := n.Result.Attn
	return n.Result.State > 0 || a != nil && a.Causal && !n.CrossAttends()
}
