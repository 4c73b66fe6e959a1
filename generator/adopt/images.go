package adopt

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/strata-catalog/strata/generator/graph"
)

// images are models of images and texts. Their configurations hold one for each
// part.
var images = []*Family{
	{
		Types: []string{"clip"}, Name: "CLIP",
		Fields: []Field{
			object("text_config", "the encoder of texts"), object("text_config_dict", "the encoder of texts, as older files have it; it stands for text_config"),
			object("vision_config", "the encoder of images"), object("vision_config_dict", "the encoder of images, as older files have it; it stands for vision_config"),
			size("projection_dim", "features of the space that texts and images share").or(512),
		},
		Harmless: []string{"logit_scale_init_value", "tie_word_embeddings"},
		Build:    clipPair,
	},
	{
		Types: []string{"siglip"}, Name: "SigLIP",
		Fields:   []Field{object("text_config", "the encoder of texts"), object("vision_config", "the encoder of images")},
		Harmless: []string{"tie_word_embeddings"},
		Build:    siglipPair,
	},
	{
		Types: []string{"llava"}, Name: "LLaVA",
		Fields: []Field{
			object("text_config", "the language model"), object("vision_config", "the encoder of images"),
			lone("projector_hidden_act", "gelu"),
			flag("multimodal_projector_bias", true, "the layers between the two add a constant"),
			{Name: "vision_feature_layer", Kind: Any, Doc: "the layer of the encoder that is read, counted from the end where negative, or a list of such"},
			word("vision_feature_select_strategy", "default", "whether the class token is left out", "default", "full"),
			tied(false),
		},
		Harmless: []string{"image_token_index", "image_seq_length", "ignore_index", "vocab_size"},
		Build:    llava,
	},
	{
		Types: []string{"gemma3"}, Name: "Gemma 3",
		Fields: []Field{
			object("text_config", "the language model"), object("vision_config", "the encoder of images"),
			size("mm_tokens_per_image", "tokens that an image becomes").or(256),
			tied(true),
		},
		Harmless: []string{"boi_token_index", "eoi_token_index", "image_token_index"},
		Build:    gemmaImages,
	},
	{
		Types: []string{"llama4"}, Name: "Llama 4",
		Fields:   []Field{object("text_config", "the language model"), object("vision_config", "the encoder of images"), tied(false)},
		Harmless: []string{"boi_token_index", "eoi_token_index", "image_token_index"},
		Build:    llamaImages,
	},
}

// or is a size with the default of a class, which an object may leave out.
func (f Field) or(class int64) Field {
	f.Default = class
	return f
}

// towerFields are the fields of an encoder as CLIP has it, with the defaults of
// its class.
func towerFields(width, inner, heads int64, act string, epsilon float64) []Field {
	return []Field{
		size("hidden_size", "width of the encoder").or(width),
		size("intermediate_size", "inner width of the feed-forward network").or(inner),
		depth("num_hidden_layers").or(12),
		size("num_attention_heads", "heads").or(heads),
		activation("hidden_act", act), eps("layer_norm_eps", epsilon),
	}
}

// textFields are the further fields of an encoder of texts.
func textFields(vocab, context int64) []Field {
	return []Field{
		size("vocab_size", "rows of the embedding").or(vocab),
		size("max_position_embeddings", "longest text").or(context),
	}
}

// visionFields are the further fields of an encoder of images.
func visionFields(patch int64) []Field {
	return []Field{
		size("image_size", "height and width of an image").or(224),
		size("patch_size", "height and width of a patch").or(patch),
		size("num_channels", "channels of an image").or(3),
	}
}

var (
	clipText     = fields(towerFields(512, 2048, 8, "quick_gelu", 1e-5), textFields(49408, 77))
	clipVision   = fields(towerFields(768, 3072, 12, "quick_gelu", 1e-5), visionFields(32))
	siglipText   = fields(towerFields(768, 3072, 12, "gelu_pytorch_tanh", 1e-6), textFields(32000, 64), []Field{count("projection_size", 0, "features of the space that texts and images share, else hidden_size")})
	siglipVision = fields(towerFields(768, 3072, 12, "gelu_pytorch_tanh", 1e-6), visionFields(16), []Field{flag("vision_use_head", true, "a query gathers the image in one vector")})
)

