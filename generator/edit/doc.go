// Package edit changes graph documents.
//
// Operations lists what can be done, each declared once: its name, its words,
// and a struct whose tagged fields are its parameters. The tools of the MCP
// server and the forms of the workbench are made of these declarations.
//
// A Session is a working copy: the text, its history, and what the rules say of
// it. Each change is a JSON Patch of the text as written, so that what it does
// not touch stays as its author wrote it, and undoing gives back every byte. A
// change that would leave an unreadable document is refused with a reason; one
// that breaks the model is done, and its findings say so.
//
// Operations know both forms of a document. A component within a block is named
// by the block and its id there, or by the path that findings and pages use: a
// change of model.layers.0.mlp is one of the block, and so of all its
// instances.
//
// Compare says what a change costs whoever has trained weights: which layers
// get another shape, which tensors come, go or change size, and how many
// parameters stay.
//
// The package does no I/O.
package edit
