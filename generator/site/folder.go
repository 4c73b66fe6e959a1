package site

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/go-json-experiment/json"

	"github.com/strata-catalog/strata/generator/page"
)

// staging ends the name of the folder that a new site grows in: beside the
// site's own, on the same file system. Where that cannot be, it is within.
const staging = ".strata-next"

// Folder is a Sink that publishes into a folder, for one build. The new site is
// made whole beside the old one, with hard links to what has not changed, and
// takes its place in one step. A reader sees the one or the other, and so does
// whoever comes after a build that was killed. Files that no build wrote move
// along.
//
// Where one folder cannot take the place of another (it is a mount point, or
// the file system has no such step), a symbolic link is switched if the site is
// behind one; else files move into place one by one, build.json last, and the
// Report says so.
//
// A Folder is locked from NewFolder to Commit or Discard, by a lock on the
// folder itself that ends with the process.
type Folder struct {
	// InPlace moves files into place one by one where a folder could be
	// replaced: its inode stays, which somebody may have mounted elsewhere.
	InPlace bool
	Report  FolderReport

	dir  string     // as given; it may be a symbolic link
	real string     // the folder itself
	held []*os.File // its lock, and that of what took its place
	made []string   // what the build before this one wrote

	refused bool // InPlace since nothing else could be done

	mu      sync.Mutex
	next    string          // where new files wait; "" until there is one
	written map[string]bool // of this build: those that changed, and those that did not
	folders map[string]bool // below next, that are there
}

// A FolderReport counts what a Commit did. Note is a word about how, where that
// is not the usual way.
type FolderReport struct {
	Written, Unchanged, Removed int
	Note                        string
}

// NewFolder opens a folder to publish into, once no other build has it open; if
// one has, busy is called before waiting. The folder is made when it is not
// there. One that holds anything, and was not made by a build, is refused.
func NewFolder(dir string, busy func()) (*Folder, error) {
	f := &Folder{dir: dir, written: map[string]bool{}, folders: map[string]bool{}}
	if err := f.lock(busy); err != nil {
		return nil, err
	}
	if err := f.inspect(); err != nil {
		f.unlock()
		return nil, err
	}
	return f, nil
}

// lock waits until the folder is this build's. Another build may have replaced
// the folder meanwhile: then the one that stands there now is meant.
func (f *Folder) lock(busy func()) error {
	for {
		if err := os.MkdirAll(f.dir, 0o755); err != nil {
			return err
		}
		real, err := filepath.EvalSymlinks(f.dir)
		if err != nil {
			return err
		}
		if f.real, err = filepath.Abs(real); err != nil {
			return err
		}
		folder, err := os.Open(f.real)
		if err != nil {
			return err
		}
		free, err := flock(folder, false)
		if err == nil && !free {
			if busy != nil {
				busy()
				busy = nil
			}
			_, err = flock(folder, true)
		}
		if err != nil {
			folder.Close()
			return fmt.Errorf("%s cannot be locked: %w", f.dir, err)
		}
		locked, err1 := folder.Stat()
		now, err2 := os.Stat(f.dir)
		if err1 == nil && err2 == nil && os.SameFile(locked, now) {
			f.held = append(f.held, folder)
			return nil
		}
		folder.Close()
	}
}

func (f *Folder) unlock() {
	for _, folder := range f.held {
		folder.Close()
	}
	f.held = nil
}

// inspect reads what the build before wrote, and clears away what one left that
// was killed.
func (f *Folder) inspect() error {
	entries, err := os.ReadDir(f.real)
	if err != nil {
		return err
	}
	if len(entries) > 0 && !(len(entries) == 1 && entries[0].Name() == staging) {
		if f.made, err = manifestOf(f.dir); err != nil {
			return err
		}
	}
	if within := filepath.Join(f.real, staging); there(within) {
		if err := os.RemoveAll(within); err != nil {
			return err
		}
	}
	if there(f.beside()) {
		return f.clear(f.beside())
	}
	return nil
}

// beside is the folder that the new site grows in.
func (f *Folder) beside() string {
	return filepath.Join(filepath.Dir(f.real), "."+filepath.Base(f.real)+staging)
}

