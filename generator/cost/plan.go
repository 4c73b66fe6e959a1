package cost

import (
	"errors"
	"fmt"
	"math/big"

	"github.com/strata-catalog/strata/generator/infer"
)

// A Plan is every estimate of one model under one set of assumptions. It is
// immutable.
type Plan struct {
	Model       *infer.Model `json:"-"`
	Assumptions Assumptions  `json:"assumptions"` // as used: the context is filled in
	Units       Units        `json:"units"`
	// LowerBound says that a weight could not be counted or the work of a layer
	// is not known: every figure may be larger.
	LowerBound bool    `json:"lower_bound"`
	Parts      []Part  `json:"parts"`
	Cache      *Cache  `json:"cache"` // in the assumed format; nil: the model generates nothing
	Caches     []Cache `json:"caches"`
	// Serving is in the order of DTypes; ServingFits goes through Cards for
	// each of them, and so does Speeds.
	Serving      []Serving    `json:"serving"`
	Training     Training     `json:"training"`
	Pretraining  *Pretraining `json:"pretraining"` // nil: the work is not known
	TrainingFits []Fit        `json:"training_fits"`
	ServingFits  []Fit        `json:"serving_fits"`
	Speeds       []Speed      `json:"speeds"`

	nodes []Amounts
}

// Amounts are the figures of one node that differences are attributed by.
// They add up over the nodes to those of the model.
type Amounts struct {
	Params, Active int64
	MACs           *big.Int // at the declared input, over the full square of attention
	CacheBytes     *big.Int // that one more token adds to the cache, as Cache.TokenBytes
	TrainingBytes  *big.Int // weights, gradients, optimizer state and saved activations, none recomputed
}

// New makes the plan of a model. The error names an assumption that cannot be
// used, or says that the graph has faults that leave nothing to analyse.
func New(m *infer.Model, a Assumptions) (*Plan, error) {
	if err := a.Check(); err != nil {
		return nil, err
	}
	if m.Order == nil {
		return nil, errors.New("the graph has structural faults and cannot be planned; mend what check reports")
	}
	p := &Plan{Model: m, Assumptions: a, Units: UnitsOf(m), LowerBound: !m.Counted || !m.Worked, Parts: Parts(m)}
	if a.Context == 0 {
		p.Assumptions.Context = p.Units.Length
	}
	kept := holds(m)
	for _, d := range DTypes {
		c := p.cache(kept, d)
		if c == nil {
			break
		}
		p.Caches = append(p.Caches, *c)
		if d.Name == a.CacheDType {
			p.Cache = c
		}
	}
	for _, d := range DTypes {
		p.Serving = append(p.Serving, serving(m, d, p.Cache, a))
	}
	acts := activations(m, p.Units, a)
	p.Training = training(m, acts, a)
	p.Pretraining = pretraining(m, p.Units, a)
	p.cards()
	p.amounts(kept, acts)
	return p, nil
}

// CacheAt is the cache in another format, for another batch or context.
func (p *Plan) CacheAt(d DType, batch, context int64) (*Cache, error) {
	a := p.Assumptions
	a.Batch, a.Context = batch, context
	if err := a.Check(); err != nil {
		return nil, fmt.Errorf("sizing the cache: %w", err)
	}
	q := Plan{Assumptions: a}
	return q.cache(holds(p.Model), d), nil
}

// cache is nil for a model that keeps nothing.
func (p *Plan) cache(kept []held, d DType) *Cache {
	if len(counted(kept)) == 0 {
		return nil
	}
	return cacheOf(kept, d, p.Assumptions)
}

func (p *Plan) cards() {
	for _, c := range Cards {
		p.TrainingFits = append(p.TrainingFits, fitTraining(c, p.Training))
	}
	for _, s := range p.Serving {
		for _, c := range Cards {
			p.ServingFits = append(p.ServingFits, fitServing(c, s))
			p.Speeds = append(p.Speeds, speed(c, s, p.Cache, p.Model, p.Units, p.Assumptions))
		}
	}
	if !p.LowerBound {
		return
	}
	for _, list := range [][]Fit{p.TrainingFits, p.ServingFits} {
		for k := range list {
			list[k] = list[k].unlessMore()
		}
	}
}

// TrainingFit is the fit for training on a card of Cards.
func (p *Plan) TrainingFit(card string) (Fit, bool) {
	for _, f := range p.TrainingFits {
		if f.Card == card {
			return f, true
		}
	}
	return Fit{}, false
}

// Node is what one node adds to the model. The big numbers are shared and must
// not be changed.
func (p *Plan) Node(i int) Amounts { return p.nodes[i] }

var none = new(big.Int)

func (p *Plan) amounts(kept []held, acts []activation) {
	a := p.Assumptions
	d, _ := LookupDType(a.CacheDType)
	states := big.NewInt(a.WeightBytes)
	states.Add(states, big.NewInt(a.GradientBytes)).Add(states, big.NewInt(a.OptimizerBytes))
	grown := map[held]*big.Int{{}: none}
	p.nodes = make([]Amounts, len(p.Model.Nodes))
	for _, i := range p.Model.Order {
		n := &p.Model.Nodes[i]
		q := &p.nodes[i]
		q.Params, q.Active, q.MACs = n.Params, n.Active, none
		if w := n.Result.Work.Full; w != nil {
			q.MACs = w
		}
		if grown[kept[i]] == nil {
			grown[kept[i]] = kept[i].growing(d)
		}
		q.CacheBytes = grown[kept[i]]
		q.TrainingBytes = new(big.Int).Mul(big.NewInt(n.Params), states)
		acts[i].addTo(q.TrainingBytes)
	}
}
