package layer

import (
	"fmt"
	"math"
	"slices"

	"github.com/strata-catalog/strata/generator/shape"
)

var shapings = []*Type{
	declare(Type{
		Name: "flatten", Display: "Flatten", Part: Shaping, Ports: unary,
		Doc: Doc{
			Summary: "Folds neighbouring axes into one.",
			Shape:   "the axes from startDim to endDim become their product; by default all but a batch axis",
			Work:    noWork,
			Source:  "https://pytorch.org/docs/stable/generated/torch.nn.Flatten.html",
			Examples: []Example{
				{Params: `{}`, In: []shape.Shape{{1, 512, 7, 7}}, Channels: true},
				{Params: `{"startDim": 2}`, In: []shape.Shape{{1, 768, 14, 14}}, Channels: true},
				{Params: `{"startDim": 2, "endDim": 1}`, In: []shape.Shape{{1, 768, 14, 14}}, Channels: true},
			},
		},
	}, flatten{}),
	declare(Type{
		Name: "reshape", Display: "Reshape", Part: Shaping, Ports: unary,
		Also: []string{"view"},
		Doc: Doc{
			Summary: "Gives the same elements, in the same order, other axes.",
			Shape:   "the whole shape when it has as many elements, −1 standing for what is left; else the shape of one sample, and the batch axis is kept",
			Work:    noWork,
			Source:  "https://pytorch.org/docs/stable/generated/torch.reshape.html",
			Examples: []Example{
				{Params: `{"shape": [1, 196, 12, 64]}`, In: []shape.Shape{{1, 196, 768}}},
				{Params: `{"shape": [3, -1]}`, In: []shape.Shape{{8, 3, 4, 4}}, Channels: true},
				{Params: `{"shape": [3, 16]}`, In: []shape.Shape{{8, 3, 4, 4}}, Channels: true},
				{Params: `{"shape": [1, 1000]}`, In: []shape.Shape{{1, 512, 2, 2}}, Channels: true},
			},
		},
	}, reshape{}),
	declare(Type{
		Name: "permute", Display: "Permute", Part: Shaping, Ports: unary,
		Also: []string{"transpose"},
		Doc: Doc{
			Summary: "Puts the axes into another order.",
			Shape:   "axis i of the output is axis dims[i] of the input; without a batch axis, a leading 0 in dims may stand for it",
			Work:    noWork,
			Source:  "https://pytorch.org/docs/stable/generated/torch.permute.html",
			Examples: []Example{
				{Params: `{"dims": [0, 2, 3, 1]}`, In: []shape.Shape{{1, 96, 56, 56}}, Channels: true},
				{Params: `{"dims": [0, 2, 2]}`, In: []shape.Shape{{1, 196, 768}}},
			},
		},
	}, permute{}),
	declare(Type{
		Name: "squeeze", Display: "Squeeze", Part: Shaping, Ports: unary,
		Doc: Doc{
			Summary: "Removes axes of size 1.",
			Shape:   "the axes named in dim go where their size is 1; without dim, all such axes",
			Work:    noWork,
			Source:  "https://pytorch.org/docs/stable/generated/torch.squeeze.html",
			Examples: []Example{
				{Params: `{"dim": -1}`, In: []shape.Shape{{1, 64, 1}}},
				{Params: `{}`, In: []shape.Shape{{1, 64, 1, 1}}, Channels: true},
				{Params: `{"dim": 3}`, In: []shape.Shape{{1, 64, 1}}},
			},
		},
	}, squeeze{}),
	declare(Type{
		Name: "unsqueeze", Display: "Unsqueeze", Part: Shaping, Ports: unary,
		Also: []string{"expandDims"},
		Doc: Doc{
			Summary: "Inserts an axis of size 1.",
			Shape:   "axis dim of the output has size 1",
			Work:    noWork,
			Source:  "https://pytorch.org/docs/stable/generated/torch.unsqueeze.html",
			Examples: []Example{
				{Params: `{"dim": 1}`, In: []shape.Shape{{1, 1000, 80}}},
				{Params: `{"dim": 4}`, In: []shape.Shape{{1, 1000, 80}}},
			},
		},
	}, unsqueeze{}),
	declare(Type{
		Name: "split", Display: "Split", Part: Shaping, Ports: unary,
		Also: []string{"chunk"},
		Doc: Doc{
			Summary: "Cuts an axis into parts and yields one of them.",
			Shape:   "axis dim has the size of part index: splitSize elements each (the last may have fewer), or so many equal sections (the first may have one more), or the sizes of a list",
			Work:    noWork,
			Source:  "https://pytorch.org/docs/stable/generated/torch.split.html",
			Examples: []Example{
				{Params: `{"splitSize": 768, "dim": -1, "index": 2}`, In: []shape.Shape{{1, 1024, 2304}}},
				{Params: `{"sections": 3, "dim": 2, "index": 1}`, In: []shape.Shape{{1, 1024, 10}}},
				{Params: `{"splitSize": [4096, 1024, 1024], "dim": -1}`, In: []shape.Shape{{1, 128, 6144}}},
				{Params: `{"splitSize": 768, "dim": -1, "index": 3}`, In: []shape.Shape{{1, 1024, 2304}}},
			},
		},
	}, cut{}),
	declare(Type{
		Name: "pad", Display: "Pad", Part: Shaping, Ports: unary,
		Also: []string{"padding", "zeroPad", "zeroPad2d"},
		Doc: Doc{
			Summary: "Adds elements at the ends of axes, or cuts some off.",
			Shape:   "padding has a pair (before, after) for each axis, from the last one backwards; a negative number cuts",
			Work:    noWork,
			Source:  "https://pytorch.org/docs/stable/generated/torch.nn.functional.pad.html",
			Examples: []Example{
				{Params: `{"padding": [0, 1, 0, 2]}`, In: []shape.Shape{{1, 3, 32, 32}}, Channels: true},
				{Params: `{"padding": [-1, -1], "mode": "replicate"}`, In: []shape.Shape{{1, 8, 100}}, Channels: true},
				{Params: `{"padding": [4, 4], "mode": "reflect"}`, In: []shape.Shape{{1, 8, 4}}, Channels: true},
				{Params: `{"padding": [1]}`, In: []shape.Shape{{1, 3, 32, 32}}, Channels: true},
			},
		},
	}, padding{Mode: "constant"}),
	declare(Type{
		Name: "mean", Display: "Mean", Part: Shaping, Ports: Ports{Min: 1},
		Also: []string{"average", "reduceMean"},
		Doc: Doc{
			Summary: "Averages axes of one operand, or several operands with each other.",
			Shape:   "one operand: the axes of dim go (all of them without dim), with keepDim they stay as 1; several: the shape of one",
			Work:    "none; one element-wise operation for each element of each operand",
			Source:  "https://pytorch.org/docs/stable/generated/torch.mean.html",
			Examples: []Example{
				{Params: `{"dim": 1}`, In: []shape.Shape{{1, 196, 768}}},
				{Params: `{"dim": [2, 3], "keepDim": true}`, In: []shape.Shape{{1, 64, 7, 7}}, Channels: true},
				{Params: `{"dim": 0, "numInputs": 3}`, In: []shape.Shape{{1000, 64}, {1000, 64}, {1000, 64}}},
				{Params: `{}`, In: []shape.Shape{{1000, 64}, {1000, 32}}},
			},
		},
	}, mean{}),
	declare(Type{
		Name: "reduceSum", Display: "Reduce Sum", Part: Shaping, Ports: unary,
		Also: []string{"sumPooling", "sumOver"},
		Doc: Doc{
			Summary: "Adds up all elements along some axes.",
			Shape:   "the axes of dim go (all of them without dim); with keepDim they stay as 1",
			Work:    reductionWork,
			Source:  "https://pytorch.org/docs/stable/generated/torch.sum.html",
			Examples: []Example{
				{Params: `{"dim": 1}`, In: []shape.Shape{{1, 39, 16}}},
				{Params: `{"dim": 3}`, In: []shape.Shape{{1, 39, 16}}},
			},
		},
	}, reduceSum{}),
	declare(Type{
		Name: "matmul", Display: "MatMul", Part: Merge, Ports: Ports{Min: 2, Max: 2},
		Also: []string{"mm", "bmm", "batchMatmul", "matrixMultiply"},
		Doc: Doc{
			Summary: "Multiplies two computed matrices.",
			Shape:   "[…, n, k] · […, k, m] = […, n, m], the leading axes broadcast; a vector is a row on the left and a column on the right. Where that fails and the last axes are equal, the second is transposed",
			Work:    "elements of the output · length of the axis that is summed",
			Source:  "https://pytorch.org/docs/stable/generated/torch.matmul.html",
			Examples: []Example{
				{Params: `{}`, In: []shape.Shape{{1, 12, 197, 64}, {1, 12, 64, 197}}},
				{Params: `{"transposeB": true}`, In: []shape.Shape{{32, 768}, {48, 768}}},
				{Params: `{}`, In: []shape.Shape{{32, 768}, {48, 768}}},
				{Params: `{}`, In: []shape.Shape{{32, 768}, {48, 512}}},
			},
		},
	}, matmul{}),
	declare(Type{
		Name: "stack", Display: "Stack", Part: Merge, Ports: Ports{Min: 1},
		Doc: Doc{
			Summary: "Joins operands of one shape along a new axis.",
			Shape:   "axis dim of the output is new and counts the operands",
			Work:    noWork,
			Source:  "https://pytorch.org/docs/stable/generated/torch.stack.html",
			Examples: []Example{
				{Params: `{"dim": 1}`, In: []shape.Shape{{1, 64}, {1, 64}, {1, 64}}},
				{Params: `{}`, In: []shape.Shape{{1, 64}, {1, 32}}},
			},
		},
	}, stack{}),
	declare(Type{
		Name: "upsample", Display: "Upsample", Part: Shaping, Ports: unary,
		Also: []string{"upsampling", "upsampling2d"},
		Doc: Doc{
			Summary: "Enlarges a sequence, an image or a volume without learning.",
			Shape:   "each axis but batch and channels becomes size, or ⌊n · scaleFactor⌋",
			Work:    elementWork,
			Source:  "https://pytorch.org/docs/stable/generated/torch.nn.Upsample.html",
			Examples: []Example{
				{Params: `{"scaleFactor": 2, "mode": "nearest"}`, In: []shape.Shape{{1, 640, 32, 32}}, Channels: true},
				{Params: `{"size": [30, 40], "mode": "bilinear"}`, In: []shape.Shape{{64, 15, 20}}},
				{Params: `{"scaleFactor": 2, "mode": "bilinear"}`, In: []shape.Shape{{1, 64, 100}}, Channels: true},
			},
		},
	}, resample{Mode: "nearest"}),
	declare(Type{
		Name: "interpolate", Display: "Interpolate", Part: Shaping, Ports: unary,
		Also: []string{"resize"},
		Doc: Doc{
			Summary: "Samples a sequence, an image or a volume at another resolution.",
			Shape:   "as upsample; scaleFactor may be below 1",
			Work:    elementWork,
			Source:  "https://pytorch.org/docs/stable/generated/torch.nn.functional.interpolate.html",
			Examples: []Example{
				{Params: `{"scaleFactor": 0.5, "mode": "area"}`, In: []shape.Shape{{1, 64, 75, 75}}, Channels: true},
				{Params: `{}`, In: []shape.Shape{{1, 64, 75, 75}}, Channels: true},
			},
		},
	}, resample{Mode: "nearest"}),
	declare(Type{
		Name: "pixelShuffle", Display: "PixelShuffle", Part: Shaping, Ports: unary,
		Doc: Doc{
			Summary: "Turns channels into pixels.",
			Shape:   "[…, C · r², H, W] becomes […, C, H · r, W · r], r being upscaleFactor",
			Work:    noWork,
			Source:  "https://pytorch.org/docs/stable/generated/torch.nn.PixelShuffle.html",
			Examples: []Example{
				{Params: `{"upscaleFactor": 3}`, In: []shape.Shape{{1, 27, 32, 32}}},
				{Params: `{"upscaleFactor": 2}`, In: []shape.Shape{{1, 27, 32, 32}}},
			},
		},
	}, pixelShuffle{}),
	declare(Type{
		Name: "gather", Display: "Gather", Part: Shaping, Ports: Ports{Min: 2, Max: 2},
		Also: []string{"gatherElements", "takeAlongDim"},
		Doc: Doc{
			Summary: "Picks elements of the first operand at the indices of the second, along one axis.",
			Shape:   "the shape of the indices, which have as many axes and are no longer on any axis but dim",
			Work:    noWork,
			Source:  "https://pytorch.org/docs/stable/generated/torch.gather.html",
			Examples: []Example{
				{Params: `{"dim": 1}`, In: []shape.Shape{{1, 100, 64}, {1, 10, 64}}},
				{Params: `{"dim": 1}`, In: []shape.Shape{{1, 100, 64}, {1, 10, 65}}},
			},
		},
	}, gather{}),
	declare(Type{
		Name: "topK", Display: "TopK", Part: Shaping, Ports: unary,
		Doc: Doc{
			Summary: "Keeps the k largest values along one axis, sorted.",
			Shape:   "axis dim becomes k",
			Work:    reductionWork,
			Source:  "https://pytorch.org/docs/stable/generated/torch.topk.html",
			Examples: []Example{
				{Params: `{"k": 8}`, In: []shape.Shape{{1, 128, 64}}},
				{Params: `{"k": 65}`, In: []shape.Shape{{1, 128, 64}}},
			},
		},
	}, topK{Dim: Opt{true, -1}, Largest: true, Sorted: true}),
}

