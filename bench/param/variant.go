package param

import "fmt"

// A Variant is a part with its parameters: what a scenario names and a user chooses with
// name:key=value,…. The String of its Spec is the name.
type Variant[Spec fmt.Stringer] struct {
	Spec   Spec
	Values Values
}

// String is the one canonical spelling: the name, and the parameters that are not at their
// defaults.
func (v Variant[Spec]) String() string { return v.Values.Spell(v.Spec.String()) }
