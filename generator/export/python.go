package export

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// width is the line length that Python's formatters keep by default.
const width = 88

// lines collects Python source.
type lines struct {
	b      strings.Builder
	indent int // in steps of four blanks
}

// add writes one logical line, wrapped as the formatters wrap it.
func (l *lines) add(line string) {
	if line == "" {
		l.b.WriteByte('\n')
		return
	}
	indent := strings.Repeat("    ", l.indent)
	code, remark := divide(line)
	if remark != "" && columns(indent)+columns(line) > width {
		l.b.WriteString(indent + remark + "\n")
		line = code
	}
	l.statement(indent, line)
}

// text writes source that is laid out already, and wraps what is too long.
func (l *lines) text(source string) {
	for line := range strings.SplitSeq(strings.Trim(source, "\n"), "\n") {
		code := strings.TrimLeft(line, " ")
		if columns(line) <= width || code == "" || strings.HasPrefix(code, `"""`) || strings.HasPrefix(code, "#") {
			l.b.WriteString(line + "\n")
			continue
		}
		before := l.indent
		l.indent = (len(line) - len(code)) / 4
		l.add(code)
		l.indent = before
	}
}

// divide takes the remark off the end of a line.
func divide(line string) (code, remark string) {
	at := -1
	scan(line, func(i int, c byte) {
		if c == '#' && at < 0 {
			at = i
		}
	})
	if at <= 0 {
		return line, ""
	}
	return strings.TrimRight(line[:at], " "), line[at:]
}

// statement wraps a line that is too long: a definition at its parameters, an
// assignment or a return at its expression.
func (l *lines) statement(indent, line string) {
	switch head, rest, found := strings.Cut(line, " = "); {
	case columns(indent)+columns(line) <= width:
		l.b.WriteString(indent + line + "\n")
	case strings.HasPrefix(line, "def "):
		open, end := first(line)
		l.brackets(indent, line[:open+1], line[open+1:end], line[end:])
	case strings.HasPrefix(line, "return "):
		l.value(indent, "return ", line[len("return "):])
	case found && len(brackets(head)) == strings.Count(head, "["):
		l.value(indent, head+" = ", rest)
	default:
		l.bracketed(indent, "", line, "")
	}
}

// value wraps an expression that stands behind a head. What is not broken in
// its own brackets gets a pair around it.
func (l *lines) value(indent, head, e string) {
	deeper := indent + "    "
	switch {
	case len(split(e)) > 1:
		l.brackets(indent, head+"(", e, ")")
	case enclosed(e) || !opens(indent+head, e):
		l.b.WriteString(indent + head + "(\n")
		l.expression(deeper, "", e, "")
		l.b.WriteString(indent + ")\n")
	default:
		l.bracketed(indent, head, e, "")
	}
}

// opens reports whether a line that begins with before has room to open one of
// the brackets of an expression.
func opens(before, e string) bool {
	return slices.ContainsFunc(brackets(e), func(p [2]int) bool {
		return columns(before)+columns(e[:p[0]+1]) <= width && p[0]+1 < p[1]
	})
}

// enclosed reports whether an expression that is too long gets brackets of its
// own: one without any, one of several operands unless the last ends in
// brackets and there are just two, and a chain of calls.
func enclosed(e string) bool {
	pairs := brackets(e)
	if len(pairs) == 0 {
		return true
	}
	last := pairs[len(pairs)-1]
	switch n := len(operands(e)); {
	case n > 2:
		return true
	case n == 2:
		return len(pairs) == 1 || e[last[0]] != '(' || last[1] != len(e)-1 || last[0]+1 == last[1]
	}
	return len(links(e)) > 2
}

// expression writes an expression that stands in brackets, between a head and
// a tail.
func (l *lines) expression(indent, head, e, tail string) {
	if columns(indent)+columns(head)+columns(e)+columns(tail) <= width {
		l.b.WriteString(indent + head + e + tail + "\n")
		return
	}
	parts := operands(e)
	if len(parts) == 1 {
		if parts = links(e); len(parts) < 3 {
			parts = nil
		}
	} else if !enclosed(e) {
		parts = nil
	}
	for i, part := range parts {
		end := ""
		if i == len(parts)-1 {
			end = tail
		}
		l.expression(indent, head, part, end)
		head = ""
	}
	if parts == nil {
		l.bracketed(indent, head, e, tail)
	}
}

// bracketed writes an expression that can be broken in its own brackets alone:
// in the last ones that the line has room to open.
func (l *lines) bracketed(indent, head, e, tail string) {
	for _, p := range slices.Backward(brackets(e)) {
		if before := head + e[:p[0]+1]; columns(indent)+columns(before) <= width && p[0]+1 < p[1] {
			l.brackets(indent, before, e[p[0]+1:p[1]], e[p[1]:]+tail)
			return
		}
	}
	l.b.WriteString(indent + head + e + tail + "\n")
}

// links divides a chain of calls before each attribute of a result.
func links(e string) (list []string) {
	from := 0
	top(e, func(i int, c byte) {
		if c == '.' && i > 0 && (e[i-1] == ')' || e[i-1] == ']') {
			list = append(list, e[from:i])
			from = i
		}
	})
	return append(list, e[from:])
}

