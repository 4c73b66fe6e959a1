package diff

import (
	"fmt"
	"strings"
	"testing"

	"github.com/strata-catalog/strata/generator/graph"
)

func TestChanged(t *testing.T) {
	params := func(members string) []graph.Param {
		doc, err := graph.Decode("test", []byte(`{"components": [{"id": "x", "type": "t", "params": {`+members+`}}]}`))
		if err != nil {
			t.Fatal(err)
		}
		return doc.Components[0].Params
	}
	for _, test := range []struct{ a, b, want string }{
		{``, ``, ``},
		{`"d": 1`, `"d": 1.0`, ``},
		{`"d": 1e1`, `"d": 10`, ``},
		{`"d": 1`, `"d": 2`, `d`},
		{`"d": 1`, `"d": "1"`, `d`},
		{`"d": null`, ``, ``},
		{``, `"d": null`, ``},
		{`"d": null`, `"d": 0`, `d`},
		{`"d": false`, ``, `d`},
		{`"s": [1, 2]`, `"s": [1.0,2]`, ``},
		{`"s": [1, 2]`, `"s": [2, 1]`, `s`},
		{`"o": {"x": 1, "y": "\u0061"}`, `"o": {"y": "a", "x": 1}`, ``},
		{`"o": {"x": 1}`, `"o": {"x": 1, "y": null}`, `o`},
		// A's keys in A's order, then those that only B has, in B's.
		{`"c": 1, "a": 1, "same": 0, "b": 1`, `"z": 1, "b": 2, "same": 0, "a": 2, "y": 1, "c": 2`, `c a b z y`},
		// Names as declared: an alias is another key.
		{`"vocabSize": 5, "embeddingDim": 8`, `"numEmbeddings": 5, "embeddingDim": 8`, `vocabSize numEmbeddings`},
	} {
		if got := strings.Join(changed(params(test.a), params(test.b)), " "); got != test.want {
			t.Errorf("{%s} to {%s}: %q, want %q", test.a, test.b, got, test.want)
		}
	}
	// A value that a block puts in may be null.
	if got := changed([]graph.Param{{Name: "d", Value: "null"}}, []graph.Param{{Name: "e", Value: "null"}}); got != nil {
		t.Errorf("null to absent is a change of %v", got)
	}
}

// net is a document of one input and some linear layers of the given widths,
// each behind the one before.
func net(name string, widths ...int) string {
	s := fmt.Sprintf(`{"id": %q, "name": %q, "components": [{"id": "in", "type": "input", "params": {"shape": [1, 4]}}`, strings.ToLower(name), name)
	last := "in"
	for i, w := range widths {
		id := fmt.Sprintf("fc%d", i)
		s += fmt.Sprintf(`, {"id": %q, "type": "linear", "params": {"outFeatures": %d, "bias": false}, "inputs": [%q]}`, id, w, last)
		last = id
	}
	return s + fmt.Sprintf(`, {"id": "out", "type": "output", "inputs": [%q]}]}`, last)
}

