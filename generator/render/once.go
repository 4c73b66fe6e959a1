package render

import (
	"html/template"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"text/template/parse"

	"github.com/strata-catalog/strata/generator/page"
)

// once executes parts of layouts that say the same on each page of a folder: the
// header, the footer, the links of the head. They are a third of what a layout
// does, and a site has thousands of pages in few folders.
type once struct {
	parts *template.Template
	same  map[string]bool // parts that depend on nothing but the site and the folder
	said  atomic.Pointer[spoken]
}

// spoken is what parts said for one site.
type spoken struct {
	site *page.Site
	by   sync.Map // template.HTML, by name and folder
}

// A framed is the data of a page.
type framed interface{ Common() *page.Base }

// execute is for layouts: {{once "header.html" .}} is {{template "header.html" .}}.
func (o *once) execute(name string, on framed) (template.HTML, error) {
	b := on.Common()
	if !o.same[name] || b.Rooted || b.Listed() {
		return o.made(name, on)
	}
	s := o.said.Load()
	if s == nil || s.site != b.Site {
		s = &spoken{site: b.Site}
		o.said.Store(s)
	}
	key := name + " " + path.Dir(b.Path)
	if html, ok := s.by.Load(key); ok {
		return html.(template.HTML), nil
	}
	html, err := o.made(name, on)
	if err == nil {
		s.by.Store(key, html)
	}
	return html, err
}

func (o *once) made(name string, on framed) (template.HTML, error) {
	var b strings.Builder
	err := o.parts.ExecuteTemplate(&b, name, on)
	return template.HTML(b.String()), err // the part escapes
}

// prepare finds the parts that can be executed once.
func (o *once) prepare(parts *template.Template) {
	o.parts, o.same = parts, map[string]bool{}
	for _, t := range parts.Templates() {
		o.same[t.Name()] = t.Tree != nil && alike(t.Tree.Root, true)
	}
}

// alike reports whether a part says the same on each page of a folder: of the
// page it asks for the site, for links and whether it is in the menu, and of what
// the site lists for anything. A part that does more is executed on each page.
func alike(n parse.Node, onPage bool) bool {
	switch n := n.(type) {
	case *parse.ListNode:
		return n == nil || !slices.ContainsFunc(n.Nodes, func(of parse.Node) bool { return !alike(of, onPage) })
	case *parse.TextNode:
		return true
	case *parse.ActionNode:
		return alikePipe(n.Pipe, onPage)
	case *parse.IfNode:
		return alikePipe(n.Pipe, onPage) && alike(n.List, onPage) && alike(n.ElseList, onPage)
	case *parse.RangeNode:
		return alikePipe(n.Pipe, onPage) && alike(n.List, false) && alike(n.ElseList, onPage)
	case *parse.WithNode:
		return alikePipe(n.Pipe, onPage) && alike(n.List, false) && alike(n.ElseList, onPage)
	}
	return false
}

// alikePipe is alike for what an action computes. onPage says that the dot is
// the page, and not something of the site.
func alikePipe(n *parse.PipeNode, onPage bool) bool {
	if len(n.Decl) > 0 {
		return false
	}
	for _, c := range n.Cmds {
		here := false
		of := func(name string) bool {
			here = here || name == "Here"
			return name == "Site" || name == "URL" || name == "Here"
		}
		for i, arg := range c.Args {
			ok := false
			switch arg := arg.(type) {
			case *parse.FieldNode:
				ok = !onPage || of(arg.Ident[0])
			case *parse.VariableNode: // $.URL
				ok = len(arg.Ident) > 1 && arg.Ident[0] == "$" && of(arg.Ident[1])
			case *parse.DotNode:
				ok = !onPage && i == 0
			case *parse.StringNode:
				ok = !here || arg.Text == page.Home // another page need not be in the menu
			case *parse.IdentifierNode:
				ok = arg.Ident == "asset"
			case *parse.PipeNode:
				ok = alikePipe(arg, onPage)
			}
			if !ok {
				return false
			}
		}
	}
	return true
}
