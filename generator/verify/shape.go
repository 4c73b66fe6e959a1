package verify

import (
	"strings"

	"github.com/strata-catalog/strata/generator/layer"
)

const (
	torchBroadcast = "https://docs.pytorch.org/docs/stable/notes/broadcasting.html"
	torchConv2d    = "https://docs.pytorch.org/docs/stable/generated/torch.nn.Conv2d.html"
	torchLinear    = "https://docs.pytorch.org/docs/stable/generated/torch.nn.Linear.html"
	torchMatmul    = "https://docs.pytorch.org/docs/stable/generated/torch.matmul.html"
	torchEmbedding = "https://docs.pytorch.org/docs/stable/generated/torch.nn.Embedding.html"
)

var shapeRules = []*Rule{
	{
		ID: layer.WidthMismatch, Severity: Error, Group: Shapes,
		Title:   "Declared width differs from the incoming one",
		Trigger: "A layer declares the width of its input (inFeatures, inChannels, normalizedShape, embedDim and the like), and another width arrives.",
		Why:     "The weight has the declared width, so PyTorch refuses the input. What follows is analysed with the declared width.",
		Fix:     "Correct the declared width, or the layer before.",
		Source:  torchLinear,
		Check:   widths,
	},
	{
		ID: layer.RankMismatch, Severity: Error, Group: Shapes,
		Title:   "Input of another rank",
		Trigger: "A layer gets a tensor with more or fewer axes than it works on, such as a conv2d a sequence.",
		Why:     "PyTorch refuses the input; the layer's output is unknown.",
		Fix:     "Reshape, flatten or unsqueeze before it, or use the layer for this number of axes.",
		Source:  torchConv2d,
	},
	{
		ID: layer.Broadcast, Severity: Error, Group: Shapes,
		Title:   "Operands do not broadcast",
		Trigger: "The operands of an element-wise merge have an axis on which their sizes differ and neither is 1, axes aligned at the end.",
		Why:     "PyTorch raises an error. On a residual path it mostly means that the branch changed the width or the resolution and the shortcut did not.",
		Fix:     "Bring both to one shape, such as by a projection on the shortcut.",
		Source:  torchBroadcast,
		Check:   unlessBroken,
	},
	{
		ID: layer.ConcatAxes, Severity: Error, Group: Shapes,
		Title:   "Operands do not concatenate",
		Trigger: "Tensors to be concatenated differ on an axis other than the one of joining.",
		Why:     "PyTorch raises an error.",
		Fix:     "Correct dim, or bring the other axes to one size before.",
		Source:  "https://docs.pytorch.org/docs/stable/generated/torch.cat.html",
		Check:   unlessBroken,
	},
	{
		ID: layer.MatmulShapes, Severity: Error, Group: Shapes,
		Title:   "Matrices do not multiply",
		Trigger: "The last axis of the first matrix differs from the last but one of the second, also when the second is transposed.",
		Why:     "PyTorch raises an error.",
		Fix:     "Transpose or project one of them.",
		Source:  torchMatmul,
		Check:   unlessBroken,
	},
	{
		ID: layer.MatmulSimilar, Severity: Advice, Group: Shapes,
		Title:   "Product taken as a similarity",
		Trigger: "Two matrices do not multiply as they stand, but do when the second is transposed.",
		Why:     "It is taken as A·Bᵀ, the similarity of rows, as in contrastive models. torch.matmul itself would refuse it.",
		Fix:     "Declare transposeB, which says so.",
		Source:  torchMatmul,
	},
	{
		ID: layer.ReshapeCount, Severity: Error, Group: Shapes,
		Title:   "Reshape changes the number of elements",
		Trigger: "The shape to reshape to, with or without the batch axis, has another number of elements than the input.",
		Why:     "A reshape moves no data; PyTorch raises an error.",
		Fix:     "Correct the sizes, or leave one of them to be inferred with -1.",
		Source:  "https://docs.pytorch.org/docs/stable/generated/torch.reshape.html",
	},
	{
		ID: layer.AxisRange, Severity: Error, Group: Shapes,
		Title:   "Axis that does not exist",
		Trigger: "A layer names an axis that its input does not have.",
		Why:     "PyTorch raises an error. An axis that is not negative counts the batch axis.",
		Fix:     "Name an axis of the input; negative ones count from the end.",
		Source:  "https://docs.pytorch.org/docs/stable/tensor_view.html",
	},
	{
		ID: layer.WindowTooLarge, Severity: Error, Group: Shapes,
		Title:   "Kernel larger than the padded input",
		Trigger: "A convolution's or pooling's window does not fit into its input even once.",
		Why:     "The output would be empty; PyTorch raises an error. Mostly the stack has halved the resolution once too often.",
		Fix:     "Use a smaller kernel, more padding or a larger input.",
		Source:  torchConv2d,
	},
	{
		ID: layer.RowsDropped, Severity: Advice, Group: Shapes,
		Title:   "Rows that no window covers",
		Trigger: "A window at least as large as its stride leaves elements at the end of the unpadded input uncovered.",
		Why:     "What stands there never reaches the output: the edge of the image or of the signal is cut off.",
		Fix:     "Pad the input, or choose sizes that divide.",
		Source:  torchConv2d,
	},
	{
		ID: layer.PatchDivides, Severity: Warning, Group: Shapes,
		Title:   "Image not divisible by the patch size",
		Trigger: "A side of the image is no multiple of the patch's.",
		Why:     "The rest of the image is in no patch, and the reference implementations refuse such an image.",
		Fix:     "Choose a patch size that divides both sides, or resize the image.",
		Source:  "https://arxiv.org/abs/2010.11929",
		Check:   unless(layer.WidthMismatch),
	},
	{
		ID: layer.GroupsDivide, Severity: Error, Group: Shapes,
		Title:   "Channels not divisible by the groups",
		Trigger: "The channels of a grouped convolution or of a GroupNorm do not divide evenly into its groups.",
		Why:     "PyTorch refuses to build the layer.",
		Fix:     "Choose a number of groups that divides the channels.",
		Source:  "https://docs.pytorch.org/docs/stable/generated/torch.nn.GroupNorm.html",
		Check:   unless(layer.WidthMismatch),
	},
	{
		ID: layer.ShuffleFactor, Severity: Error, Group: Shapes,
		Title:   "Channels not divisible by the square of the upscale factor",
		Trigger: "A pixelShuffle by r gets a number of channels that is no multiple of r².",
		Why:     "It makes r × r pixels of r² channels; PyTorch raises an error.",
		Fix:     "Let the convolution before it put out a multiple of r² channels.",
		Source:  "https://docs.pytorch.org/docs/stable/generated/torch.nn.PixelShuffle.html",
	},
	{
		ID: layer.OutputPadding, Severity: Error, Group: Shapes,
		Title:   "Output padding not less than the stride",
		Trigger: "A transposed convolution has an outputPadding that is at least its stride and its dilation.",
		Why:     "It only decides between the sizes that one stride leaves open; PyTorch raises an error.",
		Fix:     "Lower outputPadding, mostly to the stride minus 1 or to 0.",
		Source:  "https://docs.pytorch.org/docs/stable/generated/torch.nn.ConvTranspose2d.html",
	},
	{
		ID: layer.SameStride, Severity: Error, Group: Shapes,
		Title:   "Padding \"same\" with a stride",
		Trigger: "A convolution has padding \"same\" and a stride other than 1.",
		Why:     "The output cannot have the size of the input; PyTorch refuses to build the layer.",
		Fix:     "Give the padding as a number, or set the stride to 1.",
		Source:  torchConv2d,
		Check: func(p *Pass) {
			for _, r := range p.problems[layer.SameStride] {
				p.problem(r).Patch = p.replace(r.node, r.problem.Param, "1")
			}
		},
	},
	{
		ID: layer.HiddenWidth, Severity: Warning, Group: Shapes,
		Title:   "Token input that already carries the hidden width",
		Trigger: "The input of an embedding is declared with three axes or more, the last as wide as the embedding itself.",
		Why:     "Token ids have no width: the embedding gives it to them. The last axis is left out, so that it is not counted twice.",
		Fix:     "Declare the input as [batch, tokens].",
		Source:  torchEmbedding,
		Check:   hiddenWidth,
	},
	{
		ID: layer.FloatIDs, Severity: Error, Group: Shapes,
		Title:   "Embedding of something that is no ids",
		Trigger: "An embedding is fed with features, or with an input that can be no list of ids.",
		Why:     "A look-up needs integers; PyTorch raises an error. The result is unknown.",
		Fix:     "Feed it from an input of ids, or use a linear layer for features.",
		Source:  torchEmbedding,
	},
	{
		ID: layer.LayoutChange, Severity: Advice, Group: Shapes,
		Title:   "Change of layout",
		Trigger: "A layer that PyTorch applies to the last axis gets channels first, as a convolution leaves them, or the other way about.",
		Why:     "Here the layer acts on the channels wherever they are. In PyTorch a transpose stands before it; the exported code writes it.",
		Fix:     "Nothing need be done; draw a permute to show it.",
		Source:  "https://docs.pytorch.org/docs/stable/generated/torch.permute.html",
		Check:   layoutChange,
	},
	{
		ID: layer.DeclaredDiffers, Severity: Warning, Group: Shapes,
		Title:   "Declared output differs from the derived one",
		Trigger: "An output declares a shape, and another one arrives.",
		Why:     "The derived shape holds. Either the declaration is out of date, or a layer does not do what was thought.",
		Fix:     "Correct the declared shape, or the layers before it.",
		Source:  torchModule,
		Check: func(p *Pass) {
			for _, r := range p.problems[layer.DeclaredDiffers] {
				f := p.problem(r)
				if x := p.Nodes[r.node].Result.Out; x.Known() {
					f.Patch = p.replace(r.node, r.problem.Param, x.Dims.Brackets())
				}
			}
		},
	},
}

