package checkpoint

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/strata-catalog/strata/generator/shape"
)

// Limits of what is read.
const (
	MaxHeader  = 100_000_000 // bytes of a safetensors header, as its reference has it, and of an index
	MaxTensors = 1_000_000
	maxName    = 1 << 10
	maxAxes    = 8
)

// A Tensor is one tensor as a file holds it.
type Tensor struct {
	Name  string
	Dims  shape.Shape // outermost axis first, as PyTorch has it
	DType string      // the file's own word: BF16, F8_E4M3, Q4_K
	File  string      // where it was read
}

// Elements is how many the file stores.
func (t *Tensor) Elements() int64 {
	n, _ := t.Dims.Elems() // readers refuse products that overflow
	return n
}

// A Checkpoint is what the headers of one or more files say.
type Checkpoint struct {
	Format  string // "safetensors" or "GGUF"
	Tensors []Tensor
	// Remarks are things to know about the files that no tensor shows: totals that
	// are declared and wrong, parts that are not there.
	Remarks []string
}

// An Error says what is wrong with a file.
type Error struct {
	File string
	// Tensor is the one to blame, "" where it is the file.
	Tensor string
	Msg    string
}

func (e *Error) Error() string {
	if e.Tensor != "" {
		return fmt.Sprintf("%s: %s: %s", e.File, brief(e.Tensor), e.Msg)
	}
	return e.File + ": " + e.Msg
}

// brief is a name cut to what a message can hold.
func brief(name string) string {
	name = strings.ToValidUTF8(name, "\ufffd")
	if r := []rune(name); len(r) > 100 {
		return string(r[:100]) + "…"
	}
	return name
}

func fault(file, tensor, format string, args ...any) error {
	return &Error{file, tensor, fmt.Sprintf(format, args...)}
}

// A span is the place of a tensor's bytes, relative to the data.
type span struct {
	begin, end uint64
	tensor     int
}

// disjoint checks that no two tensors share bytes, and that all lie before the
// end of the file.
func disjoint(file string, tensors []Tensor, spans []span, size uint64) error {
	slices.SortFunc(spans, func(a, b span) int {
		return cmp.Or(cmp.Compare(a.begin, b.begin), cmp.Compare(a.end, b.end))
	})
	var end uint64
	for i, s := range spans {
		name := tensors[s.tensor].Name
		if s.end > size {
			return fault(file, name, "its data end at byte %d, but the file has %d bytes of data; it is truncated, or the offsets are wrong", s.end, size)
		}
		if i > 0 && s.begin < end && s.begin < s.end {
			return fault(file, name, "its data begin at byte %d, within those of %s, which end at %d", s.begin, brief(tensors[spans[i-1].tensor].Name), end)
		}
		end = max(end, s.end)
	}
	return nil
}
