package layer

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/strata-catalog/strata/generator/words"
)

// typeSpellings lists every name and other spelling of the vocabulary.
var typeSpellings = func() (list []string) {
	for _, t := range All {
		list = append(append(list, t.Name), t.Also...)
	}
	return list
}()

// byKey finds the name of a type by the key of any of its spellings.
var byKey = func() map[string]string {
	m := map[string]string{}
	for _, t := range All {
		for _, s := range append([]string{t.Name}, t.Also...) {
			if other, taken := m[key(s)]; taken {
				panic(fmt.Sprintf("layer %s: %s already stands for %s", t.Name, s, other))
			}
			m[key(s)] = t.Name
		}
	}
	return m
}()

// NearestType is the known type that a name is likely to mean, "" if there is
// none. Sure says that no other can be meant: the name is another spelling of
// it, or a slip of one edit. Letter case, hyphens, underscores and the path of a
// module do not count: "nn.BatchNorm2d" is batchNorm.
func NearestType(name string) (near string, sure bool) {
	if t, ok := byKey[key(name)]; ok {
		return t, true
	}
	return nearest(name, typeSpellings, func(s string) string { return byKey[key(s)] })
}

// NearestParam is NearestType for the parameters of a type and their aliases.
func (t *Type) NearestParam(name string) (near string, sure bool) {
	var names []string
	for _, f := range t.Fields {
		names = append(append(names, f.Name), f.Aliases...)
	}
	k := key(name)
	for _, s := range names {
		if key(s) == k {
			return s, true
		}
	}
	for _, f := range t.Fields {
		for _, s := range paramSpellings[f.Name] {
			if key(s) == k {
				return f.Name, true
			}
		}
	}
	return nearest(name, names, func(s string) string { return s })
}

// nearest is what the spelling nearest to a word stands for. It is sure when
// they are one edit apart, when no spelling of anything else is, and when the
// first letter and the digits agree: a neighbour there is another layer (geglu
// and reglu, transposeConv2d and transposeConv1d), and so it is among the
// shortest words.
func nearest(word string, spellings []string, stands func(string) string) (meant string, sure bool) {
	near := words.Nearest(word, spellings)
	if near == "" {
		return "", false
	}
	meant = stands(near)
	k := key(word)
	if len(k) < 5 || words.Edits(k, key(near)) > 1 || k[0] != key(near)[0] || digits(k) != digits(near) {
		return meant, false
	}
	for _, s := range spellings {
		if stands(s) != meant && words.Edits(k, key(s)) == 1 {
			return meant, false
		}
	}
	return meant, true
}

// key is what spellings of one name have in common: its letters and digits,
// without their case and the path of a module.
func key(name string) string {
	name = name[strings.LastIndexByte(name, '.')+1:]
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}

// digits are those of a name.
func digits(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return r
		}
		return -1
	}, name)
}

