package ops

import (
	"context"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/strata-catalog/strata/generator/facts"
	"github.com/strata-catalog/strata/generator/graph"
)

// ImportParams are the parameters of Import.
type ImportParams struct {
	Config jsontext.Value `json:"config" doc:"the config.json of a checkpoint on the Hugging Face Hub"`
	ID     string         `json:"id,omitempty" doc:"id of the graph; its model type when not given"`
}

// An Imported is the answer of Import.
type Imported struct {
	Model          facts.Value  `json:"model" doc:"the graph document, compact"`
	Warnings       []string     `json:"warnings" doc:"fields that may change the model and are not in the graph, a sentence each"`
	MaskedLanguage bool         `json:"masked_language" doc:"the head predicts tokens that are masked, so that attention may see ahead"`
	Check          *facts.Check `json:"check" doc:"what a check of the graph says"`
}

// Import makes a graph of a configuration.
func Import(ctx context.Context, env *Env, in ImportParams) (*Imported, error) {
	if in.Config == nil {
		return nil, &Error{Kind: Invalid, Err: fmt.Errorf("config: which configuration? Give the config.json of a checkpoint")}
	}
	m, made, err := env.adopt(ctx, "config", in.Config, in.ID)
	if err != nil {
		return nil, err
	}
	return &Imported{facts.Value(graph.Encode(made.Document)), append([]string{}, made.Warnings...), made.MaskedLanguage, m.Check()}, nil
}
