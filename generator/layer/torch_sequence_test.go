package layer

import (
	"slices"
	"strings"
	"testing"

	"github.com/strata-catalog/strata/generator/graph"
	"github.com/strata-catalog/strata/generator/shape"

	"pgregory.net/rapid"
)

// A writing is one use of a layer over tokens, and what its PyTorch is.
type writing struct {
	name string
	typ  string
	Example
	x     shape.Tensor      // in place of the operands, where their axes matter
	sides map[string]string // parameters of the side inputs, by type
	masks []shape.Shape

	module string   // the expression, "" for any
	call   string   // the step; "-" for any
	has    []string // lines of the class
	hasNot []string // parts of lines that the class does not have
	err    string   // part of the refusal, "" for none
}

// torch asks the layer.
func (w writing) torch(t *testing.T) (Torch, error) {
	t.Helper()
	r := use{typ: w.typ, Example: w.Example}.try(t)
	if w.x.Known() {
		typ, _ := Lookup(w.typ)
		params, err := w.params()
		if err != nil {
			t.Fatal(err)
		}
		r = Analyse(typ, params, []shape.Tensor{w.x}, []bool{false})
	}
	c := &TorchCall{In: r.In, Out: r.Out, Type: w.typ}
	for _, name := range []string{"rope", "alibi"} {
		params, ok := w.sides[name]
		if !ok {
			continue
		}
		c.Side = append(c.Side, use{typ: name, Example: of(params)}.try(t).Layer)
	}
	for _, dims := range w.masks {
		c.Masks = append(c.Masks, shape.Last(dims, shape.Undecided))
	}
	return r.Layer.(Exporter).Torch(c)
}

func checkWritings(t *testing.T, list []writing) {
	t.Helper()
	for _, w := range list {
		t.Run(w.name, func(t *testing.T) {
			got, err := w.torch(t)
			switch {
			case w.err == "" && err != nil:
				t.Fatalf("refused: %v", err)
			case w.err != "" && err == nil:
				t.Fatalf("written as %s, want the refusal %q", got.Module, w.err)
			case w.err != "":
				if !strings.Contains(err.Error(), w.err) {
					t.Fatalf("refused: %v, want %q", err, w.err)
				}
				return
			}
			if w.module != "" && got.Module != w.module {
				t.Errorf("module %s, want %s", got.Module, w.module)
			}
			if w.call != "-" && got.Call != w.call {
				t.Errorf("call %q, want %q", got.Call, w.call)
			}
			lines := strings.Split(got.Class.Text, "\n")
			for i, line := range lines {
				lines[i] = strings.TrimSpace(line)
			}
			for _, line := range w.has {
				if !slices.Contains(lines, line) {
					t.Errorf("no line %q in\n%s", line, got.Class.Text)
				}
			}
			for _, part := range w.hasNot {
				if strings.Contains(got.Class.Text, part) {
					t.Errorf("%q stands in\n%s", part, got.Class.Text)
				}
			}
		})
	}
}

var tokens32 = shape.Shape{2, 12, 32}

// channelsFirst is [2, 32, 6, 8] with its features on axis 1.
func channelsFirst(dims ...int64) shape.Tensor {
	return shape.Tensor{Dims: dims, Feature: 1, Batch: shape.Batched}
}

