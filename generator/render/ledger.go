package render

import (
	"fmt"
	"html/template"
	"math/big"

	"github.com/strata-catalog/strata/generator/cost"
	"github.com/strata-catalog/strata/generator/facts"
	"github.com/strata-catalog/strata/generator/format"
	"github.com/strata-catalog/strata/generator/page"
)

// ledger is the table of tensors.
func ledger(t *page.Template) template.HTML {
	w := &writer{b: room(256*len(t.Data.Ledger) + 1024)}
	w.raw(`<table class="ledger">`)
	w.head(t.Tensors)
	w.raw("<tbody>")
	sums := tally{}
	for k := range t.Data.Ledger {
		l := &t.Data.Ledger[k]
		sums.add(l)
		w.raw(`<tr><th scope="row">`)
		w.text(l.Name)
		w.raw(`</th><td>`)
		w.text(facts.ShapeText(l.Shape))
		w.raw(`</td><td class="num">`)
		w.exact(l.Tensors)
		for _, cell := range lineCells(l) {
			w.raw(`</td><td class="num">`)
			w.raw(cell)
		}
		w.raw("</td><td>")
		w.text(remark(l))
		w.raw("</td></tr>")
	}
	w.raw(`</tbody><tfoot><tr><th scope="row">Total</th><td></td><td class="num">`)
	w.exact(sums.tensors)
	for _, cell := range sums.cells() {
		w.raw(`</td><td class="num">`, cell)
	}
	w.raw("</td><td></td></tr></tfoot></table>")
	return w.html()
}

// tally adds up the ledger.
type tally struct{ tensors, parameters int64 }

func (t *tally) add(l *facts.Line) {
	t.tensors += l.Tensors
	t.parameters += l.Parameters
}

func (t *tally) cells() []string { return parameterCells(t.parameters) }

// lineCells are the parameters of a line, and their size in fp32 and bf16.
func lineCells(l *facts.Line) []string {
	switch {
	case !l.Known:
		return []string{"not known", "", ""}
	case l.Parameters == 0:
		return []string{"0", "", ""}
	}
	return parameterCells(l.Parameters)
}

func parameterCells(n int64) []string {
	return []string{format.Exact64(n), bytesOf(n, cost.FP32), bytesOf(n, cost.BF16)}
}

// bytesOf is the size of n elements in a number format without scales.
func bytesOf(n int64, d cost.DType) string {
	size := new(big.Int).Mul(big.NewInt(n), big.NewInt(d.Bits/8))
	return format.Bytes(size)
}

// remark says what a line is, when it is not a weight of its own.
func remark(l *facts.Line) string {
	switch {
	case l.TiedTo != "":
		return l.TiedTo
	case l.Buffer && l.Elements == 1:
		return "a buffer of 1 element"
	case l.Buffer:
		return fmt.Sprintf("a buffer of %s elements", format.Exact64(l.Elements))
	}
	return ""
}
