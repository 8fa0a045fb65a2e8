package workloads

import (
	"fmt"

	"github.com/poolbench/poolbench/internal/param"
)

// A Variant is a workload with its parameters: what a scenario names.
type Variant struct {
	Spec   Spec
	Values param.Values
}

// ParseVariant looks the workload up and checks its parameters, those that are possible one by one but not together
// included. It neither computes nor calibrates anything.
func ParseVariant(call param.Call) (Variant, error) {
	spec, err := Lookup(call.Name)
	if err != nil {
		return Variant{}, err
	}
	v := Variant{Spec: spec}
	if v.Values, err = param.Resolve(spec.Keys, call.Args); err == nil {
		if spec.Check != nil {
			err = spec.Check(v.Values)
		} else {
			_, err = spec.New(0, v.Values)
		}
	}
	if err != nil {
		return Variant{}, fmt.Errorf("workload %s: %w", call.Name, err)
	}
	return v, nil
}

// String is the canonical spelling: the name, followed by the parameters that are not at their defaults.
func (v Variant) String() string { return v.Values.Spell(v.Spec.Name) }

// Build makes the workload for one run.
func (v Variant) Build(seed uint64) (Workload, error) {
	w, err := v.Spec.New(seed, v.Values)
	if err != nil {
		return nil, fmt.Errorf("workload %s: %w", v, err)
	}
	return w, nil
}
