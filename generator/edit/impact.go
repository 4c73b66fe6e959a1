package edit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/strata-catalog/strata/generator/facts"
	"github.com/strata-catalog/strata/generator/infer"
	"github.com/strata-catalog/strata/generator/pipeline"
	"github.com/strata-catalog/strata/generator/shape"
)

// Effects are what sets two states of a document apart for whoever has trained
// weights. What repeats stands in one line: layers.{0…35}.mlp.
type Effects struct {
	Complete   bool       `json:"complete" doc:"false: one of the two is broken, or a size is not known, and not all follows"`
	Before     int64      `json:"parameters_before" doc:"parameters before the change"`
	After      int64      `json:"parameters_after" doc:"parameters after it"`
	Kept       int64      `json:"parameters_kept" doc:"parameters of tensors that have the same name and size: trained weights of them can be loaded"`
	Rebuilt    int64      `json:"parameters_rebuilt" doc:"parameters of tensors that are new or have another size: to be initialised and trained"`
	Reshaped   []Reshaped `json:"reshaped" doc:"components whose result has another shape"`
	Components []Moved    `json:"components" doc:"components that came, went or became another layer"`
	Tensors    []Resized  `json:"tensors" doc:"weights that came, went or have another size"`
}

// Reshaped is components whose results have another shape.
type Reshaped struct {
	Components string      `json:"components" doc:"their ids"`
	Count      int64       `json:"count" doc:"how many they are"`
	Before     shape.Shape `json:"before" doc:"shape before, null when not known"`
	After      shape.Shape `json:"after" doc:"shape after, null when not known"`
}

// Moved is components that are in one of two states only.
type Moved struct {
	Components string `json:"components" doc:"their ids"`
	Count      int64  `json:"count" doc:"how many they are"`
	Status     string `json:"status" enum:"added,removed,retyped" doc:"what became of them"`
	Type       string `json:"type" doc:"layer type, the new one where there are two"`
}

// Resized is weights that are in one of two states only, or not of one size.
type Resized struct {
	Tensors    string      `json:"tensors" doc:"their names in the state dict"`
	Count      int64       `json:"count" doc:"how many they are"`
	Status     string      `json:"status" enum:"added,removed,resized" doc:"what became of them"`
	Before     shape.Shape `json:"before" doc:"size before, null for none"`
	After      shape.Shape `json:"after" doc:"size after, null for none"`
	Parameters int64       `json:"parameters" doc:"parameters of all of them after the change; before it, where they are removed"`
}

// Compare says what becomes of layers and weights between two states of a
// document. Layers and weights are matched by their paths.
func Compare(before, after *pipeline.Report) *Effects {
	a, b := before.Model, after.Model
	e := &Effects{
		Complete: !before.Broken() && !after.Broken() && a.Counted && b.Counted && a.ForwardPasses() && b.ForwardPasses(),
		Before:   a.Params, After: b.Params,
	}
	if before.Broken() || after.Broken() {
		return e
	}
	e.layers(a, b)
	e.weights(a, b)
	return e
}

// A fold collects names that have something in common, in the order in which
// it is first seen.
type fold[K comparable] struct {
	keys  []K
	lines map[K][]line
}

// A line is a name, or several that are written as one.
type line struct {
	name       string
	count, sum int64
}

func (f *fold[K]) add(k K, name string, count, sum int64) {
	if f.lines == nil {
		f.lines = map[K][]line{}
	}
	if f.lines[k] == nil {
		f.keys = append(f.keys, k)
	}
	f.lines[k] = append(f.lines[k], line{name, count, sum})
}

// all yields the lines, those of one key folded where their numbers make it
// clear which names they stand for: else those that differ by whole steps.
func (f *fold[K]) all(yield func(K, line) bool) {
	for _, k := range f.keys {
		if all, clear := folded(f.lines[k]); clear {
			if !yield(k, all) {
				return
			}
			continue
		}
		var steps fold[string]
		for _, l := range f.lines[k] {
			steps.add(stepped(l.name), l.name, l.count, l.sum)
		}
		for _, key := range steps.keys {
			l, _ := folded(steps.lines[key])
			if !yield(k, l) {
				return
			}
		}
	}
}

// folded makes one line of several.
func folded(lines []line) (all line, clear bool) {
	names := make([]string, len(lines))
	for i, l := range lines {
		names[i] = l.name
		all.count += l.count
		all.sum += l.sum
	}
	names = slices.Compact(names)
	all.name = facts.Pattern(names)
	return all, !strings.HasPrefix(all.name, names[0]+" … ")
}

