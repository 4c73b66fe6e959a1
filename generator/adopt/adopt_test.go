package adopt_test

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/strata-catalog/strata/generator/adopt"
	"github.com/strata-catalog/strata/generator/graph"
	"github.com/strata-catalog/strata/generator/infer"
	"github.com/strata-catalog/strata/generator/internal/testfiles"
	"github.com/strata-catalog/strata/generator/pipeline"
	"github.com/strata-catalog/strata/generator/verify"
)

var update = flag.Bool("update", false, "write the golden files anew")

// adopted imports a configuration and analyses the document as it would be
// written. Nothing worse than advice may be found in it.
func adopted(t *testing.T, src string) (*adopt.Import, *infer.Model) {
	t.Helper()
	in, err := adopt.Config("config.json", []byte(src), "model")
	if err != nil {
		t.Fatal(err)
	}
	r, err := pipeline.RunWith("model.json", graph.Encode(in.Document), verify.Options{MaskedLanguage: in.MaskedLanguage})
	if err != nil {
		t.Fatalf("%v\n%s", err, graph.Encode(in.Document))
	}
	for _, f := range r.Findings {
		if f.Severity != verify.Advice {
			t.Errorf("%s: %s [%s]", f.Position, f.Message, f.Rule)
		}
	}
	return in, r.Model
}

// unpublished are model types that the table has no checkpoint of: the table's
// DeiT are not distilled, and so of type vit.
var unpublished = []string{"deit", "dinov2_with_registers", "resnet"}

// TestOracles imports every published configuration of a model type that is
// known, and expects the published count to the unit.
func TestOracles(t *testing.T) {
	var rows []struct {
		Name  string                     `json:"name"`
		Type  string                     `json:"model_type"`
		Class string                     `json:"arch"`
		Total int64                      `json:"params_total"`
		Words map[string]json.RawMessage `json:"config"`
	}
	if err := json.Unmarshal([]byte(testfiles.Read(t, testfiles.Shared(t, "oracles/transformers.json")[0])), &rows); err != nil {
		t.Fatal(err)
	}
	known, met := adopt.Types(), map[string]bool{}
	for _, row := range rows {
		if !slices.Contains(known, row.Type) {
			continue
		}
		met[row.Type] = true
		t.Run(row.Name, func(t *testing.T) {
			row.Words["model_type"], _ = json.Marshal(row.Type)
			row.Words["architectures"], _ = json.Marshal([]string{row.Class})
			src, err := json.Marshal(row.Words)
			if err != nil {
				t.Fatal(err)
			}
			in, m := adopted(t, string(src))
			if m.Params != row.Total {
				t.Errorf("%d parameters, published are %d, %d more\n%s", m.Params, row.Total, m.Params-row.Total, graph.Encode(in.Document))
			}
			for _, w := range in.Warnings {
				if strings.Contains(w, "is not read") {
					t.Errorf("%s", w)
				}
			}
		})
	}
	met["llama4_text"] = met["llama4"] // its language model, which TestParts counts
	for _, typ := range known {
		if !met[typ] && !slices.Contains(unpublished, typ) {
			t.Errorf("no published configuration of %s", typ)
		}
	}
}

// TestFamilies compares what each family makes of a small configuration with
// its golden file: the count, what is left out, and the document.
func TestFamilies(t *testing.T) {
	testfiles.Golden(t, *update, func(t *testing.T, src []byte) string {
		in, m := adopted(t, string(src))
		var b strings.Builder
		fmt.Fprintf(&b, "%d parameters\n", m.Params)
		for _, w := range in.Warnings {
			fmt.Fprintf(&b, "%s\n", w)
		}
		return b.String() + string(graph.Encode(in.Document))
	})
	archives := testfiles.Archives(t)
	for _, f := range adopt.All {
		if archives[f.Types[0]] == nil {
			t.Errorf("%s has no golden file testdata/%s.txtar", f.Name, f.Types[0])
		}
	}
}

