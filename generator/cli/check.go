package cli

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/strata-catalog/strata/generator/facts"
	"github.com/strata-catalog/strata/generator/format"
	"github.com/strata-catalog/strata/generator/graph"
	"github.com/strata-catalog/strata/generator/ops"
	"github.com/strata-catalog/strata/generator/pipeline"
	"github.com/strata-catalog/strata/generator/policy"
	"github.com/strata-catalog/strata/generator/sarif"
	"github.com/strata-catalog/strata/generator/shape"
	"github.com/strata-catalog/strata/generator/verify"
)

var checkCommand = &Command{
	Name:  "check",
	Args:  "FILE…",
	Short: "analyse graphs and report what is wrong with them",
	Long: `Analyses each graph document and prints its findings, with their places in the
file, and its verdict. FILE is a model.json, a folder that holds one, or - for
standard input; with --against it is also the id of a template. With --format json
each file gives one JSON object on a line. With --format sarif all files give one
log in SARIF 2.1.0, which code hosts show beside the lines concerned; a file that
cannot be read is a notification in it.

With --policy, each model also has to keep the lines of a policy, in YAML:

` + aboutPolicy() + `
A line that is not kept is an error under its name. So is a line about a figure
that is not known, or of which only a lower bound is that does not break it.

With --against, one model is compared with a checkpoint, tensor by tensor, and its
findings are not asked for. The checkpoint is a .safetensors file, an index of
several (` + indexFile + `), a .gguf file, or a folder that
holds one of these; only headers are read. Masks and other buffers, scales and
zero points, packed integers (GPTQ, AWQ, MLX, bitsandbytes, compressed-tensors,
FP8, MXFP4, NVFP4) and prediction modules are told from weights. The answer ends
with the lines from parameters to stored elements, and a verdict; --write puts
those lines into the template's content file.

Exit code 0: good, or the graph is that checkpoint. 1: an error, or with --strict
a warning, in some file; with --against, tensors that stand between the two, and
with --strict also other names and types. 2: a file or a policy that cannot be
read, or wrong usage.`,
	Setup: func(fs *flag.FlagSet) func(*Session, []string) error {
		c := &check{}
		choose(fs, &c.format, "format", "`FORMAT` of the answer", "text", "json", "sarif")
		fs.BoolVar(&c.strict, "strict", false, "fail on warnings too")
		fs.StringVar(&c.against, "against", "", "`FILE` of weights to compare with")
		fs.StringVar(&c.policy, "policy", "", "`FILE` of limits that each model has to keep")
		fs.StringVar(&c.sarif, "sarif", "", "`FILE` to write the SARIF log to, beside the answer")
		fs.BoolVar(&c.write, "write", false, "with --against: record the stored elements in content/a/ID.md")
		sourceFlag(fs, &c.source)
		return c.run
	},
}

type check struct {
	format                 string
	strict, write          bool
	against, policy, sarif string
	source                 string
}

func (c *check) run(s *Session, files []string) error {
	if len(files) == 0 {
		return usage("check: which file? Give a model.json, or - for standard input")
	}
	if c.against != "" || c.write {
		return c.compare(s, files)
	}
	var limits *policyFile
	if c.policy != "" {
		var err error
		if limits, err = readPolicy(c.policy); err != nil {
			return err
		}
	}
	code := 0
	var all []sarif.Document
	for _, file := range files {
		v := analyse(s.Stdin, file)
		if v.err == nil && limits != nil {
			v.report, v.policy, v.err = limits.Hold(v.report, limits.assumed)
		}
		code = max(code, v.code(c.strict))
		var err error
		switch c.format {
		case "json":
			err = printJSON(s, v)
		case "text":
			err = printText(s, v)
		}
		if err != nil {
			return err
		}
		all = append(all, v.document(file))
	}
	if err := c.log(s, all); err != nil {
		return err
	}
	if code > 0 {
		return &Failure{Code: code}
	}
	return nil
}

// log writes the SARIF log to where it is asked for.
func (c *check) log(s *Session, all []sarif.Document) error {
	if c.format == "sarif" {
		if err := s.json(sarif.Of(Version, all)); err != nil {
			return err
		}
	}
	if c.sarif == "" {
		return nil
	}
	src, err := facts.JSON(sarif.Of(Version, all))
	if err == nil {
		err = os.WriteFile(c.sarif, src, 0o666)
	}
	if err != nil {
		return &Failure{2, printable(fmt.Sprintf("check: --sarif: %v", err))}
	}
	return nil
}

// compare sets one model against a checkpoint.
func (c *check) compare(s *Session, files []string) error {
	switch {
	case c.against == "":
		return usage("check: --write goes with --against CHECKPOINT")
	case c.format == "sarif":
		return usage("check: --against answers as text or json")
	case c.sarif != "":
		return usage("check: --against answers as text or json, and has no log for --sarif")
	case c.policy != "":
		return usage("check: --policy and --against are two questions; ask them one by one")
	}
	if err := onlyOne("check --against", "model", files); err != nil {
		return err
	}
	sub, err := s.subject(c.source, files[0])
	if err != nil {
		return err
	}
	if c.write && !sub.Listed {
		return usage("check: --write needs a template of a catalog by its id, found %q", files[0])
	}
	k, err := s.against(files[0], c.against, c.format, sub.Model, c.strict)
	if k == nil || !c.write {
		return err
	}
	name, wrong := record(c.source, sub.ID, c.against, k)
	if wrong != nil {
		return &Failure{2, printable(wrong.Error())}
	}
	fmt.Fprintf(s.Stderr, "%s: recorded\n", printable(name))
	return err
}

// A verdict is the answer for one file.
type verdict struct {
	file   string
	report *pipeline.Report
	policy []policy.Result // nil without a policy
	err    error           // it cannot be read
}

