package layer

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/strata-catalog/strata/generator/shape"

	"github.com/google/go-cmp/cmp"
)

func tokenIDs(params string, in ...shape.Shape) Example {
	return Example{Params: params, In: in, IDs: true}
}

// TestEmbeddings has rows about what is looked up and what is added.
func TestEmbeddings(t *testing.T) {
	const table = `{"numEmbeddings": 100, "embeddingDim": 8}`
	checkUses(t, []use{
		{name: "D56 a look-up multiplies nothing", typ: "embedding", Example: tokenIDs(`{"numEmbeddings": 128256, "embeddingDim": 4096}`, shape.Shape{1, 2048}),
			out: "[1, 2048, 4096] batched", params: 128256 * 4096},
		{name: "D71 ids on one axis have no batch", typ: "embedding", Example: tokenIDs(table, shape.Shape{5}), out: "[5, 8] unbatched", params: 800},
		{name: "D71 ids with the width", typ: "embedding", Example: tokenIDs(table, shape.Shape{1, 5, 8}),
			out: "[1, 5, 8] batched", params: 800, rules: []string{HiddenWidth}},
		{name: "as many tokens as the width", typ: "embedding", Example: tokenIDs(table, shape.Shape{1, 8}), out: "[1, 8, 8] batched", params: 800},
		{name: "as many ids as the width", typ: "embedding", Example: tokenIDs(table, shape.Shape{8}), out: "[8, 8] unbatched", params: 800},
		{name: "ids with another width", typ: "embedding", Example: tokenIDs(table, shape.Shape{1, 3, 224, 224}), out: "unknown", params: 800, rules: []string{FloatIDs}},
		{name: "numbers", typ: "embedding", Example: of(table, shape.Shape{1, 5}), out: "unknown", params: 800, rules: []string{FloatIDs}},
		{name: "numbers of the right width", typ: "embedding", Example: of(table, shape.Shape{1, 5, 8}), out: "unknown", params: 800, rules: []string{FloatIDs}},
		{name: "learned queries", typ: "embedding", Example: of(table), out: "[100, 8] unbatched", params: 800},
		{name: "two inputs of ids", typ: "embedding", Example: tokenIDs(table, shape.Shape{1, 5}, shape.Shape{1, 2}),
			out: "[1, 7, 8] batched", params: 800, rules: []string{JoinedOperands}},
		{name: "a bag for each field", typ: "embeddingBag", Example: tokenIDs(table, shape.Shape{26}), out: "[26, 8] unbatched", params: 800},
		{name: "a bag for each field of a batch", typ: "embeddingBag", Example: tokenIDs(table, shape.Shape{4, 26}), out: "[4, 26, 8] batched", params: 800},
		{name: "a bag without ids", typ: "embeddingBag", Example: of(table), out: "unknown", params: 800, rules: []string{FewOperands}},

		{name: "positions are added", typ: "learnedPositionalEmbedding", Example: of(`{"maxLen": 10}`, shape.Shape{1, 5, 8}), out: "[1, 5, 8] batched", params: 80},
		{name: "positions of ids", typ: "learnedPositionalEmbedding", Example: tokenIDs(`{"maxLen": 10, "embedDim": 8}`, shape.Shape{1, 5}), out: "[1, 5, 8] batched", params: 80},
		{name: "positions run out", typ: "learnedPositionalEmbedding", Example: of(`{"maxLen": 4}`, shape.Shape{5, 8}), out: "[5, 8] unbatched", params: 32, rules: []string{PositionsShort}},
		{name: "rows for no position", typ: "learnedPositionalEmbedding", Example: of(`{"maxLen": 7, "offset": 2}`, shape.Shape{5, 8}), out: "[5, 8] unbatched", params: 56},
		{name: "positions run out behind rows for none", typ: "learnedPositionalEmbedding", Example: of(`{"maxLen": 6, "offset": 2}`, shape.Shape{5, 8}), out: "[5, 8] unbatched", params: 48, rules: []string{PositionsShort}},
		{name: "computed positions run out", typ: "positionalEncoding", Example: of(`{"maxLen": 4}`, shape.Shape{5, 8}), out: "[5, 8] unbatched", rules: []string{PositionsShort}},
		{name: "positions of pixels", typ: "positionalEncoding", Example: of(`{"maxLen": 16}`, shape.Shape{1, 4, 4, 8}), out: "[1, 4, 4, 8] batched"},
		{name: "a learned table of no length", typ: "positionalEncoding", Example: of(`{"learned": true}`, shape.Shape{5, 8}), out: "[5, 8] unbatched", rules: []string{MissingParam}},
		{name: "segments of ids", typ: "segmentEmbedding", Example: tokenIDs(`{"embedDim": 8}`, shape.Shape{1, 5}), out: "[1, 5, 8] batched", params: 16},
		{name: "segments of another width", typ: "segmentEmbedding", Example: of(`{"embedDim": 8}`, shape.Shape{1, 5, 6}), out: "[1, 5, 8] batched", params: 16, rules: []string{WidthMismatch}},

		{name: "rope turns pairs", typ: "rope", Example: of(`{"headDim": 80, "partialRotaryFactor": 0.4}`), out: "unknown"},
		{name: "rope of an odd part", typ: "rope", Example: of(`{"headDim": 30, "partialRotaryFactor": 0.5}`), out: "unknown", rules: []string{OddRotary}},
		{name: "alibi with an input", typ: "alibi", Example: of(`{"numHeads": 8}`, shape.Shape{1, 5, 8}), out: "unknown"},
	})
}

// TestPatches has rows about images cut into tokens.
func TestPatches(t *testing.T) {
	checkUses(t, []use{
		{name: "D17 ViT-B/16", typ: "patchEmbed", Example: of(`{"imgSize": 224, "patchSize": 16, "embedDim": 768, "clsToken": true, "posEmbed": true}`, shape.Shape{1, 3, 224, 224}),
			out: "[1, 197, 768] batched", params: 768*3*256 + 768 + 768 + 197*768, macs: 196 * 768 * 768},
		{name: "an image without a batch", typ: "patchEmbed", Example: of(`{"imgSize": 32, "patchSize": 2, "embedDim": 16, "inChans": 4}`, shape.Shape{4, 32, 32}),
			out: "[256, 16] unbatched", params: 16*16 + 16, macs: 256 * 16 * 16},
		{name: "patches that overlap", typ: "patchEmbed", Example: of(`{"patchSize": 16, "stride": 8, "embedDim": 128, "bias": false}`, shape.Shape{1, 16, 1000}),
			out: "[124, 128] unbatched", params: 128 * 256, macs: 124 * 128 * 256},
		{name: "patches that overlap and miss rows", typ: "patchEmbed", Example: of(`{"patchSize": 16, "stride": 8, "embedDim": 128, "bias": false}`, shape.Shape{1, 22, 1000}),
			out: "[124, 128] unbatched", params: 128 * 256, macs: 124 * 128 * 256, rules: []string{RowsDropped}},
		{name: "the patch does not divide the image", typ: "patchEmbed", Example: of(`{"patchSize": 16, "embedDim": 8}`, shape.Shape{1, 3, 230, 224}),
			out: "[1, 196, 8] batched", params: 8*768 + 8, macs: 196 * 8 * 768, rules: []string{PatchDivides}},
		{name: "the patch does not divide imgSize", typ: "patchEmbed", Example: of(`{"imgSize": [224, 230], "patchSize": 16, "embedDim": 8}`, shape.Shape{1, 3, 224, 230}),
			out: "[1, 196, 8] batched", params: 8*768 + 8, macs: 196 * 8 * 768, rules: []string{PatchDivides}},
		{name: "an image of another size", typ: "patchEmbed", Example: of(`{"imgSize": 224, "patchSize": 16, "embedDim": 8, "posEmbed": true}`, shape.Shape{1, 3, 256, 256}),
			out: "[1, 256, 8] batched", params: 8*768 + 8 + 196*8, macs: 256 * 8 * 768, rules: []string{WidthMismatch}},
		{name: "a patch larger than the image", typ: "patchEmbed", Example: of(`{"patchSize": 16, "embedDim": 8}`, shape.Shape{3, 8, 8}),
			out: "unknown", params: 8*768 + 8, rules: []string{WindowTooLarge}},
		{name: "channels declared otherwise", typ: "patchEmbed", Example: of(`{"patchSize": 4, "embedDim": 8, "inChans": 3}`, shape.Shape{1, 8, 8}),
			out: "[4, 8] unbatched", params: 8*48 + 8, macs: 4 * 8 * 48, rules: []string{WidthMismatch}},
		{name: "no image", typ: "patchEmbed", Example: of(`{"patchSize": 4, "embedDim": 8}`, shape.Shape{8, 8}),
			out: "unknown", params: 8*48 + 8, rules: []string{RankMismatch}},
		{name: "a patch of three sides", typ: "patchEmbed", Example: of(`{"patchSize": [4, 4, 4], "embedDim": 8}`, shape.Shape{3, 8, 8}),
			out: "unknown", rules: []string{BadParam}},
	})
}

