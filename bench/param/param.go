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
	Choice                   // one of Key.Choices
)

func (k Kind) String() string {
	return [...]string{"text", "duration", "number", "whole number", "size", "distribution",
		"choice"}[k]
}

// Key documents one parameter of a variant. Default is in the form that a user types; "" means
// required. Doc is one line with units.
type Key struct {
	Name    string
	Kind    Kind
	Default string
	Doc     string
	// Bare converts a bare duration given for a Distribution; nil means a constant.
	Bare    func(mean time.Duration) dist.Dist
	Choices []string
	// Word may replace the number of a Float that is determined later, by Values.Settle.
	Word string
}

// Arg is one key=value as typed by the user.
type Arg struct{ Key, Value string }

// Call is a variant as typed by the user: name:key=value,key=value.
type Call struct {
	Name string
	Args []Arg
}

// Values are the checked arguments of one variant. Every key has a value, given or by default.
type Values struct {
	keys   []Key
	parsed []value  // in the order of keys
	parts  []Values // parts of a composition, from Join
}

type value struct {
	text  string // canonical form
	open  bool   // the key's Word, not yet a number
	given bool   // given and different from the default
	dur   time.Duration
	num   float64
	whole int64
	dist  dist.Dist
}

// A Variant is a registered part with its parameters, which a user writes as name:key=value,….
type Variant[Spec fmt.Stringer] struct {
	Spec   Spec
	Values Values
}

func (v Variant[Spec]) String() string { return v.Values.Spell(v.Spec.String()) }
