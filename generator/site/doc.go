// Package site builds a site: it loads a catalog, plans its pages, renders them
// and hands each finished file to a Sink. Start from Build.
//
// Files go to the sink as they are finished, by as many workers as there are
// jobs, so that memory does not grow with the number of pages; their bytes do
// not depend on the number of jobs, on the clock or on the machine. Nothing is
// published before everything is finished: a build that fails leaves what the
// sink held before. A Folder writes only what changed and removes what is gone.
//
// A Preview is the same site for one who writes it: each file is made when it is
// asked for.
package site
