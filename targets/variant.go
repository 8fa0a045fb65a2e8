package targets

import (
	"fmt"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/internal/registry"
)

// A Variant is a target with its parameters.
type Variant = param.Variant[Spec]

// Parse parses name or name:key=value,… of a registered target and checks the parameters.
func Parse(text string) (Variant, error) { return registry.Parse(&all, text) }

// MustParse is like Parse but panics on errors.
func MustParse(text string) Variant { return registry.MustParse(&all, text) }

// Resolve is Parse for a split name and parameters.
func Resolve(c param.Call) (Variant, error) { return registry.Resolve(&all, c) }

// Build creates the target for one run.
func (s Spec) Build(seed uint64, v param.Values) (Target, error) {
	t, err := s.New(seed, v)
	if err != nil {
		return nil, fmt.Errorf("target %s: %w", v.Spell(s.Name), err)
	}
	return t, nil
}
