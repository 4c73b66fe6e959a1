package layer

import "strings"

// A scoring is how queries and keys become weights.
type scoring struct {
	causal, window  bool
	chunk, prefix   bool
	cross           bool // there are as many keys as the context has tokens
	masked          bool // a mask comes as an operand
	alibi, softcap  bool
	grouped         bool // fewer heads of keys and values than of queries
	dropout         bool
	relative, sinks *piece   // nil for none
	terms           []string // what else is added to the scores
	kept            bool     // which keys a query sees is written as keep
	offsets         bool     // some of the terms are biases of offsets within an image
	scale           string   // expression, "" for 1 over the root of the head's size
	size            string   // that size
}

// written reports that the scores are written out, because PyTorch's own
// attention cannot bend them or add sinks.
func (s *scoring) written() bool { return s.softcap || s.sinks != nil }

// masking writes which keys a query sees and what is added to its scores, as
// expressions, each "" for nothing.
func (s *scoring) masking(d *draft) (keep, bias string) {
	terms := s.terms
	reach := ""
	if s.window || s.chunk || s.prefix || s.alibi || s.relative != nil || s.masked || len(terms) > 0 || s.written() {
		reach = s.reach()
	}
	if reach != "" || s.alibi || s.relative != nil {
		s.distances(d)
	}
	switch {
	case reach != "":
		d.step("keep = " + reach)
		keep = "keep"
	case s.kept:
		keep = "keep"
	}
	if s.alibi {
		terms = append(terms, "self.alibi(back.abs())")
	}
	if s.relative != nil {
		terms = append(terms, s.relative.of("self.bucket(back)")+".movedim(-1, 0)")
	}
	if s.masked {
		terms = append(terms, "mask")
	}
	switch {
	case len(terms) == 0:
		return keep, ""
	case len(terms) == 1 && s.masked:
		return keep, "mask"
	case len(terms) == 1:
		d.step("bias = " + terms[0] + ".to(q.dtype)")
	default:
		d.step("bias = "+strings.Join(terms, " + "), "bias = bias.to(q.dtype)")
	}
	return keep, "bias"
}

// distances writes how far each key lies behind the query.
func (s *scoring) distances(d *draft) {
	if s.cross {
		d.step(
			"query = torch.arange(q.shape[-2], device=x.device)",
			"key = torch.arange(k.shape[-2], device=x.device)",
			"back = query[:, None] - key  # how far each key lies behind the query")
		return
	}
	d.step(
		"position = torch.arange(x.shape[-2], device=x.device)",
		"back = position[:, None] - position  # how far each key lies behind the query")
}

// reach is the condition that a query sees a key, "" for always.
func (s *scoring) reach() string {
	behind := "back >= 0"
	if s.prefix {
		behind = "(back >= 0) | (torch.maximum(position[:, None], position) < self.prefix)"
	}
	switch {
	case s.causal && s.chunk:
		return "(" + behind + ") & (position[:, None] // self.chunk == position // self.chunk)"
	case s.causal && s.window:
		return "(" + behind + ") & (back < self.window)"
	case s.causal:
		return behind
	case s.window:
		return "back.abs() <= self.window // 2"
	}
	return ""
}

// attend writes y, what the heads gather, from q, k and v: [..., heads, tokens,
// size].
func (s *scoring) attend(d *draft) {
	keep, bias := s.masking(d)
	if s.written() {
		s.writeOut(d, keep, bias)
		return
	}
	if keep != "" && bias != "" {
		d.step("bias = " + bias + ".masked_fill(~keep, float(\"-inf\"))")
		keep, bias = "", "bias"
	}
	args := []string{"q", "k", "v"}
	if keep+bias != "" {
		args = append(args, "attn_mask="+keep+bias)
	}
	if s.dropout {
		args = append(args, "dropout_p=self.dropout if self.training else 0.0")
	}
	if s.causal && keep+bias == "" {
		args = append(args, "is_causal=True")
	}
	if s.scale != "" {
		args = append(args, "scale="+s.scale)
	}
	if s.grouped {
		args = append(args, "enable_gqa=True")
	}
	d.step("y = " + pyCall("F.scaled_dot_product_attention", args...))
}

// writeOut writes the scores step by step.
func (s *scoring) writeOut(d *draft, keep, bias string) {
	if s.grouped {
		d.step(
			"k = k.repeat_interleave(q.shape[-3] // k.shape[-3], dim=-3)",
			"v = v.repeat_interleave(q.shape[-3] // v.shape[-3], dim=-3)")
	}
	scale := s.scale
	if scale == "" {
		scale = s.size + "**-0.5"
	}
	d.step("scores = q @ k.transpose(-2, -1) * " + scale + "  # [..., heads, queries, keys]")
	if s.softcap {
		d.step("scores = self.softcap * torch.tanh(scores / self.softcap)")
	}
	if bias != "" {
		d.step("scores = scores + " + bias)
	}
	if keep != "" {
		d.step("scores = scores.masked_fill(~" + keep + ", float(\"-inf\"))")
	}
	if s.sinks != nil {
		d.step(
			"sinks = "+s.sinks.of("")+"[:, None, None].expand(*scores.shape[:-1], 1)",
			"weights = torch.cat((scores, sinks), dim=-1).softmax(dim=-1)[..., :-1]")
	} else {
		d.step("weights = scores.softmax(dim=-1)")
	}
	if s.dropout {
		d.step("weights = F.dropout(weights, self.dropout, self.training)")
	}
	d.step("y = weights @ v")
}

// facts are what a docstring says of the scores.
func (s *scoring) facts() (list []string) {
	add := func(yes bool, fact string) {
		if yes {
			list = append(list, fact)
		}
	}
	add(s.causal, "causal")
	add(s.window, "within a sliding window")
	add(s.chunk, "within chunks of the sequence")
	add(s.prefix, "a beginning that sees all of itself")
	add(s.grouped, "groups of query heads share the keys and values of one head")
	add(s.alibi, "scores fall with the distance (ALiBi)")
	add(s.relative != nil, "a learned bias for each bucket of distances")
	add(s.offsets, "a learned bias for each offset of two patches")
	add(s.softcap, "soft-capped scores")
	add(s.sinks != nil, "sinks take attention away from all tokens")
	add(s.masked, "a mask is added to the scores")
	return list
}
