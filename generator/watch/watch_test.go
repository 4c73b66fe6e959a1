package watch

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestMain lets many tests wait at once: waiting is most of what they do.
func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", "16"); err != nil {
		panic(err)
	}
	m.Run()
}

// A desk is a folder of files with a watch on it.
type desk struct {
	*testing.T
	dir string
	w   *Watcher
}

// each runs a test with events and with polling.
func each(t *testing.T, test func(*testing.T, Options)) {
	t.Run("events", func(t *testing.T) {
		test(t, Options{Ignore: temporary, Note: func(why string) { t.Skip("no events here: ", why) }})
	})
	t.Run("poll", func(t *testing.T) { test(t, Options{Ignore: temporary, Poll: true, Every: 20 * time.Millisecond}) })
}

func temporary(name string) bool { return strings.HasPrefix(name, ".") || strings.HasSuffix(name, "~") }

// sit makes a desk with some files, each of which holds its own name.
func sit(t *testing.T, o Options, folders []string, files ...string) *desk {
	d := &desk{T: t, dir: t.TempDir()}
	for _, name := range files {
		d.write(name, name)
	}
	for i := range folders {
		folders[i] = d.at(folders[i])
	}
	d.w = New(folders, o)
	t.Cleanup(d.w.Close)
	return d
}

func (d *desk) at(name string) string { return filepath.Join(d.dir, filepath.FromSlash(name)) }

func (d *desk) must(err error) {
	d.Helper()
	if err != nil {
		d.Fatal(err)
	}
}

func (d *desk) write(name, text string) {
	d.Helper()
	d.must(os.MkdirAll(filepath.Dir(d.at(name)), 0o755))
	d.must(os.WriteFile(d.at(name), []byte(text), 0o644))
}

func (d *desk) rename(from, to string) {
	d.Helper()
	d.must(os.Rename(d.at(from), d.at(to)))
}

// next is the next list, with paths from the desk; nothing when none comes.
func (d *desk) next(patience time.Duration) []string {
	select {
	case list := <-d.w.Changes():
		for i := range list {
			rel, err := filepath.Rel(d.dir, list[i])
			d.must(err)
			list[i] = filepath.ToSlash(rel)
		}
		return list
	case <-time.After(patience):
		return nil
	}
}

// expect wants one list with these paths, and no other list after it.
func (d *desk) expect(want ...string) {
	d.Helper()
	got := d.next(10 * time.Second)
	for _, name := range want {
		if !slices.Contains(got, name) {
			d.Errorf("%s is not in the list %v", name, got)
		}
	}
	if more := d.next(300 * time.Millisecond); more != nil {
		d.Errorf("a second list %v after %v", more, got)
	}
}

// TestSaving saves a file in each of the ways that editors have, again and
// again: the file is told of each time, once.
func TestSaving(t *testing.T) {
	const file = "a/file.md"
	ways := map[string]func(d *desk, text string){
		"in place": func(d *desk, text string) { d.write(file, text) },
		"in place, slowly": func(d *desk, text string) {
			f, err := os.Create(d.at(file))
			d.must(err)
			defer f.Close()
			time.Sleep(60 * time.Millisecond)
			_, err = f.WriteString(text)
			d.must(err)
		},
		"another file takes its name (D88)": func(d *desk, text string) {
			d.write("a/.file.atomic", text)
			d.rename("a/.file.atomic", file)
		},
		"another folder's file takes its name": func(d *desk, text string) {
			d.write("../elsewhere", text)
			d.rename("../elsewhere", file)
		},
		"a backup is kept": func(d *desk, text string) {
			d.rename(file, file+"~")
			d.write(file, text)
		},
		"a backup comes and goes, as with Vim (D87)": func(d *desk, text string) {
			d.write("a/4913", "")
			d.must(os.Remove(d.at("a/4913")))
			d.rename(file, file+"~")
			d.write(file, text)
			d.must(os.Remove(d.at(file + "~")))
		},
		"removed and made": func(d *desk, text string) {
			d.must(os.Remove(d.at(file)))
			time.Sleep(50 * time.Millisecond)
			d.write(file, text)
		},
		"the time is set back": func(d *desk, text string) {
			d.write(file, text)
			past := time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)
			d.must(os.Chtimes(d.at(file), past, past))
		},
	}
	each(t, func(t *testing.T, o Options) {
		for name, save := range ways {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				d := sit(t, o, []string{"."}, file, "a/other.md")
				for i := range 2 {
					save(d, fmt.Sprintf("text %d", i)) // of the same length each time
					d.expect(file)
				}
			})
		}
	})
}

