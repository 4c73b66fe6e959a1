package facts

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/strata-catalog/strata/generator/cost"
	"github.com/strata-catalog/strata/generator/graph"
	"github.com/strata-catalog/strata/generator/infer"
	"github.com/strata-catalog/strata/generator/pipeline"
	"github.com/strata-catalog/strata/generator/policy"
	"github.com/strata-catalog/strata/generator/shape"
	"github.com/strata-catalog/strata/generator/verify"
)

// Totals are the facts that an index lists for each template.
type Totals struct {
	ID               string         `json:"id" doc:"name of the template in addresses"`
	Name             string         `json:"name" doc:"name of the model"`
	Description      string         `json:"description" doc:"one line that says what the model is"`
	Category         string         `json:"category" doc:"field and kind, such as NLP/LLM"`
	Tags             []string       `json:"tags" doc:"words to find it by"`
	Components       int            `json:"components" doc:"components of the flat graph, inputs and outputs included"`
	Layers           int            `json:"layers" doc:"components without inputs and outputs"`
	Parameters       int64          `json:"parameters" doc:"learned elements, every distinct tensor once"`
	ParametersWhole  bool           `json:"parameters_complete" doc:"false: some weight has no known size, and parameters is a lower bound"`
	ActiveParameters int64          `json:"active_parameters" doc:"parameters that work on one token: with experts, less than all"`
	Published        *int64         `json:"published_parameters" doc:"what the authors of the checkpoint state; null when not known"`
	Buffers          int64          `json:"buffers" doc:"stored elements that are no parameters"`
	MACs             *big.Int       `json:"macs" doc:"multiply-accumulates of one forward pass at the declared input, attention over the full square; FLOPs are twice as many"`
	CausalMACs       *big.Int       `json:"macs_causal" doc:"multiply-accumulates that causal and windowed kernels must do"`
	MACsWhole        bool           `json:"macs_complete" doc:"false: the work of some layer is not known, and macs is a lower bound"`
	Inputs           []shape.Shape  `json:"input_shapes" doc:"declared shape of each input"`
	Outputs          []shape.Shape  `json:"output_shapes" doc:"shape of each output, null when it does not follow"`
	ForwardPasses    bool           `json:"forward_passes" doc:"every layer runs as it is drawn and has the shape of its result"`
	Verdict          verify.Verdict `json:"verdict" enum:"pass,advisory,fail" doc:"fail with any error, advisory with any warning, else pass; accepted findings do not count"`
}

// A Tally counts findings by severity, without those that are accepted.
type Tally struct {
	Error   int `json:"error" doc:"findings after which the forward pass cannot run as drawn, or a count cannot be trusted"`
	Warning int `json:"warning" doc:"findings of what runs, but is almost surely not meant"`
	Advice  int `json:"advice" doc:"findings of a known better way, or of a number worth knowing"`
}

// A Model is all that is known of one model.
type Model struct {
	Totals
	Traits
	Summary     string           `json:"summary" doc:"the verdict in one sentence"`
	Elementwise *big.Int         `json:"elementwise_operations" doc:"operations of norms, activations and sums, which are no MACs"`
	Parts       []cost.Part      `json:"parts" doc:"parameters and work by kind of layer"`
	Rows        []Row            `json:"rows" doc:"every component of the flat graph, in the order of the page; their parameters add up to the total"`
	Folded      []Folded         `json:"folded" doc:"the same with repeats: the first instance of each repeated part stands for all; parameters_all adds up to the total"`
	Runs        []Run            `json:"runs" doc:"which rows repeat"`
	Tensors     Tensors          `json:"tensors" doc:"every tensor, the copies of a stacked layer one by one; their parameters add up to the total"`
	Findings    []Finding        `json:"findings" doc:"what the rules found, errors first"`
	Memory      Memory           `json:"memory" doc:"estimate of the memory to serve and to train the model"`
	Cost        Cost             `json:"cost" doc:"estimate of the price of training and of the speed at most"`
	Assumptions cost.Assumptions `json:"assumptions" doc:"what the estimates assume"`

	Spans  []Span     `json:"-"` // the rows as a tree of repeats
	Ledger []Line     `json:"-"` // the tensors folded by repeat
	Plan   *cost.Plan `json:"-"`
}

