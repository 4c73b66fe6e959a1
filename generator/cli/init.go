package cli

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
)

// firstTemplate is the id of the template that a new catalog has.
const firstTemplate = "tiny-decoder"

var initCommand = &Command{
	Name:  "init",
	Args:  "DIR",
	Short: "begin a catalog of your own",
	Long: `Writes a catalog with one template into a folder, which is made where it is not
there: the template's graph and content file, content/site.yaml with all settings,
a workflow that publishes on GitHub Pages, and a .gitignore. A folder that holds
anything but .git is left as it is.

Exit code 0: written. 2: wrong usage, a folder that is not empty, or one that
cannot be written; nothing is left in it then.`,
	Setup: func(*flag.FlagSet) func(*Session, []string) error { return initialise },
}

func initialise(s *Session, args []string) error {
	if len(args) != 1 || args[0] == "" {
		return usage("init: want one folder, found %q; strata init . takes the current one", strings.Join(args, " "))
	}
	dir := args[0]
	err := vacant(dir)
	if err == nil {
		drafts := append(slices.Clone(siteDrafts), templateDrafts(firstTemplate)...)
		err = install(dir, firstTemplate, drafts, roots(drafts))
	}
	if err != nil {
		return &Failure{2, "init: " + printable(err.Error())}
	}
	_, err = fmt.Fprintf(s.Stdout, `%s holds a catalog with one template, %s.

Try next, in that folder:
  strata check templates/%[2]s
  strata build
  strata new ID

content/site.yaml holds the settings; .github/workflows/pages.yml publishes what
is pushed to main.
`, printable(dir), firstTemplate)
	return err
}

// vacant makes a folder, or makes sure that the one that is there is empty.
func vacant(dir string) error {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return os.MkdirAll(dir, 0o755)
	case err != nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("%s is a file, expected a folder; give another name", dir)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	var there []string
	for _, e := range entries {
		if e.Name() != ".git" {
			there = append(there, e.Name())
		}
	}
	if len(there) > 0 {
		return fmt.Errorf("%s is not empty, it holds %s; give a new folder, or an empty one", dir, strings.Join(first(there, 6), ", "))
	}
	return nil
}

// roots lists the first steps of the drafts' paths.
func roots(drafts []draft) (list []string) {
	for _, d := range drafts {
		root, _, _ := strings.Cut(d.name, "/")
		if !slices.Contains(list, root) {
			list = append(list, root)
		}
	}
	return list
}
