package generator_test

import (
	"fmt"
	"math/big"
	"os"
	"strings"
	"testing"

	"github.com/strata-catalog/strata/generator/cost"
	"github.com/strata-catalog/strata/generator/export"
	"github.com/strata-catalog/strata/generator/facts"
	"github.com/strata-catalog/strata/generator/infer"
	"github.com/strata-catalog/strata/generator/pipeline"
)

// A fieldCase is a fault that users of other tools reported, on a whole graph:
// what was seen, and a figure that is right. Cases of one layer stand in
// package layer, those of memory and cost in package cost.
type fieldCase struct {
	id    string
	graph string // a document, or the path of one
	what  string
	got   func(*pipeline.Report) any
	want  string
}

const (
	seqToSeq = `{"components": [
		{"id": "src", "type": "input", "params": {"shape": [1, 8]}},
		{"id": "tgt", "type": "input", "params": {"shape": [1, 8]}},
		{"id": "shared", "type": "embedding", "params": {"numEmbeddings": 100, "embeddingDim": 16}, "inputs": ["src"]},
		{"id": "decoder", "type": "embedding", "params": {"numEmbeddings": 100, "embeddingDim": 16, "tied": true}, "inputs": ["tgt"]},
		{"id": "cross", "type": "crossAttention", "params": {"embedDim": 16, "numHeads": 2, "bias": false}, "inputs": ["decoder", "shared"]},
		{"id": "head", "type": "linear", "params": {"outFeatures": 100, "bias": false, "tiedTo": "shared"}, "inputs": ["cross"]},
		{"id": "out", "type": "output", "inputs": ["head"]}]}`
	sharedActivation = `{"components": [
		{"id": "x", "type": "input", "params": {"shape": [1, 4]}},
		{"id": "b", "block": "b", "repeat": 3, "inputs": ["x"]},
		{"id": "out", "type": "output", "inputs": ["b"]}],
		"blocks": {"b": {"inputs": ["x"], "components": [
			{"id": "fc1", "type": "linear", "params": {"outFeatures": 4}, "inputs": ["x"]},
			{"id": "act", "type": "relu", "inputs": ["fc1"]},
			{"id": "fc2", "type": "linear", "params": {"outFeatures": 4}, "inputs": ["act"]}], "output": "fc2"}}}`
	calledTwice = `{"components": [
		{"id": "x", "type": "input", "params": {"shape": [1, 4]}},
		{"id": "fc", "type": "linear", "params": {"outFeatures": 4}, "inputs": ["x"]},
		{"id": "again", "type": "linear", "params": {"outFeatures": 4}, "sharedWith": "fc", "inputs": ["fc"]},
		{"id": "out", "type": "output", "inputs": ["again"]}]}`
	longContext = `{"components": [
		{"id": "x", "type": "input", "params": {"shape": [1, 10000000]}},
		{"id": "e", "type": "embedding", "params": {"numEmbeddings": 200000, "embeddingDim": 16384}, "inputs": ["x"]},
		{"id": "a", "type": "groupedQueryAttention", "params": {"numHeads": 128, "numKVHeads": 8}, "inputs": ["e"]},
		{"id": "out", "type": "output", "inputs": ["a"]}]}`
	smallQwen = `{"components": [
		{"id": "x", "type": "input", "params": {"shape": [1, 64]}},
		{"id": "e", "type": "embedding", "params": {"numEmbeddings": 151936, "embeddingDim": 1024}, "inputs": ["x"]},
		{"id": "l", "block": "b", "repeat": 28, "inputs": ["e"]},
		{"id": "out", "type": "output", "inputs": ["l"]}],
		"blocks": {"b": {"inputs": ["x"], "components": [
			{"id": "a", "type": "groupedQueryAttention", "params": {"numHeads": 16, "numKVHeads": 8, "headDim": 128, "qkNorm": "head"}, "inputs": ["x"]},
			{"id": "r", "type": "add", "inputs": ["a", "x"]}], "output": "r"}}}`
	twoEdges = `{"components": [
		{"id": "x", "type": "input", "params": {"shape": [8, 4]}},
		{"id": "y", "type": "input", "params": {"shape": [4, 8]}},
		{"id": "head", "type": "matmul", "inputs": [%s]},
		{"id": "out", "type": "output", "inputs": ["head"]}]}`
	unknownShape = `{"components": [
		{"id": "x", "type": "input", "params": {"shape": [1, 4]}},
		{"id": "a", "type": "custom", "inputs": ["x"]},
		{"id": "fc", "type": "linear", "params": {"outFeatures": 4}, "inputs": ["a"]},
		{"id": "out", "type": "output", "inputs": ["fc"]}]}`
	oneOperand = `{"components": [
		{"id": "x", "type": "input", "params": {"shape": [1, 4]}},
		{"id": "fc", "type": "linear", "params": {"outFeatures": 4}, "inputs": ["x"]},
		{"id": "sum", "type": "add", "inputs": ["fc"]},
		{"id": "out", "type": "output", "inputs": ["sum"]}]}`
	mixer = `{"components": [
		{"id": "image", "type": "input", "params": {"shape": [1, 3, 32, 32]}},
		{"id": "patches", "type": "patchEmbed", "params": {"patchSize": 8, "embedDim": 24}, "inputs": ["image"]},
		{"id": "norm", "type": "layerNorm", "inputs": ["patches"]},
		{"id": "turn", "type": "permute", "params": {"dims": [0, 2, 1]}, "inputs": ["norm"]},
		{"id": "fc1", "type": "linear", "params": {"outFeatures": 40}, "inputs": ["turn"]},
		{"id": "gelu", "type": "gelu", "inputs": ["fc1"]},
		{"id": "fc2", "type": "linear", "params": {"outFeatures": 16}, "inputs": ["gelu"]},
		{"id": "back", "type": "permute", "params": {"dims": [0, 2, 1]}, "inputs": ["fc2"]},
		{"id": "sum", "type": "add", "inputs": ["back", "patches"]},
		{"id": "norm2", "type": "layerNorm", "inputs": ["sum"]},
		{"id": "out", "type": "output", "inputs": ["norm2"]}]}`
	waveform = `{"components": [
		{"id": "x", "type": "input", "params": {"shape": [1, 16000]}},
		{"id": "channel", "type": "unsqueeze", "params": {"dim": 1}, "inputs": ["x"]},
		{"id": "conv", "type": "conv1d", "params": {"outChannels": 512, "kernelSize": 10, "stride": 5, "bias": false}, "inputs": ["channel"]},
		{"id": "turn", "type": "permute", "params": {"dims": [0, 2, 1]}, "inputs": ["conv"]},
		{"id": "fc", "type": "linear", "params": {"outFeatures": 768}, "inputs": ["turn"]},
		{"id": "out", "type": "output", "inputs": ["fc"]}]}`
	convNext = `{"components": [
		{"id": "image", "type": "input", "params": {"shape": [1, 3, 32, 32]}},
		{"id": "stem", "type": "conv2d", "params": {"outChannels": 8, "kernelSize": 4, "stride": 4}, "inputs": ["image"]},
		{"id": "dw", "type": "conv2d", "params": {"outChannels": 8, "kernelSize": 7, "padding": 3, "groups": 8}, "inputs": ["stem"]},
		{"id": "last", "type": "permute", "params": {"dims": [0, 2, 3, 1]}, "inputs": ["dw"]},
		{"id": "norm", "type": "layerNorm", "inputs": ["last"]},
		{"id": "up", "type": "linear", "params": {"outFeatures": 32}, "inputs": ["norm"]},
		{"id": "down", "type": "linear", "params": {"outFeatures": 8}, "inputs": ["up"]},
		{"id": "first", "type": "permute", "params": {"dims": [0, 3, 1, 2]}, "inputs": ["down"]},
		{"id": "sum", "type": "add", "inputs": ["first", "stem"]},
		{"id": "bn", "type": "layerNorm", "inputs": ["sum"]},
		{"id": "pool", "type": "globalAvgPool2d", "inputs": ["bn"]},
		{"id": "head", "type": "linear", "params": {"outFeatures": 10}, "inputs": ["pool"]},
		{"id": "out", "type": "output", "inputs": ["head"]}]}`
	pixels = `{"components": [
		{"id": "image", "type": "input", "params": {"shape": [1, 3, 16, 16]}},
		{"id": "conv", "type": "conv2d", "params": {"outChannels": 16, "kernelSize": 2, "stride": 2}, "inputs": ["image"]},
		{"id": "flat", "type": "flatten", "params": {"startDim": 2}, "inputs": ["conv"]},
		{"id": "fc", "type": "linear", "params": {"outFeatures": 32}, "inputs": ["flat"]},
		{"id": "out", "type": "output", "inputs": ["fc"]}]}`
	padded = `{"components": [
		{"id": "image", "type": "input", "params": {"shape": [1, 3, 32, 32]}},
		{"id": "pad", "type": "pad", "params": {"pad": [1, 1, 1, 1]}, "inputs": ["image"]},
		{"id": "bn", "type": "batchNorm", "params": {"numFeatures": 3}, "inputs": ["pad"]},
		{"id": "conv", "type": "conv2d", "params": {"outChannels": 8, "kernelSize": 3}, "inputs": ["bn"]},
		{"id": "out", "type": "output", "inputs": ["conv"]}]}`
	generatorNet = `{"components": [
		{"id": "z", "type": "input", "params": {"shape": [1, 100]}},
		{"id": "fc", "type": "linear", "params": {"outFeatures": 6272}, "inputs": ["z"]},
		{"id": "image", "type": "reshape", "params": {"shape": [1, 128, 7, 7]}, "inputs": ["fc"]},
		{"id": "bn", "type": "batchNorm", "params": {"numFeatures": 128}, "inputs": ["image"]},
		{"id": "up", "type": "upsample", "params": {"scaleFactor": 2}, "inputs": ["bn"]},
		{"id": "conv", "type": "conv2d", "params": {"outChannels": 1, "kernelSize": 3, "padding": 1}, "inputs": ["up"]},
		{"id": "out", "type": "output", "inputs": ["conv"]}]}`
	flatImage = `{"components": [
		{"id": "image", "type": "input", "params": {"shape": [3, 32, 32]}},
		{"id": "flat", "type": "flatten", "inputs": ["image"]},
		{"id": "fc", "type": "linear", "params": {"inFeatures": 3072, "outFeatures": 10}, "inputs": ["flat"]},
		{"id": "out", "type": "output", "inputs": ["fc"]}]}`
	keywords = `{"id": "keywords", "components": [
		{"id": "x", "type": "input", "params": {"shape": [1, 4]}},
		{"id": "class", "type": "linear", "params": {"outFeatures": 4}, "inputs": ["x"]},
		{"id": "quote\"key", "type": "linear", "params": {"outFeatures": 4}, "inputs": ["class"]},
		{"id": "out", "type": "output", "inputs": ["quote\"key"]}]}`
)

