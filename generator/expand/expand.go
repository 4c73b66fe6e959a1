package expand

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/strata-catalog/strata/generator/graph"
	"github.com/strata-catalog/strata/generator/words"
)

// A Graph is a document with its blocks unrolled.
type Graph struct {
	Doc    *graph.Document
	Nodes  []Node // in declared order, blocks in the place of their use
	Order  []int  // node indices as pages list them; nil with faults
	Faults []Fault
	// Disagreements are components whose inputs and connections differ.
	Disagreements []Disagreement

	byID func() map[string]int // made when it is first asked for
}

// A Node is one layer of the expanded graph.
type Node struct {
	ID        string // path: layers.0.attn
	Component *graph.Component
	Params    []graph.Param // with the values of the block put in
	Inputs    []int         // operands in order, as node indices
	Frame     *Frame        // the block instance it stands in, nil at the top
	SharedBy  int           // the node whose weights it has (share), -1 for none
}

// A Frame is one instance of a block.
type Frame struct {
	ID       string // path of the component that uses the block: layers
	Path     string // path of the instance: layers.0
	Block    string
	Instance int // from 0
	Count    int
	Parent   *Frame
}

// A Disagreement is a component whose inputs and connections differ.
type Disagreement struct {
	Node    string
	Message string
	Pos     int
}

// A Fault is a structural fault, by the id of the rule that words it.
type Fault struct {
	Rule    string
	Nodes   []string
	Message string
	Fix     string
	Pos     int    // offset in the source
	Near    string // the id that is nearest to one that does not exist, "" for none
}

// The rules that structural faults belong to.
const (
	NoComponents = "no-components"
	DuplicateID  = "duplicate-id"
	UnknownEdge  = "unknown-edge"
	Cycle        = "cycle"
	BlockInputs  = "block-inputs"
)

// Find is the index of the node with an id.
func (g *Graph) Find(id string) (int, bool) {
	i, ok := g.byID()[id]
	return i, ok
}

// Resolve finds the node that an id means for the given node: the id below the
// node's own scope, then below each scope around it.
func (g *Graph) Resolve(from *Node, id string) (int, bool) {
	for prefix := from.ID; prefix != ""; {
		cut := strings.LastIndexByte(prefix, '.')
		if cut < 0 {
			break
		}
		prefix = prefix[:cut]
		if i, ok := g.byID()[prefix+"."+id]; ok {
			return i, true
		}
	}
	return g.Find(id)
}

// At is the position of a node in its source.
func (g *Graph) At(i int) graph.Position {
	return g.Doc.Source.At(g.Nodes[i].Component.Pos)
}

// Expand unrolls a document. The error is a *graph.Error.
func Expand(doc *graph.Document) (*Graph, error) { return Within(graph.MaxComponents, doc) }

// Within is Expand with a limit of components that is lower than that of
// documents.
func Within(components int, doc *graph.Document) (*Graph, error) {
	x := &expander{
		most:   int64(min(components, graph.MaxComponents)),
		g:      &Graph{Doc: doc},
		blocks: make(map[string]*template, len(doc.Blocks)),
	}
	if err := x.templates(); err != nil {
		return nil, err
	}
	g := x.g
	if len(doc.Components) == 0 {
		g.Faults = append(g.Faults, Fault{Rule: NoComponents, Message: "the document has no components", Fix: "list its layers under \"components\"", Pos: 0})
		return g, nil
	}
	top := &template{components: doc.Components}
	if err := x.index(top, nil); err != nil {
		return nil, err
	}
	top.components = x.connected(top.names)
	total, err := x.size(top, nil)
	if err != nil {
		return nil, err
	}
	g.Nodes = make([]Node, 0, total.components)
	x.refs = make([]pending, 0, total.components)
	if err := x.instance(&scope{t: top}, nil); err != nil {
		return nil, err
	}
	x.identify(top)
	x.link()
	x.share()
	if len(g.Faults) == 0 {
		g.order()
	}
	return g, nil
}

