package layer

import (
	"strings"
	"testing"

	"github.com/strata-catalog/strata/generator/shape"
)

// TestTorch has what layers are in PyTorch, with the arguments, names and
// layouts that differ from the plain case.
func TestTorch(t *testing.T) {
	for _, test := range []struct {
		typ string
		Example
		module, call string // "" for a function, and for $m($*)
		err          string
	}{
		{typ: "linear", Example: of(`{"outFeatures": 5, "names": {"weight": "kernel", "bias": "b"}}`, shape.Shape{2, 3, 8}), module: "$Class((5, 8), (5,))", call: "$m($0)"},
		{typ: "linear", Example: of(`{"outFeatures": 5, "names": {"weight": "a.0.weight", "bias": "a.0.bias"}}`, shape.Shape{2, 3, 8}), module: `nn.ModuleDict({"a": nn.ModuleDict({"0": nn.Linear(8, 5)})})`, call: `$m.get_submodule("a.0")($0)`},
		{typ: "linear", Example: of(`{"outFeatures": 5, "transposed": true}`, shape.Shape{2, 3, 8}), module: "$Class(8, 5)"},
		{typ: "linear", Example: of(`{"outFeatures": 5, "transposed": true, "bias": false, "names": {"weight": "c.weight"}}`, shape.Shape{2, 3, 8}), module: `nn.ModuleDict({"c": $Class(8, 5)})`, call: `$m["c"]($0)`},
		{typ: "linear", Example: of(`{"outFeatures": 5, "transposed": true, "names": {"weight": "k", "bias": "x.b"}}`, shape.Shape{2, 3, 8}), module: "$Class((8, 5), (5,))", call: "$m($0)"},
		{typ: "linear", Example: channels(`{"outFeatures": 5}`, shape.Shape{2, 8, 4, 4}), module: "nn.Linear(8, 5)", call: "$m($0.movedim(1, -1)).movedim(-1, 1)"},
		{typ: "linear", Example: channels(`{"outFeatures": 5, "names": {"weight": "self.weight", "bias": "self.bias"}}`, shape.Shape{2, 8, 4, 4}), module: `nn.ModuleDict({"self": nn.Linear(8, 5)})`, call: `$m["self"]($0.movedim(1, -1)).movedim(-1, 1)`},
		{typ: "linear", Example: of(`{"outFeatures": 5}`, shape.Shape{8}), module: "nn.Linear(8, 5)"},
		{typ: "layerNorm", Example: of(`{"eps": 1e-12, "bias": false}`, shape.Shape{2, 3, 8}), module: "nn.LayerNorm(8, eps=1e-12, bias=False)"},
		{typ: "layerNorm", Example: channels(`{"affine": false}`, shape.Shape{2, 8, 4, 4}), module: "nn.LayerNorm(8, elementwise_affine=False)", call: "$m($0.movedim(1, -1)).movedim(-1, 1)"},
		{typ: "layerNorm", Example: channels(`{}`, shape.Shape{2, 8, 4, 4}), module: "nn.LayerNorm(8)", call: "$m($0.movedim(1, -1)).movedim(-1, 1)"},
		{typ: "layerNorm", Example: of(`{"names": {"weight": "gamma", "bias": "beta"}}`, shape.Shape{2, 3, 8}), module: "$Class((8,), (8,))", call: "$m($0)"},
		{typ: "layerNorm", Example: channels(`{"normalizedShape": [4, 4]}`, shape.Shape{2, 8, 4, 4}), module: "nn.LayerNorm((4, 4))"},
		{typ: "layerNorm", Example: of(`{"bias": false, "names": {"weight": "gamma"}}`, shape.Shape{2, 3, 8}), module: "$Class((8,))", call: "$m($0)"},
		{typ: "rmsNorm", Example: of(`{"unitOffset": true}`, shape.Shape{2, 3, 8}), module: "$Class(8, eps=1e-6)"},
		{typ: "rmsNorm", Example: of(`{"unitOffset": true, "names": {"weight": "scale"}}`, shape.Shape{2, 3, 8}), module: "$Class((8,))", call: "$m($0)"},
		{typ: "rmsNorm", Example: of(`{"affine": false}`, shape.Shape{2, 3, 8}), module: "nn.RMSNorm(8, eps=1e-6, elementwise_affine=False)"},
		{typ: "rmsNorm", Example: of(`{"normalizedShape": [3, 8], "eps": 1e-05}`, shape.Shape{2, 3, 8}), module: "nn.RMSNorm((3, 8), eps=1e-5)"},
		{typ: "batchNorm", Example: of(`{}`, shape.Shape{8, 4, 4}), module: "nn.BatchNorm1d(4)", call: "$m($0.movedim(2, 1)).movedim(1, 2)"},
		{typ: "batchNorm", Example: channels(`{"affine": false, "eps": 0.001}`, shape.Shape{8, 7}), module: "nn.BatchNorm1d(8, eps=0.001, affine=False)", call: "$m($0.unsqueeze(0)).squeeze(0)"},
		{typ: "batchNorm", Example: channels(`{"names": {"weight": "gamma", "bias": "beta"}}`, shape.Shape{2, 8, 4, 4}), module: "$Class((8,), (8,), (8,), (8,), ())", call: "$m($0)"},
		{typ: "batchNorm", Example: of(`{}`, shape.Shape{2, 3, 8}), module: "nn.BatchNorm1d(8)", call: "$m($0.movedim(2, 1)).movedim(1, 2)"},
		{typ: "batchNorm", Example: of(`{"numFeatures": 8}`, shape.Shape{2, 3, 8}), module: "nn.BatchNorm1d(8)", call: "$m($0.movedim(2, 1)).movedim(1, 2)"},
		{typ: "batchNorm", Example: channels(`{}`, shape.Shape{2, 8, 3, 4, 4}), module: "nn.BatchNorm3d(8)"},
		{typ: "batchNorm", Example: of(`{}`, shape.Shape{1, 8}), module: "nn.BatchNorm1d(8)"},
		{typ: "batchNorm", Example: of(`{}`, shape.Shape{8}), module: "nn.BatchNorm1d(8)", call: "$m($0.unsqueeze(0)).squeeze(0)"},
		{typ: "groupNorm", Example: of(`{"numGroups": 4}`, shape.Shape{8, 4, 4}), module: "nn.GroupNorm(4, 4)", call: "$m($0.movedim(2, 1)).movedim(1, 2)"},
		{typ: "groupNorm", Example: channels(`{"numGroups": 4, "affine": false}`, shape.Shape{2, 8, 4, 4}), module: "nn.GroupNorm(4, 8, affine=False)"},
		{typ: "groupNorm", Example: channels(`{"numGroups": 4, "names": {"weight": "g", "bias": "h"}}`, shape.Shape{2, 8, 4, 4}), module: "$Class((8,), (8,))", call: "$m($0)"},
		{typ: "groupNorm", Example: of(`{"numGroups": 4}`, shape.Shape{8}), module: "nn.GroupNorm(4, 8)", call: "$m($0.unsqueeze(0)).squeeze(0)"},
		{typ: "conv1d", Example: channels(`{"outChannels": 4, "kernelSize": 3, "padding": "same", "names": {"weight": "w", "bias": "b"}}`, shape.Shape{2, 8, 10}), module: "$Class((4, 8, 3), (4,))", call: "$m($0)"},
		{typ: "conv2d", Example: of(`{"outChannels": 4, "kernelSize": [3, 1], "stride": [2, 1], "dilation": 2, "padding": [1, 0], "groups": 2, "names": {"weight": "w", "bias": "b"}}`, shape.Shape{2, 8, 10, 10}), module: "$Class((4, 4, 3, 1), (4,))", call: "$m($0)"},
		{typ: "conv2d", Example: of(`{"outChannels": 4, "kernelSize": 3, "bias": false, "names": {"weight": "c.weight"}}`, shape.Shape{8, 10, 10}), module: `nn.ModuleDict({"c": nn.Conv2d(8, 4, 3, bias=False)})`, call: `$m["c"]($0)`},
		{typ: "conv3d", Example: of(`{"outChannels": 4, "kernelSize": [1, 3, 3], "padding": [0, 1, 1]}`, shape.Shape{8, 5, 10, 10}), module: "nn.Conv3d(8, 4, (1, 3, 3), padding=(0, 1, 1))"},
		{typ: "depthwiseConv2d", Example: of(`{"kernelSize": 3, "depthMultiplier": 2, "names": {"weight": "dw.weight", "bias": "dw.bias"}}`, shape.Shape{8, 10, 10}), module: `nn.ModuleDict({"dw": nn.Conv2d(8, 16, 3, groups=8)})`, call: `$m["dw"]($0)`},
		{typ: "separableConv2d", Example: of(`{"outChannels": 6, "kernelSize": 3, "padding": "same", "names": {"depthwise": "conv1", "pointwise": "p.conv2"}}`, shape.Shape{2, 8, 10, 10}), module: `$Class(nn.Conv2d(8, 8, 3, padding="same", groups=8, bias=False), nn.Conv2d(8, 6, 1))`},
		{typ: "transposeConv2d", Example: of(`{"outChannels": 6, "kernelSize": 3, "stride": 2, "dilation": 2, "outputPadding": 1, "padding": 1, "groups": 2, "names": {"weight": "w", "bias": "b"}}`, shape.Shape{8, 5, 5}), module: "$Class((8, 3, 3, 3), (6,))", call: "$m($0)"},
		{typ: "maxpool1d", Example: of(`{"kernelSize": 3, "stride": 2, "ceilMode": true}`, shape.Shape{2, 10, 8}), module: "nn.MaxPool1d(3, stride=2, ceil_mode=True)", call: "$m($0.mT).mT"},
		{typ: "maxpool2d", Example: of(`{"kernelSize": [3, 2], "stride": [2, 1], "padding": [1, 0], "dilation": 2}`, shape.Shape{8, 10, 10}), module: "nn.MaxPool2d((3, 2), stride=(2, 1), padding=(1, 0), dilation=2)"},
		{typ: "avgpool2d", Example: of(`{"kernelSize": 3, "padding": 1, "countIncludePad": false}`, shape.Shape{8, 10, 10}), module: "nn.AvgPool2d(3, padding=1, count_include_pad=False)"},
		{typ: "avgpool1d", Example: channels(`{"kernelSize": 3}`, shape.Shape{8, 10}), module: "nn.AvgPool1d(3)"},
		{typ: "adaptiveAvgPool1d", Example: channels(`{"outputSize": 3}`, shape.Shape{8, 10}), module: "nn.AdaptiveAvgPool1d(3)"},
		{typ: "globalAvgPool1d", Example: channels(`{}`, shape.Shape{2, 8, 4, 4}), call: "$0.mean(dim=(2, 3))"},
		{typ: "globalAvgPool1d", Example: of(`{}`, shape.Shape{5, 8}), call: "$0.mean(dim=0)"},
		{typ: "softcap", Example: of(`{"cap": 30}`, shape.Shape{2, 8}), call: "30.0 * torch.tanh($0 / 30.0)"},
		{typ: "softcap", Example: of(`{"cap": 0}`, shape.Shape{2, 8}), err: "its cap is 0"},
		{typ: "scale", Example: of(`{"factor": 0.5}`, shape.Shape{2, 8}), call: "$0 * 0.5"},
		{typ: "leakyRelu", Example: of(`{}`, shape.Shape{2, 8}), module: "nn.LeakyReLU()"},
		{typ: "elu", Example: of(`{"alpha": 0.5, "inplace": true}`, shape.Shape{2, 8}), module: "nn.ELU(alpha=0.5)"},
		{typ: "softplus", Example: of(`{"beta": 2, "threshold": 10}`, shape.Shape{2, 8}), module: "nn.Softplus(beta=2.0, threshold=10.0)"},
		{typ: "softmax", Example: channels(`{"dim": 1}`, shape.Shape{8, 4, 4}), module: "nn.Softmax(dim=1)"},
		{typ: "glu", Example: channels(`{"dim": 1}`, shape.Shape{8, 7}), module: "nn.GLU(dim=0)"},
		{typ: "prelu", Example: of(`{"numParameters": 8}`, shape.Shape{2, 3, 8}), module: "nn.PReLU(8)", call: "$m($0.movedim(2, 1)).movedim(1, 2)"},
		{typ: "prelu", Example: of(`{"numParameters": 8}`, shape.Shape{8}), module: "nn.PReLU(8)", call: "$m($0.unsqueeze(0)).squeeze(0)"},
		{typ: "prelu", Example: channels(`{"numParameters": 8, "names": {"weight": "alpha"}}`, shape.Shape{8, 4, 4}), module: "$Class((8,))", call: "$m($0)"},
		{typ: "prelu", Example: of(`{"init": 0.1}`, shape.Shape{8, 4, 4}), module: "nn.PReLU(init=0.1)"},
		{typ: "dropPath", Example: of(`{"p": 0.2, "scaleByKeep": false}`, shape.Shape{3, 8}), module: "$Class(0.2)", call: "$m($0.unsqueeze(0)).squeeze(0)"},
		{typ: "layerScale", Example: channels(`{"names": {"weight": "gamma"}, "initValue": 0.1}`, shape.Shape{2, 8, 4, 4}), module: "$Class(8, 0.1)", call: "$m($0.movedim(1, -1)).movedim(-1, 1)"},
		{typ: "layerScale", Example: of(`{"names": {"weight": "ls.gamma"}}`, shape.Shape{2, 3, 8}), module: "$Class(8, 1e-5)", call: "$m($0)"},
		{typ: "flatten", Example: channels(`{}`, shape.Shape{8, 4, 4}), module: "nn.Flatten()"},
		{typ: "flatten", Example: of(`{"startDim": 0}`, shape.Shape{2, 8, 4, 4}), module: "nn.Flatten(start_dim=0)"},
		{typ: "flatten", Example: channels(`{"startDim": 1, "endDim": 2}`, shape.Shape{2, 8, 4, 4}), module: "nn.Flatten(end_dim=2)"},
		{typ: "flatten", Example: of(`{}`, shape.Shape{8}), module: "nn.Identity()"},
		{typ: "reshape", Example: of(`{"shape": [2, 4, -1]}`, shape.Shape{3, 8, 5}), call: "$0.reshape(2, 4, -1)"},
		{typ: "reshape", Example: of(`{"shape": []}`, shape.Shape{1, 1}), call: "$0.reshape(())"},
		{typ: "reshape", Example: of(`{"shape": [-1]}`, shape.Shape{3, 8, 5}), call: "$0.reshape(-1)"},
		{typ: "permute", Example: of(`{"dims": [1, 0]}`, shape.Shape{5, 8}), call: "$0.permute(1, 0)"},
		{typ: "squeeze", Example: channels(`{}`, shape.Shape{1, 8, 1, 1}), call: "$0.squeeze((0, 2, 3))"},
		{typ: "squeeze", Example: channels(`{"dim": [2, 3]}`, shape.Shape{1, 8, 1, 5}), call: "$0.squeeze(2)"},
		{typ: "squeeze", Example: of(`{}`, shape.Shape{3, 8}), call: "$0"},
		{typ: "unsqueeze", Example: of(`{"dim": 0}`, shape.Shape{3, 8}), call: "$0.unsqueeze(0)"},
		{typ: "unsqueeze", Example: of(`{"dim": -1}`, shape.Shape{3, 8}), call: "$0.unsqueeze(-1)"},
		{typ: "unsqueeze", Example: channels(`{"dim": 2}`, shape.Shape{8, 5}), call: "$0.unsqueeze(1)"},
		{typ: "split", Example: of(`{"sections": 3, "index": 2}`, shape.Shape{7, 8}), call: "$0.tensor_split(3)[2]"},
		{typ: "split", Example: of(`{"splitSize": 3, "index": 2}`, shape.Shape{7, 8}), call: "$0.split(3)[2]"},
		{typ: "split", Example: of(`{"sections": [1, 2, 4], "dim": 1, "index": 2}`, shape.Shape{2, 7, 8}), call: "$0.split((1, 2, 4), dim=1)[2]"},
		{typ: "pad", Example: of(`{"padding": [1, 2, 3, 4]}`, shape.Shape{2, 7, 8}), call: "F.pad($0, (1, 2, 3, 4))"},
		{typ: "pad", Example: of(`{"padding": [1, 2], "mode": "reflect"}`, shape.Shape{7, 8}), call: `F.pad($0, (1, 2), mode="reflect")`},
		{typ: "pad", Example: channels(`{"padding": [1, 2, 1, 0], "mode": "circular"}`, shape.Shape{2, 3, 7, 8}), call: `F.pad($0, (1, 2, 1, 0), mode="circular")`},
		{typ: "pad", Example: channels(`{"padding": [-1, 2], "mode": "reflect"}`, shape.Shape{2, 7, 8}), call: `F.pad($0, (-1, 2), mode="reflect")`},
		{typ: "pad", Example: channels(`{"padding": [-1, 2], "mode": "circular"}`, shape.Shape{2, 7, 8}), call: `F.pad($0, (-1, 2), mode="circular")`},
		{typ: "pad", Example: channels(`{"padding": [1, 2, 3, 4, 5, 6], "mode": "replicate"}`, shape.Shape{2, 3, 7, 8, 9}), call: `F.pad($0, (1, 2, 3, 4, 5, 6), mode="replicate")`},
		{typ: "pad", Example: channels(`{"padding": [1, 2, 3, 4, 1, 1], "mode": "reflect"}`, shape.Shape{2, 3, 7, 8, 9}), call: `F.pad($0, (1, 2, 3, 4, 1, 1), mode="reflect")`},
		{typ: "pad", Example: of(`{"padding": [1, 2], "value": 3.5}`, shape.Shape{7}), call: "F.pad($0, (1, 2), value=3.5)"},
		{typ: "mean", Example: of(`{}`, shape.Shape{3, 7}), call: "$0.mean()"},
		{typ: "mean", Example: of(`{"keepDim": true}`, shape.Shape{3, 7}), call: "$0.mean(dim=(0, 1), keepdim=True)"},
		{typ: "mean", Example: of(`{"dim": [0, -1]}`, shape.Shape{3, 7, 2}), call: "$0.mean(dim=(0, 2))"},
		{typ: "mean", Example: of(`{}`, shape.Shape{3, 7, 2}, shape.Shape{3, 7, 2}), call: "torch.stack(($*)).mean(dim=0)"},
		{typ: "reduceSum", Example: of(`{}`, shape.Shape{3, 7}), call: "$0.sum(dim=(0, 1))"},
		{typ: "reduceSum", Example: of(`{"dim": -2, "keepDim": true}`, shape.Shape{3, 7, 2}), call: "$0.sum(dim=1, keepdim=True)"},
		{typ: "matmul", Example: of(`{"transposeB": true}`, shape.Shape{2, 3, 4}, shape.Shape{2, 5, 4}), call: "$0 @ $1.mT"},
		{typ: "matmul", Example: of(`{}`, shape.Shape{4, 4}, shape.Shape{4, 4}), call: "$0 @ $1"},
		{typ: "matmul", Example: of(`{"transposeB": true}`, shape.Shape{4}, shape.Shape{5, 4}), call: "$0 @ $1.mT"},
		{typ: "stack", Example: of(`{"dim": -1}`, shape.Shape{3, 7, 2}, shape.Shape{3, 7, 2}, shape.Shape{3, 7, 2}), call: "torch.stack(($*), dim=-1)"},
		{typ: "stack", Example: of(`{"dim": 1}`, shape.Shape{3, 7}), call: "$0.unsqueeze(1)"},
		{typ: "upsample", Example: of(`{"scaleFactor": 1.5, "mode": "bilinear", "alignCorners": true}`, shape.Shape{2, 8, 5, 6}), module: `nn.Upsample(scale_factor=1.5, mode="bilinear", align_corners=True)`},
		{typ: "upsample", Example: channels(`{"scaleFactor": 2}`, shape.Shape{8, 5, 6}), module: "nn.Upsample(scale_factor=2)"},
		{typ: "upsample", Example: of(`{"scaleFactor": 2}`, shape.Shape{2, 6, 8}), module: "nn.Upsample(scale_factor=2)", call: "$m($0.mT).mT"},
		{typ: "upsample", Example: channels(`{"size": [9], "mode": "linear"}`, shape.Shape{2, 8, 6}), module: `nn.Upsample(size=9, mode="linear")`},
		{typ: "interpolate", Example: channels(`{"size": 3, "mode": "bicubic", "antialias": true}`, shape.Shape{2, 8, 6, 6}), call: `F.interpolate($0, size=3, mode="bicubic", antialias=True)`},
		{typ: "interpolate", Example: channels(`{"size": 3, "mode": "nearest", "antialias": true}`, shape.Shape{2, 8, 6, 6}), err: "PyTorch smooths in the modes bilinear and bicubic alone, not in nearest"},
		{typ: "interpolate", Example: channels(`{"scaleFactor": 0.7, "mode": "trilinear"}`, shape.Shape{2, 8, 6, 6, 6}), call: `F.interpolate($0, scale_factor=0.7, mode="trilinear")`},
		{typ: "interpolate", Example: channels(`{"scaleFactor": 2, "mode": "area"}`, shape.Shape{8, 6}), call: `F.interpolate($0.unsqueeze(0), scale_factor=2, mode="area").squeeze(0)`},
		{typ: "pixelShuffle", Example: of(`{"upscaleFactor": 2}`, shape.Shape{8, 6, 6}), module: "nn.PixelShuffle(2)"},
		{typ: "gather", Example: of(`{"dim": 1}`, shape.Shape{2, 7, 3}, shape.Shape{2, 4, 3}), err: "its indices are computed numbers, and PyTorch takes integers from an input"},
		{typ: "topK", Example: of(`{"k": 2, "dim": 1, "largest": false, "sorted": false}`, shape.Shape{2, 7, 3}), call: "$0.topk(2, dim=1, largest=False, sorted=False).values"},
		{typ: "add", Example: of(`{}`, shape.Shape{1, 7, 3}, shape.Shape{7, 3}, shape.Shape{3}), call: "$0 + $1 + $2"},
		{typ: "add", Example: of(`{}`, shape.Shape{1, 7, 3}), call: "$0"},
		{typ: "multiply", Example: of(`{}`, shape.Shape{2, 7, 3}, shape.Shape{2, 1, 3}, shape.Shape{1}, shape.Shape{3}, shape.Shape{3}, shape.Shape{3}, shape.Shape{3}, shape.Shape{3}, shape.Shape{3}, shape.Shape{3}, shape.Shape{3}, shape.Shape{3}), call: "$0 * $1 * $2 * $3 * $4 * $5 * $6 * $7 * $8 * $9 * $10 * $11"},
		{typ: "subtract", Example: of(`{}`, shape.Shape{1, 7, 3}, shape.Shape{3}), call: "$0 - $1"},
		{typ: "concatenate", Example: of(`{}`, shape.Shape{1, 7, 3}, shape.Shape{2, 3}), call: "torch.cat(($0, $1[None]), dim=-2)"},
		{typ: "concatenate", Example: of(`{"dim": 0}`, shape.Shape{7, 3}, shape.Shape{2, 3}), call: "torch.cat(($0, $1), dim=0)"},
		{typ: "concatenate", Example: of(`{"dim": 1}`, shape.Shape{2, 7, 3}, shape.Shape{2, 1, 3}, shape.Shape{2, 1, 3}), call: "torch.cat(($0, $1, $2), dim=1)"},
		{typ: "embedding", Example: tokenIDs(`{"numEmbeddings": 10, "embeddingDim": 8, "names": {"weight": "wte.weight"}}`, shape.Shape{2, 5}), module: `nn.ModuleDict({"wte": nn.Embedding(10, 8)})`, call: `$m["wte"]($0)`},
		{typ: "embedding", Example: tokenIDs(`{"numEmbeddings": 10, "embeddingDim": 8, "names": {"weight": "table"}}`, shape.Shape{2, 5}), module: `nn.ParameterDict({"table": nn.Parameter(torch.randn(10, 8))})`, call: `F.embedding($0, $m["table"])`},
		{typ: "embedding", Example: tokenIDs(`{"numEmbeddings": 10, "embeddingDim": 8, "names": {"weight": "table"}}`), module: `nn.ParameterDict({"table": nn.Parameter(torch.randn(10, 8))})`, call: `$m["table"]`},
		{typ: "embeddingBag", Example: tokenIDs(`{"numEmbeddings": 10, "embeddingDim": 8, "mode": "max", "names": {"weight": "t"}}`, shape.Shape{2, 5}), module: "$Class((10, 8))", call: "$m($0.reshape(-1, 1)).reshape(*$0.shape, -1)"},
		{typ: "embeddingBag", Example: tokenIDs(`{"numEmbeddings": 10, "embeddingDim": 8}`, shape.Shape{2, 5, 8}), module: "nn.EmbeddingBag(10, 8)", call: "$m($0.reshape(-1, 1)).reshape(*$0.shape, -1)"},
		{typ: "learnedPositionalEmbedding", Example: of(`{"maxLen": 20, "names": {"weight": "pos"}}`, shape.Shape{2, 4, 4, 8}), module: `nn.ParameterDict({"pos": nn.Parameter(torch.randn(20, 8))})`, call: `$0 + $m["pos"][:16].unflatten(0, (4, 4))`},
		{typ: "learnedPositionalEmbedding", Example: channels(`{"maxLen": 20}`, shape.Shape{2, 8, 4, 4}), module: "nn.Embedding(20, 8)", call: "$0 + $m.weight[:16].mT.unflatten(1, (4, 4))"},
		{typ: "learnedPositionalEmbedding", Example: channels(`{"maxLen": 20}`, shape.Shape{2, 8, 7}), module: "nn.Embedding(20, 8)", call: "$0 + $m.weight[: $0.shape[-1]].mT"},
		{typ: "learnedPositionalEmbedding", Example: of(`{"maxLen": 20}`, shape.Shape{8}), module: "nn.Embedding(20, 8)", call: "$0 + $m.weight[0]"},
		{typ: "learnedPositionalEmbedding", Example: of(`{"maxLen": 20, "embedDim": 8, "names": {"weight": "pos"}}`, shape.Shape{2, 5}), module: `nn.ParameterDict({"pos": nn.Parameter(torch.randn(20, 8))})`, call: `$0 + $m["pos"][: $0.shape[-2]]`},
		{typ: "learnedPositionalEmbedding", Example: of(`{"maxLen": 20, "offset": 2}`, shape.Shape{2, 5, 8}), module: "nn.Embedding(20, 8)", call: "$0 + $m.weight[2 : 2 + $0.shape[-2]]"},
		{typ: "learnedPositionalEmbedding", Example: of(`{"maxLen": 20, "offset": 2}`, shape.Shape{2, 4, 4, 8}), module: "nn.Embedding(20, 8)", call: "$0 + $m.weight[2:18].unflatten(0, (4, 4))"},
		{typ: "learnedPositionalEmbedding", Example: of(`{"maxLen": 20, "offset": 2}`, shape.Shape{8}), module: "nn.Embedding(20, 8)", call: "$0 + $m.weight[2]"},
		{typ: "learnedPositionalEmbedding", Example: tokenIDs(`{"maxLen": 20, "embedDim": 8, "offset": 2}`, shape.Shape{2, 5}), module: "nn.Embedding(20, 8)", call: "$m(torch.arange($0.shape[-1], device=$0.device) + 2).expand(*$0.shape, -1)"},
		{typ: "learnedPositionalEmbedding", Example: of(`{"maxLen": 6, "offset": 2}`, shape.Shape{2, 5, 8}), err: "its table has 4 positions, but the sequence 5"},
		{typ: "positionalEncoding", Example: of(`{"maxLen": 20, "embedDim": 7}`, shape.Shape{2, 5}), module: "$Class(20, 7)", call: "$0 + $m($0.shape[-2])"},
		{typ: "positionalEncoding", Example: of(`{}`, shape.Shape{5, 8}), module: "$Class(5, 8)", call: "$0 + $m($0.shape[-2])"},
		{typ: "positionalEncoding", Example: channels(`{"maxLen": 20}`, shape.Shape{2, 8, 4, 4}), module: "$Class(20, 8)", call: "$0 + $m(16).mT.unflatten(1, (4, 4))"},
		{typ: "segmentEmbedding", Example: of(`{"embedDim": 8, "names": {"weight": "s"}}`, shape.Shape{2, 5}), module: `nn.ParameterDict({"s": nn.Parameter(torch.randn(2, 8))})`, call: `$0 + $m["s"][0]`},
		{typ: "segmentEmbedding", Example: channels(`{}`, shape.Shape{2, 8, 5}), module: "nn.Embedding(2, 8)", call: "$0 + $m.weight[0][:, None]"},
		{typ: "patchEmbed", Example: of(`{"patchSize": 4, "embedDim": 8, "clsToken": true, "posEmbed": true, "bias": false, "names": {"proj": "patch_embeddings.projection", "cls_token": "cls", "pos_embed": "position_embeddings"}}`, shape.Shape{3, 16, 16}), module: "$Class(3, 8, 4, 4, 17)", call: "$m($0.unsqueeze(0)).squeeze(0)"},
		{typ: "patchEmbed", Example: of(`{"patchSize": 4, "embedDim": 8, "names": {"proj.weight": "weight", "proj.bias": "bias"}}`, shape.Shape{3, 16, 16}), module: "nn.Conv2d(3, 8, 4, stride=4)", call: "$m($0).flatten(-2).mT"},
		{typ: "patchEmbed", Example: of(`{"patchSize": 4, "embedDim": 8, "posEmbed": true, "names": {"proj.weight": "weight", "proj.bias": "bias"}}`, shape.Shape{3, 16, 16}), err: "the tensors of its projection are called weight and bias; give them one beginning"},
		{typ: "seBlock", Example: of(`{"names": {"fc1": "0", "fc2": "2"}}`, shape.Shape{32, 7, 7}), module: "$Class(32, 2)"},
		{typ: "graphConv", Example: of(`{"outFeatures": 5, "aggregator": "max", "useNonlinearity": true, "names": {"lin_rel": "a.b", "lin_root": "a.c"}}`, shape.Shape{9, 8}), module: "$Class(8, 5)", call: "$m($0, edge_index)"},
		{typ: "graphConv", Example: of(`{"outFeatures": 5, "aggregator": "mean", "bias": false}`, shape.Shape{8}), module: "$Class(8, 5)", call: "$m($0.unsqueeze(0), edge_index).squeeze(0)"},
		{typ: "graphSAGE", Example: of(`{"outFeatures": 5, "aggregator": "sum"}`, shape.Shape{2, 9, 8}), module: "$Class(8, 5)", call: "$m($0, edge_index)"},
		{typ: "gcn", Example: of(`{"outFeatures": 5, "bias": false}`, shape.Shape{2, 9, 8}), module: "$Class(8, 5)", call: "$m($0, edge_index)"},
		{typ: "gat", Example: of(`{"outFeatures": 5, "heads": 3, "bias": false, "useNonlinearity": true}`, shape.Shape{2, 9, 8}), module: "$Class(8, 5, 3)", call: "$m($0, edge_index)"},
		{typ: "featureInteraction", Example: of(`{"method": "dot"}`, shape.Shape{2, 8}, shape.Shape{2, 3, 8}, shape.Shape{2, 2, 2, 8}), module: "$Class()", call: "$m(torch.cat(($0.unsqueeze(1), $1, $2.flatten(1, -2)), dim=1))"},
		{typ: "featureInteraction", Example: of(`{"method": "fm"}`, shape.Shape{2, 3, 8}), module: "$Class()", call: "$m($0)"},
		{typ: "featureInteraction", Example: of(`{"method": "cat"}`, shape.Shape{2, 8}, shape.Shape{2, 3, 8}), call: "torch.cat(($0.unsqueeze(1), $1), dim=1).flatten(1)"},
		{typ: "featureInteraction", Example: of(`{"method": "dot"}`, shape.Shape{3, 8}, shape.Shape{8}), module: "$Class()", call: "$m(torch.cat(($0[None], $1[None, None]), dim=1)).squeeze(0)"},
		{typ: "linear", Example: of(`{"outFeatures": 5}`, shape.Shape{1, 4, 8}, shape.Shape{4, 3}), module: "nn.Linear(11, 5)"},
		{typ: "embedding", Example: tokenIDs(`{"numEmbeddings": 10, "embeddingDim": 8}`, shape.Shape{1, 5}, shape.Shape{1, 3}), module: "nn.Embedding(10, 8)"},
	} {
		t.Run(test.typ+" "+test.Params, func(t *testing.T) {
			r := use{typ: test.typ, Example: test.Example}.try(t)
			got, err := r.Layer.(Exporter).Torch(&TorchCall{In: r.In, Out: r.Out, Type: test.typ})
			if err != nil || test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) || test.err == "" {
					t.Errorf("%v, want the refusal %q", err, test.err)
				}
				return
			}
			if got.Module != test.module {
				t.Errorf("module %s, want %s", got.Module, test.module)
			}
			if got.Call != test.call {
				t.Errorf("call %s, want %s", got.Call, test.call)
			}
		})
	}
}

