package layer

import (
	"flag"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/strata-catalog/strata/generator/graph"
	"github.com/strata-catalog/strata/generator/shape"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

var update = flag.Bool("update", false, "rewrite testdata/*.golden")

// TestExamples compares what each type makes of its examples with its golden
// file, one for each type and no other.
func TestExamples(t *testing.T) {
	for _, typ := range All {
		t.Run(typ.Name, func(t *testing.T) {
			got := describe(t, typ)
			file := filepath.Join("testdata", typ.Name+".golden")
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatalf("no golden file for %s: run go test ./generator/layer -update and read what it writes (%v)", typ.Name, err)
			}
			if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
				t.Errorf("%s changed (-want +got); run go test ./generator/layer -update if that is meant\n%s", file, diff)
			}
		})
	}
	files, err := filepath.Glob("testdata/*.golden")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".golden")
		if _, ok := Lookup(name); !ok {
			t.Errorf("%s: no type is called %s; remove the file", file, name)
		}
	}
}

// describe prints the results of a type's examples: for each the parameters,
// operands and output, the work, the tensors, and the problems.
func describe(t *testing.T, typ *Type) string {
	var b strings.Builder
	for _, e := range typ.Doc.Examples {
		r, err := typ.Try(e)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s\n", e.Params)
		for _, dims := range e.In {
			fmt.Fprintf(&b, "\tin %s\n", axes(e.operand(dims)))
		}
		fmt.Fprintf(&b, "\tout %s\n", axes(r.Out))
		work(&b, r)
		tensors(&b, r)
		for _, p := range r.Problems {
			fmt.Fprintf(&b, "\t%s: %s\n", strings.TrimSpace(p.Rule+" "+p.Param), p.Message)
			if p.Fix != "" {
				fmt.Fprintf(&b, "\t\t%s\n", p.Fix)
			}
		}
	}
	return b.String()
}

// axes prints a tensor with what its axes mean.
func axes(x shape.Tensor) string {
	if !x.Known() {
		return "unknown"
	}
	s := x.Dims.Brackets()
	switch {
	case x.Batch == shape.Batched:
		s += " batched"
	case x.Batch == shape.Unbatched:
		s += " unbatched"
	}
	if !x.FeatureLast() && x.Rank() > 0 {
		s += fmt.Sprintf(" features on axis %d", x.Feature)
	}
	if x.IDs {
		s += " ids"
	}
	return s
}

func work(b *strings.Builder, r *Result) {
	line := func(name string, n fmt.Stringer) { fmt.Fprintf(b, "\t%s %s\n", name, n) }
	if r.Work.Full != nil {
		line("macs", r.Work.Full)
	}
	if r.Work.Causal != nil {
		line("macs, causal", r.Work.Causal)
	}
	if r.Work.Elem != nil {
		line("element-wise", r.Work.Elem)
	}
	if r.Saved != nil {
		line("saved", r.Saved)
	}
	if r.State != 0 {
		fmt.Fprintf(b, "\tstate %d\n", r.State)
	}
	if r.Attn != nil {
		fmt.Fprintf(b, "\tattention %+v\n", *r.Attn)
	}
}

func tensors(b *strings.Builder, r *Result) {
	for _, w := range r.Weights {
		fmt.Fprintf(b, "\t%s", strings.TrimSpace(w.Name+" "+w.Dims.Brackets()))
		if w.Copies > 1 {
			fmt.Fprintf(b, " × %d", w.Copies)
		}
		if w.Used > 0 {
			fmt.Fprintf(b, ", %d used", w.Used)
		}
		if w.Stacked {
			b.WriteString(", stacked")
		}
		if w.Buffer {
			b.WriteString(", buffer")
		}
		b.WriteString("\n")
	}
	switch {
	case !r.Counted:
		fmt.Fprintf(b, "\tparameters not counted\n")
	case r.Active != r.Params:
		fmt.Fprintf(b, "\tparameters %d, %d active\n", r.Params, r.Active)
	case r.Params > 0:
		fmt.Fprintf(b, "\tparameters %d\n", r.Params)
	}
}

// A use is one row of a table about single layers.
type use struct {
	name string // what the row is about; D numbers are those of the list of cases
	typ  string
	Example
	straight bool     // the operands come straight from inputs
	out      string   // the output, as axes prints it
	params   int64    // elements of the weights, 0 for none or not counted
	macs     int64    // 0: none
	rules    []string // what is reported, in order
}

// try is what the layer makes of the row.
func (u use) try(t *testing.T) *Result {
	t.Helper()
	typ, ok := Lookup(u.typ)
	if !ok {
		t.Fatalf("no type %s", u.typ)
	}
	params, err := u.Example.params()
	if err != nil {
		t.Fatal(err)
	}
	var in []shape.Tensor
	for _, dims := range u.In {
		in = append(in, u.operand(dims))
	}
	return Analyse(typ, params, in, slices.Repeat([]bool{u.straight || u.IDs}, len(in)))
}

// checkUses runs a table.
func checkUses(t *testing.T, uses []use) {
	t.Helper()
	for _, u := range uses {
		t.Run(u.name, func(t *testing.T) {
			r := u.try(t)
			if got := axes(r.Out); got != u.out {
				t.Errorf("output %s, want %s", got, u.out)
			}
			if r.Params != u.params {
				t.Errorf("%d parameters, want %d", r.Params, u.params)
			}
			got := int64(0)
			if r.Work.Full != nil {
				got = r.Work.Full.Int64()
			}
			if got != u.macs {
				t.Errorf("%d MACs, want %d", got, u.macs)
			}
			var rules []string
			for _, p := range r.Problems {
				rules = append(rules, p.Rule)
			}
			if diff := cmp.Diff(u.rules, rules); diff != "" {
				t.Errorf("reported (-want +got)\n%s\n%v", diff, r.Problems)
			}
		})
	}
}

