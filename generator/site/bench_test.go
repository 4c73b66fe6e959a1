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

// BenchmarkEdit rebuilds a catalog in memory after one file changed, and back
// again.
func BenchmarkEdit(b *testing.B) {
	for _, n := range []int{100, 300, 1000} {
		templates, content := catalogOf(n)
		theme := files("layouts/content.html", `{{define "main"}}<p>{{body .Body}}{{end}}`)
		e, m := site.NewEngine(site.Config{Templates: templates, Content: content, Theme: theme}), &site.Memory{}
		built := false
		for _, edit := range []struct {
			kind       string
			fs         fstest.MapFS
			name, path string
			old, new   string
		}{
			{"name", templates, "model-00050/model.json", "templates/model-00050/model.json", `"name": "`, `"name": "Again `},
			{"weights", templates, "model-00050/model.json", "templates/model-00050/model.json", `"outFeatures": `, `"outFeatures": 1`},
			{"note", content, "a/model-00050.md", "content/a/model-00050.md", "summary: ", "summary: Again "},
			{"text", content, "texts/page-0.md", "content/texts/page-0.md", "## Second", "## Again\n\n## Second"},
			{"layout", theme, "layouts/content.html", "themes", "<p>", "<p>again"},
			{"nothing", theme, "layouts/content.html", "themes", "", ""},
		} {
			b.Run(fmt.Sprintf("%d/%s", n, edit.kind), func(b *testing.B) {
				if !built {
					if _, err := e.Build(m, nil); err != nil {
						b.Fatal(err)
					}
					built = true
				}
				good := edit.fs[edit.name]
				files := 0
				for b.Loop() {
					for _, file := range []*fstest.MapFile{with(good, edit.old, edit.new), good} {
						edit.fs[edit.name] = file
						r, err := e.Build(m, []string{edit.path})
						if err != nil {
							b.Fatal(err)
						}
						files += len(r.Changed)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(2*b.N), "ms/edit")
				b.ReportMetric(float64(files)/float64(2*b.N), "files/edit")
			})
		}
	}
}
