package layer

import (
	"fmt"

	"github.com/strata-catalog/strata/generator/shape"
)

var norms = []*Type{
	declare(Type{
		Name: "layerNorm", Display: "LayerNorm", Part: Norm, Ports: unary,
		Also: []string{"ln", "layerNormalization"},
		Doc: Doc{
			Summary: "Normalises the features of each position to mean 0 and variance 1.",
			Shape:   "the shape of its input",
			Weights: "weight and bias [normalizedShape]; none with affine false",
			Work:    elementWork,
			Source:  "https://pytorch.org/docs/stable/generated/torch.nn.LayerNorm.html",
			Examples: []Example{
				{Params: `{}`, In: []shape.Shape{{1, 197, 768}}},
				{Params: `{"normalizedShape": 512}`, In: []shape.Shape{{1, 197, 768}}},
			},
		},
	}, layerNorm{Bias: true, Affine: true, Eps: 1e-5}),
	declare(Type{
		Name: "rmsNorm", Display: "RMSNorm", Part: Norm, Ports: unary,
		Also: []string{"rmsNormalization", "rootMeanSquareNorm", "llamaRMSNorm", "t5LayerNorm"},
		Doc: Doc{
			Summary:  "Divides the features of each position by their root mean square.",
			Shape:    "the shape of its input",
			Weights:  "weight [normalizedShape]",
			Work:     elementWork,
			Source:   "https://pytorch.org/docs/stable/generated/torch.nn.RMSNorm.html",
			Examples: []Example{{Params: `{"normalizedShape": 4096}`, In: []shape.Shape{{1, 2048, 4096}}}},
		},
	}, rmsNorm{Affine: true, Eps: 1e-6}),
	declare(Type{
		Name: "batchNorm", Display: "BatchNorm", Part: Norm, Ports: unary,
		Also: []string{"bn", "batchNorm1d", "batchNorm2d", "batchNorm3d", "batchNormalization", "syncBatchNorm"},
		Doc: Doc{
			Summary: "Normalises each channel over the batch.",
			Shape:   "the shape of its input",
			Weights: "weight and bias [channels]; running mean, running variance and the batch count are buffers; frozen: all are buffers, and there is no count",
			Work:    elementWork,
			Source:  "https://pytorch.org/docs/stable/generated/torch.nn.BatchNorm2d.html",
			Examples: []Example{
				{Params: `{}`, In: []shape.Shape{{1, 64, 56, 56}}, Channels: true},
				{Params: `{"frozen": true}`, In: []shape.Shape{{1, 64, 200, 200}}, Channels: true},
			},
		},
	}, batchNorm{Affine: true, Eps: 1e-5}),
	declare(Type{
		Name: "groupNorm", Display: "GroupNorm", Part: Norm, Ports: unary,
		Also: []string{"gn", "groupNormalization"},
		Doc: Doc{
			Summary: "Normalises groups of channels of each sample.",
			Shape:   "the shape of its input",
			Weights: "weight and bias [channels]",
			Work:    elementWork,
			Source:  "https://pytorch.org/docs/stable/generated/torch.nn.GroupNorm.html",
			Examples: []Example{
				{Params: `{"numGroups": 32}`, In: []shape.Shape{{1, 320, 64, 64}}, Channels: true},
				{Params: `{"numGroups": 32}`, In: []shape.Shape{{1, 48, 8, 8}}, Channels: true},
			},
		},
	}, groupNorm{Affine: true, Eps: 1e-5}),
	declare(Type{
		Name: "l2Norm", Display: "L2 Normalize", Part: Norm, Ports: unary,
		Also: []string{"l2Normalize", "l2Normalization", "normalize"},
		Doc: Doc{
			Summary:  "Divides the features of each position by their Euclidean length, so that products become cosines.",
			Shape:    "the shape of its input",
			Work:     elementWork,
			Source:   "https://pytorch.org/docs/stable/generated/torch.nn.functional.normalize.html",
			Examples: []Example{{Params: `{}`, In: []shape.Shape{{1, 768}}}},
		},
	}, l2Norm{Eps: 1e-12}),
}

