package layer

import (
	"fmt"
	"strings"
)

// torch is one of PyTorch's recurrent modules. Final is where the final states
// stand in what it yields.
func (l *recurrent) torch(c *TorchCall, module, final string, options ...string) (Torch, error) {
	if w := c.In[0].Width(); w != l.InputSize {
		return Torch{}, fmt.Errorf("its input is %d wide, but inputSize is %d", w, l.InputSize)
	}
	there, back, err := asTokens(c.In[0])
	if err != nil {
		return Torch{}, err
	}
	dropout := ""
	if l.NumLayers > 1 {
		dropout = option("dropout", l.Dropout, 0)
	}
	args := append([]string{py(l.InputSize), py(l.HiddenSize), option("num_layers", l.NumLayers, 1)}, options...)
	args = append(args, option("bias", l.Bias, true), "batch_first=True", dropout, option("bidirectional", l.Bidirectional, false))
	m := standard{module: pyCall(module, args...), own: l.ownNames(), w: l.Weights(), call: "$m($x)[0]"}
	switch {
	case l.ReturnSequences:
	case l.Bidirectional:
		m.call, back = "torch.cat($m($x)"+final+"[-2:].unbind(), dim=-1)", ""
	default:
		m.call, back = "$m($x)"+final+"[-1]", ""
	}
	if _, ok := m.prefix(); !ok {
		return Torch{}, fmt.Errorf("its tensors have other names than %s gives them", module)
	}
	return m.torch(func(step string) string { return strings.ReplaceAll(step, "$x", "$0"+there) + back })
}

// ownNames are the names that PyTorch's module gives to the weights.
func (l *recurrent) ownNames() (names []string) {
	bare := *l
	bare.Names = nil
	for _, w := range bare.Weights() {
		names = append(names, w.Name)
	}
	return names
}

func (l *lstm) Torch(c *TorchCall) (Torch, error) {
	if l.ProjSize >= l.HiddenSize {
		return Torch{}, fmt.Errorf("projSize is %d, must be below hiddenSize, %d", l.ProjSize, l.HiddenSize)
	}
	return l.torch(c, "nn.LSTM", "[1][0]", option("proj_size", l.ProjSize, 0))
}

func (l *gru) Torch(c *TorchCall) (Torch, error) { return l.torch(c, "nn.GRU", "[1]") }

func (l *rnn) Torch(c *TorchCall) (Torch, error) {
	return l.torch(c, "nn.RNN", "[1]", option("nonlinearity", l.Nonlinearity, "tanh"))
}

