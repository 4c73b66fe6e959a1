package shape_test

import (
	"math"
	"math/big"
	"testing"

	"github.com/strata-catalog/strata/generator/shape"

	"pgregory.net/rapid"
)

func TestString(t *testing.T) {
	for _, c := range []struct {
		s              shape.Shape
		text, brackets string
	}{
		{nil, "", "[]"}, {shape.Shape{}, "", "[]"}, {shape.Shape{7}, "7", "[7]"},
		{shape.Shape{1, 2048, 3072}, "1 × 2048 × 3072", "[1, 2048, 3072]"},
	} {
		if c.s.String() != c.text || c.s.Brackets() != c.brackets {
			t.Errorf("%#v: %q %q, want %q %q", c.s, c.s.String(), c.s.Brackets(), c.text, c.brackets)
		}
	}
}

// TestMul compares checked products and sums with big integers.
func TestMul(t *testing.T) {
	size := rapid.Int64Range(0, math.MaxInt64)
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.SliceOfN(rapid.OneOf(rapid.Int64Range(0, 1<<20), size), 0, 5).Draw(t, "sizes")
		want := big.NewInt(1)
		overflow := false
		for _, x := range d {
			want.Mul(want, big.NewInt(x))
			overflow = overflow || !want.IsInt64()
		}
		n, ok := shape.Mul(d...)
		if ok == overflow || ok && n != want.Int64() {
			t.Fatalf("Mul(%v) = %d, %v; want %v", d, n, ok, want)
		}
		a, b := size.Draw(t, "a"), size.Draw(t, "b")
		sum, ok := shape.Add(a, b)
		exact := new(big.Int).Add(big.NewInt(a), big.NewInt(b))
		if ok != exact.IsInt64() || ok && sum != exact.Int64() {
			t.Fatalf("Add(%d, %d) = %d, %v; want %v", a, b, sum, ok, exact)
		}
	})
}

func TestBroadcast(t *testing.T) {
	for _, c := range []struct{ a, b, want shape.Shape }{
		{shape.Shape{1, 128, 512}, shape.Shape{512}, shape.Shape{1, 128, 512}},
		{shape.Shape{4, 1}, shape.Shape{1, 5}, shape.Shape{4, 5}},
		{shape.Shape{}, shape.Shape{3}, shape.Shape{3}},
		{shape.Shape{1, 128, 512}, shape.Shape{1, 128, 256}, nil},
		{shape.Shape{0}, shape.Shape{1}, shape.Shape{0}},
	} {
		for _, pair := range [][2]shape.Shape{{c.a, c.b}, {c.b, c.a}} {
			got, ok := shape.Broadcast(pair[0], pair[1])
			if ok != (c.want != nil) || !got.Equal(c.want) {
				t.Errorf("Broadcast(%v, %v) = %v, %v; want %v", pair[0], pair[1], got, ok, c.want)
			}
		}
	}
}

func TestTensor(t *testing.T) {
	image := shape.Tensor{Dims: shape.Shape{2, 64, 7, 9}, Feature: 1, Batch: shape.Batched}
	if got := image.Positions(); !got.Equal(shape.Shape{7, 9}) || image.BatchSize() != 2 || image.Width() != 64 {
		t.Errorf("positions %v, batch %d, width %d; want [7 9], 2, 64", got, image.BatchSize(), image.Width())
	}
	if got := image.WithWidth(3); !got.Dims.Equal(shape.Shape{2, 3, 7, 9}) || !image.Dims.Equal(shape.Shape{2, 64, 7, 9}) {
		t.Errorf("WithWidth gives %v and leaves %v", got.Dims, image.Dims)
	}
	for rank, want := range map[int]shape.Batch{1: shape.Unbatched, 2: shape.Unbatched, 3: shape.Batched} {
		if got := shape.Last(make(shape.Shape, rank), shape.Undecided).AsSequence().Batch; got != want {
			t.Errorf("rank %d as a sequence: batch %v, want %v", rank, got, want)
		}
	}
	if shape.Unknown.Known() || shape.Unknown.Width() != 0 || shape.Unknown.WithWidth(3).Known() {
		t.Error("nothing is known of an unknown tensor")
	}
}
