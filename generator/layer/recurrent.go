package layer

import (
	"fmt"
	"math/big"

	"github.com/strata-catalog/strata/generator/shape"
)

const (
	recurrentShape   = "the width becomes that of the state, twice that when bidirectional; the axis of time goes with returnSequences false"
	recurrentWork    = "for each layer and direction, steps · (gates · hiddenSize · (width of its input + width of the state) + projSize · hiddenSize) over the whole batch, and steps · gates · hiddenSize element-wise operations"
	recurrentWeights = "for each layer and direction weight_ih_l0 [gates · hiddenSize, inputSize], weight_hh_l0 [gates · hiddenSize, width of the state], bias_ih_l0 and bias_hh_l0 [gates · hiddenSize]"
)

var recurrents = []*Type{
	declare(Type{
		Name: "lstm", Display: "LSTM", Part: Recurrent, Ports: unary, Position: true,
		Also: []string{"longShortTermMemory"},
		Doc: Doc{
			Summary: "Reads a sequence step by step and keeps a gated state and a memory cell.",
			Shape:   recurrentShape,
			Weights: recurrentWeights + ", with 4 gates; projSize: weight_hr_l0 [projSize, hiddenSize]",
			Work:    recurrentWork + ", with 4 gates",
			Source:  "https://pytorch.org/docs/stable/generated/torch.nn.LSTM.html",
			Examples: []Example{
				{Params: `{"hiddenSize": 512, "numLayers": 2}`, In: []shape.Shape{{1, 100, 300}}},
				{Params: `{"inputSize": 10, "hiddenSize": 20, "projSize": 5, "numLayers": 2, "bidirectional": true}`, In: []shape.Shape{{1, 7, 10}}},
				{Params: `{"inFeatures": 32, "hiddenSize": 64, "returnSequences": false}`, In: []shape.Shape{{50, 32}}},
				{Params: `{"hiddenSize": 20, "projSize": 20}`, In: []shape.Shape{{1, 7, 10}}},
			},
		},
	}, lstm{recurrent: recurrent{NumLayers: 1, Bias: true, ReturnSequences: true, gates: 4}}),
	declare(Type{
		Name: "gru", Display: "GRU", Part: Recurrent, Ports: unary, Position: true,
		Also: []string{"gatedRecurrentUnit"},
		Doc: Doc{
			Summary: "Reads a sequence step by step and keeps a gated state.",
			Shape:   recurrentShape,
			Weights: recurrentWeights + ", with 3 gates",
			Work:    recurrentWork + ", with 3 gates",
			Source:  "https://pytorch.org/docs/stable/generated/torch.nn.GRU.html",
			Examples: []Example{
				{Params: `{"hiddenSize": 100, "inputSize": 100}`, In: []shape.Shape{{1, 50, 100}}},
				{Params: `{"hiddenSize": 100, "inputSize": 64}`, In: []shape.Shape{{1, 50, 100}}},
			},
		},
	}, gru{recurrent{NumLayers: 1, Bias: true, ReturnSequences: true, gates: 3}}),
	declare(Type{
		Name: "rnn", Display: "RNN", Part: Recurrent, Ports: unary, Position: true,
		Also: []string{"elmanRNN", "simpleRNN", "vanillaRNN"},
		Doc: Doc{
			Summary: "Reads a sequence step by step and keeps a state.",
			Shape:   recurrentShape,
			Weights: recurrentWeights + ", with 1 gate",
			Work:    recurrentWork + ", with 1 gate",
			Source:  "https://pytorch.org/docs/stable/generated/torch.nn.RNN.html",
			Examples: []Example{
				{Params: `{"hiddenSize": 128, "bidirectional": true, "bias": false}`, In: []shape.Shape{{1, 28, 28}}},
				{Params: `{"hiddenSize": 128}`, In: []shape.Shape{{28}}},
			},
		},
	}, rnn{recurrent{NumLayers: 1, Bias: true, ReturnSequences: true, gates: 1}, "tanh"}),
	declare(Type{
		Name: "mamba", Display: "Mamba", Part: Recurrent, Ports: unary, Position: true,
		Also: []string{"mamba1", "mambaBlock", "mambaMixer"},
		Doc: Doc{
			Summary: "A selective state space: a short convolution and a linear recurrence whose steps depend on the input.",
			Shape:   "the shape of its input",
			Weights: "in_proj [2 · inner, embedDim], conv1d [inner, 1, dConv] and its bias, x_proj [dtRank + 2 · dState, inner], dt_proj [inner, dtRank] and its bias, A_log [inner, dState], D [inner], out_proj [embedDim, inner], where inner is expand · embedDim",
			Work:    "tokens · inner · (3 · embedDim + dConv + 2 · dtRank + 2 · dState) over the whole batch, inner being expand · embedDim, and batch · (dConv − 1) · inner · dConv for the padding of the convolution; 6 · tokens · inner · dState element-wise operations",
			Source:  "https://arxiv.org/abs/2312.00752",
			Examples: []Example{
				{Params: `{"dModel": 768}`, In: []shape.Shape{{1, 2048, 768}}},
				{Params: `{"embedDim": 4096, "dState": 16, "expand": 2, "dtRank": 256, "stateNorms": true}`, In: []shape.Shape{{1, 4096, 4096}}},
				{Params: `{"embedDim": 768, "expand": 0}`, In: []shape.Shape{{1, 2048, 768}}},
			},
		},
	}, mamba{DState: 16, Expand: 2, DConv: 4, ConvBias: true, NormEps: 1e-6}),
	declare(Type{
		Name: "mamba2", Display: "Mamba-2", Part: Recurrent, Ports: unary, Position: true,
		Also: []string{"mamba2Block", "mamba2Mixer", "stateSpaceDuality"},
		Doc: Doc{
			Summary: "A selective state space in heads: all features of a head decay alike, and groups of heads share what is written and read.",
			Shape:   "the shape of its input",
			Weights: "in_proj [2 · inner + 2 · numGroups · dState + heads, embedDim], conv1d [inner + 2 · numGroups · dState, 1, dConv] and its bias, dt_bias, A_log and D [heads], norm [inner], out_proj [embedDim, inner], where inner is expand · embedDim and heads is inner / headDim",
			Work:    "tokens · embedDim · (3 · inner + 2 · numGroups · dState + heads) over the whole batch, and (tokens + batch · (dConv − 1)) · (inner + 2 · numGroups · dState) · dConv for the convolution and its padding; 5 · tokens · inner · dState element-wise operations",
			Source:  "https://arxiv.org/abs/2405.21060",
			Examples: []Example{
				{Params: `{"embedDim": 4096, "numGroups": 8, "normEps": 1e-5}`, In: []shape.Shape{{1, 2048, 4096}}},
				{Params: `{"embedDim": 768, "headDim": 100}`, In: []shape.Shape{{1, 2048, 768}}},
			},
		},
	}, mamba2{DState: 128, Expand: 2, DConv: 4, HeadDim: 64, NumGroups: 1, ConvBias: true, NormEps: 1e-5}),
	declare(Type{
		Name: "rwkvTimeMix", Display: "RWKV Time Mixing", Part: Recurrent, Ports: unary, Position: true,
		Also: []string{"rwkvAttention", "wkv"},
		Doc: Doc{
			Summary: "The attention of RWKV-4: an average of all values so far, in which each feature forgets at a learned pace.",
			Shape:   "the shape of its input",
			Weights: "time_decay and time_first [innerDim]; time_mix_key, time_mix_value and time_mix_receptance [1, 1, embedDim]; key, value and receptance [innerDim, embedDim]; output [embedDim, innerDim]",
			Work:    "4 · tokens · embedDim · innerDim over the whole batch; 9 · tokens · embedDim element-wise operations for the mixture with the token before, and 25 · tokens · innerDim for the average",
			Source:  "https://arxiv.org/abs/2305.13048",
			Examples: []Example{
				{Params: `{"embedDim": 768}`, In: []shape.Shape{{1, 1024, 768}}},
				{Params: `{"embedDim": 512}`, In: []shape.Shape{{1, 1024, 768}}},
			},
		},
	}, rwkvTimeMix{}),
	declare(Type{
		Name: "rwkvChannelMix", Display: "RWKV Channel Mixing", Part: FeedFwd, Ports: unary, Position: true,
		Also: []string{"rwkvFeedForward"},
		Doc: Doc{
			Summary: "The feed-forward network of RWKV-4: squared ReLUs of a token and the one before it, behind a gate.",
			Shape:   "the shape of its input",
			Weights: "time_mix_key and time_mix_receptance [1, 1, embedDim]; key [ffDim, embedDim], receptance [embedDim, embedDim], value [embedDim, ffDim]",
			Work:    "tokens · embedDim · (2 · ffDim + embedDim) over the whole batch; tokens · (8 · embedDim + 2 · ffDim) element-wise operations",
			Source:  "https://arxiv.org/abs/2305.13048",
			Examples: []Example{
				{Params: `{"embedDim": 768, "ffDim": 3072}`, In: []shape.Shape{{1, 1024, 768}}},
				{Params: `{"embedDim": 512}`, In: []shape.Shape{{1, 1024, 768}}},
			},
		},
	}, rwkvChannelMix{}),
}

