package content

import (
	"html"
	"strings"
)

// The classes of the spans that Highlight writes, as a theme's style sheet
// names them.
const (
	Keyword = "k" // keywords, and the constants of a language
	String  = "s"
	Number  = "n"
	Comment = "c"
	Name    = "f" // what is defined or set: functions, classes, decorators, JSON keys, shell variables
)

// Highlight is source code as HTML, its tokens in spans with one of the classes
// above. It knows Python, JSON and the shell; code in any other language is
// only escaped. The text stays as it is: without its tags, the result is src.
func Highlight(language, src string) string {
	next := lexers[strings.ToLower(language)]
	if next == nil {
		return html.EscapeString(src)
	}
	var b strings.Builder
	b.Grow(2 * len(src))
	done := 0
	for at := 0; at < len(src); {
		length, class := next(src, at)
		if class != "" {
			b.WriteString(html.EscapeString(src[done:at]))
			b.WriteString(`<span class="` + class + `">` + html.EscapeString(src[at:at+length]) + `</span>`)
			done = at + length
		}
		at += length
	}
	b.WriteString(html.EscapeString(src[done:]))
	return b.String()
}

// A lexer measures the token at an offset: its length, at least one byte, and
// its class, "" for plain text.
type lexer func(src string, at int) (length int, class string)

var lexers = map[string]lexer{
	"python": python, "py": python,
	"json": json,
	"sh":   shell, "bash": shell, "shell": shell, "console": shell,
}

var pythonKeywords = set(`False None True and as assert async await break case class continue def del elif else
	except finally for from global if import in is lambda match nonlocal not or pass raise return try while with yield`)

func python(src string, at int) (int, string) {
	rest := src[at:]
	switch c := rest[0]; {
	case c == '#':
		return line(rest), Comment
	case c == '"' || c == '\'':
		return pythonString(rest), String
	case c == '@' && strings.TrimLeft(src[lineStart(src, at):at], " \t") == "":
		return 1 + span(rest[1:], func(c byte) bool { return word(c) || c == '.' }), Name
	case digit(c):
		return numberLength(rest), Number
	case word(c):
		n := span(rest, word)
		prefix := strings.ToLower(rest[:n])
		switch {
		case n <= 2 && n < len(rest) && (rest[n] == '"' || rest[n] == '\'') && strings.Trim(prefix, "rbfu") == "":
			return n + pythonString(rest[n:]), String
		case pythonKeywords[rest[:n]]:
			return n, Keyword
		case defines(src[:at]):
			return n, Name
		}
		return n, ""
	}
	return 1, ""
}

// defines reports whether the text before a name says that it defines it.
func defines(before string) bool {
	before, had := strings.CutSuffix(before, " ")
	for _, k := range []string{"def", "class"} {
		if head, ok := strings.CutSuffix(before, k); ok && had && (head == "" || !word(head[len(head)-1])) {
			return true
		}
	}
	return false
}

func pythonString(s string) int {
	if quote := s[:1]; strings.HasPrefix(s, strings.Repeat(quote, 3)) {
		for i := 3; i < len(s); i++ {
			switch {
			case s[i] == '\\':
				i++
			case strings.HasPrefix(s[i:], strings.Repeat(quote, 3)):
				return i + 3
			}
		}
		return len(s)
	}
	return quotedLength(s, true)
}

var jsonConstants = set("true false null")

func json(src string, at int) (int, string) {
	rest := src[at:]
	switch c := rest[0]; {
	case c == '"':
		n := quotedLength(rest, true)
		if strings.HasPrefix(strings.TrimLeft(rest[n:], " \t\r\n"), ":") {
			return n, Name
		}
		return n, String
	case digit(c) || c == '-' && len(rest) > 1 && digit(rest[1]):
		return 1 + numberLength(rest[1:]), Number
	case word(c):
		n := span(rest, word)
		if jsonConstants[rest[:n]] {
			return n, Keyword
		}
		return n, ""
	}
	return 1, ""
}

var shellKeywords = set("case do done elif else esac export fi for function if in local return set then until while")

func shell(src string, at int) (int, string) {
	rest := src[at:]
	start := at == 0 || strings.IndexByte(" \t\n;&|(", src[at-1]) >= 0
	switch c := rest[0]; {
	case c == '#' && start:
		return line(rest), Comment
	case c == '\\' && len(rest) > 1:
		return 2, ""
	case c == '"':
		return multiline(rest, true), String
	case c == '\'':
		return multiline(rest, false), String
	case c == '$' && len(rest) > 1 && rest[1] == '{':
		return 1 + until(rest[1:], '}'), Name
	case c == '$' && len(rest) > 1 && word(rest[1]):
		return 1 + span(rest[1:], word), Name
	case word(c):
		n := span(rest, func(c byte) bool { return word(c) || c == '-' })
		switch {
		case start && shellKeywords[rest[:n]]:
			return n, Keyword
		case start && n < len(rest) && rest[n] == '=' && !digit(c):
			return n, Name
		}
		return n, ""
	}
	return 1, ""
}

func set(list string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(list) {
		m[w] = true
	}
	return m
}

func digit(c byte) bool { return '0' <= c && c <= '9' }

// word takes every byte beyond ASCII for a letter, so that no token ends
// within a character.
func word(c byte) bool {
	return digit(c) || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || c >= 0x80
}

// span is the length of the prefix whose bytes all satisfy f.
func span(s string, f func(byte) bool) int {
	for i := range len(s) {
		if !f(s[i]) {
			return i
		}
	}
	return len(s)
}

// numberLength covers digits, bases, fractions and exponents.
func numberLength(s string) int {
	for i := range len(s) {
		sign := (s[i] == '+' || s[i] == '-') && i > 0 && (s[i-1] == 'e' || s[i-1] == 'E')
		if !word(s[i]) && s[i] != '.' && !sign {
			return i
		}
	}
	return len(s)
}

func line(s string) int { return span(s, func(c byte) bool { return c != '\n' }) }

func lineStart(s string, at int) int { return strings.LastIndexByte(s[:at], '\n') + 1 }

// until is the length up to and with the first such byte on the line.
func until(s string, end byte) int {
	n := span(s, func(c byte) bool { return c != end && c != '\n' })
	return min(n+1, len(s))
}

// quotedLength measures a string that ends with its line at the latest.
func quotedLength(s string, escapes bool) int {
	return min(multiline(s, escapes), line(s))
}

// multiline measures a string that may go over several lines; without its end
// it reaches to the end of the text.
func multiline(s string, escapes bool) int {
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '\\' && escapes:
			i++
		case s[i] == s[0]:
			return i + 1
		}
	}
	return len(s)
}