// Torch is the block of "Mamba" (2023), under the names of state-spaces/mamba
// and of Hugging Face's transformers, with its scan step by step.
func (l *mamba) Torch(c *TorchCall) (Torch, error) {
	if w := c.In[0].Width(); w != l.EmbedDim {
		return Torch{}, fmt.Errorf("its input is %d wide, but is projected from a width of %d", w, l.EmbedDim)
	}
	call, err := overTokens(c.In[0])
	if err != nil {
		return Torch{}, err
	}
	d := &draft{}
	d.name, d.doc = "Mamba", docstring("Mamba: a selective state space", "each token decays the state and adds to it by amounts that depend on the token itself")
	d.arg("dim", "int", py(l.EmbedDim))
	d.arg("inner_dim", "int", py(l.inner))
	d.keep("state_dim", "int", py(l.DState))
	d.keep("dt_rank", "int", py(l.DtRank))
	d.arg("kernel", "int", py(l.DConv))
	in := d.linear(l.Stored, "in_proj", "2 * inner_dim", "dim", l.Bias)
	conv := causalConv(d, l.Stored, "inner_dim", l.ConvBias)
	x := d.linear(l.Stored, "x_proj", "dt_rank + 2 * state_dim", "inner_dim", false)
	dt := d.linear(l.Stored, "dt_proj", "inner_dim", "dt_rank", true)
	a := d.free(l.own("A_log").Name, "torch.arange(1.0, state_dim + 1).log().repeat(inner_dim, 1)")
	skip := d.free(l.own("D").Name, "torch.ones(inner_dim)")
	out := d.linear(l.Stored, "out_proj", "dim", "inner_dim", l.Bias)
	norms := l.norms(d)
	if err := d.place(); err != nil {
		return Torch{}, err
	}
	d.step(
		"x, gate = "+in.operand("x")+".chunk(2, dim=-1)  # [..., tokens, inner_dim]",
		"x = "+conv.of("x.transpose(-1, -2)")+"[..., : x.shape[-2]]",
		"x = F.silu(x.transpose(-1, -2))",
		"sizes = (self.dt_rank, self.state_dim, self.state_dim)",
		"dt, b, c = "+x.operand("x")+".split(sizes, dim=-1)")
	for i, name := range []string{"dt", "b", "c"}[:len(norms)] {
		d.step(name + " = " + norms[i].of(name))
	}
	d.step(
		"dt = F.softplus("+dt.of("dt")+")  # [..., tokens, inner_dim]",
		"decay = (dt[..., None] * -"+a.of("")+".exp()).exp()  # [..., tokens, inner_dim, state_dim]",
		"update = (dt * x)[..., None] * b[..., None, :]",
		"state = torch.zeros_like(update[..., 0, :, :])",
		"states = []",
		"for keep, add in zip(decay.unbind(-3), update.unbind(-3)):",
		"    state = keep * state + add",
		"    states.append(state)",
		"y = (torch.stack(states, dim=-3) * c[..., None, :]).sum(dim=-1)",
		"y = (y + x * "+skip.of("")+") * F.silu(gate)",
		"return "+out.of("y"))
	return d.torch(call)
}

// causalConv declares the convolution of each of so many features over the
// tokens up to its own.
func causalConv(d *draft, s Stored, width string, bias bool) *piece {
	if path, ok := moduleOf(s, "conv1d", bias); ok {
		return d.module(path, pyCall("nn.Conv1d", width, width, "kernel", "padding=kernel - 1, groups="+width, option("bias", bias, true)))
	}
	p := &piece{apply: "F.conv1d($x, $0, padding=$0.shape[-1] - 1, groups=$0.shape[0])"}
	list := []slot{{path: s.tensor("conv1d", "weight").Name, expr: "nn.Parameter(torch.randn(" + width + ", 1, kernel) * 0.02)", parameter: true}}
	if bias {
		p.apply = "F.conv1d($x, $0, $1, padding=$0.shape[-1] - 1, groups=$0.shape[0])"
		list = append(list, constant(s, "conv1d", width))
	}
	return d.add(p, list...)
}

// norms declares Jamba's norms of step sizes, B and C, none without them.
func (l *mamba) norms(d *draft) (list []*piece) {
	if !l.StateNorms {
		return nil
	}
	for _, n := range []struct{ role, size string }{{"dt_layernorm", "dt_rank"}, {"b_layernorm", "state_dim"}, {"c_layernorm", "state_dim"}} {
		list = append(list, d.normed(l.Stored, n.role, n.size, false, false, l.NormEps))
	}
	return list
}

