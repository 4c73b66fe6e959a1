package site_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"

	"github.com/strata-catalog/strata/generator/site"
)

// TestCompress reads the compressed forms: each is smaller than its file, holds
// the same and stands in build.json.
func TestCompress(t *testing.T) {
	c := sample(t)
	plain := build(t, c)
	c.Compress = true
	m := build(t, c)
	forms := map[string]int{}
	for _, name := range m.Paths() {
		ending := path.Ext(name)
		original := strings.TrimSuffix(name, ending)
		var r io.Reader
		packed := file(t, m, name)
		switch ending {
		case ".gz":
			z, err := gzip.NewReader(strings.NewReader(packed))
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			r = z
		case ".br":
			r = brotli.NewReader(strings.NewReader(packed))
		default:
			if want, ok := plain.File(name); name != "build.json" && (!ok || !bytes.Equal(want, []byte(file(t, m, name)))) {
				t.Errorf("%s is another file than without compressed forms", name)
			}
			continue
		}
		forms[ending]++
		text, err := io.ReadAll(r)
		if err != nil || string(text) != file(t, m, original) {
			t.Errorf("%s does not hold %s: %v", name, original, err)
		}
		if len(packed) >= len(text) {
			t.Errorf("%s has %d bytes, %s has %d", name, len(packed), original, len(text))
		}
		if !strings.Contains(file(t, m, "build.json"), `"`+name+`"`) {
			t.Errorf("build.json does not list %s", name)
		}
	}
	if forms[".gz"] < 20 || forms[".br"] < 20 {
		t.Errorf("found %v compressed forms", forms)
	}
	for _, name := range []string{"a/tiny.html.br", "a/tiny.json.gz", "index.html.gz", "sitemap.xml.br"} {
		if _, ok := m.File(name); !ok {
			t.Errorf("%s is missing", name)
		}
	}
}

// TestCompressAgain switches compressed forms on and off: they come and go.
func TestCompressAgain(t *testing.T) {
	e, dir := site.NewEngine(sample(t)), filepath.Join(t.TempDir(), "public")
	for i, compress := range []bool{false, true, true, false} {
		e.Compress = compress
		f, err := site.NewFolder(dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := e.Build(f); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(filepath.Join(dir, "a/tiny.html.br")); (err == nil) != compress {
			t.Errorf("build %d: compressed forms are there: %v", i, err == nil)
		}
	}
}
