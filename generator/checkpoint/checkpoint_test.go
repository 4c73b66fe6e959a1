package checkpoint_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/strata-catalog/strata/generator/checkpoint"
	"github.com/strata-catalog/strata/generator/infer"
	"github.com/strata-catalog/strata/generator/pipeline"
)

// A part is a tensor to be written.
type part struct {
	name, dtype string
	dims        []int64
}

// sizes are bytes of a number, for what the tests write.
var sizes = map[string]int64{"F32": 4, "F16": 2, "BF16": 2, "U8": 1, "I8": 1, "I32": 4, "U32": 4, "I64": 8, "F8_E4M3": 1, "F8_E8M0": 1}

// safetensors is a file whose data are not there: readers see a header, and a
// size.
func safetensors(parts []part) (header []byte, size int64) {
	var b strings.Builder
	var at int64
	b.WriteString(`{"__metadata__":{"format":"pt"}`)
	for _, p := range parts {
		n := sizes[p.dtype]
		for _, d := range p.dims {
			n *= d
		}
		name, _ := json.Marshal(p.name)
		dims, _ := json.Marshal(append([]int64{}, p.dims...))
		fmt.Fprintf(&b, `,%s:{"dtype":%q,"shape":%s,"data_offsets":[%d,%d]}`, name, p.dtype, dims, at, at+n)
		at += n
	}
	b.WriteString("}")
	return prefixed(b.String()), int64(8+b.Len()) + at
}

// prefixed is a header behind its length.
func prefixed(header string) []byte {
	return append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header...)
}

func model(t testing.TB, graph string) *infer.Model {
	t.Helper()
	r, err := pipeline.Run("model.json", []byte(graph))
	if err != nil {
		t.Fatal(err)
	}
	return r.Model
}

// two is a model of two matrices that are 8 × 16 and 16 × 8, and its tensors.
const two = `{"id": "m", "components": [
	{"id": "x", "type": "input", "params": {"shape": [1, 16]}},
	{"id": "layers", "block": "b", "repeat": 2, "inputs": ["x"]},
	{"id": "y", "type": "output", "inputs": ["layers"]}],
	"blocks": {"b": {"inputs": ["x"], "components": [
		{"id": "up_proj", "type": "linear", "params": {"outFeatures": 64, "bias": false}, "inputs": ["x"]},
		{"id": "down_proj", "type": "linear", "params": {"outFeatures": 16}, "inputs": ["up_proj"]}], "output": "down_proj"}}}`

func tensors() []part {
	var list []part
	for i := range 2 {
		layer := fmt.Sprintf("layers.%d.", i)
		list = append(list, part{layer + "up_proj.weight", "BF16", []int64{64, 16}}, part{layer + "down_proj.weight", "BF16", []int64{16, 64}}, part{layer + "down_proj.bias", "BF16", []int64{16}})
	}
	return list
}

func compare(t testing.TB, graph string, parts []part) *checkpoint.Comparison {
	t.Helper()
	header, size := safetensors(parts)
	c, err := checkpoint.One("model.safetensors", bytes.NewReader(header), size)
	if err != nil {
		t.Fatal(err)
	}
	k, err := checkpoint.Compare(model(t, graph), c)
	if err != nil {
		t.Fatal(err)
	}
	sum := k.Parameters
	for _, l := range k.Lines {
		sum += l.Elements
	}
	if sum != k.Stored {
		t.Errorf("parameters and lines make %d, stored are %d: %+v", sum, k.Stored, k.Lines)
	}
	return k
}

// said is a comparison in one line.
func said(k *checkpoint.Comparison) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %d/%d", k.Verdict, k.Same, k.Tensors)
	for _, f := range k.Forms {
		fmt.Fprintf(&b, "; %d by %s", f.Tensors, f.Name)
	}
	for _, d := range k.Differences {
		if d.Kind != checkpoint.OtherName {
			fmt.Fprintf(&b, "; %s %s (%s, %s)", d.Kind, d.Name, d.Graph, d.File)
		}
	}
	for _, r := range k.Map {
		fmt.Fprintf(&b, "; %s → %s (%d)", r.Graph, r.File, r.Tensors)
	}
	for _, l := range k.Lines {
		fmt.Fprintf(&b, "; %+d %s", l.Elements, l.What)
	}
	return b.String()
}

