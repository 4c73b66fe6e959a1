//go:build !js

package content

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Record writes what a checkpoint's files store into the front matter of a note:
// published.stored and published.lines, in place of those that are there.
// Everything else stays as it is, comments too. source stands for a note that
// does not say where its published figures are from.
func Record(file string, src []byte, stored int64, lines []Line, source string) ([]byte, error) {
	n, err := ParseNote(file, src)
	if err != nil {
		return nil, err
	}
	text, err := clean(file, src)
	if err != nil {
		return nil, err
	}
	head, _, bodyLine, err := split(file, text)
	if err != nil {
		return nil, err
	}
	all := strings.SplitAfter(text, "\n")
	var front, rest []string // front is what stands between the fences
	if head == "" && bodyLine == 1 {
		front, rest = nil, append([]string{fence + "\n"}, all...)
	} else {
		front, rest = all[1:bodyLine-2], all[bodyLine-2:]
	}
	at := slices.IndexFunc(front, func(l string) bool { return strings.HasPrefix(l, "published:") })
	if at < 0 {
		front = append(slices.Clone(front), "published:\n", "  source: "+strconv.Quote(source)+"\n")
		at = len(front) - 2
	} else if value, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(front[at]), "published:"), "#"); strings.TrimSpace(value) != "" {
		return nil, fmt.Errorf("%s: published stands on one line; write it with a line for each of its keys, so that stored and lines can be added", n.At("published"))
	}
	end := at + 1
	for end < len(front) && (strings.TrimSpace(front[end]) == "" || strings.HasPrefix(front[end], " ")) {
		end++
	}
	kept := without(front[at+1:end], "stored", "lines")
	indent := "  "
	if i := slices.IndexFunc(kept, func(l string) bool {
		return strings.TrimSpace(l) != "" && !strings.HasPrefix(strings.TrimSpace(l), "#")
	}); i >= 0 {
		indent = kept[i][:len(kept[i])-len(strings.TrimLeft(kept[i], " "))]
	}
	var b strings.Builder
	b.WriteString(fence + "\n" + strings.Join(front[:at+1], "") + strings.Join(kept, ""))
	fmt.Fprintf(&b, "%sstored: %d\n", indent, stored)
	if len(lines) > 0 {
		fmt.Fprintf(&b, "%slines:\n", indent)
	}
	for _, l := range lines {
		fmt.Fprintf(&b, "%s  - elements: %d\n%s    what: %s\n", indent, l.Elements, indent, strconv.Quote(l.What))
	}
	b.WriteString(strings.Join(front[end:], "") + strings.Join(rest, ""))
	out := []byte(b.String())
	again, err := ParseNote(file, out)
	if err != nil || again.Published.Stored != stored || !slices.Equal(again.Published.Lines, lines) || again.Body != n.Body {
		return nil, fmt.Errorf("%s: stored and lines cannot be written into this front matter; add them by hand (%v)", file, err)
	}
	return out, nil
}

// without drops keys of a mapping and what is indented below them.
func without(lines []string, keys ...string) (kept []string) {
	drop, depth := false, 0
	for _, l := range lines {
		text := strings.TrimLeft(l, " ")
		indent := len(l) - len(text)
		if name, _, ok := strings.Cut(text, ":"); ok && (!drop || indent <= depth) {
			if drop = slices.Contains(keys, name); drop {
				depth = indent
			}
		}
		if !drop || strings.HasPrefix(text, "#") && indent <= depth {
			kept = append(kept, l)
		}
	}
	return kept
}
