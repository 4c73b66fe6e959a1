package edit

import (
	"fmt"
	"slices"

	"github.com/strata-catalog/strata/generator/facts"
	"github.com/strata-catalog/strata/generator/graph"
	"github.com/strata-catalog/strata/generator/pipeline"
	"github.com/strata-catalog/strata/generator/verify"
)

// Fix applies the patches of findings.
type Fix struct {
	Rule      string `json:"rule,omitempty" kind:"text" doc:"rule of the findings; every rule where this is left out"`
	Component string `json:"component,omitempty" kind:"component" doc:"a component that they name; every one where this is left out"`
}

// most is how many findings one change fixes.
const most = 200

func (c *Fix) draft(d *draft) (string, error) {
	if !slices.ContainsFunc(d.report.Findings, c.means) {
		return "", fmt.Errorf("no such finding has a mechanical fix; its words say what to do, and change, connect or remove do it")
	}
	r, text, fixed := d.report, d.doc.Source.Text, 0
	// One after the other: each patch is of the document that its finding is of.
	for ; fixed < most; fixed++ {
		k := slices.IndexFunc(r.Findings, c.means)
		if k < 0 {
			break
		}
		next, err := graph.Patch(text, r.Findings[k].Patch)
		if err != nil {
			return "", fmt.Errorf("the fix of %s: %w", r.Findings[k].Rule, err)
		}
		after, err := pipeline.RunWith(r.Doc.Source.Name, []byte(next), d.opts)
		if err != nil {
			return "", fmt.Errorf("the fix of %s: %w", r.Findings[k].Rule, err)
		}
		text, r = next, after
	}
	d.text = &text
	if fixed == 1 {
		return "applied the fix of one finding", nil
	}
	return fmt.Sprintf("applied the fixes of %d findings", fixed), nil
}

// means reports whether a finding is to be fixed.
func (c *Fix) means(f verify.Finding) bool {
	return len(f.Patch) > 0 && (c.Rule == "" || f.Rule == c.Rule) && (c.Component == "" || slices.Contains(f.Components, c.Component))
}

// Patch does operations of RFC 6902.
type Patch struct {
	Patch []Step `json:"patch" kind:"patch" doc:"operations, done one after the other"`
}

// A Step is one operation of RFC 6902.
type Step struct {
	Op    string      `json:"op" enum:"add,remove,replace,move,copy,test" doc:"what to do"`
	Path  string      `json:"path" doc:"JSON Pointer into the document as written"`
	From  string      `json:"from,omitempty" doc:"JSON Pointer of what is moved or copied"`
	Value facts.Value `json:"value,omitempty" doc:"the value to put there, or to find there"`
}

func (c *Patch) draft(d *draft) (string, error) {
	text := d.doc.Source.Text
	for i, step := range c.Patch {
		var err error
		if text, err = step.apply(text); err != nil {
			return "", fmt.Errorf("operation %d of the patch: %w", i+1, err)
		}
	}
	d.text = &text
	if len(c.Patch) == 1 {
		return fmt.Sprintf("patched %s", c.Patch[0].Path), nil
	}
	return fmt.Sprintf("did %d operations of a patch", len(c.Patch)), nil
}

func (s *Step) apply(text string) (string, error) {
	ops := []graph.PatchOp{{Op: s.Op, Path: s.Path, Value: string(s.Value)}}
	switch s.Op {
	case "test":
		start, end, err := graph.Find(text, s.Path)
		if err == nil && len(Difference(text[start:end], string(s.Value))) > 0 {
			err = fmt.Errorf("test %s: found something else than %s", graph.Quote(s.Path), s.Value)
		}
		return text, err
	case "move", "copy":
		start, end, err := graph.Find(text, s.From)
		if err != nil {
			return "", err
		}
		ops = []graph.PatchOp{graph.Add(s.Path, text[start:end])}
		if s.Op == "move" {
			ops = slices.Insert(ops, 0, graph.Remove(s.From))
		}
	case "add", "replace":
		if s.Value == "" {
			return "", fmt.Errorf("%s %s has no value", s.Op, graph.Quote(s.Path))
		}
	}
	return graph.Patch(text, ops)
}
