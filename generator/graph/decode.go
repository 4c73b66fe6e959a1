package graph

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/strata-catalog/strata/generator/words"

	"github.com/go-json-experiment/json/jsontext"
)

// Decode reads a document. name stands in messages. The error is an *Error.
func Decode(name string, src []byte) (doc *Document, err error) {
	if len(src) > MaxBytes {
		return nil, &Error{Position: Position{File: name}, Msg: fmt.Sprintf("document of more than %d MiB; split it, or write repeats as blocks", MaxBytes>>20)}
	}
	src = bytes.TrimPrefix(src, []byte("\ufeff"))
	s := &Source{Name: name, Text: string(src)}
	d := &decoder{src: s, dec: jsontext.NewDecoder(bytes.NewBuffer(src))}
	doc = &Document{Source: s}
	if err := d.whole(func() { d.document(doc) }); err != nil {
		return nil, err
	}
	return doc, nil
}

// DecodeParams reads an object of parameters. A null is kept: it may mean that
// a parameter is to go. The error is an *Error.
func DecodeParams(name, text string) (list []Param, err error) {
	d := &decoder{src: &Source{Name: name, Text: text}, dec: jsontext.NewDecoder(bytes.NewBufferString(text))}
	err = d.whole(func() { list = d.params(true) })
	return list, err
}

// whole reads the one value of a source.
func (d *decoder) whole(read func()) (err error) {
	defer func() {
		if r := recover(); r != nil {
			failed, ok := r.(*Error)
			if !ok {
				panic(r)
			}
			err = failed
		}
	}()
	read()
	_, at := d.peek()
	if _, e := d.dec.ReadToken(); !errors.Is(e, io.EOF) {
		d.fail(at, "", "found more after the end of the document, expected one JSON object")
	}
	return nil
}

// decoder walks the tokens once. Its methods give up by panicking with an
// *Error, which Decode returns: that keeps each of them a plain list of members.
type decoder struct {
	src   *Source
	dec   *jsontext.Decoder
	path  []step
	outer int // levels that the text stands in
}

// step is one step of the JSON path: a member, or an index when name is "".
type step struct {
	name  string
	index int
}

func (d *decoder) where() string {
	var b strings.Builder
	for _, s := range d.path {
		if len(s.name) > 80 {
			s.name = strings.ToValidUTF8(s.name[:77], "") + "..."
		}
		switch {
		case s.name == "":
			fmt.Fprintf(&b, "[%d]", s.index)
		case b.Len() == 0:
			b.WriteString(s.name)
		default:
			b.WriteString("." + s.name)
		}
	}
	return b.String()
}

func (d *decoder) fail(offset int, suffix, format string, args ...any) {
	panic(d.src.Errorf(offset, d.where()+suffix, format, args...))
}

// syntax turns an error of the tokenizer into ours.
func (d *decoder) syntax(err error) {
	offset := int(d.dec.InputOffset())
	msg := err.Error()
	var se *jsontext.SyntacticError
	if errors.As(err, &se) {
		offset = int(se.ByteOffset)
		msg = se.Err.Error()
		switch {
		case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
			msg = "unexpected end"
		case errors.Is(err, jsontext.ErrDuplicateName):
			d.fail(offset, "", "the member %s stands here twice; keep one", words.Quote(se.JSONPointer.LastToken()))
		case strings.Contains(msg, "max depth"):
			d.fail(offset, "", "nested deeper than %d levels", MaxNesting)
		}
	} else if errors.Is(err, io.EOF) {
		offset, msg = len(d.src.Text), "unexpected end"
	}
	d.fail(offset, "", "not JSON: %s", msg)
}

func kindName(k jsontext.Kind) string {
	switch k {
	case 'n':
		return "null"
	case 't', 'f':
		return "a boolean"
	case '"':
		return "a string"
	case '0':
		return "a number"
	case '{':
		return "an object"
	case '[':
		return "a list"
	}
	return "something else"
}

// peek is the kind of the next value, and where it starts.
func (d *decoder) peek() (jsontext.Kind, int) {
	k := d.dec.PeekKind()
	at := int(d.dec.InputOffset())
	for at < len(d.src.Text) && strings.IndexByte(" \t\r\n,:", d.src.Text[at]) >= 0 {
		at++
	}
	return k, at
}