// TestAttention has rows about heads, widths, windows and operands.
func TestAttention(t *testing.T) {
	x := shape.Shape{1, 16, 64}
	plain := int64(4 * 64 * 64)
	square := int64(2 * 16 * 16 * 64)
	checkUses(t, []use{
		{name: "plain", typ: "multiHeadAttention", Example: of(`{"numHeads": 8}`, x), out: "[1, 16, 64] batched", params: plain + 4*64, macs: 16*plain + square},
		{name: "without a batch", typ: "selfAttention", Example: of(`{"dim": 64, "numHeads": 8, "bias": false}`, shape.Shape{16, 64}), out: "[16, 64] unbatched", params: plain, macs: 16*plain + square},
		{name: "over pixels", typ: "attention", Example: channels(`{"numHeads": 8, "bias": false}`, shape.Shape{1, 64, 4, 4}),
			out: "[1, 64, 4, 4] batched features on axis 1", params: plain, macs: 16*plain + square, rules: []string{LayoutChange}},
		{name: "no sequence", typ: "attention", Example: of(`{"numHeads": 8, "bias": false}`, shape.Shape{64}), out: "unknown", params: plain, rules: []string{RankMismatch}},
		{name: "keys without a bias", typ: "multiHeadAttention", Example: of(`{"numHeads": 8, "keyBias": false}`, x), out: "[1, 16, 64] batched", params: plain + 3*64, macs: 16*plain + square},
		{name: "only the output has a bias", typ: "multiHeadAttention", Example: of(`{"numHeads": 8, "qkvBias": false}`, x), out: "[1, 16, 64] batched", params: plain + 64, macs: 16*plain + square},
		{name: "relative positions", typ: "multiHeadAttention", Example: of(`{"numHeads": 8, "bias": false, "relativeBuckets": 32}`, x), out: "[1, 16, 64] batched", params: plain + 32*8, macs: 16*plain + square},
		{name: "D49 the two products alone", typ: "multiHeadAttention", Example: of(`{"embedDim": 768, "numHeads": 12, "bias": false}`, shape.Shape{1, 64, 768}),
			out: "[1, 64, 768] batched", params: 4 * 768 * 768, macs: 64*4*768*768 + 6_291_456},
		{name: "heads that do not divide", typ: "multiHeadAttention", Example: of(`{"numHeads": 7, "headDim": 8, "bias": false}`, x), out: "[1, 16, 64] batched", params: 4 * 56 * 64, macs: 16*4*56*64 + 2*16*16*56},
		{name: "heads that do not divide, and no headDim", typ: "multiHeadAttention", Example: of(`{"numHeads": 7, "bias": false}`, x),
			out: "[1, 16, 64] batched", params: 4 * 63 * 64, macs: 16*4*63*64 + 2*16*16*63, rules: []string{HeadsDivide}},
		{name: "a width declared otherwise", typ: "causalAttention", Example: of(`{"embedDim": 32, "numHeads": 8}`, x),
			out: "[1, 16, 32] batched", params: 4 * 32 * 32, macs: 16*4*32*32 + 2*16*16*32, rules: []string{WidthMismatch}},

		{name: "a context", typ: "crossAttention", Example: of(`{"numHeads": 8, "bias": false}`, x, shape.Shape{1, 4, 24}),
			out: "[1, 16, 64] batched", params: 2*64*64 + 2*64*24, macs: 16*2*64*64 + 4*2*64*24 + 2*16*4*64},
		{name: "a context and values", typ: "crossAttention", Example: of(`{"numHeads": 8, "bias": false}`, x, shape.Shape{1, 4, 24}, shape.Shape{1, 4, 24}),
			out: "[1, 16, 64] batched", params: 2*64*64 + 2*64*24, macs: 16*2*64*64 + 4*2*64*24 + 2*16*4*64},
		{name: "a context and more values than keys", typ: "crossAttention", Example: of(`{"numHeads": 8, "bias": false}`, x, shape.Shape{1, 4, 24}, shape.Shape{1, 5, 24}),
			out: "[1, 16, 64] batched", params: 2*64*64 + 2*64*24, macs: 16*2*64*64 + 4*2*64*24 + 2*16*4*64, rules: []string{MatmulShapes}},
		{name: "a context of another width", typ: "crossAttention", straight: true, Example: of(`{"numHeads": 8, "bias": false, "kvDim": 48}`, x, shape.Shape{1, 4, 24}),
			out: "[1, 16, 64] batched", params: 2*64*64 + 2*64*48, macs: 16*2*64*64 + 4*2*64*48 + 2*16*4*64, rules: []string{ContextWidth}},
		{name: "a context that is missing", typ: "crossAttention", Example: of(`{"numHeads": 8, "bias": false, "kvDim": 24}`, x),
			out: "[1, 16, 64] batched", params: 2*64*64 + 2*64*24, macs: 16 * 2 * 64 * 64, rules: []string{MissingContext}},
		{name: "nothing at all", typ: "crossAttention", Example: of(`{"embedDim": 64, "numHeads": 8}`), out: "unknown", params: 16640, rules: []string{FewOperands}},
		{name: "queries and keys", typ: "multiHeadAttention", Example: of(`{"numHeads": 8, "bias": false}`, shape.Shape{1, 3, 64}, x),
			out: "[1, 3, 64] batched", params: plain, macs: 3*plain/2 + 16*plain/2 + 2*3*16*64},
		{name: "keys of another width", typ: "multiHeadAttention", Example: of(`{"numHeads": 8, "bias": false}`, x, shape.Shape{1, 4, 24}),
			out: "[1, 16, 64] batched", params: plain, macs: 16*plain/2 + 4*plain/2 + 2*16*4*64, rules: []string{ContextWidth}},
		{name: "four operands", typ: "multiHeadAttention", Example: of(`{"numHeads": 8, "bias": false}`, x, x, x, x), out: "[1, 16, 64] batched", params: plain, macs: 16*plain + square, rules: []string{OperandCount}},

		{name: "a mask for each key", typ: "multiHeadAttention", straight: true, Example: of(`{"numHeads": 8, "bias": false}`, x, shape.Shape{1, 16}), out: "[1, 16, 64] batched", params: plain, macs: 16*plain + square},
		{name: "a mask for each pair", typ: "groupedQueryAttention", straight: true, Example: of(`{"numHeads": 8}`, x, shape.Shape{1, 1, 16, 16}), out: "[1, 16, 64] batched", params: plain, macs: 16*plain + square},
		{name: "a mask of the context", typ: "crossAttention", straight: true, Example: of(`{"numHeads": 8, "bias": false}`, x, shape.Shape{1, 4, 24}, shape.Shape{16, 4}),
			out: "[1, 16, 64] batched", params: 2*64*64 + 2*64*24, macs: 16*2*64*64 + 4*2*64*24 + 2*16*4*64},
		{name: "keys straight from an input", typ: "multiHeadAttention", straight: true, Example: of(`{"numHeads": 8, "bias": false}`, x, shape.Shape{1, 4, 64}),
			out: "[1, 16, 64] batched", params: plain, macs: 16*plain/2 + 4*plain/2 + 2*16*4*64},
		{name: "a second sequence is joined", typ: "groupedQueryAttention", Example: of(`{"numHeads": 8}`, shape.Shape{1, 16, 32}, shape.Shape{1, 16, 32}),
			out: "[1, 16, 64] batched", params: plain, macs: 16*plain + square, rules: []string{JoinedOperands}},

		{name: "D13 biases of queries, keys and values", typ: "groupedQueryAttention", Example: of(`{"numHeads": 28, "numKVHeads": 4, "qkvBias": true}`, shape.Shape{1, 1, 3584}),
			out: "[1, 1, 3584] batched", params: 2*3584*3584 + 2*512*3584 + 3584 + 2*512, macs: 2*3584*3584 + 2*512*3584 + 2*3584},
		{name: "D14 norms of each head", typ: "groupedQueryAttention", Example: of(`{"numHeads": 32, "numKVHeads": 8, "headDim": 128, "qkNorm": "head"}`, shape.Shape{1, 1, 4096}),
			out: "[1, 1, 4096] batched", params: 2*4096*4096 + 2*1024*4096 + 256, macs: 2*4096*4096 + 2*1024*4096 + 2*4096},
		{name: "norms of all heads", typ: "groupedQueryAttention", Example: of(`{"numHeads": 8, "numKVHeads": 2, "qkNorm": "full", "qkNormBias": true}`, x),
			out: "[1, 16, 64] batched", params: 2*64*64 + 2*16*64 + 2*(64+16), macs: 16*(2*64*64+2*16*64) + square},
		{name: "D32 Qwen3-32B", typ: "groupedQueryAttention", Example: of(`{"numHeads": 64, "numKVHeads": 8, "headDim": 128, "layout": "fused"}`, shape.Shape{1, 1, 5120}),
			out: "[1, 1, 5120] batched", params: 10_240*5120 + 5120*8192, macs: 10_240*5120 + 5120*8192 + 2*8192},
		{name: "D35 96 heads of 128 in a width of 4096", typ: "groupedQueryAttention", Example: of(`{"embedDim": 4096, "numHeads": 96, "numKVHeads": 8, "headDim": 128, "qkvBias": true}`, shape.Shape{1, 1, 4096}),
			out: "[1, 1, 4096] batched", params: 2*12_288*4096 + 2*1024*4096 + 12_288 + 2*1024, macs: 2*12_288*4096 + 2*1024*4096 + 2*12_288},
		{name: "KV heads that do not divide", typ: "groupedQueryAttention", Example: of(`{"numHeads": 8, "numKVHeads": 3}`, x),
			out: "[1, 16, 64] batched", params: 2*64*64 + 2*24*64, macs: 16*(2*64*64+2*24*64) + square, rules: []string{KVHeadsDivide}},
		{name: "sinks", typ: "groupedQueryAttention", Example: of(`{"numHeads": 8, "sinks": true, "bias": true}`, x), out: "[1, 16, 64] batched", params: plain + 4*64 + 8, macs: 16*plain + square},
		{name: "norms without a factor", typ: "groupedQueryAttention", Example: of(`{"numHeads": 8, "qkNorm": "head", "qkNormAffine": false}`, x), out: "[1, 16, 64] batched", params: plain, macs: 16*plain + square},
		{name: "norms without a factor, with a bias", typ: "groupedQueryAttention", Example: of(`{"numHeads": 8, "qkNorm": "head", "qkNormAffine": false, "qkNormBias": true}`, x), out: "[1, 16, 64] batched", params: plain, macs: 16*plain + square, rules: []string{BadParam}},
		{name: "a chunk longer than the sequence", typ: "groupedQueryAttention", Example: of(`{"numHeads": 8, "chunkSize": 17}`, x), out: "[1, 16, 64] batched", params: plain, macs: 16*plain + square, rules: []string{WindowTooLong}},
		{name: "a prefix longer than the sequence", typ: "groupedQueryAttention", Example: of(`{"numHeads": 8, "prefix": 17}`, x), out: "[1, 16, 64] batched", params: plain, macs: 16*plain + square, rules: []string{WindowTooLong}},
		{name: "chunks and a window", typ: "groupedQueryAttention", Example: of(`{"numHeads": 8, "chunkSize": 4, "slidingWindow": 4}`, x), out: "[1, 16, 64] batched", params: plain, macs: 16*plain + square, rules: []string{BadParam}},
		{name: "chunks that see ahead", typ: "groupedQueryAttention", Example: of(`{"numHeads": 8, "chunkSize": 4, "causal": false}`, x), out: "[1, 16, 64] batched", params: plain, macs: 16*plain + square, rules: []string{BadParam}},
		{name: "queries that grow without a step", typ: "groupedQueryAttention", Example: of(`{"numHeads": 8, "queryGrowth": 0.1}`, x), out: "[1, 16, 64] batched", params: plain, macs: 16*plain + square, rules: []string{MissingParam}},
		{name: "a window longer than the sequence", typ: "groupedQueryAttention", Example: of(`{"numHeads": 8, "slidingWindow": 17}`, x), out: "[1, 16, 64] batched", params: plain, macs: 16*plain + square, rules: []string{WindowTooLong}},
		{name: "one matrix for two widths", typ: "crossAttention", Example: of(`{"numHeads": 8, "bias": false, "layout": "fused"}`, x, shape.Shape{1, 4, 24}),
			out: "[1, 16, 64] batched", params: 2*64*64 + 2*64*24, macs: 16*2*64*64 + 4*2*64*24 + 2*16*4*64, rules: []string{BadParam}},

		{name: "D18 DeepSeek-V3", typ: "mla", Example: of(`{"numHeads": 128, "qLatentDim": 1536, "kvLatentDim": 512, "ropeHeadDim": 64}`, shape.Shape{1, 1, 7168}),
			out: "[1, 1, 7168] batched", params: 187_107_328, macs: 187_107_328 - 1536 - 512 + 128*(192+128)},
		{name: "an odd rotary part", typ: "mla", Example: of(`{"numHeads": 2, "kvLatentDim": 8, "ropeHeadDim": 5, "nopeHeadDim": 6, "vHeadDim": 7}`, shape.Shape{1, 1, 64}),
			out: "[1, 1, 64] batched", params: 22*64 + 13*64 + 8 + 26*8 + 14*64, macs: 22*64 + 13*64 + 26*8 + 14*64 + 2*18, rules: []string{OddRotary}},

		{name: "a stack of whole layers", typ: "transformerBlock", Example: of(`{"numHeads": 8, "numLayers": 3}`, x), out: "[1, 16, 64] batched",
			params: 3 * (plain + 4*64 + 2*4*64*64 + 5*64 + 4*64), macs: 3 * (16*plain + 16*2*4*64*64 + square)},
		{name: "a stack with heads that do not divide", typ: "transformerBlock", Example: of(`{"numHeads": 7, "ffDim": 64}`, x), out: "[1, 16, 64] batched",
			params: plain + 4*64 + 2*64*64 + 2*64 + 4*64, macs: 16*plain + 16*2*64*64 + square, rules: []string{HeadsDivide}},

		{name: "windows of an image that is padded", typ: "windowAttention", Example: of(`{"numHeads": 8, "windowSize": 3}`, shape.Shape{1, 4, 5, 64}),
			out: "[1, 4, 5, 64] batched", params: plain, macs: 36*plain + 2*36*9*64},
		{name: "windows of an image in rows", typ: "windowAttention", Example: of(`{"numHeads": 8, "windowSize": [4, 2]}`, x), out: "[1, 16, 64] batched", params: plain, macs: 16*plain + 2*16*8*64},
		{name: "windows of a sequence", typ: "windowAttention", Example: of(`{"numHeads": 8, "windowSize": 4}`, x), out: "[1, 16, 64] batched", params: plain, macs: 16*plain + 2*16*4*64},
		{name: "offsets of patches", typ: "selfAttention", Example: of(`{"numHeads": 8, "bias": false, "relativeGrid": [3, 5]}`, x), out: "[1, 16, 64] batched", params: plain + (5*9+3)*8, macs: 16*plain + square},
		{name: "offsets of patches without a class token", typ: "selfAttention", Example: of(`{"numHeads": 8, "bias": false, "relativeGrid": 4}`, x),
			out: "[1, 16, 64] batched", params: plain + (7*7+3)*8, macs: 16*plain + square, rules: []string{BadParam}},
		{name: "windows with a table for each axis", typ: "windowAttention", Example: of(`{"numHeads": 8, "windowSize": [4, 2], "decomposedPositions": true}`, shape.Shape{1, 4, 4, 64}), out: "[1, 4, 4, 64] batched", params: plain + (7+3)*8, macs: 16*plain + 2*16*8*64 + 16*64*6},
		{name: "a table for each axis of a volume", typ: "windowAttention", Example: of(`{"numHeads": 8, "windowSize": 2, "decomposedPositions": true}`, shape.Shape{1, 2, 2, 4, 64}), out: "[1, 2, 2, 4, 64] batched", params: plain + (3+3)*8, macs: 16*plain + 2*16*8*64 + 16*64*4, rules: []string{BadParam}},
		{name: "an index that is not stored", typ: "windowAttention", Example: of(`{"numHeads": 8, "windowSize": 4, "relativePositions": true, "relativeIndex": "none"}`, shape.Shape{1, 4, 4, 64}), out: "[1, 4, 4, 64] batched", params: plain + 49*8, macs: 16*plain + 2*16*16*64},
		{name: "windows with relative positions", typ: "windowAttention", Example: of(`{"numHeads": 8, "windowSize": 4, "relativePositions": true}`, x), out: "[1, 16, 64] batched", params: plain + 49*8, macs: 16*plain + 2*16*16*64},
		{name: "windows with a network of positions", typ: "windowAttention", Example: of(`{"numHeads": 8, "windowSize": 4, "positionNetwork": 32}`, x), out: "[1, 16, 64] batched", params: plain + 32*3 + 8*32, macs: 16*plain + 2*16*16*64 + 49*32*(2+8)},
		{name: "windows compared by cosine", typ: "windowAttention", Example: of(`{"numHeads": 8, "windowSize": 4, "similarity": "cosine"}`, x), out: "[1, 16, 64] batched", params: plain + 8, macs: 16*plain + 2*16*4*64},
		{name: "a window larger than the image", typ: "windowAttention", Example: of(`{"numHeads": 8, "windowSize": [3, 6]}`, shape.Shape{1, 4, 5, 64}),
			out: "[1, 4, 5, 64] batched", params: plain, macs: 36*plain + 2*36*18*64, rules: []string{WindowTooLong}},
		{name: "three sides for two axes", typ: "windowAttention", Example: of(`{"numHeads": 8, "windowSize": [2, 2, 2]}`, shape.Shape{1, 4, 4, 64}),
			out: "[1, 4, 4, 64] batched", params: plain, macs: 16*plain + 2*16*4*64, rules: []string{BadParam}},
	})
}

