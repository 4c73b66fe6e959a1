package page

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/strata-catalog/strata/generator/format"
	"github.com/strata-catalog/strata/generator/layer"
)

// A Plot is a picture of the catalog in numbers, and a table behind it. It has
// either dots or bars.
type Plot struct {
	ID    string
	Title string
	Text  string // what it shows, for who does not see it
	X, Y  Axis
	Names []string // what the series of dots, or the pieces of bars, are
	Parts []layer.Part
	Dots  []Dot
	Bars  []Bar
	Table Table
}

// An Axis has a name, and marks along its length from 0 to 1.
type Axis struct {
	Label string
	Marks []Mark
}

// A Mark is a labelled place of an axis.
type Mark struct {
	At   float64
	Text string
}

// A Dot is a template; both axes go from 0 to 1.
type Dot struct {
	Row    int // of the list
	Series int
	X, Y   float64
}

// A Bar is a whole in pieces, one for each part of the plot.
type Bar struct {
	Text   string
	Pieces []float64 // they add up to 1
}

// plots are the pictures that the catalog has the numbers for.
func plots(rows []Row) (list []Plot) {
	for _, p := range []Plot{sizeAndWork(rows), sizeOverTime(rows), whereParameters(rows)} {
		if len(p.Dots) > 1 || len(p.Bars) > 0 {
			list = append(list, p)
		}
	}
	return list
}

// mostSeries is how many areas have a colour of their own.
const mostSeries = 7

// series gives each row the number of its area, the part of the category before
// the slash: the largest areas first, and one number for all others.
func series(rows []Row) (of []int, names []string) {
	counts := map[string]int{}
	area := func(r *Row) string {
		name, _, _ := strings.Cut(r.Category, "/")
		return name
	}
	for i := range rows {
		counts[area(&rows[i])]++
	}
	delete(counts, "")
	names = sorted(counts)
	slices.SortStableFunc(names, func(a, b string) int { return counts[b] - counts[a] })
	names = names[:min(len(names), mostSeries)]
	others := false
	for i := range rows {
		k := slices.Index(names, area(&rows[i]))
		if k < 0 {
			k, others = len(names), true
		}
		of = append(of, k)
	}
	if others {
		names = append(names, "Other")
	}
	return of, names
}

// sizeAndWork has a dot for each template with parameters and work.
func sizeAndWork(rows []Row) Plot {
	p := Plot{ID: "work", Title: "parameters against work", Text: "A dot for each architecture: its parameters to the right, the multiply-accumulates of one forward pass at the declared input upwards, both on logarithmic axes."}
	of, names := series(rows)
	p.Names = names
	has := func(r *Row) bool { return r.Parameters > 0 && r.MACs.Sign() > 0 }
	var sizes, works []float64
	for i := range rows {
		if has(&rows[i]) {
			sizes, works = append(sizes, log(rows[i].Parameters)), append(works, logBig(rows[i].MACs))
		}
	}
	x, y := scale(sizes, countUnits), scale(works, metricUnits)
	p.X, p.Y = x.axis("Parameters"), y.axis("MACs")
	for i := range rows {
		if has(&rows[i]) {
			p.Dots = append(p.Dots, Dot{i, of[i], x.at(log(rows[i].Parameters)), y.at(logBig(rows[i].MACs))})
		}
	}
	p.Table = Table{
		Caption: "Parameters and work by area",
		Columns: []Column{{"Area", false}, {"Architectures", true}, {"Fewest parameters", true}, {"Middle", true}, {"Most", true}, {"Least MACs", true}, {"Middle", true}, {"Most", true}},
	}
	for k, name := range names {
		var params, macs []*big.Int
		for i := range rows {
			if of[i] == k && has(&rows[i]) {
				params, macs = append(params, big.NewInt(rows[i].Parameters)), append(macs, rows[i].MACs)
			}
		}
		if len(params) > 0 {
			r := row(name, Cell{Text: strconv.Itoa(len(params))})
			r.Cells = append(r.Cells, spread(params, format.Count)...)
			r.Cells = append(r.Cells, spread(macs, func(n *big.Int) string { return format.Metric(n, "") })...)
			p.Table.Rows = append(p.Table.Rows, r)
		}
	}
	return p
}

// sizeOverTime has a dot for each template with parameters and a date.
func sizeOverTime(rows []Row) Plot {
	p := Plot{ID: "time", Title: "parameters over time", Text: "A dot for each architecture: its release date to the right, its parameters upwards on a logarithmic axis."}
	of, names := series(rows)
	p.Names = names
	var sizes []float64
	first, last := math.Inf(1), math.Inf(-1)
	byYear := map[string][]*big.Int{}
	has := func(r *Row) bool { return r.Parameters > 0 && r.Released != "" }
	for i := range rows {
		if r := &rows[i]; has(r) {
			sizes = append(sizes, log(r.Parameters))
			first, last = min(first, math.Floor(date(r.Released))), max(last, math.Floor(date(r.Released))+1)
			byYear[r.Released[:4]] = append(byYear[r.Released[:4]], big.NewInt(r.Parameters))
		}
	}
	y := scale(sizes, countUnits)
	p.X, p.Y = Axis{Label: "Released"}, y.axis("Parameters")
	step := max(1, math.Ceil((last-first)/6))
	for year := first; year <= last; year += step {
		p.X.Marks = append(p.X.Marks, Mark{(year - first) / (last - first), strconv.Itoa(int(year))})
	}
	for i := range rows {
		if r := &rows[i]; has(r) {
			p.Dots = append(p.Dots, Dot{i, of[i], (date(r.Released) - first) / (last - first), y.at(log(r.Parameters))})
		}
	}
	p.Table = Table{
		Caption: "Parameters by year",
		Columns: []Column{{"Year", false}, {"Architectures", true}, {"Fewest parameters", true}, {"Middle", true}, {"Most", true}},
	}
	for _, year := range sorted(byYear) {
		r := row(year, Cell{Text: strconv.Itoa(len(byYear[year]))})
		r.Cells = append(r.Cells, spread(byYear[year], format.Count)...)
		p.Table.Rows = append(p.Table.Rows, r)
	}
	return p
}