// moving is a layer that moves elements about: it learns nothing and computes
// nothing.
type moving struct{}

func (moving) Weights() []Tensor                   { return nil }
func (moving) Work(c *Call, out shape.Tensor) Work { return Work{} }

// leading is how many batch axes a declared axis counts. An undecided tensor
// is counted as it is shown, except that a single axis is no batch.
func leading(x shape.Tensor) int {
	if x.Batch == shape.Undecided && x.Rank() >= 2 {
		return 1
	}
	return x.BatchAxes()
}

// axis resolves a declared axis of an operand. It reports one that is none,
// and is silent on an unknown operand.
func (c *Call) axis(x shape.Tensor, d int64, param string) (axis int, ok bool) {
	if !x.Known() {
		return 0, false
	}
	rank := x.Rank()
	if axis, ok = axisOf(d, rank, leading(x)); ok {
		return axis, true
	}
	p := c.Report(AxisRange, param, "%s is %d, which is no axis of %s", param, d, x.Dims.Brackets())
	switch {
	case rank == 0:
		p.Fix = "a scalar has no axes; remove the layer"
	case leading(x) == 0:
		p.Fix = fmt.Sprintf("use %d to -1, or 1 to %d: a number that is not negative counts the batch axis, which is absent here", -rank, rank)
	default:
		p.Fix = fmt.Sprintf("use %d to %d", -rank, rank-1)
	}
	return 0, false
}

