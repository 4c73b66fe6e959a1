package layer

import (
	"fmt"
	"math/big"

	"github.com/strata-catalog/strata/generator/shape"
)

// The numbers of operands of attention layers.
var (
	selfPorts  = Ports{Min: 1, Max: 1, Masks: true}
	queryPorts = Ports{Min: 1, Max: 3, Masks: true}
	crossPorts = Ports{Min: 2, Max: 3, Context: true, Masks: true}
)

const (
	attentionShape  = "the shape of its first input, without outProj heads · headDim wide; further inputs give keys and values"
	plainWeights    = "q_proj [heads · headDim, embedDim], k_proj and v_proj [heads · headDim, kvDim], o_proj [embedDim, heads · headDim], with biases where asked; fused or interleaved: one matrix for queries, keys and values; outProj false: no o_proj"
	relativeWeights = plainWeights + "; relativeBuckets: relative_attention_bias [relativeBuckets, heads]; relativeGrid of h × w patches: relative_position_bias_table [(2h − 1) · (2w − 1) + 3, heads]"
	projectionWork  = "2 · batch · heads · headDim · (queries · embedDim + keys · kvDim) for the projections, the queries once without outProj"
	productWork     = "2 · batch · heads · headDim · queries · keys for the two products, with one element-wise operation for each score"
	causalWork      = projectionWork + "; " + productWork + "; a causal kernel needs half of the products"
	windowWork      = productWork + "; a causal kernel needs half of the products, one with a window of w tokens queries · w pairs of a query and a key, one with both queries · w − w² / 2"
	torchAttention  = "https://pytorch.org/docs/stable/generated/torch.nn.MultiheadAttention.html"
)

