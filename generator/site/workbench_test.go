package site_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/google/go-cmp/cmp"

	"github.com/strata-catalog/strata/generator/page"
	"github.com/strata-catalog/strata/generator/site"
)

// program is what make workbench builds, in a folder of its own.
func program(t *testing.T) fs.FS {
	t.Helper()
	if _, err := exec.LookPath("chromium"); err != nil || testing.Short() {
		t.Skip("no chromium is installed, or the tests are to be short")
	}
	folder := t.TempDir()
	assets := filepath.Join(folder, "assets")
	if err := os.Mkdir(assets, 0o777); err != nil {
		t.Fatal(err)
	}
	for name, command := range map[string]string{"strata.wasm": "strata-wasm", "import.wasm": "import-wasm"} {
		build := exec.Command("go", "build", "-trimpath", "-gcflags=all=-l", "-ldflags=-s -w", "-o", filepath.Join(assets, name), "../../cmd/"+command)
		build.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", command, err, out)
		}
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	src := read(t, filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec.js"))
	if err := os.WriteFile(filepath.Join(assets, "wasm_exec.js"), []byte(src), 0o666); err != nil {
		t.Fatal(err)
	}
	return os.DirFS(folder)
}

// A bench is a workbench in a browser.
type bench struct {
	*browser
	m        *site.Memory
	mu       sync.Mutex
	requests []string
}

func workbenchOf(t *testing.T, c site.Config) *bench {
	t.Helper()
	m := build(t, c)
	b := &bench{browser: browse(t, m), m: m}
	b.do(chromedp.EmulateViewport(1440, 900))
	err := chromedp.Listen(b.ctx, func(ev any) {
		if e, ok := ev.(*network.EventRequestWillBeSent); ok {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.requests = append(b.requests, e.Request.Method+" "+e.Request.URL)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// taken are the requests since it was asked last.
func (b *bench) taken() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	list := b.requests
	b.requests = nil
	return list
}

// until evaluates a script until it gives what is wanted.
func (b *bench) until(what, script, want string) {
	b.Helper()
	deadline := time.Now().Add(2 * time.Minute)
	got := ""
	for time.Now().Before(deadline) {
		var err error
		if got, err = chromedp.Run(b.ctx, chromedp.Evaluate[string](`String(`+script+`)`)); err == nil && got == want {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	b.Fatalf("%s: %.500s, want %s; the page says: %s", what, got, want, b.evaluate(b.T, `document.querySelector(".said").textContent`))
}

const verdict = `document.querySelector(".workbench").dataset.checked`

// write replaces the text, as a reader does.
func (b *bench) write(text string) {
	quoted, _ := json.Marshal(text)
	b.evaluate(b.T, `(() => {
		delete document.querySelector(".workbench").dataset.checked;
		const area = document.querySelector(".editor textarea");
		area.value = `+string(quoted)+`;
		area.dispatchEvent(new InputEvent("input", { inputType: "insertFromPaste" }));
		return "";
	})()`)
}

// drop lets a text fall on the page.
func (b *bench) drop(text string) {
	quoted, _ := json.Marshal(text)
	b.evaluate(b.T, `(() => {
		delete document.querySelector(".workbench").dataset.checked;
		const data = new DataTransfer();
		data.setData("text", `+string(quoted)+`);
		dispatchEvent(new DragEvent("drop", { dataTransfer: data, cancelable: true }));
		return "";
	})()`)
}

// file asks for a form of the graph, as the downloads do.
func (b *bench) file(form string) string {
	return b.evaluate(b.T, `(async () => {
		const made = new Promise((done) => {
			const create = URL.createObjectURL;
			URL.createObjectURL = (blob) => { URL.createObjectURL = create; blob.text().then(done); return create(blob); };
		});
		HTMLAnchorElement.prototype.click = () => {};
		const choice = document.querySelector("[name=download]");
		choice.value = "`+form+`";
		choice.dispatchEvent(new Event("change"));
		return made;
	})()`)
}

// analysed reads a JSON file without what is of the catalog.
func analysed(t *testing.T, src string) map[string]any {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal([]byte(src), &v); err != nil {
		t.Fatal(err)
	}
	delete(v, "diffs")
	return v
}

// benchTemplates are opened in the browser. More kinds stand in the tests of
// package workbench, which compares without one.
var benchTemplates = []string{"phi3-mini", "qwen3-8b", "densenet-201", "gpt2", "mamba-130m", "t5-small", "resnet-50", "deepseek-v3", "gemma-2-9b", "block-moe"}

// zooGraphs are public graphs, flat as they are found.
var zooGraphs = []string{"bert-base", "bge-base-en", "gpt2-small", "mixtral-block", "olmo-7b", "pythia-1.4b", "qwen2.5-7b", "resnet-50", "resnet-block", "vit-b16"}

// TestWorkbench uses the workbench in a browser.
func TestWorkbench(t *testing.T) {
	wasm := program(t)
	t.Run("templates", func(t *testing.T) {
		var templates []string
		for _, id := range benchTemplates {
			templates = append(templates, id+"/model.json", read(t, "../../templates/"+id+"/model.json"))
		}
		note := read(t, "../../content/a/phi3-mini.md")
		compareBench(t, site.Config{Templates: files(templates...), Content: files("a/phi3-mini.md", note), Workbench: wasm}, benchTemplates)
	})
	t.Run("zoo", func(t *testing.T) {
		const zoo = "../../../shared/zoo/"
		if _, err := os.Stat(zoo); err != nil {
			t.Skip("the public graphs are not here")
		}
		var templates []string
		for _, id := range zooGraphs {
			templates = append(templates, id+"/model.json", read(t, zoo+id+"/model.json"))
		}
		compareBench(t, site.Config{Templates: files(templates...), Workbench: wasm}, zooGraphs)
	})
	t.Run("editing", func(t *testing.T) { testEditing(t, wasm) })
	t.Run("hostile", func(t *testing.T) { testHostileBench(t, wasm) })
}

// compareBench opens templates: what is said of each is what the site publishes.
// Only files of the site are asked for.
func compareBench(t *testing.T, c site.Config, ids []string) {
	b := workbenchOf(t, c)
	for _, id := range ids {
		b.open(page.WorkbenchPath + "?template=" + id)
		data, _ := b.m.File("a/" + id + ".json")
		want := analysed(t, string(data))
		b.until(id, verdict, want["verdict"].(string))
		if diff := cmp.Diff(want, analysed(t, b.file("json"))); diff != "" {
			t.Errorf("%s (-site +browser):\n%.2000s", id, diff)
		}
	}
	b.onlyFiles()
}

// onlyFiles fails for requests that are none for a file of the site.
func (b *bench) onlyFiles() {
	b.Helper()
	for _, r := range b.taken() {
		if !strings.HasPrefix(r, "GET "+b.base+"/") && !strings.HasPrefix(r, "GET blob:"+b.base+"/") {
			b.Errorf("a request that is none for a file of the site: %s", r)
		}
	}
}

// accessible asks axe-core about the page, where it is installed.
func (b *bench) accessible(what string) {
	b.Helper()
	axe := tool(b.T, "axe-core/axe.min.js")
	if axe == "" {
		return
	}
	for _, scheme := range []string{"light", "dark"} {
		for _, width := range []int64{320, 768, 1440} {
			b.do(chromedp.EmulateViewport(width, 900))
			b.emulate("", map[string]string{"prefers-color-scheme": scheme})
			for _, v := range violations(b.T, b.browser, axe) {
				b.Errorf("%s, %d wide, %s: %s", what, width, scheme, v)
			}
			b.until("the page is no wider than the screen", `document.documentElement.scrollWidth`, fmt.Sprint(width))
		}
	}
	b.do(chromedp.EmulateViewport(1440, 900))
}

// A graph with one mechanical fault and one slip.
const faulty = `{
  "id": "mine", "name": "Mine",
  "components": [
    {"id": "x", "type": "input", "params": {"shape": [1, 8]}},
    {"id": "fc", "type": "linear", "params": {"outFeature": 16}, "inputs": ["x"]},
    {"id": "y", "type": "output", "inputs": ["fc"]}
  ]
}`

// testEditing edits a graph as a reader does: from an empty page to no finding,
// back and forth, by text, form and fix, and takes it to another browser.
func testEditing(t *testing.T, wasm fs.FS) {
	b := workbenchOf(t, site.Config{Templates: files("phi3-mini/model.json", read(t, "../../templates/phi3-mini/model.json"), "llama3-block/model.json", read(t, "../../templates/llama3-block/model.json")), Workbench: wasm})
	b.open(page.CheckPath)
	b.until("the program", `"ready" in document.querySelector(".workbench").dataset`, "true")
	b.onlyFiles()
	b.write("{")
	b.until("a text that is not whole", verdict, "fault")
	b.drop(faulty)
	b.until("a slip", verdict, "fail")
	b.until("its line is marked", `document.querySelector(".gutter .error")?.textContent`, "5")
	b.evaluate(t, `(document.querySelector(".marks button.fix").click(), "")`)
	b.until("the slip is mended", verdict, "pass")
	b.until("the text of it", `/"outFeatures": 16/.test(document.querySelector(".editor textarea").value)`, "true")
	b.until("the count", `/ 144 parameters/.test(document.querySelector(".said").textContent)`, "true")
	press := func(name string) { b.evaluate(t, `(document.querySelector("[data-do=`+name+`]").click(), "")`) }
	b.accessible("the page with a graph")
	press("undo")
	b.until("undone", verdict, "fail")
	b.accessible("the page with findings")
	press("redo")
	b.until("done again", verdict, "pass")

	b.evaluate(t, `(document.querySelector("#row-2 td").click(), "")`)
	b.until("a form of the layer", `document.querySelector("form.layer [name='params.outFeatures']")?.value`, "16")
	b.evaluate(t, `(() => { const f = document.querySelector("[name='params.outFeatures']"); f.value = "32"; f.dispatchEvent(new Event("change", {bubbles: true})); return ""; })()`)
	b.until("the changed count", `/ 288 parameters/.test(document.querySelector(".said").textContent)`, "true")
	b.evaluate(t, `(() => {
		const form = document.querySelector("form.change");
		form.elements.operation.value = "insert";
		form.elements.operation.dispatchEvent(new Event("change", {bubbles: true}));
		for (const [name, value] of Object.entries({ id: "act", type: '"relu"', from: "fc" })) form.elements[name].value = value;
		form.requestSubmit();
		return "";
	})()`)
	b.until("a layer more", `/"act"/.test(document.querySelector(".editor textarea").value)`, "true")
	b.until("its row, when the table is looked at", `(document.querySelector("#structure").scrollIntoView(), document.querySelector("#structure table.rows").textContent.includes("ReLU"))`, "true")
	press("compare")
	b.until("the diff to the original", `document.querySelector("#comparison h2 ~ .compare h2")?.textContent`, "Deltas")
	patch := b.file("patch")
	if !strings.Contains(patch, `"/components/`) {
		t.Errorf("the patch to the original: %s", patch)
	}
	for _, r := range b.taken() {
		if !strings.HasPrefix(r, "GET blob:") {
			t.Errorf("a request while a graph is edited: %s", r)
		}
	}
	text := `document.querySelector(".editor textarea").value`
	work := b.evaluate(t, text)
	press("share")
	b.until("a link", `document.querySelector(".workbench").dataset.link?.includes("#g=")`, "true")
	link := b.evaluate(t, `document.querySelector(".workbench").dataset.link`)
	b.until("kept", `document.querySelector(".workbench").dataset.kept`, "true")
	b.open(page.WorkbenchPath)
	b.until("the work of before", verdict, "pass")
	b.until("its text", text, work)

	b.evaluate(t, `(localStorage.clear(), document.querySelector(".editor textarea").value = "", "")`)
	b.open("index.html")
	b.evaluate(t, `(localStorage.clear(), "")`)
	b.open(strings.TrimPrefix(link, b.base+"/"))
	b.until("the link", verdict, "pass")
	b.until("the text of the link", text, work)
	b.until("its patch is of nothing else", `new URL(location.href).hash`, "")

	b.open(page.WorkbenchPath + "?template=phi3-mini&with=llama3-block")
	b.until("a diff of two templates", `document.querySelector("#comparison .compare h2")?.textContent`, "Deltas")
	config := read(t, "../../templates/gpt2/config.json")
	b.drop(config)
	b.until("a configuration", `/ 124,439,808 parameters/.test(document.querySelector(".said").textContent)`, "true")
	b.onlyFiles()
}

// testHostileBench opens graphs that mean ill: no script of theirs runs, and
// the page answers while the worker works.
func testHostileBench(t *testing.T, wasm fs.FS) {
	b := workbenchOf(t, site.Config{Templates: files("phi3-mini/model.json", read(t, "../../templates/phi3-mini/model.json")), Workbench: wasm})
	b.open(page.CheckPath)
	b.until("the program", `"ready" in document.querySelector(".workbench").dataset`, "true")
	// The longest time that the page did not answer, in milliseconds: a worker
	// does the work, so that it is far from the seconds that these graphs take.
	b.evaluate(t, `(() => { let last = performance.now(); window.frozen = 0; setInterval(() => { const now = performance.now(); frozen = Math.max(frozen, now - last); last = now }, 10); return "" })()`)
	const markup = `<img src=x onerror=\"window.hacked=1\"></textarea></script><script>window.hacked=1</script>`
	many := &strings.Builder{}
	many.WriteString(`{"id":"many","components":[{"id":"n0","type":"input","params":{"shape":[1,8]}}`)
	for i := 1; i < 100_000; i++ {
		fmt.Fprintf(many, `,{"id":"n%d","type":"relu","inputs":["n%d"]}`, i, i-1)
	}
	many.WriteString("]}")
	for name, c := range map[string]struct{ text, want string }{
		"markup":              {`{"id":"m","name":"` + markup + `","description":"` + markup + `","components":[{"id":"` + markup + `","type":"input","params":{"shape":[1,8]}},{"id":"b","name":"` + markup + `","type":"` + markup + `","params":{"` + markup + `":"` + markup + `"},"inputs":["` + markup + `"]}]}`, "fail"},
		"a cycle":             {`{"components":[{"id":"a","type":"relu","inputs":["b"]},{"id":"b","type":"relu","inputs":["a"]}]}`, "fail"},
		"10^18":               {`{"components":[{"id":"a","type":"input","params":{"shape":[1,1000000000000000000]}}]}`, "fault"},
		"products over 2^63":  {`{"id":"m","components":[{"id":"x","type":"input","params":{"shape":[1000000000000000,1000000000000000]}},{"id":"o","type":"output","inputs":["x"]}]}`, "fail"},
		"100,000 components":  {many.String(), ""},
		"nested a million":    {strings.Repeat("[", 1_000_000), "fault"},
		"no JSON, 1.9 MB":     {strings.Repeat("x", 1_900_000), "fault"},
		"one line, no breaks": {`{"components":[{"id":"a","type":"input","params":{"shape":[1,8]},"notes":"` + strings.Repeat("y", 1_000_000) + `"}]}`, ""},
	} {
		b.drop(c.text)
		if c.want != "" {
			b.until(name, verdict, c.want)
		} else {
			b.until(name, verdict+" !== undefined", "true")
		}
		if got := b.evaluate(t, `String(window.hacked)`); got != "undefined" {
			t.Fatalf("%s: a script of the graph ran", name)
		}
		frozen := b.evaluate(t, `(() => { const most = frozen; frozen = 0; return most.toFixed() })()`)
		t.Logf("%s: the page did not answer for %s ms", name, frozen)
		if ms, err := strconv.Atoi(frozen); err != nil || ms > 10_000 {
			t.Errorf("%s: the page did not answer for %s ms", name, frozen)
		}
	}
	b.drop(`{"id":"deep","components":[{"id":"x","type":"input","params":{"shape":[1,8]}},{"id":"l","block":"b","repeat":99990,"inputs":["x"]}],"blocks":{"b":{"inputs":["x"],"components":[{"id":"r","type":"relu","inputs":["x"]}],"output":"r"}}}`)
	b.until("a stop", `(document.querySelector("[data-do=stop]").click(), document.querySelector(".said").textContent.slice(0, 8))`, "Stopped.")
	b.write(faulty)
	b.until("work after the stop", verdict, "fail")
	b.onlyFiles()
}
