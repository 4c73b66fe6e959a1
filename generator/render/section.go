package render

import (
	"bytes"
	"fmt"

	"github.com/strata-catalog/strata/generator/facts"
	"github.com/strata-catalog/strata/generator/page"
)

// Section is one part of a template page, by the name of its layout.
func (r *Renderer) Section(name string, t *page.Template) ([]byte, error) {
	return r.part(templateLayout, name, t)
}

// Differences is the part of the page of a diff that tells what differs.
func (r *Renderer) Differences(d *page.Diff) ([]byte, error) {
	return r.part(diffLayout, "differences", d.Cut(mostRows))
}

func (r *Renderer) part(layout, name string, data any) ([]byte, error) {
	var b bytes.Buffer
	if err := r.theme.layouts[layout].ExecuteTemplate(&b, name, data); err != nil {
		return nil, fmt.Errorf("theme: %s: %w", layout, err)
	}
	return printable(b.Bytes()), nil
}

// The forms of a template beside its page.

// Markdown is the Markdown twin.
func (r *Renderer) Markdown(t *page.Template) []byte { return markdown(t) }

// Drawing is the picture as a file of its own, nil when the model has none.
func (r *Renderer) Drawing(t *page.Template) []byte {
	if t.Picture == nil {
		return nil
	}
	return r.drawing(t).Data
}

// Data is the analysis as JSON.
func (r *Renderer) Data(t *page.Template) ([]byte, error) { return facts.JSON(t.Data) }