func (d *decoder) expect(want jsontext.Kind) (at int, ok bool) {
	k, at := d.peek()
	if k == 0 {
		_, err := d.dec.ReadToken()
		d.syntax(err)
	}
	if k == 'n' { // null is absent
		d.token()
		return at, false
	}
	if k != want && (want != 't' || k != 'f') {
		d.fail(at, "", "found %s, expected %s", kindName(k), kindName(want))
	}
	return at, true
}

func (d *decoder) token() jsontext.Token {
	t, err := d.dec.ReadToken()
	if err != nil {
		d.syntax(err)
	}
	return t
}

// raw reads a whole value and returns its bounds in the source.
func (d *decoder) raw() (start, end int) {
	v, err := d.dec.ReadValue()
	if err != nil {
		d.syntax(err)
	}
	end = int(d.dec.InputOffset())
	return end - len(v), end
}

func (d *decoder) unquote(start, end int) string {
	s := d.src.Text[start+1 : end-1]
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	b, err := jsontext.AppendUnquote(nil, d.src.Text[start:end])
	if err != nil {
		d.syntax(err)
	}
	return string(b)
}

// id reads a name that messages and tables repeat.
func (d *decoder) id() (s string, at int) {
	s, at = d.str()
	if len(s) > MaxName {
		d.fail(at, "", "found a name of %d bytes, expected at most %d", len(s), MaxName)
	}
	return s, at
}

func (d *decoder) str() (s string, at int) {
	at, ok := d.expect('"')
	if !ok {
		return "", at
	}
	start, end := d.raw()
	return d.unquote(start, end), start
}

func (d *decoder) boolean() bool {
	if _, ok := d.expect('t'); !ok {
		return false
	}
	return d.token().Bool()
}

// integer reads a whole number; given is false for null.
func (d *decoder) integer() (n int64, at int, given bool) {
	at, ok := d.expect('0')
	if !ok {
		return 0, at, false
	}
	start, end := d.raw()
	text := d.src.Text[start:end]
	n, err := Integer(text)
	if err != nil {
		d.fail(start, "", "found %s, expected %s", text, err)
	}
	return n, start, true
}

// Integer reads a JSON number as a whole number of at most MaxNumber. Its
// error says what was expected.
func Integer(text string) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		f, err := strconv.ParseFloat(text, 64)
		switch {
		case err != nil || f > MaxNumber || f < -MaxNumber:
			return 0, errors.New("a number of at most 2^53")
		case f != float64(int64(f)):
			return 0, errors.New("a whole number")
		}
		n = int64(f)
	}
	if n > MaxNumber || n < -MaxNumber {
		return 0, errors.New("a number of at most 2^53")
	}
	return n, nil
}

// object calls member for each member of an object.
func (d *decoder) object(member func(name string)) {
	if _, ok := d.expect('{'); !ok {
		return
	}
	d.token()
	d.nesting()
	for d.more('}') {
		start, end := d.raw()
		name := d.unquote(start, end)
		d.path = append(d.path, step{name: name})
		member(name)
		d.path = d.path[:len(d.path)-1]
	}
	d.token()
}

// list calls element for each element of a list.
func (d *decoder) list(element func(i int)) {
	if _, ok := d.expect('['); !ok {
		return
	}
	d.token()
	d.nesting()
	for i := 0; d.more(']'); i++ {
		d.path = append(d.path, step{index: i})
		element(i)
		d.path = d.path[:len(d.path)-1]
	}
	d.token()
}

// more reports whether another member or element follows.
func (d *decoder) more(end jsontext.Kind) bool {
	k := d.dec.PeekKind()
	if k == 0 {
		d.token() // reports why
	}
	return k != end
}

func (d *decoder) nesting() {
	if d.dec.StackDepth()+d.outer > MaxNesting {
		d.fail(int(d.dec.InputOffset()), "", "nested deeper than %d levels", MaxNesting)
	}
}

