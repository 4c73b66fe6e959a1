package page

import "github.com/strata-catalog/strata/generator/layer"

// A Table is a small table, the same in HTML and in Markdown.
type Table struct {
	Caption string
	Columns []Column
	Rows    []TableRow
	Aside   bool // to look up rather than to read
}

// A Column is the heading of a column.
type Column struct {
	Text   string
	Number bool // numbers, aligned at their end
}

// A TableRow is one row; its first cell is its heading.
type TableRow struct {
	Cells []Cell
	Total bool       // the sum of the rows above
	Part  layer.Part // the kind of layers that the row is about, for its colour; "" for none
}

// A Cell is one cell.
type Cell struct {
	Text   string
	Exact  string // the exact number behind a shortened one, "" when the text is exact
	Mark   string // "yes" or "no" for an answer, else ""
	Anchor string // the place on the page that a heading leads to: "#r-12"; "" for none
}

func cells(texts ...string) []Cell {
	list := make([]Cell, len(texts))
	for i, t := range texts {
		list[i].Text = t
	}
	return list
}
