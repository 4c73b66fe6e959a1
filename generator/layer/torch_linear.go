package layer

// conv1D is the class of a transposed linear layer.
func conv1D(bias bool) Class {
	h := helper{
		name:   "Conv1D",
		doc:    "A linear layer whose matrix is stored [in, out], as in GPT-2.",
		params: "in_features: int, out_features: int",
		init:   []string{"self.weight = nn.Parameter(torch.randn(in_features, out_features) * 0.02)"},
		body:   []string{"return x @ self.weight"},
	}
	if bias {
		h.init = append(h.init, "self.bias = nn.Parameter(torch.zeros(out_features))")
		h.body = []string{"return x @ self.weight + self.bias"}
	}
	return h.class()
}

// linearTorch is nn.Linear, or GPT-2's Conv1D where it is transposed.
func linearTorch(c *TorchCall, s Stored, out, in int64, bias bool) (Torch, error) {
	m := standard{
		module: pyCall("nn.Linear", py(in), py(out), option("bias", bias, true)),
		own:    []string{"weight", "bias"},
		w:      linearWeights(s, out, in, bias),
		apply:  "F.linear($x, $weight)",
		name:   "Linear",
		doc:    "A linear layer whose tensors have the checkpoint's names.",
	}
	if bias {
		m.apply = "F.linear($x, $weight, $bias)"
	}
	if s.Transposed {
		m.module, m.class = pyCall("$Class", py(in), py(out)), conv1D(bias)
		m.name, m.doc = "Conv1D", "A linear layer stored [in, out] under the checkpoint's names."
		m.apply = "$x @ $weight"
		if bias {
			m.apply = "$x @ $weight + $bias"
		}
	}
	return m.torch(func(step string) string { return onLast(c.Out, step) })
}

func (l *linear) Torch(c *TorchCall) (Torch, error) {
	return linearTorch(c, l.Stored, l.OutFeatures, l.InFeatures, l.Bias)
}

func (l *projection) Torch(c *TorchCall) (Torch, error) {
	return linearTorch(c, l.Stored, l.OutDim, l.InDim, l.Bias)
}
