package layer

import (
	"fmt"
	"slices"
	"strings"

	"github.com/strata-catalog/strata/generator/shape"
)

const convolutionWork = "elements of the output · inChannels / groups · elements of the kernel"

var convolutions = []*Type{
	declare(Type{
		Name: "conv1d", Display: "Conv1d", Part: Convolution, Ports: unary,
		Also: []string{"convolution1d"},
		Doc: Doc{
			Summary: "Slides learned filters along a sequence.",
			Shape:   "[C, L] or [B, C, L] as PyTorch; a tensor whose features are last is filtered along the axis before them and keeps its layout. Each axis becomes ⌊(n + padding − dilation · (kernel − 1) − 1) / stride⌋ + 1, padding counted on both sides",
			Weights: "weight [out, in/groups, k] and bias [out]; weightNorm: its lengths, such as [1, 1, k] for axis 2, and its directions in place of the weight",
			Work:    convolutionWork,
			Source:  "https://pytorch.org/docs/stable/generated/torch.nn.Conv1d.html",
			Examples: []Example{
				{Params: `{"outChannels": 384, "kernelSize": 3, "stride": 2, "padding": 1}`, In: []shape.Shape{{1, 80, 3000}}, Channels: true},
				{Params: `{"outChannels": 768, "kernelSize": 128, "padding": "same", "groups": 16}`, In: []shape.Shape{{1, 49, 768}}},
				{Params: `{"outChannels": 768, "kernelSize": 128, "padding": 64, "groups": 16, "weightNorm": 2}`, In: []shape.Shape{{1, 768, 499}}, Channels: true},
				{Params: `{"outChannels": 8, "kernelSize": 3, "stride": 2, "padding": "same"}`, In: []shape.Shape{{1, 4, 16}}, Channels: true},
				{Params: `{"outChannels": 8, "kernelSize": 3, "weightNorm": 3}`, In: []shape.Shape{{1, 4, 16}}, Channels: true},
			},
		},
	}, convolution{sliding: slides(1), Groups: 1, Bias: true}),
	declare(Type{
		Name: "conv2d", Display: "Conv2d", Part: Convolution, Ports: unary,
		Also: []string{"convolution2d"},
		Doc: Doc{
			Summary: "Slides learned filters over an image.",
			Shape:   "[C, H, W] or [B, C, H, W]; H and W become ⌊(n + padding − dilation · (kernel − 1) − 1) / stride⌋ + 1, padding counted on both sides",
			Weights: "weight [out, in/groups, k, k] and bias [out]",
			Work:    convolutionWork,
			Source:  "https://pytorch.org/docs/stable/generated/torch.nn.Conv2d.html",
			Examples: []Example{
				{Params: `{"inChannels": 3, "outChannels": 64, "kernelSize": 7, "stride": 2, "padding": 3, "bias": false}`, In: []shape.Shape{{1, 3, 224, 224}}},
				{Params: `{"outChannels": 32, "kernelSize": 3, "groups": 2}`, In: []shape.Shape{{6, 8, 8}}},
				{Params: `{"outChannels": 8, "kernelSize": [3, 1], "padding": [1, 0], "stride": 2}`, In: []shape.Shape{{1, 3, 8, 8}}},
				{Params: `{"inChannels": 3, "outChannels": 64, "kernelSize": 7}`, In: []shape.Shape{{1, 4, 224, 224}}},
				{Params: `{"outChannels": 64, "kernelSize": 7}`, In: []shape.Shape{{1, 3, 5, 5}}},
			},
		},
	}, convolution{sliding: slides(2), Groups: 1, Bias: true}),
	declare(Type{
		Name: "conv3d", Display: "Conv3d", Part: Convolution, Ports: unary,
		Also: []string{"convolution3d"},
		Doc: Doc{
			Summary: "Slides learned filters over a volume, or over an image and time.",
			Shape:   "[C, D, H, W] or [B, C, D, H, W]; D, H and W change as in conv2d",
			Weights: "weight [out, in/groups, k, k, k] and bias [out]",
			Work:    convolutionWork,
			Source:  "https://pytorch.org/docs/stable/generated/torch.nn.Conv3d.html",
			Examples: []Example{
				{Params: `{"outChannels": 45, "kernelSize": [1, 7, 7], "stride": [1, 2, 2], "padding": [0, 3, 3], "bias": false}`, In: []shape.Shape{{1, 3, 16, 112, 112}}},
				{Params: `{"outChannels": 45, "kernelSize": 3}`, In: []shape.Shape{{3, 112, 112}}},
			},
		},
	}, convolution{sliding: slides(3), Groups: 1, Bias: true}),
	declare(Type{
		Name: "depthwiseConv2d", Display: "Depthwise Conv2d", Part: Convolution, Ports: unary,
		Also: []string{"depthwiseConv", "depthwiseConvolution", "dwConv", "dwConv2d"},
		Doc: Doc{
			Summary: "Filters each channel of an image by itself.",
			Shape:   "as conv2d; outChannels channels, without it inChannels · depthMultiplier",
			Weights: "weight [out, 1, k, k] and bias [out]",
			Work:    "elements of the output · elements of the kernel",
			Source:  "https://pytorch.org/docs/stable/generated/torch.nn.Conv2d.html",
			Examples: []Example{
				{Params: `{"kernelSize": 3, "padding": 1}`, In: []shape.Shape{{1, 32, 112, 112}}},
				{Params: `{"kernelSize": 5, "stride": 2, "padding": 2, "depthMultiplier": 2, "bias": false}`, In: []shape.Shape{{1, 144, 56, 56}}},
				{Params: `{"outChannels": 48, "kernelSize": 3}`, In: []shape.Shape{{1, 32, 8, 8}}},
			},
		},
	}, depthwise{sliding: slides(2), Bias: true}),
	declare(Type{
		Name: "separableConv2d", Display: "Separable Conv2d", Part: Convolution, Ports: unary,
		Also: []string{"sepConv", "sepConv2d", "separableConv", "depthwiseSeparableConv", "depthwiseSeparableConv2d"},
		Doc: Doc{
			Summary: "Filters each channel by itself, then mixes the channels.",
			Shape:   "as conv2d",
			Weights: "depthwise.weight [in · m, 1, k, k], pointwise.weight [out, in · m, 1, 1] and pointwise.bias [out], m being depthMultiplier",
			Work:    "pixels of the output over the whole batch · inChannels · m · (elements of the kernel + outChannels), m being depthMultiplier",
			Source:  "https://arxiv.org/abs/1610.02357",
			Examples: []Example{
				{Params: `{"outChannels": 128, "kernelSize": 3, "padding": 1}`, In: []shape.Shape{{1, 64, 147, 147}}},
				{Params: `{"inChannels": 32, "outChannels": 64, "kernelSize": 3, "padding": "same", "depthMultiplier": 2, "bias": false}`, In: []shape.Shape{{1, 32, 28, 28}}},
			},
		},
	}, separable{sliding: slides(2), DepthMultiplier: 1, Bias: true}),
	declare(Type{
		Name: "dilatedConv2d", Display: "Dilated Conv2d", Part: Convolution, Ports: unary,
		Also: []string{"dilatedConv", "atrousConv", "atrousConv2d"},
		Doc: Doc{
			Summary: "A conv2d whose filters skip pixels, to see further.",
			Shape:   "as conv2d",
			Weights: "weight [out, in/groups, k, k] and bias [out]",
			Work:    convolutionWork,
			Source:  "https://pytorch.org/docs/stable/generated/torch.nn.Conv2d.html",
			Examples: []Example{
				{Params: `{"outChannels": 256, "kernelSize": 3, "padding": 12, "dilation": 12, "bias": false}`, In: []shape.Shape{{1, 2048, 28, 28}}},
				{Params: `{"outChannels": 8, "kernelSize": 3, "dilation": 4}`, In: []shape.Shape{{1, 8, 8, 8}}},
			},
		},
	}, convolution{sliding: slides(2), Groups: 1, Bias: true}),
	declare(Type{
		Name: "transposeConv2d", Display: "Transposed Conv2d", Part: Convolution, Ports: unary,
		Also: []string{"convTranspose2d", "conv2dTranspose", "transposedConv2d", "deconv2d", "deconvolution2d"},
		Doc: Doc{
			Summary: "Spreads each pixel over a learned patch, which enlarges an image.",
			Shape:   "[C, H, W] or [B, C, H, W]; H and W become (n − 1) · stride − 2 · padding + dilation · (kernel − 1) + outputPadding + 1",
			Weights: "weight [in, out/groups, k, k] and bias [out]",
			Work:    "elements of the input · outChannels / groups · elements of the kernel",
			Source:  "https://pytorch.org/docs/stable/generated/torch.nn.ConvTranspose2d.html",
			Examples: []Example{
				{Params: `{"outChannels": 64, "kernelSize": 2, "stride": 2}`, In: []shape.Shape{{1, 128, 28, 28}}},
				{Params: `{"outChannels": 64, "kernelSize": 3, "stride": 2, "padding": 1, "outputPadding": 1, "groups": 4}`, In: []shape.Shape{{1, 128, 28, 28}}},
				{Params: `{"outChannels": 64, "kernelSize": 3, "stride": 2, "outputPadding": 2}`, In: []shape.Shape{{1, 128, 28, 28}}},
				{Params: `{"outChannels": 64, "kernelSize": 3, "padding": "same"}`, In: []shape.Shape{{1, 128, 28, 28}}},
			},
		},
	}, transposed{sliding: slides(2), Groups: 1, Bias: true}),
	declare(Type{
		Name: "patchMerging", Display: "Patch Merging", Part: Convolution, Ports: unary,
		Also: []string{"patchMerge", "swinDownsample"},
		Doc: Doc{
			Summary: "Puts the features of 2 × 2 neighbours side by side and maps them to twice the width, as between the stages of Swin.",
			Shape:   "H and W are halved, an odd one rounded up; the features become outFeatures",
			Weights: "norm [4 · embedDim] with its bias, or with normLast [outFeatures]; reduction [outFeatures, 4 · embedDim] without bias",
			Work:    "elements of the output · 4 · embedDim; one element-wise operation for each element that is normalised",
			Source:  "https://arxiv.org/abs/2103.14030",
			Examples: []Example{
				{Params: `{}`, In: []shape.Shape{{1, 56, 56, 96}}},
				{Params: `{"outFeatures": 192, "normLast": true}`, In: []shape.Shape{{1, 7, 5, 96}}},
				{Params: `{}`, In: []shape.Shape{{1, 3136, 96}}},
			},
		},
	}, merging{Eps: 1e-5}),
}

