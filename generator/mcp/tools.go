package mcp

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/strata-catalog/strata/generator/facts"
	"github.com/strata-catalog/strata/generator/graph"
	"github.com/strata-catalog/strata/generator/ops"
)

// A tool is an operation as agents see it.
type tool struct {
	*ops.Op
	about string // in the place of the operation's own words; "" for those
	only  bool   // it changes nothing outside of the server
	plain bool   // its answer is one text, which neither limit nor full changes much
}

// tools lists every tool: the operations of ops, and those on copies. Saving is
// no tool of a server that may not write.
func (s *server) tools() (list []*tool) {
	for _, o := range ops.All {
		list = append(list, &tool{Op: o, only: true, plain: o.Name == "export"})
	}
	list = append(list,
		&tool{Op: ops.New("open", s.open, "Open a model for editing, and check it.", "", "The copy, and what a check of it says."), only: true, plain: true},
		&tool{Op: ops.New("edit", s.edit, "Edit a copy; answers with the findings that are new and gone. All edits are done, or none.", "", "What was done."), about: operations(), only: true},
		&tool{Op: ops.New("impact", s.impact, "What hangs on a component, or what edits (or the way from a base) reshape, and which weights they replace.", "", "What follows."), only: true},
		&tool{Op: ops.New("read", s.read, "Read a copy: its JSON, the JSON Patch from its original, or its history.", "", "What was asked for."), only: true, plain: true},
	)
	if s.Write {
		list = append(list, &tool{Op: ops.New("save", s.save, "Write a copy to a file, or with py its PyTorch export.", "", "The file."), plain: true})
	}
	return list
}

// about are the words on the parameters that every tool of their kind has.
const (
	aboutOf    = "template id, .json file or copy"
	aboutModel = "a graph, instead of of"
	aboutLimit = "lines of a list; 20"
	aboutFull  = "as JSON"
	usualLines = 20
)

// declared is the tool as clients list it.
func (t *tool) declared() *sdk.Tool {
	no := false
	return &sdk.Tool{
		Name: t.Name, Description: strings.TrimSpace(t.Summary + " " + t.about), InputSchema: t.schema(),
		Annotations: &sdk.ToolAnnotations{ReadOnlyHint: t.only, OpenWorldHint: &no},
	}
}

// subject reports whether the tool is about one model.
func (t *tool) subject() bool { return slices.Contains(t.ParamNames(), "template") }

// schema is the schema of the parameters in as few words as do: a model is
// named by of, and what is described elsewhere stays there.
func (t *tool) schema() jsontext.Value {
	s := &facts.Schema{Type: "object"}
	add := func(name, doc string, typ any) {
		s.Properties = append(s.Properties, facts.Property{Name: name, Schema: &facts.Schema{Type: typ, Description: doc}})
	}
	if t.subject() {
		add("of", aboutOf, "string")
		add("model", aboutModel, "object")
	}
	if t.Name == "import" {
		add("of", "file of the config", "string")
	}
	full := t.Parameters()
	for _, p := range full.Properties {
		q := &facts.Schema{Type: p.Type, Description: p.Description, Enum: p.Enum}
		switch {
		case t.subject() && slices.Contains(subjects, p.Name), common(p.Name):
			continue
		case slices.Contains(sides, p.Name):
			q.Type, q.Description = "string", aboutOf
		case p.Type == nil:
			q.Type = "integer"
		case p.Items != nil:
			q.Items = &facts.Schema{Type: p.Items.Type}
		}
		if names := p.Properties; len(names) > 0 && q.Type == "object" {
			q.Description = "by name: " + strings.Join(keys(names), " ")
		}
		s.Properties = append(s.Properties, facts.Property{Name: p.Name, Schema: q})
	}
	s.Required = slices.DeleteFunc(full.Required, func(name string) bool { return slices.Contains(subjects, name) })
	if !t.plain {
		add("limit", aboutLimit, "integer")
		add("full", aboutFull, "boolean")
	}
	text, err := json.Marshal(s)
	if err != nil { // a declaration of this program that cannot be written
		panic(err)
	}
	return text
}

func keys(properties facts.Properties) []string {
	list := make([]string, len(properties))
	for i, p := range properties {
		list[i] = p.Name
	}
	return list
}

// subjects are the parameters by which ops names a model, and sides those that
// hold a second one.
var (
	subjects = []string{"model", "config", "template"}
	sides    = []string{"a", "b", "base"}
)

// common reports whether every tool has a parameter: how long an answer is.
func common(name string) bool { return name == "limit" || name == "full" }

