package reference

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/strata-catalog/strata/generator/facts"
	"github.com/strata-catalog/strata/generator/layer"
	"github.com/strata-catalog/strata/generator/shape"
)

// A Type is a layer type.
type Type struct {
	Name       string      `json:"type" doc:"the name that graphs use"`
	Display    string      `json:"name" doc:"the name that pages show"`
	Also       []string    `json:"also" doc:"what else people call it; graphs must use type"`
	Family     layer.Part  `json:"family" doc:"what kind of work it does"`
	Summary    string      `json:"summary" doc:"what it is, in one sentence"`
	Operands   string      `json:"operands" doc:"how many inputs it takes"`
	Shape      string      `json:"shape" doc:"the shape of its result"`
	Tensors    string      `json:"tensors" doc:"its weights, empty for none"`
	Work       string      `json:"work" doc:"its multiply-accumulates, and the element-wise operations that are counted beside them"`
	Source     string      `json:"source" doc:"address of the formula"`
	Parameters []Parameter `json:"parameters" doc:"what can be set, in declared order"`
	Examples   []Example   `json:"examples" doc:"uses of it, and what comes of them"`
}

// A Parameter is one parameter of a layer type.
type Parameter struct {
	Name     string     `json:"name" doc:"canonical name"`
	Aliases  []string   `json:"aliases" doc:"other names that are accepted"`
	Kind     layer.Kind `json:"kind" doc:"what kind of value it takes"`
	Required bool       `json:"required" doc:"it must be given"`
	Default  string     `json:"default" doc:"the value that holds when it is not given, in words where it is derived; empty for none"`
	Unit     string     `json:"unit" doc:"what it counts, empty when it counts nothing"`
	Enum     []string   `json:"enum" doc:"the values that it may have; empty for any of its kind"`
	Min      *float64   `json:"min" doc:"least value, null for no bound"`
	Max      *float64   `json:"max" doc:"largest value, null for no bound"`
	Below    *float64   `json:"below" doc:"value that it stays below, null for no bound"`
	Doc      string     `json:"doc" doc:"what it is"`
}

// An Example is one use of a layer type, analysed.
type Example struct {
	Params     facts.Value   `json:"params" doc:"parameters, as in a graph"`
	In         []shape.Shape `json:"input_shapes" doc:"shape of each operand"`
	Out        shape.Shape   `json:"output_shape" doc:"shape of the result, null when it has none or it is not known"`
	Weights    []Weight      `json:"tensors" doc:"its weights and buffers"`
	Parameters *int64        `json:"parameters" doc:"elements of the weights, null when a size is not known"`
	MACs       *big.Int      `json:"macs" doc:"multiply-accumulates, null when not known"`
	Problems   []string      `json:"problems" doc:"what the verifier says to it"`
}

// A Weight is a tensor of an example.
type Weight struct {
	Name   string      `json:"name" doc:"name below the component, empty for a tensor that has the component's own"`
	Shape  shape.Shape `json:"shape" doc:"size of each axis"`
	Copies int64       `json:"copies" doc:"tensors of this shape"`
	Buffer bool        `json:"buffer" doc:"stored, but no parameter"`
}

// TypeOf is the data of a layer type. The error says that an example cannot be
// read, which is a mistake in the declaration.
func TypeOf(t *layer.Type) (Type, error) {
	d := Type{
		Name: t.Name, Display: t.Display, Also: t.Also, Family: t.Part, Summary: t.Doc.Summary, Operands: operands(t),
		Shape: t.Doc.Shape, Tensors: t.Doc.Weights, Work: t.Doc.Work, Source: t.Doc.Source,
		Parameters: make([]Parameter, len(t.Fields)), Examples: make([]Example, len(t.Doc.Examples)),
	}
	for i, f := range t.Fields {
		d.Parameters[i] = Parameter{
			Name: f.Name, Aliases: f.Aliases, Kind: f.Kind, Required: f.Required, Default: f.Default,
			Unit: f.Unit, Enum: f.Enum, Min: f.Min, Max: f.Max, Below: f.Below, Doc: f.Doc,
		}
	}
	for i, e := range t.Doc.Examples {
		r, err := t.Try(e)
		if err != nil {
			return d, err
		}
		d.Examples[i] = example(e, r)
	}
	return d, nil
}

func example(e layer.Example, r *layer.Result) Example {
	x := Example{Params: facts.Value(e.Params), In: e.In, Out: r.Out.Dims, Weights: make([]Weight, len(r.Weights))}
	for i, w := range r.Weights {
		x.Weights[i] = Weight{w.Name, w.Dims, max(w.Copies, 1), w.Buffer}
		if w.Stacked {
			x.Weights[i].Copies = 1
		}
	}
	if r.Counted {
		x.Parameters = &r.Params
	}
	if r.Worked {
		if x.MACs = r.Work.Full; x.MACs == nil {
			x.MACs = new(big.Int)
		}
	}
	for _, p := range r.Problems {
		x.Problems = append(x.Problems, p.Message)
	}
	return x
}

// operands says how many inputs a type takes.
func operands(t *layer.Type) string {
	p := t.Ports
	switch {
	case t.Side:
		return "none; it is a side input of attention and has no tensor of its own"
	case p.Min == 0 && p.Max == 0:
		return "none"
	case p.Min == 0 && p.Max == 1:
		return "one, or none"
	case p.Max == 1:
		return "one; several are joined on the feature axis, which is reported"
	case p.Context && p.Min == 2:
		return "two: what asks, and the context"
	case p.Min == p.Max:
		return fmt.Sprint(p.Min)
	case p.Max == 0:
		return fmt.Sprintf("%d or more", p.Min)
	}
	return fmt.Sprintf("%d to %d", p.Min, p.Max)
}

// Values says what a parameter may be: its kind or its words, and its range.
func (p *Parameter) Values() string {
	s := string(p.Kind)
	if len(p.Enum) > 0 {
		s = strings.Join(p.Enum, ", ")
	}
	switch {
	case p.Min != nil && p.Max != nil:
		return s + fmt.Sprintf(", %v to %v", *p.Min, *p.Max)
	case p.Min != nil && p.Below != nil:
		return s + fmt.Sprintf(", from %v to below %v", *p.Min, *p.Below)
	case p.Min != nil:
		return s + fmt.Sprintf(", at least %v", *p.Min)
	case p.Max != nil:
		return s + fmt.Sprintf(", at most %v", *p.Max)
	case p.Below != nil:
		return s + fmt.Sprintf(", below %v", *p.Below)
	}
	return s
}
