package facts

import (
	"fmt"
	"math/big"
	"reflect"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/strata-catalog/strata/generator/graph"
	"github.com/strata-catalog/strata/generator/shape"
)

// encoding writes what JSON of package json would, spread over lines, in one
// pass. Half of a site is such data, and the library takes five times as long
// for it. What facts are made of is written here; any other value is left to
// the library, so that both always say the same.
type encoding struct {
	b     []byte
	depth int // objects and lists that are open
	err   error
}

// spreadLevels is how many levels have a line for each of their elements.
const spreadLevels = 2

func (e *encoding) line() {
	e.b = append(e.b, '\n')
	for range e.depth {
		e.b = append(e.b, ' ')
	}
}

func (e *encoding) open(c byte) {
	e.b = append(e.b, c)
	e.depth++
}

// next begins a member or an element.
func (e *encoding) next(first bool) {
	if !first {
		e.b = append(e.b, ',')
	}
	if e.depth <= spreadLevels {
		e.line()
	} else if !first {
		e.b = append(e.b, ' ')
	}
}

func (e *encoding) close(c byte, empty bool) {
	if e.depth--; e.depth < spreadLevels && !empty {
		e.line()
	}
	e.b = append(e.b, c)
}

func (e *encoding) quote(s string) {
	b, err := jsontext.AppendQuote(e.b, s)
	if e.b = b; err != nil {
		e.fail(fmt.Errorf("%q: %w", s, err))
	}
}

func (e *encoding) fail(err error) {
	if e.err == nil {
		e.err = err
	}
}

func (e *encoding) null() { e.b = append(e.b, "null"...) }

func (e *encoding) int(n int64) {
	if n > graph.MaxNumber || n < -graph.MaxNumber {
		e.b = append(strconv.AppendInt(append(e.b, '"'), n, 10), '"')
		return
	}
	e.b = strconv.AppendInt(e.b, n, 10)
}

func (e *encoding) big(n *big.Int) {
	switch {
	case n == nil:
		e.null()
	case n.IsInt64():
		e.int(n.Int64())
	default:
		e.b = append(n.Append(append(e.b, '"'), 10), '"')
	}
}

func (e *encoding) shape(s shape.Shape) {
	if s == nil {
		e.null()
		return
	}
	e.open('[')
	for i, d := range s {
		e.next(i == 0)
		e.int(d)
	}
	e.close(']', len(s) == 0)
}

// value writes JSON text. What is not plain goes through the library.
func (e *encoding) value(v Value) {
	switch {
	case plainText(string(v)):
		e.b = append(e.b, v...)
	case plainList(string(v)):
		e.open('[')
		for i, x := range strings.Split(string(v[1:len(v)-1]), ",") {
			e.next(i == 0)
			e.b = append(e.b, x...)
		}
		e.close(']', false)
	default:
		e.library(v)
	}
}

// plainText reports whether JSON text is a word or a number, or a string that
// stands as it would be written.
func plainText(v string) bool {
	quoted := len(v) > 1 && v[0] == '"' && v[len(v)-1] == '"'
	if quoted {
		v = v[1 : len(v)-1]
	}
	for _, c := range []byte(v) {
		if !plainByte(c) {
			return false
		}
	}
	return quoted || v != ""
}

func plainByte(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '-' || c == '+' || c == '.' || c == '_'
}

// plainList reports whether JSON text is a list of words and numbers without
// spaces.
func plainList(v string) bool {
	if len(v) < 3 || v[0] != '[' || v[len(v)-1] != ']' {
		return false
	}
	for _, c := range []byte(v[1 : len(v)-1]) {
		if !plainByte(c) && c != ',' {
			return false
		}
	}
	return true
}

func (e *encoding) params(p Params) {
	e.open('{')
	for i := range p {
		e.next(i == 0)
		e.quote(p[i].Name)
		e.b = append(e.b, ": "...)
		e.value(p[i].Value)
	}
	e.close('}', len(p) == 0)
}

// library writes a value as package json does.
func (e *encoding) library(v any) {
	src, err := json.Marshal(v, options)
	if err != nil {
		e.fail(err)
		return
	}
	e.spread(src)
}

// spread writes compact JSON.
func (e *encoding) spread(src []byte) {
	for i := 0; i < len(src); i++ {
		switch c := src[i]; c {
		case '"':
			end := i + 1
			for src[end] != '"' {
				if src[end] == '\\' {
					end++
				}
				end++
			}
			e.b = append(e.b, src[i:end+1]...)
			i = end
		case '{', '[':
			if e.open(c); src[i+1] != c+2 {
				e.next(true)
			}
		case '}', ']':
			e.close(c, src[i-1] == c-2)
		case ',':
			e.next(false)
		case ':':
			e.b = append(e.b, ": "...)
		default:
			e.b = append(e.b, c)
		}
	}
}

// A writeFunc writes values of one type.
type writeFunc func(e *encoding, v reflect.Value)

var writers sync.Map // of types, with the writeFunc of each

func writerOf(t reflect.Type) writeFunc {
	if w, ok := writers.Load(t); ok {
		return w.(writeFunc)
	}
	w := writerFor(t, map[reflect.Type]*writeFunc{})
	writers.Store(t, w)
	return w
}

