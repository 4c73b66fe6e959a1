package diff

import (
	"fmt"
	"math/big"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/strata-catalog/strata/generator/graph"
	"github.com/strata-catalog/strata/generator/infer"
	"github.com/strata-catalog/strata/generator/internal/testfiles"
)

// faults checks what holds of every diff, and says what does not.
func faults(d *Diff) []string {
	var bad []string
	report := func(format string, args ...any) { bad = append(bad, fmt.Sprintf(format, args...)) }
	ma, mb := d.A.Plan.Model, d.B.Plan.Model
	if got := d.Added + d.Removed + d.Changed + d.Same; got != len(d.Rows) {
		report("%d rows, but the counts add up to %d", len(d.Rows), got)
	}
	if d.Added-d.Removed != len(mb.Nodes)-len(ma.Nodes) {
		report("%d added, %d removed, but the graphs have %d and %d components", d.Added, d.Removed, len(ma.Nodes), len(mb.Nodes))
	}
	var a, b []int
	for _, r := range d.Rows {
		if r.A >= 0 {
			a = append(a, r.A)
		}
		if r.B >= 0 {
			b = append(b, r.B)
		}
		if r.A >= 0 && r.B >= 0 && ma.Nodes[r.A].TypeName() != mb.Nodes[r.B].TypeName() {
			report("a row matches %s with %s", ma.Nodes[r.A].ID, mb.Nodes[r.B].ID)
		}
	}
	if !slices.Equal(a, ma.Graph.FIFO()) || !slices.Equal(b, mb.Graph.FIFO()) {
		report("the rows do not list each graph in its order")
	}
	if unfolded := unfold(d, d.Folds); !reflect.DeepEqual(unfolded, rowNumbers(len(d.Rows))) {
		report("the folds unfold to rows %v of %d", unfolded, len(d.Rows))
	}
	bad = append(bad, unlike(d, d.Folds)...)
	return append(bad, unbalanced(d)...)
}

// unfold lists the rows that folds stand for.
func unfold(d *Diff, folds []Fold) []int {
	var rows []int
	for _, f := range folds {
		for k := range f.Count {
			for p := range f.Period {
				rows = append(rows, f.Start+k*f.Period+p)
			}
		}
	}
	return rows
}

