package facts

import (
	"fmt"
	"iter"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/strata-catalog/strata/generator/infer"
	"github.com/strata-catalog/strata/generator/shape"
)

// A Tensor is one tensor of the model.
type Tensor struct {
	Name       string      `json:"name" doc:"name in the state dict"`
	Shape      shape.Shape `json:"shape" doc:"size of each axis; [] for a scalar"`
	Parameters *int64      `json:"parameters" doc:"what it adds to the total: nothing when it is tied or a buffer; null when a size is not known"`
	TiedTo     *string     `json:"tied_to" doc:"the tensor that it is, null when it is its own"`
	Buffer     bool        `json:"buffer" doc:"stored, but no parameter"`
}

// Tensors lists every tensor of a model. It is written to JSON one by one, as
// there may be a hundred thousand.
type Tensors struct{ m *infer.Model }

// TensorsOf lists the tensors of a model.
func TensorsOf(m *infer.Model) Tensors { return Tensors{m} }

// All lists the tensors. What one of them points to holds until the next.
func (t Tensors) All() iter.Seq[Tensor] {
	return func(yield func(Tensor) bool) {
		if t.m == nil { // none were asked for
			return
		}
		for e := range t.m.Ledger() {
			tensor := tensorOf(e)
			for tensor.Name = range e.Named() {
				if !yield(tensor) {
					return
				}
			}
		}
	}
}

// MarshalJSONTo implements json.MarshalerTo.
func (t Tensors) MarshalJSONTo(enc *jsontext.Encoder) error {
	if err := enc.WriteToken(jsontext.BeginArray); err != nil {
		return err
	}
	for tensor := range t.All() {
		if err := json.MarshalEncode(enc, &tensor, enc.Options()); err != nil {
			return err
		}
	}
	return enc.WriteToken(jsontext.EndArray)
}

// tensorOf is one copy of an entry, still without its name.
func tensorOf(e infer.Entry) Tensor {
	tensor := Tensor{Shape: e.Dims, Buffer: e.Buffer}
	if e.Derived {
		each := e.Counts() / max(e.Copies, 1)
		tensor.Parameters = &each
	}
	if e.TiedTo != "" {
		tensor.TiedTo = &e.TiedTo
	}
	return tensor
}

// Of lists the tensors of one component; empty for one without.
func (t Tensors) Of(id string) []Tensor {
	list := []Tensor{}
	i, ok := t.m.Graph.Find(id)
	if !ok {
		return list
	}
	for _, e := range t.m.Entries(i) {
		tensor := tensorOf(e)
		for tensor.Name = range e.Named() {
			list = append(list, tensor)
		}
	}
	return list
}

// A Line of the ledger is a tensor of every instance of what repeats.
type Line struct {
	Name       string // "layers.{0…35}.attn.q_proj.weight"
	Shape      shape.Shape
	Tensors    int64  // how many it stands for
	Elements   int64  // of all of them
	Parameters int64  // what they add to the total
	TiedTo     string // the tensors that they are, "" when they are their own
	Buffer     bool   // stored, but no parameters
	Known      bool   // false: a size is not known, and they count nowhere
}

// Stored is what the line adds to the elements of a checkpoint.
func (l Line) Stored() int64 {
	if l.TiedTo != "" || !l.Known {
		return 0
	}
	return l.Elements
}

// ledger lists the tensors with each repeat written once. The parameters add
// up to those of the model.
func ledger(m *infer.Model, runs []infer.Run) (list []Line) {
	for _, f := range folds(len(m.Order), runs) {
		nodes := f.positions()
		for k, p := range nodes {
			nodes[k] = m.Order[p]
		}
		if len(m.Nodes[nodes[0]].Result.Weights) == 0 {
			continue
		}
		own, tied := divide(m, nodes)
		list = append(list, lines(m, own)...)
		list = append(list, lines(m, tied)...)
	}
	return list
}

// divide separates the nodes that have weights of another component.
func divide(m *infer.Model, nodes []int) (own, tied []int) {
	for _, i := range nodes {
		if tiedTo(m, &m.Nodes[i]) != nil {
			tied = append(tied, i)
		} else {
			own = append(own, i)
		}
	}
	return own, tied
}

// lines are the tensors of nodes that are alike.
func lines(m *infer.Model, nodes []int) []Line {
	if len(nodes) == 0 {
		return nil
	}
	ids := make([]string, len(nodes))
	for k, i := range nodes {
		ids[k] = m.Nodes[i].ID
	}
	entries := m.Entries(nodes[0])
	list := make([]Line, len(entries))
	for k, e := range entries {
		l := &list[k]
		below := strings.TrimPrefix(e.Name, ids[0])
		if e.Copies > 1 {
			below = strings.Replace(below, "{}", fmt.Sprintf("{0…%d}", e.Copies-1), 1)
		}
		*l = Line{Name: patternWith(ids, below), Shape: e.Dims, Buffer: e.Buffer, TiedTo: targets(m, nodes, k)}
		var ok1, ok2, ok3 bool
		var n int64
		l.Tensors, ok1 = shape.Mul(int64(len(nodes)), max(e.Copies, 1))
		n, ok2 = shape.Mul(int64(len(nodes)), e.Elements())
		_, ok3 = e.Dims.Elems()
		if l.Known = e.Derived && ok1 && ok2 && ok3; !l.Known {
			continue
		}
		l.Elements = n
		if l.TiedTo == "" && !l.Buffer {
			l.Parameters = l.Elements
		}
	}
	return list
}

// patternWith is the pattern of names that all end in one suffix.
func patternWith(names []string, suffix string) string {
	full := make([]string, len(names))
	for i, n := range names {
		full[i] = n + suffix
	}
	return Pattern(full)
}

// targets names the tensors that tensor k of each node is, "" when it is its own.
func targets(m *infer.Model, nodes []int, k int) string {
	if tiedTo(m, &m.Nodes[nodes[0]]) == nil {
		return ""
	}
	names := make([]string, len(nodes))
	for j, i := range nodes {
		names[j] = m.Entries(i)[k].TiedTo
	}
	if names = distinct(names); len(names) == 1 {
		return names[0]
	}
	return Pattern(names)
}
