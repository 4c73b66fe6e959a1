package render

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"path"
	"regexp"
	"sort"
	"strings"
	"sync"

	"github.com/tdewolff/minify/v2"
	"github.com/tdewolff/minify/v2/css"
	"github.com/tdewolff/minify/v2/html"
	"github.com/tdewolff/minify/v2/js"
	"github.com/tdewolff/minify/v2/svg"

	"github.com/strata-catalog/strata/generator/card"
	"github.com/strata-catalog/strata/generator/content"
	"github.com/strata-catalog/strata/generator/page"
	"github.com/strata-catalog/strata/generator/words"
)

// The folders of a theme.
const (
	layoutFolder = "layouts"
	partFolder   = "layouts/parts"
	assetFolder  = "assets"
	baseLayout   = "base.html" // the frame of every page; it calls "main"
	extension    = ".html"
)

// The layouts of the kinds of pages, each of which defines "main".
const (
	catalogLayout  = "catalog.html"
	compareLayout  = "compare.html"
	templateLayout = "template.html"
	diffLayout     = "diff.html"
	diffsLayout    = "diffs.html"
	layersLayout   = "layers.html"
	layerLayout    = "layer.html"
	rulesLayout    = "rules.html"
	contentLayout  = "content.html"
	missingLayout  = "notfound.html"
)

var layoutNames = []string{catalogLayout, compareLayout, templateLayout, diffLayout, diffsLayout, layersLayout, layerLayout, rulesLayout, contentLayout, missingLayout}

// theme is a theme, read and prepared.
type theme struct {
	layouts map[string]*template.Template
	assets  map[string]string            // address of each asset, by its name
	files   []File                       // the assets
	sum     string                       // of all it was read from
	drawing string                       // style of a diagram in a file of its own
	colours func() (card.Colours, error) // of social cards
}

// gather reads the folders of a theme; a file in a later one replaces that of
// the same name in an earlier one.
func gather(folders []fs.FS) (map[string][]byte, error) {
	sources := map[string][]byte{}
	for _, folder := range folders {
		if err := read(folder, sources); err != nil {
			return nil, err
		}
	}
	return sources, nil
}

// checksum is of names and texts.
func checksum(sources map[string][]byte) string {
	names := make([]string, 0, len(sources))
	for name := range sources {
		names = append(names, name)
	}
	sort.Strings(names)
	h := sha256.New()
	for _, name := range names {
		fmt.Fprintf(h, "%d %q %d\n", len(name), name, len(sources[name]))
		h.Write(sources[name])
	}
	return hex.EncodeToString(h.Sum(nil))
}

// load prepares a theme.
func load(sources map[string][]byte) (*theme, error) {
	t := &theme{layouts: map[string]*template.Template{}, assets: map[string]string{}}
	if err := t.prepareAssets(sources); err != nil {
		return nil, err
	}
	if err := t.prepareLayouts(sources); err != nil {
		return nil, err
	}
	return t, nil
}

// read adds the files of one folder.
func read(folder fs.FS, to map[string][]byte) error {
	return fs.WalkDir(folder, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name != "." && content.Hidden(d.Name()) && d.IsDir():
			return fs.SkipDir
		case content.Hidden(d.Name()) || d.IsDir():
			return nil
		}
		if err := known(name); err != nil {
			return err
		}
		to[name], err = fs.ReadFile(folder, name)
		return err
	})
}

// known refuses a file that a theme has no use for: a slip in its name would
// otherwise leave the file that it was to replace.
func known(name string) error {
	switch folder := path.Dir(name); {
	case folder == layoutFolder:
		names := append([]string{baseLayout}, layoutNames...)
		for _, n := range names {
			if path.Base(name) == n {
				return nil
			}
		}
		return fmt.Errorf("theme: %s is no layout%s; layouts are %s", name, words.DidYouMean(path.Base(name), names), strings.Join(names, ", "))
	case folder == partFolder && path.Ext(name) == extension, name == assetFolder, strings.HasPrefix(name, assetFolder+"/"):
		return nil
	}
	return fmt.Errorf("theme: %s has no place in a theme; it has %s/*%s, %s/*%s and %s/*", name, layoutFolder, extension, partFolder, extension, assetFolder)
}

