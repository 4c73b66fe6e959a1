package checkpoint

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/strata-catalog/strata/generator/infer"
	"github.com/strata-catalog/strata/generator/shape"
)

// A Verdict says what a comparison comes to.
type Verdict string

// The verdicts. Equal: the graph is that checkpoint. Renamed: it is, under other
// names, and Map leads from one to the other. Different: lines stand between
// them.
const (
	Equal     Verdict = "equal"
	Renamed   Verdict = "renamed"
	Different Verdict = "different"
)

// A Kind is what is the matter with a tensor.
type Kind string

// The kinds of differences.
const (
	Missing    Kind = "missing" // the graph has it, the file does not
	Extra      Kind = "extra"   // the file has it, the graph does not
	OtherShape Kind = "shape"
	OtherType  Kind = "dtype" // it is stored in another type than most; no other graph for that
	OtherName  Kind = "name"  // the file has it under another name
)

// A Difference is one tensor that is not the same on both sides.
type Difference struct {
	Kind   Kind   `json:"kind" doc:"missing, extra, shape, dtype or name"`
	Name   string `json:"name" doc:"name in the graph, or of an extra one in the file"`
	Graph  string `json:"graph" doc:"what the graph has: a shape, a type or a name"`
	File   string `json:"file" doc:"what the file has"`
	Source string `json:"source" doc:"the file that holds it"`
}

// A Line is one step from the parameters of a graph to the elements that files
// store.
type Line struct {
	Elements int64  `json:"elements" doc:"how many elements, negative for what the files lack"`
	What     string `json:"what" doc:"what they are"`
}

// A Rename is a part of the map between names. Braces stand for an index.
type Rename struct {
	Graph   string `json:"graph" doc:"pattern of names in the graph"`
	File    string `json:"file" doc:"pattern of names in the file"`
	Tensors int    `json:"tensors" doc:"how many tensors it maps"`
}

// A Form is a way of packing, and how many tensors are packed in it.
type Form struct {
	Name    string `json:"name" doc:"how matrices are packed"`
	Tensors int    `json:"tensors" doc:"how many are"`
}

// A Comparison sets the tensors of a graph against those of a checkpoint.
type Comparison struct {
	Verdict     Verdict      `json:"verdict" doc:"equal, renamed or different"`
	Format      string       `json:"format" doc:"safetensors or GGUF"`
	Parameters  int64        `json:"parameters" doc:"parameters of the graph"`
	Stored      int64        `json:"stored" doc:"elements that the files store"`
	Tensors     int          `json:"tensors" doc:"tensors of the graph that have parameters of their own"`
	Same        int          `json:"same" doc:"those of them that the files have as they are, by name and shape"`
	DType       string       `json:"dtype" doc:"the type that most elements have"`
	Forms       []Form       `json:"forms" doc:"packed matrices"`
	Lines       []Line       `json:"lines" doc:"from parameters to stored elements"`
	Differences []Difference `json:"differences" doc:"tensors that are not the same on both sides"`
	Map         []Rename     `json:"map" doc:"the names of the graph and those of the files, where they differ"`
	Remarks     []string     `json:"remarks" doc:"what else is wrong with the files"`
}

// Blocking are the differences that keep a graph from being a checkpoint.
func (c *Comparison) Blocking() []Difference {
	return slices.DeleteFunc(slices.Clone(c.Differences), func(d Difference) bool { return d.Kind == OtherType || d.Kind == OtherName })
}

// A want is one tensor of a model.
type want struct {
	name   string
	dims   shape.Shape
	buffer bool
	tiedTo string
}

func (w *want) elements() int64 {
	n, _ := w.dims.Elems()
	return n
}

// ledger lists the tensors of a model one by one.
func ledger(m *infer.Model) (list []want, err error) {
	if !m.Counted {
		return nil, errors.New("the graph has tensors whose sizes are not known; mend its findings first")
	}
	for e := range m.Ledger() {
		for name := range e.Named() {
			if len(list) == MaxTensors {
				return nil, fmt.Errorf("the graph has more than %d tensors", MaxTensors)
			}
			list = append(list, want{name, e.Dims, e.Buffer, e.TiedTo})
		}
	}
	return list, nil
}