// stepped is a name with a sign for each step that is a number.
func stepped(name string) string {
	steps := strings.Split(name, ".")
	for i, step := range steps {
		if strings.Trim(step, "0123456789") == "" {
			steps[i] = "#"
		}
	}
	return strings.Join(steps, ".")
}

// like is what lines that are written as one have in common: the name but for
// its numbers, and what became of it.
type like struct{ name, status, typ, before, after string }

// stem is a name with a sign for each number.
func stem(name string) string {
	parts := digits(name)
	for i, p := range parts {
		if p[0] >= '0' && p[0] <= '9' {
			parts[i] = "#"
		}
	}
	return strings.Join(parts, "")
}

func (e *Effects) layers(a, b *infer.Model) {
	var reshaped, moved fold[like]
	shapes := map[like][2]shape.Shape{}
	left := make(map[string]int, len(a.Nodes))
	for i := range a.Nodes {
		left[a.Nodes[i].ID] = i
	}
	for _, i := range b.Order {
		n := &b.Nodes[i]
		j, ok := left[n.ID]
		if !ok {
			moved.add(like{name: stem(n.ID), status: "added", typ: n.TypeName()}, n.ID, 1, 0)
			continue
		}
		delete(left, n.ID)
		was := &a.Nodes[j]
		if was.TypeName() != n.TypeName() {
			moved.add(like{name: stem(n.ID), status: "retyped", typ: n.TypeName()}, n.ID, 1, 0)
		}
		if x, y := was.Out(), n.Out(); !x.Equal(y) || (x == nil) != (y == nil) {
			k := like{name: stem(n.ID), before: fmt.Sprint(x, x == nil), after: fmt.Sprint(y, y == nil)}
			shapes[k] = [2]shape.Shape{x, y}
			reshaped.add(k, n.ID, 1, 0)
		}
	}
	for _, i := range a.Order {
		if n := &a.Nodes[i]; left[n.ID] == i {
			if _, gone := left[n.ID]; gone {
				moved.add(like{name: stem(n.ID), status: "removed", typ: n.TypeName()}, n.ID, 1, 0)
			}
		}
	}
	for k, l := range reshaped.all {
		e.Reshaped = append(e.Reshaped, Reshaped{l.name, l.count, shapes[k][0], shapes[k][1]})
	}
	for k, l := range moved.all {
		e.Components = append(e.Components, Moved{l.name, l.count, k.status, k.typ})
	}
}

func (e *Effects) weights(a, b *infer.Model) {
	was := map[string]infer.Entry{}
	for w := range own(a) {
		was[w.Name] = w
	}
	var changed fold[like]
	sizes := map[like][2]shape.Shape{}
	note := func(status string, name string, x, y infer.Entry, n int64) {
		k := like{name: stem(name), status: status, before: fmt.Sprint(x.Dims, x.Copies), after: fmt.Sprint(y.Dims, y.Copies)}
		sizes[k] = [2]shape.Shape{x.Dims, y.Dims}
		changed.add(k, copies(name, max(x.Copies, y.Copies)), max(x.Copies, y.Copies), n)
	}
	for w := range own(b) {
		x, ok := was[w.Name]
		switch {
		case !ok:
			note("added", w.Name, infer.Entry{}, w, w.Counts())
		case !x.Dims.Equal(w.Dims) || x.Copies != w.Copies:
			note("resized", w.Name, x, w, w.Counts())
		default:
			e.Kept += w.Counts()
		}
		delete(was, w.Name)
	}
	e.Rebuilt = e.After - e.Kept
	for w := range own(a) {
		if _, left := was[w.Name]; left {
			note("removed", w.Name, w, infer.Entry{}, w.Counts())
		}
	}
	for k, l := range changed.all {
		e.Tensors = append(e.Tensors, Resized{l.name, l.count, k.status, sizes[k][0], sizes[k][1], l.sum})
	}
}

// own lists the parameters that a model has of its own: no buffers, and not
// what is another tensor.
func own(m *infer.Model) func(func(infer.Entry) bool) {
	return func(yield func(infer.Entry) bool) {
		for w := range m.Ledger() {
			if w.TiedTo == "" && !w.Buffer && !yield(w) {
				return
			}
		}
	}
}