// axes resolves a list of declared axes, each of which stands there once. Nil
// names them all.
func (c *Call) axes(x shape.Tensor, dims shape.Shape) (along []int, ok bool) {
	if dims == nil {
		for i := range x.Rank() {
			along = append(along, i)
		}
		return along, true
	}
	seen := make([]bool, x.Rank())
	for _, d := range dims {
		axis, ok := c.axis(x, d, "dim")
		if !ok {
			return nil, false
		}
		if seen[axis] {
			c.Report(AxisRange, "dim", "dim is %s, which names axis %d twice", dims.Brackets(), axis).Fix = "name each axis once"
			return nil, false
		}
		seen[axis] = true
		along = append(along, axis)
	}
	return along, true
}

// reduce takes axes out of a tensor, or with keep leaves them with size 1. The
// feature axis is the last one when the old one goes.
func reduce(x shape.Tensor, along []int, keep bool) shape.Tensor {
	if !x.Known() {
		return shape.Unknown
	}
	x = values(x)
	if keep {
		return resize(x, along, func(int) int64 { return 1 })
	}
	gone := make([]bool, x.Rank())
	for _, axis := range along {
		gone[axis] = true
	}
	dims, feature := shape.Shape{}, -1
	for i, d := range x.Dims {
		if gone[i] {
			continue
		}
		if i == x.Feature {
			feature = len(dims)
		}
		dims = append(dims, d)
	}
	if feature < 0 {
		feature = max(len(dims)-1, 0)
	}
	if x.BatchAxes() == 1 && gone[0] {
		x.Batch = shape.Unbatched
	}
	x.Dims, x.Feature = dims, feature
	return x
}