// projected is a field of CLIP's encoders that the class reads for one encoder
// by itself only.
const projected = "projection_dim"

// within is the configuration of a part, with the further fields that change
// nothing in it.
func (c *config) within(name string, fields []Field, harmless ...string) (p *config, done func()) {
	p, done = c.object(name, fields)
	p.family.Harmless = append(slices.Clone(harmlessParts), harmless...)
	return p, done
}

// kind is the model type of a part, of those that are known.
func (c *config) kind(class string, known ...string) string {
	m, ok := c.members["model_type"]
	if !ok {
		return class
	}
	if !slices.Contains(known, text(m.value)) {
		c.contradict("model_type", "found %s, expected the type of this part: one of %s", short(m.value), strings.Join(known, ", "))
		return class
	}
	return text(m.value)
}

// A tower is an encoder as CLIP has it: learned positions, norms before
// attention and network.
type tower struct {
	c             *config
	prefix        string // of its modules
	width, layers int64
	headDim       int64
	norm          norm
	block         graph.Block
}

// tower reads an encoder; name is that of its blocks.
func (c *config) tower(prefix, name string, causal bool) *tower {
	t := &tower{c: c, prefix: prefix, width: c.count("hidden_size"), layers: c.layers("num_hidden_layers"), norm: layered(c, "layer_norm_eps", true)}
	heads := c.count("num_attention_heads")
	c.split(t.width, heads, "hidden_size", "num_attention_heads")
	r := residual{
		norm: t.norm, before: "layer_norm1", mlpBefore: "layer_norm2",
		attn: single("self_attn", "multiHeadAttention", params{"numHeads", heads, "causal", causal, "names", names("o", "out_proj")}),
		mlp:  t.network("mlp"),
	}
	var s sheet
	t.block = graph.Block{Name: name, Inputs: []string{"x"}, Output: r.fill(&s, "x", "")}
	t.block.Components = s.list
	return t
}

// network is the feed-forward network of a tower.
func (t *tower) network(id string) part {
	return single(id, "feedForward", params{"ffDim", t.c.count("intermediate_size"), "activation", t.c.word("hidden_act"), "names", names("up", "fc1", "down", "fc2")})
}

// texts appends the encoder of texts up to the vector of its last token.
func (t *tower) texts(s *sheet) string {
	n := t.c.count("max_position_embeddings")
	x := s.add("input_ids", "input", params{"shape", []int64{1, n}})
	x = s.add(t.prefix+"embeddings.token_embedding", "embedding", params{"numEmbeddings", t.c.count("vocab_size"), "embeddingDim", t.width}, x)
	x = s.add(t.prefix+"embeddings.position_embedding", "learnedPositionalEmbedding", params{"maxLen", n}, x)
	x = s.repeat(t.prefix+"encoder.layers", []string{t.block.Name}, t.layers, x)
	x = t.norm.add(s, t.prefix+"final_layer_norm", x)
	x = s.add(t.prefix+"last_token", "split", params{"dim", 1, "splitSize", 1, "index", n - 1}, x)
	return s.add(t.prefix+"squeeze", "squeeze", params{"dim", 1}, x)
}

// side is how many patches a side of the image has.
func (t *tower) side() int64 {
	image, patch := t.c.count("image_size"), t.c.count("patch_size")
	if patch > image {
		t.c.contradict("patch_size", "patches of %d do not fit into an image of %d", patch, image)
	}
	return max(1, image/patch)
}

// patches appends the patches of an image with their positions, below a class
// token where the encoder has one.
func (t *tower) patches(s *sheet, class bool) string {
	image, patch, channels := t.c.count("image_size"), t.c.count("patch_size"), t.c.count("num_channels")
	n := t.side() * t.side()
	x := s.add("pixel_values", "input", params{"shape", []int64{1, channels, image, image}})
	called := names("proj.weight", "weight", "proj.bias", "bias")
	if class {
		delete(called, "proj.bias")
	}
	x = s.add(t.prefix+"embeddings.patch_embedding", "patchEmbed", params{"imgSize", image, "patchSize", patch, "embedDim", t.width, "bias", !class, "names", called}, x)
	if class {
		n++
		x = s.add(t.prefix+"embeddings.class_embedding", "parameter", params{"shape", []int64{t.width}, "mode", "concat"}, x)
	}
	return s.add(t.prefix+"embeddings.position_embedding", "learnedPositionalEmbedding", params{"maxLen", n}, x)
}

