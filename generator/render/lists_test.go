package render

import (
	"html/template"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/strata-catalog/strata/generator/cost"
	"github.com/strata-catalog/strata/generator/page"
	"github.com/strata-catalog/strata/generator/verify"
)

// lists are the functions as layouts would say them.
var lists = template.Must(template.New("").Funcs(functions).Parse(`
{{define "items"}}{{range .List}}<li><a href="{{$.URL .Path}}">{{.Text}}</a> <code>{{.Path}}</code>{{with .Note}} <span class="note">{{.}}</span>{{end}}</li>{{end}}{{end}}
{{define "asks"}}{{range .}}<li>{{.Text}}: <code>{{.Code}}</code>{{with .Note}} <span class="note">{{.}}</span>{{end}}</li>{{end}}{{end}}
{{define "facts"}}{{range .List}}<div{{if .Exact}} class="number"{{end}}><dt>{{.Label}}</dt><dd>{{if .Verdict}}<span class="verdict {{.Verdict}}">{{.Verdict}}</span>{{else}}{{with .Text}}<span class="value">{{.}}</span>{{end}}{{end}}{{with .Exact}} <span class="exact">{{.}}</span>{{end}}{{range .Links}}<a href="{{$.URL .Path}}"{{if $.External .Path}} rel="noopener"{{end}}>{{.Text}}</a>{{end}}{{with .Note}} <span class="note">{{.}}</span>{{end}}</dd></div>{{end}}{{end}}
{{define "notes"}}{{range .}}<li>{{.}}</li>{{end}}{{end}}
{{define "options"}}{{$on := .On}}{{range .List}}<option{{if eq .Name $on}} selected{{end}}>{{.Name}}</option>{{end}}{{end}}
{{define "headings"}}{{range .Columns}}{{if .Text}}<th scope="col"{{if .Number}} class="num"{{end}}>{{.Text}}</th>{{else}}<td></td>{{end}}{{end}}{{end}}`))

// raw is a linker that links to addresses as they stand.
type raw struct{ List any }

func (raw) URL(s string) string    { return s }
func (raw) External(s string) bool { return strings.HasPrefix(s, "http") }
func said(t *rapid.T, name string, data any) string {
	var b strings.Builder
	if err := lists.ExecuteTemplate(&b, name, data); err != nil {
		t.Fatal(err)
	}
	// html/template escapes + for the sake of an encoding that no page has, and
	// what no page may hold is replaced at the end.
	return strings.NewReplacer("&#43;", "+", "\x00", replacement).Replace(b.String())
}

func TestLists(t *testing.T) {
	texts := rapid.OneOf(rapid.SampledFrom([]string{"", "a", "<b> & \"c\" 'd' `e`", "+3.1%", "\x00", "ä", "</script>", "{{.}}"}), rapid.String())
	addresses := rapid.OneOf(rapid.SampledFrom([]string{
		"a/x.html", "https://example.org/?a=b&c=%20d", "javascript:alert(1)", "JavaScript:x", "mailto:a@b.c", "//x", "a:b/c", "a/b:c", "", "%zz", "%", "HTTPS://X/ä b\"'<>`{}|\\^",
	}), rapid.String())
	rapid.Check(t, func(t *rapid.T) {
		var list []page.Item
		var asked []page.Ask
		var facts []page.Fact
		for range rapid.IntRange(0, 3).Draw(t, "items") {
			list = append(list, page.Item{Text: texts.Draw(t, "text"), Path: addresses.Draw(t, "path"), Note: texts.Draw(t, "note")})
			asked = append(asked, page.Ask{Text: texts.Draw(t, "text"), Code: texts.Draw(t, "code"), Note: texts.Draw(t, "note")})
			facts = append(facts, page.Fact{
				Label: texts.Draw(t, "label"), Text: texts.Draw(t, "text"), Exact: texts.Draw(t, "exact"), Note: texts.Draw(t, "note"),
				Links: list[:rapid.IntRange(0, len(list)).Draw(t, "links")], Verdict: rapid.SampledFrom([]verify.Verdict{"", verify.Advisory}).Draw(t, "verdict"),
			})
		}
		notes := rapid.SliceOfN(texts, 0, 3).Draw(t, "notes")
		card, format := cost.Cards[1].Name, cost.DTypes[1].Name
		columns := page.Table{Columns: []page.Column{{Text: texts.Draw(t, "column"), Number: rapid.Bool().Draw(t, "number")}, {}}}
		for _, c := range []struct {
			what      string
			got, want string
		}{
			{"items", string(items(raw{}, list)), said(t, "items", raw{list})},
			{"asks", string(asks(asked)), said(t, "asks", asked)},
			{"facts", string(factList(raw{}, facts)), said(t, "facts", raw{facts})},
			{"notes", string(noteList(notes)), said(t, "notes", notes)},
			{"formats", string(formatOptions(cost.DTypes, format)), said(t, "options", map[string]any{"List": cost.DTypes, "On": format})},
			{"cards", string(cardOptions(cost.Cards, card)), said(t, "options", map[string]any{"List": cost.Cards, "On": card})},
			{"headings", string(tableHeadings(columns)), said(t, "headings", columns)},
		} {
			if got := string(printable([]byte(c.got))); got != string(printable([]byte(c.want))) {
				t.Errorf("%s: got\n%q\nhtml/template writes\n%q", c.what, got, c.want)
			}
		}
	})
}
