package render

import (
	"html"

	"github.com/strata-catalog/strata/generator/content"
	"github.com/strata-catalog/strata/generator/facts"
	"github.com/strata-catalog/strata/generator/format"
	"github.com/strata-catalog/strata/generator/page"
)

// Limits of one change: the lines of its bill, and the findings that are shown.
const (
	mostLines    = 20
	mostFindings = 10
)

// Changes is what differs from a commit in Markdown, for a comment or a job's
// summary: a table, then the bill of each document behind a line that opens.
// Where that is longer than limit bytes, details and then rows are left out,
// and the text says how many.
func Changes(base string, list []page.Change, limit int) []byte {
	w := &text{}
	w.raw("## Architecture changes\n\n")
	if len(list) == 0 {
		w.raw("No graph document differs from `", base, "`.\n")
		return w.b
	}
	w.raw(page.Tally(list), ", compared with `", base, "`.\n\n")
	w.raw(string(changeTable(page.ChangeTable(list), limit/2)), "\n")
	rest := limit - len(w.b) - 100 // for the line that says how many
	left := 0
	for k := range list {
		d := details(&list[k], len(list) == 1)
		if rest -= len(d); rest < 0 {
			left = len(list) - k
			break
		}
		w.raw(string(d))
	}
	if left > 0 {
		w.raw("\nThe details of ", format.Exact64(int64(left)), " more are left out.\n")
	}
	return w.b
}

// changeTable is the table in at most limit bytes.
func changeTable(t page.Table, limit int) []byte {
	w := &text{}
	w.head(t.Columns)
	for k, r := range t.Rows {
		at := len(w.b)
		texts := make([]string, len(r.Cells))
		for i, c := range r.Cells {
			texts[i] = c.Text
		}
		w.row(texts...)
		if left := len(t.Rows) - k; len(w.b) > limit && left > 1 {
			w.b = w.b[:at]
			w.raw("\n", format.Exact64(int64(left)), " more are left out.\n")
			break
		}
	}
	return w.b
}

// details is one change: its headline, behind it the bill, and what is new among
// the findings.
func details(c *page.Change, open bool) []byte {
	w := &text{}
	w.raw("<details")
	if open {
		w.raw(" open")
	}
	w.raw("><summary><code>", html.EscapeString(c.File), "</code></summary>\n\n")
	w.paragraph(c.Headline())
	if c.Was != "" {
		w.raw("Before: ", content.Cell(c.Was), "\n\n")
	}
	if d := c.Diff; d != nil && !d.Data.Identical {
		w.table(d.Cut(mostLines).Bill[1])
		for k := range d.Data.Folded {
			w.fold(&d.Data.Diff, &d.Data.Folded[k], "")
		}
		w.raw("\n")
	}
	w.news(c.New())
	w.raw("</details>\n")
	return w.b
}

// news lists findings that were not there before.
func (w *text) news(list []facts.Finding) {
	if len(list) == 0 {
		return
	}
	w.raw("New findings:\n\n")
	for k, f := range list {
		if k == mostFindings {
			w.raw("- and ", format.Exact64(int64(len(list)-k)), " more\n")
			break
		}
		w.raw("- **", string(f.Severity), "** `", f.Rule, "`")
		for i, id := range f.Components {
			if i == 3 {
				w.raw(", …")
				break
			}
			w.raw(map[bool]string{true: " ", false: ", "}[i == 0], content.Cell(id))
		}
		w.raw(": ", content.Cell(f.Message), "\n")
	}
	w.raw("\n")
}
