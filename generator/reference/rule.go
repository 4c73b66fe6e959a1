package reference

import (
	"github.com/strata-catalog/strata/generator/facts"
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
}

// A Story shows what a rule is about.
type Story struct {
	About string      `json:"about" doc:"the two graphs in words"`
	Bad   facts.Value `json:"bad" doc:"a graph document on which the rule fires"`
	Good  facts.Value `json:"good" doc:"a near miss, on which it does not"`
}

// RuleOf is the data of a rule.
func RuleOf(r *verify.Rule) Rule {
	e := r.Example()
	return Rule{
		ID: r.ID, Severity: r.Severity, Group: r.Group, Title: r.Title, Trigger: r.Trigger, Why: r.Why, Fix: r.Fix, Source: r.Source,
		Example: Story{e.About, facts.Value(e.Bad), facts.Value(e.Good)},
	}
}
