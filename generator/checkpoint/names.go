package checkpoint

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/strata-catalog/strata/generator/shape"
)

// template is a name with {} for each index, and the indices.
func template(name string) (pattern string, at []int) {
	steps := strings.Split(name, ".")
	for i, s := range steps {
		if n, ok := number(s); ok {
			steps[i] = "{}"
			at = append(at, n)
		}
	}
	return strings.Join(steps, "."), at
}

// Patterns folds names that differ in an index: "h.{0…11}.attn.bias".
func Patterns(names []string) (list []string) {
	type group struct {
		names []string
		at    [][]int
	}
	groups := map[string]*group{}
	var order []string
	for _, name := range names {
		p, at := template(name)
		if groups[p] == nil {
			groups[p] = &group{}
			order = append(order, p)
		}
		groups[p].names, groups[p].at = append(groups[p].names, name), append(groups[p].at, at)
	}
	for _, p := range order {
		g := groups[p]
		if len(g.names) == 1 {
			list = append(list, g.names[0])
			continue
		}
		for i := range g.at[0] {
			var values []int
			for _, at := range g.at {
				values = append(values, at[i])
			}
			p = strings.Replace(p, "{}", between(values), 1)
		}
		list = append(list, p)
	}
	return list
}

// between writes the values of an index: one, or from the least to the greatest.
func between(values []int) string {
	low, high := slices.Min(values), slices.Max(values)
	if low == high {
		return strconv.Itoa(low)
	}
	return fmt.Sprintf("{%d…%d}", low, high)
}

// A family is tensors of one template.
type family[T interface{ *want | *stored }] struct {
	pattern string
	members map[string]T // by indices: "3 17"
}

func families[T interface{ *want | *stored }](list []T, name func(T) string) []*family[T] {
	groups := map[string]*family[T]{}
	for _, t := range list {
		p, at := template(name(t))
		if groups[p] == nil {
			groups[p] = &family[T]{p, map[string]T{}}
		}
		groups[p].members[fmt.Sprint(at)] = t
	}
	return slices.SortedFunc(maps.Values(groups), func(a, b *family[T]) int { return cmp.Compare(a.pattern, b.pattern) })
}

// rename matches tensors that one side lacks with those that the other has too
// many of: by shape, place and what names say. It returns what is left.
func (k *comparing) rename(missing []*want, extra []*stored) ([]*want, []*stored) {
	graph := families(missing, func(w *want) string { return w.name })
	files := families(extra, func(s *stored) string { return s.name })
	type match struct {
		g     *family[*want]
		f     *family[*stored]
		score int
	}
	var matches []match
	for _, g := range graph {
		var able []match
		for _, f := range files {
			if k.agree(g, f) {
				able = append(able, match{g, f, alike(g.pattern, f.pattern)})
			}
		}
		for _, m := range able {
			// Without a word in common, only the one place that fits will do.
			if m.score > 0 || len(able) == 1 && len(m.g.members) > 1 {
				matches = append(matches, m)
			}
		}
	}
	slices.SortStableFunc(matches, func(a, b match) int { return cmp.Compare(b.score, a.score) })
	paired, gone := map[*want]bool{}, map[*stored]bool{}
	done := map[string]bool{}
	for _, m := range matches {
		if done["g "+m.g.pattern] || done["f "+m.f.pattern] {
			continue
		}
		done["g "+m.g.pattern], done["f "+m.f.pattern] = true, true
		n := 0
		for _, at := range slices.Sorted(maps.Keys(m.g.members)) {
			w, s := m.g.members[at], m.f.members[at]
			if s == nil {
				continue
			}
			paired[w], gone[s] = true, true
			if k.pair(w, s) {
				k.differ(OtherName, w.name, w.name, s.name, s.data.File)
				k.Same--
			}
			n++
		}
		k.Map = append(k.Map, Rename{m.g.pattern, m.f.pattern, n})
	}
	slices.SortFunc(k.Map, func(a, b Rename) int { return cmp.Compare(a.Graph, b.Graph) })
	missing = slices.DeleteFunc(missing, func(w *want) bool { return paired[w] })
	extra = slices.DeleteFunc(extra, func(s *stored) bool { return gone[s] })
	return k.unstack(missing, extra)
}