// TestFolders changes folders, and then a file in them, which has to be seen.
func TestFolders(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*desk)
		want   []string
		then   string // a file that is written after that
	}{
		{"new", func(d *desk) { d.write("root/new/model.json", "x") }, []string{"root/new", "root/new/model.json"}, "root/new/model.json"},
		{"new and deep", func(d *desk) { d.write("root/b/c/d/e.md", "x") }, []string{"root/b/c/d/e.md"}, "root/b/c/d/f.md"},
		{"renamed", func(d *desk) { d.rename("root/a", "root/z") }, []string{"root/a/file.md", "root/z/file.md"}, "root/z/file.md"},
		{"moved in", func(d *desk) { d.rename("outside", "root/inside") }, []string{"root/inside/file.md"}, "root/inside/file.md"},
		{"moved out", func(d *desk) { d.rename("root/a", "a") }, []string{"root/a", "root/a/file.md"}, "root/a/file.md"},
		{"removed", func(d *desk) { d.must(os.RemoveAll(d.at("root/a"))) }, []string{"root/a/file.md"}, "root/a/file.md"},
		{"removed and made", func(d *desk) {
			d.must(os.RemoveAll(d.at("root/a")))
			d.write("root/a/other.md", "x")
		}, []string{"root/a/file.md", "root/a/other.md"}, "root/a/other.md"},
		{"the root itself, removed and made", func(d *desk) {
			d.must(os.RemoveAll(d.at("root")))
			d.write("root/b/file.md", "x")
		}, []string{"root/a/file.md", "root/b/file.md"}, "root/b/file.md"},
		{"a root that is not there yet", func(d *desk) { d.write("themes/mine/layouts/base.html", "x") }, []string{"themes/mine/layouts/base.html"}, "themes/mine/layouts/base.html"},
		{"behind a link", func(d *desk) { d.write("root/a/file.md", "x") }, []string{"root/a/file.md", "root/link"}, "root/a/file.md"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			each(t, func(t *testing.T, o Options) {
				t.Parallel()
				d := &desk{T: t, dir: t.TempDir()}
				d.write("root/a/file.md", "a")
				d.write("outside/file.md", "a")
				if c.name == "behind a link" {
					d.must(os.Symlink("a", d.at("root/link")))
				}
				d.w = New([]string{d.at("root"), d.at("themes/mine")}, o)
				t.Cleanup(d.w.Close)
				c.change(d)
				d.expect(c.want...)
				for _, text := range []string{"one", "two"} {
					d.write(c.then, text)
					d.expect(c.then)
				}
			})
		})
	}
}

// TestIgnored writes what nobody wants to hear of (D89).
func TestIgnored(t *testing.T) {
	each(t, func(t *testing.T, o Options) {
		d := sit(t, o, []string{"root"}, "root/file.md", "beside.md")
		d.write("root/.file.md.swp", "x")
		d.write("root/file.md~", "x")
		d.write("root/.git/index", "x")
		d.write("beside.md", "y")
		d.write("public/index.html", "y")
		if list := d.next(300 * time.Millisecond); list != nil {
			t.Errorf("told of %v", list)
		}
	})
}

