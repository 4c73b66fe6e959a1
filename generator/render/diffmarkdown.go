package render

import (
	"strconv"
	"strings"

	"github.com/strata-catalog/strata/generator/content"
	"github.com/strata-catalog/strata/generator/facts"
	"github.com/strata-catalog/strata/generator/page"
)

// DiffMarkdown is a diff in Markdown: the two models, the deltas, where the
// parameters sit, the bill, the rows with repeats in one, and every row.
func DiffMarkdown(d *page.Diff) []byte {
	w := &text{b: room(160*len(d.Data.Rows) + 8192)}
	w.raw("# ")
	w.paragraph(d.Title)
	w.paragraph(d.Story)
	w.raw("**", content.Cell(d.Data.Headline), "**\n\n")
	if d.Path != "" {
		w.raw("Source: ", d.Absolute(d.Path), "\n\n")
	}
	w.section(page.DiffSides)
	w.plainTable(d.Sides)
	w.deltas(d)
	w.section(page.DiffParts)
	w.exactTable(d.Parts)
	w.section(page.DiffBill)
	for _, t := range d.Bill {
		w.table(t)
	}
	w.section(page.DiffFolded)
	for k := range d.Data.Folded {
		w.fold(&d.Data.Diff, &d.Data.Folded[k], "")
	}
	w.raw("\n")
	w.section(page.DiffLayers)
	w.head(d.Rows)
	for k := range d.Data.Rows {
		w.diffRow(&d.Data.Rows[k])
	}
	w.raw("\n")
	if len(d.Pictures) > 0 {
		w.section(page.DiffPictures)
		for _, p := range d.Pictures {
			w.raw("- [diagram of ", content.Cell(p.Name), "](", d.Absolute(p.Path), ")\n")
		}
		w.raw("\n")
	}
	w.section(page.DiffLimits)
	for _, c := range d.Data.Caveats {
		w.raw("- ", content.Cell(c.Text), "\n")
	}
	w.raw("\n")
	w.section(page.DiffGraphs)
	for _, g := range d.Graphs {
		w.item(&d.Base, g)
	}
	w.raw("\n")
	w.section(page.DiffHow)
	w.exactTable(d.Assumptions)
	for _, n := range d.Notes {
		w.raw("- ", n, "\n")
	}
	if len(d.Machine) > 0 {
		w.raw("\n")
		w.section(page.Machine)
		w.machine(&d.Base, d.Machine, d.Asks)
	}
	if d.Markdown != "" {
		w.raw("\n")
		w.section(page.Notes)
		w.raw(d.Markdown, "\n")
	}
	return w.b
}

// deltas lists what the second model has more.
func (w *text) deltas(d *page.Diff) {
	w.printf("## %s (%s relative to %s)\n\n", page.DiffDeltas.Title, content.Cell(d.Data.NameB), content.Cell(d.Data.NameA))
	for _, f := range d.Deltas {
		w.raw("- ", f.Label, ": ", f.Text, "\n")
	}
	w.printf("- Added %d, removed %d, changed %d, unchanged %d\n\n", d.Data.Added, d.Data.Removed, d.Data.Changed, d.Data.Unchanged)
}

// plainTable writes a table without the exact numbers behind shortened ones.
func (w *text) plainTable(t page.Table) {
	w.head(t.Columns)
	for _, r := range t.Rows {
		texts := make([]string, len(r.Cells))
		for i, c := range r.Cells {
			texts[i] = c.Text
		}
		w.row(texts...)
	}
	w.raw("\n")
}

// fold writes the line of a fold with what changed, and below it the first
// instance where its rows became different things.
func (w *text) fold(d *facts.Diff, f *facts.DiffFold, indent string) {
	w.printf("%s- %d", indent, f.Row)
	if f.Last() > f.Row {
		w.printf(" to %d", f.Last())
	}
	w.raw(": ", content.Cell(f.Label))
	if f.Period == 1 {
		if changes := d.Row(f.Row).Changes(); len(changes) > 0 {
			w.raw(": ", content.Cell(strings.Join(changes, ", ")))
		}
	}
	w.raw("\n")
	if f.Closed() {
		return
	}
	for k := range f.Folds {
		w.fold(d, &f.Folds[k], indent+"  ")
	}
}

func (w *text) diffRow(r *facts.DiffRow) {
	w.raw("| ")
	w.b = append(strconv.AppendInt(w.b, int64(r.Number), 10), ' ')
	w.cell(r.StatusText())
	for _, c := range []*facts.DiffCell{r.A, r.B} {
		if c == nil {
			w.raw("|  |  |  ")
			continue
		}
		w.cell(c.Name + " (" + c.Display + ")")
		w.raw("| ", c.Weights(), " | ")
		w.b = append(c.AppendShape(w.b), ' ')
	}
	w.raw("|\n")
}
