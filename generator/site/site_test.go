package site_test

import (
	"crypto/sha256"
	"encoding/json"
	"encoding/xml"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/strata-catalog/strata/generator/layer"
	"github.com/strata-catalog/strata/generator/site"
)

var update = flag.Bool("update", false, "write the golden files")

func read(t *testing.T, name string) string {
	t.Helper()
	src, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(src)
}

// files makes a file system of names and texts, in turn.
func files(namesAndTexts ...string) fstest.MapFS {
	fs := fstest.MapFS{}
	for i := 0; i < len(namesAndTexts); i += 2 {
		fs[namesAndTexts[i]] = &fstest.MapFile{Data: []byte(namesAndTexts[i+1])}
	}
	return fs
}

const (
	head  = `{"id": "head", "components": [{"id": "x", "type": "input", "params": {"shape": [1, 8]}}, {"id": "fc", "type": "linear", "params": {"outFeatures": 4}, "inputs": ["x"]}, {"id": "y", "type": "output", "inputs": ["fc"]}]}`
	text  = "---\ntitle: A text\nmenu: 1\n---\n\n## Words\n\nBack to [the catalog](index.html), on to [tiny](a/tiny.md).\n"
	story = "---\nstory: From a decoder to its head.\n---\n\nSee [the rows](#layers) and [the decoder](../a/tiny.md).\n"
	about = "---\ntitle: Deep\ndescription: In a folder.\n---\n\nSee [up](../text.md), [root](/a/tiny.json) and [out](https://example.com/).\n"
)

// sample is a catalog with every kind of page.
func sample(t *testing.T) site.Config {
	return site.Config{
		Templates: files("tiny/model.json", read(t, "testdata/tiny/model.json"), "head/model.json", head),
		Content: files("a/tiny.md", read(t, "testdata/tiny/note.md"), "diff/tiny-vs-head.md", story, "text.md", text, "more/deep.md", about,
			"site.yaml", "title: Sample\ndescription: A catalog for tests.\nauthor: Somebody\n"),
		BaseURL: "https://example.org/cat/", Version: "1.2.3",
	}
}

func build(t *testing.T, c site.Config) *site.Memory {
	t.Helper()
	m := &site.Memory{}
	r, err := site.Build(c, m)
	if err != nil || len(r.Problems) > 0 {
		t.Fatalf("build: %v, problems %v", err, r.Problems)
	}
	return m
}

func file(t *testing.T, m *site.Memory, path string) string {
	t.Helper()
	data, ok := m.File(path)
	if !ok {
		t.Fatalf("the site has no %s, but %v", path, m.Paths())
	}
	return string(data)
}

// The files of a site. No folder begins with an underscore, which Jekyll would
// pass over, and .nojekyll keeps it away (D95).
func TestFiles(t *testing.T) {
	got := build(t, sample(t)).Paths()
	want := []string{
		".nojekyll", "404.html", "_headers", "a/head.html", "a/head.json", "a/head.md", "a/head.py", "a/head.svg", "a/index.json", "a/index.md", "a/tiny.html", "a/tiny.json", "a/tiny.md", "a/tiny.py", "a/tiny.svg",
		"assets/catalog.*.css", "assets/catalog.*.js", "assets/compare.*.css", "assets/compare.*.js", "assets/completion.*.js", "assets/core.*.js", "assets/diagram.*.css", "assets/diagram.*.js",
		"assets/editor.*.js", "assets/forms.*.js", "assets/icon.*.svg", "assets/keep.*.js", "assets/plan.*.css", "assets/plan.*.js", "assets/scheme.*.js", "assets/site.*.css", "assets/site.*.js", "assets/tokens.*.css",
		"assets/workbench-worker.*.js", "assets/workbench.*.css", "assets/workbench.*.js", "build.json", "compare.html", "diff/index.html", "diff/tiny-vs-head.html", "diff/tiny-vs-head.json", "diff/tiny-vs-head.md", "feed.xml", "index.html", "layers/index.html", "llms.txt", "more/deep.html", "robots.txt", "rules/index.html",
		"schema/diff-v1.json", "schema/graph-v1.json", "schema/index-v1.json", "schema/policy-v1.json", "schema/template-v1.json", "sitemap.xml", "templates/head/model.json", "templates/tiny/model.json", "text.html",
	}
	for i := range got {
		got[i] = checksum.ReplaceAllString(got[i], ".*.")
	}
	for _, typ := range layer.All {
		want = append(want, "layers/"+typ.Name+".html")
	}
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("files of the site (-want +got):\n%s", diff)
	}
}

// TestGolden shows a template page in its forms, and the index.
func TestGolden(t *testing.T) {
	m := build(t, sample(t))
	for path, golden := range map[string]string{
		"a/tiny.md":                 "tiny.md",
		"a/tiny.html":               "tiny.html",
		"a/tiny.json":               "tiny.json",
		"templates/tiny/model.json": "flat.json",
		"a/index.json":              "index.json",
		"a/index.md":                "index.md",
		"llms.txt":                  "llms.txt",
		"feed.xml":                  "feed.xml",
		"robots.txt":                "robots.txt",
	} {
		compareGolden(t, filepath.Join("testdata", "golden", golden), lines(path, file(t, m, path)))
	}
}

