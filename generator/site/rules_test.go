package site_test

import (
	"fmt"
	"html"
	"strings"
	"testing"

	"github.com/strata-catalog/strata/generator/format"
	"github.com/strata-catalog/strata/generator/verify"
)

// TestRuleRecords: every rule's section has its record, and says that the rule
// has never fired on a graph of others where that is so.
func TestRuleRecords(t *testing.T) {
	page := html.UnescapeString(file(t, build(t, sample(t)), "rules/index.html"))
	trials := verify.LoadTrials()
	faults := format.Exact64(int64(trials.Sum(true).Seeded + trials.Sum(false).Seeded))
	for _, r := range verify.All {
		_, section, there := strings.Cut(page, `<article id="`+r.ID+`"`)
		section, _, _ = strings.Cut(section, "</article>")
		if !there {
			t.Errorf("%s has no section", r.ID)
			continue
		}
		public := trials.Public.Rules[r.ID]
		if never := strings.Contains(section, "It has never fired on a graph that nobody here wrote"); never != (public == 0) {
			t.Errorf("%s fired on %d public graphs; that it never has: %t", r.ID, public, never)
		}
		if want := fmt.Sprintf("It fires on %d of %d public graphs.", public, trials.Public.Graphs); public > 0 && !strings.Contains(section, want) {
			t.Errorf("%s: the record lacks %q", r.ID, want)
		}
		told := "none"
		if n := trials.Faults.Rules[r.ID]; n > 0 {
			told = format.Exact64(int64(n))
		}
		for _, want := range []string{fmt.Sprintf("It told %s of %s faults", told, faults), "In this catalog it fires on "} {
			if !strings.Contains(section, want) {
				t.Errorf("%s: the record lacks %q", r.ID, want)
			}
		}
	}
}

// TestFaultTable: the page has a row for every kind of seeded faults, and totals.
func TestFaultTable(t *testing.T) {
	page := html.UnescapeString(file(t, build(t, sample(t)), "rules/index.html"))
	trials := verify.LoadTrials()
	rows := append([]verify.Kind{trials.Sum(true), trials.Sum(false)}, trials.Faults.Kinds...)
	for _, k := range rows {
		name := k.Name
		if name == "" {
			name = "All"
		}
		want := fmt.Sprintf(`<th scope="row">%s</th><td class="num">%s</td><td class="num">%s</td>`, name, format.Exact64(int64(k.Seeded)), format.Exact64(int64(k.Found)))
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks the row %s", want)
		}
	}
}
