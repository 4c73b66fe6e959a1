package adopt

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/strata-catalog/strata/generator/graph"
)

// pairs are encoders with a decoder that attends to what they yield.
var pairs = []*Family{
	{
		Types: []string{"t5"}, Name: "T5",
		Fields: []Field{
			size("vocab_size", "rows of the embedding"),
			size("d_model", "width of the model", "hidden_size"),
			size("d_kv", "width of a head"),
			size("d_ff", "inner width of the feed-forward network"),
			depth("num_layers", "num_hidden_layers"),
			{Name: "num_decoder_layers", Kind: Count, Max: maxLayers, Doc: "layers of the decoder, else num_layers"},
			size("num_heads", "heads", "num_attention_heads"),
			count("relative_attention_num_buckets", 32, "rows of the table of distances"),
			count("relative_attention_max_distance", 128, "distance from which on all are the same"),
			word("feed_forward_proj", "relu", "activation of the feed-forward network, behind gated- where it has a gate", slices.Concat(slices.Sorted(maps.Keys(gated)), activations)...),
			eps("layer_norm_epsilon", 1e-6), tied(true),
			count("n_positions", 512, "length of the sequences; distances have no longest one"),
		},
		Harmless: []string{"dropout_rate", "dense_act_fn", "is_gated_act", "num_beams", "early_stopping", "prefix"},
		Build:    t5,
	},
	{
		Types: []string{"bart"}, Name: "BART",
		Fields: pairFields, Harmless: pairHarmless,
		Build: func(c *config) *graph.Document {
			return newPair(c, slices.Contains(c.classes("BartModel", "BartForConditionalGeneration"), "BartForConditionalGeneration")).bart()
		},
	},
	{
		Types: []string{"marian"}, Name: "Marian",
		Fields: fields(pairFields, []Field{
			count("decoder_vocab_size", 0, "rows of the embedding of the decoder, else vocab_size"),
			flag("share_encoder_decoder_embeddings", true, "encoder and decoder have one embedding"),
		}),
		Harmless: pairHarmless,
		Build: func(c *config) *graph.Document {
			return newPair(c, !slices.Contains(c.classes("MarianModel", "MarianMTModel"), "MarianModel")).marian()
		},
	},
}

// pairFields are the fields of models that are named as BART is.
var pairFields = fields(stackFields, []Field{
	context(1024),
	flag("scale_embedding", false, "rows of the embedding are multiplied by the root of d_model"),
})

// stackFields are those of its two stacks.
var stackFields = []Field{
	size("vocab_size", "rows of the embedding"),
	size("d_model", "width of the model", "hidden_size"),
	depth("encoder_layers"), depth("decoder_layers"),
	size("encoder_attention_heads", "heads of the encoder"),
	size("decoder_attention_heads", "heads of the decoder"),
	size("encoder_ffn_dim", "inner width of the feed-forward networks of the encoder"),
	size("decoder_ffn_dim", "inner width of the feed-forward networks of the decoder"),
	lone("activation_function", "gelu"), tied(true), classes,
}

// classes is the field that tells what head a checkpoint has.
var classes = series("architectures", "classes of the checkpoint, which tell whether there is a head")

// pairHarmless are what configurations of BART and Marian say beside.
var pairHarmless = []string{
	"num_hidden_layers", "num_attention_heads", "encoder_layerdrop", "decoder_layerdrop", "forced_bos_token_id", "forced_eos_token_id", "force_bos_token_to_be_generated",
	"early_stopping", "no_repeat_ngram_size", "bad_words_ids", "prefix", "normalize_before", "normalize_embedding", "add_bias_logits", "add_final_layer_norm",
	"extra_pos_embeddings", "static_position_embeddings", "classif_dropout", "backbone",
}

