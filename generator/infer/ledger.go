package infer

import (
	"iter"
	"strconv"
	"strings"

	"github.com/strata-catalog/strata/generator/layer"
	"github.com/strata-catalog/strata/generator/shape"
)

// An Entry is one named tensor of the ledger.
type Entry struct {
	Node    int
	Name    string // as in a state dict; "{}" stands for the index of a copy
	Dims    shape.Shape
	Copies  int64  // tensors under this name: 1, or the number of copies
	TiedTo  string // name of the tensor that this one is; it counts there
	Buffer  bool   // stored, but no parameter
	Derived bool   // false: a size is not known, and it is counted nowhere
}

// Elements is the number of elements in all copies, wherever they count.
func (e Entry) Elements() int64 {
	n, _ := layer.Tensor{Dims: e.Dims, Copies: e.Copies}.Count()
	return n
}

// Counts is what the entry adds to the number of parameters.
func (e Entry) Counts() int64 {
	if e.TiedTo != "" || e.Buffer || !e.Derived {
		return 0
	}
	return e.Elements()
}

// Ledger lists every tensor of the model, in the order of its layers. The
// distinct parameters add up to Params.
func (m *Model) Ledger() iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		for _, i := range m.Order {
			for _, e := range m.Entries(i) {
				if !yield(e) {
					return
				}
			}
		}
	}
}

// Entries lists the tensors of one node.
func (m *Model) Entries(i int) []Entry {
	n := &m.Nodes[i]
	r := n.Result
	if len(r.Weights) == 0 {
		return nil
	}
	owner := m.owner(i)
	shared := owner != i && m.alike(i, owner)
	list := make([]Entry, len(r.Weights))
	for k, w := range r.Weights {
		e := Entry{Node: i, Name: tensorName(m.Module(i), w.Name), Dims: w.Dims, Copies: max(w.Copies, 1), Buffer: w.Buffer, Derived: r.Counted}
		switch {
		case shared:
			e.TiedTo = tensorName(m.Module(owner), m.Nodes[owner].Result.Weights[k].Name)
		case n.Tie != nil && n.Tie.Tensor == k:
			e.TiedTo = tensorName(m.Module(n.Tie.Node), m.Nodes[n.Tie.Node].Result.Weights[n.Tie.Of].Name)
		}
		if w.Stacked {
			e.Copies = 1
		}
		list[k] = e
	}
	return list
}

// Named lists the copies of an entry one by one.
func (e Entry) Named() iter.Seq[string] {
	return func(yield func(string) bool) {
		if e.Copies <= 1 {
			yield(e.Name)
			return
		}
		for i := range e.Copies {
			if !yield(strings.Replace(e.Name, "{}", strconv.FormatInt(i, 10), 1)) {
				return
			}
		}
	}
}

// tensorName joins the path of a module and a name below it; a free
// parameter has its component's name.
func tensorName(module, name string) string {
	if name == "" {
		return module
	}
	return module + "." + name
}
