package graph

import (
	"bytes"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Again decodes a text that differs from that of a document within one of its
// components: it reads that one and takes over the others, which takes a small
// part of the time of Decode. ok is false for any other text, and for one with a
// fault; Decode tells.
func (doc *Document) Again(text string) (_ *Document, ok bool) {
	old := doc.Source.Text
	from, tail := 0, 0
	for most := min(len(old), len(text)); from < most && old[from] == text[from]; from++ {
	}
	for most := min(len(old), len(text)) - from; tail < most && old[len(old)-1-tail] == text[len(text)-1-tail]; tail++ {
	}
	m := &moved{after: len(old) - tail, by: len(text) - len(old)}
	// The last component that begins before the change, and what stands behind it.
	at, found := slices.BinarySearchFunc(doc.Components, from, func(c Component, from int) int { return c.Pos - from })
	if found || at == 0 || at == len(doc.Components) || len(text) > MaxBytes {
		return nil, false
	}
	at--
	start, next := doc.Components[at].Pos, doc.Components[at+1].Pos
	if next < m.after || start >= next {
		return nil, false
	}
	next += m.by
	c, length, ok := one(doc.Source.Name, text[start:next])
	if !ok || strings.Trim(text[start+length:next], " \t\r\n") != "," {
		return nil, false
	}
	again := *doc
	again.Source = &Source{Name: doc.Source.Name, Text: text}
	again.Components = m.components(doc.Components)
	(&moved{by: start}).component(&c)
	c.Pos = start
	again.Components[at] = c
	again.Connections = slices.Clone(doc.Connections)
	for i := range again.Connections {
		c := &again.Connections[i]
		c.Extra = m.params(c.Extra)
		m.all(&c.FromPos, &c.ToPos)
	}
	again.Blocks = slices.Clone(doc.Blocks)
	for i := range again.Blocks {
		b := &again.Blocks[i]
		b.Components, b.Extra = m.components(b.Components), m.params(b.Extra)
		m.all(&b.Pos, &b.OutputPos)
	}
	again.Extra = m.params(doc.Extra)
	m.all(&again.IDPos, &again.NamePos, &again.RealParamCountPos)
	return &again, true
}

// outer is how many levels a component of a document stands in.
const outer = 2

// one reads the component that a text begins with, and how long it is.
func one(name, text string) (c Component, length int, ok bool) {
	d := &decoder{src: &Source{Name: name, Text: text}, dec: jsontext.NewDecoder(bytes.NewBufferString(text)), outer: outer}
	defer func() {
		if r := recover(); r != nil {
			if _, failed := r.(*Error); !failed {
				panic(r)
			}
			ok = false
		}
	}()
	d.component(&c)
	return c, int(d.dec.InputOffset()), true
}

// moved is where what stood behind a place of a text stands now. Lists of what
// has places are copied.
type moved struct{ after, by int }

func (m *moved) all(places ...*int) {
	for _, p := range places {
		if *p >= m.after && *p > 0 { // 0 is the place of what is not there
			*p += m.by
		}
	}
}

func (m *moved) components(list []Component) []Component {
	list = slices.Clone(list)
	for i := range list {
		m.component(&list[i])
	}
	return list
}

func (m *moved) component(c *Component) {
	c.Params, c.With, c.Extra = m.params(c.Params), m.params(c.With), m.params(c.Extra)
	c.Inputs = slices.Clone(c.Inputs)
	for i := range c.Inputs {
		m.all(&c.Inputs[i].Pos)
	}
	c.Each = slices.Clone(c.Each)
	for i := range c.Each {
		c.Each[i].Values = m.params(c.Each[i].Values)
		m.all(&c.Each[i].Pos)
	}
	m.all(&c.SharedWith.Pos, &c.Pos, &c.TypePos)
}

func (m *moved) params(list []Param) []Param {
	list = slices.Clone(list)
	for i := range list {
		m.all(&list[i].Pos)
	}
	return list
}
