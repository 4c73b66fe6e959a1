package page

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/strata-catalog/strata/generator/catalog"
	"github.com/strata-catalog/strata/generator/cost"
	"github.com/strata-catalog/strata/generator/diff"
	"github.com/strata-catalog/strata/generator/draw"
)

// shared is what several pages need of a template, its own and its diffs: each
// part is made when it is first asked for, and dropped when the last of those
// pages has been made, so that a site holds few of them at once. Who asks later
// gets it made again.
type shared struct {
	entry *catalog.Entry
	site  *Site
	left  atomic.Int64 // pages that still need it
	made  atomic.Pointer[estimated]
}

type estimated struct {
	plan    func() (*cost.Plan, error)
	subject func() (diff.Subject, error)
	picture func() *draw.Picture
}

func (s *Site) share(entries []*catalog.Entry) {
	all := make([]shared, len(entries))
	s.shared = make(map[*catalog.Entry]*shared, len(entries))
	for i, e := range entries {
		all[i].entry, all[i].site = e, s
		s.shared[e] = &all[i]
	}
}

// get is what has been made, or can be.
func (h *shared) get() *estimated {
	if x := h.made.Load(); x != nil {
		return x
	}
	e := h.entry
	plan := sync.OnceValues(func() (*cost.Plan, error) {
		p, err := cost.New(e.Model, e.Assumed(h.site.assumptions))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.File, err)
		}
		return p, nil
	})
	x := &estimated{
		plan: plan,
		subject: sync.OnceValues(func() (diff.Subject, error) {
			p, err := plan()
			return diff.Subject{ID: e.ID, Name: e.Name(), Plan: p}.Shared(), err
		}),
		picture: sync.OnceValue(func() *draw.Picture { return draw.New(e.Model) }),
	}
	if h.made.CompareAndSwap(nil, x) {
		return x
	}
	return h.get() // another was first
}

// done says that one of the pages has been made.
func (h *shared) done() {
	if h.left.Add(-1) == 0 {
		h.made.Store(nil)
	}
}

// plan is the estimates of a template.
func (s *Site) plan(e *catalog.Entry) (*cost.Plan, error) { return s.shared[e].get().plan() }

// subject is a template to compare, with its estimates.
func (s *Site) subject(e *catalog.Entry) (diff.Subject, error) { return s.shared[e].get().subject() }

// picture is the drawing of a template, nil where it cannot be drawn.
func (s *Site) picture(e *catalog.Entry) *draw.Picture { return s.shared[e].get().picture() }
