package adopt

import (
	"fmt"

	"github.com/strata-catalog/strata/generator/graph"
)

// bertFields are the fields of encoders that are named as BERT is.
var bertFields = []Field{
	size("vocab_size", "rows of the embedding"),
	size("hidden_size", "width of the model"),
	depth("num_hidden_layers"),
	size("num_attention_heads", "heads"),
	size("intermediate_size", "inner width of the feed-forward network"),
	context(512), count("type_vocab_size", 2, "rows of the embedding of segments"),
	lone("hidden_act", "gelu"), eps("layer_norm_eps", 1e-12),
	word("position_embedding_type", "absolute", "kind of positions", "absolute"),
}

// headless are fields of the head, which an encoder by itself does not have.
var headless = []string{"tie_word_embeddings"}

// padded is the field that RoBERTa counts its positions from.
var padded = count("pad_token_id", 1, "id of the padding; positions begin behind it")

var encoders = []*Family{
	{
		Types: []string{"bert"}, Name: "BERT",
		Fields: bertFields, Harmless: headless,
		Build: func(c *config) *graph.Document { return bert(c, 0).pooled().document() },
	},
	{
		Types: []string{"roberta", "xlm-roberta"}, Name: "RoBERTa",
		Fields: fields(bertFields, []Field{padded}), Harmless: headless,
		Build: func(c *config) *graph.Document {
			return bert(c, c.count("pad_token_id")+1).pooled().document()
		},
	},
	{
		Types: []string{"ernie"}, Name: "ERNIE",
		Fields: fields(bertFields, []Field{
			lone("hidden_act", "gelu"),
			flag("use_task_id", false, "tokens have an embedding of their task"),
			count("task_type_vocab_size", 3, "rows of the embedding of tasks"),
		}),
		Harmless: headless,
		Build: func(c *config) *graph.Document {
			e := bert(c, 0).pooled()
			if c.flag("use_task_id") {
				e.tasks = max(1, c.count("task_type_vocab_size"))
			}
			return e.document()
		},
	},
	{
		Types: []string{"electra"}, Name: "ELECTRA",
		Fields: fields(bertFields, []Field{count("embedding_size", 128, "width of the embedding")}), Harmless: headless,
		Build: func(c *config) *graph.Document {
			e := bert(c, 0)
			if e.table = max(1, c.count("embedding_size")); e.table != e.width {
				e.project = "embeddings_project"
			}
			return e.document()
		},
	},
	{
		Types: []string{"distilbert"}, Name: "DistilBERT",
		Fields: []Field{
			size("vocab_size", "rows of the embedding"),
			size("dim", "width of the model", "hidden_size"),
			depth("n_layers", "num_hidden_layers"),
			size("n_heads", "heads", "num_attention_heads"),
			size("hidden_dim", "inner width of the feed-forward network"),
			context(512), lone("activation", "gelu"),
		},
		Harmless: []string{"sinusoidal_pos_embds", "tie_word_embeddings"}, // how the table of positions begins
		Build:    distil,
	},
	{
		Types: []string{"albert"}, Name: "ALBERT",
		Fields: fields(bertFields, []Field{
			count("embedding_size", 128, "width of the embedding"),
			count("num_hidden_groups", 1, "groups of layers that share their weights"),
			count("inner_group_num", 1, "layers of a group"),
			lone("hidden_act", "gelu_new"),
		}),
		Harmless: []string{"tie_word_embeddings", "net_structure_type", "gap_size", "num_memory_blocks", "down_scale_factor"},
		Build:    albert,
	},
}

// An encoder is a BERT: embeddings, layers with norms behind the residual
// paths, and a pooler where the class has one.
type encoder struct {
	c                           *config
	vocab, width, layers, heads int64
	table                       int64 // width of the embeddings
	rows, context               int64 // positions, and how many tokens they serve
	segments, tasks             int64
	unplaced                    bool   // there is no table of positions
	widen                       string // from the embedding to the width, before the norm; "" for none
	project                     string // the same behind the norm
	stack                       string
	side                        string // what every layer takes beside x, in the block; "" for nothing
	beside                      func(s *sheet, x string) string
	pooler                      []string // its layer and its activation; empty for none
	share                       bool
	norm                        norm
	block                       func(s *sheet) string
}

