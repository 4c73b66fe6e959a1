// Package format prints numbers as pages, diffs and the terminal show them.
// Exact integers always stand beside a shortened one.
package format

import (
	"bytes"
	"fmt"
	"math"
	"math/big"
	"strconv"
)

var units = []string{"K", "M", "B", "T", "Q"}

// Count is a number with two decimals and the unit that keeps it below 1000:
// 310.29M. Numbers below 1000 stand as they are.
func Count(n *big.Int) string { return scaled(n, twoDecimals) }

// Count64 is Count for an int64.
func Count64(n int64) string { return scaled64(n, twoDecimals) }

func twoDecimals(float64) int { return 2 }

// Short is a number with at most three significant figures: one decimal below
// ten, none from ten up: 8.2B, 310M.
func Short(n *big.Int) string { return scaled(n, shortDecimals) }

// shortDecimals is how many decimals a short number has.
func shortDecimals(x float64) int {
	if x < 9.95 {
		return 1
	}
	return 0
}

// Short64 is Short for an int64.
func Short64(n int64) string { return scaled64(n, shortDecimals) }

// scaled divides by thousands until the printed number is below 1000.
func scaled(n *big.Int, decimals func(float64) int) string {
	if n.IsInt64() {
		return scaled64(n.Int64(), decimals)
	}
	var room [32]byte
	b := appendSign(room[:0], n.Sign() < 0)
	return string(appendScaled(b, size(n)/1000, units, decimals))
}

func scaled64(n int64, decimals func(float64) int) string {
	if -1000 < n && n < 1000 {
		return strconv.FormatInt(n, 10)
	}
	var room [32]byte
	b := appendSign(room[:0], n < 0)
	return string(appendScaled(b, math.Abs(float64(n))/1000, units, decimals))
}

// size is a number without its sign.
func size(n *big.Int) float64 {
	if n.IsInt64() {
		return math.Abs(float64(n.Int64()))
	}
	x, _ := new(big.Float).SetInt(n).Float64()
	return math.Abs(x)
}

func appendSign(b []byte, negative bool) []byte {
	if negative {
		b = append(b, '-')
	}
	return b
}

// appendScaled appends a number with the first of the units that keeps it below
// 1000 as it is printed, or with the last; each is 1000 times the one before.
func appendScaled(b []byte, x float64, units []string, decimals func(float64) int) []byte {
	for i, u := range units {
		from := len(b)
		b = strconv.AppendFloat(b, x, 'f', decimals(x), 64)
		whole := bytes.IndexByte(b[from:], '.')
		if whole < 0 {
			whole = len(b) - from
		}
		if whole < 4 || i == len(units)-1 {
			return append(b, u...)
		}
		b = b[:from]
		x /= 1000
	}
	return b
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
	if n.IsInt64() {
		return Exact64(n.Int64())
	}
	return string(appendThousands(nil, n.Append(nil, 10)))
}

// Exact64 is Exact for an int64.
func Exact64(n int64) string {
	if -1000 < n && n < 1000 {
		return strconv.FormatInt(n, 10)
	}
	var room [32]byte
	return string(AppendExact64(room[:0], n))
}

// AppendExact64 appends what Exact64 returns.
func AppendExact64(b []byte, n int64) []byte {
	var room [20]byte
	return appendThousands(b, strconv.AppendInt(room[:0], n, 10))
}

// appendThousands appends digits with a comma between thousands.
func appendThousands(b, digits []byte) []byte {
	if digits[0] == '-' {
		b, digits = append(b, '-'), digits[1:]
	}
	for i, c := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b = append(b, ',')
		}
		b = append(b, c)
	}
	return b
}

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
	var room [16]byte
	return string(AppendShare(room[:0], part, whole))
}

// AppendShare appends what Share returns.
func AppendShare(b []byte, part, whole int64) []byte {
	if whole == 0 {
		return b
	}
	return append(strconv.AppendFloat(b, 100*float64(part)/float64(whole), 'f', 1, 64), '%')
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
func Bytes(n *big.Int) string { return sized(n, func(float64) int { return 1 }) }

// ShortBytes is a size with as many figures as Short has: 9.7 GB, 135 kB.
func ShortBytes(n *big.Int) string { return sized(n, shortDecimals) }

var byteUnits = []string{" kB", " MB", " GB", " TB", " PB", " EB"}

func sized(n *big.Int, decimals func(float64) int) string {
	var room [32]byte
	b := appendSign(room[:0], n.Sign() < 0)
	x := size(n)
	if x < 1000 {
		return string(append(strconv.AppendInt(b, int64(x), 10), " B"...))
	}
	return string(appendScaled(b, x/1000, byteUnits, decimals))
}

// Whole is the integer nearest to a fraction, halves away from zero.
func Whole(r *big.Rat) *big.Int {
	n, _ := new(big.Int).SetString(r.FloatString(0), 10)
	return n
}
