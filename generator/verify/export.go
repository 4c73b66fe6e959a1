package verify

import (
	"slices"

	"github.com/strata-catalog/strata/generator/export"
	"github.com/strata-catalog/strata/generator/layer"
)

var exportRules = []*Rule{
	{
		ID: "not-exportable", Severity: Advice, Group: Numbers, Sound: true, Costly: true,
		Title:   "Cannot be written in PyTorch",
		Trigger: "A layer has no PyTorch that would do just what the graph says, so no code of the model is written.",
		Why:     "Exported code that runs and counts the same is the proof of every other number. Half a model, or one that does something else, would prove the wrong thing.",
		Fix:     "Draw the layer by others that can be written, or give what the message says is missing.",
		Source:  "https://pytorch.org/docs/stable/nn.html",
		Check:   notExportable,
	},
}

func notExportable(p *Pass) {
	for _, r := range export.Supported(p.Model) {
		if r.Node < 0 || !p.blamed(r.Node) {
			p.report(r.Node, "%s", r.Why)
		}
	}
}

// blamed reports a node that a graver finding is about, or whose sizes are not
// known because of one: what keeps it from being exported is said already.
func (p *Pass) blamed(i int) bool {
	r := p.Nodes[i].Result
	if !r.Counted || !r.Out.Known() {
		return true
	}
	isGraver := func(q layer.Problem) bool { return p.severity(q.Rule) != Advice }
	if slices.ContainsFunc(r.Problems, isGraver) || slices.ContainsFunc(p.Nodes[i].Problems, isGraver) {
		return true // findings of equal layers are one, about the first of them
	}
	return slices.ContainsFunc(p.found, func(f found) bool { return f.node == i && f.Severity != Advice })
}
