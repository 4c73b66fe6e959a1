// Package facts says what is known of one model, and of what sets two apart, as
// data: the totals, a row for each layer, what repeats, every tensor, every
// finding, every difference. Of makes it of a report, Compared of a diff. The
// tags of its structs are the keys of the published JSON, and SchemaOf writes
// the JSON Schema from them; the tables of the pages are made of the same
// values, so that no two faces can differ.
//
// Nothing here is an address, and nothing is markup.
package facts
