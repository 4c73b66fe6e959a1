package format

import (
	"math/big"
	"strconv"
)

var prefixes = []string{" k", " M", " G", " T", " P", " E", " Z", " Y"}

// Metric is an amount with two decimals and the SI prefix that keeps it below
// 1000: "459.43 GMACs". Amounts below 1000 stand as they are.
func Metric(n *big.Int, unit string) string {
	var room [64]byte
	b := appendSign(room[:0], n.Sign() < 0)
	x := size(n)
	if x < 1000 {
		b = append(strconv.AppendInt(b, int64(x), 10), ' ')
	} else {
		b = appendScaled(b, x/1000, prefixes, twoDecimals)
	}
	return string(append(b, unit...))
}
