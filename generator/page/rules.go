package page

import (
	"github.com/strata-catalog/strata/generator/reference"
	"github.com/strata-catalog/strata/generator/verify"
)

// RulesPath is the address of the reference of the verifier's rules.
const RulesPath = "rules/index.html"

// Rules is the page that lists every rule of the verifier, made from their
// declarations.
type Rules struct {
	Base
	Groups []RuleGroup
	Count  int // of rules
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

func (s *Site) rules() (any, error) {
	r := &Rules{
		Base:  Base{Site: s, Path: RulesPath, Title: "Rules", Description: "Every rule of the verifier: when it fires, why that matters, and what to do."},
		Count: len(verify.All),
	}
	record := s.record()
	at := map[verify.Group]int{}
	for _, rule := range verify.All {
		if _, ok := at[rule.Group]; !ok {
			at[rule.Group] = len(r.Groups)
			r.Groups = append(r.Groups, RuleGroup{Group: rule.Group})
		}
		g := &r.Groups[at[rule.Group]]
		item := record[rule.ID]
		item.Rule, item.Fired = reference.RuleOf(rule), few(item.Fired)
		g.Rules = append(g.Rules, item)
	}
	return r, nil
}

// record lists by rule which templates have a finding of it, and why it was
// accepted there.
func (s *Site) record() map[string]RuleItem {
	record := map[string]RuleItem{}
	for _, e := range s.catalog.Entries {
		seen := map[string]bool{}
		for _, f := range e.Findings {
			if seen[f.Rule] {
				continue
			}
			seen[f.Rule] = true
			item, r := Item{Text: e.Name(), Path: TemplateURLs(e.ID).HTML, Note: f.Accepted}, record[f.Rule]
			if f.Accepted != "" {
				r.Accepted = append(r.Accepted, item)
			} else {
				r.Fired = append(r.Fired, item)
			}
			record[f.Rule] = r
		}
	}
	return record
}
