package diff

import (
	"fmt"
	"strings"

	"github.com/strata-catalog/strata/generator/cost"
	"github.com/strata-catalog/strata/generator/format"
	"github.com/strata-catalog/strata/generator/shape"
)

// Names are the display names, with the ids where the names alone are equal.
func (d *Diff) Names() (a, b string) {
	a, b = d.A.Name, d.B.Name
	if a == b && d.A.ID != d.B.ID {
		return fmt.Sprintf("%s (%s)", a, d.A.ID), fmt.Sprintf("%s (%s)", b, d.B.ID)
	}
	return a, b
}

// headline says it all in one sentence.
func (d *Diff) headline() string {
	a, b := d.Names()
	if d.Identical {
		return fmt.Sprintf("%s and %s are the same graph: %s, %s.", a, b, count(d.A.Layers, "layer"), d.A.weights())
	}
	if difference := d.difference(); difference != "" {
		return fmt.Sprintf("%s has %s %s: %s.", b, difference, a, d.changes())
	}
	partly := b + " counts"
	switch d.ParamsBound {
	case AtMost:
		partly = a + " counts"
	case Unknown:
		partly = "both count"
	}
	return fmt.Sprintf("%s and %s cannot be compared by parameters, since %s only in part: %s.", a, b, partly, d.changes())
}

// weights is "8.2B parameters", for any count.
func (s *Side) weights() string {
	switch {
	case s.Counted:
		return count64(s.Params, "parameter")
	case s.Params == 0:
		return "parameters not known"
	}
	return "at least " + count64(s.Params, "parameter")
}

// difference is "392M fewer parameters than", for any two counts; "" where a
// lower bound leaves open which model has more.
func (d *Diff) difference() string {
	least := ""
	switch {
	case d.ParamsBound == Exact && d.Params == 0:
		return "the same number of parameters as"
	case d.ParamsBound == Exact:
	case d.ParamsBound == AtLeast && d.Params > 0, d.ParamsBound == AtMost && d.Params < 0:
		least = "at least "
	default:
		return ""
	}
	more, n := "more", d.Params
	if n < 0 {
		more, n = "fewer", -n
	}
	noun := "parameters"
	if n == 1 {
		noun = "parameter"
	}
	return fmt.Sprintf("%s%s %s %s than", least, format.Short64(n), more, noun)
}

// changes is "2 layers added, 6 changed": the first of them has the noun.
func (d *Diff) changes() string {
	var parts []string
	for _, c := range []struct {
		n      int
		status Status
	}{{d.Added, Added}, {d.Removed, Removed}, {d.Changed, Changed}} {
		switch {
		case c.n == 0:
		case len(parts) == 0:
			parts = append(parts, fmt.Sprintf("%s %s", count(c.n, "layer"), c.status))
		default:
			parts = append(parts, fmt.Sprintf("%d %s", c.n, c.status))
		}
	}
	switch {
	case len(parts) > 0:
		return strings.Join(parts, ", ")
	case d.Rewired:
		return "the same layers, connected in another way"
	}
	return "the same layers, but weights are shared in another way"
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func count64(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return format.Short64(n) + " " + noun + "s"
}

// A Caveat is what the figures of a diff do not say.
type Caveat struct {
	ID   string // stable: inputs, data, counts or estimates
	Text string
}

// The caveats.
const (
	InputsDiffer = "inputs"    // only where the declared inputs differ
	DataDiffers  = "data"      // only where the prices are for different training data
	GraphCounts  = "counts"    // always
	Estimates    = "estimates" // always
)

func (d *Diff) caveats() []Caveat {
	var list []Caveat
	if a, b := shapeList(d.A.Inputs), shapeList(d.B.Inputs); a != b {
		list = append(list, Caveat{InputsDiffer, fmt.Sprintf(
			"The models declare different inputs (%s against %s). Cost, memory and GPU fit are each right about their own model, and are no comparison.", a, b)})
	}
	if d.dataDiffers() {
		list = append(list, Caveat{DataDiffers, fmt.Sprintf(
			"The training costs are for different data (%s; against %s). Each is right about its own model, and the two are no comparison of the architectures.",
			trainedOn(d.A.Plan.Pretraining), trainedOn(d.B.Plan.Pretraining))})
	}
	return append(list,
		Caveat{GraphCounts, "Parameters are counted from the graph and not read from a checkpoint: the count is exact where the graph says every size, and a lower bound where it does not."},
		Caveat{Estimates, "Cost, memory and GPU fit are estimates under one set of assumptions. Nothing was run."})
}

// dataDiffers reports whether the prices are for different data, other than by
// the rule that derives both.
func (d *Diff) dataDiffers() bool {
	a, b := d.A.Plan.Pretraining, d.B.Plan.Pretraining
	if a == nil || b == nil {
		return false
	}
	return (d.A.dataGiven() || d.B.dataGiven()) && (a.Unit != b.Unit || a.Units.Cmp(b.Units) != 0)
}

// dataGiven reports whether the amount of training data is known, and not
// derived from a rule.
func (s *Side) dataGiven() bool {
	if s.Plan.Units.Name == "token" {
		return s.Plan.Assumptions.Tokens > 0
	}
	return s.Plan.Assumptions.Seen > 0
}

func trainedOn(p *cost.Pretraining) string {
	return fmt.Sprintf("%s %ss, %s", format.Short(p.Units), p.Unit, p.Source)
}

// shapeList prints shapes one after the other, "none" for no shape.
func shapeList(shapes []shape.Shape) string {
	if len(shapes) == 0 {
		return "none"
	}
	parts := make([]string, len(shapes))
	for i, s := range shapes {
		parts[i] = s.String()
	}
	return strings.Join(parts, ", ")
}
