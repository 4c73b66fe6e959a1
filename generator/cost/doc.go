// Package cost estimates what a model takes: memory to serve and to train it,
// the cards that hold it, what its training costs, and how fast a card can run
// it at most.
//
// Start from New, which makes a Plan of a model and a set of Assumptions. Every
// figure that is not counted from the graph is one of the assumptions, with its
// words, or a figure of a card's data sheet; Default and Cards declare them.
//
// Sizes are bytes in decimal units, as cards are sold: 80 GB is 80,000,000,000
// bytes. Byte counts are exact integers under the assumptions, and sums are
// sums of what stands beside them. Where a weight could not be counted, or the
// work of a layer is not known, the plan says that its figures are lower bounds.
//
// The package does no I/O and knows nothing of pages.
package cost
