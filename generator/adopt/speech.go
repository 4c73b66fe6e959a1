package adopt

import (
	"fmt"
	"slices"

	"github.com/strata-catalog/strata/generator/graph"
)

// speech are models that hear.
var speech = []*Family{
	{
		Types: []string{"whisper"}, Name: "Whisper",
		Fields: fields(stackFields, []Field{
			count("num_mel_bins", 80, "bands of the spectrogram"),
			count("max_source_positions", 1500, "frames of the encoder, half as many as the spectrogram has"),
			count("max_target_positions", 448, "longest text"),
		}),
		Harmless: slices.Concat(pairHarmless, masking, []string{
			"scale_embedding", "max_length", "begin_suppress_tokens", "suppress_tokens", "forced_decoder_ids", "median_filter_width", "alignment_heads", "lang_ids", "num_hidden_layers",
		}),
		Build: func(c *config) *graph.Document {
			c.classes("WhisperForConditionalGeneration")
			return newPair(c, true).whisper()
		},
	},
	{
		Types: []string{"wav2vec2"}, Name: "wav2vec 2.0",
		Fields: fields(waveFields, []Field{
			flag("add_adapter", false, "further convolutions shorten what the encoder yields"),
			count("adapter_attn_dim", 0, "width of adapters within the layers"),
		}),
		Harmless: slices.Concat(masking, waveHarmless),
		Build: func(c *config) *graph.Document {
			if c.flag("add_adapter") {
				c.contradict("add_adapter", "found true; models with an adapter cannot be imported")
			}
			if n := c.count("adapter_attn_dim"); n != 0 {
				c.contradict("adapter_attn_dim", "found %d; models with adapters within the layers cannot be imported", n)
			}
			return newWave(c, "wav2vec2", "Wav2Vec2Model", "Wav2Vec2ForCTC").document()
		},
	},
	{
		Types: []string{"hubert"}, Name: "HuBERT",
		Fields: fields(waveFields, []Field{
			flag("feat_proj_layer_norm", true, "frames have a norm before they are projected"),
			flag("conv_pos_batch_norm", false, "the convolution for positions has a batch norm before it, in place of a weight norm"),
		}),
		Harmless: slices.Concat(masking, waveHarmless),
		Build: func(c *config) *graph.Document {
			w := newWave(c, "hubert", "HubertModel", "HubertForCTC")
			w.framed, w.batched = c.flag("feat_proj_layer_norm"), c.flag("conv_pos_batch_norm")
			return w.document()
		},
	},
}

// masking are fields of how training hides parts of the sound, and of heads
// that classify it.
var masking = []string{
	"apply_spec_augment", "mask_time_length", "mask_time_min_masks", "mask_feature_length", "mask_feature_min_masks", "mask_time_prob", "mask_feature_prob",
	"mask_channel_length", "mask_channel_min_space", "mask_channel_other", "mask_channel_prob", "mask_channel_selection", "mask_time_min_space", "mask_time_other", "mask_time_selection",
	"use_weighted_layer_sum", "classifier_proj_size",
}

// whisper is Whisper: two convolutions over a spectrogram, norms before what
// they belong to, and keys without a bias.
func (p *pair) whisper() *graph.Document {
	c, s := p.c, &p.s
	p.shared, p.scale = false, 1
	p.source.context, p.under.context = max(1, c.count("max_source_positions")), max(1, c.count("max_target_positions"))
	at := p.prefix + "encoder."
	x := s.add("input_features", "input", params{"shape", []int64{1, max(1, c.count("num_mel_bins")), 2 * p.source.context}})
	x = s.add(at+"conv1", "conv1d", params{"outChannels", p.width, "kernelSize", 3, "padding", 1}, x)
	x = s.add(at+"conv1_act", "gelu", nil, x)
	x = s.add(at+"conv2", "conv1d", params{"outChannels", p.width, "kernelSize", 3, "stride", 2, "padding", 1}, x)
	x = s.add(at+"conv2_act", "gelu", nil, x)
	x = s.add(at+"frames", "permute", params{"dims", []int64{0, 2, 1}}, x)
	x = s.add(at+"embed_positions", "learnedPositionalEmbedding", params{"maxLen", p.source.context}, x)
	context := p.norm().add(s, at+"layer_norm", s.repeat(at+"layers", []string{"encoder_layer"}, p.source.layers, x))
	at = p.prefix + "decoder."
	tokens := s.add("decoder_input_ids", "input", params{"shape", []int64{1, p.under.context}})
	x = s.add(at+"embed_positions", "learnedPositionalEmbedding", params{"maxLen", p.under.context}, p.look("decoder", p.vocab, tokens))
	x = p.norm().add(s, at+"layer_norm", s.repeat(at+"layers", []string{"decoder_layer"}, p.under.layers, x, context))
	tie := ""
	if c.flag("tie_word_embeddings") {
		tie = at + "embed_tokens"
	}
	x = s.add("proj_out", "linear", params{"outFeatures", p.vocab, "bias", false, "tiedTo", tie}, x)
	s.add("logits", "output", nil, x)
	return p.document("Audio/Speech", true)
}

