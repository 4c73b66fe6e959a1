package diff

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/strata-catalog/strata/generator/format"
	"github.com/strata-catalog/strata/generator/internal/testfiles"
)

// A document is a reference diff as written.
type document struct {
	headline string
	sides    map[string][2]string // by the first column
	deltas   []string
	rows     [][]string // without the column of numbers
	caveats  []string
}

// parse reads the parts of a reference document that a diff must reproduce.
func parse(t *testing.T, text string) document {
	t.Helper()
	doc := document{sides: map[string][2]string{}}
	section := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "## "):
			section = strings.TrimPrefix(line, "## ")
		case strings.HasPrefix(line, "**"):
			doc.headline = strings.Trim(line, "*")
		case strings.HasPrefix(section, "Deltas") && strings.HasPrefix(line, "- "):
			doc.deltas = append(doc.deltas, line[2:])
		case section == "What this is not" && strings.HasPrefix(line, "- "):
			doc.caveats = append(doc.caveats, line[2:])
		case strings.HasPrefix(line, "| ") && section == "Sides":
			if c := cells(line); c[0] != "" {
				doc.sides[c[0]] = [2]string{c[1], c[2]}
			}
		case strings.HasPrefix(line, "| ") && section == "Layer by layer":
			if c := cells(line); c[0] != "#" {
				doc.rows = append(doc.rows, c[1:])
			}
		}
	}
	if doc.headline == "" || len(doc.rows) == 0 || len(doc.caveats) == 0 {
		t.Fatal("the reference document is not laid out as expected")
	}
	return doc
}

func cells(line string) []string {
	parts := strings.Split(strings.Trim(line, "|"), "|")
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	return parts
}

// spelling maps the documents' names of types to the field's. expected.json
// says that the types are the same.
var spelling = map[string]string{"Rope": "RoPE", "Rms Norm": "RMSNorm", "Swiglu": "SwiGLU"}

func respell(cell string) string {
	name, typ, ok := strings.Cut(cell, " (")
	typ = strings.TrimSuffix(typ, ")")
	if s := spelling[typ]; ok && s != "" {
		return name + " (" + s + ")"
	}
	return cell
}

// show is a side of a row as the documents show it: name and type, parameters,
// output shape.
func show(s *Side, node int) [3]string {
	if node < 0 {
		return [3]string{}
	}
	c := s.Cell(node)
	params := ""
	if c.Params > 0 {
		params = format.Short64(c.Params)
	}
	return [3]string{fmt.Sprintf("%s (%s)", c.Name, c.Display), params, c.Output.String()}
}

// Both reference documents come out row by row.
func TestReference(t *testing.T) {
	for _, file := range testfiles.Shared(t, "reference/diff-*.md") {
		pair := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(file), "diff-"), ".md")
		t.Run(pair, func(t *testing.T) {
			doc := parse(t, testfiles.Read(t, file))
			a, b, _ := strings.Cut(pair, "-vs-")
			load := func(id string) Subject {
				return subject(t, testfiles.Read(t, filepath.Join(filepath.Dir(file), "graphs", id, "model.json")))
			}
			d := Compare(load(a), load(b))
			if d.Headline != doc.headline {
				t.Errorf("headline %q, want %q", d.Headline, doc.headline)
			}
			checkSides(t, d, doc)
			checkDeltas(t, d, doc)
			checkRows(t, d, doc)
			checkCaveats(t, d, doc)
		})
	}
}

