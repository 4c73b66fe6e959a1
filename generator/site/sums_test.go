package site_test

import (
	"encoding/json"
	"os"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/strata-catalog/strata/generator/site"
)

// TestRowsAddUp: on every page, in HTML and in Markdown, each component has one
// row, and the rows add up to the total, to the unit.
func TestRowsAddUp(t *testing.T) {
	for _, folder := range []string{"../../templates", "../../../shared/zoo", "../../../shared/reference/graphs"} {
		t.Run(folder, func(t *testing.T) {
			if _, err := os.Stat(folder); err != nil {
				t.Skip("the folder is not beside the checkout")
			}
			m := &site.Memory{}
			if _, err := site.Build(site.Config{Templates: os.DirFS(folder), KeepGoing: true}, m); err != nil {
				t.Fatal(err)
			}
			for _, path := range m.Paths() {
				if id, ok := strings.CutPrefix(path, "a/"); ok && strings.HasSuffix(id, ".html") {
					addUp(t, m, strings.TrimSuffix(path, ".html"))
				}
			}
		})
	}
}

func addUp(t *testing.T, m *site.Memory, path string) {
	t.Helper()
	var data struct {
		Components int   `json:"components"`
		Parameters int64 `json:"parameters"`
	}
	if err := json.Unmarshal([]byte(file(t, m, path+".json")), &data); err != nil {
		t.Fatal(err)
	}
	for form, rows := range map[string][][]string{"html": htmlRows(t, file(t, m, path+".html")), "md": markdownRows(file(t, m, path+".md"))} {
		sum := int64(0)
		for _, r := range rows {
			n, err := number(r[5])
			if err != nil {
				t.Errorf("%s.%s: row %v: %v", path, form, r, err)
			}
			sum += n
		}
		if len(rows) != data.Components || sum != data.Parameters {
			t.Errorf("%s.%s: %d rows add up to %d, want %d and %d", path, form, len(rows), sum, data.Components, data.Parameters)
		}
	}
}

// number reads a cell of the column Weights.
func number(cell string) (int64, error) {
	if cell == "" || cell == "not known" {
		return 0, nil
	}
	return strconv.ParseInt(strings.ReplaceAll(strings.TrimPrefix(cell, "≥ "), ",", ""), 10, 64)
}

// htmlRows are the cells of the rows that have a number.
func htmlRows(t *testing.T, src string) (rows [][]string) {
	doc, err := html.Parse(strings.NewReader(src))
	if err != nil {
		t.Fatal(err)
	}
	for n := range doc.Descendants() {
		if n.Type != html.ElementNode || n.Data != "tr" || !hasPrefix(n, "id", "row-") {
			continue
		}
		var cells []string
		for c := range n.ChildNodes() {
			cells = append(cells, textOf(c))
		}
		rows = append(rows, cells)
	}
	return rows
}

func hasPrefix(n *html.Node, key, prefix string) bool {
	for _, a := range n.Attr {
		if a.Key == key && strings.HasPrefix(a.Val, prefix) {
			return true
		}
	}
	return false
}

func textOf(n *html.Node) (text string) {
	if n.Type == html.TextNode {
		return n.Data
	}
	for c := range n.ChildNodes() {
		text += textOf(c)
	}
	return text
}

// markdownRows are the cells of the table of layers, without its total.
func markdownRows(src string) (rows [][]string) {
	_, src, _ = strings.Cut(src, "\n| # | Layer | Type | Parameters | Output shape |")
	table, _, _ := strings.Cut(src, "\n\n")
	for _, line := range strings.Split(table, "\n")[2:] {
		line = strings.ReplaceAll(line, `\|`, "¦")
		cells := strings.Split(strings.Trim(line, "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		if cells[0] != "" {
			rows = append(rows, cells)
		}
	}
	return rows
}