func rowNumbers(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// unlike finds rows that are folded together and do not look the same, and
// children that do not cover the first instance.
func unlike(d *Diff, folds []Fold) (bad []string) {
	looks := func(r Row) string {
		s := fmt.Sprint(r.Status, r.Changed)
		for _, side := range []struct {
			*Side
			node int
		}{{&d.A, r.A}, {&d.B, r.B}} {
			if side.node >= 0 {
				c := side.Cell(side.node)
				s += fmt.Sprint(c.Type, c.Params, c.Output)
			}
		}
		return s
	}
	for _, f := range folds {
		for p := f.Start; p < f.End()-f.Period; p++ {
			if x, y := looks(d.Rows[p]), looks(d.Rows[p+f.Period]); x != y {
				bad = append(bad, fmt.Sprintf("rows %d and %d are folded, but are %s and %s", p+1, p+f.Period+1, x, y))
			}
		}
		if f.Children != nil {
			if got := unfold(d, f.Children); len(got) != f.Period || got[0] != f.Start || got[f.Period-1] != f.Start+f.Period-1 {
				bad = append(bad, fmt.Sprintf("the children of %+v cover rows %v", f, got))
			}
			bad = append(bad, unlike(d, f.Children)...)
		}
	}
	return bad
}

// unbalanced finds where the totals are not the differences of the models, and
// where lines do not add up to them.
func unbalanced(d *Diff) (bad []string) {
	pa, pb := d.A.Plan, d.B.Plan
	minus := func(b, a *big.Int) *big.Int { return new(big.Int).Sub(b, a) }
	want := Delta{
		Params: pb.Model.Params - pa.Model.Params, Active: pb.Model.Active - pa.Model.Active,
		MACs: minus(pb.Model.MACs, pa.Model.MACs), CacheBytes: new(big.Int),
		TrainingBytes: minus(pb.Training.TotalBytes, pa.Training.TotalBytes),
	}
	perUnit := new(big.Rat).SetFrac(pb.Model.MACs, big.NewInt(pb.Units.Declared))
	want.UnitMACs = perUnit.Sub(perUnit, new(big.Rat).SetFrac(pa.Model.MACs, big.NewInt(pa.Units.Declared)))
	if pb.Cache != nil {
		want.CacheBytes.Add(want.CacheBytes, pb.Cache.TokenBytes)
	}
	if pa.Cache != nil {
		want.CacheBytes.Sub(want.CacheBytes, pa.Cache.TokenBytes)
	}
	if d.Params != want.Params || d.Layers != pb.Model.Layers()-pa.Model.Layers() {
		bad = append(bad, fmt.Sprintf("%+d parameters, %+d layers", d.Params, d.Layers))
	}
	var rows, kinds []Delta
	for _, l := range d.Bill.Rows {
		rows = append(rows, l.Delta)
	}
	for _, l := range d.Bill.Kinds {
		kinds = append(kinds, l.Delta)
	}
	for what, got := range map[string]Delta{"the total": d.Bill.Total, "rows": total(rows), "kinds": total(kinds)} {
		if !equal(got, want) {
			bad = append(bad, fmt.Sprintf("%s: %v, want %v", what, got, want))
		}
		if want := bounds(d); [3]Bound{got.ParamsBound, got.WorkBound, got.TrainingBound} != want {
			bad = append(bad, fmt.Sprintf("%s: the bounds are %s, %s and %s, want %v", what, got.ParamsBound, got.WorkBound, got.TrainingBound, want))
		}
	}
	return bad
}

// bounds are those of the parameters, the work and the training memory.
func bounds(d *Diff) [3]Bound {
	if d.Identical {
		return [3]Bound{Exact, Exact, Exact}
	}
	a, b := d.A.Plan.Model, d.B.Plan.Model
	return [3]Bound{BoundOf(a.Counted, b.Counted), BoundOf(a.Worked, b.Worked), BoundOf(a.Counted && a.Worked, b.Counted && b.Worked)}
}

func total(lines []Delta) Delta {
	sum := Delta{MACs: new(big.Int), UnitMACs: new(big.Rat), CacheBytes: new(big.Int), TrainingBytes: new(big.Int), ParamsBound: Exact, WorkBound: Exact, TrainingBound: Exact}
	for _, l := range lines {
		sum = sum.Plus(l)
	}
	return sum
}

func equal(a, b Delta) bool {
	return a.Params == b.Params && a.Active == b.Active && a.MACs.Cmp(b.MACs) == 0 && a.UnitMACs.Cmp(b.UnitMACs) == 0 &&
		a.CacheBytes.Cmp(b.CacheBytes) == 0 && a.TrainingBytes.Cmp(b.TrainingBytes) == 0
}

// unmirrored finds where a diff and the one that reads the other way disagree.
// Which layers match may differ between the two, how many may not.
func unmirrored(d, back *Diff) (bad []string) {
	if d.Added != back.Removed || d.Removed != back.Added || d.Changed+d.Same != back.Changed+back.Same {
		bad = append(bad, fmt.Sprintf("%d added, %d removed, %d matched; backwards %d, %d, %d",
			d.Added, d.Removed, d.Changed+d.Same, back.Added, back.Removed, back.Changed+back.Same))
	}
	if d.Params != -back.Params || d.Layers != -back.Layers || d.Identical != back.Identical || d.Rewired != back.Rewired || len(d.Caveats) != len(back.Caveats) {
		bad = append(bad, fmt.Sprintf("%+d parameters, %+d layers; backwards %+d, %+d", d.Params, d.Layers, back.Params, back.Layers))
	}
	if d.ParamsBound != back.ParamsBound.Back() {
		bad = append(bad, fmt.Sprintf("the parameters are %s, backwards %s", d.ParamsBound, back.ParamsBound))
	}
	if !equal(total([]Delta{d.Bill.Total, back.Bill.Total}), total(nil)) {
		bad = append(bad, fmt.Sprintf("the bill is %v, backwards %v", d.Bill.Total, back.Bill.Total))
	}
	return bad
}

// selfish finds what differs between a model and itself.
func selfish(d *Diff) (bad []string) {
	if !d.Identical || d.Same != len(d.Rows) || len(d.Bill.Rows)+len(d.Bill.Kinds) != 0 || len(d.Caveats) != 2 {
		bad = append(bad, fmt.Sprintf("identical is %v, %d of %d rows are the same, the bill has %d lines", d.Identical, d.Same, len(d.Rows), len(d.Bill.Rows)))
	}
	for _, r := range d.Rows {
		if r.A != r.B {
			bad = append(bad, fmt.Sprintf("component %d matches %d", r.A, r.B))
		}
	}
	return bad
}

// Every ordered pair of the graphs that stand beside the checkout.
func TestAllPairs(t *testing.T) {
	var all []Subject
	for _, file := range testfiles.Shared(t, "zoo/*/model.json") {
		all = append(all, subject(t, testfiles.Read(t, file)))
	}
	pairs := 0
	for i, a := range all {
		for _, b := range all[i:] {
			d, back := Compare(a, b), Compare(b, a)
			bad := append(append(faults(d), faults(back)...), unmirrored(d, back)...)
			if a.ID == b.ID {
				bad = append(bad, selfish(d)...)
			}
			for _, msg := range bad {
				t.Errorf("%s against %s: %s", a.ID, b.ID, msg)
			}
			pairs += 2
		}
	}
	if pairs < 4900 {
		t.Errorf("%d comparisons, want those of 70 graphs", pairs)
	}
}

// drawComponents makes a graph of some inputs, layers of few types and widths,
// and residual edges, as a list of components.
func drawComponents(t *rapid.T, label string) []string {
	n := rapid.IntRange(1, 14).Draw(t, label+" layers")
	list := []string{`{"id": "in", "type": "input", "params": {"shape": [1, 6]}}`,
		`{"id": "embed", "type": "embedding", "params": {"numEmbeddings": 10, "embeddingDim": 8}, "inputs": ["in"]}`}
	ids := []string{"embed"}
	kinds := []string{
		`"type": "rmsNorm"`,
		`"type": "linear", "params": {"outFeatures": 8}`,
		`"type": "linear", "params": {"outFeatures": 8, "bias": false}`,
		`"type": "groupedQueryAttention", "params": {"numHeads": 2}`,
		`"type": "groupedQueryAttention", "params": {"numHeads": 2, "numKVHeads": 1}`,
		`"type": "moeLayer", "params": {"numExperts": 3, "expertDim": 4, "topK": 1}`,
		`"type": "relu"`,
		`"type": "nobodyKnows"`,
	}
	for i := range n {
		id := fmt.Sprintf("n%d", i)
		from := rapid.SampledFrom(ids).Draw(t, label+" operand")
		inputs := fmt.Sprintf(`"inputs": [%q]`, from)
		kind := rapid.IntRange(0, len(kinds)).Draw(t, label+" kind")
		if kind == len(kinds) {
			list = append(list, fmt.Sprintf(`{"id": %q, "type": "add", "inputs": [%q, %q]}`, id, from, ids[len(ids)-1]))
		} else {
			list = append(list, fmt.Sprintf(`{"id": %q, %s, %s}`, id, kinds[kind], inputs))
		}
		ids = append(ids, id)
	}
	return append(list, fmt.Sprintf(`{"id": "out", "type": "output", "inputs": [%q]}`, ids[len(ids)-1]))
}

func graphOf(id string, components []string) string {
	return fmt.Sprintf(`{"id": %q, "components": [%s]}`, id, strings.Join(components, ",\n"))
}

// drawGraph makes a flat graph, or one of repeated blocks.
func drawGraph(t *rapid.T, label string) Subject {
	if rapid.Bool().Draw(t, label+" flat") {
		return subject(t, graphOf(label, drawComponents(t, label)))
	}
	heads := rapid.SampledFrom([]int{2, 4}).Draw(t, label+" heads")
	ffn := rapid.SampledFrom([]string{
		`{"id": "ffn", "type": "swiglu", "params": {"intermediateSize": 16}, "inputs": ["add"]}`,
		`{"id": "norm", "type": "rmsNorm", "inputs": ["add"]}, {"id": "ffn", "type": "linear", "params": {"outFeatures": 32}, "inputs": ["norm"]}`,
	}).Draw(t, label+" ffn")
	return subject(t, decoder(label, rapid.IntRange(1, 6).Draw(t, label+" repeat"), heads, ffn))
}

func TestGenerated(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawGraph(t, "a"), drawGraph(t, "b")
		d, back := Compare(a, b), Compare(b, a)
		bad := append(append(faults(d), faults(back)...), unmirrored(d, back)...)
		for _, msg := range append(bad, selfish(Compare(a, a))...) {
			t.Error(msg)
		}
	})
}

