package ops

import (
	"bytes"
	"fmt"
	"reflect"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/strata-catalog/strata/generator/facts"
	"github.com/strata-catalog/strata/generator/policy"
)

// Limits are a policy, as the file of a project has it.
type Limits struct{ limits }

type limits struct {
	policy.Policy
	Assumptions Assumed `json:"assumptions,omitzero" doc:"what the estimates behind the policy assume, each in the place of the usual one"`
}

// UnmarshalJSONFrom implements json.UnmarshalerFrom.
func (l *Limits) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	src, err := dec.ReadValue()
	if err != nil {
		return err
	}
	if err := Read("policy", bytes.Clone(src), &l.limits); err != nil {
		return err
	}
	if problem := l.Check(); problem != nil {
		return &Error{Kind: Invalid, Err: fmt.Errorf("policy: %w", problem)}
	}
	return nil
}

// JSONSchema implements facts.Described.
func (Limits) JSONSchema(d facts.Describer) *facts.Schema { return d.Object(limits{}) }

// hold is the model with a finding for each line of a policy that it does not
// keep, and what became of each line; the model itself where there is none.
func (m *Model) hold(l Limits) (*Model, []policy.Result, error) {
	if reflect.ValueOf(l.Policy).IsZero() {
		return m, nil, nil
	}
	assuming, err := m.assuming(l.Assumptions)
	if err != nil {
		return nil, nil, err
	}
	held := *m
	var kept []policy.Result
	if held.Report, kept, err = l.Hold(m.Report, assuming.Assumptions); err != nil {
		return nil, nil, fault(err)
	}
	return &held, kept, nil
}
