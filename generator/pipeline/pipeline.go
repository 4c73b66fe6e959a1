// Package pipeline runs the passes in order: decode, expand, infer, verify. The
// command line, the site and every other face call Run, so that one graph has
// one answer.
package pipeline

import (
	"context"

	"github.com/strata-catalog/strata/generator/expand"
	"github.com/strata-catalog/strata/generator/graph"
	"github.com/strata-catalog/strata/generator/infer"
	"github.com/strata-catalog/strata/generator/layer"
	"github.com/strata-catalog/strata/generator/verify"
)

// A Report is all that is known of one document.
type Report struct {
	Doc      *graph.Document
	Model    *infer.Model
	Findings []verify.Finding
	Verdict  verify.Verdict
	Options  verify.Options // what was known beside the document
}

// Broken reports whether structural faults left nothing to analyse: such a
// document has findings, but no page.
func (r *Report) Broken() bool { return r.Model.Order == nil }

// Run analyses a document. name stands in messages. The error, a *graph.Error,
// says that the document is unreadable.
func Run(name string, src []byte) (*Report, error) {
	return RunWith(name, src, verify.Options{})
}

// RunWith is Run with what is known beside the document. Every rule runs.
func RunWith(name string, src []byte, opts verify.Options) (*Report, error) {
	opts.Costly = true
	doc, err := graph.Decode(name, src)
	if err != nil {
		return nil, err
	}
	return Analyse(doc, opts)
}

// Analyse is RunWith for a document that is decoded already. Whether the costly
// rules run, the options say.
func Analyse(doc *graph.Document, opts verify.Options) (*Report, error) {
	return AnalyseWithin(context.Background(), graph.MaxComponents, doc, opts)
}

// AnalyseWithin is Analyse with a limit of components after expansion. It stops
// when the context ends, between the passes and between the rules, and returns
// the context's error then.
func AnalyseWithin(ctx context.Context, components int, doc *graph.Document, opts verify.Options) (*Report, error) {
	g, err := expand.Within(components, doc)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m := infer.Infer(g)
	if err := unreadable(m); err != nil {
		return nil, err
	}
	r := &Report{Doc: doc, Model: m, Options: opts}
	opts.Stop = func() bool { return ctx.Err() != nil }
	r.Findings = verify.Run(m, verify.All, opts)
	r.Verdict = verify.Judge(r.Findings)
	return r, ctx.Err()
}

// unreadable finds a fraction where the vocabulary wants an integer.
func unreadable(m *infer.Model) error {
	for _, i := range m.Order {
		for _, p := range m.Nodes[i].Result.Problems {
			if p.Unreadable {
				return fraction(m, i, p)
			}
		}
	}
	return nil
}

func fraction(m *infer.Model, i int, p layer.Problem) error {
	n := &m.Nodes[i]
	pos := n.Component.Pos
	for _, q := range n.Component.Params {
		if q.Name == p.Param {
			pos = q.Pos
		}
	}
	return m.Graph.Doc.Source.Errorf(pos, n.ID+".params."+p.Param, "%s", p.Message)
}
