package layer

import (
	"fmt"

	"github.com/strata-catalog/strata/generator/shape"
)

var embeddings = []*Type{
	declare(Type{
		Name: "embedding", Display: "Embedding", Part: Embedding, Ports: optional, Source: true,
		Also: []string{"embed", "embeddingLayer", "embeddingTable", "tokenEmbedding", "wordEmbedding", "wte"},
		Doc: Doc{
			Summary: "Looks up a learned row for each id.",
			Shape:   "the width is put behind the axes of the ids; a declared width at the end of three axes or more is dropped first; without an input, the whole table [numEmbeddings, embeddingDim]",
			Weights: "weight [numEmbeddings, embeddingDim]; shared with tiedTo or tied",
			Work:    "none; a look-up multiplies nothing",
			Source:  "https://pytorch.org/docs/stable/generated/torch.nn.Embedding.html",
			Examples: []Example{
				{Params: `{"numEmbeddings": 32064, "embeddingDim": 3072}`, In: []shape.Shape{{1, 2048}}, IDs: true},
				{Params: `{"numEmbeddings": 1000, "embeddingDim": 64}`, In: []shape.Shape{{50}}, IDs: true},
				{Params: `{"numEmbeddings": 32000, "embeddingDim": 4096}`, In: []shape.Shape{{1, 2048, 4096}}, IDs: true},
				{Params: `{"numEmbeddings": 32, "embeddingDim": 768}`},
				{Params: `{"numEmbeddings": 32000, "embeddingDim": 4096}`, In: []shape.Shape{{1, 2048, 4096}}},
			},
		},
	}, embedding{Scale: 1}),
	declare(Type{
		Name: "embeddingBag", Display: "EmbeddingBag", Part: Embedding, Ports: unary,
		Doc: Doc{
			Summary: "Looks up a bag of rows for each field and reduces it to one row.",
			Shape:   "one row per field: the width is put behind the axes of the fields",
			Weights: "weight [numEmbeddings, embeddingDim]",
			Work:    elementWork,
			Source:  "https://pytorch.org/docs/stable/generated/torch.nn.EmbeddingBag.html",
			Examples: []Example{
				{Params: `{"numEmbeddings": 1000000, "embeddingDim": 64, "mode": "sum"}`, In: []shape.Shape{{26}}, IDs: true},
				{Params: `{"numEmbeddings": 1000000, "embeddingDim": 64, "mode": "median"}`, In: []shape.Shape{{26}}, IDs: true},
			},
		},
	}, embeddingBag{Mode: "mean"}),
	declare(Type{
		Name: "learnedPositionalEmbedding", Display: "Learned Positional Embedding", Part: Embedding, Ports: unary, Position: true,
		Also: []string{"learnedPositionEmbedding", "positionEmbedding", "positionalEmbedding", "wpe"},
		Doc: Doc{
			Summary: "Adds a learned row for each position.",
			Shape:   "the shape of its input; ids get the rows of their positions",
			Weights: "weight [maxLen, embedDim]",
			Work:    elementWork,
			Source:  "https://arxiv.org/abs/1705.03122",
			Examples: []Example{
				{Params: `{"maxLen": 1024, "embedDim": 768}`, In: []shape.Shape{{1, 512, 768}}},
				{Params: `{"maxLen": 514, "offset": 2}`, In: []shape.Shape{{1, 512, 768}}},
				{Params: `{"maxLen": 514, "offset": 2}`, In: []shape.Shape{{1, 513, 768}}},
				{Params: `{"maxLen": 512, "embedDim": 768}`, In: []shape.Shape{{1, 1024, 768}}},
			},
		},
	}, learnedPositionalEmbedding{}),
	declare(Type{
		Name: "positionalEncoding", Display: "Positional Encoding", Part: Embedding, Ports: unary, Position: true,
		Also: []string{"positionEncoding", "sinusoidalEmbedding", "sinusoidalEncoding", "sinusoidalPositionalEncoding", "sinusoidalPositionEmbedding"},
		Doc: Doc{
			Summary: "Adds a row of sines and cosines, or a learned one, for each position.",
			Shape:   "the shape of its input; ids get the rows of their positions",
			Weights: "learned: weight [maxLen, embedDim]; else none",
			Work:    elementWork,
			Source:  "https://arxiv.org/abs/1706.03762",
			Examples: []Example{
				{Params: `{"maxLen": 200, "embedDim": 256}`, In: []shape.Shape{{1, 200, 256}}},
				{Params: `{"maxLen": 196, "learned": true}`, In: []shape.Shape{{1, 196, 768}}},
				{Params: `{"maxLen": 50, "dModel": 64}`, In: []shape.Shape{{1, 51, 64}}},
			},
		},
	}, positionalEncoding{}),
	declare(Type{
		Name: "timestepEmbedding", Display: "Timestep Embedding", Part: Embedding, Ports: unary,
		Also: []string{"timesteps", "timestepEmbed", "sinusoidalTimestepEmbedding", "fourierTimeEmbedding"},
		Doc: Doc{
			Summary: "Turns each number, such as the step of a diffusion, into cosines and sines of its products with a geometric series of frequencies.",
			Shape:   "dim is put behind the axes of the numbers",
			Work:    elementWork,
			Source:  "https://arxiv.org/abs/2006.11239",
			Examples: []Example{
				{Params: `{"dim": 320}`, In: []shape.Shape{{1}}},
				{Params: `{"dim": 256}`, In: []shape.Shape{{1, 6}}},
				{Params: `{"dim": 255}`, In: []shape.Shape{{1}}},
				{Params: `{"dim": 1}`, In: []shape.Shape{{1}}},
			},
		},
	}, timestepEmbedding{MaxPeriod: 10000}),
	declare(Type{
		Name: "segmentEmbedding", Display: "Segment Embedding", Part: Embedding, Ports: unary,
		Also: []string{"tokenTypeEmbedding"},
		Doc: Doc{
			Summary: "Adds a learned row for the segment that a token belongs to, as BERT does.",
			Shape:   "the shape of its input; ids get the rows of their segments",
			Weights: "weight [numSegments, embedDim]",
			Work:    elementWork,
			Source:  "https://arxiv.org/abs/1810.04805",
			Examples: []Example{
				{Params: `{"embedDim": 768}`, In: []shape.Shape{{1, 512, 768}}},
				{Params: `{"embedDim": 512}`, In: []shape.Shape{{1, 512, 768}}},
			},
		},
	}, segmentEmbedding{NumSegments: 2}),
	declare(Type{
		Name: "patchEmbed", Display: "Patch Embedding", Part: Embedding, Ports: unary,
		Also: []string{"patchEmbedding", "patchEmbeddings"},
		Doc: Doc{
			Summary: "Cuts an image into patches and projects each to a token.",
			Shape:   "[batch, patches, embedDim], without the batch axis for an image of rank 3; a class token is one position more",
			Weights: "proj.weight [embedDim, channels, h, w], or [embedDim, channels · h · w] where flat, and proj.bias; cls_token [1, 1, embedDim] and pos_embed [1, positions, embedDim] where asked",
			Work:    "batch · patches · embedDim · inChans · h · w, for patches of h × w pixels; class token and positions are not counted",
			Source:  "https://arxiv.org/abs/2010.11929",
			Examples: []Example{
				{Params: `{"imgSize": 224, "patchSize": 16, "embedDim": 768, "clsToken": true, "posEmbed": true}`, In: []shape.Shape{{1, 3, 224, 224}}},
				{Params: `{"patchSize": [2, 4], "embedDim": 96}`, In: []shape.Shape{{4, 32, 32}}},
				{Params: `{"patchSize": 14, "embedDim": 1408, "bias": false, "flat": true, "names": {"proj": "linear"}}`, In: []shape.Shape{{1, 3, 336, 336}}},
				{Params: `{"imgSize": 224, "patchSize": 14, "embedDim": 1024}`, In: []shape.Shape{{1, 3, 230, 230}}},
			},
		},
	}, patchEmbed{Bias: true}),
	declare(Type{
		Name: "fourierPositions", Display: "Fourier Positions", Part: Embedding, Ports: optional, Source: true, Position: true,
		Also: []string{"fourierFeatures", "randomFourierFeatures", "positionalEmbeddingRandom"},
		Doc: Doc{
			Summary: "Waves of fixed random directions over an image, read at points or at every place, as in SAM.",
			Shape:   "the last axis of its input, x and y in pixels, becomes 2 · numFeatures; without an input, all places of the image row by row [height · width, 2 · numFeatures]",
			Weights: "positional_embedding [2, numFeatures] as a buffer: nothing learns it",
			Work:    "2 · numFeatures for each point; 2 · numFeatures element-wise operations for each point",
			Source:  "https://arxiv.org/abs/2006.10739",
			Examples: []Example{
				{Params: `{"numFeatures": 128, "imgSize": 1024}`, In: []shape.Shape{{1, 3, 2}}},
				{Params: `{"numFeatures": 128, "imgSize": 64}`},
				{Params: `{"numFeatures": 128, "imgSize": 1024}`, In: []shape.Shape{{1, 3, 3}}},
			},
		},
	}, fourierPositions{}),
	declare(Type{
		Name: "rope", Display: "RoPE", Part: Embedding, Ports: optional, Source: true, Side: true, Position: true,
		Also: []string{"rotary", "rotaryEmbedding", "rotaryPositionEmbedding", "rotaryPositionalEmbedding"},
		Doc: Doc{
			Summary: "Turns queries and keys by angles that grow with the position; a side input of attention.",
			Shape:   "no tensor of its own",
			Work:    "none; that it turns queries and keys is not counted",
			Source:  "https://arxiv.org/abs/2104.09864",
			Examples: []Example{
				{Params: `{"dim": 128, "maxSeqLen": 8192, "theta": 500000}`},
				{Params: `{"headDim": 96, "partialRotaryFactor": 0.25}`},
				{Params: `{"dim": 128, "theta": 500000, "scaling": "llama3", "factor": 8, "originalMaxSeqLen": 8192}`},
				{Params: `{"dim": 8, "scaling": "longrope", "factor": 4, "originalMaxSeqLen": 4096, "shortFactors": [1, 1, 1, 1], "longFactors": [1, 1.5, 3, 4]}`},
				{Params: `{"dim": 8, "scaling": "longrope", "factor": 4, "originalMaxSeqLen": 4096, "longFactors": [1, 1.5, 3]}`},
				{Params: `{"dim": 88, "interleaved": true, "grid": [24, 24], "columnsFirst": true, "firstCell": 1}`},
				{Params: `{"dim": 63}`},
				{Params: `{"dim": 66, "grid": [24, 24]}`},
				{Params: `{"dim": 64, "grid": [24]}`},
				{Params: `{"dim": 64, "grid": [24, 24], "scaling": "linear", "factor": 2}`},
			},
		},
	}, rope{Theta: 10000, PartialRotaryFactor: 1, Scaling: "none", Factor: 1, LowFreqFactor: 1, HighFreqFactor: 4, BetaFast: 32, BetaSlow: 1, Truncate: true}),
	declare(Type{
		Name: "alibi", Display: "ALiBi", Part: Embedding, Ports: optional, Source: true, Side: true, Position: true,
		Also: []string{"alibiBias", "attentionWithLinearBiases"},
		Doc: Doc{
			Summary:  "Lowers attention scores in proportion to distance, by a fixed slope for each head; a side input of attention.",
			Shape:    "no tensor of its own",
			Work:     "none; that it lowers scores is not counted",
			Source:   "https://arxiv.org/abs/2108.12409",
			Examples: []Example{{Params: `{"numHeads": 8, "maxSeqLen": 2048}`}, {Params: `{"numHeads": 0}`}},
		},
	}, alibi{}),
}