// TestNetworks has rows about feed-forward networks and mixtures.
func TestNetworks(t *testing.T) {
	x := shape.Shape{1, 16, 64}
	checkUses(t, []use{
		{name: "four times the width", typ: "feedForward", Example: of(`{"dModel": 64}`, x), out: "[1, 16, 64]", params: 2*64*256 + 256 + 64, macs: 16 * 2 * 64 * 256},
		{name: "names that disagree", typ: "feedForward", Example: of(`{"hiddenDim": 32, "embedDim": 64, "dFf": 8, "bias": false}`, x),
			out: "[1, 16, 64]", params: 2 * 64 * 8, macs: 16 * 2 * 64 * 8, rules: []string{AliasConflict}},
		{name: "hiddenDim of a gated network is its inner width", typ: "geglu", Example: of(`{"dim": 64, "hiddenDim": 96}`, x), out: "[1, 16, 64]", params: 3 * 64 * 96, macs: 16 * 3 * 64 * 96},
		{name: "a gate with biases", typ: "swiglu", Example: of(`{"intermediateSize": 96, "bias": true, "layout": "fused"}`, x), out: "[1, 16, 64]", params: 3*64*96 + 2*96 + 64, macs: 16 * 3 * 64 * 96},
		{name: "channels first", typ: "feedForward", Example: channels(`{"ffDim": 8, "bias": false}`, shape.Shape{1, 64, 4, 4}), out: "[1, 64, 4, 4] batched features on axis 1", params: 2 * 64 * 8, macs: 16 * 2 * 64 * 8, rules: []string{LayoutChange}},
		{name: "a gate for each channel", typ: "seBlock", Example: of(`{"reduction": 5}`, shape.Shape{1, 16, 7, 7}), out: "[1, 16, 7, 7] batched features on axis 1", params: 2*16*3 + 3 + 16, macs: 2 * 16 * 3},
		{name: "at least one channel in between", typ: "seBlock", Example: of(`{}`, shape.Shape{8, 7, 7}), out: "[8, 7, 7] unbatched features on axis 0", params: 2*8 + 1 + 8, macs: 2 * 8},

		{name: "D54 two experts of eight", typ: "moeLayer", Example: of(`{"numExperts": 8, "expertDim": 14336, "topK": 2}`, shape.Shape{1, 1, 4096}),
			out: "[1, 1, 4096]", params: 8*4096 + 8*3*4096*14336, macs: 8*4096 + 2*3*4096*14336},
		{name: "experts without a gate", typ: "moeLayer", Example: of(`{"numExperts": 4, "expertDim": 32, "gated": false, "bias": true, "routerBias": true}`, x),
			out: "[1, 16, 64]", params: 4*64 + 4 + 4*(2*64*32+32+64), macs: 16 * (4*64 + 2*2*64*32)},
		{name: "more experts than there are", typ: "moeLayer", Example: of(`{"numExperts": 4, "expertDim": 32, "topK": 5}`, x),
			out: "[1, 16, 64]", params: 4*64 + 4*3*64*32, macs: 16 * (4*64 + 4*3*64*32), rules: []string{TopKExperts}},
		{name: "no experts", typ: "moeLayer", Example: of(`{"numExperts": 0, "expertDim": 32}`, x), out: "unknown", rules: []string{BadParam}},
		{name: "shared experts are one network", typ: "sharedExpertMoE", Example: of(`{"numExperts": 4, "expertDim": 32, "numSharedExperts": 2, "sharedExpertDim": 24, "sharedGate": true, "scoreCorrection": true}`, x),
			out: "[1, 16, 64]", params: 4*64 + 4 + 4*3*64*32 + 3*64*48 + 64, macs: 16 * (4*64 + 2*3*64*32 + 3*64*48 + 64)},
	})
}

