package site_test

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/strata-catalog/strata/generator/site"
)

// publishTo makes the test program a publisher: it publishes two sites in turn
// into the folder that this variable names, until it is killed. Every eighth
// time it builds, else it takes what stands in the folders of rendered, so that
// it is publishing most of the time.
const publishTo, rendered = "STRATA_TEST_PUBLISH", "STRATA_TEST_RENDERED"

// buildFrom makes it a builder of the catalog in the folder that it names.
const buildFrom = "STRATA_TEST_BUILD"

func TestMain(m *testing.M) {
	if dir := os.Getenv(buildFrom); dir != "" {
		fmt.Print(buildAsNobody(dir))
		os.Exit(0)
	}
	if dir := os.Getenv(publishTo); dir != "" {
		fmt.Fprintln(os.Stderr, publish(dir, filepath.SplitList(os.Getenv(rendered))))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func publish(dir string, sites []string) error {
	for i := 1; ; i++ {
		f, err := site.NewFolder(dir, nil)
		if err != nil {
			return err
		}
		fmt.Println(i) // from here on a kill can come
		// No two sites are the same, or a reader could miss that one was replaced.
		version := fmt.Sprintf("%d.%d", os.Getpid(), i)
		if i%8 == 0 {
			c := editions()[i/8%2]
			c.Version = version
			_, err = site.Build(c, f)
		} else {
			err = copyTo(f, sites[i%2], version)
		}
		if err != nil {
			return err
		}
	}
}

func copyTo(sink site.Sink, dir, version string) error {
	src, err := os.ReadFile(filepath.Join(dir, "build.json"))
	if err != nil {
		return err
	}
	var m site.Manifest
	if err := json.Unmarshal(src, &m); err != nil {
		return err
	}
	m.Generator.Version = version
	if src, err = json.Marshal(m); err != nil {
		return err
	}
	for _, file := range m.Files {
		data, err := os.ReadFile(filepath.Join(dir, file.Path))
		if err := errors.Join(err, sink.Put(file.Path, data)); err != nil {
			return err
		}
	}
	return errors.Join(sink.Put("build.json", src), sink.Commit())
}

// editions are two catalogs of which nearly every page differs, and some are
// only in one of them.
func editions() [2]site.Config {
	const words = "---\ntitle: Words\n---\n\nBack to [the catalog](/index.html).\n"
	other := strings.Replace(head, `"head"`, `"other"`, 1)
	return [2]site.Config{
		{Templates: files("head/model.json", head), Content: files("text.md", words, "site.yaml", "title: The first\n"), Version: "1"},
		{Templates: files("head/model.json", head, "other/model.json", other), Content: files("text.md", words, "only-in-two/deep.md", words, "site.yaml", "title: The second\n"), Version: "1"},
	}
}

// errMoved says that the site was replaced during a walk.
var errMoved = errors.New("another site has taken its place")

// walk reads a site as a visitor would, by its paths, and compares it with its
// build.json, both ways.
func walk(dir string) error {
	read := func() []byte { src, _ := os.ReadFile(filepath.Join(dir, "build.json")); return src }
	before := read()
	var m site.Manifest
	errs := []error{}
	if err := json.Unmarshal(before, &m); err != nil {
		errs = append(errs, fmt.Errorf("build.json: %w", err))
	}
	listed := map[string]bool{"build.json": true}
	for _, file := range m.Files {
		listed[file.Path] = true
		data, err := os.ReadFile(filepath.Join(dir, file.Path))
		if sum := fmt.Sprintf("%x", sha256.Sum256(data)); err != nil || sum != file.SHA256 {
			errs = append(errs, fmt.Errorf("%s: %v, sum %s, want %s", file.Path, err, sum, file.SHA256))
		}
	}
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && !listed[name] {
			err = fmt.Errorf("%s is not in build.json", name)
		}
		return err
	})
	if err := errors.Join(append(errs, err)...); err != nil || len(m.Files) == 0 {
		if !bytes.Equal(before, read()) {
			return errMoved
		}
		return errors.Join(err, errors.New("the walk disagrees with build.json, which is the same before and after"))
	}
	return nil
}

