package page

import (
	"fmt"
	"slices"
	"strings"

	"github.com/strata-catalog/strata/generator/catalog"
	"github.com/strata-catalog/strata/generator/content"
	"github.com/strata-catalog/strata/generator/diff"
	"github.com/strata-catalog/strata/generator/facts"
)

// A DiffEntry is a pair of templates as lists show it.
type DiffEntry struct {
	facts.Difference
	Story string   `json:"story" doc:"what the diff shows, empty when nobody wrote about it"`
	URLs  DiffURLs `json:"urls" doc:"addresses of the diff, from the root of the site"`

	Title  string `json:"-"` // both names
	Params Cell   `json:"-"` // ParametersDelta as tables show it
	Layers string `json:"-"` // LayersDelta likewise
}

// title is a pair by its names, as on its page.
func title(p *pair) string {
	side := func(e *catalog.Entry) diff.Side { return diff.Side{Subject: diff.Subject{ID: e.ID, Name: e.Name()}} }
	d := diff.Diff{A: side(p.A), B: side(p.B)}
	a, b := d.Names()
	return a + " vs " + b
}

// A pair is two templates that have a diff. What lists show of it is kept, the
// diff itself is not.
type pair struct {
	catalog.Pair
	urls DiffURLs
	key  string // see pairKey
}

// text is what somebody wrote about the pair.
func (p *pair) text() prose {
	n := p.Note
	return prose{p.urls.HTML, content.Options{File: n.File, Line: n.BodyLine, Prefix: notesPrefix}, n.Body, diffIDs}
}

// planPairs finds the diffs. The error names a pair whose address another one
// has.
func (s *Site) planPairs() error {
	pairs := s.catalog.Pairs()
	before := s.known.planned(s)
	s.pairOf, s.writtenOf = make(map[[2]*catalog.Entry]*pair, len(pairs)), map[*catalog.Entry][]*pair{}
	taken := make(map[string]bool, len(pairs))
	for _, p := range pairs {
		q := before[key(p.A, p.B)]
		if q == nil || q.Note != nil || p.Note != nil {
			q = &pair{Pair: p, urls: diffURLs(p.A.ID, p.B.ID), key: s.pairKey(p)}
		}
		if taken[q.urls.HTML] {
			return fmt.Errorf("the diff of %s and %s would become %s, which the site has already; rename a template", p.A.ID, p.B.ID, q.urls.HTML)
		}
		taken[q.urls.HTML] = true
		s.pairs = append(s.pairs, q)
		s.pairOf[key(p.A, p.B)] = q
		if p.Note != nil {
			s.writtenOf[p.A] = append(s.writtenOf[p.A], q)
			s.writtenOf[p.B] = append(s.writtenOf[p.B], q)
		}
	}
	return nil
}

// modelPages adds the diffs and the templates, relatives near one another, and
// a template after its last diff: it lists their headlines, and no page after it
// needs what they share.
func (s *Site) modelPages(add adder) {
	order := s.catalog.Kindred()
	place, last := make(map[*catalog.Entry]int, len(order)), make(map[*catalog.Entry]int, len(order))
	for i, e := range order {
		place[e], last[e] = i, i
	}
	pairs, templates := make([][]*pair, len(order)), make([][]*catalog.Entry, len(order)) // by when they can be made
	for _, p := range s.pairs {
		at := max(place[p.A], place[p.B])
		pairs[at] = append(pairs[at], p)
		last[p.A], last[p.B] = max(last[p.A], at), max(last[p.B], at)
	}
	for _, e := range order {
		templates[last[e]] = append(templates[last[e]], e)
	}
	for at := range order {
		for _, p := range pairs[at] {
			s.diffPage(add, p)
		}
		for _, e := range templates[at] {
			s.templatePage(add, e)
		}
	}
	if len(s.pairs) > 0 {
		add(DiffsPath, s.diffIndex, func() needs { return append(s.framed(), s.inputs.listed()) })
	}
}

func (s *Site) diffPage(add adder, p *pair) {
	s.shared[p.A].left.Add(1)
	s.shared[p.B].left.Add(1)
	added := add(p.urls.HTML, func() (any, error) { return s.diff(p) }, func() needs { return s.pairNeeds(p) }, p.urls.Markdown, p.urls.JSON)
	if p.Note != nil {
		added.Check = func() error { return s.checked(p.text()) }
	}
}

// key is of two templates in either order.
func key(a, b *catalog.Entry) [2]*catalog.Entry {
	if a.ID > b.ID {
		a, b = b, a
	}
	return [2]*catalog.Entry{a, b}
}

// compare makes the diff of a pair, and keeps what lists show of it.
func (s *Site) compare(p *pair) (*diff.Diff, error) {
	d, err := s.compared(p.A, p.B)
	if err == nil {
		s.known.setPair(p.key, facts.Listed(d))
	}
	return d, err
}

func (s *Site) compared(of, with *catalog.Entry) (*diff.Diff, error) {
	a, err := s.subject(of)
	if err != nil {
		return nil, err
	}
	b, err := s.subject(with)
	if err != nil {
		return nil, err
	}
	return diff.Compare(a, b), nil
}

// diffEntry is a pair as lists show it. Lists come after the diffs among the
// pages, so that as a rule none is made for a list alone.
func (s *Site) diffEntry(p *pair) (DiffEntry, error) {
	listed, ok := s.known.pair(p.key)
	if !ok {
		compared, err := s.compare(p)
		if err != nil {
			return DiffEntry{}, err
		}
		listed = facts.Listed(compared)
	}
	e := DiffEntry{Difference: listed, URLs: p.urls, Title: title(p)}
	e.Params, e.Layers = bounded(signed(e.ParametersDelta), e.ParametersBound), signed(int64(e.LayersDelta)).Text
	if p.Note != nil {
		e.Story = p.Note.Story
	}
	return e, nil
}

