// Package diff says what changed between two models: row by row, in counts, in
// one sentence, and what each change costs.
//
// Start from Compare, which reads from A to B: what is added is in B only. The
// layers of each model stand in Kahn's first-in-first-out order and are aligned
// by type. Matched rows are the same or changed, by their parameters as
// declared; a bill attributes the differences of the models to the rows, so
// that its lines add up to the differences exactly.
//
// A Diff is immutable data. The package does no I/O and knows nothing of pages.
package diff
