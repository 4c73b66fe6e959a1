package generator_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/strata-catalog/strata/generator/expand"
	"github.com/strata-catalog/strata/generator/graph"
)

// errUnsure says that forward has no word on a layer.
var errUnsure = errors.New("cannot tell")

// forward runs a document on sizes alone, by PyTorch's rules written out once
// more: nothing of the vocabulary, the analysis or the verifier is asked. It
// decides whether a seeded fault breaks the forward pass. The first axis of
// every input is a batch. Layers act on the feature axis, as the format says:
// channels behind convolutions, else the last axis.
func forward(src []byte) (err error) {
	defer func() {
		if recover() != nil { // sizes of a rank that a layer here was not written for
			err = errUnsure
		}
	}()
	doc, err := graph.Decode("model.json", src)
	if err != nil {
		return err
	}
	g, err := expand.Expand(doc)
	if err != nil {
		return err
	}
	if len(g.Faults) > 0 {
		return errors.New(g.Faults[0].Message)
	}
	unsure := false
	tensors := make([]*sized, len(g.Nodes))
	for _, i := range g.Order {
		l := call{typ: g.Nodes[i].Component.Type, params: map[string]any{}}
		for _, p := range g.Nodes[i].Params {
			var v any
			if err := json.Unmarshal([]byte(p.Value), &v); err != nil {
				return err
			}
			l.params[p.Name] = v
		}
		for _, in := range g.Nodes[i].Inputs {
			l.in = append(l.in, tensors[in])
		}
		out, err := l.run()
		switch {
		case errors.Is(err, errUnsure):
			unsure = true
		case err != nil:
			return fmt.Errorf("%s: %w", g.Nodes[i].ID, err)
		}
		tensors[i] = out
	}
	if unsure {
		return errUnsure
	}
	return nil
}

// sized is a tensor of which the sizes matter; nil is not known.
type sized struct {
	dims    []int
	feature int
	ids     bool
	side    *call // a rope or an alibi, which is no tensor
}

func (t *sized) width() int { return t.dims[t.feature] }

// with is the tensor with another width.
func (t *sized) with(width int) *sized {
	dims := slices.Clone(t.dims)
	dims[t.feature] = width
	return &sized{dims: dims, feature: t.feature}
}

func last(dims ...int) *sized { return &sized{dims: dims, feature: len(dims) - 1} }

// tokens is the number of tokens of a sequence.
func (t *sized) tokens() int { return t.dims[len(t.dims)-2] }

// call is one layer, as a module that is built and called.
type call struct {
	typ    string
	params map[string]any
	in     []*sized
	side   *call
}

// number is a parameter under any of its names, or else what it is without.
func (l *call) number(missing int, names ...string) int {
	for _, name := range names {
		if v, ok := l.params[name].(float64); ok {
			return int(v)
		}
	}
	return missing
}

// pair is a parameter that is one number for two axes, or one for each.
func (l *call) pair(missing int, name string) [2]int {
	if list, ok := l.params[name].([]any); ok && len(list) == 2 {
		a, _ := list[0].(float64)
		b, _ := list[1].(float64)
		return [2]int{int(a), int(b)}
	}
	n := l.number(missing, name)
	return [2]int{n, n}
}

// required are the parameters without which a module cannot be built.
var required = map[string][]string{
	"input": {"shape"}, "linear": {"outFeatures"}, "embedding": {"embeddingDim"},
	"learnedPositionalEmbedding": {"maxLen"}, "patchEmbed": {"patchSize", "embedDim"},
	"multiHeadAttention": {"numHeads"}, "selfAttention": {"numHeads"}, "causalAttention": {"numHeads"}, "groupedQueryAttention": {"numHeads"},
	"mla": {"numHeads", "kvLatentDim", "ropeHeadDim"}, "moeLayer": {"numExperts", "expertDim"}, "sharedExpertMoE": {"numExperts", "expertDim"},
	"conv2d": {"outChannels", "kernelSize"}, "depthwiseConv2d": {"kernelSize"}, "transposeConv2d": {"outChannels", "kernelSize"},
	"maxpool2d": {"kernelSize"}, "lstm": {"hiddenSize"}, "parameter": {"shape"},
}

// unchanged lists the layers that take any tensor and keep its sizes.
var unchanged = []string{
	"output", "relu", "relu6", "gelu", "tanh", "sigmoid", "softmax", "logSoftmax", "swish", "dropout", "l2Norm", "scale", "softcap",
}