// wrong is a value that a field of a kind cannot have.
func wrong(k adopt.Kind) any {
	if k == adopt.List || k == adopt.Object {
		return 7
	}
	return []int{7}
}

// TestWrongKinds gives each field of each family a value of another kind: the
// error names the field. So every field that is declared is read.
func TestWrongKinds(t *testing.T) {
	archives := testfiles.Archives(t)
	for _, f := range adopt.All {
		for _, field := range f.Fields {
			var c map[string]any
			if err := json.Unmarshal(archives[f.Types[0]].Files[0].Data, &c); err != nil {
				t.Fatal(err)
			}
			for _, other := range field.Also {
				delete(c, other)
			}
			c[field.Name] = wrong(field.Kind)
			src, _ := json.Marshal(c)
			_, err := adopt.Config("config.json", src, "")
			if err == nil || !strings.Contains(err.Error(), ": "+field.Name+": found ") || !strings.Contains(err.Error(), field.Doc) {
				t.Errorf("%s: %s of the wrong kind gives: %v", f.Name, field.Name, err)
			}
			if delete(c, field.Name); !field.Required || field.Default != nil {
				continue
			}
			src, _ = json.Marshal(c)
			if _, err = adopt.Config("config.json", src, ""); err == nil || !strings.Contains(err.Error(), field.Name+": is missing") {
				t.Errorf("%s: without %s: %v", f.Name, field.Name, err)
			}
		}
	}
}

// sound is a configuration that tests change one field of.
const sound = `"model_type": "llama", "vocab_size": 96, "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2, "num_attention_heads": 4`

// stages is a configuration of a pyramid, without its stages.
const stages = `"model_type": "swin", "image_size": 32, "patch_size": 4, "embed_dim": 16, "window_size": 8`

// heads is a configuration of a state space in heads.
const heads = `"model_type": "mamba2", "vocab_size": 96, "hidden_size": 64, "num_hidden_layers": 2, "num_heads": 16, "head_dim": 8`

// The same of other families, each without the closing brace.
const (
	soundPair = `"vocab_size": 96, "d_model": 64, "encoder_layers": 1, "decoder_layers": 1, "encoder_ffn_dim": 64, "decoder_ffn_dim": 64, "encoder_attention_heads": 4, "decoder_attention_heads": 4`
	soundT5   = `"model_type": "t5", "vocab_size": 96, "d_model": 64, "d_kv": 16, "d_ff": 64, "num_layers": 1, "num_heads": 4`
	soundWave = `"model_type": "wav2vec2", "hidden_size": 64, "num_hidden_layers": 1, "num_attention_heads": 4, "intermediate_size": 64, "conv_dim": [8, 8], "conv_kernel": [10, 3]`
)

// encoderOf is a sound configuration of an encoder.
func encoderOf(typ string) string {
	return `"model_type": "` + typ + `", "vocab_size": 96, "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2, "num_attention_heads": 4`
}

