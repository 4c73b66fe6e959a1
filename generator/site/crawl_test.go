package site_test

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"os"

	"github.com/strata-catalog/strata/generator/site"
)

// A parsed page: its ids, and the addresses that it refers to.
type parsed struct {
	ids   map[string]bool
	links []string
	bad   []string
}

// void elements have no end tag.
var void = []string{"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}

// parse reads HTML token by token and is stricter than a browser: every element
// is closed in order, ids stand once, nothing runs inline.
func parse(src []byte) *parsed {
	p := &parsed{ids: map[string]bool{}}
	var open []string
	z := html.NewTokenizer(bytes.NewReader(src))
	for {
		switch z.Next() {
		case html.ErrorToken:
			if z.Err() != io.EOF || len(open) > 0 {
				p.bad = append(p.bad, fmt.Sprintf("ends with %v open: %v", open, z.Err()))
			}
			return p
		case html.StartTagToken:
			t := z.Token()
			p.element(t)
			if !slices.Contains(void, t.Data) {
				open = append(open, t.Data)
			}
		case html.SelfClosingTagToken:
			p.element(z.Token())
		case html.EndTagToken:
			t := z.Token()
			if len(open) == 0 || open[len(open)-1] != t.Data {
				p.bad = append(p.bad, fmt.Sprintf("</%s> closes %v", t.Data, open))
				return p
			}
			open = open[:len(open)-1]
		}
	}
}

func (p *parsed) element(t html.Token) {
	seen := map[string]bool{}
	for _, a := range t.Attr {
		switch {
		case strings.HasPrefix(a.Key, "on"), a.Key == "style":
			p.bad = append(p.bad, fmt.Sprintf("<%s> has %s=%q, which the policy forbids", t.Data, a.Key, a.Val))
		case a.Key == "id" && p.ids[a.Val]:
			p.bad = append(p.bad, fmt.Sprintf("two elements have the id %q", a.Val))
		case a.Key == "id" && (a.Val == "" || strings.ContainsAny(a.Val, " \t\n")):
			p.bad = append(p.bad, fmt.Sprintf("%q is no id", a.Val))
		case a.Key == "id":
			p.ids[a.Val] = true
		case a.Key == "href", a.Key == "src":
			p.links = append(p.links, a.Val)
		case a.Key == "aria-labelledby", a.Key == "aria-describedby":
			p.links = append(p.links, "#"+a.Val)
		}
		seen[a.Key] = true
	}
	if t.Data == "img" && !seen["alt"] {
		p.bad = append(p.bad, "an image has no alt")
	}
	if t.Data == "script" && !seen["src"] {
		p.bad = append(p.bad, "a script stands in the page, which the policy forbids")
	}
}

// crawl reads every page of a site that is published at base, and follows
// every link within it.
func crawl(t *testing.T, m *site.Memory, base string) {
	t.Helper()
	pages := map[string]*parsed{}
	for _, path := range m.Paths() {
		switch src := []byte(file(t, m, path)); filepath.Ext(path) {
		case ".html":
			pages[path] = parse(src)
		case ".svg":
			pages[path] = parse(src)
			if err := xml.Unmarshal(src, new(struct{})); err != nil {
				t.Errorf("%s: %v", path, err)
			}
		case ".xml":
			if err := xml.Unmarshal(src, new(struct{})); err != nil {
				t.Errorf("%s: %v", path, err)
			}
		}
	}
	root, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	for path, p := range pages {
		for _, bad := range p.bad {
			t.Errorf("%s: %s", path, bad)
		}
		at := root.JoinPath(path)
		if path == "404.html" { // it is served at any address
			at = root.JoinPath("a", "b", "c")
		}
		for _, link := range p.links {
			follow(t, m, pages, root, at, path, link)
		}
	}
}

func follow(t *testing.T, m *site.Memory, pages map[string]*parsed, root, at *url.URL, path, link string) {
	t.Helper()
	u, err := at.Parse(link)
	if err != nil {
		t.Errorf("%s: link %q: %v", path, link, err)
		return
	}
	if u.Host != root.Host {
		if u.Scheme != "https" && u.Scheme != "http" && u.Scheme != "mailto" {
			t.Errorf("%s: link %q has the scheme %q", path, link, u.Scheme)
		}
		return
	}
	target, ok := strings.CutPrefix(u.Path, root.Path)
	if !ok {
		t.Errorf("%s: link %q leaves the site at %s", path, link, root.Path)
		return
	}
	if target == "" || strings.HasSuffix(target, "/") {
		target += "index.html"
	}
	if path == "404.html" && strings.HasPrefix(link, "#") {
		target = path
	}
	if _, ok := m.File(target); !ok {
		t.Errorf("%s: link %q leads to %s, which is not there", path, link, target)
		return
	}
	if p := pages[target]; u.Fragment != "" && (p == nil || !p.ids[u.Fragment]) {
		t.Errorf("%s: link %q leads to no id of %s", path, link, target)
	}
}

// Every link and every asset is found wherever the site stands (D93).
func TestCrawl(t *testing.T) {
	for _, base := range []string{"", "https://example.org/", "https://example.org/a/sub/path/"} {
		c := sample(t)
		c.BaseURL = base
		if base == "" {
			base = "http://localhost/"
		}
		crawl(t, build(t, c), base)
	}
}

// The project's own catalog, and graphs that nobody here wrote.
func TestCrawlCatalogs(t *testing.T) {
	for _, c := range []struct{ templates, content string }{
		{"../../templates", "../../content"},
		{"../../../shared/zoo", ""},
		{"../../../shared/reference/graphs", ""},
	} {
		t.Run(c.templates, func(t *testing.T) {
			if _, err := os.Stat(c.templates); err != nil {
				t.Skip("the folder is not beside the checkout")
			}
			config := site.Config{Templates: os.DirFS(c.templates), BaseURL: "https://example.org/cat/", KeepGoing: true}
			if c.content != "" {
				config.Content = os.DirFS(c.content)
			}
			m := &site.Memory{}
			r, err := site.Build(config, m)
			if err != nil {
				t.Fatal(err)
			}
			if c.content != "" && len(r.Problems) > 0 {
				t.Errorf("problems: %v", r.Problems)
			}
			crawl(t, m, config.BaseURL)
		})
	}
}

// The crawl itself finds what it is meant to find.
func TestCrawlFinds(t *testing.T) {
	for src, want := range map[string]string{
		`<p><b>x</p></b>`:                     "closes",
		`<p>x`:                                "open",
		`<p id="a"></p><p id="a"></p>`:        "two elements",
		`<p onclick="x()"></p>`:               "onclick",
		`<p style="x"></p>`:                   "style",
		`<script>x</script>`:                  "script",
		`<img src="x">`:                       "alt",
		`<p id="a b"></p>`:                    "no id",
		`<!doctype html><p id="a">x<br>y</p>`: "",
	} {
		bad := strings.Join(parse([]byte(src)).bad, "; ")
		if want == "" && bad != "" || !strings.Contains(bad, want) {
			t.Errorf("parse(%s) finds %q, want %q", src, bad, want)
		}
	}
}
