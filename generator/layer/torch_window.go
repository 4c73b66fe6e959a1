package layer

import (
	"fmt"
)

// Torch cuts the tokens into windows, attends within each, and puts them
// together again.
func (l *windowAttention) Torch(c *TorchCall) (Torch, error) {
	if err := l.runs(c); err != nil {
		return Torch{}, err
	}
	x := c.In[0].AsSequence()
	axes := len(x.Positions())
	switch {
	case len(c.Side) > 0:
		return Torch{}, fmt.Errorf("rotary positions and ALiBi are not defined within windows")
	case len(c.Masks) > 0:
		return Torch{}, fmt.Errorf("a mask over the whole sequence does not fit the scores of its windows")
	case axes != len(l.sides):
		return Torch{}, fmt.Errorf("its windows have %d axes, but %s has %d axes of positions", len(l.sides), x.Dims.Brackets(), axes)
	case axes > 2:
		return Torch{}, fmt.Errorf("its windows have %d axes; windows of one and of two can be written", axes)
	case axes == 1 && l.shifted():
		return Torch{}, fmt.Errorf("windows over a sequence are not shifted; windows over an image are")
	case l.Similarity == "cosine" && l.kBias && l.store.Layout == "interleaved":
		return Torch{}, fmt.Errorf("keys that are compared by their cosine go without a bias, but theirs is stored between others")
	}
	d, p := &draft{}, &squareParts{}
	var w windowParts
	if l.Similarity == "cosine" {
		w.scale = d.free(l.own("logit_scale").Name, "torch.full((num_heads, 1, 1), 10.0).log()")
	}
	switch {
	case l.PositionNetwork > 0:
		w.hidden = d.linear(l.stored(), "cpb_mlp.0", "position_dim", "2", true)
		w.biases = d.linear(l.stored(), "cpb_mlp.2", "num_heads", "position_dim", false)
	case l.RelativePositions:
		w.biases = d.free(l.own("relative_position_bias_table").Name, "torch.zeros((2 * window[0] - 1) * (2 * window[1] - 1), num_heads)")
	}
	if l.Decomposed {
		p.rows = d.free(l.own("rel_pos_h").Name, "torch.zeros(2 * window[0] - 1, head_dim)")
		p.columns = d.free(l.own("rel_pos_w").Name, "torch.zeros(2 * window[1] - 1, head_dim)")
	}
	if err := l.draft(d, p, c); err != nil {
		return Torch{}, err
	}
	if axes == 1 {
		d.keep("window", "int", py(l.tokens))
	} else {
		d.keep("window", "tuple[int, int]", pyTuple(l.sides))
	}
	if p.kept = l.shifted(); p.kept {
		d.keep("shift", "tuple[int, int]", pyTuple(l.shift()))
	}
	if w.biases != nil {
		if err := l.index(d, p, &w); err != nil {
			return Torch{}, err
		}
	}
	if axes == 1 {
		l.alongSequence(d, p, &w)
	} else {
		l.overImage(d, p, &w)
	}
	call := onLast(x, "$m($x)")
	if call == "$m($0)" {
		call = ""
	}
	return d.torch(call)
}

// windowParts are the pieces that attention within windows may have beside the
// projections.
type windowParts struct {
	scale  *piece   // factors of the heads
	hidden *piece   // first layer of the network that makes the biases
	biases *piece   // second layer of it, or the table
	table  []string // statements that make the table with the network
}

// index registers which row of the table each pair of tokens has, and for a
// network that makes the table, the offsets that it reads.
func (l *windowAttention) index(d *draft, p *squareParts, w *windowParts) error {
	name, table := l.own("relative_position_index").Name, l.own("relative_coords_table").Name
	for _, n := range []string{name, table} {
		if Identifier(n) != n || digitsOnly(n) {
			return fmt.Errorf("%q of the name %q is no attribute that a module can have", n, n)
		}
	}
	rows, option := w.biases.of(""), ""
	if l.RelativeIndex == "none" {
		option = ", persistent=False"
	}
	if w.hidden != nil {
		d.arg("position_dim", "int", py(l.PositionNetwork))
		d.fields = append(d.fields, table+": Tensor")
		d.init = append(d.init,
			"row = torch.arange(1 - window[0], window[0]) * 8 / max(window[0] - 1, 1)",
			"column = torch.arange(1 - window[1], window[1]) * 8 / max(window[1] - 1, 1)",
			"offset = torch.stack(torch.meshgrid(row, column, indexing=\"ij\"), dim=-1)[None]",
			"offset = offset.sign() * (offset.abs() + 1).log2() / 3",
			"self.register_buffer("+py(table)+", offset"+option+")")
		rows = "table"
		w.table = []string{
			"table = F.relu(" + w.hidden.of("self."+table) + ")",
			"table = 16 * torch.sigmoid(" + w.biases.of("table") + ".flatten(0, 2))  # [offsets, num_heads]",
		}
	}
	d.fields = append(d.fields, name+": Tensor")
	d.init = append(d.init,
		"row, column = torch.arange(window[0]), torch.arange(window[1])",
		"place = torch.cartesian_prod(row, column)  # [tokens, 2]",
		"offset = place[:, None] - place  # [tokens, tokens, 2]",
		"row, column = offset[..., 0] + window[0] - 1, offset[..., 1] + window[1] - 1",
		"index = row * (2 * window[1] - 1) + column")
	bias := rows + "[self." + name + "]"
	switch l.RelativeIndex {
	case "flat":
		d.init = append(d.init, "self.register_buffer("+py(name)+", index.flatten())")
		bias += ".unflatten(0, (q.shape[-2], -1))"
	case "none":
		d.init = append(d.init, "self.register_buffer("+py(name)+", index"+option+")")
	default:
		d.init = append(d.init, "self.register_buffer("+py(name)+", index)")
	}
	p.terms = append(p.terms, bias+".movedim(-1, 0)")
	return nil
}