// TestErrors has one case for each way in which a configuration can be wrong.
func TestErrors(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"empty", ``, `config.json:1:1: not a configuration in JSON`},
		{"list", `[]`, `config.json:1:1: found a list, expected the JSON object of a config.json`},
		{"broken", `{"model_type": "llama",}`, `not a configuration in JSON`},
		{"more", `{"model_type": "llama"} {}`, `found more after the end of the configuration`},
		{"twice", `{"model_type": "llama", "model_type": "gpt2"}`, `not a configuration in JSON: duplicate`},
		{"no type", `{}`, `model_type: is missing, expected one of the types that can be imported: albert`},
		{"type of another kind", `{"model_type": 7}`, `config.json:1:16: model_type: found a number, expected a text`},
		{"unknown type", `{"model_type": "qwen33"}`, `model_type: "qwen33" cannot be imported; nearest is "qwen3"`},
		{"missing", `{"model_type": "llama"}`, `vocab_size: is missing, expected rows of the embedding: a whole number from 1 to 2147483648`},
		{"null", `{"model_type": "gpt2", "vocab_size": 96, "n_embd": 64, "n_head": 4, "n_layer": null}`, `n_layer: found null, expected layers in a row`},
		{"absurd", `{"model_type": "gpt2", "vocab_size": 96, "n_embd": 64, "n_head": 4, "n_layer": 1000000000}`, `n_layer: found 1000000000, expected layers in a row: a whole number from 1 to 10000`},
		{"zero", `{"model_type": "gpt2", "vocab_size": 0, "n_embd": 64, "n_head": 4, "n_layer": 1}`, `vocab_size: found 0, expected rows of the embedding`},
		{"fraction", `{"model_type": "gpt2", "vocab_size": 9.5, "n_embd": 64, "n_head": 4, "n_layer": 1}`, `vocab_size: found 9.5, expected rows of the embedding`},
		{"negative", `{` + sound + `, "head_dim": -8}`, `head_dim: found -8, expected width of a head`},
		{"text for a number", `{` + sound + `, "head_dim": "8"}`, `head_dim: found "8", expected width of a head`},
		{"unknown word", `{` + sound + `, "hidden_act": "sin"}`, `hidden_act: found "sin", expected activation of the gate: one of silu, swish`},
		{"two names", `{"model_type": "gpt2", "vocab_size": 96, "n_embd": 64, "hidden_size": 32, "n_head": 4, "n_layer": 1}`, `hidden_size: found 32, but n_embd, another name of the same field, is 64`},
		{"heads", `{"model_type": "gpt2", "vocab_size": 96, "n_embd": 64, "n_head": 5, "n_layer": 1}`, `n_head: 5 heads do not divide n_embd, 64`},
		{"shared heads", `{` + sound + `, "num_key_value_heads": 3}`, `num_key_value_heads: 3 heads of keys and values cannot serve 4 query heads evenly`},
		{"odd turning", `{` + sound + `, "rope_parameters": {"partial_rotary_factor": 0.2}}`, `partial_rotary_factor: 0.2 of a head of 16 turns 3 features, but features turn in pairs`},
		{"base", `{` + sound + `, "rope_theta": 0.5}`, `rope_theta: found 0.5, expected at least 1`},
		{"nested", `{` + sound + `, "rope_scaling": {"type": "spiral"}}`, `rope_scaling.type: "spiral" is not known, expected default, linear, dynamic`},
		{"nested kind", `{` + sound + `, "rope_scaling": {"type": "linear", "factor": "8"}}`, `rope_scaling.factor: found "8", expected by how much angles are stretched: a number`},
		{"text_config", `{"model_type": "mllama", "text_config": {"model_type": "llama"}}`, `text_config.vocab_size: is missing`},
		{"too many experts", `{` + strings.Replace(sound, "llama", "mixtral", 1) + `, "num_local_experts": 2, "num_experts_per_tok": 3, "num_key_value_heads": 4}`, `num_experts_per_tok: 3 experts work on a token, but num_local_experts is 2`},
		{"layer types", `{` + strings.Replace(sound, "llama", "gemma2", 1) + `, "layer_types": ["full_attention"]}`, `layer_types: lists 1 layers, but there are 2`},
		{"unknown layer type", `{` + strings.Replace(sound, "llama", "gemma2", 1) + `, "layer_types": ["full_attention", "none"]}`, `layer_types: "none" is not known`},
		{"no tensors for it", `{` + strings.Replace(sound, "llama", "cohere", 1) + `, "use_qk_norm": true}`, `use_qk_norm: found true, which no layer type can say`},
		{"patches", `{"model_type": "vit", "hidden_size": 64, "num_hidden_layers": 1, "num_attention_heads": 4, "intermediate_size": 64, "image_size": 8, "patch_size": 16}`, `patch_size: patches of 16 do not fit into an image of 8`},
		{"many patches", `{"model_type": "vit", "hidden_size": 64, "num_hidden_layers": 1, "num_attention_heads": 4, "intermediate_size": 64, "image_size": 1000000, "patch_size": 1}`, `image_size: an image of 1000000 has 1000000 patches along each side, expected at most 32768`},
		{"labels", `{"model_type": "vit", "hidden_size": 64, "num_hidden_layers": 1, "num_attention_heads": 4, "intermediate_size": 64, "image_size": 16, "patch_size": 16, "num_labels": 3, "id2label": {"0": "cat"}}`, `num_labels: found 3, but id2label names 1 classes`},
		{"shared offsets", `{"model_type": "beit", "hidden_size": 64, "num_hidden_layers": 1, "num_attention_heads": 4, "intermediate_size": 64, "image_size": 16, "patch_size": 16, "use_shared_relative_position_bias": true}`, `use_shared_relative_position_bias: found true; only models whose layers have biases of their own`},
		{"thin network", `{"model_type": "dinov2", "hidden_size": 64, "num_hidden_layers": 1, "num_attention_heads": 4, "mlp_ratio": 0.01, "image_size": 16, "patch_size": 16}`, `mlp_ratio: 0.01 times a width of 64 is no width`},
		{"no stages", `{` + stages + `, "depths": [], "num_heads": []}`, `depths: lists 0 stages, expected 1 to 16`},
		{"stages", `{` + stages + `, "depths": [1, 1], "num_heads": [4]}`, `num_heads: lists 1 stages, but there are 2`},
		{"empty stage", `{` + stages + `, "depths": [1, 0], "num_heads": [4, 4]}`, `depths: found 0 for stage 1, expected a whole number from 1 to 10000`},
		{"a stage of text", `{` + stages + `, "depths": ["1"], "num_heads": [4]}`, `depths: found a list, expected layers, one number for each stage`},
		{"windows", `{` + stages + `, "depths": [1, 1], "num_heads": [4, 4]}`, `window_size: windows of 8 do not fit into stage 1, which is 4 patches high`},
		{"patches of windows", `{` + strings.Replace(stages, "32", "34", 1) + `, "depths": [1], "num_heads": [4]}`, `patch_size: patches of 4 do not divide an image of 34`},
		{"convolution stages", `{"model_type": "convnext", "hidden_sizes": [8, 8], "depths": [1, 1]}`, `hidden_sizes: lists 2 stages, but there are 4`},
		{"nothing left", `{"model_type": "convnext", "image_size": 4, "num_stages": 2, "hidden_sizes": [8, 8], "depths": [1, 1]}`, `image_size: nothing is left of an image of 4 at stage 1`},
		{"no bottleneck", `{"model_type": "resnet", "hidden_sizes": [3], "depths": [1]}`, `hidden_sizes: found 3 for stage 0, of which a bottleneck has a quarter`},
		{"large image", `{"model_type": "resnet", "image_size": 100000000, "hidden_sizes": [8], "depths": [1]}`, `image_size: found 100000000, expected at most 1048576`},
		{"reduction", `{"model_type": "segformer", "image_size": 16, "num_encoder_blocks": 1, "hidden_sizes": [8], "depths": [1], "num_attention_heads": [1], "sr_ratios": [8], "patch_sizes": [7], "strides": [4], "mlp_ratios": [4]}`, `image_size: an image of 16 has 4 patches along each side at stage 0, expected 8 to 32768`},
		{"widths of parts", `{"model_type": "sam", "mask_decoder_config": {"hidden_size": 128}}`, `mask_decoder_config.hidden_size: makes a width of 128, but prompt_encoder_config.hidden_size is 256`},
		{"images of parts", `{"model_type": "sam", "prompt_encoder_config": {"image_size": 512}}`, `prompt_encoder_config.image_size: there are patches of 16 in an image of 512, but vision_config has patches of 16 in one of 1024`},
		{"kinds of points", `{"model_type": "sam", "prompt_encoder_config": {"num_point_embeddings": 5}}`, `prompt_encoder_config.num_point_embeddings: found 5; points are of 4 kinds`},
		{"no masks", `{"model_type": "sam", "mask_decoder_config": {"num_multimask_outputs": 0}}`, `mask_decoder_config.num_multimask_outputs: found 0; an ambiguous prompt yields at least one mask`},
		{"window of an image", `{"model_type": "sam", "vision_config": {"window_size": 65}}`, `vision_config.window_size: windows of 65 do not fit into an image of 64 patches`},
		{"padding", `{"model_type": "roberta", "vocab_size": 96, "hidden_size": 64, "num_hidden_layers": 1, "num_attention_heads": 4, "intermediate_size": 64, "max_position_embeddings": 2}`, `pad_token_id: positions begin behind the padding, 1, but there are 2`},
		{"shared layers", `{"model_type": "albert", "vocab_size": 96, "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64, "num_hidden_groups": 2}`, `num_hidden_groups: found 2; only models with one layer for all can be imported`},
		{"heads of a state space", `{` + strings.Replace(heads, "16", "15", 1) + `}`, `num_heads: 15 heads of 8 are 120 features, but expand · hidden_size is 128`},
		{"groups of a state space", `{` + heads + `, "n_groups": 3}`, `n_groups: 16 heads do not divide into 3 groups`},
		{"nested experts", `{"model_type": "dbrx", "vocab_size": 96, "d_model": 64, "n_heads": 4, "n_layers": 2, "ffn_config": {"moe_num_experts": 4, "moe_top_k": 5}}`, `ffn_config.moe_top_k: 5 experts work on a token, but moe_num_experts is 4`},
		{"weights of experts", `{"model_type": "dbrx", "vocab_size": 96, "d_model": 64, "n_heads": 4, "n_layers": 2, "ffn_config": {"moe_normalize_expert_weights": 2}}`, `ffn_config.moe_normalize_expert_weights: found 2; only weights that add up to 1`},

		{"a gate without a layer type", `{` + soundT5 + `, "feed_forward_proj": "gated-relu"}`, `feed_forward_proj: found "gated-relu", expected activation of the feed-forward network`},
		{"buckets", `{` + encoderOf("mpnet") + `, "relative_attention_num_buckets": 16}`, `relative_attention_num_buckets: found 16, but the class looks up 32 buckets`},
		{"a convolution between layers", `{` + encoderOf("deberta-v2") + `, "conv_kernel_size": 3}`, `conv_kernel_size: found 3; models with a convolution behind the first layer cannot be imported`},
		{"unknown scores", `{` + encoderOf("deberta-v2") + `, "pos_att_type": "c2p|p2p"}`, `pos_att_type: "p2p" is not known, expected c2p and p2c`},
		{"no scores", `{` + encoderOf("deberta-v2") + `, "relative_attention": true}`, `pos_att_type: names neither c2p nor p2c`},
		{"a norm of nothing", `{` + encoderOf("deberta-v2") + `, "norm_rel_ebd": "layer_norm"}`, `norm_rel_ebd: found layer_norm, but without relative_attention there is no table of distances`},
		{"two vocabularies", `{"model_type": "marian", ` + soundPair + `, "decoder_vocab_size": 80}`, `decoder_vocab_size: found 80, but encoder and decoder have one embedding of 96 rows`},
		{"heads of a decoder", `{"model_type": "bart", ` + strings.Replace(soundPair, `"decoder_attention_heads": 4`, `"decoder_attention_heads": 5`, 1) + `}`, `decoder_attention_heads: 5 heads do not divide d_model, 64`},
		{"convolutions", `{` + soundWave + `, "conv_stride": [5]}`, `conv_stride: lists 1 convolutions, but conv_dim 2`},
		{"no convolutions", `{` + soundWave + `, "conv_stride": []}`, `conv_stride: lists 0 convolutions, expected 1 to 100`},
		{"a step of nothing", `{` + soundWave + `, "conv_stride": [5, 0]}`, `conv_stride: found 0 in the list, expected whole numbers from 1`},
		{"groups", `{` + soundWave + `, "conv_stride": [5, 2], "num_conv_pos_embedding_groups": 3}`, `num_conv_pos_embedding_groups: 3 groups do not divide hidden_size, 64`},
		{"adapter", `{` + soundWave + `, "conv_stride": [5, 2], "add_adapter": true}`, `add_adapter: found true; models with an adapter cannot be imported`},
		{"inner width", `{"model_type": "mamba", "vocab_size": 96, "hidden_size": 64, "num_hidden_layers": 2, "intermediate_size": 100}`, `intermediate_size: found 100, but expand · hidden_size is 128`},
		{"part of another kind", `{"model_type": "clip", "text_config": []}`, `config.json:1:39: text_config: found a list, expected the encoder of texts: an object`},
		{"field of a part", `{"model_type": "clip", "vision_config": {"hidden_size": "8"}}`, `config.json:1:57: vision_config.hidden_size: found "8", expected width of the encoder`},
		{"null in a part", `{"model_type": "clip", "vision_config": {"hidden_size": null}}`, `vision_config.hidden_size: found null, expected width of the encoder`},
		{"older part", `{"model_type": "clip", "text_config_dict": {"num_attention_heads": 5}}`, `text_config_dict.num_attention_heads: 5 heads do not divide hidden_size, 512`},
		{"patches of a part", `{"model_type": "siglip", "vision_config": {"patch_size": 512}}`, `vision_config.patch_size: patches of 512 do not fit into an image of 224`},
		{"two spaces", `{"model_type": "siglip", "text_config": {"projection_size": 64}}`, `text_config.projection_size: texts end in 64 features, images in 768`},
		{"no head", `{"model_type": "siglip", "vision_config": {"vision_use_head": false}}`, `vision_config.vision_use_head: found false, but the images of SigLIP are compared by the vector of this head`},
		{"language model", `{"model_type": "llava", "text_config": {"model_type": "gpt2"}}`, `text_config.model_type: found "gpt2", expected the type of this part: one of llama, mistral, qwen2`},
		{"image model", `{"model_type": "llava", "vision_config": {"model_type": "vit"}}`, `vision_config.model_type: found "vit", expected the type of this part: one of clip_vision_model, siglip_vision_model`},
		{"no room", `{"model_type": "llava", "text_config": {"max_position_embeddings": 49}}`, `text_config.max_position_embeddings: an image has 49 tokens, which leaves none of 49 for texts`},
		{"no class token", `{"model_type": "llava", "vision_config": {"model_type": "siglip_vision_model"}}`, `vision_feature_select_strategy: found default, which leaves the class token out, but SigLIP has none; expected full`},
		{"averaged patches", `{"model_type": "gemma3", "mm_tokens_per_image": 9}`, `mm_tokens_per_image: 14 patches on each side of an image cannot be averaged to 9 tokens`},
		{"joined patches", `{"model_type": "llama4", "vision_config": {"pixel_shuffle_ratio": 0.3}}`, `vision_config.pixel_shuffle_ratio: found 0.3, expected one over a whole number of patches`},
		{"patches left over", `{"model_type": "llama4", "vision_config": {"image_size": 42}}`, `vision_config.pixel_shuffle_ratio: 3 patches on each side of an image cannot be joined by 2`},
		{"adapter", `{"model_type": "llama4", "vision_config": {"hidden_size": 1408}}`, `vision_output_dim: found 7680, but 4096 features arrive there`},
		{"rows and columns", `{"model_type": "llama4", "vision_config": {"num_attention_heads": 128}}`, `vision_config.num_attention_heads: rows and columns turn a quarter of the features of a head in pairs, but a head has 6`},
		{"chunks", `{"model_type": "llama4", "text_config": {"num_hidden_layers": 2, "layer_types": ["chunked_attention", "sliding_attention"]}}`, `text_config.layer_types: "sliding_attention" is not known, expected chunked_attention or full_attention`},
		{"sparse layers", `{"model_type": "llama4", "text_config": {"moe_layers": [48]}}`, `text_config.moe_layers: names layer 48, but there are 48, counted from 0`},
		{"feature layer", `{"model_type": "llava", "vision_feature_layer": [-14]}`, `vision_feature_layer: found -14, expected the layer of the encoder that is read`},
	} {
		in, err := adopt.Config("config.json", []byte(c.src), "")
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: found %v (document: %t), expected %s", c.name, err, in != nil, c.want)
		}
	}
}

