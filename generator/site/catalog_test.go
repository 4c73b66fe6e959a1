package site_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"golang.org/x/net/html"

	"github.com/strata-catalog/strata/generator/catalog"
	"github.com/strata-catalog/strata/generator/page"
	"github.com/strata-catalog/strata/generator/render"
	"github.com/strata-catalog/strata/generator/site"
	"github.com/strata-catalog/strata/themes"
)

// some builds a site of some templates of the catalog, with their notes. Links
// of the notes to the others are left out.
func some(t *testing.T, ids ...string) *site.Memory {
	t.Helper()
	templates, content := fstest.MapFS{}, fstest.MapFS{}
	take := func(to fstest.MapFS, folder, name string) {
		src, err := os.ReadFile("../../" + folder + "/" + name)
		if err != nil {
			t.Fatal(err)
		}
		to[name] = &fstest.MapFile{Data: src}
	}
	for _, id := range ids {
		take(templates, "templates", id+"/model.json")
		take(content, "content", "a/"+id+".md")
	}
	m := &site.Memory{}
	if _, err := site.Build(site.Config{Templates: templates, Content: content, KeepGoing: true}, m); err != nil {
		t.Fatal(err)
	}
	return m
}

// heard is what the console says from now on: errors, warnings, requests that
// failed, what the content security policy forbids.
func (b *browser) heard() func() []string {
	var mu sync.Mutex
	var list []string
	messages := chromedp.Console(b.ctx)
	go func() {
		for m, err := range messages {
			if err != nil {
				return // the browser is gone
			}
			mu.Lock()
			list = append(list, fmt.Sprintf("%s (%s)", m, m.URL))
			mu.Unlock()
		}
	}()
	return func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(list)
	}
}

// quiet fails the test for whatever the console says from now on.
func (b *browser) quiet() {
	heard := b.heard()
	b.Cleanup(func() {
		for _, m := range heard() {
			b.Errorf("console: %s", m)
		}
	})
}

// TestBrowserConsole: what a page must not say is heard.
func TestBrowserConsole(t *testing.T) {
	b := browse(t, build(t, sample(t)))
	b.open("index.html")
	heard := b.heard()
	for _, c := range []struct{ does, want string }{
		{`console.error("a complaint")`, "a complaint"},
		{`setTimeout(() => { throw new Error("a fault") })`, "a fault"},
		{`fetch("gone.json").catch(() => {})`, "gone.json"},
		{`document.body.insertAdjacentHTML("beforeend", "<p style='color:red'>")`, "Content Security Policy"},
	} {
		b.expect(c.does, `(`+c.does+`, "")`, "")
		for range 50 {
			if strings.Contains(strings.Join(heard(), "\n"), c.want) {
				break
			}
			time.Sleep(20 * time.Millisecond)
		}
		if all := strings.Join(heard(), "\n"); !strings.Contains(all, c.want) {
			t.Errorf("%s: the console is heard to say %q, want %q in it", c.does, all, c.want)
		}
	}
}

// A visitor's screen.
type screen struct {
	width  int64
	scheme string
}

// screens are the widths and colours that pages are looked at in.
func (b *browser) screens(look func(screen)) {
	for _, width := range []int64{320, 768, 1440} {
		for _, scheme := range []string{"light", "dark"} {
			b.do(chromedp.EmulateViewport(width, 900))
			b.expect("a scheme", fmt.Sprintf(`(localStorage.setItem("scheme", %q), localStorage.getItem("scheme"))`, scheme), scheme)
			look(screen{width, scheme})
		}
	}
}

const (
	shownNames = `[...document.querySelectorAll(".entries tbody tr:not([hidden]) th a")].map(a => a.textContent).join("; ")`
	foundCount = `document.querySelector(".filter output").textContent`
)

// set gives a control of the catalog a value, as a hand would.
func set(name, value string) string {
	return fmt.Sprintf(`(() => { const c = document.querySelector("[name=%s]"); c.value = %q; c.dispatchEvent(new Event("input", {bubbles: true})); return c.value })()`, name, value)
}

