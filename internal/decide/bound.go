package decide

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
