package layer

import "strconv"

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
