package ops

import (
	"context"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/strata-catalog/strata/generator/facts"
	"github.com/strata-catalog/strata/generator/layer"
	"github.com/strata-catalog/strata/generator/reference"
	"github.com/strata-catalog/strata/generator/verify"
	"github.com/strata-catalog/strata/generator/words"
)

// ExplainParams are the parameters of Explain.
type ExplainParams struct {
	Name string `json:"name" doc:"id of a rule, such as unknown-edge, or a layer type, such as rmsNorm"`
}

// An Explained is the answer of Explain: a *reference.Rule or a
// *reference.Type.
type Explained struct{ Value any }

// MarshalJSONTo implements json.MarshalerTo.
func (e Explained) MarshalJSONTo(enc *jsontext.Encoder) error { return anything(enc, e.Value) }

// JSONSchema implements facts.Described.
func (Explained) JSONSchema(d facts.Describer) *facts.Schema {
	return d.AnyOf(reference.Rule{}, reference.Type{})
}

// Explain says all that is declared of a rule or of a layer type.
func Explain(_ context.Context, env *Env, in ExplainParams) (Explained, error) {
	if i := slices.IndexFunc(verify.All, func(r *verify.Rule) bool { return r.ID == in.Name }); i >= 0 {
		return Explained{&reference.Rules(env.judged())[i]}, nil
	}
	if t, ok := layer.Lookup(in.Name); ok {
		d, err := reference.TypeOf(t)
		return Explained{&d}, err
	}
	if in.Name == "" {
		return Explained{}, &Error{Kind: Invalid, Err: fmt.Errorf("name: what is to be explained? Give the id of a rule or a layer type")}
	}
	all := names(verify.All, func(r *verify.Rule) string { return r.ID })
	near := words.DidYouMean(in.Name, all)
	if t, _ := layer.NearestType(in.Name); near == "" && t != "" {
		near = fmt.Sprintf("; nearest is %q", t)
	}
	return Explained{}, &Error{Kind: Unknown, Err: fmt.Errorf("%s is neither a rule nor a layer type%s", words.Quote(in.Name), near)}
}

// judged is the templates of the catalog with their findings.
func (e *Env) judged() (list []verify.Judged) {
	if e.Catalog == nil {
		return nil
	}
	for m := range e.Catalog.Models() {
		list = append(list, verify.Judged{ID: m.ID, Findings: m.Findings})
	}
	return list
}
