package layer

import (
	"testing"

	"github.com/strata-catalog/strata/generator/shape"
)

// TestTorchParameters has how free tensors, and lengths, are written.
func TestTorchParameters(t *testing.T) {
	x := shape.Shape{3, 5, 8}
	for _, test := range []struct {
		typ string
		Example
		module, call string
	}{
		{"parameter", of(`{"shape": [1, 5, 8]}`, x), "nn.Parameter(torch.zeros(1, 5, 8))", "$0 + $m"},
		{"parameter", of(`{"shape": [8], "mode": "scale"}`, x), "nn.Parameter(torch.ones(8))", "$0 * $m"},
		{"parameter", of(`{"shape": [], "mode": "expScale"}`, x), "nn.Parameter(torch.zeros(()))", "$0 * $m.exp()"},
		{"parameter", of(`{"shape": [1, 1, 8], "mode": "concat"}`, x), "nn.Parameter(torch.zeros(1, 1, 8))", "torch.cat(($m.expand($0.shape[0], -1, -1), $0), dim=-2)"},
		{"parameter", of(`{"shape": [8], "mode": "concat"}`, x), "nn.Parameter(torch.zeros(8))", "torch.cat(($m[None, None].expand($0.shape[0], -1, -1), $0), dim=-2)"},
		{"parameter", of(`{"shape": [8], "mode": "concat"}`, shape.Shape{5, 8}), "nn.Parameter(torch.zeros(8))", "torch.cat(($m[None], $0), dim=-2)"},
		{"parameter", of(`{"shape": [8], "mode": "aside"}`, x), "nn.Parameter(torch.zeros(8))", "$0"},
		{"parameter", of(`{"shape": [8], "mode": "append"}`, x), "nn.Parameter(torch.zeros(8))", "torch.cat(($0, $m[None, None].expand($0.shape[0], -1, -1)), dim=-2)"},
		{"l2Norm", of(`{}`, x), "", "F.normalize($0, dim=-1)"},
		{"l2Norm", channels(`{"eps": 1e-6}`, shape.Shape{2, 8, 4, 4}), "", "F.normalize($0, dim=-3, eps=1e-6)"},
	} {
		r := use{typ: test.typ, Example: test.Example}.try(t)
		got, err := r.Layer.(Exporter).Torch(&TorchCall{In: r.In, Out: r.Out, Type: test.typ})
		if err != nil {
			t.Errorf("%s %s: %v", test.typ, test.Params, err)
			continue
		}
		if got.Module != test.module || got.Call != test.call {
			t.Errorf("%s %s: module %q and call %q, want %q and %q", test.typ, test.Params, got.Module, got.Call, test.module, test.call)
		}
	}
}
