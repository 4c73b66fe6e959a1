package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/strata-catalog/strata/generator/cli"
)

const reference = "../../../shared/reference"

// strata runs the program.
func strata(t *testing.T, args ...string) (stdout string, code int) {
	t.Helper()
	var out, errs bytes.Buffer
	code = cli.Main(context.Background(), args, strings.NewReader(""), &out, &errs)
	if errs.Len() > 0 {
		t.Logf("strata %s: %s", strings.Join(args, " "), errs.String())
	}
	return out.String(), code
}

// A document is a diff in Markdown, read back.
type document struct {
	Headline string
	Sides    [][]string
	Deltas   []string
	Head     []string   // of the table of rows
	Rows     [][]string // with their numbers
	Caveats  int
}

// readDiff reads the sections that the reference documents have.
func readDiff(text string) (d document) {
	section := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "## "):
			section, _, _ = strings.Cut(strings.TrimPrefix(line, "## "), " (")
		case strings.HasPrefix(line, "**") && section == "":
			d.Headline = strings.Trim(line, "*")
		case section == "Deltas" && strings.HasPrefix(line, "- "):
			d.Deltas = append(d.Deltas, line[2:])
		case section == "What this is not" && strings.HasPrefix(line, "- "):
			d.Caveats++
		case !strings.HasPrefix(line, "| "), strings.Contains(line, "---"):
		case section == "Sides":
			d.Sides = append(d.Sides, split(line))
		case section == "Layer by layer" && d.Head == nil:
			d.Head = split(line)
		case section == "Layer by layer":
			d.Rows = append(d.Rows, split(line))
		}
	}
	return d
}

func split(line string) []string {
	cells := strings.Split(strings.Trim(line, "|"), "|")
	for i := range cells {
		cells[i] = strings.TrimSpace(cells[i])
	}
	return cells
}

// spelling maps the documents' names of types to the field's; expected.json
// says that the types are the same.
var spelling = strings.NewReplacer("(Rope)", "(RoPE)", "(Rms Norm)", "(RMSNorm)", "(Swiglu)", "(SwiGLU)")

// adapt makes the differences between a reference document and the answer that
// expected.json names.
func adapt(t *testing.T, d *document) {
	t.Helper()
	for _, r := range d.Rows {
		for i := range r {
			r[i] = spelling.Replace(r[i])
		}
		if strings.HasPrefix(r[5], "lm_head ") {
			if r[6] != "" {
				t.Errorf("the document has the cell that it is known to leave blank: %v", r)
			}
			r[6] = "99M"
		}
	}
}

// The reference diffs come out of the command: headline, sides but for the
// dollars, deltas, and every row with its status, names, parameters and shapes.
func TestDiffReference(t *testing.T) {
	files, _ := filepath.Glob(reference + "/diff-*.md")
	if len(files) == 0 {
		t.Skip("the reference documents are not beside the checkout")
	}
	for _, file := range files {
		pair := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(file), "diff-"), ".md")
		t.Run(pair, func(t *testing.T) {
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			a, b, _ := strings.Cut(pair, "-vs-")
			graph := func(id string) string { return filepath.Join(reference, "graphs", id, "model.json") }
			out, code := strata(t, "diff", graph(a), graph(b), "--format", "md")
			if code != 1 {
				t.Errorf("exit code %d for models that differ, want 1", code)
			}
			got, want := readDiff(out), readDiff(string(src))
			if len(want.Rows) < 12 || len(want.Sides) < 9 {
				t.Fatal("the reference document is not laid out as expected")
			}
			adapt(t, &want)
			compareSides(t, got.Sides, want.Sides)
			got.Sides, want.Sides = nil, nil
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-document +answer)\n%s", diff)
			}
		})
	}
}

// compareSides looks for each row of the document, in its order. Training cost
// follows other assumptions.
func compareSides(t *testing.T, got, want [][]string) {
	t.Helper()
	for _, w := range want {
		for len(got) > 0 && got[0][0] != w[0] {
			got = got[1:] // a row that the document does not have
		}
		switch {
		case len(got) == 0:
			t.Fatalf("the sides lack the row %v, or have it at another place", w)
		case w[0] == "Est. train cost":
			if !strings.HasPrefix(got[0][1], "$") || !strings.HasPrefix(got[0][2], "$") {
				t.Errorf("the training costs are %v", got[0])
			}
		case fmt.Sprint(got[0]) != fmt.Sprint(w):
			t.Errorf("%v, want %v", got[0], w)
		}
	}
}

