package schema

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/strata-catalog/strata/generator/graph"
	"github.com/strata-catalog/strata/generator/layer"
)

func paramsOf(t *layer.Type) string { return "params." + t.Name }

// ofType says what parameters a component of a type takes.
func ofType(t *layer.Type) object {
	then := object{{"properties", object{{"params", ref(paramsOf(t))}}}}
	if slices.ContainsFunc(t.Fields, func(f layer.Field) bool { return f.Required }) {
		then = append(then, member{"required", []string{"params"}})
	}
	return object{
		{"if", object{{"required", []string{"type"}}, {"properties", object{{"type", object{{"const", t.Name}}}}}}},
		{"then", then},
	}
}

// parameters describes the parameters of a type, each under its own name and
// under the others that are accepted.
func parameters(t *layer.Type) object {
	var properties object
	var required []object
	for i := range t.Fields {
		f := &t.Fields[i]
		properties = append(properties, member{f.Name, field(f, f.Doc)})
		names := []object{{{"required", []string{f.Name}}}}
		for _, alias := range f.Aliases {
			properties = append(properties, member{alias, field(f, "Another name of "+f.Name+": "+f.Doc)})
			names = append(names, object{{"required", []string{alias}}})
		}
		if f.Required {
			required = append(required, object{{"anyOf", names}})
		}
	}
	if len(required) == 0 {
		return typed("object", t.Doc.Summary, member{"properties", properties})
	}
	return object{{"description", t.Doc.Summary}, {"type", "object"}, {"properties", properties}, {"allOf", required}}
}

// field describes one parameter: its words, its default and its values.
func field(f *layer.Field, doc string) object {
	if f.Unit != "" {
		doc += " (" + f.Unit + ")"
	}
	usual := literal(f)
	if usual == nil && f.Default != "" {
		doc += "; default: " + f.Default
	}
	s := object{{"description", doc}}
	if usual != nil {
		s = append(s, member{"default", usual})
	}
	return append(s, member{"anyOf", append(values(f), ref("value"))})
}

// values are the forms that a parameter may have.
func values(f *layer.Field) []object {
	one := bounded(f, "integer")
	given := object{{"type", "string"}, {"pattern", `^\$`}} // a value of the block
	list := object{{"type", "array"}, {"items", object{{"anyOf", []object{one, given}}}}}
	some := append(slices.Clone(list), member{"minItems", 1})
	switch f.Kind {
	case layer.Number:
		return []object{bounded(f, "number")}
	case layer.Boolean:
		return []object{{{"type", "boolean"}}}
	case layer.String:
		if len(f.Enum) > 0 {
			return []object{{{"enum", f.Enum}}}
		}
		return []object{{{"type", "string"}}}
	case layer.SizesK:
		return []object{one, some}
	case layer.PadK:
		return []object{one, some, {{"enum", []string{"same", "valid"}}}}
	case layer.ListK:
		return []object{list, one}
	case layer.NumbersK:
		return []object{{{"type", "array"}, {"items", bounded(f, "number")}}}
	case layer.NamesK:
		return []object{{{"type", "object"}, {"additionalProperties", object{{"type", "string"}}}}}
	}
	return []object{one} // Integer, OptK
}

// bounded is a number in the range of the parameter.
func bounded(f *layer.Field, kind string) object {
	s := object{{"type", kind}}
	least, most := any(-graph.MaxNumber), any(graph.MaxNumber)
	if f.Min != nil {
		least = *f.Min
	}
	if f.Max != nil {
		most = *f.Max
	}
	s = append(s, member{"minimum", least}, member{"maximum", most})
	if f.Below != nil {
		s = append(s, member{"exclusiveMaximum", *f.Below})
	}
	return s
}

// literal is the default as a value, nil where it is none or said in words.
func literal(f *layer.Field) jsontext.Value {
	switch f.Kind {
	case layer.String:
		if f.Default == "" || len(f.Enum) > 0 && !slices.Contains(f.Enum, f.Default) {
			return nil
		}
		quoted, err := jsontext.AppendQuote(nil, f.Default)
		if err != nil {
			return nil
		}
		return quoted
	case layer.Boolean, layer.Integer, layer.OptK, layer.Number, layer.SizesK, layer.PadK:
		if v := jsontext.Value(f.Default); v.IsValid() && !strings.ContainsAny(f.Default, " \"") {
			return v
		}
	}
	return nil
}
