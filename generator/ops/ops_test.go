package ops_test

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/strata-catalog/strata/generator/facts"
	"github.com/strata-catalog/strata/generator/layer"
	"github.com/strata-catalog/strata/generator/ops"
	"github.com/strata-catalog/strata/generator/pipeline"
	"github.com/strata-catalog/strata/generator/verify"
)

// shelf is a catalog of some templates.
type shelf []*ops.Model

func (s shelf) Model(id string) *ops.Model {
	for _, m := range s {
		if m.ID == id {
			return m
		}
	}
	return nil
}

func (s shelf) Models() iter.Seq[*ops.Model] { return slices.Values(s) }

func template(t testing.TB, id string) string {
	t.Helper()
	src, err := os.ReadFile(filepath.Join("../../templates", id, "model.json"))
	if err != nil {
		t.Fatal(err)
	}
	return string(src)
}

func env(t testing.TB) *ops.Env {
	t.Helper()
	var s shelf
	for _, id := range []string{"gpt2", "mixtral-8x7b", "qwen3-8b", "resnet-50"} {
		r, err := pipeline.Run(id, []byte(template(t, id)))
		if err != nil {
			t.Fatal(err)
		}
		m := ops.Posted(id, r)
		m.Listed = true
		s = append(s, m)
	}
	return &ops.Env{Catalog: s}
}

func run(t testing.TB, e *ops.Env, op, params string) (string, error) {
	t.Helper()
	o, ok := ops.Lookup(op)
	if !ok {
		t.Fatalf("there is no operation %s", op)
	}
	v, err := o.Run(context.Background(), e, []byte(params))
	if err != nil {
		return "", err
	}
	src, err := facts.JSON(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(src), nil
}

const tiny = `{"id": "tiny", "name": "Tiny", "components": [
  {"id": "x", "type": "input", "params": {"shape": [1, 8, 16]}},
  {"id": "layers", "block": "mlp", "repeat": 3, "inputs": ["x"]},
  {"id": "head", "type": "linear", "params": {"outFeatures": 4}, "inputs": ["layers"]},
  {"id": "out", "type": "output", "inputs": ["head"]}
], "blocks": {"mlp": {"inputs": ["x"], "components": [
  {"id": "fc", "type": "linear", "params": {"outFeatures": 16}, "inputs": ["x"]},
  {"id": "act", "type": "gelu", "inputs": ["fc"]}
], "output": "act"}}}`

const config = `{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "intermediate_size": 128,
  "num_attention_heads": 4, "num_key_value_heads": 2, "num_hidden_layers": 2, "vocab_size": 100, "hidden_act": "silu",
  "rms_norm_eps": 1e-6, "max_position_embeddings": 128, "mystery": true, "tie_word_embeddings": false}`

// calls is a call of each operation that is answered.
var calls = map[string]string{
	"templates": `{"query": "experts", "full": true}`,
	"show":      `{"template": "qwen3-8b"}`,
	"check":     `{"model": ` + tiny + `, "tensors": true}`,
	"plan":      `{"model": ` + tiny + `, "policy": {"max_params": "100", "must_fit": "H100 80GB", "assumptions": {"cache-dtype": "int8"}}, "base": {"template": "gpt2"}, "assumptions": {"batch": "4"}, "gpus": ["h100"], "dtypes": ["bf16"]}`,
	"diff":      `{"a": {"template": "gpt2"}, "b": ` + tiny + `}`,
	"export":    tiny,
	"explain":   `{"name": "unknown-edge"}`,
	"import":    `{"config": ` + config + `, "id": "mine"}`,
}

// TestDeclarations: every operation has its words, as has every member of its
// parameters and of its answer, and what it answers is as its schema says.
func TestDeclarations(t *testing.T) {
	e := env(t)
	for _, o := range ops.All {
		for what, text := range map[string]string{"summary": o.Summary, "doc": o.Doc, "answer": o.Answer} {
			if !strings.HasSuffix(text, ".") {
				t.Errorf("%s: its %s is %q, want a sentence", o.Name, what, text)
			}
		}
		if len(o.ParamNames()) == 0 {
			t.Errorf("%s has no parameters", o.Name)
		}
		params, result := o.Parameters(), o.Result()
		described(t, o.Name+" parameters", params)
		described(t, o.Name+" answer", result)
		got, err := run(t, e, o.Name, calls[o.Name])
		if err != nil {
			t.Errorf("%s: %v", o.Name, err)
			continue
		}
		valid(t, o.Name+" answer", result, got)
		if !strings.HasPrefix(calls[o.Name], `{"id"`) {
			valid(t, o.Name+" parameters", params, calls[o.Name])
		}
	}
}

// described asks for words of every property of a schema.
func described(t *testing.T, where string, s *facts.Schema) {
	for _, p := range s.Properties {
		if p.Description == "" {
			t.Errorf("%s: %s has no doc tag", where, p.Name)
		}
	}
	for name, def := range s.Defs {
		described(t, where+", "+name, def)
	}
}

func valid(t *testing.T, what string, s *facts.Schema, text string) {
	t.Helper()
	src, err := facts.JSON(s)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(src)))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("s.json", doc); err != nil {
		t.Fatal(err)
	}
	compiled, err := c.Compile("s.json")
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := compiled.Validate(value); err != nil {
		t.Errorf("%s is not as its schema says: %v", what, err)
	}
}