// recurrent is what PyTorch's recurrent modules have in common.
type recurrent struct {
	InputSize       int64   `json:"inputSize" alias:"inFeatures" min:"1" unit:"features" default:"incoming width" doc:"width of the input"`
	HiddenSize      int64   `json:"hiddenSize" min:"1" unit:"features" required:"true" doc:"width of the state"`
	NumLayers       int64   `json:"numLayers" min:"1" max:"1000" unit:"layers" doc:"layers, each reading the one before"`
	Bidirectional   bool    `json:"bidirectional" doc:"read in both directions and join the two states"`
	Bias            bool    `json:"bias" doc:"add learned constants to the gates"`
	ReturnSequences bool    `json:"returnSequences" doc:"give the state after every step; else only the last"`
	Dropout         float64 `json:"dropout" min:"0" below:"1" doc:"share of the features between layers that training drops"`
	renamed

	gates, proj int64
}

func (l *recurrent) Infer(c *Call) shape.Tensor {
	x := c.First()
	c.Width(x, &l.InputSize, "inputSize")
	if !x.Known() {
		return x
	}
	x = x.AsSequence()
	if x.Rank() < 2 || len(x.Positions()) > 1 {
		return c.Fail(RankMismatch, "", "reads [steps, features] or [batch, steps, features], has %s", x.Dims.Brackets())
	}
	c.Layout(x)
	x = x.WithWidth(l.directions() * l.state())
	if !l.ReturnSequences {
		return withoutPositions(x)
	}
	return x
}

