package cost

import (
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/strata-catalog/strata/generator/expand"
	"github.com/strata-catalog/strata/generator/graph"
	"github.com/strata-catalog/strata/generator/infer"
)

// A failer is a test or a check of properties.
type failer interface {
	Helper()
	Fatal(args ...any)
}

// model analyses a document.
func model(t failer, name, src string) *infer.Model {
	t.Helper()
	doc, err := graph.Decode(name, []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	g, err := expand.Expand(doc)
	if err != nil {
		t.Fatal(err)
	}
	return infer.Infer(g)
}

// plan plans a document with the default assumptions, changed by the given functions.
func plan(t testing.TB, src string, change ...func(*Assumptions)) *Plan {
	t.Helper()
	a := Default()
	for _, f := range change {
		f(&a)
	}
	p, err := New(model(t, "test", src), a)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// A stack is some layers of one kind, one after the other.
type stack struct {
	layers int
	layer  string // type and params as members of a component
}

// decoder is a language model: ids of the given shape, a table, stacks, a head.
func decoder(ids string, vocabulary, width int, stacks ...stack) string {
	var parts, blocks []string
	last := "embed"
	for i, s := range stacks {
		id := fmt.Sprintf("s%d", i)
		parts = append(parts, fmt.Sprintf(`{"id": %q, "block": %q, "repeat": %d, "inputs": [%q]}`, id, id, s.layers, last))
		blocks = append(blocks, fmt.Sprintf(`%q: {"inputs": ["x"], "components": [{"id": "l", %s, "inputs": ["x"]}], "output": "l"}`, id, s.layer))
		last = id
	}
	return fmt.Sprintf(`{"id": "decoder", "components": [
		{"id": "ids", "type": "input", "params": {"shape": %s}},
		{"id": "embed", "type": "embedding", "params": {"numEmbeddings": %d, "embeddingDim": %d}, "inputs": ["ids"]},
		%s,
		{"id": "head", "type": "linear", "params": {"outFeatures": %d, "bias": false}, "inputs": [%q]},
		{"id": "out", "type": "output", "inputs": ["head"]}],
		"blocks": {%s}}`, ids, vocabulary, width, strings.Join(parts, ",\n"), vocabulary, last, strings.Join(blocks, ",\n"))
}

// gqa is one grouped query attention; a window of 0 is none.
func gqa(width, heads, kvHeads, headDim, window int) string {
	sliding := ""
	if window > 0 {
		sliding = fmt.Sprintf(`, "slidingWindow": %d`, window)
	}
	return fmt.Sprintf(`"type": "groupedQueryAttention", "params": {"embedDim": %d, "numHeads": %d, "numKVHeads": %d, "headDim": %d%s}`,
		width, heads, kvHeads, headDim, sliding)
}

func number(t testing.TB, s string) *big.Int {
	t.Helper()
	n, ok := new(big.Int).SetString(strings.ReplaceAll(s, ",", ""), 10)
	if !ok {
		t.Fatalf("%q is no number", s)
	}
	return n
}

func equal(t testing.TB, what string, got *big.Int, want string) {
	t.Helper()
	if got.Cmp(number(t, want)) != 0 {
		t.Errorf("%s is %v, want %s", what, got, want)
	}
}
