package catalog

import (
	"github.com/strata-catalog/strata/generator/cost"
	"github.com/strata-catalog/strata/generator/graph"
)

// Assumptions are the default assumptions of estimates, with what the settings
// say otherwise. The error is a *graph.Error.
func (c *Catalog) Assumptions() (cost.Assumptions, error) {
	a := cost.Default()
	if err := c.Settings.Assumptions.Decode(&a); err != nil {
		return a, err
	}
	if err := a.Check(); err != nil {
		return a, &graph.Error{Position: c.Settings.At("assumptions"), Msg: err.Error()}
	}
	return a, nil
}

// Assumed are the assumptions for one template: those of all, and what its note
// says of the training.
func (e *Entry) Assumed(all cost.Assumptions) cost.Assumptions {
	if e.Note == nil {
		return all
	}
	if n := e.Note.TrainingTokens; n > 0 {
		all.Tokens = n
	}
	if n := e.Note.Images; n > 0 {
		all.Seen = n
	}
	return all
}
