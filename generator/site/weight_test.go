package site_test

import (
	"bytes"
	"compress/gzip"
	"os"
	"testing"
	"testing/fstest"

	"github.com/strata-catalog/strata/generator/site"
)

// TestWeight: a page with the largest picture is no burden.
func TestWeight(t *testing.T) {
	const most = 60_000
	templates := fstest.MapFS{}
	for _, id := range []string{"densenet-201", "sd-v1-5-unet", "sdxl-unet"} {
		src, err := os.ReadFile("../../templates/" + id + "/model.json")
		if err != nil {
			t.Fatal(err)
		}
		templates[id+"/model.json"] = &fstest.MapFile{Data: src}
	}
	m := build(t, site.Config{Templates: templates})
	for id := range templates {
		path := "a/" + id[:len(id)-len("/model.json")] + ".html"
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		if _, err := w.Write([]byte(file(t, m, path))); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if b.Len() > most {
			t.Errorf("%s: %d bytes compressed, at most %d", path, b.Len(), most)
		}
	}
}
