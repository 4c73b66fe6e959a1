package render

import (
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"sort"
	"strings"
	"sync"

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
	catalogLayout   = "catalog.html"
	compareLayout   = "compare.html"
	workbenchLayout = "workbench.html"
	templateLayout  = "template.html"
	diffLayout      = "diff.html"
	diffsLayout     = "diffs.html"
	layersLayout    = "layers.html"
	layerLayout     = "layer.html"
	rulesLayout     = "rules.html"
	contentLayout   = "content.html"
	missingLayout   = "notfound.html"
)

var layoutNames = []string{catalogLayout, compareLayout, workbenchLayout, templateLayout, diffLayout, diffsLayout, layersLayout, layerLayout, rulesLayout, contentLayout, missingLayout}

// theme is a theme, read and prepared.
type theme struct {
	layouts map[string]*template.Template
	assets  map[string]string            // address of each asset, by its name
	files   []File                       // the assets
	sum     string                       // of all it was read from
	drawing string                       // style of a diagram in a file of its own
	colours func() (card.Colours, error) // of social cards
	once    once
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

var mediaTypes = map[string]string{".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}

// prepareAssets minifies the assets and gives each an address that changes with
// its content: an asset that refers to others comes after them.
func (t *theme) prepareAssets(sources map[string][]byte) error {
	t.drawing = drawingStyle(sources)
	t.colours = sync.OnceValues(func() (card.Colours, error) { return card.ReadColours(string(sources[tokenStyle])) })
	for _, name := range sorted(sources, assetFolder) {
		if err := t.prepareAsset(strings.TrimPrefix(name, assetFolder+"/"), sources); err != nil {
			return err
		}
	}
	return nil
}

func (t *theme) prepareAsset(name string, sources map[string][]byte) error {
	if _, done := t.assets[name]; done {
		return nil
	}
	full := path.Join(assetFolder, name)
	data, ok := sources[full]
	if !ok {
		return nil // whoever refers to it says so
	}
	t.assets[name] = "" // on the way: nothing is made of itself
	ext := path.Ext(name)
	if refers := reference[ext]; refers != nil {
		var err error
		if data, err = t.references(full, data, refers, sources); err != nil {
			return err
		}
	}
	if media, ok := mediaTypes[ext]; ok {
		small, err := minified(media, data)
		if err != nil {
			return fmt.Errorf("theme: %s: %w", full, err)
		}
		data = small
	}
	address := page.AssetFolder + strings.TrimSuffix(name, ext) + "." + fingerprint(data) + ext
	t.assets[name] = address
	t.files = append(t.files, File{address, data})
	return nil
}

// reference finds the addresses in assets of a kind: what stands before one, the
// address, and what stands behind it.
var reference = map[string]*regexp.Regexp{
	".css": regexp.MustCompile(`(url\(\s*)["']?([^"')]+)["']?(\s*\))`),
	".js":  regexp.MustCompile(`(\b(?:from|import)\s*")(\.[^"]+)(")`),
}

// references puts the addresses of assets where a style sheet or a module names
// them.
func (t *theme) references(name string, data []byte, refers *regexp.Regexp, sources map[string][]byte) ([]byte, error) {
	var errs []error
	out := refers.ReplaceAllFunc(data, func(match []byte) []byte {
		parts := refers.FindSubmatch(match)
		target := string(parts[2])
		if strings.HasPrefix(target, "data:") || strings.HasPrefix(target, "#") {
			return match
		}
		at := strings.TrimPrefix(path.Join(path.Dir(name), target), assetFolder+"/")
		if err := t.prepareAsset(at, sources); err != nil {
			errs = append(errs, err)
			return match
		}
		switch address, ok := t.assets[at]; {
		case !ok:
			errs = append(errs, fmt.Errorf("theme: %s refers to %q, which is no asset%s", name, target, words.DidYouMean(at, t.assetNames())))
			return match
		case address == "":
			errs = append(errs, fmt.Errorf("theme: %s and %s refer to each other", name, at))
			return match
		default:
			up := strings.Repeat("../", strings.Count(strings.TrimPrefix(name, assetFolder+"/"), "/"))
			if path.Ext(name) == ".js" {
				up = "./" + up
			}
			return slices.Concat(parts[1], []byte(up+strings.TrimPrefix(address, page.AssetFolder)), parts[3])
		}
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

// Has reports whether the theme has an asset.
func (r *Renderer) Has(asset string) bool { return r.theme.assets[asset] != "" }

// asset is the address of an asset, for layouts.
func (t *theme) asset(name string) (string, error) {
	if address, ok := t.assets[name]; ok {
		return address, nil
	}
	return "", fmt.Errorf("no asset is called %q%s", name, words.DidYouMean(name, t.assetNames()))
}

// prepareLayouts parses the frame with the parts, and each kind of page with it.
func (t *theme) prepareLayouts(sources map[string][]byte) error {
	frame := template.New("frame").Funcs(functions).Funcs(template.FuncMap{"asset": t.asset, "once": t.once.execute})
	parts := append(sorted(sources, partFolder), path.Join(layoutFolder, baseLayout))
	for _, name := range parts {
		if err := parseFile(frame, name, sources); err != nil {
			return err
		}
	}
	t.once.prepare(template.Must(frame.Clone()))
	for _, name := range layoutNames {
		layout := template.Must(frame.Clone()) // fails only once it has been executed
		if err := parseFile(layout, path.Join(layoutFolder, name), sources); err != nil {
			return err
		}
		if t.layouts[name] = layout.Lookup(baseLayout); layout.Lookup("main") == nil {
			return fmt.Errorf(`theme: %s/%s does not define "main"`, layoutFolder, name)
		}
	}
	return nil
}

// parseFile minifies one template and adds it under its file's name.
func parseFile(to *template.Template, name string, sources map[string][]byte) error {
	src, ok := sources[name]
	if !ok {
		return fmt.Errorf("theme: %s is missing", name)
	}
	small, err := minifiedLayout(src)
	if err != nil {
		return fmt.Errorf("theme: %s: %w", name, err)
	}
	if _, err := to.New(path.Base(name)).Parse(string(small)); err != nil {
		return fmt.Errorf("theme: %s: %w", name, err)
	}
	return nil
}