// flatten is torch.nn.Flatten.
type flatten struct {
	moving
	StartDim Opt `json:"startDim" unit:"axis" default:"the axis after the batch" doc:"first axis to fold"`
	EndDim   Opt `json:"endDim" unit:"axis" default:"-1" doc:"last axis to fold"`
}

func (l *flatten) Infer(c *Call) shape.Tensor {
	x := c.First()
	if image(x) && c.straight() {
		x.Batch = shape.Unbatched
	}
	start, end, ok := l.span(c, x)
	if !ok {
		return shape.Unknown
	}
	if x.Batch == shape.Undecided && leading(x) == 1 {
		x.Batch = shape.Batched
	}
	if start > end && x.Rank() > 0 {
		return x
	}
	n, _ := x.Dims[start : end+1].Elems()
	dims := slices.Concat(x.Dims[:start], shape.Shape{n}, x.Dims[end+1:])
	if x.BatchAxes() == 1 && start == 0 && end > 0 {
		x.Batch = shape.Undecided
	}
	x.Dims = dims
	return arranged(x)
}

// image reports a raw input that can only be one image: three or four channels
// of a height and a width.
func image(x shape.Tensor) bool {
	return x.Batch == shape.Undecided && x.Rank() == 3 && (x.Dims[0] == 3 || x.Dims[0] == 4) && x.Dims[1] > 4 && x.Dims[2] > 4
}

// span is the range of axes to fold, empty when there is only a batch axis.
func (l *flatten) span(c *Call, x shape.Tensor) (start, end int, ok bool) {
	if !x.Known() {
		return 0, 0, false
	}
	start, end = leading(x), x.Rank()-1
	switch {
	case l.StartDim == Opt{true, 0}:
		start = 0
	case l.StartDim.Set:
		if start, ok = c.axis(x, l.StartDim.V, "startDim"); !ok {
			return 0, 0, false
		}
	}
	if l.EndDim.Set {
		if end, ok = c.axis(x, l.EndDim.V, "endDim"); !ok {
			return 0, 0, false
		}
	}
	if start > end && (l.StartDim.Set || l.EndDim.Set) {
		c.Report(AxisRange, "endDim", "the axes to fold run from %d to %d of %s", start, end, x.Dims.Brackets()).Fix = "choose a startDim that does not come after endDim"
		return 0, 0, false
	}
	return start, end, true
}

// reshape is torch.reshape.
type reshape struct {
	moving
	Shape shape.Shape `json:"shape" min:"-1" required:"true" unit:"elements" doc:"size of each axis, with or without the batch; one may be -1"`
}

func (l *reshape) Infer(c *Call) shape.Tensor {
	if !l.check(c) {
		return shape.Unknown
	}
	x := c.First()
	if !x.Known() {
		return shape.Unknown
	}
	n, _ := x.Dims.Elems()
	if dims, ok := fill(l.Shape, n); ok {
		return l.as(x, dims)
	}
	if leading(x) == 1 {
		if dims, ok := fill(l.Shape, n/x.Dims[0]); ok {
			return l.as(x, append(shape.Shape{x.Dims[0]}, dims...))
		}
	}
	c.Report(ReshapeCount, "shape", "%s has %d elements, which the shape %s does not", x.Dims.Brackets(), n, l.Shape.Brackets()).Fix =
		fmt.Sprintf("give a shape of %d elements, or -1 for one axis", n)
	return shape.Unknown
}

// check reports a shape that no tensor has.
func (l *reshape) check(c *Call) bool {
	free := 0
	for _, d := range l.Shape {
		switch d {
		case -1:
			free++
		case 0:
			c.Report(BadParam, "shape", "shape is %s, and an axis of size 0 holds nothing", l.Shape.Brackets()).Fix = "use a size of 1 or more, or -1 for what is left"
			return false
		}
	}
	if free > 1 {
		c.Report(BadParam, "shape", "shape is %s, must have -1 at most once", l.Shape.Brackets()).Fix = "give the size of all axes but one"
		return false
	}
	return true
}

// fill puts in the size that -1 stands for; ok is false when the shape cannot
// have n elements.
func fill(s shape.Shape, n int64) (dims shape.Shape, ok bool) {
	dims, known, free := slices.Clone(s), int64(1), -1
	for i, d := range s {
		if d == -1 {
			free = i
		} else if known, ok = shape.Mul(known, d); !ok {
			return nil, false
		}
	}
	if free < 0 {
		return dims, known == n
	}
	dims[free] = n / known
	return dims, n%known == 0
}

// as gives a tensor its new axes. A batch axis whose size is still first stays
// one; a leading 1 that is new makes one; where neither holds, the next layer
// decides.
func (l *reshape) as(x shape.Tensor, dims shape.Shape) shape.Tensor {
	switch {
	case x.BatchAxes() == 1 && (len(dims) == 0 || dims[0] != x.Dims[0]):
		x.Batch = shape.Undecided
	case x.Batch == shape.Unbatched && len(dims) >= 2 && dims[0] == 1 && (x.Rank() == 0 || x.Dims[0] != 1):
		x.Batch = shape.Batched
	}
	x.Dims = dims
	return arranged(x)
}