var attentions = []*Type{
	declare(Type{
		Name: "multiHeadAttention", Display: "Multi-Head Attention", Part: AttnPart, Ports: queryPorts,
		Also: []string{"mha", "mhsa", "multiHeadSelfAttention", "multiHeadAttn"},
		Doc: Doc{
			Summary: "Lets every token gather from all others, in several heads.",
			Shape:   attentionShape, Weights: relativeWeights,
			Work:   causalWork,
			Source: torchAttention,
			Examples: []Example{
				{Params: `{"embedDim": 768, "numHeads": 12}`, In: []shape.Shape{{1, 197, 768}}},
				{Params: `{"numHeads": 12, "layout": "fused", "names": {"qkv": "c_attn", "o": "c_proj"}, "transposed": true, "causal": true}`, In: []shape.Shape{{1, 1024, 768}}},
				{Params: `{"numHeads": 8, "headDim": 64, "bias": false, "relativeBuckets": 32}`, In: []shape.Shape{{1, 512, 512}}},
				{Params: `{"numHeads": 12, "keyBias": false, "relativeGrid": 14}`, In: []shape.Shape{{1, 197, 768}}},
				{Params: `{"numHeads": 12, "headDim": 32, "outProj": false, "names": {"q": "query", "k": "key", "v": "value"}}`, In: []shape.Shape{{1, 512, 768}}},
				{Params: `{"numHeads": 8, "kvDim": 1024}`, In: []shape.Shape{{1, 32, 768}, {1, 257, 1024}}},
				{Params: `{"embedDim": 768, "numHeads": 10}`, In: []shape.Shape{{1, 197, 768}}},
				{Params: `{"embedDim": 512, "numHeads": 8}`, In: []shape.Shape{{1, 197, 768}}},
				{Params: `{"numHeads": 12, "relativeGrid": 14}`, In: []shape.Shape{{1, 196, 768}}},
			},
		},
	}, multiHead{plain: projections(true), MaxDistance: 128}),
	declare(Type{
		Name: "attention", Display: "Attention", Part: AttnPart, Ports: queryPorts,
		Also: []string{"attn"},
		Doc: Doc{
			Summary: "Scaled dot-product attention with learned projections.",
			Shape:   attentionShape, Weights: relativeWeights,
			Work:   causalWork,
			Source: "https://arxiv.org/abs/1706.03762",
			Examples: []Example{
				{Params: `{"numHeads": 1}`, In: []shape.Shape{{1, 100, 64}}},
				{Params: `{"numHeads": 1}`, In: []shape.Shape{{64}}},
			},
		},
	}, multiHead{plain: projections(true), MaxDistance: 128}),
	declare(Type{
		Name: "selfAttention", Display: "Self-Attention", Part: AttnPart, Ports: queryPorts,
		Also: []string{"selfAttn"},
		Doc: Doc{
			Summary: "Attention of a sequence to itself.",
			Shape:   attentionShape, Weights: relativeWeights,
			Work:   causalWork,
			Source: torchAttention,
			Examples: []Example{
				{Params: `{"dModel": 32, "numHeads": 4}`, In: []shape.Shape{{50, 32}}},
				{Params: `{"dModel": 32, "numHeads": 0}`, In: []shape.Shape{{50, 32}}},
			},
		},
	}, multiHead{plain: projections(true), MaxDistance: 128}),
	declare(Type{
		Name: "causalAttention", Display: "Causal Attention", Part: AttnPart, Ports: selfPorts,
		Also: []string{"causalAttn", "causalSelfAttention", "maskedSelfAttention", "maskedMultiHeadAttention"},
		Doc: Doc{
			Summary: "Self-attention in which a token sees itself and what is before it.",
			Shape:   "the shape of its input", Weights: plainWeights,
			Work:   causalWork,
			Source: "https://arxiv.org/abs/1706.03762",
			Examples: []Example{
				{Params: `{"embedDim": 1024, "numHeads": 16}`, In: []shape.Shape{{1, 2048, 1024}}},
				{Params: `{"embedDim": 1024, "numHeads": 15}`, In: []shape.Shape{{1, 2048, 1024}}},
			},
		},
	}, causalAttention{plain: projections(false)}),
	declare(Type{
		Name: "crossAttention", Display: "Cross-Attention", Part: AttnPart, Ports: crossPorts,
		Also: []string{"crossAttn", "encoderDecoderAttention"},
		Doc: Doc{
			Summary: "Lets the tokens of one sequence gather from another.",
			Shape:   "the shape of its first input; the second gives keys and values, the third values of their own",
			Weights: "q_proj [heads · headDim, embedDim], k_proj and v_proj [heads · headDim, kvDim], o_proj [embedDim, heads · headDim], with biases where asked",
			Work:    projectionWork + "; " + productWork,
			Source:  torchAttention,
			Examples: []Example{
				{Params: `{"embedDim": 320, "numHeads": 8, "qkvBias": false}`, In: []shape.Shape{{1, 4096, 320}, {1, 77, 768}}},
				{Params: `{"embedDim": 320, "numHeads": 8, "kvDim": 768}`, In: []shape.Shape{{1, 4096, 320}, {1, 77, 1024}}},
				{Params: `{"embedDim": 320, "numHeads": 8, "kvDim": 768}`, In: []shape.Shape{{1, 4096, 320}}},
			},
		},
	}, crossAttention{plain: projections(true)}),
	declare(Type{
		Name: "localAttention", Display: "Local Attention", Part: AttnPart, Ports: selfPorts,
		Also: []string{"swa", "slidingWindowAttention"},
		Doc: Doc{
			Summary: "Self-attention in which a token sees only its neighbours.",
			Shape:   "the shape of its input", Weights: plainWeights,
			Work:   projectionWork + "; " + windowWork,
			Source: "https://arxiv.org/abs/2004.05150",
			Examples: []Example{
				{Params: `{"embedDim": 512, "numHeads": 8, "windowSize": 256}`, In: []shape.Shape{{1, 4096, 512}}},
				{Params: `{"embedDim": 512, "numHeads": 8, "windowSize": 256, "causal": true}`, In: []shape.Shape{{1, 4096, 512}}},
				{Params: `{"embedDim": 512, "numHeads": 8, "windowSize": 8192}`, In: []shape.Shape{{1, 4096, 512}}},
			},
		},
	}, localAttention{plain: projections(false)}),
	declare(Type{
		Name: "windowAttention", Display: "Window Attention", Part: AttnPart, Ports: selfPorts,
		Also: []string{"swinAttention", "shiftedWindowAttention", "windowedAttention"},
		Doc: Doc{
			Summary: "Cuts the tokens into windows and attends within each, as Swin does.",
			Shape:   "the shape of its input; an image is padded to whole windows meanwhile",
			Weights: plainWeights + "; relativePositions: relative_position_bias_table [(2h − 1) · (2w − 1), heads] for windows of h × w tokens, and its index as a buffer; decomposedPositions: rel_pos_h [2h − 1, headDim] and rel_pos_w [2w − 1, headDim]; positionNetwork: cpb_mlp.0 [positionNetwork, 2] with bias and cpb_mlp.2 [heads, positionNetwork] in place of the table, and the offsets as a buffer; similarity cosine: logit_scale [heads, 1, 1]",
			Work:    projectionWork + ", over an image padded to whole windows; 2 · batch · heads · headDim · queries · tokens of a window for the two products, with one element-wise operation for each score; with decomposedPositions batch · heads · headDim · queries · (h + w) more; positionNetwork: (2h − 1) · (2w − 1) · positionNetwork · (2 + heads)",
			Source:  "https://arxiv.org/abs/2103.14030",
			Examples: []Example{
				{Params: `{"numHeads": 3, "windowSize": 7, "shiftSize": 3, "relativePositions": true, "bias": true}`, In: []shape.Shape{{1, 56, 56, 96}}},
				{Params: `{"numHeads": 12, "windowSize": 14, "decomposedPositions": true, "bias": true, "layout": "fused", "names": {"qkv": "qkv", "o": "proj"}}`, In: []shape.Shape{{1, 64, 64, 768}}},
				{Params: `{"numHeads": 3, "windowSize": 8, "shiftSize": 4, "similarity": "cosine", "positionNetwork": 512, "relativeIndex": "flat", "bias": true, "layout": "fused", "names": {"qkv": "qkv", "o": "proj"}}`, In: []shape.Shape{{1, 64, 64, 96}}},
				{Params: `{"numHeads": 8, "windowSize": 64}`, In: []shape.Shape{{1, 4096, 512}}},
				{Params: `{"numHeads": 3, "windowSize": 7}`, In: []shape.Shape{{1, 4, 4, 96}}},
			},
		},
	}, windowAttention{plain: projections(false), RelativeIndex: "square", Similarity: "dot"}),
	declare(Type{
		Name: "nativeSparseAttention", Display: "Native Sparse Attention", Part: AttnPart, Ports: selfPorts,
		Also: []string{"nsa"},
		Doc: Doc{
			Summary: "Causal attention to summaries of all blocks, to the best blocks in full, and to a window.",
			Shape:   "the shape of its input",
			Weights: plainWeights + "; the gates between the three branches and the networks that summarise blocks are not counted",
			Work:    projectionWork + "; " + productWork + "; a sparse kernel needs half of queries · ⌈queries / blockSize⌉ pairs of a query and a summary, and the pairs of causal windows of blockSize · topBlocks and of windowSize tokens; at most half of the products",
			Source:  "https://arxiv.org/abs/2502.11089",
			Examples: []Example{
				{Params: `{"embedDim": 512, "numHeads": 8}`, In: []shape.Shape{{1, 8192, 512}}},
				{Params: `{"embedDim": 512, "numHeads": 8, "topBlocks": -1}`, In: []shape.Shape{{1, 8192, 512}}},
			},
		},
	}, nativeSparse{plain: projections(false), BlockSize: 64, TopBlocks: 16}),
	declare(Type{
		Name: "groupedQueryAttention", Display: "Grouped Query Attention", Part: AttnPart, Ports: selfPorts,
		Also: []string{"gqa", "groupQueryAttention"},
		Doc: Doc{
			Summary: "Causal self-attention in which several query heads share the keys and values of one head.",
			Shape:   "the shape of its input",
			Weights: "q_proj [heads · headDim, embedDim], k_proj and v_proj [kvHeads · headDim, embedDim], o_proj [embedDim, heads · headDim], with biases where asked; fused or interleaved: one matrix for the first three; q_norm and k_norm; sinks [heads]",
			Work:    "2 · batch · tokens · embedDim · (heads + kvHeads) · headDim for the projections; " + windowWork + "; chunks are a causal square each, and a prefix of p tokens adds p² / 2",
			Source:  "https://arxiv.org/abs/2305.13245",
			Examples: []Example{
				{Params: `{"embedDim": 4096, "numHeads": 32, "numKVHeads": 8}`, In: []shape.Shape{{1, 2048, 4096}}},
				{Params: `{"embedDim": 4096, "numHeads": 32, "numKVHeads": 8, "headDim": 128, "qkNorm": "head"}`, In: []shape.Shape{{1, 2048, 4096}}},
				{Params: `{"numHeads": 64, "numKVHeads": 8, "headDim": 64, "qkvBias": true, "outBias": true, "sinks": true, "slidingWindow": 128}`, In: []shape.Shape{{1, 4096, 2880}}},
				{Params: `{"numHeads": 32, "layout": "fused"}`, In: []shape.Shape{{1, 2048, 3072}}},
				{Params: `{"numHeads": 40, "numKVHeads": 8, "qkNorm": "head", "qkNormAffine": false, "chunkSize": 512}`, In: []shape.Shape{{1, 2048, 5120}}},
				{Params: `{"numHeads": 40, "numKVHeads": 8, "queryGrowth": 0.1, "queryGrowthEvery": 512}`, In: []shape.Shape{{1, 2048, 5120}}},
				{Params: `{"numHeads": 8, "numKVHeads": 4, "headDim": 256, "prefix": 256}`, In: []shape.Shape{{1, 2048, 2560}}},
				{Params: `{"embedDim": 4096, "numHeads": 32, "numKVHeads": 5}`, In: []shape.Shape{{1, 2048, 4096}}},
			},
		},
	}, groupedQuery{QKNorm: "none", QKNormEps: 1e-6, QKNormAffine: true, Causal: true, storage: split}),
	declare(Type{
		Name: "mla", Display: "Multi-Head Latent Attention", Part: AttnPart, Ports: selfPorts,
		Also: []string{"latentAttention", "multiHeadLatentAttention"},
		Doc: Doc{
			Summary: "Causal self-attention whose keys and values are kept as one small latent vector for each token.",
			Shape:   "the shape of its input",
			Weights: "q_a_proj, q_a_layernorm and q_b_proj, or q_proj; kv_a_proj_with_mqa [kvLatentDim + ropeHeadDim, embedDim], kv_a_layernorm, kv_b_proj [heads · (nopeHeadDim + vHeadDim), kvLatentDim], o_proj [embedDim, heads · vHeadDim]",
			Work:    "batch · tokens · (qLatentDim · (embedDim + heads · (nope + rope)) + embedDim · (kvLatentDim + rope) + kvLatentDim · heads · (nope + v) + embedDim · heads · v) for the projections, where plain queries have embedDim · heads · (nope + rope) for the first term; batch · heads · (nope + rope + v) · tokens² for the two products, with one element-wise operation for each score; a causal kernel needs half of the products; nope, rope and v stand for nopeHeadDim, ropeHeadDim and vHeadDim",
			Source:  "https://arxiv.org/abs/2405.04434",
			Examples: []Example{
				{Params: `{"embedDim": 7168, "numHeads": 128, "qLatentDim": 1536, "kvLatentDim": 512, "ropeHeadDim": 64}`, In: []shape.Shape{{1, 4096, 7168}}},
				{Params: `{"embedDim": 2048, "numHeads": 16, "kvLatentDim": 512, "ropeHeadDim": 64}`, In: []shape.Shape{{1, 4096, 2048}}},
				{Params: `{"embedDim": 2048, "numHeads": 16, "kvLatentDim": 512, "ropeHeadDim": 63}`, In: []shape.Shape{{1, 4096, 2048}}},
			},
		},
	}, latentAttention{NopeHeadDim: 128, VHeadDim: 128, Causal: true, NormEps: 1e-6}),
	declare(Type{
		Name: "transformerBlock", Display: "Transformer Block", Part: AttnPart, Ports: selfPorts,
		Also: []string{"transformerLayer"},
		Doc: Doc{
			Summary: "Whole layers of a Transformer: attention, feed-forward network, two layer norms and the residual paths.",
			Shape:   "the shape of its input",
			Weights: "self_attn.in_proj_weight [3 · embedDim, embedDim], self_attn.out_proj, linear1 [ffDim, embedDim], linear2 [embedDim, ffDim], norm1, norm2, every one with its bias; below layers.{} when there are several; no final norm",
			Work:    "numLayers · batch · (4 · tokens · embedDim² + 2 · tokens · embedDim · ffDim + 2 · embedDim · tokens²); a causal kernel needs half of the last term; numLayers · batch · (heads · tokens² + tokens · (4 · embedDim + ffDim)) element-wise operations",
			Source:  "https://pytorch.org/docs/stable/generated/torch.nn.TransformerEncoderLayer.html",
			Examples: []Example{
				{Params: `{"embedDim": 768, "numHeads": 12, "ffDim": 3072}`, In: []shape.Shape{{1, 196, 768}}},
				{Params: `{"dModel": 64, "numHeads": 8, "dFf": 256, "numLayers": 2, "causal": true}`, In: []shape.Shape{{50, 64}}},
				{Params: `{"embedDim": 768, "numHeads": 7}`, In: []shape.Shape{{1, 196, 768}}},
			},
		},
	}, transformerBlock{NumLayers: 1, Norm: "pre", Activation: "relu"}),
}

