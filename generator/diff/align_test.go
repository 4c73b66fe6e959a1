package diff

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// plainly is align with the whole table, as the rule is written.
func plainly(a, b []int32) []pair {
	table := make([][]int, len(a)+1)
	for i := range table {
		table[i] = make([]int, len(b)+1)
		for j := range table[i] {
			switch {
			case i == 0 || j == 0:
			case a[i-1] == b[j-1]:
				table[i][j] = table[i-1][j-1] + 1
			default:
				table[i][j] = max(table[i-1][j], table[i][j-1])
			}
		}
	}
	var path []pair
	i, j := len(a), len(b)
	for i > 0 || j > 0 {
		switch {
		case i > 0 && j > 0 && a[i-1] == b[j-1]:
			i, j = i-1, j-1
			path = append([]pair{{i, j}}, path...)
		case j == 0 || i > 0 && table[i-1][j] > table[i][j-1]:
			i--
			path = append([]pair{{i, -1}}, path...)
		default:
			j--
			path = append([]pair{{-1, j}}, path...)
		}
	}
	return path
}

func symbols(s string) []int32 {
	list := make([]int32, len(s))
	for i := range list {
		list[i] = int32(s[i])
	}
	return list
}

// drawn shows an alignment: "-x" only in a, "+x" only in b.
func drawn(a, b string, path []pair) string {
	var out []string
	for _, p := range path {
		switch {
		case p.b < 0:
			out = append(out, "-"+a[p.a:p.a+1])
		case p.a < 0:
			out = append(out, "+"+b[p.b:p.b+1])
		default:
			out = append(out, a[p.a:p.a+1])
		}
	}
	return strings.Join(out, " ")
}

func TestAlign(t *testing.T) {
	for _, test := range []struct{ a, b, want string }{
		{"", "", ""},
		{"", "xy", "+x +y"},
		{"xy", "", "-x -y"},
		{"abc", "abc", "a b c"},
		{"ab", "ba", "-a b +a"},         // a tie: b's side first, from the end
		{"x", "y", "-x +y"},             // an added row below the removed one
		{"xnnnz", "xnz", "x -n -n n z"}, // repeats align with the last instance
		{"xnz", "xnnnz", "x +n +n n z"},
		{"innfo", "rinfqo", "+r i -n n f +q o"},
		{"inaainaaino", "inaino", "-i -n -a -a i n -a a i n o"},
	} {
		a, b := symbols(test.a), symbols(test.b)
		if got := drawn(test.a, test.b, align(a, b)); got != test.want {
			t.Errorf("%s, %s: %s, want %s", test.a, test.b, got, test.want)
		}
		if got := drawn(test.a, test.b, plainly(a, b)); got != test.want {
			t.Errorf("%s, %s: by the rule as written %s, want %s", test.a, test.b, got, test.want)
		}
	}
}

// The rows are those of the rule as written, also where words of 64 cells and
// blocks of rows meet.
func TestAlignAsWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kinds := rapid.Int32Range(1, 6).Draw(t, "kinds")
		length := rapid.SampledFrom([]int{3, 12, 63, 64, 65, 140}).Draw(t, "length")
		a := rapid.SliceOfN(rapid.Int32Range(0, kinds), 0, length).Draw(t, "a")
		b := rapid.SliceOfN(rapid.Int32Range(0, kinds), 0, length).Draw(t, "b")
		if got, want := fmt.Sprint(align(a, b)), fmt.Sprint(plainly(a, b)); got != want {
			t.Errorf("%v\n%v:\n%s, want\n%s", a, b, got, want)
		}
	})
}
