package graph_test

import (
	"os"
	"testing"

	"github.com/strata-catalog/strata/generator/graph"
)

// BenchmarkDecode reads the flat Qwen3-8B: 221 components, 108 KB.
func BenchmarkDecode(b *testing.B) {
	src, err := os.ReadFile("../../../shared/zoo/qwen3-8b/model.json")
	if err != nil {
		b.Skip("no ../shared/zoo beside the checkout")
	}
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := graph.Decode("model.json", src); err != nil {
			b.Fatal(err)
		}
	}
}
