package ops

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/strata-catalog/strata/generator/adopt"
	"github.com/strata-catalog/strata/generator/cost"
	"github.com/strata-catalog/strata/generator/facts"
	"github.com/strata-catalog/strata/generator/graph"
	"github.com/strata-catalog/strata/generator/pipeline"
	"github.com/strata-catalog/strata/generator/verify"
	"github.com/strata-catalog/strata/generator/words"
)

// An Env is what operations may use beside their parameters. The zero value has
// no catalog and the usual limits.
type Env struct {
	Catalog    Catalog // nil: no templates
	Components int     // most components of a graph after expansion; 0: as many as a document may have
}

// A Catalog holds templates. It does not change.
type Catalog interface {
	// Model is the template with an id, nil when there is none.
	Model(id string) *Model
	// Models lists all of them, by id.
	Models() iter.Seq[*Model]
}

// A Model is a model that is asked about, analysed.
type Model struct {
	*pipeline.Report
	ID   string
	File string // what messages call it
	// Listed says that it is a template of a catalog, which knows more of it than
	// its graph says.
	Listed       bool
	Description  string
	Tags         []string
	Published    int64    // parameters of the checkpoint, 0 when not known
	Sources      []string // addresses of paper, code, checkpoint
	Organisation string   // who made it, "" when nobody is named
	Released     string   // YYYY-MM-DD or YYYY-MM, "" when not known
	Assumptions  cost.Assumptions
	Warnings     []string // what its configuration says and its graph does not
}

// Name is the name to show.
func (m *Model) Name() string {
	if m.Doc.Name != "" {
		return m.Doc.Name
	}
	return m.ID
}

// Posted is the model of a graph document that is no part of a catalog.
func Posted(file string, r *pipeline.Report) *Model {
	d := r.Doc
	return &Model{
		Report: r, ID: d.ID, File: file, Description: d.Description, Tags: d.Tags,
		Published: d.RealParamCount, Assumptions: cost.Default(),
	}
}

// Totals are the facts that an index lists.
func (m *Model) Totals() facts.Totals {
	t := facts.Index(m.Report, m.Published)
	t.Description, t.Tags = m.Description, m.Tags
	return t
}

// Facts are everything that is known, as the page of the model has them.
func (m *Model) Facts(plan *cost.Plan) *facts.Model {
	f := facts.Of(m.Report, plan, m.Published)
	f.Description, f.Tags = m.Description, m.Tags
	return f
}

// Whole is an *Error for a model of which nothing can be told but its faults.
func (m *Model) Whole() error {
	if !m.Broken() {
		return nil
	}
	faults := facts.Checked(m.Report).Findings
	f := m.Findings[0]
	more := ""
	if n := len(m.Findings) - 1; n > 0 {
		more = fmt.Sprintf(", and %d more", n)
	}
	return &Error{
		Kind: Unfit, Findings: faults,
		Err: &graph.Error{Position: f.Position, Msg: fmt.Sprintf("a structural fault leaves nothing to tell; mend it first: %s [%s]%s", f.Message, f.Rule, more)},
	}
}

// A Subject says which model is meant, in one of three ways. Where parameters
// are about one model, they may be a graph document instead.
type Subject struct {
	Model    jsontext.Value `json:"model,omitempty" doc:"a graph document"`
	Config   jsontext.Value `json:"config,omitempty" doc:"the config.json of a Hugging Face checkpoint, instead of a graph"`
	Template string         `json:"template,omitempty" doc:"id of a template of the catalog, instead of a graph"`
}

func (s *Subject) take(graph []byte) { s.Model = graph }

func (s *Subject) empty() bool { return s.Model == nil && s.Config == nil && s.Template == "" }

// A Side is a Subject inside of parameters.
type Side struct{ Subject }

// UnmarshalJSONFrom implements json.UnmarshalerFrom: a graph document stands for
// an object with one.
func (s *Side) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	at := dec.StackPointer()
	src, err := dec.ReadValue()
	if err != nil {
		return err
	}
	return Read(string(at.LastToken()), bytes.Clone(src), &s.Subject)
}

