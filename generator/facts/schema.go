package facts

import (
	"math/big"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/strata-catalog/strata/generator/policy"
	"github.com/strata-catalog/strata/generator/shape"
)

// A Schema is a JSON Schema (draft 2020-12), or a part of one.
type Schema struct {
	Schema      string             `json:"$schema,omitempty"`
	ID          string             `json:"$id,omitempty"`
	Ref         string             `json:"$ref,omitempty"`
	Title       string             `json:"title,omitempty"`
	Description string             `json:"description,omitempty"`
	Type        any                `json:"type,omitempty"` // a name or a list of names
	Enum        []string           `json:"enum,omitempty"`
	AnyOf       []*Schema          `json:"anyOf,omitempty"`
	Pattern     string             `json:"pattern,omitempty"`
	Items       *Schema            `json:"items,omitempty"`
	Properties  Properties         `json:"properties,omitempty"`
	Required    []string           `json:"required,omitempty"`
	Values      *Schema            `json:"additionalProperties,omitempty"`
	Defs        map[string]*Schema `json:"$defs,omitempty"`
}

// Properties are the members of an object, in declared order.
type Properties []Property

// A Property is one member of an object.
type Property struct {
	Name string
	*Schema
}

// MarshalJSONTo implements json.MarshalerTo.
func (p Properties) MarshalJSONTo(enc *jsontext.Encoder) error {
	if err := enc.WriteToken(jsontext.BeginObject); err != nil {
		return err
	}
	for _, q := range p {
		if err := enc.WriteToken(jsontext.String(q.Name)); err != nil {
			return err
		}
		if err := json.MarshalEncode(enc, q.Schema); err != nil {
			return err
		}
	}
	return enc.WriteToken(jsontext.EndObject)
}

// SchemaOf is the schema of the JSON that v is written as: the tags of its
// structs are its keys, and their doc tags its words. Keys may be added to what
// it describes, so it forbids none.
func SchemaOf(v any, id, title, description string) *Schema {
	d := Describer{defs: map[string]*Schema{}}
	s := d.root(reflect.TypeOf(v))
	s.Schema, s.ID, s.Title = "https://json-schema.org/draft/2020-12/schema", id, title
	s.Description = description + " Integers beyond 2^53 are strings of digits. Keys may be added; those that are here stay."
	s.Defs = d.defs
	return s
}

// root is the schema of a document, or of what a pointer to it leads to.
func (d Describer) root(t reflect.Type) *Schema {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if own, ok := reflect.Zero(t).Interface().(Described); ok {
		return own.JSONSchema(d)
	}
	return d.object(t)
}

// enumerated is a string that has only some values.
type enumerated interface{ Values() []string }

// Described is a type that is written in a form of its own, and says which.
type Described interface {
	JSONSchema(Describer) *Schema
}

// A Describer makes the schemas of one document.
type Describer struct{ defs map[string]*Schema }

// Object is the schema of a struct, in the place where it stands.
func (d Describer) Object(v any) *Schema { return d.object(reflect.TypeOf(v)) }

// AnyOf is the schema of what is one of several structs.
func (d Describer) AnyOf(list ...any) *Schema {
	s := &Schema{}
	for _, v := range list {
		s.AnyOf = append(s.AnyOf, d.of(reflect.TypeOf(v)))
	}
	return s
}

// The types that are written in a form of their own.
var (
	countType   = reflect.TypeFor[int64]()
	bigType     = reflect.TypeFor[*big.Int]()
	ratType     = reflect.TypeFor[*big.Rat]()
	figureType  = reflect.TypeFor[policy.Figure]()
	shapeType   = reflect.TypeFor[shape.Shape]()
	valueType   = reflect.TypeFor[Value]()
	paramsType  = reflect.TypeFor[Params]()
	tensorsType = reflect.TypeFor[Tensors]()
	objectType  = reflect.TypeFor[jsontext.Value]()
)

func (d Describer) of(t reflect.Type) *Schema {
	switch t {
	case countType:
		return d.ref("count", func() *Schema {
			return &Schema{Description: "a whole number; a string of digits beyond 2^53", Type: []string{"integer", "string"}, Pattern: "^-?[0-9]+$"}
		})
	case bigType:
		return orNull(d.of(countType))
	case ratType:
		return d.ref("fraction", func() *Schema {
			return &Schema{Description: "an exact number: a count, or a fraction as text, numerator/denominator", Type: []string{"integer", "string"}, Pattern: "^-?[0-9]+(/[0-9]+)?$"}
		})
	case figureType:
		return d.ref("figure", func() *Schema {
			return &Schema{Description: "a number; a string of digits for a whole one beyond 2^53", Type: []string{"number", "string", "null"}, Pattern: "^-?[0-9]+$"}
		})
	case shapeType:
		return d.ref("shape", func() *Schema {
			return &Schema{Description: "size of each axis, outermost first; null when it is not known", Type: []string{"array", "null"}, Items: d.of(countType)}
		})
	case valueType:
		return &Schema{}
	case paramsType, objectType:
		return &Schema{Type: "object"}
	case tensorsType:
		return d.of(reflect.TypeFor[[]Tensor]())
	}
	if own, ok := reflect.Zero(t).Interface().(Described); ok {
		return own.JSONSchema(d)
	}
	switch t.Kind() {
	case reflect.Bool:
		return &Schema{Type: "boolean"}
	case reflect.Int:
		return &Schema{Type: "integer"}
	case reflect.Float64:
		return &Schema{Type: "number"}
	case reflect.String:
		s := &Schema{Type: "string"}
		if e, ok := reflect.Zero(t).Interface().(enumerated); ok {
			s.Enum = e.Values()
		}
		return s
	case reflect.Pointer:
		return orNull(d.of(t.Elem()))
	case reflect.Slice:
		return &Schema{Type: "array", Items: d.of(t.Elem())}
	case reflect.Map:
		return &Schema{Type: "object", Values: d.of(t.Elem())}
	case reflect.Struct:
		return d.ref(defName(t), func() *Schema { return d.object(t) })
	}
	panic("facts: no schema for " + t.String())
}

// ref is a reference to a definition, which is made at its first use.
func (d Describer) ref(name string, make func() *Schema) *Schema {
	if _, ok := d.defs[name]; !ok {
		d.defs[name] = nil // a type may contain itself
		d.defs[name] = make()
	}
	return &Schema{Ref: "#/$defs/" + name}
}

// defName tells types of one name in two packages apart.
func defName(t reflect.Type) string {
	name := strings.ToLower(t.Name())
	if path := t.PkgPath(); !strings.HasSuffix(path, "/facts") {
		name = path[strings.LastIndexByte(path, '/')+1:] + "." + name
	}
	return name
}

func orNull(s *Schema) *Schema {
	if name, plain := s.Type.(string); plain && len(s.Enum) == 0 {
		s.Type = []string{name, "null"}
		return s
	}
	return &Schema{AnyOf: []*Schema{s, {Type: "null"}}}
}

func (d Describer) object(t reflect.Type) *Schema {
	s := &Schema{Type: "object"}
	for _, f := range reflect.VisibleFields(t) {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" || name == "-" || !f.IsExported() {
			continue
		}
		p := d.of(f.Type)
		p.Description = f.Tag.Get("doc")
		if enum := f.Tag.Get("enum"); enum != "" {
			p.Enum = strings.Split(enum, ",")
		}
		s.Properties = append(s.Properties, Property{name, p})
		if !strings.Contains(options, "omit") {
			s.Required = append(s.Required, name)
		}
	}
	return s
}
