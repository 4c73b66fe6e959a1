package content

import (
	"strings"
	"unicode"
)

// EscapeMarkdown is text as Markdown that renders as this text and nothing
// else, on one line: what marks something up stands behind a backslash. It is
// meant for text that comes from graphs, wherever inline text may stand.
func EscapeMarkdown(text string) string {
	text = oneLine(text)
	if text == "" {
		return ""
	}
	return escapeStart(escapeInline(text))
}

// Cell is EscapeMarkdown for a cell of a table, in which nothing can begin a
// block.
func Cell(text string) string { return escapeInline(oneLine(text)) }

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
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
}

func escapeInline(s string) string {
	if !strings.ContainsAny(s, "\\`*_{}[]<>|~&!^") {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 8)
	for i := 0; i < len(s); i++ {
		if special(s, i) {
			b.WriteByte('\\')
		}
		b.WriteByte(s[i])
	}
	return b.String()
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