// TestSequences has rows about recurrent layers.
func TestSequences(t *testing.T) {
	checkUses(t, []use{
		{name: "D30 projection", typ: "lstm", Example: of(`{"inputSize": 10, "hiddenSize": 20, "projSize": 5}`, shape.Shape{1, 1, 10}), out: "[1, 1, 5] batched", params: 1_460, macs: 80*15 + 100},
		{name: "D30 projection, two layers, both directions", typ: "lstm", Example: of(`{"hiddenSize": 20, "projSize": 5, "numLayers": 2, "bidirectional": true}`, shape.Shape{1, 1, 10}),
			out: "[1, 1, 10] batched", params: 5_840, macs: 4 * (80*15 + 100)},
		{name: "D51 100 steps", typ: "lstm", Example: of(`{"hiddenSize": 512, "numLayers": 2}`, shape.Shape{1, 100, 300}), out: "[1, 100, 512] batched", params: 3_768_320, macs: 376_012_800},
		{name: "a projection as wide as the state", typ: "lstm", Example: of(`{"hiddenSize": 4, "projSize": 4, "bias": false}`, shape.Shape{1, 4}), out: "[1, 4] unbatched", params: 2*16*4 + 4*4, macs: 144, rules: []string{BadParam}},
		{name: "the last state alone", typ: "gru", Example: of(`{"hiddenSize": 4, "returnSequences": false, "bidirectional": true, "bias": false}`, shape.Shape{3, 7, 5}),
			out: "[3, 8] batched", params: 2 * 12 * 9, macs: 21 * 2 * 12 * 9},
		{name: "the last state without a batch", typ: "rnn", Example: of(`{"hiddenSize": 4, "returnSequences": false}`, shape.Shape{7, 5}), out: "[4] unbatched", params: 4*9 + 8, macs: 7 * 4 * 9},
		{name: "channels first", typ: "gru", Example: channels(`{"hiddenSize": 4, "bias": false}`, shape.Shape{1, 5, 7}), out: "[1, 4, 7] batched features on axis 1", params: 12 * 9, macs: 7 * 12 * 9, rules: []string{LayoutChange}},
		{name: "no sequence", typ: "lstm", Example: of(`{"hiddenSize": 4, "bias": false}`, shape.Shape{5}), out: "unknown", params: 16 * 9, rules: []string{RankMismatch}},
		{name: "an image", typ: "lstm", Example: of(`{"hiddenSize": 4, "bias": false}`, shape.Shape{1, 7, 7, 5}), out: "unknown", params: 16 * 9, rules: []string{RankMismatch}},
		{name: "too many layers", typ: "gru", Example: of(`{"hiddenSize": 4, "numLayers": 9007199254740992}`, shape.Shape{7, 5}), out: "unknown", rules: []string{BadParam}},
		{name: "Mamba-130m", typ: "mamba", Example: of(`{"dModel": 768}`, shape.Shape{1, 1, 768}), out: "[1, 1, 768] batched",
			params: 3072*768 + 1536*5 + 80*1536 + 1536*49 + 1536*16 + 1536 + 768*1536, macs: 3072*768 + 4*1536*4 + 80*1536 + 1536*48 + 768*1536},
		{name: "Mamba-Codestral-7B", typ: "mamba2", Example: of(`{"numGroups": 8}`, shape.Shape{1, 1, 4096}), out: "[1, 1, 4096] batched",
			params: 18560*4096 + 10240*5 + 3*128 + 8192 + 4096*8192, macs: 18560*4096 + 4*10240*4 + 4096*8192},
		{name: "Mamba-2 in heads that do not divide", typ: "mamba2", Example: of(`{"headDim": 12, "numGroups": 3, "dState": 4, "convBias": false, "bias": true}`, shape.Shape{1, 8}), out: "[1, 8] unbatched",
			params: (16+16+24+1)*9 + 40*4 + 3 + 16 + 8*17, macs: 57*8 + 4*40*4 + 8*16, rules: []string{HeadsDivide, GroupsDivide}},
		{name: "RWKV's average", typ: "rwkvTimeMix", Example: of(`{"innerDim": 6}`, shape.Shape{2, 5, 4}), out: "[2, 5, 4] batched", params: 2*6 + 3*4 + 4*4*6, macs: 10 * 4 * 4 * 6},
		{name: "RWKV's network", typ: "rwkvChannelMix", Example: of(`{}`, shape.Shape{5, 4}), out: "[5, 4] unbatched", params: 2*4 + 2*4*16 + 16, macs: 5 * (2*4*16 + 16)},
		{name: "no sequence to mix", typ: "rwkvTimeMix", Example: of(`{}`, shape.Shape{4}), out: "unknown", params: 2*4 + 3*4 + 4*16, rules: []string{RankMismatch}},
		{name: "Mamba with norms of the state", typ: "mamba", Example: of(`{"dState": 8, "dtRank": 5, "stateNorms": true, "convBias": false, "bias": true}`, shape.Shape{1, 48}), out: "[1, 48] unbatched",
			params: 192*48 + 192 + 96*4 + 21*96 + 96*6 + 96*8 + 96 + 48*96 + 48 + 5 + 16, macs: 192*48 + 4*96*4 + 21*96 + 96*5 + 48*96},
	})
}

