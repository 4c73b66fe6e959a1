package page

import "testing"

func TestRelative(t *testing.T) {
	for _, c := range []struct{ from, to, want string }{
		{"index.html", "a/x.html", "a/x.html"},
		{"a/x.html", "a/y.html", "y.html"},
		{"a/x.html", "a/x.html", "x.html"},
		{"a/x.html", "index.html", "../index.html"},
		{"a/x.html", "templates/x/model.json", "../templates/x/model.json"},
		{"a/b/x.html", "a/c/y.html", "../c/y.html"},
		{"x.html", "a/y z.html", "a/y%20z.html"},
		{"a/x.html", "über.html", "../%C3%BCber.html"},
	} {
		if got := relative(c.from, c.to); got != c.want {
			t.Errorf("relative(%s, %s) = %s, want %s", c.from, c.to, got, c.want)
		}
	}
}

func TestAddresses(t *testing.T) {
	for _, c := range []struct{ base, path, absolute, canonical, missing string }{
		{"", "a/x.html", "/a/x.html", "", "/a/x.html"},
		{"", "index.html", "/", "", "/index.html"},
		{"https://example.org/", "index.html", "https://example.org/", "https://example.org/", "/index.html"},
		{"https://example.org/re%20po/", "a/x.html", "https://example.org/re%20po/a/x.html", "https://example.org/re%20po/a/x.html", "/re%20po/a/x.html"},
	} {
		s := &Site{BaseURL: c.base}
		if got := s.absolute(c.path); got != c.absolute {
			t.Errorf("under %q: absolute(%s) = %s, want %s", c.base, c.path, got, c.absolute)
		}
		b := Base{Site: s, Path: c.path}
		if got := b.Canonical(); got != c.canonical {
			t.Errorf("under %q: canonical address of %s is %s, want %s", c.base, c.path, got, c.canonical)
		}
		rooted := Base{Site: s, Path: NotFoundPath, Rooted: true}
		if got := rooted.URL(c.path); got != c.missing {
			t.Errorf("under %q: from a page at any address %s is %s, want %s", c.base, c.path, got, c.missing)
		}
		if got := b.URL("https://other.org/x"); got != "https://other.org/x" {
			t.Errorf("an address of another site becomes %s", got)
		}
	}
}

func TestBaseURL(t *testing.T) {
	for _, c := range []struct{ given, setting, want string }{
		{"", "", ""},
		{"https://a.org", "https://b.org/", "https://a.org/"},
		{"", "http://b.org/x", "http://b.org/x/"},
		{"/x/", "", "error"},
		{"ftp://a.org/", "", "error"},
		{"https:///x", "", "error"},
		{"https://a.org/?q", "", "error"},
		{"https://a.org/#x", "", "error"},
		{"https://a b.org/", "", "error"},
	} {
		got, err := baseURL(c.given, c.setting)
		if err != nil {
			got = "error"
		}
		if got != c.want {
			t.Errorf("baseURL(%q, %q) = %q (%v), want %q", c.given, c.setting, got, err, c.want)
		}
	}
}
