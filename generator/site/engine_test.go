package site_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/strata-catalog/strata/generator/internal/synthetic"
	"github.com/strata-catalog/strata/generator/site"
)

// catalogOf is a synthetic catalog as two file systems.
func catalogOf(n int) (templates, content fstest.MapFS) {
	templates, content = fstest.MapFS{}, fstest.MapFS{}
	for _, f := range synthetic.Catalog(8, n) {
		if name, ok := strings.CutPrefix(f.Path, "templates/"); ok {
			templates[name] = &fstest.MapFile{Data: []byte(f.Text)}
		} else {
			content[strings.TrimPrefix(f.Path, "content/")] = &fstest.MapFile{Data: []byte(f.Text)}
		}
	}
	return templates, content
}

// edits change a catalog in every way that a build depends on. Each returns the
// paths that it touched.
var edits = map[string]func(r *rand.Rand, templates, content, theme fstest.MapFS) []string{
	"a number of a graph": func(r *rand.Rand, templates, _, _ fstest.MapFS) []string {
		id := pick(r, templates)
		templates[id] = with(templates[id], `"outFeatures": `, `"outFeatures": 1`)
		return []string{"templates/" + id}
	},
	"a name": func(r *rand.Rand, templates, _, _ fstest.MapFS) []string {
		id := pick(r, templates)
		templates[id] = with(templates[id], `"name": "`, `"name": "Renamed `)
		return []string{"templates/" + id}
	},
	"a category": func(r *rand.Rand, templates, _, _ fstest.MapFS) []string {
		id := pick(r, templates)
		templates[id] = with(templates[id], `"category": "`, `"category": "New/`)
		return []string{"templates/" + id}
	},
	"spaces": func(r *rand.Rand, templates, _, _ fstest.MapFS) []string {
		id := pick(r, templates)
		templates[id] = with(templates[id], `{`, ` {`)
		return []string{"templates/" + id}
	},
	"a finding": func(r *rand.Rand, templates, _, _ fstest.MapFS) []string {
		id := pick(r, templates)
		templates[id] = with(templates[id], `"params": {`, `"params": {"unheardOf": 1, `)
		return []string{"templates/" + id}
	},
	"a new template": func(r *rand.Rand, templates, _, _ fstest.MapFS) []string {
		i := 100 + r.IntN(900)
		templates[synthetic.ID(i)+"/model.json"] = &fstest.MapFile{Data: []byte(synthetic.Graph(r, i))}
		return []string{"templates/" + synthetic.ID(i)}
	},
	"a template less": func(r *rand.Rand, templates, content, _ fstest.MapFS) []string {
		if len(templates) < 4 {
			return nil
		}
		name := pick(r, templates)
		id := strings.TrimSuffix(name, "/model.json")
		delete(templates, name)
		delete(content, "a/"+id+".md")
		for other, f := range content {
			if strings.Contains(string(f.Data), id+".md") || strings.Contains(other, id) {
				delete(content, other)
			}
		}
		return []string{"templates/" + id, "content"}
	},
	"a text": func(r *rand.Rand, _, content, _ fstest.MapFS) []string {
		name := pick(r, content)
		content[name] = &fstest.MapFile{Data: append(slices.Clone(content[name].Data), fmt.Sprintf("# %d\n", r.IntN(1000))...)}
		return []string{"content/" + name}
	},
	"a summary": func(r *rand.Rand, templates, content, _ fstest.MapFS) []string {
		name := "a/" + strings.TrimSuffix(pick(r, templates), "/model.json") + ".md"
		content[name] = &fstest.MapFile{Data: fmt.Appendf(nil, "---\nsummary: Model %d\ntags: [t]\n---\n\nSee [the list](../index.html).\n", r.IntN(1000))}
		return []string{"content/" + name}
	},
	"a story": func(r *rand.Rand, templates, content, _ fstest.MapFS) []string {
		a, b := strings.TrimSuffix(pick(r, templates), "/model.json"), strings.TrimSuffix(pick(r, templates), "/model.json")
		if _, back := content["diff/"+b+"-vs-"+a+".md"]; a == b || back {
			return nil
		}
		name := "diff/" + a + "-vs-" + b + ".md"
		content[name] = &fstest.MapFile{Data: fmt.Appendf(nil, "---\nstory: From one to the other, %d.\n---\n", r.IntN(1000))}
		return []string{"content/" + name}
	},
	"a page of text": func(r *rand.Rand, _, content, _ fstest.MapFS) []string {
		name := fmt.Sprintf("texts/new-%d.md", r.IntN(4))
		content[name] = &fstest.MapFile{Data: fmt.Appendf(nil, "---\ntitle: Text %d\nmenu: %d\n---\n\nWords.\n", r.IntN(1000), r.IntN(2))}
		return []string{"content/" + name}
	},
	"settings": func(r *rand.Rand, _, content, _ fstest.MapFS) []string {
		content["site.yaml"] = &fstest.MapFile{Data: fmt.Appendf(nil, "title: Title %d\nrelatives: %d\nassumptions:\n  batch: %d\n", r.IntN(9), 1+r.IntN(3), 1+r.IntN(9))}
		return []string{"content/site.yaml"}
	},
	"a layout": func(r *rand.Rand, _, _, theme fstest.MapFS) []string {
		theme["layouts/content.html"] = &fstest.MapFile{Data: fmt.Appendf(nil, `{{define "main"}}<p>%d</p>{{body .Body}}{{end}}`, r.IntN(1000))}
		return []string{"themes/layouts/content.html"}
	},
	"a style": func(r *rand.Rand, _, _, theme fstest.MapFS) []string {
		theme["assets/site.css"] = &fstest.MapFile{Data: fmt.Appendf(nil, "body { margin: %dpx }", r.IntN(1000))}
		return []string{"themes/assets/site.css"}
	},
	"nothing": func(*rand.Rand, fstest.MapFS, fstest.MapFS, fstest.MapFS) []string { return []string{} },
}

