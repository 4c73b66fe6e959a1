package schema

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/strata-catalog/strata/generator/cost"
	"github.com/strata-catalog/strata/generator/policy"
)

// Policy is the JSON Schema of policy files. id is the address that it is
// published at; "" leaves it out.
func Policy(id string) ([]byte, error) {
	s := object{{"$schema", draft}}
	if id != "" {
		s = append(s, member{"$id", id})
	}
	properties, asks := object{}, []object{}
	for _, l := range policy.Lines {
		properties = append(properties, member{l.Key, line(l)})
		if !l.Setting() {
			asks = append(asks, object{{"required", []string{l.Key}}})
		}
	}
	s = append(s, object{
		{"title", "Policy"},
		{"description", "Limits that a model has to keep."},
		{"type", "object"},
		{"properties", append(properties, member{"assumptions", assumptions()})},
		{"additionalProperties", false},
		{"anyOf", asks},
	}...)
	src, err := json.Marshal(s, jsontext.WithIndent(" "))
	return append(src, '\n'), err
}

// line is one key of a policy.
func line(l *policy.Line) object {
	switch {
	case l.List():
		return typed("array", l.Doc, member{"items", object{{"enum", l.Known}}})
	case l.Setting():
		return object{{"description", l.Doc}, {"enum", l.Known}, {"default", l.Default}}
	case l.Known != nil:
		return object{{"description", l.Doc}, {"enum", l.Known}}
	case l.Value == "a whole number":
		return typed("integer", l.Doc, member{"minimum", l.Min})
	}
	return typed("number", l.Doc, member{"minimum", l.Min})
}

// assumptions are those of estimates, as the settings of a site have them.
func assumptions() object {
	properties := object{}
	for _, a := range cost.Default().List() {
		doc := a.Doc
		if a.Unit != "" {
			doc += ", in " + a.Unit
		}
		kind := member{"type", "number"}
		switch {
		case a.Known != nil:
			kind = member{"enum", a.Known}
		case a.Value == "true" || a.Value == "false":
			kind = member{"type", "boolean"}
		}
		properties = append(properties, member{a.Key, object{{"description", doc}, kind}})
	}
	return object{
		{"description", "What estimates assume, where it differs from the defaults."},
		{"type", "object"}, {"properties", properties}, {"additionalProperties", false},
	}
}
