package layer

import (
	"slices"

	"github.com/strata-catalog/strata/generator/shape"
)

const poolWork = "none; one element-wise operation for each element of each window"

var poolings = []*Type{
	declare(Type{
		Name: "maxpool1d", Display: "MaxPool1d", Part: Shaping, Ports: unary,
		Also: []string{"maxPooling1d"},
		Doc: Doc{
			Summary: "Keeps the largest value of each window of a sequence.",
			Shape:   "[C, L] or [B, C, L], features last as conv1d; L becomes ⌊(n + 2 · padding − dilation · (kernel − 1) − 1) / stride⌋ + 1, rounded up with ceilMode",
			Work:    poolWork,
			Source:  "https://pytorch.org/docs/stable/generated/torch.nn.MaxPool1d.html",
			Examples: []Example{
				{Params: `{"kernelSize": 2, "padding": 1, "ceilMode": true}`, In: []shape.Shape{{1, 8, 5}}, Channels: true},
				{Params: `{"kernelSize": 3, "dilation": 2}`, In: []shape.Shape{{1, 100, 64}}},
				{Params: `{"kernelSize": 3, "padding": 2}`, In: []shape.Shape{{1, 8, 9}}, Channels: true},
			},
		},
	}, maxPool{pool: pool{axes: 1}, Dilation: Sizes{1}}),
	declare(Type{
		Name: "maxpool2d", Display: "MaxPool2d", Part: Shaping, Ports: unary,
		Also: []string{"maxPooling2d"},
		Doc: Doc{
			Summary: "Keeps the largest value of each window of an image.",
			Shape:   "[C, H, W] or [B, C, H, W]; H and W change as L in maxpool1d",
			Work:    poolWork,
			Source:  "https://pytorch.org/docs/stable/generated/torch.nn.MaxPool2d.html",
			Examples: []Example{
				{Params: `{"kernelSize": 3, "stride": 2, "padding": 1}`, In: []shape.Shape{{1, 64, 112, 112}}},
				{Params: `{"kernelSize": 2}`, In: []shape.Shape{{64, 7, 7}}},
				{Params: `{"kernelSize": 9}`, In: []shape.Shape{{64, 7, 7}}},
			},
		},
	}, maxPool{pool: pool{axes: 2}, Dilation: Sizes{1}}),
	declare(Type{
		Name: "avgpool1d", Display: "AvgPool1d", Part: Shaping, Ports: unary,
		Also: []string{"avgPooling1d", "averagePool1d", "averagePooling1d"},
		Doc: Doc{
			Summary: "Averages each window of a sequence.",
			Shape:   "as maxpool1d, without dilation",
			Work:    poolWork,
			Source:  "https://pytorch.org/docs/stable/generated/torch.nn.AvgPool1d.html",
			Examples: []Example{
				{Params: `{"kernelSize": 4, "stride": 4, "padding": 2, "ceilMode": true}`, In: []shape.Shape{{1, 8, 9}}, Channels: true},
				{Params: `{"kernelSize": 25, "stride": 1, "padding": 12}`, In: []shape.Shape{{1, 96, 7}}},
			},
		},
	}, avgPool{pool: pool{axes: 1}, CountIncludePad: true}),
	declare(Type{
		Name: "avgpool2d", Display: "AvgPool2d", Part: Shaping, Ports: unary,
		Also: []string{"avgPooling2d", "averagePool2d", "averagePooling2d"},
		Doc: Doc{
			Summary: "Averages each window of an image.",
			Shape:   "as maxpool2d, without dilation",
			Work:    poolWork,
			Source:  "https://pytorch.org/docs/stable/generated/torch.nn.AvgPool2d.html",
			Examples: []Example{
				{Params: `{"kernelSize": [1, 75], "stride": [1, 15]}`, In: []shape.Shape{{1, 40, 1, 976}}},
				{Params: `{"kernelSize": 2}`, In: []shape.Shape{{1, 32}}},
			},
		},
	}, avgPool{pool: pool{axes: 2}, CountIncludePad: true}),
	declare(Type{
		Name: "adaptiveAvgPool1d", Display: "AdaptiveAvgPool1d", Part: Shaping, Ports: unary,
		Also: []string{"adaptiveAvgPooling1d", "adaptiveAveragePool1d", "adaptiveAveragePooling1d"},
		Doc: Doc{
			Summary: "Averages a sequence down, or up, to a given length.",
			Shape:   "[C, L] or [B, C, L], features last as conv1d; L becomes outputSize",
			Work:    reductionWork,
			Source:  "https://pytorch.org/docs/stable/generated/torch.nn.AdaptiveAvgPool1d.html",
			Examples: []Example{
				{Params: `{"outputSize": 5}`, In: []shape.Shape{{1, 64, 8}}, Channels: true},
				{Params: `{"outputSize": [5, 5]}`, In: []shape.Shape{{1, 64, 8}}, Channels: true},
			},
		},
	}, adaptivePool{axes: 1}),
	declare(Type{
		Name: "adaptiveAvgPool2d", Display: "AdaptiveAvgPool2d", Part: Shaping, Ports: unary,
		Also: []string{"adaptiveAvgPooling2d", "adaptiveAveragePool2d", "adaptiveAveragePooling2d"},
		Doc: Doc{
			Summary: "Averages an image down, or up, to a given size.",
			Shape:   "[C, H, W] or [B, C, H, W]; H and W become outputSize",
			Work:    reductionWork,
			Source:  "https://pytorch.org/docs/stable/generated/torch.nn.AdaptiveAvgPool2d.html",
			Examples: []Example{
				{Params: `{"outputSize": [5, 7]}`, In: []shape.Shape{{1, 64, 8, 9}}},
				{Params: `{"outputSize": 7}`, In: []shape.Shape{{512, 14, 14}}},
			},
		},
	}, adaptivePool{axes: 2}),
	declare(Type{
		Name: "globalAvgPool1d", Display: "Global AvgPool1d", Part: Shaping, Ports: unary,
		Also: []string{"globalAvgPooling1d", "globalAveragePool1d", "globalAveragePooling1d"},
		Doc: Doc{
			Summary: "Averages all positions of a sequence.",
			Shape:   "every axis that is neither batch nor feature goes; with keepDim it stays as 1",
			Work:    reductionWork,
			Source:  "https://pytorch.org/docs/stable/generated/torch.nn.AdaptiveAvgPool1d.html",
			Examples: []Example{
				{Params: `{}`, In: []shape.Shape{{1, 196, 768}}},
				{Params: `{"keepDim": true}`, In: []shape.Shape{{1, 64, 100}}, Channels: true},
				{Params: `{}`, In: []shape.Shape{{768}}},
			},
		},
	}, globalPool{axes: 1}),
	declare(Type{
		Name: "globalAvgPool2d", Display: "Global AvgPool2d", Part: Shaping, Ports: unary,
		Also: []string{"gap", "globalAvgPool", "globalAveragePool", "globalAvgPooling2d", "globalAveragePool2d", "globalAveragePooling2d"},
		Doc: Doc{
			Summary: "Averages all pixels of an image.",
			Shape:   "[C, H, W] or [B, C, H, W]; H and W go, with keepDim they stay as 1",
			Work:    reductionWork,
			Source:  "https://pytorch.org/docs/stable/generated/torch.nn.AdaptiveAvgPool2d.html",
			Examples: []Example{
				{Params: `{}`, In: []shape.Shape{{1, 2048, 7, 7}}},
				{Params: `{"keepDim": true}`, In: []shape.Shape{{2048, 7, 7}}},
				{Params: `{}`, In: []shape.Shape{{1, 2048}}},
			},
		},
	}, globalPool{axes: 2}),
	declare(Type{
		Name: "roiAlign", Display: "RoI Align", Part: Shaping, Ports: Ports{Min: 2},
		Also: []string{"multiScaleRoIAlign", "regionAlign"},
		Doc: Doc{
			Summary: "Cuts each box out of a feature map and samples it at a fixed number of positions. Operands are the maps, from fine to coarse, and behind them the boxes of one image as corners (x1, y1, x2, y2) in its pixels. With several maps the size of a box chooses one.",
			Shape:   "[boxes, channels, h, w] for an outputSize of h × w",
			Work:    "none; samplingRatio² element-wise operations for each element of the output",
			Source:  "https://pytorch.org/vision/stable/generated/torchvision.ops.MultiScaleRoIAlign.html",
			Examples: []Example{
				{Params: `{"outputSize": 7, "samplingRatio": 2, "strides": [4, 8]}`, In: []shape.Shape{{1, 256, 32, 32}, {1, 256, 16, 16}, {10, 4}}},
				{Params: `{"outputSize": [7, 14], "strides": 16}`, In: []shape.Shape{{64, 32, 32}, {10, 4}}},
				{Params: `{"outputSize": 7, "strides": [4, 8]}`, In: []shape.Shape{{1, 256, 32, 32}, {10, 4}}},
				{Params: `{"outputSize": 7, "strides": 16}`, In: []shape.Shape{{1, 256, 32, 32}, {10, 5}}},
			},
		},
	}, roiAlign{SamplingRatio: 2, CanonicalSize: 224, CanonicalLevel: 4}),
}

