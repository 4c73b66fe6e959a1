package cost

import (
	"strings"
	"testing"
)

func TestUnits(t *testing.T) {
	text := `"id": "embed", "type": "embedding", "params": {"numEmbeddings": 9, "embeddingDim": 8}, "inputs": ["in"]`
	mix := `"id": "mix", "type": "multiHeadAttention", "params": {"numHeads": 2}, "inputs": ["embed"]`
	table := `"id": "fc", "type": "linear", "params": {"outFeatures": 3}, "inputs": ["embed"]`
	conv := `"id": "conv", "type": "conv2d", "params": {"outChannels": 4, "kernelSize": 3}, "inputs": ["in"]`
	label := `"id": "label", "type": "input", "params": {"shape": [1, 2]}`
	condition := `"id": "embed", "type": "embedding", "params": {"numEmbeddings": 9, "embeddingDim": 8}, "inputs": ["label"]`
	for _, test := range []struct {
		name, src string
		want      Units
	}{
		{"decoder", decoder("[4, 20]", 9, 8, stack{1, gqa(8, 2, 1, 4, 0)}), Units{"token", 80, 4, 20}},
		{"decoder of one sequence without a batch axis", decoder("[20]", 9, 8, stack{1, gqa(8, 2, 1, 4, 0)}), Units{"token", 20, 1, 20}},
		{"encoder", flat("[2, 20]", text, mix), Units{"token", 40, 2, 20}},
		{"the decoder's sequence, not the encoder's longer one", encoderDecoder, Units{"token", 40, 1, 40}},
		{"a recurrent encoder is not what generates", flat("[1, 100, 8]", `"id": "encoder", "type": "lstm", "params": {"hiddenSize": 8}, "inputs": ["in"]`,
			`"id": "ids", "type": "input", "params": {"shape": [1, 20]}`,
			`"id": "embed", "type": "embedding", "params": {"numEmbeddings": 9, "embeddingDim": 8}, "inputs": ["ids"]`,
			`"id": "decoder", "type": "causalAttention", "params": {"numHeads": 2}, "inputs": ["embed"]`,
			`"id": "cross", "type": "crossAttention", "params": {"numHeads": 2}, "inputs": ["decoder", "encoder"]`), Units{"token", 20, 1, 20}},
		{"fields of a table, which nothing mixes", flat("[2, 20]", text, table), Units{"sample", 2, 2, 0}},
		{"image", flat("[2, 3, 8, 8]", conv), Units{"image", 2, 2, 0}},
		{"image without a batch axis", flat("[3, 8, 8]", conv), Units{"image", 1, 1, 0}},
		{"image with a condition that is embedded and mixed", flat("[1, 3, 8, 8]", conv, label, condition, mix), Units{"image", 1, 1, 0}},
		{"audio", strings.Replace(flat("[2, 3, 80]", conv), "conv2d", "conv1d", 1), Units{"sample", 2, 2, 0}},
		{"nothing known", flat("[2, 3]", `"id": "x", "type": "nobodyKnows", "inputs": ["in"]`), Units{"sample", 1, 1, 0}},
	} {
		if got := UnitsOf(model(t, test.name, test.src)); got != test.want {
			t.Errorf("%s: %+v, want %+v", test.name, got, test.want)
		}
	}
}
