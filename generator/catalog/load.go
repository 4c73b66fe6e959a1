//go:build !js

package catalog

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/strata-catalog/strata/generator/content"
	"github.com/strata-catalog/strata/generator/format"
	"github.com/strata-catalog/strata/generator/graph"
	"github.com/strata-catalog/strata/generator/pipeline"
	"github.com/strata-catalog/strata/generator/verify"
	"github.com/strata-catalog/strata/generator/words"
)

// modelFile is the graph document in the folder of a template.
const modelFile = "model.json"

// Options say what to load.
type Options struct {
	Templates fs.FS // <id>/model.json
	Content   fs.FS // site.yaml, a/<id>.md, diff/<a>-vs-<b>.md, pages; nil: none, and default settings

	// TemplatesName and ContentName are the two folders in messages;
	// "templates" and "content" when empty.
	TemplatesName, ContentName string

	Jobs int // files worked on at once; 0: as many as there are processors

	// Only lists the templates to load, by id, with their notes and the settings;
	// nil: everything.
	Only []string

	// Kept is what a Load before this one read and analysed; this one takes from
	// it what is the same, and leaves what the next one may take. Nil: nothing.
	Kept *Kept
	// Changed reports whether a file, by its path as in messages, may be another
	// than it was; the others are not read again. Nil: every file may be.
	Changed func(file string) bool
}

// Load reads and analyses a catalog. The result does not depend on Jobs. The
// error says that one of the two folders cannot be listed at all; what is wrong
// within them stands in Problems.
func Load(o Options) (*Catalog, error) {
	o.TemplatesName = cmp.Or(o.TemplatesName, "templates")
	o.ContentName = cmp.Or(o.ContentName, "content")
	o.Jobs = cmp.Or(o.Jobs, runtime.GOMAXPROCS(0))
	if o.Kept == nil {
		o.Kept = &Kept{}
	}
	if o.Changed == nil {
		o.Changed = func(string) bool { return true }
	}
	l := &loader{Options: o, Catalog: &Catalog{Settings: content.Defaults(), sums: map[string]string{}}}
	texts, err := l.texts()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.ContentName, plain(err))
	}
	folders, err := l.folders()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.TemplatesName, plain(err))
	}
	l.ids = folders
	l.parse(texts)
	l.analyse()
	l.match()
	l.Kept.relations = relate(l.Entries, l.Kept.relations)
	l.relations = l.Kept.relations
	slices.SortStableFunc(l.problems, func(a, b *graph.Error) int {
		return cmp.Or(strings.Compare(a.File, b.File), a.Line-b.Line, a.Column-b.Column)
	})
	for _, p := range l.problems {
		l.Problems = append(l.Problems, p)
	}
	return l.Catalog, nil
}

// loader fills a Catalog.
type loader struct {
	Options
	*Catalog
	ids      []string // the folders of templates, sorted
	notes    map[string]*content.Note
	diffs    []*content.DiffNote
	problems []*graph.Error
}

func (l *loader) problem(at graph.Position, format string, args ...any) {
	l.problems = append(l.problems, &graph.Error{Position: at, Msg: fmt.Sprintf(format, args...)})
}

// report notes an error of another package, or the errors that it joins.
func (l *loader) report(file string, err error) {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range joined.Unwrap() {
			l.report(file, e)
		}
		return
	}
	var placed *graph.Error
	if !errors.As(err, &placed) {
		placed = &graph.Error{Position: graph.Position{File: file}, Msg: err.Error()}
	}
	l.problems = append(l.problems, placed)
}

// each calls f for 0 to n-1, on as many at once as there are jobs.
func (l *loader) each(n int, f func(i int)) {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(l.Jobs, n) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				f(i)
			}
		})
	}
	wg.Wait()
}

