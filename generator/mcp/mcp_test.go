package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"iter"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/strata-catalog/strata/generator/mcp"
	"github.com/strata-catalog/strata/generator/ops"
	"github.com/strata-catalog/strata/generator/pipeline"
)

var update = flag.Bool("update", false, "write the golden files")

// shelf is a catalog of some templates.
type shelf []*ops.Model

func (s shelf) Models() iter.Seq[*ops.Model] { return slices.Values(s) }

func (s shelf) Model(id string) *ops.Model {
	for _, m := range s {
		if m.ID == id {
			return m
		}
	}
	return nil
}

// env is a catalog of a few templates, which is made once.
var env = sync.OnceValues(func() (*ops.Env, error) {
	var s shelf
	for _, id := range []string{"mixtral-8x7b", "qwen3-8b", "resnet-18"} {
		src, err := os.ReadFile(filepath.Join("../../templates", id, "model.json"))
		if err != nil {
			return nil, err
		}
		r, err := pipeline.Run(id, src)
		if err != nil {
			return nil, err
		}
		m := ops.Posted(id, r)
		m.Listed = true
		s = append(s, m)
	}
	return &ops.Env{Catalog: s}, nil
})

// agent is a client that is connected to a server of its own.
type agent struct {
	testing.TB
	*sdk.ClientSession
}

func connect(t testing.TB, folder string, write bool) *agent {
	t.Helper()
	c := mcp.Config{Env: env, Write: write, Version: "test", Log: slog.New(slog.DiscardHandler)}
	if folder != "" {
		root, err := os.OpenRoot(folder)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { root.Close() })
		c.Folder = root
	}
	here, there := sdk.NewInMemoryTransports()
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	go func() { _ = mcp.New(c).Run(ctx, there) }()
	session, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(ctx, here, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return &agent{t, session}
}

// call is the text that a tool answers.
func (a *agent) call(name, arguments string) (text string, failed bool) {
	a.Helper()
	r, err := a.CallTool(context.Background(), &sdk.CallToolParams{Name: name, Arguments: json.RawMessage(arguments)})
	if err != nil {
		a.Fatalf("%s %s: %v", name, arguments, err)
	}
	return r.Content[0].(*sdk.TextContent).Text, r.IsError
}

// must is call for what has to go well.
func (a *agent) must(name, arguments string) string {
	a.Helper()
	text, failed := a.call(name, arguments)
	if failed {
		a.Fatalf("%s %s: %s", name, arguments, text)
	}
	return text
}

// open is the name of a copy.
func (a *agent) open(arguments string) string {
	a.Helper()
	name, _, _ := strings.Cut(a.must("open", arguments), "\n")
	return name
}

// golden compares a text with a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v; run go test ./generator/mcp -update", err)
	}
	if got != string(want) {
		t.Errorf("%s differs; go test ./generator/mcp -update writes it. Got:\n%s", file, got)
	}
}

// tools is the list as an agent pays for it: names, descriptions, parameters.
func (a *agent) tools() (lines []string) {
	list, err := a.ListTools(context.Background(), nil)
	if err != nil {
		a.Fatal(err)
	}
	for _, tool := range list.Tools {
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(map[string]any{"name": tool.Name, "description": tool.Description, "inputSchema": tool.InputSchema}); err != nil {
			a.Fatal(err)
		}
		lines = append(lines, strings.TrimSpace(b.String()))
	}
	return lines
}

// TestTools compares the list of tools with its golden file, and with what it
// may cost: an agent pays for it in every turn. Four characters are a token.
func TestTools(t *testing.T) {
	const most = 2000
	lines := connect(t, ".", true).tools()
	list := strings.Join(lines, "\n") + "\n"
	golden(t, "tools.txt", list)
	if tokens := len(list) / 4; tokens > most {
		t.Errorf("the tools cost about %d tokens, more than %d", tokens, most)
	} else {
		t.Logf("%d tools, about %d tokens", len(lines), tokens)
	}
	for _, line := range connect(t, ".", false).tools() {
		if strings.Contains(line, `"name":"save"`) {
			t.Error("a server that may not write offers to save")
		}
	}
}

