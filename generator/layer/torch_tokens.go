package layer

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/strata-catalog/strata/generator/shape"
)

// asTokens writes how an operand becomes [batch, tokens, features], or without
// the batch axis where it has none, and how a result becomes what it was.
func asTokens(x shape.Tensor) (there, back string, err error) {
	x = x.AsSequence()
	batch, last := x.BatchAxes(), x.Rank()-1
	if x.Feature < batch {
		return "", "", fmt.Errorf("the features of %s are on its batch axis", x.Dims.Brackets())
	}
	image := x.Positions()
	if x.Feature == batch && len(image) > 0 {
		swap := fmt.Sprintf(".transpose(%d, %d)", batch, batch+1)
		if len(image) == 1 {
			return swap, swap, nil
		}
		return fmt.Sprintf(".flatten(%d)", batch+1) + swap, swap + fmt.Sprintf(".unflatten(%d, %s)", batch+1, pyTuple(image)), nil
	}
	if x.Feature != last {
		there, back = fmt.Sprintf(".movedim(%d, -1)", x.Feature), fmt.Sprintf(".movedim(-1, %d)", x.Feature)
	}
	switch len(image) {
	case 0:
		return there + ".unsqueeze(-2)", ".squeeze(-2)" + back, nil
	case 1:
		return there, back, nil
	}
	return there + fmt.Sprintf(".flatten(%d, %d)", batch, batch+len(image)-1), fmt.Sprintf(".unflatten(%d, %s)", batch, pyTuple(image)) + back, nil
}

// overTokens writes the call of a module over one sequence, "" where that is
// the operand as it is.
func overTokens(x shape.Tensor) (string, error) {
	there, back, err := asTokens(x)
	if err != nil {
		return "", err
	}
	if there+back == "" {
		return "", nil
	}
	return "$m($0" + there + ")" + back, nil
}

// attentionCall writes the call of an attention layer: queries, what keys and
// values come from, and a mask.
func attentionCall(c *TorchCall, heads int64) (string, error) {
	there, back, err := asTokens(c.In[0])
	if err != nil {
		return "", err
	}
	args := []string{"$0" + there}
	for i := 1; i < len(c.In); i++ {
		arg, err := contextArg(c.In[0], c.In[i], "$"+strconv.Itoa(i))
		if err != nil {
			return "", err
		}
		args = append(args, arg)
	}
	if len(c.Masks) > 0 {
		arg, err := maskArg(c, heads)
		if err != nil {
			return "", err
		}
		args = append(args, arg)
	}
	if len(args) == 1 && there+back == "" {
		return "", nil
	}
	return "$m(" + strings.Join(args, ", ") + ")" + back, nil
}

// contextArg writes what keys and values come from, with as many samples as the
// queries have.
func contextArg(x, y shape.Tensor, operand string) (string, error) {
	there, _, err := asTokens(y)
	if err != nil {
		return "", err
	}
	operand += there
	x, y = x.AsSequence(), y.AsSequence()
	switch many, have := x.BatchSize(), y.BatchSize(); {
	case x.BatchAxes() == y.BatchAxes() && many == have:
		return operand, nil
	case x.BatchAxes() == 1 && have == 1:
		return operand + ".expand($0.shape[0], -1, -1)", nil
	case x.BatchAxes() == 0 && have == 1:
		return operand + ".squeeze(0)", nil
	}
	return "", fmt.Errorf("queries come from %s, keys and values from %s: the batches differ", x.Dims.Brackets(), y.Dims.Brackets())
}

// maskArg writes the mask so that it broadcasts over [batch, heads, queries,
// keys]. A mask of two axes is one of queries and keys where it fits, else one
// of samples and keys.
func maskArg(c *TorchCall, heads int64) (string, error) {
	if len(c.Masks) > 1 {
		return "", fmt.Errorf("it has %d attention masks; PyTorch takes one", len(c.Masks))
	}
	x, mask, operand := c.In[0].AsSequence(), c.Masks[0].Dims, "$"+strconv.Itoa(len(c.In))
	keys := tokens(x)
	if len(c.In) > 1 {
		keys = tokens(c.In[1])
	}
	scores := append(append(shape.Shape{}, x.Dims[:x.BatchAxes()]...), heads, tokens(x), keys)
	fits := func(dims ...int64) bool {
		all, ok := shape.Broadcast(scores, dims)
		return ok && all.Equal(scores)
	}
	switch batched := x.BatchAxes() == 1; {
	case len(mask) == 1 && fits(mask...):
		return operand + "[None]", nil
	case len(mask) == 2 && fits(mask...), len(mask) == len(scores) && fits(mask...):
		return operand, nil
	case len(mask) == 2 && batched && fits(mask[0], 1, 1, mask[1]):
		return operand + "[:, None, None]", nil
	case len(mask) == 3 && batched && fits(mask[0], 1, mask[1], mask[2]):
		return operand + "[:, None]", nil
	}
	return "", fmt.Errorf("an attention mask of %s does not fit scores of %s", mask.Brackets(), scores.Brackets())
}
