package facts_test

import (
	"encoding/json"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/strata-catalog/strata/generator/cost"
	"github.com/strata-catalog/strata/generator/facts"
	"github.com/strata-catalog/strata/generator/pipeline"
)

// decoder repeats a block, shares the weights of another, and ties its head.
const decoder = `{"id": "m", "name": "Model", "category": "NLP/LLM", "tags": ["a"],
	"components": [
		{"id": "ids", "type": "input", "params": {"shape": [1, 8]}},
		{"id": "embed", "type": "embedding", "params": {"vocabSize": 10, "numEmbeddings": 10, "embeddingDim": 4}, "inputs": ["ids"]},
		{"id": "layers", "block": "pair", "repeat": 3, "inputs": ["embed"]},
		{"id": "stack", "block": "own", "repeat": 3, "share": true, "inputs": ["layers"]},
		{"id": "head", "type": "linear", "params": {"outFeatures": 10, "bias": false, "tiedTo": "embed"}, "inputs": ["stack"]},
		{"id": "out", "type": "output", "inputs": ["head"]}],
	"blocks": {"pair": {"inputs": ["x"], "output": "add", "components": [
		{"id": "fc", "type": "linear", "params": {"outFeatures": 4}, "inputs": ["x"]},
		{"id": "add", "type": "add", "inputs": ["fc", "x"]}]},
		"own": {"inputs": ["x"], "output": "add", "components": [
		{"id": "fc", "type": "linear", "params": {"outFeatures": 4}, "inputs": ["x"]},
		{"id": "add", "type": "add", "inputs": ["fc", "x"]}]}}}`

func model(t *testing.T, name string, src []byte) *facts.Model {
	t.Helper()
	r, err := pipeline.Run(name, src)
	if err != nil {
		t.Fatal(err)
	}
	if r.Broken() {
		t.Fatalf("%s: %v", name, r.Findings)
	}
	plan, err := cost.New(r.Model, cost.Default())
	if err != nil {
		t.Fatal(err)
	}
	return facts.Of(r, plan, 0)
}

func TestRows(t *testing.T) {
	m := model(t, "decoder", []byte(decoder))
	var got []string
	for _, r := range m.Folded {
		line := r.Names + " | " + r.Display + " | " + r.Params.String() + " | " + r.Output.String()
		if r.TiedTo != nil {
			line += " | tied to " + *r.TiedTo
		}
		got = append(got, line)
	}
	want := []string{
		"ids | Input | shape=[1, 8] | 1 × 8",
		"embed | Embedding | numEmbeddings=10, embeddingDim=4 | 1 × 8 × 4",
		"layers.{0…2}.fc | Linear | outFeatures=4 | 1 × 8 × 4",
		"layers.{0…2}.add | Add |  | 1 × 8 × 4",
		"stack.{0…2}.fc | Linear | outFeatures=4 | 1 × 8 × 4",
		"stack.{0…2}.add | Add |  | 1 × 8 × 4",
		"head | Linear | outFeatures=10, bias=false, tiedTo=embed | 1 × 8 × 10 | tied to embed",
		"out | Output |  | 1 × 8 × 10",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("folded rows (-want +got):\n%s", diff)
	}
}

func TestLedger(t *testing.T) {
	m := model(t, "decoder", []byte(decoder))
	want := []facts.Line{
		{Name: "embed.weight", Shape: []int64{10, 4}, Tensors: 1, Elements: 40, Parameters: 40, Known: true},
		{Name: "layers.{0…2}.fc.weight", Shape: []int64{4, 4}, Tensors: 3, Elements: 48, Parameters: 48, Known: true},
		{Name: "layers.{0…2}.fc.bias", Shape: []int64{4}, Tensors: 3, Elements: 12, Parameters: 12, Known: true},
		{Name: "stack.0.fc.weight", Shape: []int64{4, 4}, Tensors: 1, Elements: 16, Parameters: 16, Known: true},
		{Name: "stack.0.fc.bias", Shape: []int64{4}, Tensors: 1, Elements: 4, Parameters: 4, Known: true},
		{Name: "stack.{1, 2}.fc.weight", Shape: []int64{4, 4}, Tensors: 2, Elements: 32, TiedTo: "stack.0.fc.weight", Known: true},
		{Name: "stack.{1, 2}.fc.bias", Shape: []int64{4}, Tensors: 2, Elements: 8, TiedTo: "stack.0.fc.bias", Known: true},
		{Name: "head.weight", Shape: []int64{10, 4}, Tensors: 1, Elements: 40, TiedTo: "embed.weight", Known: true},
	}
	if diff := cmp.Diff(want, m.Ledger); diff != "" {
		t.Errorf("ledger (-want +got):\n%s", diff)
	}
}