// withoutPositions drops every axis that is neither batch nor features.
func withoutPositions(x shape.Tensor) shape.Tensor {
	dims := append(append(shape.Shape{}, x.Dims[:x.BatchAxes()]...), x.Width())
	return shape.Last(dims, x.Batch)
}

func (l *recurrent) directions() int64 {
	if l.Bidirectional {
		return 2
	}
	return 1
}

// state is the width that a layer hands on.
func (l *recurrent) state() int64 {
	if l.proj > 0 {
		return l.proj
	}
	return l.HiddenSize
}

// input is the width that a layer reads.
func (l *recurrent) input(layer int64) int64 {
	if layer == 0 {
		return l.InputSize
	}
	return l.directions() * l.state()
}

// Weights are in the order and under the names of PyTorch's modules.
func (l *recurrent) Weights() []Tensor {
	var w []Tensor
	rows := l.gates * l.HiddenSize
	for layer := range l.NumLayers {
		for _, suffix := range []string{"", "_reverse"}[:l.directions()] {
			name := func(s string) string { return fmt.Sprintf("%s_l%d%s", s, layer, suffix) }
			w = append(w, l.own(name("weight_ih"), rows, l.input(layer)), l.own(name("weight_hh"), rows, l.state()))
			if l.Bias {
				w = append(w, l.own(name("bias_ih"), rows), l.own(name("bias_hh"), rows))
			}
			if l.proj > 0 {
				w = append(w, l.own(name("weight_hr"), l.proj, l.HiddenSize))
			}
		}
	}
	return w
}

