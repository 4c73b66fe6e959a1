package card_test

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"os"
	"strings"
	"testing"

	"github.com/strata-catalog/strata/generator/card"
	"github.com/strata-catalog/strata/generator/cost"
	"github.com/strata-catalog/strata/generator/draw"
	"github.com/strata-catalog/strata/generator/pipeline"
)

// tokens are the colours of the default theme.
func tokens(t testing.TB) string {
	t.Helper()
	src, err := os.ReadFile("../../themes/default/assets/tokens.css")
	if err != nil {
		t.Fatal(err)
	}
	return string(src)
}

func colours(t testing.TB) card.Colours {
	t.Helper()
	c, err := card.ReadColours(tokens(t))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// of is the card of a template.
func of(t testing.TB, id string) *card.Card {
	t.Helper()
	src, err := os.ReadFile("../../templates/" + id + "/model.json")
	if err != nil {
		t.Fatal(err)
	}
	r, err := pipeline.Run(id, src)
	if err != nil {
		t.Fatal(err)
	}
	return &card.Card{
		Site: "Site", ID: id, Name: "Model", Summary: strings.Repeat("What the model is, in some words. ", 9),
		Facts: []card.Fact{{"8.19B", "parameters"}, {"220", "layers"}, {"804.77 T", "MACs"}},
		Parts: cost.Parts(r.Model), Picture: draw.New(r.Model),
	}
}

func bytesOf(t testing.TB, c *card.Card) []byte {
	t.Helper()
	src, err := c.PNG(colours(t))
	if err != nil {
		t.Fatal(err)
	}
	return src
}

func decoded(t *testing.T, c *card.Card) image.Image {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(bytesOf(t, c)))
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// A small picture, high and wide ones, and some of which a part is shown.
var ids = []string{"phi3-mini", "qwen3-8b", "densenet-201", "sd-v1-5-unet", "dlrm", "dcn-v2", "lstm-classifier"}

func TestCards(t *testing.T) {
	for _, id := range ids {
		c := of(t, id)
		src := bytesOf(t, c)
		if !bytes.Equal(src, bytesOf(t, c)) {
			t.Errorf("%s: two cards of the same differ", id)
		}
		if len(src) > 80_000 {
			t.Errorf("%s: %d bytes, want at most 80,000", id, len(src))
		}
		if size := decoded(t, c).Bounds().Size(); size != (image.Point{1200, 630}) {
			t.Errorf("%s: %v pixels, want 1200 × 630", id, size)
		}
	}
}

// different counts the pixels of a part in which two pictures differ by more
// than the shades that a picture of 256 colours leaves out.
func different(a, b image.Image, part image.Rectangle) (n int) {
	for y := part.Min.Y; y < part.Max.Y; y++ {
		for x := part.Min.X; x < part.Max.X; x++ {
			p, q := color.RGBAModel.Convert(a.At(x, y)).(color.RGBA), color.RGBAModel.Convert(b.At(x, y)).(color.RGBA)
			if d := func(a, b uint8) int { return max(int(a), int(b)) - min(int(a), int(b)) }; d(p.R, q.R)+d(p.G, q.G)+d(p.B, q.B) > 40 {
				n++
			}
		}
	}
	return n
}

// TestWhatIsDrawn takes away one thing after another, and looks where that
// stood.
func TestWhatIsDrawn(t *testing.T) {
	whole := decoded(t, of(t, "qwen3-8b"))
	for what, c := range map[string]struct {
		without func(*card.Card)
		at      image.Rectangle
	}{
		"site":    {func(c *card.Card) { c.Site = "" }, image.Rect(100, 60, 300, 100)},
		"name":    {func(c *card.Card) { c.Name = " " }, image.Rect(60, 140, 740, 240)},
		"summary": {func(c *card.Card) { c.Summary = "" }, image.Rect(60, 240, 740, 420)},
		"facts":   {func(c *card.Card) { c.Facts = nil }, image.Rect(60, 470, 740, 570)},
		"diagram": {func(c *card.Card) { c.Picture = nil }, image.Rect(752, 0, 1200, 600)},
		"parts":   {func(c *card.Card) { c.Parts = nil }, image.Rect(0, 614, 1200, 630)},
	} {
		other := of(t, "qwen3-8b")
		c.without(other)
		if n := different(whole, decoded(t, other), c.at); n < 200 {
			t.Errorf("%s: %d pixels of %v show it", what, n, c.at)
		}
	}
	// The text ends before the panel of the diagram begins, however long it is.
	long := of(t, "qwen3-8b")
	long.Name, long.Site = strings.Repeat("Architecture", 20), strings.Repeat("Catalog ", 40)
	if n := different(whole, decoded(t, long), image.Rect(752, 0, 1200, 614)); n > 100 {
		t.Errorf("long texts change %d pixels of the diagram", n)
	}
	foot := color.RGBAModel.Convert(whole.At(3, 625))
	if want := colours(t)["part-embedding"]; foot != want {
		t.Errorf("the foot begins with %v, want the embedding's %v", foot, want)
	}
}

// TestLetters: a name in letters that the fonts do not have gives way to the id.
func TestLetters(t *testing.T) {
	a, b := of(t, "phi3-mini"), of(t, "phi3-mini")
	a.Name, b.Name = "模型", "phi3-mini"
	if !bytes.Equal(bytesOf(t, a), bytesOf(t, b)) {
		t.Error("the card of a name in Chinese is not that of the id")
	}
	a.Name, b.Name = "Модель β × 2", "phi3-mini"
	if bytes.Equal(bytesOf(t, a), bytesOf(t, b)) {
		t.Error("a name in letters that the fonts have is not written")
	}
}

func TestReadColours(t *testing.T) {
	good := tokens(t)
	if c := colours(t)["paper"]; c != (color.RGBA{0xfd, 0xfc, 0xfa, 255}) {
		t.Errorf("paper is %v", c)
	}
	for _, c := range []struct{ old, new, want string }{
		{"--ink: light-dark(#1b1d1e, #e6e8e7)", "--ink: #123", ""},
		{"--ink: light-dark(#1b1d1e, #e6e8e7)", "--ink: black", `--ink is "black", expected #rrggbb or light-dark(#rrggbb, …); social cards are drawn with it`},
		{"--ink: light-dark(#1b1d1e", "--ink: light-dark(#1b1d1", `--ink is "#1b1d1", expected #rrggbb`},
		{"--part-norm:", "--part-other-norm:", "--part-norm is missing; social cards are drawn with it"},
	} {
		css := strings.Replace(good, c.old, c.new, 1)
		if css == good {
			t.Fatalf("%s is not in the tokens", c.old)
		}
		_, err := card.ReadColours(css)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.HasPrefix(err.Error(), c.want)) {
			t.Errorf("with %s: %v, want %q", c.new, err, c.want)
		}
	}
}

func BenchmarkCard(b *testing.B) {
	c, k := of(b, "qwen3-8b"), colours(b)
	for b.Loop() {
		if _, err := c.PNG(k); err != nil {
			b.Fatal(err)
		}
	}
}
