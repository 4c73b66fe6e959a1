package reference

import (
	"fmt"

	"github.com/strata-catalog/strata/generator/facts"
	"github.com/strata-catalog/strata/generator/format"
	"github.com/strata-catalog/strata/generator/verify"
)

// A Rule is a rule of the verifier.
type Rule struct {
	ID       string          `json:"rule" doc:"id of the rule, and the word to accept it by"`
	Severity verify.Severity `json:"severity" enum:"error,warning,advice" doc:"how sure it is that something is wrong; a single finding may be milder"`
	Group    verify.Group    `json:"group" doc:"chapter of the reference"`
	Title    string          `json:"title" doc:"what is wrong, in short"`
	Trigger  string          `json:"trigger" doc:"when it fires"`
	Why      string          `json:"why" doc:"what goes wrong"`
	Fix      string          `json:"fix" doc:"what to do about it"`
	Source   string          `json:"source" doc:"address of where that is written"`
	Example  Story           `json:"example" doc:"a graph that breaks the rule, and one that keeps it"`
	Record   Record          `json:"record" doc:"how it has worked so far"`
}

// A Record is how a rule has worked so far: on graphs that others wrote, on
// faults that were seeded into good models, on its own tests, and on a catalog.
type Record struct {
	Public    int         `json:"public" doc:"public graphs, written by others, on which it fires"`
	Graphs    int         `json:"public_graphs" doc:"public graphs that were tried"`
	Told      int         `json:"told" doc:"seeded faults that it told"`
	Faults    int         `json:"seeded_faults" doc:"faults that were seeded into good models"`
	Fires     int         `json:"fires" doc:"graphs of its tests on which it has to fire"`
	Spares    int         `json:"spares" doc:"near misses of its tests, on which it must not"`
	Findings  int         `json:"findings" doc:"findings in the catalog, accepted ones too; one that repeats counts once"`
	Templates []string    `json:"templates" doc:"ids of the templates that have a finding which is not accepted"`
	Accepted  []Exception `json:"accepted" doc:"templates that accept a finding"`
}

// An Exception is a finding that a template's content file accepts.
type Exception struct {
	Template string `json:"template" doc:"id of the template"`
	Why      string `json:"why" doc:"why it is right there"`
}

// Sentences say what the record holds beyond the catalog.
func (r Record) Sentences() []string {
	public := fmt.Sprintf("It fires on %d of %d public graphs.", r.Public, r.Graphs)
	if r.Public == 0 {
		public = fmt.Sprintf("It has never fired on a graph that nobody here wrote; %d public ones were tried.", r.Graphs)
	}
	told := "none"
	if r.Told > 0 {
		told = format.Exact64(int64(r.Told))
	}
	return []string{
		public,
		fmt.Sprintf("It told %s of %s faults seeded into good models.", told, format.Exact64(int64(r.Faults))),
		fmt.Sprintf("Its tests hold %d that must fire and %d that must not.", r.Fires, r.Spares),
	}
}

// A Story shows what a rule is about.
type Story struct {
	About string      `json:"about" doc:"the two graphs in words"`
	Bad   facts.Value `json:"bad" doc:"a graph document on which the rule fires"`
	Good  facts.Value `json:"good" doc:"a near miss, on which it does not"`
}

// Rules is the data of every rule, with its record over the models of a catalog.
func Rules(models []verify.Judged) []Rule {
	list := make([]Rule, len(verify.All))
	for i, record := range verify.Records(models) {
		list[i] = ruleOf(verify.All[i], record)
	}
	return list
}

func ruleOf(r *verify.Rule, record verify.Record) Rule {
	e := r.Example()
	return Rule{
		ID: r.ID, Severity: r.Severity, Group: r.Group, Title: r.Title, Trigger: r.Trigger, Why: r.Why, Fix: r.Fix, Source: r.Source,
		Example: Story{e.About, facts.Value(e.Bad), facts.Value(e.Good)},
		Record:  recordOf(record),
	}
}

func recordOf(r verify.Record) Record {
	d := Record{
		Public: r.Public, Graphs: r.Graphs, Told: r.Told, Faults: r.Faults, Fires: r.Bad, Spares: r.Good,
		Findings: r.Findings, Templates: append([]string{}, r.Models...), Accepted: make([]Exception, len(r.Accepted)),
	}
	for i, x := range r.Accepted {
		d.Accepted[i] = Exception{x.Model, x.Why}
	}
	return d
}
