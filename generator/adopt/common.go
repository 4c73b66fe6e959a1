package adopt

import (
	"maps"
	"slices"

	"github.com/strata-catalog/strata/generator/layer"
)

// sizes are the fields of every decoder that is named as Llama is.
var sizes = fields(widths, []Field{shared(0)})

// widths are sizes, without heads of keys and values apart from those of
// queries.
var widths = []Field{
	size("vocab_size", "rows of the embedding"),
	size("hidden_size", "width of the model"),
	depth("num_hidden_layers", "n_layer"),
	size("num_attention_heads", "heads of the queries", "n_head"),
	size("intermediate_size", "inner width of the feed-forward network"),
}

// shared is the number of heads of keys and values in families whose class has
// a default for it.
func shared(class int64) Field {
	return count("num_key_value_heads", class, "heads of keys and values, else as many as queries have", "num_kv_heads")
}

// context is the length of the sequences that a model is made for.
func context(class int64, also ...string) Field {
	return count("max_position_embeddings", class, "longest sequence", also...)
}

func headDim(class int64) Field {
	return count("head_dim", class, "width of a head, else hidden_size / num_attention_heads")
}

func tied(class bool) Field {
	return flag("tie_word_embeddings", class, "the head shares the embedding's weight")
}

func attentionBias(class bool) Field {
	return flag("attention_bias", class, "projections of attention add a constant")
}

// eps is the field of a norm's epsilon.
func eps(name string, class float64) Field {
	return number(name, class, "epsilon of the norms")
}

// gates are the activations of feed-forward networks with a gate, each with the
// layer type that has it and how that computes GELU.
var gates = map[string][2]string{
	"silu": {"swiglu"}, "swish": {"swiglu"},
	"gelu": {"geglu"}, "gelu_new": {"geglu", "tanh"}, "gelu_pytorch_tanh": {"geglu", "tanh"}, "gelu_fast": {"geglu", "tanh"},
}

func gate(name, class string) Field {
	return word(name, class, "activation of the gate", "silu", "swish", "gelu", "gelu_new", "gelu_pytorch_tanh", "gelu_fast")
}

// activation is the field of a network without a gate.
func activation(name, class string) Field {
	return word(name, class, "activation of the feed-forward network", activations...)
}

// activations are those that the layer type feedForward has.
var activations = func() []string {
	t, _ := layer.Lookup("feedForward")
	f, _ := t.Field("activation")
	return f.Enum
}()

// lone is the field of an activation that stands between two linear layers.
func lone(name, class string) Field {
	return word(name, class, "activation of the feed-forward network", slices.Sorted(maps.Keys(lones))...)
}

// A named is a layer type and its parameters.
type named struct {
	typ string
	p   params
}

// lones are the layer types of activations, by their names in configurations.
var lones = map[string]named{
	"gelu": {"gelu", nil}, "gelu_new": {"gelu", tanh}, "gelu_pytorch_tanh": {"gelu", tanh}, "gelu_fast": {"gelu", tanh},
	"relu": {"relu", nil}, "relu6": {"relu6", nil}, "elu": {"elu", nil}, "selu": {"selu", nil}, "silu": {"swish", nil}, "swish": {"swish", nil},
	"mish": {"mish", nil}, "tanh": {"tanh", nil}, "sigmoid": {"sigmoid", nil},
}

// tanh is GELU by its usual approximation.
var tanh = params{"approximate", "tanh"}

// activate appends an activation as a layer of its own.
func activate(s *sheet, id, act, input string) string {
	n, ok := lones[act]
	if !ok {
		n = lones["gelu"]
	}
	return s.add(id, n.typ, n.p, input)
}

// windows are the fields of attention to a window of tokens.
func windows(class int64) []Field {
	return []Field{
		count("sliding_window", class, "tokens that a token sees"),
		series("layer_types", "for each layer sliding_attention or full_attention"),
	}
}

