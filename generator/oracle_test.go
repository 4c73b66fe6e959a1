package generator_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/strata-catalog/strata/generator/content"
	"github.com/strata-catalog/strata/generator/format"
	"github.com/strata-catalog/strata/generator/infer"
	"github.com/strata-catalog/strata/generator/pipeline"
)

const (
	templates = "../templates"
	notes     = "../content/a"
	cases     = "testdata/cases"
	oracles   = "../../shared/oracles"
	reference = "../../shared/reference"
)

// An oracle is one row of the tables of published figures.
type oracle struct {
	Name       string  `json:"name"`
	HubID      string  `json:"hf_id"`
	Total      int64   `json:"params_total"`    // transformers.json
	HubTotals  []int64 `json:"hub_file_totals"` // elements that the file on the Hub stores
	Parameters int64   `json:"num_params"`      // torchvision.json
	GMACs      float64 `json:"gflops"`          // torchvision.json, whose GFLOPs are GMACs
	MACs       int64   `json:"macs_exact"`      // llm_macs.json
}

func (o oracle) parameters() int64 { return max(o.Total, o.Parameters) }

// readOracles reads tables by the name of their entries. Where the tables are
// not there, the test is skipped.
func readOracles(t *testing.T, files ...string) map[string]oracle {
	t.Helper()
	all := map[string]oracle{}
	for _, file := range files {
		src, err := os.ReadFile(filepath.Join(oracles, file))
		if errors.Is(err, fs.ErrNotExist) {
			t.Skipf("the tables of published figures are not beside the checkout: %v", err)
		}
		if err != nil {
			t.Fatal(err)
		}
		var rows []oracle
		if err := json.Unmarshal(src, &rows); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for _, o := range rows {
			for _, name := range []string{o.Name, o.HubID} {
				if name != "" {
					all[name] = o
				}
			}
		}
	}
	return all
}

func analyse(t *testing.T, file string) *infer.Model {
	t.Helper()
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	r, err := pipeline.Run(file, src)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.Findings {
		if f.Severity == "error" {
			t.Errorf("%s: %s: %s", f.Position, f.Rule, f.Message)
		}
	}
	if !r.Model.Counted || !r.Model.Worked {
		t.Errorf("%s: counted %t, worked %t; both must be so", file, r.Model.Counted, r.Model.Worked)
	}
	return r.Model
}

// ids lists the templates.
func ids(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(templates + "/*/model.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no template below %s: %v", templates, err)
	}
	for i, f := range files {
		files[i] = filepath.Base(filepath.Dir(f))
	}
	return files
}

func note(t *testing.T, id string) *content.Note {
	t.Helper()
	file := filepath.Join(notes, id+".md")
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("a template needs a note: %v", err)
	}
	n, err := content.ParseNote(file, src)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestTemplatesAgreeWithPublished compares each template whose note names an
// oracle with it: parameters to the unit, stored elements with what the
// checkpoint's file holds, and MACs with torchvision's to half a percent.
func TestTemplatesAgreeWithPublished(t *testing.T) {
	all := readOracles(t, "transformers.json", "torchvision.json")
	for _, id := range ids(t) {
		t.Run(id, func(t *testing.T) {
			m, n := analyse(t, filepath.Join(templates, id, "model.json")), note(t, id)
			if n.Oracle == "" {
				return
			}
			o, ok := all[n.Oracle]
			if !ok {
				t.Fatalf("%s: oracle is %q, which no table of published figures has", n.File, n.Oracle)
			}
			agree(t, m, o)
			if n.Published.Parameters != o.parameters() {
				t.Errorf("%s: published.parameters is %d, want %d", n.File, n.Published.Parameters, o.parameters())
			}
			if s := n.Published.Stored; s != 0 && !slices.Contains(o.HubTotals, s) {
				t.Errorf("%s: published.stored is %d, want one of %d", n.File, s, o.HubTotals)
			}
		})
	}
}

// agree compares a model with its oracle.
func agree(t *testing.T, m *infer.Model, o oracle) {
	t.Helper()
	if m.Params != o.parameters() {
		t.Errorf("%s parameters, want %s (difference %d)", format.Exact64(m.Params), format.Exact64(o.parameters()), m.Params-o.parameters())
	}
	if o.GMACs != 0 {
		g, _ := new(big.Float).SetInt(measured(m, o)).Float64()
		// The table has three decimals, which is coarse for the smallest models.
		if g /= 1e9; math.Abs(g-o.GMACs) > max(0.005*o.GMACs, 0.0005) {
			t.Errorf("%.4f GMACs, want %.3f within 0.5 %%", g, o.GMACs)
		}
	}
}

// unmeasured is how the ids of layers begin that did not run when the table's
// work was measured: on noise nothing is detected, so that no mask is drawn.
var unmeasured = map[string]string{
	"maskrcnn_resnet50_fpn": "roi_heads.mask_",
}

// measured is the work of the layers that the table's figure covers.
func measured(m *infer.Model, o oracle) *big.Int {
	sum, prefix := new(big.Int).Set(m.MACs), unmeasured[o.Name]
	for i := range m.Nodes {
		if w := m.Nodes[i].Result.Work.Full; w != nil && prefix != "" && strings.HasPrefix(m.Nodes[i].ID, prefix) {
			sum.Sub(sum, w)
		}
	}
	return sum
}

// TestNotesAddUp compares each template with the count that its note gives,
// and checks the lines between parameters and stored elements.
func TestNotesAddUp(t *testing.T) {
	for _, id := range ids(t) {
		m, p := analyse(t, filepath.Join(templates, id, "model.json")), note(t, id).Published
		if p.Parameters != 0 && m.Params != p.Parameters {
			t.Errorf("%s: %s parameters, published are %s", id, format.Exact64(m.Params), format.Exact64(p.Parameters))
		}
		if p.Stored == 0 {
			continue
		}
		sum := p.Parameters
		for _, l := range p.Lines {
			sum += l.Elements
		}
		if sum != p.Stored {
			t.Errorf("%s: parameters and lines add up to %d, stored is %d", id, sum, p.Stored)
		}
	}
}

