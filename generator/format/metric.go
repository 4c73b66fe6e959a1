package format

import (
	"math/big"
	"strconv"
)

var prefixes = []string{"k", "M", "G", "T", "P", "E", "Z", "Y"}

// Metric is an amount with two decimals and the SI prefix that keeps it below
// 1000: "459.43 GMACs". Amounts below 1000 stand as they are.
func Metric(n *big.Int, unit string) string {
	sign, n := split(n)
	x, _ := new(big.Float).SetInt(n).Float64()
	if x < 1000 {
		return sign + n.String() + " " + unit
	}
	number, prefix := "", ""
	for _, prefix = range prefixes {
		x /= 1000
		number = strconv.FormatFloat(x, 'f', 2, 64)
		if v, _ := strconv.ParseFloat(number, 64); v < 1000 {
			break
		}
	}
	return sign + number + " " + prefix + unit
}
