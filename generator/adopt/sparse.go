package adopt

import (
	"math"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/strata-catalog/strata/generator/graph"
)

// topK is the field of the experts that work on one token.
func topK(class int64) Field {
	return count("num_experts_per_tok", class, "experts that work on one token")
}

// spaced are the fields that say which layers have experts.
var spaced = []Field{
	count("decoder_sparse_step", 1, "of so many layers in a row the last has experts"),
	series("mlp_only_layers", "layers without experts, counted from 0"),
	size("moe_intermediate_size", "inner width of an expert"),
	flag("norm_topk_prob", false, "weights of a token's experts are divided by their sum"),
}

// latent are the fields of latent attention.
var latent = []Field{
	count("q_lora_rank", 1536, "width of the latent queries; null: queries are projected directly"),
	count("kv_lora_rank", 512, "width of the latent keys and values"),
	count("qk_rope_head_dim", 64, "part of a head that angles turn"),
	count("qk_nope_head_dim", 128, "part of a head that knows no positions"),
	count("v_head_dim", 128, "width of the values of a head"),
}

// routed are the fields of DeepSeek's mixtures.
func routed(shared, dense int64, norm bool) []Field {
	return []Field{
		size("n_routed_experts", "experts to choose from"),
		count("n_shared_experts", shared, "experts that work on every token"),
		count("first_k_dense_replace", dense, "layers without experts before those that have them"),
		count("moe_layer_freq", 1, "of so many layers in a row the first has experts"),
		size("moe_intermediate_size", "inner width of an expert"),
		flag("norm_topk_prob", norm, "weights of a token's experts are divided by their sum"),
		number("routed_scaling_factor", 1, "factor of these weights"),
		count("num_nextn_predict_layers", 0, "layers that predict further tokens, kept apart from the model"),
	}
}

// grouped are the fields of a choice of experts group by group.
func grouped(groups, top int64) []Field {
	return []Field{
		count("n_group", groups, "groups of experts"),
		count("topk_group", top, "groups that a token's experts come from"),
	}
}

