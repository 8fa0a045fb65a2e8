package param

import (
	"fmt"
	"strings"
)

// Floats reads a comma list such as 0.5,0.8, as flags take it.
func Floats(s string) ([]float64, error) { return list(s, parseFloat) }

// Ints reads a comma list such as 4,8.
func Ints(s string) ([]int, error) { return list(s, parseInt) }

// list reads at least one element; the error is about the first bad one.
func list[T any](s string, parse func(string) (T, error)) ([]T, error) {
	texts := strings.Split(s, ",")
	all := make([]T, len(texts))
	for i, text := range texts {
		var err error
		if all[i], err = parse(text); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// Percent reads a share of at least 0 and below 1, written 10% or 0.1.
func Percent(s string) (float64, error) {
	number := s
	if whole, ok := strings.CutSuffix(s, "%"); ok {
		number = whole + "e-2" // rounds once; 99.9/100 is not the float nearest to 0.999
	}
	x, err := parseFloat(number)
	if err != nil || x < 0 || x >= 1 {
		return 0, fmt.Errorf("want a share such as 10%% or 0.1, at least 0 and below 1, got %q", s)
	}
	return x, nil
}
