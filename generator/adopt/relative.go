package adopt

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/strata-catalog/strata/generator/graph"
	"github.com/strata-catalog/strata/generator/words"
)

// relative are encoders whose attention knows how far apart two tokens are.
var relative = []*Family{
	{
		Types: []string{"mpnet"}, Name: "MPNet",
		Fields: []Field{
			size("vocab_size", "rows of the embedding"),
			size("hidden_size", "width of the model"),
			depth("num_hidden_layers"),
			size("num_attention_heads", "heads"),
			size("intermediate_size", "inner width of the feed-forward network"),
			context(512), lone("hidden_act", "gelu"), eps("layer_norm_eps", 1e-12),
			count("relative_attention_num_buckets", 32, "rows of the table of distances"),
		},
		Harmless: headless,
		Build:    mpnet,
	},
	{
		Types: []string{"deberta-v2"}, Name: "DeBERTa-v2",
		Fields: []Field{
			size("vocab_size", "rows of the embedding"),
			size("hidden_size", "width of the model"),
			depth("num_hidden_layers"),
			size("num_attention_heads", "heads"),
			size("intermediate_size", "inner width of the feed-forward network"),
			context(512), count("type_vocab_size", 0, "rows of the embedding of segments"),
			lone("hidden_act", "gelu"), eps("layer_norm_eps", 1e-7),
			count("embedding_size", 0, "width of the embedding, else hidden_size"),
			flag("position_biased_input", true, "tokens have an embedding of their position"),
			flag("relative_attention", false, "scores know of distances"),
			{Name: "max_relative_positions", Kind: Any, Doc: "distance from which on all are the same: a number, or -1 for max_position_embeddings"},
			{Name: "position_buckets", Kind: Any, Doc: "buckets of distances on each side: a number, or -1 for none"},
			{Name: "pos_att_type", Kind: Any, Doc: "scores that know of distances: c2p and p2c, as a list or joined by |"},
			flag("share_att_key", false, "distances are projected by the matrices of queries and keys"),
			word("norm_rel_ebd", "none", "whether the table of distances has a norm", "none", "layer_norm"),
			count("conv_kernel_size", 0, "length of the convolution behind the first layer"),
		},
		Harmless: []string{"tie_word_embeddings", "pooler_hidden_size", "pooler_dropout", "pooler_hidden_act", "legacy", "z_steps"},
		Build:    deberta,
	},
}

// mpnetBuckets and mpnetDistance are how MPNet's class divides distances,
// whatever the configuration says.
const mpnetBuckets, mpnetDistance = 32, 128

// mpnet is MPNet: a BERT without segments whose layers share a bias for each
// distance.
func mpnet(c *config) *graph.Document {
	const skipped = 2 // the class counts positions from behind row 1
	e := bert(c, skipped).pooled()
	if n := c.count("relative_attention_num_buckets"); n != mpnetBuckets {
		c.contradict("relative_attention_num_buckets", "found %d, but the class looks up %d buckets", n, mpnetBuckets)
	}
	inner, act := c.count("intermediate_size"), c.word("hidden_act")
	e.side = "bias"
	e.beside = func(s *sheet, x string) string {
		return s.add("encoder.relative_attention_bias", "relativePositionBias", params{"numHeads", e.heads, "numBuckets", mpnetBuckets, "maxDistance", mpnetDistance}, x)
	}
	e.block = func(s *sheet) string {
		a := s.add("attention.attn", "selfAttention", params{"numHeads", e.heads, "names", letters}, "x", "bias")
		y := e.norm.add(s, "attention.LayerNorm", s.add("attention.residual", "add", nil, a, "x"))
		return e.network(s, inner, act, y)
	}
	return e.document()
}

// letters are the names of projections that are called by their letters alone.
var letters = names("q", "q", "k", "k", "v", "v", "o", "o")

// deberta is DeBERTa in its second and third version.
func deberta(c *config) *graph.Document {
	e := bert(c, 0)
	if n := c.count("conv_kernel_size"); n != 0 {
		c.contradict("conv_kernel_size", "found %d; models with a convolution behind the first layer cannot be imported", n)
	}
	if w := c.count("embedding_size"); w != 0 && w != e.width {
		e.table, e.widen = w, "embeddings.embed_proj"
	}
	e.unplaced = !c.flag("position_biased_input")
	kinds := c.compared()
	toKey, toQuery := slices.Contains(kinds, "c2p"), slices.Contains(kinds, "p2c")
	shared, normed := c.flag("share_att_key"), c.word("norm_rel_ebd") == "layer_norm"
	buckets, far := c.orNone("position_buckets"), c.orNone("max_relative_positions")
	if far == 0 {
		far = e.rows
	}
	p := params{"numHeads", e.heads, "outProj", false, "names", names("q", "query_proj", "k", "key_proj", "v", "value_proj")}
	typ, operands := "selfAttention", []string{"x"}
	if c.flag("relative_attention") {
		if len(kinds) == 0 {
			c.contradict("pos_att_type", "names neither c2p nor p2c, but relative_attention says that scores know of distances")
		}
		typ, operands = "disentangledAttention", append(operands, "distances")
		p = append(p, "positionBuckets", buckets, "maxDistance", far, "contentToPosition", toKey, "positionToContent", toQuery, "sharedKeys", shared)
		e.side = "distances"
		e.beside = func(s *sheet, _ string) string {
			table := s.add("encoder.rel_embeddings", "embedding", params{"numEmbeddings", 2 * max(1, cmp.Or(buckets, far)), "embeddingDim", e.width})
			if normed {
				table = e.norm.add(s, "encoder.LayerNorm", table)
			}
			return table
		}
	} else {
		if len(kinds) > 0 {
			p = append(p, "scale", 1/math.Sqrt(float64(c.split(e.width, e.heads, "hidden_size", "num_attention_heads"))*float64(1+len(kinds))))
		}
		if normed {
			c.contradict("norm_rel_ebd", "found layer_norm, but without relative_attention there is no table of distances")
		}
	}
	inner, act := c.count("intermediate_size"), c.word("hidden_act")
	e.block = func(s *sheet) string {
		a := s.add("attention.self", typ, p, operands...)
		a = s.add("attention.output.dense", "linear", params{"outFeatures", e.width}, a)
		y := e.norm.add(s, "attention.output.LayerNorm", s.add("attention.output.residual", "add", nil, a, "x"))
		return e.network(s, inner, act, y)
	}
	return e.document()
}

// compared are the scores of pos_att_type.
func (c *config) compared() (kinds []string) {
	v, ok := value(c, "pos_att_type", func(f *Field, v jsontext.Value) (list []string, ok bool) {
		switch v.Kind() {
		case '"':
			return strings.Split(strings.ToLower(text(v)), "|"), true
		case '[':
			return list, json.Unmarshal(v, &list) == nil
		}
		return nil, v.Kind() == 'n'
	})
	if !ok {
		return nil
	}
	for _, kind := range v {
		switch kind = strings.TrimSpace(kind); kind {
		case "c2p", "p2c":
			kinds = append(kinds, kind)
		default:
			c.contradict("pos_att_type", "%s is not known, expected c2p and p2c", words.Quote(kind))
		}
	}
	return kinds
}

// orNone is a whole number, 0 where it is missing or -1, which stands for none.
func (c *config) orNone(name string) int64 {
	n, _ := value(c, name, func(f *Field, v jsontext.Value) (int64, bool) {
		if string(v) == "-1" {
			return 0, true
		}
		return whole(v, f.limit())
	})
	return n
}
