package mcp

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/strata-catalog/strata/generator/edit"
	"github.com/strata-catalog/strata/generator/facts"
	"github.com/strata-catalog/strata/generator/ops"
	"github.com/strata-catalog/strata/generator/verify"
	"github.com/strata-catalog/strata/generator/words"
)

// A working copy is a model that is edited. Its name is hard to guess: over
// HTTP, agents share a server.
type working struct {
	name string
	mu   sync.Mutex
	// Guarded by mu.
	session *edit.Session
	file    string // that it was read from or written to, "" for none
	written []byte // what stood there
}

func (w *working) text() jsontext.Value {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.session.Text()
}

// Limits of what a server keeps: beyond either, the copy goes that was not used
// for longest.
const (
	mostCopies     = 32
	mostComponents = 500_000 // of the expanded graphs of all copies
)

// copies are the working copies of a server, the one used last at the end.
type copies struct {
	mu   sync.Mutex
	list []*working
	size map[string]int // components, by name
}

// add keeps a copy under a new name.
func (c *copies) add(w *working) {
	w.name = "copy-" + strings.ToLower(rand.Text()[:8])
	size := len(w.session.Report().Model.Nodes)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.size == nil {
		c.size = map[string]int{}
	}
	c.list = append(c.list, w)
	c.size[w.name] = size
	c.trim()
}

// trim drops the copies that are too many, never the last.
func (c *copies) trim() {
	total := 0
	for k := len(c.list) - 1; k >= 0; k-- {
		name := c.list[k].name
		total += c.size[name]
		if k < len(c.list)-1 && (total > mostComponents || len(c.list)-k > mostCopies) {
			for _, w := range c.list[:k+1] {
				delete(c.size, w.name)
			}
			c.list = slices.Clone(c.list[k+1:])
			return
		}
	}
}

// find is the copy of a name, which is used then.
func (c *copies) find(name string) (*working, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	k := slices.IndexFunc(c.list, func(w *working) bool { return w.name == name })
	if k < 0 {
		return nil, false
	}
	w := c.list[k]
	c.list = append(slices.Delete(c.list, k, k+1), w)
	return w, true
}

// grown notes how large a copy is now.
func (c *copies) grown(w *working, components int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, kept := c.size[w.name]; kept {
		c.size[w.name] = components
		c.trim()
	}
}

// copy finds a copy, or says how to get one.
func (s *server) copy(name string) (*working, error) {
	if w, ok := s.copies.find(name); ok {
		return w, nil
	}
	return nil, fmt.Errorf("there is no copy %s; open a model, which answers with the name of its copy (of old ones the last %d are kept)", words.Quote(name), mostCopies)
}

// OpenParams are the parameters of open.
type OpenParams struct {
	ops.Subject
	File string `json:"file,omitempty" doc:"where save writes it; the file that was read if not given"`
}

// An Opened is the answer of open.
type Opened struct {
	Copy string `json:"copy" doc:"name of the copy"`
	*facts.Check
	Warnings []string `json:"warnings,omitzero" doc:"fields of a configuration that are not in the graph"`
}

// open makes a copy of a model.
func (s *server) open(ctx context.Context, env *ops.Env, in OpenParams) (*Opened, error) {
	var file string
	var there []byte
	if in.File != "" {
		var err error
		if file, err = s.local(in.File, ".json"); err != nil {
			return nil, err
		}
		// What is before and behind the graph in its file belongs to the copy too.
		if there, err = read(s.Folder, file); err == nil && bytes.Equal(bytes.TrimSpace(there), bytes.TrimSpace(in.Model)) {
			in.Model = there
		}
	}
	w, warnings, err := s.working(ctx, env, in.Subject)
	if err != nil {
		return nil, err
	}
	w.file, w.written = file, there
	s.copies.add(w)
	return &Opened{w.name, facts.Checked(w.session.Report()), warnings}, nil
}

