package schema_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/strata-catalog/strata/generator/graph"
	"github.com/strata-catalog/strata/generator/layer"
	"github.com/strata-catalog/strata/generator/pipeline"
	"github.com/strata-catalog/strata/generator/schema"
)

// compiler returns a function that compiles a part of a schema, which a JSON
// Pointer names; "" is the whole.
func compiler(t *testing.T, write func(id string) ([]byte, error)) func(pointer string) *jsonschema.Schema {
	t.Helper()
	src, err := write("")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(src))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("graph.json", doc); err != nil {
		t.Fatal(err)
	}
	return func(pointer string) *jsonschema.Schema {
		s, err := c.Compile("graph.json#" + pointer)
		if err != nil {
			t.Fatalf("%s: %v", pointer, err)
		}
		return s
	}
}

// validate is what the schema says to a document; a text that is not JSON is
// an error too.
func validate(s *jsonschema.Schema, src []byte) error {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(src))
	if err != nil {
		return err
	}
	return s.Validate(doc)
}

// Every graph that is published validates: those of the catalog, and those that
// stand in the wild.
func TestGraphs(t *testing.T) {
	s := compiler(t, schema.Graph)("")
	for _, folder := range []string{"../../templates", "../../../shared/zoo", "../../../shared/reference/graphs"} {
		t.Run(filepath.Base(folder), func(t *testing.T) {
			files, _ := filepath.Glob(folder + "/*/model.json")
			if len(files) == 0 {
				if strings.Contains(folder, "shared") {
					t.Skipf("%s is not beside the checkout", folder)
				}
				t.Fatalf("no graph in %s", folder)
			}
			for _, file := range files {
				src, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				if err := validate(s, src); err != nil {
					t.Errorf("%s: %#v", file, err)
				}
			}
		})
	}
}

// beyond lists the unreadable documents that the schema accepts, and why.
var beyond = map[string]string{
	"block-contains-itself": "it would have to follow names from block to block",
	"block-unknown-output":  "it cannot look an id up",
	"depth-of-blocks":       "it would have to follow names from block to block",
	"each-of-wrong-length":  "it cannot compare a length with a number",
	"unknown-block":         "it cannot look a name up",
	"value-not-given":       "it cannot look a name up",
}

// TestUnreadable: what the pipeline cannot read, the schema does not accept,
// but for what a schema cannot say.
func TestUnreadable(t *testing.T) {
	s := compiler(t, schema.Graph)("")
	files, _ := filepath.Glob("../pipeline/testdata/bad/*.json")
	checked, excepted := 0, 0
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := pipeline.Run(file, src); err == nil {
			continue
		}
		checked++
		reason := beyond[strings.TrimSuffix(filepath.Base(file), ".json")]
		switch err := validate(s, src); {
		case reason != "" && err != nil:
			t.Errorf("%s is refused (%v), although %s; take it off the list", file, err, reason)
		case reason == "" && err == nil:
			t.Errorf("%s cannot be read, but the schema accepts it", file)
		case reason != "":
			excepted++
		}
	}
	if checked < 20 || excepted != len(beyond) {
		t.Errorf("found %d unreadable documents, and %d of the %d exceptions; the folder is not what it was", checked, excepted, len(beyond))
	}
}

