package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/strata-catalog/strata/generator/api"
	"github.com/strata-catalog/strata/generator/mcp"
	"github.com/strata-catalog/strata/generator/ops"
	"github.com/strata-catalog/strata/generator/policy"
)

// developer is the page for developers.
func developer(t *testing.T) string {
	t.Helper()
	src, err := os.ReadFile("../../content/developer.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(src)
}

// chapter is the text under a heading.
func chapter(t *testing.T, text, heading string) string {
	t.Helper()
	_, rest, found := strings.Cut(text, "\n## "+heading+"\n")
	if !found {
		t.Fatalf("there is no chapter %s", heading)
	}
	rest, _, _ = strings.Cut(rest, "\n## ")
	return rest
}

// tableUnder reads the rows of the first table under a heading whose head is
// the given one.
func tableUnder(t *testing.T, text, heading, head string) (rows [][]string) {
	t.Helper()
	_, rest, found := strings.Cut(chapter(t, text, heading), "\n"+head+"\n|---")
	if !found {
		t.Fatalf("there is no table %s under %s", head, heading)
	}
	for _, line := range strings.Split(rest, "\n")[1:] {
		if !strings.HasPrefix(line, "| ") {
			break
		}
		rows = append(rows, strings.Split(strings.TrimSuffix(strings.TrimPrefix(line, "| "), " |"), " | "))
	}
	return rows
}

// same compares the rows of a table with those that are declared.
func same(t *testing.T, heading string, got, want [][]string) {
	t.Helper()
	join := func(rows [][]string) string {
		lines := make([]string, len(rows))
		for i, r := range rows {
			lines[i] = "| " + strings.Join(r, " | ") + " |"
		}
		return strings.Join(lines, "\n")
	}
	if join(got) != join(want) {
		t.Errorf("content/developer.md has under %s\n%s\nwant\n%s", heading, join(got), join(want))
	}
}

// TestDeveloperCommands: the table has commands as they are declared, and one
// for each operation.
func TestDeveloperCommands(t *testing.T) {
	rows := tableUnder(t, developer(t), "Command line", "| command | what it does |")
	var want [][]string
	listed := map[string]bool{}
	for _, r := range rows {
		name := strings.Fields(strings.Trim(r[0], "`"))[1]
		listed[name] = true
		c, err := session().command(name)
		if err != nil {
			t.Error(err)
			continue
		}
		want = append(want, []string{"`" + strings.ReplaceAll(c.usageLine(), "|", `\|`) + "`", c.Short})
	}
	same(t, "Command line", rows, want)
	for _, o := range ops.All {
		if !listed[doors[o.Name]] {
			t.Errorf("content/developer.md does not list strata %s", doors[o.Name])
		}
	}
}

// TestDeveloperPolicy: the table has every key of a policy with its words, and
// the example is one that can be read.
func TestDeveloperPolicy(t *testing.T) {
	text := developer(t)
	want := [][]string{}
	for _, l := range policy.Lines {
		value := l.Value
		switch {
		case l.Setting():
			value = fmt.Sprintf("%s; %s when not given", oneOf(l.Known), l.Default)
		case l.Key == "must_fit":
			value = "the name of a card"
		case l.List():
			value = "a list of layer types"
		}
		want = append(want, []string{"`" + l.Key + "`", value, l.Doc})
	}
	want = append(want, []string{"`assumptions`", "a mapping", "what estimates assume, as in content/site.yaml"})
	same(t, "Policy", tableUnder(t, text, "Policy", "| key | value | meaning |"), want)

	_, example, _ := strings.Cut(chapter(t, text, "Policy"), "```yaml\n")
	example, _, _ = strings.Cut(example, "```")
	file := t.TempDir() + "/policy.yaml"
	if err := os.WriteFile(file, []byte(example), 0o666); err != nil {
		t.Fatal(err)
	}
	if p, err := readPolicy(file); err != nil || p.MaxParams == nil {
		t.Errorf("the example reads as %+v, %v", p, err)
	}
}

// TestDeveloperAction: the table has every input of the action, and the examples
// use what there is.
func TestDeveloperAction(t *testing.T) {
	text := developer(t)
	var action struct {
		Inputs yaml.MapSlice `yaml:"inputs"`
	}
	readYAML(t, "../../action.yml", &action)
	var want [][]string
	inputs := map[string]bool{}
	for _, input := range action.Inputs {
		about := map[string]string{}
		for k, v := range input.Value.(map[string]any) {
			about[k] = fmt.Sprint(v)
		}
		given := "`" + about["default"] + "`"
		if about["default"] == "" {
			given = ""
		}
		inputs[input.Key.(string)] = true
		want = append(want, []string{"`" + input.Key.(string) + "`", strings.TrimSuffix(about["description"], "."), given})
	}
	same(t, "Continuous integration", tableUnder(t, text, "Continuous integration", "| input | meaning | default |"), want)

	var workflow struct {
		Jobs map[string]struct {
			Steps []struct {
				Uses string         `yaml:"uses"`
				With map[string]any `yaml:"with"`
			} `yaml:"steps"`
		} `yaml:"jobs"`
	}
	var hooks []struct {
		ID string `yaml:"id"`
	}
	var config struct {
		Repos []struct {
			Hooks []struct {
				ID   string   `yaml:"id"`
				Args []string `yaml:"args"`
			} `yaml:"hooks"`
		} `yaml:"repos"`
	}
	blocks := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(chapter(t, text, "Continuous integration"), -1)
	if len(blocks) != 2 {
		t.Fatalf("%d examples, want a workflow and a configuration of pre-commit", len(blocks))
	}
	for i, into := range []any{&workflow, &config} {
		if err := yaml.Unmarshal([]byte(blocks[i][1]), into); err != nil {
			t.Fatal(err)
		}
	}
	used := workflow.Jobs["graphs"].Steps[1]
	if !strings.HasPrefix(used.Uses, "strata-catalog/strata@") {
		t.Errorf("the workflow uses %s", used.Uses)
	}
	for name := range used.With {
		if !inputs[name] {
			t.Errorf("the action has no input %s", name)
		}
	}
	readYAML(t, "../../.pre-commit-hooks.yaml", &hooks)
	hook := config.Repos[0].Hooks[0]
	if hook.ID != hooks[0].ID {
		t.Errorf("there is no hook %s", hook.ID)
	}
	fs, _ := checkCommand.setup()
	if _, err := parse(fs, slices.Clone(hook.Args)); err != nil {
		t.Errorf("the arguments of the hook: %v", err)
	}
}

func readYAML(t *testing.T, name string, into any) {
	t.Helper()
	src, err := os.ReadFile(name)
	if err == nil {
		err = yaml.Unmarshal(src, into)
	}
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// TestDeveloperAPI: the table has every operation with its addresses, and the
// examples run against a server.
func TestDeveloperAPI(t *testing.T) {
	text := developer(t)
	var want [][]string
	for _, o := range ops.All {
		routes := api.Routes(o.Name)
		for i := range routes {
			routes[i] = "`" + routes[i] + "`"
		}
		want = append(want, []string{o.Name, strings.Join(routes, ", "), strings.TrimSuffix(o.Summary, ".")})
	}
	same(t, "API", tableUnder(t, text, "API", "| operation | request | what it does |"), want)

	for _, program := range []string{"bash", "curl", "jq"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("no %s", program)
		}
	}
	env, err := catalogued("../..")
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(api.New(api.Config{Env: func() *ops.Env { return env }, Limits: api.Default(), Version: Version}))
	defer s.Close()
	dir := t.TempDir()
	graph, err := os.ReadFile("../../templates/qwen3-8b/model.json")
	if err == nil {
		graph = bytes.ReplaceAll(graph, []byte(`"numKVHeads": 8`), []byte(`"numKVHeads": 4`))
		err = os.WriteFile(filepath.Join(dir, "model.json"), graph, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	examples := regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(chapter(t, text, "API"), -1)
	answers := []string{
		`^Verdict pass: `,
		`"card": "H100 80GB",\n +"dtype": "bf16",\n +"fits": true`,
		`^max_params broken: has 8,\d+,\d+,\d+ parameters, .*\nmust_fit broken: needs `,
		` has 151M fewer parameters than .*: 36 layers changed\.`,
		`(?m)^mixtral-8x7b$`,
	}
	if len(examples) != len(answers) {
		t.Fatalf("%d examples, want %d", len(examples), len(answers))
	}
	for i, e := range examples {
		c := exec.Command("bash", "-e", "-o", "pipefail", "-c", e[1])
		c.Dir, c.Env = dir, append(os.Environ(), "API="+s.URL)
		if out, err := c.CombinedOutput(); err != nil || !regexp.MustCompile(answers[i]).Match(out) {
			t.Errorf("%s%v\n%s\nwant %s", e[1], err, out, answers[i])
		}
	}
}

// TestDeveloperMCP: the table has every tool that is no operation, and the
// configurations start a command that there is.
func TestDeveloperMCP(t *testing.T) {
	var want [][]string
	for _, tool := range tools(t) {
		if _, is := ops.Lookup(tool.Name); !is {
			first, _, _ := strings.Cut(tool.Description, ". ")
			want = append(want, []string{"`" + tool.Name + "`", strings.TrimSuffix(first, ".")})
		}
	}
	same(t, "MCP", tableUnder(t, developer(t), "MCP", "| tool | what it does |"), want)
	blocks := regexp.MustCompile("(?s)```json\n(.*?)```").FindAllStringSubmatch(chapter(t, developer(t), "MCP"), -1)
	started := 0
	for _, b := range blocks {
		var config map[string]map[string]struct {
			Command string
			Args    []string
			URL     string
		}
		if err := json.Unmarshal([]byte(b[1]), &config); err != nil {
			t.Fatalf("%s: %v", b[1], err)
		}
		for _, servers := range config {
			s := servers["strata"]
			switch {
			case s.URL != "":
				if !strings.HasSuffix(s.URL, "/mcp") {
					t.Errorf("the address is %s", s.URL)
				}
				continue
			case s.Command != "strata" || len(s.Args) == 0:
				t.Errorf("starts %s %v", s.Command, s.Args)
				continue
			}
			c, err := session().command(s.Args[0])
			if err != nil {
				t.Error(err)
				continue
			}
			fs, _ := c.setup()
			if rest, err := parse(fs, s.Args[1:]); err != nil || len(rest) > 0 {
				t.Errorf("strata %v: %v, %v", s.Args, rest, err)
			}
			started++
		}
	}
	if started < 2 {
		t.Errorf("%d configurations start the server, want those of two kinds of clients", started)
	}
}

// tools are those of a server that may write.
func tools(t *testing.T) []*sdk.Tool {
	t.Helper()
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	here, there := sdk.NewInMemoryTransports()
	server := mcp.New(mcp.Config{Env: func() (*ops.Env, error) { return &ops.Env{}, nil }, Folder: root, Write: true, Version: Version})
	if _, err := server.Connect(t.Context(), there, nil); err != nil {
		t.Fatal(err)
	}
	client, err := sdk.NewClient(&sdk.Implementation{Name: "test"}, nil).Connect(t.Context(), here, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	list, err := client.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return list.Tools
}

// TestNamedCommands: the commands, flags and requests that pages tell of are
// there.
func TestNamedCommands(t *testing.T) {
	src, err := os.ReadFile("../site/testdata/golden/tiny.md")
	if err != nil {
		t.Fatal(err)
	}
	text := chapter(t, string(src), "Machine access")
	if commands, requests := strings.Count(text, "`strata "), strings.Count(text, "`POST "); commands < 3 || requests < 2 {
		t.Fatalf("the page of a template names %d commands and %d requests", commands, requests)
	}
	text += developer(t)
	for _, code := range regexp.MustCompile("`strata ([a-z]+)( [^`]*)?`").FindAllStringSubmatch(text, -1) {
		if code[1] == "help" {
			continue
		}
		c, err := session().command(code[1])
		if err != nil {
			t.Error(err)
			continue
		}
		fs, _ := c.setup()
		for _, name := range regexp.MustCompile(` --([a-z-]+)`).FindAllStringSubmatch(code[2], -1) {
			if fs.Lookup(name[1]) == nil {
				t.Errorf("%s: there is no flag --%s", code[0], name[1])
			}
		}
	}
	var routes []string
	for _, o := range ops.All {
		routes = append(routes, api.Routes(o.Name)...)
	}
	for _, r := range regexp.MustCompile("`((?:GET|POST) /[^`]*)`").FindAllStringSubmatch(text, -1) {
		if !slices.Contains(routes, r[1]) {
			t.Errorf("there is no %s", r[1])
		}
	}
}
