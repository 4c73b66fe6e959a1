package adopt

import (
	"math"

	"github.com/strata-catalog/strata/generator/graph"
)

var dense = []*Family{
	{
		Types: []string{"llama"}, Name: "Llama",
		Fields: fields(sizes, rotary(10000, 1), []Field{
			context(2048), headDim(0), eps("rms_norm_eps", 1e-6), gate("hidden_act", "silu"), tied(false), attentionBias(false),
			flag("mlp_bias", false, "projections of the network add a constant"),
		}),
		Build: func(c *config) *graph.Document { return llama(c).document() },
	},
	{
		Types: []string{"mistral"}, Name: "Mistral",
		Fields: fields(sizes, rotary(10000, 1), windows(4096), []Field{
			context(131072), shared(8), headDim(0), eps("rms_norm_eps", 1e-6), gate("hidden_act", "silu"), tied(false),
		}),
		Build: func(c *config) *graph.Document { return mistral(c).document() },
	},
	{
		Types: []string{"qwen2"}, Name: "Qwen2",
		Fields: fields(sizes, rotary(10000, 1), someWindows, []Field{
			context(32768), shared(32), headDim(0), eps("rms_norm_eps", 1e-6), gate("hidden_act", "silu"), tied(false),
		}),
		Build: func(c *config) *graph.Document { return qwen(llama(c, "qkvBias", true)).document() },
	},
	{
		Types: []string{"qwen3"}, Name: "Qwen3",
		Fields: fields(sizes, rotary(10000, 1), someWindows, []Field{
			context(32768), shared(32), headDim(128), eps("rms_norm_eps", 1e-6), gate("hidden_act", "silu"), tied(false), attentionBias(false),
		}),
		Build: func(c *config) *graph.Document { return qwen(llama(c, normedHeads(c, "head")...)).document() },
	},
	{
		Types: []string{"phi3"}, Name: "Phi-3",
		Fields: fields(sizes, rotary(10000, 1), windows(0), []Field{
			context(4096), eps("rms_norm_eps", 1e-5), gate("hidden_act", "silu"), tied(false),
			count("original_max_position_embeddings", 4096, "longest sequence before angles were stretched"),
		}),
		Harmless: []string{"attention_bias"}, // the class has no biases, whatever it says
		Build: func(c *config) *graph.Document {
			d := llama(c, "layout", "fused")
			d.slide(true, every)
			return d.document()
		},
	},
	{
		Types: []string{"gemma"}, Name: "Gemma",
		Fields: fields(sizes, rotary(10000, 1), []Field{
			context(8192), shared(16), headDim(256), eps("rms_norm_eps", 1e-6), gate("hidden_activation", "gelu_pytorch_tanh"), tied(true), attentionBias(false),
		}),
		Harmless: []string{"hidden_act", "use_bidirectional_attention"}, // older files say gelu and mean its approximation
		Build: func(c *config) *graph.Document {
			d := gemma(c)
			d.turn(false)
			d.layer = func(v variant) residual {
				return d.pre(d.attention("self_attn", v, "bias", c.flag("attention_bias")), d.gated("mlp", "hidden_activation", c.count("intermediate_size")))
			}
			return d.document()
		},
	},
	{
		Types: []string{"gemma2"}, Name: "Gemma 2",
		Fields: fields(sizes, rotary(10000, 1), windows(4096), gemmaScores, []Field{
			context(8192), shared(4), headDim(256), eps("rms_norm_eps", 1e-6), gate("hidden_activation", "gelu_pytorch_tanh"), tied(true), attentionBias(false),
			number("attn_logit_softcapping", 50, "bound of attention's scores"),
			number("final_logit_softcapping", 30, "bound of the logits"),
		}),
		Harmless: []string{"hidden_act", "use_bidirectional_attention"},
		Build: func(c *config) *graph.Document {
			d := gemma(c)
			d.turn(false)
			d.slide(true, func(i int64) bool { return i%2 == 0 })
			d.layer = sandwich(d)
			return d.document()
		},
	},
	{
		Types: []string{"gemma3_text"}, Name: "Gemma 3",
		Fields: fields(sizes, rotary(1e6, 1), windows(4096), gemmaScores, []Field{
			context(131072), shared(4), headDim(256), eps("rms_norm_eps", 1e-6), gate("hidden_activation", "gelu_pytorch_tanh"), tied(true), attentionBias(false),
			number("attn_logit_softcapping", 0, "bound of attention's scores"),
			number("final_logit_softcapping", 0, "bound of the logits"),
			number("rope_local_base_freq", 10000, "base of the wavelengths of layers with a window"),
			count("sliding_window_pattern", 6, "of so many layers in a row the last sees all tokens", "_sliding_window_pattern"),
		}),
		Harmless: []string{"hidden_act", "use_bidirectional_attention"},
		Build:    func(c *config) *graph.Document { return gemma3(c).document() },
	},
	{
		Types: []string{"olmo"}, Name: "OLMo",
		Fields: fields(sizes, rotary(10000, 1), clipped, []Field{
			context(2048), gate("hidden_act", "silu"), tied(false), attentionBias(false),
		}),
		Build: func(c *config) *graph.Document {
			d := llama(c, "clipQKV", c.number("clip_qkv"))
			d.norm = norm{"layerNorm", params{"affine", false}}
			return d.document()
		},
	},
	{
		Types: []string{"olmo2"}, Name: "OLMo 2",
		Fields: fields(sizes, rotary(10000, 1), []Field{
			context(2048), eps("rms_norm_eps", 1e-5), gate("hidden_act", "silu"), tied(false), attentionBias(false),
		}),
		Build: func(c *config) *graph.Document {
			d := llama(c, normedHeads(c, "full")...)
			inner := d.layer
			d.layer = func(v variant) residual {
				r := inner(v)
				r.before, r.behind, r.mlpBefore, r.mlpBehind = "", "post_attention_layernorm", "", "post_feedforward_layernorm"
				return r
			}
			return d.document()
		},
	},
	{
		Types: []string{"cohere"}, Name: "Command R",
		Fields: fields(sizes, rotary(500000, 1), []Field{
			context(8192), eps("layer_norm_eps", 1e-5), gate("hidden_act", "silu"), tied(true), attentionBias(false),
			number("logit_scale", 0.0625, "factor of the logits"),
			flag("use_qk_norm", false, "queries and keys are normalised, with a factor for each feature of each head"),
		}),
		Build: func(c *config) *graph.Document {
			c.refuse("use_qk_norm")
			d := base(c).turn(true)
			d.logitScale = c.number("logit_scale")
			d.norm = layered(c, "layer_norm_eps", false)
			d.layer = func(v variant) residual {
				return residual{
					norm: d.norm, before: "input_layernorm", parallel: true,
					attn: d.attention("self_attn", v, "bias", c.flag("attention_bias")),
					mlp:  d.gated("mlp", "hidden_act", c.count("intermediate_size")),
				}
			}
			return d.document()
		},
	},
	{
		Types: []string{"granite"}, Name: "Granite",
		Fields: fields(sizes, rotary(10000, 1), []Field{
			context(2048), eps("rms_norm_eps", 1e-6), gate("hidden_act", "silu"), tied(false), attentionBias(false),
			flag("mlp_bias", false, "projections of the network add a constant"),
			number("embedding_multiplier", 1, "factor of the embedding"),
			number("attention_multiplier", 1, "factor of attention's scores"),
			number("residual_multiplier", 1, "factor of what a layer adds"),
			number("logits_scaling", 1, "what the logits are divided by"),
		}),
		Build: func(c *config) *graph.Document {
			d := llama(c, "scale", c.number("attention_multiplier"))
			d.embedScale = c.number("embedding_multiplier")
			d.logitScale = 1 / or(c.number("logits_scaling"), 1)
			return d.adding(c.number("residual_multiplier")).document()
		},
	},
	{
		Types: []string{"minicpm"}, Name: "MiniCPM",
		Fields: fields(sizes, rotary(10000, 1), []Field{
			context(2048), eps("rms_norm_eps", 1e-6), gate("hidden_act", "silu"), tied(true), attentionBias(false),
			number("scale_emb", 1, "factor of the embedding"),
			number("scale_depth", 1, "what a layer adds is multiplied by it, over the root of the number of layers"),
			number("dim_model_base", 1, "the logits are divided by hidden_size over it"),
		}),
		Build: func(c *config) *graph.Document {
			d := llama(c)
			d.embedScale = c.number("scale_emb")
			d.headScale = c.number("dim_model_base") / float64(d.width)
			return d.adding(c.number("scale_depth") / math.Sqrt(float64(d.layers))).document()
		},
	},
	{
		Types: []string{"smollm3"}, Name: "SmolLM3",
		Fields: fields(sizes, rotary(2e6, 1), someWindows, []Field{
			context(32768), shared(4), eps("rms_norm_eps", 1e-6), gate("hidden_act", "silu"), tied(true), attentionBias(false),
			flag("mlp_bias", false, "projections of the network add a constant"),
			series("no_rope_layers", "for each layer 1 where angles turn its heads, else 0"),
			count("no_rope_layer_interval", 4, "of so many layers in a row the last is told no positions"),
		}),
		Build: func(c *config) *graph.Document {
			d := qwen(llama(c))
			turned, every := list[int](c, "no_rope_layers"), max(1, c.count("no_rope_layer_interval"))
			if len(turned) == 0 || !perLayer(c, "no_rope_layers", turned, d.layers) {
				turned = nil
			}
			d.vary(func(i int64, v *variant) {
				v.unplaced = (i+1)%every == 0
				if turned != nil {
					v.unplaced = turned[i] == 0
				}
			})
			return d.document()
		},
	},
	{
		Types: []string{"glm"}, Name: "GLM-4",
		Fields: glmFields,
		Build:  func(c *config) *graph.Document { return glm(c).document() },
	},
	{
		Types: []string{"glm4"}, Name: "GLM-4-0414",
		Fields: glmFields,
		Build: func(c *config) *graph.Document {
			d := glm(c)
			inner := d.layer
			d.layer = func(v variant) residual {
				r := inner(v)
				r.behind, r.mlpBehind = "post_self_attn_layernorm", "post_mlp_layernorm"
				return r
			}
			return d.document()
		},
	},
	{
		Types: []string{"stablelm"}, Name: "StableLM",
		Fields: fields(sizes, rotary(10000, 0.25), []Field{
			context(4096), shared(32), eps("layer_norm_eps", 1e-5), gate("hidden_act", "silu"), tied(false),
			flag("use_qkv_bias", false, "queries, keys and values add a constant"),
			flag("use_parallel_residual", false, "attention and network stand side by side"),
			flag("qk_layernorm", false, "each head of queries and keys has a norm of its own"),
		}),
		Build: func(c *config) *graph.Document {
			c.refuse("qk_layernorm")
			d := llama(c, "qkvBias", c.flag("use_qkv_bias"))
			d.norm = layered(c, "layer_norm_eps", true)
			inner := d.layer
			d.layer = func(v variant) residual {
				r := inner(v)
				if r.parallel = c.flag("use_parallel_residual"); r.parallel {
					r.mlpBefore = ""
				}
				return r
			}
			return d.document()
		},
	},
	{
		Types: []string{"starcoder2"}, Name: "StarCoder2",
		Fields: fields(sizes, rotary(10000, 1), windows(0), []Field{
			context(4096), shared(2), eps("norm_epsilon", 1e-5), activation("hidden_act", "gelu_pytorch_tanh"), tied(true),
			flag("use_bias", true, "projections add a constant"),
		}),
		Harmless: []string{"norm_type", "mlp_type"},
		Build: func(c *config) *graph.Document {
			d := base(c).turn(false)
			d.norm = layered(c, "norm_epsilon", true)
			d.slide(true, every)
			bias := c.flag("use_bias")
			d.layer = func(v variant) residual {
				return d.pre(d.attention("self_attn", v, "bias", bias),
					d.plain("mlp", "hidden_act", c.count("intermediate_size"), "bias", bias, "names", names("up", "c_fc", "down", "c_proj")))
			}
			return d.document()
		},
	},
	{
		Types: []string{"phi"}, Name: "Phi",
		Fields: fields(sizes, rotary(10000, 0.5), []Field{
			context(2048), eps("layer_norm_eps", 1e-5), activation("hidden_act", "gelu_new"), tied(false),
			flag("qk_layernorm", false, "queries and keys are normalised head by head"),
		}),
		Build: func(c *config) *graph.Document {
			d := base(c).turn(false)
			d.norm, d.final, d.headBias = layered(c, "layer_norm_eps", true), "model.final_layernorm", true
			more := []any{"bias", true, "names", names("o", "dense")}
			if c.flag("qk_layernorm") {
				more = []any{"bias", true, "qkNorm", "head", "qkNormBias", true, "qkNormEps", c.number("layer_norm_eps"),
					"names", names("o", "dense", "q_norm", "q_layernorm", "k_norm", "k_layernorm")}
			}
			d.layer = func(v variant) residual {
				return residual{
					norm: d.norm, before: "input_layernorm", parallel: true, attn: d.attention("self_attn", v, more...),
					mlp: d.plain("mlp", "hidden_act", c.count("intermediate_size"), "names", names("up", "fc1", "down", "fc2")),
				}
			}
			return d.document()
		},
	},
	{
		Types: []string{"internlm2"}, Name: "InternLM2",
		Fields: fields(sizes, rotary(10000, 1), []Field{
			context(2048), eps("rms_norm_eps", 1e-6), gate("hidden_act", "silu"), tied(false),
			flag("bias", true, "projections of attention add a constant"),
		}),
		Build: func(c *config) *graph.Document {
			d := llama(c)
			d.embed, d.head = "model.tok_embeddings", "output"
			d.layer = func(v variant) residual {
				return residual{
					norm: d.norm, before: "attention_norm", mlpBefore: "ffn_norm",
					attn: d.attention("attention", v, "bias", c.flag("bias"), "layout", "interleaved", "names", names("qkv", "wqkv", "o", "wo")),
					mlp:  d.gated("feed_forward", "hidden_act", c.count("intermediate_size"), "names", names("gate", "w1", "up", "w3", "down", "w2")),
				}
			}
			return d.document()
		},
	},
	{
		Types: []string{"baichuan"}, Name: "Baichuan",
		Fields: fields(sizes, rotary(10000, 1), []Field{
			context(4096, "model_max_length"), eps("rms_norm_eps", 1e-6), gate("hidden_act", "silu"), tied(false),
		}),
		Build: baichuan,
	},
}

