package layer

import (
	"fmt"
	"slices"
	"strings"
)

// squareParts are the modules of an attention layer, nil where it has none,
// and how it scores.
type squareParts struct {
	scoring
	q, k, v, qkv        *piece
	qBias, kBias, vBias *piece // beside qkv, where not all three have one
	o                   *piece
	qNorm, kNorm        *piece
	lattice             *piece // biases of a grid of patches
	rows, columns       *piece // vectors of offsets along two axes
	rotary, grown       bool
}

// Torch is a helper class with the projections, what else was asked for, and
// the heads.
func (g *square) Torch(c *TorchCall) (Torch, error) {
	if err := g.runs(c); err != nil {
		return Torch{}, err
	}
	call, err := attentionCall(c, g.queryHeads)
	if err != nil {
		return Torch{}, err
	}
	d, p := &draft{}, &squareParts{}
	if err := g.draft(d, p, c); err != nil {
		return Torch{}, err
	}
	g.project(d, p, len(c.In))
	p.attend(d)
	y := "y.transpose(-3, -2).flatten(-2)"
	if p.o != nil {
		d.step("y = "+y+"  # [..., tokens, num_heads * head_dim]", "return "+p.o.of("y"))
	} else {
		d.step("return " + y + "  # [..., tokens, num_heads * head_dim]")
	}
	return d.torch(call)
}

// runs reports why PyTorch could not compute the layer.
func (g *square) runs(c *TorchCall) error {
	switch {
	case g.cross && len(c.In) < 2:
		return fmt.Errorf("it has no context to attend to")
	case g.queryHeads%g.kvHeads != 0:
		return fmt.Errorf("%d query heads cannot share %d heads of keys and values evenly", g.queryHeads, g.kvHeads)
	case len(c.In) > 1 && g.store.Layout == "interleaved":
		return fmt.Errorf("queries, keys and values are interleaved in one matrix, but come from different operands")
	case g.growth > 0 && g.growEvery == 0:
		return fmt.Errorf("its queries grow, but queryGrowthEvery is missing")
	case g.kvWidth != g.width && len(c.In) < 2:
		return fmt.Errorf("keys and values are projected from a width of %d, but its input is %d wide", g.kvWidth, g.width)
	}
	for i, x := range c.In {
		if want := []int64{g.width, g.kvWidth}[min(i, 1)]; x.Width() != want {
			return fmt.Errorf("operand %d is %d wide, but is projected from a width of %d", i+1, x.Width(), want)
		}
	}
	return nil
}

// draft declares the class, but for its forward.
func (g *square) draft(d *draft, p *squareParts, c *TorchCall) error {
	side, err := sidesOf(c)
	if err != nil {
		return err
	}
	d.arg("dim", "int", py(g.width))
	context, kvHeads := "dim", "num_heads"
	if g.kvWidth != g.width {
		d.arg("kv_dim", "int", py(g.kvWidth))
		context = "kv_dim"
	}
	d.arg("num_heads", "int", py(g.queryHeads))
	if p.grouped = g.kvHeads != g.queryHeads; p.grouped {
		d.arg("num_kv_heads", "int", py(g.kvHeads))
		kvHeads = "num_kv_heads"
	}
	d.keep("head_dim", "int", py(g.headDim))
	p.size = "self.head_dim"
	p.chunk, p.prefix = g.chunk > 0, g.prefix > 0
	p.causal, p.window, p.cross = g.causal, g.window > 0, len(c.In) > 1
	p.masked, p.alibi, p.rotary, p.offsets = len(c.Masks) > 0, side.alibi != nil, side.rope != nil, g.grid != nil
	g.options(d, p)
	g.projections(d, p, context, kvHeads)
	if err := d.place(); err != nil {
		return err
	}
	if err := g.positions(d, p, side); err != nil {
		return err
	}
	facts := p.facts()
	if p.rotary {
		facts = append(facts, "rotary positions")
	}
	words, class := title(c.Type)
	facts = slices.DeleteFunc(facts, func(f string) bool { return strings.EqualFold(f+" attention", words) })
	d.name, d.doc = class, docstring(words, facts...)
	d.args = []string{"x: Tensor", "x: Tensor, context: Tensor", "x: Tensor, context: Tensor, values: Tensor"}[len(c.In)-1]
	if p.masked {
		d.args += ", mask: Tensor"
	}
	return nil
}