// sliding is a window that slides along some axes.
type sliding struct {
	axes       int     // how many
	ceil       bool    // pooling's ceil_mode
	KernelSize Sizes   `json:"kernelSize" min:"1" unit:"elements" required:"true" doc:"extent of the window: one number, or one for each axis"`
	Stride     Sizes   `json:"stride" min:"1" unit:"elements" doc:"step from window to window"`
	Padding    Padding `json:"padding" min:"0" unit:"elements" doc:"zeros on both sides of each axis, or \"same\" (stride 1 only; an odd one more goes to the end)"`
	Dilation   Sizes   `json:"dilation" min:"1" unit:"elements" doc:"distance between neighbours in the window"`
}

// slides is a window of PyTorch's defaults along so many axes.
func slides(axes int) sliding {
	return sliding{axes: axes, Stride: Sizes{1}, Dilation: Sizes{1}}
}

// perAxis checks that a list has one size for each axis, or one for all. A nil
// list is a parameter that was not given.
func perAxis(c *Call, param string, s Sizes, axes int) bool {
	if len(s) <= 1 || len(s) == axes {
		return true
	}
	want := "one number"
	if axes > 1 {
		want = fmt.Sprintf("one number or a list of %d", axes)
	}
	c.Report(BadParam, param, "%s has %d numbers, must be %s", param, len(s), want).Fix = "give " + want
	c.failed = true
	return false
}

