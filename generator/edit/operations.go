package edit

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/strata-catalog/strata/generator/facts"
	"github.com/strata-catalog/strata/generator/words"
)

// A Change is an operation with its parameters.
type Change interface {
	// draft plans the change, and says in words what it does.
	draft(*draft) (done string, err error)
}

// An Operation is one way to change a document.
type Operation struct {
	Name  string
	Title string // as a button says it
	Doc   string // one sentence
	// Fields are the parameters, in declared order.
	Fields []Field
	// New is a change without parameters, a pointer to their struct.
	New func() Change
}

// A Field is one parameter of an operation.
type Field struct {
	Name     string
	Kind     Kind
	Doc      string
	Enum     []string
	Required bool
}

// A Kind says what a field holds, so that a form can offer it.
type Kind string

// The kinds of fields.
const (
	Text      Kind = "text"
	Component Kind = "component"  // id of a component, or its path
	Source    Kind = "source"     // the same, or an input of the block
	Sources   Kind = "sources"    // a list of these
	Block     Kind = "block"      // name of a block
	LayerType Kind = "type"       // of the vocabulary
	Params    Kind = "parameters" // an object
	Number    Kind = "number"     // a whole one
	Flag      Kind = "flag"
	Steps     Kind = "patch" // a list of operations of RFC 6902
)

// Operations lists everything that can be done to a document. Undo and redo
// are methods of a Session: they are no changes of their own.
var Operations = []*Operation{
	of[Add]("add", "Add a component", "add a layer, or a use of a block, and connect its inputs"),
	of[Insert]("insert", "Insert between", "add a layer, or a use of a block, between a component and what reads it"),
	of[Edit]("change", "Change a component", "change parameters, name or type of a component"),
	of[Rename]("rename", "Change an id", "give a component another id; what names it follows"),
	of[Remove]("remove", "Remove a component", "take a component out; what read it reads what it read"),
	of[Connect]("connect", "Connect", "add an edge"),
	of[Disconnect]("disconnect", "Disconnect", "take an edge away"),
	of[Rewire]("rewire", "Rewire", "let a component read another one in the place of one that it reads"),
	of[Output]("output", "Set a block's output", "let a block yield another of its components"),
	of[Duplicate]("duplicate", "Duplicate", "copy a component, a use of a block, or a run of components, behind itself"),
	of[Repeat]("repeat", "Change a repeat", "change how often a block repeats, or what repeats in a flat document"),
	of[Fix]("fix", "Apply fixes", "apply the mechanical fixes of findings"),
	of[Patch]("patch", "Apply a JSON Patch", "do operations of RFC 6902 on the document as written"),
}

// Lookup finds an operation.
func Lookup(name string) (*Operation, error) {
	names := make([]string, len(Operations))
	for i, o := range Operations {
		if o.Name == name {
			return o, nil
		}
		names[i] = o.Name
	}
	return nil, fmt.Errorf("found operation %s, expected one of %s%s", words.Quote(name), strings.Join(names, ", "), words.DidYouMean(name, names))
}

// of declares an operation by its parameters. It panics on an incomplete
// declaration: that is a mistake in this package's own source.
func of[T any, P interface {
	*T
	Change
}](name, title, doc string) *Operation {
	o := &Operation{Name: name, Title: title, Doc: doc, New: func() Change { return P(new(T)) }}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[T]()) {
		if f.Anonymous {
			continue
		}
		key, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		field := Field{Name: key, Kind: Kind(f.Tag.Get("kind")), Doc: f.Tag.Get("doc"), Required: options == ""}
		if key == "" || field.Kind == "" || field.Doc == "" {
			panic(fmt.Sprintf("operation %s: %s needs the tags json, kind and doc", name, f.Name))
		}
		if enum := f.Tag.Get("enum"); enum != "" {
			field.Enum = strings.Split(enum, ",")
		}
		o.Fields = append(o.Fields, field)
	}
	return o
}

// Schema is the JSON Schema of the parameters.
func (o *Operation) Schema() *facts.Schema {
	return facts.SchemaOf(reflect.ValueOf(o.New()).Elem().Interface(), "", o.Title, o.Doc+".")
}

// Decode reads the parameters of an operation, a JSON object.
func (o *Operation) Decode(params []byte) (Change, error) {
	c := o.New()
	if err := json.Unmarshal(params, c, json.RejectUnknownMembers(true)); err != nil {
		return nil, o.wrong(err)
	}
	v := reflect.ValueOf(c).Elem()
	for _, f := range reflect.VisibleFields(v.Type()) {
		key, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !f.Anonymous && options == "" && v.FieldByIndex(f.Index).IsZero() {
			return nil, fmt.Errorf("%s needs %s: %s", o.Name, key, f.Tag.Get("doc"))
		}
		if enum := f.Tag.Get("enum"); enum != "" {
			if s := v.FieldByIndex(f.Index).String(); s != "" && !strings.Contains(","+enum+",", ","+s+",") {
				return nil, fmt.Errorf("%s: %s is %s, expected one of %s", o.Name, key, words.Quote(s), strings.ReplaceAll(enum, ",", ", "))
			}
		}
	}
	return c, nil
}

// wrong says what is wrong with parameters in this program's words.
func (o *Operation) wrong(err error) error {
	var se *json.SemanticError
	if !errors.As(err, &se) {
		return fmt.Errorf("%s: the parameters are no JSON object: %w", o.Name, err)
	}
	at := strings.TrimPrefix(string(se.JSONPointer), "/")
	if errors.Is(err, json.ErrUnknownName) {
		names := make([]string, len(o.Fields))
		for i, f := range o.Fields {
			names[i] = f.Name
		}
		return fmt.Errorf("%s has no parameter %s%s; it takes %s", o.Name, words.Quote(at), words.DidYouMean(at, names), strings.Join(names, ", "))
	}
	for _, f := range o.Fields {
		if first, _, _ := strings.Cut(at, "/"); f.Name == first {
			return fmt.Errorf("%s: %s is of the wrong kind, expected %s (%s)", o.Name, at, f.Kind.article(), f.Doc)
		}
	}
	return fmt.Errorf("%s: expected its parameters as a JSON object", o.Name)
}

// article is a kind in a sentence.
func (k Kind) article() string {
	switch k {
	case Params:
		return "an object of parameters"
	case Sources:
		return "a list of ids"
	case Steps:
		return "a list of operations"
	case Number:
		return "a whole number"
	case Flag:
		return "true or false"
	}
	return "a text"
}
