package site

import (
	"bytes"
	"compress/gzip"
	"io"
	"path"

	"github.com/andybalholm/brotli"

	"github.com/strata-catalog/strata/generator/render"
)

// How hard files are compressed: where brotli takes a hundred times as long for
// a tenth less, it is not asked to.
const (
	gzipLevel   = gzip.BestCompression
	brotliLevel = 7
)

// texts are the files that are worth compressing, by their ending.
var texts = map[string]bool{".html": true, ".css": true, ".js": true, ".json": true, ".md": true, ".py": true, ".svg": true, ".txt": true, ".wasm": true, ".xml": true}

// forms adds to files their compressed forms, where those are asked for and
// smaller.
func (b *builder) forms(files []render.File) []render.File {
	if !b.Compress {
		return files
	}
	all := files[:len(files):len(files)]
	for _, f := range files {
		if !texts[path.Ext(f.Path)] {
			continue
		}
		for _, form := range []struct {
			ending string
			writer func(io.Writer) io.WriteCloser
		}{{".br", newBrotli}, {".gz", newGzip}} {
			if data := squeezed(f.Data, form.writer); len(data) < len(f.Data) {
				all = append(all, render.File{Path: f.Path + form.ending, Data: data})
			}
		}
	}
	return all
}

func newBrotli(w io.Writer) io.WriteCloser { return brotli.NewWriterLevel(w, brotliLevel) }

func newGzip(w io.Writer) io.WriteCloser {
	z, err := gzip.NewWriterLevel(w, gzipLevel)
	if err != nil {
		panic(err) // the level is one of its own
	}
	return z
}

// squeezed is data as a writer compresses it.
func squeezed(data []byte, to func(io.Writer) io.WriteCloser) []byte {
	var b bytes.Buffer
	w := to(&b)
	_, err := w.Write(data)
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		panic(err) // a buffer takes everything
	}
	return b.Bytes()
}
