package verify

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/strata-catalog/strata/generator/layer"
	"github.com/strata-catalog/strata/generator/shape"
)

const (
	matrixGuide  = "https://docs.nvidia.com/deeplearning/performance/dl-performance-matrix-multiplication/index.html"
	groupedPaper = "https://arxiv.org/abs/2305.13245"
)

var numberRules = []*Rule{
	{
		ID: "unaligned-width", Severity: Advice, Group: Numbers, Sound: true,
		Title:   "Width that is no multiple of 8",
		Trigger: "A matrix of a linear, convolution, attention, feed-forward or recurrent layer has 64 rows and columns or more, and a number of either that is no multiple of 8. What the data or the classes decide is exempt: channels and features of an input, results of a head.",
		Why:     "Tensor cores multiply 16-bit tiles whose sides are multiples of 8. Other sizes are padded at every use, or computed by slower kernels.",
		Fix:     "Round the width up to a multiple of 8, better of 64.",
		Source:  matrixGuide,
		Check:   unalignedWidth,
	},
	{
		ID: "unaligned-vocabulary", Severity: Advice, Group: Numbers, Sound: true,
		Title:   "Vocabulary that is no multiple of 64",
		Trigger: "A head over the vocabulary of an embedding has 4,096 outputs or more, and a number that is no multiple of 64.",
		Why:     "The head is mostly the largest matrix product of a small language model, and tensor cores are fastest on multiples of 64. Rows for tokens that never occur cost less than the slower kernel.",
		Fix:     "Pad the vocabulary to the next multiple of 64, in the embedding and in the head, before training.",
		Source:  matrixGuide,
		Check:   unalignedVocabulary,
	},
	{
		ID: "feed-forward-ratio", Severity: Advice, Group: Numbers, Sound: true,
		Title:   "Unusual width of a feed-forward network",
		Trigger: "The inner width of a feed-forward network is less than its outer width, or more than eight times it. Experts of a mixture are exempt.",
		Why:     "Ratios from 1 to 8 train about equally well at equal size, and nearly all models have one of 2 to 5. Beyond that, depth or width buys more for the same parameters.",
		Fix:     "Choose an inner width of about 4 times the outer one, or 8/3 with a gate.",
		Source:  "https://arxiv.org/abs/2001.08361",
		Check:   feedForwardRatio,
	},
	{
		ID: "head-size", Severity: Advice, Group: Numbers, Sound: true,
		Title:   "Unusual head dimension",
		Trigger: "A head of attention has more than 256 features, or fewer than 32 although the layer is 256 wide or more.",
		Why:     "A small head scores tokens by few numbers and leaves tensor cores half empty; fused attention kernels are written for 32 to 256.",
		Fix:     "Choose another number of heads: a head dimension of 64 or 128 is usual.",
		Source:  "https://github.com/Dao-AILab/flash-attention",
		Check:   headSize,
	},
	{
		ID: "dominant-layer", Severity: Advice, Group: Numbers, Sound: true,
		Title:   "One layer holds most of the parameters",
		Trigger: "A linear, convolution or recurrent layer that is no head holds more than half of the parameters, in a model of ten layers with weights or more, or straight after a flatten.",
		Why:     "Mostly an image or a sequence is flattened into a vector, and the matrix that reads it has a row of weights for every position. It overfits, and fixes the size of the input.",
		Fix:     "Pool over the positions before the layer, or narrow what enters it.",
		Source:  "https://arxiv.org/abs/1312.4400",
		Check:   dominantLayer,
	},
	{
		ID: "published-count", Severity: Advice, Group: Numbers, Sound: true,
		Title:   "Published and derived counts differ",
		Trigger: "The number of parameters that is published for the checkpoint is not the one that follows from the graph, within the digits that it is given to, or within 2 % where those are fewer. A difference of more than 10 % is a warning.",
		Why:     "The graph leaves something out, or draws it otherwise: biases, norms, a tied head, a position table; or the published number counts buffers.",
		Fix:     "Compare the tensors with those of the checkpoint, and correct the graph or the published number.",
		Source:  "https://huggingface.co/docs/safetensors/metadata_parsing",
		Check:   publishedCount,
	},
	{
		ID: "uncounted", Severity: Advice, Group: Numbers,
		Title:   "Parameters that cannot be counted",
		Trigger: "A layer without a fault of its own has weights whose sizes follow from a tensor that is not known, and no error says why.",
		Why:     "Its parameters are in no sum: the total is a lower bound.",
		Fix:     "Declare the width of its input, or correct the layer from which on nothing is known.",
		Source:  torchModule,
		Check:   uncounted,
	},
	{
		ID: "large-cache", Severity: Advice, Group: Numbers, Sound: true,
		Title:   "KV cache larger than the weights",
		Trigger: "At the length of the declared input, the keys and values of one sequence have more elements than the model has parameters.",
		Why:     "Each sequence that is served at that length needs more memory than the model itself, and reading it limits how fast tokens are generated.",
		Fix:     "Share keys and values among query heads, give some layers a window, or keep latent keys and values.",
		Source:  "https://arxiv.org/abs/2309.06180",
		Check:   largeCache,
	},
	{
		ID: "full-heads", Severity: Advice, Group: Numbers, Sound: true,
		Title:   "Keys and values of every head",
		Trigger: "In a model of a billion parameters or more, causal self-attention has as many heads of keys and values as of queries.",
		Why:     "The cache of keys and values, and the memory traffic of each generated token, is as many times as large as query heads could share one. Shared heads cost next to no quality.",
		Fix:     "Use groupedQueryAttention with fewer key-value heads, 8 for example.",
		Source:  groupedPaper,
		Check:   fullHeads,
	},
}

