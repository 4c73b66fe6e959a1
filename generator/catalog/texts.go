//go:build !js

package catalog

import (
	"errors"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/strata-catalog/strata/generator/content"
	"github.com/strata-catalog/strata/generator/graph"
)

// Where content files stand.
const (
	settingsFile = "site.yaml"
	noteFolder   = "a"
	diffFolder   = "diff"
	between      = "-vs-" // the ids of a diff, in the name of its file
	markdown     = ".md"
)

// address is what the path of a page may be made of.
var address = regexp.MustCompile(`^[A-Za-z0-9._/-]+$`)

// texts lists the content files that are to be read.
func (l *loader) texts() ([]string, error) {
	if l.Content == nil {
		return nil, nil
	}
	if l.Only != nil {
		return l.textsOf(l.Only), nil
	}
	var pages, others []string
	err := l.walk(".", []string{"."}, func(name string) {
		folder := path.Dir(name)
		switch ext := path.Ext(name); {
		case name == settingsFile, ext == markdown && (folder == noteFolder || folder == diffFolder):
			others = append(others, name)
		case ext == markdown && (strings.HasPrefix(name, noteFolder+"/") || strings.HasPrefix(name, diffFolder+"/")):
			l.problem(l.text(name), "found in a folder of its own, expected in %s", path.Join(l.ContentName, strings.Split(name, "/")[0]))
		case ext == markdown && !address.MatchString(name):
			l.problem(l.text(name), "the name is part of an address; rename the file with letters, digits, -, _ and .")
		case ext == markdown:
			pages = append(pages, name)
		case folder == "." && (ext == ".yaml" || ext == ".yml"):
			l.problem(l.text(name), "unknown file; the settings are called %q", settingsFile)
		}
	})
	return append(others, l.distinct(l.ContentName, pages)...), err
}

// textsOf lists the settings and the notes on some templates, where they are
// there.
func (l *loader) textsOf(ids []string) []string {
	names := []string{settingsFile}
	for _, id := range ids {
		names = append(names, path.Join(noteFolder, id+markdown))
	}
	return slices.DeleteFunc(names, func(name string) bool {
		_, _, err := resolve(l.Content, name)
		return errors.Is(err, fs.ErrNotExist)
	})
}

// walk calls f for every file below a folder, in order. real is the folder and
// those around it, with links followed. The error says that the folder cannot
// be listed.
func (l *loader) walk(folder string, real []string, f func(name string)) error {
	entries, err := fs.ReadDir(l.Content, folder)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if content.Hidden(e.Name()) {
			continue
		}
		name := path.Join(folder, e.Name())
		if e.Type().IsRegular() {
			f(name)
			continue
		}
		at, info, err := resolve(l.Content, name)
		switch {
		case err != nil:
			l.report(l.text(name).File, err)
		case !info.IsDir():
			f(name)
		case slices.Contains(real, at):
			l.problem(l.text(name), "a symbolic link leads back to a folder that it stands in; remove it")
		default:
			if err := l.walk(name, append(real, at), f); err != nil {
				l.report(l.text(name).File, plain(err))
			}
		}
	}
	return nil
}

// text is a content file as the place of a problem.
func (l *loader) text(name string) graph.Position {
	return graph.Position{File: path.Join(l.ContentName, name)}
}

// parsed is one content file: one of the four.
type parsed struct {
	sum      string // "" when it could not be read
	settings *content.Settings
	note     *content.Note
	diff     *content.DiffNote
	page     *content.Page
	err      error
}

// parse reads the content files.
func (l *loader) parse(names []string) {
	files := make([]parsed, len(names))
	l.each(len(names), func(i int) { files[i] = l.parseFile(names[i]) })
	l.notes = map[string]*content.Note{}
	l.Kept.texts = make(map[string]parsed, len(files))
	for i, f := range files {
		if f.sum != "" {
			l.Kept.texts[names[i]] = f
			l.sums[l.text(names[i]).File] = f.sum
		}
		switch {
		case f.err != nil:
			l.report(l.text(names[i]).File, f.err)
		case f.settings != nil:
			l.Settings, l.SettingsSum = *f.settings, f.sum
		case f.note != nil:
			l.notes[base(names[i])] = f.note
		case f.diff != nil:
			d := *f.diff // its ids depend on the templates
			l.diffs = append(l.diffs, &d)
		case f.page != nil:
			l.Pages = append(l.Pages, f.page)
		}
	}
	slices.SortFunc(l.Pages, func(a, b *content.Page) int { return strings.Compare(a.Path, b.Path) })
}

// parseFile reads a content file, or takes what was made of the same text.
func (l *loader) parseFile(name string) parsed {
	file := l.text(name).File
	before, ok := l.Kept.texts[name]
	if ok && !l.Changed(file) {
		return before
	}
	src, err := read(l.Content, name, content.MaxBytes)
	if err != nil {
		return parsed{err: err}
	}
	sum := checksum(src)
	if ok && before.sum == sum {
		return before
	}
	f := parseText(file, name, src)
	f.sum = sum
	return f
}

func parseText(file, name string, src []byte) parsed {
	switch path.Dir(name) {
	case noteFolder:
		n, err := content.ParseNote(file, src)
		return parsed{note: n, err: err}
	case diffFolder:
		d, err := content.ParseDiffNote(file, src)
		return parsed{diff: d, err: err}
	}
	if name == settingsFile {
		s, err := content.ParseSettings(file, src)
		return parsed{settings: &s, err: err}
	}
	p, err := content.ParsePage(file, strings.TrimSuffix(name, markdown), src)
	return parsed{page: p, err: err}
}

// base is the name of a content file without folder and extension.
func base(name string) string { return strings.TrimSuffix(path.Base(name), markdown) }

// pair fills in the ids of a diff from the name of its file. It reports whether
// both templates have a page.
func (l *loader) pair(d *content.DiffNote) bool {
	name := base(d.File)
	a, b, ok := l.ends(name)
	if !ok {
		l.problem(d.At(""), "found the name %q, expected <a>%s<b>%s with the ids of two templates", name, between, markdown)
		return false
	}
	known := true
	for _, id := range []string{a, b} {
		if !l.has(id) {
			l.problem(d.At(""), "no template is called %q%s", id, l.near(id))
			known = false
		}
	}
	if known && a == b {
		l.problem(d.At(""), "compares %q with itself; name two templates", a)
		return false
	}
	d.A, d.B = a, b
	_, hasA := l.Entry(a)
	_, hasB := l.Entry(b)
	return hasA && hasB
}

// ends splits the name of a diff. An id may have "-vs-" in it: the first split
// into two known ids is taken, else the first one.
func (l *loader) ends(name string) (a, b string, ok bool) {
	for at := 0; ; {
		i := strings.Index(name[at:], between)
		if i < 0 {
			return a, b, ok
		}
		left, right := name[:at+i], name[at+i+len(between):]
		if l.has(left) && l.has(right) {
			return left, right, true
		}
		if !ok && left != "" && right != "" {
			a, b, ok = left, right, true
		}
		at += i + 1
	}
}
