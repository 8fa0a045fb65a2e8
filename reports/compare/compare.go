package compare

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"golang.org/x/perf/benchmath"

	"github.com/poolbench/poolbench/internal/statistics"
	"github.com/poolbench/poolbench/reports/results"
)

// Options are the settings of a comparison. Table, Row, Col, Ignore and Filter have the syntax of
// golang.org/x/perf/benchproc, as in benchstat: keys are .name, .fullname, .file, .config, /key of
// the name, and key of a configuration line, with an optional order, "/load@num". The zero value
// compares inputs benchmark by benchmark. Options{Table: ".config"} has benchstat's defaults.
type Options struct {
	Alpha      float64 // a difference is significant if p ≤ Alpha. 0 means 0.05
	Confidence float64 // level of the intervals. 0 means 0.95
	// directions of tidied units, which override the inputs' Unit lines
	Better map[string]results.Direction
	// metrics to compare, tidied or not, or patterns. Empty means all
	Metrics []string
	// Brief selects, for results of poolbench, the deciding metrics unless Metrics is set, pairs of
	// runs with common seeds, and a short text.
	Brief    bool
	Unpaired bool // Brief does not pair the runs
	// a table for each metric and value of these keys. "" means pkg, a blank means no keys
	Table  string
	Row    string // a row for each value of these keys. "" means .fullname
	Col    string // a column for each value of these keys. "" means .file
	Ignore string // these keys may vary within a cell without a warning
	// query for runs and metrics (.unit, in ns or sec as in the file). "" means all
	Filter string
}

// A Comparison contains tables of one cell for each row, column and metric.
type Comparison struct {
	Columns    []string         // labels, in order. A table may leave some empty
	ColumnKeys [][]results.Pair // by column: its keys
	// shared by all runs, in addition to the keys of tables and columns
	Config  []results.Pair
	Tables  []Table // one per metric and key, in the order of first appearance
	Missing []Missing
	// configuration in which runs differ, so the comparison may be unfair
	Varying []Variation
	// incomplete inputs, and runs that are not compared
	Warnings   []string
	Alpha      float64
	Confidence float64

	// with Brief: differences of the same tasks under the virtual clock, if recorded
	Tasks []TaskDifference
	// with Brief: parts of the responses' differences, if recorded
	Parts []ColumnDifference

	brief    bool
	rowKeys  string            // projection of rows
	short    map[string]string // short names of rows
	shared   string            // common part of the names
	rows     int               // number of rows, by name
	compared bool              // any two cells are compared
}

// Table compares one metric.
type Table struct {
	// pkg or the keys of Options.Table, and the unit, identify the table
	Key    []results.Pair
	Unit   string
	Better int // +1: higher is better, −1: lower is better, 0: unknown
	// set by assume=exact in a Unit line. Exact values have no intervals and p-values
	Exact   bool
	Base    int // index of the base column: the first with a cell in this table
	Rows    []Row
	Geomean []Geomean // geometric mean of each column, meaningful for at least two rows
}

// Row is one benchmark of a table, or one value of Options.Row.
type Row struct {
	Name  string
	Cells []*Cell // by column. nil if the benchmark is missing
	Base  int     // index of the base column: the table's, except for Brief
}

// Cell is one sample: the values of a metric in the runs of its row and column.
type Cell struct {
	// ascending values. Its warnings name configuration that varies within it
	Sample  *benchmath.Sample
	Summary benchmath.Summary // median and interval, or as the Unit line's assume= requests
	// comparison with the base cell, or nil for the base and if either is missing
	Versus *benchmath.Comparison

	runs    results.Cell          // runs of the cell, which may lack the metric
	doubted *results.DoubtfulCell // nil if every run is VALID or has no verdict
	paired  *statistics.Paired    // comparison by pairs, which takes precedence. nil without pairs
	pairing results.Pairing       // the pairs, or why there are none
}

// p returns NaN for a single pair.
func (c *Cell) p() float64 {
	if c.paired != nil {
		return c.paired.P
	}
	return c.Versus.P
}

// A Geomean summarises a column. The ratio is the geometric mean of the rows' ratios, so a
// benchmark missing in one column does not distort it. Equal pairs have the ratio 1, including 0
// and 0.
type Geomean struct {
	Center   float64 // of the centres, or NaN
	Ratio    float64 // to the base column, or NaN
	Warnings []error
}

// Missing is a benchmark that one column lacks and another has.
type Missing struct {
	Benchmark string `json:"benchmark"` // with its package, if it has one
	Unit      string `json:"unit"`      // the missing metric, or "" if it has no run at all
	Column    string `json:"column"`
}

// A Variation is a configuration key with its values by column. A run without the key has the value
// "".
type Variation struct {
	Key    string     `json:"key"`
	Values [][]string `json:"values"`
}

func (t *Table) columns() []int {
	var shown []int
	for i := range t.Geomean {
		if slices.ContainsFunc(t.Rows, func(row Row) bool { return row.Cells[i] != nil }) {
			shown = append(shown, i)
		}
	}
	return shown
}

// Change returns "better", "worse", "differs" if the metric's direction is unknown, "" without a
// significant difference from the base, or "INVALID" if a run of either is.
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
	if p := cell.paired; p != nil { // medians may be equal, or differ in the other direction
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

var invalid = results.Invalid.String()

var errBaseZero = errors.New("the base is 0, so the change has no percentage")

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

// RowName returns the name of a row for a reader without the table's key.
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

func (c *Comparison) shorten() {
	if c.rowKeys != defaultRow {
		return
	}
	var names []string
	seen := make(map[string]bool, c.rows)
	for _, t := range c.Tables {
		for _, row := range t.Rows {
			if !seen[row.Name] {
				seen[row.Name] = true
				names = append(names, row.Name)
			}
		}
	}
	c.short, c.shared = results.ShortNames(names)
}

func (c *Comparison) name(row string) string { return describe(cmp.Or(c.short[row], row)) }
