package verify

import (
	"fmt"
	"slices"

	"github.com/strata-catalog/strata/generator/graph"
	"github.com/strata-catalog/strata/generator/infer"
	"github.com/strata-catalog/strata/generator/layer"
	"github.com/strata-catalog/strata/generator/shape"
	"github.com/strata-catalog/strata/generator/words"
)

const (
	attentionPaper = "https://arxiv.org/abs/1706.03762"
	ropePaper      = "https://arxiv.org/abs/2104.09864"
	alibiPaper     = "https://arxiv.org/abs/2108.12409"
	gptPaper       = "https://cdn.openai.com/research-covers/language-unsupervised/language_understanding_paper.pdf"
)

var attentionRules = []*Rule{
	{
		ID: layer.HeadsDivide, Severity: Error, Group: Attention,
		Title:   "Width not divisible by the heads",
		Trigger: "The width of an attention layer is no multiple of its number of heads, and no head dimension is declared.",
		Why:     "The width of a head would be a fraction; PyTorch refuses to build the layer. With a headDim of its own any width is right.",
		Fix:     "Choose a number of heads that divides the width, or declare headDim.",
		Source:  "https://docs.pytorch.org/docs/stable/generated/torch.nn.MultiheadAttention.html",
		Check:   unless(layer.WidthMismatch),
	},
	{
		ID: layer.KVHeadsDivide, Severity: Error, Group: Attention,
		Title:   "Query heads no multiple of the key-value heads",
		Trigger: "Query heads cannot be divided evenly among the heads of keys and values.",
		Why:     "Each key-value head serves a group of query heads, and all groups have one size.",
		Fix:     "Choose a number of key-value heads that divides the query heads.",
		Source:  "https://arxiv.org/abs/2305.13245",
		Check:   unless(layer.HeadsDivide),
	},
	{
		ID: layer.OddRotary, Severity: Error, Group: Attention,
		Title:   "Odd rotary dimension",
		Trigger: "A rotary embedding turns an odd number of features.",
		Why:     "Features turn in pairs, each in its own plane; one of an odd number has no partner.",
		Fix:     "Choose an even number.",
		Source:  ropePaper,
	},
	{
		ID: "rotary-fit", Severity: Error, Group: Attention,
		Title:   "RoPE or ALiBi made for other heads",
		Trigger: "A rope has another head dimension than the attention that it feeds, or an alibi another number of heads.",
		Why:     "Angles multiply the features of a head one by one, and slopes are one for each head: the tensors do not fit. A rotation of a part of each head is said with partialRotaryFactor; a smaller dimension without it is a warning.",
		Fix:     "Give the rope the head dimension, and the alibi the number of heads, of the attention.",
		Source:  ropePaper,
		Check:   rotaryFit,
	},
	{
		ID: "no-position", Severity: Warning, Group: Attention,
		Title:   "Self-attention without position information",
		Trigger: "Tokens reach self-attention although nothing upstream or beside it says where they are: no rope, alibi, position table, relative bias, recurrent, state-space or convolutional layer. Cross-attention, windows, and sets that are pooled or flattened afterwards are exempt, and so is what comes from an input as hidden states. Causal attention gets advice only.",
		Why:     "Attention treats its tokens as a set: in any other order they would get the same results. A causal mask alone lets a deep stack infer positions, which mostly works less well.",
		Fix:     "Add a rope beside the attention, or a position table after the embedding.",
		Source:  attentionPaper,
		Check:   noPosition,
	},
	{
		ID: "causal-encoder", Severity: Warning, Group: Attention,
		Title:   "Causal self-attention in an encoder",
		Trigger: "Causal self-attention stands in a branch that feeds only the context of cross-attention.",
		Why:     "The whole context is there before decoding begins. A causal mask hides from each of its tokens all that follow, for nothing.",
		Fix:     "Set causal to false in the encoder.",
		Source:  attentionPaper,
		Check:   causalEncoder,
	},
	{
		ID: layer.ContextWidth, Severity: Error, Group: Attention,
		Title:   "Context of another width",
		Trigger: "The tensor that keys and values are taken from has another width than kvDim, or than the queries where no kvDim is declared.",
		Why:     "The key and value projections have the declared width; PyTorch refuses the input.",
		Fix:     "Set kvDim to the width of the context, or project the context.",
		Source:  "https://docs.pytorch.org/docs/stable/generated/torch.nn.MultiheadAttention.html",
		Check:   unlessBroken,
	},
	{
		ID: layer.WindowTooLong, Severity: Advice, Group: Attention,
		Title:   "Window larger than the sequence",
		Trigger: "An attention window reaches further than the sequence is long.",
		Why:     "At this length every token sees every other, so that the window has no effect and saves nothing.",
		Fix:     "Shorten the window, or declare the context that it is made for.",
		Source:  "https://arxiv.org/abs/2004.05150",
		Check:   windowTooLong,
	},
	{
		ID: layer.PositionsShort, Severity: Error, Group: Attention,
		Title:   "Context longer than the position table",
		Trigger: "A sequence has more tokens than its table of positions has rows. For a rope, which computes its angles, it is a warning.",
		Why:     "A look-up beyond the table is an error. Angles beyond the length that a model was trained with exist, but it has never seen them.",
		Fix:     "Lengthen the table, or shorten the input.",
		Source:  torchEmbedding,
		Check:   positionsShort,
	},
	{
		ID: layer.TopKExperts, Severity: Error, Group: Attention,
		Title:   "More active experts than there are",
		Trigger: "A mixture of experts sends each token to more experts than it has.",
		Why:     "The router cannot choose that many; torch.topk raises an error.",
		Fix:     "Lower topK, or add experts.",
		Source:  "https://arxiv.org/abs/1701.06538",
	},
	{
		ID: infer.TiedShape, Severity: Error, Group: Attention,
		Title:   "Tied weight of another shape",
		Trigger: "A layer shares the weight of another one, but the two need different shapes.",
		Why:     "One tensor has one shape. The weight is counted on its own, so that the total is too high if they are tied after all.",
		Fix:     "Give both layers the same sizes, or remove the tie.",
		Source:  "https://arxiv.org/abs/1608.05859",
		Check: func(p *Pass) {
			p.forward(func(i int) bool { return p.Nodes[i].Result.Counted && !p.tieFollows(i) })
		},
	},
	{
		ID: infer.TiedTo, Severity: Warning, Group: Attention,
		Title:   "Tie to nothing",
		Trigger: "A layer is tied, but there is no such component, or it has no weight, or no embedding has the size.",
		Why:     "The weight is counted on its own: the total is too high if it is shared after all.",
		Fix:     "Name the embedding or the linear layer whose weight it is, or remove the tie.",
		Source:  "https://arxiv.org/abs/1608.05859",
		Check:   tiedTo,
	},
	{
		ID: "vocabulary-differs", Severity: Warning, Group: Attention,
		Title:   "Head and embedding with nearly the same vocabulary",
		Trigger: "A head has not quite as many outputs as an embedding that feeds it has rows: less than 10 % apart. Any other width is simply another head.",
		Why:     "Mostly one of the two was padded, to a multiple of 64 say, and the other not: ids are predicted that cannot be read, or the other way about.",
		Fix:     "Give both the same size.",
		Source:  "https://arxiv.org/abs/1608.05859",
		Check:   vocabularyDiffers,
	},
	{
		ID: "sees-ahead", Severity: Warning, Group: Attention,
		Title:   "Language model that sees what it predicts",
		Trigger: "A head has as many outputs as an embedding that feeds it has rows, and self-attention between the two is not causal. Models that fill in masked tokens are exempt: their content says so.",
		Why:     "Trained to predict the next token, such a model finds it in its input and learns to copy it.",
		Fix:     "Set causal to true, or say in the content file that the model is trained on masked tokens.",
		Source:  gptPaper,
		Check:   seesAhead,
	},
}

