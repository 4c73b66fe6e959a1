package generator_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/strata-catalog/strata/generator/pipeline"
	"github.com/strata-catalog/strata/generator/verify"
)

// A subject is a good model that faults are seeded into.
type subject struct {
	id      string
	src     []byte
	options verify.Options
	found   map[string]bool // its findings, by what sight makes of them
	unsure  bool            // forward has no word on it
}

// subjects are the catalog's templates, and the reference graphs where those
// are beside the checkout.
func subjects(t *testing.T) []*subject {
	t.Helper()
	var list []*subject
	for _, id := range ids(t) {
		s := &subject{id: id}
		if n := note(t, id); n != nil {
			s.options.MaskedLanguage = n.MaskedLanguage
		}
		s.read(t, filepath.Join(templates, id, "model.json"))
		list = append(list, s)
	}
	files, _ := filepath.Glob(filepath.Join(reference, "graphs", "*", "model.json"))
	if len(files) == 0 {
		absent(t, "reference graphs")
	}
	for _, file := range files {
		s := &subject{id: "reference/" + filepath.Base(filepath.Dir(file))}
		s.read(t, file)
		list = append(list, s)
	}
	return list
}

// read reads a document without the second list of its edges, which would tell
// every fault in the first.
func (s *subject) read(t *testing.T, file string) {
	t.Helper()
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	doc := decoded(t, src)
	delete(doc, "connections")
	for _, c := range doc["components"].([]any) {
		delete(c.(map[string]any), "outputs")
	}
	s.src = encoded(t, doc)
	if err := forward(s.src); err != nil {
		t.Logf("%s: no independent forward pass: %v; kinds of fault that depend on one do not apply", s.id, err)
		s.unsure = true
	}
	s.found = map[string]bool{}
	for _, f := range s.judge(s.src) {
		s.found[sight(f)] = true
	}
}

