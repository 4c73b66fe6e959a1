package render

import (
	"encoding/binary"
	"encoding/xml"
	"strings"
)

// appendText appends text as HTML, for content and for quoted attributes.
func appendText(b []byte, s string) []byte {
	last := 0
	for i := 0; i < len(s); i++ {
		var with string
		switch s[i] {
		case '&':
			with = "&amp;"
		case '<':
			with = "&lt;"
		case '>':
			with = "&gt;"
		case '"':
			with = "&#34;"
		case '\'':
			with = "&#39;"
		default:
			continue
		}
		b = append(append(b, s[last:i]...), with...)
		last = i + 1
	}
	return append(b, s[last:]...)
}

// replacement stands for a character that may not stand in HTML.
const replacement = "\ufffd"

// forbidden reports whether a byte is a control character that may not stand
// in HTML.
func forbidden(c byte) bool { return c < ' ' && c != '\t' && c != '\n' && c != '\r' || c == 0x7f }

// printable replaces the control characters of a page, which escaping lets pass.
func printable(src []byte) []byte {
	var out []byte
	last := 0
	for i := 0; i < len(src); i++ {
		if i = passed(src, i); i == len(src) {
			break
		}
		if forbidden(src[i]) {
			out = append(append(out, src[last:i]...), replacement...)
			last = i + 1
		}
	}
	if last == 0 {
		return src
	}
	return append(out, src[last:]...)
}

// passed skips bytes from i on, eight at a time, that are no control characters.
func passed(src []byte, i int) int {
	const ones, high = 0x0101010101010101, 0x8080808080808080
	for ; i+8 <= len(src); i += 8 {
		x := binary.LittleEndian.Uint64(src[i:])
		below := (x - 0x20*ones) &^ x & high // of some byte if it, or one before it, is below a space
		y := x ^ 0x7f*ones
		if below|(y-ones)&^y&high != 0 {
			break
		}
	}
	for i < len(src) && !forbidden(src[i]) {
		i++
		if i%8 == 0 {
			break
		}
	}
	return i
}

// xmlText is text as XML, for content and for quoted attributes.
func xmlText(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a Builder takes everything
	return b.String()
}