// run builds the module and calls it.
func (l *call) run() (*sized, error) {
	for _, name := range required[l.typ] {
		switch v := l.params[name].(type) {
		case nil:
			return nil, fmt.Errorf("%s without %s", l.typ, name)
		case string:
			return nil, fmt.Errorf("%s is %q", name, v)
		}
	}
	if p, ok := l.params["p"].(float64); ok && (p < 0 || p >= 1) {
		return nil, fmt.Errorf("dropout of %v", p)
	}
	l.in = slices.DeleteFunc(l.in, func(t *sized) bool {
		if t != nil && t.side != nil {
			l.side = t.side
			return true
		}
		return false
	})
	for _, t := range l.in {
		if t == nil {
			return nil, errUnsure
		}
	}
	return l.built()
}

func (l *call) built() (*sized, error) {
	switch l.typ {
	case "input":
		list, _ := l.params["shape"].([]any)
		dims := make([]int, len(list))
		for i, d := range list {
			n, _ := d.(float64)
			dims[i] = int(n)
		}
		t := last(dims...)
		t.ids = true
		if len(dims) == 4 {
			t.feature = 1
		}
		return t, nil
	case "rope":
		if d := l.number(0, "dim", "headDim"); d%2 != 0 {
			return nil, fmt.Errorf("rope turns %d features", d)
		}
		return &sized{side: l}, nil
	case "parameter":
		return l.parameter()
	case "add", "multiply", "subtract":
		return l.broadcast()
	case "concatenate":
		return l.concatenate()
	case "matmul":
		return l.matmul()
	}
	if len(l.in) != 1 {
		return nil, fmt.Errorf("%s is called with %d tensors", l.typ, len(l.in))
	}
	return l.unary(l.in[0])
}

func (l *call) unary(x *sized) (*sized, error) {
	if slices.Contains(unchanged, l.typ) {
		return x.with(x.width()), nil
	}
	switch l.typ {
	case "layerNorm", "rmsNorm", "batchNorm":
		return l.keeps(x, "normalizedShape", "numFeatures")
	case "linear":
		t, err := l.keeps(x, "inFeatures")
		return widened(t, l.number(0, "outFeatures"), err)
	case "embedding":
		return l.embedding(x)
	case "segmentEmbedding", "learnedPositionalEmbedding":
		if x.ids { // of segments, or of positions
			return last(append(slices.Clone(x.dims), l.number(0, "embedDim"))...), nil
		}
		if n := l.number(math.MaxInt, "maxLen") - l.number(0, "offset"); len(x.dims) < 2 || x.tokens() > n {
			return nil, fmt.Errorf("%d positions for %v", n, x.dims)
		}
		return l.keeps(x, "embedDim")
	case "multiHeadAttention", "selfAttention", "causalAttention", "groupedQueryAttention", "mla":
		return l.attention(x)
	case "feedForward", "swiglu", "geglu", "mamba":
		return l.keeps(x, "embedDim", "dim", "dModel")
	case "moeLayer", "sharedExpertMoE":
		if k, n := l.number(2, "topK"), l.number(0, "numExperts"); k > n {
			return nil, fmt.Errorf("top %d of %d", k, n)
		}
		return l.keeps(x, "embedDim")
	case "lstm":
		t, err := l.keeps(x, "inputSize")
		if t != nil && l.params["returnSequences"] == false {
			t = last(t.dims[0], t.dims[len(t.dims)-1])
		}
		return widened(t, l.number(0, "hiddenSize"), err)
	}
	return l.image(x)
}

func widened(t *sized, width int, err error) (*sized, error) {
	if err != nil {
		return nil, err
	}
	return t.with(width), nil
}

// keeps checks a declared width against the incoming one.
func (l *call) keeps(x *sized, names ...string) (*sized, error) {
	if n := l.number(x.width(), names...); n != x.width() {
		return nil, fmt.Errorf("%s is %d wide, gets %d", l.typ, n, x.width())
	}
	return x.with(x.width()), nil
}

// embedding looks ids up; a last axis of its own width is left out.
func (l *call) embedding(x *sized) (*sized, error) {
	width := l.number(0, "embeddingDim")
	switch {
	case !x.ids:
		return nil, errors.New("look-up of something that is no ids")
	case len(x.dims) > 2 && x.width() == width:
		return last(slices.Clone(x.dims)...), nil
	case len(x.dims) > 2:
		return nil, errors.New("ids with a width")
	}
	return last(append(slices.Clone(x.dims), width)...), nil
}

