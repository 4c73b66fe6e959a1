package layer

import (
	"math/big"

	"github.com/strata-catalog/strata/generator/shape"
)

const gatedWeights = "gate_proj and up_proj [intermediateSize, embedDim], down_proj [embedDim, intermediateSize]; fused, fusedGateLast: gate_up_proj [2 · intermediateSize, embedDim] for the first two"

const gatedWork = "3 · tokens · embedDim · intermediateSize, over the whole batch; 2 · tokens · intermediateSize element-wise operations"

var feedForwards = []*Type{
	declare(Type{
		Name: "feedForward", Display: "Feed-Forward", Part: FeedFwd, Ports: unary,
		Also: []string{"ff", "ffn", "mlp", "feedForwardNetwork", "positionwiseFeedForward"},
		Doc: Doc{
			Summary: "Two linear layers with an activation between them, applied to every token.",
			Shape:   "the shape of its input",
			Weights: "up_proj [ffDim, embedDim] and down_proj [embedDim, ffDim], with biases",
			Work:    "2 · tokens · embedDim · ffDim, over the whole batch; tokens · ffDim element-wise operations",
			Source:  "https://arxiv.org/abs/1706.03762",
			Examples: []Example{
				{Params: `{"hiddenDim": 768, "ffDim": 3072}`, In: []shape.Shape{{1, 512, 768}}},
				{Params: `{"activation": "gelu_new", "transposed": true, "names": {"up": "c_fc", "down": "c_proj"}}`, In: []shape.Shape{{1, 1024, 768}}},
				{Params: `{"embedDim": 512, "ffDim": 2048, "bias": false}`, In: []shape.Shape{{1, 512, 768}}},
			},
		},
	}, feedForward{Activation: "gelu", Bias: true}),
	declare(Type{
		Name: "swiglu", Display: "SwiGLU", Part: FeedFwd, Ports: unary,
		Also: []string{"swigluFFN", "swigluMLP", "llamaMLP"},
		Doc: Doc{
			Summary: "A feed-forward network in which a SiLU gate multiplies the inner activations.",
			Shape:   "the shape of its input",
			Weights: gatedWeights,
			Work:    gatedWork,
			Source:  "https://arxiv.org/abs/2002.05202",
			Examples: []Example{
				{Params: `{"embedDim": 4096, "intermediateSize": 14336}`, In: []shape.Shape{{1, 2048, 4096}}},
				{Params: `{"hiddenDim": 8192, "layout": "fused"}`, In: []shape.Shape{{1, 2048, 3072}}},
				{Params: `{"embedDim": 4096}`, In: []shape.Shape{{1, 2048, 4096}}},
			},
		},
	}, swiglu{gated{Layout: "split"}}),
	declare(Type{
		Name: "geglu", Display: "GEGLU", Part: FeedFwd, Ports: unary,
		Also: []string{"gegluFFN", "gegluMLP", "gemmaMLP"},
		Doc: Doc{
			Summary: "A feed-forward network in which a GELU gate multiplies the inner activations.",
			Shape:   "the shape of its input",
			Weights: gatedWeights,
			Work:    gatedWork,
			Source:  "https://arxiv.org/abs/2002.05202",
			Examples: []Example{
				{Params: `{"dim": 768, "hiddenDim": 1152, "layout": "fused", "names": {"gate_up": "Wi", "down": "Wo"}}`, In: []shape.Shape{{1, 512, 768}}},
				{Params: `{"dim": 320, "hiddenDim": 1280, "bias": true, "layout": "fusedGateLast", "names": {"gate_up": "net.0.proj", "down": "net.2"}}`, In: []shape.Shape{{1, 4096, 320}}},
				{Params: `{"dim": 768, "hiddenDim": 1152, "layout": "stacked"}`, In: []shape.Shape{{1, 512, 768}}},
			},
		},
	}, geglu{gated{Layout: "split"}, "none"}),
	declare(Type{
		Name: "seBlock", Display: "Squeeze-and-Excitation", Part: Convolution, Ports: unary,
		Also: []string{"seLayer", "seModule", "squeezeExcite", "squeezeExcitation", "squeezeAndExcitation"},
		Doc: Doc{
			Summary: "Scales each channel by a gate that is computed from the means of all channels.",
			Shape:   "the shape of its input",
			Weights: "fc1 [squeezeChannels, channels, 1, 1] and fc2 [channels, squeezeChannels, 1, 1], with biases",
			Work:    "2 · batch · channels · squeezeChannels; two element-wise operations for each element of the output",
			Source:  "https://pytorch.org/vision/stable/generated/torchvision.ops.SqueezeExcitation.html",
			Examples: []Example{
				{Params: `{"channels": 1152, "squeezeChannels": 48}`, In: []shape.Shape{{1, 1152, 7, 7}}, Channels: true},
				{Params: `{"reduction": 4}`, In: []shape.Shape{{1, 240, 28, 28}}, Channels: true},
				{Params: `{"squeezeChannels": 168, "gate": "hardsigmoid"}`, In: []shape.Shape{{1, 672, 14, 14}}, Channels: true},
				{Params: `{"channels": 96}`, In: []shape.Shape{{1, 240, 28, 28}}, Channels: true},
			},
		},
	}, seBlock{Reduction: 16, Activation: "relu", Gate: "sigmoid"}),
}

