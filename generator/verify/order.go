package verify

import (
	"fmt"
	"strings"
)

const (
	batchNormPaper = "https://arxiv.org/abs/1502.03167"
	residualPaper  = "https://arxiv.org/abs/1512.03385"
	preNormPaper   = "https://arxiv.org/abs/2002.04745"
	torchLoss      = "https://docs.pytorch.org/docs/stable/generated/torch.nn.CrossEntropyLoss.html"
)

var trainingRules = []*Rule{
	{
		ID: "norm-after-activation", Severity: Advice, Group: Training, Sound: true,
		Title:   "Batch norm after the activation",
		Trigger: "A batch norm or a group norm stands straight after the activation of a convolution.",
		Why:     "The usual order is convolution, norm, activation: the norm then sees values on both sides of 0, and a batch norm can be folded into the convolution before it for inference. After the activation it trains too, but can be folded into nothing before it.",
		Fix:     "Let the norm and the activation change places.",
		Source:  batchNormPaper,
		Check:   normAfterActivation,
	},
	{
		ID: "dropout-before-batch-norm", Severity: Advice, Group: Training, Sound: true,
		Title:   "Dropout straight before batch norm",
		Trigger: "A batch norm gets the result of a dropout.",
		Why:     "Dropout raises the variance of what it lets through, in training alone. The batch norm records that variance and applies it in inference, where there is no dropout: its output is scaled wrongly there.",
		Fix:     "Move the dropout behind the batch norm, or remove it.",
		Source:  "https://arxiv.org/abs/1801.05134",
		Check:   dropoutBeforeBatchNorm,
	},
	{
		ID: "output-probabilities", Severity: Advice, Group: Training, Sound: true,
		Title:   "Softmax or sigmoid straight before the output",
		Trigger: "An output returns the result of a softmax or a sigmoid that is computed from more than an input, and feeds nothing else.",
		Why:     "The losses of PyTorch that one trains with, CrossEntropyLoss and BCEWithLogitsLoss, take logits and apply the activation themselves, with more precision. Given probabilities, CrossEntropyLoss flattens its gradient without a word.",
		Fix:     "Return the logits, and apply the activation where probabilities are shown.",
		Source:  torchLoss,
		Check:   outputProbabilities,
	},
	{
		ID: "activation-after-head", Severity: Advice, Group: Training, Sound: true,
		Title:   "Activation, norm or dropout after the head",
		Trigger: "Between the last linear layer of a classifier or a language model and the output stands an activation other than softmax, sigmoid or tanh, or a norm, or a dropout. A classifier has fewer than 32 outputs, a softmax, or a category that says so; what else ends like this may put out features.",
		Why:     "Logits are any numbers. A ReLU makes all that are below 0 equal and passes no gradient to them, a norm gives every sample logits of one size, and a dropout guesses at random.",
		Fix:     "Remove what stands behind the head.",
		Source:  "https://arxiv.org/abs/1903.06733",
		Check:   activationAfterHead,
	},
	{
		ID: "repeated-activation", Severity: Warning, Group: Training, Sound: true,
		Title:   "Two activations in a row",
		Trigger: "An activation gets the result of another one, with nothing or a dropout between. Two different ones are advice; a softmax over the result of another activation, as in graph attention, and what follows a softplus are right.",
		Why:     "The second of two ReLUs does nothing. Two others bend the values twice, which learns no more than one of them and passes less gradient. Mostly the layer between them was forgotten.",
		Fix:     "Remove one of the two, or add the layer that was meant between them.",
		Source:  "https://proceedings.mlr.press/v15/glorot11a.html",
		Check:   repeatedActivation,
	},
	{
		ID: "repeated-norm", Severity: Warning, Group: Training, Sound: true,
		Title:   "Two norms in a row",
		Trigger: "A norm gets the result of another one of its kind, or a batch norm that of a batch norm with an activation between. Two different kinds are advice. The final norm behind a stack with norms behind its sums is right.",
		Why:     "What the first norm has scaled, the second finds scaled: only its own factors are new, and two sets of factors learn no more than one. Mostly the layer between them was forgotten.",
		Fix:     "Remove one of the two, or add the layer that was meant between them.",
		Source:  batchNormPaper,
		Check:   repeatedNorm,
	},
	{
		ID: "repeated-linear", Severity: Warning, Group: Training, Sound: true,
		Title:   "Two linear layers with nothing between",
		Trigger: "A linear layer gets the result of another one, with nothing or a dropout between, and the width between is no smaller than the smaller of the two outer ones. A narrower one is a factorisation of low rank, and right.",
		Why:     "The product of two matrices is one matrix: the pair computes nothing that one linear layer does not. Mostly the activation between them was forgotten.",
		Fix:     "Add an activation between them, or make them one layer.",
		Source:  "https://arxiv.org/abs/1312.6120",
		Check:   repeatedLinear,
	},
	{
		ID: "bias-before-batch-norm", Severity: Advice, Group: Training, Sound: true,
		Title:   "Bias straight before a batch norm",
		Trigger: "A convolution or a linear layer with a bias feeds a batch norm and nothing else.",
		Why:     "The batch norm subtracts the mean of each channel and with it the constant, which gets no gradient. It adds a constant of its own afterwards.",
		Fix:     "Set bias to false.",
		Source:  batchNormPaper,
		Check:   biasBeforeBatchNorm,
	},
	{
		ID: "convolutions-without-norm", Severity: Advice, Group: Training, Sound: true,
		Title:   "Stack of convolutions without normalisation",
		Trigger: "Five convolutions or more follow each other without a residual path, and no convolution of the model has a normalisation before or behind it. SELU, which normalises by itself, is exempt.",
		Why:     "The scale of the activations shrinks or grows from layer to layer, so that such a stack needs small steps and careful initial weights. Norms let the same stack train faster, and deeper.",
		Fix:     "Put a batch norm or a group norm behind each convolution.",
		Source:  batchNormPaper,
		Check:   convolutionsWithoutNorm,
	},
	{
		ID: "no-residual", Severity: Advice, Group: Training, Sound: true,
		Title:   "Deep stack without a residual path",
		Trigger: "Twenty layers with weights or more follow each other, and no sum or concatenation leads around any of them.",
		Why:     "Beyond about twenty layers a plain stack gets worse with depth, even on its training data and with normalisation: each layer must learn to pass on what the next ones need.",
		Fix:     "Add the input of every few layers to their output.",
		Source:  residualPaper,
		Check:   noResidual,
	},
	{
		ID: "saturating-stack", Severity: Advice, Group: Training, Sound: true,
		Title:   "Sigmoid or tanh in a deep stack",
		Trigger: "Five hidden layers in a row or more have a sigmoid as their activation, or ten a tanh, without a norm or a residual path between.",
		Why:     "A sigmoid passes on a quarter of the gradient at most, and both next to none where they are saturated: little of it reaches the first layers.",
		Fix:     "Use ReLU, GELU or SiLU in hidden layers, or add norms or residual paths.",
		Source:  "https://proceedings.mlr.press/v9/glorot10a.html",
		Check:   saturatingStack,
	},
	{
		ID: "empty-residual", Severity: Warning, Group: Training, Sound: true,
		Title:   "Residual path around nothing",
		Trigger: "A sum adds a tensor to itself, or to what norms, activations and dropout made of it.",
		Why:     "No layer with a matrix stands beside the path, so that there is nothing to learn that the path could carry. Mostly the sum has a wrong edge.",
		Fix:     "Draw the edge from the layer that was meant, or remove the sum.",
		Source:  residualPaper,
		Check:   emptyResidual,
	},
	{
		ID: "interrupted-residual", Severity: Warning, Group: Training, Sound: true,
		Title:   "Layer on the residual stream itself",
		Trigger: "Attention or a feed-forward network stands between two sums of a residual stack, in the stream itself and not in a branch. A network may be drawn as two linear layers, if they keep the width.",
		Why:     "Nothing leads around the layer, so that the stream before it is lost: gradients pass through all such layers, and the sums skip only a part of each block. Mostly a sum was forgotten.",
		Fix:     "Add the layer's input, before its norm, to its result.",
		Source:  residualPaper,
		Check:   interruptedResidual,
	},
	{
		ID: "mixed-norms", Severity: Warning, Group: Training, Sound: true,
		Title:   "Pre-norm and post-norm in one stack",
		Trigger: "Of the residual branches of one stack some are normalised where they begin or end, and others only behind the sum.",
		Why:     "A norm behind the sum scales the residual stream, on which pre-norm branches rely to stay as it is. The two need different learning rates and warm-ups, and in one stack mostly an edge is wrong.",
		Fix:     "Normalise every branch of the stack in the same place.",
		Source:  preNormPaper,
		Check:   mixedNorms,
	},
	{
		ID: "missing-norm", Severity: Warning, Group: Training, Sound: true,
		Title:   "Norm missing where all others have one",
		Trigger: "A residual branch of attention or of a feed-forward network has no norm although the others of its stack have; or, as advice, a convolution leads to the next one without a norm although every other convolution is normalised. The first convolution, the last, and those on a single pixel are exempt.",
		Why:     "What enters the layer grows with the depth of the residual stream, or with the weights before it, while all others see values of one size.",
		Fix:     "Add the norm that the others have.",
		Source:  preNormPaper,
		Check:   missingNorm,
	},
	{
		ID: "no-final-norm", Severity: Warning, Group: Training, Sound: true,
		Title:   "Final norm missing",
		Trigger: "A head reads the residual stream of a stack whose branches are normalised inside, and no norm stands between. Where the head is not over the vocabulary of an embedding, it is advice.",
		Why:     "Such a stack never normalises the stream itself, which grows from branch to branch. A head that reads it as it is gets values whose size depends on the depth.",
		Fix:     "Put a norm of the same kind between the last sum and the head.",
		Source:  preNormPaper,
		Check:   noFinalNorm,
	},
	{
		ID: "odd-instance", Severity: Warning, Group: Training, Sound: true,
		Title:   "One layer of a stack unlike all others",
		Trigger: "Of layers that are numbered and drawn one by one, at least four are alike, and one or two others, neither the first nor the last, differ from them by a norm or an activation that they have or lack, or by one operand.",
		Why:     "A design that varies its layers does so in a pattern. A single layer in the middle that differs by so little is mostly a slip: it trains, and a part of it does not do what it does everywhere else.",
		Fix:     "Draw it as the others are, or write the layer once, as a block.",
		Source:  residualPaper,
		Check:   oddInstance,
	},
}

