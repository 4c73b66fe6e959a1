package layer

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/strata-catalog/strata/generator/shape"
)

func (l *flatten) Torch(c *TorchCall) (Torch, error) {
	x := c.In[0]
	start, end, ok := l.span(&Call{}, x)
	if !ok {
		return Torch{}, fmt.Errorf("its axes are none of %s", x.Dims.Brackets())
	}
	if start >= end && x.Rank() > 0 {
		return Torch{Module: "nn.Identity()"}, nil
	}
	if end == x.Rank()-1 {
		end = -1
	}
	return Torch{Module: pyCall("nn.Flatten", option("start_dim", int64(start), 1), option("end_dim", int64(end), -1))}, nil
}

// Torch keeps the batch axis by name where the declared shape is that of one
// sample.
func (l *reshape) Torch(c *TorchCall) (Torch, error) {
	n, _ := c.In[0].Dims.Elems()
	sizes := make([]string, 0, len(l.Shape)+1)
	if _, whole := fill(l.Shape, n); !whole {
		sizes = append(sizes, "$0.shape[0]")
	}
	for _, d := range l.Shape {
		sizes = append(sizes, py(d))
	}
	if len(sizes) == 0 {
		sizes = append(sizes, "()")
	}
	return Torch{Call: pyCall("$0.reshape", sizes...)}, nil
}

func (l *permute) Torch(c *TorchCall) (Torch, error) {
	order, ok := l.order(c.In[0])
	if !ok {
		return Torch{}, fmt.Errorf("dims %s is no order of the axes of %s", l.Dims.Brackets(), c.In[0].Dims.Brackets())
	}
	return Torch{Call: "$0.permute(" + strings.Trim(pyAxes(order), "()") + ")"}, nil
}

func (l *squeeze) Torch(c *TorchCall) (Torch, error) {
	named, ok := (&Call{}).axes(c.In[0], l.Dim)
	if !ok {
		return Torch{}, fmt.Errorf("its axes are none of %s", c.In[0].Dims.Brackets())
	}
	var along []int
	for _, axis := range named {
		if c.In[0].Dims[axis] == 1 {
			along = append(along, axis)
		}
	}
	if along == nil {
		return Torch{Call: "$0"}, nil
	}
	return Torch{Call: "$0.squeeze(" + pyAxes(along) + ")"}, nil
}

// newAxis writes the place of a new axis, which insert found for Infer.
func newAxis(x shape.Tensor, d int64) string {
	if d > 0 && x.Batch == shape.Unbatched {
		d--
	}
	return py(d)
}

func (l *unsqueeze) Torch(c *TorchCall) (Torch, error) {
	return Torch{Call: "$0.unsqueeze(" + newAxis(c.In[0], l.Dim.V) + ")"}, nil
}

func (l *stack) Torch(c *TorchCall) (Torch, error) {
	x := (&Call{In: c.In}).alike("")
	if len(c.In) == 1 {
		return Torch{Call: "$0.unsqueeze(" + newAxis(x, l.Dim.V) + ")"}, nil
	}
	dim := ""
	if at := newAxis(x, l.Dim.V); at != "0" {
		dim = "dim=" + at
	}
	return Torch{Call: pyCall("torch.stack", "($*)", dim)}, nil
}

func (l *cut) Torch(c *TorchCall) (Torch, error) {
	dim := ""
	if l.Dim.Set {
		if axis := pyAxis(c.In[0], l.Dim.V); axis != "0" {
			dim = "dim=" + axis
		}
	}
	index := "[" + py(l.Index) + "]"
	switch sizes := l.sizes(); {
	case sizes != nil:
		return Torch{Call: pyCall("$0.split", pyTuple(sizes), dim) + index}, nil
	case l.SplitSize != nil:
		return Torch{Call: pyCall("$0.split", py(l.SplitSize[0]), dim) + index}, nil
	}
	return Torch{Call: pyCall("$0.tensor_split", py(l.Sections[0]), dim) + index}, nil
}

// Torch pads as F.pad does, which takes some axes alone for modes other than
// constant.
func (l *padding) Torch(c *TorchCall) (Torch, error) {
	rank, pairs := c.In[0].Rank(), len(l.Padding)/2
	if l.Mode != "constant" && (pairs < 1 || pairs > 3 || rank != pairs+1 && rank != pairs+2) {
		return Torch{}, fmt.Errorf("mode %s of F.pad is for the last 1, 2 or 3 axes of a tensor that has one or two more; here it is %d of %d axes", l.Mode, pairs, rank)
	}
	return Torch{Call: pyCall("F.pad", "$0", pyTuple(l.Padding), option("mode", l.Mode, "constant"), option("value", l.Value, 0))}, nil
}

