package generator_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/strata-catalog/strata/generator/graph"
)

// TestInventory asks of the catalog what it promises: so many models of each
// kind, and of each what it is, when to pick it, and what to find it by.
func TestInventory(t *testing.T) {
	least := map[string]int{
		"": 120, "published": 100, "NLP/": 45, "Vision/": 30, "Audio/": 8, "Multimodal/": 6,
		"Diffusion/": 5, "Recommendation/": 8, "Graph/": 3, "Time Series/": 3, "Block/": 16,
	}
	have := map[string]int{}
	for _, id := range ids(t) {
		file := filepath.Join(templates, id, "model.json")
		doc, err := graph.Decode(file, read(t, file))
		if err != nil {
			t.Fatal(err)
		}
		n := note(t, id)
		for kind := range least {
			if strings.HasPrefix(doc.Category, kind) {
				have[kind]++
			}
		}
		if n.Published.Parameters > 0 {
			have["published"]++
			if n.Oracle == "" && n.Published.Source == "" {
				t.Errorf("%s: a published count without its source", n.File)
			}
		}
		block, published := strings.HasPrefix(doc.Category, "Block/"), n.Published.Parameters > 0
		for what, there := range map[string]bool{
			"a summary":         n.Summary != "",
			"when to pick it":   n.PickWhen != "",
			"tags":              len(n.Tags)+len(doc.Tags) > 0,
			"a text":            strings.TrimSpace(n.Body) != "",
			"a link":            len(n.Links) > 0 || block,
			"a date of release": n.Released != "" || !published,
		} {
			if !there {
				t.Errorf("%s: lacks %s", n.File, what)
			}
		}
	}
	for kind, n := range least {
		if have[kind] < n {
			t.Errorf("%d templates of %q, want %d", have[kind], kind, n)
		}
	}
	diffs, err := filepath.Glob("../content/diff/*.md")
	if err != nil || len(diffs) < 40 {
		t.Errorf("%d curated diffs, want 40", len(diffs))
	}
}
