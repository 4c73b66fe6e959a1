package catalog_test

import (
	"fmt"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/strata-catalog/strata/generator/catalog"
	"github.com/strata-catalog/strata/generator/content"
)

func ids(entries []*catalog.Entry) []string {
	list := []string{}
	for _, e := range entries {
		list = append(list, e.ID)
	}
	return list
}

// relatives is a catalog of two areas and four categories.
func relatives() fstest.MapFS {
	return fstest.MapFS{
		"templates/llm/model.json":       model("llm", "NLP/LLM", 1000, "relu", "layerNorm"),
		"templates/llm-twin/model.json":  model("llm-twin", "NLP/LLM", 1000, "relu", "layerNorm"),
		"templates/llm-large/model.json": model("llm-large", "NLP/LLM", 8000, "relu", "layerNorm"),
		"templates/llm-other/model.json": model("llm-other", "NLP/LLM", 1000, "dropout"),
		"templates/encoder/model.json":   model("encoder", "NLP/Encoder", 1000, "relu", "layerNorm"),
		"templates/vision/model.json":    model("vision", "Vision", 1000, "relu", "layerNorm"),
		"templates/bare/model.json":      model("bare", "", 10),
	}
}

func TestRelatives(t *testing.T) {
	c := load(t, relatives(), 0)
	for id, want := range map[string][]string{
		// its category by likeness, its area, the rest
		"llm": {"llm-twin", "llm-large", "llm-other", "encoder", "vision", "bare"},
		// structure counts for more than size
		"llm-large": {"llm", "llm-twin", "llm-other", "encoder", "vision", "bare"},
		// no category: by likeness alone, then by id
		"bare":    {"llm-other", "encoder", "llm", "llm-twin", "vision", "llm-large"},
		"encoder": {"llm", "llm-twin", "llm-large", "llm-other", "vision", "bare"},
	} {
		e, _ := c.Entry(id)
		if d := cmp.Diff(want, ids(c.Relatives(e, 99))); d != "" {
			t.Errorf("%s: %s", id, d)
		}
		for n := range want {
			if d := cmp.Diff(want[:n], ids(c.Relatives(e, n))); d != "" {
				t.Errorf("the first %d of %s: %s", n, id, d)
			}
		}
	}
	if c.Relatives(&catalog.Entry{}, 5) != nil {
		t.Error("an entry of no catalog has relatives")
	}
}

func pairs(c *catalog.Catalog) []string {
	list := []string{}
	for _, p := range c.Pairs() {
		s := p.A.ID + " " + p.B.ID
		if p.Note != nil {
			s += " " + p.Note.Story
		}
		list = append(list, s)
	}
	return list
}

func TestPairs(t *testing.T) {
	files := relatives()
	files["content/diff/vision-vs-bare.md"] = &fstest.MapFile{Data: []byte("---\nstory: far\n---\n")}
	files["content/diff/llm-twin-vs-llm.md"] = &fstest.MapFile{Data: []byte("---\nstory: near\n---\n")}
	for settings, want := range map[string][]string{
		"relatives: 0": {"llm-twin llm near", "vision bare far"},
		"relatives: 1": {"bare llm-other", "encoder llm", "encoder vision", "llm llm-large", "llm llm-other", "llm-twin llm near", "vision bare far"},
	} {
		files["content/site.yaml"] = &fstest.MapFile{Data: []byte(settings)}
		if d := cmp.Diff(want, pairs(load(t, files, 0))); d != "" {
			t.Errorf("%s: %s", settings, d)
		}
	}

	files["content/site.yaml"] = &fstest.MapFile{Data: []byte("diffs: " + content.DiffsAll)}
	all := pairs(load(t, files, 0))
	if len(all) != 7*6/2 {
		t.Errorf("%d pairs of 7 templates, expected 21: %q", len(all), all)
	}
}

// BenchmarkPairs finds the relatives in a catalog of 2,000 templates of one
// category.
func BenchmarkPairs(b *testing.B) {
	files := fstest.MapFS{}
	kinds := []string{"relu", "layerNorm", "dropout", "gelu", "softmax"}
	for i := range 2000 {
		id := fmt.Sprintf("m%04d", i)
		var layers []string
		for k := range kinds {
			if i>>k&1 == 1 {
				layers = append(layers, kinds[k])
			}
		}
		files[id+"/model.json"] = model(id, "NLP/LLM", i+1, layers...)
	}
	c, err := catalog.Load(catalog.Options{Templates: files})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		c.Pairs()
	}
}