// manifestOf lists what an earlier build wrote.
func manifestOf(dir string) ([]string, error) {
	refuse := func(why string) error {
		return fmt.Errorf("%s is not empty, and %s: give an empty folder, or one that an earlier build made", dir, why)
	}
	m, err := readManifest(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, refuse("has no " + page.BuildPath)
	case errors.Is(err, errNotOurs):
		return nil, refuse("its " + page.BuildPath + " is none of ours")
	case err != nil:
		return nil, err
	}
	paths := []string{page.BuildPath}
	for _, file := range m.Files {
		if !validPath(file.Path) {
			return nil, refuse(fmt.Sprintf("its %s names %q", page.BuildPath, file.Path))
		}
		paths = append(paths, file.Path)
	}
	return paths, nil
}

var errNotOurs = errors.New("no manifest of a build")

// readManifest reads the build.json of a folder.
func readManifest(dir string) (*Manifest, error) {
	src, err := os.ReadFile(filepath.Join(dir, page.BuildPath))
	if err != nil {
		return nil, err
	}
	var m Manifest
	if err := json.Unmarshal(src, &m); err != nil || m.Generator.Name != page.GeneratorName {
		return nil, errNotOurs
	}
	return &m, nil
}

func there(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}

func validPath(path string) bool { return fs.ValidPath(path) && path != "." }

func at(folder, path string) string { return filepath.Join(folder, filepath.FromSlash(path)) }

// Put implements Sink.
func (f *Folder) Put(path string, data []byte) error {
	if !validPath(path) {
		return fmt.Errorf("%q is no path of a file", path)
	}
	old := at(f.real, path)
	info, err := os.Lstat(old)
	if err == nil && info.Mode().IsRegular() && info.Size() == int64(len(data)) {
		if was, err := os.ReadFile(old); err == nil && bytes.Equal(was, data) {
			f.note(path, false)
			return nil
		}
	}
	waits, err := f.waiting(path)
	if err != nil {
		return err
	}
	f.note(path, true)
	return os.WriteFile(waits, data, 0o644)
}

// Keep implements Keeper.
func (f *Folder) Keep(path, sum string) bool {
	if !validPath(path) {
		return false
	}
	old := at(f.real, path)
	info, err := os.Lstat(old)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	data, err := os.ReadFile(old)
	if err != nil || sumOf(data) != sum {
		return false
	}
	f.note(path, false)
	return true
}

func (f *Folder) note(path string, written bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.written[path] = written
}

// waiting is where a new file waits, in a folder that is there.
func (f *Folder) waiting(path string) (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.next == "" {
		if err := f.begin(); err != nil {
			return "", err
		}
	}
	name := at(f.next, path)
	return name, f.folder(filepath.Dir(name))
}

// begin makes the folder that the new site grows in.
func (f *Folder) begin() error {
	if beside := f.beside(); !f.InPlace && sameDevice(f.real, filepath.Dir(f.real)) && os.Mkdir(beside, 0o755) == nil {
		f.next = beside
		return nil
	}
	f.refused = !f.InPlace
	f.InPlace = true
	within := filepath.Join(f.real, staging)
	if err := os.Mkdir(within, 0o755); err != nil {
		return err
	}
	f.next = within
	return nil
}

// folder makes a folder below next where it is not there.
func (f *Folder) folder(name string) error {
	if f.folders[name] {
		return nil
	}
	f.folders[name] = true
	return os.MkdirAll(name, 0o755)
}

// Commit implements Sink. Where nothing changed, nothing is touched.
func (f *Folder) Commit() error {
	err := f.commit()
	return errors.Join(err, f.Discard())
}

func (f *Folder) commit() error {
	var changed, kept, stale []string
	for path, written := range f.written {
		if written {
			changed = append(changed, path)
		} else {
			kept = append(kept, path)
		}
	}
	for _, path := range f.made {
		if _, ok := f.written[path]; !ok {
			stale = append(stale, path)
		}
	}
	f.Report.Written, f.Report.Unchanged = len(changed), len(kept)
	if len(changed)+len(stale) == 0 {
		return nil
	}
	if f.next == "" {
		if err := f.begin(); err != nil {
			return err
		}
	}
	others, err := f.others()
	if err != nil {
		return err
	}
	if asked := f.InPlace && !f.refused; !asked {
		if !f.InPlace {
			err := f.replace(kept, others)
			if !errors.Is(err, errors.ErrUnsupported) {
				f.Report.Removed = len(stale)
				return err
			}
			if err := f.within(changed); err != nil {
				return err
			}
		}
		f.Report.Note = f.dir + " could not be replaced in one step: its files were moved into place one by one, " + page.BuildPath + " last"
	}
	return f.move(changed, stale)
}