// calls are what TestAnswers asks, one after the other; copy-1 is the first
// copy that is opened.
const calls = `
templates {"query": "decoder"}
templates {"limit": 1, "offset": 1}
show {"of": "resnet-18", "limit": 6}
show {"of": "qwen3-8b"}
show {"of": "qwen3-8b", "layer": "model.layers.0.self_attn"}
show {"of": "qwen3-8b", "block": "decoder"}
show {"of": "qwen3-8b", "block": "encoder"}
check {"of": "qwen3-8b", "tensors": true, "limit": 3}
check {"of": "models/slips.json"}
check {"of": "models/slips.json", "limit": 1}
check {"of": "models/config.json"}
check {"model": {"components": [{"id": "a", "type": "relu", "inputs": ["a"]}]}}
plan {"model": {"components": [{"id": "a", "type": "relu", "inputs": ["a"]}]}}
check {"of": "resnet-18", "policy": {"max_params": 1000000, "forbid_types": ["softmax"]}}
check {"of": "resnet-18", "policy": {"max_parms": 1000000}}
plan {"of": "mixtral-8x7b", "gpus": ["h100"], "dtypes": ["bf16"], "assumptions": {"batch": 4}}
plan {"of": "resnet-18", "gpus": ["t4"], "dtypes": ["fp32"], "base": "models/slips.json"}
diff {"a": "qwen3-8b", "b": "mixtral-8x7b", "limit": 4}
diff {"a": "qwen3-8b", "b": {"of": "qwen3-8b"}}
export {"model": {"id": "m", "components": [{"id": "x", "type": "input", "params": {"shape": [1, 8]}}, {"id": "y", "type": "linear", "params": {"outFeatures": 2}, "inputs": ["x"]}, {"id": "o", "type": "output", "inputs": ["y"]}]}}
explain {"name": "unknown-edge"}
explain {"name": "relu"}
explain {"name": "rellu"}
import {"of": "models/config.json", "id": "mine"}
open {"of": "models/slips.json"}
edit {"copy": "copy-1", "edits": [{"op": "fix"}, {"op": "change", "component": "conv1", "params": {"kernelSize": 5}}]}
edit {"copy": "copy-1", "edits": [{"op": "undo"}]}
edit {"copy": "copy-1", "edits": [{"op": "redo"}, {"op": "remove", "component": "nothing"}]}
edit {"copy": "copy-1", "edits": [{"op": "remove", "component": "act1"}]}
edit {"copy": "copy-1", "edits": [{"op": "undo", "component": "act1"}]}
edit {"copy": "copy-1", "edits": []}
edit {"copy": "copy-1", "edits": [{"component": "act1"}]}
edit {"copy": "copy-1", "edits": {"op": "undo"}}
edit {"copy": "copy-0", "edits": [{"op": "undo"}]}
impact {"of": "copy-1", "component": "conv1"}
impact {"of": "copy-1", "edits": [{"op": "change", "component": "conv1", "params": {"outChannels": 16}}]}
impact {"of": "copy-1", "base": "models/slips.json"}
impact {"of": "copy-1"}
read {"copy": "copy-1"}
read {"copy": "copy-1", "as": "patch"}
read {"copy": "copy-1", "as": "history"}
read {"copy": "copy-1", "as": "yaml"}
check {"of": "copy-1"}
diff {"a": "models/slips.json", "b": "copy-1"}
save {"copy": "copy-1"}
save {"copy": "copy-1", "file": "out/model.py"}
open {"of": "qwen3-8b"}
save {"copy": "copy-2"}
save {"copy": "copy-2", "file": "models/slips.json"}
open {"of": "models/config.json"}
check {}
check {"of": "qwen3-8", "limit": 3}
check {"of": "nothing-like-it"}
check {"of": "models/none.json"}
check {"of": "models/torn.json"}
check {"of": "qwen3-8b", "model": {}}
check {"of": 5}
check {"off": "qwen3-8b", "template": "qwen3-8b"}
check {"of": "qwen3-8b", "limit": "all"}
check {"of": "qwen3-8b", "limit": -1}
plan {"of": "qwen3-8b", "gpus": ["abacus"]}
`

// TestAnswers reads what each tool answers, and what is said of a wrong call:
// short, with what to do next.
func TestAnswers(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "models"), os.DirFS("testdata/models")); err != nil {
		t.Fatal(err)
	}
	a := connect(t, dir, true)
	var b strings.Builder
	names := map[string]string{}
	copyName := regexp.MustCompile(`copy-[a-z0-9]{8}`)
	asked := map[string]bool{}
	for line := range strings.Lines(strings.TrimLeft(calls, "\n")) {
		tool, arguments, _ := strings.Cut(strings.TrimSpace(line), " ")
		asked[tool] = true
		fmt.Fprintf(&b, ">> %s", line)
		for name, short := range names {
			arguments = strings.ReplaceAll(arguments, short, name)
		}
		text, failed := a.call(tool, arguments)
		text = copyName.ReplaceAllStringFunc(text, func(name string) string {
			if names[name] == "" {
				names[name] = fmt.Sprintf("copy-%d", len(names)+1)
			}
			return names[name]
		})
		if failed {
			b.WriteString("error: ")
		}
		b.WriteString(strings.TrimSuffix(text, "\n") + "\n\n")
	}
	golden(t, "answers.txt", b.String())
	for _, line := range a.tools() {
		var tool struct{ Name string }
		if err := json.Unmarshal([]byte(line), &tool); err != nil || !asked[tool.Name] {
			t.Errorf("no call of the tool %s (%v)", tool.Name, err)
		}
	}
}

