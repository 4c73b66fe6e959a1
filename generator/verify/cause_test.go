package verify_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/strata-catalog/strata/generator/verify"
)

// TestOneCause breaks one thing at a time in models that have no error: takes
// an edge away, or makes a number larger by one. Each must give one error at
// most, where it breaks, whatever follows from it.
func TestOneCause(t *testing.T) {
	for _, id := range []string{"reference/graphs/phi3-mini", "reference/graphs/llama3-block", "zoo/bst", "zoo/siglip-base", "zoo/jamba", "zoo/efficientnet-b0", "zoo/posenc-alibi"} {
		t.Run(filepath.Base(id), func(t *testing.T) {
			file := filepath.Join(shared, id, "model.json")
			src, err := os.ReadFile(file)
			if os.IsNotExist(err) {
				t.Skipf("no graph %s", file)
			}
			if err != nil {
				t.Fatal(err)
			}
			tried := 0
			breakEach(t, src, func(what string, doc any) {
				tried++
				broken, err := json.Marshal(doc)
				if err != nil {
					t.Fatal(err)
				}
				var errors []verify.Finding
				for _, f := range verify.Run(analyse(t, "model.json", string(broken)), verify.All, verify.Options{}) {
					if f.Severity == verify.Error {
						errors = append(errors, f)
					}
				}
				if len(errors) > 1 {
					t.Errorf("%s: %d errors", what, len(errors))
					for _, f := range errors {
						t.Logf("    %s %v: %s", f.Rule, f.Components, f.Message)
					}
				}
			})
			if tried == 0 {
				t.Error("nothing was broken")
			}
		})
	}
}

// breakEach calls try with the document for each way to break it, one by one.
func breakEach(t *testing.T, src []byte, try func(what string, doc any)) {
	t.Helper()
	var doc struct {
		Components []map[string]any `json:"components"`
	}
	if err := json.Unmarshal(src, &doc); err != nil {
		t.Fatal(err)
	}
	for _, c := range doc.Components {
		params, _ := c["params"].(map[string]any)
		for name, value := range params {
			if n, ok := value.(float64); ok {
				params[name] = n + 1
				try(fmt.Sprintf("%v: %s %v", c["id"], name, n+1), doc)
				params[name] = value
			}
		}
		inputs, _ := c["inputs"].([]any)
		for k := range inputs {
			c["inputs"] = append(append([]any{}, inputs[:k]...), inputs[k+1:]...)
			try(fmt.Sprintf("%v: without its input %v", c["id"], inputs[k]), doc)
		}
		c["inputs"] = inputs
	}
}
