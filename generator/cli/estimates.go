package cli

import (
	"fmt"
	"math"
	"math/big"
	"strconv"

	"github.com/strata-catalog/strata/generator/cost"
	"github.com/strata-catalog/strata/generator/format"
)

// numbers are columns of numbers after one of names.
func numbers(heads ...string) *table {
	t := &table{columns: []column{{head: "  " + heads[0], least: 12}}}
	for _, h := range heads[1:] {
		t.columns = append(t.columns, column{head: h, right: true})
	}
	return t
}

// entry adds a row, set in below the title of its section.
func (t *table) entry(name string, texts ...string) {
	t.add(ordinary, append([]string{"  " + name}, texts...)...)
}

func serving(p *cost.Plan) section {
	title := fmt.Sprintf("Memory to serve, batch %d", p.Assumptions.Batch)
	if p.Cache == nil {
		t := numbers("weights in", "weights", "overhead", "total")
		for _, v := range p.Serving {
			t.entry(v.DType, format.Bytes(v.WeightBytes), bytes64(v.OverheadBytes), format.Bytes(v.TotalBytes))
		}
		return section{title, t, []string{"serving"}}
	}
	t := numbers("weights in", "weights", "cache reserved", "overhead", "total", "with least cache")
	for _, v := range p.Serving {
		t.entry(v.DType, format.Bytes(v.WeightBytes), format.Bytes(v.CacheBytes), bytes64(v.OverheadBytes), format.Bytes(v.TotalBytes), format.Bytes(v.LeastBytes))
	}
	return section{title + fmt.Sprintf(", context %s, cache in %s", format.Exact64(p.Assumptions.Context), p.Cache.DType), t, []string{"serving"}}
}

func bytes64(n int64) string { return format.Bytes(big.NewInt(n)) }

func caches(p *cost.Plan) section {
	t := numbers("cache in", "each token adds", "constant", "at least", "reserved")
	for _, c := range p.Caches {
		t.entry(c.DType, format.Bytes(c.TokenBytes), format.Bytes(c.FixedBytes), format.Bytes(c.LeastBytes), format.Bytes(c.ReservedBytes))
	}
	return section{fmt.Sprintf("Cache of keys, values and state, batch %d, context %s", p.Assumptions.Batch, format.Exact64(p.Assumptions.Context)), t, []string{"cache"}}
}

// training shows the activations both ways, whichever is assumed.
func training(p *cost.Plan) section {
	v := p.Training
	t := numbers("what", "activations kept", "activations recomputed")
	both := func(name string, n *big.Int) { t.entry(name, format.Bytes(n), format.Bytes(n)) }
	both("weights", v.WeightBytes)
	both("gradients", v.GradientBytes)
	both("optimizer state", v.OptimizerBytes)
	t.entry("activations", format.Bytes(v.ActivationBytes), format.Bytes(v.RecomputedBytes))
	both("overhead", big.NewInt(v.OverheadBytes))
	rest := new(big.Int).Add(v.StateBytes(), big.NewInt(v.OverheadBytes))
	t.entry("total", format.Bytes(new(big.Int).Add(rest, v.ActivationBytes)), format.Bytes(new(big.Int).Add(rest, v.RecomputedBytes)))
	return section{fmt.Sprintf("Memory to train with AdamW in mixed precision, batch %d at the declared input", p.Assumptions.Batch), t, []string{"training"}}
}

// fits has a row for each card: what it holds, or how many of them do.
func fits(p *cost.Plan) section {
	heads, needs := []string{"card", "training"}, []string{format.Bytes(p.Training.TotalBytes)}
	for _, v := range p.Serving {
		heads, needs = append(heads, v.DType), append(needs, format.Bytes(v.TotalBytes))
	}
	t := numbers(heads...)
	t.entry("needs", needs...)
	for k, f := range p.TrainingFits {
		texts := []string{fit(f)}
		for j := range p.Serving {
			texts = append(texts, fit(p.ServingFits[j*len(p.TrainingFits)+k]))
		}
		t.entry(f.Card, texts...)
	}
	return section{"What fits on a card: training, and serving by number format", t, []string{"training_fits", "serving_fits"}}
}

// fit says whether a card holds it, or how many do.
func fit(f cost.Fit) string {
	switch {
	case !f.Known:
		return "not known"
	case f.Fits:
		return "fits"
	case f.Cards > 0:
		return "no, " + count(int(f.Cards), "card")
	}
	return "no"
}

// speeds has a row for each card: how fast it can be at most.
func speeds(p *cost.Plan) section {
	heads := []string{"card"}
	if p.Cache != nil {
		for _, v := range p.Serving {
			heads = append(heads, v.DType)
		}
	}
	t := numbers(append(heads, "reading")...)
	for k, f := range p.TrainingFits {
		var texts []string
		reads := "unknown"
		for j := range p.Serving {
			v := p.Speeds[j*len(p.TrainingFits)+k]
			if p.Cache != nil {
				texts = append(texts, rate(v.Decode))
			}
			reads = rate(v.Prefill)
		}
		t.entry(f.Card, append(texts, reads)...)
	}
	title := fmt.Sprintf("How fast a card can be at most, in %ss a second: ", p.Units.Name)
	if p.Cache != nil {
		title += "generating by number format, and "
	}
	return section{title + "reading", t, []string{"speeds"}}
}

// rate is a number of units a second.
func rate(x float64) string {
	switch {
	case x <= 0 || math.IsInf(x, 0) || math.IsNaN(x):
		return "unknown"
	case x < 100:
		return strconv.FormatFloat(x, 'g', 3, 64)
	}
	n, _ := big.NewFloat(x).Int(nil)
	return format.Short(n)
}

func pretraining(p *cost.Plan) section {
	v := p.Pretraining
	t := numbers("what", "amount")
	t.columns = append(t.columns, column{least: 24, wraps: true})
	t.entry("data", format.Short(v.Units)+" "+v.Unit+"s", v.Source)
	t.entry("work", format.Metric(v.FLOPs, "FLOPs"), "3 × the forward pass, attention over the full square")
	t.entry("time", hours(v.Hours), "on one "+v.Card)
	t.entry("price", format.Money(v.USD), "at "+format.Money(p.Assumptions.Price)+" an hour")
	return section{"Cost of training from nothing", t, []string{"pretraining"}}
}

// hours are rounded up to whole ones.
func hours(x float64) string {
	if x <= 1 {
		return "1 hour"
	}
	n, _ := big.NewFloat(math.Ceil(x)).Int(nil)
	return format.Short(n) + " hours"
}

// assumptions lists what the estimates assume; each is a flag.
func assumptions(a cost.Assumptions) section {
	t := numbers("flag", "value")
	t.columns = append(t.columns, column{head: "unit", goes: 1}, column{head: "what it is", least: 24, wraps: true})
	for _, x := range a.List() {
		t.entry("--"+x.Key, x.Value, x.Unit, x.Doc)
	}
	return section{"Assumptions", t, nil}
}
