package ops

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/strata-catalog/strata/generator/cost"
	"github.com/strata-catalog/strata/generator/facts"
	"github.com/strata-catalog/strata/generator/words"
)

// PlanParams are the parameters of Plan.
type PlanParams struct {
	Subject
	Base        Side     `json:"base,omitzero" doc:"a second model: the answer carries the diff from it to the model"`
	Policy      Limits   `json:"policy,omitzero" doc:"limits that the model has to keep; a line that is not kept makes the verdict fail"`
	Assumptions Assumed  `json:"assumptions,omitzero" doc:"assumptions of the estimates, each in the place of the usual one"`
	DTypes      []string `json:"dtypes,omitempty" doc:"number formats of the weights to plan for; a part of a name stands for every name that it is in; all when not given"`
	GPUs        []string `json:"gpus,omitempty" doc:"cards to plan for, by name or part of a name, such as h100; all when not given"`
}

// A Planned is the answer of Plan.
type Planned struct {
	facts.Check
	Memory      facts.Memory     `json:"memory" doc:"estimate of the memory to serve and to train the model"`
	Cost        facts.Cost       `json:"cost" doc:"estimate of the price of training and of the speed at most"`
	Assumptions cost.Assumptions `json:"assumptions" doc:"what the estimates assume"`
	Notes       []cost.Note      `json:"notes" doc:"how the figures come about, by the member that they are of"`
	Diff        *facts.Diff      `json:"diff,omitzero" doc:"what sets the model apart from the base, where one was given"`
	Warnings    []string         `json:"warnings,omitzero" doc:"fields of the configuration that may change the model and are not in the graph; where a configuration was given"`

	Plan *cost.Plan `json:"-"` // what is asked for of it
}

// Plan estimates what a model takes.
func Plan(ctx context.Context, env *Env, in PlanParams) (*Planned, error) {
	m, err := in.whole(ctx, env, "model")
	if err != nil {
		return nil, err
	}
	if m, err = m.assuming(in.Assumptions); err != nil {
		return nil, err
	}
	only := Only{}
	if only.DTypes, err = pick("dtypes", in.DTypes, DTypes()); err == nil {
		only.GPUs, err = pick("gpus", in.GPUs, GPUs())
	}
	if err != nil {
		return nil, err
	}
	m, kept, err := m.hold(in.Policy)
	if err != nil {
		return nil, err
	}
	p, err := m.Plan(only)
	if err != nil {
		return nil, err
	}
	p.Policy = kept
	if err := ctx.Err(); err != nil || in.Base.empty() {
		return p, err
	}
	base, err := in.Base.whole(ctx, env, "base")
	if err != nil {
		return nil, err
	}
	if base, err = base.assuming(in.Assumptions); err != nil {
		return nil, err
	}
	p.Diff, err = Compare(base, m)
	return p, err
}

// Only narrows a plan to some number formats and cards, by their names; nil is
// all of them.
type Only struct{ DTypes, GPUs []string }

// Plan is a model with estimates under its assumptions.
func (m *Model) Plan(only Only) (*Planned, error) {
	plan, err := cost.New(m.Model, m.Assumptions)
	if err != nil {
		return nil, fault(err)
	}
	plan = only.of(plan)
	f := m.Facts(plan)
	return &Planned{
		Check: facts.Check{Totals: f.Totals, Summary: f.Summary, Findings: f.Findings}, Memory: f.Memory, Cost: f.Cost,
		Assumptions: f.Assumptions, Notes: notes(plan), Warnings: m.Warnings, Plan: plan,
	}, nil
}

// of leaves the number formats and cards that are asked for.
func (o Only) of(p *cost.Plan) *cost.Plan {
	q := *p
	dtype := func(name string) bool { return o.DTypes == nil || slices.Contains(o.DTypes, name) }
	card := func(name string) bool { return o.GPUs == nil || slices.Contains(o.GPUs, name) }
	q.Serving = keep(p.Serving, func(x cost.Serving) bool { return dtype(x.DType) })
	q.TrainingFits = keep(p.TrainingFits, func(x cost.Fit) bool { return card(x.Card) })
	q.ServingFits = keep(p.ServingFits, func(x cost.Fit) bool { return dtype(x.DType) && card(x.Card) })
	q.Speeds = keep(p.Speeds, func(x cost.Speed) bool { return dtype(x.DType) && card(x.Card) })
	return &q
}

