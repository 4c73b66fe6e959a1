package render

import (
	"html/template"

	"github.com/strata-catalog/strata/generator/page"
)

// tableHeadings are the headings of the columns of a small table.
func tableHeadings(t page.Table) template.HTML {
	var b []byte
	for _, c := range t.Columns {
		switch {
		case c.Text == "":
			b = append(b, "<td></td>"...)
			continue
		case c.Number:
			b = append(b, `<th scope="col" class="num">`...)
		default:
			b = append(b, `<th scope="col">`...)
		}
		b = append(appendText(b, c.Text), "</th>"...)
	}
	return template.HTML(b) // each text is escaped
}

// tableRows are the rows of a small table as HTML. Pages have so many of them
// that a layout would take most of a build for them.
func tableRows(t page.Table) template.HTML {
	w := &writer{b: room(96 * len(t.Rows) * len(t.Columns))}
	b := w.b
	for _, row := range t.Rows {
		b = append(b, "<tr"...)
		if row.Total {
			b = append(b, ` class="total"`...)
		}
		b = append(b, '>')
		for i, c := range row.Cells {
			if i == 0 {
				b = appendHeading(b, c, string(row.Part))
			} else {
				b = appendCell(b, c, i < len(t.Columns) && t.Columns[i].Number)
			}
		}
		b = append(b, "</tr>"...)
	}
	w.b = b
	return w.html() // each text is escaped
}

// appendHeading appends the first cell of a row.
func appendHeading(b []byte, c page.Cell, part string) []byte {
	b = append(b, `<th scope="row"`...)
	if part != "" {
		b = append(appendText(append(b, ` class="part part-`...), part), '"')
	}
	b = append(b, '>')
	if c.Anchor == "" {
		return append(appendText(b, c.Text), "</th>"...)
	}
	b = append(appendText(append(b, `<a href="`...), c.Anchor), `">`...)
	return append(appendText(b, c.Text), "</a></th>"...)
}

func appendCell(b []byte, c page.Cell, number bool) []byte {
	b = append(b, "<td"...)
	if number {
		b = append(b, ` class="num"`...)
	}
	if c.Exact != "" {
		b = append(appendText(append(b, ` title="`...), c.Exact), '"')
	}
	b = append(b, '>')
	if c.Mark == "" {
		return append(appendText(b, c.Text), "</td>"...)
	}
	b = append(appendText(append(b, `<span class="`...), c.Mark), `">`...)
	return append(appendText(b, c.Text), "</span></td>"...)
}
