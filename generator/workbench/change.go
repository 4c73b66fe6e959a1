package workbench

import (
	"fmt"

	"github.com/strata-catalog/strata/generator/edit"
	"github.com/strata-catalog/strata/generator/facts"
	"github.com/strata-catalog/strata/generator/infer"
)

// An Operation is one way to change a graph, for a form.
type Operation struct {
	Name   string  `json:"name"`
	Title  string  `json:"title"`
	Doc    string  `json:"doc"`
	Fields []Field `json:"fields"`
}

// A Field is one parameter of an operation.
type Field struct {
	Name     string    `json:"name"`
	Kind     edit.Kind `json:"kind"`
	Doc      string    `json:"doc"`
	Enum     []string  `json:"enum"`
	Required bool      `json:"required"`
}

// Operations lists what can be done to a graph.
func Operations() (list []Operation) {
	for _, o := range edit.Operations {
		op := Operation{Name: o.Name, Title: o.Title, Doc: o.Doc}
		for _, f := range o.Fields {
			op.Fields = append(op.Fields, Field(f))
		}
		list = append(list, op)
	}
	return list
}

// A Change is what an operation made of a text.
type Change struct {
	Done string `json:"done"` // in words
	Text string `json:"text"`
}

// Apply does an operation on a text, with its parameters as a JSON object. The
// text on the workbench stays until Check gets the new one.
func (b *Bench) Apply(text, operation, params string) (*Change, error) {
	s, err := edit.Open(File, []byte(text), b.options(b.id, b.note))
	if err != nil {
		return nil, fmt.Errorf("the graph cannot be read, so that nothing can be changed by a form: %w", err)
	}
	r, err := s.Apply(operation, []byte(params))
	if err != nil {
		return nil, err
	}
	return &Change{r.Done, string(s.Text())}, nil
}

// Difference is the JSON Patch that makes one text of another.
func Difference(from, to string) []facts.Op {
	ops := []facts.Op{}
	for _, op := range edit.Difference(from, to) {
		ops = append(ops, facts.Op{Op: op.Op, Path: op.Path, Value: facts.Value(op.Value)})
	}
	return ops
}

// A Component is a layer that can be changed.
type Component struct {
	ID     string                 `json:"id"` // its path in the expanded graph
	Type   string                 `json:"type"`
	Params map[string]facts.Value `json:"params"` // as declared, under canonical names
	// Instances is how many layers are written as this one: a change is of all.
	Instances int `json:"instances"`
}

// Component is the layer in a row of the structure table.
func (b *Bench) Component(row int) (*Component, error) {
	t, err := b.made()
	if err != nil {
		return nil, err
	}
	if row < 1 || row > len(t.Data.Rows) {
		return nil, fmt.Errorf("the graph has no row %d", row)
	}
	r, m := &t.Data.Rows[row-1], b.entry.Model
	c := &Component{ID: r.ID, Type: r.Type, Params: map[string]facts.Value{}}
	for _, p := range r.Params {
		c.Params[p.Name] = p.Value
	}
	this := &m.Nodes[m.Order[row-1]]
	for i := range m.Nodes {
		if n := &m.Nodes[i]; n.Component.ID == this.Component.ID && block(n) == block(this) {
			c.Instances++
		}
	}
	return c, nil
}

// block is the block that a node is written in, "" for the document itself.
func block(n *infer.Node) string {
	if n.Frame == nil {
		return ""
	}
	return n.Frame.Block
}
