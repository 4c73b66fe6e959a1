package adopt

import (
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/strata-catalog/strata/generator/graph"
)

// pictured are the fields of every model that reads images.
var pictured = []Field{
	count("num_channels", 3, "channels of an image"),
	lone("hidden_act", "gelu"),
	series("architectures", "classes of the checkpoint; one for a task has a head"),
	count("num_labels", 0, "classes of the head"),
	{Name: "id2label", Kind: Object, Doc: "names of the classes of the head"},
}

// patched are those of encoders that cut an image into patches once.
var patched = fields(pictured, []Field{
	size("hidden_size", "width of the model"),
	depth("num_hidden_layers"),
	size("num_attention_heads", "heads"),
	size("image_size", "height and width of an image"),
	size("patch_size", "height and width of a patch"),
})

// vitFields are those of ViT and of DeiT.
var vitFields = fields(patched, []Field{
	size("intermediate_size", "inner width of the feed-forward network"),
	flag("qkv_bias", true, "queries, keys and values add a constant"),
	eps("layer_norm_eps", 1e-12),
	count("pooler_output_size", 0, "width of the pooler, else hidden_size"),
	word("pooler_act", "tanh", "activation of the pooler", "tanh"),
})

// dinoFields are those of DINOv2.
var dinoFields = fields(patched, []Field{
	number("mlp_ratio", 4, "inner width of the feed-forward network as a multiple of hidden_size"),
	flag("qkv_bias", true, "queries, keys and values add a constant"), eps("layer_norm_eps", 1e-6),
	flag("use_swiglu_ffn", false, "the network has a gate"),
	flag("use_mask_token", true, "there is a token for what pretraining masks"),
})

// staged is a list with a number for each stage of a pyramid.
func staged(name, doc string) Field {
	return Field{Name: name, Kind: List, Required: true, Doc: doc + ", one number for each stage"}
}

var vision = []*Family{
	{
		Types: []string{"vit"}, Name: "ViT", Fields: vitFields, Harmless: []string{"encoder_stride"},
		Build: func(c *config) *graph.Document { return view(c, "vit", "ViTModel", "ViTForImageClassification").vit() },
	},
	{
		Types: []string{"deit"}, Name: "DeiT", Fields: vitFields, Harmless: []string{"encoder_stride"},
		Build: func(c *config) *graph.Document {
			return view(c, "deit", "DeiTModel", "DeiTForImageClassification", "DeiTForImageClassificationWithTeacher").vit()
		},
	},
	{
		Types: []string{"beit"}, Name: "BEiT",
		Fields: fields(patched, []Field{
			size("intermediate_size", "inner width of the feed-forward network"), eps("layer_norm_eps", 1e-12),
			flag("use_mask_token", false, "there is a token for what pretraining masks"),
			flag("use_absolute_position_embeddings", false, "each position has a vector that is added to its patch"),
			flag("use_relative_position_bias", false, "each layer has a bias for each offset of two patches"),
			flag("use_shared_relative_position_bias", false, "all layers have such biases together"),
			flag("use_mean_pooling", true, "the head reads the mean of the patches, else the class token"),
			number("layer_scale_init_value", 0.1, "factor of what a layer adds, at the start of training; 0 for no factors"),
		}),
		Harmless: backbones("vocab_size", "pool_scales", "use_auxiliary_head", "auxiliary_loss_weight", "auxiliary_channels", "auxiliary_num_convs", "auxiliary_concat_input", "semantic_loss_ignore_index", "add_fpn"),
		Build:    beit,
	},
	{
		Types: []string{"dinov2"}, Name: "DINOv2", Fields: dinoFields, Harmless: backbones("layerscale_value", "apply_layernorm"),
		Build: func(c *config) *graph.Document {
			return view(c, "dinov2", "Dinov2Model", "Dinov2ForImageClassification").dino()
		},
	},
	{
		Types: []string{"dinov2_with_registers"}, Name: "DINOv2 with registers",
		Fields:   fields(dinoFields, []Field{count("num_register_tokens", 4, "learned tokens between the class token and the patches")}),
		Harmless: backbones("layerscale_value", "apply_layernorm"),
		Build: func(c *config) *graph.Document {
			return view(c, "dinov2_with_registers", "Dinov2WithRegistersModel", "Dinov2WithRegistersForImageClassification").dino()
		},
	},
	{
		Types: []string{"swin"}, Name: "Swin",
		Fields: fields(pictured, []Field{
			size("image_size", "height and width of an image"),
			size("patch_size", "height and width of a patch"),
			size("embed_dim", "width of the first stage, which doubles from stage to stage"),
			staged("depths", "layers"), staged("num_heads", "heads"),
			size("window_size", "height and width of a window, in patches"),
			number("mlp_ratio", 4, "inner width of the feed-forward network as a multiple of a stage's width"),
			flag("qkv_bias", true, "queries, keys and values add a constant"),
			flag("use_absolute_embeddings", false, "each position has a vector that is added to its patch"),
			eps("layer_norm_eps", 1e-5),
		}),
		Harmless: backbones("encoder_stride", "path_norm", "num_layers", "hidden_size"),
		Build:    swin,
	},
	{
		Types: []string{"convnext"}, Name: "ConvNeXt",
		Fields: fields(pictured, []Field{
			count("image_size", 224, "height and width of an image"),
			count("patch_size", 4, "height and width of a patch"),
			count("num_stages", 4, "stages"),
			staged("hidden_sizes", "width"), staged("depths", "layers"),
			number("layer_scale_init_value", 1e-6, "factor of what a layer adds, at the start of training; 0 for no factors"),
			eps("layer_norm_eps", 1e-12),
		}),
		Harmless: backbones(),
		Build:    convnext,
	},
	{
		Types: []string{"resnet"}, Name: "ResNet",
		Fields: fields(pictured, []Field{
			lone("hidden_act", "relu"),
			count("image_size", 224, "height and width of an image"),
			count("embedding_size", 64, "channels behind the first convolution"),
			staged("hidden_sizes", "channels"), staged("depths", "layers"),
			word("layer_type", "bottleneck", "kind of the layers", "bottleneck", "basic"),
			flag("downsample_in_first_stage", false, "the first stage halves the image as well"),
			flag("downsample_in_bottleneck", false, "the first convolution of a layer halves the image, else the second"),
		}),
		Harmless: backbones(),
		Build:    resnet,
	},
	{
		Types: []string{"segformer"}, Name: "SegFormer",
		Fields: fields(pictured, []Field{
			count("image_size", 512, "height and width of an image"),
			count("num_encoder_blocks", 4, "stages"),
			staged("depths", "layers"), staged("hidden_sizes", "width"), staged("num_attention_heads", "heads"),
			staged("sr_ratios", "by how much keys and values are reduced along each side"),
			staged("patch_sizes", "height and width of a patch"), staged("strides", "distance of two patches"),
			staged("mlp_ratios", "inner width of the feed-forward network as a multiple of the width"),
			count("decoder_hidden_size", 256, "width of the head"),
		}),
		Harmless: backbones("layer_norm_eps", "semantic_loss_ignore_index", "reshape_last_stage", "downsampling_rates", "align_corners"),
		Build:    segformer,
	},
}