// A template is a list of components with its names looked up once.
type template struct {
	name       string
	inputs     []string
	components []graph.Component
	output     string
	pos        int
	names      map[string]int // component by id
	variable   []bool         // components whose params mention a value of the block
	state      int            // of size: 0 new, 1 under way, 2 done
	total      volume
	depth      int
}

// volume is what an expanded template has.
type volume struct{ components, edges, params, text int64 }

// plus adds n times another volume. Each factor is at most 10^5 and what is
// added to is within the limits, so nothing overflows.
func (v volume) plus(n int64, of volume) volume {
	return volume{v.components + n*of.components, v.edges + n*of.edges, v.params + n*of.params, v.text + n*of.text}
}

// volumeOf is that of one component. Its id is repeated below the path of each
// instance.
func volumeOf(c *graph.Component) volume {
	v := volume{0, int64(len(c.Inputs)), int64(len(c.Params)), int64(len(c.ID))}
	if !c.IsBlock() {
		v.components = 1
	}
	for _, list := range [][]graph.Param{c.Params, c.With} {
		for _, p := range list {
			v.text += int64(len(p.Name) + len(p.Value))
		}
	}
	return v
}

// A scope is one instance of a template.
type scope struct {
	t      *template
	prefix string // "" or ends in "."
	slots  []slot
	ins    []source // for each of the template's inputs
	frame  *Frame
	values []graph.Param
}

// A slot is where a component of a scope went: a node, or the nodes from there
// on and the last instance of the block that it uses.
type slot struct {
	node int
	last *scope
}

// A source is a name to be looked up in a scope.
type source struct {
	in   *scope
	name string
	pos  int
}

// pending is a node whose inputs are still names.
type pending struct {
	in   *scope
	refs []graph.Ref
}

type expander struct {
	most   int64 // components
	g      *Graph
	blocks map[string]*template
	refs   []pending // by node
	// meeting says that the paths of two scopes may meet: some id has a step of
	// digits, as those of instances have, or some instance has another step.
	meeting bool
	text    int64 // bytes that the values of blocks have expanded to
	starved bool  // some block is given fewer sources than it has inputs
}

func (x *expander) errorf(pos int, format string, args ...any) error {
	return x.g.Doc.Source.Errorf(pos, "", format, args...)
}

func (x *expander) templates() error {
	for i := range x.g.Doc.Blocks {
		b := &x.g.Doc.Blocks[i]
		t := &template{name: b.Name, inputs: b.Inputs, components: b.Components, output: b.Output, pos: b.Pos}
		x.blocks[b.Name] = t
		if err := x.index(t, b); err != nil {
			return err
		}
	}
	return nil
}

// index looks up the names of a template. b is nil for the document itself.
func (x *expander) index(t *template, b *graph.Block) error {
	t.names = make(map[string]int, len(t.components))
	t.variable = make([]bool, len(t.components))
	for i := range t.components {
		c := &t.components[i]
		if first, twice := t.names[c.ID]; twice {
			x.g.Faults = append(x.g.Faults, Fault{
				Rule: DuplicateID, Nodes: []string{c.ID}, Pos: c.Pos,
				Message: fmt.Sprintf("two components have the id %q (the other at %s)", c.ID, x.g.Doc.Source.At(t.components[first].Pos)),
				Fix:     "give one of them another id, and correct the edges that mean it",
			})
			continue
		}
		t.names[c.ID] = i
		x.meeting = x.meeting || numbered(c.ID) || c.IsBlock() && (c.Repeat == 0 || c.First != "")
		for _, p := range c.Params {
			t.variable[i] = t.variable[i] || b != nil && variable(p.Value, 0) >= 0
		}
		for _, p := range c.With {
			t.variable[i] = t.variable[i] || b != nil && variable(p.Value, 0) >= 0
		}
	}
	if b == nil {
		return nil
	}
	for _, in := range t.inputs {
		if i, ok := t.names[in]; ok {
			return x.errorf(t.components[i].Pos, "block %q has an input and a component that are both called %q; rename one", t.name, in)
		}
	}
	if _, ok := t.names[t.output]; !ok && !has(t.inputs, t.output) {
		return x.errorf(b.OutputPos, "block %q yields %q, which is none of its components%s", t.name, t.output, words.DidYouMean(t.output, keys(t.names)))
	}
	return nil
}

