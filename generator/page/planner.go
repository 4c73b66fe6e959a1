package page

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"math/bits"

	"github.com/strata-catalog/strata/generator/cost"
	"github.com/strata-catalog/strata/generator/format"
)

// A Planner is the part of a template page that answers again when its reader
// changes a setting. What stands in it is the answer under the assumptions of
// the build, so that it can be read without a script.
type Planner struct {
	Sheet    string // the coefficients of the answers, JSON of a cost.Sheet
	Plan     *cost.Plan
	Formats  []cost.DType
	Cards    []cost.Card
	Format   string // of the weights
	Card     string
	Serving  []Result
	Memory   *Chart // against context; nil: the model generates nothing
	Training []Result
}

// A Result is one answer. Name is what the script finds it by.
type Result struct {
	Name, Label string
	Cell
}

// A Chart is lines over powers of two, both axes logarithmic, so that they stay
// while the lines move.
type Chart struct {
	From, To  int // powers of two: tokens
	Low, High int // powers of ten: bytes
	Context   int64
	Lines     []Line
}

// A Line has a value at each power of two.
type Line struct {
	Name, Label string
	Values      []*big.Int
}

// The powers of two that a chart of memory spans, unless the declared input is
// shorter or longer.
const (
	fewTokens  = 10 // 1,024
	manyTokens = 20 // 1,048,576
)

func planner(p *cost.Plan) (*Planner, error) {
	sheet, err := json.Marshal(p.Sheet())
	if err != nil {
		return nil, fmt.Errorf("the sheet of a plan: %w", err)
	}
	r := &Planner{
		Sheet: string(sheet), Plan: p, Formats: cost.DTypes, Cards: cost.Cards,
		Format: cost.BF16.Name, Card: p.Assumptions.Card,
	}
	r.Serving, err = Served(p, r.Format, r.Card)
	if err != nil {
		return nil, err
	}
	if p.Cache != nil {
		if r.Memory, err = memory(p, r.Format, r.Card); err != nil {
			return nil, err
		}
	}
	if v := p.Pretraining; v != nil {
		r.Training = Trained(v)
	}
	return r, nil
}

// Served is what a page answers on serving, with weights in a format, on one
// card.
func Served(p *cost.Plan, dtype, card string) ([]Result, error) {
	for i, v := range p.Serving {
		for k, c := range cost.Cards {
			if v.DType != dtype || c.Name != card {
				continue
			}
			at := i*len(cost.Cards) + k
			list := []Result{{"weights", "Weights", size(v.WeightBytes)}}
			if p.Cache != nil {
				list = append(list, Result{"reserved", "Cache reserved", size(p.Cache.ReservedBytes)}, Result{"least", "Cache, at least", size(p.Cache.LeastBytes)})
			}
			list = append(list, Result{"overhead", "Overhead", size64(v.OverheadBytes)}, Result{"total", "Total", size(v.TotalBytes)},
				Result{"fit", "On this card", fit(p.ServingFits[at])})
			if p.Cache != nil {
				list = append(list, Result{"decode", "Decoding, at most", rate(p.Speeds[at].Decode, p.Units.Name+"s")})
			}
			return append(list, Result{"read", "Reading, at most", rate(p.Speeds[at].Prefill, p.Units.Name+"s")}), nil
		}
	}
	return nil, fmt.Errorf("the plan has no answer for weights in %s on %s", dtype, card)
}

// Trained is what a page answers on training.
func Trained(v *cost.Pretraining) []Result {
	return []Result{
		{"data", "Data", Cell{Text: format.Short(v.Units) + " " + v.Unit + "s", Exact: format.Exact(v.Units)}},
		{"work", "Work", Cell{Text: format.Metric(v.FLOPs, "FLOPs"), Exact: format.Exact(v.FLOPs)}},
		{"time", "Time on one card", Cell{Text: hours(v.Hours)}},
		{"price", "Price", Cell{Text: format.Money(v.USD)}},
	}
}