// cut appends the layers, and returns what stands behind each of the numbers of
// layers that are asked for, in the order of asking, and behind all. A stack
// yields its last layer alone, so that those behind the first cut stand one by
// one.
func (t *tower) cut(s *sheet, x string, at []int64) (read []string, last string) {
	behind, stack := map[int64]string{0: x}, t.prefix+"encoder.layers"
	for i := int64(0); i < t.layers; {
		next := t.layers
		for _, n := range at {
			if n > i {
				next = min(next, n)
			}
		}
		if i == 0 {
			x = s.repeat(stack, []string{t.block.Name}, next, x)
			i = next
		} else {
			for ; i < next; i++ {
				x = s.repeat(fmt.Sprintf("%s.%d", stack, i), []string{t.block.Name}, 0, x)
			}
		}
		behind[i] = x
	}
	for _, n := range at {
		read = append(read, behind[n])
	}
	return read, x
}

// first appends the vector of the class token, behind its norm.
func (t *tower) first(s *sheet, x string) string {
	x = s.add(t.prefix+"first_token", "split", params{"dim", 1, "splitSize", 1}, x)
	x = s.add(t.prefix+"squeeze", "squeeze", params{"dim", 1}, x)
	return t.norm.add(s, t.prefix+"post_layernorm", x)
}

// pooled appends SigLIP's head: a learned query that gathers all patches, and a
// network behind it.
func (t *tower) pooled(s *sheet, x string) string {
	head, heads := t.prefix+"head.", t.c.count("num_attention_heads")
	q := s.add(head+"probe", "parameter", params{"shape", []int64{1, 1, t.width}})
	x = s.add(head+"attention", "multiHeadAttention", params{"numHeads", heads, "layout", "fused", "names", names("qkv.weight", "in_proj_weight", "qkv.bias", "in_proj_bias", "o", "out_proj")}, q, x)
	m := t.network(head+"mlp")(s, t.norm.add(s, head+"layernorm", x))
	x = s.add(head+"residual", "add", nil, m, x)
	return s.add(head+"squeeze", "squeeze", params{"dim", 1}, x)
}

// rest appends what the class computes of an image beside the features that a
// language model reads.
func (t *tower) rest(s *sheet, x string, class bool) {
	if class {
		x = t.first(s, x)
	} else if x = t.norm.add(s, t.prefix+"post_layernorm", x); t.c.flag("vision_use_head") {
		x = t.pooled(s, x)
	}
	s.add("pooler_output", "output", nil, x)
}

// similar appends the cosines of texts and images, and ends a document of two
// encoders.
func similar(c *config, s *sheet, texts, images string, scale func(x string) string, text, vision *tower) *graph.Document {
	texts = s.add("text_embeds", "l2Norm", nil, texts)
	images = s.add("image_embeds", "l2Norm", nil, images)
	x := scale(s.add("similarity", "matmul", params{"transposeB", true}, texts, images))
	s.add("logits_per_text", "output", nil, x)
	s.add("logits_per_image", "output", nil, s.add("transpose", "permute", params{"dims", []int64{1, 0}}, x))
	return &graph.Document{
		Source: c.src, ID: c.id, Name: c.id, Category: multimodal, Tags: []string{"contrastive", "dual encoder"}, Components: s.list,
		Description: fmt.Sprintf("%s: an encoder of texts of %d layers, %d wide, and one of images of %d layers, %d wide", c.family.Name, text.layers, text.width, vision.layers, vision.width),
		Blocks:      []graph.Block{text.block, vision.block},
	}
}

const multimodal = "Multimodal/Vision-Language"

// newest is the one of two fields of which the class lets the second stand for
// the first.
func (c *config) newest(name, old string) string {
	if _, ok := value(c, old, func(_ *Field, v jsontext.Value) (jsontext.Value, bool) { return v, v.Kind() == '{' }); ok {
		return old
	}
	return name
}

