package reference_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/strata-catalog/strata/generator/facts"
	"github.com/strata-catalog/strata/generator/layer"
	"github.com/strata-catalog/strata/generator/reference"
	"github.com/strata-catalog/strata/generator/verify"
)

// Every type and rule can be written as JSON, with all that is declared of it.
func TestEverything(t *testing.T) {
	for _, l := range layer.All {
		d, err := reference.TypeOf(l)
		if err != nil {
			t.Error(err)
			continue
		}
		if len(d.Parameters) != len(l.Fields) || len(d.Examples) == 0 || d.Operands == "" || d.Work != l.Doc.Work {
			t.Errorf("%s: %d of %d parameters, %d examples, operands %q, work %q", l.Name, len(d.Parameters), len(l.Fields), len(d.Examples), d.Operands, d.Work)
		}
		written(t, l.Name, d)
	}
	for i, d := range reference.Rules(nil) {
		if d.ID != verify.All[i].ID || d.Example.Bad == "" || d.Example.Good == "" {
			t.Errorf("%s: got %s, or an example is missing", verify.All[i].ID, d.ID)
		}
		written(t, d.ID, d)
	}
}

// The record of a rule says on what it has fired, and that it never has where
// that is so.
func TestRecord(t *testing.T) {
	models := []verify.Judged{
		{ID: "a", Findings: []verify.Finding{{Rule: "cycle"}}},
		{ID: "b", Findings: []verify.Finding{{Rule: "cycle", Accepted: "so in the paper"}}},
	}
	trials := verify.LoadTrials()
	for _, d := range reference.Rules(models) {
		r := d.Record
		never := strings.Contains(strings.Join(r.Sentences(), " "), "It has never fired on a graph that nobody here wrote")
		if fired := trials.Public.Rules[d.ID]; never != (fired == 0) || r.Public != fired || r.Graphs != trials.Public.Graphs {
			t.Errorf("%s: fired on %d of %d public graphs, its record says %q", d.ID, fired, trials.Public.Graphs, r.Sentences())
		}
		if r.Fires == 0 || r.Spares == 0 || r.Faults == 0 || r.Told != trials.Faults.Rules[d.ID] {
			t.Errorf("%s: record %+v", d.ID, r)
		}
		if d.ID != "cycle" {
			continue
		}
		want := []reference.Exception{{Template: "b", Why: "so in the paper"}}
		if !slices.Equal(r.Templates, []string{"a"}) || !slices.Equal(r.Accepted, want) || r.Findings != 2 {
			t.Errorf("%s: record %+v", d.ID, r)
		}
	}
}

func written(t *testing.T, name string, v any) {
	t.Helper()
	if _, err := facts.JSON(v); err != nil {
		t.Errorf("%s: %v", name, err)
	}
}

func TestType(t *testing.T) {
	conv, _ := layer.Lookup("conv2d")
	d, err := reference.TypeOf(conv)
	if err != nil {
		t.Fatal(err)
	}
	got, err := facts.JSONLine(d.Examples[0])
	if err != nil {
		t.Fatal(err)
	}
	want := `{"params":{"inChannels": 3, "outChannels": 64, "kernelSize": 7, "stride": 2, "padding": 3, "bias": false},` +
		`"input_shapes":[[1,3,224,224]],"output_shape":[1,64,112,112],` +
		`"tensors":[{"name":"weight","shape":[64,3,7,7],"copies":1,"buffer":false}],"parameters":9408,"macs":118013952,"problems":[]}` + "\n"
	if strings.ReplaceAll(string(got), " ", "") != strings.ReplaceAll(want, " ", "") {
		t.Errorf("got  %swant %s", got, want)
	}
}

func TestValues(t *testing.T) {
	zero, one, half := 0.0, 1.0, 0.5
	for want, p := range map[string]reference.Parameter{
		"integer":                   {Kind: layer.Integer},
		"integer, at least 1":       {Kind: layer.Integer, Min: &one},
		"number, 0 to 1":            {Kind: layer.Number, Min: &zero, Max: &one},
		"number, from 0 to below 1": {Kind: layer.Number, Min: &zero, Below: &one},
		"number, at most 0.5":       {Kind: layer.Number, Max: &half},
		"number, below 0.5":         {Kind: layer.Number, Below: &half},
		"pre, post":                 {Kind: layer.String, Enum: []string{"pre", "post"}},
	} {
		if got := p.Values(); got != want {
			t.Errorf("Values of %+v = %q, want %q", p, got, want)
		}
	}
}

// Every key has its words.
func TestWords(t *testing.T) {
	for _, v := range []any{reference.Type{}, reference.Parameter{}, reference.Example{}, reference.Weight{}, reference.Rule{}, reference.Story{}, reference.Record{}, reference.Exception{}} {
		for _, f := range reflect.VisibleFields(reflect.TypeOf(v)) {
			if f.Tag.Get("json") == "" || f.Tag.Get("doc") == "" {
				t.Errorf("%T: field %s needs a json and a doc tag", v, f.Name)
			}
		}
	}
}
