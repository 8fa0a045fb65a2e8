package strategies

import (
	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/internal/registry"
)

// A Variant is a strategy with its parameters: what a scenario names.
type Variant = param.Variant[Spec]

// Parse reads name or name:key=value,… of a strategy that is registered. The error names the
// parameter that is wrong.
func Parse(text string) (Variant, error) { return registry.Parse(&all, text) }

// MustParse is Parse for what a program writes itself: a mistake in it panics.
func MustParse(text string) Variant { return registry.MustParse(&all, text) }

// Resolve is Parse for a call that has been read.
func Resolve(c param.Call) (Variant, error) { return registry.Resolve(&all, c) }
