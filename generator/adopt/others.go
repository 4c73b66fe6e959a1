package adopt

import (
	"fmt"
	"slices"

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
	{
		Types: []string{"vit"}, Name: "ViT",
		Fields: []Field{
			size("hidden_size", "width of the model"),
			depth("num_hidden_layers"),
			size("num_attention_heads", "heads"),
			size("intermediate_size", "inner width of the feed-forward network"),
			size("image_size", "height and width of an image"),
			size("patch_size", "height and width of a patch"),
			count("num_channels", 3, "channels of an image"),
			flag("qkv_bias", true, "queries, keys and values add a constant"),
			lone("hidden_act", "gelu"), eps("layer_norm_eps", 1e-12),
			series("architectures", "classes of the checkpoint; one for classification has a head"),
			count("num_labels", 0, "classes of the head"),
			Field{Name: "id2label", Kind: Object, Doc: "names of the classes of the head"},
			count("pooler_output_size", 0, "width of the pooler, else hidden_size"),
			word("pooler_act", "tanh", "activation of the pooler", "tanh"),
		},
		Harmless: []string{"encoder_stride"},
		Build:    vit,
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

// vit is ViT, with the head of a classifier or with a pooler.
func vit(c *config) *graph.Document {
	width, layers, heads := c.count("hidden_size"), c.layers("num_hidden_layers"), c.count("num_attention_heads")
	image, patch, channels := c.count("image_size"), c.count("patch_size"), max(1, c.count("num_channels"))
	c.split(width, heads, "hidden_size", "num_attention_heads")
	if patch > image {
		c.contradict("patch_size", "patches of %d do not fit into an image of %d", patch, image)
	}
	labels, pooled := c.labels(), c.count("pooler_output_size")
	if pooled == 0 {
		pooled = width
	}
	prefix := ""
	if labels > 0 {
		prefix = "vit."
	}
	side := image / patch
	positions := side*side + 1
	n := layered(c, "layer_norm_eps", true)

	var s sheet
	x := s.add("pixel_values", "input", params{"shape", []int64{1, channels, image, image}})
	x = s.add(prefix+"embeddings.patch_embeddings", "patchEmbed", params{"imgSize", image, "patchSize", patch, "embedDim", width, "names", names("proj", "projection")}, x)
	x = s.add(prefix+"embeddings.cls_token", "parameter", params{"shape", []int64{1, 1, width}, "mode", "concat"}, x)
	x = s.add(prefix+"embeddings.position_embeddings", "parameter", params{"shape", []int64{1, positions, width}, "mode", "add"}, x)
	x = s.repeat(prefix+"encoder.layer", []string{"layer"}, layers, x)
	x = n.add(&s, prefix+"layernorm", x)
	if labels > 0 {
		x = s.add("class_token", "split", params{"dim", 1, "splitSize", 1}, x)
		x = s.add("squeeze", "squeeze", params{"dim", 1}, x)
		x = s.add("classifier", "linear", params{"outFeatures", labels}, x)
		s.add("logits", "output", nil, x)
	} else {
		s.add("last_hidden_state", "output", nil, x)
		pool(&s, x, pooled, []string{"pooler.dense", "pooler.activation"})
	}
	c.word("pooler_act")
	return &graph.Document{
		Source: c.src, ID: c.id, Name: c.id, Category: "Vision/Transformer", Tags: []string{"encoder", "image"}, Components: s.list,
		Description: fmt.Sprintf("%s: encoder of %d layers, %d wide, over patches of %d × %d pixels", c.family.Name, layers, width, patch, patch),
		Blocks:      []graph.Block{vitLayer(c, n, width, heads)},
	}
}

// vitLayer is a layer under the names of the checkpoints, which are BERT's.
func vitLayer(c *config, n norm, width, heads int64) graph.Block {
	inner, act := c.count("intermediate_size"), c.word("hidden_act")
	var b sheet
	a := n.add(&b, "layernorm_before", "x")
	a = b.add("attention.attention", "selfAttention", params{"numHeads", heads, "outProj", false, "qkvBias", c.flag("qkv_bias"), "names", names("q", "query", "k", "key", "v", "value")}, a)
	a = b.add("attention.output.dense", "linear", params{"outFeatures", width}, a)
	y := b.add("residual_attn", "add", nil, a, "x")
	m := n.add(&b, "layernorm_after", y)
	m = b.add("intermediate.dense", "linear", params{"outFeatures", inner}, m)
	m = activate(&b, "intermediate.intermediate_act_fn", act, m)
	m = b.add("output.dense", "linear", params{"outFeatures", width}, m)
	out := b.add("residual_mlp", "add", nil, m, y)
	return graph.Block{Name: "layer", Inputs: []string{"x"}, Components: b.list, Output: out}
}

// labels is how many classes the head of a classifier has, 0 where the
// checkpoint has none. Two are what a configuration that does not say has.
func (c *config) labels() int64 {
	classes := list[string](c, "architectures")
	n := c.count("num_labels")
	if names, ok := value(c, "id2label", func(_ *Field, v jsontext.Value) (jsontext.Value, bool) { return v, v.Kind() == '{' }); ok {
		if p, err := c.nested(member{names, 0}); err == nil {
			if k := int64(len(p.order)); n > 0 && n != k {
				c.contradict("num_labels", "found %d, but id2label names %d classes", n, k)
			} else {
				n = k
			}
		}
	}
	switch {
	case slices.Contains(classes, "ViTForImageClassification") && n == 0:
		return 2
	case len(classes) > 0 && !slices.Contains(classes, "ViTForImageClassification"):
		return 0
	}
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
