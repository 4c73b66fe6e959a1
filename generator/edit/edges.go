package edit

import (
	"fmt"
	"slices"
)

// Connect adds an edge.
type Connect struct {
	From string `json:"from" kind:"source" doc:"what is read: a component, or an input of the block"`
	To   string `json:"to" kind:"component" doc:"the component that reads it"`
	In   string `json:"in,omitempty" kind:"block" doc:"block that both are in; empty for the document itself, or where the ids tell"`
	At   int    `json:"at,omitempty" kind:"number" doc:"which operand it becomes, from 1; the last where this is left out"`
}

func (c *Connect) draft(d *draft) (string, error) {
	s, k, err := d.find(c.In, c.To)
	if err != nil {
		return "", err
	}
	from, err := d.source(s, c.From)
	if err != nil {
		return "", err
	}
	ids := s.operands(k)
	at := len(ids)
	if c.At != 0 {
		at = c.At - 1
	}
	if at < 0 || at > len(ids) {
		return "", fmt.Errorf("%q reads %d; at is %d, expected 1 to %d", s.list[k].ID, len(ids), c.At, len(ids)+1)
	}
	s.sources[k] = slices.Insert(slices.Clone(ids), at, from)
	return fmt.Sprintf("connected %q to %q%s", from, s.list[k].ID, s.where()), nil
}

// Disconnect takes an edge away.
type Disconnect struct {
	From string `json:"from" kind:"source" doc:"what is read"`
	To   string `json:"to" kind:"component" doc:"the component that reads it"`
	In   string `json:"in,omitempty" kind:"block" doc:"block that both are in; empty for the document itself, or where the ids tell"`
}

func (c *Disconnect) draft(d *draft) (string, error) {
	s, k, err := d.find(c.In, c.To)
	if err != nil {
		return "", err
	}
	from, err := d.edge(s, k, c.From)
	if err != nil {
		return "", err
	}
	ids := s.operands(k)
	at := slices.Index(ids, from)
	s.sources[k] = slices.Delete(slices.Clone(ids), at, at+1)
	return fmt.Sprintf("disconnected %q from %q%s", from, s.list[k].ID, s.where()), nil
}

// edge is the operand of a component that a name means. It may be one that does
// not exist: such an edge can be taken away too.
func (d *draft) edge(s *scope, k int, name string) (string, error) {
	ids := s.operands(k)
	if slices.Contains(ids, name) {
		return name, nil
	}
	if id, err := d.source(s, name); err == nil && slices.Contains(ids, id) {
		return id, nil
	}
	return "", notRead(s, k, name)
}

// Rewire gives a component another operand in the place of one.
type Rewire struct {
	Place
	Old string `json:"old" kind:"source" doc:"what it reads now"`
	New string `json:"new" kind:"source" doc:"what it is to read"`
}

func (c *Rewire) draft(d *draft) (string, error) {
	s, k, err := d.find(c.In, c.Component)
	if err != nil {
		return "", err
	}
	old, err := d.edge(s, k, c.Old)
	if err != nil {
		return "", err
	}
	to, err := d.source(s, c.New)
	if err != nil {
		return "", err
	}
	ids := slices.Clone(s.operands(k))
	ids[slices.Index(ids, old)] = to
	s.sources[k] = ids
	return fmt.Sprintf("%q%s reads %q in the place of %q", s.list[k].ID, s.where(), to, old), nil
}

// Output lets a block yield another of its components.
type Output struct {
	In        string `json:"in" kind:"block" doc:"the block"`
	Component string `json:"component" kind:"source" doc:"what it yields"`
}

func (c *Output) draft(d *draft) (string, error) {
	s, err := d.scope(c.In)
	if err != nil {
		return "", err
	}
	id, err := d.source(s, c.Component)
	if err != nil {
		return "", err
	}
	was := s.output
	s.output = id
	return fmt.Sprintf("block %q yields %q in the place of %q", c.In, id, was), nil
}
