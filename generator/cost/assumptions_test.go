package cost

import (
	"math"
	"reflect"
	"strings"
	"testing"
)

func TestAssumptions(t *testing.T) {
	if err := Default().Check(); err != nil {
		t.Error(err)
	}
	keys := map[string]bool{}
	for i, a := range Default().List() {
		field := reflect.TypeFor[Assumptions]().Field(i)
		if a.Key == "" || a.Doc == "" || field.Tag.Get("json") == "" {
			t.Errorf("field %s needs a yaml, a json and a doc tag", field.Name)
		}
		if keys[a.Key] {
			t.Errorf("two assumptions are called %s", a.Key)
		}
		keys[a.Key] = true
	}
}

func TestAssumptionsOutOfRange(t *testing.T) {
	for want, change := range map[string]func(*Assumptions){
		"assumption batch is 0, expected at least 1":                 func(a *Assumptions) { a.Batch = 0 },
		"assumption context is -1, expected at least 0":              func(a *Assumptions) { a.Context = -1 },
		"assumption context is 9000000000000, expected at most":      func(a *Assumptions) { a.Context = 9e12 },
		"assumption quant-group is 0, expected at least 1":           func(a *Assumptions) { a.QuantGroup = 0 },
		"assumption mfu is 40, expected at most 1":                   func(a *Assumptions) { a.Utilization = 40 },
		"assumption mfu is NaN":                                      func(a *Assumptions) { a.Utilization = math.NaN() },
		"assumption price is +Inf":                                   func(a *Assumptions) { a.Price = math.Inf(1) },
		"assumption tokens is -5":                                    func(a *Assumptions) { a.Tokens = -5 },
		`"fp61" is no known number format; known are fp32, bf16`:     func(a *Assumptions) { a.CacheDType = "fp61" },
		`"int9" is no known number format; nearest is "int4"; known`: func(a *Assumptions) { a.StateDType = "int9" },
		`"H100 8GB" is no known card; nearest is "H100 80GB"; known`: func(a *Assumptions) { a.Card = "H100 8GB" },
	} {
		a := Default()
		change(&a)
		if err := a.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
		if _, err := New(model(t, "test", flat("[1, 2]")), a); err == nil {
			t.Errorf("New takes assumptions of which %s", want)
		}
	}
}

func TestFaultyGraph(t *testing.T) {
	m := model(t, "test", `{"id": "a", "components": [{"id": "x", "type": "relu", "inputs": ["nothing"]}]}`)
	if _, err := New(m, Default()); err == nil || !strings.Contains(err.Error(), "structural faults") {
		t.Errorf("got %v, want an error that names structural faults", err)
	}
}

// Each card has every figure, and its name says its memory.
func TestCards(t *testing.T) {
	if len(Cards) != 11 {
		t.Errorf("%d cards, want 11", len(Cards))
	}
	seen := map[string]bool{}
	for i, c := range Cards {
		if c.Memory <= 0 || c.FLOPs <= 0 || c.Bandwidth <= 0 || c.Source == "" || seen[c.Name] {
			t.Errorf("%+v is incomplete, or stands twice", c)
		}
		seen[c.Name] = true
		gb := strings.Fields(c.Name)
		if want := gb[len(gb)-1]; value(reflect.ValueOf(c.Memory/gigabyte))+"GB" != want || c.Memory%gigabyte != 0 {
			t.Errorf("%s has %d bytes of memory", c.Name, c.Memory)
		}
		if i > 0 && c.Memory < Cards[i-1].Memory {
			t.Errorf("%s stands after %s, which is larger", c.Name, Cards[i-1].Name)
		}
		// From what arithmetic intensity on a card is bound by compute: some
		// hundreds of FLOPs a byte, on every one of them.
		if x := c.FLOPs / c.Bandwidth; x < 100 || x > 500 {
			t.Errorf("%s makes %.0f FLOPs for each byte it reads", c.Name, x)
		}
	}
}

// Each note belongs to a member of the plan that it names.
func TestNotes(t *testing.T) {
	members := map[string]bool{}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Plan]()) {
		members[f.Tag.Get("json")] = true
	}
	for _, n := range Notes {
		if !members[n.Of] || n.Text == "" {
			t.Errorf("note %q is of no member of a plan, or empty", n.Of)
		}
		delete(members, n.Of)
	}
}
