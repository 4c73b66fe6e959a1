package ops

import (
	"context"

	"github.com/strata-catalog/strata/generator/facts"
)

// CheckParams are the parameters of Check.
type CheckParams struct {
	Subject
	Policy  Limits `json:"policy,omitzero" doc:"limits that the model has to keep; a line that is not kept makes the verdict fail"`
	Tensors bool   `json:"tensors,omitempty" doc:"list every tensor too"`
}

// A Checked is the answer of Check. What it has in common with the JSON of a
// template page is the same, byte for byte.
type Checked struct {
	facts.Check
	Tensors  facts.Tensors `json:"tensors,omitzero" doc:"every tensor, the copies of a stacked layer one by one; where they are asked for, and the graph has no structural fault"`
	Warnings []string      `json:"warnings,omitzero" doc:"fields of the configuration that may change the model and are not in the graph; where a configuration was given"`
}

// Check says what is wrong with a model. A graph with structural faults has
// findings, and totals of nothing.
func Check(ctx context.Context, env *Env, in CheckParams) (*Checked, error) {
	m, err := in.resolve(ctx, env, "model")
	if err != nil {
		return nil, err
	}
	m, kept, err := m.hold(in.Policy)
	if err != nil {
		return nil, err
	}
	c := &Checked{Check: *m.Check(), Warnings: m.Warnings}
	c.Policy = kept
	if in.Tensors && !m.Broken() {
		c.Tensors = facts.TensorsOf(m.Model)
	}
	return c, nil
}

// Check is what is said of a model that is checked.
func (m *Model) Check() *facts.Check {
	c := facts.Checked(m.Report)
	c.Totals = m.Totals()
	return c
}