func TestHeadline(t *testing.T) {
	wired := func(name, first, second string) string {
		return fmt.Sprintf(`{"id": %q, "name": %q, "components": [
			{"id": "in", "type": "input", "params": {"shape": [1, 4]}},
			{"id": "a", "type": "relu", "inputs": ["in"]},
			{"id": "b", "type": "relu", "inputs": ["a"]},
			{"id": "sum", "type": "add", "inputs": [%q, %q]},
			{"id": "out", "type": "output", "inputs": ["sum"]}]}`, strings.ToLower(name), name, first, second)
	}
	shared := func(name, share string) string {
		return fmt.Sprintf(`{"id": %q, "name": %q, "components": [
			{"id": "in", "type": "input", "params": {"shape": [1, 4]}},
			{"id": "l", "block": "b", "repeat": 2, "share": %s, "inputs": ["in"]},
			{"id": "out", "type": "output", "inputs": ["l"]}],
			"blocks": {"b": {"inputs": ["x"], "components": [{"id": "fc", "type": "linear", "params": {"outFeatures": 4, "bias": false}, "inputs": ["x"]}], "output": "fc"}}}`,
			strings.ToLower(name), name, share)
	}
	same := `{"id": "a2", "name": "A", "components": [{"id": "in", "type": "input", "params": {"shape": [1, 4]}}, {"id": "out", "type": "output", "inputs": ["in"]}]}`
	for _, test := range []struct{ a, b, want string }{
		{net("A", 8, 8), net("B", 8), "B has 64 fewer parameters than A: 1 layer removed."},
		{net("A", 8), net("B", 8, 8), "B has 64 more parameters than A: 1 layer added."},
		{net("A", 8), net("B", 8, 8, 8), "B has 128 more parameters than A: 2 layers added."},
		{net("A", 8), net("B", 9), "B has 4 more parameters than A: 1 layer changed."},
		{net("A", 8, 8), net("B", 9, 9), "B has 21 more parameters than A: 2 layers changed."},
		{net("A", 1000, 1000), net("B", 2000), "B has 996K fewer parameters than A: 1 layer removed, 1 changed."},
		{net("A", 6, 2), net("B", 9), "B has the same number of parameters as A: 1 layer removed, 1 changed."},
		{net("A", 4), strings.Replace(net("B", 4), `"linear", "params": {"outFeatures": 4, "bias": false}`, `"prelu", "params": {}`, 1),
			"B has 15 fewer parameters than A: 1 layer added, 1 removed."},
		{strings.Replace(net("A", 4), `"linear", "params": {"outFeatures": 4, "bias": false}`, `"prelu", "params": {}`, 1), net("B"),
			"B has 1 fewer parameter than A: 1 layer removed."},
		{net("A", 8), net("B", 8), "A and B are the same graph: 1 layer, 32 parameters."},
		{net("A", 8, 8), net("B", 8, 8), "A and B are the same graph: 2 layers, 96 parameters."},
		{net("A"), net("B"), "A and B are the same graph: 0 layers, 0 parameters."},
		{wired("A", "a", "b"), wired("B", "in", "b"), "B has the same number of parameters as A: the same layers, connected in another way."},
		{wired("A", "a", "b"), wired("B", "b", "a"), "B has the same number of parameters as A: the same layers, connected in another way."},
		{shared("A", "false"), shared("B", "true"), "B has 16 fewer parameters than A: the same layers, but other weights are shared."},
		{net("A", 8), same, "A (a2) has 32 fewer parameters than A (a): 1 layer removed."},
	} {
		d := Compare(subject(t, test.a), subject(t, test.b))
		if d.Headline != test.want {
			t.Errorf("%q, want %q", d.Headline, test.want)
		}
		if identical := strings.Contains(test.want, "the same graph"); d.Identical != identical {
			t.Errorf("%q: identical is %v", d.Headline, d.Identical)
		}
	}
}

func TestCaveats(t *testing.T) {
	ids := func(d *Diff) string {
		var list []string
		for _, c := range d.Caveats {
			list = append(list, c.ID)
		}
		return strings.Join(list, " ")
	}
	a := net("A", 8)
	if got := ids(Compare(subject(t, a), subject(t, net("B", 9)))); got != "counts estimates" {
		t.Errorf("equal inputs: %s", got)
	}
	for _, shape := range []string{"[2, 4]", "[4]"} {
		b := strings.Replace(a, "[1, 4]", shape, 1)
		if got := ids(Compare(subject(t, a), subject(t, b))); got != "inputs counts estimates" {
			t.Errorf("[1, 4] against %s: %s", shape, got)
		}
	}
}

// decoder has a stack of blocks between an embedding and a head.
func decoder(id string, layers, heads int, ffn string) string {
	return fmt.Sprintf(`{"id": %q, "components": [
		{"id": "ids", "type": "input", "params": {"shape": [1, 16]}},
		{"id": "embed", "type": "embedding", "params": {"numEmbeddings": 64, "embeddingDim": 32}, "inputs": ["ids"]},
		{"id": "layers", "block": "layer", "repeat": %d, "inputs": ["embed"]},
		{"id": "norm", "type": "rmsNorm", "inputs": ["layers"]},
		{"id": "head", "type": "linear", "params": {"outFeatures": 64, "bias": false}, "inputs": ["norm"]},
		{"id": "out", "type": "output", "inputs": ["head"]}],
		"blocks": {"layer": {"inputs": ["x"], "components": [
			{"id": "attn", "type": "groupedQueryAttention", "params": {"numHeads": %d}, "inputs": ["x"]},
			{"id": "add", "type": "add", "inputs": ["attn", "x"]},
			%s], "output": "ffn"}}}`, id, layers, heads, ffn)
}

