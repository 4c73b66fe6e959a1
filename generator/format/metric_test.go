package format_test

import (
	"math/big"
	"testing"

	"github.com/strata-catalog/strata/generator/format"
)

func TestMetric(t *testing.T) {
	for _, c := range []struct{ n, want string }{
		{"0", "0 MACs"},
		{"999", "999 MACs"},
		{"1000", "1.00 kMACs"},
		{"999994", "999.99 kMACs"},
		{"999996", "1.00 MMACs"},
		{"459427282944", "459.43 GMACs"},
		{"804769497088000", "804.77 TMACs"},
		{"123456789012345678901234567890", "123456.79 YMACs"},
	} {
		n, _ := new(big.Int).SetString(c.n, 10)
		if got := format.Metric(n, "MACs"); got != c.want {
			t.Errorf("Metric(%s) = %q, want %q", c.n, got, c.want)
		}
	}
}
