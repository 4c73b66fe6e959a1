package cli

import (
	"flag"
	"fmt"
	"slices"

	"github.com/strata-catalog/strata/generator/cost"
	"github.com/strata-catalog/strata/generator/facts"
)

var planCommand = &Command{
	Name:  "plan",
	Args:  subjects,
	Short: "estimate memory, fit, speed and cost of a model",
	Long: `Estimates what a model takes: memory to serve and to train it, the cache of keys
and values, the cards that hold it and how fast they can be at most, and what its
training costs. Each assumption has a flag, and stands at the end of the answer.
` + aboutSubjects + `
For an ID the assumptions are those of content/site.yaml, and the training tokens
or images those of the content file, unless a flag says otherwise.

--dtype and --gpu choose what is shown: a part of a name stands for every name
that it is in, as h100 does for "H100 80GB".

Exit code 0: planned. 1: structural faults. 2: a file that cannot be read, an id
that does not exist, or wrong usage.`,
	Setup: func(fs *flag.FlagSet) func(*Session, []string) error {
		c := &plan{}
		choose(fs, &c.format, "format", "`FORMAT` of the answer", "text", "json")
		fs.Var(&selection{&c.dtypes, names(cost.DTypes, func(d cost.DType) string { return d.Name })}, "dtype", "`NAME` of the number formats of the weights to show, with commas; all when not given")
		fs.Var(&selection{&c.cards, names(cost.Cards, func(g cost.Card) string { return g.Name })}, "gpu", "`NAME` of the cards to show, with commas; all when not given")
		c.assumed.flags(fs)
		sourceFlag(fs, &c.source)
		widthFlag(fs, &c.width)
		return c.run
	},
}

type plan struct {
	format, source string
	dtypes, cards  []string
	assumed        assumed
	width          int
}

func names[T any](list []T, name func(T) string) []string {
	out := make([]string, len(list))
	for i, x := range list {
		out[i] = name(x)
	}
	return out
}

// A Planned is what plan says of a model in JSON.
type Planned struct {
	facts.Totals
	Memory      facts.Memory     `json:"memory" doc:"estimate of the memory to serve and to train the model"`
	Cost        facts.Cost       `json:"cost" doc:"estimate of the price of training and of the speed at most"`
	Assumptions cost.Assumptions `json:"assumptions" doc:"what the estimates assume"`
	Notes       []cost.Note      `json:"notes" doc:"how the figures come about, by the member that they are of"`
}

func (c *plan) run(s *Session, args []string) error {
	if err := onlyOne("plan", "model", args); err != nil {
		return err
	}
	sub, err := s.subject(c.source, args[0])
	if err != nil {
		return err
	}
	a, err := c.assumed.over(sub.assumptions)
	if err != nil {
		return &Failure{2, err.Error()}
	}
	p, err := cost.New(sub.Model, a)
	if err != nil {
		return &Failure{2, err.Error()}
	}
	m := sub.facts(c.narrow(p))
	if c.format == "json" {
		return s.json(Planned{m.Totals, m.Memory, m.Cost, m.Assumptions, notes(m.Plan)})
	}
	sc := s.screen(c.width)
	sc.title(m.Name, m.ID)
	return c.print(sc, m.Plan)
}

// narrow leaves the number formats and cards that are asked for.
func (c *plan) narrow(p *cost.Plan) *cost.Plan {
	q := *p
	dtype := func(name string) bool { return len(c.dtypes) == 0 || slices.Contains(c.dtypes, name) }
	card := func(name string) bool { return len(c.cards) == 0 || slices.Contains(c.cards, name) }
	q.Serving = keep(p.Serving, func(x cost.Serving) bool { return dtype(x.DType) })
	q.TrainingFits = keep(p.TrainingFits, func(x cost.Fit) bool { return card(x.Card) })
	q.ServingFits = keep(p.ServingFits, func(x cost.Fit) bool { return dtype(x.DType) && card(x.Card) })
	q.Speeds = keep(p.Speeds, func(x cost.Speed) bool { return dtype(x.DType) && card(x.Card) })
	return &q
}

func keep[T any](list []T, wanted func(T) bool) []T {
	return slices.DeleteFunc(slices.Clone(list), func(x T) bool { return !wanted(x) })
}

// notes are the words on the figures that a plan has.
func notes(p *cost.Plan) []cost.Note {
	return keep(cost.Notes, func(n cost.Note) bool {
		return (n.Of != "cache" || p.Cache != nil) && (n.Of != "pretraining" || p.Pretraining != nil)
	})
}

// section is a part of a printed plan.
type section struct {
	title string
	table *table
	notes []string // the members of the plan whose notes stand below
}

// print shows the plan, each table with the notes on its figures.
func (c *plan) print(sc *screen, p *cost.Plan) error {
	sections := []section{serving(p)}
	if p.Cache != nil {
		sections = append(sections, caches(p))
	}
	sections = append(sections, training(p))
	if len(p.TrainingFits) > 0 {
		sections = append(sections, fits(p), speeds(p))
	}
	if p.Pretraining != nil {
		sections = append(sections, pretraining(p))
	}
	if p.LowerBound {
		sc.paragraph("", "A weight or the work of a layer is not known: every figure may be larger.")
		fmt.Fprintln(sc)
	}
	for i, part := range append(sections, assumptions(p.Assumptions)) {
		if i > 0 {
			fmt.Fprintln(sc)
		}
		sc.heading(part.title)
		if err := part.table.write(sc); err != nil {
			return err
		}
		for _, n := range cost.Notes {
			if slices.Contains(part.notes, n.Of) {
				sc.note(n.Text)
			}
		}
	}
	return nil
}