// embedding is torch.nn.Embedding.
type embedding struct {
	NumEmbeddings int64   `json:"numEmbeddings" alias:"vocabSize" min:"1" unit:"rows" required:"true" doc:"rows of the table, one for each id"`
	EmbeddingDim  int64   `json:"embeddingDim" min:"1" unit:"features" required:"true" doc:"width of a row"`
	MaxSeqLen     int64   `json:"maxSeqLen" min:"1" unit:"tokens" doc:"longest sequence that the model is made for; it has no weight"`
	Scale         float64 `json:"scale" doc:"factor of every row: √embeddingDim in Gemma"`
	TiedTo        string  `json:"tiedTo" doc:"id of the component whose weight this layer shares"`
	Tied          bool    `json:"tied" doc:"share the weight of the first embedding of the same size"`
	renamed
}

func (l *embedding) Infer(c *Call) shape.Tensor {
	if len(c.In) == 0 {
		return shape.Last(shape.Shape{l.NumEmbeddings, l.EmbeddingDim}, shape.Unbatched)
	}
	return lookup(c, l.EmbeddingDim)
}

// lookup puts a width behind the axes of ids.
func lookup(c *Call, dim int64) shape.Tensor {
	x := c.First()
	if !x.Known() {
		return x
	}
	if !x.IDs {
		p := c.Report(FloatIDs, "", "looks up ids, but %s comes from a layer that computes numbers", x.Dims.Brackets())
		p.Fix = "feed it an input with ids, or use a linear layer"
		return shape.Unknown
	}
	if x.Rank() >= 3 {
		if x.Dims[x.Rank()-1] != dim {
			p := c.Report(FloatIDs, "", "looks up ids, but %s has three axes or more and does not end in the width %d", x.Dims.Brackets(), dim)
			p.Fix = "declare the ids as [batch, tokens]"
			return shape.Unknown
		}
		x.Dims = x.Dims[:x.Rank()-1]
		c.Report(HiddenWidth, "", "the ids are declared with the width %d at the end; it is not counted twice", dim).Fix =
			fmt.Sprintf("declare the input as %s", x.Dims.Brackets())
	}
	return looked(x, dim)
}