// TestFull: with full every answer is JSON, as package facts writes it.
func TestFull(t *testing.T) {
	a := connect(t, "testdata", false)
	name := a.open(`{"of": "models/slips.json"}`)
	for _, c := range [][2]string{
		{"templates", `{"full": true}`},
		{"check", `{"of": "models/slips.json", "full": true}`},
		{"explain", `{"name": "cycle", "full": true}`},
		{"edit", `{"copy": "` + name + `", "full": true, "edits": [{"op": "fix"}]}`},
		{"impact", `{"of": "` + name + `", "full": true, "component": "conv1"}`},
		{"impact", `{"of": "` + name + `", "full": true, "base": "models/slips.json"}`},
	} {
		var v map[string]any
		if text := a.must(c[0], c[1]); json.Unmarshal([]byte(text), &v) != nil || !strings.HasPrefix(text, "{\n") {
			t.Errorf("%s %s is no JSON: %.200s", c[0], c[1], text)
		}
	}
	if text, failed := a.call("show", `{"of": "mixtral-8x7b", "full": true}`); failed && !strings.Contains(text, "ask without full, or for a part") || len(text) > 1<<20 {
		t.Errorf("a long answer has %d bytes: %.200s", len(text), text)
	}
}

// tiny is a graph that a file may hold.
const tiny = `{"id": "tiny", "components": [{"id": "x", "type": "input", "params": {"shape": [1, 8]}}, {"id": "o", "type": "output", "inputs": ["x"]}]}`

