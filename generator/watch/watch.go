// Package watch tells which files below some folders changed, in lists that are
// ready to be built: a list comes once it is quiet, so that a branch that is
// checked out is one list, and a file that an editor moves aside, truncates or
// removes before it writes it anew is not told of half-way. Start from New.
//
// What the system tells is a hint only. A Watcher keeps a stamp of every file
// and folder and looks for itself where a hint points to; so it does not matter
// by which steps a file was saved, and a file that came with its folder is not
// missed. Folders that are new, that come back, or that are not there yet are
// watched too.
//
// Where the system tells nothing, or cannot watch that much, a Watcher polls: it
// looks at everything again and again, at the content too of what changed of
// late, since times are coarse on some file systems.
package watch

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"
)

// How long it has to be quiet before a list comes, and how long the list is held
// back at most. A few files are somebody who saves; many, or one that is gone or
// empty for now, are a program in the middle of its work.
const (
	quiet, longest           = 15 * time.Millisecond, 250 * time.Millisecond
	quietAtWork, longestWork = 150 * time.Millisecond, 2 * time.Second
	few                      = 3
)

// Options say how to watch. The zero value watches with what the system offers.
type Options struct {
	// Ignore reports whether nobody wants to hear of files and folders of a name,
	// given without its folder. Nil: everything counts.
	Ignore func(name string) bool
	Poll   bool          // look again and again, whatever the system offers
	Every  time.Duration // how often to look when polling; half a second when 0
	// Note is told when polling takes the place of watching, and why. Nil: nobody
	// is.
	Note func(why string)
}

// A Watcher watches folders until it is closed.
type Watcher struct {
	changes    chan []string
	stop, done chan struct{}

	o       Options
	tree    *tree
	events  *fsnotify.Watcher // nil: it polls
	watched map[string]bool   // folders that events come from
}

// New watches folders, whether they are there or not. It knows of each change
// after it returns.
func New(folders []string, o Options) *Watcher {
	if o.Every == 0 {
		o.Every = 500 * time.Millisecond
	}
	if o.Ignore == nil {
		o.Ignore = func(string) bool { return false }
	}
	if o.Note == nil {
		o.Note = func(string) {}
	}
	w := &Watcher{changes: make(chan []string), stop: make(chan struct{}), done: make(chan struct{}), o: o, watched: map[string]bool{}}
	w.tree = &tree{ignore: o.Ignore, known: map[string]stamp{}, enter: w.enter, leave: w.leave}
	for _, f := range folders {
		w.tree.roots = append(w.tree.roots, filepath.Clean(f))
	}
	if !o.Poll {
		w.begin()
	}
	w.tree.sums = w.events == nil
	w.anchor()
	for _, root := range w.tree.roots {
		w.tree.look(root, false)
	}
	w.tree.changed = nil
	go w.run()
	return w
}

// Changes gives lists of the paths of files and folders that are new, gone or
// other than they were, in order. Each begins with one of the folders as it was
// given. What changes while nobody asks is added to the next list.
func (w *Watcher) Changes() <-chan []string { return w.changes }

// Close ends the watch. Nothing of it is left once it returns.
func (w *Watcher) Close() {
	close(w.stop)
	<-w.done
}

// begin starts to watch, where that makes sense.
func (w *Watcher) begin() {
	for _, root := range w.tree.roots {
		if name := silent(nearest(root)); name != "" {
			w.o.Note(root + " is on " + name + ", which does not tell of changes")
			return
		}
	}
	events, err := fsnotify.NewWatcher()
	if err != nil {
		w.o.Note(err.Error())
		return
	}
	w.events = events
}

// nearest is a folder, or the nearest one around it that is there.
func nearest(folder string) string {
	for {
		above := filepath.Dir(folder)
		if info, err := os.Stat(folder); above == folder || err == nil && info.IsDir() {
			return folder
		}
		folder = above
	}
}

// anchor watches what each root stands in, to see the root come and go.
func (w *Watcher) anchor() {
	for _, root := range w.tree.roots {
		w.enter(nearest(filepath.Dir(root)))
	}
}

