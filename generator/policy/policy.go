// Package policy holds models to limits: a policy is a few lines that a project
// sets, such as a largest number of parameters or a card that a model must fit
// on, and a model that breaks one of them fails as it does with an error.
//
// Policy declares the lines: the fields of the struct are their keys, the tags
// their words, units and bounds, and the table of checks what they ask. Judge
// holds a report to a policy; each line that is not kept becomes a finding.
//
// A policy is a promise. A figure of which only a lower bound is known keeps no
// line: where the bound is too large already the line is broken, else it is not
// known, and both fail.
//
// The package does no I/O. A policy is read as the settings of a site are, from
// YAML by content.Decode, or from JSON by its tags; Check looks at the values.
package policy

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/strata-catalog/strata/generator/cost"
	"github.com/strata-catalog/strata/generator/layer"
	"github.com/strata-catalog/strata/generator/words"
)

// A Policy is the lines that a model has to keep. What is nil or empty asks
// nothing.
type Policy struct {
	MaxParams       *int64   `yaml:"max_params" json:"max_params,omitzero" min:"1" unit:"parameters" doc:"most parameters, all experts included"`
	MaxActiveParams *int64   `yaml:"max_active_params" json:"max_active_params,omitzero" min:"1" unit:"parameters" doc:"most parameters that work on one token"`
	MaxLayers       *int64   `yaml:"max_layers" json:"max_layers,omitzero" min:"1" unit:"layers" doc:"most layers, inputs and outputs not counted"`
	MaxMemoryGB     *float64 `yaml:"max_memory_gb" json:"max_memory_gb,omitzero" min:"0.001" unit:"GB" doc:"most memory to serve it, or to train it, in decimal gigabytes"`
	MustFit         string   `yaml:"must_fit" json:"must_fit,omitzero" of:"card" unit:"GB" doc:"card that has to be enough to serve it, or to train it"`
	MaxCostUSD      *float64 `yaml:"max_cost_usd" json:"max_cost_usd,omitzero" min:"0.01" unit:"US dollars" doc:"highest price of training it from nothing, in US dollars"`
	ForbidTypes     []string `yaml:"forbid_types" json:"forbid_types,omitzero" of:"layer type" doc:"layer types that it must not have"`
	RequireTypes    []string `yaml:"require_types" json:"require_types,omitzero" of:"layer type" doc:"layer types that it must have"`
	Purpose         string   `yaml:"purpose" json:"purpose,omitzero" of:"purpose" default:"serving" doc:"what max_memory_gb and must_fit are about"`
	DType           string   `yaml:"dtype" json:"dtype,omitzero" of:"number format" default:"bf16" doc:"number format of the weights in serving"`
}

// The purposes.
const (
	Serving  = "serving"
	Training = "training"
)

// A Line is one key of a policy, as lists show it.
type Line struct {
	Key   string
	Doc   string
	Unit  string   // of what it limits; "" for none
	Value string   // what it takes: a whole number, a name, a list of names
	Known []string // the names that it takes, nil for numbers
	// Default is what holds where a setting is not given. A setting asks nothing
	// by itself.
	Default string
	Min     float64 // of a number

	field int
	check func(*judge) *Result
}

// Setting reports whether a line only says how others are meant.
func (l *Line) Setting() bool { return l.check == nil }

// List reports whether it takes several names.
func (l *Line) List() bool { return l.Value == "a list of names" }

// Lines lists what a policy can say, in declared order.
var Lines = declared()