// someWindows are the fields of models of which some see a window in their
// upper layers.
var someWindows = append(windows(0),
	flag("use_sliding_window", false, "some layers see a window only"),
	count("max_window_layers", 28, "layers below those that see a window"))

// gemmaScores is the field of the factor of attention's scores in Gemma.
var gemmaScores = []Field{number("query_pre_attn_scalar", 256, "scores are divided by its root")}

// clipped is the field of OLMo's bound of queries, keys and values.
var clipped = []Field{number("clip_qkv", 0, "bound of queries, keys and values")}

// refuse reports a flag that the vocabulary has no tensors for.
func (c *config) refuse(name string) {
	if c.flag(name) {
		c.contradict(name, "found true, which no layer type can say (%s); only false can be imported", c.family.field(name).Doc)
	}
}

// adding multiplies what attention and network of each layer add by a constant.
func (d *decoder) adding(factor float64) *decoder {
	inner := d.layer
	d.layer = func(v variant) residual {
		r := inner(v)
		r.scale = factor
		return r
	}
	return d
}

// llama is the decoder of Llama; more are further parameters of its attention.
func llama(c *config, more ...any) *decoder {
	d := base(c).turn(false)
	d.norm = rms(c)
	attn := append([]any{"bias", c.flag("attention_bias")}, more...)
	d.layer = func(v variant) residual {
		mlp := []any{"bias", c.flag("mlp_bias")}
		for i := 0; i < len(more); i += 2 {
			if more[i] == "layout" {
				mlp = append(mlp, "layout", more[i+1])
			}
		}
		return d.pre(d.attention("self_attn", v, attn...), d.gated("mlp", "hidden_act", c.count("intermediate_size"), mlp...))
	}
	return d
}

