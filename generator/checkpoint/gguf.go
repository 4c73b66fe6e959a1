package checkpoint

import (
	"bufio"
	"encoding/binary"
	"io"
	"unicode/utf8"

	"github.com/strata-catalog/strata/generator/shape"
)

// GGUF reads the header of a file of so many bytes.
// Source: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
func GGUF(file string, r io.Reader, size int64) (*Checkpoint, error) {
	g := &gguf{file: file, r: bufio.NewReaderSize(r, 1<<16), left: uint64(max(size, 0)), order: binary.LittleEndian}
	c := g.checkpoint(uint64(max(size, 0)))
	if g.err != nil {
		return nil, g.err
	}
	return c, nil
}

// MaxDepth is how deep arrays of GGUF may stand in each other.
const MaxDepth = 8

// gguf is a header while it is read. The first thing that is wrong stays in
// err; what is read after that is zero.
type gguf struct {
	file  string
	r     *bufio.Reader
	order binary.ByteOrder
	left  uint64 // bytes of the file that are not read yet
	err   error
}

func (g *gguf) fail(tensor, format string, args ...any) {
	if g.err == nil {
		g.err = fault(g.file, tensor, format, args...)
	}
}

// bytes reads so many bytes, at most 64 KiB.
func (g *gguf) bytes(n uint64) []byte {
	if g.err != nil || !g.spend(n) {
		return nil
	}
	b := make([]byte, n)
	if _, err := io.ReadFull(g.r, b); err != nil {
		g.err = short(g.file, err, "ends within its header")
	}
	return b
}

// spend reports whether so many bytes are left, and takes them.
func (g *gguf) spend(n uint64) bool {
	if n > g.left {
		g.fail("", "its header goes on for %d bytes, but only %d are left; it is truncated", n, g.left)
		return false
	}
	g.left -= n
	return true
}

func (g *gguf) u32() uint32 {
	if b := g.bytes(4); g.err == nil {
		return g.order.Uint32(b)
	}
	return 0
}

func (g *gguf) u64() uint64 {
	if b := g.bytes(8); g.err == nil {
		return g.order.Uint64(b)
	}
	return 0
}

// text reads a text of at most so many bytes.
func (g *gguf) text(what string, most uint64) string {
	n := g.u64()
	if n > most {
		g.fail("", "%s is %d bytes long, expected at most %d", what, n, most)
		return ""
	}
	b := g.bytes(n)
	if !utf8.Valid(b) {
		g.fail("", "%s is not UTF-8", what)
	}
	return string(b)
}

func (g *gguf) skip(n uint64) {
	if g.err != nil || !g.spend(n) {
		return
	}
	if _, err := io.CopyN(io.Discard, g.r, int64(n)); err != nil {
		g.err = short(g.file, err, "ends within its header")
	}
}

// Types of values of GGUF.
const (
	ggufU32   = 4
	ggufText  = 8
	ggufArray = 9
)

// widths are the bytes of a value of each type, 0 where it says so itself.
var widths = [...]uint64{1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8}

// value skips a value.
func (g *gguf) value(kind uint32, depth int) {
	switch {
	case g.err != nil:
	case kind >= uint32(len(widths)):
		g.fail("", "a value of its metadata has type %d, expected 0 to %d", kind, len(widths)-1)
	case kind == ggufText:
		g.skip(g.u64())
	case kind != ggufArray:
		g.skip(widths[kind])
	case depth == MaxDepth:
		g.fail("", "arrays of its metadata stand in each other more than %d deep", MaxDepth)
	default:
		of, n := g.u32(), g.u64()
		if of < uint32(len(widths)) && widths[of] > 0 {
			total, ok := shape.Mul(int64(min(n, 1<<62)), int64(widths[of]))
			if !ok {
				total = 1 << 62
			}
			g.skip(uint64(total))
			return
		}
		if n > g.left {
			g.fail("", "an array of its metadata has %d elements, but only %d bytes are left", n, g.left)
		}
		for i := uint64(0); i < n && g.err == nil; i++ {
			g.value(of, depth+1)
		}
	}
}

