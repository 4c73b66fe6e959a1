package layer

import (
	"fmt"
	"math"
	"strings"
)

// sideInputs are the side inputs of one attention layer.
type sideInputs struct {
	rope  *rope
	alibi *alibi
}

// sidesOf sorts the side inputs.
func sidesOf(c *TorchCall) (s sideInputs, err error) {
	for _, l := range c.Side {
		switch l := l.(type) {
		case *rope:
			if s.rope != nil {
				return s, fmt.Errorf("two rope layers feed it; its queries can be turned once only")
			}
			s.rope = l
		case *alibi:
			if s.alibi != nil {
				return s, fmt.Errorf("two alibi layers feed it; its scores can be lowered once only")
			}
			s.alibi = l
		}
	}
	return s, nil
}

// turned is how many features of a head the angles turn.
func (l *rope) turned(headDim int64) (int64, error) {
	dim := l.Dim
	if dim == 0 {
		dim = headDim
	}
	dim = int64(float64(dim) * l.PartialRotaryFactor)
	switch {
	case dim > headDim:
		return 0, fmt.Errorf("the rope that feeds it turns %d features, but a head has %d", dim, headDim)
	case dim < 2 || dim%2 != 0:
		return 0, fmt.Errorf("the rope that feeds it turns %d features, but features turn in pairs", dim)
	}
	return dim, nil
}

// rotary gives a draft a module that turns the last axis of a tensor. Head is
// the expression of its size, headDim.
func (l *rope) rotary(d *draft, head string, headDim int64) error {
	dim, err := l.turned(headDim)
	if err != nil {
		return err
	}
	a, err := l.angles(dim)
	if err != nil {
		return err
	}
	h := helper{
		name:   "Rotary",
		doc:    docstring("Rotary position embedding", "turns pairs of features by angles that grow with the position"),
		params: "dim: int, theta: float",
		init:   []string{"self.dim = dim", "self.theta = theta"},
		body:   append([]string{"# x: [..., tokens, head_dim]"}, a.body()...),
	}
	if dim != headDim {
		d.arg("rotary_dim", "int", py(dim))
		head = "rotary_dim"
	}
	d.arg("theta", "float", pyFloat(l.Theta))
	values := []string{head, "theta"}
	for _, arg := range a.args {
		h.params += ", " + arg.name + ": " + arg.kind
		h.init = append(h.init, "self."+arg.name+" = "+arg.name)
		values = append(values, arg.name+"="+arg.value)
	}
	h.body = append(h.body, l.turn(dim < headDim)...)
	c := h.class()
	d.need(c)
	d.set("rotary", pyCall("$"+c.Name, values...))
	return nil
}

// angles is how the angles of a rotary embedding are computed.
type angles struct {
	args          []angleArg // of the constructor, behind dim and theta
	before, after []string   // statements around that of the frequencies
	theta         string     // their base
	position      string
	gain          string   // a factor of cos and sin
	lines         []string // all statements, where they are others
}

type angleArg struct{ name, kind, value string }

func (a *angles) arg(name string, v float64) {
	a.args = append(a.args, angleArg{name, "float", pyFloat(v)})
}

func (a *angles) length(name string, n int64) {
	a.args = append(a.args, angleArg{name, "int", py(n)})
}

func (a *angles) list(name string, all Numbers) {
	var parts []string
	for _, x := range all {
		parts = append(parts, pyFloat(x))
	}
	a.args = append(a.args, angleArg{name, "list[float]", "[" + strings.Join(parts, ", ") + "]"})
}

// grid turns half of the pairs by the row of a token, half by its column.
func (l *rope) grid(a *angles, dim int64) error {
	switch {
	case len(l.Grid) != 2:
		return fmt.Errorf("the rope that feeds it has a grid of %d numbers, not of rows and columns", len(l.Grid))
	case dim%4 != 0:
		return fmt.Errorf("the rope that feeds it turns %d features by row and column, but each turns features in pairs", dim)
	case l.Scaling != "none":
		return fmt.Errorf("the rope that feeds it has a grid, whose angles are not stretched")
	}
	a.length("rows", l.Grid.At(0))
	a.length("columns", l.Grid.At(1))
	first, second := "row", "column"
	if l.ColumnsFirst {
		first, second = second, first
	}
	from := ""
	if l.FirstCell > 0 {
		a.length("first", l.FirstCell)
		from = " + self.first"
	}
	a.lines = []string{
		"octave = torch.arange(0, self.dim // 2, 2, device=x.device) / (self.dim // 2)",
		"frequency = self.theta**-octave  # [dim / 4]",
		"cell = torch.arange(x.shape[-2], device=x.device)[:, None]",
		"row, column = cell // self.columns" + from + ", cell % self.columns" + from,
		"angle = torch.cat((" + first + " * frequency, " + second + " * frequency), dim=-1)",
		"angle = angle.masked_fill(cell >= self.rows * self.columns, 0)  # [tokens, dim / 2]",
		"cos, sin = angle.cos(), angle.sin()",
	}
	return nil
}

