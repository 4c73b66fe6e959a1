package page

import (
	"github.com/strata-catalog/strata/generator/catalog"
	"github.com/strata-catalog/strata/generator/cost"
	"github.com/strata-catalog/strata/generator/facts"
)

// An Entry is a template as lists show it.
type Entry struct {
	facts.Totals
	facts.Traits
	Organisation string      `json:"organisation" doc:"who made the model, empty when nobody is named"`
	License      string      `json:"license" doc:"licence of the published weights, an SPDX identifier, empty when not known"`
	Released     string      `json:"released" doc:"release date, YYYY-MM-DD or YYYY-MM, empty when not known"`
	Findings     facts.Tally `json:"findings" doc:"how many findings there are, without those that are accepted"`
	URLs         URLs        `json:"urls" doc:"addresses of the template, from the root of the site"`

	Parts []cost.Part `json:"-"` // by kind of layer
}

// Index is a/index.json, and what a/index.md and the guide for machines list.
type Index struct {
	Schema    string      `json:"schema" doc:"address of this schema"`
	Generator Generator   `json:"generator" doc:"what wrote the file"`
	Count     int         `json:"count" doc:"number of templates"`
	Templates []Entry     `json:"templates" doc:"every template, by id"`
	Diffs     []DiffEntry `json:"diffs" doc:"every pair of templates that has a page on its differences"`

	Base Base `json:"-"`
}

// Generator names the program and its version.
type Generator struct {
	Name    string `json:"name" doc:"name of the program"`
	Version string `json:"version" doc:"its version"`
}

// entry is a template as lists show it.
func (s *Site) entry(e *catalog.Entry) Entry {
	return s.known.entry(e.Sum, func() Entry {
		t := facts.Index(e.Report, e.Published().Parameters)
		t.Description, t.Tags = e.Summary(), e.Tags()
		return Entry{
			Totals: t, Traits: facts.TraitsOf(e.Model), Organisation: e.Organisation(), License: e.License(), Released: e.Released(),
			Findings: facts.Tallied(e.Findings), URLs: s.urls(e), Parts: cost.Parts(e.Model),
		}
	})
}

// entries are the templates of the catalog, by id.
func (s *Site) entries() []Entry {
	list := make([]Entry, len(s.catalog.Entries))
	for i, e := range s.catalog.Entries {
		list[i] = s.entry(e)
	}
	return list
}

func (s *Site) index() (any, error) {
	entries := s.entries()
	diffs, err := s.diffEntries(s.pairs)
	if err != nil {
		return nil, err
	}
	return &Index{
		Schema:    s.schemaURL(IndexSchema),
		Generator: s.generator(),
		Count:     len(entries), Templates: entries, Diffs: diffs,
		Base: Base{Site: s, Path: IndexMarkdown, Title: s.Title, Description: s.Description},
	}, nil
}

func (s *Site) generator() Generator { return Generator{GeneratorName, s.Version} }

// schemaURL is a whole URL with a base URL, else the path from the root.
func (s *Site) schemaURL(path string) string {
	if s.BaseURL == "" {
		return path
	}
	return s.absolute(path)
}

// IndexSchemaOf is the JSON Schema of a/index.json.
func (s *Site) IndexSchemaOf() *facts.Schema {
	return facts.SchemaOf(Index{}, s.schemaURL(IndexSchema), "Index of a catalog of architectures",
		"Every template of the catalog and every diff. Addresses are given from the root of the site.")
}

// TemplateSchemaOf is the JSON Schema of a/<id>.json.
func (s *Site) TemplateSchemaOf() *facts.Schema {
	return facts.SchemaOf(Document{}, s.schemaURL(TemplateSchema), "Analysis of an architecture",
		"Everything that is known of one template. Addresses are given from the root of the site.")
}

// DiffSchemaOf is the JSON Schema of diff/<a>-vs-<b>.json.
func (s *Site) DiffSchemaOf() *facts.Schema {
	return facts.SchemaOf(DiffDocument{}, s.schemaURL(DiffSchema), "Diff of two architectures",
		"What sets two templates apart, row by row, and what each change costs. Addresses are given from the root of the site.")
}

// Guide is llms.txt: what the site has for a reader that is a program.
type Guide struct {
	Base
	Entries []Entry
	Diffs   []DiffEntry // those that somebody wrote about
	Count   int         // of all diffs
	Pages   []Item      // of text
}

func (s *Site) guideNeeds() needs {
	n := append(s.framed(), s.inputs.listed())
	for _, p := range s.catalog.Pages {
		n = append(n, p.File, s.catalog.Sum(p.File))
	}
	return n
}

func (s *Site) guide() (any, error) {
	g := &Guide{Base: Base{Site: s, Path: LLMs, Title: s.Title, Description: s.Description}, Entries: s.entries(), Count: len(s.pairs)}
	var err error
	if g.Diffs, err = s.diffEntries(s.written()); err != nil {
		return nil, err
	}
	for _, p := range s.catalog.Pages {
		g.Pages = append(g.Pages, Item{Text: p.Title, Path: contentPath(p), Note: p.Description})
	}
	return g, nil
}
