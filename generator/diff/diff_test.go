package diff

import (
	"fmt"
	"strings"
	"testing"

	"github.com/strata-catalog/strata/generator/cost"
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
		{shared("A", "false"), shared("B", "true"), "B has 16 fewer parameters than A: the same layers, but weights are shared in another way."},
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

// stacks is a document of two stacks of one block, each sharing its weights or
// not. The members go into the block's layer.
func stacks(name string, first, second bool, members string) string {
	return fmt.Sprintf(`{"id": %q, "name": %q, "components": [
		{"id": "in", "type": "input", "params": {"shape": [1, 8]}},
		{"id": "x", "block": "b", "repeat": 2, "share": %v, "inputs": ["in"]},
		{"id": "y", "block": "b", "repeat": 2, "share": %v, "inputs": ["x"]},
		{"id": "out", "type": "output", "inputs": ["y"]}],
		"blocks": {"b": {"inputs": ["i"], "components": [{"id": "fc", %s, "inputs": ["i"]}], "output": "fc"}}}`,
		strings.ToLower(name), name, first, second, members)
}

// Graphs are the same only where equal layers have their weights from equal
// layers, whatever the totals.
func TestShared(t *testing.T) {
	const fc, relu = `"type": "linear", "params": {"outFeatures": 8}`, `"type": "relu"`
	tied := func(name, to string) string {
		return fmt.Sprintf(`{"id": %q, "name": %q, "components": [
			{"id": "in", "type": "input", "params": {"shape": [1, 4]}},
			{"id": "a", "type": "embedding", "params": {"numEmbeddings": 9, "embeddingDim": 8}, "inputs": ["in"]},
			{"id": "b", "type": "embedding", "params": {"numEmbeddings": 9, "embeddingDim": 8}, "inputs": ["in"]},
			{"id": "sum", "type": "add", "inputs": ["a", "b"]},
			{"id": "head", "type": "linear", "params": {"outFeatures": 9, "bias": false, "tiedTo": %q}, "inputs": ["sum"]},
			{"id": "out", "type": "output", "inputs": ["head"]}]}`, strings.ToLower(name), name, to)
	}
	const same, other = "A and B are the same graph", "the same layers, but weights are shared in another way."
	for _, test := range []struct{ name, a, b, want string }{
		{"one stack shares, then the other", stacks("A", true, false, fc), stacks("B", false, true, fc), other},
		{"both share", stacks("A", true, true, fc), stacks("B", true, true, fc), same},
		{"one of them shares", stacks("A", true, false, fc), stacks("B", true, true, fc), other},
		{"nothing to share", stacks("A", true, false, relu), stacks("B", false, true, relu), same},
		{"tied alike", tied("A", "a"), tied("B", "a"), same},
		{"tied to another, which the parameters say", tied("A", "a"), tied("B", "b"), "1 layer changed."},
	} {
		d := Compare(subject(t, test.a), subject(t, test.b))
		if !strings.Contains(d.Headline, test.want) || d.Identical != (test.want == same) {
			t.Errorf("%s: identical is %v, %q, want %q", test.name, d.Identical, d.Headline, test.want)
		}
	}
}

// Counts that are lower bounds make differences that are bounds, and a headline
// says no more than they prove.
func TestBounds(t *testing.T) {
	partly := func(name string, width int) string {
		return strings.Replace(net(name, width), `{"id": "out"`, `{"id": "odd", "type": "nobodyKnows", "inputs": ["fc0"]}, {"id": "out"`, 1)
	}
	for _, test := range []struct {
		a, b, headline string
		bound          Bound
	}{
		{net("A", 8), net("B", 9), "B has 4 more parameters than A: 1 layer changed.", Exact},
		{net("A", 8), partly("B", 9), "B has at least 4 more parameters than A: 1 layer added, 1 changed.", AtLeast},
		{net("A", 9), partly("B", 8), "A and B cannot be compared by parameters, since B counts only in part: 1 layer added, 1 changed.", AtLeast},
		{net("A", 8), partly("B", 8), "A and B cannot be compared by parameters, since B counts only in part: 1 layer added.", AtLeast},
		{partly("A", 9), net("B", 8), "B has at least 4 fewer parameters than A: 1 layer removed, 1 changed.", AtMost},
		{partly("A", 8), net("B", 9), "A and B cannot be compared by parameters, since A counts only in part: 1 layer removed, 1 changed.", AtMost},
		{partly("A", 8), partly("B", 9), "A and B cannot be compared by parameters, since both count only in part: 1 layer changed.", Unknown},
		{partly("A", 8), partly("B", 8), "A and B are the same graph: 2 layers, at least 32 parameters.", Exact},
	} {
		d := Compare(subject(t, test.a), subject(t, test.b))
		if d.Headline != test.headline || d.ParamsBound != test.bound {
			t.Errorf("%s: %q, want %s: %q", d.ParamsBound, d.Headline, test.bound, test.headline)
		}
		rows, kinds := total(nil), total(nil)
		for _, l := range d.Bill.Rows {
			rows = rows.Plus(l.Delta)
		}
		for _, l := range d.Bill.Kinds {
			kinds = kinds.Plus(l.Delta)
		}
		for what, got := range map[string]Bound{"total": d.Bill.Total.ParamsBound, "rows": rows.ParamsBound, "kinds": kinds.ParamsBound, "training": d.Bill.Total.TrainingBound} {
			if got != test.bound {
				t.Errorf("%q: the bound of the bill's %s is %s, want %s", d.Headline, what, got, test.bound)
			}
		}
	}
}

// The bound of a sum is that of the sides, however it is put together.
func TestBoundWith(t *testing.T) {
	whole := []bool{false, true}
	for _, a := range whole {
		for _, b := range whole {
			if x := BoundOf(a, b); x.Back() != BoundOf(b, a) {
				t.Errorf("%s reads back as %s", x, x.Back())
			}
			for _, c := range whole {
				for _, d := range whole {
					if got, want := BoundOf(a, b).With(BoundOf(c, d)), BoundOf(a && c, b && d); got != want {
						t.Errorf("%s with %s is %s, want %s", BoundOf(a, b), BoundOf(c, d), got, want)
					}
				}
			}
		}
	}
}

// A line of the bill is one place of a repeat, in repeats within it too, and
// names the first of its rows.
func TestBillLines(t *testing.T) {
	const twice = `{"id": "first", "block": "pair", "repeat": 2, "inputs": ["add"]}, {"id": "norm", "type": "rmsNorm", "inputs": ["first"]}, {"id": "ffn", "type": "rmsNorm", "inputs": ["norm"]}`
	nested := func(id string, layers int) string {
		return strings.Replace(decoder(id, layers, 4, twice), `"blocks": {`, `"blocks": {"pair": {"inputs": ["x"], "components": [
			{"id": "n", "type": "rmsNorm", "inputs": ["x"]}, {"id": "l", "type": "linear", "params": {"outFeatures": 32}, "inputs": ["n"]}], "output": "l"}, `, 1)
	}
	var got []string
	for _, l := range Compare(subject(t, nested("a", 4)), subject(t, nested("b", 1))).Bill.Rows {
		got = append(got, fmt.Sprintf("%d: %d × %d", l.Row+1, l.Count, l.Params/int64(l.Count)))
	}
	// Attention, sum, norm and linear layer of the pair, and two norms.
	if want := "[3: 3 × -4096 4: 3 × 0 5: 6 × -32 6: 6 × -1056 9: 3 × -32 10: 3 × -32]"; fmt.Sprint(got) != want {
		t.Errorf("%v, want %s", got, want)
	}
}

// A layer that is the same does not move from one kind to another where it is
// the head of one model alone.
func TestBillKinds(t *testing.T) {
	for _, test := range []struct{ name, a, b, want string }{
		{"a head on one side alone", net("A", 8), strings.Replace(net("B", 8), `{"id": "out", "type": "output", "inputs": ["fc0"]}`,
			`{"id": "n", "type": "rmsNorm", "inputs": ["fc0"]}, {"id": "out", "type": "output", "inputs": ["n"]}`, 1), "norm +8"},
		{"a head on both", net("A", 8), net("B", 9), "head +4"},
		{"a head that is added", net("A"), net("B", 8), "head +32"},
	} {
		var got []string
		for _, l := range Compare(subject(t, test.a), subject(t, test.b)).Bill.Kinds {
			got = append(got, fmt.Sprintf("%s %+d", l.Part, l.Params))
		}
		if text := strings.Join(got, ", "); text != test.want {
			t.Errorf("%s: %s, want %s", test.name, text, test.want)
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

// Prices for different data are no comparison, unless one rule derives both.
func TestDataCaveat(t *testing.T) {
	trained := func(tokens int64) Subject {
		s := subject(t, decoder("a", 1, 4, `{"id": "ffn", "type": "relu", "inputs": ["add"]}`))
		a := s.Plan.Assumptions
		a.Tokens = tokens
		p, err := cost.New(s.Plan.Model, a)
		if err != nil {
			t.Fatal(err)
		}
		s.Plan = p
		return s
	}
	derived := trained(0).Plan.Pretraining.Units.Int64()
	for _, test := range []struct {
		a, b int64 // 0 is assumed
		want string
	}{
		{0, 0, ""}, {5000, 5000, ""}, {derived, 0, ""},
		{5000, 6000, "(5.0K tokens, given; against 6.0K tokens, given)"},
		{5000, 0, "(5.0K tokens, given; against 164K tokens, 20 for each parameter)"},
		{0, 5000, "(164K tokens, 20 for each parameter; against 5.0K tokens, given)"},
	} {
		text := ""
		for _, c := range Compare(trained(test.a), trained(test.b)).Caveats {
			if c.ID == DataDiffers {
				text = c.Text
			}
		}
		if !strings.Contains(text, test.want) || (text == "") != (test.want == "") {
			t.Errorf("%d against %d tokens: %q, want %q", test.a, test.b, text, test.want)
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