// TestForms holds the schema to documents that differ by little.
func TestForms(t *testing.T) {
	s := compiler(t, schema.Graph)("")
	for _, test := range []struct {
		component string
		good      bool
	}{
		{`{"id": "a", "type": "linear", "params": {"outFeatures": 4}}`, true},
		{`{"id": "a", "type": "linear", "params": {"outFeatures": "$width", "bias": null}}`, true},
		{`{"id": "a", "type": "linear", "params": {"outFeatures": "width"}}`, false},
		{`{"id": "a", "type": "linear", "params": {"outFeatures": 0}}`, false},
		{`{"id": "a", "type": "linear", "params": {"outFeatures": 2.5}}`, false},
		{`{"id": "a", "type": "linear", "params": {"inFeatures": 4}}`, false},
		{`{"id": "a", "type": "linear"}`, false},
		{`{"id": "a", "type": "linear", "params": {"outFeatures": 4, "anything": [1]}, "position": {"x": 1}}`, true},
		{`{"id": "a", "type": "nobodyKnows", "params": {"outFeatures": 2.5}}`, true},
		{`{"id": "a", "type": "projection", "params": {"projDim": 4}}`, true},
		{`{"id": "a", "type": "conv2d", "params": {"outChannels": 4, "kernelSize": [3, 1], "padding": "same"}}`, true},
		{`{"id": "a", "type": "conv2d", "params": {"outChannels": 4, "kernelSize": [], "padding": 1}}`, false},
		{`{"id": "a", "type": "conv2d", "params": {"outChannels": 4, "kernelSize": ["$height", 1]}}`, true},
		{`{"id": "a", "type": "conv2d", "params": {"outChannels": 4, "kernelSize": ["height", 1]}}`, false},
		{`{"id": "a", "type": "conv2d", "params": {"outChannels": 4, "kernelSize": 3, "padding": "sane"}}`, false},
		{`{"id": "a", "type": "rope", "params": {"dim": 64, "scaling": "yarn"}}`, true},
		{`{"id": "a", "type": "rope", "params": {"dim": 64, "scaling": "yarm"}}`, false},
		{`{"id": "a", "block": "b", "repeat": 36, "share": true, "with": {"w": 1}, "each": {"kv": [8, null]}}`, true},
		{`{"id": "a", "pattern": ["b", "c"], "repeat": 6, "type": null}`, true},
		{`{"id": "a", "block": "b", "repeat": 12, "first": "layer_0"}`, true},
		{`{"id": "a", "block": "b", "repeat": 12, "first": "layer"}`, false},
		{`{"id": "a", "block": "b", "repeat": 12, "first": "layer_00"}`, false},
		{`{"id": "a", "block": "b", "first": "layer_0"}`, false},
		{`{"id": "a", "type": "relu", "first": "layer_0"}`, false},
		{`{"id": "a", "type": "relu", "block": null, "repeat": null, "share": false, "with": {}}`, true},
		{`{"id": "a", "type": "relu", "share": true}`, false},
		{`{"id": "a", "type": "relu", "each": {}}`, false},
		{`{"id": "a", "type": "relu", "pattern": ["b"]}`, false},
		{`{"id": "a", "block": "b", "pattern": ["b"]}`, false},
		{`{"id": "a", "pattern": []}`, false},
		{`{"id": "", "type": "relu"}`, false},
		{`{"id": "a", "type": "relu", "inputs": ["x", "x"], "notes": "anything"}`, true},
		{`{"id": "a", "type": "relu", "inputs": "x"}`, false},
	} {
		src := []byte(`{"components": [` + test.component + `]}`)
		if err := validate(s, src); (err == nil) != test.good {
			t.Errorf("%s: good is %v: %v", test.component, !test.good, err)
		}
		// What the format refuses, the schema refuses; what the schema refuses
		// is unreadable, or a finding.
		r, err := pipeline.Run("test", src)
		if test.good && err != nil && !strings.Contains(test.component, `"b"`) && !strings.Contains(test.component, "$") {
			t.Errorf("%s: the schema accepts what cannot be read: %v", test.component, err)
		}
		if !test.good && err == nil && len(r.Findings) == 0 {
			t.Errorf("%s: the schema refuses what is good", test.component)
		}
	}
}

// TestParameters tries values of every kind on every parameter: the schema
// accepts what the layer accepts as that parameter, whatever it says of others.
func TestParameters(t *testing.T) {
	part := compiler(t, schema.Graph)
	values := []string{`null`, `0`, `1`, `-1`, `3`, `1.5`, `0.5`, `1e3`, `9007199254740992`, `"same"`, `"valid"`, `"?"`, `true`, `[]`, `[1]`, `[0]`, `[3, 1]`, `[1.5]`, `["a"]`, `{}`, `{"q": "q_proj"}`, `{"q": 1}`}
	tried := 0
	for _, typ := range layer.All {
		for _, f := range typ.Fields {
			for _, name := range append([]string{f.Name}, f.Aliases...) {
				s := part("/$defs/params." + typ.Name + "/properties/" + name)
				for _, v := range values {
					r, err := typ.Try(layer.Example{Params: `{"` + name + `": ` + v + `}`})
					if err != nil {
						t.Fatal(err)
					}
					takes := !slices.ContainsFunc(r.Problems, func(p layer.Problem) bool {
						return p.Rule == layer.BadParam && p.Param == name && strings.HasPrefix(p.Message, name+" is "+strings.ReplaceAll(v, " ", ""))
					})
					tried++
					if typ.Name == "reshape" && f.Name == "shape" && v == "[0]" {
						continue // its shape rule refuses it, not the parameter's declaration
					}
					if err := validate(s, []byte(v)); (err == nil) != takes {
						t.Errorf("%s.%s: the layer takes %s: %v; the schema: %v", typ.Name, name, v, takes, err)
					}
				}
			}
		}
	}
	if tried < 10_000 {
		t.Errorf("tried %d values only", tried)
	}
}

// described is the part of the schema that says what parameters there are.
type described struct {
	Description string
	Default     json.RawMessage
	Properties  map[string]described
}

