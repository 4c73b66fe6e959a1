package cli

import (
	"flag"
	"fmt"
	"slices"
	"strings"

	"github.com/strata-catalog/strata/generator/reference"
	"github.com/strata-catalog/strata/generator/verify"
	"github.com/strata-catalog/strata/generator/words"
)

var rulesCommand = &Command{
	Name:  "rules",
	Args:  "[RULE]",
	Short: "list the rules of the verifier, or explain one of them",
	Long: `Lists the rules by which graphs are judged, by group. With a RULE, which is the
word in brackets at the end of a finding, explains it: when it fires, why that
matters, what to do, and two graphs, of which it fires on the first. With
--format json the answer is a list of rules, or the rule.

Exit code 0: listed. 2: a rule that does not exist, or wrong usage.`,
	Setup: func(fs *flag.FlagSet) func(*Session, []string) error {
		c := &rules{}
		choose(fs, &c.format, "format", "`FORMAT` of the answer", "text", "json")
		widthFlag(fs, &c.width)
		return c.run
	},
}

type rules struct {
	format string
	width  int
}

func (c *rules) run(s *Session, args []string) error {
	if len(args) > 1 {
		return onlyOne("rules", "rule", args)
	}
	if len(args) == 1 {
		r, ok := verify.Lookup(args[0])
		if !ok {
			return usage("rules: %q is no rule%s (see strata rules)", args[0], words.DidYouMean(args[0], ruleIDs()))
		}
		return c.one(s, reference.RuleOf(r))
	}
	list := make([]reference.Rule, len(verify.All))
	for i, r := range verify.All {
		list[i] = reference.RuleOf(r)
	}
	if c.format == "json" {
		return s.json(list)
	}
	return listRules(s.screen(c.width), list)
}

func ruleIDs() []string {
	ids := make([]string, len(verify.All))
	for i, r := range verify.All {
		ids[i] = r.ID
	}
	return ids
}

var severityStyle = map[verify.Severity]style{verify.Error: red, verify.Warning: yellow, verify.Advice: cyan}

// listRules lists the rules of each group.
func listRules(sc *screen, list []reference.Rule) error {
	var groups []verify.Group
	for _, r := range list {
		if !slices.Contains(groups, r.Group) {
			groups = append(groups, r.Group)
		}
	}
	t := &table{columns: []column{{}, {}, {least: 24, wraps: true}}}
	for k, group := range groups {
		if k > 0 {
			t.add(ordinary, "", "", "")
		}
		t.add(bold, string(group), "", "")
		for _, r := range list {
			if r.Group == group {
				t.add(severityStyle[r.Severity], "  "+r.ID, string(r.Severity), r.Title)
			}
		}
	}
	return t.write(sc)
}

// one explains a rule.
func (c *rules) one(s *Session, r reference.Rule) error {
	if c.format == "json" {
		return s.json(r)
	}
	sc := s.screen(c.width)
	sc.title(r.Title, r.ID)
	sc.paragraph("severity  ", string(r.Severity))
	sc.paragraph("group     ", string(r.Group))
	sc.paragraph("fires     ", r.Trigger)
	sc.paragraph("why       ", r.Why)
	sc.paragraph("fix       ", r.Fix)
	sc.paragraph("source    ", r.Source)
	fmt.Fprintln(sc)
	sc.paragraph("example   ", r.Example.About)
	sc.listing("It fires on", string(r.Example.Bad))
	sc.listing("It does not fire on", string(r.Example.Good))
	return nil
}

// listing prints a text as it stands, set in.
func (sc *screen) listing(title, text string) {
	fmt.Fprintf(sc, "\n%s:\n\n", title)
	for line := range strings.Lines(strings.TrimSpace(text)) {
		fmt.Fprintf(sc, "    %s\n", strings.TrimRight(line, "\n"))
	}
}
