package expand

import (
	"container/heap"
	"fmt"
	"sort"
	"strings"
)

// order finds the order that pages use: the declared one where it is
// topological, else the topological one that picks the smallest declared index
// among those that are ready. A cycle becomes a fault.
func (g *Graph) order() {
	declared := true
	for i := range g.Nodes {
		for _, in := range g.Nodes[i].Inputs {
			declared = declared && in < i
		}
	}
	g.Order = make([]int, 0, len(g.Nodes))
	if declared {
		for i := range g.Nodes {
			g.Order = append(g.Order, i)
		}
		return
	}
	g.Order = g.kahn(&smallest{})
	if len(g.Order) < len(g.Nodes) {
		g.cycle()
		g.Order = nil
	}
}

// FIFO is Kahn's first-in-first-out topological order, sources in declared
// order, consumers in declared order: the order that diffs align.
func (g *Graph) FIFO() []int { return g.kahn(&queue{}) }

// ready holds the nodes whose inputs are all placed.
type ready interface {
	push(int)
	pop() int
	size() int
}

func (g *Graph) kahn(r ready) []int {
	n := len(g.Nodes)
	waits := make([]int, n)
	start := make([]int, n+1) // consumers of node i are out[start[i]:start[i+1]]
	for i := range g.Nodes {
		waits[i] = len(g.Nodes[i].Inputs)
		for _, in := range g.Nodes[i].Inputs {
			start[in+1]++
		}
	}
	for i := range n {
		start[i+1] += start[i]
	}
	out := make([]int, start[n])
	fill := append([]int(nil), start[:n]...)
	for i := range g.Nodes {
		for _, in := range g.Nodes[i].Inputs {
			out[fill[in]] = i
			fill[in]++
		}
	}
	for i, w := range waits {
		if w == 0 {
			r.push(i)
		}
	}
	order := make([]int, 0, n)
	for r.size() > 0 {
		i := r.pop()
		order = append(order, i)
		for _, to := range out[start[i]:start[i+1]] {
			if waits[to]--; waits[to] == 0 {
				r.push(to)
			}
		}
	}
	return order
}

// cycle reports one cycle, id by id, in the direction of the data.
func (g *Graph) cycle() {
	placed := make([]bool, len(g.Nodes))
	for _, i := range g.Order {
		placed[i] = true
	}
	at := 0
	for placed[at] {
		at++
	}
	// Every node that is left waits for another that is left: walking back
	// must come round.
	seen := map[int]int{}
	var path []int
	for {
		if from, again := seen[at]; again {
			path = path[from:]
			break
		}
		seen[at] = len(path)
		path = append(path, at)
		for _, in := range g.Nodes[at].Inputs {
			if !placed[in] {
				at = in
				break
			}
		}
	}
	ids := make([]string, len(path))
	first := 0
	for k, i := range path {
		ids[len(path)-1-k] = g.Nodes[i].ID
		if i < path[first] {
			first = k
		}
	}
	// Start with the one declared first, so that the message does not depend
	// on where the walk began.
	turn := len(path) - 1 - first
	ids = append(append([]string(nil), ids[turn:]...), ids[:turn]...)
	shown := append(append([]string(nil), ids...), ids[0])
	if len(shown) > 12 {
		shown = append(append(append([]string(nil), shown[:6]...), fmt.Sprintf("… %d more …", len(ids)-10)), shown[len(shown)-5:]...)
	}
	g.Faults = append(g.Faults, Fault{
		Rule: Cycle, Nodes: ids, Pos: g.Nodes[path[first]].Component.Pos,
		Message: "the edges form a cycle: " + strings.Join(shown, " → "),
		Fix:     "remove one of these edges",
	})
}

type queue struct {
	list []int
	head int
}

func (q *queue) push(i int) { q.list = append(q.list, i) }
func (q *queue) pop() int   { q.head++; return q.list[q.head-1] }
func (q *queue) size() int  { return len(q.list) - q.head }

type smallest struct{ ints sort.IntSlice }

func (s *smallest) push(i int) { heap.Push((*intHeap)(s), i) }
func (s *smallest) pop() int   { return heap.Pop((*intHeap)(s)).(int) }
func (s *smallest) size() int  { return len(s.ints) }

type intHeap smallest

func (h *intHeap) Len() int           { return len(h.ints) }
func (h *intHeap) Less(i, j int) bool { return h.ints[i] < h.ints[j] }
func (h *intHeap) Swap(i, j int)      { h.ints.Swap(i, j) }
func (h *intHeap) Push(v any)         { h.ints = append(h.ints, v.(int)) }
func (h *intHeap) Pop() any {
	v := h.ints[len(h.ints)-1]
	h.ints = h.ints[:len(h.ints)-1]
	return v
}
