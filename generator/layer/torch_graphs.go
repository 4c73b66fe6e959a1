package layer

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/strata-catalog/strata/generator/shape"
)

// edges are the connections of a graph, which no component stands for.
var edges = Input{
	Name: "edge_index", Dims: shape.Shape{2, 0},
	Doc: "the edges of the graph, [2, edges]: the source nodes above the target nodes",
}

// torch is a layer over the nodes of a graph. A node alone is a graph of one.
func (l *graphNet) torch(c *TorchCall, h helper, args ...string) (Torch, error) {
	x := c.Out
	h.args = "x: Tensor, edge_index: Tensor"
	if l.UseNonlinearity {
		last := len(h.body) - 1
		h.body[last] = "return F.relu(" + strings.TrimPrefix(h.body[last], "return ") + ")"
	}
	step := "$m($x, edge_index)"
	if x.Rank() == 1 {
		step = "$m($0.unsqueeze(0), edge_index).squeeze(0)"
	}
	return Torch{Module: pyCall("$Class", args...), Class: h.class(), Call: onLast(x, step), Inputs: []Input{edges}}, nil
}

// pass is the layer without a transform: LightGCN's propagation.
func (l *graphNet) propagate(c *TorchCall) (Torch, error) {
	return l.torch(c, helper{
		name: "LightGraphConv",
		doc:  "Sums the neighbours, weighted by degrees, as LightGCN does.",
		body: []string{
			"source, target = edge_index",
			"degree = x.new_zeros(x.shape[-2]).index_add(0, target, x.new_ones(len(target)))",
			"scale = degree.clamp(min=1).rsqrt() * (degree > 0)",
			"weight = scale[source] * scale[target]",
			"neighbours = weight[:, None] * x[..., source, :]",
			"return torch.zeros_like(x).index_add(-2, target, neighbours)",
		},
	})
}

// reduced are the statements that reduce the neighbours of each node to one
// row: their sum, mean or maximum, zeros where there are none.
func reduced(aggregator string) []string {
	body := []string{"source, target = edge_index"}
	switch aggregator {
	case "max":
		return append(body,
			`neighbours = torch.zeros_like(x).index_reduce(x.dim() - 2, target, x[..., source, :], "amax", include_self=False)`)
	case "mean":
		return append(body,
			"degree = x.new_zeros(x.shape[-2]).index_add(0, target, x.new_ones(len(target)))",
			"neighbours = torch.zeros_like(x).index_add(-2, target, x[..., source, :])",
			"neighbours = neighbours / degree.clamp(min=1)[:, None]")
	}
	return append(body, "neighbours = torch.zeros_like(x).index_add(-2, target, x[..., source, :])")
}

// pair is a layer of two projections: of what the neighbours are reduced to,
// and of the node itself.
func (l *graphNet) pair(c *TorchCall, name, doc, aggregator, neighbours, root string) (Torch, error) {
	own, err := l.projections(neighbours, root)
	if err != nil {
		return Torch{}, err
	}
	init, at, err := slots([]slot{
		{path: own[0], expr: "nn.Linear(in_features, out_features" + joinArg(option("bias", l.Bias, true)) + ")"},
		{path: own[1], expr: "nn.Linear(in_features, out_features, bias=False)"},
	})
	if err != nil {
		return Torch{}, err
	}
	h := helper{name: name, doc: doc, params: "in_features: int, out_features: int", init: init}
	h.body = append(reduced(aggregator), "return "+at[0]+"(neighbours) + "+at[1]+"(x)")
	return l.torch(c, h, py(l.InFeatures), py(l.OutFeatures))
}

// projections are the modules of some roles. A tensor that is renamed apart
// from its module is an error.
func (l *graphNet) projections(roles ...string) ([]string, error) {
	s := Stored{Names: l.Names}
	list := make([]string, len(roles))
	for i, role := range roles {
		list[i] = s.module(role)
		for _, kind := range []string{"weight", "bias"} {
			if name := s.tensor(role, kind).Name; name != list[i]+"."+kind {
				return nil, fmt.Errorf("the %s of its projection %s is called %s; rename the projection as a whole", kind, list[i], name)
			}
		}
	}
	return list, nil
}

func (l *graphConv) Torch(c *TorchCall) (Torch, error) {
	if !l.UseTransform {
		return l.propagate(c)
	}
	doc := "Projects each node, and the " + l.Aggregator + " of its neighbours, and adds the two."
	return l.pair(c, "GraphConv", doc, l.Aggregator, "lin_rel", "lin_root")
}

