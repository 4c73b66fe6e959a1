// Package api answers over HTTP what package ops declares. New makes a handler;
// Run serves it and ends without losing a request. Routes, parameters and the
// OpenAPI description follow from ops.All, and answers are the same bytes that
// the command line prints.
//
// A request is a pure function of its body and the catalog, so there are no keys
// and nothing is kept. What a stranger may cost is bounded by Limits: size and
// depth of the body, size of the expanded graph, time, and how many requests are
// in the house. An analysis stops between two passes or two rules once its time
// is over or its client has gone; the bound on the expanded graph keeps each of
// those steps short.
//
// Logs and metrics have sizes and times, and nothing of what was sent.
package api

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net"
	"net/http"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/strata-catalog/strata/generator/facts"
	"github.com/strata-catalog/strata/generator/ops"
)

// Prefix is where the operations are, below the root of the host.
const Prefix = "/api/v1/"

// A Config is what a handler needs.
type Config struct {
	Env     func() *ops.Env // what holds now: a catalog may be read again
	Limits  Limits
	Version string       // of the program
	Log     *slog.Logger // nil: nothing is logged
	Else    http.Handler // for addresses that are none of these; nil: nothing is there
}

// An API is the handler. It is safe for concurrent use.
type API struct {
	Config
	mux     *http.ServeMux
	metrics *metrics
	house   chan struct{} // requests that are read, wait or are worked on
	desk    chan struct{} // requests that are worked on
	ending  atomic.Bool
}

// New makes a handler for the operations, /healthz and /metrics.
func New(c Config) *API {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	a := &API{
		Config: c, mux: http.NewServeMux(), metrics: newMetrics(c.Version),
		house: make(chan struct{}, c.Limits.Working+c.Limits.Waiting), desk: make(chan struct{}, c.Limits.Working),
	}
	description := a.describe()
	a.handle("/healthz", methods{http.MethodGet: a.health})
	a.handle("/metrics", methods{http.MethodGet: a.metrics.serve})
	a.handle(Prefix+"openapi.json", methods{http.MethodGet: func(w http.ResponseWriter, _ *http.Request) { a.give(w, http.StatusOK, jsonType, description) }})
	at := map[string]methods{}
	for _, r := range routes {
		path := Prefix + r.path
		if at[path] == nil {
			at[path] = methods{}
		}
		at[path][r.method] = func(w http.ResponseWriter, req *http.Request) { a.answer(w, req, r) }
	}
	for path, m := range at {
		a.handle(path, m)
	}
	if a.Else != nil {
		a.mux.Handle("/", a.Else)
	} else {
		a.handle("/", nil)
	}
	a.handle("/api/", nil)
	return a
}

// methods are what a path answers to.
type methods map[string]http.HandlerFunc

const jsonType = "application/json"

// handle adds a path, with what every answer has.
func (a *API) handle(path string, m methods) {
	var allowed []string
	for method := range m {
		allowed = append(allowed, method)
		if method == http.MethodGet {
			allowed = append(allowed, http.MethodHead)
		}
	}
	slices.Sort(allowed)
	allow := strings.Join(append(allowed, http.MethodOptions), ", ")
	route := path
	if m == nil {
		route = "other"
	}
	a.mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
		started := time.Now()
		rec := &recorder{ResponseWriter: w, status: http.StatusOK}
		body := &counted{ReadCloser: r.Body}
		r.Body = body
		done := a.metrics.begin()
		defer func() {
			if p := recover(); p != nil {
				// The value may hold a part of what was sent; its type does not.
				a.Log.Error("panic", "route", route, "type", fmt.Sprintf("%T", p), "stack", string(debug.Stack()))
				if !rec.written {
					a.problem(rec, internal, "this should not have happened; the log of the server has more")
				}
			}
			took := time.Since(started)
			done(route, method(r), rec.status, took)
			host, _, _ := net.SplitHostPort(r.RemoteAddr)
			a.Log.Info("request", "method", method(r), "route", route, "status", rec.status, "bytes_in", body.n, "bytes_out", rec.n,
				"duration_ms", float64(took.Microseconds())/1000, "remote", host)
		}()
		rec.Header().Set("X-Content-Type-Options", "nosniff")
		a.cors(rec, r)
		do := m[r.Method]
		if r.Method == http.MethodHead {
			do = m[http.MethodGet]
		}
		switch {
		case m == nil:
			a.problem(rec, missing, "there is nothing here; "+Prefix+"openapi.json lists what there is")
		case do != nil:
			do(rec, r)
		case r.Method == http.MethodOptions:
			rec.Header().Set("Allow", allow)
			rec.WriteHeader(http.StatusNoContent)
		default:
			rec.Header().Set("Allow", allow)
			a.problem(rec, wrongMethod, "the method is "+method(r)+", expected "+strings.Join(allowed, " or "))
		}
	})
}