// agree reports whether most members of two families stand at the same indices
// and have the same shapes.
func (k *comparing) agree(g *family[*want], f *family[*stored]) bool {
	same := 0
	for at, w := range g.members {
		if s := f.members[at]; s != nil && (k.same(s.dims, w.dims) || s.dims == nil && s.fits(w.dims)) {
			same++
		}
	}
	return same > 0 && 2*same >= len(g.members) && 2*same >= len(f.members)
}

// unstack matches tensors of the model that stand one by one with a tensor of
// the files that holds them all: the experts of a layer.
func (k *comparing) unstack(missing []*want, extra []*stored) ([]*want, []*stored) {
	type place struct{ pattern, above string }
	stacks := map[place][]*want{}
	for _, w := range missing {
		p, at := template(w.name)
		if n := len(at); n > 0 {
			above := place{p, fmt.Sprint(at[:n-1])}
			stacks[above] = append(stacks[above], w)
		}
	}
	taken := map[*want]bool{}
	counts := map[Rename]int{}
	rest := slices.DeleteFunc(extra, func(s *stored) bool {
		p, at := template(s.name)
		var best place
		score := 0
		for where, list := range stacks {
			if where.above != fmt.Sprint(at) || taken[list[0]] || !s.dims.Equal(append(shape.Shape{int64(len(list))}, list[0].dims...)) {
				continue
			}
			if n := alike(where.pattern, p); n > score {
				best, score = where, n
			}
		}
		if score == 0 {
			return false
		}
		for _, w := range stacks[best] {
			taken[w] = true
			k.differ(OtherName, w.name, w.name, s.name, s.data.File)
		}
		counts[Rename{Graph: best.pattern, File: p}] += len(stacks[best])
		if n := s.data.Elements() - int64(len(stacks[best]))*stacks[best][0].elements(); n != 0 {
			k.add("numbers packed by "+s.form+", several to an element", s.data.Name, nil, n)
		}
		return true
	})
	for _, r := range slices.SortedFunc(maps.Keys(counts), func(a, b Rename) int { return cmp.Compare(a.Graph, b.Graph) }) {
		r.Tensors = counts[r]
		k.Map = append(k.Map, r)
	}
	return slices.DeleteFunc(missing, func(w *want) bool { return taken[w] }), rest
}