// TestCasesAgreeWithPublished compares the graphs of testdata/cases, each with
// the oracle that it names.
func TestCasesAgreeWithPublished(t *testing.T) {
	all := readOracles(t, "transformers.json", "torchvision.json")
	files, err := filepath.Glob(cases + "/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no graph below %s: %v", cases, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			m := analyse(t, file)
			name := extra(m, "oracle")
			if name == "" {
				if _, used := workCases[filepath.Base(file)]; !used {
					t.Fatalf("names no oracle, and no row of MACs uses it")
				}
				return
			}
			o, ok := all[name]
			if !ok {
				t.Fatalf("oracle is %q, which no table of published figures has", name)
			}
			agree(t, m, o)
		})
	}
}

// extra is a text member of the document that the analysis does not use.
func extra(m *infer.Model, name string) string {
	for _, p := range m.Graph.Doc.Extra {
		if p.Name == name {
			return strings.Trim(p.Value, `"`)
		}
	}
	return ""
}

// workCases are graphs of testdata/cases, by the entries of llm_macs.json that
// they answer to.
var workCases = map[string][]string{
	"llama-2-7b.json":              {"llama-7b", "llama2-7b"},
	"chinese-llama-7b.json":        {"chinese-llama-7b"},
	"baichuan-7b.json":             {"baichuan-7B"},
	"qwen-7b.json":                 {"Qwen-7B"},
	"chatglm2-6b.json":             {"chatglm2-6b"},
	"chinese-roberta-wwm-ext.json": {"chinese-roberta-wwm-ext"},
}

// TestMACsAgreeWithPublished compares the forward MACs of language models at
// one sequence of 128 tokens, to the unit.
func TestMACsAgreeWithPublished(t *testing.T) {
	all := readOracles(t, "llm_macs.json")
	missing := map[string]bool{}
	for _, o := range all {
		missing[o.Name] = true
	}
	for _, file := range slices.Sorted(maps.Keys(workCases)) {
		m := analyse(t, filepath.Join(cases, file))
		for _, name := range workCases[file] {
			o, ok := all[name]
			if !ok {
				t.Errorf("%s: no published MACs are called %q", file, name)
				continue
			}
			delete(missing, name)
			if m.MACs.Cmp(big.NewInt(o.MACs)) != 0 {
				t.Errorf("%s: %s MACs, want %s", name, format.Exact(m.MACs), format.Exact64(o.MACs))
			}
		}
	}
	for name := range missing {
		t.Errorf("%s: published MACs without a graph that is compared with them", name)
	}
}