// backbones are harmless fields of models that others build on, and more.
func backbones(more ...string) []string {
	return append([]string{"drop_path_rate", "out_features", "out_indices", "stage_names", "reshape_hidden_states"}, more...)
}

// A viewer is a model of images in the making.
type viewer struct {
	sheet
	c      *config
	class  string // the class with a head that the checkpoint is of, "" for the bare model
	at     string // what the modules of the bare model stand below
	labels int64  // classes of the head
	blocks []graph.Block
}

// view begins a model of images: the bare class, or one of those that hold it
// as a module beside a head.
func view(c *config, module, bare string, heads ...string) *viewer {
	v := &viewer{c: c, class: c.class(bare, heads), labels: c.labels()}
	if v.class != "" {
		v.at, v.labels = module+".", max(v.labels, 1)
	}
	return v
}

// class is which of some classes with a head a checkpoint is of, "" for the bare
// one. Where architectures does not say, the first is meant if the
// classes of a head are given.
func (c *config) class(bare string, heads []string) string {
	named := list[string](c, "architectures")
	for _, name := range named {
		if name == bare {
			return ""
		}
		if slices.Contains(heads, name) {
			return name
		}
	}
	switch {
	case len(named) > 0:
		c.unsaid("architectures", "none of the classes that it names can be imported, the document is "+bare)
	case c.count("num_labels") > 0 || c.members["id2label"].value.Kind() == '{':
		return heads[0]
	}
	return ""
}

// labels is how many classes the head of a classifier has. Two are what a
// configuration that does not say has.
func (c *config) labels() int64 {
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
	if n == 0 {
		return 2
	}
	return n
}

// counts is a list of whole numbers from 1 to a limit, one for each stage. It
// has so many, or where stages is 0 at least one.
func (c *config) counts(name string, stages int, limit int64) []int64 {
	l := list[int64](c, name)
	switch {
	case c.err != nil:
	case stages > 0 && len(l) != stages:
		c.contradict(name, "lists %d stages, but there are %d", len(l), stages)
	case len(l) == 0 || len(l) > maxStages:
		c.contradict(name, "lists %d stages, expected 1 to %d", len(l), maxStages)
	default:
		i := slices.IndexFunc(l, func(n int64) bool { return n < 1 || n > limit })
		if i < 0 {
			return l
		}
		c.contradict(name, "found %d for stage %d, expected a whole number from 1 to %d", l[i], i, limit)
	}
	return slices.Repeat([]int64{1}, max(stages, 1))
}

// maxStages is far above the stages of every pyramid there is.
const maxStages = 16

