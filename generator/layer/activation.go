package layer

import (
	"fmt"

	"github.com/strata-catalog/strata/generator/shape"
)

var activations = []*Type{
	declare(Type{
		Name: "relu", Display: "ReLU", Part: Activation, Ports: unary,
		Also: []string{"rectifiedLinearUnit"},
		Doc: Doc{
			Summary:  "max(0, x).",
			Shape:    "the shape of its input",
			Work:     elementWork,
			Source:   "https://pytorch.org/docs/stable/generated/torch.nn.ReLU.html",
			Examples: []Example{{Params: `{}`, In: []shape.Shape{{1, 64, 56, 56}}, Channels: true}},
		},
	}, inplace{}),
	declare(Type{
		Name: "relu6", Display: "ReLU6", Part: Activation, Ports: unary,
		Doc: Doc{
			Summary:  "min(max(0, x), 6).",
			Shape:    "the shape of its input",
			Work:     elementWork,
			Source:   "https://pytorch.org/docs/stable/generated/torch.nn.ReLU6.html",
			Examples: []Example{{Params: `{"inplace": true}`, In: []shape.Shape{{1, 32, 112, 112}}, Channels: true}},
		},
	}, inplace{}),
	declare(Type{
		Name: "leakyRelu", Display: "LeakyReLU", Part: Activation, Ports: unary,
		Also: []string{"lrelu"},
		Doc: Doc{
			Summary:  "x above 0, negativeSlope · x below.",
			Shape:    "the shape of its input",
			Work:     elementWork,
			Source:   "https://pytorch.org/docs/stable/generated/torch.nn.LeakyReLU.html",
			Examples: []Example{{Params: `{"negativeSlope": 0.2}`, In: []shape.Shape{{1, 64, 32, 32}}, Channels: true}},
		},
	}, leakyRelu{NegativeSlope: 0.01}),
	declare(Type{
		Name: "elu", Display: "ELU", Part: Activation, Ports: unary,
		Also: []string{"exponentialLinearUnit"},
		Doc: Doc{
			Summary:  "x above 0, alpha · (exp(x) − 1) below.",
			Shape:    "the shape of its input",
			Work:     elementWork,
			Source:   "https://pytorch.org/docs/stable/generated/torch.nn.ELU.html",
			Examples: []Example{{Params: `{}`, In: []shape.Shape{{1, 40, 1, 976}}, Channels: true}},
		},
	}, elu{Alpha: 1}),
	declare(Type{
		Name: "selu", Display: "SELU", Part: Activation, Ports: unary,
		Also: []string{"scaledExponentialLinearUnit"},
		Doc: Doc{
			Summary:  "An ELU whose two constants keep mean 0 and variance 1.",
			Shape:    "the shape of its input",
			Work:     elementWork,
			Source:   "https://pytorch.org/docs/stable/generated/torch.nn.SELU.html",
			Examples: []Example{{Params: `{}`, In: []shape.Shape{{1, 256}}}},
		},
	}, inplace{}),
	declare(Type{
		Name: "gelu", Display: "GELU", Part: Activation, Ports: unary,
		Also: []string{"gaussianErrorLinearUnit"},
		Doc: Doc{
			Summary: "x times the normal distribution's probability of a value below x.",
			Shape:   "the shape of its input",
			Work:    elementWork,
			Source:  "https://pytorch.org/docs/stable/generated/torch.nn.GELU.html",
			Examples: []Example{
				{Params: `{"approximate": "tanh"}`, In: []shape.Shape{{1, 1024, 3072}}},
				{Params: `{"approximate": "sigmoid"}`, In: []shape.Shape{{1, 1024, 3072}}},
			},
		},
	}, gelu{Approximate: "none"}),
	declare(Type{
		Name: "swish", Display: "Swish (SiLU)", Part: Activation, Ports: unary,
		Also: []string{"silu", "sigmoidLinearUnit"},
		Doc: Doc{
			Summary:  "x · sigmoid(x).",
			Shape:    "the shape of its input",
			Work:     elementWork,
			Source:   "https://pytorch.org/docs/stable/generated/torch.nn.SiLU.html",
			Examples: []Example{{Params: `{}`, In: []shape.Shape{{1, 96, 112, 112}}, Channels: true}},
		},
	}, inplace{}),
	declare(Type{
		Name: "mish", Display: "Mish", Part: Activation, Ports: unary,
		Doc: Doc{
			Summary:  "x · tanh(softplus(x)).",
			Shape:    "the shape of its input",
			Work:     elementWork,
			Source:   "https://pytorch.org/docs/stable/generated/torch.nn.Mish.html",
			Examples: []Example{{Params: `{}`, In: []shape.Shape{{1, 32, 416, 416}}, Channels: true}},
		},
	}, inplace{}),
	declare(Type{
		Name: "hardSwish", Display: "Hardswish", Part: Activation, Ports: unary,
		Also: []string{"hSwish", "hardSilu"},
		Doc: Doc{
			Summary:  "x · hardSigmoid(x).",
			Shape:    "the shape of its input",
			Work:     elementWork,
			Source:   "https://pytorch.org/docs/stable/generated/torch.nn.Hardswish.html",
			Examples: []Example{{Params: `{}`, In: []shape.Shape{{1, 16, 112, 112}}, Channels: true}},
		},
	}, inplace{}),
	declare(Type{
		Name: "hardSigmoid", Display: "Hardsigmoid", Part: Activation, Ports: unary,
		Also: []string{"hSigmoid"},
		Doc: Doc{
			Summary:  "x / 6 + 1 / 2, held between 0 and 1.",
			Shape:    "the shape of its input",
			Work:     elementWork,
			Source:   "https://pytorch.org/docs/stable/generated/torch.nn.Hardsigmoid.html",
			Examples: []Example{{Params: `{}`, In: []shape.Shape{{1, 16, 1, 1}}, Channels: true}},
		},
	}, inplace{}),
	declare(Type{
		Name: "sigmoid", Display: "Sigmoid", Part: Activation, Ports: unary,
		Also: []string{"logistic"},
		Doc: Doc{
			Summary:  "1 / (1 + exp(−x)).",
			Shape:    "the shape of its input",
			Work:     elementWork,
			Source:   "https://pytorch.org/docs/stable/generated/torch.nn.Sigmoid.html",
			Examples: []Example{{Params: `{}`, In: []shape.Shape{{1, 1}}}},
		},
	}, pointwise{}),
	declare(Type{
		Name: "tanh", Display: "Tanh", Part: Activation, Ports: unary,
		Also: []string{"hyperbolicTangent"},
		Doc: Doc{
			Summary:  "The hyperbolic tangent.",
			Shape:    "the shape of its input",
			Work:     elementWork,
			Source:   "https://pytorch.org/docs/stable/generated/torch.nn.Tanh.html",
			Examples: []Example{{Params: `{}`, In: []shape.Shape{{1, 3, 64, 64}}, Channels: true}},
		},
	}, pointwise{}),
	declare(Type{
		Name: "softcap", Display: "Soft Cap", Part: Activation, Ports: unary,
		Also: []string{"logitSoftcap", "tanhCap"},
		Doc: Doc{
			Summary: "cap · tanh(x / cap): bends values to stay within a bound, as Gemma 2 does with its logits.",
			Shape:   "the shape of its input",
			Work:    elementWork,
			Source:  "https://arxiv.org/abs/2408.00118",
			Examples: []Example{
				{Params: `{"cap": 30}`, In: []shape.Shape{{1, 2048, 256000}}},
				{Params: `{}`, In: []shape.Shape{{1, 2048, 256000}}},
			},
		},
	}, softcap{}),
	declare(Type{
		Name: "softmax", Display: "Softmax", Part: Activation, Ports: unary,
		Doc: Doc{
			Summary: "exp(x), divided by its sum along one axis.",
			Shape:   "the shape of its input",
			Work:    elementWork,
			Source:  "https://pytorch.org/docs/stable/generated/torch.nn.Softmax.html",
			Examples: []Example{
				{Params: `{}`, In: []shape.Shape{{1, 1000}}},
				{Params: `{"dim": 2}`, In: []shape.Shape{{1, 1000}}},
			},
		},
	}, softmax{Dim: Opt{true, -1}}),
	declare(Type{
		Name: "logSoftmax", Display: "LogSoftmax", Part: Activation, Ports: unary,
		Doc: Doc{
			Summary:  "The logarithm of softmax, computed stably.",
			Shape:    "the shape of its input",
			Work:     elementWork,
			Source:   "https://pytorch.org/docs/stable/generated/torch.nn.LogSoftmax.html",
			Examples: []Example{{Params: `{"dim": 1}`, In: []shape.Shape{{1, 10}}}},
		},
	}, softmax{Dim: Opt{true, -1}}),
	declare(Type{
		Name: "softplus", Display: "Softplus", Part: Activation, Ports: unary,
		Doc: Doc{
			Summary:  "log(1 + exp(beta · x)) / beta, and x itself beyond the threshold.",
			Shape:    "the shape of its input",
			Work:     elementWork,
			Source:   "https://pytorch.org/docs/stable/generated/torch.nn.Softplus.html",
			Examples: []Example{{Params: `{}`, In: []shape.Shape{{1, 2048, 1536}}}},
		},
	}, softplus{Beta: 1, Threshold: 20}),
	declare(Type{
		Name: "glu", Display: "GLU", Part: Activation, Ports: unary,
		Also: []string{"gatedLinearUnit"},
		Doc: Doc{
			Summary: "Multiplies the first half of an axis by the sigmoid of the second.",
			Shape:   "axis dim becomes half as long",
			Work:    elementWork,
			Source:  "https://pytorch.org/docs/stable/generated/torch.nn.GLU.html",
			Examples: []Example{
				{Params: `{}`, In: []shape.Shape{{1, 128, 512}}},
				{Params: `{"dim": 1}`, In: []shape.Shape{{1, 512, 100}}, Channels: true},
				{Params: `{}`, In: []shape.Shape{{1, 128, 511}}},
			},
		},
	}, glu{Dim: Opt{true, -1}}),
	declare(Type{
		Name: "prelu", Display: "PReLU", Part: Activation, Ports: unary,
		Also: []string{"parametricRelu"},
		Doc: Doc{
			Summary: "x above 0, a learned slope times x below.",
			Shape:   "the shape of its input",
			Weights: "weight [numParameters]",
			Work:    elementWork,
			Source:  "https://pytorch.org/docs/stable/generated/torch.nn.PReLU.html",
			Examples: []Example{
				{Params: `{}`, In: []shape.Shape{{1, 80}}},
				{Params: `{"numParameters": 64}`, In: []shape.Shape{{1, 64, 32, 32}}, Channels: true},
				{Params: `{"numParameters": 64}`, In: []shape.Shape{{1, 32, 32, 32}}, Channels: true},
			},
		},
	}, prelu{NumParameters: 1, Init: 0.25}),
	declare(Type{
		Name: "dropout", Display: "Dropout", Part: Other, Ports: unary,
		Doc: Doc{
			Summary: "Sets random elements to zero in training; the identity in inference.",
			Shape:   "the shape of its input",
			Work:    identityWork,
			Source:  "https://pytorch.org/docs/stable/generated/torch.nn.Dropout.html",
			Examples: []Example{
				{Params: `{"p": 0.1}`, In: []shape.Shape{{1, 197, 768}}},
				{Params: `{"p": 1}`, In: []shape.Shape{{1, 197, 768}}},
			},
		},
	}, dropout{P: 0.5}),
	declare(Type{
		Name: "dropPath", Display: "DropPath", Part: Other, Ports: unary,
		Also: []string{"stochasticDepth"},
		Doc: Doc{
			Summary:  "Skips a residual branch for random samples in training; the identity in inference.",
			Shape:    "the shape of its input",
			Work:     identityWork,
			Source:   "https://arxiv.org/abs/1603.09382",
			Examples: []Example{{Params: `{"p": 0.2}`, In: []shape.Shape{{1, 197, 768}}}},
		},
	}, dropPath{ScaleByKeep: true}),
	declare(Type{
		Name: "layerScale", Display: "LayerScale", Part: Other, Ports: unary,
		Doc: Doc{
			Summary: "Multiplies each feature by a learned factor, small at first.",
			Shape:   "the shape of its input",
			Weights: "weight [dim]",
			Work:    elementWork,
			Source:  "https://arxiv.org/abs/2103.17239",
			Examples: []Example{
				{Params: `{}`, In: []shape.Shape{{1, 197, 768}}},
				{Params: `{"dim": 96}`, In: []shape.Shape{{1, 192, 28, 28}}, Channels: true},
			},
		},
	}, layerScale{InitValue: 1e-5}),
	declare(Type{
		Name: "scale", Display: "Scale", Part: Other, Ports: unary,
		Also: []string{"constantFactor", "multiplyByConstant"},
		Doc: Doc{
			Summary: "Multiplies by a constant that is not learned, as Granite does with what a layer adds.",
			Shape:   "the shape of its input",
			Work:    elementWork,
			Source:  "https://pytorch.org/docs/stable/generated/torch.mul.html",
			Examples: []Example{
				{Params: `{"factor": 0.22}`, In: []shape.Shape{{1, 2048, 4096}}},
				{Params: `{}`, In: []shape.Shape{{1, 2048, 4096}}},
			},
		},
	}, scale{}),
}

