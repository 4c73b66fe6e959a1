package cli

import (
	"flag"
	"fmt"
	"math/big"
	"strings"

	"github.com/strata-catalog/strata/generator/facts"
	"github.com/strata-catalog/strata/generator/format"
	"github.com/strata-catalog/strata/generator/ops"
	"github.com/strata-catalog/strata/generator/shape"
	"github.com/strata-catalog/strata/generator/verify"
)

var showCommand = &Command{
	Name:  "show",
	Args:  subjects,
	Short: "show the layers of a model with shapes, parameters and work",
	Long: `Prints the layers of a model: shape of the result, parameters, multiply-accumulates
and share of the parameters. What repeats stands once: the line above it counts
the instances and has their sum, the lines below it are those of one instance.
` + aboutSubjects + `

On a terminal the table is as wide as the terminal: long ids are cut in their
middle, and columns go where even that is too wide. Elsewhere nothing is cut,
unless --width says so. With --format json the answer is the whole analysis, as
the site publishes it.

--layer shows one layer with its tensors and what reads it, --block the layers of
the first instance of a block, or those below a module path.

Exit code 0: shown. 1: structural faults. 2: a file that cannot be read, an id,
layer or block that does not exist, or wrong usage.`,
	Setup: func(fs *flag.FlagSet) func(*Session, []string) error {
		c := &show{}
		choose(fs, &c.format, "format", "`FORMAT` of the answer", "text", "json")
		fs.BoolVar(&c.rows, "rows", false, "a line for every layer of every instance")
		fs.StringVar(&c.layer, "layer", "", "`ID` of one layer to show")
		fs.StringVar(&c.block, "block", "", "`NAME` of a block, or path of a module, to show")
		sourceFlag(fs, &c.source)
		widthFlag(fs, &c.width)
		return c.run
	},
}

type show struct {
	format, source string
	layer, block   string
	rows           bool
	width          int
}

// widthFlag declares how wide to print.
func widthFlag(fs *flag.FlagSet, to *int) {
	fs.Var(&natural{to}, "width", "`N` cells in a line; 0 is the width of the terminal, and no limit elsewhere")
}

func (c *show) run(s *Session, args []string) error {
	if err := onlyOne("show", "model", args); err != nil {
		return err
	}
	sub, err := s.subject(c.source, args[0])
	if err != nil {
		return err
	}
	shown, err := sub.Show(ops.ShowParams{Full: c.layer == "" && c.block == "", Layer: c.layer, Block: c.block})
	if err != nil {
		return &Failure{2, printable(err.Error())}
	}
	if c.format == "json" {
		return s.json(shown)
	}
	sc := s.screen(c.width)
	switch v := shown.Value.(type) {
	case *ops.Layer:
		return showLayer(sc, v)
	case *ops.Block:
		return showBlock(sc, v)
	case *facts.Model:
		return c.model(sc, v)
	}
	return nil
}

func (c *show) model(sc *screen, m *facts.Model) error {
	sc.title(m.Name, m.ID)
	if err := c.table(m).write(sc); err != nil {
		return err
	}
	return totals(m).write(sc)
}

// showLayer shows a layer with what is around it.
func showLayer(sc *screen, l *ops.Layer) error {
	sc.title(l.Display, l.ID)
	about := &table{columns: []column{{}, {least: 20, wraps: true}}}
	add := func(label, text string) {
		if text != "" {
			about.add(ordinary, label, printable(text))
		}
	}
	add("Parameters", l.Params.String())
	add("Reads", strings.Join(l.Inputs, ", "))
	add("Read by", strings.Join(l.Readers, ", "))
	add("Output shape", l.Shape())
	add("Weights", format.Exact64(l.Parameters))
	add("MACs", work(l.MACs))
	for _, f := range l.Findings {
		add(string(f.Severity), fmt.Sprintf("%s [%s]", f.Message, f.Rule))
	}
	if err := about.write(sc); err != nil || len(l.Tensors) == 0 {
		return err
	}
	fmt.Fprintln(sc)
	tensors := &table{columns: []column{{head: "Tensor", least: 14, cut: cutMiddle}, {head: "Shape"}, {head: "Parameters", right: true}}}
	for _, x := range l.Tensors {
		count := "not known"
		switch {
		case x.TiedTo != nil:
			count = "tied to " + printable(*x.TiedTo)
		case x.Buffer:
			count = "a buffer"
		case x.Parameters != nil:
			count = format.Exact64(*x.Parameters)
		}
		tensors.add(ordinary, printable(x.Name), x.Shape.Brackets(), count)
	}
	return tensors.write(sc)
}