// TestFolder tries to read and to write what is not in the folder of the
// server. Nothing outside of it changes.
func TestFolder(t *testing.T) {
	outside := t.TempDir()
	secret := filepath.Join(outside, "secret.json")
	if err := os.WriteFile(secret, []byte(tiny), 0o600); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	check(os.WriteFile(filepath.Join(dir, "good.json"), []byte(tiny), 0o666))
	check(os.Mkdir(filepath.Join(dir, "folder.json"), 0o777))
	check(os.Mkdir(filepath.Join(dir, ".git"), 0o777))
	check(os.WriteFile(filepath.Join(dir, ".git", "hidden.json"), []byte(tiny), 0o666))
	check(os.Symlink(secret, filepath.Join(dir, "link.json")))
	check(os.Symlink(filepath.Join(outside, "new.json"), filepath.Join(dir, "dangling.json")))
	check(os.Symlink(outside, filepath.Join(dir, "away")))
	check(os.Symlink("good.json", filepath.Join(dir, "inside.json")))
	if runtime.GOOS != "windows" {
		check(syscall.Mkfifo(filepath.Join(dir, "pipe.json"), 0o666))
	}
	a := connect(t, dir, true)
	name := a.open(`{"of": "good.json"}`)
	for _, file := range []string{
		"../secret.json", "away/secret.json", "away/new.json", "link.json", "dangling.json", "./../secret.json", "a/../../secret.json",
		secret, "/etc/passwd", "..\\\\secret.json", "C:\\\\secret.json/../../secret.json", ".git/hidden.json", ".git/new.json", ".new.json",
		"folder.json", "folder.json/../../secret.json", "pipe.json", "good.json/below.json", "", ".", "..", "notes.txt", "run.sh", "Makefile", "model.json ", "a\\u0000b.json",
	} {
		params := `{"of": "` + file + `"}`
		if text, failed := a.call("check", params); !failed {
			t.Errorf("check %s: %s", params, text)
		} else if strings.Contains(text, outside) && !strings.Contains(file, outside) {
			t.Errorf("check %s tells where the folder is: %s", params, text)
		}
		if file == "" { // then the file that was opened is meant
			continue
		}
		for _, overwrite := range []bool{false, true} {
			params := fmt.Sprintf(`{"copy": %q, "file": "%s", "overwrite": %t}`, name, file, overwrite)
			if text, failed := a.call("save", params); !failed {
				t.Errorf("save %s: %s", params, text)
			}
		}
	}
	if list, _ := os.ReadDir(outside); len(list) != 1 {
		t.Errorf("the folder outside holds %v", list)
	}
	if src, err := os.ReadFile(secret); err != nil || string(src) != tiny {
		t.Errorf("the file outside is now %s, %v", src, err)
	}
	if text := a.must("check", `{"of": "inside.json"}`); !strings.Contains(text, "Verdict") {
		t.Errorf("a link within the folder: %s", text)
	}
	left, err := filepath.Glob(filepath.Join(dir, ".strata-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("drafts are left: %v, %v", left, err)
	}
}

// TestNoFolder: a server without a folder reads nothing, and one that may not
// write has no way to.
func TestNoFolder(t *testing.T) {
	a := connect(t, "", false)
	if text, failed := a.call("check", `{"of": "good.json"}`); !failed || !strings.Contains(text, "was given no folder") {
		t.Errorf("check of a file: %s", text)
	}
	name := a.open(`{"model": ` + tiny + `}`)
	if _, err := a.CallTool(context.Background(), &sdk.CallToolParams{Name: "save", Arguments: map[string]any{"copy": name, "file": "x.json"}}); err == nil {
		t.Error("there is a tool that saves")
	}
}

// TestSave looks at what is replaced without being asked: what was opened, as it
// was then, and nothing else.
func TestSave(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "m.json")
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("m.json", tiny)
	write("other.json", tiny)
	a := connect(t, dir, true)
	name := a.open(`{"of": "m.json"}`)
	rename := func(id string) {
		a.must("edit", fmt.Sprintf(`{"copy": %q, "edits": [{"op": "patch", "patch": [{"op": "replace", "path": "/id", "value": %q}]}]}`, name, id))
	}
	save := func(more, want string) {
		t.Helper()
		text, _ := a.call("save", fmt.Sprintf(`{"copy": %q%s}`, name, more))
		if !strings.Contains(text, want) {
			t.Errorf("save%s: %s, want %s", more, text, want)
		}
	}
	rename("one")
	save(``, "wrote m.json")
	if src, _ := os.ReadFile(file); string(src) != strings.Replace(tiny, `"tiny"`, `"one"`, 1) {
		t.Errorf("the file is %s", src)
	}
	rename("two")
	save(``, "wrote m.json")
	write("m.json", tiny) // somebody else
	save(``, "is not what this copy was made of")
	save(`, "file": "other.json"`, "is there already")
	save(`, "file": "new/deep/other.json"`, "wrote new/deep/other.json")
	save(`, "file": "m.json", "overwrite": true`, "wrote m.json")
	save(`, "file": "m.py"`, "wrote m.py")
	if src, _ := os.ReadFile(filepath.Join(dir, "m.py")); !strings.Contains(string(src), "import torch") {
		t.Errorf("the export is %.100s", src)
	}
}

// TestCopies: copies are kept apart and bounded, and calls at the same time do
// not disturb one another.
func TestCopies(t *testing.T) {
	a := connect(t, "", false)
	first := a.open(`{"model": ` + tiny + `}`)
	kept := a.open(`{"model": ` + tiny + `}`)
	for range 31 {
		a.must("read", `{"copy": "`+kept+`"}`) // which is used
		a.open(`{"model": ` + tiny + `}`)
	}
	if text, failed := a.call("read", `{"copy": "`+first+`"}`); !failed || !strings.Contains(text, "open a model") {
		t.Errorf("the copy used first is still there: %s", text)
	}
	var group sync.WaitGroup
	for i := range 16 {
		group.Go(func() {
			params := fmt.Sprintf(`{"copy": %q, "edits": [{"op": "insert", "id": "r%d", "type": "relu", "from": "x", "to": "o"}, {"op": "undo"}, {"op": "redo"}, {"op": "rename", "component": "r%d", "to": "s%d"}, {"op": "remove", "component": "s%d"}, {"op": "add", "id": "t%d", "type": "relu", "inputs": ["x"]}]}`, kept, i, i, i, i, i)
			if text, failed := a.call("edit", params); failed {
				t.Errorf("edit %d: %s", i, text)
			}
		})
	}
	group.Wait()
	if n := strings.Count(a.must("read", `{"copy": "`+kept+`"}`), `"relu"`); n != 16 {
		t.Errorf("%d of 16 layers are there", n)
	}
}

