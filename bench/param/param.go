package param

import (
	"fmt"
	"time"

	"github.com/poolbench/poolbench/bench/dist"
)

// Kind is the type of a parameter's value.
type Kind int

// The kinds of parameters, with examples of their values.
const (
	Text         Kind = iota // anything without a comma outside parentheses
	Duration                 // 10ms, 1.5s, never negative
	Float                    // 0.05, 16
	Int                      // 4
	Size                     // 512, 64KiB, 1MB: bytes
	Distribution             // a duration, or exp(10ms), const(10ms)
	Choice                   // one of a few words, Key.Choices
)

// String returns the name of the kind in help texts.
func (k Kind) String() string {
	return [...]string{"text", "duration", "number", "whole number", "size", "distribution",
		"choice"}[k]
}

// Key documents one parameter of a variant: its name, kind, default (as a user would type it, "" =
// required) and one line of description with units.
type Key struct {
	Name    string
	Kind    Kind
	Default string
	Doc     string
	// Bare interprets a Distribution given as a bare duration. nil: as a constant
	Bare func(mean time.Duration) dist.Dist
	// Choices are the possible values of a Choice, at least two. Doc explains each.
	Choices []string
	// Word may replace the number of a Float that is determined later: see Values.Settle.
	Word string
}

// Arg is one key=value as typed by the user.
type Arg struct{ Key, Value string }

// Call is a variant as typed by the user: name:key=value,key=value.
type Call struct {
	Name string
	Args []Arg
}

// Values are the checked arguments of one variant: every key has a value, given or by default. The
// zero Values belongs to a variant without keys.
type Values struct {
	keys   []Key
	parsed []value  // in the order of keys
	parts  []Values // of a composition: see Join
}

type value struct {
	text  string // canonical form
	open  bool   // the word of its key, not yet a number
	given bool   // and other than the default
	dur   time.Duration
	num   float64
	whole int64
	dist  dist.Dist
}

// A Variant is a part with its parameters, as a scenario names it and a user chooses it with
// name:key=value,…. The String of its Spec is the name.
type Variant[Spec fmt.Stringer] struct {
	Spec   Spec
	Values Values
}

// String returns the canonical form: the name, and the parameters that differ from their defaults.
func (v Variant[Spec]) String() string { return v.Values.Spell(v.Spec.String()) }
