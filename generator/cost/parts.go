package cost

import (
	"math/big"

	"github.com/strata-catalog/strata/generator/infer"
	"github.com/strata-catalog/strata/generator/layer"
)

// A Part is what all layers of one kind have together. Parts add up to the
// model: a tied weight counts with the layer that owns it.
type Part struct {
	Part   layer.Part `json:"part" doc:"kind of layer"`
	Layers int        `json:"layers" doc:"layers of this kind"`
	Params int64      `json:"parameters" doc:"what they add to the total; a tied weight counts with the layer that owns it"`
	Active int64      `json:"active_parameters" doc:"of these, what works on one token"`
	MACs   *big.Int   `json:"macs" doc:"their multiply-accumulates at the declared input"`
}

// PartOf is the kind of work that a node does. A linear layer whose result
// leaves the model is its head; what is unknown is other.
func PartOf(n *infer.Node) layer.Part {
	switch {
	case n.Head:
		return layer.Head
	case n.Type == nil:
		return layer.Other
	}
	return n.Type.Part
}

// Parts adds up the layers of each kind that the model has, in the order that
// charts show them.
func Parts(m *infer.Model) []Part {
	sums := map[layer.Part]*Part{}
	for _, i := range m.Order {
		n := &m.Nodes[i]
		p := sums[PartOf(n)]
		if p == nil {
			p = &Part{Part: PartOf(n), MACs: new(big.Int)}
			sums[p.Part] = p
		}
		p.Layers++
		p.Params += n.Params
		p.Active += n.Active
		if w := n.Result.Work.Full; w != nil {
			p.MACs.Add(p.MACs, w)
		}
	}
	list := make([]Part, 0, len(sums))
	for _, part := range layer.Parts {
		if p := sums[part]; p != nil {
			list = append(list, *p)
		}
	}
	return list
}