func of(params string, in ...shape.Shape) Example { return Example{Params: params, In: in} }

func channels(params string, in ...shape.Shape) Example {
	return Example{Params: params, In: in, Channels: true}
}

// TestWindows has the rows of the list of cases that are about windows.
func TestWindows(t *testing.T) {
	checkUses(t, []use{
		{name: "D20 groups 2", typ: "conv2d", Example: of(`{"inChannels": 6, "outChannels": 32, "kernelSize": 3, "groups": 2}`, shape.Shape{1, 6, 10, 10}),
			out: "[1, 32, 8, 8] batched features on axis 1", params: 896, macs: 32 * 64 * 3 * 9},
		{name: "D23 kernel of two sizes", typ: "conv2d", Example: of(`{"outChannels": 8, "kernelSize": [3, 1], "groups": 2, "bias": false}`, shape.Shape{4, 10, 10}),
			out: "[8, 8, 10] unbatched features on axis 0", params: 3 * 1 * 2 * 8, macs: 8 * 80 * 2 * 3},
		{name: "D59 avgpool with ceilMode", typ: "avgpool1d", Example: channels(`{"kernelSize": 4, "stride": 4, "padding": 2, "ceilMode": true}`, shape.Shape{1, 1, 9}),
			out: "[1, 1, 3] batched features on axis 1"},
		{name: "D61 maxpool with ceilMode", typ: "maxpool1d", Example: channels(`{"kernelSize": 2, "stride": 2, "padding": 1, "ceilMode": true}`, shape.Shape{1, 1, 5}),
			out: "[1, 1, 3] batched features on axis 1"},
		{name: "D64 transposed with dilation", typ: "transposeConv2d", Example: of(`{"outChannels": 1, "kernelSize": 3, "stride": 2, "padding": 4, "dilation": 3}`, shape.Shape{1, 1, 50, 50}),
			out: "[1, 1, 97, 97] batched features on axis 1", params: 10, macs: 2500 * 9},
		{name: "D65 transposed with outputPadding", typ: "transposeConv2d", Example: of(`{"outChannels": 1, "kernelSize": 3, "stride": 2, "padding": 1, "outputPadding": 1}`, shape.Shape{1, 1, 28, 28}),
			out: "[1, 1, 56, 56] batched features on axis 1", params: 10, macs: 784 * 9},
		{name: "D68 transposed with same padding", typ: "transposeConv2d", Example: of(`{"outChannels": 1, "kernelSize": 3, "stride": 2, "padding": "same", "outputPadding": 1}`, shape.Shape{1, 1, 28, 28}),
			out: "unknown", params: 10, rules: []string{BadParam}},
		{name: "D69 same padding with stride 2", typ: "conv2d", Example: of(`{"outChannels": 1, "kernelSize": 3, "stride": 2, "padding": "same"}`, shape.Shape{1, 1, 28, 28}),
			out: "unknown", params: 10, rules: []string{SameStride}},
		{name: "D69 same padding, even kernel", typ: "conv2d", Example: of(`{"outChannels": 1, "kernelSize": 4, "padding": "same"}`, shape.Shape{1, 1, 28, 28}),
			out: "[1, 1, 28, 28] batched features on axis 1", params: 17, macs: 784 * 16},
		{name: "outputPadding as large as the stride", typ: "transposeConv2d", Example: of(`{"outChannels": 1, "kernelSize": 3, "stride": 2, "outputPadding": 2}`, shape.Shape{1, 1, 28, 28}),
			out: "unknown", params: 10, rules: []string{OutputPadding}},
		{name: "outputPadding below the dilation", typ: "transposeConv2d", Example: of(`{"outChannels": 1, "kernelSize": 3, "dilation": 3, "outputPadding": 2}`, shape.Shape{1, 1, 28, 28}),
			out: "[1, 1, 36, 36] batched features on axis 1", params: 10, macs: 784 * 9},
		{name: "padding cuts away the output", typ: "transposeConv2d", Example: of(`{"outChannels": 1, "kernelSize": 1, "padding": 2}`, shape.Shape{1, 1, 4, 9}),
			out: "unknown", params: 2, rules: []string{BadParam}},
		{name: "no window fits", typ: "conv2d", Example: of(`{"outChannels": 1, "kernelSize": 7, "padding": 1, "bias": false}`, shape.Shape{1, 1, 28, 4}),
			out: "unknown", params: 49, rules: []string{WindowTooLarge}},
		{name: "rows beyond the last window", typ: "maxpool2d", Example: of(`{"kernelSize": 2}`, shape.Shape{1, 1, 7, 8}),
			out: "[1, 1, 3, 4] batched features on axis 1", rules: []string{RowsDropped}},
		{name: "rows skipped by a kernel below the stride", typ: "conv2d", Example: of(`{"outChannels": 1, "kernelSize": 1, "stride": 2, "bias": false}`, shape.Shape{1, 1, 56, 56}),
			out: "[1, 1, 28, 28] batched features on axis 1", params: 1, macs: 784},
		{name: "padding of more than half a pool", typ: "avgpool2d", Example: of(`{"kernelSize": 3, "padding": 2}`, shape.Shape{1, 1, 9, 9}),
			out: "unknown", rules: []string{BadParam}},
		{name: "three sizes for two axes", typ: "conv2d", Example: of(`{"outChannels": 1, "kernelSize": [3, 3, 3]}`, shape.Shape{1, 1, 9, 9}),
			out: "unknown", rules: []string{BadParam}},
		{name: "groups that do not divide the input", typ: "conv2d", Example: of(`{"outChannels": 8, "kernelSize": 1, "groups": 4}`, shape.Shape{1, 6, 9, 9}),
			out: "unknown", params: 8, rules: []string{GroupsDivide}},
		{name: "groups that do not divide the output", typ: "conv2d", Example: of(`{"outChannels": 6, "kernelSize": 1, "groups": 4, "bias": false}`, shape.Shape{1, 8, 9, 9}),
			out: "unknown", params: 12, rules: []string{GroupsDivide}},
		{name: "channels declared otherwise", typ: "conv2d", Example: of(`{"inChannels": 3, "outChannels": 8, "kernelSize": 1}`, shape.Shape{1, 4, 9, 9}),
			out: "[1, 8, 9, 9] batched features on axis 1", params: 32, macs: 8 * 81 * 3, rules: []string{WidthMismatch}},
		{name: "depth multiplier", typ: "depthwiseConv2d", Example: of(`{"kernelSize": 3, "depthMultiplier": 2}`, shape.Shape{1, 4, 9, 9}),
			out: "[1, 8, 7, 7] batched features on axis 1", params: 80, macs: 8 * 49 * 9},
		{name: "depth multiplier against outChannels", typ: "depthwiseConv2d", Example: of(`{"kernelSize": 3, "depthMultiplier": 3, "outChannels": 8}`, shape.Shape{1, 4, 9, 9}),
			out: "[1, 8, 7, 7] batched features on axis 1", params: 80, macs: 8 * 49 * 9, rules: []string{WidthMismatch}},
		{name: "depthwise groups", typ: "depthwiseConv2d", Example: of(`{"kernelSize": 3, "groups": 2}`, shape.Shape{1, 4, 9, 9}),
			out: "unknown", rules: []string{BadParam}},
		{name: "separable", typ: "separableConv2d", Example: of(`{"outChannels": 16, "kernelSize": 3, "depthMultiplier": 2}`, shape.Shape{1, 4, 9, 9}),
			out: "[1, 16, 7, 7] batched features on axis 1", params: 8*9 + 16*8 + 16, macs: 8*49*9 + 16*49*8},
		{name: "operand of no width", typ: "conv2d", Example: of(`{"inChannels": 3, "outChannels": 8, "kernelSize": 1}`),
			out: "unknown", params: 32, rules: []string{FewOperands}},
	})
}

