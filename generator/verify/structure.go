package verify

import (
	"regexp"
	"unicode/utf8"

	"github.com/strata-catalog/strata/generator/expand"
	"github.com/strata-catalog/strata/generator/graph"
	"github.com/strata-catalog/strata/generator/infer"
	"github.com/strata-catalog/strata/generator/layer"
)

const (
	onnxIR       = "https://onnx.ai/onnx/repo-docs/IR.html"
	torchModule  = "https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html"
	torchForward = "https://docs.pytorch.org/tutorials/beginner/basics/buildmodel_tutorial.html"
)

var structureRules = []*Rule{
	{
		ID: expand.NoComponents, Severity: Error, Group: Structure, Faulty: true,
		Title:   "No components",
		Trigger: "The document lists no components.",
		Why:     "There is nothing to analyse, to draw or to run.",
		Fix:     "List the layers under \"components\".",
		Source:  onnxIR,
	},
	{
		ID: expand.DuplicateID, Severity: Error, Group: Structure, Faulty: true,
		Title:   "Two components with one id",
		Trigger: "Two components of one scope, or two of the whole document once its blocks are expanded, have the same id.",
		Why:     "An edge to that id could mean either, and the exported module can hold only one attribute of a name.",
		Fix:     "Give one of them another id, and correct the edges that mean it.",
		Source:  onnxIR,
	},
	{
		ID: expand.UnknownEdge, Severity: Error, Group: Structure, Faulty: true,
		Title:   "Edge to nothing",
		Trigger: "An input or a connection names a component that does not exist.",
		Why:     "The layer would wait for data that nothing yields.",
		Fix:     "Correct the id, or add the component.",
		Source:  onnxIR,
	},
	{
		ID: expand.Cycle, Severity: Error, Group: Structure, Faulty: true,
		Title:   "Cycle",
		Trigger: "The edges lead from a component back to itself.",
		Why:     "No layer of the cycle can run first, so a forward pass has no order. Recurrence over time belongs inside a recurrent layer.",
		Fix:     "Remove one of the edges of the cycle.",
		Source:  onnxIR,
	},
	{
		ID: expand.BlockInputs, Severity: Error, Group: Structure, Faulty: true,
		Title:   "Block with another number of inputs",
		Trigger: "A component uses a block and gives it more or fewer sources than the block has inputs.",
		Why:     "An input of the block would be left without data, or a source without a use.",
		Fix:     "Give one source for each input of the block, in its order.",
		Source:  onnxIR,
	},
	{
		ID: "bad-slug", Severity: Error, Group: Structure, Faulty: true,
		Title:   "Id that is no slug, or not the folder's name",
		Trigger: "In a catalog, the document's id is missing, longer than 80 characters, not made of lower-case letters and digits joined by single dots or hyphens, or not the name of its folder.",
		Why:     "The id is the address of the page: it must be safe in a URL, and the same wherever the template is named.",
		Fix:     "Give the folder and the id one name, such as \"qwen3-8b\".",
		Source:  "https://www.rfc-editor.org/rfc/rfc3986#section-2.3",
		Check:   badSlug,
	},
	{
		ID: "no-input", Severity: Error, Group: Structure,
		Title:   "No input",
		Trigger: "No component is of type input.",
		Why:     "Nothing says what the model is given, so the forward pass has no argument and no shape can be derived.",
		Fix:     "Add an input with the shape of the data, and feed the first layer from it.",
		Source:  torchForward,
		Check: func(p *Pass) {
			if p.who().inputs == 0 {
				p.report(-1, "none of the %d components is an input", len(p.Nodes))
			}
		},
	},
	{
		ID: "no-output", Severity: Error, Group: Structure,
		Title:   "No output",
		Trigger: "No component is of type output.",
		Why:     "Nothing says what the model returns: the forward pass computes, and throws its result away.",
		Fix:     "Add an output, and feed it from the layer whose result is wanted.",
		Source:  torchForward,
		Check: func(p *Pass) {
			if p.who().outputs == 0 {
				p.report(-1, "none of the %d components is an output", len(p.Nodes))
			}
		},
	},
	{
		ID: layer.FewOperands, Severity: Error, Group: Structure,
		Title:   "Too few inputs",
		Trigger: "A layer has fewer inputs than it needs: add, multiply, concatenate and the like need two.",
		Why:     "A merge of one tensor merges nothing. Mostly the edge of a residual connection was forgotten, and the model drawn has no residual path.",
		Fix:     "Draw the missing edge, or remove the layer.",
		Source:  "https://arxiv.org/abs/1512.03385",
		Check:   fewOperands,
	},
	{
		ID: layer.MissingContext, Severity: Error, Group: Structure,
		Title:   "Cross-attention without a context",
		Trigger: "A layer that attends to a second sequence has one input.",
		Why:     "There is nothing to take keys and values from.",
		Fix:     "Feed it the context, such as the result of the encoder, as its second input.",
		Source:  "https://arxiv.org/abs/1706.03762",
		Check:   fewOperands,
	},
	{
		ID: layer.OperandCount, Severity: Warning, Group: Structure,
		Title:   "Another number of inputs",
		Trigger: "A layer has more inputs than it takes, or not as many as its numInputs declares.",
		Why:     "Inputs beyond those that it takes are ignored; a wrong numInputs says that an edge is missing or is one too many.",
		Fix:     "Remove the surplus edges, or correct numInputs.",
		Source:  torchModule,
		Check:   unless(layer.FewOperands),
	},
	{
		ID: layer.JoinedOperands, Severity: Warning, Group: Structure,
		Title:   "Several inputs into a layer that takes one",
		Trigger: "A layer that takes one tensor has several inputs that can be joined on the feature axis.",
		Why:     "How they become one tensor is not drawn. They are taken as concatenated, though a sum may have been meant.",
		Fix:     "Draw the concatenate, or the merge that was meant.",
		Source:  "https://docs.pytorch.org/docs/stable/generated/torch.cat.html",
		Check: func(p *Pass) {
			p.forward(func(i int) bool { return !p.has(i, layer.WidthMismatch) && !p.has(i, layer.ConcatAxes) })
		},
	},
	{
		ID: "edge-lists", Severity: Warning, Group: Structure,
		Title:   "Inputs and connections disagree",
		Trigger: "A component's inputs and the document's connections do not hold the same edges.",
		Why:     "One of the two lists is out of date. Both are followed, so an edge that was meant to go is still there.",
		Fix:     "Correct the list that is wrong, or write the edges in one of them only.",
		Source:  onnxIR,
		Check:   edgeLists,
	},
	{
		ID: "isolated", Severity: Warning, Group: Structure,
		Title:   "Isolated component",
		Trigger: "A component has no edge at all, and no other shares its weight.",
		Why:     "It takes no part in the forward pass, and its weights, if it has any, are counted and never used.",
		Fix:     "Connect it, or remove it.",
		Source:  torchModule,
		Check:   isolated,
	},
	{
		ID: "dead-end", Severity: Warning, Group: Structure,
		Title:   "Dead end",
		Trigger: "A component that is no output has inputs, but its result goes nowhere.",
		Why:     "What it computes is thrown away: its weights get no gradient, and the work is wasted.",
		Fix:     "Feed its result to the next layer or to an output, or remove it.",
		Source:  torchModule,
		Check:   deadEnd,
	},
	{
		ID: "unreachable", Severity: Error, Group: Structure,
		Title:   "Unreachable from an input",
		Trigger: "A component that needs an input has none, although its result is used. Sources (rope, alibi, free parameters, embeddings without ids) need none.",
		Why:     "It and all that depends on it alone cannot run.",
		Fix:     "Feed it from the layer before it.",
		Source:  torchForward,
		Check:   unreachable,
	},
	{
		ID: "idle-side-input", Severity: Warning, Group: Structure,
		Title:   "Position encoding that feeds no attention",
		Trigger: "A rope or an alibi feeds a layer that is no attention.",
		Why:     "Both act on the queries and keys inside attention, and yield no tensor. Any other layer ignores them.",
		Fix:     "Feed it to the attention that it belongs to.",
		Source:  "https://arxiv.org/abs/2104.09864",
		Check: func(p *Pass) {
			for _, i := range p.who().sides {
				if n := &p.Nodes[i]; n.Type != nil && n.Result.Layer != nil && !p.attends(i) {
					p.report(i, "%s is no attention and has no use for %s", n.Type.Name, p.Nodes[n.Side[0]].Type.Name)
				}
			}
		},
	},
	{
		ID: infer.UnknownType, Severity: Error, Group: Structure,
		Title:   "Unknown layer type",
		Trigger: "A component's type is none of the layer reference.",
		Why:     "Neither its shape nor its weights can be told: the count is a lower bound, and what follows it is unknown.",
		Fix:     "Use a type of the layer reference.",
		Source:  torchModule,
		Check: func(p *Pass) {
			meant := map[string]string{} // a search for each name, not for each use
			for _, r := range p.problems[infer.UnknownType] {
				c := p.Nodes[r.node].Component
				if _, known := meant[c.Type]; !known {
					near, sure := layer.NearestType(c.Type)
					if !sure {
						near = ""
					}
					meant[c.Type] = near
				}
				f := p.problem(r)
				f.at, f.Patch = c.TypePos, p.retype(r.node, meant[c.Type])
			}
		},
	},
	{
		ID: layer.UnknownParam, Severity: Warning, Group: Structure,
		Title:   "Unknown parameter",
		Trigger: "A parameter is none of its layer type's.",
		Why:     "It has no effect. Where it is a misspelling, the layer works with the default instead of the value that was meant.",
		Fix:     "Rename or remove it.",
		Source:  torchModule,
	},
	{
		ID: layer.MissingParam, Severity: Error, Group: Structure,
		Title:   "Missing parameter",
		Trigger: "A parameter that has no default, and does not follow from the incoming shape, is not given.",
		Why:     "The layer cannot be built: its shape and its weights are unknown.",
		Fix:     "Add the parameter.",
		Source:  torchModule,
	},
	{
		ID: layer.BadParam, Severity: Error, Group: Structure,
		Title:   "Parameter of the wrong kind or out of range",
		Trigger: "A parameter has a value that its layer type does not take: another kind, or out of range, such as a kernel of 0 or a dropout of 1.",
		Why:     "PyTorch refuses to build the layer, or builds one that cannot work.",
		Fix:     "Give a value of the kind and range that the layer reference names.",
		Source:  torchModule,
	},
	{
		ID: layer.AliasConflict, Severity: Warning, Group: Structure,
		Title:   "Two names of one parameter disagree",
		Trigger: "A parameter is given under two of its names, with different values.",
		Why:     "Only one can be meant. The canonical name wins, and the other is ignored.",
		Fix:     "Remove the one that is wrong.",
		Source:  torchModule,
		Check: func(p *Pass) {
			for _, r := range p.problems[layer.AliasConflict] {
				p.problem(r).Patch = p.unalias(r.node, r.problem.Param)
			}
		},
	},
	{
		ID: "long-name", Severity: Warning, Group: Structure,
		Title:   "Long name",
		Trigger: "The model's name has more than 200 characters.",
		Why:     "Titles, tables and search results have room for a name, not for a description.",
		Fix:     "Shorten the name, and move the rest to the description.",
		Source:  "https://developers.google.com/search/docs/appearance/title-link",
		Check: func(p *Pass) {
			doc := p.Graph.Doc
			if n := utf8.RuneCountInString(doc.Name); n > maxName {
				p.report(-1, "name has %d characters, at most %d are shown", n, maxName).at = doc.NamePos
			}
		},
	},
	{
		ID: layer.CountOverflow, Severity: Error, Group: Structure,
		Title:   "Product beyond 64 bits",
		Trigger: "A size, or a number of weights, exceeds a signed 64-bit integer.",
		Why:     "PyTorch indexes tensors with 64-bit integers. No such tensor exists, and no count of it is given.",
		Fix:     "Correct the sizes: one of them is likely a typing error.",
		Source:  "https://docs.pytorch.org/docs/stable/tensor_attributes.html",
	},
}

