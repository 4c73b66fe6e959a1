package catalog_test

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/strata-catalog/strata/generator/catalog"
	"github.com/strata-catalog/strata/generator/content"
	"github.com/strata-catalog/strata/generator/graph"
)

var update = flag.Bool("update", false, "write the golden files")

// TestLoad loads the trees of testdata/*.txtar and compares what came of each
// with its last section: the problems, then the catalog.
func TestLoad(t *testing.T) {
	files, _ := filepath.Glob("testdata/*.txtar")
	if len(files) == 0 {
		t.Fatal("nothing in testdata")
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			last := len(a.Files) - 1
			got := describe(load(t, tree(a.Files[:last]), 1))
			if *update {
				a.Files[last].Data = []byte(got)
				if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if d := cmp.Diff(string(a.Files[last].Data), got); d != "" {
				t.Errorf("(-want +got), rewrite with -update:\n%s", d)
			}
			for jobs := range 8 {
				if again := describe(load(t, tree(a.Files[:last]), jobs)); again != got {
					t.Errorf("with %d jobs the result is another:\n%s", jobs, cmp.Diff(got, again))
				}
			}
		})
	}
}

func tree(files []txtar.File) fstest.MapFS {
	m := fstest.MapFS{}
	for _, f := range files {
		m[f.Name] = &fstest.MapFile{Data: f.Data}
	}
	return m
}

// load loads the folders "templates" and "content" of a tree, the latter if it
// is there.
func load(t *testing.T, files fstest.MapFS, jobs int) *catalog.Catalog {
	t.Helper()
	o := catalog.Options{Templates: sub(t, files, "templates"), Jobs: jobs}
	if _, err := fs.Stat(files, "content"); err == nil {
		o.Content = sub(t, files, "content")
	}
	c, err := catalog.Load(o)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range c.Problems {
		var at *graph.Error
		if !errors.As(p, &at) || !strings.HasPrefix(at.File, "templates") && !strings.HasPrefix(at.File, "content/") {
			t.Errorf("%v names no file", p)
		}
	}
	return c
}

func sub(t *testing.T, files fs.FS, folder string) fs.FS {
	t.Helper()
	s, err := fs.Sub(files, folder)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func describe(c *catalog.Catalog) string {
	var b strings.Builder
	for _, p := range c.Problems {
		fmt.Fprintln(&b, p)
	}
	fmt.Fprintf(&b, "\nsite %q\n", c.Settings.Title)
	for _, e := range c.Entries {
		fmt.Fprintf(&b, "template %s: %s, %q, %q, tags %q, note %t, %s\n", e.ID, e.File, e.Name(), e.Summary(), e.Tags(), e.Note != nil, e.Verdict)
		for _, f := range e.Findings {
			fmt.Fprintf(&b, "\t%s %s accepted %q\n", f.Severity, f.Rule, f.Accepted)
		}
		for _, s := range e.Reconciliation() {
			mark := "+"
			if s.Sum {
				mark = "="
			}
			fmt.Fprintf(&b, "\t%s %d %s\n", mark, s.Elements, s.What)
		}
	}
	for _, p := range c.Pages {
		fmt.Fprintf(&b, "page %s: %s, %q, %q\n", p.Path, p.File, p.Title, p.Description)
	}
	for _, d := range c.Diffs {
		fmt.Fprintf(&b, "diff %s, %s: %s, %q\n", d.A, d.B, d.File, d.Story)
	}
	for _, p := range c.Pairs() {
		fmt.Fprintf(&b, "pair %s, %s: written up %t\n", p.A.ID, p.B.ID, p.Note != nil)
	}
	return b.String()
}

// model is a template of one linear layer, or what the arguments make of it.
func model(id, category string, width int, layers ...string) *fstest.MapFile {
	var b strings.Builder
	fmt.Fprintf(&b, `{"id": %q, "category": %q, "components": [{"id": "x", "type": "input", "params": {"shape": [1, 4]}}, {"id": "fc", "type": "linear", "params": {"outFeatures": %d}, "inputs": ["x"]}`, id, category, width)
	at := "fc"
	for i, l := range layers {
		fmt.Fprintf(&b, `, {"id": "l%d", "type": %q, "inputs": [%q]}`, i, l, at)
		at = fmt.Sprintf("l%d", i)
	}
	fmt.Fprintf(&b, `, {"id": "y", "type": "output", "inputs": [%q]}]}`, at)
	return &fstest.MapFile{Data: []byte(b.String())}
}

func TestWithoutContent(t *testing.T) {
	c := load(t, fstest.MapFS{"templates/one/model.json": model("one", "", 2)}, 0)
	if len(c.Problems) > 0 || len(c.Entries) != 1 || len(c.Pages) > 0 || len(c.Diffs) > 0 {
		t.Errorf("got %v", describe(c))
	}
	if c.Settings.File != "" || c.Settings.Relatives != content.Defaults().Relatives || c.Settings.Diffs != content.DiffsRelated {
		t.Errorf("the settings are not the defaults: %+v", c.Settings)
	}
	if p := c.Entries[0].Published(); p.Parameters != 0 || c.Entries[0].Reconciliation() != nil {
		t.Errorf("a published count from nowhere: %+v", p)
	}
}

func TestNoTemplates(t *testing.T) {
	c := load(t, fstest.MapFS{"templates/README.md": {}}, 0)
	want := "templates: found no template, expected folders with a model.json each"
	if len(c.Problems) != 1 || c.Problems[0].Error() != want {
		t.Errorf("got %v, want %s", c.Problems, want)
	}
}

func TestUnlistable(t *testing.T) {
	good := fstest.MapFS{"one/model.json": model("one", "", 2)}
	missing := os.DirFS(filepath.Join(t.TempDir(), "missing"))
	for _, test := range []struct {
		o    catalog.Options
		want string
	}{
		{catalog.Options{Templates: missing, TemplatesName: "graphs"}, "graphs: "},
		{catalog.Options{Templates: good, Content: missing}, "content: "},
	} {
		if _, err := catalog.Load(test.o); err == nil || !strings.HasPrefix(err.Error(), test.want) || !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("got %v, want %s…", err, test.want)
		}
	}
}

