package checkpoint

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/strata-catalog/strata/generator/format"
	"github.com/strata-catalog/strata/generator/words"
)

// An Index is a model.safetensors.index.json: which shard holds which tensor.
type Index struct {
	file    string
	shards  map[string]string // by tensor
	totals  map[string]int64  // what metadata declares
	strange string            // a total that is no number
}

// Shards lists the files that an index names, in order. Each lies in the folder
// of the index.
func (x *Index) Shards() []string {
	return slices.Compact(slices.Sorted(maps.Values(x.shards)))
}

// ReadIndex reads an index.
func ReadIndex(file string, src []byte) (*Index, error) {
	var doc struct {
		Metadata jsontext.Value    `json:"metadata"`
		Map      map[string]string `json:"weight_map"`
	}
	if len(src) > MaxHeader {
		return nil, fault(file, "", "is larger than %d bytes", MaxHeader)
	}
	if err := json.UnmarshalRead(bytes.NewReader(src), &doc); err != nil {
		var at *jsontext.SyntacticError
		if errors.As(err, &at) {
			return nil, fault(file, "", "is not JSON at byte %d: %s", at.ByteOffset, brief(at.Err.Error()))
		}
		return nil, fault(file, "", "is no index of safetensors: expected weight_map, an object that says the file of each tensor")
	}
	if len(doc.Map) == 0 {
		return nil, fault(file, "", "weight_map is missing or empty, expected the file of each tensor")
	}
	if len(doc.Map) > MaxTensors {
		return nil, fault(file, "", "names more than %d tensors", MaxTensors)
	}
	x := &Index{file: file, shards: doc.Map, totals: map[string]int64{}}
	for name, shard := range doc.Map {
		if shard == "" || shard != path.Base(shard) || strings.ContainsAny(shard, `\:`) || shard == "." || shard == ".." {
			return nil, fault(file, name, "its file is %s, expected the name of a file beside the index", words.Quote(brief(shard)))
		}
	}
	if doc.Metadata.Kind() == '{' {
		var all map[string]jsontext.Value
		if err := json.Unmarshal(doc.Metadata, &all); err != nil {
			return nil, fault(file, "", "metadata: %s", brief(err.Error()))
		}
		for _, name := range []string{"total_size", "total_parameters"} {
			var x64 float64
			if v, ok := all[name]; !ok {
				continue
			} else if json.Unmarshal(v, &x64) != nil || x64 < 0 || x64 > 1<<62 {
				x.strange = name
			} else {
				x.totals[name] = int64(x64)
			}
		}
	}
	return x, nil
}

// Join puts the shards of an index together. read gives the tensors of one. A
// tensor that is not where the index says, or that it does not name, is an
// error.
func (x *Index) Join(read func(shard string) ([]Tensor, error)) (*Checkpoint, error) {
	c := &Checkpoint{Format: "safetensors"}
	found := map[string]bool{}
	var size int64
	for _, shard := range x.Shards() {
		tensors, err := read(shard)
		if err != nil {
			return nil, err
		}
		for _, t := range tensors {
			switch at, ok := x.shards[t.Name]; {
			case !ok:
				return nil, fault(x.file, t.Name, "stands in %s, but weight_map does not name it", shard)
			case at != shard:
				return nil, fault(x.file, t.Name, "stands in %s, but weight_map says %s", shard, at)
			}
			found[t.Name] = true
			size += int64((uint64(t.Elements())*bits[t.DType] + 7) / 8)
		}
		if len(c.Tensors)+len(tensors) > MaxTensors {
			return nil, fault(x.file, "", "its files have more than %d tensors", MaxTensors)
		}
		c.Tensors = append(c.Tensors, tensors...)
	}
	for _, name := range slices.Sorted(maps.Keys(x.shards)) {
		if !found[name] {
			return nil, fault(x.file, name, "weight_map says %s, which does not have it", x.shards[name])
		}
	}
	c.Remarks = x.remarks(c, size)
	return c, nil
}

// remarks sets the totals that an index declares against those of its files.
func (x *Index) remarks(c *Checkpoint, size int64) (list []string) {
	var elements int64
	for i := range c.Tensors {
		elements += c.Tensors[i].Elements()
	}
	if x.strange != "" {
		list = append(list, "metadata."+x.strange+" of the index is no number")
	}
	if n, ok := x.totals["total_size"]; ok && n != size {
		list = append(list, "metadata.total_size of the index is "+format.Exact64(n)+" bytes, but the tensors have "+format.Exact64(size))
	}
	if n, ok := x.totals["total_parameters"]; ok && n != elements {
		list = append(list, "metadata.total_parameters of the index is "+format.Exact64(n)+", but the files store "+format.Exact64(elements)+" elements")
	}
	return list
}

// One is the checkpoint of a single safetensors file.
func One(file string, r io.Reader, size int64) (*Checkpoint, error) {
	tensors, err := Safetensors(file, r, size)
	if err != nil {
		return nil, err
	}
	return &Checkpoint{Format: "safetensors", Tensors: tensors}, nil
}
