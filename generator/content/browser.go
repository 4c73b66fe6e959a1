//go:build js

package content

// A browser is given notes as data: it reads no content file, and what a body
// says stands on the page of the site.

// A Section is a mapping of the settings, which are defaults here.
type Section struct{}

// Decode changes nothing.
func (Section) Decode(any) error { return nil }

// Options say how a body becomes HTML.
type Options struct {
	File   string
	Line   int
	Prefix string
	Link   func(address string) (string, error)
}

// HTML is that of no body.
func HTML(string, Options) (string, error) { return "", nil }
