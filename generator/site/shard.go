package site

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"github.com/strata-catalog/strata/generator/page"
	"github.com/strata-catalog/strata/generator/render"
)

// A Shard is one of several parts of a site, each built by another program. Each
// reads the whole catalog, since lists and relatives need it, and renders its
// share of the pages; Merge makes the site of all parts.
type Shard struct {
	Part int `json:"part"` // from 1
	Of   int `json:"of"`
	// Plan is a checksum of what all pages are made of: parts of one site have
	// the same.
	Plan string `json:"plan"`
	// BaseURL is where the site is published, "" when that is not known.
	BaseURL string `json:"base_url"`
}

// ParseShard reads a shard such as 2/4.
func ParseShard(text string) (*Shard, error) {
	part, of, _ := strings.Cut(text, "/")
	i, err1 := strconv.Atoi(part)
	n, err2 := strconv.Atoi(of)
	if err1 != nil || err2 != nil || i < 1 || i > n {
		return nil, fmt.Errorf("found the shard %q, expected one such as 2/4: the second of four parts", text)
	}
	return &Shard{Part: i, Of: n}, nil
}

// has reports whether the i-th page belongs to the shard. Neighbours go to
// different shards, since pages of a kind stand together and cost about the same.
func (s *Shard) has(i int) bool { return s == nil || i%s.Of == s.Part-1 }

// planned is the shard's mark in its build.json; nil for a whole site.
func (b *builder) planned(pages []page.Page) *Shard {
	if b.Shard == nil {
		return nil
	}
	plan := []string{b.Version, keyed(b.theme.Sum(), "", b.Compress)}
	for _, p := range pages {
		plan = append(plan, p.Path, p.Key())
	}
	return &Shard{b.Shard.Part, b.Shard.Of, sumOf([]byte(strings.Join(plan, "\n"))), b.site.BaseURL}
}

// Merge makes the site of the folders that hold its parts, in any order: to the
// byte what a build of the whole would make.
func Merge(parts []string, sink Sink) (Result, error) {
	b := newBuilder(&draft{}, sink)
	if err := b.merge(parts); err != nil {
		return b.result, errors.Join(err, sink.Discard())
	}
	return b.result, sink.Commit()
}

func (b *builder) merge(parts []string) error {
	manifests := make([]*Manifest, len(parts))
	for i, dir := range parts {
		var err error
		if manifests[i], err = readPart(dir); err != nil {
			return err
		}
	}
	if err := together(parts, manifests); err != nil {
		return err
	}
	for i, dir := range parts {
		for _, f := range manifests[i].Files {
			if !validPath(f.Path) {
				return fmt.Errorf("%s: its %s names %q", dir, page.BuildPath, f.Path)
			}
			data, err := os.ReadFile(at(dir, f.Path))
			if err != nil {
				return err
			}
			if sumOf(data) != f.SHA256 {
				return fmt.Errorf("%s is not what its part's %s says; build the part again", at(dir, f.Path), page.BuildPath)
			}
			if _, err := b.put(render.File{Path: f.Path, Data: data}); err != nil {
				return err
			}
		}
	}
	b.Version, b.result.Templates = manifests[0].Generator.Version, manifests[0].Templates
	return b.manifest(nil)
}

// readPart reads the build.json of a part.
func readPart(dir string) (*Manifest, error) {
	m, err := readManifest(dir)
	switch {
	case errors.Is(err, errNotOurs), err == nil && m.Shard == nil:
		return nil, fmt.Errorf("%s is no part of a site: its %s names no shard; build it with --shard", dir, page.BuildPath)
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s is no part of a site: it has no %s; build it with --shard", dir, page.BuildPath)
	}
	return m, err
}

// ReadShard says which part of a site a folder holds.
func ReadShard(dir string) (*Shard, error) {
	m, err := readPart(dir)
	if err != nil {
		return nil, err
	}
	return m.Shard, nil
}

// together checks that the parts make one site.
func together(parts []string, manifests []*Manifest) error {
	if len(parts) == 0 {
		return errors.New("found no part, expected the folders that builds with --shard made")
	}
	first := manifests[0].Shard
	where := map[int]string{}
	for i, dir := range parts {
		s := manifests[i].Shard
		if s.Of != first.Of || s.Plan != first.Plan {
			return fmt.Errorf("%s and %s are parts of different sites: catalog, theme, settings, program and number of parts must be the same", parts[0], dir)
		}
		if other, twice := where[s.Part]; twice {
			return fmt.Errorf("%s and %s are both part %d of %d; give each part once", other, dir, s.Part, s.Of)
		}
		where[s.Part] = dir
	}
	var missing []string
	for part := 1; part <= first.Of; part++ {
		if where[part] == "" {
			missing = append(missing, fmt.Sprintf("%d/%d", part, first.Of))
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("%d of %d parts are missing: %s; build them with --shard", len(missing), first.Of, strings.Join(missing, ", "))
	}
	return nil
}
