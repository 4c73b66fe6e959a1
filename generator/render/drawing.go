package render

import (
	"fmt"
	"html/template"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/strata-catalog/strata/generator/draw"
	"github.com/strata-catalog/strata/generator/page"
)

// diagramStyle is the style sheet of diagrams, tokenStyle the one that has the
// colours.
const (
	diagramStyle = assetFolder + "/diagram.css"
	tokenStyle   = assetFolder + "/tokens.css"
)

var rootRule = regexp.MustCompile(`:root\s*\{[^}]*\}`)

// drawingStyle is the style of a diagram that stands in a file of its own: the
// tokens of the site, and what it has on pages.
func drawingStyle(sources map[string][]byte) string {
	small, err := minified("text/css", append(slices.Clone(rootRule.Find(sources[tokenStyle])), sources[diagramStyle]...))
	if err != nil {
		return "" // the same error is reported of the asset
	}
	return string(small)
}

// rowOf is the link to the row of a layer, from the page or from elsewhere.
func rowOf(page string) func(at int) string {
	return func(at int) string { return fmt.Sprintf("%s#row-%d", page, at+1) }
}

// diagram is the picture of a template, for its page.
func diagram(t *page.Template) template.HTML {
	return template.HTML(t.Picture.SVG(draw.Options{ID: "picture", Title: "Diagram of " + t.Title, Link: rowOf("")}))
}

// drawing is the file that has the picture alone.
func (r *Renderer) drawing(t *page.Template) File {
	u := t.Data.URLs
	svg := t.Picture.SVG(draw.Options{
		ID: "picture", Title: "Diagram of " + t.Title, Style: r.theme.drawing, Link: rowOf(path.Base(u.HTML)),
	})
	return File{*u.Diagram, append(printable(svg), '\n')}
}

// marked is the picture of one side of a diff, with its differences.
func marked(d *page.Diff, p page.DiffPicture) template.HTML {
	o := draw.Options{
		ID: p.ID, Title: "Diagram of " + p.Name,
		Link: func(row int) string { return fmt.Sprintf("#r-%d", row) },
	}
	return template.HTML(strings.TrimSpace(string(p.Picture.Marked(o, d.URL(p.Path), p.Marks))))
}
