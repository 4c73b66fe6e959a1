package page

import (
	"errors"
	"fmt"
	"net/url"
	"sort"
	"strings"
	"sync"

	"github.com/strata-catalog/strata/generator/catalog"
	"github.com/strata-catalog/strata/generator/content"
	"github.com/strata-catalog/strata/generator/cost"
	"github.com/strata-catalog/strata/generator/layer"
	"github.com/strata-catalog/strata/generator/schema"
)

// A Site is a catalog as pages. It is immutable and safe for concurrent use.
type Site struct {
	Title       string
	Description string
	Language    string // of the texts, as in HTML
	Author      string // "" when nobody is named
	SourceURL   string // where templates and texts are kept, "" when not known
	BaseURL     string // where the site is published: ends in a slash, or is ""
	Version     string // of the generator
	Cards       bool   // each template has a social card
	Menu        []Item // beside the catalog itself

	catalog     *catalog.Catalog
	assumptions cost.Assumptions // of every estimate
	files       map[string]int   // every address of the site, with the place of its page in pages
	pages       []Page
	shared      map[*catalog.Entry]*shared
	pairs       []*pair                     // that have a diff
	pairOf      map[[2]*catalog.Entry]*pair // in the order of ids
	users       func() map[string][]Item    // the templates by the layer types that they use
	writtenOf   map[*catalog.Entry][]*pair
	inputs      inputs
	known       *Known
}

// An Item is an entry of a menu or a list of links.
type Item struct {
	Text string // of the link
	Path string // from the root of the site, or a whole URL
	Note string // what stands there, "" when the text says it
}

// A Page is one address with its data. Some data make more than one file.
type Page struct {
	Path  string   // from the root of the site
	Files []string // all that are made of it, Path among them
	// Key stands for all that the page is made of, but for the program and the
	// theme: pages with the same Key are the same.
	Key func() string
	// Data makes what stands on the page, a pointer to one of this package's
	// structs. What it returns is whole even with an error, which reports
	// links that lead nowhere, left out of the page.
	Data func() (any, error)
	// Check reports the links that lead nowhere, without making the page where
	// there are none. Nil: the page has no text that could have one.
	Check func() error
}

// Options are what a site needs beside its catalog.
type Options struct {
	BaseURL string // where it is published; "" takes that of the catalog's settings
	Version string // of the generator
	Cards   bool   // draw a social card for each template
	Known   *Known // of a Site before this one; nil: nothing
	// Workbench says that the theme has the program that checks graphs in the
	// browser: the site gets a page for it.
	Workbench bool
}

// New plans the pages of a catalog. The error joins what is wrong with the
// settings, and the content pages at an address that something else has.
func New(c *catalog.Catalog, o Options) (*Site, error) {
	base, err1 := baseURL(o.BaseURL, c.Settings.BaseURL)
	assumptions, err2 := c.Assumptions()
	s := &Site{
		Title: c.Settings.Title, Description: c.Settings.Description, Language: c.Settings.Language,
		Author: c.Settings.Author, SourceURL: c.Settings.CatalogURL, BaseURL: base, Version: o.Version, Cards: o.Cards,
		catalog: c, assumptions: assumptions, files: make(map[string]int, 20*len(c.Entries)), // about as many
	}
	s.files[BuildPath] = noPage
	if s.known = o.Known; s.known == nil {
		s.known = &Known{}
	}
	s.share(c.Entries)
	s.users = sync.OnceValue(s.findUsers)
	s.prepare()
	err3 := s.planPages(o.Workbench)
	s.known.begin(s)
	s.Menu = append(s.references(), menu(c.Pages)...)
	return s, errors.Join(err1, err2, err3)
}

// baseURL is the address that a site is published at, with a slash at its end.
func baseURL(given, setting string) (string, error) {
	base := given
	if base == "" {
		base = setting
	}
	if base == "" {
		return "", nil
	}
	u, err := url.Parse(base)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
		return "", fmt.Errorf("base URL is %q, expected an address such as https://example.org/catalog/", base)
	}
	return strings.TrimSuffix(u.String(), "/") + "/", nil
}

// references are the entries of the menu for what is made of the catalog and of
// the declarations.
func (s *Site) references() (items []Item) {
	if s.has(DiffsPath) {
		items = append(items, Item{Text: "Diffs", Path: DiffsPath})
	}
	if s.has(ComparePath) {
		items = append(items, Item{Text: "Compare", Path: ComparePath})
	}
	if s.has(WorkbenchPath) {
		items = append(items, Item{Text: "Workbench", Path: WorkbenchPath})
	}
	return append(items, Item{Text: "Layers", Path: LayersPath}, Item{Text: "Rules", Path: RulesPath})
}