// looked is what looking up a row for each element of ids gives. Ids on one
// axis have no batch.
func looked(ids shape.Tensor, dim int64) shape.Tensor {
	if ids.Batch == shape.Undecided {
		ids.Batch = shape.Batched
		if ids.Rank() < 2 {
			ids.Batch = shape.Unbatched
		}
	}
	dims := append(append(shape.Shape{}, ids.Dims...), dim)
	return shape.Last(dims, ids.Batch)
}

func (l *embedding) Weights() []Tensor {
	return []Tensor{l.own("weight", l.NumEmbeddings, l.EmbeddingDim)}
}

// Work is nothing: a look-up multiplies nothing.
func (l *embedding) Work(c *Call, out shape.Tensor) Work { return Work{} }

// Ties names what the table is shared with.
func (l *embedding) Ties() (id string, any bool) { return l.TiedTo, l.Tied }

// embeddingBag is torch.nn.EmbeddingBag with one bag for each field.
type embeddingBag struct {
	NumEmbeddings int64  `json:"numEmbeddings" alias:"vocabSize" min:"1" unit:"rows" required:"true" doc:"rows of the table, one for each id"`
	EmbeddingDim  int64  `json:"embeddingDim" min:"1" unit:"features" required:"true" doc:"width of a row"`
	Mode          string `json:"mode" enum:"sum,mean,max" doc:"how the rows of a bag become one"`
	renamed
}