// unless keeps the findings of layers about which another rule, that says what
// is behind it, has none.
func unless(rule string) func(*Pass) {
	return func(p *Pass) { p.forward(func(i int) bool { return !p.has(i, rule) }) }
}

// unlessBroken keeps the findings that do not follow from a broken width.
func unlessBroken(p *Pass) { p.forward(func(i int) bool { return !p.follows(i) }) }

// hiddenWidth adds the patch of the input: its shape without the last axis.
func hiddenWidth(p *Pass) {
	for _, r := range p.problems[layer.HiddenWidth] {
		f := p.problem(r)
		from := p.Nodes[r.node].Operands[0]
		dims := p.param(from, "shape")
		if last := strings.LastIndexByte(dims, ','); last > 0 && p.Nodes[from].Is("input") {
			f.Patch = p.replace(from, "shape", dims[:last]+"]")
		}
	}
}

// layoutChange reports where channels-first data enter layers of the other
// layout, not again at each layer after that.
func layoutChange(p *Pass) {
	if p.problems[layer.LayoutChange] == nil {
		return
	}
	changed := make([]bool, len(p.Nodes))
	for _, i := range p.Order {
		n := &p.Nodes[i]
		if p.has(i, layer.LayoutChange) {
			changed[i] = true
			continue
		}
		if n.Result.Out.Known() && n.Result.Out.FeatureLast() {
			continue
		}
		for _, in := range n.Operands {
			changed[i] = changed[i] || changed[in]
		}
	}
	p.forward(func(i int) bool {
		for _, in := range p.Nodes[i].Operands {
			if changed[in] {
				return false
			}
		}
		return true
	})
}
