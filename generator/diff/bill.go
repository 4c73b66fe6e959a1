package diff

import (
	"math/big"

	"github.com/strata-catalog/strata/generator/cost"
	"github.com/strata-catalog/strata/generator/layer"
)

// A Bill attributes the differences between the models to what changed: by
// rows and by kinds of layer. The lines of each list add up to the total, and
// the total is the difference of the models, both exactly. What differs in
// nothing has no line.
type Bill struct {
	// UnitsA and UnitsB are what the figures for each unit are counted by:
	// tokens as a rule, images or samples for a model that reads none.
	UnitsA, UnitsB cost.Units
	Total          Delta
	Rows           []RowLine
	Kinds          []KindLine
}

// A Delta is what B has more than A. MACs for each unit are B's by B's units
// less A's by A's: a fraction, so that lines add up.
type Delta struct {
	Params        int64    `json:"parameters" doc:"parameters of b less those of a"`
	Active        int64    `json:"active_parameters" doc:"parameters that work on one token"`
	MACs          *big.Int `json:"macs" doc:"multiply-accumulates of one forward pass, each model at its declared input"`
	UnitMACs      *big.Rat `json:"unit_macs" doc:"multiply-accumulates for each token (image, sample), each model at its declared input"`
	CacheBytes    *big.Int `json:"cache_token_bytes" doc:"what one more token adds to the cache, in the assumed format and before any window is full"`
	TrainingBytes *big.Int `json:"training_bytes" doc:"weights, gradients, optimizer state and activations for training at the declared inputs, none recomputed"`
	// A layer with weights of unknown size bounds the parameters and the memory,
	// one whose work is not known the MACs, the cache and the memory.
	ParamsBound   Bound `json:"parameters_bound" enum:"exact,at_least,at_most,not_known" doc:"how parameters and active_parameters stand to the true differences: a count of b that is only a lower bound makes them at_least, one of a at_most"`
	WorkBound     Bound `json:"macs_bound" enum:"exact,at_least,at_most,not_known" doc:"the same of macs, unit_macs and cache_token_bytes, where the work of a layer is not known"`
	TrainingBound Bound `json:"training_bound" enum:"exact,at_least,at_most,not_known" doc:"the same of training_bytes"`
}

// Zero reports whether nothing differs, for certain.
func (d Delta) Zero() bool {
	return d.TrainingBound == Exact && d.Params == 0 && d.Active == 0 && d.MACs.Sign() == 0 && d.UnitMACs.Sign() == 0 &&
		d.CacheBytes.Sign() == 0 && d.TrainingBytes.Sign() == 0
}

// Plus is the sum of two lines.
func (d Delta) Plus(e Delta) Delta {
	return Delta{
		Params: d.Params + e.Params, Active: d.Active + e.Active,
		MACs:          new(big.Int).Add(d.MACs, e.MACs),
		UnitMACs:      new(big.Rat).Add(d.UnitMACs, e.UnitMACs),
		CacheBytes:    new(big.Int).Add(d.CacheBytes, e.CacheBytes),
		TrainingBytes: new(big.Int).Add(d.TrainingBytes, e.TrainingBytes),
		ParamsBound:   d.ParamsBound.With(e.ParamsBound),
		WorkBound:     d.WorkBound.With(e.WorkBound),
		TrainingBound: d.TrainingBound.With(e.TrainingBound),
	}
}

// A RowLine is the line of a row, or of the equal rows of one fold.
type RowLine struct {
	Row   int // the first of them, an index of the diff's rows
	Count int
	Delta
}

// A KindLine is the line of all layers of one kind.
type KindLine struct {
	Part layer.Part `json:"part" doc:"kind of layer"`
	Delta
}

// sums collects what a line adds up.
type sums struct {
	params, active  int64
	macs            [2]big.Int // of A and of B
	cache, training big.Int
	open, idle      [2]bool // a weight's size, or a layer's work, is not known
}

// sides are the models with the sign that they have in a difference.
var sides = [2]int64{-1, +1}

// add takes in one node of A (side 0) or B (side 1).
func (s *sums) add(of *Side, side, i int) {
	n, x := of.Plan.Node(i), &of.Plan.Model.Nodes[i]
	s.params += sides[side] * n.Params
	s.active += sides[side] * n.Active
	s.macs[side].Add(&s.macs[side], n.MACs)
	if side == 0 {
		s.cache.Sub(&s.cache, n.CacheBytes)
		s.training.Sub(&s.training, n.TrainingBytes)
	} else {
		s.cache.Add(&s.cache, n.CacheBytes)
		s.training.Add(&s.training, n.TrainingBytes)
	}
	s.open[side] = s.open[side] || !x.Result.Counted
	s.idle[side] = s.idle[side] || !x.Result.Worked && (x.Type == nil || !x.Type.Side)
}

