package reports

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchmath"
	"golang.org/x/perf/benchproc"
)

// grid sorts runs into the cells of tables by benchproc projections: one for tables, one for rows, one for columns.
// What none of them takes up is residue, and must not vary.
type grid struct {
	tableBy, rowBy, colBy, residue *benchproc.Projection
	unit                           *benchproc.Field
	tables                         map[benchproc.Key]*gridTable
	cols                           map[benchproc.Key]struct{}
	residues                       map[benchproc.Key]map[benchproc.Key]struct{} // by column
	runs                           map[gridRun]bool                             // there is a run, though it may lack the metrics
}

// gridRun places a run in a table without a unit.
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

// newGrid takes projections in benchproc's syntax. It panics on one that does not parse.
func newGrid(tableBy, rowBy, colBy string) *grid {
	var parser benchproc.ProjectionParser
	must := func(p *benchproc.Projection, err error) *benchproc.Projection {
		if err != nil {
			panic(fmt.Sprintf("reports: projection: %v", err))
		}
		return p
	}
	g := &grid{
		tables:   make(map[benchproc.Key]*gridTable),
		cols:     make(map[benchproc.Key]struct{}),
		residues: make(map[benchproc.Key]map[benchproc.Key]struct{}),
		runs:     make(map[gridRun]bool),
	}
	var err error
	g.tableBy, g.unit, err = parser.ParseWithUnit(tableBy, nil)
	must(g.tableBy, err)
	g.rowBy = must(parser.Parse(rowBy, nil))
	g.colBy = must(parser.Parse(colBy, nil))
	g.residue = parser.Residue()
	return g
}

// addResults adds the runs of an input, with its label as benchproc's key .file.
func (g *grid) addResults(results *Results, label string, metrics []string) {
	for i := range results.Runs {
		run := &results.Runs[i]
		rec := &benchfmt.Result{Name: benchfmt.Name(run.Name), Iters: run.Iters}
		for _, c := range run.Config {
			rec.Config = append(rec.Config, benchfmt.Config{Key: c.Key, Value: []byte(c.Value), File: true})
		}
		rec.SetConfig(".file", label)
		for _, unit := range metrics {
			if v, ok := run.Values[unit]; ok {
				rec.Values = append(rec.Values, benchfmt.Value{Value: v, Unit: unit})
			}
		}
		g.add(rec)
	}
}

func (g *grid) add(rec *benchfmt.Result) {
	at := gridCellKey{g.rowBy.Project(rec), g.colBy.Project(rec)}
	g.cols[at.col] = struct{}{}
	without := g.tableBy.Project(rec)
	g.runs[gridRun{without, at}] = true
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
			table = &gridTable{without: without, rows: make(map[benchproc.Key]struct{}), cells: make(map[gridCellKey]*gridCell)}
			g.tables[key] = table
		}
		table.rows[at.row] = struct{}{}
		cell := table.cells[at]
		if cell == nil {
			cell = &gridCell{residue: make(map[benchproc.Key]struct{})}
			table.cells[at] = cell
		}
		cell.values = append(cell.values, rec.Values[i].Value)
		cell.residue[residue] = struct{}{}
	}
}

// comparison works the statistics out.
func (g *grid) comparison(labels []string, units benchfmt.UnitMetadataMap, opts CompareOptions) *Comparison {
	c := &Comparison{Columns: labels, Alpha: opts.Alpha, Confidence: opts.Confidence}
	cols := sortedKeys(g.cols)
	for _, key := range sortedKeys(g.tables) {
		from := g.tables[key]
		unit := key.Get(g.unit)
		assume := units.GetAssumption(unit)
		table := Table{Key: g.tableKey(key), Unit: unit, Better: units.GetBetter(unit), Exact: assume == benchmath.AssumeExact}
		for _, rowKey := range sortedKeys(from.rows) {
			row := from.row(rowKey, cols, assume, opts)
			table.Rows = append(table.Rows, row)
			for i, cell := range row.Cells {
				if cell != nil {
					continue
				}
				lack := Missing{Benchmark: table.rowName(row), Column: labels[i]}
				if g.runs[gridRun{from.without, gridCellKey{rowKey, cols[i]}}] {
					lack.Unit = unit
				}
				if !slices.Contains(c.Missing, lack) {
					c.Missing = append(c.Missing, lack)
				}
			}
		}
		table.Geomean = geomeans(table.Rows, len(cols))
		c.Tables = append(c.Tables, table)
	}
	c.Config, c.Varying = g.residueByColumn(cols)
	return c
}

