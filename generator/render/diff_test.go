package render

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/strata-catalog/strata/generator/cost"
	"github.com/strata-catalog/strata/generator/diff"
	"github.com/strata-catalog/strata/generator/facts"
	"github.com/strata-catalog/strata/generator/page"
	"github.com/strata-catalog/strata/generator/pipeline"
)

// nested repeats a block of a layer, of a block within it, and of a sum.
func nested(t *testing.T, id string, outer, inner, width int) diff.Subject {
	t.Helper()
	src := fmt.Sprintf(`{"id": %q, "components": [
		{"id": "x", "type": "input", "params": {"shape": [1, 4]}},
		{"id": "l", "block": "outer", "repeat": %d, "inputs": ["x"]}, {"id": "y", "type": "output", "inputs": ["l"]}],
		"blocks": {
			"outer": {"inputs": ["i"], "output": "r", "components": [
				{"id": "up", "type": "linear", "params": {"outFeatures": %d}, "inputs": ["i"]},
				{"id": "in", "block": "inner", "repeat": %d, "inputs": ["up"]},
				{"id": "down", "type": "linear", "params": {"outFeatures": 4}, "inputs": ["in"]}, {"id": "r", "type": "add", "inputs": ["down", "i"]}]},
			"inner": {"inputs": ["i"], "output": "n", "components": [{"id": "n", "type": "layerNorm", "inputs": ["i"]}]}}}`, id, outer, width, inner)
	r, err := pipeline.Run(id, []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	plan, err := cost.New(r.Model, cost.Default())
	if err != nil {
		t.Fatal(err)
	}
	return diff.Subject{ID: id, Name: id, Plan: plan}
}

func diffPage(a, b diff.Subject) *page.Diff {
	d := page.NewDiff(facts.Compared(diff.Compare(a, b)), nil)
	d.Path, d.Data.URLs = "diff/a-vs-b.html", page.DiffURLs{HTML: "diff/a-vs-b.html", Markdown: "diff/a-vs-b.md", JSON: "diff/a-vs-b.json"}
	return d
}

// marks are the lines of folds in a table of rows, with + before those that
// open, and the rows that stand open.
func marks(html string) (lines []string) {
	closed := 0
	for _, part := range strings.Split(html, "<tr")[1:] {
		switch {
		case strings.HasPrefix(part, ` class="fold`), strings.HasPrefix(part, ` class="more`):
			text := part[strings.Index(part, "<td"):]
			if opens := strings.Contains(text, "<summary>"); opens {
				text, _, _ = strings.Cut(text, "</summary>")
				text = "+ " + text
			} else {
				text, _, _ = strings.Cut(text, "</td>")
			}
			lines = append(lines, plain(text))
		case strings.HasPrefix(part, ` id="r-`) && closed == 0:
			number, _, _ := strings.Cut(part[len(` id="r-`):], `"`)
			lines = append(lines, number)
		}
		closed += strings.Count(part, "<details>") - strings.Count(part, "</details>")
	}
	return lines
}

// plain is HTML without its tags.
func plain(html string) string {
	for {
		before, rest, ok := strings.Cut(html, "<")
		if !ok {
			return strings.Join(strings.Fields(html), " ")
		}
		_, after, _ := strings.Cut(rest, ">")
		html = before + after
	}
}

// What is removed as a whole is one line; where the instances of a block
// changed, the first one stands open, and what repeats in it folds again.
func TestDiffRowsFold(t *testing.T) {
	got := string(diffRows(diffPage(nested(t, "a", 5, 6, 8), nested(t, "b", 3, 6, 9))))
	want := []string{
		"1",
		"+ 2–19 − Linear → LayerNorm ×6 → Linear → Add, ×2 removed -344",
		"20–46 ×3: 1 changed, 8 same in each +63",
		"20", "+ 21–26 = LayerNorm, ×6 same +12", "27", "28",
		"+ 2 instances more, rows 29 to 46",
		"47",
	}
	if diff := cmp.Diff(want, marks(got)); diff != "" {
		t.Errorf("folds (-want +got):\n%s", diff)
	}
	if n := strings.Count(got, `<tr id="r-`); n != 47 {
		t.Errorf("%d rows, want 47", n)
	}
}

// The page of a very large diff says where the rows are, and stays small.
func TestDiffRowsLarge(t *testing.T) {
	d := diffPage(nested(t, "a", 900, 6, 8), nested(t, "b", 800, 6, 9))
	got := string(diffRows(d))
	if n := strings.Count(got, `<tr id="r-`); n != 5 || len(got) > 10_000 {
		t.Errorf("%d rows in %d bytes, want those that stand open of %d", n, len(got), len(d.Data.Rows))
	}
	if want := `in the <a href="a-vs-b.md">Markdown</a> and the <a href="a-vs-b.json">JSON</a> of this page`; strings.Count(got, want) != 3 {
		t.Errorf("lacks %q:\n%s", want, got)
	}
	if n := strings.Count(string(DiffMarkdown(d)), "\n| "); n < len(d.Data.Rows) {
		t.Errorf("the Markdown has %d lines of tables, want one for each of %d rows", n, len(d.Data.Rows))
	}
}

// growing is a stack of linear layers, no two of which are of one width.
func growing(t *testing.T, id string, layers, step int) diff.Subject {
	t.Helper()
	var src strings.Builder
	fmt.Fprintf(&src, `{"id": %q, "components": [{"id": "x", "type": "input", "params": {"shape": [1, 4]}}`, id)
	last := "x"
	for i := range layers {
		fmt.Fprintf(&src, `, {"id": "l%d", "type": "linear", "params": {"outFeatures": %d}, "inputs": [%q]}`, i, 1+step*i, last)
		last = fmt.Sprintf("l%d", i)
	}
	fmt.Fprintf(&src, `, {"id": "y", "type": "output", "inputs": [%q]}]}`, last)
	r, err := pipeline.Run(id, []byte(src.String()))
	if err != nil {
		t.Fatal(err)
	}
	plan, err := cost.New(r.Model, cost.Default())
	if err != nil {
		t.Fatal(err)
	}
	return diff.Subject{ID: id, Name: id, Plan: plan}
}

// Each link from the bill leads to one place on the page, however large the
// diff is and whatever of it is shown.
func TestDiffLinks(t *testing.T) {
	for _, test := range []struct {
		name        string
		d           *page.Diff
		rows, lines int // of the table of rows and of the bill
		rest        string
	}{
		{"all rows", diffPage(nested(t, "a", 5, 6, 8), nested(t, "b", 3, 6, 9)), 47, 7, ""},
		{"folds without their rows", diffPage(nested(t, "a", 900, 6, 8), nested(t, "b", 800, 6, 9)), 5, 7, ""},
		{"too large, and nothing folds", diffPage(growing(t, "a", mostRows+90, 1), growing(t, "b", mostRows+90, 2)), mostRows, mostRows + 1, "rows 4,001 to 4,092: in the <a"},
	} {
		d := test.d.Cut(mostRows)
		got := string(diffRows(d))
		if n := strings.Count(got, `<tr id="r-`); n != test.rows {
			t.Errorf("%s: %d rows, want %d", test.name, n, test.rows)
		}
		if !strings.Contains(got, test.rest) {
			t.Errorf("%s: lacks %q", test.name, test.rest)
		}
		lines := d.Bill[1].Rows
		if n := len(lines) - 1; n != test.lines {
			t.Errorf("%s: %d lines in the bill, want %d", test.name, n, test.lines)
		}
		for _, l := range lines {
			anchor := l.Cells[0].Anchor
			if anchor == "" {
				continue
			}
			if n := strings.Count(got, fmt.Sprintf(`id=%q`, anchor[1:])); n != 1 {
				t.Errorf("%s: %s leads to %d places", test.name, anchor, n)
			}
		}
	}
}
