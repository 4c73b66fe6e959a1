// Package generator is the map of the code: what stands where, in which order
// to read it, and where to add what. It holds no code of its own; its tests
// look at the whole tree.
//
// # Data flow
//
//	templates/<id>/model.json
//	   │ graph.Decode       a document as written, with positions
//	   │ expand.Expand      blocks unrolled, every edge resolved
//	   │ infer.Infer        shapes, tensors, multiply-accumulates
//	   │ verify.Run         findings and a verdict
//	   ▼
//	pipeline.Report ──┬── content.Note, the template's Markdown
//	                  ▼
//	             catalog.Catalog
//	                  │ page            which pages exist, and what each says
//	                  │ render          pages to bytes, through the theme
//	                  ▼
//	             site.Build ──► public/
//
// Each pass takes the type that the pass before it returns, and changes
// nothing that it is given. pipeline.Run is the first four; every face of the
// program calls it, so that one graph has one answer. Packages cost, draw,
// diff and checkpoint read analysed models as well: what a model needs, what it
// looks like, what sets two apart, and whether a file of weights is it; package
// policy, whether it keeps to limits that somebody sets; package card paints a
// drawing small, to stand beside a link. Package edit changes documents. Package
// ops declares what can be asked, once for every face: command line, HTTP, MCP
// and browser call the same functions, on a catalog that package desk lays out;
// api is the door over HTTP. Package audit reads a finished site; watch and serve
// keep one up to date. Package workbench makes the page of one graph, in a browser,
// where command strata-wasm runs it.
//
// Package history asks git what has changed, and github keeps a comment on a
// pull request.
//
// # Reading order
//
// The import table in deps_test.go lists the packages from the bottom up: a
// package may use only those above its row. Start with shape and graph, then
// layer, which declares the vocabulary, then infer.
//
// # Where to add what
//
//   - a template: templates/<id>/model.json and content/a/<id>.md
//   - the story of a diff: content/diff/<a>-vs-<b>.md
//   - a layer type: its struct and its row in the family's file of package
//     layer
//   - a rule: its value and its row in package verify, and
//     verify/testdata/<id>.txtar
//   - a line of a policy: its field and its check in package policy
//   - a page: its data in package page, its layout in themes/default
//   - an operation: its function and its row in ops.All, with doc tags on its
//     parameters and its answer; doors_test.go of package cli asks for its doors
//   - a command: its value in package cli, its row in Commands and in the table
//     of README.md, and a script in cmd/strata/testdata
//   - a change that an editor or a program can make of a document: its struct of
//     parameters and its row in Operations of package edit, with a line in a
//     story of edit/testdata
//   - an importer: its value of Family in package adopt, and its row in one of
//     the lists that All joins, with testdata/<model_type>.txtar
//
// CONTRIBUTING.md has the steps.
//
// # Promises
//
// Each has a test: parameters are sums over named tensors and equal the
// published counts to the unit; bad input is reported and never panics; the
// same input builds the same bytes; a package imports only what its row names.
package generator
