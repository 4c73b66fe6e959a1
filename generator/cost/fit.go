package cost

import "math/big"

// A Fit says whether a card holds a model, or how many of them do.
type Fit struct {
	Card  string `json:"card" doc:"the card"`
	DType string `json:"dtype" doc:"number format of the weights"`
	Fits  bool   `json:"fits" doc:"one card holds it"` // on one card
	Known bool   `json:"known" doc:"false: one card would hold what is known of the need, which is only a lower bound; then fits is false too, and cards 0"`
	// Cards divides what is kept for the weights (and the cache, when serving)
	// evenly among them; the rest stands on each, and may alone be too large.
	Cards     int64    `json:"cards" doc:"least number of cards that hold it, weights and cache divided evenly; 0: no number does, or it is not known"`
	Bytes     *big.Int `json:"need_bytes" doc:"what one card would need"`
	EachBytes *big.Int `json:"each_bytes" doc:"what each of so many cards needs; null when no number does"`
}

// fit places what can be divided and what must stand on each card.
func fit(c Card, d string, divided, whole *big.Int) Fit {
	f := Fit{Card: c.Name, DType: d, Known: true, Bytes: new(big.Int).Add(divided, whole)}
	memory := big.NewInt(c.Memory)
	f.Fits = f.Bytes.Cmp(memory) <= 0
	room := new(big.Int).Sub(memory, whole)
	switch {
	case f.Fits:
		f.Cards = 1
	case room.Sign() <= 0:
		return f
	default:
		n := new(big.Int).Sub(room, big.NewInt(1))
		n.Add(n, divided).Div(n, room)
		if !n.IsInt64() {
			return f
		}
		f.Cards = n.Int64()
	}
	f.EachBytes = ceilDiv(divided, f.Cards)
	f.EachBytes.Add(f.EachBytes, whole)
	return f
}

// unlessMore is a fit whose need is only a lower bound: that a card does not
// hold it is certain, and nothing else is.
func (f Fit) unlessMore() Fit {
	return Fit{Card: f.Card, DType: f.DType, Known: !f.Fits, Bytes: f.Bytes}
}

// fitTraining divides weights, gradients and optimizer state; every card keeps
// the activations of its own batch and its overhead.
func fitTraining(c Card, t Training) Fit {
	states := t.StateBytes()
	return fit(c, BF16.Name, states, new(big.Int).Sub(t.TotalBytes, states))
}

// fitServing divides the weights and the cache; each card has its overhead.
func fitServing(c Card, s Serving) Fit {
	overhead := big.NewInt(s.OverheadBytes)
	return fit(c, s.DType, new(big.Int).Sub(s.TotalBytes, overhead), overhead)
}
