// Package catalog holds everything a site is made of: each template with its
// analysis and its note, the pages, the curated diffs, the settings. Load reads
// it from file systems; a Catalog is immutable after that.
//
// One bad file does not stop the others. A template that cannot be read, or
// that has a structural fault, is left out; so is a note, page or diff that
// cannot be read. Problems lists all of that at once, by file, together with
// what must be mended although the rest can be shown: a note that contradicts
// its graph, an accepted finding that is not there.
//
// The package knows no address of the site and makes no markup.
package catalog

import (
	"cmp"
	"slices"
	"strings"

	"github.com/strata-catalog/strata/generator/content"
	"github.com/strata-catalog/strata/generator/pipeline"
	"github.com/strata-catalog/strata/generator/verify"
)

// A Catalog is the input of a site, read and analysed.
type Catalog struct {
	Settings content.Settings
	// SettingsSum is a checksum of the settings as they are written.
	SettingsSum string
	Entries     []*Entry            // by id
	Pages       []*content.Page     // by path
	Diffs       []*content.DiffNote // by ids; both are those of Entries
	Problems    []error             // what was left out, or must be mended: each a *graph.Error, by file

	sums      map[string]string // of the content files, by path as in messages
	relations *relations
}

// Empty is a catalog of no templates.
func Empty(settings content.Settings) *Catalog { return &Catalog{Settings: settings} }

// An Entry is one template.
type Entry struct {
	ID               string        // the folder's name
	File             string        // path of the model.json, for messages
	Note             *content.Note // nil: no content file
	*pipeline.Report               // findings that the note accepts are marked
	// Sum is a checksum of the document and the note: all that an Entry is made
	// of.
	Sum string

	traits *traits
}

// Sum is a checksum of a content file, given by its path as in messages; "" when
// there is no such file.
func (c *Catalog) Sum(file string) string { return c.sums[file] }

// Entry finds a template by its id.
func (c *Catalog) Entry(id string) (*Entry, bool) {
	i, ok := c.place(id)
	if !ok {
		return nil, false
	}
	return c.Entries[i], true
}

func (c *Catalog) place(id string) (int, bool) {
	return slices.BinarySearchFunc(c.Entries, id, func(e *Entry, id string) int { return strings.Compare(e.ID, id) })
}

// Judged is the templates with their findings.
func (c *Catalog) Judged() []verify.Judged {
	list := make([]verify.Judged, len(c.Entries))
	for i, e := range c.Entries {
		list[i] = verify.Judged{ID: e.ID, Findings: e.Findings}
	}
	return list
}

// Accept marks the findings that the note lets stand, and judges anew. An error
// cannot stand: what is drawn cannot run, or its count cannot be trusted. The
// result counts, for each rule that the note names, the findings that stand and
// the errors that cannot.
func (e *Entry) Accept() map[string][2]int {
	if e.Note == nil {
		return nil
	}
	counts := map[string][2]int{}
	for _, a := range e.Note.Accept {
		n := counts[a.Rule]
		for k := range e.Findings {
			f := &e.Findings[k]
			switch {
			case f.Rule != a.Rule:
			case f.Severity == verify.Error:
				n[1]++
			default:
				f.Accepted = cmp.Or(f.Accepted, a.Why)
				n[0]++
			}
		}
		counts[a.Rule] = n
	}
	e.Verdict = verify.Judge(e.Findings)
	return counts
}

// Name is the template's name as pages show it.
func (e *Entry) Name() string {
	if e.Doc.Name != "" {
		return e.Doc.Name
	}
	return e.ID
}

// Summary is the note's line on the model, else the description of the graph.
func (e *Entry) Summary() string {
	if e.Note != nil && e.Note.Summary != "" {
		return e.Note.Summary
	}
	return e.Doc.Description
}

// Tags lists the tags of the note and of the graph, each once.
func (e *Entry) Tags() []string {
	tags := []string{}
	if e.Note != nil {
		tags = append(tags, e.Note.Tags...)
	}
	for _, t := range e.Doc.Tags {
		if !slices.Contains(tags, t) {
			tags = append(tags, t)
		}
	}
	return tags
}

// Organisation is who made the model, as the note says; else the account that
// publishes the checkpoint on the Hugging Face Hub, where the note links to it;
// else "".
func (e *Entry) Organisation() string {
	if e.Note == nil {
		return ""
	}
	if e.Note.Organisation != "" {
		return e.Note.Organisation
	}
	for _, l := range e.Note.Links {
		if path, ok := strings.CutPrefix(l.URL, "https://huggingface.co/"); ok {
			if owner, model, deeper := strings.Cut(path, "/"); deeper && !strings.Contains(model, "/") && !slices.Contains(noAccounts, owner) {
				return owner
			}
		}
	}
	return ""
}

// noAccounts begin addresses of the Hub that are no checkpoint's.
var noAccounts = []string{"docs", "papers", "datasets", "spaces", "blog"}

// License is the licence of the published weights that the note gives, an SPDX
// identifier; "" when it gives none.
func (e *Entry) License() string {
	if e.Note == nil {
		return ""
	}
	return e.Note.License
}

// Released is the release date that the note gives, "" when it gives none.
func (e *Entry) Released() string {
	if e.Note == nil {
		return ""
	}
	return e.Note.Released
}
