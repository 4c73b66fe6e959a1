package site_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/strata-catalog/strata/generator/site"
)

// mount makes a small file system of its own below a folder.
func mount(t *testing.T, dir string, bytes int) {
	t.Helper()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%d", bytes)); err != nil {
		t.Skipf("NOT TESTED: nothing can be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
}

func size(t *testing.T, dir string) (sum int) {
	t.Helper()
	for _, text := range tree(t, dir) {
		sum += (len(text) + 4095) / 4096 * 4096
	}
	return sum
}

// A disk that runs full leaves the last site as it was, and the next build that
// has room publishes.
func TestFullDisk(t *testing.T) {
	trial := filepath.Join(t.TempDir(), "public")
	buildInto(t, trial, editions()[0])
	disk := t.TempDir()
	mount(t, disk, size(t, trial)*3/2)
	dir := filepath.Join(disk, "public")
	buildInto(t, dir, editions()[0])
	before := read(t, filepath.Join(dir, "build.json"))
	for range 2 {
		f, err := site.NewFolder(dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := site.Build(editions()[1], f); !errors.Is(err, unix.ENOSPC) {
			t.Errorf("error %v, want that the disk is full", err)
		}
		if err := walk(dir); err != nil || read(t, filepath.Join(dir, "build.json")) != before {
			t.Errorf("the site changed: %v", err)
		}
		if left := names(t, disk); len(left) != 1 {
			t.Errorf("beside the site there is %v", left)
		}
	}
	if err := unix.Mount("", disk, "", unix.MS_REMOUNT, fmt.Sprintf("size=%d", 4*size(t, trial))); err != nil {
		t.Fatal(err)
	}
	buildInto(t, dir, editions()[1])
	if err := walk(dir); err != nil {
		t.Error(err)
	}
}

// A folder that is a mount point cannot be replaced: its files are moved into
// place one by one, also where parent and folder are of one device.
func TestMountPoint(t *testing.T) {
	for name, bind := range map[string]bool{"another file system": false, "bound to the same": true} {
		t.Run(name, func(t *testing.T) {
			parent := t.TempDir()
			dir := filepath.Join(parent, "public")
			if err := os.Mkdir(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			if bind {
				mount(t, parent, 64<<20)
				if err := errors.Join(os.Mkdir(dir, 0o755), os.Mkdir(filepath.Join(parent, "store"), 0o755)); err != nil {
					t.Fatal(err)
				}
				if err := unix.Mount(filepath.Join(parent, "store"), dir, "", unix.MS_BIND, ""); err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { unix.Unmount(dir, unix.MNT_DETACH) })
			} else {
				mount(t, dir, 64<<20)
			}
			for _, i := range []int{0, 1, 0} {
				report := buildInto(t, dir, editions()[i])
				if !strings.Contains(report.Note, "one by one") {
					t.Errorf("build %d: note %q, want a word about how it was published", i, report.Note)
				}
				if err := walk(dir); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// A folder that cannot be written to is said to be so, and stays as it is; one
// that is up to date need not be written to.
func TestReadOnly(t *testing.T) {
	disk := t.TempDir()
	mount(t, disk, 64<<20)
	dir := filepath.Join(disk, "public")
	buildInto(t, dir, editions()[0])
	if err := unix.Mount("", disk, "", unix.MS_REMOUNT|unix.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
	if report := buildInto(t, dir, editions()[0]); report.Written != 0 {
		t.Errorf("%+v, want nothing written", report)
	}
	f, err := site.NewFolder(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := site.Build(editions()[1], f); !errors.Is(err, unix.EROFS) || !strings.Contains(err.Error(), dir) {
		t.Errorf("error %v, want that %s is read-only", err, dir)
	}
	if err := walk(dir); err != nil {
		t.Error(err)
	}
}