// showBlock shows the layers of one instance; shares are of the instance.
func showBlock(sc *screen, b *ops.Block) error {
	sc.title(b.ID, b.Block)
	w := &layerTable{table: table{columns: layerColumns()}, total: b.Parameters}
	w.layers(b.Rows, "")
	if err := w.write(sc); err != nil {
		return err
	}
	fmt.Fprintf(sc, "\n%s parameters", format.Exact64(b.Parameters))
	if b.Repeat > 1 {
		fmt.Fprintf(sc, ", %d times: %s", b.Repeat, format.Exact64(b.ParametersAll))
	}
	fmt.Fprintln(sc)
	return nil
}

// onlyOne refuses any other number of operands.
func onlyOne(command, what string, args []string) error {
	switch len(args) {
	case 0:
		return usage("%s: which %s? (see strata help %s)", command, what, command)
	case 1:
		return nil
	}
	return usage("%s: takes one %s, found %q too", command, what, args[1])
}

// json answers a program.
func (s *Session) json(v any) error {
	src, err := facts.JSON(v)
	if err != nil {
		return err
	}
	_, err = s.Stdout.Write(src)
	return err
}

// title is the name of what is shown.
func (sc *screen) title(name, id string) {
	text := printable(name)
	if id != "" && id != name {
		text += " (" + printable(id) + ")"
	}
	fmt.Fprintf(sc, "%s\n\n", sc.paint(bold, cutEnd(text, sc.textWidth())))
}

// layerColumns are the columns of the layer table.
func layerColumns() []column {
	return []column{
		{head: "#", right: true},
		{head: "Layer", least: 14, cut: cutMiddle},
		{head: "Type", least: 10, goes: 3},
		{head: "Output shape", goes: 4},
		{head: "Parameters", right: true},
		{head: "MACs", right: true, goes: 1},
		{head: "Share", right: true, goes: 2},
	}
}

func (c *show) table(m *facts.Model) *table {
	w := &layerTable{table: table{columns: layerColumns()}, total: m.Parameters}
	if c.rows {
		w.layers(m.Rows, "")
	} else {
		w.spans(m.Spans, "")
	}
	return &w.table
}

// layerTable is the layer table as it is filled.
type layerTable struct {
	table
	total int64 // parameters of the model
}

// spans adds what stands alone, and what repeats. Each level of repetition is
// set in further.
func (w *layerTable) spans(list []facts.Span, indent string) {
	for i := range list {
		sp := &list[i]
		if sp.Repeat == 0 {
			w.layers(sp.Rows, indent)
			continue
		}
		w.repeat(sp, indent)
		w.spans(sp.First, indent+"│ ")
	}
}

// repeat adds the line of something that repeats, with the sum of its instances.
func (w *layerTable) repeat(sp *facts.Span, indent string) {
	what := fmt.Sprintf("%s×%d", indent, sp.Repeat)
	if sp.Block != "" {
		what += " " + printable(sp.Block)
	}
	w.add(cyan, "", what, count(sp.Period, "layer")+" each", "", parameters(sp.All), work(spanWork(sp)), w.share(sp.All))
}

// spanWork is the work of all instances, nil when that of a layer is not known.
func spanWork(sp *facts.Span) *big.Int {
	total, known := new(big.Int), true
	eachRow(sp, func(r *facts.Row) {
		if r.MACs == nil {
			known = false
			return
		}
		total.Add(total, r.MACs)
	})
	if !known {
		return nil
	}
	return total
}

