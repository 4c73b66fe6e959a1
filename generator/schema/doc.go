// Package schema writes the JSON Schema (draft 2020-12) of graph documents, by
// which editors complete and check them while they are written. Graph makes it
// of the declarations in package layer; only the members that hold a document
// together have their words here. Policy does the same for the files of package
// policy.
//
// The schema of graphs allows what the format allows: both forms, members that nobody
// knows, unknown types and parameters, null for what is not given, and "$name"
// for a value of a block. It refuses what cannot be read, and what no layer
// takes. What it cannot say (whether an id exists, whether shapes fit) is left
// to package pipeline.
package schema
