package adopt

import (
	"fmt"
	"slices"

	"github.com/strata-catalog/strata/generator/graph"
)

var modern = []*Family{
	{
		Types: []string{"modernbert"}, Name: "ModernBERT",
		Fields: fields(widths, rotary(160000, 1), []Field{
			number("rope_theta", 160000, "base of the wavelengths of layers that see all tokens", "global_rope_theta"),
			number("local_rope_theta", 10000, "base of the wavelengths of layers with a window"),
			count("sliding_window", 128, "tokens that a token sees, around itself", "local_attention"),
			series("layer_types", "for each layer sliding_attention or full_attention"),
			count("global_attn_every_n_layers", 3, "of so many layers in a row the first sees all tokens"),
			context(8192), eps("norm_eps", 1e-5), gate("hidden_activation", "gelu"), tied(true), attentionBias(false),
			flag("norm_bias", false, "norms add a constant"),
			flag("mlp_bias", false, "projections of the network add a constant"),
			flag("decoder_bias", true, "the head adds a constant"),
			flag("classifier_bias", false, "the layer before the head adds a constant"),
			lone("classifier_activation", "gelu"),
			series("architectures", "classes of the checkpoint; one for masked tokens has a head"),
		}),
		Harmless: []string{
			"initializer_cutoff_factor", "mlp_dropout", "classifier_pooling", "deterministic_flash_attn", "reference_compile",
			"repad_logits_with_grad", "sparse_prediction", "sparse_pred_ignore_index", "position_embedding_type", "layer_norm_eps",
		},
		Build: modernBERT,
	},
}

// modernBERT is ModernBERT: angles of two bases, and a first layer without a
// norm before attention.
func modernBERT(c *config) *graph.Document {
	c.masked = slices.Contains(list[string](c, "architectures"), "ModernBertForMaskedLM")
	prefix := ""
	if c.masked {
		prefix = "model."
	}
	d := base(c)
	d.norm, d.stack = layered(c, "norm_eps", c.flag("norm_bias")), prefix+"layers"
	all := c.turning()
	whole := all.rope(c, prefix+"rotary_emb", d.headDim, d.context, false)
	whole.of = func(v variant) bool { return !v.sliding }
	near := turning{theta: or(all.local, c.number("local_rope_theta")), share: 1, scaling: "none"}.rope(c, prefix+"rotary_emb_local", d.headDim, d.context, false)
	near.of = func(v variant) bool { return v.sliding }
	d.sides = []side{whole, near}
	every := max(1, c.count("global_attn_every_n_layers"))
	d.slide(true, func(i int64) bool { return i%every != 0 })
	d.vary(func(i int64, v *variant) { v.first = i == 0 })
	d.layer = d.modernLayer

	var s sheet
	x := s.add("input_ids", "input", params{"shape", []int64{1, d.context}})
	x = s.add(prefix+"embeddings.tok_embeddings", "embedding", params{"numEmbeddings", d.vocab, "embeddingDim", d.width}, x)
	table := x
	x = d.norm.add(&s, prefix+"embeddings.norm", x)
	x, blocks := d.stacked(&s, x)
	x = d.norm.add(&s, prefix+"final_norm", x)
	dense, act := c.flag("classifier_bias"), c.word("classifier_activation")
	tied, bias := "", c.flag("decoder_bias")
	if c.flag("tie_word_embeddings") {
		tied = table
	}
	if c.masked {
		x = s.add("head.dense", "linear", params{"outFeatures", d.width, "bias", dense}, x)
		x = d.norm.add(&s, "head.norm", activate(&s, "head.act", act, x))
		x = s.add("decoder", "linear", params{"outFeatures", d.vocab, "bias", bias, "tiedTo", tied}, x)
		s.add("logits", "output", nil, x)
	} else {
		s.add("last_hidden_state", "output", nil, x)
	}
	return &graph.Document{
		Source: c.src, ID: c.id, Name: c.id, Category: "NLP/Encoder", Tags: []string{"encoder"}, Components: s.list, Blocks: blocks,
		Description: fmt.Sprintf("%s: encoder of %d layers, %d wide, with %d attention heads", c.family.Name, d.layers, d.width, d.heads),
	}
}

// modernLayer is a layer of ModernBERT.
func (d *decoder) modernLayer(v variant) residual {
	c := d.c
	typ, p := "multiHeadAttention", params{"numHeads", d.heads, "bias", c.flag("attention_bias"), "layout", "fused", "names", names("qkv", "Wqkv", "o", "Wo")}
	if window := c.count("sliding_window"); v.sliding && window < d.context {
		typ, p = "localAttention", append(p, "windowSize", window)
	}
	r := residual{
		norm: d.norm, before: "attn_norm", mlpBefore: "mlp_norm", attn: single("attn", typ, p),
		mlp: d.gated("mlp", "hidden_activation", c.count("intermediate_size"), "bias", c.flag("mlp_bias"), "layout", "fused", "names", names("gate_up", "Wi", "down", "Wo")),
	}
	if v.first {
		r.before = ""
	}
	return r
}
