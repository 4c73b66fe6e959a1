package render

import (
	"bytes"
	"fmt"
	"html/template"
	"io/fs"
	"sync"

	"github.com/strata-catalog/strata/generator/content"
	"github.com/strata-catalog/strata/generator/facts"
	"github.com/strata-catalog/strata/generator/graph"
	"github.com/strata-catalog/strata/generator/page"
)

// A File is a finished file of the site.
type File struct {
	Path string // from the root of the site
	Data []byte
}

// A Renderer makes files of pages. It is safe for concurrent use.
type Renderer struct{ theme *theme }

// New loads a theme from its folders; files of a later folder replace those of
// the same name in an earlier one. The error says what is wrong with the theme,
// by file and line.
func New(folders ...fs.FS) (*Renderer, error) {
	return (&Renderer{}).Again(folders...)
}

// Again is New for folders that were read before: the Renderer itself where
// nothing in them has changed.
func (r *Renderer) Again(folders ...fs.FS) (*Renderer, error) {
	sources, err := gather(folders)
	if err != nil {
		return nil, err
	}
	sum := checksum(sources)
	if r.theme != nil && r.theme.sum == sum {
		return r, nil
	}
	t, err := load(sources)
	if err != nil {
		return nil, err
	}
	t.sum = sum
	return &Renderer{t}, nil
}

// Sum is a checksum of the theme.
func (r *Renderer) Sum() string { return r.theme.sum }

// Assets are the files of the theme.
func (r *Renderer) Assets() []File { return r.theme.files }

// Render makes the files of a page, given its data.
func (r *Renderer) Render(data any) ([]File, error) {
	switch d := data.(type) {
	case *page.Template:
		return r.template(d)
	case *page.Diff:
		return r.diff(d)
	case *page.Diffs:
		return r.html(diffsLayout, d.Path, d)
	case *page.Catalog:
		return r.html(catalogLayout, d.Path, d)
	case *page.Compare:
		return r.html(compareLayout, d.Path, d)
	case *page.Workbench:
		return r.html(workbenchLayout, d.Path, d)
	case *page.Layers:
		return r.html(layersLayout, d.Path, d)
	case *page.Layer:
		return r.html(layerLayout, d.Path, d)
	case *page.Rules:
		return r.html(rulesLayout, d.Path, d)
	case *page.Content:
		return r.html(contentLayout, d.Path, d)
	case *page.NotFound:
		return r.html(missingLayout, d.Path, d)
	case *page.Index:
		return index(d)
	case *page.Guide:
		return []File{{d.Path, guide(d)}}, nil
	case *page.Map:
		return []File{{page.SiteMap, siteMap(d)}}, nil
	case *page.Feed:
		return []File{{d.Path, feed(d)}}, nil
	case *page.Card:
		return r.card(d)
	case *page.Text:
		return []File{{d.Path, []byte(d.Body)}}, nil
	}
	return nil, fmt.Errorf("render: no page is made of a %T", data)
}

// spare is memory of files that have been written, for those of other pages.
var spare sync.Pool

// room is empty memory for about so many bytes.
func room(bytes int) []byte {
	if b, ok := spare.Get().(*[]byte); ok && cap(*b) >= bytes {
		return (*b)[:0]
	}
	return make([]byte, 0, bytes)
}

// Release gives back the memory of files that Render returned: nobody may read
// them after that. It is no duty, but saves most of the work of the garbage
// collector.
func Release(files []File) {
	for i := range files {
		if b := files[i].Data; cap(b) >= 1<<12 {
			spare.Put(&b)
		}
	}
}

// html executes a layout.
func (r *Renderer) html(layout, path string, data any) ([]File, error) {
	b := bytes.NewBuffer(room(0))
	if err := r.theme.layouts[layout].Execute(b, data); err != nil {
		return nil, fmt.Errorf("%s: theme: %w", path, err)
	}
	return []File{{path, printable(b.Bytes())}}, nil
}

// template makes the page, its Markdown twin, the analysis and the graph.
func (r *Renderer) template(t *page.Template) ([]File, error) {
	files, err := r.html(templateLayout, t.Path, t)
	if err != nil {
		return nil, err
	}
	analysis, err := facts.AppendJSON(room(512*len(t.Data.Rows)), t.Data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.Data.URLs.JSON, err)
	}
	u := t.Data.URLs
	if u.Diagram != nil {
		files = append(files, r.drawing(t))
	}
	files = append(files, File{u.Markdown, markdown(t)}, File{u.JSON, analysis}, File{u.Graph, graph.Encode(t.Graph)})
	if t.Code != nil {
		files = append(files, File{t.Code.Path, []byte(t.Code.Source)})
	}
	if t.Written != nil {
		src, err := facts.JSON(t.Written)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", page.WrittenPath(t.Written.ID), err)
		}
		files = append(files, File{page.WrittenPath(t.Written.ID), src})
	}
	return files, nil
}

// functions are what layouts may call, beside the methods of the data.
var functions = template.FuncMap{
	"structure":   structure,
	"ledger":      ledger,
	"bar":         bar,
	"diagram":     diagram,
	"marked":      marked,
	"strip":       strip,
	"diffrows":    diffRows,
	"plot":        plot,
	"headings":    tableHeadings,
	"items":       items,
	"asks":        asks,
	"factlist":    factList,
	"notelist":    noteList,
	"formats":     formatOptions,
	"cards":       cardOptions,
	"rows":        tableRows,
	"python":      python,
	"body":        func(html string) template.HTML { return template.HTML(html) }, // made by package content, which escapes
	"count":       count,
	"exact":       exact,
	"work":        work,
	"sum":         sum,
	"code":        func(language, src string) template.HTML { return template.HTML(content.Highlight(language, src)) },
	"profile":     profile,
	"memorychart": memoryChart,
}

// mostColoured is how many bytes of code have colours on a page: each token is an
// element, and a browser is slow with tens of thousands.
const mostColoured = 64 << 10

// python is source code as HTML.
func python(src string) template.HTML {
	if len(src) > mostColoured {
		return template.HTML(template.HTMLEscapeString(src))
	}
	return template.HTML(content.Highlight("python", src)) // escapes too
}