func (l *embeddingBag) Infer(c *Call) shape.Tensor { return lookup(c, l.EmbeddingDim) }

func (l *embeddingBag) Weights() []Tensor {
	return []Tensor{l.own("weight", l.NumEmbeddings, l.EmbeddingDim)}
}

// Work is one operation for each element of the output: how many rows a bag
// has is known only at run time.
func (l *embeddingBag) Work(c *Call, out shape.Tensor) Work { return Elementwise(out.Dims, 1) }

// placed adds a row of a table to each position of the input. Ids that are no
// features yet get the rows alone.
func placed(c *Call, dim *int64) shape.Tensor {
	x := c.First()
	if x.IDs && x.Rank() <= 2 && *dim != 0 && x.Width() != *dim {
		return looked(x, *dim)
	}
	c.Width(x, dim, "embedDim")
	c.Layout(x)
	return x.AsSequence().WithWidth(*dim)
}

// long reports a sequence that is longer than its table of positions, whose
// first rows may be for none.
func long(c *Call, x shape.Tensor, table, offset int64) {
	if !x.Known() || table == 0 {
		return
	}
	n := tokens(x)
	if n <= table-offset {
		return
	}
	p := c.Report(PositionsShort, "maxLen", "the table has %d positions, the sequence %d", table, n)
	if offset > 0 {
		p.Message = fmt.Sprintf("the table has %d rows, of which the first %d are for no position, the sequence %d tokens", table, offset, n)
	}
	if need, ok := shape.Add(n, offset); ok {
		p.Fix, p.Replace = fmt.Sprintf("set maxLen to %d or more, or shorten the input", need), fmt.Sprint(need)
	}
}

