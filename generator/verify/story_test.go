package verify_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/strata-catalog/strata/generator/graph"
	"github.com/strata-catalog/strata/generator/verify"
)

var update = flag.Bool("update", false, "write what was found into the stories")

// TestStories runs the story of each rule, testdata/<id>.txtar: graphs called
// bad*.json, on which the rule fires and nothing else does, as the .want of the
// same name lists it; and near misses called good*.json, on which nothing
// fires. A .options of the same name says what is known beside the graph.
func TestStories(t *testing.T) {
	for _, r := range verify.All {
		t.Run(r.ID, func(t *testing.T) {
			file := filepath.Join("testdata", r.ID+".txtar")
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatalf("rule %s has no story: %v", r.ID, err)
			}
			s := story{t: t, rule: r, archive: archive}
			s.run()
			if *update {
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// TestStoriesOfNoRule finds stories whose rule is gone.
func TestStoriesOfNoRule(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no stories: %v", err)
	}
	for _, file := range files {
		if _, ok := verify.Lookup(strings.TrimSuffix(filepath.Base(file), ".txtar")); !ok {
			t.Errorf("%s is the story of no rule", file)
		}
	}
}

type story struct {
	t       *testing.T
	rule    *verify.Rule
	archive *txtar.Archive
}

// part is one file of the story.
func (s *story) part(name string) *txtar.File {
	for i := range s.archive.Files {
		if s.archive.Files[i].Name == name {
			return &s.archive.Files[i]
		}
	}
	return nil
}

func (s *story) run() {
	if strings.TrimSpace(string(s.archive.Comment)) == "" {
		s.t.Error("the story does not say what it is about")
	}
	for _, name := range []string{"bad.json", "good.json"} {
		if s.part(name) == nil {
			s.t.Errorf("the story has no %s", name)
		}
	}
	for _, f := range s.archive.Files {
		name, isGraph := strings.CutSuffix(f.Name, ".json")
		switch {
		case !isGraph:
			if graph := strings.TrimSuffix(f.Name, filepath.Ext(f.Name)) + ".json"; s.part(graph) == nil {
				s.t.Errorf("%s belongs to no graph", f.Name)
			}
		case strings.HasPrefix(name, "bad"):
			s.t.Run(name, func(t *testing.T) { s.bad(t, name, string(f.Data)) })
		case strings.HasPrefix(name, "good"):
			s.t.Run(name, func(t *testing.T) { s.good(t, name, string(f.Data)) })
		default:
			s.t.Errorf("%s is neither good nor bad", f.Name)
		}
	}
}

func (s *story) bad(t *testing.T, name, src string) {
	found := s.find(t, name, src)
	var got strings.Builder
	fired := false
	for _, f := range found {
		fired = fired || f.Rule == s.rule.ID
		got.WriteString(s.line(f))
	}
	if !fired {
		t.Errorf("%s does not fire", s.rule.ID)
	}
	want := s.part(name + ".want")
	switch {
	case want == nil:
		t.Fatalf("no %s.want", name)
	case *update:
		want.Data = []byte(got.String())
	case got.String() != string(want.Data):
		t.Errorf("found\n%swant\n%s", got.String(), want.Data)
	}
	s.mend(t, name, src, found)
}

func (s *story) good(t *testing.T, name, src string) {
	for _, f := range s.find(t, name, src) {
		t.Errorf("found %s", s.line(f))
	}
}

func (s *story) find(t *testing.T, name, src string) []verify.Finding {
	t.Helper()
	var o verify.Options
	if part := s.part(name + ".options"); part != nil {
		for line := range strings.Lines(string(part.Data)) {
			key, value, _ := strings.Cut(strings.TrimSpace(line), " ")
			switch key {
			case "folder":
				o.Folder = value
			case "masked":
				o.MaskedLanguage = true
			case "published":
				number, source, _ := strings.Cut(value, " ")
				n, err := strconv.ParseInt(number, 10, 64)
				if err != nil {
					t.Fatal(err)
				}
				o.Published, o.Source = n, source
			default:
				t.Fatalf("unknown option %q", key)
			}
		}
	}
	o.Costly = true
	return verify.Run(analyse(t, name+".json", src), verify.All, o)
}

// line is a finding as the stories list it: the rule where it is another one,
// the place, the severity, the components, the message, and its patch.
func (s *story) line(f verify.Finding) string {
	var b strings.Builder
	if f.Rule != s.rule.ID {
		b.WriteString(f.Rule + " ")
	}
	fmt.Fprintf(&b, "%d:%d %s", f.Position.Line, f.Position.Column, f.Severity)
	if len(f.Components) > 0 {
		b.WriteString(" " + strings.Join(f.Components, ","))
	}
	if f.Repeat > 1 {
		fmt.Fprintf(&b, " ×%d", f.Repeat)
	}
	fmt.Fprintf(&b, ": %s\n", f.Message)
	for _, op := range f.Patch {
		fmt.Fprintf(&b, "\t%s\n", strings.TrimSpace(op.Op+" "+op.Path+" "+op.Value))
	}
	return b.String()
}

// mend applies the patches of all findings: those that have one must be gone
// then, and the others still be there.
func (s *story) mend(t *testing.T, name, src string, found []verify.Finding) {
	t.Helper()
	left, mended := 0, src
	for _, f := range found {
		if f.Patch == nil {
			left++
		}
		var err error
		if mended, err = graph.Patch(mended, f.Patch); err != nil {
			t.Errorf("patch of %q: %v", f.Message, err)
			return
		}
	}
	if mended == src {
		return
	}
	if after := s.find(t, name, mended); len(after) != left {
		t.Errorf("after the patches %d findings are left, want %d: %+v", len(after), left, after)
	}
}
