package render

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/strata-catalog/strata/generator/cost"
	"github.com/strata-catalog/strata/generator/facts"
	"github.com/strata-catalog/strata/generator/page"
	"github.com/strata-catalog/strata/generator/pipeline"
)

// deep repeats a block of one layer, with a block within it.
func deep(t *testing.T, outer, inner int) *page.Template {
	t.Helper()
	src := fmt.Sprintf(`{"id": "deep", "components": [
		{"id": "x", "type": "input", "params": {"shape": [1, 4]}},
		{"id": "l", "block": "outer", "repeat": %d, "inputs": ["x"]}, {"id": "y", "type": "output", "inputs": ["l"]}],
		"blocks": {
			"outer": {"inputs": ["i"], "output": "r", "components": [
				{"id": "fc", "type": "linear", "params": {"outFeatures": 4}, "inputs": ["i"]},
				{"id": "in", "block": "inner", "repeat": %d, "inputs": ["fc"]}, {"id": "r", "type": "add", "inputs": ["in", "i"]}]},
			"inner": {"inputs": ["i"], "output": "n", "components": [{"id": "n", "type": "layerNorm", "inputs": ["i"]}]}}}`, outer, inner)
	r, err := pipeline.Run("deep", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	plan, err := cost.New(r.Model, cost.Default())
	if err != nil {
		t.Fatal(err)
	}
	d := &page.Document{Model: *facts.Of(r, plan, 0), URLs: page.TemplateURLs("deep")}
	return &page.Template{Base: page.Base{Site: &page.Site{}, Path: "a/deep.html"}, Data: d, Structure: make([]page.Column, 7)}
}

// Repeats within repeats fold within them.
func TestStructureNested(t *testing.T) {
	got := string(structure(deep(t, 3, 5)))
	var marks []string
	for _, part := range strings.Split(got, "<tr")[1:] {
		switch {
		case strings.HasPrefix(part, ` class="run`):
			_, text, _ := strings.Cut(part, "<b>")
			text, _, _ = strings.Cut(text, "</b>")
			marks = append(marks, part[8:14]+text)
		case strings.Contains(part, "<summary>"):
			_, text, _ := strings.Cut(part, "<summary>")
			text, _, _ = strings.Cut(text, "</summary>")
			marks = append(marks, text)
		}
	}
	want := []string{"run d1×3", "run d2×5", "4 instances more, rows 4 to 7", "2 instances more, rows 9 to 22"}
	if diff := cmp.Diff(want, marks); diff != "" {
		t.Errorf("repeats (-want +got):\n%s\n%s", diff, got)
	}
	if n := strings.Count(got, `<tr id="row-`); n != 2+3*(2+5) {
		t.Errorf("%d rows, want %d", n, 2+3*(2+5))
	}
}

// A page does not hold the rows of a very large model: it says where they are.
func TestStructureLarge(t *testing.T) {
	d := deep(t, 1000, 5)
	got := string(structure(d))
	if n := strings.Count(got, `<tr id="row-`); n != 5 || len(got) > 10_000 {
		t.Errorf("%d rows in %d bytes, want the 5 that stand for all %d", n, len(got), len(d.Data.Rows))
	}
	if want := `999 instances more, rows 9 to 7,001: in the <a href="deep.md">Markdown</a> and the <a href="deep.json">JSON</a>`; !strings.Contains(got, want) {
		t.Errorf("lacks %q:\n%s", want, got)
	}
}
