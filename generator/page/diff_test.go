package page

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/strata-catalog/strata/generator/catalog"
)

// stack is a template of a number of linear layers.
func stack(id string, layers int) string {
	s := fmt.Sprintf(`{"id": %q, "name": "Model %s", "category": "Stacks", "components": [{"id": "x", "type": "input", "params": {"shape": [1, 8]}}`, id, strings.ToUpper(id))
	last := "x"
	for i := range layers {
		s += fmt.Sprintf(`, {"id": "fc%d", "type": "linear", "params": {"outFeatures": 8}, "inputs": [%q]}`, i, last)
		last = fmt.Sprintf("fc%d", i)
	}
	return s + fmt.Sprintf(`, {"id": "y", "type": "output", "inputs": [%q]}]}`, last)
}

// stacks is a site of four templates, the first three of which are near one
// another.
func stacks(t *testing.T, texts fstest.MapFS) *Site {
	t.Helper()
	c, err := catalog.Load(catalog.Options{
		Templates: files("a/model.json", stack("a", 1), "b/model.json", stack("b", 2), "c/model.json", stack("c", 3), "d/model.json", stack("d", 200)),
		Content:   texts,
	})
	if err != nil || len(c.Problems) > 0 {
		t.Fatal(err, c.Problems)
	}
	s, err := New(c, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func titles(list []DiffEntry) (titles []string) {
	for _, d := range list {
		titles = append(titles, d.A+" "+d.B)
	}
	return titles
}

// Which pairs have a page, and which of them a template lists: those written
// up, then the nearest.
func TestPairs(t *testing.T) {
	for _, c := range []struct {
		name     string
		settings string
		pages    []string
		related  map[string][]string // by template
	}{
		{"one relative each", "relatives: 1\n", []string{"a b", "b c", "c d", "d a"}, map[string][]string{
			"a": {"d a", "a b"}, "b": {"b c"}, "c": {"b c"}, "d": {"d a", "c d"},
		}},
		{"curated ones only", "relatives: 0\n", []string{"d a"}, map[string][]string{"a": {"d a"}, "b": nil}},
		{"all", "relatives: 1\ndiffs: all\n", []string{"a b", "a c", "b c", "b d", "c d", "d a"}, map[string][]string{
			"a": {"d a", "a b"}, "b": {"b c"},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := stacks(t, files("site.yaml", c.settings, "diff/d-vs-a.md", "---\nstory: Told.\n---\n"))
			var pages []string
			for _, p := range s.Pages() {
				if id, ok := strings.CutPrefix(p.Path, "diff/"); ok && p.Path != DiffsPath {
					pages = append(pages, strings.Replace(strings.TrimSuffix(id, ".html"), "-vs-", " ", 1))
				}
			}
			if diff := cmp.Diff(c.pages, pages); diff != "" {
				t.Errorf("pages (-want +got):\n%s", diff)
			}
			for id, want := range c.related {
				got := titles(data[*Template](t, s, "a/"+id+".html").Data.Diffs)
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s lists (-want +got):\n%s", id, diff)
				}
			}
			index := data[*Index](t, s, IndexJSON)
			if diff := cmp.Diff(c.pages, titles(index.Diffs)); diff != "" {
				t.Errorf("the index lists (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff([]string{"d a"}, titles(data[*Guide](t, s, LLMs).Diffs)); diff != "" {
				t.Errorf("the guide lists (-want +got):\n%s", diff)
			}
		})
	}
}

// The table to choose a pair from has each pair under both of its templates.
func TestDiffIndex(t *testing.T) {
	d := data[*Diffs](t, stacks(t, files("site.yaml", "relatives: 1\n", "diff/d-vs-a.md", "---\nstory: Told.\n---\n")), DiffsPath)
	if len(d.Written) != 1 || d.Written[0].Story != "Told." || d.Written[0].Title != "Model D vs Model A" || d.Count != 4 {
		t.Errorf("%d pairs, written up are %+v", d.Count, d.Written)
	}
	var got []string
	for _, of := range d.Templates {
		line := of.Name + ":"
		for _, with := range of.Diffs {
			line += fmt.Sprintf(" %s %s;", with.Name, with.Params)
		}
		got = append(got, line)
	}
	want := []string{
		"Model A: Model B +72; Model D +14K;",
		"Model B: Model A -72; Model C +72;",
		"Model C: Model B -72; Model D +14K;",
		"Model D: Model A -14K; Model C -14K;",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("by architecture (-want +got):\n%s", diff)
	}
}

// A site with nothing to compare has no diffs, and no entry for them.
func TestNoPairs(t *testing.T) {
	s := plan(t, Options{}, nil)
	for _, p := range s.Pages() {
		if strings.HasPrefix(p.Path, "diff/") {
			t.Errorf("a site of one template has the page %s", p.Path)
		}
	}
	d := data[*Template](t, s, "a/m.html")
	for _, sec := range d.Sections {
		if sec == Related {
			t.Error("the page of a template without relatives has the section of related diffs")
		}
	}
	if d.Data.Diffs == nil {
		t.Error("the data of a template without relatives lacks the list of diffs")
	}
}

// Two pairs cannot have one address.
func TestPairsOneAddress(t *testing.T) {
	c, err := catalog.Load(catalog.Options{Templates: files("x/model.json", stack("x", 1), "x-vs-y/model.json", stack("x-vs-y", 2), "y-vs-z/model.json", stack("y-vs-z", 3), "z/model.json", stack("z", 4))})
	if err != nil || len(c.Problems) > 0 {
		t.Fatal(err, c.Problems)
	}
	const want = "the diff of x-vs-y and z would become diff/x-vs-y-vs-z.html, which the site has already; rename a template"
	if _, err := New(c, Options{}); err == nil || err.Error() != want {
		t.Errorf("error %v, want %q", err, want)
	}
}

func tableText(t Table) (lines []string) {
	for _, r := range t.Rows {
		texts := make([]string, len(r.Cells))
		for i, c := range r.Cells {
			if texts[i] = c.Text; c.Exact != "" {
				texts[i] += " [" + c.Exact + "]"
			}
		}
		lines = append(lines, strings.Join(texts, " | "))
	}
	return lines
}

func TestDiffTables(t *testing.T) {
	s := stacks(t, files("a/a.md", "---\ntraining-images: 5000\n---\n", "site.yaml", "gpus: [L4 24GB]\n", "diff/a-vs-c.md", "---\nstory: Two more.\n---\n\nSee [the bill](#bill).\n"))
	d := data[*Diff](t, s, "diff/a-vs-c.html")
	for _, c := range []struct {
		name  string
		table Table
		want  []string
	}{
		{"sides", d.Sides, []string{
			"Layers | 1 | 3", "Parameters | 72 | 216", "Input | 1 × 8 | 1 × 8", "Output | 1 × 8 | 1 × 8", "Forward-passes | yes | yes",
			"Est. train cost | $0.00 | $0.00", "Trained on | 5.0K samples, given [5,000] | 115M samples, 90 epochs of 1,281,167 samples [115,305,030]",
			"L4 24GB | fits [needs 1,000,001,168 bytes] | fits [needs 1,000,003,504 bytes]",
		}},
		{"parts", d.Parts, []string{"linear | 0 | 0.0% | 144 | 66.7% | +144", "head | 72 | 100.0% | 72 | 33.3% | 0", "Total | 72 | 100.0% | 216 | 100.0% | +144"}},
		{"bill by kind", d.Bill[0], []string{"linear | +144 | +144 | +128 | 0 | +2.3 kB [+2,336 bytes]", "Total | +144 | +144 | +128 | 0 | +2.3 kB [+2,336 bytes]"}},
		{"bill by row", d.Bill[1], []string{"2: 2 × Linear, added | +144 | +144 | +128 | 0 | +2.3 kB [+2,336 bytes]", "Total | +144 | +144 | +128 | 0 | +2.3 kB [+2,336 bytes]"}},
	} {
		if diff := cmp.Diff(c.want, tableText(c.table)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
	var heads []string
	for _, c := range d.Bill[0].Columns {
		heads = append(heads, c.Text)
	}
	if diff := cmp.Diff([]string{"Kind", "Parameters", "Active parameters", "MACs per sample", "KV cache per token", "Training memory"}, heads); diff != "" {
		t.Errorf("columns of the bill (-want +got):\n%s", diff)
	}
	if d.Story != "Two more." || d.Data.Story != d.Story || !strings.Contains(d.Body, `href="#bill"`) {
		t.Errorf("story %q, body %q", d.Story, d.Body)
	}
	if d.Deltas[0].Text != "+144 (+200.0%)" || d.Deltas[1].Text != "+2" {
		t.Errorf("deltas %+v", d.Deltas)
	}
}

// What rests on a lower bound says so, and a card is not said to hold it.
func TestDiffLowerBound(t *testing.T) {
	partly := strings.NewReplacer(`"id": "a"`, `"id": "p"`, "Model A", "Model P", `{"id": "y"`, `{"id": "odd", "type": "nobodyKnows", "inputs": ["fc0"]}, {"id": "y"`).Replace(stack("a", 1))
	large := strings.Replace(strings.Replace(partly, `"id": "p"`, `"id": "q"`, 1), `"outFeatures": 8`, `"outFeatures": 9000000000`, 1)
	c, err := catalog.Load(catalog.Options{
		Templates: files("a/model.json", stack("a", 2), "p/model.json", partly, "q/model.json", large),
		Content:   files("site.yaml", "diffs: all\ngpus: [L4 24GB]\n"),
	})
	if err != nil {
		t.Fatal(err, c.Problems)
	}
	s, err := New(c, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ page, params, card, delta, total, other string }{
		{"diff/a-vs-p.html", "Parameters | 144 | ≥ 72", "L4 24GB | fits | not known", "≥ -72", "Total | 144 | 100.0% | ≥ 72 |  | ≥ -72", "other | 0 | 0.0% | ≥ 0 |  | ≥ 0"},
		{"diff/p-vs-q.html", "Parameters | ≥ 72 | ≥ 81B", "L4 24GB | not known | no", "not known", "Total | ≥ 72 |  | ≥ 81B |  | not known", "other | ≥ 0 |  | ≥ 0 |  | not known"},
	} {
		d := data[*Diff](t, s, test.page)
		bill := d.Bill[0].Rows[len(d.Bill[0].Rows)-1].Cells
		if d.Deltas[0].Text != test.delta || bill[1].Text != test.delta || bill[2].Text != test.delta {
			t.Errorf("%s: delta %q, bill %q and %q, want %q", test.page, d.Deltas[0].Text, bill[1].Text, bill[2].Text, test.delta)
		}
		for table, want := range map[*Table][]string{&d.Sides: {test.params, test.card}, &d.Parts: {test.total, test.other}} {
			lines := plainText(*table)
			for _, line := range want {
				if !slices.Contains(lines, line) {
					t.Errorf("%s: %q lacks %q", test.page, lines, line)
				}
			}
		}
		for _, line := range plainText(d.Sides) {
			if strings.HasPrefix(line, "Est. train cost") && strings.Count(line, "≥ $") != strings.Count(test.params, "≥") {
				t.Errorf("%s: %s", test.page, line)
			}
		}
		a, _ := s.catalog.Entry(d.Data.A)
		b, _ := s.catalog.Entry(d.Data.B)
		e, err := s.diffEntry(s.pairOf[key(a, b)])
		if err != nil || e.Params.Text != test.delta {
			t.Errorf("%s: lists say %q (%v), want %q", test.page, e.Params.Text, err, test.delta)
		}
	}
}

// plainText is a table without the exact numbers.
func plainText(t Table) (lines []string) {
	for _, r := range t.Rows {
		texts := make([]string, len(r.Cells))
		for i, c := range r.Cells {
			texts[i] = c.Text
		}
		lines = append(lines, strings.Join(texts, " | "))
	}
	return lines
}

// Bytes of the bill have three figures at most, and no decimals from ten up.
func TestSignedBytes(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 7: "+7 B", -135168: "-135 kB", -350_000_000_000: "-350 GB", 9_700_000_000: "+9.7 GB", 9_960_000_000: "+10 GB", 999_600: "+1.0 MB"} {
		if got := signedBytes(big.NewInt(n)).Text; got != want {
			t.Errorf("%d bytes are %q, want %q", n, got, want)
		}
	}
}

// Models of one name are told apart by their ids, on the page and in lists.
func TestDiffTitle(t *testing.T) {
	same := strings.Replace(stack("b", 2), "Model B", "Model A", 1)
	c, err := catalog.Load(catalog.Options{Templates: files("a/model.json", stack("a", 1), "b/model.json", same)})
	if err != nil || len(c.Problems) > 0 {
		t.Fatal(err, c.Problems)
	}
	s, err := New(c, Options{})
	if err != nil {
		t.Fatal(err)
	}
	const want = "Model A (a) vs Model A (b)"
	if got := data[*Diff](t, s, "diff/a-vs-b.html").Title; got != want {
		t.Errorf("the page is called %q, want %q", got, want)
	}
	if got := data[*Template](t, s, "a/a.html").Data.Diffs[0].Title; got != want {
		t.Errorf("lists call it %q, want %q", got, want)
	}
}

// The diff of a page and the entry of the index agree whichever is made first.
func TestDiffEntryFirst(t *testing.T) {
	s := stacks(t, nil)
	listed, err := s.diffEntry(s.pairs[0])
	if err != nil {
		t.Fatal(err)
	}
	made := data[*Diff](t, s, s.pairs[0].urls.HTML).Data
	if diff := cmp.Diff(made.Difference, listed.Difference); diff != "" || made.URLs != listed.URLs {
		t.Errorf("the page and the index differ:\n%s", diff)
	}
}
