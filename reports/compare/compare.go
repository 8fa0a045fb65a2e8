package compare

import (
	"errors"
	"slices"
	"strings"

	"golang.org/x/perf/benchmath"

	"github.com/poolbench/poolbench/internal/statistics"
	"github.com/poolbench/poolbench/reports/results"
)

// Options are the settings of a comparison.
//
// Table, Row, Col, Ignore and Filter are in the syntax of golang.org/x/perf/benchproc, which is
// benchstat's: keys are .name, .fullname, .file, .config, /key of the name, and key of a
// configuration line, each with an order where wanted, "/load@num" or "/strategy@(semaphore
// worker_pool)". The zero value compares inputs with each other, benchmark by benchmark;
// Options{Table: ".config"} has all the defaults of benchstat.
type Options struct {
	Alpha      float64 // a difference counts when p ≤ Alpha; 0 means 0.05
	Confidence float64 // level of the intervals; 0 means 0.95
	// directions of tidied units, which go before those of Unit lines
	Better  map[string]results.Direction
	Metrics []string // only these, tidied or not (ns/op is sec/op), or patterns; none means all
	// of results of poolbench, for a reader who decides: without Metrics, those by which one
	// decides; samples in pairs where both sides have the seeds; text that says what differs, in
	// units
	Brief    bool
	Unpaired bool // no pairs in Brief either
	// a table for each value of these keys, and metric; "" means pkg, a blank no keys
	Table  string
	Row    string // a row for each value of these keys; "" means .fullname
	Col    string // a column for each value of these keys; "" means .file
	Ignore string // these keys may vary within a cell without a warning
	// only runs, and metrics (.unit, in ns or sec, whichever the file had), that match this query;
	// "" means all
	Filter string
}

// Comparison holds tables of one cell for each row, column and metric.
type Comparison struct {
	Columns    []string         // labels, in order; a table may leave some empty
	ColumnKeys [][]results.Pair // by column: the keys that it stands for
	// configuration that all runs share, beside the keys of tables and columns
	Config  []results.Pair
	Tables  []Table // one per metric and key, in the order of first appearance
	Missing []Missing
	// configuration that runs differ in: what is compared may not be like with like
	Varying []Variation
	// on the inputs: those of reading, and files that are not whole; on what is not compared
	Warnings   []string
	Alpha      float64
	Confidence float64

	// the same tasks in both columns, where their times are known: of Brief and the virtual clock
	Tasks []TaskDifference
	// what the difference of the same tasks is made of, where that is known: of Brief
	Parts []Between

	brief    bool
	rowKeys  string // the projection of rows
	rows     int    // how many there are, by name
	compared bool   // any two cells are
}

// Table compares one metric.
type Table struct {
	// what sets the table apart beside its unit: pkg, or the keys of Options.Table; values
	// may be ""
	Key    []results.Pair
	Unit   string
	Better int // +1: higher is better, −1: lower is, 0: not known
	// the Unit line says assume=exact: the values are taken as they are, without intervals and
	// p-values
	Exact   bool
	Base    int // the column that the others are compared with: the first that has a cell here
	Rows    []Row
	Geomean []Geomean // by column; meaningful for two rows or more
}

// Row is one benchmark of a table, or whatever Options.Row makes a row of.
type Row struct {
	Name  string
	Cells []*Cell // by column; nil where the benchmark is missing
	Base  int     // the column that the others are compared with: the table's, but of Brief
}

// Cell is one sample: the values of a metric in the runs that belong to its row and column.
type Cell struct {
	// values in ascending order; its warnings tell of configuration that varies within it
	Sample  *benchmath.Sample
	Summary benchmath.Summary // median and interval, or what the Unit line's assume= asks for
	// with the cell of the base column; nil there, and where either is missing
	Versus *benchmath.Comparison

	runs    results.Cell       // that the sample is of; one may lack the metric
	doubted *results.Doubted   // nil where every run is VALID, or the file does not tell
	paired  *statistics.Paired // likewise, by pairs, which then count; nil where there are none
	pairing results.Pairing    // that or why there are none
}

