package verify

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/strata-catalog/strata/generator/graph"
)

// written is a parameter of a node as its document has it, under its own name
// or an alias; nil when it is not there.
func (p *Pass) written(node int, name string) *graph.Param {
	n := &p.Nodes[node]
	params := n.Component.Params
	for k := range params {
		if params[k].Name == name {
			return &params[k]
		}
	}
	if n.Type == nil || name == "" {
		return nil
	}
	for k := range params {
		if n.Type.Canonical(params[k].Name) == n.Type.Canonical(name) {
			return &params[k]
		}
	}
	return nil
}

// param is the value that a node has for a parameter, as JSON; "" when it is
// not given. Its own name goes before an alias.
func (p *Pass) param(node int, name string) string {
	n := &p.Nodes[node]
	value := ""
	for _, q := range n.Node.Params {
		switch {
		case q.Name == name:
			return q.Value
		case value == "" && n.Type != nil && n.Type.Canonical(q.Name) == name:
			value = q.Value
		}
	}
	return value
}

// integer is param for a whole number; 0 when it is not given.
func (p *Pass) integer(node int, name string) int64 {
	n, err := graph.Integer(p.param(node, name))
	if err != nil {
		return 0
	}
	return n
}

// replace is the patch that gives a parameter another value. There is none
// where a block puts the value in: it may be right for other instances.
func (p *Pass) replace(node int, name, value string) []graph.PatchOp {
	path, ok := p.pointer(node)
	if !ok {
		return nil
	}
	written := p.written(node, name)
	switch {
	case written != nil && written.Value != p.param(node, written.Name):
		return nil
	case written != nil:
		return []graph.PatchOp{graph.Replace(path+"/params/"+graph.EscapeStep(written.Name), value)}
	case len(p.Nodes[node].Component.Params) == 0:
		return []graph.PatchOp{graph.Add(path+"/params", "{"+graph.Quote(name)+":"+value+"}")}
	}
	return []graph.PatchOp{graph.Add(path+"/params/"+graph.EscapeStep(name), value)}
}

// rename is the patch that gives a parameter another name, or removes it where
// none is known.
func (p *Pass) rename(node int, name, to string) []graph.PatchOp {
	path, ok := p.pointer(node)
	if !ok {
		return nil
	}
	ops := []graph.PatchOp{graph.Remove(path + "/params/" + graph.EscapeStep(name))}
	switch written := p.written(node, name); {
	case written == nil || to != "" && p.written(node, to) != nil:
		return nil
	case to != "":
		ops = append(ops, graph.Add(path+"/params/"+graph.EscapeStep(to), written.Value))
	}
	return ops
}

// retype is the patch that gives a node another type.
func (p *Pass) retype(node int, to string) []graph.PatchOp {
	path, ok := p.pointer(node)
	if !ok || to == "" {
		return nil
	}
	return []graph.PatchOp{graph.Replace(path+"/type", graph.Quote(to))}
}

// unalias is the patch that removes the other names of a parameter that is
// also given under its own.
func (p *Pass) unalias(node int, name string) []graph.PatchOp {
	path, ok := p.pointer(node)
	if !ok {
		return nil
	}
	t, own := p.Nodes[node].Type, false
	var ops []graph.PatchOp
	for _, q := range p.Nodes[node].Component.Params {
		switch {
		case q.Name == t.Canonical(name):
			own = true
		case t.Canonical(q.Name) == t.Canonical(name):
			ops = append(ops, graph.Remove(path+"/params/"+graph.EscapeStep(q.Name)))
		}
	}
	if !own {
		return nil
	}
	return ops
}