// method is one that is known, so that logs and metrics stay small.
func method(r *http.Request) string {
	known := []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions}
	if slices.Contains(known, r.Method) {
		return r.Method
	}
	return "other"
}

// ServeHTTP implements http.Handler.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if a.Else == nil && r.Method == http.MethodConnect || !strings.HasPrefix(r.URL.Path, "/") {
		r.URL.Path = "/" // the mux would answer by itself, without an account of it
	}
	a.mux.ServeHTTP(w, r)
}

// cors says which pages may read the answer.
func (a *API) cors(w http.ResponseWriter, r *http.Request) {
	h, origin := w.Header(), r.Header.Get("Origin")
	switch {
	case a.Limits.Origin == "":
		return
	case a.Limits.Origin == "*":
		h.Set("Access-Control-Allow-Origin", "*")
	default:
		h.Add("Vary", "Origin")
		if origin != a.Limits.Origin {
			return
		}
		h.Set("Access-Control-Allow-Origin", origin)
	}
	if r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != "" {
		h.Set("Access-Control-Allow-Methods", "GET, HEAD, POST")
		h.Set("Access-Control-Allow-Headers", "Content-Type, Accept")
		h.Set("Access-Control-Max-Age", "600")
	}
}

// health says whether requests are taken. One that is told to end takes no more.
func (a *API) health(w http.ResponseWriter, r *http.Request) {
	if a.ending.Load() {
		a.problem(w, ending, "the server is about to end")
		return
	}
	src, err := facts.JSON(healthy{"ok", a.Version})
	a.write(w, r, src, err)
}

type healthy struct {
	Status  string `json:"status" doc:"ok"`
	Version string `json:"version" doc:"version of the program"`
}

// answer runs an operation.
func (a *API) answer(w http.ResponseWriter, r *http.Request, at route) {
	select {
	case a.house <- struct{}{}:
		defer func() { <-a.house }()
	default:
		a.problem(w, busy, "as many requests as can wait are waiting; try again")
		return
	}
	params, err := a.params(w, r, at)
	if err != nil {
		a.fail(w, r, err)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), a.Limits.Time)
	defer cancel()
	select {
	case a.desk <- struct{}{}:
	case <-ctx.Done():
		a.fail(w, r, errWaited)
		return
	}
	v, src, err := a.work(ctx, at, params)
	if err != nil {
		a.fail(w, r, err)
		return
	}
	if code, ok := v.(*ops.Exported); ok && strings.Contains(r.Header.Get("Accept"), pythonType) {
		w.Header().Add("Vary", "Accept")
		w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": code.File}))
		a.give(w, http.StatusOK, pythonType+"; charset=utf-8", []byte(code.Source))
		return
	}
	a.write(w, r, src, nil)
}

const pythonType = "text/x-python"

// work does what costs, at the desk.
func (a *API) work(ctx context.Context, at route, params [][]byte) (any, []byte, error) {
	defer func() { <-a.desk }()
	env := *a.Env()
	env.Components = int(a.Limits.Components)
	v, err := at.op.Run(ctx, &env, params...)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, nil, err
	}
	src, err := facts.JSON(v)
	return v, src, err
}