// mistral is Llama whose layers see a window.
func mistral(c *config) *decoder {
	d := llama(c)
	d.slide(true, every)
	return d
}

// qwen lets the upper layers see a window, where the configuration asks for it.
func qwen(d *decoder) *decoder {
	first := d.c.count("max_window_layers")
	d.slide(d.c.flag("use_sliding_window"), func(i int64) bool { return i >= first })
	return d
}

// normedHeads are the parameters of attention with normalised queries and keys.
func normedHeads(c *config, how string) []any {
	return []any{"qkNorm", how, "qkNormEps", c.number("rms_norm_eps")}
}

// gemma is what Gemma's models have in common: factors stored less 1, and an
// embedding multiplied by the root of its width.
func gemma(c *config) *decoder {
	d := base(c)
	d.norm = norm{"rmsNorm", params{"eps", c.number("rms_norm_eps"), "unitOffset", true}}
	d.embedScale = math.Sqrt(float64(d.width))
	return d
}

// gemma3 is the decoder of Gemma 3: most layers see a window and have angles of
// their own.
func gemma3(c *config) *decoder {
	d := gemma(c)
	all := c.turning()
	local := turning{theta: or(all.local, c.number("rope_local_base_freq")), share: 1, scaling: "none"}.rope(c, "model.rotary_emb_local", d.headDim, d.context, false)
	local.of = func(v variant) bool { return v.sliding }
	whole := all.rope(c, "model.rotary_emb", d.headDim, d.context, false)
	whole.of = func(v variant) bool { return !v.sliding }
	d.sides = []side{local, whole}
	every := max(1, c.count("sliding_window_pattern"))
	d.slide(true, func(i int64) bool { return (i+1)%every != 0 })
	d.layer = sandwich(d, append(normedHeads(c, "head"), "qkNormUnitOffset", true)...)
	return d
}

