package cli

import (
	"io"
	"slices"
	"strings"
)

// A column of a table. Its cells are cut where the screen is too narrow, first
// those of the widest column; a column that may go goes where that is not
// enough.
type column struct {
	head  string
	right bool                                      // numbers, aligned at their end
	least int                                       // cells that it may be cut to; 0: it is never cut
	cut   func(text string, width int) (cut string) // cutEnd when nil
	goes  int                                       // when it goes: 1 first; 0: never
	wraps bool                                      // its text goes on below itself
}

// A row of a table.
type row struct {
	cells []string
	style style
}

// A table is written with its columns aligned.
type table struct {
	columns []column
	rows    []row
}

func (t *table) add(s style, texts ...string) { t.rows = append(t.rows, row{texts, s}) }

const (
	gap  = 2   // cells between columns
	most = 160 // cells that a column is padded to: a longer text moves the rest of its line alone
)

// write prints the table on a screen, in as many cells as it is wide.
func (t *table) write(sc *screen) error {
	shown := make([]int, len(t.columns))
	for i := range shown {
		shown[i] = i
	}
	widths := t.uncut()
	for !t.shrink(shown, widths, sc.width) {
		gone := t.first(shown)
		if gone < 0 {
			break
		}
		shown = slices.DeleteFunc(shown, func(i int) bool { return i == gone })
		widths = t.uncut()
	}
	heads := make([]string, len(t.columns))
	for i, c := range t.columns {
		heads[i] = c.head
	}
	var b strings.Builder
	if strings.Join(heads, "") != "" {
		t.line(&b, sc, row{heads, bold}, shown, widths)
	}
	for _, r := range t.rows {
		t.line(&b, sc, r, shown, widths)
	}
	_, err := io.WriteString(sc, b.String())
	return err
}

// uncut is the width of each column as it is, within reason.
func (t *table) uncut() []int {
	widths := make([]int, len(t.columns))
	for i, c := range t.columns {
		widths[i] = cells(c.head)
		for _, r := range t.rows {
			widths[i] = max(widths[i], min(cells(r.cells[i]), most))
		}
	}
	return widths
}

// shrink takes cells from the columns until they fit, and reports whether they
// do.
func (t *table) shrink(shown, widths []int, width int) bool {
	if width == 0 {
		return true
	}
	over := gap*(len(shown)-1) - width
	for _, i := range shown {
		over += widths[i]
	}
	for ; over > 0; over-- {
		widest := -1
		for _, i := range shown {
			if least := t.columns[i].least; least > 0 && widths[i] > least && (widest < 0 || widths[i] > widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			return false
		}
		widths[widest]--
	}
	return true
}

// first is the column that goes next, -1 for none.
func (t *table) first(shown []int) int {
	at := -1
	for _, i := range shown {
		if g := t.columns[i].goes; g > 0 && (at < 0 || g < t.columns[at].goes) {
			at = i
		}
	}
	return at
}

// line writes one row, on more than one line where a column wraps.
func (t *table) line(b *strings.Builder, sc *screen, r row, shown, widths []int) {
	texts, height := make([][]string, len(t.columns)), 1
	for _, i := range shown {
		texts[i] = []string{r.cells[i]}
		if t.columns[i].wraps && (sc.width > 0 || i == shown[len(shown)-1]) {
			texts[i] = wrap(r.cells[i], widths[i])
		}
		height = max(height, len(texts[i]))
	}
	for k := range height {
		var line strings.Builder
		for j, i := range shown {
			text := ""
			if k < len(texts[i]) {
				text = texts[i][k]
			}
			if j > 0 {
				line.WriteString(strings.Repeat(" ", gap))
			}
			if sc.width > 0 {
				text = t.columns[i].short(text, widths[i])
			}
			line.WriteString(t.columns[i].pad(text, widths[i]))
		}
		b.WriteString(sc.paint(r.style, strings.TrimRight(line.String(), " ")) + "\n")
	}
}

// short cuts a text to a width, in a column that may be cut.
func (c *column) short(text string, width int) string {
	switch {
	case c.least == 0 || c.wraps:
		return text
	case c.cut != nil:
		return c.cut(text, width)
	}
	return cutEnd(text, width)
}

// pad fills a text up to a width.
func (c *column) pad(text string, width int) string {
	space := strings.Repeat(" ", max(width-cells(text), 0))
	if c.right {
		return space + text
	}
	return text + space
}