func (l *call) attention(x *sized) (*sized, error) {
	if len(x.dims) < 2 {
		return nil, errors.New("attention over a vector")
	}
	t, err := l.keeps(x, "embedDim")
	if err != nil {
		return nil, err
	}
	heads := l.number(0, "numHeads")
	if heads < 1 {
		return nil, fmt.Errorf("%d heads", heads)
	}
	rotary := l.number(0, "headDim")
	switch {
	case l.typ == "mla":
		rotary = l.number(0, "ropeHeadDim")
	case rotary == 0 && x.width()%heads != 0:
		return nil, fmt.Errorf("%d heads in a width of %d", heads, x.width())
	case rotary == 0:
		rotary = x.width() / heads
	}
	if shared := l.number(heads, "numKVHeads"); shared < 1 || heads%shared != 0 {
		return nil, fmt.Errorf("%d heads share %d", heads, shared)
	}
	if l.side != nil && l.side.number(rotary, "dim", "headDim") > rotary {
		return nil, fmt.Errorf("rope for more than %d features", rotary)
	}
	return t, nil
}

// image is the layers that work on images.
func (l *call) image(x *sized) (*sized, error) {
	kernel, stride, padding := l.pair(1, "kernelSize"), l.pair(1, "stride"), l.pair(0, "padding")
	switch l.typ {
	case "maxpool2d":
		return l.windows(x, x.width(), kernel, l.pair(kernel[0], "stride"), padding)
	case "conv2d", "depthwiseConv2d":
		if len(x.dims) != 4 {
			return nil, fmt.Errorf("%s over %v", l.typ, x.dims)
		}
		in, out, groups := x.dims[1], l.number(x.dims[1], "outChannels"), l.number(1, "groups")
		if l.typ == "depthwiseConv2d" {
			groups = in
		}
		if declared := l.number(in, "inChannels"); declared != in || groups < 1 || in%groups != 0 || out%groups != 0 {
			return nil, fmt.Errorf("convolution of %d to %d channels in %d groups, gets %d", declared, out, groups, in)
		}
		return l.windows(x, out, kernel, stride, padding)
	case "transposeConv2d":
		if declared := l.number(x.width(), "inChannels"); len(x.dims) != 4 || declared != x.dims[1] {
			return nil, fmt.Errorf("%s of %d channels over %v", l.typ, declared, x.dims)
		}
		side := func(i int) int { return (x.dims[i]-1)*stride[i-2] - 2*padding[i-2] + kernel[i-2] }
		return &sized{dims: []int{x.dims[0], l.number(0, "outChannels"), side(2), side(3)}, feature: 1}, nil
	case "patchEmbed":
		if len(x.dims) != 4 {
			return nil, fmt.Errorf("patches of %v", x.dims)
		}
		p := l.pair(1, "patchSize")
		t, err := l.windows(x, l.number(0, "embedDim"), p, p, [2]int{})
		if err != nil || l.number(x.dims[1], "inChans") != x.dims[1] {
			return nil, errors.Join(err, errors.New("patches of other channels"))
		}
		return last(t.dims[0], t.dims[2]*t.dims[3], t.dims[1]), nil
	case "adaptiveAvgPool2d":
		if len(x.dims) != 4 {
			return nil, fmt.Errorf("pooling of %v", x.dims)
		}
		n := l.pair(1, "outputSize")
		return &sized{dims: []int{x.dims[0], x.dims[1], n[0], n[1]}, feature: 1}, nil
	}
	return l.moved(x)
}

// windows is the output of a sliding window over the last two of four axes.
func (l *call) windows(x *sized, channels int, kernel, stride, padding [2]int) (*sized, error) {
	if len(x.dims) != 4 {
		return nil, fmt.Errorf("%s over %v", l.typ, x.dims)
	}
	out := &sized{dims: []int{x.dims[0], channels, 0, 0}, feature: 1}
	for i := range 2 {
		room := x.dims[i+2] + 2*padding[i] - kernel[i]
		if kernel[i] < 1 || stride[i] < 1 || room < 0 {
			return nil, fmt.Errorf("a window of %d in %d", kernel[i], x.dims[i+2])
		}
		out.dims[i+2] = room/stride[i] + 1
	}
	return out, nil
}

