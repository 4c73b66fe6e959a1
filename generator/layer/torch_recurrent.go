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
	conv := l.conv(d)
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

// conv declares the convolution of each inner feature over the tokens up to
// its own.
func (l *mamba) conv(d *draft) *piece {
	const options = "padding=kernel - 1, groups=inner_dim"
	if path, ok := moduleOf(l.Stored, "conv1d", l.ConvBias); ok {
		return d.module(path, pyCall("nn.Conv1d", "inner_dim", "inner_dim", "kernel", options, option("bias", l.ConvBias, true)))
	}
	p := &piece{apply: "F.conv1d($x, $0, padding=$0.shape[-1] - 1, groups=$0.shape[0])"}
	list := []slot{{path: l.tensor("conv1d", "weight").Name, expr: "nn.Parameter(torch.randn(inner_dim, 1, kernel) * 0.02)", parameter: true}}
	if l.ConvBias {
		p.apply = "F.conv1d($x, $0, $1, padding=$0.shape[-1] - 1, groups=$0.shape[0])"
		list = append(list, constant(l.Stored, "conv1d", "inner_dim"))
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
