package page

import "slices"

// Base is what every HTML page has.
type Base struct {
	Site        *Site
	Path        string // of the page, from the root of the site
	Title       string // of the document, without the name of the site
	Description string // for search engines
	Alternates  []Alternate
	// Rooted marks a page that is served at any address: its links begin at the
	// root of the host.
	Rooted bool
	Card   *string // of the picture to show beside links to the page; nil for none
}

// An Alternate is a page in another form.
type Alternate struct {
	Type string // media type
	Text string // name of the form
	Path string
}

// Common is what every page has.
func (b *Base) Common() *Base { return b }

// Listed reports whether the page is in the menu.
func (b *Base) Listed() bool {
	return b.Path == Home || slices.ContainsFunc(b.Site.Menu, func(i Item) bool { return i.Path == b.Path })
}

// URL is the address of a file of the site as a link on this page. A whole URL
// stays as it is.
func (b *Base) URL(path string) string {
	switch {
	case external(path):
		return path
	case b.Rooted:
		return b.Site.root() + escape(path)
	}
	return relative(b.Path, path)
}

// Canonical is the address of the page for other sites, "" when the site has
// no base URL or the page no address of its own.
func (b *Base) Canonical() string {
	if b.Site.BaseURL == "" || b.Rooted {
		return ""
	}
	return b.Site.absolute(b.Path)
}

// Absolute is the address of a file for other sites where there is a base URL,
// else as a link on this page.
func (b *Base) Absolute(path string) string {
	if b.Site.BaseURL == "" || external(path) {
		return b.URL(path)
	}
	return b.Site.absolute(path)
}

// CardURL is where the picture to show beside links to the page is for other
// sites; "" where there is none, or its address is not known.
func (b *Base) CardURL() string {
	if b.Card == nil || b.Site.BaseURL == "" {
		return ""
	}
	return b.Site.absolute(*b.Card)
}

// External reports whether an address is of another site.
func (b *Base) External(path string) bool { return external(path) }

// Here reports whether the page is the one at an address.
func (b *Base) Here(path string) bool { return b.Path == path }

// FullTitle is the title of the document with the name of the site.
func (b *Base) FullTitle() string {
	if b.Title == "" || b.Title == b.Site.Title {
		return b.Site.Title
	}
	return b.Title + " · " + b.Site.Title
}
