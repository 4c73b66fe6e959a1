//go:build ignore

// Export writes what make verify checks: the PyTorch of each graph, and the
// analysis that it is compared with. Beside the graphs it is given, it writes
// every example of every layer type.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/strata-catalog/strata/generator/cost"
	"github.com/strata-catalog/strata/generator/export"
	"github.com/strata-catalog/strata/generator/facts"
	"github.com/strata-catalog/strata/generator/layer"
	"github.com/strata-catalog/strata/generator/pipeline"
)

// analysis is the published facts of a model, and why it has no PyTorch.
type analysis struct {
	*facts.Model
	Unsupported []reason `json:"unsupported"`
}

type reason struct {
	Layer string `json:"layer"`
	Why   string `json:"why"`
}

func main() {
	log.SetFlags(0)
	out := flag.String("out", "", "folder to write to")
	examples := flag.Bool("layers", false, "write the examples of the layer types, not graphs")
	flag.Parse()
	if err := run(*out, *examples, flag.Args()); err != nil {
		log.Fatal(err)
	}
}

func run(out string, examples bool, files []string) error {
	if err := os.MkdirAll(out, 0o777); err != nil {
		return err
	}
	if examples {
		return writeLayers(out)
	}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if err := write(out, base(file), file, src); err != nil {
			return err
		}
	}
	return nil
}

// base names what is written after a graph: <name>.json, or <name>/model.json.
func base(file string) string {
	if filepath.Base(file) == "model.json" {
		return filepath.Base(filepath.Dir(file))
	}
	return strings.TrimSuffix(filepath.Base(file), ".json")
}

// writeLayers writes each example of each type as a graph of its own.
func writeLayers(out string) error {
	for _, t := range layer.All {
		if t.Side || t.Part == layer.Ends {
			continue
		}
		for k, e := range t.Doc.Examples {
			src, err := graphOf(t, e)
			if err != nil {
				return err
			}
			if err := write(out, fmt.Sprintf("%s-%d", t.Name, k), t.Name, src); err != nil {
				return err
			}
		}
	}
	return nil
}

// graphOf is an example between inputs and an output.
func graphOf(t *layer.Type, e layer.Example) ([]byte, error) {
	type component struct {
		ID     string          `json:"id"`
		Type   string          `json:"type"`
		Params json.RawMessage `json:"params"`
		Inputs []string        `json:"inputs"`
	}
	subject := component{ID: "layer", Type: t.Name, Params: json.RawMessage(e.Params)}
	var list []component
	for i, dims := range e.In {
		in := component{ID: fmt.Sprintf("input_%d", i), Type: "input", Params: json.RawMessage(`{"shape": ` + dims.Brackets() + `}`)}
		list = append(list, in)
		subject.Inputs = append(subject.Inputs, in.ID)
	}
	list = append(list, subject, component{ID: "result", Type: "output", Params: json.RawMessage("{}"), Inputs: []string{"layer"}})
	return json.Marshal(map[string]any{"id": "example", "name": t.Display, "components": list})
}

// write writes <base>.json and, where the graph can be exported, <base>.py.
func write(out, base, name string, src []byte) error {
	r, err := pipeline.Run(name, src)
	if err != nil {
		return err
	}
	if r.Broken() {
		return fmt.Errorf("%s: %s", name, r.Findings[0].Message)
	}
	plan, err := cost.New(r.Model, cost.Default())
	if err != nil {
		return err
	}
	a := analysis{Model: facts.Of(r, plan, 0)}
	python, err := export.Python(r.Model)
	if err != nil {
		for _, why := range export.Supported(r.Model) {
			id := ""
			if why.Node >= 0 {
				id = r.Model.Nodes[why.Node].ID
			}
			a.Unsupported = append(a.Unsupported, reason{id, why.Why})
		}
	} else if err := os.WriteFile(filepath.Join(out, base+".py"), python, 0o666); err != nil {
		return err
	}
	text, err := facts.JSON(a)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(out, base+".json"), text, 0o666)
}
