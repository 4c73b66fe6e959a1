package layer

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/strata-catalog/strata/generator/shape"
)

// lifted gives an expression some leading axes of size 1.
func lifted(expr string, axes int) string {
	if axes <= 0 {
		return expr
	}
	return expr + "[None" + strings.Repeat(", None", axes-1) + "]"
}

// operandList lists the operands, all with the rank of the highest by leading
// axes of size 1, which torch.cat does not add by itself.
func operandList(in []shape.Tensor) string {
	rank := 0
	for _, x := range in {
		rank = max(rank, x.Rank())
	}
	list := make([]string, len(in))
	for i, x := range in {
		list[i] = lifted("$"+strconv.Itoa(i), rank-x.Rank())
	}
	return strings.Join(list, ", ")
}

// Torch writes the operands with their operator. One operand is what it is.
func (l *addition) Torch(c *TorchCall) (Torch, error) {
	operator := map[string]string{"add": " + ", "multiply": " * ", "subtract": " - "}[c.Type]
	list := make([]string, len(c.In))
	for i := range list {
		list[i] = "$" + strconv.Itoa(i)
	}
	return Torch{Call: strings.Join(list, operator)}, nil
}

func (l *modulation) Torch(c *TorchCall) (Torch, error) {
	if len(c.In) < 3 {
		return Torch{}, fmt.Errorf("it has %d operands, not x, shift and scale", len(c.In))
	}
	return Torch{Call: "$0 * (1 + $2) + $1"}, nil
}

func (l *concatenate) Torch(c *TorchCall) (Torch, error) {
	if len(c.In) == 1 {
		return Torch{Call: "$0"}, nil
	}
	in := pad(c.In)
	axis, ok := l.along(in)
	if !ok {
		return Torch{}, fmt.Errorf("dim %d is no axis of %s", l.Dim.V, c.Out.Dims.Brackets())
	}
	if !l.Dim.Set || l.Dim.V < 0 {
		axis -= in[0].Rank()
	}
	return Torch{Call: "torch.cat((" + operandList(c.In) + "), dim=" + strconv.Itoa(axis) + ")"}, nil
}
