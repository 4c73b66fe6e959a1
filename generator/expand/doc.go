// Package expand turns a document into the graph that it means: blocks
// unrolled, edges resolved to operands, an order found.
//
// Expand fails on a document that is unreadable as a whole: an unknown block, a
// block that contains itself, an expansion over the limits. Structural faults
// (two components of one id, an edge to nothing, a cycle) are collected on the
// Graph, all of them, so that they can be reported at once; a Graph with faults
// has no order and cannot be analysed.
package expand
