package checkpoint

import (
	"slices"
	"strings"

	"github.com/strata-catalog/strata/generator/shape"
)

// A stored is a tensor of a model as a file has it: by itself, or as packed
// numbers with what is needed to unpack them.
type stored struct {
	name string
	dims shape.Shape // of the tensor that it stands for; nil where only the model's can tell
	// form names how it is packed, "" where it is stored as it is.
	form string
	// data is the tensor that holds the numbers.
	data *Tensor
	// fits reports whether packed numbers can be a tensor of a shape.
	fits func(want shape.Shape) bool
}

// A companion is stored for the sake of another tensor.
type companion struct {
	of   string // what it is: scales, zero points
	data *Tensor
}

// A packing is one way to store a matrix in fewer bits.
type packing struct {
	name string
	// data is the suffix of the packed tensor, weight that of what it stands for.
	data, weight string
	// dtypes are those of the packed tensor, empty for any.
	dtypes []string
	// with are the suffixes of companions of which one has to be there; all are
	// what may be there, with what each is.
	with []string
	all  map[string]string
	// fits reports whether the packed tensor can be one of a shape. companions are
	// by suffix.
	fits func(data *Tensor, companions map[string]*Tensor, want shape.Shape) bool
}

// packings are tried in order; the first that fits by names and types is taken.
var packings = []packing{
	{
		// Source: https://github.com/AutoGPTQ/AutoGPTQ, qlinear: in packed along rows.
		name: "GPTQ", data: ".qweight", weight: ".weight", dtypes: []string{"I32"}, with: []string{".scales"},
		all: map[string]string{".scales": "scales", ".qzeros": "zero points", ".g_idx": "group indices"},
		fits: func(data *Tensor, c map[string]*Tensor, want shape.Shape) bool {
			return len(want) == 2 && len(data.Dims) == 2 && data.Dims[1] == want[0] && wide(data.Dims[0], want[1], 32)
		},
	},
	{
		// Source: https://github.com/casper-hansen/AutoAWQ, WQLinear: out packed along columns.
		name: "AWQ", data: ".qweight", weight: ".weight", dtypes: []string{"I32"}, with: []string{".scales"},
		all: map[string]string{".scales": "scales", ".qzeros": "zero points"},
		fits: func(data *Tensor, c map[string]*Tensor, want shape.Shape) bool {
			return len(want) == 2 && len(data.Dims) == 2 && data.Dims[0] == want[1] && wide(data.Dims[1], want[0], 32)
		},
	},
	{
		// Source: https://github.com/ml-explore/mlx, quantize: in packed along columns.
		name: "MLX", data: ".weight", weight: ".weight", dtypes: []string{"U32"}, with: []string{".scales"},
		all:  map[string]string{".scales": "scales", ".biases": "offsets of groups"},
		fits: columns(32),
	},
	{
		// Source: https://github.com/neuralmagic/compressed-tensors, pack-quantized and nvfp4-pack-quantized.
		name: "compressed-tensors", data: ".weight_packed", weight: ".weight", with: []string{".weight_scale"},
		all: map[string]string{
			".weight_scale": "scales", ".weight_zero_point": "zero points", ".weight_g_idx": "group indices", ".weight_shape": "shapes of packed matrices",
			".weight_global_scale": "scales", ".input_global_scale": "scales", ".input_scale": "scales",
		},
		fits: func(data *Tensor, c map[string]*Tensor, want shape.Shape) bool {
			return columns(int64(bits[data.DType]))(data, c, want)
		},
	},
	{
		// Source: gpt-oss in transformers: blocks of 32 numbers of 4 bits in 16 bytes.
		name: "MXFP4", data: "_blocks", weight: "", dtypes: []string{"U8"}, with: []string{"_scales"},
		all: map[string]string{"_scales": "scales"},
		fits: func(data *Tensor, c map[string]*Tensor, want shape.Shape) bool {
			n := len(data.Dims)
			if n < 3 {
				return false
			}
			row, ok := shape.Mul(data.Dims[n-2], data.Dims[n-1], 2)
			whole := append(append(shape.Shape{}, data.Dims[:n-2]...), row)
			return ok && (whole.Equal(want) || swapped(whole).Equal(want))
		},
	},
	{
		// Source: https://github.com/bitsandbytes-foundation/bitsandbytes, Params4bit: one column of bytes.
		name: "bitsandbytes 4-bit", data: ".weight", weight: ".weight", dtypes: []string{"U8"}, with: []string{".weight.absmax"},
		all: map[string]string{
			".weight.absmax": "scales", ".weight.quant_map": "quantisation tables", ".weight.nested_absmax": "scales", ".weight.nested_quant_map": "quantisation tables",
			".weight.quant_state.bitsandbytes__nf4": "quantisation states", ".weight.quant_state.bitsandbytes__fp4": "quantisation states",
		},
		fits: func(data *Tensor, c map[string]*Tensor, want shape.Shape) bool {
			n, ok := want.Elems()
			return ok && data.Elements() == (n+1)/2
		},
	},
	{
		name: "bitsandbytes 8-bit", data: ".weight", weight: ".weight", dtypes: []string{"I8"}, with: []string{".SCB", ".weight.SCB"},
		all:  map[string]string{".SCB": "scales", ".weight.SCB": "scales", ".weight_format": "quantisation states", ".weight.weight_format": "quantisation states"},
		fits: whole,
	},
	{
		// Source: https://github.com/NVIDIA/Model-Optimizer, NVFP4: two numbers in a byte.
		name: "NVFP4", data: ".weight", weight: ".weight", dtypes: []string{"U8"}, with: []string{".weight_scale"},
		all:  map[string]string{".weight_scale": "scales", ".weight_scale_2": "scales", ".input_scale": "scales"},
		fits: columns(8),
	},
	{
		// Source: expert_dtype of DeepSeek: two numbers in a byte, a scale for each group.
		name: "FP4", data: ".weight", weight: ".weight", dtypes: []string{"I8", "U8"}, with: []string{".scale", ".weight_scale_inv"},
		all:  map[string]string{".scale": "scales", ".weight_scale_inv": "scales"},
		fits: columns(8),
	},
	{
		// Source: DeepSeek-V3 (weight_scale_inv) and compressed-tensors (weight_scale).
		name: "FP8", data: ".weight", weight: ".weight", dtypes: []string{"F8_E4M3", "F8_E5M2", "F8_E4M3FNUZ", "F8_E5M2FNUZ"},
		with: []string{".weight_scale_inv", ".weight_scale", ".scale"},
		all: map[string]string{
			".weight_scale_inv": "scales", ".weight_scale": "scales", ".input_scale": "scales", ".scale": "scales", ".activation_scale": "scales",
			".k_scale": "scales", ".v_scale": "scales",
		},
		fits: whole,
	},
	{
		name: "INT8", data: ".weight", weight: ".weight", dtypes: []string{"I8"}, with: []string{".weight_scale"},
		all:  map[string]string{".weight_scale": "scales", ".weight_zero_point": "zero points", ".input_scale": "scales", ".input_zero_point": "zero points"},
		fits: whole,
	},
}