// Torch is the block of "Transformers are SSMs" (2024), under the names of
// Hugging Face's transformers, with its scan step by step.
func (l *mamba2) Torch(c *TorchCall) (Torch, error) {
	switch w := c.In[0].Width(); {
	case w != l.EmbedDim:
		return Torch{}, fmt.Errorf("its input is %d wide, but is projected from a width of %d", w, l.EmbedDim)
	case l.inner%l.HeadDim != 0 || l.heads%l.NumGroups != 0:
		return Torch{}, fmt.Errorf("%d inner features do not divide into heads of %d in %d groups", l.inner, l.HeadDim, l.NumGroups)
	}
	call, err := overTokens(c.In[0])
	if err != nil {
		return Torch{}, err
	}
	d := &draft{}
	d.name, d.doc = "Mamba2Mixer", docstring("Mamba-2: a selective state space in heads", "each token decays the state of a head and adds to it by amounts that depend on the token itself")
	d.arg("dim", "int", py(l.EmbedDim))
	d.arg("inner_dim", "int", py(l.inner))
	d.arg("state_dim", "int", py(l.DState))
	d.keep("head_dim", "int", py(l.HeadDim))
	d.keep("num_groups", "int", py(l.NumGroups))
	d.arg("kernel", "int", py(l.DConv))
	d.init = append(d.init,
		"heads = inner_dim // head_dim",
		"mixed_dim = inner_dim + 2 * num_groups * state_dim")
	d.set("sizes", "(inner_dim, mixed_dim, heads)")
	d.set("mixed_sizes", "(inner_dim, num_groups * state_dim, num_groups * state_dim)")
	in := d.linear(l.Stored, "in_proj", "inner_dim + mixed_dim + heads", "dim", l.Bias)
	conv := causalConv(d, l.Stored, "mixed_dim", l.ConvBias)
	dt := d.free(l.own("dt_bias").Name, "torch.zeros(heads)")
	a := d.free(l.own("A_log").Name, "torch.arange(1.0, heads + 1).log()")
	skip := d.free(l.own("D").Name, "torch.ones(heads)")
	norm := d.free(l.tensor("norm", "weight").Name, "torch.ones(inner_dim)")
	out := d.linear(l.Stored, "out_proj", "dim", "inner_dim", l.Bias)
	if err := d.place(); err != nil {
		return Torch{}, err
	}
	d.step(
		"gate, x, dt = "+in.operand("x")+".split(self.sizes, dim=-1)",
		"x = "+conv.of("x.transpose(-1, -2)")+"[..., : x.shape[-2]]",
		"x, b, c = F.silu(x.transpose(-1, -2)).split(self.mixed_sizes, dim=-1)",
		"x = x.unflatten(-1, (-1, self.head_dim))  # [..., tokens, heads, head_dim]",
		"dt = F.softplus(dt + "+dt.of("")+")  # [..., tokens, heads]",
		"decay = (dt * -"+a.of("")+".exp()).exp()",
		"b, c = (h.unflatten(-1, (self.num_groups, -1)) for h in (b, c))",
		"size = dt.shape[-1] // self.num_groups",
		"b, c = (h.repeat_interleave(size, dim=-2) for h in (b, c))",
		"# b, c: [..., tokens, heads, state_dim]",
		"decay, update = decay[..., None, None], (dt[..., None] * x)[..., None]",
		"b, c = b[..., None, :], c[..., None, :]",
		"state = x.new_zeros(*x[..., 0, :, :].shape, b.shape[-1])",
		"outputs = []",
		"steps = (h.unbind(-4) for h in (decay, update, b, c))",
		"for keep, add, write, read in zip(*steps):",
		"    state = keep * state + add * write",
		"    outputs.append((state * read).sum(dim=-1))",
		"y = torch.stack(outputs, dim=-3) + "+skip.of("")+"[:, None] * x",
		"y = (y.flatten(-2) * F.silu(gate)).unflatten(-1, (self.num_groups, -1))",
		"y = "+pyCall("F.rms_norm", "y", "y.shape[-1:]", "eps="+pyFloat(l.NormEps))+".flatten(-2) * "+norm.of(""),
		"return "+out.of("y"))
	return d.torch(call)
}

// shifted writes the mixtures of each token with the one before it.
func shifted(d *draft, mix map[string]*piece, names ...string) {
	d.step("before = F.pad(x, (0, 0, 1, -1))  # the token before")
	for _, name := range names {
		d.step(name + " = torch.lerp(before, x, " + mix[name].of("") + "[0, 0])")
	}
}