// TestGraphs has rows about nodes and interactions.
func TestGraphs(t *testing.T) {
	nodes := shape.Shape{10, 8}
	checkUses(t, []use{
		{name: "two projections", typ: "graphConv", Example: of(`{"outFeatures": 4}`, nodes), out: "[10, 4] unbatched", params: 2*8*4 + 4, macs: 10 * 2 * 8 * 4},
		{name: "one node", typ: "graphSAGE", Example: of(`{"inChannels": 8, "outChannels": 4, "bias": false}`, shape.Shape{8}), out: "[4] unbatched", params: 2 * 8 * 4, macs: 2 * 8 * 4},
		{name: "an LSTM over neighbours", typ: "graphSAGE", Example: of(`{"outFeatures": 4, "aggregator": "lstm"}`, nodes), out: "[10, 4] unbatched", params: 2*8*4 + 4 + 8*8*8 + 8*8, macs: 10 * 2 * 8 * 4},
		{name: "no transform", typ: "gcn", Example: of(`{"outFeatures": 8, "useTransform": false, "useNonlinearity": true}`, nodes), out: "[10, 8] unbatched"},
		{name: "no transform, and another width", typ: "gcn", Example: of(`{"outFeatures": 4, "useTransform": false}`, nodes), out: "[10, 8] unbatched", rules: []string{WidthMismatch}},
		{name: "heads side by side", typ: "gat", Example: of(`{"outFeatures": 4, "heads": 3}`, nodes), out: "[10, 12] unbatched", params: 12*8 + 2*12 + 12, macs: 10 * 8 * 12},
		{name: "heads averaged", typ: "gat", Example: of(`{"outFeatures": 4, "heads": 3, "concat": false}`, nodes), out: "[10, 4] unbatched", params: 12*8 + 2*12 + 4, macs: 10 * 8 * 12},

		{name: "pairs of rows", typ: "featureInteraction", Example: of(`{}`, shape.Shape{8}, shape.Shape{26, 8}), out: "[359] unbatched", macs: 27 * 27 * 8},
		{name: "pairs of rows in a batch", typ: "featureInteraction", Example: of(`{}`, shape.Shape{4, 8}, shape.Shape{4, 26, 8}), out: "[4, 359] batched", macs: 4 * 27 * 27 * 8},
		{name: "single rows with a batch of one", typ: "featureInteraction", Example: of(`{"method": "cat"}`, shape.Shape{1, 8}, shape.Shape{1, 8}), out: "[1, 16] batched"},
		{name: "sum of the products of all pairs", typ: "featureInteraction", Example: of(`{"method": "fm"}`, shape.Shape{4, 26, 8}), out: "[4, 1] batched"},
		{name: "rows of one table", typ: "featureInteraction", Example: of(`{"method": "cat"}`, shape.Shape{26, 8}), out: "[208] unbatched"},
		{name: "rows of another width", typ: "featureInteraction", Example: of(`{}`, shape.Shape{8}, shape.Shape{26, 9}), out: "unknown", rules: []string{WidthMismatch}},
		{name: "rows of another batch", typ: "featureInteraction", Example: of(`{}`, shape.Shape{2, 8}, shape.Shape{4, 26, 8}), out: "unknown", rules: []string{ConcatAxes}},
		{name: "no rows", typ: "featureInteraction", Example: of(`{}`), out: "unknown", rules: []string{FewOperands}},
	})
}

// TestCausalWork compares what a causal, windowed or sparse kernel must do with
// a count of the pairs of a query and a key; the diagonal counts half.
func TestCausalWork(t *testing.T) {
	const n, width, linear = 64, 16, 4 * 16 * 16 * 64
	full := int64(2 * n * n * width)
	for _, test := range []struct {
		typ, params string
		halves      int64 // pairs that are needed, counted double; 0: all
	}{
		{"multiHeadAttention", `{"numHeads": 2}`, 0},
		{"multiHeadAttention", `{"numHeads": 2, "causal": true}`, n * n},
		{"causalAttention", `{"numHeads": 2}`, n * n},
		{"groupedQueryAttention", `{"numHeads": 2}`, n * n},
		{"groupedQueryAttention", `{"numHeads": 2, "causal": false}`, 0},
		{"groupedQueryAttention", `{"numHeads": 2, "slidingWindow": 8}`, 2*n*8 - 8*8},
		{"groupedQueryAttention", `{"numHeads": 2, "slidingWindow": 64}`, n * n},
		{"groupedQueryAttention", `{"numHeads": 2, "chunkSize": 12}`, n/12*12*12 + n%12*(n%12)},
		{"groupedQueryAttention", `{"numHeads": 2, "chunkSize": 64}`, n * n},
		{"groupedQueryAttention", `{"numHeads": 2, "prefix": 8}`, n*n + 8*8},
		{"localAttention", `{"numHeads": 2, "windowSize": 8}`, 2 * n * 8},
		{"localAttention", `{"numHeads": 2, "windowSize": 8, "causal": true}`, 2*n*8 - 8*8},
		{"nativeSparseAttention", `{"numHeads": 2, "blockSize": 4, "topBlocks": 2}`, n*n/4 + 2*n*8 - 8*8},
		{"nativeSparseAttention", `{"numHeads": 2, "blockSize": 4, "topBlocks": 1, "windowSize": 2}`, n*n/4 + 2*n*4 - 4*4 + 2*n*2 - 2*2},
		{"nativeSparseAttention", `{"numHeads": 2}`, n * n},
	} {
		r := use{typ: test.typ, Example: of(test.params, shape.Shape{1, n, width})}.try(t)
		if got := r.Work.Full.Int64(); got != linear+full {
			t.Errorf("%s %s: %d MACs, want %d", test.typ, test.params, got, linear+full)
		}
		switch {
		case test.halves == 0 && r.Work.Causal != nil:
			t.Errorf("%s %s: a kernel saves something, want nothing", test.typ, test.params)
		case test.halves > 0 && r.Work.Causal == nil:
			t.Errorf("%s %s: a kernel saves nothing, want a count", test.typ, test.params)
		case test.halves > 0 && r.Work.Causal.Int64() != linear+test.halves*width:
			t.Errorf("%s %s: a kernel does %s MACs, want %d", test.typ, test.params, r.Work.Causal, linear+test.halves*width)
		}
	}
}

// TestCaches has what one token, or a window, adds to the cache in bytes of bf16.
func TestCaches(t *testing.T) {
	for _, test := range []struct {
		name, typ, params string
		width, layers     int64
		tokens            int64
		bytes             int64
	}{
		{"D37 Qwen3-4B", "groupedQueryAttention", `{"numHeads": 32, "numKVHeads": 8, "headDim": 128}`, 2560, 36, 1, 147_456},
		{"D38 gpt-oss-120b", "groupedQueryAttention", `{"numHeads": 64, "numKVHeads": 8, "headDim": 64}`, 2880, 36, 1, 73_728},
		{"D39 gemma-4-31B", "groupedQueryAttention", `{"numHeads": 32, "numKVHeads": 16, "headDim": 256}`, 5376, 60, 1, 983_040},
		{"D41 DeepSeek-V3", "mla", `{"numHeads": 128, "qLatentDim": 1536, "kvLatentDim": 512, "ropeHeadDim": 64}`, 7168, 61, 1, 70_272},
		{"D43 gemma-3-1b, local layers", "groupedQueryAttention", `{"numHeads": 4, "numKVHeads": 1, "headDim": 256, "slidingWindow": 512}`, 1152, 22, 32_768, 22 * 512 * 1024},
		{"D43 gemma-3-1b, global layers", "groupedQueryAttention", `{"numHeads": 4, "numKVHeads": 1, "headDim": 256}`, 1152, 4, 32_768, 4 * 32_768 * 1024},
		{"D46 as many KV heads as heads", "multiHeadAttention", `{"numHeads": 32, "causal": true}`, 4096, 32, 1, 2 * 32 * 4096 * 2},
		{"layers in one component", "transformerBlock", `{"numHeads": 32, "numLayers": 32, "causal": true}`, 4096, 1, 1, 2 * 32 * 4096 * 2},
	} {
		r := use{typ: test.typ, Example: of(test.params, shape.Shape{1, 32_768, test.width})}.try(t)
		kept := test.tokens
		if r.Attn.Window > 0 {
			kept = min(kept, r.Attn.Window)
		}
		if got := test.layers * kept * r.Attn.KVElems * 2; got != test.bytes {
			t.Errorf("%s: %d bytes, want %d", test.name, got, test.bytes)
		}
	}
}

// A part of a model is one layer, several times.
type part struct {
	times int64
	use
}

func layers(times int64, typ, params string, in ...shape.Shape) part {
	return part{times, use{typ: typ, Example: of(params, in...)}}
}

func raw(typ, params string, in ...shape.Shape) part {
	return part{1, use{typ: typ, Example: of(params, in...), straight: true}}
}

func ids(typ, params string, in ...shape.Shape) part {
	return part{1, use{typ: typ, Example: tokenIDs(params, in...)}}
}

