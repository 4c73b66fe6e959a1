package facts

import (
	"slices"

	"github.com/strata-catalog/strata/generator/infer"
	"github.com/strata-catalog/strata/generator/layer"
)

// Traits are what a list of models is narrowed by. Each follows from the graph.
type Traits struct {
	Attention  []Attention `json:"attention" doc:"kinds of its attention layers, each layer with every kind that it is of; empty without such a layer"`
	Density    Density     `json:"density" doc:"mixture of experts when a token leaves some parameters out, so that active_parameters is smaller than parameters"`
	Size       Size        `json:"size" doc:"range that its parameters lie in, the lower end included"`
	LayerTypes []string    `json:"layer_types" doc:"types of its layers by name, each once"`
}

// An Attention is a kind of attention layer.
type Attention string

// kinds of attention, in the order that lists have: how heads share keys and
// values, then what a token sees. A layer is of every kind that fits it.
var kinds = []struct {
	name Attention
	fits func(n *infer.Node, a *layer.Attention) bool
}{
	{"multi-head", func(n *infer.Node, a *layer.Attention) bool { return a.KVHeads == a.Heads && !n.Is("mla") }},
	{"grouped-query", func(_ *infer.Node, a *layer.Attention) bool { return 1 < a.KVHeads && a.KVHeads < a.Heads }},
	{"multi-query", func(_ *infer.Node, a *layer.Attention) bool { return a.KVHeads == 1 && a.Heads > 1 }},
	{"latent", func(n *infer.Node, _ *layer.Attention) bool { return n.Is("mla") }},
	{"sliding window", func(n *infer.Node, a *layer.Attention) bool { return a.Window > 0 && !n.Is("windowAttention") }},
	{"windows of an image", func(n *infer.Node, _ *layer.Attention) bool { return n.Is("windowAttention") }},
	{"sparse", func(n *infer.Node, _ *layer.Attention) bool { return n.Is("nativeSparseAttention") }},
	{"cross", func(n *infer.Node, _ *layer.Attention) bool { return n.CrossAttends() }},
}

// Values lists the kinds.
func (Attention) Values() []string {
	list := make([]string, len(kinds))
	for i, k := range kinds {
		list[i] = string(k.name)
	}
	return list
}

// A Density says whether all of a model works on each token.
type Density string

// The densities.
const (
	Dense   Density = "dense"
	Experts Density = "mixture of experts"
)

// Values lists them.
func (Density) Values() []string { return []string{string(Dense), string(Experts)} }

// A Size is a range of parameters.
type Size string

// sizes are the ranges, smallest first; the last has no upper end.
var sizes = []struct {
	name  Size
	below int64
}{
	{"under 1M", 1e6},
	{"1M to 10M", 1e7},
	{"10M to 100M", 1e8},
	{"100M to 1B", 1e9},
	{"1B to 10B", 1e10},
	{"10B to 100B", 1e11},
	{"100B and more", 0},
}

// Values lists the ranges.
func (Size) Values() []string {
	list := make([]string, len(sizes))
	for i, s := range sizes {
		list[i] = string(s.name)
	}
	return list
}

// sizeOf is the range of a number of parameters.
func sizeOf(params int64) Size {
	last := len(sizes) - 1
	for _, s := range sizes[:last] {
		if params < s.below {
			return s.name
		}
	}
	return sizes[last].name
}

// TraitsOf is the traits of a model.
func TraitsOf(m *infer.Model) Traits {
	t := Traits{Attention: []Attention{}, Density: Dense, Size: sizeOf(m.Params), LayerTypes: []string{}}
	if m.Active < m.Params {
		t.Density = Experts
	}
	types, found := map[string]bool{}, make([]bool, len(kinds))
	for _, i := range m.Order {
		n := &m.Nodes[i]
		if n.Type == nil || n.Type.Part != layer.Ends {
			types[n.TypeName()] = true
		}
		if a := n.Result.Attn; a != nil {
			for k := range kinds {
				found[k] = found[k] || kinds[k].fits(n, a)
			}
		}
	}
	for name := range types {
		t.LayerTypes = append(t.LayerTypes, name)
	}
	slices.Sort(t.LayerTypes)
	for k, is := range found {
		if is {
			t.Attention = append(t.Attention, kinds[k].name)
		}
	}
	return t
}