// pointwise keeps the shape, learns nothing and costs one operation an element.
type pointwise struct{}

func (pointwise) Infer(c *Call) shape.Tensor          { return values(c.First()) }
func (pointwise) Weights() []Tensor                   { return nil }
func (pointwise) Work(c *Call, out shape.Tensor) Work { return Elementwise(out.Dims, 1) }

// values is a tensor of computed values: whatever it was, it holds no ids now.
func values(x shape.Tensor) shape.Tensor {
	x.IDs = false
	return x
}

// inplace is an activation without parameters of its own.
type inplace struct {
	pointwise
	Inplace bool `json:"inplace" doc:"overwrite the input"`
}

// leakyRelu is torch.nn.LeakyReLU.
type leakyRelu struct {
	inplace
	NegativeSlope float64 `json:"negativeSlope" doc:"slope below 0"`
}

// elu is torch.nn.ELU.
type elu struct {
	inplace
	Alpha float64 `json:"alpha" doc:"minus the limit far below 0"`
}

// gelu is torch.nn.GELU.
type gelu struct {
	pointwise
	Approximate string `json:"approximate" enum:"none,tanh" doc:"how the normal distribution is computed"`
}

// softplus is torch.nn.Softplus.
type softplus struct {
	pointwise
	Beta      float64 `json:"beta" doc:"sharpness of the bend"`
	Threshold float64 `json:"threshold" doc:"beta · x beyond which it is x itself"`
}

