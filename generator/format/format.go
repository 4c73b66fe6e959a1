// Package format prints numbers as pages, diffs and the terminal show them.
// Exact integers always stand beside a shortened one.
package format

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
)

var units = []string{"", "K", "M", "B", "T", "Q"}

// Count is a number with two decimals and the unit that keeps it below 1000:
// 310.29M. Numbers below 1000 stand as they are.
func Count(n *big.Int) string { return scaled(n, func(float64) int { return 2 }) }

// Count64 is Count for an int64.
func Count64(n int64) string { return Count(big.NewInt(n)) }

// Short is a number with at most three significant figures: one decimal below
// ten, none from ten up: 8.2B, 310M.
func Short(n *big.Int) string {
	return scaled(n, shortDecimals)
}

// shortDecimals is how many decimals a short number has.
func shortDecimals(x float64) int {
	if x < 9.95 {
		return 1
	}
	return 0
}

// Short64 is Short for an int64.
func Short64(n int64) string { return Short(big.NewInt(n)) }

// scaled divides by thousands until the printed number is below 1000.
func scaled(n *big.Int, decimals func(float64) int) string {
	sign, n := split(n)
	if n.IsInt64() && n.Int64() < 1000 {
		return sign + n.String()
	}
	x, _ := new(big.Float).SetInt(n).Float64()
	for i, u := range units {
		s := strconv.FormatFloat(x, 'f', decimals(x), 64)
		if v, _ := strconv.ParseFloat(s, 64); i > 0 && (v < 1000 || i == len(units)-1) {
			return sign + s + u
		}
		x /= 1000
	}
	return sign + n.String()
}

// split takes the sign off a number.
func split(n *big.Int) (sign string, abs *big.Int) {
	if n.Sign() < 0 {
		return "-", new(big.Int).Neg(n)
	}
	return "", n
}

// Signed is Short with its sign, "0" for zero.
func Signed(n *big.Int) string {
	if n.Sign() > 0 {
		return "+" + Short(n)
	}
	return Short(n)
}

// Exact is an integer with thousands separated by commas.
func Exact(n *big.Int) string {
	sign, n := split(n)
	s := n.String()
	var b strings.Builder
	for i, c := range s {
		if i > 0 && (len(s)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(c)
	}
	return sign + b.String()
}

// Exact64 is Exact for an int64.
func Exact64(n int64) string { return Exact(big.NewInt(n)) }

// Percent is part of whole in percent with one decimal and its sign: +3.1%.
// No change is 0.0%, and of nothing it is "n/a".
func Percent(part, whole int64) string {
	switch {
	case whole == 0:
		return "n/a"
	case part == 0:
		return "0.0%"
	}
	return fmt.Sprintf("%+.1f%%", 100*float64(part)/float64(whole))
}

// Share is part of whole in percent with one decimal, without a sign.
func Share(part, whole int64) string {
	if whole == 0 {
		return ""
	}
	return fmt.Sprintf("%.1f%%", 100*float64(part)/float64(whole))
}

// Money is dollars: cents below 1,000, none above: $16.76, $20,863.
func Money(usd float64) string {
	switch {
	case math.IsNaN(usd) || math.IsInf(usd, 0):
		return "n/a"
	case usd < 0:
		return "-" + Money(-usd)
	case usd < 999.995:
		return fmt.Sprintf("$%.2f", usd)
	}
	whole, _ := big.NewFloat(usd + 0.5).Int(nil)
	return "$" + Exact(whole)
}

// Bytes is a size in decimal units, which cards are sold in: 62.1 GB.
func Bytes(n *big.Int) string { return bytes(n, func(float64) int { return 1 }) }

// ShortBytes is a size with as many figures as Short has: 9.7 GB, 135 kB.
func ShortBytes(n *big.Int) string { return bytes(n, shortDecimals) }

// bytes divides by thousands until the printed number is below 1000.
func bytes(n *big.Int, decimals func(float64) int) string {
	sign, n := split(n)
	x, _ := new(big.Float).SetInt(n).Float64()
	if x < 1000 {
		return sign + n.String() + " B"
	}
	number, unit := "", ""
	for _, unit = range []string{"kB", "MB", "GB", "TB", "PB", "EB"} {
		x /= 1000
		number = strconv.FormatFloat(x, 'f', decimals(x), 64)
		if v, _ := strconv.ParseFloat(number, 64); v < 1000 {
			break
		}
	}
	return sign + number + " " + unit
}

// Whole is the integer nearest to a fraction, halves away from zero.
func Whole(r *big.Rat) *big.Int {
	n, _ := new(big.Int).SetString(r.FloatString(0), 10)
	return n
}