// p is that of the comparison with the base; NaN where one pair is all there is.
func (c *Cell) p() float64 {
	if c.paired != nil {
		return c.paired.P
	}
	return c.Versus.P
}

// Geomean summarises a column. The ratio is the geometric mean of the rows' ratios, not the ratio
// of the two means: so a benchmark that one column lacks does not distort it. An equal pair, 0 and
// 0 too, has the ratio 1.
type Geomean struct {
	Center   float64 // of the centres; NaN where there is none
	Ratio    float64 // to the base column; NaN where there is none
	Warnings []error
}

// Missing says that a column lacks a benchmark that another has.
type Missing struct {
	Benchmark string `json:"benchmark"` // with its package, when there is one
	Unit      string `json:"unit"`      // the metric it lacks; "" when it has no run at all
	Column    string `json:"column"`
}

// Variation is a configuration key with the values that it takes, by column. A run without the key
// has the value "".
type Variation struct {
	Key    string     `json:"key"`
	Values [][]string `json:"values"`
}

// columns are those that have a cell in the table: the ones to show.
func (t *Table) columns() []int {
	var shown []int
	for i := range t.Geomean {
		if slices.ContainsFunc(t.Rows, func(row Row) bool { return row.Cells[i] != nil }) {
			shown = append(shown, i)
		}
	}
	return shown
}

// Change returns a word for how the cell in a column of a row of this table differs from the base:
// "better", "worse", "differs" when the metric's direction is not known, "" when there is no
// significant difference, or "INVALID" when a run of either is, so that neither is judged.
func (t *Table) Change(row *Row, column int) string {
	cell := row.Cells[column]
	switch {
	case cell == nil || cell.Versus == nil:
		return ""
	case facet{t, row, column}.doubt().Mark() == invalid:
		return invalid
	case !(cell.p() <= cell.Versus.Alpha):
		return ""
	}
	base, now := row.Cells[row.Base].Summary.Center, cell.Summary.Center
	if p := cell.paired; p != nil { // medians may be equal, or the other way round
		if base, now = 0, p.Mid; p.Ratios {
			base = 1
		}
	}
	switch {
	case base == now:
		return ""
	case t.Better == 0:
		return "differs"
	case (now > base) == (t.Better > 0):
		return "better"
	}
	return "worse"
}

// invalid is the word for a cell that is not judged.
var invalid = results.Invalid.String()

var errBaseZero = errors.New("the base is 0, from which there is no change in percent")

// warnings are those on the comparison, of which pairs have none, and why its delta is "?".
func (f facet) warnings() []error {
	warnings := f.cell().Versus.Warnings
	switch {
	case f.cell().paired != nil:
		return nil
	case f.base().Summary.Center == 0 && f.cell().Summary.Center != 0:
		return append(slices.Clip(warnings), errBaseZero)
	}
	return warnings
}

// RowName is the name of a row for a reader who does not see the table's key.
func (t *Table) RowName(row Row) string {
	name := row.Name
	var rest []string
	for _, p := range t.Key {
		switch {
		case p.Value == "":
		case p.Key == "pkg":
			name = p.Value + "." + name
		default:
			rest = append(rest, p.Key+": "+p.Value)
		}
	}
	if len(rest) > 0 {
		name += " (" + strings.Join(rest, ", ") + ")"
	}
	return name
}

// shortNames are those of the rows that are shortened, as names of benchmarks are.
func (c *Comparison) shortNames() (short map[string]string, shared string) {
	if c.rowKeys != defaultRow {
		return nil, ""
	}
	var names []string
	for _, t := range c.Tables {
		for _, row := range t.Rows {
			names = append(names, row.Name)
		}
	}
	return results.ShortNames(names)
}
