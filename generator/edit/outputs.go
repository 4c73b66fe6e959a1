package edit

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/strata-catalog/strata/generator/graph"
)

// outputs is the patch that keeps the outputs of components what they were:
// some documents list the readers of each component, for display. Where all of
// them were right before a change, they are right after it; where not, they are
// left alone.
func outputs(before, after *graph.Document) []graph.PatchOp {
	ops := followed("", before.Components, after.Components, before.Connections, after.Connections)
	for i := range after.Blocks {
		b := &after.Blocks[i]
		for j := range before.Blocks {
			if before.Blocks[j].Name == b.Name {
				ops = append(ops, followed("/blocks/"+graph.EscapeStep(b.Name), before.Blocks[j].Components, b.Components, nil, nil)...)
			}
		}
	}
	return ops
}

func followed(path string, before, after []graph.Component, was, is []graph.Connection) (ops []graph.PatchOp) {
	listed := 0
	for k, ids := range readers(before, was) {
		text, ok := member(&before[k], "outputs")
		if !ok {
			continue
		}
		listed++
		var list []string
		if json.Unmarshal([]byte(text), &list) != nil || !sameSet(list, ids) {
			return nil
		}
	}
	if listed == 0 {
		return nil
	}
	s := scope{path: path}
	for k, ids := range readers(after, is) {
		var list []string
		text, ok := member(&after[k], "outputs")
		if !ok && listed < len(before) || ok && json.Unmarshal([]byte(text), &list) == nil && sameSet(list, ids) {
			continue
		}
		ops = append(ops, graph.Add(s.at(k)+"/outputs", quoted(ids)))
	}
	return ops
}

// readers lists what reads each component.
func readers(list []graph.Component, connections []graph.Connection) [][]string {
	index := make(map[string]int, len(list))
	for k := range list {
		index[list[k].ID] = k
	}
	by := make([][]string, len(list))
	note := func(from, to string) {
		if k, ok := index[from]; ok && !slices.Contains(by[k], to) {
			by[k] = append(by[k], to)
		}
	}
	for k := range list {
		for _, in := range list[k].Inputs {
			note(in.ID, list[k].ID)
		}
	}
	for _, c := range connections {
		note(c.From, c.To)
	}
	return by
}

func member(c *graph.Component, name string) (text string, ok bool) {
	for _, p := range c.Extra {
		if p.Name == name {
			return p.Value, true
		}
	}
	return "", false
}

func sameSet(a, b []string) bool {
	sorted := func(list []string) string {
		list = slices.Compact(slices.Sorted(slices.Values(list)))
		return strings.Join(list, "\x00")
	}
	return sorted(a) == sorted(b)
}