// wide reports whether so many words of so many bits can hold n numbers of
// some width from 2 to 8 bits.
func wide(words, n, word int64) bool {
	total, ok := shape.Mul(words, word)
	if !ok || n == 0 {
		return false
	}
	for b := int64(2); b <= 8; b++ {
		if need, ok := shape.Mul(n, b); ok && (need+word-1)/word*word == total {
			return true
		}
	}
	return false
}

// columns is a matrix whose rows are packed into words of so many bits.
func columns(word int64) func(*Tensor, map[string]*Tensor, shape.Shape) bool {
	return func(data *Tensor, _ map[string]*Tensor, want shape.Shape) bool {
		n := len(data.Dims) - 1
		return n >= 1 && len(want) == n+1 && data.Dims[:n].Equal(want[:n]) && wide(data.Dims[n], want[n], word)
	}
}

// whole is a matrix of as many numbers as it stands for.
func whole(data *Tensor, _ map[string]*Tensor, want shape.Shape) bool { return data.Dims.Equal(want) }

// swapped is a shape with its last two axes in the other order.
func swapped(s shape.Shape) shape.Shape {
	t := append(shape.Shape{}, s...)
	if n := len(t); n >= 2 {
		t[n-1], t[n-2] = t[n-2], t[n-1]
	}
	return t
}

// unpack sorts the tensors of a file into those of a model and their
// companions. want are the shapes of the model's tensors by name, which tell
// ways of packing apart that have the same names.
func unpack(tensors []Tensor, want map[string]shape.Shape) (list []stored, rest []companion) {
	byName := make(map[string]*Tensor, len(tensors))
	for i := range tensors {
		byName[tensors[i].Name] = &tensors[i]
	}
	taken := map[string]string{} // companions: what they are
	forms := map[string]*stored{}
	for i := range tensors {
		t := &tensors[i]
		if s := recognise(t, byName, want, taken); s != nil {
			forms[t.Name] = s
		}
	}
	for i := range tensors {
		t := &tensors[i]
		switch s, of := forms[t.Name], taken[t.Name]; {
		case s != nil:
			list = append(list, *s)
		case of != "":
			rest = append(rest, companion{of, t})
		case packed(t.DType):
			list = append(list, stored{name: t.Name, dims: t.Dims, form: t.DType, data: t})
		default:
			list = append(list, stored{name: t.Name, dims: t.Dims, data: t})
		}
	}
	return list, rest
}

// recognise is the packing of a tensor, nil where it is none.
func recognise(t *Tensor, byName map[string]*Tensor, want map[string]shape.Shape, taken map[string]string) *stored {
	var found *stored
	for i := range packings {
		p := &packings[i]
		base, ok := strings.CutSuffix(t.Name, p.data)
		if !ok || len(p.dtypes) > 0 && !slices.Contains(p.dtypes, t.DType) {
			continue
		}
		companions := map[string]*Tensor{}
		for suffix := range p.all {
			if c := byName[base+suffix]; c != nil && c != t {
				companions[suffix] = c
			}
		}
		if !anyOf(companions, p.with) {
			continue
		}
		s := &stored{name: base + p.weight, form: p.name, data: t, fits: func(w shape.Shape) bool { return p.fits(t, companions, w) }}
		w, known := want[s.name]
		if found != nil && !(known && s.fits(w)) {
			continue // an earlier packing has these names, too
		}
		if known && s.fits(w) {
			s.dims = w
		}
		for suffix, c := range companions {
			taken[c.Name] = p.all[suffix]
		}
		if found = s; s.dims != nil {
			break
		}
	}
	return found
}

func anyOf(companions map[string]*Tensor, suffixes []string) bool {
	return slices.ContainsFunc(suffixes, func(s string) bool { return companions[s] != nil })
}
