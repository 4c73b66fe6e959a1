package cost

import (
	"github.com/strata-catalog/strata/generator/infer"
	"github.com/strata-catalog/strata/generator/layer"
	"github.com/strata-catalog/strata/generator/shape"
)

// Units say what a model reads, and how much of it the declared input holds.
type Units struct {
	Name     string `json:"name" doc:"token for a model that generates a sequence or reads one of ids, image for one that reads images, else sample"`
	Declared int64  `json:"declared" doc:"units in the declared input"`
	Batch    int64  `json:"batch" doc:"sequences, images or samples in the declared input"` // sequences, images or samples in the declared input
	Length   int64  `json:"length" doc:"tokens of one sequence; 0 without tokens"`          // tokens of one sequence; 0 without tokens
}

// UnitsOf looks at the layers that keep a sequence while the model generates
// (causal attention, recurrent and state-space layers): the longest one that
// they are given is the model's. A model that generates nothing is counted by
// images where it reads any, else by the tokens of the longest sequence of ids
// that it embeds, provided that a layer mixes positions, else by samples.
func UnitsOf(m *infer.Model) Units {
	var generated, embedded, other Units
	mixes, fed := false, stream(m)
	for _, i := range m.Order {
		n := &m.Nodes[i]
		r := n.Result
		mixes = mixes || r.Attn != nil || r.State > 0
		if fed[i] && keeps(n) && len(r.In) > 0 {
			generated = longer(generated, r.In[0])
		}
		if len(n.Operands) == 0 || !m.Nodes[n.Operands[0]].Is("input") {
			continue
		}
		if embedsInput(m, n) {
			embedded = longer(embedded, r.Out)
		}
		if u := picture(n); other.Name == "" || u.Name == "image" {
			other = u
		}
	}
	switch {
	case generated.Length > 0:
		return generated
	case other.Name == "image":
		return other
	case mixes && embedded.Length > 0:
		return embedded
	case other.Name != "":
		return other
	}
	return Units{Name: "sample", Declared: 1, Batch: 1}
}

// longer is the longer of a sequence and the one that a tensor holds.
func longer(u Units, x shape.Tensor) Units {
	x = x.AsSequence()
	length, ok := x.Positions().Elems()
	if !x.Known() || !ok || length <= u.Length {
		return u
	}
	batch := x.BatchSize()
	declared, ok := shape.Mul(length, batch)
	if !ok || batch == 0 {
		return u
	}
	return Units{Name: "token", Declared: declared, Batch: batch, Length: length}
}

// picture is the unit of a layer that reads an input other than tokens: an
// image where it slides over two axes or cuts patches, else a sample.
func picture(n *infer.Node) Units {
	out := n.Result.Out
	if !out.Known() {
		return Units{}
	}
	batch := max(out.BatchSize(), 1)
	u := Units{Name: "sample", Declared: batch, Batch: batch}
	if n.Is("patchEmbed") || n.Type.Part == layer.Convolution && len(out.Positions()) == 2 {
		u.Name = "image"
	}
	return u
}
