package adopt

import "github.com/strata-catalog/strata/generator/graph"

// gptSizes are the fields of decoders that are named as GPT-2 is.
func gptSizes(positions int64) []Field {
	return []Field{
		size("vocab_size", "rows of the embedding"),
		size("n_embd", "width of the model", "hidden_size"),
		depth("n_layer", "num_hidden_layers"),
		size("n_head", "heads of the queries", "num_attention_heads"),
		count("n_positions", positions, "longest sequence", "max_position_embeddings", "n_ctx"),
		count("n_inner", 0, "inner width of the feed-forward network, else 4 · n_embd"),
		eps("layer_norm_epsilon", 1e-5),
	}
}

// gpt is a decoder that is named as GPT-2 is.
func gpt(c *config) *decoder {
	return &decoder{
		c: c, vocab: c.count("vocab_size"), width: c.count("n_embd"), layers: c.layers("n_layer"), heads: c.count("n_head"),
		context: max(1, c.count("n_positions")), norm: layered(c, "layer_norm_epsilon", true),
		embed: "transformer.wte", stack: "transformer.h", final: "transformer.ln_f", head: "lm_head",
		headDim: c.split(c.count("n_embd"), c.count("n_head"), "n_embd", "n_head"),
	}
}

// learned gives the decoder learned positions.
func (d *decoder) learned(module string, rows int64) *decoder {
	d.positions, d.rows = module, rows
	return d
}

// ln is a layer named as in GPT-2.
func (d *decoder) ln(attn, mlp part) residual {
	return residual{norm: d.norm, before: "ln_1", mlpBefore: "ln_2", attn: attn, mlp: mlp}
}

// inner is the inner width that a field gives, else 4 times the width.
func (d *decoder) inner(name string) int64 {
	if n := d.c.count(name); n > 0 {
		return n
	}
	return 4 * d.width
}

// causal is attention with as many heads of keys and values as of queries.
func (d *decoder) causal(id string, more ...any) part {
	return single(id, "causalAttention", append(params{"numHeads", d.heads}, more...))
}

