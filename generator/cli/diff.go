package cli

import (
	"bytes"
	"cmp"
	"errors"
	"flag"
	"fmt"
	"math"
	"strings"

	"github.com/strata-catalog/strata/generator/diff"
	"github.com/strata-catalog/strata/generator/facts"
	"github.com/strata-catalog/strata/generator/ops"
	"github.com/strata-catalog/strata/generator/page"
	"github.com/strata-catalog/strata/generator/render"
)

var diffCommand = &Command{
	Name:  "diff",
	Args:  subjects + " " + subjects,
	Short: "show what sets two models apart, and what it costs",
	Long: `Compares two models, reading from the first to the second: what is added is in
the second only. Layers are aligned by type. What repeats stands once, unless
--rows is given; md and json have every row in either case, as on the site.
` + aboutSubjects + `
Only one of the two can be standard input. Estimates of both sides assume the
same, training data aside.

Exit code 0: the same graph. 1: they differ. 2: a file that cannot be read, an id
that does not exist, structural faults, wrong usage, or an answer that cannot be
written.`,
	Setup: func(fs *flag.FlagSet) func(*Session, []string) error {
		c := &compare{}
		choose(fs, &c.format, "format", "`FORMAT` of the answer", "text", "md", "json")
		fs.BoolVar(&c.onlyChanges, "only-changes", false, "leave out the rows that are the same")
		fs.BoolVar(&c.rows, "rows", false, "a line for every row, in text")
		sourceFlag(fs, &c.source)
		widthFlag(fs, &c.width)
		return c.run
	},
}

type compare struct {
	format, source    string
	onlyChanges, rows bool
	width             int
}

func (c *compare) run(s *Session, args []string) error {
	a, b, err := c.subjects(s, args)
	if err != nil {
		var f *Failure
		if errors.As(err, &f) {
			return &Failure{2, f.Message}
		}
		return err
	}
	d, err := ops.Compare(a, b)
	if err != nil {
		return &Failure{2, err.Error()}
	}
	if c.onlyChanges {
		d = d.Differences()
	}
	if err := c.print(s, d, a, b); err != nil {
		return &Failure{2, fmt.Sprintf("diff: the answer cannot be written: %v", err)}
	}
	if d.Identical {
		return nil
	}
	return &Failure{Code: 1}
}

// subjects reads the two models.
func (c *compare) subjects(s *Session, args []string) (a, b *ops.Model, err error) {
	switch {
	case len(args) < 2:
		return nil, nil, usage("diff: which two models? (see strata help diff)")
	case len(args) > 2:
		return nil, nil, usage("diff: takes two models, found %q too", args[2])
	case args[0] == "-" && args[1] == "-":
		return nil, nil, usage("diff: only one of the two can be standard input; give the other as a file")
	}
	if a, err = s.subject(c.source, args[0]); err != nil {
		return nil, nil, err
	}
	b, err = s.subject(c.source, args[1])
	return a, b, err
}

func (c *compare) print(s *Session, f *facts.Diff, a, b *ops.Model) error {
	if c.format == "json" {
		return s.json(f)
	}
	d := page.NewDiff(f, nil)
	d.Graphs = []page.Item{{Text: f.NameA, Note: a.File}, {Text: f.NameB, Note: b.File}}
	if c.format == "md" {
		_, err := s.Stdout.Write(render.DiffMarkdown(d))
		return err
	}
	sc := s.screen(c.width)
	var answer bytes.Buffer
	sc.Writer = &answer
	if err := c.text(sc, d); err != nil {
		return err
	}
	_, err := s.Stdout.Write(answer.Bytes())
	return err
}

// text shows the diff to a reader.
func (c *compare) text(sc *screen, d *page.Diff) error {
	f := &d.Data.Diff
	for _, line := range wrap(printable(f.Headline), cmp.Or(sc.width, math.MaxInt)) {
		fmt.Fprintln(sc, sc.paint(bold, line))
	}
	fmt.Fprintln(sc)
	if err := tableOf(d.Sides).write(sc); err != nil {
		return err
	}
	fmt.Fprintln(sc)
	for _, delta := range d.Deltas {
		fmt.Fprintf(sc, "%s: %s\n", delta.Label, delta.Text)
	}
	fmt.Fprintf(sc, "Added %d, removed %d, changed %d, unchanged %d\n", f.Added, f.Removed, f.Changed, f.Unchanged)
	if len(f.Rows) > 0 {
		fmt.Fprintf(sc, "\n%s\n", sc.paint(bold, page.DiffLayers.Title))
		if err := c.rowTable(f, sc.width).write(sc); err != nil {
			return err
		}
	}
	for _, t := range d.Bill {
		if len(t.Rows) == 1 {
			continue // a total of nothing
		}
		fmt.Fprintf(sc, "\n%s\n", sc.paint(bold, page.DiffBill.Title+", "+strings.ToLower(t.Caption)))
		if err := billOf(t, sc.width).write(sc); err != nil {
			return err
		}
	}
	fmt.Fprintln(sc)
	for _, caveat := range f.Caveats {
		sc.note(caveat.Text)
	}
	return nil
}

