package graph

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// A PatchOp is one operation of a JSON Patch (RFC 6902) on a document as
// written.
type PatchOp struct {
	Op    string // add, remove or replace
	Path  string // JSON Pointer (RFC 6901)
	Value string // JSON; "" for remove
}

// Add, Remove and Replace are the operations of a PatchOp.
func Add(path, value string) PatchOp     { return PatchOp{"add", path, value} }
func Remove(path string) PatchOp         { return PatchOp{"remove", path, ""} }
func Replace(path, value string) PatchOp { return PatchOp{"replace", path, value} }

var (
	escaper   = strings.NewReplacer("~", "~0", "/", "~1")
	unescaper = strings.NewReplacer("~1", "/", "~0", "~")
)

// EscapeStep writes a name as one step of a JSON Pointer.
func EscapeStep(name string) string { return escaper.Replace(name) }

// Quote is a text as a JSON string. What is not UTF-8 in it is mended.
func Quote(s string) string {
	b, _ := jsontext.AppendQuote(nil, s)
	return string(b)
}

// Patch does some operations on a text of JSON, one after the other. What they
// do not name stays as it is written, white space included. A value that is put
// in stands on one line, in the manner of its neighbours; one that has lines
// keeps them. The error names the operation that cannot be done.
func Patch(text string, ops []PatchOp) (string, error) {
	for _, op := range ops {
		var err error
		if text, err = op.apply(text); err != nil {
			return "", fmt.Errorf("%s %s: %w", op.Op, Quote(op.Path), err)
		}
	}
	return text, nil
}

func (op PatchOp) apply(text string) (string, error) {
	value := jsontext.Value(op.Value)
	if op.Op != "remove" {
		spaced := strings.Contains(text, `": `)
		if err := value.Format(jsontext.SpaceAfterColon(spaced), jsontext.SpaceAfterComma(spaced)); err != nil {
			return "", fmt.Errorf("the value is not JSON: %w", err)
		}
		if strings.Contains(op.Value, "\n") {
			value = jsontext.Value(strings.TrimSpace(op.Value))
		}
	}
	c, k, err := locate(text, op.Path)
	if err != nil {
		return "", err
	}
	there := k < len(c.kids) && !c.fresh
	switch {
	case op.Op == "add" && c.open < 0, op.Op == "replace" && there:
		at := c.kids[k]
		return text[:at.value] + string(value) + text[at.end:], nil
	case op.Op == "add" && c.object && there:
		at := c.kids[k]
		return text[:at.value] + string(value) + text[at.end:], nil
	case op.Op == "add":
		return c.insert(text, k, string(value)), nil
	case op.Op == "remove" && there && c.open >= 0:
		return c.remove(text, k), nil
	case op.Op == "remove" || op.Op == "replace":
		return "", fmt.Errorf("nothing stands there")
	}
	return "", fmt.Errorf("%s is none of add, remove and replace", Quote(op.Op))
}

// Find is where the value of a JSON Pointer stands in a text of JSON.
func Find(text, pointer string) (start, end int, err error) {
	c, k, err := locate(text, pointer)
	if err == nil && (k == len(c.kids) || c.fresh) {
		err = fmt.Errorf("nothing stands there")
	}
	if err != nil {
		return 0, 0, fmt.Errorf("%s: %w", Quote(pointer), err)
	}
	return c.kids[k].value, c.kids[k].end, nil
}

// A container is an object or a list in a text, with what it holds.
type container struct {
	object      bool
	open, close int // of its brackets; open is -1 for the root of the document
	kids        []kid
	name        string // of the member that is looked for
	fresh       bool   // there is no such member, or the element after the last is meant
}

// A kid is a member of an object or an element of a list: where it starts,
// where its value starts, and where both end.
type kid struct{ start, value, end int }