// TestLayouts has rows about which axis is the channels'.
func TestLayouts(t *testing.T) {
	const conv = `{"outChannels": 8, "kernelSize": 3}`
	checkUses(t, []use{
		{name: "raw waveform without a batch", typ: "conv1d", straight: true, Example: of(conv, shape.Shape{1, 16}),
			out: "[8, 14] unbatched features on axis 0", params: 32, macs: 8 * 14 * 3},
		{name: "raw sequence with a batch", typ: "conv1d", straight: true, Example: of(conv, shape.Shape{1, 4, 16}),
			out: "[1, 8, 14] batched features on axis 1", params: 104, macs: 8 * 14 * 12},
		{name: "features last", typ: "conv1d", Example: of(conv, shape.Shape{1, 16, 4}),
			out: "[1, 14, 8] batched", params: 104, macs: 8 * 14 * 12, rules: []string{LayoutChange}},
		{name: "features last without a batch", typ: "conv1d", Example: of(conv, shape.Shape{16, 4}),
			out: "[14, 8] unbatched", params: 104, macs: 8 * 14 * 12, rules: []string{LayoutChange}},
		{name: "features last, but the channels say otherwise", typ: "conv1d", Example: of(`{"inChannels": 16, "outChannels": 8, "kernelSize": 3}`, shape.Shape{1, 16, 4}),
			out: "[1, 8, 2] batched features on axis 1", params: 392, macs: 8 * 2 * 48},
		{name: "features last into a pool", typ: "maxpool1d", Example: of(`{"kernelSize": 2}`, shape.Shape{1, 16, 4}),
			out: "[1, 8, 4] batched", rules: []string{LayoutChange}},
		{name: "rank of conv1d", typ: "conv1d", Example: of(`{"inChannels": 4, "outChannels": 8, "kernelSize": 3}`, shape.Shape{1, 4, 16, 16}),
			out: "unknown", params: 104, rules: []string{RankMismatch}},
		{name: "rank of conv2d", typ: "conv2d", Example: of(`{"inChannels": 4, "outChannels": 8, "kernelSize": 3}`, shape.Shape{4, 16}),
			out: "unknown", params: 296, rules: []string{RankMismatch}},
		{name: "a sequence with its batch into conv2d", typ: "conv2d", Example: channels(`{"inChannels": 4, "outChannels": 8, "kernelSize": 3}`, shape.Shape{1, 4, 16}),
			out: "unknown", params: 296, rules: []string{RankMismatch}},
		{name: "volume", typ: "conv3d", Example: of(conv, shape.Shape{2, 4, 4, 4}),
			out: "[8, 2, 2, 2] unbatched features on axis 0", params: 440, macs: 64 * 54},
		{name: "lengths of channels first", typ: "l2Norm", Example: channels(`{}`, shape.Shape{2, 4, 16}), out: "[2, 4, 16] batched features on axis 1"},
		{name: "a class token for each sample", typ: "parameter", Example: of(`{"shape": [1, 1, 8], "mode": "concat"}`, shape.Shape{3, 5, 8}), out: "[3, 6, 8] batched", params: 8},
		{name: "a class vector for each sample", typ: "parameter", Example: of(`{"shape": [8], "mode": "concat"}`, shape.Shape{3, 5, 8}), out: "[3, 6, 8] batched", params: 8},
		{name: "a class vector of another width", typ: "parameter", Example: of(`{"shape": [7], "mode": "concat"}`, shape.Shape{3, 5, 8}), out: "unknown", params: 7, rules: []string{ConcatAxes}},
		{name: "a factor for each feature", typ: "parameter", Example: of(`{"shape": [8], "mode": "expScale"}`, shape.Shape{3, 5, 8}), out: "[3, 5, 8]", params: 8},
		{name: "a learned query for each sample", typ: "parameter", Example: of(`{"shape": [1, 1, 8]}`), out: "[1, 1, 8] batched", params: 8},
		{name: "a token behind the others", typ: "parameter", Example: of(`{"shape": [8], "mode": "append"}`, shape.Shape{3, 5, 8}), out: "[3, 6, 8] batched", params: 8},
		{name: "a factor of another width", typ: "parameter", Example: of(`{"shape": [7], "mode": "expScale"}`, shape.Shape{3, 5, 8}), out: "unknown", params: 7, rules: []string{Broadcast}},
		{name: "global pool of a sequence", typ: "globalAvgPool1d", Example: of(`{}`, shape.Shape{1, 16, 4}), out: "[1, 4] batched"},
		{name: "global pool of tokens alone", typ: "globalAvgPool1d", Example: of(`{}`, shape.Shape{16, 4}), out: "[4] unbatched"},
		{name: "global pool of channels first", typ: "globalAvgPool1d", Example: channels(`{"keepDim": true}`, shape.Shape{1, 4, 16}), out: "[1, 4, 1] batched features on axis 1"},
		{name: "global pool of an image", typ: "globalAvgPool1d", Example: channels(`{}`, shape.Shape{1, 4, 16, 16}), out: "[1, 4] batched"},
		{name: "global pool of nothing", typ: "globalAvgPool1d", Example: of(`{}`, shape.Shape{4}), out: "unknown", rules: []string{RankMismatch}},
		{name: "global pool 2d", typ: "globalAvgPool2d", Example: of(`{"keepDim": true}`, shape.Shape{4, 16, 16}), out: "[4, 1, 1] unbatched features on axis 0"},
		{name: "global pool 2d of a sequence", typ: "globalAvgPool2d", Example: channels(`{}`, shape.Shape{1, 4, 16}), out: "unknown", rules: []string{RankMismatch}},
		{name: "upsample a sequence", typ: "upsample", straight: true, Example: of(`{"scaleFactor": 2}`, shape.Shape{1, 4, 16}), out: "[1, 4, 32] batched features on axis 1"},
		{name: "upsample an image without a batch", typ: "upsample", Example: of(`{"scaleFactor": 2, "mode": "bicubic"}`, shape.Shape{4, 16, 16}), out: "[4, 32, 32] unbatched features on axis 0"},
		{name: "downsample to nothing", typ: "interpolate", Example: channels(`{"scaleFactor": 0.01}`, shape.Shape{1, 4, 16}), out: "unknown", rules: []string{BadParam}},
		{name: "size and scale", typ: "interpolate", Example: channels(`{"scaleFactor": 2, "size": 8}`, shape.Shape{1, 4, 16}), out: "unknown", rules: []string{BadParam}},
	})
}

