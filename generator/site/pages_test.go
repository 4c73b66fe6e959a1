package site_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/strata-catalog/strata/generator/site"
)

// excerpt is a few templates of the catalog, with notes and every text that is no
// note: each kind of page, and the largest template.
func excerpt(t *testing.T) *site.Memory {
	t.Helper()
	var templates, content []string
	for _, id := range []string{"phi3-mini", "llama3-block", "gemma-2-9b", "densenet-201"} {
		templates = append(templates, id+"/model.json", read(t, "../../templates/"+id+"/model.json"))
	}
	for _, name := range []string{"site.yaml", "about.md", "method.md", "developer.md", "a/phi3-mini.md", "a/gemma-2-9b.md"} {
		content = append(content, name, read(t, "../../content/"+name))
	}
	return build(t, site.Config{Templates: files(templates...), Content: files(content...)})
}

// kinds is one page of each kind, and a small and the largest template.
var kinds = []string{
	"index.html", "compare.html", "a/phi3-mini.html", "a/gemma-2-9b.html", "a/densenet-201.html", "diff/index.html", "diff/llama3-block-vs-phi3-mini.html",
	"layers/index.html", "layers/groupedQueryAttention.html", "rules/index.html", "method.html", "404.html",
}

// complaints is what a browser says of a page: errors on its console, and
// requests that fail or leave the site.
type complaints struct {
	sync.Mutex
	list []string
}

func (c *complaints) add(format string, args ...any) {
	c.Lock()
	defer c.Unlock()
	c.list = append(c.list, fmt.Sprintf(format, args...))
}

func (c *complaints) take() []string {
	c.Lock()
	defer c.Unlock()
	list := c.list
	c.list = nil
	return list
}

// listen collects the complaints about the pages that are opened from now on.
func listen(b *browser) *complaints {
	c := &complaints{}
	b.do(chromedp.EmulateViewport(1440, 900)) // starts the browser, or skips
	err := chromedp.Listen(b.ctx, func(ev any) {
		switch e := ev.(type) {
		case *runtime.EventExceptionThrown:
			c.add("an exception: %s %s", e.ExceptionDetails.Text, e.ExceptionDetails.URL)
		case *runtime.EventConsoleAPICalled:
			c.add("the console has a message of type %s", e.Type)
		case *log.EventEntryAdded:
			c.add("the log has: %s %s", e.Entry.Text, e.Entry.URL)
		case *network.EventLoadingFailed:
			c.add("a request failed: %s", e.ErrorText)
		case *network.EventResponseReceived:
			if !strings.HasPrefix(e.Response.URL, b.base) && !strings.HasPrefix(e.Response.URL, "data:") || e.Response.Status >= 400 {
				c.add("%s answers %d", e.Response.URL, e.Response.Status)
			}
		}
	})
	if err != nil {
		b.Fatal(err)
	}
	return c
}

// evaluate runs a script and returns what it, or its promise, gives.
func (b *browser) evaluate(t *testing.T, script string) string {
	t.Helper()
	got, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](script, chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// emulate sets the features of the screen, by their names in style sheets.
func (b *browser) emulate(media string, features map[string]string) {
	p := emulation.SetEmulatedMediaParams{Media: media}
	for name, value := range features {
		p.Features = append(p.Features, &emulation.MediaFeature{Name: name, Value: value})
	}
	if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, p); err != nil {
		b.Fatal(err)
	}
}

// settled waits for fonts and two frames, and gives what is wrong with the page
// as it lies: wider than the screen, moved while it was loading, or with
// controls too small to hit. The columns of a table may widen a little as its
// rows arrive.
const settled = `(async () => {
	await document.fonts.ready;
	await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
	const faults = [];
	const wide = document.documentElement.scrollWidth;
	if (wide > innerWidth) faults.push("is " + wide + " wide on a screen of " + innerWidth);
	const shift = await new Promise((done) => {
		const moved = [];
		const name = (n) => (n ? n.nodeName + "." + n.className : "something");
		new PerformanceObserver((list) => list.getEntries().filter((e) => e.value > 0.001).forEach((e) => moved.push(e.value.toFixed(4), ...e.sources.map((s) => name(s.node))))).observe({ type: "layout-shift", buffered: true });
		setTimeout(() => done(moved.join(" ")), 60);
	});
	if (shift) faults.push("moves while it loads: " + shift);
	for (const e of document.querySelectorAll("main :is(button, select, input:not([type=checkbox], [type=radio]))")) {
		const box = e.getBoundingClientRect();
		if (e.checkVisibility() && box.height && box.height < 24) faults.push("has a control of " + box.height + " px: " + e.outerHTML.slice(0, 80));
	}
	return faults.join("; ");
})()`

