package serve

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// memory is a site that a test writes.
type memory struct {
	mu    sync.Mutex
	files map[string]string
}

func (m *memory) Has(path string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, ok := m.files[path]
	return ok
}

func (m *memory) File(path string) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	text, ok := m.files[path]
	switch {
	case !ok:
		return nil, fs.ErrNotExist
	case strings.HasPrefix(text, "fault: "):
		return nil, errors.New(text)
	}
	return []byte(text), nil
}

func (m *memory) set(files map[string]string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.files = files
}

const (
	css  = "assets/site.0123456789.css"
	css2 = "assets/site.abcdef0123.css"
)

// sample is a site under a root.
func sample() map[string]string {
	return map[string]string{
		"index.html":      `<html><head><link rel="stylesheet" href="` + css + `"></head><body>home</body></html>`,
		"404.html":        "<html><body>missing</body></html>",
		"a/tiny.html":     `<html><link rel="stylesheet" href="../` + css + `"><body>tiny</body></html>`,
		"a/tiny.md":       "# tiny\n",
		"a/tiny.json":     "{}",
		"a/tiny.py":       "pass\n",
		"a/index.json":    "[]",
		"diff/index.html": "<html><body>diffs</body></html>",
		"feed.xml":        "<feed/>",
		"icon.svg":        "<svg/>",
		"llms.txt":        "x",
		".nojekyll":       "",
		css:               "a{}",
	}
}

// show serves a site at a root.
func show(t *testing.T, root string) (*memory, *Server, string) {
	t.Helper()
	m := &memory{files: sample()}
	s := New(m)
	s.Publish(root, nil)
	h := httptest.NewServer(s)
	t.Cleanup(func() { s.Close(); h.Close() })
	return m, s, h.URL
}

// get asks for an address and follows nothing.
func get(t *testing.T, method, address string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequest(method, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer, string(body)
}

func TestAnswers(t *testing.T) {
	for _, root := range []string{"/", "/a/sub/path/"} {
		_, _, base := show(t, root)
		base += root
		for _, c := range []struct {
			path   string
			status int
			kind   string
			body   string
		}{
			{"", 200, "text/html; charset=utf-8", "home"},
			{"index.html", 200, "text/html; charset=utf-8", "home"},
			{"a/tiny", 200, "text/html; charset=utf-8", "tiny"},
			{"a/tiny.html", 200, "text/html; charset=utf-8", "tiny"},
			{"a/tiny.md", 200, "text/markdown; charset=utf-8", "# tiny"},
			{"a/tiny.json", 200, "application/json", "{}"},
			{"a/tiny.py", 200, "text/x-python; charset=utf-8", "pass"},
			{"diff/", 200, "text/html; charset=utf-8", "diffs"},
			{"feed.xml", 200, "application/xml", "<feed/>"},
			{"icon.svg", 200, "image/svg+xml", "<svg/>"},
			{"llms.txt", 200, "text/plain; charset=utf-8", "x"},
			{css, 200, "text/css; charset=utf-8", "a{}"},
			{".strata/reload.js", 200, "text/javascript; charset=utf-8", "EventSource"},
			{"a/none.html", 404, "text/html; charset=utf-8", "missing"},
			{"a/", 404, "text/html; charset=utf-8", "missing"},
			{"a/../../etc/passwd", 404, "text/html; charset=utf-8", "missing"},
		} {
			answer, body := get(t, "GET", base+c.path)
			if answer.StatusCode != c.status || answer.Header.Get("Content-Type") != c.kind || !strings.Contains(body, c.body) {
				t.Errorf("%s%s: %d %s %q", root, c.path, answer.StatusCode, answer.Header.Get("Content-Type"), body)
			}
			if cache := answer.Header.Get("Cache-Control"); c.status == 200 && cache != "no-cache" {
				t.Errorf("%s%s may be cached: %q", root, c.path, cache)
			}
			if injected := strings.Contains(body, `src="`+root+`.strata/reload.js?`); injected != strings.HasPrefix(c.kind, "text/html") {
				t.Errorf("%s%s: the script stands in it: %v", root, c.path, injected)
			}
		}
		for path, to := range map[string]string{"diff": "diff/"} {
			answer, _ := get(t, "GET", base+path)
			if at := answer.Header.Get("Location"); answer.StatusCode != 302 || !strings.HasSuffix(at, to) {
				t.Errorf("%s%s: %d to %q", root, path, answer.StatusCode, at)
			}
		}
		if answer, body := get(t, "HEAD", base+"a/tiny.html"); answer.StatusCode != 200 || body != "" || answer.ContentLength <= 0 {
			t.Errorf("HEAD: %d, %d bytes announced, %q", answer.StatusCode, answer.ContentLength, body)
		}
		if answer, _ := get(t, "POST", base); answer.StatusCode != 405 {
			t.Errorf("POST: %d", answer.StatusCode)
		}
	}
	_, _, base := show(t, "/sub/")
	if answer, _ := get(t, "GET", base+"/"); answer.Header.Get("Location") != "/sub/" {
		t.Errorf("the root of the host leads to %q", answer.Header.Get("Location"))
	}
	if answer, _ := get(t, "GET", base+"/index.html"); answer.StatusCode != 404 {
		t.Errorf("a page beside the root: %d", answer.StatusCode)
	}
}

// TestUnchanged asks again with the tag of an answer.
func TestUnchanged(t *testing.T) {
	m, s, base := show(t, "/")
	for _, path := range []string{"/a/tiny.html", "/a/tiny.json"} {
		first, _ := get(t, "GET", base+path)
		again := func() int {
			r, _ := http.NewRequest("GET", base+path, nil)
			r.Header.Set("If-None-Match", first.Header.Get("ETag"))
			answer, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			answer.Body.Close()
			return answer.StatusCode
		}
		if status := again(); status != http.StatusNotModified {
			t.Errorf("%s, unchanged: %d", path, status)
		}
		files := sample()
		files["a/tiny.html"], files["a/tiny.json"] = "<html><body>other</body></html>", `{"other": 1}`
		m.set(files)
		s.Publish("/", nil)
		if status := again(); status != http.StatusOK {
			t.Errorf("%s, changed: %d", path, status)
		}
		m.set(sample())
		s.Publish("/", nil)
	}
}

// A tab is a page that is open: it hears what the server tells.
type tab struct {
	t     *testing.T
	lines *bufio.Scanner
	body  io.Closer
}

var scriptSum = regexp.MustCompile(`reload\.js\?([^"]+)"`)

// openTab gets a page and listens, as its script does.
func openTab(t *testing.T, base, path string) *tab {
	t.Helper()
	_, page := get(t, "GET", base+path)
	m := scriptSum.FindStringSubmatch(page)
	if m == nil {
		t.Fatalf("no script in %s", page)
	}
	return listenTo(t, base, path, m[1])
}

func listenTo(t *testing.T, base, path, sum string) *tab {
	t.Helper()
	answer, err := http.Get(base + "/.strata/events?" + url.Values{"path": {path}, "sum": {sum}}.Encode())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { answer.Body.Close() })
	if kind := answer.Header.Get("Content-Type"); kind != "text/event-stream" {
		t.Fatalf("events come as %q", kind)
	}
	return &tab{t, bufio.NewScanner(answer.Body), answer.Body}
}