const (
	maxName = 200 // characters of a display name
	maxSlug = 80  // characters of an id
)

var slug = regexp.MustCompile(`^[a-z0-9]+(?:[.-][a-z0-9]+)*$`)

func isSlug(s string) bool { return len(s) <= maxSlug && slug.MatchString(s) }

// badSlug compares the id of a catalog's template with its folder.
func badSlug(p *Pass) {
	id, folder := p.Graph.Doc.ID, p.Folder
	if folder == "" || id == folder && isSlug(id) {
		return
	}
	var f *found
	switch {
	case id == "":
		f = p.report(-1, "the document has no id; its folder is called %q", folder)
	case len(id) > maxSlug:
		f = p.report(-1, "id has %d characters, at most %d are allowed", utf8.RuneCountInString(id), maxSlug)
	case !slug.MatchString(id):
		f = p.report(-1, "id %q is no slug", id)
	default:
		f = p.report(-1, "id is %q, but the folder is called %q", id, folder)
	}
	f.at = p.Graph.Doc.IDPos
	if isSlug(folder) { // "add" replaces a member that is there
		f.Patch = []graph.PatchOp{graph.Add("/id", graph.Quote(folder))}
	}
}

func edgeLists(p *Pass) {
	for _, d := range p.Graph.Disagreements {
		if i, ok := p.Graph.Find(d.Node); ok {
			p.report(i, "%s", d.Message).at = d.Pos
		}
	}
}

