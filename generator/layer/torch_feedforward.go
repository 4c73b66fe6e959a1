package layer

import (
	"fmt"
	"strings"
)

// activationCalls writes the activations that feed-forward networks name, over
// $x. The names are those of Hugging Face's configurations.
var activationCalls = map[string]string{
	"gelu":              "F.gelu($x)",
	"gelu_new":          "F.gelu($x, approximate=\"tanh\")",
	"gelu_pytorch_tanh": "F.gelu($x, approximate=\"tanh\")",
	"relu":              "F.relu($x)",
	"relu2":             "F.relu($x).square()",
	"relu6":             "F.relu6($x)",
	"leaky_relu":        "F.leaky_relu($x)",
	"elu":               "F.elu($x)",
	"selu":              "F.selu($x)",
	"silu":              "F.silu($x)",
	"swish":             "F.silu($x)",
	"mish":              "F.mish($x)",
	"tanh":              "torch.tanh($x)",
	"sigmoid":           "torch.sigmoid($x)",
	"linear":            "$x",
}

// activated writes the activation of h.
func activated(activation, h string) string {
	return strings.ReplaceAll(activationCalls[activation], "$x", h)
}

// network is a feed-forward network, alone or as one expert.
type network struct {
	s                  Stored
	prefix             string // path of its modules, "" for none
	gated, fused, bias bool
	gateLast           bool
	activation         string
	dropout            float64
	name, doc          string
}

// class is the helper of the network, with the arguments dim and hidden_dim.
func (n network) class() (Class, error) {
	d := &draft{}
	d.name, d.doc = n.name, docstring(n.doc)
	d.signature = []string{"dim: int", "hidden_dim: int"}
	var gate, up *piece
	if n.gated && n.fused {
		up = n.linear(d, "gate_up", "2 * hidden_dim", "dim")
	} else {
		if n.gated {
			gate = n.linear(d, "gate", "hidden_dim", "dim")
		}
		up = n.linear(d, "up", "hidden_dim", "dim")
	}
	down := n.linear(d, "down", "dim", "hidden_dim")
	if err := d.place(); err != nil {
		return Class{}, err
	}
	h := up.of("x")
	switch {
	case gate != nil:
		h = activated(n.activation, gate.of("x")) + " * " + up.operand("x")
	case n.gated:
		halves := "gate, up"
		if n.gateLast {
			halves = "up, gate"
		}
		d.step(halves + " = " + up.operand("x") + ".chunk(2, dim=-1)")
		h = activated(n.activation, "gate") + " * up"
	case n.activation == "quick_gelu":
		d.step("h = " + h)
		h = "h * torch.sigmoid(1.702 * h)"
	default:
		h = activated(n.activation, h)
	}
	d.step("h = " + h + "  # [..., hidden_dim]")
	if n.dropout > 0 {
		d.set("dropout", pyCall("nn.Dropout", pyFloat(n.dropout)))
		d.step("h = self.dropout(h)")
	}
	d.step("return " + down.of("h"))
	return d.complete()
}

// linear declares the projection of a role below the prefix.
func (n network) linear(d *draft, role, out, in string) *piece {
	p := d.linear(n.s, role, out, in, n.bias)
	if n.prefix != "" {
		for _, i := range p.slots {
			d.slots[i].path = n.prefix + "." + d.slots[i].path
		}
	}
	return p
}

// torch is the network as a layer.
func (n network) torch(c *TorchCall, dim, hidden int64) (Torch, error) {
	if w := c.In[0].Width(); w != dim {
		return Torch{}, fmt.Errorf("its input is %d wide, but is projected from a width of %d", w, dim)
	}
	class, err := n.class()
	if err != nil {
		return Torch{}, err
	}
	call := onLast(c.In[0], "$m($x)")
	if call == "$m($0)" {
		call = ""
	}
	return Torch{Module: pyCall("$Class", py(dim), py(hidden)), Class: class, Call: call}, nil
}

func (l *feedForward) Torch(c *TorchCall) (Torch, error) {
	n := network{
		s: l.Stored, bias: l.Bias, activation: l.Activation, dropout: l.Dropout,
		name: "FeedForward", doc: "Two linear layers with an activation between them",
	}
	return n.torch(c, l.EmbedDim, l.FFDim)
}

func (l *swiglu) Torch(c *TorchCall) (Torch, error) {
	return l.network("silu", "SwiGLU", "A feed-forward network with a SiLU gate").torch(c, l.EmbedDim, l.IntermediateSize)
}

func (l *geglu) Torch(c *TorchCall) (Torch, error) {
	activation := "gelu"
	if l.Approximate == "tanh" {
		activation = "gelu_pytorch_tanh"
	}
	return l.network(activation, "GEGLU", "A feed-forward network with a GELU gate").torch(c, l.EmbedDim, l.IntermediateSize)
}

// network is the network of the layer with an activation.
func (l *gated) network(activation, name, doc string) network {
	return network{s: l.Stored, gated: true, fused: l.fused(), gateLast: l.Layout == "fusedGateLast", bias: l.Bias, activation: activation, name: name, doc: doc}
}
