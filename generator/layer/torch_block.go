package layer

import (
	"fmt"
	"slices"
	"strings"

	"github.com/strata-catalog/strata/generator/shape"
)

// Torch is nn.TransformerEncoderLayer, or a stack of them.
func (l *transformerBlock) Torch(c *TorchCall) (Torch, error) {
	switch x := c.In[0]; {
	case len(l.Names) > 0:
		return Torch{}, fmt.Errorf("its tensors have other names than those of nn.TransformerEncoderLayer; draw attention, norms and network as layers of their own")
	case len(c.Side) > 0:
		return Torch{}, fmt.Errorf("nn.TransformerEncoderLayer takes no rotary positions and no ALiBi; draw attention, norms and network as layers of their own")
	case x.Width() != l.EmbedDim:
		return Torch{}, fmt.Errorf("its input is %d wide, but it is made for a width of %d", x.Width(), l.EmbedDim)
	case l.EmbedDim%l.NumHeads != 0:
		return Torch{}, fmt.Errorf("a width of %d does not divide into %d heads", l.EmbedDim, l.NumHeads)
	}
	there, back, err := asTokens(c.In[0])
	if err != nil {
		return Torch{}, err
	}
	t := Torch{Module: pyCall("nn.TransformerEncoderLayer", py(l.EmbedDim), py(l.NumHeads), py(l.FFDim),
		option("dropout", l.Dropout, 0.1), option("activation", l.Activation, "relu"), "batch_first=True",
		option("norm_first", l.Norm == "pre", false))}
	if l.NumLayers > 1 {
		// Nested tensors would only warn: they do not go with norm_first.
		t.Module = pyCall("nn.TransformerEncoder", t.Module, py(l.NumLayers), "enable_nested_tensor=False")
	}
	masks, err := l.masks(c)
	if err != nil {
		return Torch{}, err
	}
	if there+back != "" || len(masks) > 0 {
		t.Call = pyCall("$m", append([]string{"$0" + there}, masks...)...) + back
	}
	return t, nil
}

// masks are the masks as the module's arguments.
func (l *transformerBlock) masks(c *TorchCall) (args []string, err error) {
	name := "src_mask"
	if l.NumLayers > 1 {
		name = "mask"
	}
	square := ""
	if l.Causal {
		square = "nn.Transformer.generate_square_subsequent_mask(" + py(tokens(c.In[0])) + ", device=$0.device)"
	}
	padding := false
	if len(c.Masks) > 1 {
		return nil, fmt.Errorf("it has %d attention masks; PyTorch takes one", len(c.Masks))
	}
	if len(c.Masks) == 1 {
		n := tokens(c.In[0])
		x := c.In[0].AsSequence()
		switch dims := c.Masks[0].Dims; {
		case dims.Equal(shape.Shape{n, n}) && square != "":
			square += " + $1"
		case dims.Equal(shape.Shape{n, n}):
			square = "$1"
		case slices.Equal(dims, append(slices.Clone(x.Dims[:x.BatchAxes()]), n)):
			padding = true
		default:
			return nil, fmt.Errorf("an attention mask of %s is neither one of [tokens, tokens] nor one of [batch, tokens]", dims.Brackets())
		}
	}
	if square != "" {
		args = append(args, name+"="+square)
	}
	if padding {
		args = append(args, "src_key_padding_mask=$1")
	}
	switch {
	case l.Causal && !strings.Contains(square, "$1"):
		args = append(args, "is_causal=True")
	case square != "" && l.NumLayers > 1:
		// Without a word a stack looks at the mask, which the meta device cannot.
		args = append(args, "is_causal=False")
	}
	return args, nil
}
