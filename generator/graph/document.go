package graph

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Limits of a document. Beyond any of them it is unreadable.
const (
	MaxBytes      = 32 << 20
	MaxNesting    = 64
	MaxComponents = 100_000 // after expansion
	MaxDepth      = 8       // blocks within blocks
	MaxRepeat     = 100_000
	MaxNumber     = 1 << 53  // magnitude that every JSON reader keeps exactly
	MaxName       = 1000     // bytes of an id, of a type, of the name of a parameter
	MaxEdges      = 1 << 20  // after expansion
	MaxParams     = 1 << 20  // after expansion
	MaxText       = 64 << 20 // bytes of ids and parameters after expansion
)

// A Document is one model.json as written.
type Document struct {
	Source *Source

	ID, Name, Description, Category string
	Tags                            []string
	RealParamCount                  int64 // the published count of the checkpoint, 0 when not given
	Components                      []Component
	Connections                     []Connection
	Blocks                          []Block
	Extra                           []Param // members kept out of the analysis
	IDPos, NamePos                  int
	RealParamCountPos               int
}

// A Component is a layer, or the use of a block.
type Component struct {
	ID, Type, Name string
	Params         []Param
	Inputs         []Ref
	HasInputs      bool // the member was there, if only as []
	SharedWith     Ref  // an earlier component whose weights this one has, ID "" for none

	Block   string   // the block to use, or
	Pattern []string // the blocks to cycle through
	Repeat  int64    // instances; 0 when not given: one, whose path has no step of its own
	First   string   // path step of the first instance, ending in a number; "" for "0"
	Share   bool     // every instance has the same weights
	With    []Param
	Each    []Each

	Extra        []Param
	Pos, TypePos int
}

// IsBlock reports whether the component stands for a block.
func (c *Component) IsBlock() bool { return c.Block != "" || len(c.Pattern) > 0 }

// BlockOf is the block that instance i uses.
func (c *Component) BlockOf(i int) string {
	if len(c.Pattern) > 0 {
		return c.Pattern[i%len(c.Pattern)]
	}
	return c.Block
}

// Step is the path step of instance i: the number at the end of First, counted
// on. It is "" for a block that is used without a repeat.
func (c *Component) Step(i int) string {
	if c.Repeat == 0 {
		return ""
	}
	name, number, _ := cutNumber(c.First)
	return name + strconv.FormatInt(number+int64(i), 10)
}

// cutNumber parts a name from the number at its end. A name without one, or
// with one that is written in another way than counting does, is no step.
func cutNumber(step string) (name string, number int64, ok bool) {
	name = strings.TrimRight(step, "0123456789")
	digits := step[len(name):]
	number, err := strconv.ParseInt(digits, 10, 64)
	return name, number, err == nil && number <= MaxNumber && strconv.FormatInt(number, 10) == digits
}

// A Param is one member of an object: its name and its value as compact JSON.
type Param struct {
	Name, Value string
	Pos         int // of the value
}

// A Ref is the id of a component that feeds another.
type Ref struct {
	ID  string
	Pos int
}

// An Each gives one value of a block per instance.
type Each struct {
	Name   string
	Values []Param
	Pos    int
}

// A Connection is an edge written apart from the components.
type Connection struct {
	From, To       string
	Extra          []Param
	FromPos, ToPos int
}

// A Block is a part that is written once and used by reference.
type Block struct {
	Name       string
	Inputs     []string
	Components []Component
	Output     string
	Extra      []Param
	Pos        int
	OutputPos  int
}

// A Source is the text a document was read from.
type Source struct {
	Name string // as given: a path, or "standard input"
	Text string
}

// A Position is a place in a source; lines and columns count from 1, columns
// in characters. The zero Position is no place.
type Position struct {
	File         string
	Line, Column int
}

// String is "file:line:column", or the file alone.
func (p Position) String() string {
	if p.Line == 0 {
		return p.File
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

// At is the position of a byte offset.
func (s *Source) At(offset int) Position {
	if s == nil {
		return Position{}
	}
	if offset < 0 || offset > len(s.Text) {
		return Position{File: s.Name}
	}
	before := s.Text[:offset]
	line := strings.Count(before, "\n") + 1
	start := strings.LastIndexByte(before, '\n') + 1
	return Position{s.Name, line, utf8.RuneCountInString(before[start:]) + 1}
}

// An Error says why a document cannot be read, and where.
type Error struct {
	Position
	Path string // JSON path such as components[3].repeat, "" when the position says it all
	Msg  string
}

func (e *Error) Error() string {
	if e.Path == "" {
		return e.Position.String() + ": " + e.Msg
	}
	return e.Position.String() + ": " + e.Path + ": " + e.Msg
}

// Errorf makes the error for a place in the source.
func (s *Source) Errorf(offset int, path, format string, args ...any) *Error {
	return &Error{s.At(offset), path, fmt.Sprintf(format, args...)}
}
