package cli

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"text/template"
	"unicode"
	"unicode/utf8"

	"github.com/strata-catalog/strata/generator/content"
	"github.com/strata-catalog/strata/generator/facts"
)

// scaffoldFiles are the files that new catalogs and templates are made of, each
// a text/template between [[ and ]], which neither JSON, YAML nor the workflow
// has a use for.
//
//go:embed scaffold
var scaffoldFiles embed.FS

// A draft is a file to write: its path below a folder, with slashes, and the
// file of scaffold/ that it is made from.
type draft struct{ name, from string }

// siteDrafts are the files of a catalog beside its templates.
var siteDrafts = []draft{
	{".gitignore", "gitignore"},
	{".github/workflows/pages.yml", "pages.yml"},
	{"content/site.yaml", "site.yaml"},
}

// templateDrafts are the files of a template: its graph, then its note.
func templateDrafts(id string) []draft {
	return []draft{
		{"templates/" + id + "/model.json", "model.json"},
		{"content/a/" + id + ".md", "note.md"},
	}
}

// text is what the draft is with the names of a template filled in.
func (d draft) text(id string) ([]byte, error) {
	t, err := template.New(d.from).Delims("[[", "]]").Funcs(template.FuncMap{
		"json":     jsonText,
		"settings": settings,
		"unset":    unset,
	}).ParseFS(scaffoldFiles, "scaffold/"+d.from)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = t.Execute(&b, struct{ ID, Name string }{id, nameOf(id)})
	return b.Bytes(), err
}

// nameOf is a name for the eye: "Tiny decoder" for tiny-decoder.
func nameOf(id string) string {
	first, size := utf8.DecodeRuneInString(id)
	return string(unicode.ToUpper(first)) + strings.ReplaceAll(id[size:], "-", " ")
}

func jsonText(s string) (string, error) {
	line, err := facts.JSONLine(s)
	return strings.TrimSpace(string(line)), err
}

// settings lists what site.yaml may set, with the defaults as values.
func settings() string {
	defaults := reflect.ValueOf(content.Defaults())
	values := map[string]string{}
	for i := range defaults.NumField() {
		v := defaults.Field(i)
		switch name := defaults.Type().Field(i).Tag.Get("yaml"); {
		case v.IsZero():
		case v.Kind() == reflect.String:
			values[name] = strconv.Quote(v.String())
		default:
			values[name] = fmt.Sprint(v)
		}
	}
	var b strings.Builder
	for _, k := range content.Keys(content.Settings{}) {
		fmt.Fprintf(&b, "\n# %s (%s)\n", k.Doc, k.Value)
		if value, ok := values[k.Name]; ok {
			fmt.Fprintf(&b, "%s: %s\n", k.Name, value)
		} else {
			fmt.Fprintf(&b, "# %s:\n", k.Name)
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// unset lists the keys of a note that are not given, as comments.
func unset(given ...string) string {
	var b strings.Builder
	for _, k := range content.Keys(content.Note{}) {
		if slices.Contains(given, k.Name) {
			continue
		}
		kind := k.Value
		if len(k.Keys) > 0 {
			kind += " with " + strings.Join(keyNames(k.Keys), ", ")
		}
		fmt.Fprintf(&b, "# %s: # %s (%s)\n", k.Name, k.Doc, kind)
	}
	return b.String()
}

func keyNames(keys []content.Key) []string {
	names := make([]string, len(keys))
	for i, k := range keys {
		names[i] = k.Name
	}
	return names
}

// A taken is the error for a file or folder that is there already.
type taken struct{ name string }

func (t *taken) Error() string { return fmt.Sprintf("%s is there already", t.name) }

// install writes drafts below a folder: all of them, or none. They are written
// to a folder beside their places first; then the units, files or folders that
// hold all drafts, are renamed to where they belong. A unit that is there
// already is an error, and stays as it is.
func install(dir, id string, drafts []draft, units []string) error {
	for _, unit := range units {
		name := filepath.Join(dir, unit)
		if _, err := os.Lstat(name); err == nil {
			return &taken{name}
		} else if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	stage, err := os.MkdirTemp(dir, ".strata-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(stage)
	for _, d := range drafts {
		text, err := d.text(id)
		if err != nil {
			return err
		}
		if err := writeBelow(stage, d.name, text); err != nil {
			return err
		}
	}
	return moveAll(stage, dir, units)
}

func writeBelow(dir, name string, text []byte) error {
	to := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return os.WriteFile(to, text, 0o644)
}

// moveAll renames files and folders from one folder to another. When one cannot
// be, those before it are removed again.
func moveAll(from, to string, names []string) error {
	for i, name := range names {
		err := os.MkdirAll(filepath.Join(to, path.Dir(name)), 0o755)
		if err == nil {
			err = os.Rename(filepath.Join(from, name), filepath.Join(to, name))
		}
		if err == nil {
			continue
		}
		for _, moved := range names[:i] {
			err = errors.Join(err, os.RemoveAll(filepath.Join(to, moved)))
		}
		return err
	}
	return nil
}
