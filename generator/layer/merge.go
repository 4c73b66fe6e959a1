package layer

import (
	"fmt"

	"github.com/strata-catalog/strata/generator/shape"
)

const mergeWork = "none; for each element of the output one element-wise operation less than there are operands"

var merges = []*Type{
	declare(Type{
		Name: "add", Display: "Add", Part: Merge, Ports: merge,
		Also: []string{"addition", "sum", "plus", "residual", "residualAdd", "elementwiseAdd", "eltwiseAdd"},
		Doc: Doc{
			Summary: "Adds its operands, as a residual connection does.",
			Shape:   "the operands broadcast; leading axes of size 1 may be missing",
			Work:    mergeWork,
			Source:  "https://pytorch.org/docs/stable/notes/broadcasting.html",
			Examples: []Example{
				{Params: `{}`, In: []shape.Shape{{1, 128, 512}, {1, 128, 512}}},
				{Params: `{}`, In: []shape.Shape{{1, 128, 512}, {1, 128, 256}}},
			},
		},
	}, addition{}),
	declare(Type{
		Name: "multiply", Display: "Multiply", Part: Merge, Ports: merge,
		Also: []string{"mul", "multiplication", "hadamard", "elementwiseMul", "elementwiseMultiply", "eltwiseMul"},
		Doc: Doc{
			Summary:  "Multiplies its operands element by element, as a gate does.",
			Shape:    "the operands broadcast; leading axes of size 1 may be missing",
			Work:     mergeWork,
			Source:   "https://pytorch.org/docs/stable/notes/broadcasting.html",
			Examples: []Example{{Params: `{}`, In: []shape.Shape{{1, 128, 512}, {512}}}},
		},
	}, addition{}),
	declare(Type{
		Name: "modulate", Display: "Modulate", Part: Merge, Ports: Ports{Min: 3, Max: 3},
		Also: []string{"film", "adaptiveModulation"},
		Doc: Doc{
			Summary: "Scales and shifts the first operand by what was computed from something else, as adaptive layer norms do: x · (1 + scale) + shift, of the operands x, shift and scale.",
			Shape:   "the operands broadcast; leading axes of size 1 may be missing",
			Work:    "none; two element-wise operations for each element of the output",
			Source:  "https://arxiv.org/abs/2212.09748",
			Examples: []Example{
				{Params: `{}`, In: []shape.Shape{{1, 256, 384}, {1, 1, 384}, {1, 1, 384}}},
				{Params: `{}`, In: []shape.Shape{{1, 256, 384}, {1, 1, 384}, {1, 1, 768}}},
				{Params: `{}`, In: []shape.Shape{{1, 256, 384}, {1, 1, 384}}},
			},
		},
	}, modulation{}),
	declare(Type{
		Name: "subtract", Display: "Subtract", Part: Merge, Ports: Ports{Min: 2, Max: 2},
		Also: []string{"sub", "subtraction", "minus", "difference", "elementwiseSub", "eltwiseSub"},
		Doc: Doc{
			Summary: "Takes the second operand from the first, as N-BEATS does with what a block has explained.",
			Shape:   "the operands broadcast; leading axes of size 1 may be missing",
			Work:    mergeWork,
			Source:  "https://pytorch.org/docs/stable/generated/torch.sub.html",
			Examples: []Example{
				{Params: `{}`, In: []shape.Shape{{1, 96, 7}, {1, 1, 7}}},
				{Params: `{}`, In: []shape.Shape{{1, 96, 7}, {1, 96, 5}}},
			},
		},
	}, addition{}),
	declare(Type{
		Name: "concatenate", Display: "Concatenate", Part: Merge, Ports: merge,
		Also: []string{"cat", "concat", "concatenation"},
		Doc: Doc{
			Summary: "Joins its operands along one axis.",
			Shape:   "the axis of joining adds up, the others are equal; without dim it is the one axis where the operands differ, else the feature axis",
			Work:    noWork,
			Source:  "https://pytorch.org/docs/stable/generated/torch.cat.html",
			Examples: []Example{
				{Params: `{"dim": -1}`, In: []shape.Shape{{1, 64}, {1, 32}}},
				{Params: `{}`, In: []shape.Shape{{1, 100, 64}, {1, 1, 64}}},
				{Params: `{"dim": 1}`, In: []shape.Shape{{1, 4, 8}, {1, 4, 16}}},
			},
		},
	}, concatenate{}),
}

// addition is any element-wise merge.
type addition struct {
	NumInputs int64 `json:"numInputs" min:"1" unit:"operands" doc:"how many operands there are; checked, never trusted"`
}

func (l *addition) Infer(c *Call) shape.Tensor {
	declaredInputs(c, l.NumInputs)
	return broadcast(c)
}

// broadcast is what all operands broadcast to.
func broadcast(c *Call) shape.Tensor {
	out := c.First()
	for i, x := range c.In {
		if !x.Known() {
			return shape.Unknown
		}
		dims, ok := shape.Broadcast(out.Dims, x.Dims)
		if !ok {
			return c.Fail(Broadcast, "", "operand %d is %s, which does not broadcast with %s", i+1, x.Dims.Brackets(), out.Dims.Brackets())
		}
		if out.Batch == shape.Undecided || x.Rank() > out.Rank() {
			out.Batch = x.Batch
		}
		switch {
		case x.Rank() > out.Rank():
			out.Feature, out.Arranged = x.Feature, x.Arranged
		case x.Rank() == out.Rank() && out.Arranged && !x.Arranged && x.Batch != shape.Undecided:
			// The other operand's axes are known, so those of the sum are:
			// a branch that came back from channels last.
			out.Feature, out.Arranged = x.Feature, false
		}
		out.Dims = dims
	}
	out.IDs = false
	return out
}