// A tally is what the layers of a model come to.
type tally struct {
	params, active, buffers int64
	macs, causal            big.Int
}

func (sum *tally) add(t *testing.T, p part) {
	t.Helper()
	r := p.try(t)
	if len(r.Problems) > 0 || !r.Counted || !r.Worked {
		t.Errorf("%s %s: %v", p.typ, p.Params, r.Problems)
	}
	sum.params += p.times * r.Params
	sum.active += p.times * r.Active
	sum.buffers += p.times * r.Buffers
	times := r.Work.times(p.times)
	if times.Causal == nil {
		times.Causal = times.Full
	}
	if times.Full != nil {
		sum.macs.Add(&sum.macs, times.Full)
		sum.causal.Add(&sum.causal, times.Causal)
	}
}

func sumOf(t *testing.T, parts []part) *tally {
	t.Helper()
	sum := new(tally)
	for _, p := range parts {
		sum.add(t, p)
	}
	return sum
}

// decoder is a model of Llama's shape over n tokens.
func decoder(n, vocabulary, width, depth int64, attention, attnParams, network, netParams string) []part {
	x := shape.Shape{1, n, width}
	return []part{
		ids("embedding", fmt.Sprintf(`{"vocabSize": %d, "embeddingDim": %d}`, vocabulary, width), shape.Shape{1, n}),
		layers(depth, attention, attnParams, x),
		layers(depth, network, netParams, x),
		layers(2*depth+1, "rmsNorm", `{}`, x),
		layers(1, "linear", fmt.Sprintf(`{"outFeatures": %d, "bias": false}`, vocabulary), x),
	}
}

// without leaves out the layers of some types: norms without weights, a head
// that shares the embedding's weight.
func without(parts []part, types ...string) []part {
	return slices.DeleteFunc(parts, func(p part) bool { return slices.Contains(types, p.typ) })
}

// TestModels adds up models whose counts are published.
func TestModels(t *testing.T) {
	tokens := func(n, width int64) shape.Shape { return shape.Shape{1, n, width} }
	gpt2, bert, vit := tokens(1024, 768), tokens(512, 768), tokens(197, 768)
	t5, frames, words := tokens(512, 512), tokens(1500, 384), tokens(448, 384)
	jamba := tokens(64, 4096)
	deepSeek := decoder(64, 129280, 7168, 61,
		"mla", `{"numHeads": 128, "qLatentDim": 1536, "kvLatentDim": 512, "ropeHeadDim": 64}`,
		"sharedExpertMoE", `{"numExperts": 256, "expertDim": 2048, "topK": 8, "scoreCorrection": true}`)
	deepSeek[2].times = 58
	for _, test := range []struct {
		name   string
		params int64
		parts  []part
	}{
		{"D03 GPT-2", 124_439_808, []part{
			ids("embedding", `{"vocabSize": 50257, "embeddingDim": 768}`, shape.Shape{1, 1024}),
			layers(1, "learnedPositionalEmbedding", `{"maxLen": 1024}`, gpt2),
			layers(12, "multiHeadAttention", `{"numHeads": 12, "causal": true, "layout": "fused", "transposed": true}`, gpt2),
			layers(12, "feedForward", `{"activation": "gelu_new", "transposed": true}`, gpt2),
			layers(25, "layerNorm", `{}`, gpt2),
		}},
		{"D11 bge-base-en", 109_482_240, []part{
			ids("embedding", `{"vocabSize": 30522, "embeddingDim": 768}`, shape.Shape{1, 512}),
			layers(1, "positionalEncoding", `{"maxLen": 512, "learned": true}`, bert),
			layers(1, "segmentEmbedding", `{}`, bert),
			layers(12, "multiHeadAttention", `{"numHeads": 12}`, bert),
			layers(12, "feedForward", `{"ffDim": 3072}`, bert),
			layers(25, "layerNorm", `{}`, bert),
			layers(1, "linear", `{"outFeatures": 768}`, bert),
		}},
		{"D13 Qwen2.5-7B", 7_615_616_512, decoder(64, 152064, 3584, 28,
			"groupedQueryAttention", `{"numHeads": 28, "numKVHeads": 4, "qkvBias": true}`, "swiglu", `{"intermediateSize": 18944}`)},
		{"D14 Qwen3-8B", 8_190_735_360, decoder(64, 151936, 4096, 36,
			"groupedQueryAttention", `{"numHeads": 32, "numKVHeads": 8, "headDim": 128, "qkNorm": "head"}`, "swiglu", `{"intermediateSize": 12288}`)},
		{"D15 OLMo-7B", 6_888_095_744, without(decoder(64, 50304, 4096, 32,
			"groupedQueryAttention", `{"numHeads": 32}`, "swiglu", `{"intermediateSize": 11008}`), "rmsNorm")},
		{"OLMo-2-7B", 7_298_617_344, decoder(64, 100352, 4096, 32,
			"groupedQueryAttention", `{"numHeads": 32, "qkNorm": "full"}`, "swiglu", `{"intermediateSize": 11008}`)},
		{"D17 ViT-B/16", 86_567_656, []part{
			layers(1, "patchEmbed", `{"imgSize": 224, "patchSize": 16, "embedDim": 768, "clsToken": true, "posEmbed": true}`, shape.Shape{1, 3, 224, 224}),
			layers(12, "multiHeadAttention", `{"numHeads": 12, "layout": "fused"}`, vit),
			layers(12, "feedForward", `{}`, vit),
			layers(25, "layerNorm", `{}`, vit),
			layers(1, "linear", `{"outFeatures": 1000}`, shape.Shape{1, 768}),
		}},
		{"D18 DeepSeek-V3", 671_026_419_200, append(deepSeek, layers(3, "swiglu", `{"intermediateSize": 18432}`, tokens(64, 7168)))},
		{"D33 Gemma-3-270m", 268_098_176, append(without(decoder(64, 262144, 640, 18,
			"groupedQueryAttention", `{"numHeads": 4, "numKVHeads": 1, "headDim": 256, "qkNorm": "head"}`, "geglu", `{"intermediateSize": 2048, "approximate": "tanh"}`), "linear"),
			layers(36, "rmsNorm", `{}`, tokens(64, 640)))},
		{"D54 Mixtral 8x7B", 46_702_792_704, decoder(64, 32000, 4096, 32,
			"groupedQueryAttention", `{"numHeads": 32, "numKVHeads": 8}`, "moeLayer", `{"numExperts": 8, "expertDim": 14336}`)},
		{"gpt-oss-120b", 116_829_156_672, decoder(256, 201088, 2880, 36,
			"groupedQueryAttention", `{"numHeads": 64, "numKVHeads": 8, "headDim": 64, "bias": true, "sinks": true, "slidingWindow": 128}`,
			"moeLayer", `{"numExperts": 128, "expertDim": 2880, "topK": 4, "bias": true, "routerBias": true, "layout": "stacked", "transposed": true}`)},
		{"GPT-Neo 125m", 125_198_592, []part{
			ids("embedding", `{"vocabSize": 50257, "embeddingDim": 768}`, shape.Shape{1, 1024}),
			layers(1, "learnedPositionalEmbedding", `{"maxLen": 2048}`, gpt2),
			layers(12, "multiHeadAttention", `{"numHeads": 12, "causal": true, "qkvBias": false}`, gpt2),
			layers(12, "feedForward", `{}`, gpt2),
			layers(25, "layerNorm", `{}`, gpt2),
		}},
		{"T5 small", 60_506_624, []part{
			ids("embedding", `{"vocabSize": 32128, "embeddingDim": 512}`, shape.Shape{1, 512}),
			layers(2, "multiHeadAttention", `{"numHeads": 8, "headDim": 64, "bias": false, "relativeBuckets": 32}`, t5),
			layers(10, "multiHeadAttention", `{"numHeads": 8, "headDim": 64, "bias": false}`, t5),
			layers(6, "crossAttention", `{"numHeads": 8, "headDim": 64, "bias": false}`, t5, t5),
			layers(12, "feedForward", `{"ffDim": 2048, "activation": "relu", "bias": false}`, t5),
			layers(32, "rmsNorm", `{}`, t5),
		}},
		{"Whisper tiny", 37_760_640, []part{
			raw("conv1d", `{"outChannels": 384, "kernelSize": 3, "padding": 1}`, shape.Shape{1, 80, 3000}),
			raw("conv1d", `{"outChannels": 384, "kernelSize": 3, "padding": 1, "stride": 2}`, shape.Shape{1, 384, 3000}),
			layers(1, "positionalEncoding", `{"maxLen": 1500, "learned": true}`, frames),
			layers(4, "multiHeadAttention", `{"numHeads": 6, "keyBias": false}`, frames),
			layers(4, "feedForward", `{}`, frames),
			layers(9, "layerNorm", `{}`, frames),
			ids("embedding", `{"vocabSize": 51865, "embeddingDim": 384}`, shape.Shape{1, 448}),
			layers(1, "learnedPositionalEmbedding", `{"maxLen": 448}`, words),
			layers(4, "multiHeadAttention", `{"numHeads": 6, "causal": true, "keyBias": false}`, words),
			layers(4, "crossAttention", `{"numHeads": 6, "keyBias": false}`, words, frames),
			layers(4, "feedForward", `{}`, words),
			layers(13, "layerNorm", `{}`, words),
		}},
		{"Mamba 130m", 129_135_360, []part{
			ids("embedding", `{"vocabSize": 50280, "embeddingDim": 768}`, shape.Shape{1, 64}),
			layers(24, "mamba", `{}`, tokens(64, 768)),
			layers(25, "rmsNorm", `{}`, tokens(64, 768)),
		}},
		{"Jamba v0.1", 51_570_323_328, []part{
			ids("embedding", `{"vocabSize": 65536, "embeddingDim": 4096}`, shape.Shape{1, 64}),
			layers(4, "groupedQueryAttention", `{"numHeads": 32, "numKVHeads": 8}`, jamba),
			layers(28, "mamba", `{"dtRank": 256, "stateNorms": true}`, jamba),
			layers(16, "swiglu", `{"intermediateSize": 14336}`, jamba),
			layers(16, "moeLayer", `{"numExperts": 16, "expertDim": 14336}`, jamba),
			layers(65, "rmsNorm", `{}`, jamba),
			layers(1, "linear", `{"outFeatures": 65536, "bias": false}`, jamba),
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if sum := sumOf(t, test.parts); sum.params != test.params {
				t.Errorf("%d parameters, want %d", sum.params, test.params)
			}
		})
	}
}