// TestStateDict looks up tensors of the ledger by the names that the
// checkpoints give them: of every template with a published count, but those
// whose note names an implementation, with which make verify compares them all.
func TestStateDict(t *testing.T) {
	tests := map[string]struct {
		tensors int // named tensors in all, tied ones too, without buffers
		want    map[string]string
	}{
		"phi3-mini": {13, map[string]string{
			"embed.weight": "[32064, 3072]", "attn.q_proj.weight": "[3072, 3072]", "ffn.down_proj.weight": "[3072, 8192]", "lm_head.bias": "[32064]",
		}},
		"llama3-block": {10, map[string]string{
			"embed.weight": "[128256, 4096]", "gqa.k_proj.weight": "[1024, 4096]", "swiglu_ffn.gate_proj.weight": "[11008, 4096]",
		}},
		"qwen3-8b": {399, map[string]string{
			"model.embed_tokens.weight":                      "[151936, 4096]",
			"model.layers.0.self_attn.q_proj.weight":         "[4096, 4096]",
			"model.layers.17.self_attn.k_proj.weight":        "[1024, 4096]",
			"model.layers.35.self_attn.q_norm.weight":        "[128]",
			"model.layers.35.self_attn.k_norm.weight":        "[128]",
			"model.layers.0.mlp.gate_proj.weight":            "[12288, 4096]",
			"model.layers.0.mlp.down_proj.weight":            "[4096, 12288]",
			"model.layers.9.input_layernorm.weight":          "[4096]",
			"model.layers.9.post_attention_layernorm.weight": "[4096]",
			"model.norm.weight":                              "[4096]",
			"lm_head.weight":                                 "[151936, 4096]",
		}},
		"dit-s-2": {132, map[string]string{
			"pos_embed":                           "[1, 256, 384]",
			"x_embedder.proj.weight":              "[384, 4, 2, 2]",
			"t_embedder.mlp.0.weight":             "[384, 256]",
			"y_embedder.embedding_table.weight":   "[1001, 384]",
			"blocks.11.attn.qkv.weight":           "[1152, 384]",
			"blocks.11.attn.proj.bias":            "[384]",
			"blocks.0.mlp.fc1.weight":             "[1536, 384]",
			"blocks.0.adaLN_modulation.1.weight":  "[2304, 384]",
			"final_layer.linear.weight":           "[32, 384]",
			"final_layer.adaLN_modulation.1.bias": "[768]",
		}},
		"dit-b-2": {132, map[string]string{
			"blocks.11.adaLN_modulation.1.weight": "[4608, 768]", "blocks.0.mlp.fc2.weight": "[768, 3072]", "final_layer.linear.bias": "[32]",
		}},
		"dit-l-2": {252, map[string]string{
			"blocks.23.adaLN_modulation.1.bias": "[6144]", "t_embedder.mlp.2.weight": "[1024, 1024]", "pos_embed": "[1, 256, 1024]",
		}},
		"dit-xl-2": {292, map[string]string{
			"blocks.27.attn.qkv.weight": "[3456, 1152]", "y_embedder.embedding_table.weight": "[1001, 1152]", "x_embedder.proj.bias": "[1152]",
		}},
		"sd-v1-5-unet": {686, map[string]string{
			"conv_in.weight":                                                      "[320, 4, 3, 3]",
			"time_embedding.linear_1.weight":                                      "[1280, 320]",
			"down_blocks.0.resnets.1.norm1.weight":                                "[320]",
			"down_blocks.1.resnets.0.conv_shortcut.weight":                        "[640, 320, 1, 1]",
			"down_blocks.2.attentions.1.proj_in.weight":                           "[1280, 1280, 1, 1]",
			"down_blocks.0.attentions.0.transformer_blocks.0.attn2.to_k.weight":   "[320, 768]",
			"down_blocks.0.attentions.0.transformer_blocks.0.attn1.to_out.0.bias": "[320]",
			"mid_block.attentions.0.transformer_blocks.0.ff.net.0.proj.weight":    "[10240, 1280]",
			"up_blocks.3.attentions.2.transformer_blocks.0.ff.net.2.weight":       "[320, 1280]",
			"up_blocks.0.upsamplers.0.conv.weight":                                "[1280, 1280, 3, 3]",
			"up_blocks.2.resnets.0.conv1.weight":                                  "[640, 1920, 3, 3]",
		}},
		"sdxl-unet": {1680, map[string]string{
			"add_embedding.linear_1.weight":                                     "[1280, 2816]",
			"down_blocks.1.attentions.0.proj_in.weight":                         "[640, 640]",
			"down_blocks.2.attentions.1.transformer_blocks.9.attn2.to_v.weight": "[1280, 2048]",
			"mid_block.attentions.0.transformer_blocks.9.norm3.bias":            "[1280]",
			"up_blocks.1.attentions.2.transformer_blocks.1.attn1.to_q.weight":   "[640, 640]",
			"up_blocks.2.resnets.2.time_emb_proj.weight":                        "[320, 1280]",
		}},
		"gpt2": {149, map[string]string{
			"transformer.wte.weight":              "[50257, 768]",
			"transformer.wpe.weight":              "[1024, 768]",
			"transformer.h.0.ln_1.bias":           "[768]",
			"transformer.h.0.attn.c_attn.weight":  "[768, 2304]",
			"transformer.h.11.attn.c_attn.bias":   "[2304]",
			"transformer.h.11.attn.c_proj.weight": "[768, 768]",
			"transformer.h.5.mlp.c_fc.weight":     "[768, 3072]",
			"transformer.h.5.mlp.c_proj.weight":   "[3072, 768]",
			"transformer.ln_f.weight":             "[768]",
			"lm_head.weight":                      "transformer.wte.weight",
		}},
		"resnet-50": {161, map[string]string{
			"conv1.weight":                 "[64, 3, 7, 7]",
			"bn1.bias":                     "[64]",
			"layer1.0.conv1.weight":        "[64, 64, 1, 1]",
			"layer1.0.downsample.0.weight": "[256, 64, 1, 1]",
			"layer1.0.downsample.1.weight": "[256]",
			"layer2.0.conv2.weight":        "[128, 128, 3, 3]",
			"layer3.5.conv3.weight":        "[1024, 256, 1, 1]",
			"layer4.2.bn3.weight":          "[2048]",
			"fc.weight":                    "[1000, 2048]",
			"fc.bias":                      "[1000]",
		}},
		"mixtral-8x7b": {995, map[string]string{
			"model.layers.0.self_attn.v_proj.weight":               "[1024, 4096]",
			"model.layers.0.block_sparse_moe.gate.weight":          "[8, 4096]",
			"model.layers.0.block_sparse_moe.experts.0.w1.weight":  "[14336, 4096]",
			"model.layers.31.block_sparse_moe.experts.7.w2.weight": "[4096, 14336]",
			"model.layers.31.block_sparse_moe.experts.7.w3.weight": "[14336, 4096]",
			"lm_head.weight": "[32000, 4096]",
		}},
		"bert-base-uncased": {199, map[string]string{
			"embeddings.word_embeddings.weight":               "[30522, 768]",
			"embeddings.token_type_embeddings.weight":         "[2, 768]",
			"embeddings.LayerNorm.bias":                       "[768]",
			"encoder.layer.0.attention.self.query.weight":     "[768, 768]",
			"encoder.layer.11.attention.self.value.bias":      "[768]",
			"encoder.layer.11.attention.output.dense.weight":  "[768, 768]",
			"encoder.layer.5.attention.output.LayerNorm.bias": "[768]",
			"encoder.layer.5.intermediate.dense.weight":       "[3072, 768]",
			"encoder.layer.5.output.dense.weight":             "[768, 3072]",
			"encoder.layer.5.output.LayerNorm.weight":         "[768]",
			"pooler.dense.weight":                             "[768, 768]",
		}},
		"albert-base": {201, map[string]string{
			"embeddings.word_embeddings.weight":                                          "[30000, 128]",
			"encoder.embedding_hidden_mapping_in.weight":                                 "[768, 128]",
			"encoder.albert_layer_groups.0.albert_layers.0.attention.query.weight":       "[768, 768]",
			"encoder.albert_layer_groups.0.albert_layers.0.attention.LayerNorm.bias":     "[768]",
			"encoder.albert_layer_groups.0.albert_layers.0.ffn.weight":                   "[3072, 768]",
			"encoder.albert_layer_groups.0.albert_layers.0.ffn_output.bias":              "[768]",
			"encoder.albert_layer_groups.0.albert_layers.0.full_layer_layer_norm.weight": "[768]",
			"encoder.albert_layer_groups.11.albert_layers.0.attention.dense.weight":      "encoder.albert_layer_groups.0.albert_layers.0.attention.dense.weight",
			"pooler.weight": "[768, 768]",
		}},
		"vgg-16": {32, map[string]string{
			"features.0.weight":   "[64, 3, 3, 3]",
			"features.28.weight":  "[512, 512, 3, 3]",
			"features.28.bias":    "[512]",
			"classifier.0.weight": "[4096, 25088]",
			"classifier.3.weight": "[4096, 4096]",
			"classifier.6.weight": "[1000, 4096]",
		}},
		"vit-b-16": {152, map[string]string{
			"class_token":           "[1, 1, 768]",
			"conv_proj.weight":      "[768, 3, 16, 16]",
			"encoder.pos_embedding": "[1, 197, 768]",
			"encoder.layers.encoder_layer_0.ln_1.weight":                     "[768]",
			"encoder.layers.encoder_layer_0.self_attention.in_proj_weight":   "[2304, 768]",
			"encoder.layers.encoder_layer_11.self_attention.in_proj_bias":    "[2304]",
			"encoder.layers.encoder_layer_11.self_attention.out_proj.weight": "[768, 768]",
			"encoder.layers.encoder_layer_11.mlp.0.weight":                   "[3072, 768]",
			"encoder.layers.encoder_layer_11.mlp.3.bias":                     "[768]",
			"encoder.ln.bias":   "[768]",
			"heads.head.weight": "[1000, 768]",
		}},
		"mobilenet-v2": {158, map[string]string{
			"features.0.0.weight":         "[32, 3, 3, 3]",
			"features.0.1.bias":           "[32]",
			"features.1.conv.0.0.weight":  "[32, 1, 3, 3]",
			"features.1.conv.1.weight":    "[16, 32, 1, 1]",
			"features.2.conv.0.0.weight":  "[96, 16, 1, 1]",
			"features.17.conv.1.0.weight": "[960, 1, 3, 3]",
			"features.17.conv.3.weight":   "[320]",
			"features.18.0.weight":        "[1280, 320, 1, 1]",
			"classifier.1.weight":         "[1000, 1280]",
		}},
		"kimi-k2": {69975, map[string]string{
			"model.embed_tokens.weight":                         "[163840, 7168]",
			"model.layers.0.self_attn.q_a_proj.weight":          "[1536, 7168]",
			"model.layers.0.self_attn.q_b_proj.weight":          "[12288, 1536]",
			"model.layers.0.self_attn.kv_b_proj.weight":         "[16384, 512]",
			"model.layers.0.mlp.gate_proj.weight":               "[18432, 7168]",
			"model.layers.1.mlp.gate.weight":                    "[384, 7168]",
			"model.layers.1.mlp.gate.e_score_correction_bias":   "[384]",
			"model.layers.60.mlp.experts.383.down_proj.weight":  "[7168, 2048]",
			"model.layers.60.mlp.shared_experts.up_proj.weight": "[2048, 7168]",
			"lm_head.weight": "[163840, 7168]",
		}},
		"mamba-130m": {243, map[string]string{
			"backbone.embeddings.weight":              "[50280, 768]",
			"backbone.layers.0.norm.weight":           "[768]",
			"backbone.layers.0.mixer.A_log":           "[1536, 16]",
			"backbone.layers.0.mixer.D":               "[1536]",
			"backbone.layers.23.mixer.conv1d.weight":  "[1536, 1, 4]",
			"backbone.layers.23.mixer.in_proj.weight": "[3072, 768]",
			"backbone.layers.23.mixer.x_proj.weight":  "[80, 1536]",
			"backbone.layers.23.mixer.dt_proj.bias":   "[1536]",
			"backbone.norm_f.weight":                  "[768]",
			"lm_head.weight":                          "backbone.embeddings.weight",
		}},
		"clip-vit-large-patch14": {590, map[string]string{
			"logit_scale": "[]",
			"text_model.embeddings.token_embedding.weight":         "[49408, 768]",
			"text_model.embeddings.position_embedding.weight":      "[77, 768]",
			"text_model.encoder.layers.11.self_attn.out_proj.bias": "[768]",
			"text_model.final_layer_norm.weight":                   "[768]",
			"vision_model.embeddings.class_embedding":              "[1024]",
			"vision_model.embeddings.patch_embedding.weight":       "[1024, 3, 14, 14]",
			"vision_model.embeddings.position_embedding.weight":    "[257, 1024]",
			"vision_model.pre_layrnorm.bias":                       "[1024]",
			"vision_model.encoder.layers.23.mlp.fc1.weight":        "[4096, 1024]",
			"vision_model.post_layernorm.weight":                   "[1024]",
			"visual_projection.weight":                             "[768, 1024]",
			"text_projection.weight":                               "[768, 768]",
		}},
		"deepseek-v2-lite": {5291, map[string]string{
			"model.layers.0.self_attn.q_proj.weight":             "[3072, 2048]",
			"model.layers.0.self_attn.kv_a_proj_with_mqa.weight": "[576, 2048]",
			"model.layers.0.self_attn.kv_a_layernorm.weight":     "[512]",
			"model.layers.0.self_attn.kv_b_proj.weight":          "[4096, 512]",
			"model.layers.0.mlp.gate_proj.weight":                "[10944, 2048]",
			"model.layers.1.mlp.gate.weight":                     "[64, 2048]",
			"model.layers.1.mlp.experts.0.gate_proj.weight":      "[1408, 2048]",
			"model.layers.26.mlp.experts.63.down_proj.weight":    "[2048, 1408]",
			"model.layers.26.mlp.shared_experts.up_proj.weight":  "[2816, 2048]",
			"lm_head.weight": "[102400, 2048]",
		}},
		"googlenet": {173, map[string]string{
			"conv1.conv.weight":                 "[64, 3, 7, 7]",
			"conv3.bn.bias":                     "[192]",
			"inception3a.branch1.conv.weight":   "[64, 192, 1, 1]",
			"inception4d.branch2.1.conv.weight": "[288, 144, 3, 3]",
			"inception4d.branch3.1.conv.weight": "[64, 32, 3, 3]",
			"inception5b.branch4.1.bn.weight":   "[128]",
			"fc.weight":                         "[1000, 1024]",
		}},
		"lstm-classifier": {11, map[string]string{
			"embedding.weight":  "[32000, 256]",
			"lstm.weight_ih_l0": "[2048, 256]",
			"lstm.weight_ih_l1": "[2048, 512]",
			"lstm.bias_hh_l1":   "[2048]",
			"fc.weight":         "[4, 512]",
		}},
		"dlrm": {40, map[string]string{
			"bot_l.0.weight":  "[512, 13]",
			"bot_l.6.bias":    "[16]",
			"emb_l.2.weight":  "[10131227, 16]",
			"emb_l.25.weight": "[142572, 16]",
			"top_l.0.weight":  "[512, 367]",
			"top_l.4.weight":  "[1, 256]",
		}},
		"dcn-v2": {51, map[string]string{
			"dense_arch.model._mlp.2._linear.weight":                             "[128, 256]",
			"sparse_arch.embedding_bag_collection.embedding_bags.t_cat_0.weight": "[40000000, 128]",
			"inter_arch.crossnet.V_kernels.0":                                    "[512, 3456]",
			"inter_arch.crossnet.W_kernels.2":                                    "[3456, 512]",
			"inter_arch.crossnet.bias.1":                                         "[3456]",
			"over_arch.model.0._mlp.0._linear.weight":                            "[1024, 3456]",
			"over_arch.model.1.bias":                                             "[1]",
		}},
		"wide-and-deep": {17, map[string]string{
			"linear.fc.weight":           "[2086936, 1]",
			"linear.bias":                "[1]",
			"embedding.embedding.weight": "[2086936, 10]",
			"mlp.mlp.0.weight":           "[400, 390]",
			"mlp.mlp.5.bias":             "[400]",
			"mlp.mlp.12.weight":          "[1, 400]",
		}},
		"deepfm": {17, map[string]string{
			"linear.fc.weight":           "[2086936, 1]",
			"embedding.embedding.weight": "[2086936, 10]",
			"mlp.mlp.8.weight":           "[400, 400]",
		}},
		"neumf": {12, map[string]string{
			"embed_user_GMF.weight": "[6040, 32]",
			"embed_item_MLP.weight": "[3706, 128]",
			"MLP_layers.1.weight":   "[128, 256]",
			"MLP_layers.7.bias":     "[32]",
			"predict_layer.weight":  "[1, 64]",
		}},
		"sasrec": {29, map[string]string{
			"item_emb.weight":                   "[3417, 50]",
			"pos_emb.weight":                    "[201, 50]",
			"attention_layers.0.in_proj_weight": "[150, 50]",
			"attention_layers.1.out_proj.bias":  "[50]",
			"forward_layers.0.conv1.weight":     "[50, 50, 1]",
			"forward_layernorms.1.weight":       "[50]",
			"last_layernorm.bias":               "[50]",
			"scores.weight":                     "item_emb.weight",
		}},
		"bert4rec": {43, map[string]string{
			"bert.embeddings.word_embeddings.weight":           "[3420, 64]",
			"bert.embeddings.token_type_embeddings.weight":     "[2, 64]",
			"bert.encoder.layer.1.attention.self.query.weight": "[64, 64]",
			"bert.encoder.layer.1.intermediate.dense.weight":   "[256, 64]",
			"cls.predictions.transform.LayerNorm.weight":       "[64]",
			"cls.predictions.bias":                             "[3420]",
			"cls.predictions.decoder.weight":                   "bert.embeddings.word_embeddings.weight",
		}},
		"gru4rec": {7, map[string]string{
			"Wy.weight":        "[37483, 100]",
			"By.weight":        "[37483, 1]",
			"G.0.weight_ih_l0": "[300, 100]",
		}},
		"two-tower": {10, map[string]string{
			"ebc.embedding_bags.t_movieId.weight": "[1048576, 64]",
			"query_proj._mlp.0._linear.weight":    "[128, 64]",
			"candidate_proj._mlp.1._linear.bias":  "[64]",
		}},
		"lightgcn": {2, map[string]string{
			"embedding_user.weight": "[29858, 64]",
			"embedding_item.weight": "[40981, 64]",
		}},
		"gcn-cora": {4, map[string]string{
			"conv1.lin.weight": "[16, 1433]",
			"conv1.bias":       "[16]",
			"conv2.lin.weight": "[7, 16]",
		}},
		"gat-cora": {8, map[string]string{
			"conv1.lin.weight": "[64, 1433]",
			"conv1.att_src":    "[1, 8, 8]",
			"conv2.att_dst":    "[1, 1, 7]",
			"conv2.bias":       "[7]",
		}},
		"gcn-ogbn-arxiv": {10, map[string]string{
			"convs.0.lin.weight": "[256, 128]",
			"convs.2.bias":       "[40]",
			"bns.1.weight":       "[256]",
		}},
		"graphsage-ogbn-arxiv": {13, map[string]string{
			"convs.0.lin_l.weight": "[256, 128]",
			"convs.1.lin_r.weight": "[256, 256]",
			"convs.2.lin_l.bias":   "[40]",
			"bns.0.bias":           "[256]",
		}},
		"graphsage-reddit": {6, map[string]string{
			"convs.0.lin_l.weight": "[256, 602]",
			"convs.1.lin_r.weight": "[41, 256]",
		}},
		"dlinear": {4, map[string]string{
			"Linear_Seasonal.weight": "[720, 96]",
			"Linear_Trend.bias":      "[720]",
		}},
		"n-beats": {300, map[string]string{
			"blocks.0.layers.0.weight":          "[512, 36]",
			"blocks.29.layers.3.weight":         "[512, 512]",
			"blocks.29.basis_parameters.weight": "[54, 512]",
		}},
		"patchtst": {53, map[string]string{
			"model.encoder.embedder.input_embedding.weight":          "[128, 12]",
			"model.encoder.positional_encoder.position_enc":          "[42, 128]",
			"model.encoder.layers.2.self_attn.q_proj.weight":         "[128, 128]",
			"model.encoder.layers.0.norm_sublayer1.batchnorm.weight": "[128]",
			"model.encoder.layers.0.ff.3.weight":                     "[128, 256]",
			"head.projection.weight":                                 "[96, 5376]",
		}},
		"block-mha": {5, map[string]string{
			"attn.q_proj.weight": "[1024, 1024]",
			"attn.k_proj.weight": "[1024, 1024]",
		}},
		"block-mqa": {5, map[string]string{
			"attn.k_proj.weight": "[64, 1024]",
			"attn.v_proj.weight": "[64, 1024]",
		}},
		"block-gqa": {5, map[string]string{
			"attn.q_proj.weight": "[1024, 1024]",
			"attn.k_proj.weight": "[256, 1024]",
		}},
		"block-mla": {6, map[string]string{
			"attn.q_proj.weight":             "[1536, 1024]",
			"attn.kv_a_proj_with_mqa.weight": "[288, 1024]",
			"attn.kv_a_layernorm.weight":     "[256]",
			"attn.kv_b_proj.weight":          "[2048, 256]",
		}},
		"block-sliding-window": {5, map[string]string{
			"attn.v_proj.weight": "[1024, 1024]",
		}},
		"block-cross-attention": {5, map[string]string{
			"attn.k_proj.weight": "[1024, 1024]",
		}},
		"block-qk-norm": {7, map[string]string{
			"attn.q_norm.weight": "[64]",
			"attn.k_norm.weight": "[64]",
		}},
		"block-attention-sinks": {6, map[string]string{
			"attn.sinks": "[16]",
		}},
		"block-rope": {5, map[string]string{
			"attn.o_proj.weight": "[1024, 1024]",
		}},
		"block-alibi": {5, map[string]string{
			"attn.o_proj.weight": "[1024, 1024]",
		}},
		"block-mamba": {10, map[string]string{
			"mixer.in_proj.weight": "[4096, 1024]",
			"mixer.conv1d.weight":  "[2048, 1, 4]",
			"mixer.x_proj.weight":  "[96, 2048]",
			"mixer.dt_proj.bias":   "[2048]",
			"mixer.A_log":          "[2048, 16]",
		}},
		"block-ffn-gelu": {3, map[string]string{
			"ffn.up_proj.weight":   "[4096, 1024]",
			"ffn.down_proj.weight": "[1024, 4096]",
		}},
		"block-swiglu": {4, map[string]string{
			"ffn.gate_proj.weight": "[2816, 1024]",
			"ffn.down_proj.weight": "[1024, 2816]",
		}},
		"block-moe": {26, map[string]string{
			"ffn.gate.weight":                "[8, 1024]",
			"ffn.experts.7.gate_proj.weight": "[2816, 1024]",
		}},
		"block-shared-expert-moe": {26, map[string]string{
			"ffn.gate.weight":                   "[7, 1024]",
			"ffn.experts.6.down_proj.weight":    "[1024, 2816]",
			"ffn.shared_experts.up_proj.weight": "[2816, 1024]",
		}},
		"block-pre-norm": {9, map[string]string{
			"attn_norm.weight": "[1024]",
			"ffn_norm.weight":  "[1024]",
		}},
		"block-post-norm": {9, map[string]string{
			"attn_norm.weight": "[1024]",
			"ffn_norm.weight":  "[1024]",
		}},
		"block-parallel": {8, map[string]string{
			"norm.weight": "[1024]",
		}},
		"block-sandwich-norm": {11, map[string]string{
			"post_attn_norm.weight": "[1024]",
			"post_ffn_norm.weight":  "[1024]",
		}},
		"block-convolution": {3, map[string]string{
			"conv1.weight": "[256, 256, 3, 3]",
			"bn1.weight":   "[256]",
		}},
		"block-residual-basic": {6, map[string]string{
			"conv1.weight": "[256, 256, 3, 3]",
			"bn2.bias":     "[256]",
		}},
		"block-squeeze-excite": {10, map[string]string{
			"se.fc1.weight": "[16, 256, 1, 1]",
			"se.fc2.weight": "[256, 16, 1, 1]",
			"se.fc2.bias":   "[256]",
		}},
		"block-bottleneck": {9, map[string]string{
			"conv1.weight": "[64, 256, 1, 1]",
			"conv2.weight": "[64, 64, 3, 3]",
			"conv3.weight": "[256, 64, 1, 1]",
		}},
		"block-inverted-residual": {9, map[string]string{
			"conv1.weight": "[1536, 256, 1, 1]",
			"conv2.weight": "[1536, 1, 3, 3]",
			"conv3.weight": "[256, 1536, 1, 1]",
		}},
		"block-convnext": {9, map[string]string{
			"block.0.weight": "[256, 1, 7, 7]",
			"block.0.bias":   "[256]",
			"block.3.weight": "[1024, 256]",
			"layer_scale":    "[256, 1, 1]",
		}},
		"block-depthwise-separable": {6, map[string]string{
			"conv1.weight": "[256, 1, 3, 3]",
			"conv2.weight": "[256, 256, 1, 1]",
		}},
		"qwen-7b": {259, map[string]string{
			"transformer.wte.weight":             "[151936, 4096]",
			"transformer.h.0.ln_1.weight":        "[4096]",
			"transformer.h.0.attn.c_attn.weight": "[12288, 4096]",
			"transformer.h.0.attn.c_attn.bias":   "[12288]",
			"transformer.h.0.attn.c_proj.weight": "[4096, 4096]",
			"transformer.h.31.mlp.w1.weight":     "[11008, 4096]",
			"transformer.h.31.mlp.w2.weight":     "[11008, 4096]",
			"transformer.h.31.mlp.c_proj.weight": "[4096, 11008]",
			"transformer.ln_f.weight":            "[4096]",
			"lm_head.weight":                     "[151936, 4096]",
		}},
		"deepseek-moe-16b": {5466, map[string]string{
			"model.layers.0.self_attn.k_proj.weight":            "[2048, 2048]",
			"model.layers.0.mlp.gate_proj.weight":               "[10944, 2048]",
			"model.layers.1.mlp.gate.weight":                    "[64, 2048]",
			"model.layers.27.mlp.experts.63.down_proj.weight":   "[2048, 1408]",
			"model.layers.27.mlp.shared_experts.up_proj.weight": "[2816, 2048]",
			"lm_head.weight": "[102400, 2048]",
		}},
		"chatglm3-6b": {199, map[string]string{
			"transformer.embedding.word_embeddings.weight":                     "[65024, 4096]",
			"transformer.encoder.layers.0.input_layernorm.weight":              "[4096]",
			"transformer.encoder.layers.0.self_attention.query_key_value.bias": "[4608]",
			"transformer.encoder.layers.0.self_attention.dense.weight":         "[4096, 4096]",
			"transformer.encoder.layers.27.mlp.dense_h_to_4h.weight":           "[27392, 4096]",
			"transformer.encoder.layers.27.mlp.dense_4h_to_h.weight":           "[4096, 13696]",
			"transformer.encoder.final_layernorm.weight":                       "[4096]",
			"transformer.output_layer.weight":                                  "[65024, 4096]",
		}},
		"internlm2-7b": {227, map[string]string{
			"model.tok_embeddings.weight":            "[92544, 4096]",
			"model.layers.0.attention_norm.weight":   "[4096]",
			"model.layers.0.attention.wqkv.weight":   "[6144, 4096]",
			"model.layers.0.attention.wo.weight":     "[4096, 4096]",
			"model.layers.31.feed_forward.w1.weight": "[14336, 4096]",
			"model.layers.31.feed_forward.w2.weight": "[4096, 14336]",
			"model.norm.weight":                      "[4096]",
			"output.weight":                          "[92544, 4096]",
		}},
		"baichuan2-7b": {227, map[string]string{
			"model.embed_tokens.weight":               "[125696, 4096]",
			"model.layers.0.self_attn.W_pack.weight":  "[12288, 4096]",
			"model.layers.31.self_attn.o_proj.weight": "[4096, 4096]",
			"model.layers.31.mlp.down_proj.weight":    "[4096, 11008]",
			"lm_head.weight":                          "[125696, 4096]",
		}},
		"minicpm-2b": {363, map[string]string{
			"model.embed_tokens.weight":              "[122753, 2304]",
			"model.layers.0.self_attn.q_proj.weight": "[2304, 2304]",
			"model.layers.39.mlp.gate_proj.weight":   "[5760, 2304]",
			"model.norm.weight":                      "[2304]",
			"lm_head.weight":                         "model.embed_tokens.weight",
		}},
		"u-net": {46, map[string]string{
			"down1.conv1.weight": "[64, 1, 3, 3]",
			"down5.conv2.weight": "[1024, 1024, 3, 3]",
			"up4.upconv.weight":  "[1024, 512, 2, 2]",
			"up4.conv1.weight":   "[512, 1024, 3, 3]",
			"up1.conv2.bias":     "[64]",
			"score.weight":       "[2, 64, 1, 1]",
		}},
	}
	for _, id := range ids(t) {
		tt, ok := tests[id]
		if n := note(t, id); !ok && n.Published.Parameters > 0 && n.Implementation == "" {
			t.Errorf("%s: list some tensors of its checkpoint here, or name its implementation in the note", id)
		}
		if !ok {
			continue
		}
		have := ledger(analyse(t, filepath.Join(templates, id, "model.json")))
		if len(have) != tt.tensors {
			t.Errorf("%s: %d tensors, want %d", id, len(have), tt.tensors)
		}
		for name, want := range tt.want {
			if have[name] != want {
				t.Errorf("%s: %s is %q, want %q", id, name, have[name], want)
			}
		}
	}
}