// replaced is a list with the tensor of a name replaced by others.
func replaced(list []part, name string, by ...part) []part {
	i := slices.IndexFunc(list, func(p part) bool { return p.name == name })
	return slices.Replace(slices.Clone(list), i, i+1, by...)
}

func renamed(list []part, name func(string) string) []part {
	list = slices.Clone(list)
	for i := range list {
		list[i].name = name(list[i].name)
	}
	return list
}

func TestCompare(t *testing.T) {
	const up = "layers.0.up_proj.weight"
	module := func(name string) []part { return []part{{name, "BF16", []int64{64, 16}}} }
	tests := []struct {
		name  string
		parts []part
		want  string
	}{
		{"equal", tensors(), "equal 6/6"},
		{"missing", replaced(tensors(), up), "different 5/6; missing " + up + " ([64, 16], ); -1024 missing from the files: " + up + ", 64 × 16"},
		{"extra", append(tensors(), part{"adapter", "BF16", []int64{3}}), "different 6/6; extra adapter (, [3] BF16); +3 not in the graph: adapter, 3"},
		{"shape", replaced(tensors(), up, part{up, "BF16", []int64{64, 17}}), "different 5/6; shape " + up + " ([64, 16], [64, 17]); +64 of another shape than in the graph: " + up},
		{"transposed", replaced(tensors(), up, part{up, "BF16", []int64{16, 64}}), "different 5/6; shape " + up + " ([64, 16], [16, 64])"},
		{"dtype", replaced(tensors(), up, part{up, "F32", []int64{64, 16}}), "equal 6/6; dtype " + up + " (BF16, F32)"},
		{"prefix", renamed(tensors(), func(s string) string { return "model." + s }), "renamed 0/6; … → model.… (6)"},
		{"other names", renamed(tensors(), func(s string) string {
			return strings.NewReplacer("layers.", "blk.", "up_proj", "ffn_up", "down_proj", "ffn_down").Replace(s)
		}), "renamed 0/6; layers.{}.down_proj.bias → blk.{}.ffn_down.bias (2); layers.{}.down_proj.weight → blk.{}.ffn_down.weight (2); layers.{}.up_proj.weight → blk.{}.ffn_up.weight (2)"},
		{"a layer too many", append(tensors(), module("layers.2.up_proj.weight")...), "different 6/6; extra layers.2.up_proj.weight (, [64, 16] BF16); +1024 not in the graph: layers.2.up_proj.weight, 64 × 16"},
		{"a prediction module", append(append(tensors(), module("layers.2.up_proj.weight")...), module("layers.2.eh_proj.weight")...), "equal 6/6; +2048 prediction module: layers.2.up_proj.weight, layers.2.eh_proj.weight, 2 of 64 × 16"},
		{"masks", append(tensors(), part{"h.0.attn.bias", "U8", []int64{1, 1, 8, 8}}, part{"h.1.attn.bias", "U8", []int64{1, 1, 8, 8}}, part{"h.0.attn.masked_bias", "F32", nil}, part{"position_ids", "I64", []int64{1, 8}}),
			"equal 6/6; +128 buffers: causal masks: h.{0…1}.attn.bias, 2 of 1 × 1 × 8 × 8; +1 buffers: values of masked scores: h.0.attn.masked_bias; +8 buffers: numbers of positions: position_ids, 1 × 8"},
		{"no mask", append(tensors(), part{"h.0.attn.bias", "F32", []int64{64}}), "different 6/6; extra h.0.attn.bias (, [64] F32); +64 not in the graph: h.0.attn.bias, 64"},
		{"GPTQ", replaced(tensors(), up, part{"layers.0.up_proj.qweight", "I32", []int64{2, 64}}, part{"layers.0.up_proj.scales", "F16", []int64{1, 64}}, part{"layers.0.up_proj.qzeros", "I32", []int64{1, 8}}, part{"layers.0.up_proj.g_idx", "I32", []int64{16}}),
			"equal 6/6; 1 by GPTQ; -896 numbers packed by GPTQ, several to an element: layers.0.up_proj.qweight; +64 scales: layers.0.up_proj.scales, 1 × 64; +8 zero points: layers.0.up_proj.qzeros, 1 × 8; +16 group indices: layers.0.up_proj.g_idx, 16"},
		{"packed, of another shape", replaced(tensors(), up, part{"layers.0.up_proj.qweight", "I32", []int64{2, 65}}, part{"layers.0.up_proj.scales", "F16", []int64{1, 64}}),
			"different 5/6; 1 by GPTQ; shape " + up + " ([64, 16], [2, 65] packed by GPTQ); -894 of another shape than in the graph: layers.0.up_proj.qweight; +64 scales: layers.0.up_proj.scales, 1 × 64"},
		{"4 bits in bytes", replaced(tensors(), up, part{up, "I8", []int64{64, 8}}, part{"layers.0.up_proj.scale", "F8_E8M0", []int64{64, 1}}),
			"equal 6/6; 1 by FP4; -512 numbers packed by FP4, several to an element: " + up + "; +64 scales: layers.0.up_proj.scale, 64 × 1"},
		{"8 bits in words of 32", replaced(tensors(), up, part{up, "U32", []int64{64, 4}}, part{"layers.0.up_proj.scales", "BF16", []int64{64, 1}}, part{"layers.0.up_proj.biases", "BF16", []int64{64, 1}}),
			"equal 6/6; 1 by MLX; -768 numbers packed by MLX, several to an element: " + up + "; +64 scales: layers.0.up_proj.scales, 64 × 1; +64 offsets of groups: layers.0.up_proj.biases, 64 × 1"},
		{"FP8", replaced(tensors(), up, part{up, "F8_E4M3", []int64{64, 16}}, part{"layers.0.up_proj.weight_scale_inv", "F32", []int64{1, 1}}),
			"equal 6/6; 1 by FP8; +1 scales: layers.0.up_proj.weight_scale_inv, 1 × 1"},
		{"scales of nothing", append(tensors(), part{"layers.0.up_proj.scales", "F16", []int64{1, 64}}), "different 6/6; extra layers.0.up_proj.scales (, [1, 64] F16); +64 not in the graph: layers.0.up_proj.scales, 1 × 64"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := said(compare(t, two, tt.parts)); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// TestTied has a head that is the embedding: stored once, under either name, or
// twice.
func TestTied(t *testing.T) {
	const graph = `{"id": "m", "components": [
		{"id": "x", "type": "input", "params": {"shape": [1, 5]}},
		{"id": "wte", "type": "embedding", "params": {"numEmbeddings": 100, "embeddingDim": 8}, "inputs": ["x"]},
		{"id": "head", "type": "linear", "params": {"outFeatures": 100, "bias": false, "tiedTo": "wte"}, "inputs": ["wte"]},
		{"id": "y", "type": "output", "inputs": ["head"]}]}`
	wte, head := part{"wte.weight", "F32", []int64{100, 8}}, part{"head.weight", "F32", []int64{100, 8}}
	for want, parts := range map[string][]part{
		"equal 1/1": {wte},
		"equal 1/1; +800 tied tensors, stored once more: head.weight, 100 × 8":                                            {wte, head},
		"different 1/1; shape head.weight ([100, 8], [100, 9]); +900 tied tensors of another shape: head.weight, 100 × 9": {wte, {"head.weight", "F32", []int64{100, 9}}},
	} {
		if got := said(compare(t, graph, parts)); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	if got := said(compare(t, graph, []part{head})); got != "equal 1/1" {
		t.Errorf("under the name of the head alone: %s", got)
	}
}

// TestExperts has experts one by one, and a file that stacks them.
func TestExperts(t *testing.T) {
	const graph = `{"id": "m", "components": [
		{"id": "x", "type": "input", "params": {"shape": [1, 5, 8]}},
		{"id": "layers", "block": "b", "repeat": 2, "inputs": ["x"]},
		{"id": "y", "type": "output", "inputs": ["layers"]}],
		"blocks": {"b": {"inputs": ["x"], "components": [
			{"id": "mlp", "type": "moeLayer", "params": {"numExperts": 3, "expertDim": 16, "topK": 1}, "inputs": ["x"]}], "output": "mlp"}}}`
	var parts []part
	for i := range 2 {
		at := fmt.Sprintf("blk.%d.ffn_", i)
		parts = append(parts, part{at + "gate_inp.weight", "F32", []int64{3, 8}}, part{at + "gate_exps.weight", "F32", []int64{3, 16, 8}}, part{at + "up_exps.weight", "F32", []int64{3, 16, 8}}, part{at + "down_exps.weight", "F32", []int64{3, 8, 16}})
	}
	k := compare(t, graph, parts)
	if k.Verdict != checkpoint.Renamed || len(k.Map) != 4 {
		t.Errorf("stacked experts: %s", said(k))
	}
}

// TestLinesAddUp changes a file at random: parameters and lines always make
// what is stored, and nothing that was changed goes unsaid.
func TestLinesAddUp(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		parts := tensors()
		dtypes := slices.Sorted(func(yield func(string) bool) {
			for d := range sizes {
				if !yield(d) {
					return
				}
			}
		})
		for range rapid.IntRange(0, 6).Draw(r, "changes") {
			i := rapid.IntRange(0, len(parts)).Draw(r, "tensor")
			switch rapid.IntRange(0, 3).Draw(r, "change") {
			case 0:
				if i < len(parts) {
					parts = slices.Delete(parts, i, i+1)
				}
			case 1:
				name := rapid.SampledFrom([]string{"layers.0.up_proj.scales", "layers.0.up_proj.qweight", "layers.1.down_proj.weight_scale_inv", "h.0.attn.bias", "layers.2.eh_proj.weight", "x.weight", "layers.0.down_proj.SCB"}).Draw(r, "name")
				if !slices.ContainsFunc(parts, func(p part) bool { return p.name == name }) {
					parts = append(parts, part{name, rapid.SampledFrom(dtypes).Draw(r, "dtype"), rapid.SliceOfN(rapid.Int64Range(0, 70), 0, 3).Draw(r, "dims")})
				}
			case 2:
				if i < len(parts) {
					parts[i].dims = rapid.SliceOfN(rapid.Int64Range(0, 70), 0, 3).Draw(r, "dims")
				}
			default:
				if i < len(parts) {
					parts[i].dtype = rapid.SampledFrom(dtypes).Draw(r, "dtype")
				}
			}
		}
		k := compare(t, two, parts)
		if same := len(parts) == 6 && said(k) == "equal 6/6"; same && !slices.EqualFunc(parts, tensors(), func(a, b part) bool { return a.name == b.name && slices.Equal(a.dims, b.dims) }) {
			r.Errorf("nothing is said of %v", parts)
		}
	})
}

// hostile are headers of safetensors files that no reader may believe.
func TestSafetensorsErrors(t *testing.T) {
	const one = `{"dtype":"F32","shape":[2],"data_offsets":[0,8]}`
	tests := []struct{ name, header, want string }{
		{"empty object", `{}`, ""},
		{"list", `[]`, `found "[]" in the header, expected the JSON object`},
		{"text", `"x"`, `expected the JSON object`},
		{"cut", `{"a":`, `is not JSON`},
		{"no end", `{"a":` + one, `is not JSON`},
		{"more", `{} {}`, `goes on behind the JSON object`},
		{"twice", `{"a":` + one + `,"a":` + one + `}`, `duplicate object member`},
		{"invalid UTF-8", "{\"a\xff\":" + one + `}`, `invalid UTF-8`},
		{"no object", `{"a":3}`, `a: found "3" in the header, expected an object with dtype`},
		{"lacks dtype", `{"a":{"shape":[2],"data_offsets":[0,8]}}`, `a: lacks dtype, shape or data_offsets`},
		{"unknown dtype", `{"a":{"dtype":"F7","shape":[2],"data_offsets":[0,8]}}`, `a: dtype "F7" is not known`},
		{"dtype a number", `{"a":{"dtype":7,"shape":[2],"data_offsets":[0,8]}}`, `expected the text of a dtype`},
		{"negative size", `{"a":{"dtype":"F32","shape":[-2],"data_offsets":[0,8]}}`, `a: shape is wrong at -2`},
		{"fraction", `{"a":{"dtype":"F32","shape":[2.5],"data_offsets":[0,8]}}`, `a: shape is wrong at 2.5`},
		{"many axes", `{"a":{"dtype":"F32","shape":[1,1,1,1,1,1,1,1,1],"data_offsets":[0,4]}}`, `a: shape is wrong`},
		{"overflow", `{"a":{"dtype":"F32","shape":[9223372036854775807,9223372036854775807],"data_offsets":[0,8]}}`, `does not fit into the 8 bytes`},
		{"wraps to 8 bytes", `{"a":{"dtype":"F32","shape":[4611686018427387906],"data_offsets":[0,8]}}`, `does not fit`},
		{"offsets backwards", `{"a":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}}`, `expected a begin and an end`},
		{"one offset", `{"a":{"dtype":"F32","shape":[2],"data_offsets":[8]}}`, `expected a begin and an end`},
		{"beyond the file", `{"a":{"dtype":"F32","shape":[2],"data_offsets":[8,16]}}`, `a: its data end at byte 16, but the file has 8 bytes of data`},
		{"overlap", `{"a":` + one + `,"b":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}`, `b: its data begin at byte 4, within those of a`},
		{"too long a name", `{"` + strings.Repeat("x", 2000) + `":` + one + `}`, `its name is longer than 1024 bytes`},
		{"deep", `{"a":` + strings.Repeat("[", 20_000), `JSON`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			src := prefixed(tt.header)
			_, err := checkpoint.Safetensors("f", bytes.NewReader(src), int64(len(src)+8))
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) || err != nil && len(err.Error()) > 2000 {
				t.Errorf("got %.2000v, want %s", err, tt.want)
			}
		})
	}
	for name, src := range map[string][]byte{
		"it has 3 bytes": {1, 2, 3},
		"says that its header is 9223372036854775808 bytes long, expected at most": binary.LittleEndian.AppendUint64(nil, 1<<63),
		"says that its header is 90000000 bytes long, but only 0 follow":           binary.LittleEndian.AppendUint64(nil, 90_000_000),
	} {
		if _, err := checkpoint.Safetensors("f", bytes.NewReader(src), int64(len(src))); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("got %v, want %s", err, name)
		}
	}
}

