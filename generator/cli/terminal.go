package cli

import (
	"io"
	"os"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/term"
)

// A screen is what a command prints on for people.
type screen struct {
	io.Writer
	width  int // in cells, 0: without end
	colour bool
}

// screen is the standard output. The width is that of the terminal unless it is
// given; anything else has no end.
func (s *Session) screen(width int) *screen {
	sc := &screen{Writer: s.Stdout, width: width, colour: colours(Terminal(s.Stdout), os.Getenv)}
	if f, ok := s.Stdout.(*os.File); ok && width == 0 && Terminal(f) {
		sc.width, _, _ = term.GetSize(int(f.Fd()))
	}
	return sc
}

// colours reports whether to use colours: on a terminal that has them, unless
// NO_COLOR is set (https://no-color.org).
func colours(terminal bool, getenv func(string) string) bool {
	return terminal && getenv("NO_COLOR") == "" && getenv("TERM") != "dumb"
}

// A style is how text stands out where there are colours.
type style string

// The styles, as the numbers of ECMA-48, section 8.3.117.
const (
	ordinary style = ""
	bold     style = "1"
	faint    style = "2"
	red      style = "31"
	green    style = "32"
	yellow   style = "33"
	cyan     style = "36"
)

// paint puts text in a style.
func (sc *screen) paint(s style, text string) string {
	if !sc.colour || s == ordinary || text == "" {
		return text
	}
	return "\x1b[" + string(s) + "m" + text + "\x1b[0m"
}

// textWidth is how wide to set paragraphs: no wider than they are easy to read.
func (sc *screen) textWidth() int {
	const most = 88
	if sc.width == 0 {
		return most
	}
	return min(sc.width, most)
}

// cells is the number of cells that a text takes on a terminal.
func cells(text string) (n int) {
	for _, r := range text {
		n += runeCells(r)
	}
	return n
}

// wide are the scripts and symbols whose characters take two cells (Unicode
// Standard Annex 11), apart from the full-width forms.
var wide = []*unicode.RangeTable{unicode.Han, unicode.Hangul, unicode.Hiragana, unicode.Katakana, unicode.Bopomofo, unicode.Yi}

func runeCells(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case unicode.In(r, wide...), 0xff01 <= r && r <= 0xff60, 0x1f300 <= r && r <= 0x1faff:
		return 2
	}
	return 1
}

// cutEnd shortens a text to some cells at its end.
func cutEnd(text string, width int) string {
	if cells(text) <= width {
		return text
	}
	return head(text, width-1) + "…"
}

// cutMiddle shortens a text to some cells in its middle: what tells ids apart
// stands at their ends.
func cutMiddle(text string, width int) string {
	if cells(text) <= width {
		return text
	}
	left := head(text, (width-1)/2)
	return left + "…" + tail(text, width-1-cells(left))
}

// head is as much of the beginning of a text as fits.
func head(text string, width int) string {
	n := 0
	for i, r := range text {
		if n += runeCells(r); n > width {
			return text[:i]
		}
	}
	return text
}

// tail is as much of the end of a text as fits.
func tail(text string, width int) string {
	at, n := len(text), 0
	for at > 0 {
		r, size := utf8.DecodeLastRuneInString(text[:at])
		if n += runeCells(r); n > width {
			break
		}
		at -= size
	}
	return text[at:]
}

// wrap breaks a text into lines between words.
func wrap(text string, width int) (lines []string) {
	line := ""
	for _, word := range strings.Fields(text) {
		switch {
		case line == "":
			line = word
		case cells(line)+1+cells(word) <= width:
			line += " " + word
		default:
			lines = append(lines, line)
			line = word
		}
	}
	return append(lines, line)
}

// paragraph writes a text in lines, all but the first of which hang below it.
func (sc *screen) paragraph(label, text string) {
	hang := strings.Repeat(" ", cells(label))
	for i, line := range sc.lines(hang, text) {
		if i == 0 {
			io.WriteString(sc, sc.paint(bold, label)+line+"\n")
		} else {
			io.WriteString(sc, hang+line+"\n")
		}
	}
}

// heading writes what stands above a table.
func (sc *screen) heading(text string) { sc.styled(bold, "", text) }

// note writes what stands below one, set in.
func (sc *screen) note(text string) { sc.styled(faint, "  ", text) }

func (sc *screen) styled(s style, indent, text string) {
	for _, line := range sc.lines(indent, text) {
		io.WriteString(sc, sc.paint(s, indent+line)+"\n")
	}
}

func (sc *screen) lines(indent, text string) []string {
	return wrap(printable(text), max(sc.textWidth()-len(indent), 24))
}
