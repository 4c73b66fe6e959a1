package format_test

import (
	"math"
	"math/big"
	"testing"

	"github.com/strata-catalog/strata/generator/format"
)

func TestNumbers(t *testing.T) {
	for _, test := range []struct{ n, count, short, signed, exact, bytes, shortBytes string }{
		{"0", "0", "0", "0", "0", "0 B", "0 B"},
		{"1", "1", "1", "+1", "1", "1 B", "1 B"},
		{"-7", "-7", "-7", "-7", "-7", "-7 B", "-7 B"},
		{"999", "999", "999", "+999", "999", "999 B", "999 B"},
		{"1000", "1.00K", "1.0K", "+1.0K", "1,000", "1.0 kB", "1.0 kB"},
		{"4096", "4.10K", "4.1K", "+4.1K", "4,096", "4.1 kB", "4.1 kB"},
		{"9949", "9.95K", "9.9K", "+9.9K", "9,949", "9.9 kB", "9.9 kB"},
		{"9950", "9.95K", "10K", "+10K", "9,950", "9.9 kB", "10 kB"},
		{"98532672", "98.53M", "99M", "+99M", "98,532,672", "98.5 MB", "99 MB"},
		{"310288704", "310.29M", "310M", "+310M", "310,288,704", "310.3 MB", "310 MB"},
		{"-135168", "-135.17K", "-135K", "-135K", "-135,168", "-135.2 kB", "-135 kB"},
		{"-350449999999", "-350.45B", "-350B", "-350B", "-350,449,999,999", "-350.4 GB", "-350 GB"},
		{"-392265408", "-392.27M", "-392M", "-392M", "-392,265,408", "-392.3 MB", "-392 MB"},
		// A unit is promoted where rounding reaches 1000.
		{"999600", "999.60K", "1.0M", "+1.0M", "999,600", "999.6 kB", "1.0 MB"},
		{"999996", "1.00M", "1.0M", "+1.0M", "999,996", "1.0 MB", "1.0 MB"},
		{"8190726144", "8.19B", "8.2B", "+8.2B", "8,190,726,144", "8.2 GB", "8.2 GB"},
		{"-999999999999", "-1.00T", "-1.0T", "-1.0T", "-999,999,999,999", "-1.0 TB", "-1.0 TB"},
		{"9301106700625693900800", "9301106.70Q", "9301107Q", "+9301107Q", "9,301,106,700,625,693,900,800", "9301.1 EB", "9301 EB"},
	} {
		n, _ := new(big.Int).SetString(test.n, 10)
		for what, pair := range map[string][2]string{
			"Count": {format.Count(n), test.count}, "Short": {format.Short(n), test.short},
			"Signed": {format.Signed(n), test.signed}, "Exact": {format.Exact(n), test.exact}, "Bytes": {format.Bytes(n), test.bytes},
			"ShortBytes": {format.ShortBytes(n), test.shortBytes},
		} {
			if pair[0] != pair[1] {
				t.Errorf("%s(%s) = %q, want %q", what, test.n, pair[0], pair[1])
			}
		}
		if n.String() != test.n {
			t.Errorf("printing %s changed it to %v", test.n, n)
		}
	}
}

func TestPercent(t *testing.T) {
	for _, test := range []struct {
		part, whole    int64
		percent, share string
	}{
		{-392265408, 702554112, "-55.8%", "-55.8%"},
		{1, 32, "+3.1%", "3.1%"},
		{5, 5, "+100.0%", "100.0%"},
		{0, 5, "0.0%", "0.0%"},
		{5, 0, "n/a", ""},
	} {
		if got := format.Percent(test.part, test.whole); got != test.percent {
			t.Errorf("Percent(%d, %d) = %q, want %q", test.part, test.whole, got, test.percent)
		}
		if got := format.Share(test.part, test.whole); got != test.share {
			t.Errorf("Share(%d, %d) = %q, want %q", test.part, test.whole, got, test.share)
		}
	}
}

func TestMoney(t *testing.T) {
	for want, usd := range map[string]float64{
		"$0.00":              0,
		"$16.76":             16.758,
		"$999.99":            999.994,
		"$1,000":             999.996,
		"$20,863":            20862.6,
		"$1,234,567":         1234567.4,
		"-$16.76":            -16.76,
		"-$20,863":           -20863,
		"n/a":                math.Inf(-1),
		"$1,000,000,000,000": 1e12,
	} {
		if got := format.Money(usd); got != want {
			t.Errorf("Money(%v) = %q, want %q", usd, got, want)
		}
	}
	if got := format.Money(math.NaN()); got != "n/a" {
		t.Errorf("Money(NaN) = %q", got)
	}
}

func TestWhole(t *testing.T) {
	for _, test := range []struct {
		num, den int64
		want     string
	}{{7, 2, "4"}, {-7, 2, "-4"}, {10, 3, "3"}, {-13212057600, 1, "-13212057600"}, {0, 5, "0"}, {-1, 3, "0"}} {
		if got := format.Whole(big.NewRat(test.num, test.den)).String(); got != test.want {
			t.Errorf("Whole(%d/%d) = %s, want %s", test.num, test.den, got, test.want)
		}
	}
}