const (
	tile      = 8  // sides of the matrices that tensor cores multiply
	wideTile  = 64 // at which they are fastest
	minMatrix = 64 // rows and columns from which on it matters
)

// unalignedWidth is one finding for all layers, with their widths.
func unalignedWidth(p *Pass) {
	f := p.flow()
	odd := make(map[int][2]int64, 16) // rows and columns, by Kind
	var list []int
	var widths distinct
	for _, i := range f.works {
		n := &p.Nodes[i]
		sides, seen := odd[n.Kind]
		if !seen {
			sides = unaligned(n.Result.Weights, f.is(i, convolves))
			odd[n.Kind] = sides
		}
		width := sides[0]
		if width == 0 || n.Head || f.leaves(i) {
			width = sides[1]
			if width == 0 || p.readsInput(i) {
				continue
			}
		}
		list = append(list, i)
		widths.add(width)
	}
	if f := p.layers(list, "%d layers have matrices with a side that is no multiple of 8: ", "has a matrix with a side that is no multiple of 8: "); f != nil {
		f.Message += widths.String()
	}
}

// unaligned is the first number of rows, and of columns, among some weights
// that is no multiple of 8; 0 where there is none. A kernel has the rows of its
// first axis, and the columns of its second.
func unaligned(weights []layer.Tensor, kernel bool) (sides [2]int64) {
	for _, w := range weights {
		n := len(w.Dims)
		if n < 2 || w.Buffer {
			continue
		}
		matrix := w.Dims[n-2:]
		if kernel {
			matrix = w.Dims[:2]
		}
		if min(matrix[0], matrix[1]) < minMatrix {
			continue
		}
		for k, side := range matrix[:2] {
			if sides[k] == 0 && side%tile != 0 {
				sides[k] = side
			}
		}
	}
	return sides
}

// readsInput reports whether a layer reads an input as it is, or reshaped.
func (p *Pass) readsInput(i int) bool {
	in := p.Nodes[i].Operands
	return len(in) > 0 && p.Nodes[p.past(in[0], shapes)].Is("input")
}

// distinct is numbers, each once, in the order that they came in.
type distinct struct {
	list []int64
	seen map[int64]bool
}

func (d *distinct) add(n int64) {
	if d.seen[n] {
		return
	}
	if d.seen == nil {
		d.seen = map[int64]bool{}
	}
	d.seen[n] = true
	d.list = append(d.list, n)
}

// String lists the first few for a message.
func (d *distinct) String() string {
	const most = 6
	parts := make([]string, 0, most+1)
	for k, n := range d.list {
		if k == most {
			parts = append(parts, fmt.Sprintf("and %d more", len(d.list)-most))
			break
		}
		parts = append(parts, strconv.FormatInt(n, 10))
	}
	return strings.Join(parts, ", ")
}

// minVocabulary is the number of tokens from which on padding costs little.
const minVocabulary = 4096

// unalignedVocabulary has a patch for the head and the embeddings.
func unalignedVocabulary(p *Pass) {
	if !p.predicts() {
		return
	}
	for _, i := range p.who().heads {
		out := p.Nodes[i].Result.Out.Width()
		if out < minVocabulary || out%wideTile == 0 || !p.overVocabulary(i) {
			continue
		}
		padded := (out/wideTile + 1) * wideTile
		f := p.report(i, "predicts %d tokens, %d fewer than the next multiple of 64, %d", out, padded-out, padded)
		f.Patch = p.replace(i, "outFeatures", fmt.Sprint(padded))
		for _, table := range p.who().lookups {
			if w := p.Nodes[table].Result.Weights; len(w) > 0 && w[0].Dims[0] == out {
				f.Patch = append(f.Patch, p.replace(table, "numEmbeddings", fmt.Sprint(padded))...)
			}
		}
	}
}

