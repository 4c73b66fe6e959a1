package site_test

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
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
	"a part of a part (D90)": func(r *rand.Rand, _, _, theme fstest.MapFS) []string {
		theme["layouts/parts/footer.html"] = &fstest.MapFile{Data: []byte(`<footer>{{template "inner.html" .}}</footer>`)}
		theme["layouts/parts/inner.html"] = &fstest.MapFile{Data: fmt.Appendf(nil, `<p>%d</p>`, r.IntN(1000))}
		return []string{"themes/layouts/parts/inner.html"}
	},
	"a page with capitals in its name (D90)": func(r *rand.Rand, _, content, _ fstest.MapFS) []string {
		content["texts/Mixed-Case.md"] = &fstest.MapFile{Data: fmt.Appendf(nil, "---\ntitle: Mixed %d\n---\n\nSee [itself](Mixed-Case.md).\n", r.IntN(1000))}
		return []string{"content/texts/Mixed-Case.md"}
	},
	"what editors keep (D89)": func(r *rand.Rand, _, content, theme fstest.MapFS) []string {
		kept := &fstest.MapFile{Data: fmt.Appendf(nil, "{{no page %d", r.IntN(1000))}
		theme["layouts/parts/footer.htmlknvcsd.bck"], theme["layouts/.base.html.swp"] = kept, kept
		content["a/"+synthetic.ID(0)+".md~"], content["#site.yaml#"] = kept, kept
		return []string{"themes/layouts/parts/footer.htmlknvcsd.bck", "content/#site.yaml#"}
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

// sources are the input of a synthetic catalog, for tests that write to it.
type sources struct{ templates, content, theme fstest.MapFS }

func (s sources) config() site.Config {
	return site.Config{Templates: s.templates, Content: s.content, Theme: s.theme, BaseURL: "https://example.org/", Version: "1"}
}

func sourcesOf(n int) sources {
	templates, content := catalogOf(n)
	return sources{templates, content, fstest.MapFS{}}
}

// edited edits a catalog in every way, in random order: each at least once.
func edited(t *testing.T, s sources, more int, check func(r *rand.Rand, changed []string)) {
	names := slices.Sorted(maps.Keys(edits))
	r := rand.New(rand.NewPCG(8, 8))
	check(r, nil)
	for round := range len(names) + more {
		name := names[r.IntN(len(names))]
		if round < len(names) {
			name = names[round]
		}
		changed := edits[name](r, s.templates, s.content, s.theme)
		if changed == nil {
			continue
		}
		t.Logf("round %d: %s", round, name)
		if check(r, changed); t.Failed() {
			t.FailNow()
		}
	}
}

// TestEngine builds with one engine again and again, into a folder that it keeps
// files in: each time it is what a build from nothing makes.
func TestEngine(t *testing.T) {
	s := sourcesOf(8)
	e, dir := site.NewEngine(s.config()), filepath.Join(t.TempDir(), "public")
	edited(t, s, 0, func(*rand.Rand, []string) {
		f, err := site.NewFolder(dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := e.Build(f); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(contents(t, build(t, s.config())), tree(t, dir)); diff != "" {
			t.Errorf("an engine differs from a build from nothing (-nothing +engine):\n%s", diff)
		}
	})
}

// TestPreview asks previews for files while a catalog is written: for all, for
// some, or for none, in any order. Each file is what a build from nothing would
// publish, and what it would not publish is not there. One of the previews is
// told what changed, and reads nothing else.
func TestPreview(t *testing.T) {
	s := sourcesOf(8)
	told, looking := site.NewPreview(site.NewEngine(s.config())), site.NewPreview(site.NewEngine(s.config()))
	ever := map[string]bool{} // each path that the site had once
	edited(t, s, 12, func(r *rand.Rand, changed []string) {
		if _, err := told.Update(changed, nil); err != nil {
			t.Fatal(err)
		}
		if _, err := looking.Update(nil, nil); err != nil {
			t.Fatal(err)
		}
		share := r.IntN(3) // of the files that are asked for, of two
		if share == 0 {
			return
		}
		want := contents(t, build(t, s.config()))
		for path := range want {
			ever[path] = true
		}
		paths := slices.Sorted(maps.Keys(ever))
		r.Shuffle(len(paths), func(i, j int) { paths[i], paths[j] = paths[j], paths[i] })
		for _, path := range paths[:len(paths)*share/2] {
			text, there := want[path]
			for what, p := range map[string]*site.Preview{"told what changed": told, "looking at every file": looking} {
				got, err := p.File(path)
				if !there {
					if !errors.Is(err, fs.ErrNotExist) || p.Has(path) && !strings.HasPrefix(path, "assets/") {
						t.Errorf("%s: a preview %s has it, with error %v", path, what, err)
					}
					continue
				}
				if err != nil || !p.Has(path) {
					t.Errorf("%s: a preview %s: %v", path, what, err)
				}
				if diff := cmp.Diff(text, string(got)); diff != "" {
					t.Errorf("%s: a preview %s differs from a build from nothing (-nothing +preview):\n%s", path, what, diff)
				}
			}
		}
	})
}

func contents(t *testing.T, m *site.Memory) map[string]string {
	all := map[string]string{}
	for _, path := range m.Paths() {
		all[path] = file(t, m, path)
	}
	return all
}

// A preview survives what is broken: it shows the last good site, and once it is
// mended the site is as it would be. A layout is tried on pages of each kind, and
// on what is open.
func TestPreviewRecovers(t *testing.T) {
	s := sourcesOf(4)
	p := site.NewPreview(site.NewEngine(s.config()))
	if _, err := p.File("index.html"); !errors.Is(err, fs.ErrNotExist) || p.Has("index.html") {
		t.Errorf("before all else there is a page, with error %v", err)
	}
	if _, err := p.Update(nil, nil); err != nil {
		t.Fatal(err)
	}
	want := contents(t, build(t, s.config()))
	check := func(what string) {
		t.Helper()
		for path, text := range want {
			if got, err := p.File(path); err != nil || string(got) != text {
				t.Errorf("%s: %s changed, with error %v", what, path, err)
			}
		}
	}
	name := synthetic.ID(0)
	const unknown = `{{define "main"}}{{.Boddy}}{{end}}`
	for what, broken := range map[string]struct {
		fs         fstest.MapFS
		name, text string
		path       string
		open       string
	}{
		"a graph":          {s.templates, name + "/model.json", unread, "templates/" + name + "/model.json", ""},
		"a note":           {s.content, "a/" + name + ".md", "---\nsummari: x\n---\n", "content/a/" + name + ".md", ""},
		"a link":           {s.content, "texts/page-0.md", "---\ntitle: T\n---\n\n[x](y.md)\n", "content/texts/page-0.md", ""},
		"a link of a note": {s.content, "a/" + name + ".md", "[x](#y)\n", "content/a/" + name + ".md", ""},
		"settings":         {s.content, "site.yaml", "titel: x\n", "content/site.yaml", ""},
		"a layout":         {s.theme, "layouts/content.html", unknown, "themes", ""},
		"a part":           {s.theme, "layouts/parts/footer.html", `{{`, "themes", ""},
		"an open list":     {s.theme, "layouts/catalog.html", unknown, "themes", "index.html"},
	} {
		good, ok := broken.fs[broken.name]
		broken.fs[broken.name] = &fstest.MapFile{Data: []byte(broken.text)}
		for range 2 { // the second time it is known
			if _, err := p.Update([]string{broken.path}, []string{broken.open}); err == nil {
				t.Errorf("%s: no error", what)
			}
			check(what)
		}
		if broken.fs[broken.name] = good; !ok {
			delete(broken.fs, broken.name)
		}
		if problems, err := p.Update([]string{broken.path}, []string{broken.open}); err != nil || len(problems) > 0 {
			t.Errorf("%s, mended: error %v, problems %v", what, err, problems)
		}
		check(what + ", mended")
	}

	// A list that nobody looks at is not tried; whoever asks for it hears why.
	s.theme["layouts/catalog.html"] = &fstest.MapFile{Data: []byte(unknown)}
	if _, err := p.Update([]string{"themes"}, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := p.File("index.html"); err == nil || !strings.Contains(err.Error(), "Boddy") {
		t.Errorf("a page that cannot be made: error %v", err)
	}
	// It does not stop what comes while somebody looks at the message.
	s.templates[name+"/model.json"] = with(s.templates[name+"/model.json"], `"name": "`, `"name": "Renamed `)
	if _, err := p.Update([]string{"templates/" + name}, []string{"index.html"}); err != nil {
		t.Error(err)
	}
}

// A preview that keeps going shows what is good beside problems: what a build
// would publish that keeps going too.
func TestPreviewKeepsGoing(t *testing.T) {
	s := sourcesOf(4)
	s.content["texts/page-0.md"] = &fstest.MapFile{Data: []byte("---\ntitle: T\n---\n\n[x](y.md)\n")}
	s.templates[synthetic.ID(1)+"/model.json"] = &fstest.MapFile{Data: []byte(unread)}
	delete(s.content, "a/"+synthetic.ID(1)+".md")
	c := s.config()
	c.KeepGoing = true
	p, m := site.NewPreview(site.NewEngine(c)), &site.Memory{}
	problems, err := p.Update(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := site.Build(c, m)
	if err != nil {
		t.Fatal(err)
	}
	text := func(list []error) (lines []string) {
		for _, err := range list {
			lines = append(lines, err.Error())
		}
		return lines
	}
	if diff := cmp.Diff(text(r.Problems), text(problems)); diff != "" || len(problems) != 3 {
		t.Errorf("%d problems, want 3 (-build +preview):\n%s%v", len(problems), diff, problems)
	}
	for path, text := range contents(t, m) {
		if got, err := p.File(path); err != nil || string(got) != text {
			t.Errorf("%s differs, with error %v", path, err)
		}
	}
}

// Files are asked for while the site changes: each is of one state or the other.
func TestPreviewTogether(t *testing.T) {
	s := sourcesOf(3)
	model := synthetic.ID(0) + "/model.json"
	states := []*fstest.MapFile{s.templates[model], with(s.templates[model], `"name": "`, `"name": "Renamed `)}
	paths := []string{"a/" + synthetic.ID(0) + ".html", "index.html", "a/index.json", "build.json"}
	want := map[string][]string{}
	for _, state := range states {
		s.templates[model] = state
		m := build(t, s.config())
		for _, path := range paths {
			want[path] = append(want[path], file(t, m, path))
		}
	}
	p := site.NewPreview(site.NewEngine(s.config()))
	update := func() {
		if _, err := p.Update(nil, paths[:1]); err != nil {
			t.Error(err)
		}
	}
	update()
	stop := make(chan bool)
	var readers sync.WaitGroup
	for _, path := range paths {
		readers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if got, err := p.File(path); err != nil || !slices.Contains(want[path], string(got)) {
					t.Errorf("%s is of neither state, with error %v", path, err)
					return
				}
			}
		})
	}
	for i := range 10 {
		s.templates[model] = states[i%2]
		update()
	}
	close(stop)
	readers.Wait()
}
