package serve

import (
	"context"
	"net/http/httptest"
	"os/exec"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// policy is what the pages of a site allow: nothing inline, nothing from
// elsewhere. The script has to do with that.
const policy = `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; base-uri 'none'">`

func framed(sheet, body string) map[string]string {
	return map[string]string{
		"index.html": `<!doctype html><html><head><meta charset="utf-8">` + policy + `<link rel="stylesheet" href="` + sheet + `"></head><body>` + body + `</body></html>`,
		css:          "body { color: rgb(1, 2, 3) }",
		css2:         "body { color: rgb(4, 5, 6) }",
	}
}

// TestBrowser has a page open in a browser while its site is written: a style
// sheet comes without a reload, a change with one, a fault is laid over the page
// and goes when it is mended.
func TestBrowser(t *testing.T) {
	chromium, err := exec.LookPath("chromium")
	if err != nil || testing.Short() {
		t.Skip("no chromium is installed, or the tests are to be short")
	}
	m := &memory{files: framed(css, "first")}
	s := New(m)
	s.Publish("/cat/", nil)
	server := httptest.NewServer(s)
	defer server.Close()
	defer s.Close()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(chromium), chromedp.NoSandbox)
	ctx, stop := chromedp.NewExecAllocator(context.Background(), options...)
	defer stop()
	ctx, cancel := chromedp.NewContext(ctx)
	defer cancel()
	if err := chromedp.Do(ctx, chromedp.Navigate(server.URL+"/cat/")); err != nil {
		t.Skipf("chromium does not run here: %v", err)
	}
	expect := func(what, expression, want string) {
		t.Helper()
		var got string
		var err error
		for range 250 {
			if got, err = chromedp.Run(ctx, chromedp.Evaluate[string](`String(`+expression+`)`)); err == nil && got == want {
				return
			}
			time.Sleep(20 * time.Millisecond)
		}
		t.Errorf("%s: %q (%v), want %q", what, got, err, want)
	}
	const (
		colour  = `getComputedStyle(document.body).color`
		overlay = `document.querySelector("strata-problems")?.shadowRoot.querySelector("pre").textContent`
	)
	listening := func() {
		t.Helper()
		for range 250 {
			s.mu.Lock()
			n := len(s.open)
			s.mu.Unlock()
			if n == 1 {
				return
			}
			time.Sleep(20 * time.Millisecond)
		}
		t.Error("the page does not listen")
	}

	listening()
	expect("the style", `(window.mark = "kept", `+colour+`)`, "rgb(1, 2, 3)")
	m.set(framed(css2, "first"))
	s.Publish("/cat/", nil)
	expect("another style", colour, "rgb(4, 5, 6)")
	expect("sheets", `document.querySelectorAll("link").length`, "1")
	expect("without a reload", `window.mark`, "kept")

	fault := `content/a/tiny.md:3:1: unknown key "<b>sumary</b>"`
	s.Fail([]string{fault})
	expect("the fault", overlay, fault)
	expect("the page under it", `document.body.firstChild.textContent`, "first")
	expect("where it is", `(r => r.width === innerWidth && r.bottom === innerHeight)(document.querySelector("strata-problems").shadowRoot.querySelector("section").getBoundingClientRect())`, "true")
	expect("still without a reload", `window.mark`, "kept")
	s.Publish("/cat/", nil)
	expect("mended", overlay, "undefined")

	m.set(framed(css2, "second"))
	s.Publish("/cat/", nil)
	expect("another text", `document.body.firstChild.textContent`, "second")
	expect("a new page", `window.mark`, "undefined")
	listening()

	s.Fail([]string{fault, "another"})
	expect("after the reload, a fault", overlay, fault)
	if err := chromedp.Do(ctx, chromedp.Navigate(server.URL+"/cat/none.html")); err != nil {
		t.Fatal(err)
	}
	expect("the fault on a page that is opened later", overlay, fault)
}
