package github_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/strata-catalog/strata/generator/github"
)

// A forge is as much of the API as comments need.
type forge struct {
	bodies []string // of the comments, by id - 1
	writes int
	refuse int // status to answer with, 0 for none
}

func (f *forge) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	if q.Header.Get("Authorization") != "Bearer secret" {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	if f.refuse > 0 && q.Method != http.MethodGet {
		w.WriteHeader(f.refuse)
		return
	}
	var sent struct{ Body string }
	if q.Method != http.MethodGet {
		f.writes++
		src, _ := io.ReadAll(q.Body)
		if err := json.Unmarshal(src, &sent); err != nil {
			w.WriteHeader(http.StatusUnprocessableEntity)
			return
		}
	}
	comment, changes := strings.CutPrefix(q.URL.Path, "/repos/o/r/issues/comments/")
	switch {
	case q.Method == http.MethodPatch && changes:
		id, _ := strconv.Atoi(comment)
		f.bodies[id-1] = sent.Body
	case q.URL.Path != "/repos/o/r/issues/7/comments":
		w.WriteHeader(http.StatusNotFound)
	case q.Method == http.MethodPost:
		f.bodies = append(f.bodies, sent.Body)
		w.WriteHeader(http.StatusCreated)
	default:
		f.list(w, q)
	}
}

// list answers with one page.
func (f *forge) list(w http.ResponseWriter, q *http.Request) {
	size, _ := strconv.Atoi(q.URL.Query().Get("per_page"))
	page, _ := strconv.Atoi(q.URL.Query().Get("page"))
	type comment struct {
		ID   int    `json:"id"`
		Body string `json:"body"`
		User any    `json:"user"`
	}
	list := []comment{}
	for i := (page - 1) * size; i < min(page*size, len(f.bodies)); i++ {
		list = append(list, comment{i + 1, f.bodies[i], map[string]string{"login": "x"}})
	}
	json.NewEncoder(w).Encode(list)
}

func serve(t *testing.T, f *forge, event string) func(string) string {
	t.Helper()
	s := httptest.NewServer(f)
	t.Cleanup(s.Close)
	file := filepath.Join(t.TempDir(), "event.json")
	if err := os.WriteFile(file, []byte(event), 0o666); err != nil {
		t.Fatal(err)
	}
	env := map[string]string{"GITHUB_API_URL": s.URL, "GITHUB_TOKEN": "secret", "GITHUB_REPOSITORY": "o/r", "GITHUB_EVENT_PATH": file}
	return func(name string) string { return env[name] }
}

const (
	event  = `{"action": "opened", "pull_request": {"number": 7}}`
	marker = "<!-- mine -->"
)

// TestComment: there is one comment, whatever others write, and it is changed
// only where it says something else.
func TestComment(t *testing.T) {
	f := &forge{}
	for i := range 230 { // more than two pages
		f.bodies = append(f.bodies, fmt.Sprintf("comment %d quotes %s", i, marker))
	}
	p, err := github.From(serve(t, f, event))
	if err != nil {
		t.Fatal(err)
	}
	for i, step := range []struct {
		body    string
		create  bool
		want    string // of the last comment
		written int    // in all
	}{
		{"nothing", false, "comment 229 quotes " + marker, 0},
		{"one", true, marker + "\none", 1},
		{"one", true, marker + "\none", 1},
		{"two \"“ü”\"", true, marker + "\ntwo \"“ü”\"", 2},
		{"none left", false, marker + "\nnone left", 3},
	} {
		if err := p.Comment(context.Background(), marker, step.body, step.create); err != nil {
			t.Fatal(err)
		}
		if got := f.bodies[len(f.bodies)-1]; got != step.want || f.writes != step.written {
			t.Errorf("step %d: the last comment is %q after %d writes, want %q after %d", i, got, f.writes, step.want, step.written)
		}
	}
	if len(f.bodies) != 231 {
		t.Errorf("%d comments, want one more than before", len(f.bodies))
	}
}

// TestRefused: what GitHub does not allow is told with what to do.
func TestRefused(t *testing.T) {
	for status, want := range map[int]string{
		http.StatusForbidden:           "GitHub allows no comment (403 Forbidden): the job needs permissions: pull-requests: write",
		http.StatusUnprocessableEntity: "GitHub answers 422 Unprocessable Entity to POST issues/7/comments",
	} {
		p, err := github.From(serve(t, &forge{refuse: status}, event))
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Comment(context.Background(), marker, "x", true); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%d: %v, want %s", status, err, want)
		}
	}
}

// TestFrom: what a workflow has to have, is named.
func TestFrom(t *testing.T) {
	env := serve(t, &forge{}, event)
	for _, name := range []string{"GITHUB_TOKEN", "GITHUB_REPOSITORY", "GITHUB_EVENT_PATH"} {
		_, err := github.From(func(n string) string {
			if n == name {
				return ""
			}
			return env(n)
		})
		if err == nil || !strings.Contains(err.Error(), name+" is not set") {
			t.Errorf("without %s: %v", name, err)
		}
	}
	for src, want := range map[string]string{
		`{"ref": "refs/heads/main"}`: "needs a pull request",
		`{`:                          "event.json: ",
	} {
		if _, err := github.From(serve(t, &forge{}, src)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", src, err, want)
		}
	}
}
