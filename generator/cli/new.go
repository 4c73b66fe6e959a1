package cli

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/strata-catalog/strata/generator/page"
	"github.com/strata-catalog/strata/generator/pipeline"
	"github.com/strata-catalog/strata/generator/verify"
)

// slugForm says what an id is made of.
const slugForm = `lower-case letters and digits, joined by single dots or hyphens`

var newCommand = &Command{
	Name:  "new",
	Args:  "ID",
	Short: "add a template to start from",
	Long: `Writes templates/ID/model.json, a small graph that is valid, and content/a/ID.md,
its content file, into the catalog under --source. The id is made of
` + slugForm + `. It is part of
the page's address. Nothing that is there is overwritten.

Exit code 0: written. 2: wrong usage, an id that is no slug or is taken, or a
folder that cannot be written; nothing is left in it then.`,
	Setup: func(flags *flag.FlagSet) func(*Session, []string) error {
		n := &scaffolding{}
		flags.StringVar(&n.source, "source", ".", "`DIR` that holds templates/ and content/")
		return n.run
	},
}

type scaffolding struct{ source string }

func (n *scaffolding) run(s *Session, args []string) error {
	if len(args) != 1 || args[0] == "" {
		return usage("new: want one id, such as qwen3-8b, found %q", strings.Join(args, " "))
	}
	id := strings.ToValidUTF8(args[0], string(utf8.RuneError))
	drafts := templateDrafts(id)
	if err := valid(id); err != nil {
		return usage("new: %s", printable(err.Error()))
	}
	if info, err := os.Stat(filepath.Join(n.source, "templates")); err != nil || !info.IsDir() {
		return usage("new: there is no folder %s; give the catalog's folder with --source, or begin a catalog with strata init",
			printable(filepath.Join(n.source, "templates")))
	}
	model, note := drafts[0].name, drafts[1].name
	err := install(n.source, id, drafts, []string{path.Dir(model), note})
	var there *taken
	switch {
	case errors.As(err, &there):
		return usage("new: %s; choose another id, or edit what is there", printable(err.Error()))
	case err != nil:
		return &Failure{2, "new: " + printable(err.Error())}
	}
	at := func(name string) string { return printable(filepath.Join(n.source, name)) }
	_, err = fmt.Fprintf(s.Stdout, "%s\n%s\n\nTry next:\n  strata check %s\n", at(model), at(note), at(path.Dir(model)))
	return err
}

// refused says why the verifier refuses the document that the id would give, ""
// where it does not.
func refused(id string, model draft) (string, error) {
	src, err := model.text(id)
	if err != nil {
		return "", err
	}
	report, err := pipeline.RunWith(model.name, src, verify.Options{Folder: id})
	if err != nil {
		return "", err
	}
	for _, f := range report.Findings {
		if rule, ok := verify.Lookup(f.Rule); ok && rule.Faulty {
			return f.Message, nil
		}
	}
	return "", nil
}

// valid reports an id that is no slug, with one that it may have been meant as,
// and the id whose page would be that of the whole catalog.
func valid(id string) error {
	if at := page.TemplateURLs(id).Markdown; at == page.IndexMarkdown {
		return fmt.Errorf("id %q is taken: %s is the list of all templates; choose another id", id, at)
	}
	why, err := refused(id, templateDrafts(id)[0])
	if err != nil || why == "" {
		return err
	}
	if near := slugOf(id); near != "" {
		if still, err := refused(near, templateDrafts(near)[0]); still == "" && err == nil {
			return fmt.Errorf("%s; try %s", why, near)
		}
	}
	return fmt.Errorf("%s; give %s", why, slugForm)
}

var unfit = regexp.MustCompile(`[^a-z0-9.]+|\.[^a-z0-9]+`)

// slugOf is a text with hyphens in the place of what no slug has.
func slugOf(text string) string {
	return strings.Trim(unfit.ReplaceAllString(strings.ToLower(text), "-"), "-.")
}
