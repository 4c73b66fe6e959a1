package facts

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/strata-catalog/strata/generator/infer"
)

// A stride is one level of repetition: Count steps of Period positions.
type stride struct{ period, count int }

// A fold is one position of a first instance and, by its strides, all the
// positions that it stands for.
type fold struct {
	at      int
	strides []stride
}

// folds lists the positions of n layers that are left when what repeats stands
// only once.
func folds(n int, runs []infer.Run) []fold { return appendFolds(nil, 0, n, runs, nil) }

func appendFolds(list []fold, from, to int, runs []infer.Run, strides []stride) []fold {
	single := func(end int) {
		for ; from < end; from++ {
			list = append(list, fold{from, strides})
		}
	}
	for _, r := range runs {
		single(r.Start)
		inner := append(strides[:len(strides):len(strides)], stride{r.Period, r.Count})
		list = appendFolds(list, r.Start, r.Start+r.Period, r.Children, inner)
		from = r.End()
	}
	single(to)
	return list
}

// positions are all that the fold stands for, in order.
func (f fold) positions() []int {
	list := []int{f.at}
	for k := len(f.strides) - 1; k >= 0; k-- {
		s := f.strides[k]
		all := make([]int, 0, len(list)*s.count)
		for i := range s.count {
			for _, p := range list {
				all = append(all, p+i*s.period)
			}
		}
		list = all
	}
	return list
}

// Pattern is one name for many: "layers.{0…35}.attn" for the names of 36
// layers, "first … last" for names that do not differ by numbers alone.
func Pattern(names []string) string {
	first, last := names[0], names[len(names)-1]
	if len(names) == 1 {
		return first
	}
	whole := first + " … " + last
	parts := numbered(first)
	columns := make([][]string, len(parts)) // the numbers at each place
	for _, name := range names {
		other := numbered(name)
		if len(other) != len(parts) {
			return whole
		}
		for i, p := range other {
			switch {
			case i%2 == 1:
				columns[i] = append(columns[i], p)
			case p != parts[i]:
				return whole
			}
		}
	}
	count := 1
	for i := 1; i < len(parts); i += 2 {
		values := distinct(columns[i])
		if len(values) == 1 {
			continue
		}
		count *= len(values)
		var ok bool
		if parts[i], ok = series(values); !ok {
			return whole
		}
	}
	if count != len(names) {
		return whole
	}
	return strings.Join(parts, "")
}

// numbered cuts a name into text, number, text, number, …, text.
func numbered(s string) (parts []string) {
	digit := func(c byte) bool { return '0' <= c && c <= '9' }
	start := 0
	for i := 0; i <= len(s); i++ {
		inNumber := len(parts)%2 == 1
		if i == len(s) || digit(s[i]) != inNumber {
			parts = append(parts, s[start:i])
			start = i
		}
	}
	if len(parts)%2 == 0 {
		parts = append(parts, "")
	}
	return parts
}

func distinct(list []string) (out []string) {
	seen := make(map[string]bool, len(list))
	for _, s := range list {
		if !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	return out
}

// series writes numbers in equal steps: "{0…35}", "{0, 6 … 54}".
func series(values []string) (text string, ok bool) {
	step := 0
	for i := 1; i < len(values); i++ {
		a, err1 := strconv.Atoi(values[i-1])
		b, err2 := strconv.Atoi(values[i])
		if err1 != nil || err2 != nil || i > 1 && b-a != step {
			return "", false
		}
		step = b - a
	}
	first, last := values[0], values[len(values)-1]
	switch {
	case step == 1 && len(values) > 2:
		return fmt.Sprintf("{%s…%s}", first, last), true
	case len(values) <= 3:
		return "{" + strings.Join(values, ", ") + "}", true
	}
	return fmt.Sprintf("{%s, %s … %s}", first, values[1], last), true
}
