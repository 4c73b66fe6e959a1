package site_test

import (
	"encoding/json"
	"encoding/xml"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/strata-catalog/strata/generator/site"
)

// evil marks itself up in every language that it may land in.
const evil = `<script>alert(1)</script>"'>]]></title> | **b** [x](javascript:alert(1)) ` + "`c` & &lt; \\u0000\\u0007 {{.}}"

// hostile is a catalog in which every text is evil.
func hostile() site.Config {
	quoted, _ := json.Marshal(evil)
	q := strings.ReplaceAll(string(quoted), `\\u00`, `\u00`) // real control characters
	graph := `{"id": "bad", "name": ` + q + `, "description": ` + q + `, "category": ` + q + `, "tags": [` + q + `], "realParamCount": 1000,
		"components": [
			{"id": "x", "type": "input", "name": ` + q + `, "params": {"shape": [1, 8]}},
			{"id": ` + q + `, "type": ` + q + `, "name": ` + q + `, "params": {` + q + `: ` + q + `}, "inputs": ["x"]},
			{"id": "l", "block": ` + q + `, "repeat": 6, "inputs": ["x"]},
			{"id": "y", "type": "output", "inputs": ["l"]}],
		"blocks": {` + q + `: {"inputs": ["i"], "output": "fc", "components": [
			{"id": "fc", "type": "linear", "name": ` + q + `, "params": {"outFeatures": 8, "names": {"weight": ` + q + `}}, "inputs": ["i"]}]}}}`
	y := "'" + strings.ReplaceAll(strings.ReplaceAll(evil, "'", "''"), `\u`, "") + "'"
	note := "---\nsummary: " + y + "\npick-when: " + y + "\ntags: [" + y + "]\nlinks:\n  - title: " + y + "\n    url: https://example.org/\"><script>\n" +
		"published:\n  parameters: 1000\n  source: " + y + "\n---\n\n" + strings.ReplaceAll(evil, `\u`, "") + "\n\n<script>alert(2)</script>\n"
	page := "---\ntitle: " + y + "\ndescription: " + y + "\nmenu: 1\n---\n\n# <img src=x onerror=alert(1)>\n\n[x](javascript:alert(1)) [y](data:text/html,x)\n"
	settings := "title: " + y + "\ndescription: " + y + "\nauthor: " + y + "\n"
	other := strings.NewReplacer(`"id": "bad"`, `"id": "worse"`, `"repeat": 6`, `"repeat": 2`, `"outFeatures": 8`, `"outFeatures": 8, "bias": `+q).Replace(graph)
	diff := "---\nstory: " + y + "\n---\n\n" + strings.ReplaceAll(evil, `\u`, "") + "\n\n<script>alert(3)</script>\n"
	return site.Config{
		Templates: files("bad/model.json", graph, "worse/model.json", other),
		Content:   files("a/bad.md", note, "diff/bad-vs-worse.md", diff, "p.md", page, "site.yaml", settings),
		BaseURL:   "https://example.org/cat/", KeepGoing: true,
	}
}

func TestHostile(t *testing.T) {
	m := &site.Memory{}
	r, err := site.Build(hostile(), m)
	if err != nil {
		t.Fatalf("%v; problems %v", err, r.Problems)
	}
	crawl(t, m, "https://example.org/cat/")
	for _, path := range m.Paths() {
		text := file(t, m, path)
		switch {
		case strings.HasSuffix(path, ".html"):
			checkElements(t, path, text)
			if strings.ContainsAny(text, "\x00\x07") {
				t.Errorf("%s holds control characters", path)
			}
		case strings.HasSuffix(path, ".xml"), strings.HasSuffix(path, ".svg"):
			checkXML(t, path, text)
		case strings.HasSuffix(path, ".json"):
			if !json.Valid([]byte(text)) {
				t.Errorf("%s is not JSON", path)
			}
		case strings.HasSuffix(path, ".md"):
			checkMarkdown(t, path, text)
		}
	}
}

// checkElements: no text became an element or a dangerous address, and the
// text is there to be read.
func checkElements(t *testing.T, path, text string) {
	t.Helper()
	z := html.NewTokenizer(strings.NewReader(text))
	words, inScript := "", false
	for z.Next() != html.ErrorToken {
		token := z.Token()
		switch token.Type {
		case html.TextToken:
			if inScript && strings.TrimSpace(token.Data) != "" {
				t.Errorf("%s: a script in the page: %q", path, token.Data)
			}
			words += token.Data
		case html.StartTagToken, html.EndTagToken:
			inScript = token.Type == html.StartTagToken && token.Data == "script"
			for _, a := range token.Attr {
				if strings.HasPrefix(strings.ToLower(strings.TrimSpace(a.Val)), "javascript:") || strings.HasPrefix(a.Val, "data:text") {
					t.Errorf("%s: %s=%q", path, a.Key, a.Val)
				}
			}
		}
	}
	if (path == "a/bad.html" || path == "diff/bad-vs-worse.html") && strings.Count(words, "<script>alert(1)</script>") < 5 {
		t.Errorf("%s: the names of the graph cannot be read", path)
	}
}

func checkXML(t *testing.T, path, text string) {
	t.Helper()
	var feed struct {
		Title   string `xml:"title"`
		Entries []struct {
			Title string `xml:"title"`
		} `xml:"entry"`
	}
	if err := xml.Unmarshal([]byte(text), &feed); err != nil {
		t.Errorf("%s: %v", path, err)
	}
	if path == "feed.xml" && (len(feed.Entries) != 2 || !strings.HasPrefix(feed.Entries[0].Title, "<script>alert(1)</script>")) {
		t.Errorf("%s: entries %+v", path, feed.Entries)
	}
}

var cell = regexp.MustCompile(`\\.|\|`)

// checkMarkdown: each row of a table has as many cells as its head.
func checkMarkdown(t *testing.T, path, text string) {
	t.Helper()
	text, _, _ = strings.Cut(text, "\n## Notes\n") // what the note says is Markdown
	columns := 0
	for i, line := range strings.Split(text, "\n") {
		if !strings.HasPrefix(line, "|") {
			columns = 0
			if strings.Contains(line, "<script>") && !strings.Contains(line, `\<script`) {
				t.Errorf("%s:%d: %s", path, i+1, line)
			}
			continue
		}
		n := 0
		for _, bar := range cell.FindAllString(line, -1) {
			if bar == "|" {
				n++
			}
		}
		if columns == 0 {
			columns = n
		}
		if n != columns {
			t.Errorf("%s:%d: %d cells, want %d: %s", path, i+1, n-1, columns-1, line)
		}
	}
}