// learnedPositionalEmbedding is torch.nn.Embedding over positions, added.
type learnedPositionalEmbedding struct {
	MaxLen   int64 `json:"maxLen" min:"1" unit:"positions" required:"true" doc:"rows of the table: the longest sequence, and offset"`
	Offset   int64 `json:"offset" min:"0" unit:"rows" default:"0" doc:"rows at the start that no position has: the first token has the row behind them, as in OPT and RoBERTa"`
	EmbedDim int64 `json:"embedDim" alias:"hiddenDim,dModel,dim" min:"1" unit:"features" default:"incoming width" doc:"width of a row"`
	renamed
}

func (l *learnedPositionalEmbedding) Infer(c *Call) shape.Tensor {
	out := placed(c, &l.EmbedDim)
	long(c, out, l.MaxLen, l.Offset)
	return out
}

func (l *learnedPositionalEmbedding) Weights() []Tensor {
	return []Tensor{l.own("weight", l.MaxLen, l.EmbedDim)}
}

func (l *learnedPositionalEmbedding) Work(c *Call, out shape.Tensor) Work {
	return Elementwise(out.Dims, 1)
}

// positionalEncoding is the sinusoidal table of "Attention Is All You Need",
// or a learned one in its place.
type positionalEncoding struct {
	MaxLen   int64 `json:"maxLen" min:"1" unit:"positions" doc:"rows of the table: the longest sequence"`
	EmbedDim int64 `json:"embedDim" alias:"hiddenDim,dModel,dim" min:"1" unit:"features" default:"incoming width" doc:"width of a row"`
	Learned  bool  `json:"learned" doc:"the table is a weight; else it is computed"`
	renamed
}

func (l *positionalEncoding) Infer(c *Call) shape.Tensor {
	if l.Learned && l.MaxLen == 0 {
		c.Report(MissingParam, "maxLen", "a learned table needs maxLen, its number of positions").Fix = "add maxLen"
	}
	out := placed(c, &l.EmbedDim)
	long(c, out, l.MaxLen, 0)
	return out
}

func (l *positionalEncoding) Weights() []Tensor {
	if !l.Learned {
		return nil
	}
	return []Tensor{l.own("weight", l.MaxLen, l.EmbedDim)}
}

func (l *positionalEncoding) Work(c *Call, out shape.Tensor) Work { return Elementwise(out.Dims, 1) }

// timestepEmbedding is that of DDPM, with the cosines first, as in DiT and
// Stable Diffusion.
type timestepEmbedding struct {
	Dim       int64   `json:"dim" alias:"embedDim,embeddingDim" min:"2" unit:"features" required:"true" doc:"cosines and sines for each number, half of them each; a zero at the end where it is odd"`
	MaxPeriod float64 `json:"maxPeriod" min:"1" doc:"the lowest frequency is nearly one radian in so many steps, the highest one in each step"`
}

func (l *timestepEmbedding) Infer(c *Call) shape.Tensor {
	x := c.First()
	if !x.Known() || x.Rank() == 0 {
		return shape.Unknown
	}
	// Each sample of a batch has a step of its own.
	if x.Batch == shape.Undecided {
		x.Batch = shape.Batched
	}
	return shape.Last(append(append(shape.Shape{}, x.Dims...), l.Dim), x.Batch)
}

func (l *timestepEmbedding) Weights() []Tensor { return nil }

func (l *timestepEmbedding) Work(c *Call, out shape.Tensor) Work { return Elementwise(out.Dims, 1) }

// segmentEmbedding is torch.nn.Embedding over segments, added.
type segmentEmbedding struct {
	NumSegments int64 `json:"numSegments" min:"1" unit:"segments" doc:"rows of the table, one for each segment"`
	EmbedDim    int64 `json:"embedDim" alias:"hiddenDim,dModel,dim" min:"1" unit:"features" default:"incoming width" doc:"width of a row"`
	renamed
}

func (l *segmentEmbedding) Infer(c *Call) shape.Tensor { return placed(c, &l.EmbedDim) }

func (l *segmentEmbedding) Weights() []Tensor {
	return []Tensor{l.own("weight", l.NumSegments, l.EmbedDim)}
}

func (l *segmentEmbedding) Work(c *Call, out shape.Tensor) Work { return Elementwise(out.Dims, 1) }

