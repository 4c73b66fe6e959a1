package cost

import (
	"encoding/json"
	"fmt"
	"math/big"
	"path/filepath"
	"strings"
	"testing"

	"github.com/strata-catalog/strata/generator/internal/testfiles"
)

// flat is a model of one input and some components, as members after the id.
func flat(input string, components ...string) string {
	s := fmt.Sprintf(`{"id": "flat", "components": [{"id": "in", "type": "input", "params": {"shape": %s}}`, input)
	for _, c := range components {
		s += ",\n{" + c + "}"
	}
	return s + "]}"
}

func TestWeights(t *testing.T) {
	linear := flat("[1, 256]", `"id": "fc", "type": "linear", "params": {"outFeatures": 512}, "inputs": ["in"]`)
	experts := decoder("[1, 4]", 8, 128, stack{1, gqa(128, 2, 1, 64, 0)}, stack{1, `"type": "moeLayer", "params": {"numExperts": 8, "expertDim": 64, "topK": 2}`})
	tied := decoder("[1, 4]", 512, 256, stack{1, gqa(256, 2, 1, 128, 0)})
	for _, test := range []struct {
		name, src                          string
		fp32, bf16, int8, int4, bf16Active string
	}{
		// 512·256 weights in 512 rows of 2 groups, 512 biases.
		{"linear", linear, "526,336", "263,168", "133,120", "68,608", "0"},
		// 129 weights in a row are two groups.
		{"group of one", flat("[1, 129]", `"id": "fc", "type": "linear", "params": {"outFeatures": 1, "bias": false}, "inputs": ["in"]`),
			"516", "258", "131", "69", "0"},
		// A filter is one row: 4 rows of 3·5·5 = 75 weights.
		{"conv2d", flat("[1, 3, 8, 8]", `"id": "conv", "type": "conv2d", "params": {"outChannels": 4, "kernelSize": 5, "bias": false}, "inputs": ["in"]`),
			"1,200", "600", "308", "158", "0"},
		// Table 8·128, attention 3·128·128, router 8·128, 8 experts of 3·64·128,
		// head 8·128 in 2,456 rows; a token reads 2 experts, and not the table.
		{"mixture", experts, "995,328", "497,664", "253,744", "129,328", "200,704"},
		// The head is the table: stored once, read by each token.
		{"tied head", replace(t, tied, `"bias": false}`, `"bias": false, "tiedTo": "embed"}`),
			"1,310,720", "655,360", "330,240", "168,960", "655,360"},
		// Three instances of one layer: stored once, read three times.
		{"shared layers", replace(t, decoder("[1, 4]", 512, 256, stack{3, gqa(256, 2, 1, 128, 0)}), `"repeat": 3`, `"repeat": 3, "share": true`),
			"1,835,008", "917,504", "462,336", "236,544", "1,441,792"},
		// 8 experts in three tensors: a row is still an output feature.
		{"stacked experts", strings.Replace(experts, `"topK": 2`, `"topK": 2, "layout": "stacked"`, 1),
			"995,328", "497,664", "253,744", "129,328", "200,704"},
		// Two tables of 50 rows and four attentions of 4·8² + 4·8 in 128 rows; a
		// step reads the three of the target.
		{"encoder and decoder", encoderDecoder, "7,808", "3,904", "2,536", "1,624", "1,728"},
		// A filter of 3·8·8 for each of 8 features with a bias, 4 queries of 8, a
		// cross-attention as above, a table of 50 rows, and 4·8² of attention,
		// which is all that a step reads.
		{"image tower", tower, "10,080", "5,040", "2,806", "1,582", "512"},
	} {
		p := plan(t, test.src)
		for i, want := range []string{test.fp32, test.bf16, test.int8, test.int4} {
			equal(t, test.name+" in "+p.Serving[i].DType, p.Serving[i].WeightBytes, want)
		}
		equal(t, test.name+": read for each token", p.Serving[1].ReadBytes, test.bf16Active)
	}
}

func TestServing(t *testing.T) {
	p := plan(t, decoder("[1, 100]", 512, 256, stack{2, gqa(256, 2, 1, 128, 64)}), func(a *Assumptions) { a.Overhead = 1000 })
	s := p.Serving[1]
	// Two layers of q and o 256·256, k and v 128·256; table and head 512·256.
	equal(t, "weights", s.WeightBytes, "1,310,720")
	// 2 layers · 2·128 · 2 bytes: 64 tokens, or 7 blocks of 16.
	equal(t, "total", s.TotalBytes, "1,426,408")
	equal(t, "least", s.LeastBytes, "1,377,256")
}

