// Package verify judges analysed graphs by rules.
//
// A rule is one value: its id, its severity, its words, and a function over
// the model that yields findings. All lists them. Its reference page, its JSON
// and its text on the command line come from that value; testdata/<id>.txtar
// holds a graph that makes it fire and a near miss that does not.
//
// Rules keep silent where nothing is known: a rule about sizes says nothing on
// a size that could not be derived, and one cause gives one finding, where it
// breaks. Equal layers share one finding. Advice on the order of layers and on
// numbers waits until a model has no error. Rules do no I/O and know nothing of
// pages.
//
// Records says how each rule has worked: on a catalog, on public graphs, and on
// faults that were seeded into good models.
package verify

import (
	"github.com/strata-catalog/strata/generator/graph"
	"github.com/strata-catalog/strata/generator/infer"
)

// A Severity says how sure a rule is that something is wrong.
type Severity string

// The severities, worst first.
const (
	Error   Severity = "error"   // the forward pass cannot run as drawn, or a count cannot be trusted
	Warning Severity = "warning" // runs, but almost surely not meant
	Advice  Severity = "advice"  // a known better way, or a number worth knowing
)

var rank = map[Severity]int{Error: 0, Warning: 1, Advice: 2}

// A Verdict sums up a model's findings.
type Verdict string

// The verdicts.
const (
	Pass_    Verdict = "pass"     // no error and no warning
	Advisory Verdict = "advisory" // a warning, but no error
	Fail     Verdict = "fail"     // an error
)

// A Group is a chapter of the rule reference.
type Group string

// The groups, in the order of the reference.
const (
	Structure Group = "Structure"
	Shapes    Group = "Shapes"
	Attention Group = "Attention and blocks"
	Training  Group = "Order and training"
	Numbers   Group = "Numbers"
)

// A Rule is one thing that can be wrong with a model. Its words are whole
// sentences.
type Rule struct {
	ID       string   // also its address and the word to accept it by
	Severity Severity // a single finding may be milder
	Group    Group
	Title    string // short, as a heading
	Trigger  string // when it fires
	Why      string // what goes wrong
	Fix      string // what to do about it
	Source   string // where that is written: an address
	// Check yields the findings. Nil: the structural faults and the problems
	// that earlier passes reported to this rule are its findings.
	Check func(*Pass)
	// Faulty marks a rule that also runs on a graph with structural faults, and
	// Sound one that runs only where no rule before it found an error: advice on
	// a model that cannot run would be noise.
	Faulty, Sound bool
	// Costly marks a rule that runs only where it is asked for.
	Costly bool
}

// A Finding is one thing that a rule found.
type Finding struct {
	Rule       string
	Severity   Severity
	Components []string // ids, of the first instance where it repeats
	Repeat     int      // instances that have it; 1 when it does not repeat
	Message    string
	Fix        string // a sentence
	Patch      []graph.PatchOp
	Position   graph.Position
	Accepted   string // why it is accepted, "" when it is not
}

// Options is what is known of a document from beside it.
type Options struct {
	// Folder is the name of the template's folder, "" for a document that is
	// no part of a catalog.
	Folder string
	// MaskedLanguage says that the model is trained to fill in masked tokens,
	// for which it must see both sides of them.
	MaskedLanguage bool
	// Published is the number of parameters that is published for the model,
	// and Source says where. Where it is 0, the graph's realParamCount holds.
	Published int64
	Source    string
	// Stop is asked before each rule; where it says true, no more of them run.
	// Nil never does.
	Stop func() bool
	// Costly asks for the rules that cost as much as all others together, too.
	// An editor that checks at every key may leave them out.
	Costly bool
}

// Run judges a model by the rules, and returns the findings: errors first,
// then in the order of the layers.
func Run(m *infer.Model, rules []*Rule, o Options) []Finding {
	p := &Pass{Model: m, Options: o, rules: rules}
	p.index()
	for _, r := range rules {
		if o.Stop != nil && o.Stop() {
			break
		}
		if m.Order == nil && !r.Faulty || p.failed && r.Sound || r.Costly && !o.Costly {
			continue
		}
		p.rule = r
		start := len(p.found)
		if r.Check != nil {
			r.Check(p)
		} else {
			p.forward(nil)
		}
		p.merge(start)
	}
	return p.findings()
}

// Judge is the verdict on some findings. A warning that is accepted does not
// count; an error counts, whatever is said of it.
func Judge(findings []Finding) Verdict {
	v := Pass_
	for _, f := range findings {
		switch {
		case f.Severity == Error:
			return Fail
		case f.Severity == Warning && f.Accepted == "":
			v = Advisory
		}
	}
	return v
}
