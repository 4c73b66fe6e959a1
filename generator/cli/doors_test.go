package cli

import (
	"testing"

	"github.com/strata-catalog/strata/generator/api"
	"github.com/strata-catalog/strata/generator/ops"
)

// doors says by which command each operation can be asked.
var doors = map[string]string{
	"check":   "check",
	"diff":    "diff",
	"explain": "rules", // and layers
	"export":  "export",
	"import":  "import",
	"plan":    "plan",
	"show":    "show",

	"templates": "templates",
}

// TestDoors: every operation has a command and a route, and no door leads
// nowhere. A face that comes later asks for its own here.
func TestDoors(t *testing.T) {
	left := map[string]bool{}
	for op := range doors {
		left[op] = true
	}
	for _, o := range ops.All {
		if _, err := session().command(doors[o.Name]); err != nil {
			t.Errorf("operation %s has no command: %v", o.Name, err)
		}
		if len(api.Routes(o.Name)) == 0 {
			t.Errorf("operation %s has no route", o.Name)
		}
		delete(left, o.Name)
	}
	for op := range left {
		t.Errorf("there is no operation %s", op)
	}
}
