package cli

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/strata-catalog/strata/generator/content"
	"github.com/strata-catalog/strata/generator/pipeline"
	"github.com/strata-catalog/strata/generator/verify"
)

// scaffolded is the text of a file of scaffold/.
func scaffolded(t *testing.T, from, id string) []byte {
	t.Helper()
	text, err := draft{from: from}.text(id)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// commented is what stands before a key that has no value.
var commented = regexp.MustCompile(`(?m)^# ([a-z-]+:(?: #.*)?)$`)

// TestScaffoldTexts: every key of the settings and of a note is there, and is
// read without an error when it is no comment any more; the settings given are
// the defaults.
func TestScaffoldTexts(t *testing.T) {
	src := commented.ReplaceAll(scaffolded(t, "site.yaml", "m"), []byte("$1"))
	got, err := content.ParseSettings("site.yaml", src)
	if err != nil {
		t.Fatal(err)
	}
	want := content.Defaults()
	for i := range reflect.TypeOf(want).NumField() {
		f := reflect.TypeOf(want).Field(i)
		if f.Tag.Get("yaml") == "-" || !f.IsExported() {
			continue
		}
		if g, w := reflect.ValueOf(got).Field(i).Interface(), reflect.ValueOf(want).Field(i).Interface(); !reflect.DeepEqual(g, w) {
			t.Errorf("site.yaml: %s is %v, want %v", f.Name, g, w)
		}
	}
	named(t, "site.yaml", src, content.Keys(content.Settings{}))

	src = commented.ReplaceAll(scaffolded(t, "note.md", "m"), []byte("$1"))
	note, err := content.ParseNote("note.md", src)
	if err != nil || note.Summary == "" || note.PickWhen == "" || note.Body == "" {
		t.Errorf("note.md: %v, %+v", err, note)
	}
	named(t, "note.md", src, content.Keys(content.Note{}))
}

func named(t *testing.T, file string, src []byte, keys []content.Key) {
	t.Helper()
	for _, k := range keys {
		if n := strings.Count("\n"+string(src), "\n"+k.Name+":"); n != 1 {
			t.Errorf("%s has the key %s %d times, want once", file, k.Name, n)
		}
	}
}

// TestScaffoldModel: the graph has no finding, whatever the id makes one think
// that the model is.
func TestScaffoldModel(t *testing.T) {
	for _, id := range []string{firstTemplate, "bert-base", "vit-b-16", "resnet-classifier", "mamba", "1.5b"} {
		r, err := pipeline.RunWith("model.json", scaffolded(t, "model.json", id), verify.Options{Folder: id})
		if err != nil {
			t.Fatal(err)
		}
		if r.Verdict != verify.Pass_ || len(r.Findings) > 0 || r.Model.Params == 0 {
			t.Errorf("%s: %s, %d parameters, %v", id, r.Verdict, r.Model.Params, r.Findings)
		}
	}
}

// TestInstallAllOrNothing: where one of the places cannot be written, nothing is
// left in the others.
func TestInstallAllOrNothing(t *testing.T) {
	for name, test := range map[string]struct {
		args  []string
		block func(dir string) error
		left  []string
	}{
		"new": {
			[]string{"new", "m", "--source"},
			// A link to nothing: no folder can be made there.
			func(dir string) error {
				return errors.Join(os.Mkdir(filepath.Join(dir, "templates"), 0o755), os.Mkdir(filepath.Join(dir, "content"), 0o755),
					os.Symlink("nowhere", filepath.Join(dir, "content", "a")))
			},
			[]string{"content", "content/a", "templates"},
		},
		"new beside a file": {
			[]string{"new", "m", "--source"},
			func(dir string) error {
				return errors.Join(os.Mkdir(filepath.Join(dir, "templates"), 0o755), os.WriteFile(filepath.Join(dir, "content"), nil, 0o644))
			},
			[]string{"content", "templates"},
		},
		"init": {
			[]string{"init"},
			func(dir string) error { return os.WriteFile(filepath.Join(dir, "mine"), nil, 0o644) },
			[]string{"mine"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := test.block(dir); err != nil {
				t.Skip(err) // a system without symbolic links
			}
			if _, stderr, code := call(t, "", append(test.args, dir)...); code != 2 || !strings.Contains(stderr, dir) {
				t.Errorf("code %d, %q; want 2 and the place", code, stderr)
			}
			if got := tree(t, dir); !slices.Equal(got, test.left) {
				t.Errorf("there is %v, want %v", got, test.left)
			}
		})
	}
}

// tree lists what is below a folder.
func tree(t *testing.T, dir string) (list []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(name string, _ os.DirEntry, err error) error {
		if rel, _ := filepath.Rel(dir, name); rel != "." {
			list = append(list, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestMoveAll: names before the one that cannot be moved are taken back.
func TestMoveAll(t *testing.T) {
	from, to := t.TempDir(), t.TempDir()
	if err := writeBelow(from, "a/b", []byte("x")); err != nil {
		t.Fatal(err)
	}
	if err := moveAll(from, to, []string{"a", "missing"}); err == nil || !strings.Contains(err.Error(), "missing") {
		t.Errorf("error %v, want one that names what is missing", err)
	}
	if got := tree(t, to); len(got) > 0 {
		t.Errorf("left %v", got)
	}
}