// dropMasks takes attention masks out of the operands. A mask stands behind what
// the layer attends to. It is made to be one, or comes straight from an input
// and ends in the length of a sequence where keys end in the width of the
// queries.
func (c *Call) dropMasks(p Ports) {
	first := 1
	if p.Context {
		first = 2
	}
	for i := len(c.In) - 1; i >= first; i-- {
		if c.isMask(i) {
			c.masks = append([]int{i}, c.masks...)
			c.In = append(c.In[:i:i], c.In[i+1:]...)
			c.FromInput = append(c.FromInput[:i:i], c.FromInput[i+1:]...)
		}
	}
}

func (c *Call) isMask(i int) bool {
	x, mask := c.In[0], c.In[i]
	if mask.Scores {
		return true
	}
	if i >= len(c.FromInput) || !c.FromInput[i] || !x.Known() || mask.Rank() == 0 {
		return false
	}
	n := mask.Dims[mask.Rank()-1]
	return n != x.Width() && (n == tokens(x) || i > 1 && n == tokens(c.In[1]))
}

// headSizes are the sizes that every attention layer declares.
type headSizes struct {
	EmbedDim int64 `json:"embedDim" alias:"hiddenDim,dModel,dim" min:"1" unit:"features" default:"incoming width" doc:"width of the input and of the output"`
	NumHeads int64 `json:"numHeads" min:"1" unit:"heads" required:"true" doc:"heads of the queries"`
	HeadDim  int64 `json:"headDim" min:"1" unit:"features" default:"embedDim / numHeads" doc:"width of one head"`
}

// settle fills what follows from the input.
func (h *headSizes) settle(c *Call) {
	c.Width(c.First(), &h.EmbedDim, "embedDim")
	if h.HeadDim == 0 {
		h.HeadDim = headDim(c, h.EmbedDim, h.NumHeads, ", or declare headDim")
	}
}

// headDim divides a width into heads, and reports one that does not divide;
// or is another way out.
func headDim(c *Call, width, heads int64, or string) int64 {
	if width%heads != 0 {
		c.Report(HeadsDivide, "numHeads", "a width of %d does not divide into %d heads", width, heads).Fix =
			fmt.Sprintf("choose a divisor of %d%s", width, or)
	}
	return width / heads
}

// storage is how the projections of attention are stored.
type storage struct {
	Layout string `json:"layout" enum:"split,fused,interleaved" doc:"how queries, keys and values are stored: apart, in one matrix with the queries on top, or in one matrix head by head"`
	Stored
}

var split = storage{Layout: "split"}

// square is attention with projected queries, keys and values: the sizes that
// Infer settles, and what follows from them.
type square struct {
	store                      storage
	width, kvWidth             int64 // of what queries, and keys and values, are projected from
	queryHeads, kvHeads        int64
	headDim                    int64
	qRows, kvRows, fusedRows   int64 // of the projections
	qBias, kBias, vBias, oBias bool
	open                       bool // without o
	scale, softcap, dropout    float64
	clip                       float64 // bound of queries, keys and values, 0: none
	qkNorm                     string
	qkNormBias, qkNormOffset   bool
	qkNormEps                  float64
	sinks                      bool
	buckets, maxDistance       int64       // relative positions
	grid                       shape.Shape // patches that have relative positions, nil for none
	offsets                    int64       // between two of them, or the class token
	qkNormFree                 bool        // without a factor
	causal, cross              bool
	window                     int64 // tokens in reach, 0: all
	windowParam                string
	more                       func() // declares, for Torch, what a kind of attention has beside the projections
	chunk, prefix              int64  // tokens of each chunk, and of the beginning that sees all of itself; 0: none
	growth                     float64
	growEvery                  int64 // tokens from one step of the growth to the next
}

