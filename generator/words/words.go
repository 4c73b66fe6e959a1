// Package words finds what somebody meant to write.
package words

import (
	"fmt"
	"sort"
	"strconv"
	"strings"
)

// Nearest is the candidate nearest to the word, at most a third of its length
// in edits away, "" if there is none. Letter case does not count; of equally
// near candidates the first in alphabetical order is taken.
func Nearest(word string, candidates []string) string {
	if word == "" || len(word) > 64 {
		return ""
	}
	sorted := append([]string(nil), candidates...)
	sort.Strings(sorted)
	best, least := "", len(word)/3+1
	for _, c := range sorted {
		if len(c) > 2*len(word)+2 {
			continue
		}
		if d := Edits(strings.ToLower(word), strings.ToLower(c)); d < least {
			best, least = c, d
		}
	}
	return best
}

// Quote is a text in quotation marks for a message: one line, and not longer
// than a reader takes in.
func Quote(s string) string {
	if r := []rune(s); len(r) > 80 {
		s = string(r[:77]) + "..."
	}
	return strconv.Quote(s)
}

// Inputs counts inputs: no input, one input, 3 inputs.
func Inputs(n int) string {
	switch n {
	case 0:
		return "no input"
	case 1:
		return "one input"
	}
	return fmt.Sprintf("%d inputs", n)
}

// DidYouMean is "; nearest is …" for the end of a message, or "".
func DidYouMean(word string, candidates []string) string {
	if near := Nearest(word, candidates); near != "" {
		return fmt.Sprintf("; nearest is %q", near)
	}
	return ""
}

// Edits counts the insertions, deletions, substitutions and swaps of neighbours
// that make one word of another.
func Edits(a, b string) int {
	rows := [3][]int{make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)}
	for j := range rows[1] {
		rows[1][j] = j
	}
	for i := 1; i <= len(a); i++ {
		before, above, row := rows[0], rows[1], rows[2]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(above[j]+1, row[j-1]+1, above[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		rows[0], rows[1], rows[2] = above, row, before
	}
	return rows[1][len(b)]
}
