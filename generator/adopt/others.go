package adopt

import (
	"fmt"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/strata-catalog/strata/generator/graph"
)

var others = []*Family{
	{
		Types: []string{"mamba"}, Name: "Mamba",
		Fields: []Field{
			size("vocab_size", "rows of the embedding"),
			size("hidden_size", "width of the model", "d_model"),
			depth("num_hidden_layers", "n_layer"),
			count("state_size", 16, "state of each inner feature"),
			ratio("expand", 2, "inner width as a multiple of hidden_size"),
			count("conv_kernel", 4, "length of the convolution"),
			count("intermediate_size", 0, "inner width, which is expand · hidden_size", "d_inner"),
			Field{Name: "time_step_rank", Kind: Any, Doc: "width that step sizes are computed from: a number, or auto"},
			flag("use_bias", false, "projections add a constant"),
			flag("use_conv_bias", true, "the convolution adds a constant"),
			eps("layer_norm_epsilon", 1e-5), tied(true),
			count("max_position_embeddings", 2048, "length of the sequence; a state space has no longest one"),
			word("hidden_act", "silu", "activation", "silu", "swish"),
		},
		Harmless: []string{"time_step_scale", "time_step_min", "time_step_max", "time_step_init_scheme", "time_step_floor", "rescale_prenorm_residual", "use_mambapy", "use_associative_scan", "fused_add_norm", "rms_norm", "ssm_cfg", "pad_vocab_size_multiple"},
		Build:    mamba,
	},
	{
		Types: []string{"mamba2"}, Name: "Mamba-2",
		Fields: []Field{
			size("vocab_size", "rows of the embedding"),
			size("hidden_size", "width of the model", "d_model"),
			depth("num_hidden_layers", "n_layer"),
			count("state_size", 128, "state of each inner feature"),
			ratio("expand", 2, "inner width as a multiple of hidden_size"),
			count("conv_kernel", 4, "length of the convolution"),
			size("num_heads", "heads of the state space"),
			size("head_dim", "inner features of a head"),
			count("n_groups", 8, "groups of heads that share what is written and read"),
			flag("use_bias", false, "projections add a constant"),
			flag("use_conv_bias", true, "the convolution adds a constant"),
			eps("layer_norm_epsilon", 1e-5), tied(false),
			count("max_position_embeddings", 2048, "length of the sequence; a state space has no longest one"),
			word("hidden_act", "silu", "activation", "silu", "swish"),
			series("time_step_limit", "least and largest step size"),
		},
		Harmless: []string{
			"time_step_rank", "time_step_min", "time_step_max", "time_step_floor", "rescale_prenorm_residual", "chunk_size", "intermediate_size",
			"norm_before_gate", "rms_norm", "ssm_cfg", "pad_vocab_size_multiple",
		},
		Build: mamba2,
	},
	{
		Types: []string{"rwkv"}, Name: "RWKV-4",
		Fields: []Field{
			size("vocab_size", "rows of the embedding"),
			size("hidden_size", "width of the model"),
			depth("num_hidden_layers"),
			count("attention_hidden_size", 0, "width of keys, values and receptances, else hidden_size"),
			count("intermediate_size", 0, "inner width of the channel mixing, else 4 · hidden_size"),
			count("context_length", 1024, "longest sequence of one pass", "max_position_embeddings"),
			eps("layer_norm_epsilon", 1e-5), tied(false),
		},
		Harmless: []string{"rescale_every"}, // halves weights and features together, so that half precision does not overflow
		Build:    rwkv,
	},
	{
		Types: []string{"jamba"}, Name: "Jamba",
		Fields: fields(sizes, []Field{
			context(262144), shared(8), eps("rms_norm_eps", 1e-6), gate("hidden_act", "silu"), tied(false),
			count("num_experts", 16, "experts to choose from"), topK(2),
			count("expert_layer_period", 2, "of so many layers in a row one has experts"),
			count("expert_layer_offset", 1, "which of them it is, counted from 0"),
			count("attn_layer_period", 8, "of so many layers in a row one has attention"),
			count("attn_layer_offset", 4, "which of them it is, counted from 0"),
			count("mamba_d_state", 16, "state of each inner feature"),
			count("mamba_d_conv", 4, "length of the convolution"),
			ratio("mamba_expand", 2, "inner width as a multiple of hidden_size"),
			{Name: "mamba_dt_rank", Kind: Any, Doc: "width that step sizes are computed from: a number, or auto"},
			flag("mamba_conv_bias", true, "the convolution adds a constant"),
			flag("mamba_proj_bias", false, "projections of the state space add a constant"),
		}),
		Harmless: []string{"use_mamba_kernels", "num_logits_to_keep"},
		Build:    jamba,
	},
}

