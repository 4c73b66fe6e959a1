package layer

import (
	"fmt"

	"github.com/strata-catalog/strata/generator/graph"
	"github.com/strata-catalog/strata/generator/shape"
)

// Try analyses an example of the type. The error says that its parameters are
// no JSON object, which is a mistake in the declaration.
func (t *Type) Try(e Example) (*Result, error) {
	params, err := e.params()
	if err != nil {
		return nil, fmt.Errorf("layer %s: example %s: %w", t.Name, e.Params, err)
	}
	in := make([]shape.Tensor, len(e.In))
	straight := make([]bool, len(e.In))
	for i, dims := range e.In {
		in[i], straight[i] = e.operand(dims), e.IDs
	}
	return Analyse(t, params, in, straight), nil
}

// operand is one operand of the example, with its axes decided as it says.
func (e Example) operand(dims shape.Shape) shape.Tensor {
	x := shape.Last(dims, shape.Undecided)
	x.IDs = e.IDs
	switch {
	case e.Channels && len(dims) >= 3:
		x.Feature, x.Batch = 1, shape.Batched
	case e.Channels:
		x.Feature, x.Batch = 0, shape.Unbatched
	}
	return x
}

// params are the parameters, read as those of a component.
func (e Example) params() ([]graph.Param, error) {
	doc, err := graph.Decode("example", []byte(`{"components": [{"id": "example", "type": "example", "params": `+e.Params+`}]}`))
	if err != nil {
		return nil, err
	}
	return doc.Components[0].Params, nil
}