// decomposed writes what queries have to do with each offset along an axis.
func (l *windowAttention) decomposed(d *draft, p *squareParts) {
	d.step(
		"row = torch.arange(self.window[0], device=x.device)",
		"column = torch.arange(self.window[1], device=x.device)",
		"by_row = "+p.rows.of("")+"[row[:, None] - row + self.window[0] - 1]",
		"by_column = "+p.columns.of("")+"[column[:, None] - column + self.window[1] - 1]",
		"image = q.unflatten(-2, self.window)  # [..., rows, columns, head_dim]",
		`vertical = torch.einsum("...hwc,hkc->...hwk", image, by_row)`,
		`horizontal = torch.einsum("...hwc,wkc->...hwk", image, by_column)`,
		"offsets = vertical[..., :, None] + horizontal[..., None, :]")
	p.terms = append(p.terms, "offsets.flatten(-2).flatten(-3, -2)")
}

// shift is by how many tokens the windows are shifted along each axis.
func (l *windowAttention) shift() []int64 {
	list := make([]int64, len(l.sides))
	for i := range list {
		list[i] = l.ShiftSize.At(i)
	}
	return list
}

func (l *windowAttention) shifted() bool {
	for _, n := range l.ShiftSize {
		if n > 0 {
			return true
		}
	}
	return false
}

// alongSequence attends within windows of one axis.
func (l *windowAttention) alongSequence(d *draft, p *squareParts, w *windowParts) {
	d.step(
		"length = x.shape[-2]",
		"x = F.pad(x, (0, 0, 0, -length % self.window))  # to whole windows",
		"x = x.unflatten(-2, (-1, self.window))  # [..., windows, tokens, dim]")
	l.within(d, p, w)
	d.step("return y.flatten(-3, -2)[..., :length, :]")
}

// overImage attends within windows of two axes. What a shift brings together
// from opposite ends must not attend to each other: each region has a number.
func (l *windowAttention) overImage(d *draft, p *squareParts, w *windowParts) {
	d.step(
		"height, width = x.shape[-3:-1]",
		"bottom, right = -height % self.window[0], -width % self.window[1]",
		"x = F.pad(x, (0, 0, 0, right, 0, bottom))  # to whole windows")
	if l.shifted() {
		d.step(
			"# An image that is one window high or wide is not shifted that way.",
			"down = self.shift[0] if x.shape[-3] > self.window[0] else 0",
			"over = self.shift[1] if x.shape[-2] > self.window[1] else 0",
			"x = x.roll((-down, -over), dims=(-3, -2))",
			"# Parts that come from opposite ends do not see each other.",
			"row = torch.arange(-x.shape[-3], 0, device=x.device)",
			"column = torch.arange(-x.shape[-2], 0, device=x.device)",
			"row = (row >= -self.window[0]).long() + (row >= -down)",
			"column = (column >= -self.window[1]).long() + (column >= -over)",
			"region = 3 * row[:, None] + column",
			"region = region.unflatten(1, (-1, self.window[1]))",
			"region = region.unflatten(0, (-1, self.window[0])).transpose(1, 2).flatten(2)",
			"keep = region[..., None, None, :] == region[..., None, :, None]")
	}
	d.step(
		"x = x.unflatten(-2, (-1, self.window[1])).unflatten(-4, (-1, self.window[0]))",
		"x = x.transpose(-4, -3).flatten(-3, -2)  # [..., rows, columns, tokens, dim]")
	l.within(d, p, w)
	d.step(
		"y = y.unflatten(-2, self.window).transpose(-4, -3)",
		"y = y.flatten(-5, -4).flatten(-3, -2)")
	if l.shifted() {
		d.step("y = y.roll((down, over), dims=(-3, -2))")
	}
	d.step("return y[..., :height, :width, :]")
}

// within attends within the windows, [..., windows, tokens, dim].
func (l *windowAttention) within(d *draft, p *squareParts, w *windowParts) {
	l.project(d, p, 1)
	if w.scale != nil {
		if bias := l.keyBias(p); bias != "" {
			d.step("k = k - " + bias + ".unflatten(0, (-1, 1, self.head_dim))  # stored, and not used")
		}
		d.step(
			"q = F.normalize(q, dim=-1) * "+w.scale.of("")+".clamp(max=math.log(100)).exp()",
			"k = F.normalize(k, dim=-1)")
		p.scale = "1.0"
	}
	if l.Decomposed {
		l.decomposed(d, p)
	}
	d.step(w.table...)
	p.attend(d)
	d.step("y = y.transpose(-3, -2).flatten(-2)  # [..., tokens, num_heads * head_dim]")
	if p.o != nil {
		d.step("y = " + p.o.of("y"))
	}
}

// keyBias is the bias that the keys were given, "" for none.
func (l *windowAttention) keyBias(p *squareParts) string {
	from, cut := p.k, ""
	switch {
	case !l.kBias:
		return ""
	case p.kBias != nil:
		return p.kBias.at[0]
	case p.qkv != nil:
		from, cut = p.qkv, ".chunk(3)[1]"
	}
	if from.apply == "$0($x)" {
		return from.at[0] + ".bias" + cut
	}
	return from.at[1] + cut
}
