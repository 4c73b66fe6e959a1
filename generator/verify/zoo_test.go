package verify_test

import (
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/strata-catalog/strata/generator/expand"
	"github.com/strata-catalog/strata/generator/graph"
	"github.com/strata-catalog/strata/generator/infer"
	"github.com/strata-catalog/strata/generator/verify"
)

// shared is where graphs and figures from outside lie, beside the checkout.
const shared = "../../../shared"

// models reads the documents below a folder of shared.
func models(t *testing.T, folder string) map[string]*infer.Model {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(shared, folder, "*", "model.json"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Skipf("no graphs in %s", filepath.Join(shared, folder))
	}
	list := map[string]*infer.Model{}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		list[filepath.Base(filepath.Dir(file))] = analyse(t, "model.json", string(src))
	}
	return list
}

func analyse(t testing.TB, name, src string) *infer.Model {
	t.Helper()
	doc, err := graph.Decode(name, []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	g, err := expand.Expand(doc)
	if err != nil {
		t.Fatal(err)
	}
	return infer.Infer(g)
}

// TestZoo runs all rules over graphs that nobody here wrote, and with -v lists
// what each rule finds where.
func TestZoo(t *testing.T) {
	found := map[string][]string{}
	for id, m := range models(t, "zoo") {
		for _, f := range verify.Run(m, verify.All, verify.Options{Costly: true}) {
			line := fmt.Sprintf("    %s:%d: %s %s ×%d: %s", id, f.Position.Line, f.Severity, strings.Join(f.Components, ","), f.Repeat, f.Message)
			found[f.Rule] = append(found[f.Rule], line)
			if f.Position.Line == 0 || f.Fix == "" || f.Repeat < 1 || f.Message == "" {
				t.Errorf("%s: finding without its place, message, fix or repeat: %+v", id, f)
			}
		}
	}
	for _, r := range verify.All {
		lines := found[r.ID]
		sort.Strings(lines)
		t.Logf("%s %s: %d\n%s", r.Severity, r.ID, len(lines), strings.Join(lines, "\n"))
	}
}

// TestReferences holds the reference graphs to their verdicts.
func TestReferences(t *testing.T) {
	list := models(t, "reference/graphs")
	for id, spotless := range map[string]bool{"phi3-mini": true, "llama3-block": false, "qwen3-8b": false} {
		m, ok := list[id]
		if !ok {
			t.Errorf("no graph %s", id)
			continue
		}
		for _, f := range verify.Run(m, verify.All, verify.Options{Costly: true}) {
			if spotless || f.Severity == verify.Error {
				t.Errorf("%s: %s %s %v: %s", id, f.Severity, f.Rule, f.Components, f.Message)
			}
		}
	}
}
