// Package ops declares what can be asked of the program: find and show
// templates, check, plan, compare and export a model, explain a rule or a layer
// type, import a configuration. Each is one value, with its name, its words, the
// struct of its parameters and that of its answer; All lists them. The command
// line, the HTTP interface, the MCP server and the browser are doors that read
// parameters, call, and write the answer, so that one graph has one answer.
//
// The functions behind the values, Check, Plan and so on, can be called as they
// are. They do no I/O: the catalog is handed to them in an Env, and may be
// missing. A mistake in what was asked is an *Error.
package ops

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/strata-catalog/strata/generator/facts"
	"github.com/strata-catalog/strata/generator/graph"
	"github.com/strata-catalog/strata/generator/words"
)

// An Op is one thing that can be asked. Its words are whole sentences.
type Op struct {
	Name    string
	Summary string // what it does, in one sentence
	Doc     string // what to know beyond that
	Answer  string // what the answer is, in a sentence

	in, out reflect.Type
	run     func(ctx context.Context, env *Env, params [][]byte) (any, error)
}

// All lists every operation.
var All = []*Op{
	New("templates", Templates, "Find architectures in the catalog.",
		"Every word of the query has to stand in the id, the name, the category, the tags, the organisation or the layer types of a template, in any case. Templates that have the words in their id or name come first. Without a query all are listed, by id.",
		"The templates that were found, as many as were asked for."),
	New("show", Show, "Show one model: an overview, all of it, one layer, or one block.",
		"The overview has the totals, the verdict and a line for each layer, with what repeats in one. With layer the answer is one layer with its tensors; with block the layers of the first instance of a block, or those below a module path; with full all that is known, which for a large model is megabytes.",
		"What was asked for: an overview, the whole analysis, a layer, or a block."),
	New("check", Check, "Check a graph: does it run, what is wrong with it, how many parameters has it.",
		"Shapes are propagated through every layer, every parameter is counted from named tensors, and the rules of the verifier report what is wrong, each with its place and where possible with a JSON Patch that mends it. A finding with severity error makes the verdict fail, a warning makes it advisory.",
		"The verdict, the findings and the totals, as the JSON of a template page has them."),
	New("plan", Plan, "Estimate what a model takes: memory, KV cache, fit on GPUs, speed, training cost.",
		"Every estimate states what it assumes; each assumption can be given. With base, a second model, the answer carries the diff from base to this one.",
		"The verdict, the totals and the estimates."),
	New("diff", Diff, "Compare two models layer by layer, with what each change costs.",
		"Layers are aligned by type. The bill attributes the differences in parameters, work, cache and training memory to the rows that changed. Estimates of both sides assume the same, training data aside.",
		"What sets the two apart, read from a to b: what is added is in b only."),
	New("export", Export, "Write a model as PyTorch.",
		"The file imports torch alone, and builds the model with the parameters that are counted here, under the same names. A model with a layer that cannot be written is refused; the layers and the reasons are named.",
		"One Python file."),
	New("explain", Explain, "Explain a rule of the verifier, or a layer type.",
		"The name is that of a rule, as findings have it, or of a layer type, as graphs have it.",
		"All that is declared of the rule, with two graphs and its record; or of the layer type, with its parameters and examples."),
	New("import", Import, "Make a graph of the config.json of a Hugging Face checkpoint.",
		"The graph is compact, with the checkpoint's module names, tensor layouts and ties. Fields that may change the model and are not in the graph are named as warnings.",
		"The graph document, and what it amounts to."),
}

// New declares an operation. In is a struct whose fields have the tags json and
// doc; a field that may be left out is marked omitempty or omitzero.
func New[In, Out any](name string, run func(context.Context, *Env, In) (Out, error), summary, doc, answer string) *Op {
	return &Op{
		Name: name, Summary: summary, Doc: doc, Answer: answer,
		in: reflect.TypeFor[In](), out: reflect.TypeFor[Out](),
		run: func(ctx context.Context, env *Env, params [][]byte) (any, error) {
			var in In
			for _, src := range params {
				if err := Read("parameters", src, &in); err != nil {
					return nil, err
				}
			}
			return run(ctx, env, in)
		},
	}
}

// Lookup finds an operation by its name.
func Lookup(name string) (*Op, bool) {
	i := slices.IndexFunc(All, func(o *Op) bool { return o.Name == name })
	if i < 0 {
		return nil, false
	}
	return All[i], true
}

// Run reads parameters from one or several JSON objects, of which later ones add
// to earlier ones, and answers. The answer is written with facts.JSON. An error
// that the caller can mend is an *Error; where the context ends first, the error
// is the context's.
func (o *Op) Run(ctx context.Context, env *Env, params ...[]byte) (any, error) {
	return o.run(ctx, env, params)
}

// Parameters is the JSON Schema of the parameters.
func (o *Op) Parameters() *facts.Schema {
	return facts.SchemaOf(reflect.Zero(o.in).Interface(), "", o.Name+" parameters", o.Summary)
}

// Result is the JSON Schema of the answer.
func (o *Op) Result() *facts.Schema {
	return facts.SchemaOf(reflect.Zero(o.out).Interface(), "", o.Name+" answer", o.Answer)
}

// ParamNames lists the names of the parameters, in declared order.
func (o *Op) ParamNames() []string { return members(o.in) }

