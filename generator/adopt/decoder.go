package adopt

import (
	"fmt"
	"slices"
	"strings"

	"github.com/strata-catalog/strata/generator/graph"
)

// A variant is what may set the layers of one stack apart.
type variant struct {
	sliding   bool // attention sees a window only
	chunked   bool // attention sees a chunk only
	recurrent bool // a state space takes the place of attention
	sparse    bool // a mixture of experts takes the place of the network
	unplaced  bool // attention is told no positions
	first     bool // it is the first layer, which differs
}

// A decoder is what the decoders of all families have in common. Names are
// those of the checkpoint.
type decoder struct {
	c                                    *config
	vocab, width, context, layers, heads int64
	headDim                              int64

	embed, stack, final, head string // modules; final is empty where there is no last norm
	norm                      norm
	last                      norm   // the last one, where it is made differently
	embedNorm                 string // the norm behind the embedding, "" for none
	table                     int64  // width of the embedding, where it is not that of the model
	project                   [2]string
	embedScale                float64
	headBias                  bool
	headScale, logitScale     float64 // constant factors before and behind the head, 0 for none
	logitCap                  float64 // bound of the logits, 0 for none

	positions string // the module of learned positions, and
	rows      int64  // how many there are, of which
	skipped   int64  // the first are for no position
	sides     []side // rotary embeddings or linear biases

	image  int64                 // tokens of an image before those of a text, and
	prefix int64                 // tokens at the beginning that see each other
	images func(s *sheet) string // what appends them; nil for none
	behind func(s *sheet)        // appends what else comes of an image; nil for nothing

	of    func(i int64) variant // of layer i; nil: all are alike
	layer func(v variant) residual
}

// A side is a side input of attention.
type side struct {
	id, typ string
	p       params
	of      func(v variant) bool // the layers it feeds; nil for all
}

// document builds the graph document of a decoder with its head.
func (d *decoder) document() *graph.Document {
	var s sheet
	x := s.add("input_ids", "input", params{"shape", []int64{1, d.context - d.image}})
	table := d.width
	if d.table > 0 {
		table = d.table
	}
	x = s.add(d.embed, "embedding", params{"numEmbeddings", d.vocab, "embeddingDim", table, "scale", d.embedScale}, x)
	if table != d.width {
		x = s.add(d.project[0], "linear", params{"outFeatures", d.width, "bias", false}, x)
	}
	if d.images != nil {
		x = s.add("inputs_embeds", "concatenate", params{"dim", 1}, d.images(&s), x)
	}
	if d.positions != "" {
		x = s.add(d.positions, "learnedPositionalEmbedding", params{"maxLen", d.rows, "offset", d.skipped}, x)
	}
	if d.embedNorm != "" {
		x = d.norm.add(&s, d.embedNorm, x)
	}
	x, blocks := d.stacked(&s, x)
	if d.final != "" {
		last := d.last
		if last.typ == "" {
			last = d.norm
		}
		x = last.add(&s, d.final, x)
	}
	if table != d.width {
		x = s.add(d.project[1], "linear", params{"outFeatures", table, "bias", false}, x)
	}
	tied := ""
	if d.c.flag("tie_word_embeddings") {
		tied = d.embed
	}
	x = times(&s, "head_scale", d.headScale, x)
	x = s.add(d.head, "linear", params{"outFeatures", d.vocab, "bias", d.headBias, "tiedTo", tied}, x)
	x = times(&s, "logits_scale", d.logitScale, x)
	if d.logitCap != 0 {
		x = s.add("logits_softcap", "softcap", params{"cap", d.logitCap}, x)
	}
	s.add("logits", "output", nil, x)
	if d.behind != nil {
		d.behind(&s)
	}
	return &graph.Document{
		Source: d.c.src, ID: d.c.id, Name: d.c.id, Category: "NLP/LLM", Components: s.list, Blocks: blocks,
		Tags:        []string{"decoder"},
		Description: fmt.Sprintf("%s: decoder of %d layers, %d wide, with %d attention heads", d.c.family.Name, d.layers, d.width, d.heads),
	}
}

// stacked appends the side inputs and the layers, and returns the last of them
// and the blocks they are.
func (d *decoder) stacked(s *sheet, x string) (string, []graph.Block) {
	inputs := []string{x}
	d.sides = d.feeding()
	for _, side := range d.sides {
		inputs = append(inputs, s.add(side.id, side.typ, side.p))
	}
	pattern, blocks := d.blocks()
	return s.repeat(d.stack, pattern, d.layers, inputs...), blocks
}

// blocks makes a block of each variant that occurs, and the pattern they
// alternate in: as few names as repeat to all layers.
func (d *decoder) blocks() (pattern []string, blocks []graph.Block) {
	if d.of == nil {
		return []string{"decoder"}, []graph.Block{d.block("decoder", d.variant(0))}
	}
	var kinds []variant
	all := make([]variant, d.layers)
	for i := range all {
		all[i] = d.of(int64(i))
		if !slices.Contains(kinds, all[i]) {
			kinds = append(kinds, all[i])
		}
	}
	for _, v := range kinds {
		blocks = append(blocks, d.block(called(v, kinds), v))
	}
	for _, v := range all[:period(all)] {
		pattern = append(pattern, called(v, kinds))
	}
	return pattern, blocks
}

func (d *decoder) variant(i int64) variant {
	if d.of == nil {
		return variant{}
	}
	return d.of(i)
}

// feeding are the side inputs that some layer takes.
func (d *decoder) feeding() []side {
	return slices.DeleteFunc(d.sides, func(side side) bool {
		for i := range d.layers {
			if v := d.variant(i); !v.unplaced && (side.of == nil || side.of(v)) {
				return false
			}
		}
		return true
	})
}

// period is the length of the shortest beginning that repeats to the whole.
func period(all []variant) int {
	for n := 1; n < len(all); n++ {
		if slices.Equal(all[n:], all[:len(all)-n]) {
			return n
		}
	}
	return len(all)
}

// called names a variant by what sets it apart from the others.
func called(v variant, among []variant) string {
	var words []string
	tell := func(of func(variant) bool, yes, no string) {
		if !slices.ContainsFunc(among, func(o variant) bool { return of(o) != of(v) }) {
			return
		}
		word := no
		if of(v) {
			word = yes
		}
		if word != "" {
			words = append(words, word)
		}
	}
	tell(func(v variant) bool { return v.first }, "first", "")
	tell(func(v variant) bool { return v.sliding }, "sliding", "full")
	tell(func(v variant) bool { return v.chunked }, "chunked", "full")
	tell(func(v variant) bool { return v.recurrent }, "mamba", "attention")
	tell(func(v variant) bool { return v.sparse }, "sparse", "dense")
	tell(func(v variant) bool { return v.unplaced }, "unplaced", "placed")
	if len(words) == 0 {
		return "decoder"
	}
	return strings.Join(words, "_")
}

// block is one layer.
func (d *decoder) block(name string, v variant) graph.Block {
	b := graph.Block{Name: name, Inputs: []string{"x"}}
	fed := ""
	for _, side := range d.sides {
		// The module's own name, without those above it.
		in := side.id[strings.LastIndexByte(side.id, '.')+1:]
		b.Inputs = append(b.Inputs, in)
		if !v.unplaced && (side.of == nil || side.of(v)) {
			fed = in
		}
	}
	var s sheet
	b.Output = d.layer(v).fill(&s, "x", fed)
	b.Components = s.list
	return b
}

// names are new names for the roles of a layer's tensors: a role, its name, and
// so on.
func names(pairs ...string) map[string]string {
	m := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i]] = pairs[i+1]
	}
	return m
}