// Work is every matrix once for each step; the gates are element-wise.
func (l *recurrent) Work(c *Call, out shape.Tensor) Work {
	x := c.First().AsSequence()
	steps, rows := tokenCount(x), l.gates*l.HiddenSize
	var w Work
	for layer := range l.NumLayers {
		w = w.Plus(MACs(l.directions(), steps, rows, l.input(layer)))
		w = w.Plus(MACs(l.directions(), steps, rows, l.state()))
		w = w.Plus(MACs(l.directions(), steps, l.proj, l.HiddenSize))
		w = w.Plus(Work{Elem: product(l.directions(), steps, rows)})
	}
	return w
}

// State is the state of every layer and direction.
func (l *recurrent) State() int64 { return l.NumLayers * l.directions() * l.state() }

// lstm is torch.nn.LSTM.
type lstm struct {
	recurrent
	ProjSize int64 `json:"projSize" min:"0" unit:"features" default:"0" doc:"width that the state is projected to; 0: it is not"`
}

func (l *lstm) Infer(c *Call) shape.Tensor {
	l.proj = l.ProjSize
	if l.proj >= l.HiddenSize {
		c.Report(BadParam, "projSize", "projSize is %d, must be below hiddenSize, %d", l.proj, l.HiddenSize).Fix = "choose a smaller projSize, or leave it out"
	}
	return l.recurrent.Infer(c)
}

// State adds the memory cells.
func (l *lstm) State() int64 {
	return l.recurrent.State() + l.NumLayers*l.directions()*l.HiddenSize
}

// gru is torch.nn.GRU.
type gru struct{ recurrent }

// rnn is torch.nn.RNN.
type rnn struct {
	recurrent
	Nonlinearity string `json:"nonlinearity" enum:"tanh,relu" doc:"activation of the state"`
}

// mamba is the block of Mamba-1, without its norm.
type mamba struct {
	EmbedDim   int64   `json:"embedDim" alias:"hiddenDim,dModel,dim" min:"1" unit:"features" default:"incoming width" doc:"width of the input and of the output"`
	DState     int64   `json:"dState" min:"1" unit:"features" doc:"state of each inner feature"`
	Expand     int64   `json:"expand" min:"1" doc:"inner width as a multiple of embedDim"`
	DConv      int64   `json:"dConv" min:"1" unit:"tokens" doc:"length of the convolution"`
	DtRank     int64   `json:"dtRank" min:"1" unit:"features" default:"embedDim / 16, rounded up" doc:"width that step sizes are computed from"`
	ConvBias   bool    `json:"convBias" doc:"the convolution adds a learned constant"`
	Bias       bool    `json:"bias" doc:"in_proj and out_proj add learned constants"`
	StateNorms bool    `json:"stateNorms" doc:"RMSNorms on what step sizes, B and C are computed from, as in Jamba"`
	NormEps    float64 `json:"normEps" min:"0" doc:"added to the mean square of stateNorms"`
	Stored

	inner, gated int64 // expand · embedDim, and twice that: the inner features and their gates
}

func (l *mamba) Infer(c *Call) shape.Tensor {
	x := c.First()
	c.Width(x, &l.EmbedDim, "embedDim")
	l.inner = c.times(l.Expand, l.EmbedDim)
	l.gated = c.times(2, l.inner)
	if l.DtRank == 0 && l.EmbedDim > 0 {
		l.DtRank = (l.EmbedDim-1)/16 + 1
	}
	if !c.sequence(x) {
		return shape.Unknown
	}
	c.Layout(x)
	return x.AsSequence().WithWidth(l.EmbedDim)
}