// portion is a multiple of a width by the number of a field, rounded down.
func (c *config) portion(name string, width int64) int64 {
	n := c.number(name) * float64(width)
	if n < 1 || n > maxSize {
		c.contradict(name, "%v times a width of %d is no width from 1 to %d", c.number(name), width, int64(maxSize))
		return 1
	}
	return int64(n)
}

// grid is how many patches lie along one side of an image.
func (c *config) grid(image, patch int64) int64 {
	switch side := image / patch; {
	case side == 0:
		c.contradict("patch_size", "patches of %d do not fit into an image of %d", patch, image)
	case side > maxSide:
		c.contradict("image_size", "an image of %d has %d patches along each side, expected at most %d", image, side, maxSide)
	default:
		return side
	}
	return 1
}

// maxSide is far above the patches along the side of every image there is.
const maxSide = 1 << 15

// image appends the input.
func (v *viewer) image(side int64) string {
	return v.add("pixel_values", "input", params{"shape", []int64{1, max(1, v.c.count("num_channels")), side, side}})
}

// linear appends a linear layer.
func (s *sheet) linear(id string, out int64, input string) string {
	return s.add(id, "linear", params{"outFeatures", out}, input)
}

// token appends the token of a place, as a vector.
func (v *viewer) token(id string, at int64, input string) string {
	x := v.add(id, "split", params{"dim", 1, "splitSize", 1, "index", at}, input)
	return v.add(id+"_vector", "squeeze", params{"dim", 1}, x)
}

// classify appends a linear head and its output.
func (v *viewer) classify(x string) {
	v.add("logits", "output", nil, v.linear("classifier", v.labels, x))
}

// with gives the block of the last component its values: a name, its value, and
// so on.
func (s *sheet) with(values ...any) {
	for i := 0; i < len(values); i += 2 {
		s.list[len(s.list)-1].With = append(s.list[len(s.list)-1].With, graph.Param{Name: values[i].(string), Value: encode(values[i+1])})
	}
}

// document is the model, described by what it is beside its name.
func (v *viewer) document(description string, args ...any) *graph.Document {
	category := "Vision/Backbone"
	if v.class != "" {
		category = "Vision/Classification"
	}
	return &graph.Document{
		Source: v.c.src, ID: v.c.id, Name: v.c.id, Category: category, Tags: []string{"encoder", "image"}, Components: v.list, Blocks: v.blocks,
		Description: v.c.family.Name + ": " + fmt.Sprintf(description, args...),
	}
}

// A patchLayer is a layer of an encoder over patches, pre-norm.
type patchLayer struct {
	norm
	before, behind string // the norms of attention and of the network
	heads, width   int64
	attn           params // of attention, beside heads and names
	// scaled appends the factors of what attention and network add: 1 and 2.
	scaled func(b *sheet, i int, x string) string
	mlp    func(b *sheet, x string) string
}

// block is the layer under the names of BERT, which the checkpoints have.
func (l patchLayer) block() graph.Block {
	var b sheet
	roles := names("q", "query", "k", "key", "v", "value", "relative_position_bias_table", "relative_position_bias.relative_position_bias_table")
	if !slices.Contains(l.attn, any("relativeGrid")) {
		delete(roles, "relative_position_bias_table")
	}
	p := append(params{"numHeads", l.heads, "outProj", false, "names", roles}, l.attn...)
	a := b.add("attention.attention", "selfAttention", p, l.norm.add(&b, l.before, "x"))
	a = b.linear("attention.output.dense", l.width, a)
	y := b.add("residual_attn", "add", nil, l.scale(&b, 1, a), "x")
	m := l.mlp(&b, l.norm.add(&b, l.behind, y))
	out := b.add("residual_mlp", "add", nil, l.scale(&b, 2, m), y)
	return graph.Block{Name: "layer", Inputs: []string{"x"}, Components: b.list, Output: out}
}

func (l patchLayer) scale(b *sheet, i int, x string) string {
	if l.scaled == nil {
		return x
	}
	return l.scaled(b, i, x)
}

// network is a feed-forward network of two layers under the given names.
func network(width, inner int64, act, up, activation, down string) func(b *sheet, x string) string {
	return func(b *sheet, x string) string {
		return b.linear(down, width, activate(b, activation, act, b.linear(up, inner, x)))
	}
}

// bertNetwork has BERT's names.
func bertNetwork(c *config, width int64) func(b *sheet, x string) string {
	return network(width, c.count("intermediate_size"), c.word("hidden_act"), "intermediate.dense", "intermediate.intermediate_act_fn", "output.dense")
}

// cut appends the patches of an image, so many along each side.
func (v *viewer) cut(width int64) (x string, side int64) {
	image, patch := v.c.count("image_size"), v.c.count("patch_size")
	x = v.add(v.at+"embeddings.patch_embeddings", "patchEmbed", params{"imgSize", image, "patchSize", patch, "embedDim", width, "names", names("proj", "projection")}, v.image(image))
	return x, v.c.grid(image, patch)
}

