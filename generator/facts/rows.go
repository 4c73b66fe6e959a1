package facts

import (
	"math/big"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/strata-catalog/strata/generator/cost"
	"github.com/strata-catalog/strata/generator/infer"
	"github.com/strata-catalog/strata/generator/layer"
	"github.com/strata-catalog/strata/generator/shape"
)

// A Row is one component of the flat graph.
type Row struct {
	ID         string      `json:"id" doc:"id of the component: the path of its module"`
	Name       string      `json:"name" doc:"name to show"`
	Type       string      `json:"type" doc:"canonical layer type"`
	Params     Params      `json:"params" doc:"parameters as declared, under their canonical names"`
	Inputs     []string    `json:"inputs" doc:"ids of its operands, in order"`
	Output     shape.Shape `json:"output_shape" doc:"shape of its result, null when it has none or it is not known"`
	Parameters int64       `json:"parameters" doc:"what the component adds to the total; tied and shared weights count where they are first"`
	Whole      bool        `json:"parameters_complete" doc:"false: a size is not known, and parameters is a lower bound"`
	MACs       *big.Int    `json:"macs" doc:"multiply-accumulates at the declared input, null when not known"`
	TiedTo     *string     `json:"tied_to" doc:"the component whose weight this one has, null for none"`
	Block      *string     `json:"block" doc:"the block of the compact form that it is an instance of, null for none"`
	Instance   *int        `json:"instance" doc:"which instance of the block, from 0"`

	Number  int        `json:"-"` // in the table, from 1
	Display string     `json:"-"` // the type as pages show it
	Part    layer.Part `json:"-"` // the kind of layer
	Side    bool       `json:"-"` // has no tensor of its own
	Stated  string     `json:"-"` // the parameters as the structure table shows them
}

// Shape is the output shape as tables show it: nothing for a layer without a
// tensor of its own.
func (r *Row) Shape() string {
	var room [64]byte
	return string(r.AppendShape(room[:0]))
}

// AppendShape appends what Shape returns.
func (r *Row) AppendShape(b []byte) []byte {
	if r.Side && r.Output == nil {
		return b
	}
	return appendShape(b, r.Output)
}

// ShapeText is a shape in words where it has no axes or is not known.
func ShapeText(s shape.Shape) string {
	var room [64]byte
	return string(appendShape(room[:0], s))
}

func appendShape(b []byte, s shape.Shape) []byte {
	switch {
	case s == nil:
		return append(b, "not known"...)
	case len(s) == 0:
		return append(b, "scalar"...)
	}
	return s.Append(b)
}

// A Folded row stands for a component of every instance of what repeats.
type Folded struct {
	Row
	Repeat        int      `json:"repeat" doc:"instances that the row stands for; 1 when it does not repeat"`
	ParametersAll int64    `json:"parameters_all" doc:"what all instances add to the total"`
	MACsAll       *big.Int `json:"macs_all" doc:"work of all instances, null when not known"`

	Names string `json:"-"` // of all instances in one: "layers.{0…35}.attn"
}

// A Run is a part that repeats.
type Run struct {
	Start  int   `json:"start" doc:"index of its first row"`
	Period int   `json:"period" doc:"rows of one instance"`
	Count  int   `json:"count" doc:"instances"`
	Runs   []Run `json:"runs" doc:"what repeats within the first instance"`
}

// Params are parameters in declared order, an object in JSON.
type Params []Param

// A Param is one parameter: its canonical name and its value as JSON.
type Param struct {
	Name  string
	Value Value
}

// A Value is JSON text, and is written as it stands.
type Value string

// MarshalJSONTo implements json.MarshalerTo.
func (v Value) MarshalJSONTo(enc *jsontext.Encoder) error {
	return enc.WriteValue(jsontext.Value(v))
}

// UnmarshalJSONFrom implements json.UnmarshalerFrom.
func (v *Value) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	raw, err := dec.ReadValue()
	*v = Value(raw)
	return err
}

// MarshalJSONTo implements json.MarshalerTo.
func (p Params) MarshalJSONTo(enc *jsontext.Encoder) error {
	if err := enc.WriteToken(jsontext.BeginObject); err != nil {
		return err
	}
	for _, q := range p {
		if err := enc.WriteToken(jsontext.String(q.Name)); err != nil {
			return err
		}
		if err := q.Value.MarshalJSONTo(enc); err != nil {
			return err
		}
	}
	return enc.WriteToken(jsontext.EndObject)
}