// call reads the parameters of a tool, runs it, and writes its answer.
func (s *server) call(ctx context.Context, t *tool, arguments []byte) (string, error) {
	given := map[string]jsontext.Value{}
	if len(arguments) > 0 {
		if err := json.Unmarshal(arguments, &given); err != nil {
			return "", fmt.Errorf("the parameters are no JSON object: %w", err)
		}
	}
	limit, full := usualLines, false
	if err := take(given, "limit", "a whole number", &limit); err != nil {
		return "", err
	}
	if err := take(given, "full", "true or false", &full); err != nil {
		return "", err
	}
	if limit < 0 {
		return "", fmt.Errorf("limit: found %d, expected 0 or more", limit)
	}
	// Two operations have these parameters themselves; of a part of a model, full
	// means its JSON alone.
	if slices.Contains(t.ParamNames(), "limit") {
		given["limit"], _ = json.Marshal(limit)
	}
	if full && slices.Contains(t.ParamNames(), "full") && given["layer"] == nil && given["block"] == nil {
		given["full"] = jsontext.Value("true")
	}
	if err := s.named(t, given); err != nil {
		return "", err
	}
	env, err := s.env(given)
	if err != nil {
		return "", err
	}
	answer, err := t.Run(ctx, env, object(given))
	if err != nil {
		return "", err
	}
	if full {
		return whole(answer)
	}
	return brief(answer, limit), nil
}

// object writes members as they stand, white space included: findings name
// lines of a document as it was written.
func object(members map[string]jsontext.Value) jsontext.Value {
	var b []byte
	for _, name := range slices.Sorted(maps.Keys(members)) {
		b = append(append(append(b, ','), graph.Quote(name)...), ':')
		b = append(b, members[name]...)
	}
	return append(append([]byte{'{'}, bytes.TrimPrefix(b, []byte(","))...), '}')
}

// take moves a parameter that is for the door alone out of those given.
func take[T any](given map[string]jsontext.Value, name, kind string, to *T) error {
	value, ok := given[name]
	delete(given, name)
	if ok && value.Kind() != 'n' && json.Unmarshal(value, to) != nil {
		return fmt.Errorf("%s: expected %s", name, kind)
	}
	return nil
}

// most is how many bytes an answer has at most: more than an agent can read.
const most = 1 << 20

func whole(answer any) (string, error) {
	text, err := facts.JSON(answer)
	if err == nil && len(text) > most {
		err = fmt.Errorf("the answer has %d bytes, and at most %d are given; ask without full, or for a part: a layer, a block, or only_changes", len(text), most)
	}
	return string(text), err
}

// env is the catalog, where the call may need it: what is about a graph that is
// given needs none.
func (s *server) env(given map[string]jsontext.Value) (*ops.Env, error) {
	if (given["model"] != nil || given["copy"] != nil) && given["base"] == nil {
		return &ops.Env{}, nil
	}
	return s.Env()
}

// named puts models in the place of their names.
func (s *server) named(t *tool, given map[string]jsontext.Value) error {
	if t.subject() {
		var of string
		if t.Name == "open" && given["file"] == nil && json.Unmarshal(given["of"], &of) == nil && isFile(of) {
			given["file"] = given["of"]
		}
		if err := s.resolve(given); err != nil {
			return err
		}
		if !slices.ContainsFunc(subjects, func(name string) bool { return given[name] != nil }) {
			return fmt.Errorf("which model? Give of (%s), or model (a graph); templates finds ids", aboutOf)
		}
	}
	if t.Name == "import" && given["of"] != nil {
		if err := s.resolve(given); err != nil {
			return err
		}
	}
	for _, side := range sides {
		value, ok := given[side]
		if !ok || !slices.Contains(t.ParamNames(), side) {
			continue
		}
		in := map[string]jsontext.Value{}
		if value.Kind() == '"' {
			in["of"] = value
		} else if json.Unmarshal(value, &in) != nil || in["of"] == nil {
			continue // ops says what it expects
		}
		if err := s.resolve(in); err != nil {
			return fmt.Errorf("%s: %w", side, err)
		}
		given[side] = object(in)
	}
	return nil
}

// resolve puts a model in the place of the parameter of.
func (s *server) resolve(given map[string]jsontext.Value) error {
	if given["of"] == nil {
		return nil
	}
	var of string
	if err := take(given, "of", "a text: "+aboutOf, &of); err != nil {
		return err
	}
	for _, name := range subjects {
		if given[name] != nil {
			return fmt.Errorf("found both of and %s; give one of them", name)
		}
	}
	if c, ok := s.copies.find(of); ok {
		given["model"] = c.text()
		return nil
	}
	if !isFile(of) {
		given["template"], _ = json.Marshal(of)
		return nil
	}
	text, err := s.file(of)
	if err != nil {
		return err
	}
	given[kindOf(text)] = text
	return nil
}

// isFile tells a file from the id of a template.
func isFile(of string) bool { return path.Ext(of) == ".json" || strings.ContainsAny(of, `/\`) }

// kindOf tells a graph from the configuration of a checkpoint, by what only the
// one or the other has.
func kindOf(text jsontext.Value) string {
	var members map[string]jsontext.Value
	if json.Unmarshal(text, &members) == nil && members["components"] == nil && (members["model_type"] != nil || members["architectures"] != nil) {
		return "config"
	}
	return "model"
}
