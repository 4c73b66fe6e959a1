package sarif_test

import (
	"bytes"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	_ "github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif" // carries the official schema

	"github.com/strata-catalog/strata/generator/cost"
	"github.com/strata-catalog/strata/generator/facts"
	"github.com/strata-catalog/strata/generator/pipeline"
	"github.com/strata-catalog/strata/generator/policy"
	"github.com/strata-catalog/strata/generator/sarif"
	"github.com/strata-catalog/strata/generator/verify"
)

// official compiles the schema that OASIS publishes for SARIF 2.1.0. The module
// that carries it keeps it in a constant, which is read from its source.
func official(t *testing.T) *jsonschema.Schema {
	t.Helper()
	p, err := build.Import("github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif", ".", build.FindOnly)
	if err != nil {
		t.Fatal(err)
	}
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, "schema.go"), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	src := ""
	ast.Inspect(file, func(n ast.Node) bool {
		if text, ok := n.(*ast.BasicLit); ok && text.Kind == token.STRING {
			src, err = strconv.Unquote(text.Value)
		}
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(src))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource(sarif.Schema, doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile(sarif.Schema)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func validate(t *testing.T, s *jsonschema.Schema, src []byte) error {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(src))
	if err != nil {
		t.Fatal(err)
	}
	return s.Validate(doc)
}

func document(file, src string) sarif.Document {
	r, err := pipeline.Run(file, []byte(src))
	if err != nil {
		return sarif.Document{File: file, Err: err}
	}
	return sarif.Document{File: file, Findings: r.Findings}
}

func written(t *testing.T, documents ...sarif.Document) []byte {
	t.Helper()
	src, err := facts.JSON(sarif.Of("1.2.3", documents))
	if err != nil {
		t.Fatal(err)
	}
	return src
}

const wide = `{"id": "wide", "components": [
  {"id": "x", "type": "input", "params": {"shape": [1, 8]}},
  {"id": "fc", "type": "linear", "params": {"inFeatures": 9, "outFeatures": 16}, "inputs": ["x"]},
  {"id": "out", "type": "output", "inputs": ["fc"]}]}`

// TestSchema validates a log of everything: each rule's own example, each bad
// document, and nothing at all.
func TestSchema(t *testing.T) {
	s := official(t)
	if err := validate(t, s, written(t)); err != nil {
		t.Errorf("a log of nothing: %v", err)
	}
	documents := []sarif.Document{document(sarif.StandardInput, wide), {File: "none/model.json", Err: os.ErrNotExist}}
	for _, r := range verify.All {
		documents = append(documents, document("rules/"+r.ID+".json", r.Example().Bad))
	}
	files, _ := filepath.Glob("../pipeline/testdata/bad/*.json")
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		documents = append(documents, document(file, string(src)))
	}
	src := written(t, documents...)
	if err := validate(t, s, src); err != nil {
		t.Error(err)
	}
	log := sarif.Of("1.2.3", documents)
	fired := map[string]bool{}
	for _, r := range log.Runs[0].Results {
		fired[r.RuleID] = true
		if got := log.Runs[0].Tool.Driver.Rules[r.RuleIndex].ID; got != r.RuleID {
			t.Errorf("a result of %s has the index of %s", r.RuleID, got)
		}
	}
	if n := len(log.Runs[0].Invocations[0].Notifications); len(fired) < len(verify.All)/2 || n < 20 {
		t.Errorf("only %d rules have a result, and %d documents a notification; this tests little", len(fired), n)
	}
}

// TestSchemaRefuses shows that the schema is one that can refuse.
func TestSchemaRefuses(t *testing.T) {
	s := official(t)
	src := written(t, document("a b/wide.json", wide))
	if err := validate(t, s, src); err != nil {
		t.Fatal(err)
	}
	for _, change := range [][2]string{
		{`"startLine": 3`, `"startLine": 0`},
		{`"startLine": 3`, `"line": 3`},
		{`"level": "error"`, `"level": "advice"`},
		{`"uri": "a%20b/wide.json"`, `"uri": "%zz"`},
		{`"version": "2.1.0"`, `"version": "2.1"`},
		{`"columnKind": "unicodeCodePoints"`, `"columnKind": "runes"`},
		{`"name": "strata", `, ``},
		{`"message": {"text": `, `"message": {"words": `},
	} {
		broken := bytes.ReplaceAll(src, []byte(change[0]), []byte(change[1]))
		if bytes.Equal(broken, src) {
			t.Errorf("the log has no %s", change[0])
		} else if validate(t, s, broken) == nil {
			t.Errorf("the schema accepts %s", change[1])
		}
	}
}

