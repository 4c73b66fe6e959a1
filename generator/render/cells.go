package render

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/strata-catalog/strata/generator/facts"
	"github.com/strata-catalog/strata/generator/format"
	"github.com/strata-catalog/strata/generator/page"
)

// weights is what a component adds to the total, as the tables show it; nothing
// for a component that has no weights.
func weights(r *facts.Row) string {
	var room [32]byte
	return string(appendWeights(room[:0], r))
}

func appendWeights(b []byte, r *facts.Row) []byte {
	switch {
	case !r.Whole && r.Parameters == 0:
		return append(b, "not known"...)
	case !r.Whole:
		b = append(b, "≥ "...)
	case r.TiedTo == nil && r.Parameters == 0:
		return b
	}
	return format.AppendExact64(b, r.Parameters)
}

// declared are the parameters of a component, and whose weights it has where
// they do not say so.
func declared(r *facts.Row) string {
	s := r.Stated
	if r.TiedTo == nil || strings.Contains(s, "tiedTo=") {
		return s
	}
	return strings.TrimPrefix(s+", weights of "+*r.TiedTo, ", ")
}

// total is the parameters of a model.
func total(d *page.Document) string {
	if !d.ParametersWhole {
		return "≥ " + format.Exact64(d.Parameters)
	}
	return format.Exact64(d.Parameters)
}

// share is empty where there is nothing to share.
func share(part, whole int64) string {
	var room [16]byte
	return string(appendShare(room[:0], part, whole))
}

func appendShare(b []byte, part, whole int64) []byte {
	if part == 0 {
		return b
	}
	return format.AppendShare(b, part, whole)
}

// layerCount says how many rows a structure table has, and what they are.
func layerCount(d *page.Document) string {
	return fmt.Sprintf("%s, %s without inputs and outputs", plural(d.Components, "component"), plural(d.Layers, "layer"))
}

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return format.Exact64(int64(n)) + " " + word + "s"
}

// count, exact and work are numbers for layouts.
func count(n int64) string { return format.Count64(n) }

func exact(n any) (string, error) {
	switch n := n.(type) {
	case int:
		return format.Exact64(int64(n)), nil
	case int64:
		return format.Exact64(n), nil
	case *big.Int:
		return format.Exact(n), nil
	}
	return "", fmt.Errorf("exact: a %T is no integer", n)
}

func work(n *big.Int) string { return format.Metric(n, "MACs") }
