package render

import (
	"fmt"

	"github.com/strata-catalog/strata/generator/page"
)

// card draws a social card in the colours of the theme.
func (r *Renderer) card(c *page.Card) ([]File, error) {
	colours, err := r.theme.colours()
	if err != nil {
		return nil, fmt.Errorf("theme: %s: %w", tokenStyle, err)
	}
	png, err := c.PNG(colours)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.Path, err)
	}
	return []File{{c.Path, png}}, nil
}