// pieces are the parts that a bar has a piece for; the last is all the rest.
var pieces = []layer.Part{layer.AttnPart, layer.FeedFwd, layer.Convolution, layer.Embedding, layer.Recurrent, layer.Linear, layer.Head, layer.Other}

// whereParameters has a bar for each category: the shares of the kinds of
// layers, each template counting as much as any other.
func whereParameters(rows []Row) Plot {
	p := Plot{
		ID: "shares", Title: "attention, feed-forward and the rest", Parts: pieces,
		Text: "A bar for each category: what share of the parameters is in attention, in feed-forward layers and in others, as the mean of its architectures.",
		Table: Table{
			Caption: "Mean share of the parameters by category",
			Columns: []Column{{"Category", false}, {"Architectures", true}},
		},
	}
	for _, part := range pieces {
		p.Names = append(p.Names, string(part))
		p.Table.Columns = append(p.Table.Columns, Column{string(part), true})
	}
	sums, counts := map[string][]float64{}, map[string]int{}
	for i := range rows {
		r := &rows[i]
		if r.Parameters == 0 || r.Category == "" {
			continue
		}
		if counts[r.Category]++; sums[r.Category] == nil {
			sums[r.Category] = make([]float64, len(pieces))
		}
		for _, part := range r.Parts {
			k := slices.Index(pieces, part.Part)
			if k < 0 {
				k = len(pieces) - 1
			}
			sums[r.Category][k] += float64(part.Params) / float64(r.Parameters)
		}
	}
	for _, category := range sorted(sums) {
		bar, line := Bar{Text: category}, row(category, Cell{Text: strconv.Itoa(counts[category])})
		for _, sum := range sums[category] {
			share := sum / float64(counts[category])
			bar.Pieces = append(bar.Pieces, share)
			line.Cells = append(line.Cells, Cell{Text: fmt.Sprintf("%.1f%%", 100*share)})
		}
		p.Bars, p.Table.Rows = append(p.Bars, bar), append(p.Table.Rows, line)
	}
	return p
}

// spread is the smallest, the middle and the largest of some numbers; of an
// even count it is the smaller of the two in the middle.
func spread(list []*big.Int, text func(*big.Int) string) []Cell {
	list = slices.SortedFunc(slices.Values(list), func(a, b *big.Int) int { return a.Cmp(b) })
	cells := make([]Cell, 3)
	for k, at := range []int{0, (len(list) - 1) / 2, len(list) - 1} {
		cells[k] = Cell{Text: strings.TrimSpace(text(list[at])), Exact: format.Exact(list[at])}
	}
	return cells
}

// Units of thousands, as format.Count and format.Metric have them.
var (
	countUnits  = []string{"", "K", "M", "B", "T", "Q"}
	metricUnits = []string{"", "k", "M", "G", "T", "P", "E"}
)

// logScale is an axis of powers of ten.
type logScale struct {
	low, high float64 // exponents
	units     []string
}

// scale is the axis on which some exponents of ten lie.
func scale(exponents []float64, units []string) logScale {
	if len(exponents) == 0 {
		return logScale{0, 1, units}
	}
	low, high := math.Floor(slices.Min(exponents)), math.Ceil(slices.Max(exponents))
	return logScale{low, max(high, low+1), units}
}

func (s logScale) at(exponent float64) float64 { return (exponent - s.low) / (s.high - s.low) }

// axis has at most six steps.
func (s logScale) axis(label string) Axis {
	a := Axis{Label: label}
	step := math.Ceil((s.high - s.low) / 6)
	for e := s.low; e <= s.high; e += step {
		text := strconv.FormatFloat(math.Pow10(int(e)), 'f', 0, 64)
		if k := int(e) / 3; k > 0 && k < len(s.units) {
			text = strconv.FormatFloat(math.Pow10(int(e)-3*k), 'f', 0, 64) + s.units[k]
		}
		a.Marks = append(a.Marks, Mark{s.at(e), text})
	}
	return a
}

func log(n int64) float64 { return math.Log10(float64(n)) }

func logBig(n *big.Int) float64 {
	x, _ := new(big.Float).SetInt(n).Float64()
	return math.Log10(x)
}

// date is a release date in years: the middle of a month or of a day.
func date(released string) float64 {
	parts := strings.Split(released, "-")
	year, _ := strconv.Atoi(parts[0])
	month, _ := strconv.Atoi(parts[1])
	day := 15.5
	if len(parts) > 2 {
		d, _ := strconv.Atoi(parts[2])
		day = float64(d)
	}
	return float64(year) + (float64(month-1)+(day-0.5)/31)/12
}
