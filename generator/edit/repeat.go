package edit

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/strata-catalog/strata/generator/graph"
	"github.com/strata-catalog/strata/generator/infer"
)

// Duplicate copies components behind themselves.
type Duplicate struct {
	Place
	Through string `json:"through,omitempty" kind:"component" doc:"last component of the run to copy, from component on in the order of the list; component alone where this is left out"`
	ID      string `json:"id,omitempty" kind:"text" doc:"id of the copy of a single component; counted on where this is left out"`
	Own     bool   `json:"own,omitempty" kind:"flag" doc:"copy the block as well, so that the copy can be changed alone"`
}

func (c *Duplicate) draft(d *draft) (string, error) {
	s, k, err := d.find(c.In, c.Component)
	if err != nil {
		return "", err
	}
	end := k
	if c.Through != "" {
		in, j, err := d.find(s.name(), c.Through)
		if err != nil {
			return "", err
		}
		if in != s || j < k {
			return "", fmt.Errorf("%q does not stand behind %q in one list", c.Through, s.list[k].ID)
		}
		end = j
	}
	part := make([]int, 0, end-k+1)
	for j := k; j <= end; j++ {
		part = append(part, j)
	}
	ids := s.newIDs(part)
	if c.ID != "" {
		if len(part) > 1 {
			return "", fmt.Errorf("one id cannot name the copies of %d components; leave id out", len(part))
		}
		if err := s.free(c.ID); err != nil {
			return "", err
		}
		ids = map[string]string{s.list[k].ID: c.ID}
	}
	exit, err := s.exit(part)
	if err != nil {
		return "", err
	}
	// What the first of them reads from outside is read from the last instead,
	// as the instances of a block are chained; everything else stays.
	entry := ""
	for _, from := range s.operands(k) {
		if ids[from] == "" {
			entry = from
			break
		}
	}
	sources := map[string]string{}
	if exit != "" && entry != "" {
		sources[entry] = exit
		s.redirect(exit, ids[exit], part...)
	}
	copies := s.copies(part, ids, func(from string) string {
		if to, ok := sources[from]; ok {
			return to
		}
		return from
	})
	if c.Own {
		if err := d.own(&s.list[k], copies); err != nil {
			return "", err
		}
	}
	for i := range copies {
		s.added = append(s.added, addition{end + 1, copies[i]})
	}
	what := fmt.Sprintf("%q", s.list[k].ID)
	if len(part) > 1 {
		what = fmt.Sprintf("%d components from %s to %q", len(part), what, s.list[end].ID)
	}
	return fmt.Sprintf("duplicated %s as %q%s", what, ids[s.list[k].ID], s.where()), nil
}

// exit is the component of a part that is read from outside, "" when there is
// none.
func (s *scope) exit(part []int) (exit string, err error) {
	for _, k := range part {
		id := s.list[k].ID
		outside := s.block != nil && s.output == id
		for j := range s.list {
			outside = outside || !slices.Contains(part, j) && slices.Contains(s.operands(j), id)
		}
		switch {
		case outside && exit != "":
			return "", fmt.Errorf("both %q and %q are read from outside of what is to be copied; copy one of them at a time, or a run of components that ends in one result", exit, id)
		case outside:
			exit = id
		}
	}
	return exit, nil
}

// newIDs are free ids for the copies of some components. A number that they all
// have in their paths, as in layers.11.attn, is counted on.
func (s *scope) newIDs(part []int) map[string]string {
	ids := map[string]string{}
	taken := map[string]bool{}
	first := s.list[part[0]].ID
	if stem, n, ok := step(first); ok && len(part) > 1 {
		old := stem + strconv.Itoa(n)
		inside := func(k int) bool { return strings.HasPrefix(s.list[k].ID, old+".") }
		if !slices.ContainsFunc(part, func(k int) bool { return !inside(k) }) {
			free := func(n int) bool {
				return !slices.ContainsFunc(s.list, func(c graph.Component) bool { return strings.HasPrefix(c.ID, stem+strconv.Itoa(n)+".") })
			}
			for n++; !free(n); n++ {
			}
			for _, k := range part {
				ids[s.list[k].ID] = stem + strconv.Itoa(n) + strings.TrimPrefix(s.list[k].ID, old)
			}
			return ids
		}
	}
	for _, k := range part {
		id := s.next(s.list[k].ID, taken)
		taken[id] = true
		ids[s.list[k].ID] = id
	}
	return ids
}