// base reads what decoders that are named as Llama is have in common.
func base(c *config) *decoder {
	d := &decoder{
		c: c, vocab: c.count("vocab_size"), width: c.count("hidden_size"), layers: c.layers("num_hidden_layers"),
		heads: c.count("num_attention_heads"), context: max(1, c.count("max_position_embeddings")),
		embed: "model.embed_tokens", stack: "model.layers", final: "model.norm", head: "lm_head",
	}
	if d.headDim = c.count("head_dim"); d.headDim == 0 {
		d.headDim = c.split(d.width, d.heads, "hidden_size", "num_attention_heads")
	}
	return d
}

// turn gives the decoder rotary embeddings.
func (d *decoder) turn(interleaved bool) *decoder {
	d.sides = append(d.sides, d.c.turning().rope(d.c, "model.rotary_emb", d.headDim, d.context, interleaved))
	return d
}

// kvHeads are the heads of keys and values.
func (d *decoder) kvHeads() int64 {
	return d.c.shared(d.heads, d.c.count("num_key_value_heads"), "num_key_value_heads")
}

// attention is grouped-query attention with the decoder's sizes.
func (d *decoder) attention(id string, v variant, more ...any) part {
	p := params{"numHeads", d.heads}
	if kv := d.kvHeads(); kv != d.heads {
		p = append(p, "numKVHeads", kv)
	}
	if d.headDim*d.heads != d.width {
		p = append(p, "headDim", d.headDim)
	}
	if window := d.c.count("sliding_window"); v.sliding && window < d.context {
		p = append(p, "slidingWindow", window)
	}
	p = append(p, "prefix", d.prefix)
	return single(id, "groupedQueryAttention", append(p, more...))
}

// gated is a feed-forward network with a gate, its activation that of a field.
func (d *decoder) gated(id, act string, inner int64, more ...any) part {
	g := gates[d.c.word(act)]
	if g[0] == "" {
		g[0] = "swiglu"
	}
	p := params{"intermediateSize", inner}
	if g[0] == "geglu" {
		p = append(p, "approximate", g[1])
	}
	return single(id, g[0], append(p, more...))
}

// plain is a feed-forward network without a gate.
func (d *decoder) plain(id, act string, inner int64, more ...any) part {
	return single(id, "feedForward", append(params{"ffDim", inner, "activation", d.c.word(act)}, more...))
}

// slide decides which layers see a window only, if any do: those that
// layer_types names, else those that the class picks. A window as long as the
// context sets layers apart only where they have angles of their own.
func (d *decoder) slide(any bool, class func(i int64) bool) {
	window := d.c.count("sliding_window")
	types := list[string](d.c, "layer_types")
	if types != nil {
		if !perLayer(d.c, "layer_types", types, d.layers) {
			return
		}
		for _, t := range types {
			if t != "sliding_attention" && t != "full_attention" {
				d.c.contradict("layer_types", "%q is not known, expected sliding_attention or full_attention", t)
			}
		}
		class = func(i int64) bool { return types[i] == "sliding_attention" }
		if any && window == 0 && slices.Contains(types, "sliding_attention") {
			d.c.contradict("layer_types", "names sliding_attention, but sliding_window does not say how many tokens a token sees")
		}
	}
	if !any || window == 0 || window >= d.context && len(d.sides) < 2 {
		return
	}
	d.vary(func(i int64, v *variant) { v.sliding = class(i) })
}

// vary sets one more thing that tells layers apart.
func (d *decoder) vary(set func(i int64, v *variant)) {
	before := d.of
	d.of = func(i int64) (v variant) {
		if before != nil {
			v = before(i)
		}
		set(i, &v)
		return v
	}
}

// every is true of all layers.
func every(int64) bool { return true }

// pre is a layer with a norm before attention and one before the network.
func (d *decoder) pre(attn, mlp part) residual {
	return residual{norm: d.norm, before: "input_layernorm", mlpBefore: "post_attention_layernorm", attn: attn, mlp: mlp}
}
