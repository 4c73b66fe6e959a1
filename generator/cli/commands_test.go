package cli

import (
	"bytes"
	"context"
	"flag"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// call runs the program, and returns what it prints and its exit code.
func call(t *testing.T, stdin string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, err bytes.Buffer
	code = Main(context.Background(), args, strings.NewReader(stdin), &out, &err)
	return out.String(), err.String(), code
}

func session() *Session { return &Session{Commands: Commands} }

// completed lists the words that completion offers.
func completed(line ...string) []string {
	var words []string
	for _, c := range session().candidates(line) {
		words = append(words, c.word)
	}
	return words
}

// TestCommands walks every command: it has its words, each flag has its words,
// and help, manual and completion know them.
func TestCommands(t *testing.T) {
	manual, stderr, code := call(t, "", "man")
	if code != 0 {
		t.Fatalf("man: code %d, %s", code, stderr)
	}
	list, _, _ := call(t, "", "help")
	offered := completed("")
	for _, c := range Commands {
		if c.Name == "" || c.Short == "" || c.Long == "" {
			t.Errorf("command %q needs a name, a line and a text", c.Name)
		}
		if !strings.Contains(list, "  "+c.Name+" ") || !strings.Contains(list, c.Short) {
			t.Errorf("help does not list %s", c.Name)
		}
		if !slices.Contains(offered, c.Name) {
			t.Errorf("completion does not offer %s", c.Name)
		}
		if !strings.Contains(manual, ".SS "+escapeRoff(c.usageLine())+"\n") {
			t.Errorf("the manual has no chapter on %s", c.usageLine())
		}
		help, _, code := call(t, "", "help", c.Name)
		if code != 0 || !strings.HasPrefix(help, "usage: "+c.usageLine()+"\n") || !strings.Contains(help, c.Long) {
			t.Errorf("help %s: code %d: %s", c.Name, code, help)
		}
		fs, _ := c.setup()
		fs.VisitAll(func(f *flag.Flag) { checkFlag(t, c, f, help, manual) })
	}
}

func checkFlag(t *testing.T, c *Command, f *flag.Flag, help, manual string) {
	t.Helper()
	name, text := describe(f)
	if f.Usage == "" {
		t.Errorf("%s: flag %s has no words", c.Name, name)
	}
	if !strings.Contains(help, "  "+name+" ") || !strings.Contains(help, text+"\n") {
		t.Errorf("%s: help does not tell of %s", c.Name, name)
	}
	_, chapter, _ := strings.Cut(manual, ".SS "+escapeRoff(c.usageLine())+"\n")
	chapter, _, _ = strings.Cut(chapter, "\n.S")
	if !strings.Contains(chapter, `\fB`+escapeRoff(dashed(f.Name))+`\fR`) {
		t.Errorf("%s: the manual does not tell of %s", c.Name, name)
	}
	if !slices.Contains(completed(c.Name, "-"), dashed(f.Name)) {
		t.Errorf("%s: completion does not offer %s", c.Name, name)
	}
	if w, ok := f.Value.(wordy); ok && len(w.words()) > 0 {
		if got := completed(c.Name, dashed(f.Name), ""); !slices.Equal(got, w.words()) {
			t.Errorf("%s: completion offers %v for %s, want %v", c.Name, got, name, w.words())
		}
	}
}

// TestReadme compares the table of commands in the README with the commands.
func TestReadme(t *testing.T) {
	src, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, chapter, found := strings.Cut(string(src), "\n## Commands\n")
	if !found {
		t.Fatal("README.md has no chapter on commands")
	}
	chapter, _, _ = strings.Cut(chapter, "\n## ")
	var got, want []string
	for _, row := range regexp.MustCompile("(?m)^\\| `(strata [^`]*)` \\| (.*) \\|$").FindAllStringSubmatch(chapter, -1) {
		got = append(got, strings.ReplaceAll(row[1], `\|`, "|")+": "+row[2])
	}
	for _, c := range Commands {
		want = append(want, c.usageLine()+": "+c.Short)
	}
	if !slices.Equal(got, want) {
		t.Errorf("README.md has the commands\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestManual: the requests of the page are ones that the format has, and what
// is not is text.
func TestManual(t *testing.T) {
	manual, _, _ := call(t, "", "man")
	for i, line := range strings.Split(strings.TrimSuffix(manual, "\n"), "\n") {
		request, _, _ := strings.Cut(line, " ")
		known := slices.Contains([]string{".TH", ".SH", ".SS", ".PP", ".TP", ".RS", ".RE", ".nf", ".fi", ".B", ".br"}, request)
		if strings.HasPrefix(line, ".") && !known || line == "" || strings.HasPrefix(line, "'") {
			t.Errorf("line %d is %q", i+1, line)
		}
	}
}

func TestRoff(t *testing.T) {
	for text, want := range map[string]string{
		`a\b`:     `a\eb`,
		".hidden": `\&.hidden`,
		"--a -1":  `\-\-a \-1`,
		"it's":    `it\(aqs`,
	} {
		if got := escapeRoff(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
	long := strings.Repeat("word ", 16)
	if got, want := filled(long+".dot"), strings.TrimSpace(long[:75])+"\nword .dot"; got != want {
		t.Errorf("a long line becomes %q, want %q", got, want)
	}
	if got, want := filled(long[:75]+".dot-dot"), long[:74]+"\n"+`\&.dot\-dot`; got != want {
		t.Errorf("a line that breaks before a dot becomes %q, want %q", got, want)
	}
}

// TestCompletion: what completion offers in each place.
func TestCompletion(t *testing.T) {
	t.Chdir("testdata/catalog")
	for _, test := range []struct {
		line string // words, the last of which is typed; | separates
		want string // the first words, then how many there are
	}{
		{"sh", "show"},
		{"nothing", ""},
		{"help|la", "layers"},
		{"nothing|", ""},
		{"show|", ":file first second"},
		{"show|f", ":file first"},
		{"show|--source|/nowhere|", ":file"},
		{"show|--source|..|", ":file"},
		{"show|--source=.|s", ":file second"},
		{"show|first|", ""},
		{"show|--rows|", ":file first second"},
		{"show|--format|first", ""},
		{"show|--format|json|first", ":file first"},
		{"show|--format|", "text json"},
		{"show|--format|=|j", "json"},
		{"show|--format|=", "text json"},
		{"show|--format=j", "--format=json"},
		{"show|--nothing=", ""},
		{"show|--ro", "--rows"},
		{"show|--|--ro", ":file"},
		{"show|-|", ""},
		{"plan|--gpu|h1", "H100 80GB"},
		{"plan|--gpu|H200", "H200 141GB"},
		{"plan|--cache-dtype|int", "int8 int4"},
		{"plan|--recompute|fi", ":file first"},
		{"plan|--batch|", ""},
		{"check|a.json|b", ":file"},
		{"build|--out|", ":folder"},
		{"build|", ""},
		{"layers|conv2", "conv2d"},
		{"rules|width-mis", "width-mismatch"},
		{"completion|", "bash zsh fish"},
		{"version|", ""},
	} {
		if got := strings.Join(completed(strings.Split(test.line, "|")...), " "); got != test.want {
			t.Errorf("%s: %q, want %q", test.line, got, test.want)
		}
	}
	if n := len(completed("layers", "")); n < 60 {
		t.Errorf("completion offers %d layer types", n)
	}
}

// TestWrongFlags: what is said of a flag names it, what was found and what was
// expected.
func TestWrongFlags(t *testing.T) {
	for args, want := range map[string]string{
		"show x --formt json":      "show: there is no flag --formt; nearest is --format (see strata help show)",
		"show x --quux":            "show: there is no flag --quux (see strata help show)",
		"show x --format":          "show: --format needs a value (see strata help show)",
		"show x --format jsn":      `show: --format: found "jsn", expected text or json; nearest is "json" (see strata help show)`,
		"show x --width wide":      `show: --width: found "wide", expected a whole number of at least 0 (see strata help show)`,
		"show x --width -3":        `show: --width: found "-3", expected a whole number of at least 0 (see strata help show)`,
		"show x --rows=2":          `show: --rows: found "2", expected true or false (see strata help show)`,
		"plan x --batch 0":         "plan: --batch: assumption batch is 0, expected at least 1 (see strata help plan)",
		"plan x --cache-dtype int": `plan: --cache-dtype: "int" is no known number format; nearest is "int4"; known are fp32, bf16, int8, int4 (see strata help plan)`,
		"plan x --dtype fp16":      `plan: --dtype: found "fp16", expected fp32, bf16, int8 or int4 (see strata help plan)`,
		"plan x --dtype bf16,":     `plan: --dtype: found "", expected fp32, bf16, int8 or int4 (see strata help plan)`,
	} {
		stdout, stderr, code := call(t, "", strings.Fields(args)...)
		if stderr != "strata: "+want+"\n" || stdout != "" || code != 2 {
			t.Errorf("%s: code %d, said %q and %q, want %q", args, code, stdout, stderr, want)
		}
	}
}

// TestSelection: a part of a name stands for every name that it is in.
func TestSelection(t *testing.T) {
	of := []string{"A100 40GB", "A100 80GB", "RTX 4090 24GB"}
	for text, want := range map[string][]string{
		"a100":          {"A100 40GB", "A100 80GB"},
		"rtx-4090,40gb": {"RTX 4090 24GB", "A100 40GB"},
		"RTX 4090 24GB": {"RTX 4090 24GB"},
		"80GB":          {"A100 80GB"},
	} {
		var got []string
		if err := (&selection{&got, of}).Set(text); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v, %v, want %v", text, got, err, want)
		}
	}
}