// patchEmbed is the patch projection of a Vision Transformer: a convolution
// whose filter is one patch, and what is put beside its tokens.
type patchEmbed struct {
	ImgSize   Sizes `json:"imgSize" min:"1" unit:"pixels" default:"incoming image" doc:"height and width that the model is made for"`
	PatchSize Sizes `json:"patchSize" min:"1" unit:"pixels" required:"true" doc:"height and width of a patch"`
	InChans   int64 `json:"inChans" min:"1" unit:"channels" default:"incoming channels, else 3" doc:"channels of the image"`
	EmbedDim  int64 `json:"embedDim" min:"1" unit:"features" required:"true" doc:"width of a token"`
	Stride    Sizes `json:"stride" min:"1" unit:"pixels" default:"patchSize" doc:"step from one patch to the next"`
	Bias      bool  `json:"bias" doc:"add a learned constant to each feature"`
	ClsToken  bool  `json:"clsToken" doc:"put a learned class token in front"`
	PosEmbed  bool  `json:"posEmbed" doc:"add a learned row for each position"`
	Flat      bool  `json:"flat" doc:"the projection is stored as a matrix [embedDim, channels · h · w], as in Llama 4"`
	renamed

	positions int64 // rows of pos_embed, 0 when no image is known
	pixels    int64 // numbers in a patch
}

func (l *patchEmbed) Infer(c *Call) shape.Tensor {
	if l.Stride == nil {
		l.Stride = l.PatchSize
	}
	x, along := c.spatial(2, l.InChans)
	c.Width(x, &l.InChans, "inChans")
	if l.InChans == 0 {
		l.InChans = 3
	}
	if !perAxis(c, "imgSize", l.ImgSize, 2) || !perAxis(c, "patchSize", l.PatchSize, 2) || !perAxis(c, "stride", l.Stride, 2) {
		return shape.Unknown
	}
	l.pixels = c.times(l.InChans, l.PatchSize.At(0), l.PatchSize.At(1))
	var image shape.Shape
	for _, axis := range along {
		image = append(image, x.Dims[axis])
	}
	n := l.patches(c, image)
	if x.Known() && n == 0 {
		return c.Fail(WindowTooLarge, "patchSize", "a patch of %s does not fit into an image of %s", sides(l.PatchSize), image)
	}
	l.compare(c, image)
	l.positions = n
	if l.ImgSize != nil {
		l.positions = l.patches(c, sides(l.ImgSize))
	}
	if !x.Known() {
		return shape.Unknown
	}
	dims := append(append(shape.Shape{}, x.Dims[:x.BatchAxes()]...), n, l.EmbedDim)
	return shape.Last(dims, x.Batch)
}

// compare reports images that the patches do not divide, and one that is not
// of the declared size.
func (l *patchEmbed) compare(c *Call, image shape.Shape) {
	declared := sides(l.ImgSize)
	if l.ImgSize != nil && len(image) == 2 && !declared.Equal(image) {
		p := c.Report(WidthMismatch, "imgSize", "imgSize is %s, but the incoming image is %s", declared, image)
		p.Fix, p.Replace = "set imgSize to the size of the image, or resize the image", fmt.Sprintf("[%d, %d]", image[0], image[1])
	}
	for _, img := range []shape.Shape{image, declared} {
		if len(img) == 2 && img[0] > 0 && l.uneven(c, img) {
			return
		}
	}
}

// uneven reports an image of which patches leave a part out.
func (l *patchEmbed) uneven(c *Call, img shape.Shape) bool {
	for i, side := range img {
		w := l.window(i)
		switch {
		case w.Stride == w.Kernel && side%w.Kernel != 0:
			c.Report(PatchDivides, "patchSize", "an image of %s does not divide into patches of %s: %d of %d rows or columns are left over", img, sides(l.PatchSize), side%w.Kernel, side).Fix =
				"choose a patch size that divides both sides, or resize the image"
			return true
		case w.Stride < w.Kernel && w.Dropped(side) > 0:
			c.Report(RowsDropped, "stride", "the last %d of %d rows or columns are in no patch", w.Dropped(side), side)
			return true
		}
	}
	return false
}

// window is how patches lie along one axis of the image.
func (l *patchEmbed) window(axis int) shape.Window {
	return shape.Window{Kernel: l.PatchSize.At(axis), Stride: l.Stride.At(axis), Dilation: 1}
}

