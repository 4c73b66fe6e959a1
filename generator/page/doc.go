// Package page decides which pages a site has, what their addresses are, and
// what stands on each of them. New makes a Site of a catalog, and Pages lists
// its pages: an address each, and a function that gives the data of the page,
// one struct for each kind. Package render makes files of the data.
//
// Every address is made here: links are relative to the page they stand on,
// so that a site works under any path and from a plain file server; addresses
// for other sites (canonical ones, the site map, the feed) begin with the base
// URL. There is no HTML here, but for the bodies that package content renders.
package page