// waveFields are the fields of encoders that read the samples of a sound.
var waveFields = []Field{
	size("hidden_size", "width of the model"),
	depth("num_hidden_layers"),
	size("num_attention_heads", "heads"),
	size("intermediate_size", "inner width of the feed-forward network"),
	lone("hidden_act", "gelu"), eps("layer_norm_eps", 1e-5),
	{Name: "conv_dim", Kind: List, Required: true, Doc: "channels of each convolution"},
	{Name: "conv_kernel", Kind: List, Required: true, Doc: "length of each convolution"},
	{Name: "conv_stride", Kind: List, Required: true, Doc: "step of each convolution"},
	flag("conv_bias", false, "convolutions add a constant"),
	word("feat_extract_norm", "group", "norm of the convolutions: of the first one alone, over each channel, or of all", "group", "layer"),
	lone("feat_extract_activation", "gelu"),
	count("num_conv_pos_embeddings", 128, "length of the convolution for positions"),
	count("num_conv_pos_embedding_groups", 16, "groups of its channels"),
	flag("do_stable_layer_norm", false, "norms stand before what they belong to, and one behind the last layer"),
	number("mask_time_prob", 0.05, "share of the frames that training masks"),
	number("mask_feature_prob", 0, "share of the features that training masks"),
	count("vocab_size", 32, "rows of the head, where there is one"),
	classes,
}

// waveHarmless are what these configurations say of training and of other heads.
var waveHarmless = []string{
	"num_feat_extract_layers", "activation_dropout", "feat_proj_dropout", "feat_quantizer_dropout", "feat_extract_dropout", "final_dropout", "hidden_dropout", "hidden_dropout_prob", "gradient_checkpointing",
	"num_codevectors_per_group", "num_codevector_groups", "contrastive_logits_temperature", "num_negatives", "codevector_dim", "proj_codevector_dim", "diversity_loss_weight",
	"ctc_loss_reduction", "ctc_zero_infinity", "tdnn_dim", "tdnn_kernel", "tdnn_dilation", "xvector_output_dim", "adapter_kernel_size", "adapter_stride", "num_adapter_layers", "output_hidden_size",
	"tie_word_embeddings", "tokenizer_class",
}

// A wave is wav2vec 2.0 or HuBERT: convolutions over the samples, a convolution
// for positions, and layers.
type wave struct {
	c                    *config
	width, layers, heads int64
	prefix               string
	head                 bool
	framed               bool // frames have a norm
	batched              bool // the convolution for positions has a batch norm
	stable               bool
	norm                 norm
	s                    sheet
}

// newWave reads what the two have in common. ctc is the class with a head.
func newWave(c *config, prefix, bare, ctc string) *wave {
	w := &wave{
		c: c, width: c.count("hidden_size"), layers: c.layers("num_hidden_layers"), heads: c.count("num_attention_heads"),
		framed: true, stable: c.flag("do_stable_layer_norm"), norm: layered(c, "layer_norm_eps", true),
	}
	if w.head = slices.Contains(c.classes(bare, ctc), ctc); w.head {
		w.prefix = prefix + "."
	}
	c.split(w.width, w.heads, "hidden_size", "num_attention_heads")
	return w
}

// seconds of sound at 16 kHz: the models have no longest one.
const seconds = 10

func (w *wave) document() *graph.Document {
	c, s := w.c, &w.s
	x := s.add("input_values", "input", params{"shape", []int64{1, 16000 * seconds}})
	x = w.extract(s.add(w.prefix+"waveform", "unsqueeze", params{"dim", 1}, x))
	x = s.add(w.prefix+"frames", "permute", params{"dims", []int64{0, 2, 1}}, x)
	if w.framed {
		x = w.norm.add(s, w.prefix+"feature_projection.layer_norm", x)
	}
	x = s.add(w.prefix+"feature_projection.projection", "linear", params{"outFeatures", w.width}, x)
	if max(c.number("mask_time_prob"), c.number("mask_feature_prob")) > 0 {
		x = s.add(w.prefix+"masked_spec_embed", "parameter", params{"shape", []int64{w.width}, "mode", "aside"}, x)
	}
	x = s.add(w.prefix+"encoder.placed", "add", nil, x, w.place(x))
	if !w.stable {
		x = w.norm.add(s, w.prefix+"encoder.layer_norm", x)
	}
	x = s.repeat(w.prefix+"encoder.layers", []string{"layer"}, w.layers, x)
	if w.stable {
		x = w.norm.add(s, w.prefix+"encoder.layer_norm", x)
	}
	rows := max(1, c.count("vocab_size"))
	if w.head {
		s.add("logits", "output", nil, s.add("lm_head", "linear", params{"outFeatures", rows}, x))
	} else {
		s.add("last_hidden_state", "output", nil, x)
	}
	var b sheet
	r := residual{norm: w.norm, before: "layer_norm", mlpBefore: "final_layer_norm", after: !w.stable, attn: w.attention(), mlp: w.network()}
	out := r.fill(&b, "x", "")
	return &graph.Document{
		Source: c.src, ID: c.id, Name: c.id, Category: "Audio/Speech", Tags: []string{"encoder"}, Components: s.list,
		Description: fmt.Sprintf("%s: encoder of %d layers, %d wide, with %d attention heads, over the samples of a sound", c.family.Name, w.layers, w.width, w.heads),
		Blocks:      []graph.Block{{Name: "layer", Inputs: []string{"x"}, Components: b.list, Output: out}},
	}
}

