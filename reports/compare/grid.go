package compare

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchmath"
	"golang.org/x/perf/benchproc"
	"golang.org/x/perf/benchunit"

	"github.com/poolbench/poolbench/internal/gate/judge"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/results"
)

// A grid sorts runs into cells. Keys outside all projections are residue, and must not vary.
type grid struct {
	*projections
	tables   map[benchproc.Key]*gridTable
	cols     map[benchproc.Key]struct{}
	residues map[benchproc.Key]map[benchproc.Key]struct{} // residues of each column
	// may lack the metrics
	runs   map[gridRun]results.Cell
	doubts map[gridRun]*results.DoubtfulCell // doubts on these runs, or nil
	// keys of a table, without its unit, and of a column with runs in it
	in    map[[2]benchproc.Key]bool
	pairs map[gridPair]results.Pairing
	tests judge.RankSums

	samples int // number of non-empty cells
}

type gridPair struct {
	table, row, base, col benchproc.Key
}

type gridRun struct {
	table benchproc.Key
	at    gridCellKey
}

type gridTable struct {
	without benchproc.Key // the table's key without its unit
	rows    map[benchproc.Key]struct{}
	cells   map[gridCellKey]*gridCell
}

type gridCellKey struct{ row, col benchproc.Key }

type gridCell struct {
	values  []float64
	residue map[benchproc.Key]struct{}
}

func newGrid(by *projections) *grid {
	return &grid{
		projections: by,
		tables:      make(map[benchproc.Key]*gridTable),
		cols:        make(map[benchproc.Key]struct{}),
		residues:    make(map[benchproc.Key]map[benchproc.Key]struct{}),
		runs:        make(map[gridRun]results.Cell),
		doubts:      make(map[gridRun]*results.DoubtfulCell),
		in:          make(map[[2]benchproc.Key]bool),
		pairs:       make(map[gridPair]results.Pairing),
		tests:       make(judge.RankSums),
	}
}

// benchproc's key .file is the input's label.
func (g *grid) addResults(in results.Input, metrics []string) (added int, err error) {
	var rec benchfmt.Result
	var before []results.Pair
	written := text.Texts(metrics, untidied)
	place := make(map[string]int, len(metrics))
	for i, unit := range metrics {
		place[unit] = i
	}
	var places []int // of the metrics of a run
	for i := range in.Results.Runs {
		run := &in.Results.Runs[i]
		// Consecutive runs share their configuration, unless a line between them changed it.
		if i == 0 || len(before) != len(run.Config) || len(before) > 0 &&
			&before[0] != &run.Config[0] {
			rec = benchfmt.Result{}
			for _, c := range run.Config {
				rec.Config = append(rec.Config,
					benchfmt.Config{Key: c.Key, Value: []byte(c.Value), File: true})
			}
			rec.SetConfig(".file", in.Label)
			before = run.Config
		}
		rec.Name, rec.Iters, rec.Values = benchfmt.Name(run.Name), run.Iters, rec.Values[:0]
		places = places[:0]
		for unit := range run.Values {
			if i, chosen := place[unit]; chosen {
				places = append(places, i)
			}
		}
		slices.Sort(places)
		for _, i := range places {
			rec.Values = append(rec.Values, benchfmt.Value{Value: run.Values[metrics[i]],
				Unit: metrics[i], OrigUnit: written[i]})
		}
		// As in benchstat, a run is excluded if the filter fails on it.
		if ok, err := g.filter.Apply(&rec); ok && err == nil {
			g.add(&rec, run)
			added++
		}
		if g.samples > results.MaxSamples {
			return added, results.ErrSamples
		}
	}
	return added, nil
}

// Filters may contain units in ns or MB, as in the file.
func untidied(unit string) string {
	written := strings.NewReplacer("sec", "ns", "B", "MB").Replace(unit)
	if _, tidied := benchunit.Tidy(1, written); tidied != unit || written == unit {
		return ""
	}
	return written
}