func (l *graphSAGE) Torch(c *TorchCall) (Torch, error) {
	switch {
	case !l.UseTransform:
		return l.propagate(c)
	case l.Aggregator == "lstm":
		return Torch{}, fmt.Errorf("the lstm aggregator reads sequences whose lengths are the degrees of the nodes, so its shapes depend on the edges")
	}
	doc := "Projects each node, and the " + l.Aggregator + " of its neighbours, and adds the two."
	return l.pair(c, "SAGEConv", doc, l.Aggregator, "lin_l", "lin_r")
}

// withLoops gives every node one edge to itself, and counts none that the
// graph has.
var withLoops = []string{
	"nodes = torch.arange(x.shape[-2], device=x.device)",
	"source, target = torch.cat((edge_index, nodes.expand(2, -1)), dim=1)",
	"counts = torch.cat((edge_index[0] != edge_index[1], nodes >= 0)).to(x.dtype)",
}

// constant is the slot of a bias of the layer itself, as PyTorch Geometric has
// it behind the neighbours' sum.
func (l *graphNet) constant(features string) slot {
	return slot{path: l.own("bias").Name, expr: "nn.Parameter(torch.zeros(" + features + "))", parameter: true}
}

func (l *gcn) Torch(c *TorchCall) (Torch, error) {
	if !l.UseTransform {
		return l.propagate(c)
	}
	own, err := l.projections("lin")
	if err != nil {
		return Torch{}, err
	}
	list := []slot{{path: own[0], expr: "nn.Linear(in_features, out_features, bias=False)"}}
	if l.Bias {
		list = append(list, l.constant("out_features"))
	}
	init, at, err := slots(list)
	if err != nil {
		return Torch{}, err
	}
	h := helper{
		name: "GCNConv", doc: "Averages each node with its neighbours, weighted by their degrees.",
		params: "in_features: int, out_features: int", init: init,
		body: append(append([]string(nil), withLoops...),
			"degree = x.new_zeros(x.shape[-2]).index_add(0, target, counts)",
			"weight = counts * degree.rsqrt()[source] * degree.rsqrt()[target]",
			"x = "+at[0]+"(x)",
			"neighbours = weight[:, None] * x[..., source, :]"),
	}
	sum := "torch.zeros_like(x).index_add(-2, target, neighbours)"
	if l.Bias {
		sum += " + " + at[1]
	}
	h.body = append(h.body, "return "+sum)
	return l.torch(c, h, py(l.InFeatures), py(l.OutFeatures))
}

func (l *gat) Torch(c *TorchCall) (Torch, error) {
	if !l.UseTransform {
		return l.propagate(c)
	}
	own, err := l.projections("lin")
	if err != nil {
		return Torch{}, err
	}
	list := []slot{
		{path: own[0], expr: "nn.Linear(in_features, heads * out_features, bias=False)"},
		{path: l.own("att_src").Name, expr: "nn.Parameter(torch.randn(1, heads, out_features) * 0.1)", parameter: true},
		{path: l.own("att_dst").Name, expr: "nn.Parameter(torch.randn(1, heads, out_features) * 0.1)", parameter: true},
	}
	merged, width := "flatten(-2)", "heads * out_features"
	if !l.Concat {
		merged, width = "mean(dim=-2)", "out_features"
	}
	if l.Bias {
		list = append(list, l.constant(width))
	}
	init, at, err := slots(list)
	if err != nil {
		return Torch{}, err
	}
	h := helper{
		name: "GATConv", doc: "Averages each node with its neighbours, weighted by attention.",
		params: "in_features: int, out_features: int, heads: int", init: append(init, "self.heads = heads"),
		body: append(append([]string(nil), withLoops...),
			"x = "+at[0]+"(x).unflatten(-1, (self.heads, -1))  # [..., nodes, heads, features]",
			"score = (x * "+at[1]+").sum(-1)[..., source, :]",
			"score = F.leaky_relu(score + (x * "+at[2]+").sum(-1)[..., target, :], 0.2)",
			"score = (score - score.amax(-2, keepdim=True)).exp() * counts[:, None]",
			"total = torch.zeros_like(x[..., 0]).index_add(-2, target, score)",
			"neighbours = (score / total[..., target, :])[..., None] * x[..., source, :, :]",
			"x = torch.zeros_like(x).index_add(-3, target, neighbours)."+merged),
	}
	if l.Bias {
		h.body = append(h.body, "return x + "+at[3])
	} else {
		h.body = append(h.body, "return x")
	}
	return l.torch(c, h, py(l.InFeatures), py(l.OutFeatures), py(l.Heads))
}