var errWaited = errors.New("waited in vain")

// A refusal is a request that is not even read.
type refusal struct {
	kind   *kind
	detail string
}

func (r *refusal) Error() string { return r.detail }

// params are the parameters of a request: those of the body, of the path and of
// the query.
func (a *API) params(w http.ResponseWriter, r *http.Request, at route) (list [][]byte, err error) {
	if at.method == http.MethodPost {
		body, err := a.body(w, r)
		if err != nil {
			return nil, err
		}
		list = append(list, body)
	}
	if at.param != "" {
		src, err := facts.JSON(map[string]string{at.param: r.PathValue(at.param)})
		if err != nil {
			return nil, err
		}
		list = append(list, src)
	}
	query, err := at.query(r.URL.Query())
	if err != nil {
		return nil, err
	}
	return append(list, query), nil
}

// body reads the body of a request.
func (a *API) body(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	large := &refusal{tooLarge, fmt.Sprintf("the body is larger than %d bytes", a.Limits.Body)}
	switch coding := r.Header.Get("Content-Encoding"); {
	case coding != "" && coding != "identity":
		return nil, &refusal{wrongType, "the body is compressed, expected JSON as it is"}
	case r.ContentLength > a.Limits.Body:
		return nil, large
	}
	conn := http.NewResponseController(w)
	_ = conn.SetReadDeadline(time.Now().Add(a.Limits.Read)) // a recorder in a test has none
	src, err := io.ReadAll(http.MaxBytesReader(w, r.Body, a.Limits.Body))
	var more *http.MaxBytesError
	switch {
	case errors.As(err, &more):
		return nil, large
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, &refusal{tooSlow, fmt.Sprintf("the body did not come within %v", a.Limits.Read)}
	case err != nil:
		return nil, &refusal{invalid, "the body broke off"}
	}
	_ = conn.SetReadDeadline(time.Time{}) // or the analysis would end with it
	if depth := nesting(src); depth > a.Limits.Nesting {
		return nil, &refusal{tooDeep, fmt.Sprintf("the body is nested deeper than %d levels", a.Limits.Nesting)}
	}
	return src, nil
}

// nesting is the deepest nesting of JSON, or of what should be JSON.
func nesting(src []byte) (deepest int64) {
	var depth int64
	quoted := false
	for i := 0; i < len(src); i++ {
		switch c := src[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
			deepest = max(deepest, depth)
		case c == '}' || c == ']':
			depth--
		}
	}
	return deepest
}

// write answers with JSON.
func (a *API) write(w http.ResponseWriter, r *http.Request, src []byte, err error) {
	if err != nil {
		a.fail(w, r, err)
		return
	}
	a.give(w, http.StatusOK, jsonType, src)
}

// give writes an answer and sees that it goes in time.
func (a *API) give(w http.ResponseWriter, status int, mediaType string, src []byte) {
	h := w.Header()
	h.Set("Content-Type", mediaType)
	h.Set("Content-Length", fmt.Sprint(len(src)))
	h.Set("Cache-Control", "no-cache")
	conn := http.NewResponseController(w)
	_ = conn.SetWriteDeadline(time.Now().Add(a.Limits.Write)) // a recorder in a test has none
	w.WriteHeader(status)
	if _, err := w.Write(src); err == nil {
		_ = conn.Flush() // a client who has gone is no fault
	}
	_ = conn.SetWriteDeadline(time.Time{})
}

// recorder remembers what was answered.
type recorder struct {
	http.ResponseWriter
	status  int
	n       int64
	written bool
}

// Unwrap is for http.ResponseController.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

func (r *recorder) WriteHeader(status int) {
	r.status, r.written = status, true
	r.ResponseWriter.WriteHeader(status)
}

func (r *recorder) Write(p []byte) (int, error) {
	n, err := r.ResponseWriter.Write(p)
	r.n, r.written = r.n+int64(n), true
	return n, err
}

// counted counts what is read of a body.
type counted struct {
	io.ReadCloser
	n int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	c.n += int64(n)
	return n, err
}
