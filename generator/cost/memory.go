package cost

import (
	"math/big"

	"github.com/strata-catalog/strata/generator/infer"
	"github.com/strata-catalog/strata/generator/layer"
)

// Serving is the memory that one format of the weights takes to serve: weights
// (all experts of a mixture), the cache as an engine reserves it, and the
// overhead of one card. Buffers are left out; they are small where a model has
// any that are kept.
type Serving struct {
	DType         string   `json:"dtype" doc:"number format of the weights"`
	WeightBytes   *big.Int `json:"weight_bytes" doc:"all weights, with their scales"`
	ReadBytes     *big.Int `json:"read_bytes" doc:"of these, what one token reads"` // of these, what one token reads
	CacheBytes    *big.Int `json:"cache_bytes" doc:"the cache as an engine reserves it"`
	OverheadBytes int64    `json:"overhead_bytes" doc:"the assumed overhead of one card"`
	TotalBytes    *big.Int `json:"total_bytes" doc:"weights, cache and overhead"`
	LeastBytes    *big.Int `json:"least_bytes" doc:"the total with the least cache that must be kept"`
}

// Training is the memory that training takes at the declared input.
type Training struct {
	WeightBytes    *big.Int `json:"weight_bytes" doc:"weights"`
	GradientBytes  *big.Int `json:"gradient_bytes" doc:"gradients"`
	OptimizerBytes *big.Int `json:"optimizer_bytes" doc:"state of the optimizer"`
	// ActivationBytes is every activation that the backward pass needs: the
	// output of each layer, and what the layer saves beside it.
	ActivationBytes *big.Int `json:"activation_bytes" doc:"every activation that the backward pass needs"`
	// RecomputedBytes is what stands instead of it when the repeated blocks are
	// recomputed: everything outside them, what flows into and out of each
	// instance of a block, and the inside of the largest one, which is there
	// while its backward pass runs.
	RecomputedBytes *big.Int `json:"recomputed_activation_bytes" doc:"what stands instead of it when repeated blocks are recomputed"`
	Recompute       bool     `json:"recompute" doc:"which of the two is in the total: true for the recomputed one"`
	OverheadBytes   int64    `json:"overhead_bytes" doc:"the assumed overhead of one card"`
	TotalBytes      *big.Int `json:"total_bytes" doc:"all of it"`
}

func serving(m *infer.Model, d DType, c *Cache, a Assumptions) Serving {
	s := Serving{DType: d.Name, OverheadBytes: a.Overhead, CacheBytes: new(big.Int), TotalBytes: big.NewInt(a.Overhead)}
	s.WeightBytes, s.ReadBytes = weights(m, d, a.QuantGroup)
	s.TotalBytes.Add(s.TotalBytes, s.WeightBytes)
	s.LeastBytes = new(big.Int).Set(s.TotalBytes)
	if c != nil {
		s.CacheBytes = c.ReservedBytes
		s.TotalBytes.Add(s.TotalBytes, c.ReservedBytes)
		s.LeastBytes.Add(s.LeastBytes, c.LeastBytes)
	}
	return s
}

func training(m *infer.Model, acts []activation, a Assumptions) Training {
	params := func(bytes int64) *big.Int {
		return new(big.Int).Mul(big.NewInt(m.Params), big.NewInt(bytes))
	}
	t := Training{
		WeightBytes: params(a.WeightBytes), GradientBytes: params(a.GradientBytes), OptimizerBytes: params(a.OptimizerBytes),
		ActivationBytes: new(big.Int), Recompute: a.Recompute, OverheadBytes: a.Overhead,
		TotalBytes: big.NewInt(a.Overhead),
	}
	for _, act := range acts {
		act.addTo(t.ActivationBytes)
	}
	t.RecomputedBytes = recomputed(m, acts)
	t.TotalBytes.Add(t.TotalBytes, t.StateBytes())
	if a.Recompute {
		t.TotalBytes.Add(t.TotalBytes, t.RecomputedBytes)
	} else {
		t.TotalBytes.Add(t.TotalBytes, t.ActivationBytes)
	}
	return t
}

// StateBytes is what training keeps for the parameters: weights, gradients and
// the optimizer's state.
func (t Training) StateBytes() *big.Int {
	n := new(big.Int).Add(t.WeightBytes, t.GradientBytes)
	return n.Add(n, t.OptimizerBytes)
}

// An activation is what one layer keeps for the backward pass, in bytes; nil
// means nothing.
type activation struct{ out, saved *big.Int }

func (a activation) addTo(sum *big.Int) {
	for _, n := range []*big.Int{a.out, a.saved} {
		if n != nil {
			sum.Add(sum, n)
		}
	}
}

// activations lists what each layer keeps, by node, at the assumed batch. The
// result of a layer is kept once, for whichever layers need it; inputs and
// outputs of the model are not computed and keep nothing.
func activations(m *infer.Model, u Units, a Assumptions) []activation {
	list := make([]activation, len(m.Nodes))
	memo := map[*layer.Result]activation{}
	size := func(elems *big.Int) *big.Int {
		n := new(big.Int).Mul(elems, big.NewInt(a.ActivationBytes))
		return ceilDiv(n.Mul(n, big.NewInt(a.Batch)), u.Batch)
	}
	for _, i := range m.Order {
		n := &m.Nodes[i]
		if n.Type == nil || n.Type.Part == layer.Ends {
			continue
		}
		act, ok := memo[n.Result]
		if !ok {
			if r := n.Result; r.Out.Known() {
				elems, _ := r.Out.Dims.Elems()
				act.out = size(big.NewInt(elems))
				if r.Saved != nil {
					act.saved = size(r.Saved)
				}
			}
			memo[n.Result] = act
		}
		list[i] = act
	}
	return list
}

// recomputed is what is kept when each instance of the outermost runs is one
// checkpointed block.
func recomputed(m *infer.Model, acts []activation) *big.Int {
	instance, instances := instances(m)
	crosses := make([]bool, len(m.Nodes)) // the result is needed outside of its block
	for _, i := range m.Order {
		for _, in := range m.Nodes[i].Inputs {
			crosses[in] = crosses[in] || instance[in] != instance[i]
		}
	}
	kept := new(big.Int)
	inside := make([]big.Int, instances+1)
	for _, i := range m.Order {
		act, block := acts[i], &inside[instance[i]]
		switch {
		case instance[i] == 0:
			act.addTo(kept)
		case crosses[i]:
			activation{out: act.out}.addTo(kept)
			activation{saved: act.saved}.addTo(block)
		default:
			act.addTo(block)
		}
	}
	largest := &inside[0]
	for k := range inside {
		if inside[k].Cmp(largest) > 0 {
			largest = &inside[k]
		}
	}
	return kept.Add(kept, largest)
}

// instances numbers the instances of the outermost runs from 1, by node; 0 is
// outside of any run.
func instances(m *infer.Model) (of []int, count int) {
	of = make([]int, len(m.Nodes))
	for _, r := range m.Runs {
		for k := range r.Count {
			count++
			for p := range r.Period {
				of[m.Order[r.Start+k*r.Period+p]] = count
			}
		}
	}
	return of, count
}