// TestShaping has rows about axes and element counts.
func TestShaping(t *testing.T) {
	image, sequence := shape.Shape{2, 8, 4, 4}, shape.Shape{2, 6, 8}
	checkUses(t, []use{
		{name: "flatten an image", typ: "flatten", Example: channels(`{}`, image), out: "[2, 128] batched"},
		{name: "flatten without a batch", typ: "flatten", Example: channels(`{}`, shape.Shape{6, 8}), out: "[48] unbatched"},
		{name: "flatten what nobody decided", typ: "flatten", Example: of(`{}`, sequence), out: "[2, 48] batched"},
		{name: "flatten ids", typ: "flatten", Example: Example{Params: `{}`, In: []shape.Shape{sequence}, IDs: true}, out: "[2, 48] batched ids"},
		{name: "flatten one axis", typ: "flatten", Example: of(`{}`, shape.Shape{8}), out: "[8]"},
		{name: "flatten a scalar", typ: "flatten", Example: of(`{}`, shape.Shape{}), out: "[1]"},
		{name: "flatten the pixels", typ: "flatten", Example: channels(`{"startDim": 2}`, image), out: "[2, 8, 16] batched"},
		{name: "flatten everything", typ: "flatten", Example: channels(`{"startDim": 0}`, image), out: "[256]"},
		{name: "flatten the head", typ: "flatten", Example: channels(`{"startDim": 1, "endDim": 2}`, image), out: "[2, 32, 4] batched"},
		{name: "flatten backwards", typ: "flatten", Example: channels(`{"startDim": 3, "endDim": 1}`, image), out: "unknown", rules: []string{AxisRange}},
		{name: "flatten beyond", typ: "flatten", Example: channels(`{"endDim": 4}`, image), out: "unknown", rules: []string{AxisRange}},

		{name: "reshape the whole", typ: "reshape", Example: channels(`{"shape": [2, 16, 8]}`, image), out: "[2, 16, 8] batched"},
		{name: "reshape reads like PyTorch afterwards", typ: "reshape", Example: channels(`{"shape": [2, 8, 16]}`, image), out: "[2, 8, 16] batched"},
		{name: "reshape infers", typ: "reshape", Example: channels(`{"shape": [-1, 16]}`, image), out: "[16, 16]"},
		{name: "reshape one sample", typ: "reshape", Example: channels(`{"shape": [16, 8]}`, image), out: "[2, 16, 8] batched"},
		{name: "reshape infers within a sample", typ: "reshape", Example: channels(`{"shape": [3, -1]}`, shape.Shape{5, 3, 4, 4}), out: "[3, 80]"},
		{name: "reshape adds a batch", typ: "reshape", Example: channels(`{"shape": [1, 6, 8]}`, shape.Shape{6, 8}), out: "[1, 6, 8] batched"},
		{name: "reshape ids", typ: "reshape", Example: Example{Params: `{"shape": [-1]}`, In: []shape.Shape{{2, 6}}, IDs: true}, out: "[12] ids"},
		{name: "reshape to another count", typ: "reshape", Example: channels(`{"shape": [2, 9]}`, image), out: "unknown", rules: []string{ReshapeCount}},
		{name: "reshape to what does not divide", typ: "reshape", Example: channels(`{"shape": [-1, 9]}`, image), out: "unknown", rules: []string{ReshapeCount}},
		{name: "reshape with two unknowns", typ: "reshape", Example: channels(`{"shape": [-1, -1]}`, image), out: "unknown", rules: []string{BadParam}},
		{name: "reshape to nothing", typ: "reshape", Example: channels(`{"shape": [2, 0]}`, image), out: "unknown", rules: []string{BadParam}},
		{name: "reshape to -2", typ: "reshape", Example: channels(`{"shape": [-2]}`, image), out: "unknown", rules: []string{BadParam}},

		{name: "permute to channels last", typ: "permute", Example: channels(`{"dims": [0, 2, 3, -3]}`, image), out: "[2, 4, 4, 8] batched"},
		{name: "permute without a batch", typ: "permute", Example: channels(`{"dims": [1, 0]}`, shape.Shape{6, 8}), out: "[8, 6] unbatched"},
		{name: "permute with the batch that is absent", typ: "permute", Example: channels(`{"dims": [0, 2, 1]}`, shape.Shape{6, 8}), out: "[8, 6] unbatched"},
		{name: "permute the batch", typ: "permute", Example: channels(`{"dims": [1, 0, 2]}`, sequence), out: "[6, 2, 8] unbatched"},
		{name: "permute too few", typ: "permute", Example: channels(`{"dims": [0, 1]}`, sequence), out: "unknown", rules: []string{AxisRange}},
		{name: "permute beyond", typ: "permute", Example: channels(`{"dims": [0, 1, 3]}`, sequence), out: "unknown", rules: []string{AxisRange}},

		{name: "squeeze all", typ: "squeeze", Example: channels(`{}`, shape.Shape{1, 8, 1, 1}), out: "[8] unbatched"},
		{name: "squeeze one", typ: "squeeze", Example: channels(`{"dim": 2}`, shape.Shape{1, 8, 1, 1}), out: "[1, 8, 1] batched features on axis 1"},
		{name: "squeeze a list", typ: "squeeze", Example: channels(`{"axis": [-1, -2]}`, shape.Shape{1, 8, 1, 1}), out: "[1, 8] batched"},
		{name: "squeeze what is longer", typ: "squeeze", Example: channels(`{"dim": 1}`, shape.Shape{1, 8, 1, 1}), out: "[1, 8, 1, 1] batched features on axis 1"},
		{name: "squeeze the features", typ: "squeeze", Example: of(`{"dim": -1}`, shape.Shape{2, 8, 1}), out: "[2, 8]"},
		{name: "squeeze an axis twice", typ: "squeeze", Example: channels(`{"dim": [3, -1]}`, shape.Shape{1, 8, 1, 1}), out: "unknown", rules: []string{AxisRange}},
		{name: "unsqueeze channels", typ: "unsqueeze", Example: channels(`{"dim": 1}`, sequence), out: "[2, 1, 6, 8] batched"},
		{name: "unsqueeze the end", typ: "unsqueeze", Example: of(`{"dim": -1}`, shape.Shape{2, 8}), out: "[2, 8, 1]"},
		{name: "unsqueeze a batch", typ: "unsqueeze", Example: channels(`{"dim": 0}`, shape.Shape{6, 8}), out: "[1, 6, 8] batched"},
		{name: "unsqueeze after a batch that is absent", typ: "unsqueeze", Example: channels(`{"dim": 1}`, shape.Shape{6, 8}), out: "[1, 6, 8] unbatched"},
		{name: "unsqueeze before a batch", typ: "unsqueeze", Example: channels(`{"dim": 0}`, sequence), out: "[1, 2, 6, 8]"},
		{name: "unsqueeze beyond", typ: "unsqueeze", Example: channels(`{"dim": -5}`, sequence), out: "unknown", rules: []string{AxisRange}},

		{name: "split into equal parts", typ: "split", Example: of(`{"splitSize": 3, "dim": -1, "index": 1}`, sequence), out: "[2, 6, 3]"},
		{name: "split: the last part", typ: "split", Example: of(`{"splitSize": 3, "dim": -1, "index": 2}`, sequence), out: "[2, 6, 2]"},
		{name: "split: one part more", typ: "split", Example: of(`{"splitSize": 3, "dim": -1, "index": 3}`, sequence), out: "unknown", rules: []string{AxisRange}},
		{name: "split by sizes", typ: "split", Example: of(`{"splitSize": [1, 5], "dim": 1, "index": 1}`, sequence), out: "[2, 5, 8]"},
		{name: "split by sizes that do not add up", typ: "split", Example: of(`{"sections": [1, 6], "dim": 1}`, sequence), out: "unknown", rules: []string{WidthMismatch}},
		{name: "split into sections", typ: "split", Example: of(`{"sections": 3, "dim": 2}`, sequence), out: "[2, 6, 3]"},
		{name: "split into sections: the last", typ: "split", Example: of(`{"sections": 3, "dim": 2, "index": 2}`, sequence), out: "[2, 6, 2]"},
		{name: "split by nothing", typ: "split", Example: of(`{"dim": 2}`, sequence), out: "unknown", rules: []string{MissingParam}},

		{name: "pad an image", typ: "pad", Example: channels(`{"padding": [1, 2, 3, 4]}`, image), out: "[2, 8, 11, 7] batched features on axis 1"},
		{name: "crop", typ: "pad", Example: channels(`{"padding": [-1, -2]}`, image), out: "[2, 8, 4, 1] batched features on axis 1"},
		{name: "crop everything", typ: "pad", Example: channels(`{"padding": [-2, -2]}`, image), out: "unknown", rules: []string{BadParam}},
		{name: "crop more than there is", typ: "pad", Example: channels(`{"padding": [9, -5]}`, image), out: "unknown", rules: []string{BadParam}},
		{name: "reflect too much", typ: "pad", Example: channels(`{"padding": [4, 0], "mode": "reflect"}`, image), out: "unknown", rules: []string{BadParam}},
		{name: "wrap around once", typ: "pad", Example: channels(`{"padding": [4, 0], "mode": "circular"}`, image), out: "[2, 8, 4, 8] batched features on axis 1"},

		{name: "mean of the tokens", typ: "mean", Example: of(`{"dim": 1}`, sequence), out: "[2, 8]"},
		{name: "mean of the pixels", typ: "mean", Example: channels(`{"dim": [-1, -2], "keepDim": true}`, image), out: "[2, 8, 1, 1] batched features on axis 1"},
		{name: "mean of everything", typ: "mean", Example: channels(`{}`, image), out: "[] unbatched"},
		{name: "sum of the tokens", typ: "reduceSum", Example: of(`{"dim": 1}`, sequence), out: "[2, 8]"},
		{name: "sum of the pixels", typ: "reduceSum", Example: channels(`{"dim": [-1, -2], "keepDim": true}`, image), out: "[2, 8, 1, 1] batched features on axis 1"},
		{name: "mean of several", typ: "mean", Example: of(`{"dim": 0, "numInputs": 2}`, sequence, sequence), out: "[2, 6, 8]"},
		{name: "mean of fewer than declared", typ: "mean", Example: of(`{"dim": 0, "numInputs": 3}`, sequence, sequence), out: "[2, 6, 8]", rules: []string{OperandCount}},
		{name: "mean of unlike operands", typ: "mean", Example: of(`{}`, sequence, image), out: "unknown", rules: []string{Broadcast}},
		{name: "mean of the batch", typ: "mean", Example: channels(`{"dim": 0}`, sequence), out: "[6, 8] unbatched features on axis 0"},
		{name: "mean of the batch that is absent", typ: "mean", Example: channels(`{"dim": 0}`, shape.Shape{6, 8}), out: "unknown", rules: []string{AxisRange}},

		{name: "matmul", typ: "matmul", Example: of(`{}`, shape.Shape{2, 3, 4, 5}, shape.Shape{5, 6}), out: "[2, 3, 4, 6]", macs: 2 * 3 * 4 * 6 * 5},
		{name: "matmul broadcasts", typ: "matmul", Example: channels(`{}`, shape.Shape{1, 3, 4, 5}, shape.Shape{2, 1, 5, 6}), out: "[2, 3, 4, 6] batched", macs: 2 * 3 * 4 * 6 * 5},
		{name: "matmul of vectors", typ: "matmul", Example: of(`{}`, shape.Shape{5}, shape.Shape{5}), out: "[] unbatched", macs: 5},
		{name: "matmul with a vector", typ: "matmul", Example: of(`{}`, sequence, shape.Shape{8}), out: "[2, 6]", macs: 96},
		{name: "matmul of a vector", typ: "matmul", Example: of(`{}`, shape.Shape{6}, sequence), out: "[2, 8]", macs: 96},
		{name: "matmul of similar rows", typ: "matmul", Example: of(`{}`, shape.Shape{3, 8}, shape.Shape{5, 8}), out: "[3, 5]", macs: 120, rules: []string{MatmulSimilar}},
		{name: "matmul of similar rows, said so", typ: "matmul", Example: of(`{"transposeB": true}`, shape.Shape{8, 8}, shape.Shape{5, 8}), out: "[8, 5]", macs: 320},
		{name: "square matrices multiply as PyTorch's", typ: "matmul", Example: of(`{}`, shape.Shape{3, 8}, shape.Shape{8, 8}), out: "[3, 8]", macs: 192},
		{name: "matmul of what does not fit", typ: "matmul", Example: of(`{}`, shape.Shape{3, 8}, shape.Shape{5, 7}), out: "unknown", rules: []string{MatmulShapes}},
		{name: "matmul of unlike batches", typ: "matmul", Example: of(`{}`, shape.Shape{2, 3, 8}, shape.Shape{5, 8, 3}), out: "unknown", rules: []string{MatmulShapes}},
		{name: "matmul of one", typ: "matmul", Example: of(`{}`, shape.Shape{3, 8}), out: "[3, 8]", rules: []string{FewOperands}},

		{name: "stack in front", typ: "stack", Example: of(`{}`, sequence, sequence, sequence), out: "[3, 2, 6, 8]"},
		{name: "stack after the batch", typ: "stack", Example: channels(`{"dim": 1}`, sequence, sequence), out: "[2, 2, 6, 8] batched"},
		{name: "stack at the end", typ: "stack", Example: of(`{"dim": -1}`, sequence, sequence), out: "[2, 6, 8, 2]"},
		{name: "stack of unlike operands", typ: "stack", Example: of(`{}`, sequence, image), out: "unknown", rules: []string{ConcatAxes}},

		{name: "pixel shuffle", typ: "pixelShuffle", Example: of(`{"upscaleFactor": 2}`, image), out: "[2, 2, 8, 8] batched features on axis 1"},
		{name: "pixel shuffle by 3", typ: "pixelShuffle", Example: of(`{"upscaleFactor": 3}`, image), out: "unknown", rules: []string{ShuffleFactor}},
		{name: "gather", typ: "gather", Example: of(`{"dim": 1}`, sequence, shape.Shape{2, 9, 8}), out: "[2, 9, 8]"},
		{name: "gather of another rank", typ: "gather", Example: of(`{"dim": 1}`, sequence, shape.Shape{2, 9}), out: "unknown", rules: []string{RankMismatch}},
		{name: "gather beyond", typ: "gather", Example: of(`{"dim": 1}`, sequence, shape.Shape{3, 9, 8}), out: "unknown", rules: []string{AxisRange}},
		{name: "top k", typ: "topK", Example: of(`{"k": 3}`, sequence), out: "[2, 6, 3]"},
		{name: "top k of fewer", typ: "topK", Example: of(`{"k": 3, "dim": 0}`, sequence), out: "unknown", rules: []string{AxisRange}},
		{name: "glu of channels", typ: "glu", Example: channels(`{"dim": 1}`, image), out: "[2, 4, 4, 4] batched features on axis 1"},
		{name: "glu of an odd axis", typ: "glu", Example: of(`{}`, shape.Shape{2, 7}), out: "unknown", rules: []string{AxisRange}},
		{name: "activations make no ids", typ: "relu", Example: Example{Params: `{}`, In: []shape.Shape{{2, 7}}, IDs: true}, out: "[2, 7]"},
		{name: "slopes of each channel", typ: "prelu", Example: channels(`{"numParameters": 8}`, image), out: "[2, 8, 4, 4] batched features on axis 1", params: 8},
		{name: "slopes of other channels", typ: "prelu", Example: channels(`{"numParameters": 4}`, image), out: "[2, 8, 4, 4] batched features on axis 1", params: 4, rules: []string{WidthMismatch}},
		{name: "layer scale", typ: "layerScale", Example: channels(`{}`, image), out: "[2, 8, 4, 4] batched features on axis 1", params: 8},
		{name: "dropout of everything", typ: "dropout", Example: of(`{"p": 1}`, sequence), out: "unknown", rules: []string{BadParam}},
	})
}