// pool is what the pooling layers with a window have in common.
type pool struct {
	axes       int
	KernelSize Sizes `json:"kernelSize" min:"1" unit:"elements" required:"true" doc:"extent of the window: one number, or one for each axis"`
	Stride     Sizes `json:"stride" min:"1" unit:"elements" default:"kernelSize" doc:"step from window to window"`
	Padding    Sizes `json:"padding" min:"0" unit:"elements" default:"0" doc:"elements added on both sides of each axis; at most half of kernelSize"`
	CeilMode   bool  `json:"ceilMode" doc:"round the number of windows up; the last one starts inside the input or its left padding"`
}

func (l *pool) infer(c *Call, dilation Sizes) shape.Tensor {
	if l.Stride == nil {
		l.Stride = l.KernelSize
	}
	s := sliding{axes: l.axes, ceil: l.CeilMode, KernelSize: l.KernelSize, Stride: l.Stride, Padding: Padding{Sides: l.Padding}, Dilation: dilation}
	x, along := c.spatial(l.axes, 0)
	if !s.check(c) || !l.half(c) || !x.Known() {
		return shape.Unknown
	}
	return s.slide(c, x, along)
}

// half reports padding of more than half of the window, which PyTorch refuses.
func (l *pool) half(c *Call) bool {
	for i := range l.axes {
		if p, k := l.Padding.At(i), l.KernelSize.At(i); p > k/2 {
			c.Report(BadParam, "padding", "padding is %d, must be at most half of kernelSize %d", p, k).Fix = "use less padding, or a larger kernel"
			return false
		}
	}
	return true
}