// positions declares what tells the heads where their tokens are.
func (g *square) positions(d *draft, p *squareParts, side sideInputs) error {
	if p.alibi {
		if n := side.alibi.NumHeads; n != 0 && n != g.queryHeads {
			return fmt.Errorf("the alibi that feeds it has slopes for %d heads, but there are %d", n, g.queryHeads)
		}
		a := alibiClass(g.queryHeads)
		d.need(a)
		d.set("alibi", "$"+a.Name+"(num_heads)")
	}
	if p.relative != nil {
		b := bucketsClass(g.causal)
		d.need(b)
		d.set("bucket", "$"+b.Name+"(num_buckets, max_distance)")
	}
	if p.lattice != nil {
		g.index(d, p)
	}
	if !p.rotary {
		return nil
	}
	return side.rope.rotary(d, "head_dim", g.headDim)
}

// index registers which row of the table each pair of tokens has, of a class
// token and a grid of patches behind it.
func (g *square) index(d *draft, p *squareParts) {
	d.fields = append(d.fields, "relative_position_index: Tensor")
	d.init = append(d.init,
		"place = torch.cartesian_prod(torch.arange(grid[0]), torch.arange(grid[1]))",
		"offset = place[:, None] - place  # [patches, patches, 2]",
		"row, column = offset[..., 0] + grid[0] - 1, offset[..., 1] + grid[1] - 1",
		"offsets = (2 * grid[0] - 1) * (2 * grid[1] - 1)",
		"index = F.pad(row * (2 * grid[1] - 1) + column, (1, 0, 1, 0))",
		"index[0], index[1:, 0], index[0, 0] = offsets, offsets + 1, offsets + 2",
		`self.register_buffer("relative_position_index", index, persistent=False)`)
	d.attributes = append(d.attributes, "relative_position_index")
	p.terms = append(p.terms, p.lattice.of("")+"[self.relative_position_index].movedim(-1, 0)")
}

// options declares the numbers that forward needs.
func (g *square) options(d *draft, p *squareParts) {
	if p.window {
		d.keep("window", "int", py(g.window))
	}
	if p.softcap = g.softcap > 0; p.softcap {
		d.keep("softcap", "float", pyFloat(g.softcap))
	}
	if g.scale > 0 {
		d.keep("scale", "float", pyFloat(g.scale))
		p.scale = "self.scale"
	}
	if g.chunk > 0 {
		d.keep("chunk", "int", py(g.chunk))
	}
	if g.prefix > 0 {
		d.keep("prefix", "int", py(g.prefix))
	}
	if p.grown = g.growth > 0; p.grown {
		d.keep("growth", "float", pyFloat(g.growth))
		d.keep("step", "int", py(g.growEvery))
	}
	if g.clip > 0 {
		d.keep("clip", "float", pyFloat(g.clip))
	}
	if p.dropout = g.dropout > 0; p.dropout {
		d.keep("dropout", "float", pyFloat(g.dropout))
	}
	if g.buckets > 0 {
		d.arg("num_buckets", "int", py(g.buckets))
		d.arg("max_distance", "int", py(g.maxDistance))
	}
	if g.grid != nil {
		d.arg("grid", "tuple[int, int]", pyTuple(g.grid))
	}
}

