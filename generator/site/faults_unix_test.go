//go:build unix

package site_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/strata-catalog/strata/generator/site"
)

// nobody is a user without rights.
const nobody = 65534

// asNobody runs the test program on a folder, as a user whom file modes bind:
// they do not bind root, as whom containers run tests.
func asNobody(t *testing.T, dir string) string {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(program)
	if os.Getuid() == 0 {
		c.Path = "/proc/self/exe" // the program stands where nobody else may look
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		give(t, dir)
	}
	c.Dir, c.Env = "/", append(os.Environ(), buildFrom+"="+dir)
	out, err := c.CombinedOutput()
	if errors.Is(err, os.ErrPermission) || errors.Is(err, os.ErrNotExist) {
		t.Skipf("NOT TESTED: no program can be run as another user here: %v", err)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}

// give lets nobody have a folder, and find it.
func give(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(name string, _ os.DirEntry, err error) error {
		return errors.Join(err, os.Lchown(name, nobody, nobody))
	})
	for above := filepath.Dir(dir); err == nil && strings.HasPrefix(above, os.TempDir()+string(filepath.Separator)); above = filepath.Dir(above) {
		err = os.Chmod(above, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// buildAsNobody builds a catalog twice, the second time with all that is good,
// and says what came of it.
func buildAsNobody(dir string) string {
	var text strings.Builder
	for _, keepGoing := range []bool{false, true} {
		f, err := site.NewFolder(filepath.Join(dir, "out", "public"), nil)
		if err != nil {
			fmt.Fprintln(&text, err)
			continue
		}
		c := site.Config{Templates: os.DirFS(filepath.Join(dir, "templates")), Content: os.DirFS(filepath.Join(dir, "content")), KeepGoing: keepGoing}
		r, err := site.Build(c, f)
		fmt.Fprintf(&text, "%d files, %v\n", r.Files, err)
	}
	return text.String()
}

// TestUnreadable builds from files and folders that must not be read, and into a
// folder that must not be written to: each is named with the reason, the rest is
// published on request.
func TestUnreadable(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "catalog")
	write := func(name, text string, mode os.FileMode) {
		name = filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644), os.Chmod(name, mode)); err != nil {
			t.Fatal(err)
		}
	}
	chmod := func(name string, mode os.FileMode) {
		if err := os.Chmod(filepath.Join(dir, name), mode); err != nil {
			t.Fatal(err)
		}
	}
	write("templates/head/model.json", head, 0o644)
	write("templates/secret/model.json", head, 0)
	write("templates/shut/model.json", head, 0o644)
	write("content/text.md", "---\ntitle: T\n---\n", 0)
	write("content/shut/text.md", "---\ntitle: T\n---\n", 0o644)
	write("out/other", "", 0o644)
	for _, folder := range []string{"templates/shut", "content/shut"} {
		chmod(folder, 0)
		t.Cleanup(func() { chmod(folder, 0o755) })
	}
	const problems = `content/shut: permission denied
content/text.md: permission denied
templates/secret/model.json: permission denied
templates/shut/model.json: permission denied
`
	out := asNobody(t, dir)
	want := "0 files, " + problems
	rest, ok := strings.CutPrefix(out, want)
	if !ok || strings.HasPrefix(rest, "0 files") || !strings.HasSuffix(rest, "files, <nil>\n") {
		t.Errorf("got\n%s\nwant\n%sand then what is good", out, want)
	}
	site := tree(t, filepath.Join(dir, "out", "public"))
	if _, ok := site["a/head.html"]; !ok || site["a/secret.html"] != "" {
		t.Errorf("%d files are published, want what is good", len(site))
	}

	write("content/site.yaml", "title: Another\n", 0o644)
	for _, folder := range []string{"out", "out/public"} {
		chmod(folder, 0o555)
		t.Cleanup(func() { chmod(folder, 0o755) })
	}
	if out := asNobody(t, dir); !strings.Contains(out, filepath.Join(dir, "out")) || !strings.HasSuffix(out, ": permission denied\n") {
		t.Errorf("into a folder that must not be written to: %s", out)
	}
	if diff := cmp.Diff(site, tree(t, filepath.Join(dir, "out", "public"))); diff != "" {
		t.Errorf("the site changed (-before +after):\n%s", diff)
	}
}
