package layer

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/strata-catalog/strata/generator/shape"
)

// A reading is a step over a table: look is the expression that looks ids up
// in it, and weight the table itself.
type reading func(look func(ids string) string, weight string) string

// table is nn.Embedding, or a parameter where its tensor has another name.
func table(r renamed, rows, dim int64, read reading) (Torch, error) {
	m := standard{
		module: pyCall("nn.Embedding", py(rows), py(dim)),
		own:    []string{"weight"},
		w:      []Tensor{r.own("weight", rows, dim)},
		call:   read(func(ids string) string { return "$m(" + ids + ")" }, "$m.weight"),
	}
	if _, ok := m.prefix(); ok {
		return m.torch(func(step string) string { return step })
	}
	name := m.w[0].Name
	init := "nn.Parameter(torch.randn(" + py(rows) + ", " + py(dim) + "))"
	module, err := holder([]slot{{path: "$." + name, expr: init, parameter: true}}, []int{0}, 1)
	if err != nil {
		return Torch{}, err
	}
	weight := "$m" + within(name, true)
	return Torch{Module: module, Call: read(func(ids string) string { return "F.embedding(" + ids + ", " + weight + ")" }, weight)}, nil
}

func (l *embedding) Torch(c *TorchCall) (Torch, error) {
	times := ""
	if l.Scale != 1 {
		times = " * " + pyFloat(l.Scale)
	}
	return table(l.renamed, l.NumEmbeddings, l.EmbeddingDim, func(look func(ids string) string, weight string) string {
		if len(c.In) == 0 {
			return weight + times
		}
		return look("$0") + times
	})
}

// Torch has one id in each bag, for PyTorch takes bags and the graph has one
// id for each field.
func (l *embeddingBag) Torch(c *TorchCall) (Torch, error) {
	m := standard{
		module: pyCall("nn.EmbeddingBag", py(l.NumEmbeddings), py(l.EmbeddingDim), option("mode", l.Mode, "mean")),
		own:    []string{"weight"},
		w:      l.Weights(),
		apply:  pyCall("F.embedding_bag", "$x", "$weight", option("mode", l.Mode, "mean")),
		name:   "EmbeddingBag",
		doc:    "An EmbeddingBag whose table has the checkpoint's name.",
	}
	ids := c.Out.Rank() - 1
	return m.torch(func(step string) string {
		if ids == 1 {
			return strings.ReplaceAll(step, "$x", "$0.unsqueeze(-1)")
		}
		return strings.ReplaceAll(step, "$x", "$0.reshape(-1, 1)") + ".reshape(*$0.shape, -1)"
	})
}

// rowsOf is the step that adds the first rows of a table to the positions of
// the operand. rows is the expression of so many rows, "" for the first alone.
func rowsOf(c *TorchCall, rows func(n string) string) string {
	x := c.Out
	along := x.AsSequence().Positions()
	switch {
	case len(along) == 0:
		return "$0 + " + rows("")
	case len(along) == 1 && x.FeatureLast():
		return "$0 + " + rows("$0.shape[-2]")
	case len(along) == 1:
		return "$0 + " + rows("$0.shape[-1]") + ".mT"
	}
	n, _ := along.Elems()
	if x.FeatureLast() {
		return "$0 + " + rows(py(n)) + ".unflatten(0, " + pyTuple(along) + ")"
	}
	return "$0 + " + rows(py(n)) + ".mT.unflatten(1, " + pyTuple(along) + ")"
}

// repeated gives the rows of ids one copy for each sample of a batch.
func repeated(c *TorchCall, rows string) string {
	if c.Out.Rank() == 3 {
		return rows + ".expand(*$0.shape, -1)"
	}
	return rows
}

// isIDs reports whether a table of positions reads ids that are no features
// yet, and yields its rows alone.
func isIDs(c *TorchCall) bool { return c.In[0].Rank() < c.Out.Rank() }

// fits is an error where a table has fewer rows than there are positions.
func fits(x shape.Tensor, rows int64) error {
	if n := tokens(x); n > rows {
		return fmt.Errorf("its table has %d positions, but the sequence %d", rows, n)
	}
	if x.Feature != x.Rank()-1 && x.Feature != x.BatchAxes() {
		return fmt.Errorf("the features of %s stand between its positions", x.Dims.Brackets())
	}
	return nil
}

// positions is a learned table of positions, of which the first has the row at
// an offset.
func positions(c *TorchCall, r renamed, rows, offset, dim int64) (Torch, error) {
	if err := fits(c.Out, rows-offset); err != nil {
		return Torch{}, err
	}
	return table(r, rows, dim, func(look func(ids string) string, weight string) string {
		if isIDs(c) {
			ids := "torch.arange($0.shape[-1], device=$0.device)"
			if offset > 0 {
				ids += " + " + py(offset)
			}
			return repeated(c, look(ids))
		}
		return rowsOf(c, func(n string) string { return weight + "[" + slice(offset, n) + "]" })
	})
}

