//go:build !js

package page

import (
	"crypto/sha1"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
)

// key is a checksum of needs.
func (n needs) key() string {
	text := make([]byte, 0, 96*len(n)) // about as many
	for _, s := range n {
		text = append(binary.LittleEndian.AppendUint64(text, uint64(len(s))), s...)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// urn is a name that stays the same as long as the site has its address: a
// UUID of version 5 (RFC 9562) in the name space of URLs.
func (s *Site) urn(id string) string {
	space := []byte{0x6b, 0xa7, 0xb8, 0x11, 0x9d, 0xad, 0x11, 0xd1, 0x80, 0xb4, 0x00, 0xc0, 0x4f, 0xd4, 0x30, 0xc8}
	u := sha1.Sum(append(space, s.BaseURL+"a/"+id...))
	u[6] = u[6]&0x0f | 0x50
	u[8] = u[8]&0x3f | 0x80
	return fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", u[:4], u[4:6], u[6:8], u[8:10], u[10:16])
}
