package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// An action is as much of action.yml as a runner needs to run its scripts.
type action struct {
	Inputs map[string]struct {
		Default string `yaml:"default"`
	} `yaml:"inputs"`
	Runs struct {
		Steps []step `yaml:"steps"`
	} `yaml:"runs"`
}

type step struct {
	Name string            `yaml:"name"`
	Run  string            `yaml:"run"`
	Env  map[string]string `yaml:"env"`
}

// A runner runs the scripts of an action in a checkout.
type runner struct {
	t      *testing.T
	action action
	dir    string
	env    []string
	inputs map[string]string
}

func newRunner(t *testing.T, dir string, env ...string) *runner {
	t.Helper()
	repo, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	src, err := os.ReadFile(filepath.Join(repo, "action.yml"))
	if err != nil {
		t.Fatal(err)
	}
	r := &runner{t: t, dir: dir, inputs: map[string]string{}}
	if err := yaml.Unmarshal(src, &r.action); err != nil {
		t.Fatal(err)
	}
	r.env = append(os.Environ(), append(env, "GITHUB_ACTION_PATH="+repo)...)
	return r
}

var expression = regexp.MustCompile(`\$\{\{ inputs\.([a-z]+) \}\}`)

// run runs a step by its name, and returns what it prints and whether it
// succeeds.
func (r *runner) run(name string) (out string, ok bool) {
	r.t.Helper()
	for _, s := range r.action.Runs.Steps {
		if s.Name != name {
			continue
		}
		if strings.Contains(s.Run, "${{") {
			r.t.Errorf("the script of %s has an expression in it: what an input says would be run", name)
		}
		c := exec.Command("bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", s.Run)
		c.Dir, c.Env = r.dir, r.env
		for key, value := range s.Env {
			value = expression.ReplaceAllStringFunc(value, func(e string) string {
				input := expression.FindStringSubmatch(e)[1]
				given, ok := r.inputs[input]
				if !ok {
					given = r.action.Inputs[input].Default
				}
				return given
			})
			c.Env = append(c.Env, key+"="+value)
		}
		text, err := c.CombinedOutput()
		return string(text), err == nil
	}
	r.t.Fatalf("action.yml has no step %s", name)
	return "", false
}

// TestAction runs the scripts of action.yml as a runner does, on a shallow
// checkout of a pull request, with a server in the place of GitHub.
func TestAction(t *testing.T) {
	for _, program := range []string{"git", "bash", "go"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("no %s", program)
		}
	}
	work := pullRequest(t)
	var comments []string
	github := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.Method == http.MethodGet {
			w.Write([]byte("[]"))
			return
		}
		var sent struct{ Body string }
		if err := json.NewDecoder(q.Body).Decode(&sent); err != nil || q.Header.Get("Authorization") != "Bearer secret" {
			t.Errorf("a comment with %v, %v", err, q.Header)
		}
		comments = append(comments, q.URL.Path+" "+sent.Body)
	}))
	defer github.Close()
	temp := t.TempDir()
	file := func(name string) string { return filepath.Join(temp, name) }
	if err := os.WriteFile(file("event.json"), []byte(`{"pull_request": {"number": 1}}`), 0o666); err != nil {
		t.Fatal(err)
	}
	r := newRunner(t, work, "RUNNER_TEMP="+temp, "GITHUB_OUTPUT="+file("output"), "GITHUB_STEP_SUMMARY="+file("summary"),
		"GITHUB_REF=refs/pull/1/merge", "GITHUB_REPOSITORY=o/r", "GITHUB_EVENT_PATH="+file("event.json"), "GITHUB_API_URL="+github.URL)
	r.inputs["token"] = "secret"
	read := func(name string) string {
		src, _ := os.ReadFile(file(name))
		return string(src)
	}

	if out, ok := r.run("Build"); !ok {
		t.Fatalf("Build: %s", out)
	}
	out, ok := r.run("Check")
	if !ok || !strings.Contains(out, "templates/changed/model.json: pass: ") || !strings.Contains(out, "templates/added/model.json: pass: ") {
		t.Errorf("Check: %v, %s", ok, out)
	}
	if want := "sarif=" + file("strata.sarif") + "\n"; read("output") != want || !strings.Contains(read("strata.sarif"), `"version": "2.1.0"`) {
		t.Errorf("Check has the output %q, want %q, and the log %.80q", read("output"), want, read("strata.sarif"))
	}
	r.inputs["policy"] = "policy.yaml"
	if out, ok := r.run("Check"); ok || !strings.Contains(out, "[max_params]") || !strings.Contains(read("strata.sarif"), `"ruleId": "max_params"`) {
		t.Errorf("Check with a policy: %v, %s", ok, out)
	}

	if out, ok := r.run("Comment"); !ok {
		t.Fatalf("Comment: %s", out)
	}
	if len(comments) != 1 || !strings.HasPrefix(comments[0], "/repos/o/r/issues/1/comments <!-- strata changes -->\n") {
		t.Fatalf("comments %q", comments)
	}
	if summary := read("summary"); summary == "" || !strings.HasSuffix(comments[0], summary) {
		t.Errorf("the summary of the job is %q", summary)
	}
	for _, want := range []string{"1 added, 1 changed, 1 removed", "It has 144 more parameters than before", "templates/removed/model.json"} {
		if !strings.Contains(comments[0], want) {
			t.Errorf("the comment does not say %q:\n%s", want, comments[0])
		}
	}
	if strings.Contains(comments[0], "later") {
		t.Errorf("the comment tells of what main has done:\n%s", comments[0])
	}
}

// pullRequest is a checkout of depth 1, as actions/checkout makes it, of the
// merge of a pull request: one template is changed, one added, one removed.
func pullRequest(t *testing.T) string {
	t.Helper()
	origin, work := t.TempDir(), t.TempDir()
	git := func(dir string, args ...string) {
		t.Helper()
		c := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"}, args...)...)
		c.Dir = dir
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
	}
	graph := func(id, width string) {
		t.Helper()
		dir := filepath.Join(origin, "templates", id)
		text := `{"id": "` + id + `", "components": [
  {"id": "x", "type": "input", "params": {"shape": [1, 8]}},
  {"id": "fc", "type": "linear", "params": {"outFeatures": ` + width + `}, "inputs": ["x"]},
  {"id": "out", "type": "output", "inputs": ["fc"]}]}`
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "model.json"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	commit := func(message string) {
		git(origin, "add", "-A")
		git(origin, "commit", "-q", "-m", message)
	}
	git(origin, "init", "-q", "-b", "main")
	if err := os.WriteFile(filepath.Join(origin, "policy.yaml"), []byte("max_params: 200\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	graph("changed", "16")
	graph("removed", "64")
	commit("base")
	git(origin, "checkout", "-q", "-b", "topic")
	graph("changed", "32")
	graph("added", "8")
	git(origin, "rm", "-q", "-r", "templates/removed")
	commit("topic")
	git(origin, "checkout", "-q", "main")
	graph("later", "4")
	commit("later")
	git(origin, "checkout", "-q", "--detach")
	git(origin, "merge", "-q", "-m", "merge", "topic")
	git(origin, "update-ref", "refs/pull/1/merge", "HEAD")

	git(work, "init", "-q")
	git(work, "remote", "add", "origin", "file://"+filepath.ToSlash(origin))
	git(work, "fetch", "-q", "--no-tags", "--depth=1", "origin", "+refs/pull/1/merge:refs/remotes/pull/1/merge")
	git(work, "checkout", "-q", "refs/remotes/pull/1/merge")
	return work
}