// TestTorchTokens has rows about how operands become sequences and back.
func TestTorchTokens(t *testing.T) {
	const heads = `{"numHeads": 4}`
	checkWritings(t, []writing{
		{name: "batch", typ: "selfAttention", Example: of(heads, tokens32), module: "$Class(32, num_heads=4, head_dim=8)"},
		{name: "no batch", typ: "selfAttention", Example: of(heads, shape.Shape{12, 32})},
		{name: "image", typ: "selfAttention", Example: of(heads, shape.Shape{2, 6, 8, 32}), call: "$m($0.flatten(1, 2)).unflatten(1, (6, 8))"},
		{name: "channels first", typ: "selfAttention", Example: of(heads), x: channelsFirst(2, 32, 6, 8),
			call: "$m($0.flatten(2).transpose(1, 2)).transpose(1, 2).unflatten(2, (6, 8))"},
		{name: "channels first, one axis", typ: "swiglu", Example: of(`{"intermediateSize": 8}`), x: channelsFirst(2, 32, 6),
			call: "$m($0.movedim(1, -1)).movedim(-1, 1)"},
		{name: "channels first without a batch", typ: "mamba", Example: of(`{}`), x: shape.Tensor{Dims: shape.Shape{32, 6, 8}, Batch: shape.Unbatched},
			call: "$m($0.flatten(1).transpose(0, 1)).transpose(0, 1).unflatten(1, (6, 8))"},
		{name: "channels in the middle", typ: "selfAttention", Example: of(heads), x: shape.Tensor{Dims: shape.Shape{2, 6, 32, 8}, Feature: 2, Batch: shape.Batched},
			call: "$m($0.movedim(2, -1).flatten(1, 2)).unflatten(1, (6, 8)).movedim(-1, 2)"},
		{name: "one vector for each sample", typ: "gru", Example: of(`{"hiddenSize": 5}`), x: shape.Last(shape.Shape{2, 32}, shape.Batched),
			call: "$m($0.unsqueeze(-2))[0].squeeze(-2)"},
		{name: "features on the batch axis", typ: "selfAttention", Example: of(heads), x: shape.Tensor{Dims: shape.Shape{32, 6, 8}, Batch: shape.Batched},
			err: "the features of [32, 6, 8] are on its batch axis"},
		{name: "context of one sample", typ: "crossAttention", Example: of(heads, tokens32, shape.Shape{1, 7, 32}), call: "$m($0, $1.expand($0.shape[0], -1, -1))"},
		{name: "context without a batch", typ: "crossAttention", Example: of(heads, tokens32, shape.Shape{7, 32}), call: "$m($0, $1.expand($0.shape[0], -1, -1))"},
		{name: "learned queries", typ: "crossAttention", Example: of(heads, shape.Shape{12, 32}, shape.Shape{1, 7, 32}), call: "$m($0, $1.squeeze(0))"},
		{name: "contexts of another batch", typ: "crossAttention", Example: of(heads, tokens32, shape.Shape{3, 7, 32}), err: "the batches differ"},
		{name: "keys and values apart", typ: "multiHeadAttention", Example: of(heads, tokens32, shape.Shape{2, 7, 32}, shape.Shape{2, 7, 32}), call: "$m($0, $1, $2)",
			has: []string{"k = self.k_proj(context)", "v = self.v_proj(values)"}},
	})
}

// TestTorchMasks has rows about which scores a mask is added to.
func TestTorchMasks(t *testing.T) {
	mask := func(name, call string, dims ...int64) writing {
		return writing{name: name, typ: "multiHeadAttention", Example: of(`{"numHeads": 4}`, tokens32), masks: []shape.Shape{dims},
			call: call, has: []string{"y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)"}}
	}
	refused := func(name, err string, dims ...shape.Shape) writing {
		return writing{name: name, typ: "multiHeadAttention", Example: of(`{"numHeads": 4}`, tokens32), masks: dims, err: err}
	}
	checkWritings(t, []writing{
		mask("keys", "$m($0, $1[None])", 12),
		mask("queries and keys", "$m($0, $1)", 12, 12),
		mask("samples and keys", "$m($0, $1[:, None, None])", 2, 12),
		mask("samples, queries and keys", "$m($0, $1[:, None])", 2, 12, 12),
		mask("all", "$m($0, $1)", 2, 4, 12, 12),
		refused("other keys", "an attention mask of [12, 13] does not fit scores of [2, 4, 12, 12]", shape.Shape{12, 13}),
		refused("other heads", "does not fit", shape.Shape{2, 3, 12, 12}),
		refused("two", "it has 2 attention masks", shape.Shape{12, 12}, shape.Shape{12, 12}),
		{name: "causal too", typ: "causalAttention", Example: of(`{"numHeads": 4}`, tokens32), masks: []shape.Shape{{12, 12}}, call: "-",
			has: []string{"keep = back >= 0", `bias = mask.masked_fill(~keep, float("-inf"))`, "y = F.scaled_dot_product_attention(q, k, v, attn_mask=bias)"}},
		{name: "block, padding", typ: "transformerBlock", Example: of(`{"numHeads": 4, "causal": true}`, tokens32), masks: []shape.Shape{{2, 12}},
			call: "$m($0, src_mask=nn.Transformer.generate_square_subsequent_mask(12, device=$0.device), src_key_padding_mask=$1, is_causal=True)"},
		{name: "block, both", typ: "transformerBlock", Example: of(`{"numHeads": 4, "causal": true, "numLayers": 2}`, tokens32), masks: []shape.Shape{{12, 12}},
			call: "$m($0, mask=nn.Transformer.generate_square_subsequent_mask(12, device=$0.device) + $1, is_causal=False)"},
		{name: "block, neither", typ: "transformerBlock", Example: of(`{"numHeads": 4}`, tokens32), masks: []shape.Shape{{13, 12}}, err: "neither one of [tokens, tokens]"},
	})
}

