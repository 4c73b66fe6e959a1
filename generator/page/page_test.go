package page

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/strata-catalog/strata/generator/catalog"
)

func files(namesAndTexts ...string) fstest.MapFS {
	fs := fstest.MapFS{}
	for i := 0; i < len(namesAndTexts); i += 2 {
		fs[namesAndTexts[i]] = &fstest.MapFile{Data: []byte(namesAndTexts[i+1])}
	}
	return fs
}

const perceptron = `{"id": "m", "components": [{"id": "x", "type": "input", "params": {"shape": [1, 8]}},
	{"id": "fc", "type": "linear", "params": {"outFeatures": 4}, "inputs": ["x"]}, {"id": "y", "type": "output", "inputs": ["fc"]}]}`

// plan is a site of one template and the given texts.
func plan(t *testing.T, o Options, texts fstest.MapFS) *Site {
	t.Helper()
	c, err := catalog.Load(catalog.Options{Templates: files("m/model.json", perceptron), Content: texts})
	if err != nil || len(c.Problems) > 0 {
		t.Fatal(err, c.Problems)
	}
	s, err := New(c, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// data is what stands on the page at an address.
func data[T any](t *testing.T, s *Site, path string) T {
	t.Helper()
	for _, p := range s.Pages() {
		if p.Path != path {
			continue
		}
		d, err := p.Data()
		if err != nil {
			t.Fatal(err)
		}
		if typed, ok := d.(T); ok {
			return typed
		}
		t.Fatalf("%s is made of a %T", path, d)
	}
	t.Fatalf("the site has no page %s", path)
	panic("unreachable")
}

func TestFacts(t *testing.T) {
	note := "---\nsummary: Small.\npick-when: nothing else will do\nreleased: 2020-05\npublished:\n  parameters: 40\n  source: a card\n---\n"
	d := data[*Template](t, plan(t, Options{}, files("a/m.md", note)), "a/m.html")
	var got []string
	for _, f := range d.Facts {
		line := f.Label + ": " + f.Text
		if f.Exact != "" {
			line += " = " + f.Exact
		}
		if f.Note != "" {
			line += " (" + f.Note + ")"
		}
		got = append(got, line)
	}
	want := []string{
		"Layers: 1", "Components: 3", "Parameters: 36", "Published parameters: 40 (the graph has 4 fewer, -10.0%)",
		"Implementation: count only (names and shapes of the tensors are not compared with one)",
		"Input shape: 1 × 8", "Output shape: 1 × 4",
		"MACs: 32 MACs (one forward pass at the declared input)", "FLOPs: 64 FLOPs (2 for each MAC)",
		"Released: 2020-05", "Verifier verdict: pass (1 advice)", "Graph JSON: ",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("facts (-want +got):\n%s", diff)
	}
	if d.PickWhen != "Pick nothing else will do." || d.Description != "Small." {
		t.Errorf("pick when %q, description %q", d.PickWhen, d.Description)
	}
	sums := []Sum{{"parameters, counted from the graph", 36, true}, {"what the graph leaves out or adds", 4, false}, {"parameters, as published", 40, true}}
	if diff := cmp.Diff(sums, d.Reckoning); diff != "" {
		t.Errorf("reckoning (-want +got):\n%s", diff)
	}
}

// Estimates follow the settings of the site, and what a note says of training.
func TestAssumptions(t *testing.T) {
	s := plan(t, Options{}, files("site.yaml", "assumptions:\n  batch: 3\n  price: 7\n", "a/m.md", "---\ntraining-images: 5\n---\n"))
	a := data[*Template](t, s, "a/m.html").Data.Assumptions
	if a.Batch != 3 || a.Price != 7 || a.Seen != 5 || a.Utilization != 0.4 {
		t.Errorf("assumptions %+v, want batch 3, price 7, 5 images seen, the rest as it is", a)
	}
	for text, want := range map[string]string{
		"assumptions:\n  batch: 0\n":     "site.yaml:2:10: assumptions.batch",
		"assumptions:\n  card: Abacus\n": `"Abacus" is no known card`,
	} {
		c, err := catalog.Load(catalog.Options{Templates: files("m/model.json", perceptron), Content: files("site.yaml", text)})
		if err != nil {
			t.Fatal(err)
		}
		if _, err = New(c, Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
}

func TestLinks(t *testing.T) {
	s := plan(t, Options{}, files("text.md", "---\ntitle: T\n---\n\n## Words\n", "sub/deep.md", "---\ntitle: D\n---\n"))
	ids := map[string]bool{"here": true}
	for _, c := range []struct{ from, to, want string }{
		{"a/m.html", "../text.md", "../text.html"},
		{"a/m.html", "../text.md#words", "../text.html#words"},
		{"a/m.html", "m.md", "m.html"},
		{"a/m.html", "m.json", "m.json"},
		{"a/m.html", "/schema/index-v1.json", "../schema/index-v1.json"},
		{"a/m.html", "#here", "#here"},
		{"sub/deep.html", "/", "../index.html"},
		{"sub/deep.html", "../", "../index.html"},
		{"sub/deep.html", "../a/m.html", "../a/m.html"},
		{"a/m.html", "#there", `the page has no heading "#there"; nearest is "here"`},
		{"a/m.html", "../tekst.md", `the site has no tekst.md; nearest is "text.md"`},
		{"a/m.html", "../../etc/passwd", "the site has no ../etc/passwd"},
	} {
		p := prose{page: c.from, text: "[x](" + c.to + ")", ids: ids}
		file, got, err := s.resolve(p, c.to)
		if file != "" {
			got = (&Base{Site: s, Path: c.from}).URL(file) + got
		}
		if err != nil {
			got = err.Error()
		}
		s.known = &Known{} // which tells texts apart by their checksums
		if faulty := s.checked(p); (faulty == nil) != (err == nil) || err != nil && !strings.Contains(faulty.Error(), err.Error()) {
			t.Errorf("on %s: %s is checked with error %v, want %v", c.from, c.to, faulty, err)
		}
		if got != c.want {
			t.Errorf("on %s: %s becomes %q, want %q", c.from, c.to, got, c.want)
		}
	}
}

// Links of a note lead to the same from its Markdown twin.
func TestRelink(t *testing.T) {
	s := plan(t, Options{}, files("text.md", "---\ntitle: T\n---\n"))
	const body = "[a](../text.md#x) [b](m.md \"t\") [c](https://example.org/) [d](#here) `[e](gone.md)`\n\n[f]: ../text.md\n"
	b := Base{Site: s, Path: "a/m.html"}
	want := "[a](../text.html#x) [b](m.html \"t\") [c](https://example.org/) [d](#here) `[e](gone.md)`\n\n[f]: ../text.html\n"
	if got := s.relink(&b, body); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	s.BaseURL = "https://example.org/x/"
	if got, want := s.relink(&b, "[a](../text.md)"), "[a](https://example.org/x/text.html)"; got != want {
		t.Errorf("under a base URL: %s, want %s", got, want)
	}
}

func TestFeed(t *testing.T) {
	c, err := catalog.Load(catalog.Options{
		Templates: files("old/model.json", strings.Replace(perceptron, `"m"`, `"old"`, 1), "new/model.json", strings.Replace(perceptron, `"m"`, `"new"`, 1), "odd/model.json", strings.Replace(perceptron, `"m"`, `"odd"`, 1)),
		Content:   files("a/old.md", "---\nreleased: 2019-02\n---\n", "a/new.md", "---\nreleased: 2024-04-23\n---\n", "site.yaml", "feed-size: 2\n"),
	})
	if err != nil || len(c.Problems) > 0 {
		t.Fatal(err, c.Problems)
	}
	s, err := New(c, Options{BaseURL: "https://example.org/x"})
	if err != nil {
		t.Fatal(err)
	}
	f := data[*Feed](t, s, FeedPath)
	if len(f.Entries) != 2 || f.Updated != "2024-04-23T00:00:00Z" {
		t.Fatalf("%d entries, updated %s; want the 2 newest of 3", len(f.Entries), f.Updated)
	}
	if e := f.Entries[0]; e.Title != "new" || e.URL != "https://example.org/x/a/new.html" || e.Updated != f.Updated {
		t.Errorf("first entry %+v", e)
	}
	if e := f.Entries[1]; e.Title != "old" || e.Updated != "2019-02-01T00:00:00Z" || e.ID == f.Entries[0].ID || e.ID == f.ID {
		t.Errorf("second entry %+v", e)
	}
}

func TestMenu(t *testing.T) {
	s := plan(t, Options{}, files("b.md", "---\ntitle: B\nmenu: 2\n---\n", "a.md", "---\ntitle: A\nmenu: 3\n---\n", "c.md", "---\ntitle: C\nmenu: 1\n---\n", "d.md", "---\ntitle: D\n---\n"))
	want := []Item{{"Layers", LayersPath, ""}, {"Rules", RulesPath, ""}, {"C", "c.html", ""}, {"B", "b.html", ""}, {"A", "a.html", ""}}
	if diff := cmp.Diff(want, s.Menu); diff != "" {
		t.Errorf("menu (-want +got):\n%s", diff)
	}
}
