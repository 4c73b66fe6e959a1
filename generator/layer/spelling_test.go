package layer

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

func TestNearestType(t *testing.T) {
	for _, c := range []struct {
		name, near string
		sure       bool
	}{
		{"silu", "swish", true},
		{"SiLU", "swish", true},
		{"nn.SiLU", "swish", true},
		{"gqa", "groupedQueryAttention", true},
		{"mha", "multiHeadAttention", true},
		{"MultiheadAttention", "multiHeadAttention", true},
		{"fc", "linear", true},
		{"Dense", "linear", true},
		{"torch.nn.BatchNorm2d", "batchNorm", true},
		{"layer_norm", "layerNorm", true},
		{"RMSNorm", "rmsNorm", true},
		{"Conv2D", "conv2d", true},
		{"concat", "concatenate", true},
		{"sum", "add", true},
		{"mul", "multiply", true},
		{"AveragePooling2D", "avgpool2d", true},
		{"MaxPool2d", "maxpool2d", true},
		{"embeddingTable", "embedding", true},

		{"lineer", "linear", true},
		{"rellu", "relu", true},
		{"convTranspse2d", "transposeConv2d", true},

		{"celu", "elu", false},
		{"reglu", "geglu", false},
		{"mamba3", "mamba", false},
		{"transposeConv1d", "transposeConv2d", false},
		{"groupedQeuryAtention", "groupedQueryAttention", false},
		{"quantumGate", "", false},
		{"", "", false},
		{"...", "", false},
		{strings.Repeat("relu", 50), "", false},
	} {
		if near, sure := NearestType(c.name); near != c.near || sure != c.sure {
			t.Errorf("NearestType(%q) = %q, %v, want %q, %v", c.name, near, sure, c.near, c.sure)
		}
	}
}

// Every spelling leads to its type, and none is a name.
func TestTypeSpellings(t *testing.T) {
	for _, typ := range All {
		for _, s := range typ.Also {
			if near, sure := NearestType(s); near != typ.Name || !sure {
				t.Errorf("%s, which is to mean %s, means %q (sure: %v)", s, typ.Name, near, sure)
			}
			if _, ok := Lookup(s); ok {
				t.Errorf("%s is a name, and a spelling of %s", s, typ.Name)
			}
		}
	}
}

func TestNearestParam(t *testing.T) {
	for _, c := range []struct {
		typ, name, near string
		sure            bool
	}{
		{"multiHeadAttention", "num_heads", "numHeads", true},
		{"multiHeadAttention", "n_heads", "numHeads", true},
		{"multiHeadAttention", "use_bias", "bias", true},
		{"multiHeadAttention", "hidden_size", "embedDim", true},
		{"multiHeadAttention", "d_model", "dModel", true},
		{"lstm", "hidden_size", "hiddenSize", true},
		{"rmsNorm", "rms_norm_eps", "eps", true},
		{"groupedQueryAttention", "num_key_value_heads", "numKVHeads", true},
		{"linear", "units", "outFeatures", true},
		{"conv2d", "kernalSize", "kernelSize", true},
		{"conv2d", "paddding", "padding", true},
		{"dropout", "rate", "p", true},

		{"multiHeadAttention", "numKVHeads", "numHeads", false},
		{"relu", "fanOut", "", false},
		{"relu", "", "", false},
	} {
		typ, ok := Lookup(c.typ)
		if !ok {
			t.Fatalf("no type %s", c.typ)
		}
		if near, sure := typ.NearestParam(c.name); near != c.near || sure != c.sure {
			t.Errorf("%s of %s is near %q, %v, want %q, %v", c.name, c.typ, near, sure, c.near, c.sure)
		}
	}
}

// Every parameter that has spellings is one of a type, and each of its
// spellings leads some type to it: none is hidden behind another everywhere.
func TestParamSpellings(t *testing.T) {
	for _, param := range slices.Sorted(maps.Keys(paramSpellings)) {
		for _, s := range paramSpellings[param] {
			leads := slices.ContainsFunc(All, func(typ *Type) bool {
				near, sure := typ.NearestParam(s)
				f, ok := typ.Field(near)
				return ok && sure && f.Name == param
			})
			if !leads {
				t.Errorf("%s leads no type to its parameter %s; remove it", s, param)
			}
		}
	}
}
