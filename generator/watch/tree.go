package watch

import (
	"crypto/sha256"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// fresh is how long after a change the content of a file counts too: longer than
// the ticks of any file system's clock.
const fresh = 3 * time.Second

// tree is what is known of all files and folders.
type tree struct {
	roots        []string
	ignore       func(name string) bool
	enter, leave func(folder string) // called for each folder that is there, and that is gone

	sums    bool // look at the content too of what changed of late
	known   map[string]stamp
	changed []string // not taken yet
}

// stamp is how a file was when it was looked at last.
type stamp struct {
	info fs.FileInfo
	seen time.Time         // when it was found changed, by this machine's steady clock
	sum  [sha256.Size]byte // of the content, where the tree has sums
}

func (s stamp) same(t fs.FileInfo) bool {
	if s.info.IsDir() && t.IsDir() { // its time says no more than what is in it
		return s.info.Mode() == t.Mode()
	}
	return s.info.Mode() == t.Mode() && s.info.Size() == t.Size() && s.info.ModTime().Equal(t.ModTime()) && os.SameFile(s.info, t)
}

// concerns is what to look at when something happened to a path: the path, or a
// root that it leads to; "" when it is none of ours.
func (t *tree) concerns(path string) string {
	for _, root := range t.roots {
		if below(path, root) {
			rel, err := filepath.Rel(root, path)
			if err != nil {
				continue
			}
			if rel != "." && t.ignored(rel) {
				return ""
			}
			return path
		}
	}
	for _, root := range t.roots {
		if below(root, path) {
			return root
		}
	}
	return ""
}

func (t *tree) ignored(rel string) bool {
	for _, name := range strings.Split(rel, string(filepath.Separator)) {
		if t.ignore(name) {
			return true
		}
	}
	return false
}

// unfinished reports whether a file is gone, or holds nothing, that did before.
func (t *tree) unfinished(path string) bool {
	s, ok := t.known[path]
	if !ok || s.info.IsDir() {
		return false
	}
	info, err := os.Lstat(path)
	return err != nil || info.Size() == 0 && s.info.Size() > 0
}

// look compares a path, and all below it, with what is known. certain says that
// it changed though its stamp may be the same.
func (t *tree) look(path string, certain bool) {
	found := map[string]bool{}
	t.visit(path, certain, found)
	for known, s := range t.known {
		if below(known, path) && !found[known] {
			t.changed = append(t.changed, known)
			delete(t.known, known)
			if s.info.IsDir() {
				t.leave(known)
			}
		}
	}
}

func (t *tree) visit(path string, certain bool, found map[string]bool) {
	info, err := os.Lstat(path)
	if err == nil && info.Mode()&fs.ModeSymlink != 0 && t.root(path) {
		info, err = os.Stat(path)
	}
	if err != nil {
		return
	}
	found[path] = true
	t.compare(path, info, certain && !info.IsDir())
	if !info.IsDir() {
		return
	}
	t.enter(path) // first, so that what comes after the list is read is told
	entries, err := os.ReadDir(path)
	if err != nil {
		return // the build says why
	}
	for _, e := range entries {
		if !t.ignore(e.Name()) {
			t.visit(filepath.Join(path, e.Name()), false, found)
		}
	}
}

func (t *tree) root(path string) bool {
	for _, root := range t.roots {
		if root == path {
			return true
		}
	}
	return false
}

// compare notes how a file is now.
func (t *tree) compare(path string, info fs.FileInfo, certain bool) {
	now := time.Now()
	was, ok := t.known[path]
	is := stamp{info: info, seen: was.seen, sum: was.sum}
	other := !ok || certain || !was.same(info)
	if t.sums && info.Mode().IsRegular() && (other || now.Sub(was.seen) < fresh) {
		is.sum = sum(path)
		other = other || is.sum != was.sum
	}
	if other {
		is.seen = now
		t.changed = append(t.changed, path)
	}
	t.known[path] = is
}

// sum is the checksum of a file, nothing when it cannot be read.
func sum(path string) (sum [sha256.Size]byte) {
	f, err := os.Open(path)
	if err != nil {
		return sum
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return sum
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// take moves what changed into a list, and reports whether there was anything.
// A link may lead to any of it, so that links are added.
func (t *tree) take(into map[string]bool) bool {
	if len(t.changed) == 0 {
		return false
	}
	for _, path := range t.changed {
		into[path] = true
	}
	t.changed = nil
	for path, s := range t.known {
		if s.info.Mode()&fs.ModeSymlink != 0 {
			into[path] = true
		}
	}
	return true
}