// isolated finds components without an edge. An input that a layer lacks is
// that one's finding.
func isolated(p *Pass) {
	for _, i := range p.who().loose {
		if p.who().lacks[i] == anyEdge && (p.who().partner == nil || !p.Nodes[i].Is("input")) {
			p.report(i, "no edge leads to it or from it")
		}
	}
}

// deadEnd finds results that nothing uses. In a model without an output every
// last layer is one, and no-output says so.
func deadEnd(p *Pass) {
	if p.who().outputs == 0 || p.who().partner != nil {
		return
	}
	for _, i := range p.who().loose {
		if p.who().lacks[i] == consumer {
			p.report(i, "its result goes nowhere")
		}
	}
}

// unreachable finds where data are missing. In a model without an input they
// are missing everywhere, and no-input says so.
func unreachable(p *Pass) {
	if p.who().inputs == 0 {
		return
	}
	for _, i := range p.who().loose {
		if p.who().lacks[i] != operand {
			continue
		}
		message := "nothing feeds it"
		if len(p.Nodes[i].Side) > 0 {
			message = "only a side input feeds it"
		}
		p.starve(p.note(i, message))
	}
}

// fewOperands leaves to isolated and unreachable what they say.
func fewOperands(p *Pass) {
	for _, r := range p.problems[p.rule.ID] {
		if lack := p.who().lacks[r.node]; lack != anyEdge && lack != operand {
			p.starve(p.problem(r))
		}
	}
}