// step cuts a path before its first step that is a number.
func step(id string) (stem string, n int, ok bool) {
	steps := strings.Split(id, ".")
	for i, part := range steps[:len(steps)-1] {
		if n, err := strconv.Atoi(part); err == nil && i > 0 {
			return strings.Join(steps[:i], ".") + ".", n, true
		}
	}
	return "", 0, false
}

// copies are some components under new ids. What they read of each other is
// copied too; everything else goes through outside.
func (s *scope) copies(part []int, ids map[string]string, outside func(string) string) []graph.Component {
	list := make([]graph.Component, len(part))
	for i, k := range part {
		c := s.list[k]
		if c.Name == c.ID {
			c.Name = ""
		}
		c.ID = ids[c.ID]
		c.Inputs = nil
		for _, from := range s.operands(k) {
			to, ok := ids[from]
			if !ok {
				to = outside(from)
			}
			c.Inputs = append(c.Inputs, graph.Ref{ID: to})
		}
		if to, ok := ids[c.SharedWith.ID]; ok {
			c.SharedWith.ID = to
		}
		c.Params = slices.Clone(c.Params)
		for j, p := range c.Params {
			if name, err := strconv.Unquote(p.Value); p.Name == "tiedTo" && err == nil && ids[name] != "" {
				c.Params[j].Value = graph.Quote(ids[name])
			}
		}
		list[i] = c
	}
	return list
}

// own gives the copy of a use of a block a block of its own.
func (d *draft) own(c *graph.Component, copies []graph.Component) error {
	switch {
	case len(copies) > 1 || !c.IsBlock():
		return fmt.Errorf("own is for a single use of a block; %q is a layer, or more is copied than it", c.ID)
	case c.Block == "":
		return fmt.Errorf("%q cycles through %s; own is for a use of one block", c.ID, strings.Join(c.Pattern, ", "))
	}
	s, err := d.scope(c.Block)
	if err != nil {
		return err
	}
	name := c.Block
	for n := 2; ; n++ {
		name = fmt.Sprintf("%s_%d", c.Block, n)
		if !slices.ContainsFunc(d.doc.Blocks, func(b graph.Block) bool { return b.Name == name }) {
			break
		}
	}
	copies[0].Block = name
	text := d.doc.Source.Text
	start, end, err := graph.Find(text, s.path)
	if err != nil {
		return err
	}
	d.more = append(d.more, graph.Add("/blocks/"+graph.EscapeStep(name), text[start:end]))
	return nil
}

// Repeat changes how often something repeats.
type Repeat struct {
	Place
	Count int `json:"count" kind:"number" doc:"instances from now on"`
}

func (c *Repeat) draft(d *draft) (string, error) {
	s, k, err := d.find(c.In, c.Component)
	if err != nil {
		return "", err
	}
	if c.Count < 1 || c.Count > graph.MaxRepeat {
		return "", fmt.Errorf("count is %d, expected 1 to %d", c.Count, graph.MaxRepeat)
	}
	n := &s.list[k]
	if !n.IsBlock() {
		return d.flatRepeat(s, k, c.Count)
	}
	was := max(int(n.Repeat), 1)
	s.set = append(s.set, graph.Add(s.at(k)+"/repeat", strconv.Itoa(c.Count)))
	for _, e := range n.Each {
		path := s.at(k) + "/each/" + graph.EscapeStep(e.Name) + "/"
		for i := was; i < c.Count; i++ { // further instances are like the last
			s.set = append(s.set, graph.Add(path+"-", e.Values[was-1].Value))
		}
		for i := was - 1; i >= c.Count; i-- {
			s.set = append(s.set, graph.Remove(path+strconv.Itoa(i)))
		}
	}
	return fmt.Sprintf("%q%s repeats %d times, %d before", n.ID, s.where(), c.Count, was), nil
}

