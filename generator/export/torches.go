package export

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/strata-catalog/strata/generator/infer"
	"github.com/strata-catalog/strata/generator/layer"
	"github.com/strata-catalog/strata/generator/shape"
)

// maxDepth is how many steps a module path may have.
const maxDepth = 64

// asker asks every layer of a model how it is written.
type asker struct {
	m       *infer.Model
	ids     ids
	torches []layer.Torch
	reasons []Reason
	memo    map[use]answer
}

// use is all that the PyTorch of a layer depends on.
type use struct {
	result         *layer.Result
	sides          string // the Results of its side inputs
	joined, tokens bool
	narrow         bool // some operand is without the width it is declared with
}

// answer is what a layer says of one use.
type answer struct {
	torch layer.Torch
	err   error
}

// ask returns the PyTorch of each node, and why some have none.
func ask(m *infer.Model) *asker {
	a := &asker{m: m, torches: make([]layer.Torch, len(m.Nodes)), memo: map[use]answer{}}
	if m.Order == nil {
		a.reasons = []Reason{{-1, "the graph has structural faults"}}
		return a
	}
	a.ids = findIDs(m)
	a.reasons = a.ids.reasons
	for _, i := range m.Order {
		if n := &m.Nodes[i]; !side(m, i) && !n.Is("input") && !passes(n) {
			a.node(i)
		}
	}
	a.paths()
	return a
}

func (a *asker) refuse(i int, format string, args ...any) {
	a.reasons = append(a.reasons, Reason{i, fmt.Sprintf(format, args...)})
}

// node asks one layer, or finds the answer of an equal one.
func (a *asker) node(i int) {
	n := &a.m.Nodes[i]
	if why := refused(n); why != "" {
		a.refuse(i, "%s", why)
		return
	}
	key := a.use(n)
	said, ok := a.memo[key]
	if !ok {
		said.torch, said.err = write(n, a.call(n))
		a.memo[key] = said
	}
	if said.err != nil {
		a.refuse(i, "%s", said.err)
		return
	}
	a.torches[i] = said.torch
}

func (a *asker) use(n *infer.Node) use {
	u := use{result: n.Result, joined: joined(n) > 0, tokens: a.ids.tokens(n)}
	for _, s := range n.Side {
		u.sides += fmt.Sprintf("%p ", a.m.Nodes[s].Result)
	}
	for _, operand := range n.Operands {
		u.narrow = u.narrow || a.ids.narrow[source(a.m, operand)]
	}
	return u
}

// write asks the layer. An output of several operands is what they are joined
// to.
func write(n *infer.Node, c *layer.TorchCall) (layer.Torch, error) {
	if n.Is("output") {
		return layer.Torch{Call: "$0"}, nil
	}
	e, ok := n.Result.Layer.(layer.Exporter)
	if !ok {
		return layer.Torch{}, fmt.Errorf("there is no PyTorch for %s", n.Type.Name)
	}
	return e.Torch(c)
}

// refused says why a layer cannot be written, whatever its type is: what is
// wrong with it first, then what is not known.
func refused(n *infer.Node) string {
	r := n.Result
	if n.Type == nil {
		return fmt.Sprintf("%q is no known layer type", n.Component.Type)
	}
	for _, p := range append(n.Problems[:len(n.Problems):len(n.Problems)], r.Problems...) {
		// Nobody knows what an unknown parameter was to change.
		if layer.Breaks(p.Rule) || p.Rule == layer.UnknownParam {
			return p.Message
		}
	}
	switch {
	case !r.Out.Known() && len(r.Problems) > 0:
		return r.Problems[0].Message
	case !r.Counted:
		return "its sizes are not known"
	case !r.Out.Known():
		return "its output shape is not known"
	case joined(n) == 0 && len(n.Operands)-len(r.Masks) > len(r.In):
		return fmt.Sprintf("it takes %d operands, but %d feed it", len(r.In), len(n.Operands)-len(r.Masks))
	}
	return ""
}

// joined is how many operands of a unary layer are joined into one, 0 for none.
func joined(n *infer.Node) int {
	if k := len(n.Operands) - len(n.Result.Masks); n.Type.Ports.Max == 1 && k > 1 && len(n.Result.In) == 1 {
		return k
	}
	return 0
}

