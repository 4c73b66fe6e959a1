package page

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"

	"github.com/strata-catalog/strata/generator/cost"
	"github.com/strata-catalog/strata/generator/format"
)

// estimates are the tables of memory, fit and cost.
func (s *Site) estimates(p *cost.Plan, memory *Chart) []Table {
	tables := []Table{serving(p)}
	if p.Cache != nil {
		tables = append(tables, caches(p))
	}
	tables = append(tables, training(p), s.cards(p))
	if p.Pretraining != nil {
		tables = append(tables, pretraining(p.Pretraining))
	}
	if memory != nil {
		tables = append(tables, lengths(p, memory))
	}
	return append(tables, assumed(p.Assumptions))
}

// notes are the words of the plan on the groups of figures that it has.
func notes(p *cost.Plan) (list []string) {
	if p.LowerBound {
		list = append(list, "A weight or the work of a layer is not known: every figure may be larger.")
	}
	for _, n := range cost.Notes {
		if n.Of == "cache" && p.Cache == nil || n.Of == "pretraining" && p.Pretraining == nil {
			continue
		}
		list = append(list, n.Text)
	}
	return list
}

func size(n *big.Int) Cell {
	return Cell{Text: format.Bytes(n), Exact: format.Exact(n) + " bytes"}
}

func size64(n int64) Cell { return size(big.NewInt(n)) }

func row(name string, rest ...Cell) TableRow { return TableRow{Cells: append(cells(name), rest...)} }

func serving(p *cost.Plan) Table {
	t := Table{
		Caption: fmt.Sprintf("Memory to serve, batch %d", p.Assumptions.Batch),
		Columns: []Column{{"Weights in", false}, {"Weights", true}, {"Overhead", true}, {"Total", true}},
	}
	if p.Cache != nil {
		t.Caption += fmt.Sprintf(", context %s, cache in %s", format.Exact64(p.Assumptions.Context), p.Cache.DType)
		t.Columns = []Column{{"Weights in", false}, {"Weights", true}, {"Cache reserved", true}, {"Overhead", true}, {"Total", true}, {"Total, least cache", true}}
	}
	for _, v := range p.Serving {
		r := row(v.DType, size(v.WeightBytes), size64(v.OverheadBytes), size(v.TotalBytes))
		if p.Cache != nil {
			r = row(v.DType, size(v.WeightBytes), size(v.CacheBytes), size64(v.OverheadBytes), size(v.TotalBytes), size(v.LeastBytes))
		}
		t.Rows = append(t.Rows, r)
	}
	return t
}

func caches(p *cost.Plan) Table {
	t := Table{
		Caption: fmt.Sprintf("Cache of keys, values and state, batch %d, context %s", p.Assumptions.Batch, format.Exact64(p.Assumptions.Context)),
		Columns: []Column{{"Cache in", false}, {"Each token adds", true}, {"Constant", true}, {"At least", true}, {"Reserved", true}},
	}
	for _, c := range p.Caches {
		t.Rows = append(t.Rows, row(c.DType, size(c.TokenBytes), size(c.FixedBytes), size(c.LeastBytes), size(c.ReservedBytes)))
	}
	return t
}

// training shows the activations both ways, whichever is assumed.
func training(p *cost.Plan) Table {
	t := Table{
		Caption: fmt.Sprintf("Memory to train with AdamW in mixed precision, batch %d at the declared input", p.Assumptions.Batch),
		Columns: []Column{{"What", false}, {"Activations kept", true}, {"Activations recomputed", true}},
	}
	v := p.Training
	both := func(name string, n *big.Int) { t.Rows = append(t.Rows, row(name, size(n), size(n))) }
	both("Weights", v.WeightBytes)
	both("Gradients", v.GradientBytes)
	both("Optimizer state", v.OptimizerBytes)
	t.Rows = append(t.Rows, row("Activations", size(v.ActivationBytes), size(v.RecomputedBytes)))
	both("Overhead", big.NewInt(v.OverheadBytes))
	rest := new(big.Int).Add(v.StateBytes(), big.NewInt(v.OverheadBytes))
	total := row("Total", size(new(big.Int).Add(rest, v.ActivationBytes)), size(new(big.Int).Add(rest, v.RecomputedBytes)))
	total.Total = true
	t.Rows = append(t.Rows, total)
	return t
}

