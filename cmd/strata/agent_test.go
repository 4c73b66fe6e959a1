package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// program is this program as a file of its own: testscript runs main under that
// name.
func program(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "strata")
	if err := os.Symlink(self, file); err != nil {
		t.Fatal(err)
	}
	return file
}

// broken is a graph with mistakes of both kinds: some mend themselves, and one
// an agent has to understand.
const broken = `{
  "id": "broken",
  "components": [
    {"id": "image", "type": "input", "params": {"shape": [1, 3, 32, 32]}},
    {"id": "conv1", "type": "conv2d", "params": {"outChanels": 8, "kernelSize": 3}, "inputs": ["imgae"]},
    {"id": "act", "type": "rellu", "inputs": ["conv1"]},
    {"id": "pool", "type": "maxpool2d", "params": {"kernelSize": 2}, "inputs": ["act"]},
    {"id": "flat", "type": "flatten", "inputs": ["pool"]},
    {"id": "head", "type": "linear", "params": {"inFeatures": 1800, "outFeatures": 10}, "inputs": ["pool"]},
    {"id": "out", "type": "output", "inputs": ["head"]}
  ]
}
`

// TestAgent has a client walk through a session with the program: find, check,
// edit until no finding is left, save, export. Over standard input and output,
// and over HTTP.
func TestAgent(t *testing.T) {
	bin := program(t)
	ctx := context.Background()
	repo, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	for name, start := range map[string]func(t *testing.T, cmd *exec.Cmd) sdk.Transport{
		"stdio": func(_ *testing.T, cmd *exec.Cmd) sdk.Transport { return &sdk.CommandTransport{Command: cmd} },
		"http":  overHTTP,
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			file := filepath.Join(dir, "broken.json")
			if err := os.WriteFile(file, []byte(broken), 0o644); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(bin, "mcp", "--source", repo, "--folder", dir, "--write")
			var notes bytes.Buffer
			cmd.Stderr = &notes
			session, err := sdk.NewClient(&sdk.Implementation{Name: "agent", Version: "1"}, nil).Connect(ctx, start(t, cmd), nil)
			if err != nil {
				t.Fatalf("%v: %s", err, &notes)
			}
			walk(t, ctx, session)
			if err := session.Close(); err != nil {
				t.Errorf("the session ends with %v: %s", err, &notes)
			}
			out, err := exec.Command(bin, "check", file, "--strict").CombinedOutput()
			if err != nil {
				t.Errorf("the file that was saved: %v\n%s", err, out)
			}
			src, err := os.ReadFile(file)
			if err != nil || !strings.Contains(string(src), "\n    {\"id\": \"pool\", \"type\": \"maxpool2d\", \"params\": {\"kernelSize\": 2}, \"inputs\": [\"act\"]},\n") {
				t.Errorf("what was right is written as before? %v\n%s", err, src)
			}
			if src, err := os.ReadFile(filepath.Join(dir, "out", "broken.py")); err != nil || !strings.Contains(string(src), "nn.Linear(1800, 10)") {
				t.Errorf("the export: %v\n%s", err, src)
			}
		})
	}
}

// overHTTP starts the program as a server, and stops it as a user would.
func overHTTP(t *testing.T, cmd *exec.Cmd) sdk.Transport {
	cmd.Args = append(cmd.Args, "--http", "127.0.0.1:0")
	cmd.Stderr = nil
	notes, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(notes)
	line, err := lines.ReadString('\n')
	address := regexp.MustCompile(`http://\S+/mcp`).FindString(line)
	if err != nil || address == "" {
		t.Fatalf("the server says %q, %v", line, err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		more, _ := io.ReadAll(lines)
		if err := cmd.Wait(); err != nil {
			t.Errorf("the server ends with %v: %s", err, more)
		}
	})
	return &sdk.StreamableClientTransport{Endpoint: address}
}

// walk is the session.
func walk(t *testing.T, ctx context.Context, session *sdk.ClientSession) {
	call := func(tool, arguments, want string) string {
		t.Helper()
		r, err := session.CallTool(ctx, &sdk.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)})
		if err != nil {
			t.Fatalf("%s %s: %v", tool, arguments, err)
		}
		text := r.Content[0].(*sdk.TextContent).Text
		if !strings.Contains(text, want) {
			t.Errorf("%s %s: want %q, have\n%s", tool, arguments, want, text)
		}
		return text
	}
	call("templates", `{"query": "resnet 18"}`, "resnet-18: Vision/Classification")
	call("show", `{"of": "resnet-18"}`, "11,689,512 parameters")
	call("check", `{"of": "broken.json"}`, "unknown-edge")
	name, _, _ := strings.Cut(call("open", `{"of": "broken.json"}`, "Verdict fail"), "\n")
	edit := func(edits, want string) {
		t.Helper()
		call("edit", `{"copy": "`+name+`", "edits": `+edits+`}`, want)
	}
	edit(`[{"op": "fix"}]`, "gone: unknown-edge")
	call("check", `{"of": "`+name+`"}`, "[head]")
	call("explain", `{"name": "flatten"}`, "operands: one")
	edit(`[{"op": "rewire", "component": "head", "old": "pool", "new": "flat"}, {"op": "undo"}, {"op": "redo"}]`, "new: error width-mismatch [head]")
	edit(`[{"op": "fix", "rule": "width-mismatch"}]`, "Verdict pass")
	call("impact", `{"of": "`+name+`", "component": "head"}`, "has head.weight")
	call("diff", `{"a": "broken.json", "b": "resnet-18"}`, "structural fault")
	call("plan", `{"of": "`+name+`", "gpus": ["t4"]}`, "serve bf16")
	call("save", `{"copy": "`+name+`"}`, "wrote broken.json")
	call("save", `{"copy": "`+name+`", "file": "out/broken.py"}`, "wrote out/broken.py")
	call("save", `{"copy": "`+name+`", "file": "../broken.json"}`, "not in the folder")
}
