package format_test

import (
	"math/big"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/strata-catalog/strata/generator/format"
)

// plainly divides by thousands until the number as it is printed, read again, is
// below 1000.
func plainly(n *big.Int, units []string, decimals func(float64) int) string {
	sign := ""
	if n.Sign() < 0 {
		sign, n = "-", new(big.Int).Neg(n)
	}
	x, _ := new(big.Float).SetInt(n).Float64()
	if x < 1000 {
		return sign + n.String() + units[0]
	}
	number, unit := "", ""
	for _, unit = range units[1:] {
		x /= 1000
		number = strconv.FormatFloat(x, 'f', decimals(x), 64)
		if v, _ := strconv.ParseFloat(number, 64); v < 1000 {
			break
		}
	}
	return sign + number + unit
}

func TestScaled(t *testing.T) {
	two := func(float64) int { return 2 }
	one := func(float64) int { return 1 }
	short := func(x float64) int {
		if x < 9.95 {
			return 1
		}
		return 0
	}
	counts := []string{"", "K", "M", "B", "T", "Q"}
	sizes := []string{" B", " kB", " MB", " GB", " TB", " PB", " EB"}
	prefixes := []string{" X", " kX", " MX", " GX", " TX", " PX", " EX", " ZX", " YX"}
	rapid.Check(t, func(t *rapid.T) {
		n := new(big.Int)
		if rapid.Bool().Draw(t, "huge") {
			n.SetBytes(rapid.SliceOfN(rapid.Byte(), 8, 14).Draw(t, "bytes"))
		} else {
			// Near a power of ten, where units change.
			n.Exp(big.NewInt(10), big.NewInt(rapid.Int64Range(0, 20).Draw(t, "power")), nil)
			n.Add(n, big.NewInt(rapid.Int64Range(-6000, 6000).Draw(t, "more")))
			n.Mul(n, big.NewInt(rapid.Int64Range(-9, 9).Draw(t, "times")))
		}
		for _, c := range []struct{ what, got, want string }{
			{"Count", format.Count(n), plainly(n, counts, two)},
			{"Short", format.Short(n), plainly(n, counts, short)},
			{"Bytes", format.Bytes(n), plainly(n, sizes, one)},
			{"ShortBytes", format.ShortBytes(n), plainly(n, sizes, short)},
			{"Metric", format.Metric(n, "X"), plainly(n, prefixes, two)},
			{"Exact without commas", strings.ReplaceAll(format.Exact(n), ",", ""), n.String()},
		} {
			if c.got != c.want {
				t.Errorf("%s(%s) = %q, want %q", c.what, n, c.got, c.want)
			}
		}
		if n.IsInt64() {
			i := n.Int64()
			if format.Count64(i) != format.Count(n) || format.Short64(i) != format.Short(n) || format.Exact64(i) != format.Exact(n) {
				t.Errorf("%s: 64 bits make another text", n)
			}
		}
		groups := strings.Split(strings.TrimPrefix(format.Exact(n), "-"), ",")
		for i, g := range groups {
			if i > 0 && len(g) != 3 || len(g) == 0 || len(g) > 3 {
				t.Errorf("Exact(%s) = %q", n, format.Exact(n))
			}
		}
	})
}