func (g *grid) add(rec *benchfmt.Result, run *results.Run) {
	at := gridCellKey{g.rowBy.Project(rec), g.colBy.Project(rec)}
	g.cols[at.col] = struct{}{}
	without := g.tableBy.Project(rec)
	place := gridRun{without, at}
	g.runs[place], g.in[[2]benchproc.Key{without, at.col}] = append(g.runs[place], run), true
	if len(rec.Values) == 0 {
		return
	}
	residue := g.residue.Project(rec)
	if g.residues[at.col] == nil {
		g.residues[at.col] = make(map[benchproc.Key]struct{})
	}
	g.residues[at.col][residue] = struct{}{}
	for i, key := range g.tableBy.ProjectValues(rec) {
		table := g.tables[key]
		if table == nil {
			table = &gridTable{without: without, rows: make(map[benchproc.Key]struct{}),
				cells: make(map[gridCellKey]*gridCell)}
			g.tables[key] = table
		}
		cell := table.cells[at]
		if cell == nil {
			table.rows[at.row] = struct{}{}
			cell = &gridCell{residue: make(map[benchproc.Key]struct{})}
			table.cells[at] = cell
			g.samples++
		}
		cell.values = append(cell.values, rec.Values[i].Value)
		cell.residue[residue] = struct{}{}
	}
}

func (g *grid) comparison(units benchfmt.UnitMetadataMap, opts Options) *Comparison {
	c := &Comparison{Alpha: opts.Alpha, Confidence: opts.Confidence, rowKeys: fieldNames(g.rowBy),
		brief: opts.Brief}
	cols := sortedKeys(g.cols)
	names := make(map[string]struct{}) // of rows
	for _, col := range cols {
		c.Columns = append(c.Columns, col.StringValues())
		c.ColumnKeys = append(c.ColumnKeys, pairsOf(col, g.colBy.FlattenedFields()))
	}
	for _, key := range sortedKeys(g.tables) {
		from := g.tables[key]
		unit := key.Get(g.unit)
		assume := units.GetAssumption(unit)
		table := Table{Key: g.tableKey(key), Unit: unit, Better: units.GetBetter(unit),
			Exact: assume == benchmath.AssumeExact, Base: len(cols)}
		for at := range from.cells {
			table.Base = min(table.Base, slices.Index(cols, at.col))
		}
		for _, rowKey := range sortedKeys(from.rows) {
			row := g.row(from, rowKey, cols, table.Base, assume, opts)
			if opts.Brief && !opts.Unpaired && !table.Exact {
				g.pair(&row, from.without, rowKey, cols, unit, opts.Confidence)
			}
			table.Rows = append(table.Rows, row)
			names[table.RowName(row)] = struct{}{}
			for i, cell := range row.Cells {
				if cell != nil {
					c.compared = c.compared || cell.Versus != nil
					continue
				}
				lack := Missing{table.RowName(row), unit, c.Columns[i]}
				if len(g.runs[gridRun{from.without, gridCellKey{rowKey, cols[i]}}]) == 0 {
					lack.Unit = ""
				}
				// with an explicit table split, a column need not be in all tables
				if opts.Table == "" || g.in[[2]benchproc.Key{from.without, cols[i]}] {
					c.Missing = append(c.Missing, lack)
				}
			}
		}
		table.Geomean = geomeans(table.Rows, len(cols), table.Base)
		c.Tables = append(c.Tables, table)
	}
	c.Missing, c.rows = text.Distinct(c.Missing), len(names)
	c.Config, c.Varying = g.residueByColumn(cols)
	c.shorten()
	return c
}