// front puts learned tokens in front of the patches, the last one foremost.
func (v *viewer) front(width int64, x string, tokens ...string) string {
	for _, token := range tokens {
		x = v.add(v.at+"embeddings."+token, "parameter", params{"shape", []int64{1, 1, width}, "mode", "concat"}, x)
	}
	return x
}

// masked keeps a token aside that pretraining puts in the place of patches.
func (v *viewer) masked(x string, shape ...int64) string {
	if !v.c.flag("use_mask_token") {
		return x
	}
	return v.add(v.at+"embeddings.mask_token", "parameter", params{"shape", shape, "mode", "aside"}, x)
}

// place adds a learned vector to each of so many positions.
func (v *viewer) place(width, positions int64, x string) string {
	return v.add(v.at+"embeddings.position_embeddings", "parameter", params{"shape", []int64{1, positions, width}, "mode", "add"}, x)
}

// sizes reads the sizes that encoders over patches share.
func (v *viewer) sizes() (width, layers, heads int64) {
	c := v.c
	width, layers, heads = c.count("hidden_size"), c.layers("num_hidden_layers"), c.count("num_attention_heads")
	c.split(width, heads, "hidden_size", "num_attention_heads")
	return width, layers, heads
}

const patchesOf = "encoder of %d layers, %d wide, over patches of %d × %[3]d pixels"

// vit is ViT, or with a token for what a teacher says DeiT: with a classifier, or
// with a pooler.
func (v *viewer) vit() *graph.Document {
	c := v.c
	width, layers, heads := v.sizes()
	n := layered(c, "layer_norm_eps", true)
	tokens := []string{"cls_token"}
	if c.model == "deit" {
		tokens = []string{"distillation_token", "cls_token"}
	}
	x, side := v.cut(width)
	x = v.place(width, side*side+int64(len(tokens)), v.front(width, x, tokens...))
	x = v.repeat(v.at+"encoder.layer", []string{"layer"}, layers, x)
	x = n.add(&v.sheet, v.at+"layernorm", x)
	pooled := c.count("pooler_output_size")
	if pooled == 0 {
		pooled = width
	}
	c.word("pooler_act")
	switch v.class {
	case "":
		v.add("last_hidden_state", "output", nil, x)
		pool(&v.sheet, x, pooled, []string{"pooler.dense", "pooler.activation"})
	case "DeiTForImageClassificationWithTeacher":
		one := v.linear("cls_classifier", v.labels, v.token("class_token", 0, x))
		two := v.linear("distillation_classifier", v.labels, v.token("teacher_token", 1, x))
		v.add("logits", "output", nil, v.add("mean", "mean", nil, one, two))
		v.add("cls_logits", "output", nil, one)
		v.add("distillation_logits", "output", nil, two)
	default:
		v.classify(v.token("class_token", 0, x))
	}
	l := patchLayer{
		norm: n, before: "layernorm_before", behind: "layernorm_after", heads: heads, width: width,
		attn: params{"qkvBias", c.flag("qkv_bias")}, mlp: bertNetwork(c, width),
	}
	v.blocks = []graph.Block{l.block()}
	return v.document(patchesOf, layers, width, c.count("patch_size"))
}

// beit is BEiT: biases of offsets instead of positions, and factors of what a
// layer adds.
func beit(c *config) *graph.Document {
	v := view(c, "beit", "BeitModel", "BeitForImageClassification")
	width, layers, heads := v.sizes()
	n := layered(c, "layer_norm_eps", true)
	if c.flag("use_shared_relative_position_bias") {
		c.contradict("use_shared_relative_position_bias", "found true; only models whose layers have biases of their own can be imported")
	}
	x, side := v.cut(width)
	x = v.front(width, v.masked(x, 1, 1, width), "cls_token")
	if c.flag("use_absolute_position_embeddings") {
		x = v.place(width, side*side+1, x)
	}
	x = v.repeat(v.at+"encoder.layer", []string{"layer"}, layers, x)
	mean := c.flag("use_mean_pooling")
	if !mean {
		x = n.add(&v.sheet, v.at+"layernorm", x)
	}
	if v.class == "" {
		v.add("last_hidden_state", "output", nil, x)
	}
	if mean {
		x = v.add("patches", "split", params{"dim", 1, "splitSize", []int64{1, side * side}, "index", 1}, x)
		x = v.add("mean", "mean", params{"dim", 1}, x)
		x = n.add(&v.sheet, v.at+"pooler.layernorm", x)
	} else {
		x = v.token("class_token", 0, x)
	}
	if v.class == "" {
		v.add("pooler_output", "output", nil, x)
	} else {
		v.classify(x)
	}
	l := patchLayer{
		norm: n, before: "layernorm_before", behind: "layernorm_after", heads: heads, width: width,
		attn: params{"keyBias", false}, mlp: bertNetwork(c, width),
	}
	if c.flag("use_relative_position_bias") {
		l.attn = append(l.attn, "relativeGrid", side)
	}
	if c.number("layer_scale_init_value") > 0 {
		l.scaled = func(b *sheet, i int, x string) string {
			return b.add(fmt.Sprintf("lambda_%d", i), "parameter", params{"shape", []int64{width}, "mode", "scale"}, x)
		}
	}
	v.blocks = []graph.Block{l.block()}
	return v.document(patchesOf, layers, width, c.count("patch_size"))
}

