package export

import (
	"strings"
	"testing"
)

// TestLines has how statements of a method are wrapped: as ruff format does,
// which wrote what is wanted here.
func TestLines(t *testing.T) {
	for _, test := range []struct{ line, want string }{
		{"x = self.conv(x)  # [1, 64]", "        x = self.conv(x)  # [1, 64]"},
		{
			"position_embeddings = sum + self.position_embeddings.weight[: sum.shape[-2]]  # [1, 512, 128]", `
        # [1, 512, 128]
        position_embeddings = sum + self.position_embeddings.weight[: sum.shape[-2]]`,
		},
		{
			"self.layers = nn.ModuleList([Aaaaaaaaaaaaaaaaaaaaaaaaa(), Bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb(), Ccccccccccccccccccccc()])", `
        self.layers = nn.ModuleList(
            [
                Aaaaaaaaaaaaaaaaaaaaaaaaa(),
                Bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb(),
                Ccccccccccccccccccccc(),
            ]
        )`,
		},
		{
			"self.layers = nn.ModuleList([layer for _ in range(1000) for layer in (Aaaaaaaaaaaaaaaaaaaaaaa(), Bbbbbbbbbbbbbbbbbbbbb())])", `
        self.layers = nn.ModuleList(
            [
                layer
                for _ in range(1000)
                for layer in (Aaaaaaaaaaaaaaaaaaaaaaa(), Bbbbbbbbbbbbbbbbbbbbb())
            ]
        )`,
		},
		{
			`self.layers = nn.ModuleDict({"aaaaaaaaaaaaaaaa": nn.Linear(1000, 100000, bias=False), "bbbbbbbbbbbbbbbbbb": nn.Linear(10000, 10000)})`, `
        self.layers = nn.ModuleDict(
            {
                "aaaaaaaaaaaaaaaa": nn.Linear(1000, 100000, bias=False),
                "bbbbbbbbbbbbbbbbbb": nn.Linear(10000, 10000),
            }
        )`,
		},
		{
			"self.downsample = nn.Sequential(nn.Conv2d(64, 256, 1, stride=2, bias=False), nn.BatchNorm2d(256, eps=1e-3))", `
        self.downsample = nn.Sequential(
            nn.Conv2d(64, 256, 1, stride=2, bias=False), nn.BatchNorm2d(256, eps=1e-3)
        )`,
		},
		{
			"self.decoder.embed_tokens_long_name_long_name.weight = self.encoder.embed_tokens_long_name_long_name.weight", `
        self.decoder.embed_tokens_long_name_long_name.weight = (
            self.encoder.embed_tokens_long_name_long_name.weight
        )`,
		},
		{
			`self.decoder.embed_tokens_long_name_long_name.add_module("aaaaaaaaaaaaaaaaaaaaa", nn.Linear(10000, 1000, bias=False))`, `
        self.decoder.embed_tokens_long_name_long_name.add_module(
            "aaaaaaaaaaaaaaaaaaaaa", nn.Linear(10000, 1000, bias=False)
        )`,
		},
		{
			"def forward(self, xxxxxxxxxxxxxxxxxxxxxxxxxxx: Tensor, yyyyyyyyyyyyyyyyyyyyyyyyyyy: Tensor) -> tuple[Tensor, Tensor, Tensor]:", `
        def forward(
            self,
            xxxxxxxxxxxxxxxxxxxxxxxxxxx: Tensor,
            yyyyyyyyyyyyyyyyyyyyyyyyyyy: Tensor,
        ) -> tuple[Tensor, Tensor, Tensor]:`,
		},
		{
			"aaaaaaaaaaaaaaaaaaaaaaaa = self.fc_long_name(xxxxxxxxxxxxxxxxxxxxxxxxxxx.movedim(1, -1)).movedim(-1, 1)", `
        aaaaaaaaaaaaaaaaaaaaaaaa = self.fc_long_name(
            xxxxxxxxxxxxxxxxxxxxxxxxxxx.movedim(1, -1)
        ).movedim(-1, 1)`,
		},
		{
			"attention_of_tokens_to_image = self.mask_decoder.transformer.attention_of_tokens_to_image(queries, keys)", `
        attention_of_tokens_to_image = (
            self.mask_decoder.transformer.attention_of_tokens_to_image(queries, keys)
        )`,
		},
		{
			`attention_of_image_to_tokens = self.mask_decoder.transformer.layers[1].get_submodule("attention_of_image_to_tokens")(queries_long, keys_longer, values)`, `
        attention_of_image_to_tokens = self.mask_decoder.transformer.layers[
            1
        ].get_submodule("attention_of_image_to_tokens")(
            queries_long, keys_longer, values
        )`,
		},
		{
			"residual_long_name_long_name = residual_long_name_long_name_2 + residual_long_name_long_name_3", `
        residual_long_name_long_name = (
            residual_long_name_long_name_2 + residual_long_name_long_name_3
        )`,
		},
		{
			"residual_long_name_long_name = residual_long_name_long_name_2 + residual_long_name_long_name_3 * residual_long_name_long_name_4", `
        residual_long_name_long_name = (
            residual_long_name_long_name_2
            + residual_long_name_long_name_3 * residual_long_name_long_name_4
        )`,
		},
		{
			"octave_of_the_distance = (distance.clamp(min=1) / exact).log() / math.log(self.max_distance / exact)", `
        octave_of_the_distance = (distance.clamp(min=1) / exact).log() / math.log(
            self.max_distance / exact
        )`,
		},
		{
			"features_long_name = residual_long_name_long_name_a + self.long_long_long_long_long.weight[: residual_long_name_long_name.shape[-2]]", `
        features_long_name = (
            residual_long_name_long_name_a
            + self.long_long_long_long_long.weight[
                : residual_long_name_long_name.shape[-2]
            ]
        )`,
		},
		{
			"mha_1 = self.mha_1(norm_attn_1.flatten(1).transpose(0, 1)).transpose(0, 1).unflatten(1, (1, 61))", `
        mha_1 = (
            self.mha_1(norm_attn_1.flatten(1).transpose(0, 1))
            .transpose(0, 1)
            .unflatten(1, (1, 61))
        )`,
		},
		{
			`neighbours = torch.zeros_like(x).index_reduce(x.dim() - 2, target, x[..., source, :], "amax", include_self=False)`, `
        neighbours = torch.zeros_like(x).index_reduce(
            x.dim() - 2, target, x[..., source, :], "amax", include_self=False
        )`,
		},
		{
			"features_long_name = torch.cat((residual_long_name_long_name, residual_long_name_long_name_2, residual_long_name_long_name_3), dim=-1)", `
        features_long_name = torch.cat(
            (
                residual_long_name_long_name,
                residual_long_name_long_name_2,
                residual_long_name_long_name_3,
            ),
            dim=-1,
        )`,
		},
		{
			"return residual_long_name_long_name, residual_long_name_long_name_2, residual_long_name_long_name_3", `
        return (
            residual_long_name_long_name,
            residual_long_name_long_name_2,
            residual_long_name_long_name_3,
        )`,
		},
	} {
		l := lines{indent: 2}
		l.add(test.line)
		if got, want := strings.TrimSuffix(l.b.String(), "\n"), strings.TrimPrefix(test.want, "\n"); got != want {
			t.Errorf("%s\ngot\n%s\nwant\n%s", test.line, got, want)
		}
	}
}

