package flags

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/internal/text"
)

// A Value is a pflag.Value for types that pflag does not have.
type Value struct {
	Kind string // name of its argument in the help
	Take func(text string) error
	Show func() string // returns the default for the help; nil if the flag's text contains it
}

var _ pflag.Value = Value{}

func (f Value) Set(text string) error { return f.Take(text) }

func (f Value) Type() string { return f.Kind }

func (f Value) String() string {
	if f.Show == nil {
		return ""
	}
	return f.Show()
}

func Parsed[T any](to *T, kind string, parse func(text string) (T, error)) Value {
	return Value{Kind: kind, Take: func(text string) error {
		v, err := parse(text)
		if err == nil {
			*to = v
		}
		return err
	}}
}

func AtLeastOne(to *int, most int) Value { return Parsed(to, "N", UpTo(most)) }

const minShare = 1e-9

// Share returns a flag for a share such as 2% or 0.02. It rejects 0, which means the default
// elsewhere, unless zero is set.
func Share(to *float64, zero bool) Value {
	return Parsed(to, "SHARE", func(text string) (float64, error) {
		v, err := param.Percent(text)
		if err == nil && (v == 0 && !zero || v != 0 && v < minShare) {
			err = fmt.Errorf("want a share from %v, got %q", minShare, text)
		}
		return v, err
	})
}

// The default of a Choice is the first of the known words.
func Choice(cmd *cobra.Command, value *string, name, doc string, known ...string) {
	*value = known[0]
	f := Parsed(value, "WORD", func(word string) (string, error) {
		if !slices.Contains(known, word) {
			return "", fmt.Errorf("unknown value %q %s", word, text.Known(word, known))
		}
		return word, nil
	})
	f.Show = func() string { return *value }
	cmd.Flags().Var(f, name, doc+": "+strings.Join(known, ", "))
	Complete(cmd, name, func() []string { return known })
}

func Metric(cmd *cobra.Command, to *[]string, doc string, known func() []string) {
	cmd.Flags().StringArrayVar(to, "metric", nil, doc)
	Complete(cmd, "metric", known)
}

const RunLimit = "run-limit"

func WholeNumber(least, most int, text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < least || n > most {
		return 0, fmt.Errorf("want a whole number from %d to %d, got %q", least, most, text)
	}
	return n, nil
}

// UpTo rejects 0, which means the default.
func UpTo(most int) func(text string) (int, error) {
	return func(text string) (int, error) { return WholeNumber(1, most, text) }
}

func ParseSeed(text string) (uint64, error) {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		err = fmt.Errorf("want a whole number from 0 to 2^64-1, got %q", text)
	}
	return n, err
}

// PositiveTime rejects 0, which means none.
func PositiveTime(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 || d > MaxTime {
		return 0, fmt.Errorf("want a duration above 0, at most 87600h, such as 50ms or 2s, got %q",
			text)
	}
	return d, nil
}

const OutRoot = "poolbench-out"
