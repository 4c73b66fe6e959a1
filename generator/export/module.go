package export

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/strata-catalog/strata/generator/format"
	"github.com/strata-catalog/strata/generator/layer"
)

// modules writes the statements of __init__ that make what stands below a part.
func (w *writer) modules(l *lines, p *part) {
	for _, c := range p.children {
		w.make(l, c, p)
	}
}

// make writes the statements that make a part in the class of the part at: the
// module, and what it holds beside its own.
func (w *writer) make(l *lines, p, at *part) {
	expr := w.module(p)
	if expr == "" {
		return
	}
	l.add(p.set("self"+p.parent.path(at), expr))
	if p.kind == nested {
		for _, c := range p.children {
			w.make(l, c, at)
		}
	}
}

// set writes the statement that puts a value into the place of a part, below
// what holds it.
func (p *part) set(holder, value string) string {
	switch {
	case !p.got():
		return holder + p.step() + " = " + value
	case p.parameter:
		return holder + ".register_" + p.noun() + "(" + quote(p.name) + ", " + value + ")"
	}
	return holder + ".add_module(" + quote(p.name) + ", " + value + ")"
}

// module is the expression that makes a part; "" when it needs none.
func (w *writer) module(p *part) string {
	switch p.kind {
	case single, nested:
		return w.leaf(p.node)
	case class:
		return w.part(p) + "()"
	case sequential:
		return "nn.Sequential(" + strings.Join(w.all(p), ", ") + ")"
	case stack, list:
		return w.moduleList(p)
	case dict:
		var entries []string
		for _, c := range p.children {
			if expr := w.module(c); expr != "" {
				entries = append(entries, quote(c.name)+": "+expr)
			}
		}
		return "nn.ModuleDict({" + strings.Join(entries, ", ") + "})"
	}
	return ""
}

// all are the expressions of the children.
func (w *writer) all(p *part) []string {
	list := make([]string, len(p.children))
	for i, c := range p.children {
		list[i] = w.module(c)
	}
	return list
}

// leaf is the expression of one layer.
func (w *writer) leaf(i int) string {
	t := &w.torches[i]
	if t.Class.Text == "" {
		return t.Module
	}
	return strings.ReplaceAll(t.Module, "$Class", w.helper(t.Class))
}

// A helper is a helper class as a layer asks for it: needs are the classes that
// its text uses.
type helper struct{ name, text, needs string }

// helper writes a helper class, after those that its text uses, and returns
// its name.
func (w *writer) helper(c layer.Class) string {
	key, names := helper{c.Name, c.Text, ""}, map[string]string{}
	for _, need := range c.Needs {
		names[need.Name] = w.helper(need)
		key.needs += names[need.Name] + " "
	}
	if name, ok := w.helpers[key]; ok {
		return name
	}
	text := placeholder.ReplaceAllStringFunc(c.Text, func(s string) string {
		if name, ok := names[s[1:]]; ok {
			return name
		}
		return s
	})
	name := w.class(c.Name, text)
	w.helpers[key] = name
	return name
}

var placeholder = regexp.MustCompile(`\$\w+`)

// moduleList writes an nn.ModuleList. What is equal is written once, and what
// has the same weights is one module at several places.
func (w *writer) moduleList(p *part) string {
	exprs := w.all(p)
	n := period(exprs)
	times := strconv.Itoa(len(exprs) / n)
	once := strings.Join(exprs[:n], ", ")
	switch {
	case n < len(exprs) && w.shares(p, n):
		w.tieAll(p, n)
		return "nn.ModuleList([" + once + "] * " + times + ")"
	case n == 1 && len(exprs) > 2:
		return "nn.ModuleList([" + once + " for _ in range(" + times + ")])"
	case n < len(exprs) && len(exprs) > 6:
		return "nn.ModuleList([layer for _ in range(" + times + ") for layer in (" + once + ")])"
	}
	return "nn.ModuleList([" + strings.Join(runs(exprs), ", ") + "])"
}

