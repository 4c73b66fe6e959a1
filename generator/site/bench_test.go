package site_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/strata-catalog/strata/generator/site"
)

// BenchmarkBuild builds a synthetic catalog from nothing, in memory.
func BenchmarkBuild(b *testing.B) {
	for _, n := range []int{100, 300} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			templates, content := catalogOf(n)
			for b.Loop() {
				r, err := site.Build(site.Config{Templates: templates, Content: content}, &site.Memory{})
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(r.Pages), "pages")
				b.ReportMetric(float64(r.Bytes), "bytes")
			}
		})
	}
}

// BenchmarkEdit rebuilds a catalog in memory after one file changed.
func BenchmarkEdit(b *testing.B) {
	for _, n := range []int{100, 1000} {
		templates, content := catalogOf(n)
		theme := fstest.MapFS{}
		for kind, edit := range map[string]struct {
			fs               fstest.MapFS
			name, path       string
			between, another string
		}{
			"template": {templates, "model-00050/model.json", "templates/model-00050/model.json", `"name": "`, `"name": "Again `},
			"weights":  {templates, "model-00050/model.json", "templates/model-00050/model.json", `"outFeatures": `, `"outFeatures": 1`},
			"note":     {content, "a/model-00050.md", "content/a/model-00050.md", "summary: ", "summary: Again "},
			"text":     {content, "texts/page-0.md", "content/texts/page-0.md", "## Second", "## Again\n\n## Second"},
			"layout":   {theme, "layouts/content.html", "themes", "<p>", "<p>again"},
			"nothing":  {content, "site.yaml", "", "x", "x"},
		} {
			b.Run(fmt.Sprintf("%s/%d", kind, n), func(b *testing.B) {
				if kind == "layout" {
					theme[edit.name] = &fstest.MapFile{Data: []byte(`{{define "main"}}<p>{{body .Body}}{{end}}`)}
				}
				good := edit.fs[edit.name]
				defer func() { edit.fs[edit.name] = good }()
				e, m := site.NewEngine(site.Config{Templates: templates, Content: content, Theme: theme}), &site.Memory{}
				if _, err := e.Build(m, nil); err != nil {
					b.Fatal(err)
				}
				i := 0
				for b.Loop() {
					if i++; i%2 == 0 {
						edit.fs[edit.name] = good
					} else {
						edit.fs[edit.name] = &fstest.MapFile{Data: []byte(strings.Replace(string(good.Data), edit.between, edit.another, 1))}
					}
					r, err := e.Build(m, []string{edit.path})
					if err != nil {
						b.Fatal(err)
					}
					b.ReportMetric(float64(len(r.Changed)), "files")
				}
			})
		}
	}
}