// Compare sets a model against a checkpoint.
func Compare(m *infer.Model, c *Checkpoint) (*Comparison, error) {
	wants, err := ledger(m)
	if err != nil {
		return nil, err
	}
	k := &comparing{
		Comparison: &Comparison{Format: c.Format, Parameters: m.Params, Forms: []Form{}, Lines: []Line{}, Differences: []Difference{}, Map: []Rename{}, Remarks: slices.Clone(c.Remarks)},
		sums:       map[string]*sum{}, wants: map[string]*want{},
	}
	if k.Remarks == nil {
		k.Remarks = []string{}
	}
	shapes := make(map[string]shape.Shape, len(wants))
	for i := range wants {
		k.wants[wants[i].name] = &wants[i]
		shapes[wants[i].name] = wants[i].dims
	}
	list, rest := unpack(c.Tensors, shapes)
	k.own(wants, list)
	for _, r := range rest {
		k.add(r.of, r.data.Name, r.data.Dims, r.data.Elements())
	}
	for i := range c.Tensors {
		k.Stored += c.Tensors[i].Elements()
	}
	k.types(list)
	k.finish()
	return k.Comparison, nil
}

// comparing is a comparison while it is made.
type comparing struct {
	*Comparison
	wants map[string]*want
	sums  map[string]*sum // lines by what they are
	order []string
}

// A sum is a line whose tensors are not all seen yet.
type sum struct {
	elements int64
	names    []string
	dims     shape.Shape // of each; nil where they differ
}

// add puts elements of a tensor into a line.
func (k *comparing) add(what, name string, dims shape.Shape, elements int64) {
	s := k.sums[what]
	if s == nil {
		s = &sum{dims: dims}
		k.sums[what] = s
		k.order = append(k.order, what)
	}
	if !s.dims.Equal(dims) {
		s.dims = nil
	}
	s.elements += elements
	s.names = append(s.names, name)
}

func (k *comparing) differ(kind Kind, name, graph, file, source string) {
	k.Differences = append(k.Differences, Difference{kind, name, graph, file, source})
}

// own matches the tensors of the model with those of the files by name, then
// what is left over by what it may be.
func (k *comparing) own(wants []want, list []stored) {
	byName := make(map[string]*stored, len(list))
	for i := range list {
		byName[list[i].name] = &list[i]
	}
	aliases := map[string][]string{}
	for i := range wants {
		if w := &wants[i]; w.tiedTo != "" {
			aliases[w.tiedTo] = append(aliases[w.tiedTo], w.name)
		}
	}
	used := map[*stored]bool{}
	var missing []*want
	for i := range wants {
		w := &wants[i]
		if w.tiedTo != "" {
			continue
		}
		if !w.buffer {
			k.Tensors++
		}
		s := byName[w.name]
		for _, alias := range aliases[w.name] {
			if s == nil { // stored under its other name alone
				s = byName[alias]
			}
		}
		if s == nil {
			if !w.buffer {
				missing = append(missing, w)
			}
			continue
		}
		used[s] = true
		k.pair(w, s)
	}
	for i := range wants {
		w := &wants[i]
		if s := byName[w.name]; w.tiedTo != "" && s != nil && !used[s] {
			used[s] = true
			if s.dims.Equal(w.dims) {
				k.add("tied tensors, stored once more", w.name, w.dims, s.data.Elements())
			} else {
				k.mismatch(w, s)
				k.add("tied tensors of another shape", w.name, s.data.Dims, s.data.Elements())
			}
		}
	}
	var extra []*stored
	for i := range list {
		if !used[&list[i]] {
			extra = append(extra, &list[i])
		}
	}
	missing, extra = k.rename(missing, k.known(extra))
	for _, w := range missing {
		k.differ(Missing, w.name, w.dims.Brackets(), "", "")
		k.add("missing from the files", w.name, w.dims, -w.elements())
	}
	for _, s := range extra {
		k.differ(Extra, s.name, "", s.data.Dims.Brackets()+" "+s.data.DType, s.data.File)
		k.add("not in the graph", s.data.Name, s.data.Dims, s.data.Elements())
	}
}

