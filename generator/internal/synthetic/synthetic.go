// Package synthetic makes catalogs of any size for benchmarks and tests: models
// that differ in shape and size, the same for the same seed.
package synthetic

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// A File is one file of a catalog, by its path below the source folder.
type File struct{ Path, Text string }

// Settings is the path of the settings, to which lines may be added.
const Settings = "content/site.yaml"

// ID is the id of the i-th template.
func ID(i int) string { return fmt.Sprintf("model-%05d", i) }

// Catalog is a catalog of n templates: graphs, a note for every second one, the
// settings, and a page of text for every hundred.
func Catalog(seed uint64, n int) []File {
	files := []File{{Settings, "title: Synthetic\ndescription: A catalog for benchmarks.\n"}}
	for i := range n {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		files = append(files, File{"templates/" + ID(i) + "/model.json", Graph(r, i)})
		if i%2 == 0 {
			files = append(files, File{"content/a/" + ID(i) + ".md", note(r, i)})
		}
		if i%100 == 0 {
			files = append(files, File{fmt.Sprintf("content/texts/page-%d.md", i/100), text(r, i)})
		}
	}
	return files
}

// Graph is the document of the i-th template: a decoder, an encoder, a
// convolutional network or a perceptron.
func Graph(r *rand.Rand, i int) string {
	makers := []struct {
		category string
		make     func(*rand.Rand, *graph)
	}{
		{"NLP/LLM", decoder},
		{"NLP/Encoder", encoder},
		{"Computer Vision/Classification", convolutional},
		{"Tabular", perceptron},
	}
	m := makers[r.IntN(len(makers))]
	var g graph
	m.make(r, &g)
	return fmt.Sprintf("{\"id\": %q, \"name\": \"Model %d\", \"description\": \"The %dth model of a catalog for benchmarks.\", \"category\": %q,\n\"components\": [\n%s]%s}\n",
		ID(i), i, i, m.category, strings.Join(g.components, ",\n"), g.blocks)
}

// graph is a document while it is written. Each component reads from the one
// before it.
type graph struct {
	components []string
	blocks     string
	last       string
}

func (g *graph) add(id, typ, params string, more ...string) {
	inputs := ""
	if g.last != "" {
		inputs = fmt.Sprintf(`, "inputs": ["%s"]`, strings.Join(append([]string{g.last}, more...), `", "`))
	}
	g.components = append(g.components, fmt.Sprintf(`  {"id": %q, "type": %q, "params": {%s}%s}`, id, typ, params, inputs))
	g.last = id
}

// stack adds a block of components, repeated, each with its residual stream.
func (g *graph) stack(repeat int, parts ...[2]string) {
	b := graph{last: "x"}
	for k, p := range parts {
		from := b.last
		b.add(fmt.Sprintf("part%d", k), p[0], p[1])
		if k%2 == 1 {
			b.add(fmt.Sprintf("add%d", k), "add", "", before(k, from))
		}
	}
	g.components = append(g.components, fmt.Sprintf(`  {"id": "layers", "block": "layer", "repeat": %d, "inputs": [%q]}`, repeat, g.last))
	g.blocks = fmt.Sprintf(",\n\"blocks\": {\"layer\": {\"inputs\": [\"x\"], \"output\": %q, \"components\": [\n%s]}}", b.last, strings.Join(b.components, ",\n"))
	g.last = "layers"
}

// before is what a residual addition skips back to: what came into the part
// before the last.
func before(k int, from string) string {
	if k == 1 {
		return "x"
	}
	return fmt.Sprintf("add%d", k-2)
}

func decoder(r *rand.Rand, g *graph) {
	heads := 2 << r.IntN(4)
	dim := heads * (32 + 16*r.IntN(7))
	vocabulary := 1000 * (1 + r.IntN(128))
	g.add("tokens", "input", fmt.Sprintf(`"shape": [1, %d]`, 64<<r.IntN(5)))
	g.add("embed", "embedding", fmt.Sprintf(`"vocabSize": %d, "embeddingDim": %d`, vocabulary, dim))
	norm := fmt.Sprintf(`"normalizedShape": %d`, dim)
	g.stack(2+r.IntN(30), [2]string{"rmsNorm", norm},
		[2]string{"groupedQueryAttention", fmt.Sprintf(`"embedDim": %d, "numHeads": %d, "numKVHeads": %d`, dim, heads, heads/2)},
		[2]string{"rmsNorm", norm},
		[2]string{"swiglu", fmt.Sprintf(`"embedDim": %d, "intermediateSize": %d`, dim, dim*(2+r.IntN(3)))})
	g.add("norm", "rmsNorm", norm)
	g.add("head", "linear", fmt.Sprintf(`"outFeatures": %d`, vocabulary))
	g.add("logits", "output", "")
}

