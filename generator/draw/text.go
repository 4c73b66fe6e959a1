package draw

import "strings"

// The sizes of text, in pixels.
const (
	nameSize  = 13 // the type of a layer
	smallSize = 11 // its name, counts and shapes, in letters of one width
)

// wide is the width of a character of the proportional font in hundredths of
// its size. It is what the widest of the usual fonts need, in bold: text that
// is set in another leaves some room.
func wide(r rune) int {
	switch {
	case r > 0x2e7f:
		return 105
	case strings.ContainsRune("iIjl.,:;'|! ", r):
		return 40
	case strings.ContainsRune("frt()[]-/", r):
		return 50
	case strings.ContainsRune("mwMW@%×→…", r):
		return 105
	case 'A' <= r && r <= 'Z':
		return 80
	}
	return 72
}

// widthOf is how wide text is in the proportional font.
func widthOf(s string, size int) int {
	sum := 0
	for _, r := range s {
		sum += wide(r) * size
	}
	return (sum + 99) / 100
}

// monoOf is how wide text is in the font whose letters have one width.
func monoOf(s string) int {
	sum := 0
	for _, r := range s {
		if r > 0x2e7f {
			sum += 105
		} else {
			sum += 62
		}
	}
	return (sum*smallSize + 99) / 100
}

// cut shortens text until it has the width.
func cut(s string, most int, width func(string) int) string {
	if width(s) <= most {
		return s
	}
	runes := []rune(s)
	runes = runes[:min(len(runes), most)] // no letter is narrower than a pixel
	for n := len(runes) - 1; n > 0; n-- {
		if short := strings.TrimRight(string(runes[:n]), " ._-") + "…"; width(short) <= most {
			return short
		}
	}
	return "…"
}
