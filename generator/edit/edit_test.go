package edit_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/strata-catalog/strata/generator/edit"
	"github.com/strata-catalog/strata/generator/facts"
	"github.com/strata-catalog/strata/generator/graph"
	"github.com/strata-catalog/strata/generator/internal/testfiles"
	"github.com/strata-catalog/strata/generator/verify"
)

var update = flag.Bool("update", false, "write the golden files")

var costly = verify.Options{Costly: true}

// TestStories does the edits of each story, testdata/<name>.txtar, and compares
// what is said of each, what all of them cost, and the document at the end.
func TestStories(t *testing.T) {
	used := map[string]bool{}
	for name, archive := range testfiles.Archives(t) {
		t.Run(name, func(t *testing.T) {
			parts := map[string]string{}
			for _, f := range archive.Files {
				parts[f.Name] = string(f.Data)
			}
			said, end := tell(t, parts["model.json"], parts["edits"], used)
			if *update {
				archive.Files = archive.Files[:2]
				archive.Files = append(archive.Files, txtar.File{Name: "said", Data: []byte(said)}, txtar.File{Name: "want.json", Data: []byte(end)})
				if err := os.WriteFile(filepath.Join("testdata", name+".txtar"), txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if said != parts["said"] || end != parts["want.json"] {
				t.Errorf("go test ./generator/edit -update changes the story; said:\n%s\ndocument:\n%s", said, end)
			}
		})
	}
	for _, o := range edit.Operations {
		if !used[o.Name] {
			t.Errorf("no story of testdata has the operation %s", o.Name)
		}
	}
}

func tell(t *testing.T, model, edits string, used map[string]bool) (said, end string) {
	s, err := edit.Open("model.json", []byte(model), costly)
	if err != nil {
		t.Fatal(err)
	}
	start := s.Report()
	var b strings.Builder
	for line := range strings.Lines(edits) {
		name, params, _ := strings.Cut(strings.TrimSpace(line), " ")
		used[name] = true
		r, err := s.Apply(name, []byte(params))
		if err != nil {
			fmt.Fprintf(&b, "%s: %v\n", name, err)
			continue
		}
		fmt.Fprintf(&b, "%s: %s\n", r.Verdict, r.Done)
		for _, f := range r.New {
			fmt.Fprintf(&b, "\t+ %s %v %s\n", f.Rule, f.Components, f.Message)
		}
		for _, f := range r.Gone {
			fmt.Fprintf(&b, "\t- %s %v %s\n", f.Rule, f.Components, f.Message)
		}
	}
	effects, err := facts.JSON(edit.Compare(start, s.Report()))
	if err != nil {
		t.Fatal(err)
	}
	b.Write(effects)
	checkSession(t, s, model)
	return b.String(), string(s.Text())
}

// checkSession looks at what holds after any sequence of edits: the patch of
// the session makes the present document of the original, and to undo all of it
// gives back every byte.
func checkSession(t interface {
	Helper()
	Fatalf(string, ...any)
}, s *edit.Session, original string) {
	t.Helper()
	end := string(s.Text())
	patched, err := graph.Patch(strings.TrimPrefix(original, "\ufeff"), s.Patch())
	if err != nil {
		t.Fatalf("the patch of the session cannot be applied: %v", err)
	}
	if left := edit.Difference(patched, strings.TrimPrefix(end, "\ufeff")); len(left) > 0 || !equal(t, patched, strings.TrimPrefix(end, "\ufeff")) {
		t.Fatalf("the patch of the session makes\n%s\nbut the document is\n%s\ndifferent: %v", patched, end, left)
	}
	_, done := s.History()
	for range done {
		if _, err := s.Undo(); err != nil {
			t.Fatalf("undo: %v", err)
		}
	}
	if string(s.Text()) != original || s.Changed() {
		t.Fatalf("after all is undone the document is\n%s\nand was\n%s", s.Text(), original)
	}
	if _, err := s.Undo(); err == nil {
		t.Fatalf("there is still something to undo")
	}
	for range done {
		if _, err := s.Redo(); err != nil {
			t.Fatalf("redo: %v", err)
		}
	}
	if string(s.Text()) != end {
		t.Fatalf("after all is done again the document is\n%s\nand was\n%s", s.Text(), end)
	}
}

// equal compares two texts of JSON by what they mean.
func equal(t interface{ Fatalf(string, ...any) }, a, b string) bool {
	var x, y any
	if err := json.Unmarshal([]byte(a), &x); err != nil {
		t.Fatalf("%v in %s", err, a)
	}
	if err := json.Unmarshal([]byte(b), &y); err != nil {
		t.Fatalf("%v in %s", err, b)
	}
	return fmt.Sprint(x) == fmt.Sprint(y)
}

// small has a block that is used twice, and a flat part that repeats.
const small = `{
 "id": "small",
 "components": [
  {"id": "x", "type": "input", "params": {"shape": [1, 4, 8]}},
  {"id": "a", "block": "b", "repeat": 2, "inputs": ["x"], "each": {"n": [8, 8]}},
  {"id": "c", "type": "linear", "params": {"outFeatures": 8}, "inputs": ["a"]},
  {"id": "d", "type": "linear", "sharedWith": "c", "params": {"outFeatures": 8}, "inputs": ["c"]},
  {"id": "y", "type": "output", "inputs": ["d"]}
 ],
 "blocks": {
  "b": {"inputs": ["x"], "components": [{"id": "f", "type": "linear", "params": {"outFeatures": "$n"}, "inputs": ["x"]}, {"id": "s", "type": "add", "inputs": ["f", "x"]}], "output": "s"},
  "e": {"inputs": ["x"], "components": [{"id": "s", "type": "relu", "inputs": ["x"]}], "output": "s"}
 }
}`

// TestRefusals reads what is said of edits that cannot be done: the reason, and
// how to go on. Nothing is changed.
func TestRefusals(t *testing.T) {
	for _, c := range []struct{ op, params, want string }{
		{"ad", `{}`, `found operation "ad", expected one of add, insert,`},
		{"add", `{`, "no JSON object"},
		{"add", `[]`, "expected its parameters as a JSON object"},
		{"add", `{"idd": "x"}`, `add has no parameter "idd"; nearest is "id"; it takes id, type, use`},
		{"add", `{"id": 5}`, "add: id is of the wrong kind, expected a text (id of the new component"},
		{"add", `{"type": "relu"}`, "add needs id: id of the new component"},
		{"add", `{"id": "n", "type": "relu", "params": [1]}`, "params:1:1: found a list, expected an object"},
		{"add", `{"id": "n", "type": "relu", "params": {"a": 1e400}}`, "expected a number of at most 2^53"},
		{"add", `{"id": "c", "type": "relu"}`, `there is a component "c" already`},
		{"add", `{"id": "x", "type": "relu", "in": "b"}`, `"x" is an input of block "b"`},
		{"add", `{"id": "n"}`, "needs a type (a layer) or use (a block)"},
		{"add", `{"id": "n", "type": "relu", "use": "b"}`, "and not both"},
		{"add", `{"id": "n", "type": "relu", "repeat": 2}`, "repeat belongs to a use of a block"},
		{"add", `{"id": "n", "type": "relu", "in": "bb"}`, `there is no block "bb"; the blocks are b, e`},
		{"add", `{"id": "n", "type": "relu", "inputs": ["cc"]}`, `there is no component "cc"`},
		{"add", `{"id": "n", "type": "relu", "inputs": ["a.0.f"]}`, `"a.0.f" is within block "b"; read what uses the block`},
		{"add", `{"id": "n", "type": "relu", "in": "e", "inputs": ["c"]}`, `block "e" does not see "c": use one of its inputs (x)`},
		{"add", `{"id": "n", "type": "relu", "after": "f"}`, `"f" is not in the document itself`},
		{"add", `{"id": "n", "use": "none"}`, "nothing was changed, since the document would be unreadable: model.json:5:3: block \"none\" is not defined"},
		{"add", `{"id": "n", "use": "e", "repeat": 200000}`, "expected 1 to 100000 instances"},
		{"insert", `{"id": "n", "type": "relu", "from": "y"}`, `nothing reads "y"; add the component instead`},
		{"insert", `{"id": "n", "type": "relu", "from": "c", "to": "a"}`, `"a" does not read "c"; it reads x`},
		{"insert", `{"id": "n", "type": "relu", "from": "c", "to": "f"}`, `"f" is not in the document itself; an edge stays within a block`},
		{"insert", `{"id": "n", "type": "relu", "from": "a.0.f", "to": "a.1.s"}`, "of another instance of block \"b\""},
		{"change", `{"component": "c"}`, "nothing to change: give params, type or name"},
		{"change", `{"component": "s"}`, `say with in which block is meant: "b", "e"`},
		{"change", `{"component": "cc"}`, `there is no component "cc"; it has x, a, c, d, y`},
		{"change", `{"component": "ff", "in": "b"}`, `there is no component "ff" in block "b"`},
		{"change", `{"component": "a", "type": "relu"}`, `"a" uses a block and has no type`},
		{"change", `{"component": "a", "params": {"n": 16}}`, "/components/1/each/n"},
		{"change", `{"component": "c", "params": {"bias": null}}`, `"c" has no bias to remove; it has outFeatures`},
		{"change", `{"component": "c", "params": {"outFeatures": 1.5}}`, "nothing was changed, since the document would be unreadable"},
		{"rename", `{"component": "c", "to": "a"}`, "already"},
		{"remove", `{"component": "c"}`, `"d" has the weights of "c" (sharedWith); remove it first`},
		{"remove", `{"component": "d", "readers": "refuse"}`, `"d" is read by "y"; connect them to something else first`},
		{"remove", `{"component": "d", "readers": "drop"}`, `readers is "drop", expected one of bridge, refuse`},
		{"remove", `{"component": "s", "in": "b"}`, `"s" reads f, x; say with instead which of them, or what else, the output of the block should read`},
		{"remove", `{"component": "x"}`, `"x" reads nothing that "a" could read`},
		{"remove", `{"component": "s", "in": "e"}`, "unreadable"},
		{"remove", `{"component": "d", "instead": "d"}`, "name another component as instead"},
		{"connect", `{"from": "c", "to": "y", "at": 3}`, `"y" reads 1; at is 3, expected 1 to 2`},
		{"connect", `{"from": "f", "to": "y"}`, `there is no component "f"`},
		{"disconnect", `{"from": "c", "to": "y"}`, `"y" does not read "c"; it reads d`},
		{"disconnect", `{"from": "c", "to": "x"}`, `"x" reads nothing`},
		{"rewire", `{"component": "y", "old": "c", "new": "a"}`, `"y" does not read "c"`},
		{"output", `{"in": "b", "component": "g"}`, `there is no component "g" in block "b"`},
		{"output", `{"component": "g"}`, "output needs in: the block"},
		{"duplicate", `{"component": "d", "through": "c"}`, `"c" does not stand behind "d"`},
		{"duplicate", `{"component": "c", "through": "d", "id": "z"}`, "one id cannot name the copies of 2 components"},
		{"duplicate", `{"component": "c", "own": true}`, "own is for a single use of a block"},
		{"duplicate", `{"component": "a", "through": "c", "own": true}`, "own is for a single use"},
		{"repeat", `{"component": "a", "count": 0}`, "repeat needs count"},
		{"repeat", `{"component": "a", "count": -1}`, "count is -1, expected 1 to 100000"},
		{"repeat", `{"component": "f", "count": 2}`, `"f" is a layer of block "b"; name the component that uses the block`},
		{"repeat", `{"component": "x", "count": 2}`, `"x" does not repeat; copy it with duplicate`},
		{"fix", `{"rule": "cycle"}`, "no such finding has a mechanical fix"},
		{"patch", `{}`, "patch needs patch: operations, done one after the other"},
		{"patch", `{"patch": 5}`, "expected a list of operations"},
		{"patch", `{"patch": [{"op": "test", "path": "/id", "value": "big"}]}`, `operation 1 of the patch: test "/id": found something else than "big"`},
		{"patch", `{"patch": [{"op": "add", "path": "/id"}]}`, "has no value"},
		{"patch", `{"patch": [{"op": "remove", "path": "/components"}, {"op": "remove", "path": "/components"}]}`, "operation 2 of the patch"},
		{"patch", `{"patch": [{"op": "replace", "path": "", "value": 5}]}`, "found a number, expected a graph document"},
		{"patch", `{"patch": [{"op": "copy", "from": "/none", "path": "/id"}]}`, "nothing stands there"},
		{"patch", `{"patch": [{"op": "merge", "path": "/id", "value": 1}]}`, "none of add, remove and replace"},
	} {
		s, err := edit.Open("model.json", []byte(small), costly)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Apply(c.op, []byte(c.params)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s\n got %v\nwant %s", c.op, c.params, err, c.want)
		}
		if string(s.Text()) != small {
			t.Errorf("%s %s changed the document", c.op, c.params)
		}
	}
}

// TestSession looks at what a session does beside operations.
func TestSession(t *testing.T) {
	if _, err := edit.Open("bad.json", []byte(`{"id"`), costly); err == nil || !strings.Contains(err.Error(), "bad.json:1:6") {
		t.Errorf("an unreadable document: %v", err)
	}
	s, err := edit.Open("model.json", []byte(small), costly)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Redo(); err == nil {
		t.Error("there is something to redo in a new session")
	}
	if _, err := s.Set("typed", []byte(`{"components": [}`)); err == nil || s.Changed() {
		t.Errorf("a text that cannot be read: %v", err)
	}
	c := &edit.Edit{Place: edit.Place{Component: "c"}, Params: `{"outFeatures": 4}`}
	r, err := s.Try(c)
	if err != nil || len(r.New) == 0 || s.Changed() {
		t.Errorf("trying a change gives %+v, %v, and has changed the session: %t", r, err, s.Changed())
	}
	if e := r.Effects(); len(e.Reshaped) == 0 || e.Reshaped[0].Components != "c" || e.Kept != 144 {
		t.Errorf("its effects are %+v", e)
	}
	if _, err := s.Set("typed", []byte(strings.Replace(small, `"small"`, `"tall"`, 1))); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Do(c); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := s.Undo(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Redo(); err != nil {
		t.Fatal(err)
	}
	// A change after an undo leaves nothing to redo.
	if _, err := s.Do(&edit.Rename{Place: edit.Place{Component: "c"}, To: "fc"}); err != nil {
		t.Fatal(err)
	}
	words, done := s.History()
	if fmt.Sprint(words, done) != `[typed renamed "c" to "fc"] 2` {
		t.Errorf("history is %q, %d", words, done)
	}
	if _, err := s.Redo(); err == nil {
		t.Error("there is something to redo after a change")
	}
	checkSession(t, s, small)
}

// TestReach says what hangs on a component of each form.
func TestReach(t *testing.T) {
	src, err := os.ReadFile("../../templates/qwen3-4b/model.json")
	if err != nil {
		t.Fatal(err)
	}
	s, err := edit.Open("qwen3-4b", src, costly)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ in, id, want string }{
		{"", "model.embed_tokens", `{"component":"model.embed_tokens","type":"embedding","instances":1,"parameters":388956160,"tensors":["model.embed_tokens.weight"],"readers":["model.layers.0.input_layernorm","model.layers.0.residual_attn"],"downstream":219,"tied":["lm_head.weight"]}`},
		{"decoder", "mlp", `{"component":"model.layers.{0…35}.mlp","type":"swiglu","instances":36,"parameters":2689597440,"tensors":["model.layers.{0…35}.mlp.gate_proj.weight","model.layers.{0…35}.mlp.up_proj.weight","model.layers.{0…35}.mlp.down_proj.weight"],"readers":["model.layers.{0…35}.residual_mlp"],"downstream":179,"tied":[]}`},
		{"", "model.layers", `{"component":"model.layers","type":"","instances":216,"parameters":3633509376,"tensors":[`},
	} {
		r, err := s.Reach(edit.Place{Component: c.id, In: c.in})
		if err != nil {
			t.Fatal(err)
		}
		got, err := facts.JSONLine(r)
		if err != nil || !strings.HasPrefix(strings.TrimSpace(string(got)), c.want) {
			t.Errorf("%s: got %s, %v\nwant %s", c.id, got, err, c.want)
		}
	}
	if _, err := s.Reach(edit.Place{Component: "lm_haed"}); err == nil || !strings.Contains(err.Error(), `nearest is "lm_head"`) {
		t.Errorf("an unknown component: %v", err)
	}
}

// TestSchemas looks at the declarations: each parameter has words, and each
// operation a schema that names them.
func TestSchemas(t *testing.T) {
	for _, o := range edit.Operations {
		src, err := facts.JSON(o.Schema())
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range o.Fields {
			if !strings.Contains(string(src), `"`+f.Name+`"`) {
				t.Errorf("%s: the schema lacks %s:\n%s", o.Name, f.Name, src)
			}
		}
	}
}

// BenchmarkEdit changes a parameter and takes it back, on a compact document
// and on a flat one of 221 components.
func BenchmarkEdit(b *testing.B) {
	docs := originals(b)
	for _, c := range []struct{ doc, component string }{{"qwen3-8b", "mlp"}, {"qwen3-8b flat", "model.layers.7.mlp"}} {
		b.Run(c.doc, func(b *testing.B) {
			s, err := edit.Open("model.json", []byte(docs[c.doc]), verify.Options{})
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err := s.Do(&edit.Edit{Place: edit.Place{Component: c.component}, Params: `{"intermediateSize": 12000}`}); err != nil {
					b.Fatal(err)
				}
				if _, err := s.Undo(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
