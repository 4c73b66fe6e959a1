package layer

import (
	"math/big"
	"strings"
	"testing"

	"github.com/strata-catalog/strata/generator/shape"
)

// formulas are the words of Doc.Work with numbers put in, for every type that
// has multiply-accumulates; causal is 0 where it is not counted apart.
var formulas = []struct {
	typ                string
	params             string
	in                 []shape.Shape
	macs, causal, elem int64
}{
	{"linear", `{"outFeatures": 5}`, []shape.Shape{{2, 3, 7}}, 2 * 3 * 5 * 7, 0, 0},
	{"projection", `{"outDim": 5}`, []shape.Shape{{2, 3, 7}}, 2 * 3 * 5 * 7, 0, 0},
	{"patchEmbed", `{"patchSize": [2, 4], "embedDim": 7, "clsToken": true, "posEmbed": true}`, []shape.Shape{{2, 3, 8, 8}}, 2 * (4 * 2) * 7 * 3 * 2 * 4, 0, 0},

	{"multiHeadAttention", `{"numHeads": 2, "headDim": 3, "kvDim": 7}`, []shape.Shape{{2, 4, 8}, {2, 5, 7}},
		2*2*2*3*(4*8+5*7) + 2*2*2*3*4*5, 0, 2 * 2 * 4 * 5},
	{"multiHeadAttention", `{"numHeads": 2, "headDim": 3, "outProj": false, "causal": true}`, []shape.Shape{{2, 4, 8}},
		2*2*3*(4*8+2*4*8) + 2*2*2*3*4*4, 2*2*3*(4*8+2*4*8) + 2*2*2*3*4*4/2, 2 * 2 * 4 * 4},
	{"attention", `{"numHeads": 2}`, []shape.Shape{{2, 4, 8}}, 2*2*8*(4*8+4*8) + 2*2*8*4*4, 0, 2 * 2 * 4 * 4},
	{"selfAttention", `{"numHeads": 2}`, []shape.Shape{{2, 4, 8}}, 2*2*8*(4*8+4*8) + 2*2*8*4*4, 0, 2 * 2 * 4 * 4},
	{"causalAttention", `{"numHeads": 2}`, []shape.Shape{{2, 4, 8}}, 2*2*8*(4*8+4*8) + 2*2*8*4*4, 2*2*8*(4*8+4*8) + 2*2*8*4*4/2, 2 * 2 * 4 * 4},
	{"crossAttention", `{"numHeads": 2}`, []shape.Shape{{2, 4, 8}, {2, 5, 6}}, 2*2*8*(4*8+5*6) + 2*2*8*4*5, 0, 2 * 2 * 4 * 5},
	{"localAttention", `{"numHeads": 2, "windowSize": 3}`, []shape.Shape{{2, 9, 8}},
		2*2*8*(9*8+9*8) + 2*2*8*9*9, 2*2*8*(9*8+9*8) + 2*2*8*9*3, 2 * 2 * 9 * 9},
	{"localAttention", `{"numHeads": 2, "windowSize": 4, "causal": true}`, []shape.Shape{{2, 9, 8}},
		2*2*8*(9*8+9*8) + 2*2*8*9*9, 2*2*8*(9*8+9*8) + 2*2*8*(9*4-4*4/2), 2 * 2 * 9 * 9},
	{"windowAttention", `{"numHeads": 2, "windowSize": 3}`, []shape.Shape{{2, 5, 4, 8}},
		2*2*8*(36*8+36*8) + 2*2*8*36*9, 0, 2 * 2 * 36 * 9},
	{"nativeSparseAttention", `{"numHeads": 2, "blockSize": 4, "topBlocks": 2, "windowSize": 2}`, []shape.Shape{{2, 64, 8}},
		2*2*8*(64*8+64*8) + 2*2*8*64*64, 2*2*8*(64*8+64*8) + 2*2*8*(64*16/2+(64*8-8*8/2)+(64*2-2*2/2)), 2 * 2 * 64 * 64},
	{"groupedQueryAttention", `{"numHeads": 4, "numKVHeads": 2, "headDim": 3, "slidingWindow": 4}`, []shape.Shape{{2, 9, 8}},
		2*9*8*2*(4+2)*3 + 2*2*4*3*9*9, 2*9*8*2*(4+2)*3 + 2*2*4*3*(9*4-4*4/2), 2 * 4 * 9 * 9},
	{"mla", `{"numHeads": 2, "qLatentDim": 5, "kvLatentDim": 6, "ropeHeadDim": 4, "nopeHeadDim": 3, "vHeadDim": 7}`, []shape.Shape{{2, 6, 8}},
		2*6*(5*8+5*2*(3+4)+8*(6+4)+6*2*(3+7)+8*2*7) + 2*2*(3+4+7)*6*6,
		2*6*(5*8+5*2*(3+4)+8*(6+4)+6*2*(3+7)+8*2*7) + 2*2*(3+4+7)*6*6/2, 2 * 2 * 6 * 6},
	{"mla", `{"numHeads": 2, "kvLatentDim": 6, "ropeHeadDim": 4, "nopeHeadDim": 3, "vHeadDim": 7, "causal": false}`, []shape.Shape{{2, 6, 8}},
		2*6*(8*2*(3+4)+8*(6+4)+6*2*(3+7)+8*2*7) + 2*2*(3+4+7)*6*6, 0, 2 * 2 * 6 * 6},
	{"transformerBlock", `{"numHeads": 2, "ffDim": 5, "numLayers": 3, "causal": true}`, []shape.Shape{{2, 6, 8}},
		3 * 2 * (4*6*8*8 + 2*6*8*5 + 2*8*6*6), 3 * 2 * (4*6*8*8 + 2*6*8*5 + 8*6*6), 3 * 2 * (2*6*6 + 6*(4*8+5))},

	{"feedForward", `{"ffDim": 5}`, []shape.Shape{{2, 6, 8}}, 2 * 12 * 8 * 5, 0, 12 * 5},
	{"swiglu", `{"intermediateSize": 5}`, []shape.Shape{{2, 6, 8}}, 3 * 12 * 8 * 5, 0, 2 * 12 * 5},
	{"geglu", `{"intermediateSize": 5}`, []shape.Shape{{2, 6, 8}}, 3 * 12 * 8 * 5, 0, 2 * 12 * 5},
	{"seBlock", `{"squeezeChannels": 3}`, []shape.Shape{{2, 8, 4, 5}}, 2 * 2 * 8 * 3, 0, 2 * 2 * 8 * 4 * 5},
	{"moeLayer", `{"numExperts": 7, "expertDim": 5, "topK": 2}`, []shape.Shape{{2, 6, 8}}, 12 * (8*7 + 2*3*8*5), 0, 12 * 2 * 2 * 5},
	{"moeLayer", `{"numExperts": 7, "expertDim": 5, "topK": 2, "gated": false}`, []shape.Shape{{2, 6, 8}}, 12 * (8*7 + 2*2*8*5), 0, 12 * 2 * 5},
	{"sharedExpertMoE", `{"numExperts": 7, "expertDim": 5, "topK": 2, "numSharedExperts": 2, "sharedExpertDim": 3, "sharedGate": true}`, []shape.Shape{{2, 6, 8}},
		12*(8*7+2*3*8*5) + 3*12*8*(2*3) + 12*8, 0, 12*2*2*5 + 2*12*(2*3)},

	{"lstm", `{"hiddenSize": 5, "projSize": 3, "numLayers": 2, "bidirectional": true}`, []shape.Shape{{2, 6, 8}},
		2*12*(4*5*(8+3)+3*5) + 2*12*(4*5*(2*3+3)+3*5), 0, 2 * 2 * 12 * 4 * 5},
	{"gru", `{"hiddenSize": 5, "returnSequences": false}`, []shape.Shape{{2, 6, 8}}, 12 * 3 * 5 * (8 + 5), 0, 12 * 3 * 5},
	{"rnn", `{"hiddenSize": 5}`, []shape.Shape{{2, 6, 8}}, 12 * 5 * (8 + 5), 0, 12 * 5},
	{"mamba", `{"dState": 3, "dConv": 4, "dtRank": 5}`, []shape.Shape{{2, 6, 8}},
		12*16*(3*8+4+2*5+2*3) + 2*(4-1)*16*4, 0, 6 * 12 * 16 * 3},
	{"mamba2", `{"dState": 3, "dConv": 4, "headDim": 2, "numGroups": 4}`, []shape.Shape{{2, 6, 8}},
		12*8*(3*16+2*4*3+8) + (12+2*(4-1))*(16+2*4*3)*4, 0, 5 * 12 * 16 * 3},
	{"rwkvTimeMix", `{"innerDim": 5}`, []shape.Shape{{2, 6, 8}}, 4 * 12 * 8 * 5, 0, 9*12*8 + 25*12*5},
	{"rwkvChannelMix", `{"ffDim": 5}`, []shape.Shape{{2, 6, 8}}, 12 * 8 * (2*5 + 8), 0, 12 * (8*8 + 2*5)},

	{"conv1d", `{"outChannels": 6, "kernelSize": 3, "groups": 2}`, []shape.Shape{{2, 4, 9}}, 2 * 6 * 7 * 2 * 3, 0, 0},
	{"conv2d", `{"outChannels": 6, "kernelSize": [3, 2], "groups": 2}`, []shape.Shape{{2, 4, 9, 9}}, 2 * 6 * 7 * 8 * 2 * 3 * 2, 0, 0},
	{"conv3d", `{"outChannels": 6, "kernelSize": 2}`, []shape.Shape{{2, 4, 3, 3, 3}}, 2 * 6 * 2 * 2 * 2 * 4 * 8, 0, 0},
	{"dilatedConv2d", `{"outChannels": 6, "kernelSize": 3, "dilation": 2}`, []shape.Shape{{2, 4, 9, 9}}, 2 * 6 * 5 * 5 * 4 * 9, 0, 0},
	{"depthwiseConv2d", `{"kernelSize": 3, "depthMultiplier": 2}`, []shape.Shape{{2, 4, 9, 9}}, 2 * 8 * 7 * 7 * 9, 0, 0},
	{"separableConv2d", `{"outChannels": 6, "kernelSize": 3, "depthMultiplier": 2}`, []shape.Shape{{2, 4, 9, 9}}, 2 * 7 * 7 * 4 * 2 * (9 + 6), 0, 0},
	{"transposeConv2d", `{"outChannels": 6, "kernelSize": 3, "stride": 2, "groups": 2}`, []shape.Shape{{2, 4, 5, 5}}, 2 * 4 * 5 * 5 * 3 * 9, 0, 0},

	{"patchMerging", `{}`, []shape.Shape{{2, 4, 5, 6}}, 2 * 8 * 3 * 3 * 4 * 4, 0, 2 * 3 * 3 * 16},
	{"patchMerging", `{"outFeatures": 5, "normLast": true}`, []shape.Shape{{2, 4, 5, 6}}, 2 * 5 * 3 * 3 * 4 * 4, 0, 2 * 3 * 3 * 5},
	{"fourierPositions", `{"numFeatures": 5, "imgSize": 9}`, []shape.Shape{{2, 3, 2}}, 2 * 3 * 10, 0, 2 * 3 * 10},
	{"fourierPositions", `{"numFeatures": 5, "imgSize": [3, 4]}`, nil, 12 * 10, 0, 12 * 10},
	{"windowAttention", `{"numHeads": 2, "windowSize": [2, 3], "decomposedPositions": true, "bias": true}`, []shape.Shape{{1, 3, 4, 8}},
		4*6*4*8*8 + 2*8*24*6 + 8*24*5, 0, 2 * 24 * 6},
	{"disentangledAttention", `{"numHeads": 4, "headDim": 3, "positionBuckets": 5}`, []shape.Shape{{2, 6, 8}, {10, 8}},
		4*2*6*8*12 + 2*2*12*6*6 + 2*(10*8*12+2*12*6*10), 0, 2 * 4 * 6 * 6},
	{"disentangledAttention", `{"numHeads": 4, "maxDistance": 7, "positionToContent": false}`, []shape.Shape{{2, 6, 8}, {14, 8}},
		4*2*6*8*8 + 2*2*8*6*6 + 14*8*8 + 2*8*6*14, 0, 2 * 4 * 6 * 6},

	{"matmul", `{}`, []shape.Shape{{2, 3, 4}, {2, 4, 5}}, 2 * 3 * 5 * 4, 0, 0},
	{"graphConv", `{"outFeatures": 5}`, []shape.Shape{{9, 8}}, 2 * 9 * 8 * 5, 0, 0},
	{"gcn", `{"outFeatures": 5}`, []shape.Shape{{9, 8}}, 9 * 8 * 5, 0, 0},
	{"gat", `{"outFeatures": 5, "heads": 3, "concat": false}`, []shape.Shape{{9, 8}}, 9 * 8 * 3 * 5, 0, 2 * 9 * 3 * 5},
	{"graphSAGE", `{"outFeatures": 5, "aggregator": "lstm"}`, []shape.Shape{{9, 8}}, 2 * 9 * 8 * 5, 0, 0},
	{"featureInteraction", `{}`, []shape.Shape{{1, 8}, {1, 5, 8}}, 6 * 6 * 8, 0, 0},
}

