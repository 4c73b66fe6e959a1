package verify_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/strata-catalog/strata/generator/verify"
)

// TestRecords counts the findings of two models by rule.
func TestRecords(t *testing.T) {
	find := func(rule, accepted string) verify.Finding {
		return verify.Finding{Rule: rule, Repeat: 12, Accepted: accepted}
	}
	records := verify.Records([]verify.Judged{
		{ID: "a", Findings: []verify.Finding{find("dead-end", ""), find("dead-end", ""), find("cycle", "drawn so in the paper"), find("cycle", "drawn so in the paper")}},
		{ID: "b", Findings: []verify.Finding{find("dead-end", "kept for its weights"), find("no such rule", "")}},
		{ID: "c"},
	})
	if len(records) != len(verify.All) {
		t.Fatalf("%d records of %d rules", len(records), len(verify.All))
	}
	want := map[string]verify.Record{
		"dead-end": {Rule: "dead-end", Findings: 3, Models: []string{"a"}, Accepted: []verify.Exception{{Model: "b", Why: "kept for its weights"}}},
		"cycle":    {Rule: "cycle", Findings: 2, Accepted: []verify.Exception{{Model: "a", Why: "drawn so in the paper"}}},
	}
	for i, r := range records {
		if r.Rule != verify.All[i].ID {
			t.Errorf("record %d is that of %s, want %s", i, r.Rule, verify.All[i].ID)
		}
		if r.Bad < 1 || r.Good < 1 {
			t.Errorf("%s: the story has %d bad and %d good graphs", r.Rule, r.Bad, r.Good)
		}
		w := want[r.Rule]
		w.Rule = r.Rule
		if d := cmp.Diff(w, r, cmpopts.IgnoreFields(verify.Record{}, "Bad", "Good", "Public", "Graphs", "Told", "Faults")); d != "" {
			t.Errorf("%s (-want +got):\n%s", r.Rule, d)
		}
	}
}

// TestRecordedRules finds rules that are gone in what was measured.
func TestRecordedRules(t *testing.T) {
	trials := verify.LoadTrials()
	for _, rules := range []map[string]int{trials.Public.Rules, trials.Faults.Rules} {
		if len(rules) == 0 {
			t.Error("nothing is recorded")
		}
		for id, n := range rules {
			if _, ok := verify.Lookup(id); !ok || n < 1 {
				t.Errorf("%d findings of %q are recorded, which must be a rule and have one", n, id)
			}
		}
	}
}
