package cli

import (
	"bytes"
	"strings"
	"testing"
)

func TestColours(t *testing.T) {
	for _, test := range []struct {
		terminal bool
		env      map[string]string
		want     bool
	}{
		{true, nil, true},
		{true, map[string]string{"NO_COLOR": ""}, true},
		{true, map[string]string{"NO_COLOR": "0"}, false},
		{true, map[string]string{"TERM": "dumb"}, false},
		{true, map[string]string{"TERM": "xterm"}, true},
		{false, nil, false},
	} {
		if got := colours(test.terminal, func(key string) string { return test.env[key] }); got != test.want {
			t.Errorf("colours(%v, %v) = %v", test.terminal, test.env, got)
		}
	}
}

func TestCut(t *testing.T) {
	for _, test := range []struct {
		text        string
		width       int
		end, middle string
	}{
		{"layers.0.attn", 13, "layers.0.attn", "layers.0.attn"},
		{"layers.0.attn", 12, "layers.0.at…", "layer…0.attn"},
		{"layers.0.attn", 5, "laye…", "la…tn"},
		{"層層層層", 8, "層層層層", "層層層層"},
		{"層層層層", 7, "層層層…", "層…層層"},
		{"e\u0301e\u0301e\u0301", 3, "e\u0301e\u0301e\u0301", "e\u0301e\u0301e\u0301"},
		{"🙂🙂", 3, "🙂…", "…🙂"},
	} {
		if got := cutEnd(test.text, test.width); got != test.end || cells(got) > test.width {
			t.Errorf("cutEnd(%q, %d) = %q, want %q", test.text, test.width, got, test.end)
		}
		if got := cutMiddle(test.text, test.width); got != test.middle || cells(got) > test.width {
			t.Errorf("cutMiddle(%q, %d) = %q, want %q", test.text, test.width, got, test.middle)
		}
	}
}

func TestWrap(t *testing.T) {
	for _, test := range []struct {
		text  string
		width int
		want  string
	}{
		{"", 10, ""},
		{"one two  three", 20, "one two three"},
		{"one two three", 7, "one two|three"},
		{"one two three", 3, "one|two|three"},
		{"https://example.org/long two", 8, "https://example.org/long|two"},
	} {
		if got := strings.Join(wrap(test.text, test.width), "|"); got != test.want {
			t.Errorf("wrap(%q, %d) = %q, want %q", test.text, test.width, got, test.want)
		}
	}
}

// sample is a table with a column of each kind.
func sample() *table {
	t := &table{columns: []column{{head: "#", right: true}, {head: "Layer", least: 6, cut: cutMiddle}, {head: "Type", least: 4, goes: 2}, {head: "Work", right: true, goes: 1}, {head: "Words", least: 8, wraps: true}}}
	t.add(ordinary, "1", "layers.0.attn", "Attention", "12", "what it is in words")
	t.add(bold, "10", "x", "Input", "", "short")
	return t
}

// TestTable: columns are cut, then they go, and the last one wraps.
func TestTable(t *testing.T) {
	for _, test := range []struct {
		width int
		want  string
	}{
		{0, `
 #  Layer          Type       Work  Words
 1  layers.0.attn  Attention    12  what it is in words
10  x              Input            short
`},
		{44, `
 #  Layer       Type       Work  Words
 1  laye….attn  Attention    12  what it is
                                 in words
10  x           Input            short
`},
		{30, `
 #  Layer    Type     Words
 1  lay…ttn  Attent…  what it
                      is in
                      words
10  x        Input    short
`},
		{24, `
 #  Layer      Words
 1  laye…attn  what it
               is in
               words
10  x          short
`},
		{5, `
 #  Layer   Words
 1  la…ttn  what it
            is in
            words
10  x       short
`},
	} {
		var b bytes.Buffer
		if err := sample().write(&screen{Writer: &b, width: test.width}); err != nil {
			t.Fatal(err)
		}
		if got := "\n" + b.String(); got != test.want {
			t.Errorf("in %d cells:%swant:%s", test.width, got, test.want)
		}
		for line := range strings.Lines(b.String()) {
			if n := cells(strings.TrimSuffix(line, "\n")); test.width > 20 && n > test.width {
				t.Errorf("a line of %d cells in %d: %s", n, test.width, line)
			}
		}
	}
}

// Rows are painted on a terminal alone.
func TestPaint(t *testing.T) {
	for colour, want := range map[bool]string{true: "\x1b[1mhead\x1b[0m\n\x1b[32mgood\x1b[0m\nplain\n", false: "head\ngood\nplain\n"} {
		var b bytes.Buffer
		w := &table{columns: []column{{head: "head"}}}
		w.add(green, "good")
		w.add(ordinary, "plain")
		if err := w.write(&screen{Writer: &b, colour: colour}); err != nil || b.String() != want {
			t.Errorf("with colours %v: %q, want %q", colour, b.String(), want)
		}
	}
}

// A long text moves its own line alone, and is no burden to the others.
func TestLongCell(t *testing.T) {
	w := &table{columns: []column{{head: "Layer", least: 6, cut: cutMiddle}, {head: "#"}}}
	w.add(ordinary, strings.Repeat("x", 1<<20), "1")
	for range 1000 {
		w.add(ordinary, "short", "2")
	}
	var b bytes.Buffer
	if err := w.write(&screen{Writer: &b}); err != nil {
		t.Fatal(err)
	}
	if n := b.Len(); n < 1<<20 || n > 1<<20+1002*200 {
		t.Errorf("%d bytes", n)
	}
	b.Reset()
	if err := w.write(&screen{Writer: &b, width: 40}); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		if n := cells(strings.TrimSuffix(line, "\n")); n > 40 {
			t.Errorf("a line has %d cells", n)
		}
	}
}