// row compares each cell with the base column or, with Brief and without a base cell, with the
// row's first.
func (g *grid) row(
	t *gridTable, key benchproc.Key, cols []benchproc.Key, baseColumn int,
	assume benchmath.Assumption, opts Options,
) Row {
	thresholds := benchmath.DefaultThresholds
	thresholds.CompareAlpha = opts.Alpha
	row := Row{Name: key.StringValues(), Cells: make([]*Cell, len(cols)), Base: baseColumn}
	for opts.Brief && t.cells[gridCellKey{key, cols[row.Base]}] == nil {
		row.Base++
	}
	for i, col := range cols {
		cell := t.cells[gridCellKey{key, col}]
		if cell == nil {
			continue
		}
		row.Cells[i] = cell.summarise(assume, &thresholds, opts.Confidence)
		place := gridRun{t.without, gridCellKey{key, col}}
		row.Cells[i].runs = g.runs[place]
		if _, known := g.doubts[place]; !known {
			g.doubts[place] = doubtsOf(row.Name, col.StringValues(), g.runs[place])
		}
		row.Cells[i].doubted = g.doubts[place]
		if base := row.Cells[row.Base]; i > row.Base && base != nil {
			versus := compareSamples(g.tests, assume, base.Sample, row.Cells[i].Sample)
			row.Cells[i].Versus = &versus
		}
	}
	return row
}

func doubtsOf(row, column string, runs results.Cell) (gravest *results.DoubtfulCell) {
	if !runs.Judged() {
		return nil
	}
	for _, of := range results.Gather(runs, (*results.Run).Qualified) {
		d := results.NewDoubted(row, column, of)
		if d != nil && len(of) < len(runs) {
			d.All = false
		}
		gravest = gravest.Worse(d)
	}
	return gravest
}

func (g *grid) tableKey(key benchproc.Key) []results.Pair {
	return slices.DeleteFunc(pairsOf(key, g.tableBy.FlattenedFields()), func(p results.Pair) bool {
		return p.Key == g.unit.Name
	})
}

func pairsOf(key benchproc.Key, fields []*benchproc.Field) []results.Pair {
	pairs := make([]results.Pair, len(fields))
	for i, field := range fields {
		pairs[i] = results.Pair{Key: field.Name, Value: key.Get(field)}
	}
	return pairs
}

func (c *gridCell) summarise(
	assume benchmath.Assumption, thresholds *benchmath.Thresholds, confidence float64,
) *Cell {
	// NewSample sorts in place, which is fine: only this cell uses the values.
	sample := benchmath.NewSample(c.values, thresholds)
	if fields := benchproc.NonSingularFields(sortedKeys(c.residue)); len(fields) > 0 {
		names := text.Texts(fields, func(f *benchproc.Field) string { return f.Name })
		sample.Warnings = append(sample.Warnings,
			fmt.Errorf("benchmarks vary in %s", strings.Join(names, ", ")))
	}
	return &Cell{Sample: sample, Summary: assume.Summary(sample, confidence)}
}

// largest samples, without and with ties, for which benchmath is exact
const (
	benchmathExact = 50
	benchmathTies  = 25
)

// compareSamples differs from benchmath in two ways. It caches exact distributions, so 200
// benchmarks × 25 runs with ties take a tenth of the time. And it corrects p for samples with ties
// and of different sizes.
func compareSamples(
	tests judge.RankSums, assume benchmath.Assumption, base, now *benchmath.Sample,
) benchmath.Comparison {
	n1, n2 := len(base.Values), len(now.Values)
	distinct := len(slices.Compact(slices.Sorted(slices.Values(slices.Concat(base.Values,
		now.Values)))))
	approximate := distinct < n1+n2 && n1 == n2 && n1 > benchmathTies || distinct == n1+n2 &&
		max(n1, n2) > benchmathExact
	if assume != benchmath.AssumeNothing || distinct == 1 || approximate {
		return assume.Compare(base, now)
	}
	versus := benchmath.Comparison{P: tests.Test(base.Values, now.Values).TwoSided(), N1: n1, N2: n2,
		Alpha: base.Thresholds.CompareAlpha}
	// as in benchmath
	if need := judge.SamplesFor(versus.Alpha / 2); versus.P > versus.Alpha &&
		n1 < need && n2 < need {
		versus.Warnings = []error{fmt.Errorf("need >= %d samples to detect a difference at alpha "+
			"level %v", need, versus.Alpha)}
	}
	return versus
}

func sortedKeys[V any](set map[benchproc.Key]V) []benchproc.Key {
	keys := slices.Collect(maps.Keys(set))
	benchproc.SortKeys(keys)
	return keys
}