// dino is DINOv2, whose classifier reads the class token and the mean of the
// patches.
func (v *viewer) dino() *graph.Document {
	c := v.c
	width, layers, heads := v.sizes()
	n := layered(c, "layer_norm_eps", true)
	x, side := v.cut(width)
	x = v.place(width, side*side+1, v.front(width, v.masked(x, 1, width), "cls_token"))
	registers := c.count("num_register_tokens")
	if registers > 0 {
		both := params{"dim", 1, "splitSize", []int64{1, side * side}}
		class := v.add("class", "split", both, x)
		x = v.add("placed_patches", "split", append(both, "index", 1), x)
		x = v.add(v.at+"embeddings.register_tokens", "parameter", params{"shape", []int64{1, registers, width}, "mode", "concat"}, x)
		x = v.add("tokens", "concatenate", params{"dim", 1}, class, x)
	}
	x = v.repeat(v.at+"encoder.layer", []string{"layer"}, layers, x)
	x = n.add(&v.sheet, v.at+"layernorm", x)
	class := v.token("class_token", 0, x)
	if v.class == "" {
		v.add("last_hidden_state", "output", nil, x)
		v.add("pooler_output", "output", nil, class)
	} else {
		x = v.add("patches", "split", params{"dim", 1, "splitSize", []int64{1 + registers, side * side}, "index", 1}, x)
		x = v.add("mean", "mean", params{"dim", 1}, x)
		v.classify(v.add("joined", "concatenate", params{"dim", -1}, class, x))
	}
	inner := c.portion("mlp_ratio", width)
	l := patchLayer{
		norm: n, before: "norm1", behind: "norm2", heads: heads, width: width,
		attn: params{"qkvBias", c.flag("qkv_bias")}, mlp: network(width, inner, c.word("hidden_act"), "mlp.fc1", "mlp.activation", "mlp.fc2"),
		scaled: func(b *sheet, i int, x string) string {
			return b.add(fmt.Sprintf("layer_scale%d", i), "layerScale", params{"names", names("weight", "lambda1")}, x)
		},
	}
	if c.flag("use_swiglu_ffn") {
		// Two thirds of the width, for there are three matrices, in whole eights.
		gated := (inner*2/3 + 7) / 8 * 8
		l.mlp = func(b *sheet, x string) string {
			return b.add("mlp", "swiglu", params{"intermediateSize", gated, "bias", true, "layout", "fused", "names", names("gate_up", "weights_in", "down", "weights_out")}, x)
		}
	}
	v.blocks = []graph.Block{l.block()}
	return v.document(patchesOf, layers, width, c.count("patch_size"))
}

