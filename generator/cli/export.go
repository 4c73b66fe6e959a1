package cli

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/strata-catalog/strata/generator/graph"
	"github.com/strata-catalog/strata/generator/ops"
)

var exportCommand = &Command{
	Name:  "export",
	Args:  subjects,
	Short: "write a model as PyTorch",
	Long: `Writes a model as one Python file that imports torch alone: it builds the model
with the parameters that are counted here, under the same names, and prints them
when it is run. ` + aboutSubjects + `

A model with a layer that cannot be written is not written at all; the layer and
the reason are named.

Exit code 0: written. 1: the model cannot be exported. 2: wrong usage, or a file
that cannot be read or written.`,
	Setup: func(flags *flag.FlagSet) func(*Session, []string) error {
		e := &exporting{}
		sourceFlag(flags, &e.source)
		flags.StringVar(&e.out, "o", "", "`FILE` to write to, - for standard output (the default)")
		return e.run
	},
}

type exporting struct{ source, out string }

func (e *exporting) run(s *Session, args []string) error {
	if len(args) != 1 {
		return usage("export: want one %s, found %d arguments", subjects, len(args))
	}
	sub, err := s.subject(e.source, args[0])
	if err != nil {
		return err
	}
	made, err := sub.Export()
	var refused *ops.Error
	switch {
	case errors.As(err, &refused) && len(refused.Reasons) > 0:
		for _, r := range refused.Reasons {
			at := sub.File
			if r.Layer != "" {
				at = fmt.Sprintf("%s: %s (%s)", graph.Position{File: sub.File, Line: r.Line, Column: r.Column}, r.Layer, r.Type)
			}
			fmt.Fprintf(s.Stderr, "%s: %s\n", printable(at), printable(r.Why))
		}
		return &Failure{1, fmt.Sprintf("%s is not exported: %s", printable(sub.ID), count(len(refused.Reasons), "reason"))}
	case err != nil:
		return &Failure{1, err.Error()}
	case e.out == "", e.out == "-":
		_, err = io.WriteString(s.Stdout, made.Source)
		return err
	}
	if err := replace(e.out, []byte(made.Source)); err != nil {
		return &Failure{2, err.Error()}
	}
	return nil
}

// replace writes a file in one step: whoever reads it sees the old text or the
// new one. A link is followed, and what is no regular file, such as a device, is
// written to as it is.
func replace(name string, data []byte) error {
	mode := os.FileMode(0o666)
	if target, err := filepath.EvalSymlinks(name); err == nil {
		info, err := os.Stat(target)
		if err != nil {
			return err
		}
		if !info.Mode().IsRegular() {
			return write(target, data)
		}
		name, mode = target, info.Mode().Perm()
	}
	// The file is made as the umask wants it, then gets the mode of the old one.
	f, err := os.OpenFile(fmt.Sprintf("%s.%d.strata", name, os.Getpid()), os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if _, err := f.Write(data); err != nil {
		return errors.Join(err, f.Close())
	}
	if mode != 0o666 {
		err = f.Chmod(mode)
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}

// write writes to what is there already.
func write(name string, data []byte) error {
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}