// clipPair is CLIP: two encoders, projected into one space.
func clipPair(c *config) *graph.Document {
	tc, read := c.within(c.newest("text_config", "text_config_dict"), clipText, projected)
	text := tc.tower("text_model.", "text", true)
	tc.unsaid("eos_token_id", "a text is read at its last position, where that token stands only when the text fills the context; counts are not affected")
	vc, seen := c.within(c.newest("vision_config", "vision_config_dict"), clipVision, projected)
	vision := vc.tower("vision_model.", "vision", false)
	shared := c.count("projection_dim")
	var s sheet
	texts := s.add("text_projection", "linear", params{"outFeatures", shared, "bias", false}, text.texts(&s))
	x := vision.norm.add(&s, "vision_model.pre_layrnorm", vision.patches(&s, true))
	_, x = vision.cut(&s, x, nil)
	images := s.add("visual_projection", "linear", params{"outFeatures", shared, "bias", false}, vision.first(&s, x))
	read()
	seen()
	return similar(c, &s, texts, images, func(x string) string {
		return s.add("logit_scale", "parameter", params{"shape", []int64{}, "mode", "expScale"}, x)
	}, text, vision)
}

// siglipPair is SigLIP: two encoders of one width, whose cosines get a factor
// and a constant.
func siglipPair(c *config) *graph.Document {
	tc, read := c.within("text_config", siglipText)
	text := tc.tower("text_model.", "text", false)
	vc, seen := c.within("vision_config", siglipVision)
	vision := vc.tower("vision_model.", "vision", false)
	shared := tc.count("projection_size")
	if shared == 0 {
		shared = text.width
	}
	if shared != vision.width {
		tc.contradict("projection_size", "texts end in %d features, images in %d; expected as many", shared, vision.width)
	}
	var s sheet
	texts := s.add("text_model.head", "linear", params{"outFeatures", shared}, text.texts(&s))
	_, x := vision.cut(&s, vision.patches(&s, false), nil)
	x = vision.norm.add(&s, "vision_model.post_layernorm", x)
	if !vc.flag("vision_use_head") {
		vc.contradict("vision_use_head", "found false, but the images of SigLIP are compared by the vector of this head; expected true")
	}
	images := vision.pooled(&s, x)
	read()
	seen()
	return similar(c, &s, texts, images, func(x string) string {
		x = s.add("logit_scale", "parameter", params{"shape", []int64{1}, "mode", "expScale"}, x)
		return s.add("logit_bias", "parameter", params{"shape", []int64{1}}, x)
	}, text, vision)
}

// A language is a language model that may stand in a model of images and texts:
// the sizes that its class has where an object leaves them out, and its decoder.
type language struct {
	class map[string]int64
	build func(*config) *decoder
}

var languages = map[string]language{
	"llama": {
		map[string]int64{"vocab_size": 32000, "hidden_size": 4096, "intermediate_size": 11008, "num_hidden_layers": 32, "num_attention_heads": 32},
		func(c *config) *decoder { return llama(c) },
	},
	"mistral": {
		map[string]int64{"vocab_size": 32000, "hidden_size": 4096, "intermediate_size": 14336, "num_hidden_layers": 32, "num_attention_heads": 32},
		mistral,
	},
	"qwen2": {
		map[string]int64{"vocab_size": 151936, "hidden_size": 4096, "intermediate_size": 22016, "num_hidden_layers": 32, "num_attention_heads": 32},
		func(c *config) *decoder { return qwen(llama(c, "qkvBias", true)) },
	},
	"gemma3_text": {
		map[string]int64{"vocab_size": 262208, "hidden_size": 2304, "intermediate_size": 9216, "num_hidden_layers": 26, "num_attention_heads": 8},
		gemma3,
	},
	"llama4_text": {
		map[string]int64{"vocab_size": 202048, "hidden_size": 5120, "intermediate_size": 8192, "num_hidden_layers": 48, "num_attention_heads": 40},
		llama4,
	},
}

// language reads the language model in text_config, one of the types that are
// known there.
func (c *config) language(class string, known ...string) (d *decoder, done func()) {
	probe, _ := c.within("text_config", nil)
	typ := probe.kind(class, known...)
	if c.err == nil {
		c.err = probe.err
	}
	all := slices.Concat(dense, sparse)
	family := all[slices.IndexFunc(all, func(f *Family) bool { return slices.Contains(f.Types, typ) })]
	list := slices.Clone(family.Fields)
	for j, f := range list {
		if size, ok := languages[typ].class[f.Name]; ok {
			list[j] = f.or(size)
		}
	}
	p, done := c.within("text_config", list, family.Harmless...)
	if tie, ok := c.members["tie_word_embeddings"]; ok && (c.flag("tie_word_embeddings") || c.model != "llava") {
		p.members["tie_word_embeddings"] = tie
	}
	return languages[typ].build(p), done
}