// working makes a copy of what a subject names, which is not kept yet.
func (s *server) working(ctx context.Context, env *ops.Env, in ops.Subject) (w *working, warnings []string, err error) {
	if _, err := ops.Check(ctx, env, ops.CheckParams{Subject: in}); err != nil {
		return nil, nil, err // in the words of every door
	}
	name, text, o := "model", []byte(in.Model), verify.Options{Costly: true}
	switch {
	case in.Config != nil:
		made, err := ops.Import(ctx, env, ops.ImportParams{Config: in.Config})
		if err != nil {
			return nil, nil, err
		}
		text, o.MaskedLanguage, warnings = []byte(made.Model), made.MaskedLanguage, made.Warnings
	case in.Template != "":
		m := env.Catalog.Model(in.Template)
		name, text, o.MaskedLanguage = in.Template, []byte(m.Doc.Source.Text), m.Options.MaskedLanguage
	}
	session, err := edit.Open(name, text, o)
	return &working{session: session}, warnings, err
}

// EditParams are the parameters of edit.
type EditParams struct {
	Copy  string           `json:"copy" doc:"as open names it"`
	Edits []jsontext.Value `json:"edits" doc:"{op, …} each, done in order"`
}

// operations tells how each operation is written: what may be left out has a
// question mark.
func operations() string {
	var b strings.Builder
	b.WriteString("op is one of ")
	for _, o := range edit.Operations {
		b.WriteString(o.Name + "(")
		for i, f := range o.Fields {
			if i > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(f.Name)
			if !f.Required {
				b.WriteByte('?')
			}
		}
		b.WriteString("), ")
	}
	b.WriteString("undo, redo. component is an id or path, in a block.")
	return b.String()
}

// An Edited is the answer of edit.
type Edited struct {
	Steps []string `json:"steps" doc:"what was done, a sentence for each edit"`
	*edit.Result
	Was int64 `json:"parameters_before" doc:"parameters before"`
}

// edit does edits on a copy: all of them, or none.
func (s *server) edit(_ context.Context, _ *ops.Env, in EditParams) (*Edited, error) {
	w, err := s.copy(in.Copy)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	next := w.session.Clone()
	steps, err := do(next, in.Edits)
	if err != nil {
		return nil, err
	}
	before := w.session.Report()
	w.session = next
	s.copies.grown(w, len(next.Report().Model.Nodes))
	return &Edited{steps, edit.Between(steps[len(steps)-1], before, next.Report()), before.Model.Params}, nil
}

// do does some edits, and says what each has done.
func do(session *edit.Session, edits []jsontext.Value) (done []string, err error) {
	if len(edits) == 0 {
		return nil, errors.New("edits: nothing to do; give a list of {op, …}")
	}
	for i, e := range edits {
		r, err := one(session, e)
		switch {
		case err != nil && len(edits) > 1:
			return nil, fmt.Errorf("edit %d of %d: %w; none of them was done", i+1, len(edits), err)
		case err != nil:
			return nil, err
		}
		done = append(done, r.Done)
	}
	return done, nil
}

func one(session *edit.Session, e jsontext.Value) (*edit.Result, error) {
	members := map[string]jsontext.Value{}
	var op string
	if json.Unmarshal(e, &members) != nil || json.Unmarshal(members["op"], &op) != nil {
		return nil, errors.New(`expected an object with op, such as {"op": "remove", "component": "drop"}`)
	}
	delete(members, "op")
	switch op {
	case "undo", "redo":
		for name := range members {
			return nil, fmt.Errorf("%s takes no parameter, found %s", op, words.Quote(name))
		}
		if op == "undo" {
			return session.Undo()
		}
		return session.Redo()
	}
	return session.Apply(op, object(members))
}

// ImpactParams are the parameters of impact.
type ImpactParams struct {
	ops.Subject
	Component string           `json:"component,omitempty" doc:"what hangs on it"`
	In        string           `json:"in,omitempty" doc:"block of the component"`
	Edits     []jsontext.Value `json:"edits,omitempty" doc:"as of edit"`
	Base      ops.Side         `json:"base,omitzero" doc:"an earlier state"`
}

// An Impact is the answer of impact: an *edit.Reach or an *edit.Effects.
type Impact struct{ Value any }

// MarshalJSONTo implements json.MarshalerTo.
func (i Impact) MarshalJSONTo(enc *jsontext.Encoder) error {
	return json.MarshalEncode(enc, i.Value, enc.Options())
}

// JSONSchema implements facts.Described.
func (Impact) JSONSchema(d facts.Describer) *facts.Schema {
	return d.AnyOf(edit.Reach{}, edit.Effects{})
}

