package render

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/strata-catalog/strata/themes"
)

func folder(namesAndTexts ...string) fs.FS {
	f := fstest.MapFS{}
	for i := 0; i < len(namesAndTexts); i += 2 {
		f[namesAndTexts[i]] = &fstest.MapFile{Data: []byte(namesAndTexts[i+1])}
	}
	return f
}

// TestThemeErrors: what is wrong with a theme is said when it is loaded.
func TestThemeErrors(t *testing.T) {
	for name, c := range map[string]struct {
		own  fs.FS
		want string
	}{
		"unknown layout":   {folder("layouts/catalogue.html", ""), `layouts/catalogue.html is no layout; nearest is "catalog.html"`},
		"misplaced file":   {folder("site.css", ""), "site.css has no place in a theme"},
		"part of a kind":   {folder("layouts/parts/x.txt", ""), "layouts/parts/x.txt has no place in a theme"},
		"syntax":           {folder("layouts/catalog.html", "\n{{define \"main\"}}{{if}}{{end}}"), "layouts/catalog.html"},
		"no main":          {folder("layouts/catalog.html", "<p>x</p>"), `layouts/catalog.html does not define "main"`},
		"unknown function": {folder("layouts/parts/footer.html", "{{footnote}}"), "layouts/parts/footer.html"},
		"asset in a style": {folder("assets/site.css", "body{background:url(pictrue.png)}", "assets/picture.png", "x"), `assets/site.css refers to "pictrue.png", which is no asset; nearest is "picture.png"`},
		"style":            {folder("assets/site.js", "let ="), "assets/site.js"},
	} {
		if _, err := New(themes.Default(), c.own); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
	}
	if _, err := New(folder()); err == nil || !strings.Contains(err.Error(), "is missing") {
		t.Errorf("a theme without files: error %v", err)
	}
}

// Assets are named after their content, and style sheets refer to those names.
func TestAssets(t *testing.T) {
	r, err := New(themes.Default(), folder(
		"assets/css/own.css", "a { background: url('../img/dot.png') } b { background: url(data:image/png;base64,x) }",
		"assets/img/dot.png", "dot", "assets/.DS_Store", "junk",
	))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, f := range r.Assets() {
		parts := strings.Split(f.Path, ".")
		if len(parts) != 3 || len(parts[1]) != 10 {
			t.Errorf("%s has no checksum in its name", f.Path)
		}
		found[parts[0]+"."+parts[2]] = string(f.Data)
	}
	dot := r.theme.assets["img/dot.png"]
	if want := "a{background:url(../" + strings.TrimPrefix(dot, "assets/") + ")}b{background:url(data:image/png;base64,x)}"; found["assets/css/own.css"] != want {
		t.Errorf("the style sheet is %q, want %q", found["assets/css/own.css"], want)
	}
	own, err := fs.Glob(themes.Default(), "assets/*")
	if err != nil {
		t.Fatal(err)
	}
	if found["assets/img/dot.png"] != "dot" || found["assets/site.css"] == "" || len(found) != len(own)+2 {
		t.Errorf("assets %v", found)
	}
}
