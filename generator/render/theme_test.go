package render

import (
	"io/fs"
	"regexp"
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

// What a style sheet takes from tokens.css, and never writes itself.
var (
	cssComment  = regexp.MustCompile(`(?s)/\*.*?\*/`)
	declaration = regexp.MustCompile(`(?:^|[{;\s])(--[\w-]+|[a-z-]+)\s*:\s*([^:;{}]+)(?:[;}])`)
	rawColour   = regexp.MustCompile(`#[0-9A-Fa-f]{3,8}\b|\b(?:rgb|hsl|hwb|lab|lch|oklab|oklch|light-dark)a?\(|\b(?:white|black|gray|grey|red|green|blue)\b`)
	scaled      = regexp.MustCompile(`^(?:font(?:-size)?|(?:margin|padding)(?:-[a-z]+)*|(?:row-|column-)?gap|border-radius)$`)
	rawSize     = regexp.MustCompile(`(?:^|[\s(,-])(?:\d*\.)?\d+(?:rem|px|pt|vh|vw)\b`)
	used        = regexp.MustCompile(`var\((--[\w-]+)`)
	defined     = regexp.MustCompile(`(--[\w-]+)["']?\s*[:,]`) // in a sheet, or by setProperty in a script
)

// strays are the colours, and the sizes of letters, spaces and corners, that a
// style sheet writes itself.
func strays(css string) (list []string) {
	for _, d := range declaration.FindAllStringSubmatch(cssComment.ReplaceAllString(css, ""), -1) {
		if rawColour.MatchString(d[2]) || scaled.MatchString(d[1]) && rawSize.MatchString(d[2]) {
			list = append(list, d[1]+": "+strings.TrimSpace(d[2]))
		}
	}
	return list
}

// TestTokens: colours, and the scales of type, space and corners, stand in
// tokens.css alone, and nothing is taken that is nowhere defined.
func TestTokens(t *testing.T) {
	sources, err := gather([]fs.FS{themes.Default()})
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, name := range sorted(sources, assetFolder) {
		for _, m := range defined.FindAllSubmatch(sources[name], -1) {
			known[string(m[1])] = true
		}
	}
	for _, name := range sorted(sources, assetFolder) {
		if !strings.HasSuffix(name, ".css") {
			continue
		}
		if name != tokenStyle {
			for _, s := range strays(string(sources[name])) {
				t.Errorf("%s: %s; take it from a token, and make one in %s if none fits", name, s, tokenStyle)
			}
		}
		for _, m := range used.FindAllSubmatch(sources[name], -1) {
			if !known[string(m[1])] {
				t.Errorf("%s: %s is nowhere defined", name, m[1])
			}
		}
	}
}

// The test finds what it is meant to find.
func TestStrays(t *testing.T) {
	for css, want := range map[string]string{
		"a { color: #fff; }":                                      "color: #fff",
		"a{color:rgb(0 0 0)}":                                     "color: rgb(0 0 0)",
		"a { border: 1px solid black; }":                          "border: 1px solid black",
		"a { --own: light-dark(#000, #fff); }":                    "--own: light-dark(#000, #fff)",
		"a { font-size: 0.8rem; }":                                "font-size: 0.8rem",
		"a { margin: 0 auto -1rem; }":                             "margin: 0 auto -1rem",
		"a { padding-block: calc(2 * 3px); }":                     "padding-block: calc(2 * 3px)",
		"a { border-radius: 4px } b { gap: 1rem; }":               "border-radius: 4px; gap: 1rem",
		"a { padding: var(--space-2) 0; margin: 1.2em 5% 0; }":    "",
		"a { border: 1px solid var(--line); width: 9.5rem; }":     "",
		"/* #fff */ a { font: inherit; color: currentcolor; }":    "",
		"@media (max-width: 40rem) { a { gap: var(--space-4) } }": "",
	} {
		if got := strings.Join(strays(css), "; "); got != want {
			t.Errorf("strays(%s) = %q, want %q", css, got, want)
		}
	}
}
