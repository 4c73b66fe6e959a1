package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/strata-catalog/strata/generator/sarif"
)

// TestPositions: a finding points at the place of what is wrong, in a flat
// document and within a block, and says the same place in every format.
func TestPositions(t *testing.T) {
	for _, test := range []struct {
		name, src string
		at        map[string]string // by rule: the text that stands at the place
	}{
		{
			name: "flat",
			src: `{"id": "flat", "components": [
  {"id": "x", "type": "input", "params": {"shape": [1, 8]}},

  {"id": "fc", "type": "linear",
   "params": {
     "outFeatures": 16,
     "inFeatures": 9
   }, "inputs": ["x"]},
  {"id": "gelü", "type": "gelu", "params": {"aproximate": "tanh"}, "inputs": ["fc"]},
  {"id": "odd", "type": "lineer", "inputs": ["gelü"]},
  {"id": "out", "type": "output", "inputs": ["odd"]}
]}`,
			at: map[string]string{
				"width-mismatch": "9\n",
				"unknown-param":  `"aproximate"`,
				"unknown-type":   `"lineer"`,
			},
		},
		{
			name: "compact",
			src: "\ufeff" + `{"id": "compact",
  "components": [
    {"id": "x", "type": "input", "params": {"shape": [1, 16, 8]}},
    {"id": "layers", "block": "b", "repeat": 3, "inputs": ["x"]},
    {"id": "out", "type": "output", "inputs": ["layers"]}
  ],
  "blocks": {
    "b": {"inputs": ["x"],
      "components": [
        {"id": "norm", "type": "layerNorm", "inputs": ["x"]},
        {"id": "é", "type": "swiglu", "params": {"intermediateSize": 32, "embedDim": 9}, "inputs": ["norm"]},
        {"id": "fc", "type": "linear", "params": {"outFeatures": 8, "biass": false}, "inputs": ["é"]},
        {"id": "sum", "type": "add", "inputs": ["fc"]}
      ], "output": "sum"}
  }
}`,
			at: map[string]string{
				"width-mismatch": `9}`,
				"unknown-param":  `"biass"`,
				"few-operands":   `{"id": "sum"`,
			},
		},
		{
			name: "broken",
			src:  "{\"id\": \"broken\",\r\n \"components\": [\r\n  {\"id\": \"a\", \"type\": \"relu\", \"inputs\": [\"b\"]},\r\n  {\"id\": \"b\", \"type\": \"add\", \"inputs\": [\"a\", \"nothing\"]}]}",
			at:   map[string]string{"unknown-edge": `"nothing"`},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "model.json")
			if err := os.WriteFile(file, []byte(test.src), 0o644); err != nil {
				t.Fatal(err)
			}
			for format, places := range map[string]func(*testing.T, string) map[string][2]int{"text": textPlaces, "json": jsonPlaces, "sarif": sarifPlaces} {
				stdout, stderr, _ := call(t, "", "check", "--format", format, file)
				found := places(t, stdout)
				for rule, want := range test.at {
					at, ok := found[rule]
					if !ok {
						t.Errorf("%s: no finding of %s; %s", format, rule, stderr)
					} else if got := textAt(test.src, at); !strings.HasPrefix(got, want) {
						t.Errorf("%s: %s points at %d:%d, %.20q, want %q", format, rule, at[0], at[1], got, want)
					}
				}
			}
		})
	}
}

// textAt is the text from a line and a column on, which count characters.
func textAt(src string, at [2]int) string {
	src = strings.TrimPrefix(src, "\ufeff")
	for range at[0] - 1 {
		_, src, _ = strings.Cut(src, "\n")
	}
	return string([]rune(src)[at[1]-1:])
}

var finding = regexp.MustCompile(`(?m)^.*model\.json:(\d+):(\d+): .*\[([a-z-]+)\]$`)

func textPlaces(t *testing.T, out string) map[string][2]int {
	places := map[string][2]int{}
	for _, m := range finding.FindAllStringSubmatch(out, -1) {
		line, _ := strconv.Atoi(m[1])
		column, _ := strconv.Atoi(m[2])
		places[m[3]] = [2]int{line, column}
	}
	return places
}

func jsonPlaces(t *testing.T, out string) map[string][2]int {
	var answer struct {
		Findings []struct {
			Rule         string
			Line, Column int
		}
	}
	if err := json.Unmarshal([]byte(out), &answer); err != nil {
		t.Fatal(err)
	}
	places := map[string][2]int{}
	for _, f := range answer.Findings {
		places[f.Rule] = [2]int{f.Line, f.Column}
	}
	return places
}

func sarifPlaces(t *testing.T, out string) map[string][2]int {
	var log sarif.Log
	if err := json.Unmarshal([]byte(out), &log); err != nil {
		t.Fatal(err)
	}
	if log.Runs[0].ColumnKind != "unicodeCodePoints" {
		t.Errorf("columns count %s", log.Runs[0].ColumnKind)
	}
	places := map[string][2]int{}
	for _, r := range log.Runs[0].Results {
		at := r.Locations[0].Physical.Region
		places[r.RuleID] = [2]int{at.Line, at.Column}
	}
	return places
}

// TestUnreadablePositions: so does what cannot be read.
func TestUnreadablePositions(t *testing.T) {
	src := "{\"id\": \"é\",\n  \"components\": [{\"id\": 7}]}"
	const line, column, message = 2, 25, "components[0].id: found a number, expected a string"
	stdout, stderr, code := call(t, src, "check", "-")
	if want := fmt.Sprintf("strata: standard input:%d:%d: %s\n", line, column, message); stderr != want || stdout != "" || code != 2 {
		t.Errorf("text: code %d, %q and %q, want %q", code, stdout, stderr, want)
	}
	stdout, _, code = call(t, src, "check", "-", "--format", "json")
	if want := fmt.Sprintf(`"line":%d,"column":%d,`, line, column); !strings.Contains(stdout, want) || code != 2 {
		t.Errorf("json: code %d, %s, want %s", code, stdout, want)
	}
	stdout, _, code = call(t, src, "check", "-", "--format", "sarif")
	var log sarif.Log
	if err := json.Unmarshal([]byte(stdout), &log); err != nil || code != 2 {
		t.Fatalf("sarif: code %d, %v", code, err)
	}
	n := log.Runs[0].Invocations[0].Notifications[0]
	if at := *n.Locations[0].Physical.Region; at != (sarif.Region{Line: line, Column: column}) || n.Message.Text != message {
		t.Errorf("sarif: %+v, %q", at, n.Message.Text)
	}
}
