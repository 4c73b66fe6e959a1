package verify

import (
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/strata-catalog/strata/generator/graph"
)

// A series is layers that are drawn one by one and numbered, such as
// encoder.layer.0 to encoder.layer.11.
type series struct {
	instances []*instance
	byNumber  map[int64]*instance
}

// An instance is one of a series.
type instance struct {
	number int64
	prefix string // of the ids of its components, with a dot at the end
	parts  []part
}

// A part is a component of an instance.
type part struct {
	node int
	name string   // the rest of its id
	typ  string   // of the layer reference
	from []string // names of its operands; outside for those of other instances
}

const outside = "^"

// deepest is how many numbered steps of an id are looked at.
const deepest = 4

// series finds what is numbered, in page order. What a block repeats is equal
// as it is written, or a pattern that is meant.
func (p *Pass) series() (list []*series) {
	byName := map[string]*series{}
	for _, i := range p.Order {
		n := &p.Nodes[i]
		if n.Frame != nil || n.Type == nil {
			continue
		}
		steps := 0
		for k := 0; k < len(n.ID) && steps < deepest; k++ {
			if n.ID[k] != '.' {
				continue
			}
			stem := strings.TrimRight(n.ID[:k], "0123456789")
			number, err := graph.Integer(n.ID[len(stem):k])
			if err != nil {
				continue
			}
			steps++
			s := byName[stem]
			if s == nil {
				s = &series{byNumber: map[int64]*instance{}}
				byName[stem] = s
				list = append(list, s)
			}
			s.add(p, i, number, n.ID[:k+1])
		}
	}
	return list
}

func (s *series) add(p *Pass, i int, number int64, prefix string) {
	at := s.byNumber[number]
	if at == nil {
		at = &instance{number: number, prefix: prefix}
		s.byNumber[number] = at
		s.instances = append(s.instances, at)
	}
	n := &p.Nodes[i]
	q := part{node: i, name: n.ID[len(prefix):], typ: n.Type.Name}
	for _, in := range n.Operands {
		name, within := strings.CutPrefix(p.Nodes[in].ID, prefix)
		if !within {
			name = outside
		}
		q.from = append(q.from, name)
	}
	at.parts = append(at.parts, q)
}

// drawn writes down what some parts are, and how they follow each other.
func drawn(parts []part) string {
	rows := make([]string, len(parts))
	for k, q := range parts {
		rows[k] = q.name + " " + q.typ + " " + strings.Join(q.from, " ")
	}
	sort.Strings(rows)
	return strings.Join(rows, "\n")
}

// manyAlike is how many instances make clear what is meant, and fewOdd how many
// others may be a slip and not a pattern.
const (
	manyAlike = 4
	fewOdd    = 2
)

// oddInstance compares the instances of each series. The first and the last may
// differ from the others by design.
func oddInstance(p *Pass) {
	for _, s := range p.series() {
		if len(s.instances) <= manyAlike {
			continue
		}
		sort.Slice(s.instances, func(i, j int) bool { return s.instances[i].number < s.instances[j].number })
		alike := map[string][]*instance{}
		usual := ""
		for _, at := range s.instances {
			d := drawn(at.parts)
			alike[d] = append(alike[d], at)
			if len(alike[d]) > len(alike[usual]) {
				usual = d
			}
		}
		if n := len(alike[usual]); n < manyAlike || len(s.instances)-n > fewOdd {
			continue
		}
		for k, at := range s.instances {
			if k > 0 && k < len(s.instances)-1 && drawn(at.parts) != usual && !p.told(at) {
				p.odd(at, alike[usual][0], len(alike[usual]))
			}
		}
	}
}

// told reports whether a warning is about a part of an instance, or about what
// feeds one: it says already what is odd.
func (p *Pass) told(at *instance) bool {
	near := map[int]bool{}
	for _, q := range at.parts {
		near[q.node] = true
		for _, in := range p.Nodes[q.node].Operands {
			near[in] = true
		}
	}
	return slices.ContainsFunc(p.found, func(f found) bool { return f.Severity != Advice && near[f.node] })
}

// odd reports an instance that differs from a usual one by a norm or an
// activation that it has or lacks, or by one operand.
func (p *Pass) odd(at, usual *instance, alike int) {
	if q, ok := p.added(at, usual); ok {
		p.report(q.node, "stands in none of the %d others, which are alike", alike)
		return
	}
	if q, ok := p.added(usual, at); ok {
		p.report(at.parts[0].node, "%q lacks the %s %q that the %d others have, which are alike", strings.TrimSuffix(at.prefix, "."), q.typ, q.name, alike)
		return
	}
	if at, was, ok := otherOperand(at.parts, usual.parts); ok {
		p.report(at.node, "gets %s, where its like in each of the %d others gets %s", sources(at.from), alike, sources(was.from))
	}
}

// added is the norm or the activation without which one instance is as the
// other, if it has only that more.
func (p *Pass) added(more, fewer *instance) (extra part, ok bool) {
	if len(more.parts) != len(fewer.parts)+1 {
		return extra, false
	}
	names := map[string]bool{}
	for _, q := range fewer.parts {
		names[q.name] = true
	}
	for _, q := range more.parts {
		switch {
		case names[q.name]:
		case ok || !p.flow().is(q.node, normalises|activates) || len(q.from) != 1:
			return extra, false
		default:
			extra, ok = q, true
		}
	}
	return extra, ok && drawn(bypassing(more.parts, extra)) == drawn(fewer.parts)
}

// bypassing is some parts without one of them, whose operand takes its place.
func bypassing(parts []part, gone part) (rest []part) {
	for _, q := range parts {
		if q.node == gone.node {
			continue
		}
		q.from = slices.Clone(q.from)
		for j := range q.from {
			if q.from[j] == gone.name {
				q.from[j] = gone.from[0]
			}
		}
		rest = append(rest, q)
	}
	return rest
}

// otherOperand is the one part that differs from its like, by one operand alone.
func otherOperand(parts, usual []part) (odd, was part, ok bool) {
	if len(parts) != len(usual) {
		return odd, was, false
	}
	byName := map[string]part{}
	for _, q := range usual {
		byName[q.name] = q
	}
	for _, q := range parts {
		like, there := byName[q.name]
		switch {
		case !there || like.typ != q.typ || len(like.from) != len(q.from):
			return odd, was, false
		case slices.Equal(like.from, q.from):
		case ok:
			return odd, was, false
		default:
			odd, was, ok = q, like, true
		}
	}
	differ := 0
	for k := range odd.from {
		if odd.from[k] != was.from[k] {
			differ++
		}
	}
	return odd, was, differ == 1
}

// sources names operands for a message.
func sources(from []string) string {
	names := make([]string, len(from))
	for k, name := range from {
		names[k] = "what is outside"
		if name != outside {
			names[k] = strconv.Quote(name)
		}
	}
	return strings.Join(names, " and ")
}