// folders lists the folders of templates.
func (l *loader) folders() ([]string, error) {
	entries, err := fs.ReadDir(l.Templates, ".")
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if content.Hidden(e.Name()) || l.Only != nil && !slices.Contains(l.Only, e.Name()) {
			continue
		}
		if e.IsDir() {
			names = append(names, e.Name())
			continue
		}
		_, info, err := resolve(l.Templates, e.Name())
		switch {
		case err != nil:
			l.report(path.Join(l.TemplatesName, e.Name()), err)
		case info.IsDir():
			names = append(names, e.Name())
		}
	}
	if len(names) == 0 && len(l.problems) == 0 {
		l.problem(graph.Position{File: l.TemplatesName}, "found no template, expected folders with a %s each", modelFile)
	}
	return l.distinct(l.TemplatesName, names), nil
}

// distinct drops and reports names that differ from another in the case of
// letters alone: where a file system ignores case, they are one address. Of
// such names the one in lower case stays.
func (l *loader) distinct(folder string, names []string) []string {
	byCase := map[string][]string{}
	for _, name := range names {
		k := strings.ToLower(name)
		byCase[k] = append(byCase[k], name)
	}
	kept := names[:0:0]
	for _, name := range names {
		same := byCase[strings.ToLower(name)]
		stays := same[len(same)-1] // lower case sorts after upper case
		if name == stays {
			kept = append(kept, name)
			continue
		}
		l.problem(graph.Position{File: path.Join(folder, name)}, "differs from %s in the case of letters alone; rename one of the two", path.Join(folder, stays))
	}
	return kept
}

// analyse makes the entries.
func (l *loader) analyse() {
	list := make([]analysed, len(l.ids))
	l.each(len(l.ids), func(i int) { list[i] = l.template(l.ids[i]) })
	l.Kept.templates = make(map[string]analysed, len(list))
	for i, a := range list {
		l.problems = append(l.problems, a.problems...)
		if a.entry != nil {
			l.Entries = append(l.Entries, a.entry)
		}
		if a.sum != "" {
			l.Kept.templates[l.ids[i]] = a
		}
	}
}

func (l *loader) modelFile(id string) string { return path.Join(l.TemplatesName, id, modelFile) }

// template makes the entry of a template, or takes the one that was made of the
// same document and note.
func (l *loader) template(id string) analysed {
	file, note := l.modelFile(id), l.notes[id]
	before, ok := l.Kept.templates[id]
	ok = ok && before.note == note
	if ok && !l.Changed(file) {
		return before
	}
	src, err := read(l.Templates, path.Join(id, modelFile), graph.MaxBytes)
	if err == nil && ok && before.sum == checksum(src) {
		return before
	}
	one := &loader{Options: l.Options, Catalog: l.Catalog, ids: l.ids, notes: l.notes} // its problems are its own
	a := analysed{note: note}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		one.problem(graph.Position{File: path.Join(l.TemplatesName, id)}, "folder without a %s%s", modelFile, l.misnamed(id))
	case err != nil:
		one.report(file, err)
	default:
		a.sum = checksum(src)
		a.entry = one.entry(id, src, note)
	}
	a.problems = one.problems
	return a
}

// entry analyses a document; nil when it gets no page.
func (l *loader) entry(id string, src []byte, note *content.Note) *Entry {
	o := verify.Options{Folder: id}
	if note != nil {
		o.MaskedLanguage, o.Published, o.Source = note.MaskedLanguage, note.Published.Parameters, note.Published.Source
	}
	file := l.modelFile(id)
	r, err := pipeline.RunWith(file, src, o)
	if err != nil {
		l.report(file, err)
		return nil
	}
	if l.faulty(r) {
		return nil
	}
	e := &Entry{ID: id, File: file, Note: note, Report: r, Sum: checksum([]byte(id), []byte(file), src)}
	e.traits = traitsOf(e)
	if note != nil {
		e.Sum = checksum([]byte(e.Sum), []byte(note.File), []byte(l.Sum(note.File)))
		l.checkPublished(e)
		l.accept(e)
	}
	return e
}