// declared reads the fields of Policy. A line that has neither a check nor a
// default, or no words, is a mistake in this package.
func declared() []*Line {
	t := reflect.TypeFor[Policy]()
	lines := make([]*Line, t.NumField())
	for i := range lines {
		f := t.Field(i)
		l := &Line{Key: f.Tag.Get("yaml"), Doc: f.Tag.Get("doc"), Unit: f.Tag.Get("unit"), Default: f.Tag.Get("default"), Known: known(f.Tag.Get("of")), field: i}
		l.Min, _ = strconv.ParseFloat(f.Tag.Get("min"), 64)
		l.Value = map[reflect.Type]string{
			reflect.TypeFor[*int64]():   "a whole number",
			reflect.TypeFor[*float64](): "a number",
			reflect.TypeFor[string]():   "a name",
			reflect.TypeFor[[]string](): "a list of names",
		}[f.Type]
		l.check = checks[l.Key]
		if l.Doc == "" || l.Value == "" || (l.check == nil) != (l.Default != "") {
			panic("policy: " + f.Name + " needs words, a type that is known, and a check or a default")
		}
		lines[i] = l
	}
	return lines
}

// known lists the names of a kind, nil for no kind.
func known(kind string) (names []string) {
	switch kind {
	case "card":
		for _, c := range cost.Cards {
			names = append(names, c.Name)
		}
	case "number format":
		for _, d := range cost.DTypes {
			names = append(names, d.Name)
		}
	case "layer type":
		for _, t := range layer.All {
			names = append(names, t.Name)
		}
	case "purpose":
		names = []string{Serving, Training}
	}
	return names
}

// keys are the lines that ask for something.
func keys() (list []string) {
	for _, l := range Lines {
		if !l.Setting() {
			list = append(list, l.Key)
		}
	}
	return list
}

// A Problem is a value that a policy cannot have.
type Problem struct {
	Path string // of the value: forbid_types[1]; "" for the policy itself
	Msg  string
}

func (p *Problem) Error() string {
	if p.Path == "" {
		return p.Msg
	}
	return p.Path + ": " + p.Msg
}

// Check reports the first value, in declared order, that a policy cannot have:
// a number that is too small, or a name that is not declared. A policy that asks
// nothing is a problem too, since every model would keep it.
func (p *Policy) Check() *Problem {
	v := reflect.ValueOf(p).Elem()
	asks := false
	for _, l := range Lines {
		f := v.Field(l.field)
		if f.IsZero() {
			continue
		}
		asks = asks || !l.Setting()
		if problem := l.wrong(f); problem != nil {
			return problem
		}
	}
	if !asks {
		return &Problem{Msg: "found no line, expected at least one of " + strings.Join(keys(), ", ")}
	}
	return nil
}

// wrong finds what is wrong with the value of a line.
func (l *Line) wrong(v reflect.Value) *Problem {
	switch x := v.Interface().(type) {
	case *int64:
		return l.small(float64(*x), *x)
	case *float64:
		return l.small(*x, *x)
	case string:
		return l.unknown(l.Key, x)
	case []string:
		for i, name := range x {
			if problem := l.unknown(fmt.Sprintf("%s[%d]", l.Key, i), name); problem != nil {
				return problem
			}
		}
	}
	return nil
}

// small finds a number below the least; one that cannot be compared (NaN) is
// below any.
func (l *Line) small(x float64, written any) *Problem {
	if x >= l.Min {
		return nil
	}
	return &Problem{l.Key, fmt.Sprintf("found %v, expected %s of at least %v", written, l.Value, l.Min)}
}

// unknown looks a name up among those that the line takes.
func (l *Line) unknown(path, name string) *Problem {
	if slices.Contains(l.Known, name) {
		return nil
	}
	msg := fmt.Sprintf("found %s", words.Quote(name))
	if len(l.Known) <= 20 {
		return &Problem{path, msg + ", expected one of " + strings.Join(l.Known, ", ") + words.DidYouMean(name, l.Known)}
	}
	msg += ", expected a layer type"
	if near, _ := layer.NearestType(name); near != "" {
		msg += fmt.Sprintf("; nearest is %q", near)
	}
	return &Problem{path, msg + " (strata layers lists them)"}
}

// purpose is the purpose that holds.
func (p *Policy) purpose() string { return cmp.Or(p.Purpose, Serving) }

// dtype is the number format of the weights that holds.
func (p *Policy) dtype() string { return cmp.Or(p.DType, cost.BF16.Name) }
