package render

import (
	"bytes"
	"encoding/xml"
	"fmt"

	"github.com/strata-catalog/strata/generator/content"
	"github.com/strata-catalog/strata/generator/facts"
	"github.com/strata-catalog/strata/generator/format"
	"github.com/strata-catalog/strata/generator/page"
)

// index makes the lists of all templates, and the schemas of what is published.
func index(x *page.Index) ([]File, error) {
	files := []File{{page.IndexMarkdown, indexMarkdown(x)}}
	for _, f := range []struct {
		path string
		data any
	}{
		{page.IndexJSON, x},
		{page.IndexSchema, x.Base.Site.IndexSchemaOf()},
		{page.TemplateSchema, x.Base.Site.TemplateSchemaOf()},
		{page.DiffSchema, x.Base.Site.DiffSchemaOf()},
	} {
		data, err := facts.JSON(f.data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.path, err)
		}
		files = append(files, File{f.path, data})
	}
	return files, nil
}

var indexColumns = []page.Column{{Text: "Architecture"}, {Text: "Category"}, {Text: "Parameters", Number: true}, {Text: "Layers", Number: true}, {Text: "MACs", Number: true}, {Text: "Verdict"}, {Text: "Description"}}

var diffIndexColumns = []page.Column{{Text: "Diff"}, {Text: "Parameters", Number: true}, {Text: "Layers", Number: true}, {Text: "Difference"}}

func indexMarkdown(x *page.Index) []byte {
	w := &text{}
	w.raw("# ")
	w.paragraph(x.Base.Title)
	w.paragraph(x.Base.Description)
	w.raw(plural(x.Count, "architecture"), ". The same as data: ", x.Base.Absolute(page.IndexJSON), "\n\n")
	w.head(indexColumns)
	for i := range x.Templates {
		e := &x.Templates[i]
		w.raw("| [", content.Cell(e.Name), "](", x.Base.Absolute(e.URLs.Markdown), ") ")
		w.row(e.Category, atLeast(e.ParametersWhole)+format.Exact64(e.Parameters), fmt.Sprint(e.Layers), atLeast(e.MACsWhole)+format.Exact(e.MACs), string(e.Verdict), e.Description)
	}
	if len(x.Diffs) == 0 {
		return w.b
	}
	w.raw("\n## Diffs\n\n")
	w.head(diffIndexColumns)
	for _, d := range x.Diffs {
		w.raw("| [", content.Cell(d.Title), "](", x.Base.Absolute(d.URLs.Markdown), ") ")
		w.row(page.Bounded(format.Exact64(d.ParametersDelta), d.ParametersBound), fmt.Sprint(d.LayersDelta), d.Headline)
	}
	return w.b
}

// atLeast begins a number that is a lower bound.
func atLeast(whole bool) string {
	if whole {
		return ""
	}
	return "at least "
}

// guide is llms.txt (https://llmstxt.org): a summary, and links to what a
// program can read.
func guide(g *page.Guide) []byte {
	w := &text{}
	w.raw("# ")
	w.paragraph(g.Title)
	if g.Description != "" {
		w.raw("> ")
		w.paragraph(g.Description)
	}
	w.raw("Each architecture has its layers with their shapes, its parameters counted from named tensors, ",
		"estimates of memory and cost, and the findings of a verifier. The page `<id>.html` has a Markdown twin, ",
		"`<id>.md`, and everything as data, `<id>.json`.\n\n## Data\n\n")
	link := func(path, title, note string) {
		w.raw("- [", content.EscapeMarkdown(title), "](", g.Absolute(path), ")")
		if note != "" {
			w.raw(": ", content.EscapeMarkdown(note))
		}
		w.raw("\n")
	}
	link(page.IndexJSON, "Index", "every architecture with its totals, and every diff, as JSON")
	link(page.IndexMarkdown, "Index as a table", "the same in Markdown")
	link(page.IndexSchema, "JSON Schema of the index", "")
	link(page.TemplateSchema, "JSON Schema of an architecture", "")
	link(page.DiffSchema, "JSON Schema of a diff", "")
	link(page.GraphSchema, "JSON Schema of graph documents", "")
	w.raw("\n## Architectures\n\n")
	for i := range g.Entries {
		e := &g.Entries[i]
		note := fmt.Sprintf("%s%s parameters", atLeast(e.ParametersWhole), format.Count64(e.Parameters))
		if e.Description != "" {
			note = e.Description + " (" + note + ")"
		}
		link(e.URLs.Markdown, e.Name, note)
	}
	if g.Count > 0 {
		w.printf("\n## Diffs\n\nA diff sets two architectures side by side, row by row, and says what each change costs. The site has %s, which the index lists: `diff/<a>-vs-<b>.md`, with `.html` and `.json` beside it.\n\n", plural(g.Count, "diff"))
		for _, d := range g.Diffs {
			link(d.URLs.Markdown, d.Title, d.Headline)
		}
	}
	if len(g.Pages) == 0 {
		return w.b
	}
	w.raw("\n## Optional\n\n")
	for _, p := range g.Pages {
		link(p.Path, p.Text, p.Note)
	}
	return w.b
}

func siteMap(m *page.Map) []byte {
	var b bytes.Buffer
	b.WriteString(xml.Header + `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` + "\n")
	for _, u := range m.URLs {
		fmt.Fprintf(&b, "<url><loc>%s</loc></url>\n", xmlText(u))
	}
	b.WriteString("</urlset>\n")
	return b.Bytes()
}

func feed(f *page.Feed) []byte {
	var b bytes.Buffer
	author := f.Site.Author
	if author == "" {
		author = f.Site.Title
	}
	fmt.Fprintf(&b, xml.Header+`<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="%s">
<id>%s</id>
<title>%s</title>
<subtitle>%s</subtitle>
<updated>%s</updated>
<author><name>%s</name></author>
<link rel="self" type="application/atom+xml" href="%s"/>
<link rel="alternate" type="text/html" href="%s"/>
`, xmlText(f.Site.Language), f.ID, xmlText(f.Title), xmlText(f.Description), f.Updated, xmlText(author), xmlText(f.Self), xmlText(f.Home))
	for _, e := range f.Entries {
		fmt.Fprintf(&b, `<entry>
<id>%s</id>
<title>%s</title>
<updated>%s</updated>
<link rel="alternate" type="text/html" href="%s"/>
<summary>%s</summary>
</entry>
`, e.ID, xmlText(e.Title), e.Updated, xmlText(e.URL), xmlText(e.Summary))
	}
	b.WriteString("</feed>\n")
	return b.Bytes()
}