// rotaryFit compares each rope and alibi with the attention that it feeds. A
// rope that fits none of its layers is one finding.
func rotaryFit(p *Pass) {
	first := map[misfit]int{}
	for _, i := range p.who().sides {
		a := p.Nodes[i].Result.Attn
		if a == nil || p.has(i, layer.HeadsDivide) || p.has(i, layer.WidthMismatch) {
			continue // the width of a head follows from what is reported there
		}
		for _, side := range p.Nodes[i].Side {
			feeder, ok := p.Nodes[side].Result.Layer.(layer.Feeder)
			if !ok || p.has(side, layer.OddRotary) {
				continue
			}
			dim, heads := feeder.Feeds()
			if heads != 0 && heads != a.Heads {
				f := p.report(i, "has %d heads, but the alibi that feeds it has slopes for %d", a.Heads, heads)
				f.Fix = fmt.Sprintf("Set the alibi's numHeads to %d.", a.Heads)
				f.Patch = p.replace(side, "numHeads", fmt.Sprint(a.Heads))
			}
			if dim != 0 && dim != a.RopeDim {
				p.otherRotation(i, side, dim, first)
			}
		}
	}
}

// misfit is what findings on a rope have in common.
type misfit struct {
	rope    int
	message string
}

// otherRotation reports a rope for another head dimension than its attention
// has. One that is smaller, and said to be a part, is right.
func (p *Pass) otherRotation(i, rope int, dim int64, first map[misfit]int) {
	a := p.Nodes[i].Result.Attn
	if dim < a.RopeDim && p.param(rope, "partialRotaryFactor") != "" {
		return
	}
	what := "a head"
	if a.RopeDim != a.HeadDim {
		what = "the rotary part of a head"
	}
	message := fmt.Sprintf("%s is %d wide, but the rope that feeds it is made for %d", what, a.RopeDim, dim)
	if k, again := first[misfit{rope, message}]; again {
		p.found[k].Repeat++
		return
	}
	first[misfit{rope, message}] = len(p.found)
	f := p.note(i, message)
	f.Fix = fmt.Sprintf("Set the rope's dim to %d.", a.RopeDim)
	f.Patch = p.replace(rope, "dim", fmt.Sprint(a.RopeDim))
	if dim < a.RopeDim {
		f.Severity = Warning
		f.Fix = fmt.Sprintf("Set the rope's dim to %d, and say with partialRotaryFactor if it turns a part of it.", a.RopeDim)
	}
}

