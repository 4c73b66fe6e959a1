package adopt

import (
	"strconv"

	"github.com/go-json-experiment/json"

	"github.com/strata-catalog/strata/generator/graph"
	"github.com/strata-catalog/strata/generator/layer"
)

// A sheet is a list of components in the making.
type sheet struct{ list []graph.Component }

// params are names of parameters, each with its value behind it.
type params []any

// add appends a layer and returns its id. Parameters that equal the default of
// the layer type are left out, as are those of value 0, "" or nil, which are
// not given.
func (s *sheet) add(id, typ string, p params, inputs ...string) string {
	c := graph.Component{ID: id, Type: typ, Inputs: refs(inputs)}
	t, _ := layer.Lookup(typ)
	for i := 0; i < len(p); i += 2 {
		name, value := p[i].(string), encode(p[i+1])
		if !usual(t, name, value) {
			c.Params = append(c.Params, graph.Param{Name: name, Value: value})
		}
	}
	s.list = append(s.list, c)
	return id
}

// repeat appends a stack of blocks; of 0, one block whose path has no number.
func (s *sheet) repeat(id string, pattern []string, n int64, inputs ...string) string {
	c := graph.Component{ID: id, Repeat: n, Inputs: refs(inputs)}
	if len(pattern) == 1 {
		c.Block = pattern[0]
	} else {
		c.Pattern = pattern
	}
	s.list = append(s.list, c)
	return id
}

func refs(ids []string) (list []graph.Ref) {
	for _, id := range ids {
		if id != "" {
			list = append(list, graph.Ref{ID: id})
		}
	}
	return list
}

// encode is a value as JSON. What params hold always is.
func encode(v any) string {
	b, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		return "null"
	}
	return string(b)
}

// usual reports whether a parameter need not be written.
func usual(t *layer.Type, name, value string) bool {
	switch value {
	case "0", `""`, "null", "{}":
		return true
	}
	f, ok := t.Field(name)
	if !ok {
		return false
	}
	a, err := strconv.ParseFloat(value, 64)
	b, other := strconv.ParseFloat(f.Default, 64)
	return value == f.Default || value == strconv.Quote(f.Default) || err == nil && other == nil && a == b
}

// A part is one or more layers of a block: it appends them and returns the last.
type part func(s *sheet, inputs ...string) string

// single is a part of one layer.
func single(id, typ string, p params) part {
	return func(s *sheet, inputs ...string) string { return s.add(id, typ, p, inputs...) }
}

// A norm is the type of a model's normalisation, and its parameters.
type norm struct {
	typ string
	p   params
}

// rms is RMSNorm with the epsilon of a field.
func rms(c *config) norm { return norm{"rmsNorm", params{"eps", c.number("rms_norm_eps")}} }

// layered is LayerNorm with the epsilon of a field.
func layered(c *config, eps string, bias bool) norm {
	return norm{"layerNorm", params{"eps", c.number(eps), "bias", bias}}
}

func (n norm) add(s *sheet, id, input string) string { return s.add(id, n.typ, n.p, input) }

// A residual is a layer of a Transformer: attention and a feed-forward network,
// each with a residual path around it. A norm without a name is not there.
type residual struct {
	norm
	entry                string // the norm of what enters the layer, ahead of the residual path
	before, behind       string // the norms of attention
	mlpBefore, mlpBehind string // the norms of the network
	// parallel feeds the network from the input of the layer: through its own
	// norm, or through that of attention.
	parallel bool
	// after puts the norms named before attention and network behind the
	// residual path, as the first Transformer has them.
	after     bool
	attn, mlp part
	// scale is the constant factor of what attention and network add, 0 for none.
	scale float64
}

// fill appends the layer and returns its output.
func (r residual) fill(s *sheet, x, side string) string {
	x = r.normed(s, r.entry, x)
	switch {
	case r.parallel:
		return r.beside(s, x, side)
	case r.after:
		a := r.attn(s, operands(x, side)...)
		y := r.norm.add(s, r.before, s.add("residual_attn", "add", nil, a, x))
		return r.norm.add(s, r.mlpBefore, s.add("residual_mlp", "add", nil, r.mlp(s, y), y))
	}
	a := r.attn(s, operands(r.normed(s, r.before, x), side)...)
	y := s.add("residual_attn", "add", nil, times(s, "scale_attn", r.scale, r.normed(s, r.behind, a)), x)
	m := r.mlp(s, r.normed(s, r.mlpBefore, y))
	return s.add("residual_mlp", "add", nil, times(s, "scale_mlp", r.scale, r.normed(s, r.mlpBehind, m)), y)
}

// times is x multiplied by a constant; x itself where that is 1, or 0, which
// stands for none.
func times(s *sheet, id string, factor float64, x string) string {
	if factor == 0 || factor == 1 {
		return x
	}
	return s.add(id, "scale", params{"factor", factor}, x)
}

// beside is attention and network side by side.
func (r residual) beside(s *sheet, x, side string) string {
	in := r.normed(s, r.before, x)
	a := r.attn(s, operands(in, side)...)
	if r.mlpBefore != "" {
		in = r.normed(s, r.mlpBefore, x)
	}
	return s.add("residual", "add", nil, x, a, r.mlp(s, in))
}

// normed is x behind a norm, or as it is where the norm has no name.
func (r residual) normed(s *sheet, id, x string) string {
	if id == "" {
		return x
	}
	return r.norm.add(s, id, x)
}

// operands is the operands of attention.
func operands(x, side string) []string {
	if side == "" {
		return []string{x}
	}
	return []string{x, side}
}
