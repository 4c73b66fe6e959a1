package layer

import (
	"slices"

	"github.com/strata-catalog/strata/generator/shape"
)

var ends = []*Type{
	declare(Type{
		Name: "input", Display: "Input", Part: Ends, Ports: noInput, Source: true,
		Also: []string{"inputLayer", "placeholder"},
		Doc: Doc{
			Summary:  "Where data enter: token ids, an image, a waveform, features.",
			Shape:    "the declared shape, as declared",
			Work:     noWork,
			Source:   "https://pytorch.org/docs/stable/tensors.html",
			Examples: []Example{{Params: `{"shape": [1, 2048]}`}},
		},
	}, input{}),
	declare(Type{
		Name: "output", Display: "Output", Part: Ends, Ports: unary,
		Also: []string{"outputLayer"},
		Doc: Doc{
			Summary:  "Where a result leaves. It may feed on: it is the identity.",
			Shape:    "the shape of its input",
			Work:     noWork,
			Source:   "https://pytorch.org/docs/stable/generated/torch.nn.Identity.html",
			Examples: []Example{{Params: `{}`, In: []shape.Shape{{1, 10}}}},
		},
	}, output{}),
	declare(Type{
		Name: "parameter", Display: "Parameter", Part: Embedding, Ports: Ports{Min: 0, Max: 1}, Source: true, Position: true,
		Also: []string{"learnedParameter", "learnableParameter"},
		Doc: Doc{
			Summary: "A free learned tensor: a class token, a position table, a scale.",
			Shape:   "alone, its shape; with an input, what comes of adding it, joining it in front, or scaling by it; kept aside, the input as it is",
			Weights: "one tensor of the given shape, named like the component; a buffer where asked",
			Work:    "none; with an input, one element-wise operation for each element of the output, unless it is kept aside",
			Source:  "https://pytorch.org/docs/stable/generated/torch.nn.parameter.Parameter.html",
			Examples: []Example{
				{Params: `{"shape": [1, 197, 768], "mode": "add"}`, In: []shape.Shape{{1, 197, 768}}},
				{Params: `{"shape": [1, 1, 768], "mode": "concat"}`, In: []shape.Shape{{1, 196, 768}}},
				{Params: `{"shape": [768], "mode": "append"}`, In: []shape.Shape{{1, 196, 768}}},
				{Params: `{"shape": [], "mode": "scale"}`, In: []shape.Shape{{1, 10}}},
				{Params: `{"shape": [], "mode": "expScale"}`, In: []shape.Shape{{1, 10}}},
				{Params: `{"shape": [1, 768], "mode": "aside"}`, In: []shape.Shape{{1, 1369, 768}}},
				{Params: `{"shape": [1, 50265], "buffer": true}`, In: []shape.Shape{{1, 1024, 50265}}},
			},
		},
	}, parameter{Mode: "add"}),
}

// input is a placeholder of the traced forward pass.
type input struct {
	Shape shape.Shape `json:"shape" min:"1" required:"true" unit:"elements" doc:"size of each axis"`
}

// Infer takes the input for ids until a layer treats it as something else.
func (l *input) Infer(c *Call) shape.Tensor {
	x := shape.Last(l.Shape, shape.Undecided)
	x.IDs = true
	return x
}
func (l *input) Weights() []Tensor                   { return nil }
func (l *input) Work(c *Call, out shape.Tensor) Work { return Work{} }

// output is the identity.
type output struct {
	Shape shape.Shape `json:"shape" min:"1" unit:"elements" doc:"the shape that is expected here; checked, never trusted"`
}

func (l *output) Infer(c *Call) shape.Tensor {
	x := c.First()
	if x.Known() && l.Shape != nil && !l.Shape.Equal(x.Dims) {
		c.Report(DeclaredDiffers, "shape", "declares %s, but %s arrives", l.Shape.Brackets(), x.Dims.Brackets()).Fix =
			"correct the declared shape, or the layers before it"
	}
	return x
}
func (l *output) Weights() []Tensor                   { return nil }
func (l *output) Work(c *Call, out shape.Tensor) Work { return Work{} }

// parameter is torch.nn.Parameter, and how it enters.
type parameter struct {
	Shape shape.Shape `json:"shape" min:"1" required:"true" unit:"elements" doc:"size of each axis; [] for a scalar"`
	Mode  string      `json:"mode" enum:"add,concat,append,scale,expScale,aside" doc:"how it enters its input: added, joined in front or behind on the axis before the features, as a factor, as the logarithm of a factor, as CLIP's temperature does, or not at all, as a mask token that only pretraining puts in the place of patches"`

	Buffer bool `json:"buffer" doc:"it is stored, but never learned: a buffer, which is no parameter"`
}

func (l *parameter) Infer(c *Call) shape.Tensor {
	p := shape.Last(l.Shape, shape.Unbatched)
	if len(c.In) == 0 {
		if p.Rank() > 2 && l.Shape[0] == 1 {
			p.Batch = shape.Batched // rows for each sample, as a learned query is stored
		}
		return p
	}
	x := c.First()
	if !x.Known() || l.Mode == "aside" {
		return x
	}
	if l.joins() {
		x = x.AsSequence()
		p.Batch = x.Batch
		if x.Rank() > 0 {
			p.Feature = max(x.Feature-x.Rank()+p.Rank(), 0)
		}
		if len(p.Dims) <= len(x.Dims) && x.BatchAxes() == 1 {
			p = pad([]shape.Tensor{p, x})[0]
			p.Dims = p.Dims.With(0, x.Dims[0]) // expanded over the batch
		}
		axis, both := -2, []shape.Tensor{p, x}
		if l.Mode == "append" {
			slices.Reverse(both)
		}
		out, bad := concat(both, axis, x.BatchAxes())
		if bad != "" {
			return c.Fail(ConcatAxes, "shape", "%s", bad)
		}
		return out
	}
	dims, ok := shape.Broadcast(x.Dims, l.Shape)
	if !ok || !dims.Equal(x.Dims) {
		return c.Fail(Broadcast, "shape", "%s does not broadcast over %s", l.Shape.Brackets(), x.Dims.Brackets())
	}
	x.IDs = false
	return x
}

// joins reports that the tensor stands beside its input.
func (l *parameter) joins() bool { return l.Mode == "concat" || l.Mode == "append" }

// Weights has one tensor without a name of its own: it is the component's.
func (l *parameter) Weights() []Tensor {
	dims := l.Shape
	if dims == nil {
		dims = shape.Shape{}
	}
	return []Tensor{{Dims: dims, Buffer: l.Buffer}}
}

func (l *parameter) Work(c *Call, out shape.Tensor) Work {
	if len(c.In) == 0 || l.Mode == "aside" {
		return Work{}
	}
	return Elementwise(out.Dims, 1)
}
