package site_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/strata-catalog/strata/generator/site"
)

// tree lists the files below a folder, with their texts.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		found[filepath.ToSlash(rel)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func buildInto(t *testing.T, dir string, c site.Config) site.FolderReport {
	t.Helper()
	f, err := site.NewFolder(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := site.Build(c, f); err != nil {
		t.Fatal(err)
	}
	return f.Report
}

func TestFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "deep", "public")
	c := sample(t)
	first := buildInto(t, dir, c)
	m := build(t, c)
	want := map[string]string{}
	for _, path := range m.Paths() {
		want[path] = file(t, m, path)
	}
	if diff := cmp.Diff(want, tree(t, dir)); diff != "" {
		t.Fatalf("the folder differs from the memory (-memory +folder):\n%s", diff)
	}
	if first.Written != len(want) || first.Unchanged+first.Removed != 0 {
		t.Errorf("first build: %+v, want %d written", first, len(want))
	}

	// Nothing changed: nothing is touched.
	old := time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)
	for path := range want {
		if err := os.Chtimes(filepath.Join(dir, path), old, old); err != nil {
			t.Fatal(err)
		}
	}
	if again := buildInto(t, dir, c); again.Written+again.Removed != 0 || again.Unchanged != len(want) {
		t.Errorf("second build: %+v, want all unchanged", again)
	}
	for path := range want {
		if info, err := os.Stat(filepath.Join(dir, path)); err != nil || !info.ModTime().Equal(old) {
			t.Errorf("%s was touched: %v, %v", path, info.ModTime(), err)
		}
	}

	// A template less, so that there is none to compare with, a file of somebody else's, and one that was spoiled.
	if err := os.WriteFile(filepath.Join(dir, "CNAME"), []byte("example.org"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "robots.txt"), []byte("spoiled"), 0o644); err != nil {
		t.Fatal(err)
	}
	c.Templates = files("tiny/model.json", read(t, "testdata/tiny/model.json"))
	delete(c.Content.(fstest.MapFS), "diff/tiny-vs-head.md")
	pruned := buildInto(t, dir, c)
	got := tree(t, dir)
	if got["CNAME"] != "example.org" || got["robots.txt"] != want["robots.txt"] || pruned.Removed != 6+4+1 {
		t.Errorf("third build: %+v; CNAME %q, robots.txt mended: %v; want the files of the template, of its diff and the page that compares removed", pruned, got["CNAME"], got["robots.txt"] == want["robots.txt"])
	}
	for path := range got {
		if strings.Contains(path, "head") && path != "_headers" {
			t.Errorf("%s is still there", path)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "templates", "head")); err == nil {
		t.Error("an empty folder is left")
	}
}

// A build that fails leaves the folder as it was.
func TestFolderKeepsOnFailure(t *testing.T) {
	dir := t.TempDir()
	buildInto(t, dir, sample(t))
	before := tree(t, dir)
	for name, change := range map[string]func(*site.Config){
		"before rendering": func(c *site.Config) { c.Templates = files("unread/model.json", unread) },
		"while rendering":  func(c *site.Config) { c.Theme = files("layouts/content.html", `{{define "main"}}{{.Boddy}}{{end}}`) },
		"after rendering":  func(c *site.Config) { c.Content = files("links.md", badTexts) },
	} {
		c := sample(t)
		change(&c)
		f, err := site.NewFolder(dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := site.Build(c, f); err == nil {
			t.Errorf("%s: no error", name)
		}
		if diff := cmp.Diff(before, tree(t, dir)); diff != "" {
			t.Errorf("%s: the folder changed (-before +after):\n%s", name, diff)
		}
	}
}

func TestFolderRefuses(t *testing.T) {
	for name, c := range map[string]struct{ file, text, want string }{
		"no build.json":      {"thesis.tex", "years of work", "has no build.json"},
		"another build.json": {"build.json", `{"name": "other"}`, "its build.json is none of ours"},
		"no JSON":            {"build.json", `<`, "its build.json is none of ours"},
		"paths outside":      {"build.json", `{"generator": {"name": "strata"}, "files": [{"path": "../x"}]}`, `its build.json names "../x"`},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, c.file), []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := site.NewFolder(dir, nil)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
		if got := tree(t, dir); len(got) != 1 || got[c.file] != c.text {
			t.Errorf("%s: the folder changed: %v", name, got)
		}
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := site.NewFolder(file, nil); err == nil {
		t.Error("a file is taken for a folder")
	}
}

func TestFolderPaths(t *testing.T) {
	f, err := site.NewFolder(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"../x", "/x", "a//b", ".", ""} {
		if err := f.Put(path, nil); err == nil {
			t.Errorf("Put(%q): no error", path)
		}
	}
}
