package generator_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
)

// A kind is one way to draw a model wrongly. It is no wider than what is wrong
// beyond doubt: another kernel that fits as well makes another good model.
type kind struct {
	name string
	// effect says whether a fault of the kind breaks the forward pass. Where
	// that depends on the place, forward decides, and only places count where
	// it is as said.
	effect effect
	// seed makes the fault at a random place; false: the kind does not apply.
	seed func(d *draft) bool
}

type effect string

const (
	breaks     effect = "breaks"
	breaksHere effect = "breaks here"
	runs       effect = "runs"
	runsHere   effect = "runs here"
)

// broken reports whether no forward pass is possible.
func (e effect) broken() bool { return e == breaks || e == breaksHere }

// A draft is a document that a fault is being seeded into.
type draft struct {
	doc    map[string]any
	random *rand.Rand
}

// A place is a component of the document, among those of its scope.
type place struct {
	node   map[string]any
	params map[string]any
	scope  map[string]any // what has the list: the document, or a block
	block  string         // "" for the document
}

func (p place) id() string  { s, _ := p.node["id"].(string); return s }
func (p place) typ() string { s, _ := p.node["type"].(string); return s }

// places lists the components of some types, or all, in random order.
func (d *draft) places(types ...string) []place {
	var list []place
	add := func(scope map[string]any, block string) {
		for _, c := range scope["components"].([]any) {
			node := c.(map[string]any)
			p := place{node: node, scope: scope, block: block}
			if p.params, _ = node["params"].(map[string]any); p.params == nil {
				p.params = map[string]any{}
			}
			if len(types) == 0 || slices.Contains(types, p.typ()) {
				list = append(list, p)
			}
		}
	}
	add(d.doc, "")
	blocks, _ := d.doc["blocks"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(blocks)) {
		add(blocks[name].(map[string]any), name)
	}
	d.random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}

// one is any component of some types.
func (d *draft) one(types ...string) (place, bool) {
	if list := d.places(types...); len(list) > 0 {
		return list[0], true
	}
	return place{}, false
}

// set gives a component a parameter.
func (p place) set(name string, value any) bool {
	p.params[name] = value
	p.node["params"] = p.params
	return true
}

// written is the first of some parameters that is a number in the document.
func (p place) written(names ...string) (name string, n float64, ok bool) {
	for _, name := range names {
		if n, ok := p.params[name].(float64); ok {
			return name, n, true
		}
	}
	return "", 0, false
}

// change gives a parameter of one component of some types another value.
func change(to func(n float64) float64, types []string, names ...string) func(*draft) bool {
	return func(d *draft) bool {
		for _, p := range d.places(types...) {
			if name, n, ok := p.written(names...); ok {
				return p.set(name, to(n))
			}
		}
		return false
	}
}

func plus(k float64) func(float64) float64  { return func(n float64) float64 { return n + k } }
func times(k float64) func(float64) float64 { return func(n float64) float64 { return n * k } }
func to(k float64) func(float64) float64    { return func(float64) float64 { return k } }

func (p place) inputs() []string {
	list, _ := p.node["inputs"].([]any)
	ids := make([]string, len(list))
	for i := range list {
		ids[i], _ = list[i].(string)
	}
	return ids
}

func (p place) feed(ids ...string) {
	list := make([]any, len(ids))
	for i := range ids {
		list[i] = ids[i]
	}
	p.node["inputs"] = list
}

// siblings lists the components of a place's scope, in random order.
func (d *draft) siblings(p place) []place {
	return slices.DeleteFunc(d.places(), func(q place) bool { return q.block != p.block })
}

// redirect makes whoever takes the result of one id take that of another.
func (d *draft) redirect(p place, from, to string) {
	for _, q := range d.siblings(p) {
		ids := q.inputs()
		for i := range ids {
			if ids[i] == from {
				ids[i] = to
				q.feed(ids...)
			}
		}
	}
	if p.scope["output"] == from {
		p.scope["output"] = to
	}
}

// add puts a new component behind p, fed by it.
func (p place) add(typ string, params map[string]any) (id string) {
	id = "seeded"
	node := map[string]any{"id": id, "type": typ, "inputs": []any{p.id()}}
	if params != nil {
		node["params"] = params
	}
	list := p.scope["components"].([]any)
	p.scope["components"] = slices.Insert(list, p.index()+1, any(node))
	return id
}

