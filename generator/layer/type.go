package layer

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/strata-catalog/strata/generator/graph"
	"github.com/strata-catalog/strata/generator/shape"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A Type is one declaration of the vocabulary.
type Type struct {
	Name    string // as in graphs: groupedQueryAttention
	Display string // as on pages: Grouped Query Attention
	// Also is what else people call it. No graph may: these spellings serve to
	// find the name that was meant.
	Also  []string
	Part  Part
	Ports Ports
	// Source marks a type that needs no input; Side one that is a side input
	// of attention and yields no tensor of its own.
	Source, Side bool
	// Position marks a type that tells a model where its tokens are.
	Position bool
	Doc      Doc
	Fields   []Field // the parameters, in declared order

	create func() Layer
	index  map[string]int // field by name and alias
}

// Doc is a type in words.
type Doc struct {
	Summary string // one sentence
	Shape   string // the shape rule
	Weights string // the tensors, "" for none
	// Work is the multiply-accumulates of one forward pass as the method of
	// that name counts them, from "none" on where there are none, and behind
	// them the element-wise operations. Sizes of a tensor include its batch.
	Work   string
	Source string // where the formula comes from: an address
	// Examples are shown on the page and run by the tests.
	Examples []Example
}

// An Example is one use of a type.
type Example struct {
	Params string        // JSON object
	In     []shape.Shape // operands, feature axis last unless Channels
	// Channels says that the feature axis is the channel axis: 1 with a batch
	// axis (rank 2 + spatial axes), else 0.
	Channels bool
	IDs      bool // the operands are token ids
}

// A Part is what kind of work a layer does, for charts and bills.
type Part string

// The parts, in the order charts show them.
const (
	Embedding   Part = "embedding"
	AttnPart    Part = "attention"
	FeedFwd     Part = "feed-forward"
	Norm        Part = "norm"
	Convolution Part = "convolution"
	Recurrent   Part = "recurrent"
	Linear      Part = "linear"
	Head        Part = "head" // a linear layer just before the output; no type declares it
	Activation  Part = "activation"
	Shaping     Part = "shaping"
	Merge       Part = "merge"
	Ends        Part = "ends" // input, output
	Other       Part = "other"
)

// Parts lists them in that order.
var Parts = []Part{Embedding, AttnPart, FeedFwd, Norm, Convolution, Recurrent, Linear, Head, Activation, Shaping, Merge, Ends, Other}

// Ports is how many operands a type takes. Max 0 means any number. A type
// with Max 1 joins several on the feature axis.
type Ports struct {
	Min, Max int
	Context  bool // the second operand is a context, as in cross-attention
	Masks    bool // attention masks may come along; they are no operands
}

// The usual numbers of operands.
var (
	noInput  = Ports{}
	unary    = Ports{Min: 1, Max: 1}
	optional = Ports{Min: 0, Max: 1}
	merge    = Ports{Min: 2}
)

// A Field is one parameter of a type.
type Field struct {
	Name     string
	Aliases  []string
	Kind     Kind
	Default  string // as shown; "" for none
	Unit     string
	Doc      string
	Required bool
	Enum     []string
	Min, Max *float64
	Below    *float64 // exclusive upper bound

	path []int // of the struct field
}

// A Kind is what values a parameter takes.
type Kind string

// The kinds of parameters.
const (
	Integer  Kind = "integer"
	Number   Kind = "number"
	Boolean  Kind = "boolean"
	String   Kind = "string"
	SizesK   Kind = "integer or list"                   // Sizes
	PadK     Kind = "integer, list or \"same\""         // Padding
	ListK    Kind = "list of integers"                  // shape.Shape
	NumbersK Kind = "list of numbers"                   // Numbers
	NamesK   Kind = "object of strings"                 // Names
	OptK     Kind = "integer (may be zero or negative)" // Opt
)

// Sizes is one number for all axes, or one for each. Nil: not given.
type Sizes []int64

// At is the size for an axis.
func (s Sizes) At(i int) int64 {
	switch {
	case len(s) == 0:
		return 0
	case len(s) == 1:
		return s[0]
	case i < len(s):
		return s[i]
	}
	return s[len(s)-1]
}

// Padding is zeros on each side of each axis, or "same".
type Padding struct {
	Same  bool
	Sides Sizes
}

