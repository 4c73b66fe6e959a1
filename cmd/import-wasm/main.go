//go:build js && wasm

// Command import-wasm reads configurations of the Hugging Face Hub in a browser.
// It stands beside strata-wasm because few readers need it. It sets the object
// adopt.
package main

import (
	"github.com/go-json-experiment/json"

	"github.com/strata-catalog/strata/generator/adopt"
	"github.com/strata-catalog/strata/generator/browser"
	"github.com/strata-catalog/strata/generator/graph"
)

func main() {
	browser.Serve("adopt", map[string]browser.Method{
		"config": func(args []string) (string, error) {
			imported, err := adopt.Config("config.json", []byte(args[0]), "model")
			if err != nil {
				return "", err
			}
			answer, err := json.Marshal(struct {
				Document string   `json:"document"`
				Warnings []string `json:"warnings"` // what may change the model and is not in the document
			}{string(graph.Encode(imported.Document)), imported.Warnings})
			return string(answer), err
		},
	})
}