// next is the name and the data of an event; "" at the end.
func (b *tab) next() (event string) {
	for b.lines.Scan() {
		name, value, _ := strings.Cut(b.lines.Text(), ": ")
		switch name {
		case "event":
			event = value
		case "data":
			event += " " + value
		case "":
			return event
		}
	}
	return ""
}

func (b *tab) expect(want ...string) {
	b.t.Helper()
	for _, w := range want {
		if got := b.next(); got != w {
			b.t.Errorf("event %q, want %q", got, w)
		}
	}
}

const fine = "problems []"

// TestEvents opens pages and builds: each hears what concerns it.
func TestEvents(t *testing.T) {
	m, s, base := show(t, "/")
	tiny, home, missing := openTab(t, base, "/a/tiny.html"), openTab(t, base, "/"), openTab(t, base, "/a/new.html")
	for _, b := range []*tab{tiny, home, missing} {
		b.expect(fine)
	}

	// One page changes.
	files := sample()
	files["a/tiny.html"] = strings.Replace(files["a/tiny.html"], "tiny<", "other<", 1)
	m.set(files)
	s.Publish("/", nil)
	tiny.expect("reload null", fine)
	home.expect(fine)
	missing.expect(fine)

	// The style sheet changes, and so its address in each page.
	restyle := maps.Clone(files)
	for path, text := range files {
		restyle[path] = strings.ReplaceAll(text, css, css2)
	}
	delete(restyle, css)
	restyle[css2] = "b{}"
	m.set(restyle)
	s.Publish("/", nil)
	tiny.expect(`styles [["../`+css+`","../`+css2+`"]]`, fine)
	home.expect(`styles [["`+css+`","`+css2+`"]]`, fine)
	missing.expect(fine)

	// The style sheet changes back, and a page with it.
	m.set(files)
	files["index.html"] = strings.Replace(files["index.html"], "home", "another", 1)
	s.Publish("/", nil)
	tiny.expect(`styles [["../`+css2+`","../`+css+`"]]`, fine)
	home.expect("reload null", fine)

	// What was missing comes.
	missing.expect(fine)
	files["a/new.html"] = "<html><body>new</body></html>"
	s.Publish("/", nil)
	missing.expect("reload null")

	// A fault, and its end; a page that is opened meanwhile hears of it at once.
	s.Fail([]string{"content/a/tiny.md:3:1: <b> & \"what\""})
	tiny.expect(fine)
	var told []string
	name, data, _ := strings.Cut(tiny.next(), " ")
	if err := json.Unmarshal([]byte(data), &told); err != nil || name != "problems" || len(told) != 1 || told[0] != "content/a/tiny.md:3:1: <b> & \"what\"" {
		t.Errorf("told of %q %v %v", name, told, err)
	}
	late := openTab(t, base, "/")
	if got := late.next(); !strings.HasPrefix(got, "problems [") {
		t.Errorf("a page opened later is told %q", got)
	}
	s.Publish("/", nil)
	tiny.expect(fine)
	late.expect(fine)

	// A page that is of before hears so.
	listenTo(t, base, "/a/tiny.html", "200-0000000000000000").expect("reload null")
}

