package pipeline_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/strata-catalog/strata/generator/expand"
	"github.com/strata-catalog/strata/generator/graph"
	"github.com/strata-catalog/strata/generator/infer"
	"github.com/strata-catalog/strata/generator/pipeline"
	"github.com/strata-catalog/strata/generator/verify"
)

// chain is a flat transformer of n components, in the form found in the wild.
func chain(n int) []byte {
	var b strings.Builder
	b.WriteString(`{"id":"chain","name":"Chain","components":[{"id":"n1","type":"input","name":"Input","params":{"shape":[1,1024]},"inputs":[],"outputs":["n2"]},`)
	b.WriteString(`{"id":"n2","type":"embedding","name":"Embedding","params":{"vocabSize":32000,"embeddingDim":512},"inputs":["n1"],"outputs":["n3"]}`)
	body := []string{
		`"type":"rmsNorm","params":{"normalizedShape":512},"inputs":["n%[2]d"]`,
		`"type":"groupedQueryAttention","params":{"embedDim":512,"numHeads":8,"numKVHeads":2},"inputs":["n%[2]d"]`,
		`"type":"add","params":{},"inputs":["n%[2]d","n%[3]d"]`,
		`"type":"rmsNorm","params":{"normalizedShape":512},"inputs":["n%[2]d"]`,
		`"type":"swiglu","params":{"embedDim":512,"intermediateSize":1536},"inputs":["n%[2]d"]`,
		`"type":"add","params":{},"inputs":["n%[2]d","n%[3]d"]`,
	}
	i := 3
	for ; i < n; i++ {
		fmt.Fprintf(&b, `,{"id":"n%[1]d","name":"Layer %[1]d",`+body[(i-3)%6]+`,"position":{"x":1,"y":2}}`, i, i-1, i-3)
	}
	fmt.Fprintf(&b, `,{"id":"n%d","type":"output","params":{},"inputs":["n%d"]}]}`, i, i-1)
	return []byte(b.String())
}

// BenchmarkAnalysis reports each pass over the flat Qwen3-8B, its compact form
// and generated graphs. "whole" is everything after decoding and "both" that with
// decoding, without the costly rules; "costly" is both with them.
func BenchmarkAnalysis(b *testing.B) {
	read := func(path string) []byte {
		src, err := os.ReadFile(path)
		if err != nil {
			return nil
		}
		return src
	}
	for _, in := range []struct {
		name string
		src  []byte
	}{
		{"flat-qwen3-8b", read("../../../shared/zoo/qwen3-8b/model.json")},
		{"compact-qwen3-8b", read("../../templates/qwen3-8b/model.json")},
		{"chain-1000", chain(1000)},
		{"chain-10000", chain(10_000)},
	} {
		b.Run(in.name, func(b *testing.B) {
			if in.src == nil {
				b.Skip("the graph is not here")
			}
			doc, err := graph.Decode(in.name, in.src)
			if err != nil {
				b.Fatal(err)
			}
			g, err := expand.Expand(doc)
			if err != nil {
				b.Fatal(err)
			}
			m := infer.Infer(g)
			run := func(name string, f func()) {
				b.Run(name, func(b *testing.B) {
					b.ReportAllocs()
					for b.Loop() {
						f()
					}
				})
			}
			run("decode", func() { _, _ = graph.Decode(in.name, in.src) })
			run("expand", func() { _, _ = expand.Expand(doc) })
			run("infer", func() { infer.Infer(g) })
			run("verify", func() { verify.Run(m, verify.All, verify.Options{}) })
			run("whole", func() { _, _ = pipeline.Analyse(doc, verify.Options{}) })
			run("both", func() {
				doc, _ := graph.Decode(in.name, in.src)
				_, _ = pipeline.Analyse(doc, verify.Options{})
			})
			run("costly", func() { _, _ = pipeline.Run(in.name, in.src) })
		})
	}
}
