// Package serve shows a site to the one who writes it. A Server answers with the
// files of the site as it was good last and keeps the pages that are open up to
// date: a script, which stands in what is served and in no file of the site, hears
// of changes as server-sent events. A page is loaded anew when it is another now;
// a style sheet is put in its place without that; what is wrong with the input is
// laid over the page until it is mended. Start from New.
package serve

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
)

// Addresses of the server's own, below the root of the site. No file of a site
// begins with a dot and a name.
const (
	scriptPath = ".strata/reload.js"
	eventsPath = ".strata/events"
)

// A Site is what a Server shows.
type Site interface {
	// Has reports whether the site has a file at a path.
	Has(path string) bool
	// File is the file at a path, made now where it has to be. The error is
	// fs.ErrNotExist where there is none; any other says why it cannot be made.
	File(path string) ([]byte, error)
}

// A Server serves a site that changes. Publish and Fail are called one at a time;
// all else is safe for concurrent use.
type Server struct {
	site Site
	done chan struct{} // closed at the end
	end  sync.Once

	mu    sync.Mutex
	state state
	open  map[*reader]bool
}

// state is what a Server was told last.
type state struct {
	count    int    // of what it was told
	root     string // where the site stands: "/" or "/repo/"
	built    bool   // once at least
	problems []string
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

// sum stands for an answer in the address of the script.
func (a answer) sum() string {
	sum := sha256.Sum256(a.data)
	return fmt.Sprint(a.status, "-", hex.EncodeToString(sum[:8]))
}

// New makes a server of a site that nobody has built yet.
func New(site Site) *Server {
	return &Server{site: site, state: state{root: "/"}, done: make(chan struct{}), open: map[*reader]bool{}}
}

// Publish tells that the site is another now, under a path of its host with
// slashes around it. problems is what is wrong with the input, although the rest
// is there.
func (s *Server) Publish(root string, problems []string) {
	s.tell(state{root: root, built: true, problems: problems})
}

// Fail tells what is wrong with the input. The site stays as it was.
func (s *Server) Fail(problems []string) {
	was := s.told()
	s.tell(state{root: was.root, built: was.built, problems: problems})
}

func (s *Server) told() state {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state
}

// tell tells pages that are open what concerns them.
func (s *Server) tell(now state) {
	s.mu.Lock()
	now.count = s.state.count + 1
	s.state = now
	readers := slices.Collect(maps.Keys(s.open))
	s.mu.Unlock()
	for _, r := range readers {
		is := s.answer(now, r.path)
		if styles, only := restyled(r.shown, is); !only {
			r.send(event{"reload", nil})
		} else if len(styles) > 0 {
			r.send(event{"styles", styles})
		}
		r.shown = is
		r.send(event{"problems", now.problems})
	}
}

// Close ends the streams of events. Nothing is sent after it.
func (s *Server) Close() { s.end.Do(func() { close(s.done) }) }

// style is the address of a style sheet on a page, which ends in a checksum.
var style = regexp.MustCompile(`[^"'\s=<>]*\.[0-9a-f]{10}\.css`)

// restyled lists the style sheets that took the place of others from one answer
// to the next: old and new address. only says that nothing else differs.
func restyled(was, is answer) (styles [][2]string, only bool) {
	if was.status != is.status || !bytes.Equal(style.ReplaceAll(was.data, nil), style.ReplaceAll(is.data, nil)) {
		return nil, false
	}
	old := style.FindAll(was.data, -1)
	for i, sheet := range style.FindAll(is.data, -1) {
		if pair := [2]string{string(old[i]), string(sheet)}; pair[0] != pair[1] && !slices.Contains(styles, pair) {
			styles = append(styles, pair)
		}
	}
	return styles, true
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "a site can be read only", http.StatusMethodNotAllowed)
		return
	}
	now := s.told()
	root := now.root
	below, ok := strings.CutPrefix(r.URL.Path, root)
	switch {
	case !ok && (r.URL.Path == "/" || r.URL.Path+"/" == root):
		http.Redirect(w, r, root, http.StatusFound)
	case ok && below == scriptPath:
		give(w, r, "reload.js", script)
	case ok && below == eventsPath:
		s.stream(w, r)
	default:
		s.page(w, r, now, below)
	}
}

//go:embed reload.js
var script []byte

// page answers with a file of the site.
func (s *Server) page(w http.ResponseWriter, r *http.Request, now state, below string) {
	if below != "" && !strings.HasSuffix(below, "/") && s.site.Has(path.Join(below, "index.html")) {
		http.Redirect(w, r, (&url.URL{Path: path.Base(below) + "/", RawQuery: r.URL.RawQuery}).String(), http.StatusFound)
		return
	}
	a := s.answer(now, below)
	if a.file == "" || strings.HasSuffix(a.file, ".html") {
		a.data, a.file = inject(a, now.root), "index.html"
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
// else with the page for what is missing.
func (s *Server) answer(now state, below string) answer {
	if !now.built {
		return answer{"", broken("Not built yet", now.problems...), http.StatusServiceUnavailable}
	}
	names := []string{below, below + ".html"}
	if below == "" || strings.HasSuffix(below, "/") {
		names = []string{below + "index.html"}
	}
	for _, name := range append(names, missing) {
		data, err := s.site.File(name)
		switch {
		case err == nil && name == missing && below != missing:
			return answer{name, data, http.StatusNotFound}
		case err == nil:
			return answer{name, data, http.StatusOK}
		case !errors.Is(err, fs.ErrNotExist):
			return answer{"", broken("This page cannot be made", err.Error()), http.StatusInternalServerError}
		}
	}
	return answer{"", broken("Not found"), http.StatusNotFound}
}

// missing is the page for what is missing.
const missing = "404.html"

// broken stands in for a page that is not there.
func broken(title string, problems ...string) []byte {
	var b bytes.Buffer
	_ = noPage.Execute(&b, struct { // a buffer takes everything
		Title    string
		Problems []string
	}{title, problems})
	return b.Bytes()
}

var noPage = template.Must(template.New("").Parse(`<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>{{.Title}}</title>
<h1>{{.Title}}</h1>{{range .Problems}}<pre>{{.}}</pre>{{end}}</html>`))

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
	me := &reader{events: make(chan event, 32)}
	for events := me.events; ; {
		now := s.told()
		me.path = strings.TrimPrefix(q.Get("path"), now.root)
		me.shown = s.answer(now, me.path)
		s.mu.Lock()
		if s.state.count == now.count { // else it may have missed something
			if me.shown.sum() != q.Get("sum") {
				me.send(event{"reload", nil})
			} else {
				me.send(event{"problems", now.problems})
			}
			s.open[me] = true
			s.mu.Unlock()
			return me, events
		}
		s.mu.Unlock()
	}
}

// Open lists the files of the site that are open in a browser, each once.
func (s *Server) Open() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	files := map[string]bool{}
	for r := range s.open {
		files[r.shown.file] = true
	}
	delete(files, "") // none of the site
	return slices.Sorted(maps.Keys(files))
}

func (s *Server) part(r *reader) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, r)
}