// Memory is the part of a plan that is about bytes.
type Memory struct {
	LowerBound   bool           `json:"lower_bound" doc:"a weight could not be counted or the work of a layer is not known: every figure may be larger"`
	Units        cost.Units     `json:"units" doc:"what the model reads, and how much of it the declared input holds"`
	Cache        *cost.Cache    `json:"cache" doc:"what is kept while generating, in the assumed format; null for a model that generates nothing"`
	Caches       []cost.Cache   `json:"caches" doc:"the same in each number format"`
	Serving      []cost.Serving `json:"serving" doc:"memory to serve, by number format of the weights"`
	Training     cost.Training  `json:"training" doc:"memory to train at the declared input"`
	ServingFits  []cost.Fit     `json:"serving_fits" doc:"which cards hold it for serving"`
	TrainingFits []cost.Fit     `json:"training_fits" doc:"which cards hold it for training"`
}

// Cost is the part of a plan that is about work, time and money.
type Cost struct {
	Pretraining *cost.Pretraining `json:"pretraining" doc:"training from nothing; null when the work is not known"`
	Speeds      []cost.Speed      `json:"speeds" doc:"upper bounds of the speed on each card, by number format of the weights"`
}

// A Finding is one thing that a rule found.
type Finding struct {
	Rule       string          `json:"rule" doc:"id of the rule"`
	Severity   verify.Severity `json:"severity" enum:"error,warning,advice" doc:"how sure the rule is that something is wrong"`
	Components []string        `json:"components" doc:"ids concerned, of the first instance where it repeats"`
	Repeat     int             `json:"repeat" doc:"instances that have it"`
	Message    string          `json:"message" doc:"what was found, with the numbers"`
	Fix        string          `json:"fix" doc:"what to do, empty when it is not evident"`
	Patch      []Op            `json:"patch" doc:"JSON Patch (RFC 6902) of the document as written, empty when the fix is not mechanical"`
	Accepted   string          `json:"accepted" doc:"why it is right as it is, empty when it is not accepted"`
	Line       int             `json:"line" doc:"line of the document as written, from 1"`
	Column     int             `json:"column" doc:"column in characters, from 1"`
}

// An Op is one operation of a JSON Patch.
type Op struct {
	Op    string `json:"op" doc:"add, remove or replace"`
	Path  string `json:"path" doc:"JSON Pointer into the document"`
	Value Value  `json:"value,omitzero" doc:"the value to put there"`
}

// A Check is what is said of a document that is checked: without rows, tensors
// and estimates.
type Check struct {
	Totals
	Summary  string          `json:"summary" doc:"the verdict in one sentence"`
	Findings []Finding       `json:"findings" doc:"what the rules found, errors first; a line of a policy that is not kept is an error under its key"`
	Policy   []policy.Result `json:"policy,omitzero" doc:"what became of each line of the policy, where one was given"`
}

// Checked is the check of a report. One with structural faults has findings,
// and totals of nothing.
func Checked(r *pipeline.Report) *Check {
	return &Check{Totals: Index(r, r.Doc.RealParamCount), Summary: summary(r), Findings: Findings(r.Findings)}
}

// Index is the facts of a report that an index lists. published is the
// published parameter count, 0 when not known.
func Index(r *pipeline.Report, published int64) Totals {
	m, doc := r.Model, r.Doc
	t := Totals{
		ID: doc.ID, Name: doc.Name, Description: doc.Description, Category: doc.Category, Tags: doc.Tags,
		Components: len(m.Nodes), Layers: m.Layers(),
		Parameters: m.Params, ParametersWhole: m.Counted, ActiveParameters: m.Active, Buffers: m.Buffers,
		MACs: m.MACs, CausalMACs: m.CausalMACs, MACsWhole: m.Worked,
		Inputs: shapes(m, m.Inputs()), Outputs: shapes(m, m.Outputs()),
		ForwardPasses: m.ForwardPasses(), Verdict: r.Verdict,
	}
	if t.Name == "" {
		t.Name = doc.ID
	}
	if published > 0 {
		t.Published = &published
	}
	return t
}

