package adopt

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/strata-catalog/strata/generator/graph"
	"github.com/strata-catalog/strata/generator/words"
)

// The largest numbers that a configuration may hold. They lie far above every
// model there is.
const (
	maxSize   = 1 << 31 // of one axis
	maxLayers = 10_000
)

// A member is one field as written.
type member struct {
	value jsontext.Value
	pos   int
}

// config is a configuration while a document is made of it. The first thing
// that is wrong stays in err; getters then return values that are safe to
// reckon with, so that builders need not ask.
type config struct {
	src      *graph.Source
	path     string // of a nested object, with a dot behind it
	family   *Family
	model    string // model_type
	id       string
	members  map[string]member
	order    []string
	err      error
	warnings []string
	masked   bool // the head predicts masked tokens
}

// parse reads one JSON object.
func parse(name string, src []byte) (*config, error) {
	src = bytes.TrimPrefix(src, []byte("\ufeff"))
	c := &config{src: &graph.Source{Name: name, Text: string(src)}}
	src = finite(src)
	d := jsontext.NewDecoder(bytes.NewReader(src))
	if err := c.read(d, 0); err != nil {
		return nil, err
	}
	if _, err := d.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, c.src.Errorf(int(d.InputOffset()), "", "found more after the end of the configuration, expected one JSON object")
	}
	return c, nil
}

// numberless are the numbers that Python writes and JSON does not have, and
// texts of the same length in their place.
var numberless = strings.NewReplacer("-Infinity", `"-inf"   `, "Infinity", `"inf"   `, "NaN", `"?"`)