// memory is the chart of memory against context.
func memory(p *cost.Plan, dtype, card string) (*Chart, error) {
	d, _ := cost.LookupDType(p.Cache.DType)
	c := &Chart{From: fewTokens, To: manyTokens, Context: p.Assumptions.Context}
	if n := bits.Len64(uint64(max(c.Context, 1))) - 1; n < c.From {
		c.From = n
	} else {
		c.To = max(c.To, n+1)
	}
	weights := new(big.Int)
	for _, v := range p.Serving {
		if v.DType == dtype {
			weights = v.WeightBytes
		}
	}
	var total, reserved, least, constant []*big.Int
	for n := c.From; n <= c.To; n++ {
		cache, err := p.CacheAt(d, p.Assumptions.Batch, 1<<n)
		if err != nil {
			return nil, err
		}
		sum := new(big.Int).Add(weights, cache.ReservedBytes)
		total = append(total, sum.Add(sum, big.NewInt(p.Assumptions.Overhead)))
		reserved = append(reserved, cache.ReservedBytes)
		least = append(least, cache.LeastBytes)
		constant = append(constant, weights)
	}
	c.Lines = []Line{{"total", "total", total}, {"weights", "weights", constant}, {"reserved", "cache reserved", reserved}, {"least", "cache, at least", least}}
	if on, ok := cost.LookupCard(card); ok {
		held := make([]*big.Int, len(total))
		for i := range held {
			held[i] = big.NewInt(on.Memory)
		}
		c.Lines = append(c.Lines, Line{"card", "memory of the card", held})
	}
	c.span()
	return c, nil
}

// span gives the axis of bytes a decade of room on either side, for the
// settings that a reader may choose.
func (c *Chart) span() {
	low, high := math.Inf(1), 0.0
	for _, l := range c.Lines {
		for _, v := range l.Values {
			if x, _ := new(big.Float).SetInt(v).Float64(); x > 0 {
				low, high = min(low, math.Log10(x)), max(high, math.Log10(x))
			}
		}
	}
	c.Low, c.High = max(int(math.Floor(low))-1, 0), int(math.Ceil(high))+1
}

// At is where a value stands between the ends of the axis of bytes, from 0 at
// the low one to 1. What is 0 has no place.
func (c *Chart) At(n *big.Int) (y float64, ok bool) {
	x, _ := new(big.Float).SetInt(n).Float64()
	if x <= 0 {
		return 0, false
	}
	return (math.Log10(x) - float64(c.Low)) / float64(c.High-c.Low), true
}

// lengths is the chart as a table.
func lengths(p *cost.Plan, c *Chart) Table {
	t := Table{
		Caption: fmt.Sprintf("Memory to serve against context, batch %d, weights in %s, cache in %s", p.Assumptions.Batch, cost.BF16.Name, p.Cache.DType), Aside: true,
		Columns: []Column{{"Tokens", true}, {"Cache, at least", true}, {"Cache reserved", true}, {"Total", true}},
	}
	values := map[string][]*big.Int{}
	for _, l := range c.Lines {
		values[l.Name] = l.Values
	}
	for i := range c.To - c.From + 1 {
		t.Rows = append(t.Rows, row(format.Exact64(1<<(c.From+i)), size(values["least"][i]), size(values["reserved"][i]), size(values["total"][i])))
	}
	return t
}

// kinds is the parameters and the work of each kind of layers.
func kinds(parts []cost.Part) Table {
	t := Table{
		Caption: "Parameters and work by kind of layer", Aside: true,
		Columns: []Column{{"Kind", false}, {"Layers", true}, {"Parameters", true}, {"Share", true}, {"MACs", true}, {"Share", true}},
	}
	var params int64
	layers, macs := 0, new(big.Int)
	for _, p := range parts {
		params += p.Params
		layers += p.Layers
		macs.Add(macs, p.MACs)
	}
	add := func(name string, layers int, n int64, work *big.Int) *TableRow {
		t.Rows = append(t.Rows, row(name, Cell{Text: fmt.Sprint(layers)}, Cell{Text: format.Exact64(n)}, Cell{Text: format.Share(n, params)},
			Cell{Text: format.Metric(work, "MACs"), Exact: format.Exact(work)}, Cell{Text: ofWhole(work, macs)}))
		return &t.Rows[len(t.Rows)-1]
	}
	for _, p := range parts {
		add(string(p.Part), p.Layers, p.Params, p.MACs).Part = p.Part
	}
	add("all", layers, params, macs).Total = true
	return t
}

// ofWhole is part of whole in percent, "" of nothing.
func ofWhole(part, whole *big.Int) string {
	if whole.Sign() == 0 {
		return ""
	}
	x, _ := new(big.Rat).SetFrac(part, whole).Float64()
	return fmt.Sprintf("%.1f%%", 100*x)
}
