package facts

import (
	"math/big"
	"strings"

	"github.com/strata-catalog/strata/generator/infer"
)

// A Span is a stretch of the structure table: rows that stand alone, or a part
// that repeats.
type Span struct {
	Rows []Row // that stand alone; empty for a repeat

	Repeat int    // instances, 0 for rows that stand alone
	Block  string // name of the block in the compact form, "" for a found repeat
	Types  string // its layers in a line: "RMSNorm → Grouped Query Attention → Add"
	Period int    // rows of one instance
	First  []Span // the first instance
	Rest   []Row  // every row of the other instances
	Each   int64  // parameters of the first instance
	All    int64  // parameters of all instances
}

// spans makes a tree of the rows from one position to another.
func spans(m *infer.Model, rows []Row, from, to int, runs []infer.Run) (list []Span) {
	for _, r := range runs {
		if from < r.Start {
			list = append(list, Span{Rows: rows[from:r.Start]})
		}
		list = append(list, repeat(m, rows, r))
		from = r.End()
	}
	if from < to {
		list = append(list, Span{Rows: rows[from:to]})
	}
	return list
}

func repeat(m *infer.Model, rows []Row, r infer.Run) Span {
	end := r.Start + r.Period
	s := Span{
		Repeat: r.Count, Block: m.Block(r), Types: types(rows[r.Start:end]), Period: r.Period,
		First: spans(m, rows, r.Start, end, r.Children), Rest: rows[end:r.End()],
	}
	for p := r.Start; p < r.End(); p++ {
		if s.All += rows[p].Parameters; p < end {
			s.Each += rows[p].Parameters
		}
	}
	return s
}

// types names the layers of one instance, at most eight.
func types(rows []Row) string {
	const most = 8
	var names []string
	for i, r := range rows {
		if i == most && len(rows) > most+1 {
			names = append(names, "…")
			break
		}
		names = append(names, r.Display)
	}
	return strings.Join(names, " → ")
}

// folded lists the rows with each repeat written once.
func folded(rows []Row, runs []infer.Run) []Folded {
	list := make([]Folded, 0, len(rows))
	for _, f := range folds(len(rows), runs) {
		at := f.positions()
		row := Folded{Row: rows[f.at], Repeat: len(at), MACsAll: new(big.Int)}
		names := make([]string, len(at))
		for k, p := range at {
			names[k] = rows[p].Name
			row.ParametersAll += rows[p].Parameters
			if rows[p].MACs == nil {
				row.MACsAll = nil
			}
			if row.MACsAll != nil {
				row.MACsAll.Add(row.MACsAll, rows[p].MACs)
			}
		}
		row.Names = Pattern(names)
		list = append(list, row)
	}
	return list
}
