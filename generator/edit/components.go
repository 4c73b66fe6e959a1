package edit

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/strata-catalog/strata/generator/facts"
	"github.com/strata-catalog/strata/generator/graph"
	"github.com/strata-catalog/strata/generator/layer"
)

// A Place names a component of a document.
type Place struct {
	Component string `json:"component" kind:"component" doc:"id of the component, or its path in the expanded graph"`
	In        string `json:"in,omitempty" kind:"block" doc:"block that the component is in; empty for the document itself, or where the id tells"`
}

// A New is a component to be added.
type New struct {
	ID     string      `json:"id" kind:"text" doc:"id of the new component, such as dropout"`
	Type   string      `json:"type,omitempty" kind:"type" doc:"layer type; leave out for a use of a block"`
	Use    string      `json:"use,omitempty" kind:"block" doc:"block to use, in the place of a type"`
	Repeat int         `json:"repeat,omitempty" kind:"number" doc:"instances of the block"`
	Name   string      `json:"name,omitempty" kind:"text" doc:"name to show; the id where it is left out"`
	Params facts.Value `json:"params,omitempty" kind:"parameters" doc:"parameters of the layer, or the values of the block"`
	In     string      `json:"in,omitempty" kind:"block" doc:"block to add it to; empty for the document itself"`
}

// component makes a component of it.
func (n *New) component(s *scope) (c graph.Component, err error) {
	if err := s.free(n.ID); err != nil {
		return c, err
	}
	params, err := members(n.Params)
	if err != nil {
		return c, err
	}
	c = graph.Component{ID: n.ID, Type: n.Type, Block: n.Use, Name: n.Name, Repeat: int64(n.Repeat)}
	switch {
	case (n.Type == "") == (n.Use == ""):
		return c, fmt.Errorf("a new component needs a type (a layer) or use (a block), and not both")
	case n.Type != "" && n.Repeat != 0:
		return c, fmt.Errorf("repeat belongs to a use of a block; %s is a layer", n.Type)
	case n.Type != "":
		c.Params = params
	default:
		c.With = params
	}
	return c, nil
}

// what is the new component in words: "drop" (dropout).
func (n *New) what() string {
	if n.Type == "" {
		return fmt.Sprintf("%q (block %s)", n.ID, n.Use)
	}
	return fmt.Sprintf("%q (%s)", n.ID, n.Type)
}

// members reads an object as parameters.
func members(object facts.Value) ([]graph.Param, error) {
	if object == "" {
		return nil, nil
	}
	return graph.DecodeParams("params", string(object))
}

// Add adds a component.
type Add struct {
	New
	Inputs []string `json:"inputs,omitempty" kind:"sources" doc:"ids of what it reads, in the order of its operands"`
	After  string   `json:"after,omitempty" kind:"component" doc:"where it stands in the list; behind what it reads where this is left out"`
}

func (c *Add) draft(d *draft) (string, error) {
	s, err := d.scope(c.In)
	if err != nil {
		return "", err
	}
	n, err := c.component(s)
	if err != nil {
		return "", err
	}
	ids, err := d.sources(s, c.Inputs)
	if err != nil {
		return "", err
	}
	before := s.behind(ids)
	if c.After != "" {
		in, k, err := d.find(c.In, c.After)
		if err != nil {
			return "", err
		}
		if in != s {
			return "", fmt.Errorf("%q is not%s", c.After, s.orTop())
		}
		before = k + 1
	}
	s.add(before, n, ids)
	return fmt.Sprintf("added %s%s", c.what(), s.where()), nil
}

// orTop tells the scope where it is not clear.
func (s *scope) orTop() string {
	if s.block == nil {
		return " in the document itself"
	}
	return s.where()
}

// Insert adds a component between two.
type Insert struct {
	New
	From string `json:"from" kind:"source" doc:"what the new component reads"`
	To   string `json:"to,omitempty" kind:"component" doc:"what reads the new component from now on; everything that read from where this is left out"`
}

func (c *Insert) draft(d *draft) (string, error) {
	s, from, err := d.end(c.In, c.From)
	if err != nil {
		return "", err
	}
	n, err := c.component(s)
	if err != nil {
		return "", err
	}
	before := 0 // an input of a block is there before all of its components
	if k, ok := s.index[from]; ok {
		before = k + 1
	}
	done := fmt.Sprintf("inserted %s behind %q%s", c.what(), from, s.where())
	if c.To == "" {
		if !s.read(from) {
			return "", fmt.Errorf("nothing reads %q; add the component instead, with it as an input", from)
		}
		s.redirect(from, c.ID)
	} else {
		k, err := d.reader(s, c.To)
		if err != nil {
			return "", err
		}
		ids := s.operands(k)
		if !slices.Contains(ids, from) {
			return "", notRead(s, k, from)
		}
		s.sources[k] = replaced(ids, from, c.ID)
		done = fmt.Sprintf("inserted %s between %q and %q%s", c.what(), from, s.list[k].ID, s.where())
	}
	s.add(before, n, []string{from})
	return done, nil
}