func TestTrainingMemory(t *testing.T) {
	three := `{"id": "three", "components": [
		{"id": "in", "type": "input", "params": {"shape": [1, 2, 8]}},
		{"id": "stem", "type": "linear", "params": {"outFeatures": 8, "bias": false}, "inputs": ["in"]},
		{"id": "blocks", "block": "block", "repeat": 3, "inputs": ["stem"]},
		{"id": "out", "type": "output", "inputs": ["blocks"]}],
		"blocks": {"block": {"inputs": ["x"], "components": [
			{"id": "norm", "type": "rmsNorm", "inputs": ["x"]},
			{"id": "up", "type": "linear", "params": {"outFeatures": 32, "bias": false}, "inputs": ["norm"]},
			{"id": "down", "type": "linear", "params": {"outFeatures": 8, "bias": false}, "inputs": ["up"]},
			{"id": "add", "type": "add", "inputs": ["down", "x"]}], "output": "add"}}}`
	for _, test := range []struct {
		name                           string
		src                            string
		batch                          int64
		states, activations, recompute string
	}{
		// 64 + 3·(8 + 256 + 256) parameters. In elements: stem 16, each block
		// norm 16, up 64, down 16, add 16. Recomputed: stem and the three adds
		// stay, and the inside of one block.
		{"three blocks", three, 1, "25,984", "704", "320"},
		{"three blocks, batch of 4", three, 4, "25,984", "2,816", "1,280"},
		{"a declared batch of 2 counts as two samples", flat("[2, 4, 8]",
			`"id": "mix", "type": "multiHeadAttention", "params": {"numHeads": 2, "bias": false}, "inputs": ["in"]`), 1,
			// 4·64 parameters; one sample of the two: output 32, q k v and the
			// heads' result 4·32 elements.
			"4,096", "320", "320"},
	} {
		p := plan(t, test.src, func(a *Assumptions) { a.Batch = test.batch })
		equal(t, test.name+": states", p.Training.StateBytes(), test.states)
		equal(t, test.name+": activations", p.Training.ActivationBytes, test.activations)
		equal(t, test.name+": recomputed", p.Training.RecomputedBytes, test.recompute)
		total := new(big.Int).Add(number(t, test.states), number(t, test.activations))
		equal(t, test.name+": total", p.Training.TotalBytes, total.Add(total, big.NewInt(1e9)).String())
	}
	p := plan(t, three, func(a *Assumptions) { a.Recompute = true })
	equal(t, "total, recomputed", p.Training.TotalBytes, "1,000,026,304")
}

func TestFit(t *testing.T) {
	card := Card{Name: "card", Memory: 100}
	for _, test := range []struct {
		divided, whole int64
		fits           bool
		cards          int64
		each           string
	}{
		{60, 40, true, 1, "100"},
		{61, 40, false, 2, "71"},
		{120, 40, false, 2, "100"},
		{121, 40, false, 3, "81"},
		{600, 0, false, 6, "100"},
		{601, 99, false, 601, "100"},
		{0, 100, true, 1, "100"},
		{1, 100, false, 0, ""},
		{0, 101, false, 0, ""},
	} {
		f := fit(card, "bf16", big.NewInt(test.divided), big.NewInt(test.whole))
		if f.Fits != test.fits || f.Cards != test.cards || f.Bytes.Int64() != test.divided+test.whole {
			t.Errorf("%d + %d: %+v, want fits %v on %d cards", test.divided, test.whole, f, test.fits, test.cards)
		}
		switch {
		case test.each == "" && f.EachBytes != nil:
			t.Errorf("%d + %d: each card needs %v, though no number of them does", test.divided, test.whole, f.EachBytes)
		case test.each != "" && f.EachBytes.String() != test.each:
			t.Errorf("%d + %d: each card needs %v, want %s", test.divided, test.whole, f.EachBytes, test.each)
		}
	}
}

// The answers of the reference documents: training in bf16 with AdamW, batch 1
// at the declared input.
func TestReferenceFits(t *testing.T) {
	file := testfiles.Shared(t, "reference/expected.json")[0]
	var expected struct {
		Fits map[string]json.RawMessage `json:"gpu_fit_training"`
	}
	if err := json.Unmarshal([]byte(testfiles.Read(t, file)), &expected); err != nil {
		t.Fatal(err)
	}
	cells := 0
	for id, raw := range expected.Fits {
		var answers map[string]string
		if json.Unmarshal(raw, &answers) != nil {
			continue // what the table is about
		}
		graph := filepath.Join(filepath.Dir(file), "graphs", id, "model.json")
		p, err := New(model(t, graph, testfiles.Read(t, graph)), Default())
		if err != nil {
			t.Fatal(err)
		}
		for card, want := range answers {
			f, ok := p.TrainingFit(card)
			if got := map[bool]string{true: "fits", false: "no"}[f.Fits]; !ok || got != want {
				t.Errorf("%s on %s needs %v bytes: %s, want %s", id, card, f.Bytes, got, want)
			}
			cells++
		}
	}
	if cells != 9 {
		t.Errorf("%d cells, want 9: three models on three cards", cells)
	}
}

// A need that is only a lower bound never fits; that it is too much is certain.
func TestFitOfLowerBound(t *testing.T) {
	const unknown = `{"id": "unknown", "components": [
		{"id": "in", "type": "input", "params": {"shape": [1, %d]}},
		{"id": "odd", "type": "custom", "inputs": ["in"]},
		{"id": "fc", "type": "linear", "params": {"outFeatures": %d}, "inputs": ["in"]},
		{"id": "out", "type": "output", "inputs": ["fc"]}]}`
	for _, test := range []struct {
		width int
		known bool // that a T4 does not hold it
	}{{8, false}, {100_000, true}} {
		p := plan(t, fmt.Sprintf(unknown, test.width, test.width))
		for _, f := range []Fit{p.TrainingFits[0], p.ServingFits[0]} {
			if f.Fits || f.Known != test.known || f.Cards != 0 || f.EachBytes != nil {
				t.Errorf("width %d: %+v, want no fit, known %v", test.width, f, test.known)
			}
		}
	}
}