const (
	minRatio = 1
	maxRatio = 8
)

func feedForwardRatio(p *Pass) {
	var list []int
	var widths distinct
	odd := make(map[int]int64, 16)
	for _, i := range p.flow().works {
		if !p.flow().is(i, feedsForward|skips) {
			continue
		}
		inner, seen := odd[p.Nodes[i].Kind]
		if !seen {
			inner = p.oddInner(i)
			odd[p.Nodes[i].Kind] = inner
		}
		if inner == 0 {
			continue
		}
		list = append(list, i)
		widths.add(inner)
	}
	if f := p.layers(list, "%d feed-forward networks have an unusual inner width: ", "its inner width is unusual: "); f != nil {
		f.Message += fmt.Sprintf("%s, for a width of %d", widths.String(), p.Nodes[list[0]].Result.Out.Width())
	}
}

// oddInner is the inner width of a feed-forward network that is out of the
// usual range, 0 when it is not, or not declared.
func (p *Pass) oddInner(i int) int64 {
	inner := int64(0)
	for _, name := range []string{"ffDim", "intermediateSize"} {
		if _, ok := p.Nodes[i].Type.Field(name); ok {
			inner = p.integer(i, name)
		}
	}
	outer := p.Nodes[i].Result.Out.Width()
	if inner == 0 || outer == 0 || inner >= minRatio*outer && (inner-1)/maxRatio < outer {
		return 0
	}
	return inner
}

const (
	minHead    = 32
	maxHead    = 256
	wideEnough = 256 // width from which on there is a choice of heads
)

func headSize(p *Pass) {
	var list []int
	var sizes distinct
	for _, i := range p.who().attention {
		a := p.Nodes[i].Result.Attn
		dim := a.HeadDim
		if dim >= minHead && dim <= maxHead || dim < minHead && a.Width < wideEnough {
			continue
		}
		list = append(list, i)
		sizes.add(dim)
	}
	if f := p.layers(list, "%d layers have heads of an unusual dimension: ", "its heads have an unusual dimension: "); f != nil {
		f.Message += sizes.String()
	}
}

// manyWeights is how many layers with weights make it notable that one of them
// holds most parameters.
const manyWeights = 10

func dominantLayer(p *Pass) {
	f := p.flow()
	for _, i := range f.works {
		n := &p.Nodes[i]
		if n.Params <= p.Params/2 || !f.is(i, convolves|multiplies|recurs) || n.Head || f.leaves(i) {
			continue
		}
		at := p.straightPast(i, activates|drops)
		flat := f.is(at, shapes) && p.Nodes[at].Is("flatten")
		if !flat && len(f.works) < manyWeights {
			continue
		}
		p.report(i, "holds %d of the %d parameters, %d %%", n.Params, p.Params, int(100*float64(n.Params)/float64(p.Params)))
	}
}

// far is the difference of counts, in percent, beyond which a graph hardly
// draws the model that the published number is for.
const far = 10

func publishedCount(p *Pass) {
	said, source := p.Published, p.Source
	if said == 0 {
		said, source = p.Graph.Doc.RealParamCount, "realParamCount"
	}
	if said == 0 || !p.Counted && p.Params < said || distance(said, p.Params) <= rounding(said) {
		return
	}
	percent := 100 * float64(p.Params-said) / float64(said)
	f := p.report(-1, "the graph has %d parameters, %s %d that are published (%s)", p.Params, compare(percent), said, source)
	if p.Published == 0 {
		f.at = p.Graph.Doc.RealParamCountPos
	}
	if percent > far || percent < -far {
		f.Severity = Warning
	}
}

// compare says how far a count is from another one.
func compare(percent float64) string {
	if percent < 0 {
		return strconv.FormatFloat(-percent, 'g', 3, 64) + " % fewer than the"
	}
	return strconv.FormatFloat(percent, 'g', 3, 64) + " % more than the"
}

// roundest is the most that rounding excuses, as a part of the count: 2 %.
const roundest = 50

// rounding is how far a count may be off that was rounded to the digits that it
// is given to, when those are four or fewer: half a unit of the last digit, but
// no more than 2 % of the count. A million says nothing of which of its zeros
// were counted.
func rounding(n int64) int64 {
	said, unit := n, int64(1)
	for n%10 == 0 {
		n, unit = n/10, unit*10
	}
	if n >= 10_000 {
		return 0
	}
	return min(unit/2, said/roundest)
}

