package verify

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/strata-catalog/strata/generator/graph"
	"github.com/strata-catalog/strata/generator/infer"
	"github.com/strata-catalog/strata/generator/layer"
)

// A Pass is the rules looking at one model, one after the other.
type Pass struct {
	*infer.Model
	Options
	rules     []*Rule
	severe    map[string]Severity // by rule; nil until it is asked for
	rule      *Rule
	found     []found
	failed    bool                  // an error was found
	problems  map[string][]reported // by rule; nil when there are none
	instances map[same]int          // of a problem; see known
	roles     *roles
	tables    *vocabularies
	broken    *breaks
	flowing   *flow
	stacked   *stacks
}

// found is a finding before those of equal layers are made one.
type found struct {
	Finding
	node int // -1: the document
	at   int // offset in the source
}

// reported is a problem that an earlier pass reported on a node. Nodes of one
// Result share the problem.
type reported struct {
	node    int
	problem *layer.Problem
}

// index sorts the problems of all nodes by the rules they are reported to.
func (p *Pass) index() {
	for _, i := range p.Order {
		n := &p.Nodes[i]
		p.indexed(i, n.Result.Problems)
		p.indexed(i, n.Problems)
	}
}

func (p *Pass) indexed(i int, problems []layer.Problem) {
	for k := range problems {
		if p.problems == nil {
			p.problems = map[string][]reported{}
		}
		rule := problems[k].Rule
		if rule == layer.UnknownParam && p.known(i, &problems[k]) {
			continue
		}
		p.problems[rule] = append(p.problems[rule], reported{i, &problems[k]})
	}
}

// same is a problem of a component that a block repeats.
type same struct {
	problem   *layer.Problem
	component *graph.Component
}

// known counts the instances that have a problem, and reports whether one had
// it before. A layer can have any number of unknown parameters, so that their
// instances are made one before anything is made of them.
func (p *Pass) known(i int, problem *layer.Problem) bool {
	n := &p.Nodes[i]
	if n.Frame == nil {
		return false
	}
	if p.instances == nil {
		p.instances = map[same]int{}
	}
	k := same{problem, n.Component}
	p.instances[k]++
	return p.instances[k] > 1
}

// report notes a finding on a node; -1 is the document as a whole. The finding
// may be changed until the next one is reported.
func (p *Pass) report(node int, format string, args ...any) *found {
	return p.note(node, fmt.Sprintf(format, args...))
}

func (p *Pass) note(node int, message string) *found {
	f := found{node: node, Finding: Finding{Rule: p.rule.ID, Severity: p.rule.Severity, Repeat: 1, Message: message, Fix: p.rule.Fix}}
	if node >= 0 {
		f.Components = []string{p.Nodes[node].ID}
		f.at = p.Nodes[node].Component.Pos
	}
	p.found = append(p.found, f)
	return &p.found[len(p.found)-1]
}

// forward makes findings of what earlier passes reported to the rule: the
// faults of the graph, and the problems of the nodes that keep holds for; nil
// keeps all.
func (p *Pass) forward(keep func(node int) bool) {
	for _, f := range p.Graph.Faults {
		if f.Rule == p.rule.ID {
			fault := p.note(-1, f.Message)
			fault.Components, fault.at = f.Nodes, f.Pos
			fault.advise(f.Fix)
			if f.Near != "" {
				fault.Patch = p.reconnect(f.Pos, f.Near)
			}
		}
	}
	for _, r := range p.problems[p.rule.ID] {
		if keep == nil || keep(r.node) {
			p.problem(r)
		}
	}
}

// problem makes a finding of what was reported.
func (p *Pass) problem(r reported) *found {
	f := p.note(r.node, r.problem.Message)
	f.Repeat = max(1, p.instances[same{r.problem, p.Nodes[r.node].Component}])
	f.advise(r.problem.Fix)
	if written := p.written(r.node, r.problem.Param); written != nil {
		f.at = written.Pos
		if r.problem.Rule == layer.UnknownParam {
			f.at = p.key(written.Pos)
		}
	}
	switch {
	case r.problem.Replace != "":
		f.Patch = p.replace(r.node, r.problem.Param, r.problem.Replace)
	case r.problem.Rule == layer.UnknownParam && !r.problem.Unsure:
		f.Patch = p.rename(r.node, r.problem.Param, r.problem.Rename)
	}
	return f
}

