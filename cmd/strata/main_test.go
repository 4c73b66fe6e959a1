package main

import (
	"encoding/binary"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

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
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"weights": weights},
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
