package engine

import "github.com/poolbench/poolbench/strategies"

func WaitsOf(s strategies.Strategy) (n int) {
	s.(*gate[int]).waits.Range(func(any, any) bool { n++; return true })
	return n
}