// locate finds the container that holds, or would hold, the value of a pointer,
// and the place in it.
func locate(text, pointer string) (c container, k int, err error) {
	const space = " \t\r\n"
	start := len(text) - len(strings.TrimLeft(text, space))
	at := kid{start, start, len(strings.TrimRight(text, space))}
	c = container{open: -1, kids: []kid{at}}
	if pointer == "" {
		return c, 0, nil
	}
	if pointer[0] != '/' {
		return c, 0, fmt.Errorf("a JSON Pointer is empty or begins with a slash")
	}
	steps := strings.Split(pointer[1:], "/")
	for i, step := range steps {
		step = unescaper.Replace(step)
		if c, err = enter(text, at.value); err != nil {
			return c, 0, err
		}
		if k, err = c.find(text, step); err != nil {
			return c, 0, err
		}
		if i == len(steps)-1 {
			return c, k, nil
		}
		if c.fresh {
			return c, 0, fmt.Errorf("there is no %s", Quote("/"+strings.Join(steps[:i+1], "/")))
		}
		at = c.kids[k]
	}
	return c, k, nil
}

// enter reads what the object or list at an offset holds. The text has been
// read as JSON before.
func enter(text string, at int) (container, error) {
	c := container{object: strings.HasPrefix(text[at:], "{"), open: at}
	if at >= len(text) || !c.object && text[at] != '[' {
		return c, fmt.Errorf("the way leads into a value that is no object and no list")
	}
	dec := jsontext.NewDecoder(bytes.NewBufferString(text[at:]), jsontext.AllowDuplicateNames(true))
	if _, err := dec.ReadToken(); err != nil {
		return c, err
	}
	for kind := dec.PeekKind(); kind != '}' && kind != ']'; kind = dec.PeekKind() {
		var e kid
		for i := 0; i < 2; i++ { // the name of a member, and the value
			if i == 0 && !c.object {
				continue
			}
			v, err := dec.ReadValue()
			if err != nil {
				return c, err
			}
			e.end = at + int(dec.InputOffset())
			e.value = e.end - len(v)
			if i == 0 || !c.object {
				e.start = e.value
			}
		}
		c.kids = append(c.kids, e)
	}
	_, err := dec.ReadToken()
	c.close = at + int(dec.InputOffset()) - 1
	return c, err
}

// find is the place of a member or an element; that of a new one is the end.
func (c *container) find(text, step string) (int, error) {
	if c.object {
		c.name = step
		for k, e := range c.kids {
			name, _ := jsontext.AppendUnquote(nil, nameOf(text[e.start:e.value]))
			if string(name) == step {
				return k, nil
			}
		}
		c.fresh = true
		return len(c.kids), nil
	}
	if step == "-" {
		c.fresh = true
		return len(c.kids), nil
	}
	k, err := strconv.Atoi(step)
	if err != nil || strconv.Itoa(k) != step || k < 0 || k > len(c.kids) {
		return 0, fmt.Errorf("found %s, expected the index of an element: the list has %d", Quote(step), len(c.kids))
	}
	c.fresh = k == len(c.kids)
	return k, nil
}

// nameOf cuts what stands before the value of a member down to its name.
func nameOf(before string) string { return before[:strings.LastIndexByte(before, '"')+1] }

// insert puts a value before kid k. It is parted from its neighbours as they
// are from each other.
func (c *container) insert(text string, k int, value string) string {
	if c.object {
		colon := ":"
		if strings.Contains(text, `": `) {
			colon = ": "
		}
		value = Quote(c.name) + colon + value
	}
	n := len(c.kids)
	if n == 0 {
		return text[:c.open+1] + value + text[c.close:]
	}
	between := "," + text[c.open+1:c.kids[0].start]
	if between == "," && strings.Contains(text, `": `) {
		between = ", "
	}
	if n > 1 {
		last := min(max(k, 1), n-1)
		between = text[c.kids[last-1].end:c.kids[last].start]
	}
	if k < n {
		at := c.kids[k].start
		return text[:at] + value + between + text[at:]
	}
	at := c.kids[n-1].end
	return text[:at] + between + value + text[at:]
}

// remove takes kid k out, with the comma that parts it from a neighbour.
func (c *container) remove(text string, k int) string {
	switch n := len(c.kids); {
	case n == 1:
		return text[:c.open+1] + text[c.close:]
	case k < n-1:
		return text[:c.kids[k].start] + text[c.kids[k+1].start:]
	}
	return text[:c.kids[k-1].end] + text[c.kids[k].end:]
}