// attend checks the operands and settles the sizes. The caller has set what
// the parameters alone decide.
func (g *square) attend(c *Call, h headSizes) shape.Tensor {
	x := c.First()
	g.width, g.queryHeads, g.headDim = h.EmbedDim, h.NumHeads, h.HeadDim
	g.shared(c)
	g.context(c)
	g.qRows, g.kvRows = c.times(g.queryHeads, g.headDim), c.times(g.kvHeads, g.headDim)
	if g.qRows > 0 && g.kvRows > 0 {
		g.fusedRows = c.plus(g.qRows, g.kvRows, g.kvRows)
	}
	if g.store.Layout != "split" && g.kvWidth != g.width {
		if g.kvWidth > 0 && g.width > 0 {
			c.Report(BadParam, "layout", "keys and values come from a width of %d, queries from %d: one matrix cannot hold both", g.kvWidth, g.width).Fix =
				`set layout to "split"`
		}
		g.store.Layout = "split"
	}
	if !c.sequence(x) {
		return shape.Unknown
	}
	c.Layout(x)
	if n := tokens(x); x.Known() && g.window > n {
		c.Report(WindowTooLong, g.windowParam, "%s is %d, but the sequence has %d tokens", g.windowParam, g.window, n).Fix =
			"shorten the window, or lengthen the input"
	}
	if n := tokens(x); x.Known() && max(g.chunk, g.prefix) > n {
		param, size := "chunkSize", g.chunk
		if g.prefix > n {
			param, size = "prefix", g.prefix
		}
		c.Report(WindowTooLong, param, "%s is %d, but the sequence has %d tokens", param, size, n).Fix = "remove " + param + ", or lengthen the input"
	}
	if g.open {
		if g.qRows == 0 {
			return shape.Unknown
		}
		return x.AsSequence().WithWidth(g.qRows)
	}
	return x.AsSequence().WithWidth(g.width)
}

// shared settles how many heads the keys and values have.
func (g *square) shared(c *Call) {
	if g.kvHeads == 0 {
		g.kvHeads = g.queryHeads
	}
	if g.queryHeads%g.kvHeads != 0 {
		c.Report(KVHeadsDivide, "numKVHeads", "%d query heads cannot share %d heads of keys and values evenly", g.queryHeads, g.kvHeads).Fix =
			fmt.Sprintf("choose a divisor of %d", g.queryHeads)
	}
}

// context settles the width of keys and values, where it is not declared, and
// reports operands that do not have it.
func (g *square) context(c *Call) {
	if g.kvWidth == 0 {
		g.kvWidth = g.width
		if len(c.In) > 1 {
			g.kvWidth = c.In[1].Width()
		}
	}
	for i, y := range c.In {
		if w := y.Width(); i > 0 && y.Known() && w != g.kvWidth {
			p := c.Report(ContextWidth, "kvDim", "keys and values are %d wide, but operand %d is %d wide", g.kvWidth, i+1, w)
			p.Fix, p.Replace = fmt.Sprintf("set kvDim to %d, or project the operand to %d", w, g.kvWidth), fmt.Sprint(w)
			return
		}
	}
	if len(c.In) > 2 && c.In[1].Known() && c.In[2].Known() && tokens(c.In[1]) != tokens(c.In[2]) {
		c.Report(MatmulShapes, "", "there are %d keys and %d values", tokens(c.In[1]), tokens(c.In[2])).Fix =
			"feed it as many values as keys"
	}
}

// Weights are the projections, and what else was asked for.
func (g *square) Weights() []Tensor {
	s := g.store.Stored
	w := g.projected()
	if !g.open {
		w = append(w, s.proj("o", g.width, g.qRows, g.oBias)...)
	}
	switch {
	case g.qkNormFree:
	case g.qkNorm == "head":
		w = append(append(w, s.norm("q_norm", g.qkNormBias, g.headDim)...), s.norm("k_norm", g.qkNormBias, g.headDim)...)
	case g.qkNorm == "full":
		w = append(append(w, s.norm("q_norm", g.qkNormBias, g.qRows)...), s.norm("k_norm", g.qkNormBias, g.kvRows)...)
	}
	if g.sinks {
		w = append(w, s.own("sinks", g.queryHeads))
	}
	if g.buckets > 0 {
		w = append(w, s.tensor("relative", "weight", g.buckets, g.queryHeads))
	}
	if g.grid != nil {
		w = append(w, s.own("relative_position_bias_table", g.offsets, g.queryHeads))
	}
	return w
}

// projected is the projections of queries, keys and values. Where they are one
// matrix but not all of them have a bias, the biases stand apart.
func (g *square) projected() []Tensor {
	s := g.stored()
	fused, all := g.store.Layout != "split", g.qBias && g.kBias && g.vBias
	var w []Tensor
	if fused {
		w = s.proj("qkv", g.fusedRows, g.width, all)
	}
	for _, p := range []struct {
		role       string
		rows, from int64
		bias       bool
	}{
		{"q", g.qRows, g.width, g.qBias},
		{"k", g.kvRows, g.kvWidth, g.kBias},
		{"v", g.kvRows, g.kvWidth, g.vBias},
	} {
		switch {
		case !fused:
			w = append(w, s.proj(p.role, p.rows, p.from, p.bias)...)
		case p.bias && !all:
			w = append(w, s.tensor(p.role, "bias", p.rows))
		}
	}
	return w
}

// stored is how the tensors are named.
func (g *square) stored() Stored {
	if g.store.Layout == "interleaved" {
		return g.store.as("qkv", "query_key_value")
	}
	return g.store.Stored
}

// Work is the projections and the two products over the square of queries and
// keys.
func (g *square) Work(c *Call, out shape.Tensor) Work {
	b, n, m := g.lengths(c)
	return g.linear(b, n, m).Plus(g.scores(b, n, m, g.reach(n, m)))
}

// lengths are the batch and the numbers of queries and keys; where a context
// is missing there are no keys.
func (g *square) lengths(c *Call) (batch, queries, keys int64) {
	x := c.First().AsSequence()
	batch, queries = x.BatchSize(), tokens(x)
	switch {
	case len(c.In) > 1:
		keys = tokens(c.In[1])
	case !g.cross:
		keys = queries
	}
	return batch, queries, keys
}

// linear is the work of the projections.
func (g *square) linear(b, n, m int64) Work {
	w := MACs(b, n, g.width, g.qRows).Plus(MACs(2, b, m, g.kvWidth, g.kvRows))
	if !g.open {
		w = w.Plus(MACs(b, n, g.width, g.qRows))
	}
	return w
}

// scores is the products of queries with keys and of weights with values, for
// the full square and for the pairs that are needed.
func (g *square) scores(b, n, m int64, twicePairs *big.Int) Work {
	return pairwise(b, g.queryHeads, 2*g.headDim, n, m, twicePairs)
}

// pairwise is attention's two products: so many multiplications for each pair
// of a query and a key in each head. The softmax is one operation for each.
func pairwise(batch, heads, each, n, m int64, twicePairs *big.Int) Work {
	w := MACs(batch, heads, each, n, m)
	w.Elem = product(batch, heads, n, m)
	if twicePairs != nil {
		w.Causal = product(batch, heads, each)
		w.Causal.Mul(w.Causal, twicePairs).Rsh(w.Causal, 1)
	}
	return w
}

