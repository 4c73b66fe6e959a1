//go:build ignore

// Export writes what make verify checks: the PyTorch of each graph, and the
// analysis that it is compared with. It is given graphs, or configurations to
// import, or writes every example of every layer type; or it says which
// importers there are.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/strata-catalog/strata/generator/adopt"
	"github.com/strata-catalog/strata/generator/content"
	"github.com/strata-catalog/strata/generator/cost"
	"github.com/strata-catalog/strata/generator/export"
	"github.com/strata-catalog/strata/generator/facts"
	"github.com/strata-catalog/strata/generator/graph"
	"github.com/strata-catalog/strata/generator/layer"
	"github.com/strata-catalog/strata/generator/pipeline"
)

// analysis is the published facts of a model, why it has no PyTorch, and what
// it is compared with beyond that.
type analysis struct {
	*facts.Model
	Unsupported []reason `json:"unsupported"`
	// Implementation is the note's, Published too.
	Implementation string          `json:"implementation,omitempty"`
	Published      bool            `json:"published,omitempty"`
	Config         json.RawMessage `json:"config,omitempty"`
	Warnings       []string        `json:"warnings,omitempty"`
}

type reason struct {
	Layer string `json:"layer"`
	Why   string `json:"why"`
}

func main() {
	log.SetFlags(0)
	out := flag.String("out", "", "folder to write to")
	notes := flag.String("notes", "", "folder of the notes of the graphs")
	kind := flag.String("kind", "graphs", "what the files are: graphs or configs; or layers or families, which need no files")
	flag.Parse()
	if err := run(*out, *kind, *notes, flag.Args()); err != nil {
		log.Fatal(err)
	}
}

func run(out, kind, notes string, files []string) error {
	if kind == "families" {
		return json.NewEncoder(os.Stdout).Encode(families())
	}
	if err := os.MkdirAll(out, 0o777); err != nil {
		return err
	}
	if kind == "layers" {
		return writeLayers(out)
	}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		var a analysis
		if kind == "configs" {
			a.Config = src
			in, err := adopt.Config(file, src, base(file))
			if err != nil {
				if err := refuse(out, base(file), err); err != nil {
					return err
				}
				continue
			}
			src, a.Warnings = graph.Encode(in.Document), in.Warnings
		} else if notes != "" {
			if err := a.claims(file, filepath.Join(notes, base(file)+".md")); err != nil {
				return err
			}
		}
		if err := write(out, base(file), file, src, a); err != nil {
			return err
		}
	}
	return nil
}

// refuse writes why there is no analysis.
func refuse(out, base string, why error) error {
	text, err := json.Marshal(map[string]string{"error": why.Error()})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(out, base+".json"), text, 0o666)
}

// claims reads what a template's note says of its tensors, and the
// configuration that stands beside the graph.
func (a *analysis) claims(file, note string) error {
	src, err := os.ReadFile(note)
	if err != nil {
		return err
	}
	n, err := content.ParseNote(note, src)
	if err != nil {
		return err
	}
	a.Implementation, a.Published = n.Implementation, n.Published.Parameters > 0
	a.Config, err = os.ReadFile(filepath.Join(filepath.Dir(file), "config.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// A family is what is asked of an importer.
type family struct {
	Types  []string `json:"types"`
	Fields []field  `json:"fields"`
}

type field struct {
	Name     string   `json:"name"`
	Also     []string `json:"also"`
	Required bool     `json:"required"`
}

func families() (all []family) {
	for _, f := range adopt.All {
		list := []field{}
		for _, in := range f.Fields {
			list = append(list, field{in.Name, append([]string{}, in.Also...), in.Required})
		}
		all = append(all, family{f.Types, list})
	}
	return all
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
			if err := write(out, fmt.Sprintf("%s-%d", t.Name, k), t.Name, src, analysis{}); err != nil {
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
func write(out, base, name string, src []byte, a analysis) error {
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
	a.Model = facts.Of(r, plan, 0)
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
