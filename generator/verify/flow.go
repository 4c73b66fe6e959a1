package verify

import (
	"github.com/strata-catalog/strata/generator/infer"
	"github.com/strata-catalog/strata/generator/layer"
)

// trait is what the rules on the order of layers want to know of one, as bits.
type trait uint16

const (
	known trait = 1 << iota // its traits are settled
	convolves
	multiplies // a linear layer or a projection
	attends
	feedsForward
	recurs
	normalises
	overBatch // normalises over the batch
	activates
	saturates // activates with a sigmoid or a tanh
	drops     // dropout, stochastic depth or a constant factor: bends nothing
	shapes
	merges
	sums  // merges by adding
	skips // has residual paths of its own
	returns

	// works has a matrix or a kernel. tokenwise works on the width of a token,
	// as the branches of a Transformer do.
	tokenwise = multiplies | attends | feedsForward | recurs
	works     = convolves | tokenwise
	// passes lets values through one by one: what goes around it skips nothing.
	passes = normalises | activates | drops
)

// What stands for the user of a result that has none, or more than one.
const (
	none = -1
	many = -2
)

// flow is how layers follow each other: what each is, and who takes its result.
// The lists are in page order.
type flow struct {
	traits []trait // by node
	user   []int   // by node: the one that takes its result
	place  []int   // by node: where it stands in the order

	convolutions, linears, norms, activations, sums, outputs []int

	works []int // layers with a matrix or a kernel
}

// flow is found once, in one walk. Equal uses of a layer have equal traits.
func (p *Pass) flow() *flow {
	if p.flowing != nil {
		return p.flowing
	}
	n := len(p.Nodes)
	numbers := make([]int, 2*n)
	traits := make([]trait, 2*n)
	f := &flow{user: numbers[:n:n], place: numbers[n:], traits: traits[:n:n]}
	p.flowing = f
	byKind := traits[n:]
	for i := range f.user {
		f.user[i] = none
	}
	for k, i := range p.Order {
		node := &p.Nodes[i]
		t := byKind[node.Kind]
		if t == 0 {
			t = known | traitsOf(node)
			byKind[node.Kind] = t
		}
		f.traits[i], f.place[i] = t, k
		for _, in := range node.Inputs {
			if f.user[in] == none {
				f.user[in] = i
			} else {
				f.user[in] = many
			}
		}
	}
	f.lists(p.Order)
	return f
}

// lists fills the lists. Each is counted first, so that it need not grow.
func (f *flow) lists(order []int) {
	kinds := [...]struct {
		list *[]int
		t    trait
	}{
		{&f.convolutions, convolves}, {&f.linears, multiplies}, {&f.norms, normalises}, {&f.activations, activates},
		{&f.sums, sums}, {&f.outputs, returns}, {&f.works, works},
	}
	for _, k := range kinds {
		n := 0
		for _, t := range f.traits {
			if t&k.t != 0 {
				n++
			}
		}
		if n == 0 {
			continue
		}
		*k.list = make([]int, 0, n)
		for _, i := range order {
			if f.traits[i]&k.t != 0 {
				*k.list = append(*k.list, i)
			}
		}
	}
}

func traitsOf(n *infer.Node) (t trait) {
	if n.Type == nil {
		return 0
	}
	if _, ok := n.Result.Layer.(layer.Attender); ok {
		t = attends
	}
	switch n.Type.Name {
	case "seBlock":
		return 0 // a gate beside the convolutions, not one of them
	case "batchNorm":
		t |= overBatch
	case "sigmoid", "tanh":
		t |= saturates
	case "dropout", "dropPath", "scale":
		return drops
	case "add":
		return merges | sums
	case "transformerBlock":
		return t | skips
	case "output":
		return returns
	}
	switch n.Type.Part {
	case layer.Convolution:
		t |= convolves
	case layer.Linear:
		t |= multiplies
	case layer.FeedFwd:
		t |= feedsForward
	case layer.Recurrent:
		t |= recurs
	case layer.Norm:
		t |= normalises
	case layer.Activation:
		t |= activates
	case layer.Shaping:
		t |= shapes
	case layer.Merge:
		t |= merges
	}
	return t
}

func (f *flow) is(i int, t trait) bool { return i >= 0 && f.traits[i]&t != 0 }

// straight is the node whose result goes to node i alone, and which alone goes
// to it; none where there is no such node.
func (p *Pass) straight(i int) int {
	if i < 0 {
		return none
	}
	in := p.Nodes[i].Operands
	if len(in) != 1 || p.flow().user[in[0]] != i {
		return none
	}
	return in[0]
}

// straightPast is the first node straight before i that lacks a trait.
func (p *Pass) straightPast(i int, t trait) int {
	for i = p.straight(i); p.flow().is(i, t); {
		i = p.straight(i)
	}
	return i
}

// userPast is the first node straight after i that lacks a trait.
func (f *flow) userPast(i int, t trait) int {
	for i = f.user[i]; f.is(i, t); {
		i = f.user[i]
	}
	return i
}

// leaves reports whether a result reaches an output without further work.
func (f *flow) leaves(i int) bool {
	return f.is(f.userPast(i, activates|shapes|drops), returns)
}

// bias is the number of constants that a linear layer or a convolution adds, 0
// for none. They are its only tensor of one axis.
func (p *Pass) bias(i int) int64 {
	for _, w := range p.Nodes[i].Result.Weights {
		if len(w.Dims) == 1 {
			return w.Dims[0]
		}
	}
	return 0
}
