package cli

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"

	"github.com/strata-catalog/strata/generator/cost"
	"github.com/strata-catalog/strata/generator/diff"
	"github.com/strata-catalog/strata/generator/facts"
	"github.com/strata-catalog/strata/generator/github"
	"github.com/strata-catalog/strata/generator/history"
	"github.com/strata-catalog/strata/generator/page"
	"github.com/strata-catalog/strata/generator/pipeline"
	"github.com/strata-catalog/strata/generator/render"
)

var changesCommand = &Command{
	Name:  "changes",
	Args:  "[FILE…]",
	Short: "show what has changed in the graphs of a git repository",
	Long: `Compares each graph document of the working tree with what it was in a commit of
git, and says what that costs: those that were added, removed, renamed or changed.
FILE is a document or a folder; without one, every model.json of the repository is
looked at. With --base main, only what this side of the history has done counts.
Estimates are made under the assumptions that hold without settings.

--format md makes Markdown for a comment, of at most --limit bytes: details, then
rows are left out, and the text says how many. --comment also writes it to the
pull request that a workflow of GitHub runs for, or changes the comment that an
earlier run has written. It wants GITHUB_TOKEN, and the variables that every
runner has.

Exit code 0: told, whether something has changed or not. 2: no repository, no such
commit, or wrong usage.`,
	Setup: func(fs *flag.FlagSet) func(*Session, []string) error {
		c := &changes{}
		choose(fs, &c.format, "format", "`FORMAT` of the answer", "text", "md", "json")
		fs.StringVar(&c.base, "base", "HEAD", "`REVISION` to compare with")
		c.limit = 60_000
		fs.Var(&natural{&c.limit}, "limit", "most `BYTES` of Markdown; GitHub takes 65536 characters")
		fs.BoolVar(&c.comment, "comment", false, "write the Markdown to the pull request too")
		return c.run
	},
}

type changes struct {
	format, base string
	limit        int
	comment      bool
}

// marker tells the comment of this command from others.
const marker = "<!-- strata changes -->"

func (c *changes) run(s *Session, files []string) error {
	told, err := c.look(s, files)
	if err != nil {
		return &Failure{2, printable(err.Error())}
	}
	list := make([]page.Change, len(told.Changes))
	for k := range list {
		list[k].Change = &told.Changes[k]
		if d := told.Changes[k].Diff; d != nil {
			list[k].Diff = page.NewDiff(d, nil)
		}
	}
	base := told.Base[:min(len(told.Base), 12)]
	text := render.Changes(base, list, c.limit)
	switch c.format {
	case "json":
		err = s.json(told)
	case "md":
		_, err = s.Stdout.Write(text)
	default:
		err = c.text(s, list, base)
	}
	if err != nil || !c.comment {
		return err
	}
	p, err := github.From(os.Getenv)
	if err == nil {
		err = p.Comment(s, marker, string(text), len(list) > 0)
	}
	if err != nil {
		return &Failure{2, "changes: --comment: " + printable(err.Error())}
	}
	return nil
}

// text has a line for each document.
func (c *changes) text(s *Session, list []page.Change, base string) error {
	if len(list) == 0 {
		_, err := fmt.Fprintf(s.Stdout, "no graph document differs from %s\n", base)
		return err
	}
	for k := range list {
		if _, err := fmt.Fprintf(s.Stdout, "%s: %s: %s\n", printable(list[k].File), list[k].Status, printable(list[k].Headline())); err != nil {
			return err
		}
	}
	return nil
}

// look asks git what differs, and analyses both sides of it.
func (c *changes) look(s *Session, files []string) (*facts.Changes, error) {
	repository, err := history.Open(s, ".")
	if err != nil {
		return nil, err
	}
	told := &facts.Changes{}
	if told.Base, err = repository.Since(s, c.base); err != nil {
		return nil, err
	}
	found, err := repository.Changes(s, told.Base, files...)
	if err != nil {
		return nil, err
	}
	for _, f := range found {
		change, err := changed(s, repository, told.Base, f)
		if err != nil {
			return nil, err
		}
		told.Changes = append(told.Changes, *change)
	}
	slices.SortFunc(told.Changes, func(a, b facts.Change) int { return cmp.Compare(a.File, b.File) })
	return told, nil
}

// changed analyses one document before and after. What is wrong with a document
// is part of the answer.
func changed(s *Session, r *history.Repository, base string, f history.Change) (*facts.Change, error) {
	c := &facts.Change{File: cmp.Or(f.After, f.Before), Status: diff.Changed}
	var before, after *pipeline.Report
	if f.Before != "" {
		src, err := r.Before(s, base, f.Before)
		if err != nil {
			return nil, err
		}
		if before, err = pipeline.Run(f.Before, src); err != nil {
			c.BeforeError = err.Error()
		} else {
			c.Before = facts.Checked(before)
		}
	}
	if f.After != "" {
		_, src, err := read(nil, r.File(f.After))
		if err == nil {
			after, err = pipeline.Run(f.After, src)
		}
		if err != nil {
			c.AfterError = err.Error()
		} else {
			c.After = facts.Checked(after)
		}
	}
	switch {
	case f.Before == "":
		c.Status = diff.Added
	case f.After == "":
		c.Status = diff.Removed
	case f.Before != f.After:
		c.Was = f.Before
	}
	if before == nil || after == nil || before.Broken() || after.Broken() {
		return c, nil
	}
	a, err := side(before, page.NameBefore)
	b, other := side(after, page.NameAfter)
	if err = errors.Join(err, other); err != nil {
		return nil, err
	}
	c.Diff = facts.Compared(diff.Compare(a, b)).Differences()
	c.Diff.Sides.A.Name, c.Diff.Sides.B.Name = c.Before.Name, c.After.Name
	if c.Diff.Identical {
		c.Status = diff.Same
	}
	return c, nil
}

// side is one side of a change, under a name that the headline can use.
func side(r *pipeline.Report, name string) (diff.Subject, error) {
	plan, err := cost.New(r.Model, cost.Default())
	return diff.Subject{ID: r.Doc.ID, Name: name, Plan: plan}, err
}