// patches is the number of tokens of an image, with the class token, 0 when
// not even one patch fits or no image is known.
func (l *patchEmbed) patches(c *Call, img shape.Shape) int64 {
	if len(img) != 2 {
		return 0
	}
	n := c.times(l.window(0).Out(img[0]), l.window(1).Out(img[1]))
	if n > 0 && l.ClsToken {
		n = c.plus(n, 1)
	}
	return n
}

// sides prints a size of two axes.
func sides(s Sizes) shape.Shape { return shape.Shape{s.At(0), s.At(1)} }

func (l *patchEmbed) Weights() []Tensor {
	s := Stored{Names: l.Names}
	w := []Tensor{s.tensor("proj", "weight", l.EmbedDim, l.InChans, l.PatchSize.At(0), l.PatchSize.At(1))}
	if l.Flat {
		w[0].Dims = shape.Shape{l.EmbedDim, l.pixels}
	}
	if l.Bias {
		w = append(w, s.tensor("proj", "bias", l.EmbedDim))
	}
	if l.ClsToken {
		w = append(w, l.own("cls_token", 1, 1, l.EmbedDim))
	}
	if l.PosEmbed {
		w = append(w, l.own("pos_embed", 1, l.positions, l.EmbedDim))
	}
	return w
}

func (l *patchEmbed) Work(c *Call, out shape.Tensor) Work {
	n := tokens(out)
	if l.ClsToken {
		n--
	}
	return MACs(out.BatchSize(), n, l.EmbedDim, l.InChans, l.PatchSize.At(0), l.PatchSize.At(1))
}

// fourierPositions are random Fourier features (Tancik et al., 2020) of places
// in an image. Pixels are counted from 0, and a place is the middle of one.
type fourierPositions struct {
	NumFeatures int64 `json:"numFeatures" min:"1" unit:"waves" required:"true" doc:"waves, each with a sine and a cosine"`
	ImgSize     Sizes `json:"imgSize" min:"1" unit:"pixels" required:"true" doc:"height and width of the image that points lie in"`
	renamed
}

func (l *fourierPositions) Infer(c *Call) shape.Tensor {
	perAxis(c, "imgSize", l.ImgSize, 2)
	features := c.times(2, l.NumFeatures)
	if len(c.In) == 0 {
		n := c.times(l.ImgSize.At(0), l.ImgSize.At(1))
		if n == 0 || features == 0 {
			return shape.Unknown
		}
		return shape.Last(shape.Shape{n, features}, shape.Unbatched)
	}
	x := c.First()
	if !x.Known() || features == 0 {
		return shape.Unknown
	}
	if x.Rank() == 0 || !x.FeatureLast() || x.Width() != 2 {
		c.Report(WidthMismatch, "", "reads points […, 2] of x and y, but %s arrives", x.Dims.Brackets()).Fix = "feed it points of two coordinates"
		return shape.Unknown
	}
	return values(x).AsSequence().WithWidth(features)
}

func (l *fourierPositions) Weights() []Tensor {
	w := l.own("positional_embedding", 2, l.NumFeatures)
	w.Buffer = true
	return []Tensor{w}
}

func (l *fourierPositions) Work(c *Call, out shape.Tensor) Work {
	return MACs(out.Dims...).Plus(Elementwise(out.Dims, 1))
}

// A Feeder is a side input that fits only some attention layers: a head
// dimension or a number of heads that the layer it feeds must have, 0 where
// it does not matter.
type Feeder interface{ Feeds() (headDim, heads int64) }