// paramSpellings is what else parameters are called, in PyTorch, Keras, JAX and
// the configurations of Hugging Face. No graph may use these spellings: they
// serve to find the name that was meant. Where a type has several parameters of
// one spelling, the first it declares is meant.
var paramSpellings = map[string][]string{
	// Widths.
	"embedDim":         {"hiddenSize", "nEmbd", "width", "modelDim", "embeddingSize", "embeddingDim"},
	"embeddingDim":     {"embedDim", "embeddingSize", "hiddenSize", "dModel", "dim", "outputDim"},
	"numEmbeddings":    {"inputDim", "nVocab", "numTokens"},
	"inFeatures":       {"inDim", "inputDim", "inputSize", "inSize", "inputFeatures", "nIn"},
	"outFeatures":      {"outDim", "outputDim", "outputSize", "outSize", "outputFeatures", "units", "nOut"},
	"inDim":            {"inFeatures", "inputDim", "inputSize"},
	"outDim":           {"outFeatures", "outputDim", "outputSize", "units"},
	"inputSize":        {"inputDim", "inDim", "inChannels"},
	"hiddenSize":       {"hiddenDim", "units", "nHidden"},
	"normalizedShape":  {"dim", "numFeatures", "hiddenSize", "dModel", "embedDim"},
	"numFeatures":      {"numChannels", "channels"},
	"numChannels":      {"numFeatures", "channels"},
	"channels":         {"inChannels", "inputChannels", "numChannels"},
	"squeezeChannels":  {"rdChannels"},
	"reduction":        {"reductionRatio", "rdRatio"},
	"inChannels":       {"inChans", "inPlanes", "inputChannels", "nIn"},
	"outChannels":      {"outPlanes", "outputChannels", "filters", "numFilters", "nOut"},
	"inChans":          {"inChannels", "channels", "numChannels"},
	"ffDim":            {"ffnDim", "mlpDim", "dimFeedforward", "feedforwardDim", "intermediateSize", "nInner", "innerDim"},
	"intermediateSize": {"ffDim", "ffnDim", "dFf", "mlpDim", "ffnHiddenSize", "innerDim"},

	// Attention.
	"numHeads":    {"heads", "nHead", "nHeads", "numAttentionHeads", "attentionHeads"},
	"heads":       {"nHeads", "numAttentionHeads"},
	"numKVHeads":  {"kvHeads", "nKVHeads", "numKeyValueHeads", "numKVGroups", "numQueryGroups", "nHeadKV"},
	"headDim":     {"dHead", "dimHead", "headSize", "attentionHeadDim"},
	"kvDim":       {"kDim", "contextDim", "crossAttentionDim", "encoderHiddenSize"},
	"causal":      {"isCausal"},
	"bias":        {"useBias", "hasBias", "withBias", "biasTerm", "attentionBias", "mlpBias"},
	"outBias":     {"oBias", "projBias"},
	"scale":       {"softmaxScale", "scaling", "scaleFactor"},
	"softcap":     {"attnLogitSoftcapping", "logitSoftcap"},
	"clipQKV":     {"qkvClip", "clip"},
	"chunkSize":   {"attentionChunkSize", "attnChunkSize"},
	"prefix":      {"prefixLength", "prefixLen", "numPrefixTokens"},
	"queryGrowth": {"attnScale"},
	"windowSize":  {"window", "slidingWindow", "attentionWindow", "localWindow"},
	"qLatentDim":  {"qLoraRank"},
	"kvLatentDim": {"kvLoraRank"},
	"ropeHeadDim": {"qkRopeHeadDim"},
	"nopeHeadDim": {"qkNopeHeadDim"},

	"slidingWindow":    {"window", "windowSize", "slidingWindowSize"},
	"queryGrowthEvery": {"floorScale"},

	// Experts.
	"numExperts":       {"nExperts", "nRoutedExperts", "numLocalExperts"},
	"expertDim":        {"moeIntermediateSize", "intermediateSize", "ffDim", "hiddenDim", "dFf"},
	"topK":             {"k", "numExpertsPerTok", "numExpertsPerToken", "numSelectedExperts", "moeTopK"},
	"normTopK":         {"normTopKProb"},
	"routedScale":      {"routedScalingFactor"},
	"numSharedExperts": {"nSharedExperts"},
	"sharedExpertDim":  {"sharedExpertIntermediateSize"},
	"topGroups":        {"topKGroup"},
	"numGroups":        {"groups", "nGroup", "nGroups"},

	// Positions.
	"maxLen":    {"maxLength", "maxSeqLen", "maxPositions", "maxPositionEmbeddings", "nPositions", "contextLength", "blockSize", "numEmbeddings"},
	"maxSeqLen": {"maxLen", "maxLength", "maxSequenceLength", "maxPositionEmbeddings", "nPositions", "nCtx", "contextLength", "seqLen"},
	"theta":     {"base", "ropeTheta", "rotaryBase", "ropeBase"},

	"partialRotaryFactor": {"rotaryPct", "rotaryFraction"},
	"originalMaxSeqLen":   {"originalMaxPositionEmbeddings"},
	"numSegments":         {"typeVocabSize", "numTokenTypes"},

	// Windows.
	"kernelSize":  {"kernel", "kernelShape", "filterSize", "poolSize"},
	"stride":      {"strides"},
	"padding":     {"pads", "padWidth"},
	"dilation":    {"dilations", "dilationRate"},
	"groups":      {"numGroups", "group", "featureGroupCount"},
	"patchSize":   {"patch"},
	"imgSize":     {"imageSize", "inputSize"},
	"clsToken":    {"classToken", "useClsToken"},
	"scaleFactor": {"scale", "factor"},
	"outputSize":  {"size", "outSize"},

	"upscaleFactor": {"scale", "scaleFactor", "upscale"},

	// Norms, activations and the rest.
	"eps":           {"epsilon", "varianceEpsilon", "normEps", "layerNormEps", "layerNormEpsilon", "rmsNormEps"},
	"affine":        {"elementwiseAffine"},
	"activation":    {"act", "actFn", "hiddenAct", "activationFunction"},
	"negativeSlope": {"alpha", "slope"},
	"p":             {"rate", "prob", "dropout", "dropoutRate", "dropRate"},
	"dropout":       {"p", "dropoutRate", "dropoutProb", "attentionDropout", "attnDropout"},
	"initValue":     {"initValues", "layerScaleInit", "layerScaleInitValue"},
	"numLayers":     {"nLayers", "nLayer", "depth", "numHiddenLayers"},
	"dim":           {"dims", "axes"},
	"dims":          {"perm", "order", "axes"},
	"shape":         {"size", "targetShape", "newShape"},
	"keepDim":       {"keepDims"},
	"dState":        {"stateSize", "ssmStateSize"},
	"dConv":         {"convKernel", "convKernelSize"},
	"dtRank":        {"timeStepRank"},
	"aggregator":    {"aggr"},
}