// check reports what is wrong whatever the operand is.
func (s *sliding) check(c *Call) bool {
	ok := perAxis(c, "kernelSize", s.KernelSize, s.axes) &&
		perAxis(c, "stride", s.Stride, s.axes) &&
		perAxis(c, "padding", s.Padding.Sides, s.axes) &&
		perAxis(c, "dilation", s.Dilation, s.axes)
	if !ok || !s.Padding.Same {
		return ok
	}
	for i := range s.axes {
		if s.Stride.At(i) != 1 {
			c.Report(SameStride, "stride", "stride is %d; padding \"same\" needs stride 1", s.Stride.At(i)).Fix =
				"set stride to 1, or give the padding as a number"
			return false
		}
	}
	return true
}

// kernel is the extent of the window on each axis.
func (s *sliding) kernel() shape.Shape {
	k := make(shape.Shape, s.axes)
	for i := range k {
		k[i] = s.KernelSize.At(i)
	}
	return k
}

// window is the window along axis i over n elements; ok is false when its
// arithmetic would leave int64.
func (s *sliding) window(i int, n int64) (w shape.Window, ok bool) {
	w = shape.Window{Kernel: s.KernelSize.At(i), Stride: s.Stride.At(i), Dilation: s.Dilation.At(i), Ceil: s.ceil}
	reach, ok := shape.Mul(w.Dilation, w.Kernel-1)
	if !ok {
		return w, false
	}
	w.Before, w.After = s.Padding.Sides.At(i), s.Padding.Sides.At(i)
	if s.Padding.Same {
		w.Before, w.After = reach/2, reach-reach/2
	}
	_, ok = total(reach, 1, n, w.Before, w.After, w.Stride)
	return w, ok
}

