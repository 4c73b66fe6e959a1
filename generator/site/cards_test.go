package site_test

import (
	"bytes"
	"image/png"
	"path/filepath"
	"strings"
	"testing"

	"github.com/strata-catalog/strata/generator/card"
	"github.com/strata-catalog/strata/generator/site"
)

// TestSocialCards: cards are drawn on request alone, and pages name them where
// their addresses are known.
func TestSocialCards(t *testing.T) {
	const path = "a/tiny.png"
	for name, c := range map[string]struct {
		change func(*site.Config)
		card   bool
		meta   bool
	}{
		"not asked for":      {func(*site.Config) {}, false, false},
		"asked for":          {func(c *site.Config) { c.Cards = true }, true, true},
		"without a base URL": {func(c *site.Config) { c.Cards, c.BaseURL = true, "" }, true, false},
	} {
		config := sample(t)
		c.change(&config)
		m := build(t, config)
		data, ok := m.File(path)
		if ok != c.card {
			t.Errorf("%s: a card is there: %v", name, ok)
		}
		if ok {
			img, err := png.DecodeConfig(bytes.NewReader(data))
			if err != nil || img.Width != card.Width || img.Height != card.Height {
				t.Errorf("%s: the card has %d × %d pixels, %v", name, img.Width, img.Height, err)
			}
		}
		page := file(t, m, "a/tiny.html")
		for _, meta := range []string{`<meta property="og:image" content="https://example.org/cat/a/tiny.png">`, `<meta property="og:image:width" content="1200">`, `<meta name="twitter:card" content="summary_large_image">`} {
			if strings.Contains(page, meta) != c.meta {
				t.Errorf("%s: the page has %s: %v", name, meta, !c.meta)
			}
		}
		value := `"card": null`
		if c.card {
			value = `"card": "a/tiny.png"`
		}
		for _, list := range []string{"a/tiny.json", "a/index.json"} {
			if !strings.Contains(file(t, m, list), value) {
				t.Errorf("%s: %s does not say %s", name, list, value)
			}
		}
		if strings.Contains(file(t, m, "index.html"), "og:image") {
			t.Errorf("%s: the catalog names a card, and has none", name)
		}
	}
}

// TestSocialCardsKept: a card is drawn again when its template changed, and no other
// one is.
func TestSocialCardsKept(t *testing.T) {
	c := sample(t)
	c.Cards = true
	dir, cache := filepath.Join(t.TempDir(), "public"), filepath.Join(t.TempDir(), "cache")
	buildWith(t, dir, cache, c)
	if n := buildWith(t, dir, cache, c); n > 0 {
		t.Errorf("nothing changed, and %d pages were made", n)
	}
	before := contents(t, build(t, c))
	c.Templates = files("tiny/model.json", read(t, "testdata/tiny/model.json"), "head/model.json", strings.Replace(head, `"outFeatures": 4`, `"outFeatures": 40000`, 1))
	buildWith(t, dir, cache, c)
	after := tree(t, dir)
	if before["a/head.png"] == after["a/head.png"] || before["a/tiny.png"] != after["a/tiny.png"] {
		t.Error("the card of what changed is the old one, or another one is not")
	}
}

// A theme whose colours no card can be drawn in builds without cards.
func TestSocialCardsTheme(t *testing.T) {
	c := sample(t)
	c.Theme = files("assets/tokens.css", ":root { --paper: white }")
	build(t, c)
	c.Cards = true
	const want = `theme: assets/tokens.css: --paper is "white", expected #rrggbb`
	if _, err := site.Build(c, &site.Memory{}); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}
