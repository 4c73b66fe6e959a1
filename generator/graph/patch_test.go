package graph_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/strata-catalog/strata/generator/graph"

	"pgregory.net/rapid"
)

// TestPatch shows what a patch leaves as it was written.
func TestPatch(t *testing.T) {
	lines := "{\n  \"a\": [\n    {\"id\": \"x\"},\n    {\"id\": \"y\"}\n  ],\n  \"b\": 1\n}\n"
	for _, c := range []struct {
		name, text, op, path, value, want string
	}{
		{"a member is replaced", `{"a":1,"b":2}`, "replace", "/a", `[3,4]`, `{"a":[3,4],"b":2}`},
		{"spaces as in the text", `{"a": 1, "b": 2}`, "replace", "/a", `{"c":[3,4]}`, `{"a": {"c": [3, 4]}, "b": 2}`},
		{"a new member", `{"a":1}`, "add", "/b", `2`, `{"a":1,"b":2}`},
		{"a new member on one line", `{"a": 1}`, "add", "/b", `2`, `{"a": 1, "b": 2}`},
		{"a new member of nothing", `{"a": { }}`, "add", "/a/b", `2`, `{"a": {"b": 2}}`},
		{"add takes the place of a member", `{"a": 1}`, "add", "/a", `2`, `{"a": 2}`},
		{"a new line", lines, "add", "/a/1", `{"id":"z"}`, strings.Replace(lines, `{"id": "y"}`, "{\"id\": \"z\"},\n    {\"id\": \"y\"}", 1)},
		{"a new first line", lines, "add", "/a/0", `{"id":"z"}`, strings.Replace(lines, `{"id": "x"}`, "{\"id\": \"z\"},\n    {\"id\": \"x\"}", 1)},
		{"a new last line", lines, "add", "/a/-", `{"id":"z"}`, strings.Replace(lines, `{"id": "y"}`, "{\"id\": \"y\"},\n    {\"id\": \"z\"}", 1)},
		{"the end by its number", `[1, 2]`, "add", "/2", `3`, `[1, 2, 3]`},
		{"a value with lines", `{"a": 1}`, "replace", "/a", "[1,\n 2]\n", "{\"a\": [1,\n 2]}"},
		{"a line goes", lines, "remove", "/a/0", "", strings.Replace(lines, "{\"id\": \"x\"},\n    ", "", 1)},
		{"the last line goes", lines, "remove", "/b", "", strings.Replace(lines, ",\n  \"b\": 1", "", 1)},
		{"the only one goes", `{"a": [ 1 ]}`, "remove", "/a/0", "", `{"a": []}`},
		{"all of it", " {}\n", "replace", "", `{"a":1}`, " {\"a\":1}\n"},
		{"names with slashes, tildes and quotes", `{"a/b~c\"\u00e4": 1}`, "replace", "/a~1b~0c\"ä", `2`, `{"a/b~c\"\u00e4": 2}`},
		{"an empty name", `{"": 1}`, "replace", "/", `2`, `{"": 2}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := graph.Patch(c.text, []graph.PatchOp{{Op: c.op, Path: c.path, Value: c.value}})
			if err != nil || got != c.want {
				t.Errorf("got %s, %v\nwant %s", got, err, c.want)
			}
		})
	}
}

// TestBadPatch looks at what cannot be done: the message says why.
func TestBadPatch(t *testing.T) {
	for _, c := range []struct{ text, op, path, value, want string }{
		{`{"a":1}`, "remove", "/b", "", `remove "/b": nothing stands there`},
		{`{"a":1}`, "replace", "/b", "2", "nothing stands there"},
		{`{"a":1}`, "remove", "", "", "nothing stands there"},
		{`[1]`, "add", "/2", "2", "the list has 1"},
		{`[1]`, "replace", "/1", "2", "nothing stands there"},
		{`[1]`, "replace", "/01", "2", "expected the index"},
		{`[1]`, "replace", "/-1", "2", "expected the index"},
		{`[1]`, "remove", "/-", "", "nothing stands there"},
		{`{"a":1}`, "add", "/a/b", "2", "no object and no list"},
		{`{"a":1}`, "add", "/b/c", "2", `there is no "/b"`},
		{`{"a":1}`, "add", "a", "2", "begins with a slash"},
		{`{"a":1}`, "add", "/b", "{", "the value is not JSON"},
		{`{"a":1}`, "move", "/b", "1", "none of add, remove and replace"},
		{``, "add", "/b", "1", "no object"},
		{`{"a"`, "add", "/b", "1", "unexpected EOF"},
	} {
		if _, err := graph.Patch(c.text, []graph.PatchOp{{Op: c.op, Path: c.path, Value: c.value}}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s in %s: got %v, want %q", c.op, c.path, c.text, err, c.want)
		}
	}
}

// TestPatchMeans patches drawn documents as texts and as values, which must
// agree: RFC 6902 speaks of values.
func TestPatchMeans(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := drawValue(t, 3)
		indent := rapid.SampledFrom([]string{"", " ", "\t"}).Draw(t, "indent")
		b, err := json.Marshal(value)
		if indent != "" {
			b, err = json.MarshalIndent(value, "", indent)
		}
		if err != nil {
			t.Fatal(err)
		}
		text := string(b)
		for range rapid.IntRange(1, 4).Draw(t, "operations") {
			path := drawPath(t, value)
			put, _ := json.Marshal(drawValue(t, 1))
			op := graph.PatchOp{Op: rapid.SampledFrom([]string{"add", "remove", "replace"}).Draw(t, "op"), Path: path, Value: string(put)}
			got, gotErr := graph.Patch(text, []graph.PatchOp{op})
			want, wantErr := apply(value, op)
			if (gotErr == nil) != (wantErr == nil) {
				t.Fatalf("%+v of %s: the text says %v, the value %v", op, text, gotErr, wantErr)
			}
			if gotErr != nil {
				continue
			}
			var is any
			if err := json.Unmarshal([]byte(got), &is); err != nil {
				t.Fatalf("%+v of %s left %s: %v", op, text, got, err)
			}
			if !reflect.DeepEqual(is, want) {
				t.Fatalf("%+v of %s made %s", op, text, got)
			}
			text, value = got, is
		}
	})
}

func drawValue(t *rapid.T, depth int) any {
	kind := rapid.IntRange(0, 4).Draw(t, "kind")
	if depth == 0 {
		kind %= 3
	}
	switch kind {
	case 0:
		return rapid.String().Draw(t, "text")
	case 1:
		return float64(rapid.IntRange(-9, 9).Draw(t, "number"))
	case 2:
		return rapid.SampledFrom([]any{nil, true, false}).Draw(t, "constant")
	case 3:
		list := []any{}
		for range rapid.IntRange(0, 3).Draw(t, "elements") {
			list = append(list, drawValue(t, depth-1))
		}
		return list
	}
	object := map[string]any{}
	for range rapid.IntRange(0, 3).Draw(t, "members") {
		object[drawName(t)] = drawValue(t, depth-1)
	}
	return object
}

func drawName(t *rapid.T) string {
	return rapid.SampledFrom([]string{"a", "b", "", "a/b", "~", "~1", `"`, "ä", "0"}).Draw(t, "name")
}

// drawPath draws a way into a value, and often one step too far.
func drawPath(t *rapid.T, value any) string {
	path := ""
	for rapid.IntRange(0, 4).Draw(t, "deeper") > 0 {
		switch v := value.(type) {
		case map[string]any:
			name := drawName(t)
			path += "/" + graph.EscapeStep(name)
			value = v[name]
		case []any:
			k := rapid.IntRange(0, len(v)+1).Draw(t, "index")
			path += "/" + strconv.Itoa(k)
			value = nil
			if k < len(v) {
				value = v[k]
			}
		default:
			return path
		}
	}
	return path
}

// apply is one operation of RFC 6902 on a value.
func apply(doc any, op graph.PatchOp) (any, error) {
	if op.Path == "" && op.Op == "remove" {
		return nil, fmt.Errorf("nothing stands there")
	}
	steps := strings.Split(op.Path, "/")[1:]
	for i := range steps {
		steps[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(steps[i])
	}
	return applyAt(doc, steps, op)
}

// applyAt is what becomes of a value when an operation is done below it.
func applyAt(at any, steps []string, op graph.PatchOp) (any, error) {
	if len(steps) == 0 {
		var value any
		err := json.Unmarshal([]byte(op.Value), &value)
		return value, err
	}
	last := len(steps) == 1
	switch at := at.(type) {
	case map[string]any:
		old, there := at[steps[0]]
		switch {
		case !there && !(last && op.Op == "add"):
			return nil, fmt.Errorf("%s: nothing to %s", op.Path, op.Op)
		case last && op.Op == "remove":
			delete(at, steps[0])
			return at, nil
		}
		value, err := applyAt(old, steps[1:], op)
		if err == nil {
			at[steps[0]] = value
		}
		return at, err
	case []any:
		k, err := strconv.Atoi(steps[0])
		if err == nil && last && op.Op == "add" && k <= len(at) {
			var value any
			err := json.Unmarshal([]byte(op.Value), &value)
			return slices.Insert(at, k, value), err
		}
		switch {
		case err != nil || k < 0 || k >= len(at):
			return nil, fmt.Errorf("%s: no element %s to %s", op.Path, steps[0], op.Op)
		case last && op.Op == "remove":
			return slices.Delete(at, k, k+1), nil
		}
		value, err := applyAt(at[k], steps[1:], op)
		if err == nil {
			at[k] = value
		}
		return at, err
	}
	return nil, fmt.Errorf("%s leads to no object and no list", op.Path)
}