// roles are the places of a Transformer, and how they are called: in
// checkpoints of the Hub, and in GGUF.
// Source: gguf-py/gguf/tensor_mapping.py in https://github.com/ggml-org/llama.cpp
var roles = []struct {
	role string
	re   *regexp.Regexp
}{
	{"embedding", ending(`token_embd|embed_tokens|wte|word_embeddings|embed_in|tok_embeddings`)},
	{"positions", ending(`position_embd|wpe|position_embeddings|embed_positions`)},
	{"segments", ending(`token_types|token_type_embeddings`)},
	{"embedding norm", ending(`token_embd_norm|word_embeddings_layernorm|embeddings\.LayerNorm`)},
	{"head", regexp.MustCompile(`^(output|lm_head|embed_out|.*\.output_layer)$`)},
	{"last norm", regexp.MustCompile(`^(output_norm|([^{]*\.)?(norm|ln_f|final_layer_norm|final_layernorm|norm_f))$`)},
	{"query norm", ending(`attn_q_norm|q_norm|q_layernorm|query_layernorm`)},
	{"key norm", ending(`attn_k_norm|k_norm|k_layernorm|key_layernorm`)},
	{"query", ending(`attn_q|q_proj|query|wq|q_lin`)},
	{"key", ending(`attn_k|k_proj|key|wk|k_lin`)},
	{"value", ending(`attn_v|v_proj|value|wv|v_lin`)},
	{"query, key, value", ending(`attn_qkv|c_attn|query_key_value|W_pack|Wqkv|wqkv|qkv_proj|qkv`)},
	{"sinks", ending(`attn_sinks|sinks`)},
	{"attention output", ending(`attn_output|o_proj|attn\.c_proj|attention\.dense|self_attention\.dense|self_attn\.dense|self_attn\.out_proj|wo|out_lin|attention\.output\.dense`)},
	{"query latent", ending(`attn_q_a|q_a_proj`)},
	{"query latent norm", ending(`attn_q_a_norm|q_a_layernorm`)},
	{"query from latent", ending(`attn_q_b|q_b_proj`)},
	{"latent", ending(`attn_kv_a_mqa|kv_a_proj_with_mqa`)},
	{"latent norm", ending(`attn_kv_a_norm|kv_a_layernorm`)},
	{"keys and values from latent", ending(`attn_kv_b|kv_b_proj`)},
	{"attention norm", ending(`attn_norm|input_layernorm|ln_1|attention_norm|self_attn_layer_norm|norm1`)},
	{"norm behind attention", ending(`attn_output_norm|attention\.output\.LayerNorm|sa_layer_norm`)},
	{"norm behind network", ending(`layer_output_norm|output\.LayerNorm|output_layer_norm`)},
	{"sandwich after attention", ending(`post_attention_norm`)},
	{"network norm", ending(`ffn_norm|post_attention_layernorm|pre_feedforward_layernorm|ln_2|norm2`)},
	{"sandwich after network", ending(`post_ffw_norm|post_feedforward_layernorm`)},
	{"router", ending(`ffn_gate_inp|mlp\.gate|block_sparse_moe\.gate|mlp\.router|feed_forward\.router`)},
	{"router correction", ending(`exp_probs_b|e_score_correction_bias`)},
	{"expert gate", ending(`ffn_gate_exps|experts\.\{\}\.gate_proj|experts\.\{\}\.w1`)},
	{"expert up", ending(`ffn_up_exps|experts\.\{\}\.up_proj|experts\.\{\}\.w3`)},
	{"expert down", ending(`ffn_down_exps|experts\.\{\}\.down_proj|experts\.\{\}\.w2`)},
	{"shared gate", ending(`ffn_gate_shexp|shared_experts?\.gate_proj`)},
	{"shared up", ending(`ffn_up_shexp|shared_experts?\.up_proj`)},
	{"shared down", ending(`ffn_down_shexp|shared_experts?\.down_proj`)},
	{"gate", ending(`ffn_gate|gate_proj|w1`)},
	{"up", ending(`ffn_up|up_proj|gate_up_proj|c_fc|fc1|fc_in|dense_h_to_4h|w3|lin1|intermediate\.dense`)},
	{"down", ending(`ffn_down|down_proj|mlp\.c_proj|fc2|fc_out|dense_4h_to_h|w2|lin2|output\.dense`)},
	{"state in", ending(`ssm_in|in_proj`)}, {"state convolution", ending(`ssm_conv1d|conv1d`)}, {"state x", ending(`ssm_x|x_proj`)},
	{"state step", ending(`ssm_dt|dt_proj`)}, {"state A", ending(`ssm_a|A_log`)}, {"state D", ending(`ssm_d|D`)}, {"state out", ending(`ssm_out|out_proj`)},
}

// ending matches a name that ends in one of the words.
func ending(list string) *regexp.Regexp { return regexp.MustCompile(`(^|\.)(` + list + `)$`) }

// role is the place that a template is of, with weight or bias behind it; ""
// where none is known.
func role(pattern string) string {
	base, leaf := pattern, ""
	for _, suffix := range []string{".weight", ".bias"} {
		if b, ok := strings.CutSuffix(pattern, suffix); ok {
			base, leaf = b, suffix
		}
	}
	for _, r := range roles {
		if r.re.MatchString(base) {
			return r.role + leaf
		}
	}
	return ""
}

// alike says how much two templates have in common: most where they are of one
// place, and otherwise the steps that they end in.
func alike(a, b string) int {
	if r := role(a); r != "" && r == role(b) {
		return 100
	}
	x, y := strings.Split(a, "."), strings.Split(b, ".")
	slices.Reverse(x)
	slices.Reverse(y)
	n := 0
	for n < min(len(x), len(y)) && x[n] == y[n] {
		n++
	}
	if n == 1 && (x[0] == "weight" || x[0] == "bias") {
		return 0
	}
	return n
}

// prefixed is one line for a map that only adds or drops a prefix.
func prefixed(m []Rename) []Rename {
	if len(m) < 2 {
		return m
	}
	before, _ := strings.CutSuffix(m[0].Graph, m[0].File)
	behind, _ := strings.CutSuffix(m[0].File, m[0].Graph)
	if before == m[0].Graph {
		before = ""
	}
	if behind == m[0].File {
		behind = ""
	}
	all := Rename{Graph: before + "…", File: behind + "…"}
	for _, r := range m {
		if before+r.File != behind+r.Graph {
			return m
		}
		all.Tensors += r.Tensors
	}
	return []Rename{all}
}
