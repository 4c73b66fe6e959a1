package page

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/strata-catalog/strata/generator/catalog"
	"github.com/strata-catalog/strata/generator/internal/synthetic"
)

// What pages share of a template is dropped with the last of them, which is its
// own, and made again for who asks later.
func TestShared(t *testing.T) {
	templates := fstest.MapFS{}
	for _, f := range synthetic.Catalog(3, 40) {
		if name, ok := strings.CutPrefix(f.Path, "templates/"); ok {
			templates[name] = &fstest.MapFile{Data: []byte(f.Text)}
		}
	}
	c, err := catalog.Load(catalog.Options{Templates: templates})
	if err != nil || len(c.Problems) > 0 {
		t.Fatal(err, c.Problems)
	}
	s, err := New(c, Options{})
	if err != nil {
		t.Fatal(err)
	}
	made := map[string]bool{}
	held, most := 0, 0
	for _, p := range s.Pages() {
		data, err := p.Data()
		if err != nil {
			t.Fatal(err)
		}
		made[p.Path] = true
		x, ok := data.(*Template)
		if !ok {
			continue
		}
		for _, d := range x.Data.Diffs {
			if !made[d.URLs.HTML] {
				t.Errorf("%s is made before its diff %s", p.Path, d.URLs.HTML)
			}
		}
		held = 0
		for e, h := range s.shared {
			if h.left.Load() > 0 && slices.ContainsFunc(s.pairs, func(q *pair) bool { return (q.A == e || q.B == e) && made[q.urls.HTML] }) {
				held++
			}
		}
		most = max(most, held)
		if left := s.shared[x.entry(c)].left.Load(); left != 0 {
			t.Errorf("%s is made, and %d pages still need what they share", p.Path, left)
		}
	}
	if most == 0 || most > 30 {
		t.Errorf("up to %d of %d templates are held at once", most, len(c.Entries))
	}
	for _, p := range s.Pages()[:20] {
		if _, err := p.Data(); err != nil {
			t.Errorf("%s, made again: %v", p.Path, err)
		}
	}
}

func (t *Template) entry(c *catalog.Catalog) *catalog.Entry {
	e, _ := c.Entry(t.Data.ID)
	return e
}
