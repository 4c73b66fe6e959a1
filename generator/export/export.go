package export

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/strata-catalog/strata/generator/format"
	"github.com/strata-catalog/strata/generator/infer"
	"github.com/strata-catalog/strata/generator/layer"
	"github.com/strata-catalog/strata/generator/shape"
)

// A Reason says why a layer cannot be written.
type Reason struct {
	Node int // -1: it concerns the whole graph
	Why  string
}

// Unsupported is the error for a graph with layers that cannot be written.
type Unsupported struct {
	Reasons []Reason
	model   *infer.Model
}

func (u *Unsupported) Error() string {
	r := u.Reasons[0]
	if r.Node < 0 {
		return r.Why
	}
	n := &u.model.Nodes[r.Node]
	more := ""
	if len(u.Reasons) > 1 {
		more = fmt.Sprintf(" (and %d more)", len(u.Reasons)-1)
	}
	return fmt.Sprintf("%s (%s) cannot be exported: %s%s", n.ID, n.TypeName(), r.Why, more)
}

// Supported lists the layers that cannot be written, with the reasons. It is
// empty for a graph that Python writes.
func Supported(m *infer.Model) []Reason { return ask(m).reasons }

// Python writes the model as one Python file. Sources are addresses that its
// docstring names: paper, code, checkpoint. The error is an *Unsupported.
func Python(m *infer.Model, sources ...string) ([]byte, error) {
	a := ask(m)
	if len(a.reasons) > 0 {
		return nil, &Unsupported{a.reasons, m}
	}
	w := &writer{
		m: m, sources: sources, torches: a.torches, ids: &a.ids,
		classes: map[string]string{}, helpers: map[helper]string{}, taken: map[string]bool{},
		tied: map[int]bool{}, yielded: map[int]bool{},
	}
	// Names of the file, and the words of Python that look like class names.
	for _, name := range []string{"Tensor", "F", "None", "True", "False"} {
		w.taken[name] = true
	}
	w.connect()
	w.grow()
	name := w.name(modelName(m))
	w.model(name)
	w.main(name)
	return []byte(w.head() + w.out.String()), nil
}

// writer writes one file.
type writer struct {
	m        *infer.Model
	sources  []string // addresses of where the model comes from
	torches  []layer.Torch
	ids      *ids
	blocks   map[string]map[string]bool // inputs of each block
	args     [][]int                    // operands of each node, outputs resolved, masks last
	users    [][]int                    // nodes that take each node's result
	results  []int                      // nodes whose results the model yields
	yielded  map[int]bool               // the same
	position []int                      // of each node in the order of computation
	root     *part
	parts    []*part // by node
	out      strings.Builder
	classes  map[string]string // name by text
	helpers  map[helper]string // name by what the layer asks for
	taken    map[string]bool   // names of classes
	tied     map[int]bool      // nodes that are made as the module of their owner
}

// connect finds what takes what, and what the model yields: its outputs, or
// without any, what nothing uses.
func (w *writer) connect() {
	m := w.m
	w.args, w.users = make([][]int, len(m.Nodes)), make([][]int, len(m.Nodes))
	for _, i := range m.Order {
		if w.silent(i) {
			continue
		}
		w.args[i] = w.operands(&m.Nodes[i])
		for _, in := range w.args[i] {
			w.users[in] = append(w.users[in], i)
		}
	}
	for _, i := range m.Outputs() {
		w.results = append(w.results, source(m, i))
	}
	if len(w.results) == 0 {
		for _, i := range m.Order {
			if len(w.users[i]) == 0 && !side(m, i) {
				w.results = append(w.results, i)
			}
		}
	}
	for _, i := range w.results {
		w.yielded[i] = true
	}
	w.blocks = map[string]map[string]bool{}
	for _, b := range m.Graph.Doc.Blocks {
		names := map[string]bool{}
		for _, in := range b.Inputs {
			names[in] = true
		}
		w.blocks[b.Name] = names
	}
}

// operands are those of a node as its code takes them: masks stand last.
func (w *writer) operands(n *infer.Node) []int {
	list := make([]int, 0, len(n.Operands))
	masks := make(map[int]bool, len(n.Result.Masks))
	for _, k := range n.Result.Masks {
		masks[k] = true
	}
	for k, in := range n.Operands {
		if !masks[k] {
			list = append(list, source(w.m, in))
		}
	}
	for _, k := range n.Result.Masks {
		list = append(list, source(w.m, n.Operands[k]))
	}
	return list
}

// name makes a class name that is not taken.
func (w *writer) name(want string) string {
	name := want
	for n := 2; w.taken[name]; n++ {
		name = want + strconv.Itoa(n)
	}
	w.taken[name] = true
	return name
}

// class writes a class, unless one of the same text is there, and returns its name.
func (w *writer) class(want, text string) string {
	if name, ok := w.classes[text]; ok {
		return name
	}
	name := w.name(want)
	w.classes[text] = name
	var b lines
	b.text(strings.ReplaceAll(text, "$Class", name))
	w.out.WriteString("\n\n" + b.b.String())
	return name
}

// modelName is the name of the class of the whole model: the display name
// where it is a plain one, else the id.
func modelName(m *infer.Model) string {
	d := m.Graph.Doc
	for _, r := range d.Name {
		if r > 0x7e || r < 0x20 {
			return camel(d.ID)
		}
	}
	if d.Name == "" || len(d.Name) > 40 {
		return camel(d.ID)
	}
	return camel(d.Name)
}