// total adds up sizes; ok is false on overflow of int64.
func total(sizes ...int64) (sum int64, ok bool) {
	for _, n := range sizes {
		if sum, ok = shape.Add(sum, n); !ok {
			return 0, false
		}
	}
	return sum, true
}

// slide is the tensor of the windows along the given axes.
func (s *sliding) slide(c *Call, x shape.Tensor, along []int) shape.Tensor {
	dims := slices.Clone(x.Dims)
	var unread []string
	for i, axis := range along {
		n := x.Dims[axis]
		w, ok := s.window(i, n)
		if !ok {
			return c.Fail(CountOverflow, "", "the window along axis %d of %s spans more than a signed 64-bit integer holds", axis, x.Dims.Brackets())
		}
		dims[axis] = w.Out(n)
		if dims[axis] == 0 {
			c.Report(WindowTooLarge, "kernelSize", "a window of %d with dilation %d does not fit into axis %d of %s, which has %d with its padding",
				w.Kernel, w.Dilation, axis, x.Dims.Brackets(), n+w.Before+w.After).Fix = "use a smaller kernel, less dilation or more padding"
			return shape.Unknown
		}
		if d := w.Dropped(n); d > 0 && w.Kernel >= w.Stride {
			unread = append(unread, fmt.Sprintf("the last %d of %d on axis %d", d, n, axis))
		}
	}
	if unread != nil {
		c.Report(RowsDropped, "", "no window covers %s of %s", strings.Join(unread, " and "), x.Dims.Brackets()).Fix =
			"pad the input, or choose kernel and stride so that the windows reach its end"
	}
	x.Dims = dims
	return x
}

