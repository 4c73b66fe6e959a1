package adopt

import (
	"fmt"
	"slices"

	"github.com/strata-catalog/strata/generator/graph"
)

// The parts of a SAM, with the defaults of their configuration classes.
var (
	samVision = []Field{
		count("hidden_size", 768, "width of the encoder"), count("output_channels", 256, "width of what the encoder yields"),
		{Name: "num_hidden_layers", Kind: Count, Default: int64(12), Max: maxLayers, Doc: "layers in a row"},
		count("num_attention_heads", 12, "heads"), count("num_channels", 3, "channels of an image"),
		count("image_size", 1024, "height and width of an image"), count("patch_size", 16, "height and width of a patch"),
		lone("hidden_act", "gelu"), eps("layer_norm_eps", 1e-6),
		flag("qkv_bias", true, "queries, keys and values add a constant"),
		number("mlp_ratio", 4, "inner width of the feed-forward network as a multiple of hidden_size"),
		count("mlp_dim", 0, "inner width of the feed-forward network, else mlp_ratio · hidden_size"),
		flag("use_abs_pos", true, "each position has a vector that is added to its patch"),
		flag("use_rel_pos", true, "each layer has a vector for each offset along each side"),
		count("window_size", 14, "height and width of a window, in patches"),
		series("global_attn_indexes", "layers that see the whole image, counted from 0"),
		count("num_pos_feats", 128, "waves that places are read by"),
	}
	samPrompts = []Field{
		count("hidden_size", 256, "width of a prompt"), count("image_size", 1024, "height and width of an image"), count("patch_size", 16, "height and width of a patch"),
		count("mask_input_channels", 16, "channels within the encoder of masks"),
		count("num_point_embeddings", 4, "kinds of points: background, foreground and two corners of a box"),
		lone("hidden_act", "gelu"), eps("layer_norm_eps", 1e-6),
	}
	samMasks = []Field{
		count("hidden_size", 256, "width of a token"), count("mlp_dim", 2048, "inner width of the feed-forward network"), lone("hidden_act", "relu"),
		{Name: "num_hidden_layers", Kind: Count, Default: int64(2), Max: 100, Doc: "layers in a row"},
		count("num_attention_heads", 8, "heads"), count("attention_downsample_rate", 2, "by how much attention between tokens and image is narrower"),
		{Name: "num_multimask_outputs", Kind: Count, Default: int64(3), Max: 100, Doc: "masks that an ambiguous prompt yields"},
		{Name: "iou_head_depth", Kind: Count, Default: int64(3), Max: 100, Doc: "layers of the head that judges masks"},
		count("iou_head_hidden_dim", 256, "inner width of that head"), eps("layer_norm_eps", 1e-6),
	}
)

// segmenters is SAM.
var segmenters = []*Family{{
	Types: []string{"sam"}, Name: "SAM",
	Fields: []Field{
		object("vision_config", "the encoder of images"),
		object("prompt_encoder_config", "the encoder of prompts"),
		object("mask_decoder_config", "the decoder of masks"),
	},
	Harmless: []string{"tie_word_embeddings"},
	Build:    sam,
}}

// partOrDefaults is part where a part that is null has the defaults of its class.
func (c *config) partOrDefaults(name string, fields []Field) (p *config, done func()) {
	if p, done = c.part(name, fields); p == nil {
		p = &config{src: c.src, path: c.path + name + ".", family: &Family{Name: c.family.Name, Fields: fields}}
		done = func() {}
	}
	// What follows from other fields, or begins what is learned.
	p.family.Harmless = append(slices.Clone(p.family.Harmless), "image_embedding_size", "scale", "num_pos_feats")
	return p, done
}

// A segmenter is a SAM in the making.
type segmenter struct {
	*viewer
	width int64 // of prompts and of the decoder
	side  int64 // places along one side of the image that the decoder sees
	sides int64 // pixels along one side of the image
}

