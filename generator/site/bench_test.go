package site_test

import (
	"fmt"
	"os"
	"testing"
	"testing/fstest"

	"github.com/strata-catalog/strata/generator/site"
)

// BenchmarkBuild builds catalogs from nothing, synthetic ones and that of the
// repository, for a sink that takes no time: what is left is the work of the
// generator. make bench-site measures it with the disk.
func BenchmarkBuild(b *testing.B) {
	bench := func(name string, c site.Config) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				r, err := site.Build(c, nowhere{})
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(r.Pages), "pages")
				b.ReportMetric(float64(r.Bytes), "bytes")
			}
		})
	}
	for _, n := range []int{100, 300} {
		templates, content := catalogOf(n)
		bench(fmt.Sprint(n), site.Config{Templates: templates, Content: content})
	}
	bench("catalog", site.Config{Templates: os.DirFS("../../templates"), Content: os.DirFS("../../content")})
}

// nowhere is a Sink that keeps nothing.
type nowhere struct{}

func (nowhere) Put(string, []byte) error { return nil }
func (nowhere) Commit() error            { return nil }
func (nowhere) Discard() error           { return nil }

// BenchmarkEdit is from a file that changed to a page that shows it, or none.
func BenchmarkEdit(b *testing.B) {
	const model, note, text = "model-00050/model.json", "a/model-00050.md", "texts/page-0.md"
	for _, n := range []int{100, 1000} {
		s := sourcesOf(n)
		s.theme = files("layouts/content.html", `{{define "main"}}<p>{{body .Body}}{{end}}`)
		p := site.NewPreview(site.NewEngine(s.config()))
		b.Run(fmt.Sprintf("%d/first page", n), func(b *testing.B) {
			for b.Loop() {
				p = site.NewPreview(site.NewEngine(s.config()))
				if _, err := p.Update(nil, nil); err != nil {
					b.Fatal(err)
				}
				if _, err := p.File("a/model-00050.html"); err != nil {
					b.Fatal(err)
				}
			}
		})
		for _, edit := range []struct {
			kind       string
			fs         fstest.MapFS
			name, path string
			old, new   string
			page       string
		}{
			{"name", s.templates, model, "templates/" + model, `"name": "`, `"name": "Again `, "a/model-00050.html"},
			{"weights", s.templates, model, "templates/" + model, `"outFeatures": `, `"outFeatures": 1`, "a/model-00050.html"},
			{"note", s.content, note, "content/" + note, "summary: ", "summary: Again ", "a/model-00050.html"},
			{"text", s.content, text, "content/" + text, "## Second", "## Again\n\n## Second", "texts/page-0.html"},
			{"layout", s.theme, "layouts/content.html", "themes", "<p>", "<p>again", "texts/page-0.html"},
			{"name in the list", s.templates, model, "templates/" + model, `"name": "`, `"name": "Again `, "index.html"},
			{"nothing", s.theme, "layouts/content.html", "themes", "", "", "a/model-00050.html"},
		} {
			b.Run(fmt.Sprintf("%d/%s", n, edit.kind), func(b *testing.B) {
				good := edit.fs[edit.name]
				for i := 0; b.Loop(); i++ {
					edit.fs[edit.name] = good
					if i%2 == 0 {
						edit.fs[edit.name] = with(good, edit.old, edit.new)
					}
					if _, err := p.Update([]string{edit.path}, nil); err != nil {
						b.Fatal(err)
					}
					if _, err := p.File(edit.page); err != nil {
						b.Fatal(err)
					}
				}
				edit.fs[edit.name] = good
			})
		}
	}
}