// normShape settles a normalized shape: one width, or the sizes of the last axes.
func normShape(c *Call, x shape.Tensor, declared *Sizes) {
	if len(*declared) <= 1 {
		var d int64
		if len(*declared) == 1 {
			d = (*declared)[0]
		}
		c.Width(x, &d, "normalizedShape")
		*declared = Sizes{d}
		return
	}
	if !x.Known() {
		return
	}
	n := len(*declared)
	if n > x.Rank() || !shape.Shape(*declared).Equal(x.Dims[x.Rank()-n:]) {
		c.Report(WidthMismatch, "normalizedShape", "normalizedShape is %s, but %s arrives", shape.Shape(*declared).Brackets(), x.Dims.Brackets())
	}
}

// normed is the output: as wide as declared, where that is one width.
func normed(c *Call, x shape.Tensor, declared Sizes) shape.Tensor {
	if len(declared) != 1 {
		return x
	}
	c.Layout(x)
	return x.WithWidth(declared[0])
}

// single is the only size, 0 when there is none or there are several.
func (s Sizes) single() int64 {
	if len(s) != 1 {
		return 0
	}
	return s[0]
}

// channelAxis is the operand of a norm over channels. Where the graph put the
// axes in place itself, or nothing has decided what they are, PyTorch's axis 1
// has the channels; a declared number decides where it fits another axis alone:
// the feature axis, or the first of an image without a batch.
func channelAxis(c *Call, declared int64) shape.Tensor {
	x := c.First()
	open := x.Arranged || x.Batch == shape.Undecided
	if x.Rank() < 3 || !open {
		return x
	}
	at := func(axis int, batch shape.Batch) shape.Tensor {
		x.Feature = axis
		if x.Batch == shape.Undecided {
			x.Batch = batch
		}
		return x
	}
	switch {
	case declared == 0 && (x.Arranged || c.straight()):
		return at(1, shape.Batched)
	case declared == 0 || x.Dims[1] != declared && x.Width() == declared:
		return x
	case x.Dims[1] != declared && x.Dims[0] == declared && x.BatchAxes() == 0:
		return at(0, shape.Unbatched)
	}
	return at(1, shape.Batched)
}

// layerNorm is torch.nn.LayerNorm.
type layerNorm struct {
	NormalizedShape Sizes   `json:"normalizedShape" min:"1" unit:"features" default:"incoming width" doc:"width that is normalised, or the sizes of the last axes"`
	Bias            bool    `json:"bias" doc:"learn a constant for each feature"`
	Affine          bool    `json:"affine" doc:"learn a factor (and a constant) for each feature"`
	Eps             float64 `json:"eps" min:"0" doc:"added to the variance"`
	Stored
}

func (l *layerNorm) Infer(c *Call) shape.Tensor {
	x := fitting(c.First(), l.NormalizedShape.single())
	normShape(c, x, &l.NormalizedShape)
	return normed(c, x, l.NormalizedShape)
}

func (l *layerNorm) Weights() []Tensor {
	if !l.Affine {
		return nil
	}
	return affine(l.Stored, l.Bias, l.NormalizedShape...)
}

// affine is a factor and, if so, a constant of the given shape.
func affine(s Stored, bias bool, dims ...int64) []Tensor {
	w := []Tensor{s.own("weight", dims...)}
	if bias {
		w = append(w, s.own("bias", dims...))
	}
	return w
}

func (l *layerNorm) Work(c *Call, out shape.Tensor) Work { return Elementwise(out.Dims, 1) }

// rmsNorm is torch.nn.RMSNorm.
type rmsNorm struct {
	NormalizedShape Sizes   `json:"normalizedShape" min:"1" unit:"features" default:"incoming width" doc:"width that is normalised, or the sizes of the last axes"`
	Affine          bool    `json:"affine" doc:"learn a factor for each feature"`
	Eps             float64 `json:"eps" min:"0" doc:"added to the mean square"`
	UnitOffset      bool    `json:"unitOffset" doc:"the factor is 1 + weight, as in Gemma"`
	Stored
}

