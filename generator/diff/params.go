package diff

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/strata-catalog/strata/generator/graph"
)

// changed lists the parameters that differ, by the names they are declared
// with: a's in a's order, then those that only b has. An absent parameter and
// null are the same, and so are 1 and 1.0.
func changed(a, b []graph.Param) []string {
	var keys []string
	for _, p := range a {
		if !sameValue(p.Value, value(b, p.Name)) {
			keys = append(keys, p.Name)
		}
	}
	for _, p := range b {
		if !has(a, p.Name) && p.Value != null {
			keys = append(keys, p.Name)
		}
	}
	return keys
}

const null = "null"

// value is the JSON of a parameter, null when it is absent.
func value(params []graph.Param, name string) string {
	for i := range params {
		if params[i].Name == name {
			return params[i].Value
		}
	}
	return null
}

func has(params []graph.Param, name string) bool {
	for i := range params {
		if params[i].Name == name {
			return true
		}
	}
	return false
}

// sameValue compares two JSON values by what they mean: the canonical form of
// RFC 8785 orders members and writes a number in one way.
func sameValue(a, b string) bool {
	if a == b {
		return true
	}
	x, y := jsontext.Value(a), jsontext.Value(b)
	if x.Canonicalize() != nil || y.Canonicalize() != nil {
		return false
	}
	return string(x) == string(y)
}