// bert reads a BERT. skipped are the first rows of the table of positions,
// which no token has.
func bert(c *config, skipped int64) *encoder {
	e := &encoder{
		c: c, vocab: c.count("vocab_size"), width: c.count("hidden_size"), layers: c.layers("num_hidden_layers"), heads: c.count("num_attention_heads"),
		rows: max(1, c.count("max_position_embeddings")), segments: c.count("type_vocab_size"), stack: "encoder.layer", norm: layered(c, "layer_norm_eps", true),
	}
	e.table = e.width
	c.word("position_embedding_type")
	if e.context = e.rows - skipped; e.context < 1 {
		c.contradict("pad_token_id", "positions begin behind the padding, %d, but there are %d", skipped-1, e.rows)
	}
	c.split(e.width, e.heads, "hidden_size", "num_attention_heads")
	inner, act := c.count("intermediate_size"), c.word("hidden_act")
	e.block = func(s *sheet) string {
		a := s.add("attention.self", "selfAttention", params{"numHeads", e.heads, "outProj", false, "names", names("q", "query", "k", "key", "v", "value")}, "x")
		a = s.add("attention.output.dense", "linear", params{"outFeatures", e.width}, a)
		y := e.norm.add(s, "attention.output.LayerNorm", s.add("attention.output.residual", "add", nil, a, "x"))
		return e.network(s, inner, act, y)
	}
	return e
}

// network is the second half of a layer: the feed-forward network on y, the
// residual path and the norm.
func (e *encoder) network(s *sheet, inner int64, act, y string) string {
	m := s.add("intermediate.dense", "linear", params{"outFeatures", inner}, y)
	m = activate(s, "intermediate.intermediate_act_fn", act, m)
	m = s.add("output.dense", "linear", params{"outFeatures", e.width}, m)
	return e.norm.add(s, "output.LayerNorm", s.add("output.residual", "add", nil, m, y))
}

// pooled gives an encoder BERT's pooler.
func (e *encoder) pooled() *encoder {
	e.pooler = []string{"pooler.dense", "pooler.activation"}
	return e
}

func (e *encoder) document() *graph.Document {
	var s sheet
	ids := params{"shape", []int64{1, e.context}}
	tokens := s.add("input_ids", "input", ids)
	summed := []string{s.add("embeddings.word_embeddings", "embedding", params{"numEmbeddings", e.vocab, "embeddingDim", e.table}, tokens)}
	for _, kind := range []struct {
		input, module string
		rows          int64
	}{{"token_type_ids", "embeddings.token_type_embeddings", e.segments}, {"task_type_ids", "embeddings.task_type_embeddings", e.tasks}} {
		if kind.rows > 0 {
			s.add(kind.input, "input", ids)
			summed = append(summed, s.add(kind.module, "embedding", params{"numEmbeddings", kind.rows, "embeddingDim", e.table}, kind.input))
		}
	}
	x := summed[0]
	if len(summed) > 1 {
		x = s.add("embeddings.sum", "add", nil, summed...)
	}
	if !e.unplaced {
		x = s.add("embeddings.position_embeddings", "learnedPositionalEmbedding", params{"maxLen", e.rows, "offset", e.rows - e.context}, x)
	}
	if e.widen != "" {
		x = s.add(e.widen, "linear", params{"outFeatures", e.width, "bias", false}, x)
	}
	x = e.norm.add(&s, "embeddings.LayerNorm", x)
	if e.project != "" {
		x = s.add(e.project, "linear", params{"outFeatures", e.width}, x)
	}
	taken, inputs := []string{x}, []string{"x"}
	if e.side != "" {
		taken, inputs = append(taken, e.beside(&s, x)), append(inputs, e.side)
	}
	x = s.repeat(e.stack, []string{"layer"}, e.layers, taken...)
	s.list[len(s.list)-1].Share = e.share
	s.add("last_hidden_state", "output", nil, x)
	if len(e.pooler) > 0 {
		pool(&s, x, e.width, e.pooler)
	}
	var b sheet
	out := e.block(&b)
	return &graph.Document{
		Source: e.c.src, ID: e.c.id, Name: e.c.id, Category: "NLP/Encoder", Tags: []string{"encoder"}, Components: s.list,
		Description: fmt.Sprintf("%s: encoder of %d layers, %d wide, with %d attention heads", e.c.family.Name, e.layers, e.width, e.heads),
		Blocks:      []graph.Block{{Name: "layer", Inputs: inputs, Components: b.list, Output: out}},
	}
}