// mildly is layers with a finding that is advice, whatever the rule says.
func (p *Pass) mildly(list []int, many, one string) *found {
	f := p.layers(list, many, one)
	if f != nil {
		f.Severity = Advice
	}
	return f
}

func normAfterActivation(p *Pass) {
	var list []int
	for _, i := range p.flow().norms {
		if !p.flow().is(i, overBatch) && !p.Nodes[i].Is("groupNorm") {
			continue
		}
		if at := p.straight(i); p.flow().is(at, activates) && p.flow().is(p.straight(at), convolves) {
			list = append(list, i)
		}
	}
	p.layers(list, "%d norms stand after the activation of a convolution, not before it", "stands after the activation of a convolution, not before it")
}

func dropoutBeforeBatchNorm(p *Pass) {
	var list []int
	for _, i := range p.flow().norms {
		at := p.straight(i)
		if p.flow().is(i, overBatch) && at >= 0 && p.Nodes[at].Is("dropout") && p.param(at, "p") != "0" {
			list = append(list, i)
		}
	}
	p.layers(list, "%d batch norms get the result of a dropout", "gets the result of a dropout")
}

// outputProbabilities reports softmax and sigmoid apart.
func outputProbabilities(p *Pass) {
	for _, name := range []string{"softmax", "sigmoid"} {
		var list []int
		for _, i := range p.flow().outputs {
			at := p.straight(i)
			if at >= 0 && p.Nodes[at].Is(name) && !p.Nodes[p.past(at, activates|drops)].Is("input") {
				list = append(list, at)
			}
		}
		p.layers(list, "%d results of "+name+" leave the model; a loss is computed from what enters them", "its result leaves the model; a loss is computed from what enters it")
	}
}