func (l *mean) Torch(c *TorchCall) (Torch, error) {
	switch {
	case len(c.In) > 1:
		return Torch{Call: "torch.stack(($*)).mean(dim=0)"}, nil
	case l.NumInputs > 1:
		return Torch{Call: "$0"}, nil
	case l.Dim == nil && !l.KeepDim:
		return Torch{Call: "$0.mean()"}, nil
	}
	along, ok := (&Call{}).axes(c.In[0], l.Dim)
	if !ok {
		return Torch{}, fmt.Errorf("its axes are none of %s", c.In[0].Dims.Brackets())
	}
	if len(along) == 0 {
		return Torch{Call: "$0"}, nil
	}
	return Torch{Call: meanOver(along, l.KeepDim)}, nil
}

func (l *reduceSum) Torch(c *TorchCall) (Torch, error) {
	along, ok := (&Call{}).axes(c.In[0], l.Dim)
	if !ok {
		return Torch{}, fmt.Errorf("its axes are none of %s", c.In[0].Dims.Brackets())
	}
	if len(along) == 0 {
		return Torch{Call: "$0"}, nil
	}
	return Torch{Call: pyCall("$0.sum", "dim="+pyAxes(along), option("keepdim", l.KeepDim, false))}, nil
}

func (l *matmul) Torch(c *TorchCall) (Torch, error) {
	if len(c.In) < 2 {
		return Torch{Call: "$0"}, nil
	}
	a, b := c.In[0].Dims, c.In[1].Dims
	_, straight := l.multiply(a, b, false)
	if len(b) > 1 && (l.TransposeB || !straight) {
		return Torch{Call: "$0 @ $1.mT"}, nil
	}
	return Torch{Call: "$0 @ $1"}, nil
}

func (l *resample) Torch(c *TorchCall) (Torch, error) {
	smooth := l.Mode == "bilinear" || l.Mode == "bicubic"
	switch {
	case l.AlignCorners && !smooth && l.Mode != "linear" && l.Mode != "trilinear":
		return Torch{}, fmt.Errorf("PyTorch aligns corners for the linear and cubic modes alone, not for %s", l.Mode)
	case l.Antialias && !smooth:
		return Torch{}, fmt.Errorf("PyTorch smooths in the modes bilinear and bicubic alone, not in %s", l.Mode)
	}
	size := ""
	if l.Size != nil {
		size = "size=" + pySizes(l.Size.At, l.axes(c.In[0]))
	} else {
		size = "scale_factor=" + strings.TrimSuffix(pyFloat(l.ScaleFactor), ".0")
	}
	args := []string{size, option("mode", l.Mode, "nearest"), option("align_corners", l.AlignCorners, false)}
	if c.Type == "upsample" && !l.Antialias {
		return stepped(pyCall("nn.Upsample", args...), l.step(c, "$m($x)")), nil
	}
	args = append(append([]string{"$x"}, args...), option("antialias", l.Antialias, false))
	return Torch{Call: l.step(c, pyCall("F.interpolate", args...))}, nil
}

// step gives the operand the batch axis that interpolation needs, and turns a
// sequence whose features are last.
func (l *resample) step(c *TorchCall, step string) string {
	operand, back := "$0", ""
	if c.Out.FeatureLast() {
		operand, back = operand+".mT", ".mT"
	}
	if c.Out.BatchAxes() == 0 {
		operand, back = operand+".unsqueeze(0)", ".squeeze(0)"+back
	}
	return strings.ReplaceAll(step, "$x", operand) + back
}

func (l *pixelShuffle) Torch(c *TorchCall) (Torch, error) {
	return Torch{Module: "nn.PixelShuffle(" + strconv.FormatInt(l.UpscaleFactor, 10) + ")"}, nil
}

func (l *gather) Torch(c *TorchCall) (Torch, error) {
	if len(c.In) < 2 || !c.In[1].IDs {
		return Torch{}, fmt.Errorf("its indices are computed numbers, and PyTorch takes integers from an input")
	}
	return Torch{Call: "$0.gather(" + pyAxis(c.In[0], l.Dim.V) + ", $1)"}, nil
}

func (l *topK) Torch(c *TorchCall) (Torch, error) {
	dim := ""
	if axis := pyAxis(c.In[0], l.Dim.V); axis != "-1" {
		dim = "dim=" + axis
	}
	args := []string{py(l.K), dim, option("largest", l.Largest, true), option("sorted", l.Sorted, true)}
	return Torch{Call: pyCall("$0.topk", args...) + ".values"}, nil
}
