package ops

import (
	"context"
	"fmt"

	"github.com/strata-catalog/strata/generator/cost"
	"github.com/strata-catalog/strata/generator/diff"
	"github.com/strata-catalog/strata/generator/facts"
)

// DiffParams are the parameters of Diff.
type DiffParams struct {
	A           Side `json:"a" doc:"the model that the diff reads from"`
	B           Side `json:"b" doc:"the model that it reads to"`
	OnlyChanges bool `json:"only_changes,omitempty" doc:"leave out the rows that are the same"`
}

// Diff says what sets two models apart.
func Diff(ctx context.Context, env *Env, in DiffParams) (*facts.Diff, error) {
	a, err := in.A.whole(ctx, env, "a")
	if err != nil {
		return nil, err
	}
	b, err := in.B.whole(ctx, env, "b")
	if err != nil {
		return nil, err
	}
	d, err := Compare(a, b)
	if err == nil && in.OnlyChanges {
		d = d.Differences()
	}
	return d, err
}

// Compare makes the diff of two models. One that is of no catalog is estimated
// under the assumptions of the catalog that the other is of, without its
// training data.
func Compare(a, b *Model) (*facts.Diff, error) {
	from, err := a.side(b)
	if err != nil {
		return nil, err
	}
	to, err := b.side(a)
	if err != nil {
		return nil, err
	}
	if from.Name == to.Name && from.ID == to.ID {
		from.ID, to.ID = a.File, b.File
	}
	return facts.Compared(diff.Compare(from, to)), nil
}

// side is a model with its estimates, beside another.
func (m *Model) side(other *Model) (diff.Subject, error) {
	assumptions := m.Assumptions
	if !m.Listed && other.Listed {
		assumptions = other.Assumptions
		assumptions.Tokens, assumptions.Seen = 0, 0
	}
	plan, err := cost.New(m.Model, assumptions)
	if err != nil {
		return diff.Subject{}, fault(fmt.Errorf("%s: %w", m.File, err))
	}
	s := diff.Subject{ID: m.ID, Name: m.Name(), Plan: plan}
	if s.ID == "" {
		s.ID = m.File
	}
	if s.Name == "" {
		s.Name = s.ID
	}
	return s, nil
}