// end is a component that is read, or an input of a block, with its scope.
func (d *draft) end(in, name string) (*scope, string, error) {
	s, k, err := d.find(in, name)
	if err == nil {
		return s, s.list[k].ID, nil
	}
	s, other := d.scope(in)
	if other != nil {
		return nil, "", other
	}
	id, other := d.source(s, name)
	if other != nil {
		return nil, "", err
	}
	return s, id, nil
}

// reader is a component of a scope that reads another of it.
func (d *draft) reader(s *scope, id string) (int, error) {
	prefix := s.prefix
	in, k, err := d.find(s.name(), id)
	if err != nil && s.block != nil {
		in, k, err = d.find("", id)
	}
	switch {
	case err != nil:
		return 0, err
	case in != s:
		return 0, fmt.Errorf("%q is not%s; an edge stays within a block", id, s.orTop())
	case prefix != "" && s.prefix != prefix:
		return 0, fmt.Errorf("%q is of another instance of block %q: what a block yields is the first input of the next", id, s.name())
	}
	return k, nil
}

func notRead(s *scope, k int, from string) error {
	ids := s.operands(k)
	if len(ids) == 0 {
		return fmt.Errorf("%q reads nothing", s.list[k].ID)
	}
	return fmt.Errorf("%q does not read %q; it reads %s", s.list[k].ID, from, strings.Join(ids, ", "))
}

// Edit changes a component.
type Edit struct {
	Place
	Params facts.Value `json:"params,omitempty" kind:"parameters" doc:"parameters to set, or the values of a block; null removes one"`
	Type   string      `json:"type,omitempty" kind:"type" doc:"another layer type; parameters that it does not know go"`
	Name   string      `json:"name,omitempty" kind:"text" doc:"another name to show"`
}

func (c *Edit) draft(d *draft) (string, error) {
	s, k, err := d.find(c.In, c.Component)
	if err != nil {
		return "", err
	}
	given, err := members(c.Params)
	if err != nil {
		return "", err
	}
	if c.Type == "" && c.Name == "" && len(given) == 0 {
		return "", fmt.Errorf("nothing to change: give params, type or name")
	}
	n := &s.list[k]
	var done []string
	if c.Name != "" {
		s.set = append(s.set, graph.Add(s.at(k)+"/name", graph.Quote(c.Name)))
		done = append(done, fmt.Sprintf("name %q", c.Name))
	}
	typ := n.Type
	if c.Type != "" {
		if n.IsBlock() {
			return "", fmt.Errorf("%q uses a block and has no type", n.ID)
		}
		typ = c.Type
		s.set = append(s.set, graph.Replace(s.at(k)+"/type", graph.Quote(c.Type)))
		done = append(done, fmt.Sprintf("type %s → %s", n.Type, c.Type))
	}
	said, err := s.params(k, given, typ)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("changed %q%s: %s", n.ID, s.where(), strings.Join(append(done, said...), ", ")), nil
}

// params gives a component other parameters. What is not named stays, unless a
// new type does not know it.
func (s *scope) params(k int, given []graph.Param, typ string) (done []string, err error) {
	c := &s.list[k]
	member, old := "params", c.Params
	if c.IsBlock() {
		member, old = "with", c.With
		for _, e := range c.Each {
			if slices.ContainsFunc(given, func(p graph.Param) bool { return p.Name == e.Name }) {
				return nil, fmt.Errorf("%q gives each instance a %s of its own; change the list with the operation patch at %s/each/%s", c.ID, e.Name, s.at(k), graph.EscapeStep(e.Name))
			}
		}
	}
	t, known := layer.Lookup(typ)
	same := func(a, b string) bool { return a == b || known && t.Canonical(a) == t.Canonical(b) }
	path := s.at(k) + "/" + member
	set := map[string]bool{}
	var fresh []string
	for _, p := range given {
		at := slices.IndexFunc(old, func(q graph.Param) bool { return q.Name == p.Name })
		if at < 0 {
			at = slices.IndexFunc(old, func(q graph.Param) bool { return same(q.Name, p.Name) })
		}
		switch {
		case at < 0 && p.Value == "null":
			return nil, fmt.Errorf("%q has no %s to remove%s", c.ID, p.Name, listed("; it has ", names(old)))
		case at < 0 && len(old) == 0:
			fresh = append(fresh, graph.Quote(p.Name)+":"+p.Value)
			done = append(done, p.Name+" "+p.Value)
		case at < 0:
			s.set = append(s.set, graph.Add(path+"/"+graph.EscapeStep(p.Name), p.Value))
			done = append(done, p.Name+" "+p.Value)
		case p.Value == "null":
			s.set = append(s.set, graph.Remove(path+"/"+graph.EscapeStep(old[at].Name)))
			done = append(done, "− "+old[at].Name)
			set[old[at].Name] = true
		default:
			s.set = append(s.set, graph.Replace(path+"/"+graph.EscapeStep(old[at].Name), p.Value))
			done = append(done, fmt.Sprintf("%s %s → %s", old[at].Name, old[at].Value, p.Value))
			set[old[at].Name] = true
		}
	}
	if len(fresh) > 0 {
		s.set = append(s.set, graph.Add(path, "{"+strings.Join(fresh, ",")+"}"))
	}
	if known && typ != c.Type && !c.IsBlock() {
		for _, p := range old {
			if _, ok := t.Field(p.Name); !ok && !set[p.Name] {
				s.set = append(s.set, graph.Remove(path+"/"+graph.EscapeStep(p.Name)))
				done = append(done, "− "+p.Name)
			}
		}
	}
	return done, nil
}

