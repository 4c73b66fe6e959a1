package graph_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/strata-catalog/strata/generator/graph"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// meaning compares documents without places and without the white space of
// members that are kept as they stand.
var meaning = cmp.Options{
	cmpopts.IgnoreFields(graph.Document{}, "Source", "IDPos", "NamePos", "RealParamCountPos"),
	cmpopts.IgnoreFields(graph.Component{}, "Pos", "TypePos"),
	cmpopts.IgnoreFields(graph.Ref{}, "Pos"),
	cmpopts.IgnoreFields(graph.Each{}, "Pos"),
	cmpopts.IgnoreFields(graph.Connection{}, "FromPos", "ToPos"),
	cmpopts.IgnoreFields(graph.Block{}, "Pos", "OutputPos"),
	cmp.Transformer("compact", func(p graph.Param) [2]string {
		v := jsontext.Value(p.Value)
		_ = v.Compact()
		return [2]string{p.Name, string(v)}
	}),
}

// roundTrip checks that a document is read back as it was.
func roundTrip(t *testing.T, src []byte) {
	doc, err := graph.Decode("a.json", src)
	if err != nil {
		return
	}
	text := graph.Encode(doc)
	again, err := graph.Decode("b.json", text)
	if err != nil {
		t.Fatalf("reading back: %v\n%s", err, text)
	}
	if diff := cmp.Diff(doc, again, meaning, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("changed on the way (-written +read):\n%s\n%s", diff, text)
	}
}

const compact = `{
  "id": "tiny", "name": "Tiny – ü \"q\"", "category": "NLP/LLM", "tags": ["a", "b"], "realParamCount": 12,
  "icon": {"x": [1, 2.5e300, null]},
  "components": [
    {"id": "x", "type": "input", "params": {"shape": [ 1, 8 ], "none": null}},
    {"id": "l", "block": "b", "repeat": 4, "share": true, "with": {"w": 8}, "each": {"k": [1, 2, 3, 4]}, "inputs": ["x"]},
    {"id": "p", "pattern": ["b", "b"], "repeat": 2, "with": {"w": 8, "k": 1}, "inputs": ["l"], "notes": "a\nb"}
  ],
  "connections": [{"from": "x", "to": "l", "fromPort": "out"}],
  "blocks": {"b": {"inputs": ["x"], "components": [{"id": "fc", "type": "linear", "params": {"outFeatures": "$w", "k": "$k"}, "inputs": ["x"]}], "output": "fc"}}
}`

func TestRoundTrip(t *testing.T) {
	roundTrip(t, []byte(compact))
	files, _ := filepath.Glob("../../../shared/zoo/*/model.json")
	if len(files) == 0 {
		t.Skip("no ../shared/zoo beside the checkout")
	}
	for _, f := range files {
		src, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		roundTrip(t, src)
	}
}

func TestDecode(t *testing.T) {
	doc, err := graph.Decode("tiny.json", []byte(compact))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := doc.Name, `Tiny – ü "q"`; got != want {
		t.Errorf("name %q, want %q", got, want)
	}
	x := doc.Components[0]
	if len(x.Params) != 1 || x.Params[0].Value != "[1,8]" {
		t.Errorf("params %v, want the shape alone: null is absent", x.Params)
	}
	if got, want := doc.Source.At(x.Params[0].Pos).String(), "tiny.json:5:54"; got != want {
		t.Errorf("shape stands at %s, want %s", got, want)
	}
	if got, want := doc.Source.At(doc.Components[1].Pos).String(), "tiny.json:6:5"; got != want {
		t.Errorf("component stands at %s, want %s", got, want)
	}
	if got := doc.Components[2].BlockOf(1); got != "b" {
		t.Errorf("instance 1 uses block %q", got)
	}
}

func TestInteger(t *testing.T) {
	for _, c := range []struct {
		text string
		want int64
		err  string
	}{
		{"0", 0, ""}, {"-3", -3, ""}, {"1.0", 1, ""}, {"1e3", 1000, ""}, {"12.50e1", 125, ""},
		{"9007199254740992", 1 << 53, ""}, {"9007199254740993", 0, "a number of at most 2^53"},
		{"1e18", 0, "a number of at most 2^53"}, {"1e999", 0, "a number of at most 2^53"},
		{"99999999999999999999", 0, "a number of at most 2^53"}, {"0.5", 0, "a whole number"}, {"1e-1", 0, "a whole number"},
	} {
		got, err := graph.Integer(c.text)
		if got != c.want || (err == nil) != (c.err == "") || err != nil && err.Error() != c.err {
			t.Errorf("Integer(%s) = %d, %v; want %d, %q", c.text, got, err, c.want, c.err)
		}
	}
}

// FuzzDecode feeds the decoder anything: it never panics, its errors name the
// file, and what it reads survives being written.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(compact))
	for _, pattern := range []string{"../../../shared/reference/graphs/*/model.json", "../pipeline/testdata/bad/*.json"} {
		files, _ := filepath.Glob(pattern)
		for _, file := range files {
			if src, err := os.ReadFile(file); err == nil && len(src) < 20_000 {
				f.Add(src)
			}
		}
	}
	f.Fuzz(func(t *testing.T, src []byte) { roundTrip(t, src) })
}