// TestWords: everything that can be written has its words, and a default that
// is given is a value of the parameter.
func TestWords(t *testing.T) {
	src, err := schema.Graph("https://example.org/schema/graph-v1.json")
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		ID         string               `json:"$id"`
		Defs       map[string]described `json:"$defs"`
		Properties map[string]described
	}
	if err := json.Unmarshal(src, &doc); err != nil {
		t.Fatal(err)
	}
	if doc.ID != "https://example.org/schema/graph-v1.json" {
		t.Errorf("the id is %q", doc.ID)
	}
	doc.Defs["document"] = described{Description: "-", Properties: doc.Properties}
	part := compiler(t, schema.Graph)
	defaults := 0
	for name, d := range doc.Defs {
		if d.Description == "" {
			t.Errorf("%s has no description", name)
		}
		for key, p := range d.Properties {
			if p.Description == "" {
				t.Errorf("%s: %s has no description", name, key)
			}
			if p.Default == nil {
				continue
			}
			defaults++
			if err := validate(part("/$defs/"+name+"/properties/"+key), p.Default); err != nil {
				t.Errorf("%s: the default of %s: %v", name, key, err)
			}
		}
	}
	for _, typ := range layer.All {
		for _, f := range typ.Fields {
			p := doc.Defs["params."+typ.Name].Properties[f.Name]
			if f.Default != "" && p.Default == nil && !strings.Contains(p.Description, "default: "+f.Default) {
				t.Errorf("%s: the schema does not say that the default of %s is %s", typ.Name, f.Name, f.Default)
			}
		}
	}
	if defaults < 200 {
		t.Errorf("found %d defaults only", defaults)
	}
}

// TestMembers compares the members that the schema describes with those that a
// document is written with, and with those that are read and not kept apart.
func TestMembers(t *testing.T) {
	layerOf := graph.Component{
		ID: "a", Type: "relu", Name: "A", Params: []graph.Param{{Name: "p", Value: "1"}}, Inputs: []graph.Ref{{ID: "x"}}, HasInputs: true,
		SharedWith: graph.Ref{ID: "b"},
	}
	use := graph.Component{
		ID: "b", Block: "b", Repeat: 2, First: "layer_1", Share: true, With: []graph.Param{{Name: "w", Value: "1"}},
		Each: []graph.Each{{Name: "e", Values: []graph.Param{{Value: "1"}, {Value: "2"}}}},
	}
	cycle := graph.Component{ID: "c", Pattern: []string{"b"}, Repeat: 2}
	components := []graph.Component{layerOf, use, cycle}
	doc := &graph.Document{
		ID: "m", Name: "M", Description: "d", Category: "c", Tags: []string{"t"}, RealParamCount: 1, Components: components,
		Connections: []graph.Connection{{From: "a", To: "b"}},
		Blocks:      []graph.Block{{Name: "b", Inputs: []string{"x"}, Components: components[:1], Output: "a"}},
	}
	var written struct {
		Components, Connections []map[string]any
		Blocks                  map[string]map[string]any
	}
	src := graph.Encode(doc)
	top := map[string]any{}
	if err := errors.Join(json.Unmarshal(src, &written), json.Unmarshal(src, &top)); err != nil {
		t.Fatal(err)
	}
	component := map[string]any{}
	for _, c := range written.Components {
		maps.Copy(component, c)
	}
	described := func(pointer string) []string {
		return slices.Sorted(maps.Keys(compiler(t, schema.Graph)(pointer).Properties))
	}
	for _, test := range []struct {
		what, pointer string
		members       map[string]any
		beside        []string // for editors; kept apart when read
	}{
		{"document", "", top, []string{"$schema"}},
		{"component", "/$defs/component", component, nil},
		{"connection", "/$defs/connection", written.Connections[0], nil},
		{"block", "/$defs/block", written.Blocks["b"], nil},
	} {
		want := slices.Sorted(maps.Keys(test.members))
		want = append(want, test.beside...)
		slices.Sort(want)
		if got := described(test.pointer); !slices.Equal(got, want) {
			t.Errorf("%s: the schema describes %v; documents have %v", test.what, got, want)
		}
	}
	// A member of the structs that stands in no document would escape.
	for _, v := range []any{*doc, layerOf, use, cycle, doc.Connections[0], doc.Blocks[0]} {
		for _, f := range reflect.VisibleFields(reflect.TypeOf(v)) {
			if kept := f.Name == "Source" || f.Name == "Extra" || strings.HasSuffix(f.Name, "Pos"); !kept && !anySet(f.Name, v, *doc, layerOf, use, cycle, doc.Connections[0], doc.Blocks[0]) {
				t.Errorf("%T: field %s is not part of this test", v, f.Name)
			}
		}
	}
}

// anySet reports whether a field is set in one of the values that have the type
// of the first.
func anySet(name string, of any, values ...any) bool {
	return slices.ContainsFunc(values, func(v any) bool {
		return reflect.TypeOf(v) == reflect.TypeOf(of) && !reflect.ValueOf(v).FieldByName(name).IsZero()
	})
}