// sorted lists the files in a folder, and below it.
func sorted(sources map[string][]byte, folder string) []string {
	var names []string
	for name := range sources {
		if strings.HasPrefix(name, folder+"/") {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	return names
}

// minifier minifies assets by their media type.
var minifier = func() *minify.M {
	m := minify.New()
	m.AddFunc("text/css", css.Minify)
	m.AddFunc("text/javascript", js.Minify)
	m.AddFunc("image/svg+xml", svg.Minify)
	return m
}()

var mediaTypes = map[string]string{".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}

// prepareAssets minifies the assets and gives each an address that changes with
// its content. Style sheets come last, since they refer to others.
func (t *theme) prepareAssets(sources map[string][]byte) error {
	t.drawing = drawingStyle(sources)
	t.colours = sync.OnceValues(func() (card.Colours, error) { return card.ReadColours(string(sources[tokenStyle])) })
	names := sorted(sources, assetFolder)
	sort.SliceStable(names, func(i, j int) bool { return path.Ext(names[i]) != ".css" && path.Ext(names[j]) == ".css" })
	for _, full := range names {
		name, data := strings.TrimPrefix(full, assetFolder+"/"), sources[full]
		if path.Ext(name) == ".css" {
			var err error
			if data, err = t.references(full, data); err != nil {
				return err
			}
		}
		if media, ok := mediaTypes[path.Ext(name)]; ok {
			small, err := minifier.Bytes(media, data)
			if err != nil {
				return fmt.Errorf("theme: %s: %w", full, err)
			}
			data = small
		}
		sum := sha256.Sum256(data)
		ext := path.Ext(name)
		address := page.AssetFolder + strings.TrimSuffix(name, ext) + "." + hex.EncodeToString(sum[:5]) + ext
		t.assets[name] = address
		t.files = append(t.files, File{address, data})
	}
	return nil
}

var reference = regexp.MustCompile(`url\(\s*["']?([^"')]+)["']?\s*\)`)

// references puts the addresses of assets where a style sheet names them.
func (t *theme) references(name string, data []byte) ([]byte, error) {
	var errs []error
	out := reference.ReplaceAllFunc(data, func(match []byte) []byte {
		target := string(reference.FindSubmatch(match)[1])
		if strings.HasPrefix(target, "data:") || strings.HasPrefix(target, "#") {
			return match
		}
		at := strings.TrimPrefix(path.Join(path.Dir(name), target), assetFolder+"/")
		address, ok := t.assets[at]
		if !ok {
			errs = append(errs, fmt.Errorf("theme: %s refers to %q, which is no asset%s", name, target, words.DidYouMean(at, t.assetNames())))
			return match
		}
		up := strings.Repeat("../", strings.Count(strings.TrimPrefix(name, assetFolder+"/"), "/"))
		return []byte("url(" + up + strings.TrimPrefix(address, page.AssetFolder) + ")")
	})
	return out, errors.Join(errs...)
}

func (t *theme) assetNames() []string {
	names := make([]string, 0, len(t.assets))
	for n := range t.assets {
		names = append(names, n)
	}
	return names
}

// asset is the address of an asset, for layouts.
func (t *theme) asset(name string) (string, error) {
	if address, ok := t.assets[name]; ok {
		return address, nil
	}
	return "", fmt.Errorf("no asset is called %q%s", name, words.DidYouMean(name, t.assetNames()))
}

// prepareLayouts parses the frame with the parts, and each kind of page with it.
func (t *theme) prepareLayouts(sources map[string][]byte) error {
	frame := template.New("frame").Funcs(functions).Funcs(template.FuncMap{"asset": t.asset})
	parts := append(sorted(sources, partFolder), path.Join(layoutFolder, baseLayout))
	for _, name := range parts {
		if err := parse(frame, name, sources); err != nil {
			return err
		}
	}
	for _, name := range layoutNames {
		layout := template.Must(frame.Clone()) // fails only once it has been executed
		if err := parse(layout, path.Join(layoutFolder, name), sources); err != nil {
			return err
		}
		if t.layouts[name] = layout.Lookup(baseLayout); layout.Lookup("main") == nil {
			return fmt.Errorf(`theme: %s/%s does not define "main"`, layoutFolder, name)
		}
	}
	return nil
}

// layoutMinifier keeps what a template may depend on: quotes around values, and
// the tags that browsers could do without.
var layoutMinifier = html.Minifier{
	TemplateDelims: html.GoTemplateDelims,
	KeepQuotes:     true, KeepEndTags: true, KeepDocumentTags: true, KeepDefaultAttrVals: true,
}

// parse minifies one template and adds it under its file's name.
func parse(to *template.Template, name string, sources map[string][]byte) error {
	src, ok := sources[name]
	if !ok {
		return fmt.Errorf("theme: %s is missing", name)
	}
	var small bytes.Buffer
	if err := layoutMinifier.Minify(minifier, &small, bytes.NewReader(src), nil); err != nil {
		return fmt.Errorf("theme: %s: %w", name, err)
	}
	if _, err := to.New(path.Base(name)).Parse(small.String()); err != nil {
		return fmt.Errorf("theme: %s: %w", name, err)
	}
	return nil
}
