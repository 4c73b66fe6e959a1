package page

import (
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/strata-catalog/strata/generator/cost"
	"github.com/strata-catalog/strata/generator/facts"
	"github.com/strata-catalog/strata/generator/layer"
	"github.com/strata-catalog/strata/generator/verify"
)

// Catalog is the page that lists every template.
type Catalog struct {
	Base
	Rows    []Row
	Facets  []Facet
	Columns []CatalogColumn
	Types   []string // what a layer type of the catalog is called, for the search
	Parts   []layer.Part
	Plots   []Plot
	Compare string // where templates are compared, "" when there is one alone
	Most    int    // templates that are compared at most
}

// A CatalogColumn is a column of the list.
type CatalogColumn struct {
	Name   string // in addresses: what the list is sorted by
	Text   string
	Number bool
}

var catalogColumns = []CatalogColumn{
	{"name", "Architecture", false}, {"category", "Category", false}, {"organisation", "Organisation", false},
	{"parameters", "Parameters", true}, {"layers", "Layers", true}, {"macs", "MACs", true},
	{"released", "Released", true}, {"verdict", "Verdict", false},
}

// A Row is a template in the list, with what its script needs. Positions are
// shorter than words, and the page has hundreds of rows.
type Row struct {
	Entry
	Options string // positions of its options, by facet: "1,3.0.2"
	Uses    string // positions of its layer types in the page's Types: "0,4,17"
	Shares  string // percent of the parameters, by position in the page's Parts: "0:8 1:18 2:66"
}

// A Facet is something that the list can be narrowed by.
type Facet struct {
	Name    string // in addresses
	Label   string
	Options []Option
}

// An Option is one value of a facet.
type Option struct {
	Value string // in addresses and on the page
	Count int    // templates that have it
	Under bool   // it is a part of the option above it
}

// none is the option of what has no value.
const none = "none"

// facets declares what the list can be narrowed by, in the order of the page.
// A template has every option that values names. order lists all values there
// may be, in the order to show; without one they come by name.
var facets = []struct {
	name, label string
	order       []string
	values      func(e *Entry) []string
}{
	{"category", "Category", nil, func(e *Entry) []string {
		area, _, deeper := strings.Cut(e.Category, "/")
		switch {
		case e.Category == "":
			return nil
		case deeper:
			return []string{area, e.Category}
		}
		return []string{e.Category}
	}},
	{"attention", "Attention", append(facts.Attention("").Values(), none), func(e *Entry) (list []string) {
		for _, a := range e.Attention {
			list = append(list, string(a))
		}
		if len(list) == 0 {
			return []string{none}
		}
		return list
	}},
	{"density", "Density", facts.Density("").Values(), func(e *Entry) []string { return []string{string(e.Density)} }},
	{"size", "Parameters", facts.Size("").Values(), func(e *Entry) []string { return []string{string(e.Size)} }},
	{"verdict", "Verdict", []string{string(verify.Pass_), string(verify.Advisory), string(verify.Fail)}, func(e *Entry) []string { return []string{string(e.Verdict)} }},
	{"license", "Licence", nil, func(e *Entry) []string {
		if e.License == "" {
			return nil
		}
		return []string{licence(e.License)}
	}},
	{"year", "Year", nil, func(e *Entry) []string {
		year, _, _ := strings.Cut(e.Released, "-")
		if year == "" {
			return nil
		}
		return []string{year}
	}},
}

// licence is how a licence is called: one that has no SPDX identifier by the name
// behind the prefix of its own.
func licence(id string) string {
	if name, ok := strings.CutPrefix(id, "LicenseRef-"); ok {
		return strings.ReplaceAll(name, "-", " ")
	}
	return id
}

func (s *Site) home() (any, error) {
	c := &Catalog{
		Base: Base{
			Site: s, Path: Home, Title: s.Title, Description: s.Description,
			Alternates: []Alternate{{"application/json", "JSON", IndexJSON}, {"text/markdown", "Markdown", IndexMarkdown}},
		},
		Columns: catalogColumns, Parts: layer.Parts,
	}
	if s.has(ComparePath) {
		c.Compare, c.Most = ComparePath, mostCompared
	}
	for _, e := range s.entries() {
		c.Rows = append(c.Rows, Row{Entry: e, Shares: shares(e.Parts, e.Parameters)})
	}
	sort.SliceStable(c.Rows, func(i, j int) bool { return strings.ToLower(c.Rows[i].Name) < strings.ToLower(c.Rows[j].Name) })
	c.narrow()
	c.uses()
	c.Plots = plots(c.Rows)
	return c, nil
}

// narrow makes the facets that tell templates apart, and says what options each
// row has.
func (c *Catalog) narrow() {
	for _, f := range facets {
		counts, values := map[string]int{}, make([][]string, len(c.Rows))
		for i := range c.Rows {
			values[i] = f.values(&c.Rows[i].Entry)
			for _, v := range values[i] {
				counts[v]++
			}
		}
		order := f.order
		if order == nil {
			order = sorted(counts)
		}
		if f.name == "year" {
			slices.Reverse(order)
		}
		facet, places := Facet{Name: f.name, Label: f.label}, map[string]int{}
		for _, v := range order {
			if counts[v] > 0 {
				places[v] = len(facet.Options)
				area, _, deeper := strings.Cut(v, "/")
				facet.Options = append(facet.Options, Option{v, counts[v], deeper && counts[area] > 0})
			}
		}
		if len(facet.Options) < 2 {
			continue
		}
		for i := range c.Rows {
			list := make([]int, len(values[i]))
			for k, v := range values[i] {
				list[k] = places[v]
			}
			if len(c.Facets) > 0 {
				c.Rows[i].Options += "."
			}
			c.Rows[i].Options += positions(list)
		}
		c.Facets = append(c.Facets, facet)
	}
}

// uses says which layer types each row has, and what else they are called.
func (c *Catalog) uses() {
	places := map[string]int{}
	for i := range c.Rows {
		var list []int
		for _, name := range c.Rows[i].LayerTypes {
			place, ok := places[name]
			if !ok {
				place = len(c.Types)
				places[name] = place
				names := []string{name}
				if t, known := layer.Lookup(name); known {
					names = append(append(names, t.Display), t.Also...)
				}
				c.Types = append(c.Types, strings.Join(names, " "))
			}
			list = append(list, place)
		}
		c.Rows[i].Uses = positions(list)
	}
}

// shares writes the parts that have a percent of the parameters or more.
func shares(parts []cost.Part, total int64) string {
	var list []string
	for _, p := range parts {
		if percent := int(100*float64(p.Params)/float64(max(total, 1)) + 0.5); percent > 0 {
			list = append(list, strconv.Itoa(slices.Index(layer.Parts, p.Part))+":"+strconv.Itoa(percent))
		}
	}
	return strings.Join(list, " ")
}

func positions(list []int) string {
	texts := make([]string, len(list))
	for i, n := range list {
		texts[i] = strconv.Itoa(n)
	}
	return strings.Join(texts, ",")
}
