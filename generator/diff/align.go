package diff

import (
	"math"
	"math/bits"
	"slices"
)

// A pair is one row of an alignment: positions in a and in b, -1 for none.
type pair struct{ a, b int }

// align finds a longest common subsequence of two lists of symbols and returns
// its rows from first to last. It is traced back from the end: equal symbols
// match at once; otherwise the step goes to the side whose table value is
// larger, and on a tie to b's, so that what is only in b stands below what is
// only in a.
//
// The table is never held. Of its row i one bit a cell is enough: whether the
// value grows from the cell before. Where symbols differ, a value that grows
// can only come from the row above, so that the bit is the way back. Rows come
// 64 cells at a time (Crochemore, Iliopoulos, Pinzon and Reid, "A fast and
// practical bit-vector algorithm for the longest common subsequence problem",
// 2001); every √n-th is kept, and those between are made again on the way back.
func align(a, b []int32) []pair {
	n, m := len(a), len(b)
	path := make([]pair, 0, n+m)
	t := newTable(a, b)
	for first := t.lastBlock(); n > 0 && m > 0; first -= t.stride {
		rows := t.rows(first)
		for n > first && m > 0 {
			switch {
			case a[n-1] == b[m-1]:
				n, m = n-1, m-1
				path = append(path, pair{n, m})
			case grows(rows[n-1-first], m-1):
				n--
				path = append(path, pair{n, -1})
			default:
				m--
				path = append(path, pair{-1, m})
			}
		}
	}
	for ; m > 0; m-- {
		path = append(path, pair{-1, m - 1})
	}
	for ; n > 0; n-- {
		path = append(path, pair{n - 1, -1})
	}
	slices.Reverse(path)
	return path
}

// A table is the table of common subsequences of the beginnings of two lists.
type table struct {
	a      []int32
	equal  map[int32][]uint64 // by symbol: the cells of b that have it
	words  int                // of a row
	stride int                // rows between two that are kept
	kept   [][]uint64         // row before a[k·stride]
	block  [][]uint64         // rows of one block, made again for each
}

func newTable(a, b []int32) *table {
	t := &table{a: a, equal: map[int32][]uint64{}, words: (len(b) + 63) / 64}
	t.stride = max(1, int(math.Sqrt(float64(len(a)))))
	for j, s := range b {
		if t.equal[s] == nil {
			t.equal[s] = make([]uint64, t.words)
		}
		t.equal[s][j/64] |= 1 << (j % 64)
	}
	row := make([]uint64, t.words) // before the first symbol no value grows
	for w := range row {
		row[w] = ^uint64(0)
	}
	for i, s := range a {
		if i%t.stride == 0 {
			t.kept = append(t.kept, append([]uint64(nil), row...))
		}
		t.next(row, row, s)
	}
	return t
}

// next makes the row after symbol s of the one before it. A bit is 0 where the
// value grows.
func (t *table) next(to, from []uint64, s int32) {
	equal := t.equal[s]
	if equal == nil {
		copy(to, from)
		return
	}
	carry := uint64(0)
	for w, v := range from {
		var sum uint64
		sum, carry = bits.Add64(v, v&equal[w], carry)
		to[w] = sum | v&^equal[w]
	}
}

// grows reports whether the value of cell j exceeds that of the cell before.
func grows(row []uint64, j int) bool { return row[j/64]>>(j%64)&1 == 0 }

// lastBlock is the first row of the last block of rows.
func (t *table) lastBlock() int { return (len(t.kept) - 1) * t.stride }

// rows makes the rows after each symbol of the block that begins at first. They
// hold until the next call.
func (t *table) rows(first int) [][]uint64 {
	end := min(first+t.stride, len(t.a))
	before := t.kept[first/t.stride]
	for k := range end - first {
		if k == len(t.block) {
			t.block = append(t.block, make([]uint64, t.words))
		}
		t.next(t.block[k], before, t.a[first+k])
		before = t.block[k]
	}
	return t.block
}
