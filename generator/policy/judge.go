package policy

import (
	"fmt"
	"math"
	"math/big"
	"reflect"
	"slices"
	"strings"

	"github.com/strata-catalog/strata/generator/cost"
	"github.com/strata-catalog/strata/generator/format"
	"github.com/strata-catalog/strata/generator/graph"
	"github.com/strata-catalog/strata/generator/infer"
	"github.com/strata-catalog/strata/generator/pipeline"
	"github.com/strata-catalog/strata/generator/verify"
)

// A Status is what became of a line.
type Status string

// The statuses. Whatever is not kept fails.
const (
	Kept    Status = "kept"
	Broken  Status = "broken"
	Unknown Status = "unknown" // what is known does not tell
)

// Values lists them, for schemas.
func (Status) Values() []string { return []string{string(Kept), string(Broken), string(Unknown)} }

// A Result is what became of one line of a policy.
type Result struct {
	Line   string `json:"line" doc:"key of the line"`
	Status Status `json:"status" doc:"whether the model keeps it; unknown where what is known of the model does not tell, which fails too"`
	// Found, Allowed and Over are in the unit, and nil for lines about types.
	Found      Figure   `json:"found" doc:"what the model has, in the unit; null when nothing is known of it, and for lines about types"`
	LowerBound bool     `json:"found_is_lower_bound" doc:"whether it may have more than found"`
	Allowed    Figure   `json:"allowed" doc:"what the line allows, in the unit; null for lines about types"`
	Over       Figure   `json:"over" doc:"by how much found is more; null when the line is not broken"`
	Unit       string   `json:"unit" doc:"unit of the figures, empty for lines about types"`
	Types      []string `json:"types" doc:"layer types that break the line: those that are forbidden and there, or required and missing"`
	Components []string `json:"components" doc:"ids of the components that break it, where some do"`
	Message    string   `json:"message" doc:"the same in words"`

	at graph.Position
}

// A Figure is an exact number, nil where there is none. Its JSON is that of
// other numbers: a string of digits for whole ones beyond 2^53.
type Figure struct{ *big.Rat }

// MarshalJSON implements json.Marshaler.
func (f Figure) MarshalJSON() ([]byte, error) {
	switch {
	case f.Rat == nil:
		return []byte("null"), nil
	case !f.IsInt():
		x, _ := f.Float64()
		return fmt.Appendf(nil, "%v", x), nil
	case new(big.Int).Abs(f.Num()).Cmp(big.NewInt(graph.MaxNumber)) > 0:
		return fmt.Appendf(nil, "%q", f.Num().String()), nil
	}
	return []byte(f.Num().String()), nil
}

func whole(n int64) Figure { return Figure{new(big.Rat).SetInt64(n)} }

// real is a number as it is written, without the error of binary fractions.
func real(x float64) Figure {
	r, ok := new(big.Rat).SetString(fmt.Sprint(x))
	if !ok {
		return Figure{}
	}
	return Figure{r}
}

const gigabyte = 1_000_000_000

// gigabytes is a size in the unit of cards and of policies.
func gigabytes(bytes *big.Int) Figure {
	return Figure{new(big.Rat).SetFrac(bytes, big.NewInt(gigabyte))}
}

// exact is a whole figure in words, size one in gigabytes, dollars one of money.
func (f Figure) exact() string { return format.Exact(f.Num()) }

func (f Figure) size() string {
	bytes := new(big.Rat).Mul(f.Rat, new(big.Rat).SetInt64(gigabyte))
	return format.Bytes(format.Whole(bytes))
}

func (f Figure) dollars() string {
	x, _ := f.Float64()
	return format.Money(x)
}

// judge is a model that is held to one line of a policy.
type judge struct {
	*Policy
	line *Line
	m    *infer.Model
	plan *cost.Plan
}

