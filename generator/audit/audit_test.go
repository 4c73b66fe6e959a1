package audit

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// target notes what came to it.
type target struct {
	files                map[string]string
	committed, discarded bool
}

func (t *target) Put(path string, data []byte) error { t.files[path] = string(data); return nil }
func (t *target) Commit() error                      { t.committed = true; return nil }
func (t *target) Discard() error                     { t.discarded = true; return nil }

// site is a small site without a fault, with some files replaced or added, in
// turn names and texts.
func site(namesAndTexts ...string) map[string]string {
	files := map[string]string{
		"index.html":       page(`<a href="a/x.html#part">x</a><a href="./">home</a><a href="https://example.com/">out</a>`),
		"a/x.html":         page(`<h2 id="part">Part</h2><a href="../index.html">up</a><a href="#part">here</a><img src="../assets/i.svg" alt="">`),
		"404.html":         page(`<main id="c"><a href="#c">here</a><a href="/cat/a/x.html">x</a></main>`),
		"a/x.json":         `{"a": 1}`,
		"feed.xml":         `<?xml version="1.0"?><feed/>`,
		"assets/i.svg":     `<svg xmlns="http://www.w3.org/2000/svg"/>`,
		"assets/script.js": "f()",
	}
	for i := 0; i < len(namesAndTexts); i += 2 {
		files[namesAndTexts[i]] = namesAndTexts[i+1]
	}
	return files
}

func page(body string) string {
	return "<!doctype html>\n<html lang=\"en\"><head><title>x</title></head>\n<body>" + body + "</body></html>\n"
}

// noise is text that does not compress.
func noise(n int) string {
	r := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	for b.Len() < n {
		fmt.Fprintf(&b, "%x", r.Uint64())
	}
	return b.String()
}

func audited(t *testing.T, base string, files map[string]string) (*target, error) {
	t.Helper()
	to := &target{files: map[string]string{}}
	s, err := NewSink(to, base)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := s.Put(name, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	return to, s.Commit()
}

// TestGood passes a good site on.
func TestGood(t *testing.T) {
	for _, base := range []string{"https://example.org/cat/", "https://example.org/cat"} {
		to, err := audited(t, base, site())
		if err != nil || !to.committed || to.discarded || len(to.files) != len(site()) {
			t.Errorf("%s: %v, %+v", base, err, to)
		}
	}
}

// TestFaults breaks one thing after another, and expects its place.
func TestFaults(t *testing.T) {
	for name, c := range map[string]struct {
		files []string
		want  string
	}{
		"a dead link":            {[]string{"a/x.html", page(`<h2 id="part"></h2><a href="y.html">y</a>`)}, `a/x.html:3:26: link "y.html" leads to a/y.html, which is not there`},
		"a dead link to a text":  {[]string{"a/x.html", page(`<h2 id="part"></h2>` + "\n\n" + `<a href="x.md">y</a>`)}, `a/x.html:5:1: link "x.md" leads to a/x.md, which is not there`},
		"a dead anchor":          {[]string{"a/x.html", page(`<h2 id="other"></h2>`)}, `index.html:3:7: link "a/x.html#part" leads to no element of a/x.html with that id`},
		"an anchor in a file":    {[]string{"b.html", page(`<a href="a/x.json#a">y</a>`)}, `b.html:3:7: link "a/x.json#a" leads to no element`},
		"a label of nothing":     {[]string{"b.html", page(`<p aria-labelledby="a">y</p>`)}, `b.html:3:7: link "#a" leads to no element of b.html`},
		"a link out of the site": {[]string{"b.html", page(`<a href="/a/x.html">y</a>`)}, `b.html:3:7: link "/a/x.html" leaves the site, which is at /cat/`},
		"a relative link in 404": {[]string{"404.html", page(`<a href="a/x.html">y</a>`)}, `404.html:3:7: link "a/x.html" leads to no/such/a/x.html`},
		"a scheme":               {[]string{"b.html", page(`<a href="javascript:x()">y</a>`)}, `has the scheme "javascript"`},
		"no address":             {[]string{"b.html", page(`<a href="http://[x">y</a>`)}, `is no address`},
		"elements that cross":    {[]string{"b.html", page(`<p><b>x</p></b>`)}, `b.html:3:14: </p> closes <b>, opened at 3:10`},
		"an end without a start": {[]string{"b.html", page(`x</b>`)}, `b.html:3:8: </b> closes nothing`},
		"an element left open":   {[]string{"b.html", "<!doctype html><html lang=\"en\">\n<p>"}, `b.html:2:1: <p> is not closed`},
		"two ids":                {[]string{"b.html", page(`<p id="a"></p><p id="a"></p>`)}, `b.html:3:21: two elements have the id "a"`},
		"no id":                  {[]string{"b.html", page(`<p id="a b"></p>`)}, `"a b" is no id`},
		"a handler":              {[]string{"b.html", page(`<p onclick="x()"></p>`)}, `<p> has onclick`},
		"a style":                {[]string{"b.html", page(`<p style="x"></p>`)}, `<p> has style`},
		"a script in the page":   {[]string{"b.html", page(`<script>x</script>`)}, `a script stands in the page`},
		"an image":               {[]string{"b.html", page(`<img src="assets/i.svg">`)}, `an image has no alt`},
		"no language":            {[]string{"b.html", "<!doctype html><html></html>"}, `<html> names no lang`},
		"no type":                {[]string{"b.html", `<html lang="en"></html>`}, `b.html:1:1: the page does not begin with <!doctype html>`},
		"XML":                    {[]string{"feed.xml", `<feed>`}, `feed.xml: XML syntax error`},
		"JSON":                   {[]string{"a/x.json", `{"a": 1`}, `a/x.json: found something that is no JSON`},
		"a heavy page":           {[]string{"b.html", page(noise(140 << 10))}, `b.html: found a page of 7`},
		"heavy scripts":          {[]string{"assets/script.js", noise(70 << 10), "b.html", page(`<script src="assets/script.js"></script>`)}, `b.html: found scripts of 3`},
	} {
		to, err := audited(t, "https://example.org/cat/", site(c.files...))
		var faults Faults
		if !errors.As(err, &faults) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: found %v, want %s", name, err, c.want)
		}
		if to.committed || !to.discarded {
			t.Errorf("%s: the site was published", name)
		}
	}
}

// TestOrder lists faults by file and place, whatever the order of the files.
func TestOrder(t *testing.T) {
	files := site("b.html", page(`<a href="1">x</a><a href="2">x</a>`), "a/b.html", page("\n"+`<a href="3">x</a><p id="">x</p>`))
	_, want := audited(t, "", files)
	for range 5 {
		if _, err := audited(t, "", files); err.Error() != want.Error() {
			t.Fatalf("found\n%v\nthen\n%v", want, err)
		}
	}
	if lines := strings.Split(want.Error(), "\n"); len(lines) != 5 || !strings.HasPrefix(lines[1], "a/b.html:4:1:") || !strings.HasPrefix(lines[4], "b.html:3:24:") {
		t.Errorf("found\n%v", want)
	}
}
