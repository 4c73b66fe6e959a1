package layer

import (
	"github.com/strata-catalog/strata/generator/shape"
)

var linears = []*Type{
	declare(Type{
		Name: "linear", Display: "Linear", Part: Linear, Ports: unary,
		Also: []string{"dense", "denseLayer", "fc", "fullyConnected", "linearLayer", "gemm", "innerProduct"},
		Doc: Doc{
			Summary: "Multiplies the feature axis by a learned matrix.",
			Shape:   "every axis but the feature axis stays; that one becomes outFeatures",
			Weights: "weight [out, in] and bias [out]",
			Work:    "elements of the output · inFeatures",
			Source:  "https://pytorch.org/docs/stable/generated/torch.nn.Linear.html",
			Examples: []Example{
				{Params: `{"outFeatures": 10}`, In: []shape.Shape{{1, 128, 64}}},
				{Params: `{"inFeatures": 64, "outFeatures": 10, "bias": false}`, In: []shape.Shape{{64}}},
				{Params: `{"inFeatures": 32, "outFeatures": 10}`, In: []shape.Shape{{1, 64}}},
			},
		},
	}, linear{Bias: true}),
	declare(Type{
		Name: "projection", Display: "Projection", Part: Linear, Ports: unary,
		Also: []string{"projector", "multimodalProjector"},
		Doc: Doc{
			Summary:  "A linear layer between two widths, as between a vision tower and a language model.",
			Shape:    "every axis but the feature axis stays; that one becomes outDim",
			Weights:  "weight [out, in] and bias [out]",
			Work:     "elements of the output · inDim",
			Source:   "https://pytorch.org/docs/stable/generated/torch.nn.Linear.html",
			Examples: []Example{{Params: `{"inDim": 1024, "outDim": 4096}`, In: []shape.Shape{{1, 576, 1024}}}},
		},
	}, projection{Bias: true}),
}

// linear is torch.nn.Linear.
type linear struct {
	InFeatures  int64  `json:"inFeatures" min:"1" unit:"features" default:"incoming width" doc:"width of the input"`
	OutFeatures int64  `json:"outFeatures" min:"1" unit:"features" required:"true" doc:"width of the output"`
	Bias        bool   `json:"bias" doc:"add a learned constant to each output feature"`
	TiedTo      string `json:"tiedTo" doc:"id of the component whose weight this layer shares"`
	Tied        bool   `json:"tied" doc:"share the weight of the first embedding of the same size"`
	Stored
}

func (l *linear) Infer(c *Call) shape.Tensor {
	x := fitting(c.First(), l.InFeatures)
	c.Width(x, &l.InFeatures, "inFeatures")
	c.Layout(x)
	return x.WithWidth(l.OutFeatures)
}

// fitting takes the last axis for the features, as PyTorch does, where a
// declared width fits that axis and not the feature axis: token mixing after a
// transpose.
func fitting(x shape.Tensor, declared int64) shape.Tensor {
	if last := x.Rank() - 1; declared > 0 && last >= 0 && x.Width() != declared && x.Dims[last] == declared {
		x.Feature = last
	}
	return x
}

func (l *linear) Weights() []Tensor {
	return linearWeights(l.Stored, l.OutFeatures, l.InFeatures, l.Bias)
}

// linearWeights are a plain module's: weight and bias, under no role.
func linearWeights(s Stored, out, in int64, bias bool) []Tensor {
	if s.Transposed {
		out, in = in, out
	}
	w := []Tensor{s.own("weight", out, in)}
	if s.Transposed {
		out = in
	}
	if bias {
		w = append(w, s.own("bias", out))
	}
	return w
}

// own names a tensor that stands directly below the component.
func (s Stored) own(name string, dims ...int64) Tensor {
	if n, ok := s.Names[name]; ok {
		name = n
	}
	return Tensor{Name: name, Dims: dims}
}

func (l *linear) Work(c *Call, out shape.Tensor) Work { return linearWork(out, l.InFeatures) }

// linearWork is one product of in for each element of the output.
func linearWork(out shape.Tensor, in int64) Work {
	return MACs(append([]int64{in}, out.Dims...)...)
}

// Ties names what the weight is shared with: a component, or any embedding of
// the same size.
func (l *linear) Ties() (id string, any bool) { return l.TiedTo, l.Tied }

// A Tier is a layer whose weight may be another component's.
type Tier interface{ Ties() (id string, any bool) }

// projection is torch.nn.Linear with the names of multimodal graphs.
type projection struct {
	InDim  int64 `json:"inDim" min:"1" unit:"features" default:"incoming width" doc:"width of the input"`
	OutDim int64 `json:"outDim" alias:"projDim" min:"1" unit:"features" required:"true" doc:"width of the output"`
	Bias   bool  `json:"bias" doc:"add a learned constant to each output feature"`
	Stored
}

func (l *projection) Infer(c *Call) shape.Tensor {
	x := fitting(c.First(), l.InDim)
	c.Width(x, &l.InDim, "inDim")
	c.Layout(x)
	return x.WithWidth(l.OutDim)
}

func (l *projection) Weights() []Tensor { return linearWeights(l.Stored, l.OutDim, l.InDim, l.Bias) }

func (l *projection) Work(c *Call, out shape.Tensor) Work { return linearWork(out, l.InDim) }
