package decide

// A Bound is in the metric's unit: seconds, shares of 1, tasks per second.
type Bound struct {
	Unit  string
	Op    string // one of Operators, so that the condition is: value Op bound
	Value float64
}

// Each operator comes before its prefixes.
var Operators = []string{"<=", ">=", "<", ">"}

// NaN does not meet a bound.
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