// TestMany reads a million tensors, and one more: what is kept is bounded.
func TestMany(t *testing.T) {
	var b strings.Builder
	b.WriteString("{")
	for i := range checkpoint.MaxTensors + 1 {
		if i > 0 {
			b.WriteString(",")
		}
		fmt.Fprintf(&b, `"t%d":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}`, i)
	}
	b.WriteString("}")
	src := prefixed(b.String())
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := checkpoint.Safetensors("f", bytes.NewReader(src), int64(len(src)))
	runtime.ReadMemStats(&after)
	if err == nil || !strings.Contains(err.Error(), "has more than 1000000 tensors") {
		t.Errorf("got %v", err)
	}
	if used := after.HeapSys - before.HeapSys; after.HeapSys > before.HeapSys && used > 1<<30 {
		t.Errorf("took %d MB", used>>20)
	}
}

// A gguf is a file while a test writes it.
type gguf struct{ bytes.Buffer }

func (g *gguf) put(values ...any) *gguf {
	for _, v := range values {
		if s, ok := v.(string); ok {
			g.put(uint64(len(s)))
			g.WriteString(s)
			continue
		}
		_ = binary.Write(g, binary.LittleEndian, v)
	}
	return g
}

func (g *gguf) head(tensors, pairs uint64) *gguf {
	g.WriteString("GGUF")
	return g.put(uint32(3), tensors, pairs)
}

