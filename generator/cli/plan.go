package cli

import (
	"flag"
	"fmt"
	"slices"

	"github.com/strata-catalog/strata/generator/cost"
	"github.com/strata-catalog/strata/generator/ops"
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
		fs.Var(&selection{&c.dtypes, ops.DTypes()}, "dtype", "`NAME` of the number formats of the weights to show, with commas; all when not given")
		fs.Var(&selection{&c.cards, ops.GPUs()}, "gpu", "`NAME` of the cards to show, with commas; all when not given")
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

func (c *plan) run(s *Session, args []string) error {
	if err := onlyOne("plan", "model", args); err != nil {
		return err
	}
	sub, err := s.subject(c.source, args[0])
	if err != nil {
		return err
	}
	if sub.Assumptions, err = c.assumed.over(sub.Assumptions); err != nil {
		return &Failure{2, err.Error()}
	}
	p, err := sub.Plan(ops.Only{DTypes: c.dtypes, GPUs: c.cards})
	if err != nil {
		return &Failure{2, err.Error()}
	}
	if c.format == "json" {
		return s.json(p)
	}
	sc := s.screen(c.width)
	sc.title(p.Name, p.ID)
	return c.print(sc, p.Plan)
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
