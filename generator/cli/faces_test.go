package cli

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/strata-catalog/strata/generator/api"
	"github.com/strata-catalog/strata/generator/mcp"
	"github.com/strata-catalog/strata/generator/ops"
)

// A face is a way to ask an operation: it takes the parameters, and returns the
// answer as it comes.
type face struct {
	name string
	ask  func(t *testing.T, w *world, c asked) string
}

// faces are the ways that are compared with the command line. One that comes
// later has a row here.
var faces = []face{
	{"HTTP", overHTTP},
	{"MCP", overMCP},
}

// asked is one question, as each face asks it.
type asked struct {
	op, params string
	args       []string // of the command line
	// same makes what the command prints of the answer, where the command has a
	// form of its own.
	same func(answer string) string
}

// questions are asked of every face. The command line reads model.json, faulty.json
// and config.json; other faces have @model, @faulty and @config in parameters.
var questions = map[string]asked{
	"templates":             {"templates", `{}`, strings.Fields("templates --format json"), nil},
	"templates, found":      {"templates", `{"query": "mixture experts", "full": true}`, strings.Fields("templates mixture experts --full --format json"), nil},
	"all of a template":     {"show", `{"template": "gpt2", "full": true}`, strings.Fields("show gpt2 --format json"), nil},
	"all of a graph":        {"show", `{"model": @model, "full": true}`, strings.Fields("show model.json --format json"), nil},
	"a layer":               {"show", `{"template": "gpt2", "layer": "transformer.h.3.attn"}`, strings.Fields("show gpt2 --layer transformer.h.3.attn --format json"), nil},
	"a block":               {"show", `{"template": "qwen3-8b", "block": "decoder"}`, strings.Fields("show qwen3-8b --block decoder --format json"), nil},
	"a good graph":          {"check", `{"model": @model}`, strings.Fields("check model.json --format json"), line},
	"a graph with faults":   {"check", `{"model": @faulty}`, strings.Fields("check faulty.json --format json"), line},
	"a broken policy":       {"check", `{"model": @model, "policy": {"max_params": 1000, "must_fit": "T4 16GB", "forbid_types": ["gelu"], "dtype": "int8"}}`, strings.Fields("check model.json --policy limits.yaml --format json"), line},
	"a plan":                {"plan", `{"model": @model, "assumptions": {"batch": 4, "cache_dtype": "int8"}, "gpus": ["h100", "t4"], "dtypes": ["int4"]}`, strings.Fields("plan model.json --batch 4 --cache-dtype int8 --gpu h100,t4 --dtype int4 --format json"), nil},
	"a plan of a template":  {"plan", `{"template": "mixtral-8x7b"}`, strings.Fields("plan mixtral-8x7b --format json"), nil},
	"a diff":                {"diff", `{"a": {"template": "gpt2"}, "b": {"template": "qwen3-8b"}}`, strings.Fields("diff gpt2 qwen3-8b --format json"), nil},
	"a diff with a graph":   {"diff", `{"a": {"template": "gpt2"}, "b": @model, "only_changes": true}`, strings.Fields("diff gpt2 model.json --only-changes --format json"), nil},
	"a template as PyTorch": {"export", `{"template": "resnet-50"}`, strings.Fields("export resnet-50"), source},
	"a graph as PyTorch":    {"export", `{"model": @model}`, strings.Fields("export model.json"), source},
	"a rule":                {"explain", `{"name": "unknown-edge"}`, strings.Fields("rules unknown-edge --source . --format json"), nil},
	"a layer type":          {"explain", `{"name": "rmsNorm"}`, strings.Fields("layers rmsNorm --format json"), nil},
	"a configuration":       {"import", `{"config": @config, "id": "mine"}`, strings.Fields("import hf config.json --id mine"), document},
	"a graph beyond 2^53":   {"check", `{"model": @huge}`, strings.Fields("check huge.json --format json"), line},
	"an unknown layer":      {"check", `{"model": @patched}`, strings.Fields("check patched.json --format json"), line},
}

// line is an answer as check prints it: on one line, after the name of the file.
func line(answer string) string {
	var b bytes.Buffer
	if err := json.Compact(&b, []byte(answer)); err != nil {
		return err.Error()
	}
	return b.String()
}

