package layer

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/strata-catalog/strata/generator/shape"
)

// pyCall writes a call. Empty arguments are left out.
func pyCall(name string, args ...string) string {
	return name + "(" + strings.Join(slices.DeleteFunc(args, func(a string) bool { return a == "" }), ", ") + ")"
}

// option writes a named argument, nothing where it has PyTorch's default.
func option[T int64 | float64 | bool | string](name string, v, preset T) string {
	if v == preset {
		return ""
	}
	return name + "=" + py(v)
}

// py writes a value.
func py(v any) string {
	switch v := v.(type) {
	case bool:
		if v {
			return "True"
		}
		return "False"
	case float64:
		return pyFloat(v)
	case string:
		return strconv.QuoteToASCII(v)
	}
	return fmt.Sprint(v)
}

// pyFloat writes a number that Python reads as a float: 1e-6, 0.1, 2.0.
func pyFloat(x float64) string {
	s := strconv.FormatFloat(x, 'g', -1, 64)
	mantissa, exponent, ok := strings.Cut(s, "e")
	switch {
	case ok:
		n, _ := strconv.Atoi(exponent)
		return mantissa + "e" + strconv.Itoa(n)
	case !strings.Contains(s, "."):
		return s + ".0"
	}
	return s
}

// pyTuple writes a tuple of sizes: (3,), (7, 7).
func pyTuple(dims []int64) string {
	list := make([]string, len(dims))
	for i, d := range dims {
		list[i] = strconv.FormatInt(d, 10)
	}
	if len(list) == 1 {
		return "(" + list[0] + ",)"
	}
	return "(" + strings.Join(list, ", ") + ")"
}

// pyAxes writes one axis, or a tuple of several.
func pyAxes(along []int) string {
	if len(along) == 1 {
		return strconv.Itoa(along[0])
	}
	dims := make([]int64, len(along))
	for i, axis := range along {
		dims[i] = int64(axis)
	}
	return pyTuple(dims)
}

// pySizes writes the sizes along some axes: one number where they are equal.
func pySizes(at func(i int) int64, axes int) string {
	dims := make([]int64, axes)
	equal := true
	for i := range dims {
		dims[i] = at(i)
		equal = equal && dims[i] == dims[0]
	}
	if equal {
		return strconv.FormatInt(dims[0], 10)
	}
	return pyTuple(dims)
}

// sizesOption is option for the sizes along some axes.
func sizesOption(name string, at func(i int) int64, axes int, preset string) string {
	if s := pySizes(at, axes); s != preset {
		return name + "=" + s
	}
	return ""
}

// onLast writes a step over $x, the operand, that acts on the last axis. Where
// the features of x are on another axis, they are moved there and back.
func onLast(x shape.Tensor, step string) string {
	if x.FeatureLast() || x.Rank() < 2 {
		return strings.ReplaceAll(step, "$x", "$0")
	}
	at := strconv.Itoa(x.Feature)
	return strings.ReplaceAll(step, "$x", "$0.movedim("+at+", -1)") + ".movedim(-1, " + at + ")"
}

// onSecond writes a step over $x that acts on axis 1 of a tensor with a batch
// axis, [batch, channels, …]. With alone, samples must not mix: a tensor
// without a batch axis gets one; else its first axis passes for one.
func onSecond(x shape.Tensor, step string, alone bool) string {
	operand, back := "$0", ""
	single := x.Rank() < 2 || x.Feature == 0 || alone && x.Batch == shape.Unbatched
	at := 1
	if single {
		at = 0
	}
	if x.Feature != at {
		operand += fmt.Sprintf(".movedim(%d, %d)", x.Feature, at)
		back = fmt.Sprintf(".movedim(%d, %d)", at, x.Feature)
	}
	if single {
		operand += ".unsqueeze(0)"
		back = ".squeeze(0)" + back
	}
	return strings.ReplaceAll(step, "$x", operand) + back
}

// A helper is a class of the exported file.
type helper struct {
	name   string
	doc    string   // one line
	fields []string // annotations, "table: Tensor"
	params string   // of __init__, "" for none
	init   []string // statements behind super().__init__()
	args   string   // of forward; "" for one tensor x
	source bool     // forward takes nothing
	body   []string // statements of forward
}