// classes are those of a checkpoint. One that the document is not of is named:
// what its head adds is not there.
func (c *config) classes(known ...string) []string {
	l := list[string](c, "architectures")
	for _, name := range l {
		if !slices.Contains(known, name) {
			c.unsaid("architectures", fmt.Sprintf("it is the model without what %s adds", printable(name)))
		}
	}
	return l
}

// gated are the networks with a gate that T5 can have: the layer type, and how
// it computes GELU.
var gated = map[string][2]string{"gated-gelu": gates["gelu_new"], "gated-gelu_new": gates["gelu_new"], "gated-silu": gates["silu"]}

// t5 is T5: no biases, no scale of the scores, and in each stack one bias for
// each distance, whose table the first layer keeps.
func t5(c *config) *graph.Document {
	vocab, width, heads, dim := c.count("vocab_size"), c.count("d_model"), c.count("num_heads"), c.count("d_kv")
	inner, act := c.count("d_ff"), c.word("feed_forward_proj")
	layers := c.layers("num_layers")
	deep := c.count("num_decoder_layers")
	if deep == 0 {
		deep = layers
	}
	n := norm{"rmsNorm", params{"eps", c.number("layer_norm_epsilon")}}
	buckets, far := max(2, c.count("relative_attention_num_buckets")), max(2, c.count("relative_attention_max_distance"))
	ids := params{"shape", []int64{1, max(1, c.count("n_positions"))}}

	attention := func(s *sheet, id, typ string, more params, inputs ...string) string {
		p := params{"numHeads", heads, "bias", false, "scale", 1, "names", letters}
		if heads*dim != width {
			p = append(p, "headDim", dim)
		}
		return s.add(id, typ, append(p, more...), inputs...)
	}
	network := func(s *sheet, id, x string) string {
		if g := gated[act]; g[0] != "" {
			p := params{"intermediateSize", inner, "names", names("gate", "wi_0", "up", "wi_1", "down", "wo")}
			if g[0] == "geglu" {
				p = append(p, "approximate", g[1])
			}
			return s.add(id, g[0], p, x)
		}
		return s.add(id, "feedForward", params{"ffDim", inner, "activation", act, "bias", false, "names", names("up", "wi", "down", "wo")}, x)
	}
	block := func(decoder bool) graph.Block {
		var s sheet
		b := graph.Block{Name: "encoder_layer", Inputs: []string{"x", "bias"}}
		causal := params{}
		if decoder {
			b.Name, b.Inputs, causal = "decoder_layer", append(b.Inputs, "context"), params{"causal", true}
		}
		x := attention(&s, "layer.0.SelfAttention", "multiHeadAttention", causal, n.add(&s, "layer.0.layer_norm", "x"), "bias")
		x = s.add("layer.0.residual", "add", nil, x, "x")
		at := "layer.1."
		if decoder {
			y := attention(&s, at+"EncDecAttention", "crossAttention", nil, n.add(&s, at+"layer_norm", x), "context")
			x, at = s.add(at+"residual", "add", nil, y, x), "layer.2."
		}
		y := network(&s, at+"DenseReluDense", n.add(&s, at+"layer_norm", x))
		b.Output = s.add(at+"residual", "add", nil, y, x)
		b.Components = s.list
		return b
	}

	var s sheet
	stack := func(name, input string, layers int64, context ...string) string {
		x := s.add(name+".embed_tokens", "embedding", params{"numEmbeddings", vocab, "embeddingDim", width, "tiedTo", "shared"}, s.add(input, "input", ids))
		bias := s.add(name+".block.0.layer.0.SelfAttention.relative_attention_bias", "relativePositionBias",
			params{"numHeads", heads, "numBuckets", buckets, "maxDistance", far, "causal", len(context) > 0}, x)
		return n.add(&s, name+".final_layer_norm", s.repeat(name+".block", []string{name + "_layer"}, layers, append([]string{x, bias}, context...)...))
	}
	s.add("shared", "embedding", params{"numEmbeddings", vocab, "embeddingDim", width})
	x := stack("decoder", "decoder_input_ids", deep, stack("encoder", "input_ids", layers))
	tie := ""
	if c.flag("tie_word_embeddings") {
		tie = "shared"
		x = times(&s, "head_scale", 1/math.Sqrt(float64(width)), x)
	}
	x = s.add("lm_head", "linear", params{"outFeatures", vocab, "bias", false, "tiedTo", tie}, x)
	s.add("logits", "output", nil, x)
	return &graph.Document{
		Source: c.src, ID: c.id, Name: c.id, Category: "NLP/Encoder-Decoder", Tags: []string{"encoder-decoder"}, Components: s.list,
		Description: fmt.Sprintf("%s: encoder of %d and decoder of %d layers, %d wide, with %d attention heads", c.family.Name, layers, deep, width, heads),
		Blocks:      []graph.Block{block(false), block(true)},
	}
}