// flatRepeat changes how often layers repeat that a flat document lists one by
// one: those of the last instance are copied, or taken out.
func (d *draft) flatRepeat(s *scope, k, count int) (string, error) {
	id := s.list[k].ID
	if s.block != nil {
		return "", fmt.Errorf("%q is a layer of block %q; name the component that uses the block", id, s.name())
	}
	m := d.report.Model
	at := slices.IndexFunc(m.Order, func(i int) bool { return m.Nodes[i].ID == id })
	var run *infer.Run
	for i := range m.Runs {
		if r := &m.Runs[i]; at >= r.Start && at < r.End() {
			run = r
		}
	}
	if at < 0 || run == nil {
		return "", fmt.Errorf("%q does not repeat; copy it with duplicate", id)
	}
	// place is where a component stands: its instance, and its place in that.
	type place struct{ instance, at int }
	places := map[string]place{}
	list := make([][]int, run.Count) // components by instance
	for p := run.Start; p < run.End(); p++ {
		id := m.Nodes[m.Order[p]].ID
		q := place{(p - run.Start) / run.Period, (p - run.Start) % run.Period}
		places[id] = q
		list[q.instance] = append(list[q.instance], s.index[id])
	}
	last := run.Count - 1
	ids := [][]string{} // by instance and place
	for _, part := range list {
		of := make([]string, run.Period)
		for j, k := range part {
			of[j] = s.list[k].ID
		}
		ids = append(ids, of)
	}
	for i := run.Count; i < count; i++ {
		ids = append(ids, s.counted(ids[i-2], ids[i-1]))
	}
	var inside []int
	for _, part := range list {
		inside = append(inside, part...)
	}
	for i := count; i < run.Count; i++ {
		for _, k := range list[i] {
			s.gone[k] = true
		}
	}
	for i := count; i < run.Count; i++ {
		for _, k := range list[i] {
			if err := s.unnamed(s.list[k].ID); err != nil {
				return "", err
			}
		}
	}
	for j, id := range ids[last] { // readers behind the last instance
		s.redirect(id, ids[count-1][j], inside...)
	}
	end := slices.Max(list[last]) + 1
	part := slices.Sorted(slices.Values(list[last]))
	for i := run.Count; i < count; i++ {
		to := map[string]string{}
		for j, id := range ids[last] {
			to[id] = ids[i][j]
		}
		for _, c := range s.copies(part, to, func(from string) string {
			if q, ok := places[from]; ok { // of an instance before
				return ids[i-(last-q.instance)][q.at]
			}
			return from
		}) {
			s.added = append(s.added, addition{end, c})
		}
	}
	return fmt.Sprintf("the %d components from %q on repeat %d times, %d before", run.Period, ids[0][0], count, run.Count), nil
}

// counted are the ids of the instance after two others: numbers go on as they
// did from the one to the other.
func (s *scope) counted(before, last []string) []string {
	ids := make([]string, len(last))
	taken := map[string]bool{}
	for j := range last {
		a, b := digits(before[j]), digits(last[j])
		id := last[j]
		if len(a) == len(b) {
			for i := range b {
				x, err1 := strconv.Atoi(a[i])
				y, err2 := strconv.Atoi(b[i])
				if err1 == nil && err2 == nil {
					b[i] = strconv.Itoa(2*y - x)
				}
			}
			id = strings.Join(b, "")
		}
		if id == last[j] || s.free(id) != nil || taken[id] || strings.Contains(id, "-") {
			id = s.next(last[j], taken)
		}
		taken[id] = true
		ids[j] = id
	}
	return ids
}

// digits cuts an id into runs of digits and what stands between them.
func digits(id string) (parts []string) {
	is := func(i int) bool { return '0' <= id[i] && id[i] <= '9' }
	start := 0
	for i := 1; i <= len(id); i++ {
		if i == len(id) || is(i) != is(i-1) {
			parts = append(parts, id[start:i])
			start = i
		}
	}
	return parts
}