// reach is twice the number of pairs of a query and a key that a causal or
// windowed kernel must compute; nil means all. The diagonal counts half, so
// that a causal square is exactly half of the full one.
func reach(n, m int64, causal bool, window int64) *big.Int {
	windowed := window > 0 && window < m
	switch {
	case causal && windowed && window < n:
		pairs := product(2, n, window)
		return pairs.Sub(pairs, product(window, window))
	case causal:
		return product(n, m)
	case windowed:
		return product(2, n, window)
	}
	return nil
}

// reach is twice the number of pairs that a kernel must compute: in chunks a
// causal square each, and a beginning that sees all of itself has the other
// half of its square too.
func (g *square) reach(n, m int64) *big.Int {
	pairs := reach(n, m, g.causal, g.window)
	if g.causal && g.chunk > 0 && g.chunk < n {
		pairs = product(n/g.chunk, g.chunk, g.chunk)
		pairs.Add(pairs, product(n%g.chunk, n%g.chunk))
	}
	if g.causal && g.prefix > 0 {
		pairs.Add(pairs, product(min(g.prefix, n), min(g.prefix, n)))
	}
	return pairs
}

// Attention says what keeps keys and values, and what may feed the layer.
func (g *square) Attention() Attention {
	return Attention{
		Width: g.width, Heads: g.queryHeads, KVHeads: g.kvHeads, HeadDim: g.headDim,
		KVElems: 2 * g.kvRows, RopeDim: g.headDim,
		Causal: g.causal, Window: max(g.window, g.chunk), Cross: g.cross, Position: g.buckets > 0 || g.grid != nil,
	}
}

// Saved is queries, keys, values and what the heads gather. The square is not
// kept: a fused kernel computes it again.
func (g *square) Saved(c *Call, out shape.Tensor) *big.Int {
	b, n, m := g.lengths(c)
	return addBig(product(2, b, n, g.qRows), product(2, b, m, g.kvRows))
}

// plain is what attention with as many heads of keys and values as of queries
// declares.
type plain struct {
	headSizes
	Bias    bool    `json:"bias" doc:"add a learned constant to each projection"`
	QKVBias bool    `json:"qkvBias" doc:"keep the biases of queries, keys and values, where there are biases at all"`
	KeyBias bool    `json:"keyBias" doc:"keep the bias of the keys, where there are biases at all"`
	OutProj bool    `json:"outProj" doc:"project what the heads gather; else the layer yields it as it is, heads · headDim wide, as in BERT"`
	Scale   float64 `json:"scale" min:"0" default:"1 / √headDim" doc:"factor of the scores"`
	ClipQKV float64 `json:"clipQKV" min:"0" doc:"queries, keys and values are cut off at this bound, as in MPT; 0: they are not"`
	Dropout float64 `json:"dropout" min:"0" below:"1" doc:"share of the attention weights that training drops"`
	storage
	square
}

// projections are the defaults of plain attention.
func projections(bias bool) plain {
	return plain{Bias: bias, QKVBias: true, KeyBias: true, OutProj: true, storage: split}
}

// settle fills the sizes and the biases.
func (l *plain) settle(c *Call) {
	l.headSizes.settle(c)
	qkv := l.Bias && l.QKVBias
	l.square = square{
		store: l.storage, qBias: qkv, kBias: qkv && l.KeyBias, vBias: qkv, oBias: l.Bias,
		open: !l.OutProj, scale: l.Scale, clip: l.ClipQKV, dropout: l.Dropout,
	}
}

// multiHead is torch.nn.MultiheadAttention, over any layout of its axes.
type multiHead struct {
	plain
	KVDim           int64 `json:"kvDim" min:"1" unit:"features" default:"embedDim" doc:"width of the operands that keys and values come from"`
	Causal          bool  `json:"causal" doc:"a token sees itself and what is before it"`
	RelativeBuckets int64 `json:"relativeBuckets" min:"1" unit:"buckets" doc:"learn a bias of each head for each of so many distances, as T5 does"`
	MaxDistance     int64 `json:"maxDistance" min:"2" unit:"tokens" doc:"distance from which on all have the last bucket"`
	RelativeGrid    Sizes `json:"relativeGrid" min:"1" unit:"patches" doc:"rows and columns of patches behind a class token: learn a bias of each head for each offset between two patches, and for the pairs from, to and of the class token, as BEiT does"`
}

func (l *multiHead) Infer(c *Call) shape.Tensor {
	l.settle(c)
	l.kvWidth = l.KVDim
	if l.kvWidth == 0 {
		l.kvWidth = l.EmbedDim
	}
	l.causal, l.cross = l.Causal, len(c.In) > 1
	l.buckets, l.maxDistance = l.RelativeBuckets, l.MaxDistance
	l.lattice(c)
	return l.attend(c, l.headSizes)
}

// lattice settles the patches that have relative positions, and reports a
// sequence that is not these and a class token.
func (l *multiHead) lattice(c *Call) {
	if l.RelativeGrid == nil || !perAxis(c, "relativeGrid", l.RelativeGrid, 2) {
		return
	}
	l.grid = sides(l.RelativeGrid)
	l.offsets = c.plus(c.times(2*l.grid[0]-1, 2*l.grid[1]-1), 3)
	n := c.plus(c.times(l.grid...), 1)
	for _, x := range c.In {
		if x.Known() && x.Rank() > 1 && tokens(x) != n {
			c.Report(BadParam, "relativeGrid", "%s patches and a class token are %d tokens, but the sequence has %d", l.grid, n, tokens(x)).Fix =
				"give the rows and columns that the image is cut into, and put one class token in front of them"
			return
		}
	}
}

// causalAttention is multi-head attention with a causal mask.
type causalAttention struct{ plain }

func (l *causalAttention) Infer(c *Call) shape.Tensor {
	l.settle(c)
	l.causal = true
	return l.attend(c, l.headSizes)
}

// crossAttention is torch.nn.MultiheadAttention with kdim and vdim.
type crossAttention struct {
	plain
	KVDim int64 `json:"kvDim" min:"1" unit:"features" default:"width of the second input" doc:"width of the context that keys and values come from"`
}

func (l *crossAttention) Infer(c *Call) shape.Tensor {
	l.settle(c)
	l.kvWidth, l.cross = l.KVDim, true
	return l.attend(c, l.headSizes)
}

// localAttention is multi-head attention with a sliding window.
type localAttention struct {
	plain
	WindowSize int64 `json:"windowSize" min:"1" unit:"tokens" required:"true" doc:"tokens that a token sees"`
	Causal     bool  `json:"causal" doc:"the window ends at the token itself; else it lies around it"`
}

func (l *localAttention) Infer(c *Call) shape.Tensor {
	l.settle(c)
	l.causal, l.window, l.windowParam = l.Causal, l.WindowSize, "windowSize"
	return l.attend(c, l.headSizes)
}