var older = []*Family{
	{
		Types: []string{"gpt2"}, Name: "GPT-2",
		Fields: fields(gptSizes(1024), []Field{
			activation("activation_function", "gelu_new"), tied(true),
			flag("scale_attn_weights", true, "scores are divided by the root of the width of a head"),
			flag("scale_attn_by_inverse_layer_idx", false, "scores of layer i are divided by i + 1"),
		}),
		Build: func(c *config) *graph.Document {
			d := gpt(c)
			d.learned("transformer.wpe", d.context)
			p := []any{"bias", true, "layout", "fused", "transposed", true, "names", names("qkv", "c_attn", "o", "c_proj")}
			if !c.flag("scale_attn_weights") {
				p = append(p, "scale", 1.0)
			}
			if c.flag("scale_attn_by_inverse_layer_idx") {
				c.unsaid("scale_attn_by_inverse_layer_idx", "blocks are alike; counts are not affected")
			}
			d.layer = func(variant) residual {
				return d.ln(d.causal("attn", p...), d.plain("mlp", "activation_function", d.inner("n_inner"), "transposed", true, "names", names("up", "c_fc", "down", "c_proj")))
			}
			return d.document()
		},
	},
	{
		Types: []string{"gpt_bigcode"}, Name: "GPT-BigCode",
		Fields: fields(gptSizes(1024), []Field{
			activation("activation_function", "gelu_pytorch_tanh"), tied(true),
			flag("scale_attn_weights", true, "scores are divided by the root of the width of a head"),
			flag("multi_query", true, "all query heads share one head of keys and values"),
		}),
		Harmless: []string{"num_key_value_heads"}, // follows from multi_query
		Build: func(c *config) *graph.Document {
			d := gpt(c)
			d.learned("transformer.wpe", d.context)
			p := params{"numHeads", d.heads, "numKVHeads", int64(1), "layout", "fused"}
			if !c.flag("multi_query") {
				p = params{"numHeads", d.heads, "layout", "interleaved"}
			}
			if !c.flag("scale_attn_weights") {
				p = append(p, "scale", 1.0)
			}
			p = append(p, "bias", true, "names", names("qkv", "c_attn", "o", "c_proj"))
			d.layer = func(variant) residual {
				return d.ln(single("attn", "groupedQueryAttention", p), d.plain("mlp", "activation_function", d.inner("n_inner"), "names", names("up", "c_fc", "down", "c_proj")))
			}
			return d.document()
		},
	},
	{
		Types: []string{"gpt_neo"}, Name: "GPT-Neo",
		Fields: []Field{
			size("vocab_size", "rows of the embedding"),
			size("hidden_size", "width of the model"),
			depth("num_layers", "num_hidden_layers"),
			size("num_heads", "heads of the queries", "num_attention_heads"),
			context(2048), eps("layer_norm_epsilon", 1e-5), activation("activation_function", "gelu_new"), tied(true),
			count("intermediate_size", 0, "inner width of the feed-forward network, else 4 · hidden_size"),
			count("sliding_window", 256, "tokens that a layer with local attention sees", "window_size"),
			series("attention_types", "kinds of attention, global or local, and how often they repeat"),
			series("attention_layers", "for each layer global or local"),
		},
		Build: gptNeo,
	},
	{
		Types: []string{"gptj"}, Name: "GPT-J",
		Fields: fields(gptSizes(2048), []Field{
			activation("activation_function", "gelu_new"), tied(false),
			count("rotary_dim", 64, "features of a head that angles turn"),
		}),
		Harmless: []string{"rotary", "scale_attn_weights"},
		Build: func(c *config) *graph.Document {
			d := gpt(c)
			d.headBias = true
			turned := c.count("rotary_dim")
			if turned > d.headDim {
				c.contradict("rotary_dim", "angles turn %d features of a head of %d", turned, d.headDim)
			}
			d.sides = []side{turning{theta: 10000, share: float64(turned) / float64(d.headDim), scaling: "none"}.rope(c, "transformer.rotary_emb", d.headDim, d.context, true)}
			d.layer = func(variant) residual {
				return residual{
					norm: d.norm, before: "ln_1", parallel: true,
					attn: d.causal("attn", "names", names("o", "out_proj")),
					mlp:  d.plain("mlp", "activation_function", d.inner("n_inner"), "names", names("up", "fc_in", "down", "fc_out")),
				}
			}
			return d.document()
		},
	},
	{
		Types: []string{"gpt_neox"}, Name: "GPT-NeoX",
		Fields: fields(widths, rotary(10000, 0.25), []Field{
			context(2048), eps("layer_norm_eps", 1e-5), activation("hidden_act", "gelu"), tied(false), attentionBias(true),
			flag("use_parallel_residual", true, "attention and network stand side by side"),
		}),
		Build: func(c *config) *graph.Document {
			d := base(c)
			d.embed, d.stack, d.final, d.head = "gpt_neox.embed_in", "gpt_neox.layers", "gpt_neox.final_layer_norm", "embed_out"
			d.norm = layered(c, "layer_norm_eps", true)
			d.sides = []side{c.turning().rope(c, "gpt_neox.rotary_emb", d.headDim, d.context, false)}
			d.layer = func(variant) residual {
				r := d.pre(d.causal("attention", "bias", c.flag("attention_bias"), "layout", "interleaved", "names", names("o", "dense")),
					d.plain("mlp", "hidden_act", c.count("intermediate_size"), "names", denses))
				r.parallel = c.flag("use_parallel_residual")
				return r
			}
			return d.document()
		},
	},
	{
		Types: []string{"bloom"}, Name: "BLOOM",
		Fields: []Field{
			size("vocab_size", "rows of the embedding"),
			size("hidden_size", "width of the model", "n_embed"),
			depth("n_layer", "num_hidden_layers"),
			size("n_head", "heads of the queries", "num_attention_heads"),
			context(2048, "seq_length"), eps("layer_norm_epsilon", 1e-5), tied(true),
			flag("apply_residual_connection_post_layernorm", false, "residual paths begin behind the norms"),
		},
		Harmless: []string{"unk_token_id", "offset_alibi"},
		Build: func(c *config) *graph.Document {
			c.refuse("apply_residual_connection_post_layernorm")
			d := blockwise(c, c.count("n_head"), c.layers("n_layer"))
			d.split("n_head")
			d.embedNorm = "transformer.word_embeddings_layernorm"
			d.sides = []side{alibi("transformer.alibi", d.heads)}
			d.layer = func(variant) residual {
				return d.pre(d.causal("self_attention", "bias", true, "layout", "interleaved", "names", names("o", "dense")),
					single("mlp", "feedForward", params{"ffDim", 4 * d.width, "activation", "gelu_pytorch_tanh", "names", denses}))
			}
			return d.document()
		},
	},
	{
		Types: []string{"falcon"}, Name: "Falcon",
		Fields: fields(rotary(10000, 1), []Field{
			size("vocab_size", "rows of the embedding"),
			size("hidden_size", "width of the model"),
			depth("num_hidden_layers", "n_layer"),
			size("num_attention_heads", "heads of the queries", "n_head"),
			count("num_kv_heads", 0, "heads of keys and values, else as many as queries have", "n_head_kv"),
			context(2048), eps("layer_norm_epsilon", 1e-5), activation("activation", "gelu"), tied(true),
			count("ffn_hidden_size", 0, "inner width of the feed-forward network, else 4 · hidden_size"),
			count("num_ln_in_parallel_attn", 0, "norms of layers whose attention and network stand side by side"),
			flag("alibi", false, "scores fall with the distance of tokens, in place of angles"),
			flag("new_decoder_architecture", false, "the layer of Falcon 40B"),
			flag("multi_query", true, "all query heads share one head of keys and values"),
			flag("parallel_attn", true, "attention and network stand side by side"),
			flag("bias", false, "projections add a constant"),
		}),
		Harmless: []string{"ff_factor"},
		Build:    falcon,
	},
	{
		Types: []string{"opt"}, Name: "OPT",
		Fields: []Field{
			size("vocab_size", "rows of the embedding"),
			size("hidden_size", "width of the model"),
			depth("num_hidden_layers"),
			size("num_attention_heads", "heads of the queries"),
			size("ffn_dim", "inner width of the feed-forward network"),
			context(2048), lone("activation_function", "relu"), tied(true),
			count("word_embed_proj_dim", 0, "width of the embedding, else hidden_size"),
			flag("do_layer_norm_before", true, "norms stand before attention and network, else behind the residual paths"),
			flag("_remove_final_layer_norm", false, "there is no last norm"),
			flag("enable_bias", true, "projections add a constant"),
			flag("layer_norm_elementwise_affine", true, "norms have weights"),
		},
		Harmless: []string{"prefix"},
		Build:    opt,
	},
	{
		Types: []string{"mpt"}, Name: "MPT",
		Fields: []Field{
			size("vocab_size", "rows of the embedding"),
			size("d_model", "width of the model", "hidden_size"),
			depth("n_layers", "num_hidden_layers"),
			size("n_heads", "heads of the queries", "num_attention_heads"),
			ratio("expansion_ratio", 4, "inner width of the feed-forward network as a multiple of d_model"),
			count("max_position_embeddings", 2048, "longest sequence", "max_seq_len"),
			eps("layer_norm_epsilon", 1e-5), tied(true),
			object("attn_config", "attention"),
			flag("no_bias", true, "projections and norms add no constant"),
		},
		// The class has no table of positions, whatever learned_pos_emb says.
		Harmless: []string{"learned_pos_emb", "norm_type", "embedding_fraction", "init_config", "verbose"},
		Build:    mpt,
	},
}

