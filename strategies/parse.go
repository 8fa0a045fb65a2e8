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
	values, err := param.Resolve(spec.Keys, c.Args)
	if err != nil {
		return Variant{}, fmt.Errorf("strategy %s: %w", c.Name, err)
	}
	return Variant{spec, values}, nil
}