// checks says what each line asks of a model that has a plan.
var checks = map[string]func(*judge) *Result{
	"max_params": func(j *judge) *Result {
		return j.parameters(j.m.Params, "parameters", *j.MaxParams)
	},
	"max_active_params": func(j *judge) *Result {
		return j.parameters(j.m.Active, "active parameters", *j.MaxActiveParams)
	},
	"max_layers": func(j *judge) *Result {
		n := whole(int64(j.m.Layers()))
		return most(n, whole(*j.MaxLayers), false, phrase{"has", " layers", allowed, Figure.exact})
	},
	"max_memory_gb": func(j *judge) *Result {
		return most(gigabytes(j.memory()), real(*j.MaxMemoryGB), j.plan.LowerBound, phrase{"needs", j.task(), allowed, Figure.size})
	},
	"must_fit":     mustFit,
	"max_cost_usd": maxCost,
	"forbid_types": func(j *judge) *Result {
		present, components, at := j.having(j.ForbidTypes)
		r := types(present, "has %s, which the policy forbids", "has no layer type that the policy forbids")
		r.Components, r.at = components, at
		return r
	},
	"require_types": func(j *judge) *Result {
		present, _, _ := j.having(j.RequireTypes)
		missing := slices.DeleteFunc(slices.Clone(j.RequireTypes), func(t string) bool { return slices.Contains(present, t) })
		return types(missing, "has no %s, which the policy requires", "has every layer type that the policy requires")
	},
}

func (j *judge) parameters(n int64, what string, limit int64) *Result {
	return most(whole(n), whole(limit), !j.m.Counted, phrase{"has", " " + what, allowed, Figure.exact})
}

// memory is what the purpose takes on one card.
func (j *judge) memory() *big.Int {
	if j.purpose() == Training {
		return j.plan.Training.TotalBytes
	}
	i := slices.IndexFunc(j.plan.Serving, func(s cost.Serving) bool { return s.DType == j.dtype() })
	return j.plan.Serving[i].TotalBytes
}

// task is the purpose in words, behind an amount.
func (j *judge) task() string {
	if j.purpose() == Training {
		return " to train"
	}
	return " to serve in " + j.dtype()
}

func mustFit(j *judge) *Result {
	fits, ok := j.plan.TrainingFits, func(f cost.Fit) bool { return f.Card == j.MustFit }
	if j.purpose() == Serving {
		fits, ok = j.plan.ServingFits, func(f cost.Fit) bool { return f.Card == j.MustFit && f.DType == j.dtype() }
	}
	fit := fits[slices.IndexFunc(fits, ok)]
	card, _ := cost.LookupCard(j.MustFit)
	r := most(gigabytes(fit.Bytes), gigabytes(big.NewInt(card.Memory)), j.plan.LowerBound, phrase{"needs", j.task(), "that one " + card.Name + " has", Figure.size})
	if r.Status == Broken && fit.Cards > 1 {
		r.Message += fmt.Sprintf("; %s of them hold it", format.Exact64(fit.Cards))
	}
	return r
}

func maxCost(j *judge) *Result {
	p, limit := j.plan.Pretraining, real(*j.MaxCostUSD)
	if p == nil || math.IsInf(p.USD, 0) || math.IsNaN(p.USD) {
		return &Result{Status: Unknown, Allowed: limit, Message: "costs what is not known, since the work of its layers is not; the policy allows " + limit.dollars()}
	}
	return most(real(p.USD), limit, j.plan.LowerBound, phrase{"costs", " to train", allowed, Figure.dollars})
}

// having tells which of some types a model has, the components of these types,
// and the place of the first.
func (j *judge) having(wanted []string) (present, components []string, at graph.Position) {
	for _, i := range j.m.Order {
		n := &j.m.Nodes[i]
		if n.Type == nil || !slices.Contains(wanted, n.Type.Name) {
			continue
		}
		if components == nil {
			at = j.m.At(i)
		}
		components = append(components, n.ID)
		if !slices.Contains(present, n.Type.Name) {
			present = append(present, n.Type.Name)
		}
	}
	return present, components, at
}