// tieFollows reports whether a tied weight has another width than its owner's
// only because a width broke before.
func (p *Pass) tieFollows(i int) bool {
	n := &p.Nodes[i]
	tier, ok := n.Result.Layer.(layer.Tier)
	if !ok || p.problems[layer.WidthMismatch] == nil || len(n.Operands) != 1 {
		return false
	}
	id, _ := tier.Ties()
	j, ok := p.Graph.Resolve(n.Node, id)
	if !ok || len(p.Nodes[j].Result.Weights) == 0 {
		return false
	}
	mine, theirs := n.Result.Weights[0].Dims, p.Nodes[j].Result.Weights[0].Dims
	if len(mine) != 2 || len(theirs) != 2 || mine[0] != theirs[0] {
		return false
	}
	return p.breaks().pair[n.Operands[0]].explains(pairOf(mine[1], theirs[1]))
}

// windowTooLong has a patch where the window is one number of tokens.
func windowTooLong(p *Pass) {
	for _, r := range p.problems[layer.WindowTooLong] {
		f := p.problem(r)
		in := p.Nodes[r.node].Result.In
		if p.Nodes[r.node].Is("windowAttention") || len(in) == 0 || !in[0].Known() {
			continue
		}
		if tokens, ok := in[0].AsSequence().Positions().Elems(); ok && p.integer(r.node, r.problem.Param) > tokens {
			f.Patch = p.replace(r.node, r.problem.Param, fmt.Sprint(tokens))
		}
	}
}