// TestWorkFormulas holds the work of every type against what its words say.
func TestWorkFormulas(t *testing.T) {
	tried := map[string]bool{}
	for _, f := range formulas {
		tried[f.typ] = true
		typ, ok := Lookup(f.typ)
		if !ok {
			t.Errorf("no type %s", f.typ)
			continue
		}
		r, err := typ.Try(Example{Params: f.params, In: f.in, Channels: typ.Part == Convolution})
		if err != nil {
			t.Fatal(err)
		}
		if !r.Worked {
			t.Errorf("%s %s: no work (%v)", f.typ, f.params, r.Problems)
			continue
		}
		for _, n := range []struct {
			what string
			got  *big.Int
			want int64
		}{{"MACs", r.Work.Full, f.macs}, {"causal MACs", r.Work.Causal, f.causal}, {"element-wise operations", r.Work.Elem, f.elem}} {
			if got := sum(new(big.Int), n.got); got.Cmp(big.NewInt(n.want)) != 0 {
				t.Errorf("%s %s: %v %s, want %d", f.typ, f.params, got, n.what, n.want)
			}
		}
	}
	for _, typ := range All {
		if !tried[typ.Name] && !strings.HasPrefix(typ.Doc.Work, "none") {
			t.Errorf("the formula of %s is not tried", typ.Name)
		}
	}
}

// The words for a type's work say "none" exactly where no example has
// multiply-accumulates, and speak of element-wise operations where there are.
func TestWorkWords(t *testing.T) {
	for _, typ := range All {
		var macs, elem bool
		for _, e := range typ.Doc.Examples {
			r, err := typ.Try(e)
			if err != nil {
				t.Fatal(err)
			}
			macs = macs || r.Work.Full != nil && r.Work.Full.Sign() > 0
			elem = elem || r.Work.Elem != nil && r.Work.Elem.Sign() > 0
		}
		said := typ.Doc.Work
		if strings.HasPrefix(said, "none") == macs {
			t.Errorf("%s: examples with multiply-accumulates: %v, but Work says %q", typ.Name, macs, said)
		}
		if strings.Contains(said, "element-wise operation") != elem {
			t.Errorf("%s: examples with element-wise operations: %v, but Work says %q", typ.Name, elem, said)
		}
	}
}