// TestLinks follows symbolic links within the tree and refuses the others.
func TestLinks(t *testing.T) {
	root := t.TempDir()
	write := func(name, data string) {
		t.Helper()
		name = filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	link := func(target, name string) {
		t.Helper()
		name = filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(target, name); err != nil {
			t.Skipf("no symbolic links here: %v", err)
		}
	}
	write("secret/model.json", string(model("secret", "", 2).Data))
	write("secret/a.md", "secret")
	write("templates/real/model.json", string(model("real", "", 2).Data))
	write("templates/file/other.json", string(model("file", "", 2).Data))
	link("other.json", "templates/file/model.json")
	link("../../secret/model.json", "templates/escape/model.json")
	link(filepath.Join(root, "secret"), "templates/absolute")
	link("../secret", "templates/secret")
	link("loop", "templates/loop")
	link("nowhere", "templates/nothing")
	link("deep/up", "templates/sideways") // up leads to the root: one step further is outside
	link("../..", "templates/deep/up")
	write("templates/deep/model.json", string(model("deep", "", 2).Data))
	write("content/a/real.md", "real")
	link("../../secret/a.md", "content/a/file.md")
	link(".", "content/again")

	c, err := catalog.Load(catalog.Options{Templates: os.DirFS(filepath.Join(root, "templates")), Content: os.DirFS(filepath.Join(root, "content"))})
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, e := range c.Entries {
		ids = append(ids, e.ID)
		if e.Note != nil && e.ID != "real" {
			t.Errorf("%s has a note from outside", e.ID)
		}
	}
	if d := cmp.Diff([]string{"deep", "file", "real"}, ids); d != "" {
		t.Error(d)
	}
	const out = "a symbolic link leads out of the tree; put the file itself there"
	want := []string{
		"content/a/file.md: " + out,
		"content/again: a symbolic link leads back to a folder that it stands in; remove it",
		"templates/absolute: " + out,
		"templates/escape/model.json: " + out,
		"templates/loop: symbolic links lead in a circle",
		"templates/nothing: a symbolic link leads to nothing",
		"templates/secret: " + out,
		"templates/sideways: " + out,
	}
	if d := cmp.Diff(want, texts(c.Problems)); d != "" {
		t.Error(d)
	}
}

// TestTooLarge stops reading where the limit is.
func TestTooLarge(t *testing.T) {
	c := load(t, fstest.MapFS{
		"templates/big/model.json": {Data: make([]byte, graph.MaxBytes+10)},
		"content/a/big.md":         {Data: make([]byte, content.MaxBytes+10)},
	}, 0)
	want := []string{
		"content/a/big.md: found 262145 bytes, expected at most 262144",
		"templates/big/model.json: document of more than 32 MiB; split it, or write repeats as blocks",
	}
	if d := cmp.Diff(want, texts(c.Problems)); d != "" {
		t.Error(d)
	}
}

func texts(errs []error) []string {
	var list []string
	for _, e := range errs {
		list = append(list, e.Error())
	}
	return list
}

func TestEntry(t *testing.T) {
	c := load(t, fstest.MapFS{
		"templates/a/model.json":   model("a", "", 2),
		"templates/a-b/model.json": model("a-b", "", 2),
		"templates/a.b/model.json": model("a.b", "", 2),
		"templates/ab/model.json":  model("ab", "", 2),
	}, 0)
	for _, id := range []string{"a", "a-b", "a.b", "ab"} {
		if e, ok := c.Entry(id); !ok || e.ID != id {
			t.Errorf("%s is not found", id)
		}
	}
	if _, ok := c.Entry("a-"); ok {
		t.Error("found what is not there")
	}
}

// TestDiffNames splits the name of a diff at ids that are there.
func TestDiffNames(t *testing.T) {
	c := load(t, fstest.MapFS{
		"templates/a/model.json":        model("a", "", 2),
		"templates/a-vs-b/model.json":   model("a-vs-b", "", 2),
		"templates/b-vs-b/model.json":   model("b-vs-b", "", 2),
		"content/diff/a-vs-b-vs-b.md":   {},
		"content/diff/a-vs-b-vs-a.md":   {},
		"content/diff/b-vs-b-vs-b.md":   {},
		"content/diff/-vs-a.md":         {},
		"content/diff/a-vs-.md":         {},
		"content/diff/a-vs-vs-a.md":     {},
		"content/diff/README.txt":       {},
		"content/diff/a-vs-b-vs-c-a.md": {},
	}, 0)
	var got []string
	for _, d := range c.Diffs {
		got = append(got, d.A+" and "+d.B)
	}
	got = append(got, texts(c.Problems)...)
	want := []string{
		"a and b-vs-b",
		"a-vs-b and a",
		`content/diff/-vs-a.md: found the name "-vs-a", expected <a>-vs-<b>.md with the ids of two templates`,
		`content/diff/a-vs-.md: found the name "a-vs-", expected <a>-vs-<b>.md with the ids of two templates`,
		`content/diff/a-vs-b-vs-c-a.md: no template is called "b-vs-c-a"; rename the file, or add the template`,
		`content/diff/a-vs-vs-a.md: no template is called "vs-a"; rename the file, or add the template`,
		`content/diff/b-vs-b-vs-b.md: no template is called "b"; rename the file, or add the template`,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// TestZoo loads graphs that nobody here wrote: each gets its page, with its
// published count beside the derived one.
func TestZoo(t *testing.T) {
	const zoo = "../../../shared/zoo"
	folders, _ := filepath.Glob(zoo + "/*/model.json")
	if len(folders) == 0 {
		t.Skip("no ../shared/zoo beside the checkout")
	}
	c, err := catalog.Load(catalog.Options{Templates: os.DirFS(zoo), TemplatesName: "zoo"})
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Problems) > 0 || len(c.Entries) != len(folders) {
		t.Errorf("%d of %d templates, problems %v", len(c.Entries), len(folders), c.Problems)
	}
	for _, e := range c.Entries {
		src, err := os.ReadFile(filepath.Join(zoo, e.ID, "model.json"))
		if err != nil {
			t.Fatal(err)
		}
		steps := e.Reconciliation()
		if said := strings.Contains(string(src), `"realParamCount"`); said != (len(steps) > 0) {
			t.Errorf("%s: a published count %t, but %d lines", e.ID, said, len(steps))
		}
		sum := int64(0)
		for i, s := range steps {
			if s.Sum && i > 0 && s.Elements != sum {
				t.Errorf("%s: the lines make %d, not %d", e.ID, sum, s.Elements)
			}
			if sum += s.Elements; s.Sum {
				sum = s.Elements
			}
		}
	}
}

// TestOrganisation: the note's word first, then the account of the checkpoint;
// addresses of the Hub that are no checkpoint's name nobody.
func TestOrganisation(t *testing.T) {
	link := func(url string) *content.Note {
		return &content.Note{Links: []content.Link{{Title: "Paper", URL: "https://arxiv.org/abs/1706.03762"}, {Title: "x", URL: url}}}
	}
	named := link("https://huggingface.co/google/vit")
	named.Organisation = "Google"
	for _, c := range []struct {
		note *content.Note
		want string
	}{
		{nil, ""},
		{&content.Note{}, ""},
		{named, "Google"},
		{link("https://huggingface.co/Qwen/Qwen3-8B"), "Qwen"},
		{link("https://huggingface.co/Qwen"), ""},
		{link("https://huggingface.co/papers/1706.03762"), ""},
		{link("https://huggingface.co/docs/transformers/model_doc/vit"), ""},
		{link("https://github.com/pytorch/vision"), ""},
	} {
		e := catalog.Entry{Note: c.note}
		if got := e.Organisation(); got != c.want {
			t.Errorf("note %+v: organisation %q, want %q", c.note, got, c.want)
		}
	}
}
