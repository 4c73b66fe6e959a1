package edit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/strata-catalog/strata/generator/facts"
	"github.com/strata-catalog/strata/generator/graph"
	"github.com/strata-catalog/strata/generator/pipeline"
	"github.com/strata-catalog/strata/generator/verify"
)

// A Session is a working copy of one document. It is not safe for concurrent
// use.
type Session struct {
	name     string
	opts     verify.Options
	mark     string // a byte order mark that the original has
	original string
	report   *pipeline.Report
	history  []splice
	done     int // how many of them are done; the others are undone
}

// A splice is one change of the text: what stood at an offset, and what stands
// there now.
type splice struct {
	words    string
	at       int
	old, new string
}

// A Result is what a change did.
type Result struct {
	Done       string          `json:"done" doc:"what was done, in words"`
	Verdict    verify.Verdict  `json:"verdict" enum:"pass,advisory,fail" doc:"fail with any error, advisory with any warning, else pass"`
	Summary    string          `json:"summary" doc:"the verdict in one sentence"`
	Parameters int64           `json:"parameters" doc:"learned elements, every distinct tensor once"`
	New        []facts.Finding `json:"new" doc:"findings that were not there before"`
	Gone       []facts.Finding `json:"gone" doc:"findings that are no more"`

	Before *pipeline.Report `json:"-"`
	After  *pipeline.Report `json:"-"`
}

// Patch is the JSON Patch that does the same to the document as it was.
func (r *Result) Patch() []graph.PatchOp {
	return Difference(r.Before.Doc.Source.Text, r.After.Doc.Source.Text)
}

// Effects are what the change costs whoever has trained weights.
func (r *Result) Effects() *Effects { return Compare(r.Before, r.After) }

// Open makes a working copy of a document. name stands in messages. The error,
// a *graph.Error, says that the document is unreadable.
func Open(name string, src []byte, opts verify.Options) (*Session, error) {
	const mark = "\ufeff"
	s := &Session{name: name, opts: opts}
	s.original = string(src)
	if rest, ok := strings.CutPrefix(s.original, mark); ok {
		s.mark, s.original = mark, rest
	}
	var err error
	s.report, err = s.analyse(s.original)
	return s, err
}

func (s *Session) analyse(text string) (*pipeline.Report, error) {
	doc, err := graph.Decode(s.name, []byte(text))
	if err != nil {
		return nil, err
	}
	return pipeline.Analyse(doc, s.opts)
}

// Text is the document as it is now.
func (s *Session) Text() []byte { return []byte(s.mark + s.text()) }

func (s *Session) text() string { return s.report.Doc.Source.Text }

// Report is what is known of the document as it is now.
func (s *Session) Report() *pipeline.Report { return s.report }

// Changed reports whether the document is another than the original.
func (s *Session) Changed() bool { return s.text() != s.original }

// Apply does an operation by its name. params is a JSON object.
func (s *Session) Apply(name string, params []byte) (*Result, error) {
	o, err := Lookup(name)
	if err != nil {
		return nil, err
	}
	c, err := o.Decode(params)
	if err != nil {
		return nil, err
	}
	return s.Do(c)
}

// Do does a change. After an error nothing has changed.
func (s *Session) Do(c Change) (*Result, error) {
	r, err := s.Try(c)
	if err != nil {
		return nil, err
	}
	s.become(r)
	return r, nil
}

// Try is what a change would do. The session stays as it is.
func (s *Session) Try(c Change) (*Result, error) {
	d := &draft{doc: s.report.Doc, report: s.report, opts: s.opts}
	words, err := c.draft(d)
	if err != nil {
		return nil, err
	}
	text := ""
	if d.text != nil {
		text = *d.text
	} else if text, err = graph.Patch(s.text(), d.ops()); err != nil {
		return nil, err
	}
	after, err := s.mirrored(text)
	if err != nil {
		return nil, fmt.Errorf("nothing was changed, since the document would be unreadable: %w", err)
	}
	return Between(words, s.report, after), nil
}