func checkSides(t *testing.T, d *Diff, doc document) {
	yes := map[bool]string{true: "yes", false: "no"}
	fits := func(s *Side, card string) string {
		f, ok := s.Plan.TrainingFit(card)
		if !ok {
			t.Errorf("no card is called %s", card)
		}
		return map[bool]string{true: "fits", false: "no"}[f.Fits]
	}
	for what, want := range doc.sides {
		var got [2]string
		for k, s := range []*Side{&d.A, &d.B} {
			switch what {
			case "Layers":
				got[k] = fmt.Sprint(s.Layers)
			case "Parameters":
				got[k] = format.Short64(s.Params)
			case "Input":
				got[k] = shapeList(s.Inputs)
			case "Output":
				got[k] = shapeList(s.Outputs)
			case "Forward-passes":
				got[k] = yes[s.ForwardPasses]
			case "Est. train cost":
				got[k] = want[k] // the dollars may differ
			default:
				got[k] = fits(s, what)
			}
		}
		if got != want {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
}

func checkDeltas(t *testing.T, d *Diff, doc document) {
	want := []string{
		fmt.Sprintf("Parameters: %s (%s)", format.Short64(d.Params), format.Percent(d.Params, d.A.Params)),
		fmt.Sprintf("Layers: %+d", d.Layers),
		fmt.Sprintf("Added %d, removed %d, changed %d, unchanged %d", d.Added, d.Removed, d.Changed, d.Same),
	}
	if got := strings.Join(doc.deltas, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("the document says\n%s\nthe diff\n%s", got, strings.Join(want, "\n"))
	}
}

func checkRows(t *testing.T, d *Diff, doc document) {
	if len(d.Rows) != len(doc.rows) {
		t.Fatalf("%d rows, want %d", len(d.Rows), len(doc.rows))
	}
	for i, r := range d.Rows {
		want := doc.rows[i]
		want[1], want[4] = respell(want[1]), respell(want[4])
		if strings.HasPrefix(want[4], "lm_head ") {
			if want[5] != "" {
				t.Errorf("row %d: the document has the cell that it is known to leave blank: %s", i+1, want[5])
			}
			want[5] = "99M" // 3072 · 32064 and its biases
		}
		status := string(r.Status)
		if r.Status == Changed {
			status = fmt.Sprintf("changed (%s)", strings.Join(r.Changed, ", "))
		}
		a, b := show(&d.A, r.A), show(&d.B, r.B)
		got := []string{status, a[0], a[1], a[2], b[0], b[1], b[2]}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("row %d:\n%q, want\n%q", i+1, got, want)
		}
	}
}

// The words of the caveats are our own; their number, their order and the
// shapes in them are the document's.
func checkCaveats(t *testing.T, d *Diff, doc document) {
	marks := map[string]string{InputsDiffer: "declared inputs (", GraphCounts: "derived from the graph", Estimates: "estimates"}
	if len(d.Caveats) != len(doc.caveats) {
		t.Fatalf("%d caveats, want %d", len(d.Caveats), len(doc.caveats))
	}
	for i, c := range d.Caveats {
		if !strings.Contains(doc.caveats[i], marks[c.ID]) {
			t.Errorf("caveat %d is %s, the document has %q", i+1, c.ID, doc.caveats[i])
		}
		if c.ID == InputsDiffer {
			shapes := fmt.Sprintf("(%s against %s)", shapeList(d.A.Inputs), shapeList(d.B.Inputs))
			if !strings.Contains(c.Text, shapes) || !strings.Contains(doc.caveats[i], shapes) {
				t.Errorf("caveat %q does not name %s", c.Text, shapes)
			}
		}
	}
}

// The exact integers of the reference diffs.
func TestExpected(t *testing.T) {
	file := testfiles.Shared(t, "reference/expected.json")[0]
	var expected struct {
		Diffs map[string]struct {
			Same, Changed, Added, Removed, Rows int
			LayersDelta                         int    `json:"layers_delta"`
			ParametersDelta                     int64  `json:"parameters_delta"`
			Short                               string `json:"parameters_delta_short"`
			Percent                             string `json:"parameters_delta_percent"`
		}
	}
	if err := json.Unmarshal([]byte(testfiles.Read(t, file)), &expected); err != nil {
		t.Fatal(err)
	}
	if len(expected.Diffs) == 0 {
		t.Fatal("no diffs in expected.json")
	}
	for pair, want := range expected.Diffs {
		a, b, _ := strings.Cut(pair, "-vs-")
		load := func(id string) Subject {
			return subject(t, testfiles.Read(t, filepath.Join(filepath.Dir(file), "graphs", id, "model.json")))
		}
		d := Compare(load(a), load(b))
		if d.Same != want.Same || d.Changed != want.Changed || d.Added != want.Added || d.Removed != want.Removed || len(d.Rows) != want.Rows {
			t.Errorf("%s: %d same, %d changed, %d added, %d removed, %d rows; want %+v", pair, d.Same, d.Changed, d.Added, d.Removed, len(d.Rows), want)
		}
		if d.Layers != want.LayersDelta || d.Params != want.ParametersDelta {
			t.Errorf("%s: %+d layers, %+d parameters; want %+v", pair, d.Layers, d.Params, want)
		}
		if s, p := format.Short64(d.Params), format.Percent(d.Params, d.A.Params); s != want.Short || p != want.Percent {
			t.Errorf("%s: %s (%s), want %s (%s)", pair, s, p, want.Short, want.Percent)
		}
	}
}

// The removed layers of the large reference diff fold into one line.
func TestReferenceFolds(t *testing.T) {
	files := testfiles.Shared(t, "reference/graphs/qwen3-8b/model.json")
	other := filepath.Join(filepath.Dir(filepath.Dir(files[0])), "phi3-mini", "model.json")
	d := Compare(subject(t, testfiles.Read(t, files[0])), subject(t, testfiles.Read(t, other)))
	want := "RMSNorm → Grouped Query Attention → Add → RMSNorm → SwiGLU → Add, ×35 removed"
	var found *Fold
	for i, f := range d.Folds {
		if d.Label(f) == want {
			found = &d.Folds[i]
		}
	}
	if found == nil {
		t.Fatalf("no fold is %q", want)
	}
	if found.Start != 3 || found.Period != 6 || found.Count != 35 || len(d.Folds) != 13 {
		t.Errorf("the fold is %+v of %d; want rows 4 to 213 of 13 folds", *found, len(d.Folds))
	}
	// 35 instances of attention: 41,943,040 in the projections and 2 · 128 in
	// no norm, since the graph declares none.
	for _, l := range d.Bill.Rows {
		if l.Row == 4 && (l.Count != 35 || l.Params != -35*41943040) {
			t.Errorf("the line of the attention layers is %d × %d parameters", l.Count, l.Params)
		}
	}
}
