// Package testfiles reads what the tests of several packages read: golden
// archives, and the graphs that may lie beside the checkout.
package testfiles

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// Golden runs describe on the first file of each archive testdata/*.txtar and
// compares the result with the second, which it writes anew with update.
func Golden(t *testing.T, update bool, describe func(t *testing.T, src []byte) string) {
	t.Helper()
	for name, a := range Archives(t) {
		t.Run(name, func(t *testing.T) {
			got := describe(t, a.Files[0].Data)
			if update {
				a.Files[1].Data = []byte(got)
				if err := os.WriteFile(filepath.Join("testdata", name+".txtar"), txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if want := string(a.Files[1].Data); got != want {
				t.Errorf("got:\n%swant:\n%s", got, want)
			}
		})
	}
}

// Archives reads testdata/*.txtar, by name.
func Archives(t testing.TB) map[string]*txtar.Archive {
	t.Helper()
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no archives in testdata: %v", err)
	}
	list := make(map[string]*txtar.Archive, len(files))
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		list[strings.TrimSuffix(filepath.Base(file), ".txtar")] = a
	}
	return list
}

// Shared lists the files that match a pattern below the folder beside the
// checkout, seen from a package of generator, and skips the test where there
// is none.
func Shared(t testing.TB, pattern string) []string {
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

// Read is the text of a file.
func Read(t testing.TB, file string) string {
	t.Helper()
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(src)
}