// sam is SAM with a point on the object, a box around it, and a mask, which are
// all that it can be asked by.
func sam(c *config) *graph.Document {
	v := &segmenter{viewer: &viewer{c: c, class: "SamModel"}}
	vision, seen := c.partOrDefaults("vision_config", samVision)
	prompts, asked := c.partOrDefaults("prompt_encoder_config", samPrompts)
	masks, decoded := c.partOrDefaults("mask_decoder_config", samMasks)
	width, layers := max(1, vision.count("hidden_size")), vision.layers("num_hidden_layers")
	image := v.encoder(vision, width, layers)
	v.width = max(1, prompts.count("hidden_size"))
	for _, width := range []struct {
		of    *config
		field string
		times int64
	}{{vision, "output_channels", 1}, {vision, "num_pos_feats", 2}, {masks, "hidden_size", 1}} {
		if n := width.times * width.of.count(width.field); n != v.width {
			width.of.contradict(width.field, "makes a width of %d, but prompt_encoder_config.hidden_size is %d", n, v.width)
		}
	}
	if prompts.count("image_size") != v.sides || prompts.count("patch_size") != vision.count("patch_size") {
		prompts.contradict("image_size", "there are patches of %d in an image of %d, but vision_config has patches of %d in one of %d",
			prompts.count("patch_size"), prompts.count("image_size"), vision.count("patch_size"), v.sides)
	}
	sparse, dense := v.prompts(prompts, vision.count("num_pos_feats"))
	v.masks(masks, image, sparse, dense, vision.count("num_pos_feats"))
	for _, done := range []func(){seen, asked, decoded} {
		done()
	}
	doc := v.document("an image encoder of %d layers, %d wide, an encoder of prompts, and a decoder of masks, %d wide", layers, width, v.width)
	doc.Category, doc.Tags = "Vision/Segmentation", []string{"encoder", "image", "prompt"}
	return doc
}

// encoder appends the encoder of images and returns its map.
func (v *segmenter) encoder(c *config, width, layers int64) string {
	heads, window, patch := max(1, c.count("num_attention_heads")), c.count("window_size"), max(1, c.count("patch_size"))
	c.split(width, heads, "hidden_size", "num_attention_heads")
	v.sides = max(1, c.count("image_size"))
	v.side = c.grid(v.sides, patch)
	if window > v.side {
		c.contradict("window_size", "windows of %d do not fit into an image of %d patches along each side", window, v.side)
	}
	whole := list[int64](c, "global_attn_indexes")
	if whole == nil {
		whole = []int64{2, 5, 8, 11}
	}
	inner := c.count("mlp_dim")
	if inner == 0 {
		inner = c.portion("mlp_ratio", width)
	}
	n := layered(c, "layer_norm_eps", true)
	x := v.add("pixel_values", "input", params{"shape", []int64{1, max(1, c.count("num_channels")), v.sides, v.sides}})
	x = v.add("vision_encoder.patch_embed.projection", "conv2d", params{"outChannels", width, "kernelSize", patch, "stride", patch}, x)
	x = v.add("channels_last", "permute", params{"dims", []int64{0, 2, 3, 1}}, x)
	if c.flag("use_abs_pos") {
		x = v.add("vision_encoder.pos_embed", "parameter", params{"shape", []int64{1, v.side, v.side, width}, "mode", "add"}, x)
	}
	all := make([]variant, layers)
	for i := range all {
		all[i].sliding = window > 0 && !slices.Contains(whole, int64(i))
	}
	var pattern []string
	for _, kind := range all[:period(all)] {
		name, reach := "global", v.side
		if kind.sliding {
			name, reach = "windowed", window
		}
		if pattern = append(pattern, name); slices.Index(pattern, name) < len(pattern)-1 {
			continue
		}
		var b sheet
		a := b.add("attn", "windowAttention", params{
			"numHeads", heads, "windowSize", reach, "decomposedPositions", c.flag("use_rel_pos"),
			"bias", true, "qkvBias", c.flag("qkv_bias"), "layout", "fused", "names", names("qkv", "qkv", "o", "proj"),
		}, n.add(&b, "layer_norm1", "x"))
		y := b.add("residual_attn", "add", nil, a, "x")
		m := network(width, inner, c.word("hidden_act"), "mlp.lin1", "mlp.act", "mlp.lin2")(&b, n.add(&b, "layer_norm2", y))
		v.blocks = append(v.blocks, graph.Block{Name: name, Inputs: []string{"x"}, Components: b.list, Output: b.add("residual_mlp", "add", nil, m, y)})
	}
	x = v.repeat("vision_encoder.layers", pattern, layers, x)
	x = v.add("channels_first", "permute", params{"dims", []int64{0, 3, 1, 2}}, x)
	out, plain := max(1, c.count("output_channels")), norm{"layerNorm", params{"eps", 1e-6}}
	x = v.add("vision_encoder.neck.conv1", "conv2d", params{"outChannels", out, "kernelSize", 1, "bias", false}, x)
	x = plain.add(&v.sheet, "vision_encoder.neck.layer_norm1", x)
	x = v.add("vision_encoder.neck.conv2", "conv2d", params{"outChannels", out, "kernelSize", 3, "padding", 1, "bias", false}, x)
	return plain.add(&v.sheet, "vision_encoder.neck.layer_norm2", x)
}