// TestNotBuilt serves before there is a site: the problems, and then the site.
func TestNotBuilt(t *testing.T) {
	m := &memory{}
	s := New(m)
	s.Fail([]string{"templates/a/model.json:1:1: <not> JSON"})
	h := httptest.NewServer(s)
	defer h.Close()
	defer s.Close()
	answer, body := get(t, "GET", h.URL+"/any/page.html")
	if answer.StatusCode != 503 || !strings.Contains(body, "1:1: &lt;not&gt; JSON") {
		t.Errorf("%d %s", answer.StatusCode, body)
	}
	b := openTab(t, h.URL, "/")
	if got := b.next(); !strings.Contains(got, "not") {
		t.Errorf("told %q", got)
	}
	m.set(sample())
	s.Publish("/", nil)
	b.expect("reload null", fine)
}

// TestFault asks for a page that cannot be made: it says why, and comes once it
// can be.
func TestFault(t *testing.T) {
	m, s, base := show(t, "/")
	files := sample()
	files["a/tiny.html"] = "fault: <no> such field"
	m.set(files)
	s.Publish("/", nil)
	answer, body := get(t, "GET", base+"/a/tiny.html")
	if answer.StatusCode != 500 || !strings.Contains(body, "fault: &lt;no&gt; such field") {
		t.Errorf("%d %s", answer.StatusCode, body)
	}
	b := openTab(t, base, "/a/tiny.html")
	b.expect(fine)
	if open := s.Open(); len(open) > 0 {
		t.Errorf("open are %v, want no file of the site", open)
	}
	m.set(sample())
	s.Publish("/", nil)
	b.expect("reload null", fine)
}

// TestOpen lists the files that browsers show.
func TestOpen(t *testing.T) {
	_, s, base := show(t, "/")
	for _, path := range []string{"/", "/a/tiny", "/a/tiny.html", "/a/none"} {
		openTab(t, base, path).expect(fine)
	}
	want := []string{"404.html", "a/tiny.html", "index.html"}
	if got := s.Open(); !slices.Equal(got, want) {
		t.Errorf("open are %v, want %v", got, want)
	}
}

// TestDeaf lets a page not listen: the server goes on, and drops it.
func TestDeaf(t *testing.T) {
	_, s, base := show(t, "/")
	b := openTab(t, base, "/")
	b.expect(fine)
	long := []string{strings.Repeat("x", 1<<20)}
	for range 200 {
		s.Fail(long)
	}
	for b.next() != "" { // ends
	}
}

// TestListen takes the next port where one is taken.
func TestListen(t *testing.T) {
	first, err := Listen("127.0.0.1", 0)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	port := first.Addr().(*net.TCPAddr).Port
	second, err := Listen("127.0.0.1", port)
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	if got := second.Addr().(*net.TCPAddr).Port; got == port || !Loopback(second) {
		t.Errorf("listens on %v", second.Addr())
	}
	if got, want := Address(first, "/x/"), fmt.Sprintf("http://127.0.0.1:%d/x/", port); got != want {
		t.Errorf("address %s, want %s", got, want)
	}
	if _, err := Listen("192.0.2.1", port); err == nil { // an address of documentation
		t.Error("listens on an address that is none of this machine's")
	}
}

// TestEnd counts what is left of servers that were used: nothing.
func TestEnd(t *testing.T) {
	round := func() {
		m := &memory{files: sample()}
		s := New(m)
		s.Publish("/", nil)
		l, err := Listen("127.0.0.1", 0)
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(context.Background())
		ended := make(chan error)
		go func() { ended <- s.Run(ctx, l) }()
		b := openTab(t, strings.TrimSuffix(Address(l, "/"), "/"), "/")
		b.expect(fine)
		stop()
		if err := <-ended; err != nil {
			t.Errorf("ends with %v", err)
		}
		if got := b.next(); got != "" {
			t.Errorf("told %q after the end", got)
		}
		b.body.Close()
		http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	}
	round() // what the runtime opens once
	routines, files := settle()
	for range 10 {
		round()
	}
	if r, f := settle(); r > routines || f > files {
		var stacks bytes.Buffer
		buf := make([]byte, 1<<16)
		stacks.Write(buf[:runtime.Stack(buf, true)])
		t.Errorf("%d goroutines and %d descriptors, before there were %d and %d\n%s", r, f, routines, files, stacks.String())
	}
}

// settle counts goroutines and open files, once those that end have ended.
func settle() (routines, files int) {
	for range 50 {
		time.Sleep(10 * time.Millisecond)
		if n := runtime.NumGoroutine(); n == routines {
			break
		} else {
			routines = n
		}
	}
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return routines, 0
	}
	return routines, len(entries)
}
