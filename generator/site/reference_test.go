package site_test

import (
	"os"
	"strings"
	"testing"

	"github.com/strata-catalog/strata/generator/site"
)

// otherNames are display names that the reference document spells in another way.
var otherNames = map[string]string{"Grouped Query Attn": "Grouped Query Attention"}

// TestReference compares the layer table with that of the reference document:
// number, name, type, every parameter that it shows, and shape.
func TestReference(t *testing.T) {
	const folder = "../../../shared/reference"
	want, err := os.ReadFile(folder + "/template-phi3-mini.md")
	if err != nil {
		t.Skip("the reference documents are not beside the checkout")
	}
	m := build(t, site.Config{Templates: os.DirFS(folder + "/graphs")})
	got := file(t, m, "a/phi3-mini.md")
	ours, theirs := markdownRows(got), markdownRows(string(want))
	if len(ours) != len(theirs) || len(ours) == 0 {
		t.Fatalf("%d rows, want %d", len(ours), len(theirs))
	}
	for i, w := range theirs {
		g := ours[i]
		if other := otherNames[w[2]]; other != "" {
			w[2] = other
		}
		for _, column := range []int{0, 1, 2, 4} {
			if g[column] != w[column] {
				t.Errorf("row %d: %v, want %v", i+1, g, w)
			}
		}
		for _, param := range strings.Split(w[3], ", ") {
			if !strings.Contains(g[3], param) {
				t.Errorf("row %d: parameters %s, want %s among them", i+1, g[3], param)
			}
		}
	}
	for _, fact := range []string{"# Phi-3 Mini Block\n", "\n- Category: NLP/LLM\n", "\n- Parameters: 310.29M (310,288,704)\n", "\n- Output shape: 1 × 2048 × 32064\n", "\n- Verifier verdict: pass\n"} {
		if !strings.Contains(got, fact) {
			t.Errorf("the Markdown lacks %q", fact)
		}
	}
}