var sparse = []*Family{
	{
		Types: []string{"mixtral"}, Name: "Mixtral",
		Fields: fields(sizes, rotary(1e6, 1), windows(0), []Field{
			context(131072), shared(8), headDim(0), eps("rms_norm_eps", 1e-5), gate("hidden_act", "silu"), tied(false),
			size("num_local_experts", "experts to choose from"), topK(2),
		}),
		Build: func(c *config) *graph.Document {
			d := llama(c)
			d.slide(true, every)
			return d.spread().experts("block_sparse_moe", d.mixture("num_local_experts", c.count("intermediate_size"), "names", w123)).document()
		},
	},
	{
		Types: []string{"phimoe"}, Name: "Phi-3.5-MoE",
		Fields: fields(sizes, rotary(1e6, 1), windows(0), []Field{
			context(131072), shared(8), eps("rms_norm_eps", 1e-5), gate("hidden_act", "silu"), tied(false), attentionBias(false),
			flag("lm_head_bias", false, "the head adds a constant"),
			size("num_local_experts", "experts to choose from"), topK(2),
			number("router_jitter_noise", 0.01, "half of how far below the best a router's score may lie"),
		}),
		Build: func(c *config) *graph.Document {
			d := llama(c)
			d.slide(true, every)
			d.norm, d.headBias = layered(c, "rms_norm_eps", true), c.flag("lm_head_bias")
			return d.spread().experts("block_sparse_moe", d.mixture("num_local_experts", c.count("intermediate_size"),
				"scoring", "sparsemixer", "tolerance", 2*c.number("router_jitter_noise"), "normTopK", false, "names", w123)).document()
		},
	},
	{
		Types: []string{"qwen2_moe"}, Name: "Qwen2-MoE",
		Fields: fields(sizes, rotary(10000, 1), someWindows, spaced, []Field{
			context(32768), shared(16), headDim(0), eps("rms_norm_eps", 1e-6), gate("hidden_act", "silu"), tied(false),
			flag("qkv_bias", true, "queries, keys and values add a constant"),
			size("num_experts", "experts to choose from", "num_local_experts"), topK(4),
			size("shared_expert_intermediate_size", "inner width of the expert that works on every token"),
		}),
		Build: func(c *config) *graph.Document {
			d := qwen(llama(c, "qkvBias", c.flag("qkv_bias"))).space()
			p := d.mixture("num_experts", c.count("moe_intermediate_size"), "normTopK", c.flag("norm_topk_prob"),
				"sharedExpertDim", c.count("shared_expert_intermediate_size"), "sharedGate", true, "names", names("shared", "shared_expert"))
			return d.experts("mlp", p).document()
		},
	},
	{
		Types: []string{"qwen3_moe"}, Name: "Qwen3-MoE",
		Fields: fields(sizes, rotary(10000, 1), someWindows, spaced, []Field{
			context(32768), shared(4), headDim(0), eps("rms_norm_eps", 1e-6), gate("hidden_act", "silu"), tied(false), attentionBias(false),
			size("num_experts", "experts to choose from", "num_local_experts"), topK(8),
		}),
		Build: func(c *config) *graph.Document {
			d := qwen(llama(c, normedHeads(c, "head")...)).space()
			return d.experts("mlp", d.mixture("num_experts", c.count("moe_intermediate_size"), "normTopK", c.flag("norm_topk_prob"))).document()
		},
	},
	{
		Types: []string{"olmoe"}, Name: "OLMoE",
		Fields: fields(sizes, rotary(10000, 1), clipped, []Field{
			context(4096), eps("rms_norm_eps", 1e-5), gate("hidden_act", "silu"), tied(false), attentionBias(false),
			size("num_experts", "experts to choose from", "num_local_experts"), topK(8),
			flag("norm_topk_prob", false, "weights of a token's experts are divided by their sum"),
		}),
		Build: func(c *config) *graph.Document {
			d := llama(c, append(normedHeads(c, "full"), "clipQKV", c.number("clip_qkv"))...)
			return d.spread().experts("mlp", d.mixture("num_experts", c.count("intermediate_size"), "normTopK", c.flag("norm_topk_prob"))).document()
		},
	},
	{
		Types: []string{"deepseek"}, Name: "DeepSeek-MoE",
		Fields: fields(sizes, rotary(10000, 1), routed(0, 0, false), []Field{
			context(2048), eps("rms_norm_eps", 1e-6), gate("hidden_act", "silu"), tied(false), attentionBias(false), size("num_experts_per_tok", "experts that work on one token"),
			word("scoring_func", "softmax", "how scores become weights", "softmax"),
		}),
		Build: func(c *config) *graph.Document {
			d := llama(c)
			return d.deepseek("scoring", c.word("scoring_func")).document()
		},
	},
	{
		Types: []string{"deepseek_v2"}, Name: "DeepSeek-V2",
		Fields: fields(widths, rotary(10000, 1), latent, routed(2, 0, false), grouped(0, 0), []Field{
			context(2048), eps("rms_norm_eps", 1e-6), gate("hidden_act", "silu"), tied(false), attentionBias(false), size("num_experts_per_tok", "experts that work on one token"),
			word("topk_method", "greedy", "how experts are chosen", "greedy", "group_limited_greedy"),
			word("scoring_func", "softmax", "how scores become weights", "softmax"),
		}),
		Harmless: []string{"num_key_value_heads", "head_dim", "qk_head_dim", "mlp_bias"}, // head_dim follows from the parts of a head
		Build: func(c *config) *graph.Document {
			more := []any{"scoring", c.word("scoring_func")}
			if c.word("topk_method") == "group_limited_greedy" {
				more = append(more, "numGroups", c.count("n_group"), "topGroups", c.count("topk_group"))
			}
			return latentDecoder(c).deepseek(more...).document()
		},
	},
	{
		Types: []string{"deepseek_v3", "kimi_k2"}, Name: "DeepSeek-V3",
		Fields: fields(widths, rotary(10000, 1), latent, routed(1, 3, true), grouped(8, 4), []Field{
			context(4096), eps("rms_norm_eps", 1e-6), gate("hidden_act", "silu"), tied(false), attentionBias(false), topK(8),
			number("routed_scaling_factor", 2.5, "factor of the weights of experts"),
			word("topk_method", "noaux_tc", "how experts are chosen", "noaux_tc"),
			word("scoring_func", "sigmoid", "how scores become weights", "sigmoid"),
			flag("rope_interleave", true, "neighbouring features turn together"),
		}),
		Harmless: []string{"num_key_value_heads", "head_dim", "qk_head_dim"},
		Build: func(c *config) *graph.Document {
			c.word("topk_method")
			return latentDecoder(c).deepseek("scoring", c.word("scoring_func"), "scoreCorrection", true,
				"numGroups", c.count("n_group"), "topGroups", c.count("topk_group")).document()
		},
	},
	{
		Types: []string{"glm4_moe"}, Name: "GLM-4.5",
		Fields: fields(sizes, rotary(10000, 0.5), routed(1, 1, true), grouped(1, 1), []Field{
			context(131072), shared(8), headDim(0), eps("rms_norm_eps", 1e-5), gate("hidden_act", "silu"), tied(false), attentionBias(false), topK(8),
			flag("use_qk_norm", false, "queries and keys are normalised head by head"),
		}),
		Build: func(c *config) *graph.Document {
			d := base(c).turn(false)
			d.norm = rms(c)
			more := []any{"qkvBias", c.flag("attention_bias")}
			if c.flag("use_qk_norm") {
				more = append(more, normedHeads(c, "head")...)
			}
			d.layer = func(v variant) residual {
				return d.pre(d.attention("self_attn", v, more...), d.gated("mlp", "hidden_act", c.count("intermediate_size")))
			}
			return d.deepseek("scoring", "sigmoid", "scoreCorrection", true, "numGroups", c.count("n_group"), "topGroups", c.count("topk_group")).document()
		},
	},
	{
		Types: []string{"gpt_oss"}, Name: "gpt-oss",
		Fields: fields(sizes, rotary(150000, 1), windows(128), []Field{
			context(131072), shared(8), headDim(64), eps("rms_norm_eps", 1e-5), tied(false), attentionBias(true),
			size("num_local_experts", "experts to choose from"), topK(4),
			number("swiglu_limit", 7, "bound of gates and values"),
			number("swiglu_alpha", 1.702, "steepness of the gates"),
		}),
		Harmless: []string{"hidden_act", "experts_per_token", "initial_context_length"},
		Build: func(c *config) *graph.Document {
			if c.number("swiglu_limit") != 7 || c.number("swiglu_alpha") != 1.702 {
				c.unsaid("swiglu_limit", "the activation is gpt-oss's own, with a bound of 7 and a steepness of 1.702; counts are not affected")
			}
			d := llama(c, "sinks", true)
			d.slide(true, func(i int64) bool { return i%2 == 0 })
			return d.spread().experts("mlp", d.mixture("num_local_experts", c.count("intermediate_size"), "activation", "swigluoai",
				"layout", "stacked", "transposed", true, "bias", true, "routerBias", true, "names", names("router", "router"))).document()
		},
	},
	{
		Types: []string{"dbrx"}, Name: "DBRX",
		Fields: []Field{
			size("vocab_size", "rows of the embedding"),
			size("d_model", "width of the model", "hidden_size"),
			depth("n_layers", "num_hidden_layers"),
			size("n_heads", "heads of the queries", "num_attention_heads"),
			count("max_seq_len", 2048, "longest sequence", "max_position_embeddings"),
			tied(false), object("attn_config", "attention"), object("ffn_config", "the mixture of experts"),
		},
		Build: dbrx,
	},
	{
		Types: []string{"llama4_text"}, Name: "Llama 4",
		Fields: llama4Fields, Harmless: []string{"for_llm_compressor"},
		Build: func(c *config) *graph.Document { return llama4(c).document() },
	},
}