// slice is the index of n rows from an offset on, n being a number or an
// expression; of one row where it is "".
func slice(offset int64, n string) string {
	switch digits := digitsOnly(n); {
	case n == "":
		return py(offset)
	case offset == 0 && digits:
		return ":" + n
	case offset == 0:
		return ": " + n
	case digits:
		k, _ := strconv.ParseInt(n, 10, 64)
		return py(offset) + ":" + py(offset+k)
	}
	return py(offset) + " : " + py(offset) + " + " + n
}

func (l *learnedPositionalEmbedding) Torch(c *TorchCall) (Torch, error) {
	return positions(c, l.renamed, l.MaxLen, l.Offset, l.EmbedDim)
}

func (l *positionalEncoding) Torch(c *TorchCall) (Torch, error) {
	if l.Learned {
		return positions(c, l.renamed, l.MaxLen, 0, l.EmbedDim)
	}
	rows := l.MaxLen
	if rows == 0 {
		rows = tokens(c.Out)
	}
	if err := fits(c.Out, rows); err != nil {
		return Torch{}, err
	}
	step := repeated(c, "$m($0.shape[-1])")
	if !isIDs(c) {
		step = rowsOf(c, func(n string) string {
			if n == "" {
				return "$m(1)[0]"
			}
			return "$m(" + n + ")"
		})
	}
	return Torch{Module: pyCall("$Class", py(rows), py(l.EmbedDim)), Class: sinusoids, Call: step}, nil
}

// sinusoids is the table of "Attention Is All You Need".
var sinusoids = helper{
	name:   "SinusoidalPositions",
	doc:    "A table of sines and cosines of wavelengths from 2 pi to 10000 * 2 pi.",
	fields: []string{"table: Tensor"},
	params: "max_len: int, dim: int",
	init: []string{
		"position = torch.arange(max_len).unsqueeze(1)  # [max_len, 1]",
		"rate = torch.exp(torch.arange(0, dim, 2) * (-math.log(10000.0) / dim))",
		"table = torch.zeros(max_len, dim)",
		"table[:, 0::2] = torch.sin(position * rate)",
		"table[:, 1::2] = torch.cos(position * rate[: dim // 2])",
		`self.register_buffer("table", table, persistent=False)`,
	},
	args: "length: int",
	body: []string{"return self.table[:length]  # [length, dim]"},
}.class()

// Torch reads the waves at points, or at the middle of every pixel.
func (l *fourierPositions) Torch(c *TorchCall) (Torch, error) {
	name := l.own("positional_embedding").Name
	if Identifier(name) != name || digitsOnly(name) {
		return Torch{}, fmt.Errorf("%q of the name %q is no attribute that a module can have", name, name)
	}
	h := helper{
		name:   "FourierPositions",
		doc:    "Waves of fixed random directions over an image.",
		fields: []string{name + ": Tensor"},
		params: "features: int, height: int, width: int",
		init:   []string{"self.size = (height, width)", "self.register_buffer(" + py(name) + ", torch.randn(2, features))"},
	}
	args := []string{py(l.NumFeatures), py(l.ImgSize.At(0)), py(l.ImgSize.At(1))}
	waves := []string{
		"x = 2 * torch.stack((column / width, row / height), dim=-1) - 1",
		"x = 2 * math.pi * (x @ self." + name + ")",
		"return torch.cat((x.sin(), x.cos()), dim=-1)",
	}
	if len(c.In) > 0 {
		h.body = append([]string{
			"height, width = self.size",
			"column, row = x[..., 0] + 0.5, x[..., 1] + 0.5  # middles of pixels",
		}, waves...)
		return Torch{Module: pyCall("$Class", args...), Class: h.class()}, nil
	}
	h.source = true
	h.body = append([]string{
		"height, width = self.size",
		"places = torch.cartesian_prod(torch.arange(height), torch.arange(width))",
		"row, column = (places.to(self." + name + ") + 0.5).unbind(-1)",
	}, waves...)
	return Torch{Module: pyCall("$Class", args...), Class: h.class(), Call: "$m()"}, nil
}

// Torch takes ids for segments where no other layer looks them up. Else every
// position is of segment 0, as in BERT when no segments are given.
func (l *segmentEmbedding) Torch(c *TorchCall) (Torch, error) {
	return table(l.renamed, l.NumSegments, l.EmbedDim, func(look func(ids string) string, weight string) string {
		switch {
		case isIDs(c) && c.Tokens:
			return look("torch.zeros_like($0)")
		case isIDs(c):
			return look("$0")
		}
		row := "$0 + " + weight + "[0]"
		if behind := c.Out.Rank() - 1 - c.Out.Feature; behind > 0 {
			row += "[:" + strings.Repeat(", None", behind) + "]"
		}
		return row
	})
}

