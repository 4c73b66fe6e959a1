package cli

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/strata-catalog/strata/generator/catalog"
	"github.com/strata-catalog/strata/generator/desk"
	"github.com/strata-catalog/strata/generator/ops"
	"github.com/strata-catalog/strata/generator/pipeline"
	"github.com/strata-catalog/strata/generator/words"
)

// subjects is the word of usage lines for what subject takes.
const subjects = "FILE|ID"

// aboutSubjects is what help says of them.
const aboutSubjects = `FILE is a model.json, a folder that holds one, or - for standard input. ID is a
template of the catalog under --source, with what its content file says.`

// sourceFlag declares the folder of the catalog that ids are of.
func sourceFlag(flags *flag.FlagSet, to *string) {
	flags.StringVar(to, "source", ".", "`DIR` that holds templates/ and content/, for ids")
}

// subject reads and analyses a graph document, or a template of the catalog by
// its id. What is there as a file is a file. The findings that the note of a
// template accepts are marked. Structural faults are an error: nothing else can
// be told of such a document.
func (s *Session) subject(source, arg string) (*ops.Model, error) {
	if arg != "-" && !isFile(arg) {
		sub, err := s.template(source, arg)
		if err != nil || sub != nil {
			return sub, err
		}
	}
	return s.document(arg)
}

// document is a graph document that is no part of a catalog.
func (s *Session) document(file string) (*ops.Model, error) {
	v := analyse(s.Stdin, file)
	if v.err != nil {
		return nil, &Failure{2, printable(v.err.Error())}
	}
	if v.report.Broken() {
		return nil, broken(v.report)
	}
	return ops.Posted(v.file, v.report), nil
}

// isFile reports whether there is a graph document of this name.
func isFile(arg string) bool {
	info, err := os.Stat(arg)
	if err != nil {
		return false
	}
	_, err = os.Stat(filepath.Join(arg, "model.json"))
	return !info.IsDir() || err == nil
}

// template is a template of the catalog, nil where the argument names a file.
func (s *Session) template(source, id string) (*ops.Model, error) {
	if strings.ContainsAny(id, `/\`) || strings.HasSuffix(id, ".json") {
		return nil, nil
	}
	name := filepath.Join(source, "templates")
	ids, err := templates(source)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, usage("there is no file %s, and no catalog that has a template of this name: %s is missing (give its folder with --source)", printable(id), name)
	case err != nil:
		return nil, &Failure{2, err.Error()}
	case !slices.Contains(ids, id):
		return nil, usage("%q is neither a file nor a template of %s%s", id, name, words.DidYouMean(id, ids))
	}
	c, err := load(source, id)
	if err != nil {
		return nil, err
	}
	switch {
	case len(c.Entries) == 0:
		if _, err := s.document(filepath.Join(name, id)); err != nil {
			return nil, err
		}
		return nil, &Failure{1, listed(c.Problems)}
	case len(c.Problems) > 0:
		return nil, &Failure{2, listed(c.Problems)}
	}
	d, err := desk.Of(c)
	if err != nil {
		return nil, &Failure{2, err.Error()}
	}
	return d.Model(id), nil
}

// load reads some templates of the catalog, or all where none is named, with
// their notes and the settings.
func load(source string, only ...string) (*catalog.Catalog, error) {
	o := catalog.Options{TemplatesName: filepath.Join(source, "templates"), ContentName: filepath.Join(source, "content"), Only: only}
	var f sources
	defer f.close()
	var err error
	if o.Templates, err = f.folder("templates", o.TemplatesName, true); err != nil {
		return nil, err
	}
	if o.Content, err = f.folder("content", o.ContentName, false); err != nil {
		return nil, err
	}
	c, err := catalog.Load(o)
	if err != nil {
		return nil, &Failure{2, err.Error()}
	}
	return c, nil
}

// catalogued is a whole catalog, for operations.
func catalogued(source string) (*ops.Env, error) {
	c, err := load(source)
	switch {
	case err != nil:
		return nil, err
	case len(c.Problems) > 0:
		return nil, &Failure{2, listed(c.Problems)}
	}
	d, err := desk.Of(c)
	if err != nil {
		return nil, &Failure{2, err.Error()}
	}
	return &ops.Env{Catalog: d}, nil
}

// templates lists the ids of the catalog under a folder, in order.
func templates(source string) (ids []string, err error) {
	entries, err := os.ReadDir(filepath.Join(source, "templates"))
	for _, e := range entries {
		if _, err := os.Stat(filepath.Join(source, "templates", e.Name(), "model.json")); err == nil {
			ids = append(ids, e.Name())
		}
	}
	return ids, err
}

// broken is the failure for a document with structural faults.
func broken(r *pipeline.Report) error {
	faults := make([]error, len(r.Findings))
	for i, f := range r.Findings {
		faults[i] = fmt.Errorf("%s: %s [%s]", f.Position, f.Message, f.Rule)
	}
	return &Failure{1, "structural faults leave nothing to tell; mend them first:\n" + listed(faults)}
}

// listed is errors with a line for each.
func listed(errs []error) string {
	lines := make([]string, len(errs))
	for i, err := range errs {
		lines[i] = printable(err.Error())
	}
	return strings.Join(lines, "\n")
}
