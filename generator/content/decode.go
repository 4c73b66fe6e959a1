//go:build !js

package content

import (
	"errors"
	"fmt"
	"math"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"github.com/strata-catalog/strata/generator/graph"
	"github.com/strata-catalog/strata/generator/words"
)

// A Key is one key of a YAML mapping, as the tags of a struct field declare it.
type Key struct {
	Name     string
	Doc      string
	Value    string // what is expected: text, a whole number, a list of text
	Required bool
	Keys     []Key // of the value, or of each element of it

	is       string
	min, max *float64
	field    []int
}

// Keys lists the keys of a struct, in the order of its fields.
func Keys(of any) []Key { return keysOf(reflect.TypeOf(of)) }

func keysOf(t reflect.Type) []Key {
	var keys []Key
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous && f.Type.Kind() == reflect.Struct {
			for _, k := range keysOf(f.Type) {
				k.field = append([]int{i}, k.field...)
				keys = append(keys, k)
			}
			continue
		}
		name, option, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		if name == "" || name == "-" {
			continue
		}
		k := Key{Name: name, Doc: f.Tag.Get("doc"), Required: option == "required", is: f.Tag.Get("is"), field: []int{i}}
		k.min, k.max = bound(f.Tag.Get("min")), bound(f.Tag.Get("max"))
		k.Value = k.expected(f.Type)
		if e := element(f.Type); e.Kind() == reflect.Struct {
			k.Keys = keysOf(e)
		}
		keys = append(keys, k)
	}
	return keys
}

func bound(tag string) *float64 {
	x, err := strconv.ParseFloat(tag, 64)
	if err != nil {
		return nil
	}
	return &x
}

func element(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Slice {
		return t.Elem()
	}
	return t
}

// expected says what a value must be.
func (k *Key) expected(t reflect.Type) string {
	if f, ok := forms[k.is]; ok {
		return f.what
	}
	if k.is != "" {
		return "one of " + strings.Join(strings.Split(k.is, "|"), ", ")
	}
	switch t.Kind() {
	case reflect.Pointer:
		return k.expected(t.Elem())
	case reflect.String:
		return "text"
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int64:
		return "a whole number" + k.bounds()
	case reflect.Float64:
		return "a number" + k.bounds()
	case reflect.Slice:
		if t.Elem().Kind() == reflect.String {
			return "a list of text"
		}
		return "a list of mappings"
	}
	return "a mapping"
}

// bounds says which numbers are in range.
func (k *Key) bounds() string {
	switch {
	case k.min != nil && k.max != nil:
		return fmt.Sprintf(" from %v to %v", *k.min, *k.max)
	case k.min != nil:
		return fmt.Sprintf(" of at least %v", *k.min)
	case k.max != nil:
		return fmt.Sprintf(" of at most %v", *k.max)
	}
	return ""
}

// A form is what the is tag asks of a value beyond its kind.
type form struct {
	what string
	ok   func(text string) bool
}

