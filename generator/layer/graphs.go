package layer

import (
	"fmt"

	"github.com/strata-catalog/strata/generator/shape"
)

const graphShape = "the width becomes outFeatures; one row for each node, or one node's features alone"

const graphWork = "nodes · inFeatures · outFeatures, none with useTransform false; what runs along the edges, or through the aggregator, is not counted"

var graphs = []*Type{
	declare(Type{
		Name: "graphConv", Display: "Graph Convolution", Part: Other, Ports: unary,
		Doc: Doc{
			Summary: "Adds a projection of a node's features to one of the sum of its neighbours'.",
			Shape:   graphShape,
			Weights: "lin_rel [outFeatures, inFeatures] with its bias, and lin_root [outFeatures, inFeatures]; none with useTransform false",
			Work:    "2 · " + graphWork,
			Source:  "https://pytorch-geometric.readthedocs.io/en/latest/generated/torch_geometric.nn.conv.GraphConv.html",
			Examples: []Example{
				{Params: `{"outFeatures": 64}`, In: []shape.Shape{{2708, 1433}}},
				{Params: `{"inFeatures": 64, "outFeatures": 64, "useTransform": false}`, In: []shape.Shape{{1, 64}}},
				{Params: `{"inFeatures": 64, "outFeatures": 32, "useTransform": false}`, In: []shape.Shape{{1, 64}}},
			},
		},
	}, graphConv{graphNet: graphNet{Bias: true, UseTransform: true}, Aggregator: "sum"}),
	declare(Type{
		Name: "gcn", Display: "GCN", Part: Other, Ports: unary,
		Also: []string{"gcnConv", "graphConvolutionalNetwork"},
		Doc: Doc{
			Summary: "Projects a node's features and averages them with its neighbours', weighted by their degrees.",
			Shape:   graphShape,
			Weights: "lin.weight [outFeatures, inFeatures] and bias [outFeatures]; none with useTransform false",
			Work:    graphWork,
			Source:  "https://pytorch-geometric.readthedocs.io/en/latest/generated/torch_geometric.nn.conv.GCNConv.html",
			Examples: []Example{
				{Params: `{"inChannels": 1433, "outChannels": 16}`, In: []shape.Shape{{2708, 1433}}},
				{Params: `{"inChannels": 1433}`, In: []shape.Shape{{2708, 1433}}},
			},
		},
	}, gcn{graphNet{Bias: true, UseTransform: true}}),
	declare(Type{
		Name: "gat", Display: "GAT", Part: Other, Ports: unary,
		Also: []string{"gatConv", "graphAttention", "graphAttentionNetwork"},
		Doc: Doc{
			Summary: "Projects a node's features and averages them with its neighbours', weighted by attention.",
			Shape:   "the width becomes heads · outFeatures, or outFeatures where the heads are averaged",
			Weights: "lin.weight [heads · outFeatures, inFeatures], att_src and att_dst [1, heads, outFeatures], bias; none with useTransform false",
			Work:    "nodes · inFeatures · heads · outFeatures, none with useTransform false; twice nodes · heads · outFeatures element-wise operations; what runs along the edges is not counted",
			Source:  "https://pytorch-geometric.readthedocs.io/en/latest/generated/torch_geometric.nn.conv.GATConv.html",
			Examples: []Example{
				{Params: `{"outFeatures": 8, "heads": 8}`, In: []shape.Shape{{2708, 1433}}},
				{Params: `{"outFeatures": 7, "heads": 8, "concat": false}`, In: []shape.Shape{{2708, 64}}},
				{Params: `{"inFeatures": 128, "outFeatures": 7}`, In: []shape.Shape{{2708, 64}}},
			},
		},
	}, gat{graphNet: graphNet{Bias: true, UseTransform: true}, Heads: 1, Concat: true}),
	declare(Type{
		Name: "graphSAGE", Display: "GraphSAGE", Part: Other, Ports: unary,
		Also: []string{"sage", "sageConv"},
		Doc: Doc{
			Summary: "Adds a projection of a node's features to one of what its neighbours' are reduced to.",
			Shape:   graphShape,
			Weights: "lin_l [outFeatures, inFeatures] with its bias, and lin_r.weight [outFeatures, inFeatures]; aggregator lstm: an LSTM of width inFeatures; none with useTransform false",
			Work:    "2 · " + graphWork,
			Source:  "https://pytorch-geometric.readthedocs.io/en/latest/generated/torch_geometric.nn.conv.SAGEConv.html",
			Examples: []Example{
				{Params: `{"inChannels": 128, "outChannels": 256, "aggregator": "mean"}`, In: []shape.Shape{{128}}},
				{Params: `{"outFeatures": 16, "aggregator": "lstm"}`, In: []shape.Shape{{100, 32}}},
				{Params: `{"outFeatures": 16, "aggregator": "median"}`, In: []shape.Shape{{100, 32}}},
			},
		},
	}, graphSAGE{graphNet: graphNet{Bias: true, UseTransform: true}, Aggregator: "mean"}),
	declare(Type{
		Name: "featureInteraction", Display: "Feature Interaction", Part: Merge, Ports: Ports{Min: 1},
		Also: []string{"interaction", "dotInteraction", "dlrmInteraction"},
		Doc: Doc{
			Summary: "Lets feature vectors of one width interact in pairs, as DLRM and factorisation machines do.",
			Shape:   "F rows of width D over all operands: dot gives D + F · (F − 1) / 2 features, the first row and one product for each pair; fm gives 1, the sum of the products of all pairs; cat gives F · D",
			Work:    "dot: batch · F² · D, of which half is used; fm: two element-wise operations for each element of the operands, since the sum follows from the sum of the rows and that of their squares; cat: none",
			Source:  "https://arxiv.org/abs/1906.00091",
			Examples: []Example{
				{Params: `{"method": "dot"}`, In: []shape.Shape{{1, 64}, {1, 26, 64}}},
				{Params: `{"method": "fm"}`, In: []shape.Shape{{1, 39, 16}}},
				{Params: `{"method": "cat"}`, In: []shape.Shape{{64}, {26, 64}}},
				{Params: `{}`, In: []shape.Shape{{1, 32}, {1, 26, 64}}},
			},
		},
	}, featureInteraction{Method: "dot"}),
}