func decoded(t *testing.T, src []byte) map[string]any {
	t.Helper()
	var doc map[string]any
	if err := json.Unmarshal(src, &doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

func encoded(t *testing.T, doc map[string]any) []byte {
	t.Helper()
	src, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	return src
}

// judge lists the findings on a document. One that cannot be read has an error
// of that name.
func (s *subject) judge(src []byte) []verify.Finding {
	r, err := pipeline.RunWith(s.id, src, s.options)
	if err != nil {
		return []verify.Finding{{Rule: "(unreadable)", Severity: verify.Error, Message: err.Error()}}
	}
	return r.Findings
}

// sight is what one sees of a finding at a glance. Numbers in its message may
// change with a fault that it says nothing of.
func sight(f verify.Finding) string { return fmt.Sprint(f.Rule, f.Components, f.Repeat) }

// Faults are tried at several places of each model; where the place decides, so
// many are looked at before a kind is said not to apply.
const (
	placesEach = 2
	attempts   = 12
)

// mutant is a document with a fault of a kind, nil when the kind does not apply.
// It is the same for the same kind, model and number.
func (s *subject) mutant(t *testing.T, k kind, number int) []byte {
	h := fnv.New64a()
	fmt.Fprint(h, k.name, s.id, number)
	random := rand.New(rand.NewPCG(h.Sum64(), 1))
	for range attempts {
		d := &draft{doc: decoded(t, s.src), random: random}
		if !k.seed(d) {
			continue
		}
		src := encoded(t, d.doc)
		err := errUnsure
		if !s.unsure {
			err = forward(src)
		}
		switch unsure := errors.Is(err, errUnsure); {
		case k.effect == breaks && err == nil:
			t.Errorf("%s: a fault of the kind %q should break the forward pass, and does not\n%s", s.id, k.name, src)
		case k.effect == runs && err != nil && !unsure:
			t.Errorf("%s: a fault of the kind %q should not break the forward pass: %v", s.id, k.name, err)
		case k.effect == breaksHere && (err == nil || unsure), k.effect == runsHere && err != nil:
			continue
		}
		return src
	}
	return nil
}

// A tally is what came of faults.
type tally struct {
	seeded, found int
	rules         map[string]int // by how many of the faults each rule told
	missed        []string
}

// tallies is what came of the faults of one kind, by model.
type tallies map[string]*tally

// of adds up what came of the faults in some models.
func (c tallies) of(models []string) tally {
	total := tally{rules: map[string]int{}}
	for _, id := range models {
		if one := c[id]; one != nil {
			total.seeded, total.found = total.seeded+one.seeded, total.found+one.found
			total.missed = append(total.missed, one.missed...)
			for rule, n := range one.rules {
				total.rules[rule] += n
			}
		}
	}
	return total
}

func (c tallies) all() tally { return c.of(slices.Sorted(maps.Keys(c))) }

var done map[string]tallies // by kind

// seeded seeds the faults of every kind into every model, once.
func seeded(t *testing.T) map[string]tallies {
	t.Helper()
	if done != nil {
		return done
	}
	all := subjects(t)
	results := map[string]tallies{}
	for _, k := range kinds {
		results[k.name] = tallies{}
		for _, s := range all {
			results[k.name][s.id] = s.try(t, k)
		}
	}
	done = results
	return done
}

// TestMutation seeds faults of every kind into good models. Of those that break
// the forward pass 99 % must give an error, and of the others 90 % a finding
// that the model itself lacks. With -v it prints the share found by kind.
func TestMutation(t *testing.T) {
	results := seeded(t)
	var table strings.Builder
	for _, k := range kinds {
		c := results[k.name].all()
		c.print(&table, k)
		if c.seeded == 0 {
			t.Errorf("faults of the kind %q apply to no model", k.name)
		}
	}
	t.Log("\n" + table.String())
	share(t, results, "faults that break the forward pass", true, 0.99)
	share(t, results, "other faults", false, 0.90)
}

// share bounds the share of faults that are found.
func share(t *testing.T, results map[string]tallies, what string, broken bool, least float64) {
	t.Helper()
	seeded, found := 0, 0
	var missed []string
	for _, k := range kinds {
		if k.effect.broken() == broken {
			c := results[k.name].all()
			seeded, found, missed = seeded+c.seeded, found+c.found, append(missed, c.missed...)
		}
	}
	t.Logf("%s: %d of %d found", what, found, seeded)
	if float64(found) < least*float64(seeded) {
		t.Errorf("%s: %d of %d found, want %.0f %%; missed:\n%s", what, found, seeded, 100*least, strings.Join(missed, "\n"))
	}
}

// try seeds the faults of one kind into one model.
func (s *subject) try(t *testing.T, k kind) *tally {
	t.Helper()
	c := &tally{rules: map[string]int{}}
	seen := map[string]bool{}
	for number := range placesEach {
		src := s.mutant(t, k, number)
		if src == nil || seen[string(src)] {
			continue
		}
		seen[string(src)] = true
		c.seeded++
		told := map[string]bool{}
		for _, f := range s.judge(src) {
			if !s.found[sight(f)] && (!k.effect.broken() || f.Severity == verify.Error) {
				told[f.Rule] = true
			}
		}
		for rule := range told {
			c.rules[rule]++
		}
		if len(told) > 0 {
			c.found++
		} else {
			c.missed = append(c.missed, fmt.Sprintf("%s: %s: %s", k.name, s.id, changed(s.src, src)))
		}
	}
	return c
}

// changed is the part of a document that a fault changed, for a message.
func changed(before, after []byte) string {
	const around = 80
	i, j := 0, 0
	for i < min(len(before), len(after)) && before[i] == after[i] {
		i++
	}
	for j < min(len(before), len(after))-i && before[len(before)-1-j] == after[len(after)-1-j] {
		j++
	}
	return fmt.Sprintf("…%s[%s → %s]", before[max(0, i-around):i], before[i:len(before)-j], after[i:len(after)-j])
}

// print writes the line of a kind: its share, and the rules that told.
func (c tally) print(b *strings.Builder, k kind) {
	rules := slices.SortedFunc(maps.Keys(c.rules), func(x, y string) int {
		return cmp.Or(c.rules[y]-c.rules[x], strings.Compare(x, y))
	})
	fmt.Fprintf(b, "%-36s %-12s %3d of %3d  %s\n", k.name, k.effect, c.found, c.seeded, strings.Join(rules, ", "))
	for _, m := range c.missed {
		fmt.Fprintf(b, "    missed %s\n", m)
	}
}