// softcap is the bound of Gemma 2 (2024), which its scores have as well.
type softcap struct {
	pointwise
	Cap float64 `json:"cap" min:"0" required:"true" doc:"the bound that values approach on both sides"`
}

// softmax is torch.nn.Softmax or LogSoftmax.
type softmax struct {
	pointwise
	Dim Opt `json:"dim" alias:"axis" unit:"axis" doc:"axis along which the results add up to 1"`
}

func (l *softmax) Infer(c *Call) shape.Tensor {
	x := c.First()
	if _, ok := c.axis(x, l.Dim.V, "dim"); !ok {
		return shape.Unknown
	}
	return values(x)
}

// glu is torch.nn.GLU.
type glu struct {
	pointwise
	Dim Opt `json:"dim" alias:"axis" unit:"axis" doc:"axis that is halved"`
}

func (l *glu) Infer(c *Call) shape.Tensor {
	x := c.First()
	axis, ok := c.axis(x, l.Dim.V, "dim")
	if !ok {
		return shape.Unknown
	}
	n := x.Dims[axis]
	if n%2 != 0 {
		c.Report(AxisRange, "dim", "axis %d of %s has %d elements, which is odd and cannot be halved", axis, x.Dims.Brackets(), n).Fix =
			"make that axis even, or name another dim"
		return shape.Unknown
	}
	return values(resize(x, []int{axis}, func(int) int64 { return n / 2 }))
}

