//go:build !js

package content

import (
	"bytes"
	"regexp"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/util"
)

// elements writes what the site wants otherwise than goldmark does. The
// addresses of links are settled when it is called: it escapes them, and does
// not resolve their entities a second time.
type elements struct{}

// RegisterFuncs is goldmark's list of what a renderer writes.
func (e elements) RegisterFuncs(reg renderer.NodeRendererFuncRegisterer) {
	reg.Register(ast.KindLink, e.link)
	reg.Register(ast.KindImage, e.image)
	reg.Register(ast.KindRawHTML, e.rawHTML)
	reg.Register(ast.KindHTMLBlock, e.htmlBlock)
	reg.Register(ast.KindFencedCodeBlock, e.code)
	reg.Register(ast.KindCodeBlock, e.code)
	reg.Register(east.KindTable, e.table)
	reg.Register(east.KindTaskCheckBox, e.checkBox)
}

func (elements) link(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	n := node.(*ast.Link)
	if !entering {
		_, err := w.WriteString("</a>")
		return ast.WalkContinue, err
	}
	w.WriteString(`<a href="`)
	w.Write(attribute(n.Destination))
	title(w, n.Title)
	if external(string(n.Destination)) {
		w.WriteString(`" rel="noopener`)
	}
	_, err := w.WriteString(`">`)
	return ast.WalkContinue, err
}

func (elements) image(w util.BufWriter, src []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	n := node.(*ast.Image)
	if !entering {
		return ast.WalkContinue, nil
	}
	w.WriteString(`<img src="`)
	w.Write(attribute(n.Destination))
	w.WriteString(`" alt="`)
	w.Write(util.EscapeHTML([]byte(plain(n, src))))
	title(w, n.Title)
	_, err := w.WriteString(`" loading="lazy">`)
	return ast.WalkSkipChildren, err
}

// attribute is an address as it stands between quotes.
func attribute(address []byte) []byte {
	return util.EscapeHTML(util.URLEscape(address, false))
}

// title goes on within the quotes of an attribute, as its callers do.
func title(w util.BufWriter, text []byte) {
	if len(text) > 0 {
		w.WriteString(`" title="`)
		html.DefaultWriter.Write(w, text)
	}
}

func (elements) rawHTML(w util.BufWriter, src []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if text := node.(*ast.RawHTML).Segments.Value(src); entering && !comment(text) {
		w.Write(util.EscapeHTML(text))
	}
	return ast.WalkSkipChildren, nil
}

func (elements) htmlBlock(w util.BufWriter, src []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	n := node.(*ast.HTMLBlock)
	if !entering {
		return ast.WalkContinue, nil
	}
	text := n.Lines().Value(src)
	if n.HasClosure() {
		text = append(text, n.ClosureLine.Value(src)...)
	}
	if text = bytes.TrimSpace(text); comment(text) {
		return ast.WalkContinue, nil
	}
	w.WriteString("<p>")
	w.Write(util.EscapeHTML(text))
	_, err := w.WriteString("</p>\n")
	return ast.WalkContinue, err
}

// comment reports whether raw HTML is one comment and nothing else: it is for
// those who edit the file, not for readers.
func comment(raw []byte) bool {
	return bytes.HasPrefix(raw, []byte("<!--")) && bytes.Index(raw, []byte("-->")) == len(raw)-len("-->")
}

var languageName = regexp.MustCompile(`^[A-Za-z0-9_.+#-]+$`)

// code writes a block that the keyboard can scroll.
func (elements) code(w util.BufWriter, src []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	language := ""
	if n, ok := node.(*ast.FencedCodeBlock); ok {
		language = string(n.Language(src))
	}
	w.WriteString(`<pre tabindex="0"><code`)
	if languageName.MatchString(language) {
		w.WriteString(` class="language-` + language + `"`)
	}
	w.WriteByte('>')
	w.WriteString(Highlight(language, string(node.Lines().Value(src))))
	_, err := w.WriteString("</code></pre>\n")
	return ast.WalkSkipChildren, err
}

func (elements) table(w util.BufWriter, _ []byte, _ ast.Node, entering bool) (ast.WalkStatus, error) {
	tag := "</table>\n</div>\n"
	if entering {
		tag = "<div class=\"scroll\" tabindex=\"0\">\n<table>\n"
	}
	_, err := w.WriteString(tag)
	return ast.WalkContinue, err
}

func (elements) checkBox(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	box := `<input type="checkbox" disabled aria-label="to do"> `
	if node.(*east.TaskCheckBox).IsChecked {
		box = `<input type="checkbox" disabled checked aria-label="done"> `
	}
	_, err := w.WriteString(box)
	return ast.WalkContinue, err
}