// has reports whether a problem of a node was reported to a rule.
func (p *Pass) has(node int, rule string) bool {
	if p.problems[rule] == nil {
		return false
	}
	is := func(q layer.Problem) bool { return q.Rule == rule }
	n := &p.Nodes[node]
	return slices.ContainsFunc(n.Result.Problems, is) || slices.ContainsFunc(n.Problems, is)
}

// severity is that of a rule, Advice where it is none of those that run.
func (p *Pass) severity(rule string) Severity {
	if p.severe == nil {
		p.severe = make(map[string]Severity, len(p.rules))
		for _, r := range p.rules {
			p.severe[r.ID] = r.Severity
		}
	}
	if s, ok := p.severe[rule]; ok {
		return s
	}
	return Advice
}

// advise gives a finding a fix of its own, as a sentence.
func (f *found) advise(fix string) {
	if fix == "" {
		return
	}
	first, size := utf8.DecodeRuneInString(fix)
	f.Fix = string(unicode.ToUpper(first)) + fix[size:]
	if !strings.HasSuffix(fix, ".") {
		f.Fix += "."
	}
}

// like is what findings of equal layers have in common: the message, and the
// component where a block repeats it, else the Result; faults have a place.
type like struct {
	message   string
	component *graph.Component
	result    *layer.Result
	at        int
}

func (p *Pass) like(f *found) like {
	if f.node < 0 {
		return like{at: f.at}
	}
	n := &p.Nodes[f.node]
	if n.Frame != nil {
		return like{message: f.Message, component: n.Component}
	}
	return like{message: f.Message, result: n.Result}
}

// merge makes one finding of those that equal layers have, and of faults that
// a block has in each of its instances.
func (p *Pass) merge(start int) {
	if len(p.found) == start {
		return
	}
	type patched struct {
		graph.PatchOp
		finding int
	}
	first := map[like]int{}
	seen := map[patched]bool{}
	out := p.found[:start]
	for _, f := range p.found[start:] {
		p.failed = p.failed || f.Severity == Error
		k := p.like(&f)
		at, again := first[k]
		if !again {
			at = len(out)
			first[k] = at
			out = append(out, f)
			out[at].Patch = nil
		} else {
			out[at].Repeat += f.Repeat
		}
		for _, op := range f.Patch {
			if k := (patched{op, at}); !seen[k] {
				seen[k] = true
				out[at].Patch = append(out[at].Patch, op)
			}
		}
	}
	p.found = out
}

// findings is all that was found, in order, with positions.
func (p *Pass) findings() []Finding {
	place := p.places()
	sort.SliceStable(p.found, func(i, j int) bool {
		if a, b := rank[p.found[i].Severity], rank[p.found[j].Severity]; a != b {
			return a < b
		}
		return place(p.found[i].node) < place(p.found[j].node)
	})
	p.locate()
	list := make([]Finding, len(p.found))
	for i := range p.found {
		list[i] = p.found[i].Finding
	}
	return list
}

// places is where nodes stand in the order of the pages.
func (p *Pass) places() func(node int) int {
	if sort.IntsAreSorted(p.Order) {
		return func(node int) int { return node }
	}
	at := make([]int, len(p.Nodes))
	for k, i := range p.Order {
		at[i] = k
	}
	return func(node int) int {
		if node < 0 {
			return node
		}
		return at[node]
	}
}

// locate turns offsets into positions, in one walk over the text.
func (p *Pass) locate() {
	src := p.Graph.Doc.Source
	if src == nil {
		return
	}
	order := make([]int, len(p.found))
	for k := range order {
		order[k] = k
	}
	sort.Slice(order, func(i, j int) bool { return p.found[order[i]].at < p.found[order[j]].at })
	at, pos := 0, graph.Position{File: src.Name, Line: 1, Column: 1}
	for _, k := range order {
		next := min(p.found[k].at, len(src.Text))
		between := src.Text[at:next]
		if lines := strings.Count(between, "\n"); lines > 0 {
			pos.Line += lines
			pos.Column = 1
			between = between[strings.LastIndexByte(between, '\n')+1:]
		}
		pos.Column += utf8.RuneCountInString(between)
		at = next
		p.found[k].Position = pos
	}
}
