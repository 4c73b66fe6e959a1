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
}

// Zero reports whether nothing differs.
func (d Delta) Zero() bool {
	return d.Params == 0 && d.Active == 0 && d.MACs.Sign() == 0 && d.UnitMACs.Sign() == 0 &&
		d.CacheBytes.Sign() == 0 && d.TrainingBytes.Sign() == 0
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
}

// sides are the models with the sign that they have in a difference.
var sides = [2]int64{-1, +1}

// add takes in one node of A (side 0) or B (side 1).
func (s *sums) add(n cost.Amounts, side int) {
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
}

func (s *sums) addRow(d *Diff, r Row) {
	if r.A >= 0 {
		s.add(d.A.Plan.Node(r.A), 0)
	}
	if r.B >= 0 {
		s.add(d.B.Plan.Node(r.B), 1)
	}
}

// delta is the line that the sums make.
func (s *sums) delta(d *Diff) Delta {
	units := func(side int, of cost.Units) *big.Rat {
		return new(big.Rat).SetFrac(&s.macs[side], big.NewInt(of.Declared))
	}
	b := units(1, d.B.Plan.Units)
	return Delta{
		Params: s.params, Active: s.active,
		MACs:       new(big.Int).Sub(&s.macs[1], &s.macs[0]),
		UnitMACs:   b.Sub(b, units(0, d.A.Plan.Units)),
		CacheBytes: &s.cache, TrainingBytes: &s.training,
	}
}

func (d *Diff) bill() Bill {
	b := Bill{UnitsA: d.A.Plan.Units, UnitsB: d.B.Plan.Units}
	var total sums
	for _, r := range d.Rows {
		total.addRow(d, r)
	}
	b.Total = total.delta(d)
	kinds := d.kinds()
	for _, f := range d.Folds {
		b.Rows = d.foldLines(b.Rows, f, kinds)
	}
	b.Kinds = d.kindLines()
	return b
}

// foldLines adds the lines of one fold: one for each of the different rows in it.
func (d *Diff) foldLines(lines []RowLine, f Fold, kinds []kind) []RowLine {
	type group struct {
		first, count int
		sums
	}
	var groups []*group
	of := map[kind]*group{}
	for k := f.Start; k < f.End(); k++ {
		g := of[kinds[k]]
		if g == nil {
			g = &group{first: k}
			of[kinds[k]] = g
			groups = append(groups, g)
		}
		g.count++
		g.addRow(d, d.Rows[k])
	}
	for _, g := range groups {
		if delta := g.delta(d); !delta.Zero() {
			lines = append(lines, RowLine{g.first, g.count, delta})
		}
	}
	return lines
}

func (d *Diff) kindLines() []KindLine {
	of := map[layer.Part]*sums{}
	add := func(s *Side, side, i int) {
		part := cost.PartOf(&s.Plan.Model.Nodes[i])
		if of[part] == nil {
			of[part] = &sums{}
		}
		of[part].add(s.Plan.Node(i), side)
	}
	for _, i := range d.A.Order {
		add(&d.A, 0, i)
	}
	for _, i := range d.B.Order {
		add(&d.B, 1, i)
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
