package decide

// A Bound is a bound on a metric, in its unit: seconds, shares of 1, tasks per second.
type Bound struct {
	Unit  string
	Op    string // value Op bound must be true. One of Operators
	Value float64
}

// Operators lists the operators of bounds, each before its prefixes.
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