// Of is everything that is known of a report and of its plan. The report must
// have a model.
func Of(r *pipeline.Report, plan *cost.Plan, published int64) *Model {
	m, repeats := r.Model, infer.Worth(r.Model.Runs)
	f := &Model{
		Totals: Index(r, published), Traits: TraitsOf(m), Summary: summary(r), Elementwise: m.Elementwise,
		Parts: plan.Parts, Rows: rows(m), Runs: runs(repeats), Tensors: Tensors{m},
		Findings: Findings(r.Findings), Assumptions: plan.Assumptions, Plan: plan,
		Memory: Memory{
			LowerBound: plan.LowerBound, Units: plan.Units, Cache: plan.Cache, Caches: plan.Caches, Serving: plan.Serving,
			Training: plan.Training, ServingFits: plan.ServingFits, TrainingFits: plan.TrainingFits,
		},
		Cost: Cost{Pretraining: plan.Pretraining, Speeds: plan.Speeds},
	}
	f.Spans = spans(m, f.Rows, 0, len(f.Rows), repeats)
	f.Folded = folded(f.Rows, repeats)
	f.Ledger = ledger(m, repeats)
	return f
}

func shapes(m *infer.Model, nodes []int) []shape.Shape {
	list := make([]shape.Shape, len(nodes))
	for k, i := range nodes {
		list[k] = m.Nodes[i].Out()
	}
	return list
}

// Findings are findings as they are published.
func Findings(list []verify.Finding) []Finding {
	out := make([]Finding, len(list))
	for k, f := range list {
		out[k] = Finding{
			Rule: f.Rule, Severity: f.Severity, Components: f.Components, Repeat: f.Repeat,
			Message: f.Message, Fix: f.Fix, Accepted: f.Accepted,
			Line: f.Position.Line, Column: f.Position.Column,
		}
		out[k].Patch = Ops(f.Patch)
	}
	return out
}

// Ops are the operations of a patch as they are published.
func Ops(patch []graph.PatchOp) (ops []Op) {
	for _, op := range patch {
		ops = append(ops, Op{op.Op, op.Path, Value(op.Value)})
	}
	return ops
}

// Tallied counts findings.
func Tallied(list []verify.Finding) (t Tally) {
	for _, f := range list {
		switch {
		case f.Accepted != "":
		case f.Severity == verify.Error:
			t.Error++
		case f.Severity == verify.Warning:
			t.Warning++
		default:
			t.Advice++
		}
	}
	return t
}

// summary is the verdict in one sentence.
func summary(r *pipeline.Report) string {
	t := Tallied(r.Findings)
	var parts []string
	add := func(n int, one, more string) {
		switch n {
		case 0:
		case 1:
			parts = append(parts, "1 "+one)
		default:
			parts = append(parts, fmt.Sprintf("%d %s", n, more))
		}
	}
	add(t.Error, "error", "errors")
	add(t.Warning, "warning", "warnings")
	add(t.Advice, "piece of advice", "pieces of advice")
	add(len(r.Findings)-t.Error-t.Warning-t.Advice, "accepted finding", "accepted findings")
	switch {
	case len(parts) > 0:
		return fmt.Sprintf("Verdict %s: %s.", r.Verdict, enumerate(parts))
	case r.Model.ForwardPasses():
		return fmt.Sprintf("Verdict %s: every shape follows from the input, and no rule objects.", r.Verdict)
	}
	return fmt.Sprintf("Verdict %s: no rule objects, but some shapes are not known.", r.Verdict)
}

// enumerate joins words as prose does.
func enumerate(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}