func names(params []graph.Param) []string {
	list := make([]string, len(params))
	for i, p := range params {
		list[i] = p.Name
	}
	return list
}

// Rename gives a component another id.
type Rename struct {
	Place
	To string `json:"to" kind:"text" doc:"the new id"`
}

func (c *Rename) draft(d *draft) (string, error) {
	s, k, err := d.find(c.In, c.Component)
	if err != nil {
		return "", err
	}
	if err := s.free(c.To); err != nil {
		return "", err
	}
	id := s.list[k].ID
	s.set = append(s.set, graph.Replace(s.at(k)+"/id", graph.Quote(c.To)))
	s.renamed = map[string]string{id: c.To}
	follow := func(name string) (string, bool) {
		if name == id {
			return c.To, true
		}
		below, ok := strings.CutPrefix(name, id+".")
		if _, other := s.index[name]; ok && !other && s.list[k].IsBlock() {
			return c.To + "." + below, true
		}
		return name, false
	}
	for j := range s.list {
		for _, from := range s.operands(j) {
			if to, ok := follow(from); ok {
				s.sources[j] = replaced(s.operands(j), from, to)
			}
		}
		n := &s.list[j]
		if to, ok := follow(n.SharedWith.ID); ok {
			s.set = append(s.set, graph.Replace(s.at(j)+"/sharedWith", graph.Quote(to)))
		}
		for _, p := range n.Params {
			if name, err := strconv.Unquote(p.Value); p.Name == "tiedTo" && err == nil {
				if to, ok := follow(name); ok {
					s.set = append(s.set, graph.Replace(s.at(j)+"/params/tiedTo", graph.Quote(to)))
				}
			}
		}
	}
	if to, ok := follow(s.output); ok && s.block != nil {
		s.output = to
	}
	return fmt.Sprintf("renamed %q to %q%s", id, c.To, s.where()), nil
}

// Remove takes a component out.
type Remove struct {
	Place
	Instead string `json:"instead,omitempty" kind:"source" doc:"what its readers read instead; its only input where this is left out"`
	Readers string `json:"readers,omitempty" kind:"text" enum:"bridge,refuse" doc:"bridge (the default) connects its readers to what it read; refuse removes it only if nothing reads it"`
}

func (c *Remove) draft(d *draft) (string, error) {
	s, k, err := d.find(c.In, c.Component)
	if err != nil {
		return "", err
	}
	id := s.list[k].ID
	s.gone[k] = true
	if err := s.unnamed(id); err != nil {
		return "", err
	}
	done := fmt.Sprintf("removed %q%s", id, s.where())
	if !s.read(id) {
		return done, nil
	}
	if c.Readers == "refuse" {
		return "", fmt.Errorf("%q is read by %s; connect them to something else first, or remove it with readers: bridge", id, strings.Join(s.readers(id), ", "))
	}
	instead, ids := "", s.operands(k)
	switch {
	case c.Instead != "":
		if instead, err = d.source(s, c.Instead); err != nil {
			return "", err
		}
		if instead == id {
			return "", fmt.Errorf("%q goes; name another component as instead", id)
		}
	case len(ids) == 1:
		instead = ids[0]
	case len(ids) == 0:
		return "", fmt.Errorf("%q reads nothing that %s could read; name a component as instead", id, strings.Join(s.readers(id), ", "))
	default:
		return "", fmt.Errorf("%q reads %s; say with instead which of them, or what else, %s should read", id, strings.Join(ids, ", "), strings.Join(s.readers(id), ", "))
	}
	readers := s.readers(id)
	s.redirect(id, instead)
	return fmt.Sprintf("%s; %q now feeds %s", done, instead, strings.Join(readers, ", ")), nil
}

// unnamed refuses to remove a component whose weights another one has.
func (s *scope) unnamed(id string) error {
	for j := range s.list {
		if c := &s.list[j]; !s.gone[j] && c.SharedWith.ID == id {
			return fmt.Errorf("%q has the weights of %q (sharedWith); remove it first", c.ID, id)
		}
	}
	return nil
}

// readers names what reads a component.
func (s *scope) readers(id string) (list []string) {
	for k := range s.list {
		if !s.gone[k] && slices.Contains(s.operands(k), id) {
			list = append(list, strconv.Quote(s.list[k].ID))
		}
	}
	if s.block != nil && s.output == id {
		list = append(list, "the output of the block")
	}
	return list
}