// TestTorchAttention has rows about what the heads do.
func TestTorchAttention(t *testing.T) {
	grouped := func(name, params string, w writing) writing {
		w.name, w.typ, w.Example = name, "groupedQueryAttention", of(params, tokens32)
		return w
	}
	rope, alibi := map[string]string{"rope": `{"dim": 8}`}, map[string]string{"alibi": `{"numHeads": 4}`}
	checkWritings(t, []writing{
		grouped("causal", `{"numHeads": 4, "numKVHeads": 2}`, writing{
			module: "$Class(32, num_heads=4, num_kv_heads=2, head_dim=8)",
			has:    []string{"y = F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)"}, hasNot: []string{"rotary", "keep"}}),
		grouped("one head for all", `{"numHeads": 4, "numKVHeads": 1, "causal": false, "scale": 0.5, "dropout": 0.1}`, writing{
			has: []string{"y = F.scaled_dot_product_attention(q, k, v, dropout_p=self.dropout if self.training else 0.0, scale=self.scale, enable_gqa=True)"}}),
		grouped("window", `{"numHeads": 4, "slidingWindow": 3}`, writing{
			has: []string{"keep = (back >= 0) & (back < self.window)", "y = F.scaled_dot_product_attention(q, k, v, attn_mask=keep)"}}),
		grouped("window on both sides", `{"numHeads": 4, "slidingWindow": 3, "causal": false}`, writing{
			has: []string{"keep = back.abs() <= self.window // 2"}}),
		grouped("clipped", `{"numHeads": 4, "numKVHeads": 2, "clipQKV": 8, "qkNorm": "full"}`, writing{
			has: []string{"q, k = self.q_norm(q), self.k_norm(k)", "q, k, v = (h.clamp(-self.clip, self.clip) for h in (q, k, v))"},
		}),
		grouped("chunks", `{"numHeads": 4, "chunkSize": 3}`, writing{
			has: []string{"keep = (back >= 0) & (position[:, None] // self.chunk == position // self.chunk)"}}),
		grouped("a prefix", `{"numHeads": 4, "prefix": 3}`, writing{
			has: []string{"keep = (back >= 0) | (torch.maximum(position[:, None], position) < self.prefix)"}}),
		grouped("a prefix and a window", `{"numHeads": 4, "prefix": 3, "slidingWindow": 4}`, writing{
			has: []string{"keep = ((back >= 0) | (torch.maximum(position[:, None], position) < self.prefix)) & (back < self.window)"}}),
		grouped("growing queries", `{"numHeads": 4, "queryGrowth": 0.1, "queryGrowthEvery": 4}`, writing{
			module: "$Class(32, num_heads=4, head_dim=8, growth=0.1, step=4)",
			has:    []string{"growth = 1 + self.growth * torch.log1p(place // self.step)", "q = q * growth[:, None].to(q.dtype)"}}),
		grouped("growing queries without a step", `{"numHeads": 4, "queryGrowth": 0.1}`, writing{err: "queryGrowthEvery is missing"}),
		grouped("norms without a factor", `{"numHeads": 4, "qkNorm": "head", "qkNormAffine": false}`, writing{
			has: []string{"q, k = F.rms_norm(q, q.shape[-1:], eps=1e-6), F.rms_norm(k, k.shape[-1:], eps=1e-6)"}, hasNot: []string{"q_norm"}}),
		grouped("rotary of a grid", `{"numHeads": 4}`, writing{sides: map[string]string{"rope": `{"dim": 8, "grid": [3, 4]}`},
			has: []string{"self.rotary = $Rotary(head_dim, theta, rows=3, columns=4)"}}),
		grouped("rotary of a grid from 1", `{"numHeads": 4}`, writing{sides: map[string]string{"rope": `{"dim": 8, "grid": [3, 4], "columnsFirst": true, "firstCell": 1}`},
			has: []string{"self.rotary = $Rotary(head_dim, theta, rows=3, columns=4, first=1)"}}),
		grouped("rotary of one axis", `{"numHeads": 4}`, writing{sides: map[string]string{"rope": `{"dim": 8, "grid": [3]}`}, err: "a grid of 1 numbers"}),
		grouped("rotary of a grid in odd parts", `{"numHeads": 4}`, writing{sides: map[string]string{"rope": `{"dim": 6, "grid": [3, 4]}`}, err: "each turns features in pairs"}),
		grouped("rotary of a grid, stretched", `{"numHeads": 4}`, writing{sides: map[string]string{"rope": `{"dim": 8, "grid": [3, 4], "scaling": "linear", "factor": 2}`}, err: "whose angles are not stretched"}),
		grouped("soft cap and sinks", `{"numHeads": 4, "numKVHeads": 2, "softcap": 30, "sinks": true}`, writing{
			has: []string{
				"k = k.repeat_interleave(q.shape[-3] // k.shape[-3], dim=-3)",
				"scores = self.softcap * torch.tanh(scores / self.softcap)",
				`scores = scores.masked_fill(~keep, float("-inf"))`,
				"weights = torch.cat((scores, sinks), dim=-1).softmax(dim=-1)[..., :-1]",
			}, hasNot: []string{"scaled_dot_product"}}),
		grouped("rotary", `{"numHeads": 4}`, writing{sides: rope,
			module: "$Class(32, num_heads=4, head_dim=8, theta=10000.0)",
			has:    []string{"self.rotary = $Rotary(head_dim, theta)", "q, k = self.rotary(q), self.rotary(k)"}}),
		grouped("rotary of a part", `{"numHeads": 4}`, writing{sides: map[string]string{"rope": `{"dim": 8, "partialRotaryFactor": 0.5}`},
			module: "$Class(32, num_heads=4, head_dim=8, rotary_dim=4, theta=10000.0)",
			has:    []string{"self.rotary = $Rotary(rotary_dim, theta)"}}),
		grouped("rotary of more than a head", `{"numHeads": 4}`, writing{sides: map[string]string{"rope": `{"dim": 16}`}, err: "turns 16 features, but a head has 8"}),
		grouped("rotary of an odd part", `{"numHeads": 4}`, writing{sides: map[string]string{"rope": `{"dim": 8, "partialRotaryFactor": 0.4}`}, err: "features turn in pairs"}),
		grouped("longrope", `{"numHeads": 4}`, writing{
			sides:  map[string]string{"rope": `{"dim": 8, "scaling": "longrope", "factor": 4, "originalMaxSeqLen": 16, "shortFactors": [1, 1, 1, 1], "longFactors": [1, 1.5, 3, 4]}`},
			module: "$Class(32, num_heads=4, head_dim=8, theta=10000.0)",
			has:    []string{"self.rotary = $Rotary(head_dim, theta, original_len=16, long=[1.0, 1.5, 3.0, 4.0], short=[1.0, 1.0, 1.0, 1.0], gain=1.224744871391589)"}}),
		grouped("longrope without factors", `{"numHeads": 4}`, writing{sides: map[string]string{"rope": `{"dim": 8, "scaling": "longrope"}`}, err: "longFactors and shortFactors for each of 4 frequencies"}),
		grouped("longrope without a length", `{"numHeads": 4}`, writing{
			sides: map[string]string{"rope": `{"dim": 8, "scaling": "longrope", "shortFactors": [1, 1, 1, 1], "longFactors": [1, 1, 1, 1]}`}, err: "needs an originalMaxSeqLen above 1"}),
		grouped("llama3 without a length", `{"numHeads": 4}`, writing{sides: map[string]string{"rope": `{"dim": 8, "scaling": "llama3"}`}, err: "needs its originalMaxSeqLen"}),
		grouped("dynamic without a length", `{"numHeads": 4}`, writing{sides: map[string]string{"rope": `{"dim": 8, "scaling": "dynamic"}`}, err: "needs its maxSeqLen"}),
		grouped("alibi", `{"numHeads": 4}`, writing{sides: alibi,
			has: []string{"bias = self.alibi(back.abs()).to(q.dtype)", `bias = bias.masked_fill(~keep, float("-inf"))`}}),
		grouped("alibi of other heads", `{"numHeads": 8}`, writing{sides: alibi, err: "slopes for 4 heads, but there are 8"}),
		grouped("norms of the heads", `{"numHeads": 4, "qkNorm": "head"}`, writing{
			has: []string{"self.q_norm = nn.RMSNorm(head_dim, eps=1e-6)", "q, k = self.q_norm(q), self.k_norm(k)"}}),
		grouped("norms of all heads together", `{"numHeads": 4, "numKVHeads": 2, "qkNorm": "full", "qkNormBias": true}`, writing{
			has: []string{"self.k_norm = nn.LayerNorm(num_kv_heads * head_dim, eps=1e-6)"}}),
		grouped("fused", `{"numHeads": 4, "numKVHeads": 2, "layout": "fused"}`, writing{
			has: []string{"self.qkv_proj = nn.Linear(dim, (num_heads + 2 * num_kv_heads) * head_dim, bias=False)", "q, k, v = self.qkv_proj(x).split(self.sizes, dim=-1)"}}),
		grouped("interleaved", `{"numHeads": 4, "numKVHeads": 2, "layout": "interleaved"}`, writing{
			has: []string{"q, k, v = qkv.split((self.group, 1, 1), dim=-2)"}}),
		grouped("heads that do not share evenly", `{"numHeads": 4, "numKVHeads": 3}`, writing{err: "cannot share 3 heads"}),
		{name: "names below a module", typ: "multiHeadAttention", Example: of(`{"numHeads": 4, "names": {"q": "self.query", "k": "self.key", "v": "self.value", "o": "output.dense"}}`, tokens32),
			has: []string{`q = self.self["query"](x)  # [..., tokens, num_heads * head_dim]`, `return self.output["dense"](y)`}},
		{name: "tensors without a module", typ: "multiHeadAttention", Example: of(`{"numHeads": 4, "layout": "fused", "transposed": true, "names": {"qkv.weight": "w", "qkv.bias": "b"}}`, tokens32),
			has: []string{"q, k, v = (x @ self.w + self.b).chunk(3, dim=-1)"}},
		{name: "a name that the class needs itself", typ: "multiHeadAttention", Example: of(`{"numHeads": 4, "names": {"q": "head_dim"}}`, tokens32), err: "an attribute that the class has for itself"},
		{name: "no output projection", typ: "multiHeadAttention", Example: of(`{"numHeads": 4, "outProj": false}`, tokens32), hasNot: []string{"o_proj"}},
		{name: "keys without a bias", typ: "multiHeadAttention", Example: of(`{"numHeads": 4, "keyBias": false, "layout": "fused"}`, tokens32),
			has: []string{`q = q + self.q_proj["bias"]`, `v = v + self.v_proj["bias"]`}, hasNot: []string{"k = k + "}},
		{name: "one matrix for two operands", typ: "multiHeadAttention", Example: of(`{"numHeads": 4, "layout": "fused"}`, tokens32, shape.Shape{2, 7, 32}), call: "$m($0, $1)",
			has: []string{"wq, wk, wv = self.qkv_proj.weight.chunk(3)", "k = F.linear(context, wk, bk)"}},
		{name: "interleaved for two operands", typ: "multiHeadAttention", Example: of(`{"numHeads": 4, "layout": "interleaved"}`, tokens32, shape.Shape{2, 7, 32}), err: "come from different operands"},
		{name: "relative positions", typ: "multiHeadAttention", Example: of(`{"numHeads": 4, "relativeBuckets": 8, "scale": 1}`, tokens32),
			has: []string{"self.relative_attention_bias = nn.Embedding(num_buckets, num_heads)", "bias = self.relative_attention_bias(self.bucket(back)).movedim(-1, 0).to(q.dtype)"}},
		{name: "no context", typ: "crossAttention", Example: of(`{"numHeads": 4}`, tokens32), err: "no context"},
		{name: "windows", typ: "windowAttention", Example: of(`{"numHeads": 4, "windowSize": 4}`, shape.Shape{2, 9, 10, 32}), module: "$Class(32, num_heads=4, head_dim=8, window=(4, 4))"},
		{name: "shifted windows", typ: "windowAttention", Example: of(`{"numHeads": 4, "windowSize": 4, "shiftSize": 2}`, shape.Shape{2, 9, 10, 32}),
			has: []string{"x = x.roll((-down, -over), dims=(-3, -2))", "y = F.scaled_dot_product_attention(q, k, v, attn_mask=keep)"}},
		{name: "gates for channels", typ: "seBlock", Example: of(`{}`), x: channelsFirst(2, 32, 6, 8), has: []string{"gate = torch.sigmoid(self.fc2(F.relu(self.fc1(gate))))"}},
		{name: "gates of other functions", typ: "seBlock", Example: of(`{"activation": "silu", "gate": "hardsigmoid"}`), x: channelsFirst(2, 32, 6, 8), has: []string{"gate = F.hardsigmoid(self.fc2(F.silu(self.fc1(gate))))"}},
		{name: "windows with a network of positions", typ: "windowAttention", Example: of(`{"numHeads": 4, "windowSize": 4, "positionNetwork": 8, "relativeIndex": "flat"}`, shape.Shape{2, 8, 8, 32}),
			has: []string{`table = F.relu(self.cpb_mlp["0"](self.relative_coords_table))`, "bias = table[self.relative_position_index].unflatten(0, (q.shape[-2], -1)).movedim(-1, 0).to(q.dtype)"}, hasNot: []string{"F.normalize"}},
		{name: "windows compared by cosine", typ: "windowAttention", Example: of(`{"numHeads": 4, "windowSize": 4, "similarity": "cosine", "bias": true, "layout": "fused"}`, shape.Shape{2, 8, 8, 32}),
			has: []string{"k = k - self.qkv_proj.bias.chunk(3)[1].unflatten(0, (-1, 1, self.head_dim))", "y = F.scaled_dot_product_attention(q, k, v, scale=1.0)"}},
		{name: "cosine of keys without a bias", typ: "windowAttention", Example: of(`{"numHeads": 4, "windowSize": 4, "similarity": "cosine", "bias": true, "keyBias": false}`, shape.Shape{2, 8, 8, 32}),
			has: []string{"k = F.normalize(k, dim=-1)"}, hasNot: []string{"k = k - "}},
		{name: "cosine of interleaved keys", typ: "windowAttention", Example: of(`{"numHeads": 4, "windowSize": 4, "similarity": "cosine", "bias": true, "layout": "interleaved"}`, shape.Shape{2, 8, 8, 32}), err: "go without a bias"},
		{name: "windows of a volume", typ: "windowAttention", Example: of(`{"numHeads": 4, "windowSize": 2}`, shape.Shape{2, 4, 4, 4, 32}), err: "windows of one and of two"},
		{name: "shifted windows of a sequence", typ: "windowAttention", Example: of(`{"numHeads": 4, "windowSize": 4, "shiftSize": 2}`, tokens32), err: "not shifted"},
		{name: "windows with an index in one row", typ: "windowAttention", Example: of(`{"numHeads": 4, "windowSize": 4, "relativePositions": true, "relativeIndex": "flat"}`, shape.Shape{2, 9, 10, 32}),
			has: []string{`self.register_buffer("relative_position_index", index.flatten())`, "bias = self.relative_position_bias_table[self.relative_position_index].unflatten(0, (q.shape[-2], -1)).movedim(-1, 0).to(q.dtype)"}},
		{name: "windows without a stored index", typ: "windowAttention", Example: of(`{"numHeads": 4, "windowSize": 4, "relativePositions": true, "relativeIndex": "none"}`, shape.Shape{2, 9, 10, 32}),
			has: []string{`self.register_buffer("relative_position_index", index, persistent=False)`}},
		{name: "windows with a table for each axis", typ: "windowAttention", Example: of(`{"numHeads": 4, "windowSize": [4, 3], "decomposedPositions": true}`, shape.Shape{2, 9, 10, 32}),
			has: []string{"self.rel_pos_w = nn.Parameter(torch.zeros(2 * window[1] - 1, head_dim))", `vertical = torch.einsum("...hwc,hkc->...hwk", image, by_row)`, "bias = offsets.flatten(-2).flatten(-3, -2).to(q.dtype)"}},
		{name: "offsets of patches", typ: "selfAttention", Example: of(`{"numHeads": 4, "relativeGrid": [11, 1]}`, tokens32), module: "$Class(32, num_heads=4, head_dim=8, grid=(11, 1))",
			has: []string{"index[0], index[1:, 0], index[0, 0] = offsets, offsets + 1, offsets + 2", "bias = self.relative_position_bias_table[self.relative_position_index].movedim(-1, 0).to(q.dtype)"}},
		{name: "rotary windows", typ: "windowAttention", Example: of(`{"numHeads": 4, "windowSize": 4}`, tokens32), sides: rope, err: "not defined within windows"},
		{name: "sparse", typ: "nativeSparseAttention", Example: of(`{"numHeads": 4}`, tokens32), err: "not part of the graph"},
		{name: "latent", typ: "mla", Example: of(`{"numHeads": 4, "kvLatentDim": 12, "ropeHeadDim": 8}`, tokens32), call: "",
			module: "$Class(32, num_heads=4, latent_dim=12, nope_dim=128, rope_dim=8, v_dim=128, theta=10000.0)"},
		{name: "latent with alibi", typ: "mla", Example: of(`{"numHeads": 4, "kvLatentDim": 12, "ropeHeadDim": 8}`, tokens32), sides: alibi, err: "ALiBi is not defined"},
		{name: "blocks", typ: "transformerBlock", Example: of(`{"numHeads": 4, "numLayers": 2, "norm": "post", "activation": "gelu"}`, tokens32),
			module: `nn.TransformerEncoder(nn.TransformerEncoderLayer(32, 4, 128, dropout=0.0, activation="gelu", batch_first=True), 2, enable_nested_tensor=False)`},
		{name: "rotary block", typ: "transformerBlock", Example: of(`{"numHeads": 4}`, tokens32), sides: rope, err: "takes no rotary positions"},
	})
}