// pool appends a pooler: a layer and tanh on the first token.
func pool(s *sheet, x string, width int64, modules []string) {
	x = s.add("first_token", "split", params{"dim", 1, "splitSize", 1}, x)
	x = s.add("squeeze", "squeeze", params{"dim", 1}, x)
	x = s.add(modules[0], "linear", params{"outFeatures", width}, x)
	x = s.add(modules[1], "tanh", nil, x)
	s.add("pooler_output", "output", nil, x)
}

// distil is DistilBERT: no segments, no pooler.
func distil(c *config) *graph.Document {
	e := &encoder{
		c: c, vocab: c.count("vocab_size"), width: c.count("dim"), layers: c.layers("n_layers"), heads: c.count("n_heads"),
		rows: max(1, c.count("max_position_embeddings")), stack: "transformer.layer", norm: norm{"layerNorm", params{"eps", 1e-12}},
	}
	e.table, e.context = e.width, e.rows
	c.split(e.width, e.heads, "dim", "n_heads")
	inner, act := c.count("hidden_dim"), c.word("activation")
	e.block = func(s *sheet) string {
		a := s.add("attention", "selfAttention", params{"numHeads", e.heads, "names", names("q", "q_lin", "k", "k_lin", "v", "v_lin", "o", "out_lin")}, "x")
		y := e.norm.add(s, "sa_layer_norm", s.add("residual_attn", "add", nil, a, "x"))
		m := s.add("ffn.lin1", "linear", params{"outFeatures", inner}, y)
		m = activate(s, "ffn.activation", act, m)
		m = s.add("ffn.lin2", "linear", params{"outFeatures", e.width}, m)
		return e.norm.add(s, "output_layer_norm", s.add("residual_ffn", "add", nil, m, y))
	}
	return e.document()
}

// albert is ALBERT, whose layers all have the same weights.
func albert(c *config) *graph.Document {
	e := bert(c, 0)
	for _, name := range []string{"num_hidden_groups", "inner_group_num"} {
		if c.count(name) > 1 {
			c.contradict(name, "found %d; only models with one layer for all can be imported", c.count(name))
		}
	}
	e.table, e.project = max(1, c.count("embedding_size")), "encoder.embedding_hidden_mapping_in"
	e.stack, e.share, e.pooler = "encoder.albert_layer_groups", true, []string{"pooler", "pooler_activation"}
	inner, act := c.count("intermediate_size"), c.word("hidden_act")
	const at = "albert_layers.0."
	e.block = func(s *sheet) string {
		a := s.add(at+"attention", "selfAttention", params{"numHeads", e.heads, "names", names("q", "query", "k", "key", "v", "value", "o", "dense")}, "x")
		y := e.norm.add(s, at+"attention.LayerNorm", s.add(at+"attention.residual", "add", nil, a, "x"))
		m := s.add(at+"ffn", "linear", params{"outFeatures", inner}, y)
		m = activate(s, at+"activation", act, m)
		m = s.add(at+"ffn_output", "linear", params{"outFeatures", e.width}, m)
		return e.norm.add(s, at+"full_layer_layer_norm", s.add(at+"residual", "add", nil, m, y))
	}
	return e.document()
}
