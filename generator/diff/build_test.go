package diff

import (
	"github.com/strata-catalog/strata/generator/cost"
	"github.com/strata-catalog/strata/generator/expand"
	"github.com/strata-catalog/strata/generator/graph"
	"github.com/strata-catalog/strata/generator/infer"
)

// A failer is a test or a check of properties.
type failer interface {
	Helper()
	Fatal(args ...any)
}

// subject analyses a document.
func subject(t failer, src string) Subject {
	t.Helper()
	doc, err := graph.Decode("test", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return subjectOf(t, doc)
}

// subjectOf analyses a decoded document.
func subjectOf(t failer, doc *graph.Document) Subject {
	t.Helper()
	g, err := expand.Expand(doc)
	if err != nil {
		t.Fatal(err)
	}
	p, err := cost.New(infer.Infer(g), cost.Default())
	if err != nil {
		t.Fatal(err)
	}
	name := doc.Name
	if name == "" {
		name = doc.ID
	}
	return Subject{ID: doc.ID, Name: name, Plan: p}
}
