package adopt

import (
	"fmt"
	"slices"
	"strings"

	"github.com/strata-catalog/strata/generator/graph"
	"github.com/strata-catalog/strata/generator/words"
)

// A Family is one importer.
type Family struct {
	// Types are the values of model_type that it reads.
	Types []string
	// Name is the family's own.
	Name string
	// Fields are those that the document depends on.
	Fields []Field
	// Harmless are further fields of this family that change neither weights nor
	// mathematics, beside those that no family depends on.
	Harmless []string
	// Build makes the document. What it misses or refuses, the configuration
	// keeps; the document counts only where there is nothing of the kind.
	Build func(*config) *graph.Document
}

// An Import is a document, and what was left out of it.
type Import struct {
	Document *graph.Document
	// Warnings are fields that may change the model and are not in the document,
	// a sentence each, with their place.
	Warnings []string
	// MaskedLanguage says that the head predicts tokens that are masked, so that
	// attention may see ahead.
	MaskedLanguage bool
}

// Config imports the text of a config.json. name stands in messages, id is that
// of the document; where it is empty, the model type is. The error is a
// *graph.Error.
func Config(name string, src []byte, id string) (*Import, error) {
	if len(src) > graph.MaxBytes {
		return nil, &graph.Error{Position: graph.Position{File: name}, Msg: fmt.Sprintf("configuration of more than %d MiB, expected a few KiB", graph.MaxBytes>>20)}
	}
	c, err := parse(name, src)
	if err != nil {
		return nil, err
	}
	if !c.whole() {
		c = c.text()
	}
	if c.family = c.known(); c.family == nil {
		return nil, c.err
	}
	if c.id = id; id == "" {
		c.id = c.model
	}
	doc := c.family.Build(c)
	c.unread()
	if c.err != nil {
		return nil, c.err
	}
	return &Import{doc, c.warnings, c.masked}, nil
}

// Types lists every model type that can be imported, in alphabetical order.
func Types() (list []string) {
	for _, f := range All {
		list = append(list, f.Types...)
	}
	slices.Sort(list)
	return list
}

// whole reports whether the model type beside a text_config is itself one that
// can be imported.
func (c *config) whole() bool {
	m, ok := c.members["model_type"]
	return ok && m.value.Kind() == '"' && slices.Contains(Types(), text(m.value))
}

// text is the part of a configuration that describes the language model: that
// of text_config, where there is one.
func (c *config) text() *config {
	m, ok := c.members["text_config"]
	if !ok || m.value.Kind() != '{' {
		return c
	}
	inner, err := c.nested(m)
	if err != nil {
		c.err = err
		return c
	}
	inner.path = "text_config."
	if tie, ok := c.members["tie_word_embeddings"]; ok {
		if _, own := inner.members["tie_word_embeddings"]; !own {
			inner.members["tie_word_embeddings"] = tie
		}
	}
	for _, name := range c.order {
		if _, own := inner.members[name]; !own && strings.HasSuffix(name, "_config") && name != "text_config" {
			inner.warn(c.members[name].pos, "%s is not imported: the document is the language model alone, under the names of its own class", name)
		}
	}
	return inner
}

// known is the family of a configuration's model_type.
func (c *config) known() *Family {
	if c.err != nil {
		return nil
	}
	m, ok := c.members["model_type"]
	if !ok {
		c.fail(0, "model_type", "is missing, expected one of the types that can be imported: %s", strings.Join(Types(), ", "))
		return nil
	}
	if m.value.Kind() != '"' {
		c.fail(m.pos, "model_type", "found %s, expected a text such as %q", kindOf(m.value), "llama")
		return nil
	}
	c.model = text(m.value)
	for _, f := range All {
		if slices.Contains(f.Types, c.model) {
			return f
		}
	}
	c.fail(m.pos, "model_type", "%s cannot be imported%s; known are %s", words.Quote(c.model), words.DidYouMean(c.model, Types()), strings.Join(Types(), ", "))
	return nil
}
