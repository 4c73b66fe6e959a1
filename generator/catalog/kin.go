package catalog

import (
	"cmp"
	"maps"
	"math"
	"math/bits"
	"slices"
	"strings"
	"sync"
)

// reach is how many neighbours on each side, in each order of a group, are
// looked at for relatives. Smaller groups are looked at as a whole.
const reach = 64

// traits are what the likeness of two models is judged by.
type traits struct {
	groups    []string // from the nearest to all: "NLP/LLM", "NLP", ""
	types     []trait  // by name
	structure string   // the names of the types
	size      float64  // log2 of the parameters
}

// trait is a layer type with the bit length of its number of uses: stacks of 24
// and of 30 blocks are alike.
type trait struct {
	name   string
	weight int
}

func (t *traits) equal(u *traits) bool {
	return t == u || t.size == u.size && slices.Equal(t.groups, u.groups) && slices.Equal(t.types, u.types)
}

// relations are the relatives of some models, given by their places in a
// catalog, each made when first asked for. They depend on the traits alone.
type relations struct {
	traits  []*traits
	kin     func() *kin
	kindred func() []int
	known   sync.Map // lists of places, by relation
}

type relation struct{ of, n int }

// relate is what stands as long as the traits do.
func relate(entries []*Entry, before *relations) *relations {
	r := &relations{traits: make([]*traits, len(entries))}
	for i, e := range entries {
		r.traits[i] = e.traits
	}
	if before != nil && slices.EqualFunc(before.traits, r.traits, (*traits).equal) {
		return before
	}
	r.kin = sync.OnceValue(func() *kin { return newKin(r.traits) })
	r.kindred = sync.OnceValue(r.inOrder)
	return r
}

// Relatives lists the n nearest relatives of an entry, the nearest first: those
// of its category ("NLP/LLM"), when these are too few those of its area ("NLP"),
// then the rest; within each by likeness (see distance). The same catalog gives
// the same list.
func (c *Catalog) Relatives(e *Entry, n int) (list []*Entry) {
	self, ok := c.place(e.ID)
	if !ok || c.Entries[self] != e {
		return nil
	}
	for _, i := range c.relations.of(self, n) {
		list = append(list, c.Entries[i])
	}
	return list
}

// Kindred lists the entries in an order in which relatives stand near one
// another: whoever goes through pairs in it has done with an entry soon.
func (c *Catalog) Kindred() []*Entry {
	list := make([]*Entry, len(c.Entries))
	for i, at := range c.relations.kindred() {
		list[i] = c.Entries[at]
	}
	return list
}

func (r *relations) inOrder() []int {
	list := make([]int, len(r.traits))
	for i := range list {
		list[i] = i
	}
	slices.SortFunc(list, func(a, b int) int {
		x, y := r.traits[a], r.traits[b]
		return cmp.Or(slices.Compare(x.groups, y.groups), strings.Compare(x.structure, y.structure), cmp.Compare(x.size, y.size), a-b)
	})
	return list
}

func (r *relations) of(self, n int) []int {
	list, ok := r.known.Load(relation{self, n})
	if !ok {
		list, _ = r.known.LoadOrStore(relation{self, n}, r.kin().relatives(self, n))
	}
	return list.([]int)
}

// kin finds relatives without comparing all with all: the members of a group
// are sorted by size and by structure once, and only neighbours are measured.
type kin struct {
	members []member
}

type member struct {
	groups []place // from the nearest to all
	types  []weighed
	size   float64
}

// place is where a member stands in a group.
type place struct {
	*group
	at int // among the members
}

// weighed is a trait with a number for its name, in the order of names.
type weighed struct{ name, weight int }

// A group is the members of a category, in the orders that neighbours come from.
type group struct {
	members []int    // their places in the catalog
	orders  [2][]int // by size, and by structure: places among the members
	ranks   [2][]int // of each member, in each order
}

func (k *kin) relatives(self, n int) (list []int) {
	me := &k.members[self]
	for _, g := range me.groups {
		if len(list) == n {
			break
		}
		var best []measured // the nearest so far
		g.near(g.at, max(reach, n), func(i int) {
			if i == self || slices.Contains(list, i) {
				return
			}
			m := measured{i, distance(me, &k.members[i])}
			if full := len(best) == n-len(list); full && m.compare(best[len(best)-1]) > 0 {
				return
			} else if full {
				best = best[:len(best)-1]
			}
			at, _ := slices.BinarySearchFunc(best, m, measured.compare)
			best = slices.Insert(best, at, m)
		})
		for _, m := range best {
			list = append(list, m.member)
		}
	}
	return list
}

