// Package layer is the vocabulary: every type of layer that a graph may use,
// each declared once.
//
// A type is a Go struct whose tagged fields are its parameters, with methods
// for its shape rule (Infer), its weights as named tensors (Weights) and its
// multiply-accumulates (Work), and a row in its family's table that adds the
// name, the defaults and the words. All lists the families. Pages, the JSON
// Schema, help texts and exported code come from these declarations.
//
// Analyse takes a type, the parameters as written and the operands, and returns
// a Result: what the layer is, or why it cannot be told. It is pure.
//
// Counts follow PyTorch: a weight is what named_parameters lists, and a MAC is
// one multiplication with its addition in a matrix product or a convolution.
// Normalisations and activations count no MACs, but element-wise operations.
package layer

import (
	"fmt"
	"math/big"

	"github.com/strata-catalog/strata/generator/graph"
	"github.com/strata-catalog/strata/generator/shape"
	"github.com/strata-catalog/strata/generator/words"
)

// A Layer is one configured layer. Its methods are called in this order, each
// once, on a value of its own.
type Layer interface {
	// Infer fills the widths that follow from the operands, reports what does
	// not fit, and returns the output. An operand may be unknown; the widths
	// that the parameters declare still hold then, and the output is unknown.
	Infer(c *Call) shape.Tensor
	// Weights lists the learned tensors and the buffers. A size of zero or
	// less says that it could not be derived.
	Weights() []Tensor
	// Work is what one forward pass costs. Every operand and the output are
	// known when it is called.
	Work(c *Call, out shape.Tensor) Work
}

// An Attender is a layer that attends over a sequence.
type Attender interface{ Attention() Attention }

// Attention says what memory, rules and exported code need of an attention layer.
type Attention struct {
	Width, Heads, KVHeads, HeadDim int64
	// KVElems is what one token adds to the cache, in elements: 2·K·h, and
	// kvLatent + rope for multi-head latent attention.
	KVElems  int64
	Causal   bool
	Window   int64 // tokens in reach, 0: all
	Cross    bool  // keys and values come from another sequence
	RopeDim  int64 // what a rotary embedding that feeds it must turn, 0: none
	Position bool  // carries position information of its own
}

// A Stateful layer keeps a state of constant size while it generates.
type Stateful interface{ State() int64 } // elements for each sequence

// A Saver is a layer that keeps activations for the backward pass beside its
// output. Saved is in elements.
type Saver interface {
	Saved(c *Call, out shape.Tensor) *big.Int
}

// A Tensor is a weight, or a buffer, by its name below the component.
type Tensor struct {
	Name string // as in a state dict; "{}" stands for the index of a copy
	Dims shape.Shape
	// Copies is how many tensors of this shape the layer has (experts, inner
	// layers); 0 means one.
	Copies int64
	// Used is how many of the copies work on one token; 0 means all. For
	// stacked experts it is the share of the leading axis, for joined ones that
	// of all rows.
	Used    int64
	Stacked bool // the copies are the leading axis of one tensor
	// Joined is how many copies stand above each other in one matrix, 0 for none.
	Joined int64
	Buffer bool // stored, but no parameter
}

// Count is the number of elements in all copies; ok is false on overflow.
func (t Tensor) Count() (n int64, ok bool) {
	n, ok = t.Dims.Elems()
	if t.Copies > 1 && ok {
		n, ok = shape.Mul(n, t.Copies)
	}
	return n, ok
}

// Active is the number of elements that work on one token.
func (t Tensor) Active() int64 {
	n, _ := t.Count()
	switch {
	case t.Used == 0:
		return n
	case t.Stacked:
		return n / t.Dims[0] * t.Used
	case t.Joined > 0:
		return n / t.Joined * t.Used
	}
	return n / max(t.Copies, 1) * t.Used
}

// Works that many types share, in words.
const (
	noWork        = "none"
	identityWork  = "none in inference, where it is the identity"
	elementWork   = "none; one element-wise operation for each element of the output"
	reductionWork = "none; one element-wise operation for each element of the input"
)

// Work is the cost of one forward pass. Nil means none.
type Work struct {
	Full   *big.Int // MACs, attention over the full square, as torch's own counter has it
	Causal *big.Int // MACs that a causal or windowed kernel must do; nil: the same
	Elem   *big.Int // element-wise operations, which are no MACs
}

