package facts_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/strata-catalog/strata/generator/facts"
)

// TestTraits: what kinds of attention a model has, whether a token leaves
// experts out, and its size, all from the graph.
func TestTraits(t *testing.T) {
	const sequence = `{"id": "x", "type": "input", "params": {"shape": [1, 16, 64]}}, {"id": "c", "type": "input", "params": {"shape": [1, 8, 64]}}, `
	for name, c := range map[string]struct {
		layers    string
		attention string // kinds
		density   facts.Density
		size      facts.Size
		types     string
	}{
		"no attention":     {`{"id": "a", "type": "linear", "params": {"outFeatures": 4}, "inputs": ["x"]}`, "", facts.Dense, "under 1M", "linear"},
		"nothing learned":  {`{"id": "a", "type": "relu", "inputs": ["x"]}`, "", facts.Dense, "under 1M", "relu"},
		"an unknown layer": {`{"id": "a", "type": "quantumLayer", "inputs": ["x"]}`, "", facts.Dense, "under 1M", "quantumLayer"},
		"heads of their own": {
			`{"id": "a", "type": "multiHeadAttention", "params": {"numHeads": 8}, "inputs": ["x"]}`,
			"multi-head", facts.Dense, "under 1M", "multiHeadAttention",
		},
		"groups": {
			`{"id": "a", "type": "groupedQueryAttention", "params": {"numHeads": 8, "numKVHeads": 2}, "inputs": ["x"]}`,
			"grouped-query", facts.Dense, "under 1M", "groupedQueryAttention",
		},
		"one group, as many as heads": {
			`{"id": "a", "type": "groupedQueryAttention", "params": {"numHeads": 8, "numKVHeads": 1}, "inputs": ["x"]},
			 {"id": "b", "type": "groupedQueryAttention", "params": {"numHeads": 8, "numKVHeads": 8}, "inputs": ["a"]}`,
			"multi-head, multi-query", facts.Dense, "under 1M", "groupedQueryAttention",
		},
		"a window": {
			`{"id": "a", "type": "groupedQueryAttention", "params": {"numHeads": 8, "numKVHeads": 2, "slidingWindow": 4}, "inputs": ["x"]}`,
			"grouped-query, sliding window", facts.Dense, "under 1M", "groupedQueryAttention",
		},
		"windows of an image": {
			`{"id": "i", "type": "input", "params": {"shape": [1, 8, 8, 64]}}, {"id": "a", "type": "windowAttention", "params": {"numHeads": 8, "windowSize": 4}, "inputs": ["i"]}`,
			"multi-head, windows of an image", facts.Dense, "under 1M", "windowAttention",
		},
		"a latent": {
			`{"id": "a", "type": "mla", "params": {"numHeads": 8, "kvLatentDim": 16, "ropeHeadDim": 8}, "inputs": ["x"]}`,
			"latent", facts.Dense, "under 1M", "mla",
		},
		"sparse": {
			`{"id": "a", "type": "nativeSparseAttention", "params": {"numHeads": 8}, "inputs": ["x"]}`,
			"multi-head, sparse", facts.Dense, "under 1M", "nativeSparseAttention",
		},
		"another sequence": {
			`{"id": "a", "type": "crossAttention", "params": {"numHeads": 8}, "inputs": ["x", "c"]}`,
			"multi-head, cross", facts.Dense, "under 1M", "crossAttention",
		},
		"experts": {
			`{"id": "a", "type": "moeLayer", "params": {"numExperts": 8, "topK": 2, "expertDim": 1000}, "inputs": ["x"]}`,
			"", facts.Experts, "1M to 10M", "moeLayer",
		},
		"experts that all work": {
			`{"id": "a", "type": "moeLayer", "params": {"numExperts": 8, "topK": 8, "expertDim": 1000}, "inputs": ["x"]}`,
			"", facts.Dense, "1M to 10M", "moeLayer",
		},
		"exactly a million": {
			`{"id": "a", "type": "linear", "params": {"outFeatures": 15625, "bias": false}, "inputs": ["x"]}`,
			"", facts.Dense, "1M to 10M", "linear",
		},
		"one fewer than a billion": {
			`{"id": "i", "type": "input", "params": {"shape": [1, 3]}}, {"id": "a", "type": "linear", "params": {"outFeatures": 333333333, "bias": false}, "inputs": ["i"]}`,
			"", facts.Dense, "100M to 1B", "linear",
		},
		"without an upper end": {
			`{"id": "a", "type": "linear", "params": {"outFeatures": 1562500000, "bias": false}, "inputs": ["x"]}`,
			"", facts.Dense, "100B and more", "linear",
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := model(t, "m", []byte(`{"id": "m", "components": [`+sequence+c.layers+`]}`))
			got := fmt.Sprint(join(m.Attention), " | ", m.Density, " | ", m.Size, " | ", strings.Join(m.LayerTypes, ", "))
			want := fmt.Sprint(c.attention, " | ", c.density, " | ", c.size, " | ", c.types)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("traits (-want +got):\n%s", diff)
			}
		})
	}
}

func join(list []facts.Attention) string {
	texts := make([]string, len(list))
	for i, a := range list {
		texts[i] = string(a)
	}
	return strings.Join(texts, ", ")
}