// TestSlots has where the parts of a helper class stand, by their paths.
func TestSlots(t *testing.T) {
	for _, test := range []struct {
		name     string
		slots    []slot
		init, at string
		err      string
	}{
		{
			name:  "plain names",
			slots: []slot{{path: "proj", expr: "nn.Linear(2, 3)"}, {path: "scale", expr: "nn.Parameter(torch.ones(2))", parameter: true}},
			init:  "self.proj = nn.Linear(2, 3); self.scale = nn.Parameter(torch.ones(2))",
			at:    "self.proj; self.scale",
		},
		{
			name:  "one beginning",
			slots: []slot{{path: "self.query", expr: "A"}, {path: "self.key", expr: "B"}, {path: "out", expr: "C"}},
			init:  `self.self = nn.ModuleDict({"query": A, "key": B}); self.out = C`,
			at:    `self.self["query"]; self.self["key"]; self.out`,
		},
		{
			name:  "several steps, and a tensor",
			slots: []slot{{path: "a.b.c", expr: "A"}, {path: "t.w", expr: "P", parameter: true}},
			init:  `self.a = nn.ModuleDict({"b": nn.ModuleDict({"c": A})}); self.t = nn.ParameterDict({"w": P})`,
			at:    `self.a.get_submodule("b.c"); self.t["w"]`,
		},
		{
			name:  "numbers",
			slots: []slot{{path: "0", expr: "A"}, {path: "2", expr: "P", parameter: true}},
			init:  `self.add_module("0", A); self.register_parameter("2", P)`,
			at:    `self.get_submodule("0"); self.get_parameter("2")`,
		},
		{name: "a keyword", slots: []slot{{path: "class", expr: "A"}}, err: `"class" of the name "class" is no attribute`},
		{name: "what a module has", slots: []slot{{path: "forward", expr: "A"}}, err: `"forward" of the name "forward" is no attribute`},
		{name: "what a dict has", slots: []slot{{path: "a.items", expr: "A"}}, err: `"items" of the name "a.items" is no key`},
		{name: "one name twice", slots: []slot{{path: "a", expr: "A"}, {path: "a", expr: "B"}}, err: "taken twice"},
		{name: "a name within another", slots: []slot{{path: "a.b", expr: "A"}, {path: "a", expr: "B"}}, err: "taken twice"},
		{name: "a tensor beside a module", slots: []slot{{path: "a.b", expr: "A"}, {path: "a.c", expr: "P", parameter: true}}, err: "a tensor beside a module"},
	} {
		t.Run(test.name, func(t *testing.T) {
			init, at, err := slots(test.slots)
			if err != nil || test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) || test.err == "" {
					t.Errorf("%v, want the refusal %q", err, test.err)
				}
				return
			}
			if got := strings.Join(init, "; "); got != test.init {
				t.Errorf("statements %s, want %s", got, test.init)
			}
			if got := strings.Join(at, "; "); got != test.at {
				t.Errorf("expressions %s, want %s", got, test.at)
			}
		})
	}
}