// MACs is the work of matrix products with the given sizes.
func MACs(d ...int64) Work { return Work{Full: product(d...)} }

// Elementwise is work of n operations for each element.
func Elementwise(s shape.Shape, n int64) Work {
	return Work{Elem: product(append([]int64{n}, s...)...)}
}

// Plus adds up two works.
func (w Work) Plus(v Work) Work {
	sum := Work{Full: sum(w.Full, v.Full), Elem: sum(w.Elem, v.Elem)}
	if w.Causal != nil || v.Causal != nil {
		a, b := w.Causal, v.Causal
		if a == nil {
			a = w.Full
		}
		if b == nil {
			b = v.Full
		}
		sum.Causal = addBig(a, b)
	}
	return sum
}

func sum(a, b *big.Int) *big.Int {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return addBig(a, b)
}

func addBig(a, b *big.Int) *big.Int {
	n := new(big.Int)
	if a != nil {
		n.Add(n, a)
	}
	if b != nil {
		n.Add(n, b)
	}
	return n
}

// product multiplies sizes without bound: attention over ten million tokens
// exceeds int64 in a good model.
func product(d ...int64) *big.Int {
	if n, ok := shape.Mul(d...); ok {
		return big.NewInt(n)
	}
	n := big.NewInt(1)
	for _, x := range d {
		n.Mul(n, big.NewInt(x))
	}
	return n
}

// A Problem is something that does not fit, as a layer finds it. The rule it
// names gives it its severity and its words.
type Problem struct {
	Rule    string // id of the verifier's rule
	Param   string // the parameter concerned, "" for the layer
	Message string
	Fix     string // a sentence, or ""
	// Replace is the value that the parameter should have, as JSON, where the
	// fix is mechanical.
	Replace string
	// Rename is the known name that is nearest to an unknown parameter's, ""
	// when none is near.
	Rename string
	// Unsure says that another than the nearest name may have been meant, so
	// that no program should rename it.
	Unsure bool
	// Unreadable marks a fraction where an integer is due: the document cannot
	// be read, and no rule applies.
	Unreadable bool
}

// The rules that layers report to.
const (
	MissingParam    = "missing-param"
	BadParam        = "bad-param"
	UnknownParam    = "unknown-param"
	AliasConflict   = "alias-conflict"
	FewOperands     = "few-operands"
	MissingContext  = "missing-context"
	JoinedOperands  = "joined-operands"
	CountOverflow   = "count-overflow"
	WidthMismatch   = "width-mismatch"
	RankMismatch    = "rank-mismatch"
	Broadcast       = "broadcast"
	ConcatAxes      = "concat-axes"
	MatmulShapes    = "matmul-shapes"
	MatmulSimilar   = "matmul-similarity"
	ReshapeCount    = "reshape-count"
	AxisRange       = "axis-range"
	WindowTooLarge  = "window-too-large"
	RowsDropped     = "rows-dropped"
	PatchDivides    = "patch-divides"
	GroupsDivide    = "groups-divide"
	ShuffleFactor   = "shuffle-factor"
	OutputPadding   = "output-padding"
	SameStride      = "same-padding-stride"
	HiddenWidth     = "hidden-width-input"
	FloatIDs        = "float-into-embedding"
	LayoutChange    = "layout-change"
	HeadsDivide     = "heads-divide"
	KVHeadsDivide   = "kv-heads-divide"
	OddRotary       = "odd-rotary"
	ContextWidth    = "context-width"
	WindowTooLong   = "window-too-long"
	PositionsShort  = "positions-short"
	TopKExperts     = "top-k-experts"
	OperandCount    = "operand-count"
	DeclaredDiffers = "declared-output"
)

// breaking are the rules whose problems leave a layer that PyTorch would refuse,
// or would compute otherwise, though its output shape may be known.
var breaking = map[string]bool{
	BadParam: true, MissingParam: true, FewOperands: true, MissingContext: true,
	CountOverflow: true, WidthMismatch: true, ContextWidth: true, HeadsDivide: true,
	KVHeadsDivide: true, GroupsDivide: true, TopKExperts: true, PositionsShort: true,
}