// key is where the name of a member stands whose value is at an offset.
func (p *Pass) key(value int) int {
	src := p.Graph.Doc.Source
	if src == nil || value > len(src.Text) {
		return value
	}
	before := strings.TrimRight(src.Text[:value], " \t\r\n")
	before = strings.TrimRight(strings.TrimSuffix(before, ":"), " \t\r\n")
	name, quoted := strings.CutSuffix(before, `"`)
	for at := strings.LastIndexByte(name, '"'); quoted && at >= 0; at = strings.LastIndexByte(name[:at], '"') {
		if escapes := at - len(strings.TrimRight(name[:at], `\`)); escapes%2 == 0 {
			return at
		}
	}
	return value
}

// reconnect is the patch that gives the end of an edge, which stands at an
// offset, another id. There is none where that would draw a cycle: only what
// stands before a component may feed it.
func (p *Pass) reconnect(pos int, id string) []graph.PatchOp {
	doc := p.Graph.Doc
	if path, ok := reference("", doc.Components, nil, pos, id); ok {
		return []graph.PatchOp{graph.Replace(path, graph.Quote(id))}
	}
	if k := sort.Search(len(doc.Blocks), func(k int) bool { return doc.Blocks[k].Pos > pos }) - 1; k >= 0 {
		b := &doc.Blocks[k]
		if path, ok := reference("/blocks/"+graph.EscapeStep(b.Name), b.Components, b.Inputs, pos, id); ok {
			return []graph.PatchOp{graph.Replace(path, graph.Quote(id))}
		}
	}
	k := sort.Search(len(doc.Connections), func(k int) bool { return max(doc.Connections[k].FromPos, doc.Connections[k].ToPos) >= pos })
	if k == len(doc.Connections) {
		return nil
	}
	switch c, path := &doc.Connections[k], fmt.Sprintf("/connections/%d", k); {
	case c.ToPos == pos && inOrder(doc.Components, c.From, id):
		return []graph.PatchOp{graph.Replace(path+"/to", graph.Quote(id))}
	case c.FromPos == pos && inOrder(doc.Components, id, c.To):
		return []graph.PatchOp{graph.Replace(path+"/from", graph.Quote(id))}
	}
	return nil
}

// inOrder reports whether one component stands before another.
func inOrder(list []graph.Component, first, second string) bool {
	place := func(id string) int {
		return slices.IndexFunc(list, func(c graph.Component) bool { return c.ID == id })
	}
	return place(first) >= 0 && place(first) < place(second)
}

// reference is the JSON Pointer of the input that stands at an offset, among
// the components of a scope, if the id is that of one before it or of an input
// of the block.
func reference(scope string, list []graph.Component, inputs []string, pos int, id string) (path string, ok bool) {
	k := sort.Search(len(list), func(k int) bool { return list[k].Pos > pos }) - 1
	if k < 0 {
		return "", false
	}
	j := slices.IndexFunc(list[k].Inputs, func(r graph.Ref) bool { return r.Pos == pos })
	before := slices.Contains(inputs, id) || slices.ContainsFunc(list[:k], func(c graph.Component) bool { return c.ID == id })
	return fmt.Sprintf("%s/components/%d/inputs/%d", scope, k, j), j >= 0 && before
}

// without is the patch that takes some nodes of one input out of the document,
// and hands what they get on to whoever takes their result. There is none where
// a block has one of them in other instances too, or where something else names
// one.
func (p *Pass) without(nodes []int) []graph.PatchOp {
	left := map[int]int{} // instances that stay, by where the component is written
	for _, i := range nodes {
		left[p.Nodes[i].Component.Pos] = 0
	}
	for i := range p.Nodes {
		if _, ok := left[p.Nodes[i].Component.Pos]; ok {
			left[p.Nodes[i].Component.Pos]++
		}
	}
	for _, i := range nodes {
		left[p.Nodes[i].Component.Pos]--
	}
	for _, n := range left {
		if n > 0 {
			return nil
		}
	}
	doc := p.Graph.Doc
	cut := scope{components: doc.Components, connections: doc.Connections}
	ops, ok := cut.without(left)
	for k := range doc.Blocks {
		b := &doc.Blocks[k]
		cut = scope{path: "/blocks/" + graph.EscapeStep(b.Name), components: b.Components, output: b.Output}
		more, fits := cut.without(left)
		ops, ok = append(ops, more...), ok && fits
	}
	if !ok {
		return nil
	}
	return ops
}

// A scope is components that know each other's ids: those of the document, or
// of a block.
type scope struct {
	path        string // JSON Pointer
	components  []graph.Component
	connections []graph.Connection
	output      string // of a block
}

// without is the patch for the components that are written at some offsets.
// False: something else than an edge names one of them.
func (s *scope) without(cut map[int]int) (ops []graph.PatchOp, ok bool) {
	from := map[string]string{} // what a component gets that goes, by its id
	for k := range s.components {
		c := &s.components[k]
		if _, goes := cut[c.Pos]; !goes {
			continue
		}
		if len(c.Inputs) != 1 {
			return nil, false
		}
		from[c.ID] = c.Inputs[0].ID
	}
	if len(from) == 0 {
		return nil, true
	}
	source := func(id string) (string, bool) {
		was := id
		for {
			next, goes := from[id]
			if !goes {
				return id, id != was
			}
			id = next // the edges of a graph that is judged so far have no cycle
		}
	}
	var gone []graph.PatchOp
	for k := range s.components {
		c, path := &s.components[k], fmt.Sprintf("%s/components/%d", s.path, k)
		if _, named := from[c.SharedWith.ID]; named {
			return nil, false
		}
		if _, goes := cut[c.Pos]; goes {
			gone = append(gone, graph.Remove(path))
			continue
		}
		for j, in := range c.Inputs {
			if id, other := source(in.ID); other {
				ops = append(ops, graph.Replace(fmt.Sprintf("%s/inputs/%d", path, j), graph.Quote(id)))
			}
		}
	}
	if id, other := source(s.output); other {
		ops = append(ops, graph.Replace(s.path+"/output", graph.Quote(id)))
	}
	for k, c := range s.connections {
		path := fmt.Sprintf("/connections/%d", k)
		if _, goes := from[c.To]; goes {
			gone = append(gone, graph.Remove(path))
		} else if id, other := source(c.From); other {
			ops = append(ops, graph.Replace(path+"/from", graph.Quote(id)))
		}
	}
	slices.Reverse(gone) // so that those before keep their places
	return append(ops, gone...), true
}

// pointer is the JSON Pointer of a node's component in the document as written.
func (p *Pass) pointer(node int) (path string, ok bool) {
	n, doc := &p.Nodes[node], p.Graph.Doc
	pos, list := n.Component.Pos, doc.Components
	if n.Frame != nil {
		k := sort.Search(len(doc.Blocks), func(k int) bool { return doc.Blocks[k].Pos > pos }) - 1
		if k < 0 {
			return "", false
		}
		path, list = "/blocks/"+graph.EscapeStep(doc.Blocks[k].Name), doc.Blocks[k].Components
	}
	k := sort.Search(len(list), func(k int) bool { return list[k].Pos >= pos })
	if k == len(list) || list[k].Pos != pos || list[k].ID != n.Component.ID {
		return "", false
	}
	return fmt.Sprintf("%s/components/%d", path, k), true
}
