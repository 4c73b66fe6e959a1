package export_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/strata-catalog/strata/generator/expand"
	"github.com/strata-catalog/strata/generator/export"
	"github.com/strata-catalog/strata/generator/graph"
	"github.com/strata-catalog/strata/generator/infer"
	"github.com/strata-catalog/strata/generator/layer"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "rewrite testdata/*.txtar")

// analyse is the model of a document.
func analyse(t testing.TB, name string, src []byte) *infer.Model {
	t.Helper()
	doc, err := graph.Decode(name, src)
	if err != nil {
		t.Fatal(err)
	}
	g, err := expand.Expand(doc)
	if err != nil {
		t.Fatal(err)
	}
	return infer.Infer(g)
}

// reasons lists why a model cannot be written, a line each.
func reasons(m *infer.Model) string {
	var b strings.Builder
	for _, r := range export.Supported(m) {
		fmt.Fprintf(&b, "%s: %s\n", m.Nodes[r.Node].ID, r.Why)
	}
	return b.String()
}

// TestPython compares the Python of each graph of testdata with the file beside
// it, or why it has none.
func TestPython(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no graphs in testdata", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			m := analyse(t, "graph.json", a.Files[0].Data)
			python, err := export.Python(m)
			got := txtar.File{Name: "want.py", Data: python}
			if err != nil {
				got = txtar.File{Name: "refused", Data: []byte(reasons(m))}
			}
			if *update {
				a.Files = append(a.Files[:1], got)
				if err := os.WriteFile(file, txtar.Format(a), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			if len(a.Files) != 2 || a.Files[1].Name != got.Name {
				t.Fatalf("the graph has a %s, which the file lacks; run go test ./generator/export -update and read what it writes", got.Name)
			}
			if diff := cmp.Diff(strings.Split(string(a.Files[1].Data), "\n"), strings.Split(string(got.Data), "\n")); diff != "" {
				t.Errorf("%s changed (-want +got); run go test ./generator/export -update if that is meant\n%s", file, diff)
			}
		})
	}
}

// TestVocabulary asks that every type which yields a tensor says what it is in
// PyTorch.
func TestVocabulary(t *testing.T) {
	for _, typ := range layer.All {
		if typ.Side || typ.Name == "input" || typ.Name == "output" {
			continue
		}
		r, err := typ.Try(typ.Doc.Examples[0])
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := r.Layer.(layer.Exporter); !ok {
			t.Errorf("%s has no method Torch; write one beside the type", typ.Name)
		}
	}
}

// TestTemplates asks that every template of the catalog can be written, in
// lines that the formatters leave alone.
func TestTemplates(t *testing.T) {
	interpreter := start(t)
	for id, m := range models(t, "../../templates") {
		python, err := export.Python(m)
		if err != nil {
			t.Errorf("%s: %v", id, err)
			continue
		}
		for n, line := range strings.Split(string(python), "\n") {
			if len([]rune(line)) > 88 {
				t.Errorf("%s: line %d has more than 88 characters: %s", id, n+1, line)
			}
		}
		if verdict := interpreter.check(t, python); verdict != "ok" {
			t.Errorf("%s: %s", id, verdict)
		}
	}
}

// models reads the documents of a folder.
func models(t *testing.T, folder string) map[string]*infer.Model {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*", "model.json"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Skipf("no graphs in %s", folder)
	}
	list := map[string]*infer.Model{}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		list[filepath.Base(filepath.Dir(file))] = analyse(t, file, src)
	}
	return list
}

// refused are the graphs from outside that run as they are drawn and have no
// PyTorch.
var refused = map[string]string{
	"attn-sparse": "the gates between its branches and the networks that summarise its blocks are not part of the graph",
}

// TestZoo writes every graph that nobody here wrote and whose shapes are
// derived throughout.
func TestZoo(t *testing.T) {
	list := models(t, "../../../shared/zoo")
	interpreter := start(t)
	for id := range refused {
		if m := list[id]; m == nil || !m.ForwardPasses() || !m.Counted {
			t.Errorf("%s is no graph that runs; remove it from the refused ones", id)
		}
	}
	for id, m := range list {
		if !m.ForwardPasses() || !m.Counted {
			continue
		}
		python, err := export.Python(m)
		why, expected := refused[id]
		switch {
		case expected && (err == nil || !strings.Contains(reasons(m), why)):
			t.Errorf("%s: refused with %q, want %q", id, reasons(m), why)
		case !expected && err != nil:
			t.Errorf("%s: %v", id, err)
		case err == nil:
			if verdict := interpreter.check(t, python); verdict != "ok" {
				t.Errorf("%s: %s", id, verdict)
			}
		}
	}
}

// TestFaults is about models that have no Python at all.
func TestFaults(t *testing.T) {
	m := analyse(t, "graph.json", []byte(`{"components": [{"id": "a", "type": "relu", "inputs": ["b"]}, {"id": "b", "type": "relu", "inputs": ["a"]}]}`))
	_, err := export.Python(m)
	var u *export.Unsupported
	if !errors.As(err, &u) || len(u.Reasons) != 1 || u.Reasons[0].Node != -1 {
		t.Errorf("a cycle: %v, want one reason that concerns the whole graph", err)
	}
	m = analyse(t, "graph.json", []byte(`{"components": [{"id": "x", "type": "input", "params": {"shape": [1, 8]}}, {"id": "a", "type": "warp", "inputs": ["x"]}, {"id": "b", "type": "relu", "inputs": ["a"]}]}`))
	_, err = export.Python(m)
	want := `a (warp) cannot be exported: "warp" is no known layer type (and 1 more)`
	if err == nil || err.Error() != want {
		t.Errorf("an unknown type: %v, want %s", err, want)
	}
}

// TestDeterministic writes one model twice.
func TestDeterministic(t *testing.T) {
	for id, m := range models(t, "../../templates") {
		a, err := export.Python(m)
		if err != nil {
			t.Fatal(err)
		}
		if b, _ := export.Python(m); !bytes.Equal(a, b) {
			t.Errorf("%s: two files of one model differ", id)
		}
		break
	}
}

// BenchmarkPython writes a model of 36 equal layers.
func BenchmarkPython(b *testing.B) {
	src, err := os.ReadFile("../../templates/qwen3-8b/model.json")
	if err != nil {
		b.Skip(err)
	}
	m := analyse(b, "model.json", src)
	for b.Loop() {
		if _, err := export.Python(m); err != nil {
			b.Fatal(err)
		}
	}
}
