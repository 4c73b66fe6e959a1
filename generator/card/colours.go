//go:build !js

package card

import (
	"encoding/hex"
	"fmt"
	"image/color"
	"regexp"
	"strings"

	"github.com/strata-catalog/strata/generator/layer"
)

// Colours are those of a theme by day, by the names of its tokens.
type Colours map[string]color.RGBA

var token = regexp.MustCompile(`--([\w-]+):\s*(?:light-dark\(\s*)?([^;,)}]*)`)

// ReadColours reads the tokens of a style sheet. A card is a picture of fixed
// colours: it takes the first of a pair, and has to know it.
func ReadColours(css string) (Colours, error) {
	values := map[string]string{}
	for _, m := range token.FindAllStringSubmatch(css, -1) {
		if _, ok := values[m[1]]; !ok {
			values[m[1]] = strings.TrimSpace(m[2])
		}
	}
	names := []string{"paper", "raised", "line", "rule", "ink", "soft", "accent"}
	for _, p := range layer.Parts {
		if p != layer.Merge && p != layer.Ends {
			names = append(names, "part-"+string(p))
		}
	}
	c := Colours{}
	for _, name := range names {
		value, ok := values[name]
		if !ok {
			return nil, fmt.Errorf("--%s is missing; social cards are drawn with it", name)
		}
		if c[name], ok = parse(value); !ok {
			return nil, fmt.Errorf("--%s is %q, expected #rrggbb or light-dark(#rrggbb, …); social cards are drawn with it", name, value)
		}
	}
	return c, nil
}

// parse reads #rgb and #rrggbb.
func parse(s string) (color.RGBA, bool) {
	digits, ok := strings.CutPrefix(s, "#")
	if len(digits) == 3 {
		digits = string([]byte{digits[0], digits[0], digits[1], digits[1], digits[2], digits[2]})
	}
	b, err := hex.DecodeString(digits)
	if !ok || err != nil || len(b) != 3 {
		return color.RGBA{}, false
	}
	return color.RGBA{b[0], b[1], b[2], 255}, true
}

// part is the colour of a kind of layers, as diagram.css has it.
func (c Colours) part(p layer.Part) color.RGBA {
	switch p {
	case layer.Merge:
		return c["ink"]
	case layer.Ends:
		return c["soft"]
	}
	return c["part-"+string(p)]
}

// mix is a colour over another one, as strong as share says.
func mix(a, b color.RGBA, share float64) color.RGBA {
	of := func(x, y uint8) uint8 { return uint8(float64(x)*share + float64(y)*(1-share) + 0.5) }
	return color.RGBA{of(a.R, b.R), of(a.G, b.G), of(a.B, b.B), 255}
}
