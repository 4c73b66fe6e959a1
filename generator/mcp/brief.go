package mcp

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/strata-catalog/strata/generator/cost"
	"github.com/strata-catalog/strata/generator/diff"
	"github.com/strata-catalog/strata/generator/edit"
	"github.com/strata-catalog/strata/generator/facts"
	"github.com/strata-catalog/strata/generator/format"
	"github.com/strata-catalog/strata/generator/ops"
	"github.com/strata-catalog/strata/generator/policy"
	"github.com/strata-catalog/strata/generator/reference"
	"github.com/strata-catalog/strata/generator/shape"
)

// brief is an answer in words: what matters first, lists cut after so many
// lines, with what is left out said.
func brief(answer any, limit int) string {
	b := &text{limit: limit}
	switch a := answer.(type) {
	case *ops.Found:
		b.found(a)
	case ops.Shown:
		b.shown(a.Value)
	case *ops.Checked:
		b.check(&a.Check)
		var tensors []string
		for t := range a.Tensors.All() {
			tensors = append(tensors, tensor(t))
		}
		list(b, tensors, "tensors", itself)
		b.warnings(a.Warnings)
	case *ops.Planned:
		b.plan(a)
	case *facts.Diff:
		b.diff(a)
	case *ops.Exported:
		return a.Source
	case ops.Explained:
		b.explained(a.Value)
	case *ops.Imported:
		b.check(a.Check)
		b.warnings(a.Warnings)
		b.line("%s", strings.TrimSpace(string(a.Model)))
	case *Opened:
		b.line("%s", a.Copy)
		b.check(a.Check)
		b.warnings(a.Warnings)
	case *Edited:
		b.edited(a)
	case Impact:
		b.impact(a.Value)
	case *Read:
		return a.Text
	case *Saved:
		b.line("wrote %s, %d bytes", a.File, a.Bytes)
	default:
		panic(fmt.Sprintf("mcp: no words for %T", answer)) // a test calls every tool
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// text is an answer in the making.
type text struct {
	strings.Builder
	limit int
}

func (b *text) line(format string, args ...any) {
	fmt.Fprintf(b, format, args...)
	b.WriteByte('\n')
}

// list writes a line for each element, and how many there are beyond the limit.
func list[T any](b *text, all []T, what string, say func(T) string) {
	for i, x := range all {
		if i == b.limit {
			b.line("%d more %s; raise limit", len(all)-i, what)
			return
		}
		b.line("%s", say(x))
	}
}

func itself(s string) string { return s }

// some is a member that may be empty, with a word before it.
func some(word, s string) string {
	if s == "" {
		return ""
	}
	return word + s
}

func (b *text) found(f *ops.Found) {
	for _, l := range f.Templates {
		switch t := l.Value.(type) {
		case *ops.Brief:
			b.line("%s: %s, %s parameters, %s. %s", t.ID, t.Category, format.Short64(t.Parameters), t.Verdict, t.Description)
		case *ops.Entry:
			b.line("%s: %s, %s parameters, %s. %s", t.ID, t.Category, format.Short64(t.Parameters), t.Verdict, t.Description)
		}
	}
	b.line("%d of %d", len(f.Templates), f.Count)
}

// totals is what every answer on a model begins with.
func (b *text) totals(t *facts.Totals, summary string) {
	about := ""
	if !t.ParametersWhole {
		about = "at least "
	}
	active := ""
	if t.ActiveParameters != t.Parameters {
		active = fmt.Sprintf(" (%s active)", format.Exact64(t.ActiveParameters))
	}
	b.line("%s", summary)
	b.line("%s%s parameters%s in %d components; %s -> %s", about, format.Exact64(t.Parameters), active, t.Components, shapes(t.Inputs), shapes(t.Outputs))
}

func shapes(list []shape.Shape) string {
	parts := make([]string, len(list))
	for i, s := range list {
		parts[i] = dims(s)
	}
	return strings.Join(parts, " ")
}

// dims is a shape, ? where it is not known.
func dims(s shape.Shape) string {
	if s == nil {
		return "?"
	}
	return s.Brackets()
}

func (b *text) check(c *facts.Check) {
	b.totals(&c.Totals, c.Summary)
	if kept := slices.DeleteFunc(slices.Clone(c.Policy), func(r policy.Result) bool { return r.Status != policy.Kept }); c.Policy != nil {
		b.line("policy: %d of %d lines kept", len(kept), len(c.Policy)) // findings name the others
	}
	list(b, c.Findings, "findings", finding)
}

// finding is one finding in a line: what is wrong, where, and what to do.
func finding(f facts.Finding) string {
	repeat := ""
	if f.Repeat > 1 {
		repeat = fmt.Sprintf(" ×%d", f.Repeat)
	}
	fix := some(" Fix: ", f.Fix)
	if len(f.Patch) > 0 {
		fix += " [op fix does it]"
	}
	at := ""
	if len(f.Components) > 0 {
		at = " [" + strings.Join(f.Components, " ") + "]"
	}
	return fmt.Sprintf("%s %s%s%s: %s.%s%s", f.Severity, f.Rule, at, repeat, f.Message, fix, some(" Accepted: ", f.Accepted))
}

func (b *text) warnings(all []string) {
	list(b, all, "warnings", func(s string) string { return "warning: " + s })
}

func (b *text) shown(value any) {
	switch v := value.(type) {
	case *ops.Overview:
		b.line("%s: %s", v.ID, v.Name)
		b.totals(&v.Totals, v.Summary)
		list(b, v.Findings, "findings", finding)
		b.line("blocks: %s", strings.Join(v.Blocks, " "))
		list(b, v.Outline, "lines", func(l ops.Line) string {
			return fmt.Sprintf("%s%s %s %s%s", l.ID, times(l.Repeat), l.Type, dims(l.Output), counted(l.Parameters))
		})
	case *ops.Layer:
		b.row(v.Row)
		b.line("reads %s; read by %s", strings.Join(v.Inputs, " "), strings.Join(v.Readers, " "))
		list(b, v.Tensors, "tensors", tensor)
		list(b, v.Findings, "findings", finding)
	case *ops.Block:
		b.line("%s%s, %s parameters, all instances %s", v.ID, times(v.Repeat), format.Exact64(v.Parameters), format.Exact64(v.ParametersAll))
		list(b, v.Rows, "layers", row)
		list(b, v.Findings, "findings", finding)
	}
}

func times(n int) string {
	if n < 2 {
		return ""
	}
	return fmt.Sprintf(" ×%d", n)
}

func counted(n int64) string {
	if n == 0 {
		return ""
	}
	return " " + format.Exact64(n)
}

func (b *text) row(r facts.Row) { b.line("%s", row(r)) }

func row(r facts.Row) string {
	params := r.Params.String()
	if params != "" {
		params = " (" + params + ")"
	}
	return fmt.Sprintf("%s %s%s %s%s", r.ID, r.Type, params, dims(r.Output), counted(r.Parameters))
}

func tensor(t facts.Tensor) string {
	switch {
	case t.TiedTo != nil:
		return fmt.Sprintf("%s %s = %s", t.Name, dims(t.Shape), *t.TiedTo)
	case t.Buffer:
		return fmt.Sprintf("%s %s buffer", t.Name, dims(t.Shape))
	}
	return fmt.Sprintf("%s %s", t.Name, dims(t.Shape))
}

func size(n *big.Int) string {
	if n == nil {
		return "?"
	}
	return format.Bytes(n)
}

func (b *text) plan(p *ops.Planned) {
	b.check(&p.Check)
	a := p.Assumptions
	if p.Memory.LowerBound {
		b.line("some size is not known: every figure may be larger")
	}
	for _, s := range p.Memory.Serving {
		var fit []string
		for _, f := range p.Memory.ServingFits {
			if f.DType == s.DType {
				fit = append(fit, card(f))
			}
		}
		b.line("serve %s: %s, weights %s, cache %s; %s", s.DType, size(s.TotalBytes), size(s.WeightBytes), size(s.CacheBytes), strings.Join(fit, ", "))
	}
	if c := p.Memory.Cache; c != nil {
		b.line("cache: %s a token in %s, for %d × %d tokens", size(c.TokenBytes), c.DType, c.Batch, c.Context)
	}
	t := p.Memory.Training
	var fit []string
	for _, f := range p.Memory.TrainingFits {
		fit = append(fit, card(f))
	}
	b.line("train: %s, activations %s, %s recomputed; %s", size(t.TotalBytes), size(t.ActivationBytes), size(t.RecomputedBytes), strings.Join(fit, ", "))
	if c := p.Cost.Pretraining; c != nil {
		b.line("pretraining: %s, %.1f %s-hours, %s %ss", format.Money(c.USD), c.Hours, c.Card, format.Count(c.Units), c.Unit)
	}
	speeds := slices.DeleteFunc(slices.Clone(p.Cost.Speeds), func(s cost.Speed) bool { return s.Card != a.Card })
	list(b, speeds, "speeds", func(s cost.Speed) string {
		return fmt.Sprintf("at most on %s in %s: %.0f tokens a second written, %.0f read", s.Card, s.DType, s.Decode, s.Prefill)
	})
	b.warnings(p.Warnings)
	if p.Diff != nil {
		b.diff(p.Diff)
	}
}

// card says how many of a card it takes.
func card(f cost.Fit) string {
	switch {
	case f.Fits:
		return f.Card
	case f.Cards == 0:
		return "not on " + f.Card
	}
	return fmt.Sprintf("%d × %s", f.Cards, f.Card)
}

func (b *text) diff(d *facts.Diff) {
	b.line("%s -> %s: %s", d.A, d.B, d.Headline)
	b.line("rows: %d added, %d removed, %d changed, %d same", d.Added, d.Removed, d.Changed, d.Unchanged)
	b.line("total: %s parameters, %s MACs", signed(d.Bill.Total.Params), signedBig(d.Bill.Total.MACs))
	counted := slices.DeleteFunc(slices.Clone(d.Bill.Rows), func(l facts.BillLine) bool { return l.Params == 0 && l.MACs.Sign() == 0 })
	list(b, counted, "lines of the bill", func(l facts.BillLine) string {
		return fmt.Sprintf("%s: %s parameters, %s MACs", l.Title(), signed(l.Params), signedBig(l.MACs))
	})
	list(b, free(d, counted), "changes", itself)
	for _, c := range d.Caveats {
		b.line("%s", c.Text)
	}
}

func signed(n int64) string { return signedBig(big.NewInt(n)) }

func signedBig(n *big.Int) string {
	if n.Sign() > 0 {
		return "+" + format.Exact(n)
	}
	return format.Exact(n)
}

// free are the changes without a line of the bill, as the labels of their folds.
func free(d *facts.Diff, bill []facts.BillLine) (labels []string) {
	for _, f := range d.Folded {
		if f.Status != diff.Same && !slices.ContainsFunc(bill, func(l facts.BillLine) bool { return f.Row <= l.Row && l.Row <= f.Last() }) {
			labels = append(labels, f.Label)
		}
	}
	return labels
}

func (b *text) explained(value any) {
	switch v := value.(type) {
	case *reference.Rule:
		b.line("%s (%s): %s", v.ID, v.Severity, v.Title)
		b.line("fires: %s", v.Trigger)
		b.line("why: %s", v.Why)
		b.line("fix: %s", v.Fix)
		b.line("source: %s", v.Source)
	case *reference.Type:
		b.line("%s: %s", v.Name, v.Summary)
		b.line("operands: %s", v.Operands)
		b.line("shape: %s", v.Shape)
		b.line("tensors: %s", cmp.Or(v.Tensors, "none"))
		b.line("MACs: %s", v.Work)
		list(b, v.Parameters, "parameters", func(p reference.Parameter) string {
			must := some(", default ", p.Default)
			if p.Required {
				must = ", required"
			}
			return fmt.Sprintf("%s (%s%s): %s%s", p.Name, p.Kind, must, p.Doc, some("; one of ", strings.Join(p.Enum, ", ")))
		})
		b.line("source: %s", v.Source)
	}
}

func (b *text) edited(e *Edited) {
	list(b, e.Steps, "edits", itself)
	b.line("%s %s parameters, %s", e.Summary, format.Exact64(e.Parameters), signed(e.Parameters-e.Was))
	list(b, e.New, "new findings", func(f facts.Finding) string { return "new: " + finding(f) })
	list(b, e.Gone, "findings that are gone", func(f facts.Finding) string {
		return fmt.Sprintf("gone: %s [%s] %s", f.Rule, strings.Join(f.Components, " "), f.Message)
	})
}

func (b *text) impact(value any) {
	switch v := value.(type) {
	case *edit.Reach:
		b.line("%s%s %s, %s parameters", v.Component, times(v.Instances), v.Type, format.Exact64(v.Parameters))
		b.line("%d other components hang on it", v.Downstream)
		list(b, v.Readers, "readers", func(s string) string { return "read by " + s })
		list(b, v.Tensors, "tensors", func(s string) string { return "has " + s })
		list(b, v.Tied, "tied tensors", func(s string) string { return "tied to it: " + s })
	case *edit.Effects:
		b.line("parameters %s -> %s: %s keep name and size, %s are new or resized and must be trained", format.Exact64(v.Before), format.Exact64(v.After), format.Exact64(v.Kept), format.Exact64(v.Rebuilt))
		if !v.Complete {
			b.line("not all follows: a graph is broken, or a size is not known")
		}
		list(b, v.Components, "components", func(m edit.Moved) string {
			return fmt.Sprintf("%s: %s%s %s", m.Status, m.Components, times(int(m.Count)), m.Type)
		})
		list(b, v.Reshaped, "reshaped components", func(r edit.Reshaped) string {
			return fmt.Sprintf("reshaped: %s%s %s -> %s", r.Components, times(int(r.Count)), dims(r.Before), dims(r.After))
		})
		list(b, v.Tensors, "tensors", func(r edit.Resized) string {
			sizes := dims(r.Before) + " -> " + dims(r.After)
			switch r.Status {
			case "added":
				sizes = dims(r.After)
			case "removed":
				sizes = dims(r.Before)
			}
			return fmt.Sprintf("%s: %s%s %s, %s parameters", r.Status, r.Tensors, times(int(r.Count)), sizes, format.Exact64(r.Parameters))
		})
	}
}
