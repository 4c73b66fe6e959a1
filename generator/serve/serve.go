// Package serve shows a site to the one who writes it. A Server answers from the
// files of the last good build and keeps the pages that are open up to date: a
// script, which stands in what is served and in no file of the site, hears of
// builds as server-sent events. A page is loaded anew when a build changed it; a
// style sheet is put in its place without that; what is wrong with the input is
// laid over the page until it is mended. Start from New.
package serve

import (
	"bytes"
	_ "embed"
	"encoding/hex"
	"fmt"
	"html/template"
	"mime"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"strings"
	"sync"
	"time"

	"crypto/sha256"

	"github.com/go-json-experiment/json"
)

// Addresses of the server's own, below the root of the site. No file of a site
// begins with a dot and a name.
const (
	scriptPath = ".strata/reload.js"
	eventsPath = ".strata/events"
)

// Files are the files of a site.
type Files interface {
	File(path string) (data []byte, ok bool)
}

// A Server serves a site that changes. It is safe for concurrent use.
type Server struct {
	files Files
	done  chan struct{} // closed at the end
	end   sync.Once

	mu       sync.Mutex
	root     string // where the site stands: "/" or "/repo/"
	built    bool   // once at least
	problems []string
	open     map[*reader]bool
}

// A reader is a page that is open in a browser.
type reader struct {
	path   string // below the root
	shown  answer
	events chan event
}

// An answer is what a path is answered with.
type answer struct {
	file   string // "" when it is none of the site
	data   []byte
	status int
}

func (a answer) equal(b answer) bool { return a.status == b.status && bytes.Equal(a.data, b.data) }

// sum stands for an answer in the address of the script.
func (a answer) sum() string {
	sum := sha256.Sum256(a.data)
	return fmt.Sprint(a.status, "-", hex.EncodeToString(sum[:8]))
}

// New makes a server of files that nobody has built yet.
func New(files Files) *Server {
	return &Server{files: files, root: "/", done: make(chan struct{}), open: map[*reader]bool{}}
}

// A Build is what a build did.
type Build struct {
	Root string // path of the site on its host, with slashes around it
	// Changed and Removed list files by path: those that are new or other, and
	// those that are gone.
	Changed, Removed []string
	// Problems is what is wrong with the input, although the rest was built.
	Problems []string
}

// Publish tells of a build, whose files are there.
func (s *Server) Publish(b Build) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.root, s.built, s.problems = b.Root, true, b.Problems
	styles := replaced(b)
	for r := range s.open {
		is := s.answer(r.path)
		switch {
		case is.equal(r.shown):
		case is.equal(restyled(r.shown, styles)):
			r.send(event{"styles", styles})
		default:
			r.send(event{"reload", nil})
		}
		r.shown = is
		r.send(event{"problems", b.Problems})
	}
}

// Fail tells of a build that came to nothing. The files stay as they were.
func (s *Server) Fail(problems []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.problems = problems
	for r := range s.open {
		r.shown = s.answer(r.path)
		r.send(event{"problems", problems})
	}
}

// Close ends the streams of events. Nothing is sent after it.
func (s *Server) Close() { s.end.Do(func() { close(s.done) }) }

// style is the address of a style sheet: its name and a checksum.
var style = regexp.MustCompile(`^(.*)\.[0-9a-f]{10}\.css$`)

// replaced lists style sheets that took the place of others: old and new path.
func replaced(b Build) [][2]string {
	gone := map[string]string{}
	for _, path := range b.Removed {
		if m := style.FindStringSubmatch(path); m != nil {
			gone[m[1]] = path
		}
	}
	var list [][2]string
	for _, path := range b.Changed {
		if m := style.FindStringSubmatch(path); m != nil && gone[m[1]] != "" {
			list = append(list, [2]string{gone[m[1]], path})
		}
	}
	return list
}

// restyled is an answer with other style sheets.
func restyled(a answer, styles [][2]string) answer {
	for _, s := range styles {
		a.data = bytes.ReplaceAll(a.data, []byte(s[0]), []byte(s[1]))
	}
	return a
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "a site can be read only", http.StatusMethodNotAllowed)
		return
	}
	s.mu.Lock()
	root := s.root
	s.mu.Unlock()
	below, ok := strings.CutPrefix(r.URL.Path, root)
	switch {
	case !ok && (r.URL.Path == "/" || r.URL.Path+"/" == root):
		http.Redirect(w, r, root, http.StatusFound)
	case ok && below == scriptPath:
		give(w, r, "reload.js", script)
	case ok && below == eventsPath:
		s.stream(w, r)
	default:
		s.page(w, r, root, below)
	}
}

//go:embed reload.js
var script []byte

