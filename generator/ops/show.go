package ops

import (
	"context"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/strata-catalog/strata/generator/cost"
	"github.com/strata-catalog/strata/generator/facts"
	"github.com/strata-catalog/strata/generator/graph"
	"github.com/strata-catalog/strata/generator/shape"
	"github.com/strata-catalog/strata/generator/words"
)

// ShowParams are the parameters of Show.
type ShowParams struct {
	Subject
	Full  bool   `json:"full,omitempty" doc:"everything: rows, tensors, memory and cost, as the JSON of a template page has them"`
	Layer string `json:"layer,omitempty" doc:"id of one layer to show, such as layers.0.attn"`
	Block string `json:"block,omitempty" doc:"one block to show: its name, or the path of a module, such as layers.0"`
}

// A Shown is the answer of Show: an *Overview, a *facts.Model, a *Layer or a
// *Block.
type Shown struct{ Value any }

// MarshalJSONTo implements json.MarshalerTo.
func (s Shown) MarshalJSONTo(enc *jsontext.Encoder) error { return anything(enc, s.Value) }

// JSONSchema implements facts.Described.
func (Shown) JSONSchema(d facts.Describer) *facts.Schema {
	return d.AnyOf(Overview{}, facts.Model{}, Layer{}, Block{})
}

// An Overview is what a model is, in short.
type Overview struct {
	facts.Totals
	facts.Traits
	Summary  string          `json:"summary" doc:"the verdict in one sentence"`
	Findings []facts.Finding `json:"findings" doc:"what the rules found, errors first"`
	Parts    []cost.Part     `json:"parts" doc:"parameters and work by kind of layer"`
	Blocks   []string        `json:"blocks" doc:"names of the blocks of the graph, each of which can be shown"`
	Outline  []Line          `json:"outline" doc:"the layers in order, with what repeats in one line; their parameters add up to the total"`
}

// A Line of an outline is a layer of every instance of what repeats.
type Line struct {
	ID         string      `json:"id" doc:"id of the layer, that of the first instance where it repeats"`
	Type       string      `json:"type" doc:"canonical layer type"`
	Repeat     int         `json:"repeat" doc:"layers that the line stands for"`
	Output     shape.Shape `json:"output_shape" doc:"shape of the result, null when it has none or it is not known"`
	Parameters int64       `json:"parameters" doc:"what all of them add to the total"`
}

// A Layer is one layer, with what is around it.
type Layer struct {
	facts.Row
	Readers  []string        `json:"readers" doc:"ids of the layers that read its result"`
	Tensors  []facts.Tensor  `json:"tensors" doc:"its tensors"`
	Findings []facts.Finding `json:"findings" doc:"findings that concern it, or an equal layer of the first instance"`
}

// A Block is a part of a model: one instance of a block, or what is below a
// module path.
type Block struct {
	ID            string          `json:"id" doc:"path of the first instance"`
	Block         string          `json:"block" doc:"name of the block, empty for a part that is none"`
	Repeat        int             `json:"repeat" doc:"instances of the block in the model"`
	Parameters    int64           `json:"parameters" doc:"what the first instance adds to the total"`
	ParametersAll int64           `json:"parameters_all" doc:"what all instances add to the total"`
	MACs          *big.Int        `json:"macs" doc:"multiply-accumulates of the first instance at the declared input, null when not known"`
	Rows          []facts.Row     `json:"rows" doc:"the layers of the first instance"`
	Findings      []facts.Finding `json:"findings" doc:"findings that concern them"`
}

// Show says what a model is.
func Show(ctx context.Context, env *Env, in ShowParams) (Shown, error) {
	m, err := in.whole(ctx, env, "model")
	if err != nil {
		return Shown{}, err
	}
	return m.Show(in)
}

// Show is what is asked for of the model, whatever the subject of the
// parameters is.
func (m *Model) Show(in ShowParams) (Shown, error) {
	asked := 0
	for _, is := range []bool{in.Full, in.Layer != "", in.Block != ""} {
		if is {
			asked++
		}
	}
	if asked > 1 {
		return Shown{}, &Error{Kind: Invalid, Err: fmt.Errorf("found several of full, layer and block; give one of them, or none for an overview")}
	}
	f, err := m.Everything()
	if err != nil {
		return Shown{}, err
	}
	switch {
	case in.Full:
		return Shown{f}, nil
	case in.Layer != "":
		l, err := layerOf(f, in.Layer)
		return Shown{l}, err
	case in.Block != "":
		b, err := m.block(f, in.Block)
		return Shown{b}, err
	}
	return Shown{m.overview(f)}, nil
}

