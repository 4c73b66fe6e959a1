package policy_test

import (
	"encoding/json"
	"math"
	"math/big"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/strata-catalog/strata/generator/content"
	"github.com/strata-catalog/strata/generator/cost"
	"github.com/strata-catalog/strata/generator/pipeline"
	"github.com/strata-catalog/strata/generator/policy"
	"github.com/strata-catalog/strata/generator/verify"
)

const (
	// 144 parameters, and nothing that is not known.
	small = `{"id": "small", "components": [
  {"id": "x", "type": "input", "params": {"shape": [1, 8]}},
  {"id": "fc", "type": "linear", "params": {"outFeatures": 16}, "inputs": ["x"]},
  {"id": "drop", "type": "dropout", "inputs": ["fc"]},
  {"id": "out", "type": "output", "inputs": ["drop"]}]}`
	// 144 parameters, and a layer that nobody knows.
	strange = `{"id": "strange", "components": [
  {"id": "x", "type": "input", "params": {"shape": [1, 8]}},
  {"id": "fc", "type": "linear", "params": {"outFeatures": 16}, "inputs": ["x"]},
  {"id": "what", "type": "quuxLayer", "inputs": ["fc"]},
  {"id": "out", "type": "output", "inputs": ["what"]}]}`
	// No layer does work.
	idle = `{"id": "idle", "components": [
  {"id": "x", "type": "input", "params": {"shape": [1, 8]}},
  {"id": "drop", "type": "dropout", "inputs": ["x"]},
  {"id": "out", "type": "output", "inputs": ["drop"]}]}`
	// A structural fault.
	faulty = `{"id": "faulty", "components": [{"id": "x", "type": "input", "inputs": ["nobody"]}]}`
)

// graphs are the models of the table below, by name.
func graphs(t *testing.T) map[string]string {
	src, err := os.ReadFile("../../templates/qwen3-8b/model.json")
	if err != nil {
		t.Fatal(err)
	}
	return map[string]string{"small": small, "strange": strange, "idle": idle, "faulty": faulty, "qwen3-8b": string(src)}
}

// read decodes a policy as the command line does.
func read(t *testing.T, src string) *policy.Policy {
	t.Helper()
	p := &policy.Policy{}
	if _, err := content.Decode("policy.yaml", src, p); err != nil {
		t.Fatal(err)
	}
	if err := p.Check(); err != nil {
		t.Fatal(err)
	}
	return p
}

