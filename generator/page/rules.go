package page

import (
	"strconv"

	"github.com/strata-catalog/strata/generator/reference"
	"github.com/strata-catalog/strata/generator/verify"
)

// RulesPath is the address of the reference of the verifier's rules.
const RulesPath = "rules/index.html"

// Rules is the page that lists every rule of the verifier, made from their
// declarations, each with its record.
type Rules struct {
	Base
	Groups []RuleGroup
	Count  int // of rules
	Faults []FaultTable
	Seeded int // templates that faults were seeded into
}

// A RuleGroup is a chapter of the rules.
type RuleGroup struct {
	Group verify.Group
	Rules []RuleItem
}

// A RuleItem is a rule and its record over the catalog.
type RuleItem struct {
	Rule     reference.Rule
	Fired    []Item // templates that have a finding of it
	Accepted []Item // those that accept it, with their reasons
}

// A FaultTable is how many of the faults that were seeded into good models the
// rules told, by kind.
type FaultTable struct {
	Title string
	Told  string // what counts as told
	Kinds []FaultRow
	Total FaultRow
}

// A FaultRow is one kind of faults, or all.
type FaultRow struct {
	verify.Kind
	Share string // of those found, in percent
}

func (s *Site) rules() (any, error) {
	trials := verify.LoadTrials()
	r := &Rules{
		Base:   Base{Site: s, Path: RulesPath, Title: "Rules", Description: "Every rule of the verifier: when it fires, why that matters, what to do, and how it has worked so far."},
		Count:  len(verify.All),
		Seeded: len(trials.Faults.Models),
		Faults: []FaultTable{
			faultTable(trials, true, "Faults that break the forward pass", "Told by an error"),
			faultTable(trials, false, "Faults that do not", "Told by a finding"),
		},
	}
	at := map[verify.Group]int{}
	for _, rule := range reference.Rules(s.catalog.Judged()) {
		if _, ok := at[rule.Group]; !ok {
			at[rule.Group] = len(r.Groups)
			r.Groups = append(r.Groups, RuleGroup{Group: rule.Group})
		}
		g := &r.Groups[at[rule.Group]]
		g.Rules = append(g.Rules, s.ruleItem(rule))
	}
	return r, nil
}

// ruleItem is a rule with links to the templates of its record.
func (s *Site) ruleItem(r reference.Rule) RuleItem {
	item := RuleItem{Rule: r}
	for _, id := range r.Record.Templates {
		item.Fired = append(item.Fired, s.linkTo(id, ""))
	}
	for _, x := range r.Record.Accepted {
		item.Accepted = append(item.Accepted, s.linkTo(x.Template, x.Why))
	}
	item.Fired = few(item.Fired)
	return item
}

// linkTo is a link to a template of the catalog.
func (s *Site) linkTo(id, note string) Item {
	item := Item{Text: id, Path: TemplateURLs(id).HTML, Note: note}
	if e, ok := s.catalog.Entry(id); ok {
		item.Text = e.Name()
	}
	return item
}

func faultTable(trials *verify.Trials, breaks bool, title, told string) FaultTable {
	t := FaultTable{Title: title, Told: told, Total: faultRow(trials.Sum(breaks))}
	for _, k := range trials.Faults.Kinds {
		if k.Breaks == breaks {
			t.Kinds = append(t.Kinds, faultRow(k))
		}
	}
	return t
}

// faultRow adds the share. It is cut, so that 100 % is all of them.
func faultRow(k verify.Kind) FaultRow {
	if k.Seeded == 0 {
		return FaultRow{k, "–"}
	}
	permille := 1000 * k.Found / k.Seeded
	return FaultRow{k, strconv.FormatFloat(float64(permille)/10, 'f', -1, 64) + " %"}
}