// graphNet is what layers over the nodes of a graph have in common. The edges
// are no operand.
type graphNet struct {
	InFeatures      int64 `json:"inFeatures" alias:"inChannels" min:"1" unit:"features" default:"incoming width" doc:"width of a node's features"`
	OutFeatures     int64 `json:"outFeatures" alias:"outChannels" min:"1" unit:"features" default:"inFeatures without a transform" doc:"width of the result"`
	Bias            bool  `json:"bias" doc:"add a learned constant to each feature"`
	UseTransform    bool  `json:"useTransform" doc:"project the features; else only pass them along the edges, as LightGCN does"`
	UseNonlinearity bool  `json:"useNonlinearity" doc:"a ReLU follows"`
	renamed
}

// pass is the output for a number of features out.
func (l *graphNet) pass(c *Call, out int64) shape.Tensor {
	x := c.First()
	c.Width(x, &l.InFeatures, "inFeatures")
	c.Layout(x)
	if l.OutFeatures == 0 {
		if l.UseTransform {
			c.Report(MissingParam, "outFeatures", "outFeatures is missing (width of the result)").Fix = "add outFeatures"
			return shape.Unknown
		}
		out = l.InFeatures
	}
	if l.UseTransform {
		return x.AsSequence().WithWidth(out)
	}
	if l.InFeatures != 0 && out != l.InFeatures {
		p := c.Report(WidthMismatch, "outFeatures", "the result is %d wide, but without a transform the width stays %d", out, l.InFeatures)
		p.Fix, p.Replace = fmt.Sprintf("set outFeatures to %d, or useTransform to true", l.InFeatures), fmt.Sprint(l.InFeatures)
	}
	return x.AsSequence().WithWidth(l.InFeatures)
}

// linear is the matrix of a module, and its bias if so.
func (l *graphNet) linear(module string, out int64, bias bool) []Tensor {
	return Stored{Names: l.Names}.proj(module, out, l.InFeatures, bias)
}

// work is so many projections of every node; what runs along the edges is not
// known from the nodes.
func (l *graphNet) work(out shape.Tensor, projections, rows int64) Work {
	if !l.UseTransform {
		return Work{}
	}
	return MACs(projections, tokenCount(out), l.InFeatures, rows)
}

// graphConv is torch_geometric.nn.GraphConv.
type graphConv struct {
	graphNet
	Aggregator string `json:"aggregator" enum:"sum,mean,max" doc:"how neighbours are reduced to one"`
}

func (l *graphConv) Infer(c *Call) shape.Tensor { return l.pass(c, l.OutFeatures) }

func (l *graphConv) Weights() []Tensor {
	if !l.UseTransform {
		return nil
	}
	return append(l.linear("lin_rel", l.OutFeatures, l.Bias), l.linear("lin_root", l.OutFeatures, false)...)
}

func (l *graphConv) Work(c *Call, out shape.Tensor) Work { return l.work(out, 2, l.OutFeatures) }

// gcn is torch_geometric.nn.GCNConv.
type gcn struct{ graphNet }

func (l *gcn) Infer(c *Call) shape.Tensor { return l.pass(c, l.OutFeatures) }

func (l *gcn) Weights() []Tensor {
	if !l.UseTransform {
		return nil
	}
	w := l.linear("lin", l.OutFeatures, false)
	if l.Bias {
		w = append(w, l.own("bias", l.OutFeatures))
	}
	return w
}

func (l *gcn) Work(c *Call, out shape.Tensor) Work { return l.work(out, 1, l.OutFeatures) }

// gat is torch_geometric.nn.GATConv.
type gat struct {
	graphNet
	Heads  int64 `json:"heads" alias:"numHeads" min:"1" unit:"heads" doc:"heads of the attention"`
	Concat bool  `json:"concat" doc:"the heads stand side by side; else they are averaged"`

	rows int64 // of the projection, over all heads
}

