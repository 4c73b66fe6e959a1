package cost

import (
	"testing"

	"github.com/strata-catalog/strata/generator/internal/testfiles"
)

// Published cache sizes, and their arithmetic: layers × elements × bytes.
func TestCache(t *testing.T) {
	mla := `"type": "mla", "params": {"numHeads": 128, "qLatentDim": 1536, "kvLatentDim": 512, "ropeHeadDim": 64}`
	for _, test := range []struct {
		name            string
		src             string
		context, batch  int64
		dtype           DType
		token           string
		least, reserved string
	}{
		{
			"MHA, 7B: 2·L·kv·d·bytes", decoder("[1, 2048]", 32000, 4096, stack{32, gqa(4096, 32, 32, 128, 0)}),
			0, 1, BF16, "524,288", "1,073,741,824", "1,073,741,824",
		},
		{
			"head dim of its own: 5120 wide, 64 heads of 128", decoder("[1, 1]", 32000, 5120, stack{64, gqa(5120, 64, 8, 128, 0)}),
			0, 1, BF16, "262,144", "262,144", "4,194,304",
		},
		{
			"gpt-oss-120b, one token: 36 · 2·8·64 · 2, windowed layers too", decoder("[1, 1]", 201088, 2880,
				stack{18, gqa(2880, 64, 8, 64, 128)}, stack{18, gqa(2880, 64, 8, 64, 0)}),
			1, 1, BF16, "73,728", "73,728", "1,179,648",
		},
		{
			"Gemma, 50 sliding and 10 global layers, one token: 60 · 2·16·256 · 2", decoder("[1, 1]", 262144, 5376,
				stack{50, gqa(5376, 32, 16, 256, 1024)}, stack{10, gqa(5376, 32, 16, 256, 0)}),
			1, 1, BF16, "983,040", "983,040", "15,728,640",
		},
		{
			"Gemma 3 1B at 32,768: 22 layers capped at 512, 4 global: 11 + 128 MiB of 832", decoder("[1, 32768]", 262144, 1152,
				stack{22, gqa(1152, 4, 1, 256, 512)}, stack{4, gqa(1152, 4, 1, 256, 0)}),
			0, 1, BF16, "26,624", "145,752,064", "872,415,232",
		},
		{
			"Mistral 7B at 131,072: a window of 4,096, which most engines ignore", decoder("[1, 32768]", 32000, 4096, stack{32, gqa(4096, 32, 8, 128, 4096)}),
			131072, 1, BF16, "131,072", "536,870,912", "17,179,869,184",
		},
		{
			"DeepSeek-V3: 61 · (512 + 64) · 2", decoder("[1, 4096]", 129280, 7168, stack{61, mla}),
			1, 1, BF16, "70,272", "70,272", "1,124,352",
		},
		{
			"four sequences in int8", decoder("[1, 100]", 32000, 4096, stack{32, gqa(4096, 32, 8, 128, 0)}),
			0, 4, INT8, "65,536", "26,214,400", "29,360,128",
		},
		{
			"an odd number of 4-bit elements rounds up in each layer", decoder("[1, 1]", 10, 4,
				stack{2, `"type": "mla", "params": {"numHeads": 1, "kvLatentDim": 5, "ropeHeadDim": 2}`}),
			0, 1, INT4, "8", "8", "112",
		},
	} {
		p := plan(t, test.src, func(a *Assumptions) {
			a.Context, a.Batch, a.CacheDType = test.context, test.batch, test.dtype.Name
		})
		if p.Cache == nil {
			t.Errorf("%s: no cache", test.name)
			continue
		}
		equal(t, test.name+": bytes for each token", p.Cache.TokenBytes, test.token)
		equal(t, test.name+": least", p.Cache.LeastBytes, test.least)
		equal(t, test.name+": reserved", p.Cache.ReservedBytes, test.reserved)
		equal(t, test.name+": fixed", p.Cache.FixedBytes, "0")
	}
}

// selfAsThree draws self-attention with its operand three times.
const selfAsThree = `{"id": "three", "components": [
	{"id": "ids", "type": "input", "params": {"shape": [1, 40]}},
	{"id": "embed", "type": "embedding", "params": {"numEmbeddings": 50, "embeddingDim": 8}, "inputs": ["ids"]},
	{"id": "attn", "type": "multiHeadAttention", "params": {"numHeads": 2, "causal": true}, "inputs": ["embed", "embed", "embed"]},
	{"id": "out", "type": "output", "inputs": ["attn"]}]}`

// encoderDecoder attends from a target to a source.
const encoderDecoder = `{"id": "seq2seq", "components": [
	{"id": "source", "type": "input", "params": {"shape": [1, 100]}},
	{"id": "target", "type": "input", "params": {"shape": [1, 40]}},
	{"id": "embed_source", "type": "embedding", "params": {"numEmbeddings": 50, "embeddingDim": 8}, "inputs": ["source"]},
	{"id": "embed_target", "type": "embedding", "params": {"numEmbeddings": 50, "embeddingDim": 8}, "inputs": ["target"]},
	{"id": "encoder", "type": "multiHeadAttention", "params": {"numHeads": 2}, "inputs": ["embed_source"]},
	{"id": "decoder", "type": "multiHeadAttention", "params": {"numHeads": 2, "causal": true}, "inputs": ["embed_target"]},
	{"id": "cross", "type": "crossAttention", "params": {"numHeads": 2}, "inputs": ["decoder", "encoder"]},
	{"id": "decoder2", "type": "multiHeadAttention", "params": {"numHeads": 2, "causal": true}, "inputs": ["cross"]},
	{"id": "out", "type": "output", "inputs": ["decoder2"]}]}`

