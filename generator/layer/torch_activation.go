package layer

import (
	"fmt"

	"github.com/strata-catalog/strata/generator/shape"
)

// activationModules are the modules of the types that have no parameters of
// their own.
var activationModules = map[string]string{
	"relu": "nn.ReLU()", "relu6": "nn.ReLU6()", "selu": "nn.SELU()", "swish": "nn.SiLU()", "mish": "nn.Mish()",
	"hardSwish": "nn.Hardswish()", "hardSigmoid": "nn.Hardsigmoid()", "sigmoid": "nn.Sigmoid()", "tanh": "nn.Tanh()",
}

func (pointwise) Torch(c *TorchCall) (Torch, error) {
	module, ok := activationModules[c.Type]
	if !ok {
		return Torch{}, fmt.Errorf("there is no PyTorch for %s", c.Type)
	}
	return Torch{Module: module}, nil
}

// Torch leaves inplace out: another layer may read the operand after this one.
func (l *leakyRelu) Torch(c *TorchCall) (Torch, error) {
	slope := ""
	if l.NegativeSlope != 0.01 {
		slope = pyFloat(l.NegativeSlope)
	}
	return Torch{Module: pyCall("nn.LeakyReLU", slope)}, nil
}

func (l *elu) Torch(c *TorchCall) (Torch, error) {
	return Torch{Module: pyCall("nn.ELU", option("alpha", l.Alpha, 1))}, nil
}

func (l *gelu) Torch(c *TorchCall) (Torch, error) {
	return Torch{Module: pyCall("nn.GELU", option("approximate", l.Approximate, "none"))}, nil
}

func (l *softplus) Torch(c *TorchCall) (Torch, error) {
	return Torch{Module: pyCall("nn.Softplus", option("beta", l.Beta, 1), option("threshold", l.Threshold, 20))}, nil
}

func (l *softcap) Torch(c *TorchCall) (Torch, error) {
	if l.Cap == 0 {
		return Torch{}, fmt.Errorf("its cap is 0, which no value can be divided by")
	}
	return Torch{Call: pyFloat(l.Cap) + " * torch.tanh($0 / " + pyFloat(l.Cap) + ")"}, nil
}

func (l *scale) Torch(c *TorchCall) (Torch, error) {
	return Torch{Call: "$0 * " + pyFloat(l.Factor)}, nil
}

// pyAxis writes a declared axis of an operand: as it is where it counts from
// the end, else the axis that is meant, which counts a batch axis only where
// there is one.
func pyAxis(x shape.Tensor, d int64) string {
	if axis, ok := axisOf(d, x.Rank(), leading(x)); ok && d >= 0 {
		return py(int64(axis))
	}
	return py(d)
}

func (l *softmax) Torch(c *TorchCall) (Torch, error) {
	name := "nn.Softmax"
	if c.Type == "logSoftmax" {
		name = "nn.LogSoftmax"
	}
	return Torch{Module: pyCall(name, "dim="+pyAxis(c.In[0], l.Dim.V))}, nil
}

func (l *glu) Torch(c *TorchCall) (Torch, error) {
	dim := ""
	if axis := pyAxis(c.In[0], l.Dim.V); axis != "-1" {
		dim = "dim=" + axis
	}
	return Torch{Module: pyCall("nn.GLU", dim)}, nil
}

func (l *prelu) Torch(c *TorchCall) (Torch, error) {
	slopes := ""
	if l.NumParameters != 1 {
		slopes = py(l.NumParameters)
	}
	m := standard{
		module: pyCall("nn.PReLU", slopes, option("init", l.Init, 0.25)),
		own:    []string{"weight"},
		w:      l.Weights(),
		apply:  "F.prelu($x, $weight)",
		name:   "PReLU",
		doc:    "A PReLU whose slopes have the checkpoint's name.",
	}
	return m.torch(func(step string) string {
		x := c.Out
		if l.NumParameters == 1 {
			x = shape.Last(shape.Shape{1}, shape.Batched)
			return onLast(x, step)
		}
		return onSecond(x, step, false)
	})
}

func (l *dropout) Torch(c *TorchCall) (Torch, error) {
	p := ""
	if l.P != 0.5 {
		p = pyFloat(l.P)
	}
	return Torch{Module: pyCall("nn.Dropout", p)}, nil
}

func (l *dropPath) Torch(c *TorchCall) (Torch, error) {
	kept := "return x * mask / (1 - self.p)"
	if !l.ScaleByKeep {
		kept = "return x * mask"
	}
	class := helper{
		name:   "DropPath",
		doc:    "Skips its input for random samples of a batch in training.",
		params: "p: float",
		init:   []string{"self.p = p"},
		body: []string{
			"if not self.training or self.p == 0:",
			"    return x",
			"mask = x.new_empty([len(x)] + [1] * (x.dim() - 1)).bernoulli_(1 - self.p)",
			kept,
		},
	}.class()
	t := Torch{Module: pyCall("$Class", pyFloat(l.P)), Class: class}
	if c.Out.AsSequence().BatchAxes() == 0 {
		t.Call = "$m($0.unsqueeze(0)).squeeze(0)"
	}
	return t, nil
}

func (l *layerScale) Torch(c *TorchCall) (Torch, error) {
	init, at, err := slots([]slot{{path: l.own("weight").Name, expr: "nn.Parameter(torch.full((dim,), value))", parameter: true}})
	if err != nil {
		return Torch{}, err
	}
	class := helper{
		name:   "LayerScale",
		doc:    "Multiplies each feature by a learned factor.",
		params: "dim: int, value: float",
		init:   init,
		body:   []string{"return x * " + at[0]},
	}.class()
	return Torch{Module: pyCall("$Class", py(l.Dim), pyFloat(l.InitValue)), Class: class, Call: onLast(c.Out, "$m($x)")}, nil
}