func (l *mamba) Weights() []Tensor {
	w := l.proj("in_proj", l.gated, l.EmbedDim, l.Bias)
	w = append(w, l.tensor("conv1d", "weight", l.inner, 1, l.DConv))
	if l.ConvBias {
		w = append(w, l.tensor("conv1d", "bias", l.inner))
	}
	w = append(w, l.matrix("x_proj", l.DtRank+2*l.DState, l.inner))
	w = append(w, l.proj("dt_proj", l.inner, l.DtRank, true)...)
	w = append(w, l.own("A_log", l.inner, l.DState), l.own("D", l.inner))
	w = append(w, l.proj("out_proj", l.EmbedDim, l.inner, l.Bias)...)
	if l.StateNorms {
		w = append(w, l.norm("dt_layernorm", false, l.DtRank)...)
		w = append(w, l.norm("b_layernorm", false, l.DState)...)
		w = append(w, l.norm("c_layernorm", false, l.DState)...)
	}
	return w
}

// Work is the projections and the convolution, which PyTorch's module pads by
// dConv − 1 steps. The recurrence is element-wise: six operations for each
// number of the state, to discretise, to update and to read it.
func (l *mamba) Work(c *Call, out shape.Tensor) Work {
	b, n := out.BatchSize(), tokens(out)
	w := MACs(b, n, l.EmbedDim, l.gated)
	w = w.Plus(MACs(b, n, l.inner, l.DConv)).Plus(MACs(b, l.DConv-1, l.inner, l.DConv))
	w = w.Plus(MACs(b, n, l.inner, l.DtRank+2*l.DState))
	w = w.Plus(MACs(b, n, l.DtRank, l.inner))
	w = w.Plus(MACs(b, n, l.inner, l.EmbedDim))
	return w.Plus(Work{Elem: product(6, b, n, l.inner, l.DState)})
}

// State is the state space and the last inputs of the convolution.
func (l *mamba) State() int64 { return l.inner * (l.DState + l.DConv) }

// Saved is the inner features and their gates, what the convolution gives
// before and after its activation, step sizes, B and C, and what is projected
// out. The states are not kept: a fused kernel computes them again.
func (l *mamba) Saved(c *Call, out shape.Tensor) *big.Int {
	b, n := out.BatchSize(), tokens(out)
	return addBig(product(6, b, n, l.inner), product(b, n, l.DtRank+2*l.DState))
}

// mamba2 is the block of Mamba-2, with the norm behind its gate and without
// that in front of it.
type mamba2 struct {
	EmbedDim  int64   `json:"embedDim" alias:"hiddenDim,dModel,dim" min:"1" unit:"features" default:"incoming width" doc:"width of the input and of the output"`
	DState    int64   `json:"dState" min:"1" unit:"features" doc:"state of each inner feature"`
	Expand    int64   `json:"expand" min:"1" doc:"inner width as a multiple of embedDim"`
	DConv     int64   `json:"dConv" min:"1" unit:"tokens" doc:"length of the convolution"`
	HeadDim   int64   `json:"headDim" min:"1" unit:"features" doc:"inner features of a head, which decay alike"`
	NumGroups int64   `json:"numGroups" min:"1" unit:"groups" doc:"groups of heads; those of one are written and read by the same vectors, and normalised together"`
	ConvBias  bool    `json:"convBias" doc:"the convolution adds a learned constant"`
	Bias      bool    `json:"bias" doc:"in_proj and out_proj add learned constants"`
	NormEps   float64 `json:"normEps" min:"0" doc:"added to the mean square of the norm"`
	Stored

	inner, heads  int64
	mixed         int64 // features that the convolution runs over: inner, and what is written and read
	projectedRows int64 // of in_proj
	state         int64 // the state space and the last inputs of the convolution
}

