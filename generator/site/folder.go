package site

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"sync"

	"github.com/go-json-experiment/json"

	"github.com/strata-catalog/strata/generator/page"
)

// staging is the folder, within the site's, that new files wait in: on the same
// file system, so that they can be moved into place at once.
const staging = ".strata-next"

// Folder is a Sink that publishes into a folder. What has not changed is not
// touched; what changed waits beside it and is moved into place at the end, each
// file in one step; what an earlier build wrote and this one did not is removed.
// Files that no build wrote are left alone.
type Folder struct {
	dir  string
	made []string // what the build before this one wrote

	mu     sync.Mutex
	paths  map[string]bool   // of this build
	staged map[string]string // new files, by path: where they wait
	Report FolderReport
}

// A FolderReport counts what a Commit did.
type FolderReport struct{ Written, Unchanged, Removed int }

// NewFolder opens a folder to publish into. It is made when it is not there. A
// folder that holds anything, and was not made by a build, is refused.
func NewFolder(dir string) (*Folder, error) {
	f := &Folder{dir: dir, paths: map[string]bool{}, staged: map[string]string{}}
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return f, os.MkdirAll(dir, 0o755)
	case err != nil:
		return nil, err
	case len(entries) == 0, len(entries) == 1 && entries[0].Name() == staging:
		return f, os.RemoveAll(filepath.Join(dir, staging))
	}
	if f.made, err = manifestOf(dir); err != nil {
		return nil, err
	}
	return f, os.RemoveAll(filepath.Join(dir, staging))
}

// manifestOf lists what an earlier build wrote.
func manifestOf(dir string) ([]string, error) {
	refuse := func(why string) error {
		return fmt.Errorf("%s is not empty, and %s: give an empty folder, or one that an earlier build made", dir, why)
	}
	src, err := os.ReadFile(filepath.Join(dir, page.BuildPath))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, refuse("has no " + page.BuildPath)
	}
	if err != nil {
		return nil, err
	}
	var m Manifest
	if err := json.Unmarshal(src, &m); err != nil || m.Generator.Name != page.GeneratorName {
		return nil, refuse("its " + page.BuildPath + " is none of ours")
	}
	paths := []string{page.BuildPath}
	for _, file := range m.Files {
		if !fs.ValidPath(file.Path) || file.Path == "." {
			return nil, refuse(fmt.Sprintf("its %s names %q", page.BuildPath, file.Path))
		}
		paths = append(paths, file.Path)
	}
	return paths, nil
}

func (f *Folder) at(path string) string { return filepath.Join(f.dir, filepath.FromSlash(path)) }

// Put implements Sink.
func (f *Folder) Put(path string, data []byte) error {
	if !fs.ValidPath(path) || path == "." {
		return fmt.Errorf("%q is no path of a file", path)
	}
	f.mu.Lock()
	n := len(f.paths)
	f.paths[path] = true
	f.mu.Unlock()
	if same(f.at(path), data) {
		return nil
	}
	if err := os.Mkdir(f.at(staging), 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	waits := filepath.Join(f.at(staging), strconv.Itoa(n))
	if err := os.WriteFile(waits, data, 0o644); err != nil {
		return err
	}
	f.mu.Lock()
	f.staged[path] = waits
	f.mu.Unlock()
	return nil
}

// same reports whether a file has this content.
func same(name string, data []byte) bool {
	info, err := os.Lstat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() != int64(len(data)) {
		return false
	}
	old, err := os.ReadFile(name)
	return err == nil && bytes.Equal(old, data)
}

// Commit implements Sink. build.json is moved last: a Commit that is cut short
// leaves the list of the build before, and the next build mends the rest.
func (f *Folder) Commit() error {
	paths := make([]string, 0, len(f.staged))
	for path := range f.staged {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	if i := slices.Index(paths, page.BuildPath); i >= 0 {
		paths = append(slices.Delete(paths, i, i+1), page.BuildPath)
	}
	for _, path := range paths {
		if err := f.move(path); err != nil {
			return err
		}
	}
	f.Report.Written, f.Report.Unchanged = len(paths), len(f.paths)-len(paths)
	if err := f.prune(); err != nil {
		return err
	}
	f.made = f.made[:0]
	for path := range f.paths {
		f.made = append(f.made, path)
	}
	return f.Discard()
}

// move puts a file in its place. What stands in the way of its folder, or of the
// file itself, is another kind of thing than a build would make there.
func (f *Folder) move(path string) error {
	if err := os.MkdirAll(filepath.Dir(f.at(path)), 0o755); err != nil {
		return err
	}
	return os.Rename(f.staged[path], f.at(path))
}

// prune removes what the build before wrote and this one did not, and the
// folders that are empty after that.
func (f *Folder) prune() error {
	for _, old := range f.made {
		if f.paths[old] {
			continue
		}
		err := os.Remove(f.at(old))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		f.Report.Removed++
		for parent := path.Dir(old); parent != "."; parent = path.Dir(parent) {
			if os.Remove(f.at(parent)) != nil {
				break // not empty
			}
		}
	}
	return nil
}

// Discard implements Sink.
func (f *Folder) Discard() error {
	f.paths, f.staged = map[string]bool{}, map[string]string{}
	return os.RemoveAll(f.at(staging))
}