// projections declares the modules, in the order of Weights.
func (g *square) projections(d *draft, p *squareParts, context, kvHeads string) {
	s, queries, keys := g.stored(), "num_heads * head_dim", kvHeads+" * head_dim"
	if g.store.Layout == "split" {
		p.q = d.linear(s, "q", queries, "dim", g.qBias)
		p.k = d.linear(s, "k", keys, context, g.kBias)
		p.v = d.linear(s, "v", keys, context, g.vBias)
	} else {
		g.oneMatrix(d, p, queries, keys)
	}
	if !g.open {
		p.o = d.linear(s, "o", "dim", queries, g.oBias)
	}
	switch {
	case g.qkNormFree:
		if g.qkNorm != "none" {
			p.qNorm = &piece{apply: "F.rms_norm($x, $x.shape[-1:], eps=" + pyFloat(g.qkNormEps) + ")"}
			p.kNorm = p.qNorm
		}
	case g.qkNorm == "head":
		p.qNorm = d.normed(s, "q_norm", "head_dim", g.qkNormBias, g.qkNormOffset, g.qkNormEps)
		p.kNorm = d.normed(s, "k_norm", "head_dim", g.qkNormBias, g.qkNormOffset, g.qkNormEps)
	case g.qkNorm == "full":
		p.qNorm = d.normed(s, "q_norm", queries, g.qkNormBias, g.qkNormOffset, g.qkNormEps)
		p.kNorm = d.normed(s, "k_norm", keys, g.qkNormBias, g.qkNormOffset, g.qkNormEps)
	}
	if g.sinks {
		p.sinks = d.free(s.own("sinks").Name, "torch.zeros(num_heads)")
	}
	if g.buckets > 0 {
		p.relative = d.table(s, "relative", "num_buckets", "num_heads")
	}
	if g.grid != nil {
		p.lattice = d.free(s.own("relative_position_bias_table").Name, "torch.zeros((2 * grid[0] - 1) * (2 * grid[1] - 1) + 3, num_heads)")
	}
	if g.more != nil {
		g.more()
	}
}

// oneMatrix declares the matrix of queries, keys and values, and the biases
// beside it where not all three have one.
func (g *square) oneMatrix(d *draft, p *squareParts, queries, keys string) {
	s, all, rows := g.stored(), g.qBias && g.kBias && g.vBias, "3 * "+queries
	if p.grouped {
		rows = "(num_heads + 2 * num_kv_heads) * head_dim"
	}
	p.qkv = d.linear(s, "qkv", rows, "dim", all)
	beside := func(role, size string, there bool) *piece {
		if all || !there {
			return nil
		}
		return d.add(&piece{apply: "$x + $0"}, constant(s, role, size))
	}
	p.qBias = beside("q", queries, g.qBias)
	p.kBias = beside("k", keys, g.kBias)
	p.vBias = beside("v", keys, g.vBias)
}

// project writes q, k and v: [..., heads, tokens, head_dim].
func (g *square) project(d *draft, p *squareParts, operands int) {
	flat := true // q, k and v are [..., tokens, heads * head_dim]
	switch {
	case p.qkv == nil:
		keys, values := "x", "x"
		if operands > 1 {
			keys, values = "context", "context"
		}
		if operands > 2 {
			values = "values"
		}
		d.step("q = "+p.q.of("x")+"  # [..., tokens, num_heads * head_dim]", "k = "+p.k.of(keys), "v = "+p.v.of(values))
	case operands > 1:
		g.crossed(d, p, operands)
	case g.store.Layout == "interleaved":
		flat = g.interleaved(d, p)
	case p.grouped:
		d.sizes()
		d.step("q, k, v = " + p.qkv.operand("x") + ".split(self.sizes, dim=-1)")
	default:
		d.step("q, k, v = " + p.qkv.operand("x") + ".chunk(3, dim=-1)")
	}
	for _, b := range []struct {
		at   *piece
		name string
	}{{p.qBias, "q"}, {p.kBias, "k"}, {p.vBias, "v"}} {
		if b.at != nil {
			d.step(b.name + " = " + b.at.of(b.name))
		}
	}
	norm := func() { d.step("q, k = " + p.qNorm.of("q") + ", " + p.kNorm.of("k")) }
	if g.qkNorm == "full" {
		norm()
	}
	if g.clip > 0 {
		d.step("q, k, v = (h.clamp(-self.clip, self.clip) for h in (q, k, v))")
	}
	heads := ".transpose(-3, -2)"
	if flat {
		heads = ".unflatten(-1, (-1, self.head_dim)).transpose(-3, -2)"
	}
	d.step("q = q"+heads+"  # [..., heads, tokens, head_dim]", "k = k"+heads, "v = v"+heads)
	if g.qkNorm == "head" {
		norm()
	}
	if p.rotary {
		d.step("q, k = self.rotary(q), self.rotary(k)")
	}
	if p.grown {
		d.step(
			"place = torch.arange(1, x.shape[-2] + 1, device=x.device)",
			"growth = 1 + self.growth * torch.log1p(place // self.step)",
			"q = q * growth[:, None].to(q.dtype)")
	}
}