// TestKill kills builds at random moments while a reader walks the site: the
// first, second, third or eighth time that they publish, after a part of the time
// that this takes here. STRATA_KILLS says how many; without it, a few dozen.
func TestKill(t *testing.T) {
	kills := 30
	if n, err := strconv.Atoi(os.Getenv("STRATA_KILLS")); err == nil {
		kills = n
	}
	parent := t.TempDir()
	dir := filepath.Join(parent, "public")
	sites := []string{t.TempDir(), t.TempDir()}
	for i, c := range editions() {
		buildInto(t, sites[i], c)
	}
	buildInto(t, dir, editions()[0])

	stop, whole, moved := make(chan bool), make(chan bool, 1), 0
	var reader sync.WaitGroup
	reader.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			switch err := walk(dir); {
			case errors.Is(err, errMoved):
				moved++
			case err != nil:
				t.Errorf("a reader: %v", err)
				return
			default:
				select {
				case whole <- true:
				default:
				}
			}
		}
	})
	r := rand.New(rand.NewPCG(8, uint64(kills)))
	published := 0
	for i := range kills {
		n := []int{0, 1, 2, 7}[i%4] // the eighth it builds
		if err := killed(dir, sites, n, r.Float64()); err != nil {
			t.Fatal(err)
		}
		if err := walk(dir); err != nil {
			t.Fatalf("after kill %d: %v", i, err)
		}
		published += n
	}
	select {
	case <-whole: // now that nobody builds there is one, if there was none before
	case <-time.After(time.Minute):
		t.Error("the reader never walked through a whole site")
	}
	close(stop)
	reader.Wait()
	t.Logf("%d kills, after at least %d sites were published; %d walks during which the site was replaced", kills, published, moved)

	// The next build leaves nothing of those that were killed.
	buildInto(t, dir, editions()[1])
	if err := walk(dir); err != nil {
		t.Error(err)
	}
	if left := names(t, parent); len(left) != 1 {
		t.Errorf("beside the site there is %v", left)
	}
}

// killed starts a publisher and kills it after it has published so many sites,
// and then a share of the time that one takes.
func killed(dir string, sites []string, published int, share float64) error {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), publishTo+"="+dir, rendered+"="+strings.Join(sites, string(filepath.ListSeparator)))
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return err
	}
	took, begun := time.Duration(0), bufio.NewScanner(out)
	for n := 0; n <= published && begun.Scan(); n++ {
		took, began = time.Since(began), time.Now() // at first the time that it takes to start
	}
	time.Sleep(time.Duration(share * float64(took)))
	err = cmd.Process.Kill()
	cmd.Wait()
	if begun.Err() != nil || begun.Text() != strconv.Itoa(published+1) || err != nil {
		return fmt.Errorf("the publisher ended by itself: %v\n%s", err, complaint.String())
	}
	return nil
}

func names(t *testing.T, dir string) (list []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

// Two builds into one folder: the second waits for the first and says so, and
// publishes into what the first has put there.
func TestTwoBuilds(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "public")
	buildInto(t, dir, editions()[0])
	first, err := site.NewFolder(dir, func() { t.Error("nobody else builds, but the first build waits") })
	if err != nil {
		t.Fatal(err)
	}
	busy, second := make(chan bool), make(chan error)
	go func() {
		f, err := site.NewFolder(dir, func() { close(busy) })
		if err == nil {
			_, err = site.Build(editions()[0], f)
		}
		second <- err
	}()
	<-busy
	if _, err := site.Build(editions()[1], first); err != nil {
		t.Fatal(err)
	}
	if err := <-second; err != nil {
		t.Fatal(err)
	}
	if err := walk(dir); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "a", "other.html")); err == nil {
		t.Error("the second build did not publish last")
	}
}

