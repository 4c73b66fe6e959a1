// Package reference says what the vocabulary of layers and the rules of the
// verifier are, as data: TypeOf makes it of a layer type, Rules of all rules.
// Command line and JSON show these values; nothing in them is written twice,
// all of it comes from the declarations.
package reference
