package main

import (
	"fmt"
	"strconv"

	"github.com/spf13/pflag"

	"github.com/poolbench/poolbench/bench/attack"
)

// noZeros refuses a zero that was given: where it is the default it means something else.
func noZeros(fs *pflag.FlagSet, names ...string) error {
	for _, name := range names {
		f := fs.Lookup(name)
		if text := f.Value.String(); f.Changed && (text == "0" || text == "0s") {
			return fmt.Errorf("--%s: want more than 0, got %s", name, text)
		}
	}
	return nil
}

// positiveRate is the flag of a rate: a zero would stand for the default.
type positiveRate struct{ value *float64 }

func (f positiveRate) String() string { return "" }
func (f positiveRate) Type() string   { return "X" }

func (f positiveRate) Set(text string) error {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(x > 0) || x > 1e6 {
		return fmt.Errorf("want a number above 0, up to 1e6, got %q", text)
	}
	*f.value = x
	return nil
}

// workers is the flag of their number.
type workers struct{ value *int }

func (f workers) String() string { return "" }
func (f workers) Type() string   { return "N" }

func (f workers) Set(text string) error {
	if text == "unlimited" {
		*f.value = attack.Unlimited
		return nil
	}
	n, err := wholeFrom(1, text)
	if err != nil {
		return fmt.Errorf("want a whole number from 1 up, or unlimited, got %q", text)
	}
	*f.value = n
	return nil
}