// arranged is a tensor whose axes the graph has put where they are.
func arranged(x shape.Tensor) shape.Tensor {
	x.Feature, x.Arranged = max(x.Rank()-1, 0), true
	return x
}

// permute is torch.permute.
type permute struct {
	moving
	Dims shape.Shape `json:"dims" required:"true" unit:"axis" doc:"for each axis of the output, the axis of the input"`
}

func (l *permute) Infer(c *Call) shape.Tensor {
	x := c.First()
	if !x.Known() {
		return shape.Unknown
	}
	order, ok := l.order(x)
	if !ok {
		c.Report(AxisRange, "dims", "dims is %s, which is no order of the %d axes of %s", l.Dims.Brackets(), x.Rank(), x.Dims.Brackets()).Fix = "name each axis once"
		return shape.Unknown
	}
	out := values(x)
	out.Dims = make(shape.Shape, len(order))
	for i, axis := range order {
		out.Dims[i] = x.Dims[axis]
	}
	if x.BatchAxes() == 1 && order[0] != 0 {
		out.Batch = shape.Unbatched
	}
	return arranged(out)
}

// order is the axis of the input for each axis of the output; ok is false when
// dims is no permutation.
func (l *permute) order(x shape.Tensor) (order []int, ok bool) {
	rank, dims, shift := int64(x.Rank()), l.Dims, int64(0)
	if len(dims) == x.Rank()+1 && leading(x) == 0 && dims[0] == 0 {
		dims, shift = dims[1:], 1
	}
	if len(dims) != x.Rank() {
		return nil, false
	}
	seen := make([]bool, rank)
	for _, d := range dims {
		if d < 0 {
			d += rank
		} else {
			d -= shift
		}
		if d < 0 || d >= rank || seen[d] {
			return nil, false
		}
		seen[d] = true
		order = append(order, int(d))
	}
	return order, true
}

// squeeze is torch.squeeze.
type squeeze struct {
	moving
	Dim shape.Shape `json:"dim" alias:"axis" unit:"axis" default:"every axis of size 1" doc:"axis, or axes, to remove where their size is 1"`
}

func (l *squeeze) Infer(c *Call) shape.Tensor {
	x := c.First()
	if !x.Known() {
		return shape.Unknown
	}
	named, ok := c.axes(x, l.Dim)
	if !ok {
		return shape.Unknown
	}
	var along []int
	for _, axis := range named {
		if x.Dims[axis] == 1 {
			along = append(along, axis)
		}
	}
	return reduce(x, along, false)
}

// unsqueeze is torch.unsqueeze.
type unsqueeze struct {
	moving
	Dim Opt `json:"dim" alias:"axis" unit:"axis" required:"true" doc:"axis of the output that is new; 0 adds a batch axis where there is none"`
}

func (l *unsqueeze) Infer(c *Call) shape.Tensor { return c.insert(c.First(), l.Dim.V, 1) }

// insert gives a tensor a new axis of size n. Without a batch axis, dim 0 adds
// one and dim d is axis d − 1, as everywhere.
func (c *Call) insert(x shape.Tensor, d, n int64) shape.Tensor {
	if !x.Known() {
		return shape.Unknown
	}
	rank, at := int64(x.Rank()), d
	switch {
	case d < 0:
		at += rank + 1
	case d > 0 && x.Batch == shape.Unbatched:
		at--
	}
	if at < 0 || at > rank {
		c.Report(AxisRange, "dim", "dim is %d, where %s cannot get a new axis", d, x.Dims.Brackets()).Fix = fmt.Sprintf("use %d to -1, or 0 to %d", -rank-1, rank)
		return shape.Unknown
	}
	out := values(x)
	out.Dims = slices.Insert(slices.Clone(x.Dims), int(at), n)
	switch {
	case at > 0:
	case x.Batch == shape.Batched:
		out.Batch = shape.Undecided
	case x.Batch == shape.Unbatched && d <= 0:
		out.Batch = shape.Batched
	}
	return arranged(out)
}

// cut is torch.split or torch.tensor_split, and one part of the result.
type cut struct {
	moving
	SplitSize Sizes `json:"splitSize" min:"1" unit:"elements" doc:"elements of each part: one number for all, or a list"`
	Sections  Sizes `json:"sections" min:"1" unit:"parts" doc:"number of equal parts, or a list of their sizes"`
	Dim       Opt   `json:"dim" alias:"axis" unit:"axis" default:"0" doc:"axis to cut"`
	Index     int64 `json:"index" min:"0" unit:"part" default:"0" doc:"which part this layer yields, counted from 0"`
}

func (l *cut) Infer(c *Call) shape.Tensor {
	if l.SplitSize == nil && l.Sections == nil {
		c.Report(MissingParam, "splitSize", "neither splitSize nor sections is given").Fix = "add one of them"
		return shape.Unknown
	}
	x, axis, ok := c.First(), 0, true
	if l.Dim.Set || x.Rank() == 0 {
		axis, ok = c.axis(x, l.Dim.V, "dim")
	}
	if !ok {
		return shape.Unknown
	}
	size, parts := l.part(x.Dims[axis])
	if parts < 0 {
		sizes := shape.Shape(l.sizes())
		c.Report(WidthMismatch, "splitSize", "the parts %s do not add up to axis %d of %s", sizes.Brackets(), axis, x.Dims.Brackets()).Fix = fmt.Sprintf("make them add up to %d", x.Dims[axis])
		return shape.Unknown
	}
	if l.Index >= parts {
		c.Report(AxisRange, "index", "index is %d, but axis %d of %s has %d parts", l.Index, axis, x.Dims.Brackets(), parts).Fix = "count the parts from 0, or name another dim"
		return shape.Unknown
	}
	return resize(x, []int{axis}, func(int) int64 { return size }) // a part of ids is ids
}