func (l *gat) Infer(c *Call) shape.Tensor {
	l.rows = c.times(l.Heads, l.OutFeatures)
	if l.rows == 0 {
		l.pass(c, l.OutFeatures)
		return shape.Unknown
	}
	return l.pass(c, l.out())
}

// out is the width of the result.
func (l *gat) out() int64 {
	if l.Concat && l.UseTransform {
		return l.rows
	}
	return l.OutFeatures
}

func (l *gat) Weights() []Tensor {
	if !l.UseTransform {
		return nil
	}
	w := l.linear("lin", l.rows, false)
	w = append(w, l.own("att_src", 1, l.Heads, l.OutFeatures), l.own("att_dst", 1, l.Heads, l.OutFeatures))
	if l.Bias {
		w = append(w, l.own("bias", l.out()))
	}
	return w
}

// Work has the scores of each node, a product and a sum for each feature, as
// element-wise operations.
func (l *gat) Work(c *Call, out shape.Tensor) Work {
	if !l.UseTransform {
		return Work{}
	}
	return l.work(out, 1, l.rows).Plus(Work{Elem: product(2, tokenCount(out), l.rows)})
}

// graphSAGE is torch_geometric.nn.SAGEConv.
type graphSAGE struct {
	graphNet
	Aggregator string `json:"aggregator" enum:"mean,max,sum,lstm" doc:"how neighbours are reduced to one"`
}

func (l *graphSAGE) Infer(c *Call) shape.Tensor { return l.pass(c, l.OutFeatures) }

func (l *graphSAGE) Weights() []Tensor {
	if !l.UseTransform {
		return nil
	}
	var w []Tensor
	if l.Aggregator == "lstm" {
		reader := recurrent{InputSize: l.InFeatures, HiddenSize: l.InFeatures, NumLayers: 1, Bias: true, gates: 4}
		w = below("aggr_module.lstm", reader.Weights())
	}
	w = append(w, l.linear("lin_l", l.OutFeatures, l.Bias)...)
	return append(w, l.linear("lin_r", l.OutFeatures, false)...)
}

func (l *graphSAGE) Work(c *Call, out shape.Tensor) Work { return l.work(out, 2, l.OutFeatures) }

// featureInteraction is the interaction of DLRM.
type featureInteraction struct {
	Method string `json:"method" enum:"dot,fm,cat" doc:"products of all pairs of rows, beside the first row; the sum of these products; or all rows side by side"`

	rows int64 // over all operands
}

func (l *featureInteraction) Infer(c *Call) shape.Tensor {
	batched, batch := l.batch(c)
	width := c.First().Width()
	for i, x := range c.In {
		if !x.Known() {
			return shape.Unknown
		}
		if x.Width() != width {
			return c.Fail(WidthMismatch, "", "operand %d is %d wide, the first %d: their rows cannot be compared", i+1, x.Width(), width)
		}
		n := tokenCount(x)
		if batched && x.Rank() > 1 && x.Batch != shape.Unbatched {
			if x.Dims[0] != batch {
				return c.Fail(ConcatAxes, "", "operand %d is %s, but the batch is %d", i+1, x.Dims.Brackets(), batch)
			}
			n /= batch
		}
		l.rows = c.plus(l.rows, n)
	}
	out := c.times(l.rows, width)
	switch l.Method {
	case "dot":
		out = c.plus(width, l.pairs(c))
	case "fm":
		out = 1
	}
	switch {
	case out == 0:
		return shape.Unknown
	case batched:
		return shape.Last(shape.Shape{batch, out}, shape.Batched)
	}
	return shape.Last(shape.Shape{out}, shape.Unbatched)
}

// batch is the batch that the operands share. Raw operands of two axes are rows
// without a batch, unless they all are one row: then that axis is the batch.
func (l *featureInteraction) batch(c *Call) (batched bool, size int64) {
	single := len(c.In) > 0
	for _, x := range c.In {
		if x.Batch != shape.Unbatched && x.AsSequence().BatchAxes() == 1 {
			return true, max(x.Dims[0], 1)
		}
		single = single && x.Batch == shape.Undecided && x.Rank() == 2 && x.Dims[0] == 1
	}
	return single, 1
}

// pairs is the number of pairs of different rows.
func (l *featureInteraction) pairs(c *Call) int64 {
	if l.rows%2 == 0 {
		return c.times(l.rows/2, l.rows-1)
	}
	return c.times(l.rows, l.rows/2)
}

func (l *featureInteraction) Weights() []Tensor { return nil }

// Work is the product of all rows with all rows, of which half is used. Their
// sum alone takes no product of two rows.
func (l *featureInteraction) Work(c *Call, out shape.Tensor) Work {
	switch l.Method {
	case "cat":
		return Work{}
	case "fm":
		return Work{Elem: product(2, out.BatchSize(), l.rows, c.First().Width())}
	}
	return MACs(out.BatchSize(), l.rows, l.rows, c.First().Width())
}