func TestFolds(t *testing.T) {
	plain := `{"id": "ffn", "type": "feedForward", "params": {}, "inputs": ["add"]}`
	gated := `{"id": "ffn", "type": "swiglu", "params": {"intermediateSize": 64}, "inputs": ["add"]}`
	twice := `{"id": "first", "block": "pair", "repeat": 2, "inputs": ["add"]}, {"id": "ffn", "type": "relu", "inputs": ["first"]}`
	pair := `"blocks": {"pair": {"inputs": ["x"], "components": [
		{"id": "n", "type": "rmsNorm", "inputs": ["x"]}, {"id": "l", "type": "linear", "params": {"outFeatures": 32}, "inputs": ["n"]}], "output": "l"}, `
	nested := func(id string, layers int) string {
		return strings.Replace(decoder(id, layers, 4, twice), `"blocks": {`, pair, 1)
	}
	for _, test := range []struct{ name, a, b, want string }{
		{"fewer instances: the last ones match", decoder("a", 5, 4, plain), decoder("b", 2, 4, plain), `
Input, same
Embedding, same
Grouped Query Attention → Add → Feed-Forward, ×3 removed
Grouped Query Attention → Add → Feed-Forward, ×2 same
RMSNorm, same
Linear, same
Output, same`},
		{"more instances, all changed", decoder("a", 2, 4, plain), decoder("b", 4, 2, plain), `
Input, same
Embedding, same
Grouped Query Attention → Add → Feed-Forward, ×2 added
Grouped Query Attention → Add → Feed-Forward, ×2: 1 changed, 2 same in each
RMSNorm, same
Linear, same
Output, same`},
		{"one layer of each instance replaced", decoder("a", 3, 4, plain), decoder("b", 3, 4, gated), `
Input, same
Embedding, same
Grouped Query Attention → Add → − Feed-Forward → + SwiGLU, ×3: 1 added, 1 removed, 2 same in each
RMSNorm, same
Linear, same
Output, same`},
		{"repeats within a repeat", nested("a", 4), nested("b", 2), `
Input, same
Embedding, same
Grouped Query Attention → Add → (RMSNorm → Linear) ×2 → ReLU, ×2 removed
Grouped Query Attention → Add → (RMSNorm → Linear) ×2 → ReLU, ×2 same
RMSNorm, same
Linear, same
Output, same`},
	} {
		d := Compare(subject(t, test.a), subject(t, test.b))
		var got strings.Builder
		for _, f := range d.Folds {
			got.WriteString("\n" + d.Label(f))
		}
		if got.String() != test.want {
			t.Errorf("%s:%s\nwant%s", test.name, got.String(), test.want)
		}
	}
}

// The lines of a bill, by hand: 4 layers of attention of which 2 go, and heads
// that become fewer without changing a parameter.
func TestBill(t *testing.T) {
	ffn := `{"id": "ffn", "type": "feedForward", "params": {"ffDim": 8, "bias": false}, "inputs": ["add"]}`
	d := Compare(subject(t, decoder("a", 4, 4, ffn)), subject(t, strings.Replace(decoder("b", 2, 4, ffn), "[1, 16]", "[1, 8]", 1)))
	if len(d.Bill.Rows) == 0 {
		t.Fatal("no lines")
	}
	// Attention: 4·32² parameters; per token 4·32² + 2·n·32 MACs; 2·32 elements
	// of 2 bytes in the cache; per token 32 + 4·32 activations of 2 bytes, and 16
	// bytes for each parameter.
	attn := [2]struct{ macs, train int64 }{
		{16 * (4096 + 2*16*32), 16*4096 + 16*160*2},
		{8 * (4096 + 2*8*32), 16*4096 + 8*160*2},
	}
	for _, want := range []struct {
		row, count           int
		params, macs         int64
		unit                 string
		cache, trainingBytes int64
	}{
		{2, 2, -2 * 4096, -2 * attn[0].macs, "-10240", -2 * 128, -2 * attn[0].train},
		{8, 2, 0, 2 * (attn[1].macs - attn[0].macs), "-1024", 0, 2 * (attn[1].train - attn[0].train)},
	} {
		found := false
		for _, l := range d.Bill.Rows {
			if l.Row != want.row {
				continue
			}
			found = true
			if l.Count != want.count || l.Params != want.params || l.Active != want.params || l.MACs.Int64() != want.macs ||
				l.UnitMACs.RatString() != want.unit || l.CacheBytes.Int64() != want.cache || l.TrainingBytes.Int64() != want.trainingBytes {
				t.Errorf("row %d is %d × (%d parameters, %v MACs, %s a token, %v bytes of cache, %v to train), want %+v", want.row+1, l.Count,
					l.Params, l.MACs, l.UnitMACs.RatString(), l.CacheBytes, l.TrainingBytes, want)
			}
		}
		if !found {
			t.Errorf("no line for row %d", want.row+1)
		}
	}
}