func (l *mamba2) Infer(c *Call) shape.Tensor {
	x := c.First()
	c.Width(x, &l.EmbedDim, "embedDim")
	l.inner = c.times(l.Expand, l.EmbedDim)
	if l.inner > 0 && l.inner%l.HeadDim != 0 {
		c.Report(HeadsDivide, "headDim", "an inner width of %d does not divide into heads of %d", l.inner, l.HeadDim).Fix =
			fmt.Sprintf("choose a divisor of %d", l.inner)
	}
	l.heads = l.inner / l.HeadDim
	divides(c, "numGroups", l.NumGroups, l.heads, "heads")
	states := c.times(2, l.NumGroups, l.DState)
	if l.inner > 0 && states > 0 {
		l.mixed = c.plus(l.inner, states)
		l.projectedRows = c.plus(l.inner, l.mixed, l.heads)
		l.state = c.plus(c.times(l.inner, l.DState), c.times(l.mixed, l.DConv))
	}
	if !c.sequence(x) {
		return shape.Unknown
	}
	c.Layout(x)
	return x.AsSequence().WithWidth(l.EmbedDim)
}

func (l *mamba2) Weights() []Tensor {
	w := l.proj("in_proj", l.projectedRows, l.EmbedDim, l.Bias)
	w = append(w, l.tensor("conv1d", "weight", l.mixed, 1, l.DConv))
	if l.ConvBias {
		w = append(w, l.tensor("conv1d", "bias", l.mixed))
	}
	w = append(w, l.own("dt_bias", l.heads), l.own("A_log", l.heads), l.own("D", l.heads))
	w = append(w, l.norm("norm", false, l.inner)...)
	return append(w, l.proj("out_proj", l.EmbedDim, l.inner, l.Bias)...)
}

// Work is the projections and the convolution, which PyTorch's module pads by
// dConv − 1 steps. The recurrence is element-wise: five operations for each
// number of the state, to decay, to update and to read it.
func (l *mamba2) Work(c *Call, out shape.Tensor) Work {
	b, n := out.BatchSize(), tokens(out)
	w := MACs(b, n, l.EmbedDim, l.projectedRows)
	w = w.Plus(MACs(b, n, l.mixed, l.DConv)).Plus(MACs(b, l.DConv-1, l.mixed, l.DConv))
	w = w.Plus(MACs(b, n, l.inner, l.EmbedDim))
	return w.Plus(Work{Elem: product(5, b, n, l.inner, l.DState)})
}

func (l *mamba2) State() int64 { return l.state }

// Saved is the gates, what enters the convolution and what it gives before and
// after its activation, step sizes, what the recurrence gives, what is
// normalised and what is projected out. The states are not kept: a fused kernel
// computes them again.
func (l *mamba2) Saved(c *Call, out shape.Tensor) *big.Int {
	b, n := out.BatchSize(), tokens(out)
	kept := addBig(product(4, b, n, l.inner), product(3, b, n, l.mixed))
	return kept.Add(kept, product(b, n, l.heads))
}

// rwkvTimeMix is the attention of RWKV-4 (Peng et al., 2023).
type rwkvTimeMix struct {
	EmbedDim int64 `json:"embedDim" alias:"hiddenDim,dModel,dim" min:"1" unit:"features" default:"incoming width" doc:"width of the input and of the output"`
	InnerDim int64 `json:"innerDim" min:"1" unit:"features" default:"embedDim" doc:"width of keys, values and receptances"`
	Stored
}

func (l *rwkvTimeMix) Infer(c *Call) shape.Tensor {
	x := c.First()
	c.Width(x, &l.EmbedDim, "embedDim")
	if l.InnerDim == 0 {
		l.InnerDim = l.EmbedDim
	}
	if !c.sequence(x) {
		return shape.Unknown
	}
	c.Layout(x)
	return x.AsSequence().WithWidth(l.EmbedDim)
}

