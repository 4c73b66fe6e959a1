package cli

import (
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/strata-catalog/strata/generator/layer"
	"github.com/strata-catalog/strata/generator/verify"
)

var completionCommand = &Command{
	Name:  "completion",
	Args:  "bash|zsh|fish",
	Short: "print a script that completes commands in the shell",
	Long: `Prints a script by which the shell completes commands, flags and their values, ids
of the catalog, layer types and rules. To use it in every session:

  bash  echo 'source <(strata completion bash)' >>~/.bashrc
  zsh   echo 'source <(strata completion zsh)' >>~/.zshrc
  fish  strata completion fish >~/.config/fish/completions/strata.fish

The script asks the program for what may stand in a place: words after -- are
those of the line, and the last of them is what has been typed of the next.`,
	Setup: func(*flag.FlagSet) func(*Session, []string) error { return complete },
}

func complete(s *Session, args []string) error {
	if len(args) == 0 {
		return usage("completion: of which shell? Give bash, zsh or fish")
	}
	script, ok := scripts[args[0]]
	if !ok {
		return usage("completion: %q is no shell that is known, expected bash, zsh or fish", args[0])
	}
	if len(args) == 1 {
		_, err := io.WriteString(s.Stdout, script)
		return err
	}
	for _, c := range s.candidates(args[1:]) {
		if _, err := fmt.Fprintf(s.Stdout, "%s\t%s\n", printable(c.word), printable(c.about)); err != nil {
			return err
		}
	}
	return nil
}

// A candidate is a word that may stand in a place. Two words stand for what the
// shell knows better.
type candidate struct{ word, about string }

// The candidates that stand for files and for folders.
var (
	anyFile   = candidate{":file", ""}
	anyFolder = candidate{":folder", ""}
)

// candidates lists what may stand in the place of the last word. Bash gives the
// = between a flag and its value as a word of its own.
func (s *Session) candidates(line []string) []candidate {
	last := len(line) - 1
	typed, before := line[last], line[:last]
	if last == 0 {
		return beginning(typed, s.operand("COMMAND", ""))
	}
	c, err := s.command(line[0])
	if err != nil {
		if line[0] == "help" && last == 1 {
			return beginning(typed, s.operand("COMMAND", ""))
		}
		return nil
	}
	if typed == "=" {
		typed, before = "", line
	}
	l := c.read(before[1:])
	name, value, joined := strings.Cut(typed, "=")
	switch {
	case l.open != nil:
		return beginning(typed, s.values(l.open))
	case strings.HasPrefix(typed, "-") && joined:
		if f := l.flags.Lookup(strings.TrimLeft(name, "-")); f != nil {
			return prefixed(name+"=", beginning(value, s.values(f)))
		}
		return nil
	case strings.HasPrefix(typed, "-") && !l.ended:
		return beginning(typed, flagNames(l.flags))
	}
	return beginning(typed, s.operands(c, l))
}

// A reading is what a line says up to the word that is being typed.
type reading struct {
	flags    *flag.FlagSet
	open     *flag.Flag // waits for its value
	operands int
	source   string // value of --source
	ended    bool   // after --
}

// read goes through the words after a command.
func (c *Command) read(line []string) reading {
	fs, _ := c.setup()
	l := reading{flags: fs, source: "."}
	for _, word := range line {
		switch {
		case word == "=" && l.open != nil:
		case l.open != nil:
			l.value(l.open, word)
			l.open = nil
		case l.ended || word == "-" || !strings.HasPrefix(word, "-"):
			l.operands++
		case word == "--":
			l.ended = true
		default:
			name, value, joined := strings.Cut(strings.TrimLeft(word, "-"), "=")
			f := fs.Lookup(name)
			switch {
			case f == nil:
			case joined:
				l.value(f, value)
			case !isSwitch(f):
				l.open = f
			}
		}
	}
	return l
}

func (l *reading) value(f *flag.Flag, text string) {
	if f.Name == "source" {
		l.source = text
	}
}

// operands lists what may stand as the next operand of a command.
func (s *Session) operands(c *Command, l reading) (list []candidate) {
	places := strings.Fields(c.Args)
	if len(places) == 0 {
		return nil
	}
	at := l.operands
	if last := len(places) - 1; at > last {
		if !strings.HasSuffix(places[last], "…") {
			return nil
		}
		at = last
	}
	for _, word := range strings.Split(strings.Trim(places[at], "[]…"), "|") {
		list = append(list, s.operand(word, l.source)...)
	}
	return list
}