func members(t reflect.Type) (list []string) {
	for _, f := range reflect.VisibleFields(t) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && name != "-" {
			list = append(list, name)
		}
	}
	return list
}

// bare is a struct of parameters that may be given as a graph alone.
type bare interface{ take(graph []byte) }

// Read fills a struct of parameters from one JSON object. Where the struct is
// about one model, the object may be a bare graph document: one that has
// components. Whole numbers may be strings of digits. name stands in messages.
// The error is an *Error.
func Read(name string, src []byte, to any) error {
	src = bytes.TrimPrefix(src, []byte("\ufeff"))
	if len(bytes.TrimSpace(src)) == 0 {
		src = []byte("{}")
	}
	b, takes := to.(bare)
	if takes && isGraph(src) {
		b.take(src)
		return nil
	}
	source := &graph.Source{Name: name, Text: string(src)}
	known := members(reflect.TypeOf(to).Elem())
	err := json.Unmarshal(src, to, reading)
	var syntax *jsontext.SyntacticError
	var meaning *json.SemanticError
	var own *Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &own):
		return own
	case errors.As(err, &syntax):
		return &Error{Kind: Invalid, Err: source.Errorf(int(syntax.ByteOffset), "", "not JSON: %v", syntax.Err)}
	case errors.As(err, &meaning) && errors.Is(err, json.ErrUnknownName):
		if takes && jsontext.Value(src).IsValid() && hasComponents(src) {
			reflect.ValueOf(to).Elem().SetZero()
			b.take(src)
			return nil
		}
		return &Error{Kind: Invalid, Err: source.Errorf(int(meaning.ByteOffset), "", "there is no parameter %s%s; there are %s",
			words.Quote(meaning.JSONPointer.LastToken()), words.DidYouMean(meaning.JSONPointer.LastToken(), known), strings.Join(known, ", "))}
	case errors.As(err, &meaning):
		path := strings.ReplaceAll(strings.TrimPrefix(string(meaning.JSONPointer), "/"), "/", ".")
		return &Error{Kind: Invalid, Err: source.Errorf(int(meaning.ByteOffset), path, "%s", mismatch(meaning))}
	}
	return &Error{Kind: Invalid, Err: err}
}

// mismatch says what was found in the place of what.
func mismatch(e *json.SemanticError) string {
	found := map[jsontext.Kind]string{'n': "null", 't': "true", 'f': "false", '"': "a string", '0': "a number", '{': "an object", '[': "a list"}[e.JSONKind]
	wanted := "something else"
	if e.GoType != nil {
		switch k := e.GoType.Kind(); {
		case e.GoType == reflect.TypeFor[jsontext.Value](), k == reflect.Struct, k == reflect.Map:
			wanted = "an object"
		case k == reflect.String:
			wanted = "a string"
		case k == reflect.Bool:
			wanted = "true or false"
		case k == reflect.Int, k == reflect.Int64:
			wanted = "a whole number"
		case k == reflect.Float64:
			wanted = "a number"
		case k == reflect.Slice:
			wanted = "a list"
		}
	}
	if found == "" {
		found = "something"
	}
	if errors.Is(e, errNotWhole) {
		return errNotWhole.Error()
	}
	return fmt.Sprintf("found %s, expected %s", found, wanted)
}

var reading = json.JoinOptions(
	json.RejectUnknownMembers(true),
	json.WithUnmarshalers(json.UnmarshalFromFunc(readInt)),
)

// readInt takes a whole number, or one as a string of digits.
func readInt(dec *jsontext.Decoder, n *int64) error {
	src, err := dec.ReadValue()
	if err != nil {
		return err
	}
	text := strings.Trim(string(src), `"`)
	if *n, err = strconv.ParseInt(text, 10, 64); err != nil {
		return errNotWhole
	}
	return nil
}

var errNotWhole = errors.New("expected a whole number, or one as a string of digits")

// ways are the members by which an object gives a model.
var ways = members(reflect.TypeFor[Subject]())

// isGraph reports whether an object is a graph document, as far as that can be
// told before a member that has a model in it.
func isGraph(src []byte) bool {
	is := false
	eachMember(src, func(name string) bool {
		is = name == "components"
		return !is && !slices.Contains(ways, name)
	})
	return is || notObject(src)
}

// hasComponents is isGraph for an object of which a member is no parameter.
func hasComponents(src []byte) (has bool) {
	eachMember(src, func(name string) bool {
		has = name == "components"
		return !has
	})
	return has
}

// notObject reports whether JSON is another value; the decoder of documents
// tells what it expects.
func notObject(src []byte) bool {
	kind := jsontext.NewDecoder(bytes.NewBuffer(src)).PeekKind()
	return kind != '{' && kind != 0
}

// eachMember calls f with the name of each member until that is enough, or the
// object ends or breaks off.
func eachMember(src []byte, f func(name string) (more bool)) {
	d := jsontext.NewDecoder(bytes.NewBuffer(src))
	if t, err := d.ReadToken(); err != nil || t.Kind() != '{' {
		return
	}
	for d.PeekKind() == '"' {
		name, err := d.ReadToken()
		if err != nil || !f(name.String()) || d.SkipValue() != nil {
			return
		}
	}
}