// rope is rotary position embedding.
type rope struct {
	Dim                 int64   `json:"dim" alias:"headDim" min:"1" unit:"features" doc:"head dimension of the attention that it feeds"`
	MaxSeqLen           int64   `json:"maxSeqLen" min:"1" unit:"tokens" doc:"longest sequence that the angles are made for"`
	Theta               float64 `json:"theta" min:"1" doc:"base of the geometric series of wavelengths"`
	PartialRotaryFactor float64 `json:"partialRotaryFactor" min:"0" max:"1" doc:"share of the head dimension that is turned"`
	Interleaved         bool    `json:"interleaved" doc:"features 2i and 2i + 1 turn together, as in GPT-J; else those of the two halves, as in Llama"`
	Scaling             string  `json:"scaling" enum:"none,linear,dynamic,yarn,longrope,llama3" doc:"how angles are stretched to longer sequences"`
	Factor              float64 `json:"factor" min:"1" doc:"by how much scaling stretches"`
	OriginalMaxSeqLen   int64   `json:"originalMaxSeqLen" min:"1" unit:"tokens" doc:"longest sequence before llama3, yarn or longrope stretch it"`
	LowFreqFactor       float64 `json:"lowFreqFactor" min:"0" doc:"llama3: angles that turn fewer times than this within originalMaxSeqLen are stretched"`
	HighFreqFactor      float64 `json:"highFreqFactor" min:"0" doc:"llama3: angles that turn more times stay as they are"`
	BetaFast            float64 `json:"betaFast" min:"0" doc:"yarn: angles that turn more times than this within originalMaxSeqLen stay as they are"`
	BetaSlow            float64 `json:"betaSlow" min:"0" doc:"yarn: angles that turn fewer times are stretched"`
	Truncate            bool    `json:"truncate" doc:"yarn: the blend begins and ends at whole pairs of features"`
	LongFactors         Numbers `json:"longFactors" min:"0.01" doc:"longrope: what each pair's angle is divided by in sequences longer than originalMaxSeqLen"`
	ShortFactors        Numbers `json:"shortFactors" min:"0.01" doc:"longrope: what it is divided by in others"`
	AttentionFactor     float64 `json:"attentionFactor" min:"0" default:"yarn: 0.1 · ln(factor) + 1; longrope: √(1 + ln(factor) / ln(originalMaxSeqLen))" doc:"yarn and longrope: factor of the turned queries and keys"`
	Grid                Sizes   `json:"grid" min:"1" unit:"tokens" doc:"rows and columns of an image: half of the pairs turn by the row of a token, half by its column; tokens behind the last cell do not turn"`
	ColumnsFirst        bool    `json:"columnsFirst" doc:"grid: the column turns the first half of the pairs, as in Llama 4; else the row does"`
	FirstCell           int64   `json:"firstCell" min:"0" default:"0" doc:"grid: number of the first row and of the first column"`
}

func (l *rope) Infer(c *Call) shape.Tensor {
	turned := int64(float64(l.Dim) * l.PartialRotaryFactor)
	if turned%2 != 0 {
		c.Report(OddRotary, "dim", "turns %d features, but features turn in pairs", turned).Fix = "choose an even number"
	}
	l.factors(c, "longFactors", l.LongFactors, turned/2)
	l.factors(c, "shortFactors", l.ShortFactors, turned/2)
	switch {
	case l.Grid == nil:
	case len(l.Grid) != 2:
		c.Report(BadParam, "grid", "grid has %d numbers, must be two: rows and columns", len(l.Grid))
	case turned%4 != 0 && turned%2 == 0:
		c.Report(OddRotary, "dim", "turns %d features by row and column, but each turns features in pairs", turned).Fix = "choose a multiple of 4"
	case l.Scaling != "none":
		c.Report(BadParam, "scaling", "angles of a grid are not stretched").Fix = `set scaling to "none"`
	}
	return shape.Unknown
}

// factors checks that there is one for each pair of features, where there are
// any and the graph says how many pairs turn.
func (l *rope) factors(c *Call, name string, list Numbers, pairs int64) {
	if n := int64(len(list)); n > 0 && l.Dim > 0 && n != pairs {
		c.Report(BadParam, name, "%s has %d factors, but %d pairs of features turn", name, n, pairs).Fix = "give one for each pair"
	}
}

func (l *rope) Weights() []Tensor                   { return nil }
func (l *rope) Work(c *Call, out shape.Tensor) Work { return Work{} }

// Feeds is the head dimension that the angles are made for.
func (l *rope) Feeds() (headDim, heads int64) { return l.Dim, 0 }

// alibi is attention with linear biases.
type alibi struct {
	NumHeads  int64 `json:"numHeads" min:"1" unit:"heads" doc:"heads of the attention that it feeds, one slope each"`
	MaxSeqLen int64 `json:"maxSeqLen" min:"1" unit:"tokens" doc:"longest sequence that the model is made for; slopes do not depend on it"`
}

func (l *alibi) Infer(c *Call) shape.Tensor          { return shape.Unknown }
func (l *alibi) Weights() []Tensor                   { return nil }
func (l *alibi) Work(c *Call, out shape.Tensor) Work { return Work{} }

// Feeds is the number of heads that have a slope.
func (l *alibi) Feeds() (headDim, heads int64) { return 0, l.NumHeads }
