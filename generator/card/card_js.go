package card

import "errors"

// Colours are those of a theme. A browser has no use for cards, and does without
// what draws them.
type Colours struct{}

// ReadColours reads none.
func ReadColours(string) (Colours, error) { return Colours{}, nil }

// PNG says that there is none.
func (c *Card) PNG(Colours) ([]byte, error) { return nil, errors.New("a browser draws no cards") }