// swinTiny is Swin-T over an image of 224 × 224.
func swinTiny() []part {
	parts := []part{layers(1, "conv2d", `{"outChannels": 96, "kernelSize": 4, "stride": 4}`, shape.Shape{1, 3, 224, 224})}
	norms := []shape.Shape{{1, 56, 56, 96}}
	for i, depth := range []int64{2, 2, 6, 2} {
		side, width := int64(56>>i), int64(96<<i)
		x := shape.Shape{1, side, side, width}
		if i > 0 {
			merged := shape.Shape{1, side, side, 2 * width}
			norms = append(norms, merged)
			parts = append(parts, layers(1, "linear", fmt.Sprintf(`{"outFeatures": %d, "bias": false}`, width), merged))
		}
		parts = append(parts,
			layers(depth, "windowAttention", fmt.Sprintf(`{"numHeads": %d, "windowSize": 7, "relativePositions": true, "bias": true}`, width/32), x),
			layers(depth, "feedForward", `{}`, x),
			layers(2*depth, "layerNorm", `{}`, x))
	}
	for _, x := range append(norms, shape.Shape{1, 7, 7, 768}) {
		parts = append(parts, layers(1, "layerNorm", `{}`, x))
	}
	return append(parts, layers(1, "linear", `{"outFeatures": 1000}`, shape.Shape{1, 768}))
}

// TestPublishedMACs adds up models whose multiply-accumulates are published:
// language models over 128 tokens, and Swin-T.
func TestPublishedMACs(t *testing.T) {
	x := shape.Shape{1, 128, 768}
	for _, test := range []struct {
		name  string
		macs  int64
		round int64 // to how many MACs the published figure is rounded
		parts []part
	}{
		{"llama-7b", 850_000_871_424, 1, decoder(128, 32000, 4096, 32, "groupedQueryAttention", `{"numHeads": 32}`, "swiglu", `{"intermediateSize": 11008}`)},
		{"baichuan-7B", 866_778_087_424, 1, decoder(128, 64000, 4096, 32, "groupedQueryAttention", `{"numHeads": 32, "layout": "fused"}`, "swiglu", `{"intermediateSize": 11008}`)},
		{"Qwen-7B", 912_881_876_992, 1, decoder(128, 151936, 4096, 32, "groupedQueryAttention", `{"numHeads": 32, "qkvBias": true}`, "swiglu", `{"intermediateSize": 11008}`)},
		{"chatglm2-6b", 768_799_145_984, 1, decoder(128, 65024, 4096, 28, "groupedQueryAttention", `{"numHeads": 32, "numKVHeads": 2, "qkvBias": true}`, "swiglu", `{"intermediateSize": 13696}`)},
		{"chinese-roberta-wwm-ext", 11_174_215_680, 1, []part{
			layers(12, "multiHeadAttention", `{"numHeads": 12}`, x),
			layers(12, "feedForward", `{}`, x),
			layers(1, "linear", `{"outFeatures": 768}`, shape.Shape{1, 768}),
		}},
		{"swin_t", 4_491_000_000, 1_000_000, swinTiny()},
	} {
		t.Run(test.name, func(t *testing.T) {
			sum := sumOf(t, test.parts)
			if diff := new(big.Int).Sub(&sum.macs, big.NewInt(test.macs)); diff.CmpAbs(big.NewInt(test.round)) >= 0 {
				t.Errorf("%s MACs, want %d", &sum.macs, test.macs)
			}
		})
	}
	if got := sumOf(t, swinTiny()); got.params != 28_288_354 {
		t.Errorf("swin_t: %d parameters, want 28288354", got.params)
	}
}

// TestReferenceFigures compares the layers of the reference documents with the
// figures that they state.
func TestReferenceFigures(t *testing.T) {
	src, err := os.ReadFile(filepath.FromSlash("../../../shared/reference/expected.json"))
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("the reference figures are not beside the checkout: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	var want struct {
		Templates map[string]struct {
			Parameters int64    `json:"parameters"`
			MACs       *big.Int `json:"macs"`
			Causal     *big.Int `json:"macs_causal"`
		} `json:"templates"`
		Layers map[string]map[string]int64 `json:"layer_parameters"`
	}
	if err := json.Unmarshal(src, &want); err != nil {
		t.Fatal(err)
	}
	phi, llama := shape.Shape{1, 2048, 3072}, shape.Shape{1, 2048, 4096}
	models := map[string]map[string]part{
		"phi3-mini": {
			"embed":     ids("embedding", `{"numEmbeddings": 32064, "embeddingDim": 3072}`, shape.Shape{1, 2048}),
			"norm_attn": layers(1, "rmsNorm", `{"normalizedShape": 3072}`, phi),
			"attn":      layers(1, "groupedQueryAttention", `{"embedDim": 3072, "numHeads": 32, "numKVHeads": 32}`, phi),
			"norm_ffn":  layers(1, "rmsNorm", `{"normalizedShape": 3072}`, phi),
			"ffn":       layers(1, "swiglu", `{"embedDim": 3072, "intermediateSize": 8192}`, phi),
			"norm_out":  layers(1, "rmsNorm", `{"normalizedShape": 3072}`, phi),
			"lm_head":   layers(1, "linear", `{"outFeatures": 32064}`, phi),
		},
		"llama3-block": {
			"embed":      ids("embedding", `{"numEmbeddings": 128256, "embeddingDim": 4096}`, shape.Shape{1, 2048}),
			"attn_norm":  layers(1, "rmsNorm", `{"normalizedShape": 4096}`, llama),
			"gqa":        layers(1, "groupedQueryAttention", `{"embedDim": 4096, "numHeads": 32, "numKVHeads": 8}`, llama),
			"ffn_norm":   layers(1, "rmsNorm", `{"normalizedShape": 4096}`, llama),
			"swiglu_ffn": layers(1, "swiglu", `{"embedDim": 4096, "intermediateSize": 11008}`, llama),
		},
	}
	for id, parts := range models {
		sum := new(tally)
		for name, p := range parts {
			if got := p.try(t).Params; got != want.Layers[id][name] {
				t.Errorf("%s: %s has %d parameters, want %d", id, name, got, want.Layers[id][name])
			}
			sum.add(t, p)
		}
		compare(t, id, sum, want.Templates[id].Parameters, want.Templates[id].MACs, want.Templates[id].Causal)
	}
	qwen := sumOf(t, decoder(40960, 151936, 4096, 36,
		"groupedQueryAttention", `{"embedDim": 4096, "numHeads": 32, "numKVHeads": 8, "headDim": 128}`, "swiglu", `{"intermediateSize": 12288}`))
	w := want.Templates["qwen3-8b"]
	compare(t, "qwen3-8b", qwen, w.Parameters, w.MACs, w.Causal)
}

func compare(t *testing.T, name string, got *tally, params int64, macs, causal *big.Int) {
	t.Helper()
	if got.params != params {
		t.Errorf("%s: %d parameters, want %d", name, got.params, params)
	}
	if got.macs.Cmp(macs) != 0 || got.causal.Cmp(causal) != 0 {
		t.Errorf("%s: %s MACs, %s causal, want %s and %s", name, &got.macs, &got.causal, macs, causal)
	}
}

