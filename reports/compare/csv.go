package compare

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/poolbench/poolbench/reports/results"
)

// WriteCSV writes a comparison like benchstat -format csv: exact numbers in base units. It omits
// Notes and CSVWarnings, which benchstat writes to standard error.
func WriteCSV(w io.Writer, c *Comparison) error {
	records, _ := c.csv()
	return csv.NewWriter(w).WriteAll(records)
}

// CSVWarnings returns the warnings on cells of WriteCSV's output, as "B6: benchmarks vary in
// .fullname".
func CSVWarnings(c *Comparison) []string {
	_, warnings := c.csv()
	return warnings
}

func (c *Comparison) csv() (records [][]string, warnings []string) {
	for _, text := range configLines(c.Config) {
		records = append(records, []string{csvText(text)})
	}
	var before []results.Pair
	for i := range c.Tables {
		t := &c.Tables[i]
		if i > 0 {
			records = append(records, []string{""})
		}
		for _, text := range configLines(changed(before, t.Key, i == 0)) {
			records = append(records, []string{csvText(text)})
		}
		before = t.Key
		sheet := csvTable{first: len(records) + 1}
		c.table(&sheet, t)
		records, warnings = append(records, sheet.records...), append(warnings, sheet.warnings...)
	}
	return records, warnings
}

type csvTable struct {
	first    int // number of its first line
	records  [][]string
	line     []string
	warnings []string
}

func (s *csvTable) fill(column int) {
	for len(s.line) < column {
		s.line = append(s.line, "")
	}
}

func (s *csvTable) end() { s.records, s.line = append(s.records, s.line), nil }

func (s *csvTable) warn(lists ...[]error) {
	for _, err := range slices.Concat(lists...) {
		s.warnings = append(s.warnings,
			fmt.Sprintf("%s%d: %v", letters(len(s.line)), s.first+len(s.records), err))
	}
}

// An apostrophe before a name prevents a spreadsheet from interpreting it as a formula.
func csvText(name string) string {
	if len(name) < 2 || !strings.ContainsRune("=+-@\t\r\n＝＋－＠", []rune(name)[0]) {
		return name
	}
	if _, err := strconv.ParseFloat(name, 64); err == nil {
		return name
	}
	return "'" + name
}

func letters(column int) string {
	name := ""
	for column++; column > 0; column = (column - 1) / 26 {
		name = string(rune('A'+(column-1)%26)) + name
	}
	return name
}

func (c *Comparison) table(s *csvTable, t *Table) {
	shown, keys := t.columns(), c.ColumnKeys
	start := func(place int) int { return 1 + 4*place - 2*min(place, 1) }
	for level := range keys[shown[0]] {
		for place, i := range shown {
			s.fill(start(place))
			s.line = append(s.line, csvText(keys[i][level].Value))
		}
		s.fill(start(len(shown)))
		s.end()
	}
	for place := range shown {
		s.fill(start(place))
		s.line = append(s.line, csvText(t.Unit), "CI")
		if place > 0 {
			s.line = append(s.line, "vs base", "P")
		}
	}
	s.end()
	for _, row := range t.Rows {
		s.line = append(s.line, csvText(row.Name))
		for place, i := range shown {
			cell := row.Cells[i]
			if cell == nil {
				continue
			}
			s.fill(start(place))
			s.warn(cell.Sample.Warnings)
			interval := cell.Summary.PctRangeString()
			if c.brief && interval == "∞" {
				interval = "" // the interval of the pairs takes precedence
			} else {
				s.warn(cell.Summary.Warnings)
			}
			s.line = append(s.line, fmt.Sprint(cell.Summary.Center), interval)
			if cell.Versus != nil {
				if cell.paired == nil {
					s.warn(cell.Versus.Warnings)
				}
				delta, basis := c.against(facet{t, &row, i})
				s.line = append(s.line, strings.NewReplacer("−", "-", " %", "%").Replace(delta),
					basis)
			}
		}
		s.end()
	}
	s.line = append(s.line, "geomean")
	for place, i := range shown {
		g := &t.Geomean[i]
		s.fill(start(place))
		s.warn(g.Warnings)
		if !math.IsNaN(g.Center) {
			s.line = append(s.line, fmt.Sprint(g.Center))
		}
		if place > 0 {
			s.fill(start(place) + 2)
			s.line = append(s.line, g.delta())
		}
	}
	s.fill(start(len(shown)))
	s.end()
}
