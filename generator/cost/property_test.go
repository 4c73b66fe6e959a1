package cost

import (
	"encoding/json"
	"fmt"
	"math/big"
	"path/filepath"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/strata-catalog/strata/generator/internal/testfiles"
)

// Sums are sums of what stands beside them, on every graph there is.
func TestSums(t *testing.T) {
	files := append(testfiles.Shared(t, "zoo/*/model.json"), testfiles.Shared(t, "reference/graphs/*/model.json")...)
	for _, file := range files {
		id := filepath.Base(filepath.Dir(file))
		m := model(t, file, testfiles.Read(t, file))
		p, err := New(m, Default())
		if err != nil {
			t.Errorf("%s: %v", id, err)
			continue
		}
		var params, active int64
		macs, cache, train := new(big.Int), new(big.Int), big.NewInt(p.Assumptions.Overhead)
		for _, i := range m.Order {
			n := p.Node(i)
			params += n.Params
			active += n.Active
			macs.Add(macs, n.MACs)
			cache.Add(cache, n.CacheBytes)
			train.Add(train, n.TrainingBytes)
		}
		if params != m.Params || active != m.Active || macs.Cmp(m.MACs) != 0 || train.Cmp(p.Training.TotalBytes) != 0 {
			t.Errorf("%s: nodes add up to %d parameters, %d active, %v MACs, %v bytes; the model has %d, %d, %v, %v",
				id, params, active, macs, train, m.Params, m.Active, m.MACs, p.Training.TotalBytes)
		}
		if p.Cache != nil && cache.Cmp(p.Cache.TokenBytes) != 0 {
			t.Errorf("%s: nodes add %v bytes to the cache, the model %v", id, cache, p.Cache.TokenBytes)
		}
		params, active, macs = 0, 0, new(big.Int)
		layers := 0
		for _, part := range p.Parts {
			params += part.Params
			active += part.Active
			layers += part.Layers
			macs.Add(macs, part.MACs)
		}
		if params != m.Params || active != m.Active || layers != len(m.Nodes) || macs.Cmp(m.MACs) != 0 {
			t.Errorf("%s: parts add up to %d parameters in %d layers, the model has %d in %d", id, params, layers, m.Params, len(m.Nodes))
		}
		// Tied weights are stored once, so that fp32 is four bytes for each.
		equal(t, id+" in fp32", p.Serving[0].WeightBytes, new(big.Int).Mul(big.NewInt(4), big.NewInt(m.Params)).String())
		if p.Training.RecomputedBytes.Cmp(p.Training.ActivationBytes) > 0 {
			t.Errorf("%s: recomputing keeps %v bytes, more than the %v without", id, p.Training.RecomputedBytes, p.Training.ActivationBytes)
		}
		for i := 1; i < len(p.Serving); i++ {
			if p.Serving[i].WeightBytes.Cmp(p.Serving[i-1].WeightBytes) > 0 {
				t.Errorf("%s: %s is larger than %s", id, p.Serving[i].DType, p.Serving[i-1].DType)
			}
		}
		for _, s := range p.Serving {
			if s.ReadBytes.Cmp(s.WeightBytes) > 0 {
				t.Errorf("%s: a token reads %v of %v bytes", id, s.ReadBytes, s.WeightBytes)
			}
		}
		if _, err := json.Marshal(p); err != nil {
			t.Errorf("%s: %v", id, err)
		}
	}
}

// The cache never shrinks with context or batch, the least is never more than
// what is reserved, and a full window stays as it is.
func TestCacheGrows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kv := rapid.SampledFrom([]int{1, 2, 4}).Draw(t, "kv heads")
		window := rapid.IntRange(0, 40).Draw(t, "window")
		layers := rapid.IntRange(1, 5).Draw(t, "layers")
		stacks := []stack{{layers, gqa(16, 4, kv, 4, window)}}
		if rapid.Bool().Draw(t, "state") {
			stacks = append(stacks, stack{1, `"type": "mamba", "params": {}`})
		}
		p, err := New(model(t, "rapid", decoder("[1, 50]", 32, 16, stacks...)), Default())
		if err != nil {
			t.Fatal(err)
		}
		d := rapid.SampledFrom(DTypes).Draw(t, "dtype")
		context, batch := rapid.Int64Range(1, 100).Draw(t, "context"), rapid.Int64Range(1, 8).Draw(t, "batch")
		at := func(batch, context int64) *Cache {
			c, err := p.CacheAt(d, batch, context)
			if err != nil {
				t.Fatal(err)
			}
			return c
		}
		c, more, next := at(batch, context), at(batch+1, context), at(batch, context+1)
		if c.LeastBytes.Cmp(c.ReservedBytes) > 0 {
			t.Errorf("least %v, reserved %v", c.LeastBytes, c.ReservedBytes)
		}
		if more.LeastBytes.Cmp(c.LeastBytes) <= 0 || more.ReservedBytes.Cmp(c.ReservedBytes) <= 0 {
			t.Errorf("%d sequences take %v, %d take %v", batch, c.LeastBytes, batch+1, more.LeastBytes)
		}
		if next.ReservedBytes.Cmp(c.ReservedBytes) < 0 {
			t.Errorf("%d tokens reserve %v, one more %v", context, c.ReservedBytes, next.ReservedBytes)
		}
		full := window > 0 && context >= int64(window)
		if grows := next.LeastBytes.Cmp(c.LeastBytes); full && grows != 0 || !full && grows != 1 {
			t.Errorf("window %d: %d tokens take %v, one more %v", window, context, c.LeastBytes, next.LeastBytes)
		}
	})
}

// A plan does not depend on when it is made.
func TestPlanIsPure(t *testing.T) {
	src := llama("[1, 64]", 128, 32, 4, 4, 2, `"type": "moeLayer", "params": {"numExperts": 4, "expertDim": 16, "topK": 2}`)
	first, second := plan(t, src), plan(t, src)
	a, err := json.Marshal(first)
	if err != nil {
		t.Fatal(err)
	}
	b, _ := json.Marshal(second)
	if !reflect.DeepEqual(a, b) {
		t.Errorf("two plans of one model differ:\n%s\n%s", a, b)
	}
	if again, err := New(first.Model, first.Assumptions); err != nil || fmt.Sprint(again.Parts) != fmt.Sprint(first.Parts) {
		t.Errorf("a plan with the assumptions of a plan differs: %v", err)
	}
}

func BenchmarkPlan(b *testing.B) {
	src := llama("[1, 2048]", 32000, 4096, 80, 32, 8, `"type": "swiglu", "params": {"intermediateSize": 14336}`)
	m := model(b, "bench", src)
	for b.Loop() {
		if _, err := New(m, Default()); err != nil {
			b.Fatal(err)
		}
	}
}
