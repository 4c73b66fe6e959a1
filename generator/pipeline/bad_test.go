package pipeline_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/strata-catalog/strata/generator/graph"
	"github.com/strata-catalog/strata/generator/pipeline"
)

var update = flag.Bool("update", false, "write the golden files")

// TestBadInput runs every document of testdata/bad and compares what is said
// with the golden file beside it: the kind, then each message.
func TestBadInput(t *testing.T) {
	files, err := filepath.Glob("testdata/bad/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no documents: %v", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		t.Run(name, func(t *testing.T) {
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := describe(pipeline.Run(name+".json", src))
			golden := strings.TrimSuffix(file, ".json") + ".txt"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatalf("%v; run go test ./generator/pipeline -update", err)
			}
			if got != string(want) {
				t.Errorf("got:\n%swant:\n%s", got, want)
			}
		})
	}
}

// describe prints the kind of a document (unreadable, broken, or its verdict)
// and what was said about it.
func describe(r *pipeline.Report, err error) string {
	if err != nil {
		return fmt.Sprintf("unreadable\n%v\n", err)
	}
	var b strings.Builder
	if r.Broken() {
		b.WriteString("broken\n")
	} else {
		fmt.Fprintf(&b, "%s\n", r.Verdict)
	}
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "%s: %s %s %v: %s\n", f.Position, f.Severity, f.Rule, f.Components, f.Message)
		if f.Fix != "" {
			fmt.Fprintf(&b, "\t%s\n", f.Fix)
		}
	}
	return b.String()
}

// bomb is blocks of blocks that would expand to ten to the power of 12 layers.
func bomb() string {
	var b strings.Builder
	b.WriteString(`{"id":"bomb","components":[{"id":"x","type":"input","params":{"shape":[1]}},{"id":"a","block":"b0","repeat":1000,"inputs":["x"]}],"blocks":{`)
	for i := range 3 {
		fmt.Fprintf(&b, `"b%d":{"inputs":["x"],"components":[{"id":"a","block":"b%d","repeat":1000,"inputs":["x"]}],"output":"a"},`, i, i+1)
	}
	b.WriteString(`"b3":{"inputs":["x"],"components":[{"id":"a","type":"relu","inputs":["x"]}],"output":"a"}}}`)
	return b.String()
}

// repeated is a block of one component, as often as blocks may repeat.
func repeated(component string) string {
	return `{"id":"m","components":[{"id":"x","type":"input","params":{"shape":[1,8]}},{"id":"l","block":"b","repeat":99990,"inputs":["x"]}],` +
		`"blocks":{"b":{"inputs":["x"],"components":[{"id":"r",` + component + `}],"output":"r"}}}`
}

// many is n members or elements made of their number.
func many(n int, format string) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// TestHostileInput bounds the time and memory that hostile documents cost.
func TestHostileInput(t *testing.T) {
	random := make([]byte, 1<<20)
	state := uint64(42)
	for i := range random {
		state = state*6364136223846793005 + 1442695040888963407
		random[i] = byte(state >> 56)
	}
	cases := []struct{ name, src, want string }{
		{"a megabyte of random bytes", string(random), "not JSON"},
		{"nesting 100,000 deep", strings.Repeat("[", 100_000), "expected a graph document"},
		{"nesting 100,000 deep in an extra", `{"x":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + "}", "nested deeper than 64 levels"},
		{"nesting of objects", strings.Repeat(`{"components":`, 100_000), "found an object, expected a list"},
		{"nesting in a parameter", `{"components":[{"id":"a","type":"input","params":{"shape":` + strings.Repeat("[", 70) + strings.Repeat("]", 70) + `}}]}`, "nested deeper than 64 levels"},
		{"an expansion bomb", bomb(), "expands to more than 100000 components"},
		{"a size of 10^18", `{"id":"m","components":[{"id":"x","type":"input","params":{"shape":[1,1000000000000000000]}}]}`, "at most 2^53"},
		{"a size of 10^15, squared", `{"id":"m","components":[{"id":"x","type":"input","params":{"shape":[1000000000000000,1000000000000000]}},{"id":"o","type":"output","inputs":["x"]}]}`, "64-bit"},
		{"more than the size limit", strings.Repeat(" ", graph.MaxBytes+1), "more than 32 MiB"},
		{"a new axis in each of 99,990 layers", repeated(`"type":"unsqueeze","params":{"dim":0},"inputs":["x"]`), "more than the 64"},
		{"50 unknown parameters in each of 99,990 layers", repeated(`"type":"relu","params":{` + many(50, `"p%d":1`) + `},"inputs":["x"]`), "more than 1048576 parameters"},
		{"10 unknown parameters in each of 99,990 layers", repeated(`"type":"relu","params":{` + many(10, `"p%d":1`) + `},"inputs":["x"]`), "is no parameter of relu"},
		{"10,000 unknown parameters in each of 99,990 layers", repeated(`"type":"relu","params":{` + many(10_000, `"p%d":1`) + `},"inputs":["x"]`), "more than 1048576 parameters"},
		{"a kilobyte of parameters in each of 99,990 layers", repeated(`"type":"relu","params":{"note":"` + strings.Repeat("y", 1<<10) + `"},"inputs":["x"]`), "more than 64 MiB of ids and parameters"},
		{"10,000 edges into each of 99,990 layers", repeated(`"type":"add","inputs":[` + strings.Repeat(`"x",`, 9_999) + `"x"` + `]`), "more than 1048576 edges"},
		{"an id of a megabyte", repeated(`"type":"` + strings.Repeat("y", 1<<20) + `","inputs":["x"]`), "expected at most 1000"},
		{"the name of a parameter of a megabyte", repeated(`"type":"relu","params":{"` + strings.Repeat("y", 1<<20) + `":1},"inputs":["x"]`), "expected at most 1000"},
		{"a shape of 50,000 axes", `{"id":"m","components":[{"id":"x","type":"input","params":{"shape":[` + strings.Repeat("1,", 49_999) + "1" + `]}}]}`, "at most 64 entries"},
		{"50,000 edges to nothing", `{"id":"m","components":[{"id":"x","type":"add","inputs":[` + many(50_000, `"y%d"`) + `]}]}`, "is no component"},
		{"too many components", `{"id":"m","components":[` + strings.Repeat(`{"id":"x","type":"relu"},`, 100_000) + `{"id":"x","type":"relu"}]}`, "more components than the limit of 100000"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			start := time.Now()
			got := describe(pipeline.Run("hostile.json", []byte(c.src)))
			took := time.Since(start)
			runtime.ReadMemStats(&after)
			if !strings.Contains(got, c.want) {
				t.Errorf("said %.300q, want something with %q", got, c.want)
			}
			if len(got) > 4<<10 && c.name != "50,000 edges to nothing" {
				t.Errorf("said %d bytes; a message must stay readable", len(got))
			}
			if took > 10*time.Second {
				t.Errorf("took %v, more than a second", took)
			}
			if used := after.TotalAlloc - before.TotalAlloc; used > 200<<20 {
				t.Errorf("allocated %d MB, more than 200", used>>20)
			}
		})
	}
}