// window draws a small window and a number of elements.
func window(t *rapid.T) (w shape.Window, n int64) {
	size := func(least, most int64, name string) int64 { return rapid.Int64Range(least, most).Draw(t, name) }
	w = shape.Window{Kernel: size(1, 6, "kernel"), Stride: size(1, 6, "stride"), Dilation: size(1, 4, "dilation")}
	if w.Ceil = rapid.Bool().Draw(t, "ceil"); w.Ceil {
		// Only pooling rounds up, and its padding is the same on both sides.
		w.Before = size(0, w.Kernel/2, "padding")
		w.After = w.Before
	} else {
		w.Before, w.After = size(0, 6, "before"), size(0, 6, "after")
	}
	return w, size(1, 40, "n")
}

// starts counts out the windows: each begins a stride after the one before. All
// of it lies inside the padded elements; with Ceil the last may reach beyond,
// by less than a stride, but begins before the padding at the end.
func starts(w shape.Window, n int64) (at []int64) {
	end := w.Before + n + w.After
	for start := int64(0); ; start += w.Stride {
		beyond := start + w.Dilation*(w.Kernel-1) + 1 - end
		switch {
		case beyond <= 0 && (!w.Ceil || start < w.Before+n):
		case w.Ceil && beyond < w.Stride && start < w.Before+n:
		default:
			return at
		}
		at = append(at, start)
	}
}