// A bare graph, one under model, a template and a configuration are asked about
// in the same way, and one graph has one answer.
func TestSubjects(t *testing.T) {
	e := env(t)
	for op, params := range map[string][2]string{
		"check":  {tiny, `{"model": ` + tiny + `}`},
		"plan":   {tiny, `{"model": ` + tiny + `}`},
		"show":   {template(t, "gpt2"), `{"template": "gpt2"}`},
		"export": {template(t, "gpt2"), `{"template": "gpt2"}`},
		"diff":   {`{"a": ` + tiny + `, "b": ` + template(t, "gpt2") + `}`, `{"b": {"model": ` + template(t, "gpt2") + `}, "a": {"model": ` + tiny + `}}`},
	} {
		a, err := run(t, e, op, params[0])
		b, err2 := run(t, e, op, params[1])
		if err := errors.Join(err, err2); err != nil {
			t.Errorf("%s: %v", op, err)
		}
		if diff := cmp.Diff(a, b); diff != "" {
			t.Errorf("%s answers in two ways:\n%s", op, diff)
		}
	}
	// A graph may have members of any name beside its own.
	late := strings.Replace(tiny, `{"id": "tiny"`, `{"config": {"of": "mine"}, "id": "tiny"`, 1)
	got, err := run(t, e, "check", late)
	if err != nil || !strings.Contains(got, `"id": "tiny"`) {
		t.Errorf("a graph with a member config: %v, %s", err, got)
	}
	got, err = run(t, e, "check", `{"config": `+config+`}`)
	if err != nil || !strings.Contains(got, `"verdict": "pass"`) || !strings.Contains(got, `"warnings": [`) {
		t.Errorf("a configuration: %v, %s", err, got)
	}
	// What import makes is what check of the configuration was about.
	made, err := run(t, e, "import", `{"config": `+config+`}`)
	if err != nil {
		t.Fatal(err)
	}
	var in struct{ Model, Check json.RawMessage }
	if err := json.Unmarshal([]byte(made), &in); err != nil {
		t.Fatal(err)
	}
	again, err := run(t, e, "check", string(in.Model))
	if err != nil || !strings.Contains(again, `"verdict": "pass"`) {
		t.Errorf("what import made: %v, %s", err, again)
	}
}

