package cli

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/strata-catalog/strata/generator/content"
	"github.com/strata-catalog/strata/generator/cost"
	"github.com/strata-catalog/strata/generator/graph"
	"github.com/strata-catalog/strata/generator/policy"
)

// aboutPolicy is what help says of the keys of a policy.
func aboutPolicy() string {
	var b strings.Builder
	for _, k := range content.Keys(policyFile{}) {
		fmt.Fprintf(&b, "  %-17s  %s", k.Name, k.Doc)
		if i := slices.IndexFunc(policy.Lines, func(l *policy.Line) bool { return l.Key == k.Name && l.Setting() }); i >= 0 {
			l := policy.Lines[i]
			fmt.Fprintf(&b, ": %s (default %s)", oneOf(l.Known), l.Default)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// A policyFile is what a file of check --policy says.
type policyFile struct {
	policy.Policy
	Assumptions content.Section `yaml:"assumptions" doc:"what estimates assume, as in content/site.yaml"`

	assumed cost.Assumptions
}

// readPolicy reads a policy with its assumptions.
func readPolicy(name string) (*policyFile, error) {
	src, err := os.ReadFile(name)
	if err != nil {
		return nil, &Failure{2, printable(unread(name, err).Error())}
	}
	p := &policyFile{assumed: cost.Default()}
	at, err := content.Decode(name, string(src), p)
	if err = errors.Join(err, p.Assumptions.Decode(&p.assumed)); err == nil {
		err = p.wrong(at.At)
	}
	if err != nil {
		lines := strings.Split(err.Error(), "\n")
		for i := range lines {
			lines[i] = printable(lines[i])
		}
		return nil, &Failure{2, strings.Join(lines, "\n")}
	}
	return p, nil
}

// wrong finds a value that a policy cannot have; at is the place of a path.
func (p *policyFile) wrong(at func(path string) graph.Position) error {
	if err := p.assumed.Check(); err != nil {
		return &graph.Error{Position: at("assumptions"), Msg: err.Error()}
	}
	if problem := p.Check(); problem != nil {
		return &graph.Error{Position: at(problem.Path), Path: problem.Path, Msg: problem.Msg}
	}
	return nil
}
