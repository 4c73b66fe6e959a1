package checkpoint

import (
	"encoding/binary"
	"errors"
	"io"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/strata-catalog/strata/generator/shape"
	"github.com/strata-catalog/strata/generator/words"
)

// Safetensors reads the header of a file of so many bytes: eight bytes of
// length, and so many of JSON.
func Safetensors(file string, r io.Reader, size int64) ([]Tensor, error) {
	var prefix [8]byte
	if _, err := io.ReadFull(r, prefix[:]); err != nil {
		return nil, short(file, err, "it has %d bytes, expected at least 8 for the length of the header", size)
	}
	length := binary.LittleEndian.Uint64(prefix[:])
	switch rest := uint64(max(size-8, 0)); {
	case length > MaxHeader:
		return nil, fault(file, "", "says that its header is %d bytes long, expected at most %d; is it a safetensors file?", length, MaxHeader)
	case length > rest:
		return nil, fault(file, "", "says that its header is %d bytes long, but only %d follow; it is truncated", length, rest)
	}
	h := &header{file: file, d: jsontext.NewDecoder(io.LimitReader(r, int64(length)))}
	if err := h.read(); err != nil {
		return nil, err
	}
	return h.tensors, disjoint(file, h.tensors, h.spans, uint64(size)-8-length)
}

// short is the fault of a file that ends too early, or what reading it met.
func short(file string, err error, format string, args ...any) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fault(file, "", format, args...)
	}
	return fault(file, "", "%v", err)
}

// A header is the JSON of a safetensors file while it is read.
type header struct {
	file    string
	d       *jsontext.Decoder
	tensors []Tensor
	spans   []span
}

func (h *header) read() error {
	if k := h.d.PeekKind(); k != '{' {
		return h.syntax("", "expected the JSON object of a safetensors header")
	}
	if _, err := h.d.ReadToken(); err != nil {
		return h.syntax("", "")
	}
	for h.d.PeekKind() != '}' {
		key, err := h.d.ReadToken()
		if err != nil {
			return h.broken(err)
		}
		name := key.String()
		if name == "__metadata__" {
			if err := h.d.SkipValue(); err != nil {
				return h.broken(err)
			}
			continue
		}
		if len(h.tensors) == MaxTensors {
			return fault(h.file, "", "has more than %d tensors", MaxTensors)
		}
		if len(name) > maxName {
			return fault(h.file, name, "its name is longer than %d bytes", maxName)
		}
		if err := h.tensor(name); err != nil {
			return err
		}
	}
	if _, err := h.d.ReadToken(); err != nil {
		return h.broken(err)
	}
	if _, err := h.d.ReadToken(); !errors.Is(err, io.EOF) {
		return fault(h.file, "", "its header goes on behind the JSON object")
	}
	return nil
}

// broken is the fault of a header that is no JSON.
func (h *header) broken(err error) error {
	var at *jsontext.SyntacticError
	if errors.As(err, &at) {
		return fault(h.file, "", "its header is not JSON at byte %d: %s", at.ByteOffset, brief(at.Err.Error()))
	}
	return short(h.file, err, "its header ends within the JSON")
}

func (h *header) syntax(tensor, want string) error {
	v, err := h.d.ReadValue()
	if err != nil {
		return h.broken(err)
	}
	return fault(h.file, tensor, "found %s in the header, %s", words.Quote(brief(string(v))), want)
}

// tensor reads what follows a name: dtype, shape and data_offsets.
func (h *header) tensor(name string) error {
	t := Tensor{Name: name, File: h.file}
	s := span{tensor: len(h.tensors)}
	var offsets []int64
	if h.d.PeekKind() != '{' {
		return h.syntax(name, "expected an object with dtype, shape and data_offsets")
	}
	if _, err := h.d.ReadToken(); err != nil {
		return h.broken(err)
	}
	for h.d.PeekKind() != '}' {
		key, err := h.d.ReadToken()
		if err != nil {
			return h.broken(err)
		}
		switch key := key.String(); key {
		case "dtype":
			if h.d.PeekKind() != '"' {
				return h.syntax(name, "expected the text of a dtype")
			}
			word, err := h.d.ReadToken()
			if err != nil {
				return h.broken(err)
			}
			t.DType = word.String()
		case "shape":
			axes, err := h.numbers(name, key, maxAxes)
			if err != nil {
				return err
			}
			t.Dims = axes
		case "data_offsets":
			if offsets, err = h.numbers(name, key, 2); err != nil {
				return err
			}
		default:
			if err := h.d.SkipValue(); err != nil {
				return h.broken(err)
			}
		}
	}
	if _, err := h.d.ReadToken(); err != nil {
		return h.broken(err)
	}
	size, known := bits[t.DType]
	switch {
	case t.DType == "" || t.Dims == nil || offsets == nil:
		return fault(h.file, name, "lacks dtype, shape or data_offsets")
	case !known:
		return fault(h.file, name, "dtype %s is not known", words.Quote(brief(t.DType)))
	case len(offsets) != 2 || offsets[0] > offsets[1]:
		return fault(h.file, name, "data_offsets are %v, expected a begin and an end", offsets)
	}
	n, ok := t.Dims.Elems()
	if need, fits := shape.Mul(n, int64(size)); !ok || !fits || uint64(offsets[1]-offsets[0]) != uint64(need+7)/8 {
		return fault(h.file, name, "%s of %s does not fit into the %d bytes from %d to %d", t.Dims.Brackets(), t.DType, offsets[1]-offsets[0], offsets[0], offsets[1])
	}
	s.begin, s.end = uint64(offsets[0]), uint64(offsets[1])
	h.tensors, h.spans = append(h.tensors, t), append(h.spans, s)
	return nil
}

// numbers reads a list of whole numbers.
func (h *header) numbers(tensor, key string, most int) ([]int64, error) {
	if h.d.PeekKind() != '[' {
		return nil, h.syntax(tensor, "expected a list for "+key)
	}
	if _, err := h.d.ReadToken(); err != nil {
		return nil, h.broken(err)
	}
	list := []int64{}
	for h.d.PeekKind() != ']' {
		if h.d.PeekKind() != '0' {
			return nil, h.syntax(tensor, "expected whole numbers for "+key)
		}
		v, err := h.d.ReadToken()
		if err != nil {
			return nil, h.broken(err)
		}
		n, err := strconv.ParseInt(v.String(), 10, 64)
		if err != nil || n < 0 || len(list) == most {
			return nil, fault(h.file, tensor, "%s is wrong at %s, expected at most %d whole numbers below 2^63", key, brief(v.String()), most)
		}
		list = append(list, n)
	}
	_, err := h.d.ReadToken()
	if err != nil {
		return nil, h.broken(err)
	}
	return list, nil
}
