package pipeline_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/strata-catalog/strata/generator/graph"
	"github.com/strata-catalog/strata/generator/layer"
	"github.com/strata-catalog/strata/generator/pipeline"

	"pgregory.net/rapid"
)

// drawGraph draws a flat document of any types of the vocabulary, with the
// parameters of their examples or none, and any earlier components as inputs.
func drawGraph(t *rapid.T) *graph.Document {
	doc := &graph.Document{ID: "drawn", Name: "Drawn"}
	n := rapid.IntRange(1, 24).Draw(t, "components")
	for i := range n {
		c := graph.Component{ID: fmt.Sprintf("n%d", i), Name: fmt.Sprintf("n%d", i), HasInputs: true}
		typ := rapid.SampledFrom(layer.All).Draw(t, "type")
		c.Type = typ.Name
		if i == 0 || rapid.IntRange(0, 9).Draw(t, "input") == 0 {
			shape := rapid.SliceOfN(rapid.IntRange(1, 64), 1, 4).Draw(t, "shape")
			c.Type, c.Params = "input", []graph.Param{{Name: "shape", Value: strings.ReplaceAll(fmt.Sprint(shape), " ", ",")}}
		} else {
			example := rapid.SampledFrom(typ.Doc.Examples).Draw(t, "example")
			c.Params = params(example.Params)
			for range rapid.IntRange(0, 3).Draw(t, "operands") {
				c.Inputs = append(c.Inputs, graph.Ref{ID: fmt.Sprintf("n%d", rapid.IntRange(0, i-1).Draw(t, "from"))})
			}
		}
		doc.Components = append(doc.Components, c)
	}
	return doc
}

// params reads a JSON object as parameters.
func params(object string) []graph.Param {
	doc, err := graph.Decode("example", []byte(`{"components":[{"id":"a","type":"a","params":`+object+`}]}`))
	if err != nil {
		panic(err)
	}
	return doc.Components[0].Params
}

// invariants hold for every document that can be read.
func invariants(t interface{ Fatalf(string, ...any) }, r *pipeline.Report) {
	if r.Broken() {
		if len(r.Findings) == 0 {
			t.Fatalf("broken, but nothing says why")
		}
		return
	}
	m := r.Model
	var rows, ledger int64
	for i := range m.Nodes {
		rows += m.Nodes[i].Params
	}
	for e := range m.Ledger() {
		ledger += e.Counts()
	}
	if rows != m.Params || m.Counted && ledger != m.Params {
		t.Fatalf("rows add up to %d and the ledger to %d, but the total is %d", rows, ledger, m.Params)
	}
	if m.Active > m.Params || m.Active < 0 || m.CausalMACs.Cmp(m.MACs) > 0 {
		t.Fatalf("active %d of %d parameters, causal MACs %v of %v", m.Active, m.Params, m.CausalMACs, m.MACs)
	}
	if !m.ForwardPasses() && len(r.Findings) == 0 {
		t.Fatalf("a shape is unknown, but no finding says why")
	}
	covered := 0
	for _, run := range m.Runs {
		if run.Start < covered || run.Count < 2 || run.End() > len(m.Order) {
			t.Fatalf("run %+v of %d layers, after position %d", run, len(m.Order), covered)
		}
		covered = run.End()
	}
}

// facts is what must not depend on how a document is written.
func facts(r *pipeline.Report) map[string]string {
	f := map[string]string{}
	m := r.Model
	if r.Broken() {
		return f
	}
	f["total"] = fmt.Sprint(m.Params, m.Active, m.Buffers, m.Counted, m.MACs, m.CausalMACs, m.Worked, r.Verdict)
	for i := range m.Nodes {
		n := &m.Nodes[i]
		f[n.ID] = fmt.Sprint(n.TypeName(), n.Out(), n.Params, n.Active)
	}
	return f
}

func analyse(t interface{ Fatalf(string, ...any) }, src []byte) *pipeline.Report {
	r, err := pipeline.Run("drawn.json", src)
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	return r
}

// TestProperties checks drawn graphs: the invariants, the same answer twice,
// and the same answer for the flat form.
func TestProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := graph.Encode(drawGraph(t))
		r := analyse(t, src)
		invariants(t, r)
		if again := analyse(t, src); !reflect.DeepEqual(again.Findings, r.Findings) {
			t.Fatalf("a second run finds other things: %v, then %v", r.Findings, again.Findings)
		}
		flat := analyse(t, graph.Encode(r.Model.Graph.Flat()))
		if got, want := facts(flat), facts(r); !reflect.DeepEqual(got, want) {
			t.Fatalf("the flat form differs: %v, want %v", got, want)
		}
	})
}