// TestWindowOut compares the number of windows, and the elements that none
// covers, with counting them out.
func TestWindowOut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, n := window(t)
		at := starts(w, n)
		if got := w.Out(n); got != int64(len(at)) {
			t.Fatalf("%d windows, counted %d at %v", got, len(at), at)
		}
		dropped := int64(0)
		if len(at) > 0 {
			last := at[len(at)-1] + w.Dilation*(w.Kernel-1)
			for i := w.Before; i < w.Before+n; i++ {
				if i > last {
					dropped++
				}
			}
		}
		if got := w.Dropped(n); got != dropped {
			t.Fatalf("%d elements dropped, counted %d", got, dropped)
		}
	})
}

// hostile draws a number of any size that a document can hold.
func hostile(t *rapid.T, name string) int64 {
	return rapid.OneOf(
		rapid.Int64Range(-2, 9),
		rapid.Int64Range(1, 4096),
		rapid.SampledFrom([]int64{1 << 31, 1<<53 - 1, 1 << 53, -1 << 53}),
	).Draw(t, name)
}

// value draws what a document may say for a parameter.
func value(t *rapid.T, f Field) string {
	number := func() string { return fmt.Sprint(hostile(t, f.Name)) }
	list := func() string {
		var parts []string
		for range rapid.IntRange(1, 4).Draw(t, "length") {
			parts = append(parts, number())
		}
		return "[" + strings.Join(parts, ",") + "]"
	}
	switch f.Kind {
	case Boolean:
		return fmt.Sprint(rapid.Bool().Draw(t, f.Name))
	case Number:
		return rapid.SampledFrom([]string{"0", "0.5", "2", "-1", "1e300", "1e-300"}).Draw(t, f.Name)
	case String:
		return fmt.Sprintf("%q", rapid.SampledFrom(append(slices.Clone(f.Enum), "other")).Draw(t, f.Name))
	case NumbersK:
		return list()
	case SizesK, ListK:
		return rapid.SampledFrom([]func() string{number, list}).Draw(t, "form")()
	case PadK:
		return rapid.SampledFrom([]func() string{number, list, func() string { return `"same"` }}).Draw(t, "form")()
	case Integer, OptK:
		return number()
	}
	return "{}"
}

