package export_test

import (
	"bufio"
	"encoding/json"
	"io"
	"os/exec"
	"testing"

	"github.com/strata-catalog/strata/generator/expand"
	"github.com/strata-catalog/strata/generator/export"
	"github.com/strata-catalog/strata/generator/graph"
	"github.com/strata-catalog/strata/generator/infer"
)

// checker is a Python program that reads one source a line, as JSON, and
// answers whether it compiles and does nothing but what a model does: it
// imports torch and math alone, calls nothing that runs text, and has no
// statement outside its definitions.
const checker = `
import ast, json, sys
modules = {"torch", "torch.nn.functional", "math"}
banned = {"eval", "exec", "compile", "open", "input", "globals", "locals", "vars",
          "setattr", "delattr", "breakpoint", "__import__", "__builtins__"}

def check(source):
    tree = ast.parse(source)
    compile(tree, "model.py", "exec")
    for n in ast.walk(tree):
        if isinstance(n, ast.Import) and not {a.name for a in n.names} <= modules:
            return "imports " + ast.unparse(n)
        if isinstance(n, ast.ImportFrom) and n.module not in modules:
            return "imports " + ast.unparse(n)
        if isinstance(n, ast.Name) and n.id in banned:
            return "uses " + n.id
        if isinstance(n, ast.Attribute) and n.attr.startswith("__") and n.attr != "__init__":
            return "reaches for " + n.attr
    kinds = (ast.ClassDef, ast.FunctionDef, ast.Import, ast.ImportFrom)
    for n in tree.body[1:-1]:
        if not isinstance(n, kinds):
            return "runs " + ast.unparse(n)
    return "ok"

for line in sys.stdin:
    try:
        print(json.dumps(check(json.loads(line))), flush=True)
    except Exception as error:
        print(json.dumps(repr(error)), flush=True)
`

// interpreter is a running checker.
type interpreter struct {
	in  *json.Encoder
	out *bufio.Reader
}

// start runs the checker, and skips the test where there is no Python.
func start(tb testing.TB) *interpreter {
	path, err := exec.LookPath("python3")
	if err != nil {
		tb.Skip("no python3 to compile with")
	}
	cmd := exec.Command(path, "-c", checker)
	in, err := cmd.StdinPipe()
	if err != nil {
		tb.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		tb.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		in.Close()
		if err := cmd.Wait(); err != nil {
			tb.Error(err)
		}
	})
	return &interpreter{json.NewEncoder(in), bufio.NewReader(out)}
}

// check is "ok", or what is wrong with a source.
func (p *interpreter) check(t *testing.T, source []byte) string {
	t.Helper()
	if err := p.in.Encode(string(source)); err != nil {
		t.Fatal(err)
	}
	line, err := p.out.ReadString('\n')
	if err != nil && err != io.EOF {
		t.Fatal(err)
	}
	var verdict string
	if err := json.Unmarshal([]byte(line), &verdict); err != nil {
		t.Fatalf("%q: %v", line, err)
	}
	return verdict
}

// named is a small model in which the given texts name everything that can be
// named.
func named(id, other, name, tensor, role string) ([]byte, error) {
	type object = map[string]any
	width := object{"outFeatures": 4}
	return json.Marshal(object{
		"id": id, "name": name, "description": other,
		"components": []object{
			{"id": id, "type": "input", "name": name, "params": object{"shape": []int{1, 4}}},
			{"id": other, "type": "linear", "params": width, "inputs": []string{id}},
			{"id": id + "." + other, "type": "linear", "params": object{"outFeatures": 4, "names": object{"weight": role, "bias": "b." + role}}, "inputs": []string{other}},
			{"id": id + ".x", "type": "add", "inputs": []string{id + "." + other, other}},
			{"id": other + "." + tensor, "block": name, "repeat": 3, "inputs": []string{id + ".x"}},
			{"id": tensor, "type": "output", "inputs": []string{other + "." + tensor}},
		},
		"blocks": object{name: object{
			"inputs": []string{tensor},
			"components": []object{
				{"id": other, "type": "linear", "params": width, "inputs": []string{tensor}},
				{"id": id, "type": "parameter", "params": object{"shape": []int{4}}, "inputs": []string{other}},
			},
			"output": id,
		}},
	})
}

// hostile are names that break a careless writer: keywords, names of the file
// and of PyTorch, numbers, quotes, lines, scripts, placeholders.
var hostile = [][4]string{
	{"x", "fc", "Plain", "w"},
	{"class", "lambda", "None", "True"},
	{"self", "torch", "nn", "F"},
	{"forward", "training", "to", "type"},
	{"l", "I", "O", "_"},
	{"0", "1", "2", "3"},
	{"0.0", "0.1", "a.0.b", "4"},
	{"keys", "values", "pop", "items"},
	{`quote"key`, `it's`, `"""`, `\`},
	{`__import__('os').system('id')`, "__init__", `""" + exec("1") + """`, "__class__"},
	{"a\nimport os", "b\rc", "line\u2028break", "tab\t"},
	{"été", "層", "\u202edrow", "Ⅷ"},
	{"a..b", ".", "..", "c."},
	{"# comment", "{x}", "%s", "$m"},
	{"$Class", "$0", "$*", "Tensor"},
	{"layer", "h", "model", "main"},
}

// FuzzNames writes models with hostile names: whatever they are, the result is
// valid Python that imports torch and defines a model, and nothing else.
func FuzzNames(f *testing.F) {
	for _, s := range hostile {
		f.Add(s[0], s[1], s[2], s[3])
	}
	python := start(f)
	f.Fuzz(func(t *testing.T, id, other, name, tensor string) {
		for _, role := range []string{tensor, "w"} {
			out := write(t, id, other, name, tensor, role)
			if out == nil {
				continue
			}
			if verdict := python.check(t, out); verdict != "ok" {
				t.Errorf("%s\n%s", verdict, out)
			}
		}
	})
}

// write is the Python of the model, nil when the names make it unreadable or
// no module tree can have them.
func write(t *testing.T, id, other, name, tensor, role string) []byte {
	src, err := named(id, other, name, tensor, role)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := graph.Decode("graph.json", src)
	if err != nil {
		return nil
	}
	g, err := expand.Expand(doc)
	if err != nil {
		return nil
	}
	out, err := export.Python(infer.Infer(g))
	if err != nil {
		return nil
	}
	return out
}

// TestNames asks that the hostile names which are ids of layers are written,
// and not only refused.
func TestNames(t *testing.T) {
	python := start(t)
	for _, s := range hostile {
		out := write(t, s[0], s[1], s[2], s[3], "w")
		if out == nil {
			t.Errorf("%q is refused", s)
			continue
		}
		if verdict := python.check(t, out); verdict != "ok" {
			t.Errorf("%q: %s\n%s", s, verdict, out)
		}
	}
}
