package site_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/google/go-cmp/cmp"

	"github.com/strata-catalog/strata/generator/cost"
	"github.com/strata-catalog/strata/generator/page"
	"github.com/strata-catalog/strata/generator/pipeline"
	"github.com/strata-catalog/strata/generator/site"
)

// odd has a layer whose weights and work are not known, so that every figure is
// a lower bound.
const odd = `{"id": "odd", "components": [
	{"id": "ids", "type": "input", "params": {"shape": [1, 32]}},
	{"id": "embed", "type": "embedding", "params": {"numEmbeddings": 100, "embeddingDim": 64}, "inputs": ["ids"]},
	{"id": "attn", "type": "multiHeadAttention", "params": {"numHeads": 4, "causal": true}, "inputs": ["embed"]},
	{"id": "what", "type": "custom", "inputs": ["attn"]},
	{"id": "y", "type": "output", "inputs": ["what"]}]}`

// fewGraphs is a few templates of the catalog: what they keep grows with all tokens,
// with a window, in a latent, not at all, and with an encoder's result; one
// reads images.
func fewGraphs(t *testing.T) map[string]string {
	graphs := map[string]string{"odd": odd}
	for _, id := range []string{"qwen3-8b", "gemma-2-9b", "deepseek-v3", "mamba-130m", "t5-small", "resnet-50"} {
		graphs[id] = read(t, "../../templates/"+id+"/model.json")
	}
	return graphs
}

// A setting is what a reader chose, by the names of the fields, and the
// assumptions that mean the same.
type setting struct {
	fields map[string]string
	a      cost.Assumptions
	format string
}

// TestPlanner sets the controls of memory and cost to a grid of values and
// compares what the page shows with what the plan says.
func TestPlanner(t *testing.T) {
	graphs := fewGraphs(t)
	var list []string
	for id, src := range graphs {
		list = append(list, id+"/model.json", src)
	}
	b := browse(t, build(t, site.Config{Templates: files(list...)}))
	for id, src := range graphs {
		t.Run(id, func(t *testing.T) {
			r, err := pipeline.Run(id, []byte(src))
			if err != nil {
				t.Fatal(err)
			}
			plan := func(a cost.Assumptions) *cost.Plan {
				p, err := cost.New(r.Model, a)
				if err != nil {
					t.Fatal(err)
				}
				return p
			}
			base := plan(cost.Default())
			b.open("a/" + id + ".html")
			b.expect("the controls are there", `document.querySelector(".controls").checkVisibility()`, "true")
			b.expect("the lines are where the page has them", `(() => {
				const lines = [...document.querySelectorAll(".lines polyline")], before = lines.map((l) => l.getAttribute("points"));
				document.querySelector("[data-plan=serving]").dispatchEvent(new Event("input"));
				const far = (a, b) => a.split(/[ ,]/).some((x, i) => Math.abs(x - b.split(/[ ,]/)[i]) > 0.11) || a.length < 20;
				return lines.filter((l, i) => far(l.getAttribute("points"), before[i])).length;
			})()`, "0")
			compareAnswers(t, b, "serving", servings(base), func(s setting) []page.Result {
				list, err := page.Served(plan(s.a), s.format, s.a.Card)
				if err != nil {
					t.Fatal(err)
				}
				return list
			})
			if base.Pretraining != nil {
				compareAnswers(t, b, "training", trainings(base), func(s setting) []page.Result { return page.Trained(plan(s.a).Pretraining) })
			}
		})
	}
}

// servings is the grid of serving.
func servings(p *cost.Plan) (list []setting) {
	for _, card := range []string{"T4 16GB", "H100 80GB", "MI300X 192GB"} {
		for _, d := range cost.DTypes {
			s := setting{map[string]string{"format": d.Name, "card": card}, cost.Default(), d.Name}
			s.a.Card = card
			if p.Cache == nil {
				list = append(list, s)
				continue
			}
			for _, cached := range cost.DTypes {
				for _, batch := range []int64{1, 7, 256} {
					for _, context := range []int64{1, 17, 4096, 131072, 3_000_001} {
						s := s
						s.a.CacheDType, s.a.Batch, s.a.Context = cached.Name, batch, context
						s.fields = map[string]string{"format": d.Name, "card": card, "cache": cached.Name, "batch": fmt.Sprint(batch), "context": fmt.Sprint(context)}
						list = append(list, s)
					}
				}
			}
		}
	}
	return list
}

// trainings is the grid of training.
func trainings(p *cost.Plan) (list []setting) {
	for _, units := range []int64{1, 999_950, 36_000_000_000_000, 1<<53 - 1} {
		for _, card := range []string{"T4 16GB", "B200 192GB"} {
			for _, mfu := range []string{"0.001", "0.4", "1"} {
				for _, price := range []string{"0", "2.5", "3.99"} {
					s := setting{map[string]string{"units": fmt.Sprint(units), "card": card, "mfu": mfu, "price": price}, cost.Default(), ""}
					s.a.Card = card
					if p.Units.Name == "token" {
						s.a.Tokens = units
					} else {
						s.a.Seen = units
					}
					for key, value := range map[string]string{"mfu": mfu, "price": price} {
						if err := s.a.Set(key, value); err != nil {
							panic(err) // the grid itself is wrong
						}
					}
					list = append(list, s)
				}
			}
		}
	}
	return list
}

// compareAnswers gives all settings to one form of the page.
func compareAnswers(t *testing.T, b *browser, form string, list []setting, want func(setting) []page.Result) {
	t.Helper()
	fields := make([]map[string]string, len(list))
	for i, s := range list {
		fields[i] = s.fields
	}
	src, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	text, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](fmt.Sprintf(`(() => {
		const form = document.querySelector("[data-plan=%s]");
		return JSON.stringify(%s.map((fields) => {
			for (const [name, value] of Object.entries(fields)) form.elements[name].value = value;
			form.dispatchEvent(new Event("input"));
			return [...form.querySelectorAll("[data-result]")].map((d) => [d.dataset.result, d.textContent, d.title]);
		}));
	})()`, form, src)))
	if err != nil {
		t.Fatal(err)
	}
	var got [][][3]string
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatal(err)
	}
	bad := 0
	for i, s := range list {
		var expected [][3]string
		for _, r := range want(s) {
			expected = append(expected, [3]string{r.Name, r.Text, r.Exact})
		}
		if diff := cmp.Diff(expected, got[i]); diff != "" {
			t.Errorf("%s with %v (-plan +page):\n%s", form, s.fields, diff)
			if bad++; bad == 3 {
				t.Fatal("and perhaps more")
			}
		}
	}
}

// TestPlannerRefuses: a setting that means nothing leaves the last answer.
func TestPlannerRefuses(t *testing.T) {
	b := browse(t, build(t, site.Config{Templates: files("qwen3-8b/model.json", read(t, "../../templates/qwen3-8b/model.json"))}))
	b.open("a/qwen3-8b.html")
	const total = `document.querySelector("[data-result=total]").textContent`
	const set = `(document.querySelector("[name=context]").value = "%s", document.querySelector("[data-plan=serving]").dispatchEvent(new Event("input")), ` + total + `)`
	b.expect("a context", fmt.Sprintf(set, "32768"), "22.2 GB")
	for _, text := range []string{"", "0", "-5", "1.5", "1e40", "words"} {
		b.expect("a context of "+text, fmt.Sprintf(set, text), "22.2 GB")
	}
	b.expect("the field says so", `document.querySelector("[name=context]").matches(":invalid")`, "true")
}