func has(list []string, s string) bool {
	for _, e := range list {
		if e == s {
			return true
		}
	}
	return false
}

func keys(m map[string]int) []string {
	list := make([]string, 0, len(m))
	for k := range m {
		list = append(list, k)
	}
	return list
}

func (x *expander) block(name string, pos int) (*template, error) {
	t, ok := x.blocks[name]
	if !ok {
		names := make([]string, 0, len(x.blocks))
		for n := range x.blocks {
			names = append(names, n)
		}
		return nil, x.errorf(pos, "block %q is not defined under \"blocks\"%s", name, words.DidYouMean(name, names))
	}
	return t, nil
}

// size measures an expanded template before any is made, so that an expansion
// over the limits costs nothing.
func (x *expander) size(t *template, path []string) (volume, error) {
	switch t.state {
	case 1:
		return volume{}, x.errorf(t.pos, "block %q contains itself: %s", t.name, strings.Join(append(path, t.name), " → "))
	case 2:
		return t.total, nil
	}
	t.state = 1
	if t.name != "" {
		path = append(path, t.name)
	}
	for i := range t.components {
		c := &t.components[i]
		t.total = t.total.plus(1, volumeOf(c))
		if c.IsBlock() {
			if err := x.sizeOfUse(t, c, path); err != nil {
				return volume{}, err
			}
		}
		if err := x.within(t.total, c.Pos); err != nil {
			return volume{}, err
		}
	}
	t.state = 2
	return t.total, nil
}

// sizeOfUse adds the instances of the blocks that a component uses.
func (x *expander) sizeOfUse(t *template, c *graph.Component, path []string) error {
	used := c.Pattern
	if c.Block != "" {
		used = []string{c.Block}
	}
	for j, name := range used {
		b, err := x.block(name, c.Pos)
		if err != nil {
			return err
		}
		one, err := x.size(b, path)
		if err != nil {
			return err
		}
		t.depth = max(t.depth, b.depth+1)
		if t.depth > graph.MaxDepth {
			return x.errorf(c.Pos, "blocks within blocks to a depth of more than %d, at %s", graph.MaxDepth, strings.Join(append(path, name), " → "))
		}
		one.text += one.components * int64(len(c.ID)+len(c.First)+len(".100000.")) // the path before each id
		repeat := max(c.Repeat, 1)
		times := repeat / int64(len(used))
		if int64(j) < repeat%int64(len(used)) {
			times++
		}
		t.total = t.total.plus(times, one)
		if err := x.within(t.total, c.Pos); err != nil {
			return err
		}
	}
	return nil
}

// within checks the limits of an expansion.
func (x *expander) within(v volume, pos int) error {
	switch {
	case v.components > x.most:
		return x.errorf(pos, "expands to more than %d components; lower the repeats", x.most)
	case v.edges > graph.MaxEdges:
		return x.errorf(pos, "expands to more than %d edges; lower the repeats, or the inputs of what is repeated", graph.MaxEdges)
	case v.params > graph.MaxParams:
		return x.errorf(pos, "expands to more than %d parameters; lower the repeats", graph.MaxParams)
	case v.text > graph.MaxText:
		return x.errorf(pos, "expands to more than %d MiB of ids and parameters; lower the repeats, or shorten what is repeated", graph.MaxText>>20)
	}
	return nil
}

// instance adds the nodes of one scope.
func (x *expander) instance(s *scope, values []graph.Param) error {
	s.values = values
	s.slots = make([]slot, len(s.t.components))
	paths := s.paths()
	for i := range s.t.components {
		c := &s.t.components[i]
		if c.IsBlock() {
			start := len(x.g.Nodes)
			last, err := x.repeat(s, c, s.t.variable[i])
			if err != nil {
				return err
			}
			s.slots[i] = slot{node: start, last: last}
			if c.SharedWith.ID != "" {
				x.shareBlock(s, i)
			}
			continue
		}
		params := c.Params
		if s.t.variable[i] {
			var err error
			if params, err = x.substitute(params, s); err != nil {
				return err
			}
		}
		id := c.ID
		if s.prefix != "" {
			n := len(s.prefix) + len(c.ID)
			id, paths = paths[:n], paths[n:]
		}
		s.slots[i] = slot{node: len(x.g.Nodes)}
		x.g.Nodes = append(x.g.Nodes, Node{ID: id, Component: c, Params: params, Frame: s.frame, SharedBy: -1})
		x.refs = append(x.refs, pending{s, c.Inputs})
	}
	return nil
}