// page answers with a file of the site.
func (s *Server) page(w http.ResponseWriter, r *http.Request, root, below string) {
	if _, ok := s.files.File(path.Join(below, "index.html")); ok && below != "" && !strings.HasSuffix(below, "/") {
		http.Redirect(w, r, (&url.URL{Path: path.Base(below) + "/", RawQuery: r.URL.RawQuery}).String(), http.StatusFound)
		return
	}
	s.mu.Lock()
	a := s.answer(below)
	s.mu.Unlock()
	if a.file == "" || strings.HasSuffix(a.file, ".html") {
		a.data, a.file = inject(a, root), "index.html"
	}
	if a.status != http.StatusOK {
		w.Header().Set("Content-Type", contentType(a.file))
		w.Header().Set("Cache-Control", "no-store")
		w.WriteHeader(a.status)
		if r.Method != http.MethodHead {
			_, _ = w.Write(a.data) // a reader who has gone is no fault
		}
		return
	}
	give(w, r, a.file, a.data)
}

// give answers with bytes that a browser has to ask for anew each time.
func give(w http.ResponseWriter, r *http.Request, name string, data []byte) {
	sum := sha256.Sum256(data)
	h := w.Header()
	h.Set("Content-Type", contentType(name))
	h.Set("Cache-Control", "no-cache")
	h.Set("ETag", `"`+hex.EncodeToString(sum[:16])+`"`)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
}

// answer is what a path below the root is answered with, as hosts of static
// files do: a folder with its index, a name with the page of that name, anything
// else with the page for what is missing. s.mu is held.
func (s *Server) answer(below string) answer {
	if !s.built {
		return answer{"", broken(s.problems), http.StatusServiceUnavailable}
	}
	names := []string{below, below + ".html"}
	if below == "" || strings.HasSuffix(below, "/") {
		names = []string{below + "index.html"}
	}
	for _, name := range names {
		if data, ok := s.files.File(name); ok {
			return answer{name, data, http.StatusOK}
		}
	}
	if data, ok := s.files.File("404.html"); ok {
		return answer{"404.html", data, http.StatusNotFound}
	}
	return answer{"", []byte("<!doctype html><title>Not found</title><h1>Not found</h1>"), http.StatusNotFound}
}

// broken stands in for a site that could not be built yet.
func broken(problems []string) []byte {
	var b bytes.Buffer
	_ = noSite.Execute(&b, problems) // a buffer takes everything
	return b.Bytes()
}

var noSite = template.Must(template.New("").Parse(`<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>Not built yet</title>
<h1>Not built yet</h1>{{range .}}<pre>{{.}}</pre>{{end}}</html>`))

// inject puts the script into a page. Its address says which page it is.
func inject(a answer, root string) []byte {
	tag := []byte(`<script src="` + template.HTMLEscapeString(root+scriptPath+"?"+a.sum()) + `" defer></script>`)
	at := bytes.LastIndex(a.data, []byte("</body>"))
	if at < 0 {
		at = len(a.data)
	}
	return bytes.Join([][]byte{a.data[:at], tag, a.data[at:]}, nil)
}

// types are the media types of a site's files: what the system knows depends on
// the machine.
var types = map[string]string{
	".css": "text/css; charset=utf-8", ".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8",
	".json": "application/json", ".md": "text/markdown; charset=utf-8", ".png": "image/png", ".py": "text/x-python; charset=utf-8",
	".svg": "image/svg+xml", ".txt": "text/plain; charset=utf-8", ".woff2": "font/woff2", ".xml": "application/xml", "": "text/plain; charset=utf-8",
}

func contentType(name string) string {
	if t, ok := types[path.Ext(name)]; ok {
		return t
	}
	if t := mime.TypeByExtension(path.Ext(name)); t != "" {
		return t
	}
	return "application/octet-stream"
}

// An event is told to the script of a page.
type event struct {
	name string
	data any
}

// send tells a reader. One who does not listen is told no more: the script
// connects anew, and then learns whether its page is still the same.
func (r *reader) send(e event) {
	if r.events == nil {
		return
	}
	select {
	case r.events <- e:
	default:
		close(r.events)
		r.events = nil
	}
}

// stream sends events until the page is closed, or the server.
func (s *Server) stream(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	if r.Method == http.MethodHead {
		return
	}
	me, events := s.join(r.URL.Query())
	defer s.part(me)
	flush := http.NewResponseController(w).Flush
	if flush() != nil {
		return
	}
	for {
		select {
		case e, ok := <-events:
			if !ok {
				return
			}
			data, err := json.Marshal(e.data)
			if err != nil {
				return // names and texts can be written
			}
			if _, err := fmt.Fprintf(w, "event: %s\ndata: %s\n\n", e.name, data); err != nil || flush() != nil {
				return
			}
		case <-r.Context().Done():
			return
		case <-s.done:
			return
		}
	}
}

// join adds a reader. Where its page is another by now, it hears of that first.
func (s *Server) join(q url.Values) (*reader, <-chan event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	me := &reader{events: make(chan event, 32)}
	me.path = strings.TrimPrefix(q.Get("path"), s.root)
	me.shown = s.answer(me.path)
	if me.shown.sum() != q.Get("sum") {
		me.send(event{"reload", nil})
	} else {
		me.send(event{"problems", s.problems})
	}
	s.open[me] = true
	return me, me.events
}

func (s *Server) part(r *reader) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, r)
}
