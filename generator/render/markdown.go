package render

import (
	"fmt"
	"strconv"

	"github.com/strata-catalog/strata/generator/content"
	"github.com/strata-catalog/strata/generator/facts"
	"github.com/strata-catalog/strata/generator/format"
	"github.com/strata-catalog/strata/generator/page"
)

// text writes Markdown.
type text struct{ b []byte }

func (w *text) raw(s ...string) {
	for _, x := range s {
		w.b = append(w.b, x...)
	}
}

// cell writes a cell of a row, escaped.
func (w *text) cell(s string) {
	w.raw("| ")
	w.b = append(content.AppendCell(w.b, s), ' ')
}

func (w *text) printf(format string, args ...any) { w.b = fmt.Appendf(w.b, format, args...) }

// paragraph writes text that comes from elsewhere.
func (w *text) paragraph(s string) {
	if s != "" {
		w.raw(content.EscapeMarkdown(s), "\n\n")
	}
}

func (w *text) section(s page.Section) { w.raw("## ", s.Title, "\n\n") }

// head writes the headings of a table.
func (w *text) head(columns []page.Column) {
	for _, c := range columns {
		w.raw("| ", content.Cell(c.Text), " ")
	}
	w.raw("|\n")
	for _, c := range columns {
		if c.Number {
			w.raw("| ---: ")
		} else {
			w.raw("| --- ")
		}
	}
	w.raw("|\n")
}

// row writes the cells of a row, escaped.
func (w *text) row(cells ...string) {
	for _, c := range cells {
		w.cell(c)
	}
	w.raw("|\n")
}

// markdown is the twin of a template page: the same facts in the same order.
func markdown(t *page.Template) []byte {
	w := &text{b: room(160*len(t.Data.Rows) + 8192)}
	w.raw("# ")
	w.paragraph(t.Title)
	if t.Description != "" {
		w.raw("> ")
		w.paragraph(t.Description)
	}
	w.paragraph(t.PickWhen)
	for _, f := range t.Facts {
		w.fact(&t.Base, f)
	}
	w.raw("\n")
	if t.Data.URLs.Diagram != nil {
		w.section(page.Diagram)
		w.raw("[diagram](", t.Absolute(*t.Data.URLs.Diagram), ")\n\n")
	}
	w.section(page.Structure)
	w.structure(t)
	w.section(page.Tensors)
	w.ledger(t)
	w.section(page.Memory)
	for _, e := range t.Estimates {
		w.table(e)
	}
	for _, n := range t.Notes {
		w.raw("- ", n, "\n")
	}
	w.raw("\n")
	w.section(page.Findings)
	w.findings(t)
	w.code(t)
	if len(t.Data.Diffs) > 0 {
		w.section(page.Related)
		for _, d := range t.Data.Diffs {
			w.diffLink(&t.Base, d)
		}
		w.raw("\n")
	}
	w.section(page.Machine)
	w.machine(&t.Base, t.Machine, t.Asks)
	if t.Markdown != "" {
		w.raw("\n")
		w.section(page.Notes)
		w.raw(t.Markdown, "\n")
	}
	return w.b
}

// machine writes addresses for programs, and what else they can ask.
func (w *text) machine(b *page.Base, list []page.Item, asks []page.Ask) {
	for _, m := range list {
		w.item(b, m)
	}
	for _, a := range asks {
		w.raw("- ", content.Cell(a.Text), ": `", a.Code, "`")
		if a.Note != "" {
			w.raw(" (", a.Note, ")")
		}
		w.raw("\n")
	}
}

// item writes an address and what stands there; the note alone where there is
// no address.
func (w *text) item(b *page.Base, m page.Item) {
	w.raw("- ", content.Cell(m.Text), ": ")
	switch {
	case m.Path == "":
		w.raw(content.Cell(m.Note))
	case m.Note == "":
		w.raw(b.Absolute(m.Path))
	default:
		w.raw(b.Absolute(m.Path), " (", m.Note, ")")
	}
	w.raw("\n")
}

// diffLink writes a link to a diff and its headline.
func (w *text) diffLink(b *page.Base, d page.DiffEntry) {
	w.raw("- [", content.Cell(d.Title), "](", b.Absolute(d.URLs.Markdown), "): ", content.Cell(d.Headline), "\n")
}

func (w *text) fact(b *page.Base, f page.Fact) {
	w.raw("- ", content.Cell(f.Label), ": ", content.Cell(f.Text))
	if f.Exact != "" {
		w.raw(" (", f.Exact, ")")
	}
	for i, l := range f.Links {
		if i > 0 {
			w.raw(", ")
		}
		if b.External(l.Path) {
			w.raw("[", content.Cell(l.Text), "](<", b.Absolute(l.Path), ">)")
		} else {
			w.raw("<", b.Absolute(l.Path), ">")
		}
	}
	if f.Note != "" {
		w.raw(": ", content.Cell(f.Note))
	}
	w.raw("\n")
}

// folded are the columns of the table that stands for the whole one.
var folded = []page.Column{{Text: "Repeat"}, {Text: "Layer"}, {Text: "Type"}, {Text: "Parameters"}, {Text: "Output shape"}, {Text: "Weights", Number: true}, {Text: "Share", Number: true}}