// paths writes the ids of a scope's layers into one string, which costs one
// allocation an instance.
func (s *scope) paths() string {
	if s.prefix == "" {
		return ""
	}
	var b strings.Builder
	n := 0
	for i := range s.t.components {
		if c := &s.t.components[i]; !c.IsBlock() {
			n += len(s.prefix) + len(c.ID)
		}
	}
	b.Grow(n)
	for i := range s.t.components {
		if c := &s.t.components[i]; !c.IsBlock() {
			b.WriteString(s.prefix)
			b.WriteString(c.ID)
		}
	}
	return b.String()
}

// repeat adds every instance of a block and returns the last.
func (x *expander) repeat(s *scope, c *graph.Component, variable bool) (*scope, error) {
	with := c.With
	if variable {
		var err error
		if with, err = x.substitute(with, s); err != nil {
			return nil, err
		}
	}
	path := s.prefix + c.ID
	period := max(len(c.Pattern), 1)
	starts := make([]int, 0, period) // first node of the first instance of each block of the pattern
	var before *scope
	frames := make([]Frame, max(c.Repeat, 1))
	for i := range frames {
		t := x.blocks[c.BlockOf(i)]
		frames[i] = Frame{ID: path, Path: path, Block: t.name, Instance: i, Count: len(frames), Parent: s.frame}
		if step := c.Step(i); step != "" {
			frames[i].Path += "." + step
		}
		inst := &scope{
			t:      t,
			prefix: frames[i].Path + ".",
			frame:  &frames[i],
		}
		x.inputs(inst, s, c, before)
		values := with
		if len(c.Each) > 0 {
			values = append([]graph.Param(nil), with...)
			for _, e := range c.Each {
				v := e.Values[i]
				v.Name = e.Name
				values = append(values, v)
			}
		}
		start := len(x.g.Nodes)
		if err := x.instance(inst, values); err != nil {
			return nil, err
		}
		if i < period {
			starts = append(starts, start)
		} else if c.Share {
			for n := start; n < len(x.g.Nodes); n++ {
				x.g.Nodes[n].SharedBy = starts[i%period] + n - start
			}
		}
		before = inst
	}
	return before, nil
}

// inputs says where each input of an instance comes from: the first from the
// instance before it, the others from outside.
func (x *expander) inputs(inst, outer *scope, c *graph.Component, before *scope) {
	if want, got := len(inst.t.inputs), len(c.Inputs); want != got && inst.frame.Instance < max(len(c.Pattern), 1) {
		x.starved = x.starved || got < want
		x.g.Faults = append(x.g.Faults, Fault{
			Rule: BlockInputs, Nodes: []string{outer.prefix + c.ID}, Pos: c.Pos,
			Message: fmt.Sprintf("has %s, but block %q takes %d (%s)", words.Inputs(got), inst.t.name, want, strings.Join(inst.t.inputs, ", ")),
			Fix:     "give one source for each input of the block, in its order",
		})
	}
	inst.ins = make([]source, len(inst.t.inputs))
	for k := range inst.ins {
		switch {
		case k == 0 && before != nil:
			inst.ins[k] = source{before, before.t.output, c.Pos}
		case k < len(c.Inputs):
			inst.ins[k] = source{outer, c.Inputs[k].ID, c.Inputs[k].Pos}
		}
	}
}