// swin is Swin: stages of windows that are shifted in every second layer.
func swin(c *config) *graph.Document {
	v := view(c, "swin", "SwinModel", "SwinForImageClassification")
	image, patch, width, window := c.count("image_size"), c.count("patch_size"), c.count("embed_dim"), c.count("window_size")
	depths := c.counts("depths", 0, maxLayers)
	heads := c.counts("num_heads", len(depths), maxSize)
	n := layered(c, "layer_norm_eps", true)
	side := c.grid(image, patch)
	if image%patch != 0 {
		c.contradict("patch_size", "patches of %d do not divide an image of %d", patch, image)
	}
	x, _ := v.cut(width)
	x = v.add(v.at+"embeddings.norm", "layerNorm", nil, x)
	if c.flag("use_absolute_embeddings") {
		x = v.place(width, side*side, x)
	}
	x = v.add("image", "reshape", params{"shape", []int64{-1, side, side, width}}, x)
	act, stages := c.word("hidden_act"), len(depths)
	for i, depth := range depths {
		if window > side {
			c.contradict("window_size", "windows of %d do not fit into stage %d, which is %d patches high", window, i, side)
		}
		c.split(width, heads[i], "embed_dim", "num_heads")
		pattern := []string{"layer"}
		if depth > 1 {
			pattern = append(pattern, "shifted")
		}
		at := fmt.Sprintf("%sencoder.layers.%d.", v.at, i)
		x = v.repeat(at+"blocks", pattern, depth, x)
		v.with("width", width, "heads", heads[i], "inner", c.portion("mlp_ratio", width))
		if i == stages-1 {
			break
		}
		x = v.add(at+"downsample", "patchMerging", nil, x)
		side = (side + 1) / 2
		if width *= 2; width > maxSize {
			c.contradict("embed_dim", "stage %d would be %d wide, expected at most %d", i+1, width, int64(maxSize))
			width = 1
		}
	}
	x = n.add(&v.sheet, v.at+"layernorm", x)
	pooled := v.add("mean", "mean", params{"dim", []int64{1, 2}}, x)
	if v.class == "" {
		v.add("last_hidden_state", "output", nil, v.add("tokens", "flatten", params{"startDim", 1, "endDim", 2}, x))
		v.add("pooler_output", "output", nil, pooled)
	} else {
		v.classify(pooled)
	}
	layer := func(name string, shift int64) graph.Block {
		var b sheet
		a := b.add("attention.self", "windowAttention", params{
			"numHeads", "$heads", "windowSize", window, "shiftSize", shift, "relativePositions", true, "relativeIndex", "none",
			"bias", true, "qkvBias", c.flag("qkv_bias"), "outProj", false, "names", names("q", "query", "k", "key", "v", "value"),
		}, n.add(&b, "layernorm_before", "x"))
		a = b.add("attention.output.dense", "linear", params{"outFeatures", "$width"}, a)
		y := b.add("residual_attn", "add", nil, a, "x")
		m := b.add("intermediate.dense", "linear", params{"outFeatures", "$inner"}, n.add(&b, "layernorm_after", y))
		m = activate(&b, "intermediate.intermediate_act_fn", act, m)
		m = b.add("output.dense", "linear", params{"outFeatures", "$width"}, m)
		return graph.Block{Name: name, Inputs: []string{"x"}, Components: b.list, Output: b.add("residual_mlp", "add", nil, m, y)}
	}
	v.blocks = []graph.Block{layer("layer", 0)}
	if slices.Max(depths) > 1 {
		v.blocks = append(v.blocks, layer("shifted", window/2))
	}
	return v.document("%d stages of windows of %d × %[2]d patches, %d to %d wide", stages, window, c.count("embed_dim"), width)
}

// convnext is ConvNeXt: the stages of Swin, with convolutions.
func convnext(c *config) *graph.Document {
	v := view(c, "convnext", "ConvNextModel", "ConvNextForImageClassification")
	image, patch := max(1, c.count("image_size")), max(1, c.count("patch_size"))
	widths := c.counts("hidden_sizes", int(c.count("num_stages")), maxSize)
	depths := c.counts("depths", len(widths), maxLayers)
	act, scaled := c.word("hidden_act"), c.number("layer_scale_init_value") > 0
	inner := norm{"layerNorm", params{"eps", 1e-6}}
	side := c.grid(image, patch)
	x := v.add(v.at+"embeddings.patch_embeddings", "conv2d", params{"outChannels", widths[0], "kernelSize", patch, "stride", patch}, v.image(image))
	x = inner.add(&v.sheet, v.at+"embeddings.layernorm", x)
	for i, depth := range depths {
		at := fmt.Sprintf("%sencoder.stages.%d.", v.at, i)
		if i > 0 {
			if side /= 2; side == 0 {
				c.contradict("image_size", "nothing is left of an image of %d at stage %d", image, i)
			}
			x = inner.add(&v.sheet, at+"downsampling_layer.0", x)
			x = v.add(at+"downsampling_layer.1", "conv2d", params{"outChannels", widths[i], "kernelSize", 2, "stride", 2}, x)
		}
		x = v.repeat(at+"layers", []string{"layer"}, depth, x)
		v.with("width", widths[i], "inner", 4*widths[i])
		if scaled {
			v.with("factors", []int64{widths[i]})
		}
	}
	last := layered(c, "layer_norm_eps", true)
	if v.class == "" {
		v.add("last_hidden_state", "output", nil, x)
	}
	x = v.add("mean", "mean", params{"dim", []int64{2, 3}}, x)
	x = last.add(&v.sheet, v.at+"layernorm", x)
	if v.class == "" {
		v.add("pooler_output", "output", nil, x)
	} else {
		v.classify(x)
	}
	var b sheet
	y := b.add("dwconv", "depthwiseConv2d", params{"kernelSize", 7, "padding", 3}, "x")
	y = b.add("channels_last", "permute", params{"dims", []int64{0, 2, 3, 1}}, y)
	y = inner.add(&b, "layernorm", y)
	y = b.add("pwconv1", "linear", params{"outFeatures", "$inner"}, y)
	y = activate(&b, "act", act, y)
	y = b.add("pwconv2", "linear", params{"outFeatures", "$width"}, y)
	if scaled {
		y = b.add("layer_scale_parameter", "parameter", params{"shape", "$factors", "mode", "scale"}, y)
	}
	y = b.add("channels_first", "permute", params{"dims", []int64{0, 3, 1, 2}}, y)
	v.blocks = []graph.Block{{Name: "layer", Inputs: []string{"x"}, Components: b.list, Output: b.add("residual", "add", nil, y, "x")}}
	doc := v.document("%d stages of convolutions, %d to %d wide", len(widths), widths[0], widths[len(widths)-1])
	doc.Tags = []string{"convolution", "image"}
	return doc
}

