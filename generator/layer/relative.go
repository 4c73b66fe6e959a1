package layer

import (
	"fmt"
	"math"
	"math/big"

	"github.com/strata-catalog/strata/generator/shape"
)

var relatives = []*Type{
	declare(Type{
		Name: "relativePositionBias", Display: "Relative Position Bias", Part: Embedding, Ports: unary, Position: true,
		Also: []string{"relativeAttentionBias", "relativeBias", "t5Bias"},
		Doc: Doc{
			Summary: "Makes a learned bias of each head for each distance, which attention layers take as a mask and add to their scores, as in T5 and MPNet.",
			Shape:   "[1, heads, tokens, tokens], for the tokens of its input, whose values do not matter; without the first axis for an input without a batch",
			Weights: "weight [numBuckets, numHeads]",
			Work:    "none; a look-up multiplies nothing",
			Source:  "https://arxiv.org/abs/1910.10683",
			Examples: []Example{
				{Params: `{"numHeads": 12}`, In: []shape.Shape{{1, 512, 768}}},
				{Params: `{"numHeads": 8, "numBuckets": 16, "causal": true}`, In: []shape.Shape{{64, 32}}},
				{Params: `{"numHeads": 0}`, In: []shape.Shape{{1, 512, 768}}},
			},
		},
	}, relativeBias{NumBuckets: 32, MaxDistance: 128}),
	declare(Type{
		Name: "disentangledAttention", Display: "Disentangled Attention", Part: AttnPart, Ports: Ports{Min: 2, Max: 2, Masks: true}, Position: true,
		Also: []string{"disentangledSelfAttention", "debertaAttention"},
		Doc: Doc{
			Summary: "Self-attention of which each score adds up three: of the contents of two tokens, and of the content of each of them with their distance, as in DeBERTa.",
			Shape:   attentionShape[:len(attentionShape)-len("; further inputs give keys and values")] + "; the second is the table of distances [2 · span, embedDim], where span is positionBuckets, or else maxDistance",
			Weights: plainWeights + "; without sharedKeys pos_key_proj and pos_query_proj [heads · headDim, embedDim]",
			Work:    projectionWork + "; " + productWork + "; for each of contentToPosition and positionToContent 2 · span · embedDim · heads · headDim and batch · heads · headDim · tokens · 2 · span more",
			Source:  "https://arxiv.org/abs/2006.03654",
			Examples: []Example{
				{Params: `{"numHeads": 12, "positionBuckets": 256, "sharedKeys": true, "outProj": false}`, In: []shape.Shape{{1, 512, 768}, {512, 768}}},
				{Params: `{"numHeads": 12, "positionToContent": false}`, In: []shape.Shape{{1, 512, 768}, {1024, 768}}},
				{Params: `{"numHeads": 12, "positionBuckets": 256}`, In: []shape.Shape{{1, 512, 768}, {256, 768}}},
				{Params: `{"numHeads": 12}`, In: []shape.Shape{{1, 512, 768}}},
			},
		},
	}, disentangled{plain: projections(true), MaxDistance: 512, ContentToPosition: true, PositionToContent: true}),
}

// relativeBias is the bias of T5 (Raffel and others, 2019) as a tensor of its
// own, so that many layers can share it.
type relativeBias struct {
	NumHeads    int64 `json:"numHeads" min:"1" unit:"heads" required:"true" doc:"heads of the attention that it feeds"`
	NumBuckets  int64 `json:"numBuckets" min:"2" unit:"buckets" doc:"rows of the table: distances of one bucket have the same bias"`
	MaxDistance int64 `json:"maxDistance" min:"2" unit:"tokens" doc:"distance from which on all have the last bucket"`
	Causal      bool  `json:"causal" doc:"all buckets are for keys behind the query; else half of them are for keys ahead"`
	renamed
}

func (l *relativeBias) Infer(c *Call) shape.Tensor {
	x := c.First()
	if !x.Known() || !c.sequence(x) {
		return shape.Unknown
	}
	x = x.AsSequence()
	n := tokens(x)
	dims := shape.Shape{1, l.NumHeads, n, n}[1-x.BatchAxes():]
	out := shape.Last(dims, x.Batch)
	out.Scores = true
	return out
}