// tableOf is a table of a page on the terminal.
func tableOf(t page.Table) *table {
	out := &table{}
	for i, c := range t.Columns {
		column := column{head: printable(c.Text), right: c.Number}
		if i == 0 || !c.Number {
			column.least = 12
		}
		out.columns = append(out.columns, column)
	}
	for _, r := range t.Rows {
		texts := make([]string, len(r.Cells))
		for i, c := range r.Cells {
			texts[i] = printable(c.Text)
		}
		style := ordinary
		if r.Total {
			style = bold
		}
		out.add(style, texts...)
	}
	return out
}

// billOf is a bill on the terminal: on a narrow one, what a line is for and the
// headings of the figures go on below themselves, and the figures leave what
// they do not need to the first column. Where all that is not enough, figures
// go, but for the parameters.
func billOf(t page.Table, width int) *table {
	out := tableOf(t)
	room := width
	for i := range out.columns {
		c := &out.columns[i]
		c.wraps = true
		if i == 0 {
			continue
		}
		c.goes = i - 1
		for _, word := range strings.Fields(c.head) {
			c.least = max(c.least, cells(word))
		}
		for _, r := range out.rows {
			c.least = max(c.least, cells(r.cells[i]))
		}
		room -= gap + c.least
	}
	out.columns[0].least = max(out.columns[0].least, room)
	return out
}

// The widths of a screen that has room for the names of layers, and for the
// shapes of their results.
const (
	forNames  = 100
	forShapes = 150
)

// rowTable is the table of rows, or of folds.
func (c *compare) rowTable(f *facts.Diff, width int) *table {
	w := &diffTable{Diff: f, names: width == 0 || width >= forNames, shapes: width == 0 || width >= forShapes}
	w.columns = []column{{head: "#", right: true}, {}, {head: "Layer", least: 16}}
	for _, name := range []string{f.NameA, f.NameB} {
		name = printable(name)
		if !w.names {
			w.columns = append(w.columns, column{head: name, right: true, least: 9})
			continue
		}
		w.columns = append(w.columns, column{head: name, least: 8, cut: cutMiddle}, column{head: "Params", right: true})
		if w.shapes {
			w.columns = append(w.columns, column{head: "Output"})
		}
	}
	w.columns = append(w.columns, column{head: "What changed", least: 16, wraps: true})
	if !c.rows {
		w.folds(f.Folded, "")
		return &w.table
	}
	for i := range f.Rows {
		w.row(f.Rows[i].Number, "")
	}
	return &w.table
}

// diffTable is the table of rows as it is filled.
type diffTable struct {
	*facts.Diff
	table
	names, shapes bool // show them
}

var statusStyle = map[diff.Status]style{diff.Added: green, diff.Removed: red, diff.Changed: yellow, diff.Same: faint}

// folds adds a line for each fold, and the first instance of those whose rows
// became different things, set in.
func (w *diffTable) folds(list []facts.DiffFold, indent string) {
	for i := range list {
		f := &list[i]
		if !f.Worth() {
			for n := f.Row; n <= f.Last(); n++ {
				w.row(n, indent)
			}
			continue
		}
		what := f.Label
		if !f.Closed() {
			what = f.Each + " in each"
		}
		w.line(f.Status, fmt.Sprintf("%d–%d", f.Row, f.Last()), fmt.Sprintf("%s×%d", indent, f.Count), what,
			[]string{"", facts.Weights(f.ParametersA, f.WholeA), ""}, []string{"", facts.Weights(f.ParametersB, f.WholeB), ""})
		switch {
		case f.Closed():
		case len(f.Folds) == 0:
			w.row(f.Row, indent+"│ ")
		default:
			w.folds(f.Folds, indent+"│ ")
		}
	}
}

// sign is nothing for a fold of several statuses.
func sign(s diff.Status) string {
	if s == "" {
		return ""
	}
	return facts.Sign(s)
}

// row adds the row with a number, unless it is left out.
func (w *diffTable) row(number int, indent string) {
	r := w.Row(number)
	if r == nil {
		return
	}
	sides := [2][]string{{"", "", ""}, {"", "", ""}}
	for k, c := range []*facts.DiffCell{r.A, r.B} {
		if c != nil {
			sides[k] = []string{printable(c.Name), c.Weights(), c.Shape()}
		}
	}
	w.line(r.Status, fmt.Sprint(number), indent+printable(r.Display()), strings.Join(r.Changes(), ", "), sides[0], sides[1])
}

// line adds a line; each side has a name, parameters and a shape.
func (w *diffTable) line(s diff.Status, at, layer, what string, a, b []string) {
	cells := []string{at, sign(s), layer}
	for _, side := range [][]string{a, b} {
		switch {
		case !w.names:
			side = side[1:2]
		case !w.shapes:
			side = side[:2]
		}
		cells = append(cells, side...)
	}
	w.add(statusStyle[s], append(cells, printable(what))...)
}