func report(t *testing.T, src string) (*pipeline.Report, *cost.Plan) {
	t.Helper()
	r, err := pipeline.Run("model.json", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	if r.Broken() {
		return r, nil
	}
	plan, err := cost.New(r.Model, cost.Default())
	if err != nil {
		t.Fatal(err)
	}
	return r, plan
}

// TestLines holds models to policies of one line. want is the status, what is
// over (in the unit), and the words.
func TestLines(t *testing.T) {
	told := map[string]bool{}
	all := graphs(t)
	for _, test := range []struct {
		model, line string
		status      policy.Status
		over        string
		message     string
	}{
		{"small", "max_params: 144", policy.Kept, "", "has 144 parameters, not more than the 144 that the policy allows"},
		{"small", "max_params: 143", policy.Broken, "1", "has 144 parameters, 1 more than the 143 that the policy allows"},
		{"qwen3-8b", "max_params: 8e9", policy.Broken, "190735360", "has 8,190,735,360 parameters, 190,735,360 more than the 8,000,000,000 that the policy allows"},
		{"strange", "max_params: 100", policy.Broken, "44", "has at least 144 parameters, 44 more than the 100 that the policy allows"},
		{"strange", "max_params: 8e9", policy.Unknown, "", "has at least 144 parameters; whether that is more than the 8,000,000,000 that the policy allows is not known"},
		{"faulty", "max_params: 8e9", policy.Unknown, "", "is not known, since structural faults leave nothing to tell"},
		{"small", "max_active_params: 100", policy.Broken, "44", "has 144 active parameters, 44 more than the 100 that the policy allows"},
		{"small", "max_active_params: 144", policy.Kept, "", "has 144 active parameters, not more than the 144 that the policy allows"},
		{"small", "max_layers: 2", policy.Kept, "", "has 2 layers, not more than the 2 that the policy allows"},
		{"small", "max_layers: 1", policy.Broken, "1", "has 2 layers, 1 more than the 1 that the policy allows"},
		{"strange", "max_layers: 2", policy.Kept, "", "has 2 layers, not more than the 2 that the policy allows"},
		{"small", "max_memory_gb: 1.000000288", policy.Kept, "", "needs 1.0 GB to serve in bf16, not more than the 1.0 GB that the policy allows"},
		{"small", "max_memory_gb: 1.000000287", policy.Broken, "1e-09", "needs 1.0 GB to serve in bf16, 1 B more than the 1.0 GB that the policy allows"},
		{"small", "max_memory_gb: 1.000000576\ndtype: fp32", policy.Kept, "", "needs 1.0 GB to serve in fp32, not more than the 1.0 GB that the policy allows"},
		{"small", "max_memory_gb: 1.000000576\npurpose: training", policy.Broken, "1.792e-06", "needs 1.0 GB to train, 1.8 kB more than the 1.0 GB that the policy allows"},
		{"strange", "max_memory_gb: 24", policy.Unknown, "", "needs at least 1.0 GB to serve in bf16; whether that is more than the 24.0 GB that the policy allows is not known"},
		{"qwen3-8b", "must_fit: H100 80GB", policy.Kept, "", "needs 23.4 GB to serve in bf16, not more than the 80.0 GB that one H100 80GB has"},
		{"qwen3-8b", "must_fit: T4 16GB", policy.Broken, "7.42126848", "needs 23.4 GB to serve in bf16, 7.4 GB more than the 16.0 GB that one T4 16GB has; 2 of them hold it"},
		{"qwen3-8b", "must_fit: T4 16GB\ndtype: int4", policy.Kept, "", "needs 11.3 GB to serve in int4, not more than the 16.0 GB that one T4 16GB has"},
		{"qwen3-8b", "must_fit: H100 80GB\npurpose: training", policy.Broken, "", ""},
		{"strange", "must_fit: H100 80GB", policy.Unknown, "", "needs at least 1.0 GB to serve in bf16; whether that is more than the 80.0 GB that one H100 80GB has is not known"},
		{"qwen3-8b", "max_cost_usd: 1e12", policy.Kept, "", ""},
		{"qwen3-8b", "max_cost_usd: 1000", policy.Broken, "", ""},
		{"idle", "max_cost_usd: 1000", policy.Unknown, "", "costs what is not known, since the work of its layers is not; the policy allows $1,000"},
		{"strange", "max_cost_usd: 1000", policy.Unknown, "", "costs at least $0.00 to train; whether that is more than the $1,000 that the policy allows is not known"},
		{"small", "forbid_types: [dropout, linear, relu]", policy.Broken, "", "has linear, dropout, which the policy forbids"},
		{"small", "forbid_types: [relu]", policy.Kept, "", "has no layer type that the policy forbids"},
		{"small", "require_types: [relu, linear, rmsNorm]", policy.Broken, "", "has no relu, rmsNorm, which the policy requires"},
		{"small", "require_types: [linear]", policy.Kept, "", "has every layer type that the policy requires"},
	} {
		key, _, _ := strings.Cut(test.line, ":")
		told[key+" "+string(test.status)] = true
		r, plan := report(t, all[test.model])
		before := len(r.Findings)
		held, results := read(t, test.line).Judge(r, plan)
		if len(results) != 1 {
			t.Fatalf("%s: %d results", test.line, len(results))
		}
		got := results[0]
		if got.Line != key || got.Status != test.status || test.message != "" && got.Message != test.message {
			t.Errorf("%s: %s: %s is %s: %q\nwant %s: %q", test.model, test.line, got.Line, got.Status, got.Message, test.status, test.message)
		}
		over, err := json.Marshal(got.Over)
		if err != nil || test.over != "" && string(over) != test.over || (got.Status != policy.Broken) && string(over) != "null" {
			t.Errorf("%s: %s: over %s, %v, want %s", test.model, test.line, over, err, test.over)
		}
		if len(r.Findings) != before {
			t.Errorf("%s: the report that was given has changed", test.line)
		}
		checkFindings(t, test.line, r, held, got)
	}
	for _, l := range policy.Lines {
		for _, s := range []policy.Status{policy.Kept, policy.Broken} {
			if !l.Setting() && !told[l.Key+" "+string(s)] {
				t.Errorf("no case where %s is %s", l.Key, s)
			}
		}
	}
}

// checkFindings: a line that is not kept is an error under its name, with a
// place, before everything that is milder, and decides the verdict.
func checkFindings(t *testing.T, line string, before, held *pipeline.Report, got policy.Result) {
	t.Helper()
	added := slices.DeleteFunc(slices.Clone(held.Findings), func(f verify.Finding) bool {
		return slices.ContainsFunc(before.Findings, func(g verify.Finding) bool { return reflect.DeepEqual(f, g) })
	})
	if got.Status == policy.Kept || before.Broken() {
		if len(added) > 0 || held.Verdict != before.Verdict || before.Broken() && held.Verdict != verify.Fail {
			t.Errorf("%s: %s, but it adds %v and the verdict is %s", line, got.Status, added, held.Verdict)
		}
		return
	}
	if len(added) != 1 || held.Verdict != verify.Fail {
		t.Fatalf("%s: not kept, but it adds %v and the verdict is %s", line, added, held.Verdict)
	}
	f := added[0]
	if f.Rule != got.Line || f.Severity != verify.Error || f.Message != got.Message || f.Position.Line == 0 || !strings.Contains(f.Fix, got.Line) {
		t.Errorf("%s: finding %+v", line, f)
	}
	if !slices.IsSortedFunc(held.Findings, func(a, b verify.Finding) int {
		milder := func(f verify.Finding) int {
			if f.Severity == verify.Error {
				return 0
			}
			return 1
		}
		return milder(a) - milder(b)
	}) {
		t.Errorf("%s: an error stands behind what is milder: %v", line, held.Findings)
	}
}

// TestForbidden: what is forbidden is shown where it stands.
func TestForbidden(t *testing.T) {
	r, plan := report(t, small)
	held, results := read(t, "forbid_types: [dropout]").Judge(r, plan)
	if want := []string{"drop"}; !slices.Equal(results[0].Components, want) || !slices.Equal(results[0].Types, []string{"dropout"}) {
		t.Errorf("components %v and types %v", results[0].Components, results[0].Types)
	}
	if at := held.Findings[0].Position; at.Line != 4 {
		t.Errorf("it stands at %v, want line 4", at)
	}
}

// TestWrong: what a policy cannot say, as YAML and by its values.
func TestWrong(t *testing.T) {
	for src, want := range map[string]string{
		"":                               "found no line, expected at least one of max_params, max_active_params, max_layers, max_memory_gb, must_fit, max_cost_usd, forbid_types, require_types",
		"dtype: int8":                    "found no line, expected at least one of max_params, max_active_params, max_layers, max_memory_gb, must_fit, max_cost_usd, forbid_types, require_types",
		"max_param: 8":                   `policy.yaml:1:1: unknown key "max_param"; nearest is "max_params"`,
		"max_params: 8B":                 `policy.yaml:1:13: max_params: found "8B", expected a whole number`,
		"max_params: 0":                  "policy.yaml:1:13: max_params: found 0, expected a whole number of at least 1",
		"max_params: 1.5":                "policy.yaml:1:13: max_params: found 1.5, expected a whole number",
		"max_memory_gb: 0":               "policy.yaml:1:16: max_memory_gb: found 0, expected a number of at least 0.001",
		"max_memory_gb: .nan":            "policy.yaml:1:16: max_memory_gb: found .nan, expected a number",
		"max_cost_usd: -1":               "policy.yaml:1:15: max_cost_usd: found -1, expected a number of at least 0.01",
		"must_fit: H100 8GB":             `must_fit: found "H100 8GB", expected one of T4 16GB, L4 24GB, RTX 4090 24GB, RTX 5090 32GB, A100 40GB, L40S 48GB, A100 80GB, H100 80GB, H200 141GB, B200 192GB, MI300X 192GB; nearest is "H100 80GB"`,
		"forbid_types: dropout":          `policy.yaml:1:15: forbid_types: found "dropout", expected a list of text`,
		"forbid_types: [relu, batchnrm]": `forbid_types[1]: found "batchnrm", expected a layer type; nearest is "batchNorm" (strata layers lists them)`,
		"max_layers: 1\npurpose: train":  `purpose: found "train", expected one of serving, training`,
		"max_layers: 1\ndtype: fp16":     `dtype: found "fp16", expected one of fp32, bf16, int8, int4`,
	} {
		p := &policy.Policy{}
		_, err := content.Decode("policy.yaml", src, p)
		if err == nil {
			if problem := p.Check(); problem != nil {
				err = problem
			}
		}
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v\nwant %s", src, err, want)
		}
	}
	// As JSON and Go have it.
	zero, nan := int64(0), math.NaN()
	for want, p := range map[string]policy.Policy{
		"max_params: found 0, expected a whole number of at least 1":    {MaxParams: &zero},
		"max_memory_gb: found NaN, expected a number of at least 0.001": {MaxMemoryGB: &nan},
	} {
		if err := p.Check(); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestJSON: a policy has the same keys in JSON and in YAML.
func TestJSON(t *testing.T) {
	src := `{"max_params": 8000000000, "max_memory_gb": 16.5, "must_fit": "T4 16GB", "forbid_types": ["relu"], "purpose": "training"}`
	var p policy.Policy
	if err := json.Unmarshal([]byte(src), &p); err != nil {
		t.Fatal(err)
	}
	if q := read(t, src); !reflect.DeepEqual(&p, q) {
		t.Errorf("as JSON %+v, as YAML %+v", p, q)
	}
	typ := reflect.TypeFor[policy.Policy]()
	for i := range typ.NumField() {
		tag := typ.Field(i).Tag
		if name, _, _ := strings.Cut(tag.Get("json"), ","); name != tag.Get("yaml") {
			t.Errorf("%s is called %s in JSON and %s in YAML", typ.Field(i).Name, name, tag.Get("yaml"))
		}
	}
}

// FuzzPolicy: whatever a file says, it is refused, or each of its lines has a
// result, and what is not kept is a finding.
func FuzzPolicy(f *testing.F) {
	for _, src := range []string{
		"max_params: 8e9\nmust_fit: T4 16GB\npurpose: training", "max_memory_gb: 1e300", "forbid_types: [dropout, relu]\nrequire_types: []",
		"{\"max_cost_usd\": 0.01, \"max_layers\": 9007199254740992}", "dtype: int4", "max_params: 0x10", "max_active_params: !!int 3",
	} {
		f.Add(src)
	}
	r, err := pipeline.Run("model.json", []byte(small))
	if err != nil {
		f.Fatal(err)
	}
	plan, err := cost.New(r.Model, cost.Default())
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, src string) {
		var p policy.Policy
		if _, err := content.Decode("policy.yaml", src, &p); err != nil {
			return
		}
		if p.Check() != nil {
			return
		}
		held, results := p.Judge(r, plan)
		broken := 0
		for _, result := range results {
			if _, err := json.Marshal(result); err != nil || result.Message == "" {
				t.Errorf("%q: %+v, %v", src, result, err)
			}
			if result.Status != policy.Kept {
				broken++
			}
		}
		if len(results) == 0 || len(held.Findings) != len(r.Findings)+broken {
			t.Errorf("%q: %d results, %d of them not kept, and %d findings more", src, len(results), broken, len(held.Findings)-len(r.Findings))
		}
	})
}