// prompts appends the encoder of prompts. It returns a token for the point and
// for each corner of the box, and a map for the mask.
func (v *segmenter) prompts(c *config, waves int64) (sparse, dense string) {
	const at = "prompt_encoder."
	if kinds := c.count("num_point_embeddings"); kinds != 4 {
		c.contradict("num_point_embeddings", "found %d; points are of 4 kinds", kinds)
	}
	point := v.add("input_points", "input", params{"shape", []int64{1, 1, 1, 2}})
	point = v.add("points", "squeeze", params{"dim", 1}, point)
	box := v.add("input_boxes", "input", params{"shape", []int64{1, 1, 4}})
	box = v.add("corners", "reshape", params{"shape", []int64{-1, 2, 2}}, box)
	x := v.add("places", "concatenate", params{"dim", 1}, point, box)
	x = v.add(at+"shared_embedding", "fourierPositions", params{"numFeatures", waves, "imgSize", v.sides}, x)
	var kinds []string
	for i := 1; i < 4; i++ {
		kinds = append(kinds, v.add(fmt.Sprintf(at+"point_embed.%d.weight", i), "parameter", params{"shape", []int64{1, v.width}}))
	}
	x = v.add("prompts", "add", nil, x, v.add("kinds", "concatenate", params{"dim", -2}, kinds...))
	aside := func(module, x string) string {
		return v.add(at+module+".weight", "parameter", params{"shape", []int64{1, v.width}, "mode", "aside"}, x)
	}
	sparse = aside("not_a_point_embed", aside("point_embed.0", x))

	channels, act, n := max(4, c.count("mask_input_channels")), c.word("hidden_act"), layered(c, "layer_norm_eps", true)
	m := v.add("input_masks", "input", params{"shape", []int64{1, 1, 4 * v.side, 4 * v.side}})
	m = v.add(at+"mask_embed.conv1", "conv2d", params{"outChannels", channels / 4, "kernelSize", 2, "stride", 2}, m)
	m = activate(&v.sheet, at+"mask_embed.activation1", act, n.add(&v.sheet, at+"mask_embed.layer_norm1", m))
	m = v.add(at+"mask_embed.conv2", "conv2d", params{"outChannels", channels, "kernelSize", 2, "stride", 2}, m)
	m = activate(&v.sheet, at+"mask_embed.activation2", act, n.add(&v.sheet, at+"mask_embed.layer_norm2", m))
	m = v.add(at+"mask_embed.conv3", "conv2d", params{"outChannels", v.width, "kernelSize", 1}, m)
	return sparse, aside("no_mask_embed", m)
}