// enter watches a folder; leave ends that. A folder that went and came again has
// lost its watch, so that it is entered again.
func (w *Watcher) enter(folder string) {
	if w.events == nil {
		return
	}
	err := w.events.Add(folder)
	if err == nil || errors.Is(err, os.ErrNotExist) || errors.Is(err, os.ErrPermission) {
		w.watched[folder] = err == nil
		return
	}
	w.events.Close()
	w.events = nil
	w.o.Note(folder + " cannot be watched: " + err.Error())
}

func (w *Watcher) leave(folder string) {
	if w.events != nil && w.watched[folder] {
		_ = w.events.Remove(folder) // it went by itself when the folder did
	}
	delete(w.watched, folder)
}

func (w *Watcher) run() {
	defer close(w.done)
	ready := map[string]bool{}
	if w.events != nil && !w.listen(ready) {
		return
	}
	w.poll(ready)
}

// offer is where a list goes, if there is one.
func (w *Watcher) offer(ready map[string]bool) (chan<- []string, []string) {
	if len(ready) == 0 {
		return nil, nil
	}
	return w.changes, slices.Sorted(maps.Keys(ready))
}

// listen follows events. It returns true when polling has to go on from here.
func (w *Watcher) listen(ready map[string]bool) bool {
	touched := map[string]bool{} // true: changed for certain, whatever the stamp says
	var first, last time.Time
	timer := time.NewTimer(0)
	defer timer.Stop()
	touch := func(path string, certain bool) {
		last = time.Now()
		if len(touched) == 0 {
			first = last
			timer.Reset(quiet)
		}
		touched[path] = touched[path] || certain
	}
	events := w.events
	defer events.Close()
	for {
		out, list := w.offer(ready)
		select {
		case <-w.stop:
			return false
		case out <- list:
			clear(ready)
		case e, ok := <-events.Events:
			if !ok { // the watch was given up
				w.events = nil
				return true
			}
			if path := w.tree.concerns(filepath.Clean(e.Name)); path != "" {
				touch(path, e.Op != fsnotify.Chmod)
			}
		case <-events.Errors: // events were lost: look at everything
			for _, root := range w.tree.roots {
				touch(root, false)
			}
		case <-timer.C:
			if len(touched) == 0 {
				continue
			}
			need, limit := quiet, longest
			if len(touched) > few || w.unfinished(touched) {
				need, limit = quietAtWork, longestWork
			}
			if wait := min(need-time.Since(last), limit-time.Since(first)); wait > 0 {
				timer.Reset(wait)
				continue
			}
			w.anchor()
			for _, path := range slices.Sorted(maps.Keys(touched)) {
				w.tree.look(path, touched[path])
			}
			clear(touched)
			w.tree.take(ready)
			if w.events == nil {
				return true
			}
		}
	}
}

// unfinished reports whether a file that was touched is not written yet.
func (w *Watcher) unfinished(touched map[string]bool) bool {
	for path := range touched {
		if w.tree.unfinished(path) {
			return true
		}
	}
	return false
}

// poll looks at everything until the watcher is closed. A list waits for a look
// that finds nothing more.
func (w *Watcher) poll(ready map[string]bool) {
	w.tree.sums = true
	timer := time.NewTimer(w.o.Every)
	defer timer.Stop()
	found := map[string]bool{}
	var first time.Time
	for {
		out, list := w.offer(ready)
		select {
		case <-w.stop:
			return
		case out <- list:
			clear(ready)
		case <-timer.C:
			began := time.Now()
			for _, root := range w.tree.roots {
				w.tree.look(root, false)
			}
			more := w.tree.take(found)
			took := time.Since(began)
			if more && first.IsZero() {
				first = began
			}
			if more && began.Sub(first) < longestWork {
				timer.Reset(quietAtWork)
				continue
			}
			maps.Copy(ready, found)
			clear(found)
			first = time.Time{}
			timer.Reset(max(w.o.Every, 10*took)) // a large tree on a slow disk must not be all it does
		}
	}
}

// below reports whether a path is a folder or in it.
func below(path, folder string) bool {
	return path == folder || folder == "." || strings.HasPrefix(path, strings.TrimSuffix(folder, string(filepath.Separator))+string(filepath.Separator))
}