func (l *pool) Weights() []Tensor { return nil }

// Work is one operation for each element of each window.
func (l *pool) Work(c *Call, out shape.Tensor) Work {
	n := slices.Clone(out.Dims)
	for i := range l.axes {
		n = append(n, l.KernelSize.At(i))
	}
	return Elementwise(n, 1)
}

// maxPool is torch.nn.MaxPool1d or MaxPool2d.
type maxPool struct {
	pool
	Dilation Sizes `json:"dilation" min:"1" unit:"elements" doc:"distance between neighbours in the window"`
}

func (l *maxPool) Infer(c *Call) shape.Tensor { return l.infer(c, l.Dilation) }

// avgPool is torch.nn.AvgPool1d or AvgPool2d.
type avgPool struct {
	pool
	CountIncludePad bool `json:"countIncludePad" doc:"count the padding in the average"`
}

func (l *avgPool) Infer(c *Call) shape.Tensor { return l.infer(c, Sizes{1}) }

// adaptivePool is torch.nn.AdaptiveAvgPool1d or AdaptiveAvgPool2d.
type adaptivePool struct {
	axes       int
	OutputSize Sizes `json:"outputSize" min:"1" unit:"elements" required:"true" doc:"size of the output: one number, or one for each axis"`
}

func (l *adaptivePool) Infer(c *Call) shape.Tensor {
	x, along := c.spatial(l.axes, 0)
	if !perAxis(c, "outputSize", l.OutputSize, l.axes) || !x.Known() {
		return shape.Unknown
	}
	return resize(x, along, l.OutputSize.At)
}

// resize gives each of the axes its new size.
func resize(x shape.Tensor, along []int, size func(i int) int64) shape.Tensor {
	x.Dims = slices.Clone(x.Dims)
	for i, axis := range along {
		x.Dims[axis] = size(i)
	}
	return x
}