// ledger is the parameters of a model by name: sizes, or for a tied tensor the
// name of what it is tied to.
func ledger(m *infer.Model) map[string]string {
	all := map[string]string{}
	for e := range m.Ledger() {
		if e.Buffer {
			continue
		}
		for name := range e.Named() {
			all[name] = e.Dims.Brackets()
			if e.TiedTo != "" {
				all[name] = e.TiedTo
			}
		}
	}
	return all
}

// TestCountedOnce has small graphs in which a tensor is used more than once.
func TestCountedOnce(t *testing.T) {
	tests := []struct {
		name   string
		graph  string
		params int64
		macs   int64
	}{
		{
			"layers of one size are layers of their own; an activation has no weights",
			`{"id": "g", "components": [
				{"id": "x", "type": "input", "params": {"shape": [1, 4]}},
				{"id": "blocks", "block": "b", "repeat": 3, "inputs": ["x"]},
				{"id": "y", "type": "output", "inputs": ["blocks"]}],
			"blocks": {"b": {"inputs": ["x"], "components": [
				{"id": "fc1", "type": "linear", "params": {"outFeatures": 4}, "inputs": ["x"]},
				{"id": "relu", "type": "relu", "inputs": ["fc1"]},
				{"id": "fc2", "type": "linear", "params": {"outFeatures": 4}, "inputs": ["relu"]}], "output": "fc2"}}}`,
			120, 96,
		},
		{
			"a shared block has its weights once, and works each time",
			`{"id": "g", "components": [
				{"id": "x", "type": "input", "params": {"shape": [1, 4]}},
				{"id": "blocks", "block": "b", "repeat": 3, "share": true, "inputs": ["x"]},
				{"id": "y", "type": "output", "inputs": ["blocks"]}],
			"blocks": {"b": {"inputs": ["x"], "components": [
				{"id": "fc1", "type": "linear", "params": {"outFeatures": 4}, "inputs": ["x"]},
				{"id": "relu", "type": "relu", "inputs": ["fc1"]},
				{"id": "fc2", "type": "linear", "params": {"outFeatures": 4}, "inputs": ["relu"]}], "output": "fc2"}}}`,
			40, 96,
		},
		{
			"a tied head adds no parameters but its matrix product",
			`{"id": "g", "components": [
				{"id": "x", "type": "input", "params": {"shape": [1, 5]}},
				{"id": "wte", "type": "embedding", "params": {"numEmbeddings": 100, "embeddingDim": 8}, "inputs": ["x"]},
				{"id": "head", "type": "linear", "params": {"outFeatures": 100, "bias": false, "tiedTo": "wte"}, "inputs": ["wte"]},
				{"id": "y", "type": "output", "inputs": ["head"]}]}`,
			800, 4000,
		},
		{
			"an untied head adds both; a look-up is no matrix product",
			`{"id": "g", "components": [
				{"id": "x", "type": "input", "params": {"shape": [1, 5]}},
				{"id": "wte", "type": "embedding", "params": {"numEmbeddings": 100, "embeddingDim": 8}, "inputs": ["x"]},
				{"id": "head", "type": "linear", "params": {"outFeatures": 100, "bias": false}, "inputs": ["wte"]},
				{"id": "y", "type": "output", "inputs": ["head"]}]}`,
			1600, 4000,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, err := pipeline.Run("graph", []byte(tt.graph))
			if err != nil {
				t.Fatal(err)
			}
			if r.Model.Params != tt.params || r.Model.MACs.Int64() != tt.macs {
				t.Errorf("%d parameters and %s MACs, want %d and %d", r.Model.Params, r.Model.MACs, tt.params, tt.macs)
			}
		})
	}
}

