package main

import (
	"os"
	"path/filepath"
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
		Condition: func(cond string) (bool, error) {
			return cond == "shared" && missing == nil, nil
		},
	})
}
