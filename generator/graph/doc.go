// Package graph reads and writes graph documents as they are written: the
// components, connections and blocks of a model.json, with the position of
// everything a message may have to point at.
//
// Decode accepts both forms, flat and compact; it checks kinds and limits and
// returns one *Error for a document that cannot be read. What a document means
// (which edges exist, whether a layer type is known) is left to later passes.
//
// Members that nobody here knows are kept as they stand and never an error.
package graph