// diffEntries are pairs as lists show them.
func (s *Site) diffEntries(pairs []*pair) ([]DiffEntry, error) {
	list := make([]DiffEntry, len(pairs))
	for k, p := range pairs {
		var err error
		if list[k], err = s.diffEntry(p); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// related lists the diffs of a template.
func (s *Site) related(e *catalog.Entry) ([]DiffEntry, error) {
	return s.diffEntries(s.relatedPairs(e))
}

// relatedPairs are those written up, then those with the nearest relatives, the
// nearest first.
func (s *Site) relatedPairs(e *catalog.Entry) []*pair {
	list := slices.Clone(s.writtenOf[e])
	for _, o := range s.catalog.Relatives(e, s.catalog.Settings.Relatives) {
		if p := s.pairOf[key(e, o)]; p != nil && p.Note == nil {
			list = append(list, p)
		}
	}
	return list
}

// written lists the pairs that somebody wrote about.
func (s *Site) written() (list []*pair) {
	for _, p := range s.pairs {
		if p.Note != nil {
			list = append(list, p)
		}
	}
	return list
}

func (s *Site) diff(p *pair) (any, error) {
	defer s.shared[p.A].done()
	defer s.shared[p.B].done()
	compared, err := s.compare(p)
	if err != nil {
		return nil, err
	}
	d := NewDiff(facts.Compared(compared), s.catalog.Settings.GPUs)
	u := p.urls
	d.Base = Base{
		Site: s, Path: u.HTML, Title: d.Title, Description: d.Description,
		Alternates: []Alternate{{"text/markdown", "Markdown", u.Markdown}, {"application/json", "JSON", u.JSON}},
	}
	d.Pictures = s.pictures(p, compared)
	graphs := GraphPaths{TemplateURLs(p.A.ID).Graph, TemplateURLs(p.B.ID).Graph}
	d.Data.Schema, d.Data.URLs, d.Data.Graphs = s.schemaURL(DiffSchema), u, &graphs
	d.Templates = []Item{{Text: d.Data.NameA, Path: TemplateURLs(p.A.ID).HTML}, {Text: d.Data.NameB, Path: TemplateURLs(p.B.ID).HTML}}
	d.Graphs = []Item{
		{d.Data.NameA, graphs.A, ""},
		{d.Data.NameB, graphs.B, ""},
	}
	d.Machine = append([]Item{
		{"This diff as Markdown", u.Markdown, ""},
		{"This diff as JSON", u.JSON, "every row, fold and line of the bill"},
		{"JSON Schema of this diff", DiffSchema, ""},
		{"Every architecture and every diff as JSON", IndexJSON, ""},
		{"Guide for language models", LLMs, ""},
	}, s.howToAsk()...)
	d.Asks = s.asks(Ask{"Compare them on the command line", "strata diff " + p.A.ID + " " + p.B.ID, ""})
	if p.Note == nil {
		return d, nil
	}
	d.Story, d.Data.Story = p.Note.Story, p.Note.Story
	d.Markdown = s.relink(&d.Base, strings.TrimSpace(p.Note.Body))
	d.Body, err = s.body(&d.Base, p.text())
	return d, err
}

// Diffs is the page to choose a diff from.
type Diffs struct {
	Base
	Count     int         // of pairs
	Written   []DiffEntry // those that somebody wrote about
	Templates []DiffsOf   // by name
}

// DiffsOf are the diffs of one template.
type DiffsOf struct {
	Name  string
	Path  string // of the template
	Diffs []DiffWith
}

// A DiffWith is a diff of a template with another one.
type DiffWith struct {
	Name     string // of the other
	Path     string
	Headline string
	Params   string // that the other has more
}

func (s *Site) diffIndex() (any, error) {
	d := &Diffs{
		Base:  Base{Site: s, Path: DiffsPath, Title: "Diffs", Description: "Pairs of architectures, compared row by row and by what each change costs."},
		Count: len(s.pairs),
	}
	var err error
	if d.Written, err = s.diffEntries(s.written()); err != nil {
		return nil, err
	}
	of := map[*catalog.Entry][]DiffWith{}
	for _, p := range s.pairs {
		e, err := s.diffEntry(p)
		if err != nil {
			return nil, err
		}
		of[p.A] = append(of[p.A], DiffWith{p.B.Name(), p.urls.HTML, e.Headline, bounded(signed(e.ParametersDelta), e.ParametersBound).Text})
		of[p.B] = append(of[p.B], DiffWith{p.A.Name(), p.urls.HTML, e.Headline, bounded(signed(-e.ParametersDelta), e.ParametersBound.Back()).Text})
	}
	for _, e := range s.catalog.Entries {
		if list := of[e]; list != nil {
			slices.SortStableFunc(list, func(a, b DiffWith) int { return byName(a.Name, b.Name) })
			d.Templates = append(d.Templates, DiffsOf{e.Name(), TemplateURLs(e.ID).HTML, list})
		}
	}
	slices.SortStableFunc(d.Templates, func(a, b DiffsOf) int { return byName(a.Name, b.Name) })
	return d, nil
}

func byName(a, b string) int { return strings.Compare(strings.ToLower(a), strings.ToLower(b)) }