// The rows do not depend on where a component stands in its document, as long
// as the order in which layers are aligned stays.
func TestPermuted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		components := drawComponents(t, "a")
		other := drawGraph(t, "b")
		a := subject(t, graphOf("a", components))
		before := order(a.Plan.Model)
		moved := 0
		for range 20 {
			i := rapid.IntRange(0, len(components)-1).Draw(t, "from")
			j := rapid.IntRange(0, len(components)-1).Draw(t, "to")
			components[i], components[j] = components[j], components[i]
			c := subject(t, graphOf("a", components))
			if !slices.Equal(order(c.Plan.Model), before) {
				components[i], components[j] = components[j], components[i]
				continue
			}
			if i != j {
				moved++
			}
			if got, want := shown(Compare(c, other)), shown(Compare(a, other)); got != want {
				t.Errorf("after %d moves the rows are\n%s\nwant\n%s", moved, got, want)
			}
		}
	})
}

func order(m *infer.Model) (ids []string) {
	for _, i := range m.Graph.FIFO() {
		ids = append(ids, m.Nodes[i].ID)
	}
	return ids
}

// shown is the rows by ids, with the counts, the folds and the bill.
func shown(d *Diff) string {
	var b strings.Builder
	for _, r := range d.Rows {
		fmt.Fprint(&b, r.Status, r.Changed)
		if r.A >= 0 {
			fmt.Fprint(&b, d.A.Cell(r.A))
		}
		if r.B >= 0 {
			fmt.Fprint(&b, d.B.Cell(r.B))
		}
		b.WriteByte('\n')
	}
	return b.String() + d.Headline + fmt.Sprintf("\n%+v\n%+v", d.Folds, d.Bill)
}