// same reports whether the sums are those of rows of which both sides are the
// same, so that their line would be zero.
func (s *sums) same(d *Diff) bool {
	return !s.open[0] && !s.open[1] && !s.idle[0] && !s.idle[1] && s.params == 0 && s.active == 0 &&
		s.cache.Sign() == 0 && s.training.Sign() == 0 && s.macs[0].Cmp(&s.macs[1]) == 0 &&
		(s.macs[0].Sign() == 0 || d.A.Plan.Units.Declared == d.B.Plan.Units.Declared)
}

func (s *sums) addRow(d *Diff, r Row) {
	if r.A >= 0 {
		s.add(&d.A, 0, r.A)
	}
	if r.B >= 0 {
		s.add(&d.B, 1, r.B)
	}
}

// delta is the line that the sums make.
func (s *sums) delta(d *Diff) Delta {
	units := func(side int, of cost.Units) *big.Rat {
		return new(big.Rat).SetFrac(&s.macs[side], big.NewInt(of.Declared))
	}
	b := units(1, d.B.Plan.Units)
	delta := Delta{
		Params: s.params, Active: s.active,
		MACs:       new(big.Int).Sub(&s.macs[1], &s.macs[0]),
		UnitMACs:   b.Sub(b, units(0, d.A.Plan.Units)),
		CacheBytes: &s.cache, TrainingBytes: &s.training,
		ParamsBound: Exact, WorkBound: Exact, TrainingBound: Exact,
	}
	if !d.Identical {
		delta.ParamsBound = BoundOf(!s.open[0], !s.open[1])
		delta.WorkBound = BoundOf(!s.idle[0], !s.idle[1])
		delta.TrainingBound = BoundOf(!s.open[0] && !s.idle[0], !s.open[1] && !s.idle[1])
	}
	return delta
}

func (d *Diff) bill() Bill {
	b := Bill{UnitsA: d.A.Plan.Units, UnitsB: d.B.Plan.Units}
	var total sums
	for _, r := range d.Rows {
		total.addRow(d, r)
	}
	total.open = [2]bool{!d.A.Counted, !d.B.Counted}
	b.Total = total.delta(d)
	for _, f := range d.Folds {
		b.Rows = d.foldLines(b.Rows, f)
	}
	b.Kinds = d.kindLines()
	return b
}

// foldLines adds the lines of one fold: one for each place in its instances.
func (d *Diff) foldLines(lines []RowLine, f Fold) []RowLine {
	type group struct {
		first, count int
		sums
	}
	groups := make([]group, 0, f.Period)
	places := f.places()
	of := make([]*group, f.Period)
	for k := f.Start; k < f.End(); k++ {
		place := places[(k-f.Start)%f.Period]
		g := of[place]
		if g == nil {
			groups = append(groups, group{first: k})
			g = &groups[len(groups)-1]
			of[place] = g
		}
		g.count++
		g.addRow(d, d.Rows[k])
	}
	for i := range groups {
		g := &groups[i]
		if g.same(d) {
			continue
		}
		if delta := g.delta(d); !delta.Zero() {
			lines = append(lines, RowLine{g.first, g.count, delta})
		}
	}
	return lines
}

// part is the kind that a row counts with. A linear layer that is the head of
// one model and within the other counts as linear on both sides, so that what
// did not change does not move from one kind to another.
func (d *Diff) part(r Row) layer.Part {
	if r.B < 0 {
		return cost.PartOf(&d.A.Plan.Model.Nodes[r.A])
	}
	b := &d.B.Plan.Model.Nodes[r.B]
	if r.A < 0 || d.A.Plan.Model.Nodes[r.A].Head == b.Head || b.Type == nil {
		return cost.PartOf(b)
	}
	return b.Type.Part
}

func (d *Diff) kindLines() []KindLine {
	of := map[layer.Part]*sums{}
	for _, r := range d.Rows {
		part := d.part(r)
		if of[part] == nil {
			of[part] = &sums{}
		}
		of[part].addRow(d, r)
	}
	var lines []KindLine
	for _, part := range layer.Parts {
		if s := of[part]; s != nil {
			if delta := s.delta(d); !delta.Zero() {
				lines = append(lines, KindLine{part, delta})
			}
		}
	}
	return lines
}
