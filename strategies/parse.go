package strategies

import (
	"fmt"

	"github.com/poolbench/poolbench/internal/param"
)

// ParseVariant looks up the strategy of a call and checks its parameters.
func ParseVariant(c param.Call) (Variant, error) {
	spec, err := Lookup(c.Name)
	if err != nil {
		return Variant{}, err
	}
	return spec.Variant(c.Args)
}

// Variant is the strategy with these parameters of its own; the error names the one that is wrong.
func (s Spec) Variant(args []param.Arg) (Variant, error) {
	values, err := param.Resolve(s.Keys, args)
	if err != nil {
		return Variant{}, fmt.Errorf("strategy %s: %w", s.Name, err)
	}
	return Variant{s, values}, nil
}