// squash lists the activations that results are usual to leave through.
var squash = map[string]bool{"softmax": true, "logSoftmax": true, "sigmoid": true, "tanh": true, "hardSigmoid": true, "softplus": true}

func activationAfterHead(p *Pass) {
	for _, i := range p.flow().outputs {
		odd, classes, at := none, false, p.straight(i)
		for ; p.flow().is(at, passes); at = p.straight(at) {
			switch name := p.Nodes[at].Type.Name; {
			case name == "dropout" && p.param(at, "p") == "0", name == "scale", name == "softcap":
			case squash[name]:
				classes = classes || isSoftmax(name)
			default:
				odd = at
			}
		}
		if odd != none && p.flow().is(at, multiplies) && (classes || p.classifies(at)) {
			p.report(odd, "stands between the head %q and the output", p.Nodes[at].ID)
		}
	}
}

// fewClasses is a number of outputs that is too small for features.
const fewClasses = 32

// classifies reports whether a linear layer before the output tells classes,
// tokens or single numbers, not features.
func (p *Pass) classifies(i int) bool {
	out := p.Nodes[i].Result.Out.Width()
	if out == 0 {
		return false
	}
	if out < fewClasses || strings.Contains(strings.ToLower(p.Graph.Doc.Category), "classif") {
		return true
	}
	return p.overVocabulary(i)
}