var forms = map[string]form{
	"url":      {"an address that begins with http:// or https://", webAddress},
	"date":     {"a date, YYYY-MM-DD or YYYY-MM", date},
	"language": {"a language tag such as en or pt-BR", regexp.MustCompile(`^[a-zA-Z]{2,3}(-[a-zA-Z0-9]{2,8})*$`).MatchString},
	"python":   {"a name of Python with its module, such as transformers.LlamaForCausalLM", regexp.MustCompile(`^[A-Za-z_]\w*(\.[A-Za-z_]\w*)+$`).MatchString},
	"license":  {"an SPDX identifier such as Apache-2.0, or LicenseRef- and a name such as LicenseRef-Llama-3-Community", regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9.+-]*$`).MatchString},
	"name":     {"a name of lower-case letters, digits, - and _", regexp.MustCompile(`^[a-z0-9][a-z0-9_-]*$`).MatchString},
}

func webAddress(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && !strings.ContainsAny(s, " <>\"")
}

func date(s string) bool {
	for _, layout := range []string{time.DateOnly, "2006-01"} {
		if _, err := time.Parse(layout, s); err == nil {
			return true
		}
	}
	return false
}

// Decode reads a YAML mapping into the struct that into points to; what the
// mapping does not name keeps its value. It returns the place of every value.
// The error joins all errors of the text, each a *graph.Error.
func Decode(file, src string, into any) (at places, err error) {
	d := &decoder{file: file, at: places{"": {File: file}}}
	v := reflect.ValueOf(into).Elem()
	body := d.document(src)
	if len(d.errs) == 0 {
		d.mapping(body, v, keysOf(v.Type()), "")
	}
	return d.at, errors.Join(d.errs...)
}

// A Section is a mapping of the settings whose keys another package declares.
type Section struct {
	file, path string
	node       ast.Node
}

// Decode reads the section into the struct that into points to, as Decode does
// with a whole text. A section that was not given changes nothing.
func (s Section) Decode(into any) error {
	if s.node == nil {
		return nil
	}
	d := &decoder{file: s.file, at: places{"": {File: s.file}}}
	v := reflect.ValueOf(into).Elem()
	d.mapping(s.node, v, keysOf(v.Type()), s.path)
	return errors.Join(d.errs...)
}

type decoder struct {
	file string
	at   places
	errs []error
}

func (d *decoder) place(t *token.Token) graph.Position {
	if t == nil || t.Position == nil {
		return graph.Position{File: d.file}
	}
	return graph.Position{File: d.file, Line: t.Position.Line, Column: t.Position.Column}
}

func (d *decoder) errorf(pos graph.Position, path, format string, args ...any) {
	d.errs = append(d.errs, &graph.Error{Position: pos, Path: path, Msg: fmt.Sprintf(format, args...)})
}

// document is the one value of a YAML text, nil when it is empty.
func (d *decoder) document(src string) ast.Node {
	f, err := parser.ParseBytes([]byte(src), 0)
	if err != nil {
		d.syntax(err)
		return nil
	}
	var body ast.Node
	for _, doc := range f.Docs {
		switch {
		case doc.Body == nil:
		case body != nil:
			d.errorf(d.place(doc.Body.GetToken()), "", "found a second YAML document, expected one")
		default:
			body = doc.Body
		}
	}
	return body
}

// syntax turns an error of the parser into ours.
func (d *decoder) syntax(err error) {
	var e yaml.Error
	if !errors.As(err, &e) {
		d.errorf(graph.Position{File: d.file}, "", "not YAML: %v", err)
		return
	}
	msg := e.GetMessage()
	if strings.HasPrefix(msg, "mapping value is not allowed") || strings.HasPrefix(msg, "value is not allowed") {
		msg += "; text with a colon in it needs quotes around it"
	}
	if strings.Contains(msg, "\t") {
		msg = "found a tab, expected spaces before a key"
	}
	d.errorf(d.place(e.GetToken()), "", "not YAML: %s", msg)
}

// mapping fills a struct.
func (d *decoder) mapping(n ast.Node, v reflect.Value, keys []Key, path string) {
	if null(n) {
		n = &ast.MappingNode{}
	}
	m, ok := n.(*ast.MappingNode)
	if !ok {
		d.wrong(n, path, "a mapping: lines of key: value")
		return
	}
	if len(m.Values) > 0 && path != "" {
		d.at[path] = d.place(m.Values[0].Key.GetToken())
	}
	given := make(map[string]bool, len(m.Values))
	for _, member := range m.Values {
		name := member.Key.GetToken().Value
		k := find(keys, name)
		if k == nil {
			near := words.Nearest(name, names(keys))
			given[near] = true // one slip, one error
			d.errorf(d.place(member.Key.GetToken()), path, "unknown key %q; %s", name, known(near, keys))
			continue
		}
		given[name] = given[name] || !null(member.Value)
		d.value(member.Value, v.FieldByIndex(k.field), k, join(path, name))
	}
	for _, k := range keys {
		// A mapping that is not there at all needs none of its keys.
		if k.Required && !given[k.Name] && (len(m.Values) > 0 || path == "") {
			d.errorf(d.at.At(path), path, "%q is missing: %s", k.Name, k.Doc)
		}
	}
}

func find(keys []Key, name string) *Key {
	for i := range keys {
		if keys[i].Name == name {
			return &keys[i]
		}
	}
	return nil
}

func names(keys []Key) []string {
	list := make([]string, len(keys))
	for i, k := range keys {
		list[i] = k.Name
	}
	return list
}

// known says what may stand in the place of an unknown key.
func known(near string, keys []Key) string {
	if near != "" {
		return fmt.Sprintf("nearest is %q", near)
	}
	return "known are " + strings.Join(names(keys), ", ")
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func null(n ast.Node) bool {
	if n == nil {
		return true
	}
	_, is := n.(*ast.NullNode)
	return is
}

// value fills a field. A null is the same as no value.
func (d *decoder) value(n ast.Node, v reflect.Value, k *Key, path string) {
	if null(n) {
		return
	}
	d.at[path] = d.place(n.GetToken())
	if section, ok := v.Addr().Interface().(*Section); ok {
		*section = Section{d.file, path, n}
		return
	}
	switch v.Kind() {
	case reflect.Pointer: // a value that may be 0, or not given
		v.Set(reflect.New(v.Type().Elem()))
		d.value(n, v.Elem(), k, path)
	case reflect.Struct:
		d.mapping(n, v, k.Keys, path)
	case reflect.Slice:
		d.list(n, v, k, path)
	default:
		d.scalar(n, v, k, path)
	}
}

func (d *decoder) list(n ast.Node, v reflect.Value, k *Key, path string) {
	s, ok := n.(*ast.SequenceNode)
	if !ok {
		d.wrong(n, path, k.Value)
		return
	}
	v.Set(reflect.MakeSlice(v.Type(), 0, len(s.Values)))
	each := *k
	each.Value = k.expected(v.Type().Elem())
	for i, e := range s.Values {
		at := path + "[" + strconv.Itoa(i) + "]"
		if null(e) {
			d.errorf(d.at.At(path), at, "found nothing, expected %s", each.Value)
			continue
		}
		element := reflect.New(v.Type().Elem()).Elem()
		d.value(e, element, &each, at)
		v.Set(reflect.Append(v, element))
	}
}

// scalar fills a field that holds one value.
func (d *decoder) scalar(n ast.Node, v reflect.Value, k *Key, path string) {
	switch v.Kind() {
	case reflect.String:
		if s, ok := d.text(n, path, k); ok {
			v.SetString(s)
		}
	case reflect.Bool:
		b, ok := n.(*ast.BoolNode)
		if !ok {
			d.wrong(n, path, k.Value)
			return
		}
		v.SetBool(b.Value)
	case reflect.Int, reflect.Int64:
		if i, ok := d.integer(n, path, k); ok {
			v.SetInt(i)
		}
	case reflect.Float64:
		f, ok := number(n)
		if !ok || !k.holds(f) {
			d.wrong(n, path, k.Value)
			return
		}
		v.SetFloat(f)
	}
}

// fits reports whether a text has the form that the key asks for.
func (k *Key) fits(text string) bool {
	if f, ok := forms[k.is]; ok {
		return f.ok(text)
	}
	return k.is == "" || slices.Contains(strings.Split(k.is, "|"), text)
}

// holds reports whether a number is in the range of the key.
func (k *Key) holds(x float64) bool {
	return (k.min == nil || x >= *k.min) && (k.max == nil || x <= *k.max)
}

// text reads text as one line: line ends and runs of spaces become one space.
func (d *decoder) text(n ast.Node, path string, k *Key) (string, bool) {
	s := ""
	switch n := n.(type) {
	case *ast.StringNode:
		s = n.Value
	case *ast.LiteralNode:
		s = n.Value.Value
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		fix := ""
		if k.is == "" {
			fix = "; put it in quotes, if it is meant as text"
		}
		d.wrong(n, path, k.Value+fix)
		return "", false
	default:
		d.wrong(n, path, k.Value)
		return "", false
	}
	s = strings.Join(strings.Fields(s), " ")
	if !k.fits(s) || s == "" && k.Required {
		d.wrong(n, path, k.Value)
		return "", false
	}
	return s, true
}

func (d *decoder) integer(n ast.Node, path string, k *Key) (int64, bool) {
	i, ok := wholeNumber(n)
	if ok && k.holds(float64(i)) {
		return i, true
	}
	fix := ""
	if x, number := number(n); !ok && number && math.Abs(x) > graph.MaxNumber {
		fix = ", and of at most 2^53"
	} else if _, err := graph.Integer(strings.ReplaceAll(n.GetToken().Value, ",", "")); !ok && err == nil {
		fix = ", without quotes and commas"
	}
	d.wrong(n, path, k.Value+fix)
	return 0, false
}

// wholeNumber reads a whole number of at most 2^53, written out or with an
// exponent.
func wholeNumber(n ast.Node) (int64, bool) {
	switch n := n.(type) {
	case *ast.IntegerNode:
		switch i := n.Value.(type) {
		case uint64:
			return int64(i), i <= graph.MaxNumber
		case int64:
			return i, i >= -graph.MaxNumber
		}
	case *ast.FloatNode, *ast.StringNode:
		i, err := graph.Integer(n.GetToken().Value)
		return i, err == nil && !quoted(n)
	}
	return 0, false
}

func quoted(n ast.Node) bool {
	t := n.GetToken().Type
	return t == token.SingleQuoteType || t == token.DoubleQuoteType
}

// number reads a number, exponents included.
func number(n ast.Node) (float64, bool) {
	switch n := n.(type) {
	case *ast.IntegerNode:
		switch i := n.Value.(type) {
		case uint64:
			return float64(i), true
		case int64:
			return float64(i), true
		}
	case *ast.FloatNode:
		return n.Value, true
	case *ast.StringNode:
		if text := n.GetToken().Value; !quoted(n) && strings.Trim(text, "0123456789.eE+-") == "" {
			f, err := strconv.ParseFloat(text, 64)
			return f, err == nil
		}
	}
	return 0, false
}

// wrong reports a value that is not what was expected.
func (d *decoder) wrong(n ast.Node, path, want string) {
	d.errorf(d.place(n.GetToken()), path, "found %s, expected %s", found(n), want)
}

func found(n ast.Node) string {
	switch n := n.(type) {
	case *ast.StringNode:
		return shortened(n.Value)
	case *ast.LiteralNode:
		return shortened(n.Value.Value)
	case *ast.MappingNode, *ast.MappingValueNode:
		return "a mapping"
	case *ast.SequenceNode:
		return "a list"
	case *ast.AnchorNode, *ast.AliasNode, *ast.TagNode, *ast.MergeKeyNode:
		return "an anchor, an alias or a tag of YAML, which are not used here"
	}
	return n.GetToken().Value
}

// shortened quotes the beginning of a text.
func shortened(s string) string {
	const most = 60
	if r := []rune(s); len(r) > most {
		s = string(r[:most]) + "…"
	}
	return strconv.Quote(s)
}