// An Opt is an integer that may be absent, where zero has a meaning.
type Opt struct {
	Set bool
	V   int64
}

// Names renames the tensors of a layer: a role ("q") or a whole tensor
// ("q.weight") to the name that the checkpoint uses.
type Names map[string]string

// Numbers is a list of numbers.
type Numbers []float64

// maxNumbers is the most entries that a list of numbers has.
const maxNumbers = 4096

// Stored is how a layer's weights are written in a checkpoint. It never
// changes a count.
type Stored struct {
	Names      Names `json:"names" doc:"names of the tensors in the checkpoint, by role: {\"q\": \"q_proj\"}; a name that ends in .weight or .bias renames that tensor alone"`
	Transposed bool  `json:"transposed" doc:"matrices are stored [in, out], as GPT-2's Conv1D does"`
}

// tensor names and lays out one tensor of a role: role "q", kind "weight".
func (s Stored) tensor(role, kind string, dims ...int64) Tensor {
	name, ok := s.Names[role+"."+kind]
	if !ok {
		name = s.module(role) + "." + kind
	}
	return Tensor{Name: name, Dims: dims}
}

// matrix is the weight of a role that maps in to out features.
func (s Stored) matrix(role string, out, in int64) Tensor {
	if s.Transposed {
		out, in = in, out
	}
	return s.tensor(role, "weight", out, in)
}

// proj is a projection: its matrix and, when it has one, its bias.
func (s Stored) proj(role string, out, in int64, bias bool) []Tensor {
	w := []Tensor{s.matrix(role, out, in)}
	if bias {
		w = append(w, s.tensor(role, "bias", out))
	}
	return w
}

// declare completes a row with the parameters, which it reads from the tags of
// the defaults' struct.
func declare[T any, P interface {
	*T
	Layer
}](row Type, defaults T) *Type {
	return complete(&row, reflect.ValueOf(&defaults).Elem(), func() Layer {
		l := new(T)
		*l = defaults
		return P(l)
	})
}

// complete is declare without the type of the struct, since it would be there
// once for each. It panics on an incomplete declaration: that is a mistake in
// this package's own source.
func complete(t *Type, v reflect.Value, create func() Layer) *Type {
	t.create = create
	t.index = map[string]int{}
	for _, f := range reflect.VisibleFields(v.Type()) {
		if f.Anonymous || !f.IsExported() || f.Tag.Get("json") == "-" {
			continue
		}
		field := parseField(t.Name, f, v.FieldByIndex(f.Index))
		for _, name := range append([]string{field.Name}, field.Aliases...) {
			if _, twice := t.index[name]; twice {
				panic(fmt.Sprintf("layer %s: two parameters are called %s", t.Name, name))
			}
			t.index[name] = len(t.Fields)
		}
		t.Fields = append(t.Fields, field)
	}
	switch {
	case t.Name == "" || t.Display == "" || t.Part == "":
		panic(fmt.Sprintf("layer %q: needs a Name, a Display name and a Part", t.Name))
	case t.Doc.Summary == "" || t.Doc.Shape == "" || t.Doc.Work == "" || t.Doc.Source == "" || len(t.Doc.Examples) == 0:
		panic(fmt.Sprintf("layer %s: Doc needs a Summary, a Shape, a Work, a Source and an Example", t.Name))
	}
	return t
}