// TestBrowserCatalog searches and narrows the catalog as a reader does, at each
// width and in both colours, and by keys alone.
func TestBrowserCatalog(t *testing.T) {
	b := browse(t, some(t, "bert-base-uncased", "gpt2", "mamba-130m", "mixtral-8x7b", "phi3-mini", "qwen3-8b", "resnet-18", "resnet-50", "vit-b-16", "lstm-classifier"))
	b.open("index.html")
	b.quiet()
	const all = "BERT Base Uncased; GPT-2 124M; LSTM Text Classifier; Mamba 130M; Mixtral 8x7B; Phi-3 Mini Block; Qwen3-8B; ResNet-18; ResNet-50; ViT-B/16"
	b.screens(func(s screen) {
		b.open("index.html")
		b.expect("all by name", shownNames, all)
		b.expect("the page is no wider than the screen", `document.documentElement.scrollWidth`, fmt.Sprint(s.width))
		b.expect("the scheme", `getComputedStyle(document.documentElement).backgroundColor`, map[string]string{"light": "rgb(253, 252, 250)", "dark": "rgb(19, 22, 23)"}[s.scheme])
		b.expect("the facets are there, or to be opened", `document.querySelector("[name=category]").checkVisibility() || document.querySelector(".filter summary").checkVisibility()`, "true")
		b.expect("the plots, opened", `(document.querySelector("#pictures summary").click(), [...document.querySelectorAll(".plot")].every(p => p.checkVisibility()))`, "true")
		b.expect("with the plots no wider", `document.documentElement.scrollWidth`, fmt.Sprint(s.width))
		b.expect("cards", set("view", "cards"), "cards")
		b.expect("every card has its bar", `document.querySelectorAll(".entries.cards tbody svg.bar").length`, "10")
		b.expect("with cards no wider", `document.documentElement.scrollWidth`, fmt.Sprint(s.width))
	})

	b.open("index.html")
	for _, c := range []struct{ query, want string }{
		{"resnet", "ResNet-18; ResNet-50"},
		{"resnet50", "ResNet-50"},                           // without the hyphen
		{"PHI3", "Phi-3 Mini Block"},                        // and without its case
		{"imagenet gelu", "ViT-B/16"},                       // two tags
		{"mistral", "Mixtral 8x7B"},                         // an organisation
		{"gqa", "Mixtral 8x7B; Phi-3 Mini Block; Qwen3-8B"}, // what a layer type is also called
		{"moeLayer", "Mixtral 8x7B"},                        // its name in graphs
		{"vision/classification bottleneck", "ResNet-50"},   // a category
		{"b", "BERT Base Uncased"},                          // the start of a name comes first
		{"nothing has this", ""},                            // nor this
		{"", all},                                           // and back
	} {
		b.expect("a query", set("q", c.query), c.query)
		names := shownNames
		if c.query == "b" {
			names = `document.querySelector(".entries tbody tr:not([hidden]) th a").textContent`
		}
		b.expect("search for "+c.query, names, c.want)
	}
	b.expect("what is said of no result", `(`+set("q", "zzz")+`, document.querySelector(".nothing").checkVisibility())`, "true")
	b.expect("all again", `(document.querySelector(".nothing button").click(), `+shownNames+`)`, all)

	b.expect("one facet", `(`+set("attention", "grouped-query")+`, `+shownNames+`)`, "Mixtral 8x7B; Qwen3-8B")
	b.expect("options count what they would leave", `[...document.querySelector("[name=density]").options].map(o => o.text + (o.disabled ? " off" : "")).join("; ")`, "all; dense (1); mixture of experts (1)")
	b.expect("what would leave nothing is off", `[...document.querySelector("[name=category]").options].filter(o => o.text.includes("(0)")).every(o => o.disabled)`, "true")
	b.expect("two facets", `(`+set("density", "mixture of experts")+`, `+shownNames+`)`, "Mixtral 8x7B")
	b.expect("dots that are left out", `document.querySelectorAll("#plot-work ~ svg circle:not(.out)").length`, "1")
	b.expect("the address", `new URLSearchParams(location.search).get("attention") + new URLSearchParams(location.search).get("density")`, "grouped-querymixture of experts")
	b.expect("none of them", `(document.querySelector("[type=reset]").click(), `+foundCount+` + location.search)`, "10 of 10")
	for _, c := range []struct{ facet, value, want string }{
		{"category", "Vision", "ResNet-18; ResNet-50; ViT-B/16"},
		{"attention", "none", "LSTM Text Classifier; Mamba 130M; ResNet-18; ResNet-50"},
		{"size", "1B to 10B", "Qwen3-8B"},
		{"year", "2015", "ResNet-18; ResNet-50"},
		{"license", "BSD-3-Clause", "ResNet-18; ResNet-50; ViT-B/16"},
	} {
		b.expect(c.facet, `(`+set(c.facet, c.value)+`, `+shownNames+`)`, c.want)
		b.expect("not "+c.facet, `(`+set(c.facet, "")+`, `+foundCount+`)`, "10 of 10")
	}

	const first = `document.querySelector(".entries tbody th a").textContent`
	const last = `[...document.querySelectorAll(".entries tbody th a")].at(-1).textContent`
	b.expect("the most work first", `(`+set("sort", "macs")+`, `+first+`)`, "Qwen3-8B")
	b.expect("its heading says so", `document.querySelector("[aria-sort]").dataset.name + " " + document.querySelector("[aria-sort]").ariaSort`, "macs descending")
	b.expect("the least first", `(document.querySelector("[data-name=macs] button").click(), `+last+` + document.querySelector("[name=order]").value)`, "Qwen3-8Breversed")
	b.expect("newest first, undated last", `(`+set("order", "")+`, `+set("sort", "released")+`, `+first+` + ", " + `+last+`)`, "Qwen3-8B, LSTM Text Classifier")
	b.expect("oldest first, undated last", `(`+set("order", "reversed")+`, `+first+` + ", " + `+last+`)`, "ResNet-18, LSTM Text Classifier")

	// An address brings all of it back.
	b.open("index.html?q=encoder&category=Vision&sort=parameters&order=reversed&view=cards&pick=gpt2,nobody,qwen3-8b&year=1850")
	b.expect("results of an address", shownNames, "ViT-B/16")
	b.expect("its view", `document.querySelector(".entries").classList.contains("cards")`, "true")
	b.expect("what it has chosen", `document.querySelector(".picked a").getAttribute("href") + document.querySelector(".picked span").textContent`, "compare.html?t=gpt2,qwen3-8bGPT-2 124M, Qwen3-8B")
	b.expect("two more, and no others", `(() => {
		for (const name of ["Mamba 130M", "ResNet-18"]) document.querySelector("[aria-label='Compare " + name + "']").click();
		return [...document.querySelectorAll(".tick input")].filter(i => i.disabled).length + document.querySelector(".picked a").getAttribute("href");
	})()`, "6compare.html?t=gpt2,qwen3-8b,mamba-130m,resnet-18")
	b.expect("none", `(document.querySelector(".picked button").click(), document.querySelector(".picked").checkVisibility() + location.search.includes("pick"))`, "0")
	b.open("index.html?pick=gpt2,nobody,qwen3-8b&year=1850")
	b.expect("what it has that the page has not", `new URLSearchParams(location.search).get("year") + new URLSearchParams(location.search).get("pick")`, "nullgpt2,qwen3-8b")

	// A dot is named when the pointer is over it, and leads to its page.
	b.open("index.html#pictures")
	const over = `(() => {
		const dots = [...document.querySelectorAll("#plot-time ~ svg circle")];
		document.querySelector("#pictures").open = true;
		const box = dots.at(-1).getBoundingClientRect();
		dots.at(-1).dispatchEvent(new PointerEvent("pointermove", {bubbles: true, clientX: box.x + box.width / 2, clientY: box.y + box.height / 2}));
		return document.querySelector("#plot-time ~ figcaption .of").textContent;
	})()`
	b.expect("a dot", over, "ViT-B/16: 86.57M parameters, 17.56 GMACs, 2020-10")
	b.expect("its page", `(document.querySelector("#plot-time ~ svg").dispatchEvent(new MouseEvent("click", {bubbles: true})), "")`, "")
	b.expect("its page", `document.querySelector("h1").textContent`, "ViT-B/16")

	// Keys alone: to the search, into the results, to a page, and back.
	b.open("index.html")
	b.expect("the script has run", foundCount, "10 of 10")
	b.tabTo(`document.activeElement.name`, "q")
	b.do(chromedp.KeyEvent("resnet"))
	b.expect("typed", shownNames, "ResNet-18; ResNet-50")
	b.do(chromedp.KeyEvent(kb.ArrowDown))
	b.do(chromedp.KeyEvent(kb.ArrowDown))
	b.expect("the second result", `document.activeElement.textContent`, "ResNet-50")
	b.do(chromedp.KeyEvent(kb.ArrowUp))
	b.do(chromedp.KeyEvent(kb.ArrowUp))
	b.expect("the search again", `document.activeElement.name`, "q")
	b.tabTo(`document.activeElement.name`, "category")
	b.do(chromedp.KeyEvent("v"))
	b.expect("a facet by its letter", `document.activeElement.value`, "Vision")
	b.tabTo(`document.activeElement.getAttribute("aria-label")`, "Compare ResNet-18")
	b.do(chromedp.KeyEvent(" "))
	b.expect("chosen to compare", `new URLSearchParams(location.search).get("pick")`, "resnet-18")
	b.tabTo(`document.activeElement.textContent`, "ResNet-18")
	b.do(chromedp.KeyEvent("\r"))
	b.expect("its page", `document.querySelector("h1").textContent`, "ResNet-18")
	b.expect("and back", `(history.back(), "")`, "")
	b.expect("the same results", `location.search + " " + `+shownNames, "?q=resnet&category=Vision&pick=resnet-18 ResNet-18; ResNet-50")
}