// overVocabulary reports whether a layer has as many results as an embedding
// that feeds it has rows.
func (p *Pass) overVocabulary(i int) bool {
	v := p.vocabularies()
	return v.flow[i]&v.bit(p.Nodes[i].Result.Out.Width()) != 0
}

func repeatedActivation(p *Pass) {
	var same, different []int
	for _, i := range p.flow().activations {
		at := p.straightPast(i, drops)
		if !p.flow().is(at, activates) {
			continue
		}
		first, second := p.Nodes[at].Type.Name, p.Nodes[i].Type.Name
		switch {
		case first == second:
			same = append(same, i)
		case first != "softplus" && (first == "softmax" || !isSoftmax(second)):
			different = append(different, i)
		}
	}
	if f := p.layers(same, "%d activations follow another of their kind", "follows another activation of its kind"); f != nil {
		f.Patch = p.without(same)
	}
	p.mildly(different, "%d activations follow another one", "follows another activation")
}

func repeatedNorm(p *Pass) {
	f := p.flow()
	var same, different []int
	for _, i := range f.norms {
		at := p.straight(i)
		if f.is(i, overBatch) {
			at = p.straightPast(i, activates)
		}
		switch {
		case !f.is(at, normalises) || p.closesPostNorm(at):
		case p.Nodes[at].Is(p.Nodes[i].Type.Name):
			same = append(same, i)
		case at == p.straight(i):
			different = append(different, i)
		}
	}
	if f := p.layers(same, "%d norms follow another of their kind", "follows another norm of its kind"); f != nil {
		f.Patch = p.without(same)
	}
	p.mildly(different, "%d norms follow another one", "follows another norm")
}

// closesPostNorm reports whether a norm is that behind the last sum of a
// stack with norms behind its sums, which mostly has a final norm as well.
func (p *Pass) closesPostNorm(norm int) bool {
	sum := p.straightPast(norm, drops)
	if !p.flow().is(sum, sums) {
		return false
	}
	s := p.stacks()
	if s.of == nil || s.of[sum] == 0 {
		return false
	}
	t := s.tally[s.of[sum]-1]
	return t.behind > 0 && t.last == sum
}

func isSoftmax(name string) bool { return name == "softmax" || name == "logSoftmax" }

func repeatedLinear(p *Pass) {
	var list []int
	for _, i := range p.flow().linears {
		at := p.straightPast(i, drops)
		if !p.flow().is(at, multiplies) || len(p.Nodes[at].Result.In) == 0 {
			continue
		}
		in, between, out := p.Nodes[at].Result.In[0].Width(), p.Nodes[at].Result.Out.Width(), p.Nodes[i].Result.Out.Width()
		if in > 0 && out > 0 && between >= min(in, out) {
			list = append(list, i)
		}
	}
	p.layers(list, "%d linear layers follow another one with nothing between", "follows another linear layer with nothing between")
}

// biasBeforeBatchNorm has a patch for each layer.
func biasBeforeBatchNorm(p *Pass) {
	var list []int
	constants := int64(0)
	for _, i := range p.flow().norms {
		at := p.straight(i)
		if !p.flow().is(i, overBatch) || !p.flow().is(at, convolves|multiplies) || p.bias(at) == 0 {
			continue
		}
		list = append(list, at)
		if p.Nodes[at].Params > 0 { // else they are those of another node
			constants += p.bias(at)
		}
	}
	f := p.layers(list, "%d layers have a bias that the batch norm behind them takes away", "has a bias that the batch norm behind it takes away")
	if f == nil {
		return
	}
	f.Message += fmt.Sprintf(": %d parameters", constants)
	for _, i := range list {
		f.Patch = append(f.Patch, p.replace(i, "bias", "false")...)
	}
}
