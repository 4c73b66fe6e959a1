package workbench_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/strata-catalog/strata/generator/cost"
	"github.com/strata-catalog/strata/generator/page"
	"github.com/strata-catalog/strata/generator/site"
	"github.com/strata-catalog/strata/generator/workbench"
)

// program stands for what browsers run.
var program = fstest.MapFS{
	"assets/strata.wasm": {}, "assets/import.wasm": {}, "assets/wasm_exec.js": {},
}

// some are templates of many kinds: with experts, windows, states, images, an
// accepted finding, an exception of a rule, and what a file stores besides.
var some = []string{"deepseek-v3", "densenet-201", "gemma-2-9b", "gpt2", "mamba-130m", "phi3-mini", "qwen3-8b", "resnet-50", "t5-small", "bert-base-uncased"}

func publish(t *testing.T, c site.Config) *site.Memory {
	t.Helper()
	m := &site.Memory{}
	c.Workbench = program
	if _, err := site.Build(c, m); err != nil {
		t.Fatal(err)
	}
	return m
}

func file(t *testing.T, m *site.Memory, path string) string {
	t.Helper()
	data, ok := m.File(path)
	if !ok {
		t.Fatalf("the site has no %s", path)
	}
	return string(data)
}

// frame is what the page gives the program.
func frame(t *testing.T, m *site.Memory) string {
	t.Helper()
	html := file(t, m, page.WorkbenchPath)
	_, rest, _ := strings.Cut(html, `data-frame="`)
	text, _, _ := strings.Cut(rest, `"`)
	return strings.NewReplacer("&#34;", `"`, "&amp;", "&", "&#39;", "'", "&lt;", "<", "&gt;", ">", "&#43;", "+").Replace(text)
}

// analysis is JSON but for the diffs, which are of the catalog.
func analysis(t *testing.T, src string) map[string]any {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal([]byte(src), &v); err != nil {
		t.Fatal(err)
	}
	delete(v, "diffs")
	return v
}

// TestEqual opens templates on the workbench: what it says of each, in every
// form, is what the site publishes.
func TestEqual(t *testing.T) {
	templates := fstest.MapFS{}
	content := fstest.MapFS{}
	add := func(to fstest.MapFS, name, path string) {
		src, err := os.ReadFile(path)
		if err == nil {
			to[name] = &fstest.MapFile{Data: src}
		}
	}
	add(content, "site.yaml", "../../content/site.yaml")
	for _, id := range some {
		add(templates, id+"/model.json", "../../templates/"+id+"/model.json")
		add(content, "a/"+id+".md", "../../content/a/"+id+".md")
	}
	m := publish(t, site.Config{Templates: templates, Content: content, BaseURL: "https://example.org/x/", KeepGoing: true})
	b, err := workbench.New(frame(t, m))
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range some {
		kept := file(t, m, page.WrittenPath(id))
		if err := b.Know(kept); err != nil {
			t.Fatal(err)
		}
		var w page.Written
		if err := json.Unmarshal([]byte(kept), &w); err != nil {
			t.Fatal(err)
		}
		if a := b.Check(w.Document); a.Fault != nil || !a.Page {
			t.Fatalf("%s: %+v", id, a)
		}
		got, err := b.File("json")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(analysis(t, file(t, m, "a/"+id+".json")), analysis(t, got)); diff != "" {
			t.Errorf("%s (-site +workbench):\n%.4000s", id, diff)
		}
		for form, path := range map[string]string{"py": "a/" + id + ".py", "graph.json": "templates/" + id + "/model.json"} {
			if got, err := b.File(form); err != nil || got != file(t, m, path) {
				t.Errorf("%s differs from what the workbench gives (%v)", path, err)
			}
		}
		html := strings.ReplaceAll(file(t, m, "a/"+id+".html"), `"../`, `"`) // as from the root
		for _, name := range []string{"structure", "tensors", "memory"} {
			got, err := b.Section(name)
			if err != nil || !strings.Contains(html, strings.TrimSpace(got)) {
				t.Errorf("%s: the part %s differs from that of the page (%v)", id, name, err)
			}
		}
	}
}

// TestAnswers: what is wrong with a text is said with its place, and a graph of
// broken structure still has its findings.
func TestAnswers(t *testing.T) {
	m := publish(t, site.Config{Templates: fstest.MapFS{"a/model.json": {Data: []byte(good)}}})
	b, err := workbench.New(frame(t, m))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Section("facts"); err == nil || !strings.Contains(err.Error(), "no page") {
		t.Errorf("an empty workbench: %v", err)
	}
	a := b.Check("{\n  \"components\": 1}")
	if a.Fault == nil || a.Fault.Line != 2 || !strings.Contains(a.Fault.Message, "expected a list") {
		t.Errorf("unreadable: %+v", a.Fault)
	}
	loop := `{"components":[{"id":"<b>a","type":"relu","inputs":["b"]},{"id":"b","type":"relu","inputs":["<b>a"]}]}`
	a = b.Check(loop)
	if a.Page || a.Check == nil || a.Check.Verdict != "fail" {
		t.Fatalf("a cycle: %+v", a)
	}
	html, err := b.Section("findings")
	if err != nil || strings.Contains(html, "<b>a") || !strings.Contains(html, "&lt;b&gt;a") {
		t.Errorf("the findings of a cycle: %v\n%s", err, html)
	}
	a = b.Check(good)
	if !a.Page || a.Check.Parameters != 72 {
		t.Fatalf("%+v", a)
	}
	for _, name := range page.BenchSections {
		if html, err := b.Section(name); err != nil || strings.Contains(html, `href="a/`) {
			t.Errorf("the part %s: %v\n%s", name, err, html)
		}
	}
	for form, want := range map[string]string{"md": "# A", "svg": "<svg", "py": "class"} {
		if got, err := b.File(form); err != nil || !strings.Contains(got, want) {
			t.Errorf("%s: %v\n%s", form, err, got)
		}
	}
	if _, err := b.File("exe"); err == nil {
		t.Error("a form that is none")
	}
	other := strings.ReplaceAll(good, `"outFeatures": 8`, `"outFeatures": 16`)
	src, _ := json.Marshal(page.Written{ID: "b", Document: other})
	html, err = b.Compare(string(src))
	if err != nil || !strings.Contains(html, "outFeatures 16 → 8") {
		t.Errorf("a diff: %v\n%s", err, html)
	}
}