// value reads any value. One that is part of the analysis has its numbers
// checked and is made compact; an extra is kept as it stands.
func (d *decoder) value(analysed bool) Param {
	start, end := d.raw()
	text := d.src.Text[start:end]
	compact := true
	depth := d.dec.StackDepth() + d.outer
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '"':
			for i++; text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case '[', '{':
			if depth++; depth > MaxNesting {
				d.fail(start+i, "", "nested deeper than %d levels", MaxNesting)
			}
		case ']', '}':
			depth--
		case ' ', '\n', '\t', '\r':
			compact = false
		case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
			from := i
			for i+1 < len(text) && strings.IndexByte("+-.eE0123456789", text[i+1]) >= 0 {
				i++
			}
			if analysed && tooLarge(text[from:i+1]) {
				d.fail(start+from, "", "found %s, expected a number of at most 2^53", text[from:i+1])
			}
		}
	}
	if analysed && !compact {
		v := jsontext.Value(text)
		if err := v.Compact(); err != nil {
			d.syntax(err)
		}
		text = string(v)
	}
	return Param{Value: text, Pos: start}
}

// tooLarge reports a number beyond 2^53 in magnitude. The usual short ones cost
// no parsing.
func tooLarge(number string) bool {
	exponent := strings.ContainsAny(number, "eE")
	if len(number) <= 15 && !exponent {
		return false
	}
	if !exponent && strings.IndexByte(number, '.') < 0 {
		_, err := Integer(number)
		return err != nil
	}
	f, err := strconv.ParseFloat(number, 64)
	return err != nil || f > MaxNumber || f < -MaxNumber
}

func (d *decoder) strings() []string {
	var list []string
	d.list(func(int) {
		s, _ := d.str()
		list = append(list, s)
	})
	return list
}

// params reads an object of values. A null parameter is absent; a null value
// for a block makes what it stands for absent, and is kept.
func (d *decoder) params(null bool) []Param {
	var list []Param
	d.object(func(name string) {
		if k, _ := d.peek(); k == 'n' && !null {
			d.token()
			return
		}
		p := d.value(true)
		p.Name = name
		if len(name) > MaxName {
			d.fail(p.Pos, "", "found a parameter whose name has %d bytes, expected at most %d", len(name), MaxName)
		}
		if list == nil {
			list = make([]Param, 0, 4)
		}
		list = append(list, p)
	})
	return list
}

func (d *decoder) extra(name string, to *[]Param) {
	p := d.value(false)
	p.Name = name
	if *to == nil {
		*to = make([]Param, 0, 2)
	}
	*to = append(*to, p)
}

func (d *decoder) document(doc *Document) {
	if k, at := d.peek(); k != '{' {
		if k != '[' {
			d.raw() // reports what is not JSON at all
		}
		d.fail(at, "", "found %s, expected a graph document (an object)", kindName(k))
	}
	d.object(func(name string) {
		switch name {
		case "id":
			doc.ID, doc.IDPos = d.str()
		case "name":
			doc.Name, doc.NamePos = d.str()
		case "description":
			doc.Description, _ = d.str()
		case "category":
			doc.Category, _ = d.str()
		case "tags":
			doc.Tags = d.strings()
		case "realParamCount":
			n, at, ok := d.integer()
			if ok && n < 1 {
				d.fail(at, "", "found %d, expected a count of at least 1", n)
			}
			doc.RealParamCount, doc.RealParamCountPos = n, at
		case "components":
			doc.Components = d.components()
		case "connections":
			d.list(func(int) { doc.Connections = append(doc.Connections, d.connection()) })
		case "blocks":
			d.object(func(name string) { doc.Blocks = append(doc.Blocks, d.block(name)) })
		default:
			d.extra(name, &doc.Extra)
		}
	})
}

func (d *decoder) components() []Component {
	var list []Component
	d.list(func(i int) {
		if i == MaxComponents {
			_, at := d.peek()
			d.fail(at, "", "found more components than the limit of %d", MaxComponents)
		}
		list = append(list, Component{})
		d.component(&list[len(list)-1])
	})
	return list
}

