package cli

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestChangesComment writes what has changed to a pull request: one comment,
// which later runs change, and none where nothing has.
func TestChangesComment(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	dir := t.TempDir()
	t.Chdir(dir)
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	const graph = `{"id": "m", "components": [
  {"id": "x", "type": "input", "params": {"shape": [1, 8]}},
  {"id": "fc", "type": "linear", "params": {"outFeatures": 16}, "inputs": ["x"]},
  {"id": "out", "type": "output", "inputs": ["fc"]}]}`
	write("model.json", graph)
	for _, args := range [][]string{
		{"init", "-q"}, {"add", "model.json"}, {"-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false", "commit", "-q", "-m", "x"},
	} {
		if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
	}

	type comment struct {
		ID   int    `json:"id"`
		Body string `json:"body"`
	}
	var comments []comment
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		var sent comment
		if q.Method != http.MethodGet {
			if err := json.NewDecoder(q.Body).Decode(&sent); err != nil {
				t.Error(err)
			}
		}
		switch q.Method {
		case http.MethodPost:
			comments = append(comments, comment{len(comments) + 1, sent.Body})
		case http.MethodPatch:
			comments[0].Body = sent.Body
		default:
			json.NewEncoder(w).Encode(append([]comment{}, comments...))
		}
	}))
	defer s.Close()
	event := filepath.Join(t.TempDir(), "event.json")
	write(event, `{"pull_request": {"number": 3}}`)
	for name, value := range map[string]string{"GITHUB_API_URL": s.URL, "GITHUB_TOKEN": "t", "GITHUB_REPOSITORY": "o/r", "GITHUB_EVENT_PATH": event} {
		t.Setenv(name, value)
	}

	for _, step := range []struct {
		graph string
		want  string // part of the comment, "" for none
	}{
		{graph, ""},
		{strings.Replace(graph, "16", "32", 1), "It has 144 more parameters than before: 1 layer changed."},
		{strings.Replace(graph, "16", "8", 1), "It has 72 fewer parameters than before: 1 layer changed."},
		{graph, "No graph document differs from "},
	} {
		write("model.json", step.graph)
		if stdout, stderr, code := call(t, "", "changes", "--format", "md", "--comment"); code != 0 || !strings.Contains(stdout, step.want) {
			t.Fatalf("code %d, %s, %s", code, stdout, stderr)
		}
		switch {
		case step.want == "" && len(comments) > 0:
			t.Errorf("nothing has changed, and there is a comment: %s", comments[0].Body)
		case step.want != "" && (len(comments) != 1 || !strings.HasPrefix(comments[0].Body, marker+"\n## ") || !strings.Contains(comments[0].Body, step.want)):
			t.Errorf("comments %+v, want one with %q", comments, step.want)
		}
	}
	s.Close()
	if _, stderr, code := call(t, "", "changes", "--comment"); code != 2 || !strings.HasPrefix(stderr, "strata: changes: --comment: ") {
		t.Errorf("without GitHub: code %d, %s", code, stderr)
	}
}