// TestTorchNetworks has rows about networks, experts and recurrent layers.
func TestTorchNetworks(t *testing.T) {
	checkWritings(t, []writing{
		{name: "network", typ: "feedForward", Example: of(`{"activation": "quick_gelu", "dropout": 0.1}`, tokens32), module: "$Class(32, 128)",
			has: []string{"h = self.up_proj(x)", "h = h * torch.sigmoid(1.702 * h)  # [..., hidden_dim]", "h = self.dropout(h)"}},
		{name: "network in one matrix", typ: "geglu", Example: of(`{"intermediateSize": 8, "layout": "fused", "approximate": "tanh"}`, tokens32),
			has: []string{"gate, up = self.gate_up_proj(x).chunk(2, dim=-1)", `h = F.gelu(gate, approximate="tanh") * up  # [..., hidden_dim]`}},
		{name: "network of another width", typ: "swiglu", Example: of(`{"embedDim": 16, "intermediateSize": 8}`, tokens32), err: "32 wide, but is projected from a width of 16"},
		{name: "experts", typ: "moeLayer", Example: of(`{"numExperts": 4, "expertDim": 8}`, tokens32), module: "$Class(32, num_experts=4, expert_dim=8, top_k=2)",
			has: []string{
				"self.experts = nn.ModuleList([$SwiGLU(dim, expert_dim) for _ in range(num_experts)])",
				"scores = self.gate(tokens).softmax(dim=-1)  # [tokens, num_experts]",
				"weight = weight / weight.sum(dim=-1, keepdim=True)",
			}},
		{name: "experts without a common measure", typ: "moeLayer", Example: of(`{"numExperts": 4, "expertDim": 8, "normTopK": false}`, tokens32), hasNot: []string{"weight.sum"}},
		{name: "experts of DeepSeek", typ: "sharedExpertMoE", Example: of(`{"numExperts": 8, "expertDim": 8, "scoring": "sigmoid", "scoreCorrection": true, "numGroups": 4, "topGroups": 2, "routedScale": 2.5}`, tokens32),
			has: []string{
				`choice = scores + self.gate["e_score_correction_bias"]`,
				"best = groups.topk(2, dim=-1).values.sum(dim=-1)  # [tokens, num_groups]",
				"weight = scores.gather(-1, expert)",
				"weight = weight * self.scale",
				"y = y + self.shared_experts(tokens)",
			}},
		{name: "experts of gpt-oss", typ: "moeLayer", Example: of(`{"numExperts": 4, "expertDim": 8, "layout": "stacked", "transposed": true, "bias": true, "activation": "swigluoai"}`, tokens32),
			has: []string{`h = part @ self.experts["gate_up_proj"][i] + self.experts["gate_up_proj_bias"][i]`, "h = gate * torch.sigmoid(1.702 * gate) * (up + 1)  # [part, expert_dim]"}},
		{name: "experts of Llama 4", typ: "sharedExpertMoE", Example: of(`{"numExperts": 4, "expertDim": 8, "topK": 1, "scoring": "sigmoid", "normTopK": false, "scaleInput": true, "layout": "stacked", "transposed": true}`, tokens32),
			has: []string{
				"parts = (tokens[order // self.top_k] * weight.flatten()[order, None]).split(counts)",
				`h = part @ self.experts["gate_up_proj"][i]`,
			}, hasNot: []string{"y = y * weight"}},
		{name: "gpt-oss one by one", typ: "moeLayer", Example: of(`{"numExperts": 4, "expertDim": 8, "activation": "swigluoai"}`, tokens32), err: `set gated to true and layout to "stacked"`},
		{name: "experts below a module", typ: "moeLayer", Example: of(`{"numExperts": 4, "expertDim": 8, "names": {"expert": "moe.experts.{}.ffn"}}`, tokens32),
			has: []string{`y = torch.cat([expert(part) for expert, part in zip(self.moe["experts"], parts)])`}},
		{name: "experts at the top", typ: "moeLayer", Example: of(`{"numExperts": 4, "expertDim": 8, "names": {"expert": "{}.ffn"}}`, tokens32), err: "must stand below a module"},
		{name: "lstm", typ: "lstm", Example: of(`{"hiddenSize": 20, "projSize": 5, "numLayers": 2, "dropout": 0.1}`, tokens32),
			module: "nn.LSTM(32, 20, num_layers=2, proj_size=5, batch_first=True, dropout=0.1)", call: "$m($0)[0]"},
		{name: "last state", typ: "lstm", Example: of(`{"hiddenSize": 20, "returnSequences": false, "dropout": 0.1}`, tokens32), module: "nn.LSTM(32, 20, batch_first=True)", call: "$m($0)[1][0][-1]"},
		{name: "last states of both directions", typ: "gru", Example: of(`{"hiddenSize": 20, "returnSequences": false, "bidirectional": true}`, tokens32), call: "torch.cat($m($0)[1][-2:].unbind(), dim=-1)"},
		{name: "renamed as a whole", typ: "rnn", Example: of(`{"hiddenSize": 20, "bias": false, "names": {"weight_ih_l0": "rnn.weight_ih_l0", "weight_hh_l0": "rnn.weight_hh_l0"}}`, tokens32),
			module: `nn.ModuleDict({"rnn": nn.RNN(32, 20, bias=False, batch_first=True)})`, call: `$m["rnn"]($0)[0]`},
		{name: "renamed one by one", typ: "rnn", Example: of(`{"hiddenSize": 20, "names": {"weight_ih_l0": "w"}}`, tokens32), err: "other names than nn.RNN gives them"},
		{name: "mamba", typ: "mamba", Example: of(`{"dState": 4}`, tokens32), module: "$Class(32, inner_dim=64, state_dim=4, dt_rank=2, kernel=4)",
			has: []string{"self.conv1d = nn.Conv1d(inner_dim, inner_dim, kernel, padding=kernel - 1, groups=inner_dim)"}, hasNot: []string{"layernorm"}},
		{name: "mamba in heads", typ: "mamba2", Example: of(`{"dState": 4, "headDim": 8, "numGroups": 2, "names": {"norm.weight": "norm_weight"}}`, tokens32), module: "$Class(32, inner_dim=64, state_dim=4, head_dim=8, num_groups=2, kernel=4)",
			has: []string{"self.conv1d = nn.Conv1d(mixed_dim, mixed_dim, kernel, padding=kernel - 1, groups=mixed_dim)", "y = F.rms_norm(y, y.shape[-1:], eps=1e-5).flatten(-2) * self.norm_weight"}},
		{name: "mamba in heads that do not divide", typ: "mamba2", Example: of(`{"headDim": 24}`, tokens32), err: "64 inner features do not divide into heads of 24 in 1 groups"},
		{name: "time mixing", typ: "rwkvTimeMix", Example: of(`{"innerDim": 8}`, tokens32), module: "$Class(32, inner_dim=8)",
			has: []string{"before = F.pad(x, (0, 0, 1, -1))  # the token before", "k = torch.lerp(before, x, self.time_mix_key[0, 0])", "r = self.receptance(r).sigmoid()"}},
		{name: "channel mixing", typ: "rwkvChannelMix", Example: of(`{}`, tokens32), module: "$Class(32, hidden_dim=128)",
			has: []string{"k = F.relu(self.key(k)).square()  # [..., tokens, hidden_dim]", "return self.receptance(r).sigmoid() * self.value(k)"}},
		{name: "channel mixing of another width", typ: "rwkvChannelMix", Example: of(`{"embedDim": 16}`, tokens32), err: "32 wide, but is projected from a width of 16"},
		{name: "experts above each other", typ: "moeLayer", Example: of(`{"numExperts": 4, "expertDim": 8, "layout": "rows", "bias": true}`, tokens32),
			has: []string{
				`for part, (gate, gate_bias, up, up_bias, down, down_bias) in zip(parts, weights):`,
				"h = F.silu(F.linear(part, gate, gate_bias)) * F.linear(part, up, up_bias)",
				"outputs.append(h @ down + down_bias)",
			}},
		{name: "mamba of Jamba", typ: "mamba", Example: of(`{"dState": 4, "stateNorms": true}`, tokens32), has: []string{"self.b_layernorm = nn.RMSNorm(state_dim, eps=1e-6)", "dt = self.dt_layernorm(dt)"}},
	})
}

// TestTorchHostile asks every type for PyTorch, whatever its parameters and
// operands are. It may refuse, but not panic, and what it writes is complete.
func TestTorchHostile(t *testing.T) {
	for _, typ := range All {
		t.Run(typ.Name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				var params []graph.Param
				for _, f := range typ.Fields {
					if f.Required || rapid.Bool().Draw(t, "given") {
						params = append(params, graph.Param{Name: f.Name, Value: value(t, f)})
					}
				}
				var in []shape.Tensor
				for range rapid.IntRange(0, 3).Draw(t, "operands") {
					in = append(in, operand(t))
				}
				r := Analyse(typ, params, in, make([]bool, len(in)))
				e, ok := r.Layer.(Exporter)
				if !ok || !r.Counted || !r.Out.Known() {
					return
				}
				written, err := e.Torch(&TorchCall{In: r.In, Out: r.Out, Type: typ.Name})
				if err != nil {
					return
				}
				if uses := strings.Contains(written.Module, "$Class"); uses != (written.Class.Text != "") {
					t.Fatalf("the module is %s, the class\n%s", written.Module, written.Class.Text)
				}
			})
		})
	}
}
