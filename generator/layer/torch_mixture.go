package layer

import (
	"fmt"
	"strings"
)

// A router is how a mixture picks its experts in a helper class.
type router struct {
	gate, correction *piece
}

// expertsPath divides the path of the experts at the index of a copy: where
// they are listed, and the path within one of them.
func expertsPath(path string) (list, within string, err error) {
	if !strings.Contains(path, "{}") {
		path += ".{}"
	}
	list, within, ok := strings.Cut(path, ".{}")
	if !ok {
		return "", "", fmt.Errorf("the experts are called %q; their index must stand below a module, as in experts.{}", path)
	}
	return list, strings.TrimPrefix(within, "."), nil
}

// draft declares the constructor, the router and the experts. Expert writes y,
// what the experts make of their parts of the tokens.
func (l *mixture) draft(d *draft) (r router, expert func(d *draft), err error) {
	d.arg("dim", "int", py(l.EmbedDim))
	d.keep("num_experts", "int", py(l.NumExperts))
	d.arg("expert_dim", "int", py(l.ExpertDim))
	d.keep("top_k", "int", py(l.TopK))
	if l.RoutedScale != 1 {
		d.keep("scale", "float", pyFloat(l.RoutedScale))
	}
	if l.Scoring == "sparsemixer" {
		if l.limited() || l.ScoreCorrection {
			return r, nil, fmt.Errorf("sparsemixer picks from all experts by their scores alone; leave out topGroups and scoreCorrection")
		}
		d.keep("tolerance", "float", pyFloat(l.Tolerance))
	}
	if l.limited() {
		d.keep("num_groups", "int", py(l.NumGroups))
		d.keep("top_groups", "int", py(l.TopGroups))
	}
	r = l.router(d)
	switch l.Layout {
	case "stacked":
		return r, l.stackedExperts(d), nil
	case "rows":
		return r, l.joinedExperts(d), nil
	}
	expert, err = l.listedExperts(d)
	return r, expert, err
}

// router declares the matrix that scores the experts. It is never transposed.
func (l *mixture) router(d *draft) (r router) {
	s := Stored{Names: l.Names}
	if !l.ScoreCorrection {
		r.gate = d.linear(s, "router", "num_experts", "dim", l.RouterBias)
		return r
	}
	path, ok := moduleOf(s, "router", l.RouterBias)
	correction := s.tensor("router", "e_score_correction_bias").Name
	if ok && strings.HasPrefix(correction, path+".") {
		// nn.Linear has no place for a third tensor.
		r.gate = d.matrix(s, "router", "num_experts", "dim", l.RouterBias)
	} else {
		r.gate = d.linear(s, "router", "num_experts", "dim", l.RouterBias)
	}
	r.correction = d.free(correction, "torch.zeros(num_experts)")
	return r
}

// expertNetwork is the network of one expert.
func (l *mixture) expertNetwork() network {
	n := network{s: l.Stored, gated: l.Gated, fused: l.Layout == "fused", bias: l.Bias, activation: l.Activation, name: "Expert", doc: "A feed-forward network"}
	if l.Gated {
		n.doc = "A feed-forward network with a gate"
		if l.Activation == "silu" {
			n.name, n.doc = "SwiGLU", "A feed-forward network with a SiLU gate"
		}
	}
	return n
}

// listedExperts declares the experts one by one.
func (l *mixture) listedExperts(d *draft) (func(d *draft), error) {
	list, within, err := expertsPath(l.module("expert"))
	if err != nil {
		return nil, err
	}
	n := l.expertNetwork()
	n.prefix = within
	class, err := n.class()
	if err != nil {
		return nil, err
	}
	d.needs = append(d.needs, class)
	experts := d.add(&piece{apply: "$0"}, slot{path: list, expr: "nn.ModuleList([$" + class.Name + "(dim, expert_dim) for _ in range(num_experts)])"})
	return func(d *draft) {
		d.step("y = torch.cat([expert(part) for expert, part in zip(" + experts.of("") + ", parts)])")
	}, nil
}

// stackedExperts declares one tensor of all experts for each projection.
func (l *mixture) stackedExperts(d *draft) func(d *draft) {
	role, inner := "up", "expert_dim"
	if l.Gated {
		role, inner = "gate_up", "2 * expert_dim"
	}
	up := l.stackedMatrix(d, role, inner, "dim")
	down := l.stackedMatrix(d, "down", "dim", "expert_dim")
	return func(d *draft) {
		d.step("outputs = []", "for i, part in enumerate(parts):", "    h = "+up.of("part"))
		switch {
		case l.Activation == "swigluoai":
			d.step(
				"    gate, up = h[..., 0::2].clamp(max=7.0), h[..., 1::2].clamp(-7.0, 7.0)",
				"    h = gate * torch.sigmoid(1.702 * gate) * (up + 1)  # [part, expert_dim]")
		case l.Gated:
			d.step(
				"    gate, up = h.chunk(2, dim=-1)",
				"    h = "+activated(l.Activation, "gate")+" * up  # [part, expert_dim]")
		default:
			d.step("    h = " + activated(l.Activation, "h") + "  # [part, expert_dim]")
		}
		d.step("    outputs.append("+down.of("h")+")", "y = torch.cat(outputs)")
	}
}

