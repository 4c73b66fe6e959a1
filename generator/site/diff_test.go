package site_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/strata-catalog/strata/generator/site"
)

// wider is the decoder with more blocks, and with keys and values for each head.
func wider(t *testing.T) string {
	return strings.NewReplacer(
		`"id": "tiny", "name": "Tiny Decoder"`, `"id": "wide", "name": "Wide | Decoder"`, `"repeat": 4`, `"repeat": 7`,
		`"numKVHeads": 1`, `"numKVHeads": 2`, `, "realParamCount": 3176`, ``,
	).Replace(read(t, "testdata/tiny/model.json"))
}

// twoDecoders is a catalog of two templates and the story of their diff.
func twoDecoders(t *testing.T) site.Config {
	return site.Config{
		Templates: files("tiny/model.json", read(t, "testdata/tiny/model.json"), "wide/model.json", wider(t)),
		Content:   files("diff/tiny-vs-wide.md", "---\nstory: Three blocks more, and twice the keys.\n---\n\nRead [the bill](#bill) of [the decoder](../a/tiny.md).\n"),
		BaseURL:   "https://example.org/cat/", Version: "1.2.3",
	}
}

// TestDiffGolden shows the Markdown twin of a diff.
func TestDiffGolden(t *testing.T) {
	m := build(t, twoDecoders(t))
	compareGolden(t, filepath.Join("testdata", "golden", "diff.md"), file(t, m, "diff/tiny-vs-wide.md"))
}

// query lists the elements of a page for which ok holds.
func query(t *testing.T, page string, ok func(*html.Node) bool) (list []*html.Node) {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	for n := range doc.Descendants() {
		if n.Type == html.ElementNode && ok(n) {
			list = append(list, n)
		}
	}
	return list
}

func attribute(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func inside(n *html.Node, tag string) bool {
	for p := range n.Ancestors() {
		if p.Data == tag {
			return true
		}
	}
	return false
}

// TestDiffPage: every row once, with a status that needs no colour; what
// repeats behind a summary, unless its rows became different things.
func TestDiffPage(t *testing.T) {
	page := file(t, build(t, twoDecoders(t)), "diff/tiny-vs-wide.html")
	var shown, hidden []string
	for i, n := range query(t, page, func(n *html.Node) bool { return strings.HasPrefix(attribute(n, "id"), "r-") }) {
		if want := fmt.Sprintf("r-%d", i+1); attribute(n, "id") != want {
			t.Fatalf("row %d has the id %s", i+1, attribute(n, "id"))
		}
		var cells []string
		for c := range n.ChildNodes() {
			cells = append(cells, textOf(c))
		}
		line := strings.Join(cells, "|")
		if inside(n, "details") {
			hidden = append(hidden, line)
		} else {
			shown = append(shown, line)
		}
	}
	want := []string{
		"1|= same|Input|ids||1 × 16|ids||1 × 16|",
		"2|= same|RoPE|rope|||rope|||",
		"3|= same|Embedding|embed|800|1 × 16 × 8|embed|800|1 × 16 × 8|",
		"22|= same|RMSNorm|layers.0.norm1|8|1 × 16 × 8|layers.3.norm1|8|1 × 16 × 8|",
		"23|~ changed|Grouped Query Attention|layers.0.attn|192|1 × 16 × 8|layers.3.attn|256|1 × 16 × 8|numKVHeads 1 → 2",
		"24|= same|Add|layers.0.add1||1 × 16 × 8|layers.3.add1||1 × 16 × 8|",
		"25|= same|RMSNorm|layers.0.norm2|8|1 × 16 × 8|layers.3.norm2|8|1 × 16 × 8|",
		"26|= same|SwiGLU|layers.0.mlp|384|1 × 16 × 8|layers.3.mlp|384|1 × 16 × 8|",
		"27|= same|Add|layers.0.add2||1 × 16 × 8|layers.3.add2||1 × 16 × 8|",
		"46|= same|RMSNorm|norm|8|1 × 16 × 8|norm|8|1 × 16 × 8|",
		"47|= same|Linear|head||1 × 16 × 100|head||1 × 16 × 100|",
		"48|= same|Output|logits||1 × 16 × 100|logits||1 × 16 × 100|",
	}
	if got := strings.Join(shown, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("rows that stand open:\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
	if len(hidden) != 48-len(want) || hidden[0] != "4|+ added|RMSNorm||layers.0.norm1|8|1 × 16 × 8|" {
		t.Errorf("%d rows stand behind a summary, the first is %q", len(hidden), hidden[0])
	}
	var summaries []string
	for _, n := range query(t, page, func(n *html.Node) bool { return n.Data == "summary" && inside(n, "table") }) {
		summaries = append(summaries, textOf(n))
	}
	const labels = "4–21 + RMSNorm → Grouped Query Attention → Add → RMSNorm → SwiGLU → Add, ×3 added +2.0K\n3 instances more, rows 28 to 45"
	if got := strings.Join(summaries, "\n"); got != labels {
		t.Errorf("summaries\n%s\nwant\n%s", got, labels)
	}
	for _, part := range []string{
		`<h1>Tiny Decoder vs Wide | Decoder</h1>`, `>Three blocks more, and twice the keys.</p>`, `<input type="checkbox" id="differences">`,
		`<rect class="part-attention"`, `<a href="../a/tiny.html">`, `<a href="tiny-vs-wide.json">`,
	} {
		if !strings.Contains(page, part) {
			t.Errorf("the page lacks %q", part)
		}
	}
}

// Template pages list their diffs in every form.
func TestRelatedDiffs(t *testing.T) {
	m := build(t, twoDecoders(t))
	const headline = "Wide | Decoder has 2.2K more parameters than Tiny Decoder: 18 layers added, 4 changed."
	for path, want := range map[string]string{
		"a/wide.html":     `<li><a href="../diff/tiny-vs-wide.html">Tiny Decoder vs Wide | Decoder</a> <span class="note">` + headline + "</span></li>",
		"a/wide.md":       `- [Tiny Decoder vs Wide \| Decoder](https://example.org/cat/diff/tiny-vs-wide.md): ` + strings.ReplaceAll(headline, "|", `\|`),
		"a/wide.json":     `"headline": "` + headline + `"`,
		"a/index.json":    `"story": "Three blocks more, and twice the keys."`,
		"llms.txt":        "(https://example.org/cat/diff/tiny-vs-wide.md)",
		"sitemap.xml":     "<loc>https://example.org/cat/diff/tiny-vs-wide.html</loc>",
		"diff/index.html": "Three blocks more, and twice the keys.",
	} {
		if text := file(t, m, path); !strings.Contains(text, want) {
			t.Errorf("%s lacks %q:\n%s", path, want, text)
		}
	}
}

// The largest of the project's own diffs tells its story in less than 100 KB.
func TestDiffSize(t *testing.T) {
	page := file(t, build(t, site.Config{Templates: os.DirFS("../../templates"), Content: os.DirFS("../../content")}), "diff/qwen3-8b-vs-phi3-mini.html")
	if len(page) > 100_000 {
		t.Errorf("the page has %d bytes, want at most 100,000", len(page))
	}
	if n := strings.Count(page, `<tr id="r-`); n != 222 {
		t.Errorf("the page has %d rows, want 222", n)
	}
}