func encoder(r *rand.Rand, g *graph) {
	heads := 2 << r.IntN(3)
	dim := heads * (16 + 16*r.IntN(5))
	g.add("tokens", "input", fmt.Sprintf(`"shape": [1, %d]`, 32<<r.IntN(5)))
	g.add("embed", "embedding", fmt.Sprintf(`"vocabSize": %d, "embeddingDim": %d`, 500*(1+r.IntN(100)), dim))
	norm := fmt.Sprintf(`"normalizedShape": %d`, dim)
	g.stack(1+r.IntN(16), [2]string{"layerNorm", norm},
		[2]string{"multiHeadAttention", fmt.Sprintf(`"embedDim": %d, "numHeads": %d`, dim, heads)},
		[2]string{"layerNorm", norm},
		[2]string{"linear", fmt.Sprintf(`"outFeatures": %d`, dim)})
	g.add("classes", "linear", fmt.Sprintf(`"outFeatures": %d`, 2+r.IntN(100)))
	g.add("scores", "output", "")
}

func convolutional(r *rand.Rand, g *graph) {
	side, channels := 32<<r.IntN(3), 8<<r.IntN(3)
	g.add("image", "input", fmt.Sprintf(`"shape": [1, 3, %d, %d]`, side, side))
	for k := range 2 + r.IntN(6) {
		g.add(fmt.Sprintf("conv%d", k), "conv2d", fmt.Sprintf(`"outChannels": %d, "kernelSize": %d, "padding": 1`, channels, 3))
		g.add(fmt.Sprintf("norm%d", k), "batchNorm2d", "")
		g.add(fmt.Sprintf("relu%d", k), "relu", "")
		if channels += 8 * r.IntN(8); k%2 == 1 {
			g.add(fmt.Sprintf("pool%d", k), "maxPool2d", `"kernelSize": 2, "stride": 2`)
		}
	}
	g.add("flat", "flatten", "")
	g.add("classes", "linear", fmt.Sprintf(`"outFeatures": %d`, 10*(1+r.IntN(100))))
	g.add("scores", "output", "")
}

func perceptron(r *rand.Rand, g *graph) {
	g.add("features", "input", fmt.Sprintf(`"shape": [1, %d]`, 8+r.IntN(500)))
	for k := range 1 + r.IntN(12) {
		g.add(fmt.Sprintf("fc%d", k), "linear", fmt.Sprintf(`"outFeatures": %d`, 8+r.IntN(1000)))
		g.add(fmt.Sprintf("act%d", k), "relu", "")
	}
	g.add("classes", "linear", fmt.Sprintf(`"outFeatures": %d`, 2+r.IntN(50)))
	g.add("scores", "output", "")
}

// note is the content file of a template; it links to the one before.
func note(r *rand.Rand, i int) string {
	link := ""
	if i > 0 {
		link = fmt.Sprintf(" See also [the model before](%s.md).", ID(i-1))
	}
	return fmt.Sprintf("---\nsummary: Model %d in one line.\ntags: [tag-%d]\n---\n\n%s%s\n", i, r.IntN(20), sentences(r, 12), link)
}

func text(r *rand.Rand, i int) string {
	return fmt.Sprintf("---\ntitle: Text %d\n---\n\n## First\n\n%s\n\n## Second\n\n%s\n", i, sentences(r, 40), sentences(r, 40))
}

// sentences are n of them, of words that mean nothing.
func sentences(r *rand.Rand, n int) string {
	words := strings.Fields("a layer maps each row of its input to another row with as many columns as weights have been learned for them")
	var b strings.Builder
	for range n {
		for k := range 8 + r.IntN(8) {
			if k > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(words[r.IntN(len(words))])
		}
		b.WriteString(". ")
	}
	return strings.TrimSpace(b.String())
}