// mirrored analyses a text, after it has brought the outputs of its components
// in line with the edges.
func (s *Session) mirrored(text string) (*pipeline.Report, error) {
	doc, err := graph.Decode(s.name, []byte(text))
	if err != nil {
		return nil, err
	}
	if ops := outputs(s.report.Doc, doc); len(ops) > 0 {
		if text, err = graph.Patch(text, ops); err != nil {
			return nil, err
		}
		return s.analyse(text)
	}
	return pipeline.Analyse(doc, s.opts)
}

// Set replaces the whole text, as one change. The error, a *graph.Error, says
// that it is unreadable; then nothing has changed.
func (s *Session) Set(words string, src []byte) (*Result, error) {
	after, err := s.analyse(strings.TrimPrefix(string(src), "\ufeff"))
	if err != nil {
		return nil, err
	}
	r := Between(words, s.report, after)
	s.become(r)
	return r, nil
}

// become makes what a change has made the present document.
func (s *Session) become(r *Result) {
	s.history = append(s.history[:s.done], spliced(r.Done, s.text(), r.After.Doc.Source.Text))
	s.done++
	s.report = r.After
}

// Clone is a session of its own in the same state.
func (s *Session) Clone() *Session {
	c := *s
	c.history = slices.Clone(s.history)
	return &c
}

// Undo takes the last change back.
func (s *Session) Undo() (*Result, error) {
	if s.done == 0 {
		return nil, fmt.Errorf("nothing to undo")
	}
	h := &s.history[s.done-1]
	return s.move(-1, "undone: "+h.words, h.at, h.new, h.old)
}

// Redo does again what was undone last.
func (s *Session) Redo() (*Result, error) {
	if s.done == len(s.history) {
		return nil, fmt.Errorf("nothing to redo")
	}
	h := &s.history[s.done]
	return s.move(+1, "done again: "+h.words, h.at, h.old, h.new)
}

func (s *Session) move(by int, words string, at int, old, new string) (*Result, error) {
	text := s.text()
	after, err := s.analyse(text[:at] + new + text[at+len(old):])
	if err != nil {
		return nil, err
	}
	before := s.report
	s.done += by
	s.report = after
	return Between(words, before, after), nil
}

// History lists what was done, the oldest first, and how much of it is not
// undone.
func (s *Session) History() (words []string, done int) {
	for _, h := range s.history {
		words = append(words, h.words)
	}
	return words, s.done
}

// Patch is the JSON Patch that makes the present document of the original.
func (s *Session) Patch() []graph.PatchOp { return Difference(s.original, s.text()) }

// spliced finds the part in which two texts differ.
func spliced(words, a, b string) splice {
	start := 0
	for start < min(len(a), len(b)) && a[start] == b[start] {
		start++
	}
	end := 0
	for end < min(len(a), len(b))-start && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	return splice{words, start, strings.Clone(a[start : len(a)-end]), strings.Clone(b[start : len(b)-end])}
}

// Between says what became of the findings between two states of a document.
func Between(words string, before, after *pipeline.Report) *Result {
	check := facts.Checked(after)
	r := &Result{
		Done: words, Verdict: check.Verdict, Summary: check.Summary, Parameters: check.Parameters,
		Before: before, After: after,
	}
	r.New, r.Gone = facts.Findings(without(after.Findings, before.Findings)), facts.Findings(without(before.Findings, after.Findings))
	return r
}

// without are the findings of a list that another lacks. A finding is known by
// what it says and of what; where it stands may change.
func without(list, other []verify.Finding) (out []verify.Finding) {
	key := func(f verify.Finding) string {
		return fmt.Sprint(f.Rule, f.Severity, f.Components, f.Repeat, f.Message)
	}
	count := map[string]int{}
	for _, f := range other {
		count[key(f)]++
	}
	for _, f := range list {
		if k := key(f); count[k] > 0 {
			count[k]--
		} else {
			out = append(out, f)
		}
	}
	return out
}
