package layer

import "github.com/strata-catalog/strata/generator/shape"

// A Torch is how one use of a layer is written in PyTorch.
type Torch struct {
	// Module is the expression that makes the module: nn.Linear(3072, 64).
	// Empty: the layer is a function of its operands alone.
	Module string
	// Class is the helper class that Module names as $Class, zero for none.
	Class Class
	// Call is the expression of one step of forward, over $0, $1 … (the
	// operands), $* (all of them, separated by commas) and $m (the module).
	// Empty: $m($*).
	Call string
	// Inputs are tensors that the call takes by their names, beside what the
	// graph has: the edges between the nodes of a graph network.
	Inputs []Input
}

// An Input is a tensor of ids that the exported model takes as one more
// argument, because no component stands for it.
type Input struct {
	Name string
	Dims shape.Shape // in a forward pass that only tries the model
	Doc  string      // what it is, for the docstring
}

// A Class is a class that the exported file needs, written once for all layers
// that need the same text. $Class stands for its name in the text.
type Class struct {
	Name string // as it should be called; a number is put behind it when two differ
	// Text is from "class $Class(nn.Module):" on. A line that is longer than 88
	// characters is wrapped as the formatters wrap it.
	Text string
	// Needs are the classes that the text uses, each as $ and its Name.
	Needs []Class
}

// A TorchCall is the use of a layer that is to be written.
type TorchCall struct {
	In   []shape.Tensor // operands, as Infer had them: $0, $1 …
	Out  shape.Tensor
	Side []Layer // configured side inputs: rope, alibi
	// Masks are attention masks; they stand behind the operands: $1 of a layer
	// with one operand.
	Masks []shape.Tensor
	// Joined says that the one operand is joined from several on the feature
	// axis; the exported code does so before.
	Joined bool
	// Type is the name that the graph uses. Some types share one Layer.
	Type string
	// Tokens says that the operand holds ids that another layer looks up too.
	Tokens bool
}

// An Exporter is a layer that can be written in PyTorch. The error says why
// this use of it cannot.
type Exporter interface {
	Torch(c *TorchCall) (Torch, error)
}