// Everything is all that is known of a model, estimates under its assumptions
// included.
func (m *Model) Everything() (*facts.Model, error) {
	plan, err := cost.New(m.Model, m.Assumptions)
	if err != nil {
		return nil, fault(err)
	}
	return m.Facts(plan), nil
}

func (m *Model) overview(f *facts.Model) *Overview {
	o := &Overview{Totals: f.Totals, Traits: f.Traits, Summary: f.Summary, Findings: f.Findings, Parts: f.Parts, Outline: make([]Line, len(f.Folded))}
	for _, b := range m.Doc.Blocks {
		o.Blocks = append(o.Blocks, b.Name)
	}
	for i, r := range f.Folded {
		o.Outline[i] = Line{r.ID, r.Type, r.Repeat, r.Output, r.ParametersAll}
	}
	return o
}

func layerOf(f *facts.Model, id string) (*Layer, error) {
	i := slices.IndexFunc(f.Rows, func(r facts.Row) bool { return r.ID == id })
	if i < 0 {
		return nil, &Error{Kind: Unknown, Err: fmt.Errorf("there is no layer %s%s", words.Quote(id), words.DidYouMean(id, ids(f.Rows)))}
	}
	l := &Layer{Row: f.Rows[i], Readers: []string{}, Tensors: f.Tensors.Of(id), Findings: concerning(f, f.Rows[i:i+1])}
	for _, r := range f.Rows {
		if slices.Contains(r.Inputs, id) {
			l.Readers = append(l.Readers, r.ID)
		}
	}
	return l, nil
}

func ids(rows []facts.Row) []string {
	list := make([]string, len(rows))
	for i, r := range rows {
		list[i] = r.ID
	}
	return list
}

// concerning lists the findings on some layers.
func concerning(f *facts.Model, rows []facts.Row) []facts.Finding {
	list := []facts.Finding{}
	for _, x := range f.Findings {
		if slices.ContainsFunc(rows, func(r facts.Row) bool { return slices.Contains(x.Components, r.ID) }) {
			list = append(list, x)
		}
	}
	return list
}

// block finds the instances of a block, or what is below a module path.
func (m *Model) block(f *facts.Model, name string) (*Block, error) {
	b := &Block{MACs: new(big.Int), Rows: []facts.Row{}}
	named := slices.ContainsFunc(m.Doc.Blocks, func(x graph.Block) bool { return x.Name == name })
	instances := map[string]bool{}
	for k, i := range m.Model.Order {
		row := f.Rows[k]
		at := ""
		for frame := m.Model.Nodes[i].Frame; named && frame != nil && at == ""; frame = frame.Parent {
			if frame.Block == name {
				at = frame.Path
			}
		}
		if !named && (row.ID == name || strings.HasPrefix(row.ID, name+".")) {
			at = name
		}
		if at == "" {
			continue
		}
		if b.ID == "" {
			b.ID = at
		}
		instances[at] = true
		b.ParametersAll += row.Parameters
		if at == b.ID {
			b.add(row)
		}
	}
	b.Repeat = len(instances)
	if named {
		b.Block = name
	}
	if b.Repeat == 0 {
		return nil, &Error{Kind: Unknown, Err: fmt.Errorf("there is no block and no module path %s%s", words.Quote(name), words.DidYouMean(name, m.modules(f)))}
	}
	b.Findings = concerning(f, b.Rows)
	return b, nil
}

// add puts a layer into the first instance.
func (b *Block) add(row facts.Row) {
	b.Rows = append(b.Rows, row)
	b.Parameters += row.Parameters
	if row.MACs == nil {
		b.MACs = nil
	}
	if b.MACs != nil {
		b.MACs.Add(b.MACs, row.MACs)
	}
}

// modules lists the names that block takes.
func (m *Model) modules(f *facts.Model) (list []string) {
	for _, b := range m.Doc.Blocks {
		list = append(list, b.Name)
	}
	seen := map[string]bool{}
	for _, r := range f.Rows {
		for path := r.ID; ; {
			cut := strings.LastIndexByte(path, '.')
			if cut < 0 {
				break
			}
			if path = path[:cut]; !seen[path] {
				seen[path] = true
				list = append(list, path)
			}
		}
	}
	return list
}
