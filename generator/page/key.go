package page

import (
	"maps"
	"strconv"
	"sync"

	"github.com/strata-catalog/strata/generator/catalog"
	"github.com/strata-catalog/strata/generator/facts"
	"github.com/strata-catalog/strata/generator/layer"
)

// A needs lists checksums of what a page is made of: two pages at one address
// with the same needs are the same, as long as program and theme are.
type needs []string

// inputs are checksums that many pages need, each made when first asked for.
type inputs struct {
	frame     func() string // what stands on every page, and the settings
	addresses func() string // of the site
	entries   func() string // every template
	listed    func() string // every template and every pair
	judged    func() string // findings of every template
}

func (s *Site) prepare() {
	once := func(list func() needs) func() string { return sync.OnceValue(func() string { return list().key() }) }
	s.inputs = inputs{
		frame: once(func() needs {
			n := needs{s.Title, s.Description, s.Language, s.Author, s.SourceURL, s.BaseURL, s.Version, strconv.FormatBool(s.Cards), s.catalog.SettingsSum}
			for _, i := range s.Menu {
				n = append(n, i.Text, i.Path)
			}
			return n
		}),
		addresses: once(func() needs { return sorted(s.files) }),
		entries: once(func() (n needs) {
			for _, e := range s.catalog.Entries {
				n = append(n, e.Sum)
			}
			return n
		}),
		listed: once(func() needs {
			n := needs{s.inputs.entries()}
			for _, p := range s.pairs {
				n = append(n, p.key)
			}
			return n
		}),
		judged: once(func() (n needs) {
			for _, e := range s.catalog.Entries {
				n = append(n, e.ID, e.Name(), strconv.Itoa(len(e.Findings)))
				for _, f := range e.Findings {
					n = append(n, f.Rule, string(f.Severity), f.Accepted, strconv.Itoa(f.Repeat))
				}
			}
			return n
		}),
	}
}

// pairKey stands for what lists show of a pair, and for its page.
func (s *Site) pairKey(p catalog.Pair) string {
	n := needs{s.catalog.SettingsSum, p.A.Sum, p.B.Sum}
	if p.Note != nil {
		n = append(n, p.Note.File, s.catalog.Sum(p.Note.File))
	}
	return n.key()
}

// The needs of each kind of page.

func (s *Site) framed() needs { return needs{s.inputs.frame()} }

func (s *Site) templateNeeds(e *catalog.Entry) needs {
	n := append(s.framed(), e.Sum)
	if e.Note != nil {
		n = append(n, s.linked(noteText(e))...)
	}
	for _, p := range s.relatedPairs(e) {
		n = append(n, p.urls.HTML, p.key)
	}
	return n
}

func (s *Site) pairNeeds(p *pair) needs {
	n := append(s.framed(), p.key)
	if p.Note != nil {
		n = append(n, s.linked(p.text())...)
	}
	return n
}

// usersNeeds are of a list of templates that use a layer type.
func (s *Site) usersNeeds(users []Item) needs {
	n := append(s.framed(), strconv.Itoa(len(users)))
	for _, u := range few(users) {
		n = append(n, u.Text, u.Path)
	}
	return n
}

func (s *Site) layersNeeds() needs {
	n, users := s.framed(), s.users()
	for _, t := range layer.All {
		n = append(n, strconv.Itoa(len(users[t.Name])))
	}
	return n
}

// Known is what lists show of templates and pairs, kept from one Site for the
// next one: by what it is made of, so that it stands as long as that does. The
// zero value is empty.
type Known struct {
	mu      sync.Mutex
	entries map[string]Entry
	urls    map[string]URLs
	pairs   map[string]facts.Difference
	links   map[string][]string // of texts

	// The pairs of the last Site, and its settings.
	pairOf   map[[2]*catalog.Entry]*pair
	settings string
}

// begin starts a new Site, and forgets what is of texts, templates and pairs that
// it does not have.
func (k *Known) begin(s *Site) {
	k.mu.Lock()
	defer k.mu.Unlock()
	var entries, pairs, texts []string
	for _, e := range s.catalog.Entries {
		entries = append(entries, e.Sum)
		if e.Note != nil {
			texts = append(texts, s.catalog.Sum(e.Note.File))
		}
	}
	for _, p := range s.pairs {
		pairs = append(pairs, p.key)
		if p.Note != nil {
			texts = append(texts, s.catalog.Sum(p.Note.File))
		}
	}
	for _, p := range s.catalog.Pages {
		texts = append(texts, s.catalog.Sum(p.File))
	}
	k.pairOf, k.settings = s.pairOf, s.catalog.SettingsSum
	k.entries, k.urls, k.pairs, k.links = only(k.entries, entries), only(k.urls, entries), only(k.pairs, pairs), only(k.links, texts)
}

// planned are the pairs of the last Site, if they are of the same settings: what
// nobody wrote about, and is of the same two templates, stands as it was.
func (k *Known) planned(s *Site) map[[2]*catalog.Entry]*pair {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.settings != s.catalog.SettingsSum {
		return nil
	}
	return k.pairOf
}

// only is a map without other keys.
func only[V any](m map[string]V, keys []string) map[string]V {
	kept := make(map[string]V, min(len(m), len(keys)))
	for _, key := range keys {
		if v, ok := m[key]; ok {
			kept[key] = v
		}
	}
	return kept
}

// recall is what a map of Known has for a key, made where it is not there yet.
func recall[V any](k *Known, in *map[string]V, key string, make func() V) V {
	k.mu.Lock()
	v, ok := (*in)[key]
	k.mu.Unlock()
	if !ok {
		v = make()
		k.mu.Lock()
		defer k.mu.Unlock()
		if *in == nil {
			*in = map[string]V{}
		}
		(*in)[key] = v
	}
	return v
}

func (k *Known) entry(key string, make func() Entry) Entry { return recall(k, &k.entries, key, make) }

// urlsOf are the addresses of a template.
func (k *Known) urlsOf(e *catalog.Entry) URLs {
	return recall(k, &k.urls, e.Sum, func() URLs { return urls(e) })
}

// linksOf are the links in a text, by its checksum.
func (k *Known) linksOf(key string, make func() []string) []string {
	return recall(k, &k.links, key, make)
}

func (k *Known) pair(key string) (facts.Difference, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	d, ok := k.pairs[key]
	return d, ok
}

func (k *Known) setPair(key string, d facts.Difference) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.pairs[key] = d
}

// Know is a Known of pairs, by keys that Pairs gave.
func Know(pairs map[string]facts.Difference) *Known { return &Known{pairs: pairs} }

// Pairs is what lists show of the pairs of the last Site.
func (k *Known) Pairs() map[string]facts.Difference {
	k.mu.Lock()
	defer k.mu.Unlock()
	return maps.Clone(k.pairs)
}