// brackets writes what stands in a pair of brackets: on one line of its own,
// or else one element a line.
func (l *lines) brackets(indent, before, inner, after string) {
	deeper := indent + "    "
	l.b.WriteString(indent + before + "\n")
	elements := split(inner)
	switch {
	case columns(deeper)+columns(inner) <= width && (len(elements) == 1 || !literal(before)):
		l.b.WriteString(deeper + inner + "\n")
	case len(elements) == 1:
		for _, clause := range clauses(inner) {
			l.expression(deeper, "", clause, "")
		}
	default:
		for _, e := range elements {
			key, v, found := strings.Cut(e, ": ")
			if found && strings.HasPrefix(key, `"`) {
				l.expression(deeper, key+": ", v, ",")
			} else {
				l.expression(deeper, "", e, ",")
			}
		}
	}
	if columns(indent)+columns(after) > width {
		l.bracketed(indent, after[:1], after[1:], "")
		return
	}
	l.b.WriteString(indent + after + "\n")
}

// literal reports whether the bracket at the end opens a tuple, a list or a
// dictionary, whose elements have a line each once it is broken; else it is of a
// call, a definition or an index.
func literal(before string) bool {
	if len(before) < 2 {
		return true
	}
	c := before[len(before)-2]
	return !(c == '_' || c == ')' || c == ']' || c == '"' || unicode.IsLetter(rune(c)) || unicode.IsDigit(rune(c)))
}

// clauses divides a comprehension at its for.
func clauses(inner string) (list []string) {
	from := 0
	top(inner, func(i int, c byte) {
		if strings.HasPrefix(inner[i:], " for ") {
			list = append(list, inner[from:i])
			from = i + 1
		}
	})
	return append(list, inner[from:])
}

// operands divides an expression at its arithmetic operators that bind the
// least, each of which stays with what follows.
func operands(e string) []string {
	for _, operators := range []string{"+-", "*/@"} {
		var list []string
		from := 0
		top(e, func(i int, c byte) {
			if i+3 < len(e) && c == ' ' && strings.IndexByte(operators, e[i+1]) >= 0 && e[i+2] == ' ' {
				list = append(list, e[from:i])
				from = i + 1
			}
		})
		if list != nil {
			return append(list, e[from:])
		}
	}
	return []string{e}
}

// split divides at the commas that stand in no bracket.
func split(s string) (list []string) {
	from := 0
	top(s, func(i int, c byte) {
		if c == ',' {
			list = append(list, strings.TrimSpace(s[from:i]))
			from = i + 1
		}
	})
	if rest := strings.TrimSpace(s[from:]); rest != "" {
		list = append(list, rest)
	}
	return list
}

// brackets lists the pairs of brackets that stand in no other.
func brackets(line string) (pairs [][2]int) {
	depth, open := 0, 0
	scan(line, func(i int, c byte) {
		switch c {
		case '(', '[', '{':
			if depth == 0 {
				open = i
			}
			depth++
		case ')', ']', '}':
			if depth--; depth == 0 {
				pairs = append(pairs, [2]int{open, i})
			}
		}
	})
	return pairs
}

// first is the first pair of brackets.
func first(line string) (open, end int) {
	p := brackets(line)[0]
	return p[0], p[1]
}

// top calls f for each byte that stands in no bracket and in no literal.
func top(s string, f func(i int, c byte)) {
	depth := 0
	scan(s, func(i int, c byte) {
		switch c {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		default:
			if depth == 0 {
				f(i, c)
			}
		}
	})
}

// scan calls f for each byte outside string literals.
func scan(s string, f func(i int, c byte)) {
	for i := 0; i < len(s); i++ {
		if s[i] == '"' {
			for i++; i < len(s) && s[i] != '"'; i++ {
				if s[i] == '\\' {
					i++
				}
			}
			continue
		}
		f(i, s[i])
	}
}

func columns(s string) int { return len([]rune(s)) }

// fill breaks text into lines of at most n characters.
func fill(text string, n int) (list []string) {
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && columns(line)+1+columns(word) > n {
			list = append(list, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(list, line)
}

// quote is a Python string literal of ASCII alone.
func quote(s string) string { return strconv.QuoteToASCII(s) }

// comment is text for a comment or a docstring: one line, nothing that could
// end it.
func comment(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\\' || r == '"':
			return '\''
		case unicode.IsControl(r), unicode.In(r, unicode.Zl, unicode.Zp, unicode.Bidi_Control):
			return ' '
		}
		return r
	}, s)
	return strings.Join(strings.Fields(s), " ")
}

// camel makes a class name of words: "ResNet-50" is ResNet50, "Qwen3-8B" is
// Qwen3_8B.
func camel(name string) string {
	var b strings.Builder
	up, last := true, byte(0)
	for i := range len(name) {
		c := name[i]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		digit := c >= '0' && c <= '9'
		switch {
		case !letter && !digit:
			up = true
			continue
		case up && c >= 'a' && c <= 'z':
			c -= 'a' - 'A'
		case up && digit && last >= '0' && last <= '9':
			b.WriteByte('_')
		}
		b.WriteByte(c)
		up, last = false, c
	}
	s := b.String()
	if s == "" || s[0] >= '0' && s[0] <= '9' {
		s = "Model" + s
	}
	return s
}

func digitsOnly(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