// class writes the helper.
func (h helper) class() Class {
	var b strings.Builder
	line := func(depth int, list ...string) {
		for _, s := range list {
			if s != "" {
				s = strings.Repeat("    ", depth) + s
			}
			b.WriteString(s + "\n")
		}
	}
	comma := func(params string) string {
		if params == "" {
			return ""
		}
		return ", " + params
	}
	args := h.args
	if args == "" {
		args = "x: Tensor"
	}
	line(0, "class $Class(nn.Module):")
	line(1, `"""`+h.doc+`"""`, "")
	if h.fields != nil {
		line(1, h.fields...)
		line(1, "")
	}
	if h.init != nil {
		line(1, "def __init__(self"+comma(h.params)+") -> None:")
		line(2, "super().__init__()")
		line(2, h.init...)
		line(1, "")
	}
	if h.source {
		line(1, "def forward(self) -> Tensor:")
	} else {
		line(1, "def forward(self, "+args+") -> Tensor:")
	}
	line(2, h.body...)
	return Class{Name: h.name, Text: b.String()}
}

// A slot is a module or a parameter of a helper class, at a path below it.
type slot struct {
	path, expr string
	parameter  bool
}

// slots writes the statements of __init__ that fill the slots, and the
// expression of each. What stands below a common beginning of paths is a
// ModuleDict, or a ParameterDict.
func slots(list []slot) (init, at []string, err error) {
	at = make([]string, len(list))
	var heads []string
	below := map[string][]int{}
	for i, s := range list {
		head, _, nested := strings.Cut(s.path, ".")
		if Identifier(head) != head {
			return nil, nil, fmt.Errorf("%q of the name %q is no attribute that a module can have", head, s.path)
		}
		if below[head] == nil {
			heads = append(heads, head)
		}
		below[head] = append(below[head], i)
		at[i] = "self." + head
		switch {
		case !digitsOnly(head):
		case s.parameter && !nested:
			at[i] = "self.get_parameter(" + py(head) + ")"
		default:
			at[i] = "self.get_submodule(" + py(head) + ")"
		}
		if nested {
			at[i] += within(s.path[len(head)+1:], s.parameter)
		}
	}
	for _, head := range heads {
		expr, err := holder(list, below[head], len(head))
		if err != nil {
			return nil, nil, err
		}
		switch first := list[below[head][0]]; {
		case !digitsOnly(head):
			init = append(init, "self."+head+" = "+expr)
		case first.parameter && first.path == head:
			init = append(init, "self.register_parameter("+py(head)+", "+expr+")")
		default:
			init = append(init, "self.add_module("+py(head)+", "+expr+")")
		}
	}
	return init, at, nil
}

// within writes how a module or a parameter is reached in dicts: ["query"],
// .get_submodule("self.query").
func within(path string, parameter bool) string {
	switch {
	case !strings.Contains(path, "."):
		return "[" + py(path) + "]"
	case parameter:
		return ".get_parameter(" + py(path) + ")"
	}
	return ".get_submodule(" + py(path) + ")"
}

// holder is the expression of what stands at the first depth bytes of the
// paths of some slots.
func holder(list []slot, which []int, depth int) (string, error) {
	first := list[which[0]]
	if len(first.path) == depth {
		if len(which) > 1 {
			return "", fmt.Errorf("the name %q is taken twice, alone or as the beginning of another", first.path)
		}
		return first.expr, nil
	}
	var keys []string
	below := map[string][]int{}
	direct := 0
	for _, i := range which {
		if len(list[i].path) == depth {
			return "", fmt.Errorf("the name %q is taken twice, alone or as the beginning of another", list[i].path)
		}
		key, _, nested := strings.Cut(list[i].path[depth+1:], ".")
		if !DictKey(key) {
			return "", fmt.Errorf("%q of the name %q is no key that a ModuleDict can have", key, list[i].path)
		}
		if list[i].parameter && !nested {
			direct++
		}
		if _, seen := below[key]; !seen {
			keys = append(keys, key)
		}
		below[key] = append(below[key], i)
	}
	entries := make([]string, len(keys))
	for k, key := range keys {
		expr, err := holder(list, below[key], depth+1+len(key))
		if err != nil {
			return "", err
		}
		entries[k] = py(key) + ": " + expr
	}
	kind := "nn.ModuleDict"
	switch direct {
	case 0:
	case len(which):
		kind = "nn.ParameterDict"
	default:
		return "", fmt.Errorf("the name %q stands for a tensor beside a module", first.path)
	}
	return kind + "({" + strings.Join(entries, ", ") + "})", nil
}

