package layer

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/strata-catalog/strata/generator/shape"
)

const expertWeights = "gate [numExperts, embedDim], the router, which is never transposed; experts.{} with gate_proj, up_proj and down_proj; stacked: experts.gate_up_proj [numExperts, 2 · expertDim, embedDim] and experts.down_proj [numExperts, embedDim, expertDim]; rows: experts.gate_proj, experts.up_proj and experts.down_proj [numExperts · expertDim, embedDim]"

const expertWork = "tokens · (embedDim · numExperts + topK · 3 · embedDim · expertDim) over the whole batch, and tokens · topK · 2 · expertDim element-wise operations; with gated false 2 in place of 3, and 1 of 2"

var mixtures = []*Type{
	declare(Type{
		Name: "moeLayer", Display: "Mixture of Experts", Part: FeedFwd, Ports: unary,
		Also: []string{"moe", "moeBlock", "sparseMoE", "sparseMoeBlock", "mixtureOfExperts"},
		Doc: Doc{
			Summary: "Sends every token to the few feed-forward networks that a router picks for it.",
			Shape:   "the shape of its input",
			Weights: expertWeights,
			Work:    expertWork,
			Source:  "https://arxiv.org/abs/2401.04088",
			Examples: []Example{
				{Params: `{"embedDim": 4096, "numExperts": 8, "expertDim": 14336, "topK": 2}`, In: []shape.Shape{{1, 2048, 4096}}},
				{Params: `{"numExperts": 128, "expertDim": 2880, "topK": 4, "activation": "swigluoai", "layout": "stacked", "transposed": true, "bias": true, "routerBias": true, "names": {"router": "router"}}`, In: []shape.Shape{{1, 4096, 2880}}},
				{Params: `{"numExperts": 16, "expertDim": 10752, "topK": 4, "layout": "rows", "names": {"router": "router.layer", "gate": "mlp.w1", "up": "mlp.v1", "down": "mlp.w2"}}`, In: []shape.Shape{{1, 2048, 6144}}},
				{Params: `{"embedDim": 4096, "numExperts": 8, "expertDim": 14336, "topK": 9}`, In: []shape.Shape{{1, 2048, 4096}}},
			},
		},
	}, moeLayer{routed}),
	declare(Type{
		Name: "sharedExpertMoE", Display: "Mixture with Shared Experts", Part: FeedFwd, Ports: unary,
		Also: []string{"deepseekMoE", "moeWithSharedExperts"},
		Doc: Doc{
			Summary: "A mixture of experts beside experts that work on every token, as in DeepSeek.",
			Shape:   "the shape of its input",
			Weights: expertWeights + "; shared_experts, one network as wide as all shared experts together; shared_expert_gate [1, embedDim] where asked",
			Work:    expertWork + "; the shared experts as one of width numSharedExperts · sharedExpertDim, on every token; tokens · embedDim with sharedGate",
			Source:  "https://arxiv.org/abs/2401.06066",
			Examples: []Example{
				{Params: `{"embedDim": 7168, "numExperts": 256, "expertDim": 2048, "topK": 8, "scoring": "sigmoid", "scoreCorrection": true, "numGroups": 8, "topGroups": 4, "routedScale": 2.5}`, In: []shape.Shape{{1, 4096, 7168}}},
				{Params: `{"embedDim": 3584, "numExperts": 64, "expertDim": 2560, "topK": 8, "sharedExpertDim": 20480, "sharedGate": true}`, In: []shape.Shape{{1, 4096, 3584}}},
				{Params: `{"numExperts": 16, "expertDim": 8192, "topK": 1, "scoring": "sigmoid", "normTopK": false, "scaleInput": true, "layout": "stacked", "transposed": true, "names": {"router": "router", "shared": "shared_expert"}}`, In: []shape.Shape{{1, 2048, 5120}}},
				{Params: `{"embedDim": 3584, "numExperts": 4, "expertDim": 2560, "topK": 8}`, In: []shape.Shape{{1, 4096, 3584}}},
			},
		},
	}, sharedExpertMoE{mixture: routed, NumSharedExperts: 1}),
}

// routed are the defaults of a mixture.
var routed = mixture{TopK: 2, Scoring: "softmax", NormTopK: true, Tolerance: 0.02, RoutedScale: 1, Gated: true, Activation: "silu", Layout: "split"}

