package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/strata-catalog/strata/generator/internal/synthetic"
	"github.com/strata-catalog/strata/generator/internal/testfiles"
)

// served is strata serve, running in this program.
type served struct {
	testing.TB
	dir, url string
	out      *testfiles.Transcript
	stop     context.CancelFunc
	code     chan int
}

// startServe serves a synthetic catalog of n templates.
func startServe(t testing.TB, n int) *served {
	t.Helper()
	s := &served{TB: t, dir: t.TempDir(), out: &testfiles.Transcript{}, code: make(chan int, 1)}
	for _, f := range synthetic.Catalog(1, n) {
		s.write(f.Path, f.Text)
	}
	ctx, stop := context.WithCancel(context.Background())
	s.stop = stop
	go func() {
		s.code <- Main(ctx, []string{"serve", "--source", s.dir, "--port", "0"}, strings.NewReader(""), s.out, s.out)
	}()
	at := regexp.MustCompile(`serving (\S+);`)
	for s.url == "" {
		if m := at.FindStringSubmatch(s.out.String()); m != nil {
			s.url = m[1]
		}
		select {
		case code := <-s.code:
			t.Fatalf("serve ended with code %d: %s", code, s.out)
		case <-time.After(5 * time.Millisecond):
		}
	}
	return s
}

func (s *served) read(name string) string {
	s.Helper()
	src, err := os.ReadFile(filepath.Join(s.dir, filepath.FromSlash(name)))
	if err != nil {
		s.Fatal(err)
	}
	return string(src)
}

func (s *served) write(name, text string) {
	s.Helper()
	full := filepath.Join(s.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		s.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
		s.Fatal(err)
	}
}

// await asks for a page until it holds a text.
func (s *served) await(page, text string) {
	s.Helper()
	var body []byte
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(time.Millisecond) {
		answer, err := http.Get(s.url + page)
		if err != nil {
			s.Fatal(err)
		}
		body, err = io.ReadAll(answer.Body)
		answer.Body.Close()
		if err == nil && bytes.Contains(body, []byte(text)) {
			return
		}
	}
	s.Fatalf("%s never holds %q; the server printed\n%s", page, text, s.out)
}

// end ends the server, as Ctrl-C does.
func (s *served) end() {
	s.Helper()
	s.stop()
	if code := <-s.code; code != 0 {
		s.Errorf("ends with code %d: %s", code, s.out)
	}
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
}

// edits are ways to change the n-th time what a page says.
var edits = []struct {
	name, file, page string
	change           func(text string, n int) (changed, seen string)
}{
	{"template", "templates/model-00010/model.json", "a/model-00010.html", func(text string, n int) (string, string) {
		name := fmt.Sprintf("Edited %d.", n)
		return strings.Replace(text, `"name": "`, `"name": "`+name+" ", 1), name
	}},
	{"content", "content/a/model-00010.md", "a/model-00010.html", func(text string, n int) (string, string) {
		words := fmt.Sprintf("Edited %d.", n)
		return text + "\n" + words + "\n", words
	}},
	{"layout", "themes/default/layouts/parts/footer.html", "index.html", func(text string, n int) (string, string) {
		words := fmt.Sprintf("Edited %d.", n)
		return "<footer>" + words + "</footer>", words
	}},
}

// TestServeEnds counts what is left of a server that was used: nothing.
func TestServeEnds(t *testing.T) {
	round := func() {
		s := startServe(t, 11)
		for _, e := range edits[:2] {
			text, seen := e.change(s.read(e.file), 1)
			s.write(e.file, text)
			s.await(e.page, seen)
		}
		s.write("content/site.yaml", "title: Other\ntheme: mine\n")
		s.write("themes/mine/layouts/parts/footer.html", "<footer>mine</footer>")
		s.await("index.html", "<footer>mine")
		s.end()
	}
	round() // what the runtime opens once
	routines, files := settled()
	for range 2 {
		round()
	}
	if r, f := settled(); r > routines || f > files {
		t.Errorf("%d goroutines and %d descriptors, before there were %d and %d", r, f, routines, files)
	}
}

// settled counts goroutines and open files, once those that end have ended.
func settled() (routines, files int) {
	for range 100 {
		time.Sleep(10 * time.Millisecond)
		n := runtime.NumGoroutine()
		if n == routines {
			break
		}
		routines = n
	}
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return routines, 0
	}
	return routines, len(entries)
}

// TestBrowserCommand is what opens an address, on this system.
func TestBrowserCommand(t *testing.T) {
	if c := browser("http://127.0.0.1:8000/"); !slices.Contains(c.Args, "http://127.0.0.1:8000/") {
		t.Errorf("runs %v", c.Args)
	}
}

// BenchmarkServe is from a file being saved to its change being served: half of
// the edits take no longer than p50, 19 of 20 no longer than p95. Run it with
// -benchtime 200x for 200 edits.
func BenchmarkServe(b *testing.B) {
	for _, n := range []int{100, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s := startServe(b, n)
			defer s.end()
			s.write("themes/default/layouts/parts/footer.html", "<footer></footer>")
			s.await("index.html", "<footer></footer>")
			edited := 0
			for _, e := range edits {
				text := s.read(e.file)
				b.Run(e.name, func(b *testing.B) {
					var times []time.Duration
					for b.Loop() {
						edited++
						changed, seen := e.change(text, edited)
						began := time.Now()
						s.write(e.file, changed)
						s.await(e.page, seen)
						times = append(times, time.Since(began))
						b.StopTimer()
						time.Sleep(50 * time.Millisecond) // as an author who lets go of the key
						b.StartTimer()
					}
					slices.Sort(times)
					at := func(share int) float64 {
						return float64(times[min(len(times)*share/100, len(times)-1)]) / float64(time.Millisecond)
					}
					b.ReportMetric(at(50), "p50-ms")
					b.ReportMetric(at(95), "p95-ms")
				})
			}
		})
	}
}
