package verify

import (
	"math/bits"

	"github.com/strata-catalog/strata/generator/layer"
)

// A standing says what a tensor tells of where its tokens are.
type standing byte

const (
	unordered standing = iota // nothing: its tokens are a set
	given                     // straight from an input: ids or features
	placed                    // something: from upstream, or as the hidden states of a part drawn alone
)

// noPosition looks for self-attention whose tokens nothing tells apart. It is
// one finding for causal attention, which can do without, and one for the rest.
func noPosition(p *Pass) {
	if len(p.who().attention) == 0 || p.loosePosition() {
		return
	}
	stands := p.positions().at
	ordered := p.ordered()
	var causal, full []int
	for _, i := range p.who().attention {
		n := &p.Nodes[i]
		a := n.Result.Attn
		if !p.selfAttends(i) || len(n.Side) > 0 || a.Window > 0 || knowsPositions(a) || p.biased(i) || !ordered[i] ||
			stands[n.Operands[0]] != unordered || !several(n.Out()) {
			continue
		}
		if a.Causal {
			causal = append(causal, i)
		} else {
			full = append(full, i)
		}
	}
	p.layers(full, "%d self-attention layers are told nothing of the order of their tokens", "self-attention is told nothing of the order of its tokens")
	if f := p.layers(causal, "%d causal self-attention layers know the order of their tokens from the mask alone", "causal self-attention knows the order of its tokens from the mask alone"); f != nil {
		f.Severity = Advice
	}
}

// loosePosition reports whether position information is there, and not connected:
// isolated says so.
func (p *Pass) loosePosition() bool {
	for _, i := range p.who().loose {
		if t := p.Nodes[i].Type; p.who().lacks[i] == anyEdge && t != nil && t.Position {
			return true
		}
	}
	return false
}

// knowsPositions reports whether attention has positions of its own: a
// relative bias, or a part of each head that is there to be turned.
func knowsPositions(a *layer.Attention) bool {
	return a.Position || a.RopeDim != 0 && a.RopeDim != a.HeadDim
}

// biased reports whether attention is given biases for distances.
func (p *Pass) biased(i int) bool {
	for _, in := range p.Nodes[i].Operands {
		if p.Nodes[in].Result.Out.Scores {
			return true
		}
	}
	return false
}

// positions is position information as it flows along the edges. The slices
// are by node; an input, of the first 64, is a bit.
type positions struct {
	*Pass
	at     []standing
	inputs []uint64 // what a node is computed from
	// A position table may be drawn as an embedding of position ids that is
	// added. tables are the inputs that the look-ups in a sum read, of tables
	// with a row for each position; pure says that it is a sum of look-ups.
	tables []uint64
	pure   []bool
}

func (p *Pass) positions() *positions {
	n := len(p.Nodes)
	f := &positions{Pass: p, at: make([]standing, n), inputs: make([]uint64, n), tables: make([]uint64, n), pure: make([]bool, n)}
	seen := 0
	for _, i := range p.Order {
		if p.Nodes[i].Is("input") {
			f.inputs[i] = 1 << seen
			seen++
		}
		for _, in := range p.Nodes[i].Operands {
			f.inputs[i] |= f.inputs[in]
		}
		f.at[i] = f.standing(i)
	}
	return f
}

func (p *positions) standing(i int) standing {
	n := &p.Nodes[i]
	if n.Type == nil || len(n.Operands) == 0 && !n.Is("input") {
		return placed // it may be anything, or is a table of its own
	}
	switch from := p.best(i); n.Type.Name {
	case "input":
		return given
	case "parameter":
		if mode := p.param(i, "mode"); mode != "" && mode != `"add"` {
			return from // a class token or a factor says nothing of the others
		}
		return placed
	case "embedding":
		p.tables[i], p.pure[i] = p.fullTable(i), true
		return unordered
	case "embeddingBag":
		return placed // its rows are fields, each with ids of its own
	case "patchEmbed":
		if p.param(i, "posEmbed") == "true" {
			return placed
		}
		return unordered
	case "graphConv", "gcn", "gat", "graphSAGE":
		return placed // a node knows its neighbours
	case "segmentEmbedding":
		if from == given {
			p.pure[i] = true // a look-up, but of no table of positions
			return unordered
		}
		return from
	case "linear", "projection":
		if from == given {
			return unordered // features become tokens
		}
		return from
	case "concatenate":
		return p.at[p.largest(i)]
	default:
		return p.carried(i, from)
	}
}