// copies writes the numbers of the copies into the name of a tensor.
func copies(name string, n int64) string {
	if n <= 1 {
		return name
	}
	return strings.Replace(name, "{}", fmt.Sprintf("{0…%d}", n-1), 1)
}

// Reach is what hangs on a component.
type Reach struct {
	Component  string   `json:"component" doc:"the component, all of its instances in one"`
	Type       string   `json:"type" doc:"layer type"`
	Instances  int      `json:"instances" doc:"how many there are in the expanded graph"`
	Parameters int64    `json:"parameters" doc:"what all of them add to the total"`
	Tensors    []string `json:"tensors" doc:"their weights, by names in the state dict"`
	Readers    []string `json:"readers" doc:"what reads them"`
	Downstream int      `json:"downstream" doc:"other components that hang on the first of them, directly or not"`
	Tied       []string `json:"tied" doc:"tensors elsewhere that are theirs"`
}

// Reach says what hangs on a component, before anything is changed. in and id
// name it as in a Place.
func (s *Session) Reach(p Place) (*Reach, error) {
	d := &draft{doc: s.report.Doc, report: s.report}
	in, k, err := d.find(p.In, p.Component)
	if err != nil {
		return nil, err
	}
	c, m := &in.list[k], s.report.Model
	if s.report.Broken() {
		return nil, fmt.Errorf("the graph is broken, and nothing follows: mend its faults first")
	}
	var nodes []int
	for _, i := range m.Order {
		if n := &m.Nodes[i]; c.IsBlock() && within(n, c.ID, in.name()) || !c.IsBlock() && n.Component.ID == c.ID && block(n) == in.name() {
			nodes = append(nodes, i)
		}
	}
	if len(nodes) == 0 {
		return nil, fmt.Errorf("%q has no instance: nothing uses block %q", c.ID, in.name())
	}
	return reach(m, c.ID, nodes), nil
}

// block is the block that a node is written in.
func block(n *infer.Node) string {
	if n.Frame == nil {
		return ""
	}
	return n.Frame.Block
}

// within reports whether a node is of a use of a block that is written in a
// scope.
func within(n *infer.Node, use, scope string) bool {
	for f := n.Frame; f != nil; f = f.Parent {
		outer := ""
		if f.Parent != nil {
			outer = f.Parent.Block
		}
		if outer == scope && (f.ID == use || strings.HasSuffix(f.ID, "."+use)) {
			return true
		}
	}
	return false
}

func reach(m *infer.Model, id string, nodes []int) *Reach {
	r := &Reach{Component: id, Instances: len(nodes)}
	is := map[int]bool{}
	var ids []string
	var tensors, tied, readers fold[string]
	for _, i := range nodes {
		is[i] = true
		ids = append(ids, m.Nodes[i].ID)
		r.Parameters += m.Nodes[i].Params
		for _, w := range m.Entries(i) {
			tensors.add(stem(w.Name), copies(w.Name, w.Copies), w.Copies, 0)
		}
	}
	if stems := slices.Compact(slices.Sorted(stems(ids))); len(stems) == 1 {
		r.Component, r.Type = facts.Pattern(ids), m.Nodes[nodes[0]].TypeName()
	}
	hangs := map[int]bool{nodes[0]: true}
	for _, i := range m.Order {
		n := &m.Nodes[i]
		for _, in := range n.Inputs {
			hangs[i] = hangs[i] || hangs[in]
			if is[in] && !is[i] {
				readers.add(stem(n.ID), n.ID, 1, 0)
				break
			}
		}
		for _, w := range m.Entries(i) {
			if w.TiedTo != "" && !is[i] && slices.ContainsFunc(nodes, func(j int) bool { return strings.HasPrefix(w.TiedTo, m.Module(j)+".") || w.TiedTo == m.Module(j) }) {
				tied.add(stem(w.Name), w.Name, 1, 0)
			}
		}
	}
	for i := range hangs {
		if hangs[i] && !is[i] {
			r.Downstream++
		}
	}
	r.Tensors, r.Readers, r.Tied = tensors.names(), readers.names(), tied.names()
	return r
}

func stems(names []string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for _, name := range names {
			if !yield(stem(name)) {
				return
			}
		}
	}
}

// names are the lines without their figures.
func (f *fold[K]) names() (list []string) {
	for _, l := range f.all {
		list = append(list, l.name)
	}
	return list
}