// TestManyFiles changes a hundred files in a row, with pauses: one list.
func TestManyFiles(t *testing.T) {
	each(t, func(t *testing.T, o Options) {
		var files []string
		for i := range 100 {
			files = append(files, fmt.Sprintf("root/t%02d/model.json", i))
		}
		d := sit(t, o, []string{"root"}, files...)
		for i, name := range files {
			d.write(name, "changed")
			if i%20 == 10 {
				time.Sleep(30 * time.Millisecond)
			}
		}
		d.expect(files...)
	})
}

// TestCheckout switches a branch with a hundred other files.
func TestCheckout(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	each(t, func(t *testing.T, o Options) {
		d := &desk{T: t, dir: t.TempDir()}
		git := func(args ...string) {
			t.Helper()
			c := exec.Command("git", append([]string{"-C", d.dir, "-c", "user.name=a", "-c", "user.email=a@example.org"}, args...)...)
			if out, err := c.CombinedOutput(); err != nil {
				t.Fatalf("git %v: %v: %s", args, err, out)
			}
		}
		var files []string
		for i := range 100 {
			files = append(files, fmt.Sprintf("root/t%02d/model.json", i))
		}
		all := func(text string) {
			for _, name := range files {
				d.write(name, text)
			}
			git("add", "-A")
			git("commit", "-q", "-m", text)
		}
		git("init", "-q", "-b", "main")
		all("main")
		git("checkout", "-q", "-b", "other")
		all("other")
		d.w = New([]string{d.at("root")}, o)
		t.Cleanup(d.w.Close)
		git("checkout", "-q", "main")
		d.expect(files...)
	})
}

// TestWhileBuilding changes files while nobody asks: they come in one list.
func TestWhileBuilding(t *testing.T) {
	each(t, func(t *testing.T, o Options) {
		d := sit(t, o, []string{"."}, "a.md", "b.md")
		d.write("a.md", "x")
		time.Sleep(500 * time.Millisecond)
		d.write("b.md", "x")
		time.Sleep(500 * time.Millisecond)
		d.expect("a.md", "b.md")
	})
}

// TestFallback watches where that fails, and goes on by polling (D92).
func TestFallback(t *testing.T) {
	why := ""
	d := &desk{T: t, dir: t.TempDir()}
	d.write("a/file.md", "a")
	o := Options{Every: 20 * time.Millisecond, Note: func(w string) { why = w }}
	d.w = New([]string{d.dir}, o)
	t.Cleanup(d.w.Close)
	if d.w.events == nil {
		t.Skip("no events here: ", why)
	}

	// A watch that is closed takes no folder, as one that is full does not.
	full := &Watcher{o: o, watched: map[string]bool{}, tree: &tree{}}
	full.begin()
	full.events.Close()
	full.enter(d.dir)
	if full.events != nil || !strings.Contains(why, "cannot be watched") {
		t.Errorf("events are still awaited; the note is %q", why)
	}

	// It may happen in the middle.
	d.must(d.w.events.Close())
	for _, name := range []string{"b/file.md", "c/file.md"} {
		d.write(name, "x")
		d.expect(name)
	}
}

// TestClose counts what is left of many watches: nothing.
func TestClose(t *testing.T) {
	each(t, func(t *testing.T, o Options) {
		dir := t.TempDir()
		New([]string{dir}, o).Close() // what the runtime opens once
		routines, files := runtime.NumGoroutine(), descriptors()
		for range 20 {
			w := New([]string{dir}, o)
			if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o644); err != nil {
				t.Fatal(err)
			}
			w.Close()
		}
		for i := 0; i < 100 && runtime.NumGoroutine() > routines; i++ {
			time.Sleep(10 * time.Millisecond)
		}
		if r, f := runtime.NumGoroutine(), descriptors(); r > routines || f > files {
			t.Errorf("%d goroutines and %d descriptors, before there were %d and %d", r, f, routines, files)
		}
	})
}

// descriptors counts open files, where the system shows them.
func descriptors() int {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	return len(entries)
}