// checksum is what the name of an asset has of its content.
var checksum = regexp.MustCompile(`\.[0-9a-f]{10}\.`)

// lines breaks minified HTML after each tag, so that a difference can be read,
// and takes the checksums out of it: golden files show a page, not its style.
func lines(path, text string) string {
	if !strings.HasSuffix(path, ".html") {
		return text
	}
	return checksum.ReplaceAllString(strings.ReplaceAll(text, "><", ">\n<"), ".*.")
}

func compareGolden(t *testing.T, name, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatalf("%v; run go test ./generator/site -update", err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got; go test ./generator/site -update writes it anew):\n%s", name, diff)
	}
}

// The site map lists every page but the one for addresses that are not there.
func TestSiteMap(t *testing.T) {
	m := build(t, sample(t))
	var urls struct {
		Loc []string `xml:"url>loc"`
	}
	if err := xml.Unmarshal([]byte(file(t, m, "sitemap.xml")), &urls); err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, path := range m.Paths() {
		if strings.HasSuffix(path, ".html") && path != "404.html" {
			want = append(want, "https://example.org/cat/"+strings.TrimSuffix(path, "index.html"))
		}
	}
	if diff := cmp.Diff(want, urls.Loc); diff != "" {
		t.Errorf("site map (-want +got):\n%s", diff)
	}
}

// build.json has the checksum of every other file.
func TestManifest(t *testing.T) {
	m := build(t, sample(t))
	var b site.Manifest
	if err := json.Unmarshal([]byte(file(t, m, "build.json")), &b); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, f := range b.Files {
		got[f.Path] = f.SHA256
	}
	want := map[string]string{}
	for _, path := range m.Paths() {
		if path != "build.json" {
			want[path] = fmt.Sprintf("%x", sha256.Sum256([]byte(file(t, m, path))))
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("checksums (-want +got):\n%s", diff)
	}
	if b.Generator.Name != "strata" || b.Generator.Version != "1.2.3" || b.Templates != 2 || b.Count != len(want) {
		t.Errorf("build.json says %+v, %d templates, %d files", b.Generator, b.Templates, b.Count)
	}
}

// The bytes of a site do not depend on how many work on it, nor on the day (D97).
func TestDeterministic(t *testing.T) {
	c := sample(t)
	c.Jobs = 1
	one := build(t, c)
	for range 3 {
		c.Jobs = 4
		four := build(t, c)
		if diff := cmp.Diff(one.Paths(), four.Paths()); diff != "" {
			t.Fatal(diff)
		}
		for _, path := range one.Paths() {
			if file(t, one, path) != file(t, four, path) {
				t.Errorf("%s depends on the number of jobs", path)
			}
		}
	}
}

func TestProgress(t *testing.T) {
	c := sample(t)
	last, total := 0, 0
	c.Progress = func(done, n int) {
		if done != last+1 {
			t.Errorf("%d pages done after %d", done, last)
		}
		last, total = done, n
	}
	build(t, c)
	if last != total || total == 0 {
		t.Errorf("%d of %d pages were reported", last, total)
	}
}

const (
	broken   = `{"id": "broken", "components": [{"id": "a", "type": "relu", "inputs": ["nothing"]}]}`
	unread   = `{"id": `
	failing  = `{"id": "failing", "components": [{"id": "a", "type": "add", "inputs": []}]}`
	badTexts = "---\ntitle: Links\n---\n\n[gone](a/tinny.md)\n"
)

// TestProblems: a bad file stops the publishing, not the looking, and a build
// that keeps going publishes the rest.
func TestProblems(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*site.Config)
		want   []string // one part of each problem
	}{
		{"unreadable and broken templates", func(c *site.Config) {
			c.Templates = files("head/model.json", head, "broken/model.json", broken, "unread/model.json", unread)
			c.Content = nil
		}, []string{"templates/broken/model.json", "templates/unread/model.json"}},
		{"a link that leads nowhere", func(c *site.Config) {
			c.Content = files("a/tiny.md", read(t, "testdata/tiny/note.md"), "text.md", text, "links.md", badTexts)
		}, []string{`content/links.md:5:1: link to "a/tinny.md": the site has no a/tinny.md; nearest is "a/tiny.md"`}},
		{"a verdict of fail, when strict", func(c *site.Config) {
			c.Templates, c.Content = files("head/model.json", head, "failing/model.json", failing), nil
			c.Strict = true
		}, []string{"templates/failing/model.json: the verdict is fail"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			config := sample(t)
			c.change(&config)
			m := &site.Memory{}
			r, err := site.Build(config, m)
			if err == nil || len(m.Paths()) > 0 {
				t.Errorf("error %v, published %v; want an error and nothing published", err, m.Paths())
			}
			checkProblems(t, r.Problems, c.want)
			config.KeepGoing = true
			if r, err = site.Build(config, m); err != nil || len(m.Paths()) == 0 {
				t.Errorf("keeping going: error %v, %d files; want the rest published", err, len(m.Paths()))
			}
			checkProblems(t, r.Problems, c.want)
		})
	}
}