// tiedTo names the layer that a tie to nothing may mean: of those whose weight
// has the size, the one whose id is nearest.
func tiedTo(p *Pass) {
	owners := map[string][]string{} // ids by size
	for _, r := range p.problems[infer.TiedTo] {
		f := p.problem(r)
		tier, ok := p.Nodes[r.node].Result.Layer.(layer.Tier)
		if !ok {
			continue
		}
		if at := p.written(r.node, "tiedTo"); at != nil {
			f.at = at.Pos
		}
		id, _ := tier.Ties()
		if _, there := p.Graph.Resolve(p.Nodes[r.node].Node, id); there || id == "" {
			continue
		}
		if len(owners) == 0 {
			owners = p.owners()
		}
		if near := words.Nearest(id, owners[p.Nodes[r.node].Result.Weights[0].Dims.Brackets()]); near != "" {
			f.Message += fmt.Sprintf("; nearest is %q", near)
			f.Fix = fmt.Sprintf("Write %q, if that is meant.", near)
			f.Patch = p.replace(r.node, "tiedTo", graph.Quote(near))
		}
	}
}

// owners lists the ids of embeddings by the size of their weight: the first few
// of each, so that a search through them stays short.
func (p *Pass) owners() map[string][]string {
	const most = 64
	list := map[string][]string{}
	for _, i := range p.Order {
		n := &p.Nodes[i]
		if !n.Is("embedding") || len(n.Result.Weights) == 0 {
			continue
		}
		size := n.Result.Weights[0].Dims.Brackets()
		if len(list[size]) < most {
			list[size] = append(list[size], n.ID)
		}
	}
	return list
}

// causalEncoder walks back from the contexts of cross-attention. What the
// queries come from too is no encoder.
func causalEncoder(p *Pass) {
	n := len(p.Nodes)
	context, query := make([]bool, n), make([]bool, n)
	cross := false
	for _, i := range p.who().attention {
		if a := p.Nodes[i].Result.Attn; !a.Cross || p.selfAttends(i) || len(p.Nodes[i].Operands) < 2 {
			continue
		}
		cross = true
		query[p.Nodes[i].Operands[0]] = true
		for _, in := range p.Nodes[i].Operands[1:] {
			context[in] = true
		}
	}
	if !cross {
		return
	}
	for k := len(p.Order) - 1; k >= 0; k-- {
		i := p.Order[k]
		for _, in := range p.Nodes[i].Operands {
			context[in] = context[in] || context[i]
		}
		for _, in := range p.takesFrom(i) {
			query[in] = query[in] || query[i]
		}
	}
	var list []int
	for _, i := range p.who().attention {
		if context[i] && !query[i] && p.Nodes[i].Result.Attn.Causal && p.selfAttends(i) {
			list = append(list, i)
		}
	}
	p.layers(list, "%d causal self-attention layers of an encoder feed cross-attention", "causal self-attention of an encoder feeds cross-attention")
	p.causal(list, "false")
}

// layers reports that the given layers have something in common; many is the
// message with their number, one that for a single layer.
func (p *Pass) layers(list []int, many, one string) *found {
	switch len(list) {
	case 0:
		return nil
	case 1:
		return p.report(list[0], "%s", one)
	}
	f := p.report(list[0], many, len(list))
	f.Repeat = len(list)
	return f
}

// causal adds to the finding on some layers the patch that sets their causal.
func (p *Pass) causal(list []int, value string) {
	for _, i := range list {
		if _, ok := p.Nodes[i].Type.Field("causal"); ok {
			f := &p.found[len(p.found)-1]
			f.Patch = append(f.Patch, p.replace(i, "causal", value)...)
		}
	}
}

// positionsShort compares, beside the tables, what a rope or an embedding says
// of the longest sequence with the one that it is used for.
func positionsShort(p *Pass) {
	p.forward(nil)
	for _, i := range p.who().sides {
		n := &p.Nodes[i]
		if n.Result.Attn == nil || len(n.Result.In) == 0 {
			continue
		}
		for _, side := range n.Side {
			if !p.stretched(side) {
				p.tooLong(i, side, n.Result.In[0], "rope that feeds it")
			}
		}
	}
	for _, i := range p.who().lookups {
		p.tooLong(i, i, p.Nodes[i].Result.Out, "embedding")
	}
}