func keep[T any](list []T, wanted func(T) bool) []T {
	return slices.DeleteFunc(slices.Clone(list), func(x T) bool { return !wanted(x) })
}

// notes are the words on the figures that a plan has.
func notes(p *cost.Plan) []cost.Note {
	return keep(cost.Notes, func(n cost.Note) bool {
		return (n.Of != "cache" || p.Cache != nil) && (n.Of != "pretraining" || p.Pretraining != nil)
	})
}

// DTypes lists the number formats of weights.
func DTypes() []string { return names(cost.DTypes, func(d cost.DType) string { return d.Name }) }

// GPUs lists the cards.
func GPUs() []string { return names(cost.Cards, func(c cost.Card) string { return c.Name }) }

func names[T any](list []T, name func(T) string) []string {
	out := make([]string, len(list))
	for i, x := range list {
		out[i] = name(x)
	}
	return out
}

// Matching are the names that a text is in, without regard to case, spaces and
// hyphens: h100 is in "H100 80GB".
func Matching(text string, names []string) (found []string) {
	for _, name := range names {
		if text != "" && strings.Contains(plain(name), plain(text)) {
			found = append(found, name)
		}
	}
	return found
}

var plainer = strings.NewReplacer(" ", "", "-", "", "_", "")

func plain(word string) string { return plainer.Replace(strings.ToLower(word)) }

func pick(param string, texts, names []string) (list []string, err error) {
	for _, text := range texts {
		found := Matching(text, names)
		if len(found) == 0 {
			return nil, &Error{Kind: Invalid, Err: fmt.Errorf("%s: found %s, expected %s%s", param, words.Quote(text), strings.Join(names, ", "), words.DidYouMean(text, names))}
		}
		list = append(list, found...)
	}
	return list, nil
}

// Assumed are assumptions that hold in the place of others.
type Assumed struct{ text jsontext.Value }

// UnmarshalJSONFrom implements json.UnmarshalerFrom.
func (a *Assumed) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	src, err := dec.ReadValue()
	a.text = src.Clone()
	return err
}

// JSONSchema implements facts.Described: every assumption may be left out.
func (Assumed) JSONSchema(d facts.Describer) *facts.Schema {
	s := d.Object(cost.Assumptions{})
	s.Required = nil
	return s
}

// assuming is the model under other assumptions.
func (m *Model) assuming(a Assumed) (*Model, error) {
	assumptions, err := a.over(m.Assumptions)
	if err != nil {
		return nil, err
	}
	other := *m
	other.Assumptions = assumptions
	return &other, nil
}

// over is other assumptions with those that are given.
func (a Assumed) over(all cost.Assumptions) (cost.Assumptions, error) {
	if a.text == nil {
		return all, nil
	}
	var given map[string]jsontext.Value
	if err := json.Unmarshal(a.text, &given, reading); err != nil {
		return all, &Error{Kind: Invalid, Err: fmt.Errorf("assumptions: expected an object of them, such as {\"batch\": 8}")}
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		key, ok := assumptionKeys[name]
		if !ok {
			return all, &Error{Kind: Invalid, Err: fmt.Errorf("assumptions: there is no assumption %s%s", words.Quote(name), words.DidYouMean(name, slices.Sorted(maps.Keys(assumptionKeys))))}
		}
		if err := all.Set(key, strings.Trim(string(given[name]), `"`)); err != nil {
			return all, fault(fmt.Errorf("assumptions.%s: %w", name, err))
		}
	}
	return all, nil
}

// assumptionKeys are the keys of assumptions in settings, by their names in JSON
// and by themselves.
var assumptionKeys = func() map[string]string {
	keys := map[string]string{}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[cost.Assumptions]()) {
		key := f.Tag.Get("yaml")
		keys[f.Tag.Get("json")], keys[key] = key, key
	}
	return keys
}()