// joinedExperts declares one matrix for each projection, with the experts above
// each other.
func (l *mixture) joinedExperts(d *draft) func(d *draft) {
	var names, tensors []string // of one expert, and of all
	pieces := map[string]*piece{}
	declare := func(name, path, size string) {
		names = append(names, name)
		pieces[name] = d.free(path, size)
	}
	for _, role := range l.joinedRoles() {
		weight, bias := l.stackNames(role)
		declare(role, weight, "torch.randn(num_experts * expert_dim, dim) * 0.02")
		switch {
		case l.Bias && role == "down":
			declare(role+"_bias", bias, "torch.zeros(num_experts * dim)")
		case l.Bias:
			declare(role+"_bias", bias, "torch.zeros(num_experts * expert_dim)")
		}
	}
	linear := func(role string) string {
		if l.Bias {
			return pyCall("F.linear", "part", role, role+"_bias")
		}
		return pyCall("F.linear", "part", role)
	}
	return func(d *draft) {
		for _, name := range names {
			tensors = append(tensors, pieces[name].of("")+".chunk(self.num_experts)")
		}
		inner, outer := activated(l.Activation, linear("up")), "h @ down"
		if l.Gated {
			inner = activated(l.Activation, linear("gate")) + " * " + linear("up")
		}
		if l.Bias {
			outer += " + down_bias"
		}
		d.step(
			"outputs = []",
			"weights = zip("+strings.Join(tensors, ", ")+")",
			"for part, ("+strings.Join(names, ", ")+") in zip(parts, weights):",
			"    h = "+inner,
			"    outputs.append("+outer+")",
			"y = torch.cat(outputs)")
	}
}

// stackedMatrix is a projection of expert i.
func (l *mixture) stackedMatrix(d *draft, role, out, in string) *piece {
	p, size := &piece{apply: "F.linear($x, $0[i])"}, out+", "+in
	if l.Bias {
		p.apply = "F.linear($x, $0[i], $1[i])"
	}
	if l.Transposed {
		p.apply, size = "$x @ $0[i]", in+", "+out
		if l.Bias {
			p.apply = "$x @ $0[i] + $1[i]"
		}
	}
	weight, bias := l.stackNames(role)
	list := []slot{{path: weight, expr: "nn.Parameter(torch.randn(num_experts, " + size + ") * 0.02)", parameter: true}}
	if l.Bias {
		list = append(list, slot{path: bias, expr: "nn.Parameter(torch.zeros(num_experts, " + out + "))", parameter: true})
	}
	return d.add(p, list...)
}

// route writes which experts each token goes to, and with which weights.
func (l *mixture) route(d *draft, r router) {
	if l.Scoring == "sparsemixer" {
		d.step(
			"tokens = x.reshape(-1, x.shape[-1])  # [tokens, dim]",
			"scores = "+r.gate.of("tokens")+"  # [tokens, num_experts]",
			"left, shares, picks = scores, [], []",
			"for _ in range(self.top_k):",
			"    best, pick = left.max(dim=-1, keepdim=True)",
			"    far = (best - scores) / scores.abs().maximum(best) > self.tolerance",
			"    share = left.masked_fill(far, float(\"-inf\")).softmax(dim=-1)",
			"    shares.append(share.gather(-1, pick))",
			"    picks.append(pick)",
			"    left = left.scatter(-1, pick, float(\"-inf\"))",
			"weight, expert = torch.cat(shares, dim=-1), torch.cat(picks, dim=-1)")
		l.weigh(d)
		return
	}
	scores := map[string]string{"softmax": r.gate.of("tokens") + ".softmax(dim=-1)", "sigmoid": r.gate.of("tokens") + ".sigmoid()"}
	d.step(
		"tokens = x.reshape(-1, x.shape[-1])  # [tokens, dim]",
		"scores = "+scores[l.Scoring]+"  # [tokens, num_experts]")
	choice := "scores"
	if r.correction != nil {
		choice = "choice"
		d.step("choice = scores + " + r.correction.of(""))
	}
	if l.limited() {
		best := "groups.amax(dim=-1)"
		if l.ScoreCorrection {
			best = "groups.topk(2, dim=-1).values.sum(dim=-1)"
		}
		d.step(
			"groups = "+choice+".unflatten(-1, (self.num_groups, -1))",
			"best = "+best+"  # [tokens, num_groups]",
			"group = best.topk(self.top_groups, dim=-1).indices",
			"closed = torch.ones_like(best, dtype=torch.bool).scatter(-1, group, False)",
			"choice = groups.masked_fill(closed[..., None], float(\"-inf\")).flatten(-2)")
		choice = "choice"
	}
	if choice == "scores" {
		d.step("weight, expert = scores.topk(self.top_k, dim=-1)  # [tokens, top_k]")
	} else {
		d.step("expert = choice.topk(self.top_k, dim=-1).indices  # [tokens, top_k]", "weight = scores.gather(-1, expert)")
	}
	l.weigh(d)
}