// row summarises the cells of a row and compares each with the first.
func (t *gridTable) row(key benchproc.Key, cols []benchproc.Key, assume benchmath.Assumption, opts CompareOptions) Row {
	thresholds := benchmath.DefaultThresholds
	thresholds.CompareAlpha = opts.Alpha
	row := Row{Name: key.StringValues(), Cells: make([]*Cell, len(cols))}
	for i, col := range cols {
		cell := t.cells[gridCellKey{key, col}]
		if cell == nil {
			continue
		}
		row.Cells[i] = cell.summarise(assume, &thresholds, opts.Confidence)
		if base := row.Cells[0]; i > 0 && base != nil {
			versus := compareSamples(assume, base.Sample, row.Cells[i].Sample)
			row.Cells[i].Versus = &versus
		}
	}
	return row
}

func (g *grid) tableKey(key benchproc.Key) []Pair {
	var pairs []Pair
	for _, field := range g.tableBy.FlattenedFields() {
		if value := key.Get(field); field != g.unit && value != "" {
			pairs = append(pairs, Pair{field.Name, value})
		}
	}
	return pairs
}

func (c *gridCell) summarise(assume benchmath.Assumption, thresholds *benchmath.Thresholds, confidence float64) *Cell {
	// NewSample sorts in place, which is no loss: the values are this cell's own.
	sample := benchmath.NewSample(c.values, thresholds)
	if fields := benchproc.NonSingularFields(sortedKeys(c.residue)); len(fields) > 0 {
		names := make([]string, len(fields))
		for i, f := range fields {
			names[i] = f.Name
		}
		sample.Warnings = append(sample.Warnings, fmt.Errorf("benchmarks vary in %s", strings.Join(names, ", ")))
	}
	return &Cell{Sample: sample, Summary: assume.Summary(sample, confidence)}
}

// compareSamples is benchmath's comparison but for the case that benchmath gets wrong: ties and different sizes.
func compareSamples(assume benchmath.Assumption, base, now *benchmath.Sample) benchmath.Comparison {
	versus := assume.Compare(base, now)
	n1, n2 := len(base.Values), len(now.Values)
	distinct := len(slices.Compact(slices.Sorted(slices.Values(slices.Concat(base.Values, now.Values)))))
	if assume != benchmath.AssumeNothing || n1 == n2 || distinct == n1+n2 || distinct == 1 {
		return versus
	}
	versus.P, versus.Warnings = mannWhitney(base.Values, now.Values).TwoSided(), nil
	// benchmath's warning and its rule for it, which hung on the wrong p.
	if need := samplesFor(versus.Alpha / 2); versus.P > versus.Alpha && n1 < need && n2 < need {
		versus.Warnings = []error{fmt.Errorf("need >= %d samples to detect a difference at alpha level %v", need, versus.Alpha)}
	}
	return versus
}

// rowName is the name of a row for a reader who does not see the table's key.
func (t *Table) rowName(row Row) string {
	for _, p := range t.Key {
		if p.Key == "pkg" {
			return p.Value + "." + row.Name
		}
	}
	return row.Name
}

func sortedKeys[V any](set map[benchproc.Key]V) []benchproc.Key {
	keys := make([]benchproc.Key, 0, len(set))
	for key := range set {
		keys = append(keys, key)
	}
	benchproc.SortKeys(keys)
	return keys
}
