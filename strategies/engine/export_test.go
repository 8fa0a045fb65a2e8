package engine

import "github.com/poolbench/poolbench/strategies"

// WaitsOf counts the contexts that a running Gate[int] keeps.
func WaitsOf(s strategies.Strategy) (n int) {
	s.(*gate[int]).waits.Range(func(any, any) bool { n++; return true })
	return n
}
