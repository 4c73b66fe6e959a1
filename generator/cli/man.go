package cli

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"strings"
)

var manCommand = &Command{
	Name:  "man",
	Short: "print the manual page",
	Long: `Prints the manual page of the program in roff, with all commands and flags. To
read it: strata man | man -l -`,
	Setup: func(*flag.FlagSet) func(*Session, []string) error { return man },
}

// A meaning is a word and what it stands for.
type meaning struct{ word, text string }

// exitCodes are what the codes mean that Main returns.
var exitCodes = []meaning{
	{"0", "Good."},
	{"1", "Findings that fail, structural faults, or a build that published nothing."},
	{"2", "Wrong usage, or input that cannot be read."},
}

// environment is what the program reads of it.
var environment = []meaning{
	{"NO_COLOR", "When it is set to anything, no colours are used. Without it they are, on a terminal."},
	{"TERM", "When it is dumb, no colours are used."},
}

func man(s *Session, args []string) error {
	if len(args) > 0 {
		return usage("man: takes no argument, found %q", args[0])
	}
	w := bufio.NewWriter(s.Stdout)
	fmt.Fprintf(w, ".TH STRATA 1 \"\" \"strata %s\" \"User Commands\"\n", Version)
	section := func(name string) { fmt.Fprintf(w, ".SH %s\n", name) }
	section("NAME")
	fmt.Fprintln(w, `strata \- neural-network architectures from their graphs`)
	section("SYNOPSIS")
	for i, c := range s.Commands {
		if i > 0 {
			fmt.Fprintln(w, ".br")
		}
		synopsis(w, c)
	}
	section("DESCRIPTION")
	roff(w, purpose)
	section("COMMANDS")
	for _, c := range s.Commands {
		fmt.Fprintf(w, ".SS %s\n", escapeRoff(c.usageLine()))
		roff(w, c.Long)
		fs, _ := c.setup()
		fs.VisitAll(func(f *flag.Flag) { manFlag(w, f) })
	}
	section("EXIT STATUS")
	meanings(w, exitCodes)
	section("ENVIRONMENT")
	meanings(w, environment)
	return w.Flush()
}

// synopsis is how a command is called.
func synopsis(w io.Writer, c *Command) {
	fmt.Fprintf(w, ".B strata %s\n", escapeRoff(c.Name))
	fs, _ := c.setup()
	flags := false
	fs.VisitAll(func(*flag.Flag) { flags = true })
	var rest []string
	if flags {
		rest = append(rest, "[flags]")
	}
	if c.Args != "" {
		rest = append(rest, c.Args)
	}
	if len(rest) > 0 {
		fmt.Fprintln(w, escapeRoff(strings.Join(rest, " ")))
	}
}

func manFlag(w io.Writer, f *flag.Flag) {
	name, text := describe(f)
	name, value, _ := strings.Cut(name, " ")
	fmt.Fprintf(w, ".TP\n\\fB%s\\fR", escapeRoff(name))
	if value != "" {
		fmt.Fprintf(w, " \\fI%s\\fR", escapeRoff(value))
	}
	fmt.Fprintf(w, "\n%s\n", filled(text))
}

func meanings(w io.Writer, list []meaning) {
	for _, t := range list {
		fmt.Fprintf(w, ".TP\n.B %s\n%s\n", escapeRoff(t.word), filled(t.text))
	}
}

// roff writes paragraphs. Those that are set in stand as they are.
func roff(w io.Writer, text string) {
	for i, paragraph := range strings.Split(text, "\n\n") {
		if strings.HasPrefix(paragraph, " ") {
			fmt.Fprintf(w, ".RS\n.nf\n%s\n.fi\n.RE\n", asItStands(paragraph))
			continue
		}
		if i > 0 {
			fmt.Fprintln(w, ".PP")
		}
		fmt.Fprintln(w, filled(paragraph))
	}
}

// filled is a text whose lines roff breaks anew.
func filled(text string) string {
	const most = 78 // bytes of a line
	return guarded(wrap(roffEscapes.Replace(text), most))
}

// asItStands is a text whose lines are kept.
func asItStands(text string) string {
	lines := strings.Split(roffEscapes.Replace(text), "\n")
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	return guarded(lines)
}

// guarded keeps lines that begin with a dot from being taken for requests.
func guarded(lines []string) string {
	for i, line := range lines {
		if strings.HasPrefix(line, ".") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}

var roffEscapes = strings.NewReplacer(`\`, `\e`, `-`, `\-`, `'`, `\(aq`, "`", `\(ga`, `~`, `\(ti`, `^`, `\(ha`)

// escapeRoff writes words so that roff prints them as they stand.
func escapeRoff(words string) string { return guarded([]string{roffEscapes.Replace(words)}) }
