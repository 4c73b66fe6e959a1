package layer

import (
	"fmt"
	"strings"
)

func (l *parameter) Torch(c *TorchCall) (Torch, error) {
	init := "torch.zeros"
	switch {
	case len(c.In) == 0:
		init = "torch.randn"
	case l.Mode == "scale":
		init = "torch.ones"
	}
	size := "()"
	if len(l.Shape) > 0 {
		size = strings.Trim(pyTuple(l.Shape), "(,)")
	}
	kind := "nn.Parameter"
	if l.Buffer {
		kind = "nn.Buffer"
	}
	t := Torch{Module: kind + "(" + init + "(" + size + "))"}
	switch {
	case len(c.In) == 0:
		t.Call = "$m"
	case l.Mode == "aside":
		t.Call = "$0"
	case l.Mode == "scale":
		t.Call = "$0 * $m"
	case l.Mode == "expScale":
		t.Call = "$0 * $m.exp()"
	case l.joins():
		return l.joined(c, t)
	default:
		t.Call = "$0 + $m"
	}
	return t, nil
}

// joined is the tensor in front of the operand, or behind it, once for each sample.
func (l *parameter) joined(c *TorchCall, t Torch) (Torch, error) {
	x := c.In[0].AsSequence()
	own, operand := "$m", "$0"
	switch more := x.Rank() - len(l.Shape); {
	case more == 0 && x.BatchAxes() == 1 && l.Shape[0] != 1 && l.Shape[0] != x.Dims[0]:
		return Torch{}, fmt.Errorf("a tensor of %s cannot be expanded over the batch axis of %s; its first axis must be 1", l.Shape.Brackets(), x.Dims.Brackets())
	case more >= 0 && x.BatchAxes() == 1:
		own = lifted(own, more) + ".expand($0.shape[0]" + strings.Repeat(", -1", x.Rank()-1) + ")"
	default:
		own, operand = lifted(own, more), lifted(operand, -more)
	}
	if l.Mode == "append" {
		own, operand = operand, own
	}
	t.Call = "torch.cat((" + own + ", " + operand + "), dim=-2)"
	return t, nil
}