// TestCamel has the names of classes.
func TestCamel(t *testing.T) {
	for name, want := range map[string]string{
		"ResNet-50": "ResNet50", "qwen3-8b": "Qwen3_8b", "Qwen3-8B": "Qwen3_8B", "self_attn": "SelfAttn",
		"1st": "Model1st", "層": "Model", "": "Model", "ViT-B/16": "ViTB16", "GPT-2 124M": "GPT2_124M", "none": "None",
	} {
		if got := camel(name); got != want {
			t.Errorf("%q is %s, want %s", name, got, want)
		}
	}
}

// TestComment has text that stands in docstrings.
func TestComment(t *testing.T) {
	for text, want := range map[string]string{
		"a\nb\tc":               "a b c",
		`""" + exec("x")`:       "''' + exec('x')",
		`back\slash`:            "back'slash",
		"\u202eright\u2028line": "right line",
		"  été 層  ":             "été 層",
	} {
		if got := comment(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

// TestPeriod has what a list of modules repeats.
func TestPeriod(t *testing.T) {
	for list, want := range map[string]int{"A": 1, "A A A": 1, "A B": 2, "A B A B": 2, "A A B A A B": 3, "A B A": 3, "A B B A B B B": 7} {
		if got := period(strings.Fields(list)); got != want {
			t.Errorf("%s repeats after %d, want %d", list, got, want)
		}
	}
}
