package cli

import (
	"flag"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/strata-catalog/strata/generator/ops"
	"github.com/strata-catalog/strata/generator/words"
)

// A wordy flag takes words of a list; completion offers them.
type wordy interface{ words() []string }

// A choice is a flag that takes one word of a list.
type choice struct {
	to *string
	of []string
}

// choose declares a flag that takes one of some words, of which the first is
// the default. The usage text goes before the list of them.
func choose(fs *flag.FlagSet, to *string, name, usage string, of ...string) {
	*to = of[0]
	fs.Var(&choice{to, of}, name, usage+": "+oneOf(of))
}

func (c *choice) String() string {
	if c.to == nil { // a zero value, as package flag makes for its own use
		return ""
	}
	return *c.to
}

func (c *choice) Set(text string) error {
	for _, word := range c.of {
		if word == text {
			*c.to = text
			return nil
		}
	}
	return fmt.Errorf("found %q, expected %s%s", text, oneOf(c.of), words.DidYouMean(text, c.of))
}

func (c *choice) words() []string { return c.of }

// A selection is a flag that takes words of a list, several with commas between
// them or by repeating the flag. A part of a word stands for every word that it
// is in, without regard to case, spaces and hyphens: h100 for "H100 80GB".
type selection struct {
	to *[]string
	of []string
}

func (s *selection) String() string {
	if s.to == nil {
		return ""
	}
	return strings.Join(*s.to, ",")
}

func (s *selection) Set(text string) error {
	for _, part := range strings.Split(text, ",") {
		found := ops.Matching(part, s.of)
		*s.to = append(*s.to, found...)
		if len(found) == 0 {
			return fmt.Errorf("found %q, expected %s%s", part, oneOf(s.of), words.DidYouMean(part, s.of))
		}
	}
	return nil
}

func (s *selection) words() []string { return s.of }

// A natural is a flag that takes a whole number of at least 0.
type natural struct{ to *int }

func (n *natural) String() string {
	if n.to == nil {
		return ""
	}
	return strconv.Itoa(*n.to)
}

func (n *natural) Set(text string) error {
	value, err := strconv.ParseUint(text, 10, 31)
	*n.to = int(value)
	return err
}

// oneOf lists words that exclude one another: text, json or sarif.
func oneOf(list []string) string {
	last := len(list) - 1
	if last < 1 {
		return strings.Join(list, "")
	}
	return strings.Join(list[:last], ", ") + " or " + list[last]
}

// What package flag says of a wrong call.
var (
	noFlag   = regexp.MustCompile(`^flag provided but not defined: -(.*)$`)
	noValue  = regexp.MustCompile(`^flag needs an argument: -(.*)$`)
	badValue = regexp.MustCompile(`^invalid (?:boolean )?value (".*") for (?:flag )?-([^:]*): (.*)$`)
)

// wrongFlag says what is wrong with a flag in this program's words, and names
// the nearest flag to one that does not exist.
func wrongFlag(fs *flag.FlagSet, err error) error {
	text := err.Error()
	if m := noFlag.FindStringSubmatch(text); m != nil {
		return fmt.Errorf("there is no flag %s%s", dashed(m[1]), nearestFlag(fs, m[1]))
	}
	if m := noValue.FindStringSubmatch(text); m != nil {
		return fmt.Errorf("%s needs a value", dashed(m[1]))
	}
	if m := badValue.FindStringSubmatch(text); m != nil {
		reason := m[3]
		if _, ours := fs.Lookup(m[2]).Value.(wordy); !ours {
			reason = fmt.Sprintf("found %s, expected %s", m[1], expected(fs.Lookup(m[2])))
		}
		return fmt.Errorf("%s: %s", dashed(m[2]), reason)
	}
	return err
}

func nearestFlag(fs *flag.FlagSet, name string) string {
	var names []string
	fs.VisitAll(func(f *flag.Flag) { names = append(names, f.Name) })
	if near := words.Nearest(name, names); near != "" {
		return "; nearest is " + dashed(near)
	}
	return ""
}

// expected is what a flag of package flag takes.
func expected(f *flag.Flag) string {
	if isSwitch(f) {
		return "true or false"
	}
	return "a whole number of at least 0"
}

// isSwitch reports whether a flag needs no value.
func isSwitch(f *flag.Flag) bool {
	b, ok := f.Value.(interface{ IsBoolFlag() bool })
	return ok && b.IsBoolFlag()
}
