package checkpoint

import (
	"strconv"
	"strings"

	"github.com/strata-catalog/strata/generator/shape"
)

// A table of what checkpoints store beside parameters: the end of a name, what
// that is, and which shapes it can have.
var tables = []struct {
	suffix, what string
	ok           func(shape.Shape) bool
}{
	{".attn.bias", "causal masks", square},                   // GPT-2
	{".attention.bias", "causal masks", square},              // GPT-NeoX, GPT-Neo
	{".attn.attention.bias", "causal masks", square},         // GPT-Neo
	{".attn.masked_bias", "values of masked scores", single}, // GPT-2
	{".attention.masked_bias", "values of masked scores", single},
	{".rotary_emb.inv_freq", "tables of rotary frequencies", anything},
	{".inv_freq", "tables of rotary frequencies", anything},
	{".rotary_emb.cos_cached", "tables of rotary angles", anything},
	{".rotary_emb.sin_cached", "tables of rotary angles", anything},
	{".rotary_pos_emb.inv_freq", "tables of rotary frequencies", anything},
	{"rope_freqs.weight", "tables of rotary frequencies", anything}, // GGUF
	{"rope_factors_long.weight", "tables of rotary frequencies", anything},
	{"rope_factors_short.weight", "tables of rotary frequencies", anything},
	{"position_ids", "numbers of positions", anything},
	{"embeddings.token_type_ids", "numbers of segments", anything},
	{".relative_position_index", "indices of relative positions", anything},
	{".num_batches_tracked", "counters of batches", single},
	{".running_mean", "running statistics", anything},
	{".running_var", "running statistics", anything},
	{"final_logits_bias", "constants of the logits", anything},
}

func anything(shape.Shape) bool { return true }

func single(s shape.Shape) bool {
	n, ok := s.Elems()
	return ok && n == 1
}

// square is a mask: [1, 1, n, n], or [n, n].
func square(s shape.Shape) bool {
	n := len(s)
	if n < 2 || s[n-1] != s[n-2] {
		return false
	}
	for _, d := range s[:n-2] {
		if d != 1 {
			return false
		}
	}
	return true
}

// known takes those of the extra tensors that checkpoints store beside
// parameters: buffers, and modules that predict further tokens.
func (k *comparing) known(extra []*stored) (rest []*stored) {
	modules := k.predictors(extra)
	for _, s := range extra {
		what := modules(s.name)
		for _, t := range tables {
			if what == "" && (strings.HasSuffix("."+s.name, t.suffix)) && t.ok(s.data.Dims) {
				what = "buffers: " + t.what
			}
		}
		if what == "" {
			rest = append(rest, s)
			continue
		}
		k.add(what, s.data.Name, s.data.Dims, s.data.Elements())
	}
	return rest
}

// Parts of modules that predict further tokens, as DeepSeek-V3 names them: they
// tell such a module from a layer that the graph lacks.
var predicting = []string{"eh_proj", "enorm", "hnorm", "shared_head"}

// predictors tells which names are of a module that predicts further tokens.
func (k *comparing) predictors(extra []*stored) func(name string) string {
	layers := map[string]bool{} // prefixes: "model.layers.61."
	for _, s := range extra {
		steps := strings.Split(s.name, ".")
		for i, step := range steps {
			for _, part := range predicting {
				if step == part && i > 0 {
					layers[strings.Join(steps[:i], ".")+"."] = true
				}
			}
		}
	}
	return func(name string) string {
		steps := strings.Split(name, ".")
		prefix := ""
		for _, step := range steps {
			prefix += step + "."
			if step == "mtp" || strings.HasPrefix(step, "mtp_") || step == "nextn" || layers[prefix] {
				return "prediction module"
			}
		}
		return ""
	}
}

// number is a step of a name that is an index.
func number(step string) (n int, ok bool) {
	n, err := strconv.Atoi(step)
	return n, err == nil && n >= 0 && strconv.Itoa(n) == step
}
