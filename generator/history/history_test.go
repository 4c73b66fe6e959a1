package history

import (
	"slices"
	"testing"
)

// TestParse reads what git diff --name-status -z prints; scripts of strata
// changes run git itself.
func TestParse(t *testing.T) {
	for text, want := range map[string][]Change{
		"":                              nil,
		"M\x00a/model.json\x00":         {{"a/model.json", "a/model.json"}},
		"A\x00new\nline/model.json\x00": {{"", "new\nline/model.json"}},
		"D\x00gone/model.json\x00T\x00link/model.json\x00": {{"gone/model.json", ""}, {"link/model.json", "link/model.json"}},
		"R087\x00old/model.json\x00new/model.json\x00":     {{"old/model.json", "new/model.json"}},
		"C100\x00from/model.json\x00to/model.json\x00":     {{"", "to/model.json"}},
	} {
		if got, err := parse(text); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"M\x00", "R100\x00one\x00"} {
		if got, err := parse(text); err == nil {
			t.Errorf("%q: %v, want an error", text, got)
		}
	}
}

// TestPathspecs: a folder stands for the documents below it.
func TestPathspecs(t *testing.T) {
	for name, want := range map[string]string{
		"":                       ":(top,glob)**/model.json",
		"templates":              ":(glob)templates/**/model.json",
		".":                      ":(glob)**/model.json",
		"../x/":                  ":(glob)../x/**/model.json",
		"models/a.json":          ":(glob)models/a.json",
		"templates/*/model.json": ":(glob)templates/*/model.json",
	} {
		var of []string
		if name != "" {
			of = []string{name}
		}
		if got := pathspecs(of); !slices.Equal(got, []string{want}) {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}
