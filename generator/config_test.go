package generator_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/strata-catalog/strata/generator/adopt"
	"github.com/strata-catalog/strata/generator/graph"
)

// TestConfigs imports the configurations that stand beside templates: the
// document is the template's, but for what it says of itself.
func TestConfigs(t *testing.T) {
	files, err := filepath.Glob(templates + "/*/config.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		id := filepath.Base(filepath.Dir(file))
		in, err := adopt.Config(file, read(t, file), id)
		if err != nil {
			t.Error(err)
			continue
		}
		model := filepath.Join(templates, id, "model.json")
		doc, err := graph.Decode(model, read(t, model))
		if err != nil {
			t.Error(err)
			continue
		}
		got, err := graph.Decode(file, graph.Encode(in.Document)) // names and defaults as when it is read
		if err != nil {
			t.Error(err)
			continue
		}
		got.Name, got.Description, got.Category, got.Tags, got.RealParamCount = doc.Name, doc.Description, doc.Category, doc.Tags, doc.RealParamCount
		if d := cmp.Diff(string(graph.Encode(got)), string(graph.Encode(doc))); d != "" {
			t.Errorf("%s is not what strata import hf makes of %s (-imported +template):\n%s", model, file, d)
		}
	}
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return src
}