// TestWarnings names what a configuration says and the document does not, and
// is silent about the rest.
func TestWarnings(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"known", `{` + sound + `, "torch_dtype": "bfloat16", "attention_dropout": 0.1, "mlp_bias": false}`, ``},
		{"null", `{` + sound + `, "quantization_config": null}`, ``},
		{"unknown", `{` + sound + `, "quantization_config": {}}`, `config.json:1:161: quantization_config is not read by the import of Llama; if it changes the architecture, so must the document`},
		{"of another family", `{` + strings.Replace(sound, "llama", "mistral", 1) + `, "num_key_value_heads": 4, "attention_bias": true}`, `config.json:1:184: attention_bias is not read by the import of Mistral; if it changes the architecture, so must the document`},
		{"nested", `{` + sound + `, "rope_scaling": {"type": "default", "wave": 1}}`, `config.json:1:182: rope_scaling.wave is not read by the import of Llama; if it changes the architecture, so must the document`},
		{"another task", `{"model_type": "vit", "hidden_size": 64, "num_hidden_layers": 1, "num_attention_heads": 4, "intermediate_size": 64, "image_size": 16, "patch_size": 16, "architectures": ["ViTForMaskedImageModeling"]}`,
			`config.json:1:170: architectures is not in the document: none of the classes that it names can be imported, the document is ViTModel`},
		{"in a part", `{"model_type": "sam", "vision_config": {"image_size": 1024, "window": 7}}`, `config.json:1:71: vision_config.window is not read by the import of SAM; if it changes the architecture, so must the document`},
		{"numbers that JSON lacks", `{` + heads + `, "time_step_limit": [0.0, Infinity], "name_or_path": "of \"Infinity", "bos_token_id": NaN}`, ``},
		{"bounds of step sizes", `{` + heads + `, "time_step_limit": [0.001, 0.1]}`, `config.json:1:138: time_step_limit is not in the document: step sizes have no bounds; counts are not affected`},

		{"a head that is not there", `{"model_type": "bart", ` + soundPair + `, "architectures": ["BartForQuestionAnswering"]}`, `config.json:1:222: architectures is not in the document: it is the model without what BartForQuestionAnswering adds`},
		{"other parts", `{"text_config": {` + sound + `}, "vision_config": {}}`, `config.json:1:172: vision_config is not imported: the document is the language model alone, under the names of its own class`},
		{"in a part", `{"model_type": "siglip", "text_config": {"typical_p": 1.0}, "vision_config": {"class_token": true}}`, `config.json:1:94: vision_config.class_token is not read by the import of SigLIP; if it changes the architecture, so must the document`},
	} {
		in, err := adopt.Config("config.json", []byte(c.src), "")
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if got := strings.Join(in.Warnings, "\n"); got != c.want {
			t.Errorf("%s: warnings %q, expected %q", c.name, got, c.want)
		}
	}
}

