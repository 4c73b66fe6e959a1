package cost

import "math/big"

// A Sheet is what is left of a model when its estimates of serving and of
// pretraining are to be made anew under other settings: sums over its tensors
// and layers, made by the rules of the plan. A page evaluates it without the
// graph. Numbers that a floating-point number may not hold are text.
type Sheet struct {
	Unit       string        `json:"unit"`     // token, image or sample
	Declared   string        `json:"declared"` // units in the declared input
	LowerBound bool          `json:"lower_bound"`
	Overhead   int64         `json:"overhead"`
	Block      int64         `json:"block"` // tokens in a block of a paged cache
	Formats    []SheetFormat `json:"formats"`
	Keeps      []SheetKeep   `json:"keeps"` // nothing for a model that generates nothing
	// Forward is the FLOPs of the forward pass over the full square of
	// attention, Causal of those that causal and windowed kernels must do.
	Forward string      `json:"forward"`
	Causal  string      `json:"causal"`
	Cards   []SheetCard `json:"cards"`
}

// A SheetFormat is a number format, with the bytes of the weights in it.
type SheetFormat struct {
	Name   string `json:"name"`
	Bits   int64  `json:"bits"` // of a cached element
	Stored string `json:"stored"`
	Read   string `json:"read"` // of these, what one token reads
}

// A SheetKeep is what some layers alike keep of one sequence: elements for each
// token, as far as a window reaches (0: all), or of a fixed number of tokens;
// and bytes of state whatever the length.
type SheetKeep struct {
	Layers int64  `json:"layers"`
	Token  int64  `json:"token"`
	Window int64  `json:"window"`
	Fixed  int64  `json:"fixed"`
	State  string `json:"state"`
}

// A SheetCard is a card without the words about it.
type SheetCard struct {
	Name      string  `json:"name"`
	Memory    int64   `json:"memory"`
	FLOPs     float64 `json:"flops"`
	Bandwidth float64 `json:"bandwidth"`
}

// Sheet is the sheet of a plan.
func (p *Plan) Sheet() *Sheet {
	m, a := p.Model, p.Assumptions
	s := &Sheet{
		Unit: p.Units.Name, Declared: big.NewInt(p.Units.Declared).String(), LowerBound: p.LowerBound,
		Overhead: a.Overhead, Block: a.CacheBlock, Keeps: []SheetKeep{},
		Forward: flops(m.MACs).String(), Causal: flops(m.CausalMACs).String(),
	}
	for i, d := range DTypes {
		s.Formats = append(s.Formats, SheetFormat{d.Name, d.Bits, p.Serving[i].WeightBytes.String(), p.Serving[i].ReadBytes.String()})
	}
	state, _ := LookupDType(a.StateDType)
	kept := holds(m)
	counts := counted(kept)
	for _, h := range kept { // in the order of the layers
		n := counts[h]
		if n == 0 {
			continue
		}
		delete(counts, h)
		s.Keeps = append(s.Keeps, SheetKeep{n, h.token, h.window, h.fixed, state.bytes(big.NewInt(h.state)).String()})
	}
	for _, c := range Cards {
		s.Cards = append(s.Cards, SheetCard{c.Name, c.Memory, c.FLOPs, c.Bandwidth})
	}
	return s
}