func params(r *pipeline.Report) any { return r.Model.Params }

// tokenBytes is what one token adds to the cache in bf16.
func tokenBytes(r *pipeline.Report) any {
	plan, err := cost.New(r.Model, cost.Default())
	if err != nil {
		return err
	}
	return plan.Cache.TokenBytes
}

// foundRules lists the rules that found something.
func foundRules(r *pipeline.Report) any {
	var list []string
	for _, f := range r.Findings {
		list = append(list, string(f.Severity)+" "+f.Rule)
	}
	return strings.Join(list, ", ")
}

func outputs(r *pipeline.Report) any {
	var list []string
	for _, i := range r.Model.Outputs() {
		list = append(list, r.Model.Nodes[i].Out().Brackets())
	}
	return strings.Join(list, " ")
}

var fieldCases = []fieldCase{
	{"D01", seqToSeq, "three uses of one table count once", params, fmt.Sprint(100*16 + 4*16*16)},
	{"D02", sharedActivation, "an activation has no parameters, however often it is used", params, "120"},
	{"D03", "../templates/gpt2/model.json", "a tied head adds nothing", params, "124439808"},
	{"D04", "../templates/gpt2/model.json", "but its product is counted", head, fmt.Sprint(1024 * 768 * 50257)},
	{"D06", seqToSeq, "copies on the first and the last stage count once", func(r *pipeline.Report) any { return ties(r.Model) }, "2"},
	{"D07", calledTwice, "a layer that is called twice counts once", params, "20"},
	{"D07", calledTwice, "and works twice", func(r *pipeline.Report) any { return r.Model.MACs }, "32"},
	{"D08", "../templates/gpt2/model.json", "the whole model, not attention and feed-forward alone", params, "124439808"},
	{"D09", "testdata/cases/pythia-1.4b.json", "masks and rotary tables are no parameters", params, "1414647808"},
	{"D10", "../templates/gpt2/model.json", "the file's 12 masks are no parameters", func(r *pipeline.Report) any { return 137_022_720 - r.Model.Params }, fmt.Sprint(12 * 1024 * 1024)},
	{"D16", "../templates/resnet-50/model.json", "convolutions before a norm have no bias", params, "25557032"},
	{"D29", longContext, "counts beyond 2^31", params, fmt.Sprint(200_000*16384 + 2*16384*16384 + 2*16384*8*128)},
	{"D29", longContext, "work beyond 2^53 travels as a string", macsJSON, `"3282504253440000000"`}, // 10^7 · (2·16384² + 2·16384·1024) + 2 · 10^14 · 16384
	{"D42", smallQwen, "Qwen3-0.6B: the head dimension is its own", tokenBytes, fmt.Sprint(28 * 2 * 8 * 128 * 2)},
	{"D53", "../templates/resnet-50/model.json", "multiply-accumulates, of which FLOPs are twice as many", func(r *pipeline.Report) any { return r.Model.MACs }, "4089184256"},
	{"D54", "../templates/mixtral-8x7b/model.json", "two of eight experts work on a token", func(r *pipeline.Report) any { return r.Model.Active }, "12879925248"},
	{"D72", fmt.Sprintf(twoEdges, `"x", "y"`), "the order of inputs is the order of operands", outputs, "[8, 8]"},
	{"D72", fmt.Sprintf(twoEdges, `"y", "x"`), "whatever the order of declaration", outputs, "[4, 4]"},
	{"D73", unknownShape, "what is not known is said to be unknown", func(r *pipeline.Report) any {
		fc, _ := r.Model.Graph.Find("fc")
		return fmt.Sprint(r.Model.Nodes[fc].Result.Out.Known(), " ", r.Model.Counted, " ", r.Verdict)
	}, "false false fail"},
	{"axes", mixer, "MLP-Mixer: after a permute, linear mixes the last axis", params, fmt.Sprint(24*3*64 + 24 + 2*2*24 + 16*40 + 40 + 40*16 + 16)},
	{"axes", mixer, "MLP-Mixer: a good model", func(r *pipeline.Report) any { return r.Verdict }, "pass"},
	{"axes", waveform, "wav2vec 2.0: a waveform that is given a channel", outputs, "[1, 3199, 768]"},
	{"axes", waveform, "wav2vec 2.0: one channel in", params, fmt.Sprint(512*10 + 512*768 + 768)},
	{"axes", convNext, "ConvNeXt: channels last and back", params, fmt.Sprint(8*3*16 + 8 + 8*49 + 8 + 2*8 + 8*32 + 32 + 32*8 + 8 + 2*8 + 8*10 + 10)},
	{"axes", convNext, "ConvNeXt: a good model", outputs, "[1, 10]"},
	{"axes", pixels, "flatten to pixels: linear reads the last axis", params, fmt.Sprint(16*3*4 + 16 + 64*32 + 32)},
	{"axes", padded, "a padded image has its channels on axis 1", outputs, "[1, 8, 32, 32]"},
	{"axes", generatorNet, "DCGAN: a vector that is reshaped into an image", outputs, "[1, 1, 14, 14]"},
	{"axes", flatImage, "an image without a batch is flattened whole", outputs, "[10]"},
	{"D78", oneOperand, "a merge of one operand is an error", foundRules, "error few-operands"},
	{"D80", keywords, "names that Python has no attribute for", exported, "class_ quote_key"},
}

