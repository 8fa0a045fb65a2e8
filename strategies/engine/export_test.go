package engine

import "github.com/poolbench/poolbench/strategies"

// WaitsOf returns the number of contexts cached by a Gate[int].
func WaitsOf(s strategies.Strategy) (n int) {
	s.(*gate[int]).waits.Range(func(any, any) bool { n++; return true })
	return n
}