// body is the statements up to cos and sin.
func (a *angles) body() []string {
	if a.lines != nil {
		return a.lines
	}
	list := append(a.before,
		"octave = torch.arange(0, self.dim, 2, device=x.device) / self.dim",
		"frequency = "+a.theta+"**-octave  # [dim / 2]")
	list = append(list, a.after...)
	return append(list,
		"position = "+a.position,
		"angle = position[:, None] * frequency  # [tokens, dim / 2]",
		"cos, sin = angle.cos()"+a.gain+", angle.sin()"+a.gain)
}

// angles are those of the layer's scaling. The formulas are those of
// modeling_rope_utils in Hugging Face's transformers.
func (l *rope) angles(dim int64) (*angles, error) {
	a := &angles{theta: "self.theta", position: "torch.arange(x.shape[-2], device=x.device)"}
	if l.Grid != nil {
		return a, l.grid(a, dim)
	}
	switch l.Scaling {
	case "linear":
		a.arg("factor", l.Factor)
		a.position += " / self.factor"
	case "dynamic":
		return a, l.dynamic(a, dim)
	case "llama3":
		return a, l.llama3(a)
	case "yarn":
		return a, l.yarn(a)
	case "longrope":
		return a, l.longrope(a, dim)
	}
	return a, nil
}

// dynamic raises the base with the length, once that is beyond maxSeqLen.
func (l *rope) dynamic(a *angles, dim int64) error {
	switch {
	case l.MaxSeqLen == 0:
		return fmt.Errorf("the rope that feeds it scales dynamically, which needs its maxSeqLen")
	case dim < 4:
		return fmt.Errorf("the rope that feeds it scales %d features dynamically, which needs 4 or more", dim)
	}
	a.arg("factor", l.Factor)
	a.length("max_len", l.MaxSeqLen)
	a.theta = "theta"
	a.before = []string{
		"stretch = self.factor * max(x.shape[-2] / self.max_len, 1.0) - self.factor + 1",
		"theta = self.theta * stretch ** (self.dim / (self.dim - 2))",
	}
	return nil
}

// llama3 blends frequencies by how often they turn within originalMaxSeqLen.
func (l *rope) llama3(a *angles) error {
	switch {
	case l.OriginalMaxSeqLen == 0:
		return fmt.Errorf("the rope that feeds it has llama3 scaling, which needs its originalMaxSeqLen")
	case l.HighFreqFactor <= l.LowFreqFactor:
		return fmt.Errorf("the rope that feeds it has llama3 scaling, which needs a highFreqFactor above lowFreqFactor")
	}
	a.arg("factor", l.Factor)
	a.length("original_len", l.OriginalMaxSeqLen)
	a.arg("low", l.LowFreqFactor)
	a.arg("high", l.HighFreqFactor)
	a.after = []string{
		"# Long waves are stretched, short ones stay, those between are blended.",
		"turns = self.original_len * frequency / (2 * math.pi)",
		"stay = ((turns - self.low) / (self.high - self.low)).clamp(0, 1)",
		"frequency = stay * frequency + (1 - stay) * frequency / self.factor",
	}
	return nil
}

// yarn blends frequencies by their place among all.
func (l *rope) yarn(a *angles) error {
	switch {
	case l.OriginalMaxSeqLen == 0:
		return fmt.Errorf("the rope that feeds it has yarn scaling, which needs its originalMaxSeqLen")
	case l.Theta <= 1 || l.BetaFast <= 0 || l.BetaSlow <= 0:
		return fmt.Errorf("the rope that feeds it has yarn scaling, which needs a theta above 1, and betaFast and betaSlow above 0")
	}
	a.arg("factor", l.Factor)
	a.length("original_len", l.OriginalMaxSeqLen)
	a.arg("fast", l.BetaFast)
	a.arg("slow", l.BetaSlow)
	low, high := "low", "high"
	if l.Truncate {
		low, high = "math.floor(low)", "math.ceil(high)"
	}
	a.after = []string{
		"# Slow turns are stretched, fast ones stay, those between are blended.",
		"scale = self.dim / (2 * math.log(self.theta))",
		"low = scale * math.log(self.original_len / (2 * math.pi * self.fast))",
		"high = scale * math.log(self.original_len / (2 * math.pi * self.slow))",
		"low, high = max(" + low + ", 0), min(" + high + ", self.dim - 1)",
		"pair = torch.arange(self.dim // 2, device=x.device)",
		"stay = 1 - ((pair - low) / (high - low or 0.001)).clamp(0, 1)",
		"frequency = stay * frequency + (1 - stay) * frequency / self.factor",
	}
	if gain := l.gain(); gain != 1 {
		a.arg("gain", gain)
		a.gain = " * self.gain"
	}
	return nil
}

