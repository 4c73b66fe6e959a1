package site_test

import (
	"fmt"
	"strings"
	"testing"

	cdp "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"
)

// TestBrowserReader reads a template page as a reader does: from the diagram to
// the rows and back, by links into it, and with its code taken along.
func TestBrowserReader(t *testing.T) {
	m := some(t, "gemma-2-9b", "sdxl-unet")
	b := browse(t, m)
	b.do(chromedp.EmulateViewport(1440, 900))
	b.emulate("", map[string]string{"prefers-reduced-motion": "reduce"}) // scrolling takes no time
	b.open("a/gemma-2-9b.html")
	b.quiet()

	// The box of a row has the light that the pointer is on; that of what repeats
	// stands for every instance, that of a module for all its layers.
	over := func(row int) string {
		return fmt.Sprintf(`(document.querySelector("#row-%d").dispatchEvent(new MouseEvent("mouseover", {bubbles: true})), [...document.querySelectorAll("#diagram .lit")].map((a) => a.getAttribute("href")).join())`, row)
	}
	b.expect("a row by itself", over(2), "#row-2")
	b.expect("a row of the first block", over(7), "#row-7")
	b.expect("its twin in the second", over(7+period(b)), "#row-7")
	b.expect("the box has another colour", `getComputedStyle(document.querySelector("#diagram .lit rect")).fill !== getComputedStyle(document.querySelector("#diagram a[href='#row-2'] rect")).fill`, "true")
	b.expect("no row", `(document.querySelector("table.rows").dispatchEvent(new MouseEvent("mouseleave")), document.querySelectorAll("#diagram .lit").length)`, "0")

	// On a narrow screen the picture begins with its first layer.
	b.do(chromedp.EmulateViewport(320, 900))
	b.open("a/gemma-2-9b.html#diagram")
	b.expect("the first box", `(() => { const a = document.querySelector("#diagram a").getBoundingClientRect(); return a.left > 0 && a.right < innerWidth; })()`, "true")
	b.do(chromedp.EmulateViewport(1440, 900))
	b.open("a/gemma-2-9b.html")

	// A box leads to its row, by the pointer and by the keyboard.
	inView := func(id string) string {
		return fmt.Sprintf(`(() => { const e = document.getElementById(%q), box = e.getBoundingClientRect(); return e.checkVisibility() && box.bottom > 0 && box.top < innerHeight; })()`, id)
	}
	b.expect("a click on a box", `(document.querySelector("#diagram a[href='#row-7']").dispatchEvent(new MouseEvent("click", {bubbles: true, cancelable: true})), location.hash)`, "#row-7")
	b.expect("its row", inView("row-7"), "true")
	b.expect("the row is marked", `getComputedStyle(document.querySelector("#row-7 th")).backgroundColor === getComputedStyle(document.querySelector("#row-8 th")).backgroundColor`, "false")
	b.expect("a box has the focus", `(document.querySelector("#diagram a[href='#row-4']").focus(), document.activeElement.getAttribute("href"))`, "#row-4")
	b.do(chromedp.KeyEvent("\r"))
	b.expect("the enter key on a box", `location.hash`, "#row-4")
	b.expect("its row", inView("row-4"), "true")

	// Links from elsewhere lead to what they name, also where it is folded.
	for _, id := range []string{"row-100", "memory", "tensors", "notes", "machine"} {
		b.open("index.html")
		b.open("a/gemma-2-9b.html#" + id)
		b.expect("a link to "+id, inView(id), "true")
	}
	b.expect("every entry of the contents leads somewhere", `[...document.querySelectorAll(".toc a")].filter((a) => !document.querySelector(a.getAttribute("href"))).length`, "0")

	// The code is what is copied, and what is downloaded.
	b.open("a/gemma-2-9b.html")
	for _, name := range []string{"clipboard-read", "clipboard-write"} {
		may := cdp.SetPermissionParams{Permission: &cdp.PermissionDescriptor{Name: name}, Setting: cdp.PermissionSettingGranted}
		if _, err := chromedp.Call(b.ctx, cdp.SetPermission, may); err != nil {
			t.Fatal(err)
		}
	}
	b.expect("the button to copy", `(document.querySelector("#pytorch summary").click(), document.querySelector("button.copy").focus(), document.activeElement.textContent)`, "Copy")
	b.do(chromedp.KeyEvent("\r"))
	b.expect("what it says then", `document.querySelector("button.copy").textContent`, "Copied")
	source := file(t, m, "a/gemma-2-9b.py")
	if got := b.evaluate(t, `navigator.clipboard.readText()`); got != source {
		t.Errorf("copied: %d bytes, want the %d of the file", len(got), len(source))
	}
	if got := b.evaluate(t, `fetch(document.querySelector("a[download]").href).then((r) => r.text())`); got != source || !strings.Contains(got, "torch") {
		t.Errorf("downloaded: %d bytes, want the %d of the file", len(got), len(source))
	}

	b.open("a/sdxl-unet.html")
	b.expect("a layer of a module", `(() => {
		const module = document.querySelector("#diagram [data-last]"), first = Number(module.getAttribute("href").slice(5)), last = Number(module.dataset.last);
		const lit = (row) => (document.querySelector("#row-" + row).dispatchEvent(new MouseEvent("mouseover", {bubbles: true})), document.querySelector("#diagram .lit") === module);
		return [lit(first), lit(first + 1), lit(last), lit(last + 1)].join();
	})()`, "true,true,true,false")
}

// period is how many rows the first part that repeats has on the page.
func period(b *browser) (rows int) {
	text := b.evaluate(b.T, `document.querySelector("#diagram [data-run]").dataset.run`)
	var start, count int
	if _, err := fmt.Sscan(text, &start, &rows, &count); err != nil {
		b.Fatal(err)
	}
	return rows
}
