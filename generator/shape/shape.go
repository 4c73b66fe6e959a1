// Package shape holds tensor shapes and their arithmetic: checked products,
// sliding windows, broadcasting. Start from Shape and Tensor.
//
// Sizes are int64 and products are checked: a product that does not fit is
// reported, never wrapped. The package knows nothing of layers or graphs.
package shape

import (
	"math/bits"
	"strconv"
	"strings"
)

// A Shape is the size of each axis, outermost first. A nil Shape is unknown;
// a scalar is an empty, non-nil Shape.
type Shape []int64

// String prints a shape as pages do: "1 × 2048 × 3072"; an unknown one is empty.
func (s Shape) String() string {
	var room [64]byte
	return string(s.Append(room[:0]))
}

// Append appends what String returns.
func (s Shape) Append(b []byte) []byte {
	for i, d := range s {
		if i > 0 {
			b = append(b, " × "...)
		}
		b = strconv.AppendInt(b, d, 10)
	}
	return b
}

// Brackets prints a shape as messages and PyTorch do: "[1, 2048, 3072]".
func (s Shape) Brackets() string {
	parts := make([]string, len(s))
	for i, d := range s {
		parts[i] = strconv.FormatInt(d, 10)
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// Elems is the product of the sizes; ok is false when it exceeds int64.
func (s Shape) Elems() (n int64, ok bool) { return Mul(s...) }

// Equal reports whether both have the same axes.
func (s Shape) Equal(t Shape) bool {
	if len(s) != len(t) {
		return false
	}
	for i := range s {
		if s[i] != t[i] {
			return false
		}
	}
	return true
}

// With returns a copy in which axis i has size d.
func (s Shape) With(i int, d int64) Shape {
	t := append(Shape(nil), s...)
	t[i] = d
	return t
}

// Mul multiplies sizes (each ≥ 0); ok is false on overflow of int64.
func Mul(d ...int64) (n int64, ok bool) {
	n = 1
	for _, x := range d {
		hi, lo := bits.Mul64(uint64(n), uint64(x))
		if hi != 0 || lo > 1<<63-1 {
			return 0, false
		}
		n = int64(lo)
	}
	return n, true
}

// Add adds two sizes (each ≥ 0); ok is false on overflow of int64.
func Add(a, b int64) (n int64, ok bool) {
	n = a + b
	return n, n >= a && n >= b
}

// Batch says whether axis 0 of a tensor is a batch axis.
type Batch int8

// A declared input is Undecided until its first consumer says what it takes.
const (
	Undecided Batch = iota
	Batched
	Unbatched
)

// A Tensor is a shape with the meaning of its axes.
type Tensor struct {
	Dims    Shape // nil: unknown
	Feature int   // the axis that layers act on: channels after a convolution, else the last
	Batch   Batch
	IDs     bool // integer ids straight from an input, not yet embedded
	// Arranged says that the graph itself put the axes where they are (permute,
	// reshape, flatten, unsqueeze): layers read them as PyTorch does, a linear
	// layer the last axis and a convolution the one after the batch.
	Arranged bool
	// Scores says that it is made to be added to the scores of attention.
	Scores bool
}

// Unknown is a tensor of which nothing is known.
var Unknown = Tensor{}

// Last is a tensor whose feature axis is its last one.
func Last(dims Shape, b Batch) Tensor {
	return Tensor{Dims: dims, Feature: max(len(dims)-1, 0), Batch: b}
}

// Known reports whether the shape is known.
func (t Tensor) Known() bool { return t.Dims != nil }

// Rank is the number of axes.
func (t Tensor) Rank() int { return len(t.Dims) }

// Width is the size of the feature axis, 0 when unknown.
func (t Tensor) Width() int64 {
	if t.Feature >= len(t.Dims) {
		return 0
	}
	return t.Dims[t.Feature]
}

// WithWidth is the tensor with another size on its feature axis.
func (t Tensor) WithWidth(d int64) Tensor {
	t.IDs, t.Arranged, t.Scores = false, false, false
	if t.Feature < len(t.Dims) {
		t.Dims = t.Dims.With(t.Feature, d)
	}
	return t
}

// FeatureLast reports whether the feature axis is the last one.
func (t Tensor) FeatureLast() bool { return t.Feature == len(t.Dims)-1 }

// BatchAxes is 1 when axis 0 is a batch axis, else 0.
func (t Tensor) BatchAxes() int {
	if t.Batch == Batched && len(t.Dims) > 0 {
		return 1
	}
	return 0
}

// BatchSize is the size of the batch axis, 1 without one.
func (t Tensor) BatchSize() int64 {
	if t.BatchAxes() == 1 {
		return t.Dims[0]
	}
	return 1
}

// AsSequence decides an undecided batch axis as sequence layers read it:
// [tokens, width] has none, anything of higher rank has one.
func (t Tensor) AsSequence() Tensor {
	if t.Batch == Undecided {
		t.Batch = Batched
		if len(t.Dims) <= 2 {
			t.Batch = Unbatched
		}
	}
	return t
}

// Positions lists the sizes of the axes that are neither batch nor feature.
func (t Tensor) Positions() Shape {
	p := Shape{}
	for i := t.BatchAxes(); i < len(t.Dims); i++ {
		if i != t.Feature {
			p = append(p, t.Dims[i])
		}
	}
	return p
}

// Broadcast is PyTorch's rule: axes are aligned at the end and each pair is
// equal or one of them is 1; ok is false when they do not fit.
func Broadcast(a, b Shape) (s Shape, ok bool) {
	if len(a) < len(b) {
		a, b = b, a
	}
	s = append(Shape{}, a...)
	for i := range b {
		j := len(a) - len(b) + i
		switch {
		case a[j] == b[i] || b[i] == 1:
		case a[j] == 1:
			s[j] = b[i]
		default:
			return nil, false
		}
	}
	return s, true
}

// A Window is a sliding window along one axis, in elements.
type Window struct {
	Kernel, Stride, Dilation int64
	Before, After            int64 // padding on each side
	Ceil                     bool  // pooling's ceil_mode
}

// span is the extent of one window: dilation · (kernel − 1) + 1.
func (w Window) span() int64 { return w.Dilation*(w.Kernel-1) + 1 }

// Out is the number of windows over n elements, 0 when not even one fits.
// With Ceil it is PyTorch's pooling_output_shape, in which the last window
// must start inside the input or its left padding.
func (w Window) Out(n int64) int64 {
	room := n + w.Before + w.After - w.span()
	if room < 0 {
		if !w.Ceil || room+w.Stride-1 < 0 {
			return 0
		}
		room = 0
	}
	out := room/w.Stride + 1
	if w.Ceil && room%w.Stride != 0 {
		out++
	}
	if w.Ceil && (out-1)*w.Stride >= n+w.Before {
		out--
	}
	return out
}

// Dropped is the number of elements of the unpadded input, at its end, that no
// window covers.
func (w Window) Dropped(n int64) int64 {
	out := w.Out(n)
	if out == 0 {
		return 0
	}
	return min(n, max(0, n+w.Before-((out-1)*w.Stride+w.span())))
}