// others lists what no build wrote, folders before what they hold. It refuses
// what stands where the site has a folder or a file of another kind.
func (f *Folder) others() ([]string, error) {
	ours := map[string]bool{} // files of both builds
	parents := map[string]bool{".": true}
	needed := map[string]bool{".": true} // folders of this build
	for _, p := range f.made {
		ours[p] = true
		for p = path.Dir(p); !parents[p]; p = path.Dir(p) {
			parents[p] = true
		}
	}
	for p := range f.written {
		ours[p] = true
		for p = path.Dir(p); !needed[p]; p = path.Dir(p) {
			needed[p] = true
		}
	}
	var others []string
	err := filepath.WalkDir(f.real, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(f.real, name)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		_, file := f.written[rel]
		switch {
		case rel == staging:
			return fs.SkipDir
		case d.IsDir() && file && !parents[rel], !d.IsDir() && needed[rel] && !ours[rel]:
			return fmt.Errorf("%s is in the way of the site and no build wrote it; move it", name)
		case d.IsDir() && !parents[rel], !d.IsDir() && !ours[rel]:
			others = append(others, rel)
		}
		return nil
	})
	return others, err
}

// replace makes the new site whole and puts it in the place of the old one. The
// error is errors.ErrUnsupported where that cannot be done in one step; then
// the old one is as it was.
func (f *Folder) replace(kept, others []string) error {
	last := []string{}
	for _, rel := range kept {
		if rel == page.BuildPath {
			last = append(last, rel)
		} else if err := f.folder(filepath.Dir(at(f.next, rel))); err != nil {
			return err
		}
	}
	if err := each(kept, func(rel string) error { return carry(at(f.real, rel), at(f.next, rel)) }); err != nil {
		return err
	}
	for _, rel := range append(others, last...) {
		if err := carry(at(f.real, rel), at(f.next, rel)); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	if info, err := os.Stat(f.real); err == nil {
		if err := os.Chmod(f.next, info.Mode().Perm()); err != nil {
			return err
		}
	}
	// Whoever waits for the folder finds the new one locked too.
	folder, err := os.Open(f.next)
	if err != nil {
		return err
	}
	f.held = append(f.held, folder)
	if _, err := flock(folder, false); err != nil {
		return err
	}
	err = exchange(f.next, f.real)
	if err != nil {
		if err := f.relink(); err != nil {
			return err
		}
	}
	return f.clear(f.next)
}

// relink switches the symbolic link that the site is behind to the new site.
func (f *Folder) relink() error {
	if info, err := os.Lstat(f.dir); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return errors.ErrUnsupported
	}
	target, err := os.Readlink(f.dir)
	if err != nil || filepath.Base(target) != filepath.Base(f.real) {
		return errors.ErrUnsupported // a link to a link
	}
	name := strings.TrimSuffix(strings.TrimSuffix(f.real, ".a"), ".b") + ".a"
	if name == f.real {
		name = strings.TrimSuffix(name, ".a") + ".b"
	}
	if _, err := readManifest(name); err == nil {
		if err := f.clear(name); err != nil { // of a build that was killed here
			return err
		}
	}
	if err := os.Rename(f.next, name); err != nil {
		return errors.ErrUnsupported // somebody else has the name
	}
	f.next = name
	link := f.dir + staging
	if err := os.Remove(link); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.Symlink(filepath.Join(filepath.Dir(target), filepath.Base(name)), link); err != nil {
		return err
	}
	if err := os.Rename(link, f.dir); err != nil {
		return errors.Join(err, os.Remove(link))
	}
	f.next, f.real = f.real, name
	return nil
}

