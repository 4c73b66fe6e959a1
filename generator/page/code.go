package page

import (
	"fmt"
	"strings"

	"github.com/strata-catalog/strata/generator/catalog"
	"github.com/strata-catalog/strata/generator/draw"
	"github.com/strata-catalog/strata/generator/export"
)

// firstLines is how much of the exported code the Markdown twin shows.
const firstLines = 46

// Code is a model as PyTorch.
type Code struct {
	Path   string // of the file, from the root of the site
	Source string // the whole file
	Lines  int
}

// First is the beginning of the code, at most firstLines long.
func (c *Code) First() string {
	lines := strings.SplitAfterN(c.Source, "\n", firstLines+1)
	return strings.Join(lines[:min(len(lines), firstLines)], "")
}

// Shown is how many lines First has.
func (c *Code) Shown() int { return min(c.Lines, firstLines) }

// A Reason says why a layer cannot be written in PyTorch.
type Reason struct {
	Layer string // its id, "" for the model as a whole
	Why   string
}

// reasons say why a template has no code.
func reasons(e *catalog.Entry) (list []Reason) {
	for _, r := range export.Supported(e.Model) {
		reason := Reason{Why: r.Why}
		if r.Node >= 0 {
			reason.Layer = e.Model.Nodes[r.Node].ID
		}
		list = append(list, reason)
	}
	return list
}

// urls are the addresses of a template; one that cannot be exported has none
// for its code, and one that cannot be drawn none for its picture. The site adds
// that of the card.
func urls(e *catalog.Entry) URLs {
	u := TemplateURLs(e.ID)
	if len(export.Supported(e.Model)) == 0 {
		path := "a/" + e.ID + ".py"
		u.PyTorch = &path
	}
	if draw.Drawable(e.Model) {
		path := "a/" + e.ID + ".svg"
		u.Diagram = &path
	}
	return u
}

// code is the exported code of a template, nil when it has none.
func code(e *catalog.Entry, u URLs) (*Code, error) {
	if u.PyTorch == nil {
		return nil, nil
	}
	src, err := export.Python(e.Model, e.Sources()...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.File, err)
	}
	return &Code{Path: *u.PyTorch, Source: string(src), Lines: strings.Count(string(src), "\n")}, nil
}
