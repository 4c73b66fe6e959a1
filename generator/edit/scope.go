package edit

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/strata-catalog/strata/generator/graph"
	"github.com/strata-catalog/strata/generator/pipeline"
	"github.com/strata-catalog/strata/generator/verify"
	"github.com/strata-catalog/strata/generator/words"
)

// A draft is a change under way. The document stays as it is; what is to become
// of it is noted, and ops makes a patch of it.
type draft struct {
	doc    *graph.Document
	report *pipeline.Report
	opts   verify.Options
	scopes []*scope
	// more are operations on what no scope holds: blocks as a whole, and the
	// document. They go last.
	more []graph.PatchOp
	// text is the document after the change, where that is no patch of parts.
	text *string
}

// A scope is components that know each other's ids: those of the document, or
// of a block.
type scope struct {
	doc    *graph.Document
	block  *graph.Block // nil for the document itself
	path   string       // JSON Pointer
	prefix string       // of the instance that a path has named, "" or ends in "."
	list   []graph.Component
	index  map[string]int
	into   map[string][]string // sources of connections, by where they lead
	// What becomes of it.
	sources map[int][]string // operands of a component
	gone    map[int]bool
	added   []addition
	renamed map[string]string
	output  string
	set     []graph.PatchOp // on members of components that stay
}

// An addition is a new component, before one that is there.
type addition struct {
	before int
	graph.Component
}

// scope is the scope of a block, "" for the document itself. A draft has one of
// each.
func (d *draft) scope(block string) (*scope, error) {
	for _, s := range d.scopes {
		if s.name() == block && (s.block != nil) == (block != "") {
			return s, nil
		}
	}
	s := &scope{doc: d.doc, list: d.doc.Components, sources: map[int][]string{}, gone: map[int]bool{}}
	if block != "" {
		k := slices.IndexFunc(d.doc.Blocks, func(b graph.Block) bool { return b.Name == block })
		if k < 0 {
			names := make([]string, len(d.doc.Blocks))
			for i := range d.doc.Blocks {
				names[i] = d.doc.Blocks[i].Name
			}
			return nil, fmt.Errorf("there is no block %s%s%s", words.Quote(block), words.DidYouMean(block, names), listed("; the blocks are ", names))
		}
		s.block = &d.doc.Blocks[k]
		s.path, s.list, s.output = "/blocks/"+graph.EscapeStep(block), s.block.Components, s.block.Output
	} else {
		for _, c := range d.doc.Connections {
			if s.into == nil {
				s.into = map[string][]string{}
			}
			s.into[c.To] = append(s.into[c.To], c.From)
		}
	}
	s.index = make(map[string]int, len(s.list))
	for k := len(s.list) - 1; k >= 0; k-- {
		s.index[s.list[k].ID] = k
	}
	d.scopes = append(d.scopes, s)
	return s, nil
}

// name is the name of the block, "" for the document itself.
func (s *scope) name() string {
	if s.block == nil {
		return ""
	}
	return s.block.Name
}

// where tells the scope in a message: ` in block "decoder"`, or nothing.
func (s *scope) where() string {
	if s.block == nil {
		return ""
	}
	return fmt.Sprintf(" in block %q", s.block.Name)
}

// find is where a component stands: by its id in a block or in the document, by
// the path of a layer of the expanded graph, or by an id that one block has.
func (d *draft) find(in, id string) (*scope, int, error) {
	s, err := d.scope(in)
	if err != nil {
		return nil, 0, err
	}
	if k, ok := s.index[id]; ok {
		return s, k, nil
	}
	top, _ := d.scope("")
	if other, k, ok := d.follow(top, id, "", 0); ok && (other == s || in == "") {
		return other, k, nil
	}
	if in == "" {
		if s, k, ok := d.only(id); ok {
			return s, k, nil
		}
	}
	return nil, 0, fmt.Errorf("there is no component %s%s%s", words.Quote(id), s.where(), d.nearest(s, id))
}

