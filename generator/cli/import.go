package cli

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/strata-catalog/strata/generator/adopt"
	"github.com/strata-catalog/strata/generator/format"
	"github.com/strata-catalog/strata/generator/graph"
	"github.com/strata-catalog/strata/generator/pipeline"
	"github.com/strata-catalog/strata/generator/verify"
)

var importCommand = &Command{
	Name:  "import",
	Args:  "hf|safetensors FILE",
	Short: "make a template of a Hugging Face configuration",
	Long: `With hf, FILE is the configuration. Reads the config.json of a checkpoint on the Hugging Face Hub, a file or - for
standard input, and writes the model as a compact graph document: its layers as
blocks, with the checkpoint's module names, tensor layouts and ties. Nothing is
fetched. Where the configuration holds a text_config, the language model is
imported.

With safetensors, FILE is a checkpoint; the configuration is that of --config, or
the config.json beside it, and the model is at once compared with the files,
as check --against does; without -o it is compared only.

Fields that may change the model and are not in the document are named on
standard error, as is the number of parameters. Model types that can be imported:
` + wrapped(adopt.Types()) + `

Exit code 0: imported. 1: the model that the configuration describes has errors,
or is not the checkpoint; it is written all the same then.
2: wrong usage, a configuration that cannot be imported, or a file that cannot be
read or written.`,
	Setup: func(flags *flag.FlagSet) func(*Session, []string) error {
		m := &importing{}
		flags.StringVar(&m.out, "o", "", "`DIR` to write model.json to (default: it is printed)")
		flags.StringVar(&m.id, "id", "", "`ID` of the document (default: the name of the folder)")
		flags.StringVar(&m.config, "config", "", "`FILE` with the configuration of a checkpoint (default: config.json beside it)")
		flags.BoolVar(&m.force, "force", false, "overwrite a model.json that is there")
		return m.run
	},
}

// wrapped is words with commas between them, in lines of a help text.
func wrapped(list []string) string {
	var b strings.Builder
	line := 0
	for i, w := range list {
		if i < len(list)-1 {
			w += ","
		}
		if line += len(w) + 1; line > 81 {
			b.WriteString("\n")
			line = len(w) + 1
		} else if i > 0 {
			b.WriteString(" ")
		}
		b.WriteString(w)
	}
	return b.String() + "."
}

type importing struct {
	out, id, config string
	force           bool
}

func (m *importing) run(s *Session, args []string) error {
	if len(args) != 2 || args[0] != "hf" && args[0] != "safetensors" {
		return usage("import: want hf and one CONFIG.json, or safetensors and one CHECKPOINT, found %s", printable(strings.Join(args, " ")))
	}
	config, weights := args[1], ""
	if args[0] == "safetensors" {
		if config, weights = m.config, args[1]; config == "" {
			config = beside(weights)
		}
	} else if m.config != "" {
		return usage("import: --config goes with safetensors; with hf the configuration is the argument")
	}
	name, src, err := read(s.Stdin, config)
	if err != nil {
		return &Failure{2, printable(err.Error())}
	}
	in, err := adopt.Config(name, src, m.named(config))
	if err != nil {
		return &Failure{2, printable(err.Error())}
	}
	for _, w := range in.Warnings {
		fmt.Fprintf(s.Stderr, "%s\n", printable(w))
	}
	if in.MaskedLanguage {
		fmt.Fprintln(s.Stderr, "the head predicts masked tokens: say masked-language-model: true in the content file")
	}
	text := graph.Encode(in.Document)
	r, err := counted(s, in.Document.ID, text)
	if err != nil {
		return err
	}
	if m.out != "" {
		if err := m.write(text); err != nil {
			return &Failure{2, printable(err.Error())}
		}
	} else if weights == "" {
		_, err = s.Stdout.Write(text)
		return err
	}
	if weights != "" {
		_, err = s.against(in.Document.ID, weights, "text", r.Model, false)
	}
	return err
}

// beside is the configuration in the folder of a checkpoint.
func beside(weights string) string {
	if info, err := os.Stat(weights); err == nil && info.IsDir() {
		return filepath.Join(weights, "config.json")
	}
	return filepath.Join(filepath.Dir(weights), "config.json")
}

// named is the id of the document: the one asked for, else the name of the
// folder that it is written to, or that the configuration stands in. It is
// empty where there is no folder.
func (m *importing) named(config string) string {
	folder := m.out
	if folder == "" && config != "-" {
		folder = filepath.Dir(config)
	}
	if m.id != "" || folder == "" {
		return m.id
	}
	whole, err := filepath.Abs(folder)
	if err != nil || filepath.Dir(whole) == whole {
		return ""
	}
	return filepath.Base(whole)
}

// counted says how many parameters an imported document has, and fails where
// it has errors.
func counted(s *Session, id string, text []byte) (*pipeline.Report, error) {
	r, err := pipeline.Run(id, text)
	if err != nil {
		return nil, &Failure{1, printable(err.Error())}
	}
	var faults []error
	for _, f := range r.Findings {
		if f.Severity == verify.Error {
			faults = append(faults, fmt.Errorf("%s [%s]", f.Message, f.Rule))
		}
	}
	if len(faults) > 0 {
		return nil, &Failure{1, "the model that the configuration describes has errors:\n" + listed(faults)}
	}
	fmt.Fprintf(s.Stderr, "%s: %s parameters\n", printable(id), format.Exact64(r.Model.Params))
	return r, nil
}

// write puts the document into its folder, which is made where it is not there.
func (m *importing) write(text []byte) error {
	file := filepath.Join(m.out, "model.json")
	switch _, err := os.Lstat(file); {
	case err == nil && !m.force:
		return fmt.Errorf("%s is there already; choose another folder, or overwrite it with --force", file)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if err := os.MkdirAll(m.out, 0o755); err != nil {
		return err
	}
	return replace(file, text)
}