func head(r *pipeline.Report) any {
	i, _ := r.Model.Graph.Find("lm_head")
	return r.Model.Nodes[i].Result.Work.Full
}

func ties(m *infer.Model) (n int) {
	for e := range m.Ledger() {
		if e.TiedTo != "" {
			n++
		}
	}
	return n
}

func macsJSON(r *pipeline.Report) any {
	b, err := facts.JSONLine(struct {
		MACs *big.Int `json:"macs"`
	}{r.Model.MACs})
	if err != nil {
		return err
	}
	_, value, _ := strings.Cut(strings.TrimSuffix(string(b), "}\n"), ":")
	return value
}

// exported lists the attributes that the exported model has.
func exported(r *pipeline.Report) any {
	src, err := export.Python(r.Model)
	if err != nil {
		return err
	}
	var names []string
	for line := range strings.Lines(string(src)) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "self."); ok {
			if name, _, ok = strings.Cut(name, " = nn."); ok {
				names = append(names, name)
			}
		}
	}
	return strings.Join(names, " ")
}

func TestFieldCases(t *testing.T) {
	for _, c := range fieldCases {
		t.Run(c.id+" "+c.what, func(t *testing.T) {
			src := []byte(c.graph)
			if strings.HasSuffix(c.graph, ".json") {
				var err error
				if src, err = os.ReadFile(c.graph); err != nil {
					t.Fatal(err)
				}
			}
			r, err := pipeline.Run("graph.json", src)
			if err != nil {
				t.Fatal(err)
			}
			if got := fmt.Sprint(c.got(r)); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}
