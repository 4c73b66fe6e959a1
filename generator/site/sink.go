package site

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"sync"
)

// A Sink takes the files of a build. Put may be called by several goroutines at
// once, and must not keep data. After the last one either Commit or Discard is called: until then a
// reader must see what was there before.
type Sink interface {
	Put(path string, data []byte) error
	Commit() error
	Discard() error
}

// Memory is a Sink that holds its files: for previews and tests. The zero value
// is empty.
type Memory struct {
	mu    sync.Mutex
	next  map[string]held
	files map[string]held
}

// held is a file with its SHA-256.
type held struct {
	data []byte
	sum  string
}

// Put implements Sink.
func (m *Memory) Put(path string, data []byte) error {
	m.add(path, held{slices.Clone(data), sumOf(data)})
	return nil
}

// Keep implements Keeper.
func (m *Memory) Keep(path, sum string) bool {
	m.mu.Lock()
	file, ok := m.files[path]
	m.mu.Unlock()
	if !ok || file.sum != sum {
		return false
	}
	m.add(path, file)
	return true
}

func (m *Memory) add(path string, file held) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.next == nil {
		m.next = make(map[string]held, len(m.files))
	}
	m.next[path] = file
}

// Commit implements Sink.
func (m *Memory) Commit() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.files, m.next = m.next, nil
	return nil
}

// Discard implements Sink.
func (m *Memory) Discard() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.next = nil
	return nil
}

// File is the published file at a path.
func (m *Memory) File(path string) (data []byte, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	file, ok := m.files[path]
	return file.data, ok
}

// Paths lists the published files.
func (m *Memory) Paths() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	list := make([]string, 0, len(m.files))
	for path := range m.files {
		list = append(list, path)
	}
	slices.SortFunc(list, strings.Compare)
	return list
}

// A Keeper is a Sink that can keep a file of the build before. Keep stands for a
// Put of what the file held, given by its SHA-256; false says that it holds
// something else, or is not there.
type Keeper interface {
	Sink
	Keep(path, sum string) bool
}

// sumOf is the SHA-256 of a file, as build.json has it.
func sumOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