// writerFor makes the function for a type; begun are those that are being made,
// since a type may contain itself.
func writerFor(t reflect.Type, begun map[reflect.Type]*writeFunc) writeFunc {
	switch t {
	case countType:
		return func(e *encoding, v reflect.Value) { e.int(v.Int()) }
	case bigType:
		return func(e *encoding, v reflect.Value) { e.big(*at[*big.Int](v)) }
	case shapeType:
		return func(e *encoding, v reflect.Value) { e.shape(*at[shape.Shape](v)) }
	case valueType:
		return func(e *encoding, v reflect.Value) { e.value(Value(v.String())) }
	case paramsType:
		return func(e *encoding, v reflect.Value) { e.params(*at[Params](v)) }
	case tensorsType:
		one := writerFor(reflect.TypeFor[Tensor](), begun)
		return func(e *encoding, v reflect.Value) { e.tensors(*at[Tensors](v), one) }
	}
	if w, ok := begun[t]; ok {
		return func(e *encoding, v reflect.Value) { (*w)(e, v) }
	}
	w := new(writeFunc)
	begun[t] = w
	if *w = kindWriter(t, begun); *w == nil {
		*w = func(e *encoding, v reflect.Value) { e.library(v.Interface()) }
	}
	return *w
}

// at is where a value stands, or a copy of one that stands nowhere.
func at[T any](v reflect.Value) *T {
	if v.CanAddr() {
		return v.Addr().Interface().(*T)
	}
	x := v.Interface().(T)
	return &x
}

// The interfaces by which a type says how it is written.
var methods = []reflect.Type{
	reflect.TypeFor[json.MarshalerTo](), reflect.TypeFor[json.Marshaler](),
	reflect.TypeFor[interface{ MarshalText() ([]byte, error) }](), reflect.TypeFor[interface{ AppendText([]byte) ([]byte, error) }](),
}

// kindWriter is nil for a type that is left to the library.
func kindWriter(t reflect.Type, begun map[reflect.Type]*writeFunc) writeFunc {
	for _, m := range methods {
		if t.Implements(m) || reflect.PointerTo(t).Implements(m) {
			return nil
		}
	}
	switch t.Kind() {
	case reflect.String:
		return func(e *encoding, v reflect.Value) { e.quote(v.String()) }
	case reflect.Bool:
		return func(e *encoding, v reflect.Value) { e.b = strconv.AppendBool(e.b, v.Bool()) }
	case reflect.Int:
		return func(e *encoding, v reflect.Value) { e.b = strconv.AppendInt(e.b, v.Int(), 10) }
	case reflect.Pointer:
		of := writerFor(t.Elem(), begun)
		return func(e *encoding, v reflect.Value) {
			if v.IsNil() {
				e.null()
				return
			}
			of(e, v.Elem())
		}
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return nil
		}
		of := writerFor(t.Elem(), begun)
		return func(e *encoding, v reflect.Value) {
			e.open('[')
			for i := range v.Len() {
				e.next(i == 0)
				of(e, v.Index(i))
			}
			e.close(']', v.Len() == 0)
		}
	case reflect.Struct:
		members, ok := membersOf(nil, t, nil, begun)
		if !ok {
			return nil
		}
		return func(e *encoding, v reflect.Value) { e.object(v, members) }
	}
	return nil
}

// A member is a field of a struct, or of one embedded in it.
type member struct {
	index []int
	key   string // quoted, with its colon
	omit  bool   // where it is zero
	write writeFunc
}

// membersOf lists the fields of a struct; ok is false where a tag asks for what
// only the library does.
func membersOf(list []member, t reflect.Type, within []int, begun map[reflect.Type]*writeFunc) (_ []member, ok bool) {
	for i := range t.NumField() {
		f := t.Field(i)
		index := append(within[:len(within):len(within)], i)
		tag, tagged := f.Tag.Lookup("json")
		name, wishes, _ := strings.Cut(tag, ",")
		if f.Anonymous && !tagged {
			if f.Type.Kind() != reflect.Struct {
				return nil, false
			}
			if list, ok = membersOf(list, f.Type, index, begun); !ok {
				return nil, false
			}
			continue
		}
		if tag == "-" || !f.IsExported() {
			continue
		}
		if wishes != "" && wishes != "omitzero" || strings.ContainsAny(name, `'"\`) {
			return nil, false
		}
		if name == "" {
			name = f.Name
		}
		key, err := jsontext.AppendQuote(nil, name)
		if err != nil {
			return nil, false
		}
		list = append(list, member{index, string(key) + ": ", wishes != "", writerFor(f.Type, begun)})
	}
	return list, true
}

func (e *encoding) object(v reflect.Value, members []member) {
	e.open('{')
	first := true
	for i := range members {
		m := &members[i]
		field := v
		for _, i := range m.index {
			field = field.Field(i)
		}
		if m.omit && field.IsZero() {
			continue
		}
		e.next(first)
		first = false
		e.b = append(e.b, m.key...)
		m.write(e, field)
	}
	e.close('}', first)
}

func (e *encoding) tensors(t Tensors, write writeFunc) {
	e.open('[')
	first := true
	var tensor Tensor
	v := reflect.ValueOf(&tensor).Elem()
	for tensor = range t.All() {
		e.next(first)
		first = false
		write(e, v)
	}
	e.close(']', first)
}