// parseField reads the tags json (name), alias, doc, unit, default (words for
// a derived one), required, enum, min, max and below.
func parseField(typ string, f reflect.StructField, v reflect.Value) Field {
	tag := f.Tag.Get
	field := Field{Name: tag("json"), Doc: tag("doc"), Unit: tag("unit"), Required: tag("required") != "", path: f.Index}
	if field.Name == "" || field.Doc == "" {
		panic(fmt.Sprintf("layer %s: field %s needs a json and a doc tag", typ, f.Name))
	}
	if a := tag("alias"); a != "" {
		field.Aliases = strings.Split(a, ",")
	}
	if e := tag("enum"); e != "" {
		field.Enum = strings.Split(e, ",")
	}
	bound := func(name string) *float64 {
		s := tag(name)
		if s == "" {
			return nil
		}
		x, err := strconv.ParseFloat(s, 64)
		if err != nil {
			panic(fmt.Sprintf("layer %s: field %s: %v", typ, f.Name, err))
		}
		return &x
	}
	field.Min, field.Max, field.Below = bound("min"), bound("max"), bound("below")
	switch d := v.Interface().(type) {
	case int64:
		field.Kind = Integer
		if d != 0 {
			field.Default = fmt.Sprint(d)
		}
	case float64:
		field.Kind = Number
		if d != 0 {
			field.Default = strconv.FormatFloat(d, 'g', -1, 64)
		}
	case bool:
		field.Kind, field.Default = Boolean, fmt.Sprint(d)
	case string:
		field.Kind, field.Default = String, d
	case Sizes:
		field.Kind = SizesK
		if len(d) == 1 {
			field.Default = fmt.Sprint(d[0])
		}
	case Padding:
		field.Kind, field.Default = PadK, "0"
	case shape.Shape:
		field.Kind = ListK
	case Numbers:
		field.Kind = NumbersK
	case Names:
		field.Kind = NamesK
	case Opt:
		field.Kind = OptK
		if d.Set {
			field.Default = fmt.Sprint(d.V)
		}
	default:
		panic(fmt.Sprintf("layer %s: field %s is of a kind that parameters do not have", typ, f.Name))
	}
	if d := tag("default"); d != "" {
		field.Default = d
	}
	return field
}

// Field finds a parameter by its name or an alias.
func (t *Type) Field(name string) (*Field, bool) {
	i, ok := t.index[name]
	if !ok {
		return nil, false
	}
	return &t.Fields[i], true
}

// Canonical is the parameter's own name, or the name as it is when unknown.
func (t *Type) Canonical(name string) string {
	if f, ok := t.Field(name); ok {
		return f.Name
	}
	return name
}

// bind makes a configured layer of the parameters as written. Problems are
// reported on the call; after one that leaves the layer without a value that
// it needs, the call has failed.
func (t *Type) bind(c *Call, params []graph.Param) Layer {
	l := t.create()
	v := reflect.ValueOf(l).Elem()
	var seen uint64 // of the first 64 fields; no type has more
	canonical := uint64(0)
	for _, p := range params {
		i, ok := t.index[p.Name]
		if !ok {
			t.unknown(c, p.Name)
			continue
		}
		f := &t.Fields[i]
		bit := uint64(1) << i
		if seen&bit != 0 {
			own := p.Name == f.Name
			if same := t.sameValue(params, f, p); !same {
				c.Report(AliasConflict, p.Name, "%s and another name of it disagree (%s); %s is used", f.Name, t.spellings(params, f), f.Name)
			}
			if !own || canonical&bit != 0 {
				continue
			}
		}
		seen |= bit
		if p.Name == f.Name {
			canonical |= bit
		}
		f.set(c, v.FieldByIndex(f.path), p)
	}
	for i := range t.Fields {
		if f := &t.Fields[i]; f.Required && seen&(1<<i) == 0 {
			c.Report(MissingParam, f.Name, "%s is missing (%s)", f.Name, f.Doc).Fix = "add " + f.Name
			c.failed = true
		}
	}
	return l
}

func (t *Type) unknown(c *Call, name string) {
	p := c.Report(UnknownParam, name, "%q is no parameter of %s", name, t.Name)
	near, sure := t.NearestParam(name)
	if near == "" {
		p.Fix = "remove it; it has no effect"
		return
	}
	p.Message += fmt.Sprintf("; nearest is %q", near)
	p.Fix, p.Rename, p.Unsure = fmt.Sprintf("rename it to %q, or remove it", near), near, !sure
}

// sameValue reports whether every spelling of a parameter has p's value.
func (t *Type) sameValue(params []graph.Param, f *Field, p graph.Param) bool {
	for _, q := range params {
		if o, ok := t.Field(q.Name); ok && o == f && q.Value != p.Value {
			return false
		}
	}
	return true
}

func (t *Type) spellings(params []graph.Param, f *Field) string {
	var parts []string
	for _, q := range params {
		if o, ok := t.Field(q.Name); ok && o == f {
			parts = append(parts, q.Name+" "+q.Value)
		}
	}
	return strings.Join(parts, ", ")
}