// period is the length of the shortest beginning that, repeated, is the list.
func period(list []string) int {
	border := make([]int, len(list)+1) // of each beginning: its longest proper border
	border[0] = -1
	for i, k := 0, -1; i < len(list); i++ {
		for k >= 0 && list[k] != list[i] {
			k = border[k]
		}
		k++
		border[i+1] = k
	}
	p := len(list) - border[len(list)]
	if len(list)%p != 0 {
		return len(list)
	}
	return p
}

// runs writes the elements of a list, three or more equal neighbours as a loop.
func runs(exprs []string) (list []string) {
	for i := 0; i < len(exprs); {
		n := 1
		for i+n < len(exprs) && exprs[i+n] == exprs[i] {
			n++
		}
		if n > 2 {
			list = append(list, fmt.Sprintf("*(%s for _ in range(%d))", exprs[i], n))
		} else {
			list = append(list, exprs[i:i+n]...)
		}
		i += n
	}
	return list
}

// shares reports whether every child has the weights of the one a period
// before it.
func (w *writer) shares(p *part, period int) bool {
	for k, c := range p.children[period:] {
		first := p.children[k%period]
		if len(c.nodes) != len(first.nodes) {
			return false
		}
		for j, i := range c.nodes {
			if len(w.m.Nodes[i].Result.Weights) > 0 && w.m.Nodes[i].SharedBy != first.nodes[j] {
				return false
			}
		}
	}
	return true
}

// tieAll notes that the layers of a list behind the first period are the very
// modules of that period.
func (w *writer) tieAll(p *part, period int) {
	for _, c := range p.children[period:] {
		for _, i := range c.nodes {
			w.tied[i] = true
		}
	}
}

// ties writes what shares a tensor with something else, once all is made.
func (w *writer) ties(l *lines) {
	w.shareParts(l, w.root)
	for _, i := range w.root.nodes {
		n := &w.m.Nodes[i]
		switch {
		case w.tied[i] || len(n.Result.Weights) == 0:
		case n.SharedBy >= 0 && w.shared(i):
			w.share(l, i)
		case n.Tie != nil:
			own, other := n.Result.Weights[n.Tie.Tensor].Name, w.m.Nodes[n.Tie.Node].Result.Weights[n.Tie.Of].Name
			l.add(w.tensor(i, own) + " = " + w.tensor(n.Tie.Node, other))
		}
	}
}

// shareParts makes what has all its weights from an equal part that very part.
func (w *writer) shareParts(l *lines, p *part) {
	for _, c := range p.children {
		owner := w.ownerPart(c)
		if owner == nil || w.module(c) != w.module(owner) {
			w.shareParts(l, c)
			continue
		}
		l.add(c.set("self"+p.path(w.root), "self"+owner.path(w.root)))
		for _, i := range c.nodes {
			w.tied[i] = true
		}
	}
}

// ownerPart is the part whose layers have the weights of those of a part of
// several layers, one by one; nil when there is none.
func (w *writer) ownerPart(p *part) *part {
	if len(p.nodes) < 2 || w.tied[p.nodes[0]] {
		return nil
	}
	owner := w.parts[w.owner(p.nodes[0])]
	for steps := w.parts[p.nodes[0]].depth - p.depth; steps > 0 && owner != nil; steps-- {
		owner = owner.parent
	}
	if owner == nil || owner == p || len(owner.nodes) != len(p.nodes) {
		return nil
	}
	for k, i := range p.nodes {
		if w.owner(i) != owner.nodes[k] || w.m.Nodes[i].SharedBy < 0 || len(w.m.Nodes[i].Result.Weights) > 0 && !w.shared(i) {
			return nil
		}
	}
	return owner
}

// shared reports whether a node that says so has the weights of its owner:
// whether its ledger says that every tensor is another's.
func (w *writer) shared(i int) bool {
	for _, e := range w.m.Entries(i) {
		if e.TiedTo == "" {
			return false
		}
	}
	return true
}