// segformer is SegFormer. Its head reads the maps of all stages. The layers keep
// the channels first, so that convolutions stand between them without a turn.
func segformer(c *config) *graph.Document {
	v := view(c, "segformer", "SegformerModel", "SegformerForSemanticSegmentation", "SegformerForImageClassification")
	image := max(1, c.count("image_size"))
	widths := c.counts("hidden_sizes", int(c.count("num_encoder_blocks")), maxSize)
	each := func(name string, limit int64) []int64 { return c.counts(name, len(widths), limit) }
	depths, heads, reductions := each("depths", maxLayers), each("num_attention_heads", maxSize), each("sr_ratios", maxSide)
	patches, strides, ratios := each("patch_sizes", maxSide), each("strides", maxSide), each("mlp_ratios", 1000)
	act := c.word("hidden_act")
	x, side, first := v.image(image), image, int64(0)
	var maps []string
	for i, width := range widths {
		c.split(width, heads[i], "hidden_sizes", "num_attention_heads")
		side = (side+2*(patches[i]/2)-patches[i])/strides[i] + 1
		if side > maxSide || side < reductions[i] {
			c.contradict("image_size", "an image of %d has %d patches along each side at stage %d, expected %d to %d", image, side, i, reductions[i], maxSide)
		}
		if i == 0 {
			first = side
		}
		at := fmt.Sprintf("%sencoder.patch_embeddings.%d.", v.at, i)
		x = v.add(at+"proj", "conv2d", params{"outChannels", width, "kernelSize", patches[i], "stride", strides[i], "padding", patches[i] / 2}, x)
		x = v.add(at+"layer_norm", "layerNorm", nil, x)
		name := fmt.Sprintf("stage%d", i)
		x = v.repeat(fmt.Sprintf("%sencoder.block.%d", v.at, i), []string{name}, depths[i], x)
		v.blocks = append(v.blocks, reducedLayer(name, width, heads[i], reductions[i], width*ratios[i], act))
		x = v.add(fmt.Sprintf("%sencoder.layer_norm.%d", v.at, i), "layerNorm", nil, x)
		maps = append(maps, x)
	}
	doc := func(what string) *graph.Document {
		return v.document("%s of %d stages, %d to %d wide, whose keys and values are reduced", what, len(widths), widths[0], widths[len(widths)-1])
	}
	switch v.class {
	case "":
		v.add("last_hidden_state", "output", nil, x)
		return doc("encoder")
	case "SegformerForImageClassification":
		v.classify(v.add("mean", "mean", params{"dim", []int64{2, 3}}, x))
		return doc("encoder")
	}
	width := max(1, c.count("decoder_hidden_size"))
	var joined []string
	for i, m := range maps {
		m = v.linear(fmt.Sprintf("decode_head.linear_c.%d.proj", i), width, m)
		if i > 0 {
			m = v.add(fmt.Sprintf("enlarged.%d", i), "interpolate", params{"size", first, "mode", "bilinear"}, m)
		}
		joined = append([]string{m}, joined...)
	}
	x = joined[0]
	if len(joined) > 1 {
		x = v.add("joined", "concatenate", params{"dim", 1}, joined...)
	}
	x = v.add("decode_head.linear_fuse", "conv2d", params{"outChannels", width, "kernelSize", 1, "bias", false}, x)
	x = v.add("decode_head.batch_norm", "batchNorm", nil, x)
	x = v.add("decode_head.activation", "relu", nil, x)
	x = v.add("decode_head.classifier", "conv2d", params{"outChannels", v.labels, "kernelSize", 1}, x)
	v.add("logits", "output", nil, x)
	d := doc("segmentation by an encoder")
	d.Category = "Vision/Segmentation"
	return d
}

// reducedLayer is a layer whose keys and values come from an image that a
// convolution has made smaller, and whose network mixes neighbours.
func reducedLayer(name string, width, heads, reduction, inner int64, act string) graph.Block {
	var b sheet
	a := b.add("layer_norm_1", "layerNorm", nil, "x")
	sources := []string{a}
	if reduction > 1 {
		r := b.add("attention.self.sr", "conv2d", params{"outChannels", width, "kernelSize", reduction, "stride", reduction}, a)
		sources = append(sources, b.add("attention.self.layer_norm", "layerNorm", nil, r))
	}
	a = b.add("attention.self", "multiHeadAttention", params{"numHeads", heads, "outProj", false, "names", names("q", "query", "k", "key", "v", "value")}, sources...)
	y := b.add("residual_attn", "add", nil, b.linear("attention.output.dense", width, a), "x")
	m := b.linear("mlp.dense1", inner, b.add("layer_norm_2", "layerNorm", nil, y))
	m = b.add("mlp.dwconv.dwconv", "depthwiseConv2d", params{"kernelSize", 3, "padding", 1}, m)
	m = b.linear("mlp.dense2", width, activate(&b, "mlp.intermediate_act_fn", act, m))
	return graph.Block{Name: name, Inputs: []string{"x"}, Components: b.list, Output: b.add("residual_mlp", "add", nil, m, y)}
}