// spatial settles how a layer that works along n axes reads its operand: x has
// its batch and its channel axis decided, and along are the axes to work on.
// With n axes and one for the channels there is no batch, with one more axis
// there is. A sequence whose features are last is read along the axis before
// them, unless it comes straight from an input or the declared number of
// channels says that PyTorch's layout is meant. Where nothing fits, it reports
// and x is unknown.
func (c *Call) spatial(n int, channels int64) (x shape.Tensor, along []int) {
	x = c.First()
	if !x.Known() {
		return shape.Unknown, nil
	}
	x.IDs = false
	batch := x.Rank() - n - 1
	if batch < 0 || batch > 1 || batch < x.BatchAxes() {
		p := c.Report(RankMismatch, "", "takes %d axes beside the channels, but %s arrives", n, x.Dims.Brackets())
		p.Fix = fmt.Sprintf("feed it a tensor of %d axes, or of %d with a batch axis", n+1, n+2)
		if x.BatchAxes() == 1 {
			p.Message += " with its batch axis"
			p.Fix = fmt.Sprintf("feed it a tensor of %d axes", n+2)
		}
		return shape.Unknown, nil
	}
	x.Batch = shape.Unbatched
	if batch == 1 {
		x.Batch = shape.Batched
	}
	if n == 1 && c.featuresLast(channels) {
		c.Report(LayoutChange, "", "works along axis %d of %s, whose channels are last", batch, x.Dims.Brackets())
		return x, []int{batch}
	}
	x.Feature = batch
	for axis := batch + 1; axis < x.Rank(); axis++ {
		along = append(along, axis)
	}
	return x, along
}

// featuresLast reports whether a sequence has its channels on its last axis.
func (c *Call) featuresLast(channels int64) bool {
	x := c.First()
	if !x.FeatureLast() || x.Arranged || x.Batch == shape.Undecided && c.straight() {
		return false
	}
	return channels == 0 || channels == x.Width() || channels != x.Dims[x.Rank()-2]
}

// straight reports whether the first operand comes straight from an input.
func (c *Call) straight() bool { return len(c.FromInput) > 0 && c.FromInput[0] }

// grouped checks that groups divide the channels on both sides.
func grouped(c *Call, groups, in, out int64) bool {
	switch {
	case in%groups != 0:
		divides(c, "groups", groups, in, "input channels")
	case out%groups != 0:
		divides(c, "groups", groups, out, "output channels")
	default:
		return true
	}
	return false
}

// share is the part of a width that one of several groups has, 0 when they do
// not divide it.
func share(width, groups int64) int64 {
	if width%groups != 0 {
		return 0
	}
	return width / groups
}

// convolution is torch.nn.Conv1d, Conv2d or Conv3d.
type convolution struct {
	InChannels  int64 `json:"inChannels" min:"1" unit:"channels" default:"incoming channels" doc:"channels of the input"`
	OutChannels int64 `json:"outChannels" min:"1" unit:"channels" required:"true" doc:"channels of the output, one filter each"`
	sliding
	Groups     int64 `json:"groups" min:"1" unit:"groups" doc:"groups of channels that do not mix"`
	Bias       bool  `json:"bias" doc:"add a learned constant to each output channel"`
	WeightNorm Opt   `json:"weightNorm" min:"0" max:"4" doc:"axis of the weight along which every slice has a length of its own: the weight is stored as lengths and directions, as torch.nn.utils.parametrizations.weight_norm has it"`
	renamed
}

func (l *convolution) Infer(c *Call) shape.Tensor {
	x, along := c.spatial(l.axes, l.InChannels)
	c.Width(x, &l.InChannels, "inChannels")
	if last := int64(l.axes) + 1; l.WeightNorm.V > last {
		c.Report(BadParam, "weightNorm", "weightNorm is %d, but the last axis of the weight is %d", l.WeightNorm.V, last).Fix = fmt.Sprintf("choose an axis from 0 to %d", last)
		c.failed = true
		return shape.Unknown
	}
	if !l.check(c) || !grouped(c, l.Groups, l.InChannels, l.OutChannels) || !x.Known() {
		return shape.Unknown
	}
	return l.slide(c, x, along).WithWidth(l.OutChannels)
}

func (l *convolution) Weights() []Tensor {
	w := l.filters(l.OutChannels, share(l.InChannels, l.Groups), l.kernel(), l.OutChannels, l.Bias)
	if !l.WeightNorm.Set {
		return w
	}
	lengths := slices.Repeat(shape.Shape{1}, l.axes+2)
	lengths[l.WeightNorm.V] = w[0].Dims[l.WeightNorm.V]
	return append([]Tensor{l.own(weightLengths, lengths...), l.own(weightDirections, w[0].Dims...)}, w[1:]...)
}

