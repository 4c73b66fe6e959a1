package graph_test

import (
	"testing"

	"github.com/strata-catalog/strata/generator/graph"
)

var documents = map[string]string{
	"flat": `{"id": "m", "name": "Model", "description": "d", "category": "c", "tags": ["a", "b"], "realParamCount": 7,
		"components": [{"id": "x", "type": "input", "params": {"shape": [1, 2.5e1]}, "inputs": [], "outputs": ["y"]}, {"id": "y", "type": "output", "inputs": ["x", "x"]}],
		"connections": [{"from": "x", "to": "y", "port": 1}], "groups": [{"deep": {"er": null}}]}`,
	"compact": `{"components": [{"id": "x", "type": "input"}, {"id": "l", "block": "b", "repeat": 2, "share": true, "with": {"w": 1, "gone": null}, "each": {"k": [8, null]}, "inputs": ["x"]},
		{"id": "p", "pattern": ["b", "c"], "repeat": 3, "first": "p1", "inputs": ["l"]},
		{"id": "one", "block": "b", "repeat": 1, "inputs": ["p"]}, {"id": "alone", "block": "b", "inputs": ["one"]}],
		"blocks": {"b": {"inputs": ["i"], "components": [{"id": "a", "type": "relu", "params": {"p": "$w"}, "inputs": ["i"]}], "output": "a", "note": "n"},
			"c": {"components": [{"id": "a", "type": "relu"}], "output": "a"}}}`,
	"hostile":    `{"id": "</script>", "name": "\"\\\u0000\u2028🙂", "components": [{"id": "a\nb", "type": "<img>", "name": "|", "params": {"\"k": "{[,:"}}]}`,
	"nothing":    `{}`,
	"components": `{"components": null, "connections": [], "tags": [], "blocks": {}}`,
}

func TestEncodeDecode(t *testing.T) {
	for name, src := range documents {
		t.Run(name, func(t *testing.T) { roundTrip(t, []byte(src)) })
	}
}

// A component stands on a line of its own, so that a line diff shows it.
func TestEncodeLines(t *testing.T) {
	doc, err := graph.Decode("flat", []byte(documents["flat"]))
	if err != nil {
		t.Fatal(err)
	}
	want := `{
 "id": "m",
 "name": "Model",
 "category": "c",
 "description": "d",
 "tags": ["a", "b"],
 "realParamCount": 7,
 "groups": [{"deep":{"er":null}}],
 "components": [
  {"id": "x", "type": "input", "name": "x", "params": {"shape": [1,2.5e1]}, "inputs": [], "outputs": ["y"]},
  {"id": "y", "type": "output", "name": "y", "inputs": ["x", "x"]}
 ],
 "connections": [
  {"from": "x", "to": "y", "port": 1}
 ]
}
`
	if got := string(graph.Encode(doc)); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}