// tabTo presses Tab until what has the focus is what is looked for.
func (b *browser) tabTo(expression, want string) {
	b.Helper()
	for range 60 {
		b.do(chromedp.KeyEvent("\t"))
		if got, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](`String(`+expression+`)`)); err == nil && got == want {
			return
		}
	}
	b.Errorf("60 steps of Tab do not lead to %s = %q", expression, want)
}

// TestBrowserCompare sets templates side by side, by address and by choice,
// with the numbers that the pages have.
func TestBrowserCompare(t *testing.T) {
	b := browse(t, some(t, "gpt2", "mixtral-8x7b", "phi3-mini", "qwen3-8b", "resnet-18"))
	b.open("compare.html?t=gpt2,qwen3-8b")
	b.quiet()
	const columns = `[...document.querySelectorAll("#facts thead a")].map(a => a.textContent).join("; ")`
	b.screens(func(s screen) {
		b.open("compare.html?t=gpt2,qwen3-8b,mixtral-8x7b,resnet-18")
		b.expect("four columns", columns, "GPT-2 124M; Qwen3-8B; Mixtral 8x7B; ResNet-18")
		b.expect("the page is no wider than the screen", `document.documentElement.scrollWidth`, fmt.Sprint(s.width))
	})
	b.expect("its parts", `[...document.querySelectorAll(".sheets h2")].map(h => h.textContent).join("; ")`, "Facts; Where the parameters are; Memory; Diagrams; Structure; Row by row")
	cell := func(sheet, label string, column int) string {
		return fmt.Sprintf(`[...document.querySelectorAll("#%s tbody tr")].find(r => r.cells[0].textContent === %q).cells[%d].innerText`, sheet, label, column)
	}
	b.expect("parameters", cell("facts", "Parameters", 2), "8.19B\n8,190,735,360")
	b.expect("attention", cell("facts", "Attention", 4), "none")
	b.expect("a share", cell("parameters", "feed-forward", 3), "45.10B, 96.6%")
	b.expect("memory", cell("memory", "Serving in bf16", 2), "23.4 GB\n23,421,268,480 bytes")
	b.expect("no cache", cell("memory", "Cache reserved", 4), "")
	b.expect("repeats", `document.querySelector("#structure td ol .times").textContent + document.querySelectorAll("#structure td:nth-child(3) .times").length`, "×121")
	b.expect("diagrams", `[...document.querySelectorAll("#diagrams img")].map(i => i.naturalWidth > 300 && i.getAttribute("src") + " " + i.closest("a").getAttribute("href")).join("; ")`,
		"a/gpt2.svg a/gpt2.html#diagram; a/qwen3-8b.svg a/qwen3-8b.html#diagram; a/mixtral-8x7b.svg a/mixtral-8x7b.html#diagram; a/resnet-18.svg a/resnet-18.html#diagram")
	b.expect("licences", cell("facts", "Licence of the weights", 2)+` + ", " + `+cell("facts", "Licence of the weights", 4), "Apache-2.0, BSD-3-Clause")
	b.expect("a diff", `document.querySelector("#diffs a").getAttribute("href")`, "diff/gpt2-vs-mixtral-8x7b.html")
	// The script shortens numbers as the pages do.
	b.expect("numbers as in the catalog", `(window.same = "", fetch("index.html").then(r => r.text()).then(text => {
		const page = new DOMParser().parseFromString(text, "text/html");
		const of = (label) => [...[...document.querySelectorAll("#facts tbody tr")].find(r => r.cells[0].textContent === label).cells].slice(1).map(c => c.firstChild.textContent);
		const names = [...document.querySelectorAll("#facts thead a")].map(a => a.textContent);
		const rows = names.map(n => [...page.querySelectorAll(".entries tbody tr")].find(r => r.querySelector("a").textContent === n));
		window.same = [["Parameters", 3], ["Layers", 4], ["MACs", 5]].every(([label, i]) => of(label).join() === rows.map(r => r.cells[i].textContent).join());
	}), "")`, "")
	b.expect("are the same", `window.same`, "true")

	b.open("compare.html?t=gpt2")
	b.expect("one is too few", `document.querySelector(".said").textContent`, "Choose one more.")
	b.expect("a second", `(() => { const s = document.querySelectorAll(".choose select")[1]; s.value = "phi3-mini"; s.dispatchEvent(new Event("input", {bubbles: true})); return location.search })()`, "?t=gpt2,phi3-mini")
	b.expect("two columns", columns, "GPT-2 124M; Phi-3 Mini Block")
	b.open("compare.html?t=nobody,gpt2")
	b.expect("one that is not there", `document.querySelector(".said").textContent`, "The catalog has no nobody. Choose one more.")
	b.open("a/qwen3-8b.html")
	b.expect("from a template's page", `(document.querySelector("a[href*=compare]:not(nav a)").click(), "")`, "")
	b.expect("it is the first", `document.querySelector(".choose select")?.value`, "qwen3-8b")
}