// TestPages opens each kind of page at each width in both schemes. The
// screenshots stay with "go test -artifacts".
func TestPages(t *testing.T) {
	b := browse(t, excerpt(t))
	said := listen(b)
	axe := tool(t, "axe-core/axe.min.js")
	keep := flag.Lookup("test.artifacts").Value.String() == "true"
	for _, width := range []int64{320, 768, 1440} {
		for _, scheme := range []string{"light", "dark"} {
			b.do(chromedp.EmulateViewport(width, 900))
			b.emulate("", map[string]string{"prefers-color-scheme": scheme})
			for _, address := range append(kinds[:len(kinds):len(kinds)], "compare.html?t=phi3-mini,gemma-2-9b,densenet-201") {
				name := fmt.Sprintf("%s at %d in %s", address, width, scheme)
				b.open(address)
				if faults := b.evaluate(t, settled); faults != "" {
					t.Errorf("%s %s", name, faults)
				}
				for _, c := range said.take() {
					t.Errorf("%s: %s", name, c)
				}
				if axe != "" {
					for _, v := range violations(t, b, axe) {
						t.Errorf("%s: %s", name, v)
					}
					said.take() // axe-core itself puts a style into the page, which the policy forbids
				}
				if keep {
					shot(t, b, fmt.Sprintf("%s-%d-%s.png", strings.NewReplacer("/", "-", ".html", "", "?t=", "-", ",", "-").Replace(address), width, scheme))
				}
			}
		}
	}
	if axe == "" {
		t.Skip("pages are not checked with axe-core, which is not installed; .ci/pages/run does so")
	}
}

// tool is a file of the npm packages that .ci/pages/run installs outside of the
// checkout, "" where it was not run.
func tool(t *testing.T, name string) string {
	folder := os.Getenv("STRATA_PAGE_TOOLS")
	if folder == "" {
		return ""
	}
	return read(t, filepath.Join(folder, "node_modules", name))
}

// violations asks axe-core about the page.
func violations(t *testing.T, b *browser, axe string) (list []string) {
	t.Helper()
	src := b.evaluate(t, axe+`
;axe.run(document, {resultTypes: ["violations"]}).then((r) => JSON.stringify(r.violations.flatMap((v) => v.nodes.map((n) => v.id + ": " + v.help + ": " + n.html.slice(0, 160) + " " + (n.any[0] ? n.any[0].message : "")))))`)
	if err := json.Unmarshal([]byte(src), &list); err != nil {
		t.Fatal(err)
	}
	return list
}

func shot(t *testing.T, b *browser, name string) {
	t.Helper()
	png, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(t.ArtifactDir(), name), png, 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestPagesWide: lines of text stay readable on the widest screens.
func TestPagesWide(t *testing.T) {
	b := browse(t, excerpt(t))
	b.do(chromedp.EmulateViewport(2560, 1440))
	for _, address := range kinds {
		b.open(address)
		b.expect(address+" is no wider than a desk", `document.body.getBoundingClientRect().width <= 1600`, "true")
		b.expect(address+": lines of text", `[...document.querySelectorAll("main p, main li")].filter((e) => e.checkVisibility() && e.getBoundingClientRect().width > 1500).length`, "0")
	}
}

// TestPagesWithoutScript: everything can be read, and what needs a script does
// not stand there.
func TestPagesWithoutScript(t *testing.T) {
	b := browse(t, excerpt(t))
	b.do(chromedp.EmulateViewport(1440, 900))
	if _, err := chromedp.Call(b.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}); err != nil {
		t.Fatal(err)
	}
	b.open("a/gemma-2-9b.html")
	b.expect("controls", `document.querySelector(".controls").checkVisibility()`, "false")
	b.expect("the answer", `document.querySelector("[data-result=total]").checkVisibility()`, "true")
	b.expect("the lines", `document.querySelectorAll(".lines polyline[points*=' ']").length`, "5")
	b.expect("the rows", `document.querySelectorAll("table.rows tbody th").length > 50`, "true")
}

