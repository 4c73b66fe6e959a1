// Package card draws social cards: the picture that a link to a template's page
// shows where it is passed on. A card has the name, a few numbers and, from the
// same layout as the diagram on the page, the first layers of the model. It does
// no I/O; the same Card gives the same bytes.
package card

import (
	"github.com/strata-catalog/strata/generator/cost"
	"github.com/strata-catalog/strata/generator/draw"
)

// A Card is what stands on one.
type Card struct {
	Site    string // name of the site
	ID      string // of the template, where letters of its name cannot be drawn
	Name    string
	Summary string
	Facts   []Fact        // three, for which there is room
	Parts   []cost.Part   // of the bar at the foot
	Picture *draw.Picture // nil for a model that cannot be drawn
}

// A Fact is a number and what it is.
type Fact struct{ Value, Label string }
