package catalog

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"strings"
	"sync"
)

// reach is how many neighbours on each side, in each order of a group, are
// looked at for relatives. Smaller groups are looked at as a whole.
const reach = 64

// kin finds relatives without comparing all with all: the members of a group
// are sorted by size and by structure once, and only neighbours are measured.
type kin struct {
	index  map[*Entry]int
	traits []traits
	groups map[string]*group
}

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

// A group is the entries of a category, in the orders that neighbours come from.
type group struct {
	orders [2][]int
	places [2]map[int]int
}

// relations are the relatives of some entries, each made when first asked for.
type relations struct {
	entries []*Entry
	once    sync.Once
	kin     *kin
	known   sync.Map // lists of entries, by relation
}

type relation struct {
	of *Entry
	n  int
}

// Relatives lists the n nearest relatives of an entry, the nearest first: those
// of its category ("NLP/LLM"), when these are too few those of its area ("NLP"),
// then the rest; within each by likeness (see distance). The same catalog gives
// the same list.
func (c *Catalog) Relatives(e *Entry, n int) []*Entry {
	r := c.relations
	if list, ok := r.known.Load(relation{e, n}); ok {
		return slices.Clone(list.([]*Entry))
	}
	r.once.Do(func() { r.kin = newKin(r.entries) })
	list := r.relatives(e, n)
	r.known.Store(relation{e, n}, list)
	return slices.Clone(list)
}

// Kindred lists the entries in an order in which relatives stand near one
// another: whoever goes through pairs in it has done with an entry soon.
func (c *Catalog) Kindred() []*Entry {
	list := slices.Clone(c.Entries)
	slices.SortFunc(list, func(a, b *Entry) int {
		x, y := a.traits(), b.traits()
		return cmp.Or(slices.Compare(x.groups, y.groups), strings.Compare(x.structure, y.structure), cmp.Compare(x.size, y.size), strings.Compare(a.ID, b.ID))
	})
	return list
}

func (r *relations) relatives(e *Entry, n int) (list []*Entry) {
	k := r.kin
	self, ok := k.index[e]
	if !ok {
		return nil
	}
	var taken []int
	for _, name := range k.traits[self].groups {
		if len(taken) == n {
			break
		}
		var best []measured // the nearest so far
		for _, i := range k.groups[name].near(self, max(reach, n)) {
			if i == self || slices.Contains(taken, i) {
				continue
			}
			m := measured{i, distance(&k.traits[self], &k.traits[i])}
			at, _ := slices.BinarySearchFunc(best, m, func(a, b measured) int { return cmp.Or(cmp.Compare(a.distance, b.distance), a.index-b.index) })
			if best = slices.Insert(best, at, m); len(best) > n-len(taken) {
				best = best[:n-len(taken)]
			}
		}
		for _, m := range best {
			taken = append(taken, m.index)
		}
	}
	for _, i := range taken {
		list = append(list, r.entries[i])
	}
	return list
}

// measured is an entry with its distance from another.
type measured struct {
	index    int
	distance float64
}

func newKin(entries []*Entry) *kin {
	k := &kin{index: make(map[*Entry]int, len(entries)), traits: make([]traits, len(entries)), groups: map[string]*group{}}
	for i, e := range entries {
		k.index[e] = i
		k.traits[i] = e.traits()
		for _, name := range k.traits[i].groups {
			g := k.groups[name]
			if g == nil {
				g = &group{}
				k.groups[name] = g
			}
			g.orders[0] = append(g.orders[0], i)
		}
	}
	for _, g := range k.groups {
		g.sort(k.traits)
	}
	return k
}

func traitsOf(e *Entry) traits {
	t := traits{size: math.Log2(float64(e.Model.Params) + 1)}
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
func (g *group) sort(all []traits) {
	bySize := func(a, b int) int { return cmp.Or(cmp.Compare(all[a].size, all[b].size), a-b) }
	g.orders[1] = slices.Clone(g.orders[0])
	slices.SortFunc(g.orders[0], bySize)
	slices.SortFunc(g.orders[1], func(a, b int) int {
		return cmp.Or(strings.Compare(all[a].structure, all[b].structure), bySize(a, b))
	})
	for o, order := range g.orders {
		g.places[o] = make(map[int]int, len(order))
		for place, i := range order {
			g.places[o][i] = place
		}
	}
}

// near lists the neighbours of a member, itself among them.
func (g *group) near(i, reach int) []int {
	var list []int
	for o, order := range g.orders {
		place := g.places[o][i]
		list = append(list, order[max(0, place-reach):min(len(order), place+reach+1)]...)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// distance of two models: the part of their layer types that they do not share,
// from 0 to 1, and a twentieth for each doubling from one size to the other.
func distance(a, b *traits) float64 {
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
