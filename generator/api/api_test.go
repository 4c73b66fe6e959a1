package api_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
	"github.com/google/go-cmp/cmp"

	"github.com/strata-catalog/strata/generator/api"
	"github.com/strata-catalog/strata/generator/internal/testfiles"
	"github.com/strata-catalog/strata/generator/ops"
	"github.com/strata-catalog/strata/generator/pipeline"
)

var update = flag.Bool("update", false, "write the golden files")

// shelf is a catalog of some templates.
type shelf []*ops.Model

func (s shelf) Model(id string) *ops.Model {
	for _, m := range s {
		if m.ID == id {
			return m
		}
	}
	return nil
}

func (s shelf) Models() iter.Seq[*ops.Model] { return slices.Values(s) }

// env is a catalog of one template.
func env(t testing.TB) func() *ops.Env {
	t.Helper()
	r, err := pipeline.Run("phi3-mini", flat(t, "phi3-mini"))
	if err != nil {
		t.Fatal(err)
	}
	e := &ops.Env{Catalog: shelf{ops.Posted("phi3-mini", r)}}
	return func() *ops.Env { return e }
}

const tiny = `{"id": "tiny", "name": "Tiny", "components": [
  {"id": "x", "type": "input", "params": {"shape": [1, 8, 16]}},
  {"id": "fc", "type": "linear", "params": {"outFeatures": 4}, "inputs": ["x"]},
  {"id": "out", "type": "output", "inputs": ["fc"]}
]}`

// faulty has an edge from nowhere, on its third line.
var faulty = strings.Replace(tiny, `["x"]`, `["y"]`, 1)

const config = `{"model_type": "llama", "hidden_size": 64, "intermediate_size": 128, "num_attention_heads": 4, "num_hidden_layers": 2,
  "vocab_size": 100, "hidden_act": "silu", "rms_norm_eps": 1e-6, "max_position_embeddings": 128, "tie_word_embeddings": false}`

// described is the OpenAPI description, to hold requests and answers to.
func described(t testing.TB, h http.Handler) ([]byte, routers.Router) {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, api.Prefix+"openapi.json", nil))
	doc, err := openapi3.NewLoader().LoadFromData(w.Body.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if err := doc.Validate(t.Context()); err != nil {
		t.Fatalf("this is no OpenAPI description: %v", err)
	}
	router, err := gorillamux.NewRouter(doc)
	if err != nil {
		t.Fatal(err)
	}
	return w.Body.Bytes(), router
}

