package render

import (
	"html/template"
	"io/fs"
	"testing"
	"testing/fstest"

	"github.com/strata-catalog/strata/generator/page"
	"github.com/strata-catalog/strata/themes"
)

func TestAlike(t *testing.T) {
	for _, c := range []struct {
		part string
		want bool
	}{
		{`<p>text</p>`, true},
		{`{{.Site.Title}} {{.URL "a.html"}} {{.URL (asset "site.css")}}`, true},
		{`{{range .Site.Menu}}<a href="{{$.URL .Path}}"{{if $.Here .Path}} x{{end}}>{{.Text}}</a>{{else}}{{.Site.Title}}{{end}}`, true},
		{`{{with .Site.SourceURL}}{{.}}{{end}}`, true},
		{`{{if .Here "index.html"}}x{{end}}`, true},
		{`{{if .Here "layers/relu.html"}}x{{end}}`, false},
		{`{{.Title}}`, false},
		{`{{.Path}}`, false},
		{`{{.}}`, false},
		{`{{with .Site.SourceURL}}{{$.Title}}{{end}}`, false},
		{`{{range .Site.Menu}}{{else}}{{.Title}}{{end}}`, false},
		{`{{range .Alternates}}{{.Path}}{{end}}`, false},
		{`{{diffrows .}}`, false},
		{`{{if .Title}}x{{end}}`, false},
		{`{{$x := .Title}}{{$x}}`, false},
		{`{{template "other" .}}`, false},
	} {
		x := template.Must(template.New("part").Funcs(functions).Funcs(template.FuncMap{"asset": (&theme{}).asset}).Parse(c.part + `{{define "other"}}{{end}}`))
		if got := alike(x.Tree.Root, true); got != c.want {
			t.Errorf("%s: alike is %t, want %t", c.part, got, c.want)
		}
	}
}

// The parts of the default theme say on each page what they would without once,
// in any order of sites, folders and pages.
func TestOnce(t *testing.T) {
	own := fstest.MapFS{"layouts/parts/header.html": {Data: []byte(`<p>{{.Title}}`)}}
	for name, folders := range map[string][]fs.FS{"default": {themes.Default()}, "a header with a title": {themes.Default(), own}} {
		r, err := New(folders...)
		if err != nil {
			t.Fatal(err)
		}
		o := &r.theme.once
		if same := o.same["header.html"]; same != (name == "default") || !o.same["footer.html"] || !o.same["links.html"] {
			t.Errorf("%s: parts that are the same are %v", name, o.same)
		}
		sites := []*page.Site{
			{Title: "One", Menu: []page.Item{{Text: "Text", Path: "text.html"}}},
			{Title: "Two", SourceURL: "https://example.org/", Menu: []page.Item{{Text: "Deep", Path: "a/deep.html"}}},
		}
		for range 2 {
			for _, s := range sites {
				for _, path := range []string{"index.html", "text.html", "a/x.html", "a/y.html", "a/deep.html", "a/b/c.html", "404.html"} {
					p := &page.NotFound{Base: page.Base{Site: s, Path: path, Title: path, Rooted: path == "404.html"}}
					for _, part := range []string{"header.html", "footer.html", "links.html"} {
						got, err1 := o.execute(part, p)
						want, err2 := o.made(part, p)
						if err1 != nil || err2 != nil || got != want {
							t.Errorf("%s: %s on %s of %s is\n%s\nwant\n%s (%v, %v)", name, part, path, s.Title, got, want, err1, err2)
						}
					}
				}
			}
		}
	}
}