// attentionOfDBRX and expertsOfDBRX are the fields of its attn_config and
// ffn_config.
var (
	attentionOfDBRX = []Field{
		number("clip_qkv", 0, "bound of queries, keys and values"),
		count("kv_n_heads", 1, "heads of keys and values"),
		number("rope_theta", 10000, "base of the wavelengths"),
	}
	expertsOfDBRX = []Field{
		count("ffn_hidden_size", 3584, "inner width of an expert"),
		count("moe_num_experts", 4, "experts to choose from"),
		count("moe_top_k", 1, "experts that work on one token"),
		number("moe_normalize_expert_weights", 1, "which norm of a token's weights is made 1"),
		object("ffn_act_fn", "activation of the gate"),
	}
	activationOfDBRX = []Field{gate("name", "silu")}
)

// dbrx is DBRX: experts above each other in one matrix for each projection, and
// a bound of queries, keys and values.
func dbrx(c *config) *graph.Document {
	d := &decoder{
		c: c, vocab: c.count("vocab_size"), width: c.count("d_model"), layers: c.layers("n_layers"), heads: c.count("n_heads"), context: max(1, c.count("max_seq_len")),
		embed: "transformer.wte", stack: "transformer.blocks", final: "transformer.norm_f", head: "lm_head", norm: norm{"layerNorm", params{"bias", false}},
	}
	d.headDim = c.split(d.width, d.heads, "d_model", "n_heads")
	a, aDone := c.object("attn_config", attentionOfDBRX)
	theta := a.number("rope_theta")
	if theta < 1 {
		a.contradict("rope_theta", "found %v, expected at least 1", theta)
	}
	d.sides = []side{turning{theta: theta, share: 1, scaling: "none"}.rope(c, "transformer.rotary_emb", d.headDim, d.context, false)}
	attn := params{"numHeads", d.heads, "clipQKV", a.number("clip_qkv"), "layout", "fused", "names", names("qkv", "Wqkv", "o", "out_proj")}
	if kv := a.shared(d.heads, max(1, a.count("kv_n_heads")), "kv_n_heads"); kv != d.heads {
		attn = append(attn, "numKVHeads", kv)
	}
	aDone()
	f, fDone := c.object("ffn_config", expertsOfDBRX)
	n, k := max(1, f.count("moe_num_experts")), max(1, f.count("moe_top_k"))
	if k > n {
		f.contradict("moe_top_k", "%d experts work on a token, but moe_num_experts is %d", k, n)
	}
	act := "silu"
	if g, done := f.part("ffn_act_fn", activationOfDBRX); g != nil {
		act = expertActs[g.word("name")]
		done()
	}
	experts := params{"numExperts", n, "expertDim", max(1, f.count("ffn_hidden_size")), "topK", k, "activation", act, "layout", "rows",
		"names", names("router", "router.layer", "gate", "mlp.w1", "up", "mlp.v1", "down", "mlp.w2")}
	switch f.number("moe_normalize_expert_weights") {
	case 1:
	case 0: // null
		experts = append(experts, "normTopK", false)
	default:
		f.contradict("moe_normalize_expert_weights", "found %v; only weights that add up to 1, and null, can be imported", f.number("moe_normalize_expert_weights"))
	}
	fDone()
	d.layer = func(variant) residual {
		return residual{
			norm: d.norm, before: "norm_attn_norm.norm_1", mlpBefore: "norm_attn_norm.norm_2",
			attn: single("norm_attn_norm.attn", "groupedQueryAttention", attn), mlp: single("ffn", "moeLayer", experts),
		}
	}
	return d.document()
}