// Breaks reports whether a problem of the rule keeps a layer from running as it
// is drawn.
func Breaks(rule string) bool { return breaking[rule] }

// A Call is one use of a layer: its operands, and what it has to report.
type Call struct {
	In []shape.Tensor // without side inputs; joined into one where the type is unary
	// FromInput says of each operand that it comes straight from an input.
	FromInput []bool
	masks     []int // operands that dropMasks took out
	problems  []Problem
	failed    bool
}

// Report notes a problem. Param is the parameter concerned, "" for the layer.
func (c *Call) Report(rule, param, format string, args ...any) *Problem {
	c.problems = append(c.problems, Problem{Rule: rule, Param: param, Message: fmt.Sprintf(format, args...)})
	return &c.problems[len(c.problems)-1]
}

// Fail notes a problem after which the output is not known.
func (c *Call) Fail(rule, param, format string, args ...any) shape.Tensor {
	c.Report(rule, param, format, args...)
	return shape.Unknown
}

// First is the first operand, unknown when there is none.
func (c *Call) First() shape.Tensor {
	if len(c.In) == 0 {
		return shape.Unknown
	}
	return c.In[0]
}

// Width settles a width that may be declared, may follow from the operand, or
// both: a declared one wins, and a difference is a problem.
func (c *Call) Width(x shape.Tensor, declared *int64, param string) {
	c.Size(x.Width(), declared, param, WidthMismatch)
}

// Size is Width for any size; got is 0 when it is not known.
func (c *Call) Size(got int64, declared *int64, param, rule string) {
	switch {
	case *declared == 0:
		*declared = got
	case got != 0 && got != *declared:
		p := c.Report(rule, param, "%s is %d, but the incoming width is %d", param, *declared, got)
		p.Fix = fmt.Sprintf("set %s to %d, or feed it a tensor that is %d wide", param, got, *declared)
		p.Replace = fmt.Sprint(got)
	}
}

// Layout reports a tensor whose feature axis is not last, for a layer that
// PyTorch applies to the last axis: the exported code has to transpose.
func (c *Call) Layout(x shape.Tensor) {
	if x.Known() && !x.FeatureLast() {
		c.Report(LayoutChange, "", "acts on the channel axis of %s, which is not the last one", x.Dims.Brackets())
	}
}

// A Result is all that is known of one use of a layer. It is shared between
// equal uses and must not be changed.
type Result struct {
	Layer    Layer
	Out      shape.Tensor // Dims nil: not known
	In       []shape.Tensor
	Masks    []int // operands that are attention masks, and not in In
	Weights  []Tensor
	Params   int64 // elements of the weights
	Active   int64 // of these, what works on one token
	Buffers  int64 // elements stored, but no parameters
	Counted  bool  // false: a weight could not be derived, and Params is a lower bound
	Work     Work
	Worked   bool // Work is known
	Saved    *big.Int
	Attn     *Attention
	State    int64
	Problems []Problem
}

// maxRank is the number of axes that a tensor has at most, as in PyTorch
// (MAX_DIMS of at::TensorIterator).
const maxRank = 64

// Analyse is the whole analysis of one use of a layer.
func Analyse(t *Type, params []graph.Param, in []shape.Tensor, fromInput []bool) *Result {
	c := &Call{In: in, FromInput: fromInput}
	r := &Result{Counted: true}
	l := t.bind(c, params)
	r.Layer = l
	known := c.operands(t)
	if !c.failed {
		r.Out = l.Infer(c)
		known = known && r.Out.Known()
		r.Out.IDs = r.Out.IDs && (t.Part == Ends || t.Part == Shaping)
		r.Out.Scores = r.Out.Scores && (t.Part == Ends || t.Part == Embedding)
	} else {
		known = false
	}
	if !known {
		r.Out = shape.Unknown
	}
	if r.Out.Rank() > maxRank {
		c.Report(RankMismatch, "", "the output has %d axes, more than the %d that PyTorch's tensors have", r.Out.Rank(), maxRank)
		r.Out, known = shape.Unknown, false
	}
	if r.Out.Known() {
		if _, ok := r.Out.Dims.Elems(); !ok {
			c.Report(CountOverflow, "", "the output %s has more elements than a signed 64-bit integer holds", r.Out.Dims.Brackets())
			r.Out, known = shape.Unknown, false
		}
	}
	r.In, r.Masks = c.In, c.masks
	c.count(r, l)
	if known {
		r.Work, r.Worked = l.Work(c, r.Out), true
		if s, ok := l.(Saver); ok {
			r.Saved = s.Saved(c, r.Out)
		}
	}
	if a, ok := l.(Attender); ok && r.Counted {
		attn := a.Attention()
		r.Attn = &attn
	}
	if s, ok := l.(Stateful); ok && r.Counted {
		r.State = s.State()
	}
	r.Problems = c.problems
	return r
}