// TestStoredElements accounts for what checkpoint files store beyond the
// parameters, and for parts of published totals.
func TestStoredElements(t *testing.T) {
	all := readOracles(t, "transformers.json")
	tests := []struct {
		file  string
		extra int64
		what  string
	}{
		{cases + "/pythia-1.4b.json", 24*2048*2048 + 24*16, "24 masks of 2048 × 2048, and 16 rotary frequencies in each of 24 layers"},
		{cases + "/bge-base-en.json", 512, "position_ids"},
		{cases + "/all-minilm-l6.json", 512, "position_ids"},
		{cases + "/deepseek-v3.json", 13_463_426_304 + 41_540_496, "the prediction module and the FP8 scales"},
	}
	for _, tt := range tests {
		m := analyse(t, tt.file)
		o := all[extra(m, "oracle")]
		if total := m.Params + tt.extra; !slices.Contains(o.HubTotals, total) {
			t.Errorf("%s: %d parameters and %s are %d, want one of %d", tt.file, m.Params, tt.what, total, o.HubTotals)
		}
	}
}

// TestReference compares the templates that the reference documents describe
// with the graphs and the figures of those documents.
func TestReference(t *testing.T) {
	src, err := os.ReadFile(reference + "/expected.json")
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("the reference documents are not beside the checkout: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	var expected struct {
		Templates map[string]struct {
			Components int   `json:"components"`
			Layers     int   `json:"layers"`
			Parameters int64 `json:"parameters"`
			MACs       int64 `json:"macs"`
			CausalMACs int64 `json:"macs_causal"`
		} `json:"templates"`
	}
	if err := json.Unmarshal(src, &expected); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"phi3-mini", "llama3-block"} {
		m, want := analyse(t, filepath.Join(templates, id, "model.json")), expected.Templates[id]
		got := fmt.Sprint(len(m.Nodes), m.Layers(), m.Params, m.MACs, m.CausalMACs)
		if want := fmt.Sprint(want.Components, want.Layers, want.Parameters, want.MACs, want.CausalMACs); got != want {
			t.Errorf("%s: components, layers, parameters, MACs and causal MACs are %s, want %s", id, got, want)
		}
		ref := analyse(t, filepath.Join(reference, "graphs", id, "model.json"))
		if got, want := described(m), described(ref); got != want {
			t.Errorf("%s: the graph differs from the document's.\ngot\n%swant\n%s", id, got, want)
		}
	}
}

