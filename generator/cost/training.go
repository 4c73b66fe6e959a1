package cost

import (
	"fmt"
	"math/big"

	"github.com/strata-catalog/strata/generator/format"
	"github.com/strata-catalog/strata/generator/infer"
)

// A Pretraining is the price of training a model from nothing: three times the
// FLOPs of the forward pass (the backward pass costs twice as much as the
// forward pass, Kaplan et al. 2020, appendix B), over the full square of
// attention, for every unit of data, at a share of one card's peak. A
// mixture's experts count as they work, by topK. Recomputation is not counted,
// as model FLOPs utilization has it.
type Pretraining struct {
	Unit         string   `json:"unit" doc:"what the data is counted by: token, image or sample"` // token, image or sample
	Units        *big.Int `json:"units" doc:"units of data in the whole training"`                // of data
	Source       string   `json:"source" doc:"where their number comes from, in words"`
	ForwardFLOPs *big.Int `json:"forward_flops" doc:"operations of one forward pass at the declared input"`
	Declared     int64    `json:"declared_units" doc:"units in the declared input"`
	FLOPs        *big.Int `json:"training_flops" doc:"operations of the whole training, rounded up"`
	Card         string   `json:"card" doc:"card that does it"`
	Hours        float64  `json:"card_hours" doc:"hours of one card, at the assumed share of its peak"`
	USD          float64  `json:"cost_usd" doc:"price of those hours"`
}

// pretraining is nil for a model whose work is not known.
func pretraining(m *infer.Model, u Units, a Assumptions) *Pretraining {
	if m.MACs.Sign() == 0 {
		return nil
	}
	p := &Pretraining{Unit: u.Name, Declared: u.Declared, Card: a.Card, ForwardFLOPs: flops(m.MACs)}
	p.Units, p.Source = data(m, u, a)
	total := new(big.Int).Mul(p.ForwardFLOPs, big.NewInt(3))
	p.FLOPs = ceilDiv(total.Mul(total, p.Units), u.Declared)
	card, _ := LookupCard(a.Card)
	seconds := float(p.FLOPs) / (card.FLOPs * a.Utilization)
	p.Hours = seconds / 3600
	p.USD = p.Hours * a.Price
	return p
}

// data is how much a model is trained on, and why so much. A mixture's tokens
// go by all of its parameters.
func data(m *infer.Model, u Units, a Assumptions) (n *big.Int, source string) {
	switch {
	case u.Name == "token" && a.Tokens > 0:
		return big.NewInt(a.Tokens), "given"
	case u.Name == "token":
		n = new(big.Int).Mul(big.NewInt(m.Params), big.NewInt(a.TokensPerParam))
		return n, fmt.Sprintf("%d for each parameter", a.TokensPerParam)
	case a.Seen > 0:
		return big.NewInt(a.Seen), "given"
	}
	n = new(big.Int).Mul(big.NewInt(a.Epochs), big.NewInt(a.Images))
	return n, fmt.Sprintf("%d epochs of %s %ss", a.Epochs, format.Exact64(a.Images), u.Name)
}

// flops is two operations for each multiply-accumulate.
func flops(macs *big.Int) *big.Int { return new(big.Int).Lsh(macs, 1) }

// float is the nearest floating-point number.
func float(n *big.Int) float64 {
	x, _ := new(big.Float).SetInt(n).Float64()
	return x
}

// A Speed is an upper bound on how fast one card can run a model, by the
// roofline: real speeds are lower. It does not ask whether the model fits.
type Speed struct {
	Card   string  `json:"card" doc:"the card"`
	DType  string  `json:"dtype" doc:"number format of the weights"`
	Decode float64 `json:"decode_tokens_per_second_bound" doc:"tokens generated in a second at most, over the whole batch: each step reads the active weights once and the least cache of every sequence; 0 for a model that generates nothing"`
	// Prefill takes the MACs that causal and windowed kernels must do.
	Prefill float64 `json:"prefill_units_per_second_bound" doc:"units read in a second at most, by the dense 16-bit peak; 0 when the work is not known"`
}

func speed(c Card, s Serving, cache *Cache, m *infer.Model, u Units, a Assumptions) Speed {
	v := Speed{Card: c.Name, DType: s.DType}
	if cache != nil {
		if read := float(s.ReadBytes) + float(cache.LeastBytes); read > 0 {
			v.Decode = float64(a.Batch) * c.Bandwidth / read
		}
	}
	if work := float(flops(m.CausalMACs)); work > 0 {
		v.Prefill = c.FLOPs * float64(u.Declared) / work
	}
	return v
}
