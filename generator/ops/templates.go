package ops

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/strata-catalog/strata/generator/facts"
	"github.com/strata-catalog/strata/generator/verify"
)

// TemplatesParams are the parameters of Templates.
type TemplatesParams struct {
	Query  string `json:"query,omitempty" doc:"words that a template has to have, such as mixture of experts or windowAttention"`
	Full   bool   `json:"full,omitempty" doc:"all that the index of the catalog lists of each, instead of a line"`
	Limit  int    `json:"limit,omitempty" doc:"how many to answer at most; 0: all"`
	Offset int    `json:"offset,omitempty" doc:"how many to leave out first"`
}

// A Found is the answer of Templates.
type Found struct {
	Count     int      `json:"count" doc:"how many templates there are, answered or not"`
	Templates []Listed `json:"templates" doc:"the templates"`
}

// A Listed is a template in a list: a *Brief or an *Entry.
type Listed struct{ Value any }

// MarshalJSONTo implements json.MarshalerTo.
func (l Listed) MarshalJSONTo(enc *jsontext.Encoder) error { return anything(enc, l.Value) }

// JSONSchema implements facts.Described.
func (Listed) JSONSchema(d facts.Describer) *facts.Schema { return d.AnyOf(Brief{}, Entry{}) }

// A Brief is a template in a line.
type Brief struct {
	ID               string         `json:"id" doc:"name of the template in addresses"`
	Name             string         `json:"name" doc:"name of the model"`
	Category         string         `json:"category" doc:"field and kind, such as NLP/LLM"`
	Description      string         `json:"description" doc:"one line that says what the model is"`
	Parameters       int64          `json:"parameters" doc:"learned elements, every distinct tensor once"`
	ActiveParameters int64          `json:"active_parameters" doc:"parameters that work on one token: with experts, less than all"`
	Verdict          verify.Verdict `json:"verdict" enum:"pass,advisory,fail" doc:"fail with any error, advisory with any warning, else pass; accepted findings do not count"`
}

// An Entry is what the index of the catalog lists of a template, without the
// addresses of its files.
type Entry struct {
	facts.Totals
	facts.Traits
	Organisation string      `json:"organisation" doc:"who made the model, empty when nobody is named"`
	Released     string      `json:"released" doc:"release date, YYYY-MM-DD or YYYY-MM, empty when not known"`
	Findings     facts.Tally `json:"findings" doc:"how many findings there are, without those that are accepted"`
}

// Templates finds templates of the catalog. Without a catalog there are none.
func Templates(_ context.Context, env *Env, in TemplatesParams) (*Found, error) {
	if in.Limit < 0 || in.Offset < 0 {
		return nil, &Error{Kind: Invalid, Err: fmt.Errorf("found limit %d and offset %d, expected 0 or more", in.Limit, in.Offset)}
	}
	type hit struct {
		*Model
		worse bool // the words stand in more than its id and name
	}
	var hits []hit
	if env.Catalog != nil {
		for m := range env.Catalog.Models() {
			named := strings.ToLower(m.ID + " " + m.Name())
			if all(in.Query, named) {
				hits = append(hits, hit{m, false})
			} else if all(in.Query, named+" "+m.text()) {
				hits = append(hits, hit{m, true})
			}
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int {
		if a.worse != b.worse {
			return cmp.Compare(rank(a.worse), rank(b.worse))
		}
		return strings.Compare(a.ID, b.ID)
	})
	found := &Found{Count: len(hits), Templates: []Listed{}}
	hits = hits[min(in.Offset, len(hits)):]
	if in.Limit > 0 {
		hits = hits[:min(in.Limit, len(hits))]
	}
	for _, h := range hits {
		found.Templates = append(found.Templates, h.listed(in.Full))
	}
	return found, nil
}

func rank(worse bool) int {
	if worse {
		return 1
	}
	return 0
}

// all reports whether every word of a query stands in a text in lower case.
func all(query, text string) bool {
	for word := range strings.FieldsSeq(strings.ToLower(query)) {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}

// text is what else a template is found by, in lower case.
func (m *Model) text() string {
	t := facts.TraitsOf(m.Model)
	list := []string{m.Doc.Category, m.Organisation, string(t.Density)}
	list = append(append(list, m.Tags...), t.LayerTypes...)
	for _, a := range t.Attention {
		list = append(list, string(a)+" attention")
	}
	for _, i := range m.Model.Order {
		list = append(list, m.Model.Nodes[i].Display())
	}
	return strings.ToLower(strings.Join(list, " "))
}

func (m *Model) listed(full bool) Listed {
	t := m.Totals()
	if full {
		return Listed{&Entry{t, facts.TraitsOf(m.Model), m.Organisation, m.Released, facts.Tallied(m.Findings)}}
	}
	return Listed{&Brief{m.ID, t.Name, t.Category, t.Description, t.Parameters, t.ActiveParameters, t.Verdict}}
}
