package page

import (
	"slices"
	"strings"
)

// An Ask is what a program can ask about graphs, beside the files of the site.
type Ask struct {
	Text string // what for
	Code string // the command, or the request
	Note string // what to know
}

// DeveloperPath is the page of text that tells how to ask; a site need not have
// it.
const DeveloperPath = "developer.html"

// asks lists what can be asked about the models of a page, by the command that
// checks them, one that plans or compares them, the API and the MCP server.
func (s *Site) asks(commands ...Ask) []Ask {
	api, note := strings.TrimSuffix(s.catalog.Settings.APIURL, "/"), ""
	if api == "" {
		note = "to strata api, or to strata serve --api"
	}
	return append(commands, []Ask{
		{"Check a graph of your own", "POST " + api + "/api/v1/check", note},
		{"Plan one: memory, fit, cost, and the diff from a base", "POST " + api + "/api/v1/plan", note},
		{"MCP server, so that an agent edits a graph with the checks in the loop", "strata mcp", ""},
	}...)
}

// howToAsk is the page that tells how, where the site has one in its menu.
func (s *Site) howToAsk() []Item {
	if !slices.ContainsFunc(s.Menu, func(i Item) bool { return i.Path == DeveloperPath }) {
		return nil
	}
	return []Item{{"How to ask", DeveloperPath, "keys, command line, API, MCP, continuous integration"}}
}