// share makes a layer the module of its owner, or where the two are made
// differently or hold other modules, gives it the owner's tensors.
func (w *writer) share(l *lines, i int) {
	owner := w.owner(i)
	p, mine, its := w.parts[i], &w.torches[i], &w.torches[owner]
	if p.kind == single && w.parts[owner].kind == single && mine.Module == its.Module && mine.Class.Text == its.Class.Text {
		l.add(p.set("self"+p.parent.path(w.root), "self"+w.parts[owner].path(w.root)))
		return
	}
	theirs := w.m.Nodes[owner].Result.Weights
	for k, t := range w.m.Nodes[i].Result.Weights {
		for c := range max(t.Copies, 1) {
			index := strconv.FormatInt(c, 10)
			l.add(w.tensor(i, strings.Replace(t.Name, "{}", index, 1)) + " = " + w.tensor(owner, strings.Replace(theirs[k].Name, "{}", index, 1)))
			if t.Stacked {
				break
			}
		}
	}
}

// tensor is how the model reaches a tensor of a layer, by its name below it.
func (w *writer) tensor(i int, name string) string {
	at := "self" + w.parts[i].path(w.root)
	if name == "" {
		return at
	}
	steps := strings.Split(name, ".")
	for k, step := range steps {
		if digitsOnly(step) && k < len(steps)-1 {
			at += ".get_submodule(" + quote(step) + ")"
		} else {
			at += "." + step
		}
	}
	return at
}

// part writes the class of a part and returns its name.
func (w *writer) part(p *part) string {
	var inits lines
	inits.indent = 2
	w.modules(&inits, p)
	var b lines
	b.add("class $Class(nn.Module):")
	b.indent = 1
	if !p.call {
		b.add(`"""Holds modules under their names in the checkpoint."""`)
		b.add("")
		w.method(&b, &inits, "", "", nil)
		return w.class(w.className(p), b.b.String())
	}
	var forward lines
	forward.indent = 2
	b.add(w.about(p.nodes))
	b.add("")
	s := w.scope(p)
	s.body = &forward
	args := s.parameters(p)
	s.statements()
	forward.add("return " + s.vars[p.out])
	w.method(&b, &inits, args, "Tensor", &forward)
	return w.class(w.className(p), b.b.String())
}

// about is the docstring of a class that stands for some layers. Weights that
// they share count once.
func (w *writer) about(nodes []int) string {
	params := int64(0)
	seen := map[int]bool{}
	for _, i := range nodes {
		if owner := w.owner(i); !seen[owner] {
			seen[owner] = true
			params += w.m.Nodes[i].Result.Params
		}
	}
	return docstring(len(nodes), params)
}

func docstring(layers int, params int64) string {
	word := "layers"
	if layers == 1 {
		word = "layer"
	}
	return fmt.Sprintf(`"""%s %s, %s parameters."""`, format.Exact64(int64(layers)), word, format.Exact64(params))
}

// owner is the node whose weights a node has.
func (w *writer) owner(i int) int {
	for w.m.Nodes[i].SharedBy >= 0 {
		i = w.m.Nodes[i].SharedBy
	}
	return i
}

// method writes __init__ and forward. A class without a forward only holds.
func (w *writer) method(b, inits *lines, args, yields string, forward *lines) {
	if inits.b.Len() > 0 {
		b.add("def __init__(self) -> None:")
		b.indent++
		b.add("super().__init__()")
		b.b.WriteString(inits.b.String())
		b.indent--
		if forward == nil {
			return
		}
		b.add("")
	}
	if args != "" {
		args = ", " + args
	}
	b.add("def forward(self" + args + ") -> " + yields + ":")
	b.b.WriteString(forward.b.String())
}

// className names a part after its block, or after its place.
func (w *writer) className(p *part) string {
	n := &w.m.Nodes[p.nodes[0]]
	for f := n.Frame; f != nil; f = f.Parent {
		if strings.Count(f.Path, ".")+1 == p.depth {
			return camel(f.Block)
		}
	}
	for digitsOnly(p.name) && p.parent != w.root {
		p = p.parent
	}
	return camel(p.name)
}