// tooLong warns of a sequence that is longer than a node's maxSeqLen.
func (p *Pass) tooLong(at, node int, x shape.Tensor, what string) {
	most := p.integer(node, "maxSeqLen")
	if most == 0 || !x.Known() {
		return
	}
	if tokens, ok := x.AsSequence().Positions().Elems(); ok && tokens > most {
		p.report(at, "the sequence has %d tokens, but the %s is made for %d", tokens, what, most).Severity = Warning
	}
}

// stretched reports whether a rope declares a scaling to longer sequences.
func (p *Pass) stretched(i int) bool {
	scaling := p.param(i, "scaling")
	return scaling != "" && scaling != `"none"`
}

// vocabularies is how embeddings of ids feed a model.
type vocabularies struct {
	sizes []int64  // of the tables, each once; only 64 are followed
	flow  []uint64 // by node: a bit for each table that it is made from
}

func (p *Pass) vocabularies() *vocabularies {
	if p.tables != nil {
		return p.tables
	}
	v := &vocabularies{flow: make([]uint64, len(p.Nodes))}
	p.tables = v
	for _, i := range p.who().lookups {
		w := p.Nodes[i].Result.Weights
		if len(w) == 0 {
			continue
		}
		size := w[0].Dims[0]
		if !slices.Contains(v.sizes, size) && len(v.sizes) < 64 {
			v.sizes = append(v.sizes, size)
		}
		v.flow[i] = v.bit(size)
	}
	for _, i := range p.Order {
		for _, in := range p.Nodes[i].Operands {
			v.flow[i] |= v.flow[in]
		}
	}
	return v
}

// bit stands for the tables of one size, 0 where there are none.
func (v *vocabularies) bit(size int64) uint64 {
	return 1 << uint(slices.Index(v.sizes, size)) // shifted out where the index is -1
}

// predicts reports whether a model has heads, and tables that they may be over.
func (p *Pass) predicts() bool { return len(p.who().heads) > 0 && len(p.who().lookups) > 0 }

func vocabularyDiffers(p *Pass) {
	if !p.predicts() {
		return
	}
	v := p.vocabularies()
	for _, i := range p.who().heads {
		out := p.Nodes[i].Result.Out.Width()
		if out == 0 || v.flow[i]&v.bit(out) != 0 || p.has(i, infer.TiedShape) {
			continue
		}
		near := int64(0)
		for _, size := range v.sizes {
			if v.flow[i]&v.bit(size) != 0 && distance(size, out)*10 < size && (near == 0 || distance(size, out) < distance(near, out)) {
				near = size
			}
		}
		if near != 0 {
			p.report(i, "puts out %d logits, but the embedding has %d rows", out, near)
		}
	}
}

func distance(a, b int64) int64 { return max(a-b, b-a) }

// seesAhead walks back from the heads over their own vocabularies, past the
// contexts of cross-attention, and looks at the attention on the way.
func seesAhead(p *Pass) {
	if p.MaskedLanguage || !p.predicts() {
		return
	}
	v := p.vocabularies()
	want := make([]uint64, len(p.Nodes))
	for _, i := range p.who().heads {
		want[i] = v.flow[i] & v.bit(p.Nodes[i].Result.Out.Width())
	}
	for k := len(p.Order) - 1; k >= 0; k-- {
		i := p.Order[k]
		if want[i] == 0 {
			continue
		}
		for _, in := range p.takesFrom(i) {
			want[in] |= want[i] & v.flow[in]
		}
	}
	var list []int
	for _, i := range p.who().attention {
		if want[i] != 0 && p.selfAttends(i) && !p.Nodes[i].Result.Attn.Causal && several(p.Nodes[i].Out()) {
			list = append(list, i)
		}
	}
	p.layers(list, "%d self-attention layers between the embedding and the head over its vocabulary are not causal",
		"self-attention between the embedding and the head over its vocabulary is not causal")
	p.causal(list, "true")
}

// several reports whether a sequence may have more than one token.
func several(s shape.Shape) bool { return len(s) < 2 || s[len(s)-2] > 1 }