// resnet is ResNet. The first layer of a stage, which changes the shape, has a
// convolution in its shortcut.
func resnet(c *config) *graph.Document {
	v := view(c, "resnet", "ResNetModel", "ResNetForImageClassification")
	image, before := max(1, c.count("image_size")), max(1, c.count("embedding_size"))
	if image > 32*maxSide {
		c.contradict("image_size", "found %d, expected at most %d", image, 32*maxSide)
	}
	widths := c.counts("hidden_sizes", 0, maxSize)
	depths := c.counts("depths", len(widths), maxLayers)
	act, bottleneck, early := c.word("hidden_act"), c.word("layer_type") != "basic", c.flag("downsample_in_bottleneck")
	const stem = "embedder.embedder."
	x := convolve(&v.sheet, v.at+stem, params{"outChannels", before, "kernelSize", 7, "stride", 2, "padding", 3}, v.image(image))
	x = v.add(v.at+"embedder.pooler", "maxpool2d", params{"kernelSize", 3, "stride", 2, "padding", 1}, activate(&v.sheet, v.at+stem+"activation", act, x))
	kinds := map[string]bool{}
	for i, width := range widths {
		stride := int64(2)
		if i == 0 && !c.flag("downsample_in_first_stage") {
			stride = 1
		}
		pattern := slices.Repeat([]string{"same"}, int(depths[i]))
		if width != before || stride != 1 {
			pattern[0] = "changing"
		}
		for _, kind := range pattern {
			kinds[kind] = true
		}
		if !slices.Contains(pattern, "changing") {
			pattern = pattern[:1]
		}
		inner := width
		if bottleneck {
			if inner = width / 4; inner == 0 {
				c.contradict("hidden_sizes", "found %d for stage %d, of which a bottleneck has a quarter", width, i)
			}
		}
		x = v.repeat(fmt.Sprintf("%sencoder.stages.%d.layers", v.at, i), pattern, depths[i], x)
		v.with("channels", width, "inner", inner, "stride", stride)
		before = width
	}
	for _, kind := range []string{"changing", "same"} {
		if kinds[kind] {
			v.blocks = append(v.blocks, residualConvolutions(kind, act, bottleneck, early))
		}
	}
	if v.class == "" {
		v.add("last_hidden_state", "output", nil, x)
	}
	x = v.add(v.at+"pooler", "adaptiveAvgPool2d", params{"outputSize", 1}, x)
	if v.class == "" {
		v.add("pooler_output", "output", nil, x)
	} else {
		v.add("logits", "output", nil, v.linear("classifier.1", v.labels, v.add("classifier.0", "flatten", nil, x)))
	}
	doc := v.document("%d stages of residual convolutions, %d to %d channels", len(widths), widths[0], widths[len(widths)-1])
	doc.Tags = []string{"convolution", "image"}
	return doc
}

// convolve appends a convolution and its batch norm.
func convolve(s *sheet, at string, p params, x string) string {
	return s.add(at+"normalization", "batchNorm", nil, s.add(at+"convolution", "conv2d", append(p, "bias", false), x))
}

// residualConvolutions is a layer of a ResNet. One that is changing has another
// number of channels or another size than what enters it.
func residualConvolutions(kind, act string, bottleneck, early bool) graph.Block {
	var b sheet
	short, stride := "x", any(1)
	if kind == "changing" {
		stride = "$stride"
		short = convolve(&b, "shortcut.", params{"outChannels", "$channels", "kernelSize", 1, "stride", stride}, "x")
	}
	y := "x"
	convs := []params{{"outChannels", "$channels", "kernelSize", 3, "padding", 1, "stride", stride}, {"outChannels", "$channels", "kernelSize", 3, "padding", 1}}
	if bottleneck {
		first, second := any(1), stride
		if early {
			first, second = stride, any(1)
		}
		convs = []params{
			{"outChannels", "$inner", "kernelSize", 1, "stride", first},
			{"outChannels", "$inner", "kernelSize", 3, "padding", 1, "stride", second},
			{"outChannels", "$channels", "kernelSize", 1},
		}
	}
	for i, p := range convs {
		at := fmt.Sprintf("layer.%d.", i)
		if y = convolve(&b, at, p, y); i < len(convs)-1 {
			y = b.add(at+"activation", "relu", nil, y)
		}
	}
	out := activate(&b, "activation", act, b.add("residual", "add", nil, y, short))
	return graph.Block{Name: kind, Inputs: []string{"x"}, Components: b.list, Output: out}
}
