//go:build !js

package render

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"sort"

	"github.com/tdewolff/minify/v2"
	"github.com/tdewolff/minify/v2/css"
	"github.com/tdewolff/minify/v2/html"
	"github.com/tdewolff/minify/v2/js"
	"github.com/tdewolff/minify/v2/svg"
)

// minifier minifies assets by their media type.
var minifier = func() *minify.M {
	m := minify.New()
	m.AddFunc("text/css", css.Minify)
	m.AddFunc("text/javascript", js.Minify)
	m.AddFunc("image/svg+xml", svg.Minify)
	return m
}()

// layoutMinifier keeps what a template may depend on: quotes around values, and
// the tags that browsers could do without.
var layoutMinifier = html.Minifier{
	TemplateDelims: html.GoTemplateDelims,
	KeepQuotes:     true, KeepEndTags: true, KeepDocumentTags: true, KeepDefaultAttrVals: true,
}

// minified is an asset of a media type.
func minified(media string, data []byte) ([]byte, error) { return minifier.Bytes(media, data) }

func minifiedLayout(src []byte) ([]byte, error) {
	var small bytes.Buffer
	err := layoutMinifier.Minify(minifier, &small, bytes.NewReader(src), nil)
	return small.Bytes(), err
}

// checksum is of names and texts.
func checksum(sources map[string][]byte) string {
	names := make([]string, 0, len(sources))
	for name := range sources {
		names = append(names, name)
	}
	sort.Strings(names)
	h := sha256.New()
	for _, name := range names {
		fmt.Fprintf(h, "%d %q %d\n", len(name), name, len(sources[name]))
		h.Write(sources[name])
	}
	return hex.EncodeToString(h.Sum(nil))
}

// fingerprint is the part of an asset's address that changes with its content.
func fingerprint(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:5])
}