// TestResources reads what stands at each kind of address.
func TestResources(t *testing.T) {
	a := connect(t, "", false)
	ctx := context.Background()
	for uri, want := range map[string]string{
		"strata://templates":                     `"id": "resnet-18"`,
		"strata://templates/qwen3-8b":            `"outline": [`,
		"strata://templates/qwen3-8b/model.json": `"block": "decoder", "repeat": 36`,
		"strata://diffs/qwen3-8b/mixtral-8x7b":   `"headline": "Mixtral`,
	} {
		r, err := a.ReadResource(ctx, &sdk.ReadResourceParams{URI: uri})
		if err != nil || !strings.Contains(r.Contents[0].Text, want) || r.Contents[0].MIMEType != "application/json" {
			t.Errorf("%s: %v, %v; want %s", uri, r, err, want)
		}
	}
	for uri, want := range map[string]string{
		"strata://templates/nothing":        "there is no template",
		"strata://templates/../etc":         "not found",
		"strata://diffs/qwen3-8b":           "not found",
		"file:///etc/passwd":                "not found",
		"strata://diffs/qwen3-8b/resnet-19": "nearest is",
	} {
		if r, err := a.ReadResource(ctx, &sdk.ReadResourceParams{URI: uri}); err == nil || !strings.Contains(strings.ToLower(err.Error()), want) {
			t.Errorf("%s: %v, %v; want %s", uri, r, err, want)
		}
	}
	r, err := a.Complete(ctx, &sdk.CompleteParams{Ref: &sdk.CompleteReference{Type: "ref/resource", URI: "strata://templates/{id}"}, Argument: sdk.CompleteParamsArgument{Name: "id", Value: "q"}})
	if err != nil || fmt.Sprint(r.Completion.Values) != "[qwen3-8b]" {
		t.Errorf("completion: %v, %v", r, err)
	}
}

// TestPrompts fills in every prompt.
func TestPrompts(t *testing.T) {
	a := connect(t, "", false)
	ctx := context.Background()
	list, err := a.ListPrompts(ctx, nil)
	if err != nil || len(list.Prompts) == 0 {
		t.Fatalf("no prompts: %v", err)
	}
	for _, p := range list.Prompts {
		given := map[string]string{}
		for _, arg := range p.Arguments {
			given[arg.Name] = "«" + arg.Name + "»"
		}
		r, err := a.GetPrompt(ctx, &sdk.GetPromptParams{Name: p.Name, Arguments: given})
		if err != nil {
			t.Fatal(err)
		}
		text := r.Messages[0].Content.(*sdk.TextContent).Text
		for _, value := range given {
			if !strings.Contains(text, value) {
				t.Errorf("%s lacks %s: %s", p.Name, value, text)
			}
		}
		if strings.ContainsAny(text, "{}") {
			t.Errorf("%s has a parameter that is not filled in: %s", p.Name, text)
		}
		if _, err := a.GetPrompt(ctx, &sdk.GetPromptParams{Name: p.Name}); err == nil || !strings.Contains(err.Error(), "needs "+p.Arguments[0].Name) {
			t.Errorf("%s without arguments: %v", p.Name, err)
		}
	}
}

// TestHTTP serves over HTTP: to a client, not to pages of other sites, and not
// beyond the end of its context.
func TestHTTP(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ended := make(chan error, 1)
	server := mcp.New(mcp.Config{Env: env, Version: "test", Log: slog.New(slog.DiscardHandler)})
	go func() { ended <- server.Serve(ctx, l) }()
	url := "http://" + l.Addr().String() + "/mcp"

	session, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(ctx, &sdk.StreamableClientTransport{Endpoint: url}, nil)
	if err != nil {
		t.Fatal(err)
	}
	a := &agent{t, session}
	name := a.open(`{"model": ` + tiny + `}`)
	a.must("check", `{"of": "`+name+`"}`)

	const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
	for _, c := range []struct {
		name, host, header, value, body string
		want                            int
	}{
		{"a good request", "", "", "", hello, http.StatusOK},
		{"a page of another site", "", "Origin", "https://evil.example", hello, http.StatusForbidden},
		{"what a browser says of such a page", "", "Sec-Fetch-Site", "cross-site", hello, http.StatusForbidden},
		{"a name that was made to mean this machine", "evil.example", "", "", hello, http.StatusForbidden},
		{"too long a body", "", "", "", strings.Repeat(" ", 5<<20) + hello, http.StatusRequestEntityTooLarge},
		{"no JSON", "", "", "", "{", http.StatusBadRequest},
	} {
		r, err := http.NewRequest(http.MethodPost, url, strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		if c.host != "" {
			r.Host = c.host
		}
		if c.header != "" {
			r.Header.Set(c.header, c.value)
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		answer.Body.Close()
		if answer.StatusCode != c.want {
			t.Errorf("%s: got %s, want %d", c.name, answer.Status, c.want)
		}
	}
	cancel()
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("ended with %v", err)
		}
	case <-time.After(20 * time.Second):
		t.Error("goes on after its end")
	}
}