// beneath puts the modules of a decoder into that of a language model.
func (d *decoder) beneath() {
	const module = "language_model."
	for _, id := range []*string{&d.embed, &d.stack, &d.final, &d.head} {
		*id = module + *id
	}
	for i := range d.sides {
		d.sides[i].id = module + d.sides[i].id
	}
}

// seeing makes a document of a decoder before whose texts stand the tokens of
// an image, and names what it is.
func (d *decoder) seeing(tokens int64, vision *tower, images func(s *sheet) string) *graph.Document {
	if tokens >= d.context {
		d.c.contradict("max_position_embeddings", "an image has %d tokens, which leaves none of %d for texts", tokens, d.context)
	}
	d.image, d.images = min(tokens, d.context-1), images
	doc := d.document()
	doc.Category, doc.Tags = multimodal, []string{"decoder", "image"}
	doc.Description = fmt.Sprintf("%s: decoder of %d layers, %d wide, that reads images through an encoder of %d layers, %d wide", d.c.family.Name, d.layers, d.width, vision.layers, vision.width)
	doc.Blocks = append(doc.Blocks, vision.block)
	return doc
}

// llava is LLaVA: a layer of CLIP's encoder of images is projected to tokens of
// a language model.
func llava(c *config) *graph.Document {
	probe, _ := c.within("vision_config", nil)
	typ := probe.kind("clip_vision_model", "clip_vision_model", "siglip_vision_model")
	if c.err == nil {
		c.err = probe.err
	}
	list, class := clipVision, typ == "clip_vision_model"
	if !class {
		list = siglipVision
	}
	vc, seen := c.within("vision_config", list, projected)
	vision := vc.tower("vision_tower.", "vision", false)
	d, read := c.language("llama", "llama", "mistral", "qwen2")
	d.beneath()
	at := c.featureLayers(vision.layers)
	act, bias := c.word("projector_hidden_act"), c.flag("multimodal_projector_bias")
	tokens, drop := vision.side()*vision.side(), false
	if whole := c.word("vision_feature_select_strategy") == "full"; !whole && !class {
		c.contradict("vision_feature_select_strategy", "found default, which leaves the class token out, but SigLIP has none; expected full")
	} else if class && whole {
		tokens++
	} else {
		drop = class
	}
	doc := d.seeing(tokens, vision, func(s *sheet) string {
		x := vision.patches(s, class)
		if class {
			x = vision.norm.add(s, vision.prefix+"pre_layrnorm", x)
		}
		read, last := vision.cut(s, x, at)
		for i, x := range read {
			if drop {
				read[i] = s.add(vision.prefix+"patches"+nth(i), "split", params{"dim", 1, "splitSize", []int64{1, tokens}, "index", 1}, x)
			}
		}
		x = read[0]
		if len(read) > 1 {
			x = s.add("vision_features", "concatenate", params{"dim", -1}, read...)
		}
		x = s.add("multi_modal_projector.linear_1", "linear", params{"outFeatures", d.width, "bias", bias}, x)
		x = activate(s, "multi_modal_projector.act", act, x)
		x = s.add("multi_modal_projector.linear_2", "linear", params{"outFeatures", d.width, "bias", bias}, x)
		d.behind = func(s *sheet) { vision.rest(s, last, class) }
		return x
	})
	read()
	seen()
	return doc
}

// nth tells the things of a list apart behind the first.
func nth(i int) string {
	if i == 0 {
		return ""
	}
	return fmt.Sprintf("_%d", i)
}