// TestDescription: the description is what OpenAPI 3.1 says that one is, and as
// somebody has read it.
func TestDescription(t *testing.T) {
	got, _ := described(t, api.New(api.Config{Env: env(t), Limits: api.Default(), Version: "test"}))
	var lines bytes.Buffer // one for each word of it
	if err := json.Indent(&lines, got, "", " "); err != nil {
		t.Fatal(err)
	}
	golden := "testdata/openapi.json"
	if *update {
		if err := os.WriteFile(golden, lines.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatalf("%v; run go test ./generator/api -update", err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(lines.String(), "\n")); diff != "" {
		t.Errorf("the description is another (-want +got); run go test ./generator/api -update\n%s", diff)
	}
	for _, o := range ops.All {
		if len(api.Routes(o.Name)) == 0 {
			t.Errorf("operation %s has no route", o.Name)
		}
	}
}

// TestAnswers asks as clients do. Requests and answers are as the description
// says, but for requests that are meant to be wrong.
func TestAnswers(t *testing.T) {
	limits := api.Default()
	limits.Body, limits.Nesting, limits.Components = 4096, 16, 1000
	h := api.New(api.Config{Env: env(t), Limits: limits, Version: "test"})
	_, router := described(t, h)
	openapi3filter.RegisterBodyDecoder("text/x-python", openapi3filter.RegisteredBodyDecoder("text/plain"))
	large := strings.Repeat(" ", 5000)
	for _, c := range []struct {
		method, path, body string
		header             string // "Name: value"
		status             int
		want               string // in the answer
	}{
		{"POST", "check", tiny, "", 200, `"parameters": 68,`},
		{"POST", "check", "\ufeff" + tiny, "", 200, `"parameters": 68,`},
		{"POST", "check", `{"model": ` + tiny + `, "tensors": true}`, "", 200, `{"name": "fc.weight", "shape": [4, 16], "parameters": 64`},
		{"POST", "check?tensors=true", tiny, "", 200, `"name": "fc.weight"`},
		{"POST", "check?tensors", tiny, "", 200, `"name": "fc.weight"`},
		{"POST", "check", tiny, "Content-Type: application/x-www-form-urlencoded", 200, `"parameters": 68,`},
		{"POST", "check", `{"config": ` + config + `}`, "", 200, `"verdict": "pass"`},
		{"POST", "check", `{"template": "phi3-mini", "policy": {"max_params": 1}}`, "", 200, `"verdict": "fail"`},
		{"POST", "check", faulty, "", 200, `"rule": "unknown-edge"`},
		{"POST", "plan", `{"model": ` + tiny + `, "base": {"template": "phi3-mini"}, "assumptions": {"batch": 8}}`, "", 200, `"diff": {`},
		{"POST", "plan?gpus=h100,t4&dtypes=bf16", tiny, "", 200, `"card": "T4 16GB"`},
		{"POST", "diff", `{"a": ` + tiny + `, "b": {"template": "phi3-mini"}}`, "", 200, `"headline": "`},
		{"POST", "export", tiny, "", 200, `"source": "\"\"\"Tiny`},
		{"POST", "export", tiny, "Accept: text/x-python", 200, "import torch"},
		{"POST", "import", `{"config": ` + config + `, "id": "mine"}`, "", 200, `"id": "mine"`},
		{"POST", "show?block=layers", `{"template": "phi3-mini"}`, "", 404, `"detail": "there is no block and no module path`},
		{"GET", "templates", "", "", 200, `"count": 1`},
		{"GET", "templates?query=nothing&full=true&limit=3", "", "", 200, `"count": 0`},
		{"GET", "templates/phi3-mini", "", "", 200, `"outline": [`},
		{"GET", "templates/phi3-mini?layer=embed", "", "", 200, `"readers": [`},
		{"GET", "templates/phi3-mini?full=true", "", "", 200, `"assumptions": {`},
		{"GET", "explain/unknown-edge", "", "", 200, `"severity": "error"`},
		{"GET", "explain/rmsNorm", "", "", 200, `"type": "rmsNorm"`},
		{"GET", "openapi.json", "", "", 200, `"openapi": "3.1.0"`},
		{"GET", "../../healthz", "", "", 200, `"status": "ok"`},
		{"GET", "../../metrics", "", "", 200, `strata_api_requests_total{`},
		{"HEAD", "templates", "", "", 200, ""},
		{"OPTIONS", "check", "", "", 204, ""},

		{"POST", "check", "", "", 400, `which model?`},
		{"POST", "check", `{"model": ` + tiny, "", 400, `"type": "urn:strata:problem:invalid"`},
		{"POST", "check", tiny[:100], "", 400, `"line": 2,`},
		{"POST", "check", `{"modle": 1}`, "", 400, `nearest is \"model\"`},
		{"POST", "check?tensor=true", tiny, "", 400, `nearest is \"tensors\"`},
		{"POST", "check?tensors=maybe", tiny, "", 400, `expected true or false`},
		{"POST", "check", tiny, "Content-Encoding: gzip", 415, `expected JSON as it is`},
		{"POST", "check", `[1, 2]`, "", 422, `expected a graph document`},
		{"POST", "check", tiny + large, "", 413, `larger than 4096 bytes`},
		{"POST", "check", `{"model": ` + strings.Repeat("[", 20) + strings.Repeat("]", 20) + `}`, "", 422, `nested deeper than 16 levels`},
		{"POST", "check", bomb, "", 422, `expands to more than 1000 components`},
		{"POST", "plan", faulty, "", 422, `"findings": [`},
		{"POST", "export", strings.Replace(tiny, `"linear"`, `"quantum"`, 1), "", 422, `"reasons": [`},
		{"POST", "export", strings.Replace(tiny, `"linear"`, `"quantum"`, 1), "Accept: text/x-python", 422, `"reasons": [`},
		{"GET", "templates/phi3-mni", "", "", 404, `nearest is \"phi3-mini\"`},
		{"GET", "templates?limit=many", "", "", 400, `expected a whole number`},
		{"GET", "explain/nothing-at-all", "", "", 404, `"type": "urn:strata:problem:unknown"`},
		{"GET", "check", "", "", 405, `expected POST`},
		{"DELETE", "templates", "", "", 405, `expected GET or HEAD`},
		{"GET", "nowhere", "", "", 404, `openapi.json lists what there is`},
		{"GET", "../..", "", "", 404, `"type": "urn:strata:problem:missing"`},
	} {
		t.Run(c.method+" "+c.path, func(t *testing.T) {
			ask := func() *http.Request {
				r := httptest.NewRequest(c.method, api.Prefix, strings.NewReader(c.body))
				r.URL = r.URL.JoinPath(strings.Split(c.path, "?")[0])
				_, r.URL.RawQuery, _ = strings.Cut(c.path, "?")
				if c.body != "" {
					r.Header.Set("Content-Type", "application/json")
				}
				if name, value, ok := strings.Cut(c.header, ": "); ok {
					r.Header.Set(name, value)
				}
				return r
			}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, ask())
			got := w.Result()
			if got.StatusCode != c.status || !strings.Contains(w.Body.String(), c.want) {
				t.Fatalf("status %d, want %d with %s: %.2000s", got.StatusCode, c.status, c.want, w.Body)
			}
			if media := got.Header.Get("Content-Type"); c.status >= 400 && media != api.ProblemType {
				t.Errorf("a problem is of type %s", media)
			}
			if got.StatusCode == 405 && got.Header.Get("Allow") == "" {
				t.Error("nothing says what is allowed")
			}
			again := httptest.NewRecorder()
			h.ServeHTTP(again, ask())
			if !strings.Contains(c.path, "metrics") && !bytes.Equal(w.Body.Bytes(), again.Body.Bytes()) {
				t.Error("the same request has another answer")
			}
			if c.status == 405 || strings.Contains(c.path, "..") || c.path == "nowhere" || c.method == "OPTIONS" || c.method == "HEAD" || strings.HasPrefix(c.body, "\ufeff") || strings.Contains(c.header, "urlencoded") {
				return
			}
			r := ask()
			route, params, err := router.FindRoute(r)
			if err != nil {
				t.Fatal(err)
			}
			in := &openapi3filter.RequestValidationInput{Request: r, PathParams: params, Route: route}
			if err := openapi3filter.ValidateRequest(t.Context(), in); err != nil && c.status == 200 {
				t.Errorf("the request is not as described: %v", err)
			}
			out := &openapi3filter.ResponseValidationInput{
				RequestValidationInput: in, Status: c.status, Header: got.Header, Body: io.NopCloser(bytes.NewReader(w.Body.Bytes())),
				Options: &openapi3filter.Options{IncludeResponseStatus: true},
			}
			if err := openapi3filter.ValidateResponse(t.Context(), out); err != nil {
				t.Errorf("the answer is not as described: %v", err)
			}
		})
	}
}

// bomb is a small document of a thousand times a thousand layers.
const bomb = `{"id": "bomb", "components": [{"id": "x", "type": "input", "params": {"shape": [1]}}, {"id": "a", "block": "b", "repeat": 1000, "inputs": ["x"]}],
  "blocks": {"b": {"inputs": ["x"], "components": [{"id": "a", "block": "c", "repeat": 1000, "inputs": ["x"]}], "output": "a"},
             "c": {"inputs": ["x"], "components": [{"id": "a", "type": "relu", "inputs": ["x"]}], "output": "a"}}}`

// TestOrigins: pages of other sites read answers where that is allowed.
func TestOrigins(t *testing.T) {
	for allowed, want := range map[string]map[string]string{
		"":                    {"https://example.org": "", "https://evil.example": ""},
		"*":                   {"https://example.org": "*", "": "*"},
		"https://example.org": {"https://example.org": "https://example.org", "https://evil.example": "", "": ""},
	} {
		limits := api.Default()
		limits.Origin = allowed
		h := api.New(api.Config{Env: env(t), Limits: limits})
		for origin, header := range want {
			for _, method := range []string{"POST", "OPTIONS"} {
				r := httptest.NewRequest(method, api.Prefix+"check", strings.NewReader(tiny))
				if origin != "" {
					r.Header.Set("Origin", origin)
				}
				r.Header.Set("Access-Control-Request-Method", "POST")
				w := httptest.NewRecorder()
				h.ServeHTTP(w, r)
				if got := w.Header().Get("Access-Control-Allow-Origin"); got != header {
					t.Errorf("%s from %q where %q is allowed: %q, want %q", method, origin, allowed, got, header)
				}
				if methods := w.Header().Get("Access-Control-Allow-Methods"); method == "OPTIONS" && (methods != "") != (header != "") {
					t.Errorf("%s from %q where %q is allowed: methods %q", method, origin, allowed, methods)
				}
			}
		}
	}
}

// A held server has an operation that lasts until it is let go.
type held struct {
	url   string
	stop  func() error
	begun chan struct{}
	let   chan struct{}
	log   *testfiles.Transcript
}

func hold(t *testing.T, limits api.Limits) *held {
	h := &held{begun: make(chan struct{}, 100), let: make(chan struct{}), log: &testfiles.Transcript{}}
	e := env(t)
	h.url, h.stop = start(t, api.Config{Limits: limits, Log: slog.New(slog.NewJSONHandler(h.log, nil)), Env: func() *ops.Env {
		h.begun <- struct{}{}
		<-h.let
		return e()
	}})
	return h
}

// reply is the status of an answer, and its body.
type reply struct {
	status int
	body   string
	err    error
}

func post(ctx context.Context, url, body string) reply {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		return reply{err: err}
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	answer, err := client.Do(r)
	if err != nil {
		return reply{err: err}
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	return reply{answer.StatusCode, string(text), err}
}

func later(ctx context.Context, url, body string) chan reply {
	c := make(chan reply, 1)
	go func() { c <- post(ctx, url, body) }()
	return c
}

// More requests than can wait are refused at once; the others are answered.
func TestBusy(t *testing.T) {
	limits := api.Default()
	limits.Working, limits.Waiting = 1, 1
	h := hold(t, limits)
	first := later(t.Context(), h.url+"check", tiny)
	<-h.begun
	second := later(t.Context(), h.url+"check", tiny)
	// Which of the two that come next is refused depends on when the second came.
	var refused reply
	for refused.status != http.StatusServiceUnavailable {
		select {
		case refused = <-later(t.Context(), h.url+"check", tiny):
		case <-time.After(50 * time.Millisecond): // it waits in the place of the second
		}
	}
	if !strings.Contains(refused.body, "urn:strata:problem:busy") {
		t.Errorf("refused with %s", refused.body)
	}
	close(h.let)
	for _, c := range []chan reply{first, second} {
		if r := <-c; r.err != nil || r.status != http.StatusOK && r.status != http.StatusServiceUnavailable {
			t.Errorf("answered with %+v", r)
		}
	}
}

// An analysis whose time is over, or whose client has gone, is no more worked on.
func TestTime(t *testing.T) {
	limits := api.Default()
	limits.Time = 20 * time.Millisecond
	h := hold(t, limits)
	late := later(t.Context(), h.url+"check", tiny)
	<-h.begun
	time.Sleep(2 * limits.Time)
	close(h.let)
	if r := <-late; r.status != http.StatusServiceUnavailable || !strings.Contains(r.body, "urn:strata:problem:time") || !strings.Contains(r.body, "stopped after 20ms") {
		t.Errorf("answered with %+v", r)
	}

	h = hold(t, api.Default())
	ctx, leave := context.WithCancel(t.Context())
	left := later(ctx, h.url+"check", tiny)
	<-h.begun
	leave()
	if r := <-left; r.err == nil {
		t.Errorf("a client that has gone has %+v", r)
	}
	time.Sleep(50 * time.Millisecond) // the server hears of it
	close(h.let)
	if err := h.stop(); err != nil {
		t.Error(err)
	}
	if !strings.Contains(h.log.String(), `"status":499`) {
		t.Errorf("the log has %s", h.log)
	}
}

// A client that does not read its answer is left to itself.
func TestUnread(t *testing.T) {
	limits := api.Default()
	limits.Write = 50 * time.Millisecond
	log := &testfiles.Transcript{}
	url, _ := start(t, api.Config{Env: env(t), Limits: limits, Log: slog.New(slog.NewJSONHandler(log, nil))})
	c, err := net.Dial("tcp", strings.TrimSuffix(strings.TrimPrefix(url, "http://"), api.Prefix))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.(*net.TCPConn).SetReadBuffer(4 << 10); err != nil {
		t.Fatal(err)
	}
	large := strings.Replace(bomb, `"repeat": 1000`, `"repeat": 140`, 2) // its analysis is more megabytes than a system keeps for a reader
	body := `{"model": ` + large + `, "full": true}`
	if _, err := fmt.Fprintf(c, "POST %sshow HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", api.Prefix, len(body), body); err != nil {
		t.Fatal(err)
	}
	for !strings.Contains(log.String(), `"route":"/api/v1/show"`) {
		time.Sleep(5 * time.Millisecond)
	}
	answer, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	var entry struct {
		Out int64 `json:"bytes_out"`
	}
	if err := json.Unmarshal([]byte(log.String()), &entry); err != nil || entry.Out >= answer.ContentLength {
		t.Errorf("%d bytes of %d went to a client that reads nothing, %v", entry.Out, answer.ContentLength, err)
	}
}

// A server that is told to end answers what has come, and takes no more.
func TestEnd(t *testing.T) {
	h := hold(t, api.Default())
	open := later(t.Context(), h.url+"check", tiny)
	<-h.begun
	ended := make(chan error, 1)
	go func() { ended <- h.stop() }()
	address := strings.TrimSuffix(strings.TrimPrefix(h.url, "http://"), api.Prefix)
	for { // until the server listens no more
		c, err := net.Dial("tcp", address)
		if err != nil {
			break
		}
		c.Close()
	}
	close(h.let)
	if r := <-open; r.status != http.StatusOK || !strings.Contains(r.body, `"parameters": 68,`) {
		t.Errorf("answered with %+v", r)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// Requests that go on when the grace is over are cut off, and that is said.
func TestGrace(t *testing.T) {
	e, let, begun := env(t), make(chan struct{}), make(chan struct{})
	limits := api.Default()
	limits.Grace = time.Millisecond
	a := api.New(api.Config{Limits: limits, Env: func() *ops.Env { close(begun); <-let; return e() }})
	s := httptest.NewUnstartedServer(nil)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- a.Run(ctx, s.Listener) }()
	cut := later(t.Context(), "http://"+s.Listener.Addr().String()+api.Prefix+"check", tiny)
	<-begun
	cancel()
	if err := <-ended; err == nil || !strings.Contains(err.Error(), "cut off after 1ms") {
		t.Errorf("ends with %v", err)
	}
	close(let)
	if r := <-cut; r.err == nil {
		t.Errorf("answered with %+v", r)
	}
}

// TestDiscretion: logs and metrics hold nothing of what is sent.
func TestDiscretion(t *testing.T) {
	const secret = "sekret"
	var log testfiles.Transcript
	h := api.New(api.Config{Env: env(t), Limits: api.Default(), Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	graph := strings.ReplaceAll(tiny, `"fc"`, `"`+secret+`"`)
	for _, path := range []string{"check", "plan", "diff", "export", "import", "templates/" + secret, "explain/" + secret, "templates?query=" + secret, secret, "check?" + secret + "=1"} {
		for _, body := range []string{graph, `{"` + secret + `": 1}`, graph[:len(graph)-20], `{"template": "` + secret + `"}`, `{"config": {"model_type": "` + secret + `"}}`} {
			for _, method := range []string{"GET", "POST", strings.ToUpper(secret)} {
				r := httptest.NewRequest(method, api.Prefix+path, strings.NewReader(body))
				r.Header.Set("X-Name", secret)
				h.ServeHTTP(httptest.NewRecorder(), r)
			}
		}
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	for where, text := range map[string]string{"the log": log.String(), "metrics": w.Body.String()} {
		if !strings.Contains(text, "status=200") && !strings.Contains(text, `status="200"`) {
			t.Errorf("%s has no account of requests: %.1000s", where, text)
		}
		for line := range strings.Lines(text) {
			if strings.Contains(strings.ToLower(line), secret) {
				t.Errorf("%s has %s", where, line)
			}
		}
	}
}

// TestLimits: what is set is what is listed, and wrong values are refused.
func TestLimits(t *testing.T) {
	l := api.Default()
	for _, limit := range l.List() {
		if limit.Name == "" || limit.Doc == "" || limit.Unit == "" {
			t.Errorf("a limit has the name %q, the words %q and the unit %q", limit.Name, limit.Doc, limit.Unit)
		}
		text, wrong := "7", "-1"
		switch limit.Unit {
		case "duration":
			text, wrong = "7s", "-1s"
		case "origin":
			text, wrong = "https://example.org:8443", "example.org"
		}
		if err := limit.Set(text); err != nil || limit.String() != text {
			t.Errorf("%s is %s after %s: %v", limit.Name, limit, text, err)
		}
		for _, bad := range []string{wrong, "seven"} {
			if err := limit.Set(bad); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("found %q, expected", bad)) {
				t.Errorf("%s = %s: %v", limit.Name, bad, err)
			}
		}
	}
	src, err := json.Marshal(l)
	if err != nil || !strings.Contains(string(src), `"Origin":"https://example.org:8443"`) {
		t.Errorf("%s, %v", src, err)
	}
}