// TestWithoutScript: the catalog is a plain list, and the page that compares
// says where to go.
func TestWithoutScript(t *testing.T) {
	m := build(t, sample(t))
	list := file(t, m, "index.html")
	for _, part := range []string{`<a href="a/head.html">head</a>`, `<a href="a/tiny.html">Tiny Decoder</a>`, "A decoder small enough to count by hand.", `title="3,176"`} {
		if !strings.Contains(list, part) {
			t.Errorf("the list lacks %s", part)
		}
	}
	root, err := html.Parse(strings.NewReader(file(t, m, "compare.html")))
	if err != nil {
		t.Fatal(err)
	}
	var text string
	for n := range root.Descendants() {
		if n.Data == "noscript" {
			text = n.FirstChild.Data
		}
	}
	for _, part := range []string{"takes JavaScript", `href="diff/index.html"`, `href="index.html"`, `href="a/index.json"`} {
		if !strings.Contains(text, part) {
			t.Errorf("without a script the page lacks %s: %q", part, text)
		}
	}
}

// TestCatalogWeight: the page of the catalog stays light, with 240 templates
// too, and so do its scripts.
func TestCatalogWeight(t *testing.T) {
	c, err := catalog.Load(catalog.Options{Templates: os.DirFS("../../templates"), Content: os.DirFS("../../content")})
	if err != nil {
		t.Fatal(err)
	}
	r, err := render.New(themes.Default())
	if err != nil {
		t.Fatal(err)
	}
	s, err := page.New(c, page.Options{})
	if err != nil {
		t.Fatal(err)
	}
	const most, templates = 60_000, 240
	for _, p := range s.Pages() {
		if p.Path != page.Home {
			continue
		}
		data, err := p.Data()
		if err != nil {
			t.Fatal(err)
		}
		files, err := r.Render(data)
		if err != nil {
			t.Fatal(err)
		}
		size := packed(t, files[0].Data)
		t.Logf("%d templates: %d bytes, %d compressed", len(c.Entries), len(files[0].Data), size)
		if scaled := size * max(templates, len(c.Entries)) / len(c.Entries); scaled > most {
			t.Errorf("the catalog page has %d bytes compressed for %d templates, %d for %d; at most %d", size, len(c.Entries), scaled, templates, most)
		}
	}
	scripts := map[string]int{}
	for _, f := range r.Assets() {
		name := checksum.ReplaceAllString(f.Path, ".")
		if strings.HasSuffix(name, ".js") {
			scripts[name] = packed(t, f.Data)
		}
	}
	t.Logf("scripts, compressed: %v", scripts)
	for _, own := range []string{"assets/catalog.js", "assets/compare.js"} {
		if sum := scripts["assets/scheme.js"] + scripts["assets/site.js"] + scripts[own]; scripts[own] == 0 || sum > 30_000 {
			t.Errorf("a page with %s has %d bytes of script compressed, at most 30,000", own, sum)
		}
	}
}

// packed is the size of a file as servers send it.
func packed(t *testing.T, data []byte) int {
	t.Helper()
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Len()
}
