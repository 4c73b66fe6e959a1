package content_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/strata-catalog/strata/generator/content"
	"github.com/strata-catalog/strata/generator/graph"
)

var update = flag.Bool("update", false, "write the golden files")

// golden compares the section "want" of an archive, or rewrites it.
func golden(t *testing.T, file string, a *txtar.Archive, got string) {
	t.Helper()
	last := len(a.Files) - 1
	if a.Files[last].Name != "want" {
		t.Fatalf("%s: the last section is %q, expected \"want\"", file, a.Files[last].Name)
	}
	if *update {
		a.Files[last].Data = []byte(got)
		if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if d := cmp.Diff(string(a.Files[last].Data), got); d != "" {
		t.Errorf("%s (-want +got), rewrite with -update:\n%s", file, d)
	}
}

// TestErrors reads the files of testdata/errors.txtar and compares the messages.
func TestErrors(t *testing.T) {
	const file = "testdata/errors.txtar"
	a, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, f := range a.Files[:len(a.Files)-1] {
		err := parse(f.Name, f.Data)
		if err == nil {
			t.Errorf("%s: no error", f.Name)
			continue
		}
		got.WriteString(err.Error() + "\n")
		var at *graph.Error
		if !errors.As(err, &at) || at.File != f.Name {
			t.Errorf("%s: %v has no place in the file", f.Name, err)
		}
	}
	golden(t, file, a, got.String())
}

// parse reads a file as what its name says it is.
func parse(name string, src []byte) error {
	var err error
	switch {
	case name == "site.yaml":
		_, err = content.ParseSettings(name, src)
	case strings.HasPrefix(name, "a/"):
		_, err = content.ParseNote(name, src)
	case strings.HasPrefix(name, "diff/"):
		_, err = content.ParseDiffNote(name, src)
	default:
		_, err = content.ParsePage(name, strings.TrimSuffix(name, ".md"), src)
	}
	return err
}

const note = `---
# a comment
summary: >
  A decoder
  of 36 layers
pick-when: 'it''s small'
tags: [decoder, "2024", rope]
links:
- {title: Paper, url: "https://example.org/paper?a=1#b"}
published:
  parameters: 124_439_808
  source: the model card
  stored: 137022720
  lines:
    - elements: 12582912
      what: 12 causal masks of 1024 × 1024
oracle: gpt2
accept:
  - rule: no-position
    why: positions are learned
training-tokens: 15e12
training-images: 1.28e6
released: 2019-02
license: LicenseRef-Llama-3-Community
implementation: transformers.GPT2LMHeadModel
masked-language-model: true
---

Text.
`

func TestNote(t *testing.T) {
	n, err := content.ParseNote("a/gpt2.md", []byte(note))
	if err != nil {
		t.Fatal(err)
	}
	want := content.Note{
		File:     "a/gpt2.md",
		Summary:  "A decoder of 36 layers",
		PickWhen: "it's small",
		Tags:     []string{"decoder", "2024", "rope"},
		Links:    []content.Link{{Title: "Paper", URL: "https://example.org/paper?a=1#b"}},
		Published: content.Published{Parameters: 124439808, Source: "the model card", Stored: 137022720,
			Lines: []content.Line{{Elements: 12582912, What: "12 causal masks of 1024 × 1024"}}},
		Oracle:         "gpt2",
		Implementation: "transformers.GPT2LMHeadModel",
		Accept:         []content.Accept{{Rule: "no-position", Why: "positions are learned"}},
		TrainingTokens: 15_000_000_000_000,
		Images:         1_280_000,
		Released:       "2019-02",
		License:        "LicenseRef-Llama-3-Community",
		MaskedLanguage: true,
		Body:           "\nText.\n",
		BodyLine:       28,
	}
	if d := cmp.Diff(want, *n, cmp.FilterPath(func(p cmp.Path) bool { return p.String() == "places" }, cmp.Ignore())); d != "" {
		t.Error(d)
	}
	for path, line := range map[string]int{"published.stored": 13, "accept[0].rule": 19, "accept[0].nothing": 19, "accept[7]": 19, "": 0} {
		if at := n.At(path); at.Line != line || at.File != "a/gpt2.md" {
			t.Errorf("%q stands at %v, expected line %d", path, at, line)
		}
	}
}

func TestFrontMatter(t *testing.T) {
	for name, test := range map[string]struct {
		src, summary, body string
		line               int
	}{
		"none":            {"Text.\n", "", "Text.\n", 1},
		"empty file":      {"", "", "", 1},
		"empty":           {"---\n---\nText.", "", "Text.", 3},
		"only comments":   {"---\n# nothing\n---\nText.", "", "Text.", 4},
		"nulls":           {"---\nsummary:\nlinks: ~\npublished:\n---\nText.", "", "Text.", 6},
		"windows":         {"\ufeff---\r\nsummary: a\r\n---\r\nText.\r\n", "a", "Text.\n", 4},
		"trailing spaces": {"--- \nsummary: a\n---\t\nText.", "a", "Text.", 4},
		"no body":         {"---\nsummary: a\n---", "a", "", 4},
		"rule later":      {"Text.\n\n---\n\nMore.", "", "Text.\n\n---\n\nMore.", 1},
		"rule in body":    {"---\nsummary: a\n---\n---\n", "a", "---\n", 4},
	} {
		t.Run(name, func(t *testing.T) {
			n, err := content.ParseNote("a/x.md", []byte(test.src))
			if err != nil {
				t.Fatal(err)
			}
			if n.Summary != test.summary || n.Body != test.body || n.BodyLine != test.line {
				t.Errorf("got summary %q, body %q from line %d; want %q, %q, %d", n.Summary, n.Body, n.BodyLine, test.summary, test.body, test.line)
			}
		})
	}
}

func TestCharacters(t *testing.T) {
	for src, want := range map[string]string{
		"one\ntw\xffo": `a/x.md:2:3: found the byte 0xff, expected UTF-8; save the file in that encoding`,
		"one\x00":      `a/x.md:1:4: found the control character U+0000; remove it`,
		"\u009b1m":     `a/x.md:1:1: found the control character U+009B; remove it`,
		"---\n" + strings.Repeat("#\n", content.MaxFrontMatter) + "---\n": `a/x.md: found a front matter of 131072 bytes, expected at most 65536`,
		strings.Repeat("x", content.MaxBytes+1):                           `a/x.md: found 262145 bytes, expected at most 262144`,
	} {
		_, err := content.ParseNote("a/x.md", []byte(src))
		if err == nil || err.Error() != want {
			t.Errorf("%.20q: got %v, want %s", src, err, want)
		}
	}
}

func TestPage(t *testing.T) {
	p, err := content.ParsePage("docs/method.md", "docs/method", []byte("---\ntitle: Method\nmenu: 2\n---\n# Method\n\nHow *it* is\ncounted.\n\nMore.\n"))
	if err != nil {
		t.Fatal(err)
	}
	if p.Title != "Method" || p.Path != "docs/method" || p.Menu != 2 || p.Description != "How it is counted." {
		t.Errorf("got %+v", p)
	}
}

func TestSettings(t *testing.T) {
	s, err := content.ParseSettings("site.yaml", nil)
	if err != nil {
		t.Fatal(err)
	}
	want := content.Defaults()
	want.File = "site.yaml"
	ignore := cmp.FilterPath(func(p cmp.Path) bool { return p.String() == "places" || p.String() == "Assumptions" }, cmp.Ignore())
	if d := cmp.Diff(want, s, ignore); d != "" {
		t.Errorf("an empty file is not the defaults: %s", d)
	}

	s, err = content.ParseSettings("site.yaml", []byte(`title: Catalog
base-url: https://example.org/repo/
diffs: all
relatives: 3
gpus: [H100 80GB, T4 16GB]
assumptions:
  batch: 8
  mfu: 0.4
  price: 2.5e0
  card: H100 80GB
  recompute: true
`))
	if err != nil {
		t.Fatal(err)
	}
	want.Title, want.BaseURL, want.Diffs, want.Relatives = "Catalog", "https://example.org/repo/", content.DiffsAll, 3
	want.GPUs = []string{"H100 80GB", "T4 16GB"}
	if d := cmp.Diff(want, s, ignore); d != "" {
		t.Error(d)
	}
}

// TestSection reads the part of the settings that another package declares.
func TestSection(t *testing.T) {
	type assumptions struct {
		Batch     int64   `yaml:"batch" min:"1" doc:"sequences at once"`
		Share     float64 `yaml:"mfu" min:"0.001" max:"1" doc:"share of the peak"`
		Card      string  `yaml:"card" doc:"card that is paid for"`
		Recompute bool    `yaml:"recompute" doc:"recompute activations"`
	}
	decode := func(src string) (assumptions, error) {
		t.Helper()
		s, err := content.ParseSettings("site.yaml", []byte(src))
		if err != nil {
			t.Fatal(err)
		}
		a := assumptions{Batch: 1, Share: 0.4}
		return a, s.Assumptions.Decode(&a)
	}
	for src, want := range map[string]assumptions{
		"title: x":        {1, 0.4, "", false},
		"assumptions:":    {1, 0.4, "", false},
		"assumptions: {}": {1, 0.4, "", false},
		"assumptions:\n  batch: 8\n  mfu: 5e-1\n  card: H100 80GB\n  recompute: true": {8, 0.5, "H100 80GB", true},
	} {
		if got, err := decode(src); err != nil || got != want {
			t.Errorf("%q: got %v, %v; want %v", src, got, err, want)
		}
	}
	for src, want := range map[string]string{
		"assumptions:\n  bach: 8\n  mfu: 1.5": "site.yaml:2:3: assumptions: unknown key \"bach\"; nearest is \"batch\"\n" +
			"site.yaml:3:8: assumptions.mfu: found 1.5, expected a number from 0.001 to 1",
		"assumptions: 5": "site.yaml:1:14: assumptions: found 5, expected a mapping: lines of key: value",
	} {
		if _, err := decode(src); err == nil || err.Error() != want {
			t.Errorf("%q: got %v, want %s", src, err, want)
		}
	}
}

// TestDecodeParts: a number that may be 0 is told from one that is not given,
// and the keys of an embedded struct are keys like others.
func TestDecodeParts(t *testing.T) {
	type Limits struct {
		Most *int64   `yaml:"most" min:"0" doc:"most of them"`
		GB   *float64 `yaml:"gb" doc:"memory"`
	}
	type file struct {
		Title string `yaml:"title" doc:"what it is called"`
		Limits
		Rest content.Section `yaml:"rest" doc:"what others declare"`
	}
	var f file
	if _, err := content.Decode("x.yaml", "title: x\nmost: 0\n", &f); err != nil || f.Title != "x" || f.Most == nil || *f.Most != 0 || f.GB != nil {
		t.Errorf("got %+v, %v", f, err)
	}
	_, err := content.Decode("x.yaml", "mosst: 1\nmost: -1\ngb: much\n", &f)
	want := "x.yaml:1:1: unknown key \"mosst\"; nearest is \"most\"\n" +
		"x.yaml:2:7: most: found -1, expected a whole number of at least 0\n" +
		"x.yaml:3:5: gb: found \"much\", expected a number"
	if err == nil || err.Error() != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
}

// TestDecodeRange reads numbers with bounds.
func TestDecodeRange(t *testing.T) {
	type settings struct {
		Share float64 `yaml:"share" min:"0.001" max:"1" doc:"share of the peak"`
		Batch int64   `yaml:"batch" min:"1" doc:"sequences at once"`
	}
	s := settings{Share: 0.4, Batch: 1}
	if _, err := content.Decode("x.yaml", "share: 5e-1", &s); err != nil || s != (settings{0.5, 1}) {
		t.Errorf("got %v, %v", s, err)
	}
	_, err := content.Decode("x.yaml", "share: 1.5\nbatch: 0", &s)
	want := "x.yaml:1:8: share: found 1.5, expected a number from 0.001 to 1\nx.yaml:2:8: batch: found 0, expected a whole number of at least 1"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestKeys asks that every key of every file says what it means.
func TestKeys(t *testing.T) {
	for _, file := range []any{content.Note{}, content.DiffNote{}, content.Page{}, content.Settings{}} {
		var check func(path string, keys []content.Key)
		check = func(path string, keys []content.Key) {
			if len(keys) == 0 {
				t.Errorf("%s has no keys", path)
			}
			for _, k := range keys {
				at := path + "." + k.Name
				if k.Doc == "" || k.Value == "" {
					t.Errorf("%s lacks a doc or a value: %+v", at, k)
				}
				if k.Keys != nil {
					check(at, k.Keys)
				}
			}
		}
		check(reflect.TypeOf(file).Name(), content.Keys(file))
	}
}

// TestRecord writes stored elements into notes of all forms.
func TestRecord(t *testing.T) {
	lines := []content.Line{{Elements: 512, What: `masks: "h.{0…1}"`}, {Elements: -8, What: "a bias"}}
	const added = "stored: 1296\n  lines:\n    - elements: 512\n      what: \"masks: \\\"h.{0…1}\\\"\"\n    - elements: -8\n      what: \"a bias\"\n"
	for name, test := range map[string]struct{ src, want string }{
		"no front matter":   {"Text.\n", "---\npublished:\n  source: \"header\"\n  " + added + "---\nText.\n"},
		"nothing published": {"---\nsummary: a\n---\nText.\n", "---\nsummary: a\npublished:\n  source: \"header\"\n  " + added + "---\nText.\n"},
		"published":         {"---\npublished:\n  source: card\n# after it\nreleased: 2024-01\n---\n", "---\npublished:\n  source: card\n  " + added + "# after it\nreleased: 2024-01\n---\n"},
		"recorded before":   {"---\npublished:\n  stored: 7\n  # kept\n  lines:\n    - elements: 7\n      what: old\n  source: card\n---\n", "---\npublished:\n  # kept\n  source: card\n  " + added + "---\n"},
		"wider":             {"---\npublished:\n    source: card\n---\n", "---\npublished:\n    source: card\n    " + strings.ReplaceAll(added, "\n  ", "\n    ") + "---\n"},
		"on one line":       {"---\npublished: {source: card}\n---\n", "published stands on one line"},
		"broken":            {"---\nsummry: a\n---\n", "unknown key"},
	} {
		got, err := content.Record("a/m.md", []byte(test.src), 1296, lines, "header")
		if said := fmt.Sprint(err); err != nil && !strings.Contains(said, test.want) || err == nil && string(got) != test.want {
			t.Errorf("%s: got %v\n%s\nwant\n%s", name, err, got, test.want)
		}
		if err != nil {
			continue
		}
		if again, err := content.Record("a/m.md", got, 1296, lines, "header"); err != nil || string(again) != string(got) {
			t.Errorf("%s: a second time gives %v\n%s", name, err, again)
		}
	}
}
