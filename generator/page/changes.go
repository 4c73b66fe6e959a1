package page

import (
	"fmt"

	"github.com/strata-catalog/strata/generator/diff"
	"github.com/strata-catalog/strata/generator/facts"
	"github.com/strata-catalog/strata/generator/format"
)

// A Change is a graph document that differs from what it was, with the tables
// of the diff; these are nil where there is none.
type Change struct {
	*facts.Change
	Diff *Diff
}

// The names of the two sides of a change: "It has 2.1M more parameters than
// before".
const (
	NameAfter  = "It"
	NameBefore = "before"
)

// Headline says what became of a document in one sentence.
func (c *Change) Headline() string {
	switch {
	case c.AfterError != "":
		return "It cannot be read: " + c.AfterError
	case c.Status == diff.Removed && c.Before == nil:
		return "It was removed, and could not be read: " + c.BeforeError
	case c.Status == diff.Removed:
		return "It had " + weighs(c.Before) + "."
	case c.Status == diff.Added && c.After.Parameters == 0 && !c.After.ParametersWhole:
		return c.After.Summary
	case c.Status == diff.Added:
		return "It has " + weighs(c.After) + ". " + c.After.Summary
	case c.BeforeError != "":
		return "What it was cannot be read: " + c.BeforeError
	case c.Diff == nil:
		return "It cannot be compared, since structural faults leave nothing to tell. " + c.After.Summary
	case c.Status == diff.Same && c.Was != "":
		return "It was renamed; the graph is the same."
	case c.Status == diff.Same:
		return "It is written in another way; the graph is the same."
	}
	return c.Data().Headline
}

// weighs is "219 layers and 8.2B parameters".
func weighs(k *facts.Check) string {
	noun := " layers"
	if k.Layers == 1 {
		noun = " layer"
	}
	return format.Exact64(int64(k.Layers)) + noun + " and " + short(k.Parameters, k.ParametersWhole).Text + " parameters"
}

// Data is what the diff says.
func (c *Change) Data() *facts.Diff { return &c.Diff.Data.Diff }

// ChangeTable lists changes with what they add in all.
func ChangeTable(list []Change) Table {
	t := Table{Caption: "What changed", Columns: []Column{
		{"Document", false}, {"Change", false}, {"Parameters", true}, {"Difference", true}, {"KV cache per token", true}, {"Training memory", true}, {"Verdict", false},
	}}
	for k := range list {
		c := &list[k]
		cells := []Cell{{Text: c.File}, {Text: facts.Sign(c.Status) + " " + string(c.Status)}, {}, {}, {}, {}, {Text: c.verdict()}}
		if c.After != nil {
			cells[2] = short(c.After.Parameters, c.After.ParametersWhole)
		}
		if c.Diff != nil {
			total := c.Data().Bill.Total
			cells[3] = bounded(signed(total.Params), total.ParamsBound)
			cells[4] = bounded(signedBytes(total.CacheBytes), total.WorkBound)
			cells[5] = bounded(signedBytes(total.TrainingBytes), total.TrainingBound)
		}
		t.Rows = append(t.Rows, TableRow{Cells: cells})
	}
	return t
}

// verdict is the verdict, and what it was where it was another.
func (c *Change) verdict() string {
	of := func(k *facts.Check, err string) string {
		switch {
		case err != "":
			return "unreadable"
		case k == nil:
			return ""
		}
		return string(k.Verdict)
	}
	before, after := of(c.Before, c.BeforeError), of(c.After, c.AfterError)
	switch {
	case before == "" || before == after:
		return after
	case after == "":
		return before
	}
	return before + " → " + after
}

// Tally says how many documents were added, changed and removed.
func Tally(list []Change) string {
	n := map[diff.Status]int{}
	for _, c := range list {
		n[c.Status]++
	}
	text := ""
	for _, s := range []diff.Status{diff.Added, diff.Changed, diff.Removed} {
		if n[s] > 0 {
			text += fmt.Sprintf("%s %s, ", format.Exact64(int64(n[s])), s)
		}
	}
	if same := n[diff.Same]; same > 0 {
		text += fmt.Sprintf("%s with the same graph, ", format.Exact64(int64(same)))
	}
	return text[:max(len(text)-2, 0)]
}