// denses are the names of GPT-NeoX's feed-forward network.
var denses = names("up", "dense_h_to_4h", "down", "dense_4h_to_h")

// blockwise is a decoder named as BLOOM is.
func blockwise(c *config, heads, layers int64) *decoder {
	return &decoder{
		c: c, vocab: c.count("vocab_size"), width: c.count("hidden_size"), layers: layers, heads: heads,
		context: max(1, c.count("max_position_embeddings")), norm: layered(c, "layer_norm_epsilon", true),
		embed: "transformer.word_embeddings", stack: "transformer.h", final: "transformer.ln_f", head: "lm_head",
	}
}

// split settles the width of a head.
func (d *decoder) split(headsField string) {
	d.headDim = d.c.split(d.width, d.heads, "hidden_size", headsField)
}

// gptNeo alternates between attention to all tokens and to a window. Scores are
// not divided.
func gptNeo(c *config) *graph.Document {
	d := &decoder{
		c: c, vocab: c.count("vocab_size"), width: c.count("hidden_size"), layers: c.layers("num_layers"), heads: c.count("num_heads"),
		context: max(1, c.count("max_position_embeddings")), norm: layered(c, "layer_norm_epsilon", true),
		embed: "transformer.wte", stack: "transformer.h", final: "transformer.ln_f", head: "lm_head",
	}
	d.split("num_heads")
	d.learned("transformer.wpe", d.context)
	kinds := c.kinds(d.layers)
	if window := c.count("sliding_window"); window > 0 && window < d.context && kinds != nil {
		d.vary(func(i int64, v *variant) { v.sliding = kinds[i] == "local" })
	}
	d.layer = func(v variant) residual {
		return d.ln(d.attention("attn.attention", v, "outBias", true, "scale", 1.0, "names", names("o", "out_proj")),
			d.plain("mlp", "activation_function", d.inner("intermediate_size"), "names", names("up", "c_fc", "down", "c_proj")))
	}
	return d.document()
}