// eachRow calls f for every row of a stretch.
func eachRow(sp *facts.Span, f func(*facts.Row)) {
	for i := range sp.Rows {
		f(&sp.Rows[i])
	}
	for i := range sp.First {
		eachRow(&sp.First[i], f)
	}
	for i := range sp.Rest {
		f(&sp.Rest[i])
	}
}

func (w *layerTable) layers(rows []facts.Row, indent string) {
	for i := range rows {
		r := &rows[i]
		params := parameters(r.Parameters)
		switch {
		case !r.Whole:
			params = "≥ " + format.Exact64(r.Parameters)
		case r.TiedTo != nil && r.Parameters == 0:
			params = "tied"
		}
		w.add(ordinary, fmt.Sprint(r.Number), indent+printable(r.ID), printable(r.Display), r.Shape(), params, work(r.MACs), w.share(r.Parameters))
	}
}

// parameters is a number of them, nothing for none.
func parameters(n int64) string {
	if n == 0 {
		return ""
	}
	return format.Exact64(n)
}

// share is part of all parameters, nothing for none.
func (w *layerTable) share(params int64) string {
	if params == 0 {
		return ""
	}
	return format.Share(params, w.total)
}

// work is a number of multiply-accumulates in short, nothing for none.
func work(n *big.Int) string {
	switch {
	case n == nil:
		return "unknown"
	case n.Sign() == 0:
		return ""
	}
	return strings.TrimSpace(format.Metric(n, ""))
}

// totals are what the table adds up to.
func totals(m *facts.Model) *table {
	t := &table{columns: []column{{}, {}, {least: 20, wraps: true}}}
	t.add(ordinary, "", "", "")
	params := format.Exact64(m.Parameters)
	if !m.ParametersWhole {
		params = "at least " + params
	}
	t.add(bold, "Parameters", params, format.Count64(m.Parameters))
	if m.ActiveParameters != m.Parameters {
		t.add(ordinary, "Active", format.Exact64(m.ActiveParameters), "work on one token")
	}
	if m.Published != nil {
		t.add(ordinary, "Published", format.Exact64(*m.Published), against(m.Parameters, *m.Published))
	}
	if m.Buffers > 0 {
		t.add(ordinary, "Buffers", format.Exact64(m.Buffers), "stored, but no parameters")
	}
	addWork(t, m)
	t.add(ordinary, "Input", shapesText(m.Inputs), "")
	t.add(ordinary, "Output", shapesText(m.Outputs), "")
	t.add(ordinary, "Layers", format.Exact64(int64(m.Layers)), fmt.Sprintf("%s with inputs and outputs", count(m.Components, "component")))
	_, why, _ := strings.Cut(m.Summary, ": ")
	t.add(verdictStyle[m.Verdict], "Verdict", string(m.Verdict), why)
	return t
}

// addWork adds the work of one forward pass.
func addWork(t *table, m *facts.Model) {
	if m.MACs.Sign() == 0 && m.MACsWhole {
		return
	}
	note := "attention over the full square"
	if !m.MACsWhole {
		note = "a lower bound: the work of some layer is not known"
	}
	t.add(ordinary, "MACs", format.Metric(m.MACs, "MACs"), note)
	if m.CausalMACs.Cmp(m.MACs) != 0 {
		t.add(ordinary, "MACs, causal", format.Metric(m.CausalMACs, "MACs"), "what causal and windowed kernels must do")
	}
}

// against compares a count with the published one.
func against(derived, known int64) string {
	switch d := derived - known; {
	case d > 0:
		return format.Exact64(d) + " fewer than counted"
	case d < 0:
		return format.Exact64(-d) + " more than counted"
	}
	return "the same"
}

// shapesText lists the shapes of inputs or outputs.
func shapesText(list []shape.Shape) string {
	texts := make([]string, len(list))
	for i, x := range list {
		texts[i] = facts.ShapeText(x)
	}
	return strings.Join(texts, ", ")
}

var verdictStyle = map[verify.Verdict]style{verify.Pass_: green, verify.Advisory: yellow, verify.Fail: red}