// The tensors of a weight under weight normalisation.
const (
	weightLengths    = "parametrizations.weight.original0"
	weightDirections = "parametrizations.weight.original1"
)

// filters are a convolution's weight [first, second, kernel...] and, if so, its bias.
func (r renamed) filters(first, second int64, kernel shape.Shape, out int64, bias bool) []Tensor {
	w := []Tensor{r.own("weight", append([]int64{first, second}, kernel...)...)}
	if bias {
		w = append(w, r.own("bias", out))
	}
	return w
}

func (l *convolution) Work(c *Call, out shape.Tensor) Work {
	return filterWork(out.Dims, l.InChannels/l.Groups, l.kernel())
}

// filterWork is that of filters which read so many channels for each element.
func filterWork(elems shape.Shape, channels int64, kernel shape.Shape) Work {
	return MACs(slices.Concat(shape.Shape{channels}, kernel, elems)...)
}

// depthwise is torch.nn.Conv2d with a group for each input channel.
type depthwise struct {
	InChannels  int64 `json:"inChannels" min:"1" unit:"channels" default:"incoming channels" doc:"channels of the input"`
	OutChannels int64 `json:"outChannels" min:"1" unit:"channels" default:"inChannels · depthMultiplier" doc:"channels of the output, a multiple of those of the input"`
	sliding
	DepthMultiplier int64 `json:"depthMultiplier" min:"1" unit:"channels" default:"outChannels / inChannels, else 1" doc:"output channels for each input channel"`
	Groups          int64 `json:"groups" min:"1" unit:"groups" default:"inChannels" doc:"as many as there are input channels; checked, never trusted"`
	Bias            bool  `json:"bias" doc:"add a learned constant to each output channel"`
	renamed
}

func (l *depthwise) Infer(c *Call) shape.Tensor {
	x, along := c.spatial(l.axes, l.InChannels)
	c.Width(x, &l.InChannels, "inChannels")
	if !l.check(c) || !channelGroups(c, l.Groups, l.InChannels) || !l.settle(c) || !x.Known() {
		return shape.Unknown
	}
	return l.slide(c, x, along).WithWidth(l.OutChannels)
}

// channelGroups checks a number of groups that can only be that of the channels.
func channelGroups(c *Call, groups, in int64) bool {
	if groups == 0 || in == 0 || groups == in {
		return true
	}
	p := c.Report(BadParam, "groups", "groups is %d, but a depthwise convolution has one for each of the %d input channels", groups, in)
	p.Fix, p.Replace = "remove groups, or use conv2d", fmt.Sprint(in)
	return false
}

// settle finds the output channels; it reports and returns false where the
// parameters contradict each other.
func (l *depthwise) settle(c *Call) bool {
	wide, ok := shape.Mul(l.InChannels, max(l.DepthMultiplier, 1))
	switch {
	case !ok:
		c.Report(CountOverflow, "depthMultiplier", "%d channels times %d do not fit a signed 64-bit integer", l.InChannels, l.DepthMultiplier)
	case l.OutChannels == 0:
		l.OutChannels = wide
		return true
	case l.InChannels == 0:
		return true
	case l.OutChannels%l.InChannels != 0:
		divides(c, "outChannels", l.InChannels, l.OutChannels, "output channels")
	case l.DepthMultiplier != 0 && l.OutChannels != wide:
		p := c.Report(WidthMismatch, "depthMultiplier", "outChannels is %d, but %d input channels times depthMultiplier %d make %d", l.OutChannels, l.InChannels, l.DepthMultiplier, wide)
		p.Fix, p.Replace = "keep one of the two", fmt.Sprint(l.OutChannels/l.InChannels)
		return true
	default:
		return true
	}
	return false
}

func (l *depthwise) Weights() []Tensor {
	return l.filters(l.OutChannels, 1, l.kernel(), l.OutChannels, l.Bias)
}

func (l *depthwise) Work(c *Call, out shape.Tensor) Work { return filterWork(out.Dims, 1, l.kernel()) }