// sizes stores how the rows of one matrix divide into queries, keys and values.
func (d *draft) sizes() {
	d.init = append(d.init, "rows, kv_rows = num_heads * head_dim, num_kv_heads * head_dim")
	d.set("sizes", "(rows, kv_rows, kv_rows)")
}

// interleaved takes one matrix apart head by head; it returns whether the heads
// are joined again, for what acts on all of them together.
func (g *square) interleaved(d *draft, p *squareParts) (flat bool) {
	if p.grouped {
		d.set("group", "num_heads // num_kv_heads")
		d.step(
			"qkv = "+p.qkv.operand("x")+".unflatten(-1, (-1, self.group + 2, self.head_dim))",
			"q, k, v = qkv.split((self.group, 1, 1), dim=-2)",
			"q, k, v = q.flatten(-3, -2), k.squeeze(-2), v.squeeze(-2)")
	} else {
		d.step(
			"qkv = "+p.qkv.operand("x")+".unflatten(-1, (-1, 3, self.head_dim))",
			"q, k, v = qkv.unbind(-2)  # [..., tokens, heads, head_dim]")
	}
	if g.qkNorm == "full" || p.qBias != nil || p.kBias != nil || p.vBias != nil {
		d.step("q, k, v = q.flatten(-2), k.flatten(-2), v.flatten(-2)")
		return true
	}
	return false
}

// crossed applies the rows of one matrix to the operands that they are for.
func (g *square) crossed(d *draft, p *squareParts, operands int) {
	weight, bias := p.qkv.at[0], ""
	switch all := g.qBias && g.kBias && g.vBias; {
	case p.qkv.apply == "$0($x)":
		weight += ".weight"
		if all {
			bias = p.qkv.at[0] + ".bias"
		}
	case all:
		bias = p.qkv.at[1]
	}
	cut, along := ".chunk(3", ")"
	if p.grouped {
		d.sizes()
		cut = ".split(self.sizes"
	}
	if g.store.Transposed {
		along = ", dim=1)"
	}
	d.step("wq, wk, wv = " + weight + cut + along)
	if bias != "" {
		d.step("bq, bk, bv = " + bias + cut + ")")
	}
	values := []string{"context", "values"}[operands-2]
	for _, to := range []struct{ name, from string }{{"q", "x"}, {"k", "context"}, {"v", values}} {
		expr := pyCall("F.linear", to.from, "w"+to.name)
		switch {
		case g.store.Transposed && bias != "":
			expr = to.from + " @ w" + to.name + " + b" + to.name
		case g.store.Transposed:
			expr = to.from + " @ w" + to.name
		case bias != "":
			expr = pyCall("F.linear", to.from, "w"+to.name, "b"+to.name)
		}
		d.step(to.name + " = " + expr)
	}
}

// Torch refuses: what the layer computes is not all in the graph.
func (l *nativeSparse) Torch(c *TorchCall) (Torch, error) {
	return Torch{}, fmt.Errorf("the gates between its branches and the networks that summarise its blocks are not part of the graph")
}
