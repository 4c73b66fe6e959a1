package adopt

import (
	"math"
)

// rotary are the fields of rotary position embedding, with a family's base and
// the share of a head that is turned.
func rotary(theta, share float64) []Field {
	return []Field{
		number("rope_theta", theta, "base of the wavelengths", "rotary_emb_base"),
		number("partial_rotary_factor", share, "share of a head that is turned", "rotary_pct", "rope_pct"),
		object("rope_scaling", "how angles are stretched to longer sequences"),
		object("rope_parameters", "base and stretching of angles together"),
		count("original_max_position_embeddings", 0, "longest sequence before angles were stretched"),
	}
}

// scalings maps the words of configurations to those of the layer type.
var scalings = map[string]string{
	"default": "none", "mrope": "none", "linear": "linear", "dynamic": "dynamic", "yarn": "yarn", "deepseek_yarn": "yarn", "longrope": "longrope", "su": "longrope", "llama3": "llama3",
}

// scalingFields are those of rope_scaling and of rope_parameters.
var scalingFields = []Field{
	{Name: "rope_type", Also: []string{"type"}, Kind: Word, Default: "default", Doc: "the kind of stretching"},
	number("rope_theta", 0, "base of the wavelengths"),
	number("partial_rotary_factor", 0, "share of a head that is turned"),
	number("factor", 1, "by how much angles are stretched"),
	count("original_max_position_embeddings", 0, "longest sequence before angles were stretched"),
	number("low_freq_factor", 0, "turns below which angles are stretched"),
	number("high_freq_factor", 0, "turns above which angles stay"),
	number("beta_fast", 0, "turns above which angles stay"),
	number("beta_slow", 0, "turns below which angles are stretched"),
	number("attention_factor", 0, "factor of turned queries and keys"),
	flag("truncate", true, "yarn's blend begins and ends at whole pairs of features"),
	series("long_factor", "what each pair's angle is divided by in long sequences"),
	series("short_factor", "what it is divided by in others"),
	number("long_mscale", 0, "factor of turned queries and keys in long sequences"),
	number("short_mscale", 0, "that factor in others"),
	number("mscale", 0, "strength of that factor"),
	number("mscale_all_dim", 0, "strength of the factor of all scores"),
	object("full_attention", "the angles of layers that see all tokens"),
	object("sliding_attention", "the angles of layers with a window"),
}

// A turning is rotary position embedding as a configuration has it.
type turning struct {
	theta, share                             float64
	scaling                                  string
	factor, low, high, fast, slow, attention float64
	original                                 int64
	truncate                                 bool
	long, short                              []float64
	scale                                    float64 // of all scores, as DeepSeek's yarn has it; 1 for none
	local                                    float64 // base in layers with a window, 0 where it is not apart
}

// turning reads rope_theta and rope_scaling, or rope_parameters.
func (c *config) turning() turning {
	t := turning{theta: c.number("rope_theta"), share: c.number("partial_rotary_factor"), scaling: "none", scale: 1, original: c.count("original_max_position_embeddings")}
	for _, name := range []string{"rope_scaling", "rope_parameters"} {
		if p, done := c.part(name, scalingFields); p != nil {
			t.stretch(p)
			done()
		}
	}
	if t.theta < 1 {
		c.contradict("rope_theta", "found %v, expected at least 1", t.theta)
	}
	if t.share > 1 {
		c.contradict("partial_rotary_factor", "found %v, expected at most 1", t.share)
	}
	return t
}

