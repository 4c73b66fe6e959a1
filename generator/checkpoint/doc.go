// Package checkpoint compares a model with the files that hold its weights. It
// reads headers only: what each tensor is called, its shape and its type, in
// safetensors files, their index, and GGUF.
//
// Safetensors, Index and GGUF read; Compare sets a ledger against what was read.
// Packed integers, scales, masks and prediction modules are recognised and
// named, so that parameters and stored elements are reconciled line by line.
//
// Files may be hostile. Nothing is believed that the size of the file
// contradicts, and what is kept is bounded by the limits below.
package checkpoint