// separable is a depthwise convolution without bias, then one of kernel 1
// (Chollet, 2016).
type separable struct {
	InChannels  int64 `json:"inChannels" min:"1" unit:"channels" default:"incoming channels" doc:"channels of the input"`
	OutChannels int64 `json:"outChannels" min:"1" unit:"channels" required:"true" doc:"channels of the output"`
	sliding
	DepthMultiplier int64 `json:"depthMultiplier" min:"1" unit:"channels" doc:"channels between the two for each input channel"`
	Groups          int64 `json:"groups" min:"1" unit:"groups" default:"inChannels" doc:"as many as there are input channels; checked, never trusted"`
	Bias            bool  `json:"bias" doc:"add a learned constant to each output channel"`
	Names           Names `json:"names" doc:"names of the two convolutions in the checkpoint: {\"depthwise\": \"conv1\", \"pointwise\": \"conv2\"}, or of a tensor: {\"pointwise.weight\": …}"`
}

func (l *separable) Infer(c *Call) shape.Tensor {
	x, along := c.spatial(l.axes, l.InChannels)
	c.Width(x, &l.InChannels, "inChannels")
	if !l.check(c) || !channelGroups(c, l.Groups, l.InChannels) || !x.Known() {
		return shape.Unknown
	}
	return l.slide(c, x, along).WithWidth(l.OutChannels)
}

// between is the number of channels between the two convolutions, 0 when it
// does not fit int64.
func (l *separable) between() int64 {
	n, _ := shape.Mul(l.InChannels, l.DepthMultiplier)
	return n
}

func (l *separable) Weights() []Tensor {
	stored, mid := Stored{Names: l.Names}, l.between()
	w := []Tensor{
		stored.tensor("depthwise", "weight", append([]int64{mid, 1}, l.kernel()...)...),
		stored.tensor("pointwise", "weight", l.OutChannels, mid, 1, 1),
	}
	if l.Bias {
		w = append(w, stored.tensor("pointwise", "bias", l.OutChannels))
	}
	return w
}

func (l *separable) Work(c *Call, out shape.Tensor) Work {
	mid := l.between()
	return filterWork(out.WithWidth(mid).Dims, 1, l.kernel()).Plus(filterWork(out.Dims, mid, nil))
}

// merging is the patch merging of Swin (2021), or with normLast that of its
// second version (2022).
type merging struct {
	EmbedDim    int64   `json:"embedDim" alias:"hiddenDim,dModel,dim" min:"1" unit:"features" default:"incoming width" doc:"width of the input"`
	OutFeatures int64   `json:"outFeatures" min:"1" unit:"features" default:"2 · embedDim" doc:"width of the output"`
	NormLast    bool    `json:"normLast" doc:"normalise behind the matrix, as the second version does; else before it"`
	Eps         float64 `json:"eps" min:"0" doc:"added to the variance"`
	Stored
}

func (l *merging) Infer(c *Call) shape.Tensor {
	x := c.First()
	c.Width(x, &l.EmbedDim, "embedDim")
	if l.OutFeatures == 0 {
		l.OutFeatures = c.times(2, l.EmbedDim)
	}
	if !x.Known() {
		return x
	}
	x = x.AsSequence()
	if n := len(x.Positions()); n != 2 {
		c.Report(RankMismatch, "", "merges patches of an image, but %s has %d axes beside batch and features", x.Dims.Brackets(), n).Fix =
			"feed it [batch, height, width, features]"
		return shape.Unknown
	}
	dims := slices.Clone(x.Dims)
	for axis := x.BatchAxes(); axis < x.Rank(); axis++ {
		if axis != x.Feature {
			dims[axis] = (dims[axis]-1)/2 + 1
		}
	}
	x.Dims, x.IDs = dims, false
	return x.WithWidth(l.OutFeatures)
}

// wide is the width of four patches side by side, 0 where it does not fit int64.
func (l *merging) wide() int64 {
	n, _ := shape.Mul(4, l.EmbedDim)
	return n
}

