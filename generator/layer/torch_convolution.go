package layer

import (
	"fmt"
	"strconv"
	"strings"
)

// options are the arguments that a window has behind its kernel, where they
// differ from those of PyTorch.
func (s *sliding) options() []string {
	padding := sizesOption("padding", s.Padding.Sides.At, s.axes, "0")
	if s.Padding.Same {
		padding = option("padding", "same", "")
	}
	return []string{
		sizesOption("stride", s.Stride.At, s.axes, "1"),
		padding,
		sizesOption("dilation", s.Dilation.At, s.axes, "1"),
	}
}

// conv writes torch.nn.Conv1d, Conv2d or Conv3d.
func (s *sliding) conv(in, out, groups int64, bias bool) string {
	args := []string{py(in), py(out), pySizes(s.KernelSize.At, s.axes)}
	args = append(args, s.options()...)
	args = append(args, option("groups", groups, 1), option("bias", bias, true))
	return pyCall("nn.Conv"+strconv.Itoa(s.axes)+"d", args...)
}

// convTorch is a convolution of one weight.
func (s *sliding) convTorch(c *TorchCall, w []Tensor, in, out, groups int64) (Torch, error) {
	args := []string{"$x", "$weight"}
	if len(w) > 1 {
		args = append(args, "$bias")
	}
	args = append(append(args, s.options()...), option("groups", groups, 1))
	m := standard{
		module: s.conv(in, out, groups, len(w) > 1),
		own:    []string{"weight", "bias"},
		w:      w,
		apply:  pyCall("F.conv"+strconv.Itoa(s.axes)+"d", args...),
		name:   "Conv" + strconv.Itoa(s.axes) + "d",
		doc:    "A convolution whose tensors have the checkpoint's names.",
	}
	return m.torch(func(step string) string { return alongSequence(c, s.axes, step) })
}

// alongSequence is a step over $x that works along the last axes, behind the
// channels. A sequence whose features are last is turned and turned back.
func alongSequence(c *TorchCall, axes int, step string) string {
	if axes == 1 && c.Out.FeatureLast() {
		return strings.ReplaceAll(step, "$x", "$0.mT") + ".mT"
	}
	return strings.ReplaceAll(step, "$x", "$0")
}

func (l *convolution) Torch(c *TorchCall) (Torch, error) {
	if l.WeightNorm.Set {
		return l.normed(c)
	}
	return l.convTorch(c, l.Weights(), l.InChannels, l.OutChannels, l.Groups)
}

// normed is a convolution under weight normalisation.
func (l *convolution) normed(c *TorchCall) (Torch, error) {
	w := l.Weights()
	axis := py(l.WeightNorm.V)
	m := standard{
		module: pyCall("nn.utils.parametrizations.weight_norm", l.conv(l.InChannels, l.OutChannels, l.Groups, l.Bias), "dim="+axis),
		own:    []string{weightLengths, weightDirections, "bias"},
		w:      w,
	}
	if _, ok := m.prefix(); !ok {
		args := []string{"$x", "torch._weight_norm($weight, $lengths, " + axis + ")"}
		if l.Bias {
			args = append(args, "$bias")
		}
		args = append(append(args, l.options()...), option("groups", l.Groups, 1))
		m.own = []string{"lengths", "weight", "bias"}
		m.apply = pyCall("F.conv"+strconv.Itoa(l.axes)+"d", args...)
		m.name = "WeightNormConv" + strconv.Itoa(l.axes) + "d"
		m.doc = "A convolution under weight normalisation, whose tensors have the checkpoint's names."
	}
	return m.torch(func(step string) string { return alongSequence(c, l.axes, step) })
}

func (l *depthwise) Torch(c *TorchCall) (Torch, error) {
	return l.convTorch(c, l.Weights(), l.InChannels, l.OutChannels, l.InChannels)
}