// kinds is the kind of attention of each layer, nil where it is not said well.
func (c *config) kinds(layers int64) []string {
	all := list[string](c, "attention_layers")
	if all == nil {
		all = c.spelled(layers)
	}
	if len(all) == 0 {
		return nil
	}
	if !perLayer(c, "attention_types", all, layers) {
		return nil
	}
	for _, kind := range all {
		if kind != "global" && kind != "local" {
			c.contradict("attention_types", "%q is not known, expected global or local", kind)
		}
	}
	return all
}

// spelled unrolls attention_types: lists of kinds, each with how often it
// repeats.
func (c *config) spelled(layers int64) (all []string) {
	for _, run := range list[[2]any](c, "attention_types") {
		kinds, ok := run[0].([]any)
		times, number := run[1].(float64)
		if !ok || !number || times < 0 || times > maxLayers {
			c.contradict("attention_types", "expected lists of kinds of attention, each with how often it repeats: [[[\"global\", \"local\"], 6]]")
			return nil
		}
		for range int(times) {
			for _, k := range kinds {
				kind, _ := k.(string)
				if all = append(all, kind); int64(len(all)) > layers {
					return all
				}
			}
		}
	}
	return all
}

// falcon is Falcon's decoder in its three forms: of 1B, 7B and 40B.
func falcon(c *config) *graph.Document {
	d := blockwise(c, c.count("num_attention_heads"), c.layers("num_hidden_layers"))
	d.split("num_attention_heads")
	modern, parallel := c.flag("new_decoder_architecture"), c.flag("parallel_attn")
	if c.flag("alibi") {
		d.sides = []side{alibi("transformer.alibi", d.heads)}
	} else {
		d.sides = []side{c.turning().rope(c, "transformer.rotary_emb", d.headDim, d.context, false)}
	}
	kv := d.heads
	switch named := c.count("num_kv_heads"); {
	case modern:
		kv = c.shared(d.heads, named, "num_kv_heads")
	case c.flag("multi_query"):
		kv = 1
	}
	bias := c.flag("bias")
	norms := c.count("num_ln_in_parallel_attn")
	d.layer = func(variant) residual {
		attn := params{"numHeads", d.heads, "bias", bias, "layout", "interleaved", "names", names("o", "dense")}
		if kv != d.heads {
			attn = append(attn, "numKVHeads", kv)
		}
		r := d.pre(single("self_attention", "groupedQueryAttention", attn),
			d.plain("mlp", "activation", d.inner("ffn_hidden_size"), "bias", bias, "names", denses))
		r.parallel = modern || parallel
		switch {
		case modern && norms != 1:
			r.before, r.mlpBefore = "ln_attn", "ln_mlp"
		case r.parallel:
			r.mlpBefore = ""
		}
		return r
	}
	return d.document()
}