// TestNested imports the same document from a text_config as from the
// configuration by itself; the tie beside it holds for it.
func TestNested(t *testing.T) {
	plain, _ := adopted(t, `{`+sound+`, "tie_word_embeddings": true}`)
	nested, _ := adopted(t, `{"model_type": "mllama", "text_config": {`+sound+`}, "tie_word_embeddings": true}`)
	if got, want := string(graph.Encode(nested.Document)), string(graph.Encode(plain.Document)); got != want {
		t.Errorf("got:\n%swant:\n%s", got, want)
	}
}

// TestParts reads what the classes of a model's parts have by default, the
// object of an older file in place of the newer one, and several layers of an
// encoder.
func TestParts(t *testing.T) {
	for _, c := range []struct {
		name, src string
		params    int64
	}{
		{"nothing said", `{"model_type": "clip"}`, 151277313}, // openai/clip-vit-base-patch32
		{"older parts", `{"model_type": "clip", "text_config_dict": {"num_hidden_layers": 12}, "text_config": {"num_hidden_layers": 1}, "vision_config_dict": null}`, 151277313},
		{"language model", `{"model_type": "llava", "text_config": {"model_type": "llama", "vocab_size": 32064, "max_position_embeddings": 4096}, "vision_config": {"hidden_size": 1024, "intermediate_size": 4096, "num_hidden_layers": 24, "num_attention_heads": 16, "patch_size": 14, "image_size": 336}}`, 7063427072},
		{"tied by the whole", `{"model_type": "gemma3", "mm_tokens_per_image": 49, "text_config": {"vocab_size": 96, "num_hidden_layers": 2, "tie_word_embeddings": true}, "vision_config": {"vision_use_head": false}, "tie_word_embeddings": false}`, 243745024},
		{"head of an encoder", `{"model_type": "gemma3", "mm_tokens_per_image": 49, "text_config": {"vocab_size": 96, "num_hidden_layers": 2}}`, 250610944},
		{"older growth", `{"model_type": "llama4_text", "vocab_size": 202048, "hidden_size": 5120, "intermediate_size": 8192, "num_hidden_layers": 48, "num_attention_heads": 40, "attn_temperature_tuning": 4, "moe_layers": [], "no_rope_layers": [` + strings.Repeat("1, ", 47) + `0]}`, 17168962560},
	} {
		if _, m := adopted(t, c.src); m.Params != c.params {
			t.Errorf("%s: %d parameters, expected %d", c.name, m.Params, c.params)
		}
	}
	small := `{"model_type": "llava", "text_config": {` + sound + `}, "vision_config": {"model_type": %q, "hidden_size": 64, "intermediate_size": 96, "num_attention_heads": 4, "num_hidden_layers": 4, "image_size": 64, "patch_size": 8}, "vision_feature_select_strategy": "full", "vision_feature_layer": %s}`
	for _, c := range []struct{ vision, layers, want string }{
		{"clip_vision_model", `[-3, 1]`, `"inputs": ["vision_tower.encoder.layers.1", "vision_tower.encoder.layers"]`},
		{"clip_vision_model", `-1`, `"inputs": ["vision_tower.encoder.layers"]`},
		{"siglip_vision_model", `[0, 4]`, `"inputs": ["vision_tower.embeddings.position_embedding", "vision_tower.encoder.layers"]`},
	} {
		in, _ := adopted(t, fmt.Sprintf(small, c.vision, c.layers))
		if text := string(graph.Encode(in.Document)); !strings.Contains(text, c.want) {
			t.Errorf("layers %s of %s: expected %s in\n%s", c.layers, c.vision, c.want, text)
		}
	}
}

// FuzzConfig imports anything: no panic, and a document that comes out can be
// read again and analysed.
func FuzzConfig(f *testing.F) {
	for _, a := range testfiles.Archives(f) {
		f.Add(a.Files[0].Data)
	}
	f.Add([]byte(`{"text_config": {` + sound + `}}`))
	f.Fuzz(func(t *testing.T, src []byte) {
		in, err := adopt.Config("config.json", src, "")
		var at *graph.Error
		if err != nil {
			if !errors.As(err, &at) {
				t.Fatalf("an error without its place: %v", err)
			}
			return
		}
		if len(in.Document.ID) > 1000 {
			t.Skip()
		}
		text := graph.Encode(in.Document)
		if _, err := pipeline.Run("model.json", text); err != nil {
			t.Fatalf("%v\n%s\n%s", err, src, text)
		}
	})
}
