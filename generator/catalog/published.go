package catalog

import (
	"fmt"

	"github.com/strata-catalog/strata/generator/content"
	"github.com/strata-catalog/strata/generator/format"
)

// Published is what is said of the checkpoint elsewhere: by the note, or by the
// graph's realParamCount. Parameters is 0 when nothing is.
func (e *Entry) Published() content.Published {
	var p content.Published
	if e.Note != nil {
		p = e.Note.Published
	}
	if p.Parameters == 0 && e.Doc.RealParamCount > 0 {
		p.Parameters = e.Doc.RealParamCount
		if p.Source == "" {
			p.Source = "realParamCount of the graph"
		}
	}
	return p
}

// A Step is one line of a sum: a part, or the sum of the lines above it.
type Step struct {
	Elements int64
	What     string
	Sum      bool
}

// Reconciliation leads from the parameters that the graph has to those that are
// published, and from there to the elements that the checkpoint's file stores,
// line by line. It is empty where nothing is published.
func (e *Entry) Reconciliation() []Step {
	p := e.Published()
	if p.Parameters == 0 && p.Stored == 0 {
		return nil
	}
	counted := "parameters, counted from the graph"
	if !e.Model.Counted {
		counted = "parameters, counted from the graph: a lower bound"
	}
	steps := []Step{{e.Model.Params, counted, true}}
	if p.Parameters != 0 {
		if p.Parameters != e.Model.Params {
			steps = append(steps, Step{p.Parameters - e.Model.Params, "what the graph leaves out or adds", false})
		}
		steps = append(steps, Step{p.Parameters, "parameters, as published", true})
	}
	if p.Stored != 0 {
		for _, l := range p.Lines {
			steps = append(steps, Step{l.Elements, l.What, false})
		}
		steps = append(steps, Step{p.Stored, "elements that the checkpoint's file stores", true})
	}
	return steps
}

// checkPublished compares the counts of the note with those of the graph, and
// adds up the lines between parameters and stored elements.
func (l *loader) checkPublished(e *Entry) {
	n := e.Note
	said, real := n.Published.Parameters, e.Doc.RealParamCount
	if said != 0 && real != 0 && said != real {
		l.problem(n.At("published.parameters"), "published.parameters is %s, but realParamCount of %s is %s; correct the one that is wrong",
			format.Exact64(said), e.File, format.Exact64(real))
		return
	}
	p := e.Published()
	if p.Stored == 0 {
		if len(p.Lines) > 0 {
			l.problem(n.At("published.lines"), "published.lines explains stored elements, but published.stored is missing")
		}
		return
	}
	base, name := p.Parameters, "published parameters"
	if base == 0 {
		base, name = e.Model.Params, "parameters of the graph"
	}
	sum := base
	for _, line := range p.Lines {
		sum += line.Elements
	}
	if sum != p.Stored {
		l.problem(n.At("published.stored"), "published.stored is %s, but the %s %s and the lines make %s: %s",
			format.Exact64(p.Stored), format.Exact64(base), name, format.Exact64(sum), missing(p.Stored-sum))
	}
}

func missing(difference int64) string {
	if difference < 0 {
		return fmt.Sprintf("%s too many", format.Exact64(-difference))
	}
	return fmt.Sprintf("explain the other %s with a line", format.Exact64(difference))
}