// mamba is a stack of selective state spaces.
func mamba(c *config) *graph.Document {
	width, expand := c.count("hidden_size"), max(1, c.count("expand"))
	if inner := c.count("intermediate_size"); inner > 0 && inner != expand*width {
		c.contradict("intermediate_size", "found %d, but expand · hidden_size is %d", inner, expand*width)
	}
	return c.stateSpaces(single("mixer", "mamba", params{
		"dState", c.count("state_size"), "expand", expand, "dConv", c.count("conv_kernel"), "dtRank", c.rank("time_step_rank"),
		"convBias", c.flag("use_conv_bias"), "bias", c.flag("use_bias"),
	}))
}

// mamba2 is a stack of selective state spaces in heads.
func mamba2(c *config) *graph.Document {
	width, expand, heads, headDim := c.count("hidden_size"), max(1, c.count("expand")), c.count("num_heads"), c.count("head_dim")
	groups := max(1, c.count("n_groups"))
	switch {
	case heads*headDim != expand*width:
		c.contradict("num_heads", "%d heads of %d are %d features, but expand · hidden_size is %d", heads, headDim, heads*headDim, expand*width)
	case heads%groups != 0:
		c.contradict("n_groups", "%d heads do not divide into %d groups", heads, groups)
	}
	if limit := list[any](c, "time_step_limit"); !unlimited(limit) {
		c.unsaid("time_step_limit", "step sizes have no bounds; counts are not affected")
	}
	return c.stateSpaces(single("mixer", "mamba2", params{
		"dState", c.count("state_size"), "expand", expand, "dConv", c.count("conv_kernel"), "headDim", headDim, "numGroups", groups,
		"convBias", c.flag("use_conv_bias"), "bias", c.flag("use_bias"), "normEps", c.number("layer_norm_epsilon"),
	}))
}

// unlimited reports whether bounds of step sizes are none: from 0 to infinity,
// which JSON has no number for and files write as a text.
func unlimited(limit []any) bool {
	if len(limit) != 2 {
		return limit == nil
	}
	low, _ := limit[0].(float64)
	_, bounded := limit[1].(float64)
	return low == 0 && !bounded
}

// stateSpaces is a decoder of state spaces alone.
func (c *config) stateSpaces(mixer part) *graph.Document {
	vocab, width, layers := c.count("vocab_size"), c.count("hidden_size"), c.layers("num_hidden_layers")
	c.word("hidden_act")
	n := norm{"rmsNorm", params{"eps", c.number("layer_norm_epsilon")}}
	var b sheet
	out := b.add("residual", "add", nil, mixer(&b, n.add(&b, "norm", "x")), "x")

	var s sheet
	x := s.add("input_ids", "input", params{"shape", []int64{1, max(1, c.count("max_position_embeddings"))}})
	x = s.add("backbone.embeddings", "embedding", params{"numEmbeddings", vocab, "embeddingDim", width}, x)
	x = s.repeat("backbone.layers", []string{"layer"}, layers, x)
	x = n.add(&s, "backbone.norm_f", x)
	tied := ""
	if c.flag("tie_word_embeddings") {
		tied = "backbone.embeddings"
	}
	x = s.add("lm_head", "linear", params{"outFeatures", vocab, "bias", false, "tiedTo", tied}, x)
	s.add("logits", "output", nil, x)
	return &graph.Document{
		Source: c.src, ID: c.id, Name: c.id, Category: "NLP/LLM", Tags: []string{"decoder", "state space"}, Components: s.list,
		Description: fmt.Sprintf("%s: %d layers of selective state spaces, %d wide", c.family.Name, layers, width),
		Blocks:      []graph.Block{{Name: "layer", Inputs: []string{"x"}, Components: b.list, Output: out}},
	}
}