// String prints parameters as the structure table does: "shape=[1, 2048],
// activation=gelu".
func (p Params) String() string {
	var b strings.Builder
	for i, q := range p {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(q.Name)
		b.WriteByte('=')
		b.WriteString(q.Value.plain())
	}
	return b.String()
}

// plain is a value as text: a string without its quotes, a list with spaces.
func (v Value) plain() string {
	switch {
	case strings.HasPrefix(string(v), `"`):
		if plainText(string(v)) {
			return string(v[1 : len(v)-1])
		}
		if s, err := jsontext.AppendUnquote(nil, string(v)); err == nil {
			return string(s)
		}
	case plainList(string(v)):
		return strings.ReplaceAll(string(v), ",", ", ")
	}
	if !strings.ContainsAny(string(v), "[{") {
		return string(v)
	}
	spaced := jsontext.Value(v)
	if err := spaced.Format(jsontext.SpaceAfterComma(true), jsontext.SpaceAfterColon(true)); err != nil {
		return string(v)
	}
	return string(spaced)
}

// rows lists every component in page order.
func rows(m *infer.Model) []Row {
	list := make([]Row, len(m.Order))
	operands := 0
	for i := range m.Nodes {
		operands += len(m.Nodes[i].Inputs)
	}
	inputs := make([]string, operands)
	alike := map[int]*Row{} // by kind: with the parameters of all of that kind
	for p, i := range m.Order {
		n := &m.Nodes[i]
		r := &list[p]
		*r = Row{
			ID: n.ID, Name: n.Node.Name(), Type: n.TypeName(), Inputs: inputs[:len(n.Inputs):len(n.Inputs)],
			Output: n.Out(), Parameters: n.Params, Whole: n.Result.Counted, TiedTo: tiedTo(m, n),
			Number: p + 1, Display: n.Display(), Part: cost.PartOf(n), Side: n.Type != nil && n.Type.Side,
		}
		inputs = inputs[len(n.Inputs):]
		for k, in := range n.Inputs {
			r.Inputs[k] = m.Nodes[in].ID
		}
		if first, ok := alike[n.Kind]; ok {
			r.Params, r.Stated = first.Params, first.Stated
		} else {
			r.Params = params(n)
			r.Stated = r.Params.String()
			alike[n.Kind] = r
		}
		if n.Result.Worked || n.Type != nil && n.Type.Side {
			if r.MACs = n.Result.Work.Full; r.MACs == nil {
				r.MACs = nothing
			}
		}
		if n.Frame != nil {
			r.Block, r.Instance = &n.Frame.Block, &n.Frame.Instance
		}
	}
	return list
}

var nothing = new(big.Int)

// tiedTo is the component whose weight a node has, nil for none.
func tiedTo(m *infer.Model, n *infer.Node) *string {
	switch {
	case n.Tie != nil:
		return &m.Nodes[n.Tie.Node].ID
	case n.SharedBy >= 0 && n.Params == 0 && n.Buffers == 0 && len(n.Result.Weights) > 0:
		return &m.Nodes[n.SharedBy].ID
	}
	return nil
}

// params are a node's parameters under their canonical names. Of two spellings
// of one parameter the canonical one is shown, as it is the one that counts.
func params(n *infer.Node) Params {
	list := make(Params, 0, len(n.Node.Params))
	for _, p := range n.Node.Params {
		name := p.Name
		if n.Type != nil {
			name = n.Type.Canonical(name)
		}
		q := Param{name, Value(p.Value)}
		if at := list.index(name); at < 0 {
			list = append(list, q)
		} else if p.Name == name {
			list[at] = q
		}
	}
	return list
}

func (p Params) index(name string) int {
	for i := range p {
		if p[i].Name == name {
			return i
		}
	}
	return -1
}

func runs(list []infer.Run) []Run {
	out := make([]Run, len(list))
	for i, r := range list {
		out[i] = Run{r.Start, r.Period, r.Count, runs(r.Children)}
	}
	return out
}