// structure writes the folded table, when anything repeats, and every row.
func (w *text) structure(t *page.Template) {
	d := t.Data
	w.table(t.Parts)
	if len(d.Folded) < len(d.Rows) {
		w.printf("What repeats stands once, %d rows for %d; every row follows below.\n\n", len(d.Folded), len(d.Rows))
		w.head(folded)
		for k := range d.Folded {
			r := &d.Folded[k]
			repeat := ""
			if r.Repeat > 1 {
				repeat = fmt.Sprintf("×%d", r.Repeat)
			}
			w.row(repeat, r.Names, r.Display, declared(&r.Row), r.Shape(), foldedWeights(r), share(r.ParametersAll, d.Parameters))
		}
		w.raw("\n### Every row\n\n")
	}
	w.head(t.Structure)
	for k := range d.Rows {
		r := &d.Rows[k]
		w.raw("| ")
		w.b = append(strconv.AppendInt(w.b, int64(r.Number), 10), ' ')
		w.cell(r.Name)
		w.cell(r.Display)
		w.cell(declared(r))
		w.raw("| ")
		w.b = append(append(r.AppendShape(w.b), ' '), "| "...)
		w.b = append(append(appendWeights(w.b, r), ' '), "| "...)
		w.b = append(appendShare(w.b, r.Parameters, d.Parameters), " |\n"...)
	}
	w.row("", "Total", layerCount(d), "", "", total(d), share(d.Parameters, d.Parameters))
	w.raw("\n")
}

// foldedWeights is what all instances add, and each of them where they are equal.
func foldedWeights(r *facts.Folded) string {
	each := weights(&r.Row)
	if r.Repeat == 1 || each == "" || !r.Whole || r.ParametersAll == 0 {
		return each
	}
	if r.Parameters*int64(r.Repeat) == r.ParametersAll {
		return fmt.Sprintf("%d × %s = %s", r.Repeat, each, format.Exact64(r.ParametersAll))
	}
	return format.Exact64(r.ParametersAll)
}

// ledger writes the tensors, and how they add up to what a checkpoint stores.
func (w *text) ledger(t *page.Template) {
	w.head(t.Tensors)
	sums := tally{}
	for k := range t.Data.Ledger {
		l := &t.Data.Ledger[k]
		sums.add(l)
		w.row(append(append([]string{l.Name, facts.ShapeText(l.Shape), format.Exact64(l.Tensors)}, lineCells(l)...), remark(l))...)
	}
	w.row(append(append([]string{"Total", "", format.Exact64(sums.tensors)}, sums.cells()...), "")...)
	w.raw("\n")
	if len(t.Reckoning) == 0 {
		return
	}
	w.raw("From the parameters to what a checkpoint stores")
	if c := t.Data.Checkpoint; c.Source != "" {
		w.raw(" (published: ", content.Cell(c.Source), ")")
	}
	w.raw(":\n\n")
	w.head(reckoning)
	for _, s := range t.Reckoning {
		w.row(s.What, sum(s))
	}
	w.raw("\n")
}

var reckoning = []page.Column{{Text: "What"}, {Text: "Elements", Number: true}}

// sum is a line of an addition: a total as it is, a part with its sign.
func sum(s page.Sum) string {
	switch {
	case s.Total:
		return "= " + format.Exact64(s.Elements)
	case s.Elements < 0:
		return "− " + format.Exact64(-s.Elements)
	}
	return "+ " + format.Exact64(s.Elements)
}

func (w *text) table(t page.Table) {
	w.raw("### ", content.EscapeMarkdown(t.Caption), "\n\n")
	w.exactTable(t)
}

// exactTable writes a table with the exact numbers behind shortened ones.
func (w *text) exactTable(t page.Table) {
	w.head(t.Columns)
	for _, r := range t.Rows {
		texts := make([]string, len(r.Cells))
		for i, c := range r.Cells {
			texts[i] = c.Text
			if c.Exact != "" && c.Mark == "" {
				texts[i] += " (" + c.Exact + ")"
			}
		}
		w.row(texts...)
	}
	w.raw("\n")
}

// code is the beginning of the exported code and where the whole stands, or why
// there is none.
func (w *text) code(t *page.Template) {
	w.section(page.PyTorch)
	if c := t.Code; c != nil {
		w.raw(content.Fence("python", c.First()), "\n")
		w.printf("The first %d of %d lines; the whole file: [%s](%s)\n\n", c.Shown(), c.Lines, content.Cell(t.Data.ID+".py"), t.URL(c.Path))
		return
	}
	w.paragraph("There is no code of this model, for half of one would be another model.")
	for _, r := range t.Reasons {
		w.raw("- ")
		if r.Layer != "" {
			w.raw(content.Cell(r.Layer), ": ")
		}
		w.raw(content.Cell(r.Why), "\n")
	}
	w.raw("\n")
}

func (w *text) findings(t *page.Template) {
	if len(t.Data.Findings) == 0 {
		w.paragraph(t.Data.Summary)
		return
	}
	for _, f := range t.Data.Findings {
		w.raw("- **", string(f.Severity), "** `", f.Rule, "`")
		for i, item := range t.Where(f) {
			if i > 0 {
				w.raw(",")
			}
			w.raw(" ", content.Cell(item.Text))
		}
		if f.Repeat > 1 {
			w.printf(" ×%d", f.Repeat)
		}
		w.raw(": ", content.Cell(f.Message))
		if f.Fix != "" {
			w.raw(". Fix: ", content.Cell(f.Fix))
		}
		if f.Accepted != "" {
			if f.Fix == "" {
				w.raw(".")
			}
			w.raw(" Accepted: ", content.Cell(f.Accepted))
		}
		w.raw("\n")
	}
	w.raw("\n")
}