// described lists the components of a flat model, each with all that counts.
func described(m *infer.Model) string {
	var b strings.Builder
	for i := range m.Nodes {
		n := &m.Nodes[i]
		fmt.Fprintf(&b, "%s %s", n.ID, n.Component.Type)
		for _, p := range n.Node.Params {
			fmt.Fprintf(&b, " %s=%s", p.Name, p.Value)
		}
		for _, in := range n.Inputs {
			fmt.Fprintf(&b, " ← %s", m.Nodes[in].ID)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// TestLatentAttention is the share of DeepSeek-V3 that one layer's attention
// has, its norms included.
func TestLatentAttention(t *testing.T) {
	m := analyse(t, cases+"/deepseek-v3.json")
	i, ok := m.Graph.Find("model.sparse_layers.57.attention.self_attn")
	if !ok {
		t.Fatal("the last layer's attention is not in the graph")
	}
	const want = 187_107_328
	if got := m.Nodes[i].Params; got != want {
		t.Errorf("%s parameters, want %s", format.Exact64(got), format.Exact64(want))
	}
	if got := fmt.Sprint(m.Nodes[i].Result.Attn.KVElems); got != "576" {
		t.Errorf("%s elements for each token in the cache, want 576: 512 latent and 64 rotary", got)
	}
}