// The same of the graphs beside the checkout, with their components in the
// order of the rows.
func TestPermutedShared(t *testing.T) {
	files := testfiles.Shared(t, "zoo/*/model.json")
	other := subject(t, testfiles.Read(t, files[len(files)-1]))
	moved := 0
	for _, file := range files {
		a := subject(t, testfiles.Read(t, file))
		doc, err := graph.Decode(file, []byte(testfiles.Read(t, file)))
		if err != nil {
			t.Fatal(err)
		}
		place := map[string]int{}
		for at, i := range a.Plan.Model.Graph.FIFO() {
			place[a.Plan.Model.Nodes[i].Component.ID] = at
		}
		slices.SortStableFunc(doc.Components, func(x, y graph.Component) int { return place[x.ID] - place[y.ID] })
		b := subjectOf(t, doc)
		if slices.Equal(a.Plan.Model.Graph.FIFO(), b.Plan.Model.Graph.FIFO()) || !slices.Equal(order(a.Plan.Model), order(b.Plan.Model)) {
			continue
		}
		moved++
		if got, want := shown(Compare(b, other)), shown(Compare(a, other)); got != want {
			t.Errorf("%s: in the order of the rows it differs from %s by\n%s\nwant\n%s", a.ID, other.ID, got, want)
		}
		if d := Compare(a, b); !d.Identical {
			t.Errorf("%s: in the order of the rows it is another graph: %s", a.ID, d.Headline)
		}
	}
	if moved < 10 {
		t.Errorf("%d graphs changed their order, want more", moved)
	}
}

// large is a decoder of some 20,000 components.
func large(t failer, id, ffn string) Subject {
	return subject(t, decoder(id, 5000, 4, ffn))
}

const (
	wide  = `{"id": "norm", "type": "rmsNorm", "inputs": ["add"]}, {"id": "ffn", "type": "feedForward", "params": {"ffDim": 64}, "inputs": ["norm"]}`
	gated = `{"id": "norm", "type": "layerNorm", "inputs": ["add"]}, {"id": "ffn", "type": "swiglu", "params": {"intermediateSize": 64}, "inputs": ["norm"]}`
)

// Two graphs of 20,000 components do not take a table of their product.
func TestLargeMemory(t *testing.T) {
	a, b := large(t, "a", wide), large(t, "b", gated)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	d := Compare(a, b)
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 200e6 {
		t.Errorf("comparing allocates %d bytes, want less than 200 MB", n)
	}
	if d.Added != 10000 || d.Removed != 10000 || len(d.Folds) > 20 {
		t.Errorf("%d added, %d removed, %d folds; want 10000, 10000 and few", d.Added, d.Removed, len(d.Folds))
	}
}

func BenchmarkLarge(b *testing.B) {
	x, y := large(b, "a", wide), large(b, "b", gated)
	for b.Loop() {
		Compare(x, y)
	}
}

// The two largest graphs that stand beside the checkout.
func BenchmarkZoo(b *testing.B) {
	files := testfiles.Shared(b, "zoo/*/model.json")
	load := func(id string) Subject {
		i := slices.IndexFunc(files, func(f string) bool { return filepath.Base(filepath.Dir(f)) == id })
		return subject(b, testfiles.Read(b, files[i]))
	}
	x, y := load("deepseek-v3"), load("llama-4-scout")
	for b.Loop() {
		Compare(x, y)
	}
}