func (v *verdict) code(strict bool) int {
	switch {
	case v.err != nil:
		return 2
	case v.report.Verdict == verify.Fail, strict && v.report.Verdict != verify.Pass_:
		return 1
	}
	return 0
}

// document is the answer as a SARIF log has it.
func (v *verdict) document(file string) sarif.Document {
	if file != sarif.StandardInput {
		file = v.file
	}
	d := sarif.Document{File: file, Err: v.err}
	if v.err == nil {
		d.Findings = v.report.Findings
	}
	return d
}

// analyse reads one file and runs the pipeline on it.
func analyse(stdin io.Reader, file string) *verdict {
	v := &verdict{file: file}
	name, src, err := read(stdin, file)
	if err != nil {
		v.err = err
		return v
	}
	v.file = name
	v.report, v.err = pipeline.Run(name, src)
	return v
}

// read returns a graph document and the name to call it by in messages.
func read(stdin io.Reader, file string) (name string, src []byte, err error) {
	in, name := stdin, "standard input"
	if file != sarif.StandardInput {
		name = file
		if info, err := os.Stat(file); err == nil && info.IsDir() {
			name = filepath.Join(file, "model.json")
		}
		f, err := os.Open(name)
		if err != nil {
			return name, nil, unread(name, err)
		}
		defer f.Close()
		in = f
	}
	// One byte more than the limit is enough for the decoder to refuse it.
	src, err = io.ReadAll(io.LimitReader(in, graph.MaxBytes+1))
	if err != nil {
		return name, nil, fmt.Errorf("%s: %w", name, err)
	}
	return name, src, nil
}

// unread says first which file cannot be read.
func unread(name string, err error) error {
	var pe *os.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	return fmt.Errorf("%s: %w", name, err)
}

// printText writes findings and verdict, and what cannot be read to stderr.
func printText(s *Session, v *verdict) error {
	if v.err != nil {
		_, err := fmt.Fprintf(s.Stderr, "strata: %s\n", printable(v.err.Error()))
		return err
	}
	var b strings.Builder
	r := v.report
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "%s: %s: ", printable(f.Position.String()), f.Severity)
		if len(f.Components) > 0 {
			b.WriteString(printable(strings.Join(first(f.Components, 6), ", ")))
			if f.Repeat > 1 {
				fmt.Fprintf(&b, " ×%d", f.Repeat)
			}
			b.WriteString(": ")
		}
		fmt.Fprintf(&b, "%s [%s]\n", printable(f.Message), f.Rule)
		if f.Fix != "" {
			fmt.Fprintf(&b, "    fix: %s\n", printable(f.Fix))
		}
	}
	for _, line := range v.policy {
		if line.Status == policy.Kept {
			fmt.Fprintf(&b, "%s: kept: %s [%s]\n", printable(v.file), printable(line.Message), line.Line)
		}
	}
	fmt.Fprintf(&b, "%s: %s: %s\n", printable(v.file), r.Verdict, printable(summary(r)))
	_, err := io.WriteString(s.Stdout, b.String())
	return err
}

// An Answer is what check says of one file in JSON.
type Answer struct {
	File string `json:"file" doc:"the file, as given"`
	// Error is set alone, for a file that cannot be read.
	Error *Trouble `json:"error,omitzero" doc:"why the file cannot be read"`
	*facts.Check
}

// Trouble says why and where a file cannot be read.
type Trouble struct {
	Message string `json:"message" doc:"what was found, and what was expected"`
	Line    int    `json:"line" doc:"line in the file, from 1; 0 when no place is to blame"`
	Column  int    `json:"column" doc:"column in characters, from 1"`
	Path    string `json:"path" doc:"JSON path, empty when the place says it all"`
}

// printJSON writes one line of JSON, whatever became of the file.
func printJSON(s *Session, v *verdict) error {
	a := Answer{File: v.file}
	var e *graph.Error
	switch {
	case errors.As(v.err, &e):
		a.Error = &Trouble{e.Msg, e.Line, e.Column, e.Path}
	case v.err != nil:
		a.Error = &Trouble{Message: v.err.Error()}
	default:
		a.Check = ops.Posted(v.file, v.report).Check()
		a.Policy = v.policy
	}
	line, err := facts.JSONLine(a)
	if err != nil {
		return err
	}
	_, err = s.Stdout.Write(line)
	return err
}

// first shortens a list for a line of text.
func first(list []string, n int) []string {
	if len(list) <= n {
		return list
	}
	return append(append([]string(nil), list[:n]...), fmt.Sprintf("and %d more", len(list)-n))
}

// summary says in one line what a model is, as far as that is known.
func summary(r *pipeline.Report) string {
	m := r.Model
	if r.Broken() {
		return "a structural fault; nothing else can be told"
	}
	layers := "1 layer"
	if n := m.Layers(); n != 1 {
		layers = format.Exact64(int64(n)) + " layers"
	}
	params := format.Exact64(m.Params) + " parameters"
	if !m.Counted {
		params = "at least " + params
	}
	var in, out []string
	for _, i := range m.Inputs() {
		in = append(in, shapeText(m.Nodes[i].Out()))
	}
	for _, i := range m.Outputs() {
		out = append(out, shapeText(m.Nodes[i].Out()))
	}
	return fmt.Sprintf("%s, %s, %s → %s", layers, params, cmp.Or(strings.Join(in, ", "), "no input"), cmp.Or(strings.Join(out, ", "), "no output"))
}

func shapeText(s shape.Shape) string {
	if s == nil {
		return "unknown"
	}
	return s.String()
}

// printable replaces control characters, which could command the terminal.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			return unicode.ReplacementChar
		}
		return r
	}, s)
}
