package graph_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/strata-catalog/strata/generator/graph"
)

// TestAgain: where a text can be decoded again from a document, the result is
// that of decoding it, places included.
func TestAgain(t *testing.T) {
	files, err := filepath.Glob("../../templates/*/model.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no templates: %v", err)
	}
	var sources []string
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if len(src) < 20_000 {
			sources = append(sources, string(src))
		}
	}
	sources = append(sources, odd)
	known := 0
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SampledFrom(sources).Draw(t, "document")
		doc, err := graph.Decode("m.json", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		for range rapid.IntRange(1, 4).Draw(t, "edits") {
			at := rapid.IntRange(0, len(text)).Draw(t, "at")
			end := min(len(text), at+rapid.SampledFrom([]int{0, 0, 1, 1, 2, 7, 40}).Draw(t, "removed"))
			put := rapid.SampledFrom([]string{"", " ", "1", "x", "\n", `"`, ",", "{", "}", "[", "]", `, "p": 3`, `{"id":"new","type":"relu"},`, "é", "null"}).Draw(t, "put")
			changed := text[:at] + put + text[end:]
			want, err := graph.Decode("m.json", []byte(changed))
			got, ok := doc.Again(changed)
			if ok && err != nil {
				t.Fatalf("decoded again, although %v", err)
			}
			if ok {
				known++
				if diff := cmp.Diff(want, got); diff != "" {
					t.Fatalf("decoded again (-whole +again):\n%s", diff)
				}
			}
			if err == nil {
				text, doc = changed, want
				if ok {
					doc = got
				}
			}
		}
	})
	if known == 0 {
		t.Error("no text could be decoded again")
	}
}

// odd has every member that has a place.
const odd = `{"connections": [{"from": "a", "to": "b", "note": 1}], "components": [
	{"id": "x", "type": "input", "params": {"shape": [1, 8]}, "position": {"x": 1}},
	{"id": "a", "type": "linear", "params": {"outFeatures": 8}, "inputs": ["x"], "notes": "…"},
	{"id": "b", "type": "linear", "params": {"outFeatures": 8}, "inputs": ["a"], "sharedWith": "a"},
	{"id": "l", "block": "k", "repeat": 2, "with": {"n": 1}, "each": {"m": [1, 2]}, "inputs": ["b"]},
	{"id": "y", "type": "output", "inputs": ["l"]}],
	"blocks": {"k": {"inputs": ["in"], "components": [{"id": "r", "type": "relu", "inputs": ["in"]}], "output": "r", "more": 1}},
	"id": "odd", "name": "Odd", "realParamCount": 5, "icon": "z"}`

// A component that stands too deep, or is followed by something else, is not
// taken over.
func TestAgainRefuses(t *testing.T) {
	doc, err := graph.Decode("m.json", []byte(odd))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"the same":        odd,
		"another name":    strings.Replace(odd, `"Odd"`, `"Odder"`, 1),
		"a component out": strings.Replace(odd, `{"id": "y", "type": "output", "inputs": ["l"]}`, "", 1),
		"no comma":        strings.Replace(odd, `"sharedWith": "a"},`, `"sharedWith": "a"}`, 1),
		"two":             strings.Replace(odd, `"sharedWith": "a"},`, `"sharedWith": "a"}, {"id": "c", "type": "relu"},`, 1),
		"too deep":        strings.Replace(odd, `"…"`, strings.Repeat("[", 62)+strings.Repeat("]", 62), 1),
		"a fault":         strings.Replace(odd, `"sharedWith": "a"`, `"sharedWith": 1`, 1),
	} {
		if _, ok := doc.Again(text); ok {
			t.Errorf("%s: taken over", name)
		}
	}
	if _, ok := doc.Again(strings.Replace(odd, `"…"`, `"other"`, 1)); !ok {
		t.Error("a change within one component is not taken over")
	}
}