// nearest is what a wrong id may mean.
func (d *draft) nearest(s *scope, id string) string {
	if near := words.DidYouMean(id, s.ids()); near != "" {
		return near
	}
	var having []string
	for i := range d.doc.Blocks {
		b, _ := d.scope(d.doc.Blocks[i].Name)
		if _, ok := b.index[id]; ok {
			having = append(having, strconv.Quote(b.name()))
		}
	}
	if len(having) > 0 {
		return listed("; say with in which block is meant: ", having)
	}
	for i := range d.doc.Blocks {
		b, _ := d.scope(d.doc.Blocks[i].Name)
		if near := words.Nearest(id, b.ids()); near != "" {
			return fmt.Sprintf("; nearest is %q in block %q", near, b.name())
		}
	}
	return listed("; it has ", s.ids())
}

// listed is a list of names for the end of a message, of which the first are
// shown.
func listed(before string, names []string) string {
	const most = 12
	switch {
	case len(names) == 0:
		return ""
	case len(names) > most:
		return fmt.Sprintf("%s%s and %d more", before, strings.Join(names[:most], ", "), len(names)-most)
	}
	return before + strings.Join(names, ", ")
}

// follow goes down the path of an expanded layer.
func (d *draft) follow(s *scope, path, prefix string, depth int) (*scope, int, bool) {
	if k, ok := s.index[path]; ok {
		s.prefix = prefix
		return s, k, true
	}
	for k := range s.list {
		c := &s.list[k]
		rest, ok := strings.CutPrefix(path, c.ID+".")
		if !ok || !c.IsBlock() || depth > graph.MaxDepth {
			continue
		}
		for i := range max(c.Repeat, 1) {
			below, ok := rest, true
			if step := c.Step(int(i)); step != "" {
				below, ok = strings.CutPrefix(rest, step+".")
			}
			if !ok {
				continue
			}
			inner, err := d.scope(c.BlockOf(int(i)))
			if err != nil {
				return nil, 0, false
			}
			return d.follow(inner, below, prefix+strings.TrimSuffix(path, below), depth+1)
		}
	}
	return nil, 0, false
}

// only finds an id that a single block has.
func (d *draft) only(id string) (found *scope, at int, ok bool) {
	for i := range d.doc.Blocks {
		s, _ := d.scope(d.doc.Blocks[i].Name)
		if k, has := s.index[id]; has {
			if ok {
				return nil, 0, false
			}
			found, at, ok = s, k, true
		}
	}
	return found, at, ok
}

// source is the id, in a scope, of what a name means there: a component or an
// input of the block.
func (d *draft) source(s *scope, name string) (string, error) {
	if _, ok := s.index[name]; ok || s.block != nil && slices.Contains(s.block.Inputs, name) {
		return name, nil
	}
	prefix := s.prefix
	defer func() { s.prefix = prefix }()
	top, _ := d.scope("")
	if other, k, ok := d.follow(top, name, "", 0); ok {
		switch {
		case other == s && (s.prefix == prefix || prefix == ""):
			return s.list[k].ID, nil
		case other == s:
			return "", fmt.Errorf("%s is of another instance of block %q: what a block yields is the first input of the next", words.Quote(name), s.name())
		case s.block != nil:
			return "", fmt.Errorf("block %q does not see %s: use one of its inputs (%s), or pass it as one more input where the block is used", s.name(), words.Quote(name), strings.Join(s.block.Inputs, ", "))
		}
		return "", fmt.Errorf("%s is within block %q; read what uses the block", words.Quote(name), other.name())
	}
	names := s.ids()
	if s.block != nil {
		names = append(names, s.block.Inputs...)
	}
	return "", fmt.Errorf("there is no component %s%s%s", words.Quote(name), s.where(), words.DidYouMean(name, names))
}

