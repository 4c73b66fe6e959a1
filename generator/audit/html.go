package audit

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// document is what is known of a page.
type document struct {
	ids    map[string]bool
	links  []link
	faults Faults
}

// link is an address that a page refers to, with its place.
type link struct {
	address      string
	script       bool // it is run
	line, column int
}

// void elements have no end tag.
var void = []string{"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}

// place counts lines and columns, both from 1; a column is a byte.
type place struct{ line, column int }

func (p *place) pass(src []byte) {
	if n := bytes.Count(src, []byte("\n")); n > 0 {
		p.line += n
		p.column = len(src) - bytes.LastIndexByte(src, '\n')
		return
	}
	p.column += len(src)
}

// parser reads HTML token by token and is stricter than a browser: every
// element is closed in order, ids stand once, nothing runs inline.
type parser struct {
	*document
	file string
	at   place
	open []opened
}

type opened struct {
	name string
	at   place
}

func parse(file string, src []byte) *document {
	p := &parser{document: &document{ids: map[string]bool{}}, file: file, at: place{1, 1}}
	z := html.NewTokenizer(bytes.NewReader(src))
	typed := false
	for {
		kind := z.Next()
		raw := slices.Clone(z.Raw())
		switch kind {
		case html.ErrorToken:
			if z.Err() != io.EOF {
				p.fault("%v", z.Err())
			}
			for _, o := range p.open {
				p.at = o.at
				p.fault("<%s> is not closed", o.name)
			}
			return p.document
		case html.DoctypeToken:
			typed = true
		case html.StartTagToken, html.SelfClosingTagToken:
			if !typed {
				p.fault("the page does not begin with <!doctype html>")
				typed = true
			}
			t := z.Token()
			p.element(t)
			if kind == html.StartTagToken && !slices.Contains(void, t.Data) {
				p.open = append(p.open, opened{t.Data, p.at})
			}
		case html.EndTagToken:
			p.close(z.Token().Data)
		}
		p.at.pass(raw)
	}
}

func (p *parser) fault(format string, args ...any) {
	p.faults = append(p.faults, Fault{p.file, p.at.line, p.at.column, fmt.Sprintf(format, args...)})
}

// close ends an element. Those that are open within it are not closed.
func (p *parser) close(name string) {
	i := len(p.open) - 1
	for i >= 0 && p.open[i].name != name {
		i--
	}
	switch {
	case i < 0:
		p.fault("</%s> closes nothing", name)
		return
	case i < len(p.open)-1:
		o := p.open[len(p.open)-1]
		p.fault("</%s> closes <%s>, opened at %d:%d", name, o.name, o.at.line, o.at.column)
	}
	p.open = p.open[:i]
}

func (p *parser) element(t html.Token) {
	has := map[string]bool{}
	for _, a := range t.Attr {
		switch {
		case strings.HasPrefix(a.Key, "on"), a.Key == "style":
			p.fault("<%s> has %s, which the policy of the page forbids", t.Data, a.Key)
		case a.Key == "id" && (a.Val == "" || strings.ContainsAny(a.Val, " \t\n")):
			p.fault("%q is no id", a.Val)
		case a.Key == "id" && p.ids[a.Val]:
			p.fault("two elements have the id %q", a.Val)
		case a.Key == "id":
			p.ids[a.Val] = true
		case a.Key == "href", a.Key == "src":
			p.link(a.Val, t.Data == "script")
		case a.Key == "aria-labelledby", a.Key == "aria-describedby", a.Key == "aria-controls", a.Key == "for":
			for id := range strings.FieldsSeq(a.Val) {
				p.link("#"+id, false)
			}
		}
		has[a.Key] = true
	}
	switch {
	case t.Data == "img" && !has["alt"]:
		p.fault("an image has no alt")
	case t.Data == "script" && !has["src"]:
		p.fault("a script stands in the page, which its policy forbids")
	case t.Data == "html" && !has["lang"]:
		p.fault("<html> names no lang")
	}
}

func (p *parser) link(address string, script bool) {
	p.links = append(p.links, link{address, script, p.at.line, p.at.column})
}
