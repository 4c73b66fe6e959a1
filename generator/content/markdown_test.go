package content_test

import (
	"errors"
	"fmt"
	"html"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/tools/txtar"

	"github.com/strata-catalog/strata/generator/content"
)

// options are those of the golden files: pages end in .html, and nothing is
// called missing.
var options = content.Options{File: "a/x.md", Line: 5, Prefix: "note-", Link: func(address string) (string, error) {
	if strings.HasPrefix(address, "missing") {
		return "", errors.New("no such page")
	}
	return strings.Replace(address, ".md", ".html", 1), nil
}}

func TestHTML(t *testing.T) {
	files, _ := filepath.Glob("testdata/markdown/*.txtar")
	if len(files) == 0 {
		t.Fatal("nothing in testdata/markdown")
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got, err := content.HTML(string(a.Files[0].Data), options)
			if err != nil {
				got += "errors:\n" + err.Error() + "\n"
			}
			golden(t, file, a, got)
			duplicates(t, got)
		})
	}
}

var idAttribute = regexp.MustCompile(` id="([^"]*)"`)

// duplicates reports ids that stand twice.
func duplicates(t *testing.T, page string) {
	t.Helper()
	seen := map[string]bool{}
	for _, m := range idAttribute.FindAllStringSubmatch(page, -1) {
		if seen[m[1]] {
			t.Errorf("id %q stands twice", m[1])
		}
		seen[m[1]] = true
	}
}

// TestPrefix puts two bodies on one page.
func TestPrefix(t *testing.T) {
	const body = "# Why\n\nText[^1], [why](#why).\n\n[^1]: Note.\n"
	one, err1 := content.HTML(body, content.Options{Prefix: "a-"})
	two, err2 := content.HTML(body, content.Options{Prefix: "b-"})
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	duplicates(t, one+two)
	for _, want := range []string{`id="a-why"`, `href="#a-why"`, `id="a-fn:1"`, `href="#a-fn:1"`, `href="#a-fnref:1"`} {
		if !strings.Contains(one, want) {
			t.Errorf("%s is missing in %s", want, one)
		}
	}
}