// carried is the standing of a layer that is no particular case.
func (p *positions) carried(i int, from standing) standing {
	n := &p.Nodes[i]
	a := n.Result.Attn
	switch n.Type.Part {
	case layer.Convolution, layer.Recurrent:
		return placed
	case layer.Merge, layer.Norm, layer.Other:
		if p.addsTable(i) {
			return placed
		}
	}
	switch {
	case n.Type.Position, p.attends(i) && len(n.Side) > 0, a != nil && knowsPositions(a):
		return placed
	case from == given && n.Type.Part != layer.Shaping && n.Type.Part != layer.Ends:
		return placed
	}
	return from
}

// best is the most that the operands of a node tell.
func (p *positions) best(i int) (from standing) {
	for _, in := range p.Nodes[i].Operands {
		from = max(from, p.at[in])
	}
	return from
}

// largest is the operand that most of a concatenation's tokens come from; the
// node itself when it has none.
func (p *positions) largest(i int) int {
	at, most := i, int64(-1)
	for _, in := range p.Nodes[i].Operands {
		if n, ok := p.Nodes[in].Out().Elems(); ok && n > most {
			at, most = in, n
		}
	}
	return at
}

// fullTable is what tables holds for an embedding. A table of segments has
// fewer rows than there are positions.
func (p *positions) fullTable(i int) uint64 {
	n := &p.Nodes[i]
	if !n.Result.Out.Known() || len(n.Result.Weights) == 0 {
		return 0
	}
	tokens, ok := n.Result.Out.AsSequence().Positions().Elems()
	if !ok || tokens < 2 || n.Result.Weights[0].Dims[0] < tokens {
		return 0
	}
	return p.inputs[i]
}

// addsTable reports whether a sum has a position table drawn as an embedding:
// look-ups of two inputs, or one of an input that the other summands do not
// come from. Else it notes what look-ups there are.
func (p *positions) addsTable(i int) bool {
	n := &p.Nodes[i]
	p.pure[i] = true
	for _, in := range n.Operands {
		p.tables[i] |= p.tables[in]
		p.pure[i] = p.pure[i] && p.pure[in]
	}
	if bits.OnesCount64(p.tables[i]) > 1 {
		return true
	}
	for _, in := range n.Operands {
		if !p.pure[in] && p.inputs[in] != 0 && p.tables[i]&^p.inputs[in] != 0 {
			return true
		}
	}
	return false
}

// ordered marks the nodes whose result reaches an end of the model without
// being pooled or flattened: for the others the tokens may be a set.
func (p *Pass) ordered() []bool {
	open := make([]bool, len(p.Nodes))
	for k := len(p.Order) - 1; k >= 0; k-- {
		i := p.Order[k]
		n := &p.Nodes[i]
		open[i] = open[i] || !p.who().used[i]
		if !open[i] || p.readsOut(i) {
			continue
		}
		for _, in := range n.Operands {
			open[in] = true
		}
	}
	return open
}

// readsOut reports whether a layer makes one vector of a sequence.
func (p *Pass) readsOut(i int) bool {
	n := &p.Nodes[i]
	if n.Type == nil {
		return false
	}
	switch n.Type.Name {
	case "flatten", "globalAvgPool1d", "globalAvgPool2d", "adaptiveAvgPool1d", "adaptiveAvgPool2d":
		return true
	case "mean", "reduceSum":
		return len(n.Operands) == 1
	}
	return false
}