func checkProblems(t *testing.T, got []error, want []string) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d problems %v, want %d", len(got), got, len(want))
	}
	for i, part := range want {
		if !strings.Contains(got[i].Error(), part) {
			t.Errorf("problem %d is %q, want %q in it", i, got[i], part)
		}
	}
}

// TestUnusable: settings and themes that leave nothing to build.
func TestUnusable(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*site.Config)
		want   string
	}{
		"base URL": {func(c *site.Config) { c.BaseURL = "cat" }, `base URL is "cat", expected an address`},
		"address":  {func(c *site.Config) { c.Content.(fstest.MapFS)["index.md"] = &fstest.MapFile{Data: []byte(text)} }, "content/index.md would become index.html, which the site has already"},
		"assumption": {func(c *site.Config) {
			c.Content.(fstest.MapFS)["site.yaml"].Data = []byte("assumptions:\n  batsch: 1\n")
		}, "batsch"},
		"theme layout": {func(c *site.Config) { c.Theme = files("layouts/templat.html", "") }, `layouts/templat.html is no layout; nearest is "template.html"`},
		"theme field":  {func(c *site.Config) { c.Theme = files("layouts/content.html", `{{define "main"}}{{.Boddy}}{{end}}`) }, "Boddy"},
		"theme asset": {func(c *site.Config) {
			c.Theme = files("layouts/content.html", `{{define "main"}}{{asset "sitte.css"}}{{end}}`)
		}, `no asset is called "sitte.css"; nearest is "site.css"`},
	} {
		t.Run(name, func(t *testing.T) {
			config := sample(t)
			c.change(&config)
			m := &site.Memory{}
			_, err := site.Build(config, m)
			if err == nil || !strings.Contains(err.Error(), c.want) || len(m.Paths()) > 0 {
				t.Errorf("error %v, published %v; want %q and nothing published", err, m.Paths(), c.want)
			}
		})
	}
}

// TestFindings: a finding stands on the page and in its twin, with its rule and
// a link to the row that it is about; an accepted one keeps its reason.
func TestFindings(t *testing.T) {
	const lonely = `{"id": "lonely", "components": [
		{"id": "x", "type": "input", "params": {"shape": [1, 8]}},
		{"id": "act", "type": "relu", "name": "Cut at zero", "params": {"fanOut": 8}, "inputs": ["x"]},
		{"id": "y", "type": "output", "inputs": ["act"]}]}`
	c := site.Config{Templates: files("lonely/model.json", lonely), Content: files("a/lonely.md", "---\naccept:\n  - rule: unknown-param\n    why: it is drawn so on purpose\n---\n")}
	m := build(t, c)
	page, twin := file(t, m, "a/lonely.html"), file(t, m, "a/lonely.md")
	for _, part := range []string{
		`<li class="warning accepted">`, `<a href="../rules/index.html#unknown-param"><code>unknown-param</code></a>`,
		`<a href="#row-2">Cut at zero (act)</a>`, "<b>Accepted</b> it is drawn so on purpose",
	} {
		if !strings.Contains(page, part) {
			t.Errorf("the page lacks %s", part)
		}
	}
	for _, part := range []string{"- **warning** `unknown-param` Cut at zero (act): ", ". Accepted: it is drawn so on purpose\n"} {
		if !strings.Contains(twin, part) {
			t.Errorf("the twin lacks %q:\n%s", part, twin)
		}
	}
	if rules := file(t, m, "rules/index.html"); !strings.Contains(rules, `accepted for <a href="../a/lonely.html">lonely</a>: it is drawn so on purpose`) {
		t.Error("the record of the rule does not say where it is accepted, and why")
	}
}

// A site's own theme replaces single files.
func TestTheme(t *testing.T) {
	c := sample(t)
	c.Theme = files("layouts/content.html", `{{define "main"}}<p>Own: {{.Title}}</p>{{end}}`, "assets/site.css", "body { color : red }")
	m := build(t, c)
	if page := file(t, m, "text.html"); !strings.Contains(page, "<p>Own: A text</p>") {
		t.Errorf("the layout of the site's own theme is not used:\n%s", page)
	}
	if page := file(t, m, "index.html"); !strings.Contains(page, `class="catalog"`) {
		t.Errorf("a layout that was not replaced is gone:\n%s", page)
	}
	for _, path := range m.Paths() {
		if strings.HasPrefix(path, "assets/site.") && strings.HasSuffix(path, ".css") && file(t, m, path) != "body{color:red}" {
			t.Errorf("%s is not the site's own, minified: %q", path, file(t, m, path))
		}
	}
}

func ExampleBuild() {
	m := &site.Memory{}
	r, err := site.Build(site.Config{Templates: files("head/model.json", head)}, m)
	_, ok := m.File("a/head.html")
	fmt.Println(r.Templates, "template, published:", ok, err)
	// Output: 1 template, published: true <nil>
}
