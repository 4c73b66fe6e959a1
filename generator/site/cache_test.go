package site_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/strata-catalog/strata/generator/internal/synthetic"
	"github.com/strata-catalog/strata/generator/site"
)

// buildWith builds into a folder with what a cache remembers. It reports how
// many pages were rendered.
func buildWith(t *testing.T, dir, cache string, c site.Config) (rendered int) {
	t.Helper()
	e := site.NewEngine(c)
	e.Recall(cache)
	f, err := site.NewFolder(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := e.Build(f)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Remember(cache); err != nil {
		t.Fatal(err)
	}
	return r.Rendered
}

// A build with a cache has the bytes of one without, renders what changed and no
// more, and mends what was spoiled in the folder.
func TestCache(t *testing.T) {
	templates, content := catalogOf(6)
	c := site.Config{Templates: templates, Content: content, Version: "1"}
	dir, cache := filepath.Join(t.TempDir(), "public"), filepath.Join(t.TempDir(), "deep", "cache")
	id := synthetic.ID(2)
	for _, step := range []struct {
		name     string
		change   func()
		rendered func(n int) bool
	}{
		{"nothing is known", func() {}, func(n int) bool { return n > 100 }},
		{"all is known", func() {}, func(n int) bool { return n == 0 }},
		{"a template changed", func() {
			templates[id+"/model.json"] = with(templates[id+"/model.json"], `"name": "`, `"name": "New `)
		}, func(n int) bool { return n > 3 && n < 60 }},
		{"files were spoiled", func() {
			for _, name := range []string{"a/" + id + ".html", "a/" + id + ".md"} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte("spoiled"), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		}, func(n int) bool { return n == 1 }},
		{"the site is gone", func() { os.RemoveAll(dir) }, func(n int) bool { return n > 100 }},
		{"the cache is gone", func() { os.RemoveAll(cache) }, func(n int) bool { return n > 100 }},
		{"another base URL", func() { c.BaseURL = "https://example.org/" }, func(n int) bool { return n > 100 }},
		{"a theme", func() { c.Theme = files("assets/site.css", "a { b: c }") }, func(n int) bool { return n > 100 }},
	} {
		step.change()
		n := buildWith(t, dir, cache, c)
		if !step.rendered(n) {
			t.Errorf("%s: %d pages were rendered", step.name, n)
		}
		if diff := cmp.Diff(contents(t, build(t, c)), tree(t, dir)); diff != "" {
			t.Errorf("%s: the site differs from one without a cache (-without +with):\n%s", step.name, diff)
		}
	}
}

// TestCacheDamaged damages each region of a cache in turn: what cannot be
// trusted is made again, and the site has the same bytes.
func TestCacheDamaged(t *testing.T) {
	templates, content := catalogOf(3)
	c := site.Config{Templates: templates, Content: content, Version: "1"}
	dir, cache := filepath.Join(t.TempDir(), "public"), t.TempDir()
	buildWith(t, dir, cache, c)
	good := read(t, filepath.Join(cache, "site"))
	// After an edit, lists are made of what the cache says of the pairs.
	name := synthetic.ID(0) + "/model.json"
	templates[name] = with(templates[name], `"name": "`, `"name": "New `)
	buildWith(t, dir, t.TempDir(), c)
	want := tree(t, dir)
	damage := map[string]string{
		"empty":              "",
		"no end":             good[:len(good)/2],
		"of a disk block":    good[:len(good)/3] + strings.Repeat("\x00", 512) + good[len(good)/3+512:],
		"a line twice":       good + good[strings.LastIndex(strings.TrimSpace(good), "\n")+1:],
		"no head":            good[strings.Index(good, "\n")+1:],
		"of another format":  strings.Replace(good, "strata-cache-1", "strata-cache-0", 1),
		"of another program": good[:len("strata-cache-1 ")] + strings.Repeat("0", 64) + good[strings.Index(good, "\n"):],
	}
	head := strings.Index(good, "\n")
	last := strings.LastIndex(strings.TrimSpace(good), "\n") + 1
	regions := map[string][2]int{"head": {0, head + 1}, "first line": {head + 1, head + 1 + strings.Index(good[head+1:], "\n") + 1}, "last line": {last, len(good)}}
	for name, region := range regions {
		for k := range 12 {
			i := region[0] + k*(region[1]-region[0])/12
			spoiled := []byte(good)
			spoiled[i] ^= 1 << (k % 8)
			damage[fmt.Sprintf("a bit of the %s, byte %d", name, i)] = string(spoiled)
		}
	}
	for name, text := range damage {
		if err := os.WriteFile(filepath.Join(cache, "site"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		e := site.NewEngine(c)
		e.Recall(cache)
		f, err := site.NewFolder(dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := e.Build(f); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(want, tree(t, dir)); diff != "" {
			t.Fatalf("%s: the site differs (-want +got):\n%s", name, diff)
		}
	}
}

// What one program remembers, another one that is killed at it leaves whole.
func TestCacheFolder(t *testing.T) {
	templates, content := catalogOf(1)
	c := site.Config{Templates: templates, Content: content, Version: "1"}
	cache := t.TempDir()
	left := filepath.Join(cache, "site-123.tmp")
	if err := os.WriteFile(left, []byte("of one that was killed"), 0o644); err != nil {
		t.Fatal(err)
	}
	e := site.NewEngine(c)
	if _, err := e.Build(&site.Memory{}); err != nil {
		t.Fatal(err)
	}
	if err := e.Remember(cache); err != nil {
		t.Fatal(err)
	}
	first := read(t, filepath.Join(cache, "site"))
	if err := e.Remember(cache); err != nil {
		t.Fatal(err)
	}
	if again := read(t, filepath.Join(cache, "site")); again != first {
		t.Error("the same is remembered in other bytes")
	}
	if got := names(t, cache); len(got) != 1 {
		t.Errorf("the cache holds %v", got)
	}
	if err := os.WriteFile(filepath.Join(cache, "file"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := e.Remember(filepath.Join(cache, "file")); err == nil {
		t.Error("a file is taken for a folder")
	}
}

// changing is a file system one file of which is written to while it is read,
// the first few times.
type changing struct {
	fstest.MapFS
	name  string
	times int
}

func (c *changing) Open(name string) (fs.File, error) {
	f, err := c.MapFS.Open(name)
	if err == nil && name == c.name && c.times > 0 {
		c.times--
		return &changingFile{f, c, false}, nil
	}
	return f, err
}

type changingFile struct {
	fs.File
	fs   *changing
	done bool
}

// Read gives the old text and leaves a newer one.
func (f *changingFile) Read(p []byte) (int, error) {
	if !f.done {
		f.done = true
		old := f.fs.MapFS[f.fs.name]
		f.fs.MapFS[f.fs.name] = &fstest.MapFile{Data: append(slices.Clone(old.Data), '\n'), ModTime: old.ModTime.Add(time.Second)}
	}
	return f.File.Read(p)
}

func (f *changingFile) Stat() (fs.FileInfo, error) { return fs.Stat(f.fs.MapFS, f.fs.name) }

// A file that changes while it is read is read again; one that does not come to
// rest is a problem.
func TestChanging(t *testing.T) {
	for times, want := range map[int]string{0: "", 2: "", 3: "the file changes while it is read", 9: "the file changes while it is read"} {
		templates := &changing{MapFS: files("head/model.json", head), name: "head/model.json", times: times}
		m := &site.Memory{}
		_, err := site.Build(site.Config{Templates: templates}, m)
		if got := fmt.Sprint(err); want == "" && err != nil || !strings.Contains(got, want) {
			t.Errorf("%d changes: error %v, want %q", times, err, want)
		}
	}
}
