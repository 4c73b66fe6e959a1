package infer

import (
	"strconv"
	"strings"

	"github.com/strata-catalog/strata/generator/layer"
)

// modules gives each node its path as exported code writes it: its id, with
// every step made a Python identifier that hides nothing of torch.nn.Module.
// Steps of digits alone are indices of a ModuleList. An id that follows a
// checkpoint's names stays as it is: behind a dot a step may have hyphens, as
// RegNet's block1-0 has, since what has a path is named as modules are.
func (m *Model) modules() []string {
	paths := make([]string, len(m.Nodes))
	odd := false
	for i := range m.Nodes {
		paths[i] = m.Nodes[i].ID
		odd = odd || !plain(paths[i])
	}
	if !odd {
		return paths
	}
	clear(paths)
	taken := map[string]string{} // written path: id it was made for
	made := map[string]string{}  // id: written path
	for i := range m.Nodes {
		id := m.Nodes[i].ID
		if plain(id) {
			paths[i] = id
			taken[id], made[id] = id, id
		}
	}
	for i := range m.Nodes {
		if paths[i] == "" {
			paths[i] = module(m.Nodes[i].ID, taken, made)
		}
	}
	return paths
}

// module writes an id step by step, so that ids with a common beginning keep it.
func module(id string, taken, made map[string]string) string {
	if path, ok := made[id]; ok {
		return path
	}
	parent, step := "", id
	if cut := strings.LastIndexByte(id, '.'); cut >= 0 {
		parent, step = module(id[:cut], taken, made)+".", id[cut+1:]
	}
	base := parent + spelled(step, parent != "")
	path := base
	for n := 2; ; n++ {
		if of, used := taken[path]; !used || of == id {
			break
		}
		path = base + "_" + strconv.Itoa(n)
	}
	taken[path], made[id] = id, path
	return path
}

// plain reports whether every step of an id names a module as it is.
func plain(id string) bool {
	below := false
	for step := range strings.SplitSeq(id, ".") {
		if spelled(step, below) != step {
			return false
		}
		below = true
	}
	return true
}

// spelled is a step as a module is named: a Python identifier, in which hyphens
// may stand for underscores below another step.
func spelled(step string, below bool) string {
	if below && strings.IndexByte(step, '-') > 0 {
		if s := strings.ReplaceAll(step, "-", "_"); layer.Identifier(s) == s {
			return step
		}
	}
	return layer.Identifier(step)
}
