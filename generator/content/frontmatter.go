//go:build !js

package content

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/strata-catalog/strata/generator/graph"
)

// Limits of a content file.
const (
	MaxBytes       = 256 << 10
	MaxFrontMatter = 64 << 10
)

const fence = "---"

// ParseNote reads the note on a template. file stands in messages.
func ParseNote(file string, src []byte) (*Note, error) {
	n := &Note{File: file}
	var err error
	n.places, n.Body, n.BodyLine, err = parse(file, src, n)
	return n, err
}

// ParseDiffNote reads the note on a diff. Its ids are the caller's to fill in.
func ParseDiffNote(file string, src []byte) (*DiffNote, error) {
	n := &DiffNote{File: file}
	var err error
	n.places, n.Body, n.BodyLine, err = parse(file, src, n)
	return n, err
}

// ParsePage reads a content page. path is its address without the extension.
func ParsePage(file, path string, src []byte) (*Page, error) {
	p := &Page{File: file, Path: path}
	var err error
	p.places, p.Body, p.BodyLine, err = parse(file, src, p)
	if p.Description == "" {
		p.Description = FirstParagraph(p.Body)
	}
	return p, err
}

// ParseSettings reads site.yaml over the defaults. file stands in messages.
func ParseSettings(file string, src []byte) (Settings, error) {
	s := Defaults()
	s.File = file
	text, err := clean(file, src)
	if err != nil {
		return s, err
	}
	s.places, err = Decode(file, text, &s)
	return s, err
}

// parse reads the front matter of a file into a struct, and returns its body
// with the line that it begins on.
func parse(file string, src []byte, into any) (at places, body string, line int, err error) {
	text, err := clean(file, src)
	if err != nil {
		return places{"": {File: file}}, "", 0, err
	}
	head, body, line, err := split(file, text)
	if err != nil {
		return places{"": {File: file}}, "", 0, err
	}
	at, err = Decode(file, head, into)
	return at, body, line, err
}

// clean checks the characters of a file and unifies its line ends.
func clean(file string, src []byte) (string, error) {
	if len(src) > MaxBytes {
		return "", &graph.Error{Position: graph.Position{File: file}, Msg: fmt.Sprintf("found %d bytes, expected at most %d", len(src), MaxBytes)}
	}
	text := strings.TrimPrefix(string(src), "\ufeff")
	text = strings.ReplaceAll(text, "\r\n", "\n")
	s := &graph.Source{Name: file, Text: text}
	for i, c := range text {
		switch {
		case c == utf8.RuneError && !strings.HasPrefix(text[i:], "\ufffd"):
			return "", s.Errorf(i, "", "found the byte 0x%02x, expected UTF-8; save the file in that encoding", text[i])
		case unicode.IsControl(c) && c != '\n' && c != '\t':
			return "", s.Errorf(i, "", "found the control character %U; remove it", c)
		}
	}
	return text, nil
}

// split parts the front matter from the body. The front matter keeps the line
// numbers of the file; without one, head is empty.
func split(file, text string) (head, body string, line int, err error) {
	first, rest, _ := strings.Cut(text, "\n")
	if strings.TrimRight(first, " \t") != fence {
		return "", text, 1, nil
	}
	line = 2
	for at := 0; at < len(rest); line++ {
		next, _, _ := strings.Cut(rest[at:], "\n")
		end := min(at+len(next)+1, len(rest))
		if strings.TrimRight(next, " \t") == fence {
			if at > MaxFrontMatter {
				return "", "", 0, &graph.Error{Position: graph.Position{File: file}, Msg: fmt.Sprintf("found a front matter of %d bytes, expected at most %d", at, MaxFrontMatter)}
			}
			return "\n" + rest[:at], rest[end:], line + 1, nil
		}
		at = end
	}
	return "", "", 0, &graph.Error{Position: graph.Position{File: file, Line: 1, Column: 1}, Msg: "the front matter does not end; expected another line of --- after it"}
}