// cards has a row for each card: what fits, and how fast it can be at most.
func (s *Site) cards(p *cost.Plan) Table {
	speed := cost.BF16
	t := Table{Caption: "What fits on a card, and how fast it can be at most", Columns: []Column{{"Card", false}, {"Training", false}}}
	for _, d := range cost.DTypes {
		t.Columns = append(t.Columns, Column{"Serving " + d.Name, false})
	}
	if p.Cache != nil {
		t.Columns = append(t.Columns, Column{"Decoding " + speed.Name, true})
	}
	t.Columns = append(t.Columns, Column{"Reading", true})
	needs := row("needs", size(p.Training.TotalBytes))
	for _, v := range p.Serving {
		needs.Cells = append(needs.Cells, size(v.TotalBytes))
	}
	for len(needs.Cells) < len(t.Columns) {
		needs.Cells = append(needs.Cells, Cell{})
	}
	t.Rows = append(t.Rows, needs)
	shown := s.catalog.Settings.GPUs
	for k, c := range cost.Cards {
		if len(shown) > 0 && !slices.Contains(shown, c.Name) {
			continue
		}
		r := row(c.Name, fit(p.TrainingFits[k]))
		var bound cost.Speed
		for j, d := range cost.DTypes {
			at := j*len(cost.Cards) + k
			r.Cells = append(r.Cells, fit(p.ServingFits[at]))
			if d.Name == speed.Name {
				bound = p.Speeds[at]
			}
		}
		if p.Cache != nil {
			r.Cells = append(r.Cells, rate(bound.Decode, p.Units.Name+"s"))
		}
		r.Cells = append(r.Cells, rate(bound.Prefill, p.Units.Name+"s"))
		t.Rows = append(t.Rows, r)
	}
	return t
}

// fit says whether a card holds it, or how many do.
func fit(f cost.Fit) Cell {
	c := Cell{Text: "no", Mark: "no"}
	switch {
	case !f.Known:
		c = Cell{Text: "not known"}
	case f.Fits:
		c.Text, c.Mark = "fits", "yes"
	case f.Cards > 0:
		c.Text = fmt.Sprintf("no, %s cards", format.Exact64(f.Cards))
		c.Exact = format.Exact(f.EachBytes) + " bytes on each"
	}
	return c
}

// rate is a number of units a second.
func rate(x float64, unit string) Cell {
	switch {
	case x <= 0 || math.IsInf(x, 0) || math.IsNaN(x):
		return Cell{Text: "not known"}
	case x < 100:
		return Cell{Text: strconv.FormatFloat(x, 'g', 3, 64) + " " + unit + "/s"}
	}
	n, _ := big.NewFloat(x).Int(nil)
	return Cell{Text: format.Short(n) + " " + unit + "/s"}
}

func pretraining(v *cost.Pretraining) Table {
	t := Table{Caption: "Cost of training from nothing", Columns: []Column{{"What", false}, {"Amount", true}, {"How", false}}}
	add := func(what string, c Cell, how string) {
		t.Rows = append(t.Rows, TableRow{Cells: []Cell{{Text: what}, c, {Text: how}}})
	}
	add("Data", Cell{Text: format.Short(v.Units) + " " + v.Unit + "s", Exact: format.Exact(v.Units)}, v.Source)
	add("Work", Cell{Text: format.Metric(v.FLOPs, "FLOPs"), Exact: format.Exact(v.FLOPs)}, "3 × the forward pass, attention over the full square")
	add("Time", Cell{Text: hours(v.Hours)}, "on one "+v.Card)
	add("Price", Cell{Text: format.Money(v.USD)}, "by the hour")
	return t
}

// hours are rounded up to whole ones.
func hours(x float64) string {
	if x <= 1 {
		return "1 hour"
	}
	n, _ := big.NewFloat(math.Ceil(x)).Int(nil)
	return format.Short(n) + " hours"
}

// assumed lists what the estimates assume.
func assumed(a cost.Assumptions) Table {
	t := Table{Caption: "Assumptions", Aside: true, Columns: []Column{{"Assumption", false}, {"Value", true}, {"Unit", false}, {"What it is", false}}}
	for _, x := range a.List() {
		t.Rows = append(t.Rows, TableRow{Cells: cells(x.Key, x.Value, x.Unit, x.Doc)})
	}
	return t
}