func (l *addition) Weights() []Tensor { return nil }
func (l *addition) Work(c *Call, out shape.Tensor) Work {
	return Elementwise(out.Dims, max(int64(len(c.In))-1, 0))
}

// modulation is the one of DiT (Peebles and Xie, 2022).
type modulation struct{}

func (l *modulation) Infer(c *Call) shape.Tensor { return broadcast(c) }
func (l *modulation) Weights() []Tensor          { return nil }

func (l *modulation) Work(c *Call, out shape.Tensor) Work { return Elementwise(out.Dims, 2) }

// declaredInputs checks a number of operands that a graph declares.
func declaredInputs(c *Call, n int64) {
	if n != 0 && n != int64(len(c.In)) {
		c.Report(OperandCount, "numInputs", "numInputs is %d, but %d operands arrive", n, len(c.In)).Replace = fmt.Sprint(len(c.In))
	}
}

// concatenate is torch.cat.
type concatenate struct {
	Dim       Opt   `json:"dim" alias:"axis" unit:"axis" default:"the axis that differs" doc:"axis of joining; one that is not negative counts the batch axis"`
	NumInputs int64 `json:"numInputs" min:"1" unit:"operands" doc:"how many operands there are; checked, never trusted"`
}

func (l *concatenate) Infer(c *Call) shape.Tensor {
	declaredInputs(c, l.NumInputs)
	for _, x := range c.In {
		if !x.Known() {
			return shape.Unknown
		}
	}
	in := pad(c.In)
	at, ok := l.along(in)
	if !ok {
		return c.Fail(AxisRange, "dim", "dim %d is no axis of %s", l.Dim.V, in[0].Dims.Brackets())
	}
	out, bad := concat(in, at-in[0].Rank(), batchAxes(in))
	if bad != "" {
		return c.Fail(ConcatAxes, "dim", "%s", bad)
	}
	return out
}

// along is the axis of joining of operands of one rank; ok is false where the
// declared one is none.
func (l *concatenate) along(in []shape.Tensor) (axis int, ok bool) {
	if l.Dim.Set {
		return axisOf(l.Dim.V, in[0].Rank(), batchAxes(in))
	}
	if d, n := differs(in); n == 1 {
		return d, true
	}
	return in[0].Feature, true
}

// batchAxes is how many batch axes a declared axis of any of the operands counts.
func batchAxes(in []shape.Tensor) int {
	n := 0
	for _, x := range in {
		n = max(n, leading(x))
	}
	return n
}

func (l *concatenate) Weights() []Tensor                   { return nil }
func (l *concatenate) Work(c *Call, out shape.Tensor) Work { return Work{} }

// axisOf resolves a declared axis of a tensor with the given number of batch
// axes. One that is not negative counts the batch axis; where there is none, d
// means axis d − 1, and 0 is an error.
func axisOf(d int64, rank, batch int) (axis int, ok bool) {
	switch {
	case d < 0:
		d += int64(rank)
	case batch == 0:
		d--
	}
	return int(d), d >= 0 && d < int64(rank)
}

// pad gives every operand the rank of the highest by leading axes of size 1.
func pad(in []shape.Tensor) []shape.Tensor {
	rank := 0
	for _, x := range in {
		rank = max(rank, x.Rank())
	}
	out := append([]shape.Tensor(nil), in...)
	for i := range out {
		for out[i].Rank() < rank {
			if out[i].Rank() > 0 {
				out[i].Feature++
			}
			out[i].Dims = append(shape.Shape{1}, out[i].Dims...)
		}
	}
	return out
}

// differs returns the last axis where the operands differ, and on how many they do.
func differs(in []shape.Tensor) (axis, n int) {
	for i := range in[0].Dims {
		for _, x := range in[1:] {
			if x.Dims[i] != in[0].Dims[i] {
				axis, n = i, n+1
				break
			}
		}
	}
	return axis, n
}

// concat joins operands on an axis counted from the end; bad says why it cannot.
func concat(in []shape.Tensor, axis, batch int) (out shape.Tensor, bad string) {
	in = pad(in)
	out = in[0]
	at := out.Rank() + axis
	if at < 0 || at >= out.Rank() {
		return shape.Unknown, fmt.Sprintf("axis %d is no axis of %s", axis, out.Dims.Brackets())
	}
	total := int64(0)
	for i, x := range in {
		for j := range x.Dims {
			if j != at && x.Dims[j] != out.Dims[j] {
				return shape.Unknown, fmt.Sprintf("operand %d is %s, which differs from %s on an axis other than %d", i+1, x.Dims.Brackets(), out.Dims.Brackets(), at)
			}
		}
		var ok bool
		if total, ok = shape.Add(total, x.Dims[at]); !ok {
			return shape.Unknown, "the joined axis does not fit a signed 64-bit integer"
		}
		if x.Batch != shape.Undecided && (out.Batch == shape.Undecided || batch > 0 && x.BatchAxes() == 1) {
			out.Batch = x.Batch
		}
	}
	out.Dims = out.Dims.With(at, total)
	out.IDs = false
	return out, ""
}