// TestPermutation writes the components in another order. Where the order of
// the layers stays as it was, everything stays as it was; in any case the
// facts do, but for whose weight a tied one is.
func TestPermutation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc := drawGraph(t)
		r := analyse(t, graph.Encode(doc))
		seed := rapid.Uint64().Draw(t, "permutation")
		rng := rand.New(rand.NewPCG(seed, 0))
		rng.Shuffle(len(doc.Components), func(i, j int) {
			doc.Components[i], doc.Components[j] = doc.Components[j], doc.Components[i]
		})
		s := analyse(t, graph.Encode(doc))
		if got, want := facts(s), facts(r); !reflect.DeepEqual(got, want) {
			t.Fatalf("permuted: %v, want %v", got, want)
		}
		if !reflect.DeepEqual(ids(r), ids(s)) {
			return
		}
		if !reflect.DeepEqual(r.Model.Runs, s.Model.Runs) {
			t.Fatalf("same order, other runs: %v and %v", r.Model.Runs, s.Model.Runs)
		}
		if len(r.Findings) != len(s.Findings) {
			t.Fatalf("same order, %d and %d findings", len(r.Findings), len(s.Findings))
		}
		for i := range r.Findings {
			if a, b := r.Findings[i], s.Findings[i]; a.Rule != b.Rule || a.Message != b.Message || !reflect.DeepEqual(a.Components, b.Components) {
				t.Fatalf("same order, but finding %d is %v and %v", i, a, b)
			}
		}
	})
}

func ids(r *pipeline.Report) (list []string) {
	for _, i := range r.Model.Order {
		list = append(list, r.Model.Nodes[i].ID)
	}
	return list
}

// TestPermutedBranches is the case that draws seldom hit: two sources that are
// declared in another order, while what consumes them keeps the layers' order.
func TestPermutedBranches(t *testing.T) {
	const a = `{"id":"out","type":"output","inputs":["fc"]}`
	const b = `{"id":"fc","type":"linear","params":{"outFeatures":4},"inputs":["x"]}`
	const c = `{"id":"x","type":"input","params":{"shape":[1,8]}}`
	first := analyse(t, []byte(`{"components":[`+a+","+b+","+c+`]}`))
	for _, order := range []string{a + "," + c + "," + b, b + "," + a + "," + c, c + "," + b + "," + a} {
		r := analyse(t, []byte(`{"components":[`+order+`]}`))
		if !reflect.DeepEqual(ids(r), ids(first)) || !reflect.DeepEqual(facts(r), facts(first)) {
			t.Errorf("%s: %v %v, want %v %v", order, ids(r), facts(r), ids(first), facts(first))
		}
	}
}

// FuzzAnalysis runs everything on anything.
func FuzzAnalysis(f *testing.F) {
	for _, pattern := range []string{"../../../shared/reference/graphs/*/model.json", "../../templates/*/model.json", "testdata/bad/*.json"} {
		files, _ := filepath.Glob(pattern)
		for _, file := range files {
			if src, err := os.ReadFile(file); err == nil && len(src) < 20_000 {
				f.Add(src)
			}
		}
	}
	for _, t := range layer.All {
		for _, e := range t.Doc.Examples {
			f.Add([]byte(exampleGraph(t, e)))
		}
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		r, err := pipeline.Run("fuzz.json", src)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "fuzz.json") {
				t.Fatalf("an error that names no file: %v", err)
			}
			return
		}
		invariants(t, r)
	})
}

// exampleGraph is a graph around one example of a type.
func exampleGraph(typ *layer.Type, e layer.Example) string {
	var b strings.Builder
	b.WriteString(`{"components":[`)
	var inputs []string
	for i, in := range e.In {
		fmt.Fprintf(&b, `{"id":"x%d","type":"input","params":{"shape":%s}},`, i, in.Brackets())
		inputs = append(inputs, fmt.Sprintf(`"x%d"`, i))
	}
	fmt.Fprintf(&b, `{"id":"layer","type":%q,"params":%s,"inputs":[%s]},{"id":"out","type":"output","inputs":["layer"]}]}`, typ.Name, e.Params, strings.Join(inputs, ","))
	return b.String()
}