// What no build wrote moves along with the site, whichever way it is published.
func TestWays(t *testing.T) {
	build := func(t *testing.T, dir string, c site.Config, inPlace bool) site.FolderReport {
		t.Helper()
		f, err := site.NewFolder(dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		f.InPlace = inPlace
		if _, err := site.Build(c, f); err != nil {
			t.Fatal(err)
		}
		return f.Report
	}
	const oneByOne = "one by one, build.json last"
	for _, way := range []struct {
		name    string
		link    bool // the folder is behind a symbolic link
		broken  bool // no folder can take the place of another
		inPlace bool
		note    string
	}{
		{name: "exchanged"},
		{name: "exchanged behind a link", link: true},
		{name: "link switched", link: true, broken: true},
		{name: "no way in one step", broken: true, note: oneByOne},
		{name: "in place, as asked", inPlace: true},
	} {
		t.Run(way.name, func(t *testing.T) {
			parent := t.TempDir()
			dir := filepath.Join(parent, "public")
			if way.link {
				if err := os.Mkdir(filepath.Join(parent, "site"), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.Symlink("site", dir); err != nil {
					t.Fatal(err)
				}
			}
			build(t, dir, editions()[0], false)
			for name, text := range map[string]string{"CNAME": "example.org", ".git/objects/x": "y", "a/own.txt": "mine"} {
				name = filepath.Join(dir, name)
				if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Mkdir(filepath.Join(dir, "empty"), 0o700); err != nil {
				t.Fatal(err)
			}
			stat := func(name string) fs.FileInfo {
				info, err := os.Stat(filepath.Join(dir, name))
				if err != nil {
					t.Fatal(err)
				}
				return info
			}
			folder, robots, empty := stat("."), stat("robots.txt"), stat("empty")
			edition := func(i int) site.FolderReport { return build(t, dir, editions()[i], way.inPlace) }
			var notes []string
			publish := func() {
				for _, i := range []int{1, 0, 1, 1} {
					notes = append(notes, edition(i).Note)
				}
			}
			if way.broken {
				site.WithoutExchange(errors.New("invalid argument"), publish)
			} else {
				publish()
			}
			want := map[string]string{"CNAME": "example.org", ".git/objects/x": "y", "a/own.txt": "mine"}
			m := &site.Memory{}
			if _, err := site.Build(editions()[1], m); err != nil {
				t.Fatal(err)
			}
			for _, path := range m.Paths() {
				want[path] = file(t, m, path)
			}
			real, err := filepath.EvalSymlinks(dir)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, tree(t, real)); diff != "" {
				t.Errorf("the folder (-want +got):\n%s", diff)
			}
			if now := stat("robots.txt"); !now.ModTime().Equal(robots.ModTime()) || !os.SameFile(now, robots) {
				t.Error("a file that did not change was written anew")
			}
			if stat("empty").Mode() != empty.Mode() {
				t.Error("a folder of somebody else's has another mode")
			}
			if stays := os.SameFile(folder, stat(".")); stays != (way.inPlace || way.note != "") {
				t.Errorf("the folder is the same: %v", stays)
			}
			for i, note := range notes {
				if i < 3 && !strings.Contains(note, way.note) || (way.note == "" || i == 3) && note != "" {
					t.Errorf("build %d says %q, want %q", i, note, way.note)
				}
			}
			left := names(t, parent)
			if len(left) != 1 && !way.link || len(left) != 2 && way.link {
				t.Errorf("beside the site there is %v", left)
			}
		})
	}
}

// A site is published whatever the clock says: times are not looked at.
func TestClock(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "public")
	buildInto(t, dir, editions()[0])
	for name := range tree(t, dir) {
		future := time.Now().Add(1000 * time.Hour)
		if err := os.Chtimes(filepath.Join(dir, name), future, future); err != nil {
			t.Fatal(err)
		}
	}
	buildInto(t, dir, editions()[1])
	if err := walk(dir); err != nil {
		t.Error(err)
	}
}

// Somebody else's file or folder where the site needs another kind of thing
// stops the build, and nothing changes.
func TestInTheWay(t *testing.T) {
	for name, make := range map[string]func(dir string) error{
		"a file for a folder": func(dir string) error { return os.WriteFile(filepath.Join(dir, "only-in-two"), nil, 0o644) },
		"a link for a folder": func(dir string) error { return os.Symlink("a", filepath.Join(dir, "only-in-two")) },
		"a folder for a file": func(dir string) error { return os.MkdirAll(filepath.Join(dir, "a", "other.html"), 0o755) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "public")
			buildInto(t, dir, editions()[0])
			if err := make(dir); err != nil {
				t.Fatal(err)
			}
			index := read(t, filepath.Join(dir, "index.html"))
			f, err := site.NewFolder(dir, nil)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := site.Build(editions()[1], f); err == nil || !strings.Contains(err.Error(), "in the way") {
				t.Errorf("error %v, want one that says what is in the way", err)
			}
			if read(t, filepath.Join(dir, "index.html")) != index || len(names(t, filepath.Dir(dir))) != 1 {
				t.Error("the folder changed")
			}
		})
	}
}