// substitute puts the values of a block where "$name" stands for them.
func (x *expander) substitute(params []graph.Param, s *scope) ([]graph.Param, error) {
	out := append([]graph.Param(nil), params...)
	for i := range out {
		p := &out[i]
		for at := variable(p.Value, 0); at >= 0; {
			end := at + 2 + strings.IndexByte(p.Value[at+2:], '"')
			name := p.Value[at+2 : end]
			value, ok := lookup(s.values, name)
			if !ok {
				names := make([]string, len(s.values))
				for j, v := range s.values {
					names[j] = v.Name
				}
				return nil, x.errorf(p.Pos, "%s is \"$%s\", but %s is given no value of that name%s; add it under \"with\" or \"each\"",
					p.Name, name, strings.TrimSuffix(s.prefix, "."), words.DidYouMean(name, names))
			}
			p.Value = p.Value[:at] + value + p.Value[end+1:]
			at = variable(p.Value, at+len(value))
			if x.text += int64(len(p.Value)); x.text > graph.MaxText {
				return nil, x.errorf(p.Pos, "the values of blocks expand to more than %d MiB; lower the repeats, or shorten the values", graph.MaxText>>20)
			}
		}
	}
	// A value may be null: then the parameter is absent.
	kept := out[:0]
	for _, p := range out {
		if p.Value != "null" {
			kept = append(kept, p)
		}
	}
	return kept, nil
}

// variable is where the next "$name" begins, -1 when there is none. Compact JSON
// has a string begin after one of [ { : , or at the start.
func variable(value string, from int) int {
	for at := from; ; at += 2 {
		next := strings.Index(value[at:], `"$`)
		if next < 0 {
			return -1
		}
		if at += next; at == 0 || strings.IndexByte("[{:,", value[at-1]) >= 0 {
			return at
		}
	}
}

// lookup finds a value; the last one given wins, so that each goes before with.
func lookup(values []graph.Param, name string) (string, bool) {
	for i := len(values) - 1; i >= 0; i-- {
		if values[i].Name == name {
			return values[i].Value, true
		}
	}
	return "", false
}

// identify prepares the nodes' ids to be looked up, and finds ids that two
// scopes share. In a document without blocks the components are the nodes.
// Where no paths can meet, a path tells its scope, and two scopes cannot share
// one: the map can wait until something is looked up.
func (x *expander) identify(top *template) {
	g := x.g
	if len(g.Doc.Blocks) == 0 {
		g.byID = func() map[string]int { return top.names }
		return
	}
	g.byID = sync.OnceValue(func() map[string]int {
		m := make(map[string]int, len(g.Nodes))
		for i := len(g.Nodes) - 1; i >= 0; i-- {
			m[g.Nodes[i].ID] = i
		}
		return m
	})
	if !x.meeting {
		return
	}
	for i := range g.Nodes {
		n := &g.Nodes[i]
		// Within one scope it is reported already.
		if j := g.byID()[n.ID]; j != i && n.Frame != g.Nodes[j].Frame {
			g.Faults = append(g.Faults, Fault{
				Rule: DuplicateID, Nodes: []string{n.ID}, Pos: n.Component.Pos,
				Message: fmt.Sprintf("two components have the id %q once the blocks are expanded (the other at %s)", n.ID, g.At(j)),
				Fix:     "give one of them another id",
			})
		}
	}
}

// numbered reports an id with a step of digits alone.
func numbered(id string) bool {
	for step := range strings.SplitSeq(id, ".") {
		if strings.Trim(step, "0123456789") == "" {
			return true
		}
	}
	return false
}

// link resolves the inputs of every node.
func (x *expander) link() {
	g := x.g
	edges := 0
	for i := range x.refs {
		edges += len(x.refs[i].refs)
	}
	slab := make([]int, 0, edges)
	for i := range g.Nodes {
		from := len(slab)
		for _, ref := range x.refs[i].refs {
			src, bad := x.resolve(source{x.refs[i].in, ref.ID, ref.Pos})
			if bad != nil {
				x.unknownEdge(i, ref, bad)
				continue
			}
			slab = append(slab, src)
		}
		g.Nodes[i].Inputs = slab[from:len(slab):len(slab)]
	}
}

