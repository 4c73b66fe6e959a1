//go:build !js

package content

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/strata-catalog/strata/generator/graph"
)

// Options say how a body becomes HTML. The zero value will do for one body
// alone on its page.
type Options struct {
	// File and Line say where the body begins, for messages.
	File string
	Line int
	// Prefix begins every id of the body. Bodies that stand on one page need
	// different ones.
	Prefix string
	// Link gives the address to write for one that is relative: a page, an
	// image, a fragment that is no heading of the body. It is not asked about
	// addresses of other sites. Its error says why there is no such address.
	// Nil leaves addresses as they are.
	Link func(address string) (string, error)
}

// prefixKey is where the footnotes of a document find their prefix.
const prefixKey = "prefix"

var markdown = goldmark.New(
	goldmark.WithExtensions(
		extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignNone)),
		extension.Strikethrough,
		extension.Linkify,
		extension.TaskList,
		extension.NewFootnote(extension.WithFootnoteIDPrefixFunction(func(n ast.Node) []byte {
			prefix, _ := n.OwnerDocument().Meta()[prefixKey].(string)
			return []byte(prefix)
		})),
	),
	goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(elements{}, 100))),
)

// HTML renders a Markdown body. Headings have ids made of their words; code in
// a known language is coloured (see Highlight); tables stand in a div of class
// scroll, their aligned cells have class left, center or right; links to other
// sites have rel="noopener". Images of other sites become links: a page of ours
// makes no request elsewhere.
//
// The error joins one *graph.Error for each address that Link refused; the HTML
// is whole all the same, without those links.
func HTML(body string, o Options) (string, error) {
	src := []byte(body)
	doc := markdown.Parser().Parse(text.NewReader(src))
	doc.OwnerDocument().AddMeta(prefixKey, o.Prefix)
	p := &preparer{Options: o, src: src, ids: map[string]int{}}
	p.prepare(doc)
	var b bytes.Buffer
	b.Grow(len(src) + len(src)/2)
	if err := markdown.Renderer().Render(&b, src, doc); err != nil {
		p.errs = append(p.errs, fmt.Errorf("%s: %w", o.File, err))
	}
	return b.String(), errors.Join(p.errs...)
}

// FirstParagraph is the first paragraph of a body as one line of plain text.
func FirstParagraph(body string) string {
	src := []byte(body)
	doc := markdown.Parser().Parse(text.NewReader(src))
	for n := doc.FirstChild(); n != nil; n = n.NextSibling() {
		if n.Kind() == ast.KindParagraph {
			return strings.Join(strings.Fields(plain(n, src)), " ")
		}
	}
	return ""
}

// preparer settles between parsing and rendering what depends on the page.
type preparer struct {
	Options
	src  []byte
	ids  map[string]int // of headings, without the prefix; how often their words came
	errs []error
}

func (p *preparer) prepare(doc ast.Node) {
	var links []ast.Node
	visit(doc, func(n ast.Node) {
		switch n := n.(type) {
		case *ast.Heading:
			n.SetAttributeString("id", []byte(p.Prefix+p.id(plain(n, p.src))))
		case *east.TableCell:
			if n.Alignment != east.AlignNone {
				n.SetAttributeString("class", []byte(n.Alignment.String()))
			}
		case *ast.Link, *ast.Image, *ast.AutoLink:
			links = append(links, n)
		}
	})
	// Inner links first: an image within a link may become text.
	for i := len(links) - 1; i >= 0; i-- {
		p.link(links[i])
	}
	slices.Reverse(p.errs)
}

func visit(n ast.Node, f func(ast.Node)) {
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			f(n)
		}
		return ast.WalkContinue, nil
	})
}

// id makes the id of a heading from its words: letters and digits of any
// script in lower case, the rest as dashes, numbered when it is there already.
func (p *preparer) id(words string) string {
	base := strings.Join(strings.FieldsFunc(strings.ToLower(words), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}), "-")
	if base == "" {
		base = "section"
	}
	id := base
	for p.ids[id] > 0 {
		p.ids[base]++
		id = fmt.Sprintf("%s-%d", base, p.ids[base])
	}
	p.ids[id]++
	return id
}