func menu(pages []*content.Page) []Item {
	var listed []*content.Page
	for _, p := range pages {
		if p.Menu > 0 {
			listed = append(listed, p)
		}
	}
	sort.SliceStable(listed, func(i, j int) bool { return listed[i].Menu < listed[j].Menu })
	items := make([]Item, len(listed))
	for i, p := range listed {
		items[i] = Item{Text: p.Title, Path: contentPath(p)}
	}
	return items
}

// adder adds a page: its address, its data, what they are made of, and the other
// files that come of them.
type adder func(path string, data func() (any, error), needs func() needs, more ...string) *Page

// noPage is the place of a file that comes of no page.
const noPage = -1

// planPages lists every page, and every address.
func (s *Site) planPages(workbench bool) error {
	add := func(path string, data func() (any, error), needs func() needs, more ...string) *Page {
		s.pages = append(s.pages, Page{Path: path, Files: append(more, path), Key: func() string { return needs().key() }, Data: data})
		added := &s.pages[len(s.pages)-1]
		for _, file := range added.Files {
			s.files[file] = len(s.pages) - 1
		}
		return added
	}
	with := func(input *func() string) func() needs {
		return func() needs { return append(s.framed(), (*input)()) }
	}
	err := s.planPairs()
	s.pages = make([]Page, 0, len(s.pairs)+len(s.catalog.Entries)+len(s.catalog.Pages)+200) // about as many
	if workbench {
		s.workbench(add)
	}
	s.modelPages(add)
	s.layerPages(add)
	add(RulesPath, s.rules, with(&s.inputs.judged))
	add(Home, s.home, with(&s.inputs.entries))
	if len(s.catalog.Entries) > 1 {
		add(ComparePath, s.comparison, s.framed)
	}
	add(IndexJSON, s.index, with(&s.inputs.listed), IndexMarkdown, IndexSchema, TemplateSchema, DiffSchema)
	add(GraphSchema, s.schemaText(GraphSchema, schema.Graph), s.framed)
	add(PolicySchema, s.schemaText(PolicySchema, schema.Policy), s.framed)
	add(LLMs, s.guide, s.guideNeeds)
	add(SiteMap, s.siteMap, with(&s.inputs.addresses))
	add(FeedPath, s.feed, with(&s.inputs.entries))
	add(Robots, s.robots, s.framed)
	add(NotFoundPath, s.notFound, s.framed)
	add(HeadersPath, s.headers, s.framed)
	add(NoJekyll, func() (any, error) { return &Text{Path: NoJekyll}, nil }, s.framed)
	return errors.Join(err, s.contentPages(add))
}

// Pages lists every page. Diffs and templates come first, since lists show
// headlines of diffs, and they are most of the work.
func (s *Site) Pages() []Page { return s.pages }

// Has reports whether a file is part of the site.
func (s *Site) Has(path string) bool { return s.has(path) || strings.HasPrefix(path, AssetFolder) }

func (s *Site) has(path string) bool { _, ok := s.files[path]; return ok }

// Of is the page that a file is made of; ok is false where there is none.
func (s *Site) Of(file string) (p Page, ok bool) {
	at, ok := s.files[file]
	if !ok || at == noPage {
		return Page{}, false
	}
	return s.pages[at], true
}

// Samples are pages of each kind that a theme has a layout for, but for lists of
// everything, which take long to make: one of each kind.
func (s *Site) Samples() (list []Page) {
	add := func(path string) {
		if p, ok := s.Of(path); ok {
			list = append(list, p)
		}
	}
	for _, path := range []string{ComparePath, LayersPath, LayerPath(layer.All[0].Name), RulesPath, NotFoundPath} {
		add(path)
	}
	if len(s.catalog.Entries) > 0 {
		add(TemplateURLs(s.catalog.Entries[0].ID).HTML)
	}
	if len(s.pairs) > 0 {
		add(s.pairs[0].urls.HTML)
	}
	if len(s.catalog.Pages) > 0 {
		add(contentPath(s.catalog.Pages[0]))
	}
	return list
}

// sorted lists the keys of a map in order.
func sorted[V any](m map[string]V) []string {
	list := make([]string, 0, len(m))
	for k := range m {
		list = append(list, k)
	}
	sort.Strings(list)
	return list
}
