package render_test

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/strata-catalog/strata/generator/diff"
	"github.com/strata-catalog/strata/generator/facts"
	"github.com/strata-catalog/strata/generator/page"
	"github.com/strata-catalog/strata/generator/render"
)

// TestChangesLimit: the Markdown is never longer than asked for, and what it
// shows and what it says to have left out are all of it.
func TestChangesLimit(t *testing.T) {
	var list []page.Change
	for i := range 300 {
		list = append(list, page.Change{Change: &facts.Change{
			File: fmt.Sprintf("models/<%d>|`/model.json", i), Status: diff.Changed, AfterError: "model.json:1:1: not <b>JSON</b>",
		}})
	}
	left := func(text, what string) int {
		m := regexp.MustCompile(`(?m)^` + what + `([0-9]+) more are left out\.$`).FindStringSubmatch(text)
		if m == nil {
			return 0
		}
		n, _ := strconv.Atoi(m[1])
		return n
	}
	for _, limit := range []int{1000, 5000, 20_000, 60_000, 1_000_000} {
		text := string(render.Changes("abc", list, limit))
		if len(text) > limit {
			t.Errorf("%d bytes, at most %d were asked for", len(text), limit)
		}
		rows, details := strings.Count(text, "| \\~ changed |"), strings.Count(text, "<details>")
		if rows+left(text, "") != len(list) || details+left(text, "The details of ") != len(list) || rows == 0 {
			t.Errorf("limit %d: %d rows and %d details are shown; %d and %d are said to be left out; there are %d",
				limit, rows, details, left(text, ""), left(text, "The details of "), len(list))
		}
		if details != strings.Count(text, "</details>") || strings.Contains(text, "<b>") || strings.Contains(text, "<0>") {
			t.Errorf("limit %d: details are not closed, or names are taken for markup:\n%.2000s", limit, text)
		}
	}
	if text := string(render.Changes("abc", nil, 1000)); text != "## Architecture changes\n\nNo graph document differs from `abc`.\n" {
		t.Errorf("without changes: %q", text)
	}
}
