package main

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"strata": main})
}

// TestScripts runs the commands as a user would. Scripts find the repository
// in $REPO and the shared graphs in $SHARED, where they are there:
// [shared] holds then.
func TestScripts(t *testing.T) {
	repo, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	shared := filepath.Join(filepath.Dir(repo), "shared")
	_, missing := os.Stat(shared)
	if missing != nil {
		t.Log("no shared graphs beside the checkout: the parts of scripts under [shared] are skipped")
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       os.Getenv("UPDATE_SCRIPTS") != "",
		Setup: func(env *testscript.Env) error {
			env.Setenv("REPO", repo)
			env.Setenv("SHARED", shared)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"weights": weights, "serve": serve, "seen": seen, "logged": logged, "interrupt": interrupt},
		Condition: func(cond string) (bool, error) {
			return cond == "shared" && missing == nil, nil
		},
	})
}

// weights OUT LIST writes a safetensors file of zeros. A line of LIST is a name
// and the sizes of its axes; each number has four bytes.
func weights(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: weights OUT LIST")
	}
	type entry struct {
		DType   string  `json:"dtype"`
		Shape   []int64 `json:"shape"`
		Offsets []int64 `json:"data_offsets"`
	}
	all := map[string]entry{}
	var at int64
	for line := range strings.Lines(ts.ReadFile(args[1])) {
		f := strings.Fields(line)
		e, n := entry{"F32", []int64{}, []int64{at, at}}, int64(4)
		for _, size := range f[1:] {
			var d int64
			ts.Check(json.Unmarshal([]byte(size), &d))
			e.Shape, n = append(e.Shape, d), n*d
		}
		at += n
		e.Offsets[1] = at
		all[f[0]] = e
	}
	header, err := json.Marshal(all)
	ts.Check(err)
	out := append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header...)
	ts.Check(os.MkdirAll(filepath.Dir(ts.MkAbs(args[0])), 0o777))
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), append(out, make([]byte, at)...), 0o666))
}

// patience is how long a script waits for a server that has to build.
const patience = 30 * time.Second

// server is what a script has started.
type server struct {
	*exec.Cmd
	out, err string // files that it prints to
}

// serve ARG… starts strata serve, which prints to serve.out and serve.err, and
// waits until it serves.
func serve(ts *testscript.TestScript, neg bool, args []string) {
	program, err := lookPath(ts.Getenv("PATH"))
	ts.Check(err)
	s := &server{exec.Command(program, append([]string{"serve"}, args...)...), ts.MkAbs("serve.out"), ts.MkAbs("serve.err")}
	out, err := os.Create(s.out)
	ts.Check(err)
	defer out.Close()
	errs, err := os.Create(s.err)
	ts.Check(err)
	defer errs.Close()
	s.Dir, s.Stdout, s.Stderr = ts.MkAbs("."), out, errs
	ts.Check(s.Start())
	ts.Defer(func() { _ = s.Process.Kill() })
	servers.Store(ts.Name(), s)
	ts.Setenv("URL", s.await(ts, s.out, `serving (\S+);`))
}

// servers are those of the scripts that run, by the name of the script.
var servers sync.Map

func of(ts *testscript.TestScript) *server {
	s, ok := servers.Load(ts.Name())
	if !ok {
		ts.Fatalf("no server was started")
	}
	return s.(*server)
}

// await is what a file comes to hold.
func (s *server) await(ts *testscript.TestScript, file, pattern string) string {
	want := regexp.MustCompile(pattern)
	var text []byte
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		text, _ = os.ReadFile(file)
		if m := want.FindSubmatch(text); m != nil {
			return string(m[len(m)-1])
		}
	}
	ts.Fatalf("%s never holds %s, but %s", file, pattern, text)
	return ""
}

// seen PATH PATTERN waits until the server answers a path with a text.
func seen(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: seen PATH PATTERN")
	}
	want := regexp.MustCompile(args[1])
	var text []byte
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		answer, err := http.Get(ts.Getenv("URL") + args[0])
		ts.Check(err)
		text, err = io.ReadAll(answer.Body)
		ts.Check(errors.Join(err, answer.Body.Close()))
		if want.Match(text) {
			return
		}
	}
	ts.Fatalf("%s never shows %s, but %s", args[0], want, text)
}

// logged PATTERN waits until the server prints a text as an error.
func logged(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: logged PATTERN")
	}
	s := of(ts)
	s.await(ts, s.err, args[0])
}

// interrupt ends the server as Ctrl-C does.
func interrupt(ts *testscript.TestScript, neg bool, args []string) {
	s := of(ts)
	ts.Check(s.Process.Signal(os.Interrupt))
	ts.Check(s.Wait())
}

// lookPath finds the program on the path of a script.
func lookPath(path string) (string, error) {
	for _, dir := range filepath.SplitList(path) {
		name := filepath.Join(dir, "strata")
		if info, err := os.Stat(name); err == nil && info.Mode()&0o111 != 0 {
			return name, nil
		}
	}
	return "", exec.ErrNotFound
}
