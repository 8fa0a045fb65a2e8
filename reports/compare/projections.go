package compare

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/perf/benchproc"

	"github.com/poolbench/poolbench/reports/results"
)

// An OptionError is an invalid option of a comparison.
type OptionError struct {
	Option string // table, row, col, ignore or filter
	Err    error  // in one line
}

func (e *OptionError) Error() string { return e.Option + ": " + e.Err.Error() }

func (e *OptionError) Unwrap() error { return e.Err }

type projections struct {
	tableBy, rowBy, colBy, residue *benchproc.Projection
	unit                           *benchproc.Field // of tableBy
	filter                         *benchproc.Filter
	namesFile                      bool     // a projection, or Ignore, names .file
	unpairedKeys                   []string // keys of names in which runs of a pair may differ
}

// Default projections of Options. A blank is benchproc's projection on nothing.
const (
	defaultTable = "pkg"
	defaultRow   = ".fullname"
	defaultCol   = ".file"
)

// The distinguishing keys are excluded from all projections.
func newProjections(opts Options, distinguishing []results.Pair) (*projections, error) {
	query := opts.Filter
	if strings.TrimSpace(query) == "" {
		query = "*"
	}
	var p projections
	var err error
	if p.filter, err = benchproc.NewFilter(query); err != nil {
		return nil, &OptionError{"filter", oneLine(err)}
	}
	var parser benchproc.ProjectionParser
	if p.tableBy, p.unit, err = parser.ParseWithUnit(cmp.Or(opts.Table, defaultTable),
		p.filter); err != nil {
		return nil, &OptionError{"table", oneLine(err)}
	}
	parsed := []*benchproc.Projection{p.tableBy}
	parse := func(option, keys string) *benchproc.Projection {
		proj, parseErr := parser.Parse(keys, p.filter)
		if parseErr != nil {
			if err == nil {
				err = &OptionError{option, oneLine(parseErr)}
			}
			return nil
		}
		parsed = append(parsed, proj)
		return proj
	}
	p.rowBy = parse("row", cmp.Or(opts.Row, defaultRow))
	p.colBy = parse("col", cmp.Or(opts.Col, defaultCol))
	ignored := parse("ignore", opts.Ignore)
	for _, key := range distinguishing {
		parse("ignore", "/"+key.Key)
		p.unpairedKeys = append(p.unpairedKeys, key.Key)
	}
	if err == nil {
		for _, field := range slices.Concat(p.colBy.Fields(), ignored.Fields()) {
			if key, isKey := strings.CutPrefix(field.Name, "/"); isKey {
				p.unpairedKeys = append(p.unpairedKeys, key)
			}
		}
	}
	if err != nil {
		return nil, err
	}
	p.residue = parser.Residue()
	for _, proj := range parsed {
		for _, field := range proj.Fields() {
			p.namesFile = p.namesFile || field.Name == ".file"
		}
	}
	return &p, nil
}

// benchproc's errors have three lines: the problem, the expression, and a caret below the place.
func oneLine(err error) error {
	what, rest, ok := strings.Cut(err.Error(), "\n\t")
	last := strings.LastIndex(rest, "\n\t")
	if !ok || last < 0 {
		return errors.New(joined(err.Error()))
	}
	caret := strings.TrimPrefix(rest[last:], "\n\t")
	return fmt.Errorf("%s (at character %d of %q)",
		strings.TrimPrefix(joined(what), "syntax error: "), len([]rune(caret)), rest[:last])
}

// The problem may quote the expression, with its newlines.
func joined(s string) string { return strings.Join(strings.Fields(s), " ") }

func fieldNames(p *benchproc.Projection) string {
	var names []string
	for _, f := range p.Fields() {
		if f.Name != ".unit" {
			names = append(names, f.Name)
		}
	}
	return strings.Join(names, ",")
}