// expertActs are the activations of experts, by their names in configurations.
var expertActs = map[string]string{
	"silu": "silu", "swish": "silu", "gelu": "gelu", "gelu_new": "gelu_pytorch_tanh", "gelu_pytorch_tanh": "gelu_pytorch_tanh", "gelu_fast": "gelu_pytorch_tanh",
}

// llama4Fields are the fields of the language model of Llama 4.
var llama4Fields = fields(sizes, rotary(500000, 1), []Field{
	context(131072), shared(8), headDim(128), eps("rms_norm_eps", 1e-5), gate("hidden_act", "silu"), tied(false), attentionBias(false),
	count("intermediate_size_mlp", 16384, "inner width of the network of a layer without experts"),
	count("num_local_experts", 16, "experts to choose from"), topK(1),
	series("moe_layers", "layers with experts, counted from 0"),
	count("interleave_moe_layer_step", 1, "of so many layers in a row the last has experts"),
	flag("use_qk_norm", true, "queries and keys that angles turn are divided by their root mean square"),
	series("no_rope_layers", "for each layer 1 where angles turn its heads, else 0"),
	count("no_rope_layer_interval", 4, "of so many layers in a row the last is told no positions"),
	count("attention_chunk_size", 8192, "tokens of a chunk, within which attention stays"),
	series("layer_types", "for each layer chunked_attention or full_attention"),
	{Name: "attn_temperature_tuning", Kind: Any, Doc: "whether queries of layers without angles grow with their position: true, false or a number"},
	count("floor_scale", 8192, "tokens from one step of that growth to the next"),
	number("attn_scale", 0.1, "strength of that growth"),
})

