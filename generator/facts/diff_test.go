package facts_test

import (
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/strata-catalog/strata/generator/cost"
	"github.com/strata-catalog/strata/generator/diff"
	"github.com/strata-catalog/strata/generator/facts"
	"github.com/strata-catalog/strata/generator/pipeline"
)

// subject is a document to compare.
func subject(t *testing.T, name string, src []byte) diff.Subject {
	t.Helper()
	m := model(t, name, src)
	return diff.Subject{ID: m.ID, Name: m.Name, Plan: m.Plan}
}

// narrow is the decoder with another width of its blocks' layers, a block
// fewer, and a head of its own.
var narrow = strings.NewReplacer(
	`"id": "m"`, `"id": "n"`,
	`"block": "pair", "repeat": 3`, `"block": "pair", "repeat": 2`,
	`"vocabSize": 10, `, ``,
	`"bias": false, "tiedTo": "embed"`, `"bias": true`,
).Replace(decoder)

func compared(t *testing.T, a, b string) *facts.Diff {
	t.Helper()
	return facts.Compared(diff.Compare(subject(t, "a", []byte(a)), subject(t, "b", []byte(b))))
}

// rowText is a row on a line.
func rowText(r *facts.DiffRow) string {
	text := fmt.Sprintf("%d %s %s %s", r.Number, facts.Sign(r.Status), r.StatusText(), r.Display())
	for _, c := range []*facts.DiffCell{r.A, r.B} {
		if c == nil {
			text += " | -"
			continue
		}
		text += fmt.Sprintf(" | %s %s %s", c.Name, c.Weights(), c.Shape())
	}
	return text + " | " + strings.Join(r.Changes(), ", ")
}

