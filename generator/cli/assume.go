package cli

import (
	"flag"
	"strings"

	"github.com/strata-catalog/strata/generator/cost"
)

// assumed are the assumptions that flags give. They hold over those of the
// catalog, which are known only later.
type assumed []given

type given struct{ key, text string }

// flags declares a flag for each assumption of package cost.
func (a *assumed) flags(fs *flag.FlagSet) {
	for _, x := range cost.Default().List() {
		fs.Var(&assumption{to: a, about: x}, x.Key, x.Doc)
	}
}

// over is other assumptions with those that are given.
func (a assumed) over(all cost.Assumptions) (cost.Assumptions, error) {
	for _, g := range a {
		if err := all.Set(g.key, g.text); err != nil {
			return all, err
		}
	}
	return all, nil
}

// isTruth reports whether an assumption is true or false.
func isTruth(x cost.Assumption) bool { return x.Value == "true" || x.Value == "false" }

// An assumption is the flag for one of them.
type assumption struct {
	to    *assumed
	about cost.Assumption
}

func (a *assumption) String() string { return a.about.Value }

// Set checks the value; whoever plans gives it to the assumptions.
func (a *assumption) Set(text string) error {
	trial := cost.Default()
	if err := trial.Set(a.about.Key, text); err != nil {
		return err
	}
	*a.to = append(*a.to, given{a.about.Key, text})
	return nil
}

// IsBoolFlag says that the flag needs no value.
func (a *assumption) IsBoolFlag() bool { return isTruth(a.about) }

// placeholder is what stands for the value in help: what it counts.
func (a *assumption) placeholder() string {
	switch {
	case isTruth(a.about):
		return ""
	case len(a.about.Known) > 0:
		return "NAME"
	case a.about.Unit == "":
		return "N"
	}
	return strings.ToUpper(a.about.Unit[strings.LastIndex(a.about.Unit, " ")+1:])
}

func (a *assumption) words() []string { return a.about.Known }