func (d *decoder) component(c *Component) {
	_, c.Pos = d.peek()
	repeated := -1
	each := false
	if _, ok := d.expect('{'); !ok {
		d.fail(c.Pos, "", "found null, expected a component (an object)")
	}
	d.object(func(name string) {
		switch name {
		case "id":
			c.ID, _ = d.id()
		case "type":
			c.Type, c.TypePos = d.id()
		case "name":
			c.Name, _ = d.str()
		case "params":
			c.Params = d.params(false)
		case "inputs":
			k, _ := d.peek()
			c.HasInputs = k == '['
			d.list(func(int) {
				id, at := d.str()
				if c.Inputs == nil {
					c.Inputs = make([]Ref, 0, 2)
				}
				c.Inputs = append(c.Inputs, Ref{id, at})
			})
		case "sharedWith":
			c.SharedWith.ID, c.SharedWith.Pos = d.str()
		case "block":
			c.Block, _ = d.str()
		case "pattern":
			_, at := d.peek()
			if c.Pattern = d.strings(); len(c.Pattern) == 0 {
				d.fail(at, "", "found an empty list, expected the names of blocks to cycle through")
			}
		case "repeat":
			n, at, ok := d.integer()
			if !ok {
				break
			}
			if n < 1 || n > MaxRepeat {
				d.fail(at, "", "found %d, expected 1 to %d instances", n, MaxRepeat)
			}
			c.Repeat, repeated = n, at
		case "first":
			var at int
			if c.First, at = d.str(); c.First == "" {
				break
			}
			if _, _, ok := cutNumber(c.First); !ok || len(c.First) > MaxName {
				d.fail(at, "", "found %s, expected a name that ends in a number, such as layer_0 or block1", words.Quote(c.First))
			}
		case "share":
			c.Share = d.boolean()
		case "with":
			c.With = d.params(true)
		case "each":
			each = true
			d.object(func(name string) { c.Each = append(c.Each, d.each(name)) })
		default:
			d.extra(name, &c.Extra)
		}
	})
	switch {
	case c.ID == "":
		d.fail(c.Pos, "", "found a component without an id, expected \"id\": a non-empty string")
	case c.Type == "" && !c.IsBlock():
		d.fail(c.Pos, "", "component %q has neither a type nor a block; give it \"type\" (a layer) or \"block\" (a repeated part)", c.ID)
	case c.Type != "" && c.IsBlock():
		d.fail(c.Pos, "", "component %q has both a type and a block; keep one", c.ID)
	case c.Block != "" && len(c.Pattern) > 0:
		d.fail(c.Pos, "", "component %q has both a block and a pattern; keep one", c.ID)
	case c.First != "" && c.Repeat == 0 && c.IsBlock():
		d.fail(c.Pos, "", "component %q names its first instance, but has no repeat; add \"repeat\", or leave \"first\" out", c.ID)
	case c.Type != "" && (repeated >= 0 || c.First != "" || c.Share || len(c.With) > 0 || each):
		d.fail(c.Pos, "", "component %q is a layer, but has repeat, first, share, with or each, which belong to a block; move the layer into a block", c.ID)
	}
	for _, e := range c.Each {
		if want := max(c.Repeat, 1); int64(len(e.Values)) != want {
			d.fail(e.Pos, ".each."+e.Name, "found %d values, expected %d, one for each instance", len(e.Values), want)
		}
	}
	if c.Name == "" {
		c.Name = c.ID
	}
}

func (d *decoder) each(name string) Each {
	e := Each{Name: name}
	_, e.Pos = d.peek()
	d.list(func(int) { e.Values = append(e.Values, d.value(true)) })
	return e
}

func (d *decoder) connection() Connection {
	var c Connection
	_, at := d.peek()
	d.object(func(name string) {
		switch name {
		case "from":
			c.From, c.FromPos = d.str()
		case "to":
			c.To, c.ToPos = d.str()
		default:
			d.extra(name, &c.Extra)
		}
	})
	if c.From == "" || c.To == "" {
		d.fail(at, "", "found a connection without both ends, expected \"from\" and \"to\": ids of components")
	}
	return c
}

func (d *decoder) block(name string) Block {
	b := Block{Name: name}
	_, b.Pos = d.peek()
	d.object(func(member string) {
		switch member {
		case "inputs":
			b.Inputs = d.strings()
		case "components":
			b.Components = d.components()
		case "output":
			b.Output, b.OutputPos = d.str()
		default:
			d.extra(member, &b.Extra)
		}
	})
	if len(b.Components) == 0 {
		d.fail(b.Pos, "", "block %q has no components", name)
	}
	if b.Output == "" {
		d.fail(b.Pos, "", "block %q names no output; give \"output\": the id of the component whose result it yields", name)
	}
	return b
}