// within takes the new files into a folder within the site, where each can be
// moved into its place. Between file systems that is a copy.
func (f *Folder) within(changed []string) error {
	beside := f.next
	within := filepath.Join(f.real, staging)
	if err := os.Mkdir(within, 0o755); err != nil {
		return err
	}
	f.next, f.folders = within, map[string]bool{}
	for _, rel := range changed {
		to := at(within, rel)
		if err := f.folder(filepath.Dir(to)); err != nil {
			return err
		}
		if os.Rename(at(beside, rel), to) != nil {
			if err := carry(at(beside, rel), to); err != nil {
				return err
			}
		}
	}
	return os.RemoveAll(beside)
}

// carry takes a file or a folder over to the new site, times and all.
func carry(from, to string) error {
	info, err := os.Lstat(from)
	if err != nil {
		return err
	}
	if info.IsDir() {
		return os.Mkdir(to, info.Mode().Perm())
	}
	err = os.Link(from, to)
	if err == nil || errors.Is(err, fs.ErrExist) || !info.Mode().IsRegular() {
		return err
	}
	// No hard links here, or too many of this file.
	src, err := os.Open(from)
	if err != nil {
		return err
	}
	defer src.Close()
	dst, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, info.Mode().Perm())
	if err != nil {
		return err
	}
	_, err = io.Copy(dst, src)
	if err := errors.Join(err, dst.Close()); err != nil {
		return err
	}
	return os.Chtimes(to, info.ModTime(), info.ModTime())
}

// each calls f for every path, several at once, up to the first error.
func each(paths []string, f func(string) error) error {
	var next atomic.Int64
	var failed atomic.Pointer[error]
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(paths)) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(paths) && failed.Load() == nil; i = int(next.Add(1)) - 1 {
				if err := f(paths[i]); err != nil {
					failed.CompareAndSwap(nil, &err)
				}
			}
		})
	}
	wg.Wait()
	if err := failed.Load(); err != nil {
		return *err
	}
	return nil
}

// move puts the new files into the old site one by one, and removes the stale
// ones and the folders that are empty after that. build.json moves last: a
// Commit that is cut short leaves the list of the build before, and the next
// build mends the rest.
func (f *Folder) move(changed, stale []string) error {
	last := func(path string) int {
		if path == page.BuildPath {
			return 1
		}
		return 0
	}
	slices.SortFunc(changed, func(a, b string) int { return cmp.Or(last(a)-last(b), strings.Compare(a, b)) })
	for _, path := range stale {
		if err := f.remove(path); err != nil {
			return err
		}
	}
	for _, path := range changed {
		if err := os.MkdirAll(filepath.Dir(at(f.real, path)), 0o755); err != nil {
			return err
		}
		if err := os.Rename(at(f.next, path), at(f.real, path)); err != nil {
			return err
		}
	}
	return nil
}

func (f *Folder) remove(old string) error {
	err := os.Remove(at(f.real, old))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	f.Report.Removed++
	for parent := path.Dir(old); parent != "."; parent = path.Dir(parent) {
		if os.Remove(at(f.real, parent)) != nil {
			break // not empty
		}
	}
	return nil
}

// clear removes a site that was replaced, or one that never was published. What
// somebody put into it at the last moment, and is not in the site, is saved.
func (f *Folder) clear(old string) error {
	m, err := readManifest(old)
	if err == nil {
		wrote := map[string]bool{page.BuildPath: true}
		for _, file := range m.Files {
			wrote[file.Path] = true
		}
		err = filepath.WalkDir(old, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			rel, err := filepath.Rel(old, name)
			if err != nil || wrote[filepath.ToSlash(rel)] {
				return err
			}
			to := filepath.Join(f.real, rel)
			if there(to) {
				return nil
			}
			return errors.Join(os.MkdirAll(filepath.Dir(to), 0o755), os.Rename(name, to))
		})
		if err != nil {
			return err
		}
	}
	return os.RemoveAll(old)
}

// Discard implements Sink.
func (f *Folder) Discard() error {
	var err error
	if f.next != "" {
		err = os.RemoveAll(f.next)
	}
	f.next, f.written, f.folders = "", map[string]bool{}, map[string]bool{}
	f.unlock()
	return err
}
