package layer

import "fmt"

// Torch is the attention of DeepSeek-V2: keys and values are projected from one
// latent vector for each token, and only a part of each head is turned. Without
// a rope of its own it has the angles of DeepSeek, interleaved.
func (l *latentAttention) Torch(c *TorchCall) (Torch, error) {
	side, err := sidesOf(c)
	switch x := c.In[0]; {
	case err != nil:
		return Torch{}, err
	case side.alibi != nil:
		return Torch{}, fmt.Errorf("its heads know positions by rotary embedding; ALiBi is not defined for them")
	case x.Width() != l.EmbedDim:
		return Torch{}, fmt.Errorf("its input is %d wide, but is projected from a width of %d", x.Width(), l.EmbedDim)
	}
	turn := side.rope
	if turn == nil {
		turn = &rope{Theta: 10000, PartialRotaryFactor: 1, Interleaved: true}
	}
	call, err := attentionCall(c, l.NumHeads)
	if err != nil {
		return Torch{}, err
	}
	d := &draft{}
	s := scoring{causal: l.Causal, masked: len(c.Masks) > 0, dropout: l.Dropout > 0}
	d.arg("dim", "int", py(l.EmbedDim))
	d.keep("num_heads", "int", py(l.NumHeads))
	if l.QLatentDim > 0 {
		d.arg("q_latent_dim", "int", py(l.QLatentDim))
	}
	d.keep("latent_dim", "int", py(l.KVLatentDim))
	d.keep("nope_dim", "int", py(l.NopeHeadDim))
	d.keep("rope_dim", "int", py(l.RopeHeadDim))
	d.keep("v_dim", "int", py(l.VHeadDim))
	if l.Scale > 0 {
		d.keep("scale", "float", pyFloat(l.Scale))
		s.scale = "self.scale"
	}
	if s.dropout {
		d.keep("dropout", "float", pyFloat(l.Dropout))
	}
	queries := l.queries(d)
	down := d.linear(l.Stored, "kv_a", "latent_dim + rope_dim", "dim", l.Bias)
	norm := d.normed(l.Stored, "kv_a_norm", "latent_dim", false, false, l.NormEps)
	up := d.linear(l.Stored, "kv_b", "num_heads * (nope_dim + v_dim)", "latent_dim", false)
	out := d.linear(l.Stored, "o", "dim", "num_heads * v_dim", l.Bias)
	if err := d.place(); err != nil {
		return Torch{}, err
	}
	if err := turn.rotary(d, "rope_dim", l.RopeHeadDim); err != nil {
		return Torch{}, err
	}
	words, class := title(c.Type)
	d.name, d.doc = class, docstring(words, append(s.facts(), "rotary positions in a part of each head")...)
	if d.args = "x: Tensor"; s.masked {
		d.args += ", mask: Tensor"
	}
	d.step(
		"q = "+queries(),
		"q = q.unflatten(-1, (self.num_heads, -1)).transpose(-3, -2)",
		"latent = "+down.of("x"),
		"latent, k_rope = latent.split((self.latent_dim, self.rope_dim), dim=-1)",
		"kv = "+up.of(norm.of("latent")),
		"kv = kv.unflatten(-1, (self.num_heads, -1)).transpose(-3, -2)",
		"q_nope, q_rope = q.split((self.nope_dim, self.rope_dim), dim=-1)",
		"k_nope, v = kv.split((self.nope_dim, self.v_dim), dim=-1)",
		"q_rope = self.rotary(q_rope)",
		"k_rope = self.rotary(k_rope).unsqueeze(-3).expand_as(q_rope)  # for all heads",
		"q = torch.cat((q_nope, q_rope), dim=-1)",
		"k = torch.cat((k_nope, k_rope), dim=-1)")
	s.attend(d)
	d.step(
		"y = y.transpose(-3, -2).flatten(-2)  # [..., tokens, num_heads * v_dim]",
		"return "+out.of("y"))
	return d.torch(call)
}

// queries declares the projection of the queries, direct or by a latent vector,
// and returns how it is applied once its modules are placed.
func (l *latentAttention) queries(d *draft) func() string {
	const rows = "num_heads * (nope_dim + rope_dim)"
	if l.QLatentDim == 0 {
		q := d.linear(l.Stored, "q", rows, "dim", false)
		return func() string { return q.of("x") }
	}
	down := d.linear(l.Stored, "q_a", "q_latent_dim", "dim", l.Bias)
	norm := d.normed(l.Stored, "q_a_norm", "q_latent_dim", false, false, l.NormEps)
	up := d.linear(l.Stored, "q_b", rows, "q_latent_dim", false)
	return func() string {
		d.step("q = " + norm.of(down.of("x")))
		return up.of("q")
	}
}
