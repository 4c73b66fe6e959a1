package verify

import (
	_ "embed"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
)

// A Record is how a rule has worked so far: on the models of a catalog, and on
// the tests.
type Record struct {
	Rule     string
	Findings int         // in the catalog; one that repeats counts once
	Models   []string    // ids of the models that have one which is not accepted
	Accepted []Exception // those that are
	Bad      int         // graphs of its story on which it has to fire
	Good     int         // near misses, on which it must not
	Public   int         // public graphs, written by others, on which it fires; 0: it never has
	Graphs   int         // public graphs that were tried
	Told     int         // seeded faults that it told
	Faults   int         // faults that were seeded
}

// An Exception is a finding that a model's content file accepts.
type Exception struct {
	Model string // id
	Why   string
}

// A Judged model is one of a catalog, with its findings.
type Judged struct {
	ID       string
	Findings []Finding
}

// Records lists the record of every rule, in the order of All.
func Records(models []Judged) []Record {
	list := make([]Record, len(All))
	at := make(map[string]*Record, len(All))
	trials := LoadTrials()
	faults := trials.Sum(true).Seeded + trials.Sum(false).Seeded
	for i, r := range All {
		bad, good := r.cases()
		list[i] = Record{
			Rule: r.ID, Bad: bad, Good: good, Public: trials.Public.Rules[r.ID], Graphs: trials.Public.Graphs,
			Told: trials.Faults.Rules[r.ID], Faults: faults,
		}
		at[r.ID] = &list[i]
	}
	for _, m := range models {
		for _, f := range m.Findings {
			if r := at[f.Rule]; r != nil {
				r.add(m.ID, f)
			}
		}
	}
	return list
}

// add counts a finding. A model stands in each list once.
func (r *Record) add(model string, f Finding) {
	r.Findings++
	switch n, k := len(r.Models), len(r.Accepted); {
	case f.Accepted == "" && (n == 0 || r.Models[n-1] != model):
		r.Models = append(r.Models, model)
	case f.Accepted != "" && (k == 0 || r.Accepted[k-1].Model != model):
		r.Accepted = append(r.Accepted, Exception{model, f.Accepted})
	}
}

// cases is the number of graphs in a rule's story.
func (r *Rule) cases() (bad, good int) {
	src, err := stories.ReadFile("testdata/" + r.ID + ".txtar")
	if err != nil { // the tests find a rule without a story
		return 0, 0
	}
	for line := range strings.Lines(string(src)) {
		name, isGraph := strings.CutSuffix(strings.TrimSpace(line), ".json --")
		switch {
		case !isGraph:
		case strings.HasPrefix(name, "-- bad"):
			bad++
		case strings.HasPrefix(name, "-- good"):
			good++
		}
	}
	return bad, good
}

// Trials is what the tests have measured of the rules, beyond their stories.
type Trials struct {
	Public struct {
		Graphs int            `json:"graphs"` // public graphs, written by others
		Rules  map[string]int `json:"rules"`  // on how many of them each rule fires
	} `json:"public"`
	Faults struct {
		Models []string       `json:"models"` // templates that faults were seeded into
		Kinds  []Kind         `json:"kinds"`
		Rules  map[string]int `json:"rules"` // how many of the faults each rule told
	} `json:"faults"`
}

// A Kind of faults that were seeded into good models.
type Kind struct {
	Name   string `json:"name"`
	Breaks bool   `json:"breaks"` // the forward pass
	Seeded int    `json:"seeded"`
	Found  int    `json:"found"` // gave an error if they break the forward pass, else a finding
}

// Sum adds up the kinds of faults that break the forward pass, or those that do
// not. It has no name.
func (t *Trials) Sum(breaks bool) Kind {
	sum := Kind{Breaks: breaks}
	for _, k := range t.Faults.Kinds {
		if k.Breaks == breaks {
			sum.Seeded, sum.Found = sum.Seeded+k.Seeded, sum.Found+k.Found
		}
	}
	return sum
}

//go:embed trials.json
var measured []byte

// LoadTrials reads what was measured. A test writes it, and says when it is out
// of date.
var LoadTrials = sync.OnceValue(func() *Trials {
	t := &Trials{}
	if err := json.Unmarshal(measured, t); err != nil {
		panic("verify: trials.json: " + err.Error()) // a mistake in this package's own data
	}
	return t
})