// sandwich is the layer of Gemma 2 and 3, with norms on both sides of attention
// and network.
func sandwich(d *decoder, more ...any) func(variant) residual {
	c := d.c
	p := []any{"bias", c.flag("attention_bias"), "softcap", c.number("attn_logit_softcapping")}
	if scalar := c.number("query_pre_attn_scalar"); scalar != float64(d.headDim) && scalar > 0 {
		p = append(p, "scale", 1/math.Sqrt(scalar))
	}
	p = append(p, more...)
	d.logitCap = c.number("final_logit_softcapping")
	return func(v variant) residual {
		r := d.pre(d.attention("self_attn", v, p...), d.gated("mlp", "hidden_activation", c.count("intermediate_size")))
		r.behind, r.mlpBefore, r.mlpBehind = "post_attention_layernorm", "pre_feedforward_layernorm", "post_feedforward_layernorm"
		return r
	}
}

var glmFields = fields(sizes, rotary(10000, 0.5), []Field{
	context(131072), shared(2), headDim(128), eps("rms_norm_eps", 1.5625e-07), gate("hidden_act", "silu"), tied(false), attentionBias(true),
})

// glm is the decoder of GLM-4: gate and values in one matrix, features turned
// in neighbouring pairs.
func glm(c *config) *decoder {
	d := base(c).turn(true)
	d.norm = rms(c)
	d.layer = func(v variant) residual {
		return d.pre(d.attention("self_attn", v, "qkvBias", c.flag("attention_bias")),
			d.gated("mlp", "hidden_act", c.count("intermediate_size"), "layout", "fused"))
	}
	return d
}

// baichuan is Baichuan of 7B, and of 13B, which alone is 5,120 wide and has
// linear biases in place of angles.
func baichuan(c *config) *graph.Document {
	d := llama(c)
	if d.width == 5120 {
		d.sides = []side{alibi("model.alibi", d.heads)}
	}
	d.layer = func(v variant) residual {
		return d.pre(d.attention("self_attn", v, "layout", "fused", "names", names("qkv", "W_pack")),
			d.gated("mlp", "hidden_act", c.count("intermediate_size")))
	}
	return d.document()
}