// tower is a causal language model behind an image tower, whose patches are
// gathered by a set of learned queries.
const tower = `{"id": "tower", "components": [
	{"id": "image", "type": "input", "params": {"shape": [1, 3, 32, 32]}},
	{"id": "patches", "type": "patchEmbed", "params": {"patchSize": 8, "embedDim": 8}, "inputs": ["image"]},
	{"id": "queries", "type": "parameter", "params": {"shape": [1, 4, 8]}},
	{"id": "resampler", "type": "crossAttention", "params": {"numHeads": 2}, "inputs": ["queries", "patches"]},
	{"id": "ids", "type": "input", "params": {"shape": [1, 12]}},
	{"id": "embed", "type": "embedding", "params": {"numEmbeddings": 50, "embeddingDim": 8}, "inputs": ["ids"]},
	{"id": "sequence", "type": "concatenate", "params": {"dim": 1}, "inputs": ["resampler", "embed"]},
	{"id": "decoder", "type": "causalAttention", "params": {"numHeads": 2}, "inputs": ["sequence"]},
	{"id": "out", "type": "output", "inputs": ["decoder"]}]}`

// What is constant, and what is no cache at all.
func TestFixedState(t *testing.T) {
	for _, test := range []struct {
		name         string
		src          string
		context      int64 // that the plan assumes
		token, fixed string
		least        string // of two sequences
	}{
		{"LSTM: hidden and cell state", decoder("[1, 30]", 50, 8, stack{1, `"type": "lstm", "params": {"hiddenSize": 16}`}), 30, "0", "64", "128"},
		{"Mamba: 2·8 inner features × (16 states + 4 taps) × 2 bytes", decoder("[1, 30]", 50, 8, stack{1, `"type": "mamba", "params": {}`}), 30, "0", "640", "1,280"},
		{"encoder and decoder: 100 tokens of the source, 2·8 elements each", encoderDecoder, 40, "64", "3,200", "11,520"},
		{"queries, keys and values of one tensor: 2·8 elements a token", selfAsThree, 40, "32", "0", "2,560"},
		{"image tower: 4 queries and 12 tokens are one sequence", tower, 16, "32", "0", "1,024"},
	} {
		p := plan(t, test.src, func(a *Assumptions) { a.Batch = 2 })
		if p.Cache == nil {
			t.Errorf("%s: no cache", test.name)
			continue
		}
		equal(t, test.name+": bytes for each token", p.Cache.TokenBytes, test.token)
		equal(t, test.name+": least", p.Cache.LeastBytes, test.least)
		equal(t, test.name+": fixed", p.Cache.FixedBytes, test.fixed)
		if p.Cache.Context != test.context {
			t.Errorf("%s: context %d, want %d", test.name, p.Cache.Context, test.context)
		}
	}
	for name, layer := range map[string]string{
		"encoder":          `"type": "multiHeadAttention", "params": {"numHeads": 2}`,
		"encoder, grouped": `"type": "groupedQueryAttention", "params": {"numHeads": 2, "causal": false}`,
		"feed-forward":     `"type": "feedForward", "params": {}`,
	} {
		p := plan(t, decoder("[1, 30]", 50, 8, stack{2, layer}))
		if p.Cache != nil || p.Caches != nil {
			t.Errorf("%s: keeps %v a token, want no cache", name, p.Cache.TokenBytes)
		}
	}
}

// Graphs in which a layer cannot be resolved have a cache all the same, of the
// layers that can.
func TestDrawnGraphs(t *testing.T) {
	files := testfiles.Shared(t, "zoo/deepseek-v3/model.json")
	p, err := New(model(t, files[0], testfiles.Read(t, files[0])), Default())
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "as drawn, with 128 heads of 56 in 61 layers, a token", p.Cache.TokenBytes, "1,748,992")
}

func TestCacheAt(t *testing.T) {
	p := plan(t, decoder("[1, 64]", 50, 8, stack{3, gqa(8, 2, 1, 4, 16)}))
	for _, test := range []struct {
		dtype           DType
		batch, context  int64
		least, reserved string
	}{
		// 3 layers × 2·1·4 elements × min(context, 16) × bytes
		{BF16, 1, 8, "384", "768"},
		{BF16, 1, 16, "768", "768"},
		{BF16, 1, 1000, "768", "48,384"},
		{BF16, 3, 1000, "2,304", "145,152"},
		{FP32, 1, 8, "768", "1,536"},
		{INT8, 1, 8, "192", "384"},
		{INT4, 1, 8, "96", "192"},
	} {
		c, err := p.CacheAt(test.dtype, test.batch, test.context)
		if err != nil {
			t.Fatal(err)
		}
		equal(t, test.dtype.Name+" least", c.LeastBytes, test.least)
		equal(t, test.dtype.Name+" reserved", c.ReservedBytes, test.reserved)
	}
	if _, err := p.CacheAt(BF16, 0, 8); err == nil {
		t.Error("a batch of 0 is accepted")
	}
}
