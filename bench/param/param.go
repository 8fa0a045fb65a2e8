package param

import (
	"fmt"
	"time"

	"github.com/poolbench/poolbench/bench/dist"
)

// Kind is the type of a parameter's value.
type Kind int

// The kinds of parameters, with the spelling of their values.
const (
	Text         Kind = iota // anything without a comma outside parentheses
	Duration                 // 10ms, 1.5s; never negative
	Float                    // 0.05, 16
	Int                      // 4
	Size                     // 512, 64KiB, 1MB: bytes
	Distribution             // a duration, or exp(10ms), const(10ms)
	Choice                   // one of a few words, Key.Choices
)

// String names the kind as help texts do.
func (k Kind) String() string {
	return [...]string{"text", "duration", "number", "whole number", "size", "distribution",
		"choice"}[k]
}

// Key documents one parameter of a variant: its name, kind, default (in the spelling a user would
// type; "" = must be given) and one line on what it is, units included.
type Key struct {
	Name    string
	Kind    Kind
	Default string
	Doc     string
	// Bare says how a Distribution given as a bare duration is read; nil: as a constant.
	Bare func(mean time.Duration) dist.Dist
	// Choices are the values that a Choice may have, at least two. Doc says what each means.
	Choices []string
	// Word may stand for the number of a Float that only others know: see Values.Settle.
	Word string
}

// Arg is one key=value as the user typed it.
type Arg struct{ Key, Value string }

// Call is a variant as the user typed it: name:key=value,key=value.
type Call struct {
	Name string
	Args []Arg
}

// Values are the arguments of one variant checked against its keys: every key has a value, given or
// by default. The zero Values belongs to a variant without keys.
type Values struct {
	keys   []Key
	parsed []value  // in the order of keys
	parts  []Values // of a composition: see Join
}

type value struct {
	text  string // canonical spelling
	open  bool   // it is the word of its key, and no number yet
	given bool   // and other than the default
	dur   time.Duration
	num   float64
	whole int64
	dist  dist.Dist
}

// A Variant is a part with its parameters: what a scenario names and a user chooses with
// name:key=value,…. The String of its Spec is the name.
type Variant[Spec fmt.Stringer] struct {
	Spec   Spec
	Values Values
}

// String is the one canonical spelling: the name, and the parameters that are not at their
// defaults.
func (v Variant[Spec]) String() string { return v.Values.Spell(v.Spec.String()) }