// Every table adds up to the total, to the unit, and the JSON says the same.
func TestSums(t *testing.T) {
	graphs := map[string][]byte{"decoder": []byte(decoder)}
	for _, pattern := range []string{"../../templates/*/model.json", "../../../shared/zoo/*/model.json", "../../../shared/reference/graphs/*/model.json"} {
		files, _ := filepath.Glob(pattern)
		if len(files) == 0 {
			t.Logf("nothing at %s: testing without it", pattern)
		}
		for _, file := range files {
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			graphs[strings.TrimPrefix(file, "../../../")] = src
		}
	}
	for name, src := range graphs {
		t.Run(name, func(t *testing.T) { sums(t, name, src) })
	}
}

func sums(t *testing.T, name string, src []byte) {
	m := model(t, name, src)
	var rows, foldedRows, spans, lines, lineElements, tensors, counted, parts int64
	work, foldedWork := new(big.Int), new(big.Int)
	for _, r := range m.Rows {
		rows += r.Parameters
		if r.MACs != nil {
			work.Add(work, r.MACs)
		}
	}
	repeat := 0
	for _, r := range m.Folded {
		foldedRows += r.ParametersAll
		repeat += r.Repeat
		if r.MACsAll != nil {
			foldedWork.Add(foldedWork, r.MACsAll)
		}
	}
	for _, s := range m.Spans {
		spans += s.All
		for _, r := range s.Rows {
			spans += r.Parameters
		}
	}
	for _, l := range m.Ledger {
		lines += l.Parameters
		lineElements += l.Stored()
		tensors += l.Tensors
	}
	for _, p := range m.Parts {
		parts += p.Params
	}
	text, err := facts.JSON(m)
	if err != nil {
		t.Fatal(err)
	}
	var published struct {
		Tensors []struct{ Parameters *int64 }
		Rows    []struct{ Parameters int64 }
	}
	if err := json.Unmarshal(text, &published); err != nil {
		t.Fatal(err)
	}
	for _, p := range published.Tensors {
		if p.Parameters != nil {
			counted += *p.Parameters
		}
	}
	if m.ParametersWhole {
		for what, sum := range map[string]int64{"rows": rows, "folded rows": foldedRows, "spans": spans, "ledger": lines, "tensors of the JSON": counted, "parts": parts} {
			if sum != m.Parameters {
				t.Errorf("the %s add up to %d, want %d", what, sum, m.Parameters)
			}
		}
		if lineElements != m.Parameters+m.Buffers {
			t.Errorf("the ledger stores %d elements, want %d parameters and %d buffers", lineElements, m.Parameters, m.Buffers)
		}
	}
	if repeat != len(m.Rows) || len(published.Rows) != len(m.Rows) || m.Components != len(m.Rows) {
		t.Errorf("%d components, %d rows, folded rows stand for %d, the JSON has %d", m.Components, len(m.Rows), repeat, len(published.Rows))
	}
	if int64(len(published.Tensors)) != tensors {
		t.Errorf("the ledger stands for %d tensors, the JSON lists %d", tensors, len(published.Tensors))
	}
	if work.Cmp(m.MACs) != 0 || m.MACsWhole && foldedWork.Cmp(m.MACs) != 0 {
		t.Errorf("the rows work %d MACs, folded %d, want %d", work, foldedWork, m.MACs)
	}
}

func TestJSON(t *testing.T) {
	huge, _ := new(big.Int).SetString("123456789012345678901", 10)
	got, err := facts.JSON(struct {
		Small   int64      `json:"small"`
		Last    int64      `json:"last"`
		Large   int64      `json:"large"`
		Huge    *big.Int   `json:"huge"`
		Unknown *big.Int   `json:"unknown"`
		Lists   [][]string `json:"lists"`
		Empty   []int      `json:"empty"`
		Text    string     `json:"text"`
	}{1, 1 << 53, 1<<53 + 1, huge, nil, [][]string{{"a", "b"}, {}}, nil, `"\{[,:</script>`})
	if err != nil {
		t.Fatal(err)
	}
	want := `{
 "small": 1,
 "last": 9007199254740992,
 "large": "9007199254740993",
 "huge": "123456789012345678901",
 "unknown": null,
 "lists": [
  ["a", "b"],
  []
 ],
 "empty": [],
 "text": "\"\\{[,:</script>"
}
`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