// source is the file in the answer of an export.
func source(answer string) string {
	var a ops.Exported
	if err := json.Unmarshal([]byte(answer), &a); err != nil {
		return err.Error()
	}
	return a.Source
}

// document is the graph in the answer of an import, on one line.
func document(answer string) string {
	var a struct{ Model json.RawMessage }
	if err := json.Unmarshal([]byte(answer), &a); err != nil {
		return err.Error()
	}
	return line(string(a.Model))
}

// world is a catalog and some documents, for every face.
type world struct {
	dir  string
	env  *ops.Env
	docs map[string]string
}

const model = `{"id": "mine", "name": "Mine", "components": [
  {"id": "tokens", "type": "input", "params": {"shape": [1, 128]}},
  {"id": "embed", "type": "embedding", "params": {"numEmbeddings": 1000, "embeddingDim": 64}, "inputs": ["tokens"]},
  {"id": "layers", "block": "decoder", "repeat": 4, "inputs": ["embed"]},
  {"id": "head", "type": "linear", "params": {"outFeatures": 1000}, "inputs": ["layers"]},
  {"id": "logits", "type": "output", "inputs": ["head"]}
], "blocks": {"decoder": {"inputs": ["x"], "components": [
  {"id": "norm", "type": "rmsNorm", "inputs": ["x"]},
  {"id": "attn", "type": "causalAttention", "params": {"numHeads": 4}, "inputs": ["norm"]},
  {"id": "add", "type": "add", "inputs": ["attn", "x"]}
], "output": "add"}}}
`

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{dir: t.TempDir(), docs: map[string]string{
		"model":   model,
		"faulty":  strings.Replace(model, `"inputs": ["layers"]`, `"inputs": ["lairs"]`, 1),
		"patched": strings.Replace(model, `"type": "rmsNorm"`, `"type": "rmsNrm"`, 1),
		"huge":    strings.Replace(model, `"numEmbeddings": 1000`, `"numEmbeddings": 9007199254740991`, 1),
		"config": `{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "intermediate_size": 128, "num_attention_heads": 4,
  "num_hidden_layers": 2, "vocab_size": 100, "hidden_act": "silu", "rms_norm_eps": 1e-6, "max_position_embeddings": 128, "tie_word_embeddings": false}`,
	}}
	put := func(name string, src []byte) {
		file := filepath.Join(w.dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, src, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range w.docs {
		put(name+".json", []byte(text))
	}
	for _, id := range []string{"gpt2", "mixtral-8x7b", "qwen3-8b", "resnet-50"} {
		for _, name := range []string{"templates/" + id + "/model.json", "content/a/" + id + ".md"} {
			src, err := os.ReadFile("../../" + name)
			if err != nil {
				t.Fatal(err)
			}
			put(name, src)
		}
	}
	put("limits.yaml", []byte("max_params: 1000\nmust_fit: T4 16GB\nforbid_types: [gelu]\ndtype: int8\n"))
	t.Chdir(w.dir)
	var err error
	if w.env, err = catalogued("."); err != nil {
		t.Fatal(err)
	}
	return w
}

// given are the parameters of a question, with the documents put in.
func (w *world) given(c asked) string {
	for name, text := range w.docs {
		c.params = strings.ReplaceAll(c.params, "@"+name, text)
	}
	return c.params
}

// TestFaces: one question has one answer, whichever face is asked.
func TestFaces(t *testing.T) {
	w := newWorld(t)
	seen := map[string]bool{}
	for name, c := range questions {
		seen[c.op] = true
		t.Run(name, func(t *testing.T) {
			want, stderr, code := call(t, "", c.args...)
			if code == 2 || want == "" {
				t.Fatalf("strata %s: code %d, %s", strings.Join(c.args, " "), code, stderr)
			}
			switch c.op {
			case "check":
				_, rest, _ := strings.Cut(want, `,`) // after the name of the file
				want = line("{" + rest)
			case "import":
				want = line(want)
			}
			for _, f := range faces {
				got := f.ask(t, w, c)
				if c.same != nil {
					got = c.same(got)
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s has another answer than the command line (-command line +%s):\n%s", f.name, f.name, diff)
				}
			}
		})
	}
	for _, o := range ops.All {
		if !seen[o.Name] {
			t.Errorf("no question is about operation %s", o.Name)
		}
	}
}

// overHTTP posts the parameters, or gets the address that they mean.
func overHTTP(t *testing.T, w *world, c asked) string {
	t.Helper()
	h := api.New(api.Config{Env: func() *ops.Env { return w.env }, Limits: api.Default(), Version: Version})
	method, path, _ := strings.Cut(api.Routes(c.op)[len(api.Routes(c.op))-1], " ")
	body := w.given(c)
	if method == http.MethodGet { // nothing can be sent
		var params map[string]any
		if err := json.Unmarshal([]byte(body), &params); err != nil {
			t.Fatal(err)
		}
		r := httptest.NewRequest(method, "/", nil)
		q := r.URL.Query()
		for name, value := range params {
			text, ok := value.(string)
			if !ok {
				src, _ := json.Marshal(value)
				text = string(src)
			}
			if strings.Contains(path, "{"+name+"}") {
				path = strings.Replace(path, "{"+name+"}", text, 1)
			} else {
				q.Set(name, text)
			}
		}
		path, body = path+"?"+q.Encode(), ""
	}
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, httptest.NewRequest(method, path, strings.NewReader(body)))
	src, err := io.ReadAll(rec.Result().Body)
	if err != nil || rec.Code != http.StatusOK {
		t.Fatalf("%s %s: status %d, %s, %v", method, path, rec.Code, src, err)
	}
	return string(src)
}