// aligned ends the header and appends so many bytes of data.
func (g *gguf) aligned(data int) *gguf {
	g.Write(make([]byte, (32-g.Len()%32)%32+data))
	return g
}

func TestGGUF(t *testing.T) {
	deep := new(gguf).head(0, 1).put("a", uint32(9))
	for range 5000 {
		deep.put(uint32(9), uint64(1))
	}
	tensor := func(g *gguf, name string, offset uint64) *gguf {
		return g.put(name, uint32(2), uint64(32), uint64(2), uint32(8), offset)
	}
	good := tensor(new(gguf).head(1, 2).put("general.alignment", uint32(4), uint32(32), "tokens", uint32(9), uint32(8), uint64(2), "a", "b"), "w", 0).aligned(68)
	c, err := checkpoint.GGUF("f", bytes.NewReader(good.Bytes()), int64(good.Len()))
	if err != nil || len(c.Tensors) != 1 || c.Tensors[0].Dims.Brackets() != "[2, 32]" || c.Tensors[0].DType != "Q8_0" {
		t.Fatalf("%v, %+v", err, c)
	}
	tests := []struct {
		name string
		file *gguf
		want string
	}{
		{"truncated data", tensor(new(gguf).head(1, 0), "w", 0).aligned(67), "w: its data end at byte 68, but the file has 67"},
		{"recursive arrays", deep, "stand in each other more than 8 deep"},
		{"a long array", new(gguf).head(0, 1).put("a", uint32(9), uint32(8), uint64(1<<60)), "has 1152921504606846976 elements"},
		{"a long array of numbers", new(gguf).head(0, 1).put("a", uint32(9), uint32(10), uint64(1<<62)), "it is truncated"},
		{"a long text", new(gguf).head(0, 1).put(uint64(1 << 40)), "a key of its metadata is 1099511627776 bytes long"},
		{"a long value", new(gguf).head(0, 1).put("a", uint32(8), uint64(1<<40)), "goes on for 1099511627776 bytes"},
		{"many tensors", new(gguf).head(1<<40, 0), "says that it has 1099511627776 tensors"},
		{"unknown kind", new(gguf).head(0, 1).put("a", uint32(77)), "has type 77"},
		{"unknown type", new(gguf).head(1, 0).put("w", uint32(1), uint64(32), uint32(99), uint64(0)).aligned(0), "w: its type is 99"},
		{"no whole blocks", new(gguf).head(1, 0).put("w", uint32(1), uint64(31), uint32(8), uint64(0)).aligned(34), "w: rows of 31 elements are no whole blocks of Q8_0"},
		{"many axes", new(gguf).head(1, 0).put("w", uint32(9)), "w: has 9 axes"},
		{"overflow", new(gguf).head(1, 0).put("w", uint32(2), uint64(1<<40), uint64(1<<40), uint32(0), uint64(0)), "more elements than a signed 64-bit integer"},
		{"twice", tensor(tensor(new(gguf).head(2, 0), "w", 0), "w", 96).aligned(164), "w: is there twice"},
		{"overlap", tensor(tensor(new(gguf).head(2, 0), "w", 0), "v", 32).aligned(164), "v: its data begin at byte 32, within those of w"},
		{"odd offset", tensor(new(gguf).head(1, 0), "w", 7).aligned(164), "expected a multiple of 32"},
		{"invalid UTF-8", tensor(new(gguf).head(1, 0), "w\xff", 0).aligned(68), "is not UTF-8"},
		{"alignment", new(gguf).head(0, 1).put("general.alignment", uint32(4), uint32(0)), "general.alignment is 0"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := checkpoint.GGUF("f", bytes.NewReader(tt.file.Bytes()), int64(tt.file.Len()))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
	for n := range good.Len() - 1 {
		if _, err := checkpoint.GGUF("f", bytes.NewReader(good.Bytes()[:n]), int64(n)); err == nil {
			t.Fatalf("%d of %d bytes are no error", n, good.Len())
		}
	}
}

func TestIndex(t *testing.T) {
	a, sizeA := safetensors([]part{{"x", "F32", []int64{4}}})
	b, sizeB := safetensors([]part{{"y", "F16", []int64{3}}})
	read := func(shard string) ([]checkpoint.Tensor, error) {
		if shard == "a" {
			return checkpoint.Safetensors(shard, bytes.NewReader(a), sizeA)
		}
		return checkpoint.Safetensors(shard, bytes.NewReader(b), sizeB)
	}
	for src, want := range map[string]string{
		`{"weight_map": {"x": "a", "y": "b"}}`:                                                        "",
		`{"metadata": {"total_size": 22, "total_parameters": 7}, "weight_map": {"x": "a", "y": "b"}}`: "",
		`{"metadata": {"total_size": 28.0}, "weight_map": {"x": "a", "y": "b"}}`:                      "metadata.total_size of the index is 28 bytes, but the tensors have 22",
		`{"metadata": {"total_parameters": 333312}, "weight_map": {"x": "a", "y": "b"}}`:              "metadata.total_parameters of the index is 333,312, but the files store 7 elements",
		`{"metadata": {"total_size": "many"}, "weight_map": {"x": "a", "y": "b"}}`:                    "metadata.total_size of the index is no number",
		`{"weight_map": {"x": "a"}}`:                                                                  "",
		`{"weight_map": {"x": "a", "z": "b"}}`:                                                        `y: stands in b, but weight_map does not name it`,
		`{"weight_map": {"x": "b", "y": "b"}}`:                                                        `x: weight_map says b, which does not have it`,
		`{"weight_map": {"x": "a", "y": "b", "z": "b"}}`:                                              `z: weight_map says b, which does not have it`,
		`{"weight_map": {"x": "../a"}}`:                                                               `x: its file is "../a", expected the name of a file beside the index`,
		`{"weight_map": {"x": "/etc/passwd"}}`:                                                        `expected the name of a file beside the index`,
		`{"weight_map": {"x": "a", "x": "b"}}`:                                                        `duplicate`,
		`{"weight_map": {}}`:                                                                          `weight_map is missing or empty`,
		`{"weight_map": 7}`:                                                                           `is no index of safetensors`,
		`{`:                                                                                           `is not JSON`,
	} {
		var c *checkpoint.Checkpoint
		x, err := checkpoint.ReadIndex("i", []byte(src))
		if err == nil {
			c, err = x.Join(read)
		}
		got := fmt.Sprint(err)
		if err == nil {
			got = strings.Join(c.Remarks, "; ")
		}
		if want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%s\ngot  %s\nwant %s", src, got, want)
		}
	}
}

func FuzzSafetensors(f *testing.F) {
	header, _ := safetensors(tensors())
	f.Add(header)
	f.Add(prefixed(`{"a":{"dtype":"F4","shape":[3],"data_offsets":[0,2]}}`))
	f.Fuzz(func(t *testing.T, src []byte) {
		c, err := checkpoint.One("f", bytes.NewReader(src), int64(len(src))+4096)
		if err != nil {
			return
		}
		if _, err := checkpoint.Compare(model(t, two), c); err != nil {
			t.Fatal(err)
		}
	})
}

func FuzzGGUF(f *testing.F) {
	f.Add(new(gguf).head(1, 1).put("a", uint32(9), uint32(9), uint64(1), uint32(4), uint64(1), uint32(7), "w", uint32(1), uint64(32), uint32(8), uint64(0)).aligned(34).Bytes())
	f.Fuzz(func(t *testing.T, src []byte) {
		c, err := checkpoint.GGUF("f", bytes.NewReader(src), int64(len(src)))
		if err != nil {
			return
		}
		if _, err := checkpoint.Compare(model(t, two), c); err != nil {
			t.Fatal(err)
		}
	})
}

func FuzzIndex(f *testing.F) {
	f.Add([]byte(`{"metadata": {"total_size": 22}, "weight_map": {"x": "a", "y": "b"}}`))
	f.Fuzz(func(t *testing.T, src []byte) {
		x, err := checkpoint.ReadIndex("i", src)
		if err != nil {
			return
		}
		for _, shard := range x.Shards() {
			if strings.ContainsAny(shard, `/\`) {
				t.Fatalf("%q leaves the folder", shard)
			}
		}
	})
}
