package content

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// EscapeMarkdown is text as Markdown that renders as this text and nothing
// else, on one line: what marks something up stands behind a backslash. It is
// meant for text that comes from graphs, wherever inline text may stand.
func EscapeMarkdown(text string) string {
	text = oneLine(text)
	if text == "" {
		return ""
	}
	return escapeStart(string(appendInline(nil, text)))
}

// Cell is EscapeMarkdown for a cell of a table, in which nothing can begin a
// block.
func Cell(text string) string {
	var room [64]byte
	b := AppendCell(room[:0], text)
	if string(b) == text {
		return text
	}
	return string(b)
}

// AppendCell appends what Cell returns.
func AppendCell(b []byte, text string) []byte { return appendInline(b, oneLine(text)) }

// Fence is source code as a fenced code block, with a fence that no line of it
// can close.
func Fence(language, src string) string {
	mark := "```"
	for strings.Contains(src, mark) {
		mark += "`"
	}
	if src != "" && !strings.HasSuffix(src, "\n") {
		src += "\n"
	}
	return mark + language + "\n" + src + mark + "\n"
}

// oneLine makes spaces of line ends and of control characters, and one space of
// several.
func oneLine(s string) string {
	if onOneLine(s) {
		return s
	}
	return strings.Join(strings.FieldsFunc(s, blank), " ")
}

func blank(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }

// onOneLine reports whether oneLine changes nothing.
func onOneLine(s string) bool {
	before := byte(' ')
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == ' ' && before == ' ', c < ' ', c == 0x7f:
			return false
		case c >= 0x80:
			r, n := utf8.DecodeRuneInString(s[i:])
			if blank(r) {
				return false
			}
			i += n - 1
		}
		before = s[i]
	}
	return s == "" || before != ' '
}

// marks are the bytes that may mark something up.
var marks = func() (set [256]bool) {
	for _, c := range []byte("\\`*_[]<>|~&") {
		set[c] = true
	}
	return set
}()

// appendInline puts a backslash before what may mark something up.
func appendInline(b []byte, s string) []byte {
	last := 0
	for i := 0; i < len(s); i++ {
		if marks[s[i]] && special(s, i) {
			b = append(append(b, s[last:i]...), '\\')
			last = i
		}
	}
	return append(b, s[last:]...)
}

// special reports whether the byte at i may mark something up.
func special(s string, i int) bool {
	switch s[i] {
	case '\\', '`', '*', '<', '>', '|', '~':
		return true
	case '&': // entities
		return i+1 < len(s) && (s[i+1] == '#' || word(s[i+1]))
	case '_': // within a word it is only itself
		return i == 0 || i+1 == len(s) || !asciiWord(s[i-1]) || !asciiWord(s[i+1])
	case '[', ']':
		return !inShape(s, i)
	}
	return false
}

func asciiWord(c byte) bool { return c < 0x80 && c != '_' && word(c) }

// inShape reports whether a bracket belongs to a list of numbers that is no
// link, as in [1, 2048]: shapes stay readable as text.
func inShape(s string, i int) bool {
	start := strings.LastIndexByte(s[:i+1], '[')
	if start < 0 {
		return false
	}
	length := strings.IndexByte(s[start:], ']')
	if length < 2 || start+length < i {
		return false
	}
	end := start + length
	if strings.Trim(s[start+1:end], "0123456789, ") != "" || s[start+1] == ' ' {
		return false
	}
	return end+1 == len(s) || strings.IndexByte("([:", s[end+1]) < 0
}

// escapeStart keeps the beginning of a line from being a heading, a list, a
// rule or a quotation.
func escapeStart(s string) string {
	switch s[0] {
	case '#', '+', '-', '=':
		return `\` + s
	}
	if n := span(s, digit); n > 0 && n < len(s) && (s[n] == '.' || s[n] == ')') {
		return s[:n] + `\` + s[n:]
	}
	return s
}
