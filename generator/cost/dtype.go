package cost

import (
	"math/big"

	"github.com/strata-catalog/strata/generator/infer"
	"github.com/strata-catalog/strata/generator/layer"
)

// A DType is a number format that weights are served in.
type DType struct {
	Name string `json:"name"`
	Bits int64  `json:"bits"` // of one element
	Doc  string `json:"doc"`
	// Scales marks a quantized format: matrices are stored with bf16 scales,
	// and what has a single axis (biases, norms) stays in bf16. Grouped has one
	// scale for each group of a row, else there is one for each row.
	Scales  bool `json:"scales"`
	Grouped bool `json:"grouped"`
}

// The number formats.
var (
	FP32 = DType{Name: "fp32", Bits: 32, Doc: "32-bit floating point"}
	BF16 = DType{Name: "bf16", Bits: 16, Doc: "16-bit floating point (bfloat16 or half)"}
	INT8 = DType{Name: "int8", Bits: 8, Scales: true, Doc: "8-bit integers with a bf16 scale for each row; vectors in bf16"}
	INT4 = DType{Name: "int4", Bits: 4, Scales: true, Grouped: true, Doc: "4-bit integers with a bf16 scale for each group of a row, symmetric (no zero points); vectors in bf16"}
)

// DTypes lists the number formats, widest first.
var DTypes = []DType{FP32, BF16, INT8, INT4}

// LookupDType finds a number format by its name.
func LookupDType(name string) (DType, bool) {
	for _, d := range DTypes {
		if d.Name == name {
			return d, true
		}
	}
	return DType{}, false
}

func dtypeNames() []string {
	names := make([]string, len(DTypes))
	for i, d := range DTypes {
		names[i] = d.Name
	}
	return names
}

// bytes is the size of n elements without scales, rounded up.
func (d DType) bytes(n *big.Int) *big.Int {
	bits := new(big.Int).Mul(n, big.NewInt(d.Bits))
	return ceilDiv(bits, 8)
}

func ceilDiv(n *big.Int, by int64) *big.Int {
	q, r := new(big.Int).DivMod(n, big.NewInt(by), new(big.Int))
	if r.Sign() > 0 {
		q.Add(q, big.NewInt(1))
	}
	return q
}

// tensor is the size of every copy of a tensor. A row is what stands under one
// index of the first axis (of each copy): an output feature, a filter, a token.
func (d DType) tensor(t layer.Tensor, group int64) *big.Int {
	count, _ := t.Count()
	n := big.NewInt(count)
	dims := t.Dims
	if t.Stacked && len(dims) > 0 {
		dims = dims[1:]
	}
	if !d.Scales || len(dims) < 2 || count == 0 {
		if d.Scales {
			d = BF16
		}
		return d.bytes(n)
	}
	row, _ := dims[1:].Elems()
	scales := int64(1)
	if d.Grouped {
		scales = (row-1)/group + 1
	}
	rows := new(big.Int).Mul(big.NewInt(count/row), big.NewInt(scales))
	return rows.Add(BF16.bytes(rows), d.bytes(n))
}

// weights is the size of a model's distinct parameters, and of those that are
// read to generate one token: every expert counts in the first, the chosen ones
// in the second. A tied weight is stored once and read at each use; a table
// that is looked up is read by one row, which is left out; an encoder is not
// read again.
func weights(m *infer.Model, d DType, group int64) (stored, read *big.Int) {
	stored, read = new(big.Int), new(big.Int)
	memo := map[*layer.Result][]*big.Int{}
	fed := stream(m)
	for _, i := range m.Order {
		n := &m.Nodes[i]
		r := n.Result
		if !r.Counted || len(r.Weights) == 0 {
			continue
		}
		sizes, ok := memo[r]
		if !ok {
			sizes = make([]*big.Int, len(r.Weights))
			for k, t := range r.Weights {
				sizes[k] = d.tensor(t, group)
			}
			memo[r] = sizes
		}
		own, reads := !shared(n), fed[i] && !isLookup(n)
		for k, t := range r.Weights {
			if t.Buffer {
				continue
			}
			if own && (n.Tie == nil || n.Tie.Tensor != k) {
				stored.Add(stored, sizes[k])
			}
			if reads {
				read.Add(read, active(t, sizes[k]))
			}
		}
	}
	return stored, read
}

// shared reports whether a node's weights are another's, and counted there.
func shared(n *infer.Node) bool { return n.SharedBy >= 0 && n.Params == 0 && n.Buffers == 0 }

// isLookup reports whether a layer reads single rows of its weights.
func isLookup(n *infer.Node) bool {
	return n.Type.Part == layer.Embedding && n.Result.Work.Full == nil
}

// active is the share of a tensor's size that works on one token.
func active(t layer.Tensor, size *big.Int) *big.Int {
	count, _ := t.Count()
	if t.Used == 0 || count == 0 {
		return size
	}
	n := new(big.Int).Mul(size, big.NewInt(t.Active()))
	return ceilDiv(n, count)
}