// TestMistakes is what is said of wrong parameters, and of what sort they are.
func TestMistakes(t *testing.T) {
	e := env(t)
	broken := strings.Replace(tiny, `"inputs": ["layers"]}`, `"inputs": ["lairs"]}`, 1)
	for name, c := range map[string]struct {
		op, params string
		kind       ops.Kind
		want       string
	}{
		"nothing":                {"check", ``, ops.Invalid, "model: which model? Give a graph as model, a Hugging Face configuration as config, or the id of a template as template"},
		"an empty object":        {"check", `{}`, ops.Invalid, "which model?"},
		"two models":             {"check", `{"template": "gpt2", "model": ` + tiny + `}`, ops.Invalid, "found several of model, config and template"},
		"a slip":                 {"check", `{"modle": {}}`, ops.Invalid, `parameters:1:2: there is no parameter "modle"; nearest is "model"; there are model, config, template, policy, tensors`},
		"not JSON":               {"check", `{"template": gpt2}`, ops.Invalid, "parameters:1:14: not JSON: invalid character"},
		"cut off":                {"check", `{"template": "gp`, ops.Invalid, "not JSON: unexpected EOF"},
		"a graph cut off":        {"check", tiny[:100], ops.Invalid, "model:2:54: components[0].params.shape: not JSON: unexpected end"},
		"a number for an id":     {"check", `{"template": 7}`, ops.Invalid, "template: found a number, expected a string"},
		"a list":                 {"check", `[1]`, ops.Unfit, "model:1:1: found a list, expected a graph document"},
		"a graph that is none":   {"check", `{"model": {"components": 7}}`, ops.Unfit, "components: found a number, expected a list"},
		"no such template":       {"show", `{"template": "qwen3-8"}`, ops.Unknown, `there is no template "qwen3-8"; nearest is "qwen3-8b"`},
		"no such layer":          {"show", `{"template": "gpt2", "layer": "transformer.h.0.atn"}`, ops.Unknown, `there is no layer "transformer.h.0.atn"; nearest is "transformer.h.0.attn"`},
		"no such block":          {"show", `{"model": ` + tiny + `, "block": "mpl"}`, ops.Unknown, `there is no block and no module path "mpl"; nearest is "mlp"`},
		"a layer and a block":    {"show", `{"template": "gpt2", "layer": "a", "block": "b"}`, ops.Invalid, "found several of full, layer and block"},
		"no such rule":           {"explain", `{"name": "unknown-egde"}`, ops.Unknown, `"unknown-egde" is neither a rule nor a layer type; nearest is "unknown-edge"`},
		"no such type":           {"explain", `{"name": "rmsNrm"}`, ops.Unknown, `nearest is "rmsNorm"`},
		"nothing to explain":     {"explain", `{}`, ops.Invalid, "what is to be explained?"},
		"a structural fault":     {"plan", broken, ops.Unfit, `a structural fault leaves nothing to tell; mend it first`},
		"an assumption":          {"plan", `{"template": "gpt2", "assumptions": {"batch": 0}}`, ops.Invalid, "assumptions.batch: assumption batch is 0, expected at least 1"},
		"no such assumption":     {"plan", `{"template": "gpt2", "assumptions": {"btch": 1}}`, ops.Invalid, `assumptions: there is no assumption "btch"; nearest is "batch"`},
		"a fraction":             {"plan", `{"template": "gpt2", "assumptions": {"batch": 1.5}}`, ops.Invalid, `assumptions.batch: "1.5" is no whole number of at most 2^53`},
		"assumptions in a list":  {"plan", `{"template": "gpt2", "assumptions": [1]}`, ops.Invalid, `expected an object of them, such as {"batch": 8}`},
		"no such line":           {"check", `{"template": "gpt2", "policy": {"max_parms": 1}}`, ops.Invalid, `policy:1:2: there is no parameter "max_parms"; nearest is "max_params"`},
		"no line of a policy":    {"check", `{"template": "gpt2", "policy": {}}`, ops.Invalid, `policy: found no line, expected at least one of max_params`},
		"a limit in words":       {"check", `{"template": "gpt2", "policy": {"max_params": "many"}}`, ops.Invalid, `max_params: expected a whole number, or one as a string of digits`},
		"no such card":           {"plan", `{"template": "gpt2", "gpus": ["quantum"]}`, ops.Invalid, `gpus: found "quantum", expected T4 16GB, `},
		"one side of two":        {"diff", `{"a": {"template": "gpt2"}}`, ops.Invalid, "b: which model?"},
		"a side with a slip":     {"diff", `{"a": {"tmplate": "gpt2"}, "b": {}}`, ops.Invalid, `a:1:2: there is no parameter "tmplate"; nearest is "template"`},
		"a layer beyond PyTorch": {"export", strings.Replace(tiny, `"gelu"`, `"quantum"`, 1), ops.Unfit, "the model cannot be exported: layers.0.act (quantum): "},
		"no configuration":       {"import", `{"id": "x"}`, ops.Invalid, "config: which configuration?"},
		"an unknown model type":  {"import", `{"config": {"model_type": "llamma"}}`, ops.Unfit, `"llama"`},
		"a limit below nothing":  {"templates", `{"limit": -1}`, ops.Invalid, "expected 0 or more"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := run(t, e, c.op, c.params)
			var own *ops.Error
			if !errors.As(err, &own) {
				t.Fatalf("answers %.200s, %v", got, err)
			}
			if own.Kind != c.kind || !strings.Contains(own.Error(), c.want) {
				t.Errorf("kind %d: %v\nwant kind %d: %s", own.Kind, err, c.kind, c.want)
			}
		})
	}
}