// TestFigures: numbers of the JSON are exact, or the nearest there is.
func TestFigures(t *testing.T) {
	for text, want := range map[string]string{
		"0": "0", "144": "144", "9007199254740992": "9007199254740992", "9007199254740993": `"9007199254740993"`,
		"-9007199254740993": `"-9007199254740993"`, "16.5": "16.5", "1/3": "0.3333333333333333",
	} {
		r, _ := new(big.Rat).SetString(text)
		if got, err := json.Marshal(policy.Figure{Rat: r}); err != nil || string(got) != want {
			t.Errorf("%s is written as %s, %v, want %s", text, got, err, want)
		}
	}
}

// TestLimits: a limit is kept exactly from what the model has on.
func TestLimits(t *testing.T) {
	r, plan := report(t, small)
	rapid.Check(t, func(t *rapid.T) {
		params, layers := rapid.Int64Range(1, 300).Draw(t, "params"), rapid.Int64Range(1, 4).Draw(t, "layers")
		gb := rapid.Float64Range(0.001, 3).Draw(t, "gb")
		p := policy.Policy{MaxParams: &params, MaxLayers: &layers, MaxMemoryGB: &gb}
		held, results := p.Judge(r, plan)
		fails := 0
		for i, kept := range []bool{params >= 144, layers >= 2, gb >= 1.000000288} {
			if got := results[i].Status == policy.Kept; got != kept {
				t.Fatalf("%s is %s", results[i].Line, results[i].Status)
			}
			if !kept {
				fails++
				sum := new(big.Rat).Add(results[i].Allowed.Rat, results[i].Over.Rat)
				if sum.Cmp(results[i].Found.Rat) != 0 {
					t.Fatalf("%s: allowed %v and over %v are not found %v", results[i].Line, results[i].Allowed, results[i].Over, results[i].Found)
				}
			}
		}
		if len(held.Findings) != len(r.Findings)+fails || (held.Verdict == verify.Fail) != (fails > 0) {
			t.Fatalf("%d lines are broken, found %v, verdict %s", fails, held.Findings, held.Verdict)
		}
	})
}
