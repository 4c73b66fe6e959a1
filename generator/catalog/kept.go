//go:build !js

package catalog

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"

	"github.com/strata-catalog/strata/generator/content"
	"github.com/strata-catalog/strata/generator/graph"
)

// Kept is what a Load leaves for the next one: every file that could be read,
// by its checksum, with what became of it. The zero value is empty. It serves
// one Load at a time, and folders of one name each.
type Kept struct {
	texts     map[string]parsed   // by name below the content
	templates map[string]analysed // by id
	relations *relations
}

// analysed is what became of a document and its note.
type analysed struct {
	sum      string // of the document, "" when it could not be read
	note     *content.Note
	entry    *Entry // nil: it gets no page
	problems []*graph.Error
}

// checksum is a SHA-256 of parts, each with its length.
func checksum(parts ...[]byte) string {
	h := sha256.New()
	for _, p := range parts {
		var n [8]byte
		binary.LittleEndian.PutUint64(n[:], uint64(len(p)))
		h.Write(n[:])
		h.Write(p)
	}
	return hex.EncodeToString(h.Sum(nil))
}