// JSONSchema implements facts.Described.
func (Side) JSONSchema(d facts.Describer) *facts.Schema {
	s := d.Object(Subject{})
	s.Description = "a model, as an object that names it in one of these ways, or as a bare graph document"
	return s
}

// resolve analyses the model that is meant. name is what messages call it.
func (s *Subject) resolve(ctx context.Context, env *Env, name string) (*Model, error) {
	given := 0
	for _, is := range []bool{s.Model != nil, s.Config != nil, s.Template != ""} {
		if is {
			given++
		}
	}
	switch {
	case given == 0:
		return nil, &Error{Kind: Invalid, Err: fmt.Errorf("%s: which model? Give a graph as model, a Hugging Face configuration as config, or the id of a template as template", name)}
	case given > 1:
		return nil, &Error{Kind: Invalid, Err: fmt.Errorf("%s: found several of model, config and template; give one of them", name)}
	case s.Template != "":
		return env.template(s.Template)
	case s.Config != nil:
		m, _, err := env.adopt(ctx, name, s.Config, "")
		return m, err
	}
	r, err := env.analyse(ctx, name, s.Model, verify.Options{})
	if err != nil {
		return nil, err
	}
	return Posted(name, r), nil
}

// whole is resolve, for operations that can tell nothing of a model with
// structural faults.
func (s *Subject) whole(ctx context.Context, env *Env, name string) (*Model, error) {
	m, err := s.resolve(ctx, env, name)
	if err == nil {
		err = m.Whole()
	}
	return m, err
}

func (e *Env) template(id string) (*Model, error) {
	if e.Catalog == nil {
		return nil, &Error{Kind: Unknown, Err: fmt.Errorf("there is no template %s: there is no catalog here; give a graph as model", words.Quote(id))}
	}
	if m := e.Catalog.Model(id); m != nil {
		return m, nil
	}
	var ids []string
	for m := range e.Catalog.Models() {
		ids = append(ids, m.ID)
	}
	return nil, &Error{Kind: Unknown, Err: fmt.Errorf("there is no template %s%s", words.Quote(id), words.DidYouMean(id, ids))}
}

// analyse runs the pipeline. What is no JSON is invalid, any other document that
// cannot be read is unfit.
func (e *Env) analyse(ctx context.Context, name string, src []byte, o verify.Options) (*pipeline.Report, error) {
	doc, err := graph.Decode(name, src)
	if err != nil {
		return nil, unreadable(src, err)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	o.Costly = true
	r, err := pipeline.AnalyseWithin(ctx, cmp.Or(e.Components, graph.MaxComponents), doc, o)
	var placed *graph.Error
	if errors.As(err, &placed) {
		return nil, &Error{Kind: Unfit, Err: err}
	}
	return r, err
}

// unreadable is the error for a document that its decoder refuses.
func unreadable(src []byte, err error) error {
	kind := Unfit
	if !jsontext.Value(src).IsValid() {
		kind = Invalid
	}
	return &Error{Kind: kind, Err: err}
}

// adopt imports a configuration, and analyses the document that comes of it.
func (e *Env) adopt(ctx context.Context, name string, config []byte, id string) (*Model, *adopt.Import, error) {
	in, err := adopt.Config(name, config, id)
	if err != nil {
		return nil, nil, unreadable(config, err)
	}
	r, err := e.analyse(ctx, name, graph.Encode(in.Document), verify.Options{MaskedLanguage: in.MaskedLanguage})
	if err != nil {
		return nil, nil, err
	}
	m := Posted(name, r)
	m.Warnings = in.Warnings
	return m, in, nil
}

// fault makes an error of the estimates one of what was asked.
func fault(err error) error {
	var own *Error
	if err == nil || errors.As(err, &own) {
		return err
	}
	return &Error{Kind: Invalid, Err: err}
}

// anything is written as what it is.
func anything(enc *jsontext.Encoder, v any) error { return json.MarshalEncode(enc, v, enc.Options()) }
