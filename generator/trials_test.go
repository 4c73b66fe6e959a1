package generator_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/strata-catalog/strata/generator/catalog"
	"github.com/strata-catalog/strata/generator/pipeline"
	"github.com/strata-catalog/strata/generator/verify"
)

var update = flag.Bool("update", false, "write what was measured")

const (
	trials = "verify/trials.json"
	zoo    = "../../shared/zoo"
)

// TestTrials holds the record of the rules to what the tests measure: how many
// public graphs each rule fires on, and how many seeded faults it tells. The
// faults are those of the templates that the record names; with -update it
// names all there are.
func TestTrials(t *testing.T) {
	got := *verify.LoadTrials()
	if list := public(t); list != nil {
		got.Public.Graphs, got.Public.Rules = len(list), map[string]int{}
		for _, findings := range list {
			for _, rule := range rulesOf(findings) {
				got.Public.Rules[rule]++
			}
		}
	} else {
		absent(t, "public graphs")
	}
	if *update {
		got.Faults.Models = ids(t)
	}
	got.Faults.Kinds, got.Faults.Rules = nil, map[string]int{}
	results := seeded(t)
	for _, k := range kinds {
		total := results[k.name].of(got.Faults.Models)
		got.Faults.Kinds = append(got.Faults.Kinds, verify.Kind{Name: k.name, Breaks: k.effect.broken(), Seeded: total.seeded, Found: total.found})
		for rule, n := range total.rules {
			if _, known := verify.Lookup(rule); known {
				got.Faults.Rules[rule] += n
			}
		}
	}
	for _, id := range ids(t) {
		if !slices.Contains(got.Faults.Models, id) {
			t.Logf("%s is not in the record of faults yet", id)
		}
	}
	if *update {
		var b bytes.Buffer
		w := json.NewEncoder(&b)
		w.SetIndent("", "\t")
		if err := w.Encode(got); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(trials, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if d := cmp.Diff(*verify.LoadTrials(), got); d != "" {
		t.Errorf("%s is out of date (-recorded +measured); write it with go test ./generator -run TestTrials -update\n%s", trials, d)
	}
}

// public lists the findings on graphs that nobody here wrote, nil where those
// are not beside the checkout.
func public(t *testing.T) map[string][]verify.Finding {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(zoo, "*", "model.json"))
	var list map[string][]verify.Finding
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		r, err := pipeline.Run(file, src)
		if err != nil {
			t.Fatal(err)
		}
		if list == nil {
			list = map[string][]verify.Finding{}
		}
		list[filepath.Base(filepath.Dir(file))] = r.Findings
	}
	return list
}

// rulesOf lists the rules of some findings, each once.
func rulesOf(findings []verify.Finding) []string {
	var rules []string
	for _, f := range findings {
		rules = append(rules, f.Rule)
	}
	slices.Sort(rules)
	return slices.Compact(rules)
}

// TestGoodModels runs all rules over models that are right: the templates with
// their notes, the graphs made after published configurations, and the
// reference graphs. None may have an error, and a template no warning that its
// note does not accept. With -v every warning is listed, and every advice.
func TestGoodModels(t *testing.T) {
	c, err := catalog.Load(catalog.Options{Templates: os.DirFS(templates), Content: os.DirFS("../content")})
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Entries) == 0 {
		t.Fatal("no template")
	}
	for _, e := range c.Entries {
		listed(t, e.ID, e.Findings)
		if e.Verdict != verify.Pass_ {
			t.Errorf("%s: verdict %s, want pass", e.ID, e.Verdict)
		}
	}
	others, _ := filepath.Glob(filepath.Join(cases, "*.json"))
	graphs, _ := filepath.Glob(filepath.Join(reference, "graphs", "*", "model.json"))
	if len(graphs) == 0 {
		absent(t, "reference graphs")
	}
	for _, file := range append(others, graphs...) {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		r, err := pipeline.Run(file, src)
		if err != nil {
			t.Fatal(err)
		}
		listed(t, file, r.Findings)
		if r.Verdict == verify.Fail {
			t.Errorf("%s: verdict fail", file)
		}
	}
}

// absent reports a part of a test that is skipped, as one of its own.
func absent(t *testing.T, what string) {
	t.Run(what, func(t *testing.T) { t.Skip("they are not beside the checkout") })
}

func listed(t *testing.T, model string, findings []verify.Finding) {
	t.Helper()
	for _, f := range findings {
		accepted := ""
		if f.Accepted != "" {
			accepted = "; accepted: " + f.Accepted
		}
		t.Logf("%s: %s %s %s: %s%s", model, f.Severity, f.Rule, strings.Join(f.Components, ", "), f.Message, accepted)
	}
}