// longrope divides each frequency by a factor of its own.
func (l *rope) longrope(a *angles, dim int64) error {
	switch pairs := int(dim / 2); {
	case len(l.LongFactors) != pairs || len(l.ShortFactors) != pairs:
		return fmt.Errorf("the rope that feeds it has longrope scaling, which needs longFactors and shortFactors for each of %d frequencies", pairs)
	case l.OriginalMaxSeqLen < 2:
		return fmt.Errorf("the rope that feeds it has longrope scaling, which needs an originalMaxSeqLen above 1")
	}
	a.length("original_len", l.OriginalMaxSeqLen)
	a.list("long", l.LongFactors)
	a.list("short", l.ShortFactors)
	a.after = []string{
		"# Each pair has a factor of its own, and another one in long sequences.",
		"factors = self.long if x.shape[-2] > self.original_len else self.short",
		"frequency = frequency / torch.tensor(factors, device=x.device)",
	}
	gain := l.AttentionFactor
	if gain == 0 {
		gain = math.Sqrt(1 + math.Log(l.Factor)/math.Log(float64(l.OriginalMaxSeqLen)))
	}
	if gain != 1 {
		a.arg("gain", gain)
		a.gain = " * self.gain"
	}
	return nil
}

// gain is what YaRN multiplies the turned features by: the factor of its paper
// unless the graph gives one.
func (l *rope) gain() float64 {
	if l.AttentionFactor > 0 {
		return l.AttentionFactor
	}
	return 0.1*math.Log(l.Factor) + 1
}

// turn is the statements that turn x by cos and sin.
func (l *rope) turn(partial bool) (body []string) {
	pairs, turned := "x.chunk(2, dim=-1)", "torch.cat((a * cos - b * sin, b * cos + a * sin), dim=-1)"
	if l.Interleaved {
		pairs = "x[..., 0::2], x[..., 1::2]"
		turned = "torch.stack((a * cos - b * sin, b * cos + a * sin), dim=-1)"
	}
	if partial {
		body = append(body, "x, rest = x.tensor_split((self.dim,), dim=-1)")
	}
	body = append(body, "a, b = "+pairs)
	if l.Interleaved {
		body = append(body, "y = "+turned)
		turned = "y.flatten(-2)"
	}
	turned += ".type_as(x)"
	if partial {
		return append(body, "y = "+turned, "return torch.cat((y, rest), dim=-1)")
	}
	return append(body, "return "+turned)
}

// alibiClass is the linear biases of so many heads. Where that is no power of
// two, the slopes go on between those of the next one.
func alibiClass(heads int64) Class {
	h := helper{
		name:   "Alibi",
		doc:    docstring("Attention with linear biases", "each head lowers its scores in proportion to the distance"),
		params: "num_heads: int",
		init:   []string{"self.num_heads = num_heads"},
		args:   "distance: Tensor",
		body: []string{
			"head = torch.arange(1, self.num_heads + 1, device=distance.device)",
			"slope = 2 ** (-8 * head / self.num_heads)  # [heads]",
			"return -slope[:, None, None] * distance  # [heads, queries, keys]",
		},
	}
	if heads&(heads-1) != 0 {
		h.body = []string{
			"power = 2 ** (self.num_heads.bit_length() - 1)",
			"head = torch.arange(1, power + 1, device=distance.device)",
			"slope = 2 ** (-8 * head / power)",
			"more = torch.arange(1, 2 * (self.num_heads - power), 2, device=distance.device)",
			"slope = torch.cat((slope, 2 ** (-4 * more / power)))  # [heads]",
			"return -slope[:, None, None] * distance  # [heads, queries, keys]",
		}
	}
	return h.class()
}

// bucketsClass is T5's division of distances into buckets: half of them for
// one token each, the others for ever longer stretches. Without causality the
// keys behind and ahead have half of the buckets each.
func bucketsClass(causal bool) Class {
	h := helper{
		name:   "Buckets",
		doc:    docstring("The bucket of each distance, as in T5", "the first half of the buckets hold one distance each, the others ever longer stretches"),
		params: "num_buckets: int, max_distance: int",
		init:   []string{"self.num_buckets = num_buckets", "self.max_distance = max_distance"},
		args:   "back: Tensor",
		body: []string{
			"# back: [queries, keys], how far each key lies behind the query",
			"exact = self.num_buckets // 2",
			"distance = back.clamp(min=0)",
		},
	}
	count, first := "self.num_buckets", ""
	if !causal {
		h.init[0] = "self.num_buckets = num_buckets // 2"
		h.body[2] = "distance = back.abs()"
		first = " + self.num_buckets * (back < 0)"
	}
	h.body = append(h.body,
		"octave = (distance.clamp(min=1) / exact).log() / math.log(self.max_distance / exact)",
		"far = exact + (octave * ("+count+" - exact)).long()",
		"far = far.clamp(max="+count+" - 1)",
		"return torch.where(distance < exact, distance, far)"+first)
	return h.class()
}