// sizes is the list of all sizes, nil when the parts are equal.
func (l *cut) sizes() Sizes {
	switch {
	case len(l.SplitSize) > 1:
		return l.SplitSize
	case l.SplitSize == nil && len(l.Sections) > 1:
		return l.Sections
	}
	return nil
}

// part is the size of the part at the index, and how many parts an axis of n
// elements has; −1 when a list does not add up to n.
func (l *cut) part(n int64) (size, parts int64) {
	if sizes := l.sizes(); sizes != nil {
		if sum, ok := total(sizes...); !ok || sum != n {
			return 0, -1
		}
		if l.Index < int64(len(sizes)) {
			size = sizes[l.Index]
		}
		return size, int64(len(sizes))
	}
	if l.SplitSize != nil {
		size = l.SplitSize[0]
		parts = (n-1)/size + 1
		if l.Index == parts-1 {
			size = n - size*l.Index
		}
		return size, parts
	}
	parts = min(l.Sections[0], n)
	size = n / parts
	if l.Index < n%parts {
		size++
	}
	return size, parts
}

// padding is torch.nn.functional.pad.
type padding struct {
	moving
	Padding shape.Shape `json:"padding" alias:"pad" required:"true" unit:"elements" doc:"elements before and after each axis, from the last axis backwards"`
	Mode    string      `json:"mode" enum:"constant,reflect,replicate,circular" doc:"what the new elements are"`
	Value   float64     `json:"value" default:"0" doc:"the constant"`
}

func (l *padding) Infer(c *Call) shape.Tensor {
	x := c.First()
	if !x.Known() {
		return shape.Unknown
	}
	if n := len(l.Padding); n%2 != 0 || n > 2*x.Rank() {
		c.Report(BadParam, "padding", "padding is %s, must be pairs for at most the %d axes of %s", l.Padding.Brackets(), x.Rank(), x.Dims.Brackets()).Fix =
			"give (before, after) for each axis, from the last one backwards"
		return shape.Unknown
	}
	dims := slices.Clone(x.Dims)
	for i := 0; i < len(l.Padding); i += 2 {
		axis := x.Rank() - 1 - i/2
		if !l.pad(c, dims, axis, l.Padding[i], l.Padding[i+1]) {
			return shape.Unknown
		}
	}
	x.Dims = dims
	return values(x)
}

// pad changes the size of one axis.
func (l *padding) pad(c *Call, dims shape.Shape, axis int, before, after int64) bool {
	n := dims[axis]
	most := int64(math.MaxInt64)
	switch l.Mode {
	case "reflect":
		most = n - 1
	case "circular":
		most = n
	}
	grown, ok := total(n, max(before, 0), max(after, 0))
	lost := min(before, 0) + min(after, 0)
	switch {
	case !ok:
		c.Report(CountOverflow, "padding", "axis %d has more elements than a signed 64-bit integer holds", axis)
	case before > most || after > most:
		c.Report(BadParam, "padding", "padding is %d and %d on axis %d, but mode %s takes at most %d from its %d elements", before, after, axis, l.Mode, most, n).Fix = "use less padding, or another mode"
	case n+lost < 0 || grown+lost < 1:
		c.Report(BadParam, "padding", "padding is %d and %d on axis %d, which cuts away all of its %d elements", before, after, axis, n).Fix = "cut less"
	default:
		dims[axis] = grown + lost
		return true
	}
	return false
}

// mean is torch.mean, or the mean of several tensors.
type mean struct {
	Dim       shape.Shape `json:"dim" alias:"axis" unit:"axis" default:"all axes" doc:"axis, or axes, to average; of no effect with several operands"`
	KeepDim   bool        `json:"keepDim" doc:"keep the averaged axes, with size 1"`
	NumInputs int64       `json:"numInputs" min:"1" unit:"operands" doc:"how many operands there are; checked, never trusted"`
}

func (l *mean) Infer(c *Call) shape.Tensor {
	declaredInputs(c, l.NumInputs)
	x := c.First()
	if len(c.In) > 1 {
		return c.alike(Broadcast)
	}
	if !x.Known() || l.NumInputs > 1 {
		return values(x)
	}
	along, ok := c.axes(x, l.Dim)
	if !ok {
		return shape.Unknown
	}
	return reduce(x, along, l.KeepDim)
}

// alike is the tensor that all operands must be like.
func (c *Call) alike(rule string) shape.Tensor {
	first := c.First()
	for i, x := range c.In {
		switch {
		case !x.Known() || !first.Known():
			return shape.Unknown
		case !x.Dims.Equal(first.Dims):
			c.Report(rule, "", "operand %d is %s, but the first is %s", i+1, x.Dims.Brackets(), first.Dims.Brackets()).Fix = "give all operands one shape"
			return shape.Unknown
		case first.Batch == shape.Undecided:
			first.Batch = x.Batch
		}
	}
	return values(first)
}

func (l *mean) Weights() []Tensor { return nil }

func (l *mean) Work(c *Call, out shape.Tensor) Work {
	return Elementwise(c.In[0].Dims, int64(len(c.In)))
}

