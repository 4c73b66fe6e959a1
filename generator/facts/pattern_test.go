package facts

import (
	"strings"
	"testing"
)

func TestPattern(t *testing.T) {
	for _, c := range []struct{ names, want string }{
		{"attn", "attn"},
		{"l.0.attn l.1.attn l.2.attn", "l.{0…2}.attn"},
		{"l.0.attn l.1.attn", "l.{0, 1}.attn"},
		{"n3 n9 n15 n21", "n{3, 9 … 21}"},
		{"a.0.b.0 a.0.b.1 a.0.b.2 a.1.b.0 a.1.b.1 a.1.b.2", "a.{0, 1}.b.{0…2}"},
		{"RMSNorm_1_2 RMSNorm_2_2 RMSNorm_3_2", "RMSNorm_{1…3}_2"},
		{"l1_a1 l2_a2 l3_a3", "l1_a1 … l3_a3"},                     // nine names would fit l{1…3}_a{1…3}
		{"first second third", "first … third"},                    // nothing but text
		{"l0 l1 l5 l6", "l0 … l6"},                                 // no equal steps
		{"l0 l1x", "l0 … l1x"},                                     // other text
		{"l99999999999999999999 l0", "l99999999999999999999 … l0"}, // no number of ours
		{"l09 l10 l11", "l{09…11}"},
		{"3 2 1 0", "{3, 2 … 0}"},
	} {
		if got := Pattern(strings.Fields(c.names)); got != c.want {
			t.Errorf("Pattern(%s) = %s, want %s", c.names, got, c.want)
		}
	}
}