func (w *wave) attention() part {
	return single("attention", "selfAttention", params{"numHeads", w.heads, "names", names("o", "out_proj")})
}

func (w *wave) network() part {
	inner, act := w.c.count("intermediate_size"), w.c.word("hidden_act")
	return func(s *sheet, inputs ...string) string {
		x := s.add("feed_forward.intermediate_dense", "linear", params{"outFeatures", inner}, inputs...)
		x = activate(s, "feed_forward.intermediate_act_fn", act, x)
		return s.add("feed_forward.output_dense", "linear", params{"outFeatures", w.width}, x)
	}
}

// extract makes frames of samples: a row of convolutions.
func (w *wave) extract(x string) string {
	c, s := w.c, &w.s
	wide, long, step := w.sizes("conv_dim"), w.sizes("conv_kernel"), w.sizes("conv_stride")
	for _, other := range []string{"conv_kernel", "conv_stride"} {
		if n := len(w.sizes(other)); n != len(wide) {
			c.contradict(other, "lists %d convolutions, but conv_dim %d", n, len(wide))
			return x
		}
	}
	bias, act, all := c.flag("conv_bias"), c.word("feat_extract_activation"), c.word("feat_extract_norm") == "layer"
	turn := params{"dims", []int64{0, 2, 1}}
	for i, channels := range wide {
		at := fmt.Sprintf("%sfeature_extractor.conv_layers.%d.", w.prefix, i)
		x = s.add(at+"conv", "conv1d", params{"outChannels", channels, "kernelSize", long[i], "stride", step[i], "bias", bias}, x)
		switch {
		case all:
			x = s.add(at+"layer_norm", "layerNorm", nil, s.add(at+"there", "permute", turn, x))
			x = s.add(at+"back", "permute", turn, x)
		case i == 0:
			x = s.add(at+"layer_norm", "groupNorm", params{"numGroups", channels}, x)
		}
		x = activate(s, at+"activation", act, x)
	}
	return x
}

// sizes are a list of whole numbers, one for each convolution.
func (w *wave) sizes(name string) []int64 {
	l := list[int64](w.c, name)
	for _, n := range l {
		if n < 1 || n > maxSize {
			w.c.contradict(name, "found %d in the list, expected whole numbers from 1 to %d", n, maxSize)
			return nil
		}
	}
	if len(l) == 0 || len(l) > 100 {
		w.c.contradict(name, "lists %d convolutions, expected 1 to 100", len(l))
		return nil
	}
	return l
}

// place is what tells where frames are: a convolution over them. One of even
// length yields a frame too many.
func (w *wave) place(x string) string {
	c, s := w.c, &w.s
	at, turn := w.prefix+"encoder.pos_conv_embed.", params{"dims", []int64{0, 2, 1}}
	long, groups := max(1, c.count("num_conv_pos_embeddings")), max(1, c.count("num_conv_pos_embedding_groups"))
	if w.width%groups != 0 {
		c.contradict("num_conv_pos_embedding_groups", "%d groups do not divide hidden_size, %d", groups, w.width)
	}
	x = s.add(at+"there", "permute", turn, x)
	p := params{"outChannels", w.width, "kernelSize", long, "padding", long / 2, "groups", groups}
	if w.batched {
		x = s.add(at+"batch_norm", "batchNorm", nil, x)
	} else {
		p = append(p, "weightNorm", 2)
	}
	x = s.add(at+"conv", "conv1d", p, x)
	if long%2 == 0 {
		x = s.add(at+"padding", "pad", params{"padding", []int64{0, -1}}, x)
	}
	x = activate(s, at+"activation", c.word("feat_extract_activation"), x)
	return s.add(at+"back", "permute", turn, x)
}
