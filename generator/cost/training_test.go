package cost

import (
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"
)

func replace(t testing.TB, s, old, new string) string {
	t.Helper()
	if strings.Count(s, old) != 1 {
		t.Fatalf("%q stands %d times in %s", old, strings.Count(s, old), s)
	}
	return strings.Replace(s, old, new, 1)
}

// llama is a decoder of the given sizes, with its norms.
func llama(ids string, vocabulary, width, layers, heads, kvHeads int, ffn string) string {
	return fmt.Sprintf(`{"id": "llama", "components": [
		{"id": "ids", "type": "input", "params": {"shape": %s}},
		{"id": "embed", "type": "embedding", "params": {"numEmbeddings": %d, "embeddingDim": %d}, "inputs": ["ids"]},
		{"id": "layers", "block": "layer", "repeat": %d, "inputs": ["embed"]},
		{"id": "norm", "type": "rmsNorm", "inputs": ["layers"]},
		{"id": "head", "type": "linear", "params": {"outFeatures": %d, "bias": false}, "inputs": ["norm"]},
		{"id": "out", "type": "output", "inputs": ["head"]}],
		"blocks": {"layer": {"inputs": ["x"], "components": [
			{"id": "norm1", "type": "rmsNorm", "inputs": ["x"]},
			{"id": "attn", "type": "groupedQueryAttention", "params": {"numHeads": %d, "numKVHeads": %d}, "inputs": ["norm1"]},
			{"id": "add1", "type": "add", "inputs": ["attn", "x"]},
			{"id": "norm2", "type": "rmsNorm", "inputs": ["add1"]},
			{"id": "ffn", %s, "inputs": ["norm2"]},
			{"id": "add2", "type": "add", "inputs": ["ffn", "add1"]}], "output": "add2"}}}`,
		ids, vocabulary, width, layers, vocabulary, heads, kvHeads, ffn)
}

func TestTrainingCost(t *testing.T) {
	mixtral := llama("[1, 1024]", 32000, 4096, 32, 32, 8, `"type": "moeLayer", "params": {"numExperts": 8, "expertDim": 14336, "topK": 2}`)
	llama3 := llama("[1, 8192]", 128256, 4096, 32, 32, 8, `"type": "swiglu", "params": {"intermediateSize": 14336}`)
	// One multiplication by 3·4·8·8 for each of 6·6 positions.
	conv := flat("[1, 4, 6, 6]", `"id": "conv", "type": "conv2d", "params": {"outChannels": 8, "kernelSize": 1, "bias": false}, "inputs": ["in"]`)
	fc := flat("[1, 10]", `"id": "fc", "type": "linear", "params": {"outFeatures": 10, "bias": false}, "inputs": ["in"]`)
	for _, test := range []struct {
		name, src    string
		change       func(*Assumptions)
		unit         string
		units, flops string
		source       string
	}{
		{
			// 79.98 TFLOPs, not the 287.78 that all experts would make:
			// 1,024 · 6 · (32·394,297,344 + 32,000·4,096 in products, 32·2·1,024·4,096 of attention)
			"Mixtral 8×7B, top 2, a step of 1,024 tokens", mixtral, func(a *Assumptions) { a.Tokens = 1024 },
			"token", "1,024", "79,976,586,018,816", "given",
		},
		{
			// 15T tokens · 6 · (7,504,658,432 active in products + 2·8192·4096·32 of attention)
			"Llama 3 8B, 15T tokens", llama3, func(a *Assumptions) { a.Tokens = 15e12 },
			"token", "15,000,000,000,000", "868,692,787,200,000,000,000,000", "given",
		},
		{
			"Llama 3 8B, 20 tokens for each of 8,030,261,248 parameters", llama3, func(a *Assumptions) {},
			"token", "160,605,224,960", "9,301,106,700,625,693,900,800", "20 for each parameter",
		},
		{
			"images: 90 epochs of ImageNet", conv, func(a *Assumptions) {},
			"image", "115,305,030", "796,988,367,360", "90 epochs of 1,281,167 images",
		},
		{
			"images that were seen", conv, func(a *Assumptions) { a.Seen = 10; a.Tokens = 5 },
			"image", "10", "69,120", "given",
		},
		{
			"samples", fc, func(a *Assumptions) { a.Epochs, a.Images = 2, 1000 },
			"sample", "2,000", "1,200,000", "2 epochs of 1,000 samples",
		},
	} {
		p := plan(t, test.src, test.change).Pretraining
		if p == nil {
			t.Errorf("%s: no training", test.name)
			continue
		}
		if p.Unit != test.unit || p.Source != test.source {
			t.Errorf("%s: %q, %q; want %q, %q", test.name, p.Unit, p.Source, test.unit, test.source)
		}
		equal(t, test.name+": units", p.Units, test.units)
		equal(t, test.name+": FLOPs", p.FLOPs, test.flops)
	}
}