// opt is OPT, whose table of positions begins with two rows that stand for none.
func opt(c *config) *graph.Document {
	d := &decoder{
		c: c, vocab: c.count("vocab_size"), width: c.count("hidden_size"), layers: c.layers("num_hidden_layers"), heads: c.count("num_attention_heads"),
		context: max(1, c.count("max_position_embeddings")), table: c.count("word_embed_proj_dim"),
		embed: "model.decoder.embed_tokens", stack: "model.decoder.layers", final: "model.decoder.final_layer_norm", head: "lm_head",
		project: [2]string{"model.decoder.project_in", "model.decoder.project_out"},
		norm:    norm{"layerNorm", params{"affine", c.flag("layer_norm_elementwise_affine")}},
	}
	d.split("num_attention_heads")
	d.learned("model.decoder.embed_positions", d.context+2)
	d.skipped = 2
	before, bias := c.flag("do_layer_norm_before"), c.flag("enable_bias")
	if c.flag("_remove_final_layer_norm") || !before {
		d.final = ""
	}
	act, inner := c.word("activation_function"), c.count("ffn_dim")
	d.layer = func(variant) residual {
		return residual{
			norm: d.norm, before: "self_attn_layer_norm", mlpBefore: "final_layer_norm", after: !before,
			attn: d.causal("self_attn", "bias", bias, "names", names("o", "out_proj")),
			mlp: func(s *sheet, in ...string) string {
				h := s.add("fc1", "linear", params{"outFeatures", inner, "bias", bias}, in...)
				return s.add("fc2", "linear", params{"outFeatures", d.width, "bias", bias}, activate(s, "activation_fn", act, h))
			},
		}
	}
	return d.document()
}

// attnFields are those of MPT's attn_config.
var attnFields = []Field{
	flag("alibi", true, "scores fall with the distance of tokens"),
	flag("qk_ln", false, "queries and keys are normalised"),
	word("attn_type", "multihead_attention", "kind of attention", "multihead_attention"),
	number("clip_qkv", 0, "bound of queries, keys and values"),
	number("softmax_scale", 0, "factor of the scores"),
	number("alibi_bias_max", 8, "steepest slope"),
	flag("prefix_lm", false, "tokens of a prefix see each other"),
}

// mpt is MPT: linear biases, no constants, queries, keys and values in one
// matrix.
func mpt(c *config) *graph.Document {
	d := &decoder{
		c: c, vocab: c.count("vocab_size"), width: c.count("d_model"), layers: c.layers("n_layers"), heads: c.count("n_heads"),
		context: max(1, c.count("max_position_embeddings")), norm: layered(c, "layer_norm_epsilon", !c.flag("no_bias")),
		embed: "transformer.wte", stack: "transformer.blocks", final: "transformer.norm_f", head: "lm_head",
	}
	d.headDim = c.split(d.width, d.heads, "d_model", "n_heads")
	d.sides = []side{alibi("transformer.alibi", d.heads)}
	var scale, clip float64
	if p, done := c.part("attn_config", attnFields); p != nil {
		p.refuse("qk_ln")
		p.refuse("prefix_lm")
		scale, clip = p.number("softmax_scale"), p.number("clip_qkv")
		p.word("attn_type")
		if !p.flag("alibi") {
			p.contradict("alibi", "found false, but the class has linear biases in any case")
		}
		if p.number("alibi_bias_max") != 8 {
			p.unsaid("alibi_bias_max", "slopes are those of a bias of 8; counts are not affected")
		}
		done()
	}
	ratio := max(1, c.count("expansion_ratio"))
	d.layer = func(variant) residual {
		return residual{
			norm: d.norm, before: "norm_1", mlpBefore: "norm_2",
			attn: d.causal("attn", "bias", !c.flag("no_bias"), "layout", "fused", "scale", scale, "clipQKV", clip, "names", names("qkv", "Wqkv", "o", "out_proj")),
			mlp:  single("ffn", "feedForward", params{"ffDim", ratio * d.width, "bias", !c.flag("no_bias")}),
		}
	}
	return d.document()
}