func (l *merging) Weights() []Tensor {
	matrix := l.matrix("reduction", l.OutFeatures, l.wide())
	if l.NormLast {
		return append([]Tensor{matrix}, l.norm("norm", true, l.OutFeatures)...)
	}
	return append(l.norm("norm", true, l.wide()), matrix)
}

func (l *merging) Work(c *Call, out shape.Tensor) Work {
	w, normed := linearWork(out, l.wide()), out
	if !l.NormLast {
		normed = out.WithWidth(l.wide())
	}
	return w.Plus(Elementwise(normed.Dims, 1))
}

// transposed is torch.nn.ConvTranspose2d.
type transposed struct {
	InChannels  int64 `json:"inChannels" min:"1" unit:"channels" default:"incoming channels" doc:"channels of the input"`
	OutChannels int64 `json:"outChannels" min:"1" unit:"channels" required:"true" doc:"channels of the output"`
	sliding
	OutputPadding Sizes `json:"outputPadding" min:"0" unit:"elements" default:"0" doc:"elements added at the end of each axis; less than the stride or the dilation"`
	Groups        int64 `json:"groups" min:"1" unit:"groups" doc:"groups of channels that do not mix"`
	Bias          bool  `json:"bias" doc:"add a learned constant to each output channel"`
	renamed
}

func (l *transposed) Infer(c *Call) shape.Tensor {
	x, along := c.spatial(l.axes, l.InChannels)
	c.Width(x, &l.InChannels, "inChannels")
	if !l.checkOutput(c) || !grouped(c, l.Groups, l.InChannels, l.OutChannels) || !x.Known() {
		return shape.Unknown
	}
	dims := slices.Clone(x.Dims)
	for i, axis := range along {
		n, ok := l.spread(i, x.Dims[axis])
		if !ok {
			return c.Fail(CountOverflow, "", "axis %d of the output has more elements than a signed 64-bit integer holds", axis)
		}
		if n <= 0 {
			c.Report(BadParam, "padding", "padding is %d, which cuts away all that axis %d of %s spreads to", l.Padding.Sides.At(i), axis, x.Dims.Brackets()).Fix = "use less padding"
			return shape.Unknown
		}
		dims[axis] = n
	}
	x.Dims = dims
	return x.WithWidth(l.OutChannels)
}

// checkOutput checks what is particular to a transposed convolution.
func (l *transposed) checkOutput(c *Call) bool {
	if l.Padding.Same {
		c.Report(BadParam, "padding", "padding is \"same\", which a transposed convolution does not have").Fix =
			"give the padding as a number; stride s with kernel 2s, padding s/2 makes the output exactly s times as large"
		return false
	}
	if !l.check(c) || !perAxis(c, "outputPadding", l.OutputPadding, l.axes) {
		return false
	}
	for i := range l.axes {
		if most := max(l.Stride.At(i), l.Dilation.At(i)); l.OutputPadding.At(i) >= most {
			c.Report(OutputPadding, "outputPadding", "outputPadding is %d, but must be less than the stride or the dilation (%d and %d)",
				l.OutputPadding.At(i), l.Stride.At(i), l.Dilation.At(i)).Fix = fmt.Sprintf("use at most %d", most-1)
			return false
		}
	}
	return true
}

// spread is the extent of n elements along axis i of the output, which may be
// negative; ok is false on overflow of int64.
func (l *transposed) spread(i int, n int64) (size int64, ok bool) {
	steps, ok1 := shape.Mul(n-1, l.Stride.At(i))
	reach, ok2 := shape.Mul(l.Dilation.At(i), l.KernelSize.At(i)-1)
	size, ok3 := total(steps, reach, l.OutputPadding.At(i), 1)
	return size - 2*l.Padding.Sides.At(i), ok1 && ok2 && ok3
}

func (l *transposed) Weights() []Tensor {
	return l.filters(l.InChannels, share(l.OutChannels, l.Groups), l.kernel(), l.OutChannels, l.Bias)
}

func (l *transposed) Work(c *Call, out shape.Tensor) Work {
	return filterWork(c.In[0].Dims, l.OutChannels/l.Groups, l.kernel())
}