// A standard layer is one module of torch.nn, and what it is where its tensors
// have other names.
type standard struct {
	module string   // nn.Linear(64, 10); $Class(64, 10) with a helper
	class  Class    // the helper, zero for none
	own    []string // the names that the module gives to w, in order
	w      []Tensor // the tensors as the ledger has them
	apply  string   // the same as a function: F.linear($x, $weight, $bias)
	name   string   // of the helper class that has other names
	doc    string   // its docstring
	call   string   // the step, over $x and $m; "" is $m($x)
}

// torch is the module itself, the module within the dicts of a common prefix
// of its tensors' names, or a helper with the tensors under their names.
func (p standard) torch(wrap func(step string) string) (Torch, error) {
	step := p.call
	if step == "" {
		step = "$m($x)"
	}
	prefix, ok := p.prefix()
	switch {
	case !ok:
		return p.renamed(wrap)
	case prefix == "" && wrap(step) == "$m($0)":
		return Torch{Module: p.module, Class: p.class}, nil
	case prefix == "":
		return Torch{Module: p.module, Class: p.class, Call: wrap(step)}, nil
	}
	entry, err := holder([]slot{{path: "$." + prefix, expr: p.module}}, []int{0}, 1)
	if err != nil {
		return Torch{}, err
	}
	step = strings.ReplaceAll(step, "$m", "$m"+within(prefix, false))
	return Torch{Module: entry, Class: p.class, Call: wrap(step)}, nil
}

// prefix is the path that every tensor has before its own name; ok is false
// where some have other names.
func (p standard) prefix() (prefix string, ok bool) {
	for i, w := range p.w {
		before, found := strings.CutSuffix("."+w.Name, "."+p.own[i])
		if !found || i > 0 && before != prefix {
			return "", false
		}
		prefix = before
	}
	return strings.TrimPrefix(prefix, "."), true
}

// renamed is a helper class that applies the function to tensors of any names.
// Buffers come behind the parameters in w, and are not renamed.
func (p standard) renamed(wrap func(step string) string) (Torch, error) {
	var list []slot
	var params, sizes, fields, buffers []string
	for i, w := range p.w {
		own := p.own[i]
		params = append(params, own+": tuple[int, ...]")
		sizes = append(sizes, pyTuple(w.Dims))
		init := "torch.zeros(" + own + ")"
		if w.Buffer {
			fields = append(fields, own+": Tensor")
			buffers = append(buffers, "self.register_buffer("+py(own)+", "+bufferInit(own)+")")
			continue
		}
		switch {
		case own == "weight" && len(w.Dims) > 1:
			init = "torch.randn(" + own + ") * 0.02"
		case own == "weight":
			init = "torch.ones(" + own + ")"
		}
		list = append(list, slot{path: w.Name, expr: "nn.Parameter(" + init + ")", parameter: true})
	}
	init, at, err := slots(list)
	if err != nil {
		return Torch{}, err
	}
	apply := strings.ReplaceAll(p.apply, "$x", "x")
	for i, expr := range at {
		apply = strings.ReplaceAll(apply, "$"+p.own[i], expr)
	}
	h := helper{name: p.name, doc: p.doc, fields: fields, params: strings.Join(params, ", "), init: append(init, buffers...), body: []string{"return " + apply}}
	return Torch{Module: pyCall("$Class", sizes...), Class: h.class(), Call: wrap("$m($x)")}, nil
}

// bufferInit is what a batch norm's buffer holds at first.
func bufferInit(own string) string {
	switch own {
	case "running_var":
		return "torch.ones(running_var)"
	case "num_batches_tracked":
		return "torch.zeros(num_batches_tracked, dtype=torch.long)"
	}
	return "torch.zeros(" + own + ")"
}