// operand lists what a word of a usage line stands for; one in small letters
// is itself.
func (s *Session) operand(word, source string) (list []candidate) {
	switch word {
	case "FILE":
		return []candidate{anyFile}
	case "DIR":
		return []candidate{anyFolder}
	case "ID":
		ids, _ := templates(source) // no catalog: no ids
		return bare(ids)
	case "TYPE":
		return candidates(layer.All, func(t *layer.Type) candidate { return candidate{t.Name, t.Doc.Summary} })
	case "RULE":
		return candidates(verify.All, func(r *verify.Rule) candidate { return candidate{r.ID, r.Title} })
	case "COMMAND":
		list = candidates(s.Commands, func(c *Command) candidate { return candidate{c.Name, c.Short} })
		return append(list, candidate{"help", "tell more about a command"})
	}
	return bare([]string{word})
}

// values lists what a flag may be.
func (s *Session) values(f *flag.Flag) []candidate {
	if w, ok := f.Value.(wordy); ok {
		return bare(w.words())
	}
	placeholder, _ := flag.UnquoteUsage(f)
	if placeholder == "DIR" || placeholder == "FILE" {
		return s.operand(placeholder, "")
	}
	return nil
}

func flagNames(fs *flag.FlagSet) (list []candidate) {
	fs.VisitAll(func(f *flag.Flag) {
		_, text := describe(f)
		list = append(list, candidate{dashed(f.Name), text})
	})
	return list
}

func candidates[T any](list []T, of func(T) candidate) []candidate {
	out := make([]candidate, len(list))
	for i, x := range list {
		out[i] = of(x)
	}
	return out
}

func keep[T any](list []T, wanted func(T) bool) []T {
	return slices.DeleteFunc(slices.Clone(list), func(x T) bool { return !wanted(x) })
}

func bare(words []string) []candidate {
	return candidates(words, func(w string) candidate { return candidate{word: w} })
}

// beginning keeps the candidates that go on from what has been typed, in
// whichever case.
func beginning(typed string, list []candidate) []candidate {
	return keep(list, func(c candidate) bool {
		return c == anyFile || c == anyFolder || len(c.word) >= len(typed) && strings.EqualFold(c.word[:len(typed)], typed)
	})
}

// prefixed puts a text before each candidate.
func prefixed(text string, list []candidate) []candidate {
	return candidates(list, func(c candidate) candidate {
		if c == anyFile || c == anyFolder {
			return c
		}
		return candidate{text + c.word, c.about}
	})
}

// scripts ask the program for candidates, and hand them to the shell.
var scripts = map[string]string{
	"bash": `# Completion of strata for bash. To use it: source <(strata completion bash)
_strata() {
	local word typed=${COMP_WORDS[COMP_CWORD]}
	COMPREPLY=()
	[[ $typed == = ]] && typed=
	while IFS=$'\t' read -r word _; do
		case $word in
		:file)
			compopt -o filenames
			while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "$typed")
			;;
		:folder)
			compopt -o filenames
			while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -d -- "$typed")
			;;
		*) COMPREPLY+=("$(printf '%q' "$word")") ;;
		esac
	done < <(strata completion bash -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _strata strata
`,
	"zsh": `#compdef strata
# Completion of strata for zsh. To use it: source <(strata completion zsh)
_strata() {
	local word about files folders
	local -a found
	while IFS=$'\t' read -r word about; do
		case $word in
		:file) files=1 ;;
		:folder) folders=1 ;;
		*) found+=("${word//:/\\:}:$about") ;;
		esac
	done < <(strata completion zsh -- "${(@)words[2,CURRENT]}" 2>/dev/null)
	(( $#found )) && _describe -t words strata found
	[[ -n $files ]] && _files
	[[ -n $folders ]] && _files -/
}
if [[ $funcstack[1] == _strata ]]; then _strata "$@"; else compdef _strata strata; fi
`,
	"fish": `# Completion of strata for fish. To use it:
# strata completion fish >~/.config/fish/completions/strata.fish
function __strata_words
	set -l line (commandline -opc)
	set -l typed (commandline -ct)
	for candidate in (strata completion fish -- $line[2..] "$typed" 2>/dev/null)
		switch $candidate
			case ':file*'
				__fish_complete_path "$typed"
			case ':folder*'
				__fish_complete_directories "$typed"
			case '*'
				echo $candidate
		end
	end
end
complete -c strata -f -a '(__strata_words)'
`,
}