// reduceSum is torch.sum.
type reduceSum struct {
	Dim     shape.Shape `json:"dim" alias:"axis" unit:"axis" default:"all axes" doc:"axis, or axes, to add up"`
	KeepDim bool        `json:"keepDim" doc:"keep these axes, with size 1"`
}

func (l *reduceSum) Infer(c *Call) shape.Tensor {
	x := c.First()
	if !x.Known() {
		return shape.Unknown
	}
	along, ok := c.axes(x, l.Dim)
	if !ok {
		return shape.Unknown
	}
	return reduce(x, along, l.KeepDim)
}

func (l *reduceSum) Weights() []Tensor { return nil }

func (l *reduceSum) Work(c *Call, out shape.Tensor) Work { return Elementwise(c.In[0].Dims, 1) }

// matmul is torch.matmul.
type matmul struct {
	TransposeB bool `json:"transposeB" doc:"multiply by the transpose of the second operand"`
	inner      int64
}

func (l *matmul) Infer(c *Call) shape.Tensor {
	for _, x := range c.In {
		if !x.Known() {
			return shape.Unknown
		}
	}
	if len(c.In) < 2 {
		return values(c.First())
	}
	a, b := c.In[0], c.In[1]
	dims, ok := l.multiply(a.Dims, b.Dims, l.TransposeB)
	if !ok && !l.TransposeB && lastEqual(a.Dims, b.Dims) {
		if dims, ok = l.multiply(a.Dims, b.Dims, true); ok {
			p := c.Report(MatmulSimilar, "transposeB", "%s · %s does not multiply; it is read as A·Bᵀ, the similarity of rows", a.Dims.Brackets(), b.Dims.Brackets())
			p.Fix, p.Replace = "set transposeB to say so", "true"
		}
	}
	if !ok {
		c.Report(MatmulShapes, "", "%s · %s does not multiply", a.Dims.Brackets(), b.Dims.Brackets()).Fix =
			"the last axis of the first must be as long as the second last of the second (as the last, with transposeB), and the axes before them must broadcast"
		return shape.Unknown
	}
	return shape.Last(dims, productBatch(a, b))
}

func lastEqual(a, b shape.Shape) bool {
	return len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1]
}

// multiply is the shape of a product, and notes the axis that is summed.
func (l *matmul) multiply(a, b shape.Shape, transpose bool) (dims shape.Shape, ok bool) {
	if len(a) == 0 || len(b) == 0 {
		return nil, false
	}
	row, column := len(a) > 1, len(b) > 1
	if !row {
		a = shape.Shape{1, a[0]}
	}
	if !column {
		b = shape.Shape{b[0], 1}
	}
	i, j := len(a)-2, len(b)-2
	k, m := b[j], b[j+1]
	if transpose && column {
		k, m = m, k
	}
	dims, ok = shape.Broadcast(a[:i], b[:j])
	if !ok || a[i+1] != k {
		return nil, false
	}
	l.inner = k
	if row {
		dims = append(dims, a[i])
	}
	if column {
		dims = append(dims, m)
	}
	return dims, true
}

// productBatch says whether axis 0 of a product is a batch axis: it is that of
// the operand with more axes, and a vector's partner loses one.
func productBatch(a, b shape.Tensor) shape.Batch {
	switch {
	case a.Rank() == 1 && b.Rank() <= 2:
		return shape.Unbatched
	case b.Rank() > a.Rank() || a.Batch == shape.Undecided && b.Rank() == a.Rank() && a.Rank() > 2:
		return b.Batch
	}
	return a.Batch
}

func (l *matmul) Weights() []Tensor { return nil }

func (l *matmul) Work(c *Call, out shape.Tensor) Work {
	if len(c.In) < 2 {
		return Work{}
	}
	return linearWork(out, l.inner)
}

// stack is torch.stack.
type stack struct {
	moving
	Dim Opt `json:"dim" alias:"axis" unit:"axis" default:"0" doc:"axis of the output that counts the operands"`
}

func (l *stack) Infer(c *Call) shape.Tensor {
	return c.insert(c.alike(ConcatAxes), l.Dim.V, int64(len(c.In)))
}

// resample is torch.nn.Upsample or torch.nn.functional.interpolate.
type resample struct {
	Size         Sizes   `json:"size" min:"1" unit:"elements" doc:"size of the output: one number, or one for each axis"`
	ScaleFactor  float64 `json:"scaleFactor" min:"0" doc:"size of the output over that of the input"`
	Mode         string  `json:"mode" enum:"nearest,nearest-exact,linear,bilinear,bicubic,trilinear,area" doc:"how values between the samples are found"`
	AlignCorners bool    `json:"alignCorners" doc:"keep the values at the corners"`
	Antialias    bool    `json:"antialias" doc:"smooth before making smaller"`
}

func (l *resample) Infer(c *Call) shape.Tensor {
	switch {
	case l.Size == nil && l.ScaleFactor == 0:
		c.Report(MissingParam, "scaleFactor", "neither size nor scaleFactor is given").Fix = "add one of them"
		return shape.Unknown
	case l.Size != nil && l.ScaleFactor != 0:
		c.Report(BadParam, "scaleFactor", "scaleFactor is %v, but size is given too", l.ScaleFactor).Fix = "keep one of them"
		return shape.Unknown
	case !c.First().Known():
		return shape.Unknown
	}
	n := l.axes(c.First())
	x, along := c.spatial(n, 0)
	if !perAxis(c, "size", l.Size, n) || !x.Known() {
		return shape.Unknown
	}
	size := l.Size.At
	if l.Size == nil {
		for _, axis := range along {
			if !l.scales(c, x, axis) {
				return shape.Unknown
			}
		}
		size = func(i int) int64 { return l.scaled(x.Dims[along[i]]) }
	}
	return resize(x, along, size)
}