// llama4 is the decoder of Llama 4: layers whose attention stays within a chunk
// and is turned by angles, and layers that see all tokens and know no positions.
func llama4(c *config) *decoder {
	d := base(c).turn(true)
	d.norm = rms(c)
	chunk, every := c.count("attention_chunk_size"), max(1, c.count("no_rope_layer_interval"))
	turned, types := list[int](c, "no_rope_layers"), list[string](c, "layer_types")
	if len(turned) > 0 && !perLayer(c, "no_rope_layers", turned, d.layers) {
		turned = nil
	}
	if types != nil && !perLayer(c, "layer_types", types, d.layers) {
		types = nil
	}
	for _, t := range types {
		if t != "chunked_attention" && t != "full_attention" {
			c.contradict("layer_types", "%q is not known, expected chunked_attention or full_attention", t)
		}
	}
	step, only := max(1, c.count("interleave_moe_layer_step")), list[int64](c, "moe_layers")
	for _, i := range only {
		if i < 0 || i >= d.layers {
			c.contradict("moe_layers", "names layer %d, but there are %d, counted from 0", i, d.layers)
		}
	}
	d.vary(func(i int64, v *variant) {
		v.unplaced = (i+1)%every == 0
		if len(turned) > 0 {
			v.unplaced = turned[i] == 0
		}
		v.chunked = !v.unplaced && chunk > 0
		if types != nil {
			v.chunked = types[i] == "chunked_attention"
		}
		v.chunked = v.chunked && chunk < d.context
		v.sparse = (i+1)%step == 0
		if only != nil {
			v.sparse = slices.Contains(only, i)
		}
	})
	normed, grown := c.flag("use_qk_norm"), c.truth("attn_temperature_tuning", true)
	growth, growEvery := c.number("attn_scale"), max(1, c.count("floor_scale"))
	d.layer = func(v variant) residual {
		more := []any{"bias", c.flag("attention_bias")}
		if v.chunked {
			more = append(more, "chunkSize", chunk)
		}
		if normed && !v.unplaced {
			more = append(more, append(normedHeads(c, "head"), "qkNormAffine", false)...)
		}
		if grown && v.unplaced && growth > 0 {
			more = append(more, "queryGrowth", growth, "queryGrowthEvery", growEvery)
		}
		return d.pre(d.attention("self_attn", v, more...), d.gated("feed_forward", "hidden_act", max(1, c.count("intermediate_size_mlp"))))
	}
	return d.experts("feed_forward", d.mixture("num_local_experts", c.count("intermediate_size"), "scoring", "sigmoid", "normTopK", false, "scaleInput", true,
		"layout", "stacked", "transposed", true, "numSharedExperts", 1, "names", names("router", "router", "shared", "shared_expert")))
}

// truth is a flag that older files give as a number.
func (c *config) truth(name string, class bool) bool {
	b, ok := value(c, name, func(_ *Field, v jsontext.Value) (bool, bool) {
		n, number := whole(v, maxSize)
		return v.Kind() == 't' || n > 0, v.Kind() == 't' || v.Kind() == 'f' || number
	})
	return b || !ok && class
}