// set parses one value into the layer's field.
func (f *Field) set(c *Call, to reflect.Value, p graph.Param) {
	bad := func(format string, args ...any) {
		r := c.Report(BadParam, p.Name, "%s is %s, "+format, append([]any{p.Name, clip(p.Value)}, args...)...)
		if f.Default != "" {
			r.Fix = fmt.Sprintf("give a value in range; the default is %s", f.Default)
		}
		c.failed = true
	}
	raw := jsontext.Value(p.Value)
	kind := raw.Kind()
	inRange := func(x float64) bool {
		switch {
		case f.Min != nil && x < *f.Min:
			bad("must be at least %v", *f.Min)
		case f.Max != nil && x > *f.Max:
			bad("must be at most %v", *f.Max)
		case f.Below != nil && x >= *f.Below:
			bad("must be below %v", *f.Below)
		default:
			return true
		}
		return false
	}
	integers := func() (list []int64, ok bool) {
		var parts []jsontext.Value
		if kind == '[' {
			if err := json.Unmarshal(raw, &parts); err != nil {
				return nil, false
			}
		} else {
			parts = []jsontext.Value{raw}
		}
		if len(parts) > maxRank {
			bad("must have at most %d entries", maxRank)
			return nil, false
		}
		for _, part := range parts {
			n, err := graph.Integer(string(part))
			if part.Kind() != '0' || err != nil {
				bad("must be %s", article(string(f.Kind)))
				c.problems[len(c.problems)-1].Unreadable = part.Kind() == '0'
				return nil, false
			}
			if !inRange(float64(n)) {
				return nil, false
			}
			list = append(list, n)
		}
		return list, true
	}
	wrong := func() { bad("must be %s", article(string(f.Kind))) }
	switch to := to.Addr().Interface().(type) {
	case *int64:
		if kind != '0' {
			wrong()
		} else if n, ok := integers(); ok {
			*to = n[0]
		}
	case *Opt:
		if kind != '0' {
			wrong()
		} else if n, ok := integers(); ok {
			*to = Opt{true, n[0]}
		}
	case *float64:
		x, err := strconv.ParseFloat(p.Value, 64)
		if kind != '0' || err != nil {
			wrong()
		} else if inRange(x) {
			*to = x
		}
	case *bool:
		if kind != 't' && kind != 'f' {
			wrong()
		} else {
			*to = kind == 't'
		}
	case *string:
		var s string
		if kind != '"' || json.Unmarshal(raw, &s) != nil {
			wrong()
		} else if len(f.Enum) > 0 && !contains(f.Enum, s) {
			bad("must be one of %s", strings.Join(f.Enum, ", "))
		} else {
			*to = s
		}
	case *Sizes:
		if kind != '0' && (kind != '[' || p.Value == "[]") {
			wrong()
		} else if n, ok := integers(); ok {
			*to = n
		}
	case *Padding:
		switch {
		case p.Value == `"same"`:
			*to = Padding{Same: true}
		case p.Value == `"valid"`:
			*to = Padding{}
		case kind != '0' && (kind != '[' || p.Value == "[]"):
			wrong()
		default:
			if n, ok := integers(); ok {
				*to = Padding{Sides: n}
			}
		}
	case *shape.Shape:
		if kind == '0' {
			kind, raw = '[', jsontext.Value("["+p.Value+"]")
		}
		if kind != '[' {
			wrong()
		} else if n, ok := integers(); ok {
			*to = append(shape.Shape{}, n...)
		}
	case *Numbers:
		var parts []jsontext.Value
		switch {
		case kind != '[' || json.Unmarshal(raw, &parts) != nil:
			wrong()
			return
		case len(parts) > maxNumbers:
			bad("must have at most %d entries", maxNumbers)
			return
		}
		var list Numbers
		for _, part := range parts {
			x, err := strconv.ParseFloat(string(part), 64)
			if part.Kind() != '0' || err != nil {
				wrong()
				return
			}
			if !inRange(x) {
				return
			}
			list = append(list, x)
		}
		*to = list
	case *Names:
		if kind != '{' || json.Unmarshal(raw, (*map[string]string)(to)) != nil {
			wrong()
		}
	}
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

func article(s string) string {
	if strings.ContainsRune("aeiou", rune(s[0])) {
		return "an " + s
	}
	return "a " + s
}

// clip shortens a value for a message.
func clip(s string) string {
	if r := []rune(s); len(r) > 60 {
		return string(r[:57]) + "..."
	}
	return s
}
