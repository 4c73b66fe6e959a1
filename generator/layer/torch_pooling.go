package layer

import (
	"fmt"
	"strconv"

	"github.com/strata-catalog/strata/generator/shape"
)

// module writes a pooling layer of torch.nn, which has options of its own.
func (l *pool) module(c *TorchCall, kind string, options ...string) Torch {
	kernel := pySizes(l.KernelSize.At, l.axes)
	args := []string{
		kernel,
		sizesOption("stride", l.Stride.At, l.axes, kernel),
		sizesOption("padding", l.Padding.At, l.axes, "0"),
	}
	args = append(append(args, options...), option("ceil_mode", l.CeilMode, false))
	return stepped(pyCall("nn."+kind+strconv.Itoa(l.axes)+"d", args...), alongSequence(c, l.axes, "$m($x)"))
}

// stepped is a module and its step; the plain one need not be said.
func stepped(module, step string) Torch {
	if step == "$m($0)" {
		step = ""
	}
	return Torch{Module: module, Call: step}
}

func (l *maxPool) Torch(c *TorchCall) (Torch, error) {
	return l.module(c, "MaxPool", sizesOption("dilation", l.Dilation.At, l.axes, "1")), nil
}

func (l *avgPool) Torch(c *TorchCall) (Torch, error) {
	return l.module(c, "AvgPool", option("count_include_pad", l.CountIncludePad, true)), nil
}

func (l *adaptivePool) Torch(c *TorchCall) (Torch, error) {
	module := pyCall("nn.AdaptiveAvgPool"+strconv.Itoa(l.axes)+"d", pySizes(l.OutputSize.At, l.axes))
	return stepped(module, alongSequence(c, l.axes, "$m($x)")), nil
}

func (l *globalPool) Torch(c *TorchCall) (Torch, error) {
	return Torch{Call: meanOver(l.along, l.KeepDim)}, nil
}

// meanOver writes the mean over some axes.
func meanOver(along []int, keep bool) string {
	return pyCall("$0.mean", "dim="+pyAxes(along), option("keepdim", keep, false))
}

// Torch samples every box on every map and keeps the samples of its own. A
// sample outside of a map is that of the border, as boxes lie within the image.
func (l *roiAlign) Torch(c *TorchCall) (Torch, error) {
	for i := 1; i < len(l.Strides); i++ {
		if half := l.Strides[i] / 2; l.Strides[i]%2 != 0 || half != l.Strides[i-1] {
			return Torch{}, fmt.Errorf("its strides %s do not double from map to map", shape.Shape(l.Strides).Brackets())
		}
	}
	h := helper{
		name:   "RoIAlign",
		doc:    "Cuts boxes out of feature maps, at positions of a fixed number.",
		params: "size: tuple[int, int], sampling: int, strides: tuple[int, ...], base: float",
		args:   "*x: Tensor",
		init: []string{
			"self.sampling = sampling",
			"self.size = size",
			"self.strides = strides",
			"self.base = base  # side of the boxes that are read from the first map",
		},
		body: []string{
			"*maps, boxes = x",
			"rows, columns = (n * self.sampling for n in self.size)",
			"down = (torch.arange(rows, device=boxes.device) + 0.5) / rows",
			"right = (torch.arange(columns, device=boxes.device) + 0.5) / columns",
			"pooled = []",
			"for image, stride in zip(maps, self.strides, strict=True):",
			"    corner = boxes[:, :2] / stride",
			"    extent = (boxes[:, 2:] / stride - corner).clamp(min=1)",
			"    at_x = corner[:, :1] + extent[:, :1] * right  # [boxes, columns]",
			"    at_y = corner[:, 1:] + extent[:, 1:] * down  # [boxes, rows]",
			"    at_x = (2 * at_x / (image.shape[-1] - 1) - 1)[:, None].expand(-1, rows, -1)",
			"    at_y = (2 * at_y / (image.shape[-2] - 1) - 1)[..., None].expand_as(at_x)",
			"    grid = torch.stack((at_x, at_y), dim=-1).flatten(0, 1)[None]",
			"    image = image.reshape(1, *image.shape[-3:])",
			"    samples = F.grid_sample(",
			"        image, grid, padding_mode=\"border\", align_corners=True",
			"    )  # [1, channels, boxes * rows, columns]",
			"    means = F.avg_pool2d(samples, self.sampling)[0]",
			"    pooled.append(means.unflatten(1, (-1, self.size[0])).transpose(0, 1))",
			"side = (boxes[:, 2:] - boxes[:, :2]).prod(dim=1).sqrt()",
			"level = (torch.log2(side / self.base) + 1e-6).floor().clamp(0, len(maps) - 1)",
			"result = pooled[0]",
			"for k, means in enumerate(pooled):",
			"    result = torch.where((level == k)[:, None, None, None], means, result)",
			"return result",
		},
	}
	// A box of canonicalSize is read from the map of 2 to the canonicalLevel.
	base := float64(l.CanonicalSize) * float64(l.Strides[0]) / float64(int64(1)<<l.CanonicalLevel)
	args := []string{pyTuple(Sizes{l.OutputSize.At(0), l.OutputSize.At(1)}), py(l.SamplingRatio), pyTuple(l.Strides), pyFloat(base)}
	return Torch{Module: pyCall("$Class", args...), Class: h.class()}, nil
}
