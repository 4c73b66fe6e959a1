package edit

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/strata-catalog/strata/generator/graph"
)

// Difference is a JSON Patch that makes the second of two texts of JSON of the
// first, to what they mean: white space is left out of account. Elements of
// lists are matched by their ids where they have some.
func Difference(a, b string) []graph.PatchOp {
	x, y := parse(a), parse(b)
	if x == nil || y == nil {
		return nil
	}
	return x.to(y, "", nil)
}

// A value is a JSON value as a tree.
type value struct {
	kind  jsontext.Kind
	text  string // compact
	names []string
	kids  []*value
}

// parse reads a text of JSON, nil where it is none.
func parse(text string) *value {
	v := jsontext.Value(text)
	if v.Compact() != nil {
		return nil
	}
	dec := jsontext.NewDecoder(bytes.NewBuffer(v))
	return read(dec, string(v))
}

// read reads the next value of a compact text.
func read(dec *jsontext.Decoder, text string) *value {
	v := &value{kind: dec.PeekKind()}
	from := int(dec.InputOffset())
	if v.kind != '{' && v.kind != '[' {
		raw, err := dec.ReadValue()
		if err != nil {
			return nil
		}
		v.text = string(raw)
		return v
	}
	if _, err := dec.ReadToken(); err != nil {
		return nil
	}
	for k := dec.PeekKind(); k != '}' && k != ']'; k = dec.PeekKind() {
		if v.kind == '{' {
			name, err := dec.ReadToken()
			if err != nil {
				return nil
			}
			v.names = append(v.names, name.String())
		}
		kid := read(dec, text)
		if kid == nil {
			return nil
		}
		v.kids = append(v.kids, kid)
	}
	if _, err := dec.ReadToken(); err != nil {
		return nil
	}
	to := int(dec.InputOffset())
	for text[from] != byte(v.kind) { // a comma or a colon stands before
		from++
	}
	v.text = text[from:to]
	return v
}

// key is what an element of a list is known by.
func (v *value) key() string {
	if k := slices.Index(v.names, "id"); k >= 0 {
		return v.kids[k].text
	}
	return v.text
}

// to appends the operations that make w of v.
func (v *value) to(w *value, path string, ops []graph.PatchOp) []graph.PatchOp {
	switch {
	case v.text == w.text:
		return ops
	case v.kind == '{' && w.kind == '{':
		return v.members(w, path, ops)
	case v.kind == '[' && w.kind == '[':
		return v.elements(w, path, ops)
	}
	return append(ops, graph.Replace(path, w.text))
}

func (v *value) members(w *value, path string, ops []graph.PatchOp) []graph.PatchOp {
	for k, name := range v.names {
		at := path + "/" + graph.EscapeStep(name)
		if j := slices.Index(w.names, name); j >= 0 {
			ops = v.kids[k].to(w.kids[j], at, ops)
		} else {
			ops = append(ops, graph.Remove(at))
		}
	}
	for j, name := range w.names {
		if !slices.Contains(v.names, name) {
			ops = append(ops, graph.Add(path+"/"+graph.EscapeStep(name), w.kids[j].text))
		}
	}
	return ops
}

// elements takes out what the other list lacks, from the end on, puts in what
// it has more, and then changes what both have.
func (v *value) elements(w *value, path string, ops []graph.PatchOp) []graph.PatchOp {
	partner := match(v.kids, w.kids) // of each element of v, -1 for none
	at := func(k int) string { return path + "/" + strconv.Itoa(k) }
	from := make([]int, len(w.kids))
	for j := range from {
		from[j] = -1
	}
	for k := len(v.kids) - 1; k >= 0; k-- {
		if partner[k] < 0 {
			ops = append(ops, graph.Remove(at(k)))
		} else {
			from[partner[k]] = k
		}
	}
	for j, k := range from {
		if k < 0 {
			ops = append(ops, graph.Add(at(j), w.kids[j].text))
		}
	}
	for j, k := range from {
		if k >= 0 {
			ops = v.kids[k].to(w.kids[j], at(j), ops)
		}
	}
	return ops
}

// alike is how many pairs of elements are compared in full: beyond it, what two
// lists have between their common ends is all another.
const alike = 1 << 22

// match pairs the elements of two lists, in order: those with equal keys, as
// many as possible. What differs between common ends is paired by its place if
// all of it is another: [1, 224] becomes [1, 256] by a change of one element.
func match(a, b []*value) []int {
	partner := make([]int, len(a))
	for i := range partner {
		partner[i] = -1
	}
	key := func(list []*value) []string {
		keys := make([]string, len(list))
		for i, v := range list {
			keys[i] = v.key()
		}
		return keys
	}
	x, y := key(a), key(b)
	start, end := 0, 0
	for start < min(len(x), len(y)) && x[start] == y[start] {
		partner[start] = start
		start++
	}
	for end < min(len(x), len(y))-start && x[len(x)-1-end] == y[len(y)-1-end] {
		partner[len(x)-1-end] = len(y) - 1 - end
		end++
	}
	x, y = x[start:len(x)-end], y[start:len(y)-end]
	pairs := longest(x, y, func(i, j int) { partner[start+i] = start + j })
	if pairs == 0 && len(x) == len(y) {
		for i := range x {
			partner[start+i] = start + i
		}
	}
	return partner
}

// longest finds a longest common subsequence, and says how long it is.
func longest(x, y []string, pair func(i, j int)) int {
	if len(x)*len(y) > alike {
		return 0
	}
	length := make([][]int32, len(x)+1)
	for i := range length {
		length[i] = make([]int32, len(y)+1)
	}
	for i := len(x) - 1; i >= 0; i-- {
		for j := len(y) - 1; j >= 0; j-- {
			if x[i] == y[j] {
				length[i][j] = length[i+1][j+1] + 1
			} else {
				length[i][j] = max(length[i+1][j], length[i][j+1])
			}
		}
	}
	for i, j := 0, 0; i < len(x) && j < len(y); {
		switch {
		case x[i] == y[j]:
			pair(i, j)
			i, j = i+1, j+1
		case length[i+1][j] >= length[i][j+1]:
			i++
		default:
			j++
		}
	}
	return int(length[0][0])
}