func (l *separable) Torch(c *TorchCall) (Torch, error) {
	s := Stored{Names: l.Names}
	own := []slot{{path: s.module("depthwise"), expr: "depthwise"}, {path: s.module("pointwise"), expr: "pointwise"}}
	for i, w := range l.Weights() {
		role := own[min(i, 1)].path
		if w.Name != role+".weight" && w.Name != role+".bias" {
			return Torch{}, fmt.Errorf("a tensor of its convolution %s is called %s; rename the convolution as a whole", role, w.Name)
		}
	}
	init, at, err := slots(own)
	if err != nil {
		return Torch{}, err
	}
	h := helper{
		name:   "SeparableConv2d",
		doc:    "A convolution of each channel by itself, then one that mixes the channels.",
		params: "depthwise: nn.Module, pointwise: nn.Module",
		init:   init,
		body:   []string{"return " + at[1] + "(" + at[0] + "(x))"},
	}
	mid := l.between()
	point := pyCall("nn.Conv2d", py(mid), py(l.OutChannels), "1", option("bias", l.Bias, true))
	return Torch{Module: pyCall("$Class", l.conv(l.InChannels, mid, l.InChannels, false), point), Class: h.class()}, nil
}

// Torch puts neighbours side by side: those below each other first.
func (l *merging) Torch(c *TorchCall) (Torch, error) {
	if x := c.In[0]; x.Width() != l.EmbedDim {
		return Torch{}, fmt.Errorf("its input is %d wide, but it is made for a width of %d", x.Width(), l.EmbedDim)
	}
	d := &draft{}
	d.arg("dim", "int", py(l.EmbedDim))
	d.arg("out_dim", "int", py(l.OutFeatures))
	var norm, matrix *piece
	if l.NormLast {
		matrix = d.linear(l.Stored, "reduction", "out_dim", "4 * dim", false)
		norm = d.normed(l.Stored, "norm", "out_dim", true, false, l.Eps)
	} else {
		norm = d.normed(l.Stored, "norm", "4 * dim", true, false, l.Eps)
		matrix = d.linear(l.Stored, "reduction", "out_dim", "4 * dim", false)
	}
	if err := d.place(); err != nil {
		return Torch{}, err
	}
	d.name, d.doc = "PatchMerging", "Puts 2 x 2 neighbours side by side and maps them to another width."
	d.step(
		"x = F.pad(x, (0, 0, 0, x.shape[-2] % 2, 0, x.shape[-3] % 2))",
		"left, right = x[..., 0::2, :], x[..., 1::2, :]",
		"parts = [part[..., i::2, :, :] for part in (left, right) for i in range(2)]",
		"x = torch.cat(parts, dim=-1)  # [..., rows, columns, 4 * dim]")
	if l.NormLast {
		d.step("return " + norm.of(matrix.of("x")))
	} else {
		d.step("return " + matrix.of(norm.of("x")))
	}
	call := onLast(c.In[0], "$m($x)")
	if call == "$m($0)" {
		call = ""
	}
	return d.torch(call)
}

func (l *transposed) Torch(c *TorchCall) (Torch, error) {
	options := append(l.options(), sizesOption("output_padding", l.OutputPadding.At, l.axes, "0"), option("groups", l.Groups, 1))
	// ConvTranspose2d takes dilation last, so every option is named.
	args := append([]string{py(l.InChannels), py(l.OutChannels), pySizes(l.KernelSize.At, l.axes)}, options...)
	apply := []string{"$x", "$weight"}
	if l.Bias {
		apply = append(apply, "$bias")
	}
	m := standard{
		module: pyCall("nn.ConvTranspose2d", append(args, option("bias", l.Bias, true))...),
		own:    []string{"weight", "bias"},
		w:      l.Weights(),
		apply:  pyCall("F.conv_transpose2d", append(apply, options...)...),
		name:   "ConvTranspose2d",
		doc:    "A transposed convolution whose tensors have the checkpoint's names.",
	}
	return m.torch(func(step string) string { return strings.ReplaceAll(step, "$x", "$0") })
}