// axes is along how many axes it works: as the mode says, or else all but
// batch and channels. An undecided tensor is read as PyTorch does.
func (l *resample) axes(x shape.Tensor) int {
	switch l.Mode {
	case "linear":
		return 1
	case "bilinear", "bicubic":
		return 2
	case "trilinear":
		return 3
	}
	n := x.Rank() - 1 - x.BatchAxes()
	if x.Batch == shape.Undecided {
		n = x.Rank() - 2
	}
	return min(max(n, 1), 3)
}

// scaled is the scaled size of n elements. PyTorch computes it in double
// precision and rounds down.
func (l *resample) scaled(n int64) int64 { return int64(float64(n) * l.ScaleFactor) }

// scales reports a scaled axis that cannot be.
func (l *resample) scales(c *Call, x shape.Tensor, axis int) bool {
	n := x.Dims[axis]
	switch f := float64(n) * l.ScaleFactor; {
	case f < 1:
		c.Report(BadParam, "scaleFactor", "scaleFactor is %v, which leaves nothing of axis %d of %s", l.ScaleFactor, axis, x.Dims.Brackets()).Fix = "use a larger factor"
	case f >= 1<<62:
		c.Report(CountOverflow, "scaleFactor", "axis %d of %s times %v has more elements than a signed 64-bit integer holds", axis, x.Dims.Brackets(), l.ScaleFactor)
	default:
		return true
	}
	return false
}

func (l *resample) Weights() []Tensor                   { return nil }
func (l *resample) Work(c *Call, out shape.Tensor) Work { return Elementwise(out.Dims, 1) }

// pixelShuffle is torch.nn.PixelShuffle.
type pixelShuffle struct {
	moving
	UpscaleFactor int64 `json:"upscaleFactor" min:"1" required:"true" doc:"how many times as high and as wide the output is"`
}

func (l *pixelShuffle) Infer(c *Call) shape.Tensor {
	x, along := c.spatial(2, 0)
	if !x.Known() {
		return shape.Unknown
	}
	r := l.UpscaleFactor
	square, ok := shape.Mul(r, r)
	if !ok || x.Width()%square != 0 {
		c.Report(ShuffleFactor, "upscaleFactor", "the %d channels of %s do not divide by upscaleFactor %d squared", x.Width(), x.Dims.Brackets(), r).Fix =
			"choose a factor whose square divides the channels"
		return shape.Unknown
	}
	for _, axis := range along {
		if _, ok := shape.Mul(x.Dims[axis], r); !ok {
			return c.Fail(CountOverflow, "upscaleFactor", "axis %d of %s times %d has more elements than a signed 64-bit integer holds", axis, x.Dims.Brackets(), r)
		}
	}
	channels := x.Width() / square
	return resize(x, along, func(i int) int64 { return x.Dims[along[i]] * r }).WithWidth(channels)
}

// gather is torch.gather: the second operand holds the indices.
type gather struct {
	moving
	Dim Opt `json:"dim" alias:"axis" unit:"axis" required:"true" doc:"axis that is indexed"`
}

func (l *gather) Infer(c *Call) shape.Tensor {
	x := c.First()
	axis, ok := c.axis(x, l.Dim.V, "dim")
	if !ok {
		return shape.Unknown
	}
	if len(c.In) < 2 {
		return values(x)
	}
	index := c.In[1]
	switch {
	case !index.Known():
		return shape.Unknown
	case index.Rank() != x.Rank():
		c.Report(RankMismatch, "", "the indices are %s, but %s has %d axes", index.Dims.Brackets(), x.Dims.Brackets(), x.Rank()).Fix = "give the indices as many axes as the data"
		return shape.Unknown
	}
	for i, n := range index.Dims {
		if i != axis && n > x.Dims[i] {
			c.Report(AxisRange, "dim", "the indices are %s, longer on axis %d than %s", index.Dims.Brackets(), i, x.Dims.Brackets()).Fix = "shorten that axis, or name another dim"
			return shape.Unknown
		}
	}
	x.Dims = index.Dims
	return values(x)
}

// topK is the values of torch.topk.
type topK struct {
	K       int64 `json:"k" min:"1" required:"true" unit:"elements" doc:"how many values to keep"`
	Dim     Opt   `json:"dim" alias:"axis" unit:"axis" doc:"axis along which they are chosen"`
	Largest bool  `json:"largest" doc:"keep the largest, else the smallest"`
	Sorted  bool  `json:"sorted" doc:"sort what is kept"`
}

func (l *topK) Infer(c *Call) shape.Tensor {
	x := c.First()
	axis, ok := c.axis(x, l.Dim.V, "dim")
	if !ok {
		return shape.Unknown
	}
	if n := x.Dims[axis]; l.K > n {
		c.Report(AxisRange, "k", "k is %d, but axis %d of %s has %d elements", l.K, axis, x.Dims.Brackets(), n).Fix = fmt.Sprintf("use at most %d", n)
		return shape.Unknown
	}
	return values(resize(x, []int{axis}, func(int) int64 { return l.K }))
}

func (l *topK) Weights() []Tensor                   { return nil }
func (l *topK) Work(c *Call, out shape.Tensor) Work { return Elementwise(c.In[0].Dims, 1) }