// feedForward is the network of the original Transformer.
type feedForward struct {
	EmbedDim   int64   `json:"embedDim" alias:"hiddenDim,dModel,dim" min:"1" unit:"features" default:"incoming width" doc:"width of the input and of the output"`
	FFDim      int64   `json:"ffDim" alias:"dFf" min:"1" unit:"features" default:"4 · embedDim" doc:"inner width"`
	Activation string  `json:"activation" enum:"gelu,gelu_new,gelu_pytorch_tanh,quick_gelu,relu,relu2,relu6,leaky_relu,elu,selu,silu,swish,mish,tanh,sigmoid,linear" doc:"activation between the two layers, by its name in Hugging Face's configurations"`
	Bias       bool    `json:"bias" doc:"add a learned constant to each feature"`
	Dropout    float64 `json:"dropout" min:"0" below:"1" doc:"share of the inner activations that training drops"`
	Stored
}

func (l *feedForward) Infer(c *Call) shape.Tensor {
	x := c.First()
	c.Width(x, &l.EmbedDim, "embedDim")
	if l.FFDim == 0 {
		l.FFDim = c.times(4, l.EmbedDim)
	}
	c.Layout(x)
	return x.WithWidth(l.EmbedDim)
}

func (l *feedForward) Weights() []Tensor { return l.mlp(l.EmbedDim, l.FFDim, false, false, l.Bias) }

func (l *feedForward) Work(c *Call, out shape.Tensor) Work {
	return mlpWork(out, l.EmbedDim, l.FFDim, false)
}

// Saved is the inner activations before and after the activation.
func (l *feedForward) Saved(c *Call, out shape.Tensor) *big.Int { return mlpSaved(out, l.FFDim, false) }

// mlpWork is the two or three matrix products of a feed-forward network of
// width i for every token of x; the activation, and the gate, are element-wise.
func mlpWork(x shape.Tensor, d, i int64, gated bool) Work {
	n := tokenCount(x)
	w := MACs(n, 2, d, i)
	w.Elem = product(n, i)
	if gated {
		w = MACs(n, 3, d, i)
		w.Elem = product(n, 2, i)
	}
	return w
}

// mlpSaved is what a feed-forward network keeps: its inner activations before
// and after the activation, and with a gate also what the gate multiplies.
func mlpSaved(x shape.Tensor, i int64, gated bool) *big.Int {
	kept := int64(2)
	if gated {
		kept = 3
	}
	return product(tokenCount(x), kept, i)
}

