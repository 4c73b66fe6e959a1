package verify_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/strata-catalog/strata/generator/graph"
	"github.com/strata-catalog/strata/generator/verify"
)

// TestRules checks that every rule has its words, and an id of its own.
func TestRules(t *testing.T) {
	slug := regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`)
	seen := map[string]bool{}
	for _, r := range verify.All {
		if !slug.MatchString(r.ID) || seen[r.ID] {
			t.Errorf("id %q is no slug, or is used twice", r.ID)
		}
		seen[r.ID] = true
		switch r.Severity {
		case verify.Error, verify.Warning, verify.Advice:
		default:
			t.Errorf("%s: severity %q", r.ID, r.Severity)
		}
		switch r.Group {
		case verify.Structure, verify.Shapes, verify.Attention, verify.Training, verify.Numbers:
		default:
			t.Errorf("%s: group %q", r.ID, r.Group)
		}
		if r.Title == "" || strings.HasSuffix(r.Title, ".") {
			t.Errorf("%s: title %q", r.ID, r.Title)
		}
		for _, s := range []string{r.Trigger, r.Why, r.Fix} {
			if !strings.HasSuffix(s, ".") {
				t.Errorf("%s: %q is no sentence", r.ID, s)
			}
		}
		if !strings.HasPrefix(r.Source, "https://") {
			t.Errorf("%s: source %q is no address", r.ID, r.Source)
		}
		e := r.Example()
		for what, src := range map[string]string{"bad": e.Bad, "good": e.Good} {
			if _, err := graph.Decode(what, []byte(src)); err != nil {
				t.Errorf("%s: example: %v", r.ID, err)
			}
		}
		if e.About == "" {
			t.Errorf("%s: example without words", r.ID)
		}
	}
}

// TestEveryReportHasARule reads the ids that earlier passes report to from
// their source: all exported constants without a type are such ids.
func TestEveryReportHasARule(t *testing.T) {
	for _, pkg := range []string{"expand", "infer", "layer"} {
		ids := ruleIDs(t, "../"+pkg)
		if len(ids) == 0 {
			t.Errorf("found no rule ids in package %s", pkg)
		}
		for name, id := range ids {
			r, ok := verify.Lookup(id)
			if !ok {
				t.Errorf("%s.%s reports to %q, which is no rule", pkg, name, id)
				continue
			}
			if structural := pkg == "expand"; structural != r.Faulty {
				t.Errorf("%s: Faulty is %v, want %v", id, r.Faulty, structural)
			}
		}
	}
}

func ruleIDs(t *testing.T, dir string) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]string{}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			consts, ok := decl.(*ast.GenDecl)
			if !ok || consts.Tok != token.CONST || strings.HasSuffix(name, "_test.go") {
				continue
			}
			for _, spec := range consts.Specs {
				v := spec.(*ast.ValueSpec)
				if v.Type != nil || len(v.Values) != 1 || !v.Names[0].IsExported() {
					continue
				}
				if lit, ok := v.Values[0].(*ast.BasicLit); ok && lit.Kind == token.STRING {
					ids[v.Names[0].Name], err = strconv.Unquote(lit.Value)
					if err != nil {
						t.Fatal(err)
					}
				}
			}
		}
	}
	return ids
}

// TestOrder lists errors first, then findings in the order of the layers,
// which need not be that of the document.
func TestOrder(t *testing.T) {
	m := analyse(t, "model.json", `{"components": [
		{"id": "out", "type": "output", "inputs": ["last"]},
		{"id": "last", "type": "linear", "params": {"outFeatures": 4, "color": 1}, "inputs": ["first"]},
		{"id": "first", "type": "linear", "params": {"outFeatures": 4, "inFeatures": 9, "color": 2}, "inputs": ["x"]},
		{"id": "x", "type": "input", "params": {"shape": [1, 8]}}
	]}`)
	var got []string
	findings := verify.Run(m, verify.All, verify.Options{})
	for _, f := range findings {
		got = append(got, fmt.Sprint(f.Severity, " ", f.Components[0], " ", f.Position.Line))
	}
	want := "error first 4,warning first 4,warning last 3"
	if s := strings.Join(got, ","); s != want {
		t.Errorf("got %s, want %s", s, want)
	}
}

func TestJudge(t *testing.T) {
	accepted := verify.Finding{Severity: verify.Warning, Accepted: "the paper draws it so"}
	excused := verify.Finding{Severity: verify.Error, Accepted: "the paper draws it so"}
	advice, warning, bad := verify.Finding{Severity: verify.Advice}, verify.Finding{Severity: verify.Warning}, verify.Finding{Severity: verify.Error}
	tests := []struct {
		findings []verify.Finding
		want     verify.Verdict
	}{
		{nil, verify.Pass_},
		{[]verify.Finding{advice, accepted}, verify.Pass_},
		{[]verify.Finding{warning, advice, accepted}, verify.Advisory},
		{[]verify.Finding{warning, bad}, verify.Fail},
		{[]verify.Finding{excused}, verify.Fail},
	}
	for _, tt := range tests {
		if got := verify.Judge(tt.findings); got != tt.want {
			t.Errorf("Judge(%v) is %s, want %s", tt.findings, got, tt.want)
		}
	}
}

// broken is a chain of n layers, each wrong in its own way, on one line.
func broken(n int) string {
	var b strings.Builder
	b.WriteString(`{"components":[{"id":"l0","type":"input","params":{"shape":[1,7,64]}}`)
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, `,{"id":"l%d","type":"linear","params":{"inFeatures":%d,"outFeatures":64,"p%d":1},"inputs":["l%d"]}`, i, 64+i, i, i-1)
	}
	b.WriteString(`]}`)
	return b.String()
}

// TestTime bounds what ten thousand components with two findings each cost: a
// search through all of them for each would take minutes.
func TestTime(t *testing.T) {
	m := analyse(t, "model.json", broken(10_000))
	start := time.Now()
	found := verify.Run(m, verify.All, verify.Options{})
	if took := time.Since(start); took > quadratic {
		t.Errorf("took %v", took)
	}
	if len(found) != 20_001 { // and that there is no output
		t.Errorf("%d findings, want 20001", len(found))
	}
	last := found[len(found)-1]
	if want := strings.Index(broken(10_000), `"p10000":1`) + 1; last.Position.Column != want {
		t.Errorf("the last finding is at %v, want column %d", last.Position, want)
	}
}

// quadratic is less than what a search that grows with the square of these
// graphs takes, and far more than a machine under load needs for the others.
const quadratic = 30 * time.Second

// TestTimeSound bounds what ten thousand components without an error cost, in
// graphs on which a search back along the edges, or through what was found
// before, would take minutes.
func TestTimeSound(t *testing.T) {
	const n = 10_000
	graphs := map[string]func(i int) string{
		"odd widths": func(i int) string {
			return fmt.Sprintf(`{"id":"l%d","type":"linear","params":{"outFeatures":%d},"inputs":["l%d"]}`, i, 64+2*i+1, i-1)
		},
		"sums of the input": func(i int) string {
			if i%2 == 0 {
				return fmt.Sprintf(`{"id":"l%d","type":"add","inputs":["l%d","l0"]}`, i, i-1)
			}
			return fmt.Sprintf(`{"id":"l%d","type":"linear","params":{"outFeatures":64},"inputs":["l%d"]}`, i, i-1)
		},
		"activations": func(i int) string {
			return fmt.Sprintf(`{"id":"l%d","type":"gelu","inputs":["l%d"]}`, i, i-1)
		},
		"sums of a long branch": func(i int) string {
			if i > n/2 {
				return fmt.Sprintf(`{"id":"l%d","type":"add","inputs":["l%d","l%d"]}`, i, i-1, n/2)
			}
			return fmt.Sprintf(`{"id":"l%d","type":"layerNorm","inputs":["l%d"]}`, i, i-1)
		},
	}
	for name, component := range graphs {
		t.Run(name, func(t *testing.T) {
			var b strings.Builder
			b.WriteString(`{"components":[{"id":"l0","type":"input","params":{"shape":[1,7,64]}}`)
			for i := 1; i < n; i++ {
				b.WriteString("," + component(i))
			}
			fmt.Fprintf(&b, `,{"id":"out","type":"output","inputs":["l%d"]}]}`, n-1)
			m := analyse(t, "model.json", b.String())
			start := time.Now()
			found := verify.Run(m, verify.All, verify.Options{})
			if took := time.Since(start); took > quadratic {
				t.Errorf("took %v", took)
			}
			for _, f := range found {
				if f.Severity == verify.Error {
					t.Errorf("%s: %s", f.Rule, f.Message)
				}
			}
		})
	}
}

// TestTimeInstances bounds what long numbered layers cost of which one is odd.
func TestTimeInstances(t *testing.T) {
	const long = 2000
	var b strings.Builder
	b.WriteString(`{"components":[{"id":"x","type":"input","params":{"shape":[1,7,64]}}`)
	at := "x"
	for k := range 6 {
		for i := range long {
			if k == 3 && i == long/2 {
				fmt.Fprintf(&b, `,{"id":"l.%d.extra","type":"tanh","inputs":[%q]}`, k, at)
				at = fmt.Sprintf("l.%d.extra", k)
			}
			typ := [2]string{"layerNorm", "softplus"}[i%2]
			fmt.Fprintf(&b, `,{"id":"l.%d.n%d","type":%q,"inputs":[%q]}`, k, i, typ, at)
			at = fmt.Sprintf("l.%d.n%d", k, i)
		}
	}
	fmt.Fprintf(&b, `,{"id":"out","type":"output","inputs":[%q]}]}`, at)
	m := analyse(t, "model.json", b.String())
	start := time.Now()
	found := verify.Run(m, verify.All, verify.Options{})
	if took := time.Since(start); took > quadratic {
		t.Errorf("took %v", took)
	}
	if !slices.ContainsFunc(found, func(f verify.Finding) bool {
		return f.Rule == "odd-instance" && f.Components[0] == "l.3.extra"
	}) {
		t.Errorf("the odd layer is not among %d findings", len(found))
	}
}

func BenchmarkRun(b *testing.B) {
	clean := `{"components":[{"id":"x","type":"input","params":{"shape":[1,128]}},{"id":"embed","type":"embedding","params":{"numEmbeddings":1000,"embeddingDim":64},"inputs":["x"]}`
	at := "embed"
	for i := range 36 {
		clean += fmt.Sprintf(`,{"id":"n%[1]d","type":"rmsNorm","inputs":["%[2]s"]},{"id":"a%[1]d","type":"mla","params":{"numHeads":4,"kvLatentDim":16,"ropeHeadDim":8},"inputs":["n%[1]d"]},{"id":"s%[1]d","type":"add","inputs":["a%[1]d","%[2]s"]},{"id":"m%[1]d","type":"rmsNorm","inputs":["s%[1]d"]},{"id":"f%[1]d","type":"swiglu","params":{"intermediateSize":256},"inputs":["m%[1]d"]},{"id":"r%[1]d","type":"add","inputs":["f%[1]d","s%[1]d"]}`, i, at)
		at = fmt.Sprintf("r%d", i)
	}
	clean += `,{"id":"norm","type":"rmsNorm","inputs":["` + at + `"]},{"id":"head","type":"linear","params":{"outFeatures":1000},"inputs":["norm"]},{"id":"out","type":"output","inputs":["head"]}]}`
	for _, bench := range []struct{ name, src string }{{"clean", clean}, {"broken", broken(220)}} {
		m := analyse(b, "model.json", bench.src)
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				verify.Run(m, verify.All, verify.Options{})
			}
		})
	}
}
