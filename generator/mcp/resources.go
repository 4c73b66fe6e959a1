package mcp

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/strata-catalog/strata/generator/facts"
	"github.com/strata-catalog/strata/generator/graph"
	"github.com/strata-catalog/strata/generator/ops"
)

const jsonType = "application/json"

// resources adds what can be read by its address.
func (s *server) resources(m *sdk.Server) {
	m.AddResource(&sdk.Resource{URI: "strata://templates", Name: "templates", MIMEType: jsonType, Description: "Every template of the catalog, a line each."}, s.resource)
	for _, t := range []*sdk.ResourceTemplate{
		{URITemplate: "strata://templates/{id}", Name: "template", Description: "One template: totals, findings, and a line for each layer."},
		{URITemplate: "strata://templates/{id}/model.json", Name: "graph", Description: "The graph document of a template."},
		{URITemplate: "strata://diffs/{a}/{b}", Name: "diff", Description: "What sets two templates apart, with the bill; read from a to b."},
	} {
		t.MIMEType = jsonType
		m.AddResourceTemplate(t, s.resource)
	}
}

// resource reads what stands at an address.
func (s *server) resource(ctx context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	text, err := s.stored(ctx, r.Params.URI)
	if err != nil {
		return nil, err
	}
	return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: r.Params.URI, MIMEType: jsonType, Text: text}}}, nil
}

func (s *server) stored(ctx context.Context, uri string) (string, error) {
	env, err := s.Env()
	if err != nil {
		return "", err
	}
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "strata" {
		return "", sdk.ResourceNotFoundError(uri)
	}
	name := func(op string, params map[string]any) (string, error) {
		o, _ := ops.Lookup(op)
		src, err := facts.JSON(params)
		if err != nil {
			return "", err
		}
		answer, err := o.Run(ctx, env, src)
		if err != nil {
			return "", err
		}
		return whole(answer)
	}
	steps := strings.Split(strings.Trim(u.Path, "/"), "/")
	switch {
	case u.Host == "templates" && u.Path == "":
		return name("templates", nil)
	case u.Host == "templates" && len(steps) == 1:
		return name("show", map[string]any{"template": steps[0]})
	case u.Host == "templates" && len(steps) == 2 && steps[1] == "model.json":
		if _, err := name("check", map[string]any{"template": steps[0]}); err != nil {
			return "", err
		}
		return env.Catalog.Model(steps[0]).Doc.Source.Text, nil
	case u.Host == "diffs" && len(steps) == 2:
		side := func(id string) jsontext.Value { return jsontext.Value(`{"template":` + graph.Quote(id) + `}`) }
		return name("diff", map[string]any{"a": side(steps[0]), "b": side(steps[1]), "only_changes": true})
	}
	return "", sdk.ResourceNotFoundError(uri)
}

// mostCompletions is how many values the protocol lets a server suggest.
const mostCompletions = 100

// complete suggests ids of templates for the parameters that take one.
func (s *server) complete(_ context.Context, r *sdk.CompleteRequest) (*sdk.CompleteResult, error) {
	result := &sdk.CompleteResult{Completion: sdk.CompletionResultDetails{Values: []string{}}}
	if !slices.Contains([]string{"id", "a", "b", "template"}, r.Params.Argument.Name) {
		return result, nil
	}
	env, err := s.Env()
	if err != nil || env.Catalog == nil {
		return result, err
	}
	for m := range env.Catalog.Models() {
		if strings.HasPrefix(m.ID, r.Params.Argument.Value) {
			result.Completion.Values = append(result.Completion.Values, m.ID)
		}
	}
	result.Completion.Total = len(result.Completion.Values)
	if result.Completion.Total > mostCompletions {
		result.Completion.Values, result.Completion.HasMore = result.Completion.Values[:mostCompletions], true
	}
	return result, nil
}

// A prompt is a task in words, with parameters in braces.
type prompt struct {
	name, title, doc string
	arguments        []argument
	text             string
}

type argument struct{ name, doc string }

// tasks are the prompts.
var tasks = []prompt{
	{
		"mend", "Check and mend a model", "Check a graph, and edit it until no finding is left.",
		[]argument{{"file", ".json file of the graph, or the id of a template"}},
		"Open {file} with strata, and edit the copy until no error and no warning is left. Begin with op fix where a finding offers it; explain a rule before you work around it, and change as little as the finding asks for. Then show me the JSON Patch, what impact says of the change, and what is left and why. Save it only if I say so.",
	},
	{
		"vary", "Vary a template", "Make a variant of a template that meets a goal.",
		[]argument{{"template", "id of the template"}, {"goal", "what the variant has to do, such as: at most 3 billion parameters, fits an L4 in int8"}},
		"Open the template {template} with strata, and edit the copy until it meets this goal: {goal}. Use plan to judge memory and cost, and keep the checks free of errors and warnings. Then compare it with {template} by diff, and tell me what was traded for what, in numbers.",
	},
	{
		"compare", "Compare two models", "Say what sets two models apart, and what it costs.",
		[]argument{{"a", "template id or .json file"}, {"b", "template id or .json file"}},
		"Compare {a} and {b} with strata: diff, and plan for each. Tell me what differs in the architecture, and what each difference costs in parameters, cache and memory. Use exact figures and their assumptions, and no figure that strata does not give.",
	},
	{
		"review", "Review a change", "Review a changed graph against the one that it came from.",
		[]argument{{"before", "template id or .json file"}, {"after", ".json file of the changed graph"}},
		"Review the change from {before} to {after} with strata: check {after}, diff the two, and say which trained weights of {before} still fit (impact with {before} as base). List errors and warnings that are new, with their fixes, and end with a verdict: merge or mend.",
	},
}

func (s *server) prompts(m *sdk.Server) {
	for _, p := range tasks {
		declared := &sdk.Prompt{Name: p.name, Title: p.title, Description: p.doc}
		for _, a := range p.arguments {
			declared.Arguments = append(declared.Arguments, &sdk.PromptArgument{Name: a.name, Description: a.doc, Required: true})
		}
		m.AddPrompt(declared, p.get)
	}
}

// get is the prompt with its arguments put in.
func (p prompt) get(_ context.Context, r *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
	var pairs []string
	for _, a := range p.arguments {
		value := strings.TrimSpace(r.Params.Arguments[a.name])
		if value == "" {
			return nil, fmt.Errorf("the prompt %s needs %s: %s", p.name, a.name, a.doc)
		}
		pairs = append(pairs, "{"+a.name+"}", value)
	}
	text := strings.NewReplacer(pairs...).Replace(p.text)
	return &sdk.GetPromptResult{Description: p.doc, Messages: []*sdk.PromptMessage{{Role: "user", Content: &sdk.TextContent{Text: text}}}}, nil
}