// masks appends the decoder: tokens for masks and for their quality gather from
// prompts and image, and the image from them.
func (v *segmenter) masks(c *config, image, sparse, dense string, waves int64) {
	const at = "mask_decoder."
	narrow, heads := v.width/max(1, c.count("attention_downsample_rate")), max(1, c.count("num_attention_heads"))
	c.split(max(narrow, 1), heads, "hidden_size / attention_downsample_rate", "num_attention_heads")
	c.split(v.width, heads, "hidden_size", "num_attention_heads")
	if v.width%8 != 0 {
		c.contradict("hidden_size", "%d does not divide by 8, which masks are drawn with", v.width)
	}
	n, count := layered(c, "layer_norm_eps", true), c.count("num_multimask_outputs")+1
	if count < 2 {
		c.contradict("num_multimask_outputs", "found 0; an ambiguous prompt yields at least one mask")
	}
	weights := names("o", "out_proj")
	sum := func(id string, x ...string) string { return v.add(id, "add", nil, x...) }
	across := func(id string, inputs ...string) string {
		return v.add(id, "crossAttention", params{"numHeads", heads, "headDim", narrow / heads, "names", weights}, inputs...)
	}

	keys := v.add("image_tokens.rows", "flatten", params{"startDim", 2}, sum("image_and_mask", image, dense))
	keys = v.add("image_tokens", "permute", params{"dims", []int64{0, 2, 1}}, keys)
	places := v.add("shared_image_embedding", "fourierPositions", params{"numFeatures", waves, "imgSize", v.side})
	tokens := v.add(at+"mask_tokens.weight", "parameter", params{"shape", []int64{count, v.width}, "mode", "concat"}, sparse)
	tokens = v.add(at+"iou_token.weight", "parameter", params{"shape", []int64{1, v.width}, "mode", "concat"}, tokens)
	queries := tokens
	for i := range c.layers("num_hidden_layers") {
		l := fmt.Sprintf(at+"transformer.layers.%d.", i)
		self := params{"numHeads", heads, "names", weights}
		if i == 0 {
			queries = v.add(l+"self_attn", "selfAttention", self, queries)
		} else {
			placed := sum(l+"placed", queries, tokens)
			queries = sum(l+"residual1", queries, v.add(l+"self_attn", "selfAttention", self, placed, placed, queries))
		}
		queries = n.add(&v.sheet, l+"layer_norm1", queries)
		key := sum(l+"keys", keys, places)
		queries = sum(l+"residual2", queries, across(l+"cross_attn_token_to_image", sum(l+"queries", queries, tokens), key, keys))
		queries = n.add(&v.sheet, l+"layer_norm2", queries)
		m := network(v.width, max(1, c.count("mlp_dim")), c.word("hidden_act"), l+"mlp.lin1", l+"mlp.act", l+"mlp.lin2")(&v.sheet, queries)
		queries = n.add(&v.sheet, l+"layer_norm3", sum(l+"residual3", queries, m))
		a := across(l+"cross_attn_image_to_token", key, sum(l+"queries_after", queries, tokens), queries)
		keys = n.add(&v.sheet, l+"layer_norm4", sum(l+"residual4", keys, a))
	}
	a := across(at+"transformer.final_attn_token_to_image", sum("final_queries", queries, tokens), sum("final_keys", keys, places), keys)
	queries = v.add(at+"transformer.layer_norm_final_attn", "layerNorm", nil, sum("final_residual", queries, a))

	x := v.add("image_map.rows", "permute", params{"dims", []int64{0, 2, 1}}, keys)
	x = v.add("image_map", "reshape", params{"shape", []int64{-1, v.width, v.side, v.side}}, x)
	x = v.add(at+"upscale_conv1", "transposeConv2d", params{"outChannels", v.width / 4, "kernelSize", 2, "stride", 2}, x)
	x = v.add(at+"upscale_layer_norm", "layerNorm", params{"eps", 1e-6}, x)
	x = v.add(at+"upscale_activation1", "gelu", nil, x)
	x = v.add(at+"upscale_conv2", "transposeConv2d", params{"outChannels", v.width / 8, "kernelSize", 2, "stride", 2}, x)
	x = v.add("pixels", "flatten", params{"startDim", 2}, v.add(at+"upscale_activation2", "gelu", nil, x))
	var filters []string
	for i := range count {
		token := v.token(fmt.Sprintf("mask_token_%d", i), 1+i, queries)
		filters = append(filters, v.head(fmt.Sprintf(at+"output_hypernetworks_mlps.%d.", i), v.width, v.width/8, 3, token))
	}
	m := v.add("mask_pixels", "matmul", nil, v.add("filters", "stack", params{"dim", 1}, filters...), x)
	m = v.add("mask_images", "reshape", params{"shape", []int64{-1, count, 4 * v.side, 4 * v.side}}, m)
	m = v.add("masks", "split", params{"dim", 1, "splitSize", []int64{1, count - 1}, "index", 1}, m)
	q := v.head(at+"iou_prediction_head.", max(1, c.count("iou_head_hidden_dim")), count, max(2, c.count("iou_head_depth")), v.token("iou_token", 0, queries))
	q = v.add("scores", "split", params{"dim", 1, "splitSize", []int64{1, count - 1}, "index", 1}, q)
	v.add("pred_masks", "output", nil, v.add("masks_of_prompt", "unsqueeze", params{"dim", 1}, m))
	v.add("iou_scores", "output", nil, v.add("scores_of_prompt", "unsqueeze", params{"dim", 1}, q))
}

// head appends a network of so many linear layers.
func (v *segmenter) head(at string, inner, out, layers int64, x string) string {
	x = v.add(at+"activation_in", "relu", nil, v.linear(at+"proj_in", inner, x))
	for i := range layers - 2 {
		x = v.add(fmt.Sprintf(at+"activation%d", i), "relu", nil, v.linear(fmt.Sprintf(at+"layers.%d", i), inner, x))
	}
	return v.linear(at+"proj_out", out, x)
}