func TestCompared(t *testing.T) {
	d := compared(t, decoder, narrow)
	var got []string
	for i := range d.Rows {
		got = append(got, rowText(&d.Rows[i]))
	}
	want := []string{
		"1 = same Input | ids  1 × 8 | ids  1 × 8 | ",
		"2 ~ changed (vocabSize) Embedding | embed 40 1 × 8 × 4 | embed 40 1 × 8 × 4 | − vocabSize 10",
		"3 − removed Linear | layers.0.fc 20 1 × 8 × 4 | - | ",
		"4 − removed Add | layers.0.add  1 × 8 × 4 | - | ",
		"5 = same Linear | layers.1.fc 20 1 × 8 × 4 | layers.0.fc 20 1 × 8 × 4 | ",
		"6 = same Add | layers.1.add  1 × 8 × 4 | layers.0.add  1 × 8 × 4 | ",
		"7 = same Linear | layers.2.fc 20 1 × 8 × 4 | layers.1.fc 20 1 × 8 × 4 | ",
		"8 = same Add | layers.2.add  1 × 8 × 4 | layers.1.add  1 × 8 × 4 | ",
		"9 = same Linear | stack.0.fc 20 1 × 8 × 4 | stack.0.fc 20 1 × 8 × 4 | ",
		"10 = same Add | stack.0.add  1 × 8 × 4 | stack.0.add  1 × 8 × 4 | ",
		"11 = same Linear | stack.1.fc  1 × 8 × 4 | stack.1.fc  1 × 8 × 4 | ",
		"12 = same Add | stack.1.add  1 × 8 × 4 | stack.1.add  1 × 8 × 4 | ",
		"13 = same Linear | stack.2.fc  1 × 8 × 4 | stack.2.fc  1 × 8 × 4 | ",
		"14 = same Add | stack.2.add  1 × 8 × 4 | stack.2.add  1 × 8 × 4 | ",
		"15 ~ changed (bias, tiedTo) Linear | head  1 × 8 × 10 | head 50 1 × 8 × 10 | bias false → true, − tiedTo embed",
		"16 = same Output | out  1 × 8 × 10 | out  1 × 8 × 10 | ",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	if d.NameA != "Model (m)" || d.NameB != "Model (n)" {
		t.Errorf("names %q and %q do not tell the models apart", d.NameA, d.NameB)
	}
	var bill []string
	for _, l := range d.Bill.Rows {
		bill = append(bill, fmt.Sprintf("%d %s %+d", l.Row, l.What, l.Params))
	}
	wantBill := []string{"3 Linear, removed -20", "4 Add, removed +0", "15 Linear: bias false → true, − tiedTo embed +50"}
	if diff := cmp.Diff(wantBill, bill); diff != "" {
		t.Errorf("bill (-want +got):\n%s", diff)
	}
}

// What is left of a diff without equal rows keeps its numbers.
func TestDifferences(t *testing.T) {
	whole := compared(t, decoder, narrow)
	d := whole.Differences()
	var numbers []int
	for i := range d.Rows {
		numbers = append(numbers, d.Rows[i].Number)
		if d.Row(d.Rows[i].Number) != &d.Rows[i] {
			t.Errorf("row %d is not found by its number", d.Rows[i].Number)
		}
	}
	if diff := cmp.Diff([]int{2, 3, 4, 15}, numbers); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	if d.Row(1) != nil || d.Row(0) != nil || d.Row(17) != nil {
		t.Error("a row that is left out was found")
	}
	for _, f := range d.Folded {
		if f.Status == diff.Same {
			t.Errorf("the fold %q is the same on both sides", f.Label)
		}
	}
	if len(whole.Rows) != 16 {
		t.Errorf("the diff itself has %d rows left", len(whole.Rows))
	}
}

// published is what a reader of the JSON of a diff needs to check its bill.
type published struct {
	ParametersDelta json.Number `json:"parameters_delta"`
	Bill            struct {
		Total       map[string]json.RawMessage
		Rows, Kinds []map[string]json.RawMessage
	}
	Rows []struct {
		A, B *struct{ Parameters json.Number }
	}
	Folded []struct {
		A   json.Number `json:"parameters_a"`
		B   json.Number `json:"parameters_b"`
		Row int
	}
}

// number reads a count as it is published.
func number(t *testing.T, raw json.RawMessage) *big.Rat {
	t.Helper()
	r, ok := new(big.Rat).SetString(strings.Trim(string(raw), `"`))
	if !ok {
		t.Fatalf("%s is no number", raw)
	}
	return r
}

// billFaults says where the lines of a published bill do not add up.
func billFaults(t *testing.T, p published) (faults []string) {
	for _, figure := range []string{"parameters", "active_parameters", "macs", "unit_macs", "cache_token_bytes", "training_bytes"} {
		for list, lines := range map[string][]map[string]json.RawMessage{"rows": p.Bill.Rows, "kinds": p.Bill.Kinds} {
			sum := new(big.Rat)
			for _, l := range lines {
				sum.Add(sum, number(t, l[figure]))
			}
			if total := number(t, p.Bill.Total[figure]); sum.Cmp(total) != 0 {
				faults = append(faults, fmt.Sprintf("%s of the %s add up to %s, the total is %s", figure, list, sum.RatString(), total.RatString()))
			}
		}
	}
	rows, folds := new(big.Rat), new(big.Rat)
	add := func(to *big.Rat, sign int64, n json.Number) {
		to.Add(to, new(big.Rat).Mul(big.NewRat(sign, 1), number(t, json.RawMessage(n))))
	}
	for _, r := range p.Rows {
		if r.A != nil {
			add(rows, -1, r.A.Parameters)
		}
		if r.B != nil {
			add(rows, +1, r.B.Parameters)
		}
	}
	for _, f := range p.Folded {
		add(folds, -1, f.A)
		add(folds, +1, f.B)
	}
	want := number(t, json.RawMessage(p.ParametersDelta))
	for what, got := range map[string]*big.Rat{"rows": rows, "folds": folds, "bill": number(t, p.Bill.Total["parameters"])} {
		if got.Cmp(want) != 0 {
			faults = append(faults, fmt.Sprintf("the %s make a difference of %s parameters, want %s", what, got.RatString(), want.RatString()))
		}
	}
	return faults
}

func publish(t *testing.T, d *facts.Diff) published {
	t.Helper()
	src, err := facts.JSON(d)
	if err != nil {
		t.Fatal(err)
	}
	var p published
	if err := json.Unmarshal(src, &p); err != nil {
		t.Fatal(err)
	}
	return p
}

// The bill of the published JSON adds up to the differences, line by line, for
// neighbours among the graphs beside the checkout and for the reference diffs.
func TestBillAddsUp(t *testing.T) {
	files, _ := filepath.Glob("../../../shared/zoo/*/model.json")
	if len(files) == 0 {
		t.Skip("no graphs beside the checkout")
	}
	var before *diff.Subject
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		r, err := pipeline.Run(file, src)
		if err != nil {
			t.Fatal(err)
		}
		plan, err := cost.New(r.Model, cost.Default())
		if err != nil {
			t.Fatal(err)
		}
		s := &diff.Subject{ID: file, Name: r.Doc.Name, Plan: plan}
		if before != nil {
			for _, fault := range billFaults(t, publish(t, facts.Compared(diff.Compare(*before, *s)))) {
				t.Errorf("%s against %s: %s", before.ID, s.ID, fault)
			}
		}
		before = s
	}
}

// The check of the bill finds a line that is off by one.
func TestBillFaults(t *testing.T) {
	d := compared(t, decoder, narrow)
	if faults := billFaults(t, publish(t, d)); len(faults) > 0 {
		t.Fatal(faults)
	}
	d.Bill.Rows[0].Params++
	if faults := billFaults(t, publish(t, d)); len(faults) != 1 {
		t.Errorf("faults %q, want the one line", faults)
	}
}

// A fraction is published exactly.
func TestFraction(t *testing.T) {
	type figures struct {
		Whole, Large, Part *big.Rat
	}
	large, _ := new(big.Rat).SetString("9007199254740993")
	src, err := facts.JSONLine(figures{big.NewRat(6, -2), large, big.NewRat(10, 4)})
	if want := `{"Whole":-3,"Large":"9007199254740993","Part":"5/2"}` + "\n"; err != nil || string(src) != want {
		t.Errorf("%s (%v), want %s", src, err, want)
	}
}