// weigh writes what becomes of the weights that were picked.
func (l *mixture) weigh(d *draft) {
	if l.NormTopK {
		d.step("weight = weight / weight.sum(dim=-1, keepdim=True)")
	}
	if l.RoutedScale != 1 {
		d.step("weight = weight * self.scale")
	}
}

// dispatch writes how the tokens get to their experts and back. Without data
// nothing can be routed, and every expert gets as many tokens.
func (l *mixture) dispatch(d *draft, experts func(d *draft)) {
	d.step(
		"order = expert.flatten().argsort()  # the tokens, expert by expert",
		"if x.is_meta:  # nothing to route by: an even split",
		"    n = expert.numel()",
		"    counts = [(n + i) // self.num_experts for i in range(self.num_experts)]",
		"else:",
		"    counts = expert.flatten().bincount(minlength=self.num_experts).tolist()",
	)
	if factor := "weight.flatten()[order, None]"; l.ScaleInput {
		d.step("parts = (tokens[order // self.top_k] * " + factor + ").split(counts)")
		experts(d)
	} else {
		d.step("parts = tokens[order // self.top_k].split(counts)")
		experts(d)
		d.step("y = y * " + factor)
	}
	d.step("y = torch.zeros_like(tokens).index_add(0, order // self.top_k, y)")
}

// facts are what a docstring says of the routing.
func (l *mixture) facts() []string {
	list := []string{"the best top_k of all experts work on a token"}
	if l.limited() {
		list[0] = "the best top_k of the experts in the best top_groups groups work on a token"
	}
	switch {
	case l.NormTopK && l.RoutedScale != 1:
		list = append(list, "their weights add up to scale")
	case l.NormTopK:
		list = append(list, "their weights add up to 1")
	}
	return list
}

// torch is a helper class with the router and the experts. Shared declares what
// works on every token, and returns what adds its result to y.
func (l *mixture) torch(c *TorchCall, shared func(d *draft) func(d *draft)) (Torch, error) {
	if w := c.In[0].Width(); w != l.EmbedDim {
		return Torch{}, fmt.Errorf("its input is %d wide, but the experts take a width of %d", w, l.EmbedDim)
	}
	if l.Activation == "swigluoai" && (!l.Gated || l.Layout != "stacked") {
		return Torch{}, fmt.Errorf("swigluoai takes gates and values from one matrix of all experts; set gated to true and layout to \"stacked\"")
	}
	d := &draft{}
	r, experts, err := l.draft(d)
	if err != nil {
		return Torch{}, err
	}
	more := shared(d)
	if err := d.place(); err != nil {
		return Torch{}, err
	}
	words, _ := title(c.Type)
	d.name, d.doc = "MixtureOfExperts", docstring(words, l.facts()...)
	l.route(d, r)
	l.dispatch(d, experts)
	more(d)
	d.step("return y.view_as(x)")
	call := onLast(c.In[0], "$m($x)")
	if call == "$m($0)" {
		call = ""
	}
	return d.torch(call)
}

func (l *moeLayer) Torch(c *TorchCall) (Torch, error) {
	return l.torch(c, func(*draft) func(*draft) { return func(*draft) {} })
}

// Torch adds the experts that work on every token.
func (l *sharedExpertMoE) Torch(c *TorchCall) (Torch, error) {
	if l.Activation == "swigluoai" {
		return Torch{}, fmt.Errorf("swigluoai is not defined for shared experts")
	}
	n := l.expertNetwork()
	n.s = l.ordinary()
	class, err := n.class()
	if err != nil {
		return Torch{}, err
	}
	return l.torch(c, func(d *draft) func(*draft) {
		class.Name = "Shared" + class.Name
		d.needs = append(d.needs, class)
		d.arg("shared_dim", "int", py(l.sharedDim))
		shared := d.module(l.module("shared"), "$"+class.Name+"(dim, shared_dim)")
		if !l.SharedGate {
			return func(d *draft) { d.step("y = y + " + shared.of("tokens")) }
		}
		gate := d.linear(Stored{Names: l.Names}, "shared_gate", "1", "dim", false)
		return func(d *draft) {
			d.step("y = y + " + gate.of("tokens") + ".sigmoid() * " + shared.of("tokens"))
		}
	})
}