func pick(r *rand.Rand, files fstest.MapFS) string {
	names := slices.Sorted(maps.Keys(files))
	return names[r.IntN(len(names))]
}

// with is a file with the first old replaced.
func with(f *fstest.MapFile, old, new string) *fstest.MapFile {
	return &fstest.MapFile{Data: []byte(strings.Replace(string(f.Data), old, new, 1))}
}

// TestEngine edits a catalog in every way, in random order, and compares each
// build of an engine with one from nothing: the bytes, and the lists of what
// changed. An engine that is told what changed reads nothing else.
func TestEngine(t *testing.T) {
	templates, content := catalogOf(8)
	theme := fstest.MapFS{}
	c := site.Config{Templates: templates, Content: content, Theme: theme, BaseURL: "https://example.org/", Version: "1"}
	told, looking := site.NewEngine(c), site.NewEngine(c)
	var toldTo, lookingTo site.Memory
	names := slices.Sorted(maps.Keys(edits))
	r := rand.New(rand.NewPCG(8, 8))
	before := map[string]string{}
	for round := range len(names) + 8 {
		name := names[r.IntN(len(names))]
		if round < len(names) {
			name = names[round] // each at least once
		}
		changed := edits[name](r, templates, content, theme)
		if changed == nil {
			continue
		}
		if round == 0 {
			changed = nil
		}
		result, err := told.Build(&toldTo, changed)
		if err != nil {
			t.Fatalf("round %d, %s: %v", round, name, err)
		}
		if _, err := looking.Build(&lookingTo, nil); err != nil {
			t.Fatalf("round %d, %s: %v", round, name, err)
		}
		want := contents(t, build(t, c))
		for what, m := range map[string]*site.Memory{"told what changed": &toldTo, "looking at every file": &lookingTo} {
			if diff := cmp.Diff(want, contents(t, m)); diff != "" {
				t.Fatalf("round %d, %s: an engine %s differs from a build from nothing (-nothing +engine):\n%s", round, name, what, diff)
			}
		}
		var differs, gone []string
		for path, data := range want {
			if was, ok := before[path]; !ok || was != data {
				differs = append(differs, path)
			}
		}
		for path := range before {
			if _, ok := want[path]; !ok {
				gone = append(gone, path)
			}
		}
		slices.Sort(differs)
		slices.Sort(gone)
		if diff := cmp.Diff([][]string{differs, gone}, [][]string{result.Changed, result.Removed}); diff != "" {
			t.Fatalf("round %d, %s: changed and removed files (-want +got):\n%s", round, name, diff)
		}
		before = want
	}
}

func contents(t *testing.T, m *site.Memory) map[string]string {
	all := map[string]string{}
	for _, path := range m.Paths() {
		all[path] = file(t, m, path)
	}
	return all
}

// An engine survives what is broken: nothing is published, and once it is
// mended the site is as it would be.
func TestEngineRecovers(t *testing.T) {
	templates, content := catalogOf(4)
	theme := fstest.MapFS{}
	c := site.Config{Templates: templates, Content: content, Theme: theme, Version: "1"}
	e, m := site.NewEngine(c), &site.Memory{}
	if _, err := e.Build(m, nil); err != nil {
		t.Fatal(err)
	}
	want := contents(t, m)
	name := synthetic.ID(0)
	for what, broken := range map[string]struct {
		fs         fstest.MapFS
		name, text string
		path       string
	}{
		"a graph":  {templates, name + "/model.json", unread, "templates/" + name + "/model.json"},
		"a note":   {content, "a/" + name + ".md", "---\nsummari: x\n---\n", "content/a/" + name + ".md"},
		"a link":   {content, "texts/page-0.md", "---\ntitle: T\n---\n\n[x](y.md)\n", "content/texts/page-0.md"},
		"settings": {content, "site.yaml", "titel: x\n", "content/site.yaml"},
		"a layout": {theme, "layouts/content.html", `{{define "main"}}{{.Boddy}}{{end}}`, "themes"},
		"a part":   {theme, "layouts/parts/footer.html", `{{`, "themes"},
	} {
		good, ok := broken.fs[broken.name]
		broken.fs[broken.name] = &fstest.MapFile{Data: []byte(broken.text)}
		for range 2 { // the second time it is known
			if _, err := e.Build(m, []string{broken.path}); err == nil {
				t.Errorf("%s: no error", what)
			}
			if diff := cmp.Diff(want, contents(t, m)); diff != "" {
				t.Errorf("%s: the site changed (-before +after):\n%s", what, diff)
			}
		}
		if broken.fs[broken.name] = good; !ok {
			delete(broken.fs, broken.name)
		}
		result, err := e.Build(m, []string{broken.path})
		if err != nil || len(result.Changed)+len(result.Removed) > 0 {
			t.Errorf("%s, mended: error %v, changed %v, removed %v", what, err, result.Changed, result.Removed)
		}
		if diff := cmp.Diff(want, contents(t, m)); diff != "" {
			t.Errorf("%s, mended: the site changed (-before +after):\n%s", what, diff)
		}
	}
}