func (l *rwkvTimeMix) Weights() []Tensor {
	w := []Tensor{l.own("time_decay", l.InnerDim), l.own("time_first", l.InnerDim)}
	for _, name := range []string{"time_mix_key", "time_mix_value", "time_mix_receptance"} {
		w = append(w, l.own(name, 1, 1, l.EmbedDim))
	}
	for _, role := range []string{"key", "value", "receptance"} {
		w = append(w, l.matrix(role, l.InnerDim, l.EmbedDim))
	}
	return append(w, l.matrix("output", l.EmbedDim, l.InnerDim))
}

// Work is the four projections. The mixture takes three operations for each
// feature of keys, values and receptances; the average, in the form that does
// not overflow, 23 for each inner feature, and the gate two.
func (l *rwkvTimeMix) Work(c *Call, out shape.Tensor) Work {
	n := tokenCount(out)
	w := MACs(4, n, l.EmbedDim, l.InnerDim)
	return w.Plus(Work{Elem: addBig(product(9, n, l.EmbedDim), product(25, n, l.InnerDim))})
}

// State is the numerator and the denominator of the average, the largest
// exponent so far, and the last token.
func (l *rwkvTimeMix) State() int64 { return 3*l.InnerDim + l.EmbedDim }

// Saved is the three mixtures, keys, values and receptances, the average, and
// what is projected out. The states are not kept: a fused kernel computes them
// again.
func (l *rwkvTimeMix) Saved(c *Call, out shape.Tensor) *big.Int {
	n := tokenCount(out)
	return addBig(product(3, n, l.EmbedDim), product(5, n, l.InnerDim))
}

// rwkvChannelMix is the feed-forward network of RWKV-4 (Peng et al., 2023).
type rwkvChannelMix struct {
	EmbedDim int64 `json:"embedDim" alias:"hiddenDim,dModel,dim" min:"1" unit:"features" default:"incoming width" doc:"width of the input and of the output"`
	FFDim    int64 `json:"ffDim" alias:"dFf" min:"1" unit:"features" default:"4 · embedDim" doc:"inner width"`
	Stored
}

func (l *rwkvChannelMix) Infer(c *Call) shape.Tensor {
	x := c.First()
	c.Width(x, &l.EmbedDim, "embedDim")
	if l.FFDim == 0 {
		l.FFDim = c.times(4, l.EmbedDim)
	}
	if !c.sequence(x) {
		return shape.Unknown
	}
	c.Layout(x)
	return x.AsSequence().WithWidth(l.EmbedDim)
}

func (l *rwkvChannelMix) Weights() []Tensor {
	return []Tensor{
		l.own("time_mix_key", 1, 1, l.EmbedDim), l.own("time_mix_receptance", 1, 1, l.EmbedDim),
		l.matrix("key", l.FFDim, l.EmbedDim), l.matrix("receptance", l.EmbedDim, l.EmbedDim), l.matrix("value", l.EmbedDim, l.FFDim),
	}
}

// Work is the three projections; three operations for each feature of the two
// mixtures, two for each squared ReLU, and two for each feature of the gate.
func (l *rwkvChannelMix) Work(c *Call, out shape.Tensor) Work {
	n := tokenCount(out)
	w := MACs(2, n, l.EmbedDim, l.FFDim).Plus(MACs(n, l.EmbedDim, l.EmbedDim))
	return w.Plus(Work{Elem: addBig(product(8, n, l.EmbedDim), product(2, n, l.FFDim))})
}

// State is the last token.
func (l *rwkvChannelMix) State() int64 { return l.EmbedDim }

// Saved is the two mixtures, the gate and what it scales, and the inner
// features before and after their activation.
func (l *rwkvChannelMix) Saved(c *Call, out shape.Tensor) *big.Int {
	n := tokenCount(out)
	return addBig(product(4, n, l.EmbedDim), product(2, n, l.FFDim))
}