// count adds up the weights, with checked arithmetic.
func (c *Call) count(r *Result, l Layer) {
	if c.failed {
		r.Counted = false
		return
	}
	r.Weights = l.Weights()
	c.checkNames(l, r.Weights)
	for _, w := range r.Weights {
		derived := w.Copies >= 0
		for _, d := range w.Dims {
			derived = derived && d > 0
		}
		if !derived {
			r.Counted = false
			continue
		}
		n, ok := w.Count()
		sum := &r.Params
		if w.Buffer {
			sum = &r.Buffers
		}
		total, fits := shape.Add(*sum, n)
		if !ok || !fits {
			c.Report(CountOverflow, "", "the weights have more elements than a signed 64-bit integer holds (%s is %s)", w.Name, w.Dims.Brackets())
			r.Counted = false
			return
		}
		*sum = total
		if !w.Buffer {
			r.Active += w.Active()
		}
	}
}

// operands checks how many there are and joins those of a unary layer. It
// returns whether every operand is known.
func (c *Call) operands(t *Type) bool {
	if t.Ports.Masks {
		c.dropMasks(t.Ports)
	}
	n := len(c.In)
	switch {
	case n < t.Ports.Min:
		rule, what := FewOperands, "at least"
		if t.Ports.Context && n == 1 {
			rule = MissingContext
		}
		if t.Ports.Min == t.Ports.Max {
			what = "exactly"
		}
		c.Report(rule, "", "has %s, needs %s %d", words.Inputs(n), what, t.Ports.Min)
		// A merge of one operand is that operand; shapes go on from there.
		// Without any, what the parameters declare still counts.
		if n == 0 {
			c.In, c.FromInput = []shape.Tensor{shape.Unknown}, []bool{false}
		}
	case t.Name == "input" && n > 0:
		c.Report(OperandCount, "", "takes no input, but has %s; what is fed to it goes nowhere", words.Inputs(n)).Fix = "remove the edges, or make it the layer that was meant"
	case t.Ports.Max == 1 && n > 1:
		c.join()
	case t.Ports.Max > 0 && n > t.Ports.Max:
		c.Report(OperandCount, "", "has %s, takes at most %d", words.Inputs(n), t.Ports.Max)
		c.In = c.In[:t.Ports.Max]
	}
	for _, x := range c.In {
		if !x.Known() {
			return false
		}
		if x.Rank() == 0 && onFeatures[t.Part] {
			c.Report(RankMismatch, "", "acts on a feature axis, but a scalar arrives").Fix = "feed it a tensor with at least one axis"
			return false
		}
	}
	return true
}

// onFeatures are the parts whose layers act on a feature axis.
var onFeatures = map[Part]bool{
	Linear: true, Norm: true, AttnPart: true, FeedFwd: true, Recurrent: true, Convolution: true,
}

// join makes one operand of several, on the feature axis.
func (c *Call) join() {
	ids := true
	for _, x := range c.In {
		if !x.Known() {
			c.In = []shape.Tensor{shape.Unknown}
			return
		}
		ids = ids && x.IDs
	}
	x, bad := concat(c.In, c.In[0].Feature-c.In[0].Rank(), 0)
	c.Report(JoinedOperands, "", "takes one input and has %d; they are joined on the feature axis", len(c.In)).Fix =
		"draw the concatenate, or the merge that was meant"
	if bad != "" {
		c.Report(ConcatAxes, "", "%s", bad)
		x = shape.Unknown
	}
	x.IDs = ids && x.Known()
	c.In = []shape.Tensor{x}
	c.FromInput = []bool{false}
}