// Torch is a class of its own, or where no token and no table join the patches
// and the tensors of the projection stand as those of a convolution, that alone.
func (l *patchEmbed) Torch(c *TorchCall) (Torch, error) {
	if n := tokens(c.Out); l.PosEmbed && n != l.positions {
		return Torch{}, fmt.Errorf("its table has %d positions, but the image has %d", l.positions, n)
	}
	w := l.Weights()
	n := 1
	if l.Bias {
		n = 2
	}
	own := make([]slot, 0, 3)
	conv := standard{own: []string{"weight", "bias"}, w: w[:n]}
	h := helper{name: "PatchEmbed", doc: "Cuts images into patches and projects each to a token."}
	if prefix, ok := conv.prefix(); ok && l.Flat && prefix != "" {
		pixels := "channels * patch * patch"
		if sizeType(l.PatchSize) != "int" {
			pixels = "channels * patch[0] * patch[1]"
		}
		own = append(own, slot{path: prefix, expr: "nn.Linear(" + pixels + ", dim" + joinArg(option("bias", l.Bias, true)) + ")"})
	} else if ok && !l.Flat && (prefix != "" || len(w) == n) {
		own = append(own, slot{path: prefix, expr: "nn.Conv2d(channels, dim, kernel_size=patch, stride=stride" + joinArg(option("bias", l.Bias, true)) + ")"})
	} else {
		return Torch{}, fmt.Errorf("the tensors of its projection are called %s; give them one beginning", tensorNames(w[:n]))
	}
	if own[0].path == "" {
		module := pyCall("nn.Conv2d", py(l.InChans), py(l.EmbedDim), pySizes(l.PatchSize.At, 2), sizesOption("stride", l.Stride.At, 2, "1"), option("bias", l.Bias, true))
		return Torch{Module: module, Call: "$m($0).flatten(-2).mT"}, nil
	}
	h.params = "channels: int, dim: int, patch: " + sizeType(l.PatchSize) + ", stride: " + sizeType(l.Stride)
	args := []string{py(l.InChans), py(l.EmbedDim), pySizes(l.PatchSize.At, 2), pySizes(l.Stride.At, 2)}
	if l.ClsToken {
		own = append(own, slot{path: l.own("cls_token").Name, expr: "nn.Parameter(torch.zeros(1, 1, dim))", parameter: true})
	}
	if l.PosEmbed {
		h.params += ", positions: int"
		args = append(args, py(l.positions))
		own = append(own, slot{path: l.own("pos_embed").Name, expr: "nn.Parameter(torch.zeros(1, positions, dim))", parameter: true})
	}
	init, at, err := slots(own)
	if err != nil {
		return Torch{}, err
	}
	h.init, h.body = init, l.body(at)
	if l.Flat {
		h.init = append(h.init, "self.patch, self.stride = patch, stride")
	}
	t := Torch{Module: pyCall("$Class", args...), Class: h.class()}
	if c.Out.BatchAxes() == 0 {
		t.Call = "$m($0.unsqueeze(0)).squeeze(0)"
	}
	return t, nil
}

// body is the forward of the class, whose projection, class token and table
// stand at the given places.
func (l *patchEmbed) body(at []string) []string {
	patches := at[0] + "(x).flatten(2).mT  # [batch, patches, dim]"
	if l.Flat {
		patches = at[0] + "(F.unfold(x, self.patch, stride=self.stride).mT)"
	}
	if !l.ClsToken && !l.PosEmbed {
		return []string{"return " + patches}
	}
	body := []string{"x = " + patches}
	if l.ClsToken {
		body = append(body, "x = torch.cat(("+at[1]+".expand(x.shape[0], -1, -1), x), dim=1)")
	}
	if l.PosEmbed {
		return append(body, "return x + "+at[len(at)-1])
	}
	return append(body, "return x")
}

func tensorNames(w []Tensor) string {
	list := make([]string, len(w))
	for i, t := range w {
		list[i] = t.Name
	}
	return strings.Join(list, " and ")
}

// joinArg is an argument behind others.
func joinArg(arg string) string {
	if arg == "" {
		return ""
	}
	return ", " + arg
}

// sizeType is the type of a size along two axes.
func sizeType(s Sizes) string {
	if s.At(0) == s.At(1) {
		return "int"
	}
	return "tuple[int, int]"
}

func (l *timestepEmbedding) Torch(c *TorchCall) (Torch, error) {
	h := helper{
		name:   "TimestepEmbedding",
		doc:    "Turns numbers into cosines and sines of a geometric series of frequencies.",
		params: "dim: int, max_period: float",
		init:   []string{"self.frequencies = dim // 2", "self.max_period = max_period"},
		body: []string{
			"steps = torch.arange(self.frequencies, dtype=torch.float32, device=x.device)",
			"angles = x[..., None].float() * self.max_period ** (-steps / self.frequencies)",
		},
	}
	waves := "torch.cat((angles.cos(), angles.sin()), dim=-1)"
	if l.Dim%2 != 0 {
		h.body = append(h.body, "waves = "+waves)
		waves = "F.pad(waves, (0, 1))"
	}
	h.body = append(h.body, "return "+waves)
	return Torch{Module: pyCall("$Class", py(l.Dim), pyFloat(l.MaxPeriod)), Class: h.class()}, nil
}
