package edit_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/strata-catalog/strata/generator/edit"
	"github.com/strata-catalog/strata/generator/graph"
	"github.com/strata-catalog/strata/generator/layer"
	"github.com/strata-catalog/strata/generator/pipeline"
	"github.com/strata-catalog/strata/generator/verify"
)

// originals are documents to edit: templates with blocks, patterns and values
// of each instance, their flat forms as the site publishes them, one indented
// in another way, and the documents of the stories.
func originals(t testing.TB) map[string]string {
	docs := map[string]string{}
	for _, id := range []string{"qwen3-8b", "gemma-3-4b", "resnet-18", "mobilenet-v2", "albert-base", "t5-small"} {
		src, err := os.ReadFile("../../templates/" + id + "/model.json")
		if err != nil {
			t.Fatal(err)
		}
		docs[id] = string(src)
		r, err := pipeline.Run(id, src)
		if err != nil {
			t.Fatal(err)
		}
		flat := graph.Encode(r.Model.Graph.Flat())
		docs[id+" flat"] = string(flat)
	}
	var v any
	if err := json.Unmarshal([]byte(docs["resnet-18"]), &v); err != nil {
		t.Fatal(err)
	}
	indented, _ := json.MarshalIndent(v, "", "\t")
	compact, _ := json.Marshal(v)
	docs["resnet-18 indented"], docs["resnet-18 on one line"] = "\ufeff"+string(indented)+"\n\n", string(compact)
	return docs
}