// windowAttention attends within windows that do not overlap.
type windowAttention struct {
	plain
	WindowSize        Sizes  `json:"windowSize" min:"1" unit:"tokens" required:"true" doc:"sides of a window: one number for all, or one for each axis; over a sequence, one number is its tokens, unless there are relative positions"`
	ShiftSize         Sizes  `json:"shiftSize" min:"0" unit:"tokens" default:"0" doc:"by how much an image is rolled along each axis before it is cut, as in every second layer of Swin"`
	RelativePositions bool   `json:"relativePositions" doc:"learn a bias of each head for each offset within a window of two axes"`
	RelativeIndex     string `json:"relativeIndex" enum:"square,flat,none" doc:"how the index of these offsets is stored with the weights: one row for each token, in one row for all as by torchvision, or not at all as by transformers"`
	Decomposed        bool   `json:"decomposedPositions" doc:"learn a vector for each offset along each of two axes, whose product with a query is added to its scores, as SAM does"`
	PositionNetwork   int64  `json:"positionNetwork" min:"1" unit:"features" doc:"width of a network that makes those biases from the offsets, in place of a table, as in Swin V2"`
	Similarity        string `json:"similarity" enum:"dot,cosine" doc:"how queries and keys are compared: by their product, or by their cosine times a learned factor of each head, as in Swin V2; keys then go without the bias that may be stored for them"`

	sides   shape.Shape // of a window
	tokens  int64       // in a window
	between int64       // offsets between two tokens of a window
}

func (l *windowAttention) Infer(c *Call) shape.Tensor {
	l.settle(c)
	image := c.First().AsSequence().Positions()
	l.measure(c, len(image))
	out := l.attend(c, l.headSizes)
	if !out.Known() || l.tokens == 0 {
		return shape.Unknown
	}
	if l.exceeds(image) {
		c.Report(WindowTooLong, "windowSize", "a window of %s does not lie within %s", l.sides, out.Dims.Brackets()).Fix =
			"choose a smaller window"
	}
	return out
}

// measure settles the sides of a window over so many axes. A sequence that is
// cut into windows of several axes is an image, row after row.
func (l *windowAttention) measure(c *Call, axes int) {
	if axes <= 1 {
		axes = max(len(l.WindowSize), 1)
		if l.positions() {
			axes = max(axes, 2)
		}
	}
	if l.Decomposed && axes != 2 {
		c.Report(BadParam, "decomposedPositions", "decomposedPositions has a table for rows and one for columns, but a window has %d axes", axes)
	}
	if n := len(l.WindowSize); n != 1 && n != axes {
		c.Report(BadParam, "windowSize", "windowSize has %d numbers, must be one, or one for each of %d axes", n, axes)
	}
	offsets := shape.Shape{}
	for i := range axes {
		l.sides = append(l.sides, l.WindowSize.At(i))
		offsets = append(offsets, 2*l.WindowSize.At(i)-1)
	}
	l.tokens, l.between = c.times(l.sides...), c.times(offsets...)
}

func (l *windowAttention) exceeds(image shape.Shape) bool {
	if len(image) != len(l.sides) {
		return len(image) == 1 && l.tokens > image[0]
	}
	for i, n := range image {
		if l.sides[i] > n {
			return true
		}
	}
	return false
}

// positions reports whether the scores depend on the offsets within a window.
func (l *windowAttention) positions() bool {
	return l.RelativePositions || l.PositionNetwork > 0 || l.Decomposed
}

// Weights adds the factors of the heads, and the tables of relative positions
// or the network that makes them.
func (l *windowAttention) Weights() []Tensor {
	w := l.square.Weights()
	if l.Similarity == "cosine" {
		w = append(w, l.own("logit_scale", l.NumHeads, 1, 1))
	}
	if l.Decomposed {
		w = append(w, l.own("rel_pos_h", 2*l.sides[0]-1, l.headDim), l.own("rel_pos_w", 2*l.sides[len(l.sides)-1]-1, l.headDim))
	}
	switch {
	case l.PositionNetwork > 0:
		w = append(w, l.proj("cpb_mlp.0", l.PositionNetwork, 2, true)...)
		w = append(w, l.proj("cpb_mlp.2", l.NumHeads, l.PositionNetwork, false)...)
		offsets := shape.Shape{1}
		for _, side := range l.sides {
			offsets = append(offsets, 2*side-1)
		}
		table := l.own("relative_coords_table", append(offsets, int64(len(l.sides)))...)
		table.Buffer = true
		if l.RelativeIndex != "none" {
			w = append(w, table)
		}
	case l.RelativePositions:
		w = append(w, l.own("relative_position_bias_table", l.between, l.NumHeads))
	default:
		return w
	}
	index := l.own("relative_position_index", l.tokens, l.tokens)
	index.Buffer = true
	switch l.RelativeIndex {
	case "none":
		return w
	case "flat":
		square, _ := shape.Mul(l.tokens, l.tokens)
		index.Dims = shape.Shape{square}
	}
	return append(w, index)
}

// Work counts the squares of the windows, as torchvision does, over an image
// that is padded to whole windows.
func (l *windowAttention) Work(c *Call, out shape.Tensor) Work {
	sides, image := l.sides, out.Positions()
	if len(image) != len(sides) {
		sides, image = shape.Shape{l.tokens}, shape.Shape{tokens(out)}
	}
	padded := int64(1)
	for i, side := range image {
		padded, _ = shape.Mul(padded, (side-1)/sides[i]+1, sides[i])
	}
	b := out.BatchSize()
	w := l.linear(b, padded, padded).Plus(l.scores(b, padded, l.tokens, nil))
	if l.Decomposed {
		w = w.Plus(MACs(b, l.queryHeads, l.headDim, padded, l.sides[0]+l.sides[len(l.sides)-1]))
	}
	if l.PositionNetwork > 0 {
		w = w.Plus(MACs(l.between, l.PositionNetwork, 2)).Plus(MACs(l.between, l.PositionNetwork, l.NumHeads))
	}
	return w
}

// Attention adds that the layer may know where its tokens are.
func (l *windowAttention) Attention() Attention {
	a := l.square.Attention()
	a.Window, a.Position = l.tokens, a.Position || l.positions()
	return a
}

// nativeSparse is the attention of "Native Sparse Attention" (2025).
type nativeSparse struct {
	plain
	BlockSize  int64 `json:"blockSize" min:"1" unit:"tokens" doc:"tokens in a block"`
	TopBlocks  int64 `json:"topBlocks" min:"1" unit:"blocks" doc:"blocks that a query reads in full"`
	WindowSize int64 `json:"windowSize" min:"1" unit:"tokens" doc:"tokens before a query that it reads in any case; none when absent"`
}

func (l *nativeSparse) Infer(c *Call) shape.Tensor {
	l.settle(c)
	l.causal = true
	return l.attend(c, l.headSizes)
}

// Work adds, for the sparse kernel, the summaries of the blocks before a query,
// the tokens of the best blocks and the window; at most the causal square.
func (l *nativeSparse) Work(c *Call, out shape.Tensor) Work {
	b, n, m := l.lengths(c)
	picked, ok := shape.Mul(l.BlockSize, l.TopBlocks)
	if !ok {
		picked = n
	}
	all := reach(n, m, true, 0)
	sparse := product(n, (n-1)/l.BlockSize+1)
	sparse.Add(sparse, reach(n, m, true, picked))
	if l.WindowSize > 0 {
		sparse.Add(sparse, reach(n, m, true, l.WindowSize))
	}
	if sparse.Cmp(all) > 0 {
		sparse = all
	}
	return l.linear(b, n, m).Plus(l.scores(b, n, m, sparse))
}