func (p place) index() int {
	return slices.IndexFunc(p.scope["components"].([]any), func(c any) bool { return c.(map[string]any)["id"] == p.node["id"] })
}

// insert puts a new component between p and all that takes p's result.
func (d *draft) insert(p place, typ string, params map[string]any) bool {
	d.redirect(p, p.id(), "seeded")
	p.add(typ, params)
	return true
}

// bypass removes a component of one input, and joins the ends.
func (d *draft) bypass(p place) bool {
	if len(p.inputs()) != 1 {
		return false
	}
	d.redirect(p, p.id(), p.inputs()[0])
	at := p.index()
	p.scope["components"] = slices.Delete(p.scope["components"].([]any), at, at+1)
	return true
}

// remove takes a component of the document out, with all edges to it and with
// the inputs of blocks that it feeds.
func (d *draft) remove(p place) {
	blocks, _ := d.doc["blocks"].(map[string]any)
	without := func(list any, k int) []any { return slices.Delete(slices.Clone(list.([]any)), k, k+1) }
	names := map[string]string{} // of the inputs, by block
	for _, q := range d.siblings(p) {
		k := slices.Index(q.inputs(), p.id())
		if k < 0 {
			continue
		}
		q.node["inputs"] = without(q.node["inputs"], k)
		used, _ := q.node["pattern"].([]any)
		for _, name := range append(used, q.node["block"]) {
			if block, ok := blocks[fmt.Sprint(name)].(map[string]any); ok && names[fmt.Sprint(name)] == "" {
				names[fmt.Sprint(name)] = block["inputs"].([]any)[k].(string)
				block["inputs"] = without(block["inputs"], k)
			}
		}
	}
	for _, q := range d.places() {
		if k := slices.Index(q.inputs(), names[q.block]); k >= 0 && names[q.block] != "" {
			q.node["inputs"] = without(q.node["inputs"], k)
		}
	}
	at := p.index()
	p.scope["components"] = slices.Delete(p.scope["components"].([]any), at, at+1)
}

// before is the component of the scope that alone feeds p.
func (d *draft) before(p place) (place, bool) {
	if len(p.inputs()) != 1 {
		return place{}, false
	}
	for _, q := range d.siblings(p) {
		if q.id() == p.inputs()[0] {
			return q, true
		}
	}
	return place{}, false
}

// languageHead is a linear layer with as many results as an embedding has rows.
func (d *draft) languageHead() (head, table place, ok bool) {
	for _, head := range d.places("linear") {
		_, out, _ := head.written("outFeatures")
		for _, table := range d.places("embedding") {
			if _, rows, ok := table.written("numEmbeddings", "vocabSize"); ok && rows == out {
				return head, table, true
			}
		}
	}
	return place{}, place{}, false
}

var (
	norms        = []string{"layerNorm", "rmsNorm", "batchNorm"}
	convolutions = []string{"conv2d", "depthwiseConv2d", "transposeConv2d"}
	attention    = []string{"multiHeadAttention", "selfAttention", "causalAttention", "groupedQueryAttention", "mla"}
	networks     = []string{"feedForward", "swiglu", "geglu", "moeLayer", "sharedExpertMoE"}
	activations  = []string{"relu", "relu6", "gelu", "tanh", "swish", "sigmoid"}
)

