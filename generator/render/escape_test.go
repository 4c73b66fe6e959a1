package render

import "testing"

func TestAppendText(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{"plain × text", "plain × text"},
		{`<a href="x">'&'</a>`, "&lt;a href=&#34;x&#34;&gt;&#39;&amp;&#39;&lt;/a&gt;"},
		{"&amp;", "&amp;amp;"},
	} {
		if got := string(appendText([]byte("> "), c.text)); got != "> "+c.want {
			t.Errorf("appendText(%q) = %q, want %q", c.text, got, c.want)
		}
	}
}

func TestPrintable(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"a\tb\r\nc é", "a\tb\r\nc é"},
		{"\x00a\x1fb\x7f", "\ufffda\ufffdb\ufffd"},
	} {
		if got := string(printable([]byte(c.text))); got != c.want {
			t.Errorf("printable(%q) = %q, want %q", c.text, got, c.want)
		}
	}
}
