package mcp

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/strata-catalog/strata/generator/graph"
	"github.com/strata-catalog/strata/generator/words"
)

// local is a name below the folder, with slashes. Nothing hidden is read or
// written: what has a dot before its name belongs to tools.
func (s *server) local(name string, exts ...string) (string, error) {
	if s.Folder == nil {
		return "", errors.New("this server was given no folder, and reads no files; give the graph as model")
	}
	slashed := strings.ReplaceAll(name, `\`, "/")
	clean := path.Clean(slashed)
	if !fs.ValidPath(clean) || clean == "." || strings.ContainsRune(name, 0) {
		return "", fmt.Errorf("%s is not in the folder of this server; give a path below it, such as models/tiny.json", words.Quote(name))
	}
	for step := range strings.SplitSeq(slashed, "/") {
		if strings.HasPrefix(step, ".") && step != "." {
			return "", fmt.Errorf("%s is hidden; give a file whose path has no step that begins with a dot", words.Quote(name))
		}
	}
	for _, ext := range exts {
		if path.Ext(clean) == ext {
			return clean, nil
		}
	}
	return "", fmt.Errorf("found %s, expected a file that ends in %s", words.Quote(name), strings.Join(exts, " or "))
}

// file reads a file of JSON.
func (s *server) file(name string) (jsontext.Value, error) {
	name, err := s.local(name, ".json")
	if err != nil {
		return nil, err
	}
	text, err := read(s.Folder, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("there is no file %s in the folder of this server", words.Quote(name))
	case err != nil:
		return nil, plain(name, err)
	}
	text = jsontext.Value(strings.TrimPrefix(string(text), "\ufeff"))
	if !text.IsValid() {
		_, err := graph.Decode(name, text) // which says where
		if err == nil {
			err = fmt.Errorf("%s is not JSON", name)
		}
		return nil, err
	}
	return text, nil
}

func read(folder *os.Root, name string) (jsontext.Value, error) {
	info, err := folder.Stat(name) // before it is opened: a pipe would wait
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is no regular file")
	}
	f, err := folder.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, graph.MaxBytes+1))
	if err == nil && len(text) > graph.MaxBytes {
		err = fmt.Errorf("it has more than %d MiB", graph.MaxBytes>>20)
	}
	return text, err
}

// plain is an error of the file system without its own words for what was
// tried.
func plain(name string, err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err
	}
	return fmt.Errorf("%s: %w", name, err)
}

// put writes a file as a whole: what stands there is there until all of the new
// one is.
func (s *server) put(name string, text []byte) error {
	if err := s.Folder.MkdirAll(path.Dir(name), 0o777); err != nil {
		return plain(name, err)
	}
	if info, err := s.Folder.Stat(name); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("%s is no regular file; give another name", name)
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return plain(name, err)
	}
	draft := path.Join(path.Dir(name), ".strata-"+rand.Text())
	f, err := s.Folder.OpenFile(draft, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return plain(name, err)
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err == nil {
		err = s.Folder.Rename(draft, name)
	}
	if err != nil {
		_ = s.Folder.Remove(draft)
		return plain(name, err)
	}
	return nil
}
