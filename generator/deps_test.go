package generator_test

import (
	"go/build"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/strata-catalog/strata/"

// Outside modules, by the names that the table uses.
var outside = map[string]string{
	"json":     "github.com/go-json-experiment/json",
	"brotli":   "github.com/andybalholm/brotli",
	"html":     "golang.org/x/net/html",
	"image":    "golang.org/x/image",
	"netutil":  "golang.org/x/net/netutil",
	"metrics":  "github.com/prometheus/client_golang/prometheus",
	"fsnotify": "github.com/fsnotify/fsnotify",
	"yaml":     "github.com/goccy/go-yaml",
	"goldmark": "github.com/yuin/goldmark",
	"mcp-sdk":  "github.com/modelcontextprotocol/go-sdk",
	"minify":   "github.com/tdewolff/minify/v2",
	"sys":      "golang.org/x/sys",
	"term":     "golang.org/x/term",
	"txtar":    "golang.org/x/tools/txtar",
}

// table says what each package imports, beside the standard library: packages
// below generator by their last element, and outside modules. It is the
// reading order: a row names only rows above it. A star is all of them: the
// command line has a command for each.
var table = []struct {
	pkg     string
	ours    string
	outside string
}{
	{"generator/words", "", ""},
	{"generator/format", "", ""},
	{"generator/shape", "", ""},
	{"generator/graph", "words", "json"},
	{"generator/layer", "graph shape words", "json"},
	{"generator/adopt", "graph layer words", "json"},
	{"generator/expand", "graph words", "json"},
	{"generator/infer", "expand graph layer shape words", ""},
	{"generator/checkpoint", "format infer shape words", "json"},
	{"generator/export", "format infer layer shape", ""},
	{"generator/verify", "expand export graph infer layer shape words", "json"},
	{"generator/pipeline", "expand graph infer layer verify", ""},
	{"generator/cost", "format infer layer shape words", ""},
	{"generator/draw", "cost format infer layer", ""},
	{"generator/card", "cost draw layer", "image"},
	{"generator/diff", "cost format graph infer layer shape", "json"},
	{"generator/policy", "cost format graph infer layer pipeline verify words", ""},
	{"generator/facts", "cost diff format graph infer layer pipeline policy shape verify", "json"},
	{"generator/edit", "facts graph infer layer pipeline shape verify words", "json"},
	{"generator/schema", "cost graph layer policy", "json"},
	{"generator/sarif", "graph policy verify", ""},
	{"generator/reference", "facts format layer shape verify", ""},
	{"generator/ops", "adopt cost diff export facts graph layer pipeline policy reference shape verify words", "json"},
	{"generator/api", "facts graph ops words", "metrics netutil"},
	{"generator/content", "graph words", "goldmark yaml"},
	{"generator/catalog", "content cost format graph pipeline verify words", ""},
	{"generator/desk", "catalog cost ops", ""},
	{"generator/page", "card catalog content cost diff draw export facts format graph infer layer reference schema shape verify words", ""},
	{"generator/render", "card content cost diff draw facts format graph layer page words", "minify"},
	{"themes", "", ""},
	{"generator/workbench", "catalog content edit facts graph infer page pipeline render themes verify", "json"},
	{"generator/browser", "", ""},
	{"generator/site", "catalog facts page render themes verify", "brotli json sys"},
	{"generator/watch", "", "fsnotify"},
	{"generator/history", "", ""},
	{"generator/github", "", "json"},
	{"generator/serve", "", "json"},
	{"generator/audit", "", "html json"},
	{"generator/mcp", "cost diff edit facts format graph ops policy reference shape verify words", "json mcp-sdk"},
	{"generator/cli", "*", "term"},
	{"cmd/strata", "cli", ""},
	{"cmd/strata-wasm", "browser facts workbench", ""},
	{"cmd/import-wasm", "adopt browser graph", "json"},
	{"generator/internal/testfiles", "", "txtar"},
	{"generator/internal/synthetic", "", ""},
	{"generator/internal/benchsite", "catalog internal/synthetic", ""},
	{"generator", "", ""},
}

// Modules that tests alone may use.
var forTests = []string{
	"github.com/google/go-cmp",
	"github.com/getkin/kin-openapi",
	"github.com/owenrumney/go-sarif/v3",
	"github.com/rogpeppe/go-internal",
	"github.com/santhosh-tekuri/jsonschema/v6",
	"github.com/chromedp/chromedp",
	"github.com/chromedp/cdproto",
	"golang.org/x/tools/txtar",
	"pgregory.net/rapid",
}

// TestImports compares the table with the tree, both ways.
func TestImports(t *testing.T) {
	found := packages(t)
	above := map[string]bool{} // import paths of the rows so far
	for _, row := range table {
		p, ok := found[row.pkg]
		if !ok {
			t.Errorf("the import table has a row for %s, which does not exist; remove it", row.pkg)
			continue
		}
		delete(found, row.pkg)
		allowed := map[string]bool{}
		for _, path := range ours(row.ours, p.Imports, above) {
			if !above[path] {
				t.Errorf("%s: its row names %s, which stands in no row above it", row.pkg, path)
			}
			allowed[path] = true
		}
		for _, name := range strings.Fields(row.outside) {
			if outside[name] == "" {
				t.Fatalf("%s: its row names the outside module %q, which is not listed", row.pkg, name)
			}
			allowed[outside[name]] = true
		}
		compare(t, row.pkg, p.Imports, allowed)
		above[module+row.pkg] = true
	}
	for dir := range found {
		t.Errorf("%s has no row in the import table; add one below all that it imports", dir)
	}
}

// ours are the import paths that a row names. A star is what the package
// imports of the rows above.
func ours(names string, imports []string, above map[string]bool) (paths []string) {
	if names == "*" {
		return slices.DeleteFunc(slices.Clone(imports), func(path string) bool { return !above[path] })
	}
	for _, name := range strings.Fields(names) {
		if name != "themes" {
			name = "generator/" + name
		}
		paths = append(paths, module+name)
	}
	return paths
}

// compare reports imports that a row does not name, and names without import.
func compare(t *testing.T, pkg string, imports []string, allowed map[string]bool) {
	used := map[string]bool{}
	for _, path := range imports {
		if name := owner(path); !standard(path) && !used[name] {
			used[name] = true
			if !allowed[name] {
				t.Errorf("%s imports %s, which its row does not name", pkg, name)
			}
		}
	}
	for name := range allowed {
		if !used[name] {
			t.Errorf("%s: its row names %s, which it does not import; remove the name", pkg, name)
		}
	}
}

// TestTestImports keeps modules that only tests need out of the program, and
// others out of the tests.
func TestTestImports(t *testing.T) {
	for dir, p := range packages(t) {
		for _, path := range append(p.TestImports, p.XTestImports...) {
			known := standard(path) || strings.HasPrefix(path, module) || under(path, forTests...)
			if !known && !under(path, slices.Collect(maps.Values(outside))...) {
				t.Errorf("%s: a test imports %s, which is listed neither for the program nor for tests", dir, path)
			}
		}
	}
}

// packages reads the imports of every package of the module, by its folder
// relative to the root. WebAssembly commands are read for their own platform.
func packages(t *testing.T) map[string]*build.Package {
	t.Helper()
	root := ".."
	found := map[string]*build.Package{}
	err := filepath.WalkDir(root, func(dir string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if name := d.Name(); dir != root && (name == "testdata" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_")) {
			return fs.SkipDir
		}
		p, err := imports(dir)
		if p != nil {
			rel, _ := filepath.Rel(root, dir)
			found[filepath.ToSlash(rel)] = p
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(found) < 10 {
		t.Fatalf("found %d packages below %s; the walk is broken", len(found), root)
	}
	return found
}

func imports(dir string) (*build.Package, error) {
	for _, platform := range [][2]string{{"linux", "amd64"}, {"js", "wasm"}} {
		ctx := build.Default
		ctx.GOOS, ctx.GOARCH = platform[0], platform[1]
		p, err := ctx.ImportDir(dir, 0)
		switch err.(type) {
		case nil:
			return p, nil
		case *build.NoGoError:
			continue
		}
		return nil, err
	}
	return nil, nil
}

// standard reports whether an import path is of the standard library: those
// have no dot in their first element.
func standard(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".")
}

// owner is the outside module that a path belongs to, or the path itself.
func owner(path string) string {
	for _, prefix := range outside {
		if under(path, prefix) {
			return prefix
		}
	}
	return path
}

func under(path string, prefixes ...string) bool {
	return slices.ContainsFunc(prefixes, func(prefix string) bool {
		return path == prefix || strings.HasPrefix(path, prefix+"/")
	})
}