func (d *draft) sources(s *scope, names []string) (ids []string, err error) {
	for _, name := range names {
		id, err := d.source(s, name)
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, nil
}

func (s *scope) ids() []string {
	ids := make([]string, len(s.list))
	for k := range s.list {
		ids[k] = s.list[k].ID
	}
	return ids
}

// free makes a new id of one that is wanted.
func (s *scope) free(id string) error {
	_, taken := s.index[id]
	switch {
	case id == "":
		return fmt.Errorf("the id is empty")
	case taken:
		return fmt.Errorf("there is a component %s%s already; give another id", words.Quote(id), s.where())
	case s.block != nil && slices.Contains(s.block.Inputs, id):
		return fmt.Errorf("%s is an input of block %q; give another id", words.Quote(id), s.name())
	}
	return nil
}

// next is an id like one that is there which is free: the number at its end
// counted on, or a number behind it.
func (s *scope) next(id string, taken map[string]bool) string {
	name := strings.TrimRight(id, "0123456789")
	n, err := strconv.Atoi(id[len(name):])
	if err != nil || n > graph.MaxNumber {
		name, n = id+"_", 1
	}
	for {
		n++
		if next := name + strconv.Itoa(n); s.free(next) == nil && !taken[next] {
			return next
		}
	}
}

// operands are the sources of a component, those of connections behind those of
// inputs.
func (s *scope) operands(k int) []string {
	if ids, ok := s.sources[k]; ok {
		return ids
	}
	c := &s.list[k]
	ids := make([]string, len(c.Inputs))
	left := map[string]int{}
	for j, in := range c.Inputs {
		ids[j] = in.ID
		left[in.ID]++
	}
	for _, from := range s.into[c.ID] {
		if left[from]--; left[from] < 0 {
			ids = append(ids, from)
		}
	}
	return ids
}

// reads reports whether something reads a name: a component, or the block as
// its output.
func (s *scope) read(id string) bool {
	if s.block != nil && s.output == id {
		return true
	}
	for k := range s.list {
		if !s.gone[k] && slices.Contains(s.operands(k), id) {
			return true
		}
	}
	return false
}

// redirect lets everything that reads a name read another, but for some
// components.
func (s *scope) redirect(from, to string, but ...int) {
	for k := range s.list {
		if ids := s.operands(k); !s.gone[k] && !slices.Contains(but, k) && slices.Contains(ids, from) {
			s.sources[k] = replaced(ids, from, to)
		}
	}
	if s.block != nil && s.output == from {
		s.output = to
	}
}

func replaced(ids []string, from, to string) []string {
	ids = slices.Clone(ids)
	for j := range ids {
		if ids[j] == from {
			ids[j] = to
		}
	}
	return ids
}

// add notes a new component.
func (s *scope) add(before int, c graph.Component, sources []string) {
	c.HasInputs = len(sources) > 0
	c.Inputs = nil
	for _, id := range sources {
		c.Inputs = append(c.Inputs, graph.Ref{ID: id})
	}
	s.added = append(s.added, addition{before, c})
}

// behind is where a component goes that reads some others: behind the last of
// them, else behind the inputs of the model.
func (s *scope) behind(sources []string) int {
	at := -1
	for _, id := range sources {
		if k, ok := s.index[id]; ok {
			at = max(at, k)
		}
	}
	if at < 0 && s.block == nil {
		for k := range s.list {
			if s.list[k].Type == "input" {
				at = k
			}
		}
	}
	return at + 1
}

// ops is the patch of everything that a draft notes.
func (d *draft) ops() (ops []graph.PatchOp) {
	for _, s := range d.scopes {
		ops = append(ops, s.ops()...)
	}
	return append(ops, d.more...)
}

// ops is the patch of a scope: members first, then what changes the places of
// components, from the last to the first, so that places hold.
func (s *scope) ops() []graph.PatchOp {
	ops := s.set
	for k := range s.list {
		if ids, ok := s.sources[k]; ok && !s.gone[k] {
			c := &s.list[k]
			if c.HasInputs || len(c.Inputs) > 0 || len(s.into[c.ID]) == 0 {
				ops = append(ops, inputs(s.at(k), c, ids)...)
			}
		}
	}
	if s.block != nil && s.output != s.block.Output {
		ops = append(ops, graph.Replace(s.path+"/output", graph.Quote(s.output)))
	}
	if s.block == nil && len(s.doc.Connections) > 0 {
		ops = append(ops, s.connections()...)
	}
	for k := len(s.list); k >= 0; k-- {
		if s.gone[k] {
			ops = append(ops, graph.Remove(s.at(k)))
		}
		for j := len(s.added) - 1; j >= 0; j-- {
			if a := &s.added[j]; a.before == k {
				ops = append(ops, graph.Add(s.at(k), graph.EncodeComponent(&a.Component)))
			}
		}
	}
	return ops
}

// at is the JSON Pointer of a component.
func (s *scope) at(k int) string { return fmt.Sprintf("%s/components/%d", s.path, k) }

// inputs is the patch that gives a component other operands.
func inputs(path string, c *graph.Component, ids []string) (ops []graph.PatchOp) {
	path += "/inputs"
	if !c.HasInputs && len(c.Inputs) == 0 {
		return []graph.PatchOp{graph.Add(path, quoted(ids))}
	}
	same := 0
	for same < min(len(ids), len(c.Inputs)) && ids[same] == c.Inputs[same].ID {
		same++
	}
	tail := 0
	for tail < min(len(ids), len(c.Inputs))-same && ids[len(ids)-1-tail] == c.Inputs[len(c.Inputs)-1-tail].ID {
		tail++
	}
	was, is := len(c.Inputs)-same-tail, ids[same:len(ids)-tail]
	for j := range max(was, len(is)) {
		at := path + "/" + strconv.Itoa(same+min(j, len(is)))
		switch {
		case j >= len(is):
			ops = append(ops, graph.Remove(at))
		case j >= was:
			ops = append(ops, graph.Add(at, graph.Quote(is[j])))
		case is[j] != c.Inputs[same+j].ID:
			ops = append(ops, graph.Replace(at, graph.Quote(is[j])))
		}
	}
	return ops
}

// quoted is a JSON list of names.
func quoted(names []string) string {
	texts := make([]string, len(names))
	for i, name := range names {
		texts[i] = graph.Quote(name)
	}
	return "[" + strings.Join(texts, ",") + "]"
}

// connections is the patch of the edges that a flat document also lists by
// themselves. Those of a component that had some follow its operands.
func (s *scope) connections() (ops []graph.PatchOp) {
	left := map[string][]string{} // edges that are not listed yet, by where they lead
	for k := range s.list {
		c := &s.list[k]
		if ids, ok := s.sources[k]; ok && (len(s.into[c.ID]) > 0 || len(c.Inputs) == 0) {
			left[c.ID] = ids
		}
	}
	name := func(id string) string {
		if to, ok := s.renamed[id]; ok {
			return to
		}
		return id
	}
	var gone []graph.PatchOp
	for k, c := range s.doc.Connections {
		path := fmt.Sprintf("/connections/%d", k)
		if at, ok := s.index[c.To]; ok && s.gone[at] {
			gone = append(gone, graph.Remove(path))
			continue
		}
		from := c.From
		if ids, changed := left[c.To]; changed {
			if len(ids) == 0 {
				gone = append(gone, graph.Remove(path))
				continue
			}
			from, left[c.To] = ids[0], ids[1:]
		}
		if from != c.From {
			ops = append(ops, graph.Replace(path+"/from", graph.Quote(from)))
		}
		if to := name(c.To); to != c.To {
			ops = append(ops, graph.Replace(path+"/to", graph.Quote(to)))
		}
	}
	slices.Reverse(gone)
	ops = append(ops, gone...)
	edge := func(from, to string) {
		ops = append(ops, graph.Add("/connections/-", `{"from":`+graph.Quote(from)+`,"to":`+graph.Quote(to)+`}`))
	}
	for k := range s.list {
		if s.gone[k] {
			continue
		}
		for _, from := range left[s.list[k].ID] {
			edge(from, name(s.list[k].ID))
		}
	}
	for i := range s.added {
		for _, in := range s.added[i].Inputs {
			edge(in.ID, s.added[i].ID)
		}
	}
	return ops
}
