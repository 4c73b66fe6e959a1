package site

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
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

// Memory is a Sink that holds its files. The zero value is empty.
type Memory struct {
	mu          sync.Mutex
	next, files map[string][]byte
}

// Put implements Sink.
func (m *Memory) Put(path string, data []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.next == nil {
		m.next = map[string][]byte{}
	}
	m.next[path] = slices.Clone(data)
	return nil
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
	data, ok = m.files[path]
	return data, ok
}

// Paths lists the published files.
func (m *Memory) Paths() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Sorted(maps.Keys(m.files))
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