// TestHostile renders what must do no harm.
func TestHostile(t *testing.T) {
	for name, test := range map[string]struct{ body, want string }{
		"script":            {"<script>alert(1)</script>", "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>"},
		"script inline":     {"a <script>alert(1)</script>", "<p>a &lt;script&gt;alert(1)&lt;/script&gt;</p>"},
		"broken tag":        {"a <scr\nipt>", "<p>a &lt;scr\nipt&gt;</p>"},
		"after a comment":   {"<!-- --><script>x</script>", "<p>&lt;!-- --&gt;&lt;script&gt;x&lt;/script&gt;</p>"},
		"open comment":      {"<!-- <script>x", "<p>&lt;!-- &lt;script&gt;x</p>"},
		"onerror":           {`<img src=x onerror="alert(1)">`, "<p>&lt;img src=x onerror=&quot;alert(1)&quot;&gt;</p>"},
		"image onerror":     {`![x](y" onerror="alert(1))`, `<p>![x](y&quot; onerror=&quot;alert(1))</p>`},
		"quote in address":  {`[x](<y" onclick="alert(1)>)`, `<p><a href="y%22%20onclick=%22alert(1)">x</a></p>`},
		"quote in title":    {`[x](y '" onclick="alert(1)')`, `<p><a href="y" title="&quot; onclick=&quot;alert(1)">x</a></p>`},
		"quote in alt":      {`![" onerror="alert(1)](y)`, `<p><img src="y" alt="&quot; onerror=&quot;alert(1)" loading="lazy"></p>`},
		"javascript":        {"[x](javascript:alert(1))", "<p>x</p>"},
		"upper case":        {"[x](JaVaScRiPt:alert(1))", "<p>x</p>"},
		"entity":            {"[x](&#106;avascript:alert(1))", "<p>x</p>"},
		"entity of entity":  {"[x](&amp;#106;avascript:alert(1))", `<p><a href="&amp;#106;avascript:alert(1)">x</a></p>`},
		"colon by name":     {"[x](javascript&colon;alert(1))", "<p>x</p>"},
		"tab":               {"[x](java&Tab;script:alert(1))", "<p>x</p>"},
		"line end":          {"[x](java&NewLine;script:alert(1))", "<p>x</p>"},
		"backslash":         {`[x](javascript\:alert\(1\))`, "<p>x</p>"},
		"control":           {"[x](&#1;javascript:alert(1))", "<p>x</p>"},
		"data":              {"[x](data:text/html,<script>)", "<p>x</p>"},
		"data image":        {"![x](data:image/svg+xml;base64,PHN2Zz4=)", "<p>x</p>"},
		"vbscript":          {"[x](vbscript:x)", "<p>x</p>"},
		"file":              {"[x](file:///etc/passwd)", "<p>x</p>"},
		"autolink":          {"<javascript:alert(1)>", "<p>javascript:alert(1)</p>"},
		"reference":         {"[x][y]\n\n[y]: javascript:alert(1)", "<p>x</p>"},
		"nested":            {"[![x](javascript:a)](javascript:b)", "<p>x</p>"},
		"nested html":       {"> <div>\n> <svg onload=x>\n> </div>", "<blockquote>\n<p>&lt;div&gt;\n&lt;svg onload=x&gt;\n&lt;/div&gt;</p>\n</blockquote>"},
		"heading":           {`# x" onclick="y`, `<h1 id="x-onclick-y">x&quot; onclick=&quot;y</h1>`},
		"language":          {"```x\"onclick=y\n<b>\n```", "<pre tabindex=\"0\"><code>&lt;b&gt;\n</code></pre>"},
		"code":              {"`<b>`", "<p><code>&lt;b&gt;</code></p>"},
		"python code":       {"```py\n\"</code><script>\"\n```", "<pre tabindex=\"0\"><code class=\"language-py\"><span class=\"s\">&#34;&lt;/code&gt;&lt;script&gt;&#34;</span>\n</code></pre>"},
		"attribute syntax":  {"# x {onclick=y #id}", `<h1 id="x-onclick-y-id">x {onclick=y #id}</h1>`},
		"no such character": {"&#0; &#xD800;", "<p>\ufffd \ufffd</p>"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := content.HTML(test.body, content.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if got = strings.TrimSpace(got); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

func TestFirstParagraph(t *testing.T) {
	for body, want := range map[string]string{
		"":                 "",
		"# Only a heading": "",
		"# A\n\n- list\n\nThe *first*\n`one`.\n\nMore.": "The first one.",
		"A [link](x.md) &amp; a note[^1].\n\n[^1]: x":   "A link & a note.",
		"`a &amp; b` <!-- x -->end":                     "a &amp; b end",
	} {
		if got := content.FirstParagraph(body); got != want {
			t.Errorf("%q: got %q, want %q", body, got, want)
		}
	}
}

var tag = regexp.MustCompile(`<[^>]*>`)

// TestHighlightText asks that colouring changes no character.
func TestHighlightText(t *testing.T) {
	for _, src := range []string{
		"", "\"", "'", "'''", `"\`, "x = '''open", "f'", "rb\"\\\"", "@", "@a.b\n @c", "def", "def é(): pass", "1.5e", "1e+", "0x_",
		`{"a":`, `"a" :1`, "-", "-1", "tru", "$", "${", "${a", "$a", `\`, "#", "a#b", "a\n#b", "'a\nb'", "é'ü\"ß#", "\x80\xff'", "<&>\"'",
	} {
		for _, language := range []string{"python", "json", "sh", "", "c"} {
			got := content.Highlight(language, src)
			if text := html.UnescapeString(tag.ReplaceAllString(got, "")); text != src {
				t.Errorf("%s: %q became %q", language, src, text)
			}
		}
	}
}

// inline is the HTML that text must give when nothing in it is markup.
func inline(text string) string {
	words := strings.Join(strings.Fields(text), " ")
	if words == "" {
		return ""
	}
	return "<p>" + strings.ReplaceAll(html.EscapeString(words), "&#34;", "&quot;") + "</p>"
}

var escapes = []string{
	"", "plain text", "norm_attn", "_x_", "__init__", "a_b_ c", "*a*", "**", "`x`", "``", "[x](y)", "[x][y]", "[x]: /y", "![x](y)", "[^1]", "[ ] done",
	"shape=[1, 2048]", "[1](x)", "[1, 2]: 3", "[1][2]", "a|b", `\|`, `a\`, `\\`, "<b>", "<!-- x", "a < b > c", "&amp;", "&#42;", "a & b", "R&D", "&",
	"# x", "#x", "- x", "+ x", "* x", "1. x", "12) x", "1.x", "> x", "=", "---", "===", "~x~", "~~~", "```", "a\nb", "a\r\n\r\n# b", " a  b ", "\tcode", "    code",
	"x](y)", "]", "[", "[]", "][", "a\x00b\x1bc", "\u2028x", "x\"] click A href \"javascript:alert(1)", "<img src=x onerror=alert(1)>", "| --- |", "|a|b|\n|-|-|", ":---", "!", "![", "é_ü_", "$x$", "%", "^",
}

func TestEscapeMarkdown(t *testing.T) {
	for _, text := range escapes {
		checkEscape(t, text)
	}
}

// checkEscape renders escaped text alone and in a table: it must come out as
// it went in.
func checkEscape(t *testing.T, text string) {
	t.Helper()
	plain := strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, text)
	escaped := content.EscapeMarkdown(text)
	if got := render(t, escaped); got != inline(plain) {
		t.Errorf("%q is escaped as %q and becomes %q, expected %q", text, escaped, got, inline(plain))
	}
	cell := content.Cell(text)
	row := render(t, fmt.Sprintf("| a | b |\n|---|---|\n| %s | end |\n", cell))
	want := "<td>" + strings.TrimSuffix(strings.TrimPrefix(inline(plain), "<p>"), "</p>") + "</td>\n<td>end</td>"
	if !strings.Contains(row, want) {
		t.Errorf("%q is the cell %q and becomes %q, expected %q", text, cell, row, want)
	}
}

func render(t *testing.T, body string) string {
	t.Helper()
	got, err := content.HTML(body, content.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(strings.TrimSpace(got), "&#39;", "'")
}

// TestEscapeReadable keeps what needs no backslash.
func TestEscapeReadable(t *testing.T) {
	for text, want := range map[string]string{
		"norm_attn":              "norm_attn",
		"shape=[1, 2048]":        "shape=[1, 2048]",
		"1 × 2048 × 3072":        "1 × 2048 × 3072",
		"full MHA (32H, 3072D)":  "full MHA (32H, 3072D)",
		"embedDim=3072, R&D.":    `embedDim=3072, R\&D.`,
		"a - b # c + d = 1. e":   "a - b # c + d = 1. e",
		"x|y":                    `x\|y`,
		"pattern=[\"a\", \"b\"]": `pattern=\["a", "b"\]`,
	} {
		if got := content.Cell(text); got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
}

func TestFence(t *testing.T) {
	for _, src := range []string{"", "x", "x\n", "```\n<b>\n```", "a ````` b"} {
		got := render(t, content.Fence("text", src))
		want := `<pre tabindex="0"><code class="language-text">` + strings.ReplaceAll(strings.ReplaceAll(src, "<", "&lt;"), ">", "&gt;")
		if src != "" && !strings.HasSuffix(src, "\n") {
			want += "\n"
		}
		if want += "</code></pre>"; got != want {
			t.Errorf("%q: got %s, want %s", src, got, want)
		}
	}
}

// FuzzContent asks that no file makes the package panic, that no script gets
// into a page, and that escaped text stays text.
func FuzzContent(f *testing.F) {
	f.Add([]byte(note))
	files, _ := filepath.Glob("testdata/*/*.txtar")
	for _, file := range append(files, "testdata/errors.txtar") {
		a, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, section := range a.Files {
			f.Add(section.Data)
		}
	}
	for _, text := range escapes {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		n, _ := content.ParseNote("a/x.md", src)
		_, _ = content.ParseSettings("site.yaml", src)
		page, _ := content.HTML(n.Body, options)
		if strings.Contains(strings.ToLower(page), "<script") {
			t.Errorf("a script in %s", page)
		}
		for _, m := range regexp.MustCompile(`(?:href|src)="([^"]*)"`).FindAllStringSubmatch(page, -1) {
			if s := strings.ToLower(strings.TrimSpace(html.UnescapeString(m[1]))); strings.HasPrefix(s, "javascript:") || strings.HasPrefix(s, "data:") {
				t.Errorf("the address %q in %s", m[1], page)
			}
		}
		duplicates(t, page)

		text := string(src)
		words := strings.Join(strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
		row, after, whole := strings.Cut(render(t, "| a |\n|---|\n| "+content.Cell(text)+" |\n"), "</td>")
		_, row, _ = strings.Cut(row, "<td>")
		if !whole || strings.Contains(after, "<t") {
			t.Errorf("%q is not one cell", text)
		}
		for _, got := range []string{render(t, content.EscapeMarkdown(text)), row} {
			// What looks like an address becomes a link, with the address as its text.
			if tags := tag.FindAllString(got, -1); slices.ContainsFunc(tags, func(s string) bool { return !plainTag.MatchString(s) }) {
				t.Errorf("%q gives the tags %q", text, tags)
			}
			if plain := html.UnescapeString(tag.ReplaceAllString(got, "")); plain != words {
				t.Errorf("%q becomes %q, expected %q", text, plain, words)
			}
		}
	})
}

var plainTag = regexp.MustCompile(`^</?(p|a)\b`)
