package words_test

import (
	"testing"

	"github.com/strata-catalog/strata/generator/words"
)

func TestNearest(t *testing.T) {
	types := []string{"linear", "conv2d", "layerNorm", "groupedQueryAttention", "relu", "relu6"}
	for _, c := range []struct{ word, want string }{
		{"lineer", "linear"}, {"Linear", "linear"}, {"conv2D", "conv2d"}, {"convd2", "conv2d"}, {"layernorm", "layerNorm"},
		{"groupedQeuryAtention", "groupedQueryAttention"}, {"rleu", "relu"}, {"attention", ""}, {"", ""}, {"x", ""},
	} {
		if got := words.Nearest(c.word, types); got != c.want {
			t.Errorf("Nearest(%q) = %q, want %q", c.word, got, c.want)
		}
	}
	if got := words.DidYouMean("lineer", types); got != `; nearest is "linear"` {
		t.Errorf("DidYouMean gives %q", got)
	}
}