// TestResult is one finding in full.
func TestResult(t *testing.T) {
	log := sarif.Of("1.2.3", []sarif.Document{document("a b/wide.json", wide)})
	got := log.Runs[0].Results
	want := []sarif.Result{{
		RuleID:    "width-mismatch",
		RuleIndex: slices.IndexFunc(verify.All, func(r *verify.Rule) bool { return r.ID == "width-mismatch" }),
		Level:     "error",
		Message:   sarif.Message{Text: "fc: inFeatures is 9, but the incoming width is 8. Set inFeatures to 8, or feed it a tensor that is 9 wide."},
		Locations: []sarif.Location{{
			Physical: sarif.Physical{Artifact: sarif.Artifact{URI: "a%20b/wide.json"}, Region: &sarif.Region{Line: 3, Column: 59}},
			Logical:  []sarif.Logical{{Name: "fc", Kind: "object"}},
		}},
	}}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

// TestPolicy: a line of a policy that is not kept is a result of its own rule.
func TestPolicy(t *testing.T) {
	r, err := pipeline.Run("wide.json", []byte(wide))
	if err != nil {
		t.Fatal(err)
	}
	plan, err := cost.New(r.Model, cost.Default())
	if err != nil {
		t.Fatal(err)
	}
	one := int64(1)
	limits := policy.Policy{MaxParams: &one, MaxLayers: &one, ForbidTypes: []string{"linear"}}
	held, _ := limits.Judge(r, plan)
	d := sarif.Document{File: "wide.json", Findings: held.Findings}
	if err := validate(t, official(t), written(t, d)); err != nil {
		t.Error(err)
	}
	run, rules := sarif.Of("1.2.3", []sarif.Document{d}).Runs[0], []string{}
	for _, result := range run.Results {
		if got := run.Tool.Driver.Rules[result.RuleIndex].ID; got != result.RuleID {
			t.Errorf("a result of %s has the index of %s", result.RuleID, got)
		}
		if result.Locations[0].Physical.Region == nil {
			t.Errorf("%s has no line", result.RuleID)
		}
		rules = append(rules, result.RuleID)
	}
	if want := []string{"width-mismatch", "max_params", "forbid_types"}; !slices.Equal(rules, want) {
		t.Errorf("results of %v, want %v", rules, want)
	}
}

// TestAccepted: what is accepted is there, and suppressed.
func TestAccepted(t *testing.T) {
	d := document("wide.json", wide)
	d.Findings[0].Accepted = "it is an example"
	got := sarif.Of("1.2.3", []sarif.Document{d}).Runs[0].Results[0].Suppressions
	if want := []sarif.Suppression{{Kind: "external", Justification: "it is an example"}}; !slices.Equal(got, want) {
		t.Errorf("suppressions %v, want %v", got, want)
	}
}

// TestUnreadable: a document that cannot be read is a notification, with its
// place where there is one.
func TestUnreadable(t *testing.T) {
	run := sarif.Of("1.2.3", []sarif.Document{
		document(sarif.StandardInput, "{\n  \"components\": 5}"), {File: "none.json", Err: os.ErrNotExist}, document("wide.json", wide),
	}).Runs[0]
	want := []sarif.Invocation{{Notifications: []sarif.Notification{
		{Level: "error", Message: sarif.Message{Text: "components: found a number, expected a list"}, Locations: []sarif.Location{{Physical: sarif.Physical{
			Artifact: sarif.Artifact{URI: "-", Description: &sarif.Message{Text: "standard input"}}, Region: &sarif.Region{Line: 2, Column: 17},
		}}}},
		{Level: "error", Message: sarif.Message{Text: "file does not exist"}, Locations: []sarif.Location{{Physical: sarif.Physical{Artifact: sarif.Artifact{URI: "none.json"}}}}},
	}}}
	if d := cmp.Diff(want, run.Invocations); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	if len(run.Results) != 1 {
		t.Errorf("%d results, want that of the document that can be read", len(run.Results))
	}
}

// TestAddresses: files by the address that a log gives them.
func TestAddresses(t *testing.T) {
	for file, want := range map[string]string{
		"model.json":               "model.json",
		"./templates/a/model.json": "templates/a/model.json",
		"../x/model.json":          "../x/model.json",
		"/data/a b/model.json":     "file:///data/a%20b/model.json",
		"ü/100%/model.json":        "%C3%BC/100%25/model.json",
		"c:d.json":                 "./c:d.json",
		"what?#/model.json":        "what%3F%23/model.json",
	} {
		got := sarif.Of("1.2.3", []sarif.Document{document(file, wide)}).Runs[0].Results[0].Locations[0].Physical.Artifact.URI
		if got != want {
			t.Errorf("%s has the address %s, want %s", file, got, want)
		}
	}
}