// A pair is a model that is named as BART is: an encoder and a decoder.
type pair struct {
	c             *config
	vocab, width  int64
	target        int64 // rows of the embedding of the decoder
	prefix        string
	head          bool
	shared        bool // the embeddings are one
	scale         float64
	act           string
	source, under half
	s             sheet
}

// A half is its encoder or its decoder.
type half struct{ layers, heads, inner, context int64 }

// newPair reads what BART, Marian and Whisper have in common.
func newPair(c *config, head bool) *pair {
	p := &pair{
		c: c, vocab: c.count("vocab_size"), width: c.count("d_model"), head: head, shared: true, scale: 1, act: c.word("activation_function"),
		source: half{c.layers("encoder_layers"), c.count("encoder_attention_heads"), c.count("encoder_ffn_dim"), 0},
		under:  half{c.layers("decoder_layers"), c.count("decoder_attention_heads"), c.count("decoder_ffn_dim"), 0},
	}
	p.target = p.vocab
	if head {
		p.prefix = "model."
	}
	if c.flag("scale_embedding") {
		p.scale = math.Sqrt(float64(p.width))
	}
	for _, name := range []string{"encoder_attention_heads", "decoder_attention_heads"} {
		c.split(p.width, c.count(name), "d_model", name)
	}
	return p
}

// norm is that of all of them.
func (p *pair) norm() norm { return norm{"layerNorm", nil} }

// look appends the embedding of tokens.
func (p *pair) look(stack string, rows int64, tokens string) string {
	tie := ""
	if p.shared {
		tie = p.prefix + "shared"
	}
	return p.s.add(p.prefix+stack+".embed_tokens", "embedding", params{"numEmbeddings", rows, "embeddingDim", p.width, "scale", p.scale, "tiedTo", tie}, tokens)
}

// bart is BART, whose tables of positions begin with two rows for none, and
// whose embeddings have norms.
func (p *pair) bart() *graph.Document {
	const skipped = 2
	n := max(1, p.c.count("max_position_embeddings"))
	p.source.context, p.under.context = n, n
	return p.text(false, func(stack, x string) string {
		x = p.s.add(p.prefix+stack+".embed_positions", "learnedPositionalEmbedding", params{"maxLen", n + skipped, "offset", skipped}, x)
		return p.norm().add(&p.s, p.prefix+stack+".layernorm_embedding", x)
	})
}

// marian is Marian, whose tables of positions are sines, but stored.
func (p *pair) marian() *graph.Document {
	n := max(1, p.c.count("max_position_embeddings"))
	p.source.context, p.under.context = n, n
	if rows := p.c.count("decoder_vocab_size"); rows != 0 {
		p.target = rows
	}
	if p.shared = p.c.flag("share_encoder_decoder_embeddings"); p.shared && p.target != p.vocab {
		p.c.contradict("decoder_vocab_size", "found %d, but encoder and decoder have one embedding of %d rows", p.target, p.vocab)
	}
	return p.text(false, func(stack, x string) string {
		return p.s.add(p.prefix+stack+".embed_positions", "learnedPositionalEmbedding", params{"maxLen", n}, x)
	})
}

