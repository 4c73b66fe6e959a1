package page

import (
	"net/url"
	"strings"
)

// GeneratorName is the name of the program in what it publishes.
const GeneratorName = "strata"

// Addresses that do not depend on the catalog, from the root of the site.
const (
	Home           = "index.html"
	IndexJSON      = "a/index.json"
	IndexMarkdown  = "a/index.md"
	IndexSchema    = "schema/index-v1.json"
	TemplateSchema = "schema/template-v1.json"
	DiffSchema     = "schema/diff-v1.json"
	DiffsPath      = "diff/index.html"
	ComparePath    = "compare.html"
	LLMs           = "llms.txt"
	SiteMap        = "sitemap.xml"
	FeedPath       = "feed.xml"
	Robots         = "robots.txt"
	NotFoundPath   = "404.html"
	NoJekyll       = ".nojekyll"
	HeadersPath    = "_headers"
	BuildPath      = "build.json"
	AssetFolder    = "assets/"
)

// URLs are the addresses of a template, from the root of the site.
type URLs struct {
	HTML     string `json:"html" doc:"the page"`
	Markdown string `json:"markdown" doc:"the same in Markdown"`
	JSON     string `json:"json" doc:"the whole analysis"`
	Graph    string `json:"graph" doc:"the graph document, flat and fully expanded"`
	// Diagram is nil for a model that cannot be drawn.
	Diagram *string `json:"diagram" doc:"the model as a picture, SVG; null when it has too many layers to be drawn"`
	// PyTorch is nil for a model with a layer that cannot be written.
	PyTorch *string `json:"pytorch" doc:"the model as one Python file; null when a layer cannot be written in PyTorch"`
	// Card is nil in a site that is built without cards.
	Card *string `json:"card" doc:"a picture to show beside links to the page, PNG of 1200 × 630; null in a site that is built without"`
}

// TemplateURLs are the addresses of the template with an id.
func TemplateURLs(id string) URLs {
	return URLs{
		HTML:     "a/" + id + ".html",
		Markdown: "a/" + id + ".md",
		JSON:     "a/" + id + ".json",
		Graph:    "templates/" + id + "/model.json",
	}
}

func (u URLs) all() []string {
	list := []string{u.HTML, u.Markdown, u.JSON, u.Graph}
	if u.Diagram != nil {
		list = append(list, *u.Diagram)
	}
	if u.PyTorch != nil {
		list = append(list, *u.PyTorch)
	}
	return list
}

// DiffURLs are the addresses of a diff, from the root of the site.
type DiffURLs struct {
	HTML     string `json:"html" doc:"the page"`
	Markdown string `json:"markdown" doc:"the same in Markdown"`
	JSON     string `json:"json" doc:"the same as data"`
}

// diffURLs are the addresses of the diff of two ids.
func diffURLs(a, b string) DiffURLs {
	name := "diff/" + a + "-vs-" + b
	return DiffURLs{HTML: name + ".html", Markdown: name + ".md", JSON: name + ".json"}
}

// relative is the address of a file as a link on another one; both are given
// from the root of the site.
func relative(from, to string) string {
	same := 0 // length of the folders that both are in
	for i := 0; i < len(from) && i < len(to) && from[i] == to[i]; i++ {
		if from[i] == '/' {
			same = i + 1
		}
	}
	rest := escape(to[same:])
	switch up := strings.Count(from[same:], "/"); up {
	case 0:
		return rest
	case 1:
		return "../" + rest
	default:
		return strings.Repeat("../", up) + rest
	}
}

// escape writes a path as a URL has it.
func escape(path string) string {
	for i := range len(path) {
		if c := path[i]; !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '/' || c == '.' || c == '-' || c == '_') {
			return (&url.URL{Path: path}).EscapedPath()
		}
	}
	return path
}

// absolute is the address of a file under the base URL, or from the root of
// the host when there is none. A folder stands for its index.
func (s *Site) absolute(path string) string {
	base := s.BaseURL
	if base == "" {
		base = "/"
	}
	path = strings.TrimSuffix(path, Home)
	return base + escape(path)
}

// root is the path of the site on its host: "/" or "/repo/".
func (s *Site) root() string {
	if u, err := url.Parse(s.BaseURL); err == nil && u.Path != "" {
		return u.EscapedPath()
	}
	return "/"
}
