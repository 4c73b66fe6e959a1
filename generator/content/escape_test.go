package content

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestOneLine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pieces := rapid.SampledFrom([]string{" ", "a", "1 × 2", "\n", "\u00a0", "\u0085", "\u2003", "\x7f", "\xc2", "…", "\t", "_", "model.layers"})
		s := strings.Join(rapid.SliceOfN(pieces, 0, 6).Draw(t, "pieces"), "") + rapid.StringN(0, 4, -1).Draw(t, "more")
		want := strings.Join(strings.FieldsFunc(s, blank), " ")
		if got := oneLine(s); got != want {
			t.Errorf("oneLine(%q) = %q, want %q", s, got, want)
		}
		if onOneLine(s) && s != want {
			t.Errorf("%q is not on one line: %q", s, want)
		}
		if !onOneLine(want) {
			t.Errorf("%q takes the long way", want)
		}
	})
}