func (w *writer) head() string {
	d := w.m.Graph.Doc
	var b strings.Builder
	title := comment(d.Name)
	if title == "" {
		title = comment(d.ID)
	}
	text := []string{strings.TrimSuffix(title, ".") + "."}
	if about := comment(d.Description); about != "" {
		text = append(text, strings.TrimSuffix(about, ".")+".")
	}
	text = append(text, fmt.Sprintf("%s parameters, %s MACs for one forward pass at the shapes below. Needs torch 2.5 or newer, and nothing else.", format.Exact64(w.m.Params), format.Exact(w.m.MACs)))
	for _, in := range w.root.inputs {
		text = append(text, fmt.Sprintf("Beside its inputs the model takes %s: %s.", in.Name, in.Doc))
	}
	if len(w.sources) > 0 {
		text = append(text, comment("Source: "+strings.Join(w.sources, " ")))
	}
	b.WriteString(`"""`)
	for i, paragraph := range text {
		if i > 0 {
			b.WriteString("\n")
		}
		room := width
		if i == 0 {
			room -= 3
		}
		b.WriteString(strings.Join(fill(paragraph, room), "\n") + "\n")
	}
	b.WriteString("\"\"\"\n\n")
	body := w.out.String()
	if mentions(body, "math.") {
		b.WriteString("import math\n\n")
	}
	b.WriteString("import torch\n")
	if mentions(body, "F.") {
		b.WriteString("import torch.nn.functional as F\n")
	}
	b.WriteString("from torch import Tensor, nn\n")
	return b.String()
}

// mentions reports whether code uses a module, by the name with its dot.
func mentions(code, name string) bool {
	for at := 0; ; {
		i := strings.Index(code[at:], name)
		if i < 0 {
			return false
		}
		at += i
		if at == 0 || !isWord(code[at-1]) {
			return true
		}
		at += len(name)
	}
}

func isWord(c byte) bool {
	return c == '_' || c == '.' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// model writes the class of the whole model.
func (w *writer) model(name string) {
	var inits, forward lines
	inits.indent, forward.indent = 2, 2
	w.modules(&inits, w.root)
	w.ties(&inits)
	s := w.scope(w.root)
	s.body = &forward
	var args []string
	for _, i := range w.m.Inputs() {
		s.vars[i] = s.unique(lastStep(w.m.Module(i)))
		args = append(args, s.vars[i]+": Tensor")
	}
	for _, in := range w.root.inputs {
		args = append(args, in.Name+": Tensor")
	}
	s.statements()
	results := make([]string, len(w.results))
	for k, i := range w.results {
		results[k] = s.vars[i]
	}
	forward.add("return " + strings.Join(results, ", "))
	yields := "Tensor"
	if len(results) > 1 {
		yields = "tuple[" + strings.TrimSuffix(strings.Repeat("Tensor, ", len(results)), ", ") + "]"
	}
	var b lines
	b.add("class " + name + "(nn.Module):")
	b.indent = 1
	b.add(docstring(w.m.Layers(), w.m.Params))
	b.add("")
	w.method(&b, &inits, strings.Join(args, ", "), yields, &forward)
	w.out.WriteString("\n\n" + b.b.String())
}

// lastStep is the last step of a path that is no number.
func lastStep(path string) string {
	steps := strings.Split(path, ".")
	for k := len(steps) - 1; k >= 0; k-- {
		if !digitsOnly(steps[k]) {
			return steps[k]
		}
	}
	return "x"
}

// main writes what the file prints when it is run.
func (w *writer) main(name string) {
	var b lines
	b.add("def main() -> None:")
	b.indent = 1
	b.add(`with torch.device("meta"):`)
	b.indent = 2
	b.add("model = " + name + "()")
	s := w.scope(w.root)
	for _, taken := range []string{"model", "count", "result", "output"} {
		s.used[taken] = 1
	}
	var args []string
	for _, i := range w.m.Inputs() {
		arg := s.unique(lastStep(w.m.Module(i)))
		args = append(args, arg)
		dims := w.m.Nodes[i].Out()
		if w.ids.narrow[i] {
			dims = dims[:len(dims)-1]
		}
		b.add(arg + " = " + zeros(dims, w.ids.long[i]))
	}
	for _, in := range w.root.inputs {
		args = append(args, in.Name)
		b.add(in.Name + " = " + zeros(in.Dims, true))
	}
	b.indent = 1
	b.add("count = sum(p.numel() for p in model.parameters())")
	b.add(`print(f"parameters: {count:,}")`)
	b.add("with torch.no_grad():")
	b.indent = 2
	b.add("result = model(" + strings.Join(args, ", ") + ")")
	b.indent = 1
	b.add("for output in result if isinstance(result, tuple) else (result,):")
	b.indent = 2
	b.add(`print("output:", " x ".join(str(n) for n in output.shape))`)
	b.indent = 0
	b.add("")
	b.add("")
	b.add(`if __name__ == "__main__":`)
	b.indent = 1
	b.add("main()")
	w.out.WriteString("\n\n" + b.b.String())
}

// zeros writes a tensor to try the model with.
func zeros(dims shape.Shape, ids bool) string {
	parts := make([]string, len(dims))
	for i, d := range dims {
		parts[i] = strconv.FormatInt(d, 10)
	}
	size := strings.Join(parts, ", ")
	if size == "" {
		size = "()"
	}
	if ids {
		size += ", dtype=torch.long"
	}
	return "torch.zeros(" + size + ")"
}