// rwkv is RWKV-4. Its first layer normalises the embedding before all else.
func rwkv(c *config) *graph.Document {
	d := &decoder{
		c: c, vocab: c.count("vocab_size"), width: c.count("hidden_size"), layers: c.layers("num_hidden_layers"), context: max(1, c.count("context_length")),
		embed: "rwkv.embeddings", stack: "rwkv.blocks", final: "rwkv.ln_out", head: "head", norm: layered(c, "layer_norm_epsilon", true),
	}
	// The class makes its last norm without the field.
	d.last = norm{"layerNorm", nil}
	inner := c.count("attention_hidden_size")
	if inner == d.width {
		inner = 0
	}
	d.vary(func(i int64, v *variant) { v.first = i == 0 })
	d.layer = func(v variant) residual {
		r := residual{
			norm: d.norm, before: "ln1", mlpBefore: "ln2", attn: single("attention", "rwkvTimeMix", params{"innerDim", inner}),
			mlp: single("feed_forward", "rwkvChannelMix", params{"ffDim", d.inner("intermediate_size")}),
		}
		if v.first {
			r.entry = "pre_ln"
		}
		return r
	}
	doc := d.document()
	doc.Tags = append(doc.Tags, "recurrent")
	doc.Description = fmt.Sprintf("%s: %d recurrent layers without attention, %d wide", c.family.Name, d.layers, d.width)
	return doc
}

// rank is the width that a state space computes step sizes from, 0 where it
// follows from that of the model.
func (c *config) rank(name string) int64 {
	n, _ := value(c, name, func(_ *Field, v jsontext.Value) (int64, bool) {
		if v.Kind() == '"' {
			return 0, text(v) == "auto"
		}
		return whole(v, maxSize)
	})
	return n
}

// jamba alternates between state spaces and attention, and between networks
// and mixtures of experts, each with a period and an offset of its own.
func jamba(c *config) *graph.Document {
	d := base(c)
	d.norm, d.final = rms(c), "model.final_layernorm"
	attn, attnAt := max(1, c.count("attn_layer_period")), c.count("attn_layer_offset")
	period, at := max(1, c.count("expert_layer_period")), c.count("expert_layer_offset")
	experts := d.mixture("num_experts", c.count("intermediate_size"), "normTopK", false, "names", names("router", "router"))
	many := c.count("num_experts") > 1
	d.vary(func(i int64, v *variant) {
		v.recurrent = i%attn != attnAt
		v.sparse = many && i%period == at
	})
	state := params{
		"dState", c.count("mamba_d_state"), "dConv", c.count("mamba_d_conv"), "expand", max(1, c.count("mamba_expand")), "dtRank", c.rank("mamba_dt_rank"),
		"convBias", c.flag("mamba_conv_bias"), "bias", c.flag("mamba_proj_bias"), "stateNorms", true, "normEps", c.number("rms_norm_eps"),
	}
	d.layer = func(v variant) residual {
		r := residual{
			norm: d.norm, before: "input_layernorm", mlpBefore: "pre_ff_layernorm",
			attn: d.attention("self_attn", v), mlp: d.gated("feed_forward", "hidden_act", c.count("intermediate_size")),
		}
		if v.recurrent {
			r.attn = single("mamba", "mamba", state)
		}
		if v.sparse {
			r.mlp = single("feed_forward", "moeLayer", experts)
		}
		return r
	}
	return d.document()
}