// operand draws a tensor, now and then an unknown one. Its elements fit int64.
func operand(t *rapid.T) shape.Tensor {
	rank := rapid.IntRange(-1, 5).Draw(t, "rank")
	if rank < 0 {
		return shape.Unknown
	}
	dims := shape.Shape{}
	for range rank {
		d := hostile(t, "dim")
		if _, ok := shape.Mul(append(slices.Clone(dims), max(d, 1))...); !ok {
			d = 1
		}
		dims = append(dims, max(d, 1))
	}
	x := shape.Last(dims, shape.Batch(rapid.IntRange(0, 2).Draw(t, "batch")))
	if rank > 0 {
		x.Feature = rapid.IntRange(0, rank-1).Draw(t, "feature")
	}
	x.IDs = rapid.Bool().Draw(t, "ids")
	return x
}

// TestHostile gives every type any parameters and operands. No value may make
// it panic, hang or wrap a number around.
func TestHostile(t *testing.T) {
	for _, typ := range All {
		t.Run(typ.Name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				var params []graph.Param
				for _, f := range typ.Fields {
					if f.Required || rapid.Bool().Draw(t, "given") {
						params = append(params, graph.Param{Name: f.Name, Value: value(t, f)})
					}
				}
				var in []shape.Tensor
				var straight []bool
				for range rapid.IntRange(0, 3).Draw(t, "operands") {
					in = append(in, operand(t))
					straight = append(straight, rapid.Bool().Draw(t, "straight"))
				}
				sound(t, Analyse(typ, params, in, straight))
			})
		})
	}
}

