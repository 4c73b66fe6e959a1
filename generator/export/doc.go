// Package export writes an analysed graph as PyTorch: one file that imports
// torch alone, builds the model, and loads a checkpoint of the same names.
// Start from Python; Supported says beforehand which layers it refuses.
//
// The modules follow the paths of the components: layers.0.attn is
// self.layers[0].attn, so the keys of state_dict are the names of the tensor
// ledger. A part of the graph that is used as one, a block instance or a
// common beginning of ids, becomes a class with a forward of its own; equal
// parts share it. Parts that are numbered from 0 become an nn.ModuleList, which
// is run through in a loop where each takes what the one before it yields, or
// an nn.Sequential where they are single modules. What cannot be called, because
// its layers do not stand together or yield several results, only holds its
// modules. What each layer is in PyTorch stands with its declaration in package
// layer.
//
// The exported model takes ids as ids: an input that embeddings read is of
// integers, and loses a hidden width that was declared at its end.
//
// A layer that cannot be written, or a graph that contradicts itself, is an
// error that names the layer. No code is written then: half a model would be a
// wrong one.
package export
