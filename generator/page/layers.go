package page

import (
	"fmt"
	"strings"

	"github.com/strata-catalog/strata/generator/facts"
	"github.com/strata-catalog/strata/generator/format"
	"github.com/strata-catalog/strata/generator/layer"
	"github.com/strata-catalog/strata/generator/reference"
)

// LayersPath is the address of the reference of layer types.
const LayersPath = "layers/index.html"

// LayerPath is the address of a layer type's page.
func LayerPath(name string) string { return "layers/" + name + ".html" }

// Layers is the page that lists every layer type.
type Layers struct {
	Base
	Parts []LayerPart
	Count int // of types
}

// A LayerPart is the types of one kind.
type LayerPart struct {
	Part  layer.Part
	Types []LayerItem
}

// A LayerItem is a type as the list shows it.
type LayerItem struct {
	Type *layer.Type
	Path string
	Used int // templates that use it
}

// Layer is the page of a layer type, made from its declaration.
type Layer struct {
	Base
	Type       reference.Type
	Parameters Table
	Examples   []LayerExample
	Users      []Item // the templates that use it
}

// A LayerExample is one use of a type, and what comes of it.
type LayerExample struct {
	Component string   // as in a graph document, JSON
	In        string   // shapes of its operands, "" for none
	Out       string   // shape of its result, "" for a side input
	Weights   []Item   // name and shape of each tensor
	Count     string   // its parameters, "" for none
	MACs      string   // its work, "" for none
	Problems  []string // what the verifier says to it
}

// layerPages adds the reference of layer types.
func (s *Site) layerPages(add adder) {
	add(LayersPath, s.layers, s.layersNeeds)
	for _, t := range layer.All {
		add(LayerPath(t.Name), func() (any, error) { return s.layer(t) }, func() needs { return s.usersNeeds(s.users()[t.Name]) })
	}
}

// findUsers lists the templates that use each layer type.
func (s *Site) findUsers() map[string][]Item {
	users := map[string][]Item{}
	for _, e := range s.catalog.Entries {
		seen := map[string]bool{}
		for i := range e.Model.Nodes {
			name := e.Model.Nodes[i].TypeName()
			if !seen[name] {
				seen[name] = true
				users[name] = append(users[name], Item{Text: e.Name(), Path: TemplateURLs(e.ID).HTML})
			}
		}
	}
	return users
}

// few cuts a list of templates that would make a page too long to read.
func few(list []Item) []Item {
	const most = 60
	if len(list) <= most+1 {
		return list
	}
	return append(list[:most:most], Item{Text: fmt.Sprintf("and %s more", format.Exact64(int64(len(list)-most)))})
}

func (s *Site) layers() (any, error) {
	users := s.users()
	l := &Layers{
		Base:  Base{Site: s, Path: LayersPath, Title: "Layers", Description: "Every layer type that a graph may use: its parameters, shape rule, weights and multiply-accumulates."},
		Count: len(layer.All),
	}
	for _, p := range layer.Parts {
		part := LayerPart{Part: p}
		for _, t := range layer.All {
			if t.Part == p {
				part.Types = append(part.Types, LayerItem{t, LayerPath(t.Name), len(users[t.Name])})
			}
		}
		if len(part.Types) > 0 {
			l.Parts = append(l.Parts, part)
		}
	}
	return l, nil
}

func (s *Site) layer(t *layer.Type) (any, error) {
	d, err := reference.TypeOf(t)
	if err != nil {
		return nil, err
	}
	l := &Layer{
		Base: Base{Site: s, Path: LayerPath(t.Name), Title: d.Display, Description: d.Summary},
		Type: d, Parameters: parameters(d), Users: few(s.users()[t.Name]),
	}
	for _, e := range d.Examples {
		l.Examples = append(l.Examples, example(t, e))
	}
	return l, nil
}

// parameters is the table of a type's parameters.
func parameters(d reference.Type) Table {
	table := Table{Caption: "Parameters", Columns: []Column{{"Name", false}, {"Value", false}, {"Default", false}, {"Unit", false}, {"What it is", false}}}
	for _, p := range d.Parameters {
		usual, doc := p.Default, p.Doc
		if p.Required {
			usual = "must be given"
		}
		if len(p.Aliases) > 0 {
			doc += "; also " + strings.Join(p.Aliases, ", ")
		}
		table.Rows = append(table.Rows, TableRow{Cells: cells(p.Name, p.Values(), usual, p.Unit, doc)})
	}
	return table
}

// example is one use of a type in words.
func example(t *layer.Type, e reference.Example) LayerExample {
	x := LayerExample{Component: fmt.Sprintf(`{"type": %q, "params": %s}`, t.Name, e.Params), Problems: e.Problems}
	if !t.Side {
		x.Out = facts.ShapeText(e.Out)
	}
	shapes := make([]string, len(e.In))
	for i, in := range e.In {
		shapes[i] = in.String()
	}
	x.In = strings.Join(shapes, "; ")
	for _, w := range e.Weights {
		x.Weights = append(x.Weights, tensor(t, w))
	}
	if e.Parameters != nil && *e.Parameters > 0 {
		x.Count = format.Exact64(*e.Parameters)
	}
	if e.MACs != nil && e.MACs.Sign() > 0 {
		x.MACs = format.Exact(e.MACs)
	}
	return x
}

// tensor is one weight of an example: its name, and its shape.
func tensor(t *layer.Type, w reference.Weight) Item {
	item := Item{Text: w.Name, Note: facts.ShapeText(w.Shape)}
	if item.Text == "" {
		item.Text = t.Name // a free tensor has the name of its component
	}
	if w.Copies > 1 {
		item.Note += fmt.Sprintf(", ×%d", w.Copies)
	}
	if w.Buffer {
		item.Note += ", a buffer"
	}
	return item
}