// call is the use of a layer, as the layer is told of it.
func (a *asker) call(n *infer.Node) *layer.TorchCall {
	c := &layer.TorchCall{
		In: n.Result.In, Out: n.Result.Out, Type: n.Type.Name,
		Joined: joined(n) > 0, Tokens: a.ids.tokens(n),
	}
	for _, k := range n.Result.Masks {
		c.Masks = append(c.Masks, a.m.Nodes[n.Operands[k]].Result.Out)
	}
	for _, s := range n.Side {
		c.Side = append(c.Side, a.m.Nodes[s].Result.Layer)
	}
	if !c.Joined && len(n.Operands) == len(c.In) {
		c.In = a.ids.narrowed(n, c.In)
	}
	return c
}

// paths refuses names that no module tree can have. Two layers can only clash
// where the path of one goes on where that of the other ends.
func (a *asker) paths() {
	layers := map[string]int{} // by path
	nested := false
	for _, i := range a.m.Order {
		path := a.m.Module(i)
		layers[path] = i
		nested = nested || strings.IndexByte(path, '.') >= 0
	}
	if !nested {
		return
	}
	clash := map[int]bool{} // layers whose tensors may have one name
	for _, i := range a.m.Order {
		path := a.m.Module(i)
		if strings.Count(path, ".") >= maxDepth {
			a.refuse(i, "its path has more than %d steps", maxDepth)
			continue
		}
		for cut := strings.LastIndexByte(path, '.'); cut >= 0; cut = strings.LastIndexByte(path[:cut], '.') {
			if j, ok := layers[path[:cut]]; ok {
				clash[i], clash[j] = true, true
				a.above(i, j, path[cut+1:])
			}
		}
	}
	seen := map[string]bool{}
	for _, i := range a.m.Order {
		if !clash[i] {
			continue
		}
		for _, e := range a.m.Entries(i) {
			if seen[e.Name] {
				a.refuse(i, "two of the model's tensors are called %q", e.Name)
			}
			seen[e.Name] = true
		}
	}
}

// above refuses layer i, whose path goes on with rest below that of layer j,
// where it takes a name that the other's module uses.
func (a *asker) above(i, j int, rest string) {
	t := &a.torches[j]
	if n := &a.m.Nodes[i]; t.Module == "" || side(a.m, i) || n.Is("input") || passes(n) {
		return
	}
	step, _, _ := strings.Cut(rest, ".")
	if isTensor(t) || attribute(t, step) {
		a.refuse(i, "its path lies below that of the layer %q, which has its own %q", a.m.Nodes[j].ID, step)
	}
}

// attribute reports whether the module of a layer has an attribute already.
func attribute(t *layer.Torch, name string) bool {
	switch {
	case t.Class.Text != "":
		return regexp.MustCompile(`\bself\.` + name + `\b`).MatchString(t.Class.Text) // name is an identifier
	case strings.HasPrefix(t.Module, "nn.ModuleDict("), strings.HasPrefix(t.Module, "nn.ParameterDict("):
		return !layer.DictKey(name) || strings.Contains(t.Module, quote(name)+": ")
	}
	return builtin[name]
}

// builtin are the attributes of the modules of torch.nn that layers are, beside
// those that every module has.
var builtin = wordSet(`_all_weights _check_input_dim _conv_forward _fill_padding_idx_with_zero
	_flat_weight_refs _flat_weights _flat_weights_names _init_flat_weights
	_output_padding _reversed_padding_repeated_twice _update_flat_weights
	_weights_have_changed affine align_corners all_weights alpha approximate
	batch_first beta bias bias_hh_l0 bias_ih_l0 bidirectional ceil_mode
	check_forward_args check_hidden_size check_input count_include_pad dilation dim
	divisor_override dropout elementwise_affine embedding_dim end_dim eps
	flatten_parameters from_pretrained get_expected_cell_size get_expected_hidden_size
	groups hidden_size in_channels in_features include_last_offset init inplace
	input_size kernel_size max_norm max_val min_val mode momentum name negative_slope
	nonlinearity norm_type normalized_shape num_batches_tracked num_channels
	num_embeddings num_features num_groups num_layers num_parameters out_channels
	out_features output_padding output_size p padding padding_idx padding_mode
	permute_hidden proj_size recompute_scale_factor reset_parameters
	reset_running_stats return_indices running_mean running_var scale_factor
	scale_grad_by_freq size sparse start_dim stride threshold track_running_stats
	transposed upscale_factor weight weight_hh_l0 weight_hr_l0 weight_ih_l0`)

func wordSet(list string) map[string]bool {
	m := map[string]bool{}
	for _, s := range strings.Fields(list) {
		m[s] = true
	}
	return m
}

