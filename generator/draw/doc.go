// Package draw draws a model: boxes for its layers, lines for its tensors, as
// SVG. It does no I/O and knows nothing of pages.
//
// New lays a model out and returns a Picture, which SVG writes. What repeats is
// drawn once, within a frame. A frame is laid out by itself and is one large box
// to what stands around it, so that a line enters and leaves it at its border.
// Each of these levels is a scope, and goes the same way:
//
//	fold     the layers of a scope, its frames, and the lines between them
//	rank     a row for each, below all that it takes; points where a line passes
//	order    from left to right, with few crossings
//	place    straight chains, as near to each other as their boxes allow
//	route    lines at right angles, in the gaps between rows
//
// A line passes a row at a point that has room of its own there, so that no line
// runs through a box that is not its end. Everything is in whole pixels, and
// depends on nothing but the model.
package draw
