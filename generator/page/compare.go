package page

import "github.com/strata-catalog/strata/generator/layer"

// compareQuery begins what stands behind the address of the page that compares
// templates: their ids, with a comma between two.
const compareQuery = "?t="

// Compare is the page that sets templates side by side.
type Compare struct {
	Base
	Index string // the list of all templates for the script
	Most  int    // templates side by side
	Diffs string // the table of diffs, "" when the site has none
	Parts []layer.Part
}

// mostCompared is how many templates stand side by side at most.
const mostCompared = 4

func (s *Site) comparison() (any, error) {
	c := &Compare{
		Base: Base{
			Site: s, Path: ComparePath, Title: "Compare",
			Description: "Two to four architectures side by side: facts, memory, diagrams and structure.",
		},
		Index: IndexJSON, Most: mostCompared, Parts: layer.Parts,
	}
	if s.has(DiffsPath) {
		c.Diffs = DiffsPath
	}
	return c, nil
}

// CompareURL is where a template is compared with others, as a link on its
// page; "" when the site has no others.
func (t *Template) CompareURL() string {
	if !t.Site.has(ComparePath) {
		return ""
	}
	return t.URL(ComparePath) + compareQuery + t.Data.ID
}
