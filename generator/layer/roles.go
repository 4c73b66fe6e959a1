package layer

import (
	"fmt"
	"strings"

	"github.com/strata-catalog/strata/generator/shape"
)

// modules names the module of each role as the checkpoints of Llama, DeepSeek
// and Mixtral do. A role that is not listed is its own module.
var modules = map[string]string{
	"q": "q_proj", "k": "k_proj", "v": "v_proj", "o": "o_proj",
	"qkv":      "qkv_proj",
	"relative": "relative_attention_bias",

	"pos_key": "pos_key_proj", "pos_query": "pos_query_proj",

	"q_a": "q_a_proj", "q_a_norm": "q_a_layernorm", "q_b": "q_b_proj",
	"kv_a": "kv_a_proj_with_mqa", "kv_a_norm": "kv_a_layernorm", "kv_b": "kv_b_proj",

	"gate": "gate_proj", "up": "up_proj", "down": "down_proj", "gate_up": "gate_up_proj",

	"router": "gate", "expert": "experts.{}",
	"shared": "shared_experts", "shared_gate": "shared_expert_gate",
}

// module is the name of a role's module: the graph's, else the usual one.
func (s Stored) module(role string) string {
	if n, ok := s.Names[role]; ok {
		return n
	}
	if n, ok := modules[role]; ok {
		return n
	}
	return role
}

// as gives a role another usual name.
func (s Stored) as(role, module string) Stored {
	if _, ok := s.Names[role]; ok {
		return s
	}
	names := Names{role: module}
	for r, n := range s.Names {
		names[r] = n
	}
	s.Names = names
	return s
}

// norm is a normalisation of a role's output: a factor and, if so, a constant.
func (s Stored) norm(role string, bias bool, dim int64) []Tensor {
	w := []Tensor{s.tensor(role, "weight", dim)}
	if bias {
		w = append(w, s.tensor(role, "bias", dim))
	}
	return w
}

// mlp is the weights of a feed-forward network of width i inside width d, with
// or without a gate; fused has the gate above the rest in one matrix.
func (s Stored) mlp(d, i int64, gated, fused, bias bool) []Tensor {
	var w []Tensor
	switch {
	case gated && fused:
		w = s.proj("gate_up", 2*i, d, bias)
	case gated:
		w = append(s.proj("gate", i, d, bias), s.proj("up", i, d, bias)...)
	default:
		w = s.proj("up", i, d, bias)
	}
	return append(w, s.proj("down", d, i, bias)...)
}

// below puts tensors into a module.
func below(module string, w []Tensor) []Tensor {
	for i := range w {
		w[i].Name = module + "." + w[i].Name
	}
	return w
}

// copies says that there are n of each tensor, of which used work on one token.
// Their names get the index of the copy where the module does not place it.
func copies(module string, w []Tensor, n, used int64) []Tensor {
	if !strings.Contains(module, "{}") {
		module += ".{}"
	}
	for i := range w {
		w[i].Copies, w[i].Used = n, used
	}
	return below(module, w)
}

// renamed is a layer whose tensors can be renamed, and have one layout only.
type renamed struct {
	Names Names `json:"names" doc:"names of the tensors in the checkpoint, by tensor or by module: {\"weight\": \"wte.weight\"}"`
}

// own names a tensor that stands directly below the component.
func (r renamed) own(name string, dims ...int64) Tensor {
	return Stored{Names: r.Names}.own(name, dims...)
}

// times multiplies sizes that a weight is made of. A product beyond int64 is
// reported and is 0, as is one of a size that is not known.
func (c *Call) times(d ...int64) int64 {
	n, ok := shape.Mul(d...)
	if !ok {
		c.overflow(fmt.Sprintf("the product of %s", shape.Shape(d).Brackets()))
		return 0
	}
	return n
}

// plus adds sizes that a weight is made of, as times multiplies them.
func (c *Call) plus(d ...int64) int64 {
	total := int64(0)
	for _, n := range d {
		sum, ok := shape.Add(total, n)
		if !ok {
			c.overflow(fmt.Sprintf("the sum of %s", shape.Shape(d).Brackets()))
			return 0
		}
		total = sum
	}
	return total
}

func (c *Call) overflow(what string) {
	c.Report(CountOverflow, "", "%s exceeds a signed 64-bit integer", what)
}

// tokens is the length of a sequence: the product of its axes other than batch
// and features.
func tokens(x shape.Tensor) int64 {
	n, _ := x.AsSequence().Positions().Elems()
	return n
}

// sequence checks that an operand has an axis for tokens beside its features.
func (c *Call) sequence(x shape.Tensor) bool {
	if !x.Known() || x.Rank() >= 2 {
		return true
	}
	c.Report(RankMismatch, "", "takes [tokens, width] or [batch, tokens, width], has %s", x.Dims.Brackets()).Fix =
		"feed it a sequence"
	return false
}

// asImage decides a raw input as an image: [channels, height, width], with a
// batch axis in front at rank 4.
func asImage(x shape.Tensor) shape.Tensor {
	if x.Batch != shape.Undecided || x.Rank() != 3 && x.Rank() != 4 {
		return x
	}
	x.Batch, x.Feature = shape.Unbatched, x.Rank()-3
	if x.Rank() == 4 {
		x.Batch = shape.Batched
	}
	return x
}
