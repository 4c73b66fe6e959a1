package adopt

import "github.com/strata-catalog/strata/generator/graph"

// remote are families whose classes come with the checkpoint.
var remote = []*Family{
	{
		Types: []string{"qwen"}, Name: "Qwen",
		Fields: fields(widths, rotary(10000, 1), []Field{
			context(8192, "seq_length"), eps("layer_norm_epsilon", 1e-6), tied(false),
			count("head_dim", 128, "width of a head", "kv_channels"),
			flag("no_bias", true, "projections other than those of queries, keys and values add no constant"),
		}),
		Harmless: []string{"scale_attn_weights", "fp16", "bf16", "fp32", "softmax_in_fp32", "onnx_safe", "use_cache_quantization", "use_cache_kernel"},
		Build: func(c *config) *graph.Document {
			d := base(c)
			d.embed, d.stack, d.final = "transformer.wte", "transformer.h", "transformer.ln_f"
			d.norm = norm{"rmsNorm", params{"eps", c.number("layer_norm_epsilon")}}
			d.sides = []side{c.turning().rope(c, "transformer.rotary_emb", d.headDim, d.context, false)}
			inner, bias := c.count("intermediate_size"), !c.flag("no_bias")
			if inner%2 != 0 {
				c.contradict("intermediate_size", "found %d, but it holds gates and values, which are equally many", inner)
			}
			d.layer = func(v variant) residual {
				return d.ln(d.attention("attn", v, "qkvBias", true, "outBias", bias, "layout", "fused", "names", names("qkv", "c_attn", "o", "c_proj")),
					single("mlp", "swiglu", params{"intermediateSize", max(1, inner/2), "bias", bias, "names", names("gate", "w2", "up", "w1", "down", "c_proj")}))
			}
			return d.document()
		},
	},
	{
		Types: []string{"chatglm"}, Name: "ChatGLM",
		Fields: []Field{
			size("padded_vocab_size", "rows of the embedding", "vocab_size"),
			size("hidden_size", "width of the model"),
			depth("num_layers", "num_hidden_layers"),
			size("num_attention_heads", "heads of the queries"),
			size("ffn_hidden_size", "inner width of the feed-forward network", "intermediate_size"),
			count("kv_channels", 128, "width of a head", "head_dim"),
			count("seq_length", 2048, "longest sequence", "max_position_embeddings"),
			flag("multi_query_attention", false, "query heads share heads of keys and values"),
			count("multi_query_group_num", 1, "heads of keys and values"),
			flag("add_qkv_bias", false, "queries, keys and values add a constant"),
			flag("add_bias_linear", true, "other projections add a constant"),
			flag("post_layer_norm", true, "there is a last norm"),
			flag("rmsnorm", true, "norms are RMSNorms"),
			flag("apply_residual_connection_post_layernorm", false, "residual paths begin behind the norms"),
			number("rope_ratio", 1, "factor of the base of the wavelengths"),
			eps("layernorm_epsilon", 1e-5), tied(false),
		},
		Harmless: []string{"apply_query_key_layer_scaling", "fp32_residual_connection", "pre_seq_len", "prefix_projection", "quantization_bit", "original_rope", "interleaved_qkv"},
		Build:    chatglm,
	},
}

// chatglm is ChatGLM2 and 3: angles turn half of each head in neighbouring
// pairs, and gate and values stand in one matrix.
func chatglm(c *config) *graph.Document {
	c.refuse("apply_residual_connection_post_layernorm")
	d := &decoder{
		c: c, vocab: c.count("padded_vocab_size"), width: c.count("hidden_size"), layers: c.layers("num_layers"), heads: c.count("num_attention_heads"),
		context: max(1, c.count("seq_length")), headDim: max(1, c.count("kv_channels")),
		embed: "transformer.embedding.word_embeddings", stack: "transformer.encoder.layers", final: "transformer.encoder.final_layernorm", head: "transformer.output_layer",
	}
	kv := d.heads
	if groups := max(1, c.count("multi_query_group_num")); c.flag("multi_query_attention") {
		kv = c.shared(d.heads, groups, "multi_query_group_num")
	}
	d.norm = norm{"rmsNorm", params{"eps", c.number("layernorm_epsilon")}}
	if !c.flag("rmsnorm") {
		d.norm = layered(c, "layernorm_epsilon", true)
	}
	if !c.flag("post_layer_norm") {
		d.final = ""
	}
	ratio := c.number("rope_ratio")
	if ratio < 1 {
		c.contradict("rope_ratio", "found %v, expected at least 1", ratio)
	}
	d.sides = []side{turning{theta: 10000 * ratio, share: 0.5, scaling: "none"}.rope(c, "transformer.rotary_pos_emb", d.headDim, d.context, true)}
	inner, bias := c.count("ffn_hidden_size"), c.flag("add_bias_linear")
	attn := params{"numHeads", d.heads, "qkvBias", bias || c.flag("add_qkv_bias"), "outBias", bias, "layout", "fused", "names", names("qkv", "query_key_value", "o", "dense")}
	if kv != d.heads {
		attn = append(attn, "numKVHeads", kv)
	}
	if d.headDim*d.heads != d.width {
		attn = append(attn, "headDim", d.headDim)
	}
	d.layer = func(variant) residual {
		return d.pre(single("self_attention", "groupedQueryAttention", attn),
			single("mlp", "swiglu", params{"intermediateSize", inner, "bias", bias, "layout", "fused", "names", names("gate_up", "dense_h_to_4h", "down", "dense_4h_to_h")}))
	}
	return d.document()
}
