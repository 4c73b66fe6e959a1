package diff

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/strata-catalog/strata/generator/cost"
	"github.com/strata-catalog/strata/generator/expand"
	"github.com/strata-catalog/strata/generator/graph"
	"github.com/strata-catalog/strata/generator/infer"
)

// A failer is a test or a check of properties.
type failer interface {
	Helper()
	Fatal(args ...any)
}

// subject analyses a document.
func subject(t failer, src string) Subject {
	t.Helper()
	doc, err := graph.Decode("test", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	g, err := expand.Expand(doc)
	if err != nil {
		t.Fatal(err)
	}
	p, err := cost.New(infer.Infer(g), cost.Default())
	if err != nil {
		t.Fatal(err)
	}
	name := doc.Name
	if name == "" {
		name = doc.ID
	}
	return Subject{ID: doc.ID, Name: name, Plan: p}
}

// sharedFiles lists the files that match a pattern below the folder beside the
// checkout, and skips the test where there is none.
func sharedFiles(t testing.TB, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", "..", "shared", pattern))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Skipf("no ../shared/%s beside the checkout", pattern)
	}
	return files
}

func read(t testing.TB, file string) string {
	t.Helper()
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(src)
}