// tokenCount is the number of feature vectors in a tensor, over all its axes.
func tokenCount(x shape.Tensor) int64 {
	n := int64(1)
	for i, d := range x.Dims {
		if i != x.Feature {
			n, _ = shape.Mul(n, d)
		}
	}
	return n
}

// gated is a feed-forward network with a gate.
type gated struct {
	EmbedDim         int64  `json:"embedDim" alias:"dim,dModel" min:"1" unit:"features" default:"incoming width" doc:"width of the input and of the output"`
	IntermediateSize int64  `json:"intermediateSize" alias:"hiddenDim" min:"1" unit:"features" required:"true" doc:"inner width"`
	Bias             bool   `json:"bias" doc:"add a learned constant to each feature"`
	Layout           string `json:"layout" enum:"split,fused,fusedGateLast" doc:"whether the gate has a matrix of its own, or is the upper half of one, or the lower half as in diffusers"`
	Stored
}

func (l *gated) Infer(c *Call) shape.Tensor {
	x := c.First()
	c.Width(x, &l.EmbedDim, "embedDim")
	c.Layout(x)
	return x.WithWidth(l.EmbedDim)
}

func (l *gated) Weights() []Tensor {
	return l.mlp(l.EmbedDim, l.IntermediateSize, true, l.fused(), l.Bias)
}

// fused reports whether the gate and what it multiplies are one matrix.
func (l *gated) fused() bool { return l.Layout != "split" }

func (l *gated) Work(c *Call, out shape.Tensor) Work {
	return mlpWork(out, l.EmbedDim, l.IntermediateSize, true)
}

// Saved is the gate before its activation, what it multiplies, and the product.
func (l *gated) Saved(c *Call, out shape.Tensor) *big.Int {
	return mlpSaved(out, l.IntermediateSize, true)
}

// swiglu is the network of Llama.
type swiglu struct{ gated }

// geglu is the network of Gemma and ModernBERT.
type geglu struct {
	gated
	Approximate string `json:"approximate" enum:"none,tanh" doc:"how GELU is computed"`
}

// seBlock is torchvision.ops.SqueezeExcitation.
type seBlock struct {
	Channels        int64  `json:"channels" min:"1" unit:"channels" default:"incoming channels" doc:"channels of the input"`
	Reduction       int64  `json:"reduction" min:"1" doc:"by how much the channels shrink in between"`
	SqueezeChannels int64  `json:"squeezeChannels" min:"1" unit:"channels" default:"channels / reduction, at least 1" doc:"channels in between"`
	Activation      string `json:"activation" enum:"relu,silu" doc:"activation between the two layers; EfficientNet has silu"`
	Gate            string `json:"gate" enum:"sigmoid,hardsigmoid" doc:"what turns the result into a factor; MobileNetV3 has hardsigmoid"`
	renamed
}

func (l *seBlock) Infer(c *Call) shape.Tensor {
	x := asImage(c.First())
	c.Width(x, &l.Channels, "channels")
	if l.SqueezeChannels == 0 && l.Channels > 0 {
		l.SqueezeChannels = max(1, l.Channels/l.Reduction)
	}
	return x.WithWidth(l.Channels)
}

func (l *seBlock) Weights() []Tensor {
	s := Stored{Names: l.Names}
	return []Tensor{
		s.tensor("fc1", "weight", l.SqueezeChannels, l.Channels, 1, 1), s.tensor("fc1", "bias", l.SqueezeChannels),
		s.tensor("fc2", "weight", l.Channels, l.SqueezeChannels, 1, 1), s.tensor("fc2", "bias", l.Channels),
	}
}

// Work is the two layers on one vector for each image; taking the means and
// scaling are element-wise.
func (l *seBlock) Work(c *Call, out shape.Tensor) Work {
	return MACs(2, out.BatchSize(), l.Channels, l.SqueezeChannels).Plus(Elementwise(out.Dims, 2))
}
