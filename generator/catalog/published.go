package catalog

import (
	"github.com/strata-catalog/strata/generator/content"
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
