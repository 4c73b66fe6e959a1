package generator_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/strata-catalog/strata/generator/format"
	"github.com/strata-catalog/strata/generator/pipeline"
	"github.com/strata-catalog/strata/generator/verify"
)

func document(t *testing.T, name string) string {
	t.Helper()
	src, err := os.ReadFile(filepath.Join("..", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(src)
}

// TestReadmeExample runs the graph that the README shows.
func TestReadmeExample(t *testing.T) {
	_, rest, found := strings.Cut(document(t, "README.md"), "```json\n")
	example, _, closed := strings.Cut(rest, "```")
	if !found || !closed {
		t.Fatal("README.md shows no graph")
	}
	r, err := pipeline.Run("README.md", []byte(example))
	if err != nil {
		t.Fatal(err)
	}
	if r.Verdict != verify.Pass_ || len(r.Findings) > 0 {
		t.Errorf("the README's graph has the verdict %s: %v", r.Verdict, r.Findings)
	}
}

// TestReadmeCounts derives the counts of the README's table.
func TestReadmeCounts(t *testing.T) {
	row := regexp.MustCompile(`(?m)^\| \[.*\]\((templates/.*/model\.json)\) \| ([0-9,]+) \|`)
	rows := row.FindAllStringSubmatch(document(t, "README.md"), -1)
	if len(rows) < 4 {
		t.Fatalf("found %d rows of models in README.md", len(rows))
	}
	for _, r := range rows {
		m := analyse(t, filepath.Join("..", r[1]))
		if got := format.Exact64(m.Params); got != r[2] {
			t.Errorf("%s has %s parameters; README.md says %s", r[1], got, r[2])
		}
	}
}

// TestDocumentLinks looks for the files that the documents link to or name in
// code.
func TestDocumentLinks(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)]+)\)`)
	code := regexp.MustCompile("`((?:generator|templates|content|themes|cmd|\\.ci)/[^`<>… ]+)`")
	for _, name := range []string{"README.md", "CONTRIBUTING.md", "CHANGELOG.md"} {
		text := document(t, name)
		for _, m := range append(link.FindAllStringSubmatch(text, -1), code.FindAllStringSubmatch(text, -1)...) {
			if strings.Contains(m[1], "://") || strings.HasPrefix(m[1], "#") {
				continue
			}
			if _, err := os.Stat(filepath.Join("..", m[1])); err != nil {
				t.Errorf("%s names %s, which does not exist", name, m[1])
			}
		}
	}
}
