package ops

import (
	"errors"

	"github.com/strata-catalog/strata/generator/facts"
	"github.com/strata-catalog/strata/generator/graph"
)

// A Kind says what sort of mistake an Error is.
type Kind int

// The kinds.
const (
	Invalid Kind = iota // parameters that cannot be read, or contradict each other
	Unknown             // nothing has the name that was asked for
	Unfit               // a document that can be read, but not be analysed as was asked
)

// An Error is a mistake in what was asked, which the caller can mend.
type Error struct {
	Kind Kind
	// Err is what was found, and what was expected; a *graph.Error where a place
	// in a document is to blame.
	Err      error
	Findings []facts.Finding // the structural faults that leave nothing to tell
	Reasons  []Reason        // why layers cannot be written
}

func (e *Error) Error() string { return e.Err.Error() }

// Unwrap is what was found.
func (e *Error) Unwrap() error { return e.Err }

// Place is where the mistake is. Without one it is nil.
func (e *Error) Place() *graph.Error {
	var at *graph.Error
	if errors.As(e.Err, &at) && at.Line > 0 {
		return at
	}
	return nil
}

// A Reason says why a layer cannot be written.
type Reason struct {
	Layer  string `json:"layer" doc:"id of the layer, empty for the model as a whole"`
	Type   string `json:"type" doc:"its type"`
	Why    string `json:"why" doc:"why it cannot be written"`
	Line   int    `json:"line" doc:"line of the document, from 1; 0 for the model as a whole"`
	Column int    `json:"column" doc:"column in characters, from 1"`
}