// TestPagesPrinted: paper has no controls, and what was closed is open.
func TestPagesPrinted(t *testing.T) {
	b := browse(t, excerpt(t))
	b.do(chromedp.EmulateViewport(800, 1100))
	b.open("a/phi3-mini.html")
	// Also for those who chose a dark page.
	b.expect("the dark scheme", `(document.querySelector("button.scheme").click(), document.querySelector("button.scheme").click(), document.documentElement.dataset.scheme)`, "dark")
	b.emulate("print", nil)
	b.expect("controls", `document.querySelector(".controls").checkVisibility()`, "false")
	b.expect("the answer", `document.querySelector("[data-result=total]").checkVisibility()`, "true")
	b.expect("paper is white", `getComputedStyle(document.documentElement).backgroundColor`, "rgb(255, 255, 255)")
	b.expect("ink is dark", `getComputedStyle(document.documentElement).color`, "rgb(27, 29, 30)")
	b.expect("what was closed", `document.querySelector("#memory details table").checkVisibility()`, "true")
}

// TestPagesStill: nothing moves for those who asked for that.
func TestPagesStill(t *testing.T) {
	b := browse(t, excerpt(t))
	b.do(chromedp.EmulateViewport(1440, 900))
	for preference, want := range map[string]string{"reduce": "auto", "no-preference": "smooth"} {
		b.emulate("", map[string]string{"prefers-reduced-motion": preference})
		b.open("a/phi3-mini.html")
		b.expect("scrolling with "+preference, `getComputedStyle(document.documentElement).scrollBehavior`, want)
	}
	b.emulate("", map[string]string{"prefers-reduced-motion": "reduce"})
	b.expect("what moves", `[...document.querySelectorAll("*")].filter((e) => { const s = getComputedStyle(e); return parseFloat(s.transitionDuration) > 0.01 || s.animationName !== "none"; }).length`, "0")
}

// TestPagesByKey goes through pages with the Tab key: the focus starts at the
// link to the content, is always seen, and follows the order of the page.
func TestPagesByKey(t *testing.T) {
	b := browse(t, excerpt(t))
	b.do(chromedp.EmulateViewport(1440, 900))
	for _, address := range []string{"index.html", "a/phi3-mini.html", "diff/llama3-block-vs-phi3-mini.html", "method.html"} {
		b.open(address)
		b.expect(address+": a positive tabindex", `[...document.querySelectorAll("[tabindex]")].filter((e) => e.tabIndex > 0).length`, "0")
		b.evaluate(t, `(window.seen = [], window.faults = [], document.addEventListener("focusin", (e) => {
			const last = seen.at(-1), box = e.target.getBoundingClientRect(), s = getComputedStyle(e.target);
			if (e.target === seen[0]) seen.end = true; // around
			if (seen.end) return;
			if (last && !(last.compareDocumentPosition(e.target) & Node.DOCUMENT_POSITION_FOLLOWING)) faults.push("goes back to " + e.target.outerHTML.slice(0, 80));
			if (!box.width || !box.height) faults.push("is not seen on " + e.target.outerHTML.slice(0, 80));
			if (s.outlineStyle === "none" && s.boxShadow === "none") faults.push("has no ring on " + e.target.outerHTML.slice(0, 80));
			seen.push(e.target);
		}), "")`)
		for range 40 {
			b.do(chromedp.KeyEvent("\t"))
		}
		b.expect(address+": the focus", `faults.join("; ")`, "")
		b.expect(address+": the first stop", `seen[0].className`, "skip")
		b.expect(address+": stops", `seen.length > 20`, "true")
	}
}

// The scripts and style sheets that a page asks for.
var (
	scripts = regexp.MustCompile(`<script[^>]* src="([^"]+)"`)
	sheets  = regexp.MustCompile(`<link rel="stylesheet" href="([^"]+)"`)
)

// TestPageWeight bounds what a page loads, compressed.
func TestPageWeight(t *testing.T) {
	m := excerpt(t)
	for _, address := range kinds {
		src := file(t, m, address)
		if n := compressed(src); n > 60_000 {
			t.Errorf("%s has %d bytes, want at most 60,000", address, n)
		}
		for what, limit := range map[*regexp.Regexp]int{scripts: 30_000, sheets: 20_000} {
			sum := 0
			for _, match := range what.FindAllStringSubmatch(src, -1) {
				sum += compressed(file(t, m, path.Join(path.Dir(address), strings.TrimPrefix(match[1], "/cat/"))))
			}
			if sum == 0 || sum > limit {
				t.Errorf("%s: what %v finds has %d bytes, want at most %d", address, what, sum, limit)
			}
		}
	}
}

func compressed(src string) int {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write([]byte(src))
	w.Close()
	return b.Len()
}
