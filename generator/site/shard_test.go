package site_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/strata-catalog/strata/generator/site"
)

// TestMerge: any number of parts, in any order, makes the site that one build
// makes; what is no whole site is refused, and publishes nothing.
func TestMerge(t *testing.T) {
	c := sample(t)
	want := contents(t, build(t, c))
	parts := func(c site.Config, n int) (dirs []string) {
		for i := n; i > 0; i-- {
			c.Shard = &site.Shard{Part: i, Of: n}
			dir := filepath.Join(t.TempDir(), "part")
			buildInto(t, dir, c)
			dirs = append(dirs, dir)
		}
		return dirs
	}
	for _, n := range []int{1, 3} {
		m := &site.Memory{}
		if _, err := site.Merge(parts(c, n), m); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, contents(t, m)); diff != "" {
			t.Errorf("%d parts differ from the whole (-whole +merged):\n%s", n, diff)
		}
	}
	three := parts(c, 3)
	other := c
	other.Version = "2"
	whole, empty, spoiled := filepath.Join(t.TempDir(), "whole"), t.TempDir(), parts(c, 3)
	buildInto(t, whole, c)
	for name := range tree(t, spoiled[0]) {
		if name != "build.json" {
			if err := os.WriteFile(filepath.Join(spoiled[0], name), []byte("x"), 0o644); err != nil {
				t.Fatal(err)
			}
			break
		}
	}
	for want, dirs := range map[string][]string{
		"found no part":                          nil,
		"1 of 3 parts are missing: 2/3":          {three[0], three[2]},
		"are both part 3 of 3":                   {three[0], three[1], three[0]},
		"are parts of different sites":           append(parts(other, 3)[:1], three...),
		"names no shard":                         {whole},
		"has no build.json":                      {empty},
		"is not what its part's build.json says": spoiled,
	} {
		m := &site.Memory{}
		if _, err := site.Merge(dirs, m); err == nil || !strings.Contains(err.Error(), want) || len(m.Paths()) > 0 {
			t.Errorf("error %v, published %v; want %q and nothing published", err, m.Paths(), want)
		}
	}
}

func TestParseShard(t *testing.T) {
	for text, want := range map[string]string{"1/1": "1/1", "2/4": "2/4", "0/4": "", "5/4": "", "4": "", "a/b": "", "": "", "1/4/2": ""} {
		s, err := site.ParseShard(text)
		got := ""
		if err == nil {
			got = fmt.Sprintf("%d/%d", s.Part, s.Of)
		}
		if got != want {
			t.Errorf("%q is read as %q (%v), want %q", text, got, err, want)
		}
	}
}
