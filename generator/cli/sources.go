package cli

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/strata-catalog/strata/generator/content"
	"github.com/strata-catalog/strata/generator/site"
)

// sources are the folders that a site is made of.
type sources struct {
	source, templates, content, theme string // as given, "" for what is usual

	// What the last open found: the folder of the theme, there or not, and the
	// address in the settings.
	themed, baseURL string

	roots []*os.Root // that are open
}

func (f *sources) flags(fs *flag.FlagSet) {
	fs.StringVar(&f.source, "source", ".", "`DIR` that holds templates/, content/ and themes/")
	fs.StringVar(&f.templates, "templates", "", "`DIR` of the graphs, DIR/<id>/model.json")
	fs.StringVar(&f.content, "content", "", "`DIR` of the texts and of site.yaml")
	fs.StringVar(&f.theme, "theme", "", "`DIR` of files that replace those of the default theme")
}

// cache is the folder that builds remember in.
func (f *sources) cache() string { return filepath.Join(f.source, ".strata-cache") }

// open opens the folders of the input. Content and theme are taken from the
// source folder where they are there; one that is named must be there.
func (f *sources) open(c *site.Config) error {
	c.TemplatesName = f.templates
	if f.templates == "" {
		c.TemplatesName = filepath.Join(f.source, "templates")
	}
	var err error
	if c.Templates, err = f.folder("templates", c.TemplatesName, true); err != nil {
		return err
	}
	c.Content, c.ContentName = nil, f.content
	if f.content == "" && f.templates == "" {
		c.ContentName = filepath.Join(f.source, "content")
	}
	if c.ContentName != "" {
		if c.Content, err = f.folder("content", c.ContentName, f.content != ""); err != nil {
			return err
		}
	}
	c.Theme = nil
	settings := content.Defaults()
	if c.Content != nil {
		if settings, err = f.settings(c.Content, c.ContentName); err != nil {
			return err
		}
	}
	f.baseURL = settings.BaseURL
	switch {
	case f.theme != "":
		f.themed = f.theme
		c.Theme, err = f.folder("theme", f.theme, true)
	case c.Content != nil && settings.Theme != "":
		// The default theme may stand in the source folder too, to replace some
		// of its files.
		f.themed = filepath.Join(f.source, "themes", settings.Theme)
		c.Theme, err = f.folder("theme", f.themed, settings.Theme != content.Defaults().Theme)
	}
	return err
}

// settings are the settings in a folder of texts, without a theme where they
// cannot be read: what is wrong with them, the build reports.
func (f *sources) settings(texts fs.FS, name string) (content.Settings, error) {
	src, err := fs.ReadFile(texts, "site.yaml")
	if errors.Is(err, fs.ErrNotExist) {
		return content.Defaults(), nil
	}
	if err != nil {
		return content.Settings{}, &Failure{2, err.Error()}
	}
	settings, err := content.ParseSettings(filepath.Join(name, "site.yaml"), src)
	if err != nil {
		return content.Settings{}, nil
	}
	return settings, nil
}

// folder opens a folder as a file system that cannot be left by symbolic links.
// One that is not there is nil, or an error where it must be there.
func (f *sources) folder(what, dir string, must bool) (fs.FS, error) {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !must:
		return nil, nil
	case errors.Is(err, fs.ErrNotExist):
		return nil, &Failure{2, fmt.Sprintf("there is no folder %s; give the %s with --%s", dir, what, what)}
	case err != nil:
		return nil, &Failure{2, err.Error()}
	case !info.IsDir():
		return nil, &Failure{2, fmt.Sprintf("%s is no folder; give the %s with --%s", dir, what, what)}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, &Failure{2, err.Error()}
	}
	f.roots = append(f.roots, root)
	return root.FS(), nil
}

// close closes the folders.
func (f *sources) close() {
	for _, root := range f.roots {
		root.Close()
	}
	f.roots = nil
}
