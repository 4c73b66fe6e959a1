package content

import (
	"strings"

	"github.com/strata-catalog/strata/generator/graph"
)

// A Note is the content file of a template: content/a/<id>.md.
type Note struct {
	File           string    `yaml:"-"` // where it was read from
	Summary        string    `yaml:"summary" doc:"one line that says what the model is"`
	PickWhen       string    `yaml:"pick-when" doc:"when to pick it: a sentence that completes \"Pick …\""`
	Tags           []string  `yaml:"tags" doc:"words to find it by"`
	Organisation   string    `yaml:"organisation" doc:"who made the model"`
	Links          []Link    `yaml:"links" doc:"paper, code, checkpoint"`
	Published      Published `yaml:"published" doc:"the published parameter count, with its source"`
	Oracle         string    `yaml:"oracle" doc:"entry of the tables of published figures that the tests compare with"`
	Implementation string    `yaml:"implementation" is:"python" doc:"class or builder of a library in Python whose tensors have the names and shapes of these; make verify compares them"`
	Accept         []Accept  `yaml:"accept" doc:"findings that are right as they are, each with its reason"`
	TrainingTokens int64     `yaml:"training-tokens" min:"1" doc:"tokens that the checkpoint was trained on"`
	Images         int64     `yaml:"training-images" min:"1" doc:"images that the checkpoint saw: epochs × images"`
	License        string    `yaml:"license" is:"license" doc:"licence of the published weights, an SPDX identifier; LicenseRef- begins the name of one that has none"`
	Released       string    `yaml:"released" is:"date" doc:"release date, YYYY-MM-DD or YYYY-MM"`
	MaskedLanguage bool      `yaml:"masked-language-model" doc:"a head over the vocabulary without causal attention is meant"`
	Body           string    `yaml:"-"` // Markdown after the front matter
	BodyLine       int       `yaml:"-"` // the line of the file that the body begins on

	places
}

// A Link is a named address.
type Link struct {
	Title string `yaml:"title,required" doc:"text of the link"`
	URL   string `yaml:"url,required" is:"url" doc:"address, http or https"`
}

// Published is what the authors of a checkpoint say of it.
type Published struct {
	Parameters int64  `yaml:"parameters" min:"1" doc:"number of parameters"`
	Source     string `yaml:"source,required" doc:"where that is said"`
	Stored     int64  `yaml:"stored" min:"1" doc:"elements that the checkpoint's file stores"`
	Lines      []Line `yaml:"lines" doc:"what stands between parameters and stored elements"`
}

// A Line explains a part of the difference between what a model has and what
// its file stores.
type Line struct {
	Elements int64  `yaml:"elements,required" doc:"number of elements, negative for what the file lacks"`
	What     string `yaml:"what,required" doc:"what they are"`
}

// An Accept lets a finding stand.
type Accept struct {
	Rule string `yaml:"rule,required" doc:"id of the rule"`
	Why  string `yaml:"why,required" doc:"why it is right here"`
}

// A DiffNote is the content file of a curated diff: content/diff/<a>-vs-<b>.md.
type DiffNote struct {
	File     string `yaml:"-"`
	A        string `yaml:"-"` // ids, from the file's name
	B        string `yaml:"-"`
	Story    string `yaml:"story" doc:"one line that says what the diff shows"`
	Body     string `yaml:"-"`
	BodyLine int    `yaml:"-"`

	places
}

// A Page is a content page: content/<path>.md.
type Page struct {
	File        string `yaml:"-"`
	Path        string `yaml:"-"` // address without the extension
	Title       string `yaml:"title,required" doc:"heading and title of the page"`
	Description string `yaml:"description" doc:"one line for search engines; the first paragraph when it is not given"`
	Menu        int    `yaml:"menu" min:"0" doc:"place in the menu, from 1; 0 keeps it out"`
	Body        string `yaml:"-"`
	BodyLine    int    `yaml:"-"`

	places
}

// places says where in a file each value stands, by path: published.stored,
// accept[0].rule.
type places map[string]graph.Position

// At is the place of a value; where it was not given, the place of what it
// belongs to, at last the file.
func (p places) At(path string) graph.Position {
	for {
		if pos, ok := p[path]; ok || path == "" {
			return pos
		}
		path = parent(path)
	}
}

// parent is the path of what a value belongs to.
func parent(path string) string {
	return path[:max(strings.LastIndexAny(path, ".["), 0)]
}
