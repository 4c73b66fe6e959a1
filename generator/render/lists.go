package render

import (
	"html/template"
	"strings"

	"github.com/strata-catalog/strata/generator/cost"
	"github.com/strata-catalog/strata/generator/page"
)

// The lists of a page, for layouts that have them in many places: html/template
// takes a microsecond for each text, and these are most of a page's texts.

// A linker gives addresses as links on its page.
type linker interface {
	URL(path string) string
	External(address string) bool
}

// note is what stands small behind an element of a list; "" is nothing.
func (w *writer) note(text string) {
	if text == "" {
		return
	}
	w.raw(` <span class="note">`)
	w.text(text)
	w.raw("</span>")
}

// items is a list of files of the site.
func items(on linker, list []page.Item) template.HTML {
	w := &writer{b: room(192 * len(list))}
	for _, m := range list {
		w.raw(`<li><a href="`)
		w.url(on.URL(m.Path))
		w.raw(`">`)
		w.text(m.Text)
		w.raw(`</a> <code>`)
		w.text(m.Path)
		w.raw(`</code>`)
		w.note(m.Note)
		w.raw("</li>")
	}
	return w.html()
}

// asks is what programs can ask beside files.
func asks(list []page.Ask) template.HTML {
	w := &writer{b: room(192 * len(list))}
	for _, a := range list {
		w.raw("<li>")
		w.text(a.Text)
		w.raw(": <code>")
		w.text(a.Code)
		w.raw("</code>")
		w.note(a.Note)
		w.raw("</li>")
	}
	return w.html()
}

// factList is what to know first.
func factList(on linker, list []page.Fact) template.HTML {
	w := &writer{b: room(160 * len(list))}
	for _, f := range list {
		w.raw("<div")
		if f.Exact != "" {
			w.raw(` class="number"`)
		}
		w.raw("><dt>")
		w.text(f.Label)
		w.raw("</dt><dd>")
		switch {
		case f.Verdict != "":
			w.raw(`<span class="verdict `)
			w.text(string(f.Verdict))
			w.raw(`">`)
			w.text(string(f.Verdict))
			w.raw("</span>")
		case f.Text != "":
			w.raw(`<span class="value">`)
			w.text(f.Text)
			w.raw("</span>")
		}
		if f.Exact != "" {
			w.raw(` <span class="exact">`)
			w.text(f.Exact)
			w.raw("</span>")
		}
		for _, l := range f.Links {
			w.raw(`<a href="`)
			w.url(on.URL(l.Path))
			w.raw(`"`)
			if on.External(l.Path) {
				w.raw(` rel="noopener"`)
			}
			w.raw(`>`)
			w.text(l.Text)
			w.raw("</a>")
		}
		w.note(f.Note)
		w.raw("</dd></div>")
	}
	return w.html()
}

// noteList is texts as the elements of a list.
func noteList(list []string) template.HTML {
	w := &writer{}
	for _, s := range list {
		w.raw("<li>")
		w.text(s)
		w.raw("</li>")
	}
	return w.html()
}

// formatOptions and cardOptions are what a select offers, with one selected.
func formatOptions(list []cost.DType, selected string) template.HTML {
	w := &writer{}
	for _, d := range list {
		w.option(d.Name, selected)
	}
	return w.html()
}

func cardOptions(list []cost.Card, selected string) template.HTML {
	w := &writer{}
	for _, c := range list {
		w.option(c.Name, selected)
	}
	return w.html()
}

func (w *writer) option(name, selected string) {
	if w.raw("<option"); name == selected {
		w.raw(" selected")
	}
	w.raw(">")
	w.text(name)
	w.raw("</option>")
}

// url writes an address for an attribute, as html/template does: one of another
// scheme than web and mail is not written, and what may not stand in a URL is
// escaped.
func (w *writer) url(address string) {
	if i := strings.IndexAny(address, ":/"); i >= 0 && address[i] == ':' {
		switch strings.ToLower(address[:i]) {
		case "http", "https", "mailto":
		default:
			w.raw("#ZgotmplZ")
			return
		}
	}
	const hex = "0123456789abcdef"
	for i := 0; i < len(address); i++ {
		c := address[i]
		switch {
		case c == '%' && i+2 < len(address) && isHex(address[i+1]) && isHex(address[i+2]),
			'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte("-._~!#$*,/:;=?@[]+", c) >= 0:
			w.b = append(w.b, c)
		case c == '&':
			w.raw("&amp;")
		default:
			w.b = append(w.b, '%', hex[c>>4], hex[c&15])
		}
	}
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}
