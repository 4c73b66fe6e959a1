package cost

// A Note says in words how a group of figures comes about. Pages, answers and
// the terminal show it beside them.
type Note struct {
	Of   string `json:"of" doc:"member of the plan that the note is on"`
	Text string `json:"text" doc:"the note"`
}

// Notes lists the notes, in the order of the figures.
var Notes = []Note{
	{"serving", "Weights come from the tensor list, with every expert of a mixture; tied weights count once. int4 has a bf16 scale for each group of a row, int8 one for each row; biases and norms stay in bf16. Buffers are left out. The total is weights, the cache as an engine reserves it, and a fixed overhead."},
	{"cache", "Keys and values of causal attention, layer by layer; an encoder keeps none. The least stops growing when a window is full. What is reserved ignores windows and comes in whole blocks. The state of recurrent and state-space layers and an encoder's keys and values do not grow."},
	{"training", "Weights, gradients and AdamW's state in mixed precision, and the activations that the backward pass needs: the result of each layer and what it saves beside it. Attention is taken to be a fused kernel that keeps no square. With recomputation, what flows between repeated blocks stays, and the inside of one block."},
	{"training_fits", "Weights, gradients and optimizer state are divided evenly among the cards; each keeps the activations of its own batch and the overhead."},
	{"serving_fits", "Weights and cache are divided evenly among the cards; each has the overhead."},
	{"pretraining", "Three times the FLOPs of the forward pass, attention over the full square, for every token (or image, or sample), at a share of the card's dense 16-bit peak, by the hour. Without a published figure a model is trained on a fixed number of tokens for each parameter; a mixture's experts all count as parameters."},
	{"speeds", "Upper bounds, not predictions. Decoding cannot be faster than the card reads the active weights and the cache once for each step; reading a prompt cannot be faster than the dense 16-bit peak allows for the MACs of a causal kernel."},
}
