package site

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/go-json-experiment/json"

	"github.com/strata-catalog/strata/generator/facts"
	"github.com/strata-catalog/strata/generator/page"
)

// What an engine knows survives in a folder, so that the next program need not
// make it again: which files came of what for every page, and what lists show of
// every diff. It holds no page itself: those are in the site, and are kept only
// while their bytes have the checksum that stands here. Analyses are not stored:
// for the templates of the repository, making one takes 0.6 ms, and so does reading
// its components, shapes and tensors as JSON; as gob it is 0.3 ms, before layers
// have been made of them.
//
// The folder can be deleted at any time. Its file begins with the checksum of
// the program that wrote it, since any other may make other pages; each line has
// a checksum of its own, and is passed over where that is wrong.
const (
	cacheFile  = "site"
	cacheTemp  = "site-*.tmp"
	cacheMagic = "strata-cache-1 "
	sumSize    = 64 // hexadecimal digits of a checksum
)

// cached is a line of the file: a page, or a pair.
type cached struct {
	Path string            `json:"path,omitzero"` // of the page
	Made made              `json:"made,omitzero"`
	Pair string            `json:"pair,omitzero"` // its key
	Diff *facts.Difference `json:"diff,omitzero"`
}

// program is the checksum of the running program, "" when it cannot be read.
var program = sync.OnceValue(func() string {
	name, err := os.Executable()
	if err != nil {
		return ""
	}
	f, err := os.Open(name)
	if err != nil {
		return ""
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return ""
	}
	return hex.EncodeToString(h.Sum(nil))
})

// Recall takes in what an engine of the same program remembered in a folder.
// What is missing or damaged there is made anew.
func (e *Engine) Recall(dir string) {
	src, err := os.ReadFile(filepath.Join(dir, cacheFile))
	if err != nil {
		return
	}
	head, lines, _ := bytes.Cut(src, []byte("\n"))
	if string(head) != cacheMagic+program() || program() == "" {
		return
	}
	pages, pairs := map[string]made{}, map[string]facts.Difference{}
	for line := range bytes.Lines(lines) {
		line = bytes.TrimSuffix(line, []byte("\n"))
		var c cached
		if len(line) <= sumSize || sumOf(line[sumSize:]) != string(line[:sumSize]) || json.Unmarshal(line[sumSize:], &c) != nil {
			continue
		}
		if c.Path != "" {
			pages[c.Path] = c.Made
		}
		if c.Diff != nil {
			pairs[c.Pair] = *c.Diff
		}
	}
	e.pages, e.known = pages, page.Know(pairs)
}

// Remember writes what the engine's last Build used into a folder, which is made
// when it is not there. The file is replaced in one step.
func (e *Engine) Remember(dir string) (err error) {
	if program() == "" {
		return nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	left, _ := filepath.Glob(filepath.Join(dir, cacheTemp)) // of programs that were killed
	for _, name := range left {
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	f, err := os.CreateTemp(dir, cacheTemp)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	w := bufio.NewWriter(f)
	fmt.Fprintln(w, cacheMagic+program())
	for _, c := range e.cached() {
		text, err := json.Marshal(c)
		if err != nil {
			return errors.Join(err, f.Close())
		}
		fmt.Fprintf(w, "%s%s\n", sumOf(text), text)
	}
	if err := errors.Join(w.Flush(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), filepath.Join(dir, cacheFile))
}

// cached lists the lines of the file, always in the same order.
func (e *Engine) cached() (list []cached) {
	for _, path := range slices.Sorted(maps.Keys(e.pages)) {
		list = append(list, cached{Path: path, Made: e.pages[path]})
	}
	pairs := e.known.Pairs()
	for _, key := range slices.Sorted(maps.Keys(pairs)) {
		d := pairs[key]
		list = append(list, cached{Pair: key, Diff: &d})
	}
	return list
}