func (g *gguf) checkpoint(size uint64) *Checkpoint {
	if magic := g.bytes(4); g.err != nil || string(magic) != "GGUF" {
		g.fail("", "begins with %q, expected GGUF", magic)
		return nil
	}
	version := g.u32()
	if version&0xffff == 0 && version != 0 { // as a big-endian file has it
		g.order, version = binary.BigEndian, version>>24
	}
	if version != 2 && version != 3 {
		g.fail("", "is GGUF of version %d, expected 2 or 3", version)
		return nil
	}
	tensors, pairs := g.u64(), g.u64()
	if tensors > MaxTensors {
		g.fail("", "says that it has %d tensors, expected at most %d", tensors, MaxTensors)
		return nil
	}
	alignment := uint64(32)
	c := &Checkpoint{Format: "GGUF"}
	for i := uint64(0); i < pairs && g.err == nil; i++ {
		key, kind := g.text("a key of its metadata", 1<<16), g.u32()
		if key == "general.alignment" && kind == ggufU32 {
			if alignment = uint64(g.u32()); alignment == 0 || alignment%8 != 0 {
				g.fail("", "general.alignment is %d, expected a multiple of 8", alignment)
			}
			continue
		}
		g.value(kind, 0)
	}
	var spans []span
	seen := map[string]bool{}
	for i := 0; i < int(tensors) && g.err == nil; i++ {
		t, s := g.tensor(alignment)
		if g.err == nil && seen[t.Name] {
			g.fail(t.Name, "is there twice")
		}
		seen[t.Name] = true
		s.tensor = i
		c.Tensors, spans = append(c.Tensors, t), append(spans, s)
	}
	if g.err != nil {
		return nil
	}
	read := size - g.left
	if begin := (read + alignment - 1) / alignment * alignment; begin <= size {
		g.err = disjoint(g.file, c.Tensors, spans, size-begin)
	} else if len(spans) > 0 {
		g.err = disjoint(g.file, c.Tensors, spans, 0)
	}
	return c
}

// tensor reads what the header says of one tensor. Sizes stand innermost first.
func (g *gguf) tensor(alignment uint64) (Tensor, span) {
	t := Tensor{Name: g.text("the name of a tensor", maxName), File: g.file}
	axes := g.u32()
	if axes > maxAxes {
		g.fail(t.Name, "has %d axes, expected at most %d", axes, maxAxes)
		return t, span{}
	}
	t.Dims = make(shape.Shape, axes)
	for i := range t.Dims {
		n := g.u64()
		if n > 1<<62 {
			g.fail(t.Name, "a size is %d", n)
		}
		t.Dims[len(t.Dims)-1-i] = int64(n)
	}
	kind, offset := g.u32(), g.u64()
	if g.err != nil {
		return t, span{}
	}
	b, known := blocks[kind]
	n, ok := t.Dims.Elems()
	switch {
	case !known:
		g.fail(t.Name, "its type is %d, which is not known", kind)
		return t, span{}
	case !ok:
		g.fail(t.Name, "%s has more elements than a signed 64-bit integer holds", t.Dims.Brackets())
		return t, span{}
	case len(t.Dims) > 0 && uint64(t.Dims[len(t.Dims)-1])%b.elements != 0:
		g.fail(t.Name, "rows of %d elements are no whole blocks of %s, which hold %d", t.Dims[len(t.Dims)-1], b.name, b.elements)
	case offset%alignment != 0:
		g.fail(t.Name, "its data begin at byte %d, expected a multiple of %d", offset, alignment)
	}
	t.DType = b.name
	bytes, ok := shape.Mul(n/int64(b.elements), int64(b.bytes))
	if !ok || offset > 1<<62 {
		g.fail(t.Name, "its data do not fit into any file")
	}
	return t, span{begin: offset, end: offset + uint64(bytes)}
}