// share resolves what a flat document says of shared weights.
func (x *expander) share() {
	g := x.g
	for i := range g.Nodes {
		ref := g.Nodes[i].Component.SharedWith
		if ref.ID == "" || g.Nodes[i].SharedBy >= 0 {
			continue
		}
		if j, ok := g.Resolve(&g.Nodes[i], ref.ID); ok && j < i {
			g.Nodes[i].SharedBy = j
			continue
		}
		g.Faults = append(g.Faults, Fault{
			Rule: UnknownEdge, Nodes: []string{g.Nodes[i].ID}, Pos: ref.Pos,
			Message: fmt.Sprintf("%q has the weights of %q, which is no component declared before it", g.Nodes[i].ID, ref.ID),
			Fix:     "give the id of the first of the components that share the weights, and declare it before them",
		})
	}
}

// shareBlock gives the layers of a block the weights of those of an earlier use
// of the same block, one by one.
func (x *expander) shareBlock(s *scope, i int) {
	g, c := x.g, &s.t.components[i]
	from, to := s.slots[i].node, len(g.Nodes)
	if j, ok := s.t.names[c.SharedWith.ID]; ok && j < i {
		owner := &s.t.components[j]
		same := owner.Block == c.Block && slices.Equal(owner.Pattern, c.Pattern) && max(owner.Repeat, 1) == max(c.Repeat, 1)
		if owner.IsBlock() && same {
			for n := from; n < to; n++ {
				g.Nodes[n].SharedBy = s.slots[j].node + n - from
			}
			return
		}
	}
	g.Faults = append(g.Faults, Fault{
		Rule: UnknownEdge, Nodes: []string{s.prefix + c.ID}, Pos: c.SharedWith.Pos,
		Message: fmt.Sprintf("%q has the weights of %q, which is no earlier use of the same block in the same scope", s.prefix+c.ID, c.SharedWith.ID),
		Fix:     "give the id of the first component that uses the block as often, and declare it before",
	})
}

// resolve follows a name to the node that yields it. Each step goes to another
// scope, so it ends, unless blocks pass their inputs through in a circle.
func (x *expander) resolve(s source) (node int, bad *source) {
	for steps := 0; s.in != nil && steps <= graph.MaxComponents*graph.MaxDepth; steps++ {
		if i, ok := s.in.t.names[s.name]; ok {
			at := s.in.slots[i]
			if at.last == nil {
				return at.node, nil
			}
			s = source{at.last, at.last.t.output, s.pos}
			continue
		}
		found := false
		for k, in := range s.in.t.inputs {
			if in == s.name {
				s, found = s.in.ins[k], true
				break
			}
		}
		if found {
			continue
		}
		if i, ok := x.g.byID()[s.in.prefix+s.name]; ok {
			return i, nil
		}
		bad := s // a copy, so that the usual case allocates nothing
		return 0, &bad
	}
	return 0, &source{name: s.name, pos: s.pos}
}

// suggestions is how many faults are told what may be meant: looking for it
// takes as long as there are ids.
const suggestions = 20

// suggest names the id that is nearest to one that does not exist.
func (f *Fault) suggest(name string, names []string) {
	if f.Near = words.Nearest(name, names); f.Near != "" {
		f.Message += fmt.Sprintf("; nearest is %q", f.Near)
	}
}

func (x *expander) unknownEdge(node int, ref graph.Ref, bad *source) {
	id := x.g.Nodes[node].ID
	f := Fault{Rule: UnknownEdge, Nodes: []string{id}, Pos: ref.Pos}
	if bad.in == nil && x.starved {
		return // block-inputs says so
	}
	if bad.in == nil {
		f.Message = fmt.Sprintf("input %q of %q leads to no component: the block that it comes through is given no source for it", ref.ID, id)
		f.Fix = "give the block one source for each of its inputs"
	} else {
		f.Pos = bad.pos
		f.Message = fmt.Sprintf("input %q of %q is no component", bad.name, id)
		if len(x.g.Faults) < suggestions {
			f.suggest(bad.name, append(keys(bad.in.t.names), bad.in.t.inputs...))
		}
		f.Fix = "correct the id, or add the component"
		if bad.in.frame != nil {
			f.Fix = "correct the id, or pass it to the block as one of its inputs"
		}
	}
	x.g.Faults = append(x.g.Faults, f)
}