// misnamed looks for a file that was meant as the model.
func (l *loader) misnamed(id string) string {
	entries, err := fs.ReadDir(l.Templates, id)
	if err != nil {
		return "; " + plain(err).Error()
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	if near := words.Nearest(modelFile, names); near != "" {
		return fmt.Sprintf("; rename %q, if it is meant", near)
	}
	return "; add one, or remove the folder"
}

// faulty reports structural faults as problems; such a template gets no page.
func (l *loader) faulty(r *pipeline.Report) bool {
	found := false
	for _, f := range r.Findings {
		if rule, ok := verify.Lookup(f.Rule); ok && rule.Faulty {
			l.problem(f.Position, "%s (rule %s)", strings.TrimSpace(f.Message+". "+f.Fix), f.Rule)
			found = true
		}
	}
	return found || r.Broken()
}

// match finds the templates that notes and diffs are of.
func (l *loader) match() {
	for id, n := range l.notes {
		if !l.has(id) {
			l.problem(n.At(""), "no template is called %q%s", id, l.near(id))
		}
	}
	for _, d := range l.diffs {
		if l.pair(d) {
			l.Diffs = append(l.Diffs, d)
		}
	}
	slices.SortFunc(l.Diffs, func(a, b *content.DiffNote) int {
		return cmp.Or(strings.Compare(a.A, b.A), strings.Compare(a.B, b.B))
	})
}

// has reports whether a template has this id, be it left out or not.
func (l *loader) has(id string) bool {
	_, ok := slices.BinarySearch(l.ids, id)
	return ok
}

// near ends the message on an id that is none.
func (l *loader) near(id string) string {
	return cmp.Or(words.DidYouMean(id, l.ids), "; rename the file, or add the template")
}

// accept marks the findings that the note lets stand, and reports what it names
// in vain.
func (l *loader) accept(e *Entry) {
	seen, counts := map[string]bool{}, e.Accept()
	for i, a := range e.Note.Accept {
		at := e.Note.At(fmt.Sprintf("accept[%d].rule", i))
		found, errors := counts[a.Rule][0], counts[a.Rule][1]
		_, known := verify.Lookup(a.Rule)
		switch {
		case !known:
			l.problem(at, "accept: no rule is called %q%s", a.Rule, words.DidYouMean(a.Rule, rules()))
		case seen[a.Rule]:
			l.problem(at, "accept: rule %q stands here twice; keep one", a.Rule)
		case errors > 0:
			l.problem(at, "accept: %s has an error of rule %q, and an error cannot be accepted; mend the graph", e.File, a.Rule)
		case found == 0:
			l.problem(at, "accept: %s has no finding of rule %q; remove this", e.File, a.Rule)
		}
		seen[a.Rule] = true
	}
}

func rules() []string {
	ids := make([]string, len(verify.All))
	for i, r := range verify.All {
		ids[i] = r.ID
	}
	return ids
}

// checkPublished compares the counts of the note with those of the graph, and
// adds up the lines between parameters and stored elements.
func (l *loader) checkPublished(e *Entry) {
	n := e.Note
	said, real := n.Published.Parameters, e.Doc.RealParamCount
	if said != 0 && real != 0 && said != real {
		l.problem(n.At("published.parameters"), "published.parameters is %s, but realParamCount of %s is %s; correct the one that is wrong",
			format.Exact64(said), e.File, format.Exact64(real))
		return
	}
	p := e.Published()
	if p.Stored == 0 {
		if len(p.Lines) > 0 {
			l.problem(n.At("published.lines"), "published.lines explains stored elements, but published.stored is missing")
		}
		return
	}
	base, name := p.Parameters, "published parameters"
	if base == 0 {
		base, name = e.Model.Params, "parameters of the graph"
	}
	sum := base
	for _, line := range p.Lines {
		sum += line.Elements
	}
	if sum != p.Stored {
		l.problem(n.At("published.stored"), "published.stored is %s, but the %s %s and the lines make %s: %s",
			format.Exact64(p.Stored), format.Exact64(base), name, format.Exact64(sum), missing(p.Stored-sum))
	}
}

func missing(difference int64) string {
	if difference < 0 {
		return fmt.Sprintf("%s too many", format.Exact64(-difference))
	}
	return fmt.Sprintf("explain the other %s with a line", format.Exact64(difference))
}