func TestPrice(t *testing.T) {
	src := llama("[1, 8192]", 128256, 4096, 32, 32, 8, `"type": "swiglu", "params": {"intermediateSize": 14336}`)
	p := plan(t, src, func(a *Assumptions) {
		a.Tokens, a.Card, a.Utilization, a.Price = 15e12, "A100 80GB", 0.5, 2
	}).Pretraining
	hours := 868692787200e12 / (312e12 * 0.5) / 3600
	if math.Abs(p.Hours/hours-1) > 1e-12 || math.Abs(p.USD/(2*hours)-1) > 1e-12 {
		t.Errorf("%v hours, $%v; want %v and twice that", p.Hours, p.USD, hours)
	}
	nothing := plan(t, flat("[1, 10]", `"id": "act", "type": "relu", "inputs": ["in"]`))
	if nothing.Pretraining != nil {
		t.Errorf("a model without MACs costs %v", nothing.Pretraining.USD)
	}
}

func TestSpeed(t *testing.T) {
	p := plan(t, decoder("[1, 64]", 512, 256, stack{2, gqa(256, 2, 1, 128, 0)}), func(a *Assumptions) { a.Batch = 3 })
	var got Speed
	for _, s := range p.Speeds {
		if s.Card == "H100 80GB" && s.DType == "bf16" {
			got = s
		}
	}
	// Weights without the table, 2·(256·256·2 + 128·256·2) + 512·256 of 2 bytes,
	// and 3 sequences of 64 tokens of 1,024 bytes.
	read := 2.0*(2*(256*256*2+128*256*2)+512*256) + 3*64*1024
	// 64 tokens through the same products, and half of two squares in 2 layers of 2·128 features.
	work := 2.0 * (64*(2*(256*256*2+128*256*2)+512*256) + 2*(64*64/2)*2*256)
	if want := 3 * 3.35e12 / read; math.Abs(got.Decode/want-1) > 1e-12 {
		t.Errorf("decode %v, want %v", got.Decode, want)
	}
	if want := 989e12 * 64 / work; math.Abs(got.Prefill/want-1) > 1e-12 {
		t.Errorf("prefill %v, want %v", got.Prefill, want)
	}
}

func TestParts(t *testing.T) {
	p := plan(t, replace(t, llama("[1, 8]", 100, 16, 3, 2, 1, `"type": "swiglu", "params": {"intermediateSize": 32}`),
		`{"outFeatures": 100, "bias": false}`, `{"outFeatures": 100, "tiedTo": "embed"}`))
	want := []Part{
		{Part: "embedding", Layers: 1, Params: 1600, Active: 1600, MACs: big.NewInt(0)},
		{Part: "attention", Layers: 3, Params: 3 * 768, Active: 3 * 768, MACs: big.NewInt(3 * (8*768 + 2*8*8*16))},
		{Part: "feed-forward", Layers: 3, Params: 3 * 1536, Active: 3 * 1536, MACs: big.NewInt(3 * 8 * 1536)},
		{Part: "norm", Layers: 7, Params: 7 * 16, Active: 7 * 16, MACs: big.NewInt(0)},
		{Part: "head", Layers: 1, Params: 100, Active: 100, MACs: big.NewInt(8 * 1600)}, // the bias alone: the weight is the table's
		{Part: "merge", Layers: 6, MACs: big.NewInt(0)},
		{Part: "ends", Layers: 2, MACs: big.NewInt(0)},
	}
	if got, want := fmt.Sprint(p.Parts), fmt.Sprint(want); got != want {
		t.Errorf("parts\n%s\nwant\n%s", got, want)
	}
}
