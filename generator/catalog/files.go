//go:build !js

package catalog

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
)

// maxLinks is how many symbolic links may lead to one file.
const maxLinks = 40

// resolve follows the symbolic links on the way to a file, and refuses those
// that leave the tree.
func resolve(fsys fs.FS, name string) (string, fs.FileInfo, error) {
	at, links := ".", 0
	for rest := strings.Split(name, "/"); len(rest) > 0; {
		step := rest[0]
		rest = rest[1:]
		switch step {
		case "", ".":
			continue
		case "..":
			if at == "." {
				return "", nil, errors.New("a symbolic link leads out of the tree; put the file itself there")
			}
			at = path.Dir(at)
			continue
		}
		next := path.Join(at, step)
		info, err := fs.Lstat(fsys, next)
		if links > 0 && errors.Is(err, fs.ErrNotExist) {
			return "", nil, errors.New("a symbolic link leads to nothing")
		}
		if err != nil {
			return "", nil, plain(err)
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			at = next
			continue
		}
		if links++; links > maxLinks {
			return "", nil, errors.New("symbolic links lead in a circle")
		}
		target, err := fs.ReadLink(fsys, next)
		if err != nil {
			return "", nil, plain(err)
		}
		if path.IsAbs(target) || filepath.IsAbs(target) {
			return "", nil, errors.New("a symbolic link leads out of the tree; put the file itself there")
		}
		rest = append(strings.Split(filepath.ToSlash(target), "/"), rest...)
	}
	info, err := fs.Lstat(fsys, at)
	if err != nil {
		return "", nil, plain(err)
	}
	return at, info, nil
}

// read reads a regular file up to a byte more than the limit, so that whoever
// checks the size can see that it is too large.
func read(fsys fs.FS, name string, limit int64) ([]byte, error) {
	at, info, err := resolve(fsys, name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("found %s, expected a file", kind(info.Mode()))
	}
	for range 3 {
		var src []byte
		if src, err = readOnce(fsys, at, limit); !errors.Is(err, errChanges) {
			return src, err
		}
	}
	return nil, err
}

var errChanges = errors.New("the file changes while it is read; build again when it is saved")

// readOnce reads a file that must be the same before and after.
func readOnce(fsys fs.FS, name string, limit int64) ([]byte, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, plain(err)
	}
	defer f.Close()
	before, err := f.Stat()
	if err != nil {
		return nil, plain(err)
	}
	src, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, plain(err)
	}
	after, err := f.Stat()
	if err != nil {
		return nil, plain(err)
	}
	if before.Size() != after.Size() || !before.ModTime().Equal(after.ModTime()) {
		return nil, errChanges
	}
	return src, nil
}

func kind(m fs.FileMode) string {
	if m.IsDir() {
		return "a folder"
	}
	return "a device or a pipe"
}

// plain is an error without the path, which the place of the problem names.
func plain(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