// finite makes texts of numbers that JSON does not have. Nothing moves.
func finite(src []byte) []byte {
	parts := strings.Split(strings.ReplaceAll(string(src), `\\`, "\x00\x00"), `"`)
	quoted := false
	for i, part := range parts {
		if !quoted {
			parts[i] = numberless.Replace(part)
		}
		quoted = quoted != !strings.HasSuffix(part, `\`)
	}
	return []byte(strings.ReplaceAll(strings.Join(parts, `"`), "\x00\x00", `\\`))
}

// read reads the members of an object that begins at base.
func (c *config) read(d *jsontext.Decoder, base int) error {
	c.members = map[string]member{}
	if kind := d.PeekKind(); kind != '{' && kind != jsontext.KindInvalid {
		return c.src.Errorf(base, "", "found %s, expected the JSON object of a config.json", kinds[kind])
	}
	if _, err := d.ReadToken(); err != nil {
		return c.syntax(d, base, err)
	}
	for d.PeekKind() != '}' {
		key, err := d.ReadValue()
		if err != nil {
			return c.syntax(d, base, err)
		}
		name := text(key)
		value, err := d.ReadValue()
		if err != nil {
			return c.syntax(d, base, err)
		}
		value = value.Clone()
		c.members[name] = member{value, base + int(d.InputOffset()) - len(value)}
		c.order = append(c.order, name)
	}
	_, err := d.ReadToken()
	return err
}

// syntax turns an error of the tokenizer into one with its place.
func (c *config) syntax(d *jsontext.Decoder, base int, err error) error {
	at, msg := int(d.InputOffset()), err.Error()
	var se *jsontext.SyntacticError
	if errors.As(err, &se) {
		at, msg = int(se.ByteOffset), se.Err.Error()
	}
	return c.src.Errorf(base+at, "", "not a configuration in JSON: %s", msg)
}

// nested is the configuration inside a member.
func (c *config) nested(m member) (*config, error) {
	n := &config{src: c.src, family: c.family, model: c.model, id: c.id}
	return n, n.read(jsontext.NewDecoder(bytes.NewReader(m.value)), m.pos)
}

// fail keeps the first error.
func (c *config) fail(at int, field, format string, args ...any) {
	if c.err == nil {
		if field != "" {
			field = c.path + field
		}
		c.err = c.src.Errorf(at, field, format, args...)
	}
}

func (c *config) warn(at int, format string, args ...any) {
	c.warnings = append(c.warnings, c.src.At(at).String()+": "+fmt.Sprintf(format, args...))
}

// contradict reports that a field does not go with others.
func (c *config) contradict(name, format string, args ...any) {
	at, name := c.place(name)
	c.fail(at, name, format, args...)
}

// unsaid warns that a field changes what the model computes, and that the
// document does not say it.
func (c *config) unsaid(name, what string) {
	at, name := c.place(name)
	c.warn(at, "%s%s is not in the document: %s", c.path, name, what)
}

// place is where a field stands, and the name it has there.
func (c *config) place(name string) (int, string) {
	names := []string{name}
	if f := c.family.field(name); f != nil {
		names = append(names, f.Also...)
	}
	for _, n := range names {
		if m, ok := c.members[n]; ok {
			return m.pos, n
		}
	}
	return 0, name
}

// unread warns of fields that the family does not declare and that are not
// harmless.
func (c *config) unread() {
	for _, name := range c.order {
		m := c.members[name]
		if m.value.Kind() == 'n' || c.family.declares(name) || slices.Contains(harmless, name) || slices.Contains(c.family.Harmless, name) {
			continue
		}
		c.warn(m.pos, "%s%s is not read by the import of %s; if it changes the architecture, so must the document", c.path, printable(name), c.family.Name)
	}
}

// find is a field's declaration and its member, which is nil where it is absent.
// A field that the family does not declare is null.
func (c *config) find(name string) (f *Field, m *member) {
	f = c.family.field(name)
	if f == nil {
		return nil, nil
	}
	var first string
	for _, n := range append([]string{name}, f.Also...) {
		found, ok := c.members[n]
		switch {
		case !ok:
		case m == nil:
			m, first = &found, n
		case found.value.Kind() != 'n' && m.value.Kind() != 'n' && !bytes.Equal(found.value, m.value):
			c.fail(found.pos, n, "found %s, but %s, another name of the same field, is %s; remove one of them", short(found.value), first, short(m.value))
		case m.value.Kind() == 'n':
			m, first = &found, n
		}
	}
	if m == nil && f.Required && f.Default == nil {
		c.fail(0, name, "is missing, expected %s", f.expects())
	}
	return f, m
}

// value is what a field holds: nil where it is null. A member of the wrong kind
// is reported.
func value[T any](c *config, name string, read func(*Field, jsontext.Value) (T, bool)) (v T, ok bool) {
	f, m := c.find(name)
	switch {
	case f == nil:
		return v, false
	case m == nil || m.value.Kind() == 'n' && !f.nullable():
		if m != nil && f.Required {
			c.contradict(name, "found null, expected %s", f.expects())
		}
		v, ok = f.Default.(T)
		return v, ok
	case m.value.Kind() == 'n':
		return v, false
	}
	if v, ok = read(f, m.value); !ok {
		c.contradict(name, "found %s, expected %s", short(m.value), f.expects())
	}
	return v, ok
}

// count is a whole number of at least 1, or 0 where the field is null. It is 1
// where the field is wrong.
func (c *config) count(name string) int64 {
	before := c.err
	n, _ := value(c, name, func(f *Field, v jsontext.Value) (int64, bool) {
		n, ok := whole(v, f.limit())
		return n, ok && (n > 0 || !f.Required)
	})
	if n == 0 && (c.err != before || c.family.field(name).required()) {
		return 1
	}
	return n
}

// whole reads an integer from 1 to a limit; 2.0 is one too.
func whole(v jsontext.Value, limit int64) (int64, bool) {
	x, err := strconv.ParseFloat(string(v), 64)
	if v.Kind() != '0' || err != nil || x != math.Trunc(x) || x < 0 || x > float64(limit) {
		return 0, false
	}
	return int64(x), true
}

// number is a finite number.
func (c *config) number(name string) float64 {
	x, _ := value(c, name, func(_ *Field, v jsontext.Value) (float64, bool) {
		x, err := strconv.ParseFloat(string(v), 64)
		return x, v.Kind() == '0' && err == nil && x >= 0 && x <= graph.MaxNumber
	})
	return x
}

func (c *config) flag(name string) bool {
	b, _ := value(c, name, func(_ *Field, v jsontext.Value) (bool, bool) {
		return v.Kind() == 't', v.Kind() == 't' || v.Kind() == 'f'
	})
	return b
}

// word is one of the words of a field.
func (c *config) word(name string) string {
	s, _ := value(c, name, func(f *Field, v jsontext.Value) (string, bool) {
		s := text(v)
		return s, v.Kind() == '"' && (len(f.Words) == 0 || slices.Contains(f.Words, s))
	})
	return s
}

// list reads a list, each element of it by read.
func list[T any](c *config, name string) []T {
	l, _ := value(c, name, func(_ *Field, v jsontext.Value) (l []T, ok bool) {
		return l, v.Kind() == '[' && json.Unmarshal(v, &l) == nil
	})
	return l
}

// part is the object of a field with fields of its own, nil where it is null.
// done is called when all of it has been read.
func (c *config) part(name string, fields []Field) (p *config, done func()) {
	m, ok := value(c, name, func(_ *Field, v jsontext.Value) (jsontext.Value, bool) { return v, v.Kind() == '{' })
	if !ok {
		return nil, nil
	}
	at, name := c.place(name)
	p, err := c.nested(member{m, at})
	if err != nil {
		c.fail(at, name, "%v", err)
		return nil, nil
	}
	p.path = c.path + name + "."
	p.family = &Family{Name: c.family.Name, Fields: fields, Harmless: harmlessParts}
	return p, func() {
		p.unread()
		c.warnings = append(c.warnings, p.warnings...)
		if c.err == nil {
			c.err = p.err
		}
	}
}

// object is part, an empty object where the field is null.
func (c *config) object(name string, fields []Field) (p *config, done func()) {
	if p, done = c.part(name, fields); p == nil {
		p = &config{src: c.src, path: c.path + name + ".", model: c.model, id: c.id, members: map[string]member{}, family: &Family{Name: c.family.Name, Fields: fields}}
		done = func() {
			c.warnings = append(c.warnings, p.warnings...)
			if c.err == nil {
				c.err = p.err
			}
		}
	}
	return p, done
}

// layers is the number of layers, which is 1 where nothing can be built.
func (c *config) layers(name string) int64 { return max(1, c.count(name)) }

// perLayer checks that a list has one element for each layer.
func perLayer[T any](c *config, name string, l []T, layers int64) bool {
	if int64(len(l)) == layers {
		return true
	}
	c.contradict(name, "lists %d layers, but there are %d", len(l), layers)
	return false
}

// text is a JSON text without its quotes.
func text(v jsontext.Value) string {
	b, _ := jsontext.AppendUnquote(nil, v)
	return string(b)
}

// kinds are the words for what a JSON value is.
var kinds = map[jsontext.Kind]string{
	'n': "null", 't': "true", 'f': "false", '"': "a text", '0': "a number", '{': "an object", '[': "a list",
}

func kindOf(v jsontext.Value) string { return kinds[v.Kind()] }

// short is a value as it stands in a message.
func short(v jsontext.Value) string {
	switch v.Kind() {
	case '{', '[':
		return kindOf(v)
	case '"':
		return words.Quote(text(v))
	}
	if len(v) > 40 {
		return string(v[:37]) + "..."
	}
	return string(v)
}

// printable is a member's name in a message.
func printable(name string) string {
	if q := words.Quote(name); q != `"`+name+`"` {
		return q
	}
	return name
}