// sound checks what holds for every result.
func sound(t *rapid.T, r *Result) {
	if n, ok := r.Out.Dims.Elems(); r.Out.Known() && (!ok || n < 1) {
		t.Fatalf("the output is %s", axes(r.Out))
	}
	for _, d := range r.Out.Dims {
		if d < 1 {
			t.Fatalf("the output is %s", axes(r.Out))
		}
	}
	if f := r.Out.Feature; f < 0 || f > 0 && f >= r.Out.Rank() {
		t.Fatalf("the feature axis is %d of %s", f, axes(r.Out))
	}
	if r.Params < 0 || r.Active < 0 || r.Active > r.Params || r.Buffers < 0 {
		t.Fatalf("%d parameters, %d of them active, and %d elements of buffers", r.Params, r.Active, r.Buffers)
	}
	unknown := slices.ContainsFunc(r.In, func(x shape.Tensor) bool { return !x.Known() })
	if r.Out.Known() && !unknown && !r.Worked {
		t.Fatalf("operands and output %s are known, but the work is not", axes(r.Out))
	}
	for _, n := range []*big.Int{r.Work.Full, r.Work.Causal, r.Work.Elem, r.Saved} {
		if n != nil && n.Sign() < 0 {
			t.Fatalf("negative work: %+v, saved %s", r.Work, r.Saved)
		}
	}
	if r.Work.Causal != nil && r.Work.Causal.Cmp(r.Work.Full) > 0 {
		t.Fatalf("a kernel that saves work does %s MACs of %s", r.Work.Causal, r.Work.Full)
	}
	if a := r.Attn; r.State < 0 || a != nil && (a.KVElems < 1 || a.HeadDim < 0 || a.Heads < 1 || a.Window < 0) {
		t.Fatalf("a state of %d, attention %+v", r.State, a)
	}
	for _, p := range r.Problems {
		if p.Rule == "" || p.Message == "" {
			t.Fatalf("a problem without a rule or words: %+v", p)
		}
	}
}
