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
	vocab, width, layers := c.count("vocab_size"), c.count("hidden_size"), c.layers("num_hidden_layers")
	expand := max(1, c.count("expand"))
	if inner := c.count("intermediate_size"); inner > 0 && inner != expand*width {
		c.contradict("intermediate_size", "found %d, but expand · hidden_size is %d", inner, expand*width)
	}
	c.word("hidden_act")
	n := norm{"rmsNorm", params{"eps", c.number("layer_norm_epsilon")}}
	var b sheet
	x := n.add(&b, "norm", "x")
	x = b.add("mixer", "mamba", params{
		"dState", c.count("state_size"), "expand", expand, "dConv", c.count("conv_kernel"), "dtRank", c.rank("time_step_rank"),
		"convBias", c.flag("use_conv_bias"), "bias", c.flag("use_bias"),
	}, x)
	out := b.add("residual", "add", nil, x, "x")

	var s sheet
	x = s.add("input_ids", "input", params{"shape", []int64{1, max(1, c.count("max_position_embeddings"))}})
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
		Source: c.src, ID: c.id, Name: c.id, Category: "NLP/SSM", Tags: []string{"state space"}, Components: s.list,
		Description: fmt.Sprintf("%s: %d layers of selective state spaces, %d wide", c.family.Name, layers, width),
		Blocks:      []graph.Block{{Name: "layer", Inputs: []string{"x"}, Components: b.list, Output: out}},
	}
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
