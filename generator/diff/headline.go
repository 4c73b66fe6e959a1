package diff

import (
	"fmt"
	"strings"

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
		return fmt.Sprintf("%s and %s are the same graph: %s, %s.", a, b,
			count(d.A.Layers, "layer"), count64(d.A.Params, "parameter"))
	}
	return fmt.Sprintf("%s has %s %s: %s.", b, d.difference(), a, d.changes())
}

// difference is "392M fewer parameters than", for any two counts.
func (d *Diff) difference() string {
	if d.Params == 0 {
		return "the same number of parameters as"
	}
	more, n := "more", d.Params
	if n < 0 {
		more, n = "fewer", -n
	}
	noun := "parameters"
	if n == 1 {
		noun = "parameter"
	}
	return fmt.Sprintf("%s %s %s than", format.Short64(n), more, noun)
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
	return "the same layers, but other weights are shared"
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
	ID   string // stable: inputs, counts or estimates
	Text string
}

// The caveats.
const (
	InputsDiffer = "inputs"    // only where the declared inputs differ
	GraphCounts  = "counts"    // always
	Estimates    = "estimates" // always
)

func (d *Diff) caveats() []Caveat {
	always := []Caveat{
		{GraphCounts, "Parameters are counted from the graph and not read from a checkpoint: the count is exact where the graph says every size, and a lower bound where it does not."},
		{Estimates, "Cost, memory and GPU fit are estimates under one set of assumptions. Nothing was run."},
	}
	a, b := list(d.A.Inputs), list(d.B.Inputs)
	if a == b {
		return always
	}
	return append([]Caveat{{InputsDiffer, fmt.Sprintf(
		"The models declare different inputs (%s against %s). Cost, memory and GPU fit are each right about their own model, and are no comparison.", a, b)}}, always...)
}

// list prints shapes one after the other, "none" for no shape.
func list(shapes []shape.Shape) string {
	if len(shapes) == 0 {
		return "none"
	}
	parts := make([]string, len(shapes))
	for i, s := range shapes {
		parts[i] = s.String()
	}
	return strings.Join(parts, ", ")
}