// groupedQuery is the attention of Llama, Qwen, Mistral, Gemma and gpt-oss.
type groupedQuery struct {
	headSizes
	NumKVHeads    int64   `json:"numKVHeads" min:"1" unit:"heads" default:"numHeads" doc:"heads of keys and values"`
	Bias          bool    `json:"bias" doc:"add a learned constant to every projection"`
	QKVBias       bool    `json:"qkvBias" doc:"add one to queries, keys and values"`
	OutBias       bool    `json:"outBias" doc:"add one to the output"`
	QKNorm        string  `json:"qkNorm" enum:"none,head,full" doc:"normalise queries and keys: each head, or all heads together"`
	QKNormBias    bool    `json:"qkNormBias" doc:"these norms are LayerNorms, which add a constant too; else RMSNorms"`
	QKNormEps     float64 `json:"qkNormEps" min:"0" doc:"added to what these norms divide by"`
	QKNormOffset  bool    `json:"qkNormUnitOffset" doc:"the factor of these norms is 1 + weight, as in Gemma 3"`
	QKNormAffine  bool    `json:"qkNormAffine" doc:"these norms learn a factor for each feature; else they have no tensors, as in Llama 4"`
	SlidingWindow int64   `json:"slidingWindow" min:"1" unit:"tokens" doc:"tokens that a token sees; all when absent"`
	ChunkSize     int64   `json:"chunkSize" min:"1" unit:"tokens" doc:"the sequence is cut into chunks of so many tokens, and a token sees its own chunk alone, as in Llama 4"`
	Prefix        int64   `json:"prefix" min:"1" unit:"tokens" doc:"so many tokens at the beginning see each other whatever their order, as those of an image in Gemma 3"`
	QueryGrowth   float64 `json:"queryGrowth" min:"0" doc:"queries grow with their position p, counted from 1, by 1 + queryGrowth · ln(1 + ⌊p / queryGrowthEvery⌋), as in Llama 4; 0: they do not"`
	GrowthEvery   int64   `json:"queryGrowthEvery" min:"1" unit:"tokens" doc:"tokens from one step of that growth to the next"`
	Sinks         bool    `json:"sinks" doc:"learn a score for each head that takes attention away from all tokens, as gpt-oss does"`
	Softcap       float64 `json:"softcap" min:"0" doc:"scores are bent to stay within this bound, as in Gemma 2; 0: they are not"`
	Scale         float64 `json:"scale" min:"0" default:"1 / √headDim" doc:"factor of the scores"`
	ClipQKV       float64 `json:"clipQKV" min:"0" doc:"queries, keys and values are cut off at this bound, as in OLMo and DBRX; 0: they are not"`
	Causal        bool    `json:"causal" doc:"a token sees itself and what is before it"`
	Dropout       float64 `json:"dropout" min:"0" below:"1" doc:"share of the attention weights that training drops"`
	storage
	square
}

func (l *groupedQuery) Infer(c *Call) shape.Tensor {
	l.headSizes.settle(c)
	qkv, out := l.Bias || l.QKVBias, l.Bias || l.OutBias
	l.square = square{
		store: l.storage, kvHeads: l.NumKVHeads,
		qBias: qkv, kBias: qkv, vBias: qkv, oBias: out,
		scale: l.Scale, softcap: l.Softcap, clip: l.ClipQKV, dropout: l.Dropout, sinks: l.Sinks,
		qkNorm: l.QKNorm, qkNormBias: l.QKNormBias, qkNormOffset: l.QKNormOffset, qkNormEps: l.QKNormEps,
		qkNormFree: !l.QKNormAffine, growth: l.QueryGrowth, growEvery: l.GrowthEvery,
		causal: l.Causal, window: l.SlidingWindow, windowParam: "slidingWindow", chunk: l.ChunkSize, prefix: l.Prefix,
	}
	l.agree(c)
	return l.attend(c, l.headSizes)
}

// agree reports parameters that do not go with others.
func (l *groupedQuery) agree(c *Call) {
	bad := func(param, format string, args ...any) *Problem { return c.Report(BadParam, param, format, args...) }
	switch {
	case l.ChunkSize > 0 && l.SlidingWindow > 0:
		bad("chunkSize", "a token sees a chunk of %d tokens, and a window of %d", l.ChunkSize, l.SlidingWindow).Fix = "remove one of the two"
	case !l.Causal && (l.ChunkSize > 0 || l.Prefix > 0):
		bad("causal", "chunkSize and prefix say which tokens a causal layer sees, but causal is false").Fix = "remove them, or set causal to true"
	case l.QueryGrowth > 0 && l.GrowthEvery == 0:
		c.Report(MissingParam, "queryGrowthEvery", "queries that grow need queryGrowthEvery, the tokens from one step to the next").Fix = "add queryGrowthEvery"
	case !l.QKNormAffine && (l.QKNormBias || l.QKNormOffset):
		bad("qkNormAffine", "norms without tensors have neither a bias nor an offset").Fix = "remove qkNormBias and qkNormUnitOffset"
	}
}

// latentAttention is the attention of DeepSeek-V2 and V3.
type latentAttention struct {
	EmbedDim    int64   `json:"embedDim" alias:"hiddenDim,dModel,dim" min:"1" unit:"features" default:"incoming width" doc:"width of the input and of the output"`
	NumHeads    int64   `json:"numHeads" min:"1" unit:"heads" required:"true" doc:"heads"`
	QLatentDim  int64   `json:"qLatentDim" min:"0" unit:"features" default:"0" doc:"width of the latent queries; 0: queries are projected directly"`
	KVLatentDim int64   `json:"kvLatentDim" min:"1" unit:"features" required:"true" doc:"width of the latent keys and values"`
	RopeHeadDim int64   `json:"ropeHeadDim" min:"1" unit:"features" required:"true" doc:"part of a head that rotary embedding turns; its keys are shared by all heads. Without a rope that feeds the layer: interleaved, with a theta of 10000"`
	NopeHeadDim int64   `json:"nopeHeadDim" min:"1" unit:"features" doc:"part of a head that knows no positions"`
	VHeadDim    int64   `json:"vHeadDim" min:"1" unit:"features" doc:"width of the values of a head"`
	Bias        bool    `json:"bias" doc:"add a learned constant to q_a_proj, kv_a_proj_with_mqa and o_proj"`
	Causal      bool    `json:"causal" doc:"a token sees itself and what is before it"`
	NormEps     float64 `json:"normEps" min:"0" doc:"added to the mean square of the latent vectors"`
	Scale       float64 `json:"scale" min:"0" default:"1 / √(nopeHeadDim + ropeHeadDim)" doc:"factor of the scores"`
	Dropout     float64 `json:"dropout" min:"0" below:"1" doc:"share of the attention weights that training drops"`
	Stored

	qRows, kvRows, vRows int64 // of all heads together
}

func (l *latentAttention) Infer(c *Call) shape.Tensor {
	x := c.First()
	c.Width(x, &l.EmbedDim, "embedDim")
	l.qRows = c.times(l.NumHeads, l.NopeHeadDim+l.RopeHeadDim)
	l.kvRows = c.times(l.NumHeads, l.NopeHeadDim+l.VHeadDim)
	l.vRows = c.times(l.NumHeads, l.VHeadDim)
	if l.RopeHeadDim%2 != 0 {
		c.Report(OddRotary, "ropeHeadDim", "turns %d features of a head, but features turn in pairs", l.RopeHeadDim).Fix = "choose an even number"
	}
	if !c.sequence(x) {
		return shape.Unknown
	}
	c.Layout(x)
	return x.AsSequence().WithWidth(l.EmbedDim)
}

