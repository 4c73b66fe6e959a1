// Package sarif writes what is found in graph documents as a SARIF log, the
// Static Analysis Results Interchange Format 2.1.0 of OASIS, which code hosts
// and editors show beside the lines concerned.
//
// Of makes one log of all documents. Its rules are those of package verify and
// the lines of policies; what was found is a result, and a document that cannot be read is a
// notification of the run.
package sarif

import (
	"errors"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/strata-catalog/strata/generator/graph"
	"github.com/strata-catalog/strata/generator/policy"
	"github.com/strata-catalog/strata/generator/verify"
)

// Schema is the address of the schema of SARIF 2.1.0.
const Schema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

// home is where the program comes from.
const home = "https://github.com/strata-catalog/strata"

// StandardInput is the name of a document that was read from standard input.
const StandardInput = "-"

// A Document is one graph document and what became of it.
type Document struct {
	File     string // its path, or StandardInput
	Findings []verify.Finding
	Err      error // why it cannot be read, nil where it can
}

// Of is the log of some documents, which the given version of the program has
// looked at.
func Of(version string, documents []Document) *Log {
	run := Run{
		Tool:        Tool{Driver{Name: "strata", Version: version, InformationURI: home, Rules: rules()}},
		Invocations: []Invocation{{ExecutionSuccessful: true, Notifications: []Notification{}}},
		ColumnKind:  "unicodeCodePoints",
		Results:     []Result{},
	}
	index := map[string]int{}
	for i, r := range run.Tool.Driver.Rules {
		index[r.ID] = i
	}
	for _, d := range documents {
		if d.Err != nil {
			run.Invocations[0].ExecutionSuccessful = false
			run.Invocations[0].Notifications = append(run.Invocations[0].Notifications, unreadable(d))
			continue
		}
		for _, f := range d.Findings {
			run.Results = append(run.Results, result(d.File, f, index[f.Rule]))
		}
	}
	return &Log{Schema: Schema, Version: "2.1.0", Runs: []Run{run}}
}

// levels are the severities in SARIF's words.
var levels = map[verify.Severity]string{verify.Error: "error", verify.Warning: "warning", verify.Advice: "note"}

func rules() []Rule {
	var list []Rule
	for _, r := range verify.All {
		list = append(list, Rule{
			ID: r.ID, Short: Message{r.Title}, Full: Message{r.Trigger}, Help: Message{r.Why + " " + r.Fix}, HelpURI: r.Source,
			Default: Configuration{levels[r.Severity]}, Properties: Properties{Tags: []string{string(r.Group)}},
		})
	}
	for _, l := range policy.Lines {
		if !l.Setting() {
			list = append(list, Rule{
				ID: l.Key, Short: Message{"The line " + l.Key + " of the policy"}, Full: Message{"The policy says: " + l.Doc + "."},
				Help: Message{"Change the model, or the line of the policy."}, HelpURI: home, Default: Configuration{levels[verify.Error]}, Properties: Properties{Tags: []string{"Policy"}},
			})
		}
	}
	return list
}

func result(file string, f verify.Finding, rule int) Result {
	r := Result{
		RuleID: f.Rule, RuleIndex: rule, Level: levels[f.Severity], Message: Message{message(f)},
		Locations: []Location{{Physical: place(file, f.Position)}},
	}
	for _, id := range f.Components {
		r.Locations[0].Logical = append(r.Locations[0].Logical, Logical{Name: id, Kind: "object"})
	}
	if f.Accepted != "" {
		r.Suppressions = []Suppression{{Kind: "external", Justification: f.Accepted}}
	}
	return r
}

// message says what was found, where it repeats, and what to do.
func message(f verify.Finding) string {
	var b strings.Builder
	if len(f.Components) > 0 {
		b.WriteString(f.Components[0])
		if more := len(f.Components) - 1; more > 0 {
			b.WriteString(" and " + strconv.Itoa(more) + " more")
		}
		if f.Repeat > 1 {
			b.WriteString(" ×" + strconv.Itoa(f.Repeat))
		}
		b.WriteString(": ")
	}
	b.WriteString(f.Message + ".")
	if f.Fix != "" {
		b.WriteString(" " + f.Fix)
	}
	return b.String()
}

// unreadable says why a document cannot be read, and where that is.
func unreadable(d Document) Notification {
	n := Notification{Level: "error", Message: Message{d.Err.Error()}}
	var at graph.Position
	var e *graph.Error
	if errors.As(d.Err, &e) {
		at, n.Message.Text = e.Position, e.Msg
		if e.Path != "" {
			n.Message.Text = e.Path + ": " + e.Msg
		}
	}
	n.Locations = []Location{{Physical: place(d.File, at)}}
	return n
}

// place is a position in a file.
func place(file string, at graph.Position) Physical {
	p := Physical{Artifact: artifact(file)}
	if at.Line > 0 {
		p.Region = &Region{at.Line, at.Column}
	}
	return p
}

// artifact is a file by its address: relative to the working folder, as a
// relative path was given, else absolute.
func artifact(file string) Artifact {
	if file == StandardInput {
		return Artifact{URI: StandardInput, Description: &Message{"standard input"}}
	}
	path := filepath.ToSlash(filepath.Clean(file))
	switch {
	case strings.HasPrefix(path, "/"):
		return Artifact{URI: (&url.URL{Scheme: "file", Path: path}).String()}
	case filepath.IsAbs(file):
		return Artifact{URI: (&url.URL{Scheme: "file", Path: "/" + path}).String()}
	}
	return Artifact{URI: (&url.URL{Path: path}).String()}
}
