package site_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/strata-catalog/strata/generator/site"
)

// A browser looks at a site.
type browser struct {
	*testing.T
	ctx  context.Context
	base string
}

// browse serves a site and starts a browser, or skips the test.
func browse(t *testing.T, m *site.Memory) *browser {
	t.Helper()
	chromium, err := exec.LookPath("chromium")
	if err != nil || testing.Short() {
		t.Skip("no chromium is installed, or the tests are to be short")
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data, ok := m.File(strings.TrimPrefix(r.URL.Path, "/"))
		if !ok {
			http.NotFound(w, r)
			return
		}
		http.ServeContent(w, r, r.URL.Path, time.Time{}, strings.NewReader(string(data)))
	}))
	t.Cleanup(server.Close)
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(chromium), chromedp.NoSandbox)
	ctx, stop := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(stop)
	ctx, cancel := chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	return &browser{t, ctx, server.URL}
}

func (b *browser) open(path string) {
	b.do(chromedp.Navigate(b.base + "/" + path))
}

func (b *browser) do(action chromedp.Action[chromedp.Void]) {
	if err := chromedp.Do(b.ctx, action); err != nil {
		b.Skipf("chromium does not run here: %v", err)
	}
}

// expect evaluates an expression until it has a value: scripts run after the
// page is there.
func (b *browser) expect(what, expression, want string) {
	b.Helper()
	var got string
	var err error
	for range 50 {
		if got, err = chromedp.Run(b.ctx, chromedp.Evaluate[string](`String(`+expression+`)`)); err == nil && got == want {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	b.Errorf("%s: %q (%v), want %q", what, got, err, want)
}

// TestBrowser uses the catalog and a template page as a reader does: search,
// sort, switch the colours, open a repeat. Nothing is asked of another host.
func TestBrowser(t *testing.T) {
	b := browse(t, build(t, sample(t)))
	const shown = `[...document.querySelectorAll(".entries tbody tr:not([hidden]) th a")].map(a => a.textContent).join()`

	b.open("index.html")
	b.expect("the form shows up", `document.querySelector("form.filter").checkVisibility()`, "true")
	b.expect("all entries", shown, "head,Tiny Decoder")
	b.expect("sorting by parameters", `(document.querySelectorAll(".entries thead button")[3].click(), `+shown+`)`, "Tiny Decoder,head")
	b.expect("the sorted column", `document.querySelector("[aria-sort]").textContent + document.querySelector("[aria-sort]").ariaSort`, "Parametersdescending")
	b.expect("searching", `(document.querySelector("[name=q]").value = "DECODER count", document.querySelector("form.filter").dispatchEvent(new Event("input")), `+shown+`)`, "Tiny Decoder")
	b.expect("the count", `document.querySelector("output").textContent`, "1 of 2")
	b.expect("the address", `new URL(location.href).searchParams.get("q")`, "DECODER count")
	b.open("index.html?q=head")
	b.expect("a search that is passed on", shown, "head")
	b.expect("the dark scheme", `(document.querySelector("button.scheme").click(), document.querySelector("button.scheme").click(), document.documentElement.dataset.scheme)`, "dark")

	b.open("a/tiny.html")
	b.expect("the scheme is kept", `document.documentElement.dataset.scheme`, "dark")
	b.expect("a dark page", `getComputedStyle(document.documentElement).backgroundColor`, "rgb(19, 22, 23)")
	b.expect("a closed repeat", `document.querySelector("#row-10").checkVisibility()`, "false")
	b.expect("an open repeat", `(document.querySelector("table.rows summary").click(), document.querySelector("#row-10").checkVisibility())`, "true")
	b.expect("other hosts", `performance.getEntriesByType("resource").filter(e => !e.name.startsWith(location.origin)).length`, "0")
	b.expect("cookies", `document.cookie`, "")
}

// TestBrowserDiff reads a diff: its story on one screen, what repeats closed
// until it is opened or linked to, equal rows until they are switched off with
// a key, and the names of the two models above all rows.
func TestBrowserDiff(t *testing.T) {
	b := browse(t, build(t, site.Config{Templates: os.DirFS("../../templates"), Content: os.DirFS("../../content")}))
	b.do(chromedp.EmulateViewport(1440, 900))
	const page = "diff/qwen3-8b-vs-phi3-mini.html"
	b.open(page)
	b.expect("the last row is on the first screen", `document.querySelector("#r-222").getBoundingClientRect().bottom <= 900`, "true")
	b.expect("the page is no wider than the screen", `document.documentElement.scrollWidth`, "1440")
	b.expect("rows that repeat", `document.querySelector("#r-20").checkVisibility()`, "false")
	b.expect("the same, opened", `(document.querySelector("#layers summary").click(), document.querySelector("#r-20").checkVisibility())`, "true")
	const head = `document.querySelector("#layers thead th")`
	b.expect("the head of the rows", `(window.scrollTo(0, 2000), `+head+`.getBoundingClientRect().top)`, "0")
	b.expect("an equal row", `document.querySelector("#r-216").checkVisibility()`, "true")
	b.expect("the switch has the focus", `(document.querySelector("#differences").focus(), document.activeElement.id)`, "differences")
	b.do(chromedp.KeyEvent(" "))
	b.expect("only differences", `document.querySelector("#r-216").checkVisibility()`, "false")
	b.expect("a row that differs", `document.querySelector("#r-215").checkVisibility()`, "true")
	b.open("index.html")
	b.open(page + "#r-20")
	b.expect("a row that is linked to", `document.querySelector("#r-20").checkVisibility()`, "true")
	b.expect("other hosts", `performance.getEntriesByType("resource").filter(e => !e.name.startsWith(location.origin)).length`, "0")
	for _, width := range []int64{320, 768} {
		b.do(chromedp.EmulateViewport(width, 900))
		b.open(page)
		b.expect("the page is no wider than the screen", `document.documentElement.scrollWidth`, fmt.Sprint(width))
	}
}