// pair counts a tensor that both sides have under one name, or under names that
// the map leads from one to the other.
func (k *comparing) pair(w *want, s *stored) bool {
	if s.dims == nil && s.fits(w.dims) {
		s.dims = w.dims
	}
	switch {
	case !k.same(s.dims, w.dims):
		k.mismatch(w, s)
		if n := s.data.Elements(); w.buffer {
			k.add("buffers of another shape", s.data.Name, s.data.Dims, n)
		} else if n -= w.elements(); n != 0 {
			k.add("of another shape than in the graph", s.data.Name, nil, n)
		}
		return false
	case w.buffer:
		k.add("buffers of the graph", s.data.Name, s.data.Dims, s.data.Elements())
		return true
	}
	k.Same++
	if n := s.data.Elements() - w.elements(); n != 0 {
		k.add("numbers packed by "+s.form+", several to an element", s.data.Name, nil, n)
	}
	return true
}

// same reports whether a file's shape is the model's. GGUF has every matrix with
// its outputs first, also those that a checkpoint stores the other way.
func (k *comparing) same(file, graph shape.Shape) bool {
	return file.Equal(graph) || k.Format == "GGUF" && len(graph) == 2 && file.Equal(swapped(graph))
}

func (k *comparing) mismatch(w *want, s *stored) {
	file := s.data.Dims.Brackets()
	if s.form != "" {
		file += " packed by " + s.form
	}
	k.differ(OtherShape, w.name, w.dims.Brackets(), file, s.data.File)
}

// types finds the type that most elements have, and what is packed or stored in
// another one.
func (k *comparing) types(list []stored) {
	forms, plain := map[string]int{}, map[string]int64{}
	for i := range list {
		if s := &list[i]; s.form != "" {
			forms[s.form]++
		} else {
			plain[s.data.DType] += s.data.Elements()
		}
	}
	for _, name := range slices.Sorted(maps.Keys(forms)) {
		k.Forms = append(k.Forms, Form{name, forms[name]})
	}
	for _, name := range slices.Sorted(maps.Keys(plain)) {
		if plain[name] > plain[k.DType] {
			k.DType = name
		}
	}
	if k.Format == "GGUF" {
		return // its files keep norms in 32 bits, whatever the matrices are in
	}
	for i := range list {
		s := &list[i]
		if w := k.wants[s.name]; w != nil && !w.buffer && s.form == "" && s.data.DType != k.DType {
			k.differ(OtherType, s.name, k.DType, s.data.DType, s.data.File)
		}
	}
}

// finish writes the lines and the verdict.
func (k *comparing) finish() {
	k.Map = prefixed(k.Map)
	for _, what := range k.order {
		s := k.sums[what]
		if s.elements == 0 && len(s.names) > 0 && !strings.HasPrefix(what, "buffers") {
			continue
		}
		k.Lines = append(k.Lines, Line{s.elements, what + ": " + s.described()})
	}
	slices.SortStableFunc(k.Differences, func(a, b Difference) int {
		order := []Kind{Missing, Extra, OtherShape, OtherName, OtherType}
		return cmp.Compare(slices.Index(order, a.Kind), slices.Index(order, b.Kind))
	})
	switch {
	case len(k.Blocking()) > 0:
		k.Verdict = Different
	case len(k.Map) > 0:
		k.Verdict = Renamed
	default:
		k.Verdict = Equal
	}
}

// described names the tensors of a line.
func (s *sum) described() string {
	patterns := Patterns(s.names)
	text := strings.Join(patterns[:min(3, len(patterns))], ", ")
	if n := len(patterns) - 3; n > 0 {
		text += fmt.Sprintf(" and %d more patterns", n)
	}
	switch {
	case len(s.names) > 1 && len(s.dims) > 0:
		text += fmt.Sprintf(", %d of %s", len(s.names), s.dims)
	case len(s.names) > 1:
		text += fmt.Sprintf(", %d tensors", len(s.names))
	case len(s.dims) > 0:
		text += ", " + s.dims.String()
	}
	return text
}
