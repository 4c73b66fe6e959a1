package catalog_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/strata-catalog/strata/generator/catalog"
	"github.com/strata-catalog/strata/generator/cost"
)

const tiny = `{"id": "ID", "components": [
  {"id": "x", "type": "input", "params": {"shape": [1, 8]}},
  {"id": "out", "type": "output", "inputs": ["x"]}]}`

func pairOfTemplates(settings string) fstest.MapFS {
	files := fstest.MapFS{
		"content/a/first.md": {Data: []byte("---\ntraining-tokens: 15000000000000\ntraining-images: 7\n---\n")},
	}
	for _, id := range []string{"first", "second"} {
		files["templates/"+id+"/model.json"] = &fstest.MapFile{Data: []byte(strings.Replace(tiny, "ID", id, 1))}
	}
	if settings != "" {
		files["content/site.yaml"] = &fstest.MapFile{Data: []byte(settings)}
	}
	return files
}

// Assumptions come from the defaults, then the settings, then the note.
func TestAssumptions(t *testing.T) {
	c := load(t, pairOfTemplates("assumptions:\n  batch: 4\n  tokens: 9\n"), 1)
	all, err := c.Assumptions()
	if err != nil {
		t.Fatal(err)
	}
	want := cost.Default()
	want.Batch, want.Tokens = 4, 9
	if all != want {
		t.Errorf("the settings make %+v, want %+v", all, want)
	}
	for id, change := range map[string]func(*cost.Assumptions){
		"first":  func(a *cost.Assumptions) { a.Tokens, a.Seen = 15_000_000_000_000, 7 },
		"second": func(*cost.Assumptions) {},
	} {
		e, _ := c.Entry(id)
		want := all
		change(&want)
		if got := e.Assumed(all); got != want {
			t.Errorf("%s: %+v, want %+v", id, got, want)
		}
	}
}

func TestAssumptionsOutOfRange(t *testing.T) {
	c := load(t, pairOfTemplates("assumptions:\n  card: H100 8GB\n"), 1)
	_, err := c.Assumptions()
	if err == nil || !strings.HasPrefix(err.Error(), "content/site.yaml:2:") || !strings.Contains(err.Error(), `nearest is "H100 80GB"`) {
		t.Errorf("got %v, want an error in line 2 that names the nearest card", err)
	}
}

// With Only, the others are not read, and are no problem.
func TestOnly(t *testing.T) {
	files := pairOfTemplates("title: The settings")
	files["templates/broken/model.json"] = &fstest.MapFile{Data: []byte("hello")}
	files["content/a/second.md"] = &fstest.MapFile{Data: []byte("---\nunknown: key\n---\n")}
	files["content/page.md"] = &fstest.MapFile{Data: []byte("---\nunknown: key\n---\n")}
	for _, test := range []struct {
		only     []string
		entries  int
		problems string
	}{
		{[]string{"first"}, 1, ""},
		{[]string{"nothing", "first"}, 1, ""},
		{[]string{"second"}, 1, "content/a/second.md:2:1"},
		{[]string{"broken"}, 0, "templates/broken/model.json:1:1"},
	} {
		c, err := catalog.Load(catalog.Options{Templates: sub(t, files, "templates"), Content: sub(t, files, "content"), Only: test.only})
		if err != nil {
			t.Fatal(err)
		}
		if len(c.Entries) != test.entries || c.Settings.Title != "The settings" {
			t.Errorf("Only %v loads %d templates, and the settings of %q", test.only, len(c.Entries), c.Settings.Title)
		}
		if got := fmt.Sprint(errors.Join(c.Problems...)); !strings.Contains(got, test.problems) || len(c.Problems) > 1 || (test.problems == "") != (len(c.Problems) == 0) {
			t.Errorf("Only %v has the problems %s, want %q", test.only, got, test.problems)
		}
	}
}
