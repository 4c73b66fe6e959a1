package schema_test

import (
	"strings"
	"testing"

	"github.com/strata-catalog/strata/generator/content"
	"github.com/strata-catalog/strata/generator/policy"
	"github.com/strata-catalog/strata/generator/schema"
)

// TestPolicy: the schema accepts the policies that can be read, and no other.
func TestPolicy(t *testing.T) {
	s := compiler(t, schema.Policy)("")
	told := map[string]bool{}
	for text, good := range map[string]bool{
		`{"max_params": 8000000000}`:                         true,
		`{"max_params": 8e9, "max_active_params": null}`:     true,
		`{"max_params": 0}`:                                  false,
		`{"max_params": 1.5}`:                                false,
		`{"max_params": "8B"}`:                               false,
		`{"max_active_params": 1}`:                           true,
		`{"max_active_params": -1}`:                          false,
		`{"max_layers": 96}`:                                 true,
		`{"max_layers": true}`:                               false,
		`{"max_memory_gb": 23.5}`:                            true,
		`{"max_memory_gb": 0}`:                               false,
		`{"must_fit": "H100 80GB"}`:                          true,
		`{"must_fit": "H100"}`:                               false,
		`{"max_cost_usd": 1e6}`:                              true,
		`{"max_cost_usd": []}`:                               false,
		`{"forbid_types": ["dropout"]}`:                      true,
		`{"forbid_types": ["dropuot"]}`:                      false,
		`{"require_types": ["linear", "relu"]}`:              true,
		`{"require_types": "linear"}`:                        false,
		`{"max_layers": 1, "purpose": "training"}`:           true,
		`{"max_layers": 1, "purpose": "train"}`:              false,
		`{"max_layers": 1, "dtype": "int4"}`:                 true,
		`{"max_layers": 1, "dtype": "fp4"}`:                  false,
		`{"dtype": "int4"}`:                                  false,
		`{}`:                                                 false,
		`{"max_parms": 1}`:                                   false,
		`{"max_layers": 1, "assumptions": {"batch": 4}}`:     true,
		`{"max_layers": 1, "assumptions": {"batches": 4}}`:   false,
		`{"max_layers": 1, "assumptions": {"batch": "4"}}`:   false,
		`{"max_layers": 1, "assumptions": {"recompute": 1}}`: false,
	} {
		for _, l := range policy.Lines {
			if strings.Contains(text, `"`+l.Key+`"`) {
				told[l.Key] = true
			}
		}
		if err := validate(s, []byte(text)); (err == nil) != good {
			t.Errorf("%s: the schema says %v", text, err)
		}
		if strings.Contains(text, "assumptions") {
			continue // what reads a file has those
		}
		var p policy.Policy
		_, err := content.Decode("policy.yaml", text, &p)
		if (err == nil && p.Check() == nil) != good {
			t.Errorf("%s: reads as %v, %v", text, err, p.Check())
		}
	}
	for _, l := range policy.Lines {
		if !told[l.Key] {
			t.Errorf("no case for %s", l.Key)
		}
	}
}