// Weights are named as in DeepSeek's checkpoints.
func (l *latentAttention) Weights() []Tensor {
	var w []Tensor
	if l.QLatentDim > 0 {
		w = append(w, l.proj("q_a", l.QLatentDim, l.EmbedDim, l.Bias)...)
		w = append(w, l.norm("q_a_norm", false, l.QLatentDim)...)
		w = append(w, l.matrix("q_b", l.qRows, l.QLatentDim))
	} else {
		w = append(w, l.matrix("q", l.qRows, l.EmbedDim))
	}
	w = append(w, l.proj("kv_a", l.KVLatentDim+l.RopeHeadDim, l.EmbedDim, l.Bias)...)
	w = append(w, l.norm("kv_a_norm", false, l.KVLatentDim)...)
	w = append(w, l.matrix("kv_b", l.kvRows, l.KVLatentDim))
	return append(w, l.proj("o", l.EmbedDim, l.vRows, l.Bias)...)
}

// Work is the projections and the products in full heads, as training and
// prefill compute them.
func (l *latentAttention) Work(c *Call, out shape.Tensor) Work {
	b, n := out.BatchSize(), tokens(out)
	w := MACs(b, n, l.EmbedDim, l.qRows)
	if l.QLatentDim > 0 {
		w = MACs(b, n, l.QLatentDim, l.EmbedDim).Plus(MACs(b, n, l.QLatentDim, l.qRows))
	}
	w = w.Plus(MACs(b, n, l.EmbedDim, l.KVLatentDim+l.RopeHeadDim))
	w = w.Plus(MACs(b, n, l.KVLatentDim, l.kvRows))
	w = w.Plus(MACs(b, n, l.EmbedDim, l.vRows))
	each := l.NopeHeadDim + l.RopeHeadDim + l.VHeadDim
	return w.Plus(pairwise(b, l.NumHeads, each, n, n, reach(n, n, l.Causal, 0)))
}

// Attention keeps the latent vector and the rotary keys only.
func (l *latentAttention) Attention() Attention {
	return Attention{
		Width: l.EmbedDim, Heads: l.NumHeads, KVHeads: l.NumHeads, HeadDim: l.NopeHeadDim + l.RopeHeadDim,
		KVElems: l.KVLatentDim + l.RopeHeadDim, RopeDim: l.RopeHeadDim, Causal: l.Causal,
	}
}

// Saved is the latents, and queries, keys, values and what the heads gather.
func (l *latentAttention) Saved(c *Call, out shape.Tensor) *big.Int {
	b, n := out.BatchSize(), tokens(out)
	latents := product(b, n, l.QLatentDim+l.KVLatentDim+l.RopeHeadDim)
	return addBig(latents, addBig(product(2, b, n, l.qRows), product(2, b, n, l.vRows)))
}

// transformerBlock is torch.nn.TransformerEncoderLayer, or a stack of them.
type transformerBlock struct {
	EmbedDim   int64   `json:"embedDim" alias:"hiddenDim,dModel,dim" min:"1" unit:"features" default:"incoming width" doc:"width of the input and of the output"`
	NumHeads   int64   `json:"numHeads" min:"1" unit:"heads" required:"true" doc:"heads"`
	FFDim      int64   `json:"ffDim" alias:"dFf" min:"1" unit:"features" default:"4 · embedDim" doc:"inner width of the feed-forward network"`
	NumLayers  int64   `json:"numLayers" min:"1" unit:"layers" doc:"layers in a row"`
	Causal     bool    `json:"causal" doc:"a token sees itself and what is before it"`
	Norm       string  `json:"norm" enum:"pre,post" doc:"whether the layer norms stand before attention and network, or after the residual"`
	Activation string  `json:"activation" enum:"relu,gelu" doc:"activation of the feed-forward network"`
	Dropout    float64 `json:"dropout" min:"0" below:"1" doc:"share of activations that training drops"`
	renamed
}

func (l *transformerBlock) Infer(c *Call) shape.Tensor {
	x := c.First()
	c.Width(x, &l.EmbedDim, "embedDim")
	headDim(c, l.EmbedDim, l.NumHeads, "")
	if l.FFDim == 0 {
		l.FFDim = c.times(4, l.EmbedDim)
	}
	if !c.sequence(x) {
		return shape.Unknown
	}
	c.Layout(x)
	return x.AsSequence().WithWidth(l.EmbedDim)
}

func (l *transformerBlock) Weights() []Tensor {
	d, f := l.EmbedDim, l.FFDim
	w := []Tensor{
		l.own("self_attn.in_proj_weight", 3*d, d), l.own("self_attn.in_proj_bias", 3*d),
		l.own("self_attn.out_proj.weight", d, d), l.own("self_attn.out_proj.bias", d),
		l.own("linear1.weight", f, d), l.own("linear1.bias", f),
		l.own("linear2.weight", d, f), l.own("linear2.bias", d),
		l.own("norm1.weight", d), l.own("norm1.bias", d),
		l.own("norm2.weight", d), l.own("norm2.bias", d),
	}
	if l.NumLayers == 1 {
		return w
	}
	return copies("layers.{}", w, l.NumLayers, 0)
}

func (l *transformerBlock) Work(c *Call, out shape.Tensor) Work {
	b, n, d, f, layers := out.BatchSize(), tokens(out), l.EmbedDim, l.FFDim, l.NumLayers
	w := MACs(layers, b, n, 4, d, d).Plus(MACs(layers, b, n, 2, d, f))
	scores := MACs(layers, b, 2, d, n, n)
	scores.Elem = product(layers, b, l.NumHeads, n, n)
	if l.Causal {
		scores.Causal = product(layers, b, d, n, n)
	}
	w = w.Plus(scores)
	inner := Work{Elem: addBig(product(layers, b, n, 4, d), product(layers, b, n, f))}
	return w.Plus(inner)
}

// Attention is that of all layers together: each keeps keys and values.
func (l *transformerBlock) Attention() Attention {
	kept, _ := shape.Mul(2, l.EmbedDim, l.NumLayers)
	return Attention{
		Width: l.EmbedDim, Heads: l.NumHeads, KVHeads: l.NumHeads, HeadDim: l.EmbedDim / l.NumHeads,
		KVElems: kept, RopeDim: l.EmbedDim / l.NumHeads, Causal: l.Causal,
	}
}

// Saved is, for each layer, what enters the two norms, their results, queries,
// keys, values, what the heads gather, and the inner activations of the network
// before and after the activation. The input of the first layer and the output
// of the last are kept by their own layers, so that one width is saved less.
func (l *transformerBlock) Saved(c *Call, out shape.Tensor) *big.Int {
	b, n, d := out.BatchSize(), tokens(out), l.EmbedDim
	kept := addBig(product(l.NumLayers, b, n, 8, d), product(l.NumLayers, 2, b, n, l.FFDim))
	return kept.Sub(kept, product(b, n, d))
}
