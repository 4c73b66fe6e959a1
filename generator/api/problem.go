package api

import (
	"context"
	"errors"
	"net/http"

	"github.com/strata-catalog/strata/generator/facts"
	"github.com/strata-catalog/strata/generator/ops"
)

// A Problem is what an error is answered with (RFC 9457).
type Problem struct {
	Type     string          `json:"type" doc:"what sort of problem it is, for programs"`
	Title    string          `json:"title" doc:"the same in words"`
	Status   int             `json:"status" doc:"status code of HTTP"`
	Detail   string          `json:"detail" doc:"what was found, what was expected, and how to go on"`
	Line     int             `json:"line,omitzero" doc:"line of the document to blame, from 1, where there is one"`
	Column   int             `json:"column,omitzero" doc:"column in characters, from 1"`
	Path     string          `json:"path,omitzero" doc:"path into the document, where the place does not say it all"`
	Findings []facts.Finding `json:"findings,omitzero" doc:"structural faults of the graph, where they leave nothing to tell"`
	Reasons  []ops.Reason    `json:"reasons,omitzero" doc:"layers that cannot be exported, and why"`
}

// ProblemType is the media type of problems.
const ProblemType = "application/problem+json"

// A kind is a sort of problem.
type kind struct {
	word   string // the end of its type
	status int
	title  string
}

// The kinds of problems.
var (
	invalid     = &kind{"invalid", http.StatusBadRequest, "The request cannot be read"}
	unknown     = &kind{"unknown", http.StatusNotFound, "Nothing has this name"}
	missing     = &kind{"missing", http.StatusNotFound, "Nothing is at this address"}
	wrongMethod = &kind{"method", http.StatusMethodNotAllowed, "The address does not take this method"}
	tooSlow     = &kind{"slow", http.StatusRequestTimeout, "The request came too slowly"}
	tooLarge    = &kind{"large", http.StatusRequestEntityTooLarge, "The request is too large"}
	wrongType   = &kind{"media-type", http.StatusUnsupportedMediaType, "The body is of a type that is not read"}
	tooDeep     = &kind{"nesting", http.StatusUnprocessableEntity, "The document is nested too deep"}
	unfit       = &kind{"unfit", http.StatusUnprocessableEntity, "The document cannot be analysed as was asked"}
	internal    = &kind{"internal", http.StatusInternalServerError, "The server is at fault"}
	busy        = &kind{"busy", http.StatusServiceUnavailable, "The server is busy"}
	tooLong     = &kind{"time", http.StatusServiceUnavailable, "The analysis takes too long"}
	ending      = &kind{"ending", http.StatusServiceUnavailable, "The server ends"}

	kinds = []*kind{invalid, unknown, missing, wrongMethod, tooSlow, tooLarge, wrongType, tooDeep, unfit, internal, busy, tooLong, ending}
)

// urn is the whole type of a problem.
func (k *kind) urn() string { return "urn:strata:problem:" + k.word }

// problem answers with a problem.
func (a *API) problem(w http.ResponseWriter, k *kind, detail string) {
	a.explain(w, &Problem{Detail: detail}, k)
}

func (a *API) explain(w http.ResponseWriter, p *Problem, k *kind) {
	p.Type, p.Title, p.Status = k.urn(), k.title, k.status
	if k == busy {
		w.Header().Set("Retry-After", "1")
	}
	src, err := facts.JSON(p)
	if err != nil {
		src = []byte("{}\n")
	}
	a.give(w, k.status, ProblemType, src)
}

// gone is what the log has as the status for a client that did not wait.
const gone = 499

// of says which kind an error of an operation is.
var of = map[ops.Kind]*kind{ops.Invalid: invalid, ops.Unknown: unknown, ops.Unfit: unfit}

// fail answers with what is wrong.
func (a *API) fail(w http.ResponseWriter, r *http.Request, err error) {
	var refused *refusal
	var own *ops.Error
	switch {
	case errors.As(err, &refused):
		a.problem(w, refused.kind, refused.detail)
	case errors.As(err, &own):
		p := &Problem{Detail: own.Error(), Findings: own.Findings, Reasons: own.Reasons}
		if at := own.Place(); at != nil {
			p.Detail, p.Line, p.Column, p.Path = at.Msg, at.Line, at.Column, at.Path
		}
		a.explain(w, p, of[own.Kind])
	case r.Context().Err() != nil:
		w.WriteHeader(gone)
	case errors.Is(err, errWaited):
		a.problem(w, busy, "the request waited for "+a.Limits.Time.String()+", and others are still worked on; try again")
	case errors.Is(err, context.DeadlineExceeded):
		a.problem(w, tooLong, "the analysis was stopped after "+a.Limits.Time.String()+"; ask about a smaller graph")
	default:
		a.Log.Error("failed", "error", err.Error())
		a.problem(w, internal, "this should not have happened; the log of the server has more")
	}
}