// TestSequences does drawn sequences of edits. Each leaves a document that can
// be read or none at all, its patch does the same to what was there before, and
// all of them can be undone, done again, and had as one patch.
func TestSequences(t *testing.T) {
	docs := originals(t)
	names := slices.Sorted(maps.Keys(docs))
	rapid.Check(t, func(t *rapid.T) {
		original := docs[rapid.SampledFrom(names).Draw(t, "document")]
		s, err := edit.Open("model.json", []byte(original), verify.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for range rapid.IntRange(1, 8).Draw(t, "edits") {
			before := string(s.Text())
			o := rapid.SampledFrom(edit.Operations).Draw(t, "operation")
			params := drawParams(t, s, o)
			r, err := s.Apply(o.Name, params)
			if err != nil {
				if string(s.Text()) != before {
					t.Fatalf("%s %s failed (%v), but changed the document", o.Name, params, err)
				}
				continue
			}
			if _, err := graph.Decode("after", s.Text()); err != nil {
				t.Fatalf("%s %s left an unreadable document: %v", o.Name, params, err)
			}
			after, err := graph.Patch(strings.TrimPrefix(before, "\ufeff"), r.Patch())
			if err != nil || len(edit.Difference(after, strings.TrimPrefix(string(s.Text()), "\ufeff"))) > 0 {
				t.Fatalf("%s %s: its patch makes another document (%v):\n%s", o.Name, params, err, after)
			}
			e := r.Effects()
			if e.Kept < 0 || e.Rebuilt < 0 || e.Kept+e.Rebuilt != e.After && !r.After.Broken() && !r.Before.Broken() {
				t.Fatalf("%s %s: %+v does not add up", o.Name, params, e)
			}
		}
		checkSession(t, s, original)
	})
}

// drawParams draws parameters of an operation which mostly make sense.
func drawParams(t *rapid.T, s *edit.Session, o *edit.Operation) []byte {
	doc, m := s.Report().Doc, s.Report().Model
	block := ""
	list := doc.Components
	var extra []string
	if len(doc.Blocks) > 0 && rapid.Bool().Draw(t, "in a block") {
		b := rapid.SampledFrom(doc.Blocks).Draw(t, "block")
		block, list, extra = b.Name, b.Components, b.Inputs
	}
	component := func() string {
		switch {
		case rapid.IntRange(0, 9).Draw(t, "by its path") == 0 && len(m.Nodes) > 0:
			return rapid.SampledFrom(m.Nodes).Draw(t, "node").ID
		case rapid.IntRange(0, 19).Draw(t, "unknown") == 0:
			return "nowhere"
		}
		return rapid.SampledFrom(list).Draw(t, "component").ID
	}
	object := func() map[string]any {
		p := map[string]any{}
		for range rapid.IntRange(0, 2).Draw(t, "parameters") {
			typ := rapid.SampledFrom(layer.All).Draw(t, "type of parameters")
			name := "outFeatures"
			if len(typ.Fields) > 0 {
				name = rapid.SampledFrom(typ.Fields).Draw(t, "field").Name
			}
			p[name] = rapid.SampledFrom([]any{1, 8, 64, true, nil, "x", "$width", []int{1, 2}, 0.5}).Draw(t, "value")
		}
		return p
	}
	params := map[string]any{}
	for _, f := range o.Fields {
		if !f.Required && f.Kind != edit.Block && f.Kind != edit.LayerType && rapid.Bool().Draw(t, "leave out "+f.Name) {
			continue
		}
		switch f.Kind {
		case edit.Block:
			params[f.Name] = block
			if f.Name == "use" {
				delete(params, f.Name)
				if rapid.IntRange(0, 3).Draw(t, "use") == 0 && len(doc.Blocks) > 0 {
					params[f.Name] = rapid.SampledFrom(doc.Blocks).Draw(t, "used").Name
				}
			}
		case edit.Component:
			params[f.Name] = component()
		case edit.Source:
			params[f.Name] = component()
			if len(extra) > 0 && rapid.IntRange(0, 3).Draw(t, "input") == 0 {
				params[f.Name] = rapid.SampledFrom(extra).Draw(t, "block input")
			}
		case edit.Sources:
			params[f.Name] = []string{component()}
		case edit.LayerType:
			if params["use"] == nil && (o.Name != "change" || rapid.Bool().Draw(t, "retype")) {
				params[f.Name] = rapid.SampledFrom(layer.All).Draw(t, "type").Name
			}
		case edit.Params:
			params[f.Name] = object()
		case edit.Number:
			if f.Name != "repeat" || params["use"] != nil {
				params[f.Name] = rapid.IntRange(1, 6).Draw(t, f.Name)
			}
		case edit.Flag:
			params[f.Name] = rapid.Bool().Draw(t, f.Name)
		case edit.Steps:
			params[f.Name] = drawSteps(t, doc)
		case edit.Text:
			params[f.Name] = fmt.Sprintf("%s.%d", rapid.SampledFrom([]string{"new", "nächste", "a/b~\"c"}).Draw(t, "text"), rapid.IntRange(0, 9).Draw(t, "number"))
			if len(f.Enum) > 0 {
				params[f.Name] = rapid.SampledFrom(f.Enum).Draw(t, f.Name)
			}
			if f.Name == "rule" {
				delete(params, f.Name)
			}
		}
	}
	if c := rapid.SampledFrom(list).Draw(t, "reader"); len(c.Inputs) > 0 && rapid.IntRange(0, 3).Draw(t, "an edge") > 0 {
		from := rapid.SampledFrom(c.Inputs).Draw(t, "edge").ID
		switch o.Name {
		case "disconnect":
			params["from"], params["to"] = from, c.ID
		case "rewire":
			params["old"], params["component"] = from, c.ID
		}
	}
	b, err := json.Marshal(params)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func drawSteps(t *rapid.T, doc *graph.Document) (steps []map[string]any) {
	for range rapid.IntRange(1, 3).Draw(t, "steps") {
		at := func() string {
			return fmt.Sprintf("/components/%d", rapid.IntRange(0, len(doc.Components)).Draw(t, "place"))
		}
		op := rapid.SampledFrom([]string{"add", "remove", "replace", "move", "copy", "test"}).Draw(t, "op")
		step := map[string]any{"op": op, "path": at()}
		switch op {
		case "move", "copy":
			step["from"] = at()
		case "remove":
		default:
			step["value"] = map[string]any{"id": fmt.Sprintf("p%d", rapid.IntRange(0, 99).Draw(t, "id")), "type": "relu"}
		}
		if rapid.Bool().Draw(t, "extra") {
			step = map[string]any{"op": "add", "path": "/notes", "value": []any{1, "two", nil}}
		}
		steps = append(steps, step)
	}
	return steps
}

// FuzzApply decodes parameters that nobody meant: an error or a change, and a
// document that can still be read.
func FuzzApply(f *testing.F) {
	src, err := os.ReadFile("testdata/decoder.txtar")
	if err != nil {
		f.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(src), "-- model.json --\n")
	model, rest, _ := strings.Cut(rest, "-- edits --\n")
	edits, _, _ := strings.Cut(rest, "-- said --\n")
	for line := range strings.Lines(edits) {
		name, params, _ := strings.Cut(strings.TrimSpace(line), " ")
		f.Add(name, params)
	}
	for _, o := range edit.Operations {
		f.Add(o.Name, `{"component":"layers.9999999999.attn","in":"layer","at":-1,"count":-5,"params":[]}`)
		f.Add(o.Name, `[`)
	}
	f.Fuzz(func(t *testing.T, name, params string) {
		s, err := edit.Open("model.json", []byte(model), verify.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Apply(name, []byte(params)); err != nil {
			if err.Error() == "" || len(err.Error()) > 2000 {
				t.Errorf("said %d bytes: %.300s", len(err.Error()), err)
			}
			return
		}
		if _, err := graph.Decode("after", s.Text()); err != nil {
			t.Errorf("left an unreadable document: %v", err)
		}
	})
}
