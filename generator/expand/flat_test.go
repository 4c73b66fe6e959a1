package expand_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/strata-catalog/strata/generator/expand"
	"github.com/strata-catalog/strata/generator/graph"
)

const compact = `{"id": "m", "name": "M", "realParamCount": 5, "hyperparams": {"a": 1},
	"components": [
		{"id": "x", "type": "input", "name": "Tokens", "params": {"shape": [1, 8]}, "outputs": ["nowhere"], "notes": "kept"},
		{"id": "layers", "block": "pair", "repeat": 2, "each": {"w": [3, 4]}, "inputs": ["x"]},
		{"id": "y", "type": "output", "inputs": ["layers"]}],
	"blocks": {"pair": {"inputs": ["in"], "output": "b", "components": [
		{"id": "a", "type": "linear", "name": "First", "params": {"outFeatures": "$w"}, "inputs": ["in"]},
		{"id": "b", "type": "add", "inputs": ["a", "in"]}]}}}`

func flat(t *testing.T, name string, src []byte) (*expand.Graph, []byte) {
	t.Helper()
	doc, err := graph.Decode(name, src)
	if err != nil {
		t.Fatal(err)
	}
	g, err := expand.Expand(doc)
	if err != nil {
		t.Fatal(err)
	}
	if len(g.Faults) > 0 {
		t.Fatalf("%s: %v", name, g.Faults)
	}
	return g, graph.Encode(g.Flat())
}

func TestFlat(t *testing.T) {
	_, got := flat(t, "compact", []byte(compact))
	want := `{
 "id": "m",
 "name": "M",
 "realParamCount": 5,
 "hyperparams": {"a":1},
 "components": [
  {"id": "x", "type": "input", "name": "Tokens", "params": {"shape": [1,8]}, "inputs": [], "outputs": ["layers.0.a","layers.0.b"], "notes": "kept"},
  {"id": "layers.0.a", "type": "linear", "name": "layers.0.First", "params": {"outFeatures": 3}, "inputs": ["x"], "outputs": ["layers.0.b"]},
  {"id": "layers.0.b", "type": "add", "name": "layers.0.b", "inputs": ["layers.0.a", "x"], "outputs": ["layers.1.a","layers.1.b"]},
  {"id": "layers.1.a", "type": "linear", "name": "layers.1.First", "params": {"outFeatures": 4}, "inputs": ["layers.0.b"], "outputs": ["layers.1.b"]},
  {"id": "layers.1.b", "type": "add", "name": "layers.1.b", "inputs": ["layers.1.a", "layers.0.b"], "outputs": ["y"]},
  {"id": "y", "type": "output", "name": "y", "inputs": ["layers.1.b"], "outputs": []}
 ],
 "connections": [
  {"from": "x", "to": "layers.0.a"},
  {"from": "layers.0.a", "to": "layers.0.b"},
  {"from": "x", "to": "layers.0.b"},
  {"from": "layers.0.b", "to": "layers.1.a"},
  {"from": "layers.1.a", "to": "layers.1.b"},
  {"from": "layers.0.b", "to": "layers.1.b"},
  {"from": "layers.1.b", "to": "y"}
 ]
}
`
	if string(got) != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

// A flat document means the graph it was made of, and is its own flat form.
func TestFlatMeansTheSame(t *testing.T) {
	graphs := map[string][]byte{
		"compact": []byte(compact),
		"shared":  []byte(strings.Replace(compact, `"repeat": 2, "each": {"w": [3, 4]}`, `"repeat": 3, "share": true, "with": {"w": 8}`, 1)),
	}
	files, _ := filepath.Glob("../../templates/*/model.json")
	zoo, _ := filepath.Glob("../../../shared/zoo/*/model.json")
	if len(zoo) == 0 {
		t.Log("the folder of shared graphs is not beside the checkout: testing without it")
	}
	for _, file := range append(files, zoo...) {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		graphs[file] = src
	}
	for name, src := range graphs {
		before, text := flat(t, name, src)
		after, again := flat(t, name, text)
		if diff := cmp.Diff(meaning(before), meaning(after)); diff != "" {
			t.Errorf("%s: the flat form means something else (-want +got):\n%s", name, diff)
		}
		if string(again) != string(text) {
			t.Errorf("%s: the flat form of a flat form differs from it", name)
		}
		if len(after.Disagreements) > 0 {
			t.Errorf("%s: the edges of the flat form disagree: %v", name, after.Disagreements)
		}
	}
}

type node struct {
	ID, Type string
	Params   map[string]string
	Inputs   []int
	SharedBy int
}

// meaning is what the analysis takes from a graph.
func meaning(g *expand.Graph) (nodes []node) {
	for i := range g.Nodes {
		n := &g.Nodes[i]
		m := node{n.ID, n.Component.Type, map[string]string{}, append([]int{}, n.Inputs...), n.SharedBy}
		for _, p := range n.Params {
			m.Params[p.Name] = p.Value
		}
		nodes = append(nodes, m)
	}
	return nodes
}