// Torch puts the rows of all operands above each other, [batch, rows, width],
// first.
func (l *featureInteraction) Torch(c *TorchCall) (Torch, error) {
	batched := c.Out.Batch == shape.Batched
	rows := make([]string, len(c.In))
	for i, x := range c.In {
		r, ok := asRows(x, "$"+strconv.Itoa(i), batched, c.Out.BatchSize())
		if !ok {
			return Torch{}, fmt.Errorf("operand %d, %s, has no batch axis like the others", i+1, x.Dims.Brackets())
		}
		rows[i] = r
	}
	all := rows[0]
	if len(rows) > 1 {
		all = "torch.cat((" + strings.Join(rows, ", ") + "), dim=1)"
	}
	t := Torch{Call: all + ".flatten(1)"}
	switch l.Method {
	case "dot":
		t = Torch{Module: "$Class()", Class: dotInteraction, Call: "$m(" + all + ")"}
	case "fm":
		t = Torch{Module: "$Class()", Class: factorisationMachine, Call: "$m(" + all + ")"}
	}
	if !batched {
		t.Call += ".squeeze(0)"
	}
	return t, nil
}

// asRows writes an operand as [batch, rows, width]; ok is false where it lacks
// the batch that others have.
func asRows(x shape.Tensor, operand string, batched bool, batch int64) (expr string, ok bool) {
	if !x.FeatureLast() {
		operand += fmt.Sprintf(".movedim(%d, -1)", x.Feature)
	}
	has := batched && x.Rank() > 1 && x.Batch != shape.Unbatched
	switch rank := x.Rank(); {
	case batched && !has && batch != 1:
		return "", false
	case has && rank == 2:
		operand += ".unsqueeze(1)"
	case has && rank > 3:
		operand += ".flatten(1, -2)"
	case has:
	case rank == 1:
		operand += "[None, None]"
	case rank == 2:
		operand += "[None]"
	default:
		operand += ".flatten(0, -2)[None]"
	}
	return operand, true
}

var dotInteraction = helper{
	name: "DotInteraction",
	doc:  "The first row and the products of all pairs of rows, as in DLRM.",
	args: "rows: Tensor",
	body: []string{
		"products = rows @ rows.mT  # [batch, rows, rows]",
		"i, j = torch.tril_indices(rows.shape[1], rows.shape[1], offset=-1)",
		"return torch.cat((rows[:, 0], products[:, i, j]), dim=1)",
	},
}.class()

var factorisationMachine = helper{
	name: "FactorisationMachine",
	doc:  "The sum of the products of all pairs of rows.",
	args: "rows: Tensor",
	body: []string{
		"pairs = rows.sum(1).square() - rows.square().sum(1)  # each pair twice, [batch, features]",
		"return 0.5 * pairs.sum(1, keepdim=True)",
	},
}.class()

func (l *seBlock) Torch(c *TorchCall) (Torch, error) {
	x := c.Out
	if x.Rank() < 3 || x.Rank() > 4 || x.Feature != x.Rank()-3 {
		return Torch{}, fmt.Errorf("it is written for images, [channels, height, width] with or without a batch axis, and %s arrives", x.Dims.Brackets())
	}
	s := Stored{Names: l.Names}
	list := []slot{
		{path: s.module("fc1"), expr: "nn.Conv2d(channels, squeeze, 1)"},
		{path: s.module("fc2"), expr: "nn.Conv2d(squeeze, channels, 1)"},
	}
	for i, w := range l.Weights() {
		role := list[i/2].path
		if w.Name != role+".weight" && w.Name != role+".bias" {
			return Torch{}, fmt.Errorf("a tensor of its layer %s is called %s; rename the layer as a whole", role, w.Name)
		}
	}
	init, at, err := slots(list)
	if err != nil {
		return Torch{}, err
	}
	gate := map[string]string{"sigmoid": "torch.sigmoid", "hardsigmoid": "F.hardsigmoid"}[l.Gate]
	h := helper{
		name: "SqueezeExcitation", doc: "Scales each channel by a gate computed from the means of all channels.",
		params: "channels: int, squeeze: int", init: init,
		body: []string{
			"gate = x.mean((-2, -1), keepdim=True)  # [..., channels, 1, 1]",
			"gate = " + gate + "(" + at[1] + "(F." + l.Activation + "(" + at[0] + "(gate))))",
			"return x * gate",
		},
	}
	return Torch{Module: pyCall("$Class", py(l.Channels), py(l.SqueezeChannels)), Class: h.class()}, nil
}