// moved is the layers that move elements and compute nothing.
func (l *call) moved(x *sized) (*sized, error) {
	dim := l.number(1, "dim")
	if dim < 0 {
		dim += len(x.dims)
	}
	switch l.typ {
	case "flatten":
		n := 1
		for _, d := range x.dims[1:] {
			n *= d
		}
		return last(x.dims[0], n), nil
	case "split":
		size, at := l.number(1, "splitSize"), l.number(0, "index")
		if dim >= len(x.dims) || at*size >= x.dims[dim] {
			return nil, fmt.Errorf("part %d of %v", at, x.dims)
		}
		dims := slices.Clone(x.dims)
		dims[dim] = min(size, dims[dim]-at*size)
		return &sized{dims: dims, feature: x.feature}, nil
	case "squeeze":
		if dim >= len(x.dims) {
			return nil, fmt.Errorf("axis %d of %v", dim, x.dims)
		}
		if x.dims[dim] != 1 {
			return x.with(x.width()), nil
		}
		return last(slices.Delete(slices.Clone(x.dims), dim, dim+1)...), nil
	case "permute":
		list, _ := l.params["dims"].([]any)
		if len(list) != len(x.dims) {
			return nil, fmt.Errorf("%d axes of %v", len(list), x.dims)
		}
		dims := make([]int, len(list))
		for i, d := range list {
			n, _ := d.(float64)
			dims[i] = x.dims[int(n)]
		}
		return last(dims...), nil
	case "pad":
		list, _ := l.params["padding"].([]any)
		dims := slices.Clone(x.dims)
		for i, d := range list {
			n, _ := d.(float64)
			dims[len(dims)-1-i/2] += int(n)
		}
		return &sized{dims: dims, feature: x.feature}, nil
	}
	return nil, errUnsure
}

// parameter is a free tensor that is added, joined in front, or a factor.
func (l *call) parameter() (*sized, error) {
	list, _ := l.params["shape"].([]any)
	dims := make([]int, len(list))
	for i, d := range list {
		n, _ := d.(float64)
		dims[i] = int(n)
	}
	p := last(dims...)
	switch {
	case len(l.in) == 0:
		return p, nil
	case l.params["mode"] != "concat":
		l.in = append(l.in, p)
		return l.broadcast()
	}
	x := l.in[0]
	if p.width() != x.width() {
		return nil, fmt.Errorf("a token of %d before tokens of %d", p.width(), x.width())
	}
	out := x.with(x.width())
	if len(dims) == 1 {
		out.dims[1]++
	} else {
		out.dims[1] += dims[len(dims)-2]
	}
	return out, nil
}

func (l *call) broadcast() (*sized, error) {
	if len(l.in) < 2 {
		return nil, fmt.Errorf("%s of %d tensors", l.typ, len(l.in))
	}
	out := l.in[0].with(l.in[0].width())
	for _, t := range l.in[1:] {
		if len(t.dims) > len(out.dims) {
			out, t = t.with(t.width()), out
		}
		for i := range t.dims {
			k := len(out.dims) - len(t.dims) + i
			switch {
			case out.dims[k] == 1:
				out.dims[k] = t.dims[i]
			case t.dims[i] != 1 && t.dims[i] != out.dims[k]:
				return nil, fmt.Errorf("%s of %v and %v", l.typ, out.dims, t.dims)
			}
		}
	}
	return out, nil
}

func (l *call) concatenate() (*sized, error) {
	if len(l.in) < 2 {
		return nil, errors.New("concatenation of one tensor")
	}
	out := l.in[0].with(l.in[0].width())
	dim := l.number(-1, "dim", "axis")
	if dim < 0 {
		dim += len(out.dims)
	}
	for _, t := range l.in[1:] {
		if len(t.dims) != len(out.dims) {
			return nil, errors.New("concatenation of other ranks")
		}
		for i := range t.dims {
			if i != dim && t.dims[i] != out.dims[i] {
				return nil, fmt.Errorf("concatenation of %v and %v", out.dims, t.dims)
			}
		}
		if dim >= len(t.dims) {
			return nil, fmt.Errorf("axis %d of %v", dim, t.dims)
		}
		out.dims[dim] += t.dims[dim]
	}
	return out, nil
}

// matmul is that of two matrices.
func (l *call) matmul() (*sized, error) {
	if len(l.in) != 2 || len(l.in[0].dims) != 2 || len(l.in[1].dims) != 2 {
		return nil, errUnsure
	}
	a, b := l.in[0].dims, slices.Clone(l.in[1].dims)
	if l.params["transposeB"] == true {
		slices.Reverse(b)
	}
	if a[1] != b[0] {
		return nil, fmt.Errorf("%v times %v", a, b)
	}
	return last(a[0], b[1]), nil
}