// featureLayers are how many layers stand before each of the features that a
// language model reads.
func (c *config) featureLayers(layers int64) (at []int64) {
	list, given := value(c, "vision_feature_layer", func(_ *Field, v jsontext.Value) (l []int64, ok bool) {
		var one int64
		if json.Unmarshal(v, &one) == nil {
			return []int64{one}, v.Kind() == '0'
		}
		return l, v.Kind() == '[' && json.Unmarshal(v, &l) == nil && len(l) > 0
	})
	if !given {
		list = []int64{-2}
	}
	for _, n := range list {
		if n < -layers-1 || n > layers {
			c.contradict("vision_feature_layer", "found %d, expected %s; there are %d layers", n, c.family.field("vision_feature_layer").Doc, layers)
			n = 0
		}
		if n < 0 {
			n += layers + 1
		}
		at = append(at, n)
	}
	return at
}

// gemmaImages is Gemma 3 with its encoder of images: patches are averaged to
// fewer tokens, normalised and projected. The tokens of an image see each other.
func gemmaImages(c *config) *graph.Document {
	vc, seen := c.within("vision_config", siglipVision)
	vc.kind("siglip_vision_model", "siglip_vision_model")
	vision := vc.tower("vision_tower.", "vision", false)
	d, read := c.language("gemma3_text", "gemma3_text")
	d.beneath()
	tokens, side := c.count("mm_tokens_per_image"), vision.side()
	kept := min(side, int64(math.Sqrt(float64(tokens))))
	if kept*kept != tokens || side%kept != 0 {
		c.contradict("mm_tokens_per_image", "%d patches on each side of an image cannot be averaged to %d tokens", side, tokens)
	}
	d.prefix = tokens
	doc := d.seeing(tokens, vision, func(s *sheet) string {
		_, last := vision.cut(s, vision.patches(s, false), nil)
		x := vision.norm.add(s, vision.prefix+"post_layernorm", last)
		if vc.flag("vision_use_head") {
			d.behind = func(s *sheet) {
				s.add("pooler_output", "output", nil, vision.pooled(s, vision.prefix+"post_layernorm"))
			}
		}
		module := "multi_modal_projector."
		x = s.add(module+"channels_first", "permute", params{"dims", []int64{0, 2, 1}}, x)
		x = s.add(module+"image", "reshape", params{"shape", []int64{-1, vision.width, side, side}}, x)
		x = s.add(module+"avg_pool", "avgpool2d", params{"kernelSize", side / kept}, x)
		x = s.add(module+"flatten", "flatten", params{"startDim", 2}, x)
		x = s.add(module+"channels_last", "permute", params{"dims", []int64{0, 2, 1}}, x)
		x = s.add(module+"mm_soft_emb_norm", "rmsNorm", params{"eps", vc.number("layer_norm_eps"), "unitOffset", true}, x)
		weight := s.add(module+"mm_input_projection_weight", "parameter", params{"shape", []int64{vision.width, d.width}})
		return s.add(module+"projected", "matmul", nil, x, weight)
	})
	read()
	seen()
	return doc
}

// llamaVision are the fields of the encoder of images of Llama 4.
var llamaVision = fields(towerFields(768, 5632, 16, "gelu", 1e-5), visionFields(14), []Field{
	depth("num_hidden_layers").or(34),
	size("image_size", "height and width of an image").or(448),
	number("pixel_shuffle_ratio", 0.5, "by what the sides of an image shrink when neighbouring patches are joined"),
	size("projector_input_dim", "inner width of the adapter").or(4096),
	size("projector_output_dim", "width of the adapter's output").or(4096),
	size("vision_output_dim", "width that is projected to the language model").or(7680),
	number("rope_theta", 10000, "base of the wavelengths"), object("rope_parameters", "base of the wavelengths"),
})