// w123 are the names of an expert's matrices in Mixtral.
var w123 = names("gate", "w1", "up", "w3", "down", "w2")

// mixture is the parameters of experts of a width.
func (d *decoder) mixture(experts string, inner int64, more ...any) params {
	n, k := d.c.count(experts), max(1, d.c.count("num_experts_per_tok"))
	if k > n {
		d.c.contradict("num_experts_per_tok", "%d experts work on a token, but %s is %d", k, experts, n)
	}
	return append(params{"numExperts", n, "expertDim", inner, "topK", k, "activation", d.expertAct()}, more...)
}

// expertAct is the activation of experts: that of the network they replace.
func (d *decoder) expertAct() string {
	if act := d.c.word("hidden_act"); act != "swish" {
		return act
	}
	return "silu"
}

// experts puts a mixture in the place of the network, in the layers that are
// sparse.
func (d *decoder) experts(id string, p params) *decoder {
	typ := "moeLayer"
	for i := 0; i < len(p); i += 2 {
		if p[i] == "numSharedExperts" || p[i] == "sharedExpertDim" {
			typ = "sharedExpertMoE"
		}
	}
	inner := d.layer
	d.layer = func(v variant) residual {
		r := inner(v)
		if v.sparse {
			r.mlp = single(id, typ, p)
		}
		return r
	}
	return d
}

// spread marks every layer as one with experts.
func (d *decoder) spread() *decoder {
	d.vary(func(_ int64, v *variant) { v.sparse = true })
	return d
}

// space marks the layers with experts as Qwen's configurations do.
func (d *decoder) space() *decoder {
	step, only := max(1, d.c.count("decoder_sparse_step")), list[int64](d.c, "mlp_only_layers")
	for _, i := range only {
		if i < 0 || i >= d.layers {
			d.c.contradict("mlp_only_layers", "names layer %d, but there are %d, counted from 0", i, d.layers)
		}
	}
	d.vary(func(i int64, v *variant) { v.sparse = (i+1)%step == 0 && !slices.Contains(only, i) })
	return d
}

// deepseek gives the decoder the mixtures of DeepSeek; more are parameters of
// the choice of experts.
func (d *decoder) deepseek(more ...any) *decoder {
	c := d.c
	first, step := c.count("first_k_dense_replace"), max(1, c.count("moe_layer_freq"))
	d.vary(func(i int64, v *variant) { v.sparse = i >= first && i%step == 0 })
	if c.count("num_nextn_predict_layers") > 0 {
		c.unsaid("num_nextn_predict_layers", "the document is the main model, without the layers that predict further tokens")
	}
	p := d.mixture("n_routed_experts", c.count("moe_intermediate_size"),
		append([]any{"normTopK", c.flag("norm_topk_prob"), "routedScale", c.number("routed_scaling_factor")}, more...)...)
	if n := c.count("n_shared_experts"); n > 0 {
		p = append(p, "numSharedExperts", n)
	}
	return d.experts("mlp", p)
}

// latentDecoder is a decoder with latent attention.
func latentDecoder(c *config) *decoder {
	d := base(c)
	d.headDim = c.count("qk_rope_head_dim")
	t := c.turning()
	interleaved := c.family.field("rope_interleave") == nil || c.flag("rope_interleave")
	d.sides = []side{t.rope(c, "model.rotary_emb", d.headDim, d.context, interleaved)}
	d.norm = rms(c)
	nope := c.count("qk_nope_head_dim")
	p := params{
		"numHeads", d.heads, "qLatentDim", c.count("q_lora_rank"), "kvLatentDim", c.count("kv_lora_rank"),
		"ropeHeadDim", d.headDim, "nopeHeadDim", nope, "vHeadDim", c.count("v_head_dim"), "bias", c.flag("attention_bias"),
	}
	if t.scale != 1 {
		p = append(p, "scale", t.scale/math.Sqrt(float64(d.headDim+nope)))
	}
	d.layer = func(variant) residual {
		return d.pre(single("self_attn", "mla", p), d.gated("mlp", "hidden_act", c.count("intermediate_size")))
	}
	return d
}
