package ops

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/strata-catalog/strata/generator/export"
)

// ExportParams are the parameters of Export.
type ExportParams struct{ Subject }

// An Exported is the answer of Export.
type Exported struct {
	ID     string `json:"id" doc:"id of the model"`
	File   string `json:"file" doc:"name for the file"`
	Lines  int    `json:"lines" doc:"lines of the file"`
	Source string `json:"source" doc:"the whole file, Python that imports torch alone"`
}

// Export writes a model as PyTorch.
func Export(ctx context.Context, env *Env, in ExportParams) (*Exported, error) {
	m, err := in.whole(ctx, env, "model")
	if err != nil {
		return nil, err
	}
	return m.Export()
}

// Export writes the model as PyTorch. The error names every layer that cannot
// be written.
func (m *Model) Export() (*Exported, error) {
	src, err := export.Python(m.Model, m.Sources...)
	var unsupported *export.Unsupported
	if errors.As(err, &unsupported) {
		return nil, m.refused(unsupported)
	}
	if err != nil {
		return nil, &Error{Kind: Unfit, Err: err}
	}
	e := &Exported{ID: m.ID, File: "model.py", Lines: bytes.Count(src, []byte("\n")), Source: string(src)}
	if m.ID != "" {
		e.File = m.ID + ".py"
	}
	return e, nil
}

func (m *Model) refused(u *export.Unsupported) error {
	e := &Error{Kind: Unfit, Reasons: make([]Reason, len(u.Reasons))}
	for i, r := range u.Reasons {
		e.Reasons[i].Why = r.Why
		if r.Node >= 0 {
			n, at := &m.Model.Nodes[r.Node], m.Model.At(r.Node)
			e.Reasons[i] = Reason{n.ID, n.TypeName(), r.Why, at.Line, at.Column}
		}
	}
	first, more := e.Reasons[0], ""
	if n := len(e.Reasons) - 1; n > 0 {
		more = fmt.Sprintf(", and %d more", n)
	}
	if first.Layer != "" {
		first.Why = fmt.Sprintf("%s (%s): %s", first.Layer, first.Type, first.Why)
	}
	e.Err = fmt.Errorf("the model cannot be exported: %s%s", first.Why, more)
	return e
}
