package cost

import (
	"math/big"

	"github.com/strata-catalog/strata/generator/infer"
	"github.com/strata-catalog/strata/generator/layer"
)

// A Cache is what a model keeps of its sequences while it generates: keys and
// values of causal attention, the state of recurrent and state-space layers,
// and the keys and values of an encoder's result. An encoder keeps nothing.
type Cache struct {
	DType         string   `json:"dtype" doc:"number format of cached keys and values"`
	Batch         int64    `json:"batch" doc:"sequences"`
	Context       int64    `json:"context" doc:"tokens of each sequence"`
	TokenBytes    *big.Int `json:"token_bytes" doc:"what the next token adds to one sequence while no window is full"`
	FixedBytes    *big.Int `json:"fixed_bytes" doc:"what a sequence takes whatever its length"`
	LeastBytes    *big.Int `json:"least_bytes" doc:"the least that must be kept: windows stop growing when they are full"`
	ReservedBytes *big.Int `json:"reserved_bytes" doc:"what an engine takes that ignores windows and gives out the cache in whole blocks"`
}

// held is what one layer keeps of one sequence, in elements.
type held struct {
	token  int64 // for each token
	window int64 // tokens in reach, 0: all
	fixed  int64 // tokens that are there from the start: an encoder's
	state  int64 // whatever the length
}

// holds lists what each layer keeps, by node: the layers that work on every
// token that is generated.
func holds(m *infer.Model) []held {
	list := make([]held, len(m.Nodes))
	fed := stream(m)
	for _, i := range m.Order {
		n := &m.Nodes[i]
		r := n.Result
		switch {
		case !fed[i]:
		case n.CrossAttends():
			if length := contextLength(r); length > 0 {
				list[i] = held{token: r.Attn.KVElems, fixed: length}
			}
		case keeps(n):
			list[i].state = r.State
			if r.Attn != nil && r.Attn.Causal {
				list[i].token, list[i].window = r.Attn.KVElems, r.Attn.Window
			}
		}
	}
	return list
}

// contextLength is the number of tokens in the second operand of a
// cross-attention, 0 when it is not known.
func contextLength(r *layer.Result) int64 {
	if len(r.In) < 2 || !r.In[1].Known() {
		return 0
	}
	n, _ := r.In[1].AsSequence().Positions().Elems()
	return n
}

// growing is what one more token adds, before a window is full.
func (h held) growing(d DType) *big.Int {
	if h.fixed > 0 {
		return new(big.Int)
	}
	return d.bytes(big.NewInt(h.token))
}

// at is the size of what is kept of the given number of tokens.
func (h held) at(tokens int64, d DType) *big.Int {
	n := big.NewInt(h.token)
	return d.bytes(n.Mul(n, big.NewInt(tokens)))
}

// blocks rounds a number of tokens up to whole blocks.
func blocks(tokens, block int64) int64 {
	return (tokens + block - 1) / block * block
}

// cacheOf adds up what the layers keep at the given number of tokens. Each
// layer's share is rounded up to whole bytes.
func cacheOf(list []held, d DType, a Assumptions) *Cache {
	c := &Cache{
		DType: d.Name, Batch: a.Batch, Context: a.Context,
		TokenBytes: new(big.Int), FixedBytes: new(big.Int), LeastBytes: new(big.Int), ReservedBytes: new(big.Int),
	}
	state, _ := LookupDType(a.StateDType)
	for h, n := range counted(list) {
		times := func(b *big.Int) *big.Int { return b.Mul(b, big.NewInt(n)) }
		if h.state > 0 {
			c.FixedBytes.Add(c.FixedBytes, times(state.bytes(big.NewInt(h.state))))
		}
		if h.fixed > 0 {
			c.FixedBytes.Add(c.FixedBytes, times(h.at(h.fixed, d)))
			continue
		}
		least := a.Context
		if h.window > 0 {
			least = min(least, h.window)
		}
		c.TokenBytes.Add(c.TokenBytes, times(h.growing(d)))
		c.LeastBytes.Add(c.LeastBytes, times(h.at(least, d)))
		c.ReservedBytes.Add(c.ReservedBytes, times(h.at(blocks(a.Context, a.CacheBlock), d)))
	}
	batch := big.NewInt(a.Batch)
	for _, sum := range []*big.Int{c.LeastBytes, c.ReservedBytes} {
		sum.Add(sum, c.FixedBytes).Mul(sum, batch)
	}
	return c
}

// counted is how many layers keep the same. Sums do not depend on the order in
// which a map is walked.
func counted(list []held) map[held]int64 {
	m := map[held]int64{}
	for _, h := range list {
		if h != (held{}) {
			m[h]++
		}
	}
	return m
}