func (l *rmsNorm) Infer(c *Call) shape.Tensor {
	x := fitting(c.First(), l.NormalizedShape.single())
	normShape(c, x, &l.NormalizedShape)
	return normed(c, x, l.NormalizedShape)
}

func (l *rmsNorm) Weights() []Tensor {
	if !l.Affine {
		return nil
	}
	return affine(l.Stored, false, l.NormalizedShape...)
}

func (l *rmsNorm) Work(c *Call, out shape.Tensor) Work { return Elementwise(out.Dims, 1) }

// batchNorm is torch.nn.BatchNorm1d, 2d or 3d, by the rank of its input.
type batchNorm struct {
	NumFeatures int64   `json:"numFeatures" alias:"normalizedShape" min:"1" unit:"channels" default:"incoming channels" doc:"channels of the input"`
	Affine      bool    `json:"affine" doc:"learn a factor and a constant for each channel"`
	Frozen      bool    `json:"frozen" doc:"never trained and never updated: factor, constant and statistics are buffers, as in the backbones of torchvision's detectors"`
	Eps         float64 `json:"eps" min:"0" doc:"added to the variance"`
	Stored
}

func (l *batchNorm) Infer(c *Call) shape.Tensor {
	x := channelAxis(c, l.NumFeatures)
	c.Width(x, &l.NumFeatures, "numFeatures")
	return x.WithWidth(l.NumFeatures)
}

func (l *batchNorm) Weights() []Tensor {
	var w []Tensor
	if l.Affine {
		w = affine(l.Stored, true, l.NumFeatures)
	}
	for _, name := range []string{"running_mean", "running_var"} {
		w = append(w, Tensor{Name: name, Dims: shape.Shape{l.NumFeatures}, Buffer: true})
	}
	if l.Frozen {
		for i := range w {
			w[i].Buffer = true
		}
		return w
	}
	return append(w, Tensor{Name: "num_batches_tracked", Dims: shape.Shape{}, Buffer: true})
}

func (l *batchNorm) Work(c *Call, out shape.Tensor) Work { return Elementwise(out.Dims, 1) }

// groupNorm is torch.nn.GroupNorm.
type groupNorm struct {
	NumGroups   int64   `json:"numGroups" min:"1" unit:"groups" required:"true" doc:"groups that the channels are divided into"`
	NumChannels int64   `json:"numChannels" min:"1" unit:"channels" default:"incoming channels" doc:"channels of the input"`
	Affine      bool    `json:"affine" doc:"learn a factor and a constant for each channel"`
	Eps         float64 `json:"eps" min:"0" doc:"added to the variance"`
	Stored
}

func (l *groupNorm) Infer(c *Call) shape.Tensor {
	x := channelAxis(c, l.NumChannels)
	c.Width(x, &l.NumChannels, "numChannels")
	divides(c, "numGroups", l.NumGroups, l.NumChannels, "channels")
	return x.WithWidth(l.NumChannels)
}

// divides reports a number of groups that does not divide a width.
func divides(c *Call, param string, groups, width int64, what string) {
	if groups > 0 && width > 0 && width%groups != 0 {
		c.Report(GroupsDivide, param, "%d %s do not divide into %d groups", width, what, groups).Fix =
			fmt.Sprintf("choose a divisor of %d", width)
	}
}

func (l *groupNorm) Weights() []Tensor {
	if !l.Affine {
		return nil
	}
	return affine(l.Stored, true, l.NumChannels)
}

func (l *groupNorm) Work(c *Call, out shape.Tensor) Work { return Elementwise(out.Dims, 1) }

// l2Norm is torch.nn.functional.normalize over the features.
type l2Norm struct {
	pointwise
	Eps float64 `json:"eps" min:"0" doc:"the least length that features are divided by"`
}