// TestTensorNames compares the tensors of layers with those of checkpoints.
func TestTensorNames(t *testing.T) {
	for _, test := range []struct {
		name, typ, params string
		in                shape.Shape
		want              string
	}{
		{"GPT-2", "multiHeadAttention", `{"numHeads": 12, "layout": "fused", "transposed": true, "names": {"qkv": "c_attn", "o": "c_proj"}}`, shape.Shape{1, 4, 768},
			"c_attn.weight [768, 2304]\nc_attn.bias [2304]\nc_proj.weight [768, 768]\nc_proj.bias [768]"},
		{"GPT-NeoX", "multiHeadAttention", `{"numHeads": 12, "layout": "interleaved", "names": {"o": "dense"}}`, shape.Shape{1, 4, 768},
			"query_key_value.weight [2304, 768]\nquery_key_value.bias [2304]\ndense.weight [768, 768]\ndense.bias [768]"},
		{"BEiT", "multiHeadAttention", `{"numHeads": 12, "layout": "fused", "keyBias": false, "names": {"q.bias": "q_bias", "v.bias": "v_bias"}}`, shape.Shape{1, 4, 768},
			"qkv_proj.weight [2304, 768]\nq_bias [768]\nv_bias [768]\no_proj.weight [768, 768]\no_proj.bias [768]"},
		{"BEiT in transformers", "selfAttention", `{"numHeads": 12, "outProj": false, "keyBias": false, "relativeGrid": 14, "names": {"q": "query", "k": "key", "v": "value", "relative_position_bias_table": "relative_position_bias.relative_position_bias_table"}}`, shape.Shape{1, 197, 768},
			"query.weight [768, 768]\nquery.bias [768]\nkey.weight [768, 768]\nvalue.weight [768, 768]\nvalue.bias [768]\nrelative_position_bias.relative_position_bias_table [732, 12]"},
		{"SAM", "windowAttention", `{"numHeads": 12, "windowSize": 14, "decomposedPositions": true, "bias": true, "layout": "fused", "names": {"qkv": "qkv", "o": "proj"}}`, shape.Shape{1, 64, 64, 768},
			"qkv.weight [2304, 768]\nqkv.bias [2304]\nproj.weight [768, 768]\nproj.bias [768]\nrel_pos_h [27, 64]\nrel_pos_w [27, 64]"},
		{"Swin in torchvision", "windowAttention", `{"numHeads": 3, "windowSize": 7, "relativePositions": true, "relativeIndex": "flat", "bias": true, "layout": "fused", "names": {"qkv": "qkv", "o": "proj"}}`, shape.Shape{1, 56, 56, 96},
			"qkv.weight [288, 96]\nqkv.bias [288]\nproj.weight [96, 96]\nproj.bias [96]\nrelative_position_bias_table [169, 3]\nrelative_position_index [2401], buffer"},
		{"Phi-3", "groupedQueryAttention", `{"numHeads": 32, "layout": "fused"}`, shape.Shape{1, 4, 3072},
			"qkv_proj.weight [9216, 3072]\no_proj.weight [3072, 3072]"},
		{"Qwen3", "groupedQueryAttention", `{"numHeads": 16, "numKVHeads": 8, "headDim": 128, "qkNorm": "head"}`, shape.Shape{1, 4, 1024},
			"q_proj.weight [2048, 1024]\nk_proj.weight [1024, 1024]\nv_proj.weight [1024, 1024]\no_proj.weight [1024, 2048]\nq_norm.weight [128]\nk_norm.weight [128]"},
		{"DeepSeek-V2-Lite", "mla", `{"numHeads": 16, "kvLatentDim": 512, "ropeHeadDim": 64}`, shape.Shape{1, 4, 2048},
			"q_proj.weight [3072, 2048]\nkv_a_proj_with_mqa.weight [576, 2048]\nkv_a_layernorm.weight [512]\nkv_b_proj.weight [4096, 512]\no_proj.weight [2048, 2048]"},
		{"Mixtral", "moeLayer", `{"numExperts": 8, "expertDim": 14336, "names": {"gate": "w1", "down": "w2", "up": "w3"}}`, shape.Shape{1, 4, 4096},
			"gate.weight [8, 4096]\nexperts.{}.w1.weight [14336, 4096] × 8, 2 used\nexperts.{}.w3.weight [14336, 4096] × 8, 2 used\nexperts.{}.w2.weight [4096, 14336] × 8, 2 used"},
		{"gpt-oss", "moeLayer", `{"numExperts": 128, "expertDim": 2880, "topK": 4, "bias": true, "routerBias": true, "layout": "stacked", "transposed": true, "names": {"router": "router"}}`, shape.Shape{1, 4, 2880},
			"router.weight [128, 2880]\nrouter.bias [128]\nexperts.gate_up_proj [128, 2880, 5760], 4 used, stacked\nexperts.gate_up_proj_bias [128, 5760], 4 used, stacked\nexperts.down_proj [128, 2880, 2880], 4 used, stacked\nexperts.down_proj_bias [128, 2880], 4 used, stacked"},
		{"Qwen2-MoE", "sharedExpertMoE", `{"numExperts": 64, "expertDim": 2560, "topK": 8, "sharedExpertDim": 20480, "sharedGate": true, "layout": "fused", "names": {"shared": "shared_expert"}}`, shape.Shape{1, 4, 3584},
			"gate.weight [64, 3584]\nexperts.{}.gate_up_proj.weight [5120, 3584] × 64, 8 used\nexperts.{}.down_proj.weight [3584, 2560] × 64, 8 used\nshared_expert.gate_up_proj.weight [40960, 3584]\nshared_expert.down_proj.weight [3584, 20480]\nshared_expert_gate.weight [1, 3584]"},
		{"an encoder of PyTorch", "transformerBlock", `{"numHeads": 4, "numLayers": 2, "ffDim": 16}`, shape.Shape{1, 4, 8},
			"layers.{}.self_attn.in_proj_weight [24, 8] × 2\nlayers.{}.self_attn.in_proj_bias [24] × 2\nlayers.{}.self_attn.out_proj.weight [8, 8] × 2\nlayers.{}.self_attn.out_proj.bias [8] × 2\nlayers.{}.linear1.weight [16, 8] × 2\nlayers.{}.linear1.bias [16] × 2\nlayers.{}.linear2.weight [8, 16] × 2\nlayers.{}.linear2.bias [8] × 2\nlayers.{}.norm1.weight [8] × 2\nlayers.{}.norm1.bias [8] × 2\nlayers.{}.norm2.weight [8] × 2\nlayers.{}.norm2.bias [8] × 2"},
	} {
		r := use{typ: test.typ, Example: of(test.params, test.in)}.try(t)
		var b strings.Builder
		tensors(&b, r)
		lines := strings.Split(strings.ReplaceAll(b.String(), "\t", ""), "\n")
		if diff := cmp.Diff(strings.Split(test.want, "\n"), lines[:len(r.Weights)]); diff != "" {
			t.Errorf("%s (-want +got)\n%s", test.name, diff)
		}
	}
}

// TestStorageKeepsCounts checks that no way of storing a layer changes what it
// has or does.
func TestStorageKeepsCounts(t *testing.T) {
	for _, test := range []struct {
		typ, params string
		in          []shape.Shape
	}{
		{"multiHeadAttention", `"numHeads": 4`, []shape.Shape{{2, 5, 16}}},
		{"multiHeadAttention", `"numHeads": 4, "keyBias": false, "relativeBuckets": 8`, []shape.Shape{{2, 5, 16}}},
		{"crossAttention", `"numHeads": 4, "qkvBias": false`, []shape.Shape{{2, 5, 16}, {2, 3, 16}}},
		{"groupedQueryAttention", `"numHeads": 4, "numKVHeads": 2, "headDim": 8, "qkvBias": true, "qkNorm": "full"`, []shape.Shape{{2, 5, 16}}},
		{"swiglu", `"intermediateSize": 24, "bias": true`, []shape.Shape{{2, 5, 16}}},
		{"moeLayer", `"numExperts": 4, "expertDim": 24, "bias": true`, []shape.Shape{{2, 5, 16}}},
		{"sharedExpertMoE", `"numExperts": 4, "expertDim": 24, "topK": 3, "gated": false, "bias": true`, []shape.Shape{{2, 5, 16}}},
	} {
		typ, _ := Lookup(test.typ)
		layout, _ := typ.Field("layout")
		plain := use{typ: test.typ, Example: of("{"+test.params+"}", test.in...)}.try(t)
		for _, how := range layout.Enum {
			for _, transposed := range []bool{false, true} {
				params := fmt.Sprintf(`{%s, "layout": %q, "transposed": %t}`, test.params, how, transposed)
				r := use{typ: test.typ, Example: of(params, test.in...)}.try(t)
				if len(r.Problems) > 0 || r.Params != plain.Params || r.Active != plain.Active || r.Work.Full.Cmp(plain.Work.Full) != 0 {
					t.Errorf("%s %s: %d parameters, %d active, %s MACs %v; stored plainly %d, %d, %s", test.typ, params,
						r.Params, r.Active, r.Work.Full, r.Problems, plain.Params, plain.Active, plain.Work.Full)
				}
			}
		}
	}
}