// impact says what hangs on a component, or what edits would do.
func (s *server) impact(ctx context.Context, env *ops.Env, in ImpactParams) (Impact, error) {
	based := in.Base.Model != nil || in.Base.Config != nil || in.Base.Template != ""
	asked := 0
	for _, is := range []bool{in.Component != "", in.Edits != nil, based} {
		if is {
			asked++
		}
	}
	if asked != 1 {
		return Impact{}, errors.New("give one of component, for what hangs on it; edits, for what they would do; base, for what became of it")
	}
	w, _, err := s.working(ctx, env, in.Subject)
	if err != nil {
		return Impact{}, err
	}
	session := w.session
	if based {
		before, _, err := s.working(ctx, env, in.Base.Subject)
		if err != nil {
			return Impact{}, fmt.Errorf("base: %w", err)
		}
		return Impact{edit.Compare(before.session.Report(), session.Report())}, nil
	}
	if in.Component != "" {
		r, err := session.Reach(edit.Place{Component: in.Component, In: in.In})
		return Impact{r}, err
	}
	before := session.Report()
	if _, err := do(session, in.Edits); err != nil {
		return Impact{}, err
	}
	return Impact{edit.Compare(before, session.Report())}, nil
}

// ReadParams are the parameters of read.
type ReadParams struct {
	Copy string `json:"copy" doc:"as open names it"`
	As   string `json:"as,omitempty" enum:"json,patch,history" doc:"json if not given"`
}

// A Read is the answer of read.
type Read struct {
	Text string `json:"text" doc:"the document, the patch, or a line for each edit"`
}

// read gives out what a copy holds.
func (s *server) read(_ context.Context, _ *ops.Env, in ReadParams) (*Read, error) {
	w, err := s.copy(in.Copy)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	switch in.As {
	case "", "json":
		return &Read{string(w.session.Text())}, nil
	case "patch":
		text, err := json.Marshal(facts.Ops(w.session.Patch()))
		return &Read{string(text)}, err
	case "history":
		words, done := w.session.History()
		for i := range words[done:] {
			words[done+i] += " (undone)"
		}
		return &Read{strings.Join(words, "\n")}, nil
	}
	return nil, fmt.Errorf("as: found %s, expected json, patch or history", words.Quote(in.As))
}

// SaveParams are the parameters of save.
type SaveParams struct {
	Copy      string `json:"copy" doc:"as open names it"`
	File      string `json:"file,omitempty" doc:".json, or .py for PyTorch; the file that was opened if not given"`
	Overwrite bool   `json:"overwrite,omitempty" doc:"replace another file"`
}

// A Saved is the answer of save.
type Saved struct {
	File  string `json:"file" doc:"path of the file in the folder of the server"`
	Bytes int    `json:"bytes" doc:"its size"`
}

// save writes a copy. A file is replaced without being asked only where it is
// what was opened, or written before, and is as it was then.
func (s *server) save(_ context.Context, _ *ops.Env, in SaveParams) (*Saved, error) {
	w, err := s.copy(in.Copy)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	name := in.File
	if name == "" {
		name = w.file
	}
	if name == "" {
		return nil, errors.New("file: the copy is of no file; give the path of one, such as models/tiny.json")
	}
	if name, err = s.local(name, ".json", ".py"); err != nil {
		return nil, err
	}
	text := w.session.Text()
	graph := strings.HasSuffix(name, ".json")
	if !graph {
		m := ops.Posted(name, w.session.Report())
		if err := m.Whole(); err != nil {
			return nil, err
		}
		made, err := m.Export()
		if err != nil {
			return nil, err
		}
		text = []byte(made.Source)
	}
	there, err := read(s.Folder, name)
	switch {
	case err == nil && !in.Overwrite && (name != w.file || w.written == nil || !bytes.Equal(there, w.written)):
		return nil, fmt.Errorf("%s is there already, and is not what this copy was made of; give another file, or overwrite: true", name)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, plain(name, err)
	}
	if err := s.put(name, text); err != nil {
		return nil, err
	}
	if graph {
		w.file, w.written = name, text
	}
	return &Saved{name, len(text)}, nil
}
