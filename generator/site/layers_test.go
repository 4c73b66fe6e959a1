package site_test

import (
	"html"
	"strings"
	"testing"

	"github.com/strata-catalog/strata/generator/layer"
)

// The page of every layer type says what it costs, and what else it is called.
func TestLayerPages(t *testing.T) {
	m := build(t, sample(t))
	for _, typ := range layer.All {
		page := html.UnescapeString(file(t, m, "layers/"+typ.Name+".html"))
		if !strings.Contains(page, "<dt>MACs</dt><dd>"+typ.Doc.Work+"</dd>") {
			t.Errorf("the page of %s lacks its work, %q", typ.Name, typ.Doc.Work)
		}
		if strings.Contains(page, "<dt>Also known as</dt>") != (len(typ.Also) > 0) {
			t.Errorf("the page of %s has other names, or lacks them: %q", typ.Name, typ.Also)
		}
		for _, name := range typ.Also {
			if !strings.Contains(page, "<code>"+name+"</code>") {
				t.Errorf("the page of %s lacks its other name %s", typ.Name, name)
			}
		}
	}
}