// types is the result of a line about types, of which some break it.
func types(wrong []string, broken, kept string) *Result {
	if len(wrong) == 0 {
		return &Result{Status: Kept, Message: kept}
	}
	return &Result{Status: Broken, Types: wrong, Message: fmt.Sprintf(broken, strings.Join(wrong, ", "))}
}

// A phrase is how a limit is told.
type phrase struct {
	verb, tail string // what stands before and behind what the model has
	limit      string // what stands behind the limit
	amount     func(Figure) string
}

const allowed = "that the policy allows"

// most compares a figure, which may be a lower bound, with the most that is
// allowed.
func most(found, limit Figure, atLeast bool, p phrase) *Result {
	r := &Result{Status: Kept, Found: found, LowerBound: atLeast, Allowed: limit}
	has := p.verb + " " + p.amount(found) + p.tail
	if atLeast {
		has = p.verb + " at least " + p.amount(found) + p.tail
	}
	most := "the " + p.amount(limit) + " " + p.limit
	switch {
	case found.Cmp(limit.Rat) > 0:
		r.Status, r.Over = Broken, Figure{new(big.Rat).Sub(found.Rat, limit.Rat)}
		r.Message = has + ", " + p.amount(r.Over) + " more than " + most
	case atLeast:
		r.Status = Unknown
		r.Message = has + "; whether that is more than " + most + " is not known"
	default:
		r.Message = has + ", not more than " + most
	}
	return r
}

// Hold is Judge under assumptions. The error is one of theirs.
func (p *Policy) Hold(r *pipeline.Report, a cost.Assumptions) (*pipeline.Report, []Result, error) {
	var plan *cost.Plan
	if !r.Broken() {
		var err error
		if plan, err = cost.New(r.Model, a); err != nil {
			return nil, nil, err
		}
	}
	held, results := p.Judge(r, plan)
	return held, results, nil
}

// Judge holds a report to the policy, which Check has found good. plan is that
// of its model under the assumptions that hold; nil for a document with
// structural faults, of which nothing is known. The answer is the report with
// a finding, an error, for each line that is not kept, and what became of each
// line. Structural faults fail by themselves: lines add no finding to them.
func (p *Policy) Judge(r *pipeline.Report, plan *cost.Plan) (*pipeline.Report, []Result) {
	v := reflect.ValueOf(p).Elem()
	var results []Result
	var broken []verify.Finding
	for _, l := range Lines {
		if l.Setting() || v.Field(l.field).IsZero() {
			continue
		}
		j := &judge{p, l, r.Model, plan}
		result := &Result{Status: Unknown, Message: "is not known, since structural faults leave nothing to tell"}
		if plan != nil {
			result = l.check(j)
		}
		result.Line, result.Unit = l.Key, l.Unit
		results = append(results, *result)
		if result.Status != Kept && plan != nil {
			broken = append(broken, j.finding(result, r.Doc))
		}
	}
	// Errors come first.
	errors := 0
	for errors < len(r.Findings) && r.Findings[errors].Severity == verify.Error {
		errors++
	}
	held := *r
	held.Findings = slices.Concat(r.Findings[:errors], broken, r.Findings[errors:])
	held.Verdict = verify.Judge(held.Findings)
	return &held, results
}

// finding is a line that is not kept, at the first component to blame, or at
// the beginning of the document.
func (j *judge) finding(r *Result, doc *graph.Document) verify.Finding {
	f := verify.Finding{
		Rule: r.Line, Severity: verify.Error, Components: r.Components, Repeat: 1, Message: r.Message,
		Fix: "Change the model, or the line " + r.Line + " of the policy.", Position: r.at,
	}
	if r.Status == Unknown {
		f.Fix = "Mend what the other findings say is not known, or leave the line " + r.Line + " out of the policy."
	}
	if f.Position.Line == 0 {
		f.Position = doc.Source.At(0)
	}
	return f
}