func (l *adaptivePool) Weights() []Tensor                   { return nil }
func (l *adaptivePool) Work(c *Call, out shape.Tensor) Work { return Elementwise(c.In[0].Dims, 1) }

// globalPool is torch.mean over the positions of a sequence or an image.
type globalPool struct {
	axes    int
	KeepDim bool `json:"keepDim" doc:"keep the averaged axes, with size 1"`

	along []int // axes that are averaged
}

func (l *globalPool) Infer(c *Call) shape.Tensor {
	if l.axes == 2 {
		x, along := c.spatial(2, 0)
		l.along = along
		return reduce(x, along, l.KeepDim)
	}
	x := c.First().AsSequence()
	if !x.Known() {
		return shape.Unknown
	}
	for axis := x.BatchAxes(); axis < x.Rank(); axis++ {
		if axis != x.Feature {
			l.along = append(l.along, axis)
		}
	}
	if l.along == nil {
		c.Report(RankMismatch, "", "averages the positions of a sequence, but %s has none", x.Dims.Brackets()).Fix = "remove it, or feed it a sequence"
		return shape.Unknown
	}
	return reduce(x, l.along, l.KeepDim)
}

func (l *globalPool) Weights() []Tensor                   { return nil }
func (l *globalPool) Work(c *Call, out shape.Tensor) Work { return Elementwise(c.In[0].Dims, 1) }

// roiAlign is torchvision.ops.MultiScaleRoIAlign for the boxes of one image.
type roiAlign struct {
	OutputSize     Sizes `json:"outputSize" min:"1" unit:"elements" required:"true" doc:"positions that a box is sampled at, as height and width"`
	Strides        Sizes `json:"strides" min:"1" unit:"pixels" required:"true" doc:"pixels of the image for each position of a map: one number for each map, each twice the one before"`
	SamplingRatio  int64 `json:"samplingRatio" min:"1" unit:"samples" doc:"samples along each axis that are averaged for one position"`
	CanonicalSize  int64 `json:"canonicalSize" min:"1" unit:"pixels" doc:"side of the boxes that are read from the map of canonicalLevel; one twice as large is read a level higher"`
	CanonicalLevel int64 `json:"canonicalLevel" min:"0" max:"30" doc:"level of the map whose stride is 2 to its power"`
}

func (l *roiAlign) Infer(c *Call) shape.Tensor {
	if !perAxis(c, "outputSize", l.OutputSize, 2) {
		return shape.Unknown
	}
	if len(c.In) < 2 {
		return shape.Unknown
	}
	maps, boxes := c.In[:len(c.In)-1], c.In[len(c.In)-1]
	if len(maps) != len(l.Strides) {
		c.Report(OperandCount, "strides", "there are %d strides, but %d maps arrive before the boxes", len(l.Strides), len(maps)).Fix =
			"give one stride for each map"
		return shape.Unknown
	}
	channels := int64(0)
	for i, x := range maps {
		if !x.Known() {
			return shape.Unknown
		}
		x = asImage(x)
		if x.Rank() != x.BatchAxes()+3 || x.BatchSize() != 1 {
			return c.Fail(RankMismatch, "", "map %d is %s, must be [channels, height, width] of one image", i+1, x.Dims.Brackets())
		}
		x.Feature = x.Rank() - 3
		if channels == 0 {
			channels = x.Width()
		}
		if x.Width() != channels {
			return c.Fail(WidthMismatch, "", "map %d has %d channels, the first one %d", i+1, x.Width(), channels)
		}
	}
	if !boxes.Known() {
		return shape.Unknown
	}
	if boxes.Rank() != 2 || boxes.Dims[1] != 4 {
		return c.Fail(RankMismatch, "", "the boxes are %s, must be [boxes, 4]", boxes.Dims.Brackets())
	}
	dims := shape.Shape{boxes.Dims[0], channels, l.OutputSize.At(0), l.OutputSize.At(1)}
	return shape.Tensor{Dims: dims, Feature: 1, Batch: shape.Batched}
}

func (l *roiAlign) Weights() []Tensor { return nil }

func (l *roiAlign) Work(c *Call, out shape.Tensor) Work {
	return Work{Elem: product(append(shape.Shape{l.SamplingRatio, l.SamplingRatio}, out.Dims...)...)}
}