// stretch reads what one of the two objects says.
func (t *turning) stretch(p *config) {
	if full, done := p.part("full_attention", scalingFields); full != nil {
		t.stretch(full)
		done()
		if near, done := p.part("sliding_attention", scalingFields); near != nil {
			t.local = near.number("rope_theta")
			done()
		}
		return
	}
	kind := p.word("rope_type")
	scaling, ok := scalings[kind]
	if !ok {
		p.contradict("rope_type", "%q is not known, expected default, linear, dynamic, yarn, longrope or llama3", kind)
	}
	t.scaling = scaling
	t.theta = or(p.number("rope_theta"), t.theta)
	t.share = or(p.number("partial_rotary_factor"), t.share)
	if original := p.count("original_max_position_embeddings"); original > 0 {
		t.original = original
	}
	t.factor = p.number("factor")
	if t.factor < 1 {
		p.contradict("factor", "found %v, expected at least 1", t.factor)
	}
	t.low, t.high = p.number("low_freq_factor"), p.number("high_freq_factor")
	t.fast, t.slow = p.number("beta_fast"), p.number("beta_slow")
	t.truncate = p.flag("truncate")
	t.attention = p.number("attention_factor")
	t.long, t.short = list[float64](p, "long_factor"), list[float64](p, "short_factor")
	if long, short := p.number("long_mscale"), p.number("short_mscale"); long > 0 || short > 0 {
		if t.attention = long; long != short {
			p.unsaid("short_mscale", "long sequences and short ones have one factor of queries and keys, that of long_mscale; counts are not affected")
		}
	}
	mscale, all := p.number("mscale"), p.number("mscale_all_dim")
	if t.scaling == "yarn" && mscale > 0 && all > 0 {
		t.attention = or(t.attention, strength(t.factor, mscale)/strength(t.factor, all))
	}
	if t.scaling == "yarn" && all > 0 {
		t.scale = strength(t.factor, all) * strength(t.factor, all)
	}
}

// strength is yarn's factor for a stretching: 0.1 · m · ln(factor) + 1.
func strength(factor, m float64) float64 { return 0.1*m*math.Log(factor) + 1 }

func or(x, otherwise float64) float64 {
	if x == 0 {
		return otherwise
	}
	return x
}

// rope is the side input of a decoder whose heads are of a width.
func (t turning) rope(c *config, id string, headDim, context int64, interleaved bool) side {
	turned := int64(float64(headDim) * t.share)
	if turned%2 != 0 {
		c.contradict("partial_rotary_factor", "%v of a head of %d turns %d features, but features turn in pairs", t.share, headDim, turned)
	}
	p := params{"dim", headDim, "theta", t.theta, "maxSeqLen", context, "partialRotaryFactor", t.share, "interleaved", interleaved}
	if t.scaling == "longrope" {
		t.factor = max(1, float64(context)/float64(max(1, t.original)))
	}
	if t.scaling != "none" {
		p = append(p, "scaling", t.scaling, "factor", t.factor)
	}
	if t.scaling == "llama3" || t.scaling == "yarn" || t.scaling == "longrope" {
		p = append(p, "originalMaxSeqLen", t.original)
	}
	if t.scaling == "llama3" {
		p = append(p, "lowFreqFactor", t.low, "highFreqFactor", t.high)
	}
	if t.scaling == "longrope" {
		if p = append(p, "attentionFactor", t.attention); t.long != nil && t.short != nil {
			p = append(p, "longFactors", t.long, "shortFactors", t.short)
		}
	}
	if t.scaling == "yarn" {
		p = append(p, "betaFast", t.fast, "betaSlow", t.slow, "truncate", t.truncate, "attentionFactor", t.attention)
	}
	return side{id: id, typ: "rope", p: p}
}

// alibi is the side input of a decoder with linear biases.
func alibi(id string, heads int64) side {
	return side{id: id, typ: "alibi", p: params{"numHeads", heads}}
}

// split is the width of a head, where no field gives it.
func (c *config) split(width, heads int64, widthField, headsField string) int64 {
	if width%heads != 0 {
		c.contradict(headsField, "%d heads do not divide %s, %d", heads, widthField, width)
	}
	return max(1, width/heads)
}

// shared checks that query heads share those of keys and values evenly.
func (c *config) shared(heads, kv int64, name string) int64 {
	if kv == 0 {
		return heads
	}
	if heads%kv != 0 {
		c.contradict(name, "%d heads of keys and values cannot serve %d query heads evenly", kv, heads)
	}
	return kv
}
