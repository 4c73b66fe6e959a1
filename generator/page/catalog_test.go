package page

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/strata-catalog/strata/generator/catalog"
)

// model is a graph of one linear layer, with a category and a number of outputs.
func model(id, category string, out int) string {
	return fmt.Sprintf(`{"id": %q, "name": %q, "category": %q, "components": [{"id": "x", "type": "input", "params": {"shape": [1, 10]}},
	{"id": "fc", "type": "linear", "params": {"outFeatures": %d, "bias": false}, "inputs": ["x"]}, {"id": "y", "type": "output", "inputs": ["fc"]}]}`, id, strings.ToUpper(id), category, out)
}

const attending = `{"id": "d", "name": "D", "category": "NLP/Encoder", "components": [{"id": "x", "type": "input", "params": {"shape": [1, 4, 8]}},
	{"id": "attn", "type": "multiHeadAttention", "params": {"numHeads": 2, "bias": false}, "inputs": ["x"]},
	{"id": "ffn", "type": "linear", "params": {"outFeatures": 8, "bias": false}, "inputs": ["attn"]}, {"id": "act", "type": "relu", "inputs": ["ffn"]}, {"id": "y", "type": "output", "inputs": ["act"]}]}`

// home is the catalog page of some templates.
func home(t *testing.T, templates, texts fstest.MapFS) *Catalog {
	t.Helper()
	c, err := catalog.Load(catalog.Options{Templates: templates, Content: texts})
	if err != nil || len(c.Problems) > 0 {
		t.Fatal(err, c.Problems)
	}
	s, err := New(c, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return data[*Catalog](t, s, Home)
}

func four(t *testing.T) *Catalog {
	return home(t,
		files("b/model.json", model("b", "Vision/Detection", 100_000), "a/model.json", model("a", "Vision/Classification", 10), "c/model.json", model("c", "", 10), "d/model.json", attending),
		files("a/a.md", "---\nlicense: MIT\nreleased: 2015-06\norganisation: Somebody\n---\n", "a/b.md", "---\nlicense: LicenseRef-Llama-3-Community\nreleased: 2017-06-01\n---\n", "a/d.md", "---\nreleased: 2015-12\nlinks:\n  - title: Checkpoint\n    url: https://huggingface.co/someone/d\n---\n"))
}

// TestFacets: a facet has the options that occur, in order, with their counts;
// one that all templates share is left out. Rows name their options by place.
func TestFacets(t *testing.T) {
	c := four(t)
	var got []string
	for _, f := range c.Facets {
		line := f.Name + ":"
		for _, o := range f.Options {
			under := ""
			if o.Under {
				under = "- "
			}
			line += fmt.Sprintf(" %s%s %d;", under, o.Value, o.Count)
		}
		got = append(got, line)
	}
	want := []string{
		"category: NLP 1; - NLP/Encoder 1; Vision 2; - Vision/Classification 1; - Vision/Detection 1;",
		"attention: multi-head 1; none 3;",
		"size: under 1M 3; 1M to 10M 1;",
		"license: Llama 3 Community 1; MIT 1;",
		"year: 2017 1; 2015 2;",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("facets (-want +got):\n%s", diff)
	}
	var rows []string
	for _, r := range c.Rows {
		uses := []string{}
		for _, place := range strings.Split(r.Uses, ",") {
			var k int
			if _, err := fmt.Sscan(place, &k); err != nil {
				t.Fatal(err)
			}
			name, _, _ := strings.Cut(c.Types[k], " ")
			uses = append(uses, name)
		}
		rows = append(rows, fmt.Sprintf("%s %s %q %s %s", r.Name, r.Options, r.Organisation, uses, r.Shares))
	}
	want = []string{
		`A 2,3.1.0.1.1 "Somebody" [linear] 7:100`,
		`B 2,4.1.1.0.0 "" [linear] 7:100`,
		`C .1.0.. "" [linear] 7:100`,
		`D 0,1.0.0..1 "someone" [linear multiHeadAttention relu] 1:80 7:20`,
	}
	if diff := cmp.Diff(want, rows); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	if !strings.Contains(strings.Join(c.Types, "|"), "multiHeadAttention Multi-Head Attention mha") {
		t.Errorf("the search does not know what else attention is called: %q", c.Types)
	}
}

// TestPlots: dots at the places of their numbers, bars of shares that make a
// whole, and the same numbers in the tables.
func TestPlots(t *testing.T) {
	c := four(t)
	plots := map[string]Plot{}
	for _, p := range c.Plots {
		plots[p.ID] = p
	}
	dots := func(p Plot) (list []string) {
		for _, d := range p.Dots {
			list = append(list, fmt.Sprintf("%s %s %.3f %.3f", c.Rows[d.Row].Name, p.Names[d.Series], d.X, d.Y))
		}
		return list
	}
	// From 100 to 1,000,000 parameters; from 100 to 1,000,000 MACs.
	want := []string{"A Vision 0.000 0.000", "B Vision 1.000 1.000", "C Other 0.000 0.000", "D NLP 0.126 0.297"}
	if diff := cmp.Diff(want, dots(plots["work"])); diff != "" {
		t.Errorf("parameters against work (-want +got):\n%s", diff)
	}
	marks := ""
	for _, m := range plots["work"].X.Marks {
		marks += fmt.Sprintf("%s %.2f; ", m.Text, m.At)
	}
	if want := "100 0.00; 1K 0.25; 10K 0.50; 100K 0.75; 1M 1.00; "; marks != want {
		t.Errorf("marks %q, want %q", marks, want)
	}
	// Three years from 2015 on; the middle of a month, and a first of June.
	want = []string{"A Vision 0.152 0.000", "B Vision 0.806 1.000", "D NLP 0.319 0.126"}
	if diff := cmp.Diff(want, dots(plots["time"])); diff != "" {
		t.Errorf("parameters over time (-want +got):\n%s", diff)
	}
	bars := []string{}
	for _, b := range plots["shares"].Bars {
		sum := 0.0
		for _, x := range b.Pieces {
			sum += x
		}
		bars = append(bars, fmt.Sprintf("%s %.2f = %.2f", b.Text, b.Pieces, sum))
	}
	want = []string{
		"NLP/Encoder [0.80 0.00 0.00 0.00 0.00 0.00 0.20 0.00] = 1.00",
		"Vision/Classification [0.00 0.00 0.00 0.00 0.00 0.00 1.00 0.00] = 1.00",
		"Vision/Detection [0.00 0.00 0.00 0.00 0.00 0.00 1.00 0.00] = 1.00",
	}
	if diff := cmp.Diff(want, bars); diff != "" {
		t.Errorf("shares (-want +got):\n%s", diff)
	}
	for id, want := range map[string][]string{
		"work":   {"Vision|2|100|100|1.00M|100|100|1.00 M", "NLP|1|320|320|320|1.54 k|1.54 k|1.54 k", "Other|1|100|100|100|100|100|100"},
		"time":   {"2015|2|100|100|320", "2017|1|1.00M|1.00M|1.00M"},
		"shares": {"NLP/Encoder|1|80.0%|0.0%|0.0%|0.0%|0.0%|0.0%|20.0%|0.0%", "Vision/Classification|1|0.0%|0.0%|0.0%|0.0%|0.0%|0.0%|100.0%|0.0%", "Vision/Detection|1|0.0%|0.0%|0.0%|0.0%|0.0%|0.0%|100.0%|0.0%"},
	} {
		var got []string
		for _, r := range plots[id].Table.Rows {
			var texts []string
			for _, cell := range r.Cells {
				texts = append(texts, cell.Text)
			}
			got = append(got, strings.Join(texts, "|"))
			if len(r.Cells) != len(plots[id].Table.Columns) {
				t.Errorf("%s: %d cells under %d headings", id, len(r.Cells), len(plots[id].Table.Columns))
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("table of %s (-want +got):\n%s", id, diff)
		}
	}
}

// A catalog of one template has nothing to compare, to narrow or to draw.
func TestSingleTemplate(t *testing.T) {
	c := home(t, files("m/model.json", perceptron), nil)
	if c.Compare != "" || len(c.Facets) > 0 || len(c.Plots) > 0 || len(c.Rows) != 1 {
		t.Errorf("compare %q, %d facets, %d plots, %d rows; want one row and no more", c.Compare, len(c.Facets), len(c.Plots), len(c.Rows))
	}
	if p := data[*Template](t, c.Site, "a/m.html"); p.CompareURL() != "" {
		t.Errorf("its page links to %q", p.CompareURL())
	}
	if p := data[*Template](t, four(t).Site, "a/d.html"); p.CompareURL() != "../compare.html?t=d" {
		t.Errorf("one of four links to %q", p.CompareURL())
	}
}
