package cost

import (
	"strings"
	"testing"
)

// Every assumption can be set to the value that it shows.
func TestSetEach(t *testing.T) {
	a := Default()
	for _, x := range Default().List() {
		if err := a.Set(x.Key, x.Value); err != nil {
			t.Errorf("%s: %v", x.Key, err)
		}
	}
	if a != Default() {
		t.Errorf("setting every assumption to its default makes %+v", a)
	}
}

func TestSet(t *testing.T) {
	for _, test := range []struct {
		key, text string
		want      func(Assumptions) bool
	}{
		{"batch", "8", func(a Assumptions) bool { return a.Batch == 8 }},
		{"tokens", "15e12", func(a Assumptions) bool { return a.Tokens == 15_000_000_000_000 }},
		{"mfu", "0.55", func(a Assumptions) bool { return a.Utilization == 0.55 }},
		{"recompute", "true", func(a Assumptions) bool { return a.Recompute }},
		{"cache-dtype", "int8", func(a Assumptions) bool { return a.CacheDType == "int8" }},
		{"card", "A100 80GB", func(a Assumptions) bool { return a.Card == "A100 80GB" }},
	} {
		a := Default()
		if err := a.Set(test.key, test.text); err != nil || !test.want(a) {
			t.Errorf("Set(%q, %q): %v, %+v", test.key, test.text, err, a)
		}
	}
}

func TestSetRefuses(t *testing.T) {
	for _, test := range []struct{ key, text, want string }{
		{"batch", "0", "assumption batch is 0, expected at least 1"},
		{"batch", "two", `"two" is no whole number`},
		{"batch", "1.5", `"1.5" is no whole number`},
		{"batch", "1e300", `"1e300" is no whole number of at most 2^53`},
		{"tokens", "9007199254740993", "no whole number of at most 2^53"},
		{"mfu", "forty", `"forty" is no number`},
		{"mfu", "NaN", "assumption mfu is NaN"},
		{"recompute", "yes", `"yes" is neither true nor false`},
		{"cache-dtype", "int9", `"int9" is no known number format; nearest is "int4"`},
		{"card", "H100", "is no known card"},
		{"batsh", "1", `"batsh" is no assumption; nearest is "batch"`},
	} {
		a := Default()
		if err := a.Set(test.key, test.text); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("Set(%q, %q): %v, want %s", test.key, test.text, err, test.want)
		}
		if a != Default() {
			t.Errorf("Set(%q, %q) failed, and changed the assumptions", test.key, test.text)
		}
	}
}
