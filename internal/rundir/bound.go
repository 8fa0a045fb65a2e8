package rundir

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/poolbench/poolbench/internal/decide"
)

func BoundLine(b decide.Bound) string {
	return Objective.Line(b.Unit + " " + b.Op + " " + strconv.FormatFloat(b.Value, 'g', -1, 64))
}

func ParseBound(rest string) (b decide.Bound, err error) {
	fields := strings.Fields(rest)
	if len(fields) != 3 || !slices.Contains(decide.Operators, fields[1]) {
		return b, fmt.Errorf("want UNIT OPERATOR VALUE, got %q", rest)
	}
	b.Unit, b.Op = fields[0], fields[1]
	b.Value, err = strconv.ParseFloat(fields[2], 64)
	return b, err
}
