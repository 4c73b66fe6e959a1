package cost

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/strata-catalog/strata/generator/words"
)

// Assumptions are what an estimate needs beside the graph. Settings, flags,
// pages and their controls take names and words from the tags.
type Assumptions struct {
	Batch      int64  `yaml:"batch" json:"batch" min:"1" unit:"sequences" doc:"sequences, images or samples that are worked on at once"`
	Context    int64  `yaml:"context" json:"context" min:"0" max:"1e12" unit:"tokens" doc:"tokens of each sequence in the cache; 0 means the length of the declared input"`
	CacheDType string `yaml:"cache-dtype" json:"cache_dtype" of:"number format" doc:"number format of the cached keys and values, without scales"`
	StateDType string `yaml:"state-dtype" json:"state_dtype" of:"number format" doc:"number format of the state of recurrent and state-space layers"`
	CacheBlock int64  `yaml:"cache-block" json:"cache_block" min:"1" max:"1e6" unit:"tokens" doc:"tokens in one block of a paged cache; an engine reserves whole blocks"`
	QuantGroup int64  `yaml:"quant-group" json:"quant_group" min:"1" unit:"weights" doc:"weights that share one bf16 scale in int4, along a row; int8 has one scale for each row"`
	Overhead   int64  `yaml:"overhead" json:"overhead_bytes" min:"0" unit:"bytes" doc:"memory of each card for the driver's context, kernels and workspace"`

	WeightBytes     int64 `yaml:"weight-bytes" json:"weight_bytes" min:"0" unit:"bytes" doc:"bytes of a parameter's weight in training (bf16)"`
	GradientBytes   int64 `yaml:"gradient-bytes" json:"gradient_bytes" min:"0" unit:"bytes" doc:"bytes of a parameter's gradient (bf16)"`
	OptimizerBytes  int64 `yaml:"optimizer-bytes" json:"optimizer_bytes" min:"0" unit:"bytes" doc:"bytes of a parameter's AdamW state: fp32 weight, momentum and variance"`
	ActivationBytes int64 `yaml:"activation-bytes" json:"activation_bytes" min:"0" unit:"bytes" doc:"bytes of one saved activation (bf16)"`
	Recompute       bool  `yaml:"recompute" json:"recompute" doc:"recompute the activations of repeated blocks in the backward pass instead of keeping them"`

	Card           string  `yaml:"card" json:"card" of:"card" doc:"card that the training is priced on"`
	Utilization    float64 `yaml:"mfu" json:"mfu" min:"0.001" max:"1" doc:"share of the card's peak that training attains (model FLOPs utilization)"`
	Price          float64 `yaml:"price" json:"price_usd" min:"0" max:"1e6" unit:"US dollars" doc:"price of the card for one hour"`
	TokensPerParam int64   `yaml:"tokens-per-parameter" json:"tokens_per_parameter" min:"1" unit:"tokens" doc:"training tokens for each parameter, where the number of tokens is not known"`
	Tokens         int64   `yaml:"tokens" json:"tokens" min:"0" unit:"tokens" doc:"training tokens; 0 means tokens-per-parameter for each parameter"`
	Epochs         int64   `yaml:"epochs" json:"epochs" min:"1" doc:"passes over the data of a model that reads no tokens"`
	Images         int64   `yaml:"images" json:"images" min:"1" unit:"images" doc:"images or samples in one epoch (1,281,167 is ImageNet-1k)"`
	Seen           int64   `yaml:"images-seen" json:"images_seen" min:"0" unit:"images" doc:"images or samples of the whole training; 0 means epochs × images"`
}

// Default is the set of assumptions that holds where nothing else is said.
func Default() Assumptions {
	return Assumptions{
		Batch:      1,
		CacheDType: BF16.Name,
		StateDType: BF16.Name,
		CacheBlock: 16,
		QuantGroup: 128,
		Overhead:   1_000_000_000,

		WeightBytes:     2,
		GradientBytes:   2,
		OptimizerBytes:  12,
		ActivationBytes: 2,

		Card:           "H100 80GB",
		Utilization:    0.40,
		Price:          2.50,
		TokensPerParam: 20,
		Epochs:         90,
		Images:         1_281_167,
	}
}

// An Assumption is one of them, as lists show it.
type Assumption struct {
	Key   string `json:"key"` // as in settings: cache-dtype
	Value string `json:"value"`
	Unit  string `json:"unit"` // "" for none
	Doc   string `json:"doc"`
	// Known lists the values that it can have where it is a name, else nil.
	Known []string `json:"known"`
}

// List is every assumption with its value and its words, in declared order.
func (a Assumptions) List() []Assumption {
	v := reflect.ValueOf(a)
	list := slices.Clone(declaredList())
	for i := range list {
		list[i].Value = value(v.Field(i))
	}
	return list
}

// declaredList is the assumptions without their values.
var declaredList = sync.OnceValue(func() []Assumption {
	t := reflect.TypeFor[Assumptions]()
	list := make([]Assumption, t.NumField())
	for i := range list {
		tag := t.Field(i).Tag
		list[i] = Assumption{Key: tag.Get("yaml"), Unit: tag.Get("unit"), Doc: tag.Get("doc"), Known: known(tag.Get("of"))}
	}
	return list
})

func value(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Float64:
		return strconv.FormatFloat(v.Float(), 'f', -1, 64)
	case reflect.Int64:
		return strconv.FormatInt(v.Int(), 10)
	case reflect.String:
		return v.String()
	}
	return fmt.Sprint(v.Interface())
}

// Check reports the first assumption that is out of range, or names a card or
// a number format that is not declared.
func (a Assumptions) Check() error {
	v := reflect.ValueOf(a)
	for i := range v.NumField() {
		if err := inRange(v.Type().Field(i), v.Field(i)); err != nil {
			return err
		}
	}
	for i := range v.NumField() {
		if err := declared(v.Type().Field(i), v.Field(i)); err != nil {
			return err
		}
	}
	return nil
}

// known lists what is declared of a kind, nil for no kind.
func known(kind string) []string {
	switch kind {
	case "number format":
		return dtypeNames()
	case "card":
		return cardNames()
	}
	return nil
}

// declared looks a name up among what is declared of the kind in its tag.
func declared(f reflect.StructField, v reflect.Value) error {
	kind := f.Tag.Get("of")
	if kind == "" || slices.Contains(known(kind), v.String()) {
		return nil
	}
	return unknown(kind, v.String(), known(kind))
}

// inRange compares a number with the min and max of its tag. A number that is
// not comparable (NaN) is in no range.
func inRange(f reflect.StructField, v reflect.Value) error {
	x := 0.0
	switch v.Kind() {
	case reflect.Int64:
		x = float64(v.Int())
	case reflect.Float64:
		x = v.Float()
	default:
		return nil
	}
	for _, bound := range []string{"min", "max"} {
		limit, err := strconv.ParseFloat(f.Tag.Get(bound), 64)
		if err != nil {
			continue // no such bound
		}
		if bound == "min" && !(x >= limit) {
			return fmt.Errorf("assumption %s is %s, expected at least %v", f.Tag.Get("yaml"), value(v), limit)
		}
		if bound == "max" && !(x <= limit) {
			return fmt.Errorf("assumption %s is %s, expected at most %v", f.Tag.Get("yaml"), value(v), limit)
		}
	}
	return nil
}

func unknown(what, name string, known []string) error {
	return fmt.Errorf("%q is no known %s%s; known are %s", name, what, words.DidYouMean(name, known), strings.Join(known, ", "))
}
