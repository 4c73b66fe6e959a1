package page

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
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

// key is a checksum of needs.
func (n needs) key() string {
	h := sha256.New()
	for _, s := range n {
		var size [8]byte
		binary.LittleEndian.PutUint64(size[:], uint64(len(s)))
		h.Write(size[:])
		h.Write([]byte(s))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// inputs are checksums that many pages need, each made when first asked for.
type inputs struct {
	frame     func() string // what stands on every page, and the settings
	addresses func() string // of the site, which links in texts lead to
	entries   func() string // every template
	listed    func() string // every template and every pair
	judged    func() string // findings of every template
}

func (s *Site) prepare() {
	once := func(list func() needs) func() string { return sync.OnceValue(func() string { return list().key() }) }
	s.inputs = inputs{
		frame: once(func() needs {
			n := needs{s.Title, s.Description, s.Language, s.Author, s.SourceURL, s.BaseURL, s.Version, s.catalog.SettingsSum}
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
		n = append(n, s.inputs.addresses())
	}
	for _, p := range s.relatedPairs(e) {
		n = append(n, p.urls.HTML, p.key)
	}
	return n
}

func (s *Site) pairNeeds(p *pair) needs {
	n := append(s.framed(), p.key)
	if p.Note != nil {
		n = append(n, s.inputs.addresses())
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
}

// begin starts a new Site, and forgets what is of templates and pairs that it
// does not have.
func (k *Known) begin(s *Site) {
	k.mu.Lock()
	defer k.mu.Unlock()
	entries, urls, pairs := k.entries, k.urls, k.pairs
	k.entries, k.urls, k.pairs = map[string]Entry{}, map[string]URLs{}, map[string]facts.Difference{}
	for _, e := range s.catalog.Entries {
		if known, ok := entries[e.Sum]; ok {
			k.entries[e.Sum] = known
		}
		if known, ok := urls[e.Sum]; ok {
			k.urls[e.Sum] = known
		}
	}
	for _, p := range s.pairs {
		if known, ok := pairs[p.key]; ok {
			k.pairs[p.key] = known
		}
	}
}

func (k *Known) entry(key string, make func() Entry) Entry {
	k.mu.Lock()
	e, ok := k.entries[key]
	k.mu.Unlock()
	if !ok {
		e = make()
		k.mu.Lock()
		defer k.mu.Unlock()
		k.entries[key] = e
	}
	return e
}

// urlsOf are the addresses of a template.
func (k *Known) urlsOf(e *catalog.Entry) URLs {
	k.mu.Lock()
	defer k.mu.Unlock()
	u, ok := k.urls[e.Sum]
	if !ok {
		if k.urls == nil {
			k.urls = map[string]URLs{}
		}
		u = urls(e)
		k.urls[e.Sum] = u
	}
	return u
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