// mixture is routed experts.
type mixture struct {
	EmbedDim        int64   `json:"embedDim" alias:"dModel,dim" min:"1" unit:"features" default:"incoming width" doc:"width of the input and of the output"`
	NumExperts      int64   `json:"numExperts" min:"1" unit:"experts" required:"true" doc:"experts to choose from"`
	ExpertDim       int64   `json:"expertDim" min:"1" unit:"features" required:"true" doc:"inner width of an expert"`
	TopK            int64   `json:"topK" min:"1" unit:"experts" doc:"experts that work on one token"`
	Scoring         string  `json:"scoring" enum:"softmax,sigmoid,sparsemixer" doc:"how the router's scores become weights; with sparsemixer experts are picked one after the other, each with its share in a softmax over those that are left and not far below the best of them"`
	Tolerance       float64 `json:"tolerance" min:"0" doc:"sparsemixer: how far below the best a score may lie, as a part of the larger of both"`
	NormTopK        bool    `json:"normTopK" doc:"the weights of a token's experts are divided by their sum"`
	RoutedScale     float64 `json:"routedScale" min:"0" doc:"factor of these weights after that, as in DeepSeek"`
	NumGroups       int64   `json:"numGroups" min:"1" unit:"groups" default:"1" doc:"groups of experts; a token's experts come from the best of them"`
	TopGroups       int64   `json:"topGroups" min:"1" unit:"groups" default:"numGroups" doc:"groups that a token's experts come from; a group is as good as its best expert, with scoreCorrection as its best two together"`
	ScaleInput      bool    `json:"scaleInput" doc:"the weights are factors of what an expert reads, as in Llama 4; else of what it yields"`
	Gated           bool    `json:"gated" doc:"experts have a gate, as SwiGLU does"`
	Activation      string  `json:"activation" enum:"silu,gelu,gelu_pytorch_tanh,relu,relu2,swigluoai" doc:"activation inside an expert; swigluoai is that of gpt-oss, whose gates and values alternate in one matrix of all experts"`
	Bias            bool    `json:"bias" alias:"expertBias" doc:"the projections of an expert add a learned constant"`
	RouterBias      bool    `json:"routerBias" doc:"the router adds a learned constant to each score"`
	ScoreCorrection bool    `json:"scoreCorrection" doc:"a number for each expert, kept as a parameter, that balances the choice, as in DeepSeek-V3"`
	Layout          string  `json:"layout" enum:"split,fused,stacked,rows" doc:"experts one by one with three matrices each, with the gate on top of up_proj, or all experts in one tensor; rows: the experts of each projection above each other in one matrix [numExperts · expertDim, embedDim], that of down_proj too, as in DBRX, whatever transposed says"`
	Stored

	rows, constants int64 // inner features, and those of the output, of all experts together
}

func (l *mixture) Infer(c *Call) shape.Tensor {
	x := c.First()
	c.Width(x, &l.EmbedDim, "embedDim")
	if l.TopK > l.NumExperts {
		p := c.Report(TopKExperts, "topK", "picks %d of %d experts", l.TopK, l.NumExperts)
		p.Fix, p.Replace = fmt.Sprintf("set topK to %d or less", l.NumExperts), fmt.Sprint(l.NumExperts)
		l.TopK = l.NumExperts
	}
	l.groups(c)
	l.rows = c.times(l.NumExperts, l.ExpertDim)
	l.constants = c.times(l.NumExperts, l.EmbedDim)
	c.Layout(x)
	return x.WithWidth(l.EmbedDim)
}

// groups settles the groups of experts, and reports those that do not fit.
func (l *mixture) groups(c *Call) {
	l.NumGroups = max(l.NumGroups, 1)
	if l.TopGroups == 0 {
		l.TopGroups = l.NumGroups
	}
	divides(c, "numGroups", l.NumGroups, l.NumExperts, "experts")
	switch size := l.NumExperts / l.NumGroups; {
	case l.TopGroups > l.NumGroups:
		c.Report(BadParam, "topGroups", "picks %d of %d groups", l.TopGroups, l.NumGroups).Fix =
			fmt.Sprintf("set topGroups to %d or less", l.NumGroups)
	case l.TopGroups*size < l.TopK:
		c.Report(BadParam, "topGroups", "%d groups have %d experts, fewer than topK, %d", l.TopGroups, l.TopGroups*size, l.TopK).Fix =
			"raise topGroups, or lower topK"
	}
}

// limited reports that some groups of experts are closed to a token.
func (l *mixture) limited() bool { return l.TopGroups < l.NumGroups }

func (l *mixture) Weights() []Tensor {
	w := []Tensor{l.tensor("router", "weight", l.NumExperts, l.EmbedDim)}
	if l.RouterBias {
		w = append(w, l.tensor("router", "bias", l.NumExperts))
	}
	if l.ScoreCorrection {
		w = append(w, l.tensor("router", "e_score_correction_bias", l.NumExperts))
	}
	switch l.Layout {
	case "stacked":
		return append(w, l.stacked()...)
	case "rows":
		return append(w, l.joined()...)
	}
	expert := l.mlp(l.EmbedDim, l.ExpertDim, l.Gated, l.Layout == "fused", l.Bias)
	return append(w, copies(l.module("expert"), expert, l.NumExperts, l.TopK)...)
}

// stacked is the experts as one tensor for each projection: the leading axis is
// the expert, and a bias is a tensor beside it.
func (l *mixture) stacked() []Tensor {
	inner, role := l.ExpertDim, "up"
	if l.Gated {
		inner, role = 2*l.ExpertDim, "gate_up"
	}
	var w []Tensor
	for _, p := range []struct {
		role    string
		out, in int64
	}{{role, inner, l.EmbedDim}, {"down", l.EmbedDim, l.ExpertDim}} {
		rows, cols := p.out, p.in
		if l.Transposed {
			rows, cols = cols, rows
		}
		weight, bias := l.stackNames(p.role)
		w = append(w, l.stack(weight, rows, cols))
		if l.Bias {
			w = append(w, l.stack(bias, p.out))
		}
	}
	return w
}