// overMCP calls the tool of an operation for all of its answer. Documents are
// files of its folder: a client writes parameters on one line, and findings name
// lines.
func overMCP(t *testing.T, w *world, c asked) string {
	t.Helper()
	folder, err := os.OpenRoot(w.dir)
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	params := regexp.MustCompile(`"(model|config)": @(\w+)`).ReplaceAllString(c.params, `"of": "$2.json"`)
	params = regexp.MustCompile(`@(\w+)`).ReplaceAllString(params, `"$1.json"`)
	switch given := strings.TrimSuffix(params, "}"); {
	case given == "{":
		t.Skip("over MCP a list of templates is a text, or has all of each")
	case !strings.Contains(params, `"full"`):
		params = given + `, "full": true}`
	}
	server := mcp.New(mcp.Config{Env: func() (*ops.Env, error) { return w.env, nil }, Folder: folder, Version: Version})
	here, there := sdk.NewInMemoryTransports()
	go func() { _ = server.Run(t.Context(), there) }()
	session, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), here, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	r, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: c.op, Arguments: json.RawMessage(params)})
	if err != nil {
		t.Fatal(err)
	}
	text := r.Content[0].(*sdk.TextContent).Text
	if r.IsError {
		t.Fatalf("%s %s: %s", c.op, params, text)
	}
	return text
}

// TestSiteAnswers: what the site publishes of a template is what is answered,
// member by member and byte for byte.
func TestSiteAnswers(t *testing.T) {
	w := newWorld(t)
	if _, stderr, code := call(t, "", "build", "--no-cache", "--out", "public"); code != 0 {
		t.Fatal(stderr)
	}
	members := func(src string) map[string]json.RawMessage {
		t.Helper()
		m := map[string]json.RawMessage{}
		if err := json.Unmarshal([]byte(src), &m); err != nil {
			t.Fatal(err)
		}
		return m
	}
	for _, id := range []string{"gpt2", "mixtral-8x7b", "resnet-50"} {
		src, err := os.ReadFile(filepath.Join("public", "a", id+".json"))
		if err != nil {
			t.Fatal(err)
		}
		published := members(string(src))
		for _, c := range []asked{
			{op: "check", params: `{"template": "` + id + `", "tensors": true}`},
			{op: "show", params: `{"template": "` + id + `", "full": true}`},
			{op: "plan", params: `{"template": "` + id + `"}`},
		} {
			answer := members(overHTTP(t, w, c))
			for name, value := range answer {
				if name == "notes" { // of a plan alone
					continue
				}
				if !bytes.Equal(published[name], value) {
					t.Errorf("%s of %s has another member %s: %.300s, published is %.300s", c.op, id, name, value, published[name])
				}
			}
			if c.op == "show" && len(answer) < 20 || answer["findings"] == nil && c.op != "show" {
				t.Errorf("%s of %s has %d members", c.op, id, len(answer))
			}
		}
	}
}
