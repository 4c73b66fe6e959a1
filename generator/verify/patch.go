package verify

import (
	"fmt"
	"sort"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/strata-catalog/strata/generator/graph"
)

// A PatchOp is one operation of a JSON Patch (RFC 6902) on the document as
// written.
type PatchOp struct {
	Op    string // add, remove or replace
	Path  string // JSON Pointer
	Value string // JSON; "" for remove
}

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
func (p *Pass) replace(node int, name, value string) []PatchOp {
	path, ok := p.pointer(node)
	if !ok {
		return nil
	}
	written := p.written(node, name)
	switch {
	case written != nil && written.Value != p.param(node, written.Name):
		return nil
	case written != nil:
		return []PatchOp{{"replace", path + "/params/" + escape(written.Name), value}}
	case len(p.Nodes[node].Component.Params) == 0:
		return []PatchOp{{"add", path + "/params", "{" + quote(name) + ":" + value + "}"}}
	}
	return []PatchOp{{"add", path + "/params/" + escape(name), value}}
}

// rename is the patch that gives a parameter another name, or removes it where
// none is known.
func (p *Pass) rename(node int, name, to string) []PatchOp {
	path, ok := p.pointer(node)
	if !ok {
		return nil
	}
	ops := []PatchOp{{"remove", path + "/params/" + escape(name), ""}}
	switch written := p.written(node, name); {
	case written == nil || to != "" && p.written(node, to) != nil:
		return nil
	case to != "":
		ops = append(ops, PatchOp{"add", path + "/params/" + escape(to), written.Value})
	}
	return ops
}

// retype is the patch that gives a node another type.
func (p *Pass) retype(node int, to string) []PatchOp {
	path, ok := p.pointer(node)
	if !ok || to == "" {
		return nil
	}
	return []PatchOp{{"replace", path + "/type", quote(to)}}
}

// unalias is the patch that removes the other names of a parameter that is
// also given under its own.
func (p *Pass) unalias(node int, name string) []PatchOp {
	path, ok := p.pointer(node)
	if !ok {
		return nil
	}
	t, own := p.Nodes[node].Type, false
	var ops []PatchOp
	for _, q := range p.Nodes[node].Component.Params {
		switch {
		case q.Name == t.Canonical(name):
			own = true
		case t.Canonical(q.Name) == t.Canonical(name):
			ops = append(ops, PatchOp{"remove", path + "/params/" + escape(q.Name), ""})
		}
	}
	if !own {
		return nil
	}
	return ops
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
		path, list = "/blocks/"+escape(doc.Blocks[k].Name), doc.Blocks[k].Components
	}
	k := sort.Search(len(list), func(k int) bool { return list[k].Pos >= pos })
	if k == len(list) || list[k].Pos != pos || list[k].ID != n.Component.ID {
		return "", false
	}
	return fmt.Sprintf("%s/components/%d", path, k), true
}

var escaper = strings.NewReplacer("~", "~0", "/", "~1")

// escape writes a name as one step of a JSON Pointer.
func escape(name string) string { return escaper.Replace(name) }

func quote(s string) string {
	b, err := jsontext.AppendQuote(nil, s)
	if err != nil { // not UTF-8: the decoder has refused it
		return `""`
	}
	return string(b)
}