// joined is the experts as one matrix for each projection, in which they stand
// above each other.
func (l *mixture) joined() (w []Tensor) {
	add := func(name string, dims ...int64) {
		w = append(w, Tensor{Name: name, Dims: dims, Used: l.TopK, Joined: l.NumExperts})
	}
	for _, role := range l.joinedRoles() {
		weight, bias := l.stackNames(role)
		add(weight, l.rows, l.EmbedDim)
		switch {
		case l.Bias && role == "down":
			add(bias, l.constants)
		case l.Bias:
			add(bias, l.rows)
		}
	}
	return w
}

func (l *mixture) joinedRoles() []string {
	if l.Gated {
		return []string{"gate", "up", "down"}
	}
	return []string{"up", "down"}
}

// stackNames are the names of the tensors that have a role in all experts.
func (l *mixture) stackNames(role string) (weight, bias string) {
	weight = strings.TrimSuffix(l.module("expert"), ".{}") + "." + l.module(role)
	bias = weight + "_bias"
	if n, ok := l.Names[role+".weight"]; ok {
		weight = n
	}
	if n, ok := l.Names[role+".bias"]; ok {
		bias = n
	}
	return weight, bias
}

// stack is one tensor of all experts.
func (l *mixture) stack(name string, dims ...int64) Tensor {
	dims = append(shape.Shape{l.NumExperts}, dims...)
	return Tensor{Name: name, Dims: dims, Used: l.TopK, Stacked: true}
}

// Work is the router and the experts that work on a token.
func (l *mixture) Work(c *Call, out shape.Tensor) Work {
	w := MACs(tokenCount(out), l.EmbedDim, l.NumExperts)
	one := mlpWork(out, l.EmbedDim, l.ExpertDim, l.Gated)
	return w.Plus(one.times(l.TopK))
}

// times is the work done n times.
func (w Work) times(n int64) Work {
	scale := func(x *big.Int) *big.Int {
		if x == nil {
			return nil
		}
		return new(big.Int).Mul(x, big.NewInt(n))
	}
	return Work{Full: scale(w.Full), Causal: scale(w.Causal), Elem: scale(w.Elem)}
}

// Saved is what the experts of each token keep, and the scores.
func (l *mixture) Saved(c *Call, out shape.Tensor) *big.Int {
	kept := mlpSaved(out, l.ExpertDim, l.Gated)
	kept.Mul(kept, big.NewInt(l.TopK))
	return kept.Add(kept, product(tokenCount(out), l.NumExperts))
}

// moeLayer is the mixture of Mixtral, Qwen3-MoE and gpt-oss.
type moeLayer struct{ mixture }

// sharedExpertMoE is the mixture of DeepSeek, GLM-4.5 and Qwen2-MoE.
type sharedExpertMoE struct {
	mixture
	NumSharedExperts int64 `json:"numSharedExperts" min:"1" unit:"experts" doc:"experts that work on every token"`
	SharedExpertDim  int64 `json:"sharedExpertDim" min:"1" unit:"features" default:"expertDim" doc:"inner width of a shared expert"`
	SharedGate       bool  `json:"sharedGate" doc:"a learned gate scales what the shared experts add, as in Qwen2-MoE"`

	sharedDim int64 // of all shared experts
}

func (l *sharedExpertMoE) Infer(c *Call) shape.Tensor {
	if l.SharedExpertDim == 0 {
		l.SharedExpertDim = l.ExpertDim
	}
	l.sharedDim = c.times(l.NumSharedExperts, l.SharedExpertDim)
	return l.mixture.Infer(c)
}

// ordinary is how the shared experts are stored: transposed with experts that
// stand one by one, and as they are beside experts in one tensor.
func (l *sharedExpertMoE) ordinary() Stored {
	s := l.Stored
	s.Transposed = s.Transposed && l.Layout != "stacked"
	return s
}

func (l *sharedExpertMoE) Weights() []Tensor {
	w := append(l.mixture.Weights(),
		below(l.module("shared"), l.ordinary().mlp(l.EmbedDim, l.sharedDim, l.Gated, l.Layout == "fused", l.Bias))...)
	if l.SharedGate {
		w = append(w, l.tensor("shared_gate", "weight", 1, l.EmbedDim))
	}
	return w
}

func (l *sharedExpertMoE) Work(c *Call, out shape.Tensor) Work {
	w := l.mixture.Work(c, out).Plus(mlpWork(out, l.EmbedDim, l.sharedDim, l.Gated))
	if l.SharedGate {
		w = w.Plus(MACs(tokenCount(out), l.EmbedDim))
	}
	return w
}

// Saved adds what the shared experts keep.
func (l *sharedExpertMoE) Saved(c *Call, out shape.Tensor) *big.Int {
	return addBig(l.mixture.Saved(c, out), mlpSaved(out, l.sharedDim, l.Gated))
}