func (l *relativeBias) Weights() []Tensor {
	return []Tensor{l.own("weight", l.NumBuckets, l.NumHeads)}
}

// Work is nothing: a look-up multiplies nothing.
func (l *relativeBias) Work(c *Call, out shape.Tensor) Work { return Work{} }

// disentangled is the attention of DeBERTa (He and others, 2020).
type disentangled struct {
	plain
	PositionBuckets   int64 `json:"positionBuckets" min:"1" unit:"buckets" default:"none" doc:"half of them are for distances of their own, the others for ever longer stretches, on each side; none: every distance is one"`
	MaxDistance       int64 `json:"maxDistance" min:"2" unit:"tokens" doc:"distance from which on all are the same"`
	ContentToPosition bool  `json:"contentToPosition" doc:"queries are compared with keys of distances"`
	PositionToContent bool  `json:"positionToContent" doc:"keys are compared with queries of distances"`
	SharedKeys        bool  `json:"sharedKeys" doc:"distances are projected by the matrices of queries and keys; else by their own"`

	span int64 // distances on each side
}

func (l *disentangled) Infer(c *Call) shape.Tensor {
	l.settle(c)
	if l.span = l.PositionBuckets; l.span == 0 {
		l.span = l.MaxDistance
	}
	if l.scale == 0 && l.HeadDim > 0 {
		l.scale = 1 / math.Sqrt(float64(l.HeadDim*(1+l.compared())))
	}
	if len(c.In) > 1 && c.In[1].Known() {
		l.table(c, c.In[1])
	}
	return l.attend(alone(c), l.headSizes)
}

// alone is the call without the table of distances, which is no context.
func alone(c *Call) *Call {
	defer func(in []shape.Tensor) { c.In = in }(c.In)
	own := *c
	own.In = c.In[:1]
	return &own
}

// table compares the table of distances with what is looked up in it.
func (l *disentangled) table(c *Call, y shape.Tensor) {
	if w := y.Width(); w != l.EmbedDim {
		c.Report(ContextWidth, "", "the table of distances is %d wide, the tokens %d", w, l.EmbedDim).Fix = "give both the same width"
	}
	if rows := tokens(y); rows != 2*l.span {
		c.Report(MatmulShapes, "positionBuckets", "distances from %d to %d are looked up, but the table has %d rows", -l.span, l.span-1, rows).Fix =
			fmt.Sprintf("give the table %d rows", 2*l.span)
	}
}

// compared is the number of scores that know of distances.
func (l *disentangled) compared() (n int64) {
	for _, yes := range []bool{l.ContentToPosition, l.PositionToContent} {
		if yes {
			n++
		}
	}
	return n
}

func (l *disentangled) Weights() []Tensor {
	w := l.square.Weights()
	if l.SharedKeys {
		return w
	}
	if l.ContentToPosition {
		w = append(w, l.proj("pos_key", l.qRows, l.width, l.kBias)...)
	}
	if l.PositionToContent {
		w = append(w, l.proj("pos_query", l.qRows, l.width, l.qBias)...)
	}
	return w
}

// Work adds the keys and queries of distances, and their products.
func (l *disentangled) Work(c *Call, out shape.Tensor) Work {
	w := l.square.Work(alone(c), out)
	if n := l.compared(); n > 0 {
		x := c.First().AsSequence()
		w = w.Plus(MACs(n, 2*l.span, l.width, l.qRows)).Plus(MACs(n, x.BatchSize(), l.qRows, tokens(x), 2*l.span))
	}
	return w
}

// Attention adds that the layer knows where its tokens are.
func (l *disentangled) Attention() Attention {
	a := l.square.Attention()
	a.Position = true
	return a
}

// Saved is that of attention without distances.
func (l *disentangled) Saved(c *Call, out shape.Tensor) *big.Int {
	return l.square.Saved(alone(c), out)
}