// measured is a member with its distance from another.
type measured struct {
	member   int
	distance float64
}

func (m measured) compare(o measured) int {
	return cmp.Or(cmp.Compare(m.distance, o.distance), m.member-o.member)
}

func newKin(all []*traits) *kin {
	k := &kin{members: make([]member, len(all))}
	groups, names := map[string]*group{}, map[string]int{}
	for i, t := range all {
		k.members[i].size = t.size
		for _, name := range t.groups {
			g := groups[name]
			if g == nil {
				g = &group{}
				groups[name] = g
			}
			k.members[i].groups = append(k.members[i].groups, place{g, len(g.members)})
			g.members = append(g.members, i)
		}
		for _, x := range t.types {
			names[x.name] = 0
		}
	}
	for number, name := range slices.Sorted(maps.Keys(names)) {
		names[name] = number
	}
	for i, t := range all {
		for _, x := range t.types {
			k.members[i].types = append(k.members[i].types, weighed{names[x.name], x.weight})
		}
	}
	for _, g := range groups {
		g.sort(all)
	}
	return k
}

func traitsOf(e *Entry) *traits {
	t := &traits{size: math.Log2(float64(e.Model.Params) + 1)}
	if category := e.Doc.Category; category != "" {
		t.groups = []string{category}
		if area, _, deeper := strings.Cut(category, "/"); deeper && area != "" {
			t.groups = append(t.groups, area)
		}
	}
	t.groups = append(t.groups, "")
	uses := map[string]uint{}
	for i := range e.Model.Nodes {
		uses[e.Model.Nodes[i].TypeName()]++
	}
	for name, n := range uses {
		t.types = append(t.types, trait{name, bits.Len(n)})
	}
	slices.SortFunc(t.types, func(a, b trait) int { return strings.Compare(a.name, b.name) })
	for _, x := range t.types {
		t.structure += x.name + " "
	}
	return t
}

// sort makes the orders: by size, and by structure with size.
func (g *group) sort(all []*traits) {
	of := func(at int) *traits { return all[g.members[at]] }
	bySize := func(a, b int) int { return cmp.Or(cmp.Compare(of(a).size, of(b).size), a-b) }
	for o, before := range []func(a, b int) int{bySize, func(a, b int) int {
		return cmp.Or(strings.Compare(of(a).structure, of(b).structure), bySize(a, b))
	}} {
		order, ranks := make([]int, len(g.members)), make([]int, len(g.members))
		for at := range order {
			order[at] = at
		}
		slices.SortFunc(order, before)
		for rank, at := range order {
			ranks[at] = rank
		}
		g.orders[o], g.ranks[o] = order, ranks
	}
}

// near calls f for the neighbours of a member, itself among them, each once.
func (g *group) near(at, reach int, f func(member int)) {
	first, second := g.ranks[0][at], g.ranks[1][at]
	for _, i := range window(g.orders[0], first, reach) {
		f(g.members[i])
	}
	for _, i := range window(g.orders[1], second, reach) {
		if rank := g.ranks[0][i]; rank < first-reach || rank > first+reach {
			f(g.members[i])
		}
	}
}

// window is what stands around a place of a list.
func window(list []int, place, reach int) []int {
	return list[max(0, place-reach):min(len(list), place+reach+1)]
}

// distance of two models: the part of their layer types that they do not share,
// from 0 to 1, and a twentieth for each doubling from one size to the other.
func distance(a, b *member) float64 {
	common, all := 0, 0
	for i, j := 0, 0; i < len(a.types) || j < len(b.types); {
		switch {
		case j == len(b.types) || i < len(a.types) && a.types[i].name < b.types[j].name:
			all += a.types[i].weight
			i++
		case i == len(a.types) || b.types[j].name < a.types[i].name:
			all += b.types[j].weight
			j++
		default:
			common += min(a.types[i].weight, b.types[j].weight)
			all += max(a.types[i].weight, b.types[j].weight)
			i, j = i+1, j+1
		}
	}
	return 1 - float64(common)/float64(max(all, 1)) + math.Abs(a.size-b.size)/20
}
