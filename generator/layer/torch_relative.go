package layer

import (
	"fmt"
	"strings"
)

// Torch is a helper class with the table, and T5's buckets.
func (l *relativeBias) Torch(c *TorchCall) (Torch, error) {
	there, _, err := asTokens(c.In[0])
	if err != nil {
		return Torch{}, err
	}
	d := &draft{}
	d.name, d.doc = "RelativePositionBias", docstring("Relative position bias", "a learned bias of each head for each bucket of distances, [1, heads, tokens, tokens]")
	d.arg("num_buckets", "int", py(l.NumBuckets))
	d.arg("num_heads", "int", py(l.NumHeads))
	d.arg("max_distance", "int", py(l.MaxDistance))
	table := d.free(l.own("weight").Name, "torch.randn(num_buckets, num_heads) * 0.02")
	table.apply = "F.embedding($x, $0)"
	buckets := bucketsClass(l.Causal)
	d.need(buckets)
	d.set("bucket", "$"+buckets.Name+"(num_buckets, max_distance)")
	if err := d.place(); err != nil {
		return Torch{}, err
	}
	lift := "[None]"
	if c.Out.BatchAxes() == 0 {
		lift, d.doc = "", strings.Replace(d.doc, "[1, heads", "[heads", 1)
	}
	(&scoring{}).distances(d)
	d.step("return " + table.of("self.bucket(back)") + ".movedim(-1, 0)" + lift)
	call := ""
	if there != "" {
		call = "$m($0" + there + ")"
	}
	return d.torch(call)
}

// Torch is the class of attention, with the scores of distances as a term.
func (l *disentangled) Torch(c *TorchCall) (Torch, error) {
	own := *c
	own.In = c.In[:1]
	if len(c.In) < 2 {
		return Torch{}, fmt.Errorf("it has no table of distances")
	}
	if y := c.In[1]; y.Rank() != 2 || y.Dims[0] != 2*l.span || y.Width() != l.width || !y.FeatureLast() {
		return Torch{}, fmt.Errorf("its table of distances is %s, expected [%d, %d]", y.Dims.Brackets(), 2*l.span, l.width)
	}
	there, back, err := asTokens(c.In[0])
	if err != nil {
		return Torch{}, err
	}
	args := []string{"$0" + there, "$1"}
	if len(c.Masks) > 0 {
		mask, err := maskArg(&own, l.queryHeads)
		if err != nil {
			return Torch{}, err
		}
		args = append(args, strings.Replace(mask, "$1", "$2", 1))
	}
	d, p := &draft{}, &squareParts{}
	keys, queries := &piece{}, &piece{}
	g := l.square
	g.more = func() {
		d.keep("span", "int", py(l.span))
		keys, queries = l.distances(d, p)
	}
	if err := g.draft(d, p, &own); err != nil {
		return Torch{}, err
	}
	d.args = strings.Replace(d.args, "x: Tensor", "x: Tensor, relative: Tensor", 1)
	l.project(d, p, 1)
	l.compare(d, p, keys, queries)
	p.attend(d)
	y := "y.transpose(-3, -2).flatten(-2)"
	if p.o != nil {
		d.step("y = "+y+"  # [..., tokens, num_heads * head_dim]", "return "+p.o.of("y"))
	} else {
		d.step("return " + y + "  # [..., tokens, num_heads * head_dim]")
	}
	return d.torch("$m(" + strings.Join(args, ", ") + ")" + back)
}

// distances declares what projects distances, and what finds their buckets.
func (l *disentangled) distances(d *draft, p *squareParts) (keys, queries *piece) {
	keys, queries = p.k, p.q
	if !l.SharedKeys && l.ContentToPosition {
		keys = d.linear(l.Stored, "pos_key", "num_heads * head_dim", "dim", l.kBias)
	}
	if !l.SharedKeys && l.PositionToContent {
		queries = d.linear(l.Stored, "pos_query", "num_heads * head_dim", "dim", l.qBias)
	}
	if l.PositionBuckets > 0 && l.compared() > 0 {
		d.arg("max_distance", "int", py(l.MaxDistance))
		d.need(logBuckets)
		d.set("bucket", "$"+logBuckets.Name+"(span, max_distance)")
	}
	return keys, queries
}

// compare writes the scores of contents with distances.
func (l *disentangled) compare(d *draft, p *squareParts, keys, queries *piece) {
	if l.compared() == 0 {
		return
	}
	p.distances(d)
	bucket := "back"
	if l.PositionBuckets > 0 {
		bucket = "self.bucket(back)"
	}
	d.step("row = (" + bucket + " + self.span).clamp(0, 2 * self.span - 1)  # [queries, keys]")
	var terms []string
	heads := ".unflatten(-1, (-1, self.head_dim)).movedim(0, -1)"
	if l.ContentToPosition {
		d.step(
			"to_key = q @ "+keys.operand("relative")+heads+"  # [..., heads, queries, distances]",
			"to_key = to_key.gather(-1, row.expand(*q.shape[:-1], -1))")
		terms = append(terms, "to_key")
	}
	if l.PositionToContent {
		d.step(
			"to_query = k @ "+queries.operand("relative")+heads+"  # [..., heads, keys, distances]",
			"to_query = to_query.gather(-1, row.mT.expand(*k.shape[:-1], -1)).mT")
		terms = append(terms, "to_query")
	}
	p.terms = append(p.terms, "(("+strings.Join(terms, " + ")+") * self.scale)")
}

// logBuckets is DeBERTa's division of distances into buckets.
var logBuckets = helper{
	name:   "LogBuckets",
	doc:    docstring("The bucket of each distance, as in DeBERTa", "half of the buckets of each side hold one distance each, the others ever longer stretches"),
	params: "span: int, max_distance: int",
	init:   []string{"self.middle = span // 2", "self.last = (max_distance - 1) / self.middle"},
	args:   "back: Tensor",
	body: []string{
		"# back: [queries, keys], how far each key lies behind the query",
		"distance = back.abs().clamp(min=self.middle)",
		"octave = (distance / self.middle).log() / torch.tensor(self.last).log()",
		"far = (octave * (self.middle - 1)).ceil().long() + self.middle",
		"return torch.where(back.abs() <= self.middle, back, far * back.sign())",
	},
}.class()