// ids is what is known of the inputs that hold ids.
type ids struct {
	m       *infer.Model
	long    map[int]bool // inputs that hold ids, by node
	looked  map[int]bool // of these, what an embedding looks up
	narrow  map[int]bool // of these, what is declared with the hidden width at its end
	reasons []Reason
}

// findIDs finds the inputs that hold ids: those that embeddings read, be it
// through a flatten or a reshape, and the indices of a gather.
func findIDs(m *infer.Model) ids {
	d := ids{m: m, long: map[int]bool{}, looked: map[int]bool{}, narrow: map[int]bool{}}
	for _, i := range m.Order {
		n := &m.Nodes[i]
		for k, operand := range n.Operands {
			in, straight := d.origin(operand)
			switch {
			case !m.Nodes[in].Is("input"):
			case n.Is("embedding") || n.Is("embeddingBag"):
				d.long[in], d.looked[in] = true, true
				if !wide(n) {
					break
				}
				d.narrow[in] = true
				if !straight || len(n.Operands) > 1 {
					d.reasons = append(d.reasons, Reason{i, "its ids are declared with the hidden width at the end, and come through another layer; declare the input as ids alone"})
				}
			case n.Is("gather") && k == 1, n.Is("segmentEmbedding") && alone(n):
				d.long[in] = true
			}
		}
	}
	d.check()
	return d
}

// wide reports an embedding whose ids are declared with its own width at the end.
func wide(n *infer.Node) bool {
	for _, p := range n.Result.Problems {
		if p.Rule == layer.HiddenWidth {
			return true
		}
	}
	return false
}

// alone reports a table whose operand has no features yet.
func alone(n *infer.Node) bool {
	return len(n.Result.In) == 1 && n.Result.In[0].Rank() < n.Result.Out.Rank()
}

// origin follows reshaping layers back to where ids come from; straight says
// that there are none.
func (d *ids) origin(i int) (in int, straight bool) {
	i = source(d.m, i)
	for straight = true; ; straight = false {
		n := &d.m.Nodes[i]
		if !n.Is("flatten") && !n.Is("reshape") && !n.Is("split") || len(n.Operands) != 1 {
			return i, straight
		}
		i = source(d.m, n.Operands[0])
	}
}

// check refuses layers that read ids as numbers.
func (d *ids) check() {
	for _, i := range d.m.Order {
		n := &d.m.Nodes[i]
		for _, operand := range n.Operands {
			in := source(d.m, operand)
			switch {
			case !d.long[in] || n.Type == nil:
			case d.narrow[in] && !readsNarrow(n):
				d.reasons = append(d.reasons, Reason{i, fmt.Sprintf("it reads the hidden width that the input %q is declared with, but ids have none", d.m.Nodes[in].ID)})
			case !moves[n.Type.Name] && !readsNarrow(n):
				d.reasons = append(d.reasons, Reason{i, fmt.Sprintf("it computes with the input %q, which holds ids", d.m.Nodes[in].ID)})
			}
		}
	}
}

// moves are the types that take ids as well as numbers.
var moves = map[string]bool{
	"output": true, "flatten": true, "reshape": true, "permute": true, "squeeze": true, "unsqueeze": true,
	"split": true, "pad": true, "gather": true, "stack": true, "concatenate": true, "add": true, "multiply": true, "subtract": true,
}

// readsNarrow reports a table that looks ids or their positions up.
func readsNarrow(n *infer.Node) bool {
	switch n.Type.Name {
	case "embedding", "embeddingBag", "learnedPositionalEmbedding", "positionalEncoding", "segmentEmbedding":
		return true
	}
	return false
}

// tokens reports whether a layer reads ids that an embedding looks up.
func (d *ids) tokens(n *infer.Node) bool {
	for _, operand := range n.Operands {
		if in, _ := d.origin(operand); d.looked[in] {
			return !n.Is("embedding") && !n.Is("embeddingBag")
		}
	}
	return false
}

// narrowed are the operands as the exported model has them: ids without the
// hidden width.
func (d *ids) narrowed(n *infer.Node, in []shape.Tensor) []shape.Tensor {
	list := append([]shape.Tensor(nil), in...)
	for k, operand := range n.Operands {
		if d.narrow[source(d.m, operand)] && list[k].Rank() > 0 {
			list[k].Dims = list[k].Dims[:list[k].Rank()-1]
			list[k].IDs = true
		}
	}
	return list
}