const good = `{"id": "a", "name": "A", "components": [
	{"id": "x", "type": "input", "params": {"shape": [1, 8]}},
	{"id": "fc", "type": "linear", "params": {"outFeatures": 8}, "inputs": ["x"]},
	{"id": "y", "type": "output", "inputs": ["fc"]}]}`

// TestChange selects a layer, changes it, and takes the way back as a patch.
func TestChange(t *testing.T) {
	m := publish(t, site.Config{Templates: fstest.MapFS{"a/model.json": {Data: []byte(stacked)}}})
	b, err := workbench.New(frame(t, m))
	if err != nil {
		t.Fatal(err)
	}
	if a := b.Check(stacked); a.Check.Parameters != 3*72+8*9 {
		t.Fatalf("%+v", a)
	}
	c, err := b.Component(3)
	if err != nil || c.ID != "layers.1.fc" || c.Type != "linear" || c.Instances != 3 || c.Params["outFeatures"] != "8" {
		t.Fatalf("row 3: %+v %v", c, err)
	}
	if c, err := b.Component(5); err != nil || c.ID != "fc" || c.Instances != 1 {
		t.Errorf("row 5: %+v %v", c, err)
	}
	for _, row := range []int{0, 7} {
		if _, err := b.Component(row); err == nil {
			t.Errorf("there is no row %d", row)
		}
	}
	done, err := b.Apply(stacked, "change", `{"component": "layers.1.fc", "params": {"bias": false}}`)
	if err != nil {
		t.Fatal(err)
	}
	if a := b.Check(done.Text); a.Check.Parameters != 3*64+8*9 {
		t.Errorf("%+v", a)
	}
	patch := workbench.Difference(stacked, done.Text)
	if len(patch) != 1 || patch[0].Path != "/blocks/block/components/0/params/bias" || patch[0].Value != "false" {
		t.Errorf("%+v", patch)
	}
	for _, refused := range [][2]string{{"explode", "{}"}, {"change", `{"component": "nobody", "name": "x"}`}, {"remove", "1"}} {
		if _, err := b.Apply(stacked, refused[0], refused[1]); err == nil {
			t.Errorf("%s %s is done", refused[0], refused[1])
		}
	}
	if list := workbench.Operations(); len(list) < 10 || list[0].Title == "" || len(list[0].Fields) == 0 {
		t.Errorf("%+v", list)
	}
}

const stacked = `{"id": "a", "components": [
	{"id": "x", "type": "input", "params": {"shape": [1, 8]}},
	{"id": "layers", "block": "block", "repeat": 3, "inputs": ["x"]},
	{"id": "fc", "type": "linear", "params": {"outFeatures": 8}, "inputs": ["layers"]},
	{"id": "y", "type": "output", "inputs": ["fc"]}],
	"blocks": {"block": {"inputs": ["in"], "components": [{"id": "fc", "type": "linear", "params": {"outFeatures": 8}, "inputs": ["in"]}], "output": "fc"}}}`

// BenchmarkCheck is a check while a reader types into a graph: one parameter is
// another each time.
func BenchmarkCheck(b *testing.B) {
	for _, id := range []string{"phi3-mini", "qwen3-8b", "densenet-121"} {
		b.Run(id, func(b *testing.B) {
			frame, err := json.Marshal(page.Frame{Language: "en", Assumptions: cost.Default()})
			if err != nil {
				b.Fatal(err)
			}
			bench, err := workbench.New(string(frame))
			if err != nil {
				b.Fatal(err)
			}
			src, err := os.ReadFile("../../templates/" + id + "/model.json")
			if err != nil {
				b.Fatal(err)
			}
			bench.Check(string(src))
			flat, err := bench.File("graph.json")
			if err != nil {
				b.Fatal(err)
			}
			at := strings.Index(flat, `"shape"`)
			at += strings.IndexByte(flat[at:], '[') + 1
			bench.Check(flat)
			for i := 0; b.Loop(); i++ {
				if a := bench.Check(fmt.Sprint(flat[:at], 1+i%2, flat[at+1:])); a.Check == nil {
					b.Fatal(a.Fault)
				}
			}
		})
	}
}
