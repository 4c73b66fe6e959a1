package layer

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/strata-catalog/strata/generator/shape"
)

// normSize writes a normalized shape: one width, or the sizes of the last axes.
func normSize(s Sizes) string {
	if len(s) == 1 {
		return py(s[0])
	}
	return pyTuple(s)
}

// normWrap is how a norm over the last axes is applied: over one width it acts
// on the feature axis, over several sizes on the axes as they stand.
func normWrap(out shape.Tensor, s Sizes) func(step string) string {
	if len(s) > 1 {
		out.Feature = out.Rank() - 1
	}
	return func(step string) string { return onLast(out, step) }
}

func (l *layerNorm) Torch(c *TorchCall) (Torch, error) {
	eps := option("eps", l.Eps, 1e-5)
	size := normSize(l.NormalizedShape)
	m := standard{
		own:  []string{"weight", "bias"},
		w:    l.Weights(),
		name: "LayerNorm",
		doc:  "A LayerNorm whose tensors have the checkpoint's names.",
	}
	switch {
	case !l.Affine:
		m.module = pyCall("nn.LayerNorm", size, eps, option("elementwise_affine", false, true))
	case !l.Bias:
		m.module = pyCall("nn.LayerNorm", size, eps, option("bias", false, true))
		m.apply = pyCall("F.layer_norm", "$x", "$weight.shape", "$weight", eps)
	default:
		m.module = pyCall("nn.LayerNorm", size, eps)
		m.apply = pyCall("F.layer_norm", "$x", "$weight.shape", "$weight", "$bias", eps)
	}
	return m.torch(normWrap(c.Out, l.NormalizedShape))
}

func (l *rmsNorm) Torch(c *TorchCall) (Torch, error) {
	factor := "$weight"
	// nn.RMSNorm's own default depends on the dtype, so eps is always written.
	eps := "eps=" + pyFloat(l.Eps)
	size := normSize(l.NormalizedShape)
	m := standard{
		module: pyCall("nn.RMSNorm", size, eps, option("elementwise_affine", l.Affine, true)),
		own:    []string{"weight"},
		w:      l.Weights(),
		name:   "RMSNorm",
		doc:    "An RMSNorm whose factor has the checkpoint's name.",
	}
	if l.Affine && l.UnitOffset {
		factor = "1 + $weight"
		m.module, m.class = pyCall("$Class", size, eps), offsetRMSNorm
		m.name, m.doc = "OffsetRMSNorm", "An RMSNorm whose factor is 1 + weight, under the checkpoint's name."
	}
	m.apply = pyCall("F.rms_norm", "$x", "$weight.shape", factor, eps)
	return m.torch(normWrap(c.Out, l.NormalizedShape))
}

var offsetRMSNorm = helper{
	name:   "OffsetRMSNorm",
	doc:    "An RMSNorm whose factor is 1 + weight, as in Gemma.",
	params: "size: int | tuple[int, ...], eps: float",
	init: []string{
		"self.weight = nn.Parameter(torch.zeros(size))",
		"self.eps = eps",
	},
	body: []string{"return F.rms_norm(x, self.weight.shape, 1 + self.weight, self.eps)"},
}.class()

func (l *batchNorm) Torch(c *TorchCall) (Torch, error) {
	rank := c.Out.Rank()
	if c.Out.Feature == 0 {
		rank++ // for the batch axis that PyTorch needs
	}
	axes := max(rank-2, 1)
	if axes > 3 {
		return Torch{}, fmt.Errorf("PyTorch has no batch norm over %d axes beside batch and channels, as %s has", axes, c.Out.Dims.Brackets())
	}
	if l.Frozen {
		return l.frozen(c)
	}
	eps := option("eps", l.Eps, 1e-5)
	m := standard{
		module: pyCall("nn.BatchNorm"+strconv.Itoa(axes)+"d", py(l.NumFeatures), eps, option("affine", l.Affine, true)),
		own:    []string{"weight", "bias", "running_mean", "running_var", "num_batches_tracked"},
		w:      l.Weights(),
		apply:  pyCall("F.batch_norm", "$x", "self.running_mean", "self.running_var", "$weight", "$bias", "self.training", eps),
		name:   "BatchNorm",
		doc:    "A batch norm whose factor and constant have the checkpoint's names.",
	}
	if !l.Affine {
		m.own = m.own[2:]
	}
	return m.torch(func(step string) string { return onSecond(c.Out, step, false) })
}

// frozen is the norm as a class that holds buffers alone.
func (l *batchNorm) frozen(c *TorchCall) (Torch, error) {
	h := helper{
		name:   "FrozenBatchNorm",
		doc:    "A batch norm of which nothing changes: all its tensors are buffers.",
		params: "channels: int, eps: float",
		init:   []string{"self.eps = eps"},
	}
	weight, bias := "None", "None"
	for _, w := range l.Weights() {
		at := "self." + w.Name
		expr := "torch.zeros(channels)"
		switch w.Name {
		case l.own("weight").Name:
			weight, expr = at, "torch.ones(channels)"
		case l.own("bias").Name:
			bias = at
		case "running_var":
			expr = "torch.ones(channels)"
		}
		if strings.Contains(w.Name, ".") {
			return Torch{}, fmt.Errorf("its tensor %s stands in a module of its own; a frozen norm holds its tensors itself", w.Name)
		}
		h.fields = append(h.fields, w.Name+": Tensor")
		h.init = append(h.init, "self.register_buffer("+strconv.Quote(w.Name)+", "+expr+")")
	}
	h.body = []string{pyCall("return F.batch_norm", "x", "self.running_mean", "self.running_var", weight, bias, "False", "0.0", "self.eps")}
	step := onSecond(c.Out, "$m($x)", false)
	if step == "$m($0)" {
		step = ""
	}
	return Torch{Module: pyCall("$Class", py(l.NumFeatures), pyFloat(l.Eps)), Class: h.class(), Call: step}, nil
}

func (l *groupNorm) Torch(c *TorchCall) (Torch, error) {
	eps := option("eps", l.Eps, 1e-5)
	m := standard{
		module: pyCall("nn.GroupNorm", py(l.NumGroups), py(l.NumChannels), eps, option("affine", l.Affine, true)),
		own:    []string{"weight", "bias"},
		w:      l.Weights(),
		apply:  pyCall("F.group_norm", "$x", py(l.NumGroups), "$weight", "$bias", eps),
		name:   "GroupNorm",
		doc:    "A GroupNorm whose tensors have the checkpoint's names.",
	}
	return m.torch(func(step string) string { return onSecond(c.Out, step, true) })
}

func (l *l2Norm) Torch(c *TorchCall) (Torch, error) {
	axis := c.Out.Feature - c.Out.Rank()
	return Torch{Call: pyCall("F.normalize", "$0", "dim="+strconv.Itoa(axis), option("eps", l.Eps, 1e-12))}, nil
}
