package rundir

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A Bound is on a metric, in its unit: seconds, shares of 1, tasks per second.
type Bound struct {
	Unit  string
	Op    string // how a value that meets it stands to it: one of Operators
	Value float64
}

// Operators are those of bounds; one that another begins with stands behind it.
var Operators = []string{"<=", ">=", "<", ">"}

// Meets reports whether a value is within the bound. NaN never is.
func (b Bound) Meets(v float64) bool {
	switch b.Op {
	case "<":
		return v < b.Value
	case "<=":
		return v <= b.Value
	case ">":
		return v > b.Value
	}
	return v >= b.Value
}

// Line is the line about it.
func (b Bound) Line() string {
	return Objective.Line(b.Unit + " " + b.Op + " " + strconv.FormatFloat(b.Value, 'g', -1, 64))
}

// ParseBound reads what stands behind the mark.
func ParseBound(rest string) (b Bound, err error) {
	fields := strings.Fields(rest)
	if len(fields) != 3 || !slices.Contains(Operators, fields[1]) {
		return b, fmt.Errorf("want UNIT OPERATOR VALUE, got %q", rest)
	}
	b.Unit, b.Op = fields[0], fields[1]
	b.Value, err = strconv.ParseFloat(fields[2], 64)
	return b, err
}
