// Package cli is the command line: it reads flags, calls the packages that do
// the work, and prints. Main is the whole program; Commands lists what it does,
// and help texts are printed from that list.
//
// Exit codes: 0 good, 1 findings that fail or a build that published nothing,
// 2 wrong usage or input that cannot be read.
package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/strata-catalog/strata/generator/words"

	"golang.org/x/term"
)

// A Command is one thing that the program does.
type Command struct {
	Name  string
	Args  string // as shown in the usage line
	Short string // one line
	Long  string // what it does, its input, its exit codes
	// Setup declares the flags and returns what runs once they are read.
	Setup func(*flag.FlagSet) func(*Session, []string) error
}

// Commands lists every command, in the order that help shows them.
var Commands = []*Command{
	initCommand,
	newCommand,
	buildCommand,
	mergeCommand,
	serveCommand,
	apiCommand,
	checkCommand,
	templatesCommand,
	showCommand,
	planCommand,
	diffCommand,
	changesCommand,
	exportCommand,
	importCommand,
	mcpCommand,
	layersCommand,
	rulesCommand,
	schemaCommand,
	completionCommand,
	manCommand,
	versionCommand,
}

// A Session is what a command may use of the world.
type Session struct {
	context.Context
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// Commands is what the program can do: help, manual and completion are made
	// of it.
	Commands []*Command
}

// Terminal reports whether a stream is a terminal, where progress and colours
// make sense.
func Terminal(w any) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// A Failure ends the program with a code. An empty message prints nothing: all
// has been said.
type Failure struct {
	Code    int
	Message string
}

func (f *Failure) Error() string { return f.Message }

// usage is a Failure for a wrong call.
func usage(format string, args ...any) error {
	return &Failure{2, fmt.Sprintf(format, args...)}
}

// Main runs the program and returns its exit code.
func Main(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	err := run(&Session{ctx, stdin, stdout, stderr, Commands}, args)
	if err == nil {
		return 0
	}
	code := 1
	var f *Failure
	if errors.As(err, &f) {
		code = f.Code
	}
	if err.Error() != "" {
		fmt.Fprintf(stderr, "strata: %v\n", err)
	}
	return code
}

func run(s *Session, args []string) error {
	if len(args) == 0 {
		s.help(s.Stderr)
		return &Failure{Code: 2}
	}
	name, args := args[0], args[1:]
	switch name {
	case "-version", "--version":
		name = versionCommand.Name
	case "help", "-h", "-help", "--help":
		return helpOn(s, args)
	}
	c, err := s.command(name)
	if err != nil {
		return err
	}
	fs, do := c.setup()
	operands, err := parse(fs, args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		c.help(s.Stdout)
		return nil
	case err != nil:
		return usage("%s: %v (see strata help %s)", c.Name, err, c.Name)
	}
	return do(s, operands)
}

// setup declares the flags of a command.
func (c *Command) setup() (*flag.FlagSet, func(*Session, []string) error) {
	fs := flag.NewFlagSet(c.Name, flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	return fs, c.Setup(fs)
}

func (s *Session) command(name string) (*Command, error) {
	names := make([]string, len(s.Commands))
	for i, c := range s.Commands {
		if c.Name == name {
			return c, nil
		}
		names[i] = c.Name
	}
	return nil, usage("%q is no command%s (see strata help)", name, words.DidYouMean(name, names))
}

// parse reads flags wherever they stand among the operands; "--" ends them.
func parse(fs *flag.FlagSet, args []string) (operands []string, err error) {
	for {
		if err := fs.Parse(args); err != nil {
			return nil, wrongFlag(fs, err)
		}
		rest := fs.Args()
		if len(rest) == 0 {
			return operands, nil
		}
		if used := len(args) - len(rest); used > 0 && args[used-1] == "--" {
			return append(operands, rest...), nil
		}
		operands = append(operands, rest[0])
		args = rest[1:]
	}
}

func helpOn(s *Session, args []string) error {
	if len(args) == 0 {
		s.help(s.Stdout)
		return nil
	}
	c, err := s.command(args[0])
	if err != nil {
		return err
	}
	c.help(s.Stdout)
	return nil
}

// purpose says what the program is for.
const purpose = `Strata builds a site of neural-network architectures from their graphs,
and checks, counts and compares them.`

func (s *Session) help(w io.Writer) {
	fmt.Fprint(w, purpose, "\n\nusage: strata COMMAND [ARGUMENT…]\n\n")
	for _, c := range s.Commands {
		fmt.Fprintf(w, "  %-10s  %s\n", c.Name, c.Short)
	}
	fmt.Fprint(w, "\nstrata help COMMAND tells more about one of them.\n")
}

// usageLine is how a command is called.
func (c *Command) usageLine() string { return strings.TrimSpace("strata " + c.Name + " " + c.Args) }

func (c *Command) help(w io.Writer) {
	fmt.Fprintf(w, "usage: %s\n\n%s\n", c.usageLine(), c.Long)
	fs, _ := c.setup()
	first := true
	fs.VisitAll(func(f *flag.Flag) {
		if first {
			fmt.Fprint(w, "\nflags:\n")
			first = false
		}
		name, text := describe(f)
		fmt.Fprintf(w, "  %-20s %s\n", name, text)
	})
}

// describe is a flag as it is written, and what it does.
func describe(f *flag.Flag) (name, text string) {
	value, text := flag.UnquoteUsage(f)
	if p, ok := f.Value.(interface{ placeholder() string }); ok {
		value = p.placeholder()
	}
	name = dashed(f.Name)
	if value != "" {
		name += " " + value
	}
	if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "0" {
		text += fmt.Sprintf(" (default %s)", f.DefValue)
	}
	return name, text
}

// dashed is the name of a flag as it is written: -o, --format.
func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}