// llamaImages is Llama 4 with its encoder of images: rows and columns turn the
// heads, and squares of patches become one token each.
func llamaImages(c *config) *graph.Document {
	list := slices.DeleteFunc(slices.Clone(llamaVision), func(f Field) bool { return f.Name == "hidden_act" || f.Name == "layer_norm_eps" })
	vc, seen := c.within("vision_config", list, "hidden_act", "norm_eps", "projector_dropout", "multi_modal_projector_bias", "vision_feature_select_strategy", "vision_feature_layer")
	vision, image, patch := llamaTower(vc), vc.count("image_size"), vc.count("patch_size")
	d, read := c.language("llama4_text", "llama4_text")
	d.beneath()
	side, join := vision.side(), int64(1)
	if r := vc.number("pixel_shuffle_ratio"); r > 0 && 1/r == math.Trunc(1/r) && 1/r <= float64(side) {
		join = int64(1 / r)
	} else {
		vc.contradict("pixel_shuffle_ratio", "found %v, expected one over a whole number of patches", r)
	}
	if side%join != 0 {
		vc.contradict("pixel_shuffle_ratio", "%d patches on each side of an image cannot be joined by %d", side, join)
	}
	joined, inner, out := vision.width*join*join, vc.count("projector_input_dim"), vc.count("projector_output_dim")
	for _, f := range []struct {
		name string
		want int64
	}{{"intermediate_size", joined}, {"projector_input_dim", out}, {"vision_output_dim", out}} {
		if n := vc.count(f.name); n != f.want {
			vc.contradict(f.name, "found %d, but %d features arrive there", n, f.want)
		}
	}
	left, patches := side/join, side*side
	doc := d.seeing(left*left, vision, func(s *sheet) string {
		x := s.add("pixel_values", "input", params{"shape", []int64{1, vc.count("num_channels"), image, image}})
		x = s.add("vision_model.patch_embedding", "patchEmbed", params{"imgSize", image, "patchSize", patch, "embedDim", vision.width, "bias", false, "flat", true, "names", names("proj", "linear")}, x)
		x = s.add("vision_model.class_embedding", "parameter", params{"shape", []int64{vision.width}, "mode", "append"}, x)
		x = s.add("vision_model.positional_embedding_vlm", "parameter", params{"shape", []int64{patches + 1, vision.width}}, x)
		x = vision.norm.add(s, "vision_model.layernorm_pre", x)
		angles := s.add("vision_model.rotary_embedding", "rope", params{
			"dim", vision.headDim, "theta", vc.turning().theta, "interleaved", true, "grid", []int64{side, side}, "columnsFirst", true, "firstCell", 1,
		})
		x = s.repeat("vision_model.model.layers", []string{vision.block.Name}, vision.layers, x, angles)
		x = vision.norm.add(s, "vision_model.layernorm_post", x)
		x = s.add("vision_model.patches", "split", params{"dim", 1, "splitSize", []int64{patches, 1}}, x)
		module := "vision_model.vision_adapter."
		x = s.add(module+"squares", "reshape", params{"shape", []int64{-1, left, join, left, join, vision.width}}, x)
		x = s.add(module+"pixel_shuffle", "permute", params{"dims", []int64{0, 1, 3, 2, 4, 5}}, x)
		x = s.add(module+"joined", "reshape", params{"shape", []int64{-1, left * left, joined}}, x)
		x = s.add(module+"mlp.fc1", "linear", params{"outFeatures", inner, "bias", false}, x)
		x = s.add(module+"mlp.activation_fn", "gelu", nil, x)
		x = s.add(module+"mlp.fc2", "linear", params{"outFeatures", out, "bias", false}, x)
		x = s.add(module+"mlp.activation_out", "gelu", nil, x)
		return s.add("multi_modal_projector.linear_1", "linear", params{"outFeatures", d.width, "bias", false}, x)
	})
	read()
	seen()
	return doc
}

// llamaTower reads the encoder of images of Llama 4.
func llamaTower(c *config) *tower {
	t := &tower{c: c, width: c.count("hidden_size"), layers: c.layers("num_hidden_layers"), norm: norm{"layerNorm", nil}}
	heads := c.count("num_attention_heads")
	if t.headDim = c.split(t.width, heads, "hidden_size", "num_attention_heads"); t.headDim%4 != 0 {
		c.contradict("num_attention_heads", "rows and columns turn a quarter of the features of a head in pairs, but a head has %d", t.headDim)
	}
	r := residual{
		norm: t.norm, before: "input_layernorm", mlpBefore: "post_attention_layernorm",
		attn: single("self_attn", "multiHeadAttention", params{"numHeads", heads}),
		mlp:  single("mlp", "feedForward", params{"ffDim", c.count("intermediate_size"), "names", names("up", "fc1", "down", "fc2")}),
	}
	var s sheet
	t.block = graph.Block{Name: "vision", Inputs: []string{"x", "rotary_embedding"}, Output: r.fill(&s, "x", "rotary_embedding")}
	t.block.Components = s.list
	return t
}