// uncounted is one finding for all layers that lack nothing but their input.
func uncounted(p *Pass) {
	if p.Counted {
		return
	}
	var list []int
	explained := p.explained()
	for _, i := range p.Order {
		n := &p.Nodes[i]
		if !n.Result.Counted && !explained[i] {
			list = append(list, i)
		}
	}
	p.layers(list, "%d layers cannot be counted, because their input is not known; the total is a lower bound", "cannot be counted, because its input is not known; the total is a lower bound")
}

// explained marks the nodes that an error is about, and those that nothing is
// known of because of one.
func (p *Pass) explained() []bool {
	list := make([]bool, len(p.Nodes))
	whole := false // an error about the document as a whole
	for _, f := range p.found {
		switch {
		case f.Severity != Error:
		case f.node < 0:
			whole = true
		default:
			list[f.node] = true
		}
	}
	for _, i := range p.Order {
		n := &p.Nodes[i]
		isGrave := func(q layer.Problem) bool {
			return p.severity(q.Rule) == Error && (q.Rule != layer.FewOperands || p.who().lacks[i] != anyEdge) // isolated says so
		}
		list[i] = list[i] || whole && len(n.Operands) == 0 || p.who().lacks[i] == operand ||
			slices.ContainsFunc(n.Result.Problems, isGrave) || slices.ContainsFunc(n.Problems, isGrave)
		for _, in := range n.Operands {
			list[i] = list[i] || list[in] && !p.Nodes[in].Result.Out.Known()
		}
	}
	return list
}

// largeCache adds up what causal self-attention keeps of one sequence.
func largeCache(p *Pass) {
	var list []int
	var last *layer.Result
	elements, kept, ok := int64(0), int64(0), p.Counted
	for _, i := range p.who().attention {
		if r := p.Nodes[i].Result; r != last {
			last, kept = r, keeps(r)
		}
		if kept == 0 {
			continue
		}
		list = append(list, i)
		sum, fits := shape.Add(elements, kept)
		elements, ok = sum, ok && fits
	}
	if !ok || elements <= p.Params {
		return
	}
	f := p.layers(list, "%d layers keep ", "keeps ")
	f.Message += fmt.Sprintf("%d elements of keys and values for a sequence of the declared length; the model has %d parameters", elements, p.Params)
}

// keeps is the number of elements that causal self-attention keeps of one
// sequence; 0 for other attention, and where the length is not known.
func keeps(r *layer.Result) int64 {
	if a := r.Attn; !a.Causal || a.Cross || len(r.In) == 0 || !r.In[0].Known() {
		return 0
	}
	tokens, ok := r.In[0].AsSequence().Positions().Elems()
	if r.Attn.Window > 0 {
		tokens = min(tokens, r.Attn.Window)
	}
	kept, fits := shape.Mul(r.Attn.KVElems, tokens)
	if !ok || !fits {
		return 0
	}
	return kept
}

// manyParams is the size from which on a cache of every head is notable.
const manyParams = 1_000_000_000

// fullHeads has a patch where the layer is grouped-query attention already.
func fullHeads(p *Pass) {
	if p.Params < manyParams {
		return
	}
	var list []int
	kept, needed := int64(0), int64(0)
	for _, i := range p.who().attention {
		a := p.Nodes[i].Result.Attn
		if !a.Causal || a.Cross || a.Heads == 1 || a.Heads != a.KVHeads || a.KVElems != 2*a.Heads*a.HeadDim {
			continue
		}
		list = append(list, i)
		kept, needed = kept+a.KVElems, needed+a.KVElems/a.Heads*groups(a.Heads)
	}
	f := p.layers(list, "%d layers keep keys and values of every head: ", "keeps keys and values of every head: ")
	if f == nil {
		return
	}
	heads := p.Nodes[list[0]].Result.Attn.Heads
	f.Message += fmt.Sprintf("%d elements for each token; with %d heads of keys and values for %d of queries it would be %d", kept, groups(heads), heads, needed)
	for _, i := range list {
		if p.Nodes[i].Is("groupedQueryAttention") {
			f.Fix = fmt.Sprintf("Set numKVHeads to %d.", groups(p.Nodes[i].Result.Attn.Heads))
			f.Patch = append(f.Patch, p.replace(i, "numKVHeads", fmt.Sprint(groups(p.Nodes[i].Result.Attn.Heads)))...)
		}
	}
}

// groups is a number of key-value heads for so many query heads: 8 where that
// shares each among four or more, else the largest divisor that does.
func groups(heads int64) int64 {
	const usual, share = 8, 4
	if heads%usual == 0 && heads >= usual*share {
		return usual
	}
	g := max(heads/share, 1)
	for heads%g != 0 {
		g--
	}
	return g
}