// link settles the address of a link or an image; one that may not stand
// leaves its text.
func (p *preparer) link(n ast.Node) {
	switch n := n.(type) {
	case *ast.Link:
		address, ok := p.address(n, unescape(n.Destination))
		if !ok {
			unwrap(n)
			return
		}
		n.Destination = []byte(address)
	case *ast.Image:
		address, ok := p.address(n, unescape(n.Destination))
		switch {
		case !ok:
			unwrap(n)
		case external(address) && within(n, ast.KindLink):
			unwrap(n)
		case external(address):
			replace(n, newLink(address, n.Title, ast.NewString([]byte(orElse(plain(n, p.src), address)))))
		default:
			n.Destination = []byte(address)
		}
	case *ast.AutoLink:
		label := ast.NewString(n.Label(p.src))
		label.SetRaw(true)
		address := string(n.URL(p.src))
		if n.AutoLinkType == ast.AutoLinkEmail && scheme(address) == "" {
			address = "mailto:" + address
		}
		address, ok := p.address(n, address)
		if !ok {
			replace(n, label)
			return
		}
		replace(n, newLink(address, nil, label))
	}
}

func newLink(address string, title []byte, text ast.Node) ast.Node {
	l := ast.NewLink()
	l.Destination, l.Title = []byte(address), title
	l.AppendChild(l, text)
	return l
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// address is the address to write; ok is false when none may be.
func (p *preparer) address(n ast.Node, to string) (address string, ok bool) {
	switch s := scheme(to); {
	case s == "http", s == "https", s == "mailto":
		return to, true
	case s != "" || strings.ContainsFunc(to, unicode.IsControl):
		return "", false
	case strings.HasPrefix(to, "//"):
		return to, true
	}
	if id, fragment := strings.CutPrefix(to, "#"); fragment && p.ids[id] > 0 {
		return "#" + p.Prefix + id, true
	}
	if p.Link == nil {
		return to, true
	}
	address, err := p.Link(to)
	if err != nil {
		p.errs = append(p.errs, &graph.Error{Position: p.position(n), Msg: fmt.Sprintf("link to %q: %v", to, err)})
		return "", false
	}
	return address, true
}

// position is where a node stands in the file of the body.
func (p *preparer) position(n ast.Node) graph.Position {
	for n != nil && n.Pos() < 0 {
		n = n.Parent()
	}
	if n == nil || p.Line == 0 {
		return graph.Position{File: p.File}
	}
	at := (&graph.Source{Name: p.File, Text: string(p.src)}).At(n.Pos())
	at.Line += p.Line - 1
	return at
}

// scheme is what stands before the first colon of an address, in lower case,
// and "" for an address without one. Spaces and control characters do not
// count, as browsers do not count them.
func scheme(address string) string {
	address = strings.Map(func(r rune) rune {
		if r <= ' ' || unicode.IsControl(r) {
			return -1
		}
		return r
	}, address)
	if end := strings.IndexAny(address, ":/?#"); end > 0 && address[end] == ':' {
		return strings.ToLower(address[:end])
	}
	return ""
}

func external(address string) bool {
	s := scheme(address)
	return s == "http" || s == "https" || s == "" && strings.HasPrefix(address, "//")
}

// unescape resolves the backslashes and entities of Markdown.
func unescape(b []byte) string {
	return string(util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(b))))
}

func within(n ast.Node, kind ast.NodeKind) bool {
	for n = n.Parent(); n != nil; n = n.Parent() {
		if n.Kind() == kind {
			return true
		}
	}
	return false
}

func replace(n, by ast.Node) { n.Parent().ReplaceChild(n.Parent(), n, by) }

// unwrap puts the children of a node in its place.
func unwrap(n ast.Node) {
	parent := n.Parent()
	for c := n.FirstChild(); c != nil; c = n.FirstChild() {
		n.RemoveChild(n, c)
		parent.InsertBefore(parent, n, c)
	}
	parent.RemoveChild(parent, n)
}

// plain is the text of a node without markup.
func plain(n ast.Node, src []byte) string {
	var b strings.Builder
	writePlain(&b, n, src)
	return b.String()
}

func writePlain(b *strings.Builder, n ast.Node, src []byte) {
	switch n := n.(type) {
	case *ast.Text:
		if value := n.Segment.Value(src); n.IsRaw() || within(n, ast.KindCodeSpan) {
			b.Write(value)
		} else {
			b.WriteString(unescape(value))
		}
		if n.SoftLineBreak() || n.HardLineBreak() {
			b.WriteByte(' ')
		}
	case *ast.String:
		b.Write(n.Value)
	case *ast.AutoLink:
		b.Write(n.Label(src))
	case *ast.RawHTML:
		if raw := n.Segments.Value(src); !comment(raw) {
			b.Write(raw)
		}
	}
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		writePlain(b, c, src)
	}
}
