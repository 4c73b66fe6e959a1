package graph

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// Encode writes a document as JSON, a member and a component a line, so that
// people and line diffs can read it. Decode(Encode(d)) is d, but for positions
// and for the source.
func Encode(d *Document) []byte {
	var w writer
	w.open('{', true)
	w.text("id", d.ID)
	w.text("name", d.Name)
	w.text("category", d.Category)
	w.text("description", d.Description)
	w.strings("tags", d.Tags)
	if d.RealParamCount != 0 {
		w.raw("realParamCount", strconv.FormatInt(d.RealParamCount, 10))
	}
	w.extras(d.Extra)
	w.components(d.Components)
	w.connections(d.Connections)
	w.blocks(d.Blocks)
	w.close('}')
	return append(w.b, '\n')
}

// EncodeComponent writes a component as Encode does, on one line. A name that is
// empty is left out.
func EncodeComponent(c *Component) string {
	w := writer{first: true}
	w.component(c)
	return string(w.b)
}

// writer appends JSON. An object or list is either one line, or has a line for
// each of its members.
type writer struct {
	b      []byte
	levels []bool // for each object or list that is open: a line for each member
	first  bool   // nothing stands in the innermost one yet
}

func (w *writer) open(bracket byte, lines bool) {
	w.b = append(w.b, bracket)
	w.levels = append(w.levels, lines)
	w.first = true
}

func (w *writer) close(bracket byte) {
	lines := w.levels[len(w.levels)-1]
	w.levels = w.levels[:len(w.levels)-1]
	if lines && !w.first {
		w.line()
	}
	w.b = append(w.b, bracket)
	w.first = false
}

func (w *writer) line() {
	w.b = append(w.b, '\n')
	for range w.levels {
		w.b = append(w.b, ' ')
	}
}

// next separates a member or element from the one before it.
func (w *writer) next() {
	if !w.first {
		w.b = append(w.b, ',')
	}
	lines := w.levels[len(w.levels)-1]
	switch {
	case lines:
		w.line()
	case !w.first:
		w.b = append(w.b, ' ')
	}
	w.first = false
}

func (w *writer) quote(s string) {
	// Only invalid UTF-8 is an error, and then the quoted text is mended.
	w.b, _ = jsontext.AppendQuote(w.b, s)
}

func (w *writer) key(name string) {
	w.next()
	w.quote(name)
	w.b = append(w.b, ": "...)
}

func (w *writer) raw(name, value string) {
	w.key(name)
	w.b = append(w.b, value...)
}

func (w *writer) text(name, value string) {
	if value != "" {
		w.key(name)
		w.quote(value)
	}
}

func (w *writer) strings(name string, list []string) {
	if len(list) == 0 {
		return
	}
	w.key(name)
	w.open('[', false)
	for _, s := range list {
		w.next()
		w.quote(s)
	}
	w.close(']')
}

func (w *writer) params(list []Param) {
	for _, p := range list {
		w.raw(p.Name, p.Value)
	}
}

// extras writes members that were kept as they stood, without white space.
func (w *writer) extras(list []Param) {
	for _, p := range list {
		v := jsontext.Value(p.Value)
		_ = v.Compact() // what was read as JSON is JSON
		w.raw(p.Name, string(v))
	}
}

func (w *writer) object(name string, list []Param) {
	if len(list) == 0 {
		return
	}
	w.key(name)
	w.open('{', false)
	w.params(list)
	w.close('}')
}

func (w *writer) components(list []Component) {
	w.key("components")
	w.open('[', true)
	for i := range list {
		w.next()
		w.component(&list[i])
	}
	w.close(']')
}

func (w *writer) component(c *Component) {
	w.open('{', false)
	w.text("id", c.ID)
	w.text("type", c.Type)
	w.text("block", c.Block)
	w.strings("pattern", c.Pattern)
	w.text("name", c.Name)
	if c.Repeat != 0 {
		w.raw("repeat", strconv.FormatInt(c.Repeat, 10))
	}
	w.text("first", c.First)
	if c.Share {
		w.raw("share", "true")
	}
	w.object("with", c.With)
	w.each(c.Each)
	w.object("params", c.Params)
	w.inputs(c)
	w.text("sharedWith", c.SharedWith.ID)
	w.extras(c.Extra)
	w.close('}')
}

func (w *writer) each(list []Each) {
	if len(list) == 0 {
		return
	}
	w.key("each")
	w.open('{', false)
	for _, e := range list {
		w.key(e.Name)
		w.open('[', false)
		for _, v := range e.Values {
			w.next()
			w.b = append(w.b, v.Value...)
		}
		w.close(']')
	}
	w.close('}')
}

func (w *writer) inputs(c *Component) {
	if !c.HasInputs && len(c.Inputs) == 0 {
		return
	}
	w.key("inputs")
	w.open('[', false)
	for _, in := range c.Inputs {
		w.next()
		w.quote(in.ID)
	}
	w.close(']')
}

func (w *writer) connections(list []Connection) {
	if len(list) == 0 {
		return
	}
	w.key("connections")
	w.open('[', true)
	for i := range list {
		c := &list[i]
		w.next()
		w.open('{', false)
		w.text("from", c.From)
		w.text("to", c.To)
		w.extras(c.Extra)
		w.close('}')
	}
	w.close(']')
}

func (w *writer) blocks(list []Block) {
	if len(list) == 0 {
		return
	}
	w.key("blocks")
	w.open('{', true)
	for i := range list {
		b := &list[i]
		w.key(b.Name)
		w.open('{', true)
		w.strings("inputs", b.Inputs)
		w.components(b.Components)
		w.text("output", b.Output)
		w.extras(b.Extra)
		w.close('}')
	}
	w.close('}')
}