// kinds are the faults that the verifier is tried on.
var kinds = []kind{
	{"width of a norm", breaks, change(plus(8), norms, "normalizedShape", "numFeatures")},
	{"input width of a linear layer", breaks, change(plus(8), []string{"linear"}, "inFeatures")},
	{"output width of a linear layer", breaksHere, change(plus(8), []string{"linear"}, "outFeatures")},
	{"input width of a recurrent layer", breaks, change(plus(8), []string{"lstm", "mamba"}, "inputSize", "embedDim")},
	{"width of an embedding", breaksHere, change(plus(8), []string{"embedding"}, "embeddingDim")},
	{"width of attention", breaks, change(times(2), attention, "embedDim")},
	{"width of a feed-forward network", breaks, change(plus(8), networks, "embedDim", "dim")},
	{"head count", breaksHere, change(plus(1), attention, "numHeads")},
	{"key-value head count", breaks, keyValueHeads},
	{"input channels", breaks, change(plus(8), convolutions, "inChannels")},
	{"output channels", breaksHere, change(plus(8), convolutions, "outChannels")},
	{"kernel", breaksHere, change(plus(2), convolutions, "kernelSize")},
	{"kernel of zero", breaks, change(to(0), append(slices.Clone(convolutions), "maxpool2d"), "kernelSize")},
	{"stride", breaksHere, change(plus(1), convolutions, "stride")},
	{"added stride", breaksHere, func(d *draft) bool {
		for _, p := range d.places("conv2d") {
			if p.params["stride"] == nil {
				return p.set("stride", 2.0)
			}
		}
		return false
	}},
	{"lost padding", breaksHere, change(to(0), convolutions, "padding")},
	{"group count", breaks, func(d *draft) bool {
		for _, p := range d.places("conv2d") {
			if _, out, ok := p.written("outChannels"); ok {
				return p.set("groups", out+1)
			}
		}
		return false
	}},
	{"channels of the image", breaksHere, func(d *draft) bool {
		for _, p := range d.places("input") {
			if list, _ := p.params["shape"].([]any); len(list) == 4 {
				list[1] = list[1].(float64) + 1
				return true
			}
		}
		return false
	}},
	{"patch size", breaksHere, change(plus(-3), []string{"patchEmbed"}, "patchSize")},
	{"position table too short", breaksHere, change(plus(-1), []string{"learnedPositionalEmbedding"}, "maxLen")},
	{"odd rotary dimension", breaks, change(plus(-1), []string{"rope"}, "dim", "headDim")},
	{"rope for larger heads", breaks, change(times(2), []string{"rope"}, "dim", "headDim")},
	{"expert count below topK", breaks, func(d *draft) bool {
		for _, p := range d.places("moeLayer", "sharedExpertMoE") {
			if _, k, ok := p.written("topK"); ok && k == 1 {
				continue // one of one is no fault
			}
			if name, _, ok := p.written("numExperts"); ok {
				return p.set(name, 1)
			}
		}
		return false
	}},
	{"lost residual edge", breaks, func(d *draft) bool { return cut(d, 1) }},
	{"disconnected branch", breaks, func(d *draft) bool { return cut(d, 0) }},
	{"lost input", breaks, func(d *draft) bool {
		for _, p := range d.places(slices.Concat(norms, convolutions, attention, networks, activations, []string{"linear", "lstm", "mamba"})...) {
			if len(p.inputs()) == 1 {
				p.feed()
				return true
			}
		}
		return false
	}},
	{"swapped operands", breaksHere, func(d *draft) bool {
		for _, p := range d.places() {
			if ids := p.inputs(); len(ids) > 1 && p.typ() != "add" {
				ids[0], ids[1] = ids[1], ids[0]
				p.feed(ids...)
				return true
			}
		}
		return false
	}},
	{"edge from another layer", breaksHere, func(d *draft) bool {
		for _, p := range d.places() {
			ids := p.inputs()
			for _, q := range d.siblings(p) {
				if len(ids) > 0 && q.index() < p.index() && q.id() != ids[0] {
					ids[0] = q.id()
					p.feed(ids...)
					return true
				}
			}
		}
		return false
	}},
	{"edge to nothing", breaks, func(d *draft) bool {
		for _, p := range d.places() {
			if ids := p.inputs(); len(ids) > 0 {
				ids[0] += "x"
				p.feed(ids...)
				return true
			}
		}
		return false
	}},
	{"cycle", breaks, func(d *draft) bool {
		for _, p := range d.places() {
			if before, ok := d.before(p); ok && len(before.inputs()) > 0 {
				before.feed(append(before.inputs(), p.id())...)
				return true
			}
		}
		return false
	}},
	{"duplicate id", breaks, func(d *draft) bool {
		p := d.places()[0]
		others := d.siblings(p)
		q := others[d.random.IntN(len(others))]
		if p.id() == q.id() {
			return false
		}
		p.node["id"] = q.id()
		return true
	}},
	{"unknown layer type", breaks, func(d *draft) bool {
		for _, p := range d.places() {
			if p.typ() != "" && p.typ() != "input" && p.typ() != "output" {
				p.node["type"] = p.typ() + "X"
				return true
			}
		}
		return false
	}},
	{"missing parameter", breaks, func(d *draft) bool {
		for _, p := range d.places() {
			for _, name := range required[p.typ()] {
				if p.params[name] != nil {
					delete(p.params, name)
					return true
				}
			}
		}
		return false
	}},
	{"parameter of another kind", breaks, func(d *draft) bool {
		for _, p := range d.places() {
			for _, name := range required[p.typ()] {
				if _, _, ok := p.written(name); ok {
					return p.set(name, "many")
				}
			}
		}
		return false
	}},
	{"dropout out of range", breaks, change(to(1.5), []string{"dropout"}, "p")},
	{"axis that does not exist", breaks, change(plus(4), []string{"concatenate", "split", "squeeze"}, "dim")},

	{"unknown parameter", runs, func(d *draft) bool {
		for _, p := range d.places() {
			if p.typ() != "" {
				return p.set("dropuot", 0.1)
			}
		}
		return false
	}},
	{"two names that disagree", runs, func(d *draft) bool {
		for _, p := range d.places("embedding") {
			if _, n, ok := p.written("numEmbeddings"); ok {
				return p.set("vocabSize", n+1)
			}
		}
		return false
	}},
	{"softmax before the output", runs, func(d *draft) bool {
		for _, p := range d.places("output") {
			if from, ok := d.before(p); ok {
				p.feed(from.add("softmax", nil))
				return true
			}
		}
		return false
	}},
	{"activation after the head", runs, func(d *draft) bool {
		category, _ := d.doc["category"].(string)
		_, _, speaks := d.languageHead()
		for _, p := range d.places("output") {
			head, ok := d.before(p)
			if ok && head.typ() == "linear" && (speaks || strings.Contains(category, "Classification")) {
				p.feed(head.add("relu", nil))
				return true
			}
		}
		return false
	}},
	{"duplicated activation", runs, func(d *draft) bool {
		p, ok := d.one(activations...)
		return ok && d.insert(p, p.typ(), nil)
	}},
	{"duplicated norm", runs, func(d *draft) bool {
		p, ok := d.one(norms...)
		return ok && d.insert(p, p.typ(), maps.Clone(p.params))
	}},
	{"missing norm", runs, func(d *draft) bool {
		p, ok := d.one(norms...)
		return ok && d.bypass(p)
	}},
	{"norm behind the activation", runs, func(d *draft) bool {
		for _, act := range d.places("relu", "relu6") {
			if norm, ok := d.before(act); ok && norm.typ() == "batchNorm" {
				act.node["type"], norm.node["type"] = norm.typ(), act.typ()
				act.node["params"] = norm.node["params"]
				delete(norm.node, "params")
				return true
			}
		}
		return false
	}},
	{"dropout before a batch norm", runs, func(d *draft) bool {
		for _, p := range d.places("batchNorm") {
			if from, ok := d.before(p); ok {
				p.feed(from.add("dropout", map[string]any{"p": 0.1}))
				return true
			}
		}
		return false
	}},
	{"bias before a batch norm", runs, func(d *draft) bool {
		for _, p := range d.places("conv2d", "depthwiseConv2d") {
			if p.params["bias"] == false {
				delete(p.params, "bias")
				return true
			}
		}
		return false
	}},
	{"linear layer behind a linear layer", runs, func(d *draft) bool {
		for _, p := range d.places("linear") {
			if _, n, ok := p.written("outFeatures"); ok {
				return d.insert(p, "linear", map[string]any{"outFeatures": n})
			}
		}
		return false
	}},
	{"residual around nothing", runs, func(d *draft) bool {
		for _, p := range d.places("add") {
			if ids := p.inputs(); len(ids) == 2 {
				p.feed(ids[1], ids[1])
				return true
			}
		}
		return false
	}},
	{"lost residual path", runs, func(d *draft) bool {
		for _, p := range d.places("add") {
			if ids := p.inputs(); len(ids) == 2 && p.block != "" {
				p.feed(ids[0])
				return d.bypass(p)
			}
		}
		return false
	}},
	{"skipped layer", runsHere, func(d *draft) bool {
		for _, p := range d.places() {
			if skipped, ok := d.before(p); ok && len(skipped.inputs()) > 0 {
				p.feed(skipped.inputs()[0])
				return true
			}
		}
		return false
	}},
	{"removed rope", runs, func(d *draft) bool {
		ropes := d.places("rope")
		for _, rope := range ropes {
			d.remove(rope)
		}
		return len(ropes) > 0
	}},
	{"lost position table", runs, func(d *draft) bool {
		for _, p := range d.places("learnedPositionalEmbedding", "parameter") {
			shape, _ := p.params["shape"].([]any)
			if p.typ() != "parameter" || p.params["mode"] == "add" && len(shape) > 1 {
				return d.bypass(p)
			}
		}
		return false
	}},
	{"rope beside a norm", runs, func(d *draft) bool {
		for _, rope := range d.places("rope") {
			for _, p := range d.siblings(rope) {
				if slices.Contains(norms, p.typ()) {
					p.feed(append(p.inputs(), rope.id())...)
					return true
				}
			}
		}
		return false
	}},
	{"causal flag", runs, func(d *draft) bool {
		if _, _, ok := d.languageHead(); !ok {
			return false
		}
		p, ok := d.one("causalAttention", "groupedQueryAttention", "mla")
		if ok && p.typ() == "causalAttention" {
			p.node["type"] = "multiHeadAttention"
			return true
		}
		return ok && p.set("causal", false)
	}},
	{"vocabulary off by a few", runs, func(d *draft) bool {
		_, table, ok := d.languageHead()
		if !ok {
			return false
		}
		name, n, _ := table.written("numEmbeddings", "vocabSize")
		return table.set(name, n-float64(1+d.random.IntN(63)))
	}},
	{"tie to nothing", runs, func(d *draft) bool {
		if head, _, ok := d.languageHead(); ok {
			return head.set("tiedTo", "wte2")
		}
		return false
	}},
	{"wrong tie", runs, func(d *draft) bool {
		head, _, ok := d.languageHead()
		for _, p := range d.places(norms...) {
			if ok && p.block == "" {
				return head.set("tiedTo", p.id())
			}
		}
		return false
	}},
	{"ids with a width", runs, func(d *draft) bool {
		for _, p := range d.places("embedding") {
			_, width, sized := p.written("embeddingDim")
			in, ok := d.before(p)
			if !ok || !sized || in.typ() != "input" {
				continue
			}
			// Ids that two tables look up cannot have the width of both.
			others := slices.DeleteFunc(d.siblings(p), func(q place) bool { return q.id() == p.id() || !slices.Contains(q.inputs(), in.id()) })
			if len(others) == 0 {
				return in.set("shape", append(slices.Clone(in.params["shape"].([]any)), width))
			}
		}
		return false
	}},
	{"declared output", runs, func(d *draft) bool {
		p, ok := d.one("output")
		return ok && p.set("shape", []any{1.0, 7.0})
	}},
	{"input beyond the rope", runs, func(d *draft) bool {
		for _, p := range d.places("rope") {
			if name, n, ok := p.written("maxSeqLen"); ok && p.params["scaling"] == nil {
				return p.set(name, float64(int(n)/64))
			}
		}
		return false
	}},
	{"window beyond the input", runs, func(d *draft) bool {
		p, ok := d.one("groupedQueryAttention")
		return ok && p.set("slidingWindow", 1e6)
	}},
	{"idle layer", runs, func(d *draft) bool {
		p, ok := d.one("linear", "relu", "layerNorm", "rmsNorm")
		if ok {
			p.add("relu", nil)
		}
		return ok
	}},
	{"inner width off by one", runs, change(plus(1), networks, "ffDim", "intermediateSize", "expertDim")},
	{"inner width of a tenth", runs, change(func(n float64) float64 { return float64(int(n/80)) * 8 }, []string{"feedForward", "swiglu", "geglu"}, "ffDim", "intermediateSize")},
	{"many small heads", runs, func(d *draft) bool {
		for _, p := range d.places("multiHeadAttention", "selfAttention", "causalAttention") {
			if len(p.inputs()) > 1 {
				continue // angles and biases are made for heads of one width and number
			}
			if name, n, ok := p.written("numHeads"); ok {
				return p.set(name, n*4)
			}
		}
		return false
	}},
	{"patch that does not divide", runsHere, change(plus(1), []string{"patchEmbed"}, "patchSize")},
	{"published count", runs, func(d *draft) bool {
		d.doc["realParamCount"] = 123457.0
		return true
	}},
}

// keyValueHeads chooses a number of heads that does not divide the queries'.
func keyValueHeads(d *draft) bool {
	for _, p := range d.places("groupedQueryAttention") {
		if _, n, ok := p.written("numHeads"); ok {
			return p.set("numKVHeads", n-1)
		}
	}
	return false
}

// cut takes an edge from a sum of two.
func cut(d *draft, operand int) bool {
	for _, p := range d.places("add") {
		if ids := p.inputs(); len(ids) == 2 {
			p.feed(ids[1-operand])
			return true
		}
	}
	return false
}