// A policy makes a verdict, and says which line is broken.
func TestPolicy(t *testing.T) {
	for _, op := range []string{"check", "plan"} {
		got, err := run(t, env(t), op, `{"template": "gpt2", "policy": {"max_params": 100000000, "must_fit": "H100 80GB"}}`)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{`"verdict": "fail"`, `"rule": "max_params"`, `"line": "max_params", "status": "broken", "found": 124439808`, `"line": "must_fit", "status": "kept"`} {
			if !strings.Contains(got, want) {
				t.Errorf("%s does not answer %s, but %s", op, want, got)
			}
		}
	}
	broken := strings.Replace(tiny, `"inputs": ["layers"]}`, `"inputs": ["lairs"]}`, 1)
	got, err := run(t, &ops.Env{}, "check", `{"model": `+broken+`, "policy": {"max_params": 1}}`)
	if err != nil || !strings.Contains(got, `"status": "unknown"`) {
		t.Errorf("a graph with structural faults: %v, %s", err, got)
	}
}

// A graph that grows too large is refused, and work ends when its time does.
func TestBounds(t *testing.T) {
	big := strings.Replace(tiny, `"repeat": 3`, `"repeat": 30000`, 1)
	_, err := ops.Check(context.Background(), &ops.Env{Components: 50_000}, ops.CheckParams{Subject: ops.Subject{Model: []byte(big)}})
	if err == nil || !strings.Contains(err.Error(), "expands to more than 50000 components") {
		t.Errorf("60,000 components: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, o := range ops.All {
		if o.Name == "templates" || o.Name == "explain" {
			continue // they analyse nothing
		}
		params := strings.ReplaceAll(strings.ReplaceAll(calls[o.Name], `"gpt2"`, `"resnet-50"`), `{"template": "qwen3-8b"}`, tiny)
		if v, err := o.Run(ctx, env(t), []byte(params)); !errors.Is(err, context.Canceled) {
			t.Errorf("%s, out of time, answers %v, %v", o.Name, v, err)
		}
	}
}

// Without a catalog everything else can be asked all the same.
func TestNoCatalog(t *testing.T) {
	var e ops.Env
	if _, err := run(t, &e, "show", `{"template": "gpt2"}`); err == nil || !strings.Contains(err.Error(), "there is no catalog here; give a graph") {
		t.Errorf("show says %v", err)
	}
	if got, err := run(t, &e, "templates", ``); err != nil || !strings.Contains(got, `"count": 0`) {
		t.Errorf("templates: %v, %s", err, got)
	}
	if got, err := run(t, &e, "check", tiny); err != nil || !strings.Contains(got, `"verdict": "pass"`) {
		t.Errorf("check: %v, %s", err, got)
	}
}

// An overview, a layer and a block say what the whole says.
func TestShow(t *testing.T) {
	ctx, e := context.Background(), env(t)
	show := func(in ops.ShowParams) any {
		t.Helper()
		s, err := ops.Show(ctx, e, in)
		if err != nil {
			t.Fatal(err)
		}
		return s.Value
	}
	of := ops.Subject{Template: "qwen3-8b"}
	whole := show(ops.ShowParams{Subject: of, Full: true}).(*facts.Model)
	o := show(ops.ShowParams{Subject: of}).(*ops.Overview)
	sum, layers := int64(0), 0
	for _, l := range o.Outline {
		sum, layers = sum+l.Parameters, layers+l.Repeat
	}
	if sum != whole.Parameters || layers != whole.Components || len(o.Blocks) == 0 {
		t.Errorf("the outline has %d parameters in %d layers, want %d in %d; blocks %v", sum, layers, whole.Parameters, whole.Components, o.Blocks)
	}
	for _, row := range whole.Rows[:16] {
		l := show(ops.ShowParams{Subject: of, Layer: row.ID}).(*ops.Layer)
		if diff := cmp.Diff(row.Inputs, l.Inputs); diff != "" || l.Parameters != row.Parameters {
			t.Errorf("%s has %d parameters, want %d; inputs %s", row.ID, l.Parameters, row.Parameters, diff)
		}
		var own int64
		for _, x := range l.Tensors {
			own += *x.Parameters
		}
		if own != row.Parameters {
			t.Errorf("the tensors of %s have %d parameters, want %d", row.ID, own, row.Parameters)
		}
		for _, reader := range l.Readers {
			i := slices.IndexFunc(whole.Rows, func(r facts.Row) bool { return r.ID == reader })
			if !slices.Contains(whole.Rows[i].Inputs, row.ID) {
				t.Errorf("%s is said to read %s", reader, row.ID)
			}
		}
	}
	b := show(ops.ShowParams{Subject: of, Block: o.Blocks[0]}).(*ops.Block)
	if b.Repeat != 36 || b.Parameters*36 != b.ParametersAll || len(b.Rows) < 5 {
		t.Errorf("block %s: %d × %d parameters, %d in all, %d rows", b.Block, b.Repeat, b.Parameters, b.ParametersAll, len(b.Rows))
	}
	part := show(ops.ShowParams{Subject: of, Block: b.ID}).(*ops.Block)
	if part.Block != "" || part.Repeat != 1 || part.ParametersAll != b.Parameters || !reflect.DeepEqual(part.Rows, b.Rows) {
		t.Errorf("%s is not the first instance of %s", b.ID, b.Block)
	}
}

// Templates are found by words of their names, their layers and their traits.
func TestTemplates(t *testing.T) {
	for query, want := range map[string]string{
		"":                       "gpt2 mixtral-8x7b qwen3-8b resnet-50",
		"Qwen3":                  "qwen3-8b",
		"mixture of experts":     "mixtral-8x7b",
		"grouped-query rmsnorm":  "mixtral-8x7b qwen3-8b",
		"conv2d":                 "resnet-50",
		"quantum":                "",
		"multi-head  attention ": "gpt2",
	} {
		var ids []string
		f, err := ops.Templates(context.Background(), env(t), ops.TemplatesParams{Query: query})
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range f.Templates {
			ids = append(ids, x.Value.(*ops.Brief).ID)
		}
		if got := strings.Join(ids, " "); got != want || f.Count != len(ids) {
			t.Errorf("%q finds %s, want %s", query, got, want)
		}
	}
	f, err := ops.Templates(context.Background(), env(t), ops.TemplatesParams{Limit: 2, Offset: 3})
	if err != nil || f.Count != 4 || len(f.Templates) != 1 {
		t.Errorf("the rest is %v, %v", f, err)
	}
}

// One name means one thing to explain.
func TestExplainNames(t *testing.T) {
	for _, r := range verify.All {
		if _, ok := layer.Lookup(r.ID); ok {
			t.Errorf("%s is a rule and a layer type", r.ID)
		}
	}
}