// text is the document of a model that reads text; place adds positions.
func (p *pair) text(before bool, place func(stack, x string) string) *graph.Document {
	s := &p.s
	if p.shared {
		s.add(p.prefix+"shared", "embedding", params{"numEmbeddings", p.vocab, "embeddingDim", p.width})
	}
	tokens := s.add("input_ids", "input", params{"shape", []int64{1, p.source.context}})
	x := place("encoder", p.look("encoder", p.vocab, tokens))
	context := s.repeat(p.prefix+"encoder.layers", []string{"encoder_layer"}, p.source.layers, x)
	tokens = s.add("decoder_input_ids", "input", params{"shape", []int64{1, p.under.context}})
	x = place("decoder", p.look("decoder", p.target, tokens))
	x = s.repeat(p.prefix+"decoder.layers", []string{"decoder_layer"}, p.under.layers, x, context)
	if !p.head {
		s.add("last_hidden_state", "output", nil, x)
		return p.document("NLP/Encoder-Decoder", before)
	}
	tie := ""
	if p.c.flag("tie_word_embeddings") {
		tie = p.prefix + "decoder.embed_tokens"
	}
	x = s.add("lm_head", "linear", params{"outFeatures", p.target, "bias", false, "tiedTo", tie}, x)
	x = s.add("final_logits_bias", "parameter", params{"shape", []int64{1, p.target}, "buffer", true}, x)
	s.add("logits", "output", nil, x)
	return p.document("NLP/Encoder-Decoder", before)
}

// document completes it with the two kinds of layers: with norms before what
// they belong to, or behind the residual paths.
func (p *pair) document(category string, before bool) *graph.Document {
	return &graph.Document{
		Source: p.c.src, ID: p.c.id, Name: p.c.id, Category: category, Tags: []string{"encoder-decoder"}, Components: p.s.list,
		Description: fmt.Sprintf("%s: encoder of %d and decoder of %d layers, %d wide", p.c.family.Name, p.source.layers, p.under.layers, p.width),
		Blocks:      []graph.Block{p.block("encoder_layer", p.source, before), p.block("decoder_layer", p.under, before)},
	}
}

func (p *pair) block(name string, h half, before bool) graph.Block {
	b := graph.Block{Name: name, Inputs: []string{"x"}}
	keys := !strings.HasPrefix(p.c.model, "whisper") // biases of the keys
	attention := func(s *sheet, id, typ string, more params, inputs ...string) string {
		return s.add(id, typ, append(params{"numHeads", h.heads, "keyBias", keys, "names", names("o", "out_proj")}, more...), inputs...)
	}
	var s sheet
	n := p.norm()
	// around puts a norm and a residual path around a step.
	around := func(id, x string, step func(x string) string) string {
		if before {
			return s.add(id+"_residual", "add", nil, step(n.add(&s, id+"_layer_norm", x)), x)
		}
		return n.add(&s, id+"_layer_norm", s.add(id+"_residual", "add", nil, step(x), x))
	}
	causal := params{}
	decoder := name == "decoder_layer"
	if decoder {
		b.Inputs, causal = append(b.Inputs, "context"), params{"causal", true}
	}
	x := around("self_attn", "x", func(x string) string {
		return attention(&s, "self_attn", "multiHeadAttention", causal, x)
	})
	if decoder {
		x = around("encoder_attn", x, func(x string) string {
			return attention(&s, "encoder_attn", "crossAttention", nil, x, "context")
		})
	}
	b.Output = around("final", x, func(x string) string {
		m := activate(&s, "activation_fn", p.act, s.add("fc1", "linear", params{"outFeatures", h.inner}, x))
		return s.add("fc2", "linear", params{"outFeatures", p.width}, m)
	})
	b.Components = s.list
	return b
}