// mini has a layer for each of the given parameters.
func mini(t *testing.T, name string, layers ...string) string {
	t.Helper()
	src := `{"id": "` + name + `", "components": [{"id": "x", "type": "input", "params": {"shape": [1, 8]}}`
	last := "x"
	for i, l := range layers {
		src += fmt.Sprintf(`, {"id": "l%d", %s, "inputs": [%q]}`, i, l, last)
		last = fmt.Sprintf("l%d", i)
	}
	file := filepath.Join(t.TempDir(), name+".json")
	if err := os.WriteFile(file, []byte(src+fmt.Sprintf(`, {"id": "y", "type": "output", "inputs": [%q]}]}`, last)), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

const (
	linear8 = `"type": "linear", "params": {"outFeatures": 8}`
	linear9 = `"type": "linear", "params": {"outFeatures": 9}`
	relu    = `"type": "relu"`
)

// The JSON of the command has the keys of the pages, and --only-changes leaves
// out the same rows in each form.
func TestDiffForms(t *testing.T) {
	a, b := mini(t, "a", linear8, relu, linear8), mini(t, "b", linear8, relu, linear9)
	for _, c := range []struct {
		only bool
		rows []int
	}{{false, []int{1, 2, 3, 4, 5}}, {true, []int{4}}} {
		args := []string{"diff", a, b, "--format"}
		flags := []string{}
		if c.only {
			flags = []string{"--only-changes"}
		}
		out, code := strata(t, append(append(args, "json"), flags...)...)
		var data struct {
			Headline  string
			Identical bool
			Rows      []struct {
				Number  int
				Status  string
				Changed []string
			}
			Sides, Bill map[string]any
			Folded      []any
			Caveats     []any
		}
		if err := json.Unmarshal([]byte(out), &data); err != nil || code != 1 {
			t.Fatalf("code %d, %v", code, err)
		}
		var numbers []int
		for _, r := range data.Rows {
			numbers = append(numbers, r.Number)
			if changed := fmt.Sprint(r.Changed); r.Number == 4 && (r.Status != "changed" || changed != "[outFeatures]") {
				t.Errorf("row 4 is %s %s", r.Status, changed)
			}
		}
		if diff := cmp.Diff(c.rows, numbers); diff != "" {
			t.Errorf("rows of the JSON (-want +got):\n%s", diff)
		}
		if len(data.Folded) != len(c.rows) || data.Identical || len(data.Sides) != 2 || len(data.Bill) == 0 || len(data.Caveats) != 2 {
			t.Errorf("%d folds, identical is %v, %d sides, %d caveats", len(data.Folded), data.Identical, len(data.Sides), len(data.Caveats))
		}
		out, _ = strata(t, append(append(args, "md"), flags...)...)
		if d := readDiff(out); len(d.Rows) != len(c.rows) || d.Headline != data.Headline {
			t.Errorf("the Markdown has %d rows and the headline %q", len(d.Rows), d.Headline)
		}
		out, _ = strata(t, append(append(args, "text"), flags...)...)
		if want := !c.only; strings.Contains(out, "=  ReLU") != want {
			t.Errorf("only changes is %v, but:\n%s", c.only, out)
		}
	}
}

// full is a device without room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

// An answer that cannot be written is trouble, in each form, and whether the
// models differ or not.
func TestDiffUnwritten(t *testing.T) {
	a, b := mini(t, "a", linear8), mini(t, "b", linear9)
	for _, format := range []string{"text", "md", "json"} {
		for _, other := range []string{a, b} {
			var errs bytes.Buffer
			code := cli.Main(context.Background(), []string{"diff", a, other, "--format", format}, strings.NewReader(""), full{}, &errs)
			if want := "strata: diff: the answer cannot be written: no space left\n"; code != 2 || errs.String() != want {
				t.Errorf("%s: code %d, %q, want 2 and %q", format, code, errs.String(), want)
			}
		}
	}
}

// The bill says which row a line is about, and stays within a narrow screen.
func TestDiffNarrow(t *testing.T) {
	a, b := mini(t, "a", linear8, relu, linear8), mini(t, "b", linear8, relu, linear9)
	for _, width := range []int{72, 80, 120} {
		out, _ := strata(t, "diff", a, b, "--width", fmt.Sprint(width))
		_, bill, found := strings.Cut(out, "The bill, by row\n")
		if !found || !strings.Contains(bill, "\n4: Linear: ") || !strings.Contains(bill, "outFeatures") {
			t.Errorf("the bill lacks row 4, or what changed in it:\n%s", out)
		}
		for _, word := range []string{"Parameters", "Active", "MACs", "KV", "Training"} {
			if !strings.Contains(bill, word) {
				t.Errorf("in %d cells the bill lacks the column %s:\n%s", width, word, bill)
			}
		}
		for line := range strings.Lines(out) {
			if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > width {
				t.Errorf("a line of %d cells in %d: %s", n, width, line)
			}
		}
	}
}