// Torch is the time mixing of "RWKV: Reinventing RNNs for the Transformer Era"
// (2023), under the names of Hugging Face's transformers, step by step in the
// form that does not overflow.
func (l *rwkvTimeMix) Torch(c *TorchCall) (Torch, error) {
	if w := c.In[0].Width(); w != l.EmbedDim {
		return Torch{}, fmt.Errorf("its input is %d wide, but is projected from a width of %d", w, l.EmbedDim)
	}
	call, err := overTokens(c.In[0])
	if err != nil {
		return Torch{}, err
	}
	d := &draft{}
	d.name, d.doc = "TimeMix", docstring("RWKV time mixing", "each inner feature averages its values so far; a key weighs a value, and the weight fades at a learned pace")
	d.arg("dim", "int", py(l.EmbedDim))
	d.arg("inner_dim", "int", py(l.InnerDim))
	decay := d.free(l.own("time_decay").Name, "torch.zeros(inner_dim)")
	first := d.free(l.own("time_first").Name, "torch.zeros(inner_dim)")
	mix, project := map[string]*piece{}, map[string]*piece{}
	for _, n := range []struct{ short, name string }{{"k", "key"}, {"v", "value"}, {"r", "receptance"}} {
		mix[n.short] = d.free(l.own("time_mix_"+n.name).Name, "torch.full((1, 1, dim), 0.5)")
	}
	for _, n := range []struct{ short, name string }{{"k", "key"}, {"v", "value"}, {"r", "receptance"}} {
		project[n.short] = d.linear(l.Stored, n.name, "inner_dim", "dim", false)
	}
	out := d.linear(l.Stored, "output", "dim", "inner_dim", false)
	if err := d.place(); err != nil {
		return Torch{}, err
	}
	shifted(d, mix, "k", "v", "r")
	d.step(
		"k, v = "+project["k"].of("k")+", "+project["v"].of("v")+"  # [..., tokens, inner_dim]",
		"r = "+project["r"].operand("r")+".sigmoid()",
		"decay, first = -"+decay.of("")+".exp(), "+first.of(""),
		"# top is the largest exponent so far: all weights are relative to it.",
		"total = weight = torch.zeros_like(k[..., 0, :])",
		"top = torch.full_like(total, -1e38)",
		"outputs = []",
		"for key, value in zip(k.unbind(-2), v.unbind(-2)):",
		"    high = torch.maximum(top, first + key)",
		"    old, new = (top - high).exp(), (first + key - high).exp()",
		"    outputs.append((old * total + new * value) / (old * weight + new))",
		"    high = torch.maximum(top + decay, key)",
		"    old, new = (top + decay - high).exp(), (key - high).exp()",
		"    total, weight, top = old * total + new * value, old * weight + new, high",
		"y = r * torch.stack(outputs, dim=-2)",
		"return "+out.of("y"))
	return d.torch(call)
}

// Torch is the channel mixing of the same paper.
func (l *rwkvChannelMix) Torch(c *TorchCall) (Torch, error) {
	if w := c.In[0].Width(); w != l.EmbedDim {
		return Torch{}, fmt.Errorf("its input is %d wide, but is projected from a width of %d", w, l.EmbedDim)
	}
	call, err := overTokens(c.In[0])
	if err != nil {
		return Torch{}, err
	}
	d := &draft{}
	d.name, d.doc = "ChannelMix", docstring("RWKV channel mixing", "a feed-forward network that reads each token and the one before it, behind a gate")
	d.arg("dim", "int", py(l.EmbedDim))
	d.arg("hidden_dim", "int", py(l.FFDim))
	mix := map[string]*piece{}
	for _, n := range []struct{ short, name string }{{"k", "key"}, {"r", "receptance"}} {
		mix[n.short] = d.free(l.own("time_mix_"+n.name).Name, "torch.full((1, 1, dim), 0.5)")
	}
	key := d.linear(l.Stored, "key", "hidden_dim", "dim", false)
	receptance := d.linear(l.Stored, "receptance", "dim", "dim", false)
	value := d.linear(l.Stored, "value", "dim", "hidden_dim", false)
	if err := d.place(); err != nil {
		return Torch{}, err
	}
	shifted(d, mix, "k", "r")
	d.step(
		"k = F.relu("+key.of("k")+").square()  # [..., tokens, hidden_dim]",
		"return "+receptance.operand("r")+".sigmoid() * "+value.operand("k"))
	return d.torch(call)
}