// prelu is torch.nn.PReLU.
type prelu struct {
	pointwise
	NumParameters int64   `json:"numParameters" min:"1" unit:"slopes" doc:"learned slopes: 1, or one for each channel"`
	Init          float64 `json:"init" doc:"slope at the start of training"`
	renamed
}

func (l *prelu) Infer(c *Call) shape.Tensor {
	x := c.First()
	if w := x.Width(); w != 0 && l.NumParameters != 1 && l.NumParameters != w {
		p := c.Report(WidthMismatch, "numParameters", "numParameters is %d, must be 1 or the %d incoming channels", l.NumParameters, w)
		p.Fix, p.Replace = fmt.Sprintf("set it to 1 or to %d", w), fmt.Sprint(w)
	}
	return values(x)
}

func (l *prelu) Weights() []Tensor { return []Tensor{l.own("weight", l.NumParameters)} }

// identity keeps the shape and costs nothing in a forward pass for inference.
type identity struct{}

func (identity) Infer(c *Call) shape.Tensor          { return values(c.First()) }
func (identity) Weights() []Tensor                   { return nil }
func (identity) Work(c *Call, out shape.Tensor) Work { return Work{} }

// dropout is torch.nn.Dropout.
type dropout struct {
	identity
	P       float64 `json:"p" min:"0" below:"1" doc:"probability that an element is dropped"`
	Inplace bool    `json:"inplace" doc:"overwrite the input"`
}

// dropPath is stochastic depth (Huang et al., 2016), as timm.layers.DropPath.
type dropPath struct {
	identity
	P           float64 `json:"p" alias:"dropProb" min:"0" below:"1" default:"0" doc:"probability that a sample's branch is dropped"`
	ScaleByKeep bool    `json:"scaleByKeep" doc:"divide what is kept by its probability"`
}

// layerScale is timm.layers.LayerScale (Touvron et al., 2021).
type layerScale struct {
	pointwise
	Dim       int64   `json:"dim" min:"1" unit:"features" default:"incoming width" doc:"width of the input"`
	InitValue float64 `json:"initValue" doc:"factor at the start of training"`
	Inplace   bool    `json:"inplace" doc:"overwrite the input"`
	renamed
}

func (l *layerScale) Infer(c *Call) shape.Tensor {
	x := c.First()
	c.Width(x, &l.Dim, "dim")
	return values(x)
}

func (l *layerScale) Weights() []Tensor { return []Tensor{l.own("weight", l.Dim)} }

// scale is a product with a constant.
type scale struct {
	pointwise
	Factor float64 `json:"factor" required:"true" doc:"the constant"`
}
